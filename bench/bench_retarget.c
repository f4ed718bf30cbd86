// How soon the methods of retargeting come near to the best objective: simulations, ways back and
// seconds of processor time until within one per cent of it, on one core. Limits of motors are left
// aside, for two of the methods know none.
#define _GNU_SOURCE
#include <limber/limber.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST = 400 }; // iterations

static const double near = 1.01;    // over the best objective
static const double patience = 200; // [s] for one search

typedef struct job {
  const char* name;
  double duration; // [s] of the motion
} job;

typedef struct problem {
  lb_scene scene;
  lb_model* model;
  lb_retarget* what;
  lb_curves* input;
  lb_recording* rest;
  lb_targets* targets;
} problem;

/// How a search went.
typedef struct history {
  double start;
  double enough; // an objective that is near to the best
  int count;
  double objective[MOST], seconds[MOST];
  int iteration[MOST], runs[MOST], gradients[MOST];
} history;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lb_status open_problem(problem* p, const char* path, double duration, lb_error* err) {
  const lb_simulate_options slow = lb_simulate_default();
  lb_status status = lb_scene_read(path, NULL, &p->scene, err);
  if (status == LB_OK) {
    p->scene.duration = duration;
    p->scene.solver.elastic = LB_SPACE_REDUCED;
    status = lb_model_create(&p->scene, NULL, &p->model, err);
  }
  if (status == LB_OK) {
    status = lb_retarget_create(p->model, &p->scene.retarget, NULL, &p->what, err);
  }
  if (status == LB_OK) {
    p->what->tolerance = 1e-6;
    p->what->iterations = MOST;
    for (int i = 0; i < p->what->nmotor; i++) {
      lb_retarget_limit* limit = &p->what->limit[i];
      limit->angle[0] = -(double)INFINITY;
      limit->angle[1] = limit->speed = limit->acceleration = (double)INFINITY;
    }
    status = lb_curves_fit(p->model, p->what, NULL, &p->input, err);
  }
  if (status == LB_OK) {
    status = lb_recording_create(p->model, 0, NULL, &p->rest, err);
  }
  if (status == LB_OK) {
    status = lb_targets_quasistatic(p->model, p->what, &slow, p->rest, &p->targets, err);
  }
  return status;
}

static void close_problem(problem* p) {
  lb_targets_release(p->targets);
  lb_recording_release(p->rest);
  lb_curves_release(p->input);
  lb_retarget_release(p->what);
  lb_model_release(p->model);
  lb_scene_release(&p->scene);
}

static bool note(void* context, const lb_retarget_news* news, const lb_retarget_state* state) {
  history* h = context;
  (void)state;
  h->iteration[h->count] = news->iteration;
  h->objective[h->count] = news->value.objective;
  h->seconds[h->count] = now() - h->start;
  h->runs[h->count] = news->runs;
  h->gradients[h->count++] = news->gradients;
  return h->count < MOST && now() - h->start < patience && news->value.objective > h->enough;
}

static lb_status search(const problem* p, lb_retarget_method method, double enough, history* h,
                        lb_error* err) {
  lb_retarget_state* state = NULL;
  lb_retarget_value value;
  lb_retarget_options o = lb_retarget_default();
  o.method = method;
  o.news = note;
  o.context = h;
  *h = (history){.start = now(), .enough = enough};
  lb_status status = lb_retarget_state_create(p->input, NULL, &state, err);
  if (status == LB_OK) {
    status = lb_retarget_run(p->model, p->what, p->input, p->targets, &o, state, &value, err);
  }
  lb_retarget_state_release(state);
  return status == LB_INTERRUPTED && h->count > 0 ? LB_OK : status;
}

static void print_row(const job* j, lb_retarget_method method, const history* h, double best) {
  int k = 0;
  while (k < h->count && h->objective[k] > near * best) {
    k++;
  }
  printf("%-10s %-14s %11.4g", j->name, lb_retarget_method_name(method),
         h->objective[h->count - 1]);
  if (k < h->count) {
    printf(" %11d %11d %11d %9.1f\n", h->iteration[k], h->runs[k], h->gradients[k], h->seconds[k]);
  } else {
    printf(" %11s %11d %11d %9.1f  not reached\n", "-", h->runs[k - 1], h->gradients[k - 1],
           h->seconds[k - 1]);
  }
}

static lb_status compare(const job* j, const char* path, lb_error* err) {
  static history h[LB_RETARGET_METHOD_COUNT];
  problem p = {.model = NULL};
  double best = (double)INFINITY;
  lb_status status = open_problem(&p, path, j->duration, err);
  for (int m = 0; m < LB_RETARGET_METHOD_COUNT && status == LB_OK; m++) {
    // the first shows what is best; the others may stop when they are near
    status = search(&p, (lb_retarget_method)m, m == 0 ? 0 : near * best, &h[m], err);
    best = status == LB_OK ? fmin(best, h[m].objective[h[m].count - 1]) : best;
  }
  for (int m = 0; m < LB_RETARGET_METHOD_COUNT && status == LB_OK; m++) {
    print_row(j, (lb_retarget_method)m, &h[m], best);
  }
  close_problem(&p);
  return status;
}

int main(int argc, char** argv) {
  static const job jobs[] = {{"rod", 5}, {"drummer", 2}};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  const char* only = argc > 2 ? argv[2] : NULL; // this scene
  int failed = 0;
  printf("retargeting, until the objective is within 1 %% of the best\n");
  printf("%-10s %-14s %11s %11s %11s %11s %9s\n", "scene", "method", "objective", "iterations",
         "runs", "ways back", "seconds");
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    if (only && strcmp(only, jobs[i].name) != 0) {
      continue;
    }
    char path[512];
    lb_error err = lb_error_make(NULL);
    snprintf(path, sizeof path, "%s/%s.yaml", folder, jobs[i].name);
    if (compare(&jobs[i], path, &err) != LB_OK) {
      printf("%-10s FAILED: %s\n", jobs[i].name, err.count ? err.message[0].text : "");
      failed = 1;
    }
    lb_error_clear(&err);
    fflush(stdout);
  }
  return failed;
}
