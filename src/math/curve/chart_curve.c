// A frame on a curve: a cumulative uniform cubic B-spline of control frames C_1 ... C_count in
// SE(3), [red] eq. 4.70. On the segment from q = k to k + 1, with u = q - k,
//
//   Q = C_k+1 exp(D_k+2 B2(u)) exp(D_k+3 B3(u)) exp(D_k+4 B4(u)),   D_i = log(C_i-1^-1 C_i)
//
// with B_i the sum of the basis functions i to 4. A cyclic curve has as many segments as frames; an
// open one three less, and its first and last polynomials go on beyond the ends.
#include <math.h>

#include "math/curve/bspline.h"
#include "math/curve/chart.h"

static const lb_bspline ONE_SPAN = {.degree = 3, .count = 4, .start = 0, .end = 1};

static int find_segment(const lb_factor* f, double q) {
  const double k = floor(q);
  const double last = f->cyclic ? f->count - 1 : f->count - 4;
  const double at = f->cyclic ? k - f->count * floor(k / f->count) : k;
  return (int)fmin(fmax(at, 0), last); // 0 of what is not a number
}

static void multiply(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                     lb_chart_order order) {
  const double x = q[f->first];
  const int k = find_segment(f, x);
  const double u = f->cyclic ? x - floor(x) : x - k;
  lb_bspline_row N[4];
  lb_bspline_basis(&ONE_SPAN, N, 0, u, 3);
  lb_chart_multiply_frame(at, n, f->frame_R[k], f->frame_p[k], order);
  for (int i = 1; i < 4; i++) {
    double B[4] = {0};
    for (int d = 0; d < 4; d++) {
      for (int j = i; j < 4; j++) {
        B[d] += N[d][j];
      }
    }
    const double third = order >= LB_CHART_BEND ? B[3] * qd[f->first] * qd[f->first] : 0;
    const lb_jet jet = {.f = B[0], .g = {B[1]}, .h = {{B[2]}}, .c = {third}};
    lb_chart_multiply_screw(at, n, f->first, 1, f->way[(k + i - 1) % f->count], &jet, qd, order);
  }
}

static double end(const lb_factor* f, int k) {
  (void)k;
  return f->cyclic ? INFINITY : (double)(f->count - 3);
}

static void grid(const lb_factor* f, lb_chart_grid* grid) {
  lb_chart_grid_segments(grid, f->first, f->cyclic ? f->count : f->count - 3,
                         f->cyclic ? f->count : 0);
}

const lb_factor_type lb_factor_curve = {.multiply = multiply, .grid = grid, .end = end};
