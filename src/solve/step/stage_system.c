#include "solve/step/stage_system.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "math/linear/dense.h"
#include "model/use/motor_use.h"
#include "solve/step/step_matrix.h"

lb_stage_system lb_stage_system_take(lb_arena* arena, const lb_model* m, int many) {
  const size_t nd = (size_t)many, rows = (size_t)lb_constraints_most(m);
  return (lb_stage_system){.op = lb_operator_take(arena, m, many),
                           .push = LB_TAKE(arena, double, (size_t)m->nmotor* nd),
                           .row = LB_TAKE(arena, int, rows),
                           .motor = LB_TAKE(arena, int, rows),
                           .E = LB_TAKE(arena, double, rows* nd),
                           .Z = LB_TAKE(arena, double, rows* nd),
                           .A = LB_TAKE(arena, double, rows* rows),
                           .pivot = LB_TAKE(arena, int, rows),
                           .nu = LB_TAKE(arena, double, rows),
                           .mu = LB_TAKE(arena, double, m->nv),
                           .torque = LB_TAKE(arena, double, m->nv)};
}

// --- constraints ---

void lb_stage_note(lb_stage_system* s, lb_active_set* set, const lb_data* d) {
  set->all = lb_constraints_count(d);
  for (int i = 0; i < set->all; i++) {
    s->motor[i] = lb_constraints_row(d, i)->motor;
  }
}

static void choose(lb_stage_system* s, lb_active_set* set) {
  const size_t nd = (size_t)s->op.nd;
  memcpy(set->force, s->J, (size_t)set->all * nd * sizeof *s->J);
  for (int i = 0; i < set->all; i++) {
    lb_step_clear_driven(s->op.m, set->force + (size_t)i * nd);
    lb_elimination_fold(s->op.small, set->force + (size_t)i * nd);
  }
  lb_active_set_find(set);
  s->rows = set->rows;
  memcpy(s->row, set->row, (size_t)s->rows * sizeof *s->row);
}

// Row i of the equations, of a matrix [all][nd].
static const double* of_row(const lb_stage_system* s, const double* matrix, int i) {
  return matrix + (size_t)s->row[i] * (size_t)s->op.nd;
}

bool lb_stage_constrain(lb_stage_system* s, lb_active_set* set, const double* E) {
  const int nd = s->op.nd;
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
    lb_step_clear_driven(s->op.m, s->E + to);
  }
  lb_operator_solve(&s->op, false, s->rows, s->Z);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, s->rows, s->rows, nd, 1, s->E, nd, s->Z, nd,
              0, s->A, s->rows);
  return lb_lu(s->rows, s->A, s->rows, s->pivot) == LB_OK;
}

// nu += scale A x over the equations of a matrix [all][nd].
static void add_rows(lb_stage_system* s, double scale, const double* matrix, const double* x) {
  for (int i = 0; i < s->rows && matrix; i++) {
    s->nu[i] += scale * lb_dot(s->op.nd, of_row(s, matrix, i), x);
  }
}

void lb_stage_close(lb_stage_system* s, double* y) {
  const size_t nd = (size_t)s->op.nd;
  if (s->rows == 0) {
    return;
  }
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] -= lb_dot(s->op.nd, s->E + (size_t)i * nd, y);
  }
  lb_lu_solve(s->rows, s->A, s->rows, s->pivot, 1, s->nu, s->rows);
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->op.nd, y, s->nu[i], s->Z + (size_t)i * nd);
  }
}

// --- motors ---

void lb_stage_find_pushes(lb_stage_system* s, const lb_derivatives* D, const lb_data* d,
                          bool count) {
  s->pushes = count;
  for (int i = 0; i < s->op.m->nmotor && count; i++) {
    if (lb_motor_applies_force(s->op.m, i) && s->op.m->motor.loop[i] >= 0) {
      double* push = s->push + (size_t)i * (size_t)s->op.nd;
      memset(push, 0, (size_t)s->op.nd * sizeof *push);
      lb_loop_motor_direction(D, d, i, push);
    }
  }
}

static void add_push(const lb_stage_system* s, int motor, double f, double* y) {
  if (s->op.m->motor.loop[motor] >= 0) {
    lb_add(s->op.nd, y, f, s->push + (size_t)motor * (size_t)s->op.nd);
  } else {
    y[s->op.m->motor.v[motor]] += f;
  }
}

static double feel_push(const lb_stage_system* s, int motor, const double* y) {
  return s->op.m->motor.loop[motor] >= 0
             ? lb_dot(s->op.nd, s->push + (size_t)motor * (size_t)s->op.nd, y)
             : y[s->op.m->motor.v[motor]];
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
  return s->pushes && lb_motor_applies_force(s->op.m, motor);
}

static double asked(const lb_stage_system* s, int row, const double* motor) {
  const double* by = motor + 3 * (size_t)s->motor[row];
  return s->motor[row] < 0 ? 0 : s->ask[0] * by[0] + s->ask[1] * by[1] + s->ask[2] * by[2];
}

static void add_to_motors(const lb_stage_system* s, double* motor) {
  const double* mu = lb_stage_see(s, s->mu);
  for (int i = 0; i < s->op.m->nmotor; i++) {
    motor[3 * i] += pushes(s, i) ? feel_push(s, i, mu) : 0;
  }
  for (int i = 0; i < s->rows; i++) {
    const int by = s->motor[s->row[i]];
    for (int k = 0; k < 3 && by >= 0; k++) {
      motor[3 * by + k] += s->ask[k] * s->nu[i];
    }
  }
}

// --- coordinates of the inner W ---

const double* lb_stage_see(const lb_stage_system* s, const double* v) {
  if (s->op.full) {
    lb_full_step_see(s->op.full, s->op.full->seen[0], v);
  }
  return s->op.full ? s->op.full->seen[0] : v;
}

void lb_stage_gather(const lb_stage_system* s, double* by, double scale, const double* seen) {
  if (s->op.full) {
    lb_full_step_gather(s->op.full, by, scale, seen);
  } else {
    lb_add(s->op.nd, by, scale, seen);
  }
}

// --- products ---

void lb_stage_forward(lb_stage_system* s, double* x, const double* q, const double* v,
                      const double* a, const double* motor, const double* force) {
  const double* const matrix[] = {s->G, s->H, s->B};
  const double* const change[] = {q, v, a};
  memset(x, 0, (size_t)s->op.m->nv * sizeof *x);
  s->op.layer->add(&s->op, x, -1, q, v, a);
  if (force) {
    lb_add(s->op.m->nv, x, 1, force);
  }
  double* y = s->op.layer->before(&s->op, false, x);
  for (int i = 0; i < s->op.m->nmotor; i++) {
    if (pushes(s, i)) {
      add_push(s, i, motor[3 * i], y);
    }
  }
  lb_step_clear_driven(s->op.m, y);
  lb_operator_solve(&s->op, false, 1, y);
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] = asked(s, s->row[i], motor);
  }
  for (int p = 0; p < 3 && s->rows > 0; p++) {
    if (matrix[p] && change[p]) {
      add_rows(s, -1, matrix[p], lb_stage_see(s, change[p]));
    }
  }
  lb_stage_close(s, y);
  s->op.layer->after(&s->op, false, x);
}

// (3)
static void solve_transposed(lb_stage_system* s, const double* c) {
  const size_t nd = (size_t)s->op.nd;
  double* y = s->op.layer->before(&s->op, true, s->mu);
  for (int i = 0; i < s->rows; i++) {
    s->nu[i] = (c ? c[i] : 0) + lb_dot(s->op.nd, s->Z + (size_t)i * nd, y);
  }
  if (s->rows > 0) {
    lb_lu_solve_transposed(s->rows, s->A, s->rows, s->pivot, 1, s->nu, s->rows);
  }
  for (int i = 0; i < s->rows; i++) {
    lb_add(s->op.nd, y, -s->nu[i], s->E + (size_t)i * nd);
  }
  lb_operator_solve(&s->op, true, 1, y);
  s->op.layer->after(&s->op, true, s->mu);
  lb_step_clear_driven(s->op.m, s->mu);
}

void lb_stage_back(lb_stage_system* s, double* q, double* v, double* a, double* motor,
                   const double* y, const double* c) {
  const double* const matrix[] = {s->G, s->H, s->B};
  double* const to[] = {q, v, a};
  memmove(s->mu, y, (size_t)s->op.m->nv * sizeof *y);
  lb_step_clear_driven(s->op.m, s->mu);
  solve_transposed(s, c);
  s->op.layer->add_back(&s->op, q, v, a, -1, s->mu);
  for (int p = 0; p < 3; p++) {
    for (int i = 0; i < s->rows && matrix[p] && to[p]; i++) {
      lb_stage_gather(s, to[p], -s->nu[i], of_row(s, matrix[p], i));
    }
  }
  lb_add(s->op.m->nv, s->mu, 1, s->torque);
  if (motor) {
    add_to_motors(s, motor);
  }
}

void lb_stage_forget_torques(lb_stage_system* s) {
  memset(s->torque, 0, (size_t)s->op.m->nv * sizeof *s->torque);
}

void lb_stage_add_torque(lb_stage_system* s, double* q, double* v, double* a, double* c, int motor,
                         double scale) {
  const bool prescribes = lb_motor_prescribes(s->op.m, motor);
  const size_t k = prescribes ? (size_t)s->op.m->motor.v[motor] : 0;
  for (int i = 0; i < s->rows; i++) {
    c[i] += prescribes ? -scale * of_row(s, s->J, i)[k] : s->motor[s->row[i]] == motor ? scale : 0;
  }
  if (prescribes) {
    memset(s->mu, 0, (size_t)s->op.m->nv * sizeof *s->mu);
    s->mu[k] = 1;
    s->op.layer->add_back(&s->op, q, v, a, scale, s->mu);
    s->torque[k] -= scale;
  }
}
