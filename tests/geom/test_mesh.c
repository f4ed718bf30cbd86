// Meshes: what is wrong with them, welding, edges.
#include "geom.h"
#include "test_arena.h"

static void assert_says(const lb_mesh* mesh, const char* expected) {
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_mesh_check(mesh, "part", (lb_place){"a.yaml", 3, 7}, &arena, &err);
  assert_int_equal(status, expected ? LB_INVALID : LB_OK);
  assert_int_equal(err.count, expected ? 1 : 0);
  if (expected) {
    char text[400];
    lb_error_format(&err, 0, text, sizeof text);
    assert_string_equal(text, expected);
  }
  lb_error_clear(&err);
}

static void closed_meshes_pass(void** state) {
  (void)state;
  assert_says(&tetrahedron, NULL);
  assert_says(&cube, NULL);
}

static void empty_mesh_is_refused(void** state) {
  (void)state;
  assert_says(&(lb_mesh){0}, "a.yaml:3:7: mesh 'part' has no faces");
}

static void open_mesh_is_refused_and_an_edge_named(void** state) {
  (void)state;
  const lb_mesh open = {8, 11, cube_vertex, cube_face};
  assert_says(&open, "a.yaml:3:7: mesh 'part' is open: no face closes the edge between vertex 4 at "
                     "(1, 1, 0) and vertex 6 at (1, 0, 1) (3 such edges in all); a solid needs a "
                     "closed surface");
}

static void mesh_with_a_face_turned_round_is_refused(void** state) {
  (void)state;
  int face[36];
  memcpy(face, cube_face, sizeof face);
  face[0] = 2, face[1] = 0; // turns the first face
  const lb_mesh twisted = {8, 12, cube_vertex, face};
  assert_says(&twisted,
              "a.yaml:3:7: mesh 'part': faces 1 and 5 disagree about which side is outside, at the "
              "edge between vertex 1 at (0, 0, 0) and vertex 2 at (1, 0, 0) (3 such edges in all); "
              "flip one of them");
}

static void inverted_mesh_is_refused(void** state) {
  (void)state;
  int face[36];
  for (int i = 0; i < 36; i++) {
    face[i] = cube_face[35 - i];
  }
  assert_says(&(lb_mesh){8, 12, cube_vertex, face},
              "a.yaml:3:7: mesh 'part' is inside out: its faces point inwards; flip them");
}

static void flat_mesh_is_refused(void** state) {
  (void)state;
  lb_vec3 vertex[8]; // pressed into a tilted plane
  for (int i = 0; i < 8; i++) {
    const lb_vec3 v = cube_vertex[i];
    vertex[i] = lb_vec3_make(v.x, v.y, 0.3 * v.x + 0.7 * v.y);
  }
  assert_says(&(lb_mesh){8, 12, vertex, cube_face}, "a.yaml:3:7: mesh 'part' encloses no volume");
}

static void thin_plate_passes(void** state) {
  (void)state;
  lb_vec3 vertex[8];
  for (int i = 0; i < 8; i++) {
    vertex[i] = lb_vec3_make(cube_vertex[i].x, cube_vertex[i].y, 1e-6 * cube_vertex[i].z);
  }
  assert_says(&(lb_mesh){8, 12, vertex, cube_face}, NULL);
}

static void bad_numbers_are_refused(void** state) {
  (void)state;
  lb_vec3 vertex[4];
  memcpy(vertex, tetrahedron_vertex, sizeof vertex);
  vertex[2].y = (double)NAN;
  assert_says(&(lb_mesh){4, 4, vertex, tetrahedron_face},
              "a.yaml:3:7: mesh 'part': vertex 3 has a coordinate that is not a finite number");
  vertex[2].y = 1e200;
  assert_says(&(lb_mesh){4, 4, vertex, tetrahedron_face},
              "a.yaml:3:7: mesh 'part' is too large to be computed with");
}

static void bad_faces_are_refused(void** state) {
  (void)state;
  int face[12];
  memcpy(face, tetrahedron_face, sizeof face);
  face[4] = 4;
  assert_says(&(lb_mesh){4, 4, tetrahedron_vertex, face},
              "a.yaml:3:7: mesh 'part': face 2 uses vertex 5, but there are only 4");
  face[4] = -1;
  assert_says(&(lb_mesh){4, 4, tetrahedron_vertex, face},
              "a.yaml:3:7: mesh 'part': face 2 uses vertex 0, but there are only 4");
  face[4] = 3;
  assert_says(&(lb_mesh){4, 4, tetrahedron_vertex, face},
              "a.yaml:3:7: mesh 'part': face 2 uses vertex 4 twice");
}

static void solids_that_touch_along_an_edge_pass(void** state) {
  (void)state;
  // two cubes, the second at (1, 1, 0), which share the edge from (1, 1, 0) to (1, 1, 1)
  lb_vec3 vertex[16];
  int face[72];
  for (int i = 0; i < 8; i++) {
    vertex[i] = cube_vertex[i];
    vertex[8 + i] = lb_vec3_add(cube_vertex[i], lb_vec3_make(1, 1, 0));
  }
  for (int i = 0; i < 36; i++) {
    face[i] = cube_face[i];
    face[36 + i] = 8 + cube_face[i];
  }
  lb_mesh welded;
  assert_int_equal(lb_mesh_weld(&(lb_mesh){16, 24, vertex, face}, &arena, &welded), LB_OK);
  assert_int_equal(welded.nvertex, 14);
  assert_says(&welded, NULL);
  assert_near(lb_mesh_integrate(&welded).volume, 2, 1e-14);
}

static void edges_are_sorted_and_paired(void** state) {
  (void)state;
  lb_half_edge* e;
  assert_int_equal(lb_mesh_edges(&cube, &arena, &e), LB_OK);
  for (int i = 0; i < 36; i += 2) {
    assert_below(e[i].low, e[i].high);
    assert_int_equal(e[i].low, e[i + 1].low);
    assert_int_equal(e[i].high, e[i + 1].high);
    assert_true(e[i].forward != e[i + 1].forward);
    assert_below(e[i].face, e[i + 1].face);
    assert_true(i == 0 || e[i].low > e[i - 1].low ||
                (e[i].low == e[i - 1].low && e[i].high > e[i - 1].high));
  }
}

// A drawn shape, welded back into a closed surface.
static lb_mesh welded_shape(lb_shape_type type, double x, double y, double z) {
  const lb_shape shape = {type, {x, y, z}, NULL, NULL};
  lb_mesh drawn, welded;
  lb_vec3* normal;
  assert_int_equal(lb_shape_tessellate(&shape, 24, &arena, &drawn, &normal), LB_OK);
  assert_int_equal(lb_mesh_weld(&drawn, &arena, &welded), LB_OK);
  return welded;
}

// No vertex is before the plane of any face.
static void every_drawn_shape_is_a_closed_convex_solid(void** state) {
  (void)state;
  for (lb_shape_type type = 0; type < LB_SHAPE_MESH; type++) {
    const lb_mesh mesh = welded_shape(type, 0.3, 0.5, 0.9);
    assert_says(&mesh, NULL);
    for (int f = 0; f < mesh.nface; f++) {
      const int* v = &mesh.face[3 * f];
      const lb_vec3 o = mesh.vertex[v[0]];
      const lb_vec3 n =
          lb_vec3_cross(lb_vec3_sub(mesh.vertex[v[1]], o), lb_vec3_sub(mesh.vertex[v[2]], o));
      for (int i = 0; i < mesh.nvertex; i++) {
        assert_at_most(lb_vec3_dot(n, lb_vec3_sub(mesh.vertex[i], o)), 1e-12 * lb_vec3_norm(n));
      }
    }
  }
}

static void weld_joins_equal_places_and_drops_what_vanishes(void** state) {
  (void)state;
  // a square of two triangles with loose vertices, -0 against 0, and a needle that vanishes
  lb_vec3 vertex[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-0.0, 0, 0}, {1, 1, -0.0},
                      {0, 1, 0}, {9, 9, 9}, {7, 7, 7}, {7, 7, 7},    {8, 8, 8}};
  int face[] = {0, 1, 2, 7, 8, 9, 3, 4, 5};
  lb_mesh welded;
  assert_int_equal(lb_mesh_weld(&(lb_mesh){10, 3, vertex, face}, &arena, &welded), LB_OK);
  assert_int_equal(welded.nvertex, 4);
  assert_int_equal(welded.nface, 2);
  const int expected[] = {0, 1, 2, 0, 2, 3};
  assert_memory_equal(welded.face, expected, sizeof expected);
}

static void without_memory_nothing_leaks_or_changes(void** state) {
  (void)state;
  for (int left = 0, done = 0; !done; left++) {
    lb_stingy s = {.left = left};
    const lb_allocator allocator = {stingy_allocate, stingy_release, &s};
    lb_arena scratch;
    lb_arena_init(&scratch, &allocator);
    lb_error err = lb_error_make(&allocator);
    lb_mesh welded = {0};
    const lb_status check = lb_mesh_check(&cube, "part", (lb_place){0}, &scratch, &err);
    assert_true(check == LB_OK || check == LB_NO_MEMORY);
    const lb_status weld = lb_mesh_weld(&cube, &scratch, &welded);
    assert_true(weld == LB_OK ? welded.nface == 12 : !welded.vertex);
    done = !s.failed;
    lb_error_clear(&err);
    lb_arena_release(&scratch);
    assert_int_equal(s.held, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_meshes_pass),
      cmocka_unit_test(empty_mesh_is_refused),
      cmocka_unit_test(open_mesh_is_refused_and_an_edge_named),
      cmocka_unit_test(mesh_with_a_face_turned_round_is_refused),
      cmocka_unit_test(inverted_mesh_is_refused),
      cmocka_unit_test(flat_mesh_is_refused),
      cmocka_unit_test(thin_plate_passes),
      cmocka_unit_test(bad_numbers_are_refused),
      cmocka_unit_test(bad_faces_are_refused),
      cmocka_unit_test(solids_that_touch_along_an_edge_pass),
      cmocka_unit_test(edges_are_sorted_and_paired),
      cmocka_unit_test(every_drawn_shape_is_a_closed_convex_solid),
      cmocka_unit_test(weld_joins_equal_places_and_drops_what_vanishes),
      cmocka_unit_test(without_memory_nothing_leaks_or_changes),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
