// Explicit Runge-Kutta methods of a fixed step, and semi-implicit Euler, all from their Butcher
// tables (tableau.h).
//
// Quaternions are added up like any number; the rotation they stand for does not depend on their
// length, and they are brought back to length one after the step, which changes y+ by no more than
// the step's own error.
#include <stdio.h> // the next header needs it and does not say so

#include <arkode/arkode_butcher_erk.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "solve/step/stepper.h"

typedef struct runge_kutta {
  lb_tableau t;
  double* slope; // [stages][nq + nv + nx]
} runge_kutta;

static lb_status create(lb_stepper* st, lb_error* err) {
  runge_kutta* rk = LB_TAKE(&st->arena, runge_kutta, 1);
  lb_tableau t;
  double* slope = NULL;
  if (rk && st->type->tableau(&st->arena, &t)) {
    slope = LB_TAKE(&st->arena, double, t.stages*(st->m->nq + st->m->nv + st->m->nx));
  }
  if (!slope) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  *rk = (runge_kutta){t, slope};
  st->own = rk;
  return LB_OK;
}

void lb_tableau_combine(const lb_model* m, lb_data* d, const double* y, double h, int stages,
                        const double* weight, const double* slope) {
  const size_t n = (size_t)m->nq + (size_t)m->nv + (size_t)m->nx;
  memcpy(d->q, y, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, y + m->nq, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->x, y + m->nq + m->nv, (size_t)m->nx * sizeof *d->x);
  for (int j = 0; j < stages; j++) {
    const double* k = slope + (size_t)j * n;
    if (weight[j] != 0) {
      lb_add(m->nq, d->q, h * weight[j], k);
      lb_add(m->nv, d->qd, h * weight[j], k + m->nq);
      lb_add(m->nx, d->x, h * weight[j], k + m->nq + m->nv);
    }
  }
}

static bool step(lb_stepper* st, lb_data* d, double h) {
  const runge_kutta* rk = st->own;
  const size_t n = (size_t)st->m->nq + (size_t)st->m->nv + (size_t)st->m->nx;
  const double start = d->time;
  for (int i = 0; i < rk->t.stages; i++) {
    lb_tableau_combine(st->m, d, st->saved, h, i, rk->t.a + i * rk->t.stages, rk->slope);
    d->time = start + rk->t.c[i] * h;
    double* k = rk->slope + (size_t)i * n;
    lb_slopes(st->m, d, k, k + st->m->nq);
  }
  lb_tableau_combine(st->m, d, st->saved, h, rk->t.stages, rk->t.b, rk->slope);
  if (rk->t.semi_implicit) {
    memcpy(d->q, st->saved, (size_t)st->m->nq * sizeof *d->q);
    lb_advance(st->m, d->q, d->qd, h);
    // fibres are stiff: their step is implicit, at the place that was found
    d->time = start + h;
    memcpy(d->x, lb_stepper_saved_x(st), (size_t)st->m->nx * sizeof *d->x);
    lb_muscles_begin(d, h, lb_stepper_saved_x(st));
    lb_muscles_end(st->m, d);
  }
  lb_muscles_keep(st->m, d);
  st->count++;
  return true;
}

// --- tables ---

// Semi-implicit Euler: symplectic where the mass matrix is constant.
static bool make_euler(lb_arena* arena, lb_tableau* out) {
  static const double a[1] = {0}, b[1] = {1}, c[1] = {0};
  (void)arena;
  *out = (lb_tableau){1, a, b, c, .semi_implicit = true};
  return true;
}

// The slope in the middle of the step, found by half a step of Euler's method.
static bool make_midpoint(lb_arena* arena, lb_tableau* out) {
  static const double a[4] = {0, 0, 0.5, 0}, b[2] = {0, 1}, c[2] = {0, 0.5};
  (void)arena;
  *out = (lb_tableau){2, a, b, c, false};
  return true;
}

// The classical method.
static bool make_rk4(lb_arena* arena, lb_tableau* out) {
  static const double a[16] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
  static const double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static const double c[4] = {0, 0.5, 0.5, 1};
  (void)arena;
  *out = (lb_tableau){4, a, b, c, false};
  return true;
}

// Order 8: Fehlberg's 13 stages, coefficients from SUNDIALS.
bool lb_tableau_rk8(lb_arena* arena, lb_tableau* out) {
  ARKodeButcherTable B = ARKodeButcherTable_LoadERK(ARKODE_FEHLBERG_13_7_8);
  if (!B) {
    return false;
  }
  const int s = B->stages;
  double* copy = LB_TAKE(arena, double, s*(s + 2));
  if (copy) {
    for (int i = 0; i < s; i++) {
      memcpy(copy + i * s, B->A[i], (size_t)s * sizeof *copy);
    }
    memcpy(copy + s * s, B->b, (size_t)s * sizeof *copy);
    memcpy(copy + s * (s + 1), B->c, (size_t)s * sizeof *copy);
    *out = (lb_tableau){s, copy, copy + s * s, copy + s * (s + 1), false};
  }
  ARKodeButcherTable_Free(B);
  return copy != NULL;
}

#define EXPLICIT(table, far)                                                                       \
  {                                                                                                \
    .create = create, .step = step, .tableau = table, .derivative = &lb_derivative_explicit,       \
    .reach = far, .records = 1                                                                     \
  }
const lb_stepper_type lb_stepper_euler = EXPLICIT(make_euler, 15);
const lb_stepper_type lb_stepper_midpoint = EXPLICIT(make_midpoint, 8);
const lb_stepper_type lb_stepper_rk4 = EXPLICIT(make_rk4, 3);
const lb_stepper_type lb_stepper_rk8 = EXPLICIT(lb_tableau_rk8, 3);
