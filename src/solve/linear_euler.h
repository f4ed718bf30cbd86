// What others may set of the linearly implicit stepper.
#pragma once
#include "limber/simulate.h"

// Loops close at this pace [1/s], J v = -pace gap, in place of within a step: for comparisons with
// programs that do so.
void lb_linear_euler_close_at(lb_stepper* st, double pace);
