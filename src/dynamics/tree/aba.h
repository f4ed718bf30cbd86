// Inner form of the articulated-body algorithm.
#pragma once
#include "limber/dynamics.h"

// Accelerations from kinematics that are in place. Hybrid: links under a position motor keep their
// qdd, and external forces act.
void lb_aba_solve(const lb_model* m, lb_data* d, double* qdd, const double* tau, bool hybrid);
