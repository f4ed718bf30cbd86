// min over p of g'p + 1/2 p'Hp within limits, where H is known by its products only: conjugate
// gradients, preconditioned with what H would be if nothing bent, and augmented Lagrangians.
#include "design/newton.h"

#include <math.h>
#include <string.h>

#include "math/band.h"
#include "math/dense.h"

enum {
  MOST_PRODUCTS = 400, // of one solve
  MOST_TIGHTENINGS = 12
};

// A solve ends when its residual is so small a part of the right-hand side.
static const double SOLVED = 1e-3;
// Limits are aimed at from within by this part of them, and have to hold as well as half of it.
static const double MARGIN = 2e-3;

// --- linear algebra ---

static bool is_fixed(const lb_newton* s, int i) {
  const int k = i % s->r.input->ncontrol;
  return k < s->free[0] || k >= s->free[1];
}

void lb_newton_clear_fixed(const lb_newton* s, double* x) {
  for (int i = 0; i < s->n; i++) {
    x[i] = is_fixed(s, i) ? 0 : x[i];
  }
}

static int swapped_index(const lb_newton* s, int i) {
  const int n = s->r.input->ncontrol;
  return i % n * s->r.what->nmotor + i / n;
}

void lb_newton_multiply(lb_newton* s, double* y, const double* x, const bool* active) {
  memset(y, 0, (size_t)s->n * sizeof *y);
  lb_linear_product(s->linear, y, x);
  lb_regular_product(&s->r, s->r.what->smoothness + s->mu, y, x);
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    const double force = active[i] ? s->limits->stiffness[i] * lb_bound_at(b, x) : 0;
    for (int k = 0; force != 0 && k < b->count; k++) {
      y[b->first + k] += force * b->factor[k];
    }
  }
  lb_newton_clear_fixed(s, y);
}

static void add_to_band(lb_newton* s, int i, int j, double a) {
  const int row = swapped_index(s, i), column = swapped_index(s, j);
  if (row >= column) {
    s->band[(size_t)column * (size_t)(s->width + 1) + (size_t)(row - column)] += a;
  }
}

// What H would be if nothing bent, factored.
static lb_status precondition(lb_newton* s, const bool* active) {
  const lb_retarget* what = s->r.what;
  const int n = s->r.input->ncontrol, M = what->nmotor;
  memset(s->band, 0, (size_t)s->n * (size_t)(s->width + 1) * sizeof *s->band);
  lb_linear_still(s->linear, s->band, s->width);
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < n; k++) {
      for (int l = 0; l < 4 && k + l < n; l++) {
        add_to_band(s, i * n + k + l, i * n + k,
                    what->closeness * s->r.square[4 * k + l] +
                        (what->smoothness + s->mu) * s->r.bend[4 * k + l]);
      }
    }
  }
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    for (int k = 0; active[i] && k < b->count * b->count; k++) {
      add_to_band(s, b->first + k / b->count, b->first + k % b->count,
                  s->limits->stiffness[i] * b->factor[k / b->count] * b->factor[k % b->count]);
    }
  }
  // fixed ones stand alone
  for (int i = 0; i < s->n; i++) {
    const int at = swapped_index(s, i);
    for (int j = 0; j <= s->width; j++) {
      const bool below = is_fixed(s, i), left = at - j >= 0;
      if (below) {
        s->band[(size_t)at * (size_t)(s->width + 1) + (size_t)j] = j == 0;
        if (left && j > 0) {
          s->band[(size_t)(at - j) * (size_t)(s->width + 1) + (size_t)j] = 0;
        }
      }
    }
  }
  return lb_band_cholesky(s->n, s->width, s->band);
}

static void solve_band(lb_newton* s, double* z, const double* x) {
  for (int i = 0; i < s->n; i++) {
    s->swapped[swapped_index(s, i)] = x[i];
  }
  lb_band_solve(s->n, s->width, s->band, s->swapped);
  for (int i = 0; i < s->n; i++) {
    z[i] = s->swapped[swapped_index(s, i)];
  }
}

// H p = right by conjugate gradients, from the p at hand.
static bool conjugate_gradients(lb_newton* s, const bool* active) {
  const int n = s->n;
  lb_newton_multiply(s, s->residual, s->p, active);
  for (int i = 0; i < n; i++) {
    s->residual[i] = s->right[i] - s->residual[i];
  }
  solve_band(s, s->z, s->right);
  const double goal = SOLVED * SOLVED * lb_dot(n, s->right, s->z);
  solve_band(s, s->z, s->residual);
  double size = lb_dot(n, s->residual, s->z);
  memcpy(s->direction, s->z, (size_t)n * sizeof *s->z);
  for (int k = 0; k < MOST_PRODUCTS && size > goal; k++) {
    lb_newton_multiply(s, s->image, s->direction, active);
    const double step = size / lb_dot(n, s->direction, s->image);
    for (int i = 0; i < n; i++) {
      s->p[i] += step * s->direction[i];
      s->residual[i] -= step * s->image[i];
    }
    solve_band(s, s->z, s->residual);
    const double now = lb_dot(n, s->residual, s->z);
    for (int i = 0; i < n; i++) {
      s->direction[i] = s->z[i] + now / size * s->direction[i];
    }
    size = now;
    if (!lb_progress_report(s->r.progress, (double)k / MOST_PRODUCTS, "solving")) {
      return false;
    }
  }
  return true;
}

// --- limits, by augmented Lagrangians ---

static double middle(const lb_bound* b, double x) { // the nearest within, a little inside
  const double high = b->high - MARGIN * fabs(b->high), low = b->low + MARGIN * fabs(b->low);
  return fmin(fmax(x, low), high);
}

// A penalty that outweighs the rest of H at its control points.
static void stiffen(lb_newton* s) {
  static const double OUTWEIGH = 30;
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    double most = 0, square = 0;
    for (int k = 0; k < b->count; k++) {
      const int at = swapped_index(s, b->first + k);
      const double pivot = s->band[(size_t)at * (size_t)(s->width + 1)];
      most = fmax(most, pivot * pivot);
      square += b->factor[k] * b->factor[k];
    }
    s->limits->stiffness[i] = OUTWEIGH * most / square;
    s->limits->multiplier[i] = 0;
  }
}

// The bounds that p exceeds, counting what they push already; sets the right-hand side. True when
// they are others than before.
static bool choose_active(lb_newton* s, const double* x, bool* active) {
  bool changed = false;
  for (int i = 0; i < s->n; i++) {
    s->right[i] = -s->gradient[i];
  }
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    const double k = s->limits->stiffness[i], lambda = s->limits->multiplier[i];
    const double here = lb_bound_at(b, x), there = here + lb_bound_at(b, s->p) + lambda / k;
    const double wanted = middle(b, there);
    changed |= active[i] != (wanted != there);
    active[i] = wanted != there;
    for (int j = 0; active[i] && j < b->count; j++) {
      s->right[b->first + j] += b->factor[j] * (k * (wanted - here) - lambda);
    }
  }
  lb_newton_clear_fixed(s, s->right);
  return changed;
}

// Push where bounds are exceeded; the worst excess as a part of the bound.
static double push(lb_newton* s, const double* x) {
  double worst = 0;
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    const double k = s->limits->stiffness[i];
    const double there = lb_bound_at(b, x) + lb_bound_at(b, s->p);
    const double pushed = there + s->limits->multiplier[i] / k;
    s->limits->multiplier[i] = k * (pushed - middle(b, pushed));
    const double scale =
        fmax(isfinite(b->high) ? fabs(b->high) : 0, isfinite(b->low) ? fabs(b->low) : 0);
    worst = fmax(worst, fabs(there - middle(b, there)) / scale);
  }
  return worst;
}

lb_status lb_newton_direction(lb_newton* s, const double* x, bool* active) {
  memset(active, 0, (size_t)s->limits->count * sizeof *active);
  memset(s->p, 0, (size_t)s->n * sizeof *s->p);
  lb_status status = precondition(s, active);
  stiffen(s);
  for (int i = 0; i < MOST_TIGHTENINGS && status == LB_OK; i++) {
    const bool leans = lb_linear_lean(s->linear, s->p);
    const bool changed = choose_active(s, x, active) || leans;
    lb_linear_lean_right(s->linear, s->right);
    lb_newton_clear_fixed(s, s->right);
    status = changed ? precondition(s, active) : status;
    if (status != LB_OK || !conjugate_gradients(s, active)) {
      return status != LB_OK ? status : LB_INTERRUPTED;
    }
    if (push(s, x) < MARGIN / 2 && !lb_linear_lean(s->linear, s->p)) {
      break;
    }
  }
  return status;
}
