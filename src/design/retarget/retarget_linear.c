// The motion to first order around a run, as the recursion of retarget_search.h: made on the way
// back, used for as many products as the search asks for. A product costs a few hundredths of a
// simulation.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "dynamics/derivative/dynamics_derivative.h"

// Its steps need not be shorter [s]. Coarser matrices will not do: with one for two such steps, the
// phase of a vibration drifts so far that predictions fail, and the search of the rod ended with
// four times the objective.
static const double LEAST = 2e-3;

static bool is_driven(const lb_model* m, int v) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.driven[i] && m->link.v[i] == v) {
      return true;
    }
  }
  return false;
}

static void choose_coordinates(lb_linear* L) {
  const lb_model* m = L->r->model;
  const lb_retarget* what = L->r->what;
  for (int k = 0; k < m->nv; k++) {
    if (!is_driven(m, k)) {
      L->free[L->nfree++] = k;
    }
  }
  for (int i = 0; i < what->nmotor; i++) {
    L->motor[i] = m->motor.v[what->motor[i]];
    L->ntorque += isfinite(what->limit[i].torque);
  }
  for (int t = 0; t < what->ntrack; t++) {
    L->nrow += 3 * (what->track[t].position > 0) + 3 * (what->track[t].orientation > 0);
  }
}

static void take_arrays(lb_linear* L, lb_arena* arena) {
  const size_t steps = (size_t)L->nstep + 1;
  const size_t nfree = (size_t)L->nfree, width = (size_t)L->width, nrow = (size_t)L->nrow;
  const size_t ntorque = (size_t)L->ntorque;
  L->G = LB_TAKE(arena, float, steps*(nfree + ntorque) * width);
  L->T = LB_TAKE(arena, float, steps* nrow*(nfree + (size_t)L->nmotor));
  L->y = LB_TAKE(arena, float, steps* nrow);
  float** const of_torques[] = {&L->torque, &L->root, &L->side, &L->change};
  for (size_t i = 0; i < sizeof of_torques / sizeof *of_torques; i++) {
    *of_torques[i] = LB_TAKE(arena, float, steps* ntorque);
  }
  L->in = LB_TAKE(arena, float, width + nrow + ntorque);
  L->out = LB_TAKE(arena, float, width + nrow + ntorque);
  L->span = LB_TAKE(arena, int, steps);
  L->basis = lb_arena_take_array(arena, steps, sizeof *L->basis, _Alignof(double));
  double* block = LB_TAKE(arena, double, 6 * nfree);
  for (int i = 0; i < 3 && block; i++) {
    L->q[i] = block + (size_t)i * nfree;
    L->v[i] = block + (size_t)(3 + i) * nfree;
  }
}

static void fill_basis(lb_linear* L) {
  const lb_bspline s = lb_curves_spline(L->r->input);
  for (int i = 0; i <= L->nstep; i++) {
    const double t = fmin(i * L->h, L->r->nstep * L->r->h);
    lb_bspline_row N[3];
    L->span[i] = lb_bspline_span(&s, t);
    lb_bspline_basis(&s, N, L->span[i], t, 2);
    for (int k = 0; k < 12; k++) {
      L->basis[i][k / 4][k % 4] = N[k / 4][k % 4];
    }
  }
}

void lb_linear_window(lb_linear* L, int first) {
  for (; L; L = L->next) {
    L->first = first / L->skip;
    L->nstep = (L->r->nstep + L->skip - 1) / L->skip;
  }
}

lb_status lb_linear_create(lb_retargeting* r, lb_linear** out) {
  lb_arena* arena = &r->arena;
  lb_linear* L = LB_TAKE(arena, lb_linear, 1);
  int* free = LB_TAKE(arena, int, r->model->nv);
  int* motor = LB_TAKE(arena, int, r->what->nmotor);
  if (!L || !free || !motor) {
    return LB_NO_MEMORY;
  }
  *L = (lb_linear){.r = r, .free = free, .motor = motor, .nmotor = r->what->nmotor};
  choose_coordinates(L);
  L->width = 2 * L->nfree + 3 * L->nmotor;
  // torques are differences of large numbers, which have to match from step to step
  const bool torques = L->ntorque > 0;
  L->skip =
      torques ? 1 : (int)fmax(1, round(fmin(LEAST, r->input->spacing / LB_SPACING_STEPS) / r->h));
  lb_linear_window(L, 0);
  L->h = L->skip * r->h;
  const bool first = r->tape.by == LB_INTEGRATOR_BDF1;
  L->dt = first ? L->h : 2 * L->h / 3;
  L->c[0] = first ? 1 : 4. / 3;
  L->c[1] = first ? 0 : -1. / 3;
  take_arrays(L, arena);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  fill_basis(L);
  *out = L;
  return r->next ? lb_linear_create(r->next, &L->next) : LB_OK;
}

int lb_linear_own_step(const lb_linear* L, int step) {
  if (step < 1) {
    return -1;
  }
  const int own = (step - 1) / L->skip, middle = own * L->skip + 1 + L->skip / 2;
  return step == (middle < L->r->nstep ? middle : L->r->nstep) ? own : -1;
}

// --- keeping a step's matrices ---

static void keep_recursion(lb_linear* L, float* G, lb_step_derivative* D, double* scratch) {
  const size_t nv = (size_t)L->r->model->nv;
  double *by_q = scratch, *by_v = by_q + nv * nv, *by_a = by_v + nv * nv;
  lb_step_map(D, by_q, by_v, by_a);
  for (int i = 0; i < L->nfree; i++) {
    float* row = G + (size_t)i * (size_t)L->width;
    const size_t at = (size_t)L->free[i];
    for (int j = 0; j < L->nfree; j++) { // a0 = -vh / dt
      row[j] = (float)by_q[at + (size_t)L->free[j] * nv];
      row[L->nfree + j] = (float)(-by_a[at + (size_t)L->free[j] * nv] / L->dt);
    }
    for (int j = 0; j < L->nmotor; j++) {
      float* u = row + 2 * L->nfree + 3 * j;
      const size_t column = (size_t)L->motor[j] * nv;
      u[0] = (float)by_q[at + column];
      u[1] = (float)by_v[at + column];
      u[2] = (float)by_a[at + column];
    }
  }
}

static size_t size_of_G(const lb_linear* L) {
  return (size_t)(L->nfree + L->ntorque) * (size_t)L->width;
}

void lb_linear_keep_torque(lb_linear* L, int own, int row, const double* pulled, double limit) {
  const int nv = L->r->model->nv;
  float* to = L->G + (size_t)own * size_of_G(L) + (size_t)(L->nfree + row) * (size_t)L->width;
  for (int j = 0; j < L->nfree; j++) { // a0 = -vh / dt
    to[j] = (float)(pulled[L->free[j]] / limit);
    to[L->nfree + j] = (float)(-pulled[2 * nv + L->free[j]] / (L->dt * limit));
  }
  for (int k = 0; k < 3 * L->nmotor; k++) {
    to[2 * L->nfree + k] = (float)(pulled[k % 3 * nv + L->motor[k / 3]] / limit);
  }
}

static float side_of(float torque) {
  return (float)((torque > 1) - (torque < -1));
}

void lb_linear_note_torque(lb_linear* L, int step, int row, double torque, double root) {
  const int at = step * L->ntorque + row;
  L->torque[at] = (float)torque;
  L->root[at] = (float)root;
  L->side[at] = side_of(L->torque[at]);
}

static void keep_row(const lb_linear* L, float* T, const lb_motion* S, lb_v4 by_v, lb_v4 by_w) {
  for (int j = 0; j < L->nfree + L->nmotor; j++) {
    const lb_motion* s = &S[j < L->nfree ? L->free[j] : L->motor[j - L->nfree]];
    T[j] = (float)(lb_v4_dot(s->v, by_v) + lb_v4_dot(s->w, by_w));
  }
}

void lb_linear_keep(lb_linear* L, int own, lb_step_derivative* D, const lb_miss* miss,
                    double* scratch, lb_motion* S) {
  const lb_retargeting* r = L->r;
  const size_t wide = (size_t)L->nfree + (size_t)L->nmotor;
  keep_recursion(L, L->G + (size_t)own * size_of_G(L), D, scratch);
  float* T = L->T + (size_t)own * (size_t)L->nrow * wide;
  for (int t = 0; t < r->what->ntrack; t++) {
    const lb_retarget_track* track = &r->what->track[t];
    lb_derive_point(lb_step_dynamics(D), S, NULL, r->model->body.link[track->body], miss[t].arm);
    const double h = r->share * L->h;
    const double wp = sqrt(miss[t].weight[0] * h), wo = sqrt(miss[t].weight[1] * h);
    for (int k = 0; k < 3 && track->position > 0; k++, T += wide) {
      const lb_v4 e = {k == 0, k == 1, k == 2, 0};
      keep_row(L, T, S, wp * e, lb_v4_zero());
    }
    for (int k = 0; k < 3 && track->orientation > 0; k++, T += wide) {
      keep_row(L, T, S, lb_v4_zero(), wo * miss[t].axis[k]);
    }
  }
}

// --- products with matrices ---

// Matrices are read once a product, so what counts is how fast they come from memory: four rows are
// taken at a time, sixteen numbers of each. Sums have the same order on every processor.
enum { ROWS = 4, LANES = 16 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static lanes load(const float* x) {
  lanes v;
  memcpy(&v, x, sizeof v);
  return v;
}

// y = A x of `n` rows, ROWS at most.
static void multiply_rows(int n, int width, const float* A, const float* x, float* y) {
  lanes sum[ROWS] = {{0}};
  int k = 0;
  for (; k + LANES <= width; k += LANES) {
    const lanes at = load(x + k);
    for (int r = 0; r < n; r++) {
      sum[r] += load(A + (size_t)r * (size_t)width + k) * at;
    }
  }
  for (int r = 0; r < n; r++) {
    y[r] = 0;
    for (int l = 0; l < LANES; l++) {
      y[r] += sum[r][l];
    }
    for (int l = k; l < width; l++) {
      y[r] += A[(size_t)r * (size_t)width + (size_t)l] * x[l];
    }
  }
}

// y = A x, A [n][width].
static void multiply(int n, int width, const float* A, const float* x, float* y) {
  int r = 0;
  for (; r + ROWS <= n; r += ROWS) { // the number of rows is known here
    multiply_rows(ROWS, width, A + (size_t)r * (size_t)width, x, y + r);
  }
  multiply_rows(n - r, width, A + (size_t)r * (size_t)width, x, y + r);
}

// y = A'x
static void multiply_transposed(int n, int width, const float* A, const float* x,
                                float* restrict y) {
  const size_t w = (size_t)width;
  int r = 0;
  memset(y, 0, w * sizeof *y);
  for (; r + ROWS <= n; r += ROWS) {
    const float *a = A + (size_t)r * w, *b = a + w, *c = b + w, *d = c + w;
    for (int k = 0; k < width; k++) {
      y[k] += a[k] * x[r] + b[k] * x[r + 1] + c[k] * x[r + 2] + d[k] * x[r + 3];
    }
  }
  for (; r < n; r++) {
    for (int k = 0; k < width; k++) {
      y[k] += A[(size_t)r * w + (size_t)k] * x[r];
    }
  }
}

// --- products ---

static void clear_states(lb_linear* L) {
  memset(L->q[0], 0, 6 * (size_t)L->nfree * sizeof(double)); // one block, all of them
}

static float* matrix_of(float* all, int step, size_t size) {
  return all + (size_t)(step - 1) * size;
}

// u of a step: angles, rates and accelerations of the motors.
static void play(const lb_linear* L, int step, const double* x, float* u) {
  const int n = L->r->input->ncontrol;
  for (int j = 0; j < L->nmotor; j++) {
    const double* c = x + (size_t)j * (size_t)n + L->span[step];
    for (int k = 0; k < 3; k++) {
      const double* N = L->basis[step][k];
      u[3 * j + k] = (float)(N[0] * c[0] + N[1] * c[1] + N[2] * c[2] + N[3] * c[3]);
    }
  }
}

static void forward(lb_linear* L, const double* x) {
  const int F = L->nfree, wide = F + L->nmotor;
  clear_states(L);
  for (int i = L->first + 1; i <= L->nstep; i++) {
    double *q = L->q[i % 3], *v = L->v[i % 3];
    const double *q1 = L->q[(i + 2) % 3], *v1 = L->v[(i + 2) % 3];
    const double *q2 = L->q[(i + 1) % 3], *v2 = L->v[(i + 1) % 3];
    float *in = L->in, *out = L->out;
    for (int k = 0; k < F; k++) {
      q[k] = L->c[0] * q1[k] + L->c[1] * q2[k];
      in[k] = (float)q[k];
      in[F + k] = (float)(L->c[0] * v1[k] + L->c[1] * v2[k]);
    }
    play(L, i, x, in + 2 * F);
    multiply(F + L->ntorque, L->width, matrix_of(L->G, i, size_of_G(L)), in, out);
    for (int j = 0; j < L->ntorque; j++) {
      L->change[i * L->ntorque + j] = out[F + j];
    }
    for (int k = 0; k < F; k++) {
      v[k] = (double)out[k];
      q[k] += L->dt * v[k];
      out[k] = (float)q[k];
    }
    for (int j = 0; j < L->nmotor; j++) {
      out[F + j] = in[2 * F + 3 * j];
    }
    multiply(L->nrow, wide, matrix_of(L->T, i, (size_t)L->nrow * (size_t)wide), out,
             L->y + (size_t)i * (size_t)L->nrow);
  }
}

// Add what a step's motors mean for the control points.
static void unplay(const lb_linear* L, int step, const float* u, const float* angle, double* y) {
  const int n = L->r->input->ncontrol;
  for (int j = 0; j < L->nmotor; j++) {
    double* c = y + (size_t)j * (size_t)n + L->span[step];
    for (int k = 0; k < 4; k++) {
      c[k] += L->basis[step][0][k] * (double)(u[3 * j] + angle[j]) +
              L->basis[step][1][k] * (double)u[3 * j + 1] +
              L->basis[step][2][k] * (double)u[3 * j + 2];
    }
  }
}

static void back(lb_linear* L, double* y) {
  const int F = L->nfree, wide = F + L->nmotor;
  clear_states(L);
  for (int i = L->nstep; i > L->first; i--) {
    double *q = L->q[i % 3], *v = L->v[i % 3];
    double *q1 = L->q[(i + 2) % 3], *v1 = L->v[(i + 2) % 3];
    double *q2 = L->q[(i + 1) % 3], *v2 = L->v[(i + 1) % 3];
    // here in: of (v, torques) and then (q, angles); out: of (qh, vh, u)
    float *in = L->in, *at = in + F + L->ntorque, *out = L->out;
    multiply_transposed(L->nrow, wide, matrix_of(L->T, i, (size_t)L->nrow * (size_t)wide),
                        L->y + (size_t)i * (size_t)L->nrow, at);
    for (int k = 0; k < F; k++) {
      q[k] += (double)at[k];
      in[k] = (float)(v[k] + L->dt * q[k]);
    }
    for (int j = 0; j < L->ntorque; j++) {
      in[F + j] = L->change[i * L->ntorque + j];
    }
    multiply_transposed(F + L->ntorque, L->width, matrix_of(L->G, i, size_of_G(L)), in, out);
    for (int k = 0; k < F; k++) {
      const double qh = q[k] + (double)out[k], vh = (double)out[F + k];
      q1[k] += L->c[0] * qh;
      q2[k] += L->c[1] * qh;
      v1[k] += L->c[0] * vh;
      v2[k] += L->c[1] * vh;
      q[k] = v[k] = 0;
    }
    unplay(L, i, out + 2 * F, at + F, y);
  }
}

static void add_product(lb_linear* L, double* y, const double* x) {
  forward(L, x);
  for (int i = 0; i < (L->r->nstep + 1) * L->ntorque;
       i++) { // what is within its limit weighs nothing
    L->change[i] *= L->side[i] != 0 ? L->root[i] * L->root[i] : 0;
  }
  back(L, y);
}

void lb_linear_product(lb_linear* L, double* y, const double* x) {
  for (; L; L = L->next) {
    add_product(L, y, x);
  }
}

// --- torques beyond their limits ---

// With t a torque over its limit and r^2 its weight, the objective has r^2/2 e(t)^2, where
// e = t - side beyond the limit. A change d makes it r^2/2 (t + d - side)^2 on the side where t + d
// is, and this is what is minimised; the gradient has r^2 e(t) d for the side where t is.

static bool lean(lb_linear* L, const double* x) {
  const int n = (L->nstep + 1) * L->ntorque;
  bool changed = false;
  if (n > 0) {
    forward(L, x);
  }
  for (int i = (L->first + 1) * L->ntorque; i < n; i++) {
    const float side = side_of(L->torque[i] + L->change[i]);
    changed = changed || side != L->side[i];
    L->side[i] = side;
  }
  return changed;
}

bool lb_linear_lean(lb_linear* L, const double* x) {
  bool changed = false;
  for (; L; L = L->next) {
    changed = lean(L, x) || changed;
  }
  return changed;
}

static float excess(float torque, float side) {
  return side != 0 ? torque - side : 0;
}

static void add_lean_right(lb_linear* L, double* y) {
  const int n = (L->nstep + 1) * L->ntorque;
  if (n == 0) {
    return;
  }
  memset(L->y, 0, ((size_t)L->nstep + 1) * (size_t)L->nrow * sizeof *L->y);
  for (int i = (L->first + 1) * L->ntorque; i < n; i++) {
    const float t = L->torque[i];
    L->change[i] = L->root[i] * L->root[i] * (excess(t, side_of(t)) - excess(t, L->side[i]));
  }
  back(L, y);
}

void lb_linear_lean_right(lb_linear* L, double* y) {
  for (; L; L = L->next) {
    add_lean_right(L, y);
  }
}

static double lean_gain(lb_linear* L, const double* x) {
  const int n = (L->nstep + 1) * L->ntorque;
  double sum = 0;
  if (n > 0) {
    forward(L, x);
  }
  for (int i = (L->first + 1) * L->ntorque; i < n; i++) {
    const double t = (double)L->torque[i], d = (double)L->change[i], r = (double)L->root[i];
    const double now = (double)excess(L->torque[i], side_of(L->torque[i]));
    const double then = (double)excess((float)(t + d), side_of((float)(t + d)));
    const double told = L->side[i] != 0 ? d * d : 0;
    sum += r * r / 2 * (told - (then * then - now * now - 2 * now * d));
  }
  return sum;
}

double lb_linear_lean_gain(lb_linear* L, const double* x) {
  double sum = 0;
  for (; L; L = L->next) {
    sum += lean_gain(L, x);
  }
  return sum;
}

// --- without bending ---

// How a torque changes with control point i of those that a step sees, counted by point and then
// by motor, if nothing bends; u is the motors' part of its row.
static double still_torque(const lb_linear* L, int step, const float* u, int i) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += (double)u[3 * (i % L->nmotor) + k] * L->basis[step][k][i / L->nmotor];
  }
  return sum;
}

static void add_still_torque(const lb_linear* L, double* band, int p, int step, int row) {
  const int at = step * L->ntorque + row;
  const double weight = L->side[at] != 0 ? (double)L->root[at] : 0;
  const float* u = matrix_of(L->G, step, size_of_G(L)) +
                   (size_t)(L->nfree + row) * (size_t)L->width + 2 * (size_t)L->nfree;
  const size_t first = (size_t)L->span[step] * (size_t)L->nmotor;
  for (int j = 0; j < 4 * L->nmotor && weight != 0; j++) {
    const double by = weight * weight * still_torque(L, step, u, j);
    for (int i = j; i < 4 * L->nmotor; i++) {
      band[(first + (size_t)j) * (size_t)(p + 1) + (size_t)(i - j)] +=
          by * still_torque(L, step, u, i);
    }
  }
}

static void add_still(const lb_linear* L, double* band, int p) {
  const int M = L->nmotor, wide = L->nfree + M;
  for (int i = L->first + 1; i <= L->nstep; i++) {
    const float* T = matrix_of(L->T, i, (size_t)L->nrow * (size_t)wide);
    const double* N = L->basis[i][0];
    for (int k = 0; k < L->ntorque; k++) {
      add_still_torque(L, band, p, i, k);
    }
    for (int a = 0; a < M; a++) {
      for (int b = 0; b < M; b++) {
        double sum = 0;
        for (int k = 0; k < L->nrow; k++) {
          sum += (double)T[k * wide + L->nfree + a] * (double)T[k * wide + L->nfree + b];
        }
        for (int c = 0; c < 16; c++) {
          const int row = (L->span[i] + c / 4) * M + a, column = (L->span[i] + c % 4) * M + b;
          if (row >= column) {
            band[(size_t)column * (size_t)(p + 1) + (size_t)(row - column)] +=
                sum * N[c / 4] * N[c % 4];
          }
        }
      }
    }
  }
}

void lb_linear_still(const lb_linear* L, double* band, int p) {
  for (; L; L = L->next) {
    add_still(L, band, p);
  }
}
