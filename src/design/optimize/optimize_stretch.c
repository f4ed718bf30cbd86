// A deformable on a body that gets longer: nodes that are fastened to it move along it, each by its
// own reach, so that unlike what stands on slides (optimize_slide.c) they are moved in the model
// itself. With e the change of a node's place in its link, in the world's axes, and w the link's
// angular velocity, its place changes by e and its velocity by w x e. For velocities mu, which move
// nodes with z and turn the link with t, the forces F of the nodes and their masses m give
//
//   -mu'dr = sum over all nodes z.dF + sum over those on the body (t x e).F - the power of their
//            bulk's change, (0, m e, m (e x' + x e'))
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_point.h"
#include "dynamics/force/particles.h"
#include "math/linear/dense.h"

// Is it a node of a deformable that is fastened to the body of a length?
static bool moves_along(const lb_model* m, int particle, const lb_block* b) {
  const lb_model_particle* n = &m->particle[particle];
  return n->link != LB_PARTICLE_FREE && n->body == b->p->index && m->ndeformable > 0 &&
         particle >= m->deformable[0].first_particle;
}

lb_vec3 lb_stretch_reach(const lb_optimizing* o, const lb_block* b, lb_vec3 in_body) {
  const lb_vec3 arm = lb_vec3_sub(in_body, lb_body_root(&o->given, b->p->index));
  return lb_vec3_scale(lb_vec3_dot(b->p->along, arm), b->p->along);
}

// That of a node as the scene has it, in its link.
static lb_v4 reach_of(const lb_optimizing* o, const lb_model* m, const lb_block* b, int particle) {
  const int body = m->particle[particle].body;
  const lb_quat turn = m->body_in_link[body].q;
  return lb_v4_from(
      lb_quat_rotate(turn, lb_stretch_reach(o, b, o->tree->particle[particle].in_body)));
}

static lb_bulk point_mass(double m, lb_v4 x) {
  lb_bulk b = {.m = m, .h = x * m};
  lb_m3_add_outer(&b.E, m, x, x);
  return b;
}

void lb_stretch_put(const lb_optimizing* o, lb_model* m, const lb_block* b, double f) {
  for (int i = 0; i < m->nparticle; i++) {
    lb_model_particle* n = &m->particle[i];
    if (!moves_along(m, i, b)) {
      continue;
    }
    const lb_v4 was = lb_v4_from(n->at), now = was + reach_of(o, m, b, i) * (f - 1);
    n->at = lb_v4_vec3(now);
    n->in_body = lb_vec3_add(n->in_body, lb_vec3_scale(f - 1, lb_stretch_reach(o, b, n->in_body)));
    if (n->link != LB_WORLD) {
      const lb_bulk before = point_mass(n->mass, was), after = point_mass(n->mass, now);
      lb_link_add_bulk(&m->link[n->link], -1, &before);
      lb_link_add_bulk(&m->link[n->link], 1, &after);
    }
  }
}

// How all nodes move with the length, [3 * nnode] each: places and velocities; f are the forces
// there.
typedef struct stretch {
  double *z, *zd;
  double *f, *y;
} stretch;

static double node_power(const lb_optimizing* o, const lb_model* m, lb_data* d, const lb_block* b,
                         int i, lb_motion by, const stretch* s) {
  const lb_model_particle* n = &m->particle[i];
  const lb_state* link = &d->work->state[n->link];
  const lb_v4 in_link = reach_of(o, m, b, i), at = lb_v4_from(n->at);
  const lb_v4 e = lb_m3_apply(link->R, in_link);
  lb_v4_store(s->z + 3 * i, e);
  lb_v4_store(s->zd + 3 * i, lb_v4_cross(link->w, e));
  lb_bulk change = {.m = 0, .h = in_link * n->mass};
  lb_m3_add_outer(&change.E, n->mass, in_link, at);
  lb_m3_add_outer(&change.E, n->mass, at, in_link);
  return lb_v4_dot(lb_v4_cross(by.w, e), lb_v4_load(s->f + 3 * i)) -
         lb_bulk_power(&change, link, by);
}

double lb_stretch_power(const lb_optimizing* o, const lb_model* m, const lb_derivatives* D,
                        lb_data* d, const lb_block* b, bool impact, const lb_stretch_room* room,
                        const double* mu, const double* z) {
  const size_t n = 3 * (size_t)m->nparticle;
  double* at = room->particles;
  const stretch s = {at, at + n, at + 2 * n, at + 3 * n};
  const int link = m->body_link[b->p->index];
  double sum = 0;
  lb_motion by = lb_motion_zero();
  lb_derive_point(D, room->S, NULL, link, lb_v4_zero());
  for (int k = 0; k < D->model->nv; k++) {
    by = lb_motion_add(by, lb_motion_scale(mu[k], room->S[k]));
  }
  memset(at, 0, 3 * n * sizeof *at);
  if (!impact) {
    lb_particles_pull(m, d->work->particles);
    memcpy(s.f, d->work->particles->f, n * sizeof *s.f);
  }
  for (int i = 0; i < m->nparticle; i++) {
    sum += moves_along(m, i, b) ? node_power(o, m, d, b, i, by, &s) : 0;
  }
  if (!impact) {
    lb_particles_change(m, d->work->particles, s.y, s.z, s.zd);
    sum -= lb_dot((int)n, z, s.y);
  }
  return sum;
}
