// The way back through a run, as the files that go it share it: optimize_gradient.c goes from stage
// to stage, optimize_numbers.c says what numbers of the model do to one.
#pragma once
#include "base/arena.h"
#include "design/optimize/optimization.h"

typedef struct lb_way_back {
  lb_optimizing* o;
  const lb_model* m;
  const double* x; // the numbers
  lb_walk walk;
  lb_tangent* t;             // the stage looked at, and what it has:
  lb_data *d, *at;           //
  lb_step_derivative* S;     //
  lb_explicit_derivative* X; // NULL: of an implicit stage or an impact
  const lb_derivatives* D;   // of the dynamics where `at` is
  double* mu;                // [nv] the stage's multiplier; of driven coordinates, by their forces
  double* motor;             // [nmotor][3] by motors at a moment
  lb_motion *move, *gain;    // [nv], or of the interface model if it has more
  double *by_q, *by_v;       // likewise: by what D is of, scratch
  double* measured;          // [9][nv] scratch, of joints that are measured; of elastic bodies more
  lb_model_deformable** part; // [nblock] of moduli: deformables, ...
  lb_reduced** stiff;         // [nblock] ... and elastic bodies
  double* particles;          // [12 * nnode] scratch, of deformables on bodies that get longer
  double* gradient;           // [nvalue]
  bool numbers; // some change the equations themselves, and not only starts and motors
} lb_way_back;

// From how something changes as what lb_turned gives turns along its axes to how it does by x:
// added.
void lb_turned_pull(double* to, const double* x, lb_v4 by);
// What numbers of the model do to a stage, by its multiplier mu: added to the gradient. `impact`:
// to such a one.
void lb_numbers_pull(lb_way_back* w, bool impact);
