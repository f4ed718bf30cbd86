// Jets: functions of r coordinates y at a point, with derivatives, which multiply and compose as
// numbers do. Two kinds of them:
//
//   LB_JET_SECOND  value, gradient [r], second derivatives [r][r]
//   LB_JET_PATH    along y + t yd: value, d/dt, d2/dt2, and gradients [r] of these three by y
#pragma once
#include <stddef.h>

typedef enum lb_jet_kind { LB_JET_SECOND, LB_JET_PATH } lb_jet_kind;

// Where jets are taken.
typedef struct lb_jet_at {
  lb_jet_kind kind;
  int r;
  const double *y, *yd; // [r]; yd of LB_JET_PATH
} lb_jet_at;

static inline size_t lb_fork_jet_size(lb_jet_kind kind, int r) {
  const size_t n = (size_t)r;
  return kind == LB_JET_SECOND ? 1 + n + n * n : 3 + 3 * n;
}

// A constant; coordinate k times a factor; (y - c).(y - c), c [r].
void lb_fork_jet_constant(const lb_jet_at* at, double* out, double value);
void lb_fork_jet_coordinate(const lb_jet_at* at, double* out, int k, double factor);
void lb_fork_jet_distance(const lb_jet_at* at, double* out, const double* c);

// out += s a
void lb_fork_jet_add(const lb_jet_at* at, double* out, double s, const double* a);
// out = a b, another place than both
void lb_fork_jet_multiply(const lb_jet_at* at, double* out, const double* a, const double* b);
// out = f(a) from f and its first three derivatives at a's value; out may be a
void lb_fork_jet_compose(const lb_jet_at* at, double* out, const double f[4], const double* a);
