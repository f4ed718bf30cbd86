#include "elastic/reduced/cubature_force.h"

#include <stdint.h>
#include <string.h>

#include "elastic/fem/batch.h"

static const lb_lanes* gradients(const lb_points* p, int batch) {
  return p->G + (size_t)batch * (size_t)p->r * 9;
}

// out = sum_k x_k G_k. Sums are local, here and below, so that they stay in registers.
static void slope(const lb_points* p, int batch, lb_lanes out[9], const double* x) {
  const lb_lanes* G = gradients(p, batch);
  lb_lanes sum[9] = {0};
  for (int k = 0; k < p->r; k++, G += 9) {
    for (int i = 0; i < 9; i++) {
      sum[i] += G[i] * x[k];
    }
  }
  memcpy(out, sum, sizeof sum);
}

// Two of them at once: gradients are most of what a force reads, so they are read once.
static void slope_both(const lb_points* p, int batch, lb_lanes a[9], lb_lanes b[9], const double* x,
                       const double* y) {
  const lb_lanes* G = gradients(p, batch);
  lb_lanes sum_a[9] = {0}, sum_b[9] = {0};
  for (int k = 0; k < p->r; k++, G += 9) {
    for (int i = 0; i < 9; i++) {
      sum_a[i] += G[i] * x[k];
      sum_b[i] += G[i] * y[k];
    }
  }
  memcpy(a, sum_a, sizeof sum_a);
  memcpy(b, sum_b, sizeof sum_b);
}

static void deformation(const lb_points* p, int batch, lb_lanes F[9], const double* eta) {
  slope(p, batch, F, eta);
  lb_lanes_add_identity(F);
}

static double sum_lanes(lb_lanes a) {
  for (int l = 4; l < LB_LANES; l++) {
    a[l - 4] += a[l];
  }
  return (a[0] + a[1]) + (a[2] + a[3]);
}

static const lb_region_material* material_of(const lb_points* p, int batch) {
  return &p->material[p->region[batch]];
}

// acc_k += w P : G_k
static void spread(const lb_points* p, int batch, lb_lanes* acc, const lb_lanes P[9]) {
  const lb_lanes* G = gradients(p, batch);
  lb_lanes wP[9];
  for (int i = 0; i < 9; i++) {
    wP[i] = p->weight[batch] * P[i];
  }
  for (int k = 0; k < p->r; k++, G += 9) {
    acc[k] += lb_lanes_dot9(G, wP);
  }
}

// *b += g : B and *c += g : C, with g loaded once.
static inline void dot_both(lb_lanes* b, lb_lanes* c, const lb_lanes g[9], const lb_lanes B[9],
                            const lb_lanes C[9]) {
  lb_lanes sum_b = *b, sum_c = *c;
  for (int i = 0; i < 9; i++) {
    sum_b += g[i] * B[i];
    sum_c += g[i] * C[i];
  }
  *b = sum_b;
  *c = sum_c;
}

// acc_k += w P : G_k and along_k += s w Q : G_k
static void spread_both(const lb_points* p, int batch, lb_lanes* acc, const lb_lanes P[9], double s,
                        lb_lanes* along, const lb_lanes Q[9]) {
  const lb_lanes* G = gradients(p, batch);
  const lb_lanes w = p->weight[batch], v = w * s;
  lb_lanes wP[9], vQ[9];
  for (int i = 0; i < 9; i++) {
    wP[i] = w * P[i];
    vQ[i] = v * Q[i];
  }
  for (int k = 0; k < p->r; k++, G += 9) {
    dot_both(&acc[k], &along[k], G, wP, vQ);
  }
}

// Scratch comes as doubles; lanes want a cache line.
static lb_lanes* align(double* scratch) {
  const uintptr_t at = (uintptr_t)scratch;
  return (lb_lanes*)((at + sizeof(lb_lanes) - 1) / sizeof(lb_lanes) * sizeof(lb_lanes));
}

static void force(const void* context, double* f, double* Kv, const double* eta, const double* v,
                  double* scratch) {
  const lb_points* p = context;
  lb_lanes* acc = align(scratch);
  lb_lanes* along = acc + p->r;
  memset(acc, 0, 2 * (size_t)p->r * sizeof *acc);
  for (int b = 0; b < p->nbatch; b++) {
    const lb_region_material* m = material_of(p, b);
    lb_lanes F[9], P[9], dF[9], dP[9];
    if (Kv) {
      slope_both(p, b, F, dF, eta, v);
      lb_lanes_add_identity(F);
      m->model->stress(&m->c, P, F);
      m->model->differential(&m->c, dP, F, dF);
      spread_both(p, b, acc, P, m->viscous, along, dP);
    } else {
      deformation(p, b, F, eta);
      m->model->stress(&m->c, P, F);
      spread(p, b, acc, P);
    }
  }
  for (int k = 0; k < p->r; k++) {
    f[k] = sum_lanes(acc[k]);
    if (Kv) {
      Kv[k] = sum_lanes(along[k]);
    }
  }
}

// B = A g; sums run along A's columns.
static void apply(lb_lanes B[9], const lb_lanes A[81], const lb_lanes g[9]) {
  lb_lanes sum[9] = {0};
  for (int j = 0; j < 9; j++) {
    for (int i = 0; i < 9; i++) {
      sum[i] += A[i + 9 * j] * g[j];
    }
  }
  memcpy(B, sum, sizeof sum);
}

// acc += G_k : A G_l for l <= k, rows of the lower triangle one after the other; A is symmetric
// with its entries i >= j given. Two rows at a time, so that what is loaded serves twice.
static void contract(const lb_points* p, int batch, lb_lanes* acc, lb_lanes A[81]) {
  const lb_lanes* G = gradients(p, batch);
  for (int j = 1; j < 9; j++) {
    for (int i = 0; i < j; i++) {
      A[i + 9 * j] = A[j + 9 * i];
    }
  }
  int k = 0;
  for (; k + 1 < p->r; k += 2) {
    const lb_lanes *Gk = G + 9 * k, *Gm = Gk + 9;
    lb_lanes B[9], C[9];
    apply(B, A, Gk);
    apply(C, A, Gm);
    lb_lanes *row = acc + k * (k + 1) / 2, *next = row + k + 1;
    for (int l = 0; l <= k; l++) {
      dot_both(&row[l], &next[l], G + 9 * l, B, C);
    }
    next[k + 1] += lb_lanes_dot9(Gm, C);
  }
  if (k < p->r) {
    lb_lanes B[9], *row = acc + k * (k + 1) / 2;
    apply(B, A, G + 9 * k);
    for (int l = 0; l <= k; l++) {
      row[l] += lb_lanes_dot9(G + 9 * l, B);
    }
  }
}

static void blend(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                  double* scratch) {
  const lb_points* p = context;
  lb_lanes* acc = align(scratch); // [r (r + 1) / 2]
  memset(acc, 0, (size_t)(p->r * (p->r + 1) / 2) * sizeof *acc);
  for (int b = 0; b < p->nbatch; b++) {
    const lb_region_material* m = material_of(p, b);
    const double share = m->viscous, turn = of.N * share + of.T;
    const lb_lanes k = p->weight[b] * (of.K + of.D * share), n = p->weight[b] * turn;
    lb_lanes F[9], T[81], dF[9], dT[81];
    deformation(p, b, F, eta);
    lb_material_tangent(m->model, &m->c, T, F);
    if (turn != 0) {
      slope(p, b, dF, v);
      lb_material_tangent_along(m->model, &m->c, dT, F, dF);
    }
    for (int i = 0; i < 81; i++) {
      T[i] = k * T[i] + (turn != 0 ? n * dT[i] : lb_lanes_set(0));
    }
    contract(p, b, acc, T);
  }
  for (int k = 0; k < p->r; k++) {
    for (int l = 0; l <= k; l++) {
      A[k * p->r + l] = A[l * p->r + k] = sum_lanes(*acc++);
    }
  }
}

static void blend_product(const void* context, double* y, lb_blend of, const double* eta,
                          const double* v, const double* x, double* scratch) {
  const lb_points* p = context;
  lb_lanes* acc = align(scratch);
  memset(acc, 0, (size_t)p->r * sizeof *acc);
  for (int b = 0; b < p->nbatch; b++) {
    const lb_region_material* m = material_of(p, b);
    const double share = m->viscous, k = of.K + of.D * share, n = of.N * share + of.T;
    lb_lanes F[9], dF[9], dx[9], P[9], dP[9];
    deformation(p, b, F, eta);
    slope(p, b, dF, v);
    slope(p, b, dx, x);
    m->model->differential(&m->c, P, F, dx);
    m->model->second(&m->c, dP, F, dF, dx);
    for (int i = 0; i < 9; i++) {
      P[i] = k * P[i] + n * dP[i];
    }
    spread(p, b, acc, P);
  }
  for (int k = 0; k < p->r; k++) {
    y[k] = sum_lanes(acc[k]);
  }
}

static double energy(const void* context, const double* eta, double* scratch) {
  (void)scratch;
  const lb_points* p = context;
  lb_lanes sum = {0};
  for (int b = 0; b < p->nbatch; b++) {
    lb_lanes F[9], psi;
    deformation(p, b, F, eta);
    material_of(p, b)->model->energy(&material_of(p, b)->c, &psi, F);
    sum += p->weight[b] * psi;
  }
  return sum_lanes(sum);
}

static double least_volume(const void* context, const double* eta, lb_vec3* at) {
  const lb_points* p = context;
  double least = INFINITY;
  for (int b = 0; b < p->nbatch; b++) {
    lb_lanes F[9];
    deformation(p, b, F, eta);
    const lb_lanes J = lb_lanes_determinant(F);
    const lb_lanes* x = p->x + 3 * (size_t)b;
    for (int l = 0; l < LB_LANES; l++) {
      if (p->weight[b][l] > 0 && !(J[l] >= least)) {
        least = J[l];
        *at = lb_vec3_make(x[0][l], x[1][l], x[2][l]);
      }
    }
  }
  return least;
}

static lb_status scale(const void* context, int nregion, const double* factor, lb_arena* arena,
                       lb_reduced_force* out) {
  const lb_points* from = context;
  const size_t n = (size_t)from->nbatch;
  lb_points* p = LB_TAKE(arena, lb_points, 1);
  lb_lanes* weight = lb_arena_take_array(arena, n, sizeof *weight, LB_ALIGN);
  if (!p || !weight) {
    return LB_NO_MEMORY;
  }
  *p = *from;
  p->weight = weight;
  for (size_t b = 0; b < n; b++) {
    weight[b] = from->weight[b] * factor[nregion > 1 ? from->region[b] : 0];
  }
  *out = lb_points_force(p);
  return LB_OK;
}

lb_reduced_force lb_points_force(const lb_points* p) {
  const int lanes = p->r * (p->r + 1) / 2 > 2 * p->r ? p->r * (p->r + 1) / 2 : 2 * p->r;
  return (lb_reduced_force){.force = force,
                            .energy = energy,
                            .scratch = (lanes + 1) * LB_LANES,
                            .context = p,
                            .viscous = p->viscous,
                            .least_volume = p->x ? least_volume : NULL,
                            .blend = blend,
                            .blend_product = blend_product,
                            .scale = scale};
}

void lb_points_scale(lb_points* points, double factor) {
  for (int b = 0; b < points->nbatch; b++) {
    points->weight[b] *= factor;
  }
}

void lb_points_contribution(const lb_points* p, int batch, double* g, const double* eta) {
  lb_lanes F[9], P[9];
  deformation(p, batch, F, eta);
  material_of(p, batch)->model->stress(&material_of(p, batch)->c, P, F);
  const lb_lanes* G = gradients(p, batch);
  for (int k = 0; k < p->r; k++, G += 9) {
    const lb_lanes dot = lb_lanes_dot9(G, P);
    for (int l = 0; l < LB_LANES; l++) {
      g[l * p->r + k] = dot[l];
    }
  }
}

// --- making sets ---

static bool take(lb_points* p, int nbatch, int nregion, const lb_region_material* material,
                 lb_arena* arena) {
  p->nbatch = nbatch;
  p->G = lb_arena_take_array(arena, (size_t)nbatch * (size_t)p->r * 9, sizeof(lb_lanes), LB_ALIGN);
  p->weight = lb_arena_take_array(arena, (size_t)nbatch, sizeof(lb_lanes), LB_ALIGN);
  p->x = lb_arena_take_array(arena, 3 * (size_t)nbatch, sizeof(lb_lanes), LB_ALIGN);
  p->region = LB_TAKE(arena, int, nbatch);
  p->element = LB_TAKE(arena, int, LB_LANES* nbatch);
  p->material = LB_COPY(arena, material, nregion);
  p->viscous = lb_region_materials_differ(nregion, material);
  if (lb_arena_status(arena) != LB_OK) {
    return false;
  }
  memset(p->element, -1, (size_t)LB_LANES * (size_t)nbatch * sizeof *p->element);
  return true;
}

// Where the points of a batch are at rest, x [npoint][3].
static void place_points(const lb_fem* fem, const lb_fem_batch* batch, lb_lanes* x) {
  lb_tet_point rule[LB_TET_STIFFNESS_MOST];
  lb_lanes X[30];
  lb_tet_stiffness_rule(fem->order, rule);
  lb_fem_batch_gather(fem, batch, X, &fem->node[0].x);
  for (int q = 0; q < fem->npoint; q++) {
    double N[LB_TET_MOST_NODES];
    lb_tet_shapes(fem->order, rule[q].x, N, NULL);
    for (int i = 0; i < 3; i++) {
      x[3 * q + i] = lb_lanes_set(0);
      for (int a = 0; a < fem->elem_nodes; a++) {
        x[3 * q + i] += N[a] * X[3 * a + i];
      }
    }
  }
}

lb_status lb_points_create(const lb_fem* fem, const lb_basis* basis, lb_arena* arena,
                           lb_points* points) {
  lb_points made = {.r = basis->r};
  if (!take(&made, fem->nbatch * fem->npoint, fem->nregion, fem->material, arena)) {
    return LB_NO_MEMORY;
  }
  for (int b = 0; b < fem->nbatch; b++) {
    const lb_fem_batch* batch = &fem->batch[b];
    place_points(fem, batch, made.x + 3 * (size_t)b * (size_t)fem->npoint);
    for (int k = 0; k < basis->r; k++) {
      lb_lanes U[30];
      lb_fem_batch_gather(fem, batch, U, basis->Phi + (size_t)k * (size_t)fem->ndof);
      for (int q = 0; q < fem->npoint; q++) {
        const size_t at = (size_t)b * (size_t)fem->npoint + (size_t)q;
        lb_fem_batch_slope(fem, batch, q, made.G + (at * (size_t)made.r + (size_t)k) * 9, U);
        made.weight[at] = batch->weight[q];
        made.region[at] = batch->region;
        memcpy(made.element + LB_LANES * at, batch->elem, (size_t)batch->count * sizeof(int));
      }
    }
  }
  *points = made;
  return LB_OK;
}

lb_status lb_points_empty(int r, int count, const int* region, int nregion,
                          const lb_region_material* material, lb_arena* arena, lb_points* points,
                          int* slot) {
  int next = 0;
  for (int k = 0; k < nregion; k++) {
    next = (next + LB_LANES - 1) / LB_LANES * LB_LANES;
    for (int i = 0; i < count; i++) {
      slot[i] = region[i] == k ? next++ : slot[i];
    }
  }
  lb_points made = {.r = r};
  if (!take(&made, (next + LB_LANES - 1) / LB_LANES, nregion, material, arena)) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    made.region[slot[i] / LB_LANES] = region[i];
  }
  *points = made;
  return LB_OK;
}

lb_status lb_points_pick(const lb_points* all, int count, const int* chosen, const double* weight,
                         int nregion, lb_arena* arena, lb_points* picked) {
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  int* region = LB_TAKE(&scratch, int, count);
  int* slot = LB_TAKE(&scratch, int, count);
  lb_points made = {0};
  lb_status status = LB_NO_MEMORY;
  if (region && slot) {
    for (int i = 0; i < count; i++) {
      region[i] = all->region[chosen[i] / LB_LANES];
    }
    status = lb_points_empty(all->r, count, region, nregion, all->material, arena, &made, slot);
  }
  for (int i = 0; status == LB_OK && i < count; i++) {
    const int from = chosen[i] / LB_LANES, lane = chosen[i] % LB_LANES;
    const int b = slot[i] / LB_LANES, to = slot[i] % LB_LANES;
    made.weight[b][to] = weight[i];
    made.element[slot[i]] = all->element[chosen[i]];
    for (int k = 0; k < 3 && all->x; k++) {
      made.x[3 * b + k][to] = all->x[3 * from + k][lane];
    }
    for (int k = 0; k < 9 * made.r; k++) {
      made.G[(size_t)b * (size_t)made.r * 9 + (size_t)k][to] = gradients(all, from)[k][lane];
    }
  }
  lb_arena_release(&scratch);
  if (status == LB_OK) {
    *picked = made;
  }
  return status;
}
