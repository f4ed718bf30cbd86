// Tables of OpenSim's: headers of every sort, degrees, missing markers, coordinates by name.
#include <math.h>
#include <sys/stat.h>

#include "limber/fit.h"
#include "scene/table/number_table.h"
#include "test.h"

static lb_arena arena;

static lb_status read_table(const char* file, const char* text, lb_numbers* n, lb_error* err) {
  const lb_status status = lb_numbers_begin(n, file, text, strlen(text), "", &arena, err);
  return status == LB_OK ? lb_numbers_lines(n) : status;
}

static lb_numbers parse(const char* file, const char* text) {
  lb_numbers n;
  lb_error err = lb_error_make(NULL);
  const lb_status status = read_table(file, text, &n, &err);
  if (status != LB_OK) {
    print_error("%s\n", err.message[0].text);
  }
  lb_error_clear(&err);
  assert_int_equal(status, LB_OK);
  return n;
}

static void headers_are_free(void** state) {
  (void)state;
  const struct {
    const char *file, *text;
    bool degrees;
  } cases[] = {
      {"a.mot",
       "x\nversion=1\nnRows=2\nnColumns=2\ninDegrees=yes\n\nendheader\ntime\ta\n0\t1\n1\t2\n",
       true},
      {"a.mot", "inDegrees=no\r\nendheader\r\ntime\ta\r\n0\t1\r\n1\t2\r\n", false},
      {"a.mot", "InDegrees: no\nendheader\ntime\ta\n0\t1\n1\t2\n", false},
      {"a.mot", " inDegrees no\nendheader\ntime\ta\n0\t1\n1\t2\n", false},
      {"a.sto", "nRows in radians\ninDegrees:yes\nendheader\ntime\ta\n0\t1\n1\t2\n", true},
      {"a.mot", "x\t\t\nnRows=2\t\t\nendheader\t\t\ntime\ta\n0\t1\n1\t2\n", true},
      {"a.mot", "nRows=\nnColumns\nInDegrees\ninDegrees = YES\nendheader\ntime\ta\n0\t1\n1\t2\n",
       true},
      {"a.sto", "x\nfree words, and more\nendheader\n time  a \n  0  1\n  1  2", false},
      {"a.sto", "x\nAngles are in degrees.\nendheader\n\ntime\ta\n0 \t 1\n1\t2\n", true},
      {"a.mot", "name x\ndatacolumns 2\ndatarows 2\nrange 0 1\nendheader\ntime a\n0 1\n1 2\n",
       true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const lb_numbers n = parse(cases[i].file, cases[i].text);
    assert_int_equal(n.kind, LB_TABLE_MOTION);
    assert_int_equal(n.ncolumn, 2);
    assert_int_equal(n.nrow, 2);
    assert_int_equal(n.degrees, cases[i].degrees);
    assert_string_equal(n.name[1], "a");
    assert_near(n.value[3], 2, 0);
  }
}

static void coordinates_have_names_or_paths(void** state) {
  (void)state;
  const lb_numbers n = parse("a.sto", "endheader\ntime\t/jointset/hip/flexion/value\tknee\t"
                                      "/jointset/hip/flexion/speed\tknee_u\n0\t1\t2\t3\t4\n");
  assert_int_equal(lb_motion_column(&n, "flexion", false), 1);
  assert_int_equal(lb_motion_column(&n, "knee", false), 2);
  assert_int_equal(lb_motion_column(&n, "flexion", true), 3);
  assert_int_equal(lb_motion_column(&n, "knee", true), 4);
  assert_int_equal(lb_motion_column(&n, "lexion", false), -1);
  assert_int_equal(lb_motion_column(&n, NULL, false), -1);
}

#define TRC(units, rows)                                                                           \
  "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"          \
  "60\t60\t2\t2\t" units                                                                           \
  "\nFrame#\tTime\tR.Hip\t\t\tleft knee\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n" rows

static void markers_come_in_metres_and_z_up(void** state) {
  (void)state;
  const lb_numbers n =
      parse("a.trc", TRC("mm", "1\t0.0\t1\t2\t3\t4\t5\t6\n2\t0.1\t\t\t\t7\t8\t9\t\t\n"));
  assert_int_equal(n.kind, LB_TABLE_MARKERS);
  assert_int_equal(n.ncolumn, 7);
  assert_string_equal(n.name[1], "R.Hip.x");
  assert_string_equal(n.name[6], "left_knee.z");
  const double first[] = {0, 1e-3, -3e-3, 2e-3, 4e-3, -6e-3, 5e-3};
  for (int i = 0; i < 7; i++) {
    assert_near(n.value[i], first[i], 1e-18);
  }
  assert_true(isnan(n.value[8]) && isnan(n.value[10])); // was not seen
  assert_near(n.value[11], 7e-3, 1e-18);
  const lb_numbers m = parse("a.trc", TRC("m", "1\t0.0\t1\t2\t3\t4\t5\t6\n2\t0.1\t1\t2\t3\n"));
  assert_near(m.value[1], 1, 0);
  assert_true(isnan(m.value[13]));
}

#define COUNTED(frames, markers)                                                                   \
  "PathFileType\nDataRate\tNumFrames\tNumMarkers\tUnits\n10\t" frames "\t" markers                 \
  "\tm\nFrame#\tTime\ta\n\t\tX1\tY1\tZ1\n1\t0\t1\t2\t3\n"

static void mistakes_are_said_with_their_lines(void** state) {
  (void)state;
  const struct {
    const char *file, *text, *message;
    int line;
  } cases[] = {
      {"a.trc", "", "the file is empty (it must be a table of numbers)", 1},
      {"a.mot", " \r\n\n", "the file is empty (it must be a table of numbers)", 1},
      {"a.mot", "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<Model/>\n",
       "this is XML (it must be a table of numbers)", 1},
      {"a.mot", "endheader\n", "nothing follows the header", 2},
      {"a.mot", "endheader\nframe\ta\n", "the first column must be 'time', not 'frame'", 2},
      {"a.mot", "nRows=3\nendheader\ntime\ta\n0\t1\n1\t2\n", "promises 3 lines of numbers", 6},
      {"a.mot", "endheader\ntime\ta\n0\t1\n1\n", "the line has 1 numbers, and there are 2", 4},
      {"a.mot", "endheader\ntime\ta\n0\t1\n1\t2\t3\n", "the line has 3 numbers", 4},
      {"a.mot", "endheader\ntime\ta\n0\tx\n", "'x' is not a number", 3},
      {"a.mot", "endheader\ntime\ta\n1\t1\n0\t2\n", "time must rise", 4},
      {"a.trc", "PathFileType\n", "the header is cut short", 2},
      {"a.trc", TRC("feet", ""), "'Units' must be mm, cm or m, not 'feet'", 3},
      {"a.trc", TRC("mm", "1\t0\t1\t2\t3\t4\t5\t6\t7\n"), "more numbers than the 2 markers", 7},
      {"a.trc", TRC("mm", "1\tx\n"), "'x' is not a number", 7},
      {"a.trc", TRC("mm", "1\t\t1\n"), "the time must be a number", 7},
      {"a.trc", TRC("mm", "1 0 1 2 3 4\n"), "the line has 5 numbers, and there are 7", 7},
      {"a.trc", TRC("mm", "1\t0\t1\t2\t3\n"), "promises 2 lines of numbers, and there are 1", 8},
      {"a.mot", "x\nnRows=100000000000000000000\nendheader\ntime\ta\n0\t1\n",
       "nRows must be a whole number from 0 to 2147483647, as in 'nRows=151', not '1000", 2},
      {"a.mot", "nRows=-5\nendheader\ntime\ta\n0\t1\n", "as in 'nRows=151', not '-5'", 1},
      {"a.sto", "datarows=nine\nendheader\ntime\ta\n0\t1\n", "'datarows 151', not 'nine'", 1},
      {"a.mot", "nColumns=4000000000\nendheader\ntime\ta\n0\t1\n",
       "nColumns must be a whole number from 0 to 2147483647, as in 'nColumns=24'", 1},
      {"a.mot", "nRows=1\ninDegrees=maybe\nendheader\ntime\ta\n0\t1\n",
       "inDegrees must be yes or no, not 'maybe'", 2},
      {"a.mot", "inDegrees=\nendheader\ntime\ta\n0\t1\n", "must be yes or no, not ''", 1},
      {"a.trc", COUNTED("-5", "1"), "NumFrames must be a whole number from 0 to 2147483647", 3},
      {"a.trc", COUNTED("1", "few"), "NumMarkers must be a whole number", 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lb_numbers n;
    lb_error err = lb_error_make(NULL);
    assert_int_equal(read_table(cases[i].file, cases[i].text, &n, &err), LB_INVALID);
    if (!strstr(err.message[0].text, cases[i].message) ||
        err.message[0].place.line != cases[i].line) {
      print_error("case %d: line %d: %s\n", (int)i, err.message[0].place.line, err.message[0].text);
    }
    assert_non_null(strstr(err.message[0].text, cases[i].message));
    assert_int_equal(err.message[0].place.line, cases[i].line);
    lb_error_clear(&err);
  }
}

// Columns that nobody takes may be there twice, as in files of forces.
static void a_column_that_is_taken_is_there_once(void** state) {
  (void)state;
  const lb_numbers n = parse("a.mot", "endheader\ntime\ta\tb\ta\n0\t1\t2\t3\n");
  lb_error err = lb_error_make(NULL);
  double x = 0;
  assert_int_equal(lb_numbers_take(&n, 2, &x, 1, &err), LB_OK);
  assert_int_equal(lb_numbers_take(&n, 1, &x, 1, &err), LB_INVALID);
  assert_string_equal(err.message[0].text, "column 'a' is there twice (take one away)");
  assert_int_equal(err.message[0].place.line, 2);
  assert_int_equal(err.message[0].place.column, 10);
  lb_error_clear(&err);
}

static void counts_that_are_wrong_are_noted(void** state) {
  (void)state;
#define EIGHT "0\t1\n0.1\t2\n0.2\t2\n0.3\t2\n0.4\t1\n0.5\t2\n0.6\t2\n0.7\t2\n"
  const struct {
    const char *file, *text, *message;
    int line, column;
  } cases[] = {
      {"a.mot", "x\nnRows=7\nendheader\ntime\ta\n" EIGHT,
       "nRows is 7, and there are 8 lines of numbers: all of them are read", 2, 1},
      {"a.mot", "nColumns=3\nendheader\ntime\ta\n" EIGHT,
       "nColumns is 3, and there are 2 columns: all of them are read", 1, 1},
      {"a.sto", "x\ndatacolumns 1\ndatarows 8\nendheader\ntime\ta\n" EIGHT,
       "datacolumns is 1, and there are 2 columns", 2, 1},
      {"a.trc", TRC("m", "1\t0\t1\t2\t3\n2\t0.0167\t1\t2\t3\n3\t0.0333\t1\t2\t3\n"),
       "NumFrames is 2, and there are 3 lines of numbers", 3, 7},
      {"a.trc",
       "PathFileType\nDataRate\tNumFrames\tNumMarkers\tUnits\n10\t2\t5\tm\nFrame#\tTime\ta\n\t\tX1"
       "\tY1\tZ1\n1\t0\t1\t2\t3\n2\t0.1\t1\t2\t3\n",
       "NumMarkers is 5, and there are 1 markers", 3, 6},
      {"a.trc", TRC("m", "1\t0\t1\t2\t3\n2\t0.1\t1\t2\t3\n"),
       "DataRate is 60, and the times have 10 samples a second: the times count", 3, 1},
      {"a.trc", TRC("mm", "1\t0\t1\t2\t3\t1\t0.2\t3\n2\t0.0167\t1\t2\t3\n"),
       "with this unit the markers span no more than 0.0018 m (are they in m?)", 3, 11},
      {"a.trc", TRC("m", "1\t0\t0\t2\t3\t0\t1800\t3\n2\t0.0167\t1\t2\t3\n"),
       "with this unit the markers span more than 1.8e+03 m (are they in mm?)", 3, 11},
      {"a.trc", TRC("cm", "1\t0\t0\t2\t3\t0\t1800\t3\n2\t0.0167\t1\t2\t3\n"),
       "with this unit the markers span more than 18 m (are they in mm?)", 3, 11},
      {"a.trc", TRC("m", "1\t0\t1\t2\t3\t0\t0\t0\n2\t0.0167\t0\t0\t0\n"),
       "marker 'left_knee' is at 0, 0, 0 here, and 2 such places are in the table", 7, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const lb_numbers n = parse(cases[i].file, cases[i].text);
    assert_int_equal(n.nnote, 1);
    assert_non_null(strstr(n.note[0].text, cases[i].message));
    assert_int_equal(n.note[0].place.line, cases[i].line);
    assert_int_equal(n.note[0].place.column, cases[i].column);
  }
}

static void rounded_times_come_out_even(void** state) {
  (void)state;
  const lb_numbers n =
      parse("a.trc", "PathFileType\nDataRate\tNumFrames\tUnits\n60.00\t8\tmm\nFrame#\tTime\ta\n"
                     "\t\tX1\tY1\tZ1\n1\t0.000000\n2\t0.017000\n3\t0.033000\n4\t0.050000\n"
                     "5\t0.067000\n6\t0.083000\n7\t0.100000\n8\t0.117000\n");
  for (int i = 0; i < 8; i++) {
    assert_near(n.value[i * n.ncolumn], i / 60.0, 1e-17);
  }
  assert_int_equal(n.nnote, 0);
}

// Files of others: all are read, with the counts that their headers have.
static void tables_of_others_are_read(void** state) {
  (void)state;
  static const struct {
    const char* file;
    int rows, columns;
  } FILES[] = {
      {"opensim-core/OpenSim/Moco/Test/walk_gait1018_state_reference.mot", 151, 11},
      {"opensim-core/OpenSim/Tests/shared/gait10dof18musc_ik_CRLF_line_ending.mot", 15, 11},
      {"opensim-core/OpenSim/Tests/shared/gait10dof18musc_walk_CRLF_line_ending.trc", 10, 124},
      {"opensim-core/OpenSim/Examples/Moco/example3DWalking/markers_walk.trc", 238, 124},
      {"opensim-core/OpenSim/Examples/Moco/example3DWalking/coordinates.sto", 1350, 32},
      {"opensim-core/OpenSim/Moco/Test/walk_gait1018_subject01_grf.mot", 1501, 19},
      {"opensim-core/OpenSim/Tests/Wrapping/"
       "std_testGeometryPathWrapping_walk_gait1018_muscle_lengths.sto",
       151, 19},
      {"opensim-core/Applications/ID/tests/resources/arm26_InverseKinematics.mot", 121, 12}};
  const char* root = getenv("LIMBER_SHARED");
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    char path[1000];
    struct stat status;
    snprintf(path, sizeof path, "%s/data/osim/%s", root ? root : "", FILES[i].file);
    if (!root || stat(path, &status) != 0) {
      skip();
    }
    lb_numbers n;
    lb_error err = lb_error_make(NULL);
    const lb_status done = lb_numbers_read(path, "table", &arena, &n, &err);
    if (done != LB_OK) {
      print_error("%s: %s\n", path, err.message[0].text);
    }
    assert_int_equal(done, LB_OK);
    assert_int_equal(n.nrow, FILES[i].rows);
    assert_int_equal(n.ncolumn, FILES[i].columns);
    lb_error_clear(&err);
  }
}

static int begin(void** state) {
  (void)state;
  lb_arena_init(&arena, NULL);
  return 0;
}

static int end(void** state) {
  (void)state;
  lb_arena_release(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_are_free),
      cmocka_unit_test(coordinates_have_names_or_paths),
      cmocka_unit_test(markers_come_in_metres_and_z_up),
      cmocka_unit_test(mistakes_are_said_with_their_lines),
      cmocka_unit_test(a_column_that_is_taken_is_there_once),
      cmocka_unit_test(counts_that_are_wrong_are_noted),
      cmocka_unit_test(rounded_times_come_out_even),
      cmocka_unit_test(tables_of_others_are_read),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
