// The same scene in reduced and in maximal coordinates, stepped implicitly: the two share neither
// unknowns nor constraints, so what they differ by must be the error of the steps, of second order.
#pragma once
#include "motion.h"

typedef struct coordinates_case {
  const char* scene;
  double duration; // some motion is in it
  double step;     // the coarsest
} coordinates_case;

// A scene's own error, from three runs.
static inline void check_order(coordinates_case c) {
  static motion run[3];
  lb_scene scene = motion_scene(c.scene);
  lb_model* m = motion_model(&scene);
  lb_scene_release(&scene);
  for (int i = 0; i < 3; i++) {
    motion_run(&run[i], m, ldexp(c.step, -i), c.duration, c.duration / 15);
  }
  const double coarse = motion_apart(&run[0], &run[1]), fine = motion_apart(&run[1], &run[2]);
  const double order = motion_order(coarse, fine);
  print_message("%-10s halving %g ms changes %.3g m, halving again %.3g m: order %.2f\n", c.scene,
                1e3 * c.step, coarse, fine, order);
  assert_true(order > 1.9 && order < 2.2);
  lb_model_release(m);
}

static inline void check_coordinates(coordinates_case c, int halvings) {
  static motion reduced, maximal;
  lb_scene scene = motion_scene(c.scene);
  lb_model* a = motion_model(&scene);
  scene.solver.coordinates = LB_COORDINATES_MAXIMAL;
  lb_model* b = motion_model(&scene);
  lb_scene_release(&scene);
  double before = 0;
  for (int i = 0; i <= halvings; i++) {
    const double h = ldexp(c.step, -i);
    motion_run(&reduced, a, h, c.duration, c.duration / 15);
    motion_run(&maximal, b, h, c.duration, c.duration / 15);
    const double apart = motion_apart(&reduced, &maximal);
    const double order = motion_order(before, apart);
    print_message("%-10s %g ms: %.3g m apart", c.scene, 1e3 * h, apart);
    if (i > 0) {
      print_message(", order %.2f", order);
    }
    print_message("; %d and %d coordinates, reduced ones %.1f times as fast\n", a->nv, b->nv,
                  maximal.seconds / reduced.seconds);
    assert_true(apart < 1e-4 && (i == 0 || (order > 1.8 && order < 2.3)));
    before = apart;
  }
  lb_model_release(a);
  lb_model_release(b);
}
