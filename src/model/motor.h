// What a motor of a model does, for all who ask.
#pragma once
#include "limber/model.h"

// It exerts the force of its profile.
static inline bool lb_motor_pushes(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_FORCE;
}

// It prescribes the one coordinate of a link, which is then no unknown. Others that prescribe are
// rows: of a loop, or of a relation.
static inline bool lb_motor_leads(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_POSITION && m->motor_v[motor] >= 0 &&
         m->motor_relation[motor] < 0;
}

// How many prescribe one coordinate of several: their relations are the last ones.
static inline int lb_motors_count_rows(const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nmotor; i++) {
    count += m->motor_relation[i] >= 0;
  }
  return count;
}
