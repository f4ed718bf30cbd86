// Distances of random convex pairs against independent methods.
#pragma once
#include "collide_cases.h"

static const lb_collider_type CONVEX[] = {LB_COLLIDER_SPHERE,    LB_COLLIDER_CAPSULE,
                                          LB_COLLIDER_BOX,       LB_COLLIDER_CYLINDER,
                                          LB_COLLIDER_ELLIPSOID, LB_COLLIDER_CONVEX};
enum { KINDS = sizeof CONVEX / sizeof *CONVEX };

// How far a point is outside of a shape, by its inequalities; not more than the distance.
static inline double outside(const lb_case* s, lb_vec3 x) {
  const lb_vec3 y = lb_transform_point(lb_transform_inverse(s->X), x), z = s->def.size;
  lb_poly p;
  switch (s->def.type) {
  case LB_COLLIDER_CYLINDER:
    return fmax(sqrt(y.x * y.x + y.y * y.y) - z.x, fabs(y.z) - z.y / 2);
  case LB_COLLIDER_ELLIPSOID:
    return lb_vec3_norm(lb_vec3_make(y.x / z.x, y.y / z.y, y.z / z.z)) - 1;
  default: {
    const lb_poly point = {.nv = 1, .v = {x}};
    assert_true(poly_of(s, &p));
    return poly_distance(&p, &point);
  }
  }
}

// The distance is the largest separation along any direction. That along the normal found is a
// bound from below, no direction of a search may be better, and points of both shapes are a bound
// from above.
static inline double expected(const lb_case* a, const lb_case* b, const lb_separation* s) {
  lb_poly p, q;
  if (poly_of(a, &p) && poly_of(b, &q)) {
    return poly_distance(&p, &q);
  }
  const double bound = gap_along(a, b, s->normal), searched = searched_distance(a, b);
  if (bound > 0) {
    if (outside(a, s->point_a) > 1e-9 || outside(b, s->point_b) > 1e-9) {
      print_error("kinds %d %d\n", a->def.type, b->def.type);
    }
    assert_at_most(outside(a, s->point_a), 1e-9);
    assert_at_most(outside(b, s->point_b), 1e-9);
  }
  return fmax(bound, searched);
}

typedef struct tally {
  int apart, overlap, bounded;
  double worst;
} tally;

static inline void compare(const lb_case* a, const lb_case* b, tally* t) {
  const lb_separation s = lb_separate(&a->placed, &b->placed);
  const double want = expected(a, b, &s);
  const double scale = 1 + fabs(want);
  const bool bad = !(fabs(s.distance - want) <= 1e-9 * scale);
  if (bad) {
    print_error("kinds %d %d: %.17g, expected %.17g, differ by %.3g\n", a->def.type, b->def.type,
                s.distance, want, s.distance - want);
  }
  assert_false(bad);
  t->worst = fmax(t->worst, fabs(s.distance - want));
  t->apart += want > 0;
  t->overlap += want <= 0;
  t->bounded += s.outcome == LB_COLLIDE_BOUNDED;
  // the points belong to the distance
  assert_near(lb_vec3_norm(s.normal), 1, 1e-12);
  const lb_vec3 way = lb_vec3_sub(s.point_a, s.point_b);
  assert_near(lb_vec3_norm(lb_vec3_sub(way, lb_vec3_scale(s.distance, s.normal))), 0, 1e-9);
  const lb_separation turned = lb_separate(&b->placed, &a->placed);
  assert_near(turned.distance, s.distance, 1e-9);
}

static inline void random_pairs(int count, uint64_t seed, bool polyhedra) {
  lb_random random = {seed};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  tally t = {0};
  for (int k = 0; k < count; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    lb_poly p;
    random_case(&random, CONVEX[(int)(lb_random_unit(&random) * KINDS)], &arena, &a);
    random_case(&random, CONVEX[(int)(lb_random_unit(&random) * KINDS)], &arena, &b);
    const double away = lb_random_between(&random, 0, 2.5);
    place_case(&a, random_pose(&random, 1));
    place_case(&b, random_pose(&random, 1));
    b.X.p = lb_vec3_add(a.X.p, random_vec3(&random, away));
    place_case(&b, b.X);
    if ((poly_of(&a, &p) && poly_of(&b, &p)) == polyhedra) {
      compare(&a, &b, &t);
    }
    lb_arena_reset(&arena, mark);
  }
  lb_arena_release(&arena);
  print_message("%d apart, %d overlapping, worst %.3g, %d at the bound of iterations\n", t.apart,
                t.overlap, t.worst, t.bounded);
  assert_int_equal(t.bounded, 0);
  assert_true(t.apart > count / 20 && t.overlap > count / 20);
}
