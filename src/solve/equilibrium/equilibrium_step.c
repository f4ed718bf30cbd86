// One look at a state, and one step of Newton's method from there, as far as it goes down.
//
// A step solves, loops included,
//
//   (K + gamma J'J) dq - J'dlambda = -(r + gamma J'gap),    J dq = -gap                     (2)
//
// The term in gamma changes nothing where J dq = -gap; it makes the matrix positive definite
// exactly where K is along the loops' free directions, so that a Cholesky factor exists where it is
// stable. Where it is not, the matrix' modes over the masses take its place, each with the size of
// its stiffness and none below that of a pendulum of ten kilometres: what is unstable then goes
// down instead of up, and what nothing holds stays. A step so descends on E - lambda.gap + gamma/2
// gap.gap. Without knowing the energy of every force (loads have none), the change of that is found
// by the trapezoidal rule from the slopes at the step's two ends.
//
// A slender body that bends along a straight line is stretched, and its energy soars; but the next
// step takes that back. So a step of growing energy is good, too, when the stiffness is definite at
// both its ends and the next step is much shorter (by half of what was taken of it). Others are
// shortened. Two such ways may take turns for ever, as where a muscle goes slack; so after PATIENCE
// steps one of growing energy has to lead to a step of half of the shortest before, at most.
//
// Unilateral constraints ask for J dq >= -gap and lambda + dlambda >= 0, one of them zero: a
// problem of math/linear/complementary.h in the multipliers. Those that neither act nor are gone
// through do not count among J and gap elsewhere.
#include "solve/equilibrium/equilibrium_step.h"

#include <math.h>
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "solve/step/step_matrix.h"

enum { PATIENCE = 20, MOST_CUTS = 12, MOST_RAISES = 5 };

static const double LEAST = 1e-3;   // stiffness over mass [1/s^2]
static const double RAISE = 100;    // of the penalty
static const double LONGEST = 0.5;  // step of a joint [rad] or [m]
static const double SHORTER = 0.25; // a step of growing energy, tried again
static const double NUDGE = 1e-3;   // [m] off an unstable equilibrium

// --- a look ---

static void hold_still(const lb_model* m, lb_data* d) {
  lb_drive(m, d);
  memset(d->qd, 0, (size_t)m->nv * sizeof *d->qd);
  memset(d->qdd, 0, (size_t)m->nv * sizeof *d->qdd);
}

lb_constraint_rows lb_equilibrium_forces(const lb_model* m, lb_data* d) {
  lb_muscles_rest(d, false);
  lb_update(m, d, LB_FORCED);
  return lb_constraints_linearise(m, d, LB_SET_INACTIVE);
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
  const lb_constraint_rows rows = lb_equilibrium_forces(m, d);
  R->at.rows = rows.count;
  R->at.any_unilateral = rows.unilateral != NULL;
  if (rows.count > 0) {
    memcpy(R->at.J, rows.J, (size_t)rows.count * (size_t)m->nv * sizeof *R->at.J);
    memcpy(R->at.gap, rows.gap, (size_t)rows.count * sizeof *R->at.gap);
    for (int i = 0; i < rows.count; i++) {
      R->at.unilateral[i] = rows.unilateral && rows.unilateral[i];
      R->at.acts[i] = !R->at.unilateral[i] || R->at.lambda[i] > 0 || R->at.gap[i] <= 0;
    }
    lb_constraints_apply_multipliers(m, d, LB_SET_INACTIVE, R->at.lambda);
  }
  R->space->look(R, d);
}

// --- the matrix of a step ---

// Gaps count as much as the stiffest coordinate.
static double choose_penalty(const lb_equilibrium_solver* R) {
  const int n = R->sys.n;
  double most = 0, row = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(R->D->tau_q[k * n + k]) + R->D->M[k * n + k]);
  }
  for (int i = 0; i < R->at.rows; i++) {
    row = fmax(row, lb_dot(n, R->sys.Js + i * n, R->sys.Js + i * n));
  }
  return row > 0 ? most / row : 0;
}

// The matrix of (2).
static void fill_matrix(lb_equilibrium_solver* R) {
  const int n = R->sys.n;
  const double* K = R->D->tau_q;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) { // symmetric but for turns under forces that are not in balance
      double sum = 0.5 * (K[i * n + j] + K[j * n + i]);
      for (int k = 0; k < R->at.rows; k++) {
        sum += !R->at.acts[k] ? 0 : R->sys.penalty * R->sys.Js[k * n + i] * R->sys.Js[k * n + j];
      }
      R->sys.W.W[i + j * n] = R->sys.W.W[j + i * n] = sum;
    }
  }
  lb_step_hold_driven(R->sys.W.small, n, R->sys.W.W);
}

// Its modes over the masses, V'M V = 1, with the size of their stiffness: A = M V |w| V'M. Sets
// R->sys.V, and R->step.least to the lowest w.
static bool replace_matrix(lb_equilibrium_solver* R) {
  const int n = R->sys.n;
  fill_matrix(R);
  memcpy(R->sys.V, R->sys.W.W, (size_t)n * (size_t)n * sizeof *R->sys.V);
  memcpy(R->sys.B, R->D->M, (size_t)n * (size_t)n * sizeof *R->sys.B);
  lb_step_hold_driven(R->sys.W.small, n, R->sys.B);
  if (lb_eigen_generalised(&R->scratch, n, R->sys.V, n, R->sys.B, n, R->sys.w) != LB_OK) {
    return false;
  }
  R->step.least = R->sys.w[0];
  memcpy(R->sys.B, R->D->M, (size_t)n * (size_t)n * sizeof *R->sys.B);
  lb_step_hold_driven(R->sys.W.small, n, R->sys.B);
  memset(R->sys.W.W, 0, (size_t)n * (size_t)n * sizeof *R->sys.W.W);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      R->sys.z[k] = lb_dot(n, R->sys.B + k * n, R->sys.V + i * n);
    }
    for (int k = 0; k < n; k++) {
      lb_add(n, R->sys.W.W + k * n, fmax(LEAST, fabs(R->sys.w[i])) * R->sys.z[k], R->sys.z);
    }
  }
  return lb_operator_factor_inner(&R->sys.W, true);
}

// True where the matrix is definite but for directions without stiffness.
static bool is_neutral(lb_equilibrium_solver* R) {
  const int n = R->sys.n;
  fill_matrix(R);
  for (int i = 0; i < n * n; i++) {
    R->sys.W.W[i] += LEAST * R->D->M[i];
  }
  lb_step_hold_driven(R->sys.W.small, n, R->sys.W.W);
  return lb_operator_factor_inner(&R->sys.W, true);
}

// A penalty that is too weak for K to be definite along the free directions alone is raised.
static bool factor(lb_equilibrium_solver* R) {
  const double penalty = R->sys.penalty;
  R->step.least = 0;
  for (int i = 0; i < (R->at.rows > 0 ? MOST_RAISES : 1); i++) {
    fill_matrix(R);
    if (lb_operator_factor_inner(&R->sys.W, true)) {
      return true;
    }
    if (is_neutral(R)) {
      return replace_matrix(R);
    }
    R->sys.penalty *= RAISE;
  }
  R->sys.penalty = penalty;
  return replace_matrix(R);
}

// --- a step ---

// c and mu = dlambda of (2), from -r in c.
static void solve_step(lb_equilibrium_solver* R) {
  const int n = R->sys.n, rows = R->at.rows;
  lb_schur* S = &R->sys.schur;
  double* c = R->step.c;
  for (int i = 0; i < rows; i++) {
    lb_add(n, c, R->at.acts[i] ? -R->sys.penalty * R->at.gap[i] : 0, R->sys.Js + i * n);
  }
  lb_operator_solve(&R->sys.W, false, 1, c);
  if (rows == 0) {
    return;
  }
  lb_schur_forget(S, n, false);
  lb_schur_keep(S, &R->sys.W, rows, R->sys.Js, n, NULL,
                R->at.any_unilateral ? R->at.unilateral : NULL);
  for (int i = 0; i < rows; i++) {
    S->mu[i] = -R->at.gap[i] - lb_dot(n, R->sys.Js + i * n, c);
  }
  lb_schur_solve(S, R->at.lambda);
  memcpy(R->step.mu, S->mu, (size_t)rows * sizeof *S->mu);
  lb_columns_add(n, rows, c, 1, S->Z, S->mu);
}

// Size of the step c, dq: the mean over all masses.
static double step_size(const lb_equilibrium_solver* R) {
  const int n = R->sys.n, nv = R->m->nv;
  double sum = 0;
  for (int k = nv - 3 * R->m->particles.nfree; k < nv; k++) {
    sum += R->m->dof.armature[k] * R->step.dq[k] * R->step.dq[k];
  }
  for (int k = 0; k < n; k++) {
    sum += R->step.c[k] * lb_dot(n, R->D->M + k * n, R->step.c);
  }
  return sqrt(fmax(0, sum) / R->mass);
}

// -r and J as the operator sees them.
static void see(lb_equilibrium_solver* R) {
  lb_operator* W = &R->sys.W;
  const size_t n = (size_t)R->sys.n, nv = (size_t)R->m->nv;
  for (size_t i = 0; i < (size_t)R->at.rows; i++) {
    memcpy(R->sys.row, R->at.J + i * nv, nv * sizeof *R->sys.row);
    memcpy(R->sys.Js + i * n, W->layer->before(W, false, R->sys.row), n * sizeof *R->sys.Js);
  }
  R->step.c = W->layer->before(W, false, R->step.dq);
  lb_step_clear_driven(W->small, R->step.c);
  memcpy(R->sys.rs, R->step.c, n * sizeof *R->sys.rs);
}

// The step from where d is, the last state looked at: dq, mu and its size.
static bool find_step(lb_equilibrium_solver* R, lb_data* d, bool anew) {
  for (int k = 0; k < R->m->nv; k++) {
    R->step.dq[k] = -R->at.r[k];
  }
  if (!R->space->linearise(R, d, anew)) {
    return false;
  }
  see(R);
  if (R->sys.penalty == 0) {
    R->sys.penalty = choose_penalty(R);
  }
  if (!factor(R)) {
    return false;
  }
  solve_step(R);
  R->sys.W.layer->after(&R->sys.W, false, R->step.dq);
  R->step.size = step_size(R);
  return isfinite(R->step.size);
}

// Slope along dq of the energy with the multipliers as they are now.
static double slope(const lb_equilibrium_solver* R, const double* dq) {
  const int nv = R->m->nv;
  double sum = lb_dot(nv, R->at.r, dq);
  for (int i = 0; i < R->at.rows; i++) {
    const double change = lb_dot(nv, R->at.J + (size_t)i * (size_t)nv, dq);
    sum += R->at.acts[i] ? R->sys.penalty * R->at.gap[i] * change : 0;
  }
  return sum;
}

static bool all_finite(const lb_equilibrium_solver* R) {
  return isfinite(lb_dot(R->m->nv, R->at.r, R->at.r)) &&
         isfinite(lb_dot(R->at.rows, R->at.gap, R->at.gap));
}

bool lb_equilibrium_step_find(lb_equilibrium_solver* R, lb_data* d) {
  lb_equilibrium_solver_look(R, d);
  return all_finite(R) && find_step(R, d, false);
}

// --- as much of it as is good ---

static double largest(int n, const double* x) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

// The part of a step that moves no joint and no free particle by more than LONGEST.
static double first_scale(const lb_equilibrium_solver* R) {
  const lb_model* s = R->sys.W.small;
  double most = 0;
  for (int i = 0; i < s->nlink; i++) {
    if (s->link.kind[i] < LB_JOINT_COUNT) {
      most = fmax(most, largest(s->link.nv[i], R->step.c + s->link.v[i]));
    }
  }
  most = fmax(
      most, largest(3 * R->m->particles.nfree, R->step.dq + R->m->nv - 3 * R->m->particles.nfree));
  return most > LONGEST ? LONGEST / most : 1;
}

// Take a part of the kept step and look.
static bool go(lb_equilibrium_solver* R, lb_data* d, double scale) {
  const lb_model* m = R->m;
  memcpy(d->q, R->kept.q, (size_t)m->nq * sizeof *d->q);
  memcpy(R->at.lambda, R->kept.lambda, (size_t)R->at.rows * sizeof *R->at.lambda);
  lb_add(R->at.rows, R->at.lambda, scale, R->kept.mu);
  lb_advance(m, d->q, R->kept.dq, scale);
  lb_normalise(m, d->q);
  lb_equilibrium_solver_look(R, d);
  return all_finite(R);
}

static bool is_definite(const lb_equilibrium_solver* R) {
  return R->step.least == 0 && !R->step.loose;
}

// Acceptance of a step. `down`: on the whole the energy fell. Else the next step, which is found as
// well, has to be shorter than `less`, from one definite stiffness to another.
static bool goes_on(lb_equilibrium_solver* R, lb_data* d, bool down, bool definite, double less) {
  bool found = find_step(R, d, false);
  bool shrinks = definite && is_definite(R) && R->step.size <= less;
  if (!R->step.fresh && (!found || (definite && is_definite(R) && !shrinks))) {
    found = find_step(R, d, true);
    shrinks = definite && is_definite(R) && R->step.size <= less;
  }
  return found && (down || shrinks);
}

static void keep(lb_equilibrium_solver* R, const lb_data* d) {
  memcpy(R->kept.q, d->q, (size_t)R->m->nq * sizeof *d->q);
  memcpy(R->kept.dq, R->step.dq, (size_t)R->m->nv * sizeof *R->step.dq);
  memcpy(R->kept.lambda, R->at.lambda, (size_t)R->at.rows * sizeof *R->at.lambda);
  memcpy(R->kept.mu, R->step.mu, (size_t)R->at.rows * sizeof *R->step.mu);
}

bool lb_equilibrium_step_take(lb_equilibrium_solver* R, lb_data* d) {
  const size_t nv = (size_t)R->m->nv;
  const double size = R->step.size, start = slope(R, R->step.dq);
  const bool definite = is_definite(R);
  double gain = 0; // of the slope, by the new multipliers
  for (int i = 0; i < R->at.rows; i++) {
    gain -= R->step.mu[i] * lb_dot((int)nv, R->at.J + (size_t)i * nv, R->step.dq);
  }
  keep(R, d);
  double scale = first_scale(R);
  for (int i = 0; i < MOST_CUTS; i++, scale *= SHORTER) {
    if (!go(R, d, scale)) {
      continue;
    }
    const bool down = start + scale * gain + slope(R, R->kept.dq) <= 0;
    const double less = size * (1 - scale * (1 - LB_EQUILIBRIUM_MUCH_SHORTER));
    if (goes_on(R, d, down, definite,
                R->iterations > PATIENCE ? fmin(less, LB_EQUILIBRIUM_MUCH_SHORTER * R->shortest)
                                         : less)) {
      return true;
    }
  }
  return false;
}

bool lb_equilibrium_step_take_whole(lb_equilibrium_solver* R, lb_data* d) {
  keep(R, d);
  return go(R, d, 1);
}

bool lb_equilibrium_step_unstable(const lb_equilibrium_solver* R) {
  return R->step.least < -LEAST;
}

bool lb_equilibrium_step_nudge(lb_equilibrium_solver* R, lb_data* d) {
  memset(R->step.dq, 0, (size_t)R->m->nv * sizeof *R->step.dq);
  memcpy(R->step.c, R->sys.V, (size_t)R->sys.n * sizeof *R->step.c);
  R->sys.W.layer->after(&R->sys.W, false, R->step.dq);
  lb_advance(R->m, d->q, R->step.dq, NUDGE / step_size(R));
  lb_normalise(R->m, d->q);
  return lb_equilibrium_step_find(R, d);
}
