// Comparison of the fast contact solver with the reference one on random problems.
#pragma once
#include "contact_worlds.h"
#include "math/contact/contact_fast.h"
#include "math/contact/contact_reference.h"

enum { RANDOM_BODIES = 16, RANDOM_ROWS = 240 };

typedef struct lb_contact_counts {
  int problems, reference_failed, fast_failed;
  int several;  // solutions differ, and the reference confirms both
  double worst; // difference of velocities where they are one
  double left;  // largest residual that the fast one failed with, over its scale
} lb_contact_counts;

static inline double lb_velocity_difference(const lb_contact_problem* p, const double* a,
                                            const double* b) {
  double worst = 0;
  for (int i = 0; i < lb_contact_nvelocity(p); i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  return worst;
}

// Velocities of both solvers. Where they differ the problem may have several solutions: then the
// reference, started from the fast one's impulses, must end at its velocities.
static inline void lb_contact_compare(lb_contact_counts* c, lb_contact_solver* solver,
                                      lb_arena* scratch, const lb_contact_problem* p) {
  double lambda[RANDOM_ROWS] = {0}, fast[RANDOM_ROWS] = {0};
  double u[RANDOM_BODIES * WORLD_WIDTH], v[RANDOM_BODIES * WORLD_WIDTH];
  lb_contact_options options = lb_contact_options_default();
  options.tolerance = 1e-10;
  lb_contact_report reference;
  assert_int_equal(lb_contact_reference(p, scratch, lambda, u, &reference), LB_OK);
  const lb_contact_report report = lb_contact_solve(solver, p, &options, fast, v);
  c->problems++;
  c->reference_failed += reference.status != LB_CONTACT_SOLVED;
  c->fast_failed += report.status != LB_CONTACT_SOLVED;
  if (report.status != LB_CONTACT_SOLVED) {
    c->left = fmax(c->left, report.measure.residual / report.measure.scale);
  }
  if (reference.status != LB_CONTACT_SOLVED || report.status != LB_CONTACT_SOLVED) {
    return;
  }
  double difference = lb_velocity_difference(p, u, v);
  if (difference > 1e-6) {
    memcpy(lambda, fast, sizeof lambda);
    assert_int_equal(lb_contact_reference(p, scratch, lambda, u, &reference), LB_OK);
    assert_int_equal(reference.status, LB_CONTACT_SOLVED);
    difference = lb_velocity_difference(p, u, v);
    c->several++;
  }
  c->worst = fmax(c->worst, difference);
}

static const double LB_RANDOM_MU[] = {0, 0.3, 0.6, 1};

// `count` problems of each friction: bodies, joints and contacts at random.
static inline void lb_contact_compare_many(lb_arena* scratch, int count, int nbody, int njoint,
                                           int ncontact, lb_contact_counts of[4]) {
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  lb_contact_solver* solver;
  const lb_contact_sizes sizes = {.groups = RANDOM_BODIES,
                                  .velocities = RANDOM_BODIES * WORLD_WIDTH,
                                  .rows = RANDOM_ROWS,
                                  .blocks = RANDOM_ROWS,
                                  .dense = RANDOM_ROWS,
                                  .threads = 1};
  assert_int_equal(lb_contact_solver_create(NULL, &solver), LB_OK);
  assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_OK);
  for (int m = 0; m < 4; m++) {
    lb_contact_counts c = {0};
    for (int i = 0; i < count; i++) {
      lb_random r = {(uint64_t)(i + 1) * 7919 + (uint64_t)m};
      lb_random_world(&w, &r, nbody, njoint, ncontact, LB_RANDOM_MU[m]);
      lb_contact_compare(&c, solver, scratch, &w.problem);
    }
    print_message(
        "mu %.1f: %d problems, not solved: reference %d, fast %d, which leaves up to %.1e "
        "of the scale; with several solutions %d; velocities differ by %.1e\n",
        LB_RANDOM_MU[m], c.problems, c.reference_failed, c.fast_failed, c.left, c.several, c.worst);
    assert_at_most(c.worst, 1e-6);
    of[m] = c;
  }
  lb_contact_solver_release(solver);
  lb_contact_world_free(&w);
}

static inline int lb_contact_failures(const lb_contact_counts of[4]) {
  int failed = 0;
  for (int m = 0; m < 4; m++) {
    failed += of[m].fast_failed + of[m].reference_failed;
  }
  return failed;
}
