// geom: paths over surfaces.
#include "geom/path/wrap_chain.h"
#include "geom/path/wrap_network.h"
#include "test.h"

static const struct {
  const char* name;
  lb_wrap wrap;
  lb_vec3 p, q; // ends of a path that touches
} CASES[] = {
    {"cylinder",
     {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, -0.4, 0.2},
     {-0.6, 0.7, -0.5}},
    {"cylinder, far around",
     {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.8, 0.1, 0},
     {-0.4, -0.7, 1}},
    {"cylinder, in the band",
     {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {1, 0.51, 0},
     {-1, 0.52, 0.3}},
    {"cylinder, narrow",
     {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.2, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.3, 0.51, 0},
     {-1, 0.48, 0.3}},
    {"sphere",
     {LB_WRAP_SPHERE, {0.5, 0, 0}, 0.1, 0, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.2, 0.2},
     {-0.6, 0.1, -0.3}},
    {"sphere, in the band",
     {LB_WRAP_SPHERE, {0.5, 0, 0}, 0.1, 0, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.5, 0.1},
     {-0.9, 0.51, 0.1}},
    {"capsule, beside",
     {LB_WRAP_CAPSULE, {0.5, 1, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.2, 0.2},
     {-0.6, 0.3, -0.3}},
    {"capsule, on a cap",
     {LB_WRAP_CAPSULE, {0.5, 1, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.1, 0.8},
     {-0.9, 0.2, 0.9}},
    {"capsule, over the seam",
     {LB_WRAP_CAPSULE, {0.5, 1, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0, -0.2},
     {-0.9, 0.2, 1.2}},
    {"capsule, seam from above",
     {LB_WRAP_CAPSULE, {0.5, 1, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0, 1.2},
     {-0.9, 0.1, -0.3}},
    {"capsule, over both seams",
     {LB_WRAP_CAPSULE, {0.5, 0.2, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.5, 0.1, -0.8},
     {-0.6, 0.2, 0.8}},
    {"capsule, far over the seam",
     {LB_WRAP_CAPSULE, {0.5, 1, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.7, 0.1, -0.7},
     {-0.5, -0.25, 0.7}},
    {"capsule, held over a seam",
     {LB_WRAP_CAPSULE, {0.5, 0.5, 0}, 0.1, 1, {0, 1, 0}, NULL, {0, 0, 0}},
     {0.8, 0, -0.2},
     {-0.6, 0.3, 0.9}},
    {"capsule, held far around",
     {LB_WRAP_CAPSULE, {0.5, 0.5, 0}, 0.1, 1, {0, 1, 0}, NULL, {0, 0, 0}},
     {0.8, 0.1, -0.1},
     {-0.63, -0.4, 0.9}},
    {"ellipsoid",
     {LB_WRAP_ELLIPSOID, {0.6, 0.4, 0.5}, 0.1, 0, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.2, 0.2},
     {-0.8, 0.1, -0.3}},
    {"ellipsoid, in the band",
     {LB_WRAP_ELLIPSOID, {0.6, 0.4, 0.5}, 0.1, 0, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.38, 0.1},
     {-0.9, 0.41, 0.05}},
    {"sphere, the longer way",
     {LB_WRAP_SPHERE, {0.5, 0, 0}, 0.1, 0, {0, -1, 0}, NULL, {0, 0, 0}},
     {0.9, 0.2, 0.2},
     {-0.6, 0.1, -0.3}},
    {"ellipsoid, the longer way",
     {LB_WRAP_ELLIPSOID, {0.6, 0.4, 0.5}, 0.1, 0, {0, -1, 0}, NULL, {0, 0, 0}},
     {0.9, 0.2, 0.2},
     {-0.8, 0.1, -0.3}},
    {"torus",
     {LB_WRAP_TORUS, {0.6, 0.2, 0}, 0.1, 0, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.9, 0.1, 0.8},
     {1.1, -0.2, -0.7}},
    {"torus, in the band",
     {LB_WRAP_TORUS, {0.6, 0.2, 0}, 0.1, 0, {0, 0, 0}, NULL, {0, 0, 0}},
     {0.39, 0.02, 0.8},
     {0.405, 0.01, -0.7}},
};
enum { NCASE = sizeof CASES / sizeof *CASES };

static lb_path_end end_at(lb_vec3 x, lb_vec3 xd, lb_vec3 xdd, double t) {
  return (lb_path_end){
      lb_vec3_add(x, lb_vec3_add(lb_vec3_scale(t, xd), lb_vec3_scale(0.5 * t * t, xdd))),
      lb_vec3_add(xd, lb_vec3_scale(t, xdd)), xdd};
}

static const lb_path_piece* piece_at(const lb_wrap_path* path, double sigma) {
  int i = 0;
  while (i < path->count - 1 && sigma > lb_taylor_value(&path->piece[i].end)) {
    i++;
  }
  return &path->piece[i];
}

static lb_vec3 point_at(const lb_wrap_path* path, double sigma) {
  const lb_taylor s = lb_taylor_constant(sigma);
  const lb_taylor3 x = lb_wrap_point(0, piece_at(path, sigma), &s);
  return lb_taylor3_lane(&x, 0, 0);
}

static void find(int N, const lb_wrap* w, lb_wrap_path* out, lb_vec3 p, lb_vec3 q) {
  const lb_path_end P = {.x = p}, Q = {.x = q};
  lb_wrap_find(N, w, out, &P, &Q);
}

static void a_path_goes_from_p_to_q_at_unit_speed(void** state) {
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    lb_wrap_path path;
    find(0, &CASES[i].wrap, &path, CASES[i].p, CASES[i].q);
    const double L = lb_taylor_value(lb_wrap_length(&path));
    if (path.count < 3) {
      fail_msg("%s does not touch", CASES[i].name);
    }
    assert_near(lb_vec3_norm(lb_vec3_sub(point_at(&path, 0), CASES[i].p)), 0, 1e-14);
    assert_near(lb_vec3_norm(lb_vec3_sub(point_at(&path, L), CASES[i].q)), 0, 1e-14);
    const double h = L / 5000;
    double sum = 0;
    lb_vec3 last = point_at(&path, 0);
    for (int n = 1; n <= 5000; n++) {
      const lb_vec3 x = point_at(&path, n * h);
      const double way = lb_vec3_norm(lb_vec3_sub(x, last));
      if (fabs(way / h - 1) > 1e-6) {
        fail_msg("%s: speed %.12g at %d", CASES[i].name, way / h, n);
      }
      sum += way;
      last = x;
    }
    assert_near(sum, L, 1e-6 * L);
    for (int k = 0; k + 1 < path.count; k++) { // pieces meet, and in one direction
      const lb_taylor s =
          lb_taylor_variable(LB_TAYLOR_SIGMA, lb_taylor_value(&path.piece[k].end), 0, 0);
      const lb_taylor3 a = lb_wrap_point(0, &path.piece[k], &s),
                       b = lb_wrap_point(0, &path.piece[k + 1], &s);
      for (int lane = 0; lane < 2; lane++) {
        const lb_vec3 d = lb_vec3_sub(lb_taylor3_lane(&a, 0, lane), lb_taylor3_lane(&b, 0, lane));
        if (lb_vec3_norm(d) > 1e-12) {
          fail_msg("%s: pieces %d differ by %g", CASES[i].name, k, lb_vec3_norm(d));
        }
      }
    }
  }
}

static double length_at(const lb_wrap* w, lb_vec3 p, lb_vec3 q) {
  lb_wrap_path path;
  find(0, w, &path, p, q);
  return lb_taylor_value(lb_wrap_length(&path));
}

// Fourth-order differences of f(x + n h).
static double differ(const double f[5], double h) {
  return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h);
}

static void points_that_coincide_have_no_length_and_no_direction(void** state) {
  (void)state;
  for (int i = -1; i < NCASE; i++) {
    const lb_vec3 p = i < 0 ? lb_vec3_make(0.3, -0.2, 1) : CASES[i].p;
    const lb_path_end P = {p, {1, 2, 3}, {3, -1, 2}}, Q = {p, {-1, 0, 2}, {0, 1, 1}};
    lb_wrap_path path;
    lb_wrap_find(2, i < 0 ? NULL : &CASES[i].wrap, &path, &P, &Q);
    const lb_taylor sigma = lb_taylor_constant(0);
    const lb_taylor3 x = lb_wrap_point(2, &path.piece[0], &sigma);
    assert_int_equal(path.count, 1);
    for (int n = 0; n <= 2; n++) {
      for (int lane = 0; lane < 7; lane++) {
        assert_near(lb_taylor_lane(lb_wrap_length(&path), n, lane), 0, 0);
        assert_near(lb_vec3_norm(lb_taylor3_lane(&path.piece[0].along, n, lane)), 0, 0);
      }
    }
    assert_near(lb_vec3_norm(lb_vec3_sub(lb_taylor3_lane(&x, 0, 0), p)), 0, 0);
    assert_near(lb_vec3_norm(lb_vec3_sub(lb_taylor3_lane(&x, 1, 0), P.xd)), 0, 0);
  }
}

static void lengths_have_their_derivatives(void** state) {
  (void)state;
  const double h = 2e-4;
  for (int i = 0; i < NCASE; i++) {
    lb_wrap_path path;
    find(1, &CASES[i].wrap, &path, CASES[i].p, CASES[i].q);
    for (int k = 0; k < 6; k++) {
      double f[5];
      for (int n = 0; n < 5; n++) {
        lb_vec3 y[2] = {CASES[i].p, CASES[i].q};
        (&y[k / 3].x)[k % 3] += (n - 2) * h;
        f[n] = length_at(&CASES[i].wrap, y[0], y[1]);
      }
      const double d = differ(f, h),
                   got = lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_P + k);
      if (fabs(d - got) > 1e-8) {
        fail_msg("%s: length by %d is %.12g, not %.12g", CASES[i].name, k, got, d);
      }
    }
  }
}

// Along a motion of the ends: points at a fixed part of the length, their Jacobians and all rates.
static lb_taylor3 moving_point(int N, const lb_wrap* w, const lb_path_end* p, const lb_path_end* q,
                               double part) {
  lb_wrap_path path;
  lb_wrap_find(N, w, &path, p, q);
  const lb_taylor sigma = lb_taylor_scale(N, part, *lb_wrap_length(&path));
  return lb_wrap_point(N, piece_at(&path, lb_taylor_value(&sigma)), &sigma);
}

static void points_have_their_derivatives(void** state) {
  (void)state;
  const lb_vec3 pd = {0.3, -0.2, 0.5}, qd = {-0.4, 0.1, 0.3}, pdd = {1, 2, -1}, qdd = {-2, 0.5, 1};
  const double h = 2e-4;
  for (int i = 0; i < NCASE; i++) {
    const lb_wrap* w = &CASES[i].wrap;
    for (double part = 0.1; part < 1; part += 0.2) {
      const lb_path_end p = end_at(CASES[i].p, pd, pdd, 0), q = end_at(CASES[i].q, qd, qdd, 0);
      const lb_taylor3 x = moving_point(2, w, &p, &q, part);
      lb_taylor3 at[5];
      for (int n = 0; n < 5; n++) {
        const lb_path_end a = end_at(CASES[i].p, pd, pdd, (n - 2) * h),
                          b = end_at(CASES[i].q, qd, qdd, (n - 2) * h);
        at[n] = moving_point(1, w, &a, &b, part);
      }
      for (int c = 0; c < 3; c++) {
        for (int lane = 0; lane < LB_TAYLOR_LANES; lane++) {
          double f[5], fd[5];
          for (int n = 0; n < 5; n++) {
            f[n] = lb_taylor_lane(&(&at[n].x)[c], 0, lane);
            fd[n] = lb_taylor_lane(&(&at[n].x)[c], 1, lane);
          }
          const lb_taylor* got = &(&x.x)[c];
          if (lane == LB_TAYLOR_SIGMA) {
            continue;
          }
          if (fabs(differ(f, h) - lb_taylor_lane(got, 1, lane)) >
              1e-8 * (1 + fabs(lb_taylor_lane(got, 1, lane)))) {
            fail_msg("%s at %.1f: rate of lane %d is %.12g, not %.12g", CASES[i].name, part, lane,
                     lb_taylor_lane(got, 1, lane), differ(f, h));
          }
          if (fabs(differ(fd, h) - 2 * lb_taylor_lane(got, 2, lane)) >
              1e-7 * (1 + fabs(lb_taylor_lane(got, 2, lane)))) {
            fail_msg("%s at %.1f: second rate of lane %d is %.12g, not %.12g", CASES[i].name, part,
                     lane, 2 * lb_taylor_lane(got, 2, lane), differ(fd, h));
          }
        }
        for (int k = 0; k < 6; k++) {
          double f[5];
          for (int n = 0; n < 5; n++) {
            lb_path_end y[2] = {p, q};
            (&y[k / 3].x.x)[k % 3] += (n - 2) * h;
            const lb_taylor3 there = moving_point(0, w, &y[0], &y[1], part);
            f[n] = lb_taylor_lane(&(&there.x)[c], 0, 0);
          }
          const double J = lb_taylor_lane(&(&x.x)[c], 0, LB_TAYLOR_P + k);
          if (fabs(differ(f, h) - J) > 1e-8 * (1 + fabs(J))) {
            fail_msg("%s at %.1f: J of %d is %.12g, not %.12g", CASES[i].name, part, k, J,
                     differ(f, h));
          }
        }
      }
    }
  }
}

// How far a point is outside of a surface, in radii of an ellipsoid.
static double depth_of(const lb_wrap* w, lb_vec3 x) {
  const double r = w->size.x, round = hypot(x.x, x.y);
  const double z = x.z - fmax(-w->size.y / 2, fmin(w->size.y / 2, x.z));
  const double e = sqrt(x.x * x.x / (r * r) + x.y * x.y / (w->size.y * w->size.y) +
                        x.z * x.z / (w->size.z * w->size.z));
  return w->kind == LB_WRAP_CYLINDER    ? round - r
         : w->kind == LB_WRAP_SPHERE    ? lb_vec3_norm(x) - r
         : w->kind == LB_WRAP_CAPSULE   ? hypot(round, z) - r
         : w->kind == LB_WRAP_ELLIPSOID ? e - 1
                                        : 0;
}

static double deepest(const lb_wrap* w, lb_vec3 p, lb_vec3 q) {
  lb_wrap_path path;
  find(0, w, &path, p, q);
  const double L = lb_taylor_value(lb_wrap_length(&path));
  double least = INFINITY;
  for (int n = 0; n <= 200; n++) {
    least = fmin(least, depth_of(w, point_at(&path, L * n / 200)));
  }
  return least;
}

static void a_path_never_enters_its_surface(void** state) {
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    const double least = deepest(&CASES[i].wrap, CASES[i].p, CASES[i].q);
    if (least < -1e-12) {
      fail_msg("%s: %g inside", CASES[i].name, -least);
    }
  }
}

// An end beyond the end of a capsule, beside its axis by less and then by more than the radius: the
// path stays outside, and neither its length nor its gradient jumps.
static void capsules_are_passed_at_their_ends(void** state) {
  (void)state;
  static const double STEP = 1e-3;
  lb_random r = {7};
  int over = 0, both = 0;
  for (int i = 0; i < 300; i++) {
    const lb_wrap w = {.kind = LB_WRAP_CAPSULE,
                       .size = {0.5, 0.8, 0},
                       .band = i % 2 ? 0.15 : 0,
                       .sense = i % 4 < 2 ? 1 : -1};
    const double turn = w.sense * lb_random_between(&r, 0.3, 3), up = i % 8 < 4 ? 1 : -1;
    const lb_vec3 q = {2, 0, up * lb_random_between(&r, -2, 0.3)};
    const double z = up * lb_random_between(&r, 0.91, 1.5), from = lb_random_between(&r, 0.1, 0.4);
    double last = 0, rate = 0;
    for (int n = 0; n < 600; n++) {
      const double rho = from + n * STEP;
      const lb_vec3 p = {rho * cos(turn), rho * -sin(turn), z};
      lb_wrap_path path;
      find(0, &w, &path, p, q);
      const double L = lb_taylor_value(lb_wrap_length(&path));
      const double slope = (p.x * lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_P) +
                            p.y * lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_P + 1)) /
                           rho;
      const bool lifts = w.band == 0 && n > 0 && (path.count == 1) != (over == 0);
      if (n > 0 && !lifts && !(fabs(L - last - 0.5 * STEP * (slope + rate)) < 1e-6)) {
        fail_msg("%d: length jumps by %g at %g", i, L - last - 0.5 * STEP * (slope + rate), rho);
      }
      if (n % 20 == 0 && !(deepest(&w, p, q) > -1e-12)) {
        fail_msg("%d: %g inside at %g", i, -deepest(&w, p, q), rho);
      }
      both += path.count == 4;
      over = path.count > 1;
      last = L;
      rate = slope;
    }
  }
  assert_above(both, 1000);
  // beyond an end, by more than half a turn: nothing is in the way
  const lb_wrap w = {.kind = LB_WRAP_CAPSULE, .size = {0.5, 0.8, 0}, .sense = 1};
  lb_wrap_path path;
  find(0, &w, &path, (lb_vec3){1, 0, -2}, (lb_vec3){-0.7, -0.7, -2});
  assert_int_equal(path.count, 1);
}

// The capsule's path over the seam is the shortest of all that go over a point of the seam.
static void a_path_over_the_seam_is_the_shortest(void** state) {
  (void)state;
  lb_wrap w = {LB_WRAP_CAPSULE, {0.5, 1, 0}, 0, 1, {0, 0, 0}, NULL, {0, 0, 0}};
  const lb_vec3 p = {0.9, 0, -0.2}, q = {-0.9, 0.2, 1.2};
  lb_wrap_path path;
  find(0, &w, &path, p, q);
  assert_int_equal(path.count, 4);
  const double L = lb_taylor_value(lb_wrap_length(&path));
  double least = INFINITY;
  for (int n = 1; n < 20000; n++) {
    const double phi = M_PI * n / 20000, r = 0.5;
    const double a = sqrt(0.81 - r * r), lambda = a + r * (phi - acos(r / 0.9));
    const lb_vec3 Q = {-0.9, 0.2, 0.7};
    const double rho = lb_vec3_norm(Q), delta = acos((cos(phi) * Q.x + sin(phi) * Q.y) / rho);
    const double arc = r * (delta - acos(r / rho)) + sqrt(rho * rho - r * r);
    least = fmin(least, hypot(lambda, 0.7) + arc);
  }
  assert_near(L, least, 1e-8);
}

// The plane of a path that is held turns about its line as fast as the sine of line and side says,
// and its gradient grows no faster; along the side it has no bound.
static void held_paths_turn_by_the_inverse_of_their_sine(void** state) {
  (void)state;
  static const double MOST = 1; // surfaces of 0.5 m, ends 1.2 m away
  lb_random r = {3};
  double most = 0, worst = 0;
  for (int i = 0; i < 4000; i++) {
    const bool ball = i % 2;
    const lb_wrap w = {.kind = ball ? LB_WRAP_SPHERE : LB_WRAP_ELLIPSOID,
                       .size = {0.5, ball ? 0.5 : 0.4, 0.6},
                       .side = {1, 0, 0}};
    const double turn = pow(10, lb_random_between(&r, -6, 0)), at = lb_random_between(&r, 0, 6.3);
    const lb_vec3 way = {1.2 * cos(turn), 1.2 * sin(turn) * cos(at), 1.2 * sin(turn) * sin(at)};
    const lb_vec3 beside = {0, lb_random_between(&r, -0.2, 0.2), lb_random_between(&r, -0.2, 0.2)};
    const lb_vec3 p = lb_vec3_sub(beside, way), q = lb_vec3_add(beside, way);
    const double sine = lb_wrap_side_sine(&w, p, q);
    lb_wrap_path path;
    find(0, &w, &path, p, q);
    double square = 0;
    for (int k = 0; k < 3; k++) {
      const double by = lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_Q + k);
      square += by * by;
    }
    if (ball) {
      assert_near(sine, sin(turn), 1e-14);
    }
    most = fmax(most, sqrt(square));
    worst = fmax(worst, sqrt(square) * sine);
  }
  print_message("gradients up to %.3g, times the sine up to %.3g\n", most, worst);
  assert_above(most, 1e3);
  assert_below(worst, MOST);
  // beside the surface, and where nothing is held
  lb_wrap w = {.kind = LB_WRAP_SPHERE, .size = {0.5, 0, 0}, .side = {1, 0, 0}};
  const lb_vec3 p = {-1, 0.6, 0}, q = {1, 0.6, 0};
  assert_near(lb_wrap_side_sine(&w, p, q), 1, 0);
  w.size.x = 0.7;
  assert_near(lb_wrap_side_sine(&w, p, q), 0, 0);
  w.side.x = 0;
  assert_near(lb_wrap_side_sine(&w, p, q), 1, 0);
}

// Ends in a plane of symmetry, whose line passes the centre, or meets it: the path stays there,
// also over an ellipsoid that is thinnest across it. By the longer way and at the centre only where
// the plane is kept.
static void paths_stay_in_a_plane_of_symmetry(void** state) {
  (void)state;
  static const double H = 1e-3;
  const lb_vec3 size[] = {{0.5, 0.5, 0.5}, {0.6, 0.4, 0.3}, {0.3, 0.7, 0.2}};
  for (int i = 0; i < 6; i++) {
    const bool kept = i >= 3;
    const lb_wrap w = {.kind = i % 3 == 0 ? LB_WRAP_SPHERE : LB_WRAP_ELLIPSOID,
                       .size = size[i % 3],
                       .axis = {0, 0, kept}};
    double last = 0, rate = 0;
    for (int n = kept ? -600 : 5; n <= 400; n++) { // heights of the insertion
      const lb_vec3 p = {-1, 0, 0}, q = {0.9, -n * H, 0};
      lb_wrap_path path;
      find(0, &w, &path, p, q);
      const double L = lb_taylor_value(lb_wrap_length(&path));
      assert_int_equal(path.count, 3);
      const lb_vec3 x = point_at(&path, 0.5 * L);
      assert_near(x.z, 0, 1e-15);
      assert_below(x.y, -0.15);
      const double slope = -lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_Q + 1);
      if (last > 0) {
        assert_near(L - last, 0.5 * H * (slope + rate), 1e-6 * H);
      }
      last = L;
      rate = slope;
    }
  }
}

// Length and its gradient by the insertion, at a height of it.
typedef struct slope {
  int count; // of pieces
  double length, by[3];
} slope;

static slope slope_at(const lb_wrap* w, lb_vec3 p, lb_vec3 q, double z, bool back) {
  lb_wrap_path path;
  slope s;
  q.z = z;
  find(0, w, &path, back ? q : p, back ? p : q);
  s.count = path.count;
  s.length = lb_taylor_value(lb_wrap_length(&path));
  for (int i = 0; i < 3; i++) {
    s.by[i] = lb_taylor_lane(lb_wrap_length(&path), 0, (back ? LB_TAYLOR_P : LB_TAYLOR_Q) + i);
  }
  return s;
}

// Heights about z, `step` apart: neither the length nor its gradient jumps.
static void assert_no_jump(const lb_wrap* w, lb_vec3 p, lb_vec3 q, double z, double step,
                           bool back) {
  enum { MANY = 400 };
  slope last = slope_at(w, p, q, z - MANY / 2 * step, back);
  for (int k = 1; k <= MANY; k++) {
    const slope s = slope_at(w, p, q, z + (k - MANY / 2) * step, back);
    for (int i = 0; i < 4; i++) {
      const double jump = i < 3 ? s.by[i] - last.by[i] : s.length - last.length;
      if (!(fabs(jump) < 20 * step + 1e-11)) {
        fail_msg("%g in number %d at %.15g, from %d to %d pieces", jump, i, z, last.count, s.count);
      }
    }
    last = s;
  }
}

// Where a path comes to the seam of a capsule, and leaves it, arcs vanish in rounding.
static void paths_come_to_the_seam_without_a_jump(void** state) {
  (void)state;
  static const lb_vec3 from[] = {{0.9, -0.2, -0.1}, {0.7, -0.1, 0.1}, {0.65, -0.2, 0.5}},
                       to[] = {{-0.8, 0.3, 0}, {-0.6, 0.5, 0}, {0.2, 0.9, 0}};
  int met = 0;
  for (int i = 0; i < 3 * 3 * 2 * 2; i++) {
    const bool back = i >= 18;
    const lb_wrap w = {LB_WRAP_CAPSULE, {0.5, 0.6, 0}, i / 9 % 2 ? 0.15 : 0,
                       back ? -1 : 1,   {0, 0, 0},     NULL,
                       {0, 0, 0}};
    const lb_vec3 p = from[i % 3], q = to[i / 3 % 3];
    for (double z = -3; z < 3; z += 0.01) {
      double a = z, b = z + 0.01;
      const int count = slope_at(&w, p, q, a, back).count;
      if (count == slope_at(&w, p, q, b, back).count) {
        continue;
      }
      for (int k = 0; k < 60; k++) {
        const double c = 0.5 * (a + b);
        *(slope_at(&w, p, q, c, back).count == count ? &a : &b) = c;
      }
      met++;
      assert_no_jump(&w, p, q, a, 1e-9, back);
      assert_no_jump(&w, p, q, a, 1e-13, back);
    }
  }
  assert_above(met, 40);
}

// OpenSim's closed-form checks.
static void lengths_are_those_of_closed_forms(void** state) {
  (void)state;
  const double r = 0.5;
  const lb_wrap round[] = {{LB_WRAP_CYLINDER, {r, 0, 0}, 0, 1, {0, 0, 0}, NULL, {0, 0, 0}},
                           {LB_WRAP_SPHERE, {r, 0, 0}, 0, 0, {0, 0, 0}, NULL, {0, 0, 0}}};
  for (int k = 0; k < 2; k++) {
    for (double q = 0.01; q < M_PI / 2; q += 0.1) {
      const lb_vec3 to = {-r * cos(q) - r * sin(q), -r * sin(q) + r * cos(q), 0};
      const double L = length_at(&round[k], lb_vec3_make(r - 0.1, r, 0), to);
      assert_near(L, 2 * r - 0.1 + r * q, 1e-12);
      const lb_vec3 next = {-r * cos(q + 1e-5) - r * sin(q + 1e-5),
                            -r * sin(q + 1e-5) + r * cos(q + 1e-5), 0};
      assert_near((length_at(&round[k], lb_vec3_make(r - 0.1, r, 0), next) - L) / 1e-5, r, 1e-9);
    }
  }
  const double a = 0.3, h = (a - r) * (a - r) / ((a + r) * (a + r));
  const double quarter = M_PI / 4 * (a + r) * (1 + 3 * h / (10 + sqrt(4 - 3 * h)));
  const lb_wrap oval = {LB_WRAP_ELLIPSOID, {a, r, 1}, 0, 0, {-1, 0, 0}, NULL, {0, 0, 0}};
  // tangents from (r - 0.1, r) to the top and from the left down to (-a, -r)
  assert_near(length_at(&oval, lb_vec3_make(r - 0.1, r, 0), lb_vec3_make(-a, -r, 0)),
              2 * r - 0.1 + quarter, 1e-4);
}

static void lift_off_is_exact_outside_the_band(void** state) {
  (void)state;
  const lb_wrap smooth = {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}},
                sharp = {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0, 1, {0, 0, 0}, NULL, {0, 0, 0}};
  for (double y = -0.4; y < 0.7; y += 0.01) {
    const lb_vec3 p = {1, y, 0.1}, q = {-1.2, y, 0};
    const double a = length_at(&smooth, p, q), b = length_at(&sharp, p, q);
    const bool outside = fabs(y - 0.5) > 0.05;
    if (outside) {
      assert_near(a, b, 1e-14);
    } else {
      assert_true(a >= b && a < b + 2e-3);
    }
  }
}

// Costs of the band that scenes have where they do not say, 0.15 r with r = 50 mm: the path of the
// double pendulum in test_muscle_energy.c, past lift-off.
// Ends near the surface, which leave less room than the band: neither where the band begins to
// narrow nor where the other end becomes the nearer one does the gradient jump.
static void bands_narrow_without_a_jump(void** state) {
  (void)state;
  static const double H = 1e-3;
  const lb_wrap wraps[] = {{.kind = LB_WRAP_CYLINDER, .size = {0.5, 0, 0}, .band = 0.3, .sense = 1},
                           {.kind = LB_WRAP_SPHERE, .size = {0.5, 0, 0}, .band = 0.3},
                           {.kind = LB_WRAP_CAPSULE, .size = {0.5, 3, 0}, .band = 0.3, .sense = 1},
                           {.kind = LB_WRAP_ELLIPSOID, .size = {0.5, 0.5, 0.6}, .band = 0.3}};
  for (int i = 0; i < 4 * 20; i++) {
    const double turn = 1.2 + 0.05 * (i / 4), far = 0.6 + 0.01 * (i / 4);
    double last[6], rate = 0;
    for (int n = 0; n <= 400; n++) { // distances of the insertion
      const double rho = 0.52 + n * H;
      const lb_vec3 p = {far, 0, 0.1}, q = {rho * cos(turn), rho * sin(turn), -0.1};
      lb_wrap_path path;
      find(0, &wraps[i % 4], &path, p, q);
      double change = 0;
      for (int k = 0; k < 6; k++) {
        const double g = lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_P + k);
        change = n > 0 ? fmax(change, fabs(g - last[k])) : 0;
        last[k] = g;
      }
      if (n > 2 && change > 1.5 * rate + 1e-4) {
        fail_msg("surface %d, turn %g: gradient jumps by %g at %g, after %g", i % 4, turn, change,
                 rho, rate);
      }
      rate = change;
    }
  }
}

static void the_band_costs_little(void** state) {
  (void)state;
  const double r = 0.05, turn = 1e-4;
  const lb_wrap sharp = {LB_WRAP_CYLINDER, {r, 0, 0}, 0, 1, {0, 0, 0}, NULL, {0, 0, 0}},
                band = {LB_WRAP_CYLINDER, {r, 0, 0}, 0.15, 1, {0, 0, 0}, NULL, {0, 0, 0}};
  const lb_vec3 p = {-0.06, 0.38, 0};
  double length = 0, arm = 0, before = 0;
  for (double q = -0.5; q < 0.5; q += turn) {
    const lb_vec3 to = {-0.055 * cos(q) + 0.3 * sin(q), -0.055 * sin(q) - 0.3 * cos(q), 0};
    const double off = length_at(&band, p, to) - length_at(&sharp, p, to);
    length = fmax(length, off);
    arm = fmax(arm, q > -0.5 ? fabs(off - before) / turn : 0);
    before = off;
  }
  print_message("band of 0.15: length off by %.2f um, arm by %.2f mm\n", 1e6 * length, 1e3 * arm);
  assert_true(length > 3.5e-6 && length < 4e-6);
  assert_true(arm > 0.43e-3 && arm < 0.48e-3);
}

// Over the tops of two cylinders side by side, and over one and under the other.
static void two_cylinders_have_their_closed_forms(void** state) {
  (void)state;
  const double r = 0.5, rho = sqrt(5), a = sqrt(5 - r * r);
  const lb_mat3 I = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double first = atan2(1, 2) + M_PI / 2 - acos(r / rho); // arc up to the top
  for (int cross = 0; cross < 2; cross++) {
    const lb_wrap over = {LB_WRAP_CYLINDER, {r, 0, 0}, 0.1, -1, {0, 0, 0}, NULL, {0, 0, 0}},
                  under = {LB_WRAP_CYLINDER, {r, 0, 0}, 0.1, 1, {0, 0, 0}, NULL, {0, 0, 0}};
    const lb_chain_link link[] = {{&over, I, {-1, 0, 0}}, {cross ? &under : &over, I, {1, 0, 0}}};
    const lb_vec3 p = {-3, -1, 0}, q = {3, cross ? 1 : -1, 0};
    lb_vec3 m[1];
    assert_true(lb_wrap_chain(2, link, p, q, m));
    const double L =
        lb_chain_span_find(&link[0], p, m[0]).length + lb_chain_span_find(&link[1], m[0], q).length;
    // an inner tangent leaves the top by asin(r) later
    const double turn = cross ? asin(r) : 0, between = cross ? 2 * sqrt(1 - r * r) : 2;
    assert_near(L, 2 * (a + r * (first + turn)) + between, 1e-12);
  }
}

// The segment between the ends lies within the second surface, and the way over it passes the first
// one by: the path is that over the second alone. A junction within it would find no way around.
static void rows_begin_outside_of_their_surfaces(void** state) {
  (void)state;
  const lb_mat3 I = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const lb_wrap small = {LB_WRAP_CYLINDER, {0.26, 0, 0}, 0.1, -1, {0, 0, 0}, NULL, {0, 0, 0}},
                large = {LB_WRAP_CYLINDER, {0.64, 0, 0}, 0, -1, {0, 0, 0}, NULL, {0, 0, 0}};
  for (double y = -0.2; y < 0.25; y += 0.05) {
    const lb_chain_link link[] = {{&small, I, {-1, -0.3, 0}}, {&large, I, {0, 0, 0}}};
    const lb_vec3 p = {-1.3, 0, 0.1}, q = {3, y, -0.2};
    lb_vec3 m[1];
    assert_true(lb_wrap_chain(2, link, p, q, m));
    const double L =
        lb_chain_span_find(&link[0], p, m[0]).length + lb_chain_span_find(&link[1], m[0], q).length;
    assert_near(L, length_at(&large, p, q), 1e-12);
    assert_above(L, lb_vec3_norm(lb_vec3_sub(q, p)) + 0.05);
  }
}

// A network says where points of the path are; junctions are those of the surfaces alone, from the
// same first guess.
static void junctions_do_not_depend_on_networks(void** state) {
  (void)state;
  const lb_mat3 I = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_wrap_network w = {.form = LB_FORM_SCALED};
  assert_true(lb_network_make(&w.net, lb_network_form_inputs(w.form), 2, 11,
                              lb_network_form_outputs(w.form), &arena));
  lb_network_start(&w.net, 5);
  lb_wrap_network_limit(&w);
  const lb_wrap small = {LB_WRAP_CYLINDER, {0.26, 0, 0}, 0.1, -1, {0, 0, 0}, NULL, {0, 0, 0}},
                exact = {LB_WRAP_CYLINDER, {0.64, 0, 0}, 0, -1, {0, 0, 0}, NULL, {0, 0, 0}},
                large = {LB_WRAP_CYLINDER, {0.64, 0, 0}, 0, -1, {0, 0, 0}, &w, {0, 0, 0}};
  for (double y = -0.2; y < 0.25; y += 0.05) {
    const lb_vec3 p = {-1.3, 0, 0.1}, q = {3, y, -0.2};
    const lb_chain_link link[] = {{&small, I, {-1, -0.3, 0}}, {&large, I, {0, 0, 0}}},
                        plain[] = {link[0], {&exact, I, {0, 0, 0}}};
    lb_vec3 m, n;
    assert_true(lb_wrap_chain(2, link, p, q, &m));
    assert_true(lb_wrap_chain(2, plain, p, q, &n));
    assert_memory_equal(&m, &n, sizeof m);
    const double L =
        lb_chain_span_find(&link[0], p, m).length + lb_chain_span_find(&link[1], m, q).length;
    assert_near(L, length_at(&exact, p, q), 1e-12);
  }
  lb_arena_release(&arena);
}

// Paths over ellipsoids are not the shortest ones, so that their gradients are not of length one.
// Junctions are found all the same: the path is straight there, and something is left to hand on.
static void rows_with_ellipsoids_have_junctions(void** state) {
  (void)state;
  const lb_wrap oval = {LB_WRAP_ELLIPSOID, {0.5, 0.4, 0.7}, 0.1, 0, {0, 1, 0}, NULL, {0, 0, 0}},
                round = {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.1, -1, {0, 0, 0}, NULL, {0, 0, 0}};
  const lb_mat3 I = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  lb_random r = {11};
  for (int i = 0; i < 200; i++) {
    const lb_vec3 p = {-3, -lb_random_between(&r, 0, 0.5), lb_random_between(&r, -0.3, 0.3)},
                  q = {3, -lb_random_between(&r, 0, 0.5), lb_random_between(&r, -0.3, 0.3)};
    const lb_chain_link link[] = {{&oval, I, {-1, 0, 0}}, {&round, I, {1, 0, 0}}};
    lb_vec3 m[1];
    assert_true(lb_wrap_chain(2, link, p, q, m));
    lb_wrap_path a, b;
    const lb_path_end end[] = {{.x = lb_vec3_sub(p, link[0].o)},
                               {.x = lb_vec3_sub(*m, link[0].o)},
                               {.x = lb_vec3_sub(*m, link[1].o)},
                               {.x = lb_vec3_sub(q, link[1].o)}};
    lb_wrap_find(0, &oval, &a, &end[0], &end[1]);
    lb_wrap_find(0, &round, &b, &end[2], &end[3]);
    assert_int_equal(a.count, 3);
    assert_int_equal(b.count, 3);
    const lb_vec3 in = lb_taylor3_lane(&a.piece[2].along, 0, 0),
                  out = lb_taylor3_lane(&b.piece[0].along, 0, 0);
    assert_below(lb_vec3_norm(lb_vec3_sub(in, out)), 1e-12);
  }
}

// Ends moved off a surface by so much, at a speed.
static lb_wrap_path lifted(const lb_wrap* w, lb_vec3 p, lb_vec3 q, lb_vec3 way, double by) {
  static const double SPEED = 3;
  const lb_vec3 move = lb_vec3_scale(by, way), xd = lb_vec3_scale(SPEED, way);
  const lb_path_end P = {.x = lb_vec3_add(p, move), .xd = xd},
                    Q = {.x = lb_vec3_add(q, move), .xd = xd};
  lb_wrap_path path;
  lb_wrap_find(2, w, &path, &P, &Q);
  return path;
}

// Where it has lifted off.
static double find_lift(const lb_wrap* w, lb_vec3 p, lb_vec3 q, lb_vec3 way) {
  double on = 0, off = 0.1;
  assert_int_equal(lifted(w, p, q, way, on).count, 3);
  assert_int_equal(lifted(w, p, q, way, off).count, 1);
  for (int i = 0; i < 50; i++) {
    const double middle = 0.5 * (on + off);
    *(lifted(w, p, q, way, middle).count > 1 ? &on : &off) = middle;
  }
  return on;
}

// Arcs get lost in rounding there, and their accelerations are not zero yet.
static void accelerations_do_not_jump_before_lift_off(void** state) {
  (void)state;
  static const struct {
    const char* name;
    lb_vec3 way;
  } CASE[] = {{"cylinder, in the band", {0, 1, 0}},
              {"sphere, in the band", {0, 1, 0}},
              {"capsule, beside", {0, 1, 0}},
              {"ellipsoid, in the band", {0, 1, 0}},
              {"torus, in the band", {-1, 0, 0}}};
  enum { STEPS = 2000 };
  for (size_t c = 0; c < sizeof CASE / sizeof *CASE; c++) {
    int k = 0;
    while (strcmp(CASES[k].name, CASE[c].name) != 0) {
      k++;
    }
    const lb_wrap* w = &CASES[k].wrap;
    lb_vec3 p = CASES[k].p, q = CASES[k].q;
    if (w->kind == LB_WRAP_CAPSULE) {
      p.y = q.y = 0.5;
    }
    const double lift = find_lift(w, p, q, CASE[c].way), h = 6e-4 / STEPS;
    lb_vec3 last[2] = {{0, 0, 0}, {0, 0, 0}};
    double worst = 0;
    for (int i = 0; i < STEPS; i++) {
      const lb_wrap_path path = lifted(w, p, q, CASE[c].way, lift - 5e-4 + i * h);
      const lb_vec3 a = lb_taylor3_lane(&path.piece[0].along, 2, 0);
      const lb_vec3 bend = lb_vec3_add(lb_vec3_sub(a, lb_vec3_scale(2, last[0])), last[1]);
      worst = i < 2 ? 0 : fmax(worst, lb_vec3_norm(bend));
      last[1] = last[0];
      last[0] = a;
    }
    if (getenv("LIMBER_TELL")) {
      print_message("%s: %.3g\n", CASE[c].name, worst);
    }
    if (!(worst < 1e-7)) {
      fail_msg("%s: the acceleration of its direction jumps by %g", CASE[c].name, worst);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_begin_outside_of_their_surfaces),
      cmocka_unit_test(junctions_do_not_depend_on_networks),
      cmocka_unit_test(rows_with_ellipsoids_have_junctions),
      cmocka_unit_test(a_path_goes_from_p_to_q_at_unit_speed),
      cmocka_unit_test(points_that_coincide_have_no_length_and_no_direction),
      cmocka_unit_test(lengths_have_their_derivatives),
      cmocka_unit_test(points_have_their_derivatives),
      cmocka_unit_test(a_path_never_enters_its_surface),
      cmocka_unit_test(capsules_are_passed_at_their_ends),
      cmocka_unit_test(a_path_over_the_seam_is_the_shortest),
      cmocka_unit_test(held_paths_turn_by_the_inverse_of_their_sine),
      cmocka_unit_test(paths_stay_in_a_plane_of_symmetry),
      cmocka_unit_test(paths_come_to_the_seam_without_a_jump),
      cmocka_unit_test(lengths_are_those_of_closed_forms),
      cmocka_unit_test(two_cylinders_have_their_closed_forms),
      cmocka_unit_test(lift_off_is_exact_outside_the_band),
      cmocka_unit_test(bands_narrow_without_a_jump),
      cmocka_unit_test(the_band_costs_little),
      cmocka_unit_test(accelerations_do_not_jump_before_lift_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
