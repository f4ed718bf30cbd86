// Muscles of a scene: surfaces that paths wrap over, paths, mass, and what makes force. Part of
// limber/scene.h.
#pragma once
#include "limber/math.h"
#include "limber/profile.h"
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of surfaces that paths wrap over, all about their own frame. code, name in scene files
#define LB_WRAP_LIST(X)                                                                            \
  X(LB_WRAP_CYLINDER, "cylinder")   /* x radius, y length along z; 0: endless */                   \
  X(LB_WRAP_SPHERE, "sphere")       /* x radius */                                                 \
  X(LB_WRAP_CAPSULE, "capsule")     /* x radius, y length between the cap centres, along z */      \
  X(LB_WRAP_ELLIPSOID, "ellipsoid") /* semi-axes */                                                \
  X(LB_WRAP_TORUS,                                                                                 \
    "torus") /* x radius of the ring about z, y radius of its tube; paths go through */

typedef enum lb_wrap_kind {
#define LB_WRAP_CODE(code, name) code,
  LB_WRAP_LIST(LB_WRAP_CODE)
#undef LB_WRAP_CODE
      LB_WRAP_COUNT
} lb_wrap_kind;

/// A surface that paths run over without friction.
typedef struct lb_scene_wrap {
  const char* name;
  lb_place place;
  lb_wrap_kind kind;
  int body; ///< that it is part of, rigid, or LB_WORLD
  lb_vec3 size;
  lb_transform pose; ///< in the body's frame
  lb_vec3 side;  ///< unit, in its own frame: paths stay on this side; zero: the shorter way at the
                 ///< start, and then by continuity
  double smooth; ///< band of the smooth lift-off over the least size, 0 to 1; 0: sharp
  int material;  ///< that it is drawn with, or -1: it is not drawn
  const struct lb_wrap_network*
      network; ///< of a cylinder: places mass points by it, in place of the path itself; or NULL
  const char* network_file; ///< that it was read from, or NULL
} lb_scene_wrap;

/// Functions of a coordinate. code, name in scene files
#define LB_FUNCTION_LIST(X)                                                                        \
  X(LB_FUNCTION_CONSTANT, "constant")                                                              \
  X(LB_FUNCTION_SPLINE, "spline") /* cubic through the points, as SIMM's; straight beyond */       \
  X(LB_FUNCTION_LINEAR, "linear") /* straight between the points and beyond */                     \
  X(LB_FUNCTION_POLYNOMIAL, "polynomial") /* by coefficients, highest power first */

typedef enum lb_function_kind {
#define LB_FUNCTION_CODE(code, name) code,
  LB_FUNCTION_LIST(LB_FUNCTION_CODE)
#undef LB_FUNCTION_CODE
      LB_FUNCTION_COUNT
} lb_function_kind;

/// Definition of a function of a coordinate.
typedef struct lb_function_definition {
  lb_function_kind kind;
  double value;    ///< of a constant
  int count;       ///< of points or coefficients
  const double* x; ///< [count] of points, rising
  const double* y; ///< [count] of points, or coefficients
} lb_function_definition;

/// A point that a path runs through, or a surface between two of them. A moving point is where
/// functions of a coordinate put it; a conditional one counts while a coordinate is in a range.
typedef struct lb_scene_path_point {
  int wrap;       ///< surface that the path may wrap over here, and nothing else; -1: a point
  int body;       ///< rigid, or LB_WORLD
  lb_vec3 at;     ///< in the body's frame
  int follows;    ///< joint that moves it; -1: it is fixed
  int coordinate; ///< of that joint
  lb_function_definition along[3]; ///< of a moving point: x, y, z in the body's frame [m]
  int condition;                   ///< joint of the condition; -1: it always counts
  int condition_coordinate;        ///< of that joint
  double at_least, at_most;        ///< range of that coordinate, -INFINITY, INFINITY: open
  double over;                     ///< part of the coordinate over which it comes in; 0: at once
} lb_scene_path_point;

/// Rules by which a muscle's mass is taken from a body.
#define LB_MUSCLE_TAKE_LIST(X)                                                                     \
  X(LB_TAKE_SCALE, "scale") /* mass and inertia of the body are scaled */                          \
  X(LB_TAKE_REST, "rest")   /* the muscle at the start is subtracted */

typedef enum lb_muscle_take {
#define LB_TAKE_CODE(code, name) code,
  LB_MUSCLE_TAKE_LIST(LB_TAKE_CODE)
#undef LB_TAKE_CODE
      LB_TAKE_COUNT
} lb_muscle_take;

/// Tendons of a muscle with mass. code, name in scene files
#define LB_TENDON_LIST(X)                                                                          \
  X(LB_TENDON_STIFF, "stiff")     /* the belly takes up all stretch */                             \
  X(LB_TENDON_EVEN, "even")       /* they stretch as the belly does */                             \
  X(LB_TENDON_ELASTIC, "elastic") /* springs of the Hill-type muscle that the belly hangs on */

typedef enum lb_tendon_kind {
#define LB_TENDON_CODE(code, name) code,
  LB_TENDON_LIST(LB_TENDON_CODE)
#undef LB_TENDON_CODE
      LB_TENDON_COUNT
} lb_tendon_kind;

/// Mass of a muscle, spread along its belly.
typedef struct lb_scene_muscle_mass {
  double amount;       ///< [kg]; 0: massless
  int from;            ///< body that it is taken from, or -1: it is added
  lb_muscle_take rule; ///< by which it is taken
  double belly[2];     ///< where the belly begins and ends, as parts of the length at the start
  lb_tendon_kind tendon;
  int points; ///< mass points at equal strain in place of a continuum; 0: continuum
} lb_scene_muscle_mass;

/// Models of muscle force. code, name in scene files
#define LB_HILL_LIST(X)                                                                            \
  X(LB_HILL_NONE, "none")                                                                          \
  X(LB_HILL_THELEN, "thelen")                                                                      \
  X(LB_HILL_MILLARD, "millard")                                                                    \
  X(LB_HILL_EARLY, "thelen-early")

typedef enum lb_hill_model {
#define LB_HILL_CODE(code, name) code,
  LB_HILL_LIST(LB_HILL_CODE)
#undef LB_HILL_CODE
      LB_HILL_COUNT
} lb_hill_model;

/// Numbers that shape the curves of a Hill-type muscle, which has only those of its model. 0: the
/// model's own. Lengths are over the optimal one, forces over the peak isometric one, speeds over
/// the greatest one, slopes accordingly; curviness is from 0 (round) to 1 (sharp).
typedef struct lb_scene_hill_shape {
  double active_width;      ///< Thelen's gamma, of active force by length
  double active_from;       ///< length at which active force begins
  double active_knee;       ///< length at which its steep rise ends
  double active_to;         ///< length at which it ends
  double active_slope;      ///< slope of its shallow rise
  double active_least;      ///< least active force
  double hyperbola;         ///< Thelen's A_f, of force by speed
  double shortening_end;    ///< slope at the greatest speed of shortening
  double shortening_slope;  ///< slope near it
  double isometric_slope;   ///< slope at rest
  double lengthening_slope; ///< slope near the greatest speed of lengthening
  double lengthening_end;   ///< slope there
  double lengthening;       ///< force when lengthening at most
  double shortening_curve;  ///< curviness when shortening
  double lengthening_curve; ///< curviness when lengthening
  double passive_exponent;  ///< Thelen's k, of passive force by length
  double passive_strain;    ///< strain of the fibre at a passive force of one
  double passive_from;      ///< strain at which it begins
  double passive_low;       ///< stiffness at little force
  double passive_stiffness; ///< stiffness at a force of one
  double passive_curve;     ///< curviness
  double tendon_strain;     ///< strain of the tendon at a force of one
  double tendon_stiffness;  ///< stiffness there
  double tendon_toe;        ///< force at which it becomes straight
  double tendon_curve;      ///< curviness
} lb_scene_hill_shape;

/// A Hill-type muscle: contractile element with fibres at an angle, in series with a tendon.
typedef struct lb_scene_hill {
  lb_hill_model model;
  double force;        ///< peak isometric force [N] > 0
  double fiber;        ///< optimal fibre length [m] > 0
  double slack;        ///< slack length of the tendon [m] >= 0
  double pennation;    ///< angle of the fibres at optimal length [rad]
  double speed;        ///< greatest speed of shortening, in optimal lengths a second > 0
  double damping;      ///< of the fibres, over force and optimal length a second >= 0
  bool elastic;        ///< the tendon stretches; else its length is the slack length
  double activation;   ///< time constant of activation [s] > 0; 0: the model's own
  double deactivation; ///< time constant of deactivation [s] > 0; 0: the model's own
  lb_scene_hill_shape shape;
} lb_scene_hill;

/// Start of a Hill-type muscle. 0: as excited, and in equilibrium.
typedef struct lb_scene_muscle_start {
  double activation; ///< 0.01 to 1
  double fiber;      ///< length [m]
} lb_scene_muscle_start;

/// Excitation of a muscle, 0 to 1: a function of time, or feedback of a coordinate.
typedef struct lb_scene_excitation {
  lb_profile_definition profile; ///< count 0: none, or what follows
  int joint;                     ///< feedback: gain (to - q) - rate_gain qd, or -1
  int coordinate;                ///< of that joint
  double to;                     ///< where it is to be
  double gain, rate_gain;        ///< for each unit of the coordinate, and of its rate
} lb_scene_excitation;

enum { LB_PATH_MOST_POINTS = 64 };

/// A muscle: a path that pulls, with or without mass.
typedef struct lb_scene_muscle {
  const char* name;
  lb_place place;
  int npoint;
  lb_scene_path_point* point; ///< [npoint] from origin to insertion
  lb_scene_muscle_mass mass;
  lb_scene_hill hill;
  double tension; ///< without a Hill model: force at an excitation of 1 [N] >= 0
  lb_scene_excitation excitation;
  lb_scene_muscle_start start;
  double radius; ///< at which it is drawn [m]; 0: as cables are
  int material;  ///< its look, or -1
} lb_scene_muscle;

#ifdef __cplusplus
}
#endif
