// Several models of a mechanism, taken into one chart to be blended there (fork_blend_step.c).
//
// The chart is about the mean of the models' poses, so that it does not depend on their order.
// With J_i = J_r(xi_i) a model's columns, mass and wrenches along its own axes are in the chart
//
//   B = J_i^-1 B_i,   M = J_i'X'M_i X J_i,   D_i = J_i^-1 C_i R_i'
//
// where X takes twists to the model's admissible coordinates; those it does not admit have no mass.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "fork/fork_blend.h"
#include "math/linear/dense.h"

static const double RANK = 1e-12; // part of the largest compliance below which there is none

// --- the mean of poses ---

// Newton's steps; each is exact to third order in how far the poses are apart.
lb_transform lb_fork_mean(int count, const lb_transform* X, const double* weight) {
  enum { MOST = 100 };
  static const double CLOSE = 1e-15;
  lb_transform mean = X[0];
  for (int k = 0; k < MOST; k++) {
    lb_twist sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < count; i++) {
      const lb_twist x = lb_se3_log(lb_transform_mul(lb_transform_inverse(mean), X[i]));
      sum.w = lb_vec3_add(sum.w, lb_vec3_scale(weight[i], x.w));
      sum.v = lb_vec3_add(sum.v, lb_vec3_scale(weight[i], x.v));
    }
    mean = lb_transform_mul(mean, lb_se3_exp(sum));
    mean.q = lb_quat_normalise(mean.q);
    if (lb_vec3_norm(sum.w) + lb_vec3_norm(sum.v) < CLOSE * (1 + lb_vec3_norm(mean.p))) {
      break;
    }
  }
  return mean;
}

static bool find_centres(lb_fork_blend* b, lb_arena* scratch) {
  lb_fork_blending* o = b->own;
  const size_t count = (size_t)b->count;
  double* weight = LB_TAKE(scratch, double, count);
  lb_transform* X = LB_TAKE(scratch, lb_transform, count);
  if (!weight || !X) {
    return false;
  }
  o->radius = 0;
  for (size_t i = 0; i < count; i++) {
    weight[i] = 1.0 / (double)count;
    o->radius += weight[i] * b->fork[i]->radius;
  }
  o->shrink = 1 / o->radius;
  for (int e = 0; e < o->ne; e++) {
    for (size_t i = 0; i < count; i++) {
      X[i] = b->fork[i]->pose[e];
    }
    o->centre[e] = lb_fork_mean(b->count, X, weight);
  }
  return true;
}

// --- a model in the chart ---

typedef struct sample {
  const lb_fork* f;
  lb_fork_part part;
  double* X; // [f->count][n] to the model's own coordinates
  double* B; // [n][nv] columns of the joints
  double* C; // [n][n] from wrenches along the world's axes, unscaled, to xi
} sample;

// J X of six rows, J [6][6].
static void turn_rows(const double* J, double* X, size_t columns) {
  for (size_t c = 0; c < columns; c++) {
    double x[6];
    for (size_t i = 0; i < 6; i++) {
      x[i] = 0;
      for (size_t k = 0; k < 6; k++) {
        x[i] += J[6 * i + k] * X[k * columns + c];
      }
    }
    for (size_t i = 0; i < 6; i++) {
      X[i * columns + c] = x[i];
    }
  }
}

bool lb_fork_invert_jacobian(const lb_fork_chart* chart, double radius, double* inverse) {
  double J[36], columns[36];
  int pivot[6];
  lb_fork_chart_jacobian(chart, J);
  for (int i = 0; i < 36; i++) {
    columns[i] = J[i % 6 * 6 + i / 6];
    inverse[i] = i % 7 == 0;
  }
  const bool ok = lb_lu(6, columns, 6, pivot) == LB_OK;
  if (ok) { // columns of the inverse, then transposed
    lb_lu_solve(6, columns, 6, pivot, 6, inverse, 6);
    memcpy(J, inverse, sizeof J);
    for (int i = 0; i < 36; i++) {
      inverse[i] = J[i % 6 * 6 + i / 6] * (i / 6 < 3 ? 1 : 1 / radius);
    }
  }
  return ok;
}

// C_i R_i' of effector e's columns: wrenches along the world's axes.
static void turn_columns(sample* s, size_t n, int e) {
  for (size_t r = 0; r < n; r++) {
    double* row = s->C + r * n + 6 * (size_t)e;
    const lb_twist own = lb_fork_twist(row); // (R a)'w = a'(R'w)
    lb_fork_put(row, (lb_twist){lb_quat_rotate(s->f->pose[e].q, own.w),
                                lb_quat_rotate(s->f->pose[e].q, own.v)});
  }
}

// X = shape J_r with lengths of xi in radii; shapes are orthonormal with lengths in the model's
// own.
static void take_coordinates(sample* s, size_t n, int e, const lb_fork_chart* chart,
                             double radius) {
  const lb_fork* f = s->f;
  double J[36];
  lb_fork_chart_jacobian(chart, J);
  for (size_t k = 0; k < (size_t)f->count; k++) {
    const double* shape = f->shape + k * n + 6 * (size_t)e;
    for (size_t c = 0; c < 6; c++) {
      double sum = 0;
      for (size_t r = 0; r < 6; r++) {
        sum += shape[r] * (r < 3 ? 1 : 1 / (f->radius * f->radius)) * J[6 * r + c];
      }
      s->X[k * n + 6 * (size_t)e + c] = sum * (c < 3 ? 1 : radius);
    }
  }
}

static bool take_effector(const lb_fork_blending* o, sample* s, int e) {
  const lb_fork* f = s->f;
  const size_t n = (size_t)o->n, at = 6 * (size_t)e;
  double inverse[36];
  lb_twist xi = lb_se3_log(lb_transform_mul(lb_transform_inverse(o->centre[e]), f->pose[e]));
  const lb_fork_chart chart = lb_fork_chart_at(xi);
  xi.v = lb_vec3_scale(1 / o->radius, xi.v);
  lb_fork_put(s->part.xi + at, xi);
  const lb_twist w = lb_fork_twist(f->wrench + at);
  lb_fork_put(s->part.force + at,
              (lb_twist){lb_quat_rotate(f->pose[e].q, w.w), lb_quat_rotate(f->pose[e].q, w.v)});
  if (!lb_fork_invert_jacobian(&chart, o->radius, inverse)) {
    return false;
  }
  turn_rows(inverse, s->B + at * (size_t)f->nv, (size_t)f->nv);
  turn_rows(inverse, s->C + at * n, n);
  turn_columns(s, n, e);
  take_coordinates(s, n, e, &chart, o->radius);
  return true;
}

// out [n][ld] = X'A X
static void congruence(const lb_fork_blending* o, const sample* s, const double* A, double* out) {
  const size_t n = (size_t)o->n, count = (size_t)s->f->count, ld = (size_t)o->ld;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < count * count; k++) {
        sum += s->X[k / count * n + i] * A[k] * s->X[k % count * n + j];
      }
      out[i * ld + j] = sum;
    }
  }
}

static bool take_sample(const lb_fork_blend* b, int i, sample* s, lb_arena* scratch) {
  const lb_fork_blending* o = b->own;
  const lb_fork* f = b->fork[i];
  const size_t n = (size_t)o->n;
  *s = (sample){.f = f,
                .part = lb_fork_part_at(o, o->models + (size_t)i * o->size),
                .X = o->along[i],
                .B = LB_COPY(scratch, f->joint, n * (size_t)f->nv),
                .C = LB_COPY(scratch, f->C, n * n)};
  bool ok = s->B && s->C;
  for (int e = 0; e < o->ne && ok; e++) {
    ok = take_effector(o, s, e);
  }
  for (size_t r = 0; r < n && ok; r++) {
    s->part.give[r] = lb_dot(o->n, s->C + r * n, s->part.force);
  }
  if (ok) {
    congruence(o, s, f->M, s->part.M);
    congruence(o, s, f->D, s->part.D);
  }
  return ok;
}

// Products of (4), and what each model gives way under the other's wrenches.
static void take_pair(const lb_fork_blend* b, const sample* all, int i, int k) {
  const lb_fork_blending* o = b->own;
  const size_t n = (size_t)o->n, ld = (size_t)o->ld;
  double *give = lb_fork_pair_at(o, i, k), *C = give + ld;
  const size_t nv = (size_t)all[i].f->nv;
  for (size_t r = 0; r < n; r++) {
    give[r] = lb_dot(o->n, all[i].C + r * n, all[k].part.force);
    give[r] += i == k ? 0 : lb_dot(o->n, all[k].C + r * n, all[i].part.force);
  }
  for (size_t e = 0; e < n * n; e++) {
    const size_t r = e / n, c = e % n;
    double sum = lb_dot((int)nv, all[i].B + r * nv, all[k].B + c * nv);
    sum += i == k ? 0 : lb_dot((int)nv, all[k].B + r * nv, all[i].B + c * nv);
    C[r * ld + c] = sum;
  }
}

// Pivots of all models' compliances together, the largest left next: an order in which none of them
// needs another.
static void find_order(const lb_fork_blend* b, double* C) {
  lb_fork_blending* o = b->own;
  const size_t n = (size_t)o->n, ld = (size_t)o->ld;
  double most = 0;
  memset(C, 0, n * n * sizeof *C);
  for (int i = 0; i < b->count; i++) {
    const double* of = lb_fork_pair_at(o, i, i) + ld;
    for (size_t e = 0; e < n * n; e++) {
      C[e] += of[e / n * ld + e % n];
      most = fmax(most, of[e / n * ld + e % n]);
    }
  }
  o->least = RANK * most;
  for (size_t k = 0; k < n; k++) {
    o->order[k] = (int)k;
  }
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k; i < n; i++) {
      const size_t a = (size_t)o->order[i], p = (size_t)o->order[best];
      best = C[a * (n + 1)] > C[p * (n + 1)] ? i : best;
    }
    const int p = o->order[best];
    o->order[best] = o->order[k];
    o->order[k] = p;
    const double *row = C + (size_t)p * n, d = row[p];
    o->rank = d > o->least ? (int)k + 1 : o->rank;
    for (size_t i = k + 1; i < n && d > o->least; i++) {
      const size_t a = (size_t)o->order[i];
      lb_add(o->n, C + a * n, -row[a] / d, row);
    }
  }
}

// Rows, and of matrices columns, in that order.
static void sort(const lb_fork_blending* o, double* x, int rows, double* copy) {
  const size_t ld = (size_t)o->ld;
  memcpy(copy, x, (size_t)rows * ld * sizeof *x);
  for (int r = 0; r < rows; r++) {
    const double* from = copy + (size_t)(rows == 1 ? 0 : o->order[r]) * ld;
    for (int k = 0; k < o->n; k++) {
      x[(size_t)r * ld + (size_t)k] = from[o->order[k]];
    }
  }
}

static void sort_all(const lb_fork_blend* b, double* copy) {
  lb_fork_blending* o = b->own;
  const size_t n = (size_t)o->n;
  for (size_t k = 0; k < n; k++) {
    o->unit[k] = o->order[k] % 6 < 3 ? 1 : 1 / o->radius;
    o->size_of[k] = 1 / o->unit[k];
  }
  for (int i = 0; i < b->count; i++) {
    const lb_fork_part part = lb_fork_part_at(o, o->models + (size_t)i * o->size);
    memcpy(o->at + (size_t)i * n, part.xi, n * sizeof *part.xi);
    sort(o, part.xi, 1, copy);
    sort(o, part.give, 1, copy);
    sort(o, part.M, o->n, copy);
    sort(o, part.D, o->n, copy);
    for (int k = 0; k <= i; k++) {
      double* pair = lb_fork_pair_at(o, i, k);
      sort(o, pair, 1, copy);
      sort(o, pair + o->ld, o->n, copy);
    }
  }
}

static bool fill(lb_fork_blend* b) {
  lb_arena scratch;
  lb_arena_init(&scratch, b->own->arena.allocator);
  sample* all = LB_TAKE(&scratch, sample, b->count);
  bool ok = all && find_centres(b, &scratch);
  for (int i = 0; i < b->count && ok; i++) {
    ok = take_sample(b, i, &all[i], &scratch);
    for (int k = 0; k <= i && ok; k++) {
      take_pair(b, all, i, k);
    }
  }
  double* copy = ok ? LB_TAKE(&scratch, double, b->own->n * b->own->ld) : NULL;
  if (copy) {
    find_order(b, copy);
    sort_all(b, copy);
  }
  ok = copy && (!b->own->eigen || lb_fork_match_eigenvectors(b, &scratch));
  lb_arena_release(&scratch);
  return ok;
}

// --- state ---

void lb_fork_blend_set(lb_fork_blend* b, const lb_transform* pose, const double* twist) {
  lb_fork_blending* o = b->own;
  for (int e = 0; e < o->ne; e++) {
    const size_t at = 6 * (size_t)e;
    double inverse[36];
    lb_fork_put(b->xi + at,
                lb_se3_log(lb_transform_mul(lb_transform_inverse(o->centre[e]), pose[e])));
    const lb_fork_chart chart = lb_fork_chart_at(lb_fork_twist(b->xi + at));
    memset(b->rate + at, 0, 6 * sizeof *b->rate);
    if (twist && lb_fork_invert_jacobian(&chart, 1, inverse)) {
      memcpy(b->rate + at, twist + at, 6 * sizeof *b->rate);
      turn_rows(inverse, b->rate + at, 1);
    }
  }
  lb_fork_blend_place(b);
}

void lb_fork_blend_twist(const lb_fork_blend* b, double* twist) {
  for (int e = 0; e < b->own->ne; e++) {
    const size_t at = 6 * (size_t)e;
    lb_fork_put(twist + at, lb_fork_chart_rate(&b->own->chart[e], lb_fork_twist(b->rate + at)));
  }
}

// --- links ---

void lb_fork_add_difference(const lb_model* m, double* dq, double weight, const double* from,
                            const double* to) {
  for (int j = 0; j < m->njoint; j++) {
    const int q = m->joint.q[j], v = m->joint.v[j], nq = m->joint.nq[j], nv = m->joint.nv[j];
    const int turn = lb_quaternion_at(nq, nv);
    const int numbers = turn < 0 ? nv : turn, at = turn < 0 ? v : v + 3;
    if (turn >= 0) {
      double x[3];
      lb_quat_stretch(x, to + q + turn, from + q + turn);
      lb_add(3, dq + v, weight, x);
    }
    for (int k = 0; k < numbers; k++) {
      dq[at + k] += weight * (to[q + k] - from[q + k]);
    }
  }
}

// Coordinates by model i, q_i + A_i (xi - (xi_i + xim) / 2): the sum of these by the weights is of
// second order, as (2) is.
static void follow(const lb_fork_blend* b, int i, double* q) {
  const lb_fork_blending* o = b->own;
  const lb_fork* f = b->fork[i];
  const size_t n = (size_t)o->n;
  const double *own = o->models + (size_t)i * o->size, *mean = o->now;
  double *dq = o->dq, *x = o->y;
  for (size_t k = 0; k < n; k++) {
    const int at = o->order[k];
    x[at] = b->xi[at] * o->unit[k] - 0.5 * (own[k] + mean[k]);
  }
  memset(dq, 0, (size_t)f->nv * sizeof *dq);
  for (size_t k = 0; k < (size_t)f->count; k++) {
    lb_add(f->nv, dq, lb_dot(o->n, o->along[i] + k * n, x), f->dq + k * (size_t)f->nv);
  }
  memcpy(q, f->q, (size_t)f->model->nq * sizeof *q);
  lb_advance(f->model, q, dq, 1);
}

void lb_fork_blend_coordinates(const lb_fork_blend* b, double* q) {
  const lb_model* m = b->fork[0]->model;
  const lb_fork_blending* o = b->own;
  memset(o->sum, 0, (size_t)m->nv * sizeof *o->sum);
  follow(b, 0, q);
  for (int i = 1; i < b->count; i++) {
    follow(b, i, o->q);
    lb_fork_add_difference(m, o->sum, b->weight[i], q, o->q);
  }
  lb_advance(m, q, o->sum, 1);
}

// --- life ---

// Rows that begin where lines of the cache do.
static double* take_rows(lb_arena* a, size_t count) {
  enum { LINE = 64 };
  double* x = LB_TAKE(a, double, count + LINE / sizeof(double));
  const size_t over = (uintptr_t)x % LINE;
  return x && over ? x + (LINE - over) / sizeof *x : x;
}

static bool take(lb_fork_blend* b, lb_arena* a) {
  const size_t count = (size_t)b->count, ne = (size_t)b->fork[0]->neffector, n = 6 * ne;
  const size_t ld = (n + 7) / 8 * 8, pairs = count * (count + 1) / 2;
  const lb_model* m = b->fork[0]->model;
  lb_fork_blending* o = b->own;
  o->n = (int)n;
  o->ld = (int)ld;
  o->ne = (int)ne;
  o->size = (3 + 2 * n) * ld;
  b->pose = LB_TAKE(a, lb_transform, ne);
  b->xi = LB_TAKE(a, double, n);
  b->rate = LB_TAKE(a, double, n);
  b->weight = LB_TAKE(a, double, count);
  o->order = LB_TAKE(a, int, n);
  o->kept = LB_TAKE(a, int, n + 1);
  o->at = LB_TAKE(a, double, count* n);
  o->centre = LB_TAKE(a, lb_transform, ne);
  o->chart = LB_TAKE(a, lb_fork_chart, ne);
  o->models = take_rows(a, count * o->size);
  o->now = take_rows(a, o->size);
  o->pairs = take_rows(a, pairs * (1 + n) * ld);
  o->pair = take_rows(a, (1 + n) * ld);
  o->pair_weight = LB_TAKE(a, double, pairs);
  o->eigen = b->fork[0]->what->blend == LB_FORK_EIGENVECTORS
                 ? LB_TAKE(a, double, count* n*(ld + 1) + ld)
                 : NULL;
  o->along = LB_TAKE(a, double*, count);
  for (size_t i = 0; o->along && i < count; i++) {
    o->along[i] = LB_TAKE(a, double, (size_t)b->fork[i]->count* n);
  }
  double** const rows[] = {&o->L, &o->Lt, &o->W, &o->Ws};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    *rows[i] = take_rows(a, n * ld);
  }
  double** const vectors[] = {&o->d, &o->rho, &o->along_rho, &o->r,    &o->g,
                              &o->t, &o->y,   &o->left,      &o->unit, &o->size_of};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = take_rows(a, ld);
  }
  o->q = LB_TAKE(a, double, m->nq);
  o->sum = LB_TAKE(a, double, m->nv);
  o->dq = LB_TAKE(a, double, m->nv);
  o->tangent = (lb_fork_tangent){.centre = o->centre,
                                 .xi = b->xi,
                                 .Q = LB_TAKE(a, double, n* n),
                                 .M = LB_TAKE(a, double, n* n),
                                 .K = LB_TAKE(a, double, n* n),
                                 .D = LB_TAKE(a, double, n* n),
                                 .f0 = LB_TAKE(a, double, n),
                                 .p = LB_TAKE(a, double, n),
                                 .aside = LB_TAKE(a, double, n)};
  return lb_arena_status(a) == LB_OK;
}

static lb_status check(lb_fork* const* fork, int count, lb_error* err) {
  for (int i = 0; i < count; i++) {
    const bool other = fork[i]->model != fork[0]->model || fork[i]->neffector != fork[0]->neffector;
    if (fork[i]->base || other) {
      return lb_error_add(err, LB_INVALID, fork[i]->what->place,
                          other ? "models to blend must be of one fork"
                                : "fork '%s': models on a base that floats are not blended",
                          fork[i]->what->name);
    }
  }
  return LB_OK;
}

lb_status lb_fork_blend_create(lb_fork* const* fork, int count, double step,
                               const lb_allocator* allocator, lb_fork_blend** blend,
                               lb_error* err) {
  lb_status status = check(fork, count, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_fork_blend* b = LB_TAKE(&arena, lb_fork_blend, 1);
  lb_fork_blending* own = LB_TAKE(&arena, lb_fork_blending, 1);
  if (b && own) {
    *b = (lb_fork_blend){.count = count, .fork = fork, .step = step, .own = own};
  }
  if (!b || !own || !take(b, &arena)) {
    lb_arena_release(&arena);
    return lb_fork_no_memory(err);
  }
  own->arena = arena;
  if (!fill(b)) {
    lb_fork_blend_release(b);
    return lb_fork_no_memory(err);
  }
  lb_fork_blend_set(b, fork[0]->pose, NULL);
  lb_fork_blend_look(b);
  *blend = b;
  return LB_OK;
}

void lb_fork_blend_release(lb_fork_blend* b) {
  if (b) {
    lb_arena arena = b->own->arena;
    lb_arena_release(&arena);
  }
}
