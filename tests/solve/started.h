// A run with its summary and what it complains of, for runs that may fail.
#pragma once
#include "limber/limber.h"
#include "test.h"

typedef struct run {
  lb_model* m;
  lb_recording* r;
  lb_summary s;
  lb_error err;
} run;

static lb_status start(run* u, const char* text, lb_simulate_options options) {
  lb_scene scene;
  u->err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &u->err) != LB_OK ||
      lb_model_create(&scene, NULL, &u->m, &u->err) != LB_OK ||
      lb_recording_create(u->m, 10, NULL, &u->r, &u->err) != LB_OK) {
    print_error("%s\n", u->err.message[0].text);
    fail();
  }
  lb_scene_release(&scene);
  return lb_simulate(u->m, &options, u->r, &u->s, &u->err);
}

static void finish(run* u) {
  lb_recording_release(u->r);
  lb_model_release(u->m);
  lb_error_clear(&u->err);
}
