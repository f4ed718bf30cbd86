// Ties of an elastic body's nodes: faces that a joint glues or bolts to something stiff (kinematic
// couplings). Without them a joint holds the six means of a face only (a distributing coupling),
// and the face may warp and widen.
//
// A clamped face keeps u = 0. A plane one keeps to an affine map of itself: it does not warp, its
// sides stay straight, at any rotation. With fields f_a (none; 1 and the arms) that are orthonormal
// under the nodes' stiffnesses s_i, far above those of the elements around, a tie has the energy
//
//   E = 1/2 sum_i s_i |d_i|^2,   d_i = u_i - sum_a f_ai z_a,   z_a = sum_i s_i f_ai u_i      (1)
//
// which is quadratic at any displacement, with forces s_i d_i and a stiffness that couples all of
// the face's nodes. Bases and bodies with all their nodes obey it alike.
#pragma once
#include <stdbool.h>

#include "limber/math.h"
#include "math/linear/sparse.h"

enum { LB_TIE_FIELDS = 4 };

typedef struct lb_tie {
  bool clamped; // or plane
  int count;
  const int* node; // [count]
  // made by lb_tie_make()
  int nfield;
  double* field;     // [nfield][count]
  double* stiffness; // [count] s_i [N/m]
} lb_tie;

// Pairs of nodes that it couples, beyond neighbours; how many at most.
int lb_tie_pairs(const lb_tie* t, lb_sparse_pair* pair);
size_t lb_tie_most_pairs(const lb_tie* t);

// A tie of its own in `arena`, for nodes at x [nnode] and the stiffness matrix K at u = 0.
lb_status lb_tie_make(lb_tie* t, const lb_tie* from, const lb_vec3* x, const lb_sparse* K,
                      lb_arena* arena);

// A matrix of nodes: T += its stiffness. Forces: y += factor T u. And (1).
void lb_tie_add_stiffness(const lb_tie* t, lb_sparse* T);
void lb_tie_add_force(const lb_tie* t, double factor, double* y, const double* u);
double lb_tie_energy(const lb_tie* t, const double* u);
