// Optimisation: numbers of a scene (`optimize`: how it starts, motors' curves, masses, lengths,
// stiffnesses) with which its motion does what is wanted. The objective's gradient is that of the
// steps taken, exact to rounding, by the discrete adjoint; its cost does not grow with the numbers.
#pragma once
#include "limber/model.h"
#include "limber/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why a search ended.
typedef enum lb_optimize_end {
  LB_OPTIMIZE_INTERRUPTED,
  LB_OPTIMIZE_CONVERGED, ///< the last iterations gained less than the tolerance
  LB_OPTIMIZE_NO_GAIN,   ///< goals are reached, or no step along the slope gains anything
  LB_OPTIMIZE_LIMIT      ///< it took all the iterations it may
} lb_optimize_end;
const char* lb_optimize_end_name(lb_optimize_end end);

/// The `optimize` of a scene, compiled. Read what you like.
typedef struct lb_optimization {
  const lb_scene* scene;
  const lb_model* model; ///< of the scene as it is
  int nvalue;            ///< numbers of all parameters, one after the other
  int* first;            ///< [nparameter + 1] first number of each
  double* given;         ///< [nvalue] start values, as the scene has them
  double* start;         ///< [nvalue] start values within the bounds
  double *least, *most;  ///< [nvalue]
  double* scale;         ///< [nvalue] by how much each may be expected to change
  double* goal;          ///< [ngoal] shares of the objective last evaluated
  int steps;             ///< of a run
  int runs, gradients;   ///< simulations and ways back so far
  int failed;            ///< trials of searches that could not be put together or stepped
  char failure[200];     ///< why the last of them could not
  lb_optimize_end end;   ///< of the last search
  struct lb_optimizing* work;
} lb_optimization;

/// Compile. The scene must outlive it. LB_INVALID with places in the scene's file when something
/// that is asked for has no derivative.
lb_status lb_optimization_create(const lb_scene* scene, const lb_allocator* allocator,
                                 lb_optimization** optimization, lb_error* err);
void lb_optimization_release(lb_optimization* optimization);

/// Simulate with the numbers x [nvalue]: the objective, and unless NULL its gradient [nvalue].
/// LB_FAILED when the motion cannot be stepped; outputs are then unchanged.
lb_status lb_optimization_evaluate(lb_optimization* optimization, const double* x,
                                   double* objective, double* gradient, lb_error* err);

/// Write the numbers x into a scene, which is one with the same parts as the optimisation's own or
/// that one itself. What is simulated then is what was evaluated. It can be done again, with other
/// numbers, in the same scene. New arrays are kept by the optimisation.
lb_status lb_optimization_apply(lb_optimization* optimization, const double* x, lb_scene* scene,
                                lb_error* err);

// --- the search ---

/// Told of the start, as iteration 0, and after every iteration.
typedef struct lb_optimize_news {
  int iteration;
  double objective;
  double gradient; ///< largest part that bounds do not hold back, over that at the start
  const double* x; ///< [nvalue] the best numbers so far
} lb_optimize_news;

typedef struct lb_optimize_options {
  bool (*news)(void* context, const lb_optimize_news* news); ///< false stops; NULL: nobody
  void* context;
} lb_optimize_options;

/// Find better numbers, from x [nvalue] on, within their bounds: L-BFGS on the numbers that no
/// bound holds. `end` says why it stopped; LB_INTERRUPTED leaves the best so far in x and
/// `objective`.
lb_status lb_optimize_run(lb_optimization* optimization, const lb_optimize_options* options,
                          double* x, double* objective, lb_error* err);

/// Numbers from a file parameters.csv, as lb_recording_write leaves it. LB_INVALID with the line
/// when it is not of this scene; x is then unchanged.
lb_status lb_optimization_read(const lb_optimization* optimization, const char* path, double* x,
                               lb_error* err);

/// Result of a search, for reports.
typedef struct lb_optimize_result {
  const lb_optimization* optimization;
  const double* x;
  const double *before, *after; ///< [ngoal] shares of the objective
  int nhistory;
  const double* history; ///< objective at the start and after each iteration
} lb_optimize_result;

#ifdef __cplusplus
}
#endif
