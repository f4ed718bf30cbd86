// Implicit steps of second order for stiff systems, in the coordinates of the tree: no constraint,
// no multiplier.
//
//   (q_n - qh)/dt = T(q_n) v_n,   a_n = (v_n - vh)/dt
//   xh = 4/3 x_{n-1} - 1/3 x_{n-2},  dt = 2/3 h      (first step: xh = x_{n-1}, dt = h)
//
// q_n follows from v_n in closed form (lb_reach), so the unknown is v_n alone, with the residual of
// inverse dynamics
//
//   r(v) = rnea(q, v, a) - forces(q, v) = 0
//
// Newton's matrix dr/dv ~ M/dt + D + dt K keeps what is stiff (springs, dampers, elastic bodies)
// and leaves out what is not (gyroscopic terms, gravity's gradient): the error per iteration falls
// by the ratio of the two times dt, and the result does not depend on it. It is factored only when
// convergence slows down.
//
// Loops add that their gaps c close at the pace of the steps, J v + c/dt = 0 (index 2 with
// Baumgarte's stabilisation), and multipliers: with dv = -W^-1 (r - J'lambda) + W^-1 J' mu,
//
//   (J W^-1 J') mu = J W^-1 r - (J v + c/dt) / 2,  lambda += mu
//
// (half, because both J v and c/dt change by J dv), where redundant rows are left out as in
// dynamics/loop.c. Gaps then stay of third order. Closing them after each step, as explicit
// steppers do, would strain stiff bodies and kick them.
#include <math.h>
#include <string.h>

#include "dynamics/force.h"
#include "dynamics/joint.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "dynamics/rnea.h"
#include "elastic/reduced.h"
#include "math/dense.h"
#include "math/semidefinite.h"
#include "solve/stepper.h"

enum {
  MOST_ITERATIONS = 30,
  SLOW_ITERATIONS = 8, // more than this asks for a new matrix
  MOST_PARTS = 64      // into which a step that fails is divided
};

// Converged when the last change of velocity has this fraction of the motion's kinetic energy
// (square root).
static const double TOLERANCE = 1e-10;
// ... or this, when it no longer falls.
static const double ROUGH = 1e-8;
// ... but no less than this much [sqrt(J)], for systems at rest.
static const double STILL = 1e-3;
// Rows of loops whose pivot is below this fraction of the largest repeat others.
static const double REDUNDANT = 1e-11;

typedef struct bdf2 {
  double *q1, *v1; // state at the start of this step
  double *q2, *v2; // at the start of the step before
  double *qe, *ve; // where the last step ended
  double *qh, *vh; // history terms
  double *r, *dv;  // residual, correction
  double* base;    // [nv] residual to take differences from
  double* W;       // [nv][nv] factored
  int* order;      // [nv] row exchanges, of an exact matrix
  bool exact;      // W is the whole derivative, factored as L U
  double* K;       // [r][r] tangent of one elastic body
  double* Z;       // [rows][nv] W^-1 J'
  double* A;       // [rows][rows]
  double* lambda;  // [rows]
  double* mu;      // [rows]
  double* work;    // [2 * rows]
  int* pivot;      // [rows]
  double dt;       // of W; 0: there is none
  double speed;    // sqrt(v'M v) when W was made
  double time;     // where the last step ended
  double h;        // of the last step; 0: there was none
  bool slow;
  int age; // steps since W was made
} bdf2;

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  bdf2* own = st->own = LB_TAKE(&st->arena, bdf2, 1);
  int most = 0;
  for (int i = 0; i < m->nlink; i++) {
    most = m->link[i].reduced && m->link[i].nv > most ? m->link[i].nv : most;
  }
  double* block = own ? LB_TAKE(&st->arena, double,
                                4 * (m->nq + m->nv) + 2 * m->nv + m->nv * m->nv + most * most)
                      : NULL;
  if (!block) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  double** const part[] = {&own->q1, &own->q2, &own->qe, &own->qh, &own->v1, &own->v2,
                           &own->ve, &own->vh, &own->r,  &own->dv, &own->W};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = block;
    block += i < 4 ? m->nq : m->nv;
  }
  own->K = own->W + (size_t)m->nv * (size_t)m->nv;
  const int rows = lb_loops_most_rows(m);
  own->Z = LB_TAKE(&st->arena, double, rows * m->nv);
  own->A = LB_TAKE(&st->arena, double, rows* rows);
  own->lambda = LB_TAKE(&st->arena, double, rows);
  own->mu = LB_TAKE(&st->arena, double, rows);
  own->work = LB_TAKE(&st->arena, double, 2 * rows);
  own->pivot = LB_TAKE(&st->arena, int, rows);
  own->order = LB_TAKE(&st->arena, int, m->nv);
  own->base = LB_TAKE(&st->arena, double, m->nv);
  if (!own->Z || !own->A || !own->lambda || !own->mu || !own->work || !own->pivot || !own->order ||
      !own->base) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  return LB_OK;
}

// --- Newton's matrix ---

// Stiffness and damping that an elastic body puts on its coordinates.
static void add_elastic(const lb_link* l, bdf2* own, const lb_data* d, int nv, double dt) {
  const lb_reduced* b = l->reduced;
  b->internal.tangent(b->internal.context, own->K, d->q + l->q, d->work->scratch);
  for (int i = 0; i < b->r; i++) {
    for (int j = 0; j < b->r; j++) {
      own->W[(l->v + i) * nv + l->v + j] +=
          (dt + b->beta) * own->K[i * b->r + j] + b->alpha * b->M[i * b->r + j];
    }
  }
}

static bool make_matrix(const lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  bdf2* own = st->own;
  const int nv = m->nv;
  lb_crba(m, d, own->W, d->q);
  double twice = 0;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      twice += d->qd[i] * own->W[i * nv + j] * d->qd[j];
      own->W[i * nv + j] /= dt;
    }
  }
  own->speed = sqrt(fmax(0, twice));
  for (int k = 0; k < nv; k++) {
    own->W[k * nv + k] += m->damping[k] + dt * m->stiffness[k];
  }
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    if (l->kind == LB_LINK_ELASTIC) {
      add_elastic(l, own, d, nv, dt);
    }
    if (l->driven) { // does not move: a row of the identity
      for (int j = 0; j < nv; j++) {
        own->W[l->v * nv + j] = own->W[j * nv + l->v] = j == l->v;
      }
    }
  }
  own->exact = false;
  own->age = 0;
  own->dt = lb_cholesky(nv, own->W, nv) == LB_OK ? dt : 0;
  return own->dt > 0;
}

static void solve_with_matrix(const bdf2* own, int nv, int count, double* b) {
  if (own->exact) {
    lb_lu_solve(nv, own->W, nv, own->order, count, b, nv);
  } else {
    lb_cholesky_solve(nv, own->W, nv, count, b, nv);
  }
}

// --- one step ---

static void hold(double* to_q, double* to_v, const lb_model* m, const double* q, const double* v) {
  memcpy(to_q, q, (size_t)m->nq * sizeof *q);
  memcpy(to_v, v, (size_t)m->nv * sizeof *v);
}

// Is d where the last step left it, but for the rounding of lb_settle?
static bool continues(const lb_model* m, const bdf2* own, const lb_data* d, double h) {
  if (own->h != h || fabs(own->time - d->time) > 1e-9 * h) {
    return false;
  }
  for (int i = 0; i < m->nq; i++) {
    if (!(fabs(d->q[i] - own->qe[i]) <= 1e-6 * (1 + fabs(own->qe[i])))) {
      return false;
    }
  }
  for (int i = 0; i < m->nv; i++) {
    if (!(fabs(d->qd[i] - own->ve[i]) <= 1e-6 * (1 + fabs(own->ve[i])))) {
      return false;
    }
  }
  return true;
}

// History terms; returns dt. A quaternion and its negative are the same rotation: keep to one side.
static double start(const lb_model* m, bdf2* own, const lb_data* d, double h) {
  const bool second = continues(m, own, d, h);
  if (second) {
    hold(own->q2, own->v2, m, own->q1, own->v1);
  }
  hold(own->q1, own->v1, m, d->q, d->qd);
  for (int i = 0; i < m->nq; i++) {
    own->qh[i] = second ? (4 * own->q1[i] - own->q2[i]) / 3 : own->q1[i];
  }
  for (int i = 0; i < m->nv; i++) {
    own->vh[i] = second ? (4 * own->v1[i] - own->v2[i]) / 3 : own->v1[i];
  }
  return second ? 2 * h / 3 : h;
}

// Residual at d->qd; leaves q and qdd that belong to it in d. Loops' forces are not in it yet.
static void residual(const lb_model* m, bdf2* own, lb_data* d, double dt) {
  lb_reach(m, d->q, own->qh, d->qd, dt);
  for (int k = 0; k < m->nv; k++) {
    d->qdd[k] = (d->qd[k] - own->vh[k]) / dt;
  }
  lb_drive(m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_rnea_forced(m, d, own->r, d->q, d->qd, d->qdd);
  for (int k = 0; k < m->nv; k++) {
    own->r[k] -= d->work->tau[k];
  }
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      own->r[m->link_v[i]] = 0;
    }
  }
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// y += s x
static void add(int n, double* y, double s, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

// The loops' part of a correction: multipliers, and what they change in dv = W^-1 r and in r.
static void correct_loops(const lb_model* m, bdf2* own, const lb_loop_rows* rows, double dt) {
  const int nv = m->nv;
  const int n = rows->count;
  memcpy(own->Z, rows->J, (size_t)n * (size_t)nv * sizeof *own->Z);
  solve_with_matrix(own, nv, n, own->Z);
  for (int i = 0; i < n; i++) {
    own->mu[i] = dot(nv, rows->J + i * nv, own->dv) - 0.5 * (rows->rate[i] + rows->gap[i] / dt);
    for (int j = 0; j < n; j++) {
      own->A[i * n + j] = dot(nv, rows->J + i * nv, own->Z + j * nv);
    }
  }
  lb_solve_semidefinite(n, own->A, n, own->mu, REDUNDANT, own->work, own->pivot);
  for (int i = 0; i < n; i++) {
    own->lambda[i] += own->mu[i];
    add(nv, own->dv, -own->mu[i], own->Z + i * nv);
    add(nv, own->r, -own->mu[i], rows->J + i * nv);
  }
}

// One correction of the velocities; its size sqrt(dv'M dv).
static double correct(const lb_model* m, bdf2* own, lb_data* d, double dt) {
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  for (int i = 0; i < rows.count; i++) {
    add(m->nv, own->r, -own->lambda[i], rows.J + i * m->nv);
  }
  memcpy(own->dv, own->r, (size_t)m->nv * sizeof *own->r);
  solve_with_matrix(own, m->nv, 1, own->dv);
  if (rows.count > 0) {
    correct_loops(m, own, &rows, dt);
  }
  add(m->nv, d->qd, -1, own->dv);
  return sqrt(fmax(0, dt * dot(m->nv, own->dv, own->r))); // r = W dv, and W ~ M/dt
}

// r - J'lambda at d->qd.
static void full_residual(const lb_model* m, bdf2* own, lb_data* d, double dt) {
  residual(m, own, d, dt);
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  for (int i = 0; i < rows.count; i++) {
    add(m->nv, own->r, -own->lambda[i], rows.J + i * m->nv);
  }
}

// The whole derivative dr/dv by differences, column by column: what is left out above matters when
// forces are large and steps are long (a bent rod under tension). Dear, so only where the other
// matrix is too slow.
static bool make_exact_matrix(const lb_stepper* st, lb_data* d, double dt) {
  static const double APART =
      1e-6; // over the speed of the motion, in coordinates of about unit mass
  const lb_model* m = st->m;
  bdf2* own = st->own;
  const double h = APART * fmax(STILL, own->speed);
  full_residual(m, own, d, dt);
  memcpy(own->base, own->r, (size_t)m->nv * sizeof *own->r);
  for (int j = 0; j < m->nv; j++) {
    const double v = d->qd[j];
    d->qd[j] = v + h;
    full_residual(m, own, d, dt);
    d->qd[j] = v;
    for (int i = 0; i < m->nv; i++) {
      own->W[i + j * m->nv] = (own->r[i] - own->base[i]) / h;
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    for (int j = 0; m->link_driven[i] && j < m->nv; j++) {
      const int k = m->link_v[i];
      own->W[k + j * m->nv] = own->W[j + k * m->nv] = j == k;
    }
  }
  own->exact = true;
  own->dt = lb_lu(m->nv, own->W, m->nv, own->order) == LB_OK ? dt : 0;
  return own->dt > 0;
}

// Iterate to the velocities of the step's end. Rounding of very stiff forces puts a floor under the
// corrections: below ROUGH, one that no longer falls is as good as converged.
static bool newton(lb_stepper* st, lb_data* d, double dt) {
  bdf2* own = st->own;
  if ((own->dt != dt || own->slow) && !make_matrix(st, d, dt)) {
    return false;
  }
  own->slow = false;
  own->age++;
  double before = INFINITY;
  for (int i = 1; i <= MOST_ITERATIONS; i++) {
    residual(st->m, own, d, dt);
    const double change = correct(st->m, own, d, dt);
    const double scale = fmax(STILL, own->speed);
    if (!isfinite(change)) {
      return false;
    }
    if (change <= TOLERANCE * scale || (change <= ROUGH * scale && change > 0.9 * before)) {
      own->slow = i > SLOW_ITERATIONS;
      return true;
    }
    before = change;
    // first with the matrix at hand, then with a new one, then with exact ones
    const bool renew = i == SLOW_ITERATIONS && own->age > 0;
    if ((renew && !make_matrix(st, d, dt)) ||
        (i >= 2 * SLOW_ITERATIONS && i % 2 == 0 && !make_exact_matrix(st, d, dt))) {
      return false;
    }
  }
  return false;
}

// One step of size h from d, of first order when `fresh`; false leaves d somewhere on the way.
static bool advance(lb_stepper* st, lb_data* d, double h, bool fresh) {
  const lb_model* m = st->m;
  bdf2* own = st->own;
  own->h = fresh ? 0 : own->h;
  const double dt = start(m, own, d, h);
  d->time += h;
  if (dt < h) { // guess: as the velocity changed in the step before
    for (int k = 0; k < m->nv; k++) {
      d->qd[k] = 2 * own->v1[k] - own->v2[k];
    }
  }
  lb_drive(m, d);
  if (!newton(st, d, dt)) {
    own->h = own->dt = 0;
    return false;
  }
  lb_reach(m, d->q, own->qh, d->qd, dt);
  lb_drive(m, d);
  hold(own->qe, own->ve, m, d->q, d->qd);
  own->time = d->time;
  own->h = h;
  st->count++;
  return true;
}

// When Newton's method fails, the same way again in smaller steps of first order, which bend to
// anything.
static bool step(lb_stepper* st, lb_data* d, double h) {
  const double begin = d->time;
  if (advance(st, d, h, false)) {
    return true;
  }
  for (int parts = 4; parts <= MOST_PARTS; parts *= 4) {
    lb_stepper_restart(st, d);
    d->time = begin;
    bool ok = true;
    for (int i = 0; i < parts && ok; i++) {
      ok = advance(st, d, h / parts, true);
      lb_normalise(st->m, d->q);
    }
    if (ok) {
      return true;
    }
  }
  return false;
}

const lb_stepper_type lb_stepper_bdf2 = {create, NULL, step, true};
