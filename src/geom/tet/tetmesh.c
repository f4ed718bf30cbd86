// Faces, surfaces and integrals of tetrahedral meshes.
#include "geom/tet/tetmesh.h"

#include <stdlib.h>
#include <string.h>

#include "geom/tet/tet_face.h"

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

static void swap_if(int* a, int* b) {
  if (*a > *b) {
    const int t = *a;
    *a = *b;
    *b = t;
  }
}

lb_tet_face lb_tet_face_make(const int* v, int number) {
  lb_tet_face f = {{v[0], v[1], v[2]}, number};
  swap_if(&f.corner[0], &f.corner[1]);
  swap_if(&f.corner[1], &f.corner[2]);
  swap_if(&f.corner[0], &f.corner[1]);
  return f;
}

int lb_tet_face_compare(const void* left, const void* right) {
  const lb_tet_face *a = left, *b = right;
  for (int k = 0; k < 3; k++) {
    if (a->corner[k] != b->corner[k]) {
      return a->corner[k] < b->corner[k] ? -1 : 1;
    }
  }
  return 0;
}

static int compare_numbers(const void* left, const void* right) {
  const lb_tet_face *a = left, *b = right;
  return (a->number > b->number) - (a->number < b->number);
}

// Keep faces that come once, in the order of their numbers.
static int keep_single(lb_tet_face* all, int count) {
  int kept = 0;
  qsort(all, (size_t)count, sizeof *all, lb_tet_face_compare);
  for (int i = 0, run; i < count; i += run) {
    run = 1;
    while (i + run < count && lb_tet_face_compare(&all[i], &all[i + run]) == 0) {
      run++;
    }
    if (run == 1) {
      all[kept++] = all[i];
    }
  }
  qsort(all, (size_t)kept, sizeof *all, compare_numbers);
  return kept;
}

lb_status lb_tetmesh_outer_sides(const lb_tetmesh* mesh, lb_arena* arena, int* count, int** side) {
  const int elem_nodes = lb_tetmesh_elem_nodes(mesh), nface = 4 * mesh->nelem;
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_tet_face* all = LB_TAKE(&scratch, lb_tet_face, nface);
  int* list = NULL;
  if (all) {
    for (int i = 0; i < nface; i++) {
      const int *v = &mesh->elem[i / 4 * elem_nodes], *k = lb_tetmesh_face[i % 4];
      all[i] = lb_tet_face_make((int[]){v[k[0]], v[k[1]], v[k[2]]}, i);
    }
    const int n = keep_single(all, nface);
    list = LB_TAKE(arena, int, n);
    for (int i = 0; list && i < n; i++) {
      list[i] = all[i].number;
    }
    *count = list ? n : *count;
    *side = list ? list : *side;
  }
  lb_arena_release(&scratch);
  return list ? LB_OK : LB_NO_MEMORY;
}

lb_status lb_tetmesh_boundary(const lb_tetmesh* mesh, lb_arena* arena,
                              lb_tetmesh_surface* surface) {
  const int size = lb_tetmesh_face_nodes(mesh), elem_nodes = lb_tetmesh_elem_nodes(mesh);
  int count = 0, *side = NULL;
  const lb_status status = lb_tetmesh_outer_sides(mesh, arena, &count, &side);
  int* face = status == LB_OK ? LB_TAKE(arena, int, (size_t)count*(size_t)size) : NULL;
  for (int i = 0; face && i < count * size; i++) {
    const int number = side[i / size];
    face[i] = mesh->elem[number / 4 * elem_nodes + lb_tetmesh_face[number % 4][i % size]];
  }
  *surface = face ? (lb_tetmesh_surface){"", count, face} : *surface;
  return face ? LB_OK : LB_NO_MEMORY;
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
