// The table of shapes: all that the library knows of a kind of shape is its entry.
#pragma once
#include "geom/mesh/triangle_mesh.h"

typedef enum lb_size_rule {
  LB_SIZE_POSITIVE,
  LB_SIZE_NOT_NEGATIVE,
  LB_SIZE_NOT_ZERO, ///< a scale: negative ones mirror
} lb_size_rule;

/// One of the numbers in a shape's `size`.
typedef struct lb_shape_size {
  const char* name; ///< as messages call it
  lb_size_rule rule;
} lb_shape_size;

typedef struct lb_shape_kind {
  const char* name; ///< in scene files
  int nsize;        ///< how many of size.x, size.y, size.z it uses
  lb_shape_size size[3];
  lb_solid (*integrate)(const lb_shape* shape);
  lb_status (*tessellate)(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                          lb_vec3** normal);
} lb_shape_kind;

/// The entry of a type.
const lb_shape_kind* lb_shape_kind_of(lb_shape_type type);

/// Are the sizes finite and in range, and does a mesh shape have a mesh? (The mesh itself is
/// lb_mesh_check()'s to judge.) All that is wrong is said at `place`.
lb_status lb_shape_check(const lb_shape* shape, lb_place place, lb_error* err);

/// Triangles to draw the shape with, and the normal at each vertex. `around` is how many corners a
/// full circle gets, at least 3. Round surfaces share their vertices; across creases (of meshes:
/// more than 30 degrees) vertices are doubled, so the mesh is closed in space but not by its
/// indices.
lb_status lb_shape_tessellate(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                              lb_vec3** normal);

enum { LB_TESSELLATE_AROUND = 32 }; ///< looks round at the size of a screen

// The entries' functions, in tessellate.c.
lb_status lb_tessellate_sphere(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                               lb_vec3** normal);
lb_status lb_tessellate_box(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal);
lb_status lb_tessellate_capsule(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                                lb_vec3** normal);
lb_status lb_tessellate_cylinder(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                                 lb_vec3** normal);
lb_status lb_tessellate_ellipsoid(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                                  lb_vec3** normal);
lb_status lb_tessellate_mesh(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                             lb_vec3** normal);
