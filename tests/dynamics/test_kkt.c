// The KKT system of a tree under constraints against its dense matrices: mechanisms of every kind,
// in both coordinates, with redundant constraints, held velocities and damping.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compile.h"
#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "test.h"

enum { TEXT = 200000, MOST_V = LB_JOINT_MOST_V };

static char text[TEXT];
static size_t used;

static void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  used += (size_t)vsnprintf(text + used, TEXT - used, format, list);
  va_end(list);
  assert_below(used, TEXT);
}

static void begin(const char* coordinates) {
  used = 0;
  say("name: x\nsolver: {coordinates: %s, integrator: bdf2, step: 1 ms}\nbodies:\n", coordinates);
}

// Two rails on hinges and rungs between them; of `kind` is what closes the loops.
static lb_model* make_ladder(int rungs, const char* kind, const char* coordinates) {
  begin(coordinates);
  for (int i = 0; i < 3 * rungs; i++) {
    say("  b%d: {mass: 1, inertia: [0.01, 0.01, 0.01], center: [0.05, 0, 0.02]}\n", i);
  }
  say("joints:\n");
  for (int k = 0; k < rungs; k++) {
    for (int rail = 0; rail < 2; rail++) {
      const int i = rail * rungs + k;
      say("  j%d: {type: revolute, axis: y, child: b%d, at: [%g, 0, %g]", i, i, k ? 0.1 : 0,
          rail && !k ? 0.3 : 0);
      say(k ? ", parent: b%d}\n" : "}\n", i - 1);
    }
    say("  r%d: {type: revolute, axis: y, parent: b%d, child: b%d, at: [0.1, 0, 0]}\n", k, k,
        2 * rungs + k);
    say("  l%d: {type: %s, loop: true, parent: b%d, child: b%d, at: [0.1, 0, 0], "
        "in_child: [0, 0, 0.3]}\n",
        k, kind, rungs + k, 2 * rungs + k);
  }
  return compile(text);
}

// Chains of n bars side by side, and bars from each to the next: a front is n links wide.
static lb_model* make_curtain(int n, const char* coordinates) {
  begin(coordinates);
  for (int i = 0; i < n * (2 * n - 1); i++) {
    say("  b%d: {mass: 1, inertia: [0.01, 0.01, 0.01], center: [0.05, 0, 0.02]}\n", i);
  }
  say("joints:\n");
  for (int i = 0; i < n * n; i++) {
    say("  j%d: {type: revolute, axis: y, child: b%d, at: [%g, 0, %g]", i, i,
        i % n ? 0 : 0.1 * (i / n), i % n ? -0.1 : 0);
    say(i % n ? ", parent: b%d}\n" : "}\n", i - 1);
  }
  for (int i = 0; i < n * (n - 1); i++) {
    const int bar = n * n + i;
    say("  j%d: {type: revolute, axis: y, parent: b%d, child: b%d, at: [0, 0, -0.1]}\n", bar, i,
        bar);
    say("  l%d: {type: spherical, loop: true, parent: b%d, child: b%d, at: [0.1, 0, 0], "
        "in_child: [0, 0, -0.1]}\n",
        i, bar, i + n);
  }
  return compile(text);
}

// A chain of hinges with springs, two of its bars above floors.
static lb_model* make_chain(int bars) {
  begin("maximal");
  for (int i = 0; i < bars; i++) {
    say("  b%d: {mass: 1, inertia: [0.01, 0.01, 0.01], center: [0.05, 0, 0.02]}\n", i);
  }
  say("joints:\n");
  for (int i = 0; i < bars; i++) {
    say("  j%d: {type: revolute, axis: y, child: b%d, at: [0.1, 0, 0], spring: {stiffness: 30}, "
        "damping: 0.1",
        i, i);
    say(i ? ", parent: b%d}\n" : "}\n", i - 1);
  }
  say("constraints:\n  low: {floor: {body: b%d, points: [{at: [0.1, 0, 0]}], height: -1}}\n"
      "  lower: {floor: {body: b%d, points: [{at: [0.1, 0, 0]}], height: -2}}\n",
      bars / 2, bars - 1);
  return compile(text);
}

// Bodies on joints of all kinds, and loops between some of them that need not be closed.
static lb_model* make_random(uint64_t seed, const char* coordinates) {
  static const char* const KIND[] = {"revolute, axis: [0.4, 0.3, 0.2]",
                                     "prismatic, axis: [0.4, 0.3, -0.2]",
                                     "spherical",
                                     "revolute, axis: y",
                                     "free-2d, axis: y",
                                     "planar, axis: z",
                                     "revolute, axis: x",
                                     "euler, order: xyz",
                                     "helical, axis: z, pitch: 0.1",
                                     "translational"};
  static const char* const LOOP[] = {"spherical", "revolute, axis: z", "prismatic, axis: x",
                                     "fixed", "spherical"};
  enum { BODIES = 24, LOOPS = 6 };
  lb_random r = {seed};
  begin(coordinates);
  for (int i = 0; i < BODIES; i++) {
    say("  b%d: {mass: %g, inertia: [0.02, 0.03, 0.04], center: [0.05, 0.1, %g]}\n", i,
        lb_random_between(&r, 0.5, 2), lb_random_between(&r, -0.1, 0.1));
  }
  say("joints:\n");
  for (int i = 0; i < BODIES; i++) {
    const int kind = (int)lb_random_between(&r, 0, 9.99);
    const int parent = i > 0 ? (int)lb_random_between(&r, -1, i - 1e-9) : -1;
    say("  j%d: {type: %s, child: b%d, at: [%g, %g, %g]", i, KIND[kind], i,
        lb_random_between(&r, -0.3, 0.3), lb_random_between(&r, -0.3, 0.3),
        lb_random_between(&r, 0.1, 0.3));
    say(parent >= 0 ? ", parent: b%d}\n" : "}\n", parent);
  }
  for (int i = 0; i < LOOPS; i++) {
    const int a = (int)lb_random_between(&r, 0, BODIES - 1e-9);
    const int b = (a + 1 + (int)lb_random_between(&r, 0, BODIES - 1.01)) % BODIES;
    say("  l%d: {type: %s, loop: true, parent: b%d, child: b%d, at: [0.1, %g, 0.1], in_child: "
        "[0.1, 0.2, %g]}\n",
        i, LOOP[i % 5], a, b, lb_random_between(&r, -0.3, 0.3), lb_random_between(&r, -0.3, 0.3));
  }
  return compile(text);
}

typedef struct system {
  lb_model* m;
  lb_data* d;
  lb_kkt* K;
  int n, rows;
  double *W, *J, *x, *b, *mu, *c, *block;
} system_of;

static system_of open_system(lb_model* m, double aside) {
  system_of s = {.m = m, .n = m->nv};
  assert_int_equal(lb_data_create(m, NULL, &s.d, NULL), LB_OK);
  s.K = lb_kkt_create(m, s.d, NULL);
  assert_non_null(s.K);
  lb_random r = {7};
  for (int k = 0; k < m->nq; k++) {
    s.d->q[k] += m->nq == m->nv ? aside * lb_random_between(&r, -1, 1) : 0;
  }
  const size_t n = (size_t)m->nv, most = (size_t)lb_constraints_most(m);
  s.W = calloc(n * n, sizeof *s.W);
  s.block = calloc(n * MOST_V, sizeof *s.W);
  s.x = calloc(n, sizeof *s.x);
  s.b = calloc(n, sizeof *s.b);
  s.mu = calloc(most, sizeof *s.x);
  s.c = calloc(most, sizeof *s.x);
  lb_crba(m, s.d, s.W, s.d->q);
  for (int k = 0; k < s.n; k++) {
    s.b[k] = lb_random_between(&r, -1, 1);
  }
  lb_kinematics(m, s.d, s.d->q, s.d->qd);
  const lb_constraint_rows rows = lb_constraints_linearise(m, s.d, LB_SET_ACTIVE);
  s.rows = rows.count;
  s.J = calloc((size_t)s.rows * n + 1, sizeof *s.J);
  memcpy(s.J, rows.J, (size_t)s.rows * n * sizeof *s.J);
  // a right-hand side that has a solution, whatever is redundant
  double* v = calloc(n, sizeof *v);
  for (int k = 0; k < s.n; k++) {
    v[k] = lb_random_between(&r, -1, 1);
  }
  for (int i = 0; i < s.rows; i++) {
    s.c[i] = lb_dot(s.n, s.J + (size_t)i * n, v);
  }
  free(v);
  return s;
}

static void close_system(system_of* s) {
  lb_kkt_release(s->K);
  lb_data_release(s->d);
  lb_model_release(s->m);
  free(s->W);
  free(s->J);
  free(s->x);
  free(s->b);
  free(s->mu);
  free(s->c);
  free(s->block);
}

// How far x and mu are from solving (1), over the sizes of what is added up.
static double residual_of(const system_of* s) {
  double worst = 0;
  for (int k = 0; k < s->n; k++) {
    double sum = lb_dot(s->n, s->W + k * s->n, s->x) - s->b[k], size = 1;
    for (int i = 0; i < s->rows; i++) {
      sum += s->J[i * s->n + k] * s->mu[i];
      size += fabs(s->J[i * s->n + k] * s->mu[i]);
    }
    worst = fmax(worst, fabs(sum) / size);
  }
  for (int i = 0; i < s->rows; i++) {
    double size = 1;
    for (int k = 0; k < s->n; k++) {
      size += fabs(s->J[i * s->n + k] * s->x[k]);
    }
    worst = fmax(worst, fabs(lb_dot(s->n, s->J + i * s->n, s->x) - s->c[i]) / size);
  }
  return worst;
}

static void solve_system(system_of* s, lb_kkt_terms terms) {
  memcpy(s->x, s->b, (size_t)s->n * sizeof *s->x);
  memcpy(s->mu, s->c, (size_t)s->rows * sizeof *s->mu);
  assert_true(lb_kkt_factor(s->K, s->d, terms));
  lb_kkt_solve(s->K, s->x, s->mu, NULL);
}

// With the order just found, and with it kept; then with joints that were taken apart in a tree.
static void check(lb_model* m, double aside, double tolerance, const char* what) {
  system_of s = open_system(m, aside);
  for (int again = 0; again < 4; again++) {
    if (again == 2) {
      lb_kkt_release(s.K);
      assert_int_equal(lb_kkt_create_alone(m, NULL, &s.K, NULL), LB_OK);
    }
    solve_system(&s, (lb_kkt_terms){0});
    const double worst = residual_of(&s);
    if (!(worst < tolerance)) {
      print_error("%s: residual %g, tolerance %g\n", what, worst, tolerance);
      fail();
    }
  }
  close_system(&s);
}

static void ladders_solve_their_dense_system(void** state) {
  (void)state;
  static const char* const COORDINATES[] = {"reduced", "maximal"};
  for (int c = 0; c < 2; c++) {
    for (int rungs = 1; rungs < 40; rungs = 2 * rungs + 1) {
      check(make_ladder(rungs, "revolute, axis: y", COORDINATES[c]), 0, 1e-9, COORDINATES[c]);
      check(make_ladder(rungs, "revolute, axis: y", COORDINATES[c]), 0.3, 1e-9, COORDINATES[c]);
      check(make_ladder(rungs, "spherical", COORDINATES[c]), 0.3, 1e-9, COORDINATES[c]);
    }
  }
}

static void curtains_solve_their_dense_system(void** state) {
  (void)state;
  check(make_curtain(9, "reduced"), 0, 1e-9, "reduced");
  check(make_curtain(9, "reduced"), 0.3, 1e-9, "reduced");
  check(make_curtain(9, "maximal"), 0, 1e-9, "maximal");
}

// Springs of joints that were taken apart are constraints, or parts of joints of the tree again:
// what unilateral constraints exert beside them is the same, and they do exert something.
static void springs_beside_floors_are_the_same_in_both_forms(void** state) {
  (void)state;
  const lb_kkt_terms terms = {.dt = 1e-2, .linear = true};
  system_of s = open_system(make_chain(8), 0);
  for (int k = 0; k < s.n; k++) {
    s.d->qd[k] = sin(1 + k);
  }
  lb_kinematics(s.m, s.d, s.d->q, s.d->qd);
  s.rows = lb_constraints_measure(s.m, s.d, LB_SET_STEP).count;
  for (int i = 0; i < s.rows; i++) {
    s.c[i] = lb_constraints_row(s.d, i)->unilateral ? -20 : 0.1 * cos(i);
  }
  solve_system(&s, terms);
  double* x = calloc((size_t)s.n, sizeof *x);
  double* mu = calloc((size_t)s.rows, sizeof *mu);
  memcpy(x, s.x, (size_t)s.n * sizeof *x);
  memcpy(mu, s.mu, (size_t)s.rows * sizeof *mu);
  lb_kkt_release(s.K);
  assert_int_equal(lb_kkt_create_alone(s.m, NULL, &s.K, NULL), LB_OK);
  solve_system(&s, terms);
  for (int k = 0; k < s.n; k++) {
    assert_near(s.x[k], x[k], 1e-9);
  }
  for (int i = 0; i < s.rows; i++) {
    assert_near(s.mu[i], mu[i], 1e-8);
    if (lb_constraints_row(s.d, i)->unilateral) {
      assert_above(mu[i], 1e-3);
    }
  }
  free(x);
  free(mu);
  close_system(&s);
}

static void random_mechanisms_solve_their_dense_system(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed < 40; seed++) {
    char what[32];
    snprintf(what, sizeof what, "seed %d", (int)seed);
    check(make_random(seed, seed % 2 ? "reduced" : "maximal"), 0.5, 1e-9, what);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ladders_solve_their_dense_system),
      cmocka_unit_test(curtains_solve_their_dense_system),
      cmocka_unit_test(springs_beside_floors_are_the_same_in_both_forms),
      cmocka_unit_test(random_mechanisms_solve_their_dense_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
