// One elastic body of a scene by itself: its mesh, its faces and its elements, for those who make
// bases of it.
#pragma once
#include "elastic/reduced/basis.h"
#include "limber/scene.h"

enum { LB_ELASTIC_MOST_FACES = 64 };

typedef struct lb_elastic_body {
  lb_arena arena;
  lb_tetmesh mesh;
  lb_material* material; // [nregion]
  lb_fem* fem;
  int nface; // the held one first
  lb_basis_face face[LB_ELASTIC_MOST_FACES];
  const char* name[LB_ELASTIC_MOST_FACES]; // the scene's
} lb_elastic_body;

lb_status lb_elastic_open(const lb_scene* scene, int body, const lb_allocator* allocator,
                          lb_elastic_body* out, lb_error* err);
void lb_elastic_close(lb_elastic_body* body);

// The first body of the scene of the same form, held and carrying by the same faces, or -1.
int lb_elastic_twin(const lb_scene* scene, int body);
