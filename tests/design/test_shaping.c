// Modes, shapers and deviations, against closed forms.
#include "limber/limber.h"
#include "limber/shaping.h"
#include "test.h"

typedef struct world {
  lb_scene scene;
  lb_model* m;
  lb_data* d;
  lb_retarget* what;
} world;

static world make(const char* text) {
  world w = {.m = NULL};
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "shaping.yaml", NULL, &w.scene, &err) != LB_OK ||
      lb_model_create(&w.scene, NULL, &w.m, &err) != LB_OK ||
      lb_data_create(w.m, NULL, &w.d, &err) != LB_OK || lb_assemble(w.m, w.d, &err) != LB_OK ||
      lb_equilibrium(w.m, w.d, &err) != LB_OK ||
      (w.scene.retarget.ntrack > 0 &&
       lb_retarget_create(w.m, &w.scene.retarget, NULL, &w.what, &err) != LB_OK)) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return w;
}

static void drop(world* w) {
  lb_retarget_release(w->what);
  lb_data_release(w->d);
  lb_model_release(w->m);
  lb_scene_release(&w->scene);
}

static int modes(world* w, int most, lb_vibration* mode) {
  int count = 0;
  assert_int_equal(lb_modes_of_model(w->m, w->d, most, mode, &count, NULL), LB_OK);
  return count;
}

// f = sqrt(m g L / I) / 2 pi and zeta = c / (2 I w) of a pendulum that starts off its rest.
static void a_pendulum_has_its_frequency_and_damping(void** state) {
  (void)state;
  world w = make("bodies: {bob: {mass: 2 kg, shape: {sphere: {radius: 10 cm}}}}\n"
                 "joints: {pivot: {type: revolute, child: bob, in_child: [0.3, 0, 0.4], axis: y,\n"
                 "                 damping: 0.3}}\nduration: 1\n");
  lb_vibration mode;
  assert_int_equal(modes(&w, 1, &mode), 1);
  const double I = 2 * (0.25 + 0.4 * 0.01), w0 = sqrt(2 * 9.80665 * 0.5 / I);
  const double g = lb_vec3_norm(w.m->gravity), w1 = sqrt(2 * g * 0.5 / I);
  assert_near(w0, w1, 1e-2);
  assert_near(mode.frequency, w1 / (2 * M_PI), 1e-9);
  assert_near(mode.damping, 0.3 / (2 * I * w1), 1e-9);
  drop(&w);
}

#define ROD                                                                                        \
  "materials: {s: {density: 7850, young: 200 GPa, poisson: 0.3, damping: {mass: 0.4, stiffness: "  \
  "1e-4}}}\n"                                                                                      \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  hub: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"                                         \
  "  rod: {elastic: {rod: {radius: 3 mm, to: [0, 0, 0.5]}, material: s,\n"                         \
  "        elements: {across: 1}}}\n"                                                              \
  "joints:\n"                                                                                      \
  "  motor: {type: revolute, child: hub, axis: y}\n"                                               \
  "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"

// Each bending mode twice, and damping alpha / 2w + beta w / 2.
static void a_rod_on_a_motor_vibrates_as_a_cantilever(void** state) {
  (void)state;
  world w = make(ROD "motors: {turn: {joint: motor, keys: [[0, 0]]}}\nduration: 1\n");
  lb_vibration mode[2];
  assert_at_least(modes(&w, 2, mode), 2);
  const double A = M_PI * 9e-6, I = M_PI * 81e-12 / 4;
  const double euler = 3.5160 / (2 * M_PI) * sqrt(200e9 * I / (7850 * A * 0.0625));
  print_message("%.5g Hz, %.5g Hz; beam theory %.5g Hz\n", mode[0].frequency, mode[1].frequency,
                euler);
  assert_near(mode[0].frequency / euler, 1, 0.01);
  assert_near(mode[1].frequency / mode[0].frequency, 1, 0.01);
  const double omega = 2 * M_PI * mode[0].frequency;
  assert_near(mode[0].damping, 0.4 / (2 * omega) + 1e-4 * omega / 2, 1e-3);
  drop(&w);
}

// A weight on a spring, carried by a slide: linear, one mode.
#define CART                                                                                       \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  cart: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"                                        \
  "  load: {mass: 0.5 kg, shape: {sphere: {radius: 1 cm}}}\n"                                      \
  "joints:\n"                                                                                      \
  "  track: {type: prismatic, child: cart, axis: x}\n"                                             \
  "  spring: {type: prismatic, parent: cart, child: load, axis: x, spring: {stiffness: 80}, "      \
  "damping: 0.6}\n"                                                                                \
  "motors: {drive: {joint: track, keys: [[0.2, 0], [0.3, 0.5]]}}\n"                                \
  "solver: {integrator: bdf2, step: 1 ms}\nrecord: {every: 5 ms}\n"                                \
  "retarget: {bodies: {load: {position: 1}}}\nduration: 2\n"

typedef struct replays {
  lb_recording *target, *run;
  lb_deviation track[1];
} replays;

static lb_replay play(world* w, const lb_curves* c, replays* s) {
  lb_replay out = {.track = s->track};
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(w->m, 0, NULL, &s->target, NULL), LB_OK);
  assert_int_equal(lb_recording_create(w->m, 0, NULL, &s->run, NULL), LB_OK);
  if (lb_quasistatic_motion(w->m, &o, s->target, &err) != LB_OK ||
      lb_replay_run(w->m, w->what, c, s->target, &o, s->run, NULL, &out, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return out;
}

static void end(replays* s) {
  lb_recording_release(s->target);
  lb_recording_release(s->run);
}

// How far the load is off in the last second.
static double vibration(const replays* s) {
  double most = 0;
  const int nbody = s->run->model->nbody;
  for (int f = s->run->nframe / 2; f < s->run->nframe; f++) {
    most = fmax(most, fabs(s->run->pose[f * nbody + 1].p.x - s->target->pose[f * nbody + 1].p.x));
  }
  return most;
}

static void shapers_leave_no_vibration_in_a_linear_system(void** state) {
  (void)state;
  world w = make(CART);
  lb_vibration mode[2];
  replays raw;
  assert_int_equal(lb_modes_to_shape(w.m, NULL, mode, NULL), LB_OK);
  const lb_replay was = play(&w, NULL, &raw);
  assert_above(vibration(&raw), 0.02);
  for (int b = LB_BASELINE_ZV; b <= LB_BASELINE_ZVD; b++) {
    lb_curves* c = NULL;
    replays s;
    assert_int_equal(lb_baseline_curves(w.m, w.what, (lb_baseline)b, mode, NULL, &c, NULL), LB_OK);
    const lb_replay is = play(&w, c, &s);
    print_message("%s: %.2g m left of %.2g m; late by %.3g s\n", lb_baseline_name((lb_baseline)b),
                  vibration(&s), vibration(&raw), is.all.delay);
    assert_below(vibration(&s), 1e-3 * vibration(&raw));
    // the price: the first half comes late by half a period, a quarter of it in the middle
    assert_above(is.all.delay, was.all.delay);
    lb_curves_release(c);
    end(&s);
  }
  end(&raw);
  drop(&w);
}

static void a_motion_is_no_distance_from_itself_and_late_by_its_lag(void** state) {
  (void)state;
  world w = make(CART);
  replays s;
  lb_deviation track[1], all;
  play(&w, NULL, &s);
  lb_deviation_find(w.m, w.what, s.target, s.target, track, &all);
  assert_near(all.peak, 0, 0);
  assert_near(all.rms, 0, 0);
  assert_near(all.pause, 0, 0);
  assert_near(all.delay, 0, 1e-12);
  // the target played 40 ms, eight frames, later
  for (int f = s.target->nframe - 1; f >= 0; f--) {
    for (int b = 0; b < w.m->nbody; b++) {
      s.run->pose[f * w.m->nbody + b] = s.target->pose[(f > 8 ? f - 8 : 0) * w.m->nbody + b];
    }
  }
  lb_deviation_find(w.m, w.what, s.target, s.run, track, &all);
  assert_near(all.delay, 0.04, 1e-9);
  assert_near(all.pause, 0, 0);
  assert_above(all.peak, 0.1);
  end(&s);
  drop(&w);
}

// A ramp that is followed with a lag comes late by just that, once it is under way.
static void a_lag_delays_a_ramp_by_itself(void** state) {
  (void)state;
  lb_curves *c = NULL, *lagged = NULL;
  assert_int_equal(lb_curves_create(1, 103, 0, 0.01, NULL, &c, NULL), LB_OK);
  for (int i = 0; i < c->ncontrol; i++) { // x = 2 t from control points at the knots' means
    const double at = i == 0     ? 0
                      : i == 1   ? 1. / 3
                      : i == 101 ? 99 + 2. / 3
                      : i == 102 ? 100
                                 : i - 1;
    c->control[i] = 2 * 0.01 * at;
  }
  assert_int_equal(lb_curves_lag(c, 0.02, NULL, &lagged, NULL), LB_OK);
  double x[3], y[3];
  lb_curves_evaluate(c, 0, 0.5, x);
  lb_curves_evaluate(lagged, 0, 0.5, y);
  assert_near(x[0], 1, 1e-12);
  assert_near(y[0], 2 * (0.5 - 0.02), 1e-6);
  lb_curves_release(c);
  lb_curves_release(lagged);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_has_its_frequency_and_damping),
      cmocka_unit_test(a_rod_on_a_motor_vibrates_as_a_cantilever),
      cmocka_unit_test(shapers_leave_no_vibration_in_a_linear_system),
      cmocka_unit_test(a_motion_is_no_distance_from_itself_and_late_by_its_lag),
      cmocka_unit_test(a_lag_delays_a_ramp_by_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
