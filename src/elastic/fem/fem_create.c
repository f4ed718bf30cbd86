// Making an elastic body from a mesh: elements sorted so that neighbours are near in memory, packed
// eight to a batch, batches into chunks, chunks into colours; the pattern of the matrices, and the
// mass.
//
// Why chunks and colours: forces of neighbouring elements add up at shared nodes. Chunks of one
// colour share no node, so threads may work on them at once; colours come one after the other.
// Every node then receives its terms in an order that does not depend on the number of threads.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elastic/fem/batch.h"
#include "geom/mesh/triangle_mesh.h"
#include "math/linear/dense.h"
#include "math/space/mat3.h"

// --- order of the elements ---

typedef struct sorted {
  uint64_t key;
  int region, elem;
} sorted;

static int compare_sorted(const void* left, const void* right) {
  const sorted *a = left, *b = right;
  if (a->region != b->region) {
    return a->region < b->region ? -1 : 1;
  }
  if (a->key != b->key) {
    return a->key < b->key ? -1 : 1;
  }
  return (a->elem > b->elem) - (a->elem < b->elem);
}

// Every third bit of the result is a bit of x, 20 of them.
static uint64_t spread(double unit) {
  const uint64_t x = (uint64_t)(unit * ((1 << 20) - 1));
  uint64_t bits = 0;
  for (int k = 0; k < 20; k++) {
    bits |= (x >> k & 1) << (3 * k);
  }
  return bits;
}

static lb_vec3 centre(const lb_tetmesh* mesh, int e) {
  const int* v = &mesh->elem[lb_tetmesh_elem_nodes(mesh) * e];
  lb_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    sum = lb_vec3_add(sum, mesh->node[v[k]]);
  }
  return lb_vec3_scale(0.25, sum);
}

// Along Morton's curve, which visits a place's surroundings before it goes elsewhere.
static void sort_elements(const lb_tetmesh* mesh, sorted* list) {
  lb_vec3 low, high;
  lb_mesh_bounds(&(lb_mesh){.nvertex = mesh->nnode, .vertex = mesh->node}, &low, &high);
  const lb_vec3 box = lb_vec3_sub(high, low);
  const double edge = fmax(box.x, fmax(box.y, box.z));
  for (int e = 0; e < mesh->nelem; e++) {
    const lb_vec3 c = lb_vec3_scale(1 / edge, lb_vec3_sub(centre(mesh, e), low));
    list[e] = (sorted){spread(c.x) | spread(c.y) << 1 | spread(c.z) << 2, mesh->region[e], e};
  }
  qsort(list, (size_t)mesh->nelem, sizeof *list, compare_sorted);
}

// --- batches ---

static lb_mat3 inverse(lb_mat3 A, double det) {
  const lb_mat3 rows = {lb_vec3_cross(A.y, A.z), lb_vec3_cross(A.z, A.x), lb_vec3_cross(A.x, A.y)};
  return lb_mat3_scale(1 / det, lb_mat3_transpose(rows));
}

static void fill_lane(const lb_fem* fem, lb_fem_batch* b, int lane, const lb_tetmesh* mesh, int e) {
  lb_tet_point rule[LB_TET_STIFFNESS_MOST];
  lb_vec3 X[LB_TET_MOST_NODES];
  const int nq = lb_tet_stiffness_rule(fem->order, rule);
  for (int k = 0; k < fem->elem_nodes; k++) {
    b->node[k][lane] = mesh->elem[fem->elem_nodes * e + k];
    X[k] = mesh->node[b->node[k][lane]];
  }
  for (int q = 0; q < nq; q++) {
    const lb_mat3 J = lb_tet_jacobian(fem->order, X, rule[q].x);
    const double det = lb_mat3_determinant(J);
    const lb_mat3 I = inverse(J, det);
    const double entry[9] = {I.x.x, I.x.y, I.x.z, I.y.x, I.y.y, I.y.z, I.z.x, I.z.y, I.z.z};
    for (int k = 0; k < 9; k++) {
      b->inverse[q][k][lane] = entry[k];
    }
    b->weight[q][lane] = lane < b->count ? rule[q].w * det : 0;
  }
  b->elem[lane] = e;
}

// A batch holds elements of one region: the first behind that which begins with `first`.
static int batch_end(const sorted* list, int nelem, int first) {
  int i = first;
  while (i < nelem && i < first + LB_LANES && list[i].region == list[first].region) {
    i++;
  }
  return i;
}

static lb_status make_batches(lb_fem* fem, const lb_tetmesh* mesh, const sorted* list) {
  for (int i = 0; i < mesh->nelem; i = batch_end(list, mesh->nelem, i)) {
    fem->nbatch++;
  }
  fem->batch = lb_arena_take_array(&fem->arena, (size_t)fem->nbatch, sizeof *fem->batch, LB_ALIGN);
  for (int i = 0, n = 0, end; fem->batch && i < mesh->nelem; i = end, n++) {
    lb_fem_batch* b = &fem->batch[n];
    end = batch_end(list, mesh->nelem, i);
    b->count = end - i;
    b->region = list[i].region;
    for (int lane = 0; lane < LB_LANES; lane++) {
      fill_lane(fem, b, lane, mesh, list[lane < b->count ? i + lane : end - 1].elem);
    }
  }
  return lb_arena_status(&fem->arena);
}

// --- colours ---

static void visit(const lb_fem* fem, int chunk, uint64_t* mask, uint64_t* seen, uint64_t mark) {
  for (int n = fem->chunk[chunk]; n < fem->chunk[chunk + 1]; n++) {
    const lb_fem_batch* b = &fem->batch[n];
    for (int k = 0; k < fem->elem_nodes; k++) {
      for (int lane = 0; lane < b->count; lane++) {
        *seen |= mask[b->node[k][lane]];
        mask[b->node[k][lane]] |= mark;
      }
    }
  }
}

// Each chunk gets the lowest colour that no chunk with a node in common has; should 63 not do, the
// rest have a colour each.
static void choose_colours(lb_fem* fem, uint64_t* mask, int* colour) {
  enum { MOST = 63 };
  int extra = MOST;
  for (int c = 0; c < fem->nchunk; c++) {
    uint64_t seen = 0;
    visit(fem, c, mask, &seen, 0);
    int k = 0;
    while (k < MOST && seen >> k & 1) {
      k++;
    }
    if (k < MOST) {
      visit(fem, c, mask, &seen, (uint64_t)1 << k);
    }
    colour[c] = k < MOST ? k : extra++;
  }
}

static lb_status colour_chunks(lb_fem* fem, lb_arena* scratch) {
  fem->nchunk = (fem->nbatch + LB_FEM_CHUNK - 1) / LB_FEM_CHUNK;
  fem->chunk = LB_TAKE(&fem->arena, int, fem->nchunk + 1);
  fem->sequence = LB_TAKE(&fem->arena, int, fem->nchunk);
  uint64_t* mask = LB_TAKE(scratch, uint64_t, fem->nnode);
  int* colour = LB_TAKE(scratch, int, fem->nchunk);
  if (!fem->chunk || !fem->sequence || !mask || !colour) {
    return LB_NO_MEMORY;
  }
  for (int c = 0; c <= fem->nchunk; c++) {
    fem->chunk[c] = c * LB_FEM_CHUNK < fem->nbatch ? c * LB_FEM_CHUNK : fem->nbatch;
  }
  choose_colours(fem, mask, colour);
  for (int c = 0; c < fem->nchunk; c++) {
    fem->ncolour = colour[c] >= fem->ncolour ? colour[c] + 1 : fem->ncolour;
  }
  fem->colour = LB_TAKE(&fem->arena, int, fem->ncolour + 1);
  if (!fem->colour) {
    return LB_NO_MEMORY;
  }
  int filled = 0;
  for (int k = 0; k < fem->ncolour; k++) {
    for (int c = 0; c < fem->nchunk; c++) {
      if (colour[c] == k) {
        fem->sequence[filled++] = c;
      }
    }
    fem->colour[k + 1] = filled;
  }
  return LB_OK;
}

// --- the pattern of nodes ---

static lb_status make_pattern(lb_fem* fem, const lb_tetmesh* mesh, int ntie, const lb_tie* tie,
                              lb_arena* scratch) {
  const int size = fem->elem_nodes, pairs = size * (size - 1) / 2;
  size_t tied = 0;
  for (int i = 0; i < ntie; i++) {
    tied += lb_tie_most_pairs(&tie[i]);
  }
  if (tied > INT32_MAX / 2 || mesh->nelem > (INT32_MAX - mesh->nnode - (int)tied) / pairs) {
    return LB_NO_MEMORY;
  }
  lb_sparse_pair* pair =
      LB_TAKE(scratch, lb_sparse_pair, (size_t)pairs * (size_t)mesh->nelem + tied);
  if (!pair) {
    return LB_NO_MEMORY;
  }
  int n = 0;
  for (int e = 0; e < mesh->nelem; e++) {
    const int* v = &mesh->elem[size * e];
    for (int a = 1; a < size; a++) {
      for (int b = 0; b < a; b++) {
        pair[n++] = (lb_sparse_pair){v[a], v[b]};
      }
    }
  }
  for (int i = 0; i < ntie; i++) {
    n += lb_tie_pairs(&tie[i], pair + n);
  }
  return lb_sparse_create(&fem->arena, fem->nnode, n, pair, &fem->M);
}

// --- ties ---

static lb_status make_ties(lb_fem* fem, int ntie, const lb_tie* tie, lb_arena* scratch) {
  lb_sparse K;
  double* still = LB_TAKE(scratch, double, fem->ndof);
  lb_tie* own = LB_TAKE(&fem->arena, lb_tie, ntie);
  fem->ties = fem->M;
  fem->ties.value = LB_TAKE(&fem->arena, double, fem->M.row[fem->M.n]);
  if (!still || !own || !fem->ties.value || lb_fem_matrix(fem, scratch, &K) != LB_OK) {
    return LB_NO_MEMORY;
  }
  lb_fem_tangent(fem, &K, still);
  lb_status status = LB_OK;
  for (int i = 0; i < ntie && status == LB_OK; i++) {
    status = lb_tie_make(&own[i], &tie[i], fem->node, &K, &fem->arena);
  }
  for (int i = 0; i < ntie && status == LB_OK; i++) {
    lb_tie_add_stiffness(&own[i], &fem->ties);
  }
  fem->tie = own;
  fem->tie_factor = 1;
  fem->ntie = status == LB_OK ? ntie : 0;
  return status;
}

// --- the mass ---

static void find_entries(lb_fem* fem) {
  for (int n = 0; n < fem->nbatch; n++) {
    lb_fem_batch* batch = &fem->batch[n];
    for (int a = 0; a < fem->elem_nodes; a++) {
      for (int b = 0; b <= a; b++) {
        for (int l = 0; l < LB_LANES; l++) {
          batch->entry[lb_fem_pair(a, b)][l] =
              lb_sparse_find(&fem->M, batch->node[a][l], batch->node[b][l]);
        }
      }
    }
  }
}

// M_ab = int rho N_a N_b, exact for curved elements too; rho by region.
static void fill_mass(const lb_fem* fem, lb_sparse* M, const lb_tetmesh* mesh, const double* rho) {
  lb_tet_point rule[LB_TET_EXACT_POINTS];
  double N[LB_TET_EXACT_POINTS][LB_TET_MOST_NODES];
  lb_tet_exact_rule(rule);
  for (int q = 0; q < LB_TET_EXACT_POINTS; q++) {
    lb_tet_shapes(fem->order, rule[q].x, N[q], NULL);
  }
  for (int n = 0; n < fem->nbatch; n++) {
    const lb_fem_batch* batch = &fem->batch[n];
    for (int l = 0; l < batch->count; l++) {
      lb_vec3 X[LB_TET_MOST_NODES];
      for (int k = 0; k < fem->elem_nodes; k++) {
        X[k] = mesh->node[batch->node[k][l]];
      }
      for (int q = 0; q < LB_TET_EXACT_POINTS; q++) {
        const double det = lb_mat3_determinant(lb_tet_jacobian(fem->order, X, rule[q].x));
        const double w = rho[batch->region] * rule[q].w * det;
        for (int a = 0; a < fem->elem_nodes; a++) {
          for (int b = 0; b <= a; b++) {
            M->value[batch->entry[lb_fem_pair(a, b)][l]] += w * N[q][a] * N[q][b];
          }
        }
      }
    }
  }
}

// Mass and damping matrix. One matrix does for both where all regions are damped alike.
static lb_status fill_masses(lb_fem* fem, const lb_tetmesh* mesh, const lb_material* material,
                             lb_arena* scratch) {
  double* rho = LB_TAKE(scratch, double, mesh->nregion);
  bool alike = true;
  if (!rho) {
    return LB_NO_MEMORY;
  }
  for (int r = 0; r < mesh->nregion; r++) {
    rho[r] = material[r].density;
    alike = alike && material[r].alpha == material[0].alpha;
  }
  fill_mass(fem, &fem->M, mesh, rho);
  fem->C = fem->M;
  if (!alike) {
    fem->C.value = LB_TAKE(&fem->arena, double, fem->M.row[fem->M.n]);
    if (!fem->C.value) {
      return LB_NO_MEMORY;
    }
    for (int r = 0; r < mesh->nregion; r++) {
      rho[r] *= material[r].alpha / fem->alpha;
    }
    fill_mass(fem, &fem->C, mesh, rho);
  }
  return LB_OK;
}

static void sum_mass(lb_fem* fem) {
  for (int i = 0; i < fem->nnode; i++) {
    for (int k = fem->M.row[i]; k < fem->M.row[i + 1]; k++) {
      const int j = fem->M.col[k];
      fem->node_mass[i] += fem->M.value[k];
      fem->node_mass[j] += j == i ? 0 : fem->M.value[k];
    }
  }
}

// The edges of a box with the same second moments: how long the body is, and how thin, whichever
// way it lies.
static lb_status sum_size(lb_fem* fem, double volume, lb_arena* scratch) {
  const lb_mass body = lb_fem_rigid(fem);
  const lb_sym3 J = body.inertia;
  double A[9] = {J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz}, w[3];
  const lb_status status = lb_eigen_symmetric(scratch, 3, A, 3, w);
  if (status == LB_OK) {
    const double half = (w[0] + w[1] + w[2]) / 2;
    fem->density = body.mass / volume;
    fem->size = sqrt(12 * (half - w[0]) / body.mass);
    fem->thin = sqrt(12 * fmax(half - w[2], 0) / body.mass);
  }
  return status;
}

// --- all together ---

// Each region's material, with its share of the largest damping.
static void set_materials(lb_fem* fem, const lb_material* material) {
  bool alike = true;
  for (int r = 0; r < fem->nregion; r++) {
    fem->young = fmax(fem->young, material[r].young);
    fem->alpha = fmax(fem->alpha, material[r].alpha);
    fem->beta = fmax(fem->beta, material[r].beta);
    alike = alike && material[r].beta == material[0].beta;
  }
  for (int r = 0; r < fem->nregion; r++) {
    fem->material[r] =
        lb_region_material_of(&material[r], alike ? 1 : material[r].beta / fem->beta);
  }
}

static lb_status set_up(lb_fem* fem, const lb_tetmesh* mesh, const lb_material* material) {
  fem->nnode = mesh->nnode;
  fem->ndof = 3 * mesh->nnode;
  fem->order = mesh->order;
  fem->elem_nodes = lb_tetmesh_elem_nodes(mesh);
  fem->nelem = mesh->nelem;
  fem->nregion = mesh->nregion;
  fem->node = LB_COPY(&fem->arena, mesh->node, mesh->nnode);
  fem->node_mass = LB_TAKE(&fem->arena, double, mesh->nnode);
  fem->material = LB_TAKE(&fem->arena, lb_region_material, mesh->nregion);
  if (lb_arena_status(&fem->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  set_materials(fem, material);
  lb_tet_point rule[LB_TET_STIFFNESS_MOST];
  fem->npoint = lb_tet_stiffness_rule(mesh->order, rule);
  for (int q = 0; q < fem->npoint; q++) {
    lb_vec3 dN[LB_TET_MOST_NODES];
    lb_tet_shapes(mesh->order, rule[q].x, NULL, dN);
    for (int a = 0; a < fem->elem_nodes; a++) {
      fem->gradient[q][a][0] = dN[a].x;
      fem->gradient[q][a][1] = dN[a].y;
      fem->gradient[q][a][2] = dN[a].z;
    }
  }
  return LB_OK;
}

static lb_status fill(lb_fem* fem, const lb_tetmesh* mesh, const lb_material* material, int ntie,
                      const lb_tie* tie, lb_arena* scratch) {
  sorted* list = LB_TAKE(scratch, sorted, mesh->nelem);
  if (!list || set_up(fem, mesh, material) != LB_OK) {
    return LB_NO_MEMORY;
  }
  sort_elements(mesh, list);
  if (make_batches(fem, mesh, list) != LB_OK ||
      make_pattern(fem, mesh, ntie, tie, scratch) != LB_OK ||
      colour_chunks(fem, scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  find_entries(fem);
  if (fill_masses(fem, mesh, material, scratch) != LB_OK ||
      (ntie > 0 && make_ties(fem, ntie, tie, scratch) != LB_OK)) {
    return LB_NO_MEMORY;
  }
  sum_mass(fem);
  return sum_size(fem, lb_tetmesh_volume(mesh), scratch);
}

lb_status lb_fem_create(const lb_allocator* allocator, const lb_tetmesh* mesh,
                        const lb_material* material, int threads, const char* name, lb_place place,
                        lb_fem** fem, lb_error* err) {
  return lb_fem_create_tied(allocator, mesh, material, 0, NULL, threads, name, place, fem, err);
}

lb_status lb_fem_create_tied(const lb_allocator* allocator, const lb_tetmesh* mesh,
                             const lb_material* material, int ntie, const lb_tie* tie, int threads,
                             const char* name, lb_place place, lb_fem** fem, lb_error* err) {
  lb_arena scratch;
  lb_arena_init(&scratch, allocator);
  lb_status status = lb_tetmesh_check(mesh, name, place, &scratch, err);
  for (int r = 0; r < mesh->nregion; r++) {
    const lb_status good = lb_material_check(&material[r], name, place, err);
    status = status == LB_OK ? good : status;
  }
  if (status == LB_OK) {
    lb_fem* made = lb_allocate(scratch.allocator, sizeof *made);
    if (made) {
      *made = (lb_fem){.threads = threads};
      lb_arena_init(&made->arena, allocator);
    }
    status = made ? fill(made, mesh, material, ntie, tie, &scratch) : LB_NO_MEMORY;
    if (status == LB_OK) {
      *fem = made;
    } else {
      lb_fem_release(made);
      lb_error_add(err, status, place, "elastic body '%s': %s", name, lb_status_text(status));
    }
  }
  lb_arena_release(&scratch);
  return status;
}

void lb_fem_release(lb_fem* fem) {
  if (fem) {
    const lb_allocator* allocator = fem->arena.allocator;
    lb_arena_release(&fem->arena);
    lb_release(allocator, fem);
  }
}

// Ties are scaled where all regions are alike, and stay where they differ; without some of the
// regions they are none of the rest's.
static double tie_factor(int nregion, const double* factor) {
  bool alike = true, parts = false;
  for (int i = 0; i < nregion; i++) {
    alike = alike && factor[i] == factor[0];
    parts = parts || factor[i] == 0;
  }
  return alike ? factor[0] : !parts;
}

lb_fem* lb_fem_scaled(const lb_fem* from, int nregion, const double* factor, lb_arena* arena) {
  lb_fem* fem = LB_COPY(arena, from, 1);
  lb_region_material* material = LB_COPY(arena, from->material, from->nregion);
  if (!fem || !material) {
    return NULL;
  }
  for (int i = 0; i < from->nregion; i++) {
    material[i].c = lb_material_constants_scaled(material[i].c, factor[nregion > 1 ? i : 0]);
  }
  fem->material = material;
  fem->tie_factor *= tie_factor(nregion, factor);
  return fem;
}
