// Greedy choice of points: add the one whose contribution points most along what is missing, then
// find all the weights anew by non-negative least squares, until what is missing is small. Rows are
// the components of the force at every training pose, each pose scaled to length one, so that small
// and large deformations count alike.
// An error counts by the energy it would bring, df' K^-1 df with the stiffness K at the pose: a
// bent body gives way along mixtures of soft and stiff coordinates, so that a small part of a stiff
// force bends it. Candidates' contributions A are seen only through their products N = A'A and A'b,
// which are summed once, some poses at a time.
#include "elastic/reduced/cubature.h"

#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/linear/dense.h"

lb_cubature_options lb_cubature_default(void) {
  return (lb_cubature_options){.tolerance = 1.5e-3, .most = 300, .range = 0.2, .poses = 60};
}

static double random_unit(uint64_t* s) { // in [0, 1)
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return (double)(*s >> 11) * 0x1p-53;
}

// --- poses ---

typedef struct poser {
  const lb_reduced* b;
  lb_reduced_force exact;
  double size;
  double *K, *f, *x, *load, *scratch;
  double* omega; // [r] at rest
} poser;

// Generalised force of a random force and moment on every face, at rest.
static void random_load(const poser* p, uint64_t* seed) {
  const lb_reduced* b = p->b;
  memset(p->load, 0, (size_t)b->r * sizeof *p->load);
  for (int f = 0; f < b->nface; f++) {
    lb_v4 force = lb_v4_zero(), moment = lb_v4_zero();
    for (int i = 0; i < 3; i++) {
      force[i] = random_unit(seed) - 0.5;
      moment[i] = (random_unit(seed) - 0.5) * p->size;
    }
    for (int k = 0; k < b->r; k++) {
      const lb_v4 turn = // mean rotation
          lb_m3_axial(b->face[f].A[k]) / lb_m3_trace(b->face[f].A0);
      p->load[k] += lb_v4_dot(force, b->face[f].W[k]) + lb_v4_dot(moment, turn);
    }
  }
}

static double face_travel(const lb_reduced* b, const double* eta) {
  double most = 0;
  for (int f = 0; f < b->nface; f++) {
    lb_v4 sum = lb_v4_zero();
    for (int k = 0; k < b->r; k++) {
      sum += b->face[f].W[k] * eta[k];
    }
    most = fmax(most, sqrt(lb_v4_dot(sum, sum)));
  }
  return most;
}

// The load that would move the faces by `travel` if everything were linear.
static bool scale_load(const poser* p, double travel) {
  const int r = p->b->r;
  for (int k = 0; k < r; k++) {
    p->x[k] = p->load[k] / (p->omega[k] * p->omega[k]);
  }
  const double linear = face_travel(p->b, p->x);
  for (int k = 0; k < r; k++) {
    p->load[k] *= linear > 0 ? travel / linear : 0;
  }
  return linear > 0;
}

// x = K^-1 f in place of f's copy; the matrix is made anew first when asked. Returns f'x, or -1.
static double find_step(const poser* p, const lb_reduced_force* force, const double* eta,
                        bool anew) {
  const int r = p->b->r;
  if (anew) {
    lb_reduced_tangent(force, p->K, eta, p->scratch);
    if (lb_cholesky(r, p->K, r) != LB_OK) {
      return -1;
    }
  }
  memcpy(p->x, p->f, (size_t)r * sizeof *p->x);
  lb_cholesky_solve(r, p->K, r, 1, p->x, r);
  return lb_dot(r, p->f, p->x);
}

// Equilibrium by Newton's method, f(eta) = load. A slender body that turns far is stretched by the
// first step, which the second takes back: so steps are never cut. The matrix is kept as long as
// steps become ten times shorter, in the norm of the energy. The first one is that of `near`,
// forces of fewer points.
static bool find_equilibrium(const poser* p, const lb_reduced_force* force,
                             const lb_reduced_force* near, double* eta, double enough) {
  static const double FAST = 1e-2; // of squares
  const int r = p->b->r;
  double last = 0;
  for (int i = 0; i < 40; i++) {
    force->force(force->context, p->f, NULL, eta, NULL, p->scratch);
    for (int k = 0; k < r; k++) {
      p->f[k] = p->load[k] - p->f[k];
    }
    double square = find_step(p, near, eta, i == 0);
    if (!(square >= 0) || (i > 0 && !(square < FAST * last))) {
      square = find_step(p, force, eta, true);
    }
    if (!(square >= 0)) {
      return false;
    }
    lb_add(r, eta, 1, p->x);
    last = square;
    if (square <= enough * fabs(lb_dot(r, p->load, eta))) {
      return true;
    }
  }
  return false;
}

void lb_cubature_rest(const lb_reduced* reduced, double size, double* eta) {
  static const double SMALL = 1e-6;
  const int r = reduced->r;
  memset(eta, 0, (size_t)(r * r) * sizeof *eta);
  for (int k = 0; k < r; k++) {
    double* pose = eta + k * r;
    pose[k] = 1;
    pose[k] = SMALL * size / fmax(face_travel(reduced, pose), 1e-3);
  }
}

static bool take_poser(poser* p, const lb_reduced* reduced, const lb_points* all, double size,
                       lb_arena* arena) {
  const size_t r = (size_t)reduced->r;
  *p = (poser){.b = reduced, .exact = lb_points_force(all), .size = size};
  p->K = LB_TAKE(arena, double, r* r);
  p->f = LB_TAKE(arena, double, r);
  p->x = LB_TAKE(arena, double, r);
  p->load = LB_TAKE(arena, double, r);
  p->omega = LB_TAKE(arena, double, r);
  p->scratch = LB_TAKE(arena, double, p->exact.scratch);
  return lb_arena_status(arena) == LB_OK;
}

// Points that have the stiffness at rest: equilibria of these are near those of all, and found
// sooner.
static lb_status choose_rough(poser* p, const lb_points* all, const double* poses, lb_arena* arena,
                              lb_points* rough) {
  const int r = p->b->r;
  lb_cubature_options options = lb_cubature_default();
  lb_cubature_report report;
  int nregion = 1;
  for (int b = 0; b < all->nbatch; b++) {
    nregion = all->region[b] >= nregion ? all->region[b] + 1 : nregion;
  }
  memset(p->x, 0, (size_t)r * sizeof *p->x);
  lb_reduced_tangent(&p->exact, p->K, p->x, p->scratch);
  for (int k = 0; k < r; k++) {
    p->omega[k] = sqrt(p->K[k * (r + 1)]);
  }
  return lb_cubature_train(all, nregion, p->omega, poses, r, &options, arena, rough, &report);
}

// Poses end at rounding, so that they are the same on every processor.
lb_status lb_cubature_poses(const lb_points* all, const lb_reduced* reduced, double size,
                            const lb_cubature_options* options, lb_arena* arena, double** eta,
                            int* count) {
  static const double NEAR = 1e-6, EXACT = 1e-18; // of squares
  const int r = reduced->r;
  poser p;
  lb_points rough;
  double* poses = LB_TAKE(arena, double, (options->poses + r) * r);
  lb_status status = poses && take_poser(&p, reduced, all, size, arena) ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) { // each basis vector alone, small: together they are the stiffness at rest
    lb_cubature_rest(reduced, size, poses);
    status = choose_rough(&p, all, poses, arena, &rough);
  }
  if (status != LB_OK) {
    return status;
  }
  const lb_reduced_force few = lb_points_force(&rough);
  uint64_t seed = 0x9e3779b97f4a7c15u;
  *count = r;
  for (int i = 0; i < options->poses; i++) {
    double* pose = poses + *count * r;
    const double travel = options->range * size * (i + 1) / options->poses;
    random_load(&p, &seed);
    memset(pose, 0, (size_t)r * sizeof *pose);
    *count += scale_load(&p, travel) && find_equilibrium(&p, &few, &few, pose, NEAR) &&
              find_equilibrium(&p, &p.exact, &few, pose, EXACT);
  }
  *eta = poses;
  return LB_OK;
}

// --- non-negative least squares on a growing set of columns ---

// Columns that are equal but for rounding: the first of them is taken, on every processor.
static const double HAIR = 1e-6;

typedef struct fit {
  int ncolumn;   // candidates
  int most, n;   // weights that are not held at zero: room, and how many there are
  double* N;     // [ncolumn][ncolumn] A'A
  double* Ab;    // [ncolumn] A'b
  double bb;     // b'b
  double* w;     // [ncolumn] weights
  double* rest;  // [ncolumn] A'(b - A w)
  bool* tried;   // [ncolumn] was a column already: some lost their weight again
  int* passive;  // [most] columns with a weight
  double* L;     // [most][most] Cholesky factor of N over them, by rows
  double *y, *z; // [most]
} fit;

static bool take_fit(fit* s, lb_arena* arena) {
  const size_t n = (size_t)s->ncolumn, most = (size_t)s->most;
  s->N = LB_TAKE(arena, double, n* n);
  s->Ab = LB_TAKE(arena, double, n);
  s->w = LB_TAKE(arena, double, n);
  s->rest = LB_TAKE(arena, double, n);
  s->tried = LB_TAKE(arena, bool, n);
  s->passive = LB_TAKE(arena, int, most);
  s->L = LB_TAKE(arena, double, most* most);
  s->y = LB_TAKE(arena, double, most);
  s->z = LB_TAKE(arena, double, most);
  return lb_arena_status(arena) == LB_OK;
}

static const double* products(const fit* s, int column) {
  return s->N + (size_t)column * (size_t)s->ncolumn;
}

// Row n of the Cholesky factor for one more column; false when it depends on those before it.
static bool append(fit* s, int column) {
  const double* N = products(s, column);
  double* row = s->L + (size_t)s->n * (size_t)s->most;
  double left = N[column] * (1 + 1e-13);
  for (int i = 0; i < s->n; i++) {
    const double* Li = s->L + (size_t)i * (size_t)s->most;
    row[i] = (N[s->passive[i]] - lb_dot(i, row, Li)) / Li[i];
    left -= row[i] * row[i];
  }
  if (!(left > 0)) {
    return false;
  }
  row[s->n] = sqrt(left);
  s->passive[s->n++] = column;
  return true;
}

// Keep the columns that still have a weight; the factor is made anew from the first that has none.
static void drop_empty(fit* s) {
  const int n = s->n;
  int first = 0;
  while (first < n && s->w[s->passive[first]] > 0) {
    first++;
  }
  s->n = first;
  for (int i = first; i < n; i++) {
    const int column = s->passive[i];
    if (s->w[column] > 0 && !append(s, column)) {
      s->w[column] = 0;
    }
  }
}

// Least squares over the columns with a weight: z = N^-1 A'b.
static void solve_passive(fit* s) {
  for (int i = 0; i < s->n; i++) {
    const double* Li = s->L + (size_t)i * (size_t)s->most;
    s->y[i] = (s->Ab[s->passive[i]] - lb_dot(i, Li, s->y)) / Li[i];
  }
  memcpy(s->z, s->y, (size_t)s->n * sizeof *s->z);
  for (int i = s->n - 1; i >= 0; i--) {
    const double* Li = s->L + (size_t)i * (size_t)s->most;
    s->z[i] /= Li[i];
    lb_add(i, s->z, -s->z[i], Li);
  }
}

// How far the weights may go towards z before one of them is zero.
static double longest_step(const fit* s) {
  double step = 1;
  for (int i = 0; i < s->n; i++) {
    const double w = s->w[s->passive[i]];
    if (s->z[i] <= 0) {
      step = fmin(step, w > s->z[i] ? w / (w - s->z[i]) : 0);
    }
  }
  return step;
}

// Weights of all columns so far, from those of before with the new column free (Lawson and Hanson's
// inner loop).
static void solve_weights(fit* s) {
  double step = 0;
  while (s->n > 0 && step < 1) {
    solve_passive(s);
    step = longest_step(s);
    for (int i = 0; i < s->n; i++) {
      double* w = &s->w[s->passive[i]];
      const double before = *w;
      *w += step * (s->z[i] - before);
      if (s->z[i] <= 0 && *w <= 1e-9 * before) { // it has come down to zero
        *w = 0;
      }
    }
    drop_empty(s);
  }
}

// What is missing, along every candidate; returns its size over that of b.
static double find_rest(fit* s) {
  memcpy(s->rest, s->Ab, (size_t)s->ncolumn * sizeof *s->rest);
  for (int i = 0; i < s->n; i++) {
    lb_add(s->ncolumn, s->rest, -s->w[s->passive[i]], products(s, s->passive[i]));
  }
  double left = s->bb;
  for (int i = 0; i < s->n; i++) {
    left -= s->w[s->passive[i]] * (s->Ab[s->passive[i]] + s->rest[s->passive[i]]);
  }
  return sqrt(fmax(left, 0) / s->bb);
}

// The candidate with the largest cosine with what is missing; -1: none.
static int best_column(const fit* s) {
  int best = -1;
  double most = 0;
  for (int i = 0; i < s->ncolumn; i++) {
    const double size = products(s, i)[i];
    const double along = size > 0 && !s->tried[i] ? s->rest[i] / sqrt(size) : 0;
    if (along > (1 + HAIR) * most) {
      most = along;
      best = i;
    }
  }
  return best;
}

// Columns and weights until what is missing is small; returns its size.
static double choose_columns(fit* s, double tolerance) {
  double error = find_rest(s);
  while (s->n < s->most && error > tolerance) {
    const int column = best_column(s);
    if (column < 0) {
      break;
    }
    s->tried[column] = true;
    if (append(s, column)) {
      solve_weights(s);
      error = find_rest(s);
    }
  }
  return error;
}

// --- training ---

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
  fit s;
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
  fit* s = &t->s;
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
    const double at = (i + (some < count ? random_unit(&seed) : 0)) * count / some;
    list[i] = list[(int)at];
  }
  t->candidate = list;
  t->ncandidate = some;
  return lb_points_pick(t->all, some, list, one, nregion, arena, &t->candidates);
}

static bool take_trainer(trainer* t, int most, lb_arena* arena) {
  const int r = t->all->r;
  t->s = (fit){.ncolumn = LB_LANES * t->candidates.nbatch};
  t->s.most = most < t->s.ncolumn ? most : t->s.ncolumn;
  t->rows = r > MOST_ROWS ? r : MOST_ROWS / r * r;
  t->A = LB_TAKE(arena, double, (size_t)t->s.ncolumn*(size_t)t->rows);
  t->b = LB_TAKE(arena, double, t->rows);
  t->g = LB_TAKE(arena, double, 2 * LB_LANES * r);
  t->pose = LB_TAKE(arena, double, r);
  t->L = LB_TAKE(arena, double, r* r);
  t->scratch = LB_TAKE(arena, double, lb_points_force(t->all).scratch);
  return take_fit(&t->s, arena);
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
    report->error = choose_columns(&t->s, options->tolerance);
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
