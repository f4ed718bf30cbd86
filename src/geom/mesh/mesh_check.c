// Checks that a mesh is the surface of a solid. Messages name the place on the mesh, so that its
// author finds it in a modelling program.
#include <stdio.h>

#include "geom/mesh/triangle_mesh.h"

// Arguments of all checks.
typedef struct check {
  const lb_mesh* mesh;
  const char* name;
  lb_place place;
  lb_error* err;
} check;

// --- one vertex and one face at a time ---

static lb_status check_vertices(const check* c) {
  for (int i = 0; i < c->mesh->nvertex; i++) {
    const lb_vec3 v = c->mesh->vertex[i];
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) {
      return lb_error_add(c->err, LB_INVALID, c->place,
                          "mesh '%s': vertex %d has a coordinate that is not a finite number",
                          c->name, i + 1);
    }
  }
  return LB_OK;
}

static lb_status check_faces(const check* c) {
  for (int f = 0; f < c->mesh->nface; f++) {
    const int* v = &c->mesh->face[3 * f];
    for (int k = 0; k < 3; k++) {
      if (v[k] < 0 || v[k] >= c->mesh->nvertex) {
        return lb_error_add(c->err, LB_INVALID, c->place,
                            "mesh '%s': face %d uses vertex %d, but there are only %d", c->name,
                            f + 1, v[k] + 1, c->mesh->nvertex);
      }
    }
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
      return lb_error_add(c->err, LB_INVALID, c->place, "mesh '%s': face %d uses vertex %d twice",
                          c->name, f + 1, (v[0] == v[1] ? v[0] : v[2]) + 1);
    }
  }
  return LB_OK;
}

// --- edges ---

// Half-edges along one edge: as many must run forwards as backwards. Two solids may touch along an
// edge, so there may be more than one each.
typedef struct edge_count {
  int open, twisted;             // edges
  lb_half_edge first_open;       // first edge with one face
  lb_half_edge first_twisted[2]; // first edge with two faces that run along it the same way
} edge_count;

static void count_edge(edge_count* n, const lb_half_edge* e, int sides) {
  int forward = 0;
  for (int i = 0; i < sides; i++) {
    forward += e[i].forward;
  }
  if (2 * forward == sides) {
    return;
  }
  if (sides % 2) {
    if (n->open++ == 0) {
      n->first_open = e[0];
    }
    return;
  }
  if (n->twisted++ == 0) {
    int found = 0;
    for (int i = 0; i < sides && found < 2; i++) {
      if (e[i].forward == (2 * forward > sides)) {
        n->first_twisted[found++] = e[i];
      }
    }
  }
}

// "vertex 3 at (0, 0, 1) and vertex 7 at (1, 0, 1)"
static const char* edge_text(char* text, size_t size, const lb_mesh* mesh, lb_half_edge e) {
  const lb_vec3 a = mesh->vertex[e.low], b = mesh->vertex[e.high];
  snprintf(text, size, "vertex %d at (%.6g, %.6g, %.6g) and vertex %d at (%.6g, %.6g, %.6g)",
           e.low + 1, a.x, a.y, a.z, e.high + 1, b.x, b.y, b.z);
  return text;
}

static const char* more_text(char* text, size_t size, int count) {
  text[0] = '\0';
  if (count > 1) {
    snprintf(text, size, " (%d such edges in all)", count);
  }
  return text;
}

static lb_status report_edges(const check* c, const edge_count* n) {
  char edge[200], more[60];
  lb_status status = LB_OK;
  if (n->open) {
    status = lb_error_add(
        c->err, LB_INVALID, c->place,
        "mesh '%s' is open: no face closes the edge between %s%s; a solid needs a closed surface",
        c->name, edge_text(edge, sizeof edge, c->mesh, n->first_open),
        more_text(more, sizeof more, n->open));
  }
  if (n->twisted) {
    status = lb_error_add(c->err, LB_INVALID, c->place,
                          "mesh '%s': faces %d and %d disagree about which side is outside, at the "
                          "edge between %s%s; "
                          "flip one of them",
                          c->name, n->first_twisted[0].face + 1, n->first_twisted[1].face + 1,
                          edge_text(edge, sizeof edge, c->mesh, n->first_twisted[0]),
                          more_text(more, sizeof more, n->twisted));
  }
  return status;
}

// Number of half-edges from `i` on that lie on the same edge.
static int sides_of(const lb_half_edge* e, int i, int count) {
  int sides = 1;
  while (i + sides < count && e[i].low == e[i + sides].low && e[i].high == e[i + sides].high) {
    sides++;
  }
  return sides;
}

static lb_status check_edges(const check* c, lb_arena* scratch) {
  lb_half_edge* e;
  const lb_status status = lb_mesh_edges(c->mesh, scratch, &e);
  if (status != LB_OK) {
    return lb_error_add(c->err, status, c->place, "no memory to check mesh '%s'", c->name);
  }
  edge_count n = {0};
  const int count = 3 * c->mesh->nface;
  for (int i = 0, sides; i < count; i += sides) {
    sides = sides_of(e, i, count);
    count_edge(&n, &e[i], sides);
  }
  return report_edges(c, &n);
}

// --- volume ---

static lb_status check_volume(const check* c) {
  static const double FLAT = 1e-13; // thickness over size below which rounding decides the volume
  const lb_solid solid = lb_mesh_integrate(c->mesh);
  lb_vec3 low, high;
  lb_mesh_bounds(c->mesh, &low, &high);
  double area = 0;
  for (int f = 0; f < c->mesh->nface; f++) {
    area += lb_vec3_norm(lb_mesh_face_normal(c->mesh, f)) / 2;
  }
  if (!isfinite(solid.volume + solid.second.xx + solid.second.yy + solid.second.zz + area)) {
    return lb_error_add(c->err, LB_INVALID, c->place, "mesh '%s' is too large to be computed with",
                        c->name);
  }
  if (!(fabs(solid.volume) > FLAT * area * lb_vec3_norm(lb_vec3_sub(high, low)))) {
    return lb_error_add(c->err, LB_INVALID, c->place, "mesh '%s' encloses no volume", c->name);
  }
  if (solid.volume < 0) {
    return lb_error_add(c->err, LB_INVALID, c->place,
                        "mesh '%s' is inside out: its faces point inwards; flip them", c->name);
  }
  return LB_OK;
}

lb_status lb_mesh_check(const lb_mesh* mesh, const char* name, lb_place place, lb_arena* scratch,
                        lb_error* err) {
  const check c = {mesh, name, place, err};
  if (mesh->nface == 0) {
    return lb_error_add(err, LB_INVALID, place, "mesh '%s' has no faces", name);
  }
  lb_status status = check_vertices(&c);
  if (status == LB_OK) {
    status = check_faces(&c);
  }
  if (status == LB_OK) {
    const lb_arena_mark mark = lb_arena_here(scratch);
    status = check_edges(&c, scratch);
    lb_arena_reset(scratch, mark);
  }
  return status == LB_OK ? check_volume(&c) : status;
}
