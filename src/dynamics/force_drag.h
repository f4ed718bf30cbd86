// Drag as a function of velocities, for those who move where it acts.
#pragma once
#include "dynamics/state.h"
#include "limber/model.h"

// The force of a velocity v, its change when velocities change by U, and how that changes with v.
lb_v4 lb_drag_force(const lb_model_drag* drag, lb_v4 v);
lb_motion lb_drag_change(const lb_model_drag* drag, lb_v4 v, lb_motion U);
lb_v4 lb_drag_bend(const lb_model_drag* drag, lb_v4 v, lb_v4 U, lb_v4 dv);
