// Servos: where their coordinates are, on joints of the tree and on joints that close loops.
#pragma once
#include "dynamics/constraint/constraint_loop.h"

// Coordinate of a servo, and its rate.
typedef struct lb_servo_place {
  double q, qd;
} lb_servo_place;

// True where a servo is on a joint that closes a loop: one of maximal coordinates, too.
static inline bool lb_servo_is_on_loop(const lb_model* m, int servo) {
  return m->motor.loop[m->motor.servo[servo].motor] >= 0;
}

// Row of such a one: its gap is the coordinate, an angle from -pi to pi. After lb_move_origins.
lb_constraint_row lb_servo_row_of(const lb_model* m, const lb_data* d, int servo);
// Place of a servo, whole turns counted. After lb_move_origins where it is on a loop.
lb_servo_place lb_servo_find(const lb_model* m, const lb_data* d, int servo);
// Push a servo's joint with this torque or force.
void lb_servo_push(const lb_model* m, lb_data* d, int servo, double force);

// Before a step: angles of servos on loops go on counting from where they are. At a start they are
// forgotten.
void lb_servos_count_turns(const lb_model* m, lb_data* d);
void lb_servos_forget_turns(lb_data* d);
