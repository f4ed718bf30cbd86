// What the files of an explicit step's derivative share (explicit_derivative.h): explicit_stage.c
// is about stages, explicit_close.c about what closes gaps after them, explicit_derivative.c puts
// them together.
#pragma once
#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "solve/explicit/explicit_derivative.h"
#include "solve/step/stage_system.h"

// A stage: where it is, its derivatives, and on the way back what it takes from later ones. nd are
// the coordinates but for those of free particles, `rows` all that there can be.
typedef struct lb_explicit_stage {
  double time;
  double *q, *v, *a;   // [nq], [nv], [nv]
  double* lambda;      // [rows]
  double* left;        // [rows] accelerations of unilateral constraints; large: it is not active
  double *K, *C, *M;   // [nd][nd]
  double *G, *H, *J;   // [rows][nd] of what constraints ask for, by q, v and a
  lb_stage_system by;  // (1) of explicit_derivative.h
  double *dq, *dv;     // [nq], [nv] changes of q and v, or by them
  double *rate, *gain; // [nq], [nv] of the slopes, or by them
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
  lb_stage_system place, velocity_level;
} lb_explicit_close;

struct lb_explicit_derivative {
  const lb_model* m;
  const lb_allocator* allocator;
  lb_arena arena; // of the table and of nodes
  int nd, rows;
  lb_derivatives* D;                 // of the tree
  lb_particle_derivative* particles; // of ropes and deformables; NULL: there are none
  lb_data* own;                      // for what nodes were; NULL: likewise
  lb_tableau table;
  lb_explicit_stage* stage; // [table.stages] and what is seen at the step's end
  lb_explicit_close close;
  lb_active_set active_set;
  double h, end;     // of the step, and when it ends
  double *q, *v;     // [nq], [nv] the step's end before gaps are closed, quaternions of any length
  double* q0;        // [nq] its start
  double *dq, *dv;   // [nq], [nv] scratch: changes of the start's or the end's numbers
  double *xi, *zero; // [nv] likewise
  double* start;     // [nv] by the start, counted along velocities
  double *s, *t;     // [rows][nd] scratch
  bool seen;         // the last of the stages counts
};

// --- stages (explicit_stage.c) ---

// At d's time, q and v: accelerations and derivatives; false: (1) is singular.
bool lb_explicit_stage_take(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s);
// `gain` from dq and dv; what motors prescribe is there already.
void lb_explicit_stage_pass(lb_explicit_derivative* S, lb_explicit_stage* s, const double* motor);
// What a stage's slopes do, in `rate` and `gain`, as what its q and v do, in dq and dv.
void lb_explicit_stage_return(lb_explicit_derivative* S, lb_explicit_stage* s, double* motor);

// d and D, and nodes, as they were.
void lb_explicit_stage_pose(lb_explicit_derivative* S, lb_data* d, lb_explicit_stage* s);

// --- closing (explicit_close.c) ---

// Close d's gaps, at the step's end; false: there is no derivative.
bool lb_explicit_close_take(lb_explicit_derivative* S, lb_data* d);
// Changes of the end, counted along velocities, to those of what is closed; and the transpose.
void lb_explicit_close_pass(lb_explicit_derivative* S, double* q, double* v, const double* motor);
void lb_explicit_close_return(lb_explicit_derivative* S, double* q, double* v, double* motor);
// d and D as they are in (2) or, later, in (3).
void lb_explicit_close_pose(lb_explicit_derivative* S, lb_data* d, bool later);
