// Bodies of reduced mechanisms, which follow its coordinates y: joints of the whole at q = q_e + A
// y, loops closed, carried along by the base.
#pragma once
#include "limber/dynamics.h"
#include "model/use/initial_pose.h"

// States of the mechanisms' whole models; false: no memory.
bool lb_mechanisms_create(lb_data* d, const lb_allocator* allocator);
void lb_mechanisms_release(lb_data* d);

// Coordinates y of a mechanism at d and their rates; of one with several models its amplitudes.
typedef struct lb_mechanism_state {
  const double *y, *rate; // [count]
} lb_mechanism_state;
lb_mechanism_state lb_mechanism_amplitudes(const lb_model* m, const lb_data* d, int mechanism);

// Coordinates and velocities of a mechanism's whole model at d: in the state of that model.
void lb_mechanism_follow(const lb_model* m, lb_data* d, int mechanism);
// The mechanism whose body follows its effectors, or -1: it moves by itself.
int lb_mechanism_of(const lb_model* m, int body);
// Velocity of such a body and its origin, in the world's axes; poses and LB_ORIGINS of d are in
// place.
lb_velocity lb_mechanism_velocity(const lb_model* m, lb_data* d, int body);
// Poses of bodies that follow, where those of all others are in place.
void lb_mechanisms_pose(const lb_model* m, lb_data* d);
