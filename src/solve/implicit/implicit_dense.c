// Newton's matrix as a dense one, for bodies in a basis: W = M/dt + D + dt K keeps what is stiff
// (springs, dampers, elastic bodies) and leaves out what is not (gyroscopic terms, gravity's
// gradient): the error per iteration falls by the ratio of the two times dt, and the result does
// not depend on it. Particles of ropes and deformables are eliminated first, which leaves a matrix
// of the tree's size (particle_matrix.h). Where only coordinates of joints are stiff, each by
// itself, W is not made at all: dt W is the mass matrix with more on its diagonal, which is solved
// with in time linear in the links (dynamics/system/tree_system.h).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/particles.h"
#include "dynamics/system/kkt.h"
#include "dynamics/system/tree_system.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/state.h"
#include "elastic/reduced/reduced.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"
#include "solve/implicit/anderson.h"
#include "solve/implicit/implicit.h"
#include "solve/implicit/implicit_schur.h"
#include "solve/particle/particle_matrix.h"
#include "solve/step/step_matrix.h"

typedef struct dense {
  lb_tree_factor* tree;          // of dt W; NULL: it is a dense matrix, or ...
  lb_kkt* kkt;                   // ... the KKT system of dt W and the constraints; NULL: it is not
  double* by_q;                  // [nv] stiffness of joints
  double* mu;                    // [rows] right-hand sides of constraints, then multipliers
  double* more;                  // [nv] what it has on its diagonal beyond the mass matrix
  double dt;                     // of the step
  const lb_model* rest;          // what the dense matrix is of: all but nodes
  lb_particle_matrix* particles; // NULL: there are none
  double* W;                     // [ndense][ndense] factored; NULL: never made
  int* order;                    // [ndense] row exchanges, of an exact matrix
  bool exact;                    // W is the whole derivative, factored as L U
  double* K;                     // [r][r] tangent of one elastic body
  double* D;                     // [r][r] its damping
  double* eta;                   // [r] where they are taken
  lb_implicit_schur schur;
  double *E, *gap_q; // [rows][nv] of an exact matrix: what rows ask for by v; scratch
  lb_anderson secants;
  lb_derivatives* derivatives;
} dense;

// Trees of more coordinates than this have no exact matrix to fall back on unless asked for: with
// its derivatives it would take eight times this squared in numbers.
enum { MOST_EXACT = 600 };

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
}

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  int most = 0;
  for (int i = 0; i < m->nlink; i++) {
    most = m->link.packed[i].reduced && m->link.packed[i].nv > most ? m->link.packed[i].nv : most;
  }
  const bool tree = lb_forces_are_diagonal(m), kkt = lb_implicit_kkt_fits(m);
  const bool asked = st->solver.newton == LB_NEWTON_EXACT;
  const lb_status fits = asked ? lb_constraints_check_dense(m, "'newton: exact'", err) : LB_OK;
  if (fits != LB_OK) {
    return fits;
  }
  const bool exact =
      !(tree || kkt) || (m->ndense <= MOST_EXACT && lb_constraints_are_dense(m)) || asked;
  dense* own = step->own = LB_TAKE(&st->arena, dense, 1);
  if (own) {
    own->tree = tree ? lb_tree_factor_create(m, &st->arena) : NULL;
    own->more = LB_TAKE(&st->arena, double, m->nv);
    own->by_q = LB_TAKE(&st->arena, double, m->nv);
    own->mu = LB_TAKE(&st->arena, double, lb_constraints_most(m));
    own->rest = lb_model_without_particles(m, &st->arena);
    own->particles = m->particles.nparticle > 0 ? LB_TAKE(&st->arena, lb_particle_matrix, 1) : NULL;
    own->W = exact ? LB_TAKE(&st->arena, double, (size_t)m->ndense*(size_t)m->ndense) : NULL;
    const size_t by_rows = exact ? (size_t)lb_constraints_most(m) * (size_t)m->nv : 0;
    own->E = LB_TAKE(&st->arena, double, by_rows);
    own->gap_q = LB_TAKE(&st->arena, double, by_rows);
    own->K = LB_TAKE(&st->arena, double, most* most);
    own->D = LB_TAKE(&st->arena, double, most* most);
    own->eta = LB_TAKE(&st->arena, double, most);
    own->order = LB_TAKE(&st->arena, int, m->nv);
  }
  if (!own || !own->rest || (tree && !own->tree) || (exact && !own->W) || !own->E || !own->gap_q ||
      !own->more || !own->K || !own->D || !own->eta || !own->order || !own->by_q || !own->mu ||
      (exact ? lb_implicit_schur_create : lb_implicit_schur_create_small)(
          &own->schur, lb_constraints_most(m), m->nv, &st->arena) != LB_OK ||
      lb_anderson_create(&own->secants, m->nv, &st->arena) != LB_OK ||
      (m->particles.nparticle > 0 &&
       (!own->particles || lb_particle_matrix_create(own->particles, m, &st->arena) != LB_OK))) {
    return no_memory(err);
  }
  const lb_status status =
      exact ? lb_derivatives_create(own->rest, st->arena.allocator, &own->derivatives, err) : LB_OK;
  return status == LB_OK && kkt ? lb_kkt_create_alone(m, st->arena.allocator, &own->kkt, err)
                                : status;
}

bool lb_implicit_kkt_fits(const lb_model* m) {
  return lb_kkt_fits(m) && lb_resistance_is_diagonal(m);
}

// --- Newton's matrix ---

// A body's coordinates a time s ahead.
static void look_ahead(dense* own, const lb_link* l, const lb_data* d, double s) {
  for (int k = 0; k < l->reduced->r; k++) {
    own->eta[k] = d->q[l->q + k] + s * d->qd[l->v + k];
  }
}

// Stiffness and damping that an elastic body puts on its coordinates: with dq = dt dv, the
// derivative of f(q) + beta D(q) v is
//
//   dt K + beta D + dt beta dD/dq v ~ dt K(q) + beta D(q + dt v)
//
// and where D is K, one tangent does: (dt + beta) K(q + s v), s = dt beta / (dt + beta).
static void add_elastic(const lb_link* l, dense* own, const lb_data* d, int nv, double dt) {
  const lb_reduced* b = l->reduced;
  const lb_reduced_force* law = &b->internal;
  const bool own_damping = b->beta > 0 && law->viscous;
  if (own_damping) {
    look_ahead(own, l, d, dt);
    law->blend(law->context, own->D, (lb_blend){.D = 1}, own->eta, NULL, d->work->scratch);
  }
  look_ahead(own, l, d, own_damping ? 0 : dt * b->beta / (dt + b->beta));
  lb_reduced_tangent(law, own->K, own->eta, d->work->scratch);
  const double* K = own->K;
  const double* D = own_damping ? own->D : K;
  const double* C = b->C ? b->C : b->M;
  for (int i = 0; i < b->r; i++) {
    for (int j = 0; j < b->r; j++) {
      const int at = i * b->r + j;
      own->W[(l->v + i) * nv + l->v + j] += dt * K[at] + b->beta * D[at] + b->alpha * C[at];
    }
  }
}

// Take the nodes out of the matrix, d's links being in place.
static bool eliminate_nodes(dense* own, lb_data* d, double dt) {
  return !own->particles || lb_particle_matrix_reduce(own->particles, d, dt, own->W);
}

static bool make_tree(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  lb_joint_springs_slopes(m, d->q, own->more);
  for (int k = 0; k < m->nv; k++) {
    own->more[k] = dt * (m->dof.damping[k] + dt * fmax(0, own->more[k]));
  }
  step->speed = sqrt(2 * lb_kinetic_energy(m, d)); // puts the poses in place
  own->exact = false;
  own->dt = dt;
  lb_anderson_forget(&own->secants);
  step->dt = lb_tree_factor_make(own->tree, d, own->more) ? dt : 0;
  return step->dt > 0;
}

static bool make_kkt(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  lb_resistance_diagonals(m, d, own->by_q, own->more);
  for (int k = 0; k < m->nv; k++) {
    own->more[k] = dt * (own->more[k] + dt * fmax(0, own->by_q[k]));
  }
  step->speed = sqrt(2 * lb_kinetic_energy(m, d));
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraints_measure(m, d, LB_SET_STEP);
  own->exact = false;
  own->dt = dt;
  lb_anderson_forget(&own->secants);
  step->dt = lb_kkt_factor(own->kkt, d, (lb_kkt_terms){.diagonal = own->more, .dt = dt}) ? dt : 0;
  return step->dt > 0;
}

static bool make(lb_stepper* st, lb_data* d, double dt) {
  const dense* by = ((lb_implicit*)st->own)->own;
  if (by->tree || by->kkt) {
    return (by->tree ? make_tree : make_kkt)(st, d, dt);
  }
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  const int nv = m->ndense;
  lb_crba(m, d, own->W, d->q);
  double twice = 0;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      twice += d->qd[i] * own->W[i * nv + j] * d->qd[j];
      own->W[i * nv + j] /= dt;
    }
  }
  for (int k = nv; k < m->nv; k++) { // free particles
    twice += d->qd[k] * m->dof.armature[k] * d->qd[k];
  }
  step->speed = sqrt(fmax(0, twice));
  lb_resistance_stiffen(own->rest, d, own->W, dt);
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
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
  lb_implicit_schur_forget(&own->schur, false);
  lb_anderson_forget(&own->secants);
  if (own->particles) {
    lb_kinematics(m, d, d->q, d->qd);
  }
  lb_elimination_reduce(own->rest, own->W);
  const int left = lb_elimination_left(own->rest);
  const bool made = eliminate_nodes(own, d, dt) && lb_cholesky(left, own->W, left) == LB_OK;
  step->dt = made ? dt : 0;
  return step->dt > 0;
}

static void solve_eliminated(const dense* own, int count, double* b) {
  const int nv = own->schur.n, left = lb_elimination_left(own->rest);
  for (int i = 0; i < count; i++, b += nv) {
    lb_elimination_gather(own->rest, b);
    if (own->exact) {
      lb_lu_solve_transposed(left, own->W, left, own->order, 1, b, left);
    } else {
      lb_cholesky_solve(left, own->W, left, 1, b, left);
    }
    lb_elimination_spread(own->rest, b);
  }
}

static void solve_with_matrix(const void* context, int count, double* b) {
  const dense* own = context;
  const int nv = own->schur.n;
  if (own->particles) {
    const int nd = own->particles->nd;
    for (int i = 0; i < count; i++, b += nv) {
      lb_particle_matrix_before(own->particles, b);
      if (own->exact) {
        lb_lu_solve_transposed(nd, own->W, nd, own->order, 1, b, nd);
      } else {
        lb_cholesky_solve(nd, own->W, nd, 1, b, nd);
      }
      lb_particle_matrix_after(own->particles, b);
    }
  } else if (!own->tree && own->rest->constraint.elimination.count > 0) {
    solve_eliminated(own, count, b);
  } else if (own->exact) {
    lb_lu_solve_transposed(nv, own->W, nv, own->order, count, b, nv); // W is by rows
  } else if (own->tree) { // one right-hand side, since there are no loops
    lb_tree_factor_solve(own->tree, b);
    for (int k = 0; k < nv; k++) {
      b[k] *= own->dt;
    }
  } else {
    lb_cholesky_solve(nv, own->W, nv, count, b, nv);
  }
}

// Velocities after a correction dv = W^-1 r; its size sqrt(dv'M dv). One that is rounding tells
// nothing of the matrix.
static double accelerate(lb_stepper* st, lb_data* d, double dt) {
  static const double FEW = 4;
  lb_implicit* step = st->own;
  dense* own = step->own;
  const double size = sqrt(fabs(dt * lb_dot(st->m->nv, step->dv, step->r))); // W ~ M/dt
  if (size > FEW * step->rounding) {
    step->news = lb_anderson_correct(&own->secants, d->qd, step->dv, step->r);
  } else {
    step->news = 1;
    lb_add(st->m->nv, d->qd, -1, step->dv);
    lb_anderson_restart(&own->secants);
  }
  return size;
}

// The same by the KKT system of dt W: with dt mu for its multipliers, and those to be of unilateral
// constraints, lambda + mu, in place of mu.
static double correct_kkt(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  double *lambda = own->schur.lambda, *mu = own->mu;
  const lb_constraint_rows rows = lb_constraints_measure(m, d, LB_SET_STEP);
  const lb_kkt_target wish = lb_kkt_target_of(dt, step->inner);
  lb_constraints_add_forces(m, d, lambda, -1, step->r);
  for (int i = 0; i < rows.count; i++) {
    own->schur.next[i] = rows.unilateral && rows.unilateral[i] ? lambda[i] : 0;
    mu[i] = lb_implicit_asked(&rows, i, wish);
  }
  memcpy(step->dv, step->r, (size_t)m->nv * sizeof *step->r);
  if (rows.unilateral) {
    lb_kkt_add_forces(own->kkt, own->schur.next, 1, step->dv);
  }
  for (int k = 0; k < m->nv; k++) {
    step->dv[k] *= dt;
  }
  lb_kkt_solve(own->kkt, step->dv, mu, NULL);
  for (int i = 0; i < rows.count; i++) {
    mu[i] = mu[i] / dt - own->schur.next[i];
  }
  lb_add(rows.count, lambda, 1, mu);
  lb_kkt_add_forces(own->kkt, mu, -1, step->r);
  return accelerate(st, d, dt);
}

// One correction of the velocities; its size sqrt(dv'M dv).
static double correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  if (own->kkt && !own->exact) {
    return correct_kkt(st, d, dt);
  }
  lb_constraint_rows rows = lb_constraints_measure(m, d, LB_SET_STEP);
  lb_constraints_add_forces(m, d, own->schur.lambda, -1, step->r);
  if (rows.count != own->schur.count) { // else those of the matrix are kept
    rows = lb_constraints_linearise(m, d, LB_SET_STEP);
  }
  memcpy(step->dv, step->r, (size_t)m->nv * sizeof *step->r);
  solve_with_matrix(own, 1, step->dv);
  if (rows.count > 0) {
    lb_kkt_target wish = lb_kkt_target_of(dt, step->inner);
    const bool has_E = own->exact && !own->particles;
    wish.share = has_E ? 1 : wish.share;
    lb_implicit_schur_correct(&own->schur, &rows, rows.J, has_E ? own->E : NULL, wish,
                              solve_with_matrix, own, step->dv, step->r);
  }
  const double size = accelerate(st, d, dt);
  lb_elimination_follow(m, d->qd); // secants of corrections that were rounding do not keep to gears
  return size;
}

static void hold(lb_stepper* st, bool back) {
  const lb_implicit* step = st->own;
  dense* own = step->own;
  lb_implicit_schur_hold(&own->schur, back);
  lb_anderson_restart(&own->secants);
}

// E: the derivative by v of what rows ask for, J v + c/dt; of those that may land, c/dt.
static void differentiate_rows(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  const lb_implicit* step = st->own;
  dense* own = step->own;
  const lb_constraint_rows rows = lb_constraints_linearise(m, d, LB_SET_STEP);
  double *s_q = own->gap_q, *rate_q = own->E, *J = own->schur.Z; // scratch, all but the first
  lb_constraints_differentiate_rows(own->derivatives, d, s_q, rate_q, J);
  for (int i = 0; i < rows.count; i++) {
    const size_t at = (size_t)i * (size_t)m->nv;
    const bool lands = rows.inactive[i];
    const double baumgarte = step->inner && !lands ? 0 : 1 / dt;
    for (size_t k = at; k < at + (size_t)m->nv; k++) {
      s_q[k] = baumgarte * s_q[k] + (lands ? 0 : rate_q[k]);
      J[k] *= !lands;
    }
    lb_step_row(own->E + at, m, d, dt, s_q + at, J + at);
  }
}

// The whole derivative dr/dv: what is left out above matters when forces are large and steps are
// long (a bent rod under tension). Dearer to make and to factor, so only where the other matrix is
// too slow.
static bool make_exact(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  if (!own->W) {
    return make(st, d, dt);
  }
  step->speed = sqrt(2 * lb_kinetic_energy(m, d));
  lb_implicit_residual(st, d, dt);
  if (lb_constraints_linearise(m, d, LB_SET_STEP).count > 0) {
    lb_constraints_apply_multipliers(m, d, LB_SET_STEP, own->schur.lambda);
  }
  lb_derive(own->derivatives, d, d->q, d->qd, d->qdd, true);
  lb_forces_differentiate_outer(own->derivatives, d);
  if (d->work->constraints) {
    lb_constraints_differentiate(own->derivatives, d, own->schur.lambda);
    if (!own->particles) {
      differentiate_rows(st, d, dt);
    }
  }
  if (own->particles) {
    lb_particles_differentiate_turning(own->derivatives, d, m);
  }
  lb_step_matrix(own->W, own->derivatives, d, dt);
  lb_step_add_internal(own->W, (size_t)m->ndense, own->rest, d->q, d->qd, dt, own->K,
                       d->work->scratch);
  own->exact = true;
  lb_implicit_schur_forget(&own->schur, true);
  lb_anderson_forget(&own->secants);
  lb_elimination_reduce(own->rest, own->W);
  const int nd = own->particles ? m->ndense : lb_elimination_left(own->rest);
  const bool made = eliminate_nodes(own, d, dt) && lb_lu(nd, own->W, nd, own->order) == LB_OK;
  step->dt = made ? dt : 0;
  return step->dt > 0;
}

static void release(lb_stepper* st) {
  const lb_implicit* step = st->own;
  const dense* own = step->own;
  lb_derivatives_release(own->derivatives);
  lb_kkt_release(own->kkt);
}

static double* multipliers(const lb_stepper* st) {
  const lb_implicit* step = st->own;
  const dense* own = step->own;
  return own->schur.lambda;
}

const lb_implicit_algebra lb_implicit_dense = {create,   release, make,    make_exact,
                                               correct,  hold,    NULL,    1e-10,
                                               INFINITY, 4,       INT_MAX, multipliers};

// What is left out of the matrix of a tree changes slowly, so one correction does where the last
// steps show that it is enough.
const lb_implicit_algebra lb_implicit_tree = {
    create, release, make, make_exact, correct, hold, NULL, 1e-10, 1.1, 4, 40, multipliers};

const lb_implicit_algebra lb_implicit_kkt = {create,   release, make,    make_exact,
                                             correct,  hold,    NULL,    1e-10,
                                             INFINITY, 4,       INT_MAX, multipliers};
