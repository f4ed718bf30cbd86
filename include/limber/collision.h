// Collision queries: distance, overlap, rays, contact points and times of impact of shapes at
// poses. SI units. Queries allocate nothing, and colliders may be shared by threads.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "limber/geometry.h"
#include "limber/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// code, name; the `size` of its definition
#define LB_COLLIDER_LIST(X)                                                                        \
  X(LB_COLLIDER_SPHERE, sphere)       /* x radius */                                               \
  X(LB_COLLIDER_CAPSULE, capsule)     /* x radius, y length between the cap centres, along z */    \
  X(LB_COLLIDER_BOX, box)             /* full edge lengths */                                      \
  X(LB_COLLIDER_CYLINDER, cylinder)   /* x radius, y length, along z */                            \
  X(LB_COLLIDER_ELLIPSOID, ellipsoid) /* semi-axes */                                              \
  X(LB_COLLIDER_CONVEX, convex)       /* scale of `mesh`, of whose vertices it is the hull */      \
  X(LB_COLLIDER_TRIANGLE, triangle)   /* inside only: one triangle of a mesh */                    \
  X(LB_COLLIDER_MESH, mesh)           /* scale of `mesh`, each of whose triangles counts */        \
  X(LB_COLLIDER_HEIGHTS, heights)     /* none: see lb_height_grid */                               \
  X(LB_COLLIDER_PLANE, plane)         /* none: all below z = 0 */

typedef enum lb_collider_type {
#define LB_COLLIDER_CODE(code, name) code,
  LB_COLLIDER_LIST(LB_COLLIDER_CODE)
#undef LB_COLLIDER_CODE
      LB_COLLIDER_COUNT
} lb_collider_type;

/// Definition of a collider. Start from {0} and say what its kind needs.
typedef struct lb_collider_def {
  lb_collider_type type;
  lb_vec3 size;
  const lb_mesh* mesh; ///< of convex and mesh; copied
  lb_height_grid grid; ///< of heights; copied
} lb_collider_def;

/// Definition of a shape; meshes count with all their triangles.
lb_collider_def lb_collider_def_of(const lb_shape* shape);

/// Geometry that can collide, in its own frame. It is not written again but by lb_collider_move.
typedef struct lb_collider lb_collider;

/// LB_INVALID where sizes, the mesh or the grid are not fit; `err` says why.
lb_status lb_collider_create(const lb_collider_def* def, const lb_allocator* allocator,
                             lb_collider** out, lb_error* err);
void lb_collider_release(lb_collider* collider);
lb_collider_type lb_collider_type_of(const lb_collider* collider);
/// New places of all vertices of a mesh collider, in its frame.
void lb_collider_move(lb_collider* collider, const lb_vec3* vertex);

/// How a query ended. All but LB_COLLIDE_REFUSED give a result.
typedef enum lb_collide_outcome {
  LB_COLLIDE_DONE,
  LB_COLLIDE_BOUNDED, ///< the bound of iterations was reached: the result is the best one found
  LB_COLLIDE_REFUSED, ///< a pose is not finite, or the pair is not defined (two half spaces)
} lb_collide_outcome;

/// Closest points of two colliders, in the world. Where they overlap, the distance is minus the
/// shortest way that takes them apart.
typedef struct lb_separation {
  double distance;      ///< [m]
  lb_vec3 normal;       ///< unit, from b to a: point_a - point_b = distance * normal
  lb_vec3 point_a;      ///< on a's surface
  lb_vec3 point_b;      ///< on b's surface
  int piece_a, piece_b; ///< triangles of meshes and of height fields, else 0
  lb_collide_outcome outcome;
} lb_separation;

lb_separation lb_collide_distance(const lb_collider* a, lb_transform X_wa, const lb_collider* b,
                                  lb_transform X_wb);
/// Whether two colliders have a point in common.
bool lb_collide_overlap(const lb_collider* a, lb_transform X_wa, const lb_collider* b,
                        lb_transform X_wb);

/// Ray in the world. Hits farther than `most` times the direction's length do not count.
typedef struct lb_ray {
  lb_vec3 origin;
  lb_vec3 direction; ///< of any length but zero
  double most;
} lb_ray;
typedef struct lb_ray_hit {
  double t;       ///< hit at origin + t * direction
  lb_vec3 normal; ///< outward, unit
  int piece;      ///< triangle, else 0
} lb_ray_hit;

/// Closest hit of the surface from outside; a ray that starts inside hits at t = 0 with the normal
/// against it. False: none, and `hit` is unchanged.
bool lb_collide_ray(const lb_collider* c, lb_transform X_wc, const lb_ray* ray, lb_ray_hit* hit);

/// Motion of a collider: pose at t = 0, velocity of its origin and angular velocity in the world,
/// both constant.
typedef struct lb_collide_motion {
  lb_transform X;
  lb_vec3 v; ///< [m/s]
  lb_vec3 w; ///< [rad/s]
} lb_collide_motion;

typedef struct lb_impact {
  bool hit;
  double time; ///< first time at which the distance is at most the tolerance; else the duration
  lb_separation at;
} lb_impact;

/// First time of contact within `duration`, by conservative advancement: the distance there lies
/// between 0 and `tolerance` [m] > 0 unless the colliders overlap at the start. Where `at.outcome`
/// is LB_COLLIDE_BOUNDED, nothing touches before `time`, and what comes after was not found: ask
/// again from there, or with a larger tolerance.
lb_impact lb_collide_impact(const lb_collider* a, const lb_collide_motion* motion_a,
                            const lb_collider* b, const lb_collide_motion* motion_b,
                            double duration, double tolerance);

/// One point of contact.
typedef struct lb_contact_point {
  lb_vec3 position; ///< midway between the surfaces, in the world
  double distance;  ///< along the normal; negative where they overlap [m]
  uint64_t id;      ///< of the features that touch: it stays from step to step
} lb_contact_point;

enum { LB_MANIFOLD_MOST = 8 };

/// Points of contact with a common normal.
typedef struct lb_manifold {
  lb_vec3 normal;  ///< unit, from b to a, in the world
  double distance; ///< of the pair along the normal, or of this piece of it [m]
  int face;        ///< whose face the normal is that of: 1 a's, 2 b's; 0: of the closest points
  int npoint;
  lb_contact_point point[LB_MANIFOLD_MOST];
} lb_manifold;

/// Manifolds of two colliders with points no farther apart than `margin` [m]: one of a convex pair,
/// several of meshes and height fields. Returns how many there are; `room` of them are written. -1:
/// refused.
int lb_collide_contacts(const lb_collider* a, lb_transform X_wa, const lb_collider* b,
                        lb_transform X_wb, double margin, lb_manifold* out, int room);

#ifdef __cplusplus
}
#endif
