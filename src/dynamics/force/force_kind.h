// Kinds of forces on points of bodies (LB_FORCE_LIST), each as a table of functions of one force.
// Kinematics and velocities of the origins are in place when they are called.
#pragma once
#include "dynamics/force/channel.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/force/force_point.h"
#include "dynamics/force/switching.h"
#include "limber/derivative.h"

// Force curve of a line over its length, for a stiffness, and the energy stored in it.
typedef struct lb_line_curve {
  lb_pull (*pull)(const lb_scene_force* set, double stiffness, double length);
  double (*energy)(const lb_scene_force* set, double length);
} lb_line_curve;

typedef struct lb_force_type {
  // Add the forces to the links' external forces.
  void (*apply)(const lb_model_force* f, lb_work* w);
  double (*energy)(const lb_model_force* f, lb_work* w);
  // Derivatives, as lb_force's.
  void (*differentiate)(lb_derivatives* D, lb_work* w, const lb_model_force* f, bool symmetric);
  int (*switching)(const lb_model_force* f, lb_work* w, lb_switching* out);
  // Power of the change of its force, by one more of the number, for velocities mu [nv].
  double (*by_number)(const lb_derivatives* D, lb_work* w, const lb_model_force* f,
                      lb_spring_number number, const double* mu);
  // Its channels.
  void (*measure)(const lb_model_force* f, lb_channel_walk* w);
  const lb_line_curve* curve; // of those that are lines (force_line.h), else NULL
} lb_force_type;

#define LB_FORCE_TYPE_OF(code, name, section, about) extern const lb_force_type lb_##name##_force;
LB_FORCE_LIST(LB_FORCE_TYPE_OF)
#undef LB_FORCE_TYPE_OF

extern const lb_force_type* const LB_FORCE_TYPE[LB_FORCE_KINDS];

// Motion of a point of a link with the velocities mu, [nv], after lb_derive.
lb_motion lb_derive_motion(const lb_derivatives* D, const lb_force_point* p, const double* mu);

// by_number of force i of the model, after lb_derive at d's state.
double lb_force_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                          const double* mu);
