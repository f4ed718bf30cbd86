// Inside of inverse dynamics: motions with all their rates.
#pragma once
#include "base/arena.h"
#include "limber/inverse.h"

typedef struct lb_inverse_motion {
  int n;
  const double* time;
  double *q, *qd, *qdd; // [n][nq], [n][nv]
  bool exact;           // rates are the table's own
} lb_inverse_motion;

// Filter a motion, unless the cut-off is NAN, and find the rates that it does not bring along.
// `opensim`: the filter and all rates are those of lb_signal_opensim.
lb_status lb_inverse_prepare(lb_arena* arena, const lb_model* m, const lb_joint_motion* motion,
                             double cutoff, bool opensim, lb_inverse_motion* out, lb_error* err);

// Filter x [n][width], unless the cut-off is NAN; `what` names it in messages.
lb_status lb_inverse_filter(lb_arena* arena, const char* what, int n, const double* time,
                            double cutoff, double* x, int width, lb_error* err);

// lb_joint_motion_read of a table that may have one line.
lb_status lb_joint_states_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_joint_motion** motion,
                               lb_error* err);

// Whether a sample is asked for. Times of setups are rounded.
bool lb_time_is_within(double t, double begin, double end);
// Samples that a run has at most: its animation then has a gigabyte, with twenty muscles.
enum { LB_MOST_SAMPLES = 50000 };
// LB_INVALID: more of a table's samples are.
lb_status lb_times_bound(int n, const double* time, double begin, double end, const char* file,
                         lb_error* err);
// The same, or none is.
lb_status lb_times_check(int n, const double* time, double begin, double end, const char* file,
                         lb_error* err);
