// Recordings and their text files: contents, folders that cannot be written, memory that runs out.
#include <cjson/cJSON.h>
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/file/writers.h"
#include "output/fixture.h"
#include "output/report/view.h"

// --- helpers ---

// What a writer wrote, as text; the caller frees it.
enum { FILES = 5 }; // of a run with motors

static char* written(void (*write)(lb_out*, const fixture*), const fixture* f) {
  lb_out out = lb_out_make(NULL, -1);
  write(&out, f);
  lb_out_bytes(&out, "", 1);
  assert_int_equal(out.status, LB_OK);
  return out.data;
}

static void csv(lb_out* out, const fixture* f) {
  lb_write_csv(out, f->recording);
}

static void report(lb_out* out, const fixture* f) {
  lb_write_report(out, f->recording, &FIXTURE_SUMMARY);
}

static char folder[32];

static int make_folder(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/limber-record-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state) {
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
  return system(command);
}

static const char* in_folder(const char* name) {
  static char path[2][128];
  static int turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static char* slurp(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char* text = calloc(1, (size_t)size + 1);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

static int entries(const char* path) {
  DIR* dir = opendir(path);
  assert_non_null(dir);
  int n = -2; // . and ..
  while (readdir(dir)) {
    n++;
  }
  closedir(dir);
  return n;
}

static void fails_with(lb_status wanted, const fixture* f, const char* dir, const char* part) {
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_recording_write(f->recording, &FIXTURE_SUMMARY, dir, &err), wanted);
  assert_at_least(err.count, 1);
  char text[512];
  lb_error_format(&err, 0, text, sizeof text);
  if (!strstr(text, part)) {
    fail_msg("'%s' does not say '%s'", text, part);
  }
  lb_error_clear(&err);
}

// --- recordings ---

static void recording_keeps_its_frames_when_it_grows(void** state) {
  (void)state;
  fixture* f = fixture_zoo(3);
  lb_recording* r = f->recording;
  const lb_transform hand = *fixture_pose(f, 2, 1);
  const double q = r->q[2 * f->model.nq + 8];
  for (int i = 3; i < 1000; i++) {
    assert_int_equal(lb_recording_add(r), i);
    r->time[i] = i;
    r->potential[i] = -i;
  }
  assert_memory_equal(&hand, fixture_pose(f, 2, 1), sizeof hand);
  assert_true(r->q[2 * f->model.nq + 8] == q);
  for (int i = 3; i < 1000; i++) {
    assert_true(r->time[i] == i && r->potential[i] == -i && r->kinetic[i] == 0);
  }
  fixture_release(f);
}

static void recording_of_a_world_without_bodies_works(void** state) {
  (void)state;
  fixture* f = fixture_make("nothing");
  fixture_frame(f, 0);
  fixture_frame(f, 1);
  char* text = written(csv, f);
  assert_string_equal(text, "time\n0\n1\n");
  lb_release(NULL, text);
  fixture_release(f);
}

// --- trajectory.csv ---

static void csv_has_a_column_for_every_pose_and_coordinate(void** state) {
  (void)state;
  fixture* f = fixture_make("two");
  fixture_body(f, "arm, \"left\"", LB_JOINT_REVOLUTE, LB_WORLD);
  fixture_body(f, "b\xC3\xA4ll", LB_JOINT_SPHERICAL, LB_WORLD);
  fixture_frame(f, 0);
  fixture_frame(f, 0.1);
  *fixture_pose(f, 1, 0) = (lb_transform){{0.5, -0.5, 0.5, 0.5}, {1.0 / 3, 1e-9, -2}};
  fixture_pose(f, 1, 1)->p.z = NAN; // missing, not "nan"
  f->recording->q[5] = 0.25;
  f->recording->q[6] = 1;
  char* text = written(csv, f);
  assert_string_equal(
      text, "time,\"arm, \"\"left\"\".x\",\"arm, \"\"left\"\".y\",\"arm, \"\"left\"\".z\","
            "\"arm, \"\"left\"\".qw\",\"arm, \"\"left\"\".qx\",\"arm, \"\"left\"\".qy\","
            "\"arm, \"\"left\"\".qz\",b\xC3\xA4ll.x,b\xC3\xA4ll.y,b\xC3\xA4ll.z,b\xC3\xA4ll.qw,"
            "b\xC3\xA4ll.qx,b\xC3\xA4ll.qy,b\xC3\xA4ll.qz,\"arm, \"\"left\"\".q\",b\xC3\xA4ll.q0,"
            "b\xC3\xA4ll.q1,b\xC3\xA4ll.q2,b\xC3\xA4ll.q3\n"
            "0,0,0,0,1,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0\n"
            "0.1,0.3333333333333333,1e-9,-2,0.5,-0.5,0.5,0.5,0,0,,1,0,0,0,0.25,1,0,0,0\n");
  lb_release(NULL, text);
  fixture_release(f);
}

static void csv_ends_with_the_force_of_every_motor(void** state) {
  (void)state;
  fixture* f = fixture_make("driven");
  fixture_body(f, "arm", LB_JOINT_REVOLUTE, LB_WORLD);
  f->motor_name[0] = "first";
  f->motor_name[1] = "second";
  f->model.nmotor = 2;
  fixture_frame(f, 0);
  fixture_frame(f, 1);
  f->recording->motor[0] = 2.5;
  f->recording->motor[3] = -4;
  char* text = written(csv, f);
  assert_string_equal(
      text, "time,arm.x,arm.y,arm.z,arm.qw,arm.qx,arm.qy,arm.qz,arm.q,first.force,second.force\n"
            "0,0,0,0,1,0,0,0,0,2.5,0\n"
            "1,0,0,0,1,0,0,0,0,0,-4\n");
  lb_release(NULL, text);
  fixture_release(f);
}

// --- summary.json ---

static cJSON* summary_json(const fixture* f, const lb_summary* summary) {
  lb_out out = lb_out_make(NULL, -1);
  lb_write_summary(&out, f->recording, summary);
  cJSON* json = cJSON_ParseWithLength(out.data, out.size);
  assert_non_null(json);
  lb_out_release(&out);
  return json;
}

static double json_number(const cJSON* json, const char* key) {
  const cJSON* value = cJSON_GetObjectItemCaseSensitive(json, key);
  assert_true(cJSON_IsNumber(value));
  return value->valuedouble;
}

static void summary_has_the_promised_figures(void** state) {
  (void)state;
  fixture* f = fixture_zoo(5);
  cJSON* json = summary_json(f, &FIXTURE_SUMMARY);
  assert_string_equal(cJSON_GetObjectItem(json, "limber")->valuestring, "0.1.0");
  assert_string_equal(cJSON_GetObjectItem(json, "scene")->valuestring, "made/by-hand.yaml");
  assert_string_equal(cJSON_GetObjectItem(json, "job")->valuestring, "simulate");
  assert_string_equal(cJSON_GetObjectItem(json, "integrator")->valuestring, "rk4");
  assert_true(json_number(json, "wall_seconds") == 0.0125);
  assert_true(json_number(json, "steps") == 4000);
  assert_near(json_number(json, "steps_per_second"), 320000, 1e-15);
  assert_true(json_number(json, "energy_start") == 1.5);
  assert_true(json_number(json, "energy_end") == 1.25);
  assert_true(json_number(json, "energy_drift") == 3.5e-7);
  assert_true(json_number(json, "constraint_violation") == 0);
  assert_true(json_number(json, "duration") == 4);
  assert_true(json_number(json, "frames") == 5);
  assert_true(json_number(json, "degrees_of_freedom") == 11);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(json, "interrupted")));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "inverted")));
  cJSON_Delete(json);
  lb_summary s = FIXTURE_SUMMARY;
  s.inversion = (lb_inversion){3, 0.5, 1, -0.25, {1, 2, 3}};
  json = summary_json(f, &s);
  const cJSON* inverted = cJSON_GetObjectItem(json, "inverted");
  assert_string_equal(cJSON_GetObjectItem(inverted, "body")->valuestring, f->body_name[1]);
  assert_true(json_number(inverted, "time") == 0.5);
  assert_true(json_number(inverted, "volume") == -0.25);
  assert_true(json_number(inverted, "frames") == 3);
  assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(inverted, "at"), 2)->valuedouble == 3);
  cJSON_Delete(json);
  fixture_release(f);
}

static void summary_says_why_a_run_failed(void** state) {
  (void)state;
  fixture* f = fixture_zoo(5);
  cJSON* json = summary_json(f, &FIXTURE_SUMMARY);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "failure")));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "left_splines")));
  cJSON_Delete(json);
  lb_summary s = FIXTURE_SUMMARY;
  s.failure = (lb_failure){true, 0.75, "a.yaml:1:2: joint \"j\" <left>"};
  json = summary_json(f, &s);
  const cJSON* failure = cJSON_GetObjectItem(json, "failure");
  assert_true(json_number(failure, "time") == 0.75);
  assert_string_equal(cJSON_GetObjectItem(failure, "reason")->valuestring, s.failure.reason);
  cJSON_Delete(json);
  lb_out out = lb_out_make(NULL, -1);
  lb_write_report(&out, f->recording, &s);
  lb_out_bytes(&out, "", 1);
  assert_non_null(strstr(out.data, "This run failed after 750"));
  assert_non_null(strstr(out.data, "a.yaml:1:2: joint &quot;j&quot; &lt;left&gt;"));
  lb_out_release(&out);
  fixture_release(f);
}

static void frames_with_a_number_that_is_none_are_seen(void** state) {
  (void)state;
  fixture* f = fixture_zoo(3);
  lb_recording* r = f->recording;
  double* const any[] = {r->time + 1, &r->pose[2 * f->model.nbody - 1].q.z,
                         r->q + 2 * f->model.nq - 1, r->qd + f->model.nv, r->potential + 1};
  for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
    const double was = *any[i];
    *any[i] = i % 2 ? NAN : INFINITY;
    assert_true(lb_recording_is_finite(r, 0));
    assert_false(lb_recording_is_finite(r, 1));
    assert_true(lb_recording_is_finite(r, 2));
    *any[i] = was;
  }
  assert_true(lb_recording_is_finite(r, 1));
  fixture_release(f);
}

static void summary_says_null_where_a_figure_is_not_finite(void** state) {
  (void)state;
  fixture* f = fixture_zoo(2);
  lb_summary s = FIXTURE_SUMMARY;
  s.energy_end = NAN;
  s.energy_drift = INFINITY;
  s.wall_seconds = 0;
  cJSON* json = summary_json(f, &s);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "energy_end")));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "energy_drift")));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "steps_per_second")));
  cJSON_Delete(json);
  fixture_release(f);
}

// --- report.html ---

static void report_shows_names_as_text(void** state) {
  (void)state;
  fixture* f = fixture_zoo(50);
  f->body_name[0] = "</script><img src=x onerror=alert(1)>";
  f->joint_name[0] = "</script><img src=x onerror=alert(1)>";
  char* page = written(report, f);
  assert_null(strstr(page, "<img src=x"));
  assert_null(strstr(page, "<script>alert"));
  assert_non_null(strstr(page, "A zoo of shapes &lt;&amp; &quot;names&quot;&gt;"));
  lb_release(NULL, page);
  fixture_release(f);
}

static void report_asks_nothing_of_the_network(void** state) {
  (void)state;
  fixture* f = fixture_zoo(50);
  char* page = written(report, f);
  static const char* const loads[] = {"src=\"http", "src='http", "href=\"http", "href='http",
                                      "url(http",   "@import",   "url(\"http"};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    assert_null(strstr(page, loads[i]));
  }
  assert_non_null(strstr(page, "default-src 'none'"));
  lb_release(NULL, page);
  fixture_release(f);
}

static void report_has_a_picture_for_each_eighth_of_the_motion(void** state) {
  (void)state;
  fixture* f = fixture_zoo(401);
  char* page = written(report, f);
  int shots = 0;
  for (const char* at = page; (at = strstr(at, "<svg xmlns")); at++) {
    shots++;
  }
  assert_int_equal(shots, 8);
  assert_non_null(strstr(page, "data-time=\"0\""));
  assert_non_null(strstr(page, "data-time=\"4\""));
  lb_release(NULL, page);
  fixture_release(f);
}

// A long thin prism of many faces, which pictures thin out.
static int prism_face[4 * 500 * 6];
static lb_vec3 prism_vertex[4 * 501];
static const lb_mesh prism = {4 * 501, 4 * 500 * 2, prism_vertex, prism_face};

static void make_prism(void) {
  static const double y[] = {1, -1, -1, 1}, z[] = {1, 1, -1, -1};
  for (int i = 0; i <= 500; i++) {
    for (int k = 0; k < 4; k++) {
      const int a = 4 * i + k, b = 4 * i + (k + 1) % 4;
      const int face[6] = {a, a + 4, b, b, a + 4, b + 4};
      prism_vertex[a] = lb_vec3_make(i / 500.0, 0.007 * y[k], 0.007 * z[k]);
      if (i < 500) {
        memcpy(prism_face + 6 * a, face, sizeof face);
      }
    }
  }
}

// Area of the faces that are drawn, from the corners of the paths.
static void thin_rods_are_in_the_pictures(void** state) {
  (void)state;
  fixture* f = fixture_make("Rod");
  make_prism();
  const int rod = fixture_body(f, "rod", LB_JOINT_REVOLUTE, LB_WORLD);
  fixture_shape(f, rod, LB_SHAPE_MESH, lb_vec3_make(1, 1, 1), fixture_at(0, 0, 0), 0);
  f->shape[0].shape.mesh = &prism;
  fixture_frame(f, 0);
  char* page = written(report, f);
  int paths = 0;
  for (const char* at = strstr(page, "<svg xmlns"); at && (at = strstr(at, "<path")); at++) {
    paths++;
  }
  print_message("%d paths\n", paths);
  assert_above(paths, 200);
  lb_release(NULL, page);
  fixture_release(f);
}

// One body swings, the other falls 100 m: the view is that of the first.
static void what_gets_lost_does_not_shrink_the_rest(void** state) {
  (void)state;
  fixture* f = fixture_make("Lost");
  const int arm = fixture_body(f, "arm", LB_JOINT_REVOLUTE, LB_WORLD);
  const int ball = fixture_body(f, "ball", LB_JOINT_FREE, LB_WORLD);
  const lb_transform O = lb_transform_identity();
  fixture_shape(f, arm, LB_SHAPE_CAPSULE, lb_vec3_make(0.08, 0.8, 0), fixture_at(0, 0, -0.5), 0);
  fixture_shape(f, ball, LB_SHAPE_SPHERE, lb_vec3_make(0.13, 0, 0), O, 1);
  for (int i = 0; i < 100; i++) {
    const int k = fixture_frame(f, 0.045 * i);
    fixture_pose(f, k, arm)->q = lb_quat_exp(lb_vec3_make(0, sin(0.1 * i), 0));
    *fixture_pose(f, k, ball) = fixture_at(0.5, 0, -0.01 * i * i);
  }
  lb_view view;
  assert_true(lb_view_make(&view, f->recording));
  print_message("radius %g m\n", view.radius);
  assert_below(view.radius, 3);
  assert_false(view.follow);
  fixture_release(f);
}

static void report_of_a_long_chain_stays_below_three_megabytes(void** state) {
  (void)state;
  fixture* f = fixture_chain(100, 1000);
  char* page = written(report, f);
  assert_below(strlen(page), 3000000);
  lb_release(NULL, page);
  fixture_release(f);
}

// A world of `count` parts in a row that rises.
static void report_of_many(const char* part, int count, char** page) {
  char text[400];
  const int length =
      snprintf(text, sizeof text,
               "repeat: [{count: %d, bodies: {b(n): {%s, position: [(n), 0, 0]}}}]", count, part);
  lb_scene scene;
  lb_model* model = NULL;
  assert_int_equal(lb_scene_parse(text, (size_t)length, "many", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &model, NULL), LB_OK);
  lb_scene_release(&scene);
  fixture f = {.model = *model};
  fixture_frame(&f, 0);
  fixture_frame(&f, 1);
  for (int b = 0; b < count; b++) {
    fixture_pose(&f, 0, b)->p.x = b;
    *fixture_pose(&f, 1, b) = fixture_at(b, 0, 1);
  }
  *page = written(report, &f);
  lb_recording_release(f.recording);
  lb_model_release(model);
}

static void report_of_a_crowd_stays_light_and_says_what_it_leaves_out(void** state) {
  (void)state;
  char* page = NULL;
  report_of_many("shape: {cylinder: {radius: 0.2, length: 1}}", 20000, &page);
  assert_below(strlen(page), 5000000);
  assert_non_null(strstr(page, "the pictures show one in 28 of the 20\u202f000 shapes"));
  assert_non_null(strstr(page, "the plots have the first 600 of 140\u202f000 curves"));
  assert_non_null(strstr(page, "too large for a 3-D view"));
  assert_null(strstr(page, "id=\"limber-glb\""));
  lb_release(NULL, page);
  report_of_many("shape: {box: [1, 1, 1]}", 20, &page);
  assert_null(strstr(page, "the pictures show one in"));
  assert_null(strstr(page, "the plots have the first"));
  assert_null(strstr(page, "too large for a 3-D view"));
  assert_non_null(strstr(page, "id=\"limber-glb\""));
  lb_release(NULL, page);
}

static void report_survives_numbers_that_are_not(void** state) {
  (void)state;
  fixture* f = fixture_zoo(20);
  for (int i = 5; i < 20; i++) {
    for (int b = 0; b < f->model.nbody; b++) {
      fixture_pose(f, i, b)->p.x = NAN;
      fixture_pose(f, i, b)->q.w = INFINITY;
    }
    f->recording->kinetic[i] = NAN;
  }
  f->recording->time[19] = NAN;
  char* page = written(report, f);
  const char* end = strstr(page, "<script type=\"application/json\""); // what follows is encoded
  assert_non_null(end);
  for (const char* bad = page; bad < end; bad++) {
    assert_false(!strncmp(bad, "nan", 3) || !strncmp(bad, "inf\"", 4));
  }
  lb_release(NULL, page);
  fixture_release(f);
}

// --- files ---

static void folder_is_made_with_those_above_it(void** state) {
  (void)state;
  fixture* f = fixture_zoo(3);
  const char* dir = in_folder("a/b//c/");
  assert_int_equal(lb_recording_write(f->recording, &FIXTURE_SUMMARY, dir, NULL), LB_OK);
  assert_int_equal(entries(dir), FILES);
  assert_int_equal(access(in_folder("a/b/c/summary.json"), R_OK), 0);
  fixture_release(f);
}

static void writing_again_replaces_the_files(void** state) {
  (void)state;
  fixture* f = fixture_zoo(3);
  const char* dir = in_folder("again");
  assert_int_equal(lb_recording_write(f->recording, &FIXTURE_SUMMARY, dir, NULL), LB_OK);
  char* first = slurp(in_folder("again/trajectory.csv"));
  fixture_frame(f, 9);
  assert_int_equal(lb_recording_write(f->recording, &FIXTURE_SUMMARY, in_folder("again"), NULL),
                   LB_OK);
  char* second = slurp(in_folder("again/trajectory.csv"));
  assert_int_equal(entries(in_folder("again")), FILES);
  assert_memory_equal(first, second, strlen(first));
  assert_above(strlen(second), strlen(first));
  free(first);
  free(second);
  fixture_release(f);
}

static void file_in_the_folders_place_is_named(void** state) {
  (void)state;
  fixture* f = fixture_zoo(2);
  FILE* file = fopen(in_folder("taken"), "w");
  fclose(file);
  fails_with(LB_IO, f, in_folder("taken"),
             "taken: the results need a folder of this name, but it is a file");
  fails_with(LB_IO, f, in_folder("taken/below"), "taken: the results need a folder of this name");
  fixture_release(f);
}

static void folder_in_a_files_place_is_named_and_the_others_are_written(void** state) {
  (void)state;
  fixture* f = fixture_zoo(2);
  assert_int_equal(mkdir(in_folder("odd"), 0777), 0);
  assert_int_equal(mkdir(in_folder("odd/scene.glb"), 0777), 0);
  fails_with(LB_IO, f, in_folder("odd"),
             "odd/scene.glb: the file cannot be written: Is a directory");
  assert_int_equal(entries(in_folder("odd")), FILES); // with the others, and nothing half-written
  assert_int_equal(access(in_folder("odd/summary.json"), R_OK), 0);
  fixture_release(f);
}

static void unwritable_folder_is_named(void** state) {
  (void)state;
  if (geteuid() == 0) {
    skip(); // nothing is unwritable for root
  }
  fixture* f = fixture_zoo(2);
  assert_int_equal(mkdir(in_folder("locked"), 0555), 0);
  fails_with(LB_IO, f, in_folder("locked"),
             "trajectory.csv: the file cannot be made: Permission denied");
  fails_with(LB_IO, f, in_folder("locked/new"),
             "new: the folder cannot be made: Permission denied");
  fixture_release(f);
}

static void full_disk_leaves_the_old_file_and_no_other(void** state) {
  (void)state;
  fixture* f = fixture_zoo(3);
  const char* dir = in_folder("full");
  assert_int_equal(lb_recording_write(f->recording, &FIXTURE_SUMMARY, dir, NULL), LB_OK);
  char* before = slurp(in_folder("full/trajectory.csv"));
  for (int i = 3; i < 3000; i++) {
    fixture_frame(f, i);
  }
  // A limit on the size of files stands for a disk that fills up.
  struct rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = old;
  small.rlim_cur = 100 * 1024;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  lb_error err = lb_error_make(NULL);
  const lb_status status =
      lb_recording_write(f->recording, &FIXTURE_SUMMARY, in_folder("full"), &err);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_int_equal(status, LB_IO);
  char text[512];
  lb_error_format(&err, 0, text, sizeof text);
  assert_non_null(strstr(text, "full/trajectory.csv: the file cannot be written: File too large"));
  char* after = slurp(in_folder("full/trajectory.csv"));
  assert_string_equal(before, after);
  assert_int_equal(entries(in_folder("full")), FILES);
  lb_error_clear(&err);
  free(before);
  free(after);
  fixture_release(f);
}

// --- memory ---

// Fails the n-th request, and counts what is not given back.
typedef struct scarce {
  int left;
  int held;
} scarce;

static void* scarce_allocate(void* context, size_t size) {
  scarce* s = context;
  if (s->left-- <= 0) {
    return NULL;
  }
  void* block = lb_allocate(NULL, size);
  s->held += block != NULL;
  return block;
}

static void scarce_release(void* context, void* block) {
  ((scarce*)context)->held--;
  lb_release(NULL, block);
}

static lb_status record_and_write(const lb_model* model, const lb_allocator* allocator,
                                  const char* dir) {
  lb_recording* r = NULL;
  if (lb_recording_create(model, 1, allocator, &r, NULL) != LB_OK) {
    assert_null(r);
    return LB_NO_MEMORY;
  }
  lb_status status = LB_OK;
  for (int i = 0; i < 10 && status == LB_OK; i++) {
    const int f = lb_recording_add(r);
    if (f < 0) {
      status = LB_NO_MEMORY;
      assert_int_equal(r->nframe, i);
      break;
    }
    r->time[f] = f;
    for (int b = 0; b < model->nbody; b++) {
      r->pose[f * model->nbody + b] = (lb_transform){{1, 0, 0, 0}, {f, b, 0}};
    }
  }
  if (status == LB_OK) {
    status = lb_recording_write(r, &FIXTURE_SUMMARY, dir, NULL);
  }
  lb_recording_release(r);
  return status;
}

static bool stop_at(void* context, double fraction, const char* what) {
  (void)fraction;
  (void)what;
  return --*(int*)context > 0;
}

static lb_status write_watched(const fixture* f, int* looks, lb_error* err) {
  const lb_progress progress = {stop_at, looks};
  lb_results* results = NULL;
  assert_int_equal(lb_results_open(in_folder("impatient"), NULL, &results, err), LB_OK);
  lb_results_watch(results, &progress);
  return lb_results_close(results, f->recording, &FIXTURE_SUMMARY, err);
}

static void put_old_animation(void) {
  FILE* old = fopen(in_folder("impatient/scene.glb"), "w");
  assert_non_null(old);
  fclose(old);
}

// The animation is what takes long: it is left out, at any of the looks, and all else is there. One
// of an earlier run does not stay beside the rest.
static void an_animation_that_is_not_waited_for_is_left_out(void** state) {
  (void)state;
  enum { MANY = 1000 };
  fixture* f = fixture_zoo(3);
  int left = MANY;
  assert_int_equal(write_watched(f, &left, NULL), LB_OK);
  assert_int_equal(entries(in_folder("impatient")), FILES);
  const int looks = MANY - left;
  assert_true(looks > 1 && left > 0);
  for (int stop = 1; stop <= looks; stop++) {
    lb_error err = lb_error_make(NULL);
    put_old_animation();
    left = stop;
    assert_int_equal(write_watched(f, &left, &err), LB_INTERRUPTED);
    assert_int_equal(err.count, 1);
    assert_string_equal(err.message[0].text, "interrupted: it is left out");
    assert_int_equal(entries(in_folder("impatient")), FILES - 1);
    assert_int_equal(access(in_folder("impatient/summary.json"), R_OK), 0);
    assert_int_equal(access(in_folder("impatient/scene.glb"), F_OK), -1);
    lb_error_clear(&err);
  }
  fixture_release(f);
}

static void memory_that_runs_out_anywhere_leaves_nothing_behind(void** state) {
  (void)state;
  fixture* f = fixture_zoo(1);
  char dir[128];
  snprintf(dir, sizeof dir, "%s", in_folder("scarce"));
  assert_int_equal(mkdir(dir, 0777), 0);
  lb_status status = LB_NO_MEMORY;
  int n = 0;
  for (; status != LB_OK && n < 10000; n++) {
    scarce s = {.left = n};
    const lb_allocator allocator = {scarce_allocate, scarce_release, &s};
    status = record_and_write(&f->model, &allocator, dir);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    assert_int_equal(s.held, 0);
    assert_at_most(entries(dir), FILES);
    DIR* open = opendir(dir);
    for (const struct dirent* e; (e = readdir(open));) {
      assert_null(strstr(e->d_name, ".part"));
    }
    closedir(open);
  }
  assert_int_equal(status, LB_OK);
  assert_above(n, 20);
  fixture_release(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recording_keeps_its_frames_when_it_grows),
      cmocka_unit_test(recording_of_a_world_without_bodies_works),
      cmocka_unit_test(csv_has_a_column_for_every_pose_and_coordinate),
      cmocka_unit_test(csv_ends_with_the_force_of_every_motor),
      cmocka_unit_test(summary_has_the_promised_figures),
      cmocka_unit_test(summary_says_why_a_run_failed),
      cmocka_unit_test(frames_with_a_number_that_is_none_are_seen),
      cmocka_unit_test(summary_says_null_where_a_figure_is_not_finite),
      cmocka_unit_test(report_shows_names_as_text),
      cmocka_unit_test(report_asks_nothing_of_the_network),
      cmocka_unit_test(report_has_a_picture_for_each_eighth_of_the_motion),
      cmocka_unit_test(thin_rods_are_in_the_pictures),
      cmocka_unit_test(what_gets_lost_does_not_shrink_the_rest),
      cmocka_unit_test(report_of_a_long_chain_stays_below_three_megabytes),
      cmocka_unit_test(report_of_a_crowd_stays_light_and_says_what_it_leaves_out),
      cmocka_unit_test(report_survives_numbers_that_are_not),
      cmocka_unit_test(folder_is_made_with_those_above_it),
      cmocka_unit_test(writing_again_replaces_the_files),
      cmocka_unit_test(file_in_the_folders_place_is_named),
      cmocka_unit_test(folder_in_a_files_place_is_named_and_the_others_are_written),
      cmocka_unit_test(unwritable_folder_is_named),
      cmocka_unit_test(full_disk_leaves_the_old_file_and_no_other),
      cmocka_unit_test(an_animation_that_is_not_waited_for_is_left_out),
      cmocka_unit_test(memory_that_runs_out_anywhere_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
