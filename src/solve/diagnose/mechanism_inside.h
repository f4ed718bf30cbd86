// Parts of mechanism.c.
#pragma once
#include "base/arena.h"
#include "limber/mechanism.h"

// Range, dead points and curves of every linkage, into the arena. LB_NO_MEMORY.
lb_status lb_mechanism_curves(const lb_scene* scene, lb_arena* arena, lb_mechanism* M);
