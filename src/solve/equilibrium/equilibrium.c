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
// by the trapezoidal rule from the slopes at the step's two ends.
//
// A slender body that bends along a straight line is stretched, and its energy soars; but the next
// step takes that back. So a step that leads up is good, too, when the stiffness is definite at
// both its ends and the next step is much shorter (by half of what was taken of it). Others are
// shortened.
//
// Unilateral constraints ask for J dq >= -gap and lambda + dlambda >= 0, one of them zero: a
// problem of math/linear/complementary.h in the multipliers. Those that neither push nor are gone
// through do not count among J and gap elsewhere.
#include "solve/equilibrium/equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/carve.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "limber/simulate.h"
#include "math/linear/complementary.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"

enum { MOST_ITERATIONS = 200, MOST_NUDGES = 3, MOST_CUTS = 12, MOST_RAISES = 5 };

static const double LEAST = 1e-3;      // stiffness over mass [1/s^2]
static const double RAISE = 100;       // of the penalty
static const double LONGEST = 0.5;     // step of a joint [rad] or [m]
static const double SHORTER = 0.25;    // a step that leads up, tried again
static const double MUCH = 0.5;        // a step that is this much shorter than the one before
static const double ENOUGH = 1e-10;    // [m] the last step's size
static const double ROUGH = 1e-9;      // [m] the same where steps shrink no more: rounding
static const double REDUNDANT = 1e-11; // loop constraints, as in the stepper
static const double CLOSED = 1e-6;     // widest gap at rest
static const double NUDGE = 1e-3;      // [m] off an unstable rest
static const double PUSHED = 1e-6;     // [m/s^2] least that counts

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

lb_constraint_rows lb_equilibrium_forces(const lb_model* m, lb_data* d) {
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  return lb_constraints_linearise(m, d);
}

void lb_equilibrium_differentiate(lb_derivatives* D, lb_data* d, const double* lambda) {
  lb_derive_forced(D, d);
  if (lb_constraints_count(d) > 0) {
    lb_constraints_differentiate(D, d, lambda);
  }
}

void lb_equilibrium_solver_look(lb_equilibrium_solver* R, lb_data* d) {
  const lb_model* m = R->m;
  hold_still(m, d);
  lb_constraints_activate_all(d);
  const lb_constraint_rows rows = lb_equilibrium_forces(m, d);
  R->rows = rows.count;
  R->has_unilateral = rows.unilateral != NULL;
  if (rows.count > 0) {
    memcpy(R->J, rows.J, (size_t)rows.count * (size_t)m->nv * sizeof *R->J);
    memcpy(R->gap, rows.gap, (size_t)rows.count * sizeof *R->gap);
    for (int i = 0; i < rows.count; i++) {
      R->unilateral[i] = rows.unilateral && rows.unilateral[i];
      R->acts[i] = !R->unilateral[i] || R->lambda[i] > 0 || R->gap[i] <= 0;
    }
    lb_constraints_apply_multipliers(m, d, R->lambda);
  }
  R->space->look(R, d);
  lb_constraints_keep_active(m, d, NULL);
}

void lb_equilibrium_solver_hold(const lb_equilibrium_solver* R, double* A) {
  const lb_model* m = R->small;
  const int n = R->n;
  for (int i = 0; i < m->nlink; i++) {
    for (int j = 0; m->link_driven[i] && j < n; j++) {
      const int k = m->link_v[i];
      A[k + j * n] = A[j + k * n] = j == k;
    }
  }
}

// Gaps count as much as the stiffest coordinate.
static double choose_penalty(const lb_equilibrium_solver* R) {
  const int n = R->n;
  double most = 0, row = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(R->D->tau_q[k * n + k]) + R->D->M[k * n + k]);
  }
  for (int i = 0; i < R->rows; i++) {
    row = fmax(row, lb_dot(n, R->Js + i * n, R->Js + i * n));
  }
  return row > 0 ? most / row : 0;
}

// The matrix of (2).
static void fill_matrix(lb_equilibrium_solver* R) {
  const int n = R->n;
  const double* K = R->D->tau_q;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) { // symmetric but for turns under forces that are not in balance
      double sum = 0.5 * (K[i * n + j] + K[j * n + i]);
      for (int k = 0; k < R->rows; k++) {
        sum += !R->acts[k] ? 0 : R->penalty * R->Js[k * n + i] * R->Js[k * n + j];
      }
      R->A[i + j * n] = R->A[j + i * n] = sum;
    }
  }
  lb_equilibrium_solver_hold(R, R->A);
}

// Its modes over the masses, V'M V = 1, with the size of their stiffness: A = M V |w| V'M. Sets
// R->V, and R->least to the lowest w.
static bool replace_matrix(lb_equilibrium_solver* R) {
  const int n = R->n;
  fill_matrix(R);
  memcpy(R->V, R->A, (size_t)n * (size_t)n * sizeof *R->V);
  memcpy(R->B, R->D->M, (size_t)n * (size_t)n * sizeof *R->B);
  lb_equilibrium_solver_hold(R, R->B);
  if (lb_eigen_generalised(&R->scratch, n, R->V, n, R->B, n, R->w) != LB_OK) {
    return false;
  }
  R->least = R->w[0];
  memcpy(R->B, R->D->M, (size_t)n * (size_t)n * sizeof *R->B);
  lb_equilibrium_solver_hold(R, R->B);
  memset(R->A, 0, (size_t)n * (size_t)n * sizeof *R->A);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      R->z[k] = lb_dot(n, R->B + k * n, R->V + i * n);
    }
    for (int k = 0; k < n; k++) {
      lb_add(n, R->A + k * n, fmax(LEAST, fabs(R->w[i])) * R->z[k], R->z);
    }
  }
  return lb_cholesky(n, R->A, n) == LB_OK;
}

// Is the matrix definite but for directions along which nothing pulls?
static bool is_neutral(lb_equilibrium_solver* R) {
  const int n = R->n;
  fill_matrix(R);
  for (int i = 0; i < n * n; i++) {
    R->A[i] += LEAST * R->D->M[i];
  }
  lb_equilibrium_solver_hold(R, R->A);
  return lb_cholesky(n, R->A, n) == LB_OK;
}

// A penalty that is too weak for K to be definite along the free directions alone is raised.
static bool factor(lb_equilibrium_solver* R) {
  const double penalty = R->penalty;
  R->least = 0;
  for (int i = 0; i < (R->rows > 0 ? MOST_RAISES : 1); i++) {
    fill_matrix(R);
    if (lb_cholesky(R->n, R->A, R->n) == LB_OK) {
      return true;
    }
    if (is_neutral(R)) {
      return replace_matrix(R);
    }
    R->penalty *= RAISE;
  }
  R->penalty = penalty;
  return replace_matrix(R);
}

// S mu = what is in mu; with unilateral constraints the conditions above, on lambda + mu.
static void solve_multipliers(lb_equilibrium_solver* R) {
  const int rows = R->rows;
  if (!R->has_unilateral) {
    const int rank = lb_semidefinite_factor(rows, R->S, rows, REDUNDANT, R->work, R->pivot);
    lb_semidefinite_solve(rows, R->S, rows, rank, R->mu, R->work, R->pivot);
    return;
  }
  for (int i = 0; i < rows; i++) {
    R->mu[i] = -R->mu[i] - lb_dot(rows, R->S + i * rows, R->lambda);
  }
  lb_complementary_solve(rows, R->S, R->mu, R->unilateral, REDUNDANT, R->next, R->part, R->work,
                         R->pivot);
  for (int i = 0; i < rows; i++) {
    R->mu[i] = R->next[i] - R->lambda[i];
  }
}

// c and mu = dlambda of (2).
static void solve_step(lb_equilibrium_solver* R) {
  const int n = R->n, rows = R->rows;
  for (int k = 0; k < n; k++) {
    R->c[k] = -R->rs[k];
  }
  for (int i = 0; i < rows; i++) {
    lb_add(n, R->c, R->acts[i] ? -R->penalty * R->gap[i] : 0, R->Js + i * n);
  }
  lb_cholesky_solve(n, R->A, n, 1, R->c, n);
  if (rows == 0) {
    return;
  }
  memcpy(R->Z, R->Js, (size_t)rows * (size_t)n * sizeof *R->Z);
  lb_cholesky_solve(n, R->A, n, rows, R->Z, n);
  for (int i = 0; i < rows; i++) {
    R->mu[i] = -R->gap[i] - lb_dot(n, R->Js + i * n, R->c);
    for (int j = 0; j < rows; j++) {
      R->S[i + j * rows] = lb_dot(n, R->Js + i * n, R->Z + j * n);
    }
  }
  solve_multipliers(R);
  for (int i = 0; i < rows; i++) {
    lb_add(n, R->c, R->mu[i], R->Z + i * n);
  }
}

// How far the step c, dq moves things: the mean over all masses.
static double step_size(const lb_equilibrium_solver* R) {
  const int n = R->n, nv = R->m->nv;
  double sum = 0;
  for (int k = nv - 3 * R->m->nfree; k < nv; k++) {
    sum += R->m->armature[k] * R->dq[k] * R->dq[k];
  }
  for (int k = 0; k < n; k++) {
    sum += R->c[k] * lb_dot(n, R->D->M + k * n, R->c);
  }
  return sqrt(fmax(0, sum) / R->mass);
}

// The step from where d is, the last state looked at: dq, mu and its size.
static bool find_step(lb_equilibrium_solver* R, lb_data* d, bool anew) {
  const lb_model* s = R->small;
  if (!R->space->linearise(R, d, anew)) {
    return false;
  }
  for (int i = 0; i < s->nlink; i++) {
    if (s->link_driven[i]) {
      R->rs[s->link_v[i]] = 0;
    }
  }
  if (R->penalty == 0) {
    R->penalty = choose_penalty(R);
  }
  if (!factor(R)) {
    return false;
  }
  solve_step(R);
  R->space->expand(R, R->dq, R->c);
  R->size = step_size(R);
  return isfinite(R->size);
}

// Slope along dq of the energy with the multipliers as they are now.
static double slope(const lb_equilibrium_solver* R, const double* dq) {
  const int nv = R->m->nv;
  double sum = lb_dot(nv, R->r, dq);
  for (int i = 0; i < R->rows; i++) {
    const double change = lb_dot(nv, R->J + (size_t)i * (size_t)nv, dq);
    sum += R->acts[i] ? R->penalty * R->gap[i] * change : 0;
  }
  return sum;
}

static bool all_finite(const lb_equilibrium_solver* R) {
  return isfinite(lb_dot(R->m->nv, R->r, R->r)) && isfinite(lb_dot(R->rows, R->gap, R->gap));
}

// The part of a step that moves no joint and no free particle by more than LONGEST.
static double first_scale(const lb_equilibrium_solver* R) {
  const lb_model* s = R->small;
  double most = 0;
  for (int i = 0; i < s->nlink; i++) {
    if (s->link_kind[i] < LB_JOINT_COUNT) {
      most = fmax(most, largest(s->link_nv[i], R->c + s->link_v[i]));
    }
  }
  most = fmax(most, largest(3 * R->m->nfree, R->dq + R->m->nv - 3 * R->m->nfree));
  return most > LONGEST ? LONGEST / most : 1;
}

// Take a part of the kept step and look.
static bool go(lb_equilibrium_solver* R, lb_data* d, double scale) {
  const lb_model* m = R->m;
  memcpy(d->q, R->kept_q, (size_t)m->nq * sizeof *d->q);
  memcpy(R->lambda, R->kept_lambda, (size_t)R->rows * sizeof *R->lambda);
  lb_add(R->rows, R->lambda, scale, R->kept_mu);
  lb_advance(m, d->q, R->kept_dq, scale);
  lb_normalise(m, d->q);
  lb_equilibrium_solver_look(R, d);
  return all_finite(R);
}

static bool is_definite(const lb_equilibrium_solver* R) {
  return R->least == 0 && !R->loose;
}

// Was it a good one? `down`: on the whole it led down. Else the next step, which is found as well,
// has to be shorter than `less`, from one definite stiffness to another.
static bool goes_on(lb_equilibrium_solver* R, lb_data* d, bool down, bool definite, double less) {
  bool found = find_step(R, d, false);
  bool shrinks = definite && is_definite(R) && R->size <= less;
  if (!R->fresh && (!found || (definite && is_definite(R) && !shrinks))) {
    found = find_step(R, d, true);
    shrinks = definite && is_definite(R) && R->size <= less;
  }
  return found && (down || shrinks);
}

static void keep(lb_equilibrium_solver* R, const lb_data* d) {
  memcpy(R->kept_q, d->q, (size_t)R->m->nq * sizeof *d->q);
  memcpy(R->kept_dq, R->dq, (size_t)R->m->nv * sizeof *R->dq);
  memcpy(R->kept_lambda, R->lambda, (size_t)R->rows * sizeof *R->lambda);
  memcpy(R->kept_mu, R->mu, (size_t)R->rows * sizeof *R->mu);
}

// Take as much of the step as is good, and find the next one.
static bool take_step(lb_equilibrium_solver* R, lb_data* d) {
  const size_t nv = (size_t)R->m->nv;
  const double size = R->size, start = slope(R, R->dq);
  const bool definite = is_definite(R);
  double gain = 0; // of the slope, by the new multipliers
  for (int i = 0; i < R->rows; i++) {
    gain -= R->mu[i] * lb_dot((int)nv, R->J + (size_t)i * nv, R->dq);
  }
  keep(R, d);
  double scale = first_scale(R);
  for (int i = 0; i < MOST_CUTS; i++, scale *= SHORTER) {
    if (!go(R, d, scale)) {
      continue;
    }
    const bool down = start + scale * gain + slope(R, R->kept_dq) <= 0;
    if (goes_on(R, d, down, definite, size * (1 - scale * (1 - MUCH)))) {
      return true;
    }
  }
  return false;
}

// Off an unstable rest, along the direction in which it is least stable.
static bool nudge(lb_equilibrium_solver* R, lb_data* d) {
  memcpy(R->c, R->V, (size_t)R->n * sizeof *R->c);
  R->space->expand(R, R->dq, R->c);
  lb_advance(R->m, d->q, R->dq, NUDGE / step_size(R));
  lb_normalise(R->m, d->q);
  lb_equilibrium_solver_look(R, d);
  return all_finite(R) && find_step(R, d, false);
}

// --- the way down ---

static bool descend(lb_equilibrium_solver* R, lb_data* d) {
  int nudges = 0;
  double before = INFINITY;
  R->penalty = 0;
  lb_equilibrium_solver_look(R, d);
  bool ok = all_finite(R) && find_step(R, d, false);
  for (R->iterations = 1; ok && R->iterations <= MOST_ITERATIONS; R->iterations++) {
    const bool last = R->size <= ENOUGH || (R->size <= ROUGH && R->size > MUCH * before);
    before = R->size;
    if (last && R->least < -LEAST && nudges++ < MOST_NUDGES) {
      ok = nudge(R, d);
    } else if (last) { // rounding decides about its slope
      keep(R, d);
      return go(R, d, 1);
    } else {
      ok = take_step(R, d);
    }
  }
  return false;
}

// Of unilateral constraints how far they are gone through.
static double widest_gap(const lb_equilibrium_solver* R) {
  double most = 0;
  for (int i = 0; i < R->rows; i++) {
    most = fmax(most, R->unilateral[i] ? -R->gap[i] : fabs(R->gap[i]));
  }
  return most;
}

// What the motors have to hold.
static void read_motors(const lb_equilibrium_solver* R, lb_data* d) {
  const lb_model* m = R->m;
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      d->motor_force[i] = R->r[m->motor_v[i]];
    }
  }
  for (int i = 0; i < R->rows; i++) { // all rows, as they were last measured
    const int motor = lb_constraints_row(d, i).motor;
    if (motor >= 0) {
      d->motor_force[motor] = R->lambda[i];
    }
  }
}

// The joint that is pushed most, over what it weighs: bodies that bend only come to that when no
// joint is pushed.
static const char* restless_joint(const lb_equilibrium_solver* R) {
  const lb_model* m = R->small;
  const char* name = m->njoint ? m->joint_name[0] : "?";
  double most = 0;
  for (int elastic = 0; elastic < 2 && most < PUSHED; elastic++) {
    for (int j = 0; j < m->njoint; j++) {
      const bool counts = lb_link_is_elastic(m->joint_kind[j]) == (elastic == 1);
      for (int k = 0; counts && k < m->joint_nv[j]; k++) {
        const int v = m->joint_v[j] + k;
        const double rush = fabs(R->rs[v]) / R->D->M[v * m->nv + v];
        if (rush > most) {
          most = rush;
          name = m->joint_name[j];
        }
      }
    }
  }
  return name;
}

// Multipliers of the pose before are a start, where they are those of the same rows.
static void begin_rows(lb_equilibrium_solver* R, lb_data* d) {
  lb_constraints_find_redundant(R->m, d);
  if (R->choice != lb_constraints_count_choices(d)) {
    memset(R->lambda, 0, (size_t)lb_constraints_most(R->m) * sizeof *R->lambda);
  }
  R->choice = lb_constraints_count_choices(d);
}

lb_status lb_equilibrium_solver_solve(lb_equilibrium_solver* R, lb_data* d, lb_error* err) {
  const lb_model* m = R->m;
  memcpy(R->start_q, d->q, (size_t)m->nq * sizeof *d->q);
  begin_rows(R, d);
  if (descend(R, d) && widest_gap(R) <= CLOSED) {
    read_motors(R, d);
    lb_constraints_keep_active(m, d, R->lambda);
    return LB_OK;
  }
  int loop = 0;
  const double gap = lb_constraint_gap(m, d, &loop);
  memcpy(d->q, R->start_q, (size_t)m->nq * sizeof *d->q);
  memset(R->lambda, 0, (size_t)lb_constraints_most(m) * sizeof *R->lambda);
  if (lb_arena_status(&R->scratch) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the rest of '%s'",
                        m->name);
  }
  if (gap > CLOSED) {
    const lb_constraint_title told = lb_model_constraint(m, loop);
    return lb_error_add(err, LB_FAILED, told.place,
                        "no pose at rest at t = %g s: %s '%s' stays open by %.3g (metres or "
                        "radians); the motors ask for a pose that cannot be reached",
                        d->time, told.kind, told.name, gap);
  }
  return lb_error_add(err, LB_FAILED, (lb_place){0},
                      "no pose at rest was found at t = %g s: joint '%s' is still being pushed; "
                      "is there something that holds it against gravity?",
                      d->time, restless_joint(R));
}

// --- life ---

static lb_equilibrium_solver* lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv, nq = (size_t)m->nq, rows = (size_t)lb_constraints_most(m);
  const size_t n = m->condensed ? (size_t)m->condensed->nv : m->tree ? (size_t)m->tree->nv : nv;
  lb_equilibrium_solver* R = lb_carve(c, 1, sizeof *R);
  lb_equilibrium_solver made = {.m = m, .small = m->tree ? m->tree : m, .n = (int)n};
  const struct {
    double** array;
    size_t count;
  } part[] = {
      {&made.r, nv},
      {&made.dq, nv},
      {&made.kept_dq, nv},
      {&made.kept_q, nq},
      {&made.start_q, nq},
      {&made.J, rows * nv},
      {&made.gap, rows},
      {&made.mu, rows},
      {&made.lambda, rows},
      {&made.kept_mu, rows},
      {&made.work, 4 * rows},
      {&made.kept_lambda, rows},
      {&made.rs, n},
      {&made.c, n},
      {&made.w, n},
      {&made.z, n},
      {&made.Js, rows * n},
      {&made.Z, rows * n},
      {&made.A, n * n},
      {&made.B, n * n},
      {&made.V, n * n},
      {&made.S, rows * rows},
      {&made.part, rows * rows},
      {&made.next, rows},
  };
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].array = lb_carve(c, part[i].count, sizeof(double));
  }
  made.pivot = lb_carve(c, 2 * rows, sizeof(int));
  made.unilateral = lb_carve(c, rows, sizeof(bool));
  made.acts = lb_carve(c, rows, sizeof(bool));
  if (R) {
    *R = made;
  }
  return R;
}

static lb_status check_constraints(const lb_model* m, lb_error* err) {
  const int velocity_level = lb_constraints_velocity_level(m);
  if (velocity_level < 0) {
    return LB_OK;
  }
  const lb_constraint_title told = lb_model_constraint(m, velocity_level);
  return lb_error_add(err, LB_INVALID, told.place,
                      "constraint '%s' gives a rate and not a place; poses at rest with such are "
                      "not looked for (take it away)",
                      told.name);
}

lb_status lb_equilibrium_solver_create(const lb_model* m, const lb_allocator* allocator,
                                       lb_equilibrium_solver** out, lb_error* err) {
  if (m->full) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "with 'elastic: full' the model that moves is another one, with all nodes: "
                        "ask for the rest of that, or leave 'elastic: full' out of the scene's "
                        "solver");
  }
  lb_status fit = check_constraints(m, err);
  fit = fit == LB_OK ? lb_constraints_check_dense(m, "a search for its equilibrium", err) : fit;
  if (fit != LB_OK) {
    return fit;
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
  lb_equilibrium_solver* R = lay_out(&c, m);
  R->allocator = allocator;
  R->space = m->ndense < m->nv - 3 * m->nfree ? &lb_equilibrium_full
             : m->nparticle > 0               ? &lb_equilibrium_particles
                                              : &lb_equilibrium_dense;
  for (int i = 0; i < m->nbody; i++) {
    R->mass += m->body_link[i] == LB_WORLD ? 0 : m->body_mass[i].mass;
  }
  for (int i = 0; i < m->nparticle; i++) {
    R->mass += m->particle[i].link == LB_WORLD ? 0 : m->particle[i].mass;
  }
  lb_arena_init(&R->scratch, allocator);
  const lb_status status = R->space->create(R, err);
  if (status != LB_OK) {
    lb_equilibrium_solver_release(R);
    return status;
  }
  *out = R;
  return LB_OK;
}

void lb_equilibrium_solver_release(lb_equilibrium_solver* R) {
  if (R) {
    lb_derivatives_release(R->D);
    R->space->release(R);
    lb_arena_release(&R->scratch);
    lb_release(R->allocator, R);
  }
}

lb_status lb_equilibrium(const lb_model* m, lb_data* d, lb_error* err) {
  lb_equilibrium_solver* R = NULL;
  lb_status status = lb_equilibrium_solver_create(m, d->work->allocator, &R, err);
  if (status == LB_OK) {
    status = lb_equilibrium_solver_solve(R, d, err);
  }
  lb_equilibrium_solver_release(R);
  return status;
}
