// What a scene asks searches for: markers to fit to, bodies to track, numbers to change and goals
// to reach. Part of limber/scene.h.
#pragma once
#include "limber/math.h"
#include "limber/profile.h"
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point whose motion was measured.
typedef struct lb_scene_marker {
  const char* name; ///< as the columns NAME.x, NAME.y and NAME.z of a table call it
  lb_place place;
  int body;
  bool has_at;
  /// In the body's frame. On an elastic body it moves with the nearest point of the surface; one
  /// without `at` is the body's frame, which moves with the face that is held.
  lb_vec3 at;
  double weight; ///< of the square of its distance, in inverse kinematics
  bool fixed;    ///< placing of markers leaves it where it is
} lb_scene_marker;

/// code, name in scene files
#define LB_FIT_DAMPING_LIST(X)                                                                     \
  X(LB_FIT_TOGETHER, "together") /* both in the proportion they have */                            \
  X(LB_FIT_MASS, "mass")                                                                           \
  X(LB_FIT_STIFFNESS, "stiffness")                                                                 \
  X(LB_FIT_BOTH, "both") /* each on its own */                                                     \
  X(LB_FIT_NONE, "none")

typedef enum lb_fit_damping {
#define LB_FIT_DAMPING_CODE(code, name) code,
  LB_FIT_DAMPING_LIST(LB_FIT_DAMPING_CODE)
#undef LB_FIT_DAMPING_CODE
      LB_FIT_DAMPING_COUNT
} lb_fit_damping;

/// Unknowns of a material in a fit.
typedef struct lb_scene_fit_material {
  lb_place place;
  int material;
  bool young;
  lb_fit_damping damping;
  double within; ///< Young's modulus is looked for within this factor of the scene's, >= 1
} lb_scene_fit_material;

/// Fit to measured markers.
typedef struct lb_scene_fit {
  int nmaterial; ///< 0: all that elastic bodies are made of, young and damping
  lb_scene_fit_material* material;
  bool clock; ///< also how far the markers' clock is off
  bool shift; ///< also how far the markers' origin is off
} lb_scene_fit;

/// A body that should be where it would be if nothing swung.
typedef struct lb_scene_track {
  lb_place place;
  int body;
  bool has_point;               ///< else it is the centre of mass
  lb_vec3 point;                ///< of it, in its frame
  double position, orientation; ///< weights: of squared distance and of squared sines
  lb_profile_definition weight; ///< factor on both over time; count 0: 1
} lb_scene_track;

/// Limits of a motor's curve; INFINITY: none.
typedef struct lb_scene_motor_limit {
  lb_place place;
  int motor;
  double angle[2], speed, acceleration;
  double torque; ///< or force
} lb_scene_motor_limit;

/// Retargeting.
typedef struct lb_scene_retarget {
  lb_place place;
  int ntrack;
  lb_scene_track* track;
  int nmotor; ///< 0: all that drive positions of joints of one coordinate
  lb_scene_motor_limit* motor;
  double spacing; ///< of control points [s]; 0: by vibrations and the input
  lb_place spacing_place;
  double closeness, smoothness; ///< weights of a change and of its acceleration
  double tolerance;
  int iterations;
  double robust; ///< part by which stiffness and masses may be off; 0: they are as they are
} lb_scene_retarget;

/// Parameters that an optimisation may change. code, name in scene files
#define LB_PARAMETER_LIST(X)                                                                       \
  X(LB_PARAMETER_POSITION, "position") /* of a joint's coordinates or a free body at the start */  \
  X(LB_PARAMETER_ROTATION, "rotation") /* of a free body: a vector from the scene's own */         \
  X(LB_PARAMETER_VELOCITY, "velocity") /* likewise; of a free body along the world's axes */       \
  X(LB_PARAMETER_SPIN, "spin")         /* of a free body, along its own axes */                    \
  X(LB_PARAMETER_MOTOR, "motor")       /* the values of a motor's keys or spline */                \
  X(LB_PARAMETER_PHASE, "phase")       /* of a motor whose curve repeats */                        \
  X(LB_PARAMETER_EXCITATION, "excitation")         /* the values of a muscle's keys or spline */   \
  X(LB_PARAMETER_MASS, "mass")                     /* of a rigid body */                           \
  X(LB_PARAMETER_LENGTH, "length")                 /* of a rigid body, over what the scene says */ \
  X(LB_PARAMETER_STIFFNESS, "stiffness")           /* of a joint, spring, cable, rope, ground */   \
  X(LB_PARAMETER_DAMPING, "damping")               /* likewise */                                  \
  X(LB_PARAMETER_TURN_STIFFNESS, "turn_stiffness") /* of a joint that slides and turns */          \
  X(LB_PARAMETER_TURN_DAMPING, "turn_damping")     /* likewise */                                  \
  X(LB_PARAMETER_REST, "rest")     /* where a joint's springs pull to; a rest length */            \
  X(LB_PARAMETER_YOUNG, "young")   /* of a material that a deformable is made of */                \
  X(LB_PARAMETER_BAR, "bar")       /* the length of a linkage's bar */                             \
  X(LB_PARAMETER_NUMBER, "number") /* any number of the scene's text, by its path */

typedef enum lb_parameter_kind {
#define LB_PARAMETER_CODE(code, name) code,
  LB_PARAMETER_LIST(LB_PARAMETER_CODE)
#undef LB_PARAMETER_CODE
      LB_PARAMETER_COUNT
} lb_parameter_kind;

/// Whose number it is.
typedef enum lb_owner {
  LB_OWNER_BODY,
  LB_OWNER_JOINT,
  LB_OWNER_FORCE,
  LB_OWNER_MOTOR,
  LB_OWNER_ROPE,
  LB_OWNER_MATERIAL,
  LB_OWNER_MUSCLE,
  LB_OWNER_TEXT, ///< of the scene: a number at a path
  LB_OWNER_COUNT
} lb_owner;

/// One or more numbers that an optimisation may change; they start as the scene has them.
typedef struct lb_scene_parameter {
  const char* name;
  lb_place place;
  lb_parameter_kind kind;
  lb_owner owner;
  int index;     ///< of the owner
  int part;      ///< of a composite joint: which of its parts, from 1 on; 0: all
  int knots;     ///< of a motor or muscle: its curve becomes straight between so many; 0: as it is
  lb_vec3 along; ///< of a length: unit, in the body
  const char* path;   ///< of a bar or number: where it stands, "linkages.leg.bars.j.P-Q"; else NULL
  const char* unit;   ///< what it counts, in SI units, "m"; "" or NULL: nothing, or several things
  double value;       ///< of a bar or number: what stands there, in these
  double least, most; ///< of each of its numbers; -INFINITY, INFINITY: any
} lb_scene_parameter;

/// Goals of an optimisation. code, name in scene files
#define LB_GOAL_LIST(X)                                                                            \
  X(LB_GOAL_POINT, "point")   /* a body's point at a place */                                      \
  X(LB_GOAL_JOINT, "joint")   /* a joint's coordinates */                                          \
  X(LB_GOAL_MOTOR, "motor")   /* little of a motor's force or torque */                            \
  X(LB_GOAL_MUSCLE, "muscle") /* little activation of a muscle, or excitation of one without */    \
  X(LB_GOAL_EFFECTOR, "effector") /* stiffness of a mechanism at one of its effectors */

typedef enum lb_goal_kind {
#define LB_GOAL_CODE(code, name) code,
  LB_GOAL_LIST(LB_GOAL_CODE)
#undef LB_GOAL_CODE
      LB_GOAL_COUNT
} lb_goal_kind;

enum { LB_GOAL_MOST = 6 }; ///< numbers that one goal compares

/// What a goal on an effector is about.
typedef struct lb_scene_stiffness {
  int fork, model; ///< mechanism, and which of its equilibria, from 0
  bool turns;      ///< moments and turns rather than forces and displacements
  bool aside;      ///< motion along `across` over that along `along`, rather than stiffness
  lb_vec3 along;   ///< unit, of the force or moment; of principal stiffnesses zero
  lb_vec3 across;  ///< unit
} lb_scene_stiffness;

/// weight times the sum of squares of (what it is - what it should be), at a moment or integrated
/// over a while. Of a stiffness it is the logarithm of what it is over what it should be.
typedef struct lb_scene_goal {
  const char* name;
  lb_place place;
  lb_goal_kind kind;
  int index;                 ///< body, joint, motor, muscle or effector of a mechanism
  lb_vec3 at;                ///< of a point: in the body
  bool rate;                 ///< its velocity rather than its place
  int count;                 ///< numbers compared: 3 of a point; of a joint its velocities; else 1
  bool counts[LB_GOAL_MOST]; ///< components that count
  double value[LB_GOAL_MOST];
  double from, to; ///< [s] the same: at that moment
  bool mean;       ///< of a point's velocity: its mean over that time counts
  int npath;       ///< > 0: of a point that should be at `path` at the moments `when` instead
  double* when;    ///< [npath] [s], rising
  lb_vec3* path;   ///< [npath]
  double weight;   ///< >= 0
  lb_scene_stiffness stiffness; ///< of an effector; it has no time
} lb_scene_goal;

/// Optimisation.
typedef struct lb_scene_optimize {
  lb_place place;
  int nparameter, ngoal;
  lb_scene_parameter* parameter;
  lb_scene_goal* goal;
  double tolerance; ///< stop when an iteration gains less than this part of the objective
  int iterations;
} lb_scene_optimize;

/// Schemes of collocation. code, name in scene files
#define LB_SCHEME_LIST(X)                                                                          \
  X(LB_SCHEME_HERMITE_SIMPSON, "hermite-simpson") /* cubic between mesh points; order 4 */         \
  X(LB_SCHEME_TRAPEZOID, "trapezoid")             /* order 2 */

typedef enum lb_scheme_kind {
#define LB_SCHEME_CODE(code, name) code,
  LB_SCHEME_LIST(LB_SCHEME_CODE)
#undef LB_SCHEME_CODE
      LB_SCHEME_COUNT
} lb_scheme_kind;

/// Bounds and weight of a motor or muscle that collocation may use as it likes.
typedef struct lb_scene_control {
  const char* name;
  lb_place place;
  lb_owner owner;     ///< LB_OWNER_MOTOR or LB_OWNER_MUSCLE
  int index;          ///< of the owner
  double least, most; ///< [N m], [N], or excitation; INFINITY: any
  double weight;      ///< of its effort, beside that of its kind
} lb_scene_control;

/// Weights of integrals of squares.
typedef struct lb_scene_effort {
  double motors;   ///< of forces and torques [1/(N m)^2, 1/N^2]
  double muscles;  ///< of excitations
  double reserves; ///< price of reserves [1/(N m)^2, 1/N^2]
  double smooth;   ///< time: rates of controls count as well, times its square [s]; 0: they do not
  bool mean;       ///< integrals are over the time that the motion takes
} lb_scene_effort;

/// Weights of integrals of squared distances from a motion that is given.
typedef struct lb_scene_following {
  double position; ///< of coordinates [1/rad^2, 1/m^2]
  double velocity; ///< of their rates
  double markers;  ///< of markers [1/m^2]
} lb_scene_following;

/// A name that a scene mentions.
typedef struct lb_scene_name {
  const char* name;
  lb_place place;
} lb_scene_name;

/// Collocation: a motion and its controls, found together.
typedef struct lb_scene_collocate {
  lb_place place;
  int scheme; ///< lb_scheme_kind
  int intervals;
  double time[2];     ///< least and most that the motion may take [s]; not finite: the scene's own
  double time_weight; ///< of that time [1/s]
  lb_scene_effort effort;
  double reserve;        ///< most that a reserve on a coordinate may exert [N m or N]; 0: none
  bool idle;             ///< muscles exert nothing
  bool instant;          ///< activations follow excitations at once
  bool free_start;       ///< the motion may start elsewhere than the scene says
  bool periodic;         ///< it ends as it starts, but for coordinates of `travels`
  lb_scene_name travels; ///< joint or coordinate that may end elsewhere; name NULL: none
  const char* mirror[2]; ///< ends of names that are exchanged from start to end; NULL: none are
  int nreversed;         ///< coordinates that change their sign in the mirror
  lb_scene_name* reversed;
  lb_scene_following follow;
  int ncontrol, ngoal, nmust;
  lb_scene_control* control;
  lb_scene_goal *goal, *must; ///< the latter hold exactly
  double tolerance;
  int iterations;
} lb_scene_collocate;

/// An effector of a reduced mechanism: a frame of a body, at its origin or at a marker.
typedef struct lb_scene_effector {
  const char* name; ///< of the body, or of the marker
  lb_place place;
  int body;
  lb_vec3 at; ///< in the body
} lb_scene_effector;

/// A force on an effector, along the world's axes.
typedef struct lb_scene_effector_load {
  lb_place place;
  int effector; ///< its number in the reduction
  lb_vec3 force;
} lb_scene_effector_load;

/// An equilibrium about which a mechanism is reduced: at rest, or under forces on effectors.
typedef struct lb_scene_fork_model {
  lb_place place;
  int nload;
  lb_scene_effector_load* load; ///< [nload]
} lb_scene_fork_model;

/// code, name in scene files
#define LB_FORK_MASS_LIST(X)                                                                       \
  X(LB_FORK_STATIC, "static")   /* of the shapes under static forces */                            \
  X(LB_FORK_IMPULSE, "impulse") /* what effectors oppose to an impulse: operational space */

typedef enum lb_fork_mass {
#define LB_FORK_MASS_CODE(code, name) code,
  LB_FORK_MASS_LIST(LB_FORK_MASS_CODE)
#undef LB_FORK_MASS_CODE
      LB_FORK_MASS_COUNT
} lb_fork_mass;

/// code, name in scene files
#define LB_FORK_BLEND_LIST(X)                                                                      \
  X(LB_FORK_JOINTS, "joints")             /* compliances of models by the joints' columns */       \
  X(LB_FORK_EIGENVECTORS, "eigenvectors") /* by eigenvectors that belong together */

typedef enum lb_fork_blend_kind {
#define LB_FORK_BLEND_CODE(code, name) code,
  LB_FORK_BLEND_LIST(LB_FORK_BLEND_CODE)
#undef LB_FORK_BLEND_CODE
      LB_FORK_BLEND_COUNT
} lb_fork_blend_kind;

/// Ways to simulate a mechanism: by its effectors, or all of its joints. code, name
#define LB_FORK_SIMULATED_LIST(X)                                                                  \
  X(LB_FORK_BY_EFFECTORS, "reduced")                                                               \
  X(LB_FORK_WHOLE, "whole")

typedef enum lb_fork_simulated {
#define LB_FORK_SIMULATED_CODE(code, name) code,
  LB_FORK_SIMULATED_LIST(LB_FORK_SIMULATED_CODE)
#undef LB_FORK_SIMULATED_CODE
      LB_FORK_SIMULATED_COUNT
} lb_fork_simulated;

/// Models that are added where estimates of errors are too large.
typedef struct lb_scene_fork_grow {
  double error; ///< of effectors, in radii of the mechanism
  int most;     ///< models, those of the scene included; 0: none are added
} lb_scene_fork_grow;

/// Links of a reduced mechanism when they are shown: by their joints, or each by its own
/// exponential map, as [fork] has it. code, name
#define LB_FORK_LINKS_LIST(X)                                                                      \
  X(LB_FORK_LINKS_JOINTS, "joints")                                                                \
  X(LB_FORK_LINKS_EXPONENTIAL, "exponential")

typedef enum lb_fork_links_kind {
#define LB_FORK_LINKS_CODE(code, name) code,
  LB_FORK_LINKS_LIST(LB_FORK_LINKS_CODE)
#undef LB_FORK_LINKS_CODE
      LB_FORK_LINKS_COUNT
} lb_fork_links_kind;

/// A part of a simulation in which a mechanism is reduced, or whole.
typedef struct lb_scene_fork_phase {
  lb_place place;
  double until;  ///< [s]; INFINITY: to the end
  int simulated; ///< lb_fork_simulated
  bool add;      ///< a model is added about where it is at the start of the phase
} lb_scene_fork_phase;

/// A mechanism to be reduced to its effectors.
typedef struct lb_scene_fork {
  const char* name;
  lb_place place;
  int base;  ///< body that is held, or LB_WORLD
  bool free; ///< the body that carries all others floats: it is an effector as well
  int neffector;
  lb_scene_effector* effector; ///< [neffector]
  int mass;                    ///< lb_fork_mass
  int blend;                   ///< lb_fork_blend_kind
  int modes;                   ///< vibrations with effectors held that are kept
  lb_scene_fork_grow grow;
  int simulated;              ///< lb_fork_simulated: how `limber simulate` moves it
  int nmodel;                 ///< 0: one, at rest
  lb_scene_fork_model* model; ///< [nmodel]
  int links;                  ///< lb_fork_links_kind
  bool relinearise;           ///< in every step, in place of models
  int nphase;                 ///< 0: as `simulated` says, all the time
  lb_scene_fork_phase* phase; ///< [nphase]
} lb_scene_fork;

#ifdef __cplusplus
}
#endif
