// How the forces of grounds change with their stiffness.
#pragma once
#include "limber/derivative.h"

// Of ground i: the power of the change of its forces, by one more of the stiffness, for velocities
// mu [nv]. After lb_derive at d's state, with the origins' velocities in place.
double lb_ground_by_stiffness(const lb_derivatives* D, lb_data* d, int i, const double* mu);
