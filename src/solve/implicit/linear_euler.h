// Linearly implicit stepper.
#pragma once
#include "limber/simulate.h"

// Multipliers of the last step, one a constraint of lb_constraints_row() [N or N m]: the forces
// that held in it. NULL: nothing but a tree is stepped.
const double* lb_linear_euler_multipliers(const lb_stepper* st);
