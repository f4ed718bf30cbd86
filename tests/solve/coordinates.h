// The same scene in reduced and in maximal coordinates, stepped implicitly: the two share neither
// unknowns nor constraints, so what they differ by must be the error of the steps, of second order.
#pragma once
#include "motions.h"

typedef struct pair {
  const char* scene;
  lb_model *reduced, *maximal;
} pair;

static inline pair make_pair(const char* name) {
  pair p = {.scene = name};
  lb_scene scene = motion_scene(name);
  p.reduced = motion_model(&scene);
  scene.solver.coordinates = LB_COORDINATES_MAXIMAL;
  p.maximal = motion_model(&scene);
  lb_scene_release(&scene);
  return p;
}

static inline void release_pair(pair* p) {
  lb_model_release(p->reduced);
  lb_model_release(p->maximal);
}

// With steps of h, h/2, ... over a time in which the scene moves.
static inline void check_pair(const pair* p, double duration, double step, int halvings) {
  static motion reduced, maximal;
  double before = 0;
  for (int i = 0; i <= halvings; i++) {
    const double h = ldexp(step, -i);
    motion_run(&reduced, p->reduced, h, duration, duration / 15);
    motion_run(&maximal, p->maximal, h, duration, duration / 15);
    const double apart = motion_apart(&reduced, &maximal);
    const double order = motion_order(before, apart);
    print_message("%-10s %g ms: %.3g m apart", p->scene, 1e3 * h, apart);
    if (i > 0) {
      print_message(", order %.2f", order);
    }
    print_message("; %d and %d coordinates, reduced ones %.1f times as fast\n", p->reduced->nv,
                  p->maximal->nv, maximal.seconds / reduced.seconds);
    assert_below(apart, 1e-4);
    if (i > 0) {
      assert_above(order, 1.8);
      assert_below(order, 2.3);
    }
    before = apart;
  }
}
