#include "elastic/full/condensed.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

enum { RIGID = 6, EXTRA = 2 * RIGID };

// A column that has lost all but this fraction of its energy to those before it says nothing new:
// when all of it was rounding, that is. What is left of a solution may be small and still count.
static const double DEPENDENT = 1e-26;

struct lb_condensed {
  lb_arena arena;
  const lb_full* full;
  bool moves;
  int r;
  lb_sparse W;
  lb_direct* direct;
  int support[RIGID];      // unknowns that are stiffened, E
  double stiff[RIGID];     // by so much, k
  double* G;               // [6][ndof] the conditions
  double* Y;               // [12][ndof] A^-1 (E, G')
  double C[EXTRA * EXTRA]; // equations of s and m, factored
  int order[EXTRA];
  double reaction[RIGID]; // of the held face, m of the last solution
  double* Psi;            // [r][ndof]
  double* load;           // [r][ndof] W Psi
  double* MPsi;           // [r][ndof]
  lb_m3* start;           // [nnode] rotations when W was factored
  lb_m3* turn;            // [nnode] rotations since then
  double* x;              // [ndof] the deformed shape
  double* y;              // [ndof] scratch
  double dt;              // of W
  lb_reduced body;
};

int lb_condensed_size(const lb_full* full, bool moves) {
  return RIGID * full->nface + (moves ? RIGID : 0) + 1;
}

const lb_reduced* lb_condensed_body(const lb_condensed* c) {
  return &c->body;
}

static double* column(const lb_condensed* c, double* block, int k) {
  return block + (size_t)k * (size_t)c->full->fem->ndof;
}

// --- making one ---

// W / dt is the identity over dt in the basis Psi.
static void push_back(const void* context, double* f, double* Kv, const double* eta,
                      const double* v, double* scratch) {
  const lb_condensed* c = context;
  (void)scratch;
  for (int k = 0; k < c->r; k++) {
    f[k] = eta[k] / c->dt;
    if (Kv) {
      Kv[k] = v[k] / c->dt;
    }
  }
}

static void blend_product(const void* context, double* y, lb_blend of, const double* eta,
                          const double* v, const double* x, double* scratch) {
  const lb_condensed* c = context;
  (void)eta, (void)v, (void)scratch;
  for (int k = 0; k < c->r; k++) {
    y[k] = (of.K + of.D) * x[k] / c->dt;
  }
}

static void blend(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                  double* scratch) {
  const lb_condensed* c = context;
  (void)eta, (void)v, (void)scratch;
  memset(A, 0, (size_t)(c->r * c->r) * sizeof *A);
  for (int k = 0; k < c->r; k++) {
    A[k * c->r + k] = (of.K + of.D) / c->dt;
  }
}

static lb_status take(lb_condensed* c) {
  const size_t n = (size_t)c->full->fem->ndof;
  const size_t r = (size_t)c->r;
  c->G = LB_TAKE(&c->arena, double, RIGID* n);
  c->Y = LB_TAKE(&c->arena, double, EXTRA* n);
  c->Psi = LB_TAKE(&c->arena, double, r* n);
  c->load = LB_TAKE(&c->arena, double, r* n);
  c->MPsi = LB_TAKE(&c->arena, double, r* n);
  c->start = LB_TAKE(&c->arena, lb_m3, c->full->fem->nnode);
  c->turn = LB_TAKE(&c->arena, lb_m3, c->full->fem->nnode);
  c->x = LB_TAKE(&c->arena, double, n);
  c->y = LB_TAKE(&c->arena, double, n);
  if (lb_reduced_take(&c->body, c->r, c->full->nface, &c->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  c->body.internal = (lb_reduced_force){
      .force = push_back, .blend = blend, .blend_product = blend_product, .context = c};
  lb_full_conditions(c->full, c->G);
  lb_basis_support(c->full->fem, &c->full->held, c->support);
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
//
// W is that of a body without hold, under the stress of one that is held: turning about a thin
// body's axis, it may have a negative direction that the held face does not allow. So a stiffened
// matrix is factored, A = W + E k E' with E six unknowns of the held face that stop rigid motion,
// and the stiffening taken out again together with the reactions: x = A^-1 b + Y (s, -m), with
//
//   E'x = s/k,   G x = 0                                                                       (3)
//
// twelve equations for s and m.

enum { STIFFER = 100 }; // than the body at those unknowns

// x = S b for a solution of A x = b that is in place; b, which then is W x; and the reactions m.
static void take_out_reactions(const lb_condensed* c, double* x, double* b, double m[RIGID]) {
  const int n = c->full->fem->ndof;
  double sm[EXTRA];
  for (int a = 0; a < RIGID; a++) {
    sm[a] = -x[c->support[a]];
    sm[RIGID + a] = -lb_dot(n, column(c, c->G, a), x);
  }
  lb_lu_solve(EXTRA, c->C, EXTRA, c->order, 1, sm, EXTRA);
  for (int a = 0; a < EXTRA; a++) {
    lb_add(n, x, a < RIGID ? sm[a] : -sm[a], column(c, c->Y, a));
  }
  for (int a = 0; a < RIGID; a++) {
    m[a] = sm[RIGID + a];
    lb_add(n, b, -m[a], column(c, c->G, a));
  }
}

static void fill_matrix(lb_condensed* c, const double* u, double dt) {
  const lb_full* b = c->full;
  lb_fem_blend(b->fem, &c->W, (lb_blend){.K = dt, .D = b->beta}, u, NULL);
  lb_fem_add_mass(b->fem, &c->W, 1 / dt);
  lb_fem_add_damping(b->fem, &c->W, b->alpha);
  for (int a = 0; a < RIGID; a++) {
    double* diagonal = &c->W.value[c->W.row[c->support[a] + 1] - 1];
    c->stiff[a] = STIFFER * *diagonal;
    *diagonal += c->stiff[a];
  }
}

// (3)
static lb_status fill_extra(lb_condensed* c) {
  const int n = c->full->fem->ndof;
  for (int j = 0; j < EXTRA; j++) { // by columns
    const double* y = column(c, c->Y, j);
    const double sign = j < RIGID ? 1 : -1;
    for (int i = 0; i < RIGID; i++) {
      c->C[i + j * EXTRA] = sign * y[c->support[i]] - (i == j ? 1 / c->stiff[i] : 0);
      c->C[RIGID + i + j * EXTRA] = sign * lb_dot(n, column(c, c->G, i), y);
    }
  }
  return lb_lu(EXTRA, c->C, EXTRA, c->order);
}

static lb_status factor(lb_condensed* c, const double* u, double dt) {
  const size_t n = (size_t)c->full->fem->ndof;
  fill_matrix(c, u, dt);
  lb_status status = lb_direct_factor(c->direct, &c->W);
  if (status == LB_OK) {
    memset(c->Y, 0, RIGID * n * sizeof *c->Y);
    memcpy(column(c, c->Y, RIGID), c->G, RIGID * n * sizeof *c->Y);
    for (int a = 0; a < RIGID; a++) {
      column(c, c->Y, a)[c->support[a]] = 1;
    }
    status = lb_direct_solve(c->direct, EXTRA, c->Y);
  }
  return status == LB_OK ? fill_extra(c) : status;
}

// --- the columns ---

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
      const lb_v4 turn = a < 3 ? lb_v4_unit(a) : lb_v4_zero();
      const lb_v4 push = a < 3 ? lb_v4_zero() : lb_v4_unit(a - 3);
      lb_full_face_spread(&b->face[f], &at, column(c, c->load, k), turn, push);
    }
  }
  for (int a = 0; c->moves && a < RIGID; a++, k++) {
    for (int i = 0; i < b->fem->nnode; i++) {
      const lb_v4 x = lb_v4_load(c->x + 3 * (size_t)i);
      lb_v4_store(c->y + 3 * (size_t)i, a < 3 ? lb_v4_cross(lb_v4_unit(a), x) : lb_v4_unit(a - 3));
    }
    lb_fem_mass_apply(b->fem, column(c, c->load, k), c->y);
  }
}

// Column k, W-orthogonal to those before it and of unit length, or zero.
static void orthonormalise(lb_condensed* c, int k) {
  const int n = c->full->fem->ndof;
  double* psi = column(c, c->Psi, k);
  double* load = column(c, c->load, k);
  const double before = lb_dot(n, psi, load);
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < k; j++) {
      const double s = lb_dot(n, column(c, c->Psi, j), load);
      lb_add(n, psi, -s, column(c, c->Psi, j));
      lb_add(n, load, -s, column(c, c->load, j));
    }
  }
  const double after = lb_dot(n, psi, load);
  const double scale = after > 0 && after > DEPENDENT * before ? 1 / sqrt(after) : 0;
  for (int i = 0; i < n; i++) {
    psi[i] *= scale;
    load[i] *= scale;
  }
}

// --- what the tree sees ---

static lb_v4 turned(const lb_condensed* c, const double* field, int node) {
  return lb_m3_apply(c->turn[node], lb_v4_load(field + 3 * (size_t)node));
}

// Integrals and face motions of column k about the deformed shape in x. M couples neighbours only,
// which turn alike.
static void describe(lb_condensed* c, int k) {
  const lb_full* b = c->full;
  const double* psi = column(c, c->Psi, k);
  const double* Mpsi = column(c, c->MPsi, k);
  lb_v4 H = lb_v4_zero();
  lb_m3 B = {0};
  for (int i = 0; i < b->fem->nnode; i++) {
    const lb_v4 y = turned(c, Mpsi, i);
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
      const lb_v4 p = turned(c, psi, face->node[i]) * face->weight[i];
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
  lb_full_moments(b, &c->body.h0, &c->body.E0, c->x, c->x, c->y);
  c->body.m = 0;
  for (int i = 0; i < b->fem->nnode; i++) {
    c->body.m += b->fem->node_mass[i];
  }
  for (int f = 0; f < b->nface; f++) {
    lb_face_state at;
    lb_full_face_place(&b->face[f], &at, u);
    c->body.face[f].x0 = at.x;
    c->body.face[f].A0 = lb_m3_mul(at.R, at.S);
  }
}

// Nodes of a rigid face turn as it does, so that its ties turn with them into what they are.
static void turn_faces(const lb_condensed* c, lb_m3* R, const double* u) {
  for (int f = 0; f < c->full->nface; f++) {
    const lb_full_face* face = &c->full->face[f];
    lb_face_state at;
    if (face->rigid) {
      lb_full_face_place(face, &at, u);
      for (int i = 0; i < face->count; i++) {
        R[face->node[i]] = at.R;
      }
    }
  }
}

lb_status lb_condensed_renew(lb_condensed* c, const double* u, double dt) {
  const size_t n = (size_t)c->full->fem->ndof;
  const int loads = c->r - 1;
  lb_status status = factor(c, u, dt);
  if (status != LB_OK) {
    return status;
  }
  lb_full_places(c->full, c->x, u);
  fill_loads(c, u);
  memcpy(c->Psi, c->load, (size_t)loads * n * sizeof *c->Psi);
  status = loads > 0 ? lb_direct_solve(c->direct, loads, c->Psi) : LB_OK;
  if (status != LB_OK) {
    return status;
  }
  for (int k = 0; k < loads; k++) {
    double m[RIGID];
    take_out_reactions(c, column(c, c->Psi, k), column(c, c->load, k), m);
    orthonormalise(c, k);
  }
  c->dt = dt;
  memset(c->body.M, 0, (size_t)(c->r * c->r) * sizeof *c->body.M);
  for (int k = 0; k < c->r; k++) {
    c->body.M[k * c->r + k] = dt;
  }
  for (int k = 0; k < loads; k++) {
    lb_fem_mass_apply(c->full->fem, column(c, c->MPsi, k), column(c, c->Psi, k));
  }
  lb_fem_rotations(c->full->fem, c->start, u);
  turn_faces(c, c->start, u);
  return LB_OK;
}

bool lb_condensed_definite(const lb_condensed* c) {
  return lb_direct_negative(c->direct) == 0;
}

// A column that is zero gets a mass too, so that the matrix stays definite.
void lb_condensed_weigh(lb_condensed* c) {
  const int n = c->full->fem->ndof;
  for (int i = 0; i < c->r; i++) {
    for (int j = 0; j <= i; j++) {
      const double m = lb_dot(n, column(c, c->Psi, i), column(c, c->MPsi, j));
      c->body.M[i * c->r + j] = c->body.M[j * c->r + i] = i == j && m <= 0 ? 1 : m;
    }
  }
}

// Rotations since W was factored, the shape, and what the tree sees of it. Nodes of the held face
// do not turn: T Psi keeps its conditions as Psi does, and sees nothing of its reactions.
static void follow(lb_condensed* c, const double* u) {
  const lb_fem* fem = c->full->fem;
  lb_fem_rotations(fem, c->turn, u);
  turn_faces(c, c->turn, u);
  for (int i = 0; i < fem->nnode; i++) {
    c->turn[i] = lb_m3_mul(c->turn[i], lb_m3_transpose(c->start[i]));
  }
  for (int i = 0; i < c->full->held.count; i++) {
    c->turn[c->full->held.node[i]] = lb_m3_identity();
  }
  lb_full_places(c->full, c->x, u);
  describe_shape(c, u);
  for (int k = 0; k < c->r; k++) {
    describe(c, k);
  }
}

// to = T' from
static void turn_back(const lb_condensed* c, double* to, const double* from) {
  for (int i = 0; i < c->full->fem->nnode; i++) {
    lb_v4_store(to + 3 * (size_t)i,
                lb_m3_apply_transposed(c->turn[i], lb_v4_load(from + 3 * (size_t)i)));
  }
}

lb_status lb_condensed_respond(lb_condensed* c, const double* u, double* r) {
  const int n = c->full->fem->ndof;
  const int k = c->r - 1;
  double* psi = column(c, c->Psi, k);
  double* load = column(c, c->load, k);
  double m[RIGID];
  follow(c, u);
  for (int a = 0; a < RIGID; a++) {
    lb_add(n, r, c->reaction[a], column(c, c->G, a));
  }
  turn_back(c, load, r);
  for (int i = 0; i < n; i++) {
    psi[i] = load[i] = -load[i];
  }
  const lb_status status = lb_direct_solve(c->direct, 1, psi);
  if (status != LB_OK) {
    return status;
  }
  take_out_reactions(c, psi, load, m);
  for (int a = 0; a < RIGID; a++) {
    c->reaction[a] += m[a];
    lb_add(n, r, m[a], column(c, c->G, a));
  }
  orthonormalise(c, k);
  lb_fem_mass_apply(c->full->fem, column(c, c->MPsi, k), psi);
  describe(c, k);
  return LB_OK;
}

// --- between nodes and coefficients ---

void lb_condensed_project(lb_condensed* c, double* out, const double* r) {
  turn_back(c, c->y, r);
  for (int k = 0; k < c->r; k++) {
    out[k] = lb_dot(c->full->fem->ndof, column(c, c->Psi, k), c->y);
  }
}

void lb_condensed_expand(lb_condensed* c, double* v, const double* coefficient) {
  const lb_fem* fem = c->full->fem;
  memset(c->y, 0, (size_t)fem->ndof * sizeof *c->y);
  for (int k = 0; k < c->r; k++) {
    lb_add(fem->ndof, c->y, coefficient[k], column(c, c->Psi, k));
  }
  for (int i = 0; i < fem->nnode; i++) {
    lb_v4_add_to(v + 3 * (size_t)i, turned(c, c->y, i));
  }
}
