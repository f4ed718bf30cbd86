// A fit in the making. Unknowns are dimensionless: the logarithm of a material's number over its
// start, then seconds of clock and metres of shift. Trials of several sets of numbers run side by
// side, each on a variation of the model; what depends on clock and shift alone needs no run. The
// best ones go onto the tape, and tangents along it are exact derivatives of the residual
//
//   r = measured - shift - simulated(time + clock; materials)                                  (1)
#pragma once
#include <stdatomic.h>

#include "base/arena.h"
#include "design/fit/marker_track.h"
#include "design/tape/tape.h"
#include "limber/simulate.h"

// One number of the problem.
typedef struct lb_fit_unknown {
  bool has[LB_FIT_QUANTITY_COUNT]; // of its material: numbers that are exp(x) times their start
  int material;                    // or -1: it is clock or shift
  double low, high;                // bounds of x
} lb_fit_unknown;

// A place in the space of unknowns, and how well it fits.
typedef struct lb_fit_trial {
  double* x;     // [n] unknowns
  bool offsets;  // find the clock and shift that suit the materials best first
  double* r;     // [nsample * width] residual; 0 where nothing was seen
  double* rate;  // [nsample * width] velocity of the markers, or NULL
  double until;  // markers' time up to which samples count
  int used;      // samples
  double cost;   // sum of r^2; INFINITY when the model cannot be run
  lb_tape* tape; // tape of the run; NULL: it is not differentiated
} lb_fit_trial;

// Work space of one thread to run a model; of the last trial that ran there.
typedef struct lb_fit_slot {
  lb_model* model;
  lb_data* data;
  lb_stepper* stepper;
  lb_track track;
  double* row; // [width]
} lb_fit_slot;

typedef struct lb_fit_session {
  const lb_model* model;
  const lb_markers* markers;
  const lb_fit_options* options;
  const lb_allocator* allocator;
  lb_error* err;
  lb_arena arena;
  int n;                    // unknowns: materials' first, then clock, then shift
  int nmaterial;            // of the first kind
  int clock, shift;         // index of each, or -1
  lb_fit_unknown* u;        // [n]
  lb_scene_material* start; // [model nmaterial] start of the search
  int nsample;              // compared samples
  int width;                // 3 * markers
  double end;               // markers' time of the last of them
  lb_scene_solver solver;   // of runs: the model's, by lb_tape_integrator
  double h;                 // step
  lb_track_point* point;
  int nslot;
  lb_fit_slot* slot;
  lb_tape tape;
  bool* keeps;       // [nv] coordinates that keep their charts: none
  lb_fit_trial best; // the best so far
  long runs, took;   // simulations, and their steps
  int iterations;
  bool converged;
  // progress
  bool deaf;          // nobody is asked whether to go on
  double done, share; // fraction before this batch, and of this batch
  double steps;       // of this batch
  atomic_long stepped;
  atomic_flag reporting;
  atomic_bool stopped;
} lb_fit_session;

// Largest offset of a clock [s].
#define LB_FIT_CLOCK_RANGE 0.5

// To be closed even when opening failed.
lb_status lb_fit_open(lb_fit_session* s, const lb_model* model, const lb_scene_fit* what,
                      const lb_markers* markers, const lb_fit_options* options,
                      const lb_allocator* allocator, lb_error* err);
void lb_fit_close(lb_fit_session* s);

lb_status lb_fit_trial_create(lb_fit_session* s, lb_fit_trial* trial, bool rate);
void lb_fit_trial_copy(const lb_fit_session* s, lb_fit_trial* to, const lb_fit_trial* from);

// Run trials; LB_INTERRUPTED when someone asked to stop. `share` is how much of all the work this
// is.
lb_status lb_fit_try(lb_fit_session* s, int count, lb_fit_trial* const* trial, double share);
void lb_fit_slot_close(lb_fit_slot* slot);

// A number of a material that can be looked for.
double* lb_fit_number(lb_scene_material* material, int quantity);
// The model with the materials' numbers at x.
lb_status lb_fit_vary(const lb_fit_session* s, const double* x, lb_model** model);

// dr/dx of the materials' unknowns, J [nmaterial][nsample * width], for the trial on the tape,
// which was the last to run.
lb_status lb_fit_differentiate(lb_fit_session* s, const lb_fit_trial* trial, double share,
                               double* J);

// From the start to somewhere near the best Young's moduli: sets s->best.
lb_status lb_fit_search(lb_fit_session* s);

// From there to the minimum: Levenberg and Marquardt's method. J [n][nsample * width] is dr/dx.
lb_status lb_fit_minimise(lb_fit_session* s, double* J);

// Intervals and doubts at the minimum, and what is said of the residual.
lb_status lb_fit_judge(lb_fit_session* s, const double* J, lb_fit* fit);
