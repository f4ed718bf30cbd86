// What a gradient of retargeting costs: the way back over the run it belongs to, at the scenes' own
// steps, in time on the clock with one thread and with two. A run has one thread; on the way back
// the derivatives of steps are independent of each other. Wanted: less than two, on two cores.
#define _GNU_SOURCE
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double piece = 2; // [s] of each motion
enum { TRIALS = 3 };

typedef struct job {
  lb_scene scene;
  lb_model* model;
  lb_retarget* what;
  lb_curves* input;
  lb_recording* played;
  lb_targets* targets;
  double* gradient;
} job;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Where the tracked bodies should be does not change the cost: where they are, here.
static lb_status open_job(job* j, const char* path, lb_error* err) {
  const lb_simulate_options simulate = lb_simulate_default();
  lb_summary summary;
  lb_status status = lb_scene_read(path, NULL, &j->scene, err);
  if (status != LB_OK) {
    return status;
  }
  j->scene.duration = fmin(piece, j->scene.duration);
  status = lb_model_create(&j->scene, NULL, &j->model, err);
  if (status == LB_OK) {
    status = lb_retarget_create(j->model, &j->scene.retarget, NULL, &j->what, err);
  }
  if (status == LB_OK) {
    status = lb_curves_fit(j->model, j->what, NULL, &j->input, err);
  }
  if (status == LB_OK) {
    status = lb_recording_create(j->model, 0, NULL, &j->played, err);
  }
  if (status == LB_OK) {
    status = lb_simulate(j->model, &simulate, j->played, &summary, err);
  }
  if (status == LB_OK) {
    status = lb_targets_create(j->played, j->what, NULL, &j->targets, err);
  }
  if (status == LB_OK) {
    j->gradient = calloc((size_t)(j->input->nmotor * j->input->ncontrol), sizeof *j->gradient);
    status = j->gradient ? LB_OK : LB_NO_MEMORY;
  }
  return status;
}

static void close_job(job* j) {
  free(j->gradient);
  lb_targets_release(j->targets);
  lb_recording_release(j->played);
  lb_curves_release(j->input);
  lb_retarget_release(j->what);
  lb_model_release(j->model);
  lb_scene_release(&j->scene);
}

// The best time of a run, with or without a gradient.
static lb_status measure(const job* j, int threads, double* gradient, double* best, lb_error* err) {
  lb_retarget_options options = lb_retarget_default();
  options.threads = threads;
  lb_retarget_value value;
  lb_status status = LB_OK;
  *best = INFINITY;
  for (int i = 0; i < TRIALS && status == LB_OK; i++) {
    const double start = now();
    status = lb_retarget_evaluate(j->model, j->what, j->input, j->targets, j->input, &options,
                                  &value, gradient, err);
    *best = fmin(*best, now() - start);
  }
  return status;
}

static lb_status bench(const char* folder, const char* name) {
  char path[512];
  job j = {.model = NULL};
  double run = 0, both[2] = {0, 0};
  lb_error err = lb_error_make(NULL);
  snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
  lb_status status = open_job(&j, path, &err);
  if (status == LB_OK) {
    status = measure(&j, 1, NULL, &run, &err);
  }
  for (int i = 0; i < 2 && status == LB_OK; i++) {
    status = measure(&j, i + 1, j.gradient, &both[i], &err);
  }
  if (status == LB_OK) {
    const lb_retarget_options options = lb_retarget_default();
    printf("%-12s %12d %12d %10.0f %10.0f %10.2f %10.2f\n", name, j.model->nv,
           lb_retarget_steps(j.model, &options), 1e3 * run, 1e3 * (both[0] - run),
           (both[0] - run) / run, (both[1] - run) / run);
  } else {
    printf("%-12s FAILED: %s\n", name, err.count ? err.message[0].text : "");
  }
  close_job(&j);
  lb_error_clear(&err);
  return status;
}

int main(int argc, char** argv) {
  static const char* const scenes[] = {"rod",    "two-rods", "dancer", "bartender",
                                       "rapper", "drummer",  "boxer"};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  int failed = 0;
  printf("gradients of retargeting, the first %g s of each motion\n", piece);
  printf("%-12s %12s %12s %10s %10s %10s %10s\n", "scene", "coordinates", "steps", "run/ms",
         "back/ms", "back/run", "2 threads");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    failed |= bench(folder, scenes[i]) != LB_OK;
  }
  return failed;
}
