// Inside of an analysis.
#pragma once
#include "limber/analysis.h"
#include "limber/dynamics.h"

// The next frame: where d is, with the joint forces torque [nv] that inverse dynamics found.
void lb_analysis_put(lb_analysis* a, lb_data* d, const double* torque);
