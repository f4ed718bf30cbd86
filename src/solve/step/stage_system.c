#include "solve/step/stage_system.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"
#include "solve/step/step_matrix.h"

lb_stage_system lb_stage_system_take(lb_arena* arena, const lb_model* m, int many) {
  const size_t nd = (size_t)many, rows = (size_t)lb_constraints_most(m);
  return (lb_stage_system){.m = m,
                           .small = m,
                           .nd = many,
                           .layer = &lb_stage_plain,
                           .W = LB_TAKE(arena, double, nd* nd),
                           .order = LB_TAKE(arena, int, nd),
                           .push = LB_TAKE(arena, double, (size_t)m->nmotor* nd),
                           .row = LB_TAKE(arena, int, rows),
                           .motor = LB_TAKE(arena, int, rows),
                           .E = LB_TAKE(arena, double, rows* nd),
                           .Z = LB_TAKE(arena, double, rows* nd),
                           .A = LB_TAKE(arena, double, rows* rows),
                           .pivot = LB_TAKE(arena, int, rows),
                           .nu = LB_TAKE(arena, double, rows),
                           .mu = LB_TAKE(arena, double, m->nv)};
}

// --- the inner W ---

bool lb_stage_factor(lb_stage_system* s) {
  const int left = lb_elimination_left(s->small);
  s->factors = LB_FACTORS_LU;
  return lb_lu(left, s->W, left, s->order) == LB_OK;
}

bool lb_stage_factor_tree_matrix(lb_stage_system* s) {
  lb_tree_slopes_matrix(s->tree, s->W);
  return lb_stage_factor(s);
}

bool lb_stage_factor_masses(lb_stage_system* s, const double* M) {
  const lb_model* m = s->small;
  memcpy(s->W, M, (size_t)s->nd * (size_t)s->nd * sizeof *M);
  lb_step_hold_driven(m, s->nd, s->W);
  lb_elimination_reduce(m, s->W);
  const int left = lb_elimination_left(m);
  s->factors = LB_FACTORS_CHOLESKY;
  return lb_cholesky(left, s->W, left) == LB_OK;
}

// L and L' of W = L L'.
static void solve_masses(const lb_stage_system* s, int left, int count, double* b) {
  for (int p = 0; p < 2 && left > 0; p++) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, p == 0 ? CblasNoTrans : CblasTrans,
                CblasNonUnit, left, count, 1, s->W, left, b, s->nd);
  }
}

// With a matrix, of the velocities that couplings of fixed ratio leave.
static void solve_matrix(const lb_stage_system* s, bool transposed, int count, double* b) {
  const int left = lb_elimination_left(s->small);
  const size_t nd = (size_t)s->nd;
  for (int i = 0; i < count; i++) {
    lb_elimination_gather(s->small, b + (size_t)i * nd);
  }
  if (s->factors == LB_FACTORS_CHOLESKY) {
    solve_masses(s, left, count, b);
  } else { // W is by rows
    (transposed ? lb_lu_solve : lb_lu_solve_transposed)(left, s->W, left, s->order, count, b,
                                                        s->nd);
  }
  for (int i = 0; i < count; i++) {
    lb_elimination_spread(s->small, b + (size_t)i * nd);
  }
}

// Where pivots of the recursion are too small, the matrix takes its place.
void lb_stage_solve(lb_stage_system* s, bool transposed, int count, double* b) {
  for (; count > 0 && s->factors == LB_FACTORS_TREE; count--, b += s->nd) {
    if (!lb_tree_slopes_solve(s->tree, transposed, b)) {
      lb_stage_factor_tree_matrix(s);
      break;
    }
  }
  if (count > 0) {
    solve_matrix(s, transposed, count, b);
  }
}

// --- constraints ---

void lb_stage_note(lb_stage_system* s, lb_active_set* set, const lb_data* d) {
  set->all = lb_constraints_count(d);
  for (int i = 0; i < set->all; i++) {
    s->motor[i] = lb_constraints_row(d, i)->motor;
  }
}

static void choose(lb_stage_system* s, lb_active_set* set) {
  const size_t nd = (size_t)s->nd;
  memcpy(set->force, s->J, (size_t)set->all * nd * sizeof *s->J);
  for (int i = 0; i < set->all; i++) {
    lb_step_clear_driven(s->m, set->force + (size_t)i * nd);
    lb_elimination_fold(s->small, set->force + (size_t)i * nd);
  }
  lb_active_set_find(set);
  s->rows = set->rows;
  memcpy(s->row, set->row, (size_t)s->rows * sizeof *s->row);
}

// Row i of the equations, of a matrix [all][nd].
static const double* of_row(const lb_stage_system* s, const double* matrix, int i) {
  return matrix + (size_t)s->row[i] * (size_t)s->nd;
}

bool lb_stage_constrain(lb_stage_system* s, lb_active_set* set, const double* E) {
  const int nd = s->nd;
  s->rows = 0;
  if (set->all > 0) {
    choose(s, set);
  }
  if (s->rows == 0) {
    return true;
  }
  for (int i = 0; i < s->rows; i++) {
    const size_t to = (size_t)i * (size_t)nd;
    memcpy(s->E + to, of_row(s, E, i), (size_t)nd * sizeof *E);
    memcpy(s->Z + to, of_row(s, set->force, i), (size_t)nd * sizeof *E);
    lb_step_clear_driven(s->m, s->E + to);
  }
  lb_stage_solve(s, false, s->rows, s->Z);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s->rows, s->rows, nd, 1, s->E, nd, s->Z, nd,
              0, s->A, s->rows);
  return lb_lu(s->rows, s->A, s->rows, s->pivot) == LB_OK;
}

// nu += scale A x over the equations of a matrix [all][nd].
static void add_rows(lb_stage_system* s, double scale, const double* matrix, const double* x) {
  for (int i = 0; i < s->rows && matrix; i++) {
    s->nu[i] += scale * lb_dot(s->nd, of_row(s, matrix, i), x);
  }
}

void lb_stage_close(lb_stage_system* s, double* y) {
  const size_t nd = (size_t)s->nd;
  if (s->rows == 0) {
    return;
  }
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] -= lb_dot(s->nd, s->E + (size_t)i * nd, y);
  }
  lb_lu_solve(s->rows, s->A, s->rows, s->pivot, 1, s->nu, s->rows);
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->nd, y, s->nu[i], s->Z + (size_t)i * nd);
  }
}

// --- motors ---

void lb_stage_find_pushes(lb_stage_system* s, const lb_derivatives* D, const lb_data* d,
                          bool count) {
  s->pushes = count;
  for (int i = 0; i < s->m->nmotor && count; i++) {
    if (lb_motor_applies_force(s->m, i) && s->m->motor.loop[i] >= 0) {
      double* push = s->push + (size_t)i * (size_t)s->nd;
      memset(push, 0, (size_t)s->nd * sizeof *push);
      lb_loop_motor_direction(D, d, i, push);
    }
  }
}

static void add_push(const lb_stage_system* s, int motor, double f, double* y) {
  if (s->m->motor.loop[motor] >= 0) {
    lb_add(s->nd, y, f, s->push + (size_t)motor * (size_t)s->nd);
  } else {
    y[s->m->motor.v[motor]] += f;
  }
}

double lb_stage_feel_push(const lb_stage_system* s, int motor, const double* y) {
  return s->m->motor.loop[motor] >= 0 ? lb_dot(s->nd, s->push + (size_t)motor * (size_t)s->nd, y)
                                      : y[s->m->motor.v[motor]];
}

void lb_stage_prescribe(const lb_model* m, double* q, const int* at, double* v, double* a,
                        const double* motor) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int j = m->motor.joint[i];
      q[at[j]] = motor[3 * i];
      v[m->joint.v[j]] = motor[3 * i + 1];
      if (a) {
        a[m->joint.v[j]] = motor[3 * i + 2];
      }
    }
  }
}

void lb_stage_prescribe_back(const lb_model* m, double* q, const int* at, double* v, double* a,
                             double* motor) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int j = m->motor.joint[i];
      double* const from[] = {q + at[j], v + m->joint.v[j], a ? a + m->joint.v[j] : NULL};
      for (int k = 0; k < 3 && from[k]; k++) {
        motor[3 * i + k] += *from[k];
        *from[k] = 0;
      }
    }
  }
}

static bool pushes(const lb_stage_system* s, int motor) {
  return s->pushes && lb_motor_applies_force(s->m, motor);
}

static double asked(const lb_stage_system* s, int row, const double* motor) {
  const double* by = motor + 3 * (size_t)s->motor[row];
  return s->motor[row] < 0 ? 0 : s->ask[0] * by[0] + s->ask[1] * by[1] + s->ask[2] * by[2];
}

static void add_to_motors(const lb_stage_system* s, double* motor) {
  const double* mu = lb_stage_see(s, s->mu);
  for (int i = 0; i < s->m->nmotor; i++) {
    motor[3 * i] += pushes(s, i) ? lb_stage_feel_push(s, i, mu) : 0;
  }
  for (int i = 0; i < s->rows; i++) {
    const int by = s->motor[s->row[i]];
    for (int k = 0; k < 3 && by >= 0; k++) {
      motor[3 * by + k] += s->ask[k] * s->nu[i];
    }
  }
}

// --- layers ---

struct lb_stage_layer {
  // y += s (K q + C v + M a), and the transpose: q, v, a += s (K, C, M)'mu
  void (*add)(const lb_stage_system* s, double* y, double scale, const double* q, const double* v,
              const double* a);
  void (*add_back)(const lb_stage_system* s, double* q, double* v, double* a, double scale,
                   const double* mu);
  // Before and after the inner W is solved with, for the part of b [nv] that is returned.
  double* (*before)(const lb_stage_system* s, bool transposed, double* b);
  void (*after)(const lb_stage_system* s, bool transposed, double* b);
};

// y += s (dr/dq of internal forces that K leaves out) x; symmetric.
static void add_internal(const lb_stage_system* s, double* y, double scale, const double* x) {
  const lb_stage_internal* e = s->internal;
  for (int i = 0; e && i < s->m->nlink; i++) {
    const lb_link* l = &s->m->link.packed[i];
    if (l->kind == LB_LINK_ELASTIC && lb_dot(l->nv, x + l->v, x + l->v) > 0) {
      memset(e->block, 0, (size_t)l->nv * sizeof *e->block);
      lb_reduced_stiffness_product(l->reduced, e->block, e->q + l->q, e->v + l->v, x + l->v,
                                   e->scratch);
      lb_add(l->nv, y + l->v, scale, e->block);
    }
  }
}

static void add_plain(const lb_stage_system* s, double* y, double scale, const double* q,
                      const double* v, const double* a) {
  const double* const matrix[] = {s->K, s->C, s->M};
  const double* const x[] = {q, v, a};
  for (int p = 0; p < 3; p++) {
    for (int i = 0; matrix[p] && x[p] && i < s->nd; i++) {
      y[i] += scale * lb_dot(s->nd, matrix[p] + (size_t)i * (size_t)s->nd, x[p]);
    }
  }
  add_internal(s, y, scale, q);
  for (int k = s->nd; k < s->m->nv && a; k++) {
    y[k] += scale * s->m->dof.armature[k] * a[k];
  }
}

static void add_plain_back(const lb_stage_system* s, double* q, double* v, double* a, double scale,
                           const double* mu) {
  const double* const matrix[] = {s->K, s->C, s->M};
  double* const x[] = {q, v, a};
  for (int p = 0; p < 3; p++) {
    for (int i = 0; matrix[p] && x[p] && i < s->nd; i++) {
      if (mu[i] != 0) {
        lb_add(s->nd, x[p], scale * mu[i], matrix[p] + (size_t)i * (size_t)s->nd);
      }
    }
  }
  add_internal(s, q, scale, mu);
  for (int k = s->nd; k < s->m->nv && a; k++) {
    a[k] += scale * s->m->dof.armature[k] * mu[k];
  }
}

static double* before_plain(const lb_stage_system* s, bool transposed, double* b) {
  (void)s, (void)transposed;
  return b;
}

static void after_masses(const lb_stage_system* s, bool transposed, double* b) {
  (void)transposed;
  for (int k = s->nd; k < s->m->nv; k++) {
    b[k] /= s->m->dof.armature[k];
  }
}

const lb_stage_layer lb_stage_plain = {add_plain, add_plain_back, before_plain, after_masses};

static void add_tree(const lb_stage_system* s, double* y, double scale, const double* q,
                     const double* v, const double* a) {
  lb_tree_slopes_add(s->tree, y, scale, q, v, a);
}

static void add_tree_back(const lb_stage_system* s, double* q, double* v, double* a, double scale,
                          const double* mu) {
  lb_tree_slopes_add_back(s->tree, q, v, a, scale, mu);
}

const lb_stage_layer lb_stage_tree = {add_tree, add_tree_back, before_plain, after_masses};

static void add_particles(const lb_stage_system* s, double* y, double scale, const double* q,
                          const double* v, const double* a) {
  add_plain(s, y, scale, q, v, a);
  lb_particle_derivative_add(s->particles, y, scale, q, v);
}

static void add_particles_back(const lb_stage_system* s, double* q, double* v, double* a,
                               double scale, const double* mu) {
  add_plain_back(s, q, v, a, scale, mu);
  lb_particle_derivative_add_back(s->particles, q, v, scale, mu);
}

static double* before_particles(const lb_stage_system* s, bool transposed, double* b) {
  lb_particle_derivative_before(s->particles, transposed, b);
  return b;
}

static void after_particles(const lb_stage_system* s, bool transposed, double* b) {
  lb_particle_derivative_after(s->particles, transposed, b);
}

const lb_stage_layer lb_stage_particles = {add_particles, add_particles_back, before_particles,
                                           after_particles};
const lb_stage_layer lb_stage_massive_particles = {add_particles, add_particles_back, before_plain,
                                                   after_masses};

static void add_full(const lb_stage_system* s, double* y, double scale, const double* q,
                     const double* v, const double* a) {
  lb_full_step_add(s->full, (lb_full_matrices){s->K, s->C, s->M}, y, scale, q, v, a);
}

static void add_full_back(const lb_stage_system* s, double* q, double* v, double* a, double scale,
                          const double* mu) {
  lb_full_step_add_back(s->full, (lb_full_matrices){s->K, s->C, s->M}, q, v, a, scale, mu);
}

static double* before_full(const lb_stage_system* s, bool transposed, double* b) {
  lb_full_step_before(s->full, transposed, b);
  return s->full->y;
}

static void after_full(const lb_stage_system* s, bool transposed, double* b) {
  lb_full_step_after(s->full, transposed, b);
}

const lb_stage_layer lb_stage_full = {add_full, add_full_back, before_full, after_full};

const double* lb_stage_see(const lb_stage_system* s, const double* v) {
  if (s->full) {
    lb_full_step_see(s->full, s->full->seen[0], v);
  }
  return s->full ? s->full->seen[0] : v;
}

void lb_stage_gather(const lb_stage_system* s, double* by, double scale, const double* seen) {
  if (s->full) {
    lb_full_step_gather(s->full, by, scale, seen);
  } else {
    lb_add(s->nd, by, scale, seen);
  }
}

// --- products ---

void lb_stage_forward(lb_stage_system* s, double* x, const double* q, const double* v,
                      const double* a, const double* motor) {
  const double* const matrix[] = {s->G, s->H, s->B};
  const double* const change[] = {q, v, a};
  memset(x, 0, (size_t)s->m->nv * sizeof *x);
  s->layer->add(s, x, -1, q, v, a);
  double* y = s->layer->before(s, false, x);
  for (int i = 0; i < s->m->nmotor; i++) {
    if (pushes(s, i)) {
      add_push(s, i, motor[3 * i], y);
    }
  }
  lb_step_clear_driven(s->m, y);
  lb_stage_solve(s, false, 1, y);
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] = asked(s, s->row[i], motor);
  }
  for (int p = 0; p < 3 && s->rows > 0; p++) {
    if (matrix[p] && change[p]) {
      add_rows(s, -1, matrix[p], lb_stage_see(s, change[p]));
    }
  }
  lb_stage_close(s, y);
  s->layer->after(s, false, x);
}

// (3)
static void solve_transposed(lb_stage_system* s, const double* c) {
  const size_t nd = (size_t)s->nd;
  double* y = s->layer->before(s, true, s->mu);
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] = (c ? c[i] : 0) + lb_dot(s->nd, s->Z + (size_t)i * nd, y);
  }
  if (s->rows > 0) {
    lb_lu_solve_transposed(s->rows, s->A, s->rows, s->pivot, 1, s->nu, s->rows);
  }
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->nd, y, -s->nu[i], s->E + (size_t)i * nd);
  }
  lb_stage_solve(s, true, 1, y);
  s->layer->after(s, true, s->mu);
  lb_step_clear_driven(s->m, s->mu);
}

void lb_stage_back(lb_stage_system* s, double* q, double* v, double* a, double* motor,
                   const double* y, const double* c) {
  const double* const matrix[] = {s->G, s->H, s->B};
  double* const to[] = {q, v, a};
  memmove(s->mu, y, (size_t)s->m->nv * sizeof *y);
  lb_step_clear_driven(s->m, s->mu);
  solve_transposed(s, c);
  s->layer->add_back(s, q, v, a, -1, s->mu);
  for (int p = 0; p < 3; p++) {
    for (int i = 0; i < s->rows && matrix[p] && to[p]; i++) {
      lb_stage_gather(s, to[p], -s->nu[i], of_row(s, matrix[p], i));
    }
  }
  if (motor) {
    add_to_motors(s, motor);
  }
}

void lb_stage_add_torque(lb_stage_system* s, double* q, double* v, double* a, double* c, int motor,
                         double scale) {
  const bool prescribes = lb_motor_prescribes(s->m, motor);
  const size_t k = prescribes ? (size_t)s->m->motor.v[motor] : 0;
  for (int i = 0; i < s->rows; i++) {
    c[i] += prescribes ? -scale * of_row(s, s->J, i)[k] : s->motor[s->row[i]] == motor ? scale : 0;
  }
  if (prescribes) {
    memset(s->mu, 0, (size_t)s->m->nv * sizeof *s->mu);
    s->mu[k] = 1;
    s->layer->add_back(s, q, v, a, scale, s->mu);
  }
}
