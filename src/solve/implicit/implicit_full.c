// Newton's method for bodies with all their nodes: each is solved for the residual by itself, with
// its own factored matrix, and a small dense system couples the solutions through what the bodies
// hold in common (elastic/full/condensed.h). The small system is the mass matrix of the condensed
// model, the same world with each body reduced to the few columns that matter in this step, divided
// by dt: the bodies' stiffness is in there already.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint_elastic.h"
#include "math/linear/dense.h"
#include "model/use/model_derive.h"
#include "solve/full/condensed_model.h"
#include "solve/implicit/implicit.h"
#include "solve/implicit/implicit_schur.h"
#include "solve/step/step_inside.h"

typedef struct full {
  lb_condensed_model condensed;
  double* W; // [n][n] factored, n the condensed model's coordinates
  double* r; // [n] residual in them
  double* c; // [n] correction in them
  double* J; // [rows][n] of the loops
  lb_implicit_schur schur;
  // where the scene wants exact matrices
  lb_step_derivative* exact; // NULL: it does not
  bool used;                 // the matrix is such a one
  lb_implicit_schur
      exact_schur; // in the interface model's coordinates; its multipliers are those of `loops`
  double* before;  // [rows] multipliers
} full;

// --- making and releasing ---

static void release(lb_stepper* st) {
  const lb_implicit* step = st->own;
  full* own = step->own;
  if (own) {
    lb_condensed_model_release(&own->condensed);
    lb_step_derivative_release(own->exact);
  }
}

static lb_status take_exact(lb_stepper* st, full* own) {
  const int rows = lb_constraints_most(st->m);
  own->before = LB_TAKE(&st->arena, double, rows);
  lb_status status = own->before ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    status = lb_step_derivative_create(st->m, st->arena.allocator, &own->exact, NULL);
  }
  if (status == LB_OK) {
    status = lb_implicit_schur_create(&own->exact_schur, rows, own->exact->sys.nd, &st->arena);
    own->exact_schur.lambda = own->schur.lambda;
  }
  return status;
}

static lb_status take(lb_stepper* st, full* own) {
  const size_t n = (size_t)lb_model_condensed(st->m)->nv;
  const int rows = lb_constraints_most(st->m);
  own->W = LB_TAKE(&st->arena, double, n* n);
  own->r = LB_TAKE(&st->arena, double, n);
  own->c = LB_TAKE(&st->arena, double, n);
  own->J = LB_TAKE(&st->arena, double, (size_t)rows* n);
  if (!own->W || !own->r || !own->c || !own->J) {
    return LB_NO_MEMORY;
  }
  lb_status status = lb_implicit_schur_create(&own->schur, rows, (int)n, &st->arena);
  if (status == LB_OK) {
    status = lb_condensed_model_create(&own->condensed, st->m, &st->arena);
  }
  return status == LB_OK && st->solver.newton == LB_NEWTON_EXACT ? take_exact(st, own) : status;
}

static lb_status create(lb_stepper* st, lb_error* err) {
  lb_implicit* step = st->own;
  full* own = step->own = LB_TAKE(&st->arena, full, 1);
  const lb_status status = own ? take(st, own) : LB_NO_MEMORY;
  if (status != LB_OK) {
    release(st);
    lb_error_add(err, status, (lb_place){0},
                 "out of memory for the stepper of full elastic bodies");
  }
  return status;
}

// --- the matrix ---

static bool make(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* step = st->own;
  full* own = step->own;
  step->dt = 0;
  if (lb_condensed_model_renew(&own->condensed, d, dt) != LB_OK) {
    return false;
  }
  step->speed = sqrt(2 * lb_kinetic_energy(st->m, d));
  step->dt = dt;
  own->used = false;
  return true;
}

// The whole derivative of the step (step_derivative.h).
static bool make_exact(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* step = st->own;
  full* own = step->own;
  if (!own->exact) {
    return make(st, d, dt);
  }
  step->speed = sqrt(2 * lb_kinetic_energy(st->m, d));
  lb_implicit_residual(st, d, dt);
  own->used = lb_step_full_matrix(own->exact, d, dt, own->schur.lambda);
  lb_implicit_schur_forget(&own->exact_schur, true);
  step->dt = own->used ? dt : 0;
  return own->used;
}

// W of the small system, factored.
static bool couple(full* own, double dt) {
  const lb_model* s = own->condensed.model;
  lb_data* d = own->condensed.data;
  const int n = s->nv;
  lb_crba(s, d, own->W, d->q);
  for (int i = 0; i < n * n; i++) {
    own->W[i] /= dt;
  }
  lb_resistance_stiffen(s, d, own->W, dt);
  for (int i = 0; i < s->nlink; i++) {
    if (s->link.driven[i]) {
      const int k = s->link.v[i];
      for (int j = 0; j < n; j++) {
        own->W[k * n + j] = own->W[j * n + k] = j == k;
      }
    }
  }
  return lb_cholesky(n, own->W, n) == LB_OK;
}

static void solve_small(const void* context, int count, double* b) {
  const full* own = context;
  const int n = own->condensed.model->nv;
  lb_cholesky_solve(n, own->W, n, count, b, n);
}

static void solve_exact(const void* context, int count, double* b) {
  const full* own = context;
  lb_stage_solve(&own->exact->sys, false, count, b);
}

// One correction with the exact matrix: in the interface model's coordinates, from there to the
// nodes.
static double correct_exact(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  full* own = step->own;
  lb_step_derivative* S = own->exact;
  lb_implicit_schur* L = &own->exact_schur;
  if (lb_constraints_linearise(m, d, LB_SET_STEP).count > 0) {
    lb_constraints_add_forces(m, d, L->lambda, -1, step->r);
  }
  double* y = lb_step_full_before(S, d, step->r);
  lb_step_clear_driven(S->D->model, y);
  lb_stage_solve(&S->sys, false, 1, y);
  const lb_constraint_rows rows =
      lb_constraints_linearise(S->D->model, S->sys.full->data, LB_SET_STEP);
  memcpy(own->before, L->lambda, (size_t)rows.count * sizeof *own->before);
  if (rows.count > 0) {
    memset(S->v, 0,
           (size_t)S->sys.nd *
               sizeof *S->v); // loads on the interface model, of which it is not asked
    lb_implicit_schur_correct(L, &rows, rows.J, NULL, lb_kkt_target_of(dt, step->inner),
                              solve_exact, own, y, S->v);
    for (int i = 0; i < rows.count; i++) {
      own->before[i] = L->lambda[i] - own->before[i];
    }
    lb_constraints_add_forces(m, d, own->before, -1, step->r);
  }
  lb_full_step_after(S->sys.full, false, step->dv);
  lb_add(m->nv, d->qd, -1, step->dv);
  return sqrt(fabs(dt * lb_dot(m->nv, step->dv, step->r))); // r = W dv, and W ~ M/dt
}

static double correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  full* own = step->own;
  step->news = 1;
  if (own->used) {
    return correct_exact(st, d, dt);
  }
  const int n = own->condensed.model->nv;
  const lb_constraint_rows rows = lb_constraints_linearise(m, d, LB_SET_STEP);
  for (int i = 0; i < rows.count; i++) {
    lb_add(m->nv, step->r, -own->schur.lambda[i], rows.J + (size_t)i * (size_t)m->nv);
  }
  if (lb_condensed_model_respond(&own->condensed, d, step->r) != LB_OK || !couple(own, dt)) {
    return NAN;
  }
  lb_condensed_model_project(&own->condensed, own->r, step->r);
  for (int i = 0; i < rows.count; i++) {
    lb_condensed_model_project(&own->condensed, own->J + i * n, rows.J + (size_t)i * (size_t)m->nv);
  }
  memcpy(own->c, own->r, (size_t)n * sizeof *own->c);
  solve_small(own, 1, own->c);
  if (rows.count > 0) {
    lb_implicit_schur_forget(&own->schur, false); // the small matrix is a new one every time
    lb_implicit_schur_correct(&own->schur, &rows, own->J, NULL, lb_kkt_target_of(dt, step->inner),
                              solve_small, own, own->c, own->r);
  }
  const double size = sqrt(fabs(dt * lb_dot(n, own->c, own->r)));
  for (int k = 0; k < n; k++) {
    own->c[k] = -own->c[k];
  }
  lb_condensed_model_expand(&own->condensed, d->qd, own->c);
  return size;
}

static void hold(lb_stepper* st, bool back) {
  const lb_implicit* step = st->own;
  full* own = step->own;
  lb_implicit_schur_hold(&own->schur, back);
}

// The forces of the motors that go with the step's accelerations.
static void observe(lb_stepper* st, lb_data* d) {
  const lb_implicit* step = st->own;
  const full* own = step->own;
  lb_drive(st->m, d);
  lb_react(st->m, d, own->schur.lambda);
}

static double* multipliers(const lb_stepper* st) {
  const lb_implicit* step = st->own;
  full* own = step->own;
  return own->schur.lambda;
}

const lb_implicit_algebra lb_implicit_full = {
    create, release, make, make_exact, correct, hold, observe, 1e-7, 1.1, 5, INT_MAX, multipliers};
