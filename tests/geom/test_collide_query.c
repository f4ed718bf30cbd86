// Rays, times of impact, points of deformable surfaces, and input that is hard: against closed
// forms and each other.
#include "collide_cases.h"
#include "counting.h"
#include "geom/collide/broad.h"
#include "geom/collide/surface_contact.h"

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

static lb_collider sized(lb_collider_type type, double x, double y, double z) {
  const lb_collider_def def = {.type = type, .size = {x, y, z}};
  lb_collider c;
  assert_int_equal(lb_collider_make(&def, &arena, &c, NULL), LB_OK);
  return c;
}

// --- rays ---

// A hit lies on the surface, with the gradient there as normal, and all of the ray before it is
// outside.
static void check_hit(const lb_collider* c, const lb_ray* ray, const lb_ray_hit* hit) {
  lb_vec3 gradient;
  const lb_vec3 x = lb_vec3_add(ray->origin, lb_vec3_scale(hit->t, ray->direction));
  assert_within(lb_collider_point(c, x, &gradient), 0, 1e-9);
  assert_within(lb_vec3_norm(hit->normal), 1, 1e-12);
  assert_at_most(lb_vec3_dot(hit->normal, ray->direction), 1e-9);
  for (int k = 0; k < 20; k++) {
    const lb_vec3 before =
        lb_vec3_add(ray->origin, lb_vec3_scale(hit->t * k / 20.0, ray->direction));
    assert_at_least(lb_collider_point(c, before, &gradient), -1e-9);
  }
  const lb_vec3 out = lb_vec3_add(x, lb_vec3_scale(1e-7, hit->normal));
  const double d = lb_collider_point(c, out, &gradient);
  assert_true(fabs(d - 1e-7) < 1e-11 || c->type != LB_COLLIDER_SPHERE);
  assert_at_least(d, -1e-12);
}

static void rays_hit_the_zero_of_the_distance(void** state) {
  (void)state;
  static const lb_collider_type kind[] = {
      LB_COLLIDER_SPHERE,    LB_COLLIDER_CAPSULE, LB_COLLIDER_BOX,  LB_COLLIDER_CYLINDER,
      LB_COLLIDER_ELLIPSOID, LB_COLLIDER_CONVEX,  LB_COLLIDER_PLANE};
  lb_random random = {1};
  int hits = 0, misses = 0, inside = 0;
  for (int k = 0; k < 20000; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case x;
    random_case(&random, kind[k % 7], &arena, &x);
    const lb_vec3 from = random_vec3(&random, 2);
    const lb_ray ray = {from, lb_vec3_sub(random_vec3(&random, 1), from), 10};
    lb_ray_hit hit;
    lb_vec3 gradient;
    const bool starts_inside = lb_collider_point(&x.c, ray.origin, &gradient) < 0;
    if (!lb_collider_ray(&x.c, &ray, &hit)) {
      misses++;
      assert_false(starts_inside);
      for (int i = 0; i < 50; i++) { // nothing along it is inside
        const lb_vec3 p = lb_vec3_add(ray.origin, lb_vec3_scale(i * 0.1, ray.direction));
        assert_at_least(lb_collider_point(&x.c, p, &gradient), -1e-9);
      }
    } else if (starts_inside) {
      inside++;
      assert_true(hit.t == 0);
    } else {
      hits++;
      check_hit(&x.c, &ray, &hit);
    }
    lb_arena_reset(&arena, mark);
  }
  assert_true(hits > 3000 && misses > 1000 && inside > 300);
}

// A mesh and a height field drawn from the same surface, and a closed mesh of a box.
static void rays_hit_meshes_where_they_hit_shapes(void** state) {
  (void)state;
  lb_random random = {2};
  lb_mesh drawn, welded;
  lb_vec3* normal;
  const lb_shape shape = {.type = LB_SHAPE_BOX, .size = {1, 0.8, 0.6}};
  assert_int_equal(lb_shape_tessellate(&shape, 8, &arena, &drawn, &normal), LB_OK);
  assert_int_equal(lb_mesh_weld(&drawn, &arena, &welded), LB_OK);
  lb_collider_def def = {.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &welded};
  lb_collider mesh, box = sized(LB_COLLIDER_BOX, 1, 0.8, 0.6);
  assert_int_equal(lb_collider_make(&def, &arena, &mesh, NULL), LB_OK);
  double z[16 * 16];
  for (int i = 0; i < 256; i++) {
    z[i] = 0.25 * (i / 16) - 0.1 * (i % 16); // a slope
  }
  def = (lb_collider_def){.type = LB_COLLIDER_HEIGHTS, .grid = {16, 16, 0.5, 0.25, z}};
  lb_collider slope;
  assert_int_equal(lb_collider_make(&def, &arena, &slope, NULL), LB_OK);
  int hits = 0;
  for (int k = 0; k < 5000; k++) {
    const lb_vec3 from = random_vec3(&random, 2);
    lb_ray ray = {from, lb_vec3_sub(random_vec3(&random, 0.5), from), 10};
    lb_ray_hit a, b;
    lb_vec3 gradient;
    if (lb_collider_point(&box, ray.origin, &gradient) > 0) {
      const bool hit = lb_collider_ray(&box, &ray, &a);
      assert_true(hit == lb_collider_ray(&mesh, &ray, &b));
      if (hit) {
        assert_within(a.t, b.t, 1e-9);
        assert_within(lb_vec3_norm(lb_vec3_sub(a.normal, b.normal)), 0, 1e-9);
        hits++;
      }
    }
    // the slope z = x / 2 - 0.4 y, from above
    ray.origin =
        lb_vec3_make(lb_random_between(&random, 1, 6.5), lb_random_between(&random, 0.5, 3), 6);
    ray.direction.z = -1 - fabs(ray.direction.z);
    const lb_vec3 o = ray.origin, d = ray.direction;
    const double t = (o.x / 2 - 0.4 * o.y - o.z) / (d.z - d.x / 2 + 0.4 * d.y);
    const double x = o.x + t * d.x, y = o.y + t * d.y;
    if (x > 0.01 && x < 7.49 && y > 0.01 && y < 3.74) {
      assert_true(lb_collider_ray(&slope, &ray, &a));
      assert_within(a.t, t, 1e-9);
      hits++;
    }
  }
  assert_true(hits > 3000);
}

typedef struct shooting {
  const lb_case* body;
  lb_ray ray;
  int id, asked;
} shooting;

static double shoot(void* context, int id, double most) {
  shooting* s = context;
  lb_ray ray = s->ray;
  lb_ray_hit hit;
  ray.most = most;
  s->asked++;
  if (!lb_collide_ray(&s->body[id].c, s->body[id].X, &ray, &hit)) {
    return most;
  }
  s->id = id;
  return hit.t;
}

// The closest of many bodies, through the tree and by asking all.
static void rays_through_the_tree_find_the_closest_body(void** state) {
  (void)state;
  enum { BODIES = 150 };
  static const lb_collider_type kind[] = {LB_COLLIDER_SPHERE, LB_COLLIDER_CAPSULE, LB_COLLIDER_BOX,
                                          LB_COLLIDER_CYLINDER, LB_COLLIDER_ELLIPSOID};
  static lb_case body[BODIES];
  lb_random random = {7};
  lb_broad* tree;
  int asked = 0, hits = 0;
  assert_int_equal(lb_broad_create(0.1, NULL, &tree), LB_OK);
  for (int i = 0; i < BODIES; i++) {
    int id;
    random_case(&random, kind[i % 5], &arena, &body[i]);
    place_case(&body[i], random_pose(&random, 8));
    assert_int_equal(lb_broad_insert(tree, lb_placed_bounds(&body[i].placed), &id), LB_OK);
    assert_int_equal(id, i);
  }
  for (int k = 0; k < 500; k++) {
    const lb_ray ray = {random_vec3(&random, 8), random_vec3(&random, 1), 20};
    shooting tried = {body, ray, -1, 0}, all = {body, ray, -1, 0};
    double most = ray.most;
    for (int i = 0; i < BODIES; i++) {
      most = shoot(&all, i, most);
    }
    lb_broad_ray(tree, &ray, shoot, &tried);
    assert_true(tried.id == all.id || most == 0); // several may hold the start
    asked += tried.asked;
    hits += tried.id >= 0;
  }
  assert_true(hits > 100);
  assert_true(asked < 500 * BODIES / 5);
  lb_broad_release(tree);
}

// --- times of impact ---

// Two balls: a quadratic equation.
static void balls_meet_when_a_quadratic_says(void** state) {
  (void)state;
  lb_random random = {3};
  int hits = 0;
  for (int k = 0; k < 2000; k++) {
    const lb_collider a = sized(LB_COLLIDER_SPHERE, lb_random_between(&random, 0.1, 0.5), 0, 0);
    const lb_collider b = sized(LB_COLLIDER_SPHERE, lb_random_between(&random, 0.1, 0.5), 0, 0);
    lb_collide_motion ma = {random_pose(&random, 2), random_vec3(&random, 3),
                            random_vec3(&random, 5)};
    const lb_collide_motion mb = {random_pose(&random, 2), random_vec3(&random, 3),
                                  random_vec3(&random, 5)};
    ma.v = lb_vec3_add(ma.v, lb_vec3_scale(3, lb_vec3_sub(mb.X.p, ma.X.p))); // mostly a hit
    const lb_vec3 p = lb_vec3_sub(ma.X.p, mb.X.p), v = lb_vec3_sub(ma.v, mb.v);
    const double r = a.radius + b.radius, qa = lb_vec3_dot(v, v), qb = lb_vec3_dot(p, v),
                 qc = lb_vec3_dot(p, p) - r * r, disc = qb * qb - qa * qc;
    if (qc < 0.01 || fabs(disc) < 0.1) {
      continue;
    }
    const double t = disc > 0 ? (-qb - sqrt(disc)) / qa : -1;
    const lb_impact i = lb_collide_impact(&a, &ma, &b, &mb, 1, 1e-7);
    assert_int_equal(i.hit, t >= 0 && t <= 1);
    assert_within(i.time, i.hit ? t : 1, 1e-5);
    assert_true(!i.hit || (i.at.distance >= 0 && i.at.distance <= 1e-7));
    hits += i.hit;
  }
  assert_true(hits > 100);
}

// A turning rod: its end meets a ball at a known angle.
static void a_turning_rod_strikes_in_time(void** state) {
  (void)state;
  const lb_collider rod = sized(LB_COLLIDER_BOX, 2, 0.02, 0.02);
  const lb_collider ball = sized(LB_COLLIDER_SPHERE, 0.1, 0, 0);
  const lb_collide_motion turn = {.X = lb_transform_identity(), .w = {0, 0, 2}};
  const lb_collide_motion still = {.X = {{1, 0, 0, 0}, {0.8 * cos(1), 0.8 * sin(1), 0}}};
  const lb_impact i = lb_collide_impact(&rod, &turn, &ball, &still, 1, 1e-8);
  // the rod's side, 1 cm before its middle line, is 10 cm from the ball's centre
  assert_true(i.hit);
  assert_within(i.time, (1 - asin(0.11 / 0.8)) / 2, 1e-6);
}

static void a_fast_ball_does_not_pass_a_thin_plate(void** state) {
  (void)state;
  lb_random random = {4};
  const lb_collider ball = sized(LB_COLLIDER_SPHERE, 0.005, 0, 0);
  const lb_collider plate = sized(LB_COLLIDER_BOX, 1, 1, 1e-3);
  lb_vec3 v[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  int face[6] = {0, 1, 2, 0, 2, 3};
  const lb_mesh sheet = {4, 2, v, face};
  const lb_collider_def def = {.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &sheet};
  lb_collider mesh;
  assert_int_equal(lb_collider_make(&def, &arena, &mesh, NULL), LB_OK);
  for (int k = 0; k < 300; k++) {
    const double z = lb_random_between(&random, 0.01, 1.6);
    lb_collide_motion fly = {.X = lb_transform_identity(), .v = {0, 0, -100}};
    const lb_collide_motion still = {.X = lb_transform_identity()};
    fly.X.p = lb_vec3_make(lb_random_between(&random, -0.4, 0.4), 0.1, z);
    lb_impact i = lb_collide_impact(&ball, &fly, &plate, &still, 1.0 / 60, 1e-6);
    assert_true(i.hit);
    assert_within(i.time, (z - 0.005 - 0.0005) / 100, 1e-7);
    i = lb_collide_impact(&mesh, &still, &ball, &fly, 1.0 / 60, 1e-6);
    assert_true(i.hit);
    assert_within(i.time, (z - 0.005) / 100, 1e-7);
  }
}

// --- deformable surfaces ---

static void points_of_a_surface_know_distance_and_gradient(void** state) {
  (void)state;
  lb_random random = {5};
  enum { N = 200 };
  for (int k = 0; k < 50; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    static const lb_collider_type kind[] = {LB_COLLIDER_SPHERE,    LB_COLLIDER_CAPSULE,
                                            LB_COLLIDER_BOX,       LB_COLLIDER_CYLINDER,
                                            LB_COLLIDER_ELLIPSOID, LB_COLLIDER_CONVEX};
    lb_case c;
    random_case(&random, kind[k % 6], &arena, &c);
    place_case(&c, random_pose(&random, 1));
    lb_vec3 x[N];
    double radius[N];
    lb_point_contact out[N];
    for (int i = 0; i < N; i++) {
      x[i] = random_vec3(&random, 2);
      radius[i] = lb_random_between(&random, 0, 0.1);
    }
    const int n = lb_collide_points(&c.placed, N, x, radius, 0.3, out, N);
    int want = 0;
    for (int i = 0, j = 0; i < N; i++) {
      const lb_collider ball = sized(LB_COLLIDER_SPHERE, radius[i] + 1e-12, 0, 0);
      const lb_placed b = lb_placed_make(&ball, (lb_transform){{1, 0, 0, 0}, x[i]});
      const lb_separation s = lb_separate(&b, &c.placed);
      if (fabs(s.distance - 0.3) < 1e-9) {
        continue;
      }
      want += s.distance < 0.3;
      if (s.distance < 0.3) {
        assert_int_equal(out[j].point, i);
        assert_within(out[j].distance, s.distance, 1e-9);
        assert_within(lb_vec3_dot(out[j].normal, s.normal), 1, 1e-9);
        j++;
      }
    }
    assert_int_equal(n, want);
    lb_arena_reset(&arena, mark);
  }
}

// A sheet in two triangles at z = 0, moved up by 0.1: what stands on it meets it with its corners.
static void corners_of_colliders_meet_moving_triangles(void** state) {
  (void)state;
  lb_vec3 v[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  int face[6] = {0, 1, 2, 0, 2, 3};
  const lb_mesh sheet = {4, 2, v, face};
  const lb_collider_def def = {.type = LB_COLLIDER_MESH, .size = {1, 1, 1}, .mesh = &sheet};
  lb_collider surface;
  assert_int_equal(lb_collider_make(&def, &arena, &surface, NULL), LB_OK);
  for (int i = 0; i < 4; i++) {
    v[i].z = 0.1;
  }
  lb_collider_move(&surface, v);
  static const struct {
    lb_collider_type type;
    lb_vec3 size;
    double half;
    int points;
  } body[] = {{LB_COLLIDER_BOX, {0.4, 0.4, 0.4}, 0.2, 4},
              {LB_COLLIDER_SPHERE, {0.2, 0, 0}, 0.2, 1},
              {LB_COLLIDER_CAPSULE, {0.1, 0.2, 0}, 0.2, 1},
              {LB_COLLIDER_ELLIPSOID, {0.1, 0.3, 0.2}, 0.2, 1}};
  for (size_t k = 0; k < sizeof body / sizeof *body; k++) {
    const lb_collider c = sized(body[k].type, body[k].size.x, body[k].size.y, body[k].size.z);
    const lb_transform X = {{1, 0, 0, 0}, {0.3, -0.2, 0.1 + body[k].half - 1e-3}};
    const lb_placed x = lb_placed_make(&c, X);
    lb_triangle_contact out[8];
    const int n = lb_collide_triangles(&x, &surface, 1e-3, 0.05, out, 8);
    assert_int_equal(n, body[k].points);
    for (int i = 0; i < n; i++) {
      assert_within(out[i].distance, -1e-3, 1e-12);
      assert_within(out[i].normal.z, -1, 1e-12);
      const double sum = out[i].weight[0] + out[i].weight[1] + out[i].weight[2];
      assert_within(sum, 1, 1e-12);
      lb_vec3 foot = {0, 0, 0};
      for (int j = 0; j < 3; j++) {
        foot = lb_vec3_add(foot, lb_vec3_scale(out[i].weight[j], v[face[3 * out[i].face + j]]));
      }
      assert_within(foot.x, out[i].position.x, 1e-12);
      assert_within(foot.y, out[i].position.y, 1e-12);
    }
  }
}

// --- hard input ---

// Coincident bodies, sizes from a nanometre to a thousand kilometres, flat poses: always an answer.
static void extreme_pairs_have_an_answer(void** state) {
  (void)state;
  static const double size[] = {1e-9, 1e-3, 1, 1e6};
  static const lb_collider_type kind[] = {LB_COLLIDER_SPHERE,    LB_COLLIDER_CAPSULE,
                                          LB_COLLIDER_BOX,       LB_COLLIDER_CYLINDER,
                                          LB_COLLIDER_ELLIPSOID, LB_COLLIDER_CONVEX};
  lb_random random = {6};
  for (int k = 0; k < 6 * 6 * 16 * 4; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    random_case(&random, kind[k % 6], &arena, &a);
    random_case(&random, kind[k / 6 % 6], &arena, &b);
    const double sa = size[k / 36 % 4], sb = size[k / 144 % 4];
    a.def.size = lb_vec3_scale(sa, a.def.size);
    b.def.size = lb_vec3_scale(sb, b.def.size);
    assert_int_equal(lb_collider_make(&a.def, &arena, &a.c, NULL), LB_OK);
    assert_int_equal(lb_collider_make(&b.def, &arena, &b.c, NULL), LB_OK);
    lb_transform X = lb_transform_identity(), Y = lb_transform_identity();
    if (k / 576 == 1) { // touching or far
      Y.p.x = fmax(sa, sb);
    } else if (k / 576 == 2) {
      X = Y = random_pose(&random, 1);
    } else if (k / 576 == 3) {
      Y = random_pose(&random, fmax(sa, sb));
    }
    place_case(&a, X);
    place_case(&b, Y);
    const lb_separation s = lb_separate(&a.placed, &b.placed);
    if (!(isfinite(s.distance) && isfinite(s.normal.x + s.point_a.x + s.point_b.z))) {
      print_error("kinds %d %d sizes %g %g pose %d: %g %g %g\n", a.def.type, b.def.type, sa, sb,
                  k / 576, s.distance, s.normal.x, s.point_a.x);
    }
    assert_true(isfinite(s.distance) && isfinite(s.normal.x + s.point_a.x + s.point_b.z));
    lb_manifold m[4];
    const lb_collide_report r = lb_collide(&a.placed, &b.placed, 1e-3, NULL, m, 4);
    assert_true(r.nmanifold >= 0 && r.nmanifold <= 1);
    for (int i = 0; r.nmanifold && i < m[0].npoint; i++) {
      assert_true(isfinite(m[0].point[i].distance + m[0].point[i].position.x));
    }
    lb_arena_reset(&arena, mark);
  }
}

// The narrow phase takes nothing from the arena, nor does a query.
static void colliders_release_what_they_took(void** state) {
  (void)state;
  lb_vec3 v[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
  int face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  const lb_mesh mesh = {5, 4, v, face};
  const double z[4] = {0, 1, 2, 3};
  const lb_collider_def def[] = {{.type = LB_COLLIDER_BOX, .size = {1, 1, 1}},
                                 {.type = LB_COLLIDER_CONVEX, .size = {1, 1, -1}, .mesh = &mesh},
                                 {.type = LB_COLLIDER_MESH, .size = {1, -1, 1}, .mesh = &mesh},
                                 {.type = LB_COLLIDER_HEIGHTS, .grid = {2, 2, 1, 1, z}}};
  for (int i = 0; i < 4; i++) {
    bool done = false;
    for (long refuse = 1; !done; refuse++) {
      lb_counting counting = {.refuse = refuse};
      const lb_allocator allocator = lb_counting_allocator(&counting);
      lb_collider* c = NULL;
      lb_error err = lb_error_make(NULL);
      const lb_status status = lb_collider_create(&def[i], &allocator, &c, &err);
      assert_true(status == LB_OK || status == LB_NO_MEMORY);
      assert_true((status == LB_OK) == (c != NULL));
      done = status == LB_OK;
      if (done) {
        const long taken = counting.requests;
        lb_transform X = lb_transform_identity();
        X.p.x = 0.3;
        lb_collide_distance(c, X, c, lb_transform_identity());
        assert_int_equal(counting.requests, taken);
        assert_int_equal(lb_collider_type_of(c), def[i].type);
      }
      lb_collider_release(c);
      lb_error_clear(&err);
      assert_int_equal(counting.live, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rays_hit_the_zero_of_the_distance, begin, end),
      cmocka_unit_test_setup_teardown(rays_hit_meshes_where_they_hit_shapes, begin, end),
      cmocka_unit_test_setup_teardown(rays_through_the_tree_find_the_closest_body, begin, end),
      cmocka_unit_test_setup_teardown(balls_meet_when_a_quadratic_says, begin, end),
      cmocka_unit_test_setup_teardown(a_turning_rod_strikes_in_time, begin, end),
      cmocka_unit_test_setup_teardown(a_fast_ball_does_not_pass_a_thin_plate, begin, end),
      cmocka_unit_test_setup_teardown(points_of_a_surface_know_distance_and_gradient, begin, end),
      cmocka_unit_test_setup_teardown(corners_of_colliders_meet_moving_triangles, begin, end),
      cmocka_unit_test_setup_teardown(extreme_pairs_have_an_answer, begin, end),
      cmocka_unit_test_setup_teardown(colliders_release_what_they_took, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
