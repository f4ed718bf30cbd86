// Shapes: all that the library knows of a kind of shape is its entry, in a file of its own.
//
// To add a kind: its file shape_NAME.c with an entry, its line of LB_SHAPE_LIST in
// limber/geometry.h, and how scenes write it in scene/part/part_materials.c.
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
  int axis; ///< axis it is measured along, or LB_SIZE_RADIUS
} lb_shape_size;

enum { LB_SIZE_RADIUS = -1 };

/// A box with its edges along the axes.
typedef struct lb_bounds {
  lb_vec3 low, high;
} lb_bounds;

typedef struct lb_shape_kind {
  const char* name; ///< in scene files
  int nsize;        ///< numbers of size.x, size.y, size.z in use
  lb_shape_size size[3];
  bool rounded; ///< it is its core, swept by a ball of radius size.x
  bool endless; ///< it has no end, and so no mass
  int faces;    ///< faces in a picture, about
  /// What it is made of but for its sizes: NULL, or what is wrong with it. NULL: sizes are all.
  const char* (*lack)(const lb_shape* shape);
  lb_solid (*integrate)(const lb_shape* shape);
  /// Bounding box of the core, and without one of the shape itself.
  lb_bounds (*core)(const lb_shape* shape);
  /// Farthest distance of the core from the middle of its box; NULL: half of the box's diagonal.
  double (*reach)(const lb_shape* shape);
  double (*distance)(const lb_shape* shape, lb_vec3 x);
  lb_status (*tessellate)(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                          lb_vec3** normal);
} lb_shape_kind;

#define LB_DECLARE_SHAPE(type, name) extern const lb_shape_kind lb_shape_##name;
LB_SHAPE_LIST(LB_DECLARE_SHAPE)
#undef LB_DECLARE_SHAPE

/// The entry of a type.
const lb_shape_kind* lb_shape_kind_of(lb_shape_type type);

/// Validity: sizes finite and in range, and what else its kind needs. (The mesh itself is
/// lb_mesh_check()'s to judge.) All that is wrong is said at `place`.
lb_status lb_shape_check(const lb_shape* shape, lb_place place, lb_error* err);

/// Heights from a file, in `arena`: numbers of a line are along x, lines follow each other along y.
/// `from` is the place that names it.
lb_status lb_heights_read(const char* path, lb_place from, double spacing, lb_arena* arena,
                          lb_height_grid* grid, lb_error* err);
/// The same from a text; `name` is that of its file.
lb_status lb_heights_parse(const char* text, size_t size, const char* name, double spacing,
                           lb_arena* arena, lb_height_grid* grid, lb_error* err);

/// A bounding ball, in the shape's frame.
typedef struct lb_ball {
  lb_vec3 centre;
  double radius;
} lb_ball;
lb_ball lb_shape_ball(const lb_shape* shape);

/// Balls whose convex hull is about the shape's, in its frame: the corners of the core of rounded
/// shapes and of boxes, else the points of its surface that lie farthest out along
/// LB_CONTACTS_MOST directions. Returns how many; -1: there is no memory.
enum { LB_CONTACTS_MOST = 26 };
int lb_shape_contacts(const lb_shape* shape, lb_arena* scratch, lb_ball ball[LB_CONTACTS_MOST]);

/// Signed distance from x, in the shape's frame, to the shape's surface [m]; negative inside. Exact
/// but for ellipsoids, where it is right on the surface and to first order near it.
double lb_shape_distance(const lb_shape* shape, lb_vec3 x);

/// Triangles to draw the shape with, and the normal at each vertex. `around` is how many corners a
/// full circle gets, at least 3. Round surfaces share their vertices; across creases (of meshes:
/// more than 30 degrees) vertices are doubled, so the mesh is closed in space but not by its
/// indices.
lb_status lb_shape_tessellate(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                              lb_vec3** normal);

enum { LB_TESSELLATE_AROUND = 32 }; ///< looks round at the size of a screen
