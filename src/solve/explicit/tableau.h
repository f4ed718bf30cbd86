// Butcher tables of the explicit Runge-Kutta methods:
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y+ = y + h sum_i b_i k_i
#pragma once
#include "base/arena.h"
#include "limber/scene.h"

typedef struct lb_tableau {
  int stages;
  const double* a; // [stages * stages]
  const double* b;
  const double* c;
} lb_tableau;

// That of rk4 or rk8, which adaptive steps have, too; false: no memory.
bool lb_tableau_make(lb_integrator integrator, lb_arena* arena, lb_tableau* out);
