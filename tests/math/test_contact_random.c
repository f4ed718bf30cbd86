// Random contact problems: fast against reference, invariances, and what degenerates.
#include "contact_mixed.h"
#include "contact_random.h"
#include "counting.h"
#include "test_arena.h"

static const double UP[3] = {0, 0, 1}, CENTRE[3] = {0, 0, 0};

static lb_contact_solver* solver_for(const lb_contact_problem* p, int threads) {
  lb_contact_solver* solver;
  lb_contact_sizes sizes = lb_contact_sizes_of(p);
  sizes.threads = threads;
  assert_int_equal(lb_contact_solver_create(NULL, &solver), LB_OK);
  assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_OK);
  return solver;
}

static lb_contact_report solve(const lb_contact_problem* p, int threads, double tolerance,
                               double* lambda, double* u) {
  lb_contact_options options = lb_contact_options_default();
  options.tolerance = tolerance;
  options.threads = threads;
  lb_contact_solver* solver = solver_for(p, threads);
  const lb_contact_report report = lb_contact_solve(solver, p, &options, lambda, u);
  lb_contact_solver_release(solver);
  return report;
}

static void fast_velocities_equal_the_reference(void** state) {
  (void)state;
  const int count = getenv("LIMBER_SANITIZED") ? 25 : 250;
  lb_contact_counts of[4];
  lb_contact_compare_many(&arena, count, 4, 2, 6, of);
  assert_int_equal(lb_contact_failures(of), 0);
  lb_contact_compare_many(&arena, count / 5, 3, 0, 12, of);
  assert_int_equal(lb_contact_failures(of), 0);
}

static void every_kind_of_row_is_solved_as_by_the_reference(void** state) {
  (void)state;
  static lb_mixed m;
  lb_contact_solver* solver;
  assert_int_equal(lb_contact_solver_create(NULL, &solver), LB_OK);
  for (int k = 0; k < 4; k++) {
    lb_contact_counts c = {0};
    for (int i = 0; i < 100; i++) {
      lb_random r = {(uint64_t)(i + 1) * 263 + (uint64_t)k};
      lb_mixed_world(&m, &r, 6, 9, LB_RANDOM_MU[k]);
      const lb_contact_sizes sizes = lb_contact_sizes_of(&m.problem);
      assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_OK);
      lb_contact_compare(&c, solver, &arena, &m.problem);
    }
    print_message("mu %.1f: %d problems, not solved: reference %d, fast %d; with several solutions "
                  "%d; velocities differ by %.1e\n",
                  LB_RANDOM_MU[k], c.problems, c.reference_failed, c.fast_failed, c.several,
                  c.worst);
    assert_at_most(c.worst, 1e-6);
    assert_int_equal(c.fast_failed + c.reference_failed, 0);
  }
  lb_contact_solver_release(solver);
}

// --- residual, by its definition and not by the library ---

static double own_residual(const lb_contact_problem* p, const double* lambda, const double* u) {
  double worst = 0;
  for (int r = 0; r < p->nrow; r++) {
    double w[2], l[2], a = 0;
    const int size = p->row[r].kind == LB_CONTACT_SET_2 ? 2 : 1;
    for (int i = 0; i < size; i++) {
      w[i] = p->row[r + i].b + p->row[r + i].c * lambda[r + i];
      l[i] = lambda[r + i];
      a += p->row[r + i].c / size;
      for (int s = 0; s < 2; s++) {
        const int g = p->row[r + i].group[s];
        for (int k = 0; g >= 0 && k < lb_contact_width(p, g); k++) {
          const int at = p->row[r + i].entry[s] + k;
          w[i] += p->J[at] * u[p->velocity[g] + k];
          a += p->J[at] * p->Z[at] / size;
        }
      }
    }
    double e = fabs(w[0]);
    if (p->row[r].kind == LB_CONTACT_UNILATERAL) {
      e = a * fabs(l[0] - fmax(0, l[0] - w[0] / a));
    } else if (p->row[r].kind == LB_CONTACT_SECOND) {
      e = 0;
    } else if (p->row[r].kind != LB_CONTACT_EQUALITY) {
      const double R =
          p->row[r].mu * (p->row[r].normal < 0 ? 1 : fmax(0, lambda[p->row[r].normal]));
      double z[2] = {l[0] - w[0] / a, size > 1 ? l[1] - w[1] / a : 0};
      const double cut = fmin(1, R / hypot(z[0], z[1]));
      e = a * hypot(l[0] - cut * z[0], size > 1 ? l[1] - cut * z[1] : 0);
    }
    worst = fmax(worst, e);
  }
  return worst;
}

static void the_reported_residual_is_that_of_the_definition(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  for (int i = 0; i < 50; i++) {
    lb_random r = {(uint64_t)i * 131 + 5};
    double lambda[RANDOM_ROWS] = {0}, u[RANDOM_BODIES * WORLD_WIDTH];
    lb_random_world(&w, &r, 5, 2, 10, 0.5);
    lb_contact_options options = lb_contact_options_default();
    options.sweeps = i % 3; // most are far from solved
    options.tolerance = 1e-6;
    lb_contact_solver* solver = solver_for(&w.problem, 1);
    const lb_contact_report report = lb_contact_solve(solver, &w.problem, &options, lambda, u);
    const double own = own_residual(&w.problem, lambda, u);
    assert_within(report.measure.residual, own, 1e-12);
    assert_within(lb_contact_residual(&w.problem, lambda, u).residual, own, 1e-12);
    assert_int_equal(report.status == LB_CONTACT_SOLVED, own <= 1e-6 * report.measure.scale);
    lb_contact_solver_release(solver);
  }
  lb_contact_world_free(&w);
}

static double energy(const lb_contact_world* w, const double* u) {
  double sum = 0;
  for (int g = 0; g < w->problem.ngroup; g++) {
    const double* v = u + w->velocity[g];
    for (int i = 0; i < 3; i++) {
      sum += w->body[g].inertia[i] * v[i] * v[i] + w->body[g].mass * v[3 + i] * v[3 + i];
    }
  }
  return sum / 2;
}

static void contacts_without_bounce_never_add_energy(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  for (int i = 0; i < 200; i++) {
    lb_random r = {(uint64_t)i * 977 + 3};
    double lambda[RANDOM_ROWS] = {0}, u[RANDOM_BODIES * WORLD_WIDTH];
    lb_random_world(&w, &r, 4, 1, 7, LB_RANDOM_MU[i % 4]);
    if (solve(&w.problem, 1, 1e-10, lambda, u).status == LB_CONTACT_SOLVED) {
      assert_at_most(energy(&w, u), energy(&w, w.u0) * (1 + 1e-9));
    }
  }
  lb_contact_world_free(&w);
}

// Masses times s: impulses times s, velocities as before.
static void velocities_do_not_depend_on_the_unit_of_mass(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(RANDOM_BODIES, RANDOM_ROWS);
  const double scales[] = {1e-6, 1e-3, 1e3, 1e6};
  for (int i = 0; i < 40; i++) {
    double base[RANDOM_BODIES * WORLD_WIDTH], u[RANDOM_BODIES * WORLD_WIDTH];
    double lambda[RANDOM_ROWS] = {0};
    lb_random r = {(uint64_t)i * 31 + 7};
    lb_random_world(&w, &r, 4, 2, 6, 0.3);
    assert_int_equal(solve(&w.problem, 1, 1e-10, lambda, base).status, LB_CONTACT_SOLVED);
    for (int k = 0; k < w.problem.nentry; k++) {
      w.Z[k] /= scales[i % 4];
    }
    memset(lambda, 0, sizeof lambda);
    assert_int_equal(solve(&w.problem, 1, 1e-10, lambda, u).status, LB_CONTACT_SOLVED);
    assert_at_most(lb_velocity_difference(&w.problem, base, u), 1e-7);
  }
  lb_contact_world_free(&w);
}

// A tower of boxes, each `ratio` times as heavy as the one below, under gravity for a step.
static lb_contact_world tower(int height, double ratio, double mu) {
  lb_contact_world w = lb_contact_world_make(height, 12 * height);
  double mass = 1;
  for (int i = 0; i < height; i++, mass *= ratio) {
    const double u[6] = {0, 0, 0, 0, 0, -9.81e-3};
    lb_add_body(&w, mass, 0.4, u);
    for (int k = 0; k < 4; k++) {
      const double below[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5};
      const double above[3] = {below[0], below[1], 0.5};
      lb_add_contact(&w, i, i - 1, UP, below, above, mu);
    }
  }
  return w;
}

static void towers_stand_with_any_ratio_of_masses(void** state) {
  (void)state;
  const struct {
    int height;
    double ratio;
  } of[] = {{2, 1e6}, {2, 1e-6}, {3, 1e3}, {10, 1}, {10, 4.6}, {20, 1}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    lb_contact_world w = tower(of[i].height, of[i].ratio, 0.6);
    double *lambda = calloc((size_t)w.problem.nrow, sizeof *lambda), u[20 * WORLD_WIDTH];
    const lb_contact_report report = solve(&w.problem, 1, 1e-9, lambda, u);
    assert_int_equal(report.status, LB_CONTACT_SOLVED);
    for (int k = 0; k < lb_contact_nvelocity(&w.problem); k++) {
      assert_within(u[k], 0, 1e-8);
    }
    // a solution is its own warm start
    assert_int_equal(solve(&w.problem, 1, 1e-9, lambda, u).iterations, 0);
    free(lambda);
    lb_contact_world_free(&w);
  }
}

// --- threads ---

// Boxes side by side in columns, neighbours joined by contacts: one large island, and small ones.
static lb_contact_world many(int columns, int height) {
  lb_contact_world w = lb_contact_world_make(columns * height, columns * height * 24);
  lb_random r = {99};
  for (int x = 0; x < columns; x++) {
    for (int z = 0; z < height; z++) {
      double u[6];
      lb_random_vector(&r, 0.1, u, 6);
      u[5] -= 0.1;
      const int me = lb_add_body(&w, lb_random_between(&r, 0.5, 2), 0.4, u);
      for (int k = 0; k < 4; k++) {
        const double below[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5};
        const double above[3] = {below[0], below[1], 0.5};
        lb_add_contact(&w, me, z ? me - 1 : -1, UP, below, above, 0.5);
      }
      if (x > 0 && x % 6 != 0) {
        const double side[3] = {1, 0, 0}, a[3] = {-0.5, 0, 0}, b[3] = {0.5, 0, 0};
        lb_add_contact(&w, me, me - height, side, a, b, 0.3);
      }
    }
  }
  return w;
}

static void compare_threads(const lb_contact_problem* p, const lb_contact_options* of) {
  const size_t rows = (size_t)p->nrow, width = (size_t)lb_contact_nvelocity(p);
  double* lambda[3] = {NULL};
  double* u[3] = {NULL};
  const int threads[] = {1, 2, 4};
  for (int i = 0; i < 3; i++) {
    lambda[i] = calloc(rows, sizeof(double));
    u[i] = calloc(width, sizeof(double));
    lb_contact_options options = *of;
    options.threads = threads[i];
    lb_contact_solver* solver = solver_for(p, threads[i]);
    lb_contact_solve(solver, p, &options, lambda[i], u[i]);
    lb_contact_solver_release(solver);
    assert_memory_equal(lambda[i], lambda[0], rows * sizeof(double));
    assert_memory_equal(u[i], u[0], width * sizeof(double));
  }
  for (int i = 0; i < 3; i++) {
    free(lambda[i]);
    free(u[i]);
  }
}

static void results_are_the_same_bytes_for_any_number_of_threads(void** state) {
  (void)state;
  lb_contact_world w = many(14, 12), large = many(7, 40); // large: an island for all threads
  lb_contact_options options = lb_contact_options_default();
  options.sweeps = 60;
  compare_threads(&w.problem, &options);
  options = lb_contact_options_step();
  compare_threads(&w.problem, &options);
  compare_threads(&large.problem, &options);
  lb_contact_world_free(&w);
  lb_contact_world_free(&large);
}

// --- steps ---

static void a_step_is_bounded_and_tells_what_is_left(void** state) {
  (void)state;
  lb_contact_world w = many(7, 12);
  const lb_contact_options options = lb_contact_options_step();
  const int rows = w.problem.nrow;
  double* lambda = calloc((size_t)rows, sizeof(double));
  double* u = calloc((size_t)lb_contact_nvelocity(&w.problem), sizeof(double));
  lb_contact_solver* solver = solver_for(&w.problem, 1);
  double first = 0, last = 0;
  for (int k = 0; k < 40; k++) { // each goes on from the one before
    const lb_contact_report report = lb_contact_solve(solver, &w.problem, &options, lambda, u);
    assert_in_range(report.iterations, 0, options.sweeps + 30);
    const double left = lb_contact_residual(&w.problem, lambda, u).residual;
    assert_within(report.measure.residual, left, 1e-12);
    first = k == 0 ? left : first;
    last = left;
  }
  assert_below(last, 0.1 * first);
  lb_contact_solver_release(solver);
  free(lambda);
  free(u);
  lb_contact_world_free(&w);
}

static void what_is_calm_is_solved_to_the_end(void** state) {
  (void)state;
  lb_contact_world w = many(7, 3);
  lb_contact_options options = lb_contact_options_step();
  double* lambda = calloc((size_t)w.problem.nrow, sizeof(double));
  double* u = calloc((size_t)lb_contact_nvelocity(&w.problem), sizeof(double));
  lb_contact_solver* solver = solver_for(&w.problem, 1);
  const lb_contact_report bounded = lb_contact_solve(solver, &w.problem, &options, lambda, u);
  assert_int_equal(bounded.status, LB_CONTACT_NOT_SOLVED);
  memset(lambda, 0, (size_t)w.problem.nrow * sizeof *lambda);
  options.calm = INFINITY;
  const lb_contact_report calm = lb_contact_solve(solver, &w.problem, &options, lambda, u);
  assert_below(calm.measure.residual, 1e-4 * calm.measure.scale);
  assert_below(lb_contact_residual(&w.problem, lambda, u).residual, 1e-4 * calm.measure.scale);
  lb_contact_solver_release(solver);
  free(lambda);
  free(u);
  lb_contact_world_free(&w);
}

// Sweeps of a pile in which a block overlaps by much, and that is calm up to this speed; the
// last row's gap asks for `open` more.
static int sweeps_of_wedge(double calm, double open) {
  lb_contact_world w = many(7, 12);
  const int rows = w.problem.nrow, last = rows - 3;
  unsigned char* marks = calloc((size_t)w.problem.nblock, 1);
  double* lambda = calloc((size_t)rows, sizeof(double));
  double* u = calloc((size_t)lb_contact_nvelocity(&w.problem), sizeof(double));
  lb_contact_options options = lb_contact_options_step();
  lb_contact_solver* solver = solver_for(&w.problem, 1);
  marks[w.problem.nblock - 1] = LB_CONTACT_OVERLAPS;
  options.marks = marks;
  options.calm = calm;
  assert_int_equal(w.row[last].kind, LB_CONTACT_UNILATERAL);
  w.row[last].b += open;
  const int sweeps = lb_contact_solve(solver, &w.problem, &options, lambda, u).iterations;
  lb_contact_solver_release(solver);
  free(marks);
  free(lambda);
  free(u);
  lb_contact_world_free(&w);
  return sweeps;
}

// Gaps near by that stay open say nothing of how fast anything is.
static void wedges_are_calm_beside_an_open_gap(void** state) {
  (void)state;
  lb_contact_world w = many(7, 12);
  double* none = calloc((size_t)w.problem.nrow, sizeof(double));
  double* u = calloc((size_t)lb_contact_nvelocity(&w.problem), sizeof(double));
  const double scale = 1.1 * lb_contact_residual(&w.problem, none, u).scale;
  const int few = sweeps_of_wedge(0, 0);
  assert_true(sweeps_of_wedge(scale, 0) > 3 * few);
  assert_true(sweeps_of_wedge(scale, 5 * scale) > 3 * few);
  assert_int_equal(sweeps_of_wedge(scale, -5 * scale), few); // it comes that fast
  free(none);
  free(u);
  lb_contact_world_free(&w);
}

static void another_b_is_solved_from_where_the_last_ended(void** state) {
  (void)state;
  lb_contact_world w = many(3, 3);
  const int rows = w.problem.nrow, width = lb_contact_nvelocity(&w.problem);
  const lb_contact_options options = lb_contact_options_default();
  double* lambda = calloc((size_t)rows, sizeof(double));
  double* u = calloc((size_t)width, sizeof(double));
  double* v = calloc((size_t)width, sizeof(double));
  lb_contact_solver* solver = solver_for(&w.problem, 1);
  lb_contact_solve(solver, &w.problem, &options, lambda, u);
  for (int r = 0; r < rows; r += 3) {
    w.row[r].b -= r % 2 ? 0.01 : 0;
  }
  assert_above(lb_contact_residual(&w.problem, lambda, v).residual, 1e-3);
  assert_int_equal(lb_contact_solve_again(solver, &options, lambda, u).status, LB_CONTACT_SOLVED);
  const lb_contact_measure m = lb_contact_residual(&w.problem, lambda, v);
  assert_at_most(m.residual, fmax(2 * options.tolerance * m.scale, m.rounding));
  for (int i = 0; i < width; i++) {
    assert_within(u[i], v[i], 1e-12);
  }
  lb_contact_solver_release(solver);
  free(lambda);
  free(u);
  free(v);
  lb_contact_world_free(&w);
}

// --- what degenerates ---

static void nothing_to_do_is_solved(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(2, 4);
  double lambda[1] = {0}, u[2 * WORLD_WIDTH];
  lb_contact_report report;
  assert_int_equal(solve(&w.problem, 1, 1e-8, lambda, u).status, LB_CONTACT_SOLVED);
  assert_int_equal(lb_contact_reference(&w.problem, &arena, lambda, u, &report), LB_OK);
  assert_int_equal(report.status, LB_CONTACT_SOLVED);
  lb_add_body(&w, 1, 1, (const double[]){1, 2, 3, 4, 5, 6});
  assert_int_equal(solve(&w.problem, 1, 1e-8, lambda, u).status, LB_CONTACT_SOLVED);
  for (int i = 0; i < 6; i++) {
    assert_within(u[i], i + 1, 0);
  }
  lb_contact_world_free(&w);
}

static void a_zero_row_is_solved_or_honestly_not(void** state) {
  (void)state;
  for (int feasible = 0; feasible < 2; feasible++) {
    lb_contact_world w = lb_contact_world_make(2, 8);
    lb_add_body(&w, 1, 1, (const double[]){0, 0, 0, 1, 0, -1});
    lb_add_contact(&w, 0, -1, UP, CENTRE, CENTRE, 0.5);
    memset(w.J, 0, WORLD_WIDTH * sizeof(double)); // the normal does nothing
    memset(w.Z, 0, WORLD_WIDTH * sizeof(double));
    w.row[0].b = feasible ? 1 : -1;
    double lambda[8] = {0}, u[2 * WORLD_WIDTH];
    lb_contact_report report;
    const lb_contact_status expected = feasible ? LB_CONTACT_SOLVED : LB_CONTACT_NOT_SOLVED;
    assert_int_equal(solve(&w.problem, 1, 1e-8, lambda, u).status, expected);
    assert_int_equal(lb_contact_reference(&w.problem, &arena, lambda, u, &report), LB_OK);
    assert_int_equal(report.status, expected);
    assert_true(isfinite(u[3]));
    lb_contact_world_free(&w);
  }
}

// Tangents that yield without end, on a contact that is open and on one that bears: squares of
// their impulses are below what numbers can hold, and their conditions hold all the same.
static void endless_compliance_is_measured_truly(void** state) {
  (void)state;
  for (int bears = 0; bears < 2; bears++) {
    lb_contact_world w = lb_contact_world_make(2, 8);
    lb_add_body(&w, 1, 1, (const double[]){0, 0, 0, 1, 0.5, bears ? -1 : 1});
    lb_add_contact(&w, 0, -1, UP, CENTRE, CENTRE, 0.5);
    w.row[1].c = w.row[2].c = 1e300;
    double lambda[8] = {0}, u[2 * WORLD_WIDTH];
    lb_contact_report report;
    assert_int_equal(solve(&w.problem, 1, 1e-8, lambda, u).status, LB_CONTACT_SOLVED);
    assert_below(lb_contact_residual(&w.problem, lambda, u).residual, 1e-8);
    assert_within(u[3], 1, 1e-12); // nothing holds it back
    assert_int_equal(lb_contact_reference(&w.problem, &arena, lambda, u, &report), LB_OK);
    assert_int_equal(report.status, LB_CONTACT_SOLVED);
    // with other impulses the tangents' conditions do not hold
    lambda[1] = 1e-300;
    assert_above(lb_contact_residual(&w.problem, lambda, u).residual, 0.5);
    lb_contact_world_free(&w);
  }
}

static void what_is_not_a_number_is_refused_and_changes_nothing(void** state) {
  (void)state;
  lb_contact_world w = lb_contact_world_make(2, 8);
  lb_add_body(&w, 1, 1, (const double[]){0, 0, 0, 1, 0, -1});
  lb_add_contact(&w, 0, -1, UP, CENTRE, CENTRE, 0.5);
  double* places[] = {&w.J[3], &w.Z[5], &w.u0[4], &w.row[0].b, &w.row[1].c, &w.row[1].mu};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 18; i++) {
    double lambda[3] = {1, 2, 3}, u[WORLD_WIDTH] = {7};
    lb_contact_report report;
    const double had = *places[i % 6];
    *places[i % 6] = bad[i / 6];
    assert_int_equal(solve(&w.problem, 1, 1e-8, lambda, u).status, LB_CONTACT_REFUSED);
    assert_int_equal(lb_contact_reference(&w.problem, &arena, lambda, u, &report), LB_INVALID);
    assert_int_equal(report.status, LB_CONTACT_REFUSED);
    assert_within(lambda[1], 2, 0);
    assert_within(u[0], 7, 0);
    *places[i % 6] = had;
  }
  // a warm start that is not a number counts as none
  double lambda[3] = {NAN, INFINITY, 0}, u[WORLD_WIDTH];
  lb_contact_report report;
  assert_int_equal(solve(&w.problem, 1, 1e-8, lambda, u).status, LB_CONTACT_SOLVED);
  lambda[0] = NAN;
  assert_int_equal(lb_contact_reference(&w.problem, &arena, lambda, u, &report), LB_OK);
  assert_int_equal(report.status, LB_CONTACT_SOLVED);
  lb_contact_world_free(&w);
}

static void ten_thousand_rows_on_one_body_end(void** state) {
  (void)state;
  const int contacts = 3334;
  lb_contact_world w = lb_contact_world_make(1, 3 * contacts);
  lb_random r = {17};
  lb_add_body(&w, 1, 0.4, (const double[]){0.1, 0, 0, 0.2, 0, -1});
  for (int i = 0; i < contacts; i++) {
    double at[3];
    lb_random_vector(&r, 0.5, at, 3);
    at[2] = -0.5;
    lb_add_contact(&w, 0, -1, UP, at, CENTRE, 0.5);
  }
  double *lambda = calloc((size_t)w.problem.nrow, sizeof *lambda), u[WORLD_WIDTH];
  lb_contact_options options = lb_contact_options_default();
  options.sweeps = 50;
  options.tolerance = 1e-6;
  lb_contact_solver* solver = solver_for(&w.problem, 2);
  const lb_contact_report report = lb_contact_solve(solver, &w.problem, &options, lambda, u);
  assert_true(report.status == LB_CONTACT_SOLVED || report.status == LB_CONTACT_NOT_SOLVED);
  assert_within(report.measure.residual, own_residual(&w.problem, lambda, u), 1e-9);
  lb_contact_solver_release(solver);
  free(lambda);
  lb_contact_world_free(&w);
}

// --- memory ---

static void a_solve_allocates_nothing_and_refuses_what_does_not_fit(void** state) {
  (void)state;
  lb_counting counting = {0};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  lb_contact_world w = tower(4, 1, 0.5), large = tower(6, 1, 0.5);
  lb_contact_solver* solver;
  double lambda[100] = {0}, u[6 * WORLD_WIDTH];
  const lb_contact_options options = lb_contact_options_default();
  assert_int_equal(lb_contact_solver_create(&allocator, &solver), LB_OK);
  assert_int_equal(lb_contact_solve(solver, &w.problem, &options, lambda, u).status,
                   LB_CONTACT_REFUSED);
  lb_contact_sizes sizes = lb_contact_sizes_of(&w.problem);
  counting.refuse = counting.requests + 1;
  assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_NO_MEMORY);
  assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_OK);
  const long before = counting.requests;
  assert_int_equal(lb_contact_solve(solver, &w.problem, &options, lambda, u).status,
                   LB_CONTACT_SOLVED);
  assert_int_equal(counting.requests, before);
  assert_int_equal(lb_contact_solve(solver, &large.problem, &options, lambda, u).status,
                   LB_CONTACT_REFUSED);
  sizes = lb_contact_sizes_of(&large.problem);
  assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_OK);
  memset(lambda, 0, sizeof lambda);
  assert_int_equal(lb_contact_solve(solver, &large.problem, &options, lambda, u).status,
                   LB_CONTACT_SOLVED);
  lb_contact_solver_release(solver);
  assert_int_equal(counting.live, 0);
  counting.refuse = counting.requests + 1;
  assert_int_equal(lb_contact_solver_create(&allocator, &solver), LB_NO_MEMORY);
  lb_contact_world_free(&w);
  lb_contact_world_free(&large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fast_velocities_equal_the_reference, begin, end),
      cmocka_unit_test_setup_teardown(every_kind_of_row_is_solved_as_by_the_reference, begin, end),
      cmocka_unit_test(the_reported_residual_is_that_of_the_definition),
      cmocka_unit_test(contacts_without_bounce_never_add_energy),
      cmocka_unit_test(velocities_do_not_depend_on_the_unit_of_mass),
      cmocka_unit_test(towers_stand_with_any_ratio_of_masses),
      cmocka_unit_test(results_are_the_same_bytes_for_any_number_of_threads),
      cmocka_unit_test(a_step_is_bounded_and_tells_what_is_left),
      cmocka_unit_test(what_is_calm_is_solved_to_the_end),
      cmocka_unit_test(wedges_are_calm_beside_an_open_gap),
      cmocka_unit_test(another_b_is_solved_from_where_the_last_ended),
      cmocka_unit_test_setup_teardown(nothing_to_do_is_solved, begin, end),
      cmocka_unit_test_setup_teardown(a_zero_row_is_solved_or_honestly_not, begin, end),
      cmocka_unit_test_setup_teardown(endless_compliance_is_measured_truly, begin, end),
      cmocka_unit_test_setup_teardown(what_is_not_a_number_is_refused_and_changes_nothing, begin,
                                      end),
      cmocka_unit_test(ten_thousand_rows_on_one_body_end),
      cmocka_unit_test(a_solve_allocates_nothing_and_refuses_what_does_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
