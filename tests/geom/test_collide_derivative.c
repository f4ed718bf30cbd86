// Derivatives of contact points against central differences of detection.
#include "collide_cases.h"
#include "geom/collide/collide_derivative.h"

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

enum { ROOM = 32 };
static const double MARGIN = 0.05;
static double EPS = 1e-6;
static double LEVEL = 0.02; // tilt of what is nearly parallel [rad]
static double BEND = 0; // third derivative of points: of caps it is 1 over a tilt of 1e-3 squared

// The pose moved by e times one of the motions, about a point.
static lb_transform moved(lb_transform X, int motion, double e, lb_vec3 at) {
  const lb_vec3 by = {e * (motion % 3 == 0), e * (motion % 3 == 1), e * (motion % 3 == 2)};
  if (motion >= 3) {
    X.p = lb_vec3_add(X.p, by);
    return X;
  }
  const lb_quat r = lb_quat_exp(by);
  X.p = lb_vec3_add(at, lb_quat_rotate(r, lb_vec3_sub(X.p, at)));
  X.q = lb_quat_mul(r, X.q);
  return X;
}

typedef struct spot {
  lb_vec3 position, normal;
  double distance;
} spot;

// The point with an id as the pair is now; false: it is gone.
static bool find(const lb_placed* a, const lb_placed* b, uint64_t id, const spot* near, spot* out) {
  lb_manifold m[ROOM];
  const int n = lb_collide(a, b, MARGIN + 1e-3, NULL, m, ROOM).nmanifold;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m[i].npoint; k++) {
      const lb_contact_point* p = &m[i].point[k];
      if (p->id == id && lb_vec3_dot(m[i].normal, near->normal) > 0.99) {
        *out = (spot){p->position, m[i].normal, p->distance};
        return lb_vec3_norm(lb_vec3_sub(p->position, near->position)) < 1e-2;
      }
    }
  }
  return false;
}

static double off(lb_vec3 x, lb_vec3 y, lb_vec3 slope) {
  return lb_vec3_norm(lb_vec3_sub(lb_vec3_scale(0.5 / EPS, lb_vec3_sub(x, y)), slope));
}

// Largest error of the derivatives of a point; negative: there is a switch close by.
static double error_of(const lb_case* a, const lb_case* b, const lb_manifold* m, int k,
                       const lb_point_change* by) {
  const lb_contact_point* p = &m->point[k];
  const spot here = {p->position, m->normal, p->distance};
  double worst = 0;
  for (int i = 0; i < LB_POINT_MOTIONS; i++) {
    spot s[2];
    for (int side = 0; side < 2; side++) {
      lb_case x = *a, y = *b;
      lb_case* z = i < 6 ? &x : &y;
      z->X = moved(z->X, i % 6, side ? -EPS : EPS, p->position);
      x.placed = lb_placed_make(&a->c, x.X);
      y.placed = lb_placed_make(&b->c, y.X);
      if (!find(&x.placed, &y.placed, p->id, &here, &s[side])) {
        return -1;
      }
    }
    worst = fmax(worst, off(s[0].position, s[1].position, by[i].position));
    worst = fmax(worst, off(s[0].normal, s[1].normal, by[i].normal));
    worst = fmax(worst, fabs((s[0].distance - s[1].distance) * 0.5 / EPS - by[i].distance));
  }
  return worst;
}

typedef struct tally {
  int points, refused, switches, wrong;
  double worst;
} tally;

static void look_at(const lb_case* a, const lb_case* b, tally* t) {
  lb_manifold m[ROOM];
  const int n = lb_collide(&a->placed, &b->placed, MARGIN, NULL, m, ROOM).nmanifold;
  for (int i = 0; i < n && i < ROOM; i++) {
    for (int k = 0; k < m[i].npoint; k++) {
      lb_point_change by[LB_POINT_MOTIONS];
      t->points++;
      if (!lb_collide_differentiate(&a->placed, &b->placed, &m[i], k, by)) {
        t->refused++;
        continue;
      }
      const double e = error_of(a, b, &m[i], k, by);
      // two corners near each other turn the normal fast: differences err by the third derivative
      const double g = m[i].point[k].distance;
      const double most = 0.01 * EPS + EPS * EPS * (1 / fabs(g * g * g) + BEND);
      t->switches += e < 0;
      t->wrong += e > most;
      t->worst = fmax(t->worst, e > most ? 0 : e);
      if (e > most && t->wrong < 4) {
        print_message("%s and %s: error %g, face %d, id %llx, gap %g\n",
                      a->c.type == LB_COLLIDER_BOX ? "box" : "other",
                      b->c.type == LB_COLLIDER_BOX ? "box" : "other", e, m[i].face,
                      (unsigned long long)m[i].point[k].id, m[i].point[k].distance);
      }
    }
  }
}

// Two at random poses, brought to a small gap or overlap.
static void bring(lb_random* r, lb_case* a, lb_case* b) {
  const bool level = lb_random_unit(r) < 0.5; // as things lie on each other: nearly parallel
  place_case(a, random_pose(r, 1));
  place_case(b, random_pose(r, 1));
  if (level) {
    const lb_vec3 tilt = random_vec3(r, LEVEL);
    place_case(a, (lb_transform){lb_quat_mul(b->X.q, lb_quat_exp(tilt)), a->X.p});
  }
  const lb_separation s = lb_separate(&a->placed, &b->placed);
  lb_transform X = a->X;
  X.p = lb_vec3_add(X.p, lb_vec3_scale(lb_random_between(r, -0.01, 0.03) - s.distance, s.normal));
  place_case(a, X);
}

static void check_pair(lb_collider_type x, lb_collider_type y, double refused) {
  lb_random random = {17};
  tally t = {0};
  for (int k = 0; k < 400; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    random_case(&random, x, &arena, &a);
    random_case(&random, y, &arena, &b);
    bring(&random, &a, &b);
    look_at(&a, &b, &t);
    lb_arena_reset(&arena, mark);
  }
  print_message("%d points, %d refused, %d switches, %d wrong, worst %.1e\n", t.points, t.refused,
                t.switches, t.wrong, t.worst);
  assert_at_least(t.points, 300);
  assert_at_most(t.refused, refused * t.points);
  assert_at_most(t.switches, 0.05 * t.points);
  assert_at_most(t.wrong, 0.01 * t.points);
}

static void spheres_and_boxes(void** state) {
  (void)state;
  check_pair(LB_COLLIDER_SPHERE, LB_COLLIDER_SPHERE, 0);
  check_pair(LB_COLLIDER_SPHERE, LB_COLLIDER_BOX, 0);
  check_pair(LB_COLLIDER_SPHERE, LB_COLLIDER_CAPSULE, 0);
  check_pair(LB_COLLIDER_BOX, LB_COLLIDER_BOX, 0.1);
}

static void capsules(void** state) {
  (void)state;
  check_pair(LB_COLLIDER_CAPSULE, LB_COLLIDER_BOX, 0.25); // lines side by side
  check_pair(LB_COLLIDER_CAPSULE, LB_COLLIDER_CAPSULE, 0.6);
}

static void hulls_and_ellipsoids(void** state) {
  (void)state;
  check_pair(LB_COLLIDER_CONVEX, LB_COLLIDER_BOX, 0.05);
  check_pair(LB_COLLIDER_SPHERE, LB_COLLIDER_ELLIPSOID, 0);
  check_pair(LB_COLLIDER_ELLIPSOID, LB_COLLIDER_BOX, 0.05);
  // whose points are sharp to the square root of rounding alone
  EPS = 1e-3;
  check_pair(LB_COLLIDER_ELLIPSOID, LB_COLLIDER_ELLIPSOID, 0);
  EPS = 1e-6;
}

static void cylinders(void** state) {
  (void)state;
  check_pair(LB_COLLIDER_SPHERE, LB_COLLIDER_CYLINDER, 0);
  check_pair(LB_COLLIDER_CYLINDER, LB_COLLIDER_CAPSULE, 0.45); // lines side by side
  BEND = 1e6;
  check_pair(LB_COLLIDER_CYLINDER, LB_COLLIDER_PLANE, 0);
  check_pair(LB_COLLIDER_CYLINDER, LB_COLLIDER_BOX, 0.35); // and edges of caps
  BEND = 0;
  EPS = 3e-4; // points of two round shapes are sharp to the square root of rounding alone
  check_pair(LB_COLLIDER_CYLINDER, LB_COLLIDER_CYLINDER, 0.35);
  EPS = 1e-6;
}

// While a corner of a cap comes onto the lowest place of the rim.
static void caps_that_nearly_lie(void** state) {
  (void)state;
  BEND = 1e10; // 1e6 over a tilt of 1e-4
  EPS = 1e-7;
  LEVEL = 1e-3;
  check_pair(LB_COLLIDER_CYLINDER, LB_COLLIDER_PLANE, 0);
  check_pair(LB_COLLIDER_CYLINDER, LB_COLLIDER_BOX, 0.4);
  BEND = 0;
  EPS = 1e-6;
  LEVEL = 0.02;
}

// A ball just beyond a rim, so that the normal is nearly that of the cap.
static void rims(void** state) {
  (void)state;
  lb_random random = {5};
  tally t = {0};
  for (int k = 0; k < 400; k++) {
    const lb_arena_mark mark = lb_arena_here(&arena);
    lb_case a, b;
    random_case(&random, LB_COLLIDER_SPHERE, &arena, &a);
    random_case(&random, LB_COLLIDER_CYLINDER, &arena, &b);
    place_case(&b, random_pose(&random, 1));
    const double tilt = pow(10, lb_random_between(&random, -3.5, -1));
    const double way = lb_random_between(&random, 0, 7);
    const double l = a.c.radius + lb_random_between(&random, 0.005, 0.02);
    const lb_vec3 n = {sin(tilt) * cos(way), sin(tilt) * sin(way), cos(tilt)};
    const lb_vec3 rim = {b.c.half.x * cos(way), b.c.half.x * sin(way), b.c.half.z};
    lb_transform X = b.X;
    X.p = lb_transform_point(X, lb_vec3_add(rim, lb_vec3_scale(l, n)));
    place_case(&a, X);
    look_at(&a, &b, &t);
    lb_arena_reset(&arena, mark);
  }
  print_message("%d points, %d refused, %d switches, %d wrong, worst %.1e\n", t.points, t.refused,
                t.switches, t.wrong, t.worst);
  assert_int_equal(t.points, 400);
  assert_int_equal(t.refused, 0);
  assert_at_most(t.wrong, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(spheres_and_boxes, begin, end),
      cmocka_unit_test_setup_teardown(capsules, begin, end),
      cmocka_unit_test_setup_teardown(hulls_and_ellipsoids, begin, end),
      cmocka_unit_test_setup_teardown(cylinders, begin, end),
      cmocka_unit_test_setup_teardown(caps_that_nearly_lie, begin, end),
      cmocka_unit_test_setup_teardown(rims, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
