// Models of one mechanism in one chart of their effectors, as an elastic body (fork_family.h).
#pragma once
#include "fork/fork_family.h"
#include "limber/fork.h"

typedef struct lb_fork_member {
  const lb_fork* f;
  double* xi; // [6 neffector] its pose in the chart
  double* E;  // [6 neffector][rank] tangent by its own coordinates, of which `rank` move effectors
  double* C;  // [rank][rank] compliance by these
  double* T;  // [6 neffector][r] and by y
  double* N;  // [rank][r] its own coordinates by y
} lb_fork_member;

typedef struct lb_fork_members {
  lb_fork_family* family;
  lb_fork_member* item; // [count]
  lb_transform* centre; // [neffector] origin of the chart: effectors are at centre exp(xi)
  double* dq;           // [amplitudes][nv] joints by amplitudes, from those of the first model
} lb_fork_members;

// The body of several models, as lb_fork_body_create() has it of one. `d` is any state of their
// model; members lie in `scratch`. LB_INVALID: directions of models are too far apart for one
// chart, or one of them lacks some that another gives way in.
lb_status lb_fork_members_create(lb_fork* const* fork, int count, lb_data* d, const bool* has,
                                 lb_transform to_base, lb_arena* arena, lb_arena* scratch,
                                 lb_fork_members* members, lb_reduced** body, lb_error* err);

// Force, stiffness and damping by coordinates.
typedef struct lb_fork_balance {
  const double *f, *K, *D; // [r], [r][r]
} lb_fork_balance;

// Springs and dampers of member i, less what else acts there: those of the others have weights that
// vanish there to second order. After all members, their energies.
void lb_fork_members_balance(const lb_fork_members* members, int i, lb_fork_balance of);
void lb_fork_members_finish(const lb_fork_members* members);
