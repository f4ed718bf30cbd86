// Networks in place of wrapped paths, for comparison: dense ones with tanh, trained by the exact
// path over a cylinder. docs/muscle.md says what they are good for.
#pragma once
#include <stdint.h>

#include "limber/progress.h"
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a network is asked. code, name in files and on the command line
#define LB_NETWORK_FORM_LIST(X)                                                                    \
  X(LB_FORM_SCALED, "scaled") /* angles in units of the radius, to a place beside the line */      \
  X(LB_FORM_POINTS,                                                                                \
    "points") /* [red] (5.38): both ends, part of the length and radius, to a place */

typedef enum lb_network_form {
#define LB_FORM_CODE(code, name) code,
  LB_NETWORK_FORM_LIST(LB_FORM_CODE)
#undef LB_FORM_CODE
      LB_FORM_COUNT
} lb_network_form;

/// Options of a training. Start from lb_network_default() and change what differs.
typedef struct lb_network_options {
  lb_network_form form;
  int layers, width;    ///< hidden layers, and numbers in each
  int samples, epochs;  ///< that it is trained with, and how often with all of them
  int batch;            ///< samples of a step
  double rate;          ///< of learning, Adam's alpha
  double threshold;     ///< form `points`: samples whose arc is a smaller part of the length, and
                        ///< not zero, are dropped
  double weight;        ///< form `scaled`: of derivatives in the loss
  uint64_t seed;        ///< of weights and samples
  int threads;          ///< that work
  const char* device;   ///< "cpu", or "cuda" where its module was built
  const char* out;      ///< a folder: network.npz, and network.state while it is not done
  bool resume;          ///< go on from network.state
  lb_progress progress; ///< which stops it, too
} lb_network_options;

/// As in [red] for `points`; for `scaled` what the network was trained with that comes with Limber.
lb_network_options lb_network_default(lb_network_form form);

/// Outcome of a training, by samples that it was not trained with.
typedef struct lb_network_report {
  int epochs;      ///< that are done
  int weights;     ///< how many
  double position; ///< root mean square of how far points are off, over the size of the path for
                   ///< `scaled`, in metres for `points`
  double slope;    ///< the same of derivatives by the inputs; NAN for `points`
  double seconds;  ///< that it took, in this run
} lb_network_report;

/// Train a network and write its file. The same options give the same bytes, for any number of
/// threads, and whether it was interrupted or not; a GPU computes in single precision, and gives
/// others. LB_INTERRUPTED: the best so far is written.
lb_status lb_network_train(const lb_network_options* options, const lb_allocator* allocator,
                           lb_network_report* report, lb_error* err);

#ifdef __cplusplus
}
#endif
