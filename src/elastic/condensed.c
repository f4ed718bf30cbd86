#include "elastic/condensed.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

enum { RIGID = 6 };

// A column that has lost all but this fraction of its energy to those before it says nothing new.
static const double DEPENDENT = 1e-10;

struct lb_condensed {
  lb_arena arena;
  const lb_full* full;
  bool moves;
  int r;
  lb_sparse W;
  lb_direct* direct;
  double* G;                // [6][ndof] the conditions
  double* Y;                // [6][ndof] W^-1 G'
  double GY[RIGID * RIGID]; // factored
  double* Psi;              // [r][ndof]
  double* load;             // [r][ndof] W Psi, up to reactions of the held face
  double* x;                // [ndof] scratch
  double* y;                // [ndof] scratch
  lb_reduced body;
};

int lb_condensed_size(const lb_full* full, bool moves) {
  return RIGID * full->nface + (moves ? RIGID : 0) + 1;
}

const lb_reduced* lb_condensed_body(const lb_condensed* c) {
  return &c->body;
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// y += s x
static void add(int n, double* y, double s, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}

static lb_v4 unit(int axis) {
  lb_v4 e = lb_v4_zero();
  e[axis] = 1;
  return e;
}

static double* column(const lb_condensed* c, double* block, int k) {
  return block + (size_t)k * (size_t)c->full->fem->ndof;
}

// --- making one ---

// sum w u = 0 and sum w D x u = 0, the weights scaled to one in all.
static void fill_conditions(lb_condensed* c) {
  const lb_basis_face* held = &c->full->held;
  double total = 0;
  lb_v4 centre = lb_v4_zero();
  for (int i = 0; i < held->count; i++) {
    total += held->weight[i];
    centre += lb_v4_from(c->full->fem->node[held->node[i]]) * held->weight[i];
  }
  centre /= total;
  for (int i = 0; i < held->count; i++) {
    const double w = held->weight[i] / total;
    const lb_v4 D = lb_v4_from(c->full->fem->node[held->node[i]]) - centre;
    for (int a = 0; a < 3; a++) {
      lb_v4_store(column(c, c->G, a) + 3 * (size_t)held->node[i], unit(a) * w);
      lb_v4_store(column(c, c->G, 3 + a) + 3 * (size_t)held->node[i], lb_v4_cross(unit(a), D) * w);
    }
  }
}

static bool take_body(lb_condensed* c) {
  lb_reduced* b = &c->body;
  *b = (lb_reduced){.r = c->r, .nface = c->full->nface};
  b->H = LB_TAKE(&c->arena, lb_v4, c->r);
  b->B0 = LB_TAKE(&c->arena, lb_m3, c->r);
  b->B1 = LB_TAKE(&c->arena, lb_m3, c->r * c->r);
  b->M = LB_TAKE(&c->arena, double, c->r * c->r);
  b->face = LB_TAKE(&c->arena, lb_face, b->nface);
  bool ok = b->H && b->B0 && b->B1 && b->M && b->face;
  for (int f = 0; ok && f < b->nface; f++) {
    b->face[f].W = LB_TAKE(&c->arena, lb_v4, c->r);
    b->face[f].A = LB_TAKE(&c->arena, lb_m3, c->r);
    ok = b->face[f].W && b->face[f].A;
  }
  return ok;
}

static lb_status take(lb_condensed* c) {
  const size_t n = (size_t)c->full->fem->ndof;
  const size_t r = (size_t)c->r;
  c->G = LB_TAKE(&c->arena, double, RIGID* n);
  c->Y = LB_TAKE(&c->arena, double, RIGID* n);
  c->Psi = LB_TAKE(&c->arena, double, r* n);
  c->load = LB_TAKE(&c->arena, double, r* n);
  c->x = LB_TAKE(&c->arena, double, n);
  c->y = LB_TAKE(&c->arena, double, n);
  if (!c->G || !c->Y || !c->Psi || !c->load || !c->x || !c->y || !take_body(c)) {
    return LB_NO_MEMORY;
  }
  fill_conditions(c);
  const lb_status status = lb_fem_matrix(c->full->fem, &c->arena, &c->W);
  return status == LB_OK ? lb_direct_create(c->arena.allocator, &c->W, true, &c->direct) : status;
}

lb_status lb_condensed_create(const lb_allocator* allocator, const lb_full* full, bool moves,
                              lb_condensed** condensed) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_condensed* c = LB_TAKE(&arena, lb_condensed, 1);
  if (!c) {
    lb_arena_release(&arena);
    return LB_NO_MEMORY;
  }
  *c = (lb_condensed){
      .arena = arena, .full = full, .moves = moves, .r = lb_condensed_size(full, moves)};
  const lb_status status = take(c);
  if (status == LB_OK) {
    *condensed = c;
  } else {
    lb_condensed_release(c);
  }
  return status;
}

void lb_condensed_release(lb_condensed* c) {
  if (c) {
    lb_direct_release(c->direct);
    lb_arena arena = c->arena;
    lb_arena_release(&arena);
  }
}

// --- the map S ---

// x = S b for solutions of W x = b that are in place: x -= Y (G Y)^-1 G x.
static void take_out_reactions(const lb_condensed* c, int count, double* x) {
  const int n = c->full->fem->ndof;
  for (int k = 0; k < count; k++) {
    double* column_k = x + (size_t)k * (size_t)n;
    double m[RIGID];
    for (int a = 0; a < RIGID; a++) {
      m[a] = dot(n, column(c, c->G, a), column_k);
    }
    lb_cholesky_solve(RIGID, c->GY, RIGID, 1, m, RIGID);
    for (int a = 0; a < RIGID; a++) {
      add(n, column_k, -m[a], column(c, c->Y, a));
    }
  }
}

void lb_condensed_hold(const lb_condensed* c, double* v) {
  take_out_reactions(c, 1, v);
}

// Factor W and solve for the reactions.
static lb_status factor(lb_condensed* c, const double* u, double dt) {
  const lb_full* b = c->full;
  const int n = b->fem->ndof;
  lb_fem_tangent(b->fem, &c->W, u);
  for (int k = 0; k < c->W.row[c->W.n]; k++) {
    c->W.value[k] *= dt + b->beta;
  }
  lb_fem_add_mass(b->fem, &c->W, 1 / dt + b->alpha);
  lb_status status = lb_direct_factor(c->direct, &c->W);
  if (status == LB_OK) {
    memcpy(c->Y, c->G, RIGID * (size_t)n * sizeof *c->Y);
    status = lb_direct_solve(c->direct, RIGID, c->Y);
  }
  for (int i = 0; i < RIGID && status == LB_OK; i++) {
    for (int j = 0; j < RIGID; j++) {
      c->GY[i * RIGID + j] = dot(n, column(c, c->G, i), column(c, c->Y, j));
    }
  }
  return status == LB_OK ? lb_cholesky(RIGID, c->GY, RIGID) : status;
}

// --- the columns ---

static void deformed(const lb_condensed* c, double* x, const double* u) {
  const lb_fem* fem = c->full->fem;
  for (int i = 0; i < fem->nnode; i++) {
    lb_v4_store(x + 3 * (size_t)i, lb_v4_from(fem->node[i]) + lb_v4_load(u + 3 * (size_t)i));
  }
}

// Unit forces and moments on the faces, and what unit accelerations of the frame make of the mass.
static void fill_loads(lb_condensed* c, const double* u) {
  const lb_full* b = c->full;
  const int n = b->fem->ndof;
  memset(c->load, 0, (size_t)c->r * (size_t)n * sizeof *c->load);
  int k = 0;
  for (int f = 0; f < b->nface; f++) {
    lb_face_state at;
    lb_full_face_place(&b->face[f], &at, u);
    for (int a = 0; a < RIGID; a++, k++) {
      const lb_v4 turn = a < 3 ? unit(a) : lb_v4_zero();
      const lb_v4 push = a < 3 ? lb_v4_zero() : unit(a - 3);
      lb_full_face_spread(&b->face[f], &at, column(c, c->load, k), turn, push);
    }
  }
  for (int a = 0; c->moves && a < RIGID; a++, k++) {
    for (int i = 0; i < b->fem->nnode; i++) {
      const lb_v4 x = lb_v4_load(c->x + 3 * (size_t)i);
      lb_v4_store(c->y + 3 * (size_t)i, a < 3 ? lb_v4_cross(unit(a), x) : unit(a - 3));
    }
    lb_fem_mass_apply(b->fem, column(c, c->load, k), c->y);
  }
}

// Column k, W-orthogonal to those before it and of unit length, or zero.
static void orthonormalise(lb_condensed* c, int k) {
  const int n = c->full->fem->ndof;
  double* psi = column(c, c->Psi, k);
  double* load = column(c, c->load, k);
  const double before = dot(n, psi, load);
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < k; j++) {
      const double s = dot(n, column(c, c->Psi, j), load);
      add(n, psi, -s, column(c, c->Psi, j));
      add(n, load, -s, column(c, c->load, j));
    }
  }
  const double after = dot(n, psi, load);
  const double scale = after > DEPENDENT * before ? 1 / sqrt(after) : 0;
  for (int i = 0; i < n; i++) {
    psi[i] *= scale;
    load[i] *= scale;
  }
}

// --- what the tree sees ---

// Integrals and face motions of column k about the deformed shape in x.
static void describe(lb_condensed* c, int k) {
  const lb_full* b = c->full;
  const double* psi = column(c, c->Psi, k);
  lb_fem_mass_apply(b->fem, c->y, psi);
  lb_v4 H = lb_v4_zero();
  lb_m3 B = {0};
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 y = lb_v4_load(c->y + 3 * (size_t)i);
    H += y;
    lb_m3_add_outer(&B, 1, y, lb_v4_load(c->x + 3 * (size_t)i));
  }
  c->body.H[k] = H;
  c->body.B0[k] = B;
  for (int f = 0; f < b->nface; f++) {
    const lb_full_face* face = &b->face[f];
    lb_v4 W = lb_v4_zero();
    lb_m3 A = {0};
    for (int i = 0; i < face->count; i++) {
      const lb_v4 p = lb_v4_load(psi + 3 * (size_t)face->node[i]) * face->weight[i];
      W += p;
      lb_m3_add_outer(&A, 1, p, face->arm[i]);
    }
    c->body.face[f].W[k] = W;
    c->body.face[f].A[k] = A;
  }
}

// Mass, moments and faces of the deformed shape.
static void describe_shape(lb_condensed* c, const double* u) {
  const lb_full* b = c->full;
  lb_fem_mass_apply(b->fem, c->y, c->x);
  c->body.m = 0;
  c->body.h0 = lb_v4_zero();
  c->body.E0 = (lb_m3){0};
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 y = lb_v4_load(c->y + 3 * (size_t)i);
    c->body.m += b->fem->node_mass[i];
    c->body.h0 += y;
    lb_m3_add_outer(&c->body.E0, 1, y, lb_v4_load(c->x + 3 * (size_t)i));
  }
  for (int f = 0; f < b->nface; f++) {
    lb_face_state at;
    lb_full_face_place(&b->face[f], &at, u);
    c->body.face[f].x0 = at.x;
    c->body.face[f].A0 = lb_m3_mul(at.R, at.S);
  }
}

lb_status lb_condensed_renew(lb_condensed* c, const double* u, double dt) {
  const size_t n = (size_t)c->full->fem->ndof;
  const int loads = c->r - 1;
  lb_status status = factor(c, u, dt);
  if (status != LB_OK) {
    return status;
  }
  deformed(c, c->x, u);
  fill_loads(c, u);
  memcpy(c->Psi, c->load, (size_t)loads * n * sizeof *c->Psi);
  status = loads > 0 ? lb_direct_solve(c->direct, loads, c->Psi) : LB_OK;
  if (status != LB_OK) {
    return status;
  }
  take_out_reactions(c, loads, c->Psi);
  for (int k = 0; k < loads; k++) {
    orthonormalise(c, k);
  }
  memset(column(c, c->Psi, loads), 0, n * sizeof *c->Psi);
  memset(c->body.M, 0, (size_t)(c->r * c->r) * sizeof *c->body.M);
  for (int k = 0; k < c->r; k++) {
    describe(c, k);
    c->body.M[k * c->r + k] = dt;
  }
  describe_shape(c, u);
  return LB_OK;
}

lb_status lb_condensed_answer(lb_condensed* c, const double* u, const double* r) {
  const int n = c->full->fem->ndof;
  const int k = c->r - 1;
  double* psi = column(c, c->Psi, k);
  double* load = column(c, c->load, k);
  for (int i = 0; i < n; i++) {
    psi[i] = load[i] = -r[i];
  }
  const lb_status status = lb_direct_solve(c->direct, 1, psi);
  if (status != LB_OK) {
    return status;
  }
  take_out_reactions(c, 1, psi);
  orthonormalise(c, k);
  deformed(c, c->x, u);
  describe(c, k);
  return LB_OK;
}

// --- between nodes and coefficients ---

void lb_condensed_project(const lb_condensed* c, double* out, const double* r) {
  for (int k = 0; k < c->r; k++) {
    out[k] = dot(c->full->fem->ndof, column(c, c->Psi, k), r);
  }
}

void lb_condensed_expand(const lb_condensed* c, double* v, const double* coefficient) {
  for (int k = 0; k < c->r; k++) {
    add(c->full->fem->ndof, v, coefficient[k], column(c, c->Psi, k));
  }
}
