// The derivative of an implicit step for a body with all its nodes (full_body.h): its own share of
// the step's matrix, factored, and seen from where the rest of a character is.
//
// The rest feels the nodes by the traces z = F u of the faces, on which it acts with F'y, and by
// the force (n, f) that the body exerts at its frame. The frame acts on the nodes by its motion:
// when its acceleration changes by (al, a), and that of each point by 2 ps x (its velocity)
// besides, nodes feel U (al, a, ps). So with A of the body alone, G the held face's conditions and
// m its reactions,
//
//   A dv + U g + F'y + G'm = b,   G dv = 0,   z = F dv,   d(n, f) = N dv
//   A = M/dt + alpha C + beta K' + dt (K + beta N') + 2 M [w] + dt M Z,   Z = [al] + [w][w] (1)
//
// with N' the derivative of K'(u) v. [w] and [al] make A unsymmetric. With S b the solution for b
// alone, c = F S F' and S0 = S - S F'c^-1 F S, which leaves the traces where they are,
//
//   dv = Psi z + S0 (b - U g),   Psi = S F'c^-1
//   y  = Phi'(b - U g) - c^-1 z,   Phi = S'F'c^-T                                     (2)
//   d(n, f) = N Psi z + N S0 (b - U g)
//
// and the body is as many numbers as faces have traces. The transposed system has A', with N' and
// U', Psi and Phi in each other's place.
//
// The traces z, their rates and accelerations are the coordinates of a body in a basis that stands
// for this one: its faces move with z as those of this one with u, and it has no mass along them.
// Two coordinates beyond, which rest at zero with rate and acceleration one, carry v and vd: they
// bring the moments that nodes which move have. So the recursions and their derivatives
// (dynamics/derivative/dynamics_derivative.h) see the mass of this body as it is.
#pragma once
#include "elastic/full/full_body.h"
#include "math/linear/blocks_general.h"

enum { LB_FULL_FRAME = 9, LB_FULL_WRENCH = 6, LB_FULL_CARRIERS = 2 };

typedef struct lb_full_derivative {
  const lb_full* b;
  int n, nz;       // displacements, traces
  lb_reduced body; // reduced body in its place, nz + LB_FULL_CARRIERS coordinates
  // where it is and how it moves
  double *u, *v;  // [n]
  double *x, *xd; // [n] places, and velocities in space, in the body's axes
  double* Q;      // [n] inertial forces
  lb_v4 w;
  lb_m3 Z;
  // A, stiffened by G'k G, which changes nothing where G dv = 0
  lb_sparse K;
  lb_blocks pattern;
  lb_blocks_general A;
  lb_block_place* place;                 // [entries of the pattern of nodes]
  lb_block_place* held;                  // [pairs of the held face's nodes]
  double* G;                             // [6][n] orthonormal
  double* Y[2];                          // [6][n] A^-1 G' and A'^-1 G'
  double C[LB_FULL_HELD * LB_FULL_HELD]; // G A^-1 G', factored
  int order[LB_FULL_HELD];
  // (2)
  double *U, *N;               // [9][n], [6][n]
  double* shape[2];            // [nz][n] Psi, Phi
  double* loose[2];            // [9][n] S0 U, [6][n] S0'N'
  double* stiffness;           // [nz][nz] c^-1, by rows
  double* by_frame;            // [nz][9] Phi'U
  double* by_trace;            // [6][nz] N Psi
  double* through;             // [6][9] N S0 U
  double* kept;                // [n] S0 b
  double *field, *product, *c; // [n], [n], [nz][nz] scratch
  int* pivot;                  // [nz]
  double* sorted;              // [most columns][n] scratch
} lb_full_derivative;

// Coordinates of the body that stands for it.
int lb_full_derivative_size(const lb_full* b);
lb_status lb_full_derivative_create(lb_full_derivative* T, const lb_full* b, lb_arena* arena);

// At displacements u, velocities v and accelerations vd: the moments of `body`.
void lb_full_derivative_pose(lb_full_derivative* T, const double* u, const double* v,
                             const double* vd);
// Motion of the frame at that place, its origin moving with `origin`, with its inertial forces Q,
// for products.
void lb_full_derivative_move(lb_full_derivative* T, lb_reduced_motion motion, lb_v4 origin,
                             const double* Q);
// (1) and (2); false: they are singular.
bool lb_full_derivative_factor(lb_full_derivative* T, double dt);

// Take the held face's reactions out of b: they change nothing of what is solved for, and are
// large.
void lb_full_derivative_release_held(const lb_full_derivative* T, double* b);

// Before the rest is solved for: z [nz] = Phi'b and g [6] = N S0 b; transposed, z = Psi'b and
// g [9] = U'S0'b. Afterwards b = Psi z + S0 (b - U g), with g [9]; transposed
// Phi z + S0'(b - N'g), with g [6].
void lb_full_derivative_before(lb_full_derivative* T, bool transposed, const double* b, double* z,
                               double* g);
void lb_full_derivative_after(const lb_full_derivative* T, bool transposed, double* b,
                              const double* z, const double* g);

// y += s times the change of the body's own forces by changes q, v, a of u, v, vd; and that of
// (n, f) in `wrench`. The transpose: by mu on the nodes and `wrench` on (n, f).
void lb_full_derivative_add(lb_full_derivative* T, double* y, double s, const double* q,
                            const double* v, const double* a, double wrench[LB_FULL_WRENCH]);
void lb_full_derivative_add_back(lb_full_derivative* T, double* q, double* v, double* a, double s,
                                 const double* mu, const double wrench[LB_FULL_WRENCH]);
// y += s U g, and g = U'y.
void lb_full_derivative_shake(lb_full_derivative* T, double* y, double s,
                              const double g[LB_FULL_FRAME]);
void lb_full_derivative_shake_back(lb_full_derivative* T, double g[LB_FULL_FRAME], const double* y);
