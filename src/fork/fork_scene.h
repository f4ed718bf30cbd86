// Scenes made of others: a mechanism by itself, and mechanisms reduced to their effectors.
#pragma once
#include "fork/fork_parts.h"

struct lb_reduced;

// Poses of bodies in the world: [nbody].
typedef const lb_transform* lb_body_poses;

// The mechanism alone: its base and all that is outside are fixed to the world where they start,
// and nothing acts but what is of the mechanism. LB_INVALID: something acts between inner bodies
// and what is outside.
lb_status lb_fork_scene_alone(const lb_fork_parts* parts, lb_body_poses start, lb_arena* arena,
                              lb_scene* to, lb_error* err);

// A reduced mechanism in the making.
typedef struct lb_fork_piece {
  lb_fork_parts parts;
  const struct lb_reduced* reduced;
  const lb_transform* in_base; // [nbody] of its bodies in equilibrium, in its base
} lb_fork_piece;

// The scene with a body of `count` coordinates in the place of each mechanism. Its bodies have no
// mass any more: effectors are fixed to that body's faces, inner ones to its frame. Bodies keep
// their numbers; those that stand for mechanisms come after them.
lb_status lb_fork_scene_reduced(const lb_scene* scene, int count, const lb_fork_piece* piece,
                                lb_arena* arena, lb_scene* to);
