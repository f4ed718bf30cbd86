// What the files of optimisation share. docs/optimize.md derives it.
#pragma once
#include "base/arena.h"
#include "design/tape/tape.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/tree/state.h"
#include "elastic/reduced/reduced.h"
#include "limber/dynamics.h"
#include "limber/optimize.h"
#include "solve/explicit/explicit_derivative.h"
#include "solve/implicit/implicit.h"

// --- masses (optimize_mass.c) ---

// Mass, first and second moments about an origin: what a body's forces are linear in.
typedef struct lb_bulk {
  double m;
  lb_v4 h;
  lb_m3 E;
} lb_bulk;

// A rigid body whose mass or length may change. With the factors s on its density and f on its
// length along u, from x0 on, its points go to x0 + A (x - x0), A = 1 + (f - 1) u u', and
//
//   (m, h, E) = s f (m0, A h0, A E0 A)      about x0, then seen from its link
typedef struct lb_growth {
  int body;     // of the scene ...
  int part;     // ... or the part of it in the model that this is, and ...
  double parts; // ... of how many: joints that close loops may split it, docs/constraints.md
  int link;
  lb_vec3 x0, along; // of the part's frame
  lb_vec3 shift;     // of a part whose frame moves as the body gets longer: where it is, from x0 on
  lb_vec3 centre;    // of mass, in the body
  lb_bulk base;      // of the part, about x0, in the body's axes
  lb_transform in_link;   // of axes of the body at x0
  int drag;               // of the model that acts at its centre of mass, or -1
  double density, length; // s and f
} lb_growth;

lb_growth lb_growth_make(const lb_model* m, int body, int part, lb_vec3 x0, lb_vec3 along,
                         lb_vec3 shift);
// Of the body as it is now, in its link; and its change with s or f.
lb_bulk lb_growth_bulk(const lb_growth* g);
lb_bulk lb_growth_by_density(const lb_growth* g);
lb_bulk lb_growth_by_length(const lb_growth* g);
// Of the whole body in its own frame, as scenes have it.
lb_mass lb_growth_mass(const lb_growth* g);
// Where drag acts, in the link, and its change with f.
lb_vec3 lb_growth_centre(const lb_growth* g);
lb_vec3 lb_growth_centre_by_length(const lb_growth* g);
// Add a bulk times s to a link's.
void lb_link_add_bulk(lb_link* link, double s, const lb_bulk* b);
// The power of the force that a bulk needs for its link's motion, for velocities that move the
// link's origin with `by`.
double lb_bulk_power(const lb_bulk* b, const lb_state* s, lb_motion by);

// --- the numbers of one parameter ---

typedef struct lb_slide { // of something on a body that gets longer
  int motor;              // that holds it
  double reach;           // how far it moves when the length doubles
} lb_slide;

typedef struct lb_block {
  const lb_scene_parameter* p;
  int first, count;
  int part;         // of a joint: which of its coordinates is the first, of a composite one
  int q, v;         // of a joint or free body: its coordinates where starts are made
  int own_q, own_v; // of a joint: those in the model, ...
  int loop;         // ... or the loop that it is there; else -1
  int said;         // of the start of a joint that closes a loop in the tree: its number; else -1
  int* coordinate;  // [ncoordinate] of a joint: those that a stiffness or damping is of
  int ncoordinate;
  lb_profile_definition profile; // of a motor: its values are the numbers, and where the curve
                                 // comes round to its first key the first of them once more
  lb_profile** unit;             // [count] likewise, of a curve that feels a value far away: what
                                 // one more of each adds; else NULL
  int growth, ngrowth;           // of a mass or length: the first, and how many
  int nslide;
  lb_slide* slide;
} lb_block;

// A joint that closes a loop and whose start parameters say.
typedef struct lb_said {
  int loop;                      // of the tree
  int n;                         // of its velocities
  double q[4], qd[3];            // as the scene starts
  const lb_block *place, *speed; // that say otherwise, or NULL
  bool dropped[3];               // it need not be where the scene has it
} lb_said;

// Conditions on a start, and what follows from them: as many coordinates or velocities.
typedef struct lb_following {
  int count;
  int *row, *column; // [count]
} lb_following;

// What carries a free particle of a rope or deformable along where bodies start elsewhere.
typedef struct lb_carrying {
  int node;
  lb_anchor at; // of the tree
  double weight;
  lb_v4 from;             // where it is as the scene starts, in the world
  const lb_block* length; // of the body, along which it moves; or NULL
  lb_vec3 reach;          // how far when the length doubles, in the link
} lb_carrying;

// A goal, for the model.
typedef struct lb_aimed {
  const lb_scene_goal* g;
  int body;
  lb_vec3 at;
  int q, v;         // of a joint: its coordinates in the model, ...
  int loop;         // ... or the loop that it is there, where they are measured; else -1
  int begin;        // of such a joint: its coordinates in the tree, or -1
  double* followed; // [steps + 1][count] likewise: where it was in the last run
  int first, last;  // steps at whose ends it counts
  double weight;    // at each of them
} lb_aimed;

typedef struct lb_optimizing {
  lb_optimization public;
  const lb_allocator* allocator;
  lb_arena arena;
  lb_scene given;  // the scene as it was: what numbers are written into may be the caller's own
  lb_scene slid;   // the same with slides where lengths may change
  lb_model* model; // of it; of elastic bodies with all their nodes if it wants them
  lb_model* shown; // what it was compiled to: the model, or what that is part of
  lb_model* tree;  // of it, where starts are made: the one compiled, or in maximal coordinates one
                   // with joints in trees; elastic bodies are in a basis
  int nblock, ngrowth, ngoal;
  lb_block* block;
  lb_growth* growth;
  lb_aimed* goal;
  double *q0, *v0; // [nq], [nv] of the tree: the start as the scene has it, loops closed ...
  double *q1, *v1; // ... and that of the last run
  double* way;     // [nv] of the tree: along which coordinates that follow went there
  double* r;       // [nv + rows] of the model, scratch
  bool* keeps;     // [nv] of the model: coordinates that keep their charts, since goals are about
                   // them or stiffness may be
  double h;
  lb_data* rest; // of the tree: the start as the scene has it
  int nsaid;
  lb_said* said;
  int ncarrying, most_carrying;
  lb_carrying* carrying;
  lb_following places;   // how a start's coordinates follow from conditions ...
  lb_following rates;    // ... and its velocities
  bool begins_as_sdirk2; // a run by BDF2 does, as that of the authors of [red]
  lb_tape tape;          // the last run
} lb_optimizing;

// --- slides (optimize_slide.c) ---

// The scene with a slide for everything on bodies that get longer.
lb_status lb_slides_add(lb_optimizing* o, const lb_scene* from, lb_error* err);
// Where a body stays when it gets longer: where its joint holds it.
lb_vec3 lb_body_root(const lb_scene* s, int body);

// --- blocks (optimize_block.c) ---

// What a stiffness, damping or rest is to whatever pulls.
extern const lb_spring_number lb_number_of_spring[LB_PARAMETER_COUNT];

// Parameters as numbers: what can be said of them before there is a model, ...
lb_status lb_parameters_make(lb_optimizing* o, lb_error* err);
// ... what they are in it, and their values and bounds.
lb_status lb_parameters_find(lb_optimizing* o, lb_error* err);
// Is it about the turning of a joint that slides as well?
bool lb_block_turns(const lb_block* b);
// Is the number of a joint's start one that a motor says? It stays as it is.
bool lb_block_is_prescribed(const lb_optimizing* o, const lb_block* b, int number);
// Is the joint turned by a quaternion? Its places and rests are then turned from those of the scene
// by the first three numbers; of a free joint the others are where it is.
bool lb_joint_has_quaternion(const lb_scene_joint* joint);
// The loop that a joint is in the model, or -1.
int lb_optimizing_loop(const lb_model* m, const char* name);

// --- numbers into models (optimize_apply.c) and scenes (optimize_write.c) ---

// What numbers make of the models.
typedef struct lb_played {
  const double* x;
  lb_model model;
  lb_model other;       // the tree, where it is another model
  const lb_model* tree; // where the start is made
} lb_played;

// The models with the numbers x in them, and the growths set to them.
lb_status lb_optimizing_play(lb_optimizing* o, const double* x, lb_arena* arena, lb_played* to);
// The part of x that is a rotation vector from the scene's own orientation, as a rotation.
lb_quat lb_turned(const double* quaternion, const double* x);
// A motor's curve with the numbers x, its values taken from the arena; NULL there: no memory.
lb_profile_definition lb_curve_make(lb_arena* arena, const lb_block* b, const double* x);
// Put a number of a spring, cable or joint where it belongs.
void lb_put_resistance(lb_parameter_kind kind, double x, double* stiffness, double* damping,
                       double* rest);
// How a profile without a unit at time t changes with its values: those from `first` on, at most
// six, with value and first two derivatives each. Their count.
int lb_profile_weights(const lb_profile_definition* p, double t, int* first, double weight[][3]);

// --- conditions on starts (optimize_conditions.c) ---

typedef struct lb_conditions {
  const lb_optimizing* o;
  const lb_model* tree;
  lb_data* d;
  lb_derivatives* D; // at d's state; NULL: not needed
  lb_arena arena;
  int most, count, loops; // rows there can be; that there are; and of these, of loops
  double *gap, *rate;     // [count]
  double* J;              // [count][nv] of the tree; driven coordinates are left out
  bool* velocity_level;   // [count] without a gap
  double* scratch;        // [9][nv]
} lb_conditions;

// Those of d, whose model is the tree, with derivatives where they are wanted. To be ended, whether
// it went well or not.
lb_status lb_conditions_begin(lb_conditions* c, const lb_optimizing* o, const lb_model* tree,
                              lb_data* d, bool derive, lb_error* err);
void lb_conditions_end(lb_conditions* c);
// At d's state, with the numbers x; NULL: as the scene has them.
void lb_conditions_look(lb_conditions* c, const double* x);
// Derivatives of gaps and rates by coordinates and of rates by velocities, [count][nv of D] each.
void lb_conditions_differentiate(const lb_conditions* c, double* gap_q, double* rate_q, double* J);
// The said joint that a row is about, and its k-th condition; -1: it is a loop's.
int lb_conditions_said(const lb_conditions* c, int row, int* k);
// Have a block say where a joint that closes a loop starts, or how fast.
void lb_said_find(lb_optimizing* o, lb_block* b, const char* joint);

// --- starts (optimize_choice.c, optimize_start.c, optimize_start_back.c) ---

// Choose what follows, at the start as the scene has it.
lb_status lb_start_choose(lb_optimizing* o, lb_error* err);
// The start in trees, loops closed, in d, which is of them.
lb_status lb_start_close(const lb_optimizing* o, const lb_played* m, lb_data* d, lb_error* err);
// The start of a run, in d, which is of the model.
lb_status lb_start_make(lb_optimizing* o, const lb_played* m, lb_data* d, lb_error* err);

// The chosen rows and columns of a matrix with nv columns, factored; false: singular.
bool lb_start_factor(const lb_following* f, const double* J, int nv, double* A, int* order);
// n rows by coordinates at the last start, made rows by the way there: `scratch` [2][nv of m].
void lb_start_along(const lb_optimizing* o, const lb_model* m, int n, double* rows,
                    double* scratch);

// How an objective changes with the start.
typedef struct lb_start_slopes {
  double *q, *v;  // [nv] of the model: what is given
  double* tree_q; // [nv] of the tree: by the coordinates that do not follow ...
  double* tree_v; // ... and velocities
  double* motor;  // [nmotor][3] by what motors ask of joints that close loops: added to ...
  double* said_q; // [nsaid][3] ... as are those by what is said of where these start, ...
  double* said_v; // ... and how fast
  double* length; // [nblock] likewise by lengths, of where deformables start
} lb_start_slopes;

// From how it changes with all coordinates and velocities of the model to how it changes with those
// of the tree that do not follow.
lb_status lb_start_pull(const lb_optimizing* o, const lb_played* m, lb_start_slopes* by,
                        lb_error* err);

// Write the coordinates and velocities of d into a scene with the model's joints and free bodies.
void lb_start_write(const lb_model* m, const lb_data* d, lb_scene* scene);

// --- ropes and deformables (optimize_deformables.c) ---

// Whether it is one of theirs; as a scene has it; and into a scene or a model with arrays of its
// own, where it was `given`.
bool lb_fabric_owns(const lb_block* b);
double lb_fabric_given(const lb_scene* s, const lb_block* b);
void lb_fabric_write(lb_scene* s, const lb_block* b, double x);
lb_status lb_fabric_put(lb_model* m, lb_arena* arena, const lb_block* b, double x, double given);
// Deformables as stiff as one more of a modulus makes it; NULL: it is another number.
lb_status lb_fabric_prepare(const lb_optimizing* o, const lb_block* b, lb_arena* arena,
                            lb_model_deformable** part);
// The power of the change of their forces, by one more of a number, for velocities z of the nodes,
// which are where d has them. Writes over d's forces on nodes.
double lb_fabric_power(const lb_optimizing* o, const lb_model* m, const lb_data* d,
                       const lb_block* b, const lb_model_deformable* part, const double* z);

// --- a deformable on bodies that get longer (optimize_stretch.c) ---

// How far a point of the body of a length moves when that doubles, in the body.
lb_vec3 lb_stretch_reach(const lb_optimizing* o, const lb_block* b, lb_vec3 in_body);
// Move nodes and their masses, in a model with nodes and links of its own.
void lb_stretch_put(const lb_optimizing* o, lb_model* m, const lb_block* b, double f);
typedef struct lb_stretch_room {
  double* particles; // [12 * nnode]
  lb_motion* S;      // [nv]
} lb_stretch_room;
// The power of what the equations of motion get beyond, less, for one more of the length: for
// velocities mu, which move nodes with z. Writes over d's forces on nodes.
double lb_stretch_power(const lb_optimizing* o, const lb_model* m, const lb_derivatives* D,
                        lb_data* d, const lb_block* b, bool impact, const lb_stretch_room* room,
                        const double* mu, const double* z);

// --- moduli of elastic bodies (optimize_elastic.c) ---

// Make what is of a block's material, in a model with links of its own, so many times as stiff; of
// other blocks, nothing.
lb_status lb_modulus_put(lb_model* m, lb_arena* arena, const lb_block* b, double factor);
// Elastic bodies, [nelastic], as stiff as one more of a modulus makes them; r is 0 of those that it
// is not about.
lb_status lb_modulus_prepare(const lb_optimizing* o, const lb_block* b, lb_arena* arena,
                             lb_reduced** part);
// The power of the change of their forces for velocities mu; scratch [nv].
double lb_modulus_power(const lb_optimizing* o, const lb_data* d, const lb_reduced* part,
                        double* scratch, const double* mu);
// Have bodies of a scene keep their shapes, whatever the moduli are. false: no memory.
bool lb_modulus_write(lb_optimizing* o, lb_scene* s);

// --- where they start (optimize_made.c) ---

// What carries their free particles, from how the scene starts.
lb_status lb_made_find(lb_optimizing* o);
// Put the nodes of d, which is of the tree and has them as the scene does, where its bodies carry
// them.
void lb_made_start(const lb_optimizing* o, const lb_played* m, lb_data* d);
// From how an objective changes with their places to how it changes with the tree's coordinates, in
// by->tree_q, and with lengths; D is that of d's state, S [nv] scratch.
void lb_made_pull(const lb_optimizing* o, const lb_played* m, const lb_derivatives* D, lb_data* d,
                  lb_motion* S, lb_start_slopes* by);
// Into a scene, as d has them: how they were made, and where they start. false: no memory.
bool lb_made_write(lb_optimizing* o, const lb_model* tree, const lb_data* d, lb_scene* s);

// --- runs (optimize_run.c) ---

lb_status lb_optimizing_run(lb_optimizing* o, const lb_played* m, lb_data* d, double* objective,
                            double* goal, lb_error* err);
// The stepper of runs, iterated further than that of simulations.
lb_status lb_optimizing_stepper(const lb_optimizing* o, const lb_model* m, lb_stepper** st,
                                lb_error* err);
// What is compared, off from what it should be, at d's state with kinematics in place.
void lb_aimed_miss(const lb_aimed* a, const lb_model* m, lb_data* d, int step,
                   double miss[LB_GOAL_MOST]);
lb_anchor lb_aimed_anchor(const lb_aimed* a, const lb_model* m);
// Is it about what a motor must exert that drives a position?
bool lb_aimed_exerts(const lb_aimed* a, const lb_model* m);
// The motor whose force is number k of the goal: one that prescribes a rotation is three.
int lb_aimed_motor(const lb_aimed* a, const lb_model* m, int k);
// Do goals ask for what motors exert at the end of a record's step?
bool lb_optimizing_exerts(const lb_optimizing* o, const lb_model* m, int record);
// What they exert there, d being there, where goals ask for it. An impact takes no time: what
// counts is what they exert before. r [nv + rows] is scratch.
void lb_optimizing_exert(const lb_optimizing* o, const lb_model* m, lb_data* d, int record,
                         double* r);

// --- joints that are measured (optimize_joint.c) ---

// What the joint of a goal is in the model.
lb_status lb_aimed_find(lb_optimizing* o, lb_aimed* a, const char* joint);
// Where it is at the end of a step, or at the start: once for each, in their order.
void lb_aimed_follow(const lb_optimizing* o, lb_aimed* a, const lb_model* m, const lb_data* d,
                     int step);
// Its coordinates or velocities then.
void lb_aimed_measure(const lb_aimed* a, const lb_model* m, const lb_data* d, int step,
                      double* value);
// How the goal changes with coordinates and velocities [nv], for what is compared; scratch [9][nv].
void lb_aimed_add_measured(const lb_aimed* a, const lb_derivatives* D, const lb_data* d,
                           const double* miss, double* scratch, double* by_q, double* by_v);

// --- the gradient (optimize_gradient.c) ---

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_played* m, double* gradient,
                                 lb_error* err);
