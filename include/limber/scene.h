// The description of a world as its author wrote it: named parts, checked, not yet compiled. Read
// one from a file with lb_scene_read(), or fill the arrays yourself and call lb_scene_check().
#pragma once
#include "limber/contact.h"
#include "limber/geometry.h"
#include "limber/profile.h"
#include "limber/progress.h"
#include "limber/scene_joint.h"
#include "limber/scene_muscle.h"
#include "limber/scene_solver.h"
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
  /// Of cables: a point that a joint moves in its body, or that counts at times, as muscles have
  /// them; NULL: a fixed one.
  const struct lb_scene_path_point* path;
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
  double smooth;      ///< of grounds: depth over which they come into contact [m]; 0: at once
  double smooth_speed; ///< of smooth grounds: speed over which they let go of what leaves [m/s] > 0
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
  // of forces
  double optimal; ///< torque or force at a control of 1 [N m, N]; 0: 1
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
const char* lb_contact_method_name(lb_contact_method method);
lb_method lb_integrator_method(lb_integrator integrator);
/// The error that adaptive steppers allow in a step.
double lb_adaptive_tolerance(const lb_scene_solver* solver);

#ifdef __cplusplus
}
#endif
