// Maximal coordinates: the same scene with its tree taken apart.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// A scene in which every body moves freely, starting where the tree has it, and every joint that
// moves is a loop, but for those that must have coordinates (split_bodies.h). Bodies fixed to the
// world stay, and so do elastic bodies fixed to the rigid one they are seen from.
lb_status lb_scene_take_apart(const lb_scene* scene, const lb_model* tree, lb_arena* arena,
                              lb_scene* loose, lb_error* err);
