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

// --- plates ---

enum { F = 4, G, S, H };

// Chebyshev's lambda: the foot is on the coupler's line, as far beyond its end again. Its three
// lengths are singular by themselves: 2.5 + 2.5 = 5.
static void a_flat_plate_follows_its_bar(void** state) {
  (void)state;
  const double LONG[] = {5, 5 * (1 - 1e-9), 5 * (1 + 1e-13)};
  for (int i = 0; i < 3; i++) {
    const bool fixed[] = {true, false, false, true, false};
    const lb_planar_side side[] = {
        {O, P, 1}, {P, Q, 2.5}, {P, F, LONG[i]}, {Q, F, 2.5}, {Q, R, 2.5}};
    double at[5][2] = {{0, 0}, {0, 1}, {2, 2.5}, {2, 0}, {4, 4.1}}, Q_at[2], reached, least;
    const lb_planar k = {5, 5, fixed, side, O, P, 1};
    four_bar f;
    lb_planar_fit fit;
    make(&f, 1, 2.5, 2.5, 2);
    assert_int_equal(lb_planar_close(&k, at, M_PI / 2, &arena, &fit), LB_OK);
    assert_true(fit.closed);
    for (int n = 1; n <= 8; n++) {
      const double from = M_PI / 2 + (n - 1) * M_PI / 4, to = from + M_PI / 4;
      assert_int_equal(lb_planar_turn(&k, at, from, to, &arena, &reached), LB_OK);
      assert_true(reached == to);
      meet(&f, to, 1, Q_at);
      for (int c = 0; c < 2; c++) {
        assert_near(at[Q][c], Q_at[c], 1e-14);
        assert_near(at[F][c], 2 * Q_at[c] - at[P][c], i == 1 ? 1e-3 : 1e-12);
      }
      assert_near(hypot(at[F][0] - at[P][0], at[F][1] - at[P][1]), LONG[i], 1e-12);
      assert_near(hypot(at[F][0] - at[Q][0], at[F][1] - at[Q][1]), 2.5, 1e-12);
      assert_int_equal(lb_planar_transmission(&k, at, &arena, &least, NULL), LB_OK);
      const double dx = at[R][0] - at[P][0], dy = at[R][1] - at[P][1];
      assert_near(least, sqrt(1 - fabs(1 - (dx * dx + dy * dy) / 12.5)), 1e-7);
    }
  }
}

// A rocker with a point on its line and one beside it, written from these, and a crank with one:
// what follows goes round with its bar.
static void flat_plates_may_turn_about_fixed_points(void** state) {
  (void)state;
  const bool fixed[] = {true, false, false, true, false, false, false};
  const lb_planar_side side[] = {{F, Q, 1},   {F, S, 1}, {Q, S, 1}, {F, R, 1.5}, {Q, R, 2.5},
                                 {P, Q, 2.5}, {G, P, 2}, {O, G, 3}, {O, P, 1}};
  double at[7][2] = {{0, 0}, {0, 1}, {2, 2.5}, {2, 0}, {2.1, 1.5}, {0.1, 3}, {3, 2}}, reached;
  const lb_planar k = {7, 9, fixed, side, O, P, 1};
  lb_planar_fit fit;
  assert_int_equal(lb_planar_close(&k, at, M_PI / 2, &arena, &fit), LB_OK);
  assert_true(fit.closed);
  for (int n = 1; n <= 8; n++) {
    const double from = M_PI / 2 + (n - 1) * M_PI / 4, to = from + M_PI / 4;
    assert_int_equal(lb_planar_turn(&k, at, from, to, &arena, &reached), LB_OK);
    assert_true(reached == to);
    for (int c = 0; c < 2; c++) {
      assert_near(at[F][c], 0.6 * at[Q][c] + 0.4 * at[R][c], 1e-13);
      assert_near(at[G][c], 3 * at[P][c], 1e-13);
    }
  }
}

// Six bars with three plates, the last of which is carried by a corner of the one before: every
// side keeps its length, and each corner its side, for a turn.
static void plates_on_plates_keep_their_lengths(void** state) {
  (void)state;
  const bool fixed[] = {true, false, false, true, false, false, true, false};
  double at[8][2] = {{0, 0},      {0.1, 0},   {0.35, 0.2}, {0.3, -0.05},
                     {0.3, 0.35}, {0.7, 0.5}, {0.8, 0.2},  {0.4, 0.6}};
  const int end[][2] = {{O, P}, {P, F}, {P, Q}, {Q, F}, {Q, R}, {F, H}, {G, H}, {F, G}, {G, S}};
  lb_planar_side side[9];
  double turn[2] = {0}, reached;
  for (int s = 0; s < 9; s++) {
    const double *a = at[end[s][0]], *b = at[end[s][1]];
    side[s] = (lb_planar_side){end[s][0], end[s][1], hypot(b[0] - a[0], b[1] - a[1])};
  }
  const lb_planar k = {8, 9, fixed, side, O, P, 0.1};
  for (int n = 1; n <= 12; n++) {
    const double from = (n - 1) * M_PI / 6, to = n * M_PI / 6;
    assert_int_equal(lb_planar_turn(&k, at, from, to, &arena, &reached), LB_OK);
    assert_true(reached == to);
    for (int s = 0; s < 9; s++) {
      const double *a = at[end[s][0]], *b = at[end[s][1]];
      assert_near(hypot(b[0] - a[0], b[1] - a[1]), side[s].length, 1e-14);
    }
    const int corner[2][3] = {{P, Q, F}, {F, G, H}};
    for (int c = 0; c < 2; c++) {
      const double *a = at[corner[c][0]], *b = at[corner[c][1]], *d = at[corner[c][2]];
      const double area = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
      turn[c] = n == 1 ? area : turn[c];
      assert_near(area, turn[c], 1e-14);
    }
  }
  assert_near(at[H][0], 0.4, 1e-13); // where it began
  assert_near(at[H][1], 0.6, 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_bars_close_on_the_drawn_branch),
      cmocka_unit_test(grashof_crank_turns_all_the_way),
      cmocka_unit_test(others_jam_where_two_bars_are_in_line),
      cmocka_unit_test(transmission_is_that_of_the_angle_between_bars),
      cmocka_unit_test(what_cannot_close_says_by_how_much),
      cmocka_unit_test(a_flat_plate_follows_its_bar),
      cmocka_unit_test(flat_plates_may_turn_about_fixed_points),
      cmocka_unit_test(plates_on_plates_keep_their_lengths),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
