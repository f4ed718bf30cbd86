// Inertia, faces and damping of a mesh in a basis.
#pragma once
#include "elastic/reduced/basis.h"
#include "elastic/reduced/reduced.h"

typedef struct lb_projected {
  const lb_fem* fem;
  const lb_basis* basis;
} lb_projected;

// A reduced body of a mesh and a basis; its internal force is left for the caller to fill in.
lb_status lb_projected_weigh(const lb_projected* p, int nface, const lb_basis_face* face,
                             lb_arena* arena, lb_reduced* reduced);
