// Tetrahedral meshes of solids: meshers for simple bodies, readers of three formats, checks, and
// what is on their surfaces. A mesh lives in the arena it was made in.
//
// Elements have 4 nodes (order 1) or 10 (order 2): the corners, right-handed, then the middles of
// the edges 01 12 02 03 23 13, as Gmsh orders them. Middle nodes may lie off the straight edge, so
// that elements follow a curved surface. Faces have 3 or 6 nodes: the corners, counterclockwise
// seen from outside, then the middles of their edges 01 12 20.
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "limber/geometry.h"

/// A part of the boundary that has a name.
typedef struct lb_tetmesh_surface {
  const char* name;
  int nface; ///< 0: the file names it, but none of its faces is on the boundary
  int* face; ///< [nface * lb_tetmesh_face_nodes()]
} lb_tetmesh_surface;

typedef struct lb_tetmesh {
  int order; ///< 1 or 2
  int nnode, nelem, nsurface, nregion;
  lb_vec3* node;               ///< [nnode]
  int* elem;                   ///< [nelem * lb_tetmesh_elem_nodes()]
  int* region;                 ///< [nelem] region of each element
  const char** region_name;    ///< [nregion] at least one
  lb_tetmesh_surface* surface; ///< [nsurface]
} lb_tetmesh;

static inline int lb_tetmesh_elem_nodes(const lb_tetmesh* mesh) {
  return mesh->order == 1 ? 4 : 10;
}
static inline int lb_tetmesh_face_nodes(const lb_tetmesh* mesh) {
  return mesh->order == 1 ? 3 : 6;
}

/// The two corners of each edge, in the order of the middle nodes.
extern const int lb_tetmesh_edge[6][2];
/// The nodes of each of the four faces, outward, corners then middles.
extern const int lb_tetmesh_face[4][6];

// --- meshers ---

/// Bodies that Limber meshes: a section drawn along the segment from a to b.
typedef enum lb_tetmesh_kind {
  LB_TETMESH_BOX,  ///< boxes, beams and plates: width x height. Surfaces: start, end, left, right,
                   ///< bottom, top (the last four at -width, +width, -height, +height), side
  LB_TETMESH_ROD,  ///< solid cylinder: radius. Surfaces: start, end, side
  LB_TETMESH_TUBE, ///< radius, inner radius. Surfaces: start, end, outer, inner, side
  LB_TETMESH_KIND_COUNT
} lb_tetmesh_kind;

/// Shape of the round sides of rods and tubes.
typedef enum lb_tetmesh_sides {
  LB_TETMESH_AUTO,     ///< straight where the body is longer than ten diameters, else curved
  LB_TETMESH_CURVED,   ///< middle nodes on the cylinder. Curved elements bend well only while they
                       ///< are no longer than the body is thick
  LB_TETMESH_STRAIGHT, ///< a prism over the polygon with the circle's second moment of area: bends
                       ///< as the cylinder does, with elements as long as the wave they follow
} lb_tetmesh_sides;

/// Start from lb_tetmesh_def_default().
typedef struct lb_tetmesh_def {
  lb_tetmesh_kind kind;
  lb_tetmesh_sides sides;
  lb_vec3 a, b;         ///< axis, from the middle of "start" to the middle of "end" [m]
  lb_vec3 up;           ///< height points this way, made normal to the axis; 0: z, or x along z
  double width, height; ///< of a box [m]
  double radius, inner; ///< of a rod or tube [m]
  int order;            ///< 1 or 2
  /// Elements along the axis, across the section (the smaller side of a box, the radius of a rod,
  /// the wall of a tube), and along the wider side of a box or around a tube; 0: chosen from
  /// `error`
  int along, across, around;
  /// Length of the layers of elements at both ends [m], from where they grow, each half as long
  /// again as the one before, to what `along` makes them: a clamped end needs layers as short as
  /// the body is thin. 0: all layers alike
  double ends;
  int growing;  ///< layers at each end, among the `along`; 0: as many as it takes, beyond
  double error; ///< wanted relative error of the lowest bending frequency of the free body
  /// Distances from a [m], rising, at which layers end: between them lie regions of their own,
  /// called "part 1", "part 2" ...
  int ncut;
  const double* cut; ///< [ncut]
} lb_tetmesh_def;

/// A rod of order 2 with an error of 1e-2; a, b and radius are left to fill in.
lb_tetmesh_def lb_tetmesh_def_default(void);

/// Mesh the body; conforming. LB_INVALID with a message when a field is out of range or the mesh
/// would have more than LB_TETMESH_MOST nodes.
lb_status lb_tetmesh_make(const lb_tetmesh_def* def, lb_place place, lb_arena* arena,
                          lb_tetmesh* mesh, lb_error* err);
enum { LB_TETMESH_MOST = 10 * 1000 * 1000 };

// --- readers ---

/// Read a Gmsh (.msh, versions 2.2 and 4.1, text), VTK (.vtk, legacy text) or TetGen file (.ele or
/// .node, with the others beside it). Surfaces and regions are named as in the file, or by their
/// numbers. A file that cannot be opened is reported at `from`, mistakes at their line and column.
lb_status lb_tetmesh_read(const char* path, lb_place from, lb_arena* arena, lb_tetmesh* mesh,
                          lb_error* err);
/// A Gmsh file from memory; `name` stands for the file in messages.
lb_status lb_tetmesh_parse_gmsh(const char* text, size_t size, const char* name, lb_arena* arena,
                                lb_tetmesh* mesh, lb_error* err);
lb_status lb_tetmesh_parse_vtk(const char* text, size_t size, const char* name, lb_arena* arena,
                               lb_tetmesh* mesh, lb_error* err);
/// One of TetGen's files in memory; `text` may be NULL for the faces, which not every mesh has.
typedef struct lb_tetgen_text {
  const char* text;
  size_t size;
  const char* name;
} lb_tetgen_text;
lb_status lb_tetmesh_parse_tetgen(lb_tetgen_text node, lb_tetgen_text ele, lb_tetgen_text face,
                                  lb_arena* arena, lb_tetmesh* mesh, lb_error* err);

// --- what a mesh is ---

/// Validity for computing. Says in `err`, at `place`, what is wrong with the mesh called `name`: no
/// elements, coordinates not finite, indices out of range, inverted or flat elements, nodes that no
/// element uses, parts that do not hang together.
lb_status lb_tetmesh_check(const lb_tetmesh* mesh, const char* name, lb_place place,
                           lb_arena* scratch, lb_error* err);

/// Volume [m^3], exact for curved elements too.
double lb_tetmesh_volume(const lb_tetmesh* mesh);
/// The surface of that name, or NULL.
const lb_tetmesh_surface* lb_tetmesh_find_surface(const lb_tetmesh* mesh, const char* name);

/// Numbers of the faces that belong to one element only, rising: side k of element e is 4 e + k.
lb_status lb_tetmesh_outer_sides(const lb_tetmesh* mesh, lb_arena* arena, int* count, int** side);
/// All faces that belong to one element only, outward, as a surface without a name.
lb_status lb_tetmesh_boundary(const lb_tetmesh* mesh, lb_arena* arena, lb_tetmesh_surface* surface);

/// The nodes of a surface, each once, rising; their number.
lb_status lb_tetmesh_surface_nodes(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                                   lb_arena* arena, int* count, int** node);

/// Area that each of those nodes stands for [m^2], all positive, with the surface's area as sum. A
/// triangle gives a third to each corner; a face of six nodes is cut into four triangles first,
/// for the integrals of its quadratic shape functions vanish at the corners, and a node without
/// weight would not hold.
lb_status lb_tetmesh_surface_weights(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                                     lb_arena* arena, int* count, int** node, double** weight);
