#include "math/network/network.h"

#include <cblas.h>
#include <math.h>

#include "base/random.h"

bool lb_network_make(lb_network* net, int ninput, int nhidden, int width, int noutput,
                     lb_arena* arena) {
  *net = (lb_network){.nlayer = nhidden + 1, .size = {ninput}};
  for (int l = 1; l <= nhidden; l++) {
    net->size[l] = width;
  }
  net->size[nhidden + 1] = noutput;
  net->weight = LB_TAKE(arena, double, lb_network_count(net));
  return net->weight;
}

void lb_network_start(lb_network* net, uint64_t seed) {
  double* w = net->weight;
  uint64_t index = 0;
  for (int l = 0; l < net->nlayer; l++) {
    const int in = net->size[l], out = net->size[l + 1];
    const double most = sqrt(6.0 / (in + out));
    for (int i = 0; i < in * out; i++) {
      *w++ = most * (2 * lb_random_fraction(seed, index++) - 1);
    }
    for (int i = 0; i < out; i++) {
      *w++ = 0;
    }
  }
}

bool lb_network_pass_make(lb_network_pass* pass, const lb_network* net, int most_columns,
                          lb_arena* arena) {
  int widest = 0;
  for (int l = 0; l <= net->nlayer; l++) {
    widest = net->size[l] > widest ? net->size[l] : widest;
    pass->a[l] = LB_TAKE(arena, double, (size_t)net->size[l] * (size_t)most_columns);
  }
  for (int k = 0; k < 2; k++) {
    pass->bar[k] = LB_TAKE(arena, double, (size_t)widest*(size_t)most_columns);
  }
  return !arena->failed;
}

// z = W a, and b for the values.
static void multiply(const lb_network_pass* p, int in, int out, const double* W, const double* a,
                     double* z) {
  const int columns = p->n * (1 + p->ndir);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, out, columns, in, 1, W, in, a, columns, 0,
              z, columns);
  const double* b = W + (size_t)in * (size_t)out;
  for (int i = 0; i < out; i++) {
    for (int j = 0; j < p->n; j++) {
      z[(size_t)i * (size_t)columns + (size_t)j] += b[i];
    }
  }
}

static void bend(const lb_network_pass* p, double* row) {
  for (int j = 0; j < p->n; j++) {
    row[j] = tanh(row[j]);
  }
  for (int d = 1; d <= p->ndir; d++) {
    double* along = row + (size_t)d * (size_t)p->n;
    for (int j = 0; j < p->n; j++) {
      along[j] *= 1 - row[j] * row[j];
    }
  }
}

void lb_network_forward(const lb_network* net, lb_network_pass* pass) {
  const size_t columns = (size_t)pass->n * (size_t)(1 + pass->ndir);
  const double* W = net->weight;
  for (int l = 0; l < net->nlayer; l++) {
    multiply(pass, net->size[l], net->size[l + 1], W, pass->a[l], pass->a[l + 1]);
    for (int i = 0; i < net->size[l + 1] && l + 1 < net->nlayer; i++) {
      bend(pass, pass->a[l + 1] + (size_t)i * columns);
    }
    W += lb_network_layer_count(net, l);
  }
}

// From the adjoints of a to those of z, in place.
static void unbend(const lb_network_pass* p, const double* a, double* bar) {
  for (int j = 0; j < p->n; j++) {
    bar[j] *= 1 - a[j] * a[j];
  }
  for (int d = 1; d <= p->ndir; d++) {
    const double* along = a + (size_t)d * (size_t)p->n;
    double* up = bar + (size_t)d * (size_t)p->n;
    for (int j = 0; j < p->n; j++) {
      bar[j] -= 2 * a[j] * along[j] * up[j];
      up[j] *= 1 - a[j] * a[j];
    }
  }
}

void lb_network_backward(const lb_network* net, lb_network_pass* pass, double* gradient) {
  const int columns = pass->n * (1 + pass->ndir);
  for (int l = net->nlayer - 1; l >= 0; l--) {
    const int in = net->size[l], out = net->size[l + 1];
    const size_t at = lb_network_count_before(net, l);
    double *z = pass->bar[(l + 1) % 2], *b = gradient + at + (size_t)in * (size_t)out;
    for (int i = 0; i < out; i++) {
      double* row = z + (size_t)i * (size_t)columns;
      if (l + 1 < net->nlayer) {
        unbend(pass, pass->a[l + 1] + (size_t)i * (size_t)columns, row);
      }
      for (int j = 0; j < pass->n; j++) {
        b[i] += row[j];
      }
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, out, in, columns, 1, z, columns,
                pass->a[l], columns, 1, gradient + at, in);
    if (l > 0) {
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, in, columns, out, 1, net->weight + at,
                  in, z, columns, 0, pass->bar[l % 2], columns);
    }
  }
}
