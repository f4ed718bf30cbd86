// A scene with bodies of other sizes: places on them, joints, paths, markers, masses.
#pragma once
#include "base/arena.h"
#include "limber/scene.h"

typedef struct lb_scene_scaling {
  const lb_vec3* factor; // [nbody] along each body's axes, > 0
  double mass;           // of all bodies together [kg]; NAN: as it comes of the volumes
  bool preserve;         // bodies keep their parts of the mass, whatever their volumes
} lb_scene_scaling;

// What is changed of arrays that cannot be is copied into the arena, which must outlive the scene.
// False: there is no memory.
bool lb_scene_scale(lb_scene* scene, const lb_scene_scaling* how, lb_arena* arena);
