// Flesh on a body that gets longer: nodes that are fastened to it move along it, each by its own
// reach, so that unlike what stands on slides (optimize_slide.c) they are moved in the model
// itself. With e the change of a node's place in its link, in the world's axes, and w the link's
// angular velocity, its place changes by e and its velocity by w x e. For velocities mu, which move
// nodes with z and turn the link with t, the forces F of the nodes and their masses m give
//
//   -mu'dr = sum over all nodes z.dF + sum over those on the body (t x e).F - the power of their
//            bulk's change, (0, m e, m (e x' + x e'))
//
// In linearly implicit steps F has what forces answer as well (dynamics/probe.h).
#include <string.h>

#include "design/optimize.h"
#include "dynamics/derivative.h"
#include "dynamics/nodes.h"
#include "dynamics/probe.h"
#include "math/dense.h"

// Is it a node of flesh that is fastened to the body of a length?
static bool moves_along(const lb_model* m, int node, const lb_block* b) {
  const lb_model_node* n = &m->node[node];
  return n->link != LB_NODE_FREE && n->body == b->p->index && m->nsoft > 0 &&
         node >= m->soft[0].first_node;
}

lb_vec3 lb_stretch_reach(const lb_optimizing* o, const lb_block* b, lb_vec3 in_body) {
  const lb_vec3 arm = lb_vec3_sub(in_body, lb_body_root(&o->given, b->p->index));
  return lb_vec3_scale(lb_vec3_dot(b->p->along, arm), b->p->along);
}

// That of a node as the scene has it, in its link.
static lb_v4 reach_of(const lb_optimizing* o, const lb_model* m, const lb_block* b, int node) {
  const int body = m->node[node].body;
  const lb_quat turn = m->body_in_link[body].q;
  return lb_v4_from(lb_quat_rotate(turn, lb_stretch_reach(o, b, o->tree->node[node].in_body)));
}

static lb_bulk point_mass(double m, lb_v4 x) {
  lb_bulk b = {.m = m, .h = x * m};
  lb_m3_add_outer(&b.E, m, x, x);
  return b;
}

void lb_stretch_put(const lb_optimizing* o, lb_model* m, const lb_block* b, double f) {
  for (int i = 0; i < m->nnode; i++) {
    lb_model_node* n = &m->node[i];
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

// How all nodes move with the length, [3 * nnode] each: places and velocities, and the motions that
// they answer in linearly implicit steps; f are the forces there.
typedef struct stretch {
  double *z, *zd, *X, *U;
  double *f, *y;
} stretch;

static double node_power(const lb_optimizing* o, const lb_model* m, lb_data* d, const lb_block* b,
                         int i, lb_motion by, const stretch* s) {
  const lb_model_node* n = &m->node[i];
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

// What acts on the nodes: their forces, and what these answer.
static void find_forces(const lb_model* m, const lb_nodes* nodes, const lb_step_answers* answers,
                        const stretch* s) {
  const int n = 3 * m->nnode;
  lb_nodes_pull(m, nodes);
  memcpy(s->f, nodes->f, (size_t)n * sizeof *s->f);
  if (answers->X) {
    lb_nodes_answer(m, nodes, s->y, 1, 0, answers->X);
    lb_add(n, s->f, -1, s->y);
    lb_nodes_answer(m, nodes, s->y, 0, 1, answers->U);
    lb_add(n, s->f, -1, s->y);
  }
}

// Minus the power of how they change, for velocities z.
static double change_power(const lb_model* m, const lb_nodes* nodes, const lb_step_answers* answers,
                           const stretch* s, const double* z) {
  const int n = 3 * m->nnode;
  lb_nodes_change(m, nodes, s->y, s->z, s->zd);
  double sum = lb_dot(n, z, s->y);
  if (answers->X) {
    lb_nodes_answer(m, nodes, s->y, 1, 0, s->X);
    sum += lb_dot(n, z, s->y);
    lb_nodes_answer(m, nodes, s->y, 0, 1, s->U);
    sum += lb_dot(n, z, s->y);
    memset(s->y, 0, (size_t)n * sizeof *s->y);
    lb_nodes_change_answer(m, nodes, s->y, answers->X, answers->U, s->z, false);
    sum += lb_dot(n, z, s->y);
  }
  return sum;
}

// A node that is e further out answers a motion that turns its link as a velocity does.
static void find_motions(const lb_model* m, const lb_derivatives* D, lb_data* d, int link,
                         const lb_step_answers* answers, const stretch* s) {
  const lb_anchor origin = {link, lb_transform_identity()};
  const lb_force_point p = lb_force_point_find(d->work, &origin);
  if (answers->probe && link != LB_WORLD) {
    const lb_probed at = lb_probe_point(answers->probe, D, p, NULL);
    for (int i = 0; i < 3 * m->nnode; i += 3) {
      const lb_v4 e = lb_v4_load(s->z + i);
      lb_v4_store(s->X + i, lb_v4_cross(at.X.w, e));
      lb_v4_store(s->U + i, lb_v4_cross(at.U.w, e));
    }
  }
}

double lb_stretch_power(const lb_optimizing* o, const lb_model* m, const lb_derivatives* D,
                        lb_data* d, const lb_block* b, bool impact, const lb_step_answers* answers,
                        const lb_stretch_room* room, const double* mu, const double* z) {
  const size_t n = 3 * (size_t)m->nnode;
  double* at = room->nodes;
  const stretch s = {at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + 5 * n};
  const int link = m->body_link[b->p->index];
  double sum = 0;
  lb_motion by = lb_motion_zero();
  lb_derive_point(D, room->S, NULL, link, lb_v4_zero());
  for (int k = 0; k < D->model->nv; k++) {
    by = lb_motion_add(by, lb_motion_scale(mu[k], room->S[k]));
  }
  memset(at, 0, 5 * n * sizeof *at);
  if (!impact) {
    find_forces(m, d->work->nodes, answers, &s);
  }
  for (int i = 0; i < m->nnode; i++) {
    sum += moves_along(m, i, b) ? node_power(o, m, d, b, i, by, &s) : 0;
  }
  find_motions(m, D, d, link, answers, &s);
  return impact ? sum : sum - change_power(m, d->work->nodes, answers, &s, z);
}
