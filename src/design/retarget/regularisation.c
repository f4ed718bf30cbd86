// The regularisers: how far curves are from the input's, and how hard this change accelerates,
// integrated over time. With L the lever of a motor (motor_levers.c), c its change and s the
// spacing of control points,
//
//   sum over motors  L/2 ( closeness int c^2 dt + smoothness s^4 int c''^2 dt )
//
// has the unit of the deviation, and weights are numbers that mean the same for every character.
// The input itself costs nothing, so that no result deviates more than it does.
// Both are quadratic in the control points, so their forms are made once, exactly: the integrand is
// a polynomial of degree six in every span, for which Gauss's rule of four points leaves no error.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"

// band += factor times the integral of the products of k-th derivatives of basis functions
static void add_form(const lb_bspline* s, double* band, int k, double factor) {
  static const double X[2] = {0.3399810435848562648, 0.8611363115940525752};
  static const double W[2] = {0.6521451548625461426, 0.3478548451374538574};
  const int spans = s->count - 3;
  for (int span = 0; span < spans; span++) {
    const double a = lb_bspline_knot(s, span + 3), b = lb_bspline_knot(s, span + 4);
    for (int g = 0; g < 4; g++) {
      const double t = (a + b) / 2 + (g % 2 ? 1 : -1) * X[g / 2] * (b - a) / 2;
      const double w = factor * W[g / 2] * (b - a) / 2;
      lb_bspline_row N[3];
      lb_bspline_basis(s, N, span, t, k);
      for (int i = 0; i < 4; i++) {
        for (int j = i; j < 4; j++) {
          band[(span + i) * 4 + j - i] += w * N[k][i] * N[k][j];
        }
      }
    }
  }
}

void lb_regular_fill(lb_retargeting* r) {
  const lb_bspline s = lb_curves_spline(r->input);
  r->square = LB_TAKE(&r->arena, double, s.count * 4);
  r->bend = LB_TAKE(&r->arena, double, s.count * 4);
  if (r->square && r->bend) {
    add_form(&s, r->square, 0, 1);
    add_form(&s, r->bend, 2, pow(r->input->spacing, 4));
  }
}

// Half of s x'Bx; adds s Bx to `to` unless NULL.
static double apply_form(int n, double s, const double* band, const double* x, double* to) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4 && i + k < n; k++) {
      const double b = s * band[i * 4 + k];
      sum += (k ? 1 : 0.5) * b * x[i] * x[i + k];
      if (to) {
        to[i] += b * x[i + k];
        to[i + k] += k ? b * x[i] : 0;
      }
    }
  }
  return sum;
}

double lb_regular_lever(const lb_retargeting* r, int motor) {
  return r->targets->lever ? r->targets->lever[motor] : 1;
}

void lb_regular_add(const lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value,
                    double* gradient) {
  const int n = curves->ncontrol;
  double* off = r->off;
  for (int i = 0; i < curves->nmotor; i++) {
    const size_t first = (size_t)i * (size_t)n;
    const double* c = curves->control + first;
    double* g = gradient ? gradient + first : NULL;
    for (int k = 0; k < n; k++) {
      off[k] = c[k] - r->input->control[first + (size_t)k];
    }
    const double lever = lb_regular_lever(r, i);
    value->closeness += apply_form(n, lever * r->what->closeness, r->square, off, g);
    value->smoothness += apply_form(n, lever * r->what->smoothness, r->bend, off, g);
    for (int k = 0; g && k < LB_CURVES_FIXED; k++) {
      g[k] = g[n - 1 - k] = 0;
    }
  }
}

void lb_regular_product(const lb_retargeting* r, double closeness, double smoothness, double* y,
                        const double* x) {
  const int n = r->input->ncontrol;
  for (int i = 0; i < r->input->nmotor; i++) {
    const size_t first = (size_t)i * (size_t)n;
    const double lever = lb_regular_lever(r, i);
    apply_form(n, lever * closeness, r->square, x + first, y + first);
    apply_form(n, lever * smoothness, r->bend, x + first, y + first);
  }
}
