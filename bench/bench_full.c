// Implicit steps a second with every node of the elastic bodies moving, at 0.5 ms on one core: the
// rod from where its motor starts, and the figure of thirteen motors. Wanted: 25 for the rod, and
// 2.8 for the figure (10 s in two hours).
#define _GNU_SOURCE
#include <limber/limber.h>
#include <stdio.h>
#include <time.h>

static const double step_size = 5e-4;

typedef struct job {
  const char* name;
  double start; // [s] of the motion; the character stands still until then
  int steps;
} job;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lb_status load(const char* path, lb_model** m, lb_error* err) {
  lb_scene scene;
  lb_status status = lb_scene_read(path, NULL, &scene, err);
  if (status == LB_OK) {
    scene.solver.elastic = LB_SPACE_FULL;
    status = lb_model_create(&scene, NULL, m, err);
    lb_scene_release(&scene);
  }
  return status;
}

static lb_status run(const lb_model* m, const job* j, double* rate, lb_error* err) {
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  lb_status status = lb_data_create(m, NULL, &d, err);
  if (status == LB_OK) {
    d->time = j->start;
    status = lb_stepper_create(m, NULL, NULL, &st, err);
  }
  if (status == LB_OK) {
    status = lb_assemble(m, d, err);
  }
  const double start = now();
  for (int i = 0; i < j->steps && status == LB_OK; i++) {
    status = lb_stepper_step(st, d, step_size, err);
  }
  *rate = j->steps / (now() - start);
  lb_stepper_release(st);
  lb_data_release(d);
  return status;
}

int main(int argc, char** argv) {
  static const job jobs[] = {{"rod", 0.5, 600}, {"drummer", 0, 60}};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  int failed = 0;
  printf("all nodes of elastic characters, implicit steps of 0.5 ms\n");
  printf("%-12s %12s %12s\n", "scene", "unknowns", "steps/s");
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    char path[512];
    lb_error err = lb_error_make(NULL);
    lb_model* m = NULL;
    double rate = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, jobs[i].name);
    lb_status status = load(path, &m, &err);
    if (status == LB_OK) {
      status = run(lb_model_simulated(m), &jobs[i], &rate, &err);
    }
    if (status == LB_OK) {
      printf("%-12s %12d %12.1f\n", jobs[i].name, lb_model_simulated(m)->nv, rate);
    } else {
      printf("%-12s FAILED: %s\n", jobs[i].name, err.count ? err.message[0].text : "");
      failed = 1;
    }
    lb_model_release(m);
    lb_error_clear(&err);
  }
  return failed;
}
