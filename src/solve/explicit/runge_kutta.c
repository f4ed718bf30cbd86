// Explicit Runge-Kutta methods of a fixed step, all from their Butcher tables (tableau.h).
//
// Quaternions are added up like any number; the rotation they stand for does not depend on their
// length, and they are brought back to length one after the step, which changes y+ by no more than
// the step's own error.
#include <stdio.h> // the next header needs it and does not say so

#include <arkode/arkode_butcher_erk.h>
#include <string.h>

#include "solve/explicit/tableau.h"
#include "solve/step/stepper.h"

typedef struct runge_kutta {
  lb_tableau t;
  double* slope; // [stages][nq + nv]
} runge_kutta;

static lb_status create(lb_stepper* st, lb_error* err) {
  runge_kutta* rk = LB_TAKE(&st->arena, runge_kutta, 1);
  lb_tableau t;
  double* slope = NULL;
  if (rk && lb_tableau_make(st->solver.integrator, &st->arena, &t)) {
    slope = LB_TAKE(&st->arena, double, t.stages*(st->m->nq + st->m->nv));
  }
  if (!slope) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
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

const lb_stepper_type lb_stepper_rk4 = {.create = create, .step = step};
const lb_stepper_type lb_stepper_rk8 = {.create = create, .step = step};

// --- tables ---

// The classical method.
static lb_tableau make_rk4(void) {
  static const double a[16] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
  static const double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static const double c[4] = {0, 0.5, 0.5, 1};
  return (lb_tableau){4, a, b, c};
}

// Order 8: Fehlberg's 13 stages, coefficients from SUNDIALS.
static bool make_rk8(lb_arena* arena, lb_tableau* out) {
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
    *out = (lb_tableau){s, copy, copy + s * s, copy + s * (s + 1)};
  }
  ARKodeButcherTable_Free(B);
  return copy != NULL;
}

bool lb_tableau_make(lb_integrator integrator, lb_arena* arena, lb_tableau* out) {
  if (integrator == LB_INTEGRATOR_RK8 || integrator == LB_INTEGRATOR_ADAPTIVE) {
    return make_rk8(arena, out);
  }
  *out = make_rk4();
  return true;
}
