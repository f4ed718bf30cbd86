// Starts of ropes and deformables. They are made where the scene has the bodies: rest lengths,
// masses and what is fastened where stay so, whatever numbers do. What is fastened starts where its
// body is, and free particles are carried along: with p_e(q) points of links and weights w_e,
//
//   x(q) = x(q0) + sum_e w_e (p_e(q) - p_e(q0))
//
// where q0 is how the scene starts. Of a rope they are the two points that a node is between, by
// how far it is on the way; those of deformables are the node's own place in each of the bodies
// that it is fastened to, by 1 / d^2 with the distance d from the nodes that are fastened to it. So
// a deformable on bodies that all move alike moves with them.
#include <math.h>

#include "design/optimize/optimization.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/fem/fem.h"
#include "model/use/initial_pose.h"

// --- what carries nodes ---

static void add(lb_optimizing* o, lb_carrying c) {
  lb_carrying* more = LB_GROW(&o->arena, o->carrying, o->ncarrying, &o->most_carrying);
  if (more) {
    o->carrying = more;
    c.from = lb_force_point_find(o->rest->work, &c.at).at;
    more[o->ncarrying++] = c;
  }
}

// Free points start where the scene says, in the world.
static void carry_between(lb_optimizing* o, int node, int end, double weight) {
  const lb_model_particle* n = &o->tree->particles.particle[end];
  const lb_anchor at = {n->link, {lb_quat_identity(), n->at}};
  if (n->link >= 0) {
    add(o, (lb_carrying){.node = node, .at = at, .weight = weight});
  }
}

static void find_rope(lb_optimizing* o, const lb_model_rope* rope) {
  for (int k = 0, first = rope->first_particle; k < rope->nway; first += rope->share[k++]) {
    const int count = rope->share[k];
    for (int i = 1; i < count; i++) {
      carry_between(o, first + i, first, 1 - (double)i / count);
      carry_between(o, first + i, first + count, (double)i / count);
    }
  }
}

static lb_vec3 place(const lb_optimizing* o, int node) {
  const double* q = o->q0 + o->tree->particles.particle[node].q;
  return lb_vec3_make(q[0], q[1], q[2]);
}

// 1 / d^2 from the nodes of deformables that are fastened to a body, in the reference
// configuration.
static double nearness(const lb_model* m, const lb_model_deformable* deformable, int node,
                       int body) {
  const lb_vec3* X = deformable->fem->node - deformable->first_particle;
  double least = (double)INFINITY;
  for (int i = deformable->first_particle; i < deformable->first_particle + deformable->nparticle;
       i++) {
    if (m->particles.particle[i].link != LB_PARTICLE_FREE &&
        m->particles.particle[i].body == body) {
      const lb_vec3 way = lb_vec3_sub(X[i], X[node]);
      least = fmin(least, lb_vec3_dot(way, way));
    }
  }
  return 1 / least;
}

// A node's own place in a body.
static lb_carrying carried_by(const lb_optimizing* o, int node, int body, double weight) {
  const int link = o->tree->body.link[body];
  const lb_state* at = &o->rest->work->state[link];
  const lb_vec3 in_link =
      lb_v4_vec3(lb_m3_apply_transposed(at->R, lb_v4_from(place(o, node)) - at->p));
  return (lb_carrying){.node = node, .at = {link, {lb_quat_identity(), in_link}}, .weight = weight};
}

static void carry_deformable(lb_optimizing* o, const lb_scene_deformable* s,
                             const lb_model_deformable* deformable, int node) {
  const lb_model* m = o->tree;
  double sum = 0;
  for (int k = 0; k < s->nbody; k++) {
    sum += nearness(m, deformable, node, s->body[k]);
  }
  for (int k = 0; k < s->nbody; k++) {
    add(o, carried_by(o, node, s->body[k], nearness(m, deformable, node, s->body[k]) / sum));
  }
}

void lb_made_find(lb_optimizing* o) {
  const lb_model* m = o->tree;
  lb_kinematics(m, o->rest, o->rest->q, o->rest->qd);
  for (int i = 0; i < m->particles.nrope; i++) {
    find_rope(o, &m->particles.rope[i]);
  }
  for (int i = 0; i < m->particles.ndeformable; i++) {
    const lb_model_deformable* deformable = &m->particles.deformable[i];
    const int first = deformable->first_particle;
    for (int k = first; k < first + deformable->nparticle; k++) {
      if (m->particles.particle[k].link == LB_PARTICLE_FREE) {
        carry_deformable(o, &o->given.deformable[i], deformable, k);
      }
    }
  }
}

// --- where they start ---

void lb_made_start(const lb_optimizing* o, const lb_played* m, lb_data* d) {
  lb_kinematics(m->tree, d, d->q, d->qd);
  for (int i = 0; i < o->ncarrying; i++) {
    const lb_carrying* c = &o->carrying[i];
    const lb_force_point p = lb_force_point_find(d->work, &c->at);
    lb_v4_add_to(d->q + m->tree->particles.particle[c->node].q, (p.at - c->from) * c->weight);
  }
}

void lb_made_pull(const lb_optimizing* o, const lb_derivatives* D, lb_data* d, lb_motion* S,
                  lb_start_slopes* by) {
  for (int i = 0; i < o->ncarrying; i++) {
    const lb_carrying* c = &o->carrying[i];
    const lb_v4 off = lb_v4_load(by->tree_q + o->tree->particles.particle[c->node].v) * c->weight;
    const lb_force_point p = lb_force_point_find(d->work, &c->at);
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < D->model->nv; k++) {
      by->tree_q[k] += lb_v4_dot(S[k].v, off);
    }
  }
}

// --- into scenes ---

static const lb_vec3* write_nodes(lb_optimizing* o, const lb_model* m, const lb_data* d, int first,
                                  int count) {
  lb_vec3* to = LB_TAKE(&o->arena, lb_vec3, count);
  for (int i = 0; to && i < count; i++) {
    const lb_model_particle* node = &m->particles.particle[first + i];
    const double* q = d->q + node->q;
    to[i] = node->link == LB_PARTICLE_FREE ? lb_vec3_make(q[0], q[1], q[2]) : (lb_vec3){0};
  }
  return to;
}

static bool write_rope(lb_optimizing* o, const lb_model* m, const lb_data* d, int i,
                       lb_scene_rope* s) {
  const lb_model_rope* rope = &m->particles.rope[i];
  double* length = LB_TAKE(&o->arena, double, rope->nparticle - 1);
  for (int k = 0; length && k < rope->nparticle - 1; k++) {
    length[k] = o->tree->particles.segment[rope->first_segment + k].length / o->given.rope[i].slack;
  }
  s->share = rope->share;
  s->length = length;
  s->start = write_nodes(o, m, d, rope->first_particle, rope->nparticle);
  return s->length && s->start;
}

static bool write_deformable(lb_optimizing* o, const lb_model* m, const lb_data* d, int i,
                             lb_scene_deformable* s) {
  const lb_model_deformable* deformable = &m->particles.deformable[i];
  lb_scene_rope_point* to = LB_TAKE(&o->arena, lb_scene_rope_point, deformable->nparticle);
  for (int k = 0; to && k < deformable->nparticle; k++) {
    const lb_model_particle* node = &m->particles.particle[deformable->first_particle + k];
    const double* q = d->q + node->q;
    to[k] = node->link == LB_PARTICLE_FREE
                ? (lb_scene_rope_point){true, LB_WORLD, lb_vec3_make(q[0], q[1], q[2])}
                : (lb_scene_rope_point){false, node->body, node->in_body};
  }
  s->node = to;
  return to != NULL;
}

bool lb_made_write(lb_optimizing* o, const lb_model* tree, const lb_data* d, lb_scene* s) {
  bool ok = true;
  for (int i = 0; i < s->nrope && ok; i++) {
    ok = write_rope(o, tree, d, i, &s->rope[i]);
  }
  for (int i = 0; i < s->ndeformable && ok; i++) {
    ok = write_deformable(o, tree, d, i, &s->deformable[i]);
  }
  return ok;
}
