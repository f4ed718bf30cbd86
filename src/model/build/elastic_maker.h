// One elastic body in the making: what the files that make it share.
#pragma once
#include "elastic/fem/material.h"
#include "elastic/reduced/stored.h"
#include "model/build/build.h"

// One body in the making.
typedef struct lb_maker {
  lb_build* b;
  int body;
  const lb_scene_elastic* from;
  const lb_stored* stored; // the file's body, unless all nodes are to move
  lb_stored found;         // one that was made before
  lb_arena scratch;
  lb_tetmesh mesh;
  lb_material* material; // [nregion]
  lb_fem* fem;
  lb_basis basis;
  lb_basis_face face[LB_ELASTIC_MOST_FACES]; // the held one, then those that carry
  const char* name[LB_ELASTIC_MOST_FACES];
  bool rigid[LB_ELASTIC_MOST_FACES];
  int nface;
  double stiffness; // of the body over that of its elements; 1 when they are kept
} lb_maker;

// --- faces (elastic_faces.c) ---

// The face that carries the body comes first, then all others that are named.
void lb_maker_list_faces(lb_maker* k);
// Tell what takes hold of faces which it holds.
void lb_maker_number_faces(lb_maker* k);
// Put what asks for it in the middle of its face.
lb_status lb_maker_place_grips(lb_maker* k);
// A face must have an area.
lb_status lb_maker_check_areas(lb_maker* k);
