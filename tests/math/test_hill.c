// Hill-type muscles: tables of their sources, identities between forward and inverse, derivatives,
// and answers at the ends of all ranges.
#include "math/muscle/hill.h"

#include "test.h"

enum { KINDS = 4 }; // Millard, Thelen, Millard undamped, Thelen early
static lb_hill_curves CURVES[KINDS];

static int make_curves(void** state) {
  (void)state;
  const lb_thelen_shape thelen = lb_thelen_shape_default();
  lb_thelen_curves(&CURVES[1], &thelen);
  lb_thelen_curves(&CURVES[3], &thelen);
  CURVES[3].kind = LB_HILL_EARLY;
  for (int k = 0; k < KINDS; k += 2) {
    const lb_millard_shape millard = lb_millard_shape_default(k == 2);
    const char* what;
    if (!lb_millard_curves(&CURVES[k], &millard, &what) || what) {
      return 1;
    }
  }
  return 0;
}

// A muscle of one of the KINDS.
static lb_hill muscle(int kind, double force, double fiber, double slack, double pennation) {
  lb_hill h = lb_hill_default(CURVES[kind].kind, force, fiber, slack);
  h.damping = kind == 2 ? 0 : h.damping;
  h.width = sin(pennation);
  h.curves = &CURVES[kind];
  return h;
}

// --- curves ---

static void millard_curves_have_their_published_values(void** state) {
  (void)state;
  const lb_hill h = muscle(0, 1, 1, 1, 0);
  const lb_hill_type* type = LB_HILL_TYPE[LB_HILL_MILLARD];
  const double active[][2] = {{0.5, 0.0985}, {0.9, 0.9568}, {1.2, 0.8237}, {1.5, 0.4033}};
  const double velocity[][2] = {{-0.5, 0.1581}, {-0.1, 0.6252}, {0.1, 1.2252}, {0.5, 1.3311}};
  const double passive[][2] = {{1.2, 0.0497}, {1.5, 0.4603}};
  const double tendon[][2] = {{1.01, 0.0997}, {1.03, 0.4794}};
  for (int i = 0; i < 4; i++) {
    assert_near(type->active(h.curves, active[i][0]).y, active[i][1], 1e-4);
    assert_near(type->velocity(h.curves, velocity[i][0]).y, velocity[i][1], 1e-4);
  }
  for (int i = 0; i < 2; i++) {
    assert_near(type->passive(h.curves, passive[i][0]).y, passive[i][1], 1e-4);
    assert_near(type->tendon(h.curves, tendon[i][0]).y, tendon[i][1], 1e-4);
  }
}

static void curves_pass_through_the_points_that_define_them(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    const lb_hill h = muscle(kind, 1, 1, 1, 0);
    const lb_hill_type* type = LB_HILL_TYPE[h.kind];
    assert_near(type->active(h.curves, 1).y, 1, 1e-14);
    assert_near(type->active(h.curves, 1).slope, 0, 1e-13);
    assert_near(type->velocity(h.curves, 0).y, 1, 1e-14);
    assert_near(type->velocity(h.curves, -1).y, 0, 1e-14);
    assert_near(type->passive(h.curves, 1).y, 0, 1e-14);
    assert_near(type->passive(h.curves, kind == 1 ? 1.6 : 1.7).y, 1, 1e-13);
    assert_near(type->tendon(h.curves, 1).y, 0, 1e-14);
    assert_near(type->tendon(h.curves, kind == 1 ? 1.04 : 1.049).y, 1, 1e-13);
  }
}

// f_pe = exp(k ((l - 1)/e0 - 1)) everywhere; the tendon bears a third at its toe, 1.0027 at e_o.
static void early_curves_have_their_own_passive_force_and_tendon(void** state) {
  (void)state;
  const lb_hill h = muscle(3, 1, 1, 1, 0);
  const lb_hill_type* type = LB_HILL_TYPE[h.kind];
  assert_near(type->passive(h.curves, 1.6).y, 1, 1e-14);
  assert_near(type->passive(h.curves, 1).y, exp(-5), 1e-15);
  assert_near(type->passive(h.curves, 0.7).y, exp(-7.5), 1e-15);
  assert_near(type->passive(h.curves, 1.9).y, 1 + 0.3 * 5 / 0.6, 1e-14);
  assert_near(type->tendon(h.curves, 1).y, 0, 1e-15);
  assert_near(type->tendon(h.curves, 1 + 0.609 * 0.04).y, 1.0 / 3, 1e-13);
  assert_near(type->tendon(h.curves, 1.04).y, 1.0 / 3 + 1.712 * 0.391, 1e-13);
  assert_near(type->slowing(0).y, 0.5, 0);
  assert_near(type->slowing(1).y, 1, 0);
  assert_near(h.damping, 0.05, 0);
}

// Thelen's own formula, speed by force: the curve is its inverse.
static void thelen_velocity_curve_inverts_his_formula(void** state) {
  (void)state;
  const lb_hill h = muscle(1, 1, 1, 1, 0);
  const double A = 0.25, F = 1.4;
  lb_random r = {3};
  for (int i = 0; i < 1000; i++) {
    const double a = lb_random_between(&r, 0.01, 1), l = lb_random_between(&r, 0.5, 1.5);
    const double fl = exp(-(l - 1) * (l - 1) / 0.45);
    const double f = lb_random_between(&r, 0, 0.95 * F) * a * fl;
    const double b = f <= a * fl ? a * fl + f / A : (2 + 2 / A) * (a * fl * F - f) / (F - 1);
    const double v = (0.25 + 0.75 * a) * (f - a * fl) / b;
    assert_near(lb_hill_fiber_at(&h, a, l, v).active, f, 1e-13);
  }
}

typedef lb_curve_value curve(const lb_hill_curves* c, double x);

// Richardson's extrapolation of central differences, of fourth order. `which`: 0 of the value, 1 of
// the slope.
static double differ(curve* f, const lb_hill_curves* c, double x, int which) {
  double d[2];
  for (int i = 0; i < 2; i++) {
    const double e = 2e-5 / (1 + i);
    const lb_curve_value p = f(c, x + e), m = f(c, x - e);
    d[i] = (which ? p.slope - m.slope : p.y - m.y) / (2 * e);
  }
  return (4 * d[1] - d[0]) / 3;
}

static void curve_derivatives_match_differences(void** state) {
  (void)state;
  lb_random r = {4};
  for (int kind = 0; kind < KINDS; kind++) {
    const lb_hill h = muscle(kind, 1, 1, 1, 0);
    const lb_hill_type* type = LB_HILL_TYPE[h.kind];
    curve* const of[] = {type->active, type->velocity, type->passive, type->tendon};
    const double range[][2] = {{0.3, 2}, {-1.3, 1.3}, {0.8, 2}, {0.99, 1.08}};
    // where pieces meet the third derivative jumps, and Thelen's have kinks
    const double joints[][6] = {{0.4441, 0.58705, 0.84, 1, 1.43115, 1.8123},
                                {-1, -0.9, 0, 0.9, 1, NAN},
                                {1, 1.035, 1.07, 1.7, 1.6, 1},
                                {1, 1.0202, 1.0371, 1, 1.02436, 1}};
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < 400; i++) {
        const double x = lb_random_between(&r, range[k][0], range[k][1]);
        const lb_curve_value v = of[k](h.curves, x);
        bool near = false;
        for (int j = 0; j < 6; j++) {
          near = near || fabs(x - joints[k][j]) < 3e-3;
        }
        if (near) {
          continue;
        }
        const double scale =
            k == 3 ? 1000 : 1; // the tendon's own stiffness is 50 times the others'
        assert_near(v.slope, differ(of[k], h.curves, x, 0), 1e-8 * (k == 3 ? 10 : 1));
        assert_near(v.bend / scale, differ(of[k], h.curves, x, 1) / scale, 1e-8);
      }
    }
  }
}

static void force_velocity_inverse_inverts(void** state) {
  (void)state;
  lb_random r = {5};
  for (int kind = 0; kind < KINDS; kind++) {
    const lb_hill h = muscle(kind, 1, 1, 1, 0);
    const lb_hill_type* type = LB_HILL_TYPE[h.kind];
    const double low = kind == 0 ? 0 : -0.3, high = kind == 0 ? 1.4 : 1.8;
    for (int i = 0; i < 1000; i++) {
      const double f = lb_random_between(&r, low, high);
      assert_near(type->velocity(h.curves, type->velocity_inverse(h.curves, f)).y, f, 1e-13);
    }
  }
}

static void corners_whose_tangents_do_not_meet_are_refused(void** state) {
  (void)state;
  lb_hill_curves c;
  const char* what = NULL;
  lb_millard_shape s = lb_millard_shape_default(false);
  s.tendon[1] = 5; // below the mean stiffness
  assert_false(lb_millard_curves(&c, &s, &what));
  assert_string_equal(what, "tendon");
}

// Numbers of a scene reach the curves, of both kinds.
static void shapes_of_scenes_are_those_of_the_curves(void** state) {
  (void)state;
  const lb_scene_hill_shape none = {0};
  const lb_scene_hill_shape millard = {.active_from = 0.3,
                                       .active_to = 1.5957,
                                       .lengthening = 1.6,
                                       .isometric_slope = 4,
                                       .passive_strain = 0.5,
                                       .tendon_strain = 0.033};
  const lb_scene_hill_shape thelen = {.active_width = 0.5,
                                      .passive_exponent = 4,
                                      .passive_strain = 0.5,
                                      .lengthening = 1.8,
                                      .hyperbola = 0.3,
                                      .tendon_strain = 0.033};
  const lb_millard_shape of_millard = lb_millard_shape_of(&millard, false);
  const lb_thelen_shape of_thelen = lb_thelen_shape_of(&thelen);
  static lb_hill_curves m, t;
  assert_true(lb_millard_curves(&m, &of_millard, NULL));
  lb_thelen_curves(&t, &of_thelen);
  const lb_hill_type *M = LB_HILL_TYPE[LB_HILL_MILLARD], *T = LB_HILL_TYPE[LB_HILL_THELEN];
  assert_near(M->active(&m, 1.5957).y, 0, 1e-14);
  assert_above(M->active(&m, 1.59).y, 0);
  assert_near(M->active(&m, 0.3).y, 0, 1e-14);
  assert_near(M->velocity(&m, 1).y, 1.6, 1e-14);
  assert_near(M->velocity(&m, 0).slope, 4, 1e-12);
  assert_near(M->passive(&m, 1.5).y, 1, 1e-14);
  assert_near(M->passive(&m, 1.5).slope, 2 / 0.5, 1e-12);
  assert_near(M->tendon(&m, 1.033).y, 1, 1e-13);
  assert_near(M->tendon(&m, 1.033).slope, 1.375 / 0.033, 1e-10);
  assert_near(T->active(&t, 1.3).y, exp(-0.09 / 0.5), 1e-15);
  assert_near(T->passive(&t, 1.5).y, 1, 1e-14);
  assert_near(T->passive(&t, 1.25).y, expm1(2) / expm1(4), 1e-14);
  assert_near(T->velocity(&t, -0.5).y, 0.5 / (1 + 0.5 / 0.3), 1e-15);
  assert_near(T->velocity(&t, 1e-9).slope, (2 + 2 / 0.3) / 0.8 * 0.8, 1e-6);
  assert_near(T->tendon(&t, 1.033).y, 1, 2e-3); // his constants are rounded
  assert_null(lb_hill_shape_stranger(LB_HILL_MILLARD, &millard));
  assert_null(lb_hill_shape_stranger(LB_HILL_THELEN, &thelen));
  assert_string_equal(lb_hill_shape_stranger(LB_HILL_THELEN, &millard), "active_from");
  assert_string_equal(lb_hill_shape_stranger(LB_HILL_MILLARD, &thelen), "active_width");
  const lb_millard_shape own = lb_millard_shape_of(&none, true),
                         standard = lb_millard_shape_default(true);
  assert_memory_equal(&own, &standard, sizeof own);
}

// --- activation ---

static void activation_rate_has_its_time_constants(void** state) {
  (void)state;
  const lb_hill h = muscle(1, 1, 1, 1, 0);
  assert_near(lb_activation_rate_at(&h, 0.5, 1).rate, 0.5 / (0.015 * 1.25), 1e-14);
  assert_near(lb_activation_rate_at(&h, 0.5, 0.1).rate, -0.4 * 1.25 / 0.05, 1e-14);
  assert_near(lb_activation_rate_at(&h, 0.5, -3).rate, -0.49 * 1.25 / 0.05, 1e-14);
}

static void activation_derivatives_match_differences(void** state) {
  (void)state;
  lb_random r = {6};
  const lb_hill h = muscle(0, 1, 1, 1, 0);
  for (int i = 0; i < 1000; i++) {
    const double a = lb_random_between(&r, 0.01, 1), u = lb_random_between(&r, 0.02, 0.99);
    const double e = 1e-5, dt = pow(10, lb_random_between(&r, -4, 0));
    if (fabs(u - a) < 2e-3) {
      continue;
    }
    const lb_activation_rate x = lb_activation_rate_at(&h, a, u),
                             s = lb_activation_step(&h, a, u, dt);
#define DIFFERENCE(f, A, U) ((f(1, A, U)).rate - (f(-1, A, U)).rate) / (2 * e)
#define RATE(k, A, U) lb_activation_rate_at(&h, a + (k) * (A)*e, u + (k) * (U)*e)
#define STEP(k, A, U) lb_activation_step(&h, a + (k) * (A)*e, u + (k) * (U)*e, dt)
    assert_near(x.by_a, DIFFERENCE(RATE, 1, 0), 1e-8);
    assert_near(x.by_u, DIFFERENCE(RATE, 0, 1), 1e-8);
    assert_near(s.by_a, DIFFERENCE(STEP, 1, 0), 1e-8);
    assert_near(s.by_u, DIFFERENCE(STEP, 0, 1), 1e-8);
    // the step is implicit
    assert_near(s.rate, a + dt * lb_activation_rate_at(&h, s.rate, u).rate, 1e-12);
  }
}

static void activation_stays_in_its_range_for_any_step(void** state) {
  (void)state;
  lb_random r = {7};
  const lb_hill h = muscle(0, 1, 1, 1, 0);
  for (int i = 0; i < 1000; i++) {
    const double a = lb_random_between(&r, 0.01, 1), u = lb_random_between(&r, -1, 2);
    const double x = lb_activation_step(&h, a, u, pow(10, lb_random_between(&r, -9, 9))).rate;
    assert_at_least(x, 0.01 - 1e-15);
    assert_at_most(x, 1 + 1e-15);
  }
}

// --- equilibrium ---

// OpenSim's Tug of War: two muscles of 1000 N, 0.1 m and 0.2 m pull at a block.
static void tug_of_war_is_in_equilibrium(void** state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    const lb_hill h = muscle(kind, 1000, 0.1, 0.2, 0);
    for (int i = 0; i <= 20; i++) {
      const double a = 0.01 + 0.0495 * i, L = 0.3 + 0.002 * i;
      const lb_hill_force f = lb_hill_force_ahead(&h, a, h.fiber, 0, L, 0, h.fiber);
      const lb_hill_fiber fiber = lb_hill_fiber_at(&h, a, f.fiber / h.fiber, 0);
      assert_near(f.force / h.force, fiber.f, 1e-12);
      assert_near(lb_hill_force_at(&h, a, f.fiber, L, 0).force / h.force, fiber.f, 1e-12);
      assert_at_most(fabs(f.residual), 1e-12);
      // nothing moves
      assert_at_most(fabs(lb_hill_fiber_speed(&h, a, f.fiber, L).speed), 1e-9);
    }
  }
}

typedef lb_hill_force force(const lb_hill* h, const double x[5]);

static force ahead, at, rigid;
static lb_hill_force ahead(const lb_hill* h, const double x[5]) {
  return lb_hill_force_ahead(h, x[0], x[1], x[4], x[2], x[3], x[1]);
}
static lb_hill_force at(const lb_hill* h, const double x[5]) {
  return lb_hill_force_at(h, x[0], x[1], x[2], x[3]);
}
static lb_hill_force rigid(const lb_hill* h, const double x[5]) {
  lb_hill stiff = *h;
  stiff.rigid = true;
  return lb_hill_force_at(&stiff, x[0], x[1], x[2], x[3]);
}

static lb_hill_force moved(force* f, const lb_hill* h, const double x[5], int k, double e) {
  double y[5];
  memcpy(y, x, sizeof y);
  y[k] += e;
  return f(h, y);
}

// Central differences of two widths: false where they say that a kink is in between.
static bool smooth(double one, double two, double scale) {
  return fabs(one - two) <= 3e-8 * scale;
}

static void force_derivatives_match_differences(void** state) {
  (void)state;
  force* const of[] = {ahead, at, rigid};
  lb_random r = {8};
  int compared = 0, all = 0;
  for (int i = 0; i < 3000; i++) {
    const lb_hill h = muscle(i % 3, 1000, 0.1, 0.2, (i / 3 % 3) * 0.4);
    const double a = lb_random_between(&r, 0.02, 1), l = lb_random_between(&r, 0.075, 0.15);
    const double x[5] = {a, l, lb_random_between(&r, 0.27, 0.33), lb_random_between(&r, -0.5, 0.5),
                         pow(10, lb_random_between(&r, 0, 4))};
    force* f = of[i / 9 % 3];
    const lb_hill_force F = f(&h, x);
    const double by[] = {F.by_a, F.by_l, F.by_length, F.by_rate};
    const double fiber_by[] = {F.fiber_by_a, F.fiber_by_l, F.fiber_by_length, 0};
    for (int k = 0; k < (f == ahead ? 3 : 4); k++) {
      const double e = k == 0 ? 2e-5 : 2e-6;
      double d[2], g[2];
      for (int j = 0; j < 2; j++) {
        const double s = e / (1 + j);
        const lb_hill_force p = moved(f, &h, x, k, s), m = moved(f, &h, x, k, -s);
        d[j] = (p.force - m.force) / (2 * s);
        g[j] = (p.fiber - m.fiber) / (2 * s);
      }
      const double scale = h.force / (k == 0 ? 1 : h.fiber) + fabs(by[k]);
      all++;
      if (smooth(d[0], d[1], 100 * scale)) { // no kink between
        compared++;
        assert_near(by[k] / scale, (4 * d[1] - d[0]) / 3 / scale, 1e-7);
        assert_near(fiber_by[k], (4 * g[1] - g[0]) / 3, 1e-7);
      }
    }
  }
  assert_above(compared, 0.95 * all);
}

static void fiber_speed_balances_and_has_its_derivatives(void** state) {
  (void)state;
  lb_random r = {9};
  int compared = 0;
  for (int i = 0; i < 2000; i++) {
    const lb_hill h = muscle(i % 3, 1000, 0.1, 0.2, (i / 3 % 3) * 0.4);
    const double a = lb_random_between(&r, 0.1, 1), l = lb_random_between(&r, 0.08, 0.13);
    const double x = sqrt(l * l - h.width * h.width * h.fiber * h.fiber);
    const double L = 0.2 + x + lb_random_between(&r, 0.001, 0.006);
    const lb_fiber_speed s = lb_hill_fiber_speed(&h, a, l, L);
    const double T = lb_hill_force_at(&h, a, l, L, 0).force;
    const lb_hill_fiber f = lb_hill_fiber_at(&h, a, l / h.fiber, s.speed / (h.speed * h.fiber));
    assert_near(f.f * x / l, T / h.force, 1e-12);
    const double e = 1e-6, unit = h.speed * h.fiber;
#define SPEED(A, l_, L_) (lb_hill_fiber_speed(&h, a + (A), l + (l_), L + (L_)).speed)
    const double da[] = {(SPEED(e, 0, 0) - SPEED(-e, 0, 0)) / (2 * e),
                         (SPEED(e / 2, 0, 0) - SPEED(-e / 2, 0, 0)) / e};
    const double dl[] = {(SPEED(0, e, 0) - SPEED(0, -e, 0)) / (2 * e),
                         (SPEED(0, e / 2, 0) - SPEED(0, -e / 2, 0)) / e};
    const double dL[] = {(SPEED(0, 0, e) - SPEED(0, 0, -e)) / (2 * e),
                         (SPEED(0, 0, e / 2) - SPEED(0, 0, -e / 2)) / e};
    const double got[] = {s.by_a, s.by_l, s.by_length};
    const double* const diff[] = {da, dl, dL};
    for (int k = 0; k < 3; k++) {
      const double scale = unit / (k ? h.fiber : 1) + fabs(got[k]);
      if (smooth(diff[k][0], diff[k][1], 30 * scale)) {
        compared++;
        assert_near(got[k] / scale, (4 * diff[k][1] - diff[k][0]) / 3 / scale, 1e-6);
      }
    }
  }
  assert_above(compared, 0.8 * 6000);
}

// Implicit steps of the fibre converge to its differential equation with order 1.
static void implicit_steps_follow_the_fibers_speed(void** state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) {
    const lb_hill h = muscle(kind, 1000, 0.1, 0.2, 0.3);
    const double a = 0.6, L = 0.295;
    double l = 0.09, exact = 0.09, error[2];
    const int fine = 200000;
    for (int i = 0; i < fine; i++) { // midpoint rule
      const double d = 0.01 / fine,
                   half = exact + d / 2 * lb_hill_fiber_speed(&h, a, exact, L).speed;
      exact += d * lb_hill_fiber_speed(&h, a, half, L).speed;
    }
    for (int k = 0; k < 2; k++) {
      const int n = 100 << k;
      l = 0.09;
      for (int i = 0; i < n; i++) {
        l = lb_hill_force_ahead(&h, a, l, n / 0.01, L, 0, l).fiber;
      }
      error[k] = fabs(l - exact);
    }
    assert_at_most(error[1], 1e-5);
    assert_near(error[0] / error[1], 2, 0.1);
  }
}

// Any activation, length, speed, pace, pennation and tendon: an answer, finite and not pushing.
static void every_state_has_an_answer(void** state) {
  (void)state;
  lb_random r = {10};
  int most = 0;
  double worst = 0;
  for (int i = 0; i < 200000; i++) {
    const double slack = i % 5 == 0 ? 0 : pow(10, lb_random_between(&r, -4, 1));
    const double pennation = i % 7 == 0   ? 0
                             : i % 7 == 1 ? acos(0.1)
                                          : lb_random_between(&r, 0, 1.5);
    const lb_hill h = muscle(i % 3, 1000, 0.1, slack, pennation);
    const double a = lb_random_between(&r, 0.01, 1);
    const double from = h.fiber * lb_random_between(&r, 0.3, 1.8);
    const double L =
        slack * lb_random_between(&r, 0.9, 1.1) + h.fiber * lb_random_between(&r, -0.5, 1.8);
    const double guess = i % 3 == 0 ? from : h.fiber * lb_random_between(&r, -1, 5);
    const double pace = i % 4 == 0 ? 0 : pow(10, lb_random_between(&r, -3, 6));
    const lb_hill_force f =
        lb_hill_force_ahead(&h, a, from, pace, L, lb_random_between(&r, -5, 5), guess);
    assert_true(isfinite(f.force) && isfinite(f.by_length) && isfinite(f.by_rate));
    assert_true(isfinite(f.fiber) && isfinite(f.by_a) && isfinite(f.by_l));
    assert_at_least(f.force, 0);
    assert_at_least(f.fiber, lb_hill_shortest(&h) * (1 - 1e-12));
    most = f.iterations > most ? f.iterations : most;
    if (f.fiber > lb_hill_shortest(&h) * (1 + 1e-12)) {
      worst = fmax(worst, fabs(f.residual) / (1 + f.force / h.force));
    }
    const lb_fiber_speed s =
        lb_hill_has_fiber(&h) ? lb_hill_fiber_speed(&h, a, from, L) : (lb_fiber_speed){0};
    assert_true(isfinite(s.speed) && isfinite(s.by_a) && isfinite(s.by_l) && isfinite(s.by_length));
  }
  printf("worst residual %.2g F_o, at most %d iterations\n", worst, most);
  assert_at_most(worst, 1e-8);
  assert_at_most(most, 100);
}

// A drive reaches the rates that excitations do, with no kink, and the excitation follows.
static void drives_are_excitations_at_their_ends(void** state) {
  (void)state;
  lb_random r = {21};
  for (int i = 0; i < 3000; i++) {
    const lb_hill h = muscle(i % 3, 1, 1, 1, 0);
    const double a = lb_random_between(&r, 0.01, 0.99), most = i % 4 ? 1 : fmin(1, a + 0.3),
                 e = 1e-6;
    const double u = lb_random_between(&r, h.least, most);
    const lb_activation_rate f = lb_activation_drive(&h, a, u, most);
    assert_near(lb_activation_drive(&h, a, most, most).rate,
                lb_activation_rate_at(&h, a, most).rate, 1e-9);
    assert_near(lb_activation_drive(&h, a, h.least, most).rate,
                lb_activation_rate_at(&h, a, h.least).rate, 1e-9);
    assert_above(f.by_u, 0);
    const double excitation = lb_activation_excitation(&h, a, f.rate);
    assert_near(lb_activation_rate_at(&h, a, excitation).rate, f.rate, 1e-9 * (1 + fabs(f.rate)));
    assert_true(excitation >= h.least - 1e-12 && excitation <= most + 1e-12);
    const double by_u = (lb_activation_drive(&h, a, u + e, most).rate -
                         lb_activation_drive(&h, a, u - e, most).rate) /
                        (2 * e);
    const double by_a = (lb_activation_drive(&h, a + e, u, most).rate -
                         lb_activation_drive(&h, a - e, u, most).rate) /
                        (2 * e);
    if (u < most - 1e-3 && a < most - 1e-2) {
      assert_near(f.by_u, by_u, 1e-4 * (1 + fabs(by_u)));
      assert_near(f.by_a, by_a, 1e-4 * (1 + fabs(by_a)));
    }
  }
}

static void a_fiber_in_balance_has_its_speed(void** state) {
  (void)state;
  lb_random r = {22};
  int compared = 0;
  for (int i = 0; i < 2000; i++) {
    const lb_hill h = muscle(i % 3, 1000, 0.1, 0.2, (i / 3 % 3) * 0.4);
    const double a = lb_random_between(&r, 0.1, 1), l = lb_random_between(&r, 0.08, 0.13);
    const double x = sqrt(l * l - h.width * h.width * h.fiber * h.fiber);
    const double L = 0.2 + x + lb_random_between(&r, 0.001, 0.006);
    const double v = lb_hill_fiber_speed(&h, a, l, L).speed;
    assert_near(lb_hill_balance(&h, a, l, v, L).residual, 0, 1e-11);
    const double at[4] = {a, l, v, L}, unit[4] = {1, h.fiber, h.speed * h.fiber, h.fiber};
    const lb_fiber_balance b = lb_hill_balance(&h, a, l, v, L);
    const double by[4] = {b.by_a, b.by_l, b.by_speed, b.by_length};
    for (int k = 0; k < 4; k++) {
      double d[2];
      for (int half = 0; half < 2; half++) {
        const double e = 1e-5 * unit[k] / (1 + half);
        double to[4], from[4];
        memcpy(to, at, sizeof at);
        memcpy(from, at, sizeof at);
        to[k] += e;
        from[k] -= e;
        d[half] = (lb_hill_balance(&h, to[0], to[1], to[2], to[3]).residual -
                   lb_hill_balance(&h, from[0], from[1], from[2], from[3]).residual) /
                  (2 * e) * unit[k];
      }
      const double scale = 1 + fabs(by[k] * unit[k]);
      if (smooth(d[0], d[1], 30 * scale)) {
        compared++;
        assert_near(by[k] * unit[k] / scale, (4 * d[1] - d[0]) / 3 / scale, 1e-6);
      }
    }
  }
  assert_above(compared, 0.8 * 8000);
}

// Exact where a muscle pulls more than a little and where it would push; between them slopes are
// continuous, and the force is at most 3/16 of the band more.
static void a_soft_muscle_ceases_to_pull_without_a_kink(void** state) {
  (void)state;
  lb_hill h = muscle(0, 1000, 0.1, 0.2, 0.3);
  h.rigid = true;
  const double soft = 0.01, e = 1e-7;
  double before = -1, most = 0;
  for (double v = -1; v < 0.5; v += 1e-4) { // [m/s]
    const lb_hill_force hard = lb_hill_force_at(&h, 0.05, 0, 0.29, v);
    const lb_hill_force f = lb_hill_force_soft(&h, 0.05, 0, 0.29, v, soft);
    const double slope = (lb_hill_force_soft(&h, 0.05, 0, 0.29, v + e, soft).force -
                          lb_hill_force_soft(&h, 0.05, 0, 0.29, v - e, soft).force) /
                         (2 * e);
    assert_true(f.force >= hard.force - 1e-9);
    most = fmax(most, f.force - hard.force);
    assert_near(f.by_rate, slope, 1e-3 * (1 + fabs(slope)));
    assert_true(before < 0 || fabs(f.by_rate - before) < 10);
    before = f.by_rate;
    if (hard.force > soft * h.force) {
      assert_near(f.force, hard.force, 0);
    }
  }
  assert_at_most(most, 3. / 16 * soft * h.force);
  assert_above(most, 0.17 * soft * h.force);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(millard_curves_have_their_published_values),
      cmocka_unit_test(curves_pass_through_the_points_that_define_them),
      cmocka_unit_test(thelen_velocity_curve_inverts_his_formula),
      cmocka_unit_test(early_curves_have_their_own_passive_force_and_tendon),
      cmocka_unit_test(curve_derivatives_match_differences),
      cmocka_unit_test(force_velocity_inverse_inverts),
      cmocka_unit_test(corners_whose_tangents_do_not_meet_are_refused),
      cmocka_unit_test(shapes_of_scenes_are_those_of_the_curves),
      cmocka_unit_test(activation_rate_has_its_time_constants),
      cmocka_unit_test(activation_derivatives_match_differences),
      cmocka_unit_test(activation_stays_in_its_range_for_any_step),
      cmocka_unit_test(tug_of_war_is_in_equilibrium),
      cmocka_unit_test(force_derivatives_match_differences),
      cmocka_unit_test(fiber_speed_balances_and_has_its_derivatives),
      cmocka_unit_test(drives_are_excitations_at_their_ends),
      cmocka_unit_test(a_fiber_in_balance_has_its_speed),
      cmocka_unit_test(a_soft_muscle_ceases_to_pull_without_a_kink),
      cmocka_unit_test(implicit_steps_follow_the_fibers_speed),
      cmocka_unit_test(every_state_has_an_answer),
  };
  return cmocka_run_group_tests(tests, make_curves, NULL);
}
