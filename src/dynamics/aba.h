// Inner form of the articulated-body algorithm.
#pragma once
#include "limber/dynamics.h"

typedef struct lb_aba_job {
  const lb_model* m;
  struct lb_work* w;
  double* qdd;       // in: of driven links when hybrid; out: of the others
  const double* tau; // [nv]
  bool hybrid;       // links under a position motor keep their qdd, and external forces act
} lb_aba_job;

// Accelerations from kinematics that are in place.
void lb_aba_solve(const lb_model* m, lb_data* d, double* qdd, const double* tau, bool hybrid);
