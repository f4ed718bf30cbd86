// Where strands and flesh start. They are made where the scene has the bodies: rest lengths, masses
// and what is fastened where stay so, whatever numbers do. What is fastened starts where its body
// is, and free nodes are carried along: with p_e(q) points of links and weights w_e,
//
//   x(q) = x(q0) + sum_e w_e (p_e(q) - p_e(q0))
//
// where q0 is how the scene starts. Of a strand they are the two points that a node is between, by
// how far it is on the way; those of flesh are the node's own place in each of the bodies that it
// is fastened to, by 1 / d^2 with the distance d from the nodes that are fastened to it. So flesh
// on bodies that all move alike moves with them.
#include <math.h>

#include "design/optimize.h"
#include "dynamics/derivative.h"
#include "dynamics/force_point.h"
#include "dynamics/kinematics.h"
#include "elastic/fem.h"
#include "model/pose.h"

// --- what carries nodes ---

static bool add(lb_optimizing* o, int node, lb_anchor at, double weight) {
  lb_carrying* more = LB_GROW(&o->arena, o->carrying, o->ncarrying, &o->most_carrying);
  if (!more) {
    return false;
  }
  o->carrying = more;
  const lb_force_point p = lb_force_point_find(o->rest->work, &at);
  more[o->ncarrying++] = (lb_carrying){.node = node, .at = at, .weight = weight, .from = p.at};
  return true;
}

// Free points start where the scene says, in the world.
static bool carry_between(lb_optimizing* o, int node, int end, double weight) {
  const lb_model_node* n = &o->tree->node[end];
  return n->link < 0 || add(o, node, (lb_anchor){n->link, {lb_quat_identity(), n->at}}, weight);
}

static bool find_strand(lb_optimizing* o, const lb_model_strand* strand) {
  bool ok = true;
  for (int k = 0, first = strand->first_node; k < strand->nway; first += strand->share[k++]) {
    const int count = strand->share[k];
    for (int i = 1; i < count && ok; i++) {
      ok = carry_between(o, first + i, first, 1 - (double)i / count) &&
           carry_between(o, first + i, first + count, (double)i / count);
    }
  }
  return ok;
}

static lb_vec3 place(const lb_optimizing* o, int node) {
  const double* q = o->q0 + o->tree->node[node].q;
  return lb_vec3_make(q[0], q[1], q[2]);
}

// 1 / d^2 from the nodes of flesh that are fastened to a body, as the mesh has them at rest.
static double nearness(const lb_model* m, const lb_model_soft* soft, int node, int body) {
  const lb_vec3* X = soft->fem->node - soft->first_node;
  double least = (double)INFINITY;
  for (int i = soft->first_node; i < soft->first_node + soft->nnode; i++) {
    if (m->node[i].link != LB_NODE_FREE && m->node[i].body == body) {
      const lb_vec3 way = lb_vec3_sub(X[i], X[node]);
      least = fmin(least, lb_vec3_dot(way, way));
    }
  }
  return 1 / least;
}

static bool carry_flesh(lb_optimizing* o, const lb_scene_soft* s, const lb_model_soft* soft,
                        int node) {
  const lb_model* m = o->tree;
  double sum = 0;
  bool ok = true;
  for (int k = 0; k < s->nbody; k++) {
    sum += nearness(m, soft, node, s->body[k]);
  }
  for (int k = 0; k < s->nbody && ok; k++) {
    const int link = m->body_link[s->body[k]];
    if (link != LB_WORLD) {
      const lb_state* at = &o->rest->work->state[link];
      const lb_v4 in_link = lb_m3_apply_transposed(at->R, lb_v4_from(place(o, node)) - at->p);
      ok = add(o, node, (lb_anchor){link, {lb_quat_identity(), lb_v4_vec3(in_link)}},
               nearness(m, soft, node, s->body[k]) / sum);
    }
  }
  return ok;
}

lb_status lb_made_find(lb_optimizing* o) {
  const lb_model* m = o->tree;
  bool ok = true;
  lb_kinematics(m, o->rest, o->rest->q, o->rest->qd);
  for (int i = 0; i < m->nstrand && ok; i++) {
    ok = find_strand(o, &m->strand[i]);
  }
  for (int i = 0; i < m->nsoft && ok; i++) {
    const lb_model_soft* soft = &m->soft[i];
    for (int k = soft->first_node; k < soft->first_node + soft->nnode && ok; k++) {
      ok = m->node[k].link != LB_NODE_FREE || carry_flesh(o, &o->given.soft[i], soft, k);
    }
  }
  return ok ? LB_OK : LB_NO_MEMORY;
}

// --- where they start ---

void lb_made_start(const lb_optimizing* o, const lb_model* tree, lb_data* d) {
  lb_kinematics(tree, d, d->q, d->qd);
  for (int i = 0; i < o->ncarrying; i++) {
    const lb_carrying* c = &o->carrying[i];
    const lb_force_point p = lb_force_point_find(d->work, &c->at);
    lb_v4_add_to(d->q + tree->node[c->node].q, (p.at - c->from) * c->weight);
  }
}

void lb_made_pull(const lb_optimizing* o, const lb_derivatives* D, lb_data* d, lb_motion* S,
                  double* by_q) {
  for (int i = 0; i < o->ncarrying; i++) {
    const lb_carrying* c = &o->carrying[i];
    const lb_v4 by = lb_v4_load(by_q + o->tree->node[c->node].v) * c->weight;
    const lb_force_point p = lb_force_point_find(d->work, &c->at);
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < D->model->nv; k++) {
      by_q[k] += lb_v4_dot(S[k].v, by);
    }
  }
}

// --- into scenes ---

static const lb_vec3* write_nodes(lb_optimizing* o, const lb_model* m, const lb_data* d, int first,
                                  int count) {
  lb_vec3* to = LB_TAKE(&o->arena, lb_vec3, count);
  for (int i = 0; to && i < count; i++) {
    const lb_model_node* node = &m->node[first + i];
    const double* q = d->q + node->q;
    to[i] = node->link == LB_NODE_FREE ? lb_vec3_make(q[0], q[1], q[2]) : (lb_vec3){0};
  }
  return to;
}

static bool write_strand(lb_optimizing* o, const lb_model* m, const lb_data* d, int i,
                         lb_scene_strand* s) {
  const lb_model_strand* strand = &m->strand[i];
  double* length = LB_TAKE(&o->arena, double, strand->nnode - 1);
  for (int k = 0; length && k < strand->nnode - 1; k++) {
    length[k] = o->tree->segment[strand->first_segment + k].length / o->given.strand[i].slack;
  }
  s->share = strand->share;
  s->length = length;
  s->start = write_nodes(o, m, d, strand->first_node, strand->nnode);
  return s->length && s->start;
}

static bool write_soft(lb_optimizing* o, const lb_model* m, const lb_data* d, int i,
                       const lb_transform* pose, lb_scene_soft* s) {
  lb_transform* made = LB_TAKE(&o->arena, lb_transform, s->nbody);
  for (int k = 0; made && k < s->nbody; k++) {
    made[k] = lb_body_pose(m, s->body[k], pose);
  }
  s->made_at = o->given.soft[i].made_at ? o->given.soft[i].made_at : made;
  s->start = write_nodes(o, m, d, m->soft[i].first_node, m->soft[i].nnode);
  return made && s->start;
}

bool lb_made_write(lb_optimizing* o, const lb_model* tree, const lb_data* d, lb_scene* s) {
  lb_transform* pose = LB_TAKE(&o->arena, lb_transform, tree->nlink);
  bool ok = pose != NULL;
  if (ok) {
    lb_link_poses(o->tree, pose, o->tree->q0); // as the scene has them, loops open
  }
  for (int i = 0; i < s->nstrand && ok; i++) {
    ok = write_strand(o, tree, d, i, &s->strand[i]);
  }
  for (int i = 0; i < s->nsoft && ok; i++) {
    ok = write_soft(o, tree, d, i, pose, &s->soft[i]);
  }
  return ok;
}
