// A scene's text with all that running it takes.
#pragma once
#include "limber/limber.h"
#include "test.h"

typedef struct world {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} world;

static inline world open_world(const char* text) {
  lb_scene scene;
  world w = {0};
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&scene, NULL, &w.m, &err);
    lb_scene_release(&scene);
  }
  status = status != LB_OK ? status : lb_data_create(w.m, NULL, &w.d, &err);
  status = status != LB_OK ? status : lb_stepper_create(w.m, NULL, NULL, &w.st, &err);
  status = status != LB_OK ? status : lb_assemble(w.m, w.d, &err);
  if (status != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return w;
}

static inline void run(world* w, int steps, double h) {
  lb_error err = lb_error_make(NULL);
  for (int i = 0; i < steps; i++) {
    if (lb_stepper_step(w->st, w->d, h, &err) != LB_OK) {
      print_error("%s\n", err.message[0].text);
      fail();
    }
  }
  lb_error_clear(&err);
}

static inline void close_world(world* w) {
  lb_stepper_release(w->st);
  lb_data_release(w->d);
  lb_model_release(w->m);
}

// A rod that hangs from its origin.
#define ROD(name, length)                                                                          \
  name ": {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -" length "]}}}\n"
