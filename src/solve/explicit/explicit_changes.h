// Small changes on the way through an explicit step: of the numbers q, quaternions as four of them,
// and xi, counted along velocities. Each map and its transpose, which adds to its results.
#pragma once
#include "limber/model.h"

// dq = d(q)/d(xi) xi
void lb_changes_lift(const lb_model* m, const double* q, double* dq, const double* xi);
void lb_changes_lift_back(const lb_model* m, const double* q, double* xi, const double* dq);

// xi of a change dq; q's length does not matter, nor that of dq along it.
void lb_changes_settle(const lb_model* m, const double* q, double* xi, const double* dq);
void lb_changes_settle_back(const lb_model* m, const double* q, double* dq, const double* xi);

// Of lb_rates.
void lb_changes_rate(const lb_model* m, const double* q, const double* v, double* out,
                     const double* dq, const double* dv);
void lb_changes_rate_back(const lb_model* m, const double* q, const double* v, double* dq,
                          double* dv, const double* by);

// Of lb_advance: xi of its end by that of its start and dv.
void lb_changes_advance(const lb_model* m, const double* v, double h, double* out, const double* xi,
                        const double* dv);
void lb_changes_advance_back(const lb_model* m, const double* v, double h, double* xi, double* dv,
                             const double* by);
