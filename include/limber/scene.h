// The description of a world as its author wrote it: named parts, checked, not yet compiled. Read
// one from a file with lb_scene_read(), or fill the arrays yourself and call lb_scene_check().
#pragma once
#include "limber/contact.h"
#include "limber/geometry.h"
#include "limber/profile.h"
#include "limber/progress.h"
#include "limber/scene_muscle.h"
#include "limber/scene_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LB_WORLD = -1 }; ///< stands for the ground wherever a body index is asked for

/// A surface's look and what it is made of.
typedef struct lb_scene_material {
  const char* name;
  lb_place place;
  double density;   ///< [kg/m^3] > 0
  double color[4];  ///< red, green, blue, opacity, linear, 0 to 1
  double roughness; ///< 0 mirror to 1 chalk
  double metallic;  ///< 0 or 1 (or between)
  // of elastic bodies
  double young;        ///< Young's modulus [Pa]; 0: unknown, nothing elastic can be made of it
  double poisson;      ///< Poisson's ratio, > -1, < 0.5
  const char* model;   ///< "neo-hookean" (or NULL), "st-venant-kirchhoff", "corotated", "linear"
  double damping_mass; ///< Rayleigh damping in proportion to mass [1/s] >= 0
  double damping_stiffness; ///< Rayleigh damping in proportion to stiffness [s] >= 0
  lb_contact_surface surface;
} lb_scene_material;

typedef struct lb_scene_shape {
  lb_place place;
  int body; ///< body of the shape, or LB_WORLD for scenery
  lb_shape shape;
  lb_transform pose; ///< in the body's frame
  int material;      ///< index into the scene's materials
  bool massless;     ///< for looks only
  bool solid;        ///< it collides where the scene has contacts
  bool convex;       ///< a mesh collides by its convex hull
  lb_vec3 belt;      ///< velocity of its surface, in the body's axes [m/s]
} lb_scene_shape;

typedef enum lb_elastic_form {
  LB_ELASTIC_ROD,   ///< radius, from, to. Faces: start, end, side
  LB_ELASTIC_BOX,   ///< width, height, from, to, up. Faces: start, end, left, right, bottom, top,
                    ///< side
  LB_ELASTIC_BEAM,  ///< box by another name
  LB_ELASTIC_PLATE, ///< box whose thickness is its height
  LB_ELASTIC_TUBE,  ///< radius, inner, from, to. Faces: start, end, outer, inner, side
  LB_ELASTIC_MESH,  ///< tetrahedra from a file. Faces: its named surfaces
  LB_ELASTIC_FORM_COUNT
} lb_elastic_form;

/// An elastic body as its author described it. Joints hold it by its faces; the one that carries it
/// (or, where none does, the first that mentions it) holds the face whose frame is the body's.
typedef struct lb_scene_elastic {
  lb_place place;
  lb_elastic_form form;
  lb_vec3 from, to;     ///< the middles of the faces start and end, in the body's frame [m]
  lb_vec3 up;           ///< direction of a box's height; 0: z, or x along z
  double width, height; ///< [m]
  double radius, inner; ///< [m]
  const struct lb_tetmesh* mesh; ///< of LB_ELASTIC_MESH
  int order;                     ///< of the elements, 1 or 2
  double accuracy;               ///< wanted relative error of the lowest frequency, > 0
  int along, across, around;     ///< elements; 0: chosen from the accuracy
  int fine[3];                   ///< elements when all its nodes move; 0: as above
  int material;                  ///< index into the scene's materials
  /// Materials by region, where it is not of one: those of the mesh's regions, or of parts that
  /// follow each other from `from` to `to`. 0: all of `material`
  int nregion;
  const int* region_material; ///< [nregion] index into the scene's materials
  const double* until;        ///< [nregion - 1] ends of the parts, from the start [m]; NULL: mesh
  bool solid;                 ///< its surface collides, where the scene has contacts
  int modes;                  ///< of vibration in the basis
  int derivatives;            ///< number of vectors with derivatives, softest loads first
  /// [nregion, or 1] moduli that its shapes are made with, of its file where it has one; NULL:
  /// those of its materials. With others it is as stiff as these are, in the same shapes.
  const double* basis_young;
  /// The reduced body that stands for it, from a file of `limber reduce`, or NULL: mesh, basis and
  /// cubature are then those of the file.
  const struct lb_stored* stored;
  const char* stored_file; ///< for messages; NULL when it was never a file
} lb_scene_elastic;

enum { LB_JOINT_MOST_Q = 7, LB_JOINT_MOST_V = 6 }; ///< coordinates and velocities of a joint

/// Initial values of a joint or free body named in `initial`, by its velocities. A named one stays
/// where the others can close the loops; where not all can stay, the first do: numbers are from 1
/// on, in the order of the file. 0: it is not named.
typedef struct lb_scene_named {
  lb_place place;         ///< of the entry
  int q[LB_JOINT_MOST_V]; ///< its place
  int v[LB_JOINT_MOST_V]; ///< its velocity
} lb_scene_named;

/// Mass properties come from the shapes unless given; a given mass alone scales what the shapes
/// say.
typedef struct lb_scene_body {
  const char* name;
  lb_place place;
  bool has_mass, has_com, has_inertia;
  lb_mass mass;                     ///< in the body's frame; the fields that were given
  const lb_scene_elastic* elastic;  ///< NULL: rigid, or given as `reduced`
  const struct lb_reduced* reduced; ///< an elastic body already in a basis, or NULL
  double drag;                      ///< linear drag, at the centre of mass [N s/m] >= 0
  double turn_drag;                 ///< angular drag, of rigid bodies [N m s/rad] >= 0
  double air_drag;                  ///< against moving, with the square of the speed [kg/m] >= 0
  /// In the world, of a body that no joint carries; the next two are such a body's, too.
  lb_transform pose;
  lb_vec3 velocity; ///< of its origin at the start, in the world's axes [m/s]
  lb_vec3 spin;     ///< angular velocity at the start, in the body's axes [rad/s]
  lb_scene_named named;
  const char* group; ///< name that contacts may call it by, with others; or NULL
} lb_scene_body;

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
      upper[LB_JOINT_MOST_V]; ///< likewise; -INFINITY, INFINITY: none.
                              ///< Of spherical joints: of the swing, then of the twist
  double q[LB_JOINT_MOST_Q];  ///< start: angle or distance; angles; unit quaternion; position then
                              ///< quaternion; docs/joints.md has the others
  double qd[LB_JOINT_MOST_V]; ///< start: rate or rates; angular velocity; angular then linear
                              ///< velocity, in the joint's frame on the child
  lb_scene_named named;
  /// Names of its coordinates, by which tables call them; NULL: they have none
  const char* coordinate_name[LB_JOINT_MOST_V];
} lb_scene_joint;

/// A point of a body or of the world that a force acts on.
typedef struct lb_scene_point {
  int body;
  lb_vec3 at;            ///< in its frame, that of an elastic one undeformed
  const char* face_name; ///< of a body that is `elastic`: the face it is fastened to
  bool at_middle;        ///< `at` is measured from the middle of that face
  int face;              ///< of a body given as `reduced`: which of its faces; -1: the held one
  double radius;         ///< of grounds: of a ball about the point, which is what touches [m] >= 0
  int wrap; ///< of cables: surface that may be wrapped here in place of a point, counted from 1; 0:
            ///< a point
} lb_scene_point;

/// Kinds of forces on points of bodies. code, name, section in scene files, one line for people
#define LB_FORCE_LIST(X)                                                                           \
  X(LB_FORCE_SPRING, spring, "springs", "springs with dampers between two points, by name")        \
  X(LB_FORCE_CABLE, cable, "cables", "cables through several points, by name")                     \
  X(LB_FORCE_GROUND, ground, "grounds", "planes that push points back, by name")                   \
  X(LB_FORCE_ATTRACTION, attraction, "attractions",                                                \
    "pulls by the inverse square of the distance between two points, by name")

typedef enum lb_force_kind {
#define LB_FORCE_CODE(code, name, section, about) code,
  LB_FORCE_LIST(LB_FORCE_CODE)
#undef LB_FORCE_CODE
      LB_FORCE_KINDS
} lb_force_kind;

enum { LB_CABLE_MOST_POINTS = 32 };

/// A force on points of bodies. Springs pull two points together, cables have one tension through
/// several; both have a force curve over their stretch and a damper. A ground is a plane that
/// pushes points back by the force curve of their depth below it, and rubs. An attraction pulls two
/// points together by the inverse square of their distance.
typedef struct lb_scene_force {
  const char* name;
  lb_place place;
  lb_force_kind kind;
  int npoint; ///< of springs and attractions 2, of cables 2 to LB_CABLE_MOST_POINTS, of grounds any
  lb_scene_point* point;
  double stiffness;           ///< [N/m] >= 0; of attractions their strength [N m^2]
  double damping;             ///< of springs and cables [N s/m] >= 0
  double length;              ///< rest length of springs and cables [m]; NAN: that at the start. Of
                              ///< attractions their softening length
  lb_force_curve force_curve; ///< other than in proportion; a ground's has no table and is slack
  lb_vec3 along; ///< of springs: unit, in the axes of the first point's body or the world: only
                 ///< what lies along it counts; zero: the way from point to point. Of grounds: the
                 ///< normal, unit, out of the ground
  lb_vec3 at;    ///< of grounds: a point of the plane, in the world [m]
  double dissipation; ///< of grounds and cables: part of the force added for each m/s of sinking in
                      ///< or being stretched [s/m] >= 0
  double friction;    ///< of grounds: coefficient >= 0
  double slip;        ///< of grounds: speed below which friction fades [m/s] > 0
} lb_scene_force;

/// A point that a rope runs through, or a node of a deformable.
typedef struct lb_scene_rope_point {
  bool free;  ///< it moves by itself, and starts at `at` in the world
  int body;   ///< body it is fastened to, rigid, or LB_WORLD
  lb_vec3 at; ///< position in that body
} lb_scene_rope_point;

/// A string of point masses and springs.
typedef struct lb_scene_rope {
  const char* name;
  lb_place place;
  int npoint; ///< 2 or more
  lb_scene_rope_point* point;
  int segments;     ///< in all, spread over the ways between the points by their lengths
  double mass;      ///< of all of it [kg] > 0
  double stiffness; ///< the force for a strain of one [N] >= 0
  double damping;   ///< a strain rate counts as this much strain for each 1/s [s] >= 0
  double drag;      ///< resists motion through the world, over the mass [1/s] >= 0
  double slack;     ///< rest length over the length at the start > 0
  bool pushes;      ///< resists compression, too
  double radius;    ///< at which it is drawn and collides [m] >= 0; 0: drawn as springs are
  bool solid;       ///< its particles collide, where the scene has contacts
  int material;     ///< its look and friction, or -1
  /// Reference of a rope that was moved after it was made: segments of each way [npoint - 1], their
  /// lengths that the slack is of [segments] and where free particles start [segments + 1]. NULL:
  /// as its points have it.
  const int* share;
  const double* length;
  const lb_vec3* start;
} lb_scene_rope;

/// A deformable: a mesh of tetrahedra around and between rigid bodies.
typedef struct lb_scene_deformable {
  const char* name;
  lb_place place;
  const lb_scene_elastic* form; ///< its mesh, of order 1, and what it is made of
  lb_transform pose;            ///< of the mesh at the start, in the world
  int nbody;
  const int* body;        ///< [nbody] bodies that nodes inside their shapes are fastened to
  double within;          ///< distance within which nodes are fastened, too [m] >= 0
  const lb_mesh* surface; ///< drawn in the place of the mesh's own, in its frame; or NULL
  /// Reference of a deformable that was moved after it was made: what each node of the mesh is
  /// fastened to, or where it starts. NULL: as bodies and mesh start.
  const lb_scene_rope_point* node;
} lb_scene_deformable;

typedef enum lb_motor_drive {
  LB_DRIVE_POSITION, ///< the coordinate follows the profile exactly
  LB_DRIVE_FORCE,    ///< the profile is a torque or force on the coordinate
  LB_DRIVE_SERVO     ///< the coordinate follows as far as stiffness, damping and limit let it
} lb_motor_drive;

/// Drives a coordinate of a joint, or pushes along a velocity of one: they are the same but for
/// quaternions, which are driven as a whole.
typedef struct lb_scene_motor {
  const char* name;
  lb_place place;
  int joint;
  int coordinate; ///< of those of the joint
  lb_motor_drive drive;
  lb_profile_definition profile;
  /// [profile.count] unit: the rotation of a spherical or free joint follows these in place of the
  /// profile's values, and `coordinate` is 0. NULL: it drives a number
  lb_quat* rotation;
  // of servos
  double stiffness; ///< [N m/rad, N/m]; 0: as the next is, or exact
  double damping;   ///< [N m s/rad, N s/m]; both 0: exact
  double limit;     ///< most torque or force [N m, N]; 0: none
} lb_scene_motor;

/// A point of a linkage in the plane of its drawing.
typedef struct lb_linkage_point {
  const char* name;
  lb_place place;
  bool fixed;   ///< to the body that the linkage is on
  double at[2]; ///< where it is with the crank as drawn, all sides having their lengths [m]
} lb_linkage_point;

/// Two points of a bar and how far they are apart.
typedef struct lb_linkage_side {
  int bar;
  int point[2];
  double length; ///< [m] > 0
} lb_linkage_side;

/// A rod or, of three points or more, a plate. Its frame is at its first point, x to its second.
typedef struct lb_linkage_bar {
  const char* name;
  lb_place place;
  const char* material; ///< by name; NULL: the linkage's
  double radius;        ///< of its rods [m]; 0: the linkage's
  double disc;          ///< > 0: a disc of this radius about its first point, and no rods [m]
  double mass;          ///< [kg]; 0: by material and shapes
  double offset;        ///< of its shapes, out of the drawing's plane [m]
  int npoint;
  int* point; ///< [npoint]
} lb_linkage_bar;

/// Pin of two bars: `bar[0]` carries `bar[1]`, or a loop closes. -1: the body that all is on.
typedef struct lb_linkage_pin {
  int point;
  int bar[2];
  bool loop;
} lb_linkage_pin;

/// One of a linkage's copies.
typedef struct lb_linkage_copy {
  const char* name; ///< "" of one alone
  lb_place place;
  lb_vec3 at;   ///< moved by so much, on that body [m]
  bool mirror;  ///< the drawing's first axis is turned round; the crank's angle is not
  double phase; ///< part of a turn, or of a cycle of its motor, by which it is ahead
  double angle; ///< of its crank at the start, from the drawing's first axis to the second [rad]
  int* body;    ///< [nbar] in the scene
  int* joint;   ///< [npin] in the scene; the crank's comes first
} lb_linkage_copy;

/// Bars and pins in a plane, from which bodies and joints were made. Nothing is made of it again.
typedef struct lb_scene_linkage {
  const char* name;
  lb_place place;
  int on;        ///< body
  int plane;     ///< xy, yz, zx, yx, zy, xz
  lb_vec3 at;    ///< of the drawing's origin, on that body [m]
  int crank;     ///< bar
  bool shaft;    ///< the cranks of all copies are one body
  double radius; ///< of bars [m]
  const char* material;
  const char* profile; ///< that the crank follows, or NULL
  const char* group;   ///< of the bodies of its bars, for contacts, or NULL
  const char* crank_name;
  int npoint, nside, nbar, npin, ncopy;
  lb_linkage_point* point;
  lb_linkage_side* side;
  lb_linkage_bar* bar;
  lb_linkage_pin* pin;
  lb_linkage_copy* copy;
  double* foot; ///< [npoint] radius of a sphere there; 0: none [m]
} lb_scene_linkage;

/// A force on a point of a body, constant or scaled by a profile.
typedef struct lb_scene_load {
  const char* name;
  lb_place place;
  int body;
  lb_vec3 point;         ///< in the body's frame, an elastic one undeformed
  const char* face_name; ///< of a body that is `elastic`: the face it acts on
  bool at_middle;        ///< the point is measured from the middle of that face
  int face;              ///< of a body given as `reduced`: which face; -1: the held one
  lb_vec3 force;         ///< [N]
  lb_vec3 torque;        ///< [N m]
  bool follows; ///< the directions turn with the body, or its face; else they are the world's
  lb_profile_definition profile; ///< count 0: constant
} lb_scene_load;

/// A measured force on a body, as from a force plate: samples over time with straight lines between
/// them, and nothing before the first and after the last.
typedef struct lb_scene_external {
  const char* name;
  lb_place place;
  int body;               ///< that it acts on
  int force_in, point_in; ///< bodies along whose axes force and moment, and the point, are given;
                          ///< or LB_WORLD
  const char* file;       ///< table; NULL: none
  const char *force, *point, *torque; ///< beginnings of its columns' names; NULL: there are none
  int nsample;                        ///< >= 2
  const double* time;                 ///< [nsample] rising [s]
  const double* value; ///< [nsample][9] force [N], moment [N m], point that this is about [m]
} lb_scene_external;

/// code, name in scene files
#define LB_CONSTRAINT_LIST(X)                                                                      \
  X(LB_CONSTRAINT_COUPLE, couple)     /* a linear coupling of joints' coordinates */               \
  X(LB_CONSTRAINT_FOLLOW, follow)     /* a point or frame that is held or prescribed */            \
  X(LB_CONSTRAINT_FLOOR, floor)       /* points that stay above a height */                        \
  X(LB_CONSTRAINT_DISTANCE, distance) /* a rod or a rope between points of two bodies */           \
  X(LB_CONSTRAINT_LINE, line)         /* a point of a body on a line of another */                 \
  X(LB_CONSTRAINT_PLANE, plane)       /* a point of a body on a plane of another */

typedef enum lb_constraint_kind {
#define LB_CONSTRAINT_CODE(code, name) code,
  LB_CONSTRAINT_LIST(LB_CONSTRAINT_CODE)
#undef LB_CONSTRAINT_CODE
      LB_CONSTRAINT_COUNT
} lb_constraint_kind;

/// A part of a coupling: a coordinate of a joint or a function of it, times a factor.
typedef struct lb_scene_term {
  int joint;
  int coordinate; ///< of those of the joint
  double factor;
  lb_profile_definition curve; ///< function of the coordinate in its place; count 0: none
} lb_scene_term;

/// Constraint on the motion, besides joints.
typedef struct lb_scene_constraint {
  const char* name;
  lb_place place;
  lb_constraint_kind kind;
  int nterm; ///< couple: least <= sum of the terms <= most, -INFINITY and INFINITY for neither
  lb_scene_term* term;
  double least, most;
  bool ratchet;         ///< couple: the sum does not fall behind a tooth that it has passed
  double pitch;         ///< couple: from tooth to tooth; 0: it does not fall at all
  int body;             ///< follow, floor
  int npoint;           ///< follow: 1
  lb_vec3* point;       ///< [npoint] in the body's frame
  const double* radius; ///< [npoint] floor: of balls about them, which it stops; NULL: all zero
  bool along[3];        ///< follow: which of the world's axes
  /// follow: where; count 0: where the point is at the start. couple: the first is what the sum is
  /// over time; count 0: `least`, which then is `most`
  lb_profile_definition path[3];
  bool velocity_level[3]; ///< paths of velocities instead; positions follow
  bool turn;              ///< follow: the orientation is prescribed, too
  lb_vec3 about; ///< axis of the prescribed turn, in the world, unit; line, plane: axis of the body
                 ///< that stays along `normal`, zero: none does
  lb_profile_definition angle; ///< angle of that turn from the start; count 0: it is held
  bool angle_velocity_level;   ///< path of a spin instead
  bool has_from;               ///< the angle counts from `from`, not from the start
  lb_quat from;                ///< orientation of the body at angle zero
  lb_vec3 normal; ///< floor: out of it, unit, in the world; zero: z. line, plane: direction of the
                  ///< line or at right angles to the plane, in the other body
  double height;  ///< floor: of its plane along the normal, from the world's origin
  lb_scene_point* other;       ///< distance: the end that is not `point`; line, plane: a point of
                               ///< them; else NULL
  double length;               ///< distance: of the rod [m]; NAN: as it is at the start
  bool unilateral;             ///< distance: a rope, whose ends may come nearer
  lb_compliance compliance[2]; ///< of distances, or of a coupling's sum; then of rotations
} lb_scene_constraint;

/// Method by which an integrator finds the end of a step.
typedef enum lb_method {
  LB_METHOD_EXPLICIT, ///< from slopes alone, with a given step
  LB_METHOD_ADAPTIVE, ///< likewise, and it chooses its steps by a tolerance
  LB_METHOD_LINEAR,   ///< from one linear system
  LB_METHOD_IMPLICIT  ///< by Newton's method, up to a tolerance
} lb_method;

/// code, stepper (lb_stepper_...), name in scene files, method, one line for people
#define LB_INTEGRATOR_LIST(X)                                                                      \
  X(EULER, euler, "euler", EXPLICIT, "semi-implicit Euler, order 1, cheapest per step")            \
  X(MIDPOINT, midpoint, "midpoint", EXPLICIT, "explicit midpoint rule, order 2")                   \
  X(RK4, rk4, "rk4", EXPLICIT, "classical Runge-Kutta, order 4")                                   \
  X(RK8, rk8, "rk8", EXPLICIT, "Fehlberg's Runge-Kutta, order 8, the most exact at a fixed step")  \
  X(LINEAR_EULER, linear_euler, "linear-euler", LINEAR,                                            \
    "linearly implicit Euler, order 1: one linear system a step")                                  \
  X(BDF1, bdf1, "bdf1", IMPLICIT, "implicit Euler, order 1: the most damping")                     \
  X(BDF2, bdf2, "bdf2", IMPLICIT, "implicit, order 2: stiff springs and elastic bodies")           \
  X(SDIRK2, sdirk2, "sdirk2", IMPLICIT,                                                            \
    "implicit in two stages, order 2, the least error of these")                                   \
  X(ADAPTIVE, adaptive, "adaptive", ADAPTIVE, "order 8 with the step chosen from the tolerance")

typedef enum lb_integrator {
#define LB_INTEGRATOR_CODE(code, stepper, name, method, text) LB_INTEGRATOR_##code,
  LB_INTEGRATOR_LIST(LB_INTEGRATOR_CODE)
#undef LB_INTEGRATOR_CODE
      LB_INTEGRATOR_COUNT
} lb_integrator;

/// code, name in scene files
#define LB_COORDINATES_LIST(X)                                                                     \
  X(LB_COORDINATES_REDUCED, "reduced") /* joints in the tree; constraints only for loops */        \
  X(LB_COORDINATES_MAXIMAL, "maximal") /* every body free, every joint a constraint */

typedef enum lb_coordinates {
#define LB_COORDINATES_CODE(code, name) code,
  LB_COORDINATES_LIST(LB_COORDINATES_CODE)
#undef LB_COORDINATES_CODE
      LB_COORDINATES_COUNT
} lb_coordinates;

#define LB_SPACE_LIST(X)                                                                           \
  X(LB_SPACE_REDUCED, "reduced") /* elastic bodies move in a basis */                              \
  X(LB_SPACE_FULL, "full")       /* every node of their meshes moves */

typedef enum lb_space {
#define LB_SPACE_CODE(code, name) code,
  LB_SPACE_LIST(LB_SPACE_CODE)
#undef LB_SPACE_CODE
      LB_SPACE_COUNT
} lb_space;

/// Matrices of Newton's method in implicit steps.
#define LB_NEWTON_LIST(X)                                                                          \
  X(LB_NEWTON_KEPT, "kept")   /* the stiff part, made anew when corrections get slow */            \
  X(LB_NEWTON_EXACT, "exact") /* the whole derivative at every correction */

typedef enum lb_newton_matrix {
#define LB_NEWTON_CODE(code, name) code,
  LB_NEWTON_LIST(LB_NEWTON_CODE)
#undef LB_NEWTON_CODE
      LB_NEWTON_COUNT
} lb_newton_matrix;

typedef struct lb_scene_solver {
  lb_coordinates coordinates;
  lb_space elastic;        ///< space in which elastic bodies are simulated
  lb_newton_matrix newton; ///< of implicit steps
  lb_integrator integrator;
  lb_place place;
  double step;       ///< [s] > 0; an adaptive stepper chooses its own
  double tolerance;  ///< relative: error per step of adaptive steppers, of velocities at which
                     ///< Newton's method of implicit ones stops; 0: the integrator's own
  double closing;    ///< [s] linear-euler: time in which gaps of what starts apart fall by a factor
                     ///< of e; 0: they are closed before the start, and within a step after it
  bool sdirk2_first; ///< bdf2: its first step is one of sdirk2, of order 2 as well
} lb_scene_solver;

typedef struct lb_scene_record {
  double every;   ///< [s] time between frames
  bool rates;     ///< velocities and accelerations, too
  bool reactions; ///< joint reactions, too
} lb_scene_record;

/// How models of a scene are made; it describes nothing.
typedef struct lb_making {
  const char* cache;    ///< folder where elastic bodies are kept for other runs; NULL: they are not
  bool outline;         ///< elastic bodies are rigid: no bases are made
  lb_progress progress; ///< while elastic bodies are made
} lb_making;

typedef struct lb_scene {
  const char* name;  ///< title
  const char* about; ///< a sentence or more, or ""
  const char* file;
  const char* text; ///< its own file as it was read, without what it includes; NULL: made by hand
  const char* converted; ///< what its own file is as a scene, where that is another format (.osim);
                         ///< NULL: it is one
  const struct lb_scene_origin* origin; ///< what it was read from, to be read again; NULL: nothing
  lb_vec3 gravity;                      ///< [m/s^2]
  double duration;                      ///< [s]
  lb_scene_solver solver;
  lb_scene_record record;
  int nmaterial, nbody, nshape, njoint, nforce, nmotor, nload, nconstraint, nmarker, nrope,
      ndeformable, nlinkage, nwrap, nmuscle, nexternal;
  lb_scene_material* material;
  lb_scene_body* body;
  lb_scene_shape* shape;
  lb_scene_joint* joint;
  lb_scene_force* force; ///< in any order
  lb_scene_motor* motor;
  lb_scene_load* load;
  lb_scene_external* external;
  lb_scene_constraint* constraint;
  lb_scene_marker* marker;
  lb_scene_rope* rope;
  lb_scene_deformable* deformable;
  lb_scene_wrap* wrap;
  lb_scene_muscle* muscle;
  lb_scene_contacts contacts;
  lb_scene_linkage* linkage; ///< what bodies and joints were made from; others are as good
  lb_scene_fit fit;
  lb_scene_retarget retarget;
  lb_scene_optimize optimize;
  lb_scene_collocate collocate;
  int nfork;
  lb_scene_fork* fork;
  lb_making making;
  int nnote;
  const lb_message* note; ///< [nnote] warnings to its author
  void* storage;          ///< memory of the pieces; NULL in scenes made by hand
} lb_scene;

/// Does a name in a pair of contacts stand for this body: its own, its group's, or "all"?
bool lb_scene_contact_fits(const lb_scene_body* body, const char* name);

/// Values of every field before an author changes them.
lb_scene lb_scene_default(void);
lb_scene_material lb_scene_material_default(void);
lb_scene_body lb_scene_body_default(void);
lb_scene_shape lb_scene_shape_default(void);
lb_scene_elastic lb_scene_elastic_default(void);
lb_scene_joint lb_scene_joint_default(void);
lb_scene_rope lb_scene_rope_default(void);
lb_scene_wrap lb_scene_wrap_default(void);
lb_scene_path_point lb_scene_path_point_default(void);
lb_scene_muscle lb_scene_muscle_default(void);
lb_scene_fit_material lb_scene_fit_material_default(void);

/// Read a scene file (YAML 1.2) and everything it includes; "-" is standard input. All the mistakes
/// found are added to `err`. On success `*scene` must be given to lb_scene_release().
lb_status lb_scene_read(const char* path, const lb_allocator* allocator, lb_scene* scene,
                        lb_error* err);

/// lb_scene_read from memory; `name` stands for the file in messages, and relative paths start at
/// its folder.
lb_status lb_scene_parse(const char* text, size_t length, const char* name,
                         const lb_allocator* allocator, lb_scene* scene, lb_error* err);

/// Where a scene comes from, and what is to be different in it.
typedef struct lb_scene_origin {
  const char* name;   ///< a file, "-" for standard input, or what `text` is called
  const char* text;   ///< the scene itself, or NULL
  size_t length;      ///< of `text`
  bool no_files;      ///< no other file may be opened
  const char* motors; ///< a file with `motors` and nothing else, as the profiles.yaml of
                      ///< retargeting, which take the place of those with the same names; or NULL
  int nset;           ///< values from outside, "PATH=VALUE": "bodies.rod.mass=2 kg" ...
  const char* const* set; ///< ... puts a value into a part, "gravity.2=-1.62" into a list
} lb_scene_origin;

/// lb_scene_read() and lb_scene_parse() with changes.
lb_status lb_scene_open(const lb_scene_origin* from, const lb_allocator* allocator, lb_scene* scene,
                        lb_error* err);

void lb_scene_release(lb_scene* scene);

/// Take elastic bodies from a folder of `limber reduce`: every body of the scene that a file
/// NAME.npz there was made for, by name, becomes that reduced body. LB_INVALID when a file does not
/// fit its body, or none is for this scene; the scene is then unchanged.
lb_status lb_scene_take_bases(lb_scene* scene, const char* dir, lb_error* err);

/// Validity of a scene, checked before it is compiled: names unique, indices in range, numbers
/// finite, masses and inertias physical, every body carried at most once, no cycle in the tree.
/// lb_scene_read() calls it.
lb_status lb_scene_check(const lb_scene* scene, lb_error* err);

/// Names as written in scene files.
const char* lb_joint_kind_name(lb_joint_kind kind);
const char* lb_parameter_kind_name(lb_parameter_kind kind);
const char* lb_force_kind_name(lb_force_kind kind);
const char* lb_wrap_kind_name(lb_wrap_kind kind);
/// True for forces that pull their points together; drawn as lines between them.
bool lb_force_joins(lb_force_kind kind);
/// Coordinates and velocities of a joint, of a composite one those of its parts.
int lb_joint_count_q(const lb_scene_joint* joint);
int lb_joint_count_v(const lb_scene_joint* joint);
/// Index of a unit quaternion's first number among the coordinates; -1: none.
int lb_joint_quaternion(const lb_scene_joint* joint);
/// The joint that a parameter is of, or the part of it, and which of the joint's coordinates is its
/// first.
const lb_scene_joint* lb_parameter_joint(const lb_scene* scene, const lb_scene_parameter* parameter,
                                         int* first);
/// True for joints that slide and turn, with resistances of their own for turning (`turn`).
bool lb_joint_slides_and_turns(const lb_scene_joint* joint);
/// Unit of the coordinate whose rate is velocity k.
lb_coordinate lb_joint_counts(const lb_scene_joint* joint, int k);
/// True for a nonlinear force curve.
bool lb_force_curve_bends(const lb_force_curve* curve);
const char* lb_integrator_name(lb_integrator integrator);
lb_method lb_integrator_method(lb_integrator integrator);
/// The error that adaptive steppers allow in a step.
double lb_adaptive_tolerance(const lb_scene_solver* solver);

#ifdef __cplusplus
}
#endif
