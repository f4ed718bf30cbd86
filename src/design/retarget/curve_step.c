// min over p of g'p + 1/2 p'Hp within limits, where H is known by its products only: an
// interior-point method, whose linear systems are solved by conjugate gradients, preconditioned
// with what H would be if nothing bent.
//
// A limit is  a.p + s = c,  s >= 0, and pushes with z >= 0. A step goes from (p, s, z) towards
// where the forces balance and every s z is a number m that tends to zero: with d = z / s
//
//   (H + sum d a a') p' = -g - sum a (m/s + z - d c),   s' = c - a.p',   z' = m/s + z - d s'    (1)
//
// and as far as all s and z stay positive (Mehrotra 1992, without his second solve). What is left
// to gain is at most the sum of all s z.
#include "design/retarget/curve_step.h"

#include <math.h>
#include <string.h>

#include "math/linear/band.h"
#include "math/linear/dense.h"

enum {
  MOST_PRODUCTS = 400, // of one solve
  MOST_STEPS = 40,     // of the interior-point method
  MOST_LEANS = 12      // how often the torques that are beyond their limits are found anew
};

// A solve ends when its residual is so small a part of that without limits.
static const double SOLVED = 1e-3;
// Limits are aimed at from within by this part of them, and have to hold as well as half of it.
static const double MARGIN = 2e-3;
// The steps end when what is left to gain is this part of what there is without limits. Each aims
// at this part of what is left, and goes this part of the way to where some s or z vanishes.
static const double LEFT = 1e-3, AIM = 0.1, NEARLY = 0.98;
// The least s to begin with, as a part of the limit.
static const double FIRST_ROOM = 0.05;
// Damping of the change itself, as a part of that of its accelerations. A slow change by a radian
// hardly accelerates, and is as far from linear as a quick one.
static const double FAR = 1e-2;

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

// Weight of the change itself, damping included.
static double closeness(const lb_newton* s) {
  return s->r.what->closeness + FAR * s->mu;
}

// y = H x, with the stiffness of limits.
static void multiply(lb_newton* s, double* y, const double* x) {
  memset(y, 0, (size_t)s->n * sizeof *y);
  lb_linear_product(s->linear, y, x);
  lb_regular_product(&s->r, closeness(s), s->r.what->smoothness + s->mu, y, x);
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    const double force = s->limits->stiffness[i] * lb_bound_at(b, x);
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
static lb_status precondition(lb_newton* s) {
  const lb_retarget* what = s->r.what;
  const int n = s->r.input->ncontrol, M = what->nmotor;
  memset(s->band, 0, (size_t)s->n * (size_t)(s->width + 1) * sizeof *s->band);
  lb_linear_still(s->linear, s->band, s->width);
  for (int i = 0; i < M; i++) {
    const double lever = lb_regular_lever(&s->r, i);
    for (int k = 0; k < n; k++) {
      for (int l = 0; l < 4 && k + l < n; l++) {
        add_to_band(s, i * n + k + l, i * n + k,
                    lever * (closeness(s) * s->r.square[4 * k + l] +
                             (what->smoothness + s->mu + s->sway) * s->r.bend[4 * k + l]));
      }
    }
  }
  for (int i = 0; i < s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i];
    for (int k = 0; k < b->count * b->count; k++) {
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

// H p = right by conjugate gradients, from the p at hand, until r'P^-1 r <= goal for the residual r
// and the preconditioner P.
static bool conjugate_gradients(lb_newton* s, double goal) {
  const int n = s->n;
  multiply(s, s->residual, s->p);
  for (int i = 0; i < n; i++) {
    s->residual[i] = s->right[i] - s->residual[i];
  }
  solve_band(s, s->z, s->residual);
  double size = lb_dot(n, s->residual, s->z);
  memcpy(s->direction, s->z, (size_t)n * sizeof *s->z);
  for (int k = 0; k < MOST_PRODUCTS && size > goal; k++) {
    multiply(s, s->image, s->direction);
    const double step = size / lb_dot(n, s->direction, s->image);
    lb_add(n, s->p, step, s->direction);
    lb_add(n, s->residual, -step, s->image);
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

// --- limits ---

// How far inside a side of a bound `at` is: of side 0 from above, of side 1 from below.
static double room(const lb_bound* b, int side, double at) {
  return side == 0 ? b->high - MARGIN * fabs(b->high) - at : at - b->low - MARGIN * fabs(b->low);
}

static double size_of(const lb_bound* b) {
  return fmax(isfinite(b->high) ? fabs(b->high) : 0, isfinite(b->low) ? fabs(b->low) : 0);
}

// Go through the sides of bounds that there are, numbered in pairs: above, below.
typedef void visitor(lb_newton* s, const double* x, int i, const lb_bound* b);
static void visit_sides(lb_newton* s, const double* x, visitor* visit) {
  for (int i = 0; i < 2 * s->limits->count; i++) {
    const lb_bound* b = &s->limits->bound[i / 2];
    if (isfinite(i % 2 == 0 ? b->high : b->low)) {
      visit(s, x, i, b);
    }
  }
}

static void find_excess(lb_newton* s, const double* x, int i, const lb_bound* b) {
  const double left = room(b, i % 2, lb_bound_at(b, x) + lb_bound_at(b, s->p));
  s->excess = fmax(s->excess, -left / size_of(b));
}

static void begin_side(lb_newton* s, const double* x, int i, const lb_bound* b) {
  s->limits->slack[i] = fmax(room(b, i % 2, lb_bound_at(b, x)), FIRST_ROOM * size_of(b));
  s->limits->push[i] = s->level / s->limits->slack[i];
  s->sides++;
}

// (1): its matrix and right-hand side, with m = s->level.
static void weigh_side(lb_newton* s, const double* x, int i, const lb_bound* b) {
  const double sign = i % 2 == 0 ? 1 : -1;
  const double slack = s->limits->slack[i], z = s->limits->push[i], d = z / slack;
  const double c = room(b, i % 2, lb_bound_at(b, x));
  s->limits->stiffness[i / 2] += d;
  for (int k = 0; k < b->count; k++) {
    s->right[b->first + k] -= sign * b->factor[k] * (s->level / slack + z - d * c);
  }
}

// How s and z would change, with p' in s->p.
typedef struct change {
  double slack, push;
} change;
static change change_of(const lb_newton* s, const double* x, int i, const lb_bound* b) {
  const double slack = s->limits->slack[i], z = s->limits->push[i];
  const double next = room(b, i % 2, lb_bound_at(b, x) + lb_bound_at(b, s->p));
  return (change){next - slack, (s->level - z * next) / slack};
}

static void shorten(lb_newton* s, const double* x, int i, const lb_bound* b) {
  const change by = change_of(s, x, i, b);
  s->stride = fmin(s->stride, by.slack < 0 ? -NEARLY * s->limits->slack[i] / by.slack : 1);
  s->stride = fmin(s->stride, by.push < 0 ? -NEARLY * s->limits->push[i] / by.push : 1);
}

static void move_side(lb_newton* s, const double* x, int i, const lb_bound* b) {
  const change by = change_of(s, x, i, b);
  s->limits->slack[i] += s->stride * by.slack;
  s->limits->push[i] += s->stride * by.push;
  s->gap += s->limits->slack[i] * s->limits->push[i];
}

// The right-hand side without limits.
static void start_right(lb_newton* s) {
  memset(s->right, 0, (size_t)s->n * sizeof *s->right);
  lb_add(s->n, s->right, -1, s->gradient);
  lb_linear_lean_right(s->linear, s->right);
  memset(s->limits->stiffness, 0, (size_t)s->limits->count * sizeof(double));
}

// One step of the method, from p and s->gap.
static lb_status step_inside(lb_newton* s, const double* x, double goal) {
  memcpy(s->before, s->p, (size_t)s->n * sizeof *s->p);
  s->level = AIM * s->gap / s->sides;
  start_right(s);
  visit_sides(s, x, weigh_side);
  lb_newton_clear_fixed(s, s->right);
  const lb_status status = precondition(s);
  if (status != LB_OK || !conjugate_gradients(s, goal)) {
    return status != LB_OK ? status : LB_INTERRUPTED;
  }
  s->stride = 1;
  visit_sides(s, x, shorten);
  s->gap = 0;
  visit_sides(s, x, move_side);
  for (int i = 0; i < s->n; i++) {
    s->p[i] = s->before[i] + s->stride * (s->p[i] - s->before[i]);
  }
  return LB_OK;
}

// What does not move unless something bends is not in the preconditioner: a trunk that sways with
// the arms, by forces that go with their accelerations. It gets as much of the form of
// accelerations as makes it right along its own solution for the right-hand side.
static lb_status guess_sway(lb_newton* s) {
  s->sway = 0;
  const lb_status status = precondition(s);
  if (status != LB_OK) {
    return status;
  }
  solve_band(s, s->z, s->right);
  multiply(s, s->image, s->z);
  const double lacking = lb_dot(s->n, s->z, s->image) - lb_dot(s->n, s->z, s->right);
  memset(s->image, 0, (size_t)s->n * sizeof *s->image);
  lb_regular_product(&s->r, 0, 1, s->image, s->z);
  s->sway = fmax(0, lacking / lb_dot(s->n, s->z, s->image));
  return precondition(s);
}

// The best p for the torques that lean as they do.
static lb_status best_within(lb_newton* s, const double* x) {
  start_right(s);
  lb_newton_clear_fixed(s, s->right);
  lb_status status = guess_sway(s);
  if (status != LB_OK) {
    return status;
  }
  solve_band(s, s->z, s->right);
  const double goal = SOLVED * SOLVED * lb_dot(s->n, s->right, s->z);
  if (!conjugate_gradients(s, goal)) {
    return LB_INTERRUPTED;
  }
  s->excess = 0;
  visit_sides(s, x, find_excess);
  if (s->excess <= 0) {
    return LB_OK;
  }
  const double most = lb_dot(s->n, s->right, s->p) / 2; // to gain without limits
  memset(s->p, 0, (size_t)s->n * sizeof *s->p);
  s->level = most / (2 * s->limits->count);
  s->sides = 0;
  visit_sides(s, x, begin_side);
  s->gap = s->level * s->sides;
  for (int i = 0; i < MOST_STEPS && status == LB_OK; i++) {
    status = step_inside(s, x, goal);
    s->excess = 0;
    visit_sides(s, x, find_excess);
    if (s->gap <= LEFT * most && s->excess <= MARGIN / 2) {
      break;
    }
  }
  return status;
}

// p = argmin g'p + 1/2 p'Hp within the limits.
static lb_status find_direction(lb_newton* s, const double* x) {
  memset(s->p, 0, (size_t)s->n * sizeof *s->p);
  lb_linear_lean(s->linear, s->p);
  lb_status status = LB_OK;
  bool leans = true;
  for (int i = 0; i < MOST_LEANS && leans && status == LB_OK; i++) {
    status = best_within(s, x);
    leans = lb_linear_lean(s->linear, s->p);
  }
  memset(s->limits->stiffness, 0, (size_t)s->limits->count * sizeof(double));
  return status;
}

// --- the step ---

lb_status lb_newton_open(lb_newton* s) {
  lb_arena* arena = &s->r.arena;
  s->n = s->r.what->nmotor * s->r.input->ncontrol;
  s->width = 4 * s->r.what->nmotor - 1;
  double** const vector[] = {&s->residual, &s->z,       &s->direction, &s->image,
                             &s->right,    &s->swapped, &s->before};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = LB_TAKE(arena, double, s->n);
  }
  s->band = LB_TAKE(arena, double, (size_t)s->n*(size_t)(s->width + 1));
  s->limits = lb_limits_create(&s->r, arena);
  lb_linear_create(&s->r, &s->linear);
  for (const lb_retargeting* r = &s->r; r; r = r->next) { // each has its own
    if (lb_arena_check(&r->arena, "retargeting", s->r.err) != LB_OK) {
      return LB_NO_MEMORY;
    }
  }
  s->whole = s->r.nstep;
  s->free[0] = LB_CURVES_FIXED;
  s->free[1] = s->r.input->ncontrol - LB_CURVES_FIXED;
  lb_linear_window(s->linear, 0);
  return LB_OK;
}

// The first mu: a small weight beside what the change would do if nothing bent; along limits, where
// nothing is gentle, all of it.
static double first_mu(const lb_newton* s) {
  static const double GENTLE = 2.5e-3, FIRM = 2.5;
  return s->limits->count > 0 ? FIRM : GENTLE;
}

// How much the objective should fall along p.
static double predict(lb_newton* s) {
  s->mu = 0;
  multiply(s, s->image, s->p);
  return lb_linear_lean_gain(s->linear, s->p) - lb_dot(s->n, s->gradient, s->p) -
         lb_dot(s->n, s->p, s->image) / 2;
}

lb_status lb_newton_step(void* context, const double* x, const double* g, double* damping,
                         double* p, double* gain, lb_error* err) {
  lb_newton* s = context;
  s->r.err = err;
  s->gradient = g;
  s->p = p;
  *damping = *damping > 0 ? *damping : first_mu(s);
  s->mu = *damping;
  const lb_status status = find_direction(s, x);
  if (status == LB_OK) {
    const double reach = lb_limits_reach(s->limits, x, p);
    for (int k = 0; k < s->n; k++) {
      p[k] *= reach;
    }
    *gain = predict(s);
  }
  return status;
}
