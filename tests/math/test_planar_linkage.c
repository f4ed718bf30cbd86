// Planar linkages against closed forms: four bars, where they jam, and how well they transmit.
#include "math/linkage/planar_linkage.h"

#include "test.h"
#include "test_arena.h"

// Four bars: crank a about [0, 0], rocker b about [d, 0], coupler c between them.
typedef struct four_bar {
  double a, b, c, d;
  bool fixed[4];
  lb_planar_side side[3];
  double at[4][2];
  lb_planar k;
} four_bar;

enum { O, P, Q, R };

static void make(four_bar* f, double a, double b, double c, double d) {
  *f = (four_bar){.a = a, .b = b, .c = c, .d = d, .fixed = {true, false, false, true}};
  const lb_planar_side side[] = {{O, P, a}, {P, Q, c}, {Q, R, b}};
  memcpy(f->side, side, sizeof side);
  f->k = (lb_planar){.npoint = 4,
                     .nside = 3,
                     .fixed = f->fixed,
                     .side = f->side,
                     .pivot = O,
                     .pin = P,
                     .radius = a};
  f->at[R][0] = d;
}

// Where the two circles about the crank's pin and the rocker's pivot meet, above or below.
static void meet(const four_bar* f, double angle, double sign, double out[2]) {
  const double px = f->a * cos(angle), py = f->a * sin(angle), dx = f->d - px, dy = -py;
  const double n = hypot(dx, dy), along = (f->c * f->c - f->b * f->b + n * n) / (2 * n);
  const double h = sign * sqrt(f->c * f->c - along * along);
  out[0] = px + along * dx / n - h * dy / n;
  out[1] = py + along * dy / n + h * dx / n;
}

// A rough drawing chooses the branch, lengths the place.
static void four_bars_close_on_the_drawn_branch(void** state) {
  (void)state;
  four_bar f;
  lb_planar_fit fit;
  double expected[2];
  for (int sign = -1; sign <= 1; sign += 2) {
    make(&f, 0.1, 0.25, 0.3, 0.28);
    f.at[Q][0] = 0.2;
    f.at[Q][1] = sign * 0.15;
    assert_int_equal(lb_planar_close(&f.k, f.at, 1, &arena, &fit), LB_OK);
    assert_true(fit.closed);
    meet(&f, 1, sign, expected);
    assert_near(f.at[Q][0], expected[0], 1e-15);
    assert_near(f.at[Q][1], expected[1], 1e-15);
  }
}

// Around and around on one branch: Grashof's crank.
static void grashof_crank_turns_all_the_way(void** state) {
  (void)state;
  four_bar f;
  lb_planar_fit fit;
  double reached, expected[2];
  make(&f, 0.1, 0.25, 0.3, 0.28);
  f.at[Q][0] = 0.2;
  f.at[Q][1] = 0.2;
  assert_int_equal(lb_planar_close(&f.k, f.at, 0, &arena, &fit), LB_OK);
  for (int i = 0; i < 50; i++) {
    const double from = -2.3 * i, to = from - 2.3;
    assert_int_equal(lb_planar_turn(&f.k, f.at, from, to, &arena, &reached), LB_OK);
    assert_near(reached, to, 0);
    meet(&f, to, 1, expected);
    assert_near(f.at[Q][0], expected[0], 1e-14);
    assert_near(f.at[Q][1], expected[1], 1e-14);
  }
}

// Without it the crank ends where coupler and rocker are in line: b + c apart.
static void others_jam_where_two_bars_are_in_line(void** state) {
  (void)state;
  four_bar f;
  lb_planar_fit fit;
  double reached, least, strain[3];
  make(&f, 0.3, 0.15, 0.2, 0.3);
  f.at[Q][0] = 0.25;
  f.at[Q][1] = 0.2;
  assert_int_equal(lb_planar_close(&f.k, f.at, 0.3, &arena, &fit), LB_OK);
  assert_true(fit.closed);
  assert_int_equal(lb_planar_turn(&f.k, f.at, 0.3, 3, &arena, &reached), LB_OK);
  // law of cosines
  const double jam = acos((0.09 + 0.09 - 0.35 * 0.35) / (2 * 0.09));
  assert_near(reached, jam, 1e-9);
  assert_int_equal(lb_planar_transmission(&f.k, f.at, &arena, &least, strain), LB_OK);
  assert_below(least, 1e-4);
  assert_near(fabs(strain[1]), fabs(strain[2]), 1e-4);
  assert_near(strain[0], 0, 1e-9);
}

// Singular values of two unit rows at an angle t apart are sqrt(1 -+ cos t).
static void transmission_is_that_of_the_angle_between_bars(void** state) {
  (void)state;
  four_bar f;
  lb_planar_fit fit;
  double least;
  make(&f, 0.1, 0.25, 0.3, 0.28);
  f.at[Q][0] = f.at[Q][1] = 0.2;
  assert_int_equal(lb_planar_close(&f.k, f.at, 2, &arena, &fit), LB_OK);
  assert_int_equal(lb_planar_transmission(&f.k, f.at, &arena, &least, NULL), LB_OK);
  const double n = hypot(0.28 - f.at[P][0], f.at[P][1]);
  const double cosine = fabs(0.3 * 0.3 + 0.25 * 0.25 - n * n) / (2 * 0.3 * 0.25);
  assert_near(least, sqrt(1 - cosine), 1e-12);
}

// Bars that are too short by so much: the least squares share it, and the worst is named.
static void what_cannot_close_says_by_how_much(void** state) {
  (void)state;
  four_bar f;
  lb_planar_fit fit;
  make(&f, 0.1, 0.1, 0.1, 1);
  f.at[Q][0] = 0.5;
  assert_int_equal(lb_planar_close(&f.k, f.at, 0, &arena, &fit), LB_OK);
  assert_false(fit.closed);
  // both bars reach from 0.1 to 1: each is 0.45 where it should be 0.1
  assert_near(fit.gap, 0.35, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_bars_close_on_the_drawn_branch),
      cmocka_unit_test(grashof_crank_turns_all_the_way),
      cmocka_unit_test(others_jam_where_two_bars_are_in_line),
      cmocka_unit_test(transmission_is_that_of_the_angle_between_bars),
      cmocka_unit_test(what_cannot_close_says_by_how_much),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
