// A retargeting problem from one of the scenes, and its gradient against differences.
//
// Derivatives are compared at curves that are off the input's at random, so that all motors move
// from the start on and a short piece of the motion has everything in it. They are exact for the
// steps taken, however long those are, so steps are longer than the scenes'.
#pragma once
#include "limber/limber.h"
#include "test.h"

typedef struct problem {
  lb_scene scene;
  lb_model* model;
  lb_retarget* what;
  lb_curves *input, *curves;
  lb_targets* targets;
  lb_retarget_options options;
} problem;

static inline void must(lb_status status, lb_error* err) {
  for (int i = 0; status != LB_OK && i < err->count; i++) {
    print_error("%s\n", err->message[i].text);
  }
  assert_int_equal(status, LB_OK);
}

// The problem of its scene, cut short so that the test is over soon.
static inline void open_scene(problem* p, double duration) {
  lb_error err = lb_error_make(NULL);
  p->scene.duration = fmin(duration, p->scene.duration);
  must(lb_model_create(&p->scene, NULL, &p->model, &err), &err);
  must(lb_retarget_create(p->model, &p->scene.retarget, NULL, &p->what, &err), &err);
  must(lb_curves_fit(p->model, p->what, NULL, &p->input, &err), &err);
  lb_recording* rest;
  const lb_simulate_options slow = lb_simulate_default();
  must(lb_recording_create(p->model, 1 + (int)(duration / p->model->record.every), NULL, &rest,
                           &err),
       &err);
  must(lb_quasistatic_motion(p->model, &slow, rest, &err), &err);
  must(lb_targets_create(rest, p->what, NULL, &p->targets, &err), &err);
  lb_recording_release(rest);
  p->options = lb_retarget_default();
  must(lb_curves_create(p->input->nmotor, p->input->ncontrol, p->input->start, p->input->spacing,
                        NULL, &p->curves, &err),
       &err);
  lb_error_clear(&err);
}

static inline void open_problem(problem* p, const char* name, double duration) {
  char path[256];
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s.yaml", name);
  lb_error err = lb_error_make(NULL);
  must(lb_scene_read(path, NULL, &p->scene, &err), &err);
  lb_error_clear(&err);
  open_scene(p, duration);
}

static inline void open_text(problem* p, const char* text, double duration) {
  lb_error err = lb_error_make(NULL);
  must(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &p->scene, &err), &err);
  lb_error_clear(&err);
  open_scene(p, duration);
}

static inline void close_problem(problem* p) {
  lb_curves_release(p->curves);
  lb_targets_release(p->targets);
  lb_curves_release(p->input);
  lb_retarget_release(p->what);
  lb_model_release(p->model);
  lb_scene_release(&p->scene);
}

static inline int control_count(const problem* p) {
  return p->input->nmotor * p->input->ncontrol;
}

// A random direction that leaves the fixed control points alone.
static inline void random_direction(const problem* p, lb_random* random, double* x) {
  const int n = p->input->ncontrol;
  for (int i = 0; i < n * p->input->nmotor; i++) {
    const int k = i % n;
    const double r = lb_random_between(random, -1, 1);
    x[i] = k < 3 || k >= n - 3 ? 0 : r;
  }
}

// Curves that are off the input by up to so many radians.
static inline void shake_curves(problem* p, double far, uint64_t seed) {
  lb_random random = {seed};
  random_direction(p, &random, p->curves->control);
  for (int i = 0; i < control_count(p); i++) {
    p->curves->control[i] = p->input->control[i] + far * p->curves->control[i];
  }
}

// The curves plus s times a direction.
static inline lb_curves* curves_at(const problem* p, const double* along, double s) {
  lb_error err = lb_error_make(NULL);
  lb_curves* c;
  must(lb_curves_create(p->input->nmotor, p->input->ncontrol, p->input->start, p->input->spacing,
                        NULL, &c, &err),
       &err);
  for (int i = 0; i < control_count(p); i++) {
    c->control[i] = p->curves->control[i] + s * along[i];
  }
  return c;
}

static inline lb_retarget_value evaluate(const problem* p, const lb_curves* c, double* gradient) {
  lb_error err = lb_error_make(NULL);
  lb_retarget_value value;
  must(lb_retarget_evaluate(p->model, p->what, p->input, p->targets, c, &p->options, &value,
                            gradient, &err),
       &err);
  return value;
}

// The peak after a search over that before; p->curves are its result.
static inline double search_curves(problem* p) {
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s;
  lb_retarget_value after;
  const lb_retarget_value before = evaluate(p, p->input, NULL);
  must(lb_retarget_state_create(p->input, NULL, &s, &err), &err);
  must(lb_retarget_run(p->model, p->what, p->input, p->targets, &p->options, s, &after, &err),
       &err);
  memcpy(p->curves->control, s->curves->control, (size_t)control_count(p) * sizeof(double));
  print_message("spacing %.3g ms: peak %.3g mm, then %.3g mm in %d iterations\n",
                1e3 * p->input->spacing, 1e3 * before.peak, 1e3 * after.peak, s->iteration);
  lb_retarget_state_release(s);
  return after.peak / before.peak;
}

// What limits p->curves.
static inline lb_limiting limiting_of(problem* p) {
  lb_error err = lb_error_make(NULL);
  lb_limiting found;
  must(lb_limiting_find(p->model, p->what, p->targets, p->curves, &p->options, &found, &err), &err);
  for (int f = 0; f < LB_LIMITING_COUNT; f++) {
    print_message("  %s: %.3g\n", lb_limiting_name((lb_limiting_factor)f), found.left[f]);
  }
  return found;
}

static inline double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// How long a piece of the scenes, with steps how long.
static const double PIECE = 0.4, LONG_STEP = 2e-3;

// Differences of fourth order. Errors are parts of the root mean square of the slopes: along a
// direction in which the objective hardly changes, differences are not that good.
static inline void check_gradient_of(const problem* p, const char* name, int directions, double H) {
  static const double AT[4] = {-2, -1, 1, 2}, W[4] = {1, -8, 8, -1};
  const int n = control_count(p);
  double* g = test_malloc((size_t)n * sizeof *g);
  double* x = test_malloc((size_t)n * sizeof *x);
  const double peak = evaluate(p, p->curves, g).peak;
  lb_random random = {7};
  double worst = 0, square = 0;
  for (int d = 0; d < directions; d++) {
    double difference = 0;
    random_direction(p, &random, x);
    for (int k = 0; k < 4; k++) {
      lb_curves* c = curves_at(p, x, H * AT[k]);
      difference += W[k] * evaluate(p, c, NULL).objective / (12 * H);
      lb_curves_release(c);
    }
    const double slope = dot(n, g, x);
    square += slope * slope / directions;
    worst = fmax(worst, fabs(slope - difference));
  }
  print_message("%s: %d control points, peak %.3g mm, differences off by %.2g\n", name, n,
                1e3 * peak, worst / sqrt(square));
  assert_at_most(worst, 1e-6 * sqrt(square));
  test_free(g);
  test_free(x);
}

static inline void check_gradient(const char* name, int directions) {
  problem p;
  open_problem(&p, name, PIECE);
  p.options.step = LONG_STEP;
  shake_curves(&p, 0.02, 5);
  check_gradient_of(&p, name, directions, 1e-4);
  close_problem(&p);
}

// Sensitivities along random directions and the gradient's products with them.
static inline void compare_both_ways_of(const problem* p, const char* name) {
  enum { DIRECTIONS = 5 };
  const int n = control_count(p);
  double* g = test_malloc((size_t)n * sizeof *g);
  double* x = test_malloc(DIRECTIONS * (size_t)n * sizeof *x);
  double slope[DIRECTIONS], most = 0, off = 0;
  lb_error err = lb_error_make(NULL);
  lb_random random = {11};
  for (int k = 0; k < DIRECTIONS; k++) {
    random_direction(p, &random, x + (size_t)k * (size_t)n);
  }
  const double peak = evaluate(p, p->curves, g).peak;
  must(lb_retarget_sensitivity(p->model, p->what, p->input, p->targets, p->curves, &p->options,
                               DIRECTIONS, x, slope, NULL, &err),
       &err);
  for (int k = 0; k < DIRECTIONS; k++) {
    const double back = dot(n, g, x + (size_t)k * (size_t)n);
    most = fmax(most, fabs(back));
    off = fmax(off, fabs(back - slope[k]));
  }
  print_message("%s: %d control points, peak %.3g mm, both ways differ by %.2g\n", name, n,
                1e3 * peak, off / most);
  assert_at_most(off, 1e-10 * most);
  test_free(g);
  test_free(x);
}

static inline void compare_both_ways(const char* name) {
  problem p;
  open_problem(&p, name, PIECE);
  p.options.step = LONG_STEP;
  shake_curves(&p, 0.02, 3);
  compare_both_ways_of(&p, name);
  close_problem(&p);
}
