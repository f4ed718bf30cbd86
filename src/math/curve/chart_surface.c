// A frame on a surface: six uniform cubic tensor-product B-splines give position and angles, [red]
// eq. 4.74,
//
//   Q = exp(e_x x) exp(e_y y) exp(e_z z) exp(e_rx rx) exp(e_ry ry) exp(e_rz rz)
//
// each of them f(q1, q2) = sum_ij N_i(q2) C_ij N_j(q1). Beyond the ends the outermost polynomials
// go on.
#include "math/curve/bspline.h"
#include "math/curve/chart.h"

static lb_motion direction(int k) {
  lb_motion e = lb_motion_zero();
  *(k < 3 ? &e.v : &e.w) = lb_v4_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  return e;
}

// The derivative of f, d1 times by q1 and d2 times by q2.
static double derivative(const double* C, int columns, const lb_bspline_row* N1,
                         const lb_bspline_row* N2, int d1, int d2) {
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      sum += N2[d2][i] * C[i * columns + j] * N1[d1][j];
    }
  }
  return sum;
}

static lb_jet find_jet(const double* C, int columns, const lb_bspline_row* N1,
                       const lb_bspline_row* N2, const double* qd, lb_chart_order order) {
  double D[4][4] = {{0}};
  for (int a = 0; a < 4; a++) {
    for (int b = 0; a + b < (order >= LB_CHART_BEND ? 4 : 3); b++) {
      D[a][b] = derivative(C, columns, N1, N2, a, b);
    }
  }
  lb_jet jet = {
      .f = D[0][0], .g = {D[1][0], D[0][1]}, .h = {{D[2][0], D[1][1]}, {D[1][1], D[0][2]}}};
  if (order >= LB_CHART_BEND) {
    const double xx = qd[0] * qd[0], xy = 2 * qd[0] * qd[1], yy = qd[1] * qd[1];
    jet.c[0] = D[3][0] * xx + D[2][1] * xy + D[1][2] * yy;
    jet.c[1] = D[2][1] * xx + D[1][2] * xy + D[0][3] * yy;
  }
  return jet;
}

static void multiply(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                     lb_chart_order order) {
  const lb_bspline first = {.degree = 3, .count = f->columns, .end = f->columns - 3};
  const lb_bspline second = {.degree = 3, .count = f->rows, .end = f->rows - 3};
  const double *x = q + f->first, *xd = qd ? qd + f->first : NULL;
  const int j = lb_bspline_span(&first, x[0]), i = lb_bspline_span(&second, x[1]);
  lb_bspline_row N1[4], N2[4];
  lb_bspline_basis(&first, N1, j, x[0], 3);
  lb_bspline_basis(&second, N2, i, x[1], 3);
  for (int k = 0; k < 6; k++) {
    if (f->control[k]) {
      const double* C = f->control[k] + i * f->columns + j;
      const lb_jet jet =
          find_jet(C, f->columns, (const lb_bspline_row*)N1, (const lb_bspline_row*)N2, xd, order);
      lb_chart_multiply_screw(at, n, f->first, 2, direction(k), &jet, qd, order);
    }
  }
}

static double end(const lb_factor* f, int k) {
  return (k == 0 ? f->columns : f->rows) - 3;
}

static void grid(const lb_factor* f, lb_chart_grid* grid) {
  lb_chart_grid_segments(grid, f->first, f->columns - 3, 0);
  lb_chart_grid_segments(grid, f->first + 1, f->rows - 3, 0);
}

const lb_factor_type lb_factor_surface = {.multiply = multiply, .grid = grid, .end = end};
