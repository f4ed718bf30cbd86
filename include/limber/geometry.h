// Shapes, triangle meshes and their mass properties.
#pragma once
#include "limber/math.h"
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Mass, centre of mass, and the inertia about that centre in the axes of the frame they are given
/// in.
typedef struct lb_mass {
  double mass;     ///< [kg]
  lb_vec3 com;     ///< [m]
  lb_sym3 inertia; ///< about com [kg m^2]
} lb_mass;

/// Express in the frame a what is given in b.
lb_mass lb_mass_transform(lb_transform X_ab, lb_mass b);
/// Two bodies, given in the same frame, made one.
lb_mass lb_mass_add(lb_mass a, lb_mass b);

/// Closed triangle surface, outward normals by the right-hand rule. Owned by whoever made it.
typedef struct lb_mesh {
  int nvertex;
  int nface;
  lb_vec3* vertex; ///< [nvertex]
  int* face;       ///< [3 * nface] vertex indices
} lb_mesh;

/// Heights z over a grid in x and y: height[i * ny + j] is above (i * spacing_x, j * spacing_y).
typedef struct lb_height_grid {
  int nx, ny;                  ///< at least 2
  double spacing_x, spacing_y; ///< [m] > 0
  const double* height;        ///< [nx * ny] [m]
} lb_height_grid;

/// code, name in scene files; what its `size` means
#define LB_SHAPE_LIST(X)                                                                           \
  X(LB_SHAPE_BOX, box)             /* full edge lengths */                                         \
  X(LB_SHAPE_SPHERE, sphere)       /* x radius */                                                  \
  X(LB_SHAPE_CAPSULE, capsule)     /* x radius, y length between the cap centres, along z */       \
  X(LB_SHAPE_CYLINDER, cylinder)   /* x radius, y length, along z */                               \
  X(LB_SHAPE_ELLIPSOID, ellipsoid) /* semi-axes */                                                 \
  X(LB_SHAPE_MESH, mesh)           /* scale along x, y, z, applied to `mesh` */                    \
  X(LB_SHAPE_HEIGHTS, heights)     /* none: see `grid` */                                          \
  X(LB_SHAPE_PLANE, plane) /* x edge length it is drawn with; all below z = 0 belongs to it */

typedef enum lb_shape_type {
#define LB_SHAPE_CODE(code, name) code,
  LB_SHAPE_LIST(LB_SHAPE_CODE)
#undef LB_SHAPE_CODE
      LB_SHAPE_COUNT
} lb_shape_type;

typedef struct lb_shape {
  lb_shape_type type;
  lb_vec3 size;
  const lb_mesh* mesh;        ///< of LB_SHAPE_MESH, else NULL
  const lb_height_grid* grid; ///< of LB_SHAPE_HEIGHTS, else NULL; all below is filled
} lb_shape;

/// Mass properties of a solid of uniform density [kg/m^3], exact for every shape; zero for those
/// without an end, height fields and planes.
lb_mass lb_shape_mass(const lb_shape* shape, double density);
/// Volume [m^3].
double lb_shape_volume(const lb_shape* shape);

#ifdef __cplusplus
}
#endif
