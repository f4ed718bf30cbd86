// Worlds with contact, from a line of a scene.
#pragma once
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "limber/world.h"
#include "test.h"

static const double GRAVITY = 9.81;

// Head of scenes on a flat floor with a coefficient of friction.
#define FLOOR                                                                                      \
  "contacts: {}\nscenery: [{box: [40, 40, 1], position: [0, 0, -0.5], solid: true, material: "     \
  "m}]\n"

static inline lb_world* contact_world(const char* format, ...) {
  char text[16384];
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  assert_true(length < (int)sizeof text);
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(text, "contact", &err);
  for (int i = 0; i < err.count; i++) {
    fprintf(stderr, "%s\n", err.message[i].text);
  }
  assert_non_null(w);
  lb_error_clear(&err);
  return w;
}

static inline void contact_run(lb_world* w, double until) {
  while (lb_world_time(w) < until - 1e-9) {
    if (lb_world_step(w, 0) != LB_OK) {
      lb_error err = lb_error_make(NULL);
      lb_world_check(w, &err);
      fprintf(stderr, "%s\n", err.count ? err.message[0].text : "no step");
      fail();
    }
  }
}

static inline lb_vec3 contact_place(lb_world* w, const char* body) {
  return lb_world_pose(w, lb_world_find(w, LB_PART_BODY, body)).p;
}
static inline lb_body_velocity contact_velocity(lb_world* w, const char* body) {
  return lb_world_velocity(w, lb_world_find(w, LB_PART_BODY, body));
}
