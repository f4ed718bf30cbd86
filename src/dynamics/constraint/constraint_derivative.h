// Two frames of a constraint, and how they move with each coordinate.
//
// When coordinate k moves, let a turn by t_a and b by t_b, let b's origin P move by s more than the
// point of a's link there. Rates are taken in a's axes: beyond turning with them,
//
//   b's velocity seen from a at P changes by  psi_b - psi_a + (t_b - t_a) x v_b - w_a x s
//   b's angular velocity seen from a by       psi_b - psi_a + (t_b - t_a) x w_b
#pragma once
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"

typedef struct lb_pair_derivative {
  lb_pair P;
  lb_motion *Sa, *Sb;     // [nv] motions of P with the links
  lb_motion* psi_a;       // [nv]
  lb_motion* psi_b;       // [nv]
  lb_motion *on_a, *on_b; // [nv] scratch, zero but for the coordinates below
  int begin[2], end[2];   // coordinates of the trees that a and b are in: one range after the other
} lb_pair_derivative;

// Derivative of a constraint's frames. After lb_derive at d's state.
lb_pair_derivative lb_pair_differentiate(const lb_derivatives* D, const lb_data* d, int constraint);

// All coordinates that may move a or b, in rising order: from begin[0], below end[1].
static inline int lb_pair_next(const lb_pair_derivative* L, int k) {
  return k + 1 == L->end[0] ? L->begin[1] : k + 1;
}

// Relative motion of b seen from a, by coordinate k: S_b - S_a.
static inline lb_motion lb_pair_apart(const lb_pair_derivative* L, int k) {
  return (lb_motion){L->Sb[k].w - L->Sa[k].w, L->Sb[k].v - L->Sa[k].v};
}

// Derivative by coordinate k of b's velocity as seen from a.
static inline lb_motion lb_pair_rate_apart(const lb_pair_derivative* L, int k) {
  const lb_motion x = lb_pair_apart(L, k);
  return (lb_motion){L->psi_b[k].w - L->psi_a[k].w + lb_v4_cross(x.w, L->P.b.w),
                     L->psi_b[k].v - L->psi_a[k].v + lb_v4_cross(x.w, L->P.b.v) -
                         lb_v4_cross(L->P.a.w, x.v)};
}

// Derivatives of a constraint's gap and rate by q, and of the rate by qd, [nv] each; those of
// coordinates that do not move the pair stay.
void lb_gap_differentiate(const lb_pair_derivative* L, const lb_constraint_row* row, double* gap_q,
                          double* rate_q, double* J);

// A spring and damper along a row: what it exerts there is -pull.
typedef struct lb_row_spring {
  double stiffness, damping;
  double pull; // stiffness times stretch and damping times rate
} lb_row_spring;

// Add to on_b the change of a spring's force beyond turning with a, by coordinates or, by_rate, by
// velocities. After lb_pair_fill_turn.
void lb_row_spring_differentiate(const lb_pair_derivative* L, const lb_constraint_row* row,
                                 lb_row_spring by, bool by_rate);
// The symmetric part alone, -e e'x times `stiff`, that linearly implicit steps count.
void lb_row_spring_stiffen(const lb_pair_derivative* L, const lb_constraint_row* row, double stiff);

// Add to tau, D's tau_q or tau_qd, the derivative of a force on b at P, and of its opposite on a,
// that changes by on_b beyond turning with a. F is that force; by velocities nothing turns, and it
// is zero.
void lb_pair_push(lb_derivatives* D, double* tau, const lb_pair_derivative* L, lb_motion F);
