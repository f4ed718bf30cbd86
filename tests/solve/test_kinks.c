// Adaptive steps where forces have kinks, against closed forms: errors follow the tolerance.
#include "compile.h"
#include "limber/limber.h"

static const double G = 9.81, MASS = 1, STIFFNESS = 1000, HEIGHT = 0.5;

// A run of a scene with gravity along -z or without any: its only coordinate at the end.
typedef struct run {
  const char* parts; // bodies, joints, forces, initial
  double gravity;
  double duration;
  int steps; // that the caller asks for
} run;

static lb_model* compile_run(const run* r, double tolerance) {
  char text[3000];
  snprintf(text, sizeof text,
           "duration: %g s\n"
           "gravity: [0, 0, %g]\n"
           "solver: {integrator: adaptive, tolerance: %g}\n%s",
           r->duration, -r->gravity, tolerance, r->parts);
  return compile(text);
}

static void simulate(const run* r, double tolerance, double* q, double* qd) {
  lb_data* d;
  lb_stepper* st;
  lb_model* m = compile_run(r, tolerance);
  assert_int_equal(m->nv, 1);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  for (int i = 0; i < r->steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, r->duration / r->steps, NULL), LB_OK);
  }
  *q = d->q[0];
  *qd = d->qd[0];
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
}

// Height over a one-sided spring, dropped from HEIGHT: flights and half swings by turns.
static double bounce(double t) {
  const double w = sqrt(STIFFNESS / MASS), v = sqrt(2 * G * HEIGHT), sag = G / (w * w);
  const double R = hypot(sag, v / w), enters = acos(sag / R);
  const double flight = 2 * v / G, touch = 2 * (M_PI - enters) / w;
  const double at = fmod(t + flight / 2, flight + touch); // from when it leaves
  return at < flight ? v * at - G * at * at / 2 : R * cos(enters + w * (at - flight)) - sag;
}

static const double TOLERANCES[] = {1e-6, 1e-9, 1e-12};

static void keeps_tolerance(const char* name, const run* r, double (*expected)(double q, double t),
                            double most) {
  for (int i = 0; i < 3; i++) {
    double q, qd;
    simulate(r, TOLERANCES[i], &q, &qd);
    const double error = fabs(expected(q, r->duration));
    if (!(error <= most * TOLERANCES[i])) {
      print_error("%s: tolerance %g, error %.3g\n", name, TOLERANCES[i], error);
      fail();
    }
  }
}

static double off_bounce(double q, double t) {
  return q - bounce(t);
}

#define CAR "bodies: {car: {shape: {box: [0.1, 0.1, 0.1]}, mass: 1 kg}}\n"
#define DROPPED CAR "initial: {slide: {position: 0.5 m}}\n"
#define SLIDE "joints: {slide: {type: prismatic, child: car, axis: z}}\n"

static void check_bounces(const char* name, const char* parts) {
  const int calls[] = {1, 10, 500};
  for (int i = 0; i < 3; i++) {
    const run r = {parts, G, 10, calls[i]};
    keeps_tolerance(name, &r, off_bounce, 10);
  }
}

static void a_mass_bounces_on_a_limit(void** state) {
  (void)state;
  check_bounces("limit", DROPPED "joints: {slide: {type: prismatic, child: car, axis: z,"
                                 " limits: {lower: 0 m, stiffness: 1000 N/m}}}\n");
}

static void a_mass_bounces_on_a_ground(void** state) {
  (void)state;
  check_bounces("ground", DROPPED SLIDE "grounds: {floor: {points: [{body: car, at: [0, 0, 0]}],"
                                        " stiffness: 1000 N/m}}\n");
}

static void a_mass_bounces_on_a_slack_cable(void** state) {
  (void)state;
  check_bounces("cable", DROPPED SLIDE "cables: {rope: {through: [{at: [0, 0, 2]}, {body: car}],"
                                       " length: 2 m, stiffness: 1000 N/m}}\n");
}

// Half swings of two stiffnesses by turns, from the middle at 1 m/s.
static double off_table(double q, double t) {
  const double w[2] = {sqrt(900), sqrt(100)}, half[2] = {M_PI / w[0], M_PI / w[1]};
  const double at = fmod(t, half[0] + half[1]);
  return q - (at < half[0] ? sin(w[0] * at) / w[0] : -sin(w[1] * (at - half[0])) / w[1]);
}

static void a_mass_swings_by_a_table(void** state) {
  (void)state;
  const run r = {CAR "joints: {slide: {type: prismatic, child: car, axis: z,"
                     " spring: {table: [[-1 m, -100 N], [0 m, 0 N], [1 m, 900 N]]}}}\n"
                     "initial: {slide: {velocity: 1 m/s}}\n",
                 0, 10, 10};
  keeps_tolerance("table", &r, off_table, 10);
}

// --- dampers that come in at once and let go ---

// Errors of runs against one of a tolerance that is far smaller.
static void converges(const char* name, const char* parts) {
  const run r = {parts, G, 3, 3};
  double exact, qd;
  simulate(&r, 1e-13, &exact, &qd);
  for (int i = 0; i < 2; i++) {
    double q;
    simulate(&r, TOLERANCES[i], &q, &qd);
    if (!(fabs(q - exact) <= 50 * TOLERANCES[i])) {
      print_error("%s: tolerance %g, error %.3g\n", name, TOLERANCES[i], fabs(q - exact));
      fail();
    }
  }
}

static void dampers_that_jump_keep_the_tolerance(void** state) {
  (void)state;
  converges("limit", DROPPED "joints: {slide: {type: prismatic, child: car, axis: z, limits:"
                             " {lower: 0 m, stiffness: 1000 N/m, damping: 3 N s/m,"
                             " transition: 0 m}}}\n");
  converges("transition", DROPPED "joints: {slide: {type: prismatic, child: car, axis: z, limits:"
                                  " {lower: 0 m, stiffness: 1000 N/m, damping: 3 N s/m}}}\n");
  converges("ground", DROPPED SLIDE "grounds: {floor: {points: [{body: car, at: [0, 0, 0]}],"
                                    " stiffness: 1000 N/m, dissipation: 0.6}}\n");
  converges("cable", DROPPED SLIDE "cables: {rope: {through: [{at: [0, 0, 2]}, {body: car}],"
                                   " length: 2 m, stiffness: 1000 N/m, damping: 3 N s/m}}\n");
}

static void powers_keep_the_tolerance(void** state) {
  (void)state;
  converges("power", DROPPED SLIDE "grounds: {floor: {points: [{body: car, at: [0, 0, 0]}],"
                                   " stiffness: 10000 N/m, exponent: 1.5}}\n");
}

static void friction_that_turns_over_keeps_the_tolerance(void** state) {
  (void)state;
  converges("friction", CAR "joints: {slide: {type: prismatic, child: car, axis: x, friction: 2 N,"
                            " friction_speed: 1 cm/s, spring: {stiffness: 100 N/m}}}\n"
                            "initial: {slide: {position: 0.5 m}}\n");
}

// --- a bead on a spline, which keeps its speed ---

static const double FRAME[9][2] = {{0, 0}, {1, 0}, {2, 1},  {3, -1}, {4, 2},
                                   {5, 0}, {6, 1}, {7, -1}, {8, 0}};

// How far the bead moves for each unit of its coordinate.
static double stretch(double q) {
  const int k = q < 0 ? 0 : q > 5 ? 5 : (int)q;
  const double u = q - k;
  const double slope[4] = {-(1 - u) * (1 - u) / 2, (3 * u * u - 4 * u) / 2,
                           (-3 * u * u + 2 * u + 1) / 2, u * u / 2};
  double way[2] = {0};
  for (int i = 0; i < 4; i++) {
    way[0] += slope[i] * FRAME[k + i][0];
    way[1] += slope[i] * FRAME[k + i][1];
  }
  return hypot(way[0], way[1]);
}

// By Gauss's rule of three points on many parts of each span.
static double arc_length(double q) {
  const int parts = 2000;
  const double root = sqrt(0.6);
  double sum = 0;
  for (double a = 0; a < q; a += 1) {
    const double h = fmin(1, q - a) / parts;
    for (int i = 0; i < parts; i++) {
      const double m = a + (i + 0.5) * h;
      sum +=
          h * (5 * stretch(m - root * h / 2) + 8 * stretch(m) + 5 * stretch(m + root * h / 2)) / 18;
    }
  }
  return sum;
}

static double off_bead(double q, double t) {
  return arc_length(q) - stretch(0) * t;
}

static void a_bead_runs_along_a_spline(void** state) {
  (void)state;
  char text[1000] = CAR "initial: {rail: {velocity: 1}}\n"
                        "joints: {rail: {type: spline-curve, child: car, frames: [";
  for (int i = 0; i < 9; i++) {
    snprintf(text + strlen(text), 60, "%s[%g, %g, 0]", i ? ", " : "", FRAME[i][0], FRAME[i][1]);
  }
  strcat(text, "]}}\n");
  const run r = {text, 0, 4, 4};
  keeps_tolerance("spline", &r, off_bead, 50);
}

// --- forces that a caller sets ---

// An oscillator under a force that jumps between steps, against its closed form.
static void a_force_that_a_caller_changes_between_steps_is_seen(void** state) {
  (void)state;
  const run r = {CAR "joints: {slide: {type: prismatic, child: car, axis: z,"
                     " spring: {stiffness: 25 N/m}}}\n",
                 0, 1, 1};
  lb_data* d;
  lb_stepper* st;
  lb_model* m = compile_run(&r, 1e-12);
  double x = 0, v = 0;
  const double w = 5, h = 0.1;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < 30; i++) {
    d->tau[0] = 10 * (i % 3) - 7;
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    const double mid = d->tau[0] / (w * w), c = cos(w * h), s = sin(w * h), from = x - mid;
    x = mid + from * c + v / w * s;
    v = v * c - from * w * s;
    assert_near(d->q[0], x, 1e-11);
    assert_near(d->qd[0], v, 1e-11);
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_bounces_on_a_limit),
      cmocka_unit_test(a_mass_bounces_on_a_ground),
      cmocka_unit_test(a_mass_bounces_on_a_slack_cable),
      cmocka_unit_test(a_mass_swings_by_a_table),
      cmocka_unit_test(dampers_that_jump_keep_the_tolerance),
      cmocka_unit_test(powers_keep_the_tolerance),
      cmocka_unit_test(friction_that_turns_over_keeps_the_tolerance),
      cmocka_unit_test(a_bead_runs_along_a_spline),
      cmocka_unit_test(a_force_that_a_caller_changes_between_steps_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
