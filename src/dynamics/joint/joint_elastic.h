// Elastic bodies in the recursions: the body is a link fixed to what carries it, with the
// coordinates eta of its basis; each of its faces is a link that those coordinates move.
#pragma once
#include "base/carve.h"
#include "dynamics/tree/state.h"
#include "elastic/reduced/curved.h"
#include "limber/dynamics.h"

// State of an elastic body or of one of its faces.
typedef struct lb_elastic {
  const lb_reduced* body;      // linear in eta: of a curved one that at its state
  const lb_face* face;         // NULL: this is the body
  const struct lb_state* base; // of a face: its body's state
  const double* eta;
  const double* etad;
  const double* etadd;
  lb_reduced_state state;       // of a body
  double* Q;                    // [r] of a body: inertial force on its coordinates
  double* field;                // [r] of a body with all its nodes: scratch
  lb_face_state at;             // of a face
  lb_v4 *dw, *dwd;              // [r] of a face: scratch for derivatives
  struct lb_effector* effector; // of an effector of a mechanism
  lb_curved_state* curved;      // of a curved body, or NULL
} lb_elastic;

// Their share of a data block, tied to the states.
void lb_elastic_lay_out(lb_carver* c, const lb_model* m, struct lb_work* w);

// State of an effector of r coordinates (joint_effector.c).
struct lb_effector* lb_effector_lay_out(lb_carver* c, const lb_reduced* body);

// Mass matrix of a model with elastic bodies; lb_crba calls it.
void lb_elastic_mass_matrix(const lb_model* m, lb_data* d, double* M, const double* q);

// Accelerations by factoring the mass matrix, for models whose trees hold elastic bodies; the
// work's tau and external forces are in place, accelerations of driven coordinates in qdd.
void lb_elastic_solve(const lb_model* m, lb_data* d, double* qdd, const double* tau);

// M^-1 (tau - c) for such models; lb_aba calls it.
void lb_elastic_accelerations(const lb_model* m, lb_data* d, double* qdd, const double* q,
                              const double* qd, const double* tau);

// Forces of the position motors for the accelerations in d's qdd and the loops' multipliers, of a
// model with elastic bodies.
void lb_react(const lb_model* m, lb_data* d, const double* lambda);

// Potential energy of gravity that the bodies' own masses have.
double lb_elastic_gravity(const lb_model* m, const struct lb_work* w);
// Kinetic energy of the bodies' own masses; kinematics and velocities of the origins are in place.
double lb_elastic_kinetic(const lb_model* m, const struct lb_work* w);
// Momentum of a body's own mass, about its origin, added.
void lb_elastic_momentum(const struct lb_state* s, lb_v4* linear, lb_v4* angular);

// Links of bodies in a basis and with all their nodes: fixed to their carrier, moving nothing of
// their own frame.
void lb_elastic_move(lb_state* s, const lb_state* p, const double* qd);
void lb_elastic_accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd);
void lb_elastic_project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f);
void lb_elastic_columns(lb_v4* S, const lb_state* s);
// A face's link from its lb_face_state.
void lb_face_link_place(lb_state* s);
void lb_face_link_move(lb_state* s, const lb_state* p);
void lb_face_link_move_origin(lb_state* s, const lb_state* p, const double* qd);

// First moment and inertia of a body with all its nodes, and its kinetic energy.
void lb_full_state_weigh(lb_state* s);
double lb_full_state_kinetic(const lb_state* s);
