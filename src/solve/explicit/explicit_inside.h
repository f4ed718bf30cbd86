// What the files of an explicit step's derivative share (explicit_derivative.h): explicit_stage.c
// is about stages, explicit_close.c about what closes gaps after them, explicit_derivative.c puts
// them together.
#pragma once
#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "solve/explicit/explicit_derivative.h"
#include "solve/explicit/tableau.h"
#include "solve/particle/particle_derivative.h"
#include "solve/step/dense_kkt.h"

// A stage: where it is, its derivatives, and on the way back what it takes from later ones. nd are
// the coordinates but for those of free particles, `rows` all that there can be.
typedef struct lb_explicit_stage {
  double time;
  double *q, *v, *a;   // [nq], [nv], [nv]
  double* lambda;      // [rows]
  double* left;        // [rows] accelerations of unilateral constraints; large: it does not touch
  double *K, *C, *M;   // [nd][nd]
  double *G, *H, *J;   // [rows][nd] of what rows ask for, by q, v and a
  double* push;        // [nmotor][nd] generalised force of a unit push; zero of other motors
  lb_dense_kkt by;     // (1) of explicit_derivative.h
  double *dq, *dv;     // [nq], [nv] changes of q and v, or by them
  double *rate, *gain; // [nq], [nv] of the slopes, or by them
  double* mu;          // [nv]
} lb_explicit_stage;

// What closes gaps after a step: (2) and (3) of explicit_derivative.h.
typedef struct lb_explicit_close {
  double *q, *v;       // [nq], [nv] where the step ended
  double *end, *speed; // [nq], [nv] and where it ends after all
  lb_projection told;
  double* kick;  // [nv] u
  double *K, *L; // [nd][nd] of (2) and (3) by q* and q
  double *G, *E; // [rows][nd] of the gaps by q* and w
  double *H, *J; // [rows][nd] of the rates by q and v
  lb_dense_kkt place, velocity_level;
  double *mu, *nu; // [nv] multipliers of (2) and (3)
} lb_explicit_close;

struct lb_explicit_derivative {
  const lb_model* m;
  const lb_allocator* allocator;
  lb_arena arena; // of the table and of nodes
  int nd, rows;
  lb_derivatives* D;                 // of the tree
  lb_particle_derivative* particles; // of ropes and deformables; NULL: there are none
  lb_data* own;                      // for what nodes were; NULL: likewise
  bool euler;
  lb_tableau table;         // of Euler one stage
  lb_explicit_stage* stage; // [table.stages] and what is seen at the step's end
  lb_explicit_close close;
  lb_active_set active_set;
  int* row_motor;    // [rows] that asks for its gap, or -1
  double h, end;     // of the step, and when it ends
  double *q, *v;     // [nq], [nv] the step's end before gaps are closed, quaternions of any length
  double* q0;        // [nq] its start
  double *dq, *dv;   // [nq], [nv] scratch: changes of the start's or the end's numbers
  double *xi, *zero; // [nv] likewise
  double* start;     // [nv] by the start, counted along velocities
  double *s, *t;     // [rows][nd] scratch
  double* torque;    // [nv] by what inverse dynamics asks for at the end: of driven coordinates
  bool seen;         // the last of the stages counts
};

// From now on all rows count, but couplings of fixed ratio, whether they touch or not: how it was;
// and as it was again.
bool lb_explicit_count(lb_data* d);
void lb_explicit_uncount(lb_data* d, bool was);
// How many were linearised, and the motors that ask for them.
void lb_explicit_note(lb_explicit_derivative* S, const lb_data* d);

// y += s A x and y += s A'x, A [nd][nd] by rows.
void lb_explicit_add(const lb_explicit_derivative* S, double* y, double s, const double* A,
                     const double* x);
void lb_explicit_add_back(const lb_explicit_derivative* S, double* y, double s, const double* A,
                          const double* x);

// --- motors ---

// Changes of a moment's coordinates: numbers or counted along velocities, which is the same for
// those that motors prescribe.
typedef struct lb_explicit_changes {
  double *q, *v, *a; // a NULL: not wanted
  const int* at;     // [njoint] where a joint's are in q
} lb_explicit_changes;

// Coordinates that motors prescribe are where these say; the transpose: what is by such coordinates
// is by their motors.
void lb_explicit_prescribe(const lb_model* m, lb_explicit_changes c, const double* motor);
void lb_explicit_follow(const lb_model* m, lb_explicit_changes c, double* motor);

// What motors ask of rows: place, rate or acceleration, `which`, added to c; and the transpose.
void lb_explicit_ask(const lb_explicit_derivative* S, const lb_dense_kkt* s, int which, double* c,
                     const double* motor);
void lb_explicit_asked(const lb_explicit_derivative* S, const lb_dense_kkt* s, int which,
                       const double* nu, double* motor);

// --- stages (explicit_stage.c) ---

// At d's time, q and v: accelerations and derivatives; false: (1) is singular.
bool lb_explicit_stage_take(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s);
// `gain` from dq and dv; what motors prescribe is there already.
void lb_explicit_stage_pass(lb_explicit_derivative* S, lb_explicit_stage* s, const double* motor);
// What a stage's slopes do, in `rate` and `gain`, as what its q and v do, in dq and dv.
void lb_explicit_stage_return(lb_explicit_derivative* S, lb_explicit_stage* s, double* motor);

// d and D, and nodes, as they were.
void lb_explicit_stage_pose(lb_explicit_derivative* S, lb_data* d, const lb_explicit_stage* s);

// --- closing (explicit_close.c) ---

// Close d's gaps, at the step's end; false: there is no derivative.
bool lb_explicit_close_take(lb_explicit_derivative* S, lb_data* d);
// Changes of the end, counted along velocities, to those of what is closed; and the transpose.
void lb_explicit_close_pass(lb_explicit_derivative* S, double* q, double* v, const double* motor);
void lb_explicit_close_return(lb_explicit_derivative* S, double* q, double* v, double* motor);
// d and D as they are in (2) or, later, in (3).
void lb_explicit_close_pose(lb_explicit_derivative* S, lb_data* d, bool later);
