// Places of servos. A joint that closes a loop has no coordinate: its angle is known within a turn,
// and the turns are counted from step to step. It is the one next to that of the last step's start,
//
//   (1)  q = q0 + remainder(angle - q0, 2 pi)
//
// and at the start next to where the motor's profile begins.
#include "dynamics/force/servo.h"

#include <math.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/tree/kinematics.h"
#include "math/curve/time_profile.h"

lb_constraint_row lb_servo_row_of(const lb_model* m, const lb_data* d, int servo) {
  const int loop = m->motor.loop[m->motor.servo[servo].motor];
  lb_constraint_row row[3];
  lb_pair P;
  lb_constraint_pair(&P, d, loop);
  lb_loop_free_rows(m, &P, loop, row);
  return row[0];
}

static double count_from(const lb_model* m, const lb_data* d, int servo) {
  const double last = d->work->constraints->state.turn[servo];
  double start[3];
  lb_profile_evaluate(m->motor.profile[m->motor.servo[servo].motor], 0, start);
  return isnan(last) ? start[0] : last;
}

lb_servo_place lb_servo_find(const lb_model* m, const lb_data* d, int servo) {
  const int motor = m->motor.servo[servo].motor;
  if (!lb_servo_is_on_loop(m, servo)) {
    return (lb_servo_place){d->q[m->joint.q[m->motor.joint[motor]]], d->qd[m->motor.v[motor]]};
  }
  const lb_constraint_row row = lb_servo_row_of(m, d, servo);
  const double from = row.type->periodic ? count_from(m, d, servo) : 0;
  const double q = row.type->periodic ? from + remainder(row.gap - from, 2 * M_PI) : row.gap;
  return (lb_servo_place){q, row.rate};
}

void lb_servo_push(const lb_model* m, lb_data* d, int servo, double force) {
  const int motor = m->motor.servo[servo].motor;
  if (lb_servo_is_on_loop(m, servo)) {
    lb_loop_apply_motor(m, d, motor, force);
  } else {
    d->work->tau[m->motor.v[motor]] += force;
  }
}

void lb_servos_count_turns(const lb_model* m, lb_data* d) {
  bool any = false;
  for (int i = 0; i < m->motor.nservo; i++) {
    any |= lb_servo_is_on_loop(m, i);
  }
  if (any) {
    lb_kinematics(m, d, d->q, d->qd);
    lb_move_origins(m, d->work, d->qd);
  }
  for (int i = 0; i < m->motor.nservo && any; i++) {
    if (lb_servo_is_on_loop(m, i)) {
      d->work->constraints->state.turn[i] = lb_servo_find(m, d, i).q;
    }
  }
}

void lb_servos_forget_turns(lb_data* d) {
  for (int i = 0; i < d->model->motor.nservo && d->work->constraints; i++) {
    d->work->constraints->state.turn[i] = NAN;
  }
}
