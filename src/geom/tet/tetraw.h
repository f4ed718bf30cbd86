// Base of the readers of tetrahedral meshes: they collect what a file says, and one function turns
// it into a mesh.
#pragma once
#include "geom/mesh/mesh_reader.h"
#include "geom/tet/tetmesh.h"

/// An element or a face as the file has it: its nodes by the file's numbers.
typedef struct lb_tetraw_cell {
  int node[10];
  int nnode; ///< 3, 6: a face; 4, 10: a tetrahedron
  int tag;   ///< the file's number of its surface or region
  int line;  ///< its line
  int file;  ///< in which of the texts, for formats of several
} lb_tetraw_cell;

typedef struct lb_tetraw_node {
  int id, index;
  lb_vec3 at;
} lb_tetraw_node;

typedef struct lb_tetraw_name {
  int dimension, tag; ///< 2: of faces, 3: of elements
  const char* name;
} lb_tetraw_name;

typedef struct lb_tetraw {
  lb_mesh_reader in;
  const char* file[3];
  int nfile;
  lb_arena* arena;

  void (*middles)(lb_tetmesh* mesh); ///< brings middle nodes into our order, or NULL
  int nnode, node_room;
  lb_tetraw_node* node; ///< [nnode] in the file's order
  int ncell, cell_room;
  lb_tetraw_cell* cell;
  int nname, name_room;
  lb_tetraw_name* name;
} lb_tetraw;

void lb_tetraw_open(lb_tetraw* raw, const char* text, size_t size, const char* name,
                    lb_arena* arena, lb_error* err);
/// Go on with another text.
void lb_tetraw_next(lb_tetraw* raw, const char* text, size_t size, const char* name);
/// Make the mesh of what was collected (unless there were mistakes) and let go of the rest.
lb_status lb_tetraw_close(lb_tetraw* raw, lb_tetmesh* mesh);

/// Without memory nothing is added, which the reader remembers.
void lb_tetraw_add_node(lb_tetraw* raw, int id, lb_vec3 at);
void lb_tetraw_add_cell(lb_tetraw* raw, lb_tetraw_cell cell);
void lb_tetraw_add_name(lb_tetraw* raw, int dimension, int tag, lb_word name);
