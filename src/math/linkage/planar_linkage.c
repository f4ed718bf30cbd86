// Planar linkages by Newton's method. With x the coordinates of points that neither are fixed nor
// the crank's pin, a side from a to b of length L says
//
//   (1)  g = (|x_b - x_a|^2 - L^2) / 2L = 0,     dg = e.(dx_b - dx_a),  e = (x_b - x_a) / L
//
// so the rows of J = dg/dx are directions of bars. Steps minimise |g + J dx|^2 + mu |dx|^2
// [Levenberg 1944], with mu falling to zero, where they are Newton's.
#include "math/linkage/planar_linkage.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Memory of a search.
typedef struct work {
  const lb_planar* k;
  int n;                        // unknowns
  int* first;                   // [npoint] of a point's two, or -1: it is known
  double *J, *g, *N, *dx, *try; // [nside][n], [nside], [n][n], [n], [npoint][2]
} work;

static lb_status begin(work* w, const lb_planar* k, lb_arena* scratch) {
  *w = (work){.k = k, .first = LB_TAKE(scratch, int, k->npoint)};
  for (int i = 0; w->first && i < k->npoint; i++) {
    const bool known = k->fixed[i] || i == k->pin;
    w->first[i] = known ? -1 : w->n;
    w->n += known ? 0 : 2;
  }
  const size_t n = (size_t)w->n, m = (size_t)k->nside;
  w->J = LB_TAKE(scratch, double, m* n + 1);
  w->g = LB_TAKE(scratch, double, m + 1);
  w->N = LB_TAKE(scratch, double, n* n + 1);
  w->dx = LB_TAKE(scratch, double, n + 1);
  w->try = LB_TAKE(scratch, double, 2 * (size_t)k->npoint);
  return lb_arena_status(scratch);
}

// (1) of all sides, and their largest by its amount, the first of such as are alike.
static double find_gaps(const work* w, const double (*at)[2], int* worst) {
  double most = 0;
  for (int s = 0; s < w->k->nside; s++) {
    const lb_planar_side* side = &w->k->side[s];
    const double dx = at[side->b][0] - at[side->a][0], dy = at[side->b][1] - at[side->a][1];
    w->g[s] = (dx * dx + dy * dy - side->length * side->length) / (2 * side->length);
    const double gap = isfinite(w->g[s]) ? fabs(w->g[s]) : (double)INFINITY;
    if (gap > most * (1 + 1e-6)) {
      most = gap;
      *worst = s;
    }
  }
  return most;
}

static void find_jacobian(const work* w, const double (*at)[2]) {
  memset(w->J, 0, sizeof(double) * (size_t)w->k->nside * (size_t)w->n);
  for (int s = 0; s < w->k->nside; s++) {
    const lb_planar_side* side = &w->k->side[s];
    const int end[2] = {w->first[side->a], w->first[side->b]};
    for (int i = 0; i < 2; i++) {
      for (int c = 0; c < 2 && end[i] >= 0; c++) {
        w->J[s * w->n + end[i] + c] =
            (i ? 1 : -1) * (at[side->b][c] - at[side->a][c]) / side->length;
      }
    }
  }
}

// J'J + mu, and J'g.
static void find_normal(const work* w, double mu) {
  const int n = w->n;
  for (int i = 0; i < n; i++) {
    w->dx[i] = 0;
    for (int s = 0; s < w->k->nside; s++) {
      w->dx[i] -= w->J[s * n + i] * w->g[s];
    }
    for (int j = 0; j < n; j++) {
      double sum = i == j ? mu : 0;
      for (int s = 0; s < w->k->nside; s++) {
        sum += w->J[s * n + i] * w->J[s * n + j];
      }
      w->N[i * n + j] = sum;
    }
  }
}

static double square(const double* x, int n) {
  return lb_dot(n, x, x);
}

// A step that brings the sides nearer to their lengths, with `mu` as large as that takes. False:
// there is none.
static bool improve(work* w, double (*at)[2], double* mu) {
  const double before = square(w->g, w->k->nside);
  double(*to)[2] = (double(*)[2])w->try;
  int worst = 0;
  for (; *mu < 1e6; *mu = *mu * 10 + 1e-14) {
    find_normal(w, *mu);
    if (lb_cholesky(w->n, w->N, w->n) != LB_OK) {
      continue;
    }
    lb_cholesky_solve(w->n, w->N, w->n, 1, w->dx, w->n);
    for (int i = 0; i < w->k->npoint; i++) {
      for (int c = 0; c < 2; c++) {
        to[i][c] = at[i][c] + (w->first[i] >= 0 ? w->dx[w->first[i] + c] : 0);
      }
    }
    find_gaps(w, (const double(*)[2])to, &worst);
    if (square(w->g, w->k->nside) < before) {
      memcpy(at, to, sizeof(double) * 2 * (size_t)w->k->npoint);
      *mu *= 0.01;
      return true;
    }
    find_gaps(w, (const double(*)[2])at, &worst);
  }
  return false;
}

static double size_of(const lb_planar* k) {
  double size = k->radius;
  for (int s = 0; s < k->nside; s++) {
    size = fmax(size, k->side[s].length);
  }
  return size;
}

static void place_pin(const lb_planar* k, double (*at)[2], double angle) {
  at[k->pin][0] = at[k->pivot][0] + k->radius * cos(angle);
  at[k->pin][1] = at[k->pivot][1] + k->radius * sin(angle);
}

static void close_points(work* w, double (*at)[2], double angle, lb_planar_fit* fit) {
  enum { MOST = 200 };
  const double size = size_of(w->k);
  double mu = 1e-6;
  int worst = 0;
  place_pin(w->k, at, angle);
  double gap = find_gaps(w, (const double(*)[2])at, &worst);
  for (int i = 0; i < MOST && gap > 1e-16 * size && w->n > 0; i++) {
    find_jacobian(w, (const double(*)[2])at);
    if (!improve(w, at, &mu)) {
      break;
    }
    gap = find_gaps(w, (const double(*)[2])at, &worst);
  }
  const lb_planar_side* side = &w->k->side[worst];
  const double *a = at[side->a], *b = at[side->b];
  *fit = (lb_planar_fit){.closed = gap <= 1e-10 * size,
                         .worst = worst,
                         .gap = hypot(b[0] - a[0], b[1] - a[1]) - side->length};
}

lb_status lb_planar_close(const lb_planar* k, double (*at)[2], double angle, lb_arena* scratch,
                          lb_planar_fit* fit) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  work w;
  const lb_status status = begin(&w, k, scratch);
  if (status == LB_OK) {
    close_points(&w, at, angle, fit);
  }
  lb_arena_reset(scratch, mark);
  return status;
}

// --- turning ---

// Points of a small step are near each other.
static bool is_near(const work* w, const double (*a)[2], const double (*b)[2]) {
  const double most = 0.1 * size_of(w->k);
  for (int i = 0; i < w->k->npoint; i++) {
    if (hypot(a[i][0] - b[i][0], a[i][1] - b[i][1]) > most) {
      return false;
    }
  }
  return true;
}

static bool is_free(const work* w, int s) {
  return w->first[w->k->side[s].a] >= 0 || w->first[w->k->side[s].b] >= 0;
}

// Sign of det J where it is square, else 1: it changes at dead points alone.
static int branch_sign(work* w, const double (*at)[2], int* pivot) {
  const size_t n = (size_t)w->n;
  int rows = 0;
  find_jacobian(w, at);
  for (int s = 0; s < w->k->nside; s++) {
    if (is_free(w, s) && rows < w->n) {
      memcpy(w->N + (size_t)rows * n, w->J + (size_t)s * n, sizeof(double) * n);
    }
    rows += is_free(w, s);
  }
  if (rows != w->n || lb_lu(w->n, w->N, w->n, pivot) != LB_OK) {
    return 1;
  }
  int sign = 1;
  for (int i = 0; i < w->n; i++) {
    sign = w->N[i * w->n + i] < 0 ? -sign : sign;
    sign = pivot[i] != i ? -sign : sign;
  }
  return sign;
}

// State of a turn: where it is, where it was, and the step between.
typedef struct turn {
  work w;
  double (*at)[2], (*last)[2], (*next)[2];
  int* pivot;
  int sign;
  double before;
} turn;

// One step to an angle, from a guess that goes straight on. False: there is no such place.
static bool step_to(turn* t, double angle, double d) {
  const lb_planar* k = t->w.k;
  const double ratio = t->before != 0 ? d / t->before : 0;
  const size_t bytes = sizeof *t->at * (size_t)k->npoint;
  lb_planar_fit fit;
  for (int i = 0; i < k->npoint; i++) {
    for (int c = 0; c < 2; c++) {
      t->next[i][c] = t->at[i][c] + ratio * (t->at[i][c] - t->last[i][c]);
    }
  }
  close_points(&t->w, t->next, angle, &fit);
  const double(*next)[2] = (const double(*)[2])t->next;
  if (!fit.closed || !is_near(&t->w, next, (const double(*)[2])t->at) ||
      branch_sign(&t->w, next, t->pivot) != t->sign) {
    return false;
  }
  memcpy(t->last, t->at, bytes);
  memcpy(t->at, t->next, bytes);
  t->before = d;
  return true;
}

static double go(turn* t, double from, double to) {
  static const double LARGEST = 0.02, LEAST = 1e-10; // steps [rad]
  double step = LARGEST, reached = from;
  while (reached != to && step > LEAST) {
    const double left = to - reached;
    const bool last = fabs(left) <= step;
    const double d = last ? left : copysign(step, left);
    const double angle = last ? to : reached + d;
    const bool ok = step_to(t, angle, d);
    reached = ok ? angle : reached;
    step = ok ? fmin(LARGEST, 1.5 * step) : step / 2;
  }
  return reached;
}

lb_status lb_planar_turn(const lb_planar* k, double (*at)[2], double from, double to,
                         lb_arena* scratch, double* reached) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  turn t = {.at = at};
  lb_status status = begin(&t.w, k, scratch);
  t.last = (double(*)[2])LB_TAKE(scratch, double, 2 * (size_t)k->npoint);
  t.next = (double(*)[2])LB_TAKE(scratch, double, 2 * (size_t)k->npoint);
  t.pivot = LB_TAKE(scratch, int, t.w.n + 1);
  status = status == LB_OK && t.last && t.next && t.pivot ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    t.sign = branch_sign(&t.w, (const double(*)[2])at, t.pivot);
    *reached = go(&t, from, to);
  }
  lb_arena_reset(scratch, mark);
  return status;
}

// --- dead points ---

// Sides that hold each other whatever the points do: J's = 0, or nearly. From J J' with ones where
// a side has no free point.
static lb_status find_strain(work* w, lb_arena* scratch, double* strain) {
  const int m = w->k->nside;
  double* M = LB_TAKE(scratch, double, (size_t)m*(size_t)m);
  double* value = LB_TAKE(scratch, double, m);
  if (!M || !value) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      M[i * m + j] = lb_dot(w->n, w->J + (size_t)i * (size_t)w->n, w->J + (size_t)j * (size_t)w->n);
    }
    M[i * m + i] += is_free(w, i) ? 0 : 1;
  }
  const lb_status status = lb_eigen_symmetric(scratch, m, M, m, value);
  memcpy(strain, M, sizeof(double) * (size_t)m);
  return status;
}

lb_status lb_planar_transmission(const lb_planar* k, double (*at)[2], lb_arena* scratch,
                                 double* least, double* strain) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  work w;
  lb_status status = begin(&w, k, scratch);
  double* value = LB_TAKE(scratch, double, w.n + 1);
  status = status == LB_OK && value ? LB_OK : LB_NO_MEMORY;
  *least = 1;
  if (status == LB_OK && w.n > 0) {
    int worst = 0;
    find_gaps(&w, (const double(*)[2])at, &worst);
    find_jacobian(&w, (const double(*)[2])at);
    find_normal(&w, 0);
    status = lb_eigen_symmetric(scratch, w.n, w.N, w.n, value);
    *least = sqrt(fmax(value[0], 0));
    status = status == LB_OK && strain ? find_strain(&w, scratch, strain) : status;
  }
  lb_arena_reset(scratch, mark);
  return status;
}
