// Reduction of a mechanism to its end effectors (FORK-1S), exact to first order about an
// equilibrium. From the linearised mechanism with its loops, K dq - J'lambda = sum of J_e'w_e and
// J dq = 0, come the compliance of the effectors and the way in which all links follow them.
//
// Twists and wrenches of effectors and links are along their own axes at their own origins,
// angular part first, six numbers each. Matrices are stored by rows.
#pragma once
#include "limber/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A reduced mechanism. Its effectors move by xi = shape' y, in admissible coordinates y alone.
/// Where the base floats, the first six of these are the base's own twist.
typedef struct lb_fork {
  const lb_model* model; ///< of the whole mechanism
  const lb_scene_fork* what;
  int number;               ///< which of its models this is, from 0
  int neffector, nv, nlink; ///< nv: coordinates of the whole mechanism
  int base;                 ///< coordinates of a floating base, 6 or 0
  int count;                ///< admissible coordinates, those of the base first, modes last
  int modes;                ///< those of them that move no effector
  int base_link;            ///< link of a floating base, or LB_WORLD
  double radius;            ///< size of the mechanism: half the diagonal of its bounding box [m]
  lb_anchor* at;            ///< [neffector] place of the effectors in their links
  bool fell;                ///< the scene's pose is unstable: the equilibrium is another one

  // --- equilibrium ---
  double* q;          ///< [nq]
  lb_transform* pose; ///< [neffector] effectors in the world
  lb_transform* link; ///< [nlink] links in the world
  double* wrench;     ///< [neffector][6] forces on effectors there

  // --- effectors: all [6 neffector] numbers, relative to the base ---
  double* C;     ///< [6 neffector][6 neffector] compliance
  double* shape; ///< [count][6 neffector] twists of the effectors
  double* joint; ///< [6 neffector][nv] their twists by the joints, C = joint joint': columns over
                 ///< roots of stiffness

  // --- admissible coordinates ---
  double *K, *D, *M; ///< [count][count] stiffness, damping and mass
  double* dq;        ///< [count][nv] coordinates of the whole mechanism, along its velocities

  // --- links ---
  double* follow; ///< [nlink][6][count] twists by the coordinates y
  double* T; ///< [nlink][6][6 neffector] twist map: from wrenches of effectors to twists of links
  double* W; ///< [nlink][6][6 neffector] wrench map: to what passes through the links' joints; NULL
             ///< of models with elastic bodies

  void* storage;
} lb_fork;

/// Reduce a mechanism about equilibrium `pose` of those that `what` lists. `model` and `what` must
/// outlive the result. LB_FAILED: there is no equilibrium, it is unstable, or something that moves
/// an effector has no stiffness; LB_INVALID: effectors cannot move, or what the reduction cannot
/// do.
lb_status lb_fork_create(const lb_model* model, const lb_scene_fork* what, int pose,
                         const lb_allocator* allocator, lb_fork** fork, lb_error* err);
/// The same about the equilibrium under wrenches on the effectors [neffector][6], along the world's
/// axes at their points. `number` tells it from others.
lb_status lb_fork_create_under(const lb_model* model, const lb_scene_fork* what, int number,
                               const double* wrench, const lb_allocator* allocator, lb_fork** fork,
                               lb_error* err);
/// NULL is ignored.
void lb_fork_release(lb_fork* fork);

/// Compliance of effector a to wrenches on effector b along the world's axes, each at its own
/// point: [6][6], turns and moments first.
void lb_fork_compliance(const lb_fork* fork, int a, int b, double C[36]);

/// Principal compliances of an effector, the largest first: of its point under forces [m/N], or of
/// its turns under moments [rad/(N m)], and their axes in the world. Of a direction in which it
/// cannot move it is zero.
typedef struct lb_fork_axes {
  double compliance[3];
  lb_vec3 axis[3];
} lb_fork_axes;
lb_fork_axes lb_fork_principal(const lb_fork* fork, int effector, bool turns);

/// Frequencies of the reduced model without damping [Hz], rising: [fork->count], zero of a base
/// that floats. LB_FAILED: its mass is not positive.
lb_status lb_fork_frequencies(const lb_fork* fork, double* frequency, lb_error* err);

// --- in scenes ---

/// Model of a scene whose mechanisms are simulated by their effectors: all but those that say
/// 'simulate: whole'. Without any it is that of lb_model_create(). Step, record and release it as
/// any other. Poses of all bodies are found when they are asked for.
lb_status lb_fork_model_create(const lb_scene* scene, const lb_allocator* allocator,
                               lb_model** model, lb_error* err);

/// Model of a mechanism of a scene by itself, and what is to be reduced in it: with its base held,
/// and all that hangs neither on it nor carries it fixed where it starts. Where nothing else moves
/// it is the scene's own model, and `what` the scene's.
lb_status lb_fork_alone_create(const lb_scene* scene, int fork, const lb_allocator* allocator,
                               lb_model** model, lb_scene_fork* what, lb_error* err);

/// How far effectors are from where they should be, and how much they move otherwise.
typedef struct lb_fork_gap {
  double way, rate;       ///< of their points [m, m/s]
  double turn, turn_rate; ///< [rad, rad/s]
} lb_fork_gap;

/// State of one model of a scene handed over to another, in which mechanisms are reduced otherwise.
/// Joints of both keep their numbers. Effectors keep their places and velocities, and their turns
/// as well as joints let them; as near as its shapes let it where the new model is reduced (`gap`).
lb_status lb_fork_hand_over(const lb_model* to, lb_data* data, const lb_model* from,
                            lb_data* from_data, const lb_allocator* allocator, lb_fork_gap* gap,
                            lb_error* err);

/// A change between phases of a fork.
typedef struct lb_fork_switch {
  double time;
  bool whole;      ///< what follows
  int models;      ///< of what follows
  lb_fork_gap gap; ///< between both
} lb_fork_switch;

/// The fork with phases, or -1.
int lb_fork_with_phases(const lb_scene* scene);

/// Simulate a scene by the phases of a fork. `recording` is of the scene's whole model
/// (lb_model_create), in which frames of all phases are. `changes` has room for one less than there
/// are phases; `count` says how many there were.
lb_status lb_fork_simulate_phases(const lb_scene* scene, const lb_simulate_options* options,
                                  lb_recording* recording, lb_summary* summary,
                                  lb_fork_switch* changes, int* count, lb_error* err);

// --- stepping ---

/// Steps a reduced mechanism by backward Euler in its admissible coordinates, on its own. Effectors
/// are at pose exp(xi), xi = shape'y, and potential energy is that of y, so that their wrench is
/// conservative whatever they turn. Set y, v and base before the first step; nothing is allocated
/// after creation.
typedef struct lb_fork_stepper {
  const lb_fork* fork;
  double step;        ///< [s]
  double *y, *v;      ///< [count] admissible coordinates and velocities
  lb_transform base;  ///< pose of a base that floats; its y stay zero
  lb_transform* pose; ///< [neffector] of the effectors in the world, by lb_fork_place
  double* xi;         ///< [neffector][6] twists from their poses in equilibrium
  int threads;        ///< input: how many threads links may use
  struct lb_fork_stepping* own;
} lb_fork_stepper;

lb_status lb_fork_stepper_create(const lb_fork* fork, double step, const lb_allocator* allocator,
                                 lb_fork_stepper** stepper, lb_error* err);
/// NULL is ignored.
void lb_fork_stepper_release(lb_fork_stepper* stepper);

/// Effectors where y and the base are: sets xi and pose.
void lb_fork_place(lb_fork_stepper* stepper);
/// One step under wrenches on the effectors [neffector][6] along the world's axes, at the
/// effectors' own points; NULL: none. Forces of the equilibrium do not act by themselves.
void lb_fork_step(lb_fork_stepper* stepper, const double* wrench);

/// Kinetic and elastic energy [J], without forces from outside.
double lb_fork_energy(const lb_fork_stepper* stepper);
/// Wrenches [neffector][6] by which the mechanism pulls its effectors back, along their own axes.
void lb_fork_wrench(const lb_fork_stepper* stepper, double* wrench);
/// Momentum of the whole about the world's origin, moment first, of a mechanism whose base floats.
void lb_fork_momentum(const lb_fork_stepper* stepper, double momentum[6]);

/// Coordinates q [nq] of the whole mechanism: its joints turn in proportion to y, so that links
/// stay together. Gaps of loops are of second order; lb_project closes them.
void lb_fork_coordinates(const lb_fork_stepper* stepper, double* q);
/// Links as [fork] has them: pose exp(T w), each on its own, with gaps of second order. [nlink]
void lb_fork_links(const lb_fork_stepper* stepper, lb_transform* link);
/// Links [nlink] by their joints, as lb_fork_coordinates has them, in a fraction of the time.
/// False: some joint is not a hinge, slide, screw or ball, and nothing is done.
bool lb_fork_links_by_joints(const lb_fork_stepper* stepper, lb_transform* link);

// --- several models ---

/// The linear model that a blend is where its effectors are, for who steps it beside other things:
/// with rates xi' = Q'v of the chart and wrenches g = J_r'w along it,
///
///   M v' + D v + f0 + K dy = Q g
///
/// about the present xi, dy = 0. Q has a row for each motion that is admissible now, and changes
/// from step to step; xi and its rate are the state.
typedef struct lb_fork_tangent {
  int count;
  const lb_transform* centre; ///< [neffector] effectors are at centre exp(xi)
  const double* xi;           ///< [neffector][6]
  double* Q;                  ///< [count][6 neffector]
  double *M, *K, *D;          ///< [count][count]
  double* f0;                 ///< [count] by which the mechanism pulls back
  double* p;                  ///< [count] momentum of the present rates along Q, M v
  double* aside;              ///< [6 neffector] way of xi to what is admissible
} lb_fork_tangent;

/// Models of one mechanism about several equilibria, blended by how near the effectors are to each.
/// Their poses are coordinates xi of one chart about the mean of all equilibria, in which forces
/// and compliances are exact to second order between models. Nothing is allocated after creation.
typedef struct lb_fork_blend {
  int count;
  lb_fork* const* fork; ///< [count] of the same effectors, on a base that does not float
  double step;          ///< [s]
  double* xi;           ///< [neffector][6] state: where the effectors are in the chart, and ...
  double* rate;         ///< [neffector][6] ... how fast these change
  lb_transform* pose;   ///< [neffector] effectors in the world, by lb_fork_blend_place
  double* weight;       ///< [count] Shepard's weights, of sum one, by lb_fork_blend_look and steps
  struct lb_fork_blending* own;
} lb_fork_blend;

/// `fork` must outlive it. It starts at rest in the first model's equilibrium. LB_INVALID: a base
/// floats, or models are of different mechanisms.
lb_status lb_fork_blend_create(lb_fork* const* fork, int count, double step,
                               const lb_allocator* allocator, lb_fork_blend** blend, lb_error* err);
/// NULL is ignored.
void lb_fork_blend_release(lb_fork_blend* blend);

/// Effectors where xi is: sets pose.
void lb_fork_blend_place(lb_fork_blend* blend);
/// State from poses [neffector] and twists [neffector][6] along the effectors' own axes (NULL: at
/// rest).
void lb_fork_blend_set(lb_fork_blend* blend, const lb_transform* pose, const double* twist);
/// Twists [neffector][6] along the effectors' own axes.
void lb_fork_blend_twist(const lb_fork_blend* blend, double* twist);
/// Weights where the effectors are, and all that hangs on them.
void lb_fork_blend_look(lb_fork_blend* blend);
/// The linear model there, after lb_fork_blend_look. It is overwritten by the next call.
const lb_fork_tangent* lb_fork_blend_tangent(lb_fork_blend* blend);
/// Compliance there along the effectors' own axes, as lb_fork's C.
void lb_fork_blend_compliance(const lb_fork_blend* blend, double* C);
/// lb_fork_blend_look, then one step by backward Euler under wrenches as of lb_fork_step.
void lb_fork_blend_step(lb_fork_blend* blend, const double* wrench);
/// Wrenches by which the mechanism pulls its effectors back, as of lb_fork_wrench. After
/// lb_fork_blend_look.
void lb_fork_blend_wrench(const lb_fork_blend* blend, double* wrench);
/// Coordinates q [nq] of the whole mechanism: each model's by its joints, blended. After
/// lb_fork_blend_look.
void lb_fork_blend_coordinates(const lb_fork_blend* blend, double* q);

/// Mean of poses by their weights (of sum one): the sum of weight_i log(mean^-1 X_i) vanishes. It
/// does not depend on their order.
lb_transform lb_fork_mean(int count, const lb_transform* X, const double* weight);

// --- linearised again in every step ---

/// Steps a tree by its effectors, linearised where it is in every step: nothing is blended, and at
/// rest it is where the whole is. It takes time linear in the links. Nothing is allocated after
/// creation.
typedef struct lb_fork_tree {
  const lb_fork* fork; ///< where it begins
  double step;         ///< [s]
  double *q, *qd;      ///< [nq], [nv] coordinates of the whole and their rates; look after changes
  lb_transform* pose;  ///< [neffector] effectors in the world
  double* C;           ///< [6 neffector][6 neffector] compliance by the springs of the joints
  struct lb_fork_tree_work* own;
} lb_fork_tree;

/// LB_INVALID: there are loops, elastic bodies, a base that floats, or joints without springs.
lb_status lb_fork_tree_create(const lb_fork* fork, double step, const lb_allocator* allocator,
                              lb_fork_tree** tree, lb_error* err);
/// NULL is ignored.
void lb_fork_tree_release(lb_fork_tree* tree);
/// pose and C where q is. False: a joint has no stiffness there.
bool lb_fork_tree_look(lb_fork_tree* tree);
/// One step by backward Euler under wrenches as of lb_fork_step.
void lb_fork_tree_step(lb_fork_tree* tree, const double* wrench);

// --- how far it is off ---

/// Estimates of what a reduced mechanism is off by, from the whole where its joints are: one step
/// of Newton's method there towards the equilibrium under the wrenches of the reduced one. It is
/// what a model neglects, but for terms of higher order than the first of them.
typedef struct lb_fork_judge lb_fork_judge;
lb_status lb_fork_judge_create(const lb_fork* fork, const lb_allocator* allocator,
                               lb_fork_judge** judge, lb_error* err);
/// NULL is ignored.
void lb_fork_judge_release(lb_fork_judge* judge);
/// Largest way of an effector to where it should be under the same wrenches: the length of the
/// twist, with lengths in radii of the mechanism.
double lb_fork_judge_stepper(lb_fork_judge* judge, const lb_fork_stepper* stepper);
double lb_fork_judge_blend(lb_fork_judge* judge, lb_fork_blend* blend);

/// Motion of a reduced mechanism beside that of the whole.
typedef struct lb_fork_motion {
  double moved;    ///< farthest that an effector of the whole goes [m]
  double off;      ///< farthest that the reduced one is from it [m]
  long steps;      ///< of both
  double seconds;  ///< of the reduced steps
  double whole;    ///< of the others, by the scene's integrator [s]
  double estimate; ///< the largest estimate of lb_fork_judge in a frame; NAN where its base floats
  int grown;       ///< models that were added
  int left_out;    ///< loads of the scene on links without an effector, which the reduced one lacks
} lb_fork_motion;

/// Somebody who looks on while both motions are stepped.
typedef struct lb_fork_watch {
  lb_recording* whole; ///< gets the frames of the whole mechanism; or NULL
  void* context;
  /// Poses of the effectors [neffector] in each frame, of both; or NULL. False: no memory.
  bool (*seen)(void* context, double time, const lb_transform* reduced, const lb_transform* whole);
} lb_fork_watch;

/// Step the models of one fork, blended where there are several, and the whole mechanism, both from
/// the first model's equilibrium, by steps of equal length. The scene's loads on links of effectors
/// act as they change from their start; motors stay. Frames of the reduced motion go to
/// `recording`, with loops closed. Where the fork is to grow, a model is added after a frame whose
/// estimate is above its `error`, about the equilibrium under the wrenches there: `fork` has room
/// for `grow.most`, and `count` counts on. `watch` may be NULL.
lb_status lb_fork_simulate(lb_fork** fork, int* count, const lb_simulate_options* options,
                           lb_recording* recording, const lb_fork_watch* watch,
                           lb_fork_motion* motion, lb_error* err);

/// How far an effector at rest is off its place in the whole, over forces on it: `side` by `side`
/// of them, along two of the world's axes, those along which it gives way most. Forces go from
/// -force to force; rows are those along the second axis.
typedef struct lb_fork_map {
  const lb_fork* fork; ///< the first model
  int effector;
  int axis[2];  ///< 0: x, 1: y, 2: z
  double force; ///< [N] a little more than the largest of the models and of the scene's loads
  int side;
  double* moved;  ///< [side][side] how far the effector of the whole goes [m]; NAN: there is no
                  ///< equilibrium
  double* off[2]; ///< [side][side] of the first model alone, and of all blended [m]; the second is
                  ///< NULL where there is one
  void* storage;
} lb_fork_map;
/// Of `count` models of one mechanism, whose base does not float.
lb_status lb_fork_map_create(lb_fork* const* fork, int count, int effector, int side,
                             const lb_allocator* allocator, lb_fork_map** map, lb_error* err);
/// NULL is ignored.
void lb_fork_map_release(lb_fork_map* map);
/// Force of a model's equilibrium on an effector, along the world's axes [N].
lb_vec3 lb_fork_load(const lb_fork* fork, int effector);

/// Models of a scene, all that `limber fork` makes.
typedef struct lb_fork_result {
  int count;
  lb_fork* const* fork;      ///< [count]
  lb_fork_motion motion;     ///< of the first fork
  const lb_recording* whole; ///< its motion with all its joints
  int nframe;
  const double* time;  ///< [nframe]
  const double* place; ///< [nframe][neffector][2][3] of its effectors, reduced and whole
  int nmap;
  lb_fork_map* const* map; ///< [nmap] of effectors of all forks
} lb_fork_result;

/// Name of a model's file: NAME.npz, NAME-2.npz and so on.
typedef struct lb_fork_file {
  char name[100];
} lb_fork_file;
lb_fork_file lb_fork_file_of(const lb_fork* fork);

/// Write a model to a folder, under that name.
lb_status lb_fork_write(const lb_fork* fork, const char* dir, const lb_allocator* allocator,
                        lb_error* err);

#ifdef __cplusplus
}
#endif
