// A recorded walk, from markers to muscles, beside what OpenSim is known to take. The data are
// those of its example3DWalking, in the folder FOLDER.
//
//   limber_bench_analyse FOLDER
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "limber/ik.h"
#include "limber/job.h"
#include "limber/limber.h"

enum { ROUNDS = 5, FORWARD = 500 };

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char* path_of(const char* folder, const char* name) {
  static char path[4][4096];
  static int next;
  char* out = path[next++ % 4];
  snprintf(out, sizeof path[0], "%s/%s", folder, name);
  return out;
}

static void need(lb_status status, const lb_error* err) {
  if (status != LB_OK) {
    fprintf(stderr, "limber_bench_analyse: %s\n", err->count ? err->message[0].text : "failed");
    exit(1);
  }
}

// Poses by markers, and accelerations of all coordinates with 80 muscles that pull.
static void time_parts(const char* folder) {
  lb_error err = lb_error_make(NULL);
  lb_scene scene;
  lb_model* m = NULL;
  lb_markers* markers = NULL;
  need(lb_scene_read(path_of(folder, "subject_walk_scaled.osim"), NULL, &scene, &err), &err);
  need(lb_model_create(&scene, NULL, &m, &err), &err);
  need(lb_markers_read(path_of(folder, "markers_walk.trc"), &scene, false, NULL, &markers, &err),
       &err);
  double best = INFINITY, forward = INFINITY;
  const lb_ik_options o = lb_ik_default();
  for (int i = 0; i < ROUNDS; i++) {
    lb_ik* ik = NULL;
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    need(lb_inverse_kinematics(m, markers, &o, NULL, &ik, &err), &err);
    best = fmin(best, (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / ik->nsample);
    lb_ik_release(ik);
  }
  lb_data* d = NULL;
  need(lb_data_create(m, NULL, &d, &err), &err);
  for (int i = 0; i < FORWARD; i++) {
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    lb_forward(m, d);
    forward = fmin(forward, seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
  }
  printf("inverse kinematics, %d markers    %10.3f ms a sample   (OpenSim: 59 ms, "
         "opensim-core#2702)\n",
         markers->nmarker, 1e3 * best);
  printf("lengths, arms, forces, qdd        %10.1f us, %d muscles (asked: 100 us)\n", 1e6 * forward,
         m->muscle.count);
  lb_data_release(d);
  lb_markers_release(markers);
  lb_model_release(m);
  lb_scene_release(&scene);
}

static void time_whole(const char* folder, const char* out) {
  double cpu = INFINITY, wall = INFINITY;
  for (int i = 0; i < ROUNDS; i++) {
    lb_error err = lb_error_make(NULL);
    lb_job* job = NULL;
    lb_job_options o = lb_job_default();
    o.kind = "analyse";
    o.scene = path_of(folder, "subject_walk_scaled.osim");
    o.table = path_of(folder, "markers_walk.trc");
    o.forces = path_of(folder, "grf_walk.xml");
    o.tasks = path_of(folder, "ik_tasks_walk.xml");
    o.out = out;
    const double from = seconds(CLOCK_PROCESS_CPUTIME_ID), since = seconds(CLOCK_MONOTONIC);
    need(lb_job_create(&o, NULL, &job, &err), &err);
    need(lb_job_load(job, &err), &err);
    need(lb_job_run(job, &err), &err);
    need(lb_job_write(job, &err), &err);
    cpu = fmin(cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - from);
    wall = fmin(wall, seconds(CLOCK_MONOTONIC) - since);
    lb_job_release(job);
    lb_error_clear(&err);
  }
  printf("markers to muscles, all files     %10.2f s of processor, %.2f s of wall  (asked: 2 s; "
         "OpenSim: 28 s for the poses of 478 samples, ~50 s for static optimisation of a stance)\n",
         cpu, wall);
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : "";
  char out[] = "/tmp/limber_bench_XXXXXX", command[80];
  if (access(path_of(folder, "subject_walk_scaled.osim"), R_OK) != 0 || !mkdtemp(out)) {
    printf("no recorded walk to analyse (LIMBER_SHARED names the folder of reference data)\n");
    return 0;
  }
  printf("a walk of 238 samples, 33 coordinates, 80 muscles (least of %d)\n", ROUNDS);
  time_parts(folder);
  time_whole(folder, out);
  snprintf(command, sizeof command, "rm -r %s", out);
  return system(command) == 0 ? 0 : 1;
}
