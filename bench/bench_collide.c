// What collision detection costs: pairs of kinds that touch, and a pile of a hundred boxes.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "geom/collide/broad.h"
#include "geom/collide/collide.h"

enum { POSES = 64, ROUNDS = 20, TRIALS = 20, BOXES = 100, STEPS = 2000 };
static const double MARGIN = 1e-3;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double noise(void) {
  return rand() / (double)RAND_MAX - 0.5;
}

static lb_collider make(lb_arena* arena, lb_collider_type type, double x, double y, double z) {
  const double f = 1.618; // an icosahedron
  lb_vec3 v[12] = {{0, 1, f},  {0, -1, f},  {0, 1, -f}, {0, -1, -f}, {1, f, 0},  {-1, f, 0},
                   {1, -f, 0}, {-1, -f, 0}, {f, 0, 1},  {-f, 0, 1},  {f, 0, -1}, {-f, 0, -1}};
  const lb_mesh mesh = {.nvertex = 12, .vertex = v};
  const lb_collider_def def = {.type = type, .size = {x, y, z}, .mesh = &mesh};
  lb_collider c;
  if (lb_collider_make(&def, arena, &c, NULL) != LB_OK) {
    abort();
  }
  return c;
}

// Time of one answer, for b shaken a little between answers.
static void time_pair(const char* name, const lb_collider* a, const lb_collider* b, lb_vec3 turn,
                      lb_vec3 place) {
  lb_placed x[POSES];
  const lb_placed below = lb_placed_make(b, lb_transform_identity());
  for (int i = 0; i < POSES; i++) {
    const lb_vec3 t = {turn.x + 1e-5 * noise(), turn.y + 1e-5 * noise(), turn.z + 1e-5 * noise()};
    const lb_vec3 p = {place.x + 1e-5 * noise(), place.y + 1e-5 * noise(),
                       place.z + 1e-5 * noise()};
    x[i] = lb_placed_make(a, (lb_transform){lb_quat_exp(t), p});
  }
  lb_pair_cache cache = {0};
  lb_manifold m;
  double best = INFINITY;
  int points = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    const double start = now();
    for (int k = 0; k < ROUNDS * POSES; k++) {
      points = lb_collide(&x[k % POSES], &below, MARGIN, &cache, &m, 1).nmanifold ? m.npoint : 0;
    }
    best = fmin(best, (now() - start) / (ROUNDS * POSES));
  }
  printf("%-28s %6.3f us %d points\n", name, 1e6 * best, points);
}

static void time_pairs(lb_arena* arena) {
  const lb_collider box = make(arena, LB_COLLIDER_BOX, 1, 1, 1);
  const lb_collider drum = make(arena, LB_COLLIDER_CYLINDER, 0.5, 1, 0);
  const lb_collider capsule = make(arena, LB_COLLIDER_CAPSULE, 0.5, 1, 0);
  const lb_collider egg = make(arena, LB_COLLIDER_ELLIPSOID, 0.5, 0.6, 0.7);
  const lb_collider ball = make(arena, LB_COLLIDER_SPHERE, 0.5, 0, 0);
  const lb_collider hull = make(arena, LB_COLLIDER_CONVEX, 0.3, 0.3, 0.3);
  const lb_collider plane = make(arena, LB_COLLIDER_PLANE, 0, 0, 0);
  const lb_vec3 turned = {0, 0, 0.3}, lying = {M_PI / 2, 0, 0};
  time_pair("box on box", &box, &box, turned, (lb_vec3){0.2, 0, 0.9999});
  time_pair("box above box", &box, &box, turned, (lb_vec3){0.2, 0, 1.3});
  time_pair("box on plane", &box, &plane, turned, (lb_vec3){0, 0, 0.4999});
  time_pair("sphere on box", &ball, &box, turned, (lb_vec3){0.2, 0, 0.9999});
  time_pair("capsule lying on box", &capsule, &box, lying, (lb_vec3){0, 0, 0.9999});
  time_pair("capsule on capsule", &capsule, &capsule, lying, (lb_vec3){0, 0, 1.4999});
  time_pair("cylinder on box", &drum, &box, turned, (lb_vec3){0.2, 0, 0.9999});
  time_pair("cylinder on cylinder", &drum, &drum, turned, (lb_vec3){0.2, 0, 0.9999});
  time_pair("ellipsoid on box", &egg, &box, turned, (lb_vec3){0.2, 0, 1.1999});
  time_pair("ellipsoid on ellipsoid", &egg, &egg, turned, (lb_vec3){0, 0, 1.3999});
  time_pair("hull on box", &hull, &box, turned, (lb_vec3){0.2, 0, 0.98});
  time_pair("hull on hull", &hull, &hull, turned, (lb_vec3){0, 0, 0.97});
}

// Five layers of twenty boxes, turned a little and nearly touching sideways.
static void time_pile(lb_arena* arena) {
  static lb_pair_cache cache[BOXES * BOXES];
  const lb_collider box = make(arena, LB_COLLIDER_BOX, 0.1, 0.1, 0.1);
  lb_placed x[BOXES];
  lb_broad* broad;
  if (lb_broad_create(5e-3, NULL, &broad) != LB_OK) {
    abort();
  }
  for (int i = 0; i < BOXES; i++) {
    const int column = i / 5, layer = i % 5;
    const lb_vec3 turn = {1e-3 * noise(), 1e-3 * noise(), 0.1 * noise()};
    const lb_vec3 p = {0.103 * (column % 5) + 5e-3 * noise(), 0.103 * (column / 5) + 5e-3 * noise(),
                       0.0999 * layer};
    int id;
    x[i] = lb_placed_make(&box, (lb_transform){lb_quat_exp(turn), p});
    lb_broad_insert(broad, lb_bounds_grow(lb_placed_bounds(&x[i]), MARGIN / 2), &id);
  }
  double wide = INFINITY, narrow = INFINITY;
  int npair = 0, touching = 0, points = 0;
  for (int step = 0; step < STEPS; step++) {
    const lb_broad_pair* pair;
    const double start = now();
    for (int i = 0; i < BOXES; i++) {
      lb_broad_move(broad, i, lb_bounds_grow(lb_placed_bounds(&x[i]), MARGIN / 2), (lb_vec3){0});
    }
    lb_broad_update(broad, 1, &pair, &npair);
    const double middle = now();
    touching = points = 0;
    for (int i = 0; i < npair; i++) {
      lb_manifold m;
      const lb_placed *a = &x[pair[i].a], *b = &x[pair[i].b];
      if (lb_collide(a, b, MARGIN, &cache[i], &m, 1).nmanifold) {
        touching++;
        points += m.npoint;
      }
    }
    wide = fmin(wide, middle - start);
    narrow = fmin(narrow, now() - middle);
  }
  printf("pile of %d boxes: %d pairs near, %d touch in %d points; broad phase %.1f us, narrow %.1f "
         "us\n",
         BOXES, npair, touching, points, 1e6 * wide, 1e6 * narrow);
  lb_broad_release(broad);
}

int main(void) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  time_pairs(&arena);
  time_pile(&arena);
  lb_arena_release(&arena);
  return 0;
}
