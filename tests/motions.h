// Runs of one scene that differ in the step or in the coordinates, to be compared: where its bodies
// are at times that all of the runs share, and how long they took.
#pragma once
#include <time.h>

#include "limber/limber.h"
#include "test.h"

enum { MOTION_BODIES = 64, MOTION_SAMPLES = 64 };

typedef struct motion {
  int nbody, nsample;
  lb_vec3 p[MOTION_SAMPLES][MOTION_BODIES];
  double seconds; // of computing
} motion;

static inline lb_scene motion_scene(const char* name) {
  char path[1024];
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  snprintf(path, sizeof path, LIMBER_SOURCE_DIR "/scenes/%s.yaml", name);
  if (lb_scene_read(path, NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  return scene;
}

static inline lb_model* motion_model(const lb_scene* scene) {
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(scene, NULL, &m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  return m;
}

static inline void motion_sample(motion* to, const lb_model* m, lb_data* d) {
  lb_poses(m, d);
  for (int i = 0; i < m->nbody; i++) {
    to->p[to->nsample][i] = d->pose[i].p;
  }
  to->nsample++;
}

// From the start for `duration`, with steps of h; positions every `every`.
static inline void motion_run(motion* to, const lb_model* m, double h, double duration,
                              double every) {
  lb_data* d;
  lb_stepper* st;
  lb_error err = lb_error_make(NULL);
  const long steps = lround(duration / h), stride = lround(every / h);
  assert_at_most(m->nbody, MOTION_BODIES);
  assert_below(steps / stride, MOTION_SAMPLES);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, &err), LB_OK);
  to->nbody = m->nbody;
  to->nsample = 0;
  const clock_t start = clock();
  for (long i = 1; i <= steps; i++) {
    if (lb_stepper_step(st, d, h, &err) != LB_OK) {
      print_error("%s\n", err.message[0].text);
      fail();
    }
    d->time = (double)i * h;
    if (i % stride == 0) {
      motion_sample(to, m, d);
    }
  }
  to->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  lb_stepper_release(st);
  lb_data_release(d);
}

// The farthest that a body is from where the other run has it [m].
static inline double motion_apart(const motion* a, const motion* b) {
  double worst = 0;
  assert_true(a->nbody == b->nbody && a->nsample == b->nsample);
  for (int s = 0; s < a->nsample; s++) {
    for (int i = 0; i < a->nbody; i++) {
      worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(a->p[s][i], b->p[s][i])));
    }
  }
  return worst;
}

// How often halving the step halved it.
static inline double motion_order(double coarse, double fine) {
  return log2(coarse / fine);
}
