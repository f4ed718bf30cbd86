// Butcher tables of the explicit Runge-Kutta methods:
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y+ = y + h sum_i b_i k_i
//
// A semi-implicit one adds up velocities so, and q+ is q moved along v+ for h.
#pragma once
#include "base/arena.h"
#include "limber/dynamics.h"

typedef struct lb_tableau {
  int stages;
  const double* a; // [stages * stages]
  const double* b;
  const double* c;
  bool semi_implicit;
} lb_tableau;

// d's state from y [nq + nv] and slopes k [stages][nq + nv]: y + h sum_j weight_j k_j.
void lb_tableau_combine(const lb_model* m, lb_data* d, const double* y, double h, int stages,
                        const double* weight, const double* slope);

// Fehlberg's, of order 8; false: no memory.
bool lb_tableau_rk8(lb_arena* arena, lb_tableau* out);
