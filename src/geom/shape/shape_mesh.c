// Triangle mesh at a scale along each axis; negative ones mirror it.
#include "geom/mesh/disjoint_sets.h"
#include "geom/shape/shape_parts.h"

static const char* lack(const lb_shape* s) {
  return s->mesh ? NULL : "the shape has no mesh";
}

static lb_vec3 scaled(const lb_shape* s, lb_vec3 v) {
  return lb_vec3_make(s->size.x * v.x, s->size.y * v.y, s->size.z * v.z);
}

// Scaling by S = diag(size) maps volumes by |det S|, points by S and second moments by S . S. A
// negative scale mirrors the solid, whose volume stays positive.
static lb_solid integrate(const lb_shape* s) {
  const lb_solid m = lb_mesh_integrate(s->mesh);
  const double x = s->size.x, y = s->size.y, z = s->size.z, d = fabs(x * y * z);
  return (lb_solid){.volume = d * m.volume,
                    .com = scaled(s, m.com),
                    .second = {.xx = d * x * x * m.second.xx,
                               .yy = d * y * y * m.second.yy,
                               .zz = d * z * z * m.second.zz,
                               .xy = d * x * y * m.second.xy,
                               .xz = d * x * z * m.second.xz,
                               .yz = d * y * z * m.second.yz}};
}

static lb_bounds core(const lb_shape* s) {
  lb_vec3 low = {0, 0, 0}, high = {0, 0, 0};
  if (s->mesh) {
    lb_mesh_bounds(s->mesh, &low, &high);
  }
  const lb_vec3 a = scaled(s, low), b = scaled(s, high);
  return (lb_bounds){lb_vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)),
                     lb_vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z))};
}

// --- distance ---

static double clamp(double x) {
  return fmax(0, fmin(1, x));
}

static lb_vec3 along(lb_vec3 a, lb_vec3 b, double t) {
  return lb_vec3_add(a, lb_vec3_scale(t, lb_vec3_sub(b, a)));
}

static double to_segment(lb_vec3 x, lb_vec3 a, lb_vec3 b) {
  const lb_vec3 e = lb_vec3_sub(b, a);
  const double length = lb_vec3_dot(e, e);
  const double t = length > 0 ? clamp(lb_vec3_dot(lb_vec3_sub(x, a), e) / length) : 0;
  return lb_vec3_norm(lb_vec3_sub(x, along(a, b, t)));
}

// To the triangle's plane where the foot is inside it, else to its nearest edge.
static double to_triangle(lb_vec3 x, const lb_vec3 v[3]) {
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(v[1], v[0]), lb_vec3_sub(v[2], v[0]));
  bool inside = true;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const lb_vec3 a = v[k], b = v[(k + 1) % 3];
    const lb_vec3 in = lb_vec3_cross(n, lb_vec3_sub(b, a));
    inside = inside && lb_vec3_dot(in, lb_vec3_sub(x, a)) >= 0;
    least = fmin(least, to_segment(x, a, b));
  }
  const double size = lb_vec3_norm(n);
  return inside && size > 0 ? fabs(lb_vec3_dot(n, lb_vec3_sub(x, v[0]))) / size : least;
}

// The triangle's solid angle from x, by van Oosterom and Strackee's formula.
static double solid_angle(lb_vec3 x, const lb_vec3 v[3]) {
  const lb_vec3 a = lb_vec3_sub(v[0], x), b = lb_vec3_sub(v[1], x), c = lb_vec3_sub(v[2], x);
  const double la = lb_vec3_norm(a), lb = lb_vec3_norm(b), lc = lb_vec3_norm(c);
  return 2 * atan2(lb_vec3_dot(a, lb_vec3_cross(b, c)), la * lb * lc + lb_vec3_dot(a, b) * lc +
                                                            lb_vec3_dot(b, c) * la +
                                                            lb_vec3_dot(c, a) * lb);
}

// A closed surface is seen from inside under 4 pi. One that is mirrored is seen under -4 pi.
static double distance(const lb_shape* s, lb_vec3 x) {
  double least = INFINITY, seen = 0;
  for (int f = 0; f < s->mesh->nface; f++) {
    lb_vec3 v[3];
    for (int k = 0; k < 3; k++) {
      v[k] = scaled(s, s->mesh->vertex[s->mesh->face[3 * f + k]]);
    }
    least = fmin(least, to_triangle(x, v));
    seen += solid_angle(x, v);
  }
  return fabs(seen) > 2 * M_PI ? -least : least;
}

// --- drawing ---
//
// Corners of faces that meet at a vertex are one drawn vertex if a chain of edges without a crease
// joins their faces. Its normal is the mean of the faces' weighted by their angles there, which
// does not depend on how a flat part is cut into triangles.

static int corner_at(const lb_mesh* mesh, int face, int vertex) {
  const int* v = &mesh->face[3 * face];
  return 3 * face + (v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2);
}

static void join_smooth_corners(const lb_mesh* mesh, const lb_vec3* normal, const lb_half_edge* e,
                                int* parent) {
  static const double CREASE = 0.86602540378443865; // cosine of 30 degrees
  for (int i = 0; i + 1 < 3 * mesh->nface; i++) {
    const bool same = e[i].low == e[i + 1].low && e[i].high == e[i + 1].high;
    const int f = e[i].face, g = e[i + 1].face;
    if (same && e[i].forward != e[i + 1].forward && lb_vec3_dot(normal[f], normal[g]) > CREASE) {
      lb_sets_join(parent, corner_at(mesh, f, e[i].low), corner_at(mesh, g, e[i].low));
      lb_sets_join(parent, corner_at(mesh, f, e[i].high), corner_at(mesh, g, e[i].high));
    }
  }
}

static lb_vec3 unit_or(lb_vec3 v, lb_vec3 otherwise) {
  const double length = lb_vec3_norm(v);
  return length > 0 ? lb_vec3_scale(1 / length, v) : otherwise;
}

static double angle_at(const lb_mesh* mesh, int corner) {
  const int first = corner - corner % 3;
  const lb_vec3 a = mesh->vertex[mesh->face[corner]];
  const lb_vec3 b = lb_vec3_sub(mesh->vertex[mesh->face[first + (corner + 1) % 3]], a);
  const lb_vec3 c = lb_vec3_sub(mesh->vertex[mesh->face[first + (corner + 2) % 3]], a);
  return atan2(lb_vec3_norm(lb_vec3_cross(b, c)), lb_vec3_dot(b, c));
}

static void face_normals(const lb_mesh* mesh, lb_vec3* normal) {
  for (int f = 0; f < mesh->nface; f++) {
    normal[f] = unit_or(lb_mesh_face_normal(mesh, f), lb_vec3_make(0, 0, 1));
  }
}

// The mesh at its scale; a mirrored one has its faces turned round.
static lb_mesh scaled_mesh(const lb_shape* s, lb_arena* arena) {
  const lb_mesh* mesh = s->mesh;
  const lb_mesh out = {mesh->nvertex, mesh->nface, LB_TAKE(arena, lb_vec3, mesh->nvertex),
                       LB_TAKE(arena, int, 3 * mesh->nface)};
  for (int i = 0; out.vertex && i < mesh->nvertex; i++) {
    out.vertex[i] = scaled(s, mesh->vertex[i]);
  }
  const int swap = (s->size.x < 0) ^ (s->size.y < 0) ^ (s->size.z < 0);
  for (int i = 0; out.face && i < 3 * mesh->nface; i++) {
    const int k = i % 3;
    out.face[i] = mesh->face[i - k + (swap && k ? 3 - k : k)];
  }
  return out;
}

// From the groups of corners to drawn vertices: `parent` is replaced by their numbers.
static lb_status draw(const lb_mesh* mesh, const lb_vec3* of_face, int* parent, lb_arena* arena,
                      lb_mesh* out, lb_vec3** normal) {
  int nvertex = 0;
  for (int c = 0; c < 3 * mesh->nface; c++) {
    nvertex += parent[c] == c;
  }
  if (lb_drawing_take(arena, nvertex, mesh->nface, out, normal) != LB_OK) {
    return LB_NO_MEMORY;
  }
  const lb_mesh made = *out;
  lb_vec3* n = *normal;
  nvertex = 0;
  for (int c = 0; c < 3 * mesh->nface; c++) { // a root comes before the rest of its group
    const int root = lb_sets_root(parent, c);
    made.face[c] = root == c ? nvertex++ : made.face[root];
    made.vertex[made.face[c]] = mesh->vertex[mesh->face[c]];
    n[made.face[c]] =
        lb_vec3_add(n[made.face[c]], lb_vec3_scale(angle_at(mesh, c), of_face[c / 3]));
  }
  for (int c = 3 * mesh->nface - 1; c >= 0; c--) {
    n[made.face[c]] = unit_or(n[made.face[c]], of_face[c / 3]);
  }
  return LB_OK;
}

static lb_status tessellate(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  (void)around;
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_half_edge* edges = NULL;
  const int nface = shape->mesh->nface;
  lb_vec3* of_face = LB_TAKE(&scratch, lb_vec3, nface);
  int* parent = LB_TAKE(&scratch, int, 3 * nface);
  const lb_mesh m = scaled_mesh(shape, &scratch);
  lb_status status = lb_arena_status(&scratch);
  status = status == LB_OK ? lb_mesh_edges(&m, &scratch, &edges) : status;
  if (status == LB_OK) {
    face_normals(&m, of_face);
    lb_sets_begin(3 * nface, parent);
    join_smooth_corners(&m, of_face, edges, parent);
    status = draw(&m, of_face, parent, arena, mesh, normal);
  }
  lb_arena_release(&scratch);
  return status;
}

const lb_shape_kind lb_shape_mesh = {.name = "mesh",
                                     .nsize = 3,
                                     .size = {{"scale along x", LB_SIZE_NOT_ZERO, 0},
                                              {"scale along y", LB_SIZE_NOT_ZERO, 1},
                                              {"scale along z", LB_SIZE_NOT_ZERO, 2}},
                                     .lack = lack,
                                     .integrate = integrate,
                                     .core = core,
                                     .distance = distance,
                                     .tessellate = tessellate};
