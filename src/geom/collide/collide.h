// Collision detection: colliders at poses, their contact manifolds and distances.
//
// A kind of collider is an entry in a table (collider_NAME.c), a pair of kinds is an entry in
// another (pair_NAME.c). Pairs without a closed form go by support functions: GJK where the cores
// are apart, EPA where they overlap (gjk.h). To add a kind: its file, its line of LB_COLLIDER_LIST
// in limber/collision.h and its row of pair_table.c; lb_pair_convex does for any with a support
// function.
#pragma once
#include "base/arena.h"
#include "geom/shape/shape.h"
#include "limber/collision.h"

typedef struct lb_hull lb_hull;       // hull.h
typedef struct lb_trimesh lb_trimesh; // trimesh.h

/// A collider is its core, swept by a ball of the radius.
struct lb_collider {
  lb_collider_type type;
  lb_vec3 half;          ///< half lengths of the core along the axes; of ellipsoids semi-axes
  double radius;         ///< of the ball: of spheres and capsules, else 0
  double size;           ///< smallest half width, the scale of tolerances [m]
  lb_bounds box;         ///< around all of it, in its frame
  const lb_vec3* corner; ///< of a triangle [3]
  const lb_hull* hull;   ///< of convex
  lb_trimesh* mesh;      ///< of meshes
  lb_height_grid grid;   ///< of heights
  void* kept;            ///< arena that lb_collider_create made, else NULL
};

/// Collider from its definition, with what it owns in the arena.
lb_status lb_collider_make(const lb_collider_def* def, lb_arena* arena, lb_collider* out,
                           lb_error* err);

/// A collider at a pose: X_wc as a matrix, so that a body's is made once a step.
typedef struct lb_placed {
  const lb_collider* c;
  lb_mat3 R;
  lb_vec3 p;
} lb_placed;
lb_placed lb_placed_make(const lb_collider* c, lb_transform X_wc);

/// Whether it is convex and bounded: a pair of such has one manifold at most.
bool lb_collider_is_convex(const lb_collider* c);

/// Box around a placed collider. Planes have one of LB_COLLIDE_FAR in all directions.
lb_bounds lb_placed_bounds(const lb_placed* x);
#define LB_COLLIDE_FAR 1e100

/// Memory of a pair from step to step: it makes the next answer quicker, and keeps the choice among
/// features that are equally near. Zero it when the pair is new. Answers depend on it in their last
/// bits, so it belongs to a state that is saved and restored.
typedef struct lb_pair_cache {
  int axis;       ///< of two boxes: the axis of the last answer, from 1; 0: none
  int reference;  ///< side whose face was clipped against: 1 a, 2 b; 0: none
  lb_vec3 normal; ///< from b to a in a's frame, or zero
} lb_pair_cache;

/// Answer of lb_collide.
typedef struct lb_collide_report {
  int nmanifold; ///< found; those beyond the room are counted but not written
  lb_collide_outcome outcome;
} lb_collide_report;

/// Manifolds of two placed colliders with points no farther apart than `margin` [m] >= 0. A convex
/// pair has one at most, a mesh or height field several. `cache` may be NULL.
lb_collide_report lb_collide(const lb_placed* a, const lb_placed* b, double margin,
                             lb_pair_cache* cache, lb_manifold* out, int room);

/// Signed distance of two placed colliders and their closest points.
lb_separation lb_separate(const lb_placed* a, const lb_placed* b);

/// Signed distance from a point, in the collider's frame, to its surface; negative inside.
/// `gradient` is the unit vector away from it.
double lb_collider_point(const lb_collider* c, lb_vec3 x, lb_vec3* gradient);

/// Closest hit of a ray in the collider's frame.
bool lb_collider_ray(const lb_collider* c, const lb_ray* ray, lb_ray_hit* hit);
