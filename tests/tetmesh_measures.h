// What tests measure of tetrahedral meshes: loads on their surfaces, and the quality of elements.
#pragma once
#include <math.h>
#include <string.h>

#include "geom/tet/tet.h"
#include "geom/tet/tetmesh.h"
#include "math/space/mat3.h"

// Shape functions of a face and their derivatives at (r, s).
static inline void face_shapes(int size, double r, double s, double N[6], double dr[6],
                               double ds[6]) {
  const double t = 1 - r - s;
  if (size == 3) {
    const double n[3] = {t, r, s}, a[3] = {-1, 1, 0}, b[3] = {-1, 0, 1};
    memcpy(N, n, sizeof n);
    memcpy(dr, a, sizeof a);
    memcpy(ds, b, sizeof b);
    return;
  }
  const double n[6] = {t * (2 * t - 1), r * (2 * r - 1), s * (2 * s - 1),
                       4 * t * r,       4 * r * s,       4 * s * t};
  const double a[6] = {1 - 4 * t, 4 * r - 1, 0, 4 * (t - r), 4 * s, -4 * s};
  const double b[6] = {1 - 4 * t, 0, 4 * s - 1, -4 * r, 4 * r, 4 * (t - s)};
  memcpy(N, n, sizeof n);
  memcpy(dr, a, sizeof a);
  memcpy(ds, b, sizeof b);
}

// Radon's rule with seven points, exact to degree 5.
typedef struct face_point {
  double r, s, w;
} face_point;

static const face_point radon[7] = {
    {1.0 / 3, 1.0 / 3, 0.1125},
    {0.47014206410511509, 0.47014206410511509, 0.066197076394253090},
    {0.05971587178976982, 0.47014206410511509, 0.066197076394253090},
    {0.47014206410511509, 0.05971587178976982, 0.066197076394253090},
    {0.10128650732345634, 0.10128650732345634, 0.062969590272413576},
    {0.79742698535308732, 0.10128650732345634, 0.062969590272413576},
    {0.10128650732345634, 0.79742698535308732, 0.062969590272413576}};

// The surface's consistent load: out[i] += pressure-like integral of node i's shape function [m^2],
// for tractions that converge at full order. out [nnode].
static inline void lb_tetmesh_surface_load(const lb_tetmesh* mesh,
                                           const lb_tetmesh_surface* surface, double* out) {
  const int size = lb_tetmesh_face_nodes(mesh);
  for (int f = 0; f < surface->nface; f++) {
    const int* v = &surface->face[size * f];
    for (int q = 0; q < 7; q++) {
      double N[6], dr[6], ds[6];
      face_shapes(size, radon[q].r, radon[q].s, N, dr, ds);
      lb_vec3 a = {0}, b = {0};
      for (int k = 0; k < size; k++) {
        a = lb_vec3_add(a, lb_vec3_scale(dr[k], mesh->node[v[k]]));
        b = lb_vec3_add(b, lb_vec3_scale(ds[k], mesh->node[v[k]]));
      }
      const double w = radon[q].w * lb_vec3_norm(lb_vec3_cross(a, b));
      for (int k = 0; k < size; k++) {
        out[v[k]] += w * N[k];
      }
    }
  }
}

// Volume over the cube of the root mean square edge; 1 for a regular tetrahedron, whose volume is
// edge^3 / (6 sqrt 2).
static inline double quality(const lb_vec3* X) {
  double squares = 0;
  for (int k = 0; k < 6; k++) {
    const lb_vec3 d = lb_vec3_sub(X[lb_tetmesh_edge[k][1]], X[lb_tetmesh_edge[k][0]]);
    squares += lb_vec3_dot(d, d);
  }
  const double edge = sqrt(squares / 6);
  const double six_volumes = lb_mat3_determinant(lb_tet_jacobian(1, X, lb_vec3_make(0, 0, 0)));
  return squares > 0 ? sqrt(2) * six_volumes / (edge * edge * edge) : 0;
}

// The smallest and mean quality of the elements' corners: 0 for a flat one, negative when inverted.
static inline void lb_tetmesh_quality(const lb_tetmesh* mesh, double* worst, double* mean) {
  double least = 1, sum = 0;
  for (int e = 0; e < mesh->nelem; e++) {
    lb_vec3 X[4];
    for (int k = 0; k < 4; k++) {
      X[k] = mesh->node[mesh->elem[lb_tetmesh_elem_nodes(mesh) * e + k]];
    }
    const double q = quality(X);
    least = fmin(least, q);
    sum += q;
  }
  *worst = least;
  *mean = mesh->nelem ? sum / mesh->nelem : 0;
}
