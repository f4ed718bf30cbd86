// Inverse kinematics: from measured markers to the coordinates of joints.
#pragma once
#include "limber/fit.h"
#include "limber/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lb_ik_options {
  int iterations;    ///< at most, for each sample
  double tolerance;  ///< of a pose: largest change of a coordinate in an iteration [m or rad]
  double begin, end; ///< samples outside are solved, too, but count in no figure [s]
  lb_progress progress;
} lb_ik_options;

lb_ik_options lb_ik_default(void);

/// A motion that follows markers.
typedef struct lb_ik {
  const lb_model* model;
  const lb_markers* markers;
  lb_joint_motion motion; ///< without rates
  double* placed;         ///< [nsample][nmarker][3] where the model has the markers
  double* rms;            ///< [nsample] of the distances of markers that are seen [m]
  double total;           ///< the same of all samples [m]
  double worst;           ///< largest distance [m]
  int worst_marker, worst_sample;
  int nsample;     ///< samples that were done
  int blind;       ///< samples in which nothing is seen, whose pose is that of the one before
  int unfinished;  ///< samples that ended at the most iterations
  long iterations; ///< of all samples
  double gap;      ///< widest gap that is left in a loop or constraint [m or rad]
  int* at_limit;   ///< [nv] samples in which the coordinate is at one of its limits
  int jump;        ///< velocity of the first angle that changes by more than a quarter turn between
                   ///< two samples, or -1
  int jump_sample; ///< the later of the two
  void* storage;
} lb_ik;

/// Find the poses whose markers come nearest to measured ones, by the squares of distances times
/// the markers' weights. Loops and other constraints hold, and coordinates stay within their
/// limits and ranges that are clamped. Hinges take the turn nearest to the sample before, the first
/// one to the start. What no marker tells stays as it was in the sample before. `model` and
/// `markers` must outlive the result. LB_INTERRUPTED still gives one, of the samples done.
lb_status lb_inverse_kinematics(const lb_model* model, const lb_markers* markers,
                                const lb_ik_options* options, const lb_allocator* allocator,
                                lb_ik** ik, lb_error* err);
/// NULL is ignored.
void lb_ik_release(lb_ik* ik);

/// Its frames, with rates by differences of the coordinates.
lb_status lb_ik_record(const lb_ik* ik, lb_recording* recording, lb_error* err);

#ifdef __cplusplus
}
#endif
