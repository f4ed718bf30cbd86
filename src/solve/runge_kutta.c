// Explicit Runge-Kutta methods of a fixed step, all from their Butcher tables:
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y+ = y + h sum_i b_i k_i
//
// Quaternions are added up like any number; the rotation they stand for does not depend on their
// length, and they are brought back to length one after the step, which changes y+ by no more than
// the step's own error.
#include <stdio.h> // the next header needs it and does not say so

#include <arkode/arkode_butcher_erk.h>
#include <string.h>

#include "solve/stepper.h"

typedef struct tableau {
  int stages;
  const double* a; // [stages * stages]
  const double* b;
  const double* c;
} tableau;

typedef struct runge_kutta {
  tableau t;
  double* slope; // [stages][nq + nv]
} runge_kutta;

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
}

static lb_status create_with(lb_stepper* st, tableau t, lb_error* err) {
  runge_kutta* rk = LB_TAKE(&st->arena, runge_kutta, 1);
  double* slope = LB_TAKE(&st->arena, double, t.stages*(st->m->nq + st->m->nv));
  if (!rk || !slope) {
    return no_memory(err);
  }
  *rk = (runge_kutta){t, slope};
  st->own = rk;
  return LB_OK;
}

// y = y0 + h sum_j weight_j k_j
static void combine(const lb_stepper* st, lb_data* d, double h, int stages, const double* weight) {
  const runge_kutta* rk = st->own;
  const int nq = st->m->nq;
  const int n = nq + st->m->nv;
  lb_stepper_restart(st, d);
  for (int j = 0; j < stages; j++) {
    const double w = h * weight[j];
    const double* k = rk->slope + (size_t)j * (size_t)n;
    if (w != 0) {
      for (int i = 0; i < nq; i++) {
        d->q[i] += w * k[i];
      }
      for (int i = nq; i < n; i++) {
        d->qd[i - nq] += w * k[i];
      }
    }
  }
}

static bool step(lb_stepper* st, lb_data* d, double h) {
  const runge_kutta* rk = st->own;
  const size_t n = (size_t)st->m->nq + (size_t)st->m->nv;
  const double start = d->time;
  for (int i = 0; i < rk->t.stages; i++) {
    combine(st, d, h, i, rk->t.a + i * rk->t.stages);
    d->time = start + rk->t.c[i] * h;
    double* k = rk->slope + (size_t)i * n;
    lb_slopes(st->m, d, k, k + st->m->nq);
  }
  combine(st, d, h, rk->t.stages, rk->t.b);
  st->count++;
  return true;
}

// --- the classical method ---

static lb_status create_rk4(lb_stepper* st, lb_error* err) {
  static const double a[16] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
  static const double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static const double c[4] = {0, 0.5, 0.5, 1};
  return create_with(st, (tableau){4, a, b, c}, err);
}

const lb_stepper_type lb_stepper_rk4 = {create_rk4, NULL, step, NULL, false};

// --- order 8: Fehlberg's 13 stages, coefficients from SUNDIALS ---

static lb_status create_rk8(lb_stepper* st, lb_error* err) {
  ARKodeButcherTable B = ARKodeButcherTable_LoadERK(ARKODE_FEHLBERG_13_7_8);
  if (!B) {
    return no_memory(err);
  }
  const int s = B->stages;
  double* copy = LB_TAKE(&st->arena, double, s*(s + 2));
  if (copy) {
    for (int i = 0; i < s; i++) {
      memcpy(copy + i * s, B->A[i], (size_t)s * sizeof *copy);
    }
    memcpy(copy + s * s, B->b, (size_t)s * sizeof *copy);
    memcpy(copy + s * (s + 1), B->c, (size_t)s * sizeof *copy);
  }
  ARKodeButcherTable_Free(B);
  return copy ? create_with(st, (tableau){s, copy, copy + s * s, copy + s * (s + 1)}, err)
              : no_memory(err);
}

const lb_stepper_type lb_stepper_rk8 = {create_rk8, NULL, step, NULL, false};
