// Maps of errors over forces, and both motions as a watcher sees them.
#include "counting.h"
#include "fork_world.h"

enum { SIDE = 11, CELLS = SIDE * SIDE, MIDDLE = CELLS / 2 };

// Two hinges with models at rest and under a load along x.
static const char ARM[] = "gravity: [0, 0, 0]\n"
                          "duration: 0.2 s\n"
                          "solver: {integrator: bdf2, step: 1 ms}\n"
                          "bodies: {a: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3]}, b: {mass: 0.1, "
                          "inertia: [1e-3, 1e-3, 1e-3]}}\n"
                          "joints:\n"
                          "  a: {type: revolute, child: a, axis: y, spring: {stiffness: 100}, "
                          "damping: 0.3}\n"
                          "  b: {type: revolute, parent: a, child: b, at: [0.2, 0, 0.3], axis: y, "
                          "spring: {stiffness: 50}, damping: 0.2}\n"
                          "markers: {end: {body: b, at: [0.3, 0, -0.1]}}\n"
                          "fork: {arm: {effectors: [end], models: [{}%s]}}\n"
                          "loads: {push: {body: b, at: [0.3, 0, -0.1], force: [%s N, 0, 0], keys: "
                          "[[0 s, 0], [0.05 s, 1]]}}\n";

static fork_world make(const char* more, const char* push) {
  char text[sizeof ARM + 100];
  snprintf(text, sizeof text, ARM, more, push);
  return fork_parse(text);
}

static lb_fork_map* map_of(lb_fork* const* fork, int count) {
  lb_fork_map* map = NULL;
  assert_int_equal(lb_fork_map_create(fork, count, 0, SIDE, NULL, &map, NULL), LB_OK);
  return map;
}

// The whole is where its equilibria under these forces are; a model is exact where it was made.
static void maps_are_of_equilibria(void** state) {
  (void)state;
  fork_world w = make(", {loads: {end: [40 N, 0, 0]}}", "10");
  lb_fork* fork[] = {fork_reduce(&w, 0), fork_reduce(&w, 1)};
  lb_fork_map* map = map_of(fork, 2);
  assert_int_equal(map->axis[0], 0);
  assert_int_equal(map->axis[1], 2);
  assert_near(map->force, 50, 1e-9); // a quarter more than the model's load
  for (int i = 0; i < CELLS; i += 7) {
    lb_fork* whole = NULL;
    const double force[6] = {0, 0,
                             0, 50 * (2. * (i % SIDE) / (SIDE - 1) - 1),
                             0, 50 * (2. * (i / SIDE) / (SIDE - 1) - 1)};
    assert_int_equal(lb_fork_create_under(w.m, &w.scene.fork[0], 0, force, NULL, &whole, NULL),
                     LB_OK);
    assert_near(map->moved[i], lb_vec3_norm(lb_vec3_sub(whole->pose[0].p, fork[0]->pose[0].p)),
                1e-8);
    lb_fork_release(whole);
  }
  const int loaded = MIDDLE + 4; // 40 N along x
  assert_below(map->off[0][MIDDLE], 1e-8);
  assert_below(map->off[1][MIDDLE], 1e-8);
  assert_below(map->off[1][loaded], 1e-8);
  assert_above(map->off[0][loaded], 1e-4);
  for (int i = 1; i < 4; i++) { // and between them the blend is better
    assert_below(map->off[1][MIDDLE + i], map->off[0][MIDDLE + i]);
  }
  lb_fork_map_release(map);
  for (int i = 0; i < 2; i++) {
    lb_fork_release(fork[i]);
  }
  fork_drop(&w);
}

// A model neglects terms of second order: twice the force, four times the error.
static void errors_grow_by_the_square(void** state) {
  (void)state;
  fork_world w = make("", "0.8");
  w.f = fork_reduce(&w, 0);
  lb_fork_map* map = map_of(&w.f, 1);
  assert_null(map->off[1]);
  assert_near(map->force, 1, 1e-12);
  static const int way[] = {1, SIDE, SIDE + 1}; // along x, z and both
  for (int i = 0; i < 3; i++) {
    assert_near(map->off[0][MIDDLE + 4 * way[i]] / map->off[0][MIDDLE + 2 * way[i]], 4, 0.1);
  }
  lb_fork_map_release(map);
  fork_drop(&w);
}

// Without any load the range is that of a displacement, and no force is none.
static void range_without_loads(void** state) {
  (void)state;
  fork_world w = make("", "0");
  w.f = fork_reduce(&w, 0);
  lb_fork_map* map = map_of(&w.f, 1);
  const double softest = lb_fork_principal(w.f, 0, false).compliance[0];
  assert_near(map->force * softest, 0.15 * w.f->radius, 1e-12);
  lb_fork_map_release(map);
  fork_drop(&w);
}

// --- both motions ---

typedef struct watcher {
  int frames;
  double off, last;
} watcher;

static bool seen(void* context, double time, const lb_transform* reduced,
                 const lb_transform* whole) {
  watcher* k = context;
  const double off = lb_vec3_norm(lb_vec3_sub(reduced[0].p, whole[0].p));
  k->off = off > k->off ? off : k->off;
  k->last = time;
  k->frames++;
  return true;
}

static bool lacks(void* context, double time, const lb_transform* reduced,
                  const lb_transform* whole) {
  (void)context, (void)time, (void)reduced, (void)whole;
  return false;
}

static void a_watcher_sees_both_motions(void** state) {
  (void)state;
  fork_world w = make("", "10");
  w.f = fork_reduce(&w, 0);
  lb_recording* r[3] = {NULL};
  lb_fork_motion motion;
  watcher k = {0};
  lb_simulate_options o = lb_simulate_default();
  lb_summary summary = {0};
  int one = 1;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(lb_recording_create(w.m, 0, NULL, &r[i], NULL), LB_OK);
  }
  const lb_fork_watch watch = {r[1], &k, seen};
  assert_int_equal(lb_fork_simulate(&w.f, &one, &o, r[0], &watch, &motion, NULL), LB_OK);
  assert_int_equal(lb_simulate(w.m, &o, r[2], &summary, NULL), LB_OK);
  assert_int_equal(k.frames, r[0]->nframe);
  assert_int_equal(r[1]->nframe, r[2]->nframe);
  assert_near(k.off, motion.off, 0);
  assert_above(k.off, 0);
  for (int i = 0; i < r[1]->nframe * w.m->nbody; i++) { // that of 'limber simulate --whole'
    assert_below(lb_vec3_norm(lb_vec3_sub(r[1]->pose[i].p, r[2]->pose[i].p)), 1e-9);
  }
  const lb_fork_watch poor = {NULL, NULL, lacks};
  assert_int_equal(lb_fork_simulate(&w.f, &one, &o, r[0], &poor, &motion, NULL), LB_NO_MEMORY);
  for (int i = 0; i < 3; i++) {
    lb_recording_release(r[i]);
  }
  fork_drop(&w);
}

static void memory_may_run_out_at_any_request(void** state) {
  (void)state;
  fork_world w = make(", {loads: {end: [40 N, 0, 0]}}", "10");
  lb_fork* fork[] = {fork_reduce(&w, 0), fork_reduce(&w, 1)};
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting c = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&c);
    lb_fork_map* map = NULL;
    status = lb_fork_map_create(fork, 2, 0, 3, &allocator, &map, NULL);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    assert_true((status == LB_OK) == (map != NULL));
    lb_fork_map_release(map);
    assert_int_equal(c.live, 0);
  }
  for (int i = 0; i < 2; i++) {
    lb_fork_release(fork[i]);
  }
  fork_drop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_are_of_equilibria),
      cmocka_unit_test(errors_grow_by_the_square),
      cmocka_unit_test(range_without_loads),
      cmocka_unit_test(a_watcher_sees_both_motions),
      cmocka_unit_test(memory_may_run_out_at_any_request),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
