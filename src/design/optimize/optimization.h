// Inside of optimisation. docs/theory-optimize.md derives it.
//
// A scene's parameters are blocks of numbers, each of a kind with a table (parameter_*.c); its
// goals are of kinds with tables, too (optimize_goal.c). A run puts the numbers into copies of the
// models (optimize_apply.c), makes a start (optimize_start.c), steps onto the tape (optimize_run.c)
// and goes back along it (optimize_gradient.c).
#pragma once
#include "base/arena.h"
#include "design/tape/tape.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/tree/state.h"
#include "elastic/reduced/reduced.h"
#include "limber/dynamics.h"
#include "limber/optimize.h"
#include "solve/implicit/implicit.h"

typedef struct lb_optimizing lb_optimizing;
typedef struct lb_block lb_block;
typedef struct lb_aimed lb_aimed;
typedef struct lb_played lb_played;
typedef struct lb_player lb_player;
typedef struct lb_way_back lb_way_back;
typedef struct lb_start_slopes lb_start_slopes;
typedef struct lb_tangent_models lb_tangent_models;

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
  int body;     // of the scene
  int part;     // part of the body in the model
  double parts; // number of its parts: joints that close loops may split it, docs/constraints.md
  int link;
  lb_vec3 x0, along;      // of the part's frame
  lb_vec3 centre;         // of mass, in the body
  lb_bulk base;           // of the part, about x0, in the body's axes
  lb_transform in_link;   // of axes of the body at x0
  int drag;               // of the model that acts at its centre of mass, or -1
  double density, length; // s and f
} lb_growth;

lb_growth lb_growth_make(const lb_model* m, int body, int part, lb_vec3 x0, lb_vec3 along);
// Growths for another model of the same parts, as dense and long as they are (parameter_body.c).
void lb_growths_renew(lb_optimizing* o, const lb_scene* s, const lb_model* m);
// Bulk of the body as it is now, in its link; and its derivative by s or f.
lb_bulk lb_growth_bulk(const lb_growth* g);
lb_bulk lb_growth_by_density(const lb_growth* g);
lb_bulk lb_growth_by_length(const lb_growth* g);
// Mass of the whole body in its own frame, as scenes have it.
lb_mass lb_growth_mass(const lb_growth* g);
// Point at which drag acts, in the link, and its derivative by f.
lb_vec3 lb_growth_centre(const lb_growth* g);
lb_vec3 lb_growth_centre_by_length(const lb_growth* g);
// Add a bulk times s to a link's.
void lb_link_add_bulk(lb_link* link, double s, const lb_bulk* b);
// The power of the force that a bulk needs for its link's motion, for velocities that move the
// link's origin with `by`.
double lb_bulk_power(const lb_bulk* b, const lb_state* s, lb_motion by);

// --- kinds of parameters ---

// Lower bound: none, zero, or a thousandth of the start.
typedef enum lb_floor { LB_FLOOR_NONE, LB_FLOOR_ZERO, LB_FLOOR_PART } lb_floor;

// NULL where a kind has nothing to do.
typedef struct lb_parameter_type {
  // Before there is a model: how many numbers (NULL: one), and what cannot be.
  lb_status (*make)(lb_optimizing* o, lb_block* b, lb_error* err);
  lb_status (*find)(lb_optimizing* o, lb_block* b, lb_error* err); // finds them in the models
  // Address of the numbers in a scene, if they stand there as they are; NULL: no memory. Else
  // functions that read them from the scene as it was, and write them into one.
  double* (*in_scene)(lb_optimizing* o, lb_scene* s, const lb_block* b);
  void (*read)(const lb_optimizing* o, const lb_block* b, double* x);
  bool (*write)(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x);
  // Lower bound of the numbers, whatever the author allows.
  lb_floor floor;
  lb_floor (*floor_of)(const lb_optimizing* o, const lb_block* b);
  lb_status (*put)(lb_player* w, const lb_block* b, const double* x); // into models
  // Add to the gradient what they do to a stage, by its multiplier mu; `impact`: to such a one.
  void (*pull)(lb_way_back* w, const lb_block* b, bool impact, const double* mu);
  // Likewise what they do to the start, in the tree.
  void (*pull_start)(lb_way_back* w, const lb_block* b, const lb_played* m,
                     const lb_start_slopes* by);
  // Of motors: likewise what the value, rate and acceleration of its curve at a time do.
  void (*pull_curve)(lb_way_back* w, const lb_block* b, double time, const double by[3]);
  bool impacts; // they change impacts, too
  bool starts;  // they say how something starts
  bool rate;    // and how fast
} lb_parameter_type;

extern const lb_parameter_type lb_parameter_joint_place, lb_parameter_joint_rate,
    lb_parameter_body_place, lb_parameter_body_turn, lb_parameter_body_rate,
    lb_parameter_body_spin; // parameter_start.c
extern const lb_parameter_type lb_parameter_motor, lb_parameter_phase,
    lb_parameter_excitation;                                           // parameter_motor.c
extern const lb_parameter_type lb_parameter_mass, lb_parameter_length; // parameter_body.c
extern const lb_parameter_type lb_parameter_spring, lb_parameter_joint_rest,
    lb_parameter_force; // parameter_spring.c
extern const lb_parameter_type lb_parameter_rope, lb_parameter_rope_slack,
    lb_parameter_material;                        // parameter_deformable.c
extern const lb_parameter_type lb_parameter_text; // parameter_text.c

// A stiffness, damping or rest as a number of a force.
extern const lb_spring_number lb_number_of_spring[LB_PARAMETER_COUNT];

// --- the numbers of one parameter ---

typedef struct lb_slide { // of something on a body that gets longer
  int motor;              // motor that holds it
  double reach;           // motion when the length doubles
} lb_slide;

struct lb_block {
  const lb_scene_parameter* p;
  const lb_parameter_type* type;
  int first, count;
  int part;         // of a joint: which of its coordinates is the first, of a composite one
  int q, v;         // of a joint or free body: its coordinates where starts are made
  int own_q, own_v; // of a joint: its coordinates in the model
  int loop;         // of a joint: its loop in the model, or -1
  int* coordinate;  // [ncoordinate] of a joint: those that a stiffness or damping is of
  int ncoordinate;
  lb_profile_definition profile; // of a motor: its values are the numbers, and where the curve
                                 // comes round to its first key the first of them once more
  lb_profile** unit;             // [count] likewise, of a curve that feels a value far away: what
                                 // one more of each adds; else NULL
  int growth, ngrowth;           // of a mass or length: the first, and how many
  int nslide;
  lb_slide* slide;
  lb_model_deformable* deformable; // [ndeformable] of a modulus: as stiff as one more makes them
  lb_reduced* reduced;             // [nelastic] likewise; r is 0 of those that it is not about
};

// Motion of a free particle of a rope or deformable along with bodies that start elsewhere.
typedef struct lb_carrying {
  int node;
  lb_anchor at; // of the tree
  double weight;
  lb_v4 from; // position as the scene starts, in the world
} lb_carrying;

// Constraints on a start, and what follows from them: as many coordinates or velocities.
typedef struct lb_following {
  int count;
  int *row, *column; // [count]
} lb_following;

// --- goals (optimize_goal.c) ---

typedef struct lb_goal_type {
  // Measured quantity, at d's state at the end of a step, with kinematics in place.
  void (*measure)(const lb_aimed* a, const lb_model* m, lb_data* d, int step, double* value);
  // The same of d's state in another model, whatever was noted on the way; NULL: it is the same.
  void (*measure_in)(const lb_aimed* a, const lb_model* m, lb_data* d, int step, double* value);
  // Add to how the objective changes with the stage's end, for slopes by what is compared.
  void (*pull)(lb_way_back* w, const lb_aimed* a, double time, const double* slope, double* by_q,
               double* by_v);
  void (*follow)(const lb_aimed* a, const lb_model* m, lb_data* d, int step); // notes places
  bool mean;        // it is about the steps at both ends of a time
  bool effort;      // it is about what a motor must exert that drives a position
  bool coordinates; // it is about coordinates of the model
  bool still;       // it is about an equilibrium, and no run (optimize_stiffness.c)
} lb_goal_type;

// A goal, for the model.
struct lb_aimed {
  const lb_scene_goal* g;
  const lb_goal_type* type;
  int body;
  lb_vec3 at;
  int q, v;         // of a joint: its coordinates in the model
  int loop;         // of a joint: its loop in the model, where they are measured, or -1
  int begin;        // of such a joint: its coordinates in the tree, or -1
  double* followed; // [steps + 1][count] likewise, and of means: where it was in the last run
  int first, last;  // steps at whose ends it counts
  double time;      // of a mean: between these
  int* moment;      // [steps + 1] of a path: which of its places a step is about, or -1; else NULL
  double weight;    // at each of them
};

// The body whose point it is about, or LB_WORLD: it is about something else.
int lb_goal_body(const lb_scene_goal* g);
lb_status lb_goals_make(lb_optimizing* o, lb_error* err);
// Points of goals as a played scene has them, whose text may say where they are.
void lb_goals_place(lb_optimizing* o, const lb_played* m);
// Goals in the model, and the times at which they count.
lb_status lb_goals_find(lb_optimizing* o, lb_error* err);
// Add what goals are worth at the end of a step, where d is; of joints that are measured, note
// where they are.
void lb_goals_look(lb_optimizing* o, const lb_model* m, lb_data* d, int step, double* goal);
// Add to how the objective changes with the end of a record's stage.
void lb_goals_pull(lb_way_back* w, const lb_record* s, double* by_q, double* by_v);
// True where some goal counts at a record that measures its state.
bool lb_goals_count_at(const lb_optimizing* o, const lb_record* s);
// Slopes of the goals at a record, in w->slope, times what they measure of d, which is that of
// another played scene in the same state; forces of motors aside, which are r of a stage.
double lb_goals_see(const lb_way_back* w, const lb_record* s, const lb_played* m, lb_data* d);
// True where goals are about motor forces: in some step, or (record >= 0) in that of a record.
bool lb_goals_exert(const lb_optimizing* o, int record);

// Are there goals about equilibria, and about runs?
bool lb_goals_still(const lb_optimizing* o);
bool lb_goals_move(const lb_optimizing* o);

// --- goals on stiffness at effectors (optimize_stiffness.c) ---

// Mechanisms whose stiffness cannot be a goal are refused.
lb_status lb_stiffness_check(lb_optimizing* o, lb_error* err);
// Add what they are worth, and their gradient [nvalue].
lb_status lb_stiffness_look(lb_optimizing* o, const lb_played* m, double* goal, lb_error* err);
lb_status lb_stiffness_pull(lb_optimizing* o, const lb_played* m, double* gradient, lb_error* err);

// --- the whole ---

// A scene whose text has other numbers, and its models (optimize_remake.c).
typedef struct lb_remade {
  lb_scene scene;
  lb_model *shown, *tree; // NULL: no number is of the text
} lb_remade;

struct lb_optimizing {
  lb_optimization public;
  const lb_allocator* allocator;
  lb_arena arena;
  lb_scene given; // the scene as it was: what numbers are written into may be the caller's own
  lb_scene slid;  // scene with slides where lengths may change
  const lb_model* model; // of it; of elastic bodies with all their nodes if it wants them
  lb_model* shown;       // compiled scene: the model, or one that it is part of
  lb_model* tree; // of it, where starts are made: the one compiled, or in maximal coordinates one
                  // with joints in trees; elastic bodies are in a basis
  int nblock, ngrowth, ngoal;
  lb_block* block;
  lb_growth* growth;
  lb_aimed* goal;
  double *q0, *v0; // [nq], [nv] of the tree: the start as the scene has it, loops closed
  double *q1, *v1; // [nq], [nv] of the tree: the start of the last run
  double* way;     // [nv] of the tree: along which coordinates that follow went there
  double* r;       // [nv + rows] of the model, scratch
  bool* keeps;     // [nv] of the model: coordinates that keep their charts, since goals are about
                   // them or stiffness may be
  double h;
  lb_data* rest; // of the tree: the start as the scene has it
  int ncarrying, most_carrying;
  lb_carrying* carrying;
  lb_following places;   // dependent coordinates of a start, by constraints
  lb_following rates;    // dependent velocities of a start
  bool begins_as_sdirk2; // a run by BDF2 does, as that of the authors of [red]
  lb_tape tape;          // the last run
  int nremade;           // scenes that callers' scenes share
  lb_remade* remade;
};

// --- slides (optimize_slide.c) ---

// The scene with a slide for everything on bodies that get longer.
lb_status lb_slides_add(lb_optimizing* o, const lb_scene* from, lb_error* err);
// Fixed point of a body that gets longer: where its joint holds it.
lb_vec3 lb_body_root(const lb_scene* s, int body);
// Everything in a scene that is fastened to a body at a point, shapes and goals aside: `to` (NULL:
// only count) gets them; how many there are.
typedef struct lb_fastened {
  int* body;
  lb_vec3* at;
} lb_fastened;
int lb_scene_fastened(const lb_scene* s, lb_fastened* to);

// --- blocks (optimize_block.c) ---

// Parameters as numbers, before there is a model.
lb_status lb_parameters_make(lb_optimizing* o, lb_error* err);
// Parameters in the model, with their values and bounds.
lb_status lb_parameters_find(lb_optimizing* o, lb_error* err);
// True for a number of a joint's start that a motor prescribes; it stays as it is.
bool lb_block_is_prescribed(const lb_optimizing* o, const lb_block* b, int number);
// The loop that a joint is in the model, or -1.
int lb_optimizing_loop(const lb_model* m, const char* name);

// Numbers of a place of a joint, whose quaternion begins at `turn`, into coordinates q that were
// `from`.
void lb_place_set(int turn, int count, double* q, const double* from, const double* x);
// From how something changes with such coordinates at q to how it does by x: added.
void lb_place_pull(int turn, int count, double* to, const double* x, const double* q,
                   const double* by);
// The part of x that is a rotation vector from the scene's own orientation, as a rotation; and from
// how something changes as that turns along its axes to how it does by x: added.
lb_quat lb_turned(const double* quaternion, const double* x);
void lb_turned_pull(double* to, const double* x, lb_v4 by);

// --- motors (parameter_motor.c) ---

// A curve for a motor of the models; NULL values: no memory.
lb_status lb_player_play(lb_player* w, int motor, lb_profile_definition definition);
// Add to the gradient what a motor's angle, rate and acceleration at a time do.
void lb_motor_pull(lb_way_back* w, int motor, double time, const double by[3]);
// Likewise of all motors, in w->motor.
void lb_motors_pull(lb_way_back* w, double time);
// Likewise of excitations of muscles, by [nmuscle].
void lb_excitations_pull(lb_way_back* w, double time, const double* by);

// --- numbers into models (optimize_apply.c) ---

// Models with numbers applied. To be ended, whether all went well or not.
struct lb_played {
  const double* x;
  const lb_model* model;
  const lb_model* tree; // model of the start: `model`, or another one
  lb_remade remade;     // what they are made from, where numbers of the text differ
};

struct lb_player {
  lb_optimizing* o;
  lb_model* m;
  lb_model* tree;
  lb_arena* arena;
};

// The models with the numbers x in them, and the growths set to them.
lb_status lb_optimizing_play(lb_optimizing* o, const double* x, lb_arena* arena, lb_played* to,
                             lb_error* err);
void lb_played_end(lb_played* m);

// --- numbers of the scene's text (optimize_remake.c) ---

// Models of a scene: as it is shown, and with joints in trees, for starts.
lb_status lb_models_make(const lb_scene* s, const lb_allocator* allocator, lb_model** shown,
                         lb_model** tree, lb_error* err);
bool lb_text_changes(const lb_optimizing* o);
// Scenes whose text's numbers have no derivatives are refused.
lb_status lb_text_check(lb_optimizing* o, lb_error* err);
// The scene read again with the numbers x in its text; LB_FAILED: it is none; LB_INVALID: it has
// other parts.
lb_status lb_remake(const lb_optimizing* o, const double* x, lb_remade* to, lb_error* err);
void lb_remade_release(lb_remade* r);
// The scene with x in its text in the place of another, which keeps its memory. The optimisation
// keeps what is new.
lb_status lb_remake_into(lb_optimizing* o, const double* x, lb_scene* s, lb_error* err);

// --- their derivatives (optimize_tangent.c) ---

// Open what differences of models need, at the numbers of a run.
lb_status lb_tangent_models_open(lb_way_back* w, lb_error* err);
void lb_tangent_models_close(lb_way_back* w);
// Add to the gradient by all numbers of the text: what they do to a part of a step, to what goals
// measure there, to a motor's angle, rate and acceleration at a time, and to the start.
void lb_text_pull(lb_way_back* w, const lb_step_part* part);
void lb_text_pull_goals(lb_way_back* w);
// Likewise to a step that is found again from its start, before the adjoint goes back through it;
// and whether all these could be.
void lb_text_pull_step(lb_way_back* w, const lb_tangent* t);
lb_status lb_text_status(const lb_way_back* w);
void lb_text_pull_motor(lb_way_back* w, int motor, double time, const double by[3]);
void lb_text_pull_start(lb_way_back* w, const lb_played* m, const lb_start_slopes* by);

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

// Gradient of an objective by the start.
struct lb_start_slopes {
  double *q, *v;  // [nv] of the model, given
  double* tree_q; // [nv] of the tree: by independent coordinates
  double* tree_v; // [nv] of the tree: by independent velocities
  double* motor;  // [nmotor][3] by what motors ask of joints that close loops: added to
  double* gap;    // [rows] minus by gaps of the tree's constraints, given zero
  double* rate;   // [rows] minus by their rates, likewise
};

// From how it changes with all coordinates and velocities of the model to how it changes with those
// of the tree that do not follow.
lb_status lb_start_pull(const lb_optimizing* o, const lb_played* m, lb_start_slopes* by,
                        lb_error* err);

// Write the coordinates and velocities of d into a scene with the model's joints and free bodies.
void lb_start_write(const lb_model* m, const lb_data* d, lb_scene* scene);

// --- where ropes and deformables start (optimize_made.c) ---

// Motions of their free particles, from how the scene starts.
void lb_made_find(lb_optimizing* o);
// Put the nodes of d, which is of the tree and has them as the scene does, where its bodies carry
// them.
void lb_made_start(const lb_optimizing* o, const lb_played* m, lb_data* d);
// From how an objective changes with their places to how it changes with the tree's coordinates, in
// by->tree_q; D is that of d's state, S [nv] scratch.
void lb_made_pull(const lb_optimizing* o, const lb_derivatives* D, lb_data* d, lb_motion* S,
                  lb_start_slopes* by);
// Into a scene, as d has them: how they were made, and where they start. false: no memory.
bool lb_made_write(lb_optimizing* o, const lb_model* tree, const lb_data* d, lb_scene* s);

// --- moduli of elastic bodies (parameter_elastic.c) ---

// Make what is of a block's material, in a model with links of its own, so many times as stiff.
lb_status lb_modulus_put(lb_model* m, lb_arena* arena, const lb_block* b, double factor);
// Elastic bodies as stiff as one more of a modulus makes them, in b->reduced.
lb_status lb_modulus_find(lb_optimizing* o, lb_block* b);
// The power of the change of their forces for velocities mu; scratch [nv].
double lb_modulus_power(const lb_optimizing* o, const lb_data* d, const lb_reduced* part,
                        double* scratch, const double* mu);
// Have bodies of a scene keep their shapes, whatever the moduli are. false: no memory.
bool lb_modulus_write(lb_optimizing* o, lb_scene* s);

// --- runs (optimize_run.c) ---

lb_status lb_optimizing_run(lb_optimizing* o, const lb_played* m, lb_data* d, double* objective,
                            double* goal, lb_error* err);
// The stepper of runs, iterated further than that of simulations.
lb_status lb_optimizing_stepper(const lb_optimizing* o, const lb_model* m, lb_stepper** st,
                                lb_error* err);
// Motor forces at a record's stage, d being there, where goals need them. An impact takes no time:
// those before it count. r [nv + rows] is scratch.
void lb_optimizing_exert(const lb_optimizing* o, const lb_model* m, lb_data* d, int record,
                         double* r);

// --- the gradient (optimize_gradient.c) ---

// The way back through a run.
struct lb_way_back {
  lb_optimizing* o;
  const lb_model* m;
  const double* x; // the numbers
  lb_walk walk;
  lb_tangent* t;           // the stage looked at, and what it has:
  lb_data *d, *at;         //
  lb_step_derivative* S;   //
  const lb_derivatives* D; // of the dynamics where `at` is
  const double* mu;        // [nv] the part's multiplier; of driven coordinates, by their forces
  double* motor;           // [nmotor][3] by motors at a moment
  lb_motion *move, *gain;  // [nv], or of the interface model if it has more
  double *by_q, *by_v;     // likewise: by what D is of, scratch
  double* measured;        // [9][nv] scratch, of joints that are measured; of elastic bodies more
  double* gradient;        // [nvalue]
  bool numbers;            // some change the equations themselves, and not only starts and motors
  lb_step_past past;       // of the stage looked at
  lb_tangent_models* text; // of numbers of the scene's text; NULL: there are none
  double* slope;           // [ngoal][LB_GOAL_MOST] of goals at the stage looked at
};

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_played* m, double* gradient,
                                 lb_error* err);

// --- evaluations (optimize_create.c) ---

// A run with some numbers and what it leaves for its gradient. To be ended, whether it went well or
// not.
typedef struct lb_evaluation {
  lb_arena arena;
  lb_played m;
  lb_data* d;
} lb_evaluation;

lb_status lb_evaluation_run(lb_evaluation* e, lb_optimizing* o, const double* x, double* objective,
                            lb_error* err);
lb_status lb_evaluation_gradient(lb_evaluation* e, lb_optimizing* o, double* gradient,
                                 lb_error* err);
void lb_evaluation_end(lb_evaluation* e);
