// The frames of a run: at which times they are, and what is kept of each.
#pragma once
#include "dynamics/constraint/constraint_loop.h"
#include "limber/simulate.h"

// Steps of equal size that fill the duration exactly, none longer than asked for, and how many of
// them make a frame.
typedef struct lb_plan {
  double step;
  long steps;
  long stride;
} lb_plan;

lb_plan lb_plan_make(const lb_model* m, const lb_simulate_options* options);
// Plans that cannot be run.
lb_status lb_plan_check(const lb_model* m, const lb_simulate_options* options, lb_error* err);

// lb_assemble with the constraints of a set.
lb_status lb_assemble_set(const lb_model* m, lb_data* d, lb_constraint_set set, lb_error* err);
// Start of a run: assembled, or as the scene has it where gaps close over time. Then, too, assembly
// must be possible.
lb_status lb_run_begin(const lb_model* m, lb_data* d, lb_error* err);

// The coordinates that a recording shows: those of the state, or what it has of a model with all
// nodes of its elastic bodies; qdd may be NULL.
void lb_frame_show(const lb_model* shown, const lb_data* d, double* q, double* qd, double* qdd);

// Add a frame of d's state and motor forces.
lb_status lb_frame_put(lb_recording* r, lb_data* d, lb_error* err);
