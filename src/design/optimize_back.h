// The way back through a run, as the files that go it share it: optimize_gradient.c goes from stage
// to stage, optimize_numbers.c says what numbers of the model do to one.
#pragma once
#include "base/arena.h"
#include "design/optimize.h"
#include "solve/explicit_derivative.h"

// Records that a stage and those before it can come from.
enum { RING = 4 };

typedef struct lb_way_back {
  lb_optimizing* o;
  const lb_model* m;
  const double* x; // the numbers
  lb_data* d;
  lb_step_derivative* S;
  lb_explicit_derivative* X; // of explicit steps, in its place but for an impact at the start
  const lb_derivatives* D;   // of the dynamics where d is, ...
  lb_data* at;               // ... which is this data's: d, or that of the model's shell
  lb_arena arena;
  double *q[RING], *v[RING]; // [nv] by the last states
  double* a;                 // [nv] by accelerations, of what motors exert
  double* lambda;            // [rows] likewise by multipliers
  double* mu;                // [nv] the stage's multiplier; of driven coordinates, by their forces
  double* motor;             // [nmotor][3] of a moment ...
  double* motors;            // [moments][nmotor][3] ... and of all of an explicit step
  lb_motion *move, *gain;    // [nv], or of the shell if it has more
  double *by_q, *by_v;       // likewise: by what D is of, scratch
  double* measured;          // [9][nv] scratch, of joints that are measured; of elastic bodies more
  lb_model_soft** part;      // [nblock] of moduli: flesh, ...
  lb_reduced** stiff;        // [nblock] ... and elastic bodies
  double* nodes;             // [12 * nnode] scratch, of flesh on bodies that get longer
  double* gradient;          // [nvalue]
  bool parted;               // numbers are pulled of a part of an explicit step
  bool numbers;              // some change the equations themselves, and not only starts and motors
} lb_way_back;

// From how something changes as what lb_turned gives turns along its axes to how it does by x:
// added.
void lb_turned_pull(double* to, const double* x, lb_v4 by);
// What numbers of the model do to a stage, by its multiplier mu: added to the gradient. `impact`:
// to such a one.
void lb_numbers_pull(lb_way_back* w, bool impact);
