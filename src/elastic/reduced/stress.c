#include "elastic/reduced/stress.h"

#include <stdlib.h>
#include <string.h>

#include "geom/tet/tet.h"

// --- faces of the boundary ---

// Face of an element, known by its corners in rising order.
typedef struct face {
  int key[3];
  int elem, side, region;
} face;

static int by_key(const void* a, const void* b) {
  const face *x = a, *y = b;
  for (int k = 0; k < 3; k++) {
    if (x->key[k] != y->key[k]) {
      return x->key[k] < y->key[k] ? -1 : 1;
    }
  }
  return x->elem < y->elem ? -1 : x->elem > y->elem;
}

// By region, then as the elements come.
static int by_region(const void* a, const void* b) {
  const face *x = a, *y = b;
  if (x->region != y->region) {
    return x->region < y->region ? -1 : 1;
  }
  return x->elem != y->elem ? (x->elem < y->elem ? -1 : 1) : x->side - y->side;
}

static face face_of(const lb_tetmesh* mesh, int elem, int side) {
  const int* node = mesh->elem + elem * lb_tetmesh_elem_nodes(mesh);
  face f = {.elem = elem, .side = side, .region = mesh->region[elem]};
  for (int k = 0; k < 3; k++) {
    int i = k;
    const int n = node[lb_tetmesh_face[side][k]];
    for (; i > 0 && f.key[i - 1] > n; i--) {
      f.key[i] = f.key[i - 1];
    }
    f.key[i] = n;
  }
  return f;
}

// Those that one element alone has, by region; returns how many.
static int find_boundary(const lb_tetmesh* mesh, face* all) {
  int count = 0;
  const int n = 4 * mesh->nelem;
  for (int i = 0; i < n; i++) {
    all[i] = face_of(mesh, i / 4, i % 4);
  }
  qsort(all, (size_t)n, sizeof *all, by_key);
  for (int i = 0; i < n; i++) {
    const bool before = i > 0 && memcmp(all[i].key, all[i - 1].key, sizeof all[i].key) == 0;
    const bool after = i + 1 < n && memcmp(all[i].key, all[i + 1].key, sizeof all[i].key) == 0;
    if (!before && !after) {
      all[count++] = all[i];
    }
  }
  qsort(all, (size_t)count, sizeof *all, by_region);
  return count;
}

// Every n-th of so many that their gradients take a bounded room.
static int thin(int count, int r, face* all) {
  static const double MOST = 8e6; // numbers
  const int step = 1 + (int)((double)count * r * 9 / MOST);
  int kept = 0;
  for (int i = 0; i < count; i += step) {
    all[kept++] = all[i];
  }
  return kept;
}

// --- gradients ---

// Columns of the inverse of A, by cross products of its columns.
static void invert(const lb_vec3 A[3], lb_vec3 row[3]) {
  const double det = lb_vec3_dot(A[0], lb_vec3_cross(A[1], A[2]));
  for (int i = 0; i < 3; i++) {
    row[i] = lb_vec3_scale(1 / det, lb_vec3_cross(A[(i + 1) % 3], A[(i + 2) % 3]));
  }
}

// Gradients of an element's shape functions by places, in the middle of a side, and that middle.
// With X = sum N_a(x) X_a of the reference element's x, grad N = (dX/dx)'^-1 dN/dx.
static lb_vec3 find_gradients(const lb_tetmesh* mesh, const face* f, lb_vec3* grad) {
  static const lb_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int size = lb_tetmesh_elem_nodes(mesh);
  const int* node = mesh->elem + f->elem * size;
  lb_vec3 x = {0, 0, 0}, at = {0, 0, 0}, dN[LB_TET_MOST_NODES], A[3] = {{0}}, row[3];
  double N[LB_TET_MOST_NODES];
  for (int k = 0; k < 3; k++) {
    x = lb_vec3_add(x, lb_vec3_scale(1.0 / 3, corner[lb_tetmesh_face[f->side][k]]));
  }
  lb_tet_shapes(mesh->order, x, N, dN);
  for (int a = 0; a < size; a++) {
    const lb_vec3 X = mesh->node[node[a]];
    at = lb_vec3_add(at, lb_vec3_scale(N[a], X));
    A[0] = lb_vec3_add(A[0], lb_vec3_scale(dN[a].x, X));
    A[1] = lb_vec3_add(A[1], lb_vec3_scale(dN[a].y, X));
    A[2] = lb_vec3_add(A[2], lb_vec3_scale(dN[a].z, X));
  }
  invert(A, row);
  for (int a = 0; a < size; a++) {
    grad[a] =
        lb_vec3_add(lb_vec3_add(lb_vec3_scale(dN[a].x, row[0]), lb_vec3_scale(dN[a].y, row[1])),
                    lb_vec3_scale(dN[a].z, row[2]));
  }
  return at;
}

// G_k of a face into its lane.
static void fill_lane(lb_stress* s, const lb_tetmesh* mesh, const face* f, const lb_vec3* grad,
                      const double* Phi, lb_lanes* G, int lane) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  const int* node = mesh->elem + f->elem * size;
  for (int k = 0; k < s->r; k++) {
    for (int a = 0; a < size; a++) {
      const double* u = Phi + 3 * ((size_t)k * (size_t)mesh->nnode + (size_t)node[a]);
      const double g[3] = {grad[a].x, grad[a].y, grad[a].z};
      for (int i = 0; i < 9; i++) {
        G[9 * k + i][lane] += u[i % 3] * g[i / 3];
      }
    }
  }
}

static void fill(lb_stress* s, const lb_tetmesh* mesh, const lb_material* material, const face* all,
                 const double* Phi) {
  s->nbatch = 0;
  for (int i = 0; i < s->count; i++) {
    const bool other = i > 0 && all[i].region != all[i - 1].region;
    if (i == 0 || other || i - s->first[s->nbatch - 1] == LB_LANES) {
      s->material[s->nbatch] = lb_region_material_of(&material[all[i].region], 1);
      s->first[s->nbatch++] = i;
    }
    lb_vec3 grad[LB_TET_MOST_NODES];
    s->at[i] = find_gradients(mesh, &all[i], grad);
    memcpy(s->corner + 3 * i, all[i].key, sizeof all[i].key);
    fill_lane(s, mesh, &all[i], grad, Phi, s->G + (size_t)(s->nbatch - 1) * (size_t)(9 * s->r),
              i - s->first[s->nbatch - 1]);
  }
  s->first[s->nbatch] = s->count;
}

lb_status lb_stress_create(lb_stress* s, const lb_tetmesh* mesh, const lb_material* material, int r,
                           const double* Phi, lb_arena* arena) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  face* all = LB_TAKE(&scratch, face, 4 * (size_t)mesh->nelem);
  *s = (lb_stress){.r = r};
  if (all) {
    s->count = thin(find_boundary(mesh, all), r, all);
    const size_t batches = (size_t)s->count / LB_LANES + (size_t)mesh->nregion + 1;
    s->at = LB_TAKE(arena, lb_vec3, s->count);
    s->corner = LB_TAKE(arena, int, 3 * s->count);
    s->material = LB_TAKE(arena, lb_region_material, batches);
    s->first = LB_TAKE(arena, int, batches + 1);
    s->G = LB_TAKE(arena, lb_lanes, batches * (size_t)(9 * r));
  }
  const bool ok = all && s->at && s->corner && s->material && s->first && s->G;
  if (ok) {
    fill(s, mesh, material, all, Phi);
  }
  lb_arena_release(&scratch);
  return ok ? LB_OK : LB_NO_MEMORY;
}

// --- stress ---

// 3/2 s:s of sigma = P F'/det F.
static lb_lanes mises_square(const lb_region_material* m, const lb_lanes F[9]) {
  lb_lanes P[9], S[9];
  m->model->stress(&m->c, P, F);
  lb_lanes_mul_nt(S, P, F);
  const lb_lanes J = lb_lanes_determinant(F), mean = lb_lanes_trace(S) / 3;
  S[0] -= mean;
  S[4] -= mean;
  S[8] -= mean;
  return 1.5 * lb_lanes_dot9(S, S) / (J * J);
}

double lb_stress_evaluate(const lb_stress* s, const double* eta, double* mises) {
  double most = 0;
  for (int b = 0; b < s->nbatch; b++) {
    const lb_lanes* G = s->G + (size_t)b * (size_t)(9 * s->r);
    lb_lanes F[9];
    memset(F, 0, sizeof F);
    lb_lanes_add_identity(F);
    for (int k = 0; k < s->r; k++) {
      for (int i = 0; i < 9; i++) {
        F[i] += eta[k] * G[9 * k + i];
      }
    }
    const lb_lanes square = mises_square(&s->material[b], F);
    for (int i = s->first[b]; i < s->first[b + 1]; i++) {
      const double now = sqrt(square[i - s->first[b]]);
      most = now > most ? now : most;
      if (mises) {
        mises[i] = now;
      }
    }
  }
  return most;
}
