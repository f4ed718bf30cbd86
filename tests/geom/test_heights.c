// Height fields and planes as shapes: files of heights, distances and drawings.
#include "geom.h"
#include "limber/collision.h"
#include "test_arena.h"

static lb_status parse(const char* text, lb_height_grid* grid, lb_error* err) {
  return lb_heights_parse(text, strlen(text), "a.csv", 0.5, &arena, grid, err);
}

static void lines_are_along_x(void** state) {
  (void)state;
  static const char* const text[] = {"1,2,3\n4,5,6\n", "# heights\n\n 1; 2; 3 \r\n4;5;6",
                                     "1\t2\t3\n\"4\"\t5\t6\n"};
  for (int i = 0; i < 3; i++) {
    lb_height_grid g;
    assert_int_equal(parse(text[i], &g, NULL), LB_OK);
    assert_int_equal(g.nx, 3);
    assert_int_equal(g.ny, 2);
    assert_near(g.spacing_x, 0.5, 0);
    assert_near(g.height[0 * 2 + 0], 1, 0);
    assert_near(g.height[2 * 2 + 0], 3, 0);
    assert_near(g.height[0 * 2 + 1], 4, 0);
    assert_near(g.height[2 * 2 + 1], 6, 0);
  }
}

static void assert_refused(const char* text, const char* message, int line, int column) {
  lb_error err = lb_error_make(NULL);
  lb_height_grid g = {.nx = -1};
  assert_int_equal(parse(text, &g, &err), LB_INVALID);
  assert_int_equal(g.nx, -1);
  assert_string_equal(err.message[0].text, message);
  assert_int_equal(err.message[0].place.line, line);
  assert_int_equal(err.message[0].place.column, column);
  lb_error_clear(&err);
}

static void mistakes_have_their_line_and_column(void** state) {
  (void)state;
  static const char* const few = "a height field needs two lines of two heights, or more";
  assert_refused("1,2\n3,x\n", "'x' is not a height (numbers in metres, between commas)", 2, 3);
  assert_refused("1,2\n3,1e999\n", "'1e999' is not a height (numbers in metres, between commas)", 2,
                 3);
  assert_refused("1,2\n3,nan\n", "'nan' is not a height (numbers in metres, between commas)", 2, 3);
  assert_refused("1,2,3\n\n4,5\n", "2 heights, where the first line has 3", 3, 1);
  assert_refused("1,2\n3,4,5\n", "3 heights, where the first line has 2", 2, 1);
  assert_refused("1,2\n3,\n", "a height is missing", 2, 3);
  assert_refused("", few, 1, 1);
  assert_refused("# nothing\n", few, 1, 1);
  assert_refused("1,2,3\n", few, 1, 1);
  assert_refused("1\n2\n", few, 1, 1);
}

static void heights_without_memory_say_so(void** state) {
  (void)state;
  for (int left = 0, done = 0; !done; left++) {
    lb_stingy s = {.left = left};
    const lb_allocator allocator = {stingy_allocate, stingy_release, &s};
    lb_arena own;
    lb_arena_init(&own, &allocator);
    lb_height_grid g;
    const lb_status status = lb_heights_parse("1,2\n3,4\n", 8, "a.csv", 1, &own, &g, NULL);
    done = !s.failed;
    assert_int_equal(status, done ? LB_OK : LB_NO_MEMORY);
    lb_arena_release(&own);
    assert_int_equal(s.held, 0);
  }
}

// z = x/4 - y/3 over the grid, of which the signed distance is known above and below its middle.
static void an_even_slope_is_as_far_as_its_plane(void** state) {
  (void)state;
  enum { NX = 9, NY = 7 };
  const double a = 0.25, b = -1.0 / 3, steep = sqrt(1 + a * a + b * b);
  double height[NX * NY];
  for (int i = 0; i < NX; i++) {
    for (int j = 0; j < NY; j++) {
      height[i * NY + j] = a * 0.5 * i + b * 0.4 * j;
    }
  }
  const lb_height_grid grid = {NX, NY, 0.5, 0.4, height};
  const lb_shape shape = {.type = LB_SHAPE_HEIGHTS, .grid = &grid};
  assert_int_equal(lb_shape_check(&shape, (lb_place){0}, NULL), LB_OK);
  for (int k = -5; k <= 5; k++) {
    const lb_vec3 x = {2.1, 1.3, 2.1 * a + 1.3 * b + 0.1 * k};
    assert_near(lb_shape_distance(&shape, x), 0.1 * k / steep, 1e-14);
  }
  lb_mesh mesh;
  lb_vec3* normal;
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &mesh, &normal), LB_OK);
  assert_int_equal(mesh.nface, 2 * (NX - 1) * (NY - 1));
  assert_int_equal(mesh.nvertex, NX * NY); // no creases
  for (int i = 0; i < mesh.nvertex; i++) {
    assert_vec3_near(normal[i], lb_vec3_make(-a / steep, -b / steep, 1 / steep), 1e-14);
  }
  const lb_ball ball = lb_shape_ball(&shape);
  assert_vec3_near(ball.centre, lb_vec3_make(2, 1.2, a * 2 + b * 1.2), 1e-14);
}

// Drawn triangles are those that collide: rays hit the collider on them.
static void bumps_are_drawn_where_they_collide(void** state) {
  (void)state;
  static const double height[] = {0, 0.3, 0.1, 0.5, -0.2, 0.4, 0.1, 0, 0.2};
  const lb_height_grid grid = {3, 3, 1, 1, height};
  const lb_shape shape = {.type = LB_SHAPE_HEIGHTS, .grid = &grid};
  const lb_collider_def def = lb_collider_def_of(&shape);
  lb_collider* c = NULL;
  assert_int_equal(lb_collider_create(&def, NULL, &c, NULL), LB_OK);
  lb_mesh mesh;
  lb_vec3* normal;
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &mesh, &normal), LB_OK);
  for (int f = 0; f < mesh.nface; f++) {
    const lb_vec3 *v = mesh.vertex, p = v[mesh.face[3 * f]], q = v[mesh.face[3 * f + 1]],
                  r = v[mesh.face[3 * f + 2]];
    const lb_vec3 middle = lb_vec3_scale(1.0 / 3, lb_vec3_add(p, lb_vec3_add(q, r)));
    const lb_ray down = {lb_vec3_make(middle.x, middle.y, 2), {0, 0, -1}, 5};
    lb_ray_hit hit;
    assert_true(lb_collide_ray(c, lb_transform_identity(), &down, &hit));
    assert_near(2 - hit.t, middle.z, 1e-14);
    assert_near(lb_shape_distance(&shape, middle), 0, 1e-14);
  }
  lb_collider_release(c);
}

static void what_is_no_height_field_is_refused(void** state) {
  (void)state;
  static const double height[] = {0, 1, 2, (double)NAN};
  const lb_height_grid grid[] = {{2, 2, 1, 1, height}, {2, 1, 1, 1, height}, {2, 2, 1, 0, height}};
  for (int i = -1; i < 3; i++) {
    const lb_shape shape = {.type = LB_SHAPE_HEIGHTS, .grid = i < 0 ? NULL : &grid[i]};
    lb_error err = lb_error_make(NULL);
    assert_int_equal(lb_shape_check(&shape, (lb_place){0}, &err), LB_INVALID);
    assert_string_equal(err.message[0].text,
                        "heights must be 2 x 2 or more, finite, at positive spacings");
    lb_error_clear(&err);
  }
}

static void a_plane_is_below_zero_and_drawn_as_a_square(void** state) {
  (void)state;
  const lb_shape shape = {.type = LB_SHAPE_PLANE, .size = {3, 0, 0}};
  lb_mesh mesh;
  lb_vec3* normal;
  assert_near(lb_shape_distance(&shape, lb_vec3_make(1e6, -7, 0.25)), 0.25, 0);
  assert_near(lb_shape_distance(&shape, lb_vec3_make(0, 0, -2)), -2, 0);
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &mesh, &normal), LB_OK);
  double area = 0;
  for (int f = 0; f < mesh.nface; f++) {
    const lb_vec3 n = lb_mesh_face_normal(&mesh, f);
    area += n.z / 2;
    assert_near(n.x, 0, 0);
  }
  assert_near(area, 9, 1e-14);
  assert_near(lb_shape_volume(&shape), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_along_x),
      cmocka_unit_test(mistakes_have_their_line_and_column),
      cmocka_unit_test(heights_without_memory_say_so),
      cmocka_unit_test(an_even_slope_is_as_far_as_its_plane),
      cmocka_unit_test(bumps_are_drawn_where_they_collide),
      cmocka_unit_test(what_is_no_height_field_is_refused),
      cmocka_unit_test(a_plane_is_below_zero_and_drawn_as_a_square),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
