// Inside of the derivatives of a contact problem: contact_slopes.c is about points, forces and
// products, contact_row_slopes.c about rows.
#pragma once
#include "dynamics/contact/contact_inside.h"
#include "dynamics/contact/contact_slopes.h"

// Changes of a point by each coordinate, [nv].
typedef struct lb_point_slopes {
  lb_v4* at;
  lb_v4* axis[3];
  double* gap;
} lb_point_slopes;

// Motor that a row follows, with the derivatives of b by its value and rate; -1: none.
typedef struct lb_row_motor {
  int motor;
  double value, rate;
} lb_row_motor;

struct lb_contact_slopes {
  const lb_model* m;
  lb_arena arena;   // of S
  lb_arena taken;   // of a step
  lb_arena scratch; // of a solve
  lb_contacts* C;
  double h;
  int nrow, refused[2];
  bool held; // an impact is held back for its energy
  bool places;
  lb_point_slopes* point;    // [ntouch]
  const double* lambda;      // [nrow] impulses of the problem
  double *Wq, *Wb, *Wc, *Wf; // [nrow][nv] derivatives of w by q, `bias`, `start` and `free`
  double* W[2];              // [4][nrow][nv] these, of velocities and of places
  lb_row_motor* motor;       // [nrow]
  double *dw, *dl, *dmu;     // [nrow]
  double* du;                // [padded velocities]
  lb_motion* column[2][4];   // [nv] of both links: S, psi, chi, sig at their origins
  lb_motion *at, *change;    // [nv]
};

static inline int lb_slopes_link(const lb_contact_slopes* S, const lb_touch* t, int side) {
  return S->C->collider[t->collider[side]].link;
}

// Row of a matrix [nrow][nv].
static inline double* lb_slopes_row(const lb_contact_slopes* S, double* W, int row) {
  return W + (size_t)row * (size_t)S->m->nv;
}

// Axis of a row's direction, as contact_rows.c has them.
static inline int lb_slopes_axis(int direction) {
  return direction < 3 ? direction : direction < 5 ? direction - 2 : 0;
}

// J of a row along all velocities: added to `out` [nv], and times x [nv].
void lb_slopes_add_row(const lb_contact_slopes* S, int row, double scale, double* out);
double lb_slopes_dot_row(const lb_contact_slopes* S, int row, const double* x);
