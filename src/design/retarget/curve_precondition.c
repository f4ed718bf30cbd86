// A guess of the second derivative for searches that know gradients only: what it would be if
// nothing bent and motors did not know of each other,
//
//   P = (sigma_j + lever_j closeness) * square + lever_j smoothness * bend    of each motor j
//
// where sigma_j says how much the tracked bodies move with it (lb_linear_still).
#include <string.h>

#include "design/retarget/curve_step.h"
#include "math/linear/band.h"

void lb_curves_weigh(const lb_newton* s, double* sigma) {
  const int M = s->r.what->nmotor, n = s->r.input->ncontrol;
  memset(s->band, 0, (size_t)s->n * (size_t)(s->width + 1) * sizeof *s->band);
  lb_linear_still(s->linear, s->band, s->width);
  for (int j = 0; j < M; j++) {
    double sum = 0, whole = 0;
    for (int k = 0; k < n; k++) {
      sum += s->band[(size_t)(k * M + j) * (size_t)(s->width + 1)];
      whole += s->r.square[4 * k];
    }
    sigma[j] = sum / whole;
  }
}

static bool is_fixed(const lb_newton* s, int k) {
  return k < LB_CURVES_FIXED || k >= s->r.input->ncontrol - LB_CURVES_FIXED;
}

lb_status lb_curves_precondition(lb_newton* s, const double* sigma, lb_error* err) {
  const lb_retarget* what = s->r.what;
  const int n = s->r.input->ncontrol;
  lb_status status = LB_OK;
  for (int j = 0; j < what->nmotor && status == LB_OK; j++) {
    double* band = s->band + (size_t)j * 4 * (size_t)n;
    const double lever = lb_regular_lever(&s->r, j);
    for (int i = 0; i < 4 * n; i++) {
      const int k = i / 4, l = k + i % 4;
      const bool apart = is_fixed(s, k) || l >= n || is_fixed(s, l); // fixed ones stand alone
      band[i] = apart ? i % 4 == 0
                      : (sigma[j] + lever * what->closeness) * s->r.square[i] +
                            lever * what->smoothness * s->r.bend[i];
    }
    status = lb_band_cholesky(n, 3, band);
  }
  return status == LB_OK ? LB_OK
                         : lb_error_add(err, status, (lb_place){0},
                                        "the curves' weights leave some of them free: give "
                                        "'closeness' or 'smoothness' a weight");
}

void lb_curves_apply(const void* context, double* p) {
  const lb_newton* s = context;
  const int n = s->r.input->ncontrol;
  for (int j = 0; j < s->r.what->nmotor; j++) {
    lb_band_solve(n, 3, s->band + (size_t)j * 4 * (size_t)n, p + (size_t)j * (size_t)n);
  }
}
