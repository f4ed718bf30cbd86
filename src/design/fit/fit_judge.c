// Confidence intervals. Near the minimum the unknowns scatter with the covariance
//
//   C = s^2 tau (J'J)^-1,   s^2 = r'r / (count - n) (1)
//
// if each residual errs by s on its own. Residuals of neighbouring samples often err alike: because
// of filters in the camera, or because the model misses something. tau is how many of them do, from
// their autocorrelation, and only one in tau counts. An interval is the value and t standard errors
// to both sides, t by Student's distribution.
#include <math.h>
#include <string.h>

#include "design/fit/fit_markers.h"
#include "math/linear/dense.h"

// A share of motion explained below this means that scene and markers do different things.
static const double LEAST_EXPLAINED = 0.5;
// An interval this wide, over the value, says next to nothing.
static const double WIDE = 0.5;
// An unknown whose variance is this many times what it would be alone is tied to others.
static const double TIED = 100;
// Directions of the unknowns that change the residuals less than this, squared and relative, do not
// change them at all.
static const double SINGULAR = 1e-9;

// --- the residual ---

// Numbers that were compared, and the squared motion of the markers around their middles.
static int count_motion(const lb_fit_session* s, double* motion) {
  const double* x = s->markers->x;
  const size_t width = (size_t)s->width;
  int all = 0;
  *motion = 0;
  for (size_t k = 0; k < width; k++) {
    double sum = 0, squares = 0;
    int n = 0;
    for (int i = 0; i < s->nsample; i++) {
      const double v = x[(size_t)i * width + k];
      if (!isnan(v)) {
        n++;
        sum += v;
      }
    }
    for (int i = 0; i < s->nsample && n > 0; i++) {
      const double v = x[(size_t)i * width + k] - sum / n;
      squares += isnan(v) ? 0 : v * v;
    }
    all += n;
    *motion += squares;
  }
  return all;
}

// 1 + 2 sum rho_k, as long as the correlation rho_k of samples k apart can be distinguished from
// chance.
static double correlation(const lb_fit_session* s, int count) {
  const double* r = s->best.r;
  const size_t width = (size_t)s->width;
  double tau = 1;
  for (int lag = 1; lag < s->nsample / 4; lag++) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)(s->nsample - lag) * width; i++) {
      sum += r[i] * r[i + (size_t)lag * width];
    }
    const double rho = s->best.cost > 0 ? sum / s->best.cost : 0;
    if (rho < 2 / sqrt(fmax(count, 1))) {
      break;
    }
    tau += 2 * rho;
  }
  return tau;
}

// Student's 97.5 % quantile by the expansion of Cornish and Fisher, good to a per cent from 3
// degrees of freedom on.
static double student(double freedom) {
  const double z = 1.959963984540054, v = fmax(freedom, 2);
  const double z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v);
}

// --- the unknowns ---

// The correlation matrix of J's columns; columns that are nothing leave a row of the identity.
static void make_matrix(const lb_fit_session* s, const double* J, double* A, double* norm) {
  const size_t size = (size_t)s->nsample * (size_t)s->width;
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    for (int l = 0; l <= k; l++) {
      double sum = 0;
      for (size_t i = 0; i < size; i++) {
        sum += J[(size_t)k * size + i] * J[(size_t)l * size + i];
      }
      A[k + l * n] = A[l + k * n] = sum;
    }
    norm[k] = sqrt(A[k + k * n]);
  }
  for (int k = 0; k < n; k++) {
    for (int l = 0; l < n; l++) {
      const double scale = norm[k] * norm[l];
      A[k + l * n] = k == l ? 1 : scale > 0 ? A[k + l * n] / scale : 0;
    }
  }
}

// Variance inflation: the variance of each unknown over that with the others known, the diagonal of
// the inverse. INFINITY where a direction without effect takes part.
static lb_status inflate(lb_fit_session* s, double* A, double* w, double* factor) {
  const int n = s->n;
  const lb_status status = lb_eigen_symmetric(&s->arena, n, A, n, w);
  if (status != LB_OK) {
    return status;
  }
  for (int k = 0; k < n; k++) {
    factor[k] = 0;
    for (int j = 0; j < n; j++) {
      const double v = A[k + j * n];
      const bool part = v * v > SINGULAR;
      factor[k] += w[j] > SINGULAR ? v * v / w[j] : part ? (double)INFINITY : 0;
    }
  }
  return LB_OK;
}

static lb_fit_doubt doubt_of(const lb_fit_session* s, int k, double half, double factor,
                             bool explained) {
  const lb_fit_unknown* u = &s->u[k];
  const double x = s->best.x[k];
  const bool edge = u->high > u->low && (x <= u->low || x >= u->high);
  if (!explained) {
    return LB_FIT_UNEXPLAINED;
  }
  if (edge) {
    return LB_FIT_EDGE;
  }
  if (u->material < 0 ? isfinite(half) : half < WIDE) {
    return LB_FIT_SURE;
  }
  return factor > TIED ? LB_FIT_TIED : isfinite(half) && half < 2 ? LB_FIT_WIDE : LB_FIT_NO_EFFECT;
}

// Every number that an unknown stands for gets its interval.
static void set_intervals(const lb_fit_session* s, lb_fit* fit, int k, double half,
                          lb_fit_doubt doubt) {
  const lb_fit_unknown* u = &s->u[k];
  for (int i = 0; i < fit->nvalue; i++) {
    lb_fit_value* v = &fit->value[i];
    const bool mine = v->material == u->material && u->has[v->quantity];
    if (mine) {
      const double by = u->material < 0 ? half : half * v->value;
      v->low = u->material < 0 ? v->value - by : fmax(0, v->value - by);
      v->high = v->value + by;
      v->doubt = doubt;
    }
  }
}

lb_status lb_fit_judge(lb_fit_session* s, const double* J, lb_fit* fit) {
  const lb_arena_mark mark = lb_arena_here(&s->arena);
  const int n = s->n;
  double* A = LB_TAKE(&s->arena, double, n* n + 3 * n);
  if (!A) {
    return LB_NO_MEMORY;
  }
  double *norm = A + n * n, *w = norm + n, *factor = w + n, motion = 0;
  const int count = count_motion(s, &motion);
  const double tau = correlation(s, count);
  const double freedom = count / tau - n;
  const double error = sqrt(tau * s->best.cost / fmax(count - n, 1));
  fit->correlation = tau;
  fit->explained = motion > 0 ? 1 - s->best.cost / motion : 0;
  make_matrix(s, J, A, norm);
  const lb_status status = inflate(s, A, w, factor);
  for (int k = 0; k < n && status == LB_OK; k++) {
    const double half =
        norm[k] > 0 ? student(freedom) * error * sqrt(factor[k]) / norm[k] : (double)INFINITY;
    const lb_fit_doubt doubt = doubt_of(s, k, half, factor[k], fit->explained >= LEAST_EXPLAINED);
    set_intervals(s, fit, k, half, doubt);
  }
  lb_arena_reset(&s->arena, mark);
  return status;
}
