// Derivatives of a path's tension. With the changes dx of the nodes and of the frames with a
// coordinate (dynamics_derivative.h), theta being how a frame turns, and H = d2l/dy2,
//
//   dy = R'(dx - do - theta x r),    dl = g.dy,    d(R g) = theta x R g + R H dy
//   dF = F' dL + d dLd,              df = -dF R g - F d(R g)
//
// on a node, and the opposite on the surface. Dependent nodes move with what they follow from, and
// hand the change of their force on (path_group.c).
#include <math.h>
#include <string.h>

#include "dynamics/muscle/path.h"

enum { ENDS = 6 }; // numbers of both ends

typedef struct path_slopes {
  double H[LB_PATH_SPANS][ENDS][ENDS]; // of the length, in the frame
  lb_vec3 Hyd[LB_PATH_SPANS][2];       // H yd
} path_slopes;

// --- second derivatives of lengths ---

static void straight_hessian(const lb_path_span* s, double H[ENDS][ENDS]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double a = s->length > 0 ? ((i == j) - s->g[1][i] * s->g[1][j]) / s->length : 0;
      H[i][j] = H[3 + i][3 + j] = a;
      H[i][3 + j] = H[3 + i][j] = -a;
    }
  }
}

static void wrapped_hessian(const lb_path_span* s, double H[ENDS][ENDS]) {
  for (int j = 0; j < ENDS; j++) {
    lb_path_end end[2] = {{.x = s->end[0].x}, {.x = s->end[1].x}};
    (&end[j / 3].xd.x)[j % 3] = 1;
    lb_wrap_path path;
    lb_wrap_find(1, &s->surface->wrap, &path, &end[0], &end[1]);
    for (int i = 0; i < ENDS; i++) {
      H[i][j] = lb_taylor_lane(lb_wrap_length(&path), 1, LB_TAYLOR_P + i);
    }
  }
}

// --- directions ---

// Changes of a node and of a frame with one coordinate, or with one velocity.
typedef struct node_change {
  lb_v4 theta, dx, dxd;
} node_change;
typedef struct frame_change {
  lb_v4 theta, dx, dxd, dw;
} frame_change;

typedef struct end_change {
  lb_v4 y, yd; // in the frame
} end_change;

static end_change change_end(const lb_path_frame* f, const frame_change* df, const lb_path_node* n,
                             const node_change* dn) {
  const lb_v4 r = n->at.at - f->o, dr = dn->dx - df->dx;
  const lb_v4 u = n->at.velocity - f->v - lb_v4_cross(f->w, r);
  const lb_v4 du = dn->dxd - df->dxd - lb_v4_cross(df->dw, r) - lb_v4_cross(f->w, dr);
  return (end_change){lb_m3_apply_transposed(f->R, dr - lb_v4_cross(df->theta, r)),
                      lb_m3_apply_transposed(f->R, du - lb_v4_cross(df->theta, u))};
}

// Motions of nodes and frames with all coordinates, and changes of forces on them: [nv] each.
typedef struct motions {
  lb_motion *S, *psi, *change;
} motions;

static motions take(const lb_derivatives* D, int i) {
  const size_t nv = (size_t)D->model->nv;
  lb_motion* at = D->work->points + (size_t)(LB_POINT_ARRAYS * i) * nv;
  return (motions){at, at + nv, at + 2 * nv};
}

typedef struct derivation {
  lb_derivatives* D;
  const lb_path* p;
  const double* qd;
  bool rates; // of motions are asked for
  motions node[LB_PATH_NODES], frame[LB_PATH_SPANS];
  lb_v4 force[LB_PATH_NODES]; // on nodes, dependent ones included
  path_slopes* slopes;
} derivation;

static node_change node_by_q(const derivation* d, int i, int k) {
  const lb_path_node* n = &d->p->node[i];
  const lb_motion S = d->node[i].S[k], psi = d->node[i].psi[k];
  node_change c = {S.w, S.v, psi.v + lb_v4_cross(S.w, n->at.velocity)};
  if (n->item->v == k) {
    const lb_v4 w = n->at.link ? n->at.link->w : lb_v4_zero();
    c.dx += n->slope[0];
    c.dxd += lb_v4_cross(w, n->slope[0]) + n->slope[1] * d->qd[k];
  }
  return c;
}

static node_change node_by_qd(const derivation* d, int i, int k) {
  const lb_path_node* n = &d->p->node[i];
  lb_v4 dxd = d->node[i].S[k].v;
  if (n->item->v == k) {
    dxd += n->slope[0];
  }
  return (node_change){lb_v4_zero(), lb_v4_zero(), dxd};
}

static frame_change frame_by_q(const derivation* d, int s, int k) {
  if (!d->p->span[s].surface) {
    return (frame_change){0};
  }
  const lb_path_frame* f = &d->p->span[s].frame;
  const lb_motion S = d->frame[s].S[k], psi = d->frame[s].psi[k];
  return (frame_change){S.w, S.v, psi.v + lb_v4_cross(S.w, f->v), psi.w + lb_v4_cross(S.w, f->w)};
}

static frame_change frame_by_qd(const derivation* d, int s, int k) {
  if (!d->p->span[s].surface) {
    return (frame_change){0};
  }
  const lb_motion S = d->frame[s].S[k];
  return (frame_change){lb_v4_zero(), lb_v4_zero(), S.v, S.w};
}

// --- changes of forces ---

static lb_v4 apply_H(const double H[ENDS][ENDS], int e, const lb_v4 y[2]) {
  lb_v4 out = lb_v4_zero();
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[i] += H[3 * e + i][j] * y[0][j] + H[3 * e + i][3 + j] * y[1][j];
    }
  }
  return out;
}

static const lb_path_frame WORLD_FRAME = {.link = LB_WORLD,
                                          .R = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static const lb_path_frame* frame_of(const lb_path_span* s) {
  return s->surface ? &s->frame : &WORLD_FRAME;
}

typedef struct span_change {
  end_change end[2];
  double length, rate;
} span_change;

static span_change change_span(const derivation* d, int s, const node_change* nc,
                               const frame_change* fc) {
  const lb_path_span* span = &d->p->span[s];
  const lb_path_frame* f = frame_of(span);
  span_change c = {.length = 0};
  for (int e = 0; e < 2; e++) {
    c.end[e] = change_end(f, fc, &d->p->node[s + e], &nc[e]);
    const lb_v4 g = lb_m3_apply_transposed(f->R, span->g[e]);
    c.length += lb_v4_dot(g, c.end[e].y);
    c.rate += lb_v4_dot(g, c.end[e].yd) + lb_v4_dot(lb_v4_from(d->slopes->Hyd[s][e]), c.end[e].y);
  }
  return c;
}

// Force of a change dF of the tension and of the gradient, on a node and on a surface, beyond
// turning along.
static void add_change(const derivation* d, int s, int k, const span_change* c,
                       const node_change* nc, const frame_change* fc, double dF) {
  const lb_path* p = d->p;
  const lb_path_span* span = &p->span[s];
  const lb_path_frame* f = frame_of(span);
  const lb_v4 y[2] = {c->end[0].y, c->end[1].y};
  for (int e = 0; e < 2; e++) {
    const lb_path_node* n = &p->node[s + e];
    const lb_v4 g = span->g[e], force = g * -p->F;
    const lb_v4 dg = lb_v4_cross(fc->theta, g) + lb_m3_apply(f->R, apply_H(d->slopes->H[s], e, y));
    const lb_v4 df = g * -dF - dg * p->F;
    d->node[s + e].change[k].v += df - lb_v4_cross(nc[e].theta, force);
    if (span->surface) {
      const lb_v4 r = n->at.at - f->o, dr = nc[e].dx - fc->dx;
      lb_motion* to = &d->frame[s].change[k];
      const lb_v4 moment = lb_v4_cross(r, force);
      to->v -= df - lb_v4_cross(fc->theta, force);
      to->w -= lb_v4_cross(dr, force) + lb_v4_cross(r, df) - lb_v4_cross(fc->theta, moment);
    }
  }
}

// Rows of tendons, which F stretches.
static void add_tendons(const derivation* d, int k, bool velocity, double dF) {
  const lb_model_path* of = d->p->of;
  double* K = velocity ? d->D->tau_qd : d->D->tau_q;
  for (int i = 0; i < of->ntendon; i++) {
    K[(size_t)of->tendon[i].v * (size_t)d->D->model->nv + (size_t)k] -= dF;
  }
}

// Numbers along z of a group's changes with one coordinate.
static void change_places(const derivation* d, const lb_path_group* g, int k, bool rates,
                          double (*dz)[LB_GROUP_NUMBERS]) {
  for (int i = 0; i < g->of.nplace; i++) {
    const node_change c = rates ? node_by_q(d, g->place[i], k)
                                : node_by_qd(d, g->place[i], k); // its dxd is dx by the coordinate
    lb_v4_store(dz[0] + 3 * i, rates ? c.dx : c.dxd);
    lb_v4_store(dz[1] + 3 * i, rates ? c.dxd : lb_v4_zero());
  }
  for (int i = 0; i < g->of.ncoordinate; i++) {
    dz[0][3 * g->of.nplace + i] = g->v[i] == k;
    dz[1][3 * g->of.nplace + i] = 0;
  }
}

// Motions of dependent nodes.
static void move_dependent(const derivation* d) {
  const lb_path* p = d->p;
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    for (int at = 0; at < p->of->nv; at++) {
      const int k = p->of->v[at];
      double dz[2][LB_GROUP_NUMBERS];
      change_places(d, g, k, d->rates, dz);
      for (int i = 0; i < g->of.n; i++) {
        lb_v4 change[2] = {lb_v4_zero(), lb_v4_zero()};
        lb_path_change(p, g, i, d->rates ? 1 : 0, (const double(*)[LB_GROUP_NUMBERS])dz, change);
        d->node[g->first + i].S[k] = (lb_motion){lb_v4_zero(), change[0]};
        d->node[g->first + i].psi[k] = (lb_motion){lb_v4_zero(), change[1]};
      }
    }
  }
}

// Change of what a group hands on, where its force has changed; with f.d2x/dz2 dz where it has
// moved (`position`).
static void hand_change_on(const derivation* d, const lb_path_group* g, bool position, int k,
                           double* to) {
  const lb_path* p = d->p;
  const int nv = d->D->model->nv;
  lb_v4 df[LB_GROUP_NODES];
  double z[LB_GROUP_NUMBERS], dz[2][LB_GROUP_NUMBERS], dphi[LB_GROUP_NUMBERS],
      curve[LB_GROUP_NUMBERS] = {0};
  for (int i = 0; i < g->of.n; i++) {
    df[i] = d->node[g->first + i].change[k].v;
  }
  lb_path_transfer(p, g, df, dphi);
  if (position) {
    change_places(d, g, k, false, dz);
    lb_path_curve(p, g, d->force + g->first, dz[0], curve);
    lb_path_transfer(p, g, d->force + g->first, z);
  }
  for (int i = 0; i < g->of.nplace; i++) {
    const motions* m = &d->node[g->place[i]];
    m->change[k].v += lb_v4_load(dphi + 3 * i) + lb_v4_load(curve + 3 * i);
    if (position) {
      m->change[k].v -= lb_v4_cross(m->S[k].w, lb_v4_load(z + 3 * i));
    }
  }
  for (int i = 0; i < g->of.ncoordinate; i++) {
    const int at = 3 * g->of.nplace + i;
    to[(size_t)g->v[i] * (size_t)nv + (size_t)k] -= dphi[at] + curve[at];
  }
}

static void change_by(const derivation* d, int k, bool velocity) {
  const lb_path* p = d->p;
  node_change nc[LB_PATH_MOST_POINTS];
  frame_change fc[LB_PATH_SPANS];
  span_change sc[LB_PATH_SPANS];
  double dF = 0;
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    if (j < p->count) {
      nc[i] = velocity ? node_by_qd(d, i, k) : node_by_q(d, i, k);
    }
    d->node[i].change[k] = lb_motion_zero();
  }
  for (int s = 0; s + 1 < p->count; s++) {
    fc[s] = velocity ? frame_by_qd(d, s, k) : frame_by_q(d, s, k);
    sc[s] = change_span(d, s, &nc[s], &fc[s]);
    dF += p->slope * sc[s].length + p->damping * sc[s].rate;
    if (p->span[s].surface) {
      d->frame[s].change[k] = lb_motion_zero();
    }
  }
  for (int i = 0; i < p->of->ntendon; i++) {
    dF -= p->of->tendon[i].v == k ? (velocity ? p->damping : p->slope) : 0;
  }
  for (int s = 0; s + 1 < p->count; s++) {
    add_change(d, s, k, &sc[s], &nc[s], &fc[s], dF);
  }
  add_tendons(d, k, velocity, dF);
}

// Changes of what all groups hand on, to rows of their coordinates in `to`.
static void hand_changes_on(const derivation* d, double* to, bool position) {
  const lb_path* p = d->p;
  for (int j = 0; j < p->ngroup; j++) {
    for (int k = 0; k < p->of->nv; k++) {
      hand_change_on(d, &p->group[j], position, p->of->v[k], to);
    }
  }
}

// Forces on moving points also act along their coordinate, and change with it: rows and columns of
// that coordinate beyond those of the point of the link.
static void add_moving(const derivation* d, int i, double* K, bool position) {
  const lb_path_node* n = &d->p->node[i];
  const int nv = d->D->model->nv, v = n->item->v;
  if (v < 0) {
    return;
  }
  const lb_v4 force = d->force[i];
  for (int at = 0; at < d->p->of->nv; at++) {
    const int k = d->p->of->v[at];
    // the change had the force turn along with the link
    const lb_v4 theta = d->node[i].S[k].w;
    const lb_v4 change =
        d->node[i].change[k].v + lb_v4_cross(theta, force) * (position ? 1.0 : 0.0);
    double own = lb_v4_dot(change, n->slope[0]);
    if (position) {
      own += lb_v4_dot(force, lb_v4_cross(theta, n->slope[0]));
      own += k == v ? lb_v4_dot(force, n->slope[1]) : 0;
      K[(size_t)k * (size_t)nv + (size_t)v] -= lb_v4_dot(force, lb_v4_cross(theta, n->slope[0]));
    }
    K[(size_t)v * (size_t)nv + (size_t)k] -= own;
  }
}

void lb_path_derive_force(const lb_derivatives* D, const lb_model_path* of, double* K,
                          const lb_motion* S, const lb_motion* change) {
  const size_t nv = (size_t)D->model->nv;
  for (int a = 0; a < of->nv; a++) {
    const lb_motion by = S[of->v[a]];
    double* row = K + (size_t)of->v[a] * nv;
    for (int b = 0; b < of->nv && lb_motion_dot(by, by) > 0; b++) {
      row[of->v[b]] -= lb_motion_dot(by, change[of->v[b]]);
    }
  }
}

static void add_all(const derivation* d, double* K, bool position) {
  const lb_path* p = d->p;
  hand_changes_on(d, K, position);
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    if (!p->node[i].dependent) {
      lb_path_derive_force(d->D, p->of, K, d->node[i].S, d->node[i].change);
      add_moving(d, i, K, position);
    }
  }
  for (int s = 0; s + 1 < p->count; s++) {
    if (p->span[s].surface) {
      lb_path_derive_force(d->D, p->of, K, d->frame[s].S, d->frame[s].change);
    }
  }
}

static void find_slopes(path_slopes* to, const lb_path* p) {
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_path_span* span = &p->span[s];
    if (span->surface) {
      wrapped_hessian(span, to->H[s]);
    } else {
      straight_hessian(span, to->H[s]);
    }
    lb_v4 yd[2];
    for (int e = 0; e < 2; e++) {
      yd[e] = span->surface ? lb_v4_from(span->end[e].xd) : p->node[s + e].at.velocity;
    }
    for (int e = 0; e < 2; e++) {
      to->Hyd[s][e] = lb_v4_vec3(apply_H(to->H[s], e, yd));
    }
  }
}

static void find_forces(derivation* d) {
  const lb_path* p = d->p;
  for (int j = 0; j < lb_path_nodes(p); j++) {
    d->force[lb_path_which(p, j)] = lb_v4_zero();
  }
  for (int s = 0; s + 1 < p->count; s++) {
    for (int e = 0; e < 2; e++) {
      d->force[s + e] -= p->span[s].g[e] * p->F;
    }
  }
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    double z[LB_GROUP_NUMBERS];
    lb_path_transfer(p, g, d->force + g->first, z);
    for (int i = 0; i < g->of.nplace; i++) {
      d->force[g->place[i]] += lb_v4_load(z + 3 * i);
    }
  }
}

static derivation begin(lb_derivatives* D, lb_path* p, path_slopes* slopes, const double* qd,
                        bool rates) {
  derivation d = {.D = D, .p = p, .qd = qd, .rates = rates, .slopes = slopes};
  int taken = 0;
  for (int j = 0; j < p->ngroup; j++) {
    const int orders = rates ? 1 : 0;
    if (p->group[j].known <= orders) {
      lb_path_follow(p, &p->group[j], 1, orders);
    }
  }
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    const lb_force_point* at = &p->node[i].at;
    d.node[i] = take(D, taken++);
    lb_derive_point(D, d.node[i].S, d.node[i].psi, at->index, at->arm);
  }
  for (int s = 0; s + 1 < p->count; s++) {
    if (p->span[s].surface) {
      d.frame[s] = take(D, taken++);
      lb_derive_point(D, d.frame[s].S, d.frame[s].psi, p->span[s].frame.link, p->span[s].frame.arm);
    }
  }
  move_dependent(&d);
  find_forces(&d);
  return d;
}

// Derivatives of the length, less the stretch of tendons, by all coordinates.
static void lengths(const derivation* d, double* out) {
  const lb_path* p = d->p;
  memset(out, 0, (size_t)d->D->model->nv * sizeof *out);
  for (int at = 0; at < p->of->nv; at++) {
    const int k = p->of->v[at];
    for (int s = 0; s + 1 < p->count; s++) {
      for (int e = 0; e < 2; e++) {
        const lb_path_node* n = &p->node[s + e];
        const lb_v4 r = n->at.at - p->span[s].frame.o;
        lb_v4 x = d->node[s + e].S[k].v;
        x += n->item->v == k ? n->slope[0] : lb_v4_zero();
        if (p->span[s].surface) {
          const lb_motion S = d->frame[s].S[k];
          x -= S.v + lb_v4_cross(S.w, r);
        }
        out[k] += lb_v4_dot(p->span[s].g[e], x);
      }
    }
  }
  for (int i = 0; i < p->of->ntendon; i++) {
    out[p->of->tendon[i].v] = -1;
  }
}

// Symmetric part for linearly implicit steps: F' Lq Lq' + F sum Y'H Y, and d Lq Lq'.
static void derive_symmetric(const derivation* d) {
  lb_derivatives* D = d->D;
  double* Lq = D->work->lengths;
  const lb_path* p = d->p;
  const int nv = D->model->nv;
  lengths(d, Lq);
  for (int a = 0; a < p->of->nv; a++) {
    for (int b = 0; b < p->of->nv; b++) {
      const int j = p->of->v[a], k = p->of->v[b];
      const size_t at = (size_t)j * (size_t)nv + (size_t)k;
      D->tau_q[at] += p->slope * Lq[j] * Lq[k];
      D->tau_qd[at] += p->damping * Lq[j] * Lq[k];
    }
  }
}

static void add_curvature(const derivation* d) {
  const lb_path* p = d->p;
  const int nv = d->D->model->nv;
  for (int s = 0; s + 1 < p->count; s++) {
    for (int b = 0; b < p->of->nv; b++) {
      const int k = p->of->v[b];
      const node_change nc[2] = {node_by_q(d, s, k), node_by_q(d, s + 1, k)};
      const frame_change fc = frame_by_q(d, s, k);
      const span_change c = change_span(d, s, nc, &fc);
      const lb_v4 y[2] = {c.end[0].y, c.end[1].y};
      const lb_v4 Hy[2] = {apply_H(d->slopes->H[s], 0, y), apply_H(d->slopes->H[s], 1, y)};
      for (int a = 0; a < p->of->nv; a++) {
        const int j = p->of->v[a];
        const node_change nj[2] = {node_by_q(d, s, j), node_by_q(d, s + 1, j)};
        const frame_change fj = frame_by_q(d, s, j);
        const span_change cj = change_span(d, s, nj, &fj);
        d->D->tau_q[(size_t)j * (size_t)nv + (size_t)k] +=
            p->F * (lb_v4_dot(cj.end[0].y, Hy[0]) + lb_v4_dot(cj.end[1].y, Hy[1]));
      }
    }
  }
}

void lb_path_derive(lb_derivatives* D, lb_path* p, const double* qd, bool symmetric) {
  if (p->F == 0 && p->slope == 0 && p->damping == 0) {
    return;
  }
  path_slopes slopes;
  const derivation d = begin(D, p, &slopes, qd, true);
  find_slopes(&slopes, p);
  if (symmetric) {
    derive_symmetric(&d);
    add_curvature(&d);
    return;
  }
  for (int k = 0; k < p->of->nv; k++) {
    change_by(&d, p->of->v[k], false);
  }
  add_all(&d, D->tau_q, true);
  if (p->damping != 0) {
    for (int k = 0; k < p->of->nv; k++) {
      change_by(&d, p->of->v[k], true);
    }
    add_all(&d, D->tau_qd, false);
  }
}

void lb_path_derive_tension(lb_derivatives* D, double* K, lb_path* p, int v, double F) {
  path_slopes slopes;
  const derivation d = begin(D, p, &slopes, NULL, false);
  double* Lq = D->work->lengths;
  lengths(&d, Lq);
  const int nv = D->model->nv;
  for (int j = 0; j < nv; j++) {
    K[(size_t)j * (size_t)nv + (size_t)v] += F * Lq[j];
  }
}

double lb_path_power(const lb_derivatives* D, lb_path* p, const double* mu) {
  path_slopes slopes;
  const derivation d = begin((lb_derivatives*)D, p, &slopes, NULL, false);
  double* Lq = D->work->lengths;
  lengths(&d, Lq);
  double sum = 0;
  for (int k = 0; k < D->model->nv; k++) {
    sum -= Lq[k] * mu[k];
  }
  return sum;
}
