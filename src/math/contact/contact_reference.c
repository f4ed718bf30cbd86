// Attempts of the reference solver, in their order: each starts where the one before ended or anew,
// and ends with Newton's method, which alone reaches the last digits.
#include "math/contact/contact_reference.h"

#include <string.h>

#include "base/carve.h"
#include "math/contact/contact_dense.h"
#include "math/contact/contact_lemke.h"
#include "math/linear/dense.h"

enum {
  NEWTON_MOST = 60, // steps
  ROUNDS = 40,      // of fixed radii
  STARTS = 30       // at random
};

typedef struct reference {
  const lb_contact_problem* problem;
  lb_arena* scratch;
  lb_contact_dense d;
  const double* start; // [n] the caller's guess
  double* x;           // [n] of the attempt
  double* best;        // [n]
  double residual;     // of the best
  int iterations;
} reference;

// Newton's method from x; whether the best is good enough.
static bool finish(reference* f) {
  const lb_contact_try t = lb_contact_newton(&f->d.system, NEWTON_MOST, f->x);
  f->iterations += t.steps;
  if (t.residual < f->residual) {
    f->residual = t.residual;
    memcpy(f->best, f->x, (size_t)f->d.system.n * sizeof *f->x);
  }
  return t.solved;
}

static bool from_guess(reference* f) {
  memcpy(f->x, f->start, (size_t)f->d.system.n * sizeof *f->x);
  return finish(f);
}

static bool sweeps_then_newton(reference* f, int most) {
  f->iterations += lb_contact_dense_sweeps(&f->d, f->problem, most, f->x).steps;
  return finish(f);
}

static bool from_sweeps(reference* f) {
  memset(f->x, 0, (size_t)f->d.system.n * sizeof *f->x);
  for (int most = 4; most <= 256; most *= 4) {
    if (sweeps_then_newton(f, most)) {
      return true;
    }
  }
  return false;
}

static bool from_best_sweeps(reference* f) {
  memcpy(f->x, f->best, (size_t)f->d.system.n * sizeof *f->x);
  return sweeps_then_newton(f, 400);
}

static bool from_fixed_radius(reference* f) {
  memset(f->x, 0, (size_t)f->d.system.n * sizeof *f->x);
  f->iterations += lb_contact_fixed_radius(&f->d.system, ROUNDS, f->x);
  return finish(f);
}

static bool from_lemke(reference* f) {
  return lb_contact_lemke(&f->d, f->scratch, f->x) && finish(f);
}

static bool from_random(reference* f) {
  for (int k = 0; k < STARTS; k++) {
    lb_contact_random_start(&f->d.system, k, f->x);
    if (finish(f)) {
      return true;
    }
  }
  return false;
}

static bool from_long_sweeps(reference* f) {
  for (int i = 0; i < 8; i++) {
    memset(f->x, 0, (size_t)f->d.system.n * sizeof *f->x);
    if (sweeps_then_newton(f, 1000 + 37 * i)) {
      return true;
    }
  }
  return false;
}

static bool (*const ATTEMPT[])(reference*) = {from_guess,      from_sweeps,      from_fixed_radius,
                                              from_lemke,      from_best_sweeps, from_random,
                                              from_long_sweeps};
enum { NATTEMPT = sizeof ATTEMPT / sizeof *ATTEMPT };

// Memory and A. The tolerance is a little less than promised, for rounding.
static lb_status prepare(reference* f, const double* lambda) {
  const lb_contact_problem* p = f->problem;
  lb_carver measure = {NULL, 0};
  lb_contact_dense_carve(&f->d, &measure, p->nrow, p->ngroup);
  lb_carver c = {lb_arena_take(f->scratch, measure.used, LB_ALIGN), 0};
  int* block = LB_TAKE(f->scratch, int, p->nblock);
  double* start = LB_TAKE(f->scratch, double, p->nrow);
  f->x = LB_TAKE(f->scratch, double, p->nrow);
  f->best = LB_TAKE(f->scratch, double, p->nrow);
  if (lb_arena_status(f->scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_contact_dense_carve(&f->d, &c, p->nrow, p->ngroup);
  for (int k = 0; k < p->nblock; k++) {
    block[k] = k;
  }
  lb_contact_dense_assemble(&f->d, p, p->nblock, block);
  for (int i = 0; i < p->nrow; i++) {
    start[i] = isfinite(lambda[i]) ? lambda[i] / f->d.system.D[i] : 0;
  }
  f->start = start;
  memcpy(f->best, start, (size_t)p->nrow * sizeof *start);
  return LB_OK;
}

static lb_status solve(reference* f, double* lambda, double* u, lb_contact_report* report) {
  const lb_contact_problem* p = f->problem;
  const lb_status status = prepare(f, lambda);
  if (status != LB_OK) {
    return status;
  }
  const double scale = lb_contact_residual(p, lambda, u).scale;
  bool solved = false;
  for (int i = 0; i < NATTEMPT && !solved; i++) {
    report->attempts = i + 1;
    f->d.system.tolerance = 0.25 * LB_CONTACT_REFERENCE_TOLERANCE * scale;
    ATTEMPT[i](f);
    for (int r = 0; r < p->nrow; r++) {
      lambda[r] = f->best[r] * f->d.system.D[r];
    }
    report->measure = lb_contact_residual(p, lambda, u);
    solved = lb_contact_holds(report->measure, LB_CONTACT_REFERENCE_TOLERANCE);
  }
  report->iterations = f->iterations;
  report->status = solved ? LB_CONTACT_SOLVED : LB_CONTACT_NOT_SOLVED;
  return LB_OK;
}

lb_status lb_contact_reference(const lb_contact_problem* p, lb_arena* scratch, double* lambda,
                               double* u, lb_contact_report* report) {
  *report = (lb_contact_report){.status = LB_CONTACT_REFUSED};
  if (!lb_contact_valid(p)) {
    return LB_INVALID;
  }
  const lb_arena_mark mark = lb_arena_here(scratch);
  reference f = {.problem = p, .scratch = scratch, .residual = (double)INFINITY};
  const lb_status status = solve(&f, lambda, u, report);
  lb_arena_reset(scratch, mark);
  return status;
}
