// Starts in maximal coordinates: bodies that were taken off their joints begin where these have
// them.
#pragma once
#include "dynamics/force/force_point.h"
#include "limber/dynamics.h"

// The tree's joint that a joint of the model is, which has stayed there; -1: the model's is that of
// a body that was taken off its joint.
int lb_maximal_start_joint(const lb_model* tree, const lb_model* m, int joint);

// A body's frame in the tree, whose kinematics are in place.
lb_force_point lb_maximal_start_body(const lb_model* tree, lb_data* d, int body);

// All coordinates and velocities of the model from those of the tree, whose kinematics are put in
// place.
void lb_maximal_start_lay_out(const lb_model* tree, lb_data* from, const lb_model* m, lb_data* to);
