// Contact of deformable surfaces with colliders.
#include "geom/collide/surface_contact.h"

#include "geom/collide/bounds.h"
#include "geom/collide/closest.h"
#include "geom/collide/hull.h"
#include "geom/collide/trimesh.h"

int lb_collide_points(const lb_placed* c, int n, const lb_vec3* x, const double* radius,
                      double margin, lb_point_contact* out, int room) {
  const lb_bounds box = lb_bounds_grow(lb_placed_bounds(c), margin);
  int count = 0;
  for (int i = 0; i < n; i++) {
    const double r = radius ? radius[i] : 0;
    const lb_bounds own = lb_bounds_grow((lb_bounds){x[i], x[i]}, r);
    lb_vec3 gradient;
    if (!lb_bounds_meet(&own, &box)) { // also points that are not finite
      continue;
    }
    const double d = lb_collider_point(c->c, lb_placed_inverse(c, x[i]), &gradient) - r;
    if (d > margin) {
      continue;
    }
    if (count < room) {
      const lb_vec3 normal = lb_mat3_apply(c->R, gradient);
      out[count] = (lb_point_contact){i, d, normal, lb_vec3_along(x[i], -(r + d / 2), normal)};
    }
    count++;
  }
  return count;
}

// --- points of the collider ---

typedef struct meeting {
  const lb_placed* c;
  const lb_collider* surface;
  double margin, depth;
  lb_triangle_contact* out;
  int room, count;
} meeting;

// A point of the core at x in the world, at distance d of a face along its outward normal.
static void add(meeting* s, lb_triangle_contact contact, lb_vec3 x, double d, lb_vec3 outward) {
  const double r = s->c->c->radius;
  contact.distance = d - r;
  if (contact.distance > s->margin || contact.distance < -s->depth) {
    return;
  }
  contact.normal = lb_vec3_neg(outward);
  contact.position = lb_vec3_along(x, -(r + contact.distance / 2), outward);
  if (s->count < s->room) {
    s->out[s->count] = contact;
  }
  s->count++;
}

static void meet_corner(meeting* s, int point, lb_vec3 corner) {
  const lb_vec3 x = lb_placed_point(s->c, corner);
  const double r = s->c->c->radius;
  lb_mesh_foot foot;
  if (lb_trimesh_nearest(s->surface->mesh, x, fmax(s->margin, s->depth) + r, &foot)) {
    const lb_triangle_contact contact = {
        .point = point,
        .face = foot.face,
        .weight = {foot.weight[0], foot.weight[1], foot.weight[2]}};
    add(s, contact, x, foot.distance, foot.normal);
  }
}

// The deepest point of a round collider against one face, where that is above or below it.
static bool meet_face(void* context, const lb_piece* p) {
  meeting* s = context;
  const lb_collider_kind* kind = lb_collider_kind_of(s->c->c);
  const lb_vec3 down = lb_vec3_neg(lb_mat3_apply_transposed(s->c->R, p->normal));
  const lb_vec3 x = lb_placed_point(s->c, kind->support(s->c->c, down));
  const double d = lb_vec3_dot(p->normal, lb_vec3_sub(x, p->v[0]));
  const lb_foot foot = lb_closest_on_triangle(x, p->v);
  const lb_vec3 aside = lb_vec3_sub(lb_vec3_along(x, -d, p->normal), foot.point);
  const bool within = lb_vec3_norm(aside) <= 1e-12 * (1 + lb_vec3_norm(x));
  if (within && lb_vec3_dot(p->normal, p->normal) > 0) {
    const lb_triangle_contact contact = {
        .face = p->id, .weight = {foot.weight[0], foot.weight[1], foot.weight[2]}};
    add(s, contact, x, d, p->normal);
  }
  return true;
}

static int corners_of(const lb_collider* c, const lb_vec3** many, lb_vec3 few[8]) {
  if (c->hull) {
    *many = c->hull->vertex;
    return c->hull->nvertex;
  }
  if (c->mesh) {
    *many = c->mesh->vertex;
    return c->mesh->nvertex;
  }
  // of boxes all eight; of capsules and spheres those that the zeros of their core leave
  int n = 0;
  for (int i = 0; i < 8; i++) {
    const lb_vec3 h = c->half;
    if (!((i & 1 && h.x == 0) || (i & 2 && h.y == 0) || (i & 4 && h.z == 0))) {
      few[n++] = lb_vec3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    }
  }
  *many = few;
  return n;
}

int lb_collide_triangles(const lb_placed* c, const lb_collider* surface, double margin,
                         double depth, lb_triangle_contact* out, int room) {
  meeting s = {
      .c = c, .surface = surface, .margin = margin, .depth = depth, .out = out, .room = room};
  const lb_collider_kind* kind = lb_collider_kind_of(c->c);
  const lb_bounds box = lb_bounds_grow(lb_placed_bounds(c), fmax(margin, depth));
  if (!surface->mesh || !lb_bounds_meet(&box, &surface->box)) {
    return 0;
  }
  if (kind->support && !kind->polygons) {
    lb_trimesh_pieces(surface->mesh, &box, meet_face, &s);
    return s.count;
  }
  if (!kind->support && !c->c->mesh) {
    return 0; // planes and height fields have no points of their own
  }
  lb_vec3 few[8];
  const lb_vec3* corner;
  const int n = corners_of(c->c, &corner, few);
  for (int i = 0; i < n; i++) {
    meet_corner(&s, i, corner[i]);
  }
  return s.count;
}
