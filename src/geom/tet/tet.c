// Shape functions and quadrature on the reference tetrahedron.
#include "geom/tet/tet.h"

#include <stddef.h>

#include "math/space/mat3.h"

int lb_tet_stiffness_rule(int order, lb_tet_point point[LB_TET_STIFFNESS_MOST]) {
  if (order == 1) {
    point[0] = (lb_tet_point){{0.25, 0.25, 0.25}, 1.0 / 6};
    return 1;
  }
  const double a = 0.13819660112501051518; // (5 - sqrt 5) / 20
  const double b = 1 - 3 * a;
  for (int q = 0; q < 4; q++) {
    point[q] = (lb_tet_point){{q == 1 ? b : a, q == 2 ? b : a, q == 3 ? b : a}, 1.0 / 24};
  }
  return 4;
}

// Collapsed coordinates: x = a, y = b (1 - a), z = c (1 - a) (1 - b) take the cube to the
// tetrahedron with Jacobian (1 - a)^2 (1 - b). Four Gauss-Jacobi points for each of the weights
// (1 - a)^2, (1 - b) and 1 integrate all polynomials of degree 7.
void lb_tet_exact_rule(lb_tet_point point[LB_TET_EXACT_POINTS]) {
  static const double A[4] = {0.04850054944699732929, 0.23860073755186230505,
                              0.51704729510436750234, 0.79585141789677286330};
  static const double wa[4] = {0.11088841561127798368, 0.14345878979921420904,
                               0.06863388717292307531, 0.01035224074991806528};
  static const double B[4] = {0.05710419611451768219, 0.27684301363812382768,
                              0.58359043236891682005, 0.86024013565621944784};
  static const double wb[4] = {0.13550691343148811620, 0.20346456801027136079,
                               0.12984754760823244082, 0.03118097095000808217};
  static const double C[4] = {0.06943184420297371238, 0.33000947820757186759,
                              0.66999052179242813240, 0.93056815579702628761};
  static const double wc[4] = {0.17392742256872692868, 0.32607257743127307131,
                               0.32607257743127307131, 0.17392742256872692868};
  for (int q = 0; q < LB_TET_EXACT_POINTS; q++) {
    const int i = q / 16, j = q / 4 % 4, k = q % 4;
    const double y = B[j] * (1 - A[i]);
    point[q] = (lb_tet_point){{A[i], y, C[k] * (1 - A[i]) * (1 - B[j])}, wa[i] * wb[j] * wc[k]};
  }
}

// With barycentric coordinates L0 = 1 - x - y - z, L1 = x, L2 = y, L3 = z:
// linear N_i = L_i; quadratic N_i = L_i (2 L_i - 1) at corners, 4 L_i L_j on edges.
void lb_tet_shapes(int order, lb_vec3 x, double N[LB_TET_MOST_NODES],
                   lb_vec3 dN[LB_TET_MOST_NODES]) {
  static const int edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
  static const lb_vec3 dL[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double L[4] = {1 - x.x - x.y - x.z, x.x, x.y, x.z};
  for (int i = 0; i < 4; i++) {
    if (N) {
      N[i] = order == 1 ? L[i] : L[i] * (2 * L[i] - 1);
    }
    if (dN) {
      dN[i] = lb_vec3_scale(order == 1 ? 1 : 4 * L[i] - 1, dL[i]);
    }
  }
  for (int k = 0; order == 2 && k < 6; k++) {
    const int i = edge[k][0], j = edge[k][1];
    if (N) {
      N[4 + k] = 4 * L[i] * L[j];
    }
    if (dN) {
      dN[4 + k] = lb_vec3_add(lb_vec3_scale(4 * L[i], dL[j]), lb_vec3_scale(4 * L[j], dL[i]));
    }
  }
}

lb_mat3 lb_tet_jacobian(int order, const lb_vec3* X, lb_vec3 x) {
  lb_vec3 dN[LB_TET_MOST_NODES];
  lb_tet_shapes(order, x, NULL, dN);
  lb_mat3 J = lb_mat3_diagonal(0);
  for (int i = 0; i < (order == 1 ? 4 : 10); i++) {
    J = lb_mat3_add(J, lb_mat3_outer(X[i], dN[i]));
  }
  return J;
}
