// scene: every file in tests/scene/bad is wrong in some way, and the messages it gets are exactly
// those in the .txt beside it. LIMBER_ACCEPT=1 writes these instead, to be looked through and kept.
#include <dirent.h>
#include <unistd.h>

#include "limber/scene.h"
#include "test.h"

enum { MOST_FILES = 400, MOST_TEXT = 64 * 1024, LEAST_FILES = 60 };

static bool ends_in(const char* name, const char* end) {
  const size_t n = strlen(name), m = strlen(end);
  return n > m && strcmp(name + n - m, end) == 0;
}

static int compare_names(const void* a, const void* b) {
  return strcmp(a, b);
}

// What reading a file of the present folder says, a line for each message.
static lb_status messages_of(const char* file, char* text) {
  lb_scene scene = lb_scene_default();
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_scene_read(file, NULL, &scene, &err);
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < err.count; i++) {
    used += lb_error_format(&err, i, text + used, MOST_TEXT - used);
    assert_below(used + 2, MOST_TEXT);
    strcpy(text + used, "\n");
    used++;
  }
  if (status == LB_OK) {
    lb_scene_release(&scene);
  }
  lb_error_clear(&err);
  return status;
}

static void load_expected(const char* file, char* text) {
  char name[300];
  snprintf(name, sizeof name, "%.*s.txt", (int)(strlen(file) - strlen(".yaml")), file);
  FILE* f = fopen(name, "rb");
  const size_t n = f ? fread(text, 1, MOST_TEXT - 1, f) : 0;
  text[n] = 0;
  if (f) {
    fclose(f);
  }
}

static void accept(const char* file, const char* text) {
  char name[300];
  snprintf(name, sizeof name, "%.*s.txt", (int)(strlen(file) - strlen(".yaml")), file);
  FILE* f = fopen(name, "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void every_bad_scene_gets_exactly_its_messages(void** state) {
  (void)state;
  static char files[MOST_FILES][256];
  static char got[MOST_TEXT], expected[MOST_TEXT];
  assert_int_equal(chdir(LIMBER_SOURCE_DIR "/tests/scene/bad"), 0);
  DIR* folder = opendir(".");
  assert_non_null(folder);
  int count = 0, wrong = 0;
  for (struct dirent* e; (e = readdir(folder));) {
    if (ends_in(e->d_name, ".yaml")) {
      assert_below(count, MOST_FILES);
      snprintf(files[count++], sizeof files[0], "%s", e->d_name);
    }
  }
  closedir(folder);
  qsort(files, (size_t)count, sizeof files[0], compare_names);
  for (int i = 0; i < count; i++) {
    const lb_status status = messages_of(files[i], got);
    if (getenv("LIMBER_ACCEPT")) {
      accept(files[i], got);
    }
    load_expected(files[i], expected);
    if (strcmp(got, expected) != 0 || status == LB_OK) {
      print_error("%s\n--- expected\n%s--- got\n%s", files[i], expected, got);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
  assert_at_least(count, LEAST_FILES);
}

static void reading_a_bad_scene_leaves_the_output_alone(void** state) {
  (void)state;
  lb_scene scene = {.nbody = 7, .duration = 3};
  assert_int_equal(lb_scene_parse("bodies: 3", 9, "x.yaml", NULL, &scene, NULL), LB_INVALID);
  assert_int_equal(scene.nbody, 7);
  assert_near(scene.duration, 3, 0);
  assert_int_equal(lb_scene_read("no-such-file.yaml", NULL, &scene, NULL), LB_IO);
  assert_int_equal(scene.nbody, 7);
}

static void a_missing_file_is_named(void** state) {
  (void)state;
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_read("no-such-file.yaml", NULL, &scene, &err), LB_IO);
  char text[200];
  lb_error_format(&err, 0, text, sizeof text);
  assert_string_equal(text, "no-such-file.yaml: there is no such file");
  assert_int_equal(err.count, 1);
  lb_error_clear(&err);
}

static void more_mistakes_than_a_list_holds_are_counted(void** state) {
  (void)state;
  static char text[100000];
  size_t used = 0;
  for (int i = 0; i < 300; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "mistake-%c%c: 1\n", 'a' + i % 26,
                             'a' + i / 26);
  }
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, used, "x.yaml", NULL, &scene, &err), LB_INVALID);
  assert_int_equal(err.count, LB_ERROR_MOST);
  assert_int_equal(err.lost, 300 - LB_ERROR_MOST);
  lb_error_clear(&err);
}

static void a_text_larger_than_any_scene_is_refused(void** state) {
  (void)state;
  const size_t size = (64u << 20) + 1;
  char* text = malloc(size);
  assert_non_null(text);
  memset(text, '#', size);
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_scene_parse(text, size, "x.yaml", NULL, &scene, &err), LB_INVALID);
  char message[200];
  lb_error_format(&err, 0, message, sizeof message);
  assert_string_equal(message, "x.yaml: the file has 67108865 bytes; a scene may have 67108864 "
                               "(put large parts into meshes)");
  lb_error_clear(&err);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bad_scene_gets_exactly_its_messages),
      cmocka_unit_test(reading_a_bad_scene_leaves_the_output_alone),
      cmocka_unit_test(a_missing_file_is_named),
      cmocka_unit_test(more_mistakes_than_a_list_holds_are_counted),
      cmocka_unit_test(a_text_larger_than_any_scene_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
