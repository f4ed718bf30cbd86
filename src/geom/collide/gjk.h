// Signed distance of two convex cores by their support functions.
//
// All is in the frame of a. With n from b to a,
//
//   (1)  g(n) = min over a of n.x - max over b of n.y
//
// the signed distance is the largest g(n) over unit n, whether the cores are apart or overlap.
// GJK finds it where they are apart, EPA where they overlap; both leave a simplex of pairs of
// support points. Any n gives a lower bound, so candidates are simply tried (refine.c).
#pragma once
#include "geom/collide/collider_kind.h"

/// Two convex colliders, b's frame seen from a's.
typedef struct lb_couple {
  const lb_collider *a, *b;
  const lb_collider_kind *ka, *kb;
  lb_mat3 R;    ///< R_ab
  lb_vec3 p;    ///< of b's origin
  double scale; ///< size of the numbers, for rounding [m]
} lb_couple;
lb_couple lb_couple_make(const lb_placed* a, const lb_placed* b);

/// Point of a minus b, and the two it comes from.
typedef struct lb_corner {
  lb_vec3 w, a, b;
} lb_corner;
/// Point of a - b that lies farthest along d.
lb_corner lb_couple_support(const lb_couple* c, lb_vec3 d);

/// g(n) of equation (1).
static inline double lb_couple_gap(const lb_couple* c, lb_vec3 n) {
  return lb_vec3_dot(n, lb_couple_support(c, lb_vec3_neg(n)).w);
}

/// Features that face each other along n (from b to a), both in the frame of a.
void lb_couple_features(const lb_couple* c, lb_vec3 n, lb_feature* fa, lb_feature* fb);
/// Of a polygon the edge that lies farthest along n; segments and points stay.
void lb_feature_edge(lb_feature* f, lb_vec3 n);

typedef struct lb_simplex {
  int n;
  lb_corner corner[4];
  double weight[4]; ///< of the point nearest to the origin
} lb_simplex;

/// Signed distance of the cores, without the radii.
typedef struct lb_core_gap {
  double distance;
  lb_vec3 normal;
  lb_vec3 point_a, point_b; ///< in the frame of a
  lb_simplex simplex;
  int iterations;
  bool bounded; ///< the bound of iterations was reached
  bool blunt;   ///< the points are sharp only to the square root of rounding
} lb_core_gap;

/// Apart: the closest points. False: the cores overlap or touch, and the simplex holds the origin
/// or nearly so. Stops as soon as the distance is known to exceed `most`, with the distance then
/// a lower bound. `start` is a guess of the normal, or zero.
bool lb_gjk(const lb_couple* c, lb_vec3 start, double most, lb_core_gap* out);

/// Depth of overlapping cores from the simplex that GJK ended with, to within `meet` of the scale.
void lb_epa(const lb_couple* c, double meet, lb_core_gap* io);

/// Sharper normal and distance: normals of facing features are tried, then Newton's method where
/// surfaces are curved. False: the points do not show that the normal is the best one.
bool lb_refine(const lb_couple* c, lb_core_gap* io);

/// All three. False: farther apart than `most` (the radii not counted). With the normal of the last
/// step as `start` a shallow overlap is first looked for next to it.
bool lb_core_separate(const lb_couple* c, lb_vec3 start, double most, lb_core_gap* out);
