// Smooth grounds against closed forms, against their own equation integrated apart, what is
// conserved, and derivatives against differences.
#include "differences.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/ground_smooth.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "forced_world.h"

// --- the formula, as OpenSim writes it ---

// k in place of 4/3 k sqrt(R k), and c in place of 3/2 c.
static double published(double k, double c, double depth, double sinking) {
  const double bd = 300, bv = 50, eps = 1e-5;
  const double hertz = k * pow(sqrt(depth * depth + eps), 1.5) * (0.5 + 0.5 * tanh(bd * depth));
  return hertz * (1 + c * sinking) * (0.5 + 0.5 * tanh(bv * (sinking + 1 / c)));
}

static void the_force_is_that_of_opensim(void** state) {
  (void)state;
  const lb_scene_force set = {.stiffness = 2e5,
                              .force_curve = {.exponent = 1.5},
                              .dissipation = 3,
                              .smooth = 1.0 / 300,
                              .smooth_speed = 0.02};
  for (double s = -0.015; s < 0.03; s += 0.0017) {
    for (double y = -1; y < 1; y += 0.083) {
      const double f =
          lb_ground_smooth_pull(&set, s).force * lb_ground_smooth_damping(&set, y).force;
      assert_near(f, published(2e5, 3, s, y), 1e-9);
    }
  }
}

// --- motion ---

#define BALL(height, ground)                                                                       \
  "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"                                             \
  "joints: {j: {type: prismatic, child: b, axis: z}}\n"                                            \
  "initial: {j: {position: " height "}}\n"                                                         \
  "grounds: {g: {points: [{body: b, at: [0, 0, 0.1], radius: 0.1}], " ground "}}\n"

// m g = k sqrt(s^2 + 0.9 w^2) (1 + tanh(s/w))/2: deep ones sink in by the weight over the
// stiffness, to rounding; and one whose weight is k sqrt(0.9) w/2 not at all.
static void a_ball_at_rest_sinks_in_as_deep_as_its_weight_says(void** state) {
  (void)state;
  world w = start(BALL("-1 cm", "stiffness: 1000, dissipation: 5, smooth: 0.1 mm"));
  step_to(&w, LB_INTEGRATOR_BDF1, 1e-3, 10);
  const double deep = 2 * 9.81 / 1000;
  assert_near(w.d->q[0], -sqrt(deep * deep - 0.9e-8), 1e-9);
  stop(&w);
  char text[400];
  snprintf(text, sizeof text, BALL("1 mm", "stiffness: 1e4, dissipation: 5, smooth: %.17g"),
           2 * 2 * 9.81 / (1e4 * sqrt(0.9)));
  w = start(text);
  step_to(&w, LB_INTEGRATOR_BDF1, 1e-3, 10);
  assert_near(w.d->q[0], 0, 1e-9);
  stop(&w);
}

static void energy_is_kept_without_dissipation(void** state) {
  (void)state;
  double off[2];
  for (int i = 0; i < 2; i++) {
    world w = start(BALL("0.2", "stiffness: 9e4, exponent: 1.5, smooth: 3 mm"));
    const double before = energy(&w);
    off[i] = 0;
    double deepest = 0;
    for (int k = 0; k < 30; k++) {
      step_to(&w, LB_INTEGRATOR_RK4, 1e-3 / (1 << i), 0.01);
      off[i] = fmax(off[i], fabs(energy(&w) - before));
      deepest = fmin(deepest, w.d->q[0]);
    }
    assert_below(deepest, -5e-3);
    stop(&w);
  }
  print_message("off by %.2g and %.2g J: order %.2f\n", off[0], off[1], log2(off[0] / off[1]));
  assert_below(off[1], 1e-4);
  assert_below(3.5, log2(off[0] / off[1]));
}

// m x'' = N - m g by Runge and Kutta, from 0.2 m until it is highest again.
static double bounce_apart(double k, double c) {
  double x = 0.2, v = 0;
  const double h = 1e-5;
  for (int i = 0; i < 1000000; i++) {
    double dx[4], dv[4];
    for (int s = 0; s < 4; s++) {
      const double part = s == 0 ? 0 : s == 3 ? 1 : 0.5;
      const double at = x + (s ? part * h * dx[s - 1] : 0),
                   speed = v + (s ? part * h * dv[s - 1] : 0);
      dx[s] = speed;
      dv[s] = published(k, c, -at, -speed) / 2 - 9.81;
    }
    const double before = v;
    x += h / 6 * (dx[0] + 2 * dx[1] + 2 * dx[2] + dx[3]);
    v += h / 6 * (dv[0] + 2 * dv[1] + 2 * dv[2] + dv[3]);
    if (i * h > 0.25 && before > 0 && v <= 0) {
      return x + before * before / (2 * 9.81);
    }
  }
  return NAN;
}

static double bounce(const char* text, double h) {
  world w = start(text);
  double highest = 0;
  step_to(&w, LB_INTEGRATOR_RK8, h, 0.25);
  while (w.d->qd[0] > 0) {
    highest = w.d->q[0] + w.d->qd[0] * w.d->qd[0] / (2 * 9.81);
    step_to(&w, LB_INTEGRATOR_RK8, h, 1e-2);
  }
  stop(&w);
  return highest;
}

// Hunt and Crossley 1975: with damping c per speed, a slow ball keeps 1 - 2/3 c v of its speed v.
static void a_bounce_loses_what_its_equation_and_hunt_and_crossley_say(void** state) {
  (void)state;
  const double high = bounce(BALL("0.2", "stiffness: 9e4, exponent: 1.5, dissipation: 0.3, smooth: "
                                         "3.3333333333333333 mm"),
                             1e-4);
  const double apart = bounce_apart(9e4, 0.3);
  print_message("back to %.9g m, its equation apart %.9g m\n", high, apart);
  assert_near(high, apart, 1e-7);
  // so stiff that its weight does little while it is down
  const double little = bounce(BALL("0.2", "stiffness: 9e7, exponent: 1.5, dissipation: 0.01, "
                                           "smooth: 0.05 mm"),
                               1e-5),
               v = sqrt(2 * 9.81 * 0.2);
  print_message("keeps %.6g of its speed, to first order %.6g\n", sqrt(little / 0.2),
                1 - 2.0 / 3 * 0.01 * v);
  assert_near(sqrt(little / 0.2), 1 - 2.0 / 3 * 0.01 * v, 3e-4);
}

// v' = -mu g v/sqrt(v^2 + slip^2), so that G(v) = sqrt(v^2 + slip^2) - slip asinh(slip/v) falls by
// mu g in a second.
static double fallen(double v, double slip) {
  return sqrt(v * v + slip * slip) - slip * asinh(slip / v);
}

static void a_sliding_block_is_slowed_by_the_friction_coefficient_times_its_weight(void** state) {
  (void)state;
  const double depth = 2 * 9.81 / 4000; // four corners, far deeper than the ground is smooth
  char text[600];
  snprintf(text, sizeof text,
           "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
           "joints: {j: {type: planar, child: b, axis: x, second_axis: z}}\n"
           "initial: {j: {position: [0, %.17g], velocity: [2, 0]}}\n"
           "grounds: {g: {points: [{body: b, at: [0, 0, 0]}], stiffness: 4000, friction: 0.6, "
           "slip: 5 cm/s, smooth: 0.1 mm}}\n",
           -sqrt(depth * depth - 0.9e-8));
  world w = start(text);
  const double before = fallen(w.d->qd[0], 0.05);
  step_to(&w, LB_INTEGRATOR_RK4, 1e-3, 0.25);
  print_message("%.6g m/s^2, mu g = %.6g\n", (2 - w.d->qd[0]) / 0.25, 0.6 * 9.81);
  assert_near(before - fallen(w.d->qd[0], 0.05), 0.6 * 9.81 * 0.25, 1e-6);
  assert_near((2 - w.d->qd[0]) / 0.25, 0.6 * 9.81, 0.01);
  stop(&w);
}

// --- derivatives ---

// What the motion needs less the forces.
static void residual(void* context, double* out, const double* q, const double* v) {
  const world* w = context;
  memcpy(w->d->q, q, (size_t)w->m->nq * sizeof *q);
  memcpy(w->d->qd, v, (size_t)w->m->nv * sizeof *v);
  lb_kinematics(w->m, w->d, w->d->q, w->d->qd);
  lb_forces_apply(w->m, w->d);
  lb_rnea_forced(w->m, w->d, out, w->d->q, w->d->qd, w->d->qdd);
  for (int k = 0; k < w->m->nv; k++) {
    out[k] -= w->d->work->tau[k];
  }
}

// Two balls of a turning body, one a little above the plane and one within it.
static void derivatives_are_those_of_differences(void** state) {
  (void)state;
  enum { NV = 6 };
  world w =
      start("bodies: {b: {mass: 2, inertia: [0.3, 0.2, 0.4]}}\n"
            "grounds: {g: {points: [{body: b, at: [0.1, 0, 0], radius: 5 cm},\n"
            "  {body: b, at: [-0.1, 0.05, 0.01], radius: 4 cm}], stiffness: 9e3, exponent: 1.5,\n"
            "  dissipation: 2, friction: 0.7, slip: 0.2, smooth: 8 mm, smooth_speed: 0.1}}\n"
            "initial: {b: {position: [0, 0, 4.6 cm], rotation: [3, 5, 20], velocity: [0.3, "
            "0.1, 0.4], spin: [0.5, 0.4, -0.6]}}\n");
  double q[NV + 1], v[NV], needed[NV], reference[NV * NV];
  lb_derivatives* D;
  assert_int_equal(lb_derivatives_create(w.m, NULL, &D, NULL), LB_OK);
  memcpy(q, w.d->q, sizeof q);
  memcpy(v, w.d->qd, sizeof v);
  for (int k = 0; k < NV; k++) {
    w.d->qdd[k] = 0.1 * k - 0.5;
  }
  residual(&w, needed, q, v);
  lb_derive_forced(D, w.d);
  difference(w.m, residual, &w, NV, q, v, true, 1e-5, reference);
  assert_matrix_near(NV * NV, reference, D->tau_q, 1e-8);
  difference(w.m, residual, &w, NV, q, v, false, 1e-4, reference);
  assert_matrix_near(NV * NV, reference, D->tau_qd, 1e-8);
  lb_derivatives_release(D);
  stop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_force_is_that_of_opensim),
      cmocka_unit_test(a_ball_at_rest_sinks_in_as_deep_as_its_weight_says),
      cmocka_unit_test(energy_is_kept_without_dissipation),
      cmocka_unit_test(a_bounce_loses_what_its_equation_and_hunt_and_crossley_say),
      cmocka_unit_test(a_sliding_block_is_slowed_by_the_friction_coefficient_times_its_weight),
      cmocka_unit_test(derivatives_are_those_of_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
