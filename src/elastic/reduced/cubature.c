// Greedy choice of points: add the one whose contribution points most along what is missing, then
// find all the weights anew by non-negative least squares, until what is missing is small
// (cubature_fit.h). Rows are the components of the force at every training pose, each pose scaled
// to length one, so that small and large deformations count alike. An error counts by the energy it
// would bring, df' K^-1 df with the stiffness K at the pose: a bent body gives way along mixtures
// of soft and stiff coordinates, so that a small part of a stiff force bends it. Candidates'
// contributions A are seen only through their products N = A'A and A'b, which are summed once, some
// poses at a time.
#include "elastic/reduced/cubature.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "elastic/reduced/cubature_fit.h"
#include "elastic/reduced/cubature_inside.h"
#include "math/linear/dense.h"

lb_cubature_options lb_cubature_default(void) {
  return (lb_cubature_options){.tolerance = 1.5e-3, .most = 300, .range = 0.2, .poses = 60};
}

enum { MOST_CANDIDATES = 1024, MOST_ROWS = 512 };

// A training item is the force at a pose, or its slope there along one coordinate: forces of a body
// that bends far are small differences of large ones, and how it moves hangs on how those change
// when stiff coordinates give way a little.
typedef struct trainer {
  const lb_points* all;
  const double* eta;
  const double* omega;
  int npose, nslope;
  const int* bent; // [nslope / r] poses whose slopes are trained
  double apart;    // of the two poses a slope is taken from, over 1 / omega
  double* pose;    // [r] scratch
  double* L;       // [r][r] Cholesky factor of the stiffness ...
  int at;          // ... at this pose
  int ncandidate;  //
  int* candidate;  // [ncandidate] points of `all`, 8 * batch + lane
  lb_points candidates;
  int rows;            // of a block of items
  double* A;           // [8 * candidates.nbatch][rows] their contributions
  double* b;           // [rows] exact forces
  double *g, *scratch; // [2][8][r]
  lb_cubature_fit s;
} trainer;

// A force from a pose: of all points, or of those of a batch of candidates.
typedef struct source {
  trainer* t;
  int batch; // -1: all
  int count; // numbers it gives
} source;

static int pose_of(const trainer* t, int i) {
  return i < t->npose ? i : t->bent[(i - t->npose) / t->all->r];
}

static void evaluate(const source* s, double* f, const double* eta) {
  if (s->batch >= 0) {
    lb_points_contribution(&s->t->candidates, s->batch, f, eta);
  } else {
    const lb_reduced_force force = lb_points_force(s->t->all);
    force.force(force.context, f, NULL, eta, NULL, s->t->scratch);
  }
}

// Item i, not yet scaled: f [count], `other` as long.
static void item(const source* s, int i, double* f, double* other) {
  trainer* t = s->t;
  const int r = t->all->r;
  const double* pose = t->eta + pose_of(t, i) * r;
  if (i < t->npose) {
    evaluate(s, f, pose);
    return;
  }
  const int k = (i - t->npose) % r;
  const double step = t->apart / t->omega[k];
  memcpy(t->pose, pose, (size_t)r * sizeof *pose);
  t->pose[k] = pose[k] + step;
  evaluate(s, f, t->pose);
  t->pose[k] = pose[k] - step;
  evaluate(s, other, t->pose);
  for (int m = 0; m < s->count; m++) {
    f[m] = (f[m] - other[m]) / (2 * t->apart);
  }
}

// The Cholesky factor of the stiffness at a pose; that at rest where it has none, and for the first
// r, which are at rest.
static void factor_stiffness(trainer* t, int pose) {
  const int r = t->all->r;
  if (pose == t->at) {
    return;
  }
  const lb_reduced_force force = lb_points_force(t->all);
  bool definite = false;
  if (pose >= r) {
    lb_reduced_tangent(&force, t->L, t->eta + pose * r, t->scratch);
    definite = lb_cholesky(r, t->L, r) == LB_OK;
  }
  if (!definite) {
    memset(t->L, 0, (size_t)(r * r) * sizeof *t->L);
    for (int k = 0; k < r; k++) {
      t->L[k * (r + 1)] = t->omega[k];
    }
  }
  t->at = pose;
}

// Rows of item i, from `row` on: the exact force or slope, scaled to length one, and what each
// candidate gives of it, all times L^-1.
static void fill_rows(trainer* t, int i, int row) {
  const int r = t->all->r;
  double* b = t->b + row;
  factor_stiffness(t, pose_of(t, i));
  item(&(source){t, -1, r}, i, b, t->g);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, r, t->L, r, b, 1);
  const double size = sqrt(lb_dot(r, b, b)), scale = size > 0 ? 1 / size : 0;
  for (int k = 0; k < r; k++) {
    b[k] *= scale;
  }
  for (int batch = 0; batch < t->candidates.nbatch; batch++) {
    item(&(source){t, batch, LB_LANES * r}, i, t->g, t->g + LB_LANES * r);
    for (int l = 0; l < LB_LANES; l++) {
      memcpy(t->A + (size_t)(LB_LANES * batch + l) * (size_t)t->rows + row, t->g + l * r,
             (size_t)r * sizeof *t->g);
    }
  }
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, r, t->s.ncolumn,
              scale, t->L, r, t->A + row, t->rows);
}

// N = A'A and A'b, a block of items at a time.
static void sum_products(trainer* t) {
  lb_cubature_fit* s = &t->s;
  const int r = t->all->r, n = s->ncolumn, nitem = t->npose + t->nslope;
  for (int i = 0; i < nitem;) {
    int rows = 0;
    for (; i < nitem && rows + r <= t->rows; i++, rows += r) {
      fill_rows(t, i, rows);
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, rows, 1, t->A, t->rows, 1, s->N, n);
    cblas_dgemv(CblasColMajor, CblasTrans, rows, n, 1, t->A, t->rows, t->b, 1, 1, s->Ab, 1);
    s->bb += lb_dot(rows, t->b, t->b);
  }
  for (size_t j = 1; j < (size_t)n; j++) {
    for (size_t i = 0; i < j; i++) {
      s->N[i + j * (size_t)n] = s->N[j + i * (size_t)n];
    }
  }
}

// The poses whose slopes are trained, spread over those that are not the first r, at rest; and how
// far apart to take them: a thousandth of the largest sqrt(2 energy).
static lb_status choose_slopes(trainer* t, int count, lb_arena* arena) {
  const int r = t->all->r;
  const int bent = t->npose - r;
  count = count < bent ? count : bent;
  if (count <= 0) {
    return LB_OK;
  }
  int* list = LB_TAKE(arena, int, count);
  double most = 0;
  for (int i = 0; i < t->npose; i++) {
    double sum = 0;
    for (int k = 0; k < r; k++) {
      const double e = t->omega[k] * t->eta[i * r + k];
      sum += e * e;
    }
    most = fmax(most, sqrt(sum));
  }
  for (int i = 0; list && i < count; i++) {
    list[i] = r + (int)((long)i * bent / count);
  }
  t->bent = list;
  t->nslope = count * r;
  t->apart = 1e-3 * most;
  return list ? LB_OK : LB_NO_MEMORY;
}

// Points to choose from: all, or one at random from each of as many stretches of them.
static lb_status choose_candidates(trainer* t, int nregion, lb_arena* arena) {
  const int n = LB_LANES * t->all->nbatch;
  int* list = LB_TAKE(arena, int, n);
  double* one = LB_TAKE(arena, double, n);
  int count = 0;
  for (int i = 0; list && one && i < n; i++) {
    one[i] = 1;
    if (t->all->weight[i / LB_LANES][i % LB_LANES] > 0) {
      list[count++] = i;
    }
  }
  if (!list || !one) {
    return LB_NO_MEMORY;
  }
  const int some = count < MOST_CANDIDATES ? count : MOST_CANDIDATES;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < some; i++) {
    const double at = (i + (some < count ? lb_cubature_random(&seed) : 0)) * count / some;
    list[i] = list[(int)at];
  }
  t->candidate = list;
  t->ncandidate = some;
  return lb_points_pick(t->all, some, list, one, nregion, arena, &t->candidates);
}

static bool take_trainer(trainer* t, int most, lb_arena* arena) {
  const int r = t->all->r;
  t->s = (lb_cubature_fit){.ncolumn = LB_LANES * t->candidates.nbatch};
  t->s.most = most < t->s.ncolumn ? most : t->s.ncolumn;
  t->rows = r > MOST_ROWS ? r : MOST_ROWS / r * r;
  t->A = LB_TAKE(arena, double, (size_t)t->s.ncolumn*(size_t)t->rows);
  t->b = LB_TAKE(arena, double, t->rows);
  t->g = LB_TAKE(arena, double, 2 * LB_LANES * r);
  t->pose = LB_TAKE(arena, double, r);
  t->L = LB_TAKE(arena, double, r* r);
  t->scratch = LB_TAKE(arena, double, lb_points_force(t->all).scratch);
  return lb_cubature_fit_take(&t->s, arena);
}

// The candidates with a weight, in their order. Those of a region fill batches of their own, so
// that lanes without a point lie between.
static lb_status pick(trainer* t, int nregion, lb_arena* scratch, lb_arena* arena, lb_points* few,
                      int* kept) {
  int* chosen = LB_TAKE(scratch, int, t->s.n);
  double* weight = LB_TAKE(scratch, double, t->s.n);
  if (!chosen || !weight) {
    return LB_NO_MEMORY;
  }
  *kept = 0;
  for (int slot = 0, i = 0; slot < t->s.ncolumn; slot++) {
    if (t->s.w[slot] > 0) {
      chosen[*kept] = t->candidate[i];
      weight[(*kept)++] = t->s.w[slot];
    }
    i += t->candidates.element[slot] >= 0;
  }
  return lb_points_pick(t->all, *kept, chosen, weight, nregion, arena, few);
}

// Every point with its own weight, packed as a choice is.
static lb_status keep_all(const lb_points* all, int nregion, lb_arena* scratch, lb_arena* arena,
                          lb_points* kept, lb_cubature_report* report) {
  const int most = LB_LANES * all->nbatch;
  int* chosen = LB_TAKE(scratch, int, most);
  double* weight = LB_TAKE(scratch, double, most);
  int n = 0;
  for (int i = 0; chosen && weight && i < most; i++) {
    if (all->element[i] >= 0) {
      weight[n] = all->weight[i / LB_LANES][i % LB_LANES];
      chosen[n++] = i;
    }
  }
  *report = (lb_cubature_report){.points = n};
  return chosen && weight ? lb_points_pick(all, n, chosen, weight, nregion, arena, kept)
                          : LB_NO_MEMORY;
}

static lb_status train(trainer* t, int nregion, const lb_cubature_options* options,
                       lb_arena* scratch, lb_arena* arena, lb_points* few,
                       lb_cubature_report* report) {
  lb_status status = choose_slopes(t, options->slopes, scratch);
  status = status == LB_OK ? choose_candidates(t, nregion, scratch) : status;
  if (status == LB_OK && !take_trainer(t, options->most, scratch)) {
    status = LB_NO_MEMORY;
  }
  if (status == LB_OK) {
    sum_products(t);
    report->error = lb_cubature_fit_choose(&t->s, options->tolerance);
    status = pick(t, nregion, scratch, arena, few, &report->points);
  }
  return status;
}

lb_status lb_cubature_train(const lb_points* all, int nregion, const double* omega,
                            const double* eta, int npose, const lb_cubature_options* options,
                            lb_arena* arena, lb_points* few, lb_cubature_report* report) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  trainer t = {.all = all, .eta = eta, .omega = omega, .npose = npose, .at = -1};
  const lb_status status = npose > 0 ? train(&t, nregion, options, &scratch, arena, few, report)
                                     : keep_all(all, nregion, &scratch, arena, few, report);
  lb_arena_release(&scratch);
  return status;
}
