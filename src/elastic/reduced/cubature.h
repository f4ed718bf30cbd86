// Cubature: a few points of a body with positive weights that give nearly the internal forces of
// all of them [An, Kim, James 2008], for deformations like those it was trained on.
// cubature_poses.c is about the poses, cubature.c about the choice.
#pragma once
#include "elastic/reduced/cubature_force.h"

/// Start from lb_cubature_default().
typedef struct lb_cubature_options {
  double tolerance; ///< relative error of the forces over the training poses
  int most;         ///< points at the most
  double range;     ///< how far the carrying faces move in training, over the body's size
  int poses;        ///< training poses
  int slopes;       ///< of them, how many train the stiffness too, direction by direction
} lb_cubature_options;
lb_cubature_options lb_cubature_default(void);

typedef struct lb_cubature_report {
  int points;
  double error; ///< reached on the training poses
} lb_cubature_report;

/// Poses of static equilibrium under random forces and moments on the carrying faces: eta
/// [poses][r], rows in `arena`. The first r small ones are the basis vectors themselves, for the
/// stiffness at rest.
lb_status lb_cubature_poses(const lb_points* all, const lb_reduced* reduced, double size,
                            const lb_cubature_options* options, lb_arena* arena, double** eta,
                            int* count);

/// Those small ones alone: eta [r][r].
void lb_cubature_rest(const lb_reduced* reduced, double size, double* eta);

/// Choose points and weights on given poses; omega [r] are the frequencies of the basis. Without
/// poses all points stay, with the weights they have.
lb_status lb_cubature_train(const lb_points* all, int nregion, const double* omega,
                            const double* eta, int npose, const lb_cubature_options* options,
                            lb_arena* arena, lb_points* few, lb_cubature_report* report);
