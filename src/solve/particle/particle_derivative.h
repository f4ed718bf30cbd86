// The derivative of an implicit step for ropes and deformables beside a tree (step_derivative.h):
// the system of particle_matrix.h with nothing left out. Damping changes with places, too, and
// fastened nodes move by J and by its change,
//
//   dx = J dq,   dxd = J dv + G dq,   G = d(J v)/dq
//
// so that with K and C minus the derivatives of the nodes' forces by places and velocities, and Q =
// dq/dv of the step,
//
//   ( A  B ) (x)   (r_x)      A = M/dt + C + dt K over free particles, not symmetric
//   ( D  W ) (t) = (r_t)      B = K J Q + C (J + G Q),   D = J'(C + dt K)
//
// and with A = L U, Y = L^-1 B, Z = U'^-1 D' the tree is left with W - Z'Y.
#pragma once
#include "dynamics/force/particles.h"
#include "math/linear/blocks_general.h"
#include "solve/particle/particle_matrix.h"

typedef struct lb_particle_derivative {
  const lb_model* tree; // without particles
  lb_particle_matrix N; // the pattern, chains and J; B, then Y
  lb_blocks_general A;
  double** G; // [nnode] of fastened ones: [3][count of the chain], as J is
  double** P; // [nnode] J Q
  double** R; // [nnode] J + G Q
  double* Z;  // [3 * nfree][nd] D' in the order of elimination, then Z
  lb_particles at;
  double* zd;               // [3 * nnode]
  double *row, *rate, *out; // [nd] scratch
} lb_particle_derivative;

lb_status lb_particle_derivative_create(lb_particle_derivative* T, const lb_model* m,
                                        lb_arena* arena);

// At d's state, whose links lb_derive has gone through and whose forces are applied. Adds to D what
// it leaves out of forces on fastened nodes that stay as they are.
void lb_particle_derivative_take(lb_particle_derivative* T, lb_derivatives* D, lb_data* d);

// For a step of dt that ends there: add to the tree's W [nd][nd] and eliminate the nodes.
// Rows and columns of driven coordinates stay as they are. false: A is singular.
bool lb_particle_derivative_factor(lb_particle_derivative* T, const lb_data* d, double dt,
                                   double* W);

// Before and after the tree's part of b [nv] is solved for, or that of the transposed system.
void lb_particle_derivative_before(lb_particle_derivative* T, bool transposed, double* b);
void lb_particle_derivative_after(lb_particle_derivative* T, bool transposed, double* b);

// y += s (K dq + C dv), masses left out, driven coordinates as well; and the transpose: q += s K'mu
// and v += s C'mu. [nv] each.
void lb_particle_derivative_add(lb_particle_derivative* T, double* y, double s, const double* q,
                                const double* v);
void lb_particle_derivative_add_back(lb_particle_derivative* T, double* q, double* v, double s,
                                     const double* mu);
// z of all nodes by velocities v of all coordinates, [3 * nnode], until T is used again.
const double* lb_particle_derivative_spread(lb_particle_derivative* T, const double* v);
