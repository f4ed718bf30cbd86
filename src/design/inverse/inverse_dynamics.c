// Inverse dynamics, sample by sample. With the motion known, everything in
//
//   M qdd + c = tau + f + J' lambda + B u                                                      (1)
//
// is known but what joints exert: f are springs, dampers, loads and measured forces. In a tree all
// coordinates may have a torque, and (1) gives it. With constraints the multipliers lambda are not
// known either, so only the motors' forces u are looked for: the shortest (lambda, u) that leaves
// the least of (1), and tau is what is left. Unilateral constraints have lambda >= 0 where they are
// active, and are not there elsewhere. Coordinates under position motors have their own equation
// each and are left out of that.
#include <math.h>
#include <string.h>

#include "design/inverse/inverse_dynamics.h"
#include "design/inverse/muscle_analysis.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_external.h"
#include "dynamics/force/muscle.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/nonnegative.h"
#include "model/use/motor_use.h"
#include "solve/run/frames.h"

typedef struct job {
  const lb_model* m;
  const lb_inverse_options* o;
  lb_data* d;
  lb_arena arena;
  lb_inverse_motion motion;
  int nforce;
  lb_scene_external* force; // [nforce] filtered
  double *torque, *kept;    // [nv]
  double *A, *b, *x;        // of the least squares
  bool* unilateral;         // unknowns that are not negative
  lb_error* err;
} job;

lb_inverse_options lb_inverse_default(void) {
  return (lb_inverse_options){
      .cutoff = NAN, .force_cutoff = NAN, .touch = 1e-4, .begin = -INFINITY, .end = INFINITY};
}

static lb_status lack(const job* J) {
  return lb_error_add(J->err, LB_NO_MEMORY, (lb_place){0}, "there is not enough memory");
}

// --- measured forces ---

// Copies of the forces, filtered.
static lb_status prepare_forces(job* J) {
  const lb_outer_forces* F = J->o->forces;
  J->nforce = F ? F->count : 0;
  J->force = LB_TAKE(&J->arena, lb_scene_external, J->nforce);
  lb_status status = J->force ? LB_OK : lack(J);
  for (int i = 0; i < J->nforce && status == LB_OK; i++) {
    lb_scene_external* e = &J->force[i];
    double* value = LB_COPY(&J->arena, F->item[i].value, 9 * (size_t)F->item[i].nsample);
    *e = F->item[i];
    e->value = value;
    status = value ? lb_inverse_filter(&J->arena, "forces", e->nsample, e->time, J->o->force_cutoff,
                                       value, 9, J->err)
                   : lack(J);
  }
  return status;
}

// --- one sample ---

// All forces but those of motors.
static void apply_known(job* J) {
  const lb_model* m = J->m;
  lb_data* d = J->d;
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i) && m->motor.v[i] >= 0) {
      d->work->tau[m->motor.v[i]] -= d->motor_force[i];
    } else if (lb_motor_applies_force(m, i)) {
      lb_loop_apply_motor(m, d, i, -d->motor_force[i]);
    }
    d->motor_force[i] = 0;
  }
  for (int i = 0; i < J->nforce; i++) {
    lb_external_apply(m, d->work, &J->force[i], d->time);
  }
}

// Residual of (1), in torque.
static void find_torques(job* J) {
  lb_work* w = J->d->work;
  lb_rnea_forced(J->m, J->d, w->bias, J->d->q, J->d->qd, J->d->qdd);
  for (int k = 0; k < J->m->nv; k++) {
    J->torque[k] = w->bias[k] - w->tau[k];
  }
}

// Derivative of (1) by the force of a motor. On a loop by a unit force.
static void motor_column(job* J, int motor, double* column) {
  const lb_model* m = J->m;
  if (m->motor.v[motor] >= 0) {
    memset(column, 0, (size_t)m->nv * sizeof *column);
    column[m->motor.v[motor]] = 1;
    return;
  }
  lb_loop_apply_motor(m, J->d, motor, 1);
  lb_rnea_forced(m, J->d, J->d->work->bias, J->d->q, J->d->qd, J->d->qdd);
  lb_loop_apply_motor(m, J->d, motor, -1);
  for (int k = 0; k < m->nv; k++) {
    column[k] = J->torque[k] + J->d->work->tau[k] - J->d->work->bias[k];
  }
}

static void clear_driven(const lb_model* m, double* column) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.driven[i]) {
      column[m->link.v[i]] = 0;
    }
  }
}

// Active set: a body on a floor is near it and moves up little in the time that bodies take to
// separate. Exact accelerations show separation, too.
static void judge_active(job* J) {
  static const double WHILE = 0.01, SLOWLY = 1e-6; // [s]; relative
  double most = 1;
  for (int k = 0; k < J->m->nv; k++) {
    most = fmax(most, fabs(J->d->qdd[k]));
  }
  lb_constraints_judge_active(
      J->m, J->d,
      (lb_active_tolerance){.gap = J->o->touch,
                            .rate = J->o->touch / WHILE,
                            .acceleration = J->motion.exact ? SLOWLY * most : INFINITY});
}

// The columns of the least squares, those of the constraints first: how many.
static int fill_columns(job* J) {
  const lb_model* m = J->m;
  const lb_constraint_rows rows = lb_constraints_linearise(m, J->d, LB_SET_ACTIVE);
  const size_t nv = (size_t)m->nv;
  int n = rows.count;
  memcpy(J->A, rows.J, (size_t)n * nv * sizeof *J->A);
  for (int i = 0; i < n; i++) {
    J->unilateral[i] = rows.unilateral && rows.unilateral[i];
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i)) {
      motor_column(J, i, J->A + (size_t)n * nv);
      clear_driven(m, J->A + (size_t)n * nv);
      J->unilateral[n++] = false;
    }
  }
  return n;
}

// Multipliers and motors' forces by least squares, put on the links.
static lb_status solve_constrained(job* J) {
  static const double ALIKE = 1e-9; // columns that are redundant, relative
  const lb_model* m = J->m;
  lb_data* d = J->d;
  judge_active(J);
  int n = fill_columns(J);
  const int rows = lb_constraints_count(d);
  memcpy(J->b, J->torque, (size_t)m->nv * sizeof *J->b);
  clear_driven(m, J->b);
  const lb_status status =
      lb_nonnegative_least_squares(&J->arena, m->nv, n, J->A, J->b, J->unilateral, ALIKE, J->x);
  if (status != LB_OK) {
    return status == LB_NO_MEMORY
               ? lack(J)
               : lb_error_add(J->err, status, (lb_place){0},
                              "the constraints' forces at t = %g s could not be found", d->time);
  }
  lb_constraints_apply_multipliers(m, d, LB_SET_ACTIVE, J->x);
  n = rows;
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i)) {
      d->motor_force[i] = J->x[n++];
      if (m->motor.v[i] < 0) {
        lb_loop_apply_motor(m, d, i, d->motor_force[i]);
      }
    }
  }
  find_torques(J);
  for (int i = 0; i < m->nmotor; i++) { // a constraint that a motor asks for is the motor's
    if (lb_motor_is_constraint(m, i)) {
      J->torque[m->motor.v[i]] += d->motor_force[i];
    }
  }
  return LB_OK;
}

static lb_status balance(job* J) {
  apply_known(J);
  find_torques(J);
  return J->d->work->constraints ? solve_constrained(J) : LB_OK;
}

// What muscles do, and reactions under that; the torques stay those of the whole.
static lb_status pull_muscles(job* J, lb_analysis* a) {
  lb_muscles* muscles = J->d->work->muscles;
  const size_t n = (size_t)J->m->muscle.count, size = (size_t)J->m->nv * sizeof *J->torque;
  lb_analysis_put(a, J->d, J->torque);
  if (!a->tension || !muscles) {
    lb_kinematics(J->m, J->d, J->d->q, J->d->qd);
    return balance(J);
  }
  memcpy(J->kept, J->torque, size);
  muscles->tension = a->tension + (size_t)(a->nframe - 1) * n;
  muscles->activation = a->activation + (size_t)(a->nframe - 1) * n;
  const lb_status status = balance(J);
  muscles->tension = muscles->activation = NULL;
  memcpy(J->torque, J->kept, size);
  return status;
}

static lb_status solve_sample(job* J, int i) {
  const lb_model* m = J->m;
  lb_data* d = J->d;
  const lb_inverse_motion* x = &J->motion;
  d->time = x->time[i];
  memcpy(d->q, x->q + (size_t)i * (size_t)m->nq, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, x->qd + (size_t)i * (size_t)m->nv, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, x->qdd + (size_t)i * (size_t)m->nv, (size_t)m->nv * sizeof *d->qdd);
  lb_normalise(m, d->q);
  lb_status status = balance(J);
  if (status == LB_OK && J->o->analysis) {
    status = pull_muscles(J, J->o->analysis);
  }
  for (int k = 0; k < m->nmotor; k++) {
    if (m->motor.v[k] >= 0) {
      d->motor_force[k] = J->torque[m->motor.v[k]];
    }
  }
  return status;
}

// --- the whole ---

static bool has_motor(const lb_model* m, int v) {
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor.v[i] == v) {
      return true;
    }
  }
  return false;
}

// Nothing can exert a torque on an elastic body's coordinates, nor, where the scene has motors, on
// what has none.
static bool is_passive(const lb_model* m, int joint, int v) {
  return m->joint.kind[joint] >= LB_LINK_ELASTIC || (m->nmotor > 0 && !has_motor(m, v));
}

static void note_peaks(const job* J, lb_summary* s) {
  const lb_model* m = J->m;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j]; k++) {
      const double value = J->torque[m->joint.v[j] + k];
      lb_torque_peak* peak = is_passive(m, j, m->joint.v[j] + k) ? &s->residual : &s->torque;
      if (peak->joint < 0 || fabs(value) > fabs(peak->value)) {
        *peak = (lb_torque_peak){j, value, J->d->time};
      }
    }
  }
}

// Huge values, or ones that change hugely, need forces beyond all numbers.
static lb_status check_finite(const job* J) {
  const lb_model* m = J->m;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j]; k++) {
      if (!isfinite(J->torque[m->joint.v[j] + k])) {
        return lb_error_add(J->err, LB_INVALID, (lb_place){0},
                            "the motion needs more than any number at joint '%s', t = %g s: its "
                            "coordinates are too large, or jump (angles are in radians, lengths "
                            "in metres)",
                            m->joint.name[j], J->d->time);
      }
    }
  }
  return LB_OK;
}

static void keep_torque(const job* J, lb_recording* r) {
  const size_t nv = (size_t)J->m->nv;
  if (r->keeps & LB_KEEP_TORQUES) {
    memcpy(r->torque + (size_t)(r->nframe - 1) * nv, J->torque, nv * sizeof *r->torque);
  }
}

static lb_status run(job* J, const char* file, lb_recording* r, lb_summary* s) {
  lb_status status =
      lb_times_check(J->motion.n, J->motion.time, J->o->begin, J->o->end, file, J->err);
  for (int i = 0; i < J->motion.n && status == LB_OK; i++) {
    if (!lb_time_is_within(J->motion.time[i], J->o->begin, J->o->end)) {
      continue;
    }
    status = solve_sample(J, i);
    status = status == LB_OK ? check_finite(J) : status;
    if (status == LB_OK) {
      note_peaks(J, s);
      status = lb_frame_put(r, J->d, J->err);
    }
    if (status == LB_OK) {
      lb_recording_count_stress(r);
      keep_torque(J, r);
      s->constraint_violation = fmax(s->constraint_violation, lb_constraint_gap(J->m, J->d, NULL));
      if (!lb_progress_report(&J->o->progress, (i + 1.0) / J->motion.n, "inverse dynamics")) {
        status = lb_error_add(J->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s",
                              J->d->time);
      }
    }
  }
  return status;
}

static lb_status take_scratch(job* J) {
  const lb_model* m = J->m;
  const size_t nv = (size_t)m->nv, columns = (size_t)lb_constraints_most(m) + (size_t)m->nmotor;
  J->torque = LB_TAKE(&J->arena, double, nv);
  J->kept = LB_TAKE(&J->arena, double, nv);
  J->A = LB_TAKE(&J->arena, double, nv* columns);
  J->b = LB_TAKE(&J->arena, double, nv);
  J->x = LB_TAKE(&J->arena, double, columns);
  J->unilateral = LB_TAKE(&J->arena, bool, columns);
  return lb_arena_status(&J->arena) == LB_OK ? LB_OK : lack(J);
}

lb_status lb_inverse(const lb_model* model, const lb_joint_motion* motion,
                     const lb_inverse_options* options, lb_recording* recording,
                     lb_summary* summary, lb_error* err) {
  if (model->particles.nparticle > 0) {
    return lb_error_add(
        err, LB_INVALID, (lb_place){model->file, 0, 0},
        "'%s' has ropes or deformables, whose motion a table of joints does not give "
        "(take them out)",
        model->name);
  }
  const lb_status fits = lb_constraints_check_dense(model, "inverse dynamics", err);
  if (fits != LB_OK) {
    return fits;
  }
  job J = {.m = model, .o = options, .err = err};
  lb_summary s = {.job = "inverse",
                  .steps = motion->nsample,
                  .torque = {.joint = -1},
                  .residual = {.joint = -1},
                  .range_left = NAN,
                  .threads = 1};
  lb_arena_init(&J.arena, recording->allocator);
  const lb_analysis* a = options->analysis;
  const bool lengths = a && !a->tension && model->muscle.count > 0; // of muscles, and no forces
  const int forces = lengths ? 0 : LB_KEEP_REACTIONS | LB_KEEP_TORQUES;
  lb_status status = lb_recording_keep(recording, LB_KEEP_RATES | forces, err);
  if (status == LB_OK) {
    status = lb_data_create(model, recording->allocator, &J.d, err);
  }
  if (status == LB_OK && J.d->work->muscles) {
    J.d->work->muscles->idle = true; // motors exert all that is needed
  }
  lb_status (*const step[])(job*) = {take_scratch, prepare_forces};
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](&J);
  }
  if (status == LB_OK) {
    status = lb_inverse_prepare(&J.arena, model, motion, options->cutoff, options->opensim,
                                &J.motion, err);
  }
  if (status == LB_OK) {
    status = run(&J, motion->file, recording, &s);
  }
  s.interrupted = status == LB_INTERRUPTED;
  *summary = s;
  lb_data_release(J.d);
  lb_arena_release(&J.arena);
  return status;
}
