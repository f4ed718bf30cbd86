// Names of coordinates, for tables: their own, those of joints with one, or JOINT.NUMBER.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// The joint that velocity v is of, or -1: of a particle.
int lb_joint_of(const lb_model* m, int v);

// Name of a velocity, cut where it is too long.
enum { LB_COORDINATE_NAME = 160 };
const char* lb_coordinate_name(const lb_model* m, int v, char out[LB_COORDINATE_NAME]);

// All of them, whole, [nv], in the arena.
lb_status lb_coordinate_names(lb_arena* arena, const lb_model* m, const char*** names,
                              lb_error* err);
