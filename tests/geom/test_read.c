// Readers of OBJ and STL: what they accept, and where they say it goes wrong.
#include "comma.h"
#include "geom.h"
#include "geom/mesh/polygon.h"
#include "geom/mesh/scan.h"
#include "test_arena.h"

typedef lb_status parser(const char*, size_t, const char*, lb_arena*, lb_mesh*, lb_error*);

// The mesh of a text, or its first message in `says`.
static lb_mesh parse(parser* p, const char* text, size_t size, const char* says) {
  lb_error err = lb_error_make(NULL);
  lb_mesh mesh = {0};
  const lb_status status = p(text, size, "m", &arena, &mesh, &err);
  char first[300] = "";
  if (err.count) {
    lb_error_format(&err, 0, first, sizeof first);
  }
  assert_string_equal(first, says);
  assert_int_equal(status, *says ? LB_INVALID : LB_OK);
  assert_true(!*says || (!mesh.vertex && !mesh.face));
  lb_error_clear(&err);
  return mesh;
}

static lb_mesh obj(const char* text, const char* says) {
  return parse(lb_mesh_parse_obj, text, strlen(text), says);
}

static lb_mesh stl(const char* text, const char* says) {
  return parse(lb_mesh_parse_stl, text, strlen(text), says);
}

// --- words and numbers ---

static double number(const char* text) {
  double value = (double)NAN;
  return lb_word_number((lb_word){text, strlen(text)}, &value) ? value : (double)NAN;
}

static void numbers_are_read_as_the_c_library_reads_them(void** state) {
  (void)state;
  static const char* const some[] = {"0",
                                     "-0",
                                     "1",
                                     "+1.5",
                                     ".5",
                                     "5.",
                                     "-1e3",
                                     "1E-3",
                                     "1e+22",
                                     "1e23",
                                     "123456789012345678901234567890",
                                     "0.1",
                                     "0.3",
                                     "2.2250738585072014e-308",
                                     "1.7976931348623157e308",
                                     "4.9406564584124654e-324",
                                     "3.141592653589793238462643383279",
                                     "1e-400",
                                     "0.000000000000000000000000000000000000000000000000000001"};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const double expected = strtod(some[i], NULL), got = number(some[i]);
    assert_true(got == expected || got == nextafter(expected, got));
  }
  lb_random r = {1};
  int exact = 0;
  for (int i = 0; i < 20000; i++) {
    char text[40];
    snprintf(text, sizeof text, "%.*g", 3 + i % 15,
             lb_random_between(&r, -1, 1) * pow(10, lb_random_between(&r, -30, 30)));
    const double expected = strtod(text, NULL), got = number(text);
    assert_true(got == expected || got == nextafter(expected, got));
    exact += got == expected;
  }
  assert_above(exact, 19900);
}

static void what_is_not_a_number_is_refused(void** state) {
  (void)state;
  static const char* const none[] = {"",    ".",   "-",     "e5",    "1e",
                                     "1e+", "nan", "inf",   "1x",    "0x1",
                                     "1,5", "--1", "1.2.3", "1e999", "1e99999999999999999999"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    assert_true(isnan(number(none[i])));
  }
}

static void numbers_do_not_depend_on_the_locale(void** state) {
  (void)state;
  enter_comma();
  const double point = number("1.5"), comma = number("1,5");
  leave_comma();
  assert_near(point, 1.5, 0);
  assert_true(isnan(comma));
}

// --- OBJ ---

#define CUBE_OBJ                                                                                   \
  "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"                       \
  "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n"

static void assert_unit_cube(lb_mesh mesh) {
  lb_error err = lb_error_make(NULL);
  assert_int_equal(mesh.nvertex, 8);
  assert_int_equal(mesh.nface, 12);
  assert_int_equal(lb_mesh_check(&mesh, "cube", (lb_place){0}, &arena, &err), LB_OK);
  assert_near(lb_mesh_integrate(&mesh).volume, 1, 1e-15);
  lb_error_clear(&err);
}

static void obj_quads_make_a_closed_cube(void** state) {
  (void)state;
  assert_unit_cube(obj(CUBE_OBJ, ""));
}

static void obj_forms_of_corners_and_lines_mean_the_same(void** state) {
  (void)state;
  static const char* const face[] = {
      "f 1 2 3\n",    "f 1/1 2/2 3/3\n", "f 1//4 2//5 3//6\n",   "f 1/1/4 2/2/5 3/3/6\n",
      "f -3 -2 -1\n", "f 1/ 2/ 3/\n",    "f 1 \\\n 2 \\\r\n3\n", "\tf  1\t2 3  # a comment",
      "F 1 2 3#\r\n"};
  for (size_t i = 0; i < sizeof face / sizeof *face; i++) {
    char text[200];
    snprintf(text, sizeof text,
             "# x\r\no thing\r\nv 0 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\nvn 0 0 1\rv 0 1 0\ns off\n%s",
             face[i]);
    const lb_mesh mesh = obj(text, "");
    assert_int_equal(mesh.nvertex, 3);
    assert_int_equal(mesh.nface, 1);
    assert_vec3_near(mesh.vertex[1], lb_vec3_make(1, 0, 0), 0);
  }
}

static void obj_faces_may_come_before_vertices(void** state) {
  (void)state;
  assert_int_equal(obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "").nface, 1);
}

static void obj_byte_order_mark_is_skipped(void** state) {
  (void)state;
  assert_int_equal(obj("\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "").nface, 1);
}

static void obj_vertices_split_for_looks_are_welded(void** state) {
  (void)state;
  char text[4000] = "";
  const lb_mesh c = obj(CUBE_OBJ, "");
  for (int i = 0; i < 36; i++) {
    const lb_vec3 v = c.vertex[c.face[i]];
    snprintf(text + strlen(text), sizeof text - strlen(text), "v %g %g %g\n%s", v.x, v.y, v.z,
             i % 3 == 2 ? "f -3 -2 -1\n" : "");
  }
  assert_unit_cube(obj(text, ""));
}

static void obj_mistakes_are_reported_with_their_place(void** state) {
  (void)state;
  obj("", "m: there are no faces in this file");
  obj("v 0 0 0\n", "m: there are no faces in this file");
  obj("v 0 0\n", "m:1:6: a vertex needs three numbers");
  obj("v 0 0 x\n", "m:1:7: 'x' is not a finite number");
  obj("v 0 0 nan\n", "m:1:7: 'nan' is not a finite number");
  obj("v 1 2 3 \\\n  oops\n", "m:2:3: 'oops' is not a finite number");
  obj("v 0 0 0\n\n  f 1 1\n", "m:3:8: a face needs three corners or more");
  obj("v 0 0 0\nf 1 0 1\n", "m:2:5: '0': vertices count from 1, there is no vertex 0");
  obj("v 0 0 0\nf 1 -2 1\n", "m:2:5: '-2' counts back past the first vertex");
  obj("v 0 0 0\nf 1 1 7\nf 1 1 3\n", "m:2:7: the face names vertex 7, but there are only 1");
  obj("f 1 2 three\n",
      "m:1:7: 'three' is not a corner of a face (expected v, v/vt, v//vn or v/vt/vn)");
  obj("f 1/2/3/4 1 1\n",
      "m:1:3: '1/2/3/4' is not a corner of a face (expected v, v/vt, v//vn or v/vt/vn)");
  obj("f /1 2 3\n", "m:1:3: '/1' is not a corner of a face (expected v, v/vt, v//vn or v/vt/vn)");
  obj("f 99999999999 2 3\n",
      "m:1:3: '99999999999' is not a corner of a face (expected v, v/vt, v//vn or v/vt/vn)");
  obj("v 0 0 0\nv 0 0 0\nv 1 0 0\nf 1 2 3\n",
      "m: all faces in this file have corners that coincide");
}

static void obj_mistakes_come_all_at_once_but_not_without_end(void** state) {
  (void)state;
  char text[3000] = "";
  for (int i = 0; i < 300; i++) {
    strcat(text, "v 0 x\n");
  }
  lb_error err = lb_error_make(NULL);
  lb_mesh mesh;
  lb_mesh_parse_obj(text, strlen(text), "m", &arena, &mesh, &err);
  assert_int_equal(err.count, 20);
  assert_int_equal(err.message[4].place.line, 5);
  lb_error_clear(&err);
}

// --- polygons ---

static double area(const lb_vec3* vertex, const int* face, int nface, double* least) {
  double sum = 0;
  *least = INFINITY;
  for (int f = 0; f < nface; f++) {
    const lb_vec3 a = vertex[face[3 * f]];
    const double twice = lb_vec3_cross(lb_vec3_sub(vertex[face[3 * f + 1]], a),
                                       lb_vec3_sub(vertex[face[3 * f + 2]], a))
                             .z;
    sum += twice / 2;
    *least = fmin(*least, twice);
  }
  return sum;
}

// A star of n points: every second corner is reflex.
static void concave_polygons_are_cut_without_overlap(void** state) {
  (void)state;
  for (int n = 4; n <= LB_POLYGON_MOST; n = n < 20 ? n + 2 : n * 2) {
    lb_vec3 vertex[LB_POLYGON_MOST];
    int corner[LB_POLYGON_MOST], face[3 * LB_POLYGON_MOST];
    double expected = 0, least;
    for (int i = 0; i < n; i++) {
      const double r = i % 2 ? 0.3 : 1, t = 2 * 3.14159265358979323846 * i / n;
      vertex[i] = lb_vec3_make(r * cos(t), r * sin(t), 0);
      corner[i] = i;
    }
    for (int i = 0; i < n; i++) {
      expected += lb_vec3_cross(vertex[i], vertex[(i + 1) % n]).z / 2;
    }
    lb_polygon_cut(vertex, corner, n, face);
    assert_near(area(vertex, face, n - 2, &least), expected, 1e-14);
    assert_above(least, 0);
  }
}

static void long_or_crossed_polygons_keep_their_area(void** state) {
  (void)state;
  enum { MANY = 1000 };
  static lb_vec3 vertex[MANY];
  static int corner[MANY], face[3 * MANY];
  lb_random r = {1};
  for (int n = 3; n <= MANY; n = n * 3 / 2) {
    double expected = 0, least;
    for (int i = 0; i < n; i++) {
      vertex[i] = lb_vec3_make(lb_random_unit(&r), lb_random_unit(&r), 0);
      corner[i] = i;
    }
    for (int i = 0; i < n; i++) {
      expected += lb_vec3_cross(vertex[i], vertex[(i + 1) % n]).z / 2;
    }
    lb_polygon_cut(vertex, corner, n, face);
    assert_near(area(vertex, face, n - 2, &least), expected, 1e-12);
  }
}

// --- STL ---

#define FACET(a, b, c)                                                                             \
  "facet normal 0 0 0\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c                   \
  "\n endloop\nendfacet\n"
#define TETRAHEDRON_STL                                                                            \
  FACET("0 0 0", "0 1 0", "1 0 0")                                                                 \
  FACET("0 0 0", "1 0 0", "0 0 1") FACET("1 0 0", "0 1 0", "0 0 1") FACET("0 0 0", "0 0 1", "0 1 0")

static void assert_tetrahedron(lb_mesh mesh) {
  lb_error err = lb_error_make(NULL);
  assert_int_equal(mesh.nvertex, 4);
  assert_int_equal(mesh.nface, 4);
  assert_int_equal(lb_mesh_check(&mesh, "t", (lb_place){0}, &arena, &err), LB_OK);
  assert_near(lb_mesh_integrate(&mesh).volume, 1.0 / 6, 1e-15);
  lb_error_clear(&err);
}

static void ascii_stl_is_welded(void** state) {
  (void)state;
  assert_tetrahedron(stl("solid a name\n" TETRAHEDRON_STL "endsolid a name\n", ""));
  assert_tetrahedron(stl("SOLID C:\\x\\\r\n" TETRAHEDRON_STL "ENDSOLID", ""));
  assert_tetrahedron(
      stl("\n  solid\n" FACET("0 0 0", "0 1 0", "1 0 0") "endsolid\n\nsolid more # parts\n" FACET(
              "0 0 0", "1 0 0", "0 0 1") FACET("1 0 0", "0 1 0", "0 0 1")
              FACET("0 0 0", "0 0 1", "0 1 0") "endsolid\n",
          ""));
}

static void ascii_stl_normals_may_be_anything(void** state) {
  (void)state;
  const lb_mesh mesh = stl("solid\nfacet normal 1.#QNAN -nan(ind) nan\nouter loop vertex 0 0 0 "
                           "vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid",
                           "");
  assert_int_equal(mesh.nface, 1);
}

static void ascii_stl_mistakes_are_reported_with_their_place(void** state) {
  (void)state;
  stl("solid\nendsolid\n", "m: there are no faces in this file");
  stl("solid\n", "m:2:1: the file ends where 'facet' or 'endsolid' should be");
  stl("solid\nfacet normal 0 0 0\nouter lop\n", "m:3:7: expected 'outer loop', found 'lop'");
  stl("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 zero\n",
      "m:4:12: expected a finite number, found 'zero'");
  stl("solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nendloop\n",
      "m:5:1: expected 'vertex', found 'endloop'");
  stl("solid\nfaces\n", "m:2:1: expected 'facet' or 'endsolid', found 'faces'");
  stl("solid\nendsolid\nfacet\n", "m:3:1: expected 'solid', found 'facet'");
}

// A binary file of the tetrahedron with the header given; `extra` bytes follow.
static size_t binary(char* out, const char* header, unsigned count, size_t extra) {
  memset(out, 0, 84 + 200 + extra);
  memcpy(out, header, strlen(header));
  out[80] = (char)(count & 255), out[81] = (char)(count >> 8), out[82] = (char)(count >> 16),
  out[83] = (char)(count >> 24);
  for (int i = 0; i < 12; i++) {
    const lb_vec3 v = tetrahedron_vertex[tetrahedron_face[i]];
    const float xyz[3] = {(float)v.x, (float)v.y, (float)v.z};
    memcpy(out + 84 + 50 * (i / 3) + 12 + 12 * (i % 3), xyz, 12);
  }
  return 84 + 200 + extra;
}

static void binary_stl_is_known_by_its_length(void** state) {
  (void)state;
  char text[400];
  size_t size = binary(text, "exported by something", 4, 0);
  assert_tetrahedron(parse(lb_mesh_parse_stl, text, size, ""));
  size = binary(text, "solid but binary all the same", 4, 0);
  assert_tetrahedron(parse(lb_mesh_parse_stl, text, size, ""));
  size = binary(text, "with something after it", 4, 30);
  assert_tetrahedron(parse(lb_mesh_parse_stl, text, size, ""));
}

static void broken_binary_stl_is_refused(void** state) {
  (void)state;
  char text[400];
  size_t size = binary(text, "x", 4, 0);
  parse(lb_mesh_parse_stl, text, size - 1,
        "m: not an STL file, or cut short: text starts with 'solid', and as a binary file it would "
        "have 284 bytes for its 4 triangles, not 283");
  size = binary(text, "solid", 4294967295u, 0);
  parse(lb_mesh_parse_stl, text, size,
        "m: not an STL file, or cut short: text starts with 'solid', and as a binary file it would "
        "have 214748364834 bytes for its 4294967295 triangles, not 284");
  size = binary(text, "x", 0, 0);
  parse(lb_mesh_parse_stl, text, size, "m: there are no faces in this file");
  parse(lb_mesh_parse_stl, text, 20,
        "m: not an STL file: text starts with 'solid' and binary has 84 bytes or more");
  parse(lb_mesh_parse_stl, text, 0,
        "m: not an STL file: text starts with 'solid' and binary has 84 bytes or more");
  size = binary(text, "x", 4, 0);
  memset(text + 84 + 50 + 12, 0xff, 4);
  parse(lb_mesh_parse_stl, text, size,
        "m: triangle 2 has a coordinate that is not a finite number");
}

// --- memory and files ---

static void without_memory_nothing_leaks_or_changes(void** state) {
  (void)state;
  char stl_text[400];
  static char long_obj[200000];
  for (int i = 0; i < 3000; i++) {
    snprintf(long_obj + strlen(long_obj), 60, "v %d 0 0\nv 0 %d 0\nv 0 0 1\nf -3 -2 -1\n", i + 1,
             i + 1);
  }
  const struct {
    parser* parse;
    const char* text;
    size_t size;
  } in[] = {{lb_mesh_parse_obj, long_obj, strlen(long_obj)},
            {lb_mesh_parse_stl, stl_text, binary(stl_text, "x", 4, 0)},
            {lb_mesh_parse_stl, "solid\n" TETRAHEDRON_STL "endsolid",
             strlen("solid\n" TETRAHEDRON_STL "endsolid")},
            {lb_mesh_parse_obj, "v x", 3}};
  for (int i = 0; i < 4; i++) {
    for (int left = 0, done = 0; !done; left++) {
      lb_stingy s = {.left = left};
      const lb_allocator allocator = {stingy_allocate, stingy_release, &s};
      lb_arena own;
      lb_arena_init(&own, &allocator);
      lb_error err = lb_error_make(&allocator);
      lb_mesh mesh = {0};
      const lb_status status = in[i].parse(in[i].text, in[i].size, "m", &own, &mesh, &err);
      done = !s.failed;
      assert_true(status == LB_OK || !mesh.vertex);
      lb_error_clear(&err);
      assert_true(status == LB_OK || s.held == 0);
      lb_arena_release(&own);
      assert_int_equal(s.held, 0);
    }
  }
}

static void assert_read_says(const char* path, lb_status expected, const char* says) {
  lb_error err = lb_error_make(NULL);
  lb_mesh mesh;
  assert_int_equal(lb_mesh_read(path, (lb_place){"a.yaml", 4, 5}, &arena, &mesh, &err), expected);
  char text[300];
  lb_error_format(&err, 0, text, sizeof text);
  assert_string_equal(text, says);
  lb_error_clear(&err);
}

static void files_that_cannot_be_read_are_reported_where_they_are_named(void** state) {
  (void)state;
  assert_read_says("nowhere/x.obj", LB_IO,
                   "a.yaml:4:5: cannot read mesh file 'nowhere/x.obj': No such file or directory");
  assert_read_says(
      "thing.ply", LB_INVALID,
      "a.yaml:4:5: the format of mesh file 'thing.ply' is not known (.obj and .stl are)");
  assert_read_says(".stl", LB_INVALID,
                   "a.yaml:4:5: the format of mesh file '.stl' is not known (.obj and .stl are)");
}

static void mesh_files_are_read_by_extension(void** state) {
  (void)state;
  char path[] = "/tmp/limber_test_XXXXXX.OBJ";
  const int fd = mkstemps(path, 4);
  assert_at_least(fd, 0);
  FILE* file = fdopen(fd, "wb");
  fputs(CUBE_OBJ, file);
  for (int i = 0; i < 20000; i++) { // longer than one piece
    fputs("# nothing\n", file);
  }
  fclose(file);
  lb_error err = lb_error_make(NULL);
  lb_mesh mesh;
  const lb_status status = lb_mesh_read(path, (lb_place){0}, &arena, &mesh, &err);
  remove(path);
  assert_int_equal(status, LB_OK);
  assert_unit_cube(mesh);
  lb_error_clear(&err);
}

// Real meshes, with what is known of them; only where LIMBER_SHARED says where they are.
static void real_meshes_have_their_known_volumes(void** state) {
  (void)state;
  const char* shared = getenv("LIMBER_SHARED");
  static const struct {
    const char* path;
    double volume; // 0: not a solid
    int nvertex;   // 0: not known
  } known[] = {{"opensim-core/OpenSim/Simulation/Test/cube.obj", 1, 8},
               {"opensim-core/OpenSim/Simulation/Test/sphere_10cm_radius.obj", 0.00418321299, 0},
               {"mujoco/model/plugin/sdf/asset/spot.obj", 0.718258788, 2930},
               {"mujoco/test/user/testdata/cube.stl", 8, 8},
               {"mujoco/test/user/testdata/cube_cup.obj", 0.000424, 0},
               {"mujoco/test/user/testdata/duplicate_vertices.stl", 2.66666667, 4},
               {"mujoco/test/user/testdata/torus_quads.obj", 1.17473457, 576},
               {"IPC/input/triMeshes/erleben/crack.obj", 7, 20},
               {"IPC/input/triMeshes/erleben/internal_edges.obj", 4, 14},
               {"IPC/input/triMeshes/bowl.obj", 0, 1321}};
  if (!shared) {
    skip();
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char path[500];
    snprintf(path, sizeof path, "%s/data/mesh/%s", shared, known[i].path);
    lb_error err = lb_error_make(NULL);
    lb_mesh mesh;
    assert_int_equal(lb_mesh_read(path, (lb_place){0}, &arena, &mesh, &err), LB_OK);
    assert_true(!known[i].nvertex || mesh.nvertex == known[i].nvertex);
    const lb_status check = lb_mesh_check(&mesh, known[i].path, (lb_place){0}, &arena, &err);
    assert_int_equal(check, known[i].volume > 0 ? LB_OK : LB_INVALID);
    if (known[i].volume > 0) {
      assert_below(fabs(lb_mesh_integrate(&mesh).volume / known[i].volume - 1), 1e-6);
    }
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read_as_the_c_library_reads_them),
      cmocka_unit_test(what_is_not_a_number_is_refused),
      cmocka_unit_test(numbers_do_not_depend_on_the_locale),
      cmocka_unit_test(obj_quads_make_a_closed_cube),
      cmocka_unit_test(obj_forms_of_corners_and_lines_mean_the_same),
      cmocka_unit_test(obj_faces_may_come_before_vertices),
      cmocka_unit_test(obj_byte_order_mark_is_skipped),
      cmocka_unit_test(obj_vertices_split_for_looks_are_welded),
      cmocka_unit_test(obj_mistakes_are_reported_with_their_place),
      cmocka_unit_test(obj_mistakes_come_all_at_once_but_not_without_end),
      cmocka_unit_test(concave_polygons_are_cut_without_overlap),
      cmocka_unit_test(long_or_crossed_polygons_keep_their_area),
      cmocka_unit_test(ascii_stl_is_welded),
      cmocka_unit_test(ascii_stl_normals_may_be_anything),
      cmocka_unit_test(ascii_stl_mistakes_are_reported_with_their_place),
      cmocka_unit_test(binary_stl_is_known_by_its_length),
      cmocka_unit_test(broken_binary_stl_is_refused),
      cmocka_unit_test(without_memory_nothing_leaks_or_changes),
      cmocka_unit_test(files_that_cannot_be_read_are_reported_where_they_are_named),
      cmocka_unit_test(mesh_files_are_read_by_extension),
      cmocka_unit_test(real_meshes_have_their_known_volumes),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
