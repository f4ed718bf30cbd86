// A run on a tape, and the way along it: records of all stages that a stepper reported, with
// checkpoints where they do not fit into memory; and a walk over their derivatives, from the first
// to the last for sensitivities, from the last to the first for the discrete adjoint. Objectives
// (retarget, optimize) add what they change by the end of each stage and take what comes of it.
#pragma once
#include "base/arena.h"
#include "limber/progress.h"
#include "solve/step/stepper.h"

// --- records (tape.c) ---

// A stage of a run, with q, v, x, multipliers and the active set behind it in memory.
typedef struct lb_record {
  double time, dt, weight[2];
  int count;     // states it came from; 0 of the start
  int before[2]; // their records, the last one first
  int step;      // number of the step that it ends, or 0
  int effort;    // whose motors' forces are its: the same, but before an impact; or 0
  bool inner, impact, recharts;
} lb_record;

// Records of one stretch of the run, of all of it if memory allows, and of two before. They are
// numbered from the start of the run.
typedef struct lb_tape {
  const lb_model* m;
  const lb_allocator* allocator;
  lb_integrator by;
  const lb_stepper_type* type; // its table: explicit steps are found again, others stage by stage
  double h;
  int nstep;           // of the run as long as it is now
  int rows;            // of constraints, at most
  size_t size, state;  // of a record, in bytes; of d and the stepper, in numbers
  int first, count;    // records from `first` on are held; so many were made by the stretch's end
  int capacity, most;  // room now, and as far as it may grow
  char* records;       // [capacity]
  int steps, nstretch; // of a stretch, and stretches at most
  int stretch;         // the one held
  char* checkpoints;   // [nstretch] at their starts
  bool overflown, no_memory;
} lb_tape;

// The integrator of a run whose tangents are wanted: the scene's where it is implicit and iterates,
// else BDF2.
lb_integrator lb_tape_integrator(const lb_model* m);

// For runs of at most nstep steps of h by an integrator, in so many bytes; 0: a gigabyte.
lb_status lb_tape_open(lb_tape* T, const lb_model* m, lb_integrator by, double h, int nstep,
                       size_t memory, const lb_allocator* allocator, lb_error* err);
void lb_tape_close(lb_tape* T);

// A run of nstep steps begins: what st steps from d on goes onto the tape.
void lb_tape_begin(lb_tape* T, lb_stepper* st, lb_data* d, int nstep);
// Step i of it, from 1 on.
lb_status lb_tape_step(lb_tape* T, lb_stepper* st, lb_data* d, int i, lb_error* err);
// A stage that no stepper reports; NULL: the start.
void lb_tape_note(lb_tape* T, const lb_data* d, const lb_step_past* past);

// Records that are held.
lb_record* lb_tape_record(const lb_tape* T, int record);
double* lb_tape_q(const lb_tape* T, int record);
double* lb_tape_v(const lb_tape* T, int record);
double* lb_tape_x(const lb_tape* T, int record);
lb_step_past lb_tape_past(const lb_tape* T, int record);
// d there.
void lb_tape_go_to(const lb_tape* T, lb_data* d, int record);
// The last stage of the last step: the last record, but for an impact.
int lb_tape_last(const lb_tape* T);

int lb_tape_stretches(const lb_tape* T);
// The first record of the stretch held, behind the start.
int lb_tape_first(const lb_tape* T);
// Step through a stretch of the last run once more, so that the tape holds it.
lb_status lb_tape_hold(lb_tape* T, lb_stepper* st, lb_data* d, int stretch, lb_error* err);

// --- the way along it (tape_walk.c) ---

enum { LB_TANGENTS = 16, LB_TAPE_RING = 4 }; // stages at a time; records that one can come from

// A stage, differentiated.
typedef struct lb_tangent {
  lb_step_derivative* S;
  lb_data* d;
  const lb_derivatives* D; // derivatives of the dynamics at its end
  lb_data* at;             // data that D is of: d, or that of the interface model
  int record;
  int slot; // of LB_TANGENTS
  bool failed;
  double *by_q, *by_v; // [nv] of the objective by the state at its end
  double* by_a;        // [nv] of the objective by accelerations there, through motors' forces
  double* by_lambda;   // [rows] of the objective by multipliers
  double* by_x;        // [nx] of the objective by activations and fibres
  double* excitation;  // [nmuscle] of the objective by excitations at its end
  int moments;         // of a step at most
  double* motor;       // [moments][nmotor][3] by motors at each of them
  double* before;      // [nv] scratch of `past`
} lb_tangent;

// Changes of a run along one direction: of the states in the last records, and of the last stage's
// accelerations and multipliers; or, on the way back, how an objective changes with them.
typedef struct lb_direction {
  double *q[LB_TAPE_RING], *v[LB_TAPE_RING]; // [nv]
  double* x[LB_TAPE_RING];                   // [nx] on the way back
  double *a, *lambda;                        // [nv], [rows]
} lb_direction;

typedef struct lb_walk {
  lb_tape* tape;
  const lb_model* m; // stepped model
  const lb_allocator* allocator;
  const lb_progress* progress; // NULL: nobody looks
  lb_error* err;
  int threads;
  bool matrices;     // as lb_step_take_matrices
  const bool* keeps; // [nv] of lb_stepper_watch_charts; NULL: charts do not change
  void* context;     // of those below
  // A stepper like that of the run, to step through stretches again.
  lb_status (*stepper)(void* context, const lb_model* m, lb_stepper** st);
  // Start that a stage is taken to have come from; NULL: as the tape has it. d is at its end.
  lb_step_past (*past)(void* context, lb_tangent* t);
  // Add to by_q, by_v, by_a and by_lambda. Many at a time, each with a slot of its own. false: it
  // cannot be said.
  bool (*look)(void* context, lb_tangent* t);
  // of the walk
  lb_arena arena;
  lb_data* d; // to step through stretches again; NULL: there is only one
  lb_stepper* st;
  int width; // stages at a time
  lb_tangent at[LB_TANGENTS];
  lb_direction by; // the last states, of lb_walk_back
} lb_walk;

// Fields up to `look` are set. Close it even when opening failed.
lb_status lb_walk_open(lb_walk* W);
void lb_walk_close(lb_walk* W);
// Visit all stages in order, the last one first if `back`, each with its derivative. The tape holds
// the stretch of it.
typedef void lb_tangent_visitor(void* context, lb_tangent* t);
lb_status lb_walk_along(lb_walk* W, bool back, lb_tangent_visitor* visit);
// Room for the changes along a direction, which are zero.
bool lb_direction_take(lb_arena* arena, const lb_walk* W, lb_direction* out);
// The tangent's step on through a stage visited, with changes of motors, [nmotor][3] at each of its
// moments, and of the forces of an implicit stage, [nv] (NULL: none). The changes of its end.
lb_step_effects lb_walk_forward(lb_walk* W, lb_tangent* t, lb_direction* k, double* motor,
                                double* force);
// The discrete adjoint's step back through a stage visited: q, v and x of the states it came from,
// its motors and excitations.
void lb_walk_back(lb_walk* W, lb_tangent* t);
// At last, through the equilibrium of muscles at the start: to its q and v, and to excitations
// [nmuscle], which are returned.
const double* lb_walk_back_start(lb_walk* W);
// Models with Hill-type muscles whose runs have no gradients; `adjoint`: it is by the way back.
lb_status lb_tape_check_muscles(const lb_model* m, lb_integrator by, bool adjoint, lb_error* err);
