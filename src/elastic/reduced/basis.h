// A basis of displacements for a body that is held by one face and carries things on others.
//
// Every vector obeys the six conditions of the held face, sum w u = 0 and sum w D x u = 0 over its
// nodes: in them the face keeps its frame exactly. The vectors are
// - attachment modes: the shapes under a unit force and moment on each carrying face, so that slow
// loads are exact;
// - the lowest modes of vibration;
// - derivatives of the attachment modes, from the softest on, -S (dK phi_i) phi_j: how bending
// shortens a body, and how twisting turns the plane it bends in;
// - the next term of the series for the softest attachments: how a shape changes as it grows.
#pragma once
#include "elastic/fem/fem.h"
#include "elastic/reduced/reduced.h"

/// Start from lb_basis_default().
typedef struct lb_basis_options {
  int modes;       ///< of vibration, beyond the attachment modes
  int derivatives; ///< number of vectors with derivatives, all pairs: the softest attachments first
  int most;        ///< vectors in all; 0: as many as there are
} lb_basis_options;
lb_basis_options lb_basis_default(void);

typedef struct lb_basis {
  int r;
  double* Phi;   ///< [r][ndof], Phi' M Phi = 1
  double* omega; ///< [r] frequencies at u = 0: Phi' K Phi = diag(omega^2), rising [rad/s]
} lb_basis;

/// Nodes and weights of a mesh's surface.
lb_status lb_basis_face_of(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                           lb_arena* arena, lb_basis_face* face);

/// Six unknowns of three of a face's nodes that stop rigid motion and nothing else.
void lb_basis_support(const lb_fem* fem, const lb_basis_face* face, int support[6]);

lb_status lb_basis_create(const lb_fem* fem, const lb_basis_face* held, int nface,
                          const lb_basis_face* face, const lb_basis_options* options,
                          lb_arena* arena, lb_basis* basis, lb_error* err);
