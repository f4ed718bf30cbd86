// Corrections of Newton's method, with the matrix of an algebra or with the exact one: the whole
// derivative dr/dv of a stage (step_derivative.h). What the others leave out matters when forces
// are large and steps are long (a bent rod under tension). It is dearer to make and to factor, so
// only where they are too slow.
#include <math.h>
#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "solve/implicit/implicit.h"
#include "solve/step/step_inside.h"

lb_status lb_implicit_take_exact(lb_stepper* st, lb_error* err) {
  lb_implicit* own = st->own;
  const lb_status status = lb_constraints_check_dense(st->m, "'newton: exact'", err);
  return status == LB_OK ? lb_step_derivative_create(st->m, st->arena.allocator, &own->exact, err)
                         : status;
}

bool lb_implicit_renewed(lb_stepper* st, int n, double dt, bool made) {
  lb_implicit* own = st->own;
  own->is_exact = false;
  own->newton.dt = made ? dt : 0;
  lb_schur_forget(&own->schur, n, false);
  lb_anderson_forget(&own->anderson);
  return made;
}

bool lb_implicit_make_exact(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* own = st->own;
  if (!own->exact) {
    st->matrices++;
    return own->algebra->make(st, d, dt);
  }
  own->newton.speed = sqrt(2 * lb_kinetic_energy(st->m, d));
  lb_implicit_residual(st, d, dt);
  const bool made = lb_step_newton_matrix(own->exact, d, dt, own->inner, own->lambda);
  lb_implicit_renewed(st, own->exact->sys.op.nd, dt, made);
  own->schur.general = own->is_exact = true;
  own->met = -1; // rows of servos are to be solved for anew
  return made;
}

void lb_implicit_solve_exact(lb_stepper* st, double* b) {
  lb_implicit* own = st->own;
  lb_operator* W = &own->exact->sys.op;
  lb_step_clear_driven(st->m, b);
  double* y = W->layer->before(W, false, b);
  lb_operator_solve(W, false, 1, y);
  if (own->schur.count > 0) {
    lb_schur_project(&own->schur, y);
  }
  W->layer->after(W, false, b);
  for (int k = 0; k < st->m->nv; k++) {
    b[k] /= own->newton.dt;
  }
}

void lb_implicit_solve(lb_stepper* st, lb_operator* W, const lb_constraint_rows* rows,
                       const double* E, lb_kkt_target wish, double* r) {
  lb_implicit* own = st->own;
  memcpy(own->dv, own->r, (size_t)st->m->nv * sizeof *own->r);
  double* y = W->layer->before(W, false, own->dv);
  if (y != own->dv) {
    lb_step_clear_driven(W->small, y);
  }
  lb_operator_solve(W, false, 1, y);
  if (rows->count > 0) {
    const int stride = W->full ? W->nd : st->m->nv;
    lb_schur_correct(&own->schur, W, rows, rows->J, stride, E, wish, own->lambda, y, r);
  }
  W->layer->after(W, false, own->dv);
}

// One that is rounding says nothing of the matrix.
double lb_implicit_accelerate(lb_stepper* st, lb_data* d, double dt) {
  static const double FEW = 4;
  lb_implicit* own = st->own;
  const double size = sqrt(fabs(dt * lb_dot(st->m->nv, own->dv, own->r))); // W ~ M/dt
  if (own->anderson.n > 0 && !own->meets && size > FEW * own->newton.rounding) {
    own->newton.news = lb_anderson_correct(&own->anderson, d->qd, own->dv, own->r);
  } else {
    own->newton.news = 1;
    lb_add(st->m->nv, d->qd, -1, own->dv);
    lb_anderson_restart(&own->anderson);
  }
  lb_elimination_follow(st->m, d->qd); // pairs of corrections that were rounding break couplings
  return size;
}

// Bodies with all their nodes are solved for in the coordinates of the interface model.
static double correct_exact(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* own = st->own;
  lb_step_derivative* S = own->exact;
  lb_data* e = lb_step_data(S, d);
  lb_constraint_rows rows = lb_constraints_measure(m, d, LB_SET_STEP);
  lb_kkt_target wish = lb_kkt_target_of(dt, own->inner);
  lb_constraints_add_forces(m, d, own->lambda, -1, own->r);
  double* seen = own->r;
  if (e != d) {
    lb_step_newton_pose(S, d, own->r);
    seen = memset(S->v, 0, (size_t)S->sys.op.nd * sizeof *S->v);
  }
  if (e != d || rows.count != own->schur.count) { // else those of the matrix are kept
    rows = lb_constraints_linearise(e->model, e, LB_SET_STEP);
  }
  wish.share = 1;
  lb_implicit_solve(st, &S->sys.op, &rows, S->of.gap_q, wish, seen);
  if (e != d) {
    lb_stage_gather(&S->sys, own->r, 1, seen);
  }
  return lb_implicit_accelerate(st, d, dt);
}

double lb_implicit_correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_implicit* own = st->own;
  return (own->is_exact ? correct_exact : own->algebra->correct)(st, d, dt);
}
