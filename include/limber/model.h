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
  LB_LINK_COUNT
} lb_link_kind;

/// A frame that moves with a link.
typedef struct lb_anchor {
  int link; ///< or LB_WORLD
  lb_transform X;
} lb_anchor;

/// Drag on a link.
typedef struct lb_model_drag {
  lb_anchor at;                ///< a body's centre of mass
  double linear, angular, air; ///< the last with the square of the speed
} lb_model_drag;

/// What a joint passes to the body it carries: force and moment about the joint's origin there,
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
/// vertices are those at rest, in the body's frame; coordinate k moves them along Phi[k].
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
  double* load_limit; ///< [nface + 1][6] the same of accelerations of its frame and what it carries
  double load_every;  ///< time between the frames that they come from [s]
  lb_mesh surface;    ///< vertices at sharp edges stand once for each side
  double* Phi;        ///< [r][3 * surface.nvertex]
} lb_model_elastic;

/// Coupling: a linear equation of coordinates of the tree, sum of factor times coordinate = value,
/// or not below (sign 1) or above it (sign -1).
typedef struct lb_model_coupling {
  const char* name;
  lb_place place;
  int first, count; ///< terms
  double value;
  lb_profile* path;    ///< the value over time, or NULL: constant, or a motor's
  int motor;           ///< motor whose profile is the value, or -1
  bool velocity_level; ///< the path is of the sum's rate instead; what the sum is follows
  bool unilateral;
  bool eliminated; ///< by lb_elimination: it is no constraint
  double sign;     ///< 1 or -1
} lb_model_coupling;

typedef struct lb_model_term {
  int q, v; ///< the coordinate
  double factor;
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

/// Prescribed motion of a point or frame of a body along the world's axes, or a floor that it is
/// kept above. Its place among the loops is that of a free joint from the world. The rotation of a
/// joint that a motor prescribes is one from the joint's frame in the parent instead; these are the
/// last ones.
typedef struct lb_model_prescribed {
  int loop;
  bool along[3];
  lb_profile* path[3];    ///< of its points along x, y, z; NULL: held
  bool velocity_level[3]; ///< these paths are of velocities instead
  double held[3];
  bool turn;                 ///< the orientation is prescribed, too
  lb_vec3 about;             ///< axis of the prescribed turn, in the world
  lb_profile* angle;         ///< angle of that turn; NULL: held
  bool angle_velocity_level; ///< that is a spin instead
  bool unilateral;           ///< a floor: lambda >= 0
  lb_vec3 normal;            ///< normal of the floor, unit, in the world
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
  lb_vec3 in_body; ///< where, in that body
} lb_model_particle;

/// Spring between two particles of a rope.
typedef struct lb_model_segment {
  int particle[2];
  double length;    ///< at rest [m]
  double stiffness; ///< the force for a strain of one [N]
  double damping;   ///< [s]
  bool pushes;      ///< where it is shorter than that, too
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
  lb_mesh surface;      ///< at rest, in that frame
  int (*carrier)[4];
  double (*weight)[4]; ///< sum 1
} lb_model_deformable;

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
  int ndense; ///< velocities of joints and bodies in a basis, which come first; then those of free
              ///< particles

  // --- bodies, as written ---
  int nbody;
  const char** body_name;     ///< [nbody]
  int* body_link;             ///< [nbody] or LB_WORLD
  lb_transform* body_in_link; ///< [nbody] pose in the link's (or the world's) frame
  lb_mass* body_mass;         ///< [nbody] in the body's frame

  // --- links, parents first ---
  int nlink;
  int ntree;        ///< links that hang on the world
  int* tree_link;   ///< [ntree + 1] links of tree t are tree_link[t] ... tree_link[t + 1] - 1
  int* link_parent; ///< [nlink] or LB_WORLD
  int* link_joint;  ///< [nlink] index of its joint below
  int* link_kind;   ///< [nlink] lb_joint_kind or lb_link_kind
  int* link_nv;     ///< [nlink] velocities
  int nelastic;     ///< elastic bodies
  lb_model_elastic* elastic;    ///< [nelastic] in the order of the bodies
  int nface;                    ///< their faces
  int ncolumn;                  ///< directions in which links move: nv, and more for each face
  int* link_q;                  ///< [nlink] first coordinate
  int* link_v;                  ///< [nlink] first velocity
  lb_transform* link_in_parent; ///< [nlink] pose in the parent link when the coordinates are zero
  lb_mass* link_mass;           ///< [nlink] in the link's frame
  lb_vec3* link_axis;           ///< [nlink] of ball joints with limits: what swings and twists
  bool* link_driven;            ///< [nlink] a motor prescribes its coordinates
  int nhinge;                   ///< links on revolute joints
  int* hinge_q;                 ///< [nhinge] their coordinates
  const struct lb_chart** link_chart; ///< [nlink] of joints that move by one, else NULL
  struct lb_link* link;               ///< [nlink] the same numbers laid out for the recursions

  // --- joints that move, in the author's order (bodies left free come after them, under their own
  // name) ---
  int njoint;
  const char** joint_name; ///< [njoint]
  lb_place* joint_place;   ///< [njoint] where the scene has it, or the body it carries
  lb_place* joint_named;   ///< [njoint] where `initial` has it, if it does
  int* joint_kind;         ///< [njoint] as link_kind
  int* joint_link;         ///< [njoint]
  int* joint_body;         ///< [njoint] the body it carries
  int* joint_q;            ///< [njoint] first coordinate
  int* joint_nq;           ///< [njoint]
  int* joint_v;            ///< [njoint] first velocity
  int* joint_nv;           ///< [njoint]

  // --- coordinates ---
  int nstiff, nfriction, nlimit; ///< those with a spring, with friction, with limits
  int nbent;                     ///< springs that do not pull in proportion
  int* v_parent;                 ///< [nv] the next coordinate towards the world, or -1
  int* v_run;        ///< [nv] first of the consecutive coordinates it hangs on without a gap
  bool* v_driven;    ///< [nv] a motor prescribes it
  double* q0;        ///< [nq] start
  double* qd0;       ///< [nv] start
  int* q_named;      ///< [nv] as of lb_scene_named: its place is named by `initial`
  int* v_named;      ///< [nv] its velocity is named by `initial`
  double* stiffness; ///< [nv] spring on the coordinate
  lb_force_curve* force_curve; ///< [nv] and how it pulls
  double* damping;             ///< [nv]
  double* armature;            ///< [nv] inertia of a joint's rotor; mass of a free particle
  double* rest;                ///< [nq] where the spring pulls to
  int* counts;                 ///< [nv] lb_coordinate of joints: what the velocity is the rate of
  double* friction;            ///< [nv] Coulomb friction, of constant size
  double* friction_speed;      ///< [nv] speed at which friction is fully there
  double *lower, *upper;       ///< [nv] limits of coordinates that are numbers
  double *limit_stiffness, *limit_damping; ///< [nv] spring and damper beyond the limits
  double* limit_transition;                ///< [nv] over which the damper comes in
  bool* limit_pulls;                       ///< [nv] it holds back what returns

  // --- forces, motors, constraints ---
  int nspring, nload, nmotor, nloop, ncable, nground, ndrag;
  int nline;                 ///< springs, and pieces of cables from point to point
  lb_scene_spring* spring;   ///< [nline] rest lengths filled in; beyond nspring: where pieces of
                             ///< cables run, for those who draw them
  lb_anchor* spring_end;     ///< [nline][2] where they are fastened
  lb_scene_cable* cable;     ///< [ncable] rest lengths filled in; their points are below
  lb_anchor* cable_point;    ///< where they pass, cable after cable
  int* cable_first;          ///< [ncable + 1] first point of each
  lb_scene_ground* ground;   ///< [nground]
  lb_anchor* ground_point;   ///< points that may touch them
  int* ground_first;         ///< [nground + 1] first point of each
  lb_model_drag* drag;       ///< [ndrag]
  lb_scene_load* load;       ///< [nload]
  lb_anchor* load_at;        ///< [nload] where they act
  lb_profile** load_profile; ///< [nload] NULL: constant
  const char** motor_name; ///< [nmotor] one that prescribes a rotation counts as three, about x, y
                           ///< and z of the joint's frame on the child: the first has its place
                           ///< in the scene, the others come after all
  lb_place* motor_place;   ///< [nmotor] in the scene
  int* motor_joint;        ///< [nmotor] or -1: it is on a loop
  int* motor_v;            ///< [nmotor] velocity that it is on, or -1: it is on a loop
  int* motor_coupling;     ///< [nmotor] by which it prescribes a coordinate of several, or -1
  int* motor_prescribed;   ///< [nmotor] by which it prescribes a rotation, or -1
  int* motor_loop;         ///< [nmotor] loop it drives, or -1
  lb_motor_drive* motor_drive; ///< [nmotor]
  lb_profile** motor_profile;  ///< [nmotor] NULL of those that prescribe rotations
  struct lb_turning**
      motor_turning;    ///< [nmotor] rotations prescribed, of the first of three; else NULL
  lb_scene_joint* loop; ///< [nloop] joints that close loops
  int* loop_motor;      ///< [nloop] motor that prescribes its motion, or -1
  int nprescribed, ncoupling, nterm;
  lb_model_prescribed* prescribed; ///< [nguide]
  lb_model_coupling* coupling;     ///< [nrelation]
  lb_model_term* term;             ///< [nterm]
  lb_elimination elimination;

  // --- ropes and deformables; their free particles' coordinates come after all others ---
  int nparticle, nfree, nsegment, nrope, ndeformable;
  lb_model_particle* particle;
  lb_model_segment* segment;
  lb_model_rope* rope;
  lb_model_deformable* deformable;
  struct lb_model*
      tree; ///< the same world without particles, sharing these arrays; NULL: it is this

  // --- looks ---
  int nshape, nmaterial;
  lb_model_shape* shape;       ///< [nshape]
  lb_scene_material* material; ///< [nmaterial]

  // --- elastic bodies with all their nodes, when the scene's solver asks for them ---
  struct lb_model* full; ///< the same world with such bodies: what is simulated. Here is what is
                         ///< shown of it. NULL: this one is simulated
  struct lb_model*
      condensed; ///< of `full`: the same world with the few coordinates its steps solve for
  struct lb_model* interface; ///< of `full`: the same world with what faces feel of the nodes,
                              ///< which derivatives of its steps are solved for with
  int nfem;
  struct lb_fem** fem; ///< [nfem] their meshes

  struct lb_model* assembly; ///< of maximal coordinates, where loops or constraints have to be
                             ///< closed at the start: the same world with its joints in trees,
                             ///< where that is done. Else NULL

  void* storage; ///< the arena all of it lives in
} lb_model;

/// Compile a scene that lb_scene_check() accepts. The scene may be released afterwards.
lb_status lb_model_create(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                          lb_error* err);
void lb_model_release(lb_model* model);

/// Other numbers for a material that elastic bodies are made of. NAN: as it was.
typedef struct lb_material_change {
  int material;             ///< index into the model's materials
  double young;             ///< [Pa] > 0
  double damping_mass;      ///< [1/s] >= 0
  double damping_stiffness; ///< [s] >= 0
} lb_material_change;

/// Another mass for a body, rigid or elastic.
typedef struct lb_mass_change {
  int body;
  double factor; ///< > 0, on what it weighs: mass and inertia grow alike
} lb_mass_change;

/// How a model differs from another. Later changes of the same thing replace earlier ones.
typedef struct lb_variation {
  int nmaterial, nmass;
  const lb_material_change* material; ///< [nmaterial]
  const lb_mass_change* mass;         ///< [nmass]
} lb_variation;

/// The same model with other numbers. Nothing is meshed or reduced again, which makes it a matter
/// of microseconds: an elastic body's shapes stay the same when all of it gets stiffer or heavier.
/// It shares what it can with `model`, which must outlive it; release it as any other.
lb_status lb_model_vary(const lb_model* model, const lb_variation* variation,
                        const lb_allocator* allocator, lb_model** varied, lb_error* err);

/// Index of a body, joint or motor by name, or -1.
int lb_model_body(const lb_model* model, const char* name);
int lb_model_joint(const lb_model* model, const char* name);
int lb_model_motor(const lb_model* model, const char* name);

/// A point of a body, in the body's frame, as something that moves with a link.
lb_anchor lb_model_anchor_of(const lb_model* model, int body, lb_vec3 point);

#ifdef __cplusplus
}
#endif
