// Results of contact: the points that frames keep, the totals of bodies, overlaps at the start.
#include "solve/recorded.h"

#define BLOCKS                                                                                     \
  "contacts: {tolerance: 1e-10}\n"                                                                 \
  "duration: 0.6 s\n"                                                                              \
  "solver: {step: 1 ms}\n"                                                                         \
  "record: {every: 100 ms}\n"                                                                      \
  "materials: {m: {friction: 0.3}}\n"                                                              \
  "scenery: [{box: [40, 4, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"

static const double G = 9.81;

static int channel_of(const lb_recording* r, const char* name, const char* what) {
  for (int i = 0; i < r->nchannel; i++) {
    if (strcmp(r->channel[i].name, name) == 0 && strcmp(r->channel[i].what, what) == 0) {
      return i;
    }
  }
  fail_msg("no channel %s.%s", name, what);
  return -1;
}

static double value_of(const lb_recording* r, int frame, const char* name, const char* what) {
  return r->force[(size_t)frame * (size_t)r->nchannel + (size_t)channel_of(r, name, what)];
}

// Force on a body, from the points of a frame.
static lb_vec3 force_on(const lb_recording* r, int frame, int body) {
  const lb_body_contact* c = NULL;
  const int n = lb_recording_contacts(r, frame, &c);
  lb_vec3 sum = {0, 0, 0};
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) {
      sum = c[i].body[k] == body ? lb_vec3_add(sum, lb_vec3_scale(k ? -1 : 1, c[i].force)) : sum;
    }
  }
  return sum;
}

// Two boxes of 1 kg and 2 kg on each other: the lower one is pressed down by the upper one's weight
// and carried with both, so that its total is its own.
static void forces_on_bodies_at_rest_are_their_weights(void** state) {
  (void)state;
  lb_recording* r =
      run(BLOCKS "bodies:\n"
                 "  low: {shape: {box: [0.1, 0.1, 0.1]}, material: m, mass: 1, position: [0, 0, 5 "
                 "cm]}\n"
                 "  high: {shape: {box: [0.1, 0.1, 0.1]}, material: m, mass: 2, position: [0, 0, "
                 "15 cm]}\n");
  const int f = r->nframe - 1;
  const double weight[] = {G, 2 * G};
  static const char* const name[] = {"low", "high"};
  for (int b = 0; b < 2; b++) {
    const lb_vec3 sum = force_on(r, f, b);
    print_message("%s: (%g, %g, %g) N of %g N\n", name[b], sum.x, sum.y, sum.z, weight[b]);
    assert_within(sum.z, weight[b], 1e-6);
    assert_within(sum.x, 0, 1e-6);
    assert_within(value_of(r, f, name[b], "contact.fz"), sum.z, 1e-12);
    assert_within(value_of(r, f, name[b], "contact.fx"), sum.x, 1e-12);
  }
  assert_within(force_on(r, f, LB_WORLD).z, -3 * G, 1e-6);
  assert_int_equal(lb_recording_contacts(r, 0, &(const lb_body_contact*){NULL}), 0);
  assert_true(isnan(lb_recording_contacts_end(r)));
  end(r);
}

// v = v0 - mu g t, and mu m g against it.
static void a_block_that_slides_has_friction_and_slip(void** state) {
  (void)state;
  lb_recording* r = run(BLOCKS "bodies: {block: {shape: {box: [0.1, 0.1, 0.1]}, material: m, mass: "
                               "1, position: [0, 0, 5 cm]}}\n"
                               "initial: {block: {velocity: [2, 0, 0]}}\n");
  const int f = 5;
  const lb_body_contact* c = NULL;
  const int n = lb_recording_contacts(r, f, &c);
  assert_int_equal(n, 4);
  for (int i = 0; i < n; i++) {
    assert_within(c[i].slip.x, 2 - 0.3 * G * r->time[f], 1e-6);
    assert_within(c[i].normal.z, c[i].body[0] == LB_WORLD ? -1 : 1, 1e-9);
    assert_within(c[i].gap, 0, 1e-6);
  }
  assert_within(force_on(r, f, 0).x, -0.3 * G, 1e-5);
  end(r);
}

static void bodies_that_overlap_at_the_start_are_found(void** state) {
  (void)state;
  lb_model* m =
      compile(BLOCKS "bodies:\n"
                     "  deep: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 4 cm]}\n"
                     "  near: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0.099, 5 cm]}\n"
                     "  flush: {shape: {box: [0.1, 0.1, 0.1]}, position: [1, 0, 5 cm]}\n");
  lb_data* d = NULL;
  lb_overlaps o;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_find_overlaps(m, d, NULL, &o, NULL), LB_OK);
  assert_int_equal(o.count, 2);
  assert_int_equal(o.nshown, 2);
  assert_within(o.deepest[0].depth, 0.01, 1e-9);
  assert_true(o.deepest[0].body[0] == LB_WORLD || o.deepest[0].body[1] == LB_WORLD);
  assert_within(o.deepest[1].depth, 0.001, 1e-9);
  lb_data_release(d);
  lb_model_release(m);
}

// Frames beyond the bound have no points, and the time is told from which on.
static void points_are_bounded(void** state) {
  (void)state;
  lb_recording* r = run(BLOCKS "bodies: {block: {shape: {box: [0.1, 0.1, 0.1]}, material: m, "
                               "position: [0, 0, 5 cm]}}\n");
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  assert_int_equal(lb_data_create(r->model, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(r->model, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
  r->nframe = 0;
  for (int i = 0; i < LB_CONTACTS_KEPT / 4 + 3; i++) {
    assert_int_equal(lb_recording_add(r), i);
    r->time[i] = d->time = i;
    assert_true(lb_recording_put_contacts(r));
    assert_true(lb_recording_add_contacts(r, d));
  }
  assert_int_equal(lb_recording_ncontact(r), LB_CONTACTS_KEPT);
  assert_true(lb_recording_contacts_end(r) == LB_CONTACTS_KEPT / 4 + 1); // frame 0 has none
  lb_stepper_release(st);
  lb_data_release(d);
  end(r);
}

// A ball of 2 kg that flies at 3 m/s between two walls, e = 0.7: impulse k is m v e^k (1 + e), in
// whatever frame it falls, and at the time of its step.
static void impacts_between_frames_are_kept(void** state) {
  (void)state;
  static const double EVERY[] = {0.5, 1, 20, 100, 350}, E = 0.7; // [ms]
  for (size_t i = 0; i < sizeof EVERY / sizeof *EVERY; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "contacts: {tolerance: 1e-10}\n"
             "gravity: [0, 0, 0]\nduration: 2.1 s\nsolver: {step: 0.5 ms}\n"
             "record: {every: %g ms}\n"
             "materials: {m: {friction: 0, restitution: 0.7}}\n"
             "scenery:\n"
             "- {box: [1, 4, 4], position: [-1.1, 0, 0], solid: true, material: m}\n"
             "- {box: [1, 4, 4], position: [1.1, 0, 0], solid: true, material: m}\n"
             "bodies: {ball: {shape: {sphere: {radius: 0.1}}, material: m, mass: 2}}\n"
             "initial: {ball: {velocity: [3, 0, 0]}}\n",
             EVERY[i]);
    lb_recording* r = run(text);
    double v = 3, found = 0, sum = 0;
    for (double at = 0.5 / v; at < 2.1; at += 1 / v) {
      sum += 2 * v * (1 + E);
      v *= E;
    }
    for (int f = 1; f < r->nframe; f++) {
      const lb_body_contact* c = NULL;
      const int n = lb_recording_contacts(r, f, &c);
      const double length = r->time[f] - r->time[f - 1];
      lb_vec3 total = {0, 0, 0};
      for (int k = 0; k < n; k++) {
        found += length * lb_vec3_norm(c[k].force);
        assert_true(c[k].time > r->time[f - 1] && c[k].time <= r->time[f]);
        total = lb_vec3_add(total, lb_vec3_scale(c[k].body[0] == 0 ? 1 : -1, c[k].force));
      }
      assert_within(value_of(r, f, "ball", "contact.fx"), total.x, 1e-12);
    }
    print_message("frames of %g ms: %.9g N s of %.9g\n", EVERY[i], found, sum);
    assert_within(found, sum, 1e-6);
    end(r);
  }
}

// Impulses of all frames and that of weight make the change of momentum, at any frame rate.
static void impulses_are_the_change_of_momentum(void** state) {
  (void)state;
  static const double EVERY[] = {1, 7, 20};
  for (size_t i = 0; i < sizeof EVERY / sizeof *EVERY; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "contacts: {}\nduration: 1.4 s\nsolver: {step: 1 ms}\nrecord: {every: %g ms}\n"
             "materials: {m: {restitution: 0.7}}\n"
             "scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true, material: m}]\n"
             "bodies: {ball: {shape: {sphere: {radius: 0.1}}, material: m, mass: 2, position: [0, "
             "0, 1]}}\n",
             EVERY[i]);
    lb_recording* r = run(text);
    double impulse = 0;
    for (int f = 1; f < r->nframe; f++) {
      impulse += (r->time[f] - r->time[f - 1]) * force_on(r, f, 0).z;
    }
    const int v = r->model->joint.v[0], last = r->nframe - 1;
    const double* qd = r->qd + (size_t)last * (size_t)r->model->nv + v;
    const double weight = 2 * G * r->time[last];
    print_message("frames of %g ms: %.9g N s, momentum %.9g\n", EVERY[i], impulse, 2 * qd[5]);
    assert_within(impulse - weight, 2 * qd[5], 1e-6);
    end(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_on_bodies_at_rest_are_their_weights),
      cmocka_unit_test(a_block_that_slides_has_friction_and_slip),
      cmocka_unit_test(bodies_that_overlap_at_the_start_are_found),
      cmocka_unit_test(points_are_bounded),
      cmocka_unit_test(impacts_between_frames_are_kept),
      cmocka_unit_test(impulses_are_the_change_of_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
