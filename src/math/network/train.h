// Training of a dense network by samples: Adam (Kingma and Ba 2015) on batches, which are shuffled
// anew in each epoch. A sample asks of the network's output y, with a gain g that it is known to be
// multiplied by, g y = t, and, where there are directions (Czarnecki and others 2017, Sobolev
// training), that the derivatives by all inputs agree:
//
//   (1)  loss = 1/count sum |g y - t|^2 + w |(g y)' - t'|^2
//
// The same seed gives the same weights to the last bit, for any number of threads: batches are cut
// into parts of a fixed size, whose gradients are added in their order.
#pragma once
#include <math.h>

#include "limber/progress.h"
#include "math/network/network.h"

typedef struct lb_train_data {
  int count, ninput, noutput;
  int ndir;       // 0, or ninput
  double* x;      // [count][ninput]
  double* gain;   // [count][1 + ndir] and its derivatives
  double* target; // [count][noutput][1 + ndir]
} lb_train_data;

typedef struct lb_train_options {
  int epochs, batch;
  double rate;   // of learning, Adam's alpha
  bool decay;    // rate falls to 0 by a cosine over the epochs
  double weight; // w of (1)
  uint64_t seed;
  int threads;
} lb_train_options;

// Where a training is; what another run needs to go on.
typedef struct lb_train_state {
  int epoch;     // that are done
  int step;      // of Adam, that are done
  double *m, *v; // its moments, as many as weights
  double* best;  // weights of the least loss on samples that are not trained with
  double best_loss;
} lb_train_state;

// Arrays of a data set, of a state; false: there is no memory.
bool lb_train_data_make(lb_train_data* data, int count, int ninput, int noutput, bool slopes,
                        lb_arena* arena);
bool lb_train_state_make(lb_train_state* s, const lb_network* net, lb_arena* arena);

// Backend: where the arithmetic is done.
typedef struct lb_trainer lb_trainer;
typedef struct lb_train_backend {
  const char* name;
  // With the weights and the state as they are. NULL: there is no memory, or no device.
  lb_trainer* (*create)(const lb_network* net, const lb_train_state* s, const lb_train_data* data,
                        const lb_train_options* o, const lb_allocator* allocator);
  // One more epoch, in the order [count] of samples: mean loss of its batches. NAN: it failed.
  double (*epoch)(lb_trainer* t, lb_network* net, lb_train_state* s, const int* order);
  // Bring weights and moments up to date. NULL: they are.
  bool (*read)(lb_trainer* t, lb_network* net, lb_train_state* s);
  void (*release)(lb_trainer* t);
} lb_train_backend;
extern const lb_train_backend lb_train_cpu;
// By its name, "cpu" or "cuda", which is a module of its own, loaded here. NULL: `why` says why
// not.
const lb_train_backend* lb_train_backend_find(const char* name, const char** why);

// Loss (1) of a network.
typedef struct lb_train_loss {
  double all, position, slope; // means of both terms; slope without w
} lb_train_loss;
lb_train_loss lb_train_evaluate(const lb_network* net, const lb_train_data* data,
                                const lb_train_options* o, const lb_allocator* allocator);
// ... and its gradient by the weights, added.
lb_train_loss lb_train_gradient(const lb_network* net, const lb_train_data* data,
                                const lb_train_options* o, double* gradient,
                                const lb_allocator* allocator);

// Order of the samples in an epoch.
void lb_train_shuffle(int* order, int count, uint64_t seed, int epoch);

// One more epoch with all that belongs to it; mean loss of its batches.
double lb_train_epoch(const lb_train_backend* by, lb_trainer* t, lb_network* net, lb_train_state* s,
                      const lb_train_options* o, int* order, int count);

// --- for backends ---

// Constants as Kingma and Ba have them.
#define LB_ADAM_BETA1 0.9
#define LB_ADAM_BETA2 0.999
#define LB_ADAM_EPSILON 1e-8

static inline int lb_train_steps(const lb_train_data* data, const lb_train_options* o) {
  return (data->count + o->batch - 1) / o->batch;
}
#ifdef __CUDACC__ // for both machines
#define LB_EITHER __host__ __device__
#else
#define LB_EITHER
#endif
// Adam's rate at a step of as many in all, with the factors that its moments are short of at first.
LB_EITHER static inline double lb_train_rate(double rate, bool decay, int step, double all) {
  const double now = decay ? rate * 0.5 * (1 + cos(M_PI * step / all)) : rate;
  return now * sqrt(1 - pow(LB_ADAM_BETA2, step + 1)) / (1 - pow(LB_ADAM_BETA1, step + 1));
}
