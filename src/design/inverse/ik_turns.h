// Whole turns of coordinates that inverse kinematics found, and jumps between samples.
#pragma once
#include "limber/ik.h"

// Take back whole turns, so that each coordinate is the nearest to `before` [nq] of those with the
// same pose: q -= 2 pi round((q - before) / (2 pi)). Coordinates keep to their limits, and those
// of couplings stay.
void lb_ik_unwind(const lb_model* model, const double* before, double* q);

// Note the first angle that changes by more than a quarter turn between two samples of these times.
void lb_ik_note_jump(lb_ik* ik, double begin, double end);
