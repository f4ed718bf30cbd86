// Triangulated plane sections: what the meshers extrude. Coordinates (y, z) from the middle.
#pragma once
#include "geom/tet/tetmesh.h"

typedef struct lb_section_point {
  double y, z;
} lb_section_point;

struct lb_section_builder;

/// A boundary edge, with the section on its left, and which side of the section it is on.
typedef struct lb_section_side {
  int p, q, side;
} lb_section_side;

/// A named part of the boundary: sides as bits.
typedef struct lb_section_name {
  const char* name;
  unsigned sides;
} lb_section_name;

typedef struct lb_section {
  int nvertex, nedge, ntriangle, nboundary, nname;
  lb_section_point* point;   // [nvertex + nedge] the vertices, then the middles of the edges
  int* triangle;             // [3 * ntriangle] counterclockwise
  lb_section_side* boundary; // [nboundary]
  const lb_section_name* name;
  // edges p < q: those of p are first[p] ... first[p + 1] - 1, with their q in `other`
  int* first;
  int* other;
} lb_section;

/// A kind of body that is meshed: its section.
typedef struct lb_section_kind {
  /// Error in its own numbers; NULL: none.
  const char* (*refuse)(const lb_tetmesh_def* def);
  /// Its smallest and largest width.
  void (*measure)(const lb_tetmesh_def* def, double* thin, double* wide);
  bool round;       ///< its sides may be curved
  bool rings;       ///< `across` rings of triangles around the middle, 6, 12, 18 ... corners each
  int least_around; ///< elements around it when they are chosen; 0: as many as make squares
  double corners;   ///< elements across it for each that a circle's quarter would need
  /// About how many vertices.
  double (*vertices)(double across, double around);
  void (*counts)(const lb_tetmesh_def*, lb_section*);
  void (*fill)(const lb_tetmesh_def*, struct lb_section_builder*);
  /// True for an edge between two vertices that follows the round side; NULL: none does.
  bool (*curved)(const lb_tetmesh_def*, lb_section_point, lb_section_point);
  int nname;
  lb_section_name name[5];
} lb_section_kind;
const lb_section_kind* lb_section_kind_of(const lb_tetmesh_def* def);

/// Ranges of the definition's fields.
lb_status lb_section_check(const lb_tetmesh_def* def, lb_place place, lb_error* err);
/// Choose the element counts that are 0.
void lb_section_resolve(lb_tetmesh_def* def);
/// Ends of the layers, as fractions of the length: level[0] = 0 ... level[nlayer] = 1.
lb_status lb_section_layers(const lb_tetmesh_def* def, lb_arena* arena, int* nlayer,
                            double** level);
/// About how many nodes the mesh will have.
double lb_section_estimate(const lb_tetmesh_def* def);
/// The section of a definition whose counts are chosen.
lb_status lb_section_make(const lb_tetmesh_def* def, lb_arena* arena, lb_section* section);
/// The number of the edge between vertices p and q, which exists.
int lb_section_edge(const lb_section* section, int p, int q);
