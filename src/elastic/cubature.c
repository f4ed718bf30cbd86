// Greedy choice of points: add the one whose contribution points most along what is missing, then
// find all the weights anew by non-negative least squares, until what is missing is small. Rows are
// the components of the force at every training pose, each pose scaled to length one, so that small
// and large deformations count alike.
// A component's error counts over its frequency: squared, that is the energy it would bring.
#include "elastic/cubature.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/dense.h"

lb_cubature_options lb_cubature_default(void) {
  return (lb_cubature_options){.tolerance = 1e-3, .most = 300, .range = 0.2, .poses = 60};
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
  lb_reduced_force law;
  double size;
  double *K, *f, *x, *load, *scratch;
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
      const lb_m3 A = b->face[f].A[k];
      const double trace = b->face[f].A0.x[0] + b->face[f].A0.y[1] + b->face[f].A0.z[2];
      const lb_v4 turn =
          lb_v4_make(A.y[2] - A.z[1], A.z[0] - A.x[2], A.x[1] - A.y[0]) / trace; // mean rotation
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

// One Newton step towards f(eta) = load with the step cut so that the energy minus the load's work
// falls.
static bool newton(const poser* p, double* eta, double* size) {
  const int r = p->b->r;
  p->law.force(p->law.context, p->f, NULL, eta, NULL, p->scratch);
  p->law.tangent(p->law.context, p->K, eta, p->scratch);
  for (int k = 0; k < r; k++) {
    p->f[k] = p->load[k] - p->f[k];
  }
  *size = sqrt(lb_dot(r, p->f, p->f));
  if (lb_cholesky(r, p->K, r) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(r, p->K, r, 1, p->f, r);
  const double before = p->law.energy(p->law.context, eta, p->scratch) - lb_dot(r, p->load, eta);
  for (double s = 1; s > 1e-4; s *= 0.5) {
    for (int k = 0; k < r; k++) {
      p->x[k] = eta[k] + s * p->f[k];
    }
    const double after = p->law.energy(p->law.context, p->x, p->scratch) - lb_dot(r, p->load, p->x);
    if (after <= before + 1e-12 * fabs(before)) {
      memcpy(eta, p->x, (size_t)r * sizeof *eta);
      return true;
    }
  }
  return false;
}

// Equilibrium under a load that would move the faces by `travel` if everything were linear.
static bool settle(const poser* p, double* eta, double travel) {
  const int r = p->b->r;
  memset(eta, 0, (size_t)r * sizeof *eta);
  p->law.tangent(p->law.context, p->K, eta, p->scratch);
  if (lb_cholesky(r, p->K, r) != LB_OK) {
    return false;
  }
  memcpy(p->x, p->load, (size_t)r * sizeof *p->x);
  lb_cholesky_solve(r, p->K, r, 1, p->x, r);
  const double linear = face_travel(p->b, p->x);
  for (int k = 0; k < r; k++) {
    p->load[k] *= linear > 0 ? travel / linear : 0;
  }
  const double scale = sqrt(lb_dot(r, p->load, p->load));
  for (int i = 0; i < 60; i++) {
    double size;
    if (!newton(p, eta, &size)) {
      return i > 3; // as near as rounding lets it
    }
    if (size <= 1e-8 * scale) {
      return true;
    }
  }
  return true; // not an equilibrium, but a pose all the same
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

lb_status lb_cubature_poses(const lb_points* all, const lb_reduced* reduced, double size,
                            const lb_cubature_options* options, lb_arena* arena, double** eta,
                            int* count) {
  const int r = reduced->r;
  poser p = {.b = reduced, .law = lb_points_force(all), .size = size};
  double* poses = LB_TAKE(arena, double, (options->poses + r) * r);
  p.K = LB_TAKE(arena, double, r* r);
  p.f = LB_TAKE(arena, double, r);
  p.x = LB_TAKE(arena, double, r);
  p.load = LB_TAKE(arena, double, r);
  p.scratch = LB_TAKE(arena, double, p.law.scratch);
  if (!poses || !p.K || !p.f || !p.x || !p.load || !p.scratch) {
    return LB_NO_MEMORY;
  }
  // each basis vector alone, small: together they are the stiffness at rest
  lb_cubature_rest(reduced, size, poses);
  int n = r;
  uint64_t seed = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < options->poses; i++) {
    random_load(&p, &seed);
    const double travel = options->range * size * (i + 1) / options->poses;
    n += settle(&p, poses + n * r, travel);
  }
  *eta = poses;
  *count = n;
  return LB_OK;
}

// --- non-negative least squares on a growing set of columns ---

typedef struct fit {
  int rows, most, n; // n columns so far
  double* A;         // [most][rows]
  double* N;         // [most][most] A'A
  double* b;         // [rows]
  double* Ab;        // [most] A'b
  double* w;         // [most] weights
  double* L;         // [most][most]
  double* z;         // [most]
  int* passive;      // [most] indices that are not held at zero
  double* rest;      // [rows] b - A w
} fit;

static bool take_fit(fit* s, lb_arena* arena) {
  s->A = LB_TAKE(arena, double, (size_t)s->most*(size_t)s->rows);
  s->N = LB_TAKE(arena, double, s->most * s->most);
  s->b = LB_TAKE(arena, double, s->rows);
  s->Ab = LB_TAKE(arena, double, s->most);
  s->w = LB_TAKE(arena, double, s->most);
  s->L = LB_TAKE(arena, double, s->most * s->most);
  s->z = LB_TAKE(arena, double, s->most);
  s->passive = LB_TAKE(arena, int, s->most);
  s->rest = LB_TAKE(arena, double, s->rows);
  return s->A && s->N && s->b && s->Ab && s->w && s->L && s->z && s->passive && s->rest;
}

// Least squares over the columns whose weight is not held at zero; false when they are dependent.
static bool solve_passive(fit* s, int count) {
  for (int i = 0; i < count; i++) {
    s->z[i] = s->Ab[s->passive[i]];
    for (int j = 0; j <= i; j++) {
      s->L[i + j * count] = s->N[s->passive[i] * s->most + s->passive[j]];
    }
    s->L[i + i * count] *= 1 + 1e-13;
  }
  if (lb_cholesky(count, s->L, count) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(count, s->L, count, 1, s->z, count);
  return true;
}

// Weights of all columns so far, from those of before with the new column free (Lawson and Hanson's
// inner loop).
static void solve_weights(fit* s) {
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    if (s->w[i] > 0 || i == s->n - 1) {
      s->passive[count++] = i;
    }
  }
  while (count > 0 && solve_passive(s, count)) {
    double step = 1;
    for (int i = 0; i < count; i++) {
      const double w = s->w[s->passive[i]];
      if (s->z[i] <= 0) {
        step = fmin(step, w > s->z[i] ? w / (w - s->z[i]) : 0);
      }
    }
    int left = 0;
    for (int i = 0; i < count; i++) {
      const int k = s->passive[i];
      const double before = s->w[k];
      s->w[k] += step * (s->z[i] - before);
      if (s->z[i] > 0 || s->w[k] > 1e-9 * before) { // else it has come down to zero
        s->passive[left++] = k;
      } else {
        s->w[k] = 0;
      }
    }
    if (step >= 1) {
      break;
    }
    count = left;
  }
  memcpy(s->rest, s->b, (size_t)s->rows * sizeof *s->rest);
  for (int i = 0; i < s->n; i++) {
    const double* a = s->A + (size_t)i * (size_t)s->rows;
    for (int k = 0; s->w[i] > 0 && k < s->rows; k++) {
      s->rest[k] -= s->w[i] * a[k];
    }
  }
}

// --- training ---

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
  bool* tried;     // [8 * nbatch] points that were columns already: some lost their weight again
  double* scale;   // [npose + nslope]
  double* g;       // [8][r]
  double* column;  // [8][rows]
  fit s;
} trainer;

// A force from a pose: of all points, or of those of a batch.
typedef struct source {
  trainer* t;
  int batch; // -1: all
  int count; // numbers it gives
  double* scratch;
} source;

static void evaluate(const source* s, double* f, const double* eta) {
  if (s->batch >= 0) {
    lb_points_contribution(s->t->all, s->batch, f, eta);
  } else {
    const lb_reduced_force law = lb_points_force(s->t->all);
    law.force(law.context, f, NULL, eta, NULL, s->scratch);
  }
}

// Item i in coordinates of unit stiffness, not yet scaled: f [count], `other` as long.
static void item(const source* s, int i, double* f, double* other) {
  trainer* t = s->t;
  const int r = t->all->r;
  const double* pose = t->eta + (i < t->npose ? i : t->bent[(i - t->npose) / r]) * r;
  if (i < t->npose) {
    evaluate(s, f, pose);
  } else {
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
  for (int m = 0; m < s->count; m++) {
    f[m] /= t->omega[m % r];
  }
}

// Columns of the eight points of a batch.
static void batch_columns(trainer* t, int batch) {
  const int r = t->all->r;
  const source s = {t, batch, LB_LANES * r, NULL};
  for (int i = 0; i < t->npose + t->nslope; i++) {
    item(&s, i, t->g, t->g + LB_LANES * r);
    for (int l = 0; l < LB_LANES; l++) {
      for (int k = 0; k < r; k++) {
        t->column[l * t->s.rows + i * r + k] = t->g[l * r + k] * t->scale[i];
      }
    }
  }
}

// The right-hand side: the exact forces and slopes, each scaled to length one.
static void exact_forces(trainer* t, double* scratch) {
  const int r = t->all->r;
  const source s = {t, -1, r, scratch};
  for (int i = 0; i < t->npose + t->nslope; i++) {
    double* f = t->s.b + i * r;
    item(&s, i, f, t->g);
    const double size = sqrt(lb_dot(r, f, f));
    t->scale[i] = size > 0 ? 1 / size : 0;
    for (int k = 0; k < r; k++) {
      f[k] *= t->scale[i];
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

// Among a random sample of points, the one whose contribution has the largest cosine with what is
// missing.
static int best_point(trainer* t, uint64_t* seed) {
  enum { SAMPLE = 60 }; // batches, of eight points each
  int best = -1;
  double most = 0;
  const int tries = t->all->nbatch < SAMPLE ? t->all->nbatch : SAMPLE;
  for (int i = 0; i < tries; i++) {
    const int batch =
        t->all->nbatch <= SAMPLE ? i : (int)(random_unit(seed) * (double)t->all->nbatch);
    batch_columns(t, batch);
    for (int l = 0; l < LB_LANES; l++) {
      const double* a = t->column + l * t->s.rows;
      const double size = sqrt(lb_dot(t->s.rows, a, a));
      const double along = size > 0 ? lb_dot(t->s.rows, a, t->s.rest) / size : 0;
      if (t->all->weight[batch][l] > 0 && along > most && !t->tried[LB_LANES * batch + l]) {
        most = along;
        best = LB_LANES * batch + l;
      }
    }
  }
  return best;
}

static void add_column(trainer* t, int point) {
  fit* s = &t->s;
  t->tried[point] = true;
  batch_columns(t, point / LB_LANES);
  double* a = s->A + (size_t)s->n * (size_t)s->rows;
  memcpy(a, t->column + (point % LB_LANES) * s->rows, (size_t)s->rows * sizeof *a);
  for (int i = 0; i <= s->n; i++) {
    s->N[s->n * s->most + i] = s->N[i * s->most + s->n] =
        lb_dot(s->rows, a, s->A + (size_t)i * (size_t)s->rows);
  }
  s->Ab[s->n] = lb_dot(s->rows, a, s->b);
  s->w[s->n] = 0;
  s->n++;
}

lb_status lb_cubature_train(const lb_points* all, int nregion, const double* omega,
                            const double* eta, int npose, const lb_cubature_options* options,
                            lb_arena* arena, lb_points* few, lb_cubature_report* report) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  const int r = all->r;
  trainer t = {.all = all, .eta = eta, .omega = omega, .npose = npose};
  const bool ready = choose_slopes(&t, options->slopes, &scratch) == LB_OK;
  t.s = (fit){.rows = (npose + t.nslope) * r, .most = options->most};
  t.scale = LB_TAKE(&scratch, double, npose + t.nslope);
  t.g = LB_TAKE(&scratch, double, 2 * LB_LANES * r);
  t.pose = LB_TAKE(&scratch, double, r);
  t.tried = LB_TAKE(&scratch, bool, LB_LANES * all->nbatch);
  t.column = LB_TAKE(&scratch, double, LB_LANES* t.s.rows);
  int* chosen = LB_TAKE(&scratch, int, options->most);
  double* work = LB_TAKE(&scratch, double, lb_points_force(all).scratch);
  lb_status status = LB_NO_MEMORY;
  if (ready && t.scale && t.g && t.pose && t.tried && t.column && chosen && work &&
      take_fit(&t.s, &scratch)) {
    uint64_t seed = 88172645463325252u;
    exact_forces(&t, work);
    const double size = sqrt(lb_dot(t.s.rows, t.s.b, t.s.b));
    double error = 1;
    memcpy(t.s.rest, t.s.b, (size_t)t.s.rows * sizeof *t.s.b);
    while (t.s.n < options->most && error > options->tolerance) {
      const int point = best_point(&t, &seed);
      if (point < 0) {
        break;
      }
      chosen[t.s.n] = point;
      add_column(&t, point);
      solve_weights(&t.s);
      error = sqrt(lb_dot(t.s.rows, t.s.rest, t.s.rest)) / size;
    }
    int kept = 0;
    for (int i = 0; i < t.s.n; i++) {
      if (t.s.w[i] > 0) {
        chosen[kept] = chosen[i];
        t.s.w[kept++] = t.s.w[i];
      }
    }
    *report = (lb_cubature_report){kept, error};
    status = lb_points_pick(all, kept, chosen, t.s.w, nregion, arena, few);
  }
  lb_arena_release(&scratch);
  return status;
}
