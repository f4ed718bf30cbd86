// The rotation nearest to a 3 x 3 matrix, and how it changes with the matrix.
#pragma once
#include <stdbool.h>

#include "math/space/mat3.h"

/// A = R S with R a rotation (det R = +1 always) and S symmetric.
typedef struct lb_polar {
  lb_mat3 R;
  lb_sym3 S;
  bool unique; ///< false: rank below 2 or a mirror image with two equal smallest singular values,
               ///< and R is one of many; it then has no derivative
} lb_polar;

lb_polar lb_polar_decompose(lb_mat3 A);

/// dR = R [w] when A changes by dA; returns w. `polar` must be unique.
lb_vec3 lb_polar_derivative(const lb_polar* polar, lb_mat3 dA);
