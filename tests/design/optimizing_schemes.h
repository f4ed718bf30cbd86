// Optimisations under test with every implicit scheme, in reduced and in maximal coordinates.
#pragma once
#include "design/optimizing.h"

static const char* const schemes[] = {"bdf1", "bdf2", "sdirk2"};
enum { SCHEMES = 3 };

static const char reduced[] = ", step: 4 ms", maximal[] = ", step: 4 ms, coordinates: maximal";

// Numbers a little elsewhere, where rotations are no longer zero.
static void move_numbers(const problem* p, double* x) {
  for (int k = 0; k < p->o->nvalue; k++) {
    x[k] = p->o->start[k] * (1 + 0.05 * sin(3. * k)) + 0.02 * cos(2. * k);
  }
}

// There and, in reduced coordinates, as the scene has them, which is a special place for rotations.
static void check_both(problem* p, double part, double tolerance) {
  double x[MOST];
  if (p->scene.solver.coordinates == LB_COORDINATES_REDUCED) {
    check_gradient(p, p->o->start, part, tolerance);
  }
  move_numbers(p, x);
  check_gradient(p, x, part, tolerance);
}

// The text has places for the integrator, for the coordinates, and for more goals.
static inline void check_schemes(int count, const char* text, bool loose, const char* more,
                                 double part, double tolerance) {
  for (int i = 0; i < count; i++) {
    char whole[8000];
    problem p;
    snprintf(whole, sizeof whole, text, schemes[i], loose ? maximal : reduced, more);
    open_problem(&p, whole);
    check_both(&p, part, tolerance);
    check_applied(&p);
    close_problem(&p);
  }
}
