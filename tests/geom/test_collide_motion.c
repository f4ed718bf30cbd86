// Pairs that move smoothly, with the memory of a pair from step to step and without it: what is
// remembered makes answers quicker, never others.
#include "collide_compare.h"

enum { STEPS = 300 };
static const double MARGIN = 0.01;

// Motion to and fro across the place where the two touch.
typedef struct course {
  lb_vec3 way, aside, turn;
  double pace, phase;
  lb_transform X;
} course;

static course random_course(lb_random* r, double reach) {
  course c = {.way = random_vec3(r, 1), .aside = random_vec3(r, 0.1), .turn = random_vec3(r, 1.5)};
  c.way = lb_vec3_scale(reach / lb_vec3_norm(c.way), c.way);
  c.pace = lb_random_between(r, 2, 12);
  c.phase = lb_random_between(r, 0, 6);
  c.X = random_pose(r, 0);
  return c;
}

static lb_transform pose_at(const course* c, double t) {
  const double along = 1 + 0.15 * sin(c->pace * t + c->phase);
  const lb_vec3 p =
      lb_vec3_add(lb_vec3_scale(along, c->way), lb_vec3_scale(sin(3 * t + c->phase), c->aside));
  return (lb_transform){lb_quat_mul(lb_quat_exp(lb_vec3_scale(t, c->turn)), c->X.q), p};
}

typedef struct account {
  long found, overlaps;
  double worst;
} account;

// Found where the distance is within the margin, with the depth along a normal that separates as
// well as the best one, but for what faces are favoured by.
static void check_step(const lb_case* a, const lb_case* b, lb_pair_cache* cache, account* n) {
  lb_manifold m = {0};
  const lb_collide_report r = lb_collide(&a->placed, &b->placed, MARGIN, cache, &m, 1);
  const lb_separation s = lb_separate(&a->placed, &b->placed);
  const double size = fmin(a->c.size, b->c.size), rounding = 1e-9;
  if ((r.nmanifold > 0) != (s.distance <= MARGIN) && fabs(s.distance - MARGIN) > rounding) {
    print_error("kinds %d %d, distance %.9g: %d found, %s\n", a->def.type, b->def.type, s.distance,
                r.nmanifold, cache ? "remembered" : "new");
    fail();
  }
  if (r.nmanifold == 0) {
    return;
  }
  n->found++;
  n->overlaps += s.distance < 0;
  assert_at_most(m.distance, s.distance + rounding);
  if (s.distance < 0) {
    assert_within(gap_along(a, b, m.normal), m.distance, rounding);
    assert_at_least(m.distance, s.distance - 2e-3 * size);
    n->worst = fmax(n->worst, (s.distance - m.distance) / size);
  }
}

static void follow(lb_random* r, lb_collider_type ta, lb_collider_type tb, lb_arena* arena,
                   account* n) {
  lb_case a, b;
  random_case(r, ta, arena, &a);
  random_case(r, tb, arena, &b);
  place_case(&a, random_pose(r, 1));
  course c = random_course(r, 1);
  // the way on which they just touch
  for (int k = 0; k < 6; k++) {
    b.X = pose_at(&c, 0);
    b.X.p = lb_vec3_add(a.X.p, c.way);
    place_case(&b, b.X);
    const double d = lb_separate(&a.placed, &b.placed).distance;
    c.way = lb_vec3_scale(fmax(0.1, 1 - d / lb_vec3_norm(c.way)), c.way);
  }
  lb_pair_cache cache = {0};
  for (int k = 0; k < STEPS; k++) {
    lb_transform X = pose_at(&c, 0.004 * k);
    X.p = lb_vec3_add(a.X.p, X.p);
    place_case(&b, X);
    check_step(&a, &b, &cache, n);
    check_step(&a, &b, NULL, n);
  }
}

static void pairs_that_move_are_found_with_and_without_memory(void** state) {
  (void)state;
  lb_random random = {11};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  account n = {0};
  const int rounds = 20;
  for (int k = 0; k < rounds * KINDS * KINDS; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    follow(&random, CONVEX[k % KINDS], CONVEX[k / KINDS % KINDS], &arena, &n);
    lb_arena_reset(&arena, mark);
  }
  lb_arena_release(&arena);
  print_message("%ld found, %ld overlap, depths worse by %.2g of the size\n", n.found, n.overlaps,
                n.worst);
  assert_true(n.found > 1000 && n.overlaps > 500 && n.found > n.overlaps + 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_that_move_are_found_with_and_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
