// Motor commands: by a caller, or by profiles.
#pragma once
#include "limber/dynamics.h"

// Force, or position, velocity and acceleration, of a motor on one coordinate at d's time.
void lb_motor_evaluate(const lb_model* m, const lb_data* d, int motor, double value[3]);
