// How the forces of springs and cables change with their own numbers.
#pragma once
#include "dynamics/force/force_curve.h"
#include "limber/derivative.h"

// Of spring or cable i: the power of the change of its force, by one more of the number, for
// velocities mu [nv]. After lb_derive at d's state, with the origins' velocities in place.
double lb_spring_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                           const double* mu);
double lb_cable_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                          const double* mu);
