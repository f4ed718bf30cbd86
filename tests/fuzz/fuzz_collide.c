// Fuzzing of collisions: meshes and hulls from any bytes, at any poses.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "geom/collide/collide.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void expect(bool holds) {
  if (!holds) {
    abort();
  }
}

typedef struct bytes {
  const uint8_t* data;
  size_t left;
} bytes;

static int next(bytes* b) {
  if (b->left == 0) {
    return 0;
  }
  b->left--;
  return *b->data++;
}

// Coarse numbers, so that points coincide and lie in planes often.
static double number(bytes* b) {
  return (next(b) - 128) / 16.0;
}

static lb_transform pose(bytes* b) {
  const lb_quat q = {number(b), number(b), number(b), number(b)};
  const lb_vec3 p = {number(b) / 4, number(b) / 4, number(b) / 4};
  return (lb_transform){lb_quat_normalise(q), p};
}

enum { VERTICES = 24, FACES = 32, ROOM = 8 };

// A collider of some kind; false: the bytes make none.
static bool make(bytes* b, lb_arena* arena, lb_collider* out) {
  static const lb_collider_type kind[] = {
      LB_COLLIDER_CONVEX,    LB_COLLIDER_MESH,    LB_COLLIDER_BOX,     LB_COLLIDER_CYLINDER,
      LB_COLLIDER_ELLIPSOID, LB_COLLIDER_CAPSULE, LB_COLLIDER_HEIGHTS, LB_COLLIDER_PLANE};
  lb_vec3 vertex[VERTICES];
  int face[3 * FACES];
  double height[VERTICES];
  lb_mesh mesh = {1 + next(b) % VERTICES, 1 + next(b) % FACES, vertex, face};
  lb_collider_def def = {.type = kind[next(b) % 8], .mesh = &mesh};
  def.size = lb_vec3_make(number(b), number(b), number(b));
  for (int i = 0; i < mesh.nvertex; i++) {
    vertex[i] = lb_vec3_make(number(b), number(b), number(b));
    height[i] = vertex[i].z;
  }
  for (int i = 0; i < 3 * mesh.nface; i++) {
    face[i] = next(b) % mesh.nvertex;
  }
  def.grid = (lb_height_grid){2, mesh.nvertex / 2, def.size.x, def.size.y, height};
  return lb_collider_make(&def, arena, out, NULL) == LB_OK;
}

static void check_manifolds(int n, const lb_manifold* m) {
  for (int i = 0; i < n && i < ROOM; i++) {
    expect(m[i].npoint > 0 && m[i].npoint <= LB_MANIFOLD_MOST);
    expect(fabs(lb_vec3_norm(m[i].normal) - 1) < 1e-6);
    for (int k = 0; k < m[i].npoint; k++) {
      expect(isfinite(m[i].point[k].distance) && isfinite(m[i].point[k].position.x));
    }
  }
}

static void collide(bytes* b, const lb_collider* x, const lb_collider* y) {
  const lb_transform X = pose(b), Y = pose(b);
  const lb_placed p = lb_placed_make(x, X), q = lb_placed_make(y, Y);
  lb_manifold m[ROOM];
  const lb_collide_report r = lb_collide(&p, &q, fabs(number(b)) / 8, NULL, m, ROOM);
  if (r.outcome != LB_COLLIDE_REFUSED) {
    check_manifolds(r.nmanifold, m);
    expect(!isnan(lb_separate(&p, &q).distance));
  }
  const lb_ray ray = {{number(b), number(b), number(b)}, {number(b), number(b), number(b)}, 10};
  lb_ray_hit hit;
  if (lb_collide_ray(x, X, &ray, &hit)) {
    expect(hit.t >= 0 && hit.t <= 10);
  }
  const lb_collide_motion still = {.X = X};
  const lb_collide_motion move = {
      Y, {number(b), number(b), number(b)}, {number(b), number(b), number(b)}};
  const lb_impact i = lb_collide_impact(x, &still, y, &move, 0.1, 1e-4);
  expect(i.time >= 0 && i.time <= 0.1);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bytes b = {data, size};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_collider x, y;
  if (make(&b, &arena, &x) && make(&b, &arena, &y)) {
    collide(&b, &x, &y);
  }
  lb_arena_release(&arena);
  return 0;
}
