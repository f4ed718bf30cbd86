// How long steps of semi-implicit Euler may be for the elastic bodies of a model.
#pragma once
#include "limber/model.h"

// The body that asks for the shortest steps; of none that does, -1 and an infinite step.
typedef struct lb_elastic_limit {
  int body;
  double step, frequency; // elastic/reduced/step_limit.h
} lb_elastic_limit;

// Of bodies made in a basis; those with all their nodes have none.
lb_status lb_elastic_limit_find(const lb_model* m, const lb_allocator* allocator,
                                lb_elastic_limit* out, lb_error* err);

// LB_INVALID with a message at `place` where a step of h is longer.
lb_status lb_elastic_limit_check(const lb_model* m, const lb_elastic_limit* limit, double h,
                                 lb_place place, lb_error* err);
