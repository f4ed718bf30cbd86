// Conservative models: those whose energy is to stay what it is.
#pragma once
#include "limber/model.h"

// Nothing feeds energy in or takes it out: what an integrator makes of the energy is its error.
bool lb_is_conservative(const lb_model* m);
