// Newton's method for contact problems, whatever holds their matrix. Rows are scaled so that
// impulses and velocities have one size:
//
//   (1)  lambda_r = D_r x_r,  D_r^2 = rho_r,   y = A_s x + q  with  A_s = D A D,  q = D (J u0 + b)
//
// so diag(A_s) is one (in the mean over a friction set), |x|^2 is an energy, and the natural map
// F = x - proj(x - y) has steps of one. Its derivative, with z = x - y, n = z/|z| and t across n:
//
//   (2)  dF = dx - P (dx - dy) - N dx_n
//
//   equality, active unilateral row, sticking set   P = 1          N = 0
//   inactive unilateral row, set of radius zero     P = 0          N = 0
//   slipping set                                    P = R/|z| t t' N = mu n
#pragma once
#include "base/carve.h"
#include "math/contact/contact_problem.h"

typedef struct lb_contact_scaled lb_contact_scaled;

// Products and Newton steps with A_s, which is held dense or sparse.
typedef struct lb_contact_operator {
  void (*apply)(void* matrix, const lb_contact_scaled* s, const double* x, double* y);
  // dx and dy = A_s dx from F, P, Q and N of s. False: the matrix is singular.
  bool (*step)(void* matrix, lb_contact_scaled* s);
} lb_contact_operator;

struct lb_contact_scaled {
  const lb_contact_operator* op;
  void* matrix;
  int n;
  int* row;              // [n] rows of the problem, blocks whole
  int* end;              // [n] first place behind the block of each
  lb_contact_kind* kind; // [n]
  int* normal;           // [n] place of the unilateral row of a set, or -1
  double* mu;            // [n] radius for x_n = 1, or the radius
  double* D;             // [n]
  double* q;             // [n]
  double tolerance;      // of max |F_r| / D_r, the natural map in the units of w
  double eps;            // regularisation of Newton's matrix
  double idle;           // share of the residual of which a step has to leave less
  // --- of a step
  double *F, *y, *dx, *dy;
  double *P, *Q, *N; // [n] P's diagonal; Q its other entry, at the first row of a set of two; N
  // --- scratch
  double *trial, *trial_y, *best, *fixed_mu, *last;
  int* no_normal;
};

void lb_contact_scaled_carve(lb_contact_scaled* s, lb_carver* c, int n);
// Rows of the listed blocks.
void lb_contact_scaled_take(lb_contact_scaled* s, const lb_contact_problem* p, int nblock,
                            const int* block);

// Radius of the set at row i.
static inline double lb_contact_radius(const lb_contact_scaled* s, int i, const double* x) {
  const double normal = s->normal[i] < 0 ? 1 : x[s->normal[i]];
  return normal > 0 ? s->mu[i] * normal : 0;
}

// F of x and y; returns max |F_r| / D_r.
double lb_contact_natural_map(const lb_contact_scaled* s, const double* x, const double* y,
                              double* F);
// P, Q and N at x and y.
void lb_contact_slopes(lb_contact_scaled* s, const double* x, const double* y);

// Outcome of a method: whether the tolerance was met, by x, after some steps.
typedef struct lb_contact_try {
  bool solved;
  double residual;
  int steps;
} lb_contact_try;

// Regularisation of Newton's matrix: (A_s + eps) there, and A_s in F. So redundant rows do no harm,
// each step is one of the proximal point method, and the root is that of A_s.
#define LB_CONTACT_EPS 1e-9

// Newton's method for the natural map (semismooth, Alart and Curnier 1991), with a line search on
// |F|^2 that looks some steps back. x ends as the best that was met. Within a hundred tolerances, a
// step that leaves more than the share `idle` of the residual is the last.
lb_contact_try lb_contact_newton(lb_contact_scaled* s, int most, double* x);

// Rounds in which radii are held at mu x_n of the round before: a convex program each, by Newton's
// method, whose solution gives the next radii half way. Returns Newton steps.   [auto] 3.5
int lb_contact_fixed_radius(lb_contact_scaled* s, int rounds, double* x);

// Starts spread over some orders of magnitude, the same for the same k.
void lb_contact_random_start(const lb_contact_scaled* s, int k, double* x);
