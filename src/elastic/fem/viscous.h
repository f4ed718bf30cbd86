// Damping of deformables: Kelvin and Voigt's, on linear tetrahedra. Stress in proportion to the
// rate of Green's strain,
//
//   S = beta (2 mu Ed + la tr(Ed) 1),   Ed = sym(F'Fd),   P = F S
//
// resists no rotation, however fast and under whatever stress, so that it keeps angular momentum,
// and never gives energy. For small strains it is beta K v, as in bodies that move in a basis. With
// the gradients g_a of the shape functions and p_a = F g_a the forces are f_a = -w P g_a, and
//
//   -df_a/dv_b = w (mu ((g_a.g_b) F F' + p_b p_a') + la p_a p_b')
//
// symmetric and not negative. With S(A, B) = mu (A'B + B'A) + la tr(A'B) 1, so that P = F S(F, Fd),
// and changes dF of places,
//
//   dP = dF S(F, Fd) + F S(dF, Fd),
//   -df_a/dx_b = g_a.S g_b 1 + mu ((g_a.g_b) F Fd' + p_b d_a') + la p_a d_b',   d_a = Fd g_a
//
// which is not symmetric: <Y, dP> = <Y S(F, Fd) + Fd S(F, Y), dF>. Those who iterate can do
// without.
#pragma once
#include "base/arena.h"
#include "elastic/fem/material.h"
#include "geom/tet/tetmesh.h"
#include "math/space/simd.h"

typedef struct lb_viscous_element {
  int node[4];
  int region;    // of the mesh
  lb_v4 g[4];    // gradients of the shape functions
  double mu, la; // Lame's constants, times the volume and beta
} lb_viscous_element;

typedef struct lb_viscous {
  int nelem; // 0: nothing is damped
  lb_viscous_element* elem;
} lb_viscous;

// Elements of a mesh of order 1 whose materials damp by stiffness.
lb_status lb_viscous_create(lb_viscous* v, const lb_tetmesh* mesh, const lb_material* material,
                            lb_arena* arena);

// f -= the forces that resist velocities xd at places x; all [3 * nnode].
void lb_viscous_add_force(const lb_viscous* v, double* f, const double* x, const double* xd);

// F of an element at x, and its block of nodes a and b.
lb_m3 lb_viscous_gradient(const lb_viscous_element* e, const double* x);
lb_m3 lb_viscous_block(const lb_viscous_element* e, lb_m3 F, int a, int b);

// -df_a/dx_b, with Fd the gradient of the velocities.
lb_m3 lb_viscous_block_by_place(const lb_viscous_element* e, lb_m3 F, lb_m3 Fd, int a, int b);
// y -= the change of the forces by changes z of the places; and the transpose of that.
void lb_viscous_add_change(const lb_viscous* v, double* y, const double* x, const double* xd,
                           const double* z, bool transposed);
