// Use of a motor: force, prescribed motion or constraint.
#pragma once
#include "limber/model.h"
#include "math/curve/time_profile.h"

// Motor inside of a reduced mechanism, which count after all others; NULL: it is one of these.
static inline const lb_model_inner_motor* lb_motor_inside(const lb_model* m, int motor) {
  int k = motor - m->nmotor;
  for (int i = 0; k >= 0 && i < m->mechanism.count; i++) {
    if (k < m->mechanism.item[i].nmotor) {
      return &m->mechanism.item[i].motor[k];
    }
    k -= m->mechanism.item[i].nmotor;
  }
  return NULL;
}

// Motor that exerts the force of its profile.
static inline bool lb_motor_applies_force(const lb_model* m, int motor) {
  const lb_model_inner_motor* inner = lb_motor_inside(m, motor);
  return inner ? !inner->servo : m->motor.drive[motor] == LB_DRIVE_FORCE;
}

// Motor that prescribes an unknown of the tree, by a coupling or a prescribed motion.
static inline bool lb_motor_is_constraint(const lb_model* m, int motor) {
  return m->motor.v[motor] >= 0 &&
         (m->motor.coupling[motor] >= 0 || m->motor.prescribed[motor] >= 0);
}

// Motor that prescribes the one coordinate of a link, which is then no unknown. Others that
// prescribe are constraints: of a loop, of a coupling, or of a prescribed motion.
static inline bool lb_motor_prescribes(const lb_model* m, int motor) {
  return m->motor.drive[motor] == LB_DRIVE_POSITION && m->motor.v[motor] >= 0 &&
         !lb_motor_is_constraint(m, motor);
}

// A coordinate starts where its motor has it. A servo leaves what `initial` names.
static inline void lb_motor_start(lb_model* m, int motor, int q) {
  const int v = m->motor.v[motor];
  const bool servo = m->motor.drive[motor] == LB_DRIVE_SERVO;
  double value[3];
  lb_profile_evaluate(m->motor.profile[motor], 0, value);
  m->start.q[q] = servo && m->start.q_named[v] ? m->start.q[q] : value[0];
  m->start.qd[v] = servo && m->start.v_named[v] ? m->start.qd[v] : value[1];
}

// Coordinate of a servo, and its velocity.
static inline int lb_servo_q(const lb_model* m, int servo) {
  return m->joint.q[m->motor.joint[m->motor.servo[servo].motor]];
}
static inline int lb_servo_v(const lb_model* m, int servo) {
  return m->motor.v[m->motor.servo[servo].motor];
}

// Servos that steps solve for with contacts, and those that are forces.
static inline int lb_servos_as_rows(const lb_model* m) {
  return m->solves_bounds ? m->motor.nservo : 0;
}
static inline int lb_servos_as_forces(const lb_model* m) {
  return m->solves_bounds ? 0 : m->motor.nservo;
}

// Unilateral constraints that yield and that steps solve for likewise.
static inline int lb_bounds_as_rows(const lb_model* m) {
  return m->solves_bounds ? m->constraint.nbound : 0;
}

// Rows with bounds on their multipliers, beside those of contacts.
static inline int lb_bounded_rows(const lb_model* m) {
  return lb_servos_as_rows(m) + lb_bounds_as_rows(m);
}

// Motor that exerts a force, not a torque.
static inline bool lb_motor_is_linear(const lb_model* m, int motor) {
  const int v = m->motor.v[motor];
  return v < 0 ? m->constraint.loop[m->motor.loop[motor]].kind == LB_JOINT_PRISMATIC
               : m->dof.counts[v] != LB_COORDINATE_ANGLE;
}

// Number of rotations that motors prescribe, three motors each: their prescribed motions and loops
// are the last ones.
static inline int lb_motors_count_turns(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->constraint.nprescribed; i++) {
    count += m->constraint.prescribed[i].motor[0] >= 0;
  }
  return count;
}

// Number of motors that prescribe one coordinate of several: their couplings are the last ones.
static inline int lb_motors_count_constraints(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nmotor; i++) {
    count += m->motor.coupling[i] >= 0;
  }
  return count;
}
