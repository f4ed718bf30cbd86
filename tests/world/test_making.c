// How models are made: elastic bodies from a cache, and progress that can be stopped.
#include <stdlib.h>

#include "limber/limber.h"
#include "test.h"

static const char ROD[] =
    "bodies:\n"
    "  rod: {elastic: {rod: {radius: 2 mm, to: [30 cm, 0, 0]}, material: steel,\n"
    "    elements: {along: 6, across: 1}}}\n"
    "  weight: {mass: 50 g, shape: {sphere: {radius: 1 cm}}}\n"
    "joints:\n"
    "  clamp: {type: fixed, child: rod, face: start}\n"
    "  tip: {type: fixed, parent: rod, face: end, child: weight}\n";

static lb_scene read_rod(void) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(ROD, strlen(ROD), "rod.yaml", NULL, &scene, &err), LB_OK);
  return scene;
}

// The state after some steps; it is to be freed.
static double* state_of(const lb_scene* scene, size_t* size) {
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_create(scene, NULL, &err);
  assert_non_null(w);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(lb_world_step(w, 1e-3), LB_OK);
  }
  *size = lb_world_state_size(w) * sizeof(double);
  double* state = test_malloc(*size);
  lb_world_save(w, state);
  lb_world_close(w);
  return state;
}

static void worlds_from_a_cache_move_alike_to_the_last_bit(void** unused) {
  (void)unused;
  char folder[] = "/tmp/limber-cache-XXXXXX";
  lb_scene scene = read_rod();
  size_t size[3];
  assert_non_null(mkdtemp(folder));
  double* state[3];
  state[0] = state_of(&scene, &size[0]);
  scene.making.cache = folder;
  state[1] = state_of(&scene, &size[1]); // keeps it
  state[2] = state_of(&scene, &size[2]); // finds it
  for (int i = 1; i < 3; i++) {
    assert_int_equal(size[i], size[0]);
    assert_memory_equal(state[i], state[0], size[0]);
    test_free(state[i]);
  }
  test_free(state[0]);
  lb_scene_release(&scene);
  char command[80];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

typedef struct watcher {
  int calls, most;
  double last;
} watcher;

static bool watch(void* context, double fraction, const char* what) {
  watcher* w = context;
  assert_non_null(strstr(what, "'rod'"));
  assert_true(fraction >= w->last);
  w->last = fraction;
  return ++w->calls < w->most;
}

static void progress_is_told_and_may_stop_it(void** unused) {
  (void)unused;
  lb_scene scene = read_rod();
  lb_model* model = NULL;
  lb_error err = lb_error_make(NULL);
  watcher all = {.most = 100}, some = {.most = 2};
  scene.making.progress = (lb_progress){watch, &all};
  assert_int_equal(lb_model_create(&scene, NULL, &model, &err), LB_OK);
  assert_true(all.calls >= 4);
  lb_model_release(model);
  scene.making.progress.context = &some;
  assert_int_equal(lb_model_create(&scene, NULL, &model, &err), LB_INTERRUPTED);
  assert_int_equal(some.calls, 2);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

static void an_outline_has_no_shapes(void** unused) {
  (void)unused;
  lb_scene scene = read_rod();
  lb_model* model = NULL;
  lb_error err = lb_error_make(NULL);
  scene.making.outline = true;
  assert_int_equal(lb_model_create(&scene, NULL, &model, &err), LB_OK);
  assert_int_equal(model->elastic.count, 1);
  assert_int_equal(model->elastic.body[0].r, 0);
  assert_int_equal(model->nv, 0);
  lb_model_release(model);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds_from_a_cache_move_alike_to_the_last_bit),
      cmocka_unit_test(progress_is_told_and_may_stop_it),
      cmocka_unit_test(an_outline_has_no_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
