// Matrices of springs, dampers, limits and servos of joints in implicit steps (force.h).
#pragma once
#include "limber/dynamics.h"

// To Newton's matrix, as lb_resistance_stiffen.
void lb_joint_springs_stiffen(const lb_model* m, const double* q, double* W, double dt);
void lb_limits_stiffen(const lb_model* m, const lb_data* d, double* W, double dt);
void lb_servos_stiffen(const lb_model* m, const lb_data* d, double* W, double dt);
// Limits' and servos' part of lb_resistance_diagonals, added.
void lb_limits_diagonals(const lb_model* m, const lb_data* d, double* K, double* C);
void lb_servos_diagonals(const lb_model* m, const lb_data* d, double* K, double* C);
