// An elastic body seen from one of its faces: displacements u = Phi eta in a basis that keeps that
// face's frame, with all integrals over the body done once. Everything here is in the body's own
// axes.
//
// The face that is held (A) has frame and centroid fixed in the body's axes, because the basis
// obeys
//   sum w u = 0  and  sum w D x u = 0   over its nodes                                    (physics:
//   exactly linear)
// The other faces move with eta: their centroid linearly, their rotation by the polar decomposition
// of
//   Apq(eta) = sum w (D + u) D'
//
// Inertia of x = X + Phi eta needs only
//   m,  h0 = int rho X,  E0 = int rho X X',
//   H_k = int rho Phi_k,  B0_k = int rho Phi_k X',  B1_kl = int rho Phi_k Phi_l'
// since with B_k(eta) = int rho Phi_k x' = B0_k + sum_l eta_l B1_kl everything else is linear in
// them.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "elastic/fem/blend.h"
#include "limber/status.h"
#include "math/space/spatial_motion.h"

/// Nodes of a face with positive weights of any scale.
typedef struct lb_basis_face {
  int count;
  int* node;
  double* weight;
  bool rigid; ///< its nodes are tied (tie.h)
} lb_basis_face;

// Centroid of a face whose nodes are at X, and the sum of its weights.
lb_v4 lb_face_centroid(const lb_basis_face* face, const double* X, double* total);

// A face that carries something, or an effector of a mechanism: `rest` exp(sum_k eta_k twist_k).
typedef struct lb_face {
  lb_v4 x0;          // centroid, undeformed
  lb_v4* W;          // [r] its motion
  lb_m3 A0;          // sum w D D'
  lb_m3* A;          // [r] sum w Phi_k D'
  lb_motion* twist;  // [r] of an effector, along its own axes; else NULL
  lb_transform rest; // of an effector
} lb_face;

// Internal forces of a basis: force f = dV/deta, tangent K = df/deta. `context` is what the maker
// gave; none of them but `scale` allocates.
typedef struct lb_reduced_force {
  // f [r], and K' v for a velocity v when Kv is not NULL; K' is K with each region's share of the
  // damping
  void (*force)(const void* context, double* f, double* Kv, const double* eta, const double* v,
                double* scratch);
  double (*energy)(const void* context, const double* eta, double* scratch);
  int scratch; // numbers of scratch they need
  const void* context;
  bool viscous; // K' is not K: regions differ in their share of the damping
  // The smallest ratio of volumes det F where forces are computed, and its reference position;
  // NULL: not known
  double (*least_volume)(const void* context, const double* eta, lb_vec3* at);
  // A blend as a matrix into A [r * r], symmetric, and its product with x into y. v may be NULL
  // without changes of K
  void (*blend)(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                double* scratch);
  void (*blend_product)(const void* context, double* y, lb_blend of, const double* eta,
                        const double* v, const double* x, double* scratch);
  // These forces with those of each region `factor` [nregion] times as large, in the arena; one
  // factor is for all
  lb_status (*scale)(const void* context, int nregion, const double* factor, lb_arena* arena,
                     struct lb_reduced_force* out);
} lb_reduced_force;

// K [r * r], symmetric.
static inline void lb_reduced_tangent(const lb_reduced_force* f, double* K, const double* eta,
                                      double* scratch) {
  f->blend(f->context, K, (lb_blend){.K = 1}, eta, NULL, scratch);
}

typedef struct lb_reduced {
  int r;
  double m;
  lb_v4 h0;
  lb_m3 E0;
  lb_v4* H;  // [r]
  lb_m3* B0; // [r]
  lb_m3* B1; // [r * r], B1[k * r + l]
  double* M; // [r * r] int rho Phi_k . Phi_l
  int nface;
  lb_face* face;      // [nface] all but the held one
  double alpha, beta; // Rayleigh damping (alpha C + beta K') etad, the largest of all regions
  double* C;          // [r * r] M with each region's share of alpha; NULL: it is M
  lb_reduced_force internal;
  const struct lb_full* full; // not NULL: an outline of a body with all its nodes (full_body.h)
  bool traces; // it stands for such a body by its traces (full_body_derivative.h), which come after
               // all other coordinates, as nodes do
  const struct lb_curved* curved; // not NULL: its shapes change with its coordinates (curved.h),
                                  // and those of its faces are of amplitudes
} lb_reduced;

// Input of the integrals: nodes, basis and mass, all [3 * nnode] by node.
typedef struct lb_reduced_input {
  int nnode, r;
  const double* X;
  const double* Phi; // [r][3 * nnode]
  // y = (mass matrix) x for one field of vectors
  void (*apply_mass)(const void* context, double* y, const double* x);
  const void* context;
  int nface;
  const lb_basis_face* face; // [nface]
  // as apply_mass, of the damping matrix C; NULL: it is the mass matrix
  void (*apply_damping)(const void* context, double* y, const double* x);
} lb_reduced_input;

// Room for the integrals of r coordinates and for what they do to faces, all zero.
lb_status lb_reduced_take(lb_reduced* b, int r, int nface, lb_arena* arena);

// Integrals and faces; damping and internal forces are left for the caller to fill in.
lb_status lb_reduced_create(lb_reduced* b, const lb_reduced_input* in, lb_arena* arena);

// Internal and damping forces on the coordinates: tau -= f + (alpha C + beta K') etad. `scratch`
// has lb_reduced_scratch() numbers.
void lb_reduced_add_forces(const lb_reduced* b, double* tau, const double* eta, const double* etad,
                           double* scratch);
int lb_reduced_scratch(const lb_reduced* b);

// Inertia quantities at a state.
typedef struct lb_reduced_state {
  lb_v4 h;  // first moment
  lb_m3 I;  // inertia about the origin
  lb_m3* B; // [r] B_k(eta)
  lb_v4* C; // [r] int rho x x Phi_k
} lb_reduced_state;

// Fill in a state whose arrays the caller has.
void lb_reduced_weigh(const lb_reduced* b, lb_reduced_state* s, const double* eta);

// 1/2 int rho |v + w x x + xd|^2: kinetic energy when the frame moves with v and w, in its own
// axes.
double lb_reduced_kinetic(const lb_reduced* b, const lb_reduced_state* s, lb_v4 v, lb_v4 w,
                          const double* etad);

// Motion of the body's frame, in its own axes.
typedef struct lb_reduced_motion {
  lb_v4 w, al, a;
} lb_reduced_motion;

// Inertial force and moment at the origin, and on the coordinates, for a motion of the frame and of
// eta.
//   f = m a + al x h + w x (w x h) + 2 w x hd + hdd                                            (1)
//   n = h x a + I al + w x (I w) + 2 (tr P - P) w + C etadd,  P = int rho xd x' = sum etad_k B_k
//   (2) Q_k = H_k.a + C_k.al + w'B_k w - w.w tr B_k + 2 w.sum_l etad_l (Phi_l x Phi_k) + M etadd
//   (3)
void lb_reduced_inertia(const lb_reduced* b, const lb_reduced_state* s, lb_reduced_motion motion,
                        const double* etad, const double* etadd, lb_v4* n, lb_v4* f, double* Q);

// State of a face with eta.
typedef struct lb_face_state {
  lb_v4 x;       // centroid
  lb_m3 R;       // rotation from the undeformed face
  lb_m3 S, Yinv; // stretch and the inverse of Y below
  lb_v4* G;      // [r] angular velocity of the face, in the face's axes, per etad
  lb_v4 w;       // G etad
  lb_v4 xd;      // W etad
  lb_v4 c_w;     // the part of d/dt (G etad) that velocities bring
} lb_face_state;

// Rotation by polar decomposition, its derivative and bias:
//   w = Y^-1 b,  Y = tr(S) 1 - S,  S = R'A,  b = axial(R'Ad - Ad'R) (4) wd = Y^-1 (axial(Rd'Ad -
//   Ad'Rd) + (b from etadd) - Yd w),  Rd = R [w]                       (5)
// First x, R, G from eta, then w, xd, c_w from etad.
void lb_face_place(const lb_reduced* b, const lb_face* face, lb_face_state* s, const double* eta);
void lb_face_move(const lb_reduced* b, const lb_face* face, lb_face_state* s, const double* etad);
// Their parts that know no coordinates: R, S and Yinv from A; c_w from Ad and w.
void lb_face_turn(lb_face_state* s, lb_m3 A);
void lb_face_bias(lb_face_state* s, lb_m3 Ad);
