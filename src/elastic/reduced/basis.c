// The vectors of a basis without snapshots: attachments, modes of vibration, their derivatives.
// What they are made with is in held_face.h.
#include "elastic/reduced/basis.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "elastic/reduced/held_face.h"
#include "math/linear/dense.h"

enum { ITERATIONS = 12, REFINED = 4 }; // the last ones are refined
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
    }
    lb_status status = lb_held_solve_all(c->h, block, b.V, iteration >= ITERATIONS - REFINED);
    if (status != LB_OK) {
      return status;
    }
    for (int i = 0; i < block; i++) { // orthonormalise in place; the block has full rank
      b.n = i;
      lb_shapes_keep(&b);
    }
    b.n = block;
    status = lb_shapes_diagonalise(&b, 0, omega);
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

// -S (dK phi_i) phi_j for the attachment modes from the softest on, then for modes of vibration.
// Not for mixtures of both: loads on the faces bend and twist a body as the attachment modes do,
// each a mixture of many modes of vibration, and without the shortening that goes with that the
// body would be far too stiff. Nor for the softest by frequency: a slender body twists fast when
// nothing hangs on it, but under a load it twists far, and the plane it bends in turns with the
// twist.
static lb_status add_derivatives(lb_shapes* c, int attached, const lb_basis_options* o,
                                 const double* omega) {
  const lb_fem* fem = c->h->fem;
  lb_status status = LB_OK;
  int count = o->derivatives;
  count = count > c->n ? c->n : take_whole(count, count > attached ? c->n : attached, omega);
  for (int i = 0; i < count && status == LB_OK; i++) {
    for (int j = 0; j <= i && status == LB_OK && (o->most == 0 || c->n < o->most); j++) {
      double* v = lb_shapes_vector(c, c->n);
      lb_fem_second(fem, v, c->h->still, lb_shapes_vector(c, i), lb_shapes_vector(c, j));
      status = lb_held_solve(c->h, v);
      lb_shapes_keep(c);
    }
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

// Third-order shapes: how many. They matter only where a body bends by half its length, and there
// it is the softest pair that does. Those of stiffer shapes take twice the points of the cubature.
static int third_orders(int attached, const lb_basis_options* o) {
  enum { SOFTEST = 2, BENDING = 4 }; // of a rod: one shape to either side, or two
  const int some = o->derivatives < 3 ? 0 : (o->derivatives < 6 ? SOFTEST : BENDING);
  return o->most ? 0 : (some < attached ? some : attached);
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
    status = add_derivatives(c, attached, o, omega);
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
