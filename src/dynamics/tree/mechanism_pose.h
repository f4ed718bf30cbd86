// Bodies of reduced mechanisms, which follow its coordinates y: joints of the whole at q = q_e + A
// y, loops closed, carried along by the base.
#pragma once
#include "limber/dynamics.h"

// States of the mechanisms' whole models; false: no memory.
bool lb_mechanisms_create(lb_data* d, const lb_allocator* allocator);
void lb_mechanisms_release(lb_data* d);

// Coordinates q of a mechanism's whole model at d: in the state of that model.
void lb_mechanism_follow(const lb_model* m, lb_data* d, int mechanism);
// Poses of bodies that follow, where those of all others are in place.
void lb_mechanisms_pose(const lb_model* m, lb_data* d);
