// Closest points of segments and triangles.
#pragma once
#include "limber/math.h"

/// Closest point of a triangle, as weights of its corners.
typedef struct lb_foot {
  lb_vec3 point;
  double weight[3];
} lb_foot;
lb_foot lb_closest_on_triangle(lb_vec3 x, const lb_vec3 v[3]);

/// Closest points a0 + s (a1 - a0) and b0 + t (b1 - b0), s and t in [0, 1].
typedef struct lb_feet {
  double s, t;
} lb_feet;
lb_feet lb_closest_on_segments(lb_vec3 a0, lb_vec3 a1, lb_vec3 b0, lb_vec3 b1);
