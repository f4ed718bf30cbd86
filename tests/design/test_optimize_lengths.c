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
    "    base: {bar: Q-P}\n"
    "    first: {bar: P-F, at_least: 15 cm}\n"
    "    second: {bar: Q-F}\n"
    "    ground: {number: linkages.leg.points.R.fixed.0, at_most: 40 cm}\n"
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

static void gradients_of_explicit_steps_equal_differences_of_runs(void** state) {
  (void)state;
  static const char* const explicit[] = {"euler", "midpoint", "rk4", "rk8"};
  for (int i = 0; i < 4; i++) {
    char text[sizeof four_bar + 64];
    problem p;
    for (int loose = 0; loose < (i == 0 ? 2 : 1); loose++) {
      snprintf(text, sizeof text, four_bar, explicit[i], loose ? maximal : reduced, "Q-plate");
      memcpy(strstr(text, "    effort:"), "    #", strlen("    #"));
      open_problem(&p, text);
      check_both(&p, 1e-3, 1e-6);
      close_problem(&p);
    }
  }
}

static void gradients_in_maximal_coordinates_equal_differences_of_runs(void** state) {
  (void)state;
  check_schemes(SCHEMES, four_bar, true, "Q-plate", 1e-3, 1e-6);
}

// One of Jansen's legs, all of whose eleven lengths may change: three loops, two plates.
static const char jansen[] =
    "duration: 0.4 s\n"
    "solver: {integrator: %s%s}\n"
    "profiles: {walk: {keys: [[0 s, 90 deg]], ease: linear, repeat: 1 s, advance: -1 turn}}\n"
    "linkages:\n"
    "  leg:\n"
    "    profile: walk\n"
    "    feet: {F: 3 cm}\n"
    "    points: {O: {fixed: [0, 0]}, Z: {fixed: [-38 cm, -7.8 cm]}, Y: [0, 15 cm],\n"
    "             X: [-47 cm, 33 cm], V: [-78 cm, -14 cm], U: [-21 cm, -43 cm],\n"
    "             W: [-57 cm, -47 cm], F: [-8 cm, -90 cm]}\n"
    "    bars:\n"
    "      crank: {O-Y: 15 cm}\n"
    "      j: {Y-X: 50 cm}\n"
    "      k: {Y-U: 61.9 cm}\n"
    "      rocker: {X-Z: 41.5 cm, Z-V: 40.1 cm, X-V: 55.8 cm}\n"
    "      c: {Z-U: 39.3 cm}\n"
    "      f: {V-W: 39.4 cm}\n"
    "      foot: {U-W: 36.7 cm, W-F: 65.7 cm, U-F: 49 cm}\n"
    "optimize:\n"
    "  parameters:\n"
    "    weight: {mass: foot}\n"
    "    m: {bar: crank}\n    j: {bar: j}\n    k: {bar: k}\n    b: {bar: X-Z}\n"
    "    d: {bar: Z-V}\n    e: {bar: X-V}\n    c: {bar: c}\n    f: {bar: f}\n"
    "    g: {bar: U-W}\n    i: {bar: U-F}\n    h: {bar: W-F}\n"
    "  goals:\n"
    "    low: {point: foot, at: F, position: [0, 0, -0.8], along: z, time: [0, 0.4 s]}\n"
    "    fast: {point: foot, at: F, velocity: [2, 0, 0], along: x, time: [0.1 s, 0.3 s]}\n"
    "    effort: {motor: crank, weight: 1e-3%s}\n";

static void gradients_by_all_lengths_of_a_jansen_leg_equal_differences_of_runs(void** state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[sizeof jansen + 64];
    double x[MOST];
    problem p;
    snprintf(text, sizeof text, jansen, schemes[i], reduced, "");
    open_problem(&p, text);
    check_gradient(&p, p.o->start, 1e-4, 1e-7);
    for (int k = 0; k < p.o->nvalue; k++) {
      x[k] = p.o->start[k] * (1 + 0.02 * sin(3. * k));
    }
    check_gradient(&p, x, 1e-4, 1e-7);
    close_problem(&p);
  }
}

// A loop of joints without a linkage, a rod between two bodies and a point on a line: places of
// joints on both sides of the loop, and anchors of constraints.
static const char loop[] =
    "duration: 0.2 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies:\n"
    "  crank: {shape: {box: [2 cm, 2 cm, 20 cm]}, mass: 0.3 kg}\n"
    "  coupler: {shape: {box: [40 cm, 2 cm, 2 cm]}, mass: 0.5 kg}\n"
    "  rocker: {shape: {box: [2 cm, 2 cm, 30 cm]}, mass: 0.4 kg}\n"
    "  bob: {shape: {sphere: {radius: 3 cm}}, mass: 0.2 kg}\n"
    "  bead: {shape: {sphere: {radius: 3 cm}}, mass: 0.2 kg, position: [0, 1, 0.31]}\n"
    "joints:\n"
    "  shaft: {type: revolute, child: crank, axis: y}\n"
    "  pin: {type: revolute, parent: crank, child: coupler, at: [0, 0, 10 cm], axis: y}\n"
    "  pivot: {type: revolute, child: rocker, at: [40 cm, 0, 0], axis: y}\n"
    "  swing: {type: revolute, child: bob, at: [0, 0, 0.8], in_child: [0, 0, 30 cm], axis: y}\n"
    "  close: {type: revolute, loop: true, parent: rocker, child: coupler, at: [0, 0, 30 cm],\n"
    "          in_child: [40 cm, 0, 20 cm], axis: y}\n"
    "constraints:\n"
    "  rod: {distance: {from: {body: rocker, at: [0, 0, 25 cm]}, to: {body: bob, at: [1 cm, 0, "
    "0]}}}\n"
    "  wire: {line: {body: bead, at: [0, 0, 0], through: {at: [0, 1, 0.31]}, along: [1, 0, "
    "-0.4]}}\n"
    "initial: {shaft: {velocity: 4}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    weight: {mass: rocker}\n"
    "    speed: {velocity: shaft}\n"
    "    pin: {number: joints.pin.at.2}\n"
    "    pivot: {number: joints.pivot.at.0}\n"
    "    near: {number: joints.close.at.2}\n"
    "    far: {number: joints.close.in_child.0}\n"
    "    aside: {number: joints.close.in_child.2}\n"
    "    hang: {number: joints.swing.at.2}\n"
    "    from: {number: constraints.rod.distance.from.at.2}\n"
    "    to: {number: constraints.rod.distance.to.at.0}\n"
    "    slope: {number: constraints.wire.line.along.2}\n"
    "  goals:\n"
    "    end: {point: coupler, at: [40 cm, 0, 20 cm], position: [0.3, 0, 0.2]}\n"
    "    bob: {point: bob, velocity: [0, 0, 0], time: [0.1 s, 0.2 s]}\n"
    "    bead: {point: bead, position: [0, 0, 0]}\n"
    "    turn: {joint: close, position: 0.3%s}\n";

static void gradients_by_places_of_joints_in_loops_equal_differences_of_runs(void** state) {
  (void)state;
  check_schemes(SCHEMES, loop, false, "", 1e-4, 1e-7);
  check_schemes(1, loop, true, "", 1e-4, 1e-6);
}

// Three copies on a shaft, one of them mirrored, whose feet land on floors: bars of all of them
// change together. What lands, and impacts, depend on lengths as well.
static const char walker[] =
    "duration: 0.24 s\n"
    "solver: {integrator: %s%s}\n"
    "bodies: {frame: {shape: {box: [40 cm, 4 cm, 4 cm]}, mass: 1 kg}}\n"
    "joints: {rail: {type: prismatic, child: frame, axis: z, at: [0, 0, 50 cm]}}\n"
    "profiles:\n"
    "  turning: {keys: [[0 s, 0 deg]], ease: linear, repeat: 0.6 s, advance: -1 turn}\n"
    "linkages:\n"
    "  leg:\n"
    "    on: frame\n"
    "    profile: turning\n"
    "    shaft: true\n"
    "    copies: {a: {}, b: {at: [0, 5 cm, 0], phase: 0.33},\n"
    "             c: {at: [0, 10 cm, 0], mirror: true, phase: 0.4}}\n"
    "    points: {O: {fixed: [0, 0]}, R: {fixed: [20 cm, 5 cm]}, P: [6 cm, 0], Q: [15 cm, -12 "
    "cm],\n"
    "             F: [2 cm, -28 cm]}\n"
    "    bars:\n"
    "      crank: {O-P: 6 cm}\n"
    "      plate: {P-Q: 18 cm, P-F: 28 cm, Q-F: 19 cm}\n"
    "      rocker: {Q-R: 16 cm}\n"
    "constraints:\n"
    "  ground: {floor: {body: plate-a, points: [{at: [20 cm, -19 cm, 0]}], height: 19.5 cm}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    weight: {mass: frame}\n"
    "    crank: {bar: crank}\n"
    "    rocker: {bar: rocker}\n"
    "    plate: {bar: P-Q}\n"
    "    shin: {bar: P-F}\n"
    "    calf: {bar: Q-F}\n"
    "    height: {number: constraints.ground.floor.height}\n"
    "    foot: {number: constraints.ground.floor.points.0.at.1}\n"
    "    lift: {number: joints.rail.at.2}\n"
    "  goals:\n"
    "    height: {point: frame, position: [0, 0, 0.45], time: [0, 0.24 s]}\n"
    "    foot: {point: plate-c, at: F, position: [0, 0, 0.2]}\n"
    "    sink: {point: frame, velocity: [0, 0, 0], time: 0.2 s%s}\n";

static void gradients_through_landings_equal_differences_of_runs(void** state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[sizeof walker + 64];
    double x[MOST];
    problem p;
    snprintf(text, sizeof text, walker, schemes[i], reduced, "");
    open_problem(&p, text);
    check_gradient(&p, p.o->start, 1e-5, 1e-7);
    for (int k = 0; k < p.o->nvalue; k++) {
      x[k] = p.o->start[k] * (1 + 0.004 * sin(3. * k));
    }
    check_gradient(&p, x, 1e-5, 1e-7);
    close_problem(&p);
  }
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

// The known linkage from one that is off by these factors.
static void find_again(problem* p, const double* off, const char* bounds) {
  char text[6000];
  double k[LENGTHS], x[MOST], objective = NAN;
  lb_error err = lb_error_make(NULL);
  const lb_optimize_options options = {0};
  for (int n = 0; n < LENGTHS; n++) {
    k[n] = known[n] * off[n];
  }
  write_design(text, sizeof text, k, 20, bounds);
  open_problem(p, text);
  memcpy(x, p->o->start, LENGTHS * sizeof *x);
  if (lb_optimize_run(p->o, &options, x, &objective, &err) != LB_OK) {
    complain(&err);
  }
  for (int n = 0; n < LENGTHS; n++) {
    if (getenv("LIMBER_TELL")) {
      print_message("%g: off by %.2g; %d runs, %d failed: %s\n", known[n], x[n] - known[n],
                    p->o->runs, p->o->failed, p->o->failure);
    }
    assert_near(x[n], known[n], 1e-4 * known[n]);
  }
}

static void a_four_bar_is_found_again_from_the_path_of_its_coupler(void** state) {
  (void)state;
  static const double off[][LENGTHS] = {{1.15, 0.9, 1.1, 0.9, 1.1, 1.1, 0.5},
                                        {0.85, 1.1, 1.15, 1.1, 0.9, 0.92, 2},
                                        {1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2}};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
    problem p;
    find_again(&p, off[i], "");
    close_problem(&p);
  }
}

// Bounds so wide that the first step along the slope goes where no triangle closes, or where the
// crank jams: the search goes back, says why, and ends where it would.
static void lengths_that_cannot_be_assembled_are_gone_back_from(void** state) {
  (void)state;
  static const double off[LENGTHS] = {1.15, 0.9, 1.1, 0.9, 1.1, 1.1, 0.5};
  problem p;
  find_again(&p, off, ", at_least: 1 cm, at_most: 4 m");
  assert_above(p.o->failed, 0);
  assert_non_null(strstr(p.o->failure, "cannot close"));
  close_problem(&p);
}

// Numbers that cannot be: the error is that of the scene, with what was set.
static void numbers_without_a_linkage_are_an_error_of_the_trial(void** state) {
  (void)state;
  char text[6000];
  double x[MOST], value = 7, gradient[MOST];
  problem p;
  lb_error err = lb_error_make(NULL);
  write_design(text, sizeof text, known, 20, "");
  open_problem(&p, text);
  memcpy(x, p.o->start, LENGTHS * sizeof *x);
  x[COUPLER] = 1;
  assert_int_equal(lb_optimization_evaluate(p.o, x, &value, gradient, &err), LB_FAILED);
  assert_near(value, 7, 0);
  assert_non_null(strstr(err.message[0].text, "its lengths cannot close"));
  assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, &err), LB_FAILED);
  lb_error_clear(&err);
  x[COUPLER] = 0.27; // the optimisation and its scene are as good as before
  assert_int_equal(lb_optimization_apply(p.o, x, &p.scene, &err), LB_OK);
  assert_near(p.scene.linkage[0].side[1].length, 0.27, 1e-15);
  evaluate(&p, x, gradient);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_by_lengths_equal_differences_of_runs),
      cmocka_unit_test(gradients_of_explicit_steps_equal_differences_of_runs),
      cmocka_unit_test(gradients_in_maximal_coordinates_equal_differences_of_runs),
      cmocka_unit_test(gradients_by_all_lengths_of_a_jansen_leg_equal_differences_of_runs),
      cmocka_unit_test(gradients_by_places_of_joints_in_loops_equal_differences_of_runs),
      cmocka_unit_test(gradients_through_landings_equal_differences_of_runs),
      cmocka_unit_test(a_four_bar_is_found_again_from_the_path_of_its_coupler),
      cmocka_unit_test(lengths_that_cannot_be_assembled_are_gone_back_from),
      cmocka_unit_test(numbers_without_a_linkage_are_an_error_of_the_trial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
