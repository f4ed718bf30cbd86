#include "model/use/model_extent.h"

#include "geom/shape/shape.h"
#include "math/space/box.h"
#include "model/use/link.h"

static bool is_free(const lb_model_particle* p) {
  return p->link == LB_PARTICLE_FREE;
}

static bool anything_moves(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->nbody && !any; i++) {
    any = lb_body_moves(m, i);
  }
  for (int i = 0; i < m->particles.nparticle && !any; i++) {
    any = is_free(&m->particles.particle[i]);
  }
  return any;
}

lb_extent lb_model_extent(const lb_model* m, const lb_transform* pose, const double* q) {
  const bool all = !anything_moves(m);
  lb_box b = lb_box_empty();
  for (int i = 0; i < m->nbody; i++) {
    if (all || lb_body_moves(m, i)) {
      lb_box_include(&b, pose[i].p, 0);
    }
  }
  for (int i = 0; i < m->look.nshape; i++) {
    const lb_model_shape* s = &m->look.shape[i];
    const lb_ball ball = lb_shape_ball(&s->shape);
    if (s->body != LB_WORLD && (all || lb_body_moves(m, s->body))) {
      const lb_vec3 at = lb_transform_point(s->pose, ball.centre);
      lb_box_include(&b, lb_transform_point(pose[s->body], at), ball.radius);
    }
  }
  for (int e = 0; e < m->elastic.count; e++) {
    const lb_model_elastic* body = &m->elastic.body[e];
    for (int i = 0; i < body->surface.nvertex; i++) {
      lb_box_include(&b, lb_transform_point(pose[body->body], body->surface.vertex[i]), 0);
    }
  }
  for (int i = 0; i < m->particles.nparticle; i++) {
    const lb_model_particle* p = &m->particles.particle[i];
    if (is_free(p)) {
      lb_box_include(&b, lb_vec3_make(q[p->q], q[p->q + 1], q[p->q + 2]), 0);
    }
  }
  return lb_box_is_empty(&b) ? (lb_extent){0} : (lb_extent){lb_box_centre(&b), lb_box_radius(&b)};
}
