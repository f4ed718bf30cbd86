// Profiles: what their kinds promise at keys, between them, and outside.
#include "math/curve/time_profile.h"

#include "math/curve/bspline.h"
#include "test.h"
#include "test_arena.h"

static double key_time[] = {-1, 0, 0.5, 2, 3.25};
static double key_value[] = {2, -1, -1, 4, 0.5};
enum { KEYS = 5 };

static lb_profile* make(lb_profile_kind kind, double period) {
  const lb_profile_definition def = {.kind = kind,
                                     .degree = 3,
                                     .count = KEYS,
                                     .time = key_time,
                                     .value = key_value,
                                     .period = period};
  lb_profile* p = NULL;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  return p;
}

static void through_its_keys(void** state) {
  (void)state;
  static const lb_profile_kind kind[] = {LB_PROFILE_SMOOTH, LB_PROFILE_CUBIC, LB_PROFILE_LINEAR};
  for (int k = 0; k < 3; k++) {
    for (int periodic = 0; periodic < 2; periodic++) {
      const lb_profile* p = make(kind[k], periodic ? 6 : 0);
      for (int i = 0; i < KEYS; i++) {
        double v[3];
        lb_profile_evaluate(p, key_time[i] + 12 * periodic, v);
        assert_near(v[0], key_value[i], 1e-14);
      }
    }
  }
}

static void smooth_rests_at_each_key(void** state) {
  (void)state;
  const lb_profile* p = make(LB_PROFILE_SMOOTH, 0);
  for (int i = 0; i < KEYS; i++) {
    double v[3];
    lb_profile_evaluate(p, key_time[i], v);
    assert_near(v[1], 0, 1e-13);
    assert_near(v[2], 0, 1e-13);
  }
}

// Half-way the minimum-jerk curve has half its rise and 15/8 of the mean speed.
static void smooth_is_the_minimum_jerk_curve(void** state) {
  (void)state;
  double v[3];
  lb_profile_evaluate(make(LB_PROFILE_SMOOTH, 0), 1.25, v);
  assert_near(v[0], 1.5, 1e-15);
  assert_near(v[1], 15.0 / 8 * 5 / 1.5, 1e-15);
  assert_near(v[2], 0, 1e-14);
}

static void derivatives_match_finite_differences(void** state) {
  (void)state;
  lb_random r = {1};
  const double h = 1e-5;
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    for (int periodic = 0; periodic < 2; periodic++) {
      const lb_profile* p = make(kind, periodic ? 6 : 0);
      for (int i = 0; i < 300; i++) {
        const double t = lb_random_between(&r, -3, 9);
        double at[3], before[3], after[3];
        lb_profile_evaluate(p, t, at);
        lb_profile_evaluate(p, t - h, before);
        lb_profile_evaluate(p, t + h, after);
        bool near_end = false; // of a piece, where derivatives may jump
        for (int j = 0; j <= p->npiece; j++) {
          const double from = periodic ? remainder(t - p->time[j], 6) : t - p->time[j];
          near_end |= fabs(from) < 2 * h;
        }
        if (!near_end) {
          assert_near(at[1], (after[0] - before[0]) / (2 * h), 1e-7);
          assert_near(at[2], (after[1] - before[1]) / (2 * h), 1e-7);
          assert_near(lb_profile_third(p, t), (after[2] - before[2]) / (2 * h), 1e-6);
        }
      }
    }
  }
}

// Value and two derivatives on both sides of each piece's end.
static void assert_c2_inside(const lb_profile* p) {
  const double h = 1e-9;
  for (int i = 1; i < p->npiece; i++) {
    double before[3], after[3];
    lb_profile_evaluate(p, p->time[i] - h, before);
    lb_profile_evaluate(p, p->time[i] + h, after);
    for (int k = 0; k < 3; k++) {
      assert_near(before[k], after[k], 1e-6);
    }
  }
}

static void smooth_and_cubic_are_twice_differentiable(void** state) {
  (void)state;
  assert_c2_inside(make(LB_PROFILE_SMOOTH, 0));
  assert_c2_inside(make(LB_PROFILE_CUBIC, 0));
  assert_c2_inside(make(LB_PROFILE_NATURAL, 0));
  assert_c2_inside(make(LB_PROFILE_CUBIC, 6));
}

static void cubic_rests_at_both_ends(void** state) {
  (void)state;
  const lb_profile* p = make(LB_PROFILE_CUBIC, 0);
  double v[3];
  lb_profile_evaluate(p, key_time[0], v);
  assert_near(v[1], 0, 1e-14);
  lb_profile_evaluate(p, key_time[KEYS - 1], v);
  assert_near(v[1], 0, 1e-14);
}

static void cubic_reproduces_a_cubic_at_rest_at_both_ends(void** state) {
  (void)state;
  double time[9], value[9];
  for (int i = 0; i < 9; i++) {
    time[i] = i / 8.0 * (i / 8.0 + 1) / 2; // uneven, from 0 to 1
    value[i] = time[i] * time[i] * (3 - 2 * time[i]);
  }
  const lb_profile_definition def = {
      .kind = LB_PROFILE_CUBIC, .count = 9, .time = time, .value = value};
  lb_profile* p;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  for (int i = 0; i <= 100; i++) {
    double v[3];
    const double t = i / 100.0;
    lb_profile_evaluate(p, t, v);
    assert_near(v[0], t * t * (3 - 2 * t), 1e-14);
    assert_near(v[1], 6 * t * (1 - t), 1e-13);
    assert_near(v[2], 6 - 12 * t, 1e-11);
  }
}

// Coefficients of a cubic and its derivatives, highest power first.
static double cubic_at(double t, int derivative) {
  const double c[] = {0.7, -1.3, 0.4, 2.1};
  const double of[] = {((c[0] * t + c[1]) * t + c[2]) * t + c[3],
                       (3 * c[0] * t + 2 * c[1]) * t + c[2], 6 * c[0] * t + 2 * c[1], 6 * c[0]};
  return of[derivative];
}

// Four keys or more, in uneven distances.
static void natural_reproduces_any_cubic_and_goes_straight_beyond(void** state) {
  (void)state;
  for (int n = 4; n <= 9; n++) {
    double time[9], value[9];
    for (int i = 0; i < n; i++) {
      time[i] = i / 8.0 * (i / 8.0 + 1) - 0.5;
      value[i] = cubic_at(time[i], 0);
    }
    const lb_profile_definition def = {.kind = LB_PROFILE_NATURAL,
                                       .count = n,
                                       .time = time,
                                       .value = value,
                                       .beyond = LB_BEYOND_LINE};
    lb_profile* p;
    assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
    for (int i = -20; i <= 120; i++) {
      const double t = time[0] + (time[n - 1] - time[0]) * i / 100.0;
      const double inside = fmin(fmax(t, time[0]), time[n - 1]);
      double v[3];
      lb_profile_evaluate(p, t, v);
      assert_near(v[0], cubic_at(inside, 0) + (t - inside) * cubic_at(inside, 1), 1e-13);
      assert_near(v[1], cubic_at(inside, 1), 1e-12);
      assert_near(v[2], t == inside ? cubic_at(t, 2) : 0, 1e-10);
      assert_near(lb_profile_third(p, t), t == inside ? cubic_at(t, 3) : 0, 1e-8);
    }
  }
}

// Second derivatives at three keys are equal at both ends: the pieces are parabolas there.
static void natural_of_few_keys_is_straight_or_has_parabolas_at_its_ends(void** state) {
  (void)state;
  double time[3] = {0, 1, 3}, value[3] = {1, -1, 2}, v[3], w[3];
  lb_profile_definition def = {
      .kind = LB_PROFILE_NATURAL, .count = 3, .time = time, .value = value};
  lb_profile* p;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  assert_near(lb_profile_third(p, 0.5), 0, 1e-13);
  lb_profile_evaluate(p, 1 - 1e-12, v);
  lb_profile_evaluate(p, 1 + 1e-12, w);
  assert_near(v[2], w[2], 1e-9);
  def.count = 2;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  lb_profile_evaluate(p, 0.25, v);
  assert_near(v[0], 0.5, 1e-15);
  assert_near(v[1], -2, 1e-15);
}

static void polynomial_goes_on_everywhere(void** state) {
  (void)state;
  double c[] = {0.7, -1.3, 0.4, 2.1};
  const lb_profile_definition def = {.kind = LB_PROFILE_POLYNOMIAL, .count = 4, .value = c};
  lb_profile* p;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  for (double t = -3; t <= 3; t += 0.125) {
    double v[3];
    lb_profile_evaluate(p, t, v);
    for (int k = 0; k < 3; k++) {
      assert_near(v[k], cubic_at(t, k), 1e-13);
    }
    assert_near(lb_profile_third(p, t), cubic_at(t, 3), 1e-13);
  }
}

// Whether the closing piece is made or the author's last key is the first again.
static void periodic_cubic_is_twice_differentiable_over_the_seam(void** state) {
  (void)state;
  double closed[KEYS] = {2, -1, -1, 4, 2};
  const lb_profile_definition def = {
      .kind = LB_PROFILE_CUBIC, .count = KEYS, .time = key_time, .value = closed, .period = 4.25};
  lb_profile* of_closed;
  assert_int_equal(lb_profile_create(&arena, &def, &of_closed), LB_OK);
  const lb_profile* both[] = {make(LB_PROFILE_CUBIC, 6), of_closed};
  for (int i = 0; i < 2; i++) {
    for (int turn = -1; turn < 2; turn++) {
      const double seam = key_time[0] + turn * both[i]->period, h = 1e-9;
      double before[3], after[3];
      lb_profile_evaluate(both[i], seam - h, before);
      lb_profile_evaluate(both[i], seam + h, after);
      for (int k = 0; k < 3; k++) {
        assert_near(before[k], after[k], 1e-6);
      }
    }
  }
}

// Interpolating a sine at n even keys of one period: the error falls as n^-4.
static void periodic_cubic_converges_with_order_four(void** state) {
  (void)state;
  double error[2] = {0};
  for (int k = 0; k < 2; k++) {
    const int n = 16 << k;
    double time[32], value[32];
    for (int i = 0; i < n; i++) {
      time[i] = (double)i / n;
      value[i] = sin(2 * 3.14159265358979323846 * time[i]);
    }
    const lb_profile_definition def = {
        .kind = LB_PROFILE_CUBIC, .count = n, .time = time, .value = value, .period = 1};
    lb_profile* p;
    assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
    for (int i = 0; i < 1000; i++) {
      double v[3];
      lb_profile_evaluate(p, i / 1000.0, v);
      error[k] = fmax(error[k], fabs(v[0] - sin(2 * 3.14159265358979323846 * i / 1000.0)));
    }
  }
  assert_near(log2(error[0] / error[1]), 4, 0.05);
}

static void two_keys_and_a_period_make_a_wave(void** state) {
  (void)state;
  double time[] = {0, 1}, value[] = {-1, 1};
  const lb_profile_definition def = {
      .kind = LB_PROFILE_CUBIC, .count = 2, .time = time, .value = value, .period = 2};
  lb_profile* p;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  for (int i = 0; i < 50; i++) {
    double a[3], b[3];
    lb_profile_evaluate(p, i * 0.04, a);
    lb_profile_evaluate(p, -i * 0.04, b); // even about a trough
    assert_near(a[0], b[0], 1e-14);
    assert_near(a[1], -b[1], 1e-13);
  }
}

static void holds_its_end_values_at_rest(void** state) {
  (void)state;
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    const lb_profile* p = make(kind, 0);
    double before[3], after[3];
    lb_profile_evaluate(p, -50, before);
    lb_profile_evaluate(p, 1e300, after);
    assert_near(before[0], key_value[0], 1e-15);
    assert_near(after[0], key_value[KEYS - 1], 1e-14);
    assert_true(before[1] == 0 && before[2] == 0 && after[1] == 0 && after[2] == 0);
  }
}

static void repeats_after_its_period(void** state) {
  (void)state;
  lb_random r = {2};
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    const lb_profile* p = make(kind, 6);
    for (int i = 0; i < 200; i++) {
      const double t = lb_random_between(&r, -20, 20);
      double a[3], b[3];
      lb_profile_evaluate(p, t, a);
      lb_profile_evaluate(p, t + 18, b);
      for (int k = 0; k < 3; k++) {
        assert_near(a[k], b[k], 1e-11);
      }
    }
  }
}

static void bspline_equals_the_spline_of_its_control_points(void** state) {
  (void)state;
  lb_random r = {3};
  double control[12], time[] = {-2, 5};
  for (int degree = 1; degree <= LB_BSPLINE_MOST_DEGREE; degree++) {
    for (int i = 0; i < 12; i++) {
      control[i] = lb_random_between(&r, -1, 1);
    }
    const lb_profile_definition def = {
        .kind = LB_PROFILE_BSPLINE, .degree = degree, .count = 12, .time = time, .value = control};
    const lb_bspline spline = {degree, 12, -2, 5, true};
    lb_profile* p;
    assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
    for (int i = 0; i < 200; i++) {
      double a[3], b[3];
      const double t = lb_random_between(&r, -2, 5);
      lb_profile_evaluate(p, t, a);
      lb_bspline_evaluate(&spline, b, control, t, 2);
      for (int k = 0; k < 3; k++) {
        assert_near(a[k], b[k], 1e-12);
      }
    }
  }
}

static void one_value_is_constant(void** state) {
  (void)state;
  double time[] = {3, 4}, value[] = {7};
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    for (int period = 0; period < 2; period++) {
      const lb_profile_definition def = {
          .kind = kind, .degree = 3, .count = 1, .time = time, .value = value, .period = period};
      lb_profile* p;
      assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
      for (double t = -10; t < 10; t += 0.37) {
        double v[3];
        lb_profile_evaluate(p, t, v);
        assert_true(v[0] == 7 && v[1] == 0 && v[2] == 0);
      }
    }
  }
}

static void time_that_is_not_a_number_does_no_harm(void** state) {
  (void)state;
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    double v[3];
    lb_profile_evaluate(make(kind, 0), (double)NAN, v);
    lb_profile_evaluate(make(kind, 6), (double)NAN, v);
    lb_profile_evaluate(make(kind, 6), (double)INFINITY, v);
  }
}

// An allocator that fails once its count is used up.
static void* counted(void* context, size_t size) {
  int* left = context;
  return (*left)-- > 0 ? lb_allocate(NULL, size) : NULL;
}
static void counted_release(void* context, void* block) {
  (void)context;
  lb_release(NULL, block);
}

static void without_memory_nothing_changes(void** state) {
  (void)state;
  static double time[5000], value[5000];
  for (int i = 0; i < 5000; i++) {
    time[i] = i;
  }
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    lb_status status = LB_NO_MEMORY;
    for (int left = 0; status != LB_OK; left++) {
      int count = left;
      const lb_allocator allocator = {counted, counted_release, &count};
      lb_arena small;
      lb_arena_init(&small, &allocator);
      const lb_profile_definition def = {
          .kind = kind, .degree = 3, .count = 5000, .time = time, .value = value};
      lb_profile* p = NULL;
      status = lb_profile_create(&small, &def, &p);
      assert_true(status == LB_OK || (status == LB_NO_MEMORY && !p && !small.top));
      lb_arena_release(&small);
    }
  }
}

// Where a profile of keys at 0, 1 and 2 s jumps.
static double jump_of(lb_profile_kind kind, double last, double period, bool slopes) {
  double time[3] = {0, 1, 2}, value[3] = {0, 1, last};
  const lb_profile_definition def = {
      .kind = kind, .degree = 3, .count = 3, .time = time, .value = value, .period = period};
  lb_arena own;
  lb_profile* p;
  lb_arena_init(&own, NULL);
  assert_int_equal(lb_profile_create(&own, &def, &p), LB_OK);
  const double t = lb_profile_jump(p, 10, slopes);
  lb_arena_release(&own);
  return t;
}

static void jumps_are_found_where_they_are(void** state) {
  (void)state;
  assert_true(isnan(jump_of(LB_PROFILE_SMOOTH, 3, 0, true)));
  assert_true(isnan(jump_of(LB_PROFILE_CUBIC, 3, 0, true)));
  assert_true(isnan(jump_of(LB_PROFILE_SMOOTH, 3, 4, true)));
  assert_true(isnan(jump_of(LB_PROFILE_CUBIC, 3, 4, true)));
  assert_near(jump_of(LB_PROFILE_LINEAR, 3, 0, true), 1, 0); // the slope
  assert_near(jump_of(LB_PROFILE_LINEAR, 2, 0, true), 2, 0); // coming to a stop
  assert_near(jump_of(LB_PROFILE_SMOOTH, 3, 2, true), 2, 0); // the value, at the seam
  assert_true(isnan(jump_of(LB_PROFILE_LINEAR, 3, 0, false)));
  assert_near(jump_of(LB_PROFILE_SMOOTH, 3, 2, false), 2, 0);
}

// --- cycles ---

static const lb_profile* make_cycle(lb_profile_definition def) {
  lb_profile* p = NULL;
  assert_int_equal(lb_profile_create(&arena, &def, &p), LB_OK);
  return p;
}

// One key and an advance: an even turn for ever, and from rest to rest with ease smooth.
static void advance_goes_on(void** state) {
  (void)state;
  double time[] = {0.25}, value[] = {0.1};
  for (lb_profile_kind kind = LB_PROFILE_SMOOTH; kind <= LB_PROFILE_LINEAR; kind++) {
    const lb_profile* p = make_cycle((lb_profile_definition){
        .kind = kind, .count = 1, .time = time, .value = value, .period = 2, .advance = 7});
    for (double t = -5; t < 9; t += 0.37) {
      const double u = (t - 0.25) / 2, s = u - floor(u);
      const double shape = kind == LB_PROFILE_SMOOTH ? s * s * s * (10 + s * (6 * s - 15)) : s;
      double v[3];
      lb_profile_evaluate(p, t, v);
      assert_near(v[0], 0.1 + 7 * (floor(u) + shape), 1e-13);
      assert_near(v[1], kind == LB_PROFILE_SMOOTH ? 7 * 15 * s * s * (1 - s) * (1 - s) : 3.5,
                  1e-12);
    }
  }
}

// Value, speed and acceleration on both sides of the end of a cycle, for every kind that flows.
static void cycles_meet_smoothly(void** state) {
  (void)state;
  double time[] = {0, 0.3, 0.8, 1}, value[] = {0.2, 1, 2.5, 0.2 + 2 * M_PI};
  double ends[] = {0, 1}, points[] = {0, 1, 1.5, 4, 5};
  const lb_profile_definition def[] = {
      {.kind = LB_PROFILE_CUBIC, .count = 4, .time = time, .value = value},
      {.kind = LB_PROFILE_CUBIC, .count = 3, .time = time, .value = value},
      {.kind = LB_PROFILE_SMOOTH, .count = 3, .time = time, .value = value},
      {.kind = LB_PROFILE_BSPLINE,
       .degree = 3,
       .count = 5,
       .time = ends,
       .value = points,
       .cyclic = true},
      {.kind = LB_PROFILE_BSPLINE,
       .degree = 5,
       .count = 5,
       .time = ends,
       .value = points,
       .cyclic = true}};
  for (int i = 0; i < 5; i++) {
    lb_profile_definition d = def[i];
    d.period = 1;
    d.advance = 2 * M_PI;
    const lb_profile* p = make_cycle(d);
    double before[3], after[3];
    lb_profile_evaluate(p, 3 - 1e-13, before);
    lb_profile_evaluate(p, 3, after);
    assert_near(after[0], before[0], 1e-10);
    assert_near(after[1], before[1], 1e-9);
    assert_near(after[2], before[2], 1e-8);
    assert_true(isnan(lb_profile_jump(p, 10, true)));
  }
}

// Control points in a line make a straight line of a cyclic spline, by its partition of one.
static void cyclic_spline_of_a_line_is_the_line(void** state) {
  (void)state;
  double ends[] = {0, 2}, points[] = {0, 1, 2, 3};
  const lb_profile* p = make_cycle((lb_profile_definition){.kind = LB_PROFILE_BSPLINE,
                                                           .degree = 3,
                                                           .count = 4,
                                                           .time = ends,
                                                           .value = points,
                                                           .period = 2,
                                                           .advance = 4,
                                                           .cyclic = true});
  for (double t = -3; t < 5; t += 0.21) {
    double v[3];
    lb_profile_evaluate(p, t, v);
    assert_near(v[0], 1 + 2 * t, 1e-13);
    assert_near(v[1], 2, 1e-12);
    assert_near(v[2], 0, 1e-11);
  }
}

static void phase_is_a_shift_of_time(void** state) {
  (void)state;
  for (lb_profile_kind kind = 0; kind < LB_PROFILE_COUNT; kind++) {
    if (kind == LB_PROFILE_POLYNOMIAL) { // which has no keys
      continue;
    }
    double ends[] = {-1, 3.25};
    lb_profile_definition def = {.kind = kind,
                                 .degree = 3,
                                 .count = KEYS,
                                 .time = kind == LB_PROFILE_BSPLINE ? ends : key_time,
                                 .value = key_value,
                                 .period = 4.25,
                                 .advance = 1.5};
    const lb_profile* own = make_cycle(def);
    def.phase = 0.3;
    const lb_profile* ahead = make_cycle(def);
    for (double t = -9; t < 9; t += 0.413) {
      double a[3], b[3];
      lb_profile_evaluate(own, t + 0.3 * 4.25, a);
      lb_profile_evaluate(ahead, t, b);
      for (int k = 0; k < 3; k++) {
        assert_near(a[k], b[k], 1e-10);
      }
      assert_near(lb_profile_next(ahead, t), lb_profile_next(own, t + 0.3 * 4.25) - 0.3 * 4.25,
                  1e-10);
    }
  }
}

// A cycle that jumps does so where its seam comes, and only there.
static void jumps_move_with_the_phase(void** state) {
  (void)state;
  double time[] = {0, 1}, value[] = {0, 1};
  lb_profile_definition def = {.kind = LB_PROFILE_LINEAR,
                               .count = 2,
                               .time = time,
                               .value = value,
                               .period = 1,
                               .advance = 2,
                               .phase = 0.25};
  assert_near(lb_profile_jump(make_cycle(def), 10, false), 0.75, 1e-14);
  def.advance = 1;
  assert_true(isnan(lb_profile_jump(make_cycle(def), 10, true)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(through_its_keys),
      cmocka_unit_test(smooth_rests_at_each_key),
      cmocka_unit_test(smooth_is_the_minimum_jerk_curve),
      cmocka_unit_test(derivatives_match_finite_differences),
      cmocka_unit_test(smooth_and_cubic_are_twice_differentiable),
      cmocka_unit_test(cubic_rests_at_both_ends),
      cmocka_unit_test(cubic_reproduces_a_cubic_at_rest_at_both_ends),
      cmocka_unit_test(natural_reproduces_any_cubic_and_goes_straight_beyond),
      cmocka_unit_test(natural_of_few_keys_is_straight_or_has_parabolas_at_its_ends),
      cmocka_unit_test(polynomial_goes_on_everywhere),
      cmocka_unit_test(periodic_cubic_is_twice_differentiable_over_the_seam),
      cmocka_unit_test(periodic_cubic_converges_with_order_four),
      cmocka_unit_test(two_keys_and_a_period_make_a_wave),
      cmocka_unit_test(holds_its_end_values_at_rest),
      cmocka_unit_test(repeats_after_its_period),
      cmocka_unit_test(bspline_equals_the_spline_of_its_control_points),
      cmocka_unit_test(one_value_is_constant),
      cmocka_unit_test(time_that_is_not_a_number_does_no_harm),
      cmocka_unit_test(without_memory_nothing_changes),
      cmocka_unit_test(jumps_are_found_where_they_are),
      cmocka_unit_test(advance_goes_on),
      cmocka_unit_test(cycles_meet_smoothly),
      cmocka_unit_test(cyclic_spline_of_a_line_is_the_line),
      cmocka_unit_test(phase_is_a_shift_of_time),
      cmocka_unit_test(jumps_move_with_the_phase),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
