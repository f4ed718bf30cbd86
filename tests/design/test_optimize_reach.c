// Reaching with muscles that have mass, [red] 6.2.11: gradients through Hill-type muscles, wraps
// and lift-off, and how many runs they save.
#include "design/optimizing.h"

// A heavy Hill-type muscle over a cylinder, which it leaves on the way: the elbow passes the angle
// at which its path is straight.
static const char LIFTING[] =
    "duration: 0.12 s\n"
    "solver: {integrator: %s, step: 2 ms}\n"
    "bodies:\n"
    "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}\n"
    "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.02, 0.02, 0.001]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: upper, at: [0, 0, 1], axis: -y, damping: 0.02}\n"
    "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"
    "wraps:\n"
    "  condyle: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "
    "cylinder: {radius: 5 cm}, smooth: 0.3}\n"
    "muscles:\n"
    "  triceps:\n"
    "    through: [{body: upper, at: [-7 cm, 0, -0.12]}, {wrap: condyle}, {body: lower, at: [-7 "
    "cm, 0, -0.3]}]\n"
    "    mass: {amount: 1, belly: [0.1, 0.7]}\n"
    "    hill: {model: millard, force: 400, fiber: 0.2, slack: 0.45, pennation: 0.1}\n"
    "    excitation: {keys: [[0, 0.1], [0.05, 0.4], [0.12, 0.2]], ease: linear}\n"
    "motors:\n"
    "  bend: {joint: elbow, drive: force, ease: linear, keys: [[0, -1], [50 ms, -2], [0.12, 0]]}\n"
    "initial: {elbow: {position: 8 deg, velocity: -3}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    drive: {excitation: triceps}\n"
    "    bend: {motor: bend}\n"
    "    above: {mass: upper}\n"
    "    below: {mass: lower}\n"
    "  goals:\n"
    "    there: {point: lower, at: [0, 0, -0.5], position: [0.3, 0, 0.2]}\n"
    "    fast: {point: upper, at: [0, 0, -0.5], velocity: [0.3, 0, 0.2], time: [50 ms, 0.12]}\n"
    "    effort: {muscle: triceps, weight: 3}\n";

// Straight at an angle of zero, for the points are as far from the bones as each other.
static void assert_lifts_off(const problem* p) {
  lb_model* m = NULL;
  lb_recording* r = NULL;
  lb_summary summary;
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_model_create(&p->scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_recording_create(m, 16, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_simulate(m, &o, r, &summary, NULL), LB_OK);
  assert_above(r->q[1], 0.1);
  assert_below(r->q[(r->nframe - 1) * m->nq + 1], -0.05);
  lb_recording_release(r);
  lb_model_release(m);
}

static void gradients_go_through_heavy_hill_muscles_that_lift_off(void** state) {
  (void)state;
  static const char* const by[] = {"bdf1", "bdf2", "sdirk2"};
  for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
    char text[sizeof LIFTING + 40];
    problem p;
    snprintf(text, sizeof text, LIFTING, by[i]);
    open_problem(&p, text);
    assert_lifts_off(&p);
    check_gradient(&p, p.o->start, 3e-5, 1e-7);
    check_applied(&p);
    close_problem(&p);
  }
}

// --- how many runs ---

enum { NUMBERS = 4 };

// Distance of the hand from the ball: its goal is the weight times half of the square, or all of
// it.
static const double NEAR = 1e-3;

typedef struct reach {
  problem p;
  double weight;
  int runs_until_near, gradients; // of a search, 0: not yet
} reach;

static double distance(const reach* w) {
  return sqrt(w->p.o->goal[0] / w->weight);
}

static bool watch(void* context, const lb_optimize_news* news) {
  reach* w = context;
  (void)news;
  if (!w->runs_until_near && distance(w) < NEAR) {
    w->runs_until_near = w->p.o->runs;
    w->gradients = w->p.o->gradients;
  }
  return !w->runs_until_near;
}

// In place: the optimisation keeps the scene's address.
static void open_reach(reach* w) {
  *w = (reach){0};
  lb_error err = lb_error_make(NULL);
  if (lb_scene_read(LIMBER_SOURCE_DIR "/scenes/muscle-reach.yaml", NULL, &w->p.scene, &err) !=
          LB_OK ||
      lb_optimization_create(&w->p.scene, NULL, &w->p.o, &err) != LB_OK) {
    complain(&err);
  }
  assert_int_equal(w->p.o->nvalue, NUMBERS);
  w->weight = w->p.scene.optimize.goal[0].weight;
}

static double try_at(reach* w, const double x[NUMBERS]) {
  double value = INFINITY;
  return lb_optimization_evaluate(w->p.o, x, &value, NULL, NULL) == LB_OK ? value : INFINITY;
}

typedef struct simplex {
  double x[NUMBERS + 1][NUMBERS], f[NUMBERS + 1];
} simplex;

// Best corner first.
static void sort_corners(simplex* s) {
  for (int i = 1; i <= NUMBERS; i++) {
    for (int k = i; k > 0 && s->f[k] < s->f[k - 1]; k--) {
      double x[NUMBERS], f = s->f[k];
      memcpy(x, s->x[k], sizeof x);
      memcpy(s->x[k], s->x[k - 1], sizeof x);
      memcpy(s->x[k - 1], x, sizeof x);
      s->f[k] = s->f[k - 1];
      s->f[k - 1] = f;
    }
  }
}

// The worst corner moved through the middle m of the others, m + t (m - worst), or towards it.
static double move_worst(reach* w, const simplex* s, double t, double out[NUMBERS]) {
  for (int i = 0; i < NUMBERS; i++) {
    double m = 0;
    for (int k = 0; k < NUMBERS; k++) {
      m += s->x[k][i] / NUMBERS;
    }
    out[i] = m + t * (m - s->x[NUMBERS][i]);
  }
  return try_at(w, out);
}

static void put_worst(simplex* s, const double x[NUMBERS], double f) {
  memcpy(s->x[NUMBERS], x, sizeof s->x[NUMBERS]);
  s->f[NUMBERS] = f;
}

// One step of Nelder and Mead's method, with its usual numbers.
static void step_simplex(reach* w, simplex* s) {
  double a[NUMBERS], b[NUMBERS];
  const double reflected = move_worst(w, s, 1, a);
  if (reflected < s->f[0]) {
    const double expanded = move_worst(w, s, 2, b);
    put_worst(s, expanded < reflected ? b : a, fmin(expanded, reflected));
  } else if (reflected < s->f[NUMBERS - 1]) {
    put_worst(s, a, reflected);
  } else {
    const double contracted = move_worst(w, s, reflected < s->f[NUMBERS] ? 0.5 : -0.5, b);
    if (contracted < fmin(reflected, s->f[NUMBERS])) {
      put_worst(s, b, contracted);
      return;
    }
    for (int k = 1; k <= NUMBERS; k++) {
      for (int i = 0; i < NUMBERS; i++) {
        s->x[k][i] = 0.5 * (s->x[k][i] + s->x[0][i]);
      }
      s->f[k] = try_at(w, s->x[k]);
    }
  }
}

// Runs that Nelder and Mead's method takes, from corners one newton metre away.
static int search_without_gradients(reach* w) {
  simplex s;
  int first = w->p.o->runs;
  for (int k = 0; k <= NUMBERS; k++) {
    memcpy(s.x[k], w->p.o->start, sizeof s.x[k]);
    s.x[k][k % NUMBERS] += k < NUMBERS ? 1 : 0;
    s.f[k] = try_at(w, s.x[k]);
  }
  for (int i = 0; i < 1000; i++) {
    sort_corners(&s);
    try_at(w, s.x[0]); // its goals
    first++;           // which does not count
    if (distance(w) < NEAR) {
      break;
    }
    step_simplex(w, &s);
  }
  return w->p.o->runs - first;
}

static void a_reach_with_heavy_muscles_takes_a_tenth_of_the_runs(void** state) {
  (void)state;
  reach w;
  open_reach(&w);
  const lb_optimize_options o = {watch, &w};
  double x[NUMBERS], objective;
  memcpy(x, w.p.o->start, sizeof x);
  lb_optimize_run(w.p.o, &o, x, &objective, NULL);
  const double off = distance(&w);
  const int with = w.runs_until_near, without = search_without_gradients(&w);
  print_message(
      "%.2g mm off after %d runs, %d of them with a gradient; %d runs without gradients\n",
      1e3 * off, with, w.gradients, without);
  assert_above(with, 0);
  assert_below(off, NEAR);
  assert_above(without, 10 * with);
  close_problem(&w.p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_go_through_heavy_hill_muscles_that_lift_off),
      cmocka_unit_test(a_reach_with_heavy_muscles_takes_a_tenth_of_the_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
