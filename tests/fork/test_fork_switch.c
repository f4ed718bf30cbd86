// Mechanisms that change between reduced and whole while they move, and other ways to step and show
// them: state handed over, phases of [fork] section 8.1, trees linearised in every step, links by
// their own exponentials.
#include "fork_scene_checks.h"
#include "math/space/se3.h"

// --- handing over ---

// A scene moved by its effectors for a while, then whole, and back. Loops are closed.
static void hand_to_whole(lb_scene* scene, double h, int steps, lb_fork_gap* gap,
                          lb_fork_gap* again) {
  lb_model *m = reduced_model(scene), *whole = NULL;
  assert_int_equal(lb_model_create(scene, NULL, &whole, NULL), LB_OK);
  lb_data *d = state_of(m), *w = state_of(whole), *back = state_of(m);
  lb_stepper* st = stepper_of(m);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
  }
  const lb_allocator* allocator = lb_allocator_default();
  assert_int_equal(lb_fork_hand_over(whole, w, m, d, allocator, gap, NULL), LB_OK);
  assert_below(lb_constraint_gap(whole, w, NULL), 1e-10);
  assert_true(w->time == d->time);
  assert_int_equal(lb_fork_hand_over(m, back, whole, w, allocator, again, NULL), LB_OK);
  print_message("to the whole: %.2g m, %.2g rad, %.2g m/s; back: %.2g m, %.2g rad, %.2g m/s\n",
                gap->way, gap->turn, gap->rate, again->way, again->turn, again->rate);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_data_release(w);
  lb_data_release(back);
  lb_model_release(m);
  lb_model_release(whole);
}

// Where joints can lead an effector to any place, it goes on as it was.
static void effectors_go_on_when_a_mechanism_becomes_whole(void** state) {
  (void)state;
  static const char* const scenes[] = {"wishbone", "helix-50", "ring", "two-links"};
  for (int i = 0; i < 4; i++) {
    fork_world w = fork_read(scenes[i]);
    lb_fork_gap gap, back;
    w.scene.fork[0].nmodel = 0;
    hand_to_whole(&w.scene, 2e-3, 100, &gap, &back);
    assert_below(gap.way, 1e-9);
    assert_below(gap.rate, 1e-8);
    assert_below(back.way, 1e-9);
    fork_drop(&w);
  }
}

// A coupler goes along an arc and the end of an arm on a sphere; reduced, both go along lines. On a
// base that flies, what is left is of second order.
static void where_joints_do_not_lead_it_is_told(void** state) {
  (void)state;
  lb_scene scene = parse(ROVER("bdf2", "[0, 0, -9.81]", "0.3", ""));
  lb_fork_gap gap, back;
  hand_to_whole(&scene, 1e-3, 300, &gap, &back);
  assert_below(gap.way, 1e-4);
  assert_above(gap.way, 1e-6);
  lb_scene_release(&scene);
}

// --- phases ---

static lb_scene read_scene(const char* name) {
  lb_scene scene;
  char path[400];
  snprintf(path, sizeof path, "%s/scenes/%s.yaml", LIMBER_SOURCE_DIR, name);
  assert_int_equal(lb_scene_read(path, NULL, &scene, NULL), LB_OK);
  return scene;
}

static lb_vec3 hand_in(const lb_recording* r, int frame) {
  const int lower = lb_model_body(r->model, "lower");
  return lb_transform_point(r->pose[frame * r->model->nbody + lower], lb_vec3_make(0.3, 0, 0));
}

// The hand neither jumps where phases change nor later; with the model that was added it stays
// where the whole had settled, and then goes as the whole does.
static void phases_go_on_from_each_other(void** state) {
  (void)state;
  lb_scene scene = read_scene("pull-and-switch");
  lb_model* m = NULL;
  lb_recording *r = NULL, *truth = NULL;
  lb_summary summary;
  lb_fork_switch change[3];
  int count = 0;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_recording_create(m, 0, NULL, &truth, NULL), LB_OK);
  assert_int_equal(lb_fork_simulate_phases(&scene, &o, r, &summary, change, &count, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, truth, &summary, NULL), LB_OK);
  assert_int_equal(count, 2);
  assert_int_equal(r->nframe, truth->nframe);
  assert_true(change[0].whole && !change[1].whole);
  assert_int_equal(change[1].models, 2);
  for (int i = 0; i < 2; i++) {
    assert_below(change[i].gap.way, 1e-10);
    assert_below(change[i].gap.rate, 1e-9);
  }
  assert_near(change[0].time, 1.5, 1e-9);
  assert_near(change[1].time, 4, 1e-9);
  double settled = 0, late = 0, before = 0;
  for (int f = 0; f < r->nframe; f++) {
    const double off = lb_vec3_norm(lb_vec3_sub(hand_in(r, f), hand_in(truth, f)));
    if (r->time[f] > 3.9 && r->time[f] < 4.4) {
      settled = fmax(settled, off);
    }
    before = r->time[f] < 1.5 ? fmax(before, off) : before;
    late = r->time[f] > 4.4 ? fmax(late, off) : late;
  }
  print_message("hand off the whole by %.2g m before, %.2g m settled, %.2g m after\n", before,
                settled, late);
  assert_above(before, 5e-3);
  assert_below(settled, 1e-6);
  assert_below(late, 1e-3);
  // no frame is farther from the one before it than the hand goes at its fastest
  for (int f = 1; f < r->nframe; f++) {
    assert_below(lb_vec3_norm(lb_vec3_sub(hand_in(r, f), hand_in(r, f - 1))), 0.02);
  }
  lb_recording_release(r);
  lb_recording_release(truth);
  lb_model_release(m);
  lb_scene_release(&scene);
}

// Memory that runs out is told, and nothing is kept.
static void memory_may_run_out_in_phases(void** state) {
  (void)state;
  lb_scene scene = read_scene("pull-and-switch");
  lb_model* m = NULL;
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  lb_simulate_options o = lb_simulate_default();
  o.step = 0.02;
  o.duration = 4.2;
  long requests = 0;
  for (long n = 0; n == 0 || n <= requests; n += 1 + requests / 100) {
    lb_counting count = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&count);
    lb_error err = lb_error_make(NULL);
    lb_recording* r = NULL;
    lb_summary summary;
    lb_fork_switch change[3];
    int changes = 0;
    lb_status status = lb_recording_create(m, 0, &allocator, &r, &err);
    if (status == LB_OK) {
      status = lb_fork_simulate_phases(&scene, &o, r, &summary, change, &changes, &err);
      lb_recording_release(r);
    }
    requests = n == 0 ? count.requests : requests;
    assert_int_equal(status, n == 0 ? LB_OK : LB_NO_MEMORY);
    assert_int_equal(count.live, 0);
    lb_error_clear(&err);
  }
  assert_above((double)requests, 100);
  lb_model_release(m);
  lb_scene_release(&scene);
}

// --- what scenes may say ---

static void assert_unreadable(const char* text, const char* words) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, strlen(text), "fork.yaml", NULL, &scene, &err), LB_INVALID);
  if (!strstr(err.message[0].text, words)) {
    print_error("wanted %s\ngot %s\n", words, err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
}

static void what_does_not_go_together_is_refused(void** state) {
  (void)state;
  assert_unreadable(ARM("    phases: [{add: true}]\n"), "nothing has moved yet");
  assert_unreadable(ARM("    phases: [{until: 1 s}, {until: 2 s, simulate: whole, add: true}]\n"),
                    "is not reduced");
  assert_unreadable(ARM("    phases: [{until: 2 s}, {until: 1 s, simulate: whole}]\n"),
                    "give each a later 'until'");
  assert_unreadable(ARM("    relinearise: true\n    models: [{}, {loads: {b: [0, 1, 0]}}]\n"),
                    "'relinearise' is in place of");
  assert_unreadable(ARM("    links: exponential\n    models: [{}, {loads: {b: [0, 1, 0]}}]\n"),
                    "'links: exponential' is of one model");
  assert_refused(ARM("    phases: [{until: 1 s}, {simulate: whole}]\n"), 11,
                 "through which 'limber simulate' goes");
  assert_refused(ARM("    relinearise: true\n"), 9, "linearised in every step, which takes longer");
}

// --- linearised in every step ---

static lb_status play(const fork_world* w, bool again, lb_fork_motion* motion, lb_error* err) {
  lb_scene_fork what = w->scene.fork[0];
  lb_fork* f[8] = {NULL};
  lb_recording* r = NULL;
  int count = 1;
  what.nmodel = 0;
  what.relinearise = again;
  lb_simulate_options o = lb_simulate_default();
  o.duration = 0.3;
  assert_int_equal(lb_fork_create(w->m, &what, 0, NULL, &f[0], NULL), LB_OK);
  assert_int_equal(lb_recording_create(w->m, 0, NULL, &r, NULL), LB_OK);
  const lb_status status = lb_fork_simulate(f, &count, &o, r, NULL, motion, err);
  lb_recording_release(r);
  lb_fork_release(f[0]);
  return status;
}

static void a_tree_is_linearised_in_every_step_when_asked(void** state) {
  (void)state;
  fork_world w = fork_read("two-links"), ring = fork_read("ring");
  lb_fork_motion once, again;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(play(&w, false, &once, NULL), LB_OK);
  assert_int_equal(play(&w, true, &again, NULL), LB_OK);
  print_message("moved %.3g m; off by %.3g m by one model, %.3g m anew in every step\n", once.moved,
                once.off, again.off);
  assert_below(again.off, 0.25 * once.off);
  assert_true(isnan(again.estimate) && !isnan(once.estimate));
  assert_int_equal(play(&ring, true, &again, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "it has loops"));
  lb_error_clear(&err);
  fork_drop(&w);
  fork_drop(&ring);
}

// --- links by their own exponentials ---

// In a scene, links between effectors are off from those by joints with the square of the way, and
// the effector is not.
static void links_may_go_by_their_own_exponentials(void** state) {
  (void)state;
  double off[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    fork_world w = fork_read("wishbone");
    lb_model* by[2];
    lb_data* d[2];
    for (int k = 0; k < 2; k++) {
      w.scene.fork[0].links = k;
      by[k] = reduced_model(&w.scene);
      d[k] = state_of(by[k]);
      const int link = by[k]->body.link[by[k]->mechanism.item[0].body];
      for (int y = 0; y < by[k]->nv; y++) {
        d[k]->q[by[k]->link.q[link] + y] = (i ? 0.1 : 0.2) / (1 + y);
        d[k]->qd[by[k]->link.v[link] + y] = 0.3 - 0.1 * y;
      }
      lb_poses(by[k], d[k]);
    }
    for (int b = 0; b < w.m->nbody; b++) {
      const bool inner = by[0]->mechanism.item[0].follows[b];
      const double apart = lb_vec3_norm(lb_vec3_sub(d[0]->pose[b].p, d[1]->pose[b].p));
      off[i] = fmax(off[i], inner ? apart : 0);
      assert_true(inner || apart < 1e-15);
    }
    for (int k = 0; k < 2; k++) {
      lb_data_release(d[k]);
      lb_model_release(by[k]);
    }
    fork_drop(&w);
  }
  print_message("links part by %.3g m, and by %.3g m half of the way\n", off[0], off[1]);
  assert_above(off[0], 1e-4);
  assert_near(log2(off[0] / off[1]), 2, 0.2);
}

// Their velocities are differences of their poses, on a base that moves.
static void such_links_have_velocities(void** state) {
  (void)state;
  static const char* const names[] = {"left", "right", "arm"};
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(ROVER_OF("bdf1", "[0, 0, -9.81]", "0.3", "", ", links: exponential"),
                               "rover.yaml", &err);
  assert_non_null(w);
  assert_velocities(w, 3, names);
  lb_world_close(w);
  lb_error_clear(&err);
}

// In `limber fork`, frames have links where lb_fork_links has them.
static void frames_have_links_as_printed(void** state) {
  (void)state;
  fork_world w = fork_read("wishbone");
  double apart[2] = {0, 0};
  lb_recording* r[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    lb_scene_fork what = w.scene.fork[0];
    lb_fork* f[1] = {NULL};
    lb_fork_motion motion;
    int count = 1;
    what.links = k;
    what.nmodel = 0;
    lb_simulate_options o = lb_simulate_default();
    o.duration = 0.2;
    assert_int_equal(lb_fork_create(w.m, &what, 0, NULL, &f[0], NULL), LB_OK);
    assert_int_equal(lb_recording_create(w.m, 0, NULL, &r[k], NULL), LB_OK);
    assert_int_equal(lb_fork_simulate(f, &count, &o, r[k], NULL, &motion, NULL), LB_OK);
    lb_fork_release(f[0]);
  }
  const int last = (r[0]->nframe - 1) * w.m->nbody;
  for (int b = 0; b < w.m->nbody; b++) {
    apart[0] = fmax(apart[0], lb_vec3_norm(lb_vec3_sub(r[0]->pose[b].p, r[1]->pose[b].p)));
    apart[1] =
        fmax(apart[1], lb_vec3_norm(lb_vec3_sub(r[0]->pose[last + b].p, r[1]->pose[last + b].p)));
  }
  assert_below(apart[0], 1e-12);
  assert_above(apart[1], 1e-6);
  lb_recording_release(r[0]);
  lb_recording_release(r[1]);
  fork_drop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(effectors_go_on_when_a_mechanism_becomes_whole),
      cmocka_unit_test(where_joints_do_not_lead_it_is_told),
      cmocka_unit_test(phases_go_on_from_each_other),
      cmocka_unit_test(memory_may_run_out_in_phases),
      cmocka_unit_test(what_does_not_go_together_is_refused),
      cmocka_unit_test(a_tree_is_linearised_in_every_step_when_asked),
      cmocka_unit_test(links_may_go_by_their_own_exponentials),
      cmocka_unit_test(such_links_have_velocities),
      cmocka_unit_test(frames_have_links_as_printed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
