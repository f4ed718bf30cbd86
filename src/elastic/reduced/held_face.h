// Parts of bases: a body held by the six conditions of one face, and a growing set of
// mass-orthonormal vectors that obey them.
#pragma once
#include "elastic/reduced/basis.h"
#include "math/linear/direct.h"
#include "math/space/simd.h"

enum { LB_HELD_RIGID = 6, LB_HELD_BLOCK = 8 };

typedef struct lb_held {
  const lb_fem* fem;
  const lb_basis_face* face;
  lb_arena arena; // scratch
  lb_v4 centre;   // of the held face
  double total;   // of its weights
  lb_m3 turn;     // (sum w (D.D 1 - D D'))^-1 / total: angle from sum w D x u
  lb_direct* direct;
  lb_sparse K, A;
  int* from;
  int* index;          // [ndof] among the free
  double* x;           // [LB_HELD_BLOCK][ndof]
  double* still;       // [ndof] zeros
  double *load, *left; // [LB_HELD_BLOCK][ndof] scratch
} lb_held;

// Factor the stiffness at u = 0. Close it also after a failure.
lb_status lb_held_open(lb_held* h, const lb_fem* fem, const lb_basis_face* face);
void lb_held_close(lb_held* h);
// Take the rigid motion that the held face makes out of u, so that its conditions hold.
void lb_held_project(const lb_held* h, double* u);
// u = S f, in place: static displacement under the load f.
lb_status lb_held_solve(lb_held* h, double* f);
// The same of n loads [n][ndof] at once, which takes less time each. Not `refined`: to six digits.
lb_status lb_held_solve_all(lb_held* h, int n, double* f, bool refined);

typedef struct lb_shapes {
  lb_held* h;
  int n, most;    // vectors so far, and room
  double* V;      // [most][ndof]
  double* MV;     // [most][ndof] M times them
  double* small;  // [most * most + 2 * most]
  double* turned; // [most * most]
} lb_shapes;

static inline double* lb_shapes_vector(const lb_shapes* c, int i) {
  return c->V + (size_t)i * (size_t)c->h->fem->ndof;
}
static inline double* lb_shapes_mass_vector(const lb_shapes* c, int i) {
  return c->MV + (size_t)i * (size_t)c->h->fem->ndof;
}
// Room for `most` vectors: those themselves in `arena`, the rest in the body's scratch.
lb_status lb_shapes_open(lb_shapes* c, lb_held* h, int most, lb_arena* arena);
// Orthonormalise the vector at place n against those before it, twice for safety; keep it if
// something is left.
void lb_shapes_keep(lb_shapes* c);
// Shapes under a unit force and moment along each axis on a face.
lb_status lb_shapes_attach(lb_shapes* c, const lb_basis_face* face);
// Size of a cluster: frequencies from `first` on within `apart`, relative, of the one before.
int lb_shapes_cluster(int n, const double* omega, int first, double apart);
// Rotate the vectors [first, n) to Ritz vectors: diagonal stiffness, rising frequencies. Which they
// are does not depend on rounding: vectors of one frequency have a fixed direction, all a fixed
// sign.
lb_status lb_shapes_diagonalise(lb_shapes* c, int first, double* omega);
// The message for a basis that could not be made; returns `status`.
lb_status lb_shapes_failed(lb_status status, lb_error* err);
