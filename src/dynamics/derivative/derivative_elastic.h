// The share of elastic bodies in the derivatives of inverse dynamics.
#pragma once
#include "dynamics/derivative/dynamics_derivative.h"
#include "elastic/reduced/reduced_derivative.h"

// Add a body's own mass to a composite.
void lb_elastic_weigh(lb_composite* c, lb_v4 at, const lb_state* s);

// Add to its coordinates' slopes, and to their block of the matrices, what the body's own mass
// brings.
void lb_elastic_derive(lb_derivatives* D, const lb_state* s, const lb_link* l, lb_v4 at);
