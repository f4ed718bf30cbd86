// Curves played again: read from a scene, and in models with all nodes of their elastic bodies.
#include "counting.h"
#include "limber/limber.h"
#include "limber/shaping.h"
#include "test.h"

// A rubber rod of few elements with a ball at its end, turned by a motor.
#define BEAM                                                                                       \
  "materials:\n"                                                                                   \
  "  rubber: {density: 1200, young: 20 MPa, poisson: 0.4, damping: {stiffness: 1e-3 s}}\n"         \
  "bodies:\n"                                                                                      \
  "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}\n"                                                    \
  "  beam:\n"                                                                                      \
  "    elastic: {rod: {radius: 8 mm, from: [0, 0, 2 cm], to: [0, 0, 22 cm]}, material: rubber,\n"  \
  "              elements: {along: 4, across: 1}, basis: {modes: 2, derivatives: 1}}\n"            \
  "  tip: {shape: {sphere: {radius: 1 cm}}, mass: 10 g}\n"                                         \
  "joints:\n"                                                                                      \
  "  turn: {type: revolute, child: hub, axis: y}\n"                                                \
  "  clamp: {type: fixed, parent: hub, child: beam, face: start, at: [0, 0, 2 cm]}\n"              \
  "  end: {type: fixed, parent: beam, face: end, child: tip}\n"                                    \
  "motors: {drive: {joint: turn, keys: [[0.02, 0], [0.08, 40 deg]]}}\n"                            \
  "record: {every: 10 ms}\n"                                                                       \
  "duration: 0.2\n"                                                                                \
  "retarget: {bodies: {tip: {position: 1}}, spacing: 10 ms}\n"

typedef struct beam {
  lb_scene scene;
  lb_model *full, *reduced;
  lb_retarget* what;
  lb_curves* curves; // others than its motor's
} beam;

static void must(lb_status status, lb_error* err) {
  for (int i = 0; status != LB_OK && i < err->count; i++) {
    print_error("%s\n", err->message[i].text);
  }
  assert_int_equal(status, LB_OK);
}

static beam make(void) {
  beam b = {.full = NULL};
  lb_error err = lb_error_make(NULL);
  must(lb_scene_parse(BEAM, sizeof BEAM - 1, "beam.yaml", NULL, &b.scene, &err), &err);
  must(lb_model_create(&b.scene, NULL, &b.reduced, &err), &err);
  b.scene.solver.elastic = LB_SPACE_FULL;
  must(lb_model_create(&b.scene, NULL, &b.full, &err), &err);
  must(lb_retarget_create(b.reduced, &b.scene.retarget, NULL, &b.what, &err), &err);
  must(lb_curves_fit(b.reduced, b.what, NULL, &b.curves, &err), &err);
  for (int i = 5; i < 9; i++) {
    b.curves->control[i] += 0.1;
  }
  return b;
}

static void drop(beam* b) {
  lb_curves_release(b->curves);
  lb_retarget_release(b->what);
  lb_model_release(b->full);
  lb_model_release(b->reduced);
  lb_scene_release(&b->scene);
}

// Its motor as retargeting writes it down.
static lb_profile_definition spline_of(const lb_curves* c, double ends[2]) {
  ends[0] = c->start;
  ends[1] = c->start + c->spacing * (c->ncontrol - 3);
  return (lb_profile_definition){.kind = LB_PROFILE_BSPLINE,
                                 .degree = 3,
                                 .count = c->ncontrol,
                                 .time = ends,
                                 .value = c->control};
}

static lb_recording* record(const lb_model* shown, const lb_model* played) {
  lb_error err = lb_error_make(NULL);
  lb_recording* r = NULL;
  lb_summary summary;
  const lb_simulate_options o = lb_simulate_default();
  must(lb_recording_create(shown, 0, NULL, &r, &err), &err);
  must(lb_simulate(played, &o, r, &summary, &err), &err);
  return r;
}

static void a_full_model_plays_curves_as_one_compiled_with_them(void** state) {
  (void)state;
  beam b = make();
  lb_error err = lb_error_make(NULL);
  lb_model *played = NULL, *compiled = NULL;
  double ends[2];
  must(lb_model_play(b.full, b.what, b.curves, NULL, NULL, &played, &err), &err);
  b.scene.motor[0].profile = spline_of(b.curves, ends);
  must(lb_model_create(&b.scene, NULL, &compiled, &err), &err);
  lb_recording* one = record(b.full, played);
  lb_recording* two = record(compiled, compiled);
  lb_recording* own = record(b.full, b.full);
  assert_int_equal(one->nframe, 21);
  assert_int_equal(two->nframe, 21);
  const int tip = lb_model_body(b.full, "tip");
  double apart = 0, other = 0;
  for (int f = 0; f < one->nframe; f++) {
    const size_t at = (size_t)f * (size_t)b.full->nbody + (size_t)tip;
    apart = fmax(apart, lb_vec3_norm(lb_vec3_sub(one->pose[at].p, two->pose[at].p)));
    other = fmax(other, lb_vec3_norm(lb_vec3_sub(one->pose[at].p, own->pose[at].p)));
    assert_near(one->motor[f], two->motor[f], 1e-9);
  }
  print_message("%.2g m apart; the input's own curves %.2g m\n", apart, other);
  assert_near(apart, 0, 1e-12);
  assert_above(other, 1e-3);
  lb_recording_release(one);
  lb_recording_release(two);
  lb_recording_release(own);
  lb_model_release(played);
  lb_model_release(compiled);
  drop(&b);
}

static void curves_of_a_scene_are_those_its_motors_play(void** state) {
  (void)state;
  beam b = make();
  lb_error err = lb_error_make(NULL);
  lb_curves* c = NULL;
  double ends[2];
  assert_int_equal(lb_curves_of_scene(&b.scene, b.what, NULL, &c, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "motor 'drive'"));
  assert_int_equal(err.message[0].place.line, 13);
  assert_null(c);
  b.scene.motor[0].profile = spline_of(b.curves, ends);
  must(lb_curves_of_scene(&b.scene, b.what, NULL, &c, &err), &err);
  for (int k = 0; k <= 100; k++) {
    double x[3], y[3];
    lb_curves_evaluate(b.curves, 0, 2e-3 * k, x);
    lb_curves_evaluate(c, 0, 2e-3 * k, y);
    assert_near(x[0], y[0], 1e-14);
    assert_near(x[1], y[1], 1e-12);
  }
  lb_curves_release(c);
  lb_error_clear(&err);
  drop(&b);
}

static bool until_half(void* context, double fraction, const char* what) {
  (void)context;
  (void)what;
  return fraction < 0.5;
}

static void what_was_played_before_a_stop_is_compared(void** state) {
  (void)state;
  beam b = make();
  lb_error err = lb_error_make(NULL);
  lb_recording *target = NULL, *run = NULL;
  lb_deviation whole, half;
  lb_replay a = {.track = &whole}, part = {.track = &half};
  lb_simulate_options o = lb_simulate_default();
  must(lb_recording_create(b.reduced, 0, NULL, &target, &err), &err);
  must(lb_recording_create(b.full, 0, NULL, &run, &err), &err);
  must(lb_quasistatic_motion(b.reduced, &o, target, &err), &err);
  must(lb_replay_run(b.full, b.what, b.curves, target, &o, NULL, NULL, &a, &err), &err);
  o.progress.report = until_half;
  assert_int_equal(lb_replay_run(b.full, b.what, b.curves, target, &o, run, NULL, &part, &err),
                   LB_INTERRUPTED);
  print_message("peak %.3g m, of the first half %.3g m\n", a.all.peak, part.all.peak);
  assert_int_equal(run->nframe, 11);
  assert_above(part.all.peak, 1e-3);
  assert_at_most(part.all.peak, a.all.peak);
  assert_above(part.all.rms, 0.1 * part.all.peak);
  assert_below(part.all.rms, part.all.peak);
  lb_recording_release(run);
  lb_recording_release(target);
  lb_error_clear(&err);
  drop(&b);
}

static void without_memory_nothing_is_played_and_nothing_is_lost(void** state) {
  (void)state;
  beam b = make();
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status == LB_NO_MEMORY && n < 100; n++) {
    lb_counting count = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&count);
    lb_model* played = NULL;
    status = lb_model_play(b.full, b.what, b.curves, NULL, &allocator, &played, NULL);
    assert_true((status == LB_OK) == (played != NULL));
    lb_model_release(played);
    assert_int_equal(count.live, 0);
  }
  assert_int_equal(status, LB_OK);
  drop(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_full_model_plays_curves_as_one_compiled_with_them),
      cmocka_unit_test(curves_of_a_scene_are_those_its_motors_play),
      cmocka_unit_test(what_was_played_before_a_stop_is_compared),
      cmocka_unit_test(without_memory_nothing_is_played_and_nothing_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
