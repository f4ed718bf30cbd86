// What tests of ropes and deformables share.
#pragma once
#include "compile.h"
#include "counting.h"

static inline lb_data* data_of(const lb_model* m) {
  lb_data* d = NULL;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  return d;
}

static inline void run(const lb_model* m, lb_data* d, lb_integrator integrator, double h,
                       int steps) {
  lb_scene_solver solver = m->solver;
  solver.integrator = integrator;
  lb_stepper* st = NULL;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  lb_error err = lb_error_make(NULL);
  for (int i = 0; i < steps; i++) {
    if (lb_stepper_step(st, d, h, &err) != LB_OK) {
      fail_msg("step %d of integrator %d: %s", i, (int)integrator, err.message[0].text);
    }
  }
  lb_stepper_release(st);
}
