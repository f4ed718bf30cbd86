// Derivatives by differences of fourth order, for tests of analytic ones.
#pragma once
#include "dynamics/joint/joint.h"
#include "test.h"

enum { DIFFERENCE_POINTS = 4 };
static const double DIFFERENCE_AT[DIFFERENCE_POINTS] = {-2, -1, 1, 2};
static const double DIFFERENCE_WEIGHT[DIFFERENCE_POINTS] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

// Column j of d f / d x, [n][n] by rows, where x is q (moved along its velocities) or v.
typedef void difference_function(void* context, double* out, const double* q, const double* v);

static inline void difference(const lb_model* m, difference_function* f, void* context, int n,
                              const double* q, const double* v, bool by_q, double h, double* out) {
  enum { MOST = 512 };
  double x[MOST], y[MOST], e[MOST];
  for (int j = 0; j < m->nv; j++) {
    for (int i = 0; i < n; i++) {
      out[i * m->nv + j] = 0;
    }
    for (int p = 0; p < DIFFERENCE_POINTS; p++) {
      memcpy(x, q, (size_t)m->nq * sizeof *x);
      memcpy(y, v, (size_t)m->nv * sizeof *y);
      memset(e, 0, sizeof e);
      e[j] = 1;
      if (by_q) {
        lb_advance(m, x, e, h * DIFFERENCE_AT[p]);
      } else {
        y[j] += h * DIFFERENCE_AT[p];
      }
      f(context, e, x, y);
      for (int i = 0; i < n; i++) {
        out[i * m->nv + j] += DIFFERENCE_WEIGHT[p] * e[i] / h;
      }
    }
  }
}

// The largest difference of two matrices over the largest entry, or 1.
static inline double distance(int n, const double* A, const double* B) {
  double most = 0, size = 1;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(A[i] - B[i]));
    size = fmax(size, fabs(A[i]));
  }
  return most / size;
}

#define assert_matrix_near(n, A, B, tolerance)                                                     \
  do {                                                                                             \
    const double d_ = distance((n), (A), (B));                                                     \
    if (!(d_ <= (tolerance))) {                                                                    \
      print_error("%s and %s differ by %.3g of their size\n", #A, #B, d_);                         \
      fail();                                                                                      \
    }                                                                                              \
  } while (0)
