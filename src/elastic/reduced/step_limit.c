#include "elastic/reduced/step_limit.h"

#include <math.h>
#include <string.h>

#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"

static const double TURN = 6.28318530717958647692;

typedef struct limit_room {
  double *S, *K, *C;   // [r * r]
  double *A, *B;       // [r * r] scratch
  double *eta, *omega; // [r]
  double* force;       // scratch of internal forces
} limit_room;

static bool take_room(const lb_reduced* b, lb_arena* scratch, limit_room* w) {
  double** const square[] = {&w->S, &w->K, &w->C, &w->A, &w->B};
  for (size_t i = 0; i < sizeof square / sizeof *square; i++) {
    *square[i] = LB_TAKE(scratch, double, b->r * b->r);
  }
  w->eta = LB_TAKE(scratch, double, b->r);
  w->omega = LB_TAKE(scratch, double, b->r);
  w->force = LB_TAKE(scratch, double, lb_reduced_scratch(b));
  return lb_arena_status(scratch) == LB_OK;
}

// (4) about the centre of mass, where moving and turning of the frame do not mix.
static void free_mass(const lb_reduced* b, double* S) {
  const lb_v4 c = b->h0 * (1 / b->m);
  lb_m3 E = b->E0;
  lb_m3_add_outer(&E, -b->m, c, c);
  const lb_m3 Iinv = lb_m3_inverse_symmetric(lb_m3_complement(E));
  for (int k = 0; k < b->r; k++) {
    const lb_v4 turn = lb_m3_axial(b->B0[k]) - lb_v4_cross(c, b->H[k]);
    const lb_v4 spin = lb_m3_apply(Iinv, turn);
    for (int l = 0; l < b->r; l++) {
      const lb_v4 other = lb_m3_axial(b->B0[l]) - lb_v4_cross(c, b->H[l]);
      S[k * b->r + l] =
          b->M[k * b->r + l] - lb_v4_dot(b->H[k], b->H[l]) / b->m - lb_v4_dot(spin, other);
    }
  }
}

static bool obeys(const limit_room* w, int r, double h) {
  for (int i = 0; i < r * r; i++) {
    w->A[i] = 4 * w->S[i] - 2 * h * w->C[i] - h * h * w->K[i];
  }
  return lb_cholesky(r, w->A, r) == LB_OK;
}

// Every shorter step obeys (3), too, for C and K take away only.
static double longest(const limit_room* w, int r, double above) {
  enum { HALVINGS = 52 };
  double below = 0;
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (below + above);
    *(obeys(w, r, middle) ? &below : &above) = middle;
  }
  return below;
}

lb_status lb_reduced_step_limit(const lb_reduced* b, lb_arena* scratch, lb_step_limit* out) {
  const int r = b->r;
  const lb_arena_mark mark = lb_arena_here(scratch);
  limit_room w = {.S = NULL};
  *out = (lb_step_limit){INFINITY, 0};
  if (r == 0) {
    return LB_OK;
  }
  if (!take_room(b, scratch, &w)) {
    return LB_NO_MEMORY;
  }
  free_mass(b, w.S);
  lb_reduced_derive_forces(b, w.K, w.C, r, w.eta, NULL, w.A, w.force);
  const size_t size = (size_t)r * (size_t)r * sizeof(double);
  memcpy(w.A, w.K, size);
  memcpy(w.B, w.S, size);
  const lb_status status = lb_eigen_generalised(scratch, r, w.A, r, w.B, r, w.omega);
  if (status == LB_OK && w.omega[r - 1] > 0) {
    const double fastest = sqrt(w.omega[r - 1]);
    *out = (lb_step_limit){longest(&w, r, 2 / fastest), fastest / TURN};
  }
  lb_arena_reset(scratch, mark);
  return status;
}
