#include "elastic/reduced/stress.h"

#include <stdlib.h>
#include <string.h>

#include "geom/tet/tet.h"

enum { SIDES = 4, PIECE_LANES = 4, PIECE = PIECE_LANES * LB_LANES };

// Elements of one region with equally many faces on the boundary, side by side. Lanes beyond
// `count` repeat the last element.
typedef struct lb_stress_batch {
  int first, count; // elements
  int region, nface, npoint;
  bool on_faces; // its points are the middles of faces, else there is one in the middle
  int node[LB_TET_MOST_NODES][LB_LANES]; // index of the first displacement of each
  lb_lanes* grad;                        // [npoint][nodes][3] of the shape functions
} lb_stress_batch;

// --- order of elements and nodes ---

typedef struct element {
  int elem, region;
  int nface, side[SIDES]; // on the boundary
} element;

static int by_faces(const void* a, const void* b) {
  const element *x = a, *y = b;
  if (x->nface != y->nface) {
    return y->nface - x->nface;
  }
  return x->region != y->region ? x->region - y->region : x->elem - y->elem;
}

static lb_status list_elements(const lb_tetmesh* mesh, element* all, lb_arena* scratch) {
  int count = 0, *side = NULL;
  const lb_status status = lb_tetmesh_outer_sides(mesh, scratch, &count, &side);
  for (int i = 0; i < mesh->nelem; i++) {
    all[i] = (element){.elem = i, .region = mesh->region[i]};
  }
  for (int i = 0; i < count; i++) {
    element* e = &all[side[i] / SIDES];
    e->side[e->nface++] = side[i] % SIDES;
  }
  qsort(all, (size_t)mesh->nelem, sizeof *all, by_faces);
  return status;
}

// Nodes as the elements meet them; `place` [nnode] is where each node of the mesh comes.
static void number_nodes(lb_stress* s, const lb_tetmesh* mesh, int* place) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  int next = 0;
  memset(place, -1, (size_t)mesh->nnode * sizeof *place);
  for (int i = 0; i < mesh->nelem; i++) {
    s->outer_nodes = i == s->outer_elems ? next : s->outer_nodes;
    for (int a = 0; a < size; a++) {
      const int node = mesh->elem[s->elem[i] * size + a];
      if (place[node] < 0) {
        place[node] = next;
        s->node[next++] = node;
      }
    }
  }
  s->nnode = next; // a mesh that was checked has no others
  s->outer_nodes = s->outer_elems == mesh->nelem ? next : s->outer_nodes;
}

static void put_faces(lb_stress* s, const lb_tetmesh* mesh, const element* all) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  for (int i = 0, n = 0; i < mesh->nelem; i++) {
    s->elem[i] = all[i].elem;
    s->place[all[i].elem] = i;
    s->outer_elems += all[i].nface > 0;
    s->first_face[i] = n;
    for (int k = 0; k < all[i].nface; k++, n++) {
      for (int c = 0; c < 3; c++) {
        s->corner[3 * n + c] = mesh->elem[all[i].elem * size + lb_tetmesh_face[all[i].side[k]][c]];
      }
    }
    s->first_face[i + 1] = n;
  }
}

// --- gradients ---

// Middle of the reference element, or of its side.
static lb_vec3 middle(int side) {
  static const lb_vec3 corner[SIDES] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  lb_vec3 x = {0.25, 0.25, 0.25};
  if (side >= 0) {
    x = lb_vec3_make(0, 0, 0);
    for (int k = 0; k < 3; k++) {
      x = lb_vec3_add(x, lb_vec3_scale(1.0 / 3, corner[lb_tetmesh_face[side][k]]));
    }
  }
  return x;
}

// grad N = (dX/dx)'^-1 dN/dx at a point x of the reference element, into a lane.
static void put_gradients(const lb_tetmesh* mesh, int elem, lb_vec3 x, lb_lanes* grad, int lane) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  lb_vec3 X[LB_TET_MOST_NODES], dN[LB_TET_MOST_NODES];
  for (int a = 0; a < size; a++) {
    X[a] = mesh->node[mesh->elem[elem * size + a]];
  }
  lb_tet_shapes(mesh->order, x, NULL, dN);
  const lb_mat3 A = lb_tet_jacobian(mesh->order, X, x);
  const double scale = 1 / lb_vec3_dot(A.x, lb_vec3_cross(A.y, A.z));
  const lb_mat3 inverse = {lb_vec3_scale(scale, lb_vec3_cross(A.y, A.z)),
                           lb_vec3_scale(scale, lb_vec3_cross(A.z, A.x)),
                           lb_vec3_scale(scale, lb_vec3_cross(A.x, A.y))}; // rows of A^-1
  for (int a = 0; a < size; a++) {
    const lb_vec3 g = lb_mat3_apply(inverse, dN[a]);
    grad[3 * a][lane] = g.x;
    grad[3 * a + 1][lane] = g.y;
    grad[3 * a + 2][lane] = g.z;
  }
}

// Place of a point x of the reference element.
static lb_vec3 find_place(const lb_tetmesh* mesh, int elem, lb_vec3 x) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  double N[LB_TET_MOST_NODES];
  lb_vec3 at = {0, 0, 0};
  lb_tet_shapes(mesh->order, x, N, NULL);
  for (int a = 0; a < size; a++) {
    at = lb_vec3_add(at, lb_vec3_scale(N[a], mesh->node[mesh->elem[elem * size + a]]));
  }
  return at;
}

// --- batches ---

static bool fits(const lb_stress_batch* b, const element* e) {
  return b->count < LB_LANES && b->region == e->region && b->nface == e->nface;
}

static int count_batches(int nelem, const element* all) {
  int n = 0;
  lb_stress_batch b = {.count = LB_LANES};
  for (int i = 0; i < nelem; i++) {
    if (!fits(&b, &all[i])) {
      b = (lb_stress_batch){.region = all[i].region, .nface = all[i].nface};
      n++;
    }
    b.count++;
  }
  return n;
}

static void put_lane(lb_stress_batch* b, const lb_tetmesh* mesh, const element* e, const int* place,
                     int lane) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  for (int a = 0; a < size; a++) {
    b->node[a][lane] = 3 * place[mesh->elem[e->elem * size + a]];
  }
  for (int p = 0; p < b->npoint; p++) {
    put_gradients(mesh, e->elem, middle(b->on_faces ? e->side[p] : -1), b->grad + 3 * p * size,
                  lane);
  }
}

static lb_status fill_batches(lb_stress* s, const lb_tetmesh* mesh, const element* all,
                              const int* place, lb_arena* arena) {
  const int size = lb_tetmesh_elem_nodes(mesh);
  lb_stress_batch* b = s->batch - 1;
  for (int i = 0; i < mesh->nelem; i++) {
    if (i == 0 || !fits(b, &all[i])) {
      *++b = (lb_stress_batch){.first = i, .region = all[i].region, .nface = all[i].nface};
      b->on_faces = b->nface > 0 && mesh->order == 2;
      b->npoint = b->on_faces ? b->nface : 1;
      b->grad = LB_TAKE(arena, lb_lanes, 3 * size * b->npoint);
      if (!b->grad) {
        return LB_NO_MEMORY;
      }
      s->outer_batches += b->nface > 0;
    }
    for (int lane = b->count++; lane < LB_LANES; lane++) {
      put_lane(b, mesh, &all[i], place, lane);
    }
    s->at[i] = find_place(mesh, all[i].elem, middle(-1));
    for (int k = 0; k < all[i].nface; k++) {
      s->face_at[s->first_face[i] + k] = find_place(mesh, all[i].elem, middle(all[i].side[k]));
    }
  }
  return LB_OK;
}

// --- displacements ---

void lb_stress_sort(const lb_stress* s, double* u, const double* mesh_u) {
  for (int i = 0; i < s->nnode; i++) {
    memcpy(u + 3 * (size_t)i, mesh_u + 3 * (size_t)s->node[i], 3 * sizeof *u);
  }
}

// Pieces of `part` of the displacements.
static size_t count_pieces(const lb_stress* s, lb_stress_part part) {
  const int nodes = part == LB_STRESS_ALL ? s->nnode : s->outer_nodes;
  return (3 * (size_t)nodes + PIECE - 1) / PIECE;
}

// Phi from [r][3 * nnode] in the order of the mesh to pieces, whose shapes follow each other.
static void put_basis(lb_stress* s, const double* Phi, size_t mesh_nodes) {
  for (size_t i = 0; i < 3 * (size_t)s->nnode; i++) {
    const size_t from = 3 * (size_t)s->node[i / 3] + i % 3;
    for (int k = 0; k < s->r; k++) {
      lb_lanes* to = s->Phi + (i / PIECE * (size_t)s->r + (size_t)k) * PIECE_LANES;
      to[i % PIECE / LB_LANES][i % LB_LANES] = Phi[3 * (size_t)k * mesh_nodes + from];
    }
  }
}

void lb_stress_displace(const lb_stress* s, lb_stress_part part, double* u, const double* eta) {
  const size_t n = count_pieces(s, part);
  const lb_lanes* Phi = s->Phi;
  for (size_t i = 0; i < n; i++) {
    lb_lanes sum[PIECE_LANES];
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < s->r; k++, Phi += PIECE_LANES) {
      for (int l = 0; l < PIECE_LANES; l++) {
        sum[l] += eta[k] * Phi[l];
      }
    }
    memcpy(u + i * PIECE, sum, sizeof sum);
  }
}

size_t lb_stress_room(const lb_stress* s) {
  return count_pieces(s, LB_STRESS_ALL) * PIECE;
}

// --- making one ---

static bool take(lb_stress* s, const lb_tetmesh* mesh, const element* all, lb_arena* arena) {
  const size_t nelem = (size_t)mesh->nelem, nnode = (size_t)mesh->nnode;
  for (int i = 0; i < mesh->nelem; i++) {
    s->nface += all[i].nface;
  }
  s->nelem = mesh->nelem;
  s->nregion = mesh->nregion;
  s->nbatch = count_batches(mesh->nelem, all);
  s->node = LB_TAKE(arena, int, nnode);
  s->elem = LB_TAKE(arena, int, nelem);
  s->place = LB_TAKE(arena, int, nelem);
  s->at = LB_TAKE(arena, lb_vec3, nelem);
  s->first_face = LB_TAKE(arena, int, nelem + 1);
  s->corner = LB_TAKE(arena, int, 3 * (size_t)s->nface);
  s->face_at = LB_TAKE(arena, lb_vec3, s->nface);
  s->batch = LB_TAKE(arena, lb_stress_batch, s->nbatch);
  s->material = LB_TAKE(arena, lb_region_material, s->nregion);
  s->Phi = LB_TAKE(arena, lb_lanes, (3 * nnode / PIECE + 1) * (size_t)s->r * PIECE_LANES);
  return lb_arena_status(arena) == LB_OK;
}

static lb_status fill(lb_stress* s, const lb_tetmesh* mesh, const lb_material* material,
                      const double* Phi, element* all, lb_arena* scratch, lb_arena* arena) {
  int* place = LB_TAKE(scratch, int, mesh->nnode);
  if (!place || list_elements(mesh, all, scratch) != LB_OK || !take(s, mesh, all, arena)) {
    return LB_NO_MEMORY;
  }
  put_faces(s, mesh, all);
  number_nodes(s, mesh, place);
  for (int i = 0; i < s->nregion; i++) {
    s->material[i] = lb_region_material_of(&material[i], 1);
  }
  put_basis(s, Phi, (size_t)mesh->nnode);
  return fill_batches(s, mesh, all, place, arena);
}

lb_status lb_stress_create(lb_stress* s, const lb_tetmesh* mesh, const lb_material* material, int r,
                           const double* Phi, lb_arena* arena) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  element* all = LB_TAKE(&scratch, element, mesh->nelem);
  *s = (lb_stress){.r = r, .elem_nodes = lb_tetmesh_elem_nodes(mesh)};
  const lb_status status = all ? fill(s, mesh, material, Phi, all, &scratch, arena) : LB_NO_MEMORY;
  lb_arena_release(&scratch);
  return status;
}

lb_stress* lb_stress_scaled(const lb_stress* from, double factor, lb_arena* arena) {
  lb_stress* s = LB_COPY(arena, from, 1);
  lb_region_material* material = LB_COPY(arena, from->material, from->nregion);
  if (!s || !material) {
    return NULL;
  }
  for (int i = 0; i < s->nregion; i++) {
    material[i].c = lb_material_constants_scaled(material[i].c, factor);
  }
  s->material = material;
  return s;
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

static void gather(lb_lanes* U, const lb_stress_batch* b, int size, const double* u) {
  for (int a = 0; a < size; a++) {
    for (int l = 0; l < LB_LANES; l++) {
      const double* from = u + b->node[a][l];
      U[3 * a][l] = from[0];
      U[3 * a + 1][l] = from[1];
      U[3 * a + 2][l] = from[2];
    }
  }
}

static lb_lanes at_point(const lb_region_material* m, int size, const lb_lanes* grad,
                         const lb_lanes* U) {
  lb_lanes F[9];
  memset(F, 0, sizeof F);
  lb_lanes_add_identity(F);
  for (int a = 0; a < size; a++) {
    for (int i = 0; i < 9; i++) {
      F[i] += U[3 * a + i % 3] * grad[3 * a + i / 3];
    }
  }
  return mises_square(m, F);
}

// Stress of a batch's elements and faces; the largest.
static double evaluate(const lb_stress* s, const lb_stress_batch* b, int size, const double* u,
                       double* elem, double* face) {
  lb_lanes U[3 * LB_TET_MOST_NODES], square[SIDES];
  double most = 0;
  gather(U, b, size, u);
  for (int p = 0; p < b->npoint; p++) {
    square[p] = at_point(&s->material[b->region], size, b->grad + 3 * p * size, U);
  }
  for (int l = 0; l < b->count; l++) {
    double* of = face + s->first_face[b->first + l];
    double largest = b->on_faces ? 0 : sqrt(square[0][l]);
    for (int k = 0; k < b->nface; k++) {
      of[k] = b->on_faces ? sqrt(square[k][l]) : largest;
      largest = of[k] > largest ? of[k] : largest;
    }
    elem[b->first + l] = largest;
    most = largest > most ? largest : most;
  }
  return most;
}

double lb_stress_evaluate(const lb_stress* s, lb_stress_part part, const double* u, double* elem,
                          double* face) {
  const int n = part == LB_STRESS_ALL ? s->nbatch : s->outer_batches;
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, evaluate(s, &s->batch[i], s->elem_nodes, u, elem, face));
  }
  return most;
}
