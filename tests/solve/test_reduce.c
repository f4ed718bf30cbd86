// solve: reduced bodies from a run with all nodes, and what is made of them.
#include <unistd.h>

#include "elastic/reduced/stored.h"
#include "limber/reduce.h"
#include "limber/simulate.h"
#include "test.h"

// A rod on a motor with a weight at its end; the motor's keys are left open.
static const char ROD[] = "materials: {s: {density: 7850, young: 200 GPa, poisson: 0.3,\n"
                          "                damping: {mass: 0.1, stiffness: 5e-5 s}}}\n"
                          "bodies:\n"
                          "  hub: {shape: {sphere: {radius: 2 cm}}}\n"
                          "  rod: {elastic: {rod: {radius: 3 mm, to: [0, 0, 40 cm]}, material: s,\n"
                          "                  elements: {along: 6, across: 1}}}\n"
                          "  tip: {mass: 50 g, shape: {sphere: {radius: 1 cm}}}\n"
                          "joints:\n"
                          "  motor: {type: revolute, child: hub, axis: %s}\n"
                          "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
                          "  end: {type: fixed, parent: rod, face: end, child: tip}\n"
                          "motors: {turn: {joint: motor, keys: %s}}\n"
                          "duration: 0.4 s\n"
                          "record: {every: 5 ms}\n"
                          "solver: {step: 1 ms}\n";
static const char DEFORMABLE[] = "[[0, 0], [0.1, 10 deg], [0.2, 10 deg], [0.3, 0]]";

static lb_scene scene_about(const char* axis, const char* keys) {
  char text[2000];
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, ROD, axis, keys);
  const lb_status status = lb_scene_parse(text, strlen(text), "rod.yaml", NULL, &scene, &err);
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(status, LB_OK);
  lb_error_clear(&err);
  return scene;
}

static lb_scene scene_of(const char* keys) {
  return scene_about("y", keys);
}

static lb_reduction* reduction; // made once: it takes a while
static char dir[] = "/tmp/limber-reduce-XXXXXX";

static int make(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_scene scene = scene_of(DEFORMABLE);
  lb_reduce_options options = lb_reduce_default();
  options.modes = 11;
  options.missed = 0;
  const lb_status status = lb_reduce(&scene, &options, NULL, &reduction, &err);
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(status, LB_OK);
  assert_non_null(mkdtemp(dir));
  assert_int_equal(lb_reduction_write(reduction, dir, &err), LB_OK);
  assert_int_equal(lb_full_run_write(reduction->full, dir, NULL, &err), LB_OK);
  lb_scene_release(&scene);
  return 0;
}
static int release(void** state) {
  (void)state;
  static const char* const files[] = {"rod.npz", "full.npz", "summary.json"};
  char path[200];
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", dir, files[i]);
    unlink(path);
  }
  rmdir(dir);
  lb_reduction_release(reduction);
  return 0;
}

static void eleven_shapes_follow_the_full_run(void** state) {
  (void)state;
  const lb_reduce_replay* pca = &reduction->replay[LB_REPLAY_PCA];
  const lb_reduce_replay* linear = &reduction->replay[LB_REPLAY_LINEAR];
  print_message("face error %.3g of %.3g m; modes and derivatives %.3g\n", pca->face_error,
                pca->face_amplitude, linear->face_error);
  assert_int_equal(reduction->nbody, 1);
  assert_int_equal(reduction->body[0].r, 11);
  assert_false(pca->failed);
  assert_above(pca->face_amplitude, 5e-3);
  assert_below(pca->face_error, 0.02); // of the amplitude
  assert_below(pca->face_error, linear->face_error);
  assert_int_equal(pca->coordinates, linear->coordinates);
}

// Simulate with the bodies of the folder.
static lb_recording* run_with_files(const char* axis, const char* keys, lb_summary* summary,
                                    lb_model** model) {
  lb_scene scene = scene_about(axis, keys);
  lb_recording* r = NULL;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_scene_take_bases(&scene, dir, NULL), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, model, NULL), LB_OK);
  lb_scene_release(&scene);
  assert_int_equal(lb_recording_create(*model, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(*model, &o, r, summary, NULL), LB_OK);
  return r;
}

static void a_file_moves_as_the_body_it_was_made_from(void** state) {
  (void)state;
  lb_summary summary;
  lb_model *from_file, *from_memory = NULL;
  lb_recording* a = run_with_files("y", DEFORMABLE, &summary, &from_file);
  lb_scene scene = scene_of(DEFORMABLE);
  const int rod = 1;
  lb_scene_elastic e = *scene.body[rod].elastic;
  e.stored = reduction->body[0].stored;
  scene.body[rod].elastic = &e;
  lb_recording* b = NULL;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_scene_check(&scene, NULL), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &from_memory, NULL), LB_OK);
  assert_int_equal(lb_recording_create(from_memory, 0, NULL, &b, NULL), LB_OK);
  assert_int_equal(lb_simulate(from_memory, &o, b, &summary, NULL), LB_OK);
  assert_int_equal(a->nframe, b->nframe);
  assert_int_equal(from_file->nq, from_memory->nq);
  assert_memory_equal(a->q, b->q, (size_t)(a->nframe * from_file->nq) * sizeof(double));
  assert_memory_equal(a->pose, b->pose, (size_t)(a->nframe * from_file->nbody) * sizeof *a->pose);
  lb_recording_release(a);
  lb_recording_release(b);
  lb_model_release(from_file);
  lb_model_release(from_memory);
  lb_scene_release(&scene);
}

// The training's motion with all angles `times` as large: how far it goes, and when it leaves.
static double range_of(double times, double* left) {
  char keys[100];
  snprintf(keys, sizeof keys, "[[0, 0], [0.1, %g deg], [0.2, %g deg], [0.3, 0]]", 10 * times,
           10 * times);
  lb_summary s;
  lb_model* m;
  lb_recording* r = run_with_files("y", keys, &s, &m);
  assert_string_equal(s.range_body, "rod");
  print_message("%g times: %.4g of the range, left at %g s\n", times, s.range_used, s.range_left);
  *left = s.range_left;
  lb_recording_release(r);
  lb_model_release(m);
  return s.range_used;
}

// Shapes of bending grow with the load, and how these change as they grow with its square: of twice
// the motion these reach four times as far, but for what the next even power takes away: over its
// square, of x times the motion they reach 1 - a (x^2 - 1), and what is missing of four times the
// motion is five times that of two. Gravity pulls as in the training, however little moves.
static void the_training_uses_all_of_its_range_and_more_motion_goes_beyond_it(void** state) {
  (void)state;
  const double error = 0.05; // more than that of eleven shapes, above
  double left, sooner;
  assert_near(range_of(0.5, &left), 1, error);
  assert_true(isnan(left));
  assert_near(range_of(1, &left), 1, error);
  assert_true(isnan(left));
  const double twice = range_of(2, &left), missing = 1 - twice / 4;
  assert_near(twice, 4, error);
  assert_near(range_of(4, &sooner), 16 * (1 - 5 * missing), error);
  // while the motor first turns, and the harder motion before the other
  assert_below(0, sooner);
  assert_below(sooner, left);
  assert_below(left, 0.1);
}

// A body that has no shapes for a load is stiff against it: its coordinates stay small, and only
// the load tells.
static void a_load_from_a_side_that_was_never_trained_is_noticed(void** state) {
  (void)state;
  lb_summary s;
  lb_model* m;
  lb_recording* r = run_with_files("[0.4, 0.9, 0]", DEFORMABLE, &s, &m);
  assert_above(s.range_left, 0);
  assert_below(s.range_left, 0.1);
  assert_above(s.range_used, 3);
  lb_recording_release(r);
  lb_model_release(m);
}

static void a_full_run_that_was_kept_gives_the_same_bodies(void** state) {
  (void)state;
  lb_scene scene = scene_of(DEFORMABLE);
  lb_reduction* again = NULL;
  lb_reduce_options options = lb_reduce_default();
  options.modes = 11;
  options.missed = 0;
  options.from = dir;
  assert_int_equal(lb_reduce(&scene, &options, NULL, &again, NULL), LB_OK);
  const lb_stored *a = reduction->body[0].stored, *b = again->body[0].stored;
  assert_int_equal(a->r, b->r);
  assert_int_equal(a->npoint, b->npoint);
  assert_memory_equal(a->Phi, b->Phi, (size_t)(3 * a->nnode * a->r) * sizeof(double));
  assert_memory_equal(a->point.weight, b->point.weight, (size_t)a->npoint * sizeof(double));
  lb_reduction_release(again);
  lb_scene_release(&scene);
}

static void a_scene_without_elastic_bodies_has_nothing_to_reduce(void** state) {
  (void)state;
  static const char text[] = "bodies: {ball: {shape: {sphere: {radius: 1}}}}\n";
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  lb_reduction* none = NULL;
  const lb_reduce_options options = lb_reduce_default();
  assert_int_equal(lb_scene_parse(text, strlen(text), "b.yaml", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_reduce(&scene, &options, NULL, &none, &err), LB_INVALID);
  assert_string_equal(err.message[0].text,
                      "the scene has no elastic body: there is nothing to reduce");
  assert_null(none);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

static void expect(const char* before, const char* after, const char* text) {
  char scene_text[2000], changed[2400];
  snprintf(scene_text, sizeof scene_text, ROD, "y", DEFORMABLE);
  const char* at = strstr(scene_text, before);
  assert_non_null(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - scene_text), scene_text, after,
           at + strlen(before));
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  const lb_status parsed = lb_scene_parse(changed, strlen(changed), "c.yaml", NULL, &scene, &err);
  for (int i = 0; i < err.count; i++) {
    print_error("%s\n", err.message[i].text);
  }
  assert_int_equal(parsed, LB_OK);
  const lb_scene_elastic* untouched = scene.body[1].elastic;
  assert_int_equal(lb_scene_take_bases(&scene, dir, &err), LB_INVALID);
  assert_at_least(err.count, 1);
  if (!strstr(err.message[0].text, text)) {
    print_error("'%s' was expected, not '%s'\n", text, err.message[0].text);
    fail();
  }
  assert_ptr_equal(scene.body[1].elastic, untouched);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

static void a_file_of_another_body_is_refused_with_what_differs(void** state) {
  (void)state;
  expect("radius: 3 mm", "radius: 4 mm", "body 'rod' has radius 0.004, but in ");
  expect("rod: {radius: 3 mm,", "box: {width: 4 mm, height: 4 mm,", "body 'rod' is a box, but ");
  expect("young: 200 GPa", "young: 210 GPa", "material 's' has young 2.1e+11, but ");
  expect("density: 7850", "density: 7851", "material 's' has density 7851, but ");
  expect("poisson: 0.3,", "poisson: 0.3, model: corotated,", "material 's' is corotated, but ");
  expect("face: start", "face: end", "body 'rod' is held by its face 'end', but in ");
  expect("face: end, child: tip", "face: side, child: tip",
         "joint 'end' holds body 'rod' by its "
         "face 'side', for which ");
}

static void a_folder_without_a_file_for_the_scene_is_refused(void** state) {
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  hub: {shape: {sphere: {radius: 2 cm}}}\n"
      "  stick: {elastic: {rod: {radius: 3 mm, to: [0, 0, 1]}, material: steel}}\n"
      "joints: {clamp: {type: fixed, parent: hub, child: stick, face: start}}\n";
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, strlen(text), "s.yaml", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_scene_take_bases(&scene, dir, &err), LB_INVALID);
  assert_string_equal(err.message[0].text,
                      "none of the 1 .npz files there is of an elastic body of this scene");
  lb_error_clear(&err);
  assert_int_equal(lb_scene_take_bases(&scene, "/nowhere/at/all", &err), LB_IO);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eleven_shapes_follow_the_full_run),
      cmocka_unit_test(a_file_moves_as_the_body_it_was_made_from),
      cmocka_unit_test(the_training_uses_all_of_its_range_and_more_motion_goes_beyond_it),
      cmocka_unit_test(a_load_from_a_side_that_was_never_trained_is_noticed),
      cmocka_unit_test(a_full_run_that_was_kept_gives_the_same_bodies),
      cmocka_unit_test(a_scene_without_elastic_bodies_has_nothing_to_reduce),
      cmocka_unit_test(a_file_of_another_body_is_refused_with_what_differs),
      cmocka_unit_test(a_folder_without_a_file_for_the_scene_is_refused),
  };
  return cmocka_run_group_tests(tests, make, release);
}
