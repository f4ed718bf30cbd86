// A world that forces act on, stepped by any integrator.
#pragma once
#include "limber/limber.h"
#include "test.h"

static inline lb_model* model_of(const char* text, lb_coordinates coordinates) {
  lb_scene scene;
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  if (status == LB_OK) {
    scene.solver.coordinates = coordinates;
    status = lb_model_create(&scene, NULL, &m, &err);
    lb_scene_release(&scene);
  }
  if (status != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return m;
}

typedef struct world {
  lb_model* m;
  lb_data* d;
} world;

static inline world start(const char* text) {
  world w = {.m = model_of(text, LB_COORDINATES_REDUCED)};
  assert_int_equal(lb_data_create(w.m, NULL, &w.d, NULL), LB_OK);
  return w;
}

static inline void stop(world* w) {
  lb_data_release(w->d);
  lb_model_release(w->m);
}

static inline void step_to(world* w, lb_integrator integrator, double h, double end) {
  const lb_scene_solver solver = {.integrator = integrator, .step = h};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(w->m, &solver, NULL, &st, NULL), LB_OK);
  for (int i = 0; i < lround(end / h); i++) {
    assert_int_equal(lb_stepper_step(st, w->d, h, NULL), LB_OK);
  }
  lb_stepper_release(st);
}

static inline double energy(const world* w) {
  return lb_kinetic_energy(w->m, w->d) + lb_potential_energy(w->m, w->d);
}
