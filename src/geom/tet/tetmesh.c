// Faces, surfaces and integrals of tetrahedral meshes.
#include "geom/tet/tetmesh.h"

#include <stdlib.h>
#include <string.h>

const int lb_tetmesh_edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
const int lb_tetmesh_face[4][6] = {
    {0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 9, 7}, {1, 2, 3, 5, 8, 9}, {0, 3, 2, 7, 8, 6}};

const lb_tetmesh_surface* lb_tetmesh_find_surface(const lb_tetmesh* mesh, const char* name) {
  for (int i = 0; i < mesh->nsurface; i++) {
    if (strcmp(mesh->surface[i].name, name) == 0) {
      return &mesh->surface[i];
    }
  }
  return NULL;
}

// --- boundary ---

// A face of an element by its three corners, rising: equal for the two elements that share it.
typedef struct element_face {
  int corner[3];
  int elem, face;
} element_face;

static int compare_corners(const element_face* a, const element_face* b) {
  for (int k = 0; k < 3; k++) {
    if (a->corner[k] != b->corner[k]) {
      return a->corner[k] < b->corner[k] ? -1 : 1;
    }
  }
  return 0;
}

static int compare_faces(const void* left, const void* right) {
  const element_face *a = left, *b = right;
  const int order = compare_corners(a, b);
  return order ? order : (a->elem > b->elem) - (a->elem < b->elem);
}

static int compare_elements(const void* left, const void* right) {
  const element_face *a = left, *b = right;
  const int order = (a->elem > b->elem) - (a->elem < b->elem);
  return order ? order : (a->face > b->face) - (a->face < b->face);
}

static void swap_if(int* a, int* b) {
  if (*a > *b) {
    const int t = *a;
    *a = *b;
    *b = t;
  }
}

static element_face face_of(const lb_tetmesh* mesh, int e, int f) {
  const int* v = &mesh->elem[e * lb_tetmesh_elem_nodes(mesh)];
  const int* k = lb_tetmesh_face[f];
  element_face r = {{v[k[0]], v[k[1]], v[k[2]]}, e, f};
  swap_if(&r.corner[0], &r.corner[1]);
  swap_if(&r.corner[1], &r.corner[2]);
  swap_if(&r.corner[0], &r.corner[1]);
  return r;
}

// Keep faces that come once, in the order of the elements.
static int keep_single(element_face* all, int count) {
  int kept = 0;
  for (int i = 0, run; i < count; i += run) {
    run = 1;
    while (i + run < count && compare_corners(&all[i], &all[i + run]) == 0) {
      run++;
    }
    if (run == 1) {
      all[kept++] = all[i];
    }
  }
  qsort(all, (size_t)kept, sizeof *all, compare_elements);
  return kept;
}

static void write_faces(const lb_tetmesh* mesh, const element_face* face, int count, int* out) {
  const int size = lb_tetmesh_face_nodes(mesh);
  for (int i = 0; i < count; i++) {
    const int* v = &mesh->elem[face[i].elem * lb_tetmesh_elem_nodes(mesh)];
    for (int k = 0; k < size; k++) {
      out[size * i + k] = v[lb_tetmesh_face[face[i].face][k]];
    }
  }
}

lb_status lb_tetmesh_boundary(const lb_tetmesh* mesh, lb_arena* arena,
                              lb_tetmesh_surface* surface) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_status status = LB_NO_MEMORY;
  element_face* all = LB_TAKE(&scratch, element_face, 4 * (size_t)mesh->nelem);
  if (all) {
    for (int i = 0; i < 4 * mesh->nelem; i++) {
      all[i] = face_of(mesh, i / 4, i % 4);
    }
    qsort(all, 4 * (size_t)mesh->nelem, sizeof *all, compare_faces);
    const int count = keep_single(all, 4 * mesh->nelem);
    int* face = LB_TAKE(arena, int, (size_t)count*(size_t)lb_tetmesh_face_nodes(mesh));
    if (face) {
      write_faces(mesh, all, count, face);
      *surface = (lb_tetmesh_surface){"", count, face};
      status = LB_OK;
    }
  }
  lb_arena_release(&scratch);
  return status;
}

lb_status lb_tetmesh_add_plane(lb_tetmesh* mesh, lb_arena* arena, const char* name, lb_vec3 point,
                               lb_vec3 normal, double distance) {
  const int size = lb_tetmesh_face_nodes(mesh);
  const double reach = distance * lb_vec3_norm(normal);
  lb_tetmesh_surface found;
  char* copy = lb_arena_text(arena, name, strlen(name));
  lb_tetmesh_surface* all = LB_TAKE(arena, lb_tetmesh_surface, mesh->nsurface + 1);
  if (!copy || !all || lb_tetmesh_boundary(mesh, arena, &found) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int kept = 0;
  for (int f = 0; f < found.nface; f++) {
    bool on = true;
    for (int k = 0; k < size; k++) {
      const lb_vec3 d = lb_vec3_sub(mesh->node[found.face[size * f + k]], point);
      on = on && fabs(lb_vec3_dot(d, normal)) <= reach;
    }
    if (on) {
      memmove(&found.face[size * kept++], &found.face[size * f], (size_t)size * sizeof(int));
    }
  }
  if (kept == 0) {
    return LB_INVALID;
  }
  if (mesh->nsurface) {
    memcpy(all, mesh->surface, (size_t)mesh->nsurface * sizeof *all);
  }
  all[mesh->nsurface++] = (lb_tetmesh_surface){copy, kept, found.face};
  mesh->surface = all;
  return LB_OK;
}

// --- nodes and weights of surfaces ---

lb_status lb_tetmesh_surface_nodes(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                                   lb_arena* arena, int* count, int** node) {
  const int most = surface->nface * lb_tetmesh_face_nodes(mesh);
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  char* on = LB_TAKE(&scratch, char, mesh->nnode);
  int n = 0;
  int* list = NULL;
  if (on) {
    for (int k = 0; k < most; k++) {
      n += !on[surface->face[k]];
      on[surface->face[k]] = 1;
    }
    list = LB_TAKE(arena, int, n);
  }
  if (list) {
    *count = n;
    *node = list;
    for (int i = 0; i < mesh->nnode; i++) {
      if (on[i]) {
        *list++ = i;
      }
    }
  }
  lb_arena_release(&scratch);
  return list ? LB_OK : LB_NO_MEMORY;
}

// The triangles that a face is cut into.
static const int cut[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

static double area(const lb_tetmesh* mesh, int a, int b, int c) {
  const lb_vec3 o = mesh->node[a];
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(mesh->node[b], o), lb_vec3_sub(mesh->node[c], o));
  return lb_vec3_norm(n) / 2;
}

// `count` nodes, rising; where `node` stands among them.
static int place_of(const int* list, int count, int node) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (list[middle] < node) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

lb_status lb_tetmesh_surface_weights(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                                     lb_arena* arena, int* count, int** node, double** weight) {
  int n, *list;
  const lb_status status = lb_tetmesh_surface_nodes(mesh, surface, arena, &n, &list);
  double* w = status == LB_OK ? LB_TAKE(arena, double, n) : NULL;
  if (!w) {
    return LB_NO_MEMORY;
  }
  const int size = lb_tetmesh_face_nodes(mesh), pieces = size == 3 ? 1 : 4;
  static const int whole[1][3] = {{0, 1, 2}};
  for (int f = 0; f < surface->nface; f++) {
    const int* v = &surface->face[size * f];
    for (int p = 0; p < pieces; p++) {
      const int* c = size == 3 ? whole[p] : cut[p];
      const double third = area(mesh, v[c[0]], v[c[1]], v[c[2]]) / 3;
      for (int k = 0; k < 3; k++) {
        w[place_of(list, n, v[c[k]])] += third;
      }
    }
  }
  *count = n;
  *node = list;
  *weight = w;
  return LB_OK;
}

// Shape functions of a face and their derivatives at (r, s).
static void face_shapes(int size, double r, double s, double N[6], double dr[6], double ds[6]) {
  const double t = 1 - r - s;
  if (size == 3) {
    const double n[3] = {t, r, s}, a[3] = {-1, 1, 0}, b[3] = {-1, 0, 1};
    memcpy(N, n, sizeof n);
    memcpy(dr, a, sizeof a);
    memcpy(ds, b, sizeof b);
    return;
  }
  const double n[6] = {t * (2 * t - 1), r * (2 * r - 1), s * (2 * s - 1),
                       4 * t * r,       4 * r * s,       4 * s * t};
  const double a[6] = {1 - 4 * t, 4 * r - 1, 0, 4 * (t - r), 4 * s, -4 * s};
  const double b[6] = {1 - 4 * t, 0, 4 * s - 1, -4 * r, 4 * r, 4 * (t - s)};
  memcpy(N, n, sizeof n);
  memcpy(dr, a, sizeof a);
  memcpy(ds, b, sizeof b);
}

// Radon's rule with seven points, exact to degree 5.
typedef struct face_point {
  double r, s, w;
} face_point;

static const face_point radon[7] = {
    {1.0 / 3, 1.0 / 3, 0.1125},
    {0.47014206410511509, 0.47014206410511509, 0.066197076394253090},
    {0.05971587178976982, 0.47014206410511509, 0.066197076394253090},
    {0.47014206410511509, 0.05971587178976982, 0.066197076394253090},
    {0.10128650732345634, 0.10128650732345634, 0.062969590272413576},
    {0.79742698535308732, 0.10128650732345634, 0.062969590272413576},
    {0.10128650732345634, 0.79742698535308732, 0.062969590272413576}};

void lb_tetmesh_surface_load(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                             double* out) {
  const int size = lb_tetmesh_face_nodes(mesh);
  for (int f = 0; f < surface->nface; f++) {
    const int* v = &surface->face[size * f];
    for (int q = 0; q < 7; q++) {
      double N[6], dr[6], ds[6];
      face_shapes(size, radon[q].r, radon[q].s, N, dr, ds);
      lb_vec3 a = {0}, b = {0};
      for (int k = 0; k < size; k++) {
        a = lb_vec3_add(a, lb_vec3_scale(dr[k], mesh->node[v[k]]));
        b = lb_vec3_add(b, lb_vec3_scale(ds[k], mesh->node[v[k]]));
      }
      const double w = radon[q].w * lb_vec3_norm(lb_vec3_cross(a, b));
      for (int k = 0; k < size; k++) {
        out[v[k]] += w * N[k];
      }
    }
  }
}
