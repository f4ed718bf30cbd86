// Force of a joint's limit, for all that measure how far beyond it the joint is.
#pragma once
#include "dynamics/force/switching.h"
#include "limber/dynamics.h"

// The force of force_resistance.c's (1), with its derivatives by x and v, and the stiffness in it.
typedef struct lb_limit_force {
  double force, by_x, by_v;
  double stiffness; // k where it pushes
} lb_limit_force;

// Switching functions of a limit on `at`, which changes at a rate: the quantity itself, and beyond
// the limit the force of one that never pulls.
enum { LB_LIMIT_SWITCHING = 2 };
void lb_limit_switching(const lb_model* m, int k, double at, double rate, lb_switching* out);

// By the settings of velocity k, beyond by x > 0 and going on at the rate v.
lb_limit_force lb_limit_force_of(const lb_model* m, int k, double x, double v);

// Of springs and dampers, to Newton's matrix as lb_resistance_stiffen.
void lb_joint_springs_stiffen(const lb_model* m, const double* q, double* W, double dt);
// Of limits of balls and free joints, to Newton's matrix as lb_resistance_stiffen.
void lb_ball_limits_stiffen(const lb_model* m, const lb_data* d, double* W, double dt);
