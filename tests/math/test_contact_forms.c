// Contact problems with solutions in closed form, by both solvers.
#include "contact_worlds.h"
#include "math/contact/contact_fast.h"
#include "math/contact/contact_printed.h"
#include "math/contact/contact_reference.h"
#include "test_arena.h"

enum { COPIES = 25, ROWS = 12 * COPIES, BODIES = 12 };

static const double UP[3] = {0, 0, 1}, X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, CENTRE[3] = {0, 0, 0};

// --- solvers in a table: every form is asked of each ---

static lb_contact_report by_reference(const lb_contact_problem* p, double* lambda, double* u) {
  lb_contact_report report;
  assert_int_equal(lb_contact_reference(p, &arena, lambda, u, &report), LB_OK);
  return report;
}

static lb_contact_report by_fast(const lb_contact_problem* p, double* lambda, double* u) {
  lb_contact_solver* solver;
  const lb_contact_sizes sizes = lb_contact_sizes_of(p);
  lb_contact_options options = lb_contact_options_default();
  options.tolerance = 1e-11;
  assert_int_equal(lb_contact_solver_create(NULL, &solver), LB_OK);
  assert_int_equal(lb_contact_solver_reserve(solver, &sizes), LB_OK);
  const lb_contact_report report = lb_contact_solve(solver, p, &options, lambda, u);
  lb_contact_solver_release(solver);
  return report;
}

static lb_contact_report (*const SOLVER[])(const lb_contact_problem*, double*,
                                           double*) = {by_reference, by_fast};
enum { NSOLVER = 2 };

typedef struct solution {
  double lambda[ROWS];
  double u[BODIES * WORLD_WIDTH];
} solution;

static solution solved(const lb_contact_world* w, int solver) {
  solution s;
  memset(&s, 0, sizeof s);
  const lb_contact_report report = SOLVER[solver](&w->problem, s.lambda, s.u);
  assert_int_equal(report.status, LB_CONTACT_SOLVED);
  assert_true(lb_contact_holds(lb_contact_residual(&w->problem, s.lambda, s.u), 1e-10));
  return s;
}

// A ball of 2 kg that touches the ground under its centre and moves with these velocities.
static lb_contact_world point_mass(double mass, double mu, double vx, double vy, double vz) {
  lb_contact_world w = lb_contact_world_make(BODIES, ROWS);
  const double u[6] = {0, 0, 0, vx, vy, vz};
  lb_add_body(&w, mass, 1, u);
  lb_add_contact(&w, 0, -1, UP, CENTRE, CENTRE, mu);
  return w;
}

static void a_point_sticks_slips_or_leaves(void** state) {
  (void)state;
  const double m = 2, mu = 0.5;
  for (int k = 0; k < NSOLVER; k++) {
    // sticks: |v_t| < mu |v_n|, everything stops
    lb_contact_world w = point_mass(m, mu, 0.3, -0.2, -1);
    solution s = solved(&w, k);
    assert_within(s.lambda[0], m, 1e-10);
    for (int i = 0; i < 6; i++) {
      assert_within(s.u[i], 0, 1e-10);
    }
    lb_contact_world_free(&w);
    // slips: tangential speed falls by mu |v_n|, its direction stays
    w = point_mass(m, mu, 3, -4, -1);
    s = solved(&w, k);
    assert_within(s.lambda[0], m, 1e-10);
    assert_within(s.u[3], 3 - mu * 0.6, 1e-10);
    assert_within(s.u[4], -4 + mu * 0.8, 1e-10);
    assert_within(s.u[5], 0, 1e-10);
    lb_contact_world_free(&w);
    // leaves: nothing happens
    w = point_mass(m, mu, 3, -4, 0.1);
    s = solved(&w, k);
    assert_within(s.lambda[0], 0, 0);
    assert_within(s.u[3], 3, 0);
    assert_within(s.u[5], 0.1, 0);
    lb_contact_world_free(&w);
  }
}

static void without_friction_the_tangential_velocity_stays(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    lb_contact_world w = point_mass(3, 0, 1, 2, -1);
    const solution s = solved(&w, k);
    assert_within(s.lambda[0], 3, 1e-10);
    assert_within(s.lambda[1], 0, 0);
    assert_within(s.u[3], 1, 1e-12);
    assert_within(s.u[4], 2, 1e-12);
    lb_contact_world_free(&w);
  }
}

static void the_round_cone_is_the_same_in_all_directions(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    for (int i = 0; i < 24; i++) {
      const double angle = 0.26 * i;
      lb_contact_world w = point_mass(1, 0.7, 2 * cos(angle), 2 * sin(angle), -1);
      const solution s = solved(&w, k);
      assert_within(s.u[3], 1.3 * cos(angle), 1e-10);
      assert_within(s.u[4], 1.3 * sin(angle), 1e-10);
      lb_contact_world_free(&w);
    }
  }
}

static void a_pyramid_is_stronger_along_its_diagonal(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    lb_contact_world w = lb_contact_world_make(BODIES, ROWS);
    const double u[6] = {0, 0, 0, 2, 2, -1};
    lb_add_body(&w, 1, 1, u);
    const int n = lb_add_row(&w, LB_CONTACT_UNILATERAL, 0, -1, UP, CENTRE, CENTRE);
    const double* axes[2] = {X, Y};
    for (int i = 0; i < 2; i++) {
      const int t = lb_add_row(&w, LB_CONTACT_SET_1, 0, -1, axes[i], CENTRE, CENTRE);
      w.row[t].normal = n;
      w.row[t].mu = 0.5;
    }
    lb_end_block(&w);
    const solution s = solved(&w, k);
    assert_within(s.u[3], 1.5, 1e-10);
    assert_within(s.u[4], 1.5, 1e-10);
    lb_contact_world_free(&w);
  }
}

// A ball of radius r that spins about `axis` on the ground, with a set of `size` turning rows.
static lb_contact_world turning(int size, double mu, const double* spin) {
  lb_contact_world w = lb_contact_world_make(BODIES, ROWS);
  const double u[6] = {spin[0], spin[1], spin[2], 0, 0, -1};
  const double* axes[2] = {size == 2 ? X : UP, Y};
  lb_add_body(&w, 2, 0.5, u); // inertia 0.5, 0.65, 0.4
  const int n = lb_add_contact(&w, 0, -1, UP, CENTRE, CENTRE, 0.5);
  w.problem.nblock--; // the turning rows are of the same block
  for (int i = 0; i < size; i++) {
    const int t = lb_add_row(&w,
                             i           ? LB_CONTACT_SECOND
                             : size == 2 ? LB_CONTACT_SET_2
                                         : LB_CONTACT_SET_1,
                             0, -1, axes[i], NULL, NULL);
    w.row[t].normal = n;
    w.row[t].mu = mu;
  }
  lb_end_block(&w);
  return w;
}

static void rolling_and_spinning_friction_slow_turning_by_their_radius(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    // about x: the torque impulse is mu lambda_n = 0.1 * 2, inertia 0.5
    lb_contact_world w = turning(2, 0.1, (const double[]){3, 0, 0});
    solution s = solved(&w, k);
    assert_within(s.lambda[0], 2, 1e-10);
    assert_within(s.u[0], 3 - 0.2 / 0.5, 1e-10);
    lb_contact_world_free(&w);
    // slow turning stops
    w = turning(2, 0.1, (const double[]){0.1, -0.1, 5});
    s = solved(&w, k);
    assert_within(s.u[0], 0, 1e-10);
    assert_within(s.u[1], 0, 1e-10);
    assert_within(s.u[2], 5, 1e-10);
    lb_contact_world_free(&w);
    // spinning about the normal, inertia 0.4
    w = turning(1, 0.1, (const double[]){1, 0, -5});
    s = solved(&w, k);
    assert_within(s.u[2], -5 + 0.2 / 0.4, 1e-10);
    assert_within(s.u[0], 1, 1e-10);
    lb_contact_world_free(&w);
  }
}

static void sets_of_a_constant_radius_are_motors_that_give_so_much(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    for (int i = 0; i < 2; i++) {
      // a row that wants the body to turn at 4 rad/s: w = u_x - 4
      const double limit = i ? 10 : 0.5;
      lb_contact_world w = lb_contact_world_make(BODIES, ROWS);
      lb_add_body(&w, 2, 0.5, (const double[]){1, 0, 0, 0, 0, 0});
      const int t = lb_add_row(&w, LB_CONTACT_SET_1, 0, -1, X, NULL, NULL);
      w.row[t].mu = limit;
      w.row[t].b = -4;
      lb_end_block(&w);
      const solution s = solved(&w, k);
      assert_within(s.u[0], i ? 4 : 1 + 0.5 / 0.5, 1e-10);
      assert_within(s.lambda[0], i ? 1.5 : 0.5, 1e-10);
      lb_contact_world_free(&w);
    }
  }
}

static void compliance_shares_the_load(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    lb_contact_world w = point_mass(2, 0, 0, 0, -1);
    w.row[0].c = 0.25; // w = lambda / 2 + lambda / 4 - 1
    const solution s = solved(&w, k);
    assert_within(s.lambda[0], 1 / 0.75, 1e-10);
    assert_within(s.u[5], -1 + 0.5 / 0.75, 1e-10);
    lb_contact_world_free(&w);
  }
}

// Box of half sizes a, a, h on its four lower corners, each so many times.
static lb_contact_world box(double mass, double mu, const double* u, int copies) {
  lb_contact_world w = lb_contact_world_make(BODIES, ROWS);
  lb_add_body(&w, mass, 0.4, u);
  for (int i = 0; i < 4 * copies; i++) {
    const double r[3] = {i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, -0.5};
    lb_add_contact(&w, 0, -1, UP, r, CENTRE, mu);
  }
  return w;
}

static void a_box_on_four_corners_stops_with_redundant_contacts(void** state) {
  (void)state;
  const double mus[] = {0.1, 0.5, 1, 10};
  for (int k = 0; k < NSOLVER; k++) {
    for (int i = 0; i < 4; i++) {
      lb_contact_world w = box(2, mus[i], (const double[]){0, 0, 0, 0.05, 0, -1}, 1);
      const solution s = solved(&w, k);
      double sum = 0;
      for (int r = 0; r < 12; r += 3) {
        sum += s.lambda[r];
      }
      assert_within(sum, 2, 1e-9);
      for (int j = 0; j < 6; j++) {
        assert_within(s.u[j], 0, 1e-9);
      }
      lb_contact_world_free(&w);
    }
  }
}

// A hundred contacts where four are enough, 300 equations for six velocities: sticking, and sliding
// along two ways. (One that turns while it slides has friction by how the corners share the weight,
// which nothing says.)
static void a_hundred_redundant_contacts_change_no_velocity(void** state) {
  (void)state;
  const double u[][6] = {{0, 0, 0, 0.05, 0, -1},
                         {0.1, -0.2, 0, 0.05, 0.02, -1},
                         {0, 0, 0, 3, 0, -1},
                         {0, 0, 0, 3, 1, -1}};
  for (int k = 0; k < NSOLVER; k++) {
    for (int i = 0; i < 4; i++) {
      lb_contact_world once = box(2, 0.5, u[i], 1), often = box(2, 0.5, u[i], COPIES);
      const solution a = solved(&once, k), b = solved(&often, k);
      double most = 0;
      for (int j = 0; j < 6; j++) {
        most = fmax(most, fabs(a.u[j] - b.u[j]));
      }
      print_message("velocities change by %.2g\n", most);
      assert_below(most, 1e-10);
      lb_contact_world_free(&once);
      lb_contact_world_free(&often);
    }
  }
}

// --- [auto] 3.2: the two cases in which its eq. 6 goes wrong ---

static const double H = 1e-3, G = 9.81;

// Compliances of [auto]: a = 1 / (h kp + kd) for forces, a / h for impulses.
static double compliance(double kp, double kd) {
  return 1 / (H * kp + kd) / H;
}

static lb_contact_world sliding_block(void) {
  lb_contact_world w = point_mass(1, 0.5, 2, 0, -G * H);
  w.row[0].c = compliance(1e8, 1e4);
  w.row[1].c = w.row[2].c = compliance(0, 1e4);
  return w;
}

static void a_sliding_block_weighs_what_it_weighs(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    lb_contact_world w = sliding_block();
    const solution s = solved(&w, k);
    const double a = compliance(1e8, 1e4);
    assert_within(s.lambda[0] / H, G / (1 + a), 1e-9); // N, of a block of 1 kg
    assert_within(s.u[3], 2 - 0.5 * s.lambda[0], 1e-12);
    lb_contact_world_free(&w);
  }
}

static void the_printed_program_throws_the_block_up(void** state) {
  (void)state;
  lb_contact_world w = sliding_block();
  solution s;
  assert_int_equal(lb_contact_printed(&w.problem, &arena, s.lambda, s.u), LB_OK);
  // least (A_n l - g h)^2 + (v - A_t mu l)^2 over l, in closed form
  const double An = 1 + compliance(1e8, 1e4), At = 1 + compliance(0, 1e4), mu = 0.5;
  const double expected = (An * G * H + At * mu * 2) / (An * An + At * At * mu * mu);
  assert_within(s.lambda[0], expected, 1e-9);
  assert_within(s.lambda[0] / H, 840, 0.5);
  assert_within(s.lambda[1], -mu * s.lambda[0], 1e-9);
  assert_above(s.u[5], 0.8); // m/s upwards: 37 mm high
  lb_contact_world_free(&w);
}

// A rod of 1 m and 1 kg, 0.3 rad off the vertical, pinned at its top, whose foot lifts off.
static lb_contact_world swinging_rod(double omega, double mu, double kp) {
  lb_contact_world w = lb_contact_world_make(BODIES, ROWS);
  const double half = 0.5, c = cos(0.3), s = sin(0.3);
  const double top[3] = {-half * s, 0, half * c}, foot[3] = {half * s, 0, -half * c};
  // turns about y, with the pin at rest: v = -omega x top
  const double u[6] = {0, omega, 0, -omega * top[2], 0, omega * top[0]};
  lb_add_body(&w, 1, 1, u);
  w.body[0].inertia[0] = w.body[0].inertia[1] = w.body[0].inertia[2] = 1.0 / 12;
  const double* axes[2] = {X, UP};
  for (int i = 0; i < 2; i++) {
    const int r = lb_add_row(&w, LB_CONTACT_EQUALITY, 0, -1, axes[i], top, CENTRE);
    w.row[r].c = compliance(kp, 1e4);
  }
  lb_end_block(&w);
  const int n = lb_add_row(&w, LB_CONTACT_UNILATERAL, 0, -1, UP, foot, CENTRE);
  const int t = lb_add_row(&w, LB_CONTACT_SET_1, 0, -1, X, foot, CENTRE);
  w.row[n].c = compliance(kp, 1e4);
  w.row[t].c = compliance(kp, 1e4);
  w.row[t].normal = n;
  w.row[t].mu = mu;
  lb_end_block(&w);
  return w;
}

static void a_rod_that_lifts_off_keeps_its_pin(void** state) {
  (void)state;
  for (int k = 0; k < NSOLVER; k++) {
    lb_contact_world w = swinging_rod(-2, 0.5, 1e8);
    const solution s = solved(&w, k);
    const double foot = lb_contact_row_velocity(&w.problem, 2, s.u);
    assert_within(foot, 2 * sin(0.3), 1e-9); // 0.59 m/s, as before
    assert_within(s.lambda[2], 0, 0);
    for (int i = 0; i < 2; i++) {
      assert_within(lb_contact_row_velocity(&w.problem, i, s.u), 0, 1e-9);
    }
    lb_contact_world_free(&w);
  }
}

// Across the rod a unit impulse at the pin moves the pin by 4 and the foot by -2, so the least
// squares (4 l)^2 + (v - 2 l)^2 with v = 2 m/s have l = v / 10: the pin moves at 0.8 m/s.
static void the_printed_program_opens_the_pin(void** state) {
  (void)state;
  const double kp[] = {1e8, 1e20}, tolerance[] = {0.01, 1e-9};
  for (int i = 0; i < 2; i++) {
    lb_contact_world w = swinging_rod(-2, 0, kp[i]);
    solution s;
    assert_int_equal(lb_contact_printed(&w.problem, &arena, s.lambda, s.u), LB_OK);
    assert_within(lb_contact_row_velocity(&w.problem, 0, s.u), 0.8 * cos(0.3), tolerance[i]);
    assert_within(lb_contact_row_velocity(&w.problem, 1, s.u), 0.8 * sin(0.3), tolerance[i]);
    lb_contact_world_free(&w);
  }
}

static void the_printed_program_refuses_what_it_does_not_know(void** state) {
  (void)state;
  solution s;
  lb_contact_world w = turning(1, 0.1, (const double[]){0, 0, 1});
  assert_int_equal(lb_contact_printed(&w.problem, &arena, s.lambda, s.u), LB_INVALID);
  lb_contact_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_point_sticks_slips_or_leaves, begin, end),
      cmocka_unit_test_setup_teardown(without_friction_the_tangential_velocity_stays, begin, end),
      cmocka_unit_test_setup_teardown(the_round_cone_is_the_same_in_all_directions, begin, end),
      cmocka_unit_test_setup_teardown(a_pyramid_is_stronger_along_its_diagonal, begin, end),
      cmocka_unit_test_setup_teardown(rolling_and_spinning_friction_slow_turning_by_their_radius,
                                      begin, end),
      cmocka_unit_test_setup_teardown(sets_of_a_constant_radius_are_motors_that_give_so_much, begin,
                                      end),
      cmocka_unit_test_setup_teardown(compliance_shares_the_load, begin, end),
      cmocka_unit_test_setup_teardown(a_hundred_redundant_contacts_change_no_velocity, begin, end),
      cmocka_unit_test_setup_teardown(a_box_on_four_corners_stops_with_redundant_contacts, begin,
                                      end),
      cmocka_unit_test_setup_teardown(a_sliding_block_weighs_what_it_weighs, begin, end),
      cmocka_unit_test_setup_teardown(the_printed_program_throws_the_block_up, begin, end),
      cmocka_unit_test_setup_teardown(a_rod_that_lifts_off_keeps_its_pin, begin, end),
      cmocka_unit_test_setup_teardown(the_printed_program_opens_the_pin, begin, end),
      cmocka_unit_test_setup_teardown(the_printed_program_refuses_what_it_does_not_know, begin,
                                      end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
