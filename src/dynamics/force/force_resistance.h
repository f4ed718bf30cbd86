// Matrices of springs, dampers and limits of joints in implicit steps (force.h).
#pragma once
#include "limber/dynamics.h"

// To Newton's matrix, as lb_resistance_stiffen.
void lb_joint_springs_stiffen(const lb_model* m, const double* q, double* W, double dt);
void lb_limits_stiffen(const lb_model* m, const lb_data* d, double* W, double dt);
// Limits' part of lb_resistance_diagonals, added.
void lb_limits_diagonals(const lb_model* m, const lb_data* d, double* K, double* C);
