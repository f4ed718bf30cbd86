// Closed triangle meshes: what they enclose, whether they are fit to be a solid, and reading them.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "geom/mesh/file_load.h"
#include "limber/geometry.h"

/// Integrals over a solid.
typedef struct lb_solid {
  double volume;
  lb_vec3 com;    ///< of uniform density
  lb_sym3 second; ///< of x x' about com
} lb_solid;

/// Exact for polyhedra. Faces that point inwards give a negative volume (and second moment).
lb_solid lb_mesh_integrate(const lb_mesh* mesh);

/// The box around all vertices; a mesh without any has an empty one at the origin.
void lb_mesh_bounds(const lb_mesh* mesh, lb_vec3* low, lb_vec3* high);

/// Normal of a face, twice its area long.
static inline lb_vec3 lb_mesh_face_normal(const lb_mesh* mesh, int f) {
  const int* v = &mesh->face[3 * f];
  const lb_vec3 a = mesh->vertex[v[0]];
  return lb_vec3_cross(lb_vec3_sub(mesh->vertex[v[1]], a), lb_vec3_sub(mesh->vertex[v[2]], a));
}

/// One side of a face: it runs from vertex `low` to `high` (lower index first), or back.
typedef struct lb_half_edge {
  int low, high;
  int face;
  bool forward;
} lb_half_edge;

/// All 3 * nface sides, sorted by low, high, then in the order of the faces, so that those that
/// share an edge are neighbours.
lb_status lb_mesh_edges(const lb_mesh* mesh, lb_arena* arena, lb_half_edge** edges);

/// Can the mesh be the surface of a solid? Says in `err`, at `place`, what is wrong with the mesh
/// called `name`: empty, indices out of range, coordinates not finite, faces that use a vertex
/// twice, open, faces that disagree about their outside, faces pointing inwards, no volume.
/// LB_INVALID, or LB_NO_MEMORY when there is none for the check itself.
lb_status lb_mesh_check(const lb_mesh* mesh, const char* name, lb_place place, lb_arena* scratch,
                        lb_error* err);

/// A copy in which vertices at exactly the same place are one, in the order in which faces first
/// use them; vertices that no face uses and faces left with a vertex twice are gone.
lb_status lb_mesh_weld(const lb_mesh* mesh, lb_arena* arena, lb_mesh* welded);

// --- readers: the meshes come welded ---

/// The last step of every reader: weld, and refuse a mesh without faces.
lb_status lb_mesh_finish(const lb_mesh* raw, const char* name, lb_arena* arena, lb_mesh* mesh,
                         lb_error* err);

/// Read an OBJ or STL file, by its extension. A file that cannot be opened is reported at
/// `from`, the place that names it; mistakes in the file at their own line and column.
lb_status lb_mesh_read(const char* path, lb_place from, lb_arena* arena, lb_mesh* mesh,
                       lb_error* err);

/// An OBJ file from memory; `name` stands for the file in messages.
lb_status lb_mesh_parse_obj(const char* text, size_t size, const char* name, lb_arena* arena,
                            lb_mesh* mesh, lb_error* err);
lb_status lb_mesh_parse_stl(const char* text, size_t size, const char* name, lb_arena* arena,
                            lb_mesh* mesh, lb_error* err);
