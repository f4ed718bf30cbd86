// Generalised forces under bilateral constraints J qd = 0, which may add J' lambda to any. With the
// equations solved for as many coordinates as there are, qd_D = -G qd_I, forces do the same work as
//
//   tau_I - G' tau_D   on the others, and nothing on these
//
// whatever lambda is: joint moments of a knee and of the patella that is coupled to it become one.
#pragma once
#include "base/arena.h"
#include "limber/dynamics.h"

typedef struct lb_coupled {
  int nv, rank;
  int* dependent; // [rank] D
  double* G;      // [rank][nv]
  int most;       // equations that there is room for
} lb_coupled;

lb_coupled lb_coupled_create(lb_arena* arena, const lb_model* m);
// Where d is, with its kinematics in place.
void lb_coupled_find(lb_coupled* c, lb_data* d);
// Move forces tau [nv] away from D.
void lb_coupled_move(const lb_coupled* c, double* tau);
