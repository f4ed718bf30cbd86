// Frictional contact as mathematics: find impulses lambda of rows such that velocities
//
//   (1)  u = u0 + sum_r Z_r lambda_r,        Z_r = W^-1 J_r'
//   (2)  w_r = J_r u + c_r lambda_r + b_r,   so w = A lambda + J u0 + b with A = J Z + diag(c)
//
// meet the conditions of all rows                                       [auto] 3.4
//
//   (3)  equality:    w = 0
//   (4)  unilateral:  0 <= lambda, 0 <= w, lambda w = 0
//   (5)  friction set of one or two rows: |lambda| <= R with R = mu lambda_n of a unilateral row,
//   or
//        R constant; w = 0 inside, and w = -s lambda with s >= 0 on the rim
//
// A point contact is a unilateral row and a set of two (round cone) or two sets of one (pyramid).
// Rolling friction is another set of two, spinning friction a set of one. With friction this is not
// the optimum of any program: docs/theory-contact.md says why, and how it is solved.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "math/linear/dense.h"
#include "math/space/wide.h"

typedef enum lb_contact_kind {
  LB_CONTACT_EQUALITY,
  LB_CONTACT_UNILATERAL,
  LB_CONTACT_SET_1, // a friction set of this row alone
  LB_CONTACT_SET_2, // a friction set of this row and the next
  LB_CONTACT_SECOND // the next row of a set of two; its `normal` and `mu` do not count
} lb_contact_kind;

typedef struct lb_contact_row {
  lb_contact_kind kind;
  int group[2]; // groups it acts on, different ones and the same in all rows of a block; -1: none
  int entry[2]; // places of J_r and Z_r for each of them in the problem's J and Z
  int normal;   // of sets: the unilateral row whose lambda the radius grows with; -1: none
  double mu;    // of sets: radius for lambda_n = 1, or the radius where there is no normal; >= 0
  double c;     // compliance, >= 0
  double b;     // part of w that depends on neither u nor lambda
} lb_contact_row;

// Groups are what moves together: a free body, or a mechanism with its constraints inside W, which
// is positive definite. Their velocities are padded with zeros to multiples of four, and so are J's
// and Z's numbers.
typedef struct lb_contact_problem {
  int ngroup;
  const int* velocity; // [ngroup + 1] first velocity of each group in u, multiples of 4
  const double* u0;    // [velocity[ngroup]] velocities without contact
  int nrow;
  const lb_contact_row* row; // [nrow]
  int nentry;
  const double* J; // [nentry]
  const double* Z; // [nentry]; J itself where velocities are scaled such that W is one
  int nblock;
  const int* block; // [nblock + 1] first row of each block: the rows of one contact or joint
} lb_contact_problem;

enum { LB_CONTACT_BLOCK_MOST = 6 }; // rows of a block

// False: places or numbers that make no sense, such as NaN. Nothing else checks them.
bool lb_contact_valid(const lb_contact_problem* p);
// The same, but for the numbers of J and Z.
bool lb_contact_sound(const lb_contact_problem* p);

static inline int lb_contact_width(const lb_contact_problem* p, int group) {
  return p->velocity[group + 1] - p->velocity[group];
}
// Product of numbers of a group: most are free bodies, eight wide.
static inline double lb_contact_dot(int width, const double* a, const double* b) {
  enum { FREE = 8 };
  return width == FREE ? lb_v8_dot(lb_v8_load(a), lb_v8_load(b)) : lb_dot(width, a, b);
}
static inline int lb_contact_nvelocity(const lb_contact_problem* p) {
  return p->velocity[p->ngroup];
}

// u = u0 + sum_r Z_r lambda_r                                           (1)
void lb_contact_velocities(const lb_contact_problem* p, const double* lambda, double* u);
// J_r u
double lb_contact_row_velocity(const lb_contact_problem* p, int r, const double* u);
// A_rs, without the compliance.
double lb_contact_coupling(const lb_contact_problem* p, int r, int s);
// The numbers by which impulses are compared with velocities: 1 / A_rr, the same for both rows of a
// set (by the mean of A_rr), and 1 where A_rr is zero.
double lb_contact_step(const lb_contact_problem* p, int r);

// Violation of the conditions by the natural map, in the units of w:
//
//   (6)  e_r = (lambda_r - proj(lambda_r - rho_r w_r)) / rho_r,  rho_r as lb_contact_step gives it
//
// proj is the identity's zero for equalities (e = w), onto lambda >= 0 for unilateral rows, and
// onto the disc of radius R(lambda_n) for sets. All e_r are zero if and only if (3) to (5) hold.
typedef struct lb_contact_measure {
  double residual; // max |e_r|
  double scale;    // max |J_r u0 + b_r|, what the residual is small against
  double rounding; // of w: what no residual can be expected to be below
} lb_contact_measure;

// |e_r| of a row, or of the set that starts there: its impulses and velocities (two for a set of
// two), and for sets lambda_n of their normal.
double lb_contact_violation(const lb_contact_row* row, double rho, double normal,
                            const double* lambda, const double* w);
// Account of a row: its |e_r|, its w for lambda = 0, and lambda_r / rho_r.
static inline void lb_contact_measure_add(lb_contact_measure* m, double e, double w0, double own) {
  static const double ROUNDINGS = 64; // of the largest term of w
  m->residual = e > m->residual || isnan(e) ? e : m->residual;
  const double scale = fabs(w0), rounding = ROUNDINGS * DBL_EPSILON * fabs(own);
  m->scale = scale > m->scale ? scale : m->scale;
  m->rounding = rounding > m->rounding ? rounding : m->rounding;
}

// Computed from lambda alone: u by (1).
lb_contact_measure lb_contact_residual(const lb_contact_problem* p, const double* lambda,
                                       double* u);
// Whether the residual is at most tolerance * scale, or rounding.
bool lb_contact_holds(lb_contact_measure m, double tolerance);

typedef enum lb_contact_status {
  LB_CONTACT_SOLVED,     // the residual is within the tolerance
  LB_CONTACT_NOT_SOLVED, // it is not: the best impulses found
  LB_CONTACT_REFUSED     // the problem is not valid, or too large: outputs are unchanged
} lb_contact_status;

// Outcome of a solver. The residual is that of the impulses handed out, measured anew.
typedef struct lb_contact_report {
  lb_contact_status status;
  lb_contact_measure measure;
  int iterations; // Newton steps or sweeps, of all attempts
  int attempts;   // methods and starts that were tried
} lb_contact_report;
