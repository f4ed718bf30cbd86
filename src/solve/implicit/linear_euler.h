// Linearly implicit stepper.
#pragma once
#include "limber/simulate.h"

// The last step, before gaps are closed: what its derivative needs.
typedef struct lb_linear_step {
  const double *q0, *v0;        // start
  const double* v1;             // [nv] velocities of driven coordinates at the end
  const double *free, *end;     // [nv] velocities without contact and with it, before axes turn
  const double* move;           // [nv] velocities by which places change
  const double *more, *damping; // [nv] h (C + h K) and C, diagonal; NULL: zero
  bool drives;                  // contacts see driven coordinates with v1 in what velocities bring
} lb_linear_step;
lb_linear_step lb_linear_euler_last(const lb_stepper* st);

// A step of h from d, whose points of contact were found already.
bool lb_linear_euler_meet(lb_stepper* st, lb_data* d, double h);

// Whether such steps have a derivative; else `err` says why not, at a place of the scene.
lb_status lb_linear_euler_check(const lb_model* m, bool plain, lb_place place, lb_error* err);

// Multipliers of the last step, one a constraint of lb_constraints_row() [N or N m]: the forces
// that held in it. NULL: nothing but a tree is stepped.
const double* lb_linear_euler_multipliers(const lb_stepper* st);
