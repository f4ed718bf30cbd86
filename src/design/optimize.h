// What the files of optimisation share. docs/optimize.md derives it.
#pragma once
#include "base/arena.h"
#include "dynamics/state.h"
#include "limber/dynamics.h"
#include "limber/optimize.h"
#include "solve/bdf2.h"
#include "solve/explicit_derivative.h"

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
  int body, link;
  lb_vec3 x0, along;
  lb_bulk base;           // about x0, in the body's axes
  lb_transform in_link;   // of axes of the body at x0
  double density, length; // s and f
} lb_growth;

lb_growth lb_growth_make(const lb_model* m, int body, lb_vec3 x0, lb_vec3 along);
// Of the body as it is now, in its link; and its change with s or f.
lb_bulk lb_growth_bulk(const lb_growth* g);
lb_bulk lb_growth_by_density(const lb_growth* g);
lb_bulk lb_growth_by_length(const lb_growth* g);
// In the body's own frame, as scenes have it.
lb_mass lb_growth_mass(const lb_growth* g);
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
  int q, v;        // of a joint or free body: its coordinates
  int* coordinate; // [ncoordinate] of a joint: those that a stiffness or damping is of
  int ncoordinate; //
  lb_profile_definition profile; // of a motor
  int growth;                    // of a mass or length
  int nslide;
  lb_slide* slide;
} lb_block;

// A goal, for the model.
typedef struct lb_aimed {
  const lb_scene_goal* g;
  int body;
  lb_vec3 at;
  int q, v;
  int first, last; // steps at whose ends it counts
  double weight;   // at each of them
} lb_aimed;

// A stage of a run.
typedef struct lb_stage {
  double time, dt, weight[2];
  int count;     // of states it came from ...
  int before[2]; // ... and their records, the last one first
  int step;      // that it ends, or 0
  bool inner;
  bool impact;
} lb_stage;

typedef struct lb_optimizing {
  lb_optimization public;
  const lb_allocator* allocator;
  lb_arena arena;
  lb_scene slid;   // the scene, with slides where lengths may change
  lb_model* model; // of it
  int nblock, ngrowth, ngoal;
  lb_block* block;
  lb_growth* growth;
  lb_aimed* goal;
  double *q0, *v0; // [nq], [nv] the start as the scene has it, loops closed
  double h;
  int nclosing;             // rows of loops that say how a start follows ...
  int *closing, *dependent; // [nclosing] ... which, and the coordinates that do
  bool begins_as_sdirk2;    // a run by BDF2 does, as that of the authors of [red]
  // the last run
  int count, capacity, rows;
  lb_stage* stage; // [capacity], the start first
  double *q, *v, *lambda;
  bool* lands; // with lambda: rows that push one way and did not touch before
  bool no_memory;
} lb_optimizing;

// --- slides (optimize_slide.c) ---

// The scene with a slide for everything on bodies that get longer.
lb_status lb_slides_add(lb_optimizing* o, const lb_scene* from, lb_error* err);
// Where a body stays when it gets longer: where its joint holds it.
lb_vec3 lb_body_root(const lb_scene* s, int body);

// --- numbers into models and scenes (optimize_apply.c) ---

// The model with the numbers x in it, and the growths set to them.
lb_status lb_optimizing_play(lb_optimizing* o, const double* x, lb_arena* arena, lb_model* m);
// How a profile at time t changes with its values: those from `first` on, at most six, with value
// and first two derivatives each. Their count.
int lb_profile_weights(const lb_profile_definition* p, double t, int* first, double weight[][3]);

// --- starts with loops (optimize_start.c) ---

// Whether numbers change how a scene with loops starts.
bool lb_start_moves(const lb_optimizing* o);
// Choose the coordinates that follow, at the start as the scene has it.
lb_status lb_start_choose(lb_optimizing* o, lb_data* d, lb_error* err);
// Put them where they belong.
lb_status lb_start_close(const lb_optimizing* o, const lb_model* m, lb_data* d, lb_error* err);
// From how an objective changes with all coordinates and velocities of the start, where d is, to
// how it changes with those that do not follow.
lb_status lb_start_pull(const lb_optimizing* o, const lb_model* m, lb_data* d, double* by_q,
                        double* by_v, lb_error* err);

// Write the coordinates and velocities of d into a scene with the model's joints and free bodies.
void lb_start_write(const lb_model* m, const lb_data* d, lb_scene* scene);

// --- strands and flesh (optimize_fabric.c) ---

// Whether a number may change beside them.
lb_status lb_fabric_check(const lb_scene* s, const lb_block* b, lb_error* err);
// Of a motor that leads what they are fastened to, keep what says where it starts.
void lb_fabric_hold(lb_optimizing* o, const lb_block* b);
// Whether it is one of theirs; as a scene has it; and into a scene or a model with arrays of its
// own, where it was `given`.
bool lb_fabric_owns(const lb_block* b);
double lb_fabric_given(const lb_scene* s, const lb_block* b);
void lb_fabric_write(lb_scene* s, const lb_block* b, double x);
lb_status lb_fabric_put(lb_model* m, lb_arena* arena, const lb_block* b, double x, double given);
// Flesh as stiff as one more of a modulus makes it; NULL: it is another number.
lb_status lb_fabric_prepare(const lb_optimizing* o, const lb_block* b, lb_arena* arena,
                            lb_model_soft** part);
// The power of the change of their forces, by one more of a number, for velocities z of the nodes,
// which are where d has them. Writes over d's forces on nodes.
double lb_fabric_power(const lb_optimizing* o, const lb_model* m, const lb_data* d,
                       const lb_block* b, const lb_model_soft* part, const double* z);

// --- runs (optimize_run.c) ---

lb_status lb_optimizing_run(lb_optimizing* o, const lb_model* m, lb_data* d, double* objective,
                            double* goal, lb_error* err);
lb_step_past lb_optimizing_past(const lb_optimizing* o, int record);
// What is compared, off from what it should be, at d's state with kinematics in place.
void lb_aimed_miss(const lb_aimed* a, const lb_model* m, lb_data* d, double miss[LB_GOAL_MOST]);
lb_anchor lb_aimed_anchor(const lb_aimed* a, const lb_model* m);

// --- the gradient (optimize_gradient.c) ---

lb_status lb_optimizing_gradient(lb_optimizing* o, const lb_model* m, lb_data* d, double* gradient,
                                 lb_error* err);
