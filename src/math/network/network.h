// Dense networks: layers with tanh, and a last one that is linear,
//
//   (1)  a_0 = x,   z_l = W_l a_(l-1) + b_l,   a_l = tanh z_l,   y = z_last
//
// evaluated for many columns at a time, with directional derivatives beside the values,
//
//   (2)  z'_l = W_l a'_(l-1),   a'_l = (1 - a_l^2) z'_l
//
// and differentiated by all weights, through both: with adjoints of a and a' marked by a bar,
//
//   (3)  bar z' = (1 - a^2) bar a',   bar z = (1 - a^2) bar a - 2 a sum a' bar a'
//        bar W += bar z a' + ...,   bar b += bar z,   bar a_(l-1) = W' bar z
//
// Matrices of columns are stored by rows: number i of all columns lies together.
#pragma once
#include <stdint.h>

#include "base/arena.h"

enum { LB_NETWORK_MOST_LAYERS = 16, LB_NETWORK_MOST_WIDTH = 512 };

typedef struct lb_network {
  int nlayer;                           // the last one included
  int size[LB_NETWORK_MOST_LAYERS + 1]; // of the input, and of what each layer gives
  double* weight; // of all layers: W by rows, [size[l + 1]][size[l]], then b [size[l + 1]]
} lb_network;

// Hidden layers of one width. False: there is no memory.
bool lb_network_make(lb_network* net, int ninput, int nhidden, int width, int noutput,
                     lb_arena* arena);
// Weights before training: W even in +-sqrt(6/(in + out)) (Glorot and Bengio 2010), b = 0.
void lb_network_start(lb_network* net, uint64_t seed);

static inline size_t lb_network_layer_count(const lb_network* net, int l) {
  return (size_t)net->size[l + 1] * (size_t)(net->size[l] + 1);
}
// Of all weights, or of those before a layer.
static inline size_t lb_network_count_before(const lb_network* net, int layer) {
  size_t n = 0;
  for (int l = 0; l < layer; l++) {
    n += lb_network_layer_count(net, l);
  }
  return n;
}
static inline size_t lb_network_count(const lb_network* net) {
  return lb_network_count_before(net, net->nlayer);
}

// Columns on their way: values of n samples, then their derivatives in each of ndir directions.
typedef struct lb_network_pass {
  int n, ndir;
  double* a[LB_NETWORK_MOST_LAYERS + 1]; // [size[l]][n (1 + ndir)]; the first is the input
  double* bar[2];                        // adjoints, [widest][n (1 + ndir)]
} lb_network_pass;

bool lb_network_pass_make(lb_network_pass* pass, const lb_network* net, int most_columns,
                          lb_arena* arena);
// (1) and (2), from a[0] to a[nlayer].
void lb_network_forward(const lb_network* net, lb_network_pass* pass);
// (3), from the adjoint of the output in bar[nlayer % 2], which is destroyed; the gradient by the
// weights is added.
void lb_network_backward(const lb_network* net, lb_network_pass* pass, double* gradient);
