// Derivatives of what a tree of rigid links needs to move (limber/derivative.h) as products, and
// Newton's exact matrix of an implicit step, factored: both in time linear in the links, where the
// matrices themselves would take its square and their factors its cube. For trees whose forces act
// on joints' own coordinates, each joint by itself.
//
// With K, C and M the derivatives by coordinates, velocities and accelerations, and the step's
// dq = Q dv (solve/step/step_derivative.h),
//
//   (1)  W = M/dt + C + K Q
//
// From (4)-(7) of dynamics_derivative.h, the entries of W for coordinates i and k, where i is
// further out than k or of the same joint, are
//
//   (2)  W_ik = S_i.(I_i X_k + 2 B_i Y_k + N_i R_k)         X = S/dt + sig + chi Q,  Y = S + psi Q
//   (3)  W_ki = S_k.(I_i X_i + 2 B_i Y_i + N_i R_i + P_i)   R = S Q,  P = (S x* F) Q
//
// where N turns into the forces that stay in the world's axes while their links turn (loads), and
// what joints have on their own coordinates comes to the blocks of W's diagonal. Since I, B and N
// of all that hangs on a link are sums over links, b = W x is found by going out and in again: with
// Z = (X, Y, R), z a link's change (of its acceleration, of turning and of its rotation: six, three
// and three numbers) and f the change of force through its joint,
//
//   (4)  z = z_parent + Z x,   f = (I, 2 B, N) z + sum over children (f + P x),   b = S.f + block x
//
// with the link's own I, B and N. That is solved as the articulated-body algorithm solves the
// equations of motion. When all beyond a joint is solved for, f = A z + p with a 6 x 12 matrix A,
// and with D = S'A Z + block
//
//   (5)  x = D^-1 (b - S'(A z_parent + p))
//   (6)  A_parent += A - U D^-1 V',   U = A Z + P,   V = A'S
//   (7)  p_parent += p + U D^-1 (b - S'p)
//
// which is W = L R without exchanges of rows: D are the blocks of the pivots. For W that is nearly
// M/dt they are nearly those of a positive definite matrix. Where they are not, rounding grows; so
// what is found is put into W x = b, and corrected by what is left.
#pragma once
#include "base/arena.h"
#include "dynamics/derivative/dynamics_derivative.h"

typedef struct lb_tree_slopes lb_tree_slopes;

// Can they be had of a model?
bool lb_tree_slopes_serve(const lb_model* m);

// NULL when there is no memory.
lb_tree_slopes* lb_tree_slopes_create(const lb_model* m, lb_arena* arena);

// At d's q, qd and qdd, with forces on links (LB_LINK_FORCES). Of D
// the vectors are set and the matrices left alone.
void lb_tree_slopes_take(lb_tree_slopes* T, lb_derivatives* D, lb_data* d);

// y += s (K q + C v + M a), and the transpose: q, v, a += s (K, C, M)'mu. [nv] each.
void lb_tree_slopes_add(lb_tree_slopes* T, double* y, double s, const double* q, const double* v,
                        const double* a);
void lb_tree_slopes_add_back(lb_tree_slopes* T, double* q, double* v, double* a, double s,
                             const double* mu);

// Factor (1) for a step that ends with the velocities qd; coordinates under position motors are
// held. false: a pivot is singular.
bool lb_tree_slopes_factor(lb_tree_slopes* T, const double* qd, double dt);

// b = W^-1 b, or W'^-1 b, zero for coordinates that are held. false: it is not exact, since pivots
// are too small; b is as it was.
bool lb_tree_slopes_solve(lb_tree_slopes* T, bool transposed, double* b);

// W by rows [nv][nv], a row and column of the identity for coordinates that are held.
void lb_tree_slopes_matrix(lb_tree_slopes* T, double* W);
