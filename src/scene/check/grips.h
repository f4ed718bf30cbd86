// Grips on bodies: the ends of joints and springs, and loads, all seen alike.
#pragma once
#include "limber/scene.h"

typedef struct lb_grip {
  const char *word, *name; // "joint", and its name
  lb_place place;
  const char* key;      // under which the point is written
  const char* face_key; // under which the face is; NULL: it cannot name one
  const char* does;     // "by which face it holds"
  int joint;            // or -1
  int body;             // or LB_WORLD
  const char* face_name;
  bool at_middle;
  bool rigid;     // it makes its face rigid
  int* face;      // to fill in
  lb_vec3* point; // to fill in
} lb_grip;

// Those of the scene's joints, forces and loads, one after the other, from {scene} on. False after
// the last.
typedef struct lb_grips {
  const lb_scene* scene;
  int end, force, point, load; // the next
} lb_grips;
bool lb_grips_next(lb_grips* at, lb_grip* grip);
// The first that names a face of a body.
lb_grip lb_grip_of_face(const lb_scene* scene, int body, const char* face);
