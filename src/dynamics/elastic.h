// Elastic bodies in the recursions: the body is a link fixed to what carries it, with the
// coordinates eta of its basis; each of its faces is a link that those coordinates move.
#pragma once
#include "base/carve.h"
#include "elastic/reduced.h"
#include "limber/dynamics.h"

// What moves of a body or of one of its faces.
typedef struct lb_elastic {
  const lb_reduced* body;
  const lb_face* face;         // NULL: this is the body
  const struct lb_state* base; // of a face: its body's state
  const double* eta;
  const double* etad;
  const double* etadd;
  lb_reduced_state state; // of a body
  double* Q;              // [r] of a body: inertial force on its coordinates
  lb_face_state at;       // of a face
} lb_elastic;

// Their share of a data block, tied to the states.
void lb_elastic_lay_out(lb_carver* c, const lb_model* m, struct lb_work* w);

// Mass matrix of a model with elastic bodies; lb_crba calls it.
void lb_elastic_mass_matrix(const lb_model* m, lb_data* d, double* M, const double* q);

// Accelerations by factoring the mass matrix, for models whose trees hold elastic bodies; the
// work's tau and external forces are in place, accelerations of driven coordinates in qdd.
void lb_elastic_solve(const lb_model* m, lb_data* d, double* qdd, const double* tau);

// M^-1 (tau - c) for such models; lb_aba calls it.
void lb_elastic_accelerations(const lb_model* m, lb_data* d, double* qdd, const double* q,
                              const double* qd, const double* tau);

// Potential energy of gravity that the bodies' own masses have.
double lb_elastic_gravity(const lb_model* m, const struct lb_work* w);
// Kinetic energy of the bodies' own masses; kinematics and velocities of the origins are in place.
double lb_elastic_kinetic(const lb_model* m, const struct lb_work* w);
