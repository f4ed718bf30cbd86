// Internal forces in a basis, evaluated over the whole mesh: exact, and as slow as the mesh is
// large. Reference for cubature, and good enough for small bodies.
#pragma once
#include "elastic/reduced/basis.h"
#include "elastic/reduced/reduced.h"

typedef struct lb_projected {
  const lb_fem* fem;
  const lb_basis* basis;
} lb_projected;

// Internal force of a projected body, which must outlive it.
lb_reduced_force lb_projected_force(const lb_projected* p);

// A reduced body of a mesh and a basis: inertia, faces, projected forces and damping.
lb_status lb_projected_reduce(const lb_projected* p, int nface, const lb_basis_face* face,
                              lb_arena* arena, lb_reduced* reduced);
