// Inverse dynamics, sample by sample. With the motion known, everything in
//
//   M qdd + c = tau + f + J' lambda + B u                                                      (1)
//
// is known but what joints exert: f are springs, dampers, loads and measured forces. In a tree all
// coordinates may have a torque, and (1) gives it. With constraints the multipliers lambda are not
// known either, so only the motors' forces u are looked for: the shortest (lambda, u) that leaves
// the least of (1), and tau is what is left. Coordinates under position motors have their own
// equation each and are left out of that.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "dynamics/rnea.h"
#include "limber/inverse.h"
#include "math/dense.h"
#include "math/signal.h"
#include "solve/frames.h"

typedef struct job {
  const lb_model* m;
  const lb_inverse_options* o;
  lb_data* d;
  lb_arena arena;
  int n;
  const double* time;
  double *q, *qd, *qdd; // [n][nq], [n][nv]: filtered and differentiated
  double* wrench;       // [forces' samples][bodies][6]: filtered
  double* torque;       // [nv]
  double *A, *x;        // of the least squares
  lb_error* err;
} job;

lb_inverse_options lb_inverse_default(void) {
  return (lb_inverse_options){.cutoff = NAN, .force_cutoff = NAN};
}

static lb_status lack(const job* J) {
  return lb_error_add(J->err, LB_NO_MEMORY, (lb_place){0}, "there is not enough memory");
}

// --- the motion ---

// Where a joint's quaternion begins, or -1.
static int quaternion(const lb_model* m, int joint) {
  return m->joint_kind[joint] == LB_JOINT_SPHERICAL ? 0
         : m->joint_kind[joint] == LB_JOINT_FREE    ? 3
                                                    : -1;
}

// Both signs of a quaternion are the same rotation: from sample to sample it keeps the nearer.
static void align_quaternions(job* J) {
  for (int j = 0; j < J->m->njoint; j++) {
    const int first = quaternion(J->m, j);
    for (int i = 1; first >= 0 && i < J->n; i++) {
      double* now = J->q + (size_t)i * (size_t)J->m->nq + J->m->joint_q[j] + first;
      const double sign = lb_dot(4, now, now - J->m->nq) < 0 ? -1 : 1;
      for (int k = 0; k < 4; k++) {
        now[k] *= sign;
      }
    }
  }
}

// Samples must be evenly spaced and fast enough for a filter.
static lb_status check_filter(const job* J, const char* what, int n, const double* time,
                              double cutoff) {
  const double step = (time[n - 1] - time[0]) / (n - 1);
  for (int i = 1; i < n; i++) {
    if (!(fabs(time[i] - time[i - 1] - step) < 1e-3 * step)) {
      return lb_error_add(J->err, LB_INVALID, (lb_place){0},
                          "the filter needs evenly spaced samples: those of the %s around t = %g s "
                          "are not %g s apart (leave the cut-off away, or resample)",
                          what, time[i], step);
    }
  }
  if (cutoff * step >= LB_SIGNAL_HIGHEST) {
    return lb_error_add(J->err, LB_INVALID, (lb_place){0},
                        "a cut-off of %g Hz is too high for a %s of %g samples a second (at most "
                        "%g Hz)",
                        cutoff, what, 1 / step, LB_SIGNAL_HIGHEST / step);
  }
  return LB_OK;
}

static lb_status filter(job* J, const char* what, int n, const double* time, double cutoff,
                        double* x, int width) {
  if (isnan(cutoff)) {
    return LB_OK;
  }
  const lb_status status = check_filter(J, what, n, time, cutoff);
  const lb_arena_mark mark = lb_arena_here(&J->arena);
  double* scratch = LB_TAKE(&J->arena, double, 3 * (size_t)n);
  if (status != LB_OK || !scratch) {
    return status != LB_OK ? status : lack(J);
  }
  for (int k = 0; k < width; k++) {
    lb_signal_low_pass(n, (time[n - 1] - time[0]) / (n - 1), cutoff, x + k, width, scratch);
  }
  lb_arena_reset(&J->arena, mark);
  return LB_OK;
}

// A quaternion's rate to the angular velocity in the link's frame: w = 2 conj(q) qdot / |q|^2.
static void to_spin(const double* q, const double* rate, double* w) {
  const lb_quat u = {q[0], -q[1], -q[2], -q[3]};
  const lb_quat p = lb_quat_mul(u, (lb_quat){rate[0], rate[1], rate[2], rate[3]});
  const double scale = 2 / lb_dot(4, q, q);
  w[0] = scale * p.x;
  w[1] = scale * p.y;
  w[2] = scale * p.z;
}

// From the rates of a joint's coordinates to its velocities.
static void to_velocity(const lb_model* m, int joint, const double* q, const double* rate,
                        double* qd) {
  const int first = quaternion(m, joint);
  if (first < 0) {
    memcpy(qd, rate, (size_t)m->joint_nv[joint] * sizeof *qd);
    return;
  }
  to_spin(q + first, rate + first, qd);
  if (first == 3) {
    const double size = sqrt(lb_dot(4, q + 3, q + 3));
    const lb_quat back = {q[3] / size, -q[4] / size, -q[5] / size, -q[6] / size};
    const lb_vec3 v = lb_quat_rotate(back, (lb_vec3){rate[0], rate[1], rate[2]});
    qd[3] = v.x;
    qd[4] = v.y;
    qd[5] = v.z;
  }
}

// Rates that the motion does not bring along.
static void differentiate_joint(job* J, int joint, bool has_qd, bool has_qdd, double* rate) {
  const lb_model* m = J->m;
  const int nq = m->joint_nq[joint], nv = m->joint_nv[joint];
  double* qd = J->qd + m->joint_v[joint];
  double* qdd = J->qdd + m->joint_v[joint];
  for (int k = 0; !has_qd && k < nq; k++) {
    lb_signal_slopes(J->n, J->time, J->q + m->joint_q[joint] + k, m->nq, rate + k, nq);
  }
  for (int i = 0; !has_qd && i < J->n; i++) {
    to_velocity(m, joint, J->q + (size_t)i * (size_t)m->nq + m->joint_q[joint],
                rate + (size_t)i * (size_t)nq, qd + (size_t)i * (size_t)m->nv);
  }
  for (int k = 0; !has_qdd && k < nv; k++) {
    lb_signal_slopes(J->n, J->time, qd + k, m->nv, qdd + k, m->nv);
  }
}

static lb_status prepare_motion(job* J, const lb_joint_motion* motion) {
  const lb_model* m = J->m;
  const size_t n = (size_t)motion->nsample, nq = (size_t)m->nq, nv = (size_t)m->nv;
  int most = 0;
  for (int j = 0; j < m->njoint; j++) {
    most = m->joint_nq[j] > most ? m->joint_nq[j] : most;
  }
  J->n = motion->nsample;
  J->time = motion->time;
  J->q = LB_TAKE(&J->arena, double, n* nq);
  J->qd = LB_TAKE(&J->arena, double, n* nv);
  J->qdd = LB_TAKE(&J->arena, double, n* nv);
  double* rate = LB_TAKE(&J->arena, double, n*(size_t)most);
  if (!J->q || !J->qd || !J->qdd || !rate) {
    return lack(J);
  }
  memcpy(J->q, motion->q, n * nq * sizeof *J->q);
  memcpy(J->qd, motion->qd, n * nv * sizeof *J->qd);
  memcpy(J->qdd, motion->qdd, n * nv * sizeof *J->qdd);
  align_quaternions(J);
  const lb_status status = filter(J, "motion", J->n, J->time, J->o->cutoff, J->q, m->nq);
  const bool filtered = !isnan(J->o->cutoff);
  for (int j = 0; status == LB_OK && j < m->njoint; j++) {
    differentiate_joint(J, j, motion->has_qd[j] && !filtered, motion->has_qdd[j] && !filtered,
                        rate);
  }
  return status;
}

// --- measured forces ---

static lb_status prepare_forces(job* J) {
  const lb_outer_forces* F = J->o->forces;
  if (!F) {
    return LB_OK;
  }
  const size_t size = (size_t)F->nsample * 6 * (size_t)F->nbody;
  J->wrench = LB_TAKE(&J->arena, double, size);
  if (!J->wrench) {
    return lack(J);
  }
  memcpy(J->wrench, F->wrench, size * sizeof *J->wrench);
  return filter(J, "forces", F->nsample, F->time, J->o->force_cutoff, J->wrench, 6 * F->nbody);
}

// Straight lines between the samples; nothing before the first and after the last.
static void push_forces(job* J, double t) {
  const lb_outer_forces* F = J->o->forces;
  if (!F || t < F->time[0] || t > F->time[F->nsample - 1]) {
    return;
  }
  int i = 0;
  for (int high = F->nsample - 1; high - i > 1;) {
    const int middle = (i + high) / 2;
    if (F->time[middle] <= t) {
      i = middle;
    } else {
      high = middle;
    }
  }
  const double s = (t - F->time[i]) / (F->time[i + 1] - F->time[i]);
  for (int b = 0; b < F->nbody; b++) {
    const double* a = J->wrench + ((size_t)i * (size_t)F->nbody + (size_t)b) * 6;
    const double* c = a + 6 * (size_t)F->nbody;
    const int link = J->m->body_link[F->body[b]];
    if (link != LB_WORLD) {
      lb_state* on = &J->d->work->state[link];
      const lb_v4 f = lb_v4_load(a) * (1 - s) + lb_v4_load(c) * s;
      const lb_v4 n = lb_v4_load(a + 3) * (1 - s) + lb_v4_load(c + 3) * s;
      on->xf += f;
      on->xn += n - lb_v4_cross(on->p, f);
    }
  }
}

// --- one sample ---

static bool pushes(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_FORCE;
}

// All forces but those of motors.
static void apply_known(job* J) {
  const lb_model* m = J->m;
  lb_data* d = J->d;
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i) && m->motor_joint[i] >= 0) {
      d->work->tau[m->joint_v[m->motor_joint[i]]] -= d->motor_force[i];
    } else if (pushes(m, i)) {
      lb_loops_push_motor(m, d, i, -d->motor_force[i]);
    }
    d->motor_force[i] = 0;
  }
  push_forces(J, d->time);
}

// What is left of (1), in torque.
static void find_torques(job* J) {
  lb_work* w = J->d->work;
  lb_rnea_forced(J->m, J->d, w->bias, J->d->q, J->d->qd, J->d->qdd);
  for (int k = 0; k < J->m->nv; k++) {
    J->torque[k] = w->bias[k] - w->tau[k];
  }
}

// How a unit force of a motor that pushes changes (1). On a loop by pushing and looking.
static void motor_column(job* J, int motor, double* column) {
  const lb_model* m = J->m;
  if (m->motor_joint[motor] >= 0) {
    memset(column, 0, (size_t)m->nv * sizeof *column);
    column[m->joint_v[m->motor_joint[motor]]] = 1;
    return;
  }
  lb_loops_push_motor(m, J->d, motor, 1);
  lb_rnea_forced(m, J->d, J->d->work->bias, J->d->q, J->d->qd, J->d->qdd);
  lb_loops_push_motor(m, J->d, motor, -1);
  for (int k = 0; k < m->nv; k++) {
    column[k] = J->torque[k] + J->d->work->tau[k] - J->d->work->bias[k];
  }
}

static void clear_driven(const lb_model* m, double* column) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      column[m->link_v[i]] = 0;
    }
  }
}

// Multipliers and motors' forces by least squares, put on the links.
static lb_status solve_constrained(job* J) {
  static const double ALIKE = 1e-9; // columns that repeat others, relative
  const lb_model* m = J->m;
  lb_data* d = J->d;
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  const size_t nv = (size_t)m->nv;
  int n = rows.count;
  memcpy(J->A, rows.J, (size_t)n * nv * sizeof *J->A);
  memcpy(J->x, J->torque, nv * sizeof *J->x);
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      motor_column(J, i, J->A + (size_t)n++ * nv);
      clear_driven(m, J->A + (size_t)(n - 1) * nv);
    }
  }
  clear_driven(m, J->x);
  int rank = 0;
  const lb_status status = lb_least_squares(&J->arena, m->nv, n, J->A, m->nv, 1, J->x,
                                            n > m->nv ? n : m->nv, ALIKE, &rank);
  if (status != LB_OK) {
    return status == LB_NO_MEMORY
               ? lack(J)
               : lb_error_add(J->err, status, (lb_place){0},
                              "the constraints' forces at t = %g s could not be found", d->time);
  }
  lb_loops_push(m, d, J->x);
  n = rows.count;
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      d->motor_force[i] = J->x[n++];
      if (m->motor_joint[i] < 0) {
        lb_loops_push_motor(m, d, i, d->motor_force[i]);
      }
    }
  }
  find_torques(J);
  return LB_OK;
}

static lb_status solve_sample(job* J, int i) {
  const lb_model* m = J->m;
  lb_data* d = J->d;
  d->time = J->time[i];
  memcpy(d->q, J->q + (size_t)i * (size_t)m->nq, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, J->qd + (size_t)i * (size_t)m->nv, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, J->qdd + (size_t)i * (size_t)m->nv, (size_t)m->nv * sizeof *d->qdd);
  lb_normalise(m, d->q);
  apply_known(J);
  find_torques(J);
  const lb_status status = d->work->loops ? solve_constrained(J) : LB_OK;
  for (int k = 0; k < m->nmotor; k++) {
    if (m->motor_joint[k] >= 0) {
      d->motor_force[k] = J->torque[m->joint_v[m->motor_joint[k]]];
    }
  }
  return status;
}

// --- the whole ---

static bool has_motor(const lb_model* m, int joint) {
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_joint[i] == joint) {
      return true;
    }
  }
  return false;
}

// Nothing can exert a torque on an elastic body's coordinates, nor, where the scene has motors, on
// joints without any.
static bool is_passive(const lb_model* m, int joint) {
  return m->joint_kind[joint] >= LB_LINK_ELASTIC || (m->nmotor > 0 && !has_motor(m, joint));
}

static void note_peaks(const job* J, lb_summary* s) {
  const lb_model* m = J->m;
  for (int j = 0; j < m->njoint; j++) {
    const bool passive = is_passive(m, j);
    for (int k = 0; k < m->joint_nv[j]; k++) {
      const double value = J->torque[m->joint_v[j] + k];
      lb_torque_peak* peak = passive ? &s->residual : &s->torque;
      if (peak->joint < 0 || fabs(value) > fabs(peak->value)) {
        *peak = (lb_torque_peak){j, value, J->d->time};
      }
    }
  }
}

static lb_status run(job* J, lb_recording* r, lb_summary* s) {
  lb_status status = LB_OK;
  for (int i = 0; i < J->n && status == LB_OK; i++) {
    status = solve_sample(J, i);
    if (status == LB_OK) {
      note_peaks(J, s);
      status = lb_frame_put(r, J->d, J->err);
    }
    if (status == LB_OK) {
      memcpy(r->torque + (size_t)(r->nframe - 1) * (size_t)J->m->nv, J->torque,
             (size_t)J->m->nv * sizeof *r->torque);
      s->constraint_violation = fmax(s->constraint_violation, lb_loop_gap(J->m, J->d, NULL));
      if (!lb_progress_report(&J->o->progress, (i + 1.0) / J->n, "inverse dynamics")) {
        status = lb_error_add(J->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s",
                              J->d->time);
      }
    }
  }
  return status;
}

static lb_status take_scratch(job* J) {
  const lb_model* m = J->m;
  const size_t nv = (size_t)m->nv, columns = (size_t)lb_loops_most_rows(m) + (size_t)m->nmotor;
  J->torque = LB_TAKE(&J->arena, double, nv);
  J->A = LB_TAKE(&J->arena, double, nv* columns);
  J->x = LB_TAKE(&J->arena, double, nv + columns);
  return J->torque && J->A && J->x ? LB_OK : lack(J);
}

lb_status lb_inverse(const lb_model* model, const lb_joint_motion* motion,
                     const lb_inverse_options* options, lb_recording* recording,
                     lb_summary* summary, lb_error* err) {
  if (model->nnode > 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){model->file, 0, 0},
                        "'%s' has strands or flesh, whose motion a table of joints does not tell "
                        "(take them out)",
                        model->name);
  }
  job J = {.m = model, .o = options, .err = err};
  lb_summary s = {.job = "inverse",
                  .steps = motion->nsample,
                  .torque = {.joint = -1},
                  .residual = {.joint = -1},
                  .range_left = NAN,
                  .threads = 1};
  lb_arena_init(&J.arena, recording->allocator);
  lb_status status =
      lb_recording_keep(recording, LB_KEEP_RATES | LB_KEEP_REACTIONS | LB_KEEP_TORQUES, err);
  if (status == LB_OK) {
    status = lb_data_create(model, recording->allocator, &J.d, err);
  }
  lb_status (*const step[])(job*) = {take_scratch, prepare_forces};
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](&J);
  }
  if (status == LB_OK) {
    status = prepare_motion(&J, motion);
  }
  if (status == LB_OK) {
    status = run(&J, recording, &s);
  }
  s.interrupted = status == LB_INTERRUPTED;
  *summary = s;
  lb_data_release(J.d);
  lb_arena_release(&J.arena);
  return status;
}
