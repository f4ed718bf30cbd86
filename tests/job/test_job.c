// Jobs: what runs for somebody who watches, cancels, streams and reads the report.
#include <dirent.h>
#include <unistd.h>

#include "counting.h"
#include "limber/limber.h"
#include "test.h"

#define PENDULUM                                                                                   \
  "name: A pendulum\nduration: 0.5\nsolver: {integrator: rk4, step: 1 ms}\nrecord: {every: 10 "    \
  "ms}\n"                                                                                          \
  "bodies: {rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -0.5]}}}}\n"         \
  "joints: {pivot: {type: revolute, child: rod, axis: y}}\n"                                       \
  "initial: {pivot: {position: 60 deg}}\n"

// A spring much too stiff for explicit steps: speeds leave all bounds.
#define EXPLODES                                                                                   \
  "duration: 1\nsolver: {integrator: euler, step: 1 ms}\nrecord: {every: 1 ms}\n"                  \
  "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"                                                   \
  "joints: {j: {type: prismatic, child: a, axis: x, spring: {stiffness: 5e6}}}\n"                  \
  "initial: {j: {position: 1 mm}}\n"

// A weight on a spring, carried by a slide whose motor moves it.
#define CART                                                                                       \
  "name: Cart\ngravity: [0, 0, 0]\nduration: 1\nsolver: {integrator: bdf2, step: 2 ms}\n"          \
  "bodies: {cart: {mass: 1 kg, inertia: [1, 1, 1]}, load: {mass: 0.5 kg, inertia: [1, 1, 1]}}\n"   \
  "joints:\n  track: {type: prismatic, child: cart, axis: x}\n"                                    \
  "  spring: {type: prismatic, parent: cart, child: load, axis: x, spring: {stiffness: 80}}\n"     \
  "motors: {drive: {joint: track, keys: [[0.1, 0], [0.4, 50 cm]]}}\n"                              \
  "retarget: {bodies: {load: {position: 1}}, iterations: 5}\n"

static char folder[32];

static int make_folder(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/limber-job-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static char* slurp(const char* name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  char* text = calloc(1, 1 << 22);
  const size_t size = fread(text, 1, (1 << 22) - 1, file);
  assert_above(size, 0);
  fclose(file);
  return text;
}

// How many files in the folder end with these letters.
static int count_files(const char* end) {
  int count = 0;
  DIR* dir = opendir(folder);
  for (struct dirent* e = readdir(dir); e; e = readdir(dir)) {
    const size_t a = strlen(e->d_name), b = strlen(end);
    count += a >= b && strcmp(e->d_name + a - b, end) == 0;
  }
  closedir(dir);
  return count;
}

static lb_job* make(const char* text, const char* out, lb_sink sink) {
  lb_job* job = NULL;
  lb_job_options o = lb_job_default();
  o.scene = "pendulum.yaml";
  o.text = text;
  o.out = out;
  o.sink = sink;
  assert_int_equal(lb_job_create(&o, NULL, &job, NULL), LB_OK);
  assert_int_equal(lb_job_load(job, NULL), LB_OK);
  return job;
}

// Somebody who counts frames, and does something at one of them.
typedef struct counter {
  lb_job* job;
  int frames;
  int aside; // files beside their final names at the last frame
  int cancel_at, fail_at;
} counter;

static lb_status count(void* context, const lb_recording* r, int frame, lb_error* err) {
  counter* c = context;
  assert_int_equal(frame, c->frames);
  assert_true(r->nframe == frame + 1 && isfinite(r->time[frame]));
  c->frames++;
  c->aside = count_files(".part");
  if (c->cancel_at == c->frames) {
    lb_job_cancel(c->job);
  }
  return c->fail_at == c->frames ? lb_error_add(err, LB_IO, (lb_place){0}, "the line is dead")
                                 : LB_OK;
}

static void frames_are_streamed_as_they_come_and_files_are_whole_at_the_end(void** state) {
  (void)state;
  counter c = {0};
  lb_job* job = c.job = make(PENDULUM, folder, (lb_sink){count, &c});
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  assert_int_equal(c.frames, 51);
  assert_int_equal(c.aside, 1);
  assert_int_equal(count_files("trajectory.csv"), 0);
  assert_true(lb_job_fraction(job) == 1);
  assert_int_equal(lb_job_write(job, NULL), LB_OK);
  assert_int_equal(count_files(".part"), 0);
  char* page = slurp("report.html"); // it shows the scene that was read, which is no file here
  assert_non_null(strstr(page, "The scene, pendulum.yaml"));
  assert_non_null(strstr(page, "<pre>name: A pendulum\nduration: 0.5\n"));
  free(page);
  char* streamed = slurp("trajectory.csv");
  // the same by a recording that is written at once
  assert_int_equal(lb_recording_write(lb_job_recording(job), lb_job_summary(job), folder, NULL),
                   LB_OK);
  char* whole = slurp("trajectory.csv");
  assert_string_equal(streamed, whole);
  free(streamed);
  free(whole);
  lb_job_release(job);
}

static void a_job_that_is_cancelled_keeps_what_was_done(void** state) {
  (void)state;
  counter c = {.cancel_at = 10};
  lb_job* job = c.job = make(PENDULUM, folder, (lb_sink){count, &c});
  assert_int_equal(lb_job_run(job, NULL), LB_INTERRUPTED);
  assert_at_least(c.frames, 10);
  assert_at_most(c.frames, 11);
  assert_int_equal(lb_job_recording(job)->nframe, c.frames);
  assert_true(lb_job_summary(job)->interrupted);
  assert_int_equal(lb_job_write(job, NULL), LB_OK);
  assert_int_equal(count_files("report.html"), 1);
  lb_job_release(job);
}

static void a_sink_that_fails_ends_the_run(void** state) {
  (void)state;
  counter c = {.fail_at = 5};
  lb_error err = lb_error_make(NULL);
  lb_job* job = make(PENDULUM, NULL, (lb_sink){count, &c});
  assert_int_equal(lb_job_run(job, &err), LB_IO);
  assert_string_equal(err.message[0].text, "the line is dead");
  assert_int_equal(lb_job_recording(job)->nframe, 5);
  lb_error_clear(&err);
  lb_job_release(job);
}

static void frames_that_are_taken_back_are_not_in_the_file(void** state) {
  (void)state;
  counter c = {0};
  lb_job* job = c.job = make(EXPLODES, folder, (lb_sink){count, &c});
  assert_int_equal(lb_job_run(job, NULL), LB_FAILED);
  const int kept = lb_job_recording(job)->nframe;
  assert_at_least(kept, 1);
  assert_below(kept, c.frames);
  assert_int_equal(lb_job_write(job, NULL), LB_OK);
  char* text = slurp("trajectory.csv");
  int lines = 0;
  for (const char* at = text; *at; at++) {
    lines += *at == '\n';
  }
  assert_int_equal(lines, kept + 1);
  free(text);
  lb_job_release(job);
}

static void a_job_that_is_not_written_leaves_nothing(void** state) {
  (void)state;
  lb_job* job = make(PENDULUM, folder, (lb_sink){0});
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  lb_job_release(job);
  assert_int_equal(count_files("csv") + count_files(".part"), 0);
}

// A folder is one job's until its results are written, or it is released.
static void a_second_job_into_a_folder_is_refused(void** state) {
  (void)state;
  lb_error err = lb_error_make(NULL);
  lb_job *first = make(PENDULUM, folder, (lb_sink){0}), *second = NULL;
  lb_job_options o = lb_job_default();
  o.scene = "pendulum.yaml";
  o.text = PENDULUM;
  o.out = folder;
  assert_int_equal(lb_job_create(&o, NULL, &second, NULL), LB_OK);
  assert_int_equal(lb_job_load(second, &err), LB_IO);
  assert_non_null(strstr(err.message[0].text, "another run is writing its results there"));
  lb_error_clear(&err);
  lb_job_release(second);
  assert_int_equal(lb_job_run(first, NULL), LB_OK);
  assert_int_equal(lb_job_write(first, NULL), LB_OK);
  second = make(PENDULUM, folder, (lb_sink){0}); // the first is still there, with its recording
  lb_job_release(first);
  lb_job_release(second);
  lb_job_release(make(PENDULUM, folder, (lb_sink){0}));
}

static void a_report_has_a_title_figures_and_files(void** state) {
  (void)state;
  int n = 0, kinds[LB_SECTION_NOTE + 1] = {0};
  lb_job* job = make(PENDULUM, NULL, (lb_sink){0});
  assert_null(lb_job_sections(job, &n));
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  const lb_section* s = lb_job_sections(job, &n);
  for (int i = 0; i < n; i++) {
    kinds[s[i].kind]++;
  }
  assert_int_equal(kinds[LB_SECTION_TITLE], 1);
  assert_int_equal(kinds[LB_SECTION_FIGURE], 2);
  assert_int_equal(kinds[LB_SECTION_FILE], 4);
  assert_int_equal(kinds[LB_SECTION_WARNING], 0);
  assert_string_equal(s[0].name, "A pendulum");
  assert_non_null(strstr(s[0].text, "500 ms of motion in "));
  assert_string_equal(s[1].name, "steps");
  assert_non_null(strstr(s[1].text, "500 (rk4, 1 ms), "));
  lb_job_release(job);
}

// A search tells how it is with an open end, and is cancelled from there.
static bool cancel_search(void* context, double fraction, const char* what) {
  lb_job* job = *(lb_job**)context;
  if (isnan(fraction) && what && strstr(what, "iteration 1: ")) {
    lb_job_cancel(job);
  }
  return true;
}

static void count_warnings(void* context, const lb_section* section) {
  *(int*)context += section->kind == LB_SECTION_WARNING;
}

static lb_job* make_search(bool resume, lb_progress progress, int* warnings) {
  lb_job* job = NULL;
  lb_job_options o = lb_job_default();
  o.kind = "retarget";
  o.text = CART;
  o.out = folder;
  o.resume = resume;
  o.progress = progress;
  o.told = count_warnings;
  o.context = warnings;
  assert_int_equal(lb_job_create(&o, NULL, &job, NULL), LB_OK);
  assert_int_equal(lb_job_load(job, NULL), LB_OK);
  return job;
}

static void a_search_that_is_cancelled_keeps_its_best_and_goes_on_from_there(void** state) {
  (void)state;
  lb_job* job = NULL;
  int n = 0, warnings = 0;
  job = make_search(true, (lb_progress){cancel_search, &job}, &warnings);
  assert_int_equal(lb_job_run(job, NULL), LB_INTERRUPTED);
  assert_int_equal(warnings, 1); // there was nothing to go on with
  assert_int_equal(lb_job_write(job, NULL), LB_OK);
  const lb_section* s = lb_job_sections(job, &n);
  assert_int_equal(s[n - 1].kind, LB_SECTION_NOTE);
  assert_non_null(strstr(s[n - 1].text, "Interrupted after 1 iterations."));
  assert_int_equal(count_files("profiles.csv"), 1);
  lb_job_release(job);
  job = make_search(true, (lb_progress){0}, &warnings);
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  assert_int_equal(warnings, 1);
  assert_at_least(lb_job_summary(job)->retarget->niteration, 2);
  s = lb_job_sections(job, &n);
  assert_string_equal(s[0].name, "Cart");
  lb_job_release(job);
}

static void the_torques_of_a_recorded_motion_are_a_job(void** state) {
  (void)state;
  lb_job* job = make(PENDULUM, folder, (lb_sink){0});
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  assert_int_equal(lb_job_write(job, NULL), LB_OK);
  lb_job_release(job);
  char table[64];
  snprintf(table, sizeof table, "%s/trajectory.csv", folder);
  lb_job_options o = lb_job_default();
  o.kind = "inverse";
  o.text = PENDULUM;
  o.table = table;
  assert_int_equal(lb_job_create(&o, NULL, &job, NULL), LB_OK);
  assert_int_equal(lb_job_load(job, NULL), LB_OK);
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  assert_int_equal(lb_job_recording(job)->nframe, 51);
  assert_below(lb_job_summary(job)->torque.value, 1e-2); // nothing drives the pendulum
  lb_job_release(job);
}

// Memory that is given back becomes question marks.
enum { HEAD = 64 };

static void* take(void* context, size_t size) {
  (void)context;
  char* block = lb_allocate(NULL, size + HEAD);
  if (block) {
    memcpy(block, &size, sizeof size);
  }
  return block ? block + HEAD : NULL;
}

static void spoil(void* context, void* kept) {
  (void)context;
  char* block = kept ? (char*)kept - HEAD : NULL;
  size_t size;
  if (block) {
    memcpy(&size, block, sizeof size);
    memset(block, '?', size + HEAD);
    lb_release(NULL, block);
  }
}

static void warnings_keep_the_name_of_their_file(void** state) {
  (void)state;
  const lb_allocator allocator = {take, spoil, NULL};
  char states[64];
  snprintf(states, sizeof states, "%s/states.sto", folder);
  FILE* file = fopen(states, "w");
  fputs("start\nversion=1\nnRows=1\nnColumns=3\ninDegrees=no\nendheader\n"
        "time\tswing\tswnig_u\n0\t0.1\t0\n",
        file);
  fclose(file);
  lb_job* job = NULL;
  lb_job_options o = lb_job_default();
  o.text = "duration: 10 ms\nbodies: {rod: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints: {pivot: {type: revolute, child: rod, axis: y, names: [swing]}}\n";
  o.states = states;
  assert_int_equal(lb_job_create(&o, &allocator, &job, NULL), LB_OK);
  assert_int_equal(lb_job_load(job, NULL), LB_OK);
  assert_int_equal(lb_job_run(job, NULL), LB_OK);
  int n = 0, found = 0;
  const lb_section* s = lb_job_sections(job, &n);
  for (int i = 0; i < n; i++) {
    if (s[i].kind == LB_SECTION_WARNING && strstr(s[i].text, "swnig_u")) {
      assert_string_equal(s[i].place.file, states);
      found++;
    }
  }
  assert_int_equal(found, 1);
  lb_job_release(job);
}

static void mistakes_are_reported_when_a_job_is_made_or_loaded(void** state) {
  (void)state;
  lb_job* job = NULL;
  lb_error err = lb_error_make(NULL);
  lb_job_options o = lb_job_default();
  o.kind = "dance";
  assert_int_equal(lb_job_create(&o, NULL, &job, &err), LB_INVALID);
  assert_string_equal(err.message[0].text, "there are no jobs of kind 'dance'");
  lb_error_clear(&err);
  o = lb_job_default();
  o.scene = "a.yaml";
  o.text = "bodies: {a: {mas: 1}}";
  assert_int_equal(lb_job_create(&o, NULL, &job, &err), LB_OK);
  assert_int_equal(lb_job_load(job, &err), LB_INVALID);
  assert_string_equal(err.message[0].place.file, "a.yaml");
  lb_job_release(job);
  lb_error_clear(&err);
}

static void refuse_memory(const char* kind) {
  bool done = false;
  for (long refuse = 1; !done; refuse++) {
    lb_counting counting = {.refuse = refuse};
    lb_allocator allocator = lb_counting_allocator(&counting);
    lb_job* job = NULL;
    lb_job_options o = lb_job_default();
    o.kind = kind;
    o.text = PENDULUM;
    o.out = folder;
    int n = 0;
    done = lb_job_create(&o, &allocator, &job, NULL) == LB_OK && lb_job_load(job, NULL) == LB_OK &&
           lb_job_run(job, NULL) == LB_OK && lb_job_sections(job, &n) &&
           lb_job_write(job, NULL) == LB_OK && counting.requests < refuse;
    lb_job_release(job);
    assert_int_equal(counting.live, 0);
    assert_int_equal(count_files(".part"), 0);
  }
}

static void refused_memory_leaves_nothing_behind(void** state) {
  (void)state;
  refuse_memory("simulate");
  refuse_memory("check");
}

int main(void) {
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      WITH_FOLDER(a_second_job_into_a_folder_is_refused),
      WITH_FOLDER(frames_are_streamed_as_they_come_and_files_are_whole_at_the_end),
      WITH_FOLDER(a_job_that_is_cancelled_keeps_what_was_done),
      WITH_FOLDER(a_sink_that_fails_ends_the_run),
      WITH_FOLDER(frames_that_are_taken_back_are_not_in_the_file),
      WITH_FOLDER(a_job_that_is_not_written_leaves_nothing),
      WITH_FOLDER(a_report_has_a_title_figures_and_files),
      WITH_FOLDER(a_search_that_is_cancelled_keeps_its_best_and_goes_on_from_there),
      WITH_FOLDER(the_torques_of_a_recorded_motion_are_a_job),
      WITH_FOLDER(warnings_keep_the_name_of_their_file),
      WITH_FOLDER(mistakes_are_reported_when_a_job_is_made_or_loaded),
      WITH_FOLDER(refused_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
