// Objective: effort, distance from a motion or from markers, and goals at moments or over a time.
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "design/fit/marker_track.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"

// --- points ---

static lb_v4 point_arm(const lb_data* d, const lb_anchor* a) {
  const lb_v4 in = {a->X.p.x, a->X.p.y, a->X.p.z, 0};
  return a->link == LB_WORLD ? in : lb_m3_apply(d->work->state[a->link].R, in);
}

static lb_v4 point_place(const lb_data* d, const lb_anchor* a) {
  return a->link == LB_WORLD ? point_arm(d, a) : d->work->state[a->link].p + point_arm(d, a);
}

// by[k] += scale * (weight . derivative of the place), columns of the links in place.
static void add_place_slope(const lb_model* m, const lb_data* d, const lb_anchor* a, lb_v4 weight,
                            double* by) {
  const lb_work* w = d->work;
  const lb_v4 x = point_place(d, a);
  for (int link = a->link; link != LB_WORLD; link = m->link.parent[link]) {
    const lb_link* l = &m->link.packed[link];
    const lb_v4* S = w->S + 2 * (size_t)l->column;
    for (int k = 0; k < l->nv; k++) {
      const lb_v4 v = S[2 * k + 1] + lb_v4_cross(S[2 * k], x - w->state[link].p);
      by[l->v + k] += lb_v4_dot(weight, v);
    }
  }
}

static void place_node(lb_collocating* C, int node, const double* z) {
  lb_data* d = C->d[node];
  memcpy(d->q, z + C->at.q, (size_t)C->at.nv * sizeof *d->q);
  memcpy(d->qd, z + C->at.v, (size_t)C->at.nv * sizeof *d->qd);
  memcpy(d->qdd, z + C->at.a, (size_t)C->at.nv * sizeof *d->qdd);
  lb_kinematics(C->m, d, d->q, d->qd);
}

// --- markers ---

static double marker_cost(lb_collocating* C, int node, const double* z, double* slope) {
  const double weight = C->set->follow.markers;
  const int n = C->markers->nmarker;
  lb_data* d = C->d[node];
  double sum = 0;
  place_node(C, node, z);
  if (slope) {
    lb_fill_columns(C->m, d->work);
  }
  for (int i = 0; i < n; i++) {
    const double* y = C->marker_ref + 3 * ((size_t)node * (size_t)n + (size_t)i);
    if (!isfinite(y[0] + y[1] + y[2])) {
      continue;
    }
    const double w = weight * C->markers->marker[i].weight;
    const lb_v4 e = point_place(d, &C->marker_at[i]) - (lb_v4){y[0], y[1], y[2], 0};
    sum += w * lb_v4_dot(e, e);
    if (slope) {
      add_place_slope(C->m, d, &C->marker_at[i], e * (2 * w), slope + C->at.q);
    }
  }
  return sum;
}

// --- integrands ---

static double square(double weight, double e, double* slope) {
  if (slope) {
    *slope += 2 * weight * e;
  }
  return weight * e * e;
}

static double follow_cost(const lb_collocating* C, int node, const double* z, double* slope) {
  const lb_node_layout* L = &C->at;
  const lb_scene_following* f = &C->set->follow;
  const double *q = C->q_ref + (size_t)node * (size_t)L->nv,
               *v = C->v_ref + (size_t)node * (size_t)L->nv;
  double sum = 0;
  for (int k = 0; k < L->nv; k++) {
    const double w = C->q_weight[k];
    sum += square(w * f->position, z[L->q + k] - q[k], slope ? slope + L->q + k : NULL);
    sum += square(w * f->velocity, z[L->v + k] - v[k], slope ? slope + L->v + k : NULL);
  }
  return sum;
}

// Activations that follow excitations count in place of these. Their time constants differ: where
// excitations counted, those that switch on and off would cost less than steady ones.
double lb_node_effort(const lb_collocating* C, const double* z, double* slope) {
  static const double LEAST = 2e-3; // [s] rates count that much at least, so that none is free
  const lb_node_layout* L = &C->at;
  const double tau = hypot(LEAST, C->set->effort.smooth);
  double sum = 0;
  for (int i = 0; i < L->nu; i++) {
    const int k = lb_driven(C, i);
    const double w = C->effort[i];
    if (k < 0) {
      sum += square(w, z[L->u + i], slope ? slope + L->u + i : NULL);
    } else {
      sum += square(w, z[L->x + k], slope ? slope + L->x + k : NULL);
      sum += square(w * tau * tau, z[L->xd + k], slope ? slope + L->xd + k : NULL);
    }
  }
  return sum;
}

static double integrand(lb_collocating* C, int node, const double* z, double* slope) {
  double sum = lb_node_effort(C, z, slope);
  if (C->q_ref) {
    sum += follow_cost(C, node, z, slope);
  }
  if (C->markers) {
    sum += marker_cost(C, node, z, slope);
  }
  return sum;
}

// --- goals at a node ---

// Derivatives of a point's velocity: by velocities those of its place; by coordinates it turns
// along with what moves, and gains psi (dynamics_derivative.h).
static void velocity_rows(lb_collocating* C, lb_collocation_worker* w, int node,
                          const lb_node_goal* g, double* rows) {
  const lb_node_layout* L = &C->at;
  lb_data* d = C->d[node];
  lb_derive(w->D, d, d->q, d->qd, d->qdd, false);
  lb_derive_point(w->D, w->S, w->change, g->at.link, point_arm(d, &g->at));
  lb_v4 v = lb_v4_zero();
  for (int k = 0; k < L->nv; k++) {
    v += w->S[k].v * d->qd[k];
  }
  for (int k = 0; k < L->nv; k++) {
    const lb_v4 by_q = w->change[k].v + lb_v4_cross(w->S[k].w, v);
    for (int i = 0; i < 3; i++) {
      rows[i * L->count + L->q + k] = by_q[i];
      rows[i * L->count + L->v + k] = w->S[k].v[i];
    }
  }
}

static void point_rows(lb_collocating* C, lb_collocation_worker* w, int node, const lb_node_goal* g,
                       double* value, double* rows) {
  lb_data* d = C->d[node];
  lb_v4 x;
  if (g->goal->rate) {
    lb_move_origins(C->m, d->work, d->qd);
    const lb_state* s = g->at.link == LB_WORLD ? NULL : &d->work->state[g->at.link];
    x = s ? s->v + lb_v4_cross(s->w, point_arm(d, &g->at)) : lb_v4_zero();
    if (rows) {
      velocity_rows(C, w, node, g, rows);
    }
  } else {
    x = point_place(d, &g->at);
    lb_fill_columns(C->m, d->work);
    for (int i = 0; i < 3 && rows; i++) {
      lb_v4 e = lb_v4_zero();
      e[i] = 1;
      add_place_slope(C->m, d, &g->at, e, rows + i * C->at.count + C->at.q);
    }
  }
  for (int i = 0; i < 3; i++) {
    value[i] = x[i] - g->value[i];
  }
}

void lb_node_must(lb_collocating* C, lb_collocation_worker* w, int node, const lb_node_goal* g,
                  const double* z, double* value, double* rows) {
  const lb_node_layout* L = &C->at;
  if (rows) {
    memset(rows, 0, LB_GOAL_MOST * (size_t)L->count * sizeof *rows);
  }
  if (g->goal->kind == LB_GOAL_POINT) {
    place_node(C, node, z);
    point_rows(C, w, node, g, value, rows);
    return;
  }
  // a joint's numbers, or a control
  for (int i = 0; i < g->goal->count; i++) {
    value[i] = z[g->first + i] - g->value[i];
    if (rows) {
      rows[i * L->count + g->first + i] = 1;
    }
  }
}

static double goal_cost(lb_collocating* C, lb_collocation_worker* w, int node,
                        const lb_node_goal* g, const double* z, double scale, double* slope) {
  double value[LB_GOAL_MOST], sum = 0;
  double* rows = slope ? w->must : NULL;
  lb_node_must(C, w, node, g, z, value, rows);
  for (int i = 0; i < g->goal->count; i++) {
    if (g->goal->counts[i]) {
      sum += scale * g->weight * value[i] * value[i];
      for (int k = 0; k < C->at.count && slope; k++) {
        slope[k] += 2 * scale * g->weight * value[i] * rows[i * C->at.count + k];
      }
    }
  }
  return sum;
}

// --- all of it ---

static double goals(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                    bool integral, double scale, double* slope) {
  double sum = 0;
  for (int i = C->held_first[node]; i < C->held_first[node + 1]; i++) {
    if (C->held[i].use == LB_GOAL_IS_COST && C->held[i].integral == integral) {
      sum += goal_cost(C, w, node, &C->held[i], z, scale, slope);
    }
  }
  return sum;
}

double lb_node_integrand(lb_collocating* C, lb_collocation_worker* w, int node, const double* z) {
  const double part = C->set->effort.mean ? 0 : C->quadrature[node] * integrand(C, node, z, NULL);
  return part + goals(C, w, node, z, true, 1, NULL);
}

double lb_node_cost(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                    double duration, double* slope) {
  const double scale = (C->set->effort.mean ? 1 : duration) * C->quadrature[node];
  if (slope) {
    memset(slope, 0, (size_t)C->at.count * sizeof *slope);
  }
  double sum = scale * integrand(C, node, z, slope);
  for (int k = 0; k < C->at.count && slope; k++) {
    slope[k] *= scale;
  }
  sum += goals(C, w, node, z, true, duration, slope);
  return sum + goals(C, w, node, z, false, 1, slope);
}
