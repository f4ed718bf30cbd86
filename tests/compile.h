// A model from a scene's text.
#pragma once
#include "limber/limber.h"
#include "test.h"

static inline lb_model* compile(const char* text) {
  lb_scene scene;
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  lb_status status = lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err);
  if (status == LB_OK) {
    status = lb_model_create(&scene, NULL, &m, &err);
    lb_scene_release(&scene);
  }
  if (status != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_error_clear(&err);
  return m;
}
