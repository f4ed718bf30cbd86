// Ropes and deformables: point masses that move by themselves or with a link, and the forces
// between them. [red] 4.6.3: the free particles' places in the world are coordinates beside those
// of the joints; a node fastened to a link moves with it,
//
//   xd = v + w x arm = J qd,   forces f there act as J'f
//
// and its mass is part of the link's (model/build/build_particles.c). A segment of rest length L
// and stiffness EA between x0 and x1, l = |x1 - x0|, n = (x1 - x0)/l, pulls with
//
//   f = EA (l/L - 1 + beta ld/L),   df/dx = EA (n n'/L + (1/L - 1/l)(1 - n n'))
//
// along n on x0. A deformable is lb_fem with u = x - X, whose material models do not mind
// rotations, and is damped by elastic/fem/viscous.h.
#pragma once
#include "base/carve.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/tree/state.h"
#include "limber/derivative.h"
#include "math/linear/sparse.h"

typedef struct lb_particles {
  double *x, *xd; // [3 * nnode] places and velocities in the world
  double* f;      // [3 * nnode] forces
  double* u;      // [3 * most nodes of deformables] displacements
  double* g;      // forces, laid out likewise
} lb_particles;

// Their share of a data block; NULL when there are none or the carver only measures.
lb_particles* lb_particles_lay_out(lb_carver* c, const lb_model* m);

// Places and velocities of all nodes at q and qd; kinematics of the links are in place.
void lb_particles_move(const lb_model* m, lb_data* d, const double* q, const double* qd);

// The forces f that act on all nodes at x and xd, their weight left out.
void lb_particles_pull(const lb_model* m, const lb_particles* particles);

// Forces of deformables, added.
void lb_particles_pull_deformable(const lb_particles* particles,
                                  const lb_model_deformable* deformable);

// Weight of free particles, added to tau; and their accelerations.
void lb_particles_add_weight(const lb_model* m, double* tau);
void lb_particles_accelerate(const lb_model* m, double* qdd, const double* tau);

// Potential energy of the free particles; fastened ones are part of the links.
double lb_particles_gravity(const lb_model* m, const double* q);
void lb_particles_add_momentum(const lb_model* m, const lb_data* d, lb_v4* linear, lb_v4* angular,
                               lb_momenta* sum);

// A segment as it is: its direction, stiffness along and across it, and damping along it.
typedef struct lb_segment_state {
  lb_v4 n;
  double along, across, damping;
  double tension;
  double length;           // zero of one that is slack
  lb_v4 relative_velocity; // the second end's velocity as seen from the first
} lb_segment_state;
lb_segment_state lb_segment_look(const lb_model_segment* s, const double* x, const double* xd);

// Derivatives of the force T n that pulls its ends together, by relative position and by relative
// velocity, all of it or its symmetric part.
typedef struct lb_segment_slope {
  lb_m3 place, velocity;
} lb_segment_slope;
lb_segment_slope lb_segment_differentiate(const lb_model_segment* s, const double* x,
                                          const double* xd, bool symmetric);

// Derivative of its tension by one of its numbers.
double lb_segment_by_number(const lb_model_segment* s, const double* x, const double* xd,
                            lb_spring_number number);

// y = (s K + c C) z at the places that lb_particles_move found: minus the change of the forces
// along changes z of all nodes' places, and of their velocities, but for how damping changes with
// places; drag belongs to C. y, z [3 * nnode].
void lb_particles_linearised(const lb_model* m, const lb_particles* particles, double* y, double s,
                             double c, const double* z);

// All of it, at the nodes' x and xd: y = minus the change of the forces along changes z of places
// and zd of velocities; and the transpose, z and zd from y. [3 * nnode] each; writes over u and g.
void lb_particles_change(const lb_model* m, const lb_particles* particles, double* y,
                         const double* z, const double* zd);
void lb_particles_change_back(const lb_model* m, const lb_particles* particles, double* z,
                              double* zd, const double* y);

// Displacements of deformables, into u.
void lb_particles_displace(const lb_particles* particles, const lb_model_deformable* deformable);

// Add to tau_q what lb_derive leaves out: forces on fastened nodes do not turn with their links.
// After lb_forces_apply; what the forces themselves change is not in it.
void lb_particles_differentiate_turning(lb_derivatives* D, lb_data* d, const lb_model* m);
