// Convex hull of a mesh's vertices.
#include "geom/collide/closest.h"
#include "geom/collide/collider_parts.h"
#include "geom/collide/hull.h"

// Points about the hull's middle would change its frame, so tolerances go by its width instead.
static double least_width(const lb_hull* h) {
  double least = INFINITY;
  for (int f = 0; f < h->nface; f++) {
    const int far = lb_hull_farthest(h, lb_vec3_neg(h->normal[f]));
    least = fmin(least, h->offset[f] - lb_vec3_dot(h->normal[f], h->vertex[far]));
  }
  return least;
}

static lb_status make(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err) {
  const lb_mesh* mesh = def->mesh;
  lb_hull* h = LB_TAKE(arena, lb_hull, 1);
  lb_vec3* x = LB_TAKE(arena, lb_vec3, mesh->nvertex);
  if (lb_arena_status(arena) != LB_OK) {
    return lb_arena_check(arena, "a convex collider", err);
  }
  for (int i = 0; i < mesh->nvertex; i++) {
    const lb_vec3 v = mesh->vertex[i];
    x[i] = lb_vec3_make(def->size.x * v.x, def->size.y * v.y, def->size.z * v.z);
  }
  const lb_status status = lb_hull_make(mesh->nvertex, x, arena, h, err);
  if (status == LB_OK) {
    const lb_mesh hull = {.nvertex = h->nvertex, .vertex = h->vertex};
    lb_mesh_bounds(&hull, &c->box.low, &c->box.high);
    c->hull = h;
    c->size = least_width(h) / 2;
  }
  return status;
}

static lb_vec3 support(const lb_collider* c, lb_vec3 d) {
  return c->hull->vertex[lb_hull_farthest(c->hull, d)];
}

// The face at the farthest vertex whose normal is nearest to d. A face of more corners than a
// feature holds loses some, evenly.
static void feature(const lb_collider* c, lb_vec3 d, lb_feature* f) {
  const lb_hull* h = c->hull;
  const int v = lb_hull_farthest(h, d);
  double most = -INFINITY;
  for (int k = h->face_first[v]; k < h->face_first[v + 1]; k++) {
    const double s = lb_vec3_dot(h->normal[h->face_at[k]], d);
    f->id = s > most ? h->face_at[k] : f->id;
    most = s > most ? s : most;
  }
  const int first = h->first[f->id], n = h->first[f->id + 1] - first;
  f->n = n < LB_FEATURE_MOST ? n : LB_FEATURE_MOST;
  f->normal = h->normal[f->id];
  for (int k = 0; k < f->n; k++) {
    const int i = h->loop[first + (int)((long)k * n / f->n)];
    f->v[k] = h->vertex[i];
    f->vid[k] = (uint16_t)i;
  }
}

// Inside: to the nearest face. Outside: to the nearest of the faces that see the point.
static double point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient) {
  const lb_hull* h = c->hull;
  double inside = -INFINITY, least = INFINITY;
  lb_vec3 foot = x;
  for (int f = 0; f < h->nface; f++) {
    const double s = lb_vec3_dot(h->normal[f], x) - h->offset[f];
    if (s > inside) {
      inside = s;
      *gradient = h->normal[f];
    }
    const int* v = &h->loop[h->first[f]];
    for (int k = 1; s > 0 && k + 1 < h->first[f + 1] - h->first[f]; k++) {
      const lb_vec3 t[3] = {h->vertex[v[0]], h->vertex[v[k]], h->vertex[v[k + 1]]};
      const lb_vec3 p = lb_closest_on_triangle(x, t).point;
      const double d = lb_vec3_norm(lb_vec3_sub(x, p));
      foot = d < least ? p : foot;
      least = fmin(d, least);
    }
  }
  if (inside <= 0) {
    return inside;
  }
  *gradient = lb_vec3_unit_or(lb_vec3_sub(x, foot), *gradient);
  return least;
}

// The latest entry into the half spaces of the faces.
static bool ray(const lb_collider* c, const lb_ray* r, lb_ray_hit* hit) {
  const lb_hull* h = c->hull;
  double enter = -INFINITY, leave = INFINITY;
  int face = 0;
  for (int f = 0; f < h->nface; f++) {
    const double above = lb_vec3_dot(h->normal[f], r->origin) - h->offset[f];
    const double speed = lb_vec3_dot(h->normal[f], r->direction), t = -above / speed;
    if (speed == 0 && above > 0) {
      return false;
    }
    if (speed < 0 && t > enter) {
      enter = t;
      face = f;
    }
    leave = speed > 0 ? fmin(leave, t) : leave;
  }
  if (enter > leave || leave < 0) {
    return false;
  }
  return enter <= 0 ? lb_ray_from_inside(r, hit) : lb_ray_take(r, enter, h->normal[face], hit);
}

const lb_collider_kind lb_collider_convex = {.name = "convex",
                                             .make = make,
                                             .nsize = 3,
                                             .polygons = true,
                                             .support = support,
                                             .feature = feature,
                                             .point = point,
                                             .ray = ray};
