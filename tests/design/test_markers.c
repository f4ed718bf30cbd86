// design: tables of markers are read as they are meant, and mistakes are reported with their place.
#include <unistd.h>

#include "counting.h"
#include "limber/fit.h"
#include "test.h"

static const char* const SCENE = "bodies:\n"
                                 "  weight: {shape: {sphere: {radius: 1 cm}}}\n"
                                 "  base plate: {shape: {sphere: {radius: 1 cm}}}\n";
static const char* const MARKED = "bodies:\n"
                                  "  weight: {shape: {sphere: {radius: 1 cm}}}\n"
                                  "markers:\n"
                                  "  left: {body: weight, at: [1 cm, 0, 0]}\n"
                                  "  right: {body: weight}\n";

static lb_scene scene_of(const char* text) {
  lb_scene scene;
  assert_int_equal(lb_scene_parse(text, strlen(text), "s.yaml", NULL, &scene, NULL), LB_OK);
  return scene;
}

static void write_table(const char* text) {
  FILE* f = fopen("m.csv", "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

// Eight lines of it, after a heading: {t} is the time, {x} a number that grows.
static void write_lines(const char* heading, const char* line) {
  FILE* f = fopen("m.csv", "wb");
  assert_non_null(f);
  fputs(heading, f);
  for (int i = 0; i < 8; i++) {
    fprintf(f, line, 0.1 * i, 1.0 + i);
  }
  fclose(f);
}

static lb_markers* read_good(const char* scene_text) {
  lb_scene scene = scene_of(scene_text);
  lb_markers* m = NULL;
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_markers_read("m.csv", &scene, true, NULL, &m, &err);
  if (status != LB_OK) {
    print_error("%s\n", err.message[0].text);
  }
  assert_int_equal(status, LB_OK);
  lb_scene_release(&scene);
  return m;
}

static void bodies_are_markers_and_other_columns_are_left_aside(void** state) {
  (void)state;
  write_lines("time,weight.x,weight.y,weight.z,weight.qw,motor.q,ghost.x,note\n",
              "%g,%g,2,3,1,0.5,7,hello\n");
  lb_markers* m = read_good(SCENE);
  assert_int_equal(m->nmarker, 1);
  assert_int_equal(m->nsample, 8);
  assert_string_equal(m->marker[0].name, "weight");
  assert_int_equal(m->marker[0].body, 0);
  assert_near(m->time[7], 0.7, 1e-15);
  assert_near(m->x[3 * 7], 8, 0);
  assert_near(m->x[3 * 7 + 2], 3, 0);
  lb_markers_release(m);
}

static void columns_may_come_in_any_order_and_quoted(void** state) {
  (void)state;
  write_lines("\xef\xbb\xbf# a camera's own words\r\n\r\n Time ;\"base plate.z\"; weight.y;base "
              "plate.y;base plate.x;weight.x;weight.z\r\n",
              "%g;%g; 2 ;3;4;5;6\r\n");
  lb_markers* m = read_good(SCENE);
  assert_int_equal(m->nmarker, 2);
  const double expected[] = {5, 2, 6, 4, 3, 1};
  for (int k = 0; k < 6; k++) {
    assert_near(m->x[k], expected[k], 0);
  }
  lb_markers_release(m);
}

static void empty_cells_and_nan_are_not_seen(void** state) {
  (void)state;
  write_lines("time\tweight.x\tweight.y\tweight.z\n", "%g\t%g\t\tNaN\n");
  lb_markers* m = read_good(SCENE);
  assert_true(!isnan(m->x[0]));
  assert_true(isnan(m->x[1]) && isnan(m->x[2]));
  lb_markers_release(m);
}

static void the_scenes_markers_go_before_its_bodies(void** state) {
  (void)state;
  write_lines("time,right.x,right.y,right.z,weight.x,weight.y,weight.z,left.x,left.y,left.z\n",
              "%g,%g,2,3,4,5,6,7,8,9\n");
  lb_markers* m = read_good(MARKED);
  assert_int_equal(m->nmarker, 2);
  assert_string_equal(m->marker[0].name, "left");
  assert_true(m->marker[0].has_at);
  assert_near(m->marker[0].at.x, 0.01, 1e-17);
  assert_near(m->x[0], 7, 0);
  assert_near(m->x[3], 1, 0);
  lb_markers_release(m);
}

// --- mistakes ---

static void expect(const char* scene_text, const char* table, const char* message) {
  lb_scene scene = scene_of(scene_text);
  lb_markers* m = NULL;
  lb_error err = lb_error_make(NULL);
  char got[2000] = "";
  write_table(table);
  const lb_status status = lb_markers_read("m.csv", &scene, true, NULL, &m, &err);
  for (int i = 0; i < err.count; i++) {
    const size_t used = strlen(got);
    lb_error_format(&err, i, got + used, sizeof got - used);
    strcat(got, "\n");
  }
  assert_string_equal(got, message);
  assert_int_equal(status, LB_INVALID);
  assert_null(m);
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

static void mistakes_are_reported_with_line_and_column(void** state) {
  (void)state;
  expect(
      SCENE, "t,weight.x,weight.y,weight.z\n",
      "m.csv:1:1: the first column must be 'time', not 't' (in seconds; the first line names the "
      "columns: time, NAME.x, NAME.y, NAME.z, ...)\n");
  expect(SCENE, "time,wieght.x,wieght.y,wieght.z\n",
         "m.csv:1:1: the scene has no body 'wieght' (did you mean 'weight'?)\n");
  expect(SCENE, "time,tip.x,tip.y,tip.z\n",
         "m.csv:1:1: no column belongs to a body of the scene (call them NAME.x, NAME.y and NAME.z "
         "by the bodies' names, or list your markers in the scene)\n");
  expect(SCENE, "time,weight.x,weight.z\n",
         "m.csv:1:1: marker 'weight' needs three columns, weight.x, weight.y and weight.z; there "
         "are 2\n");
  expect(SCENE, "time,weight.x,weight.y,weight.z,weight.x\n",
         "m.csv:1:33: column 'weight.x' is there twice (take one away)\n");
  expect(MARKED, "time,left.x,left.y,left.z,rigth.x,rigth.y,rigth.z\n",
         "m.csv:1:1: there is no column 'right.x' for the scene's marker 'right' (did you mean "
         "'rigth'?)\n");
  expect(MARKED, "time,left.x,left.y,left.z,walker_right.x,rider_right.x\n",
         "m.csv:1:1: there is no column 'right.x' for the scene's marker 'right' (did you mean "
         "'walker_right'?)\n");
  expect(MARKED, "time,left.x,left.y,left.z,walker_right.x,rigth.x\n",
         "m.csv:1:1: there is no column 'right.x' for the scene's marker 'right' (did you mean "
         "'rigth'?)\n");
  expect(SCENE, "time,weight.x,weight.y,weight.z\n0,1,2,3\n\n0.1, 1,two,3\n0.1s,1,2,3\n0,1,2,3\n",
         "m.csv:4:8: 'two' is not a number (leave the cell empty where the marker was not seen)\n"
         "m.csv:5:1: the time must be a number, in seconds, not '0.1s'\n"
         "m.csv:6:1: time must rise from line to line; 0 follows 0\n");
  expect(SCENE, "time,weight.x,weight.y,weight.z\n0,1,2\n1,1,2,3,4\n",
         "m.csv:2:6: the line has fewer cells than the first one, which names 4 columns\n"
         "m.csv:3:9: the line has more cells than the first one, which names 4 columns\n");
  expect(SCENE, "time,weight.x,weight.y,weight.z\n0,1,2,3\n1,1,2,3\n",
         "m.csv: there are 2 samples; a motion needs at least 8\n");
  expect(
      SCENE, "",
      "m.csv:1:1: the file is empty (it must be a table of numbers: time, NAME.x, NAME.y, NAME.z, "
      "...)\n");
}

static void a_table_that_is_not_there_is_named(void** state) {
  (void)state;
  lb_scene scene = scene_of(SCENE);
  lb_markers* m = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_markers_read("nowhere.csv", &scene, true, NULL, &m, &err), LB_IO);
  assert_string_equal(err.message[0].text,
                      "cannot read table of markers 'nowhere.csv': No such file or directory");
  lb_error_clear(&err);
  lb_scene_release(&scene);
}

static void running_out_of_memory_leaks_nothing(void** state) {
  (void)state;
  lb_scene scene = scene_of(SCENE);
  write_lines("time,weight.x,weight.y,weight.z\n", "%g,%g,2,3\n");
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    lb_counting counting = {.refuse = refuse};
    const lb_allocator allocator = lb_counting_allocator(&counting);
    lb_markers* m = NULL;
    status = lb_markers_read("m.csv", &scene, true, &allocator, &m, NULL);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    lb_markers_release(m);
    assert_int_equal(counting.live, 0);
  }
  lb_scene_release(&scene);
}

int main(void) {
  char folder[] = "/tmp/limber-markers-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) {
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_markers_and_other_columns_are_left_aside),
      cmocka_unit_test(columns_may_come_in_any_order_and_quoted),
      cmocka_unit_test(empty_cells_and_nan_are_not_seen),
      cmocka_unit_test(the_scenes_markers_go_before_its_bodies),
      cmocka_unit_test(mistakes_are_reported_with_line_and_column),
      cmocka_unit_test(a_table_that_is_not_there_is_named),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink("m.csv");
  rmdir(folder);
  return failed;
}
