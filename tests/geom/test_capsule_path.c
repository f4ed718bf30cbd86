// geom: paths over capsules, over one seam, both, or none; up to half a turn and beyond.
#include "geom/path/wrap_path.h"
#include "test.h"

static const double R = 0.5, HALF = 0.4;

static lb_wrap make(double band, bool held) {
  return (lb_wrap){.kind = LB_WRAP_CAPSULE,
                   .size = {R, 2 * HALF, 0},
                   .band = band,
                   .sense = 1,
                   .side = {held, 0, 0}};
}

static void find(const lb_wrap* w, lb_wrap_path* out, lb_vec3 p, lb_vec3 q) {
  lb_wrap_find(0, w, out, &(lb_path_end){.x = p}, &(lb_path_end){.x = q});
}

static lb_vec3 at(double rho, double phi, double z) {
  return lb_vec3_make(rho * cos(phi), rho * sin(phi), z);
}

// --- the shortest of all ---

// Over an endless cylinder, by an angle.
static double around(double rho_p, double rho_q, double dphi, double dz) {
  const double theta = dphi - acos(fmin(1, R / rho_p)) - acos(fmin(1, R / rho_q));
  const double across = theta > 0
                            ? sqrt(rho_p * rho_p - R * R) + R * theta + sqrt(rho_q * rho_q - R * R)
                            : sqrt(rho_p * rho_p + rho_q * rho_q - 2 * rho_p * rho_q * cos(dphi));
  return hypot(across, dz);
}

// Over the ball of a cap.
static double over_ball(lb_vec3 p, lb_vec3 q) {
  const double rho_p = lb_vec3_norm(p), rho_q = lb_vec3_norm(q);
  const double dphi = atan2(lb_vec3_norm(lb_vec3_cross(p, q)), lb_vec3_dot(p, q));
  return around(fmax(R, rho_p), fmax(R, rho_q), dphi, 0);
}

// p below the plane of the upper seam, q above: through a point of that plane.
typedef struct crossing {
  lb_vec3 p, q;
  double rho, phi; // of p; q is turned on from it
} crossing;

static double through(const crossing* c, double rho, double u) {
  const lb_vec3 x = at(rho, c->phi + u, 0), q = {c->q.x, c->q.y, c->q.z - HALF};
  return around(c->rho, rho, u, HALF - c->p.z) + over_ball(x, q);
}

typedef double (*function)(const void* context, double x);

// Least value of a function with one minimum, by golden sections.
static double least(function f, const void* context, double low, double high) {
  const double part = (sqrt(5) - 1) / 2;
  double a = low, b = high, x = b - part * (b - a), y = a + part * (b - a);
  double fx = f(context, x), fy = f(context, y);
  for (int i = 0; i < 60; i++) {
    if (fx < fy) {
      b = y;
      y = x;
      fy = fx;
      x = b - part * (b - a);
      fx = f(context, x);
    } else {
      a = x;
      x = y;
      fx = fy;
      y = a + part * (b - a);
      fy = f(context, y);
    }
  }
  return fmin(fmin(fx, fy), fmin(f(context, low), f(context, high)));
}

typedef struct ray {
  const crossing* c;
  double u;
} ray;

static double along_ray(const void* context, double rho) {
  const ray* r = context;
  return through(r->c, rho, r->u);
}

static double along_angle(const void* context, double u) {
  return least(along_ray, &(ray){context, u}, R, 3);
}

// All classes that touch the upper cap at most: straight, over the cylinder, the cap, or both.
static void up_to_half_a_turn_a_path_is_the_shortest_of_its_side(void** state) {
  (void)state;
  const lb_wrap w = make(0, false);
  lb_random r = {3};
  int met[LB_WRAP_PIECES + 1] = {0}, caps = 0;
  double worst = 0;
  for (int i = 0; i < 400; i++) {
    const double dphi = lb_random_between(&r, 1, 3.1), phi = lb_random_between(&r, 0, 6);
    const crossing c = {.rho = lb_random_between(&r, 0.51, 1),
                        .phi = phi,
                        .p = at(0, 0, lb_random_between(&r, -0.2, 0.39))};
    crossing to = c;
    to.p = at(c.rho, phi, c.p.z);
    to.q = at(lb_random_between(&r, 0.05, 1), phi + dphi, lb_random_between(&r, 0.45, 1.2));
    if (hypot(hypot(to.q.x, to.q.y), to.q.z - HALF) < 1.01 * R) {
      continue;
    }
    lb_wrap_path path;
    find(&w, &path, to.p, to.q);
    const double L = lb_taylor_value(lb_wrap_length(&path));
    // the best of a grid, and what is around it
    double best = INFINITY, u = 0;
    for (int k = 0; k <= 40; k++) {
      const double l = along_angle(&to, dphi * k / 40);
      u = l < best ? dphi * k / 40 : u;
      best = fmin(best, l);
    }
    best = least(along_angle, &to, fmax(0, u - dphi / 40), fmin(dphi, u + dphi / 40));
    worst = fmax(worst, fabs(L - best));
    met[path.count]++;
    caps += path.count == 3 && lb_taylor_value(&path.piece[1].along.z) == 0;
    if (!(fabs(L - best) < 1e-9)) {
      fail_msg("%d: %d pieces, %.12g, and %.12g is the shortest", i, path.count, L, best);
    }
  }
  print_message("%d straight, %d over the cylinder, %d over the cap, %d over both, off by %.2g\n",
                met[1], met[3] - caps, caps, met[4], worst);
  assert_true(met[1] > 10 && met[3] - caps > 10 && caps > 10 && met[4] > 40);
}

// From beyond the lower seam, too: both parts of that.
typedef struct seams {
  lb_vec3 p, q;
  double from, to; // angles of both
} seams;

static double over_seams(const seams* s, double u, double v) {
  const lb_vec3 p = {s->p.x, s->p.y, s->p.z + HALF}, q = {s->q.x, s->q.y, s->q.z - HALF};
  const double turn = s->to - s->from - u - v;
  return over_ball(at(R, s->from + u, 0), p) + hypot(R * turn, 2 * HALF) +
         over_ball(at(R, s->to - v, 0), q);
}

typedef struct first_seam {
  const seams* s;
  double v;
} first_seam;

static double by_first(const void* context, double u) {
  const first_seam* f = context;
  return over_seams(f->s, u, f->v);
}

static double by_last(const void* context, double v) {
  const seams* s = context;
  return least(by_first, &(first_seam){s, v}, 0, s->to - s->from - v);
}

static void paths_over_both_seams_are_the_shortest(void** state) {
  (void)state;
  const lb_wrap w = make(0, false);
  lb_random r = {5};
  int met = 0;
  double worst = 0;
  for (int i = 0; i < 300; i++) {
    const double turn = lb_random_between(&r, 0.3, 3.1);
    const lb_vec3 p = at(lb_random_between(&r, 0.05, 0.8), 0, lb_random_between(&r, -1.5, -0.91)),
                  q = at(lb_random_between(&r, 0.05, 0.8), turn, lb_random_between(&r, 0.91, 1.5));
    lb_wrap_path path, back;
    const lb_wrap other = {LB_WRAP_CAPSULE, w.size, 0, -1, {0, 0, 0}, NULL, {0, 0, 0}};
    find(&w, &path, p, q);
    find(&other, &back, q, p);
    const double L = lb_taylor_value(lb_wrap_length(&path));
    assert_near(lb_taylor_value(lb_wrap_length(&back)), L, 1e-13);
    if (path.count != 5) {
      continue;
    }
    const double best = least(by_last, &(seams){p, q, 0, turn}, 0, turn);
    worst = fmax(worst, fabs(L - best));
    met++;
    if (!(fabs(L - best) < 1e-9)) {
      fail_msg("%d: %.12g, and %.12g is the shortest", i, L, best);
    }
  }
  print_message("%d over both seams, off by %.2g\n", met, worst);
  assert_above(met, 100);
}

// --- without jumps ---

typedef struct sample {
  int count;
  lb_wrap_turn turn;
  double length, rate, g[6];
} sample;

// Ends that move with time, each by rho, phi and z.
static sample sample_at(const lb_wrap* w, const double from[6], const double by[6], double t) {
  double c[6];
  lb_wrap_path path;
  sample s = {.rate = 0};
  for (int k = 0; k < 6; k++) {
    c[k] = from[k] + t * by[k];
  }
  const lb_vec3 p = at(c[0], c[1], c[2]), q = at(c[3], c[4], c[5]);
  find(w, &path, p, q);
  s.count = path.count;
  s.turn = lb_wrap_turn_of(w, p, q);
  s.length = lb_taylor_value(lb_wrap_length(&path));
  for (int e = 0; e < 2; e++) {
    const double *x = c + 3 * e, *d = by + 3 * e;
    const double v[] = {d[0] * cos(x[1]) - x[0] * sin(x[1]) * d[1],
                        d[0] * sin(x[1]) + x[0] * cos(x[1]) * d[1], d[2]};
    for (int k = 0; k < 3; k++) {
      s.g[3 * e + k] = lb_taylor_lane(lb_wrap_length(&path), 0, LB_TAYLOR_P + 3 * e + k);
      s.rate += s.g[3 * e + k] * v[k];
    }
  }
  return s;
}

static double turned(const sample* a, const sample* b) {
  double most = 0;
  for (int k = 0; k < 6; k++) {
    most = fmax(most, fabs(a->g[k] - b->g[k]));
  }
  return most;
}

static bool is_free(const double from[6], const double by[6], double t) {
  bool out = true;
  for (int e = 0; e < 2; e++) {
    const double rho = from[3 * e] + t * by[3 * e], z = from[3 * e + 2] + t * by[3 * e + 2];
    out = out && hypot(rho, fmax(0, fabs(z) - HALF)) > 1.05 * R && rho > 0.05;
  }
  return out;
}

// What is met on the way: how often the pieces change, and how often it slips.
typedef struct tally {
  int changes, slips;
  double jump, turn; // most of length and gradient
} tally;

// Where the pieces change, or half a turn is passed, by halving to rounding: neither the length nor
// its gradient jumps.
static void look_closer(const lb_wrap* w, const double from[6], const double by[6], double a,
                        double b, tally* out) {
  const sample first = sample_at(w, from, by, a), end = sample_at(w, from, by, b);
  const bool passes = (first.turn == LB_TURN_NEAR) != (end.turn == LB_TURN_NEAR);
  for (int k = 0; k < 60; k++) {
    const double c = 0.5 * (a + b);
    const sample s = sample_at(w, from, by, c);
    const bool before =
        passes ? (s.turn == LB_TURN_NEAR) == (first.turn == LB_TURN_NEAR) : s.count == first.count;
    *(before ? &a : &b) = c;
  }
  const sample x = sample_at(w, from, by, a - 1e-13), y = sample_at(w, from, by, b + 1e-13);
  // far around there may be two paths, one of which ends there: it slips to the other
  const bool slips = x.turn == LB_TURN_FAR && y.turn == LB_TURN_FAR && x.count + y.count == 9 &&
                     fabs(y.length - x.length) > 1e-9 && w->side.x == 0;
  if (slips) {
    out->slips++;
    return;
  }
  out->changes++;
  out->jump = fmax(out->jump, fabs(y.length - x.length));
  out->turn = fmax(out->turn, turned(&x, &y));
}

static void sweep(const lb_wrap* w, const double from[6], const double by[6], tally* out) {
  enum { MANY = 1000 };
  static const double NONE = 2e-4; // the bend of a band, or else 1e-5
  sample last = {.count = 0};
  for (int n = 0; n <= MANY; n++) {
    const double t = (double)n / MANY;
    if (!is_free(from, by, t)) {
      last.count = 0;
      continue;
    }
    const sample s = sample_at(w, from, by, t);
    const double jump = s.length - last.length - 0.5 / MANY * (s.rate + last.rate);
    const bool slips = (s.turn == LB_TURN_SLIPPED) != (last.turn == LB_TURN_SLIPPED),
               far = s.turn == LB_TURN_FAR || last.turn == LB_TURN_FAR,
               passes = (s.turn == LB_TURN_NEAR) != (last.turn == LB_TURN_NEAR);
    if (last.count == 0 || (slips && far)) {
      out->slips += last.count > 0;
    } else if (slips && fabs(jump) > NONE) { // soon after half a turn
      look_closer(w, from, by, t - 1.0 / MANY, t, out);
      out->slips++;
    } else {
      if (!(fabs(jump) < NONE)) {
        fail_msg("length jumps by %g at %g, from %d pieces to %d", jump, t, last.count, s.count);
      }
      if (s.count != last.count || passes) {
        look_closer(w, from, by, t - 1.0 / MANY, t, out);
      }
    }
    last = s;
  }
}

// Through all classes, up to an angle, with ends `near` or further from the axis.
static tally sweep_all(bool held, double near, double most) {
  lb_random r = {11};
  tally out = {.changes = 0};
  for (int i = 0; i < 600; i++) {
    const lb_wrap w = make(i % 2 ? 0.15 : 0, held);
    double from[6], by[6];
    for (int e = 0; e < 2; e++) {
      const double low[] = {near, e > 0 ? -0.3 : 0, -1.5},
                   high[] = {near + 1, e > 0 ? most : 0, 1.5};
      for (int k = 0; k < 3; k++) {
        from[3 * e + k] = lb_random_between(&r, low[k], high[k]);
        by[3 * e + k] = lb_random_between(&r, low[k], high[k]) - from[3 * e + k];
      }
    }
    sweep(&w, from, by, &out);
  }
  print_message("%d changes: length by %.2g, gradient by %.2g; %d slips\n", out.changes, out.jump,
                out.turn, out.slips);
  assert_above(out.changes, 500);
  assert_below(out.jump, 1e-11);
  assert_below(out.turn, 1e-8);
  return out;
}

static void up_to_half_a_turn_nothing_jumps(void** state) {
  (void)state;
  assert_int_equal(sweep_all(false, 0.05, 3.14).slips, 0);
  assert_int_equal(sweep_all(true, 0.05, 3.14).slips, 0);
}

// ... of ends that are a quarter of the radius beside the surface, or more, if they are beyond it.
static void a_side_holds_up_to_three_quarters_of_a_turn(void** state) {
  (void)state;
  assert_int_equal(sweep_all(true, 1.25 * R, 4.7).slips, 0);
}

// Beyond half a turn a path without a side keeps its sense, until it slips off an end; nothing else
// jumps.
static void only_paths_that_slip_jump(void** state) {
  (void)state;
  assert_above(sweep_all(false, 0.05, 4.7).slips, 20);
}

// The arm of a reviewer: 3 cm by 6 cm, and an insertion that is up to 4 cm beyond the cylinder. The
// path stays where it is over a cylinder, whatever the elbow does.
static void an_end_beside_a_cap_keeps_the_side(void** state) {
  (void)state;
  const lb_vec3 p = {-0.06, 0.25, -0.01};
  for (double beyond = -0.02; beyond < 0.041; beyond += 0.005) {
    double last = 0;
    for (double elbow = -1.4; elbow < 1.4; elbow += 0.01) {
      const lb_vec3 q = {-0.05 * cos(elbow) + 0.2 * sin(elbow),
                         -0.05 * sin(elbow) - 0.2 * cos(elbow), -0.03 - beyond};
      lb_wrap w = {.kind = LB_WRAP_CAPSULE,
                   .size = {0.03, 0.06, 0},
                   .band = 0.15,
                   .sense = 1,
                   .side = {-1, 0, 0}};
      lb_wrap_path path, round;
      find(&w, &path, p, q);
      w.kind = LB_WRAP_CYLINDER;
      w.size.y = 0;
      find(&w, &round, p, q);
      const double L = lb_taylor_value(lb_wrap_length(&path)),
                   C = lb_taylor_value(lb_wrap_length(&round));
      if (!(L < C + 1e-12) || !(L > C - 5e-4) || !(last == 0 || fabs(L - last) < 2.1e-3)) {
        fail_msg("%g beyond, elbow %g: %.8g after %.8g, over a cylinder %.8g", beyond, elbow, L,
                 last, C);
      }
      last = L;
    }
  }
}

// Deepest point of a path below the surface.
static double depth_of(const lb_wrap_path* path) {
  enum { PARTS = 50 };
  double depth = 0;
  for (int i = 0; i < path->count; i++) {
    const lb_path_piece* c = &path->piece[i];
    const double from = i > 0 ? lb_taylor_value(&path->piece[i - 1].end) : 0,
                 to = lb_taylor_value(&c->end);
    depth = fmax(depth, from - to); // an arc of less than no length
    for (int k = 0; k <= PARTS; k++) {
      const lb_taylor sigma = lb_taylor_constant(from + (to - from) * k / PARTS);
      const lb_taylor3 x = lb_wrap_point(0, c, &sigma);
      const double z = lb_taylor_value(&x.z), beyond = fmax(0, fabs(z) - HALF);
      const double rho = hypot(lb_taylor_value(&x.x), lb_taylor_value(&x.y));
      depth = fmax(depth, R - hypot(rho, beyond));
    }
  }
  return depth;
}

static void paths_over_both_seams_stay_outside(void** state) {
  (void)state;
  const lb_wrap w = make(0, false);
  lb_random r = {31};
  int met = 0;
  double worst = 0;
  for (int i = 0; i <= 20000; i++) {
    lb_vec3 p = at(lb_random_between(&r, 0.05, 0.8), 0, lb_random_between(&r, -1.5, -0.91)),
            q = at(lb_random_between(&r, 0.05, 0.8), lb_random_between(&r, 0.3, 6),
                   lb_random_between(&r, 0.91, 1.5));
    if (i == 0) { // the path over both would touch the helix before its first cap
      p = at(.655171, -5.28547, -.9688);
      q = at(.688435, -1.63148, 1.36168);
    }
    lb_wrap_path path;
    find(&w, &path, p, q);
    if (path.count > 2) {
      worst = fmax(worst, depth_of(&path));
      met++;
    }
  }
  print_message("%d paths, at most %.2g below the surface\n", met, worst);
  assert_above(met, 5000);
  assert_below(worst, 1e-12);
}

// What is said of it: near, far around, or slipped off.
static void paths_tell_how_far_they_go(void** state) {
  (void)state;
  lb_wrap w = make(0, false);
  const lb_vec3 p = {1, 0, 0};
  assert_int_equal(lb_wrap_turn_of(&w, p, at(1, 2, 0.6)), LB_TURN_NEAR);
  assert_int_equal(lb_wrap_turn_of(&w, p, at(1, 3.5, 0.1)), LB_TURN_FAR);
  assert_int_equal(lb_wrap_turn_of(&w, p, at(1, 3.5, 1.4)), LB_TURN_SLIPPED);
  w.side.x = 1;
  assert_int_equal(lb_wrap_turn_of(&w, p, at(1, 3.5, 1.4)), LB_TURN_FAR);
  assert_int_equal(lb_wrap_turn_of(&w, p, at(0.4, 3.5, 1.4)), LB_TURN_SLIPPED);
  w.kind = LB_WRAP_CYLINDER;
  assert_int_equal(lb_wrap_turn_of(&w, p, at(1, 3.5, 1.4)), LB_TURN_NEAR);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(up_to_half_a_turn_a_path_is_the_shortest_of_its_side),
      cmocka_unit_test(paths_over_both_seams_are_the_shortest),
      cmocka_unit_test(up_to_half_a_turn_nothing_jumps),
      cmocka_unit_test(a_side_holds_up_to_three_quarters_of_a_turn),
      cmocka_unit_test(only_paths_that_slip_jump),
      cmocka_unit_test(an_end_beside_a_cap_keeps_the_side),
      cmocka_unit_test(paths_over_both_seams_stay_outside),
      cmocka_unit_test(paths_tell_how_far_they_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
