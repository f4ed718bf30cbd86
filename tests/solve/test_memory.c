// Memory: a step takes none, and running out of it at any request leaves no leak and no crash.
#include <malloc.h>
#include <unistd.h>

#include "counting.h"
#include "limber/limber.h"
#include "test.h"

// A scene with one of everything: every joint kind, a loop, springs, a cable, a ground, drag,
// motors of both kinds.
static const char SCENE[] =
    "name: everything\n"
    "duration: 20 ms\n"
    "record: {every: 5 ms, rates: true, reactions: true}\n"
    "solver: {integrator: %s, step: 1 ms}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.1, 0.1, 0.5], position: [0, 0, -0.25]}}\n"
    "  b: {shape: {sphere: {radius: 0.1}}}\n"
    "  c: {shape: {cylinder: {radius: 0.02, length: 0.4}}}\n"
    "  d: {shape: {capsule: {radius: 0.02, length: 0.4}}}\n"
    "  e: {shape: {ellipsoid: {radii: [0.1, 0.2, 0.1]}}, position: [3, 0, 0], drag: 0.1}\n"
    "  crank: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "  coupler: {shape: {box: [1, 0.02, 0.02], position: [0.5, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "  f: {shape: {box: [0.1, 0.2, 0.3]}}\n"
    "  g: {shape: {box: [0.1, 0.2, 0.3]}}\n"
    "joints:\n"
    "  jf: {type: composite, child: f, at: [8, 0, 0], parts: [{type: helical, axis: z, pitch: "
    "0.1,\n"
    "       friction: 0.1, limits: {lower: -0.01, stiffness: 50}}, {type: exponential}]}\n"
    "  jg: {type: spline-curve, parent: f, child: g, damping: 1,\n"
    "       frames: [[0, 0, 0], [0.1, 0, 0], [0.2, 0.1, 0], [0.3, 0.2, 0], [0.4, 0.4, 0.1]]}\n"
    "  ja: {type: revolute, child: a, axis: y, damping: 0.1, spring: {stiffness: 3}}\n"
    "  jb: {type: spherical, parent: a, child: b, at: [0, 0, -0.5]}\n"
    "  jc: {type: prismatic, parent: b, child: c, axis: z}\n"
    "  jd: {type: fixed, parent: c, child: d, at: [0, 0, 0.2]}\n"
    "  j1: {type: revolute, child: crank, axis: y, at: [5, 0, 0]}\n"
    "  j2: {type: revolute, parent: crank, child: coupler, axis: y, at: [0, 0, 0.5]}\n"
    "  j3: {type: revolute, child: rocker, axis: y, at: [6, 0, 0]}\n"
    "  closing: {type: revolute, loop: true, parent: coupler, child: rocker, axis: y,\n"
    "            at: [1, 0, 0], in_child: [0, 0, 0.5], armature: 0.1}\n"
    "constraints:\n"
    "  gear: {couple: [{joint: ja}, {joint: jc, times: 2}], path: {keys: [[0, 0], [1, 0.1]]}}\n"
    "  held: {follow: {body: e, along: y, y: {keys: [[0, 0], [1, 0.1]]}}}\n"
    "springs:\n"
    "  s: {from: {body: e}, to: {body: world, at: [3, 0, 1]}, stiffness: 10, damping: 0.1}\n"
    "  t: {from: {body: e}, to: {at: [3, 1, 0]}, table: [[0 m, 0 N], [1 m, 2 N], [2 m, 9 N]]}\n"
    "cables:\n"
    "  k: {through: [{body: e}, {at: [3, 0, 2]}, {body: rocker}], stiffness: 5, damping: 0.1}\n"
    "grounds:\n"
    "  g: {points: [{body: e}], at: [0, 0, 0.1], stiffness: 20, dissipation: 0.1, friction: 1}\n"
    "motors:\n"
    "  m: {joint: jc, keys: [[0 s, 0], [1 s, 0.1]]}\n"
    "  n: {joint: j1, drive: force, keys: [[0 s, 0], [1 s, 0.1]]}\n";

// A tree that is stiff in its joints alone, for which implicit steps have a way of their own.
static const char TREE[] =
    "name: tree\n"
    "duration: 20 ms\n"
    "record: {every: 5 ms}\n"
    "solver: {integrator: %s, step: 1 ms}\n"
    "bodies: {a: {shape: {sphere: {radius: 0.1}}}, b: {shape: {sphere: {radius: 0.1}}}}\n"
    "joints:\n"
    "  ja: {type: revolute, child: a, axis: y, damping: 0.1, spring: {stiffness: 300}}\n"
    "  jb: {type: universal, parent: a, child: b, at: [0.5, 0, 0]}\n";

static size_t write_scene(char* text, size_t size, lb_integrator integrator, bool tree) {
  return (size_t)snprintf(text, size, tree ? TREE : SCENE, lb_integrator_name(integrator));
}

// From text to files and back to nothing.
static lb_status do_it_all(const char* text, size_t length, const char* dir,
                           const lb_allocator* allocator) {
  lb_scene scene;
  lb_model* model = NULL;
  lb_recording* recording = NULL;
  lb_summary summary;
  lb_error err = lb_error_make(allocator);
  const lb_simulate_options options = lb_simulate_default();
  lb_status status = lb_scene_parse(text, length, "everything.yaml", allocator, &scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&scene, allocator, &model, &err);
    lb_scene_release(&scene);
  }
  if (status == LB_OK) {
    status = lb_recording_create(model, 2, allocator, &recording, &err);
  }
  if (status == LB_OK) {
    status = lb_simulate(model, &options, recording, &summary, &err);
  }
  if (status == LB_OK) {
    status = lb_recording_write(recording, &summary, dir, &err);
  }
  if (status != LB_OK && status != LB_NO_MEMORY) {
    print_error("%s\n", err.count ? err.message[0].text : "no message");
  }
  lb_recording_release(recording);
  lb_model_release(model);
  lb_error_clear(&err);
  return status;
}

static void running_out_of_memory_anywhere_leaks_nothing(void** state) {
  (void)state;
  static char text[4000];
  char dir[] = "/tmp/limber-memory-XXXXXX";
  assert_non_null(mkdtemp(dir));
  for (int k = 0; k < 2 * LB_INTEGRATOR_COUNT; k++) {
    const int integrator = k / 2;
    const size_t length = write_scene(text, sizeof text, (lb_integrator)integrator, k % 2);
    lb_counting counting = {0};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    assert_int_equal(do_it_all(text, length, dir, &allocator), LB_OK);
    assert_int_equal(counting.live, 0);
    const long requests = counting.requests;
    for (long n = 1; n <= requests; n++) {
      counting = (lb_counting){.refuse = n};
      assert_int_equal(do_it_all(text, length, dir, &allocator), LB_NO_MEMORY);
      assert_int_equal(counting.live, 0);
    }
    print_message("%s: %ld requests refused one by one\n",
                  lb_integrator_name((lb_integrator)integrator), requests);
  }
  static const char* const files[] = {"summary.json", "trajectory.csv", "scene.glb", "report.html"};
  for (int i = 0; i < 4; i++) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, files[i]);
    unlink(path);
  }
  rmdir(dir);
}

// --- every allocation of the process, whoever asks ---

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
static void a_step_takes_no_memory(void** state) {
  (void)state;
  skip(); // the sanitizers have allocators of their own
}
#else
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t align, size_t size);
static volatile long asked;

void* malloc(size_t size) {
  asked++;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  asked++;
  return __libc_calloc(count, size);
}
void* realloc(void* block, size_t size) {
  asked++;
  return __libc_realloc(block, size);
}
void* aligned_alloc(size_t align, size_t size) {
  asked++;
  return __libc_memalign(align, size);
}

static void a_step_takes_no_memory(void** state) {
  (void)state;
  static char text[4000];
  for (int k = 0; k < 2 * LB_INTEGRATOR_COUNT; k++) {
    const int integrator = k / 2;
    const size_t length = write_scene(text, sizeof text, (lb_integrator)integrator, k % 2);
    lb_scene scene;
    lb_model* m;
    lb_data* d;
    lb_stepper* st;
    assert_int_equal(lb_scene_parse(text, length, "e.yaml", NULL, &scene, NULL), LB_OK);
    assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
    const long before = asked;
    for (int i = 0; i < 20; i++) {
      assert_int_equal(lb_stepper_step(st, d, 1e-3, NULL), LB_OK);
    }
    print_message("%s: %ld allocations in 20 steps\n",
                  lb_integrator_name((lb_integrator)integrator), asked - before);
    assert_int_equal(asked - before, 0);
    lb_stepper_release(st);
    lb_data_release(d);
    lb_model_release(m);
    lb_scene_release(&scene);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(running_out_of_memory_anywhere_leaks_nothing),
      cmocka_unit_test(a_step_takes_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
