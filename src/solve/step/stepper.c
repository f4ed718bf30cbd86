// One interface for all steppers: choose by name, guard each step.
#include "solve/step/stepper.h"

#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/blas_thread.h"
#include "model/use/initial_pose.h"
#include "model/use/motor_use.h"
#include "solve/diagnose/diagnose.h"

#define STEPPER(code, stepper, name, method, text) &lb_stepper_##stepper,
static const lb_stepper_type* const STEPPERS[] = {LB_INTEGRATOR_LIST(STEPPER)};

void lb_slopes(const lb_model* m, lb_data* d, double* dq, double* qdd) {
  lb_forward(m, d);
  lb_rates(m, dq, d->q, d->qd);
  memcpy(qdd, d->qdd, (size_t)m->nv * sizeof *qdd);
  lb_muscles_slopes(m, d, qdd + m->nv);
}

static void save(lb_stepper* st, const lb_data* d) {
  memcpy(st->saved, d->q, (size_t)st->m->nq * sizeof *d->q);
  memcpy(st->saved + st->m->nq, d->qd, (size_t)st->m->nv * sizeof *d->qd);
  memcpy(lb_stepper_saved_x(st), d->x, (size_t)st->m->nx * sizeof *d->x);
}

void lb_stepper_impact(lb_stepper* st, lb_data* d, double* impulse) {
  save(st, d);
  lb_constraints_impact(st->m, d, LB_SET_ACTIVE, impulse);
  if (st->watcher) {
    st->watcher(st->watching, d,
                &(lb_step_past){.dt = 1,
                                .count = 1,
                                .weight = {1},
                                .q = {st->saved},
                                .v = {st->saved + st->m->nq},
                                .lambda = impulse,
                                .impact = true});
  }
}

void lb_stepper_restart(const lb_stepper* st, lb_data* d) {
  memcpy(d->q, st->saved, (size_t)st->m->nq * sizeof *d->q);
  memcpy(d->qd, st->saved + st->m->nq, (size_t)st->m->nv * sizeof *d->qd);
  memcpy(d->x, lb_stepper_saved_x(st), (size_t)st->m->nx * sizeof *d->x);
  if (d->work->muscles) {
    d->work->muscles->dt = 0;
  }
}

static bool all_finite(int n, const double* x) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

// Speeds grow by orders of magnitude in a step where motion leaves all bounds, and carry others
// along: whose it was is remembered from when the first was beyond what bodies have [1/s or m/s].
static void watch_speeds(lb_stepper* st, const lb_data* d, double start) {
  static const double FAST = 1e6;
  const int v = st->m->nv > 0 ? lb_fastest(st->m, d, 0) : -1;
  if (v < 0 || fabs(d->qd[v]) < FAST) {
    st->runaway = 0;
  } else if (st->runaway == 0) {
    st->runaway = v + 1;
    st->ran_from = start;
  }
}

// Diagnosis of a failed step.
typedef struct diagnosis {
  bool left;      // it went beyond all bounds
  int singular;   // joint that came to a full turn, or -1
  int unfollowed; // joint with angles that were too fast for it, or -1
} diagnosis;

// Numbers are of no use nearer to a full turn than this, in turns; and a step that finds no end is
// likely to have met that from where it is less near.
static const double SINGULAR = 0.02, NEARLY_SINGULAR = 0.1;

// Numbers that something acts on keep their chart, up to where it is of no use.
static lb_status complain_about_chart(const lb_stepper* st, int joint, double time, lb_error* err) {
  const lb_model* m = st->m;
  return lb_error_add(
      err, LB_FAILED, m->joint.place[joint],
      "the rotation vector of joint '%s', which carries body '%s', came near a full turn after t = "
      "%g s, where it is singular; it cannot go on with the vector the other way round, since its "
      "numbers have a spring, limits, armature, a constraint%s or a motor of their own (use a "
      "spherical joint, or take these away)",
      m->joint.name[joint], lb_model_motion(m, joint).body, time, st->keeps ? ", a goal" : "");
}

static lb_status complain_about_angles(const lb_stepper* st, int joint, double time, double h,
                                       lb_error* err) {
  const lb_model* m = st->m;
  return lb_error_add(
      err, LB_FAILED, m->joint.place[joint],
      "the angles of joint '%s', which carries body '%s', came too near to a singular place after "
      "t "
      "= %g s, as where two of their axes fall together: there they turn faster than steps of %g s "
      "can follow, though the body does not (use a spherical or an exponential joint, or another "
      "'order' of angles; or take smaller steps, or the adaptive integrator)",
      m->joint.name[joint], lb_model_motion(m, joint).body, time, h);
}

// Back to where a step of h began, with the reason why there is none.
static lb_status fail(lb_stepper* st, lb_data* d, double start, double h, diagnosis t,
                      lb_error* err) {
  lb_status status = LB_FAILED;
  lb_stepper_restart(st, d);
  d->time = start;
  const int strained = t.singular < 0
                           ? lb_singular_joint(st->m, st->keeps, d->q, d->q, NEARLY_SINGULAR)
                           : t.singular;
  if (strained >= 0) {
    return complain_about_chart(st, strained, start, err);
  }
  if (t.unfollowed >= 0) {
    return complain_about_angles(st, t.unfollowed, start, h, err);
  }
  if (d->work->contacts && lb_contacts_overflow(d->work->contacts)) {
    return lb_contacts_complain(d->work->contacts, start, err);
  }
  if (err && lb_is_out_of_reach(st->m, d, h)) {
    status = lb_diagnose_open(st->m, d, false, err);
  } else if (err) {
    lb_stepper_restart(st, d);
    d->time = start;
    status = lb_diagnose_lost(st, d, h, t.left, err);
  }
  lb_stepper_restart(st, d);
  d->time = start;
  return status;
}

// Steps that are found again from their start; others have reported.
static void report_end(const lb_stepper* st, const lb_data* d, double h) {
  if (st->watcher && st->type->reach > 0 && st->type->derivative->restarts) {
    st->watcher(st->watching, d, &(lb_step_past){.dt = h, .count = 1, .weight = {1}});
  }
}

// Projection onto the constraints, after a step that leaves gaps; false: there is no such state
// near.
static bool project(lb_stepper* st, lb_data* d, double h) {
  if (!(lb_project(st->m, d) <= LB_CLOSED) ||
      (lb_constraints_velocity_level(st->m) >= 0 &&
       !(lb_constraints_gap_of(st->m, d, true, NULL) <= LB_CLOSED))) {
    return false;
  }
  report_end(st, d, h);
  return true;
}

// Largest relative error of rates at d's state, over the sum of the absolute shares of velocities
// in each.
static double rates_off(const lb_model* m, lb_data* d, int* which) {
  static const double SHARE = 0.1;
  double worst = 0;
  lb_kinematics(m, d, d->q, d->qd);
  const bool dense = lb_constraints_are_dense(m);
  const lb_constraint_rows rows =
      (dense ? lb_constraints_linearise : lb_constraints_measure)(m, d, LB_SET_ACTIVE);
  for (int i = 0; i < rows.count; i++) {
    const double* J = dense ? rows.J + (size_t)i * (size_t)m->nv : NULL;
    double size = 0;
    for (int k = 0; J && rows.velocity_level[i] && k < m->nv; k++) {
      size += fabs(J[k] * d->qd[k]);
    }
    const double off = fabs(rows.rate[i]);
    if (rows.velocity_level[i] && !(off <= fmax(worst, SHARE * size))) {
      const lb_constraint_row* r = lb_constraints_row(d, i);
      *which = r->constraint;
      worst = off;
    }
  }
  return worst;
}

double lb_stepper_gap(const lb_stepper* st, lb_data* d, int* which) {
  const lb_model* m = st->m;
  if (lb_integrator_method(st->solver.integrator) != LB_METHOD_LINEAR ||
      lb_constraints_velocity_level(m) < 0) {
    return lb_constraint_gap(m, d, which);
  }
  int at_velocity = -1;
  const double gap = lb_constraints_gap_of(m, d, false, which), off = rates_off(m, d, &at_velocity);
  *which = off <= gap ? *which : at_velocity;
  return off <= gap ? gap : off;
}

// Steppers with a history see that it ends here.
static void rechart(const lb_stepper* st, lb_data* d) {
  if (st->watched && !st->recharts) {
    return;
  }
  if (lb_rechart(st->m, st->keeps, d->q, d->qd) && st->watcher) {
    st->watcher(st->watching, d, &(lb_step_past){.count = 1, .weight = {1}, .recharts = true});
  }
}

static diagnosis diagnose(const lb_stepper* st, const lb_data* d, double h, bool stepped) {
  const lb_model* m = st->m;
  diagnosis t = {.left = !all_finite(m->nq, d->q) || !all_finite(m->nv, d->qd) ||
                         !all_finite(m->nx, d->x),
                 .singular = -1,
                 .unfollowed = -1};
  if (!t.left) {
    t.singular = lb_singular_joint(m, st->keeps, st->saved, d->q, SINGULAR);
  }
  if (!t.left && stepped && st->type->reach > 0) {
    t.unfollowed = lb_unfollowed_joint(m, st->saved, st->saved + m->nq, d->q, h, st->type->reach);
  }
  return t;
}

// Contacts act on velocities, so loops are left open by gaps of second order. Where things may
// collide they are closed after every step, in free flight, too.
bool lb_stepper_leaves_gaps(const lb_stepper* st, const lb_data* d) {
  const lb_model* m = st->m;
  return d->work->contacts && m->contact.ncollider > 0 && m->constraint.count > 0 &&
         st->solver.closing == 0;
}

static void normalise(void* context, int first, int last) {
  const lb_data* d = context;
  lb_normalise_links(d->model, first, last, d->q);
}

lb_status lb_stepper_step(lb_stepper* st, lb_data* d, double h, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  const double start = d->time;
  static const double ROUNDING = 1e-12; // steps that end at a given time differ by it
  if (h > st->limit.step * (1 + ROUNDING)) {
    return lb_elastic_limit_check(st->m, &st->limit, h, (lb_place){.file = st->m->file}, err);
  }
  lb_drive(st->m, d); // callers may have rounded the time, and observed the state then or not
  rechart(st, d);
  lb_elimination_hold(st->m, d);
  lb_constraints_find_redundant(st->m, d);
  lb_constraints_latch(st->m, d);
  lb_muscles_settle(st->m, d);
  save(st, d);
  const bool stepped = st->type->step(st, d, h);
  const diagnosis t = diagnose(st, d, h, stepped);
  if (!stepped || t.left || t.singular >= 0 || t.unfollowed >= 0) {
    return fail(st, d, start, h, t, err);
  }
  d->time = start + h;
  if (st->type->closes_loops && !lb_stepper_leaves_gaps(st, d)) {
    lb_drive(st->m, d);
    lb_for_trees(st->m, d, normalise, d);
    report_end(st, d, h);
  } else if (!project(st, d, h)) {
    return fail(st, d, start, h, (diagnosis){false, -1, -1}, err);
  }
  if (st->type->finish) {
    st->type->finish(st, d, h);
  }
  watch_speeds(st, d, start);
  return LB_OK;
}

const lb_stepper_type* lb_stepper_type_of(lb_integrator by) {
  return STEPPERS[by];
}

// Semi-implicit Euler through contacts, with servos and with stops that yield is a linearly
// implicit step without stiffness.
const lb_stepper_type* lb_stepper_type_for(const lb_model* m, lb_integrator by) {
  const bool solves = m->contact.set.on || lb_bounded_rows(m) > 0;
  return by == LB_INTEGRATOR_EULER && solves ? &lb_stepper_linear_euler : STEPPERS[by];
}

// Servos and stops that yield were made for the integrator of the scene: some solve for them, and
// for others they are forces.
static lb_status check_bounds(const lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  const lb_integrator by = st->solver.integrator;
  const bool rows =
      st->type == &lb_stepper_linear_euler || lb_integrator_method(by) == LB_METHOD_IMPLICIT;
  if (m->motor.nservo + m->constraint.nbound == 0 || rows == m->solves_bounds ||
      by == m->solver.integrator) {
    return LB_OK;
  }
  const int motor = m->motor.nservo > 0 ? m->motor.servo[0].motor : -1;
  return lb_error_add(err, LB_INVALID, motor >= 0 ? m->motor.place[motor] : (lb_place){0},
                      "'%s' has servos, or stops that yield, which %s cannot step where the scene "
                      "has another integrator (name it in the scene)",
                      m->name, lb_integrator_name(by));
}

// Scenes that ask for semi-implicit Euler do so for steps that elastic bodies bear. Callers who ask
// for it in another's place see to that themselves.
static lb_status check_elastic(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  st->limit.step = INFINITY;
  if (st->solver.integrator != LB_INTEGRATOR_EULER || m->solver.integrator != LB_INTEGRATOR_EULER) {
    return LB_OK;
  }
  const lb_status status = lb_elastic_limit_find(m, st->arena.allocator, &st->limit, err);
  return status == LB_OK ? lb_elastic_limit_check(m, &st->limit, st->solver.step,
                                                  (lb_place){.file = m->file}, err)
                         : status;
}

lb_status lb_stepper_create(const lb_model* model, const lb_scene_solver* solver,
                            const lb_allocator* allocator, lb_stepper** stepper, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_stepper* st = LB_TAKE(&arena, lb_stepper, 1);
  double* saved = LB_TAKE(&arena, double, model->nq + model->nv + model->nx);
  if (!st || !saved) {
    lb_arena_release(&arena);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  st->m = model;
  st->solver = solver ? *solver : model->solver;
  st->type = lb_stepper_type_for(model, st->solver.integrator);
  st->saved = saved;
  st->arena = arena;
  lb_status status = check_bounds(st, err);
  status = status == LB_OK ? check_elastic(st, err) : status;
  status = status == LB_OK ? st->type->create(st, err) : status;
  if (status != LB_OK) {
    arena = st->arena;
    lb_arena_release(&arena);
    return status;
  }
  *stepper = st;
  return LB_OK;
}

void lb_stepper_release(lb_stepper* st) {
  if (st) {
    if (st->type->release) {
      st->type->release(st);
    }
    lb_arena arena = st->arena;
    lb_arena_release(&arena);
  }
}

long lb_stepper_count(const lb_stepper* st) {
  return st->count;
}

void lb_stepper_observe(lb_stepper* st, lb_data* d) {
  LB_ONE_BLAS_THREAD;
  lb_constraints_swap_observer(d);
  if (st->type->observe) {
    st->type->observe(st, d);
  } else {
    lb_forward(st->m, d);
  }
  lb_constraints_swap_observer(d);
}

void lb_stepper_watch(lb_stepper* st, lb_step_watcher* watcher, void* context) {
  st->watcher = watcher;
  st->watching = context;
  st->watched = watcher != NULL;
}

void lb_stepper_watch_charts(lb_stepper* st, const bool* keeps) {
  st->recharts = true;
  st->keeps = keeps;
}
