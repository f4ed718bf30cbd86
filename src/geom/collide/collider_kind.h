// Entries of the table of colliders, and the features that contact patches are cut from.
#pragma once
#include "geom/collide/collide.h"

/// Part of a convex surface that faces a direction: a polygon (counter-clockwise seen from
/// outside), a segment or a point, on the core.
enum { LB_FEATURE_MOST = 32, LB_CAP_CORNERS = 16 };
typedef struct lb_feature {
  int n;
  lb_vec3 normal; ///< of a polygon, outward and unit
  int id;         ///< of the face
  lb_vec3 v[LB_FEATURE_MOST];
  uint16_t vid[LB_FEATURE_MOST]; ///< of the vertices
} lb_feature;

/// Triangle of a mesh or a height field, with the faces across its edges.
typedef struct lb_piece {
  int id;
  lb_vec3 v[3];
  lb_vec3 normal;    ///< unit, or zero where the triangle has no area
  lb_vec3 across[3]; ///< normals of the neighbours at edges v[k] - v[k+1]; zero: none
  bool convex[3];    ///< the surface bends away there
  bool solid;        ///< all behind the face is filled, as below a height field
} lb_piece;
/// Called for each; false stops the walk.
typedef bool (*lb_piece_visit)(void* context, const lb_piece* piece);

typedef struct lb_collider_kind {
  const char* name;
  /// Sizes into half, radius, size and box, and what else it needs. Sizes were checked.
  lb_status (*make)(const lb_collider_def* def, lb_arena* arena, lb_collider* c, lb_error* err);
  int nsize;     ///< numbers of its size, as of shapes: all but meshes' must be positive
  bool zero;     ///< the second one may be zero
  bool polygons; ///< the core is a polyhedron, a segment or a point
  /// Farthest point of the core along d (of any length); NULL: not convex.
  lb_vec3 (*support)(const lb_collider* c, lb_vec3 d);
  /// Hessian of the core's support function at a unit d; NULL: zero.
  lb_sym3 (*curvature)(const lb_collider* c, lb_vec3 d);
  /// Feature that faces the unit d; NULL: the support point.
  void (*feature)(const lb_collider* c, lb_vec3 d, lb_feature* f);
  /// How corner k of the feature that faces d, or the edge that begins there, moves with d; false:
  /// it is not known. NULL: corners and edges are fixed.
  bool (*slides)(const lb_collider* c, lb_vec3 d, int k, bool edge, lb_mat3* by_d);
  double (*point)(const lb_collider* c, lb_vec3 x, lb_vec3* gradient);
  bool (*ray)(const lb_collider* c, const lb_ray* ray, lb_ray_hit* hit);
  /// Walk over the triangles that may meet a box, in an order that is always the same. The visitor
  /// may make the box smaller.
  void (*pieces)(const lb_collider* c, const lb_bounds* box, lb_piece_visit visit, void* context);
} lb_collider_kind;

#define LB_DECLARE_COLLIDER(type, name) extern const lb_collider_kind lb_collider_##name;
LB_COLLIDER_LIST(LB_DECLARE_COLLIDER)
#undef LB_DECLARE_COLLIDER
const lb_collider_kind* lb_collider_kind_of(const lb_collider* c);

// --- small helpers of the entries ---

static inline lb_vec3 lb_vec3_unit_or(lb_vec3 v, lb_vec3 otherwise) {
  const double n = lb_vec3_norm(v);
  return n > 0 ? lb_vec3_scale(1 / n, v) : otherwise;
}
static inline lb_vec3 lb_vec3_neg(lb_vec3 v) {
  return lb_vec3_make(-v.x, -v.y, -v.z);
}
static inline bool lb_vec3_finite(lb_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}
/// a + s d
static inline lb_vec3 lb_vec3_along(lb_vec3 a, double s, lb_vec3 d) {
  return lb_vec3_make(a.x + s * d.x, a.y + s * d.y, a.z + s * d.z);
}
static inline double lb_clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
/// A'v
static inline lb_vec3 lb_mat3_apply_transposed(lb_mat3 A, lb_vec3 v) {
  return lb_vec3_make(lb_vec3_dot(A.x, v), lb_vec3_dot(A.y, v), lb_vec3_dot(A.z, v));
}
static inline lb_vec3 lb_placed_point(const lb_placed* x, lb_vec3 p) {
  return lb_vec3_add(x->p, lb_mat3_apply(x->R, p));
}
static inline lb_vec3 lb_placed_inverse(const lb_placed* x, lb_vec3 p) {
  return lb_mat3_apply_transposed(x->R, lb_vec3_sub(p, x->p));
}
