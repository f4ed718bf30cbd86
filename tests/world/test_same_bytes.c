// Runs that must not depend on who looks on or how many work: saved and restored, recorded often or
// seldom, by one thread or several, they are the same to the last bit.
#include "walk_on_ground.h"
#include "world/world_inside.h"

// --- saved and restored ---

static size_t state_of(lb_world* w, double** state) {
  const size_t size = lb_world_state_size(w);
  *state = calloc(size, sizeof **state);
  assert_non_null(*state);
  lb_world_save(w, *state);
  return size;
}

// q, qd and the points of contact.
static void assert_alike(lb_world* a, lb_world* b) {
  enum { ROOM = 2000 };
  const lb_model* m = lb_world_model(a);
  const lb_data *x = lb_world_data(a), *y = lb_world_data(b);
  assert_memory_equal(x->q, y->q, (size_t)m->nq * sizeof *x->q);
  assert_memory_equal(x->qd, y->qd, (size_t)m->nv * sizeof *x->qd);
  lb_body_contact* p = calloc(2 * ROOM, sizeof *p);
  const int n = lb_world_contacts(a, p, ROOM);
  assert_int_equal(lb_world_contacts(b, p + ROOM, ROOM), n);
  for (int i = 0; i < n && i < ROOM; i++) {
    const lb_body_contact *s = &p[i], *t = &p[ROOM + i];
    assert_true(s->id == t->id);
    assert_memory_equal(&s->point, &t->point, sizeof s->point);
    assert_memory_equal(&s->force, &t->force, sizeof s->force);
    assert_memory_equal(&s->slip, &t->slip, sizeof s->slip);
  }
  free(p);
}

// In the same world, in one that was elsewhere, and in one that has not moved.
static void check_states(const char* scene, const char* set, int steps) {
  const char* const sets[] = {set};
  ground_walk a, b, c;
  open_scene(&a, scene, set != NULL, sets);
  open_scene(&b, scene, set != NULL, sets);
  open_scene(&c, scene, set != NULL, sets);
  double* state = NULL;
  step_walk(&a, steps);
  state_of(a.world, &state);
  const int touching = lb_world_contacts(a.world, NULL, 0);
  step_walk(&a, steps);
  step_walk(&b, steps / 3);
  lb_world_restore(b.world, state);
  step_walk(&b, steps);
  assert_alike(a.world, b.world);
  lb_world_restore(c.world, state);
  assert_int_equal(lb_world_contacts(c.world, NULL, 0), touching);
  step_walk(&c, steps);
  assert_alike(a.world, c.world);
  lb_world_restore(a.world, state);
  step_walk(&a, steps);
  assert_alike(a.world, b.world);
  free(state);
  close_walk(&a);
  close_walk(&b);
  close_walk(&c);
}

static void states_with_contacts_go_on_as_they_were(void** state) {
  (void)state;
  check_states("jansen", NULL, 100);
  check_states("dog", NULL, 100);
  check_states("card-house", NULL, 100);
  check_states("skittles", NULL, 300);
  check_states("marble-run", NULL, 300);
  check_states("windup", NULL, 100);
  check_states("pile-100", NULL, 200);
  check_states("jelly", NULL, 130);
  check_states("trampoline", NULL, 260);
  check_states("stack-10", "solver.integrator=bdf2", 50);
  check_states("klann", "solver.integrator=sdirk2", 30);
  check_states("klann", "solver.coordinates=maximal", 50);
}

// --- by several threads ---

static void check_threads(const char* scene, const char* set, int steps) {
  double* state[3];
  size_t size = 0;
  for (int i = 0; i < 3; i++) {
    ground_walk w;
    open_scene(&w, scene, set != NULL, &set);
    w.world->d->threads = 1 << i;
    step_walk(&w, steps);
    assert_true(lb_world_contacts(w.world, NULL, 0) > 0);
    size = state_of(w.world, &state[i]);
    close_walk(&w);
    assert_memory_equal(state[i], state[0], size * sizeof *state[0]);
  }
  for (int i = 0; i < 3; i++) {
    free(state[i]);
  }
}

static void walkers_are_the_same_for_any_number_of_threads(void** state) {
  (void)state;
  lb_test_needs_speed();
  check_threads("jansen", NULL, 500);
  check_threads("klann-dunes", NULL, 300);
  check_threads("dog", "solver.coordinates=maximal", 100);
}

// --- observed ---

static bool is_same(const lb_data* x, const lb_data* y) {
  const size_t nq = (size_t)x->model->nq * sizeof *x->q, nv = (size_t)x->model->nv * sizeof *x->qd;
  return memcmp(x->q, y->q, nq) == 0 && memcmp(x->qd, y->qd, nv) == 0;
}

// Motion and forces read after every so many steps, and never.
static void check_reading(const char* scene, const char* set, int steps) {
  static const int EVERY[] = {1, 2, 5};
  for (size_t i = 0; i < sizeof EVERY / sizeof *EVERY; i++) {
    ground_walk a, b;
    open_scene(&a, scene, set != NULL, &set);
    open_scene(&b, scene, set != NULL, &set);
    for (int k = 1; k <= steps; k++) {
      step_walk(&a, 1);
      step_walk(&b, 1);
      if (k % EVERY[i] == 0) {
        lb_world_read(b.world, LB_READ_MOTION | LB_READ_FORCES);
      }
    }
    assert_true(is_same(lb_world_data(a.world), lb_world_data(b.world)));
    close_walk(&a);
    close_walk(&b);
  }
}

static void reading_leaves_no_trace(void** state) {
  (void)state;
  lb_test_needs_speed();
  check_reading("jansen", NULL, 300);
  check_reading("jansen", "solver.coordinates=maximal", 50);
  check_reading("klann", "solver.integrator=bdf2", 50);
  check_reading("dog-slope", NULL, 300);
  check_reading("scissor", "solver.integrator=rk4", 200);
  check_reading("ratchet", NULL, 200);
}

// --- recorded ---

static lb_recording* record(const lb_model* m) {
  lb_error err = lb_error_make(NULL);
  lb_summary summary;
  lb_recording* r = NULL;
  const lb_simulate_options options = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, &err), LB_OK);
  assert_int_equal(lb_simulate(m, &options, r, &summary, &err), LB_OK);
  lb_error_clear(&err);
  return r;
}

typedef struct recorded {
  lb_model* m;
  lb_recording* r;
} recorded;

static recorded record_scene(lb_scene_origin from, double duration, int stride) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  recorded out;
  assert_int_equal(lb_scene_open(&from, NULL, &scene, &err), LB_OK);
  scene.duration = duration;
  scene.record.every = stride * scene.solver.step;
  assert_int_equal(lb_model_create(&scene, NULL, &out.m, &err), LB_OK);
  out.r = record(out.m);
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return out;
}

static void release(recorded* x) {
  lb_recording_release(x->r);
  lb_model_release(x->m);
}

// Frames that both have are the same.
static void assert_same_frames(const recorded* all, const recorded* some, int stride) {
  const size_t nq = (size_t)all->m->nq;
  assert_int_equal(some->r->nframe, 1 + (all->r->nframe - 1) / stride);
  for (int f = 0; f < some->r->nframe; f++) {
    const double *a = all->r->q + (size_t)(f * stride) * nq, *b = some->r->q + (size_t)f * nq;
    assert_memory_equal(a, b, nq * sizeof *a);
  }
}

static void check_strides(lb_scene_origin from, double duration) {
  recorded all = record_scene(from, duration, 1);
  for (int stride = 2; stride <= 5; stride += 3) {
    recorded some = record_scene(from, duration, stride);
    assert_same_frames(&all, &some, stride);
    release(&some);
  }
  release(&all);
}

static void check_scene(const char* name, const char* set, double duration) {
  char path[300];
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s.yaml", name);
  check_strides((lb_scene_origin){.name = path, .nset = set != NULL, .set = &set}, duration);
}

// Driven coordinates are those of the time as it is rounded, whoever looks.
static void check_driven(lb_integrator by) {
  static const char text[] =
      "bodies: {arm: {shape: {box: [0.3, 0.02, 0.02]}}, bob: {shape: {box: [0.02, 0.02, 0.3]}}}\n"
      "joints: {base: {type: revolute, child: arm, axis: z}, swing: {type: revolute, parent: arm, "
      "child: bob, at: [0.15, 0, 0], in_child: [0, 0, 0.15], axis: x}}\n"
      "motors: {spin: {joint: base, ease: linear, keys: [[0, 0], [10, 37]]}}\n";
  char set[60];
  const char* sets[] = {set};
  snprintf(set, sizeof set, "solver.integrator=%s", lb_integrator_name(by));
  check_strides(
      (lb_scene_origin){
          .text = text, .length = strlen(text), .name = "driven", .nset = 1, .set = sets},
      1);
}

static void how_often_is_recorded_does_not_matter(void** state) {
  (void)state;
  for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
    if (lb_integrator_method(by) != LB_METHOD_ADAPTIVE) {
      check_driven(by);
    }
  }
  check_scene("four-bar", NULL, 0.5);
  check_scene("cam", NULL, 0.5);
}

static void nor_does_it_for_walkers(void** state) {
  (void)state;
  lb_test_needs_speed();
  check_scene("jansen", NULL, 1);
  check_scene("dog", NULL, 0.3);
  check_scene("klann", "solver.coordinates=maximal", 0.1);
  check_scene("walking-leg", "solver.integrator=sdirk2", 0.3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_with_contacts_go_on_as_they_were),
      cmocka_unit_test(walkers_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(reading_leaves_no_trace),
      cmocka_unit_test(how_often_is_recorded_does_not_matter),
      cmocka_unit_test(nor_does_it_for_walkers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
