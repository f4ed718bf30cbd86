// Triangles to draw shapes with. Round shapes are turned on a lathe; meshes get smooth normals
// within their creases.
#include "base/assert.h"
#include "geom/shape/shape.h"

static const double PI = 3.14159265358979323846;

// Room for a drawing; false when there is no memory.
static bool make(lb_arena* arena, int nvertex, int nface, lb_mesh* mesh, lb_vec3** normal) {
  lb_vec3* vertex = LB_TAKE(arena, lb_vec3, nvertex);
  lb_vec3* n = LB_TAKE(arena, lb_vec3, nvertex);
  int* face = LB_TAKE(arena, int, 3 * nface);
  if (lb_arena_status(arena) != LB_OK) {
    return false;
  }
  *mesh = (lb_mesh){nvertex, nface, vertex, face};
  *normal = n;
  return true;
}

static void put_face(lb_mesh* mesh, int* f, int a, int b, int c) {
  int* v = &mesh->face[3 * (*f)++];
  v[0] = a, v[1] = b, v[2] = c;
}

// --- the lathe ---

// A circle about z: its radius and height, and the normal there. A radius of 0 is a single point.
typedef struct ring {
  double r, z, nr, nz;
} ring;

static int vertices_of(ring a, int around) {
  return a.r == 0 ? 1 : around;
}

// Rings at the same place are two sides of a crease.
static int faces_between(ring a, ring b, int around) {
  if (a.r == b.r && a.z == b.z) {
    return 0;
  }
  return (a.r == 0 ? 0 : around) + (b.r == 0 ? 0 : around);
}

static void put_ring(lb_vec3* vertex, lb_vec3* normal, ring a, int around) {
  for (int i = 0; i < vertices_of(a, around); i++) {
    const double t = 2 * PI * i / around, c = cos(t), s = sin(t);
    vertex[i] = lb_vec3_make(a.r * c, a.r * s, a.z);
    normal[i] = lb_vec3_make(a.nr * c, a.nr * s, a.nz);
  }
}

// Rings from the bottom up, whose first vertices are `below` and `above`.
static void join_rings(lb_mesh* mesh, int* f, ring a, int below, ring b, int above, int around) {
  if (faces_between(a, b, around) == 0) {
    return;
  }
  for (int i = 0; i < around; i++) {
    const int next = (i + 1) % around;
    const int a0 = below + (a.r == 0 ? 0 : i), a1 = below + (a.r == 0 ? 0 : next);
    const int b0 = above + (b.r == 0 ? 0 : i), b1 = above + (b.r == 0 ? 0 : next);
    if (a.r != 0) {
      put_face(mesh, f, a0, a1, b1);
    }
    if (b.r != 0) {
      put_face(mesh, f, a0, b1, b0);
    }
  }
}

static lb_status lathe(const ring* rings, int count, int around, lb_arena* arena, lb_mesh* mesh,
                       lb_vec3** normal) {
  int nvertex = 0, nface = 0;
  for (int i = 0; i < count; i++) {
    nvertex += vertices_of(rings[i], around);
    nface += i ? faces_between(rings[i - 1], rings[i], around) : 0;
  }
  lb_mesh made;
  lb_vec3* n;
  if (!make(arena, nvertex, nface, &made, &n)) {
    return LB_NO_MEMORY;
  }
  int first = 0, before = 0, f = 0;
  for (int i = 0; i < count; i++) {
    put_ring(&made.vertex[first], &n[first], rings[i], around);
    if (i) {
      join_rings(&made, &f, rings[i - 1], before, rings[i], first, around);
    }
    before = first;
    first += vertices_of(rings[i], around);
  }
  LB_ASSERT(f == nface);
  *mesh = made;
  *normal = n;
  return LB_OK;
}

// A quarter circle in `steps`, from the pole or to it: rings of a half ball of radius r around (0,
// z).
static void put_cap(ring* out, int steps, double r, double z, bool top) {
  for (int i = 0; i <= steps; i++) {
    const double t = PI / 2 * (top ? i : i - steps) / steps;
    const double c = (top ? i == steps : i == 0) ? 0 : cos(t), s = sin(t);
    out[i] = (ring){r * c, z + r * s, c, s};
  }
}

// --- the shapes ---

// Two half balls, drawn apart by `length`. Without a length the equator is one ring, not two.
static lb_status capsule(double r, double length, int around, lb_arena* arena, lb_mesh* mesh,
                         lb_vec3** normal) {
  const int steps = (around + 3) / 4;
  lb_mesh made;
  lb_vec3* n;
  ring* rings = LB_TAKE(arena, ring, 2 * (steps + 1));
  if (!rings) {
    return LB_NO_MEMORY;
  }
  put_cap(rings, steps, r, -length / 2, false);
  put_cap(rings + steps + (length > 0), steps, r, length / 2, true);
  const int count = 2 * (steps + 1) - (length > 0 ? 0 : 1);
  const lb_status status = lathe(rings, count, around, arena, &made, &n);
  if (status == LB_OK) {
    *mesh = made;
    *normal = n;
  }
  return status;
}

lb_status lb_tessellate_sphere(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                               lb_vec3** normal) {
  return capsule(shape->size.x, 0, around, arena, mesh, normal);
}

lb_status lb_tessellate_capsule(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                                lb_vec3** normal) {
  return capsule(shape->size.x, shape->size.y, around, arena, mesh, normal);
}

lb_status lb_tessellate_cylinder(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                                 lb_vec3** normal) {
  const double r = shape->size.x, z = shape->size.y / 2;
  const ring rings[] = {{0, -z, 0, -1}, {r, -z, 0, -1}, {r, -z, 1, 0},
                        {r, z, 1, 0},   {r, z, 0, 1},   {0, z, 0, 1}};
  return lathe(rings, 6, around, arena, mesh, normal);
}

// A ball of radius 1, stretched; its normals shrink where it grows.
lb_status lb_tessellate_ellipsoid(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                                  lb_vec3** normal) {
  const lb_vec3 a = shape->size;
  const lb_status status = capsule(1, 0, around, arena, mesh, normal);
  for (int i = 0; status == LB_OK && i < mesh->nvertex; i++) {
    lb_vec3 *v = &mesh->vertex[i], *n = &(*normal)[i];
    *v = lb_vec3_make(a.x * v->x, a.y * v->y, a.z * v->z);
    *n = lb_vec3_make(n->x / a.x, n->y / a.y, n->z / a.z);
    *n = lb_vec3_scale(1 / lb_vec3_norm(*n), *n);
  }
  return status;
}

lb_status lb_tessellate_box(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                            lb_vec3** normal) {
  (void)around;
  lb_mesh made;
  lb_vec3* n;
  if (!make(arena, 24, 12, &made, &n)) {
    return LB_NO_MEMORY;
  }
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  int f = 0;
  for (int side = 0; side < 6; side++) { // the axis it faces along, and which way
    const int axis = side / 2, next = (axis + 1) % 3, third = (axis + 2) % 3, first = 4 * side;
    const double way = side % 2 ? 1 : -1;
    for (int corner = 0; corner < 4; corner++) {
      // counter-clockwise seen along +axis, so seen from outside when `way` is +1
      double p[3], d[3] = {0};
      p[axis] = way * size[axis] / 2;
      p[next] = (corner == 1 || corner == 2 ? 1 : -1) * size[next] / 2;
      p[third] = (corner >= 2 ? 1 : -1) * size[third] / 2;
      d[axis] = way;
      made.vertex[first + corner] = lb_vec3_make(p[0], p[1], p[2]);
      n[first + corner] = lb_vec3_make(d[0], d[1], d[2]);
    }
    const int b = way > 0 ? 1 : 3, d = way > 0 ? 3 : 1;
    put_face(&made, &f, first, first + b, first + 2);
    put_face(&made, &f, first, first + 2, first + d);
  }
  *mesh = made;
  *normal = n;
  return LB_OK;
}

// --- meshes ---
//
// Corners of faces that meet at a vertex are one drawn vertex if a chain of edges without a crease
// joins their faces. Its normal is the mean of the faces' weighted by their angles there, which
// does not depend on how a flat part is cut into triangles.

static int find_root(int* parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

// The lower root wins, so that the numbering follows the faces.
static void join(int* parent, int a, int b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  if (a < b) {
    parent[b] = a;
  } else {
    parent[a] = b;
  }
}

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
      join(parent, corner_at(mesh, f, e[i].low), corner_at(mesh, g, e[i].low));
      join(parent, corner_at(mesh, f, e[i].high), corner_at(mesh, g, e[i].high));
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
    const int* v = &mesh->face[3 * f];
    const lb_vec3 a = mesh->vertex[v[0]];
    const lb_vec3 n =
        lb_vec3_cross(lb_vec3_sub(mesh->vertex[v[1]], a), lb_vec3_sub(mesh->vertex[v[2]], a));
    normal[f] = unit_or(n, lb_vec3_make(0, 0, 1));
  }
}

// The mesh at its scale; a mirrored one has its faces turned round.
static bool scaled(const lb_shape* shape, lb_arena* arena, lb_mesh* out) {
  const lb_mesh* mesh = shape->mesh;
  const lb_vec3 s = shape->size;
  *out = (lb_mesh){mesh->nvertex, mesh->nface, LB_TAKE(arena, lb_vec3, mesh->nvertex),
                   LB_TAKE(arena, int, 3 * mesh->nface)};
  if (!out->vertex || !out->face) {
    return false;
  }
  for (int i = 0; i < mesh->nvertex; i++) {
    const lb_vec3 v = mesh->vertex[i];
    out->vertex[i] = lb_vec3_make(s.x * v.x, s.y * v.y, s.z * v.z);
  }
  const int swap = (s.x < 0) ^ (s.y < 0) ^ (s.z < 0);
  for (int i = 0; i < 3 * mesh->nface; i++) {
    const int k = i % 3;
    out->face[i] = mesh->face[i - k + (swap && k ? 3 - k : k)];
  }
  return true;
}

// From the groups of corners to drawn vertices: `parent` is replaced by their numbers.
static lb_status draw(const lb_mesh* mesh, const lb_vec3* of_face, int* parent, lb_arena* arena,
                      lb_mesh* out, lb_vec3** normal) {
  int nvertex = 0;
  for (int c = 0; c < 3 * mesh->nface; c++) {
    nvertex += parent[c] == c;
  }
  lb_mesh made;
  lb_vec3* n;
  if (!make(arena, nvertex, mesh->nface, &made, &n)) {
    return LB_NO_MEMORY;
  }
  nvertex = 0;
  for (int c = 0; c < 3 * mesh->nface; c++) { // a root comes before the rest of its group
    const int root = find_root(parent, c);
    made.face[c] = root == c ? nvertex++ : made.face[root];
    made.vertex[made.face[c]] = mesh->vertex[mesh->face[c]];
    n[made.face[c]] =
        lb_vec3_add(n[made.face[c]], lb_vec3_scale(angle_at(mesh, c), of_face[c / 3]));
  }
  for (int c = 3 * mesh->nface - 1; c >= 0; c--) {
    n[made.face[c]] = unit_or(n[made.face[c]], of_face[c / 3]);
  }
  *out = made;
  *normal = n;
  return LB_OK;
}

lb_status lb_tessellate_mesh(const lb_shape* shape, int around, lb_arena* arena, lb_mesh* mesh,
                             lb_vec3** normal) {
  (void)around;
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_mesh m;
  lb_half_edge* edges = NULL;
  const int nface = shape->mesh->nface;
  lb_vec3* of_face = LB_TAKE(&scratch, lb_vec3, nface);
  int* parent = LB_TAKE(&scratch, int, 3 * nface);
  lb_status status = LB_NO_MEMORY;
  if (of_face && parent && scaled(shape, &scratch, &m) &&
      lb_mesh_edges(&m, &scratch, &edges) == LB_OK) {
    face_normals(&m, of_face);
    for (int c = 0; c < 3 * nface; c++) {
      parent[c] = c;
    }
    join_smooth_corners(&m, of_face, edges, parent);
    status = draw(&m, of_face, parent, arena, mesh, normal);
  }
  lb_arena_release(&scratch);
  return status;
}
