// Triangle meshes to collide with. The tree halves the triangles by the middle of their boxes along
// the longest side, so its depth is bounded by the logarithm of their number.
#include "geom/collide/trimesh.h"

#include <stdlib.h>

#include "geom/collide/bounds.h"
#include "geom/collide/closest.h"

enum { LEAF = 4, DEPTH = 64 };

// --- making ---

static lb_bounds face_bounds(const lb_trimesh* m, int f) {
  const int* v = &m->face[3 * f];
  const lb_bounds box = {m->vertex[v[0]], m->vertex[v[0]]};
  return lb_bounds_add(lb_bounds_add(box, m->vertex[v[1]]), m->vertex[v[2]]);
}

static double middle(const lb_trimesh* m, int f, int axis) {
  const lb_bounds b = face_bounds(m, f);
  const double s[3] = {b.low.x + b.high.x, b.low.y + b.high.y, b.low.z + b.high.z};
  return s[axis];
}

static bool before(const lb_trimesh* m, int axis, int f, int g) {
  const double s = middle(m, f, axis), t = middle(m, g, axis);
  return s < t || (s == t && f < g);
}

// The k smallest first, as quicksort would leave them (Hoare's selection).
static void select_middle(const lb_trimesh* m, int axis, int* order, int n, int k) {
  int low = 0, high = n - 1;
  while (low < high) {
    const int pivot = order[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (before(m, axis, order[i], pivot)) {
        i++;
      }
      while (before(m, axis, pivot, order[j])) {
        j--;
      }
      if (i <= j) {
        const int t = order[i];
        order[i++] = order[j];
        order[j--] = t;
      }
    }
    low = k > j ? i : low;
    high = k < i ? j : high;
  }
}

static int longest(lb_bounds b) {
  const lb_vec3 d = lb_vec3_sub(b.high, b.low);
  return d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
}

static void split(lb_trimesh* m, int node, int first, int count) {
  m->node[node] = (lb_trimesh_node){lb_bounds_empty(), first, count};
  if (count <= LEAF) {
    return;
  }
  lb_bounds centres = lb_bounds_empty();
  for (int k = first; k < first + count; k++) {
    const int f = m->order[k];
    centres =
        lb_bounds_add(centres, lb_vec3_make(middle(m, f, 0), middle(m, f, 1), middle(m, f, 2)));
  }
  const int half = count / 2;
  select_middle(m, longest(centres), &m->order[first], count, half);
  const int child = m->nnode;
  m->nnode += 2;
  m->node[node].first = child;
  m->node[node].count = 0;
  split(m, child, first, half);
  split(m, child + 1, first + half, count - half);
}

static void connect(lb_trimesh* m, const lb_half_edge* e) {
  for (int i = 0; i < 3 * m->nface; i++) {
    m->across[i] = -1;
  }
  for (int i = 0, n; i < 3 * m->nface; i += n) {
    n = 1;
    while (i + n < 3 * m->nface && e[i + n].low == e[i].low && e[i + n].high == e[i].high) {
      n++;
    }
    for (int k = 0; n == 2 && e[i].forward != e[i + 1].forward && k < 2; k++) {
      const lb_half_edge h = e[i + k];
      const int from = h.forward ? h.low : h.high, *v = &m->face[3 * h.face];
      const int corner = v[0] == from ? 0 : v[1] == from ? 1 : 2;
      m->across[3 * h.face + corner] = e[i + 1 - k].face;
    }
  }
  m->closed = true;
  for (int i = 0; i < 3 * m->nface; i++) {
    m->closed = m->closed && m->across[i] >= 0;
  }
}

static lb_status check(const lb_mesh* mesh, lb_error* err) {
  bool good = mesh->nface > 0 && mesh->nvertex > 0;
  for (int i = 0; i < 3 * mesh->nface && good; i++) {
    good = mesh->face[i] >= 0 && mesh->face[i] < mesh->nvertex;
  }
  for (int i = 0; i < mesh->nvertex && good; i++) {
    good = lb_vec3_finite(mesh->vertex[i]);
  }
  return good ? LB_OK
              : lb_error_add(err, LB_INVALID, (lb_place){0},
                             "a mesh collider's mesh is empty, has indices out of range or "
                             "coordinates that are not finite");
}

static double angle_at(const lb_trimesh* m, int f, int k) {
  const int* v = &m->face[3 * f];
  const lb_vec3 a = m->vertex[v[k]];
  const lb_vec3 b = lb_vec3_sub(m->vertex[v[(k + 1) % 3]], a);
  const lb_vec3 c = lb_vec3_sub(m->vertex[v[(k + 2) % 3]], a);
  return atan2(lb_vec3_norm(lb_vec3_cross(b, c)), lb_vec3_dot(b, c));
}

static void find_normals(lb_trimesh* m) {
  const lb_mesh mesh = {m->nvertex, m->nface, m->vertex, m->face};
  for (int i = 0; i < m->nvertex; i++) {
    m->leaning[i] = (lb_vec3){0, 0, 0};
  }
  for (int f = 0; f < m->nface; f++) {
    m->normal[f] = lb_vec3_unit_or(lb_mesh_face_normal(&mesh, f), (lb_vec3){0, 0, 0});
    for (int k = 0; k < 3; k++) {
      lb_vec3* sum = &m->leaning[m->face[3 * f + k]];
      *sum = lb_vec3_along(*sum, angle_at(m, f, k), m->normal[f]);
    }
  }
}

// Children have higher numbers than their parents.
static void find_boxes(lb_trimesh* m) {
  for (int i = m->nnode - 1; i >= 0; i--) {
    lb_trimesh_node* n = &m->node[i];
    n->box = n->count ? lb_bounds_empty()
                      : lb_bounds_union(m->node[n->first].box, m->node[n->first + 1].box);
    for (int k = 0; k < n->count; k++) {
      n->box = lb_bounds_union(n->box, face_bounds(m, m->order[n->first + k]));
    }
  }
}

lb_status lb_trimesh_make(const lb_mesh* mesh, lb_vec3 scale, lb_arena* arena, lb_trimesh* out,
                          lb_error* err) {
  if (check(mesh, err) != LB_OK) {
    return LB_INVALID;
  }
  const int n = mesh->nface;
  lb_trimesh m = {.nvertex = mesh->nvertex,
                  .nface = n,
                  .nnode = 1,
                  .vertex = LB_TAKE(arena, lb_vec3, mesh->nvertex),
                  .face = LB_TAKE(arena, int, 3 * n),
                  .across = LB_TAKE(arena, int, 3 * n),
                  .normal = LB_TAKE(arena, lb_vec3, n),
                  .leaning = LB_TAKE(arena, lb_vec3, mesh->nvertex),
                  .order = LB_TAKE(arena, int, n),
                  .node = LB_TAKE(arena, lb_trimesh_node, 2 * n)};
  lb_half_edge* edges = NULL;
  if (lb_arena_status(arena) != LB_OK || lb_mesh_edges(mesh, arena, &edges) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a mesh collider");
  }
  const bool mirrored = scale.x * scale.y * scale.z < 0;
  for (int i = 0; i < m.nvertex; i++) {
    const lb_vec3 v = mesh->vertex[i];
    m.vertex[i] = lb_vec3_make(scale.x * v.x, scale.y * v.y, scale.z * v.z);
  }
  for (int i = 0; i < 3 * n; i++) {
    m.face[i] = mesh->face[mirrored && i % 3 ? i - i % 3 + 3 - i % 3 : i];
    m.order[i / 3] = i / 3;
  }
  for (int i = 0; i < 3 * n && mirrored; i++) {
    edges[i].forward = !edges[i].forward;
  }
  connect(&m, edges);
  split(&m, 0, 0, n);
  find_normals(&m);
  find_boxes(&m);
  *out = m;
  return LB_OK;
}

void lb_trimesh_move(lb_trimesh* m, const lb_vec3* vertex) {
  for (int i = 0; i < m->nvertex; i++) {
    m->vertex[i] = vertex[i];
  }
  find_normals(m);
  find_boxes(m);
}

lb_bounds lb_trimesh_bounds(const lb_trimesh* m) {
  return m->node[0].box;
}

// --- asking ---

static int opposite(const lb_trimesh* m, int face, int across) {
  const int *v = &m->face[3 * face], *w = &m->face[3 * across];
  for (int k = 0; k < 3; k++) {
    if (w[k] != v[0] && w[k] != v[1] && w[k] != v[2]) {
      return w[k];
    }
  }
  return w[0];
}

lb_piece lb_trimesh_piece(const lb_trimesh* m, int f) {
  lb_piece p = {.id = f, .normal = m->normal[f]};
  for (int k = 0; k < 3; k++) {
    p.v[k] = m->vertex[m->face[3 * f + k]];
  }
  for (int k = 0; k < 3; k++) {
    const int g = m->across[3 * f + k];
    if (g >= 0) {
      p.across[k] = m->normal[g];
      const lb_vec3 far = lb_vec3_sub(m->vertex[opposite(m, f, g)], p.v[k]);
      p.convex[k] = lb_vec3_dot(far, p.normal) < 0;
    }
  }
  return p;
}

void lb_trimesh_pieces(const lb_trimesh* m, const lb_bounds* box, lb_piece_visit visit,
                       void* context) {
  int stack[DEPTH], n = 1;
  stack[0] = 0;
  while (n > 0) {
    const lb_trimesh_node* node = &m->node[stack[--n]];
    if (!lb_bounds_meet(&node->box, box)) {
      continue;
    }
    for (int k = 0; k < node->count; k++) {
      const int f = m->order[node->first + k];
      const lb_bounds own = face_bounds(m, f);
      if (lb_bounds_meet(&own, box)) {
        const lb_piece piece = lb_trimesh_piece(m, f);
        if (!visit(context, &piece)) {
          return;
        }
      }
    }
    if (node->count == 0) {
      stack[n++] = node->first + 1;
      stack[n++] = node->first;
    }
  }
}

// Direction that tells inside from outside at a foot: of the face, of both faces at an edge, of all
// faces at a corner (Baerentzen and Aanaes 2005).
static lb_vec3 outward(const lb_trimesh* m, const lb_mesh_foot* at) {
  const int* v = &m->face[3 * at->face];
  int zero = 0, last = 0, kept = 0;
  for (int k = 0; k < 3; k++) {
    zero += at->weight[k] == 0;
    last = at->weight[k] == 0 ? k : last;
    kept = at->weight[k] != 0 ? k : kept;
  }
  if (zero == 2) {
    return m->leaning[v[kept]];
  }
  const int g = zero == 1 ? m->across[3 * at->face + (last + 1) % 3] : -1;
  return g >= 0 ? lb_vec3_add(m->normal[at->face], m->normal[g]) : m->normal[at->face];
}

// Signed distance and its gradient at a foot.
static void set_sign(const lb_trimesh* m, lb_vec3 x, lb_mesh_foot* foot) {
  const lb_vec3 way = lb_vec3_sub(x, foot->point), up = outward(m, foot);
  const double d = lb_vec3_norm(way);
  const bool behind = lb_vec3_dot(way, up) < 0;
  const lb_vec3 n = lb_vec3_unit_or(way, lb_vec3_unit_or(up, (lb_vec3){0, 0, 1}));
  foot->distance = behind ? -d : d;
  foot->normal = behind ? lb_vec3_neg(n) : n;
}

bool lb_trimesh_nearest(const lb_trimesh* m, lb_vec3 x, double most, lb_mesh_foot* out) {
  int stack[DEPTH], n = 1;
  double least = most * most;
  bool found = false;
  stack[0] = 0;
  while (n > 0) {
    const lb_trimesh_node* node = &m->node[stack[--n]];
    if (lb_bounds_square(&node->box, x) > least) {
      continue;
    }
    for (int k = 0; k < node->count; k++) {
      const int f = m->order[node->first + k], *v = &m->face[3 * f];
      const lb_vec3 t[3] = {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]};
      const lb_foot foot = lb_closest_on_triangle(x, t);
      const lb_vec3 d = lb_vec3_sub(x, foot.point);
      const double d2 = lb_vec3_dot(d, d);
      if (d2 < least || (d2 <= least && (!found || f < out->face))) {
        *out = (lb_mesh_foot){.face = f, .point = foot.point};
        for (int i = 0; i < 3; i++) {
          out->weight[i] = foot.weight[i];
        }
        least = d2;
        found = true;
      }
    }
    if (node->count == 0) { // the nearer child first
      const double a = lb_bounds_square(&m->node[node->first].box, x);
      const double b = lb_bounds_square(&m->node[node->first + 1].box, x);
      stack[n++] = node->first + (a <= b);
      stack[n++] = node->first + (a > b);
    }
  }
  if (found) {
    set_sign(m, x, out);
  }
  return found;
}
