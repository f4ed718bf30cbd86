// Mechanisms designed by numbers of the scene's text: lengths of linkages' bars, anchors and frames
// of joints. Gradients by differences of models against differences of whole runs, a four-bar that
// is found again from the path of a point of its coupler, and what cannot be assembled.
#include "design/optimizing_schemes.h"

// A four-bar with a plate for a coupler and a foot on it, and a pendulum on the rocker. Crank,
// rocker, all sides of the plate and a fixed point may change, and more besides. With places for
// the integrator, for the coordinates and for more.
static const char four_bar[] =
    "duration: 0.2 s\n"
    "solver: {integrator: %s%s}\n"
    "profiles:\n"
    "  turning: {keys: [[0 s, 30 deg]], ease: linear, repeat: 0.8 s, advance: 1 turn}\n"
    "linkages:\n"
    "  leg:\n"
    "    profile: turning\n"
    "    feet: {F: 2 cm}\n"
    "    points: {O: {fixed: [-15 cm, 0]}, R: {fixed: [15 cm, 2 cm]}, P: [-12 cm, 10 cm],\n"
    "             Q: [10 cm, 20 cm], F: [0 cm, 30 cm]}\n"
    "    bars:\n"
    "      crank: {O-P: 10 cm}\n"
    "      plate: {P-Q: 30 cm, P-F: 21 cm, Q-F: 18 cm}\n"
    "      rocker: {Q-R: 22 cm, mass: 0.3 kg}\n"
    "bodies:\n"
    "  bob: {shape: {box: [4 cm, 4 cm, 10 cm], position: [0, 0, -5 cm]}, mass: 0.2 kg, drag: 0.1}\n"
    "joints:\n"
    "  hook: {type: revolute, parent: rocker, child: bob, at: [5 cm, 1 cm, 0], axis: z,\n"
    "         in_child: [0, 1 cm, 0.5 cm], damping: 0.01, spring: {stiffness: 0.2}}\n"
    "springs:\n"
    "  pull: {from: {body: plate, at: [4 cm, 2 cm, 0]}, to: {at: [0, 0, 0.5]}, stiffness: 40,\n"
    "         damping: 1, length: 20 cm}\n"
    "initial: {hook: {position: 0.4, velocity: 1}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    weight: {mass: bob}\n"
    "    swing: {velocity: hook}\n"
    "    crank: {bar: crank}\n"
    "    rocker: {bar: Q-R}\n"
    "    base: {bar: P-Q}\n"
    "    first: {bar: P-F, at_least: 15 cm}\n"
    "    second: {bar: Q-F}\n"
    "    ground: {number: linkages.leg.points.R.fixed.0}\n"
    "    hook: {number: joints.hook.at.1}\n"
    "    pin: {number: joints.hook.in_child.2}\n"
    "    box: {number: bodies.bob.shape.position.0}\n"
    "    thick: {number: linkages.leg.feet.F}\n"
    "    anchor: {number: springs.pull.from.at.0}\n"
    "    ahead: {number: profiles.turning.keys.0.1}\n"
    "    down: {number: gravity.2}\n"
    "  goals:\n"
    "    foot: {point: plate, at: F, path: [[40 ms, [0.1, 0, 0.2]], [0.12 s, [0, 0, 0.4]],\n"
    "           [0.2 s, [0, 0, 0.3]]], along: xz}\n"
    "    speed: {point: plate, at: F, velocity: [1, 0, 0], time: [40 ms, 0.2 s]}\n"
    "    bob: {point: bob, at: [0, 0, -0.1], position: [0.1, 0.1, 0.1]}\n"
    "    loop: {joint: %s, position: 0.3, weight: 0.1}\n"
    "    effort: {motor: crank, weight: 0.01, time: [0, 0.2 s]}\n"
    "gravity: [0, 0, -9.81]\n";

static void gradients_by_lengths_equal_differences_of_runs(void** state) {
  (void)state;
  check_schemes(SCHEMES, four_bar, false, "Q-plate", 1e-3, 1e-7);
}

static void gradients_in_maximal_coordinates_equal_differences_of_runs(void** state) {
  (void)state;
  check_schemes(SCHEMES, four_bar, true, "Q-plate", 1e-3, 1e-6);
}

// --- a linkage found again ---

// Fixed points O at the origin and R, crank a, plate of sides b, e, f, rocker c: numbers of a
// linkage in the order of the parameters below.
enum { CRANK, COUPLER, ROCKER, NEAR, FAR, RX, RY, LENGTHS };
static const double known[LENGTHS] = {0.1, 0.26, 0.24, 0.2, 0.17, 0.28, 0.03};

// The end of a triangle on the way from p to q, `near` and `far` from them, to its left.
static void triangle(const double p[2], const double q[2], double near, double far, double out[2]) {
  const double dx = q[0] - p[0], dy = q[1] - p[1], d = hypot(dx, dy);
  const double x = (near * near - far * far + d * d) / (2 * d), y = sqrt(near * near - x * x);
  out[0] = p[0] + (x * dx - y * dy) / d;
  out[1] = p[1] + (x * dy + y * dx) / d;
}

// The coupler's point with the crank at an angle, by triangles.
static void coupler_point(const double* k, double angle, double f[2]) {
  const double p[] = {k[CRANK] * cos(angle), k[CRANK] * sin(angle)}, r[] = {k[RX], k[RY]};
  double q[2];
  triangle(p, r, k[COUPLER], k[ROCKER], q);
  triangle(p, q, k[NEAR], k[FAR], f);
}

// A turn of the crank, and where the point of the known linkage is at so many moments of it.
static void write_design(char* text, size_t size, const double* k, int moments,
                         const char* bounds) {
  size_t n = (size_t)snprintf(
      text, size,
      "duration: 1 s\n"
      "gravity: [0, 0, 0]\n"
      "solver: {integrator: bdf2, step: 5 ms}\n"
      "profiles: {turning: {keys: [[0 s, 0]], ease: linear, repeat: 1 s, advance: 1 turn}}\n"
      "linkages:\n"
      "  machine:\n"
      "    profile: turning\n"
      "    points: {O: {fixed: [0, 0]}, R: {fixed: [%g, %g]}, P: [0.1, 0], Q: [0.2, 0.22],\n"
      "             F: [0.05, 0.2]}\n"
      "    bars:\n"
      "      crank: {O-P: %g}\n"
      "      plate: {P-Q: %g, P-F: %g, Q-F: %g}\n"
      "      rocker: {Q-R: %g}\n"
      "optimize:\n"
      "  iterations: 300\n"
      "  tolerance: 1e-12\n"
      "  parameters:\n"
      "    crank: {bar: crank%s}\n    coupler: {bar: P-Q%s}\n    rocker: {bar: rocker%s}\n"
      "    near: {bar: P-F%s}\n    far: {bar: Q-F%s}\n"
      "    x: {number: linkages.machine.points.R.fixed.0}\n"
      "    y: {number: linkages.machine.points.R.fixed.1}\n"
      "  goals:\n"
      "    curve: {point: plate, at: F, weight: 100, along: xz, path: [",
      k[RX], k[RY], k[CRANK], k[COUPLER], k[NEAR], k[FAR], k[ROCKER], bounds, bounds, bounds,
      bounds, bounds);
  for (int i = 1; i <= moments; i++) {
    const double t = (double)i / moments;
    double f[2];
    coupler_point(known, 2 * M_PI * t, f);
    n += (size_t)snprintf(text + n, size - n, "%s[%.17g, [%.17g, 0, %.17g]]", i > 1 ? ", " : "", t,
                          f[0], f[1]);
  }
  snprintf(text + n, size - n, "]}\n");
}

static void a_four_bar_is_found_again_from_the_path_of_its_coupler(void** state) {
  (void)state;
  static const double off[][LENGTHS] = {{1.15, 0.9, 1.1, 0.9, 1.1, 1.1, 0.5},
                                        {0.85, 1.1, 1.15, 1.1, 0.9, 0.92, 2},
                                        {1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2}};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
    char text[6000];
    double k[LENGTHS], x[MOST], objective = NAN;
    problem p;
    lb_error err = lb_error_make(NULL);
    const lb_optimize_options options = {0};
    for (int n = 0; n < LENGTHS; n++) {
      k[n] = known[n] * off[i][n];
    }
    write_design(text, sizeof text, k, 20, "");
    open_problem(&p, text);
    memcpy(x, p.o->start, LENGTHS * sizeof *x);
    if (lb_optimize_run(p.o, &options, x, &objective, &err) != LB_OK) {
      complain(&err);
    }
    if (getenv("LIMBER_TELL")) {
      print_message("objective %.3g, %d runs, %d failed (%s)\n", objective, p.o->runs, p.o->failed,
                    p.o->failure);
    }
    for (int n = 0; n < LENGTHS; n++) {
      if (getenv("LIMBER_TELL")) {
        print_message("%g: off by %.2g\n", known[n], x[n] - known[n]);
      }
      assert_near(x[n], known[n], 1e-4 * known[n]);
    }
    close_problem(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_by_lengths_equal_differences_of_runs),
      cmocka_unit_test(gradients_in_maximal_coordinates_equal_differences_of_runs),
      cmocka_unit_test(a_four_bar_is_found_again_from_the_path_of_its_coupler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
