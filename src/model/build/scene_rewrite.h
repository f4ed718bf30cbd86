// Scenes made of others before they are compiled: loops closed by any joint, and maximal
// coordinates.
#pragma once
#include "base/arena.h"
#include "limber/model.h"
#include "model/use/initial_pose.h"

// Must the joint have coordinates? One does that has a rotor, friction or limits, that is coupled,
// that points of paths go by, or of a kind that has no constraint equations.
bool lb_joint_needs_coordinates(const lb_scene* scene, int joint);

// True where such a joint closes a loop.
bool lb_scene_has_splits(const lb_scene* scene);

// A scene in the making, a copy of another with bodies and joints of its own.
typedef struct lb_rewrite {
  const lb_scene* scene;
  const lb_model* tree; // tree with all starts
  lb_arena* arena;
  lb_error* err;
  lb_scene to;           // with room for as many more bodies and joints as there are joints
  lb_transform* pose;    // [tree's nlink] of its links at the start
  lb_velocity* velocity; // [tree's nlink] likewise
} lb_rewrite;
lb_status lb_rewrite_begin(lb_rewrite* w);

// Split: joints that close loops and must have coordinates move into the tree. Each carries a
// part of its child's mass, a body of its own that is fixed to the child: two halves that move as
// one weigh what the whole does, so nothing changes but where the loop is cut.
lb_status lb_rewrite_split(lb_rewrite* w);

// Maximal coordinates: every body moves freely, starting where the tree has it, and every joint
// that moves is a loop, but for those that must have coordinates. Bodies fixed to the world stay,
// and so do elastic bodies fixed to the rigid one they are seen from.
lb_status lb_rewrite_apart(lb_rewrite* w);
