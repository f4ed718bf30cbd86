// Rotation vectors that come round: their numbers change where nothing acts on them, and only
// there.
#include "compile.h"
#include "limber/simulate.h"

// A body that tumbles for 2 s; what its joint has, and what else there is.
#define BODY "bodies: {bob: {mass: 2, center: [0.1, 0.02, -0.2], inertia: [0.03, 0.02, 0.01]}}\n"
#define RUN                                                                                        \
  "solver: {integrator: rk8}\n"                                                                    \
  "record: {every: 2 ms}\n"                                                                        \
  "duration: 2 s\n"                                                                                \
  "gravity: [0, 0, -3]\n"
#define TUMBLING(JOINT, MORE)                                                                      \
  BODY RUN "joints: {j: {child: bob, type: exponential" JOINT "}}\n"                               \
           "initial: {j: {velocity: [14, 5, 8]}}\n" MORE

typedef struct outcome {
  lb_status status;
  lb_summary s;
  double jump; // the largest change of a coordinate from frame to frame
  char text[400];
} outcome;

static outcome simulate(const char* scene) {
  outcome o = {0};
  lb_model* m = compile(scene);
  lb_recording* r;
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  o.status = lb_simulate(m, &options, r, &o.s, &err);
  assert_above(r->nframe, 10);
  for (int i = m->nq; i < r->nframe * m->nq; i++) {
    o.jump = fmax(o.jump, fabs(r->q[i] - r->q[i - m->nq]));
  }
  snprintf(o.text, sizeof o.text, "%s", err.count ? err.message[0].text : "");
  lb_error_clear(&err);
  lb_recording_release(r);
  lb_model_release(m);
  return o;
}

static void numbers_change_without_a_trace_in_the_energy(void** state) {
  (void)state;
  static const char* const SCENE[] = {
      TUMBLING("", ""),
      BODY RUN "joints: {j: {child: bob, type: composite, parts: [{type: exponential}, {type: "
               "prismatic, axis: x, armature: 5, spring: {stiffness: 5000}}]}}\n"
               "initial: {j: {velocity: [14, 5, 8, 0]}}\n"};
  for (int i = 0; i < 2; i++) {
    const outcome o = simulate(SCENE[i]);
    assert_int_equal(o.status, LB_OK);
    assert_above(o.jump, 2);
    assert_true(o.s.conservative);
    assert_near(o.s.energy_drift, 0, 1e-10);
  }
}

static void what_resists_lets_numbers_change(void** state) {
  (void)state;
  static const char* const SCENE[] = {TUMBLING(", damping: 0.001", ""),
                                      TUMBLING(", friction: 0.001", "")};
  for (int i = 0; i < 2; i++) {
    const outcome o = simulate(SCENE[i]);
    assert_int_equal(o.status, LB_OK);
    assert_above(o.jump, 2);
    assert_below(o.s.energy_end, o.s.energy_start);
  }
}

// Each of these would have its energy jump, or be moved elsewhere, if the numbers did.
static void numbers_that_something_acts_on_stay(void** state) {
  (void)state;
  static const char* const SCENE[] = {
      TUMBLING(", armature: 0.01", ""),
      TUMBLING(", spring: {stiffness: 0.01}", ""),
      TUMBLING(", limits: {upper: [3, 3, 3], stiffness: 0.1}", ""),
      TUMBLING("", "constraints: {c: {couple: [{joint: j, coordinate: 1}, {joint: j, "
                   "coordinate: 2, times: -1.3}], equals: 0}}\n"),
      TUMBLING("", "constraints: {c: {couple: [{joint: j, coordinate: 0}], "
                   "path: {keys: [[0, 0], [2, 9]]}}}\n"),
  };
  for (size_t i = 0; i < sizeof SCENE / sizeof *SCENE; i++) {
    const outcome o = simulate(SCENE[i]);
    assert_int_equal(o.status, LB_FAILED);
    assert_non_null(strstr(o.text, "the rotation vector of joint 'j', which carries body 'bob', "
                                   "came near a full turn after t = "));
    assert_below(o.jump, 2);
    if (o.s.conservative) {
      assert_below(o.s.energy_drift, 1e-5);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_change_without_a_trace_in_the_energy),
      cmocka_unit_test(what_resists_lets_numbers_change),
      cmocka_unit_test(numbers_that_something_acts_on_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
