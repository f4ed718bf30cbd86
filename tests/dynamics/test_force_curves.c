// Springs of every force curve, cables, grounds and drag against closed forms, conserved
// quantities, and the same scene in maximal coordinates.
#include "dynamics/force/force_curve.h"
#include "forced_world.h"

// --- force curves ---

// The slope is the derivative of the force, the force that of the energy.
static void forces_of_a_curve_are_slopes_of_its_energy(void** state) {
  (void)state;
  static const double stretch[] = {-0.3, -0.1, 0.2, 0.5}, force[] = {-4, -1, 1, 9};
  const lb_force_curve curves[] = {{0},
                                   {.exponent = 1},
                                   {.exponent = 2.5},
                                   {.slack = true},
                                   {.exponent = 3, .slack = true},
                                   {.count = 4, .stretch = stretch, .force = force},
                                   {.count = 4, .stretch = stretch, .force = force, .slack = true}};
  const double h = 1e-4;
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
    assert_near(lb_force_curve_energy(&curves[i], 30, 0), 0, 1e-15);
    for (double s = -0.75; s < 0.8; s += 0.0611) {
      const lb_pull at = lb_force_curve_pull(&curves[i], 30, s);
      const double up = lb_force_curve_energy(&curves[i], 30, s + h),
                   down = lb_force_curve_energy(&curves[i], 30, s - h);
      assert_near((up - down) / (2 * h), at.force, 1e-6);
      assert_near((lb_force_curve_pull(&curves[i], 30, s + h).force -
                   lb_force_curve_pull(&curves[i], 30, s - h).force) /
                      (2 * h),
                  at.slope, 1e-6);
    }
  }
}

static void laws_say_what_their_numbers_mean(void** state) {
  (void)state;
  static const double stretch[] = {0, 0.1, 0.2}, force[] = {0, 2, 10};
  const lb_force_curve table = {.count = 3, .stretch = stretch, .force = force};
  assert_near(lb_force_curve_pull(&(lb_force_curve){.exponent = 2}, 100, -0.2).force, -4, 1e-14);
  assert_near(lb_force_curve_pull(&(lb_force_curve){.slack = true}, 100, -0.2).force, 0, 1e-15);
  assert_near(lb_force_curve_pull(&table, 0, 0.05).force, 1, 1e-14);
  assert_near(lb_force_curve_pull(&table, 0, 0.3).force, 18, 1e-13);
  assert_near(lb_force_curve_energy(&table, 0, 0.2), 0.1 + 0.6, 1e-14);
}

// m x'' = -k x^3 has the period 4 int_0^1 dx/sqrt(1-x^4) sqrt(2 m/(k A^2)) from the amplitude A.
static void a_cubic_spring_swings_with_the_period_of_the_elliptic_integral(void** state) {
  (void)state;
  world w = start("gravity: [0, 0, 0]\n"
                  "bodies: {b: {mass: 2, shape: {sphere: {radius: 0.1}}}}\n"
                  "joints: {j: {type: prismatic, child: b, axis: x}}\n"
                  "springs: {s: {from: {at: [-5, 0, 0]}, to: {body: b}, stiffness: 50,\n"
                  "              exponent: 3, length: 5}}\n"
                  "initial: {j: {position: 0.4}}\n");
  const double quarter = 1.3110287771460599; // of the lemniscate
  const double period = 4 * quarter * sqrt(2 * 2 / (50 * 0.4 * 0.4));
  step_to(&w, LB_INTEGRATOR_RK8, period / 400, period);
  assert_near(w.d->q[0], 0.4, 1e-10);
  assert_near(w.d->qd[0], 0, 1e-8);
  stop(&w);
}

// --- cables ---

// Two weights on slides, one cable over two eyelets: both feel the same tension.
static const char ATWOOD[] =
    "bodies:\n"
    "  a: {mass: 3, shape: {sphere: {radius: 0.1}}}\n"
    "  b: {mass: 1, shape: {sphere: {radius: 0.1}}}\n"
    "joints:\n"
    "  left: {type: prismatic, child: a, at: [-1, 0, 0], axis: z}\n"
    "  right: {type: prismatic, child: b, at: [1, 0, 0], axis: z}\n"
    "cables:\n"
    "  rope: {through: [{body: a}, {at: [-1, 0, 3]}, {at: [1, 0, 3]}, {body: b}], stiffness: 200,\n"
    "         length: 7.9}\n";

static void a_cable_pulls_both_ends_with_one_tension(void** state) {
  (void)state;
  world w = start(ATWOOD);
  lb_forward(w.m, w.d);
  assert_near(w.d->qdd[0], 200 * 0.1 / 3 - 9.81, 1e-12);
  assert_near(w.d->qdd[1], 200 * 0.1 - 9.81, 1e-12);
  assert_near(lb_potential_energy(w.m, w.d), 0.5 * 200 * 0.01, 1e-12);
  w.d->q[0] = 0.15; // short: slack
  lb_forward(w.m, w.d);
  assert_near(w.d->qdd[0], -9.81, 1e-12);
  assert_near(w.d->qdd[1], -9.81, 1e-12);
  stop(&w);
}

// F = k s (1 + d ds/dt): what OpenSim's path springs do.
static void a_cable_with_dissipation_pulls_more_when_it_lengthens(void** state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, "%.*s, dissipation: 2}\n", (int)(strlen(ATWOOD) - 2), ATWOOD);
  world w = start(text);
  w.d->qd[0] = -0.3; // lengthens
  lb_forward(w.m, w.d);
  assert_near(w.d->qdd[0], 200 * 0.1 * (1 + 2 * 0.3) / 3 - 9.81, 1e-12);
  w.d->qd[0] = 0.6; // so fast that it would push
  lb_forward(w.m, w.d);
  assert_near(w.d->qdd[0], -9.81, 1e-12);
  stop(&w);
}

static void weights_on_a_cable_fall_as_atwood_says(void** state) {
  (void)state;
  world w = start(ATWOOD);
  step_to(&w, LB_INTEGRATOR_RK8, 1e-4, 0.5);
  // the tension cancels in m1 q1'' - m2 q2'' = -(m1 - m2) g
  assert_near(3 * w.d->q[0] - w.d->q[1], -0.5 * (3 - 1) * 9.81 * 0.25, 1e-10);
  stop(&w);
}

static const char FLOATING[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 3, inertia: [0.1, 0.12, 0.15]}\n"
    "  b: {mass: 1, inertia: [0.03, 0.02, 0.04], position: [1, 0.2, 0]}\n"
    "  c: {mass: 2, inertia: [0.05, 0.05, 0.06], position: [0.3, 1, 0.4]}\n"
    "cables:\n"
    "  ring: {through: [{body: a, at: [0.1, 0, 0]}, {body: b, at: [0, 0.2, 0]},\n"
    "                   {body: c, at: [0, 0, 0.1]}, {body: a, at: [0, 0.1, 0.1]}],\n"
    "         stiffness: 40, length: 2.2, exponent: 1.5}\n"
    "springs:\n"
    "  guide: {from: {body: a}, to: {body: c, at: [0.1, 0, 0]}, along: [0.6, 0, 0.8],\n"
    "          stiffness: 25, length: 0.2}\n"
    "  band: {from: {body: b}, to: {body: c}, length: 0.3,\n"
    "         table: [[0 m, 0 N], [0.5 m, 2 N], [1 m, 9 N]]}\n"
    "initial:\n"
    "  a: {spin: [1, 2, -1]}\n"
    "  b: {velocity: [0, 0.5, 1]}\n"
    "  c: {spin: [0, -3, 1], velocity: [-0.2, 0, 0]}\n";

static void floating_bodies_keep_energy_and_momentum(void** state) {
  (void)state;
  world w = start(FLOATING);
  const double before = energy(&w);
  const lb_momenta p = lb_momentum(w.m, w.d);
  step_to(&w, LB_INTEGRATOR_RK8, 1e-3, 2);
  const lb_momenta q = lb_momentum(w.m, w.d);
  assert_near(lb_vec3_norm(lb_vec3_sub(p.linear, q.linear)), 0, 1e-11);
  assert_near(lb_vec3_norm(lb_vec3_sub(p.angular, q.angular)), 0, 1e-11);
  assert_near(energy(&w), before, 1e-6); // stiffness jumps at the table's rows
  stop(&w);
}

// --- drag ---

static void a_falling_body_tends_to_the_speed_of_its_drag(void** state) {
  (void)state;
  world w = start("bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], drag: 3, turn_drag: 0.05}}\n"
                  "initial: {b: {spin: [0, 0, 4]}}\n");
  step_to(&w, LB_INTEGRATOR_RK8, 1e-3, 1);
  assert_near(w.d->qd[2], 4 * exp(-0.05 / 0.1), 1e-12);
  assert_near(w.d->qd[5], -2 * 9.81 / 3 * (1 - exp(-1.5)), 1e-12);
  stop(&w);
}

// m v' = m g - c v^2 from rest: v = w tanh(g t/w), w = sqrt(m g/c).
static void a_falling_body_tends_to_the_speed_of_its_drag_in_air(void** state) {
  (void)state;
  world w = start("bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], air_drag: 0.3}}\n");
  step_to(&w, LB_INTEGRATOR_RK8, 1e-3, 1);
  const double most = sqrt(2 * 9.81 / 0.3);
  assert_near(w.d->qd[5], -most * tanh(9.81 / most), 1e-12);
  stop(&w);
}

// --- grounds ---

static void a_weight_sinks_in_by_its_weight_over_the_stiffness(void** state) {
  (void)state;
  world w =
      start("bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1 mm]}}\n"
            "grounds: {g: {points: [{body: b, at: [0.1, 0, 0]}, {body: b, at: [-0.1, 0, 0]},\n"
            "                       {body: b, at: [0, 0.1, 0]}, {body: b, at: [0, -0.1, 0]}],\n"
            "              stiffness: 4000, dissipation: 5, friction: 0.5}}\n");
  step_to(&w, LB_INTEGRATOR_BDF1, 1e-3, 5);
  assert_near(w.d->q[2], -2 * 9.81 / 16000, 1e-9);
  assert_near(w.d->qd[5], 0, 1e-9);
  stop(&w);
}

static void a_ball_bounces_back_to_where_it_came_from_without_dissipation(void** state) {
  (void)state;
  world w = start("bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.2]}}\n"
                  "grounds: {g: {points: [{body: b, at: [0, 0, 0]}], stiffness: 4000}}\n");
  const double before = energy(&w);
  // down, through the ground in part of a swing about its rest, and up again
  const double rest = 2 * 9.81 / 4000, omega = sqrt(2000), v = sqrt(2 * 9.81 * 0.2);
  const double below = (acos(-1.0) + 2 * atan(rest * omega / v)) / omega;
  const double whole = 2 * v / 9.81 + below;
  step_to(&w, LB_INTEGRATOR_RK8, whole / 20000, whole);
  assert_near(w.d->q[2], 0.2, 1e-6);
  assert_near(energy(&w), before, 1e-6);
  stop(&w);
}

// By a power: m g = k s^(3/2), and m v^2/2 + m g s = 2/5 k s^(5/2) where it turns back.
static void a_ball_sinks_in_by_the_power_of_its_ground(void** state) {
  (void)state;
  world w =
      start("bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1 mm]}}\n"
            "grounds: {g: {points: [{body: b, at: [0, 0, 0]}], stiffness: 9e4, exponent: 1.5,\n"
            "              dissipation: 5}}\n");
  step_to(&w, LB_INTEGRATOR_BDF1, 1e-3, 5);
  assert_near(w.d->q[2], -pow(2 * 9.81 / 9e4, 2.0 / 3), 1e-9);
  stop(&w);
  w = start("bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.2]}}\n"
            "grounds: {g: {points: [{body: b, at: [0, 0, 0]}], stiffness: 9e4, exponent: 1.5}}\n");
  const double before = energy(&w);
  double deepest = 0;
  for (int i = 0; i < 30; i++) {
    step_to(&w, LB_INTEGRATOR_RK8, 1e-5, 0.01);
    deepest = fmin(deepest, w.d->q[2]);
    assert_near(energy(&w), before, 1e-8);
  }
  assert_below(deepest, -5e-3);
  stop(&w);
}

// m g sin a = mu N v/sqrt(v^2 + slip^2) with N = m g cos a.
static void a_block_on_a_slope_creeps_as_predicted(void** state) {
  (void)state;
  const double a = 0.4, t = tan(a) / 0.8, depth = 2 * 9.81 * cos(a) / 1000;
  char text[600];
  snprintf(text, sizeof text,
           "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
           "joints: {j: {type: prismatic, child: b, axis: [%.17g, 0, %.17g]}}\n"
           "grounds: {g: {points: [{body: b, at: [0, 0, 0]}], at: [%.17g, 0, %.17g], normal: "
           "[%.17g, 0, %.17g],\n"
           "              stiffness: 1000, friction: 0.8, slip: 1 cm/s}}\n",
           cos(a), -sin(a), depth * sin(a), depth * cos(a), sin(a), cos(a));
  world w = start(text);
  step_to(&w, LB_INTEGRATOR_RK4, 1e-4, 1);
  assert_near(w.d->qd[0], 0.01 * t / sqrt(1 - t * t), 1e-9);
  stop(&w);
}

// A ball named by its body alone rolls with 5/7 g sin a: what rubs is its surface.
static void a_ball_rolls_down_a_slope(void** state) {
  (void)state;
  const double a = 0.2;
  char text[600];
  snprintf(text, sizeof text,
           "gravity: [%.17g, 0, %.17g]\n"
           "bodies: {b: {shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}}\n"
           "grounds: {g: {points: [{body: b}], stiffness: 1e5, dissipation: 10, friction: 0.9,\n"
           "              slip: 0.1 mm/s}}\n",
           9.81 * sin(a), -9.81 * cos(a));
  world w = start(text);
  const double depth = w.m->link.mass[0].mass * 9.81 * cos(a) / 1e5;
  step_to(&w, LB_INTEGRATOR_BDF2, 1e-3, 1);
  print_message("%g m/s\n", w.d->qd[3]);
  const lb_vec3 v = lb_quat_rotate((lb_quat){w.d->q[3], w.d->q[4], w.d->q[5], w.d->q[6]},
                                   lb_vec3_make(w.d->qd[3], w.d->qd[4], w.d->qd[5]));
  assert_near(w.d->q[2], 0.1 - depth, 1e-6);
  assert_near(v.x, 5.0 / 7 * 9.81 * sin(a), 2e-3);
  stop(&w);
}

// Each named by its body alone: what stands on the floor is the lowest of its shapes.
static void bodies_stand_on_their_shapes(void** state) {
  (void)state;
  static const struct {
    const char* shape;
    double height;
  } of[] = {{"sphere: {radius: 0.1}", 0.1},
            {"capsule: {radius: 0.1, from: [0, 0, -0.2], to: [0, 0, 0.3]}", 0.3},
            {"box: [0.2, 0.4, 0.6]", 0.3},
            {"cylinder: {radius: 0.2, length: 0.5}", 0.25},
            {"ellipsoid: {radii: [0.2, 0.3, 0.15]}", 0.15}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "bodies: {b: {shape: {%s}}}\n"
             "joints: {j: {type: prismatic, child: b, axis: z, at: [0, 0, 1]}}\n"
             "constraints: {f: {floor: {body: b}}}\n",
             of[i].shape);
    world w = start(text);
    step_to(&w, LB_INTEGRATOR_EULER, 1e-3, 1);
    print_message("%s: %g\n", of[i].shape, 1 + w.d->q[0]);
    assert_near(1 + w.d->q[0], of[i].height, 1e-6);
    stop(&w);
  }
}

// --- the same in maximal coordinates, by every implicit scheme ---

static const char ARM[] =
    "bodies:\n"
    "  upper: {mass: 2, center: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05], drag: 0.4, turn_drag: "
    "0.1}\n"
    "  fore: {mass: 1, center: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: upper, at: [0, 0, 1], axis: y}\n"
    "  elbow: {type: universal, parent: upper, child: fore, at: [0.4, 0, 0], axis: y}\n"
    "cables:\n"
    "  tendon: {through: [{at: [0, 0, 1.3]}, {body: upper, at: [0.3, 0, 0.1]}, {body: fore, at: "
    "[0.2, 0.1, 0]}],\n"
    "           stiffness: 300, damping: 2, length: 0.6}\n"
    "springs:\n"
    "  rail: {from: {body: upper}, to: {body: fore, at: [0.3, 0, 0]}, along: z, stiffness: 20, "
    "damping: 1}\n"
    "grounds:\n"
    "  floor: {points: [{body: fore, at: [0.4, 0, 0]}], at: [0, 0, 0.9], stiffness: 800, "
    "dissipation: 0.5, friction: 0.4, slip: 20 cm/s}\n";

static lb_vec3 hand(lb_coordinates coordinates, lb_integrator integrator, double h) {
  world w = {.m = model_of(ARM, coordinates)};
  assert_int_equal(lb_data_create(w.m, NULL, &w.d, NULL), LB_OK);
  step_to(&w, integrator, h, 0.3);
  lb_poses(w.m, w.d);
  const lb_vec3 p = lb_transform_point(w.d->pose[1], (lb_vec3){0.4, 0, 0});
  stop(&w);
  return p;
}

static void forces_move_an_arm_alike_in_maximal_coordinates(void** state) {
  (void)state;
  const lb_vec3 exact = hand(LB_COORDINATES_REDUCED, LB_INTEGRATOR_RK8, 2.5e-4);
  const lb_vec3 maximal = hand(LB_COORDINATES_MAXIMAL, LB_INTEGRATOR_RK8, 2.5e-4);
  assert_near(lb_vec3_norm(lb_vec3_sub(exact, maximal)), 0, 1e-8);
  static const lb_integrator schemes[] = {LB_INTEGRATOR_LINEAR_EULER, LB_INTEGRATOR_BDF1,
                                          LB_INTEGRATOR_BDF2, LB_INTEGRATOR_SDIRK2};
  static const double most[] = {5e-3, 5e-3, 1e-4, 1e-5};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++) {
      const lb_vec3 p = hand(k ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED, schemes[i], 5e-4);
      const double off = lb_vec3_norm(lb_vec3_sub(p, exact));
      print_message("%s, %s: off by %.2g m\n", lb_integrator_name(schemes[i]),
                    k ? "maximal" : "reduced", off);
      assert_below(off, most[i]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_a_curve_are_slopes_of_its_energy),
      cmocka_unit_test(laws_say_what_their_numbers_mean),
      cmocka_unit_test(a_cubic_spring_swings_with_the_period_of_the_elliptic_integral),
      cmocka_unit_test(a_cable_pulls_both_ends_with_one_tension),
      cmocka_unit_test(weights_on_a_cable_fall_as_atwood_says),
      cmocka_unit_test(a_cable_with_dissipation_pulls_more_when_it_lengthens),
      cmocka_unit_test(floating_bodies_keep_energy_and_momentum),
      cmocka_unit_test(a_falling_body_tends_to_the_speed_of_its_drag),
      cmocka_unit_test(a_falling_body_tends_to_the_speed_of_its_drag_in_air),
      cmocka_unit_test(a_weight_sinks_in_by_its_weight_over_the_stiffness),
      cmocka_unit_test(a_ball_sinks_in_by_the_power_of_its_ground),
      cmocka_unit_test(a_ball_bounces_back_to_where_it_came_from_without_dissipation),
      cmocka_unit_test(a_block_on_a_slope_creeps_as_predicted),
      cmocka_unit_test(a_ball_rolls_down_a_slope),
      cmocka_unit_test(bodies_stand_on_their_shapes),
      cmocka_unit_test(forces_move_an_arm_alike_in_maximal_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
