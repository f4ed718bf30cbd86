// Charts are products of any factors, so their inverse is found as the least of |r|^2,
//
//   (1)  r = (rho log(R(q)'R), R(q)'(p - p(q)))
//
// Seen from the frame that moves, dr = -S dq but for terms of the order of r, so that
//
//   (2)  (S'S + damping) dq = S'r
//
// is Newton's method where the place can be reached, and S'r is downhill for |r|^2 everywhere: the
// derivative of a rotation vector along itself is one, and R does not change lengths. So Levenberg
// and Marquardt's method gets to a minimum, and begun in many places (over the segments of a
// spline, at three angles of a turn) to each that there is. It goes by distances first, hardly
// minding turns (rho small), then by both: along a thread there is a minimum every turn, and
// distances decide which it is.
#include "math/curve/chart_find.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear/ldl.h"

enum {
  N = LB_CHART_MOST,
  MOST_TRIED = 4096, // places that are tried
  MOST_BEGUN = 24,   // best places, from which (2) goes
  MOST_STEPS = 200   // of (2)
};

static const double DISTANCES_FIRST = 1e-5; // rho
static const double FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e8, LEAST_DAMPING = 1e-15;
static const double ALIKE = 1e-9; // largest difference that counts as none

typedef struct search {
  const lb_chart* chart;
  lb_m3 R;
  lb_v4 p;
  const lb_chart_target* wish;
  lb_chart_grid grid;
} search;

// --- downhill ---

// r of (1) without rho.
static lb_motion residual(const search* s, const lb_chart_at* at) {
  const lb_m3 Rt = lb_m3_transpose(at->R);
  const lb_quat turn = lb_quat_from_matrix(lb_m3_mat3(lb_m3_mul(Rt, s->R)));
  return (lb_motion){lb_v4_from(lb_quat_log(turn)), lb_m3_apply(Rt, s->p - at->p)};
}

static lb_motion weigh(lb_motion a, double rho) {
  return (lb_motion){a.w * rho, a.v};
}

static double measure(const search* s, const double* q, double rho) {
  lb_chart_at at;
  lb_chart_evaluate(s->chart, &at, q, NULL, LB_CHART_PLACE);
  const lb_motion r = weigh(residual(s, &at), rho);
  return lb_motion_dot(r, r);
}

// One step (2); the damping is in parts of the diagonal.
static void step(const search* s, double* next, const double* q, double rho, double damping) {
  const int n = s->chart->n;
  lb_chart_at at;
  double A[N * N] = {0}, x[N] = {0}, trace = 0;
  lb_chart_evaluate(s->chart, &at, q, NULL, LB_CHART_PLACE);
  const lb_motion r = weigh(residual(s, &at), rho);
  for (int i = 0; i < n; i++) {
    at.S[i] = weigh(at.S[i], rho);
    for (int k = 0; k <= i; k++) {
      A[N * i + k] = lb_motion_dot(at.S[i], at.S[k]);
    }
    x[i] = lb_motion_dot(at.S[i], r);
    trace += A[(N + 1) * i];
  }
  for (int i = 0; i < n; i++) { // definite, too, where coordinates do nothing or the same
    A[(N + 1) * i] += damping * (A[(N + 1) * i] + 1e-12 * trace) + 1e-300;
  }
  lb_ldl_factor(n, A, N);
  lb_ldl_solve(n, A, N, x);
  for (int i = 0; i < n; i++) {
    next[i] = q[i] + x[i];
  }
}

// (2) until nothing is nearer; returns what is left, squared.
static double descend(const search* s, double* q, double rho) {
  double here = measure(s, q, rho), damping = FIRST_DAMPING;
  bool moves = true;
  for (int i = 0; i < MOST_STEPS && moves && here > 0 && damping < MOST_DAMPING; i++) {
    double next[N] = {0};
    step(s, next, q, rho, damping);
    const double there = measure(s, next, rho);
    if (there < here) {
      moves = there < (1 - 1e-12) * here;
      memcpy(q, next, sizeof next);
      here = there;
      damping = fmax(damping / 10, LEAST_DAMPING);
    } else {
      damping *= 10;
    }
  }
  return here;
}

// --- where to begin ---

// Corner i of a grid of `count`; where these are too many, they are spread over all of it by the
// golden ratio.
static void take_corner(const search* s, int i, double count, double* q) {
  static const double GOLDEN = 0.61803398874989485;
  double corner = count > MOST_TRIED ? floor(count * fmod(i * GOLDEN, 1)) : i;
  for (int k = 0; k < s->chart->n; k++) {
    q[k] = s->grid.from[k] + fmod(corner, s->grid.tries[k]) * s->grid.apart[k];
    corner = floor(corner / s->grid.tries[k]);
  }
}

typedef struct beginning {
  double q[N], left;
} beginning;

// Keep the best, in order.
static void note(beginning* list, int* count, const beginning* b) {
  int i = *count;
  if (i == MOST_BEGUN) {
    if (!(b->left < list[--i].left)) {
      return;
    }
  } else {
    ++*count;
  }
  for (; i > 0 && b->left < list[i - 1].left; i--) {
    list[i] = list[i - 1];
  }
  list[i] = *b;
}

// Distances are where they belong after one step, and only then can turns be compared.
static double step_from(const search* s, double* q) {
  double next[N] = {0};
  const double here = measure(s, q, 1);
  step(s, next, q, 1, FIRST_DAMPING);
  const double there = measure(s, next, 1);
  if (there < here) {
    memcpy(q, next, sizeof next);
  }
  return fmin(here, there);
}

static int choose_beginnings(const search* s, beginning* list) {
  int n = 0;
  double count = 1;
  for (int k = 0; k < s->chart->n; k++) {
    count *= s->grid.tries[k];
  }
  for (int i = 0; i < MOST_TRIED && i < count; i++) {
    beginning b = {{0}, 0};
    take_corner(s, i, count, b.q);
    b.left = step_from(s, b.q);
    note(list, &n, &b);
  }
  return n;
}

// --- which of several ---

// Bounds further apart than the period say nothing of which it is.
double lb_chart_unwind(const lb_chart_target* wish, int k, double q, double period) {
  const double lower = wish->lower[k] - ALIKE, upper = wish->upper[k] + ALIKE;
  if (period == 0) {
    return q;
  }
  q += period * round((wish->near[k] - q) / period);
  const double up = q + period * ceil((lower - q) / period);
  return upper - lower < period && up <= upper ? up : q;
}

typedef struct found {
  double q[N];
  double left;    // |r|^2
  double outside; // of the bounds
  double far;     // from what it is to be near
} found;

static void judge(const search* s, found* f) {
  const lb_chart_target* w = s->wish;
  for (int k = 0; k < s->chart->n; k++) {
    f->q[k] = lb_chart_unwind(w, k, f->q[k], s->grid.period[k]);
    f->outside += fmax(0, fmax(w->lower[k] - f->q[k], f->q[k] - w->upper[k]));
    f->far += (f->q[k] - w->near[k]) * (f->q[k] - w->near[k]);
  }
}

static bool is_better(const found* a, const found* b) {
  const double x = fmax(a->left, ALIKE * ALIKE), y = fmax(b->left, ALIKE * ALIKE);
  if (!(fabs(x - y) <= 1e-6 * fmax(x, y))) {
    return x < y;
  }
  if (fabs(a->outside - b->outside) > ALIKE) {
    return a->outside < b->outside;
  }
  return a->far < b->far - ALIKE || (a->far < b->far + ALIKE && a->left < b->left);
}

static void go(const search* s, const double* from, found* best) {
  for (int way = 0; way < 2; way++) {
    found f = {{0}, 0, 0, 0};
    memcpy(f.q, from, sizeof f.q);
    if (way == 0) {
      descend(s, f.q, DISTANCES_FIRST);
    }
    f.left = descend(s, f.q, 1);
    judge(s, &f);
    if (isfinite(f.left) && is_better(&f, best)) {
      *best = f;
    }
  }
}

double lb_chart_find(const lb_chart* c, double* q, lb_m3 R, lb_v4 p, const lb_chart_target* wish) {
  search s = {.chart = c, .R = R, .p = p, .wish = wish};
  beginning list[MOST_BEGUN] = {{{0}, 0}};
  found best = {{0}, DBL_MAX, 0, 0};
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    if (f->type->grid) {
      f->type->grid(f, &s.grid);
    }
  }
  memcpy(best.q, wish->near, sizeof best.q);
  go(&s, wish->near, &best);
  const int n = choose_beginnings(&s, list);
  for (int i = 0; i < n; i++) {
    go(&s, list[i].q, &best);
  }
  memcpy(q, best.q, (size_t)c->n * sizeof *q);
  return sqrt(best.left);
}
