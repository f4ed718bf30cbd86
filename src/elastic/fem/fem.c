// Energy, forces and their derivatives, eight elements at a time.
//
// With reference coordinates x and shape functions N_a, at a quadrature point of weight w
//
//   F = I + sum_a u_a (dN_a/dx)' (dx/dX),        f_a = sum w P (dx/dX)' dN_a/dx,
//   K_ab[i, j] = sum w dN_a/dx_k [dx/dX]_kp (dP_ip/dF_jq) [dx/dX]_lq dN_b/dx_l
//
// where w contains the determinant of dX/dx.
#include "elastic/fem/fem.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "elastic/fem/batch.h"
#include "math/space/polar.h"

void lb_fem_batch_gather(const lb_fem* fem, const lb_fem_batch* b, lb_lanes U[30],
                         const double* u) {
  for (int a = 0; a < fem->elem_nodes; a++) {
    for (int l = 0; l < LB_LANES; l++) {
      const double* v = &u[3 * b->node[a][l]];
      U[3 * a][l] = v[0];
      U[3 * a + 1][l] = v[1];
      U[3 * a + 2][l] = v[2];
    }
  }
}

void lb_fem_batch_slope(const lb_fem* fem, const lb_fem_batch* b, int q, lb_lanes G[9],
                        const lb_lanes U[30]) {
  lb_lanes H[9] = {0};
  for (int a = 0; a < fem->elem_nodes; a++) {
    for (int k = 0; k < 3; k++) {
      const double g = fem->gradient[q][a][k];
      H[3 * k] += g * U[3 * a];
      H[3 * k + 1] += g * U[3 * a + 1];
      H[3 * k + 2] += g * U[3 * a + 2];
    }
  }
  lb_lanes_mul(G, H, b->inverse[q]);
}

// --- vectors: forces and their derivatives along directions ---

typedef struct sweep {
  const lb_fem* fem;
  void (*work)(const struct sweep*, const lb_fem_batch*);
  double* out;
  int ninput; // displacements, then directions
  const double* input[3];
  double stress; // factor of the stress
  lb_blend of;   // K and D along input[1]; T and N along both directions; of a matrix, as it says
  lb_sparse* K;
  const int* list; // the chunks of the colour at work
} sweep;

// P += s Q
static void add_stress(lb_lanes P[9], double s, const lb_lanes Q[9]) {
  for (int k = 0; k < 9; k++) {
    P[k] += s * Q[k];
  }
}

// The stress and its derivatives, as asked for, of gradients F, dF1, dF2.
static void respond(const sweep* s, const lb_fem_batch* b, lb_lanes P[9], lb_lanes (*F)[9]) {
  const lb_region_material* m = &s->fem->material[b->region];
  const lb_material_constants* c = &m->c;
  const double once = s->of.K + s->of.D * m->viscous, twice = s->of.T + s->of.N * m->viscous;
  lb_lanes Q[9];
  memset(P, 0, 9 * sizeof *P);
  if (s->stress != 0) {
    m->model->stress(c, Q, F[0]);
    add_stress(P, s->stress, Q);
  }
  if (once != 0) {
    m->model->differential(c, Q, F[0], F[1]);
    add_stress(P, once, Q);
  }
  if (twice != 0) {
    m->model->second(c, Q, F[0], F[1], F[2]);
    add_stress(P, twice, Q);
  }
}

// f += w P (dx/dX)' dN/dx
static void spread_stress(const lb_fem* fem, const lb_fem_batch* b, int q, lb_lanes f[30],
                          const lb_lanes P[9]) {
  lb_lanes Q[9];
  lb_lanes_mul_nt(Q, P, b->inverse[q]);
  for (int k = 0; k < 9; k++) {
    Q[k] *= b->weight[q];
  }
  for (int a = 0; a < fem->elem_nodes; a++) {
    const double* g = fem->gradient[q][a];
    for (int i = 0; i < 3; i++) {
      f[3 * a + i] += g[0] * Q[i] + g[1] * Q[i + 3] + g[2] * Q[i + 6];
    }
  }
}

static void batch_vector(const sweep* s, const lb_fem_batch* b) {
  const lb_fem* fem = s->fem;
  lb_lanes U[3][30], f[30] = {0};
  for (int k = 0; k < s->ninput; k++) {
    lb_fem_batch_gather(fem, b, U[k], s->input[k]);
  }
  for (int q = 0; q < fem->npoint; q++) {
    lb_lanes F[3][9], P[9];
    for (int k = 0; k < s->ninput; k++) {
      lb_fem_batch_slope(fem, b, q, F[k], U[k]);
    }
    lb_lanes_add_identity(F[0]);
    respond(s, b, P, F);
    spread_stress(fem, b, q, f, P);
  }
  for (int l = 0; l < b->count; l++) {
    for (int a = 0; a < fem->elem_nodes; a++) {
      double* out = &s->out[3 * b->node[a][l]];
      out[0] += f[3 * a][l];
      out[1] += f[3 * a + 1][l];
      out[2] += f[3 * a + 2][l];
    }
  }
}

static void sweep_chunk(void* context, int i) {
  const sweep* s = context;
  const int* first = &s->fem->chunk[s->list[i]];
  for (int n = first[0]; n < first[1]; n++) {
    s->work(s, &s->fem->batch[n]);
  }
}

// Colour after colour; the chunks of one at once.
static void sweep_chunks(sweep* s) {
  const lb_fem* fem = s->fem;
  for (int k = 0; k < fem->ncolour; k++) {
    s->list = &fem->sequence[fem->colour[k]];
    lb_parallel_for(fem->threads, fem->colour[k + 1] - fem->colour[k], sweep_chunk, s);
  }
}

// y += s (stiffness of the ties) u
static void add_ties(const lb_fem* fem, double s, double* y, const double* u) {
  for (int i = 0; i < fem->ntie && s != 0; i++) {
    lb_tie_add_force(&fem->tie[i], s * fem->tie_factor, y, u);
  }
}

// out = stress f(u) + (K + D) v + (T + N) (v, w), each with its factor
static void evaluate(const lb_fem* fem, double* out, double stress, lb_blend of, const double* u,
                     const double* v, const double* w) {
  sweep s = {.fem = fem,
             .work = batch_vector,
             .out = out,
             .ninput = 1 + (v != NULL) + (w != NULL),
             .input = {u, v, w},
             .stress = stress,
             .of = of};
  memset(out, 0, (size_t)fem->ndof * sizeof *out);
  sweep_chunks(&s);
  add_ties(fem, stress, out, u);
  add_ties(fem, of.K, out, v);
}

void lb_fem_force(const lb_fem* fem, double* f, const double* u) {
  evaluate(fem, f, 1, (lb_blend){0}, u, NULL, NULL);
}

void lb_fem_damped_force(const lb_fem* fem, double* f, double beta, const double* u,
                         const double* v) {
  evaluate(fem, f, 1, (lb_blend){.D = beta}, u, v, NULL);
}

void lb_fem_apply(const lb_fem* fem, double* y, const double* u, const double* v) {
  evaluate(fem, y, 0, (lb_blend){.K = 1}, u, v, NULL);
}

void lb_fem_second(const lb_fem* fem, double* y, const double* u, const double* v,
                   const double* w) {
  evaluate(fem, y, 0, (lb_blend){.T = 1}, u, v, w);
}

void lb_fem_product(const lb_fem* fem, double* y, lb_blend of, const double* u, const double* v,
                    const double* w) {
  evaluate(fem, y, 0, of, u, v, w);
}

// --- energy and volume ---

typedef struct look {
  const lb_fem* fem;
  const double* u;
} look;

static double batch_energy(void* context, int n) {
  const look* s = context;
  const lb_fem* fem = s->fem;
  const lb_fem_batch* b = &fem->batch[n];
  lb_lanes U[30], sum = {0};
  lb_fem_batch_gather(fem, b, U, s->u);
  for (int q = 0; q < fem->npoint; q++) {
    lb_lanes F[9], psi;
    lb_fem_batch_slope(fem, b, q, F, U);
    lb_lanes_add_identity(F);
    fem->material[b->region].model->energy(&fem->material[b->region].c, &psi, F);
    sum += b->weight[q] * psi;
  }
  double total = 0;
  for (int l = 0; l < b->count; l++) {
    total += sum[l];
  }
  return total;
}

double lb_fem_energy(const lb_fem* fem, const double* u) {
  look s = {fem, u};
  double sum = lb_parallel_sum(fem->threads, fem->nbatch, batch_energy, &s);
  for (int i = 0; i < fem->ntie; i++) {
    sum += fem->tie_factor * lb_tie_energy(&fem->tie[i], u);
  }
  return sum;
}

lb_vec3 lb_fem_elem_middle(const lb_fem* fem, int elem) {
  lb_vec3 sum = {0, 0, 0};
  for (int n = 0; n < fem->nbatch; n++) {
    const lb_fem_batch* b = &fem->batch[n];
    for (int l = 0; l < b->count; l++) {
      for (int a = 0; a < 4 && b->elem[l] == elem; a++) {
        sum = lb_vec3_add(sum, lb_vec3_scale(0.25, fem->node[b->node[a][l]]));
      }
    }
  }
  return sum;
}

double lb_fem_least_volume(const lb_fem* fem, const double* u, int* elem) {
  double least = INFINITY;
  for (int n = 0; n < fem->nbatch; n++) {
    const lb_fem_batch* b = &fem->batch[n];
    lb_lanes U[30];
    lb_fem_batch_gather(fem, b, U, u);
    for (int q = 0; q < fem->npoint; q++) {
      lb_lanes F[9];
      lb_fem_batch_slope(fem, b, q, F, U);
      lb_lanes_add_identity(F);
      const lb_lanes J = lb_lanes_determinant(F);
      for (int l = 0; l < b->count; l++) {
        if (!(J[l] >= least)) {
          least = J[l];
          *elem = b->elem[l];
        }
      }
    }
  }
  return least;
}

// --- rotations ---

static lb_m3 lane(const lb_lanes A[9], int l) {
  return (lb_m3){lb_v4_make(A[0][l], A[1][l], A[2][l]), lb_v4_make(A[3][l], A[4][l], A[5][l]),
                 lb_v4_make(A[6][l], A[7][l], A[8][l])};
}

// Gradients at the corners of a batch's elements, weighted with their volumes. In quadratic
// elements the gradient is linear: from its values at the four points, each near one corner,
//   F_q = (1 - 4 a) f_q + a sum f,   sum f = sum F_q
static void corner_gradients(const lb_fem* fem, const lb_fem_batch* b, lb_lanes f[4][9],
                             const double* u) {
  const double a = 0.13819660112501051518; // of the stiffness rule
  lb_lanes U[30], sum[9] = {0}, volume = {0};
  lb_fem_batch_gather(fem, b, U, u);
  for (int q = 0; q < fem->npoint; q++) {
    lb_fem_batch_slope(fem, b, q, f[q], U);
    lb_lanes_add_identity(f[q]);
    volume += b->weight[q];
    for (int k = 0; k < 9; k++) {
      sum[k] += f[q][k];
    }
  }
  for (int q = 0; q < 4; q++) {
    for (int k = 0; k < 9; k++) {
      f[q][k] = volume * (fem->npoint == 4 ? (f[q][k] - a * sum[k]) / (1 - 4 * a) : sum[k]);
    }
  }
}

// Add them up at the nodes; in the middle of an edge the gradient is the mean of its ends'.
static void add_gradients(const lb_fem* fem, const lb_fem_batch* b, lb_m3* sum, const double* u) {
  static const int end[LB_TET_MOST_NODES][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1},
                                                {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
  lb_lanes f[4][9];
  corner_gradients(fem, b, f, u);
  for (int n = 0; n < fem->elem_nodes; n++) {
    lb_lanes F[9];
    for (int k = 0; k < 9; k++) {
      F[k] = f[end[n][0]][k] + f[end[n][1]][k];
    }
    for (int l = 0; l < b->count; l++) {
      lb_m3_add(&sum[b->node[n][l]], lane(F, l));
    }
  }
}

// Rotation test: four steps are not enough for a squashed body, and diverge for an inverted one.
static bool is_rotation(lb_m3 R) {
  static const double NEAR = 1e-6;
  const lb_m3 S = lb_m3_mul(lb_m3_transpose(R), R);
  double off = 0;
  for (int i = 0; i < 3; i++) {
    off = fmax(off, fabs(S.x[i] - (i == 0)));
    off = fmax(off, fabs(S.y[i] - (i == 1)));
    off = fmax(off, fabs(S.z[i] - (i == 2)));
  }
  return off < NEAR;
}

void lb_fem_rotations(const lb_fem* fem, lb_m3* R, const double* u) {
  enum { STEPS = 4 }; // take strains of a tenth to rounding
  memset(R, 0, (size_t)fem->nnode * sizeof *R);
  for (int n = 0; n < fem->nbatch; n++) {
    add_gradients(fem, &fem->batch[n], R, u);
  }
  for (int first = 0; first < fem->nnode; first += LB_LANES) {
    lb_lanes X[9];
    for (int l = 0; l < LB_LANES; l++) {
      const lb_m3 F = R[first + l < fem->nnode ? first + l : fem->nnode - 1];
      for (int i = 0; i < 3; i++) {
        X[i][l] = F.x[i];
        X[3 + i][l] = F.y[i];
        X[6 + i][l] = F.z[i];
      }
    }
    lb_lanes_rotate(X, STEPS);
    for (int l = 0; l < LB_LANES && first + l < fem->nnode; l++) {
      const lb_m3 found = lane(X, l);
      R[first + l] =
          is_rotation(found) ? found : lb_m3_from(lb_polar_decompose(lb_m3_mat3(R[first + l])).R);
    }
  }
}

// --- the matrix ---

lb_status lb_fem_matrix(const lb_fem* fem, lb_arena* arena, lb_sparse* K) {
  return lb_sparse_expand(arena, &fem->M, 3, K);
}

// T = w (dx/dX) A (dx/dX)' in the second index of each pair: the tangent in reference coordinates.
// A holds its lower half; T[(i + 3 k) + 9 (j + 3 l)] is written whole.
static void pull_back(lb_lanes T[81], lb_lanes A[81], const lb_lanes inverse[9], lb_lanes weight) {
  lb_lanes B[81];
  for (int j = 0; j < 9; j++) {
    for (int i = j + 1; i < 9; i++) {
      A[j + 9 * i] = A[i + 9 * j];
    }
  }
  for (int c = 0; c < 9; c++) { // rows: (i, p) to (i, k)
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 3; i++) {
        B[(i + 3 * k) + 9 * c] =
            weight * (A[i + 9 * c] * inverse[k] + A[(i + 3) + 9 * c] * inverse[k + 3] +
                      A[(i + 6) + 9 * c] * inverse[k + 6]);
      }
    }
  }
  for (int l = 0; l < 3; l++) { // columns: (j, q) to (j, l)
    for (int j = 0; j < 3; j++) {
      for (int r = 0; r < 9; r++) {
        T[r + 9 * (j + 3 * l)] = B[r + 9 * j] * inverse[l] + B[r + 9 * (j + 3)] * inverse[l + 3] +
                                 B[r + 9 * (j + 6)] * inverse[l + 6];
      }
    }
  }
}

// K_ab += dN_a' T dN_b for b <= a
static void add_point(const lb_fem* fem, int q, lb_lanes (*K)[9], const lb_lanes T[81]) {
  for (int b = 0; b < fem->elem_nodes; b++) {
    const double* h = fem->gradient[q][b];
    lb_lanes S[27]; // T dN_b: (i + 3 k) + 9 j
    for (int r = 0; r < 27; r++) {
      S[r] = h[0] * T[r] + h[1] * T[r + 27] + h[2] * T[r + 54];
    }
    for (int a = b; a < fem->elem_nodes; a++) {
      const double* g = fem->gradient[q][a];
      lb_lanes* out = K[lb_fem_pair(a, b)];
      for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
          out[i + 3 * j] += g[0] * S[i + 9 * j] + g[1] * S[i + 3 + 9 * j] + g[2] * S[i + 6 + 9 * j];
        }
      }
    }
  }
}

// The block of nodes a, b into the matrix, whose lower half is kept.
static void add_block(const lb_fem* fem, lb_sparse* K, int entry, int a, int b, int lane,
                      const lb_lanes block[9]) {
  const int high = a > b ? a : b;
  const int before = 3 * (entry - fem->M.row[high]);
  for (int i = 0; i < 3; i++) {
    double* row = &K->value[K->row[3 * high + i] + before];
    const int width = a == b ? i + 1 : 3;
    for (int j = 0; j < width; j++) {
      row[j] += a >= b ? block[i + 3 * j][lane] : block[j + 3 * i][lane];
    }
  }
}

// The blend at a point: its share of the tangent, and of the tangent's change along the velocities.
static void point_tangent(const sweep* s, const lb_fem_batch* b, int q, lb_lanes A[81],
                          lb_lanes (*U)[30]) {
  const lb_fem* fem = s->fem;
  const lb_region_material* m = &fem->material[b->region];
  const double part = s->of.K + s->of.D * m->viscous, turn = s->of.N * m->viscous + s->of.T;
  lb_lanes F[9], dF[9], along[81];
  lb_fem_batch_slope(fem, b, q, F, U[0]);
  lb_lanes_add_identity(F);
  lb_material_tangent(m->model, &m->c, A, F);
  if (turn != 0) {
    lb_fem_batch_slope(fem, b, q, dF, U[1]);
    lb_material_tangent_along(m->model, &m->c, along, F, dF);
  }
  for (int i = 0; i < 81; i++) {
    A[i] = part * A[i] + (turn != 0 ? turn * along[i] : lb_lanes_set(0));
  }
}

static void batch_tangent(const sweep* s, const lb_fem_batch* batch) {
  const lb_fem* fem = s->fem;
  lb_lanes U[2][30], K[LB_FEM_PAIRS][9] = {0};
  for (int k = 0; k < s->ninput; k++) {
    lb_fem_batch_gather(fem, batch, U[k], s->input[k]);
  }
  for (int q = 0; q < fem->npoint; q++) {
    lb_lanes A[81], T[81];
    point_tangent(s, batch, q, A, U);
    pull_back(T, A, batch->inverse[q], batch->weight[q]);
    add_point(fem, q, K, T);
  }
  for (int l = 0; l < batch->count; l++) {
    for (int a = 0; a < fem->elem_nodes; a++) {
      for (int b = 0; b <= a; b++) {
        const int p = lb_fem_pair(a, b);
        add_block(fem, s->K, batch->entry[p][l], batch->node[a][l], batch->node[b][l], l, K[p]);
      }
    }
  }
}

// A matrix of nodes into one of unknowns.
static void add_nodes(lb_sparse* A, double s, const lb_sparse* M) {
  for (int i = 0; i < M->n; i++) {
    for (int k = M->row[i]; k < M->row[i + 1]; k++) {
      for (int c = 0; c < 3; c++) {
        A->value[A->row[3 * i + c] + 3 * (k - M->row[i]) + c] += s * M->value[k];
      }
    }
  }
}

void lb_fem_blend(const lb_fem* fem, lb_sparse* K, lb_blend of, const double* u, const double* v) {
  sweep all = {
      .fem = fem, .work = batch_tangent, .K = K, .ninput = v ? 2 : 1, .input = {u, v}, .of = of};
  lb_sparse_zero(K);
  sweep_chunks(&all);
  if (fem->ntie > 0) {
    add_nodes(K, of.K * fem->tie_factor, &fem->ties);
  }
}

void lb_fem_tangent(const lb_fem* fem, lb_sparse* K, const double* u) {
  lb_fem_blend(fem, K, (lb_blend){.K = 1}, u, NULL);
}

// --- mass ---

void lb_fem_add_mass(const lb_fem* fem, lb_sparse* A, double s) {
  add_nodes(A, s, &fem->M);
}

void lb_fem_add_damping(const lb_fem* fem, lb_sparse* A, double s) {
  add_nodes(A, s, &fem->C);
}

void lb_fem_damping_apply(const lb_fem* fem, double* y, const double* x) {
  lb_sparse_apply(&fem->C, 3, y, x);
}

void lb_fem_mass_apply(const lb_fem* fem, double* y, const double* x) {
  lb_sparse_apply(&fem->M, 3, y, x);
}

// Positions are interpolated as displacements are, so sums over M are the body's integrals.
lb_mass lb_fem_rigid(const lb_fem* fem) {
  double mass = 0;
  lb_vec3 first = {0, 0, 0};
  for (int i = 0; i < fem->nnode; i++) {
    mass += fem->node_mass[i];
    first = lb_vec3_add(first, lb_vec3_scale(fem->node_mass[i], fem->node[i]));
  }
  const lb_vec3 com = lb_vec3_scale(1 / mass, first);
  lb_sym3 s = {0, 0, 0, 0, 0, 0}; // int rho x x' about com
  for (int i = 0; i < fem->nnode; i++) {
    const lb_vec3 x = lb_vec3_sub(fem->node[i], com);
    for (int k = fem->M.row[i]; k < fem->M.row[i + 1]; k++) {
      const lb_vec3 y = lb_vec3_sub(fem->node[fem->M.col[k]], com);
      const double m = (fem->M.col[k] == i ? 0.5 : 1) * fem->M.value[k];
      s.xx += 2 * m * x.x * y.x;
      s.yy += 2 * m * x.y * y.y;
      s.zz += 2 * m * x.z * y.z;
      s.xy += m * (x.x * y.y + x.y * y.x);
      s.xz += m * (x.x * y.z + x.z * y.x);
      s.yz += m * (x.y * y.z + x.z * y.y);
    }
  }
  return (lb_mass){mass, com, {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz}};
}
