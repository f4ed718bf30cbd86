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
#include "solve/implicit/implicit.h"
#include "solve/step/step_inside.h"

typedef struct full {
  lb_condensed_model condensed;
  lb_operator W; // of the condensed model
  double* r;     // [n] residual in its coordinates
  double* J;     // [rows][n] of the constraints
} full;

// --- making and releasing ---

static void release(lb_stepper* st) {
  const lb_implicit* step = st->own;
  full* own = step->own;
  if (own) {
    lb_condensed_model_release(&own->condensed);
  }
}

static lb_status take(lb_stepper* st, full* own) {
  lb_implicit* step = st->own;
  lb_arena* arena = &st->arena;
  const int n = lb_model_condensed(st->m)->nv, rows = lb_constraints_most(st->m);
  const int exact = step->exact ? step->exact->sys.op.nd : 0;
  own->W = lb_operator_take(arena, st->m, n);
  own->W.layer = &lb_layer_condensed;
  own->W.condensed = &own->condensed;
  own->W.c = LB_TAKE(arena, double, n);
  own->r = LB_TAKE(arena, double, n);
  own->J = LB_TAKE(arena, double, (size_t)rows*(size_t)n);
  step->schur = lb_schur_take(arena, rows, n > exact ? n : exact);
  lb_status status = lb_arena_status(arena);
  if (status == LB_OK) {
    status = lb_condensed_model_create(&own->condensed, st->m, arena);
    own->W.small = own->condensed.model;
  }
  return status;
}

static lb_status create(lb_stepper* st, lb_error* err) {
  lb_implicit* step = st->own;
  lb_status status = LB_OK;
  if (st->solver.newton == LB_NEWTON_EXACT) {
    status = lb_implicit_take_exact(st, err);
  }
  if (status != LB_OK) {
    return status;
  }
  full* own = step->own = LB_TAKE(&st->arena, full, 1);
  status = own ? take(st, own) : LB_NO_MEMORY;
  if (status != LB_OK) {
    lb_error_add(err, status, (lb_place){0},
                 "out of memory for the stepper of full elastic bodies");
  }
  return status;
}

// --- the matrix ---

static bool make(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* step = st->own;
  full* own = step->own;
  const bool made = lb_condensed_model_renew(&own->condensed, d, dt) == LB_OK;
  step->newton.speed = made ? sqrt(2 * lb_kinetic_energy(st->m, d)) : step->newton.speed;
  return lb_implicit_renewed(st, own->W.nd, dt, made);
}

// W of the small system, factored.
static bool couple(full* own, double dt) {
  const lb_model* s = own->condensed.model;
  lb_data* d = own->condensed.data;
  double* W = own->W.W;
  lb_crba(s, d, W, d->q);
  for (int i = 0; i < s->nv * s->nv; i++) {
    W[i] /= dt;
  }
  lb_resistance_stiffen(s, d, W, dt);
  lb_step_hold_driven(s, s->nv, W);
  return lb_operator_factor_inner(&own->W, true);
}

static double correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  full* own = step->own;
  const int n = own->W.nd;
  step->newton.news = 1;
  const lb_constraint_rows rows = lb_constraints_linearise(m, d, LB_SET_STEP);
  for (int i = 0; i < rows.count; i++) {
    lb_add(m->nv, step->r, -step->lambda[i], rows.J + (size_t)i * (size_t)m->nv);
  }
  if (lb_condensed_model_respond(&own->condensed, d, step->r) != LB_OK || !couple(own, dt)) {
    return NAN;
  }
  for (int i = 0; i < rows.count; i++) {
    lb_condensed_model_project(&own->condensed, own->J + i * n, rows.J + (size_t)i * (size_t)m->nv);
  }
  double* c = own->W.layer->before(&own->W, false, step->r);
  memcpy(own->r, c, (size_t)n * sizeof *c);
  lb_operator_solve(&own->W, false, 1, c);
  if (rows.count > 0) {
    lb_schur_forget(&step->schur, n, false); // the small matrix is a new one every time
    lb_schur_correct(&step->schur, &own->W, &rows, own->J, n, NULL,
                     lb_kkt_target_of(dt, step->inner), step->lambda, c, own->r);
  }
  own->W.layer->after(&own->W, false, step->dv);
  lb_add(m->nv, d->qd, -1, step->dv);
  return sqrt(fabs(dt * lb_dot(n, c, own->r)));
}

// The forces of the motors that go with the step's accelerations.
static void observe(lb_stepper* st, lb_data* d) {
  const lb_implicit* step = st->own;
  lb_drive(st->m, d);
  lb_react(st->m, d, step->lambda);
}

const lb_implicit_algebra lb_implicit_full = {create, release, make, correct, observe, NULL,
                                              1e-7,   1.1,     5,    INT_MAX, NULL};
