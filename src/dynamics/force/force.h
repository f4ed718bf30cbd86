// Forces of the system: a table of kinds, each applied to all its members. Kinematics and, for
// kinds that ask for it, velocities of the origins are in place when they are called.
#pragma once
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_kind.h"

typedef struct lb_force {
  const char* name;
  // Number of members; kinds without any are skipped.
  int (*count)(const lb_model* m);
  // Add the forces to the links' external forces and to the generalised ones.
  void (*apply)(const lb_model* m, lb_data* d);
  // Stored energy; NULL: the kind stores none.
  double (*energy)(const lb_model* m, lb_data* d);
  // Add to D's tau_q and tau_qd, after lb_derive, what the motion needs beyond them: external
  // forces less their turning along with the links (dynamics_derivative.h), generalised ones whole;
  // or the symmetric stiffness and damping alone that linearly implicit steps take of forces that
  // are `stiff`. NULL: they depend on time alone.
  void (*differentiate)(lb_derivatives* D, lb_data* d, bool symmetric);
  // Switching functions, at kinematics of d's state: how many there are, and their values unless
  // `out` is NULL, when d may be, too. NULL: the forces are smooth.
  int (*switching)(const lb_model* m, lb_data* d, lb_switching* out);
  // Put the channels of its members; NULL: there are none.
  void (*measure)(lb_channel_walk* w);
  bool on_links;    // some of them act on links, not on coordinates alone
  bool stiff;       // implicit steps count its stiffness and damping
  bool on_joints;   // along coordinates of joints, those of loops among them
  bool on_diagonal; // and each coordinate's by itself, but for those of balls and free joints
  bool in_tree;     // the derivatives of trees (tree_derivative.c) have a way of their own for it
  bool internal;    // of elastic bodies
} lb_force;

extern const lb_force lb_force_joint, lb_force_points, lb_force_drag, lb_force_load, lb_force_motor,
    lb_force_elastic, lb_force_loop, lb_force_friction, lb_force_limit, lb_force_free_rotor,
    lb_force_particles, lb_force_compliant, lb_force_contact, lb_force_servo, lb_force_inner_motor,
    lb_force_muscle, lb_force_external;

// All of them: sets the external forces and tau of the work space. The potential energy they hold.
void lb_forces_apply(const lb_model* m, lb_data* d);
// d's work space at its q and qd, with the stages asked for besides LB_POSED.
void lb_update(const lb_model* m, lb_data* d, int stages);
// Forces on links alone, for derivatives.
void lb_forces_apply_to_links(const lb_model* m, lb_data* d);
// Channels of all of them.
void lb_forces_measure(lb_channel_walk* w);
double lb_forces_energy(const lb_model* m, lb_data* d);
// Derivatives of all forces, after lb_derive; of all but the internal forces of elastic bodies,
// which are expensive and have products of their own (elastic/reduced/reduced_derivative.h).
void lb_forces_differentiate(lb_derivatives* D, lb_data* d);
void lb_forces_differentiate_outer(lb_derivatives* D, lb_data* d);
// Stiffness and damping, in place of tau_q and tau_qd of the motion, after lb_derive.
void lb_forces_stiffen(lb_derivatives* D, lb_data* d);
// Switching functions of all of them and of the joints' charts, as lb_force's.
int lb_switching_find(const lb_model* m, lb_data* d, lb_switching* out);
// Nothing is stiff but coordinates of joints, each by itself, and all links are rigid: the matrix
// of an implicit step is the mass matrix with more on its diagonal (tree_system.h).
bool lb_forces_are_diagonal(const lb_model* m);
// lb_forces_are_diagonal, friction, limits and constraints aside: for the KKT system (kkt.h).
bool lb_forces_are_on_joints(const lb_model* m);
// Nothing depends on the state but springs and dampers of joints, and the arms of loads.
bool lb_forces_change_by_joints(const lb_model* m);

// The slopes of joints' springs, [nv], where each pulls a coordinate by itself.
void lb_joint_springs_slopes(const lb_model* m, const double* q, double* slope);
// Block-diagonal dtau/dq of joint springs, added to K [nv][LB_JOINT_MOST_V].
void lb_joint_springs_blocks(const lb_model* m, const double* q, double* K);

// Newton's matrix W [nv][nv] of an implicit step, part of springs, dampers, friction and limits of
// joints: W += -dtau/dqd - dt dtau/dq.
void lb_resistance_stiffen(const lb_model* m, const lb_data* d, double* W, double dt);
// True where each of them resists one coordinate by itself; then stiffness and damping [nv].
bool lb_resistance_is_diagonal(const lb_model* m);
void lb_resistance_diagonals(const lb_model* m, const lb_data* d, double* K, double* C);
