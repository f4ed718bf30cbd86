// What takes hold of bodies: the ends of joints and springs, and loads, all seen alike.
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

// Those of the scene's joints, forces and loads.
int lb_grip_count(const lb_scene* scene);
lb_grip lb_grip_at(const lb_scene* scene, int i);
// The first that names a face of a body.
lb_grip lb_grip_of_face(const lb_scene* scene, int body, const char* face);
