// Several models of a mechanism as one elastic body whose shapes change with its coordinates
// (elastic/reduced/curved.h).
//
// Coordinates y are those of one chart of all models' effectors. About model i, with d = y - y_i,
// let c_k be the least numbers with p = sum_k c_k (y_k - y_i) as near to d as they can: the part of
// d on the way to other models. Along p derivatives are known to change by those of the models.
// Poses xi, joints q and displacements of points, with values x_i and tangents T_i, are blended of
// expansions to third order, in which second derivatives are S_k and third ones u_k along e_k = y_k
// - y_i,
//
//   (1)  x = sum alpha_i (x_i + T_i d + sum_k c_k S_k (d - p / 2) + c_k^2 u_k (3 t_k - 2 c_k) / 6)
//        u_k = 6 (T_k + T_i) e_k - 12 (x_k - x_i),   S_k = T_k - T_i - u_k e_k'/ (2 e_k.e_k)
//        t_k = e_k.d / e_k.e_k
//
// by Shepard's weights alpha_i ~ 1/|d|^4. So x is linear in amplitudes z, the factors of all x_i
// and T_i. Potential energies are blended of expansions to fourth order, so that forces are
// conservative:
//
//   (2)  V = sum alpha_i (v_i + f_i.d + d'K_i d / 2 + (3 d'A d - 3 p'A d + p'A p) / 6 + sum_k F_k)
//        A = sum_k c_k A_k,   F_k = c_k^2 (6 d'B_k d - 8 c_k e_k'B_k d + 3 c_k^2 e_k'B_k e_k) / 24
//
// A_k and B_k are third and fourth derivatives along e_k, by which the other model's stiffness and
// force come out:
//
//   (3)  K_k - K_i = A_k + B_k / 2,   B_k e_k = 6 (K_k - K_i) e_k - 12 (f_k - f_i - K_i e_k)
//
// V has the force and the stiffness of each model there. Beyond the models c are bounded, between
// -0.3 and 1.3: stiffness far away is near to that of a model.
#pragma once
#include "base/arena.h"
#include "elastic/reduced/curved.h"

typedef struct lb_fork_family {
  int count, r;           // models, coordinates
  double* y;              // [count][r]
  double* slope;          // [count][count][r] of c_k about model i by y
  double* v;              // [count] energies of (2)
  double* f;              // [count][r]
  double *K, *D;          // [count][r][r]; damping is sum a_i D_i
  double *third, *fourth; // [count][count][r][r] A_k and B_k about model i
  double unit;            // 1 / squared distances, so that weights do not overflow
} lb_fork_family;

static inline int lb_fork_family_amplitudes(const lb_fork_family* g) {
  return g->count * (1 + g->r);
}

// Arrays of a family; NULL: no memory.
lb_fork_family* lb_fork_family_take(int count, int r, lb_arena* arena);
// After y are set: unit and slopes. LB_NO_MEMORY, or what LAPACK says.
lb_status lb_fork_family_measure(lb_fork_family* g, lb_arena* scratch);
// Energies v, A and B from forces and stiffness, after these are set: of the way between two models
//
//   (4)  v_k - v_i = (f_i + f_k).d / 2 + d'(K_i - K_k) d / 12,   d = y_k - y_i
//
// which is exact for energies of fourth order; with more models than two, the least squares of all.
void lb_fork_family_level(lb_fork_family* g);

// (1) as the map of a curved body, and (2) as its forces.
lb_curved lb_fork_family_curve(const lb_fork_family* g, const lb_reduced* flat);
lb_reduced_force lb_fork_family_force(const lb_fork_family* g);
