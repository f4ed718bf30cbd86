// Names of coordinates, for tables: their own, those of joints with one, or JOINT.NUMBER.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// [nv], in the arena.
lb_status lb_coordinate_names(lb_arena* arena, const lb_model* m, const char*** names,
                              lb_error* err);
