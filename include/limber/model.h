// The compiled world: flat arrays and indices, made from a scene. Immutable once built and shared
// by threads. What changes in time lives in lb_data (dynamics.h).
//
// Bodies are what the author wrote, in that order. Links are what moves: bodies joined by fixed
// joints share one, and bodies fixed to the world have none. Links are ordered so that a parent
// comes before its children. A link's frame sits at its joint, turned so that a hinge or slide has
// its axis along z; a body's pose in its link is constant.
#pragma once
#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of links beyond those of joints.
typedef enum lb_link_kind {
  LB_LINK_ELASTIC = LB_JOINT_COUNT, ///< an elastic body, with the coordinates of its basis
  LB_LINK_FACE,                     ///< one of its faces, moving with the same coordinates
  LB_LINK_FULL,                     ///< an elastic body with all its nodes
  LB_LINK_FULL_FACE,                ///< one of its faces
  LB_LINK_EFFECTOR,                 ///< an effector of a mechanism, moving with its coordinates
  LB_LINK_TENDON,                   ///< none: its coordinate is the stretch of a muscle's tendon
  LB_LINK_COUNT
} lb_link_kind;

/// A frame that moves with a link.
typedef struct lb_anchor {
  int link; ///< or LB_WORLD
  lb_transform X;
} lb_anchor;

/// A force on points that move with links.
typedef struct lb_model_force {
  lb_scene_force set;               ///< its rest length filled in
  lb_anchor* at;                    ///< [set.npoint] points it acts on
  const struct lb_model_path* path; ///< of a cable that runs over surfaces; else NULL
} lb_model_force;

/// A straight piece from a point of a force to the next, for those who draw it.
typedef struct lb_model_line {
  const lb_scene_point* point; ///< [2]
  const lb_anchor* at;         ///< [2]
} lb_model_line;

/// Drag on a link.
typedef struct lb_model_drag {
  lb_anchor at;                ///< a body's centre of mass
  double linear, angular, air; ///< the last with the square of the speed
} lb_model_drag;

/// Reaction of a joint on the body it carries: force and moment about the joint's origin there,
/// along the body's axes.
typedef struct lb_reaction {
  lb_vec3 force;  ///< [N]
  lb_vec3 moment; ///< [N m]
} lb_reaction;

/// A drawable piece of a body.
typedef struct lb_model_shape {
  int body; ///< or LB_WORLD
  lb_shape shape;
  lb_transform pose; ///< in the body's frame
  int material;
} lb_model_shape;

/// An elastic body: what it is made of, and its surface, for those who draw it. The surface's
/// vertices are undeformed, in the body's frame; coordinate k moves them along Phi[k].
typedef struct lb_model_elastic {
  int body;
  int r;                ///< coordinates, from joint_q of the body's own name on
  int q;                ///< the first of them
  int material;         ///< or -1
  int nregion;          ///< of a body of several materials; 0: all of `material`
  int* region_material; ///< [nregion] material of each region
  int nnode, nelem;     ///< of its mesh; 0 when the body was handed over in a basis
  double* frequency;    ///< [r] of the coordinates, the held face fixed and nothing carried [Hz]
  const char* held;     ///< the face that its frame is fixed to; NULL when handed over
  int nface;            ///< faces that carry something
  const char** face;    ///< [nface] names of these faces
  int* carried;         ///< [nface] a body that hangs on each, or -1
  double* limit; ///< [r] the range of each coordinate that its basis was made for, or NULL; then
                 ///< so are the next two
  double* load_limit;       ///< [nface + 1][6] limits of accelerations of its frame and faces
  double load_every;        ///< time between the frames that they come from [s]
  lb_mesh surface;          ///< vertices at sharp edges stand once for each side
  double* Phi;              ///< [r][3 * surface.nvertex]
  int* node;                ///< [surface.nvertex] node of the mesh that each is
  struct lb_stress* stress; ///< of its elements, or NULL: its mesh is not known
} lb_model_elastic;

/// Coupling: an equation of coordinates of the tree, sum of factor times coordinate, or function of
/// it, = value, or not below (sign 1) or above it (sign -1).
typedef struct lb_model_coupling {
  const char* name;
  lb_place place;
  int first, count; ///< terms
  double value;
  lb_profile* path;    ///< the value over time, or NULL: constant, or a motor's
  int motor;           ///< motor whose profile is the value, or -1
  bool velocity_level; ///< the path is of the sum's rate instead; what the sum is follows
  bool unilateral;
  lb_compliance compliance;
  bool bends;      ///< some of its terms are functions of coordinates
  bool ratchet;    ///< its value is the last tooth that was passed
  double pitch;    ///< of the teeth; 0: none
  bool eliminated; ///< by lb_elimination: it is no constraint
  double sign;     ///< 1 or -1
} lb_model_coupling;

typedef struct lb_model_term {
  int q, v; ///< the coordinate
  double factor;
  lb_profile* curve; ///< function of the coordinate in its place, or NULL
} lb_model_term;

/// Elimination of couplings of fixed ratio: each is solved for a dependent coordinate, held = sum
/// of factor times independent ones, so that qd = P u with as many unknowns less, [red] eq. 4.84.
typedef struct lb_elimination {
  int count;
  int* coupling;      ///< [count]
  int *held, *held_q; ///< [count] dependent velocity and its coordinate
  int* first;         ///< [count + 1] first term of each
  int *from, *from_q; ///< [terms] independent velocity and its coordinate
  double* factor;     ///< [terms] coefficient of the independent one
  double* offset;     ///< [count] constant part of the dependent coordinate
  double*
      R; ///< [count][count] takes the couplings' multipliers to those of the eliminated equations
  int nfree; ///< independent velocities
  int* free; ///< [nfree] independent velocities, rising
} lb_elimination;

/// Kinds of constraints beyond those that scenes have: joints that close loops, and rotations of
/// joints that motors prescribe.
enum { LB_CONSTRAINT_JOINT = LB_CONSTRAINT_COUNT, LB_CONSTRAINT_TURN, LB_CONSTRAINT_KINDS };

/// A constraint, of two frames or of coordinates.
typedef struct lb_model_constraint {
  const char* name;
  lb_place place;
  const char* title;     ///< "constraint", "motor", "loop joint", or "joint": of one that maximal
                         ///< coordinates take apart
  int kind;              ///< lb_constraint_kind, or one of those above
  int part;              ///< loop, prescribed motion or coupling that it is; else -1
  bool unilateral;       ///< its multiplier is not negative
  bool velocity_level;   ///< something of it is about velocities alone
  int body[2], face[2];  ///< bodies of the frames a and b, or LB_WORLD, and their faces, or -1
  lb_transform frame[2]; ///< frames in the bodies
  bool aligned;          ///< of a line or plane: the z axes of its frames are parallel
  lb_vec3 normal;        ///< of a floor: unit, in the world
  double value;          ///< of a floor: its height along the normal; of a distance: that
  lb_compliance compliance[2]; ///< of rows along directions or on coordinates; then about axes
} lb_model_constraint;

/// Prescribed motion of a point or frame of a body along the world's axes; or of a joint's
/// rotation, by motors, from the joint's frame in the parent. These are the last ones.
typedef struct lb_model_prescribed {
  int constraint;
  bool along[3];
  lb_profile* path[3];    ///< of its points along x, y, z; NULL: held
  bool velocity_level[3]; ///< paths of velocities instead
  double held[3];
  bool turn;                 ///< the orientation is prescribed, too
  lb_vec3 about;             ///< axis of the prescribed turn, in the world
  lb_profile* angle;         ///< angle of that turn; NULL: held
  bool angle_velocity_level; ///< path of a spin instead
  int motor[3];              ///< motors that prescribe a joint's rotation, or -1
  lb_quat from;              ///< orientation it starts from, in the parent's link
} lb_model_prescribed;

/// Link of a particle that is free.
enum { LB_PARTICLE_FREE = -2 };

/// A point mass of a rope or of a deformable. A free one has three coordinates, its place in the
/// world; what is fastened has none, and its mass is part of the link's.
typedef struct lb_model_particle {
  int link;        ///< LB_WORLD, or LB_PARTICLE_FREE
  lb_vec3 at;      ///< in the link; of a free one at the start
  double mass;     ///< [kg]
  double drag;     ///< [N s/m]
  int q, v;        ///< first coordinate and velocity of a free one
  int body;        ///< body it is fastened to, or LB_WORLD
  lb_vec3 in_body; ///< position in that body
} lb_model_particle;

/// Spring between two particles of a rope.
typedef struct lb_model_segment {
  int particle[2];
  double length;    ///< rest length [m]
  double stiffness; ///< the force for a strain of one [N]
  double damping;   ///< [s]
  bool pushes;      ///< resists compression, too
} lb_model_segment;

typedef struct lb_model_rope {
  const char* name;
  int first_particle, nparticle;
  int first_segment;
  int nway;     ///< pieces, from one of its points to the next
  int* share;   ///< [nway] segments of each piece
  int material; ///< or -1
  double radius;
} lb_model_rope;

/// Deformable: a finite-element mesh whose nodes are particles, with its surface to draw. Vertex i
/// is carried by four particles.
typedef struct lb_model_deformable {
  const char* name;
  int first_particle, nparticle;
  struct lb_fem* fem; ///< in the frame of the mesh
  bool shared;        ///< it is not this model's own
  struct lb_viscous* viscous;
  int nelem;
  int material;
  int* region_material; ///< [regions of fem] of the scene
  lb_mesh surface;      ///< undeformed, in that frame
  int (*carrier)[4];
  double (*weight)[4]; ///< sum 1
} lb_model_deformable;

/// Bodies, as written.
typedef struct lb_model_bodies {
  const char** name;     ///< [nbody]
  int* link;             ///< [nbody] or LB_WORLD
  lb_transform* in_link; ///< [nbody] pose in the link's (or the world's) frame
  lb_mass* mass;         ///< [nbody] in the body's frame
} lb_model_bodies;

/// Links, parents first.
typedef struct lb_model_links {
  int* parent;                   ///< [nlink] or LB_WORLD
  int* joint;                    ///< [nlink] index of its joint
  int* kind;                     ///< [nlink] lb_joint_kind or lb_link_kind
  int* q;                        ///< [nlink] first coordinate
  int* v;                        ///< [nlink] first velocity
  int* nv;                       ///< [nlink] velocities
  lb_transform* in_parent;       ///< [nlink] pose in the parent link when the coordinates are zero
  lb_mass* mass;                 ///< [nlink] in the link's frame
  lb_vec3* axis;                 ///< [nlink] of ball joints with limits: what swings and twists
  bool* driven;                  ///< [nlink] a motor prescribes its coordinates
  const struct lb_chart** chart; ///< [nlink] of joints that move by one, else NULL
  struct lb_link* packed;        ///< [nlink] numbers laid out for the recursions
  int ntree;                     ///< links that hang on the world
  int* tree;                     ///< [ntree + 1] links of tree t are tree[t] ... tree[t + 1] - 1
  int nhinge;                    ///< links on revolute joints
  int* hinge_q;                  ///< [nhinge] their coordinates
  int ncolumn; ///< directions in which links move: nv, and more for each face of elastic bodies
} lb_model_links;

/// Joints that move, in the author's order; bodies left free come after them, under their own name.
typedef struct lb_model_joints {
  const char** name; ///< [njoint]
  lb_place* place;   ///< [njoint] place in the scene, or of the body it carries
  lb_place* named;   ///< [njoint] place in `initial`, if it is there
  int* kind;         ///< [njoint] as of links
  int* link;         ///< [njoint]
  int* body;         ///< [njoint] the body it carries, or LB_WORLD of a tendon
  int* q;            ///< [njoint] first coordinate
  int* nq;           ///< [njoint]
  int* v;            ///< [njoint] first velocity
  int* nv;           ///< [njoint]
} lb_model_joints;

/// Degrees of freedom: what acts on single velocities.
typedef struct lb_model_dofs {
  int nstiff, nfriction, nlimit; ///< velocities with a spring, with friction, with limits
  int nbent;                     ///< springs that do not pull in proportion
  int* parent;                   ///< [nv] the next one towards the world, or -1
  int* run;                      ///< [nv] first of the consecutive ones it hangs on without a gap
  bool* driven;                  ///< [nv] a motor prescribes it
  int* counts;                   ///< [nv] lb_coordinate: what the velocity is the rate of
  const char** name;             ///< [nv] of the coordinate, for tables; NULL: it has none
  double* stiffness;             ///< [nv] spring
  lb_force_curve* force_curve;   ///< [nv] force curve of the spring
  double* rest;                  ///< [nq] rest of the spring
  double* damping;               ///< [nv]
  double* armature;              ///< [nv] inertia of a joint's rotor; mass of a free particle
  double* friction;              ///< [nv] Coulomb friction, of constant size
  double* friction_speed;        ///< [nv] speed at which friction is fully there
  double *lower, *upper;         ///< [nv] limits of coordinates that are numbers
  bool* clamped;                 ///< [nv] inverse kinematics keeps to them, though nothing pushes
  double *limit_stiffness, *limit_damping; ///< [nv] spring and damper beyond the limits
  double* limit_transition;                ///< [nv] over which the damper comes in
  bool* limit_pulls;                       ///< [nv] it holds back what returns
} lb_model_dofs;

/// Start of a motion.
typedef struct lb_model_start {
  double* q;    ///< [nq]
  double* qd;   ///< [nv]
  int* q_named; ///< [nv] as of lb_scene_named: its place is named by `initial`
  int* v_named; ///< [nv] its velocity is named by `initial`
} lb_model_start;

/// Forces between and on bodies.
typedef struct lb_model_forces {
  int count;
  lb_model_force* item; ///< [count]
  int nline;
  lb_model_line* line;         ///< [nline] pieces of springs and cables
  int of_kind[LB_FORCE_KINDS]; ///< number of each kind
  int ndrag, nload;
  lb_model_drag* drag;       ///< [ndrag]
  lb_scene_load* load;       ///< [nload]
  lb_anchor* load_at;        ///< [nload] points they act on
  lb_profile** load_profile; ///< [nload] NULL: constant
  int nexternal;
  lb_scene_external* external; ///< [nexternal]
} lb_model_forces;

/// A muscle: a path, and what makes its tension.
typedef struct lb_model_muscle {
  const char* name;
  lb_place place; ///< in the scene
  const struct lb_model_path* path;
  double tension;               ///< [N] at an excitation of 1; of Hill-type ones nothing
  const struct lb_hill* hill;   ///< NULL: its tension goes by the excitation alone
  const struct lb_hill* series; ///< fibre and tendon, where the tendon's stretch is a coordinate of
                                ///< its own: `hill` is then the fibre alone; else NULL
  int x;                        ///< first of its two numbers in lb_data's x, or -1
  double start[2];              ///< of these; NAN: as excited, and in equilibrium
  lb_profile* excitation;       ///< over time; NULL: feedback, or constant
  double constant;              ///< excitation without either
  int q, v;                     ///< coordinate of its feedback, or -1
  double to, gain, rate_gain;   ///< of the feedback
} lb_model_muscle;

/// Muscles.
typedef struct lb_model_muscles {
  int count;
  int ninertial;         ///< of them that have mass
  lb_model_muscle* item; ///< [count]
} lb_model_muscles;

/// Motors. One that prescribes a rotation counts as three, about x, y and z of the joint's frame on
/// the child: the first has its place in the scene, the others come after all.
typedef struct lb_model_motors {
  const char** name;           ///< [nmotor]
  lb_place* place;             ///< [nmotor] in the scene
  int* joint;                  ///< [nmotor] or -1: it is on a loop joint
  int* v;                      ///< [nmotor] velocity that it is on, or -1: it is on a loop joint
  int* coupling;               ///< [nmotor] by which it prescribes a coordinate of several, or -1
  int* prescribed;             ///< [nmotor] by which it prescribes a rotation, or -1
  int* loop;                   ///< [nmotor] loop joint it drives, or -1
  lb_motor_drive* drive;       ///< [nmotor]
  lb_profile** profile;        ///< [nmotor] NULL of those that prescribe rotations
  struct lb_turning** turning; ///< [nmotor] rotations prescribed, of the first of three; else NULL
  int nservo;
  struct lb_model_servo* servo; ///< [nservo]
} lb_model_motors;

/// A motor that follows its profile as far as it can.
typedef struct lb_model_servo {
  int motor;
  double stiffness, damping, limit; ///< as in the scene
} lb_model_servo;

/// Constraints on top of the tree.
typedef struct lb_model_constraints {
  int count, npair;
  lb_model_constraint* item; ///< [count] loop joints, then others of frames, npair in all; then
                             ///< couplings
  int nloop, nprescribed, ncoupling, nterm;
  int ncompliant;                  ///< constraints that yield
  int nbound;                      ///< of these, unilateral ones, each a row
  int nratchet;                    ///< couplings that are ratchets
  lb_scene_joint* loop;            ///< [nloop] joints that close loops
  int* loop_motor;                 ///< [nloop] motor that prescribes its motion, or -1
  lb_model_prescribed* prescribed; ///< [nprescribed]
  lb_model_coupling* coupling;     ///< [ncoupling]
  lb_model_term* term;             ///< [nterm] of the couplings
  lb_elimination elimination;      ///< of couplings of fixed ratio
} lb_model_constraints;

/// Ropes and deformables; their free particles' coordinates come after all others.
typedef struct lb_model_particles {
  int nparticle, nfree, nsegment, nrope, ndeformable;
  lb_model_particle* particle;     ///< [nparticle]
  lb_model_segment* segment;       ///< [nsegment]
  lb_model_rope* rope;             ///< [nrope]
  lb_model_deformable* deformable; ///< [ndeformable]
} lb_model_particles;

/// Elastic bodies.
typedef struct lb_model_elastics {
  int count;
  lb_model_elastic* body; ///< [count] in the order of the bodies
  int nface;              ///< faces of all of them
  int nfem;               ///< bodies with all their nodes
  struct lb_fem** fem;    ///< [nfem] their meshes
} lb_model_elastics;

/// A motor inside a reduced mechanism. With f the change of its profile since the start, the
/// coordinates y of the mechanism feel along (stiffness f + damping f').
typedef struct lb_model_inner_motor {
  const char* name;
  lb_profile* profile;
  bool servo;                ///< else its profile is a force
  bool slides;               ///< it drives a distance
  double stiffness, damping; ///< of a servo; of one whose profile is a force 1 and 0
  double q;                  ///< its coordinate in equilibrium
  double* along;             ///< [count] of y, or of amplitudes
} lb_model_inner_motor;

/// A mechanism that is reduced to its effectors. Its coordinates y are those of an elastic body,
/// its effectors that body's faces; all its other bodies follow when poses are asked for.
typedef struct lb_model_mechanism {
  const char* name;
  lb_place place;
  int body;               ///< that stands for it
  int base;               ///< body that carries it, or LB_WORLD
  lb_transform from;      ///< of the base, in equilibrium: from the world to it
  int count;              ///< of y, or of amplitudes where it has several models
  struct lb_model* whole; ///< its bodies, with its base held and all others fixed
  double* q;              ///< [whole's nq] equilibrium
  double* dq;             ///< [count][whole's nv] along these
  bool* follows;          ///< [nbody] bodies of it that are no effectors
  lb_transform* link;     ///< [whole's nlink] in equilibrium, where links are shown by their own
                          ///< exponentials; else NULL
  double* twist;          ///< [whole's nlink][6][count] of these by y
  int nmotor;
  lb_model_inner_motor* motor; ///< [nmotor]
} lb_model_mechanism;

/// Reduced mechanisms.
typedef struct lb_model_mechanisms {
  int count;
  int nmotor;               ///< of all
  lb_model_mechanism* item; ///< [count]
  bool owned;               ///< their models are released with this one
} lb_model_mechanisms;

/// A path that is drawn.
typedef struct lb_model_tube {
  const char* name;
  const struct lb_model_path* path;
  double radius;   ///< of a muscle that of its belly; 0: as springs are drawn
  int material;    ///< or -1
  int muscle;      ///< that it is, or -1
  double belly[2]; ///< of a muscle: where its belly begins and ends, as parts of its length
} lb_model_tube;

/// Looks.
typedef struct lb_model_looks {
  int nshape, nmaterial;
  lb_model_shape* shape;       ///< [nshape]
  lb_scene_material* material; ///< [nmaterial]
  int ntube, ntube_line;
  lb_model_tube* tube; ///< [ntube] muscles, and cables over surfaces; of ntube_line straight pieces
} lb_model_looks;

/// Surface of an elastic body, a rope or a deformable that collides: points of it with rigid
/// shapes. Those of an elastic body are vertices of what is drawn, others are sums of particles.
typedef struct lb_model_surface {
  int elastic;         ///< of the elastic bodies, or -1: it is made of particles
  int part;            ///< of particles: the rope, or the number of ropes + the deformable
  lb_mesh mesh;        ///< its points, undeformed, and triangles over them; none of ropes
  int* vertex;         ///< [mesh.nvertex] of an elastic body: vertices of what is drawn
  int (*carrier)[4];   ///< [mesh.nvertex] of others: particles
  double (*weight)[4]; ///< [mesh.nvertex] of these, sum 1
  int ntried;          ///< points that are held against shapes
  int* tried;          ///< [ntried] rising, evenly spread where there are very many points
  int nfastened;       ///< links that particles are fastened to, which do not collide with it
  int* fastened;       ///< [nfastened]
  double radius;       ///< of its points [m]
} lb_model_surface;

/// A shape that collides, or a surface that bends.
typedef struct lb_model_collider {
  int shape;                          ///< of the looks; -1 of surfaces
  lb_place place;                     ///< of shapes
  int body, link;                     ///< or LB_WORLD; nbody + its part of a surface of particles
  const struct lb_collider* geometry; ///< of shapes
  const lb_model_surface* soft;       ///< of surfaces that bend, else NULL; these come last
  double size;                        ///< smallest half width, the scale of tolerances [m]
  lb_transform X;                     ///< in the link, or in the world
  lb_contact_surface surface;
  lb_vec3 belt; ///< velocity of its surface, in the link [m/s]
  int family;
} lb_model_collider;

/// What happens between two families of bodies.
typedef struct lb_model_meeting {
  bool collide;
  lb_contact_surface surface; ///< negative ones: those of the materials
} lb_model_meeting;

/// Contacts.
typedef struct lb_model_contacts {
  lb_scene_contacts set; ///< without its pairs
  int ncollider, nshape;
  lb_model_collider* collider; ///< [ncollider] nshape rigid shapes, then surfaces that bend
  int nfamily;                 ///< bodies that the pairs of the scene treat alike
  lb_model_meeting* meeting;   ///< [nfamily][nfamily]
  int njoined;
  int (*joined)[2]; ///< [njoined] links that joints hold together: they do not collide
} lb_model_contacts;

typedef struct lb_model {
  const char* name;
  const char* about;
  const char* file;
  lb_vec3 gravity;
  double duration;
  lb_scene_solver solver;
  lb_scene_record record;

  int nq;     ///< coordinates
  int nv;     ///< velocities
  int nx;     ///< first-order states: activation and fibre length of each Hill-type muscle
  int ndense; ///< velocities of joints and bodies in a basis, which come first; then those of free
              ///< particles
  int nbody, nlink, njoint, nmotor;

  lb_model_bodies body;
  lb_model_links link;
  lb_model_joints joint;
  lb_model_dofs dof;
  lb_model_start start;
  lb_model_forces force;
  lb_model_muscles muscle;
  lb_model_motors motor;
  lb_model_constraints constraint;
  lb_model_particles particles;
  lb_model_elastics elastic;
  lb_model_mechanisms mechanism;
  lb_model_looks look;
  lb_model_contacts contact;
  bool solves_bounds; ///< steps solve for servos and for unilateral constraints that yield: those
                      ///< of linear-euler, euler and implicit integrators; else these are forces

  struct lb_variants* variants; ///< the models of its scene, for solvers
  void* storage;                ///< the arena all of it lives in
} lb_model;

/// Compile a scene that lb_scene_check() accepts. The scene may be released afterwards.
lb_status lb_model_create(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                          lb_error* err);
void lb_model_release(lb_model* model);

/// The model that moves where `model` is shown: with 'elastic: full' one with all nodes, which
/// `model` owns; else itself.
const lb_model* lb_model_simulated(const lb_model* model);

/// Other numbers for a material that elastic bodies are made of. NAN: as it was.
typedef struct lb_material_change {
  int material;             ///< index into the model's materials
  double young;             ///< [Pa] > 0
  double damping_mass;      ///< [1/s] >= 0
  double damping_stiffness; ///< [s] >= 0
} lb_material_change;

/// Changed mass of a body, rigid or elastic.
typedef struct lb_mass_change {
  int body;
  double factor; ///< > 0, on what it weighs: mass and inertia grow alike
} lb_mass_change;

/// Changes that make a model of another. Later changes of the same thing replace earlier ones.
typedef struct lb_variation {
  int nmaterial, nmass;
  const lb_material_change* material; ///< [nmaterial]
  const lb_mass_change* mass;         ///< [nmass]
} lb_variation;

/// Variation: a model with other numbers. Nothing is meshed or reduced again, which makes it a
/// matter of microseconds: an elastic body's shapes stay the same when all of it gets stiffer or
/// heavier. It shares what it can with `model`, which must outlive it; release it as any other.
lb_status lb_model_vary(const lb_model* model, const lb_variation* variation,
                        const lb_allocator* allocator, lb_model** varied, lb_error* err);

/// Index of a body, joint or motor by name, or -1.
int lb_model_body(const lb_model* model, const char* name);
int lb_model_joint(const lb_model* model, const char* name);
int lb_model_motor(const lb_model* model, const char* name);

/// Name of what touches: a body, a rope or a deformable (nbody + its part), or scenery.
const char* lb_model_toucher(const lb_model* model, int body);

/// A point of a body, in the body's frame, as something that moves with a link.
lb_anchor lb_model_anchor_of(const lb_model* model, int body, lb_vec3 point);

#ifdef __cplusplus
}
#endif
