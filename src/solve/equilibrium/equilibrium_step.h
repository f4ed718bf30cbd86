// One look and one step of the search for an equilibrium. A step is found where the state was last
// looked at, and lies in R->step; its own length tells how far away the equilibrium is.
#pragma once
#include "solve/equilibrium/equilibrium.h"

// A step that is this much shorter than the one before: Newton's method gains.
#define LB_EQUILIBRIUM_MUCH_SHORTER 0.5

// Look where d is, and find the step from there. This and the others: false where there is none, or
// where numbers are not finite.
bool lb_equilibrium_step_find(lb_equilibrium_solver* R, lb_data* d);

// Take as much of the step as is good, and find the next one.
bool lb_equilibrium_step_take(lb_equilibrium_solver* R, lb_data* d);

// Take all of the step and look, whatever it leads to.
bool lb_equilibrium_step_take_whole(lb_equilibrium_solver* R, lb_data* d);

// Whether the step starts where some direction is unstable; and off such an equilibrium, along the
// direction in which it is least stable, with the step from there.
bool lb_equilibrium_step_unstable(const lb_equilibrium_solver* R);
bool lb_equilibrium_step_nudge(lb_equilibrium_solver* R, lb_data* d);
