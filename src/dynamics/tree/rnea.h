// Inverse dynamics with the external forces that lb_forces_apply left on the links.
#pragma once
#include "limber/dynamics.h"

void lb_rnea_forced(const lb_model* m, lb_data* d, double* tau, const double* q, const double* qd,
                    const double* qdd);

// Inverse dynamics at d's q and qd, whose links are posed.
void lb_rnea_moved(const lb_model* m, lb_data* d, double* tau, const double* qdd);

// Inverse dynamics without external forces, whose links are posed.
void lb_rnea_again(const lb_model* m, lb_data* d, double* tau, const double* qdd);
