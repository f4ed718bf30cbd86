// A world to run step by step: a scene with its state and its stepper in one object. Made for
// control: read sensors, set motors, step.
//
//   lb_world* w = lb_world_open("arm.yaml", &err);
//   int elbow = lb_world_find(w, LB_PART_JOINT, "elbow"), motor = lb_world_find(w, LB_PART_MOTOR,
//   "elbow"); while (lb_world_time(w) < 5 && lb_world_status(w) == LB_OK) {
//     lb_world_set_motor(w, motor, -10 * lb_world_q(w, elbow)[0] - lb_world_qd(w, elbow)[0]);
//     lb_world_step(w, 1e-3);
//   }
//   lb_world_check(w, &err);
//   lb_world_close(w);
//
// Errors stick: after one, the world does nothing more until lb_world_check() was asked, so that
// calls need no checks of their own. One world a thread; different worlds do not know of each
// other.
#pragma once
#include "limber/collision.h"
#include "limber/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lb_world lb_world;

/// From a scene file, at its start. NULL when there is none; `err` (may be NULL) says why.
lb_world* lb_world_open(const char* path, lb_error* err);
/// From a scene in memory; `name` stands for the file in messages.
lb_world* lb_world_parse(const char* text, const char* name, lb_error* err);
/// From a scene that was made or changed by hand, which may be released afterwards.
lb_world* lb_world_create(const lb_scene* scene, const lb_allocator* allocator, lb_error* err);
/// NULL is ignored.
void lb_world_close(lb_world* world);

/// Status since the last lb_world_check(); LB_OK: no error.
lb_status lb_world_status(const lb_world* world);
/// lb_world_status, with the messages added to `err` (may be NULL). The world then goes on from its
/// last good state.
lb_status lb_world_check(lb_world* world, lb_error* err);

// --- names ---

/// Kinds of parts that have names.
typedef enum lb_part {
  LB_PART_BODY,
  LB_PART_JOINT, ///< joints that move, then joints that close loops
  LB_PART_MOTOR,
  LB_PART_POINT,      ///< the scene's `markers`
  LB_PART_CONSTRAINT, ///< prescribed points and frames, floors, couplings and limits
  LB_PART_COUNT
} lb_part;

/// Index by name, or -1, which is an error of the world.
int lb_world_find(lb_world* world, lb_part part, const char* name);
/// Number of parts, and their names; NULL: no name, or no such part.
int lb_world_count(const lb_world* world, lb_part part);
const char* lb_world_name(const lb_world* world, lb_part part, int index);

// --- inputs; they count from the next step on ---

/// Force or torque of a motor of force, which it exerts until this is called again. Of a prescribed
/// motion the position at the end of the coming step, where it stays: it gets there by a cubic
/// that ends with the velocity (position - last position) / h.
void lb_world_set_motor(lb_world* world, int motor, double value);
/// Sets a prescribed motion: the position and the velocity at the end of the coming step.
void lb_world_set_motion(lb_world* world, int motor, double position, double velocity);
/// Back to the scene's profile.
void lb_world_free_motor(lb_world* world, int motor);

/// A force on a point of a body during the coming step: [N] in the world's axes, the point in the
/// body's frame.
void lb_world_push(lb_world* world, int body, lb_vec3 force, lb_vec3 point);
/// A torque on a body during the coming step: [N m] in the world's axes.
void lb_world_twist(lb_world* world, int body, lb_vec3 torque);
/// Further generalised forces on a joint's coordinates, [joint's velocities], until this is called
/// again.
void lb_world_set_tau(lb_world* world, int joint, const double* tau);

/// Put a joint elsewhere: its coordinates and velocities; NULL: as they are. Loops may come open,
/// and close in the next step. What a motor prescribes goes back to where that has it.
void lb_world_place(lb_world* world, int joint, const double* q, const double* qd);

// --- time ---

/// Advance by h seconds; 0: by the scene's step. Returns lb_world_status().
lb_status lb_world_step(lb_world* world, double h);
/// Back to the start, with all motors on their profiles.
void lb_world_reset(lb_world* world);

/// The state between two steps as so many numbers: inputs, active constraints and the steppers'
/// past included. From a state on all steps are the same to the last bit, in this world and in
/// others of the same scene.
size_t lb_world_state_size(const lb_world* world);
void lb_world_save(lb_world* world, double* state);
void lb_world_restore(lb_world* world, const double* state);

// --- outputs; of indices that are out of range all are zero or NULL ---

/// Angular velocity, and that of a point, in the world's axes.
typedef struct lb_body_velocity {
  lb_vec3 angular; ///< [rad/s]
  lb_vec3 linear;  ///< [m/s]
} lb_body_velocity;

double lb_world_time(const lb_world* world);
/// A joint's coordinates and velocities (dynamics.h), which the next step changes. Of joints that
/// move.
const double* lb_world_q(lb_world* world, int joint);
const double* lb_world_qd(lb_world* world, int joint);
/// Pose of a body's frame.
lb_transform lb_world_pose(lb_world* world, int body);
lb_body_velocity lb_world_velocity(lb_world* world, int body);
/// Position of a named point.
lb_vec3 lb_world_point(lb_world* world, int point);

/// Force or torque that a motor exerts at this moment.
double lb_world_motor_force(lb_world* world, int motor);
/// Reaction: force and moment that a joint passes to the body it carries.
lb_reaction lb_world_reaction(lb_world* world, int joint);
/// Constraint force of a prescribed point or frame or a floor on its body, along the body's axes.
/// Of a coupling or a limit force.x is the Lagrange multiplier, and the rest is zero.
lb_reaction lb_world_constraint_force(lb_world* world, int constraint);

/// Number of velocities: columns of Jacobians.
int lb_world_nv(const lb_world* world);
/// J qd is the angular velocity of a body (three rows) and the velocity of a point of it (three),
/// in the world's axes. J is [6][nv] by rows; the point is in the body's frame. LB_INVALID in
/// worlds with every node of elastic bodies.
lb_status lb_world_jacobian(lb_world* world, int body, lb_vec3 point, double* J);

// --- contact, in scenes with `contacts`; of others there is nothing to find ---

/// Points where bodies touch, with the forces of the last step. Returns how many there are, and
/// writes at most `room` of them.
int lb_world_contacts(lb_world* world, lb_body_contact* out, int room);

/// Hit of a ray.
typedef struct lb_world_hit {
  int body;       ///< or LB_WORLD: scenery
  double t;       ///< hit at origin + t * direction
  lb_vec3 point;  ///< in the world
  lb_vec3 normal; ///< outward, unit
} lb_world_hit;

/// The first solid shape on a ray. False: there is none, and `hit` is unchanged.
bool lb_world_ray(lb_world* world, const lb_ray* ray, lb_world_hit* hit);
/// Closest points of the solid shapes of two bodies, or of scenery (LB_WORLD). Where they overlap
/// the distance is negative. Infinite: one of them has no solid shape.
lb_separation lb_world_distance(lb_world* world, int body_a, int body_b);
/// Whether they have a point in common.
bool lb_world_overlap(lb_world* world, int body_a, int body_b);

// --- all numbers at once ---

/// Arrays of a world, which stay where they are until it is closed. Outputs are those of the last
/// lb_world_read().
typedef struct lb_world_arrays {
  int nq, nv, nbody, njoint, nmotor, npoint;
  const double* q;                  ///< [nq] coordinates of all joints
  const double* qd;                 ///< [nv] and their velocities
  const lb_transform* pose;         ///< [nbody]
  const lb_body_velocity* velocity; ///< [nbody]
  const lb_vec3* point;             ///< [npoint] where the named points are
  const double* motor_force;        ///< [nmotor]
  const lb_reaction* reaction;      ///< [njoint] of joints, those that close loops included
  double* tau;                      ///< [lb_world_nv()] input: as lb_world_set_tau() sets it
} lb_world_arrays;

/// Groups of these; they may be added.
typedef enum lb_read {
  LB_READ_MOTION = 1, ///< q, qd, pose, velocity and point
  LB_READ_FORCES = 2  ///< motor_force and reaction
} lb_read;

/// The arrays, with groups of them brought up to date.
lb_world_arrays lb_world_read(lb_world* world, int what);

/// The model that is simulated and its state, for the rest of the library.
const lb_model* lb_world_model(const lb_world* world);
lb_data* lb_world_data(lb_world* world);

#ifdef __cplusplus
}
#endif
