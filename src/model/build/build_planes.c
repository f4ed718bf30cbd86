// Grounds and floors as something to draw: a slab under what may touch each plane, unless the scene
// has drawn one there. Planes of the scenery have no end; a part of them is drawn.
#include <math.h>

#include "geom/shape/shape.h"
#include "model/build/build.h"
#include "model/use/initial_pose.h"
#include "model/use/model_extent.h"

typedef struct plane {
  lb_vec3 n;
  double height; // along n
} plane;

// How far a shape of the world reaches above a plane; 0 where its top is in it.
static double top(lb_build* b, const lb_model_shape* s, plane p) {
  lb_ball ball[LB_CONTACTS_MOST];
  const int n = lb_shape_contacts(&s->shape, b->arena, ball);
  double most = -INFINITY;
  for (int i = 0; i < n; i++) {
    const lb_vec3 at = lb_transform_point(s->pose, ball[i].centre);
    most = fmax(most, lb_vec3_dot(p.n, at) + ball[i].radius - p.height);
  }
  return most;
}

static bool is_drawn(lb_build* b, plane p, double size) {
  static const double NEAR = 0.02;
  bool drawn = false;
  for (int i = 0; i < b->m->look.nshape; i++) {
    const lb_model_shape* s = &b->m->look.shape[i];
    drawn = drawn || (s->body == LB_WORLD && fabs(top(b, s, p)) < NEAR * size);
  }
  return drawn;
}

// A turn that takes z to n.
static lb_quat turn_to(lb_vec3 n) {
  const lb_vec3 z = {0, 0, 1}, axis = lb_vec3_cross(z, n);
  const double sine = lb_vec3_norm(axis);
  const double angle = atan2(sine, n.z);
  return sine > 0 ? lb_quat_exp(lb_vec3_scale(angle / sine, axis))
                  : (n.z > 0 ? lb_quat_identity() : (lb_quat){0, 1, 0, 0});
}

static void add_slab(lb_build* b, plane p, const lb_extent* r) {
  static const double WIDE = 4, THICK = 0.02; // of what moves
  lb_model* m = b->m;
  if (!(r->size > 0) || is_drawn(b, p, r->size)) {
    return;
  }
  const double thick = THICK * r->size;
  const double below = lb_vec3_dot(p.n, r->centre) - p.height + thick / 2;
  m->look.shape[m->look.nshape++] = (lb_model_shape){
      .body = LB_WORLD,
      .shape = {.type = LB_SHAPE_BOX, .size = {WIDE * r->size, WIDE * r->size, thick}},
      .pose = {turn_to(p.n), lb_vec3_sub(r->centre, lb_vec3_scale(below, p.n))},
      .material = b->scene->nmaterial};
}

// A plane is drawn about what moves, wide enough for what goes far.
static void size_plane(lb_model_shape* s, const lb_extent* r) {
  static const double WIDE = 30; // of what moves
  const lb_vec3 n = lb_quat_rotate(s->pose.q, lb_vec3_make(0, 0, 1));
  const double above = lb_vec3_dot(n, lb_vec3_sub(r->centre, s->pose.p));
  if (!(s->shape.size.x > 0)) {
    s->shape.size.x = r->size > 0 ? WIDE * r->size : 1;
    s->pose.p = lb_vec3_sub(r->centre, lb_vec3_scale(above, n));
  }
}

static void add_material(lb_model* m) {
  m->look.material[m->look.nmaterial] = lb_scene_material_default();
  m->look.material[m->look.nmaterial].name = "ground";
  m->look.material[m->look.nmaterial].roughness = 0.95;
  for (int k = 0; k < 4; k++) {
    m->look.material[m->look.nmaterial].color[k] = k < 3 ? 0.62 - 0.03 * k : 1;
  }
  m->look.nmaterial++;
}

lb_status lb_build_planes(lb_build* b) {
  lb_model* m = b->m;
  lb_transform* link = LB_TAKE(b->arena, lb_transform, m->nlink);
  lb_transform* body = LB_TAKE(b->arena, lb_transform, m->nbody);
  if (!link || !body) {
    return LB_NO_MEMORY;
  }
  lb_link_poses(m, link, m->start.q);
  for (int i = 0; i < m->nbody; i++) {
    body[i] = lb_body_pose(m, i, link);
  }
  const lb_extent r = lb_model_extent(m, body, m->start.q);
  const int before = m->look.nshape;
  for (int i = 0; i < before; i++) {
    if (m->look.shape[i].shape.type == LB_SHAPE_PLANE) {
      size_plane(&m->look.shape[i], &r);
    }
  }
  for (int i = 0; i < m->force.count; i++) {
    const lb_scene_force* f = &m->force.item[i].set;
    if (f->kind == LB_FORCE_GROUND) {
      add_slab(b, (plane){f->along, lb_vec3_dot(f->along, f->at)}, &r);
    }
  }
  for (int i = 0; i < b->scene->nconstraint; i++) {
    const lb_scene_constraint* k = &b->scene->constraint[i];
    const lb_vec3 n = lb_vec3_norm(k->normal) > 0 ? k->normal : lb_vec3_make(0, 0, 1);
    if (k->kind == LB_CONSTRAINT_FLOOR) {
      add_slab(b, (plane){n, k->height}, &r);
    }
  }
  if (m->look.nshape > before) {
    add_material(m);
  }
  return LB_OK;
}
