// scene: memory that runs out at any moment leaves nothing behind and nothing changed.
#include "limber/scene.h"
#include "test.h"

// Gives `left` blocks and then none, for good or once.
typedef struct meter {
  long left, live;
  bool once;
  lb_allocator allocator; // what comes from it must not outlive the meter
} meter;

static void* metered_allocate(void* context, size_t size) {
  meter* m = context;
  if (m->left-- == 0 || (!m->once && m->left < 0)) {
    return NULL;
  }
  m->live++;
  return lb_allocate(NULL, size);
}

static void metered_release(void* context, void* block) {
  ((meter*)context)->live--;
  lb_release(NULL, block);
}

static lb_status read_with(meter* m, const lb_scene_origin* from, lb_scene* scene) {
  m->allocator = (lb_allocator){metered_allocate, metered_release, m};
  lb_error err = lb_error_make(&m->allocator);
  const lb_status status = lb_scene_open(from, &m->allocator, scene, &err);
  lb_error_clear(&err);
  return status;
}

// Fail at the n-th request, for every n that there is.
static void starve(const char* file, int nset, const char* const* set, bool once) {
  char path[300];
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/%s", file);
  const lb_scene_origin from = {.name = path, .nset = nset, .set = set};
  for (long n = 0;; n++) {
    meter m = {.left = n, .once = once};
    lb_scene scene = {.nbody = 77, .duration = 3};
    const lb_status status = read_with(&m, &from, &scene);
    if (status == LB_OK) {
      assert_above(n, 3);
      lb_scene_release(&scene);
      assert_int_equal(m.live, 0);
      return;
    }
    assert_int_equal(m.live, 0);
    assert_int_equal(status, LB_NO_MEMORY);
    assert_int_equal(scene.nbody, 77);
    assert_near(scene.duration, 3, 0);
  }
}

static void a_scene_that_runs_out_of_memory_leaves_nothing(void** state) {
  (void)state;
  static const char* const files[] = {
      "scenes/puppet.yaml",         "scenes/chain-400.yaml",     "scenes/robot-arm.yaml",
      "scenes/racket.yaml",         "scenes/walking-leg.yaml",   "tests/scene/good/outer.yaml",
      "tests/scene/good/sets.yaml", "scenes/joint-gallery.yaml", "scenes/spline-knee.yaml",
      "scenes/hand.yaml",           "scenes/gear-train.yaml",    "scenes/dog.yaml",
      "scenes/klann.yaml"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    starve(files[i], 0, NULL, false);
    starve(files[i], 0, NULL, true);
  }
}

static void values_from_outside_that_run_out_of_memory_leave_nothing(void** state) {
  (void)state;
  enum { MANY = 900 };
  static const char* const values[] = {"bodies.upper.mass=2 kg", "joints.elbow.damping=0.1",
                                       "initial.elbow.position=10 deg", "gravity=[0, 0, -1.62]",
                                       "solver.step=2 ms"};
  const char* set[MANY];
  for (int i = 0; i < MANY; i++) { // enough for several blocks of memory
    set[i] = values[i % (int)(sizeof values / sizeof *values)];
  }
  starve("scenes/double-pendulum.yaml", MANY, set, false);
  starve("scenes/double-pendulum.yaml", MANY, set, true);
}

// Messages may be lost for want of memory, but the verdict stands.
static void a_bad_scene_that_runs_out_of_memory_is_never_good(void** state) {
  (void)state;
  const char* path = LIMBER_SOURCE_DIR "/tests/scene/bad/several-mistakes.yaml";
  for (long n = 0; n < 200; n++) {
    meter m = {.left = n, .once = n % 2};
    lb_scene scene = {.nbody = 77};
    const lb_status status = read_with(&m, &(lb_scene_origin){.name = path}, &scene);
    assert_true(status == LB_INVALID || status == LB_NO_MEMORY);
    assert_int_equal(m.live, 0);
    assert_int_equal(scene.nbody, 77);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_that_runs_out_of_memory_leaves_nothing),
      cmocka_unit_test(values_from_outside_that_run_out_of_memory_leave_nothing),
      cmocka_unit_test(a_bad_scene_that_runs_out_of_memory_is_never_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
