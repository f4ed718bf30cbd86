// Limits on torques. What a motor has to exert follows from the motion: it is the row of its
// coordinate in the equations of motion (solve/step/step_derivative.h (2)), known at the end of
// every step. Unlike bounds on curves this is not linear in the control points, so what is beyond a
// limit L is made expensive instead,
//
//   sum over steps and motors  h hold/2 max(0, |torque| / L - 1)^2
//
// with a weight that the search raises until torques stay within 1 % of their limits.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"

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
  double* needed = torque + r->what->nmotor;
  lb_step_exert(d, past, needed, needed + d->model->nv);
  for (int i = 0; i < r->what->nmotor; i++) {
    torque[i] = d->motor_force[r->what->motor[i]];
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

// The row of one torque for the linearised motion.
static void keep_row(const lb_tangents* T, lb_tangent* t, int own, int motor, int row) {
  const lb_tangent_room* room = &T->room[t->slot];
  const size_t nv = (size_t)T->r->model->nv;
  lb_step_effects single = room->single;
  memset(single.q, 0, 3 * nv * sizeof(double)); // q, v and a are one block
  memset(single.lambda, 0, (size_t)T->r->tape.rows * sizeof(double));
  lb_step_add_torque(t->S, &single, T->r->what->motor[motor], 1);
  lb_step_pull(t->S, room->pulled, room->pulled + nv, room->pulled + 2 * nv, &single);
  lb_linear_keep_torque(T->keep, own, row, room->pulled, T->r->what->limit[motor].torque);
}

void lb_tangent_add_torques(const lb_tangents* T, lb_tangent* t, int own) {
  const lb_retargeting* r = T->r;
  const int step = lb_tape_record(&r->tape, t->record)->effort;
  const lb_step_past past = lb_tape_past(&r->tape, t->record);
  const double* torque = T->room[t->slot].torque;
  lb_step_effects by = {.q = t->by_q, .v = t->by_v, .a = t->by_a, .lambda = t->by_lambda};
  lb_torque_read(r, t->d, &past, T->room[t->slot].torque);
  for (int i = 0, row = 0; i < r->what->nmotor && step > 0; i++) {
    const double limit = r->what->limit[i].torque, weight = lb_motion_weight(r, step) * r->hold;
    const double e = excess(torque[i], limit);
    if (e != 0) {
      lb_step_add_torque(t->S, &by, r->what->motor[i], weight * e / limit);
    }
    if (T->keep && isfinite(limit)) {
      if (own >= 0) {
        keep_row(T, t, own, i, row);
      }
      lb_linear_note_torque(T->keep, step, row++, torque[i] / limit, sqrt(weight));
    }
  }
}
