// Conservative models: those whose energy is to stay what it is.
#pragma once
#include "limber/model.h"

// Nothing feeds energy in or takes it out: what an integrator makes of the energy is its error.
bool lb_is_conservative(const lb_model* m);

// Bound on the energy that may come in over a time [s]: of Hill-type muscles what they can do, of
// a model in which nothing feeds energy in 0, else INFINITY.
double lb_energy_feed(const lb_model* m, double duration);
