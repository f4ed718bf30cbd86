// A run with its stages kept for the way back, and what it is worth.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/kinematics.h"
#include "limber/simulate.h"
#include "model/use/initial_pose.h"
#include "model/use/model_derive.h"

// Tolerance of Newton's method, over the motion's energy: gradients are those of converged steps.
static const double TOLERANCE = 1e-12;
// Tolerance with loops, elastic bodies or goals on motor forces, where errors of velocities over
// the step count, too. Beside deformables elastic bodies do without, and all do where they have all
// their nodes: rounding of forces may not let steps come so far, and those that fail for it are
// divided. With exact matrices, as the latter have, they come further by themselves.
static const double FINER = 1e-13;

// Violation of a limit or floor at a start that counts as rounding [m or rad].
static const double BEYOND = 1e-6;

// --- what motors exert ---

void lb_optimizing_exert(const lb_optimizing* o, const lb_model* m, lb_data* d, int record,
                         double* r) {
  if (!lb_goals_exert(o, record)) {
    return;
  }
  const lb_step_past past = lb_tape_past(&o->tape, record);
  o->tape.type->derivative->exert(d, &past, r, r + m->nv);
}

static void look_at_motors(const lb_optimizing* o, const lb_model* m, lb_data* d) {
  const int last = o->tape.count - 1, end = lb_tape_last(&o->tape);
  if (end < last) {
    lb_tape_go_to(&o->tape, d, end);
  }
  lb_optimizing_exert(o, m, d, end, o->r);
  if (end < last) {
    lb_tape_go_to(&o->tape, d, last);
  }
}

static void look(lb_optimizing* o, const lb_model* m, lb_data* d, int step, double* goal) {
  look_at_motors(o, m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_move_origins(m, d->work, d->qd);
  lb_goals_look(o, m, d, step, goal);
}

// --- the run ---

// Impact at the start, as in simulations: an active constraint has no speed into it. A start beyond
// a limit or floor is refused: projection would hide how it depends on the numbers.
static lb_status stop_at_start(lb_optimizing* o, const lb_model* m, lb_stepper* st, lb_data* d,
                               lb_error* err) {
  int which = 0;
  if (lb_constraints_unilateral(m) < 0) {
    return LB_OK;
  }
  const double gap = lb_constraint_gap(m, d, &which);
  if (gap > BEYOND) {
    const lb_model_constraint* constraint = &m->constraint.item[which];
    return lb_error_add(err, LB_FAILED, constraint->place,
                        "constraint '%s' does not hold at the start with these numbers: it is open "
                        "by %.3g (metres or radians)",
                        constraint->name, gap);
  }
  lb_stepper_impact(st, d, o->r + m->nv);
  return LB_OK;
}

static lb_status step_all(lb_optimizing* o, const lb_model* m, lb_stepper* st, lb_data* d,
                          double* goal, lb_error* err) {
  lb_status status = LB_OK;
  for (int i = 1; i <= o->public.steps && status == LB_OK; i++) {
    status = lb_tape_step(&o->tape, st, d, i, err);
    if (status == LB_OK) {
      look(o, m, d, i, goal);
    }
  }
  return status;
}

static void tighten(const lb_optimizing* o, lb_stepper* st) {
  lb_implicit* own = st->own;
  const bool loops = o->tape.rows > 0 && lb_constraints_unilateral(st->m) < 0;
  const bool bends = st->m->elastic.count > 0 && st->m->particles.nparticle == 0;
  const bool finer = !lb_model_interface(st->m) && (loops || bends || lb_goals_exert(o, -1));
  own->newton.tolerance = fmin(own->newton.tolerance, finer ? FINER : TOLERANCE);
  if (o->begins_as_sdirk2) {
    own->scheme = &lb_scheme_bdf2_after_sdirk2;
  }
}

lb_status lb_optimizing_stepper(const lb_optimizing* o, const lb_model* m, lb_stepper** st,
                                lb_error* err) {
  const lb_status status = lb_stepper_create(m, NULL, o->allocator, st, err);
  if (status == LB_OK) {
    lb_stepper_watch_charts(*st, o->keeps);
  }
  if (status == LB_OK && (*st)->type->scheme) {
    tighten(o, *st);
  }
  return status;
}

static lb_status run(lb_optimizing* o, const lb_played* m, lb_data* d, double* goal,
                     lb_error* err) {
  lb_stepper* st = NULL;
  lb_status status = lb_optimizing_stepper(o, m->model, &st, err);
  if (status != LB_OK) {
    return status;
  }
  lb_constraints_forget_redundant(d);
  status = lb_start_make(o, m, d, err);
  if (status == LB_OK) {
    lb_tape_begin(&o->tape, st, d, o->public.steps);
    status = stop_at_start(o, m->model, st, d, err);
  }
  if (status == LB_OK) {
    look(o, m->model, d, 0, goal);
    status = step_all(o, m->model, st, d, goal, err);
  }
  lb_stepper_release(st);
  return status;
}

lb_status lb_optimizing_run(lb_optimizing* o, const lb_played* m, lb_data* d, double* objective,
                            double* goal, lb_error* err) {
  memset(goal, 0, (size_t)o->ngoal * sizeof *goal);
  lb_status status = lb_goals_move(o) ? run(o, m, d, goal, err) : LB_OK;
  status = status == LB_OK ? lb_stiffness_look(o, m, goal, err) : status;
  *objective = 0;
  for (int i = 0; i < o->ngoal; i++) {
    *objective += goal[i];
  }
  return status;
}
