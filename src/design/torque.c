// Limits on torques. What a motor has to exert follows from the motion: it is the row of its
// coordinate in the equations of motion (solve/step_derivative.h (2)), known at the end of every
// step. Unlike bounds on curves this is not linear in the control points, so what is beyond a limit
// L is made expensive instead,
//
//   sum over steps and motors  h hold/2 max(0, |torque| / L - 1)^2
//
// with a weight that the search raises until torques stay within 1 % of their limits.
#include <math.h>
#include <string.h>

#include "design/retarget.h"
#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "dynamics/rnea.h"

double lb_torque_hold(const lb_retarget* what) {
  // Every tracked body off by so much is as bad as every torque beyond its limit by this part.
  static const double OFF = 3e-2, TURNED = 0.3, BEYOND = 0.1;
  double sum = 0;
  for (int i = 0; i < what->ntrack; i++) {
    const lb_retarget_track* t = &what->track[i];
    sum += OFF * OFF * t->position + TURNED * TURNED * t->orientation;
  }
  return sum / (BEYOND * BEYOND);
}

bool lb_torque_limited(const lb_retarget* what) {
  for (int i = 0; i < what->nmotor; i++) {
    if (isfinite(what->limit[i].torque)) {
      return true;
    }
  }
  return false;
}

// Beyond the limit by this part of it, with the sign of the torque; else 0.
static double excess(double torque, double limit) {
  return fabs(torque) > limit ? torque / limit - copysign(1, torque) : 0;
}

void lb_torque_read(const lb_retargeting* r, lb_data* d, const lb_step_past* past, double* torque) {
  const lb_model* m = d->model;
  double* needed = torque + r->what->nmotor;
  for (int k = 0; k < m->nv; k++) {
    double before = 0;
    for (int p = 0; p < past->count; p++) {
      before += past->weight[p] * past->v[p][k];
    }
    d->qdd[k] = (d->qd[k] - before) / past->dt;
  }
  lb_drive(m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  if (d->work->loops) {
    lb_loops_keep_all(d); // steps have multipliers for all rows
    lb_loops_push(m, d, past->lambda);
    lb_loops_keep_touching(m, d, NULL);
  }
  lb_rnea_moved(m, d, needed, d->qdd);
  for (int i = 0; i < r->what->nmotor; i++) {
    const int k = m->joint_v[m->motor_joint[r->what->motor[i]]];
    torque[i] = needed[k] - d->work->tau[k];
  }
}

void lb_torque_add(const lb_retargeting* r, const double* torque, double weight,
                   lb_retarget_value* value) {
  for (int i = 0; i < r->what->nmotor; i++) {
    const double limit = r->what->limit[i].torque, e = excess(torque[i], limit);
    value->limits += weight * r->hold * e * e / 2;
    value->torque = fmax(value->torque, fabs(torque[i]) / limit);
  }
}

// --- derivatives ---

static void clear(const lb_retargeting* r, double* v, double* a, double* lambda) {
  const size_t size = (size_t)r->model->nv * sizeof(double);
  memset(v, 0, size);
  memset(a, 0, size);
  memset(lambda, 0, (size_t)r->log.rows * sizeof(double));
}

// The row of one torque for the linearised motion.
static void keep_row(const lb_retargeting* r, lb_tangent* t, lb_linear* keep, int own, int motor,
                     int row) {
  const size_t nv = (size_t)r->model->nv;
  memset(t->single.q, 0, nv * sizeof(double));
  clear(r, t->single.v, t->single.a, t->single.lambda);
  lb_step_add_torque(t->S, &t->single, r->what->motor[motor], 1);
  lb_step_pull(t->S, t->pulled, t->pulled + nv, t->pulled + 2 * nv, &t->single);
  lb_linear_keep_torque(keep, own, row, t->pulled, r->what->limit[motor].torque);
}

void lb_tangent_add_torques(const lb_retargeting* r, lb_tangent* t, lb_linear* keep, int own) {
  const lb_moment* at = lb_log_moment(&r->log, t->record);
  const lb_step_past past = lb_log_past(r, t->record);
  lb_step_effects by = {t->by_q, t->by_v, t->by_a, t->by_lambda};
  clear(r, t->by_v, t->by_a, t->by_lambda);
  lb_torque_read(r, t->d, &past, t->torque);
  for (int i = 0, row = 0; i < r->what->nmotor && at->weight > 0; i++) {
    const double limit = r->what->limit[i].torque, weight = at->weight * r->hold;
    const double e = excess(t->torque[i], limit);
    if (e != 0) {
      lb_step_add_torque(t->S, &by, r->what->motor[i], weight * e / limit);
    }
    if (keep && isfinite(limit)) {
      if (own >= 0) {
        keep_row(r, t, keep, own, i, row);
      }
      lb_linear_note_torque(keep, at->step, row++, t->torque[i] / limit, sqrt(weight));
    }
  }
}
