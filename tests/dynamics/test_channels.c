// Channels of forces: closed forms where things hang or stand still, power against energy, and one
// scene in both coordinates.
#include "compile.h"
#include "limber/recording.h"
#include "limber/simulate.h"

static double channel(const lb_model* m, lb_data* d, const char* name, const char* what) {
  lb_channel c[100];
  double x[100];
  const int n = lb_channels(m, d, c, x);
  assert_at_most(n, 100);
  for (int i = 0; i < n; i++) {
    if (strcmp(c[i].name, name) == 0 && strcmp(c[i].what, what) == 0) {
      return x[i];
    }
  }
  print_error("no channel %s.%s among %d\n", name, what, n);
  fail();
  return NAN;
}

static lb_data* state_of(const lb_model* m) {
  lb_data* d;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  lb_forward(m, d);
  return d;
}

static void forces_of_points_are_their_formulas(void** state) {
  (void)state;
  lb_model* m = compile(
      "bodies: {a: {mass: 2, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: free, child: a}}\n"
      "springs:\n"
      "  s: {from: {at: [0, 0, 2]}, to: {body: a}, stiffness: 100, length: 1.5, damping: 3}\n"
      "  along: {from: {at: [0, 0, 2]}, to: {body: a}, stiffness: 10, length: 1, along: [0, 0, "
      "1]}\n"
      "cables: {c: {through: [{at: [0, 0, 3]}, {at: [0, 0, 4]}, {body: a}], stiffness: 10, length: "
      "4}}\n"
      "grounds: {g: {at: [0, 0, 0.1], points: [{body: a}, {body: a, at: [0, 0, 1]}],\n"
      "  stiffness: 1000, dissipation: 0.2, friction: 0.5}}\n"
      "initial: {j: {velocity: [0, 0, -1]}}\n");
  lb_data* d = state_of(m);
  assert_near(channel(m, d, "s", "force"), 100 * 0.5 + 3 * 1, 1e-12);
  assert_near(channel(m, d, "s", "length"), 2, 1e-12);
  assert_near(channel(m, d, "along", "force"), 10 * (-2 - 1), 1e-12);
  assert_near(channel(m, d, "c", "force"), 10 * 1, 1e-12);
  assert_near(channel(m, d, "c", "length"), 5, 1e-12);
  assert_near(channel(m, d, "g", "fz"), 1000 * 0.1 * (1 + 0.2 * 1), 1e-12);
  lb_data_release(d);
  lb_model_release(m);
}

static void what_stands_still_weighs_what_it_weighs(void** state) {
  (void)state;
  lb_model* m = compile(
      "gravity: [0, 0, -10]\n"
      "bodies: {a: {mass: 2, center: [0, 0, 0], inertia: [1, 1, 1]},\n"
      "  b: {mass: 3, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: prismatic, child: a, axis: z, limits: {lower: 0, stiffness: 1000}},\n"
      "  k: {type: prismatic, child: b, axis: z}}\n"
      "constraints: {f: {floor: {body: b}}}\n"
      "initial: {j: {position: -0.02}}\n");
  lb_data* d = state_of(m);
  assert_near(channel(m, d, "j", "limit"), 20, 1e-12);
  assert_near(channel(m, d, "f", "fz"), 30, 1e-9);
  assert_near(channel(m, d, "f", "fx"), 0, 1e-9);
  lb_data_release(d);
  lb_model_release(m);
}

// A crank with a spring and a motor, in reduced and in maximal coordinates.
static const char CRANK[] =
    "duration: 1\n"
    "solver: {integrator: rk4, step: 0.5 ms%s}\n"
    "record: {every: 0.5 ms}\n"
    "bodies:\n"
    "  a: {shape: {box: [2 cm, 2 cm, 20 cm], position: [0, 0, -10 cm]}, mass: 0.4}\n"
    "  b: {shape: {box: [2 cm, 2 cm, 20 cm], position: [0, 0, -10 cm]}, mass: 0.3}\n"
    "joints:\n"
    "  j: {type: revolute, child: a, axis: y}\n"
    "  k: {type: revolute, parent: a, child: b, at: [0, 0, -20 cm], axis: y,\n"
    "    spring: {stiffness: 2, rest: 0.3}, damping: 0}\n"
    "motors: {m: {joint: j, drive: %s, keys: [[0, 0], [0.5, 0.4], [1, -0.2]]}}\n";

static lb_recording* play(const char* solver, const char* drive, lb_model** m) {
  char text[2000];
  lb_recording* r;
  lb_summary s;
  const lb_simulate_options o = lb_simulate_default();
  snprintf(text, sizeof text, CRANK, solver, drive);
  *m = compile(text);
  assert_int_equal(lb_recording_create(*m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(*m, &o, r, &s, NULL), LB_OK);
  return r;
}

// Trapezoids: the power has kinks at the keys alone, which are frames.
static void power_of_motors_is_the_change_of_energy(void** state) {
  (void)state;
  static const char* const drive[] = {"force", "position"};
  for (int i = 0; i < 2; i++) {
    lb_model* m;
    lb_recording* r = play("", drive[i], &m);
    double work = 0;
    for (int f = 1; f < r->nframe; f++) {
      const double *a = r->force + (size_t)(f - 1) * (size_t)r->nchannel, *b = a + r->nchannel;
      work += (a[2] + b[2]) / 2 * (r->time[f] - r->time[f - 1]);
      assert_near(b[2], b[0] * b[1], 1e-12);
    }
    const int last = r->nframe - 1;
    const double gain = r->kinetic[last] + r->potential[last] - r->kinetic[0] - r->potential[0];
    print_message("%s: work %.9g J, gain %.9g J\n", drive[i], work, gain);
    assert_above(fabs(gain), 1e-3);
    assert_near(work, gain, i == 0 ? 1e-6 : 1e-4);
    lb_recording_release(r);
    lb_model_release(m);
  }
}

static void both_coordinates_measure_the_same(void** state) {
  (void)state;
  lb_model *m, *n;
  lb_recording* r = play("", "force", &m);
  lb_recording* s = play(", coordinates: maximal", "force", &n);
  assert_int_equal(r->nchannel, s->nchannel);
  assert_int_equal(r->nchannel, 4); // three of the motor, and the spring
  for (int f = 0; f < r->nframe; f += 100) {
    for (int k = 0; k < r->nchannel; k++) {
      assert_string_equal(r->channel[k].what, s->channel[k].what);
      assert_near(r->force[f * r->nchannel + k], s->force[f * s->nchannel + k], 1e-8); // of rk4
    }
  }
  lb_recording_release(r);
  lb_recording_release(s);
  lb_model_release(m);
  lb_model_release(n);
}

static void figures_are_those_of_a_sine(void** state) {
  (void)state;
  lb_model* m;
  lb_recording* r = play("", "force", &m);
  for (int f = 0; f < r->nframe; f++) {
    r->force[(size_t)f * (size_t)r->nchannel] = -3 * sin(2 * M_PI * r->time[f]);
  }
  const lb_channel_figures of = lb_recording_figures(r, 0);
  assert_near(fabs(of.peak), 3, 1e-6);
  assert_near(of.time, 0.25, 1e-9);
  assert_near(of.rms, 3 / sqrt(2), 1e-5);
  assert_string_equal(lb_channel_unit(r->channel[0].kind), "N m");
  lb_recording_release(r);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_points_are_their_formulas),
      cmocka_unit_test(what_stands_still_weighs_what_it_weighs),
      cmocka_unit_test(power_of_motors_is_the_change_of_energy),
      cmocka_unit_test(both_coordinates_measure_the_same),
      cmocka_unit_test(figures_are_those_of_a_sine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
