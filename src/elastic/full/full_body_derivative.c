#include "elastic/full/full_body_derivative.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

static double* column(const lb_full_derivative* T, double* block, int k) {
  return block + (size_t)k * (size_t)T->n;
}

// --- making one ---

int lb_full_derivative_size(const lb_full* b) {
  return lb_full_traces(b) + LB_FULL_CARRIERS;
}

// The body that stands for this one: its faces move with their traces.
static lb_status take_body(lb_full_derivative* T, lb_arena* arena) {
  const lb_full* b = T->b;
  int first = 0;
  if (lb_reduced_take(&T->body, T->nz + LB_FULL_CARRIERS, b->nface, arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  T->body.traces = true;
  for (int f = 0; f < b->nface; f++) {
    lb_face* face = &T->body.face[f];
    face->x0 = b->face[f].x0;
    face->A0 = b->face[f].A0;
    for (int c = 0; c < 3; c++) {
      face->W[first + c] = lb_v4_unit(c);
      for (int a = 0; a < b->face[f].nspan; a++) {
        lb_m3_add_outer(&face->A[first + 3 + 3 * a + c], 1, lb_v4_unit(c), b->face[f].span[a]);
      }
    }
    first += 3 * (1 + b->face[f].nspan);
  }
  return LB_OK;
}

static void take_vectors(lb_full_derivative* T, lb_arena* arena) {
  const size_t n = (size_t)T->n, nz = (size_t)T->nz;
  const int widest = T->nz > LB_FULL_FRAME ? T->nz : LB_FULL_FRAME;
  const struct {
    double** to;
    size_t count;
  } part[] = {{&T->u, n},
              {&T->v, n},
              {&T->x, n},
              {&T->xd, n},
              {&T->Q, n},
              {&T->kept, n},
              {&T->field, n},
              {&T->product, n},
              {&T->G, LB_FULL_HELD * n},
              {&T->Y[0], LB_FULL_HELD * n},
              {&T->Y[1], LB_FULL_HELD * n},
              {&T->U, LB_FULL_FRAME * n},
              {&T->N, LB_FULL_WRENCH * n},
              {&T->shape[0], nz * n},
              {&T->shape[1], nz * n},
              {&T->loose[0], LB_FULL_FRAME * n},
              {&T->loose[1], LB_FULL_WRENCH * n},
              {&T->stiffness, nz * nz},
              {&T->c, nz * nz},
              {&T->by_frame, nz * LB_FULL_FRAME},
              {&T->by_trace, nz * LB_FULL_WRENCH},
              {&T->through, (size_t)LB_FULL_WRENCH * LB_FULL_FRAME},
              {&T->sorted, n * (size_t)widest}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].to = LB_TAKE(arena, double, part[i].count);
  }
  T->pivot = LB_TAKE(arena, int, nz);
}

// The pattern of the mesh, and all pairs of held nodes.
static lb_status take_matrix(lb_full_derivative* T, lb_arena* arena) {
  const lb_sparse* M = &T->b->fem->M;
  const lb_basis_face* held = &T->b->held;
  const int entries = M->row[M->n], pairs = held->count * (held->count + 1) / 2;
  lb_sparse_pair* pair = LB_TAKE(arena, lb_sparse_pair, entries + pairs);
  T->place = LB_TAKE(arena, lb_block_place, entries);
  T->held = LB_TAKE(arena, lb_block_place, pairs);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int count = 0;
  for (int i = 0; i < M->n; i++) {
    for (int k = M->row[i]; k < M->row[i + 1]; k++) {
      pair[count++] = (lb_sparse_pair){i, M->col[k]};
    }
  }
  for (int i = 0; i < held->count; i++) {
    for (int j = 0; j <= i; j++) {
      pair[count++] = (lb_sparse_pair){held->node[i], held->node[j]};
    }
  }
  const lb_status status = lb_blocks_create(arena, M->n, count, pair, &T->pattern);
  for (int k = 0; k < count && status == LB_OK; k++) {
    lb_block_place* to = k < entries ? &T->place[k] : &T->held[k - entries];
    *to = lb_blocks_find(&T->pattern, pair[k].i, pair[k].j);
  }
  return status;
}

// Conditions of unit length, none of which says anything of another.
static void orthonormalise(lb_full_derivative* T) {
  for (int a = 0; a < LB_FULL_HELD; a++) {
    double* row = column(T, T->G, a);
    for (int j = 0; j < 2 * a; j++) { // twice, against rounding
      const double* other = column(T, T->G, j % a);
      lb_add(T->n, row, -lb_dot(T->n, other, row), other);
    }
    const double size = sqrt(lb_dot(T->n, row, row));
    for (int i = 0; i < T->n; i++) {
      row[i] /= size;
    }
  }
}

lb_status lb_full_derivative_create(lb_full_derivative* T, const lb_full* b, lb_arena* arena) {
  *T = (lb_full_derivative){.b = b, .n = b->fem->ndof, .nz = lb_full_traces(b)};
  take_vectors(T, arena);
  lb_status status = take_body(T, arena);
  status = status == LB_OK ? take_matrix(T, arena) : status;
  if (status == LB_OK) {
    status = lb_blocks_general_create(arena, &T->pattern, &T->A);
  }
  if (status == LB_OK) {
    lb_full_conditions(b, T->G);
    orthonormalise(T);
    status = lb_fem_matrix(b->fem, arena, &T->K);
  }
  return status;
}

void lb_full_derivative_release_held(const lb_full_derivative* T, double* b) {
  for (int a = 0; a < LB_FULL_HELD; a++) {
    const double* row = column(T, T->G, a);
    lb_add(T->n, b, -lb_dot(T->n, row, b), row);
  }
}

// --- where it is ---

void lb_full_derivative_pose(lb_full_derivative* T, const double* u, const double* v,
                             const double* vd) {
  const lb_fem* fem = T->b->fem;
  memcpy(T->u, u, (size_t)T->n * sizeof *u);
  memcpy(T->v, v, (size_t)T->n * sizeof *v);
  T->body.m = 0;
  for (int i = 0; i < fem->nnode; i++) {
    T->body.m += fem->node_mass[i];
  }
  lb_full_places(T->b, T->x, u);
  lb_full_moments(T->b, &T->body.h0, &T->body.E0, T->x, T->x, T->product);
  for (int k = 0; k < LB_FULL_CARRIERS; k++) {
    lb_full_moments(T->b, &T->body.H[T->nz + k], &T->body.B0[T->nz + k], k ? vd : v, T->x,
                    T->product);
  }
}

void lb_full_derivative_move(lb_full_derivative* T, lb_reduced_motion motion, lb_v4 origin,
                             const double* Q) {
  const lb_v4 w = motion.w;
  memcpy(T->Q, Q, (size_t)T->n * sizeof *Q);
  T->w = w;
  T->Z = lb_m3_cross_mul(motion.al, lb_m3_identity());
  lb_m3_add(&T->Z, lb_m3_cross_mul(w, lb_m3_cross_mul(w, lb_m3_identity())));
  for (int i = 0; i < T->b->fem->nnode; i++) {
    lb_v4_store(T->xd + 3 * (size_t)i,
                origin + lb_v4_cross(w, lb_v4_at(T->x, i)) + lb_v4_at(T->v, i));
  }
}

// --- products ---

// y += s (K + beta N') x: internal and damping forces by displacements.
static void add_by_place(lb_full_derivative* T, double* y, double s, const double* x) {
  const lb_full* b = T->b;
  lb_fem_product(b->fem, T->product, (lb_blend){.K = 1, .N = b->beta}, T->u, x, T->v);
  lb_add(T->n, y, s, T->product);
}

// y += s (alpha C + beta K') x: those forces by velocities.
static void add_by_velocity(lb_full_derivative* T, double* y, double s, const double* x) {
  const lb_full* b = T->b;
  lb_fem_product(b->fem, T->product, (lb_blend){.D = b->beta}, T->u, x, NULL);
  lb_add(T->n, y, s, T->product);
  lb_fem_damping_apply(b->fem, T->product, x);
  lb_add(T->n, y, s * b->alpha, T->product);
}

void lb_full_derivative_add(lb_full_derivative* T, double* y, double s, const double* q,
                            const double* v, const double* a, double wrench[LB_FULL_WRENCH]) {
  const lb_full* b = T->b;
  for (int i = 0; i < b->fem->nnode; i++) {
    lb_v4_store(T->field + 3 * (size_t)i, lb_m3_apply(T->Z, lb_v4_at(q, i)) +
                                              2 * lb_v4_cross(T->w, lb_v4_at(v, i)) +
                                              lb_v4_at(a, i));
  }
  lb_fem_mass_apply(b->fem, T->product, T->field);
  lb_v4 n = lb_v4_zero(), f = lb_v4_zero();
  for (int i = 0; i < b->fem->nnode; i++) {
    f += lb_v4_at(T->product, i);
    n += lb_v4_cross(lb_v4_at(q, i), lb_v4_at(T->Q, i)) +
         lb_v4_cross(lb_v4_at(T->x, i), lb_v4_at(T->product, i));
  }
  lb_v4_store(wrench, n);
  lb_v4_store(wrench + 3, f);
  lb_add(T->n, y, s, T->product);
  add_by_place(T, y, s, q);
  add_by_velocity(T, y, s, v);
}

// A change of the forces Q counts as mu + f + n x x at each node: that times the mass matrix.
static void weigh_wrench(lb_full_derivative* T, lb_v4 n, lb_v4 f, const double* mu) {
  for (int i = 0; i < T->b->fem->nnode; i++) {
    const lb_v4 own = mu ? lb_v4_at(mu, i) : lb_v4_zero();
    lb_v4_store(T->field + 3 * (size_t)i, own + f + lb_v4_cross(n, lb_v4_at(T->x, i)));
  }
  lb_fem_mass_apply(T->b->fem, T->product, T->field);
}

static lb_v4 wrench_by_place(const lb_full_derivative* T, int i, lb_v4 n) {
  return lb_m3_apply_transposed(T->Z, lb_v4_at(T->product, i)) + lb_v4_cross(lb_v4_at(T->Q, i), n);
}

void lb_full_derivative_add_back(lb_full_derivative* T, double* q, double* v, double* a, double s,
                                 const double* mu, const double wrench[LB_FULL_WRENCH]) {
  const lb_full* b = T->b;
  const lb_v4 n = lb_v4_load(wrench), f = lb_v4_load(wrench + 3);
  weigh_wrench(T, n, f, mu);
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 at = lb_v4_at(T->product, i);
    lb_v4_add_to(q + 3 * (size_t)i, wrench_by_place(T, i, n) * s);
    lb_v4_add_to(v + 3 * (size_t)i, lb_v4_cross(T->w, at) * (-2 * s));
    lb_v4_add_to(a + 3 * (size_t)i, at * s);
  }
  add_by_place(T, q, s, mu); // these are symmetric
  add_by_velocity(T, v, s, mu);
}

void lb_full_derivative_shake(lb_full_derivative* T, double* y, double s,
                              const double g[LB_FULL_FRAME]) {
  const lb_v4 al = lb_v4_load(g), a = lb_v4_load(g + 3), ps = lb_v4_load(g + 6);
  for (int i = 0; i < T->b->fem->nnode; i++) {
    lb_v4_store(T->field + 3 * (size_t)i,
                a + lb_v4_cross(al, lb_v4_at(T->x, i)) + 2 * lb_v4_cross(ps, lb_v4_at(T->xd, i)));
  }
  lb_fem_mass_apply(T->b->fem, T->product, T->field);
  lb_add(T->n, y, s, T->product);
}

void lb_full_derivative_shake_back(lb_full_derivative* T, double g[LB_FULL_FRAME],
                                   const double* y) {
  lb_v4 al = lb_v4_zero(), a = lb_v4_zero(), ps = lb_v4_zero();
  lb_fem_mass_apply(T->b->fem, T->product, y);
  for (int i = 0; i < T->b->fem->nnode; i++) {
    const lb_v4 at = lb_v4_at(T->product, i);
    al += lb_v4_cross(lb_v4_at(T->x, i), at);
    a += at;
    ps += 2 * lb_v4_cross(lb_v4_at(T->xd, i), at);
  }
  lb_v4_store(g, al);
  lb_v4_store(g + 3, a);
  lb_v4_store(g + 6, ps);
}

// --- A ---

// Block (i, j) of a symmetric matrix, j <= i; `k` is where it stands in the pattern of nodes.
static lb_m3 block_of(const lb_sparse* K, const lb_sparse* nodes, int i, int k) {
  double at[3][3];
  const int before = 3 * (k - nodes->row[i]);
  const bool diagonal = nodes->col[k] == i;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      const int row = diagonal && c > r ? c : r, col = diagonal && c > r ? r : c;
      at[r][c] = K->value[K->row[3 * i + row] + before + col];
    }
  }
  return (lb_m3){lb_v4_make(at[0][0], at[1][0], at[2][0]), lb_v4_make(at[0][1], at[1][1], at[2][1]),
                 lb_v4_make(at[0][2], at[1][2], at[2][2])};
}

// Stiffness of the held face: that of the matrix at its nodes.
static double find_grip(const lb_full_derivative* T) {
  const lb_basis_face* held = &T->b->held;
  double stiff = 0;
  for (int i = 0; i < held->count; i++) {
    for (int c = 0; c < 3; c++) {
      stiff += T->K.value[T->K.row[3 * held->node[i] + c + 1] - 1];
    }
  }
  return stiff / (3 * held->count);
}

static void add_grip(lb_full_derivative* T) {
  const lb_basis_face* held = &T->b->held;
  const double grip = find_grip(T);
  const lb_block_place* at = T->held;
  for (int i = 0; i < held->count; i++) {
    for (int j = 0; j <= i; j++) {
      lb_m3 block = {0};
      for (int a = 0; a < LB_FULL_HELD; a++) {
        lb_m3_add_outer(&block, grip, lb_v4_at(column(T, T->G, a), held->node[i]),
                        lb_v4_at(column(T, T->G, a), held->node[j]));
      }
      lb_blocks_general_add(&T->A, *at++, block, lb_m3_transpose(block));
    }
  }
}

static void fill(lb_full_derivative* T, double dt) {
  const lb_full* b = T->b;
  const lb_sparse* M = &b->fem->M;
  lb_fem_blend(b->fem, &T->K, (lb_blend){.K = dt, .D = b->beta, .N = dt * b->beta}, T->u, T->v);
  lb_fem_add_mass(b->fem, &T->K, 1 / dt);
  lb_fem_add_damping(b->fem, &T->K, b->alpha);
  lb_m3 turn = lb_m3_cross_mul(2 * T->w, lb_m3_identity());
  lb_m3_add_scaled(&turn, dt, T->Z);
  lb_blocks_general_zero(&T->A);
  for (int i = 0; i < M->n; i++) {
    for (int k = M->row[i]; k < M->row[i + 1]; k++) {
      lb_m3 ij = block_of(&T->K, M, i, k);
      lb_m3 ji = lb_m3_transpose(ij);
      lb_m3_add_scaled(&ij, M->value[k], turn);
      lb_m3_add_scaled(&ji, M->value[k], turn);
      lb_blocks_general_add(&T->A, T->place[k], ij, ji);
    }
  }
  add_grip(T);
}

// X [count][n] to A^-1 X, or A'^-1 X.
static void solve(lb_full_derivative* T, bool transposed, int count, double* X) {
  const int* place = T->pattern.place;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < T->n; i++) {
      T->sorted[(3 * place[i / 3] + i % 3) * count + k] = column(T, X, k)[i];
    }
  }
  lb_blocks_general_forward(&T->A, transposed, count, T->sorted);
  lb_blocks_general_backward(&T->A, transposed, count, T->sorted);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < T->n; i++) {
      column(T, X, k)[i] = T->sorted[(3 * place[i / 3] + i % 3) * count + k];
    }
  }
}

// X to S X, or S'X.
static void linearised(lb_full_derivative* T, bool transposed, int count, double* X) {
  solve(T, transposed, count, X);
  for (int k = 0; k < count; k++) {
    double m[LB_FULL_HELD];
    for (int a = 0; a < LB_FULL_HELD; a++) {
      m[a] = lb_dot(T->n, column(T, T->G, a), column(T, X, k));
    }
    (transposed ? lb_lu_solve_transposed : lb_lu_solve)(LB_FULL_HELD, T->C, LB_FULL_HELD, T->order,
                                                        1, m, LB_FULL_HELD);
    for (int a = 0; a < LB_FULL_HELD; a++) {
      lb_add(T->n, column(T, X, k), -m[a], column(T, T->Y[transposed], a));
    }
  }
}

static bool factor_held(lb_full_derivative* T) {
  const size_t size = LB_FULL_HELD * (size_t)T->n * sizeof(double);
  for (int side = 0; side < 2; side++) {
    memcpy(T->Y[side], T->G, size);
    solve(T, side == 1, LB_FULL_HELD, T->Y[side]);
  }
  for (int i = 0; i < LB_FULL_HELD; i++) {
    for (int j = 0; j < LB_FULL_HELD; j++) {
      T->C[i + j * LB_FULL_HELD] = lb_dot(T->n, column(T, T->G, i), column(T, T->Y[0], j));
    }
  }
  return lb_lu(LB_FULL_HELD, T->C, LB_FULL_HELD, T->order) == LB_OK;
}

// --- (2) ---

// x = S0 b, where x is S b; or S0'b.
static void leave_traces(lb_full_derivative* T, bool transposed, double* x) {
  double* z = T->c;
  lb_full_trace(T->b, z, x);
  for (int k = 0; k < T->nz; k++) {
    lb_add(T->n, x, -z[k], column(T, T->shape[transposed], k));
  }
}

// Psi and Phi, and c^-1: X = S F' and X c^-1, column by column of both.
static bool find_shapes(lb_full_derivative* T) {
  const int nz = T->nz;
  const size_t size = (size_t)nz * (size_t)T->n * sizeof(double);
  for (int side = 0; side < 2; side++) {
    memset(T->shape[side], 0, size);
    for (int k = 0; k < nz; k++) {
      double* e = T->c;
      memset(e, 0, (size_t)nz * sizeof *e);
      e[k] = 1;
      lb_full_trace_back(T->b, column(T, T->shape[side], k), 1, e);
    }
    linearised(T, side == 1, nz, T->shape[side]);
  }
  for (int k = 0; k < nz; k++) { // by columns
    lb_full_trace(T->b, T->c + (size_t)k * (size_t)nz, column(T, T->shape[0], k));
    for (int j = 0; j < nz; j++) {
      T->stiffness[k * nz + j] = k == j;
    }
  }
  if (nz > 0 && lb_lu(nz, T->c, nz, T->pivot) != LB_OK) {
    return false;
  }
  // a column of the identity solved with c' is a row of c^-1
  lb_lu_solve_transposed(nz, T->c, nz, T->pivot, nz, T->stiffness, nz);
  for (int i = 0; i < T->n; i++) { // a row of X c^-1 is c'^-1 (that of X); of X c'^-1 alike
    for (int side = 0; side < 2; side++) {
      double* row = T->sorted;
      for (int k = 0; k < nz; k++) {
        row[k] = column(T, T->shape[side], k)[i];
      }
      (side == 0 ? lb_lu_solve_transposed : lb_lu_solve)(nz, T->c, nz, T->pivot, 1, row, nz);
      for (int k = 0; k < nz; k++) {
        column(T, T->shape[side], k)[i] = row[k];
      }
    }
  }
  return true;
}

static void find_frame(lb_full_derivative* T, double dt) {
  const size_t n = (size_t)T->n;
  memset(T->U, 0, LB_FULL_FRAME * n * sizeof *T->U);
  memset(T->N, 0, LB_FULL_WRENCH * n * sizeof *T->N);
  for (int k = 0; k < LB_FULL_FRAME; k++) {
    double g[LB_FULL_FRAME] = {0};
    g[k] = 1;
    lb_full_derivative_shake(T, column(T, T->U, k), 1, g);
  }
  for (int k = 0; k < LB_FULL_WRENCH; k++) {
    double g[LB_FULL_WRENCH] = {0}, *to = column(T, T->N, k);
    g[k] = 1;
    const lb_v4 turn = lb_v4_load(g);
    weigh_wrench(T, turn, lb_v4_load(g + 3), NULL);
    for (int i = 0; i < T->b->fem->nnode; i++) {
      const lb_v4 at = lb_v4_at(T->product, i);
      lb_v4_store(to + 3 * (size_t)i,
                  wrench_by_place(T, i, turn) * dt - 2 * lb_v4_cross(T->w, at) + at / dt);
    }
  }
  memcpy(T->loose[0], T->U, LB_FULL_FRAME * n * sizeof *T->U);
  memcpy(T->loose[1], T->N, LB_FULL_WRENCH * n * sizeof *T->N);
  for (int side = 0; side < 2; side++) {
    const int count = side == 0 ? LB_FULL_FRAME : LB_FULL_WRENCH;
    linearised(T, side == 1, count, T->loose[side]);
    for (int k = 0; k < count; k++) {
      leave_traces(T, side == 1, column(T, T->loose[side], k));
    }
  }
}

static void find_small(lb_full_derivative* T) {
  for (int k = 0; k < T->nz; k++) {
    for (int j = 0; j < LB_FULL_FRAME; j++) {
      T->by_frame[k * LB_FULL_FRAME + j] =
          lb_dot(T->n, column(T, T->shape[1], k), column(T, T->U, j));
    }
    for (int i = 0; i < LB_FULL_WRENCH; i++) {
      T->by_trace[i * T->nz + k] = lb_dot(T->n, column(T, T->N, i), column(T, T->shape[0], k));
    }
  }
  for (int i = 0; i < LB_FULL_WRENCH; i++) {
    for (int j = 0; j < LB_FULL_FRAME; j++) {
      T->through[i * LB_FULL_FRAME + j] =
          lb_dot(T->n, column(T, T->N, i), column(T, T->loose[0], j));
    }
  }
}

bool lb_full_derivative_factor(lb_full_derivative* T, double dt) {
  fill(T, dt);
  if (!lb_blocks_general_factor(&T->A) || !factor_held(T) || !find_shapes(T)) {
    return false;
  }
  find_frame(T, dt);
  find_small(T);
  return true;
}

void lb_full_derivative_before(lb_full_derivative* T, bool transposed, const double* b, double* z,
                               double* g) {
  for (int k = 0; k < T->nz; k++) {
    z[k] = lb_dot(T->n, column(T, T->shape[!transposed], k), b);
  }
  memcpy(T->kept, b, (size_t)T->n * sizeof *b);
  linearised(T, transposed, 1, T->kept);
  leave_traces(T, transposed, T->kept);
  const int count = transposed ? LB_FULL_FRAME : LB_FULL_WRENCH;
  for (int k = 0; k < count; k++) {
    g[k] = lb_dot(T->n, column(T, transposed ? T->U : T->N, k), T->kept);
  }
}

void lb_full_derivative_after(const lb_full_derivative* T, bool transposed, double* b,
                              const double* z, const double* g) {
  const int count = transposed ? LB_FULL_WRENCH : LB_FULL_FRAME;
  memcpy(b, T->kept, (size_t)T->n * sizeof *b);
  for (int k = 0; k < T->nz; k++) {
    lb_add(T->n, b, z[k], column(T, T->shape[transposed], k));
  }
  for (int k = 0; k < count; k++) {
    lb_add(T->n, b, -g[k], column(T, T->loose[transposed], k));
  }
}
