// Where everything rests: Newton's method on forces, kept on the way down.
//
// A step solves, loops included,
//
//   (K + gamma J'J) dq - J'dlambda = -(r + gamma J'gap),    J dq = -gap                     (2)
//
// The term in gamma changes nothing where J dq = -gap; it makes the matrix positive definite
// exactly where K is along the loops' free directions, so that a Cholesky factor tells stable from
// unstable. Where it is not, the matrix' modes over the masses take its place, each with the size
// of its stiffness and none below that of a pendulum of ten kilometres: what is unstable then goes
// down instead of up, and what nothing holds stays. A step so descends on E - lambda.gap + gamma/2
// gap.gap. Without knowing the energy of every force (loads have none), the change of that is found
// by the trapezoidal rule from the slopes at the step's two ends; a step that leads up is
// shortened.
#include "solve/rest.h"

#include <math.h>
#include <string.h>

#include "base/carve.h"
#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "limber/simulate.h"
#include "math/dense.h"
#include "math/semidefinite.h"

enum { MOST_ITERATIONS = 200, MOST_NUDGES = 3, MOST_CUTS = 12 };

static const double LEAST = 1e-3;      // stiffness over mass [1/s^2]
static const double LONGEST = 0.5;     // step of a joint [rad] or [m]
static const double SHORTER = 0.25;    // a step that leads up, tried again
static const double ENOUGH = 1e-10;    // [m] the last step's size; after it the error is its square
static const double REDUNDANT = 1e-11; // rows of loops, as in the stepper
static const double CLOSED = 1e-6;     // widest gap at rest
static const double NUDGE = 1e-3;      // [m] off an unstable rest

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void add(int n, double* y, double s, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

static double largest(int n, const double* x) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

// --- one look, one step ---

static void hold_still(const lb_model* m, lb_data* d) {
  lb_drive(m, d);
  memset(d->qd, 0, (size_t)m->nv * sizeof *d->qd);
  memset(d->qdd, 0, (size_t)m->nv * sizeof *d->qdd);
}

void lb_rester_look(lb_rester* R, lb_data* d) {
  const lb_model* m = R->m;
  const size_t nv = (size_t)m->nv;
  hold_still(m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  R->rows = rows.count;
  if (rows.count > 0) {
    memcpy(R->J, rows.J, (size_t)rows.count * nv * sizeof *R->J);
    memcpy(R->gap, rows.gap, (size_t)rows.count * sizeof *R->gap);
    lb_loops_push(m, d, R->lambda);
  }
  lb_derive_forced(R->D, d);
  if (rows.count > 0) {
    lb_loops_differentiate(R->D, d, R->lambda);
  }
  memcpy(R->r, R->D->tau, nv * sizeof *R->r);
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      R->r[m->link_v[i]] = 0;
    }
  }
}

void lb_rester_hold(const lb_rester* R, double* A) {
  const lb_model* m = R->m;
  const int nv = m->nv;
  for (int i = 0; i < m->nlink; i++) {
    for (int j = 0; m->link_driven[i] && j < nv; j++) {
      const int k = m->link_v[i];
      A[k + j * nv] = A[j + k * nv] = j == k;
    }
  }
}

// Gaps count as much as the stiffest coordinate.
static double choose_penalty(const lb_rester* R) {
  const int nv = R->m->nv;
  double most = 0, row = 0;
  for (int k = 0; k < nv; k++) {
    most = fmax(most, fabs(R->D->tau_q[k * nv + k]) + R->D->M[k * nv + k]);
  }
  for (int i = 0; i < R->rows; i++) {
    row = fmax(row, dot(nv, R->J + i * nv, R->J + i * nv));
  }
  return row > 0 ? most / row : 0;
}

// The matrix of (2).
static void fill_matrix(lb_rester* R) {
  const lb_model* m = R->m;
  const int nv = m->nv;
  const double* K = R->D->tau_q;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j <= i; j++) { // symmetric but for turns under forces that are not in balance
      double sum = 0.5 * (K[i * nv + j] + K[j * nv + i]);
      for (int k = 0; k < R->rows; k++) {
        sum += R->penalty * R->J[k * nv + i] * R->J[k * nv + j];
      }
      R->A[i + j * nv] = R->A[j + i * nv] = sum;
    }
  }
  lb_rester_hold(R, R->A);
}

// Its modes over the masses, V'M V = 1, with the size of their stiffness: A = M V |w| V'M. Sets
// R->V, and R->least to the lowest w.
static bool replace_matrix(lb_rester* R) {
  const int nv = R->m->nv;
  fill_matrix(R);
  memcpy(R->V, R->A, (size_t)nv * (size_t)nv * sizeof *R->V);
  memcpy(R->B, R->D->M, (size_t)nv * (size_t)nv * sizeof *R->B);
  lb_rester_hold(R, R->B);
  if (lb_eigen_generalised(&R->scratch, nv, R->V, nv, R->B, nv, R->w) != LB_OK) {
    return false;
  }
  R->least = R->w[0];
  memcpy(R->B, R->D->M, (size_t)nv * (size_t)nv * sizeof *R->B);
  lb_rester_hold(R, R->B);
  memset(R->A, 0, (size_t)nv * (size_t)nv * sizeof *R->A);
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < nv; k++) {
      R->z[k] = dot(nv, R->B + k * nv, R->V + i * nv);
    }
    for (int k = 0; k < nv; k++) {
      add(nv, R->A + k * nv, fmax(LEAST, fabs(R->w[i])) * R->z[k], R->z);
    }
  }
  return lb_cholesky(nv, R->A, nv) == LB_OK;
}

static bool factor(lb_rester* R) {
  fill_matrix(R);
  R->least = 0;
  return lb_cholesky(R->m->nv, R->A, R->m->nv) == LB_OK || replace_matrix(R);
}

// dq and mu = dlambda of (2).
static void solve_step(lb_rester* R) {
  const int nv = R->m->nv, n = R->rows;
  for (int k = 0; k < nv; k++) {
    R->dq[k] = -R->r[k];
  }
  for (int i = 0; i < n; i++) {
    add(nv, R->dq, -R->penalty * R->gap[i], R->J + i * nv);
  }
  lb_cholesky_solve(nv, R->A, nv, 1, R->dq, nv);
  if (n == 0) {
    return;
  }
  memcpy(R->Z, R->J, (size_t)n * (size_t)nv * sizeof *R->Z);
  lb_cholesky_solve(nv, R->A, nv, n, R->Z, nv);
  for (int i = 0; i < n; i++) {
    R->mu[i] = -R->gap[i] - dot(nv, R->J + i * nv, R->dq);
    for (int j = 0; j < n; j++) {
      R->S[i + j * n] = dot(nv, R->J + i * nv, R->Z + j * nv);
    }
  }
  const int rank = lb_semidefinite_factor(n, R->S, n, REDUNDANT, R->work, R->pivot);
  lb_semidefinite_solve(n, R->S, n, rank, R->mu, R->work, R->pivot);
  for (int i = 0; i < n; i++) {
    add(nv, R->dq, R->mu[i], R->Z + i * nv);
  }
}

// Slope along dq of the energy with the multipliers as they are now.
static double slope(const lb_rester* R) {
  const int nv = R->m->nv;
  double sum = dot(nv, R->r, R->dq);
  for (int i = 0; i < R->rows; i++) {
    sum += R->penalty * R->gap[i] * dot(nv, R->J + i * nv, R->dq);
  }
  return sum;
}

static bool all_finite(const lb_rester* R) {
  return isfinite(dot(R->m->nv, R->r, R->r)) && isfinite(dot(R->rows, R->gap, R->gap));
}

// How far dq moves things: the mean over all masses.
static double step_size(const lb_rester* R) {
  const int nv = R->m->nv;
  double sum = 0;
  for (int k = 0; k < nv; k++) {
    sum += R->dq[k] * dot(nv, R->D->M + k * nv, R->dq);
  }
  return sqrt(fmax(0, sum) / R->mass);
}

// The part of a step that turns no joint by more than LONGEST.
static double first_scale(const lb_rester* R) {
  const lb_model* m = R->m;
  double most = 0;
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_kind[i] < LB_JOINT_COUNT) {
      most = fmax(most, largest(m->link_nv[i], R->dq + m->link_v[i]));
    }
  }
  return most > LONGEST ? LONGEST / most : 1;
}

// Take a part of the step and look; false: it led up.
static bool try_step(lb_rester* R, lb_data* d, double scale, double before, bool tiny) {
  const lb_model* m = R->m;
  memcpy(d->q, R->kept_q, (size_t)m->nq * sizeof *d->q);
  memcpy(R->lambda, R->kept_lambda, (size_t)R->rows * sizeof *R->lambda);
  add(R->rows, R->lambda, scale, R->mu);
  lb_advance(m, d->q, R->dq, scale);
  lb_normalise(m, d->q);
  lb_rester_look(R, d);
  return all_finite(R) && (tiny || before + slope(R) <= 0);
}

// Take as much of the step as leads down.
static bool take_step(lb_rester* R, lb_data* d) {
  const lb_model* m = R->m;
  const bool tiny = step_size(R) <= ENOUGH; // rounding decides about its slope
  double gain = 0;                          // of the slope, by the new multipliers
  for (int i = 0; i < R->rows; i++) {
    gain -= R->mu[i] * dot(m->nv, R->J + i * m->nv, R->dq);
  }
  memcpy(R->kept_q, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(R->kept_lambda, R->lambda, (size_t)R->rows * sizeof *R->lambda);
  const double before = slope(R);
  double scale = first_scale(R);
  for (int i = 0; i < MOST_CUTS; i++, scale *= SHORTER) {
    if (try_step(R, d, scale, before + scale * gain, tiny)) {
      return true;
    }
  }
  return false;
}

// Off an unstable rest, along the direction in which it is least stable.
static void nudge(lb_rester* R, lb_data* d) {
  memcpy(R->dq, R->V, (size_t)R->m->nv * sizeof *R->dq);
  lb_advance(R->m, d->q, R->dq, NUDGE / step_size(R));
  lb_normalise(R->m, d->q);
  lb_rester_look(R, d);
}

// --- the way down ---

static bool descend(lb_rester* R, lb_data* d) {
  int nudges = 0;
  lb_rester_look(R, d);
  R->penalty = choose_penalty(R);
  for (R->iterations = 1; R->iterations <= MOST_ITERATIONS; R->iterations++) {
    if (!all_finite(R) || !factor(R)) {
      return false;
    }
    solve_step(R);
    const bool last = step_size(R) <= ENOUGH;
    if (last && R->least < -LEAST && nudges++ < MOST_NUDGES) {
      nudge(R, d);
    } else if (!take_step(R, d)) {
      return false;
    } else if (last) {
      return true;
    }
  }
  return false;
}

// What the motors have to hold.
static void read_motors(const lb_rester* R, lb_data* d) {
  const lb_model* m = R->m;
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_drive[i] == LB_DRIVE_POSITION && m->motor_joint[i] >= 0) {
      d->motor_force[i] = R->D->tau[m->joint_v[m->motor_joint[i]]];
    }
  }
  for (int i = 0; i < R->rows; i++) {
    const int motor = lb_loops_row(m, d, i).motor;
    if (motor >= 0) {
      d->motor_force[motor] = R->lambda[i];
    }
  }
}

// The joint that is pushed most, over what it weighs.
static const char* restless_joint(const lb_rester* R) {
  const lb_model* m = R->m;
  const char* name = m->njoint ? m->joint_name[0] : "?";
  double most = 0;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = m->joint_v[j]; k < m->joint_v[j] + m->joint_nv[j]; k++) {
      const double rush = fabs(R->r[k]) / R->D->M[k * m->nv + k];
      if (rush > most) {
        most = rush;
        name = m->joint_name[j];
      }
    }
  }
  return name;
}

lb_status lb_rester_solve(lb_rester* R, lb_data* d, lb_error* err) {
  const lb_model* m = R->m;
  memcpy(R->start_q, d->q, (size_t)m->nq * sizeof *d->q);
  if (descend(R, d) && largest(R->rows, R->gap) <= CLOSED) {
    read_motors(R, d);
    return LB_OK;
  }
  int loop = 0;
  const double gap = lb_loop_gap(m, d, &loop);
  memcpy(d->q, R->start_q, (size_t)m->nq * sizeof *d->q);
  memset(R->lambda, 0, (size_t)lb_loops_most_rows(m) * sizeof *R->lambda);
  if (gap > CLOSED) {
    return lb_error_add(err, LB_FAILED, m->loop[loop].place,
                        "no pose at rest at t = %g s: loop joint '%s' stays open by %.3g (metres "
                        "or radians); the motors ask for a pose that cannot be reached",
                        d->time, m->loop[loop].name, gap);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "no pose at rest was found at t = %g s: joint '%s' is still being pushed; "
                      "is there something that holds it against gravity?",
                      d->time, restless_joint(R));
}

// --- life ---

static lb_rester* lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv, rows = (size_t)lb_loops_most_rows(m);
  lb_rester* R = lb_carve(c, 1, sizeof *R);
  lb_rester made = {.m = m};
  double** const vectors[] = {&made.gap, &made.mu, &made.lambda, &made.kept_lambda};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = lb_carve(c, rows, sizeof(double));
  }
  made.J = lb_carve(c, rows * nv, sizeof(double));
  made.Z = lb_carve(c, rows * nv, sizeof(double));
  made.S = lb_carve(c, rows * rows, sizeof(double));
  made.work = lb_carve(c, 2 * rows, sizeof(double));
  made.pivot = lb_carve(c, rows, sizeof(int));
  double** const matrices[] = {&made.A, &made.B, &made.V};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    *matrices[i] = lb_carve(c, nv * nv, sizeof(double));
  }
  double** const numbers[] = {&made.r, &made.dq, &made.w, &made.z};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    *numbers[i] = lb_carve(c, nv, sizeof(double));
  }
  made.kept_q = lb_carve(c, (size_t)m->nq, sizeof(double));
  made.start_q = lb_carve(c, (size_t)m->nq, sizeof(double));
  if (R) {
    *R = made;
  }
  return R;
}

lb_status lb_rester_create(const lb_model* m, const lb_allocator* allocator, lb_rester** out,
                           lb_error* err) {
  if (m->full || m->ndense < m->nv) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "rest poses are found for elastic bodies in a basis: leave 'elastic: full' "
                        "out of the scene's solver");
  }
  lb_carver c = {0};
  lay_out(&c, m);
  c.base = lb_allocate(allocator, c.used);
  if (!c.base) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the rest of '%s'",
                        m->name);
  }
  memset(c.base, 0, c.used);
  c.used = 0;
  lb_rester* R = lay_out(&c, m);
  R->allocator = allocator;
  for (int i = 0; i < m->nbody; i++) {
    R->mass += m->body_link[i] == LB_WORLD ? 0 : m->body_mass[i].mass;
  }
  lb_arena_init(&R->scratch, allocator);
  const lb_status status = lb_derivatives_create(m, allocator, &R->D, err);
  if (status != LB_OK) {
    lb_release(allocator, R);
    return status;
  }
  *out = R;
  return LB_OK;
}

void lb_rester_release(lb_rester* R) {
  if (R) {
    lb_derivatives_release(R->D);
    lb_arena_release(&R->scratch);
    lb_release(R->allocator, R);
  }
}

lb_status lb_rest(const lb_model* m, lb_data* d, lb_error* err) {
  lb_rester* R = NULL;
  lb_status status = lb_rester_create(m, d->work->allocator, &R, err);
  if (status == LB_OK) {
    status = lb_rester_solve(R, d, err);
  }
  lb_rester_release(R);
  return status;
}
