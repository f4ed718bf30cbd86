// A search on scenes/walker-to-design.yaml.
#pragma once
#include "optimizing.h"

// Mean speed that the scene's goal, 1 m/s, is missed by.
static inline double walker_speed(double objective) {
  return 1 - sqrt(objective);
}

// So many iterations make it so many times as fast.
static inline void check_walker(int iterations, double faster) {
  problem p;
  lb_error err = lb_error_make(NULL);
  double x[MOST], found = NAN;
  const lb_optimize_options options = {0};
  if (lb_scene_read(LIMBER_SOURCE_DIR "/scenes/walker-to-design.yaml", NULL, &p.scene, &err) !=
          LB_OK ||
      lb_optimization_create(&p.scene, NULL, &p.o, &err) != LB_OK) {
    complain(&err);
  }
  p.scene.optimize.iterations = iterations;
  memcpy(x, p.o->start, (size_t)p.o->nvalue * sizeof *x);
  const double before = walker_speed(evaluate(&p, x, NULL));
  if (lb_optimize_run(p.o, &options, x, &found, &err) != LB_OK) {
    complain(&err);
  }
  print_message("%.3f m/s, and %.3f m/s after %d iterations and %d runs\n", before,
                walker_speed(found), iterations, p.o->runs);
  assert_at_least(walker_speed(found), faster * before);
  close_problem(&p);
}
