// Small changes on the way through an explicit step: of the numbers q, quaternions as four of them,
// [nq], and xi, counted along velocities, [nv]. Maps of two changes x and y to one, joint by joint.
#pragma once
#include "limber/model.h"

typedef enum lb_change {
  LB_CHANGE_LIFT,    // dq of xi
  LB_CHANGE_PROJECT, // xi of dq; q's length does not matter, nor that of dq along it
  LB_CHANGE_RATE,    // change of lb_rates, by dq and dv
  LB_CHANGE_ADVANCE  // xi of the end of lb_advance along v for h, by that of its start and dv
} lb_change;

// Point of the map; arguments it does not depend on are left out.
typedef struct lb_change_at {
  const double *q, *v;
  double h;
} lb_change_at;

// out = A x + B y, y NULL where there is none; and the transpose, x += A'by and y += B'by.
void lb_change_pass(lb_change map, const lb_model* m, lb_change_at at, double* out, const double* x,
                    const double* y);
void lb_change_return(lb_change map, const lb_model* m, lb_change_at at, double* x, double* y,
                      const double* by);
