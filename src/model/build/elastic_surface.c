// Surface of an elastic body: triangles over the nodes of its mesh, and the basis at them.
//
// Quadratic faces are cut into four, so that curved sides look round. Meshes that Limber made may
// be much finer along their axis than the eye needs; then the triangles of a coarser one are used,
// with each vertex moved to the nearest node. Vertices at sharp edges are doubled, so that normals
// can be had by adding up those of the faces around.
#include <math.h>

#include "geom/shape/section.h"
#include "model/build/build.h"
#include "scene/part/elastic_form.h"

enum { MOST_ALONG = 16, MOST_ACROSS = 2 };

static const double SHARP = 0.64; // cosine of the angle at which an edge is one, 50 degrees

// Triangles of nodes.
typedef struct triangles {
  int count;
  int* node; // [3 * count]
} triangles;

static lb_status boundary_triangles(const lb_tetmesh* mesh, lb_arena* scratch, triangles* out) {
  static const int whole[1][3] = {{0, 1, 2}};
  static const int quarter[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
  lb_tetmesh_surface surface;
  const lb_status status = lb_tetmesh_boundary(mesh, scratch, &surface);
  if (status != LB_OK) {
    return status;
  }
  const int size = lb_tetmesh_face_nodes(mesh);
  const int pieces = size == 6 ? 4 : 1;
  const int(*piece)[3] = size == 6 ? quarter : whole;
  out->count = 0;
  out->node = LB_TAKE(scratch, int, 3 * (size_t)pieces * (size_t)surface.nface);
  for (int i = 0; out->node && i < pieces * surface.nface; i++) {
    for (int k = 0; k < 3; k++) {
      out->node[3 * out->count + k] = surface.face[size * (i / pieces) + piece[i % pieces][k]];
    }
    out->count++;
  }
  return out->node ? LB_OK : LB_NO_MEMORY;
}

static int nearest_node(const lb_tetmesh* mesh, lb_vec3 x) {
  int best = 0;
  double least = INFINITY;
  for (int i = 0; i < mesh->nnode; i++) {
    const lb_vec3 d = lb_vec3_sub(mesh->node[i], x);
    if (lb_vec3_dot(d, d) < least) {
      least = lb_vec3_dot(d, d);
      best = i;
    }
  }
  return best;
}

// Triangles over nodes of `mesh`, by way of a coarser mesh of the same form.
static lb_status coarse_triangles(const lb_tetmesh_def* def, const lb_tetmesh* mesh,
                                  lb_arena* scratch, triangles* out) {
  lb_tetmesh coarse;
  lb_status status = lb_tetmesh_make(def, (lb_place){0}, scratch, &coarse, NULL);
  if (status == LB_OK) {
    status = boundary_triangles(&coarse, scratch, out);
  }
  int* node = status == LB_OK ? LB_TAKE(scratch, int, coarse.nnode) : NULL;
  if (!node) {
    return status == LB_OK ? LB_NO_MEMORY : status;
  }
  for (int i = 0; i < 3 * out->count; i++) { // one more than the index; 0: not looked for yet
    int* found = &node[out->node[i]];
    *found = *found ? *found : 1 + nearest_node(mesh, coarse.node[out->node[i]]);
    out->node[i] = *found - 1;
  }
  int kept = 0;
  for (int t = 0; t < out->count; t++) {
    const int* v = &out->node[3 * t];
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) {
      for (int k = 0; k < 3; k++) {
        out->node[3 * kept + k] = v[k];
      }
      kept++;
    }
  }
  out->count = kept;
  return LB_OK;
}

static lb_status find_triangles(const lb_scene_elastic* description, lb_space space,
                                const lb_tetmesh* mesh, lb_arena* scratch, triangles* out) {
  if (description->form == LB_ELASTIC_MESH) {
    return boundary_triangles(mesh, scratch, out);
  }
  lb_tetmesh_def def = lb_elastic_definition(description, space);
  lb_section_resolve(&def);
  if (def.along <= MOST_ALONG && def.across <= MOST_ACROSS) {
    return boundary_triangles(mesh, scratch, out);
  }
  def.along = def.along < MOST_ALONG ? def.along : MOST_ALONG;
  def.across = def.across < MOST_ACROSS ? def.across : MOST_ACROSS;
  return coarse_triangles(&def, mesh, scratch, out);
}

// A vertex of the surface: a node as seen from one side of the edges there.
typedef struct side {
  int node;
  int next; // side of the same node, or -1
  lb_vec3 normal;
} side;

static lb_vec3 unit_normal(const lb_tetmesh* mesh, const int* v) {
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(mesh->node[v[1]], mesh->node[v[0]]),
                                  lb_vec3_sub(mesh->node[v[2]], mesh->node[v[0]]));
  const double length = lb_vec3_norm(n);
  return length > 0 ? lb_vec3_scale(1 / length, n) : n;
}

// Give every corner of every triangle a side; returns how many there are.
static int find_sides(const lb_tetmesh* mesh, const triangles* t, int* first, side* all,
                      int* face) {
  int count = 0;
  for (int i = 0; i < mesh->nnode; i++) {
    first[i] = -1;
  }
  for (int i = 0; i < 3 * t->count; i++) {
    const lb_vec3 normal = unit_normal(mesh, &t->node[i / 3 * 3]);
    const int node = t->node[i];
    int s = first[node];
    while (s >= 0 && lb_vec3_dot(all[s].normal, normal) < SHARP) {
      s = all[s].next;
    }
    if (s < 0) {
      s = count++;
      all[s] = (side){node, first[node], normal};
      first[node] = s;
    }
    face[i] = s;
  }
  return count;
}

lb_status lb_build_surface(lb_build* b, const lb_scene_elastic* description, const lb_tetmesh* mesh,
                           const double* Phi, lb_model_elastic* e) {
  lb_arena scratch;
  lb_arena_init(&scratch, b->arena->allocator);
  triangles t;
  lb_status status = find_triangles(description, b->scene->solver.elastic, mesh, &scratch, &t);
  const int corners = status == LB_OK ? 3 * t.count : 0;
  int* first = LB_TAKE(&scratch, int, mesh->nnode);
  side* all = LB_TAKE(&scratch, side, corners);
  int* face = LB_TAKE(b->arena, int, corners);
  if (status == LB_OK && first && all && face) {
    const int n = find_sides(mesh, &t, first, all, face);
    e->surface = (lb_mesh){n, t.count, LB_TAKE(b->arena, lb_vec3, n), face};
    e->Phi = LB_TAKE(b->arena, double, 3 * (size_t)n * (size_t)e->r);
    e->node = LB_TAKE(b->arena, int, n);
    for (int i = 0; i < n && e->surface.vertex && e->Phi && e->node; i++) {
      e->surface.vertex[i] = mesh->node[all[i].node];
      e->node[i] = all[i].node;
      for (int k = 0; k < 3 * e->r; k++) {
        const size_t mode = (size_t)(k / 3), axis = (size_t)(k % 3);
        e->Phi[(mode * (size_t)n + (size_t)i) * 3 + axis] =
            Phi[(mode * (size_t)mesh->nnode + (size_t)all[i].node) * 3 + axis];
      }
    }
  }
  const bool done = first && all && face && e->surface.vertex && e->Phi && e->node;
  lb_arena_release(&scratch);
  return status == LB_OK && !done ? LB_NO_MEMORY : status;
}
