// The reference tetrahedron: shape functions of 4 and 10 nodes and quadrature. Coordinates
// (x, y, z) >= 0 with x + y + z <= 1; node 0 at the origin, nodes 1, 2, 3 on the axes.
#pragma once
#include "limber/math.h"

/// A point with its weight; weights of a rule sum to the volume, 1/6.
typedef struct lb_tet_point {
  lb_vec3 x;
  double w;
} lb_tet_point;

enum {
  LB_TET_MOST_NODES = 10,
  LB_TET_STIFFNESS_MOST = 4, ///< points of the stiffness rule, at most
  LB_TET_EXACT_POINTS = 64
};

/// The rule for internal forces: 1 point for order 1, 4 for order 2 (exact to degree 2: all that
/// straight quadratic elements need in small strain). Returns how many.
int lb_tet_stiffness_rule(int order, lb_tet_point point[LB_TET_STIFFNESS_MOST]);

/// A rule exact to degree 7, which is what the mass of a curved quadratic element needs.
void lb_tet_exact_rule(lb_tet_point point[LB_TET_EXACT_POINTS]);

/// Values and gradients of the shape functions at x; either output may be NULL.
void lb_tet_shapes(int order, lb_vec3 x, double N[LB_TET_MOST_NODES],
                   lb_vec3 dN[LB_TET_MOST_NODES]);

/// dX/dx of an element whose nodes are at X.
lb_mat3 lb_tet_jacobian(int order, const lb_vec3* X, lb_vec3 x);
