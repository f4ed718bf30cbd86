// What a motor of a model does, for all who ask.
#pragma once
#include "limber/model.h"

// It exerts the force of its profile.
static inline bool lb_motor_pushes(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_FORCE;
}

// It prescribes what is an unknown of the tree, by a row of a relation or of a guide.
static inline bool lb_motor_is_row(const lb_model* m, int motor) {
  return m->motor_v[motor] >= 0 && (m->motor_relation[motor] >= 0 || m->motor_guide[motor] >= 0);
}

// It prescribes the one coordinate of a link, which is then no unknown. Others that prescribe are
// rows: of a loop, of a relation, or of a guide.
static inline bool lb_motor_leads(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_POSITION && m->motor_v[motor] >= 0 &&
         !lb_motor_is_row(m, motor);
}

// How many rotations motors lead, three motors each: their guides and loops are the last ones.
static inline int lb_motors_count_turns(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nguide; i++) {
    count += m->guide[i].motor[0] >= 0;
  }
  return count;
}

// How many prescribe one coordinate of several: their relations are the last ones.
static inline int lb_motors_count_rows(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nmotor; i++) {
    count += m->motor_relation[i] >= 0;
  }
  return count;
}
