// Stress of an elastic body from the displacements u of its nodes: von Mises' of every element, in
// the middle of its faces on the boundary, where bending and torsion are largest, or where it has
// none in its own middle.
//
//   F = 1 + sum_a u_a grad N_a',   sigma = P(F) F'/det F,
//   s = sigma - tr(sigma)/3,       mises = sqrt(3/2 s:s)
//
// An element's stress is the largest of its points'. Linear elements have one throughout.
#pragma once
#include "elastic/fem/material.h"
#include "geom/tet/tetmesh.h"

struct lb_stress_batch;

// Elements on the boundary come first, and so do their nodes.
typedef struct lb_stress {
  int nnode, nelem, nface; // nface: on the boundary
  int elem_nodes;
  int outer_nodes, outer_elems;
  int* node;        // [nnode] number of each in the mesh
  int* elem;        // [nelem] number of each in the mesh
  int* place;       // [nelem] of the mesh: which of these each is
  lb_vec3* at;      // [nelem] their middles, undeformed
  int* first_face;  // [nelem + 1] the first face of each
  int* corner;      // [3 * nface] corners of the faces, nodes of the mesh
  lb_vec3* face_at; // [nface] their middles, undeformed
  int nbatch, outer_batches;
  struct lb_stress_batch* batch; // [nbatch]
  int nregion;
  lb_region_material* material; // [nregion]
  // basis, u = Phi eta
  int r;
  lb_lanes* Phi; // by pieces of u, all shapes of each
} lb_stress;

// Of a mesh whose region i has material[i], with the basis Phi [r][3 * nnode].
lb_status lb_stress_create(lb_stress* s, const lb_tetmesh* mesh, const lb_material* material, int r,
                           const double* Phi, lb_arena* arena);
// A copy in `arena` whose material is `factor` times as stiff; it shares the rest. NULL: no memory.
lb_stress* lb_stress_scaled(const lb_stress* from, double factor, lb_arena* arena);

// Parts of a body: all of it, or the elements on its boundary alone.
typedef enum lb_stress_part { LB_STRESS_OUTER, LB_STRESS_ALL } lb_stress_part;

// u of coordinates in the basis, or of displacements in the order of the mesh; it has room for
// lb_stress_room() numbers.
size_t lb_stress_room(const lb_stress* s);
void lb_stress_displace(const lb_stress* s, lb_stress_part part, double* u, const double* eta);
void lb_stress_sort(const lb_stress* s, double* u, const double* mesh_u);
// Stress [Pa] of the elements [nelem] and faces [nface] of a part; the largest.
double lb_stress_evaluate(const lb_stress* s, lb_stress_part part, const double* u, double* elem,
                          double* face);
