// A scene from its text, run and recorded.
#pragma once
#include "compile.h"
#include "limber/limber.h"

static lb_recording* run(const char* text) {
  lb_model* m = compile(text);
  lb_recording* r;
  lb_summary s;
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options o = lb_simulate_default();
  assert_int_equal(lb_recording_create(m, 0, NULL, &r, NULL), LB_OK);
  if (lb_simulate(m, &o, r, &s, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
  return r;
}

static void end(lb_recording* r) {
  lb_model* m = (lb_model*)r->model;
  lb_recording_release(r);
  lb_model_release(m);
}
