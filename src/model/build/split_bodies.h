// Loops closed by any joint: the body at the end of such a joint is split.
#pragma once
#include "base/arena.h"
#include "limber/model.h"

// Must the joint have coordinates? One does that has a rotor, friction or limits, that is coupled,
// or of a kind that has no rows of its own.
bool lb_joint_needs_coordinates(const lb_scene* scene, int joint);

// Is there such a joint that closes a loop?
bool lb_scene_has_splits(const lb_scene* scene);

// The same scene with such joints in the tree. Each carries a part of its child's mass, a body of
// its own that is fixed to the child: two halves that move as one weigh what the whole does, so
// nothing changes but where the loop is cut. `tree` says where everything starts.
lb_status lb_scene_split(const lb_scene* scene, const lb_model* tree, lb_arena* arena,
                         lb_scene* split, lb_error* err);

// What a body weighs, in its own frame: as its shapes and its author say, or an elastic one's
// basis.
lb_mass lb_scene_body_mass(const lb_scene* scene, int body, const struct lb_reduced* reduced);
