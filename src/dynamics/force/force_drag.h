// Drag as a function of velocities, for those who move where it acts.
#pragma once
#include "dynamics/tree/state.h"
#include "limber/model.h"

// The force of a velocity v, and its change when velocities change by U.
lb_v4 lb_drag_force(const lb_model_drag* drag, lb_v4 v);
lb_motion lb_drag_change(const lb_model_drag* drag, lb_v4 v, lb_motion U);
