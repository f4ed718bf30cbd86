// Collocation: the time to find motions and to follow a walk, beside what is published of others.
// The walk is OpenSim's example3DWalking, where LIMBER_SHARED names a folder that has it.
//
//   limber_bench_track SCENES [THREADS]
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "budget.h"
#include "limber/collocate.h"
#include "limber/job.h"

#define CORE "/data/osim/opensim-core/OpenSim"
#define WALK CORE "/Examples/Moco/example3DWalking"
#define GAIT CORE "/Moco/Test/walk_gait1018"

typedef struct task {
  const char *name, *model, *collocate, *motion, *forces;
  double begin, end;
  const char* published;
} task;

static double wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const char* name, const lb_job_options* o, const char* published) {
  lb_job* j = NULL;
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_job_create(o, NULL, &j, &err);
  status = status == LB_OK ? lb_job_load(j, &err) : status;
  const double start = wall(), spent = bench_now();
  status = status == LB_OK ? lb_job_run(j, &err) : status;
  const double took = wall() - start, used = bench_now() - spent;
  if (status != LB_OK) {
    printf("%-34s %s\n", name, err.count ? err.message[0].text : "failed");
  } else {
    const lb_collocation* c = lb_job_summary(j)->collocation;
    printf("%-34s %6d %8d %6d %9.2f %9.2f   %s\n", name, c->nnode, c->variables, c->iterations,
           took, used, published);
  }
  lb_job_release(j);
  lb_error_clear(&err);
}

static void run_shared(const char* shared, const task* t, int threads) {
  char model[1000], motion[1000], forces[1000], text[3000];
  snprintf(model, sizeof model, "%s%s", shared, t->model);
  snprintf(motion, sizeof motion, "%s%s", shared, t->motion);
  snprintf(forces, sizeof forces, "%s%s", shared, t->forces ? t->forces : "");
  snprintf(text, sizeof text, "limber: 1\ninclude: %s\ncollocate: %s\n", model, t->collocate);
  lb_job_options o = lb_job_default();
  o.kind = "track";
  o.scene = "/walk.yaml";
  o.text = text;
  o.table = motion;
  o.forces = t->forces ? forces : NULL;
  o.cutoff = 6;
  o.begin = t->begin;
  o.end = t->end;
  o.threads = threads;
  o.stiff = true;
  run(t->name, &o, t->published);
}

int main(int argc, char** argv) {
  static const task tasks[] = {
      {"gait10dof18musc, torques, 0.5 s", GAIT "_subject01.osim",
       "{intervals: 25, muscles: idle, reserves: 1e5, effort: {reserves: 1e-2}}",
       GAIT "_state_reference.mot", GAIT "_subject01_grf.xml", 0.5, 1, "MocoTrack 14.9 s"},
      {"walk, torques", WALK "/subject_walk_scaled.osim",
       "{intervals: 50, muscles: idle, reserves: 1e5, effort: {reserves: 1e-2}}",
       WALK "/coordinates.sto", WALK "/grf_walk.xml", 0.48, 1.61, "MocoTrack ~10 min, 12 cores"},
      {"walk, 80 muscles, stiff tendons", WALK "/subject_walk_scaled.osim",
       "{intervals: 25, instant: true, reserves: 1e5, effort: {reserves: 1, "
       "muscles: 100}}",
       WALK "/coordinates.sto", WALK "/grf_walk.xml", 0.48, 1.61, "MocoTrack ~35 min, 12 cores"},
  };
  const char* scenes = argc > 1 ? argv[1] : "scenes";
  const int threads = argc > 2 ? atoi(argv[2]) : 2;
  static const char* const own[] = {"collocate-swing-up", "collocate-reach", "collocate-walk"};
  printf("collocation, %d threads %22s %8s %6s %9s %9s   %s\n", threads, "nodes", "numbers",
         "iter.", "wall [s]", "cpu [s]", "published");
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.yaml", scenes, own[i]);
    lb_job_options o = lb_job_default();
    o.kind = "track";
    o.scene = path;
    o.threads = threads;
    run(own[i], &o, "");
  }
  const char* shared = getenv("LIMBER_SHARED");
  for (size_t i = 0; shared && *shared && i < sizeof tasks / sizeof *tasks; i++) {
    run_shared(shared, &tasks[i], threads);
  }
  return 0;
}
