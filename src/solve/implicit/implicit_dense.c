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
#include "dynamics/force/force.h"
#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/state.h"
#include "elastic/reduced/reduced.h"
#include "math/linear/dense.h"
#include "solve/implicit/implicit.h"
#include "solve/step/step_matrix.h"

typedef struct dense {
  lb_operator W;       // a matrix, or the recursion of a tree
  lb_kkt* kkt;         // of dt W and the constraints in its place; NULL: it is not
  double* by_q;        // [nv] stiffness of joints
  double* more;        // [nv] diagonal of dt W beyond the mass matrix
  double *mu, *pushed; // [rows] right-hand sides of constraints, then multipliers; active ones
  double* K;           // [r][r] tangent of one elastic body
  double* D;           // [r][r] its damping
  double* eta;         // [r] coordinates of the tangents
} dense;

// Trees of more coordinates than this have no exact matrix to fall back on unless asked for: with
// its derivatives it would take eight times this squared in numbers.
enum { MOST_EXACT = 600 };

static int most_shapes(const lb_model* m) {
  int most = 0;
  for (int i = 0; i < m->nlink; i++) {
    most = m->link.packed[i].reduced && m->link.packed[i].nv > most ? m->link.packed[i].nv : most;
  }
  return most;
}

static lb_status take(lb_stepper* st, bool tree, bool matrix) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  lb_arena* arena = &st->arena;
  const int rows = lb_constraints_most(m), most = most_shapes(m);
  dense* own = step->own = LB_TAKE(arena, dense, 1);
  if (!own) {
    return LB_NO_MEMORY;
  }
  *own = (dense){.W = {.m = m, .small = m, .nd = m->nv, .layer = &lb_layer_plain},
                 .by_q = LB_TAKE(arena, double, m->nv),
                 .more = LB_TAKE(arena, double, m->nv),
                 .mu = LB_TAKE(arena, double, rows),
                 .pushed = LB_TAKE(arena, double, rows),
                 .K = LB_TAKE(arena, double, most* most),
                 .D = LB_TAKE(arena, double, most* most),
                 .eta = LB_TAKE(arena, double, most)};
  own->W.inertia = tree ? lb_tree_factor_create(m, arena) : NULL;
  lb_status status = lb_anderson_create(&step->anderson, m->nv, arena);
  if (status == LB_OK && matrix) {
    status = lb_operator_create(&own->W, m, arena);
  }
  return status == LB_OK ? lb_arena_status(arena) : status;
}

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  const bool tree = lb_forces_are_diagonal(m), kkt = lb_implicit_kkt_fits(m);
  const bool exact = !(tree || kkt) || (m->ndense <= MOST_EXACT && lb_constraints_are_dense(m)) ||
                     st->solver.newton == LB_NEWTON_EXACT;
  lb_status status = exact ? lb_implicit_take_exact(st, err) : LB_OK;
  if (status != LB_OK) {
    return status;
  }
  status = take(st, tree, !(tree || kkt));
  if (status == LB_OK && exact) {
    step->schur = lb_schur_take(&st->arena, lb_constraints_most(m), m->ndense);
    status = lb_arena_status(&st->arena);
  }
  if (status != LB_OK) {
    return lb_error_add(err, status, (lb_place){0}, "out of memory for the stepper");
  }
  dense* own = step->own;
  return kkt ? lb_kkt_create_alone(m, st->arena.allocator, &own->kkt, err) : LB_OK;
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
  const lb_reduced_force* internal = &b->internal;
  const bool own_damping = b->beta > 0 && internal->viscous;
  if (own_damping) {
    look_ahead(own, l, d, dt);
    internal->blend(internal->context, own->D, (lb_blend){.D = 1}, own->eta, NULL,
                    d->work->scratch);
  }
  look_ahead(own, l, d, own_damping ? 0 : dt * b->beta / (dt + b->beta));
  lb_reduced_tangent(internal, own->K, own->eta, d->work->scratch);
  const double* K = own->K;
  const double* D = own_damping ? own->D : K;
  const double* C = b->C ? b->C : b->M;
  for (int i = 0; i < b->r; i++) {
    for (int j = 0; j < b->r; j++) {
      const int at = i * b->r + j;
      own->W.W[(l->v + i) * nv + l->v + j] += dt * K[at] + b->beta * D[at] + b->alpha * C[at];
    }
  }
}

static bool make_tree(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  lb_joint_springs_slopes(m, d->q, own->more);
  for (int k = 0; k < m->nv; k++) {
    own->more[k] = dt * (m->dof.damping[k] + dt * fmax(0, own->more[k]));
  }
  step->newton.speed = sqrt(2 * lb_kinetic_energy(m, d)); // puts the poses in place
  own->W.factors = &lb_factors_inertia;
  own->W.dt = dt;
  return lb_implicit_renewed(st, m->nv, dt, lb_tree_factor_make(own->W.inertia, d, own->more));
}

static bool make_kkt(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  lb_resistance_diagonals(m, d, own->by_q, own->more);
  for (int k = 0; k < m->nv; k++) {
    own->more[k] = dt * (own->more[k] + dt * fmax(0, own->by_q[k]));
  }
  step->newton.speed = sqrt(2 * lb_kinetic_energy(m, d));
  lb_kinematics(m, d, d->q, d->qd);
  lb_constraints_measure(m, d, LB_SET_STEP);
  const lb_kkt_terms terms = {.diagonal = own->more, .dt = dt};
  return lb_implicit_renewed(st, m->nv, dt, lb_kkt_factor(own->kkt, d, terms));
}

static bool make(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  if (own->W.inertia || own->kkt) {
    return (own->W.inertia ? make_tree : make_kkt)(st, d, dt);
  }
  const int nv = m->ndense;
  double *W = own->W.W, twice = 0;
  lb_crba(m, d, W, d->q);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      twice += d->qd[i] * W[i * nv + j] * d->qd[j];
      W[i * nv + j] /= dt;
    }
  }
  for (int k = nv; k < m->nv; k++) { // free particles
    twice += d->qd[k] * m->dof.armature[k] * d->qd[k];
  }
  step->newton.speed = sqrt(fmax(0, twice));
  lb_resistance_stiffen(own->W.small, d, W, dt);
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (l->kind == LB_LINK_ELASTIC) {
      add_elastic(l, own, d, nv, dt);
    }
  }
  lb_step_hold_driven(m, nv, W);
  if (own->W.symmetric) {
    lb_kinematics(m, d, d->q, d->qd);
  }
  return lb_implicit_renewed(st, nv, dt, lb_operator_factor(&own->W, d, dt, true));
}

// Correction by the KKT system of dt W: with dt mu for its multipliers, and those to be of
// unilateral constraints, lambda + mu, in place of mu.
static double correct_kkt(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  double *lambda = step->lambda, *mu = own->mu;
  const lb_constraint_rows rows = lb_constraints_measure(m, d, LB_SET_STEP);
  const lb_kkt_target wish = lb_kkt_target_of(dt, step->inner);
  lb_constraints_add_forces(m, d, lambda, -1, step->r);
  for (int i = 0; i < rows.count; i++) {
    own->pushed[i] = rows.unilateral && rows.unilateral[i] ? lambda[i] : 0;
    mu[i] = lb_kkt_asked(&rows, i, wish);
  }
  memcpy(step->dv, step->r, (size_t)m->nv * sizeof *step->r);
  if (rows.unilateral) {
    lb_kkt_add_forces(own->kkt, own->pushed, 1, step->dv);
  }
  for (int k = 0; k < m->nv; k++) {
    step->dv[k] *= dt;
  }
  lb_kkt_solve(own->kkt, step->dv, mu, NULL);
  for (int i = 0; i < rows.count; i++) {
    mu[i] = mu[i] / dt - own->pushed[i];
  }
  lb_add(rows.count, lambda, 1, mu);
  lb_kkt_add_forces(own->kkt, mu, -1, step->r);
  return lb_implicit_accelerate(st, d, dt);
}

static double correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  dense* own = step->own;
  if (own->kkt) {
    return correct_kkt(st, d, dt);
  }
  lb_constraint_rows rows = lb_constraints_measure(m, d, LB_SET_STEP);
  lb_constraints_add_forces(m, d, step->lambda, -1, step->r);
  if (rows.count != step->schur.count) { // else those of the matrix are kept
    rows = lb_constraints_linearise(m, d, LB_SET_STEP);
  }
  lb_implicit_solve(st, &own->W, &rows, NULL, lb_kkt_target_of(dt, step->inner), step->r);
  return lb_implicit_accelerate(st, d, dt);
}

static void solve(lb_stepper* st, double* b) {
  lb_implicit* step = st->own;
  dense* own = step->own;
  if (own->kkt) {
    lb_kkt_solve_homogeneous(own->kkt, b);
    return;
  }
  lb_step_clear_driven(st->m, b);
  double* y = own->W.layer->before(&own->W, false, b);
  lb_operator_solve(&own->W, false, 1, y);
  if (step->schur.count > 0) {
    lb_schur_project(&step->schur, y);
  }
  own->W.layer->after(&own->W, false, b);
  for (int k = 0; k < st->m->nv; k++) {
    b[k] /= step->newton.dt;
  }
}

static void release(lb_stepper* st) {
  const lb_implicit* step = st->own;
  const dense* own = step->own;
  if (own) {
    lb_kkt_release(own->kkt);
  }
}

static void renew(lb_stepper* st) {
  const lb_implicit* step = st->own;
  lb_kkt_forget(((const dense*)step->own)->kkt);
}

const lb_implicit_algebra lb_implicit_dense = {create, release,  make, correct, NULL, solve,
                                               1e-10,  INFINITY, 4,    INT_MAX, NULL};

// Terms left out of the matrix of a tree change slowly, so one correction does where the last steps
// show that it is enough.
const lb_implicit_algebra lb_implicit_tree = {create, release, make, correct, NULL, solve,
                                              1e-10,  1.1,     4,    40,      NULL};

const lb_implicit_algebra lb_implicit_kkt = {create, release,  make, correct, NULL, solve,
                                             1e-10,  INFINITY, 4,    INT_MAX, renew};
