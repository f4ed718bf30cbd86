// Triangle meshes to collide with: any set of triangles, also one whose vertices move, with a tree
// of boxes over it.
#pragma once
#include "geom/collide/collider_kind.h"

typedef struct lb_trimesh_node {
  lb_bounds box;
  int first, count; ///< triangles of a leaf in `order`; count 0: children are first and first + 1
} lb_trimesh_node;

struct lb_trimesh {
  int nvertex, nface, nnode;
  bool closed; ///< each edge has two faces that agree
  lb_vec3* vertex;
  int* face;        ///< [3 * nface]
  int* across;      ///< [3 * nface] face at the edge from corner k to the next; -1: none or several
  lb_vec3* normal;  ///< [nface] unit; zero where there is no area
  lb_vec3* leaning; ///< [nvertex] mean of the normals around, weighted by angles
  int* order;
  lb_trimesh_node* node;
};

lb_status lb_trimesh_make(const lb_mesh* mesh, lb_vec3 scale, lb_arena* arena, lb_trimesh* out,
                          lb_error* err);
/// New places of the vertices; the tree keeps its shape and its boxes follow.
void lb_trimesh_move(lb_trimesh* m, const lb_vec3* vertex);
lb_bounds lb_trimesh_bounds(const lb_trimesh* m);

/// Nearest point of the surface, no farther than `most`; false: none.
typedef struct lb_mesh_foot {
  int face;
  lb_vec3 point;
  double weight[3];
  double distance; ///< signed: negative behind the surface
  lb_vec3 normal;  ///< gradient of the distance
} lb_mesh_foot;
bool lb_trimesh_nearest(const lb_trimesh* m, lb_vec3 x, double most, lb_mesh_foot* out);

/// Walk over the triangles whose boxes meet a box.
void lb_trimesh_pieces(const lb_trimesh* m, const lb_bounds* box, lb_piece_visit visit,
                       void* context);
/// One of them.
lb_piece lb_trimesh_piece(const lb_trimesh* m, int face);
