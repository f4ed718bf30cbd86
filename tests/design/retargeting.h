// A retargeting problem from one of the scenes, and its gradient against differences.
#pragma once
#include "limber/limber.h"
#include "test.h"

typedef struct problem {
  lb_scene scene;
  lb_model* model;
  lb_retarget* what;
  lb_curves* input;
  lb_targets* targets;
  lb_retarget_options options;
} problem;

static void must(lb_status status, lb_error* err) {
  for (int i = 0; status != LB_OK && i < err->count; i++) {
    print_error("%s\n", err->message[i].text);
  }
  assert_int_equal(status, LB_OK);
}

// A scene cut short, so that the test is over soon.
static void open_problem(problem* p, const char* name, double duration) {
  char path[256];
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s.yaml", name);
  lb_error err = lb_error_make(NULL);
  must(lb_scene_read(path, NULL, &p->scene, &err), &err);
  p->scene.duration = fmin(duration, p->scene.duration);
  must(lb_model_create(&p->scene, NULL, &p->model, &err), &err);
  must(lb_retarget_create(p->model, &p->scene.retarget, NULL, &p->what, &err), &err);
  must(lb_curves_fit(p->model, p->what, NULL, &p->input, &err), &err);
  lb_recording* rest;
  const lb_simulate_options slow = lb_simulate_default();
  must(lb_recording_create(p->model, 1 + (int)(duration / p->model->record.every), NULL, &rest,
                           &err),
       &err);
  must(lb_rest_motion(p->model, &slow, rest, &err), &err);
  must(lb_targets_create(rest, p->what, NULL, &p->targets, &err), &err);
  lb_recording_release(rest);
  p->options = lb_retarget_default();
  lb_error_clear(&err);
}

static void close_problem(problem* p) {
  lb_targets_release(p->targets);
  lb_curves_release(p->input);
  lb_retarget_release(p->what);
  lb_model_release(p->model);
  lb_scene_release(&p->scene);
}

static double value_at(const problem* p, const double* along, double s) {
  lb_error err = lb_error_make(NULL);
  lb_curves* c;
  lb_retarget_value value;
  must(lb_curves_create(p->input->nmotor, p->input->ncontrol, p->input->start, p->input->spacing,
                        NULL, &c, &err),
       &err);
  for (int i = 0; i < c->nmotor * c->ncontrol; i++) {
    c->control[i] = p->input->control[i] + s * along[i];
  }
  must(lb_retarget_evaluate(p->model, p->what, p->input, p->targets, c, &p->options, &value, NULL,
                            &err),
       &err);
  lb_curves_release(c);
  return value.objective;
}

// A random direction that leaves the fixed control points alone.
static void random_direction(const problem* p, lb_random* random, double* x) {
  const int n = p->input->ncontrol;
  for (int i = 0; i < n * p->input->nmotor; i++) {
    const int k = i % n;
    const double r = lb_random_between(random, -1, 1);
    x[i] = k < 3 || k >= n - 3 ? 0 : r;
  }
}

static void check_gradient(const char* name, double duration, int directions) {
  static const double H = 1e-4, AT[4] = {-2, -1, 1, 2}, W[4] = {1, -8, 8, -1};
  problem p;
  open_problem(&p, name, duration);
  const int n = p.input->nmotor * p.input->ncontrol;
  double* g = test_malloc((size_t)n * sizeof *g);
  double* x = test_malloc((size_t)n * sizeof *x);
  lb_error err = lb_error_make(NULL);
  lb_retarget_value value;
  must(lb_retarget_evaluate(p.model, p.what, p.input, p.targets, p.input, &p.options, &value, g,
                            &err),
       &err);
  lb_random random = {7};
  double worst = 0, norm = 0;
  for (int i = 0; i < n; i++) {
    norm += g[i] * g[i];
  }
  for (int d = 0; d < directions; d++) {
    double slope = 0, difference = 0, length = 0;
    random_direction(&p, &random, x);
    for (int i = 0; i < n; i++) {
      slope += g[i] * x[i];
      length += x[i] * x[i];
    }
    for (int k = 0; k < 4; k++) {
      difference += W[k] * value_at(&p, x, H * AT[k]) / (12 * H);
    }
    worst = fmax(worst, fabs(slope - difference) / sqrt(norm * length));
  }
  print_message("%s: %d control points, off by %.2g\n", name, n, worst);
  assert_near(worst, 0, 1e-6);
  test_free(g);
  test_free(x);
  close_problem(&p);
}
