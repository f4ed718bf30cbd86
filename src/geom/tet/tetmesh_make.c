// Meshing by extrusion. A section, cut into triangles, is drawn along the axis in layers; each
// triangle of each layer is a prism, cut into three tetrahedra.
//
// Conforming: the wall of a prism over the section's edge from vertex p to q is cut by the diagonal
// from the lower-numbered vertex at the bottom to the other at the top; the prisms on both sides
// agree about that. Odd layers are mirrored, so that the diagonals have no preferred turn.
//
// Nodes of order 2: the middles of the edges are exactly the section's vertices and edge middles,
// at the layers and half-way between them. So node(s, l) = s + (nvertex + nedge) l, with l counted
// in half layers: nothing is searched for.
#include <limits.h>
#include <stdio.h>

#include "geom/shape/section.h"
#include "geom/tet/tetmesh.h"

// Axes of the section in space.
typedef struct frame {
  lb_vec3 o, x, y, z; // x: along the axis, full length; y: width; z: height
} frame;

static frame make_frame(const lb_tetmesh_def* def) {
  const lb_vec3 x = lb_vec3_sub(def->b, def->a);
  const lb_vec3 e = lb_vec3_scale(1 / lb_vec3_norm(x), x);
  lb_vec3 up = def->up;
  lb_vec3 z = lb_vec3_sub(up, lb_vec3_scale(lb_vec3_dot(up, e), e));
  if (!(lb_vec3_norm(z) > 1e-9 * lb_vec3_norm(up))) { // none given, or along the axis
    up = fabs(e.z) < 0.9 ? lb_vec3_make(0, 0, 1) : lb_vec3_make(1, 0, 0);
    z = lb_vec3_sub(up, lb_vec3_scale(lb_vec3_dot(up, e), e));
  }
  z = lb_vec3_scale(1 / lb_vec3_norm(z), z);
  return (frame){def->a, x, lb_vec3_cross(z, e), z};
}

// Extrusion in progress.
typedef struct extrusion {
  const lb_section* s;
  lb_tetmesh* mesh;
  int nlayer;
  const double* level; // [nlayer + 1] ends of layers, from 0 to 1
  int stride;          // nodes per layer, or half layer
} extrusion;

static void place_nodes(const extrusion* e, frame f) {
  const int nlevel = e->mesh->order == 1 ? e->nlayer : 2 * e->nlayer;
  for (int l = 0; l <= nlevel; l++) {
    const int k0 = e->mesh->order == 1 ? l : l / 2, k1 = e->mesh->order == 1 ? l : (l + 1) / 2;
    const double t = (e->level[k0] + e->level[k1]) / 2; // half-way between layers, for middles
    const lb_vec3 o = lb_vec3_add(f.o, lb_vec3_scale(t, f.x));
    for (int k = 0; k < e->stride; k++) {
      const lb_section_point p = e->s->point[k];
      const lb_vec3 q = lb_vec3_add(lb_vec3_scale(p.y, f.y), lb_vec3_scale(p.z, f.z));
      e->mesh->node[l * e->stride + k] = lb_vec3_add(o, q);
    }
  }
}

// A corner of a tetrahedron: a vertex of the section, and whether at the layer's top.
typedef struct corner {
  int vertex, top;
} corner;

static int corner_node(const extrusion* e, int layer, corner c) {
  const int half = e->mesh->order == 1 ? 1 : 2;
  return c.vertex + e->stride * half * (layer + c.top);
}

// The middle between two corners lies on a vertex or an edge of the section, at the level between.
static int middle_node(const extrusion* e, int layer, corner a, corner b) {
  const int k =
      a.vertex == b.vertex ? a.vertex : e->s->nvertex + lb_section_edge(e->s, a.vertex, b.vertex);
  return k + e->stride * (2 * layer + a.top + b.top);
}

static void write_elem(const extrusion* e, int layer, int* out, const corner c[4]) {
  for (int k = 0; k < 4; k++) {
    out[k] = corner_node(e, layer, c[k]);
  }
  for (int k = 0; e->mesh->order == 2 && k < 6; k++) {
    out[4 + k] = middle_node(e, layer, c[lb_tetmesh_edge[k][0]], c[lb_tetmesh_edge[k][1]]);
  }
}

// Three tetrahedra of the prism over a triangle. With its vertices sorted as p < q < r, and v, v'
// below and above, the diagonals p-q', q-r', p-r' cut it into p q r r', p q r' q', p q' r' p'.
static void cut_prism(const extrusion* e, int layer, int triangle, int* out) {
  static const int cut[3][4][2] = {{{0, 0}, {1, 0}, {2, 0}, {2, 1}},
                                   {{0, 0}, {1, 0}, {2, 1}, {1, 1}},
                                   {{0, 0}, {1, 1}, {2, 1}, {0, 1}}};
  const int* t = &e->s->triangle[3 * triangle];
  const int low = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
  const int next = t[(low + 1) % 3], last = t[(low + 2) % 3], odd = layer % 2;
  const bool turned = next > last; // sorting turns the triangle over
  const int v[3] = {t[low], turned ? last : next, turned ? next : last};
  for (int k = 0; k < 3; k++) {
    corner c[4];
    for (int i = 0; i < 4; i++) { // mirrored, with the second and the third exchanged
      const int to = turned ^ odd && (i == 1 || i == 2) ? 3 - i : i;
      c[to] = (corner){v[cut[k][i][0]], cut[k][i][1] ^ odd};
    }
    write_elem(e, layer, out + k * lb_tetmesh_elem_nodes(e->mesh), c);
  }
}

// --- surfaces ---

// Triangles of the section at the first or the last level.
static void write_end(const extrusion* e, lb_tetmesh_surface* surface, bool last) {
  const int size = lb_tetmesh_face_nodes(e->mesh), half = size == 3 ? 1 : 2;
  const int level = last ? half * e->nlayer : 0;
  for (int t = 0; t < e->s->ntriangle; t++) {
    const int* s = &e->s->triangle[3 * t];
    const int v[3] = {s[0], s[last ? 1 : 2],
                      s[last ? 2 : 1]}; // the first looks back along the axis
    int* out = &surface->face[size * t];
    for (int k = 0; k < 3; k++) {
      out[k] = v[k] + e->stride * level;
      if (size == 6) {
        out[3 + k] =
            e->s->nvertex + lb_section_edge(e->s, v[k], v[(k + 1) % 3]) + e->stride * level;
      }
    }
  }
}

static void write_face(const extrusion* e, int layer, int* out, const corner c[3]) {
  for (int k = 0; k < 3; k++) {
    out[k] = corner_node(e, layer, c[k]);
    if (e->mesh->order == 2) {
      out[3 + k] = middle_node(e, layer, c[k], c[(k + 1) % 3]);
    }
  }
}

// The two triangles of the wall over a boundary edge from vertex p to q of the section, which has
// the section on its left; seen from outside it runs to the right.
static void write_wall(const extrusion* e, int layer, int* out, int p, int q) {
  const int size = lb_tetmesh_face_nodes(e->mesh);
  const bool rising = (p < q) ^ (layer % 2); // the diagonal runs from p below to q above
  const corner a[3] = {{p, 0}, {q, 0}, {rising ? q : p, 1}};
  const corner b[3] = {{rising ? p : q, 0}, {q, 1}, {p, 1}};
  write_face(e, layer, out, a);
  write_face(e, layer, out + size, b);
}

// Walls of the boundary edges whose side is in the set.
static int write_sides(const extrusion* e, lb_tetmesh_surface* surface, unsigned sides) {
  const int size = lb_tetmesh_face_nodes(e->mesh);
  int nface = 0;
  for (int layer = 0; layer < e->nlayer; layer++) {
    for (int k = 0; k < e->s->nboundary; k++) {
      const lb_section_side* side = &e->s->boundary[k];
      if (sides >> side->side & 1) {
        if (surface) {
          write_wall(e, layer, &surface->face[size * nface], side->p, side->q);
        }
        nface += 2;
      }
    }
  }
  return nface;
}

static lb_status take_surface(lb_arena* arena, const lb_tetmesh* mesh, lb_tetmesh_surface* surface,
                              const char* name, int nface) {
  surface->name = name;
  surface->nface = nface;
  surface->face = LB_TAKE(arena, int, (size_t)nface*(size_t)lb_tetmesh_face_nodes(mesh));
  return surface->face ? LB_OK : LB_NO_MEMORY;
}

static lb_status make_surfaces(const extrusion* e, lb_arena* arena) {
  lb_tetmesh* m = e->mesh;
  const int nside = e->s->nname;
  m->surface = LB_TAKE(arena, lb_tetmesh_surface, 2 + nside);
  if (!m->surface) {
    return LB_NO_MEMORY;
  }
  m->nsurface = 2 + nside;
  for (int k = 0; k < 2; k++) {
    if (take_surface(arena, m, &m->surface[k], k ? "end" : "start", e->s->ntriangle) != LB_OK) {
      return LB_NO_MEMORY;
    }
    write_end(e, &m->surface[k], k == 1);
  }
  for (int k = 0; k < nside; k++) {
    const lb_section_name* name = &e->s->name[k];
    lb_tetmesh_surface* surface = &m->surface[2 + k];
    if (take_surface(arena, m, surface, name->name, write_sides(e, NULL, name->sides)) != LB_OK) {
      return LB_NO_MEMORY;
    }
    write_sides(e, surface, name->sides);
  }
  return LB_OK;
}

// --- regions ---

// Part that a layer belongs to.
static int part_of(const lb_tetmesh_def* def, const extrusion* e, int layer) {
  const double length = lb_vec3_norm(lb_vec3_sub(def->b, def->a));
  const double middle = length * (e->level[layer] + e->level[layer + 1]) / 2;
  int part = 0;
  while (part < def->ncut && def->cut[part] < middle) {
    part++;
  }
  return part;
}

static lb_status make_regions(const lb_tetmesh_def* def, const extrusion* e, lb_arena* arena) {
  lb_tetmesh* m = e->mesh;
  m->nregion = def->ncut + 1;
  m->region = LB_TAKE(arena, int, m->nelem);
  m->region_name = LB_TAKE(arena, const char*, m->nregion);
  if (!m->region || !m->region_name) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->nregion; i++) {
    char name[24];
    const int size = snprintf(name, sizeof name, def->ncut ? "part %d" : "body", i + 1);
    m->region_name[i] = lb_arena_text(arena, name, (size_t)size);
    if (!m->region_name[i]) {
      return LB_NO_MEMORY;
    }
  }
  for (int i = 0; i < m->nelem; i++) {
    m->region[i] = part_of(def, e, i / (3 * e->s->ntriangle));
  }
  return LB_OK;
}

// --- all together ---

static lb_status extrude(const lb_tetmesh_def* def, const lb_section* s, int nlayer,
                         const double* level, lb_arena* arena, lb_tetmesh* mesh) {
  lb_tetmesh made = {.order = def->order};
  extrusion e = {s, &made, nlayer, level, s->nvertex + (def->order == 2 ? s->nedge : 0)};
  made.nnode = e.stride * ((def->order == 1 ? nlayer : 2 * nlayer) + 1);
  made.nelem = 3 * s->ntriangle * nlayer;
  made.node = LB_TAKE(arena, lb_vec3, made.nnode);
  const int size = lb_tetmesh_elem_nodes(&made);
  made.elem = LB_TAKE(arena, int, (size_t)made.nelem*(size_t)size);
  if (!made.node || !made.elem || make_regions(def, &e, arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  place_nodes(&e, make_frame(def));
  for (int layer = 0; layer < nlayer; layer++) {
    for (int t = 0; t < s->ntriangle; t++) {
      cut_prism(&e, layer, t, made.elem + 3 * size * (t + s->ntriangle * layer));
    }
  }
  const lb_status status = make_surfaces(&e, arena);
  if (status == LB_OK) {
    *mesh = made;
  }
  return status;
}

lb_status lb_tetmesh_make(const lb_tetmesh_def* def, lb_place place, lb_arena* arena,
                          lb_tetmesh* mesh, lb_error* err) {
  lb_tetmesh_def chosen = *def;
  lb_status status = lb_section_check(def, place, err);
  if (status != LB_OK) {
    return status;
  }
  lb_section_resolve(&chosen);
  const double nodes = lb_section_estimate(&chosen);
  if (!(nodes < LB_TETMESH_MOST)) {
    return lb_error_add(err, LB_INVALID, place,
                        "the mesh would have about %.2g nodes; ask for a larger error", nodes);
  }
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  const lb_arena_mark mark = lb_arena_here(arena);
  lb_section s;
  int nlayer;
  double* level;
  status = lb_section_make(&chosen, &scratch, &s);
  if (status == LB_OK) {
    status = lb_section_layers(&chosen, &scratch, &nlayer, &level);
  }
  if (status == LB_OK) {
    status = extrude(&chosen, &s, nlayer, level, arena, mesh);
  }
  lb_arena_release(&scratch);
  if (status == LB_NO_MEMORY) {
    lb_arena_reset(arena, mark);
    lb_error_add(err, status, place, "no memory for the mesh");
  }
  return status;
}
