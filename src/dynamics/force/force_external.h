// Measured forces on bodies, over time.
#pragma once
#include "dynamics/tree/state.h"
#include "limber/dynamics.h"

// Put one on the links, whose kinematics are in place; nothing before its first sample and after
// its last.
void lb_external_apply(const lb_model* m, lb_work* w, const lb_scene_external* e, double time);
