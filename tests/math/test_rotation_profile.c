// Rotations over time: what defines them, and their rates.
#include "math/curve/rotation_profile.h"

#include "test_arena.h"

enum { COUNT = 7 };
static const double TIME[COUNT] = {-0.3, 0.1, 0.25, 0.8, 1.1, 1.15, 2};
static const lb_profile_kind KINDS[] = {LB_PROFILE_SMOOTH, LB_PROFILE_CUBIC, LB_PROFILE_LINEAR,
                                        LB_PROFILE_BSPLINE};
enum { NKIND = sizeof KINDS / sizeof *KINDS };

static lb_profile_definition define(lb_profile_kind kind) {
  static double time[COUNT], ends[2];
  memcpy(time, TIME, sizeof time);
  ends[0] = TIME[0];
  ends[1] = TIME[COUNT - 1];
  return (lb_profile_definition){
      .kind = kind, .degree = 3, .count = COUNT, .time = kind == LB_PROFILE_BSPLINE ? ends : time};
}

static lb_turning* make(const lb_profile_definition* def, const lb_quat* key) {
  lb_turning* T = NULL;
  assert_int_equal(lb_turning_create(&arena, def, key, &T), LB_OK);
  return T;
}

static lb_quat somewhere(lb_random* r) {
  return lb_quat_exp(lb_vec3_make(lb_random_between(r, -1.5, 1.5), lb_random_between(r, -1.5, 1.5),
                                  lb_random_between(r, -1.5, 1.5)));
}

static void fill(lb_quat key[COUNT]) {
  lb_random r = {3};
  for (int i = 0; i < COUNT; i++) {
    key[i] = somewhere(&r);
  }
}

static lb_vec3 between(lb_quat a, lb_quat b) {
  return lb_quat_log(lb_quat_mul(lb_quat_conjugate(a), b));
}

static double apart(lb_quat a, lb_quat b) {
  return lb_vec3_norm(between(a, b));
}

static double differ(lb_vec3 a, lb_vec3 b) {
  return lb_vec3_norm(lb_vec3_sub(a, b));
}

static void it_goes_through_its_keys_and_rests_beyond_them(void** state) {
  (void)state;
  lb_quat key[COUNT];
  fill(key);
  for (int k = 0; k < NKIND; k++) {
    const lb_profile_definition def = define(KINDS[k]);
    const lb_turning* T = make(&def, key);
    for (int i = 0; i < COUNT; i += KINDS[k] == LB_PROFILE_BSPLINE ? COUNT - 1 : 1) {
      assert_near(apart(lb_turning_evaluate(T, TIME[i]).q, key[i]), 0, 1e-13);
    }
    const lb_turn early = lb_turning_evaluate(T, -1), late = lb_turning_evaluate(T, 3);
    assert_near(apart(early.q, key[0]) + apart(late.q, key[COUNT - 1]), 0, 1e-13);
    assert_near(lb_vec3_norm(early.w) + lb_vec3_norm(late.w), 0, 0);
    assert_near(lb_vec3_norm(early.al) + lb_vec3_norm(late.al), 0, 0);
  }
}

static void its_rates_are_those_of_its_rotations(void** state) {
  (void)state;
  lb_quat key[COUNT];
  fill(key);
  const double h = 1e-5;
  for (int k = 0; k < NKIND; k++) {
    const lb_profile_definition def = define(KINDS[k]);
    const lb_turning* T = make(&def, key);
    for (double t = -0.29; t < 1.99; t += 0.0473) {
      const lb_turn a = lb_turning_evaluate(T, t - h), b = lb_turning_evaluate(T, t + h);
      const lb_turn is = lb_turning_evaluate(T, t);
      const lb_vec3 w = lb_vec3_scale(0.5 / h, between(a.q, b.q));
      const lb_vec3 al = lb_vec3_scale(0.5 / h, lb_vec3_sub(b.w, a.w));
      assert_near(differ(w, is.w) / (1 + lb_vec3_norm(is.w)), 0, 1e-6);
      assert_near(differ(al, is.al) / (1 + lb_vec3_norm(is.al)), 0, 1e-6);
    }
  }
}

// About one axis rotations are numbers.
static void about_one_axis_it_is_the_profile_of_the_angle(void** state) {
  (void)state;
  double angle[COUNT] = {0.3, 1.2, -0.4, 0.9, 2.5, 3.9, 6};
  const lb_vec3 axis = {2.0 / 7, 3.0 / 7, -6.0 / 7};
  lb_quat key[COUNT];
  for (int i = 0; i < COUNT; i++) {
    key[i] = lb_quat_exp(lb_vec3_scale(angle[i], axis));
  }
  for (int k = 0; k < NKIND; k++) {
    lb_profile_definition def = define(KINDS[k]);
    const lb_turning* T = make(&def, key);
    lb_profile* number = NULL;
    def.value = angle;
    assert_int_equal(lb_profile_create(&arena, &def, &number), LB_OK);
    for (double t = -0.5; t < 2.2; t += 0.0137) {
      double want[3];
      lb_profile_evaluate(number, t, want);
      const lb_turn is = lb_turning_evaluate(T, t);
      assert_near(apart(is.q, lb_quat_exp(lb_vec3_scale(want[0], axis))), 0, 1e-12);
      assert_near(differ(is.w, lb_vec3_scale(want[1], axis)), 0, 1e-11);
      assert_near(differ(is.al, lb_vec3_scale(want[2], axis)) / (1 + fabs(want[2])), 0, 1e-11);
    }
  }
}

// Whatever frames rotations are written between.
static void it_does_not_depend_on_axes(void** state) {
  (void)state;
  lb_random r = {8};
  const lb_quat left = somewhere(&r), right = somewhere(&r);
  lb_quat key[COUNT], other[COUNT];
  fill(key);
  for (int i = 0; i < COUNT; i++) {
    other[i] = lb_quat_mul(left, lb_quat_mul(key[i], right));
  }
  for (int k = 0; k < NKIND; k++) {
    const lb_profile_definition def = define(KINDS[k]);
    const lb_turning *T = make(&def, key), *O = make(&def, other);
    for (double t = -0.5; t < 2.2; t += 0.0137) {
      const lb_turn a = lb_turning_evaluate(T, t), b = lb_turning_evaluate(O, t);
      const lb_quat back = lb_quat_conjugate(right);
      assert_near(apart(lb_quat_mul(left, lb_quat_mul(a.q, right)), b.q), 0, 1e-13);
      assert_near(differ(lb_quat_rotate(back, a.w), b.w), 0, 1e-11);
    }
  }
}

// A spline through keys has no kink at them, nor at the seam where it starts over, whether its last
// key is written again or not.
static void a_cubic_one_is_smooth_through_keys_and_seams(void** state) {
  (void)state;
  static const double TINY = 1e-9;
  lb_quat key[COUNT];
  fill(key);
  for (int closed = 0; closed < 2; closed++) {
    lb_profile_definition def = define(LB_PROFILE_CUBIC);
    def.period = closed ? 2.3 : 2.9;
    key[COUNT - 1] = closed ? key[0] : key[COUNT - 1];
    const lb_turning* T = make(&def, key);
    for (int i = 0; i <= COUNT; i++) {
      const double t = i < COUNT ? TIME[i] : TIME[0] + def.period;
      const lb_turn a = lb_turning_evaluate(T, t - TINY), b = lb_turning_evaluate(T, t + TINY);
      assert_near(apart(a.q, b.q), 0, 1e-7);
      assert_near(differ(a.w, b.w), 0, 1e-5);
      assert_near(differ(a.al, b.al) / (1 + lb_vec3_norm(a.al)), 0, 1e-5);
      assert_above(lb_vec3_norm(a.w), 0.1);
      assert_near(apart(a.q, lb_turning_evaluate(T, t - TINY + 3 * def.period).q), 0, 1e-9);
    }
    assert_true(isnan(lb_turning_jump(T, 100)));
  }
}

// Many keys: each has the effect that the spline of numbers gives it.
static void many_keys_are_as_exact_as_few(void** state) {
  (void)state;
  enum { MANY = 300 };
  static double time[MANY], angle[MANY];
  static lb_quat key[MANY];
  lb_random r = {5};
  for (int i = 0; i < MANY; i++) {
    time[i] = (i ? time[i - 1] : 0) + lb_random_between(&r, 0.01, 1);
    angle[i] = lb_random_between(&r, -1, 1);
    key[i] = lb_quat_exp(lb_vec3_make(0, 0, angle[i]));
  }
  const lb_profile_definition def = {
      .kind = LB_PROFILE_CUBIC, .count = MANY, .time = time, .value = angle};
  const lb_turning* T = make(&def, key);
  lb_profile* number = NULL;
  assert_int_equal(lb_profile_create(&arena, &def, &number), LB_OK);
  for (double t = 0; t < time[MANY - 1]; t += 0.7) {
    double want[3];
    lb_profile_evaluate(number, t, want);
    const lb_turn is = lb_turning_evaluate(T, t);
    assert_near(apart(is.q, lb_quat_exp(lb_vec3_make(0, 0, want[0]))), 0, 1e-11);
    assert_near(is.w.z, want[1], 1e-10);
  }
}

static void jumps_are_found(void** state) {
  (void)state;
  lb_quat key[COUNT];
  fill(key);
  lb_profile_definition def = define(LB_PROFILE_LINEAR);
  assert_near(lb_turning_jump(make(&def, key), 2), TIME[1], 0);
  assert_true(isnan(lb_turning_jump(make(&def, key), 0.1)));
  def.count = 1;
  assert_true(isnan(lb_turning_jump(make(&def, key), 100)));
  def = define(LB_PROFILE_SMOOTH);
  assert_true(isnan(lb_turning_jump(make(&def, key), 100)));
  def.period = 2.3; // the last key fills it, and is not the first
  assert_near(lb_turning_jump(make(&def, key), 100), 2, 1e-12);
  def = define(LB_PROFILE_BSPLINE);
  assert_near(lb_turning_jump(make(&def, key), 100), 2, 1e-12);
  key[COUNT - 2] = key[COUNT - 1]; // comes to rest
  assert_true(isnan(lb_turning_jump(make(&def, key), 100)));
  def.period = 5; // rests, and starts over elsewhere
  assert_near(lb_turning_jump(make(&def, key), 100), TIME[0] + 5, 1e-12);
}

// Ahead by part of a cycle: the same curve earlier, its jumps included.
static void a_phase_puts_it_ahead(void** state) {
  (void)state;
  lb_quat key[COUNT];
  fill(key);
  for (int i = 0; i < NKIND; i++) {
    lb_profile_definition def = define(KINDS[i]);
    def.period = 2.5;
    const lb_turning* own = make(&def, key);
    def.phase = 0.3;
    const lb_turning* ahead = make(&def, key);
    for (double t = -3; t < 6; t += 0.37) {
      const lb_turn a = lb_turning_evaluate(ahead, t), b = lb_turning_evaluate(own, t + 0.3 * 2.5);
      assert_near(apart(a.q, b.q), 0, 1e-12);
      assert_near(differ(a.w, b.w), 0, 1e-11);
      assert_near(differ(a.al, b.al), 0, 1e-9);
    }
  }
  lb_profile_definition def = define(LB_PROFILE_SMOOTH);
  def.period = 2.3;
  def.phase = 0.25; // it jumps at 2 s of its own
  assert_near(lb_turning_jump(make(&def, key), 100), 2 - 0.25 * 2.3, 1e-12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(it_goes_through_its_keys_and_rests_beyond_them),
      TEST(its_rates_are_those_of_its_rotations),
      TEST(about_one_axis_it_is_the_profile_of_the_angle),
      TEST(it_does_not_depend_on_axes),
      TEST(a_cubic_one_is_smooth_through_keys_and_seams),
      TEST(many_keys_are_as_exact_as_few),
      TEST(jumps_are_found),
      TEST(a_phase_puts_it_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
