// Solving under the held face's conditions needs no multipliers in the matrix. The six conditions G
// u = 0 do no more than stop rigid motion, so their reactions follow from equilibrium alone:
//
//   f_eq = f - G' (R'G')^-1 R'f      R: the six rigid motions, so that R'f_eq = 0            (1)
//   K u = f_eq with six unknowns of three nodes held, where nothing then pulls                  (2)
//   u -= R (G R)^-1 G u                                                                      (3)
//
// This is the map S: f -> u used throughout; S is symmetric, and zero on reactions.
#include "elastic/basis.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/dense.h"
#include "math/direct.h"
#include "math/simd.h"

enum { RIGID = 6, ITERATIONS = 12 };

// Vectors that are this small, in the norm of M, after the others are taken out say nothing new.
static const double DEPENDENT = 1e-5;

lb_basis_options lb_basis_default(void) {
  return (lb_basis_options){.modes = 4, .derivatives = 4};
}

// --- faces ---

lb_status lb_basis_face_of(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                           lb_arena* arena, lb_basis_face* face) {
  return lb_tetmesh_surface_weights(mesh, surface, arena, &face->count, &face->node, &face->weight);
}

// --- the map S ---

typedef struct held_body {
  const lb_fem* fem;
  const lb_basis_face* face;
  lb_arena arena; // scratch
  lb_v4 centre;   // of the held face
  double total;   // of its weights
  lb_m3 turn;     // (sum w (D.D 1 - D D'))^-1 / total: angle from sum w D x u
  lb_direct* direct;
  lb_sparse K, A;
  int* from;
  int* index; // [ndof] among the free
  double* x;  // [ndof]
} held_body;

static lb_v4 rest(const held_body* h, int node) {
  return lb_v4_from(h->fem->node[node]);
}

// Mean displacement and mean rotation of the held face: (G R)^-1 G u.
static void face_motion(const held_body* h, const double* u, lb_v4* shift, lb_v4* angle) {
  lb_v4 sum = lb_v4_zero(), moment = lb_v4_zero();
  for (int i = 0; i < h->face->count; i++) {
    const int node = h->face->node[i];
    const lb_v4 v = lb_v4_load(u + 3 * (size_t)node) * h->face->weight[i];
    sum += v;
    moment += lb_v4_cross(rest(h, node) - h->centre, v);
  }
  *shift = sum / h->total;
  *angle = lb_m3_apply(h->turn, moment);
}

// u -= the rigid motion that the held face makes                                              (3)
static void take_out_rigid(const held_body* h, double* u) {
  lb_v4 shift, angle;
  face_motion(h, u, &shift, &angle);
  for (int i = 0; i < h->fem->nnode; i++) {
    const lb_v4 v =
        lb_v4_load(u + 3 * (size_t)i) - shift - lb_v4_cross(angle, rest(h, i) - h->centre);
    lb_v4_store(u + 3 * (size_t)i, v);
  }
}

// f -= forces on the held face that balance it                                                (1)
static void balance(const held_body* h, double* f) {
  lb_v4 force = lb_v4_zero(), moment = lb_v4_zero();
  for (int i = 0; i < h->fem->nnode; i++) {
    const lb_v4 v = lb_v4_load(f + 3 * (size_t)i);
    force += v;
    moment += lb_v4_cross(rest(h, i) - h->centre, v);
  }
  const lb_v4 angle = lb_m3_apply(h->turn, moment);
  for (int i = 0; i < h->face->count; i++) {
    const int node = h->face->node[i];
    const lb_v4 D = rest(h, node) - h->centre;
    const lb_v4 back = (force / h->total + lb_v4_cross(angle, D)) * h->face->weight[i];
    lb_v4_store(f + 3 * (size_t)node, lb_v4_load(f + 3 * (size_t)node) - back);
  }
}

// u = S f, in place.
static lb_status apply_S(held_body* h, double* f) {
  balance(h, f);
  for (int i = 0; i < h->fem->ndof; i++) {
    if (h->index[i] >= 0) {
      h->x[h->index[i]] = f[i];
    }
  }
  const lb_status status = lb_direct_solve(h->direct, 1, h->x);
  if (status != LB_OK) {
    return status;
  }
  for (int i = 0; i < h->fem->ndof; i++) {
    f[i] = h->index[i] >= 0 ? h->x[h->index[i]] : 0;
  }
  take_out_rigid(h, f);
  return LB_OK;
}

static lb_m3 inverse_symmetric(lb_m3 A) {
  const lb_m3 c = {lb_v4_cross(A.y, A.z), lb_v4_cross(A.z, A.x), lb_v4_cross(A.x, A.y)};
  const double d = 1 / lb_v4_dot(A.x, c.x);
  return (lb_m3){c.x * d, c.y * d, c.z * d};
}

static void measure_face(held_body* h) {
  h->centre = lb_v4_zero();
  h->total = 0;
  for (int i = 0; i < h->face->count; i++) {
    h->total += h->face->weight[i];
    h->centre += rest(h, h->face->node[i]) * h->face->weight[i];
  }
  h->centre /= h->total;
  lb_m3 J = {0};
  for (int i = 0; i < h->face->count; i++) {
    const lb_v4 D = rest(h, h->face->node[i]) - h->centre;
    const double w = h->face->weight[i];
    lb_m3_add_scaled(&J, w * lb_v4_dot(D, D), lb_m3_identity());
    lb_m3_add_outer(&J, -w, D, D);
  }
  h->turn = inverse_symmetric(J);
}

static int largest(lb_v4 a) {
  const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

void lb_basis_support(const lb_fem* fem, const lb_basis_face* f, int support[6]) {
  int n[3] = {f->node[0], f->node[0], f->node[0]};
  const lb_v4 first = lb_v4_from(fem->node[n[0]]);
  double far = 0;
  for (int i = 0; i < f->count; i++) { // farthest from the first
    const lb_v4 d = lb_v4_from(fem->node[f->node[i]]) - first;
    if (lb_v4_dot(d, d) > far) {
      far = lb_v4_dot(d, d);
      n[1] = f->node[i];
    }
  }
  const lb_v4 d = lb_v4_from(fem->node[n[1]]) - first;
  lb_v4 normal = lb_v4_zero();
  for (int i = 0; i < f->count; i++) { // farthest from their line
    const lb_v4 c = lb_v4_cross(d, lb_v4_from(fem->node[f->node[i]]) - first);
    if (lb_v4_dot(c, c) > lb_v4_dot(normal, normal)) {
      normal = c;
      n[2] = f->node[i];
    }
  }
  const int along = largest(d);
  for (int a = 0; a < 3; a++) {
    support[a] = 3 * n[0] + a;
  }
  support[3] = 3 * n[1] + (along + 1) % 3;
  support[4] = 3 * n[1] + (along + 2) % 3;
  support[5] = 3 * n[2] + largest(normal);
}

static lb_status open_body(held_body* h, const lb_fem* fem, const lb_basis_face* face) {
  *h = (held_body){.fem = fem, .face = face};
  lb_arena_init(&h->arena, fem->arena.allocator);
  measure_face(h);
  char* held = LB_TAKE(&h->arena, char, fem->ndof);
  double* still = LB_TAKE(&h->arena, double, fem->ndof);
  h->index = LB_TAKE(&h->arena, int, fem->ndof);
  h->x = LB_TAKE(&h->arena, double, fem->ndof);
  if (!held || !still || !h->index || !h->x) {
    return LB_NO_MEMORY;
  }
  int support[RIGID];
  lb_basis_support(fem, face, support);
  for (int a = 0; a < RIGID; a++) {
    held[support[a]] = 1;
  }
  int count = 0;
  for (int i = 0; i < fem->ndof; i++) {
    h->index[i] = held[i] ? -1 : count++;
  }
  lb_status status = lb_fem_matrix(fem, &h->arena, &h->K);
  if (status == LB_OK) {
    lb_fem_tangent(fem, &h->K, still);
    status = lb_sparse_restrict(&h->arena, &h->K, h->index, &h->A, &h->from);
  }
  if (status == LB_OK) {
    lb_sparse_gather(&h->A, &h->K, h->from);
    status = lb_direct_create(fem->arena.allocator, &h->A, true, &h->direct);
  }
  return status == LB_OK ? lb_direct_factor(h->direct, &h->A) : status;
}

static void close_body(held_body* h) {
  lb_direct_release(h->direct);
  lb_arena_release(&h->arena);
}

// --- vectors ---

typedef struct collection {
  held_body* h;
  int n, most;   // vectors so far, and room
  double* V;     // [most][ndof]
  double* MV;    // [most][ndof] M times them
  double* small; // [4 * most * most]
} collection;

static double* vector(const collection* c, int i) {
  return c->V + (size_t)i * (size_t)c->h->fem->ndof;
}
static double* mass_vector(const collection* c, int i) {
  return c->MV + (size_t)i * (size_t)c->h->fem->ndof;
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Orthonormalise the vector at place n against those before it, twice for safety; keep it if
// something is left.
static void keep(collection* c) {
  const int ndof = c->h->fem->ndof;
  double* v = vector(c, c->n);
  double* mv = mass_vector(c, c->n);
  lb_fem_mass_apply(c->h->fem, mv, v);
  const double before = sqrt(dot(ndof, v, mv));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < c->n; i++) {
      const double s = dot(ndof, v, mass_vector(c, i));
      const double* w = vector(c, i);
      for (int k = 0; k < ndof; k++) {
        v[k] -= s * w[k];
      }
    }
  }
  lb_fem_mass_apply(c->h->fem, mv, v);
  const double after = sqrt(dot(ndof, v, mv));
  if (after > DEPENDENT * before) {
    for (int k = 0; k < ndof; k++) {
      v[k] /= after;
      mv[k] /= after;
    }
    c->n++;
  }
}

// Shapes under a unit force and moment along each axis on a face.
static lb_status add_attachments(collection* c, const lb_basis_face* face) {
  const held_body* h = c->h;
  lb_v4 centre = lb_v4_zero();
  double total = 0;
  for (int i = 0; i < face->count; i++) {
    total += face->weight[i];
    centre += rest(h, face->node[i]) * face->weight[i];
  }
  centre /= total;
  lb_status status = LB_OK;
  for (int k = 0; k < RIGID && status == LB_OK; k++) {
    double* f = vector(c, c->n);
    memset(f, 0, (size_t)h->fem->ndof * sizeof *f);
    lb_v4 e = lb_v4_zero();
    e[k % 3] = 1;
    for (int i = 0; i < face->count; i++) {
      const lb_v4 D = rest(h, face->node[i]) - centre;
      lb_v4_store(f + 3 * (size_t)face->node[i],
                  (k < 3 ? e : lb_v4_cross(e, D)) * (face->weight[i] / total));
    }
    status = apply_S(c->h, f);
    keep(c);
  }
  return status;
}

// Rotate the vectors [first, n) to Ritz vectors: diagonal stiffness, rising.
static lb_status diagonalise(collection* c, int first, double* omega) {
  const lb_fem* fem = c->h->fem;
  const int ndof = fem->ndof;
  const int n = c->n - first;
  double* Kr = c->small;
  double* w = Kr + n * n;
  double* Kv = c->h->x;
  for (int i = 0; i < n; i++) {
    lb_sparse_apply(&c->h->K, 1, Kv, vector(c, first + i));
    for (int j = 0; j < n; j++) {
      Kr[i * n + j] = dot(ndof, Kv, vector(c, first + j));
    }
  }
  lb_status status = lb_eigen_symmetric(&c->h->arena, n, Kr, n, w);
  if (status != LB_OK) {
    return status;
  }
  double* mixed = w + n; // one node's numbers at a time
  for (int k = 0; k < ndof; k++) {
    for (int pass = 0; pass < 2; pass++) {
      double* set = pass ? c->MV : c->V;
      for (int i = 0; i < n; i++) {
        mixed[i] = 0;
        for (int j = 0; j < n; j++) {
          mixed[i] += Kr[i * n + j] * set[(size_t)(first + j) * (size_t)ndof + (size_t)k];
        }
      }
      for (int i = 0; i < n; i++) {
        set[(size_t)(first + i) * (size_t)ndof + (size_t)k] = mixed[i];
      }
    }
  }
  for (int i = 0; i < n; i++) {
    omega[first + i] = sqrt(fmax(0, w[i]));
  }
  return LB_OK;
}

// Modes of vibration by iterating with S M on a block, the attachments being a good start for some
// of it.
static lb_status add_modes(collection* c, int modes, double* omega) {
  const int ndof = c->h->fem->ndof;
  const int block = modes + 4 < c->most ? modes + 4 : c->most;
  uint64_t seed = 88172645463325252u;
  const int start = c->n; // the attachments stay; the block starts anew behind them
  for (int i = 0; i < block; i++) {
    double* v = vector(c, start + i);
    for (int k = 0; k < ndof; k++) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      v[k] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
  }
  collection b = *c;
  b.V = vector(c, start);
  b.MV = mass_vector(c, start);
  b.most = block;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    b.n = 0;
    for (int i = 0; i < block; i++) {
      double* v = vector(&b, i);
      lb_fem_mass_apply(c->h->fem, mass_vector(&b, i), v);
      memcpy(v, mass_vector(&b, i), (size_t)ndof * sizeof *v);
      lb_status status = apply_S(c->h, v);
      if (status != LB_OK) {
        return status;
      }
    }
    for (int i = 0; i < block; i++) { // orthonormalise in place; the block has full rank
      b.n = i;
      keep(&b);
    }
    b.n = block;
    const lb_status status = diagonalise(&b, 0, omega);
    if (status != LB_OK) {
      return status;
    }
  }
  for (int i = 0; i < modes; i++) { // now against the attachments
    if (c->n != start + i) {
      memcpy(vector(c, c->n), vector(c, start + i), (size_t)ndof * sizeof(double));
    }
    keep(c);
  }
  return LB_OK;
}

// -S (dK phi_i) phi_j for the softest vectors.
static lb_status add_derivatives(collection* c, int count) {
  const lb_fem* fem = c->h->fem;
  double* still = LB_TAKE(&c->h->arena, double, fem->ndof);
  lb_status status = still ? LB_OK : LB_NO_MEMORY;
  count = count < c->n ? count : c->n;
  for (int i = 0; i < count && status == LB_OK; i++) {
    for (int j = 0; j <= i && status == LB_OK; j++) {
      double* v = vector(c, c->n);
      lb_fem_second(fem, v, still, vector(c, i), vector(c, j));
      status = apply_S(c->h, v);
      keep(c);
    }
  }
  return status;
}

static lb_status collect(collection* c, int nface, const lb_basis_face* face,
                         const lb_basis_options* o, double* omega) {
  lb_status status = LB_OK;
  for (int f = 0; f < nface && status == LB_OK; f++) {
    status = add_attachments(c, &face[f]);
  }
  if (status == LB_OK && o->modes > 0) {
    status = add_modes(c, o->modes, omega);
  }
  if (status == LB_OK) {
    status = diagonalise(c, 0, omega);
  }
  if (status == LB_OK) {
    status = add_derivatives(c, o->derivatives);
  }
  return status == LB_OK ? diagonalise(c, 0, omega) : status;
}

lb_status lb_basis_create(const lb_fem* fem, const lb_basis_face* held, int nface,
                          const lb_basis_face* face, const lb_basis_options* options,
                          lb_arena* arena, lb_basis* basis, lb_error* err) {
  held_body h;
  lb_status status = open_body(&h, fem, held);
  const int d = options->derivatives;
  const int most = RIGID * nface + options->modes + 4 + d * (d + 1) / 2 + 1;
  lb_basis made = {.Phi = LB_TAKE(arena, double, (size_t)most*(size_t)fem->ndof),
                   .omega = LB_TAKE(arena, double, most)};
  collection c = {.h = &h, .most = most, .V = made.Phi};
  c.MV = LB_TAKE(&h.arena, double, (size_t)most*(size_t)fem->ndof);
  c.small = LB_TAKE(&h.arena, double, most* most + 2 * most);
  if (!made.Phi || !made.omega || !c.MV || !c.small) {
    status = LB_NO_MEMORY;
  }
  if (status == LB_OK) {
    status = collect(&c, nface, face, options, made.omega);
  }
  made.r = c.n;
  close_body(&h);
  if (status == LB_OK) {
    *basis = made;
    return LB_OK;
  }
  return lb_error_add(err, status, (lb_place){0},
                      status == LB_NO_MEMORY ? "no memory for the basis of an elastic body"
                                             : "the basis of an elastic body could not be found: "
                                               "its stiffness matrix is not definite");
}
