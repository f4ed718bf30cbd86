// Meshes and height fields: boxes at rest and sliding over them, internal edges, distances against
// all triangles, deep and degenerate ones.
#include "collide_cases.h"

static lb_arena arena;

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

enum { GRID = 12, ROOM = 32 };

static lb_collider make(const lb_collider_def* def) {
  lb_collider c;
  lb_error err = lb_error_make(NULL);
  if (lb_collider_make(def, &arena, &c, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  return c;
}

static lb_collider sized(lb_collider_type type, double x, double y, double z) {
  return make(&(lb_collider_def){.type = type, .size = {x, y, z}});
}

// A sheet of GRID x GRID cells of 0.3 m about the origin, with a height at each corner.
static lb_mesh sheet(double (*height)(double x, double y)) {
  lb_mesh m = {(GRID + 1) * (GRID + 1), 2 * GRID * GRID, NULL, NULL};
  m.vertex = LB_TAKE(&arena, lb_vec3, m.nvertex);
  m.face = LB_TAKE(&arena, int, 3 * m.nface);
  for (int i = 0; i < m.nvertex; i++) {
    const double x = 0.3 * (i / (GRID + 1) - GRID / 2), y = 0.3 * (i % (GRID + 1) - GRID / 2);
    m.vertex[i] = lb_vec3_make(x, y, height(x, y));
  }
  for (int c = 0; c < GRID * GRID; c++) {
    const int v = c / GRID * (GRID + 1) + c % GRID, right = v + GRID + 1;
    const int face[6] = {v, right, right + 1, v, right + 1, v + 1};
    memcpy(&m.face[6 * c], face, sizeof face);
  }
  return m;
}

static double flat(double x, double y) {
  return 0 * (x + y);
}
static double hills(double x, double y) {
  return 0.3 * sin(2 * x) * cos(1.5 * y);
}

static lb_collider mesh_of(double (*height)(double x, double y)) {
  const lb_mesh m = sheet(height);
  return make(&(lb_collider_def){.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &m});
}

static lb_collider heights_of(double (*height)(double x, double y)) {
  const lb_mesh m = sheet(height);
  double* z = LB_TAKE(&arena, double, m.nvertex);
  for (int i = 0; i < m.nvertex; i++) {
    z[i] = m.vertex[i].z;
  }
  return make(
      &(lb_collider_def){.type = LB_COLLIDER_HEIGHTS, .grid = {GRID + 1, GRID + 1, 0.3, 0.3, z}});
}

static lb_placed at(const lb_collider* c, double x, double y, double z) {
  return lb_placed_make(c, (lb_transform){lb_quat_identity(), {x, y, z}});
}

// A height field starts at its corner; a sheet has the origin in its middle.
static lb_placed ground_at(const lb_collider* c) {
  const double by = c->type == LB_COLLIDER_HEIGHTS ? -0.3 * GRID / 2 : 0;
  return at(c, by, by, 0);
}

// Sliding by small steps over a flat surface of many triangles: one manifold, straight up, as deep
// as the box is, whose points span the box.
static void check_slide(const lb_collider* body, const lb_placed* ground, double height,
                        double half) {
  for (int k = 0; k < 400; k++) {
    const double x = -1 + 0.005 * k, y = 0.3 * sin(0.1 * k), depth = 1e-4 * (1 + k % 7);
    const lb_quat q = lb_quat_exp(lb_vec3_make(0, 0, 0.01 * k));
    const lb_placed above = lb_placed_make(body, (lb_transform){q, {x, y, height - depth}});
    lb_manifold m[ROOM];
    const lb_collide_report r = lb_collide(&above, ground, 1e-3, NULL, m, ROOM);
    assert_int_equal(r.outcome, LB_COLLIDE_DONE);
    assert_int_equal(r.nmanifold, 1);
    assert_within(m[0].normal.z, 1, 1e-12);
    assert_within(m[0].distance, -depth, 1e-12);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < m[0].npoint; i++) {
      assert_within(m[0].point[i].distance, -depth, 1e-9);
      low = fmin(low, m[0].point[i].position.x);
      high = fmax(high, m[0].point[i].position.x);
    }
    assert_at_least(high - low, 1.8 * half);
  }
}

static void bodies_slide_over_flat_meshes_without_catching(void** state) {
  (void)state;
  const lb_collider mesh = mesh_of(flat), heights = heights_of(flat);
  const lb_placed ground[2] = {ground_at(&mesh), ground_at(&heights)};
  const lb_collider box = sized(LB_COLLIDER_BOX, 0.4, 0.5, 0.2);
  const lb_collider drum = sized(LB_COLLIDER_CYLINDER, 0.2, 0.2, 0);
  const lb_collider ball = sized(LB_COLLIDER_SPHERE, 0.1, 0, 0);
  const lb_collider egg = sized(LB_COLLIDER_ELLIPSOID, 0.2, 0.3, 0.1);
  for (int k = 0; k < 2; k++) {
    check_slide(&box, &ground[k], 0.1, 0.2);
    check_slide(&drum, &ground[k], 0.1, 0.19);
    check_slide(&ball, &ground[k], 0.1, 0);
    check_slide(&egg, &ground[k], 0.1, 0);
  }
}

// A sphere on hills: its deepest contact is that of the nearest point among all triangles.
static void spheres_on_hills_touch_the_nearest_triangle(void** state) {
  (void)state;
  lb_random random = {2};
  const lb_collider mesh = mesh_of(hills), heights = heights_of(hills);
  const lb_mesh all = sheet(hills);
  const lb_collider ball = sized(LB_COLLIDER_SPHERE, 0.15, 0, 0);
  for (int k = 0; k < 2000; k++) {
    const double x = lb_random_between(&random, -1.4, 1.4),
                 y = lb_random_between(&random, -1.4, 1.4);
    const lb_vec3 p = {x, y, hills(x, y) + lb_random_between(&random, 0.05, 0.3)};
    double want = INFINITY;
    for (int f = 0; f < all.nface; f++) {
      const lb_poly t = {.nv = 3,
                         .ne = 3,
                         .nf = 1,
                         .v = {all.vertex[all.face[3 * f]], all.vertex[all.face[3 * f + 1]],
                               all.vertex[all.face[3 * f + 2]]},
                         .e = {{0, 1}, {1, 2}, {2, 0}},
                         .f = {{0, 1, 2}}};
      const lb_poly q = {.nv = 1, .v = {p}};
      want = fmin(want, poly_apart(&q, &t));
    }
    const lb_placed g[2] = {ground_at(&mesh), ground_at(&heights)}, b = at(&ball, p.x, p.y, p.z);
    for (int i = 0; i < 2; i++) {
      const lb_separation s = lb_separate(&b, &g[i]);
      assert_within(s.distance, want - 0.15, 1e-9);
      lb_vec3 gradient;
      const lb_vec3 own = lb_vec3_sub(p, g[i].p);
      assert_within(lb_collider_point(g[i].c, own, &gradient), want, 1e-9);
      lb_manifold m[ROOM];
      const int n = lb_collide(&b, &g[i], 0.01, NULL, m, ROOM).nmanifold;
      assert_true((n > 0) == (want - 0.15 <= 0.01));
      double deepest = INFINITY;
      for (int j = 0; j < n; j++) {
        deepest = fmin(deepest, m[j].distance);
      }
      assert_true(n == 0 || fabs(deepest - (want - 0.15)) < 1e-9);
    }
  }
}

// Boxes against the triangles of a closed cube, compared with a box of the same size.
static void a_mesh_of_a_box_collides_as_the_box_does(void** state) {
  (void)state;
  lb_random random = {3};
  lb_mesh drawn;
  lb_vec3* normal;
  const lb_shape shape = {.type = LB_SHAPE_BOX, .size = {1, 0.8, 0.6}};
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &drawn, &normal), LB_OK);
  lb_mesh welded;
  assert_int_equal(lb_mesh_weld(&drawn, &arena, &welded), LB_OK);
  const lb_collider mesh =
      make(&(lb_collider_def){.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &welded});
  const lb_collider same = sized(LB_COLLIDER_BOX, 1, 0.8, 0.6);
  const lb_collider other = sized(LB_COLLIDER_BOX, 0.5, 0.4, 0.3);
  int touching = 0;
  for (int k = 0; k < 5000; k++) {
    const lb_transform X = random_pose(&random, 1), Y = random_pose(&random, 1);
    const lb_placed b = lb_placed_make(&same, X), m = lb_placed_make(&mesh, X);
    lb_placed o = lb_placed_make(&other, Y);
    lb_separation s = lb_separate(&o, &b);
    o.p = lb_vec3_add(
        o.p, lb_vec3_scale(lb_random_between(&random, -0.01, 0.02) - s.distance, s.normal));
    s = lb_separate(&o, &b);
    if (s.distance > 0) {
      assert_within(lb_separate(&o, &m).distance, s.distance, 1e-9);
    }
    lb_manifold out[ROOM];
    const int n = lb_collide(&o, &m, 0.005, NULL, out, ROOM).nmanifold;
    // apart: one has the distance, up to the preference for faces; overlapping at a corner, depths
    // along faces are larger
    double off = INFINITY;
    for (int i = 0; i < n; i++) {
      off = fmin(off, fabs(out[i].distance - s.distance));
    }
    assert_true(n <= 6);
    assert_true(s.distance > 0.005 || n > 0);
    if (n > 0 && s.distance < 0.004) {
      assert_at_most(off, s.distance > 0 ? 3e-4 : 0.8 * fabs(s.distance));
      touching++;
    }
  }
  assert_true(touching > 1000);
}

// A box above a corner of hills of mesh and height field: the same contacts.
static void a_height_field_is_the_mesh_of_its_triangles(void** state) {
  (void)state;
  lb_random random = {4};
  const lb_collider mesh = mesh_of(hills), heights = heights_of(hills);
  const lb_placed g = ground_at(&mesh), h = ground_at(&heights);
  const lb_collider box = sized(LB_COLLIDER_BOX, 0.4, 0.5, 0.2);
  for (int k = 0; k < 500; k++) {
    lb_transform X = random_pose(&random, 1);
    X.p.z = hills(X.p.x, X.p.y) + lb_random_between(&random, 0.3, 0.5);
    const lb_placed b = lb_placed_make(&box, X);
    assert_within(lb_separate(&b, &g).distance, lb_separate(&b, &h).distance, 1e-9);
  }
}

static void moved_meshes_follow_their_vertices(void** state) {
  (void)state;
  const lb_mesh m = sheet(hills), flat_one = sheet(flat);
  lb_collider c = mesh_of(flat), want = mesh_of(hills);
  lb_collider_move(&c, m.vertex);
  lb_random random = {5};
  for (int k = 0; k < 300; k++) {
    const lb_vec3 x = random_vec3(&random, 2);
    lb_vec3 g, h;
    assert_within(lb_collider_point(&c, x, &g), lb_collider_point(&want, x, &h), 1e-14);
  }
  lb_collider_move(&c, flat_one.vertex);
  lb_vec3 g;
  assert_within(lb_collider_point(&c, (lb_vec3){0.1, 0.2, 0.7}, &g), 0.7, 1e-15);
  assert_within(g.z, 1, 1e-15);
  assert_within(lb_collider_point(&c, (lb_vec3){0.1, 0.2, -0.7}, &g), -0.7, 1e-15);
  assert_within(g.z, 1, 1e-15);
}

// Two closed meshes on each other.
static void a_mesh_rests_on_a_mesh(void** state) {
  (void)state;
  lb_mesh drawn, welded;
  lb_vec3* normal;
  const lb_shape shape = {.type = LB_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &drawn, &normal), LB_OK);
  assert_int_equal(lb_mesh_weld(&drawn, &arena, &welded), LB_OK);
  const lb_collider cube =
      make(&(lb_collider_def){.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &welded});
  const lb_collider ground = mesh_of(flat), field = heights_of(flat);
  const lb_collider plane = sized(LB_COLLIDER_PLANE, 0, 0, 0);
  const lb_placed below[3] = {ground_at(&ground), ground_at(&field), at(&plane, 0, 0, 0)};
  for (int k = 0; k < 3; k++) {
    const lb_placed above = at(&cube, 0.07, 0.03, 0.25 - 1e-4);
    lb_manifold m[ROOM];
    const int n = lb_collide(&above, &below[k], 1e-3, NULL, m, ROOM).nmanifold;
    assert_int_equal(n, 1);
    assert_within(m[0].normal.z, 1, 1e-9);
    assert_within(m[0].distance, -1e-4, 1e-9);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < m[0].npoint; i++) {
      low = fmin(low, m[0].point[i].position.x);
      high = fmax(high, m[0].point[i].position.x);
    }
    assert_within(high - low, 0.5, 1e-9);
    const lb_placed apart = at(&cube, 0.07, 0.03, 0.35);
    assert_within(lb_separate(&apart, &below[k]).distance, 0.1, 1e-9);
  }
}

// Wholly within a closed mesh or below a height field: out by the nearest way.
static void bodies_inside_are_pushed_out(void** state) {
  (void)state;
  lb_mesh drawn, welded;
  lb_vec3* normal;
  const lb_shape shape = {.type = LB_SHAPE_BOX, .size = {2, 2, 1}};
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &drawn, &normal), LB_OK);
  assert_int_equal(lb_mesh_weld(&drawn, &arena, &welded), LB_OK);
  const lb_collider mesh =
      make(&(lb_collider_def){.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &welded});
  const lb_collider heights = heights_of(flat), sheet_below = mesh_of(flat);
  const lb_collider box = sized(LB_COLLIDER_BOX, 0.1, 0.1, 0.1);
  const lb_placed inside = at(&box, 0.05, 0.03, 0.2), solid = at(&mesh, 0, 0, 0);
  const lb_placed field = ground_at(&heights), below = at(&box, 0.1, 0.2, -0.5);
  const lb_placed open = ground_at(&sheet_below);
  lb_manifold m[ROOM];
  assert_int_equal(lb_collide(&inside, &solid, 1e-3, NULL, m, ROOM).nmanifold, 1);
  assert_within(m[0].normal.z, 1, 1e-12);
  assert_within(m[0].distance, -0.35, 1e-12);
  assert_within(lb_separate(&inside, &solid).distance, -0.35, 1e-12);
  assert_int_equal(lb_collide(&below, &field, 1e-3, NULL, m, ROOM).nmanifold, 1);
  assert_within(m[0].normal.z, 1, 1e-12);
  assert_within(m[0].distance, -0.55, 1e-12);
  assert_int_equal(lb_collide(&below, &open, 1e-3, NULL, m, ROOM).nmanifold, 0);
}

static void bad_definitions_are_refused(void** state) {
  (void)state;
  lb_collider c;
  lb_vec3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  int face[3] = {0, 1, 7};
  const lb_mesh planar = {.nvertex = 4, .vertex = v}, wrong = {4, 1, v, face}, empty = {0};
  const double heights[4] = {0, 0, NAN, 0};
  const lb_collider_def bad[] = {
      {.type = LB_COLLIDER_SPHERE, .size = {-1, 0, 0}},
      {.type = LB_COLLIDER_SPHERE, .size = {NAN, 0, 0}},
      {.type = LB_COLLIDER_BOX, .size = {1, 0, 1}},
      {.type = LB_COLLIDER_CYLINDER, .size = {1, INFINITY, 1}},
      {.type = LB_COLLIDER_CONVEX, .size = {1, 1, 1}, .mesh = &planar},
      {.type = LB_COLLIDER_CONVEX, .size = {1, 1, 1}, .mesh = &empty},
      {.type = LB_COLLIDER_CONVEX, .size = {1, 1, 1}},
      {.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &wrong},
      {.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &empty},
      {.type = LB_COLLIDER_HEIGHTS, .grid = {2, 2, 1, 1, heights}},
      {.type = LB_COLLIDER_HEIGHTS, .grid = {1, 2, 1, 1, heights}},
      {.type = LB_COLLIDER_TRIANGLE},
      {.type = LB_COLLIDER_COUNT},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    lb_error err = lb_error_make(NULL);
    assert_int_equal(lb_collider_make(&bad[i], &arena, &c, &err), LB_INVALID);
    assert_int_equal(err.count, 1);
    lb_error_clear(&err);
  }
}

// Above a corner or an edge, and off it by roundings: no triangle may leave it to its neighbours.
static void nothing_slips_between_triangles(void** state) {
  (void)state;
  static const double OFF[] = {0, 1e-300, 1e-19, 1e-17, 3e-16, 1e-12};
  const lb_collider mesh = mesh_of(flat);
  const lb_collider shape[] = {sized(LB_COLLIDER_SPHERE, 0.01, 0, 0),
                               sized(LB_COLLIDER_CAPSULE, 0.01, 0.05, 0),
                               sized(LB_COLLIDER_BOX, 0.02, 0.02, 0.02)};
  lb_random r = {31};
  for (int i = 0; i < 20000; i++) {
    const double x = 0.3 * (i % 5 - 2), y = i % 2 ? x : 0.3 * (i % 3);
    const double by = OFF[i % 6], z = 0.01 + by * lb_random_between(&r, -1, 1);
    const lb_quat q = lb_quat_exp(random_vec3(&r, i % 3 == 0 ? 3 : 0));
    const lb_placed a = lb_placed_make(
        &shape[i % 3 == 0 ? 0 : i % 3],
        (lb_transform){q,
                       {x + by * lb_random_between(&r, -1, 1),
                        y + by * lb_random_between(&r, -1, 1), i % 3 == 1 ? z + 0.025 : z}});
    const lb_placed b = at(&mesh, 0, 0, 0);
    lb_manifold m[ROOM];
    assert_true(lb_collide(&a, &b, 1e-3, NULL, m, ROOM).nmanifold > 0);
    assert_within(m[0].distance, 0, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(bodies_slide_over_flat_meshes_without_catching, begin, end),
      cmocka_unit_test_setup_teardown(nothing_slips_between_triangles, begin, end),
      cmocka_unit_test_setup_teardown(spheres_on_hills_touch_the_nearest_triangle, begin, end),
      cmocka_unit_test_setup_teardown(a_mesh_of_a_box_collides_as_the_box_does, begin, end),
      cmocka_unit_test_setup_teardown(a_height_field_is_the_mesh_of_its_triangles, begin, end),
      cmocka_unit_test_setup_teardown(moved_meshes_follow_their_vertices, begin, end),
      cmocka_unit_test_setup_teardown(a_mesh_rests_on_a_mesh, begin, end),
      cmocka_unit_test_setup_teardown(bodies_inside_are_pushed_out, begin, end),
      cmocka_unit_test_setup_teardown(bad_definitions_are_refused, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
