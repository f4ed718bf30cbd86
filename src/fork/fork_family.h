// Several models of a mechanism as one elastic body whose shapes change with its coordinates
// (elastic/reduced/curved.h).
//
// Coordinates y are those of one chart of all models' effectors. With weights alpha_i of Shepard's
// kind, by squared distances of y to the models' y_i, and ybar = sum alpha_i y_i, amplitudes are
//
//   (1)  z = (alpha_i, alpha_i (y - (y_i + ybar) / 2))   of every model
//
// in which poses xi, joints q and displacements are linear: a model's own, and its tangents. This
// is half way between tangents and chords, as (2) of fork_blend_step.c. Potential energies are
// blended, so that forces are conservative:
//
//   (2)  V = sum a_i V_i,   V_i = v_i + f_i.(y - y_i) + (y - y_i)'K_i (y - y_i) / 2
//
// with a_i ~ 1/distance^3. On the way between two models the errors of both V_i, of third order,
// cancel; and V has the force and the stiffness of each model there.
#pragma once
#include "base/arena.h"
#include "elastic/reduced/curved.h"

typedef struct lb_fork_family {
  int count, r;      // models, coordinates
  double* y;         // [count][r]
  double* v;         // [count] energies of (2)
  double* f;         // [count][r]
  double *K, *D;     // [count][r][r]; damping is sum a_i D_i
  double unit;       // 1 / squared distances, so that weights do not overflow
} lb_fork_family;

static inline int lb_fork_family_amplitudes(const lb_fork_family* g) {
  return g->count * (1 + g->r);
}

// Arrays of a family; NULL: no memory.
lb_fork_family* lb_fork_family_take(int count, int r, lb_arena* arena);
// After y are set.
void lb_fork_family_measure(lb_fork_family* g);
// Energies v from forces and stiffness, after these are set: of the way between two models
//
//   (3)  v_k - v_i = (f_i + f_k).d / 2 + d'(K_i - K_k) d / 12,   d = y_k - y_i
//
// which is exact for energies of fourth order; with more models than two, the least squares of all.
void lb_fork_family_level(lb_fork_family* g);

// (1) as the map of a curved body, and (2) as its forces.
lb_curved lb_fork_family_curve(const lb_fork_family* g, const lb_reduced* flat);
lb_reduced_force lb_fork_family_force(const lb_fork_family* g);
