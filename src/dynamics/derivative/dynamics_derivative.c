// Derivatives of inverse and forward dynamics by recursion: the vectors of (1)-(7) of
// dynamics_derivative.h link by link, then dot products along the way to the world, four
// coordinates at a time. [Carpentier & Mansard 2018; Singh, Russell & Wensing 2022], here with
// everything at one point, so that nothing is shifted, and with 2 B in the form of a momentum and a
// 3 x 3 matrix.
#include "dynamics/derivative/dynamics_derivative.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/carve.h"
#include "dynamics/derivative/derivative_elastic.h"
#include "dynamics/force/force.h"
#include "dynamics/muscle/muscle_inertia.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "model/use/model_path.h"

// Four numbers from anywhere.
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

// Rows of the spread arrays.
enum { SPREAD_S = 0, SPREAD_SIG = 6, SPREAD_CHI = 12, SPREAD_PSI = 18 };

// --- kinematics ---

// Velocity and acceleration of a link as spatial ones at O: the rate of the velocity of whatever
// passes O, a - w x v.
static void move_to_root(lb_derivation* W, const lb_state* s, int i, lb_v4 at) {
  W->V[i] = (lb_motion){s->w, s->v - lb_v4_cross(s->w, at)};
  W->A[i] = (lb_motion){s->al, s->a - lb_v4_cross(s->w, s->v) - lb_v4_cross(s->al, at)};
}

// (1)-(3)
static void derive_column(lb_derivation* W, const lb_link* l, int c, lb_motion V, lb_motion S) {
  const lb_motion Vp = W->V[l->parent];
  const lb_motion psi = lb_motion_cross(Vp, S);
  W->S[c] = S;
  W->psi[c] = psi;
  W->chi[c] = lb_motion_add(lb_motion_cross(W->A[l->parent], S), lb_motion_cross(Vp, psi));
  W->sig[c] = lb_motion_add(psi, l->kind == LB_JOINT_REVOLUTE || LB_JOINT[l->kind]->integrable
                                     ? psi
                                     : lb_motion_cross(V, S));
}

// The terms of a joint that bends its directions.
static void bend_columns(lb_derivation* W, const lb_link* l, const lb_state* s, int i,
                         const double* qd, const double* qdd) {
  lb_motion* rate = W->bend;
  lb_motion* curve = W->bend + l->nv;
  LB_JOINT[l->kind]->bend(rate, curve, s, qd + l->v, qdd + l->v);
  const lb_motion both = lb_motion_add(W->V[i], W->V[l->parent]);
  for (int k = 0; k < l->nv; k++) {
    const int c = l->column + k;
    const lb_motion T = lb_motion_shift(rate[k], W->at[i]);
    const lb_motion more = lb_motion_shift(curve[k], W->at[i]);
    W->psi[c] = lb_motion_add(W->psi[c], T);
    W->chi[c] = lb_motion_add(W->chi[c], lb_motion_add(lb_motion_cross(both, T), more));
    W->sig[c] = lb_motion_add(W->psi[c], W->psi[c]);
  }
}

static void spread_columns(lb_derivation* W, const lb_link* l, size_t stride) {
  for (int c = l->column; c < l->column + l->nv; c++) {
    const lb_v4 part[] = {W->S[c].w,   W->S[c].v,   W->sig[c].w, W->sig[c].v,
                          W->chi[c].w, W->chi[c].v, W->psi[c].w};
    double* to = W->spread + c;
    for (int k = 0; k < LB_SPREAD / 3; k++, to += 3 * stride) {
      to[0] = part[k][0];
      to[stride] = part[k][1];
      to[2 * stride] = part[k][2];
    }
  }
}

static void derive_columns(lb_derivation* W, const lb_model* m, const lb_work* w, int i,
                           const double* qd, const double* qdd) {
  const lb_link* l = &m->link.packed[i];
  const lb_state* s = &w->state[i];
  if (l->kind == LB_JOINT_REVOLUTE) {
    const lb_motion S = {s->R.z, lb_v4_cross(W->at[i], s->R.z)};
    derive_column(W, l, l->column, W->V[i], S);
  } else {
    lb_v4* S = w->S + 2 * (size_t)l->column;
    LB_JOINT[l->kind]->columns(S, s);
    for (int k = 0; k < l->nv; k++) {
      const lb_motion here = {S[2 * k], S[2 * k + 1]};
      derive_column(W, l, l->column + k, W->V[i], lb_motion_shift(here, W->at[i]));
    }
    if (LB_JOINT[l->kind]->bend) {
      bend_columns(W, l, s, i, qd, qdd);
    }
  }
}

// --- inertia ---

static void add_diagonal(lb_m3* A, double s) {
  A->x[0] += s;
  A->y[1] += s;
  A->z[2] += s;
}

static double trace(lb_m3 A) {
  return A.x[0] + A.y[1] + A.z[2];
}

void lb_composite_put(lb_composite* c, lb_v4 at, const lb_state* s, const lb_inertia* b) {
  const lb_v4 half = b->h + at * (0.5 * b->m);
  lb_m3 I = b->I;
  add_diagonal(&I, 2 * lb_v4_dot(at, half));
  lb_m3_add_outer(&I, -1, at, half);
  lb_m3_add_outer(&I, -1, half, at);
  // int rho xd x' = p at' + v h' + [w] E + P with E = tr I / 2 - I = int rho x x'
  const lb_v4 p = s->v * b->m + lb_v4_cross(s->w, b->h) + b->p;
  lb_m3 E = {-b->I.x, -b->I.y, -b->I.z};
  add_diagonal(&E, 0.5 * trace(b->I));
  lb_m3 Pi = lb_m3_cross_mul(s->w, E);
  lb_m3_add(&Pi, b->P);
  lb_m3_add_outer(&Pi, 1, p, at);
  lb_m3_add_outer(&Pi, 1, s->v, b->h);
  lb_m3 D = {-2 * Pi.x, -2 * Pi.y, -2 * Pi.z};
  add_diagonal(&D, 2 * trace(Pi));
  c->m += b->m;
  c->h += b->h + at * b->m;
  lb_m3_add(&c->I, I);
  lb_m3_add(&c->D, D);
  c->p += p;
}

static void weigh(lb_derivation* W, const lb_model* m, const lb_work* w, int i) {
  const lb_link* l = &m->link.packed[i];
  const lb_state* s = &w->state[i];
  lb_composite* c = &W->whole[i];
  *c = (lb_composite){.n = s->IA.n + lb_v4_cross(W->at[i], s->IA.f), .f = s->IA.f};
  if (l->kind == LB_LINK_ELASTIC) {
    lb_elastic_weigh(c, W->at[i], s);
  } else {
    lb_composite_put(c, W->at[i], s, &(lb_inertia){.m = l->m, .h = s->h, .I = s->IA.A});
  }
}

void lb_derive_hand_over(lb_derivation* W, const lb_model* m, int i) {
  const int parent = m->link.packed[i].parent;
  if (parent != LB_WORLD) {
    const lb_composite* from = &W->whole[i];
    lb_composite* to = &W->whole[parent];
    to->m += from->m;
    to->h += from->h;
    lb_m3_add(&to->I, from->I);
    lb_m3_add(&to->D, from->D);
    to->p += from->p;
  }
}

static lb_motion accelerate(const lb_composite* c, lb_motion a) { // I a
  return (lb_motion){lb_m3_apply(c->I, a.w) + lb_v4_cross(c->h, a.v),
                     a.v * c->m - lb_v4_cross(c->h, a.w)};
}

static lb_motion turn(const lb_composite* c, lb_v4 w) { // 2 B (w, .)
  return (lb_motion){lb_m3_apply(c->D, w), 2 * lb_v4_cross(w, c->p)};
}

lb_slope lb_derive_slope(const lb_derivation* W, const lb_composite* I, int c) {
  const lb_motion S = W->S[c], along = lb_derive_along(I, S);
  return (lb_slope){
      .u = accelerate(I, S),
      .b = lb_m3_apply_transposed(I->D, S.w) + 2 * lb_v4_cross(I->p, S.v),
      .g = lb_motion_add(lb_motion_add(accelerate(I, W->chi[c]), turn(I, W->psi[c].w)), along),
      .gd = lb_motion_add(accelerate(I, W->sig[c]), turn(I, S.w))};
}

// --- matrices ---

void lb_derive_block(lb_derivatives* D, int row, const lb_slope* s, int column, int v, int count) {
  const lb_derivation* W = D->work;
  const size_t at = (size_t)row * (size_t)D->model->nv + (size_t)v;
  for (int k = 0; k < count; k++) {
    const int c = column + k;
    D->M[at + (size_t)k] += lb_motion_dot(s->u, W->S[c]);
    D->tau_q[at + (size_t)k] += lb_motion_dot(s->u, W->chi[c]) + lb_v4_sum(s->b * W->psi[c].w);
    D->tau_qd[at + (size_t)k] += lb_motion_dot(s->u, W->sig[c]) + lb_v4_sum(s->b * W->S[c].w);
  }
}

#define DOT6(X, at, a)                                                                             \
  ((X[at + 0] * a.w[0] + X[at + 1] * a.w[1] + X[at + 2] * a.w[2]) +                                \
   (X[at + 3] * a.v[0] + X[at + 4] * a.v[1] + X[at + 5] * a.v[2]))
#define DOT3(X, at, a) (X[at + 0] * a[0] + X[at + 1] * a[1] + X[at + 2] * a[2])

// The matrices' entries of row i with coordinates j ... that it hangs on, and the transposed ones.
typedef struct entries {
  four M, row_q, row_qd, column_q, column_qd;
} entries;

static inline entries dot_four(const double* spread, size_t stride, const lb_slope* s) {
  four X[LB_SPREAD];
  for (size_t k = 0; k < LB_SPREAD; k++) {
    X[k] = *(const four*)(spread + k * stride);
  }
  return (entries){.M = DOT6(X, SPREAD_S, s->u),
                   .row_q = DOT6(X, SPREAD_CHI, s->u) + DOT3(X, SPREAD_PSI, s->b),
                   .row_qd = DOT6(X, SPREAD_SIG, s->u) + DOT3(X, SPREAD_S, s->b),
                   .column_q = DOT6(X, SPREAD_S, s->g),
                   .column_qd = DOT6(X, SPREAD_S, s->gd)};
}

// Row i and column i along one run; the arrays may be read beyond its end, but not written.
static void fill_run(lb_derivatives* D, int i, const lb_slope* s, const lb_run* run) {
  const size_t nv = (size_t)D->model->nv, stride = (size_t)D->model->link.ncolumn + 3;
  const size_t row = (size_t)i * nv;
  for (int j = 0; j < run->count; j += 4) {
    const entries e = dot_four(D->work->spread + run->column + j, stride, s);
    const int count = run->count - j < 4 ? run->count - j : 4;
    const size_t v = (size_t)run->v + (size_t)j;
    if (count == 4) {
      *(four*)(D->M + row + v) = e.M;
      *(four*)(D->tau_q + row + v) = e.row_q;
      *(four*)(D->tau_qd + row + v) = e.row_qd;
    }
    for (int k = 0; k < count; k++) {
      const size_t below = row + v + (size_t)k, above = (v + (size_t)k) * nv + (size_t)i;
      if (count < 4) {
        D->M[below] = e.M[k];
        D->tau_q[below] = e.row_q[k];
        D->tau_qd[below] = e.row_qd[k];
      }
      D->M[above] = e.M[k];
      D->tau_q[above] = e.column_q[k];
      D->tau_qd[above] = e.column_qd[k];
    }
  }
}

// Row and column i with everything that hangs between link `from` and the world, itself included.
static void fill_inward(lb_derivatives* D, int i, const lb_slope* s, int from) {
  while (from != LB_WORLD) {
    const lb_run* run = &D->work->run[from];
    fill_run(D, i, s, run);
    from = run->next;
  }
}

// A link's own coordinates with each other, and with those it hangs on.
static void fill_link(lb_derivatives* D, const lb_work* w, int i) {
  const lb_model* m = D->model;
  const lb_link* l = &m->link.packed[i];
  lb_derivation* W = D->work;
  for (int k = 0; k < l->nv; k++) {
    const lb_slope s = lb_derive_slope(W, &W->whole[i], l->column + k);
    lb_derive_block(D, l->v + k, &s, l->column, l->v, l->nv);
    if (l->kind == LB_LINK_FACE ||
        l->kind == LB_LINK_EFFECTOR) { // the body goes on with the sum over its faces
      lb_slope* sum = &W->slope[l->v + k];
      sum->u = lb_motion_add(sum->u, s.u);
      sum->b += s.b;
      sum->g = lb_motion_add(sum->g, s.g);
      sum->gd = lb_motion_add(sum->gd, s.gd);
    } else {
      fill_inward(D, l->v + k, &s, l->parent);
    }
  }
  if (LB_JOINT[l->kind]->bend_force) {
    const lb_state* s = &w->state[i];
    LB_JOINT[l->kind]->bend_force(D->tau_q + (size_t)l->v * (size_t)m->nv + l->v, m->nv, s, s->IA.n,
                                  s->IA.f);
  }
}

static void fill_elastic(lb_derivatives* D, const lb_work* w, int i) {
  const lb_link* l = &D->model->link.packed[i];
  lb_derivation* W = D->work;
  lb_elastic_derive(D, &w->state[i], l, W->at[i]);
  for (int k = 0; k < l->nv; k++) {
    fill_inward(D, l->v + k, &W->slope[l->v + k], l->parent);
  }
}

static void derive_links(lb_derivation* W, const lb_model* m, const lb_work* w, int first, int last,
                         const double* qd, const double* qdd) {
  const lb_v4 O = w->state[first].p;
  // the world moves with minus gravity; at O as anywhere
  W->A[-1] = (lb_motion){lb_v4_zero(), w->state[-1].a};
  for (int i = first; i < last; i++) {
    W->at[i] = w->state[i].p - O;
    move_to_root(W, &w->state[i], i, W->at[i]);
    derive_columns(W, m, w, i, qd, qdd);
    weigh(W, m, w, i);
  }
}

void lb_derive_links(lb_derivatives* D, lb_data* d, const double* qd, const double* qdd) {
  const lb_model* m = D->model;
  lb_move_origins(m, d->work, qd);
  for (int t = 0; t < m->link.ntree; t++) {
    derive_links(D->work, m, d->work, m->link.tree[t], m->link.tree[t + 1], qd, qdd);
  }
}

static void fill_matrices(lb_derivatives* D, const lb_work* w) {
  const lb_model* m = D->model;
  for (int i = m->nlink - 1; i >= 0; i--) {
    if (m->link.packed[i].kind == LB_LINK_ELASTIC) {
      fill_elastic(D, w, i);
    } else {
      fill_link(D, w, i);
    }
    lb_derive_hand_over(D->work, m, i);
  }
}

void lb_derive_matrices(lb_derivatives* D, lb_data* d, const double* qd, const double* qdd) {
  const lb_model* m = D->model;
  const size_t nv = (size_t)m->nv;
  memset(D->M, 0, nv * nv * sizeof *D->M);
  memset(D->tau_q, 0, nv * nv * sizeof *D->tau_q);
  memset(D->tau_qd, 0, nv * nv * sizeof *D->tau_qd);
  if (m->elastic.count > 0) {
    memset(D->work->slope, 0, nv * sizeof *D->work->slope);
  }
  lb_derive_links(D, d, qd, qdd);
  for (int i = 0; i < m->nlink; i++) {
    spread_columns(D->work, &m->link.packed[i], (size_t)m->link.ncolumn + 3);
  }
  fill_matrices(D, d->work);
  for (size_t k = 0; k < nv; k++) {
    D->M[k * nv + k] += m->dof.armature[k];
  }
}

void lb_derive(lb_derivatives* D, lb_data* d, const double* q, const double* qd, const double* qdd,
               bool forced) {
  (forced ? lb_rnea_forced : lb_rnea)(D->model, d, D->tau, q, qd, qdd);
  lb_derive_matrices(D, d, qd, qdd);
  if (D->model->muscle.ninertial > 0) {
    lb_fill_columns(D->model, d->work);
    lb_muscles_derive_inertia(D, d, q, qd, qdd);
  }
}

void lb_derive_columns(const lb_derivatives* D, lb_motion* out, const lb_motion* column, int link,
                       lb_v4 arm) {
  const lb_derivation* W = D->work;
  memset(out, 0, (size_t)D->model->nv * sizeof *out);
  if (link == LB_WORLD) {
    return;
  }
  const lb_v4 from = -(W->at[link] + arm);
  // an elastic body's own coordinates do not move its frame
  const bool elastic = D->model->link.packed[link].kind == LB_LINK_ELASTIC;
  for (int i = elastic ? W->run[link].next : link; i != LB_WORLD; i = W->run[i].next) {
    const lb_run* run = &W->run[i];
    for (int k = 0; k < run->count; k++) {
      out[run->v + k] = lb_motion_shift(column[run->column + k], from);
    }
  }
}

void lb_derive_point(const lb_derivatives* D, lb_motion* S, lb_motion* psi, int link, lb_v4 arm) {
  lb_derive_columns(D, S, D->work->S, link, arm);
  if (psi) {
    lb_derive_columns(D, psi, D->work->psi, link, arm);
  }
}

static bool is_zero(lb_motion x) {
  return lb_motion_dot(x, x) == 0;
}

// Most coordinates move neither end of a force.
void lb_derive_force(const lb_derivatives* D, double* K, const lb_motion* S,
                     const lb_motion* change) {
  const int nv = D->model->nv;
  int* column = D->work->index;
  int count = 0;
  for (int k = 0; k < nv; k++) {
    column[count] = k;
    count += !is_zero(change[k]);
  }
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < count && !is_zero(S[i]); k++) {
      K[(size_t)i * (size_t)nv + (size_t)column[k]] -= lb_motion_dot(S[i], change[column[k]]);
    }
  }
}

void lb_derive_forced(lb_derivatives* D, lb_data* d) {
  LB_ASSERT(d->work->stages & LB_FORCED);
  lb_derive(D, d, d->q, d->qd, d->qdd, true);
  for (int k = 0; k < D->model->nv; k++) {
    D->tau[k] -= d->work->tau[k];
  }
  lb_forces_differentiate(D, d);
}

void lb_rnea_derivatives(lb_derivatives* D, lb_data* d, const double* q, const double* qd,
                         const double* qdd) {
  lb_derive(D, d, q, qd, qdd, false);
}

// --- life ---

// An elastic body's own columns are zero, so the way goes on from its parent.
static void link_runs(const lb_model* m, lb_derivation* W) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    int p = l->parent;
    while (p != LB_WORLD && m->link.packed[p].kind == LB_LINK_ELASTIC) {
      p = m->link.packed[p].parent;
    }
    lb_run run = {l->column, l->v, l->nv, p};
    if (p != LB_WORLD && l->kind != LB_LINK_ELASTIC) {
      const lb_run* next = &W->run[p];
      if (next->column + next->count == run.column && next->v + next->count == run.v) {
        run = (lb_run){next->column, next->v, next->count + run.count, next->next};
      }
    }
    W->run[i] = run;
  }
}

static lb_derivatives* lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv, nlink = (size_t)m->nlink, ncolumn = (size_t)m->link.ncolumn;
  size_t most = 0;
  for (int i = 0; i < m->nlink; i++) {
    most = (size_t)m->link.nv[i] > most ? (size_t)m->link.nv[i] : most;
  }
  lb_derivatives* D = lb_carve(c, 1, sizeof *D);
  lb_derivation* W = lb_carve(c, 1, sizeof *W);
  lb_derivatives made = {.model = m, .work = W};
  lb_derivation work = {0};
  double** const vectors[] = {&made.tau, &made.qdd};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = lb_carve(c, nv, sizeof(double));
  }
  double** const matrices[] = {&made.M,     &made.tau_q,  &made.tau_qd,
                               &made.qdd_q, &made.qdd_qd, &made.qdd_tau};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    *matrices[i] = lb_carve(c, nv * nv + LB_PANEL, sizeof(double));
  }
  lb_motion** const columns[] = {&work.S, &work.psi, &work.chi, &work.sig};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    *columns[i] = lb_carve(c, ncolumn, sizeof(lb_motion));
  }
  for (size_t i = 0; i < sizeof work.lever / sizeof *work.lever; i++) {
    work.lever[i] = lb_carve(c, nv, sizeof(lb_motion));
  }
  size_t points = 2;
  for (int i = 0; i < m->force.count; i++) {
    const lb_scene_force* f = &m->force.item[i].set;
    const lb_model_path* path = m->force.item[i].path;
    const size_t n = 2 * (size_t)f->npoint + (path ? (size_t)path->nhidden : 0);
    points = lb_force_joins(f->kind) && n > points ? n : points;
  }
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_path* path = m->muscle.item[i].path;
    const size_t n = 2 * (size_t)path->count + (size_t)path->nhidden; // nodes and frames
    points = n > points ? n : points;
  }
  work.points = lb_carve(c, LB_POINT_ARRAYS * points * nv, sizeof(lb_motion));
  work.lengths = lb_carve(c, nv, sizeof(double));
  work.run = lb_carve(c, nlink, sizeof(lb_run));
  work.index = lb_carve(c, nv, sizeof(int));
  work.at = lb_carve(c, nlink, sizeof(lb_v4));
  work.V = lb_carve(c, nlink + 1, sizeof(lb_motion));
  work.A = lb_carve(c, nlink + 1, sizeof(lb_motion));
  work.whole = lb_carve(c, nlink, sizeof(lb_composite));
  work.spread = lb_carve(c, LB_SPREAD * (ncolumn + 3), sizeof(double));
  work.bend = lb_carve(c, 2 * most, sizeof(lb_motion));
  if (m->elastic.count == 0) {
    work.mass = lb_mass_factors_lay_out(c, m);
  } else {
    work.slope = lb_carve(c, nv, sizeof(lb_slope));
    work.block = lb_carve(c, most * most, sizeof(double));
    work.own = lb_carve(c, most, sizeof(lb_reduced_slope));
  }
  if (D) {
    work.V += 1; // V[-1] and A[-1] are the world's
    work.A += 1;
    *D = made;
    *W = work;
  }
  return D;
}

lb_status lb_derivatives_create(const lb_model* m, const lb_allocator* allocator,
                                lb_derivatives** derivatives, lb_error* err) {
  if (m->particles.nparticle > 0) {
    return lb_error_add(
        err, LB_INVALID, (lb_place){m->file, 0, 0},
        "'%s' has ropes or deformables, of whose accelerations there are no derivatives (of its "
        "steps there are)",
        m->name);
  }
  if (m->ndense != m->nv) {
    return lb_error_add(
        err, LB_INVALID, (lb_place){m->file, 0, 0},
        "'%s' has elastic bodies with all their nodes, of whose accelerations there are no "
        "derivatives (of its steps there are)",
        m->name);
  }
  lb_carver c = {0};
  lay_out(&c, m);
  c.base = lb_allocate(allocator, c.used);
  if (!c.base) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for derivatives of '%s'",
                        m->name);
  }
  memset(c.base, 0, c.used);
  c.used = 0;
  lb_derivatives* D = lay_out(&c, m);
  D->work->allocator = allocator;
  link_runs(m, D->work);
  *derivatives = D;
  return LB_OK;
}

void lb_derivatives_release(lb_derivatives* D) {
  if (D) {
    lb_release(D->work->allocator, D);
  }
}
