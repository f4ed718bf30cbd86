// Derivatives of inverse dynamics: what the rooms inside share. docs/derivatives.md derives all of
// it.
//
// Directions, velocities and accelerations are spatial ones at one point O of the tree, its root's
// origin, in the world's axes: a motion (w, v) is that of a rigid body's points, v at O.
//
// Moving along direction S_k of a joint takes everything beyond it along as a rigid body. Beyond
// that rotation along, every point there gains the velocity psi and the acceleration
// chi + 2 psi.w x (its velocity), where with the parent's velocity V_p and acceleration A_p
//
//   (1)  psi_k = V_p x S_k + T_k qd
//   (2)  chi_k = A_p x S_k + V_p x psi_k + V x T_k qd + T_k qdd + D_k
//
// T and D are zero but for joints whose directions depend on their own coordinates otherwise than
// by turning with the link (lb_joint's `bend`). A change of velocity adds
//
//   (3)  sig_k = d/dt S_k + psi_k
//
// to the acceleration in the same sense. Let I, D, p be the inertia of all that hangs on a link,
// about O, with 2 B (w, v) = (D w, 2 w x p): D = 2 int rho (x.xd 1 - xd x'), p the momentum, and F
// the force through the joint. Then, for a coordinate k and one i further out or of the same joint,
//
//   (4)  dtau_i/dq_k  = S_i.(I_i chi_k + 2 B_i psi_k) + T_ik.F     (T: of the same joint only)
//   (5)  dtau_i/dqd_k = S_i.(I_i sig_k + 2 B_i S_k)
//   (6)  dtau_k/dq_i  = S_k.(I_i chi_i + 2 B_i psi_i + S_i x* F_i)      not of the same joint
//   (7)  dtau_k/dqd_i = S_k.(I_i sig_i + 2 B_i S_i)                     likewise
//
// so that a coordinate i needs two vectors for its row, u = I_i S_i and b = 2 B_i'S_i (whose linear
// part is zero), and two for its column, g and gd in brackets in (6) and (7).
#pragma once
#include "dynamics/joint/joint.h"
#include "dynamics/tree/mass_solve.h"
#include "limber/derivative.h"

// Composite of a link and its descendants, about O.
typedef struct lb_composite {
  double m;
  lb_v4 h;    // first moment
  lb_m3 I;    // inertia
  lb_m3 D;    // 2 B's part, see above
  lb_v4 p;    // momentum
  lb_v4 n, f; // force through the joint
} lb_composite;

// A link's own mass, about its own origin, and what it moves besides the link's motion.
typedef struct lb_inertia {
  double m;
  lb_v4 h;
  lb_m3 I;
  lb_v4 p; // momentum of a deformation
  lb_m3 P; // int rho xd x' of it
} lb_inertia;

// A coordinate's row and column vectors.
typedef struct lb_slope {
  lb_motion u; // force of unit acceleration: (moment, force)
  lb_v4 b;     // moment of unit psi
  lb_motion g, gd;
} lb_slope;

// Coordinates that follow each other on the way to the world and in memory.
typedef struct lb_run {
  int column, v, count;
  int next; // link from which the next run starts, or LB_WORLD
} lb_run;

typedef struct lb_derivation {
  const lb_allocator* allocator;
  lb_run* run;                    // [nlink] run that starts with the link's own coordinates
  lb_mass_factors mass;           // of models without elastic bodies
  lb_v4* at;                      // [nlink] from O to the origin
  lb_motion* V;                   // [1 + nlink], V[-1] the world's
  lb_motion* A;                   // likewise
  lb_composite* whole;            // [nlink]
  lb_motion *S, *psi, *chi, *sig; // [ncolumn]
  double* spread;                 // [LB_SPREAD][ncolumn + 3] these by component
  lb_motion* bend;                // [2][most nv of a link]
  lb_motion* lever[6];            // [nv] for forces on links
  lb_motion* points; // [LB_POINT_ARRAYS * most points of a spring or cable][nv] likewise
  int* index;        // [nv] likewise
  double* lengths;   // [nv] derivatives of a path's length
  // of models with elastic bodies
  lb_slope* slope;              // [nv] of their coordinates, faces summed up
  double* block;                // [most r][most r]
  struct lb_reduced_slope* own; // [most r]
} lb_derivation;

enum { LB_SPREAD = 21, LB_POINT_ARRAYS = 5 };

// Everything of (1)-(7) at q, qd, qdd, with the external forces in the work space turning along
// with their links when `forced`.
void lb_derive(lb_derivatives* D, lb_data* d, const double* q, const double* qd, const double* qdd,
               bool forced);
// lb_derive after inverse dynamics.
void lb_derive_matrices(lb_derivatives* D, lb_data* d, const double* qd, const double* qdd);

// lb_derive_matrices in parts, for products with the matrices alone (tree_derivative.h): the
// vectors of (1)-(3) and every link's composite so far, which is itself; after lb_rnea_forced or
// lb_rnea_moved. Then, from the leaves to the root, those of (4)-(7) for column c of a link, and
// its mass handed to its parent.
void lb_derive_links(lb_derivatives* D, lb_data* d, const double* qd, const double* qdd);
lb_slope lb_derive_slope(const lb_derivation* W, const lb_composite* whole, int c);
void lb_derive_hand_over(lb_derivation* W, const lb_model* m, int i);

// S x* F of (6): how the force through a joint turns along.
static inline lb_motion lb_derive_along(const lb_composite* whole, lb_motion S) {
  return (lb_motion){lb_v4_cross(S.w, whole->n) + lb_v4_cross(S.v, whole->f),
                     lb_v4_cross(S.w, whole->f)};
}

// Add a mass whose origin is `at` beyond O and moves as the state says.
void lb_composite_put(lb_composite* c, lb_v4 at, const lb_state* s, const lb_inertia* b);

// Row i of the matrices from a slope: entries of the coordinates of one link that it hangs on or
// belongs to are added.
void lb_derive_block(lb_derivatives* D, int row, const lb_slope* s, int column, int v, int count);

// --- forces (lb_force's `differentiate`) ---
//
// lb_derive lets the external forces turn along with their links. What they do besides is added by
// the forces: for (moment, force) at a point of a link, its change less that of turning along.

// Motions of a point of a link, `arm` from its origin, for each coordinate: S by the coordinate's
// velocity, psi as above (NULL: not wanted). [nv] each; zero for the world.
void lb_derive_point(const lb_derivatives* D, lb_motion* S, lb_motion* psi, int link, lb_v4 arm);

// Motions of a point, as lb_derive_point, of any motion that each column of the links has at O
// (lb_derivation's S, psi and others).
void lb_derive_columns(const lb_derivatives* D, lb_motion* out, const lb_motion* column, int link,
                       lb_v4 arm);

// K -= S'change: what is needed beyond forces that act at a point moving with S, of a change by
// each coordinate.
void lb_derive_force(const lb_derivatives* D, double* K, const lb_motion* S,
                     const lb_motion* change);

// Derivatives of lb_rnea_forced less the generalised forces, at d's q, qd and qdd, under the forces
// in the work space; kinematics are in place and lb_forces_apply is done.
void lb_derive_forced(lb_derivatives* D, lb_data* d);
