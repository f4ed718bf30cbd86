// Triangle mesh: each of its triangles counts. Where it is closed, points inside have a negative
// distance.
#include "geom/collide/bounds.h"
#include "geom/collide/collider_parts.h"
#include "geom/collide/ray_triangle.h"
#include "geom/collide/trimesh.h"

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  c->mesh = LB_TAKE(arena, lb_trimesh, 1);
  lb_status status = lb_arena_check(arena, "a mesh collider", err);
  status = status == LB_OK ? lb_trimesh_make(def->mesh, def->size, arena, c->mesh, err) : status;
  if (status == LB_OK) {
    c->box = lb_trimesh_bounds(c->mesh);
    c->size = lb_vec3_norm(lb_vec3_sub(c->box.high, c->box.low)) / 2;
  }
  return status;
}

static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  lb_mesh_foot foot;
  if (!lb_trimesh_nearest(c->mesh, x, INFINITY, &foot)) {
    *gradient = (lb_vec3){0, 0, 1};
    return INFINITY;
  }
  *gradient = foot.normal;
  return foot.distance;
}

static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  enum { DEPTH = 64 };
  const lb_trimesh* m = c->mesh;
  int stack[DEPTH], n = 1;
  lb_ray left = *r;
  bool found = false;
  stack[0] = 0;
  while (n > 0) {
    const lb_trimesh_node* node = &m->node[stack[--n]];
    if (!lb_bounds_ray(&node->box, r->origin, r->direction, left.most)) {
      continue;
    }
    for (int k = 0; k < node->count; k++) {
      const int f = m->order[node->first + k], *v = &m->face[3 * f];
      const lb_vec3 t[3] = {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]};
      if (lb_ray_triangle(&left, t, m->normal[f], hit)) {
        hit->piece = f;
        left.most = hit->t;
        found = true;
      }
    }
    if (node->count == 0) {
      stack[n++] = node->first + 1;
      stack[n++] = node->first;
    }
  }
  return found;
}

static void pieces(const lb_collider* c, const lb_bounds* box, lb_piece_visit visit,
                   void* context) {
  lb_trimesh_pieces(c->mesh, box, visit, context);
}

const lb_collider_kind lb_collider_mesh = {
    .name = "mesh", .make = make, .nsize = 3, .point = point, .ray = ray, .pieces = pieces};
