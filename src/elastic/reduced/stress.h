// Stress on the surface of an elastic body in a basis, u = Phi eta: von Mises' at the middle of
// every face of its boundary, where bending and torsion are largest.
//
//   F = 1 + sum_k eta_k G_k,   G_k = sum_a Phi_ka grad N_a'
//   sigma = P(F) F'/det F,   s = sigma - tr(sigma)/3,   mises = sqrt(3/2 s:s)
//
// with the gradients of the shape functions of the element behind the face.
#pragma once
#include "elastic/fem/material.h"
#include "geom/tet/tetmesh.h"

typedef struct lb_stress {
  int count; // faces
  int r;
  lb_vec3* at; // [count] their middles, undeformed
  int* corner; // [3 * count] their corners, nodes of the mesh
  int nbatch;
  lb_region_material* material; // [nbatch] of eight faces
  int* first;                   // [nbatch + 1] the first face of each
  lb_lanes* G;                  // [nbatch][r][9]
} lb_stress;

// Of a mesh whose region i has material[i], with the basis Phi [r][3 * nnode]. Very fine meshes
// have every n-th face.
lb_status lb_stress_create(lb_stress* s, const lb_tetmesh* mesh, const lb_material* material, int r,
                           const double* Phi, lb_arena* arena);

// Stress [Pa] of every face at eta into `mises` [count], which may be NULL; the largest.
double lb_stress_evaluate(const lb_stress* s, const double* eta, double* mises);
