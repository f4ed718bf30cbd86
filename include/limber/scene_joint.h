// Joints of a scene: kinds, springs, limits and splines. Part of limber/scene.h.
#pragma once
#include "limber/math.h"
#include "limber/profile.h"
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LB_JOINT_MOST_Q = 7, LB_JOINT_MOST_V = 6 }; ///< coordinates and velocities of a joint

/// Initial values of a joint or free body named in `initial`, by its velocities. A named one stays
/// where the others can close the loops; where not all can stay, the first do: numbers are from 1
/// on, in the order of the file. 0: it is not named.
typedef struct lb_scene_named {
  lb_place place;         ///< of the entry
  int q[LB_JOINT_MOST_V]; ///< its place
  int v[LB_JOINT_MOST_V]; ///< its velocity
} lb_scene_named;

/// code, name in scene files, coordinates, velocities (of a composite joint: those of its parts)
#define LB_JOINT_LIST(X)                                                                           \
  X(LB_JOINT_FIXED, "fixed", 0, 0)                                                                 \
  X(LB_JOINT_REVOLUTE, "revolute", 1, 1)                                                           \
  X(LB_JOINT_PRISMATIC, "prismatic", 1, 1)                                                         \
  X(LB_JOINT_UNIVERSAL, "universal", 2, 2)                                                         \
  X(LB_JOINT_SPHERICAL, "spherical", 4, 3)                                                         \
  X(LB_JOINT_FREE, "free", 7, 6)                                                                   \
  X(LB_JOINT_PLANAR, "planar", 2, 2)                                                               \
  X(LB_JOINT_TRANSLATIONAL, "translational", 3, 3)                                                 \
  X(LB_JOINT_HELICAL, "helical", 1, 1)                                                             \
  X(LB_JOINT_EULER, "euler", 3, 3)                                                                 \
  X(LB_JOINT_EXPONENTIAL, "exponential", 3, 3)                                                     \
  X(LB_JOINT_FREE_2D, "free-2d", 3, 3)                                                             \
  X(LB_JOINT_FREE_3D, "free-3d", 6, 6)                                                             \
  X(LB_JOINT_CURVE, "spline-curve", 1, 1)                                                          \
  X(LB_JOINT_SURFACE, "spline-surface", 2, 2)                                                      \
  X(LB_JOINT_ELLIPSOID, "ellipsoid", 3, 3)                                                         \
  X(LB_JOINT_COMPOSITE, "composite", 0, 0)

typedef enum lb_joint_kind {
#define LB_JOINT_CODE(code, name, nq, nv) code,
  LB_JOINT_LIST(LB_JOINT_CODE)
#undef LB_JOINT_CODE
      LB_JOINT_COUNT
} lb_joint_kind;

/// Parameterisations of a rotation by three numbers. Angles are about the axes of the frame as
/// turned so far. code, name in scene files, axes by number
#define LB_TURN_LIST(X)                                                                            \
  X(LB_TURN_EXPONENTIAL, "exponential", -1, -1, -1) /* a rotation vector */                        \
  X(LB_TURN_XYZ, "xyz", 0, 1, 2)                                                                   \
  X(LB_TURN_XZY, "xzy", 0, 2, 1)                                                                   \
  X(LB_TURN_YXZ, "yxz", 1, 0, 2)                                                                   \
  X(LB_TURN_YZX, "yzx", 1, 2, 0)                                                                   \
  X(LB_TURN_ZXY, "zxy", 2, 0, 1)                                                                   \
  X(LB_TURN_ZYX, "zyx", 2, 1, 0)                                                                   \
  X(LB_TURN_XYX, "xyx", 0, 1, 0)                                                                   \
  X(LB_TURN_XZX, "xzx", 0, 2, 0)                                                                   \
  X(LB_TURN_YXY, "yxy", 1, 0, 1)                                                                   \
  X(LB_TURN_YZY, "yzy", 1, 2, 1)                                                                   \
  X(LB_TURN_ZXZ, "zxz", 2, 0, 2)                                                                   \
  X(LB_TURN_ZYZ, "zyz", 2, 1, 2)

typedef enum lb_turn_order {
#define LB_TURN_CODE(code, name, i, j, k) code,
  LB_TURN_LIST(LB_TURN_CODE)
#undef LB_TURN_CODE
      LB_TURN_COUNT
} lb_turn_order;

/// Unit that a coordinate has.
typedef enum lb_coordinate {
  LB_COORDINATE_ANGLE,  ///< [rad]
  LB_COORDINATE_LENGTH, ///< [m]
  LB_COORDINATE_NUMBER  ///< along a spline
} lb_coordinate;

/// Force curve: force of a spring or cable over its stretch s [m], or torque of a joint's spring
/// over its angle [rad]. All zero: in proportion.
typedef struct lb_force_curve {
  double exponent;       ///< force k s |s|^(exponent - 1); 0 is 1, else >= 1
  int count;             ///< of a table that takes the place of the stiffness; 0: none, else >= 2
  const double* stretch; ///< [count] rising
  const double* force;   ///< [count] [N or N m]; straight between them and on beyond the last ones
  bool slack;            ///< it is unilateral: it pulls; not of joints
} lb_force_curve;

/// Passive forces along coordinates. Units: N and m where they are distances, N m and rad where
/// they are angles.
typedef struct lb_joint_resistance {
  double stiffness;           ///< spring to `rest`
  lb_force_curve force_curve; ///< of that spring, other than in proportion
  double damping;             ///< in proportion to the rate
  double armature;            ///< rotor inertia added on the coordinate
  double friction;            ///< Coulomb friction, of constant size
  double friction_speed;      ///< speed at which friction is fully there, > 0
  double limit_stiffness;     ///< spring beyond the limits
  double limit_damping;       ///< damper beyond the limits
  double limit_transition;    ///< depth over which the damper comes in; 0: with a jump
  bool limit_pulls;           ///< the damper holds back what returns; else it never pulls
} lb_joint_resistance;

/// Control frames and values of joints that go along splines.
typedef struct lb_joint_spline {
  int nframe;                ///< of curves: control frames, 4 or more
  const lb_transform* frame; ///< [nframe] control frames, in the joint's frame
  bool cyclic;               ///< the last is followed by the first
  int rows, columns;         ///< of surfaces: control values along q[1] and q[0], 4 or more
  const double* control[6]; ///< [rows][columns] of x, y, z [m] and turns about x, y, z [rad]; NULL:
                            ///< zero
} lb_joint_spline;

/// Cut of a tree: a joint by which maximal coordinates and loops split a body.
typedef struct lb_joint_cut {
  bool taken_apart;   ///< by maximal coordinates alone: else it would carry the child
  bool starts_itself; ///< of one that splits its child: q and qd say where it starts, and not where
                      ///< the child is
  bool rejoins;       ///< made up where one split its child: it holds the part to the rest
} lb_joint_cut;

/// Faces and grip by which a joint holds elastic bodies: of the parent, then of the child.
typedef struct lb_joint_hold {
  const char* face_name[2]; ///< of bodies that are `elastic`: the faces it holds
  bool at_middle[2];        ///< in_parent, in_child are measured from the middle of that face
  int face[2]; ///< of bodies given as `reduced`: which of their faces; -1: the held one. That of a
               ///< child counts where the joint closes a loop
  bool averages; ///< it holds the means of those faces, and does not make them rigid
} lb_joint_hold;

/// Compliance of a constraint, which exerts -(stiffness gap + damping rate): of distances [N/m,
/// N s/m] or of angles [N m/rad, N m s/rad]. A stiffness of 0: it does not yield.
typedef struct lb_compliance {
  double stiffness, damping;
} lb_compliance;

/// A joint carries `child` on `parent`. In the tree every body is carried at most once; a joint
/// marked `loop` closes a loop instead and becomes a constraint. A body that no joint carries moves
/// freely.
typedef struct lb_scene_joint {
  const char* name;
  lb_place place;
  lb_joint_kind kind;
  int parent, child;      ///< body indices; the parent may be LB_WORLD
  lb_transform in_parent; ///< the joint's frame in the parent
  lb_transform in_child;  ///< the joint's frame in the child; both coincide at zero coordinates
  lb_vec3 axis;  ///< unit, in the joint's frame (revolute, prismatic, universal, planar, helical,
                 ///< free-2d; of spherical joints with limits what swings and twists)
  lb_vec3 axis2; ///< of universal, planar and free-2d joints: unit, at right angles to `axis`
  lb_vec3 radii; ///< of ellipsoid joints [m]
  double pitch;  ///< of helical joints: way along the axis for one turn [m]
  lb_turn_order order;    ///< of euler and free-3d joints; euler: not LB_TURN_EXPONENTIAL
  bool rotation_first;    ///< of free-3d joints: rotation, then translation along the turned axes
  lb_joint_spline spline; ///< of spline curves and surfaces
  /// Function of a coordinate that turns or slides it in place of the coordinate itself; count 0:
  /// none. Of revolute and prismatic parts of composite joints, as the next one.
  lb_profile_definition profile;
  bool follows;                      ///< it has no coordinate of its own and moves by `leader`
  int leader;                        ///< coordinate of the composite joint, from 0
  int npart;                         ///< of composite joints: joints in series
  const struct lb_scene_joint* part; ///< [npart] each moves the next. Of a part, `in_parent` is
                                     ///< its frame in the one before, and no body is named
  bool loop;
  lb_compliance compliance[2]; ///< where it closes a loop: of distances, then of angles
  lb_joint_cut cut;
  lb_joint_hold hold;
  lb_joint_resistance resistance; ///< of all its coordinates, or of those that are distances where
                                  ///< it slides and turns
  lb_joint_resistance turn;       ///< of free, free-2d and free-3d joints: of those that are angles
  double rest[LB_JOINT_MOST_V]; ///< of coordinates that are numbers, which all are but quaternions
  lb_quat rest_turn;            ///< of spherical and free joints
  double lower[LB_JOINT_MOST_V],
      upper[LB_JOINT_MOST_V];    ///< likewise; -INFINITY, INFINITY: none.
                                 ///< Of spherical joints: of the swing, then of the twist
  bool clamped[LB_JOINT_MOST_V]; ///< of ranges: inverse kinematics keeps to them
  double q[LB_JOINT_MOST_Q];  ///< start: angle or distance; angles; unit quaternion; position then
                              ///< quaternion; docs/joints.md has the others
  double qd[LB_JOINT_MOST_V]; ///< start: rate or rates; angular velocity; angular then linear
                              ///< velocity, in the joint's frame on the child
  lb_scene_named named;
  /// Names of its coordinates, by which tables call them; NULL: they have none
  const char* coordinate_name[LB_JOINT_MOST_V];
} lb_scene_joint;

#ifdef __cplusplus
}
#endif
