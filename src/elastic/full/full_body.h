// An elastic body with all its nodes free: the same equations as in reduced.h, with the
// displacements u of the nodes for coordinates. Fields of vectors are [3 * nnode] by node, in the
// body's own axes. Only the held face's frame is taken out; whoever solves for u sees to that
// face's six conditions (condensed.h).
//
// With M the mass matrix of the nodes, x = X + u and the frame's motion w, al, a, all inertial
// forces are one product with M,
//
//   Q = M (a + al x x + w x (w x x) + 2 w x v + vd),   f = sum Q_i,   n = sum x_i x Q_i        (1)
//
// because positions are interpolated as displacements are.
#pragma once
#include "elastic/reduced/basis.h"
#include "elastic/reduced/reduced.h"

// A face that carries something: weights that add up to one, arms from its centroid, undeformed.
typedef struct lb_full_face {
  int count;
  int* node;
  double* weight;
  lb_v4* arm;
  lb_v4 x0;
  lb_m3 A0;   // sum w D D'
  bool rigid; // its nodes turn together
  // traces: directions that arms have, of a flat face two, and weights of the nodes in each
  int nspan;
  lb_v4 span[3];
  double* share; // [nspan][count]
} lb_full_face;

typedef struct lb_full {
  const lb_fem* fem;
  lb_basis_face held;
  int nface;
  lb_full_face* face; // [nface]
  double alpha, beta; // Rayleigh damping, the mesh's
  // what is shown of it: coordinates Phi'M u in a basis
  int shown;
  double* MPhi; // [shown][ndof]
} lb_full;

// Faces copied into `arena`; `fem` must outlive the body. `basis` is what is shown.
lb_status lb_full_create(lb_full* b, const lb_fem* fem, const lb_basis_face* held, int nface,
                         const lb_basis_face* face, const lb_basis* basis, lb_arena* arena);

// Outline for the tree: as many coordinates as there are displacements, mass and faces.
lb_status lb_full_outline(const lb_full* b, lb_arena* arena, lb_reduced* outline);

// The held face's six conditions as rows G [6][ndof], which are zero: sum w u = 0 and
// sum w D x u = 0, the weights scaled to one in all.
enum { LB_FULL_HELD = 6 };
void lb_full_conditions(const lb_full* b, double* G);

// Coordinate k of what is shown of a displacement or velocity.
double lb_full_shown(const lb_full* b, int k, const double* u);

// Traces of displacements or velocities, all that faces feel of them: of each face the mean sum w u
// and, for arms D = sum_a p_a s_a along the face's directions s_a, the means sum w p_a u, so that
// sum w u D' = sum_a (trace a) s_a'. z = F u, and u += s F'z.
int lb_full_traces(const lb_full* b);
void lb_full_trace(const lb_full* b, double* z, const double* u);
void lb_full_trace_back(const lb_full* b, double* u, double s, const double* z);

// (1); `field` is scratch [ndof].
void lb_full_inertia(const lb_full* b, lb_reduced_motion motion, const double* u, const double* v,
                     const double* vd, lb_v4* n, lb_v4* f, double* Q, double* field);

// Places x = X + u.
void lb_full_places(const lb_full* b, double* x, const double* u);
// int rho f and int rho f x' of a field f; `product` becomes M f.
void lb_full_moments(const lb_full* b, lb_v4* H, lb_m3* B, const double* f, const double* x,
                     double* product);

// First moment and inertia about the origin; `field` and `product` are scratch [ndof].
void lb_full_weigh(const lb_full* b, lb_v4* h, lb_m3* I, const double* u, double* field,
                   double* product);

// Internal and damping forces, taken off tau; `scratch` [2 * ndof].
void lb_full_add_forces(const lb_full* b, double* tau, const double* u, const double* v,
                        double* scratch);

// 1/2 int rho |a + w x x + v|^2 for a frame that moves with a and turns with w; scratch [ndof]
// each.
double lb_full_kinetic(const lb_full* b, lb_v4 a, lb_v4 w, const double* u, const double* v,
                       double* field, double* product);

// int rho (a + w x x + v) and int rho x x (a + w x x + v), likewise.
void lb_full_momentum(const lb_full* b, lb_v4 a, lb_v4 w, const double* u, const double* v,
                      lb_v4* linear, lb_v4* angular, double* field, double* product);

// A face's pose from u, then its motion from v, as lb_face_place and lb_face_move; G stays unused.
void lb_full_face_place(const lb_full_face* face, lb_face_state* s, const double* u);
void lb_full_face_move(const lb_full_face* face, lb_face_state* s, const double* v);
// Angular velocity in the face's axes and velocity of its centroid that belong to v:
//   w = Y^-1 sum w_i D_i x R'v_i,   xd = sum w_i v_i                                          (2)
void lb_full_face_rates(const lb_full_face* face, const lb_face_state* s, const double* v, lb_v4* w,
                        lb_v4* xd);
// The transpose of (2): f_i += w_i (R ((Y^-1 turn) x D_i) + push).
void lb_full_face_spread(const lb_full_face* face, const lb_face_state* s, double* f, lb_v4 turn,
                         lb_v4 push);
