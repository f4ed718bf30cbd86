// Derivatives of the inertia of muscles by coordinates and velocities. Everything a station needs
// is a function of eta = (sigma, p, q), in the frame of its surface; with the series c_n of
// dx/deta along the motion and the changes d of eta and its rates,
//
//   (3)  dx = c_0.d eta,   dxd = c_1.d eta + c_0.d etad,
//        dxdd = 2 c_2.d eta + 2 c_1.d etad + c_0.d etadd
//
// The forces of (1) in muscle_inertia.h are f = m xdd on the frame, g = c_0'f on the ends, and
// g_sigma on the lengths; they change by (3), by d g = H d eta + c_0'df with H = f.d2x/deta2, and
// by the sliding of the quadrature nodes: k and m of a station are functions of the lengths.
#include <math.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "dynamics/muscle/muscle_change.h"

enum { ETA = 7 };

typedef struct derivation {
  lb_path_changes by;
  int nstation;
  lb_station* station;
  lb_v4 force[LB_PATH_NODES];      // on nodes, dependent ones included
  lb_motion wrench[LB_PATH_SPANS]; // on frames, about their origins
  double lambda[LB_PATH_SPANS];    // on lengths
} derivation;

// --- forces ---

typedef struct changes {
  lb_v4 node[LB_PATH_NODES];
  lb_motion frame[LB_PATH_SPANS]; // moment about the frame's origin
  double begin, size, before[LB_PATH_SPANS];
} changes;

// Force on an end of a span, in its frame, and its opposite on the frame.
static void add_end(const derivation* d, int s, int e, const lb_span_change* c, const double g[3],
                    const double dg[3], changes* to) {
  const lb_path_frame* f = &d->by.P->span[s].frame;
  const lb_v4 force = lb_m3_apply(f->R, lb_v4_load(g));
  const lb_v4 df = lb_v4_cross(c->frame.theta, force) + lb_m3_apply(f->R, lb_v4_load(dg));
  const lb_v4 r = d->by.P->p.node[s + e].at.at - f->o, dr = c->node[e].dx - c->frame.dx;
  to->node[s + e] += df;
  to->frame[s].v -= df;
  to->frame[s].w -= lb_v4_cross(dr, force) + lb_v4_cross(r, df);
}

// Changes of eta and its rates for a station.
static void change_eta(const derivation* d, const lb_station* st, const lb_span_change* c,
                       double dk, const lb_belly_change* b, double eta[3][ETA]) {
  for (int n = 0; n < 3; n++) {
    eta[n][0] = dk * d->by.P->size[n] + b->begin[n] + st->k * b->size[n] - c->c[n];
    memcpy(eta[n] + 1, c->y[n], LB_CHANGE_ENDS * sizeof(double));
  }
}

static lb_v4 series(const lb_station* st, int n, const double* eta) {
  lb_v4 sum = lb_v4_zero();
  for (int i = 0; i < ETA; i++) {
    sum += lb_v4_load(st->c[n][i]) * eta[i];
  }
  return sum;
}

static void change_station(const derivation* d, const lb_station* st, const lb_span_change* c,
                           const lb_belly_change* b, changes* to) {
  const lb_path_frame* f = &d->by.P->span[st->span].frame;
  double dk = 0, dm = 0;
  if (st->at >= 0) {
    const double from = lb_change_bound(&d->by, c, st->span, st->piece, false, b);
    const double until = lb_change_bound(&d->by, c, st->span, st->piece, true, b);
    dk = from + st->at * (until - from);
    dm = st->mass * (until - from) / (st->to - st->from);
  }
  double eta[3][ETA];
  change_eta(d, st, c, dk, b, eta);
  const lb_v4 dx = series(st, 0, eta[0]);
  const lb_v4 dxd = series(st, 1, eta[0]) + series(st, 0, eta[1]);
  const lb_v4 dxdd = 2 * series(st, 2, eta[0]) + 2 * series(st, 1, eta[1]) + series(st, 0, eta[2]);
  const lb_v4 theta = c->frame.theta, r = lb_path_world(f, lb_taylor3_lane(&st->x, 0, 0)),
              u = lb_path_world(f, lb_taylor3_lane(&st->x, 1, 0)),
              a = 2 * lb_path_world(f, lb_taylor3_lane(&st->x, 2, 0));
  const lb_v4 dr = lb_v4_cross(theta, r) + lb_m3_apply(f->R, dx);
  const lb_v4 du = lb_v4_cross(theta, u) + lb_m3_apply(f->R, dxd);
  const lb_v4 da = lb_v4_cross(theta, a) + lb_m3_apply(f->R, dxdd);
  const lb_v4 acceleration =
      c->frame.dxdd + lb_v4_cross(c->frame.dal, r) + lb_v4_cross(f->al, dr) +
      lb_v4_cross(c->frame.dw, lb_v4_cross(f->w, r)) +
      lb_v4_cross(f->w, lb_v4_cross(c->frame.dw, r) + lb_v4_cross(f->w, dr)) +
      2 * (lb_v4_cross(c->frame.dw, u) + lb_v4_cross(f->w, du)) + da;
  const lb_v4 force = st->force, df = force * (dm / st->mass) + acceleration * st->mass;
  to->frame[st->span].v += df;
  to->frame[st->span].w += lb_v4_cross(dr, force) + lb_v4_cross(r, df);
  const lb_v4 in = lb_m3_apply_transposed(f->R, force);
  const lb_v4 din = lb_m3_apply_transposed(f->R, df - lb_v4_cross(theta, force));
  double g[ETA], dg[ETA];
  for (int i = 0; i < ETA; i++) {
    g[i] = lb_v4_dot(lb_v4_load(st->c[0][i]), in);
    dg[i] = lb_v4_dot(lb_v4_load(st->c[0][i]), din);
    for (int j = 0; j < ETA; j++) {
      dg[i] += st->H[i][j] * eta[0][j];
    }
  }
  add_end(d, st->span, 0, c, g + 1, dg + 1, to);
  add_end(d, st->span, 1, c, g + 4, dg + 4, to);
  to->begin += dg[0];
  to->size += st->k * dg[0] + dk * g[0];
  to->before[st->span] -= dg[0];
}

// Change of the direction of a straight end of a span.
static lb_v4 change_direction(const derivation* d, int s, const lb_path_piece* piece,
                              const lb_span_change* c) {
  const lb_path_frame* f = &d->by.P->span[s].frame;
  lb_vec3 change = {0, 0, 0};
  for (int i = 0; i < LB_CHANGE_ENDS; i++) {
    change = lb_vec3_add(
        change, lb_vec3_scale(c->y[0][i], lb_taylor3_lane(&piece->along, 0, LB_TAYLOR_P + i)));
  }
  return lb_v4_cross(c->frame.theta, lb_path_world(f, lb_taylor3_lane(&piece->along, 0, 0))) +
         lb_path_world(f, change);
}

static void change_corner(const derivation* d, int i, const lb_span_change* all,
                          const lb_belly_change* c, changes* to) {
  const lb_mass_path* P = d->by.P;
  const lb_path_mass* m = &P->p.of->mass;
  const lb_mass_span *a = &P->span[i - 1], *b = &P->span[i];
  double k;
  if (m->points > 0 || !lb_mass_path_material(P, b->c, &k)) {
    return;
  }
  lb_v4 in, out;
  lb_mass_path_corner(P, i, &in, &out);
  const double Lb = P->size[0], dLb = c->size[0];
  const double kd = (b->cd - P->begin[1] - k * P->size[1]) / Lb;
  const double dk = lb_change_material(&d->by, k, all[i].c[0], c);
  const double dkd = (all[i].c[1] - c->begin[1] - dk * P->size[1] - k * c->size[1] - kd * dLb) / Lb;
  const lb_v4 turn = change_direction(d, i, &b->path->piece[0], &all[i]) -
                     change_direction(d, i - 1, &a->path->piece[a->path->count - 1], &all[i - 1]);
  to->node[i] += (out - in) * (m->mass * (2 * kd * dkd * Lb + kd * kd * dLb)) +
                 turn * (m->mass * kd * kd * Lb);
}

static void change_lengths(const derivation* d, const lb_span_change* all, changes* to) {
  const lb_mass_path* P = d->by.P;
  const lb_wrap_path* paths = d->by.w->muscles->inertia->path;
  const lb_path_mass* m = &P->p.of->mass;
  double dlambda = m->B0 * to->begin + m->B1 * to->size;
  for (int s = P->p.count - 2; s >= 0; s--) {
    const lb_taylor* l = lb_wrap_length(P->span[s].path);
    double g[LB_CHANGE_ENDS], dg[LB_CHANGE_ENDS];
    for (int i = 0; i < LB_CHANGE_ENDS; i++) {
      const double slope = lb_taylor_lane(l, 0, LB_TAYLOR_P + i);
      double turned = 0;
      for (int j = 0; j < LB_CHANGE_ENDS; j++) {
        turned += lb_taylor_lane(lb_wrap_length(&paths[8 * s + 2 + j]), 1, LB_TAYLOR_P + i) *
                  all[s].y[0][j];
      }
      g[i] = d->lambda[s] * slope;
      dg[i] = dlambda * slope + d->lambda[s] * turned;
    }
    add_end(d, s, 0, &all[s], g, dg, to);
    add_end(d, s, 1, &all[s], g + 3, dg + 3, to);
    dlambda += to->before[s];
  }
}

// --- the forces themselves ---

static void add_force(derivation* d, int s, int e, const double g[3]) {
  const lb_path_frame* f = &d->by.P->span[s].frame;
  const lb_v4 force = lb_m3_apply(f->R, lb_v4_load(g));
  d->force[s + e] += force;
  d->wrench[s].v -= force;
  d->wrench[s].w -= lb_v4_cross(d->by.P->p.node[s + e].at.at - f->o, force);
}

static void find_forces(derivation* d) {
  const lb_mass_path* P = d->by.P;
  const lb_path_mass* m = &P->p.of->mass;
  double begin = 0, size = 0, before[LB_PATH_SPANS] = {0};
  for (int n = 0; n < d->nstation; n++) {
    const lb_station* st = &d->station[n];
    const lb_path_frame* f = &P->span[st->span].frame;
    const lb_v4 in = lb_m3_apply_transposed(f->R, st->force);
    double g[ETA];
    for (int i = 0; i < ETA; i++) {
      g[i] = lb_v4_dot(lb_v4_load(st->c[0][i]), in);
    }
    const lb_v4 r = lb_path_world(f, lb_taylor3_lane(&st->x, 0, 0));
    d->wrench[st->span].v += st->force;
    d->wrench[st->span].w += lb_v4_cross(r, st->force);
    add_force(d, st->span, 0, g + 1);
    add_force(d, st->span, 1, g + 4);
    begin += g[0];
    size += st->k * g[0];
    before[st->span] -= g[0];
  }
  for (int i = 1; i + 1 < P->p.count && m->points == 0; i++) {
    double k;
    if (lb_mass_path_material(P, P->span[i].c, &k)) {
      lb_v4 in, out;
      const double Lb = P->size[0], kd = (P->span[i].cd - P->begin[1] - k * P->size[1]) / Lb;
      lb_mass_path_corner(P, i, &in, &out);
      d->force[i] += (out - in) * (m->mass * kd * kd * Lb);
    }
  }
  double whole = m->B0 * begin + m->B1 * size;
  for (int s = P->p.count - 2; s >= 0; s--) {
    const lb_taylor* l = lb_wrap_length(P->span[s].path);
    double g[LB_CHANGE_ENDS];
    d->lambda[s] = whole;
    for (int i = 0; i < LB_CHANGE_ENDS; i++) {
      g[i] = whole * lb_taylor_lane(l, 0, LB_TAYLOR_P + i);
    }
    add_force(d, s, 0, g);
    add_force(d, s, 1, g + 3);
    whole += before[s];
  }
}

// Forces of dependent nodes act on what they follow from.
static void hand_forces_on(derivation* d) {
  const lb_path* p = &d->by.P->p;
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    double z[LB_GROUP_NUMBERS];
    lb_path_transfer(p, g, d->force + g->first, z);
    for (int i = 0; i < g->of.nplace; i++) {
      d->force[g->place[i]] += lb_v4_load(z + 3 * i);
    }
  }
}

// --- all of it ---

// Rows of tendons, whose forces turn with nothing.
static void add_tendons(const derivation* d, int k, bool velocity, const changes* to) {
  const lb_model_path* of = d->by.P->p.of;
  double* K = velocity ? d->by.D->tau_qd : d->by.D->tau_q;
  for (int i = 0; i < of->ntendon; i++) {
    const lb_path_tendon* t = &of->tendon[i];
    K[(size_t)t->v * (size_t)d->by.D->model->nv + (size_t)k] +=
        t->C0 * to->begin + t->C1 * to->size;
  }
}

// Change of what dependent nodes hand on, to rows of their coordinates in `rows`.
static void hand_changes_on(const derivation* d, int k, bool velocity, changes* to, double* rows) {
  const lb_path* p = &d->by.P->p;
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    const int nv = d->by.D->model->nv;
    double dz[3][LB_GROUP_NUMBERS], dphi[LB_GROUP_NUMBERS], curve[LB_GROUP_NUMBERS] = {0};
    lb_path_transfer(p, g, to->node + g->first, dphi);
    if (!velocity) {
      lb_change_places(&d->by, g, k, velocity, dz);
      lb_path_curve(p, g, d->force + g->first, dz[0], curve);
    }
    for (int i = 0; i < g->of.nplace; i++) {
      to->node[g->place[i]] += lb_v4_load(dphi + 3 * i) + lb_v4_load(curve + 3 * i);
    }
    for (int i = 0; i < g->of.ncoordinate; i++) {
      const int at = 3 * g->of.nplace + i;
      rows[(size_t)g->v[i] * (size_t)nv + (size_t)k] += dphi[at] + curve[at];
    }
  }
}

static void change_by(const derivation* d, int k, bool velocity, double* rows) {
  const lb_mass_path* P = d->by.P;
  lb_span_change all[LB_PATH_SPANS];
  changes to = {0};
  const lb_belly_change belly = lb_change_spans(&d->by, k, velocity, all);
  for (int n = 0; n < d->nstation; n++) {
    change_station(d, &d->station[n], &all[d->station[n].span], &belly, &to);
  }
  for (int i = 1; i + 1 < P->p.count; i++) {
    change_corner(d, i, all, &belly, &to);
  }
  change_lengths(d, all, &to);
  add_tendons(d, k, velocity, &to);
  hand_changes_on(d, k, velocity, &to, rows);
  // beyond turning along; needed forces count the other way
  for (int j = 0; j < lb_path_nodes(&P->p); j++) {
    const int i = lb_path_which(&P->p, j);
    const lb_v4 theta = velocity ? lb_v4_zero() : d->by.node[i].S[k].w;
    d->by.node[i].change[k] =
        (lb_motion){lb_v4_zero(), lb_v4_cross(theta, d->force[i]) - to.node[i]};
  }
  for (int s = 0; s + 1 < P->p.count; s++) {
    if (lb_change_has_frame(&d->by, s)) {
      const lb_v4 theta = all[s].frame.theta;
      d->by.frame[s].change[k] = (lb_motion){lb_v4_cross(theta, d->wrench[s].w) - to.frame[s].w,
                                             lb_v4_cross(theta, d->wrench[s].v) - to.frame[s].v};
    }
  }
}

// Rows and columns of moving points, as in path_derivative.c.
static void add_moving(const derivation* d, int i, double* K, bool position) {
  const lb_path_node* n = &d->by.P->p.node[i];
  const int nv = d->by.D->model->nv, v = n->item->v;
  if (v < 0) {
    return;
  }
  const lb_v4 force = d->force[i];
  for (int at = 0; at < d->by.P->p.of->nv; at++) {
    const int k = d->by.P->p.of->v[at];
    const lb_v4 theta = position ? d->by.node[i].S[k].w : lb_v4_zero();
    const lb_v4 change = lb_v4_cross(theta, force) - d->by.node[i].change[k].v;
    double own = lb_v4_dot(change, n->slope[0]);
    if (position) {
      own += lb_v4_dot(force, lb_v4_cross(theta, n->slope[0]));
      own += k == v ? lb_v4_dot(force, n->slope[1]) : 0;
      K[(size_t)k * (size_t)nv + (size_t)v] += lb_v4_dot(force, lb_v4_cross(theta, n->slope[0]));
    }
    K[(size_t)v * (size_t)nv + (size_t)k] += own;
  }
}

static void add_all(const derivation* d, double* K, bool position) {
  const lb_path* p = &d->by.P->p;
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    if (!p->node[i].dependent) {
      lb_path_derive_force(d->by.D, p->of, K, d->by.node[i].S, d->by.node[i].change);
      add_moving(d, i, K, position);
    }
  }
  for (int s = 0; s + 1 < p->count; s++) {
    if (lb_change_has_frame(&d->by, s)) {
      lb_path_derive_force(d->by.D, p->of, K, d->by.frame[s].S, d->by.frame[s].change);
    }
  }
}

static void derive(lb_derivatives* D, lb_work* w, const lb_mass_path* P, const double* qd,
                   const double* qdd) {
  derivation d = {.by = {.D = D, .P = P, .w = w, .qd = qd, .qdd = qdd}};
  const lb_model_path* of = P->p.of;
  lb_change_begin(&d.by);
  lb_mass_path_directions(P, w);
  d.station = w->muscles->inertia->station;
  d.nstation = lb_mass_path_stations(P, d.station);
  for (int n = 0; n < d.nstation; n++) {
    lb_station_differentiate(P, w, &d.station[n]);
  }
  find_forces(&d);
  hand_forces_on(&d);
  for (int k = 0; k < of->nv; k++) {
    change_by(&d, of->v[k], false, D->tau_q);
  }
  add_all(&d, D->tau_q, true);
  for (int k = 0; k < of->nv; k++) {
    change_by(&d, of->v[k], true, D->tau_qd);
  }
  add_all(&d, D->tau_qd, false);
}

void lb_muscles_derive_inertia(lb_derivatives* D, lb_data* d, const double* q, const double* qd,
                               const double* qdd) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_path* of = m->muscle.item[i].path;
    if (of->mass.mass > 0) {
      lb_mass_path P;
      lb_mass_path_find(&P, 2, 2, of, d->work, q, qd, qdd);
      derive(D, d->work, &P, qd, qdd);
    }
  }
  lb_muscles_weigh(m, d->work, D->M, q);
}
