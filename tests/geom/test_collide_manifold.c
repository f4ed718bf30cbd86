// Contact manifolds of convex pairs and planes: what points promise, patches at rest, ids, all axes
// of two boxes.
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

static const lb_collider_type CONVEX[] = {LB_COLLIDER_SPHERE,    LB_COLLIDER_CAPSULE,
                                          LB_COLLIDER_BOX,       LB_COLLIDER_CYLINDER,
                                          LB_COLLIDER_ELLIPSOID, LB_COLLIDER_CONVEX};
enum { KINDS = sizeof CONVEX / sizeof *CONVEX };

static lb_collider make(lb_collider_type type, double x, double y, double z) {
  const lb_collider_def def = {.type = type, .size = {x, y, z}};
  lb_collider c;
  assert_int_equal(lb_collider_make(&def, &arena, &c, NULL), LB_OK);
  return c;
}

static lb_placed at(const lb_collider* c, lb_vec3 turn, double x, double y, double z) {
  return lb_placed_make(c, (lb_transform){lb_quat_exp(turn), {x, y, z}});
}

static const lb_vec3 NO_TURN = {0};

static double deepest(const lb_manifold* m) {
  double d = INFINITY;
  for (int k = 0; k < m->npoint; k++) {
    d = fmin(d, m->point[k].distance);
  }
  return d;
}

static double to_surface(const lb_case* x, lb_vec3 p) {
  lb_vec3 gradient;
  const lb_vec3 y = lb_transform_point(lb_transform_inverse(x->X), p);
  return lb_collider_point(&x->c, y, &gradient);
}

static void check_manifold(const lb_case* a, const lb_case* b, double margin, const lb_manifold* m,
                           const lb_separation* s) {
  const double size = fmin(a->c.size, b->c.size);
  assert_within(lb_vec3_norm(m->normal), 1, 1e-12);
  assert_in_range(m->npoint, 1, LB_MANIFOLD_MOST);
  // a face may stand for a normal that separates a little better
  const double along = gap_along(a, b, m->normal);
  assert_at_most(along, s->distance + 1e-12);
  if (s->distance <= 0) {
    assert_at_least(along, s->distance - 2e-3 * size);
    assert_at_least(deepest(m), along - 1e-9);
    assert_at_most(deepest(m), s->distance + 2e-2 * size);
  }
  for (int k = 0; k < m->npoint; k++) {
    const lb_contact_point* p = &m->point[k];
    assert_at_most(p->distance, margin);
    // lines that are nearly parallel share their points up to the angle between them; the place of
    // round shapes' points is sharp to the square root of rounding; corners may stand out a little
    const double slack = p->id >> 60 == 3 ? 5e-3 : 1e-7 + 2e-3 * size;
    assert_at_most(to_surface(a, p->position), fabs(p->distance) / 2 + slack);
    assert_at_most(to_surface(b, p->position), fabs(p->distance) / 2 + slack);
    for (int i = 0; i < k; i++) {
      assert_true(m->point[i].id != p->id);
    }
  }
}

static void points_lie_between_the_surfaces(void** state) {
  (void)state;
  lb_random random = {5};
  int touching = 0;
  for (int k = 0; k < 20000; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    random_case(&random, CONVEX[(int)(lb_random_unit(&random) * KINDS)], &arena, &a);
    random_case(&random, CONVEX[(int)(lb_random_unit(&random) * KINDS)], &arena, &b);
    place_case(&a, random_pose(&random, 1));
    place_case(&b, random_pose(&random, 1));
    lb_separation s = lb_separate(&a.placed, &b.placed);
    // brought to a small overlap or gap
    b.X.p = lb_vec3_add(
        b.X.p, lb_vec3_scale(s.distance - lb_random_between(&random, -0.05, 0.05), s.normal));
    place_case(&b, b.X);
    s = lb_separate(&a.placed, &b.placed);
    lb_manifold m;
    const lb_collide_report r = lb_collide(&a.placed, &b.placed, 0.02, NULL, &m, 1);
    assert_int_equal(r.outcome, LB_COLLIDE_DONE);
    assert_true(r.nmanifold == 1 || s.distance > 0);
    assert_true(r.nmanifold == 0 || s.distance < 0.05);
    if (r.nmanifold) {
      check_manifold(&a, &b, 0.02, &m, &s);
      touching++;
    }
    lb_arena_reset(&arena, mark);
  }
  assert_true(touching > 10000);
}

// The whole pair moved in space: the same manifold, moved.
static void manifolds_do_not_depend_on_the_frame(void** state) {
  (void)state;
  lb_random random = {6};
  for (int k = 0; k < 3000; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    random_case(&random, CONVEX[(int)(lb_random_unit(&random) * KINDS)], &arena, &a);
    random_case(&random, CONVEX[(int)(lb_random_unit(&random) * KINDS)], &arena, &b);
    place_case(&a, random_pose(&random, 0.3));
    place_case(&b, random_pose(&random, 0.3));
    const lb_transform X = random_pose(&random, 3);
    lb_manifold m = {0}, n = {0};
    const int one = lb_collide(&a.placed, &b.placed, 0.1, NULL, &m, 1).nmanifold;
    place_case(&a, lb_transform_mul(X, a.X));
    place_case(&b, lb_transform_mul(X, b.X));
    assert_int_equal(lb_collide(&a.placed, &b.placed, 0.1, NULL, &n, 1).nmanifold, one);
    assert_int_equal(m.npoint, n.npoint);
    for (int i = 0; one && i < m.npoint; i++) {
      assert_within(m.point[i].distance, n.point[i].distance, 1e-9);
      assert_true(m.point[i].id == n.point[i].id);
      const lb_vec3 p = lb_transform_point(X, m.point[i].position);
      assert_within(lb_vec3_norm(lb_vec3_sub(p, n.point[i].position)), 0, 1e-6);
    }
    lb_arena_reset(&arena, mark);
  }
}

// A box on a box: four corners, whose ids stay under small motions.
static void a_box_at_rest_has_four_points_that_stay(void** state) {
  (void)state;
  lb_random random = {7};
  const lb_collider big = make(LB_COLLIDER_BOX, 2, 2, 1), small = make(LB_COLLIDER_BOX, 1, 1, 1);
  const lb_placed below = at(&big, NO_TURN, 0, 0, 0);
  lb_pair_cache cache = {0};
  uint64_t id[4] = {0};
  for (int k = 0; k < 200; k++) {
    const lb_placed above = at(&small, random_vec3(&random, 1e-5), 1e-5 * random_vec3(&random, 1).x,
                               0.1, 1 - 1e-5 * lb_random_unit(&random));
    lb_manifold m;
    assert_int_equal(lb_collide(&above, &below, 1e-3, &cache, &m, 1).nmanifold, 1);
    assert_int_equal(m.npoint, 4);
    assert_within(m.normal.z, 1, 1e-9);
    for (int i = 0; i < 4; i++) {
      assert_within(fabs(m.point[i].position.x), 0.5, 1e-4);
      assert_within(fabs(m.point[i].position.y - 0.1), 0.5, 1e-4);
      assert_true(k == 0 || id[i] == m.point[i].id);
      id[i] = m.point[i].id;
    }
  }
}

static lb_collider block(double x, double y, double z) {
  static lb_vec3 v[8];
  for (int i = 0; i < 8; i++) {
    v[i] = lb_vec3_make(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
  }
  const lb_mesh mesh = {.nvertex = 8, .vertex = v};
  const lb_collider_def def = {.type = LB_COLLIDER_CONVEX, .size = {1, 1, 1}, .mesh = &mesh};
  lb_collider c;
  assert_int_equal(lb_collider_make(&def, &arena, &c, NULL), LB_OK);
  return c;
}

// Equal blocks on each other, shaken by less than a micrometre, as boxes and as hulls.
static void equal_blocks_keep_their_ids(void** state) {
  (void)state;
  lb_random random = {10};
  for (int kind = 0; kind < 2; kind++) {
    const lb_collider c = kind ? block(0.05, 0.05, 0.05) : make(LB_COLLIDER_BOX, 0.1, 0.1, 0.1);
    lb_pair_cache cache = {0};
    lb_manifold first = {0}, m = {0};
    for (int k = 0; k < 300; k++) {
      const lb_vec3 by = random_vec3(&random, 5e-7), too = random_vec3(&random, 5e-7);
      const lb_placed below = at(&c, random_vec3(&random, 1e-6), by.x, by.y, by.z);
      const lb_placed above = at(&c, random_vec3(&random, 1e-6), too.x, too.y, 0.1 + too.z);
      assert_int_equal(lb_collide(&below, &above, 1e-4, &cache, &m, 1).nmanifold, 1);
      first = k == 0 ? m : first;
      assert_int_equal(m.npoint, 4);
      for (int i = 0; i < 4; i++) {
        assert_true(m.point[i].id == first.point[i].id);
      }
    }
  }
}

// Bodies on a block with gaps from 0 through rounding to a millimetre, either way: always the
// face's normal, the gap and the whole patch.
static void patches_hold_through_touching(void** state) {
  (void)state;
  lb_random random = {12};
  const lb_collider ground[3] = {make(LB_COLLIDER_BOX, 1, 1, 0.2), block(0.5, 0.5, 0.1),
                                 make(LB_COLLIDER_CYLINDER, 0.5, 0.2, 0)};
  const lb_vec3 lying = {0, M_PI / 2, 0}, turned = {0, 0, 0.3};
  const struct {
    lb_collider c;
    lb_vec3 turn;
    double half;
    int points;
  } body[] = {{make(LB_COLLIDER_BOX, 0.2, 0.2, 0.2), turned, 0.1, 4},
              {block(0.1, 0.1, 0.1), turned, 0.1, 4},
              {make(LB_COLLIDER_CYLINDER, 0.1, 0.2, 0), turned, 0.1, 8},
              {make(LB_COLLIDER_CYLINDER, 0.1, 0.2, 0), lying, 0.1, 2},
              {make(LB_COLLIDER_CAPSULE, 0.1, 0.2, 0), lying, 0.1, 2},
              {make(LB_COLLIDER_ELLIPSOID, 0.1, 0.15, 0.2), turned, 0.2, 1},
              {make(LB_COLLIDER_SPHERE, 0.1, 0, 0), turned, 0.1, 1}};
  for (int g = 0; g < 3; g++) {
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
      for (int k = -24; k <= 24; k++) {
        const double gap = k == 0 ? 0 : copysign(pow(10, -3 - 0.5 * (24 - abs(k))), k);
        const lb_transform X = random_pose(&random, 1);
        const lb_transform up = {lb_quat_exp(body[i].turn), {0.07, 0.03, 0.1 + body[i].half + gap}};
        const lb_placed below = lb_placed_make(&ground[g], X);
        const lb_placed above = lb_placed_make(&body[i].c, lb_transform_mul(X, up));
        lb_manifold m;
        assert_int_equal(lb_collide(&above, &below, 2e-3, NULL, &m, 1).nmanifold, 1);
        const lb_vec3 n = lb_quat_rotate(lb_quat_conjugate(X.q), m.normal);
        assert_within(n.z, 1, 1e-12);
        assert_within(m.distance, gap, 1e-12);
        if (m.npoint < body[i].points) {
          print_error("ground %d, body %d, gap %g\n", g, (int)i, gap);
        }
        assert_at_least(m.npoint, body[i].points);
        for (int j = 0; j < m.npoint; j++) {
          assert_within(m.point[j].distance, gap, 1e-9);
        }
      }
    }
  }
}

// Points of a cylinder at rest that is shaken by a micrometre and a few microradians.
static double patch_motion(const lb_placed* below, lb_vec3 turn, double height) {
  lb_random random = {8};
  const lb_collider drum = make(LB_COLLIDER_CYLINDER, 0.1, 0.3, 0);
  lb_manifold first = {0}, m;
  lb_pair_cache cache = {0};
  double worst = 0;
  for (int k = 0; k < 500; k++) {
    const lb_quat shake = lb_quat_exp(random_vec3(&random, 5e-6));
    const lb_transform X = {lb_quat_mul(shake, lb_quat_exp(turn)),
                            lb_vec3_add((lb_vec3){0.02, 0.03, height}, random_vec3(&random, 1e-6))};
    const lb_placed above = lb_placed_make(&drum, X);
    assert_int_equal(lb_collide(&above, below, 1e-3, &cache, &m, 1).nmanifold, 1);
    first = k == 0 ? m : first;
    assert_int_equal(m.npoint, first.npoint);
    for (int i = 0; i < m.npoint; i++) {
      assert_true(m.point[i].id == first.point[i].id);
      worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(m.point[i].position, first.point[i].position)));
    }
  }
  assert_true(m.npoint >= 2);
  return worst;
}

static void the_patch_of_a_resting_cylinder_stays(void** state) {
  (void)state;
  const lb_collider plane = make(LB_COLLIDER_PLANE, 0, 0, 0), box = make(LB_COLLIDER_BOX, 1, 1, 1);
  const lb_placed floor = at(&plane, NO_TURN, 0, 0, 0), top = at(&box, NO_TURN, 0, 0, -0.5);
  const lb_vec3 lying = {M_PI / 2, 0, 0}, turned = {0, 0, 0.4};
  assert_below(patch_motion(&floor, NO_TURN, 0.15), 1e-4);
  assert_below(patch_motion(&floor, turned, 0.15), 1e-4);
  assert_below(patch_motion(&floor, lying, 0.1), 1e-4);
  assert_below(patch_motion(&top, NO_TURN, 0.15), 1e-4);
  assert_below(patch_motion(&top, turned, 0.15), 1e-4);
  assert_below(patch_motion(&top, lying, 0.1), 1e-4);
}

// A tilted cylinder touches with the lowest point of its rim.
static void a_tilted_cylinder_touches_with_its_lowest_point(void** state) {
  (void)state;
  const lb_collider plane = make(LB_COLLIDER_PLANE, 0, 0, 0);
  const lb_collider drum = make(LB_COLLIDER_CYLINDER, 0.1, 0.3, 0);
  const lb_placed floor = at(&plane, NO_TURN, 0, 0, 0);
  for (int k = 1; k < 30; k++) {
    const double tilt = 0.05 * k;
    const lb_vec3 turn = lb_vec3_scale(tilt, lb_vec3_make(cos(k), sin(k), 0));
    const double lowest = 0.15 * cos(tilt) + 0.1 * sin(tilt);
    const lb_placed x = at(&drum, turn, 0, 0, lowest - 1e-4);
    lb_manifold m;
    assert_int_equal(lb_collide(&x, &floor, 0, NULL, &m, 1).nmanifold, 1);
    assert_within(deepest(&m), -1e-4, 1e-9);
    assert_within(m.distance, -1e-4, 1e-9);
  }
}

// Poses for which each of the fifteen axes is the one of least overlap.
static void boxes_meet_along_all_fifteen_axes(void** state) {
  (void)state;
  lb_random random = {9};
  int count[16] = {0};
  for (int k = 0; k < 20000; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    random_case(&random, LB_COLLIDER_BOX, &arena, &a);
    random_case(&random, LB_COLLIDER_BOX, &arena, &b);
    place_case(&a, random_pose(&random, 0.5));
    place_case(&b, random_pose(&random, 0.5));
    lb_poly p, q;
    poly_of(&a, &p);
    poly_of(&b, &q);
    const double axes = poly_axes(&p, &q);
    lb_pair_cache cache = {0};
    lb_manifold m;
    const int n = lb_collide(&a.placed, &b.placed, 0, &cache, &m, 1).nmanifold;
    assert_int_equal(n, axes <= 0);
    if (n) {
      assert_at_most(m.distance, axes + 1e-9);
      assert_at_least(m.distance, axes - 1e-3 * fmin(a.c.size, b.c.size));
      assert_within(gap_along(&a, &b, m.normal), m.distance, 1e-9);
      assert_true(cache.axis < 7 || m.npoint == 1);
      count[cache.axis]++;
    }
    // the cached axis does not change the answer
    lb_manifold again;
    assert_int_equal(lb_collide(&a.placed, &b.placed, 0, &cache, &again, 1).nmanifold, n);
    assert_true(!n || again.npoint == m.npoint);
    lb_arena_reset(&arena, mark);
  }
  for (int axis = 1; axis < 16; axis++) {
    assert_true(count[axis] > 10);
  }
}

static void poses_that_are_not_finite_are_refused(void** state) {
  (void)state;
  const lb_collider box = make(LB_COLLIDER_BOX, 1, 1, 1), plane = make(LB_COLLIDER_PLANE, 0, 0, 0);
  lb_manifold m;
  const lb_placed good = at(&box, NO_TURN, 0, 0, 0), bad = at(&box, NO_TURN, NAN, 0, 0);
  const lb_placed far = at(&box, NO_TURN, INFINITY, 0, 0), floor = at(&plane, NO_TURN, 0, 0, 0);
  assert_int_equal(lb_collide(&good, &bad, 0, NULL, &m, 1).outcome, LB_COLLIDE_REFUSED);
  assert_int_equal(lb_collide(&far, &good, 0, NULL, &m, 1).outcome, LB_COLLIDE_REFUSED);
  assert_int_equal(lb_collide(&floor, &floor, 0, NULL, &m, 1).outcome, LB_COLLIDE_REFUSED);
  assert_int_equal(lb_separate(&good, &bad).outcome, LB_COLLIDE_REFUSED);
  assert_int_equal(lb_separate(&floor, &floor).outcome, LB_COLLIDE_REFUSED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(points_lie_between_the_surfaces, begin, end),
      cmocka_unit_test_setup_teardown(manifolds_do_not_depend_on_the_frame, begin, end),
      cmocka_unit_test_setup_teardown(a_box_at_rest_has_four_points_that_stay, begin, end),
      cmocka_unit_test_setup_teardown(equal_blocks_keep_their_ids, begin, end),
      cmocka_unit_test_setup_teardown(patches_hold_through_touching, begin, end),
      cmocka_unit_test_setup_teardown(the_patch_of_a_resting_cylinder_stays, begin, end),
      cmocka_unit_test_setup_teardown(a_tilted_cylinder_touches_with_its_lowest_point, begin, end),
      cmocka_unit_test_setup_teardown(boxes_meet_along_all_fifteen_axes, begin, end),
      cmocka_unit_test_setup_teardown(poses_that_are_not_finite_are_refused, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
