// Flesh with other moduli.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// Make the regions of one material `inside` times as stiff, and those of others `outside` times,
// damping alike. All the rest is shared with what it was, which must not be released before.
lb_status lb_soft_scale(lb_model_soft* soft, lb_arena* arena, int material, double inside,
                        double outside);
