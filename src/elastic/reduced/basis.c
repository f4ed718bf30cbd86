// The vectors of a basis without snapshots: attachments, modes of vibration, their derivatives.
// What they are made with is in held_face.h.
#include "elastic/reduced/basis.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "elastic/reduced/held_face.h"
#include "math/linear/dense.h"

enum { ITERATIONS = 12 };
// Pairs, such as a round rod's bending to either side, are taken whole: half a pair would bend more
// readily one way, and which way rounding would decide. Meshes part their frequencies a little.
static const double PAIR = 1e-3;
enum { MOST_ALIKE = 3 }; // vectors of one frequency

// The first `count` of n, and those of the same frequency as the last of them.
static int take_whole(int count, int n, const double* omega) {
  int whole = count;
  while (count > 0 && whole < n && whole < count + MOST_ALIKE - 1 &&
         omega[whole] <= (1 + PAIR) * omega[whole - 1]) {
    whole++;
  }
  return whole;
}

lb_basis_options lb_basis_default(void) {
  return (lb_basis_options){.modes = 4, .derivatives = 5};
}

// --- faces ---

lb_status lb_basis_face_of(const lb_tetmesh* mesh, const lb_tetmesh_surface* surface,
                           lb_arena* arena, lb_basis_face* face) {
  return lb_tetmesh_surface_weights(mesh, surface, arena, &face->count, &face->node, &face->weight);
}

// Modes of vibration by iterating with S M on a block, the attachments being a good start for some
// of it.
static lb_status add_modes(lb_shapes* c, const lb_basis_options* o, double* omega) {
  int modes = o->modes;
  const int ndof = c->h->fem->ndof;
  const int block = modes + 4 < c->most ? modes + 4 : c->most;
  uint64_t seed = 88172645463325252u;
  const int start = c->n; // the attachments stay; the block starts anew behind them
  for (int i = 0; i < block; i++) {
    double* v = lb_shapes_vector(c, start + i);
    for (int k = 0; k < ndof; k++) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      v[k] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
  }
  lb_shapes b = *c;
  b.V = lb_shapes_vector(c, start);
  b.MV = lb_shapes_mass_vector(c, start);
  b.most = block;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    b.n = 0;
    for (int i = 0; i < block; i++) {
      double* v = lb_shapes_vector(&b, i);
      lb_fem_mass_apply(c->h->fem, lb_shapes_mass_vector(&b, i), v);
      memcpy(v, lb_shapes_mass_vector(&b, i), (size_t)ndof * sizeof *v);
      lb_status status = lb_held_solve(c->h, v);
      if (status != LB_OK) {
        return status;
      }
    }
    for (int i = 0; i < block; i++) { // orthonormalise in place; the block has full rank
      b.n = i;
      lb_shapes_keep(&b);
    }
    b.n = block;
    const lb_status status = lb_shapes_diagonalise(&b, 0, omega);
    if (status != LB_OK) {
      return status;
    }
  }
  modes = o->most && start + modes >= o->most ? modes : take_whole(modes, block, omega);
  for (int i = 0; i < modes; i++) { // now against the attachments
    if (c->n != start + i) {
      memcpy(lb_shapes_vector(c, c->n), lb_shapes_vector(c, start + i),
             (size_t)ndof * sizeof(double));
    }
    lb_shapes_keep(c);
  }
  return LB_OK;
}

// The attachment modes by themselves and the rest by itself, each sorted by frequency.
static lb_status sort_blocks(lb_shapes* c, int attached, double* omega) {
  const int n = c->n;
  c->n = attached;
  const lb_status status = attached > 0 ? lb_shapes_diagonalise(c, 0, omega) : LB_OK;
  c->n = n;
  return status == LB_OK && n > attached ? lb_shapes_diagonalise(c, attached, omega) : status;
}

// --- derivatives ---

enum { MOST_FAR = 16 }; // vectors that may go far, the softest attachments first

// Derivatives u_a = -S (dK phi_i) phi_j of all pairs, and what they are worth.
typedef struct pairs {
  int n, count;  // vectors; pairs of them
  double* u;     // [count][ndof]
  double* G;     // [count][count] u_a' K u_b, less what the vectors themselves hold of it
  double* value; // [count]
  double* B;     // [count][n] phi_i' K u_a
  double* K;     // [n][n] phi_i' K phi_j
} pairs;

static double* pair_vector(const pairs* p, const lb_shapes* c, int a) {
  return p->u + (size_t)a * (size_t)c->h->fem->ndof;
}

static lb_status take_pairs(pairs* p, lb_shapes* c) {
  lb_arena* arena = &c->h->arena;
  const size_t n = (size_t)p->n, count = (size_t)p->count;
  p->u = LB_TAKE(arena, double, count*(size_t)c->h->fem->ndof);
  p->G = LB_TAKE(arena, double, count* count);
  p->value = LB_TAKE(arena, double, count);
  p->B = LB_TAKE(arena, double, 2 * count * n);
  p->K = LB_TAKE(arena, double, n* n);
  return p->u && p->G && p->value && p->B && p->K ? LB_OK : LB_NO_MEMORY;
}

// Vectors count by how far a load moves them, which falls with the square of the frequency.
static double reach(const double* omega, int i) {
  const double ratio = omega[0] / omega[i];
  return ratio * ratio;
}

static lb_status find_pairs(pairs* p, lb_shapes* c, const double* omega) {
  const lb_fem* fem = c->h->fem;
  lb_status status = LB_OK;
  for (int i = 0, a = 0; i < p->n; i++) {
    for (int j = 0; j <= i && status == LB_OK; j++, a++) {
      double* u = pair_vector(p, c, a);
      lb_fem_second(fem, u, c->h->still, lb_shapes_vector(c, i), lb_shapes_vector(c, j));
      status = lb_held_solve(c->h, u);
      const double worth = reach(omega, i) * reach(omega, j) * (i == j ? 1 : sqrt(2));
      for (int k = 0; k < fem->ndof; k++) {
        u[k] *= worth;
      }
    }
  }
  return status;
}

// G = U'KU - (Phi'KU)' (Phi'K Phi)^-1 (Phi'KU)
static lb_status weigh_pairs(pairs* p, lb_shapes* c) {
  const lb_held* h = c->h;
  const int n = p->n, ndof = h->fem->ndof;
  double* solved = p->B + (size_t)p->count * (size_t)n;
  for (int a = 0; a < n + p->count; a++) {
    const bool vector = a < n;
    lb_fem_apply(h->fem, h->left, h->still,
                 vector ? lb_shapes_vector(c, a) : pair_vector(p, c, a - n));
    double* row = vector ? p->K + a * n : p->B + (a - n) * n;
    for (int i = 0; i < n; i++) {
      row[i] = lb_shapes_dot(ndof, h->left, lb_shapes_vector(c, i));
    }
    for (int b = 0; b < p->count && !vector; b++) {
      p->G[(size_t)(a - n) * (size_t)p->count + (size_t)b] =
          lb_shapes_dot(ndof, h->left, pair_vector(p, c, b));
    }
  }
  memcpy(solved, p->B, (size_t)p->count * (size_t)n * sizeof *solved);
  const lb_status status = lb_cholesky(n, p->K, n);
  if (status == LB_OK) {
    lb_cholesky_solve(n, p->K, n, p->count, solved, n);
    for (int a = 0; a < p->count; a++) {
      for (int b = 0; b < p->count; b++) {
        p->G[a * p->count + b] -= lb_dot(n, p->B + a * n, solved + b * n);
      }
    }
  }
  return status;
}

// The principal mixtures of the derivatives, in the norm of the energy that a body without them
// would have to store: how bending shortens it, how twisting turns the plane it bends in. As many
// as `derivatives` vectors have pairs; a larger number only adds to a smaller one's.
static lb_status add_derivatives(lb_shapes* c, const lb_basis_options* o, const double* omega) {
  const int ndof = c->h->fem->ndof, n = c->n < MOST_FAR ? c->n : MOST_FAR;
  pairs p = {.n = n, .count = n * (n + 1) / 2};
  const int wanted = o->derivatives * (o->derivatives + 1) / 2, first = c->n;
  if (wanted == 0 || n == 0) {
    return LB_OK;
  }
  lb_status status = take_pairs(&p, c);
  status = status == LB_OK ? find_pairs(&p, c, omega) : status;
  status = status == LB_OK ? weigh_pairs(&p, c) : status;
  status =
      status == LB_OK ? lb_eigen_symmetric(&c->h->arena, p.count, p.G, p.count, p.value) : status;
  double next = 0;
  for (int a = p.count - 1; a >= 0 && status == LB_OK; a--) {
    const int more = c->n - first - wanted;
    if ((o->most && c->n >= o->most) || more >= MOST_ALIKE - 1 ||
        (more >= 0 && p.value[a] < (1 - 2 * PAIR) * next) || !(p.value[a] > 0)) {
      break;
    }
    double* v = lb_shapes_vector(c, c->n);
    memset(v, 0, (size_t)ndof * sizeof *v);
    for (int b = 0; b < p.count; b++) {
      lb_add(ndof, v, p.G[(size_t)a * (size_t)p.count + (size_t)b], pair_vector(&p, c, b));
    }
    lb_shapes_keep(c);
    next = p.value[a];
  }
  return status;
}

// v = K''(phi, phi, phi) / 6, from differences of K' along phi; `at` and `y` are scratch.
static void add_cubic(const lb_fem* fem, double* v, const double* phi, double* at, double* y) {
  static const double STEP = 1e-4; // over the body's size
  double most = 0;
  for (int k = 0; k < fem->ndof; k++) {
    most = fmax(most, fabs(phi[k]));
  }
  for (int side = -1; side <= 1; side += 2) {
    const double h = side * STEP * fem->size / most;
    for (int k = 0; k < fem->ndof; k++) {
      at[k] = h * phi[k];
    }
    lb_fem_second(fem, y, at, phi, phi);
    lb_add(fem->ndof, v, 1 / (12 * h), y);
  }
}

// Equilibrium under a growing load is t u1 + t^2 u2 + t^3 u3 + ..., with u1 = phi,
//
//   u2 = -S K'(u1, u1) / 2,   u3 = -S (K'(u1, u2) + K''(u1, u1, u1) / 6)
//
// u2 is a derivative above; u3 is how the shape itself changes where a body bends far.
static lb_status add_third_order(lb_shapes* c, int count) {
  const lb_fem* fem = c->h->fem;
  double* at = LB_TAKE(&c->h->arena, double, fem->ndof);
  double* u2 = LB_TAKE(&c->h->arena, double, fem->ndof);
  double* y = LB_TAKE(&c->h->arena, double, fem->ndof);
  lb_status status = at && u2 && y ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < count && status == LB_OK; i++) {
    const double* phi = lb_shapes_vector(c, i);
    double* v = lb_shapes_vector(c, c->n);
    lb_fem_second(fem, u2, c->h->still, phi, phi);
    status = lb_held_solve(c->h, u2); // -2 times it
    lb_fem_second(fem, v, c->h->still, phi, u2);
    for (int k = 0; k < fem->ndof; k++) {
      v[k] *= -0.5;
    }
    add_cubic(fem, v, phi, at, y);
    status = status == LB_OK ? lb_held_solve(c->h, v) : status;
    lb_shapes_keep(c);
  }
  return status;
}

static int third_orders(int attached, const lb_basis_options* o) {
  enum { BENDING = 4 }; // of a rod: two shapes to either side
  const int some = o->derivatives - 1 < BENDING ? o->derivatives - 1 : BENDING;
  return o->most || some < 0 ? 0 : (some < attached ? some : attached);
}

static lb_status collect(lb_shapes* c, int nface, const lb_basis_face* face,
                         const lb_basis_options* o, double* omega) {
  lb_status status = LB_OK;
  for (int f = 0; f < nface && status == LB_OK; f++) {
    status = lb_shapes_attach(c, &face[f]);
  }
  const int attached = c->n;
  if (status == LB_OK && o->modes > 0) {
    status = add_modes(c, o, omega);
  }
  if (status == LB_OK) {
    status = sort_blocks(c, attached, omega);
  }
  if (status == LB_OK) {
    status = add_derivatives(c, o, omega);
  }
  if (status == LB_OK) {
    status = add_third_order(c, take_whole(third_orders(attached, o), attached, omega));
  }
  return status == LB_OK ? lb_shapes_diagonalise(c, 0, omega) : status;
}

lb_status lb_basis_create(const lb_fem* fem, const lb_basis_face* held, int nface,
                          const lb_basis_face* face, const lb_basis_options* options,
                          lb_arena* arena, lb_basis* basis, lb_error* err) {
  lb_held h;
  lb_shapes c = {0};
  const int d = options->derivatives + MOST_ALIKE - 1;
  const int most = LB_HELD_RIGID * nface + options->modes + d * (d + 1) / 2 + 12;
  double* omega = LB_TAKE(arena, double, most);
  lb_status status = lb_held_open(&h, fem, held);
  if (status == LB_OK) {
    status = omega ? lb_shapes_open(&c, &h, most, arena) : LB_NO_MEMORY;
  }
  if (status == LB_OK) {
    status = collect(&c, nface, face, options, omega);
  }
  lb_held_close(&h);
  if (status != LB_OK) {
    return lb_shapes_failed(status, err);
  }
  *basis = (lb_basis){c.n, c.V, omega};
  return LB_OK;
}
