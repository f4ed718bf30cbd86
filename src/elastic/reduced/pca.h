// A basis from displacements that were seen: mass-weighted principal components of snapshots,
// [flex] section 5. The first vectors carry the most of int rho |u|^2 summed over the snapshots.
//
// The document adds six rigid modes; here the body's frame carries those, and every vector obeys
// the held face's six conditions, as the snapshots do.
#pragma once
#include "elastic/reduced/basis.h"

/// Displacements of one body, or of several alike, in the frame of the held face.
typedef struct lb_snapshots {
  int count, ndof;
  const double** u; ///< [count] rows of [ndof]
} lb_snapshots;

/// Start from lb_pca_default().
typedef struct lb_pca_options {
  int modes;     ///< vectors, at most: fewer when the snapshots have no more or `missed` is reached
  double missed; ///< part of the snapshots that may be lacking, as in the report; 0: none
  bool attachments; ///< begin with the shapes under a force and moment on each carrying face
} lb_pca_options;
lb_pca_options lb_pca_default(void);

typedef struct lb_pca_report {
  double missed; ///< the part of the snapshots that the basis lacks: sqrt(sum |u - Phi eta|^2 / sum
                 ///< |u|^2), in the norm of the mass
} lb_pca_report;

/// The basis in `arena`: mass-orthonormal, with diagonal stiffness, frequencies rising. LB_INVALID
/// when the snapshots never move.
lb_status lb_pca_create(const lb_fem* fem, const lb_basis_face* held, int nface,
                        const lb_basis_face* face, const lb_snapshots* snapshots,
                        const lb_pca_options* options, lb_arena* arena, lb_basis* basis,
                        lb_pca_report* report, lb_error* err);

/// eta = Phi' M u for each snapshot: [count][r] in `arena`; and what the basis lacks of them, as
/// above.
lb_status lb_pca_coordinates(const lb_fem* fem, const lb_basis* basis,
                             const lb_snapshots* snapshots, lb_arena* arena, double** eta,
                             double* missed);
