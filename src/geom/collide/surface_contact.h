// Contact of elastic and deformable surfaces with colliders: points of the surface against a
// collider, and points of the collider against moving triangles. Normals lead from the collider to
// the surface, in the world.
#pragma once
#include "geom/collide/collide.h"

/// A point of the surface near a collider.
typedef struct lb_point_contact {
  int point;       ///< number of the point
  double distance; ///< of its ball to the collider, signed; its gradient is the normal [m]
  lb_vec3 normal;
  lb_vec3 position; ///< midway
} lb_point_contact;

/// Points x [n], with radii or NULL for none, that are no farther than the margin from a collider.
/// Returns how many there are; those that fit into `room` are written.
int lb_collide_points(const lb_placed* c, int n, const lb_vec3* x, const double* radius,
                      double margin, lb_point_contact* out, int room);

/// A point of a collider near a triangle of a surface.
typedef struct lb_triangle_contact {
  int point; ///< corner of the collider; of round ones 0
  int face;
  double weight[3]; ///< of the face's corners
  double distance;  ///< negative behind the surface [m]
  lb_vec3 normal;   ///< against the face's outward one
  lb_vec3 position; ///< midway
} lb_triangle_contact;

/// Points of a collider against a surface (a mesh collider in the world's frame, see
/// lb_collider_move). Corners of boxes, hulls and meshes and ends of capsules meet the nearest
/// triangle; round shapes meet each triangle with their deepest point. Those up to `margin` before
/// and `depth` behind the surface count.
int lb_collide_triangles(const lb_placed* c, const lb_collider* surface, double margin,
                         double depth, lb_triangle_contact* out, int room);
