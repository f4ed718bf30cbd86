// Prescribed motions over time, and whether forces can follow them.
#pragma once
#include "limber/model.h"

// Refuse a motor or a constraint that jumps before this time, which may be after the model's own
// end: the message says where it stands in the scene.
lb_status lb_model_check_paths(const lb_model* m, double until, lb_error* err);
