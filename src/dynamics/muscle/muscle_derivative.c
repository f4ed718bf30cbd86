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
#include "dynamics/muscle/muscle_inertia.h"

enum { ETA = 7, ENDS = 6 };

// --- directions ---

typedef struct node_change {
  lb_v4 theta, dx, dxd, dxdd;
} node_change;
typedef struct frame_change {
  lb_v4 theta, dx, dxd, dxdd, dw, dal;
} frame_change;

// Motions of nodes and frames with all coordinates, [nv] each, and changes of forces.
typedef struct motions {
  lb_motion *S, *psi, *chi, *sig, *change;
} motions;

typedef struct derivation {
  lb_derivatives* D;
  lb_work* w;
  const lb_mass_path* P;
  const double *qd, *qdd;
  int nstation;
  lb_station* station;
  motions node[LB_PATH_NODES], frame[LB_PATH_SPANS];
  lb_v4 force[LB_PATH_NODES];      // on nodes, dependent ones included
  lb_motion wrench[LB_PATH_SPANS]; // on frames, about their origins
  double lambda[LB_PATH_SPANS];    // on lengths
} derivation;

static motions take(const lb_derivatives* D, int i, int link, lb_v4 arm) {
  const size_t nv = (size_t)D->model->nv;
  const lb_derivation* W = D->work;
  lb_motion* at = W->points + (size_t)(LB_POINT_ARRAYS * i) * nv;
  const motions m = {at, at + nv, at + 2 * nv, at + 3 * nv, at + 4 * nv};
  lb_derive_columns(D, m.S, W->S, link, arm);
  lb_derive_columns(D, m.psi, W->psi, link, arm);
  lb_derive_columns(D, m.chi, W->chi, link, arm);
  lb_derive_columns(D, m.sig, W->sig, link, arm);
  return m;
}

static bool has_frame(const derivation* d, int s) {
  return d->P->p.span[s].surface;
}

static node_change node_by_q(const derivation* d, int i, int k) {
  const lb_path_node* n = &d->P->p.node[i];
  const motions* m = &d->node[i];
  const lb_v4 theta = m->S[k].w, v = n->at.velocity;
  node_change c = {theta, m->S[k].v, m->psi[k].v + lb_v4_cross(theta, v),
                   m->chi[k].v + 2 * lb_v4_cross(m->psi[k].w, v) +
                       lb_v4_cross(theta, n->acceleration)};
  if (n->item->v == k) {
    const lb_state* s = &d->w->state[n->item->at.link];
    const double r = d->qd[k];
    c.dx += n->slope[0];
    c.dxd += lb_v4_cross(s->w, n->slope[0]) + n->slope[1] * r;
    c.dxdd += lb_v4_cross(s->al, n->slope[0]) + lb_v4_cross(s->w, lb_v4_cross(s->w, n->slope[0])) +
              2 * r * lb_v4_cross(s->w, n->slope[1]) + n->slope[2] * (r * r) +
              n->slope[1] * d->qdd[k];
  }
  return c;
}

static node_change node_by_qd(const derivation* d, int i, int k) {
  const lb_path_node* n = &d->P->p.node[i];
  const motions* m = &d->node[i];
  node_change c = {lb_v4_zero(), lb_v4_zero(), m->S[k].v,
                   m->sig[k].v + 2 * lb_v4_cross(m->S[k].w, n->at.velocity)};
  if (n->item->v == k) {
    const lb_state* s = &d->w->state[n->item->at.link];
    c.dxd += n->slope[0];
    c.dxdd += 2 * lb_v4_cross(s->w, n->slope[0]) + 2 * d->qd[k] * n->slope[1];
  }
  return c;
}

static frame_change frame_by_q(const derivation* d, int s, int k) {
  if (!has_frame(d, s)) {
    return (frame_change){0};
  }
  const lb_path_frame* f = &d->P->span[s].frame;
  const motions* m = &d->frame[s];
  const lb_v4 theta = m->S[k].w;
  return (frame_change){theta,
                        m->S[k].v,
                        m->psi[k].v + lb_v4_cross(theta, f->v),
                        m->chi[k].v + 2 * lb_v4_cross(m->psi[k].w, f->v) + lb_v4_cross(theta, f->a),
                        m->psi[k].w + lb_v4_cross(theta, f->w),
                        m->chi[k].w + lb_v4_cross(m->psi[k].w, f->w) + lb_v4_cross(theta, f->al)};
}

static frame_change frame_by_qd(const derivation* d, int s, int k) {
  if (!has_frame(d, s)) {
    return (frame_change){0};
  }
  const lb_path_frame* f = &d->P->span[s].frame;
  const motions* m = &d->frame[s];
  return (frame_change){lb_v4_zero(), lb_v4_zero(),
                        m->S[k].v,    m->sig[k].v + 2 * lb_v4_cross(m->S[k].w, f->v),
                        m->S[k].w,    m->sig[k].w + lb_v4_cross(m->S[k].w, f->w)};
}

// --- dependent nodes ---

// Changes of what a group follows from, with rates.
static void change_places(const derivation* d, const lb_path_group* g, int k, bool velocity,
                          double (*dz)[LB_GROUP_NUMBERS]) {
  for (int i = 0; i < g->of.nplace; i++) {
    const node_change c = velocity ? node_by_qd(d, g->place[i], k) : node_by_q(d, g->place[i], k);
    lb_v4_store(dz[0] + 3 * i, c.dx);
    lb_v4_store(dz[1] + 3 * i, c.dxd);
    lb_v4_store(dz[2] + 3 * i, c.dxdd);
  }
  for (int i = 0; i < g->of.ncoordinate; i++) {
    for (int n = 0; n < 3; n++) {
      dz[n][3 * g->of.nplace + i] = n == (velocity ? 1 : 0) && g->v[i] == k;
    }
  }
}

// Motions of dependent nodes, as those of points of a link that does not turn.
static void move_dependent(const derivation* d) {
  const lb_path* p = &d->P->p;
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    for (int at = 0; at < p->of->nv; at++) {
      const int k = p->of->v[at];
      double dz[2][3][LB_GROUP_NUMBERS];
      change_places(d, g, k, false, dz[0]);
      change_places(d, g, k, true, dz[1]);
      for (int i = 0; i < g->of.n; i++) {
        const motions* m = &d->node[g->first + i];
        lb_v4 by_q[3], by_qd[3];
        lb_path_change(p, g, i, 2, (const double(*)[LB_GROUP_NUMBERS])dz[0], by_q);
        lb_path_change(p, g, i, 2, (const double(*)[LB_GROUP_NUMBERS])dz[1], by_qd);
        m->S[k] = (lb_motion){lb_v4_zero(), by_q[0]};
        m->psi[k] = (lb_motion){lb_v4_zero(), by_q[1]};
        m->chi[k] = (lb_motion){lb_v4_zero(), by_q[2]};
        m->sig[k] = (lb_motion){lb_v4_zero(), by_qd[2]};
      }
    }
  }
}

// --- spans ---

typedef struct span_change {
  node_change node[2];
  frame_change frame;
  double y[3][ENDS]; // of both ends in the frame, and of their rates
  double l[3], c[3]; // of the length and of those before, and their rates
} span_change;

// Changes of an end in a frame that moves.
static void change_end(const lb_path_frame* f, const frame_change* df, const lb_path_node* n,
                       const node_change* dn, double* y, double* yd, double* ydd) {
  const lb_v4 r = n->at.at - f->o, dr = dn->dx - df->dx, wr = lb_v4_cross(f->w, r);
  const lb_v4 u = n->at.velocity - f->v - wr;
  const lb_v4 dwr = lb_v4_cross(df->dw, r) + lb_v4_cross(f->w, dr);
  const lb_v4 du = dn->dxd - df->dxd - dwr;
  const lb_v4 a = n->acceleration - f->a - lb_v4_cross(f->al, r) - lb_v4_cross(f->w, wr) -
                  2 * lb_v4_cross(f->w, u);
  const lb_v4 da = dn->dxdd - df->dxdd - lb_v4_cross(df->dal, r) - lb_v4_cross(f->al, dr) -
                   lb_v4_cross(df->dw, wr) - lb_v4_cross(f->w, dwr) -
                   2 * (lb_v4_cross(df->dw, u) + lb_v4_cross(f->w, du));
  lb_v4_store(y, lb_m3_apply_transposed(f->R, dr - lb_v4_cross(df->theta, r)));
  lb_v4_store(yd, lb_m3_apply_transposed(f->R, du - lb_v4_cross(df->theta, u)));
  lb_v4_store(ydd, lb_m3_apply_transposed(f->R, da - lb_v4_cross(df->theta, a)));
}

// Changes of the belly's beginning and size, and of their rates.
typedef struct belly_change {
  double begin[3], size[3];
} belly_change;

static belly_change change_belly(const derivation* d, int k, bool velocity, const double whole[3]) {
  const lb_model_path* of = d->P->p.of;
  belly_change c;
  for (int n = 0; n < 3; n++) {
    c.begin[n] = of->mass.B0 * whole[n];
    c.size[n] = of->mass.B1 * whole[n];
  }
  for (int i = 0; i < of->ntendon; i++) {
    if (of->tendon[i].v == k) {
      c.begin[velocity] += of->tendon[i].C0;
      c.size[velocity] += of->tendon[i].C1;
    }
  }
  return c;
}

static belly_change change_spans(const derivation* d, int k, bool velocity, span_change* out) {
  const lb_mass_path* P = d->P;
  double whole[3] = {0};
  for (int s = 0; s + 1 < P->p.count; s++) {
    span_change* c = &out[s];
    const lb_taylor* l = lb_wrap_length(P->span[s].path);
    c->frame = velocity ? frame_by_qd(d, s, k) : frame_by_q(d, s, k);
    memcpy(c->c, whole, sizeof c->c);
    memset(c->l, 0, sizeof c->l);
    for (int e = 0; e < 2; e++) {
      c->node[e] = velocity ? node_by_qd(d, s + e, k) : node_by_q(d, s + e, k);
      change_end(&P->span[s].frame, &c->frame, &P->p.node[s + e], &c->node[e], c->y[0] + 3 * e,
                 c->y[1] + 3 * e, c->y[2] + 3 * e);
    }
    for (int i = 0; i < ENDS; i++) {
      const int at = LB_TAYLOR_P + i;
      c->l[0] += lb_taylor_lane(l, 0, at) * c->y[0][i];
      c->l[1] += lb_taylor_lane(l, 1, at) * c->y[0][i] + lb_taylor_lane(l, 0, at) * c->y[1][i];
      c->l[2] += 2 * lb_taylor_lane(l, 2, at) * c->y[0][i] +
                 2 * lb_taylor_lane(l, 1, at) * c->y[1][i] + lb_taylor_lane(l, 0, at) * c->y[2][i];
    }
    for (int n = 0; n < 3; n++) {
      whole[n] += c->l[n];
    }
  }
  return change_belly(d, k, velocity, whole);
}

// Change of k at an arc length: dsigma = size dk + dbegin + k dsize.
static double change_material(const derivation* d, double k, double dsigma, const belly_change* b) {
  return (dsigma - b->begin[0] - k * b->size[0]) / d->P->size[0];
}

// Change of the bound of piece j of a span.
static double change_bound(const derivation* d, const span_change* c, int span, int j, bool end,
                           const belly_change* b) {
  const int before = end ? j : j - 1;
  double k, dsigma = c->c[0];
  if (!lb_mass_path_bound(d->P, span, j, end, &k)) {
    return 0;
  }
  for (int i = 0; i < ENDS && before >= 0; i++) {
    dsigma +=
        lb_taylor_lane(&d->P->span[span].path->piece[before].end, 0, LB_TAYLOR_P + i) * c->y[0][i];
  }
  return change_material(d, k, dsigma, b);
}

// --- forces ---

typedef struct changes {
  lb_v4 node[LB_PATH_NODES];
  lb_motion frame[LB_PATH_SPANS]; // moment about the frame's origin
  double begin, size, before[LB_PATH_SPANS];
} changes;

// Force on an end of a span, in its frame, and its opposite on the frame.
static void add_end(const derivation* d, int s, int e, const span_change* c, const double g[3],
                    const double dg[3], changes* to) {
  const lb_path_frame* f = &d->P->span[s].frame;
  const lb_v4 force = lb_m3_apply(f->R, lb_v4_load(g));
  const lb_v4 df = lb_v4_cross(c->frame.theta, force) + lb_m3_apply(f->R, lb_v4_load(dg));
  const lb_v4 r = d->P->p.node[s + e].at.at - f->o, dr = c->node[e].dx - c->frame.dx;
  to->node[s + e] += df;
  to->frame[s].v -= df;
  to->frame[s].w -= lb_v4_cross(dr, force) + lb_v4_cross(r, df);
}

// Changes of eta and its rates for a station.
static void change_eta(const derivation* d, const lb_station* st, const span_change* c, double dk,
                       const belly_change* b, double eta[3][ETA]) {
  for (int n = 0; n < 3; n++) {
    eta[n][0] = dk * d->P->size[n] + b->begin[n] + st->k * b->size[n] - c->c[n];
    memcpy(eta[n] + 1, c->y[n], ENDS * sizeof(double));
  }
}

static lb_v4 series(const lb_station* st, int n, const double* eta) {
  lb_v4 sum = lb_v4_zero();
  for (int i = 0; i < ETA; i++) {
    sum += lb_v4_load(st->c[n][i]) * eta[i];
  }
  return sum;
}

static void change_station(const derivation* d, const lb_station* st, const span_change* c,
                           const belly_change* b, changes* to) {
  const lb_path_frame* f = &d->P->span[st->span].frame;
  double dk = 0, dm = 0;
  if (st->at >= 0) {
    const double from = change_bound(d, c, st->span, st->piece, false, b);
    const double until = change_bound(d, c, st->span, st->piece, true, b);
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
                              const span_change* c) {
  const lb_path_frame* f = &d->P->span[s].frame;
  lb_vec3 change = {0, 0, 0};
  for (int i = 0; i < ENDS; i++) {
    change = lb_vec3_add(
        change, lb_vec3_scale(c->y[0][i], lb_taylor3_lane(&piece->along, 0, LB_TAYLOR_P + i)));
  }
  return lb_v4_cross(c->frame.theta, lb_path_world(f, lb_taylor3_lane(&piece->along, 0, 0))) +
         lb_path_world(f, change);
}

static void change_corner(const derivation* d, int i, const span_change* all, const belly_change* c,
                          changes* to) {
  const lb_mass_path* P = d->P;
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
  const double dk = change_material(d, k, all[i].c[0], c);
  const double dkd = (all[i].c[1] - c->begin[1] - dk * P->size[1] - k * c->size[1] - kd * dLb) / Lb;
  const lb_v4 turn = change_direction(d, i, &b->path->piece[0], &all[i]) -
                     change_direction(d, i - 1, &a->path->piece[a->path->count - 1], &all[i - 1]);
  to->node[i] += (out - in) * (m->mass * (2 * kd * dkd * Lb + kd * kd * dLb)) +
                 turn * (m->mass * kd * kd * Lb);
}

static void change_lengths(const derivation* d, const span_change* all, changes* to) {
  const lb_mass_path* P = d->P;
  const lb_wrap_path* paths = d->w->muscles->inertia->path;
  const lb_path_mass* m = &P->p.of->mass;
  double dlambda = m->B0 * to->begin + m->B1 * to->size;
  for (int s = P->p.count - 2; s >= 0; s--) {
    const lb_taylor* l = lb_wrap_length(P->span[s].path);
    double g[ENDS], dg[ENDS];
    for (int i = 0; i < ENDS; i++) {
      const double slope = lb_taylor_lane(l, 0, LB_TAYLOR_P + i);
      double turned = 0;
      for (int j = 0; j < ENDS; j++) {
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
  const lb_path_frame* f = &d->P->span[s].frame;
  const lb_v4 force = lb_m3_apply(f->R, lb_v4_load(g));
  d->force[s + e] += force;
  d->wrench[s].v -= force;
  d->wrench[s].w -= lb_v4_cross(d->P->p.node[s + e].at.at - f->o, force);
}

static void find_forces(derivation* d) {
  const lb_mass_path* P = d->P;
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
    double g[ENDS];
    d->lambda[s] = whole;
    for (int i = 0; i < ENDS; i++) {
      g[i] = whole * lb_taylor_lane(l, 0, LB_TAYLOR_P + i);
    }
    add_force(d, s, 0, g);
    add_force(d, s, 1, g + 3);
    whole += before[s];
  }
}

// Forces of dependent nodes act on what they follow from.
static void hand_forces_on(derivation* d) {
  const lb_path* p = &d->P->p;
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
  const lb_model_path* of = d->P->p.of;
  double* K = velocity ? d->D->tau_qd : d->D->tau_q;
  for (int i = 0; i < of->ntendon; i++) {
    const lb_path_tendon* t = &of->tendon[i];
    K[(size_t)t->v * (size_t)d->D->model->nv + (size_t)k] += t->C0 * to->begin + t->C1 * to->size;
  }
}

// Change of what dependent nodes hand on, to rows of their coordinates in `rows`.
static void hand_changes_on(const derivation* d, int k, bool velocity, changes* to, double* rows) {
  const lb_path* p = &d->P->p;
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    const int nv = d->D->model->nv;
    double dz[3][LB_GROUP_NUMBERS], dphi[LB_GROUP_NUMBERS], curve[LB_GROUP_NUMBERS] = {0};
    lb_path_transfer(p, g, to->node + g->first, dphi);
    if (!velocity) {
      change_places(d, g, k, velocity, dz);
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
  const lb_mass_path* P = d->P;
  span_change all[LB_PATH_SPANS];
  changes to = {0};
  const belly_change belly = change_spans(d, k, velocity, all);
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
    const lb_v4 theta = velocity ? lb_v4_zero() : d->node[i].S[k].w;
    d->node[i].change[k] = (lb_motion){lb_v4_zero(), lb_v4_cross(theta, d->force[i]) - to.node[i]};
  }
  for (int s = 0; s + 1 < P->p.count; s++) {
    if (has_frame(d, s)) {
      const lb_v4 theta = all[s].frame.theta;
      d->frame[s].change[k] = (lb_motion){lb_v4_cross(theta, d->wrench[s].w) - to.frame[s].w,
                                          lb_v4_cross(theta, d->wrench[s].v) - to.frame[s].v};
    }
  }
}

// Rows and columns of moving points, as in path_derivative.c.
static void add_moving(const derivation* d, int i, double* K, bool position) {
  const lb_path_node* n = &d->P->p.node[i];
  const int nv = d->D->model->nv, v = n->item->v;
  if (v < 0) {
    return;
  }
  const lb_v4 force = d->force[i];
  for (int at = 0; at < d->P->p.of->nv; at++) {
    const int k = d->P->p.of->v[at];
    const lb_v4 theta = position ? d->node[i].S[k].w : lb_v4_zero();
    const lb_v4 change = lb_v4_cross(theta, force) - d->node[i].change[k].v;
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
  const lb_path* p = &d->P->p;
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    if (!p->node[i].dependent) {
      lb_path_derive_force(d->D, p->of, K, d->node[i].S, d->node[i].change);
      add_moving(d, i, K, position);
    }
  }
  for (int s = 0; s + 1 < p->count; s++) {
    if (has_frame(d, s)) {
      lb_path_derive_force(d->D, p->of, K, d->frame[s].S, d->frame[s].change);
    }
  }
}

static void derive(lb_derivatives* D, lb_work* w, const lb_mass_path* P, const double* qd,
                   const double* qdd) {
  derivation d = {.D = D, .w = w, .P = P, .qd = qd, .qdd = qdd};
  const lb_model_path* of = P->p.of;
  int taken = 0;
  for (int j = 0; j < lb_path_nodes(&P->p); j++) {
    const int i = lb_path_which(&P->p, j);
    d.node[i] = take(D, taken++, P->p.node[i].at.index, P->p.node[i].at.arm);
  }
  for (int s = 0; s + 1 < P->p.count; s++) {
    if (has_frame(&d, s)) {
      d.frame[s] = take(D, taken++, P->span[s].frame.link, P->span[s].frame.arm);
    }
  }
  move_dependent(&d);
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
