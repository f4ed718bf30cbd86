// The mechanical system of a model: what it does under its forces, and what forces a motion needs.
// One lb_data a thread. Nothing here allocates but lb_data_create().
//
// Coordinates: a hinge's angle, a slide's distance, a universal joint's two angles, a ball's unit
// quaternion, a free body's position then quaternion. Velocities: rates; angular velocity in the
// link's frame; angular then linear velocity in the link's frame.
#pragma once
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A motor's command, in place of its scene's profile. A motor of force exerts to[0]. A prescribed
/// motion runs from `from` to `to` on a cubic Hermite spline, whose mean acceleration is the one
/// that counts: what it hands to its bodies over a step is then the change of its velocity,
/// whenever in the step an integrator asks. It stays at `from` before and at `to` after.
typedef struct lb_command {
  bool set;          ///< false: as the profile says
  double start, end; ///< the step that it is for [s]
  double from[2];    ///< position and velocity at its start; of forces nothing
  double to[2];      ///< at its end
} lb_command;

/// An external force: as a load of a scene that keeps its direction in the world.
typedef struct lb_external_force {
  lb_anchor at;   ///< lb_model_anchor_of() makes it
  lb_vec3 force;  ///< [N] in the world, on the anchor's origin
  lb_vec3 torque; ///< [N m] in the world
} lb_external_force;

/// State and results for one model. Read what you like; write only what is marked as input.
typedef struct lb_data {
  const lb_model* model;
  double time; ///< input [s]
  double* q;   ///< [nq] input
  double* qd;  ///< [nv] input
  double* x;   ///< [nx] input: activation (0 to 1) and fibre length [m] of each Hill-type muscle;
               ///< NAN: in equilibrium with its excitation, which is found at the first use
  double* tau; ///< [nv] input: further generalised forces, zero unless a caller sets them
  const lb_command* command; ///< [nmotor, then those inside of mechanisms] input: the caller's
                             ///< array; NULL: all as profiles say
  const lb_external_force* external; ///< [nexternal] input: the caller's array
  int nexternal;                     ///< input
  double* qdd;                       ///< [nv] by lb_forward
  double* motor_force;               ///< [nmotor, then those inside of mechanisms] by lb_forward
  double* coupling_force;            ///< [ncoupling] multipliers, by lb_forward
  lb_transform* pose;                ///< [nbody] in the world, by lb_poses
  int threads;                       ///< input: how many threads independent trees may use
  struct lb_work* work;              ///< recursions' scratch
} lb_data;

/// A state at the model's start.
lb_status lb_data_create(const lb_model* model, const lb_allocator* allocator, lb_data** data,
                         lb_error* err);
void lb_data_release(lb_data* data);
/// Back to the model's start.
void lb_data_reset(lb_data* data);

/// Accelerations under all forces, motors included: sets qdd and motor_force from time, q, qd and
/// tau. Coordinates under a position motor are first put where its profile says.
void lb_forward(const lb_model* model, lb_data* data);

/// Put the coordinates under position motors, and their rates and accelerations, where the profiles
/// say.
void lb_drive(const lb_model* model, lb_data* data);

/// Make the state a valid one: motors' coordinates where their profiles say at this time,
/// quaternions of unit length, loops closed in place and speed with the least motion. Steppers call
/// it after each step. Returns the widest gap that could not be closed, in metres or radians:
/// rounding, unless something is out of reach.
double lb_project(const lb_model* model, lb_data* data);

/// The worst gap in a constraint, in metres or radians, or of one that asks for a rate, how far
/// that is off, in these per second; 0 without any. `which` (may be NULL) is set to the
/// number of the constraint.
double lb_constraint_gap(const lb_model* model, lb_data* data, int* which);

/// World poses of all bodies from q: sets pose.
void lb_poses(const lb_model* model, lb_data* data);

/// Joint reactions, right after lb_forward: of the njoint that move, then of the npair constraints
/// of frames; joints hold whatever their springs and motors exert, too. A motor that prescribes the
/// rotation of a joint counts with the joint, and has a place of its own as well.
void lb_reactions(const lb_model* model, lb_data* data, lb_reaction* out);

/// Articulated-body algorithm: qdd = M(q)^-1 (tau - c(q, qd)), gravity included, springs and loads
/// not.
void lb_aba(const lb_model* model, lb_data* data, double* qdd, const double* q, const double* qd,
            const double* tau);

/// Recursive Newton-Euler algorithm: tau = M(q) qdd + c(q, qd), gravity included.
void lb_rnea(const lb_model* model, lb_data* data, double* tau, const double* q, const double* qd,
             const double* qdd);

/// Composite-rigid-body algorithm: the mass matrix, symmetric, all of it filled; ndense x ndense,
/// which is nv x nv where there are no nodes. (Free particles have their masses and nothing else.)
void lb_crba(const lb_model* model, lb_data* data, double* M, const double* q);

/// Channels: what forces and motors do at a moment, number by number. Code, plot that it belongs
/// to, and unit.
#define LB_CHANNEL_LIST(X)                                                                         \
  X(LB_CHANNEL_MOTOR_TORQUE, "torque", "N m")                                                      \
  X(LB_CHANNEL_MOTOR_FORCE, "force", "N")                                                          \
  X(LB_CHANNEL_MOTOR_SPIN, "spin", "rad/s")                                                        \
  X(LB_CHANNEL_MOTOR_SPEED, "speed", "m/s")                                                        \
  X(LB_CHANNEL_POWER, "power", "W")                                                                \
  X(LB_CHANNEL_TENSION, "tension", "N")                                                            \
  X(LB_CHANNEL_LENGTH, "length", "m")                                                              \
  X(LB_CHANNEL_CONTACT, "contact", "N")                                                            \
  X(LB_CHANNEL_JOINT_TORQUE, "resistance", "N m")                                                  \
  X(LB_CHANNEL_JOINT_FORCE, "push", "N")                                                           \
  X(LB_CHANNEL_STRESS, "stress", "Pa")                                                             \
  X(LB_CHANNEL_ACTIVATION, "activation", "1")

typedef enum lb_channel_kind {
#define LB_CHANNEL_CODE(code, group, unit) code,
  LB_CHANNEL_LIST(LB_CHANNEL_CODE)
#undef LB_CHANNEL_CODE
      LB_CHANNEL_COUNT
} lb_channel_kind;

/// A column of forces.csv, NAME.what.
typedef struct lb_channel {
  const char* name; ///< of the motor, spring, cable, ground, joint or constraint, in the model
  char what[72];    ///< "force", "length", "fx", "foot.fx"
  lb_channel_kind kind;
  int body; ///< that this and the next two are a force on, in the world's axes; else -1
} lb_channel;

/// Channels of a model, and their values right after lb_forward; returns how many there are. NULL:
/// names, or values, are not wanted; without values `data` may be NULL.
int lb_channels(const lb_model* model, lb_data* data, lb_channel* channel, double* value);

/// Points where bodies touch, of the last step; returns how many there are, and writes at most
/// `room` of them. Points that are near and bear nothing do not count.
int lb_body_contacts(const lb_data* data, lb_body_contact* out, int room);

/// Largest compression of an elastic body.
typedef struct lb_squeeze {
  int body;      ///< -1: no body is elastic
  double volume; ///< det F: not positive means inverted
  lb_vec3 at;    ///< its reference position, in the body's frame
} lb_squeeze;

/// Smallest det F of all elastic bodies, at the points where their forces are computed.
lb_squeeze lb_least_volume(const lb_model* model, const lb_data* data);

/// Energy [J]; the potential one is zero for a mass at the world's origin and a relaxed spring.
double lb_kinetic_energy(const lb_model* model, lb_data* data);
double lb_potential_energy(const lb_model* model, lb_data* data);

/// Momentum of all the mass, about the world's origin. The sums of sizes, link by link, say how
/// much the links exchange: what a change of the total is to be compared with.
typedef struct lb_momenta {
  lb_vec3 linear;     ///< [kg m/s]
  lb_vec3 angular;    ///< [kg m^2/s]
  double linear_sum;  ///< sum over links of |linear|
  double angular_sum; ///< sum over links of |angular|
} lb_momenta;
lb_momenta lb_momentum(const lb_model* model, lb_data* data);

#ifdef __cplusplus
}
#endif
