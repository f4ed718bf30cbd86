// Several models of a mechanism, blended.
//
// Weights are Shepard's of second order over the distances d_i of the effectors from model i's,
// angles over pi and lengths over the mechanism's radius:
//
//   (1)  alpha_i = d_i^-2 / sum of d_k^-2
//
// Each model says how far the effectors are from where it would have them: C_i of all wrenches,
// from outside and of the mechanism as the model knows it (fork_step.c). That is what is blended.
// Blended wrenches would not do: a direction in which one model is nearly rigid has large ones as
// soon as another model leads a little beside it. [fork] blends frames and forces of the equilibria
// instead, and goes from one to the next along a chord; its frames depend on which model is the
// first (eq. 28). Here a model is right to second order around its equilibrium, and there are no
// frames between.
//
// Compliances are blended by the columns of the joints, over roots of stiffness (lb_fork's
// `joint`), which belong together without any matching:
//
//   (2)  C = (sum alpha_i B_i)(sum alpha_i B_i)' = sum alpha_i alpha_k B_i B_k'
//
// of which the products are made beforehand. J_r(xi_i) takes those of model i from its own axes to
// the effectors' present ones. C is never negative, and that of a model where only that counts.
// Mass and damping are blended among forces, N = C M C and R = C D C, where models of lower rank
// have zeros. With rates C u a step by backward Euler is
//
//   (3)  (N + h R + h^2 C) u = N u0 + h sum alpha_i C_i (wrenches from outside and of model i)
//
// so that nothing is inverted but a semidefinite matrix whose null space does no work. A model
// whose joints do not admit the present pose says how far it is from the nearest that they do, too.
// That counts with the others along directions in which C goes; along all others the effectors
// follow it.
#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "fork/fork_chart.h"
#include "fork/fork_inside.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

static const double AT = 1e-12;   // distance, in radii, at which a model counts alone
static const double RANK = 1e-12; // part of the largest pivot below which a direction is rigid

typedef struct lb_fork_blending {
  lb_arena arena;
  lb_fork_stepper** model; // [count] each model where the effectors are
  double* B;               // [count][count][n][n] products of (2)
  double* J;               // [count][neffector][6][6] J_r of each model
  double *N, *R;           // [count][n][n] mass and damping among forces
  double* W;               // [n][n] matrix of (3)
  double *A, *S;           // [n][n] N of the blend; scratch
  double *u, *f, *r;       // [n] u0; wrenches; right-hand side, then u
  double* pull;            // [n] wrench of one model
  double *z, *along;       // [n] way to admissible poses, and its part along C
  double* work;            // [2 n]
  int* pivot;              // [n]
  double *q, *sum;         // [nq], [nv] of one model; from the first model to the blend
} lb_fork_blending;

static int size_of(const lb_fork_blend* b) {
  return 6 * b->fork[0]->neffector;
}

static lb_twist between(lb_transform from, lb_transform to) {
  return lb_se3_log(lb_transform_mul(lb_transform_inverse(from), to));
}

// --- where the effectors are ---

// Model i there, y = Q'xi with lengths in radii; how far that is.
static double go(const lb_fork_blend* b, int i) {
  const lb_fork* f = b->fork[i];
  const size_t n = (size_t)size_of(b);
  const double r = b->fork[0]->radius;
  lb_fork_stepper* s = b->own->model[i];
  double *xi = b->own->f, sum = 0;
  for (int e = 0; e < f->neffector; e++) {
    const lb_twist x = between(f->pose[e], b->pose[e]);
    lb_fork_put(xi + 6 * (size_t)e, x);
    sum += sqrt(lb_vec3_dot(x.w, x.w) / (M_PI * M_PI) + lb_vec3_dot(x.v, x.v) / (r * r));
  }
  for (size_t k = 0; k < n; k++) {
    xi[k] *= k % 6 < 3 ? 1 : 1 / (f->radius * f->radius);
  }
  for (int k = 0; k < f->count; k++) {
    s->y[k] = lb_dot((int)n, f->shape + (size_t)k * n, xi);
  }
  lb_fork_place(s);
  for (int e = 0; e < f->neffector; e++) { // rows of J_r are the forces of unit wrenches
    const lb_fork_chart X = lb_fork_chart_at(lb_fork_twist(s->xi + 6 * (size_t)e));
    double* J = b->own->J + 6 * n * (size_t)i + 36 * (size_t)e;
    for (size_t k = 0; k < 6; k++) {
      double unit[6] = {0};
      unit[k] = 1;
      lb_fork_put(J + 6 * k, lb_fork_chart_force(&X, lb_fork_twist(unit)));
    }
  }
  return sum;
}

static void weigh(lb_fork_blend* b) {
  double least = INFINITY, all = 0;
  int nearest = 0;
  for (int i = 0; i < b->count; i++) {
    b->weight[i] = go(b, i);
    nearest = b->weight[i] < least ? i : nearest;
    least = fmin(least, b->weight[i]);
  }
  for (int i = 0; i < b->count; i++) { // over the nearest, so that nothing overflows
    const double ratio = least / b->weight[i];
    b->weight[i] = least <= AT ? i == nearest : ratio * ratio;
    all += b->weight[i];
  }
  for (int i = 0; i < b->count; i++) {
    b->weight[i] /= all;
  }
}

// out += alpha J_i X J_k', effector by effector.
static void add_turned(const lb_fork_blend* b, double* out, double alpha, int i, int k,
                       const double* X) {
  const size_t n = (size_t)size_of(b);
  for (size_t block = 0; block < n / 6 * (n / 6); block++) {
    const size_t row = block / (n / 6), column = block % (n / 6);
    const double* left = b->own->J + 6 * n * (size_t)i + 36 * row;
    const double* right = b->own->J + 6 * n * (size_t)k + 36 * column;
    double half[6][6] = {{0}}; // X J_k'
    for (size_t r = 0; r < 6; r++) {
      for (size_t c = 0; c < 6; c++) {
        half[c][r] = lb_dot(6, X + (6 * row + r) * n + 6 * column, right + 6 * c);
      }
    }
    for (size_t r = 0; r < 6; r++) {
      for (size_t c = 0; c < 6; c++) {
        out[(6 * row + r) * n + 6 * column + c] += alpha * lb_dot(6, left + 6 * r, half[c]);
      }
    }
  }
}

static void multiply(int n, double* y, const double* A, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] = lb_dot(n, A + (size_t)i * (size_t)n, x);
  }
}

// A x = b in x, A semidefinite and kept.
static void solve(lb_fork_blend* b, const double* A, double* x) {
  lb_fork_blending* own = b->own;
  const int n = size_of(b);
  memcpy(own->S, A, (size_t)n * (size_t)n * sizeof *A);
  const int rank = lb_semidefinite_factor(n, own->S, n, RANK, own->work, own->pivot);
  lb_semidefinite_solve(n, own->S, n, rank, x, own->work, own->pivot);
}

// z: mean of the ways to the nearest poses that the models admit, and its part along C.
static void find_way(lb_fork_blend* b) {
  lb_fork_blending* own = b->own;
  const int n = size_of(b);
  for (int e = 0; e < b->fork[0]->neffector; e++) {
    lb_twist sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < b->count; i++) {
      const lb_twist x = between(b->pose[e], own->model[i]->pose[e]);
      sum.w = lb_vec3_add(sum.w, lb_vec3_scale(b->weight[i], x.w));
      sum.v = lb_vec3_add(sum.v, lb_vec3_scale(b->weight[i], x.v));
    }
    lb_fork_put(own->z + 6 * (size_t)e, sum);
  }
  memcpy(own->pull, own->z, (size_t)n * sizeof *own->z);
  solve(b, b->C, own->pull);
  multiply(n, own->along, b->C, own->pull);
}

static void move(lb_fork_blend* b, double h, const double* twist) {
  for (int e = 0; e < b->fork[0]->neffector; e++) {
    const lb_twist x = lb_fork_scale(h, lb_fork_twist(twist + 6 * (size_t)e));
    b->pose[e] = lb_transform_mul(b->pose[e], lb_se3_exp(x));
    b->pose[e].q = lb_quat_normalise(b->pose[e].q);
  }
}

void lb_fork_blend_look(lb_fork_blend* b) {
  const size_t n = (size_t)size_of(b), count = (size_t)b->count;
  weigh(b);
  memset(b->C, 0, n * n * sizeof *b->C);
  for (size_t i = 0; i < count * count; i++) { // (2)
    const double alpha = b->weight[i / count] * b->weight[i % count];
    if (alpha > 0) {
      add_turned(b, b->C, alpha, (int)(i / count), (int)(i % count), b->own->B + i * n * n);
    }
  }
  find_way(b);
}

// --- a step ---

static void mix(const lb_fork_blend* b, const double* of, double* out) {
  const size_t n = (size_t)size_of(b);
  memset(out, 0, n * n * sizeof *out);
  for (int i = 0; i < b->count; i++) {
    add_turned(b, out, b->weight[i], i, i, of + (size_t)i * n * n);
  }
}

// f: wrenches from outside, along the effectors' axes.
static void find_wrenches(lb_fork_blend* b, const double* wrench) {
  const size_t n = (size_t)size_of(b);
  double* f = b->own->f;
  memset(f, 0, n * sizeof *f);
  for (size_t e = 0; wrench && e < n / 6; e++) {
    const lb_quat back = lb_quat_conjugate(b->pose[e].q);
    const lb_twist w = lb_fork_twist(wrench + 6 * e);
    lb_fork_put(f + 6 * e, (lb_twist){lb_quat_rotate(back, w.w), lb_quat_rotate(back, w.v)});
  }
}

// r += scale J C J'w of model i, w all wrenches as it has them.
static void add_response(const lb_fork_blend* b, int i, double scale, double* r) {
  const size_t n = (size_t)size_of(b), count = (size_t)b->count;
  const double* J = b->own->J + 6 * n * (size_t)i;
  const double* C = b->own->B + (size_t)i * (count + 1) * n * n;
  double *w = b->own->pull, *along = b->own->work;
  lb_fork_wrench(b->own->model[i], w);
  lb_add((int)n, w, 1, b->own->f);
  for (size_t k = 0; k < n; k++) { // J'w
    along[k] = 0;
    for (size_t c = 0; c < 6; c++) {
      along[k] += J[6 * (k - k % 6) + 6 * c + k % 6] * w[k - k % 6 + c];
    }
  }
  for (size_t k = 0; k < n; k++) {
    w[k] = lb_dot((int)n, C + k * n, along);
  }
  for (size_t k = 0; k < n; k++) {
    r[k] += scale * lb_dot(6, J + 6 * k, w + (k - k % 6));
  }
}

// Rates of (3), from those before.
static void find_rates(lb_fork_blend* b, const double* wrench) {
  lb_fork_blending* own = b->own;
  const int n = size_of(b);
  const double h = b->step;
  memcpy(own->u, b->rate, (size_t)n * sizeof *own->u);
  solve(b, b->C, own->u);
  find_wrenches(b, wrench);
  mix(b, own->N, own->A);
  mix(b, own->R, own->W);
  multiply(n, own->r, own->A, own->u);
  for (int i = 0; i < b->count; i++) {
    add_response(b, i, h * b->weight[i], own->r);
  }
  lb_add(n, own->r, h, own->along);
  for (int i = 0; i < n * n; i++) {
    own->W[i] = own->A[i] + h * own->W[i] + h * h * b->C[i];
  }
  solve(b, own->W, own->r);
  multiply(n, b->rate, b->C, own->r);
}

void lb_fork_blend_step(lb_fork_blend* b, const double* wrench) {
  lb_fork_blending* own = b->own;
  const int n = size_of(b);
  double beside = 0;
  find_rates(b, wrench);
  move(b, b->step, b->rate);
  lb_fork_blend_look(b);
  for (int i = 0; i < n; i++) {
    own->z[i] -= own->along[i];
    beside = fmax(beside, fabs(own->z[i]));
  }
  if (beside > AT * b->fork[0]->radius) { // of models that admit every motion there is none
    move(b, 1, own->z);
    lb_fork_blend_look(b);
  }
}

// --- links ---

// dq += weight (to - from), rotations as vectors in the link's axes.
static void add_difference(const lb_model* m, double* dq, double weight, const double* from,
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

void lb_fork_blend_coordinates(lb_fork_blend* b, double* q) {
  const lb_model* m = b->fork[0]->model;
  memset(b->own->sum, 0, (size_t)m->nv * sizeof *b->own->sum);
  lb_fork_coordinates(b->own->model[0], q);
  for (int i = 1; i < b->count; i++) {
    lb_fork_coordinates(b->own->model[i], b->own->q);
    add_difference(m, b->own->sum, b->weight[i], q, b->own->q);
  }
  lb_advance(m, q, b->own->sum, 1);
}

// --- life ---

// shape'(K^-1 X K^-1) shape of a matrix X in admissible coordinates: what it is among forces.
static bool among_forces(const lb_fork* f, const double* X, lb_arena* a, double* out) {
  const int m = f->count, n = 6 * f->neffector;
  double* L = LB_COPY(a, f->K, (size_t)m * (size_t)m);
  double* Y = LB_COPY(a, X, (size_t)m * (size_t)m);
  double* T = LB_TAKE(a, double, (size_t)m*(size_t)m);
  double* half = LB_TAKE(a, double, (size_t)m*(size_t)n);
  if (!L || !Y || !T || !half || lb_cholesky(m, L, m) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(m, L, m, m, Y, m);
  for (int i = 0; i < m * m; i++) {
    T[i] = Y[i % m * m + i / m];
  }
  lb_cholesky_solve(m, L, m, m, T, m);
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < m; i++) {
      lb_add(n, half + (size_t)k * (size_t)n, T[k * m + i], f->shape + (size_t)i * (size_t)n);
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) {
        sum +=
            f->shape[(size_t)k * (size_t)n + (size_t)i] * half[(size_t)k * (size_t)n + (size_t)j];
      }
      out[i * n + j] = sum;
    }
  }
  return true;
}

static bool fill(lb_fork_blend* b) {
  const size_t n = (size_t)size_of(b), nv = (size_t)b->fork[0]->nv, count = (size_t)b->count;
  lb_arena scratch;
  lb_arena_init(&scratch, b->own->arena.allocator);
  bool ok = true;
  for (size_t i = 0; i < count; i++) {
    ok = ok && among_forces(b->fork[i], b->fork[i]->M, &scratch, b->own->N + i * n * n) &&
         among_forces(b->fork[i], b->fork[i]->D, &scratch, b->own->R + i * n * n);
    for (size_t k = 0; k < count; k++) {
      double* B = b->own->B + (i * count + k) * n * n;
      for (size_t e = 0; e < n * n; e++) {
        B[e] = lb_dot((int)nv, b->fork[i]->joint + e / n * nv, b->fork[k]->joint + e % n * nv);
      }
    }
  }
  lb_arena_release(&scratch);
  return ok;
}

static bool take(lb_fork_blend* b, lb_arena* a) {
  const size_t n = (size_t)size_of(b), count = (size_t)b->count, ne = n / 6;
  const lb_model* m = b->fork[0]->model;
  lb_fork_blending* own = b->own;
  b->pose = LB_TAKE(a, lb_transform, ne);
  b->rate = LB_TAKE(a, double, n);
  b->weight = LB_TAKE(a, double, count);
  b->C = LB_TAKE(a, double, n* n);
  own->B = LB_TAKE(a, double, count* count* n* n);
  own->J = LB_TAKE(a, double, count * 6 * n);
  own->N = LB_TAKE(a, double, count* n* n);
  own->R = LB_TAKE(a, double, count* n* n);
  own->W = LB_TAKE(a, double, n* n);
  own->A = LB_TAKE(a, double, n* n);
  own->S = LB_TAKE(a, double, n* n);
  own->u = LB_TAKE(a, double, n);
  own->f = LB_TAKE(a, double, n);
  own->r = LB_TAKE(a, double, n);
  own->work = LB_TAKE(a, double, 2 * n);
  own->pivot = LB_TAKE(a, int, n);
  own->pull = LB_TAKE(a, double, n);
  own->z = LB_TAKE(a, double, n);
  own->along = LB_TAKE(a, double, n);
  own->model = LB_TAKE(a, lb_fork_stepper*, count);
  own->q = LB_TAKE(a, double, m->nq);
  own->sum = LB_TAKE(a, double, m->nv);
  return lb_arena_status(a) == LB_OK;
}

static lb_status check(lb_fork* const* fork, int count, lb_error* err) {
  for (int i = 0; i < count; i++) {
    const bool other = fork[i]->model != fork[0]->model || fork[i]->what != fork[0]->what;
    if (fork[i]->base || other) {
      return lb_error_add(err, LB_INVALID, fork[i]->what->place,
                          other ? "models to blend must be of one fork"
                                : "fork '%s': models on a base that floats are not blended",
                          fork[i]->what->name);
    }
  }
  return LB_OK;
}

static lb_status make(lb_fork_blend* b, lb_error* err) {
  const lb_allocator* allocator = b->own->arena.allocator;
  lb_status status = fill(b) ? LB_OK : lb_fork_no_memory(err);
  for (int i = 0; i < b->count && status == LB_OK; i++) {
    status = lb_fork_stepper_create(b->fork[i], b->step, allocator, &b->own->model[i], err);
  }
  return status;
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
  status = make(b, err);
  if (status != LB_OK) {
    lb_fork_blend_release(b);
    return status;
  }
  memcpy(b->pose, fork[0]->pose, (size_t)fork[0]->neffector * sizeof *b->pose);
  lb_fork_blend_look(b);
  *blend = b;
  return LB_OK;
}

void lb_fork_blend_release(lb_fork_blend* b) {
  for (int i = 0; b && i < b->count; i++) {
    lb_fork_stepper_release(b->own->model[i]);
  }
  if (b) {
    lb_arena arena = b->own->arena;
    lb_arena_release(&arena);
  }
}
