// Ropes and deformables with other numbers: what models that are thin copies of others need.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

typedef struct lb_deformable_factor {
  double stiffness, damping; // damping by stiffness, in all: where both moduli change it does, too
} lb_deformable_factor;

// Multiply forces of the regions of one material by `inside`, and of the others by `outside`. All
// the rest is shared with what it was, which must not be released before.
lb_status lb_deformable_scale(lb_model_deformable* deformable, lb_arena* arena, int material,
                              lb_deformable_factor inside, lb_deformable_factor outside);

// The condensed and the interface model of a derived one with all nodes of its elastic bodies, in
// place of those it was derived with.
lb_status lb_model_renew_full(lb_model* m, lb_arena* arena);
