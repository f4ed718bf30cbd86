// Inside of a step's derivative (step_derivative.h): step_derivative.c takes it and multiplies with
// it, step_impact.c is about impacts.
#pragma once
#include "base/arena.h"
#include "dynamics/constraint/constraint_loop.h"
#include "solve/step/stage_system.h"
#include "solve/step/step_derivative.h"
#include "solve/step/step_matrix.h"

// (1) of step_derivative.h: how q follows from v and from the states before.
typedef struct lb_step_reach {
  double dt;
  double by_v; // dq/dv of joints whose coordinates are numbers: dt, or 0 in an impact
  int count;   // states before
  double weight[2];
  double* Q;    // [nlink][LB_STEP_BLOCK] dq/dv of joints whose coordinates are not numbers
  double* H[2]; // [nlink][LB_STEP_BLOCK] dq/dq_i, weights included
} lb_step_reach;

// s of (3) and of (6) of all constraints.
typedef struct lb_step_rows {
  lb_active_set set;
  bool* inactive;    // [all] constraints whose gap counts over dt
  double baumgarte;  // 1/dt of (3), or 0 in a stage within a step
  double *s_q, *s_v; // [all][nd] ds/dq and ds/dv
  double* J;         // [all][nd] directions of the forces
  double* gap_q;     // [all][nd] scratch
} lb_step_rows;

// Muscles at the end of a stage (step_muscle.c).
typedef struct lb_step_muscles {
  double* g;                 // [count][nv] generalised forces of a tension of one
  struct lb_muscle_now* now; // [count]
  bool still;                // an impact: nothing changes
} lb_step_muscles;

struct lb_step_derivative {
  const lb_model* m;
  const lb_allocator* allocator;
  const lb_derivative_type *steps, *type; // of the integrator; of the step that is here
  const lb_derivatives* dynamics;         // at its end
  struct lb_explicit_derivative* explicit;
  struct lb_linear_derivative* linear;
  lb_arena arena;       // of what lies behind the system's layers
  lb_stage_system sys;  // (5)
  lb_tree_slopes* tree; // in place of matrices, but for impacts; NULL: it never can
  lb_derivatives* D;    // of sys.op.small
  lb_step_reach reach;
  lb_step_rows of;
  lb_internal_forces internal;
  lb_step_muscles muscles;
  double *still_K, *still_M; // [nd][nd] of (6)
  double *q, *v, *a;         // [nv]
  double time;               // of the end
  bool inner;                // a stage within a step
  bool impact;
};

// --- Newton's method (implicit_correct.c) ---

// W of (4) at d's q, qd and qdd, factored, and E of all constraints in `of.gap_q`, under the
// multipliers lambda; false: W has no factors.
bool lb_step_newton_matrix(lb_step_derivative* S, lb_data* d, double dt, bool inner,
                           const double* lambda);
// For bodies with all their nodes, before r [nv] is solved for: S's data is where d is, and the
// reactions of held faces are taken out of r.
void lb_step_newton_pose(lb_step_derivative* S, lb_data* d, double* r);

// --- muscles (step_muscle.c) ---

bool lb_step_muscles_create(lb_step_derivative* S); // false: no memory
void lb_step_muscles_begin(lb_data* d, const lb_step_past* past);
void lb_step_muscles_take(lb_step_derivative* S, lb_data* d, const lb_step_past* past);
// Before the step's own transpose: from by activations and fibres of the end to by its q and v.
void lb_step_muscles_before(lb_step_derivative* S, const lb_step_effects* in);
// After it, with the multiplier mu: to what they came from, and excitations.
void lb_step_muscles_after(lb_step_derivative* S, const lb_step_causes* out,
                           const lb_step_effects* in, const double* mu);

// --- impacts (step_impact.c) ---

// Derivatives of M(q) a - J'lambda, at d's q with a its qdd: D's tau_q and M. Velocities in d's
// work are zero; `zero` [nv] is scratch, lambda of all constraints that are there.
void lb_derive_blow(lb_derivatives* D, lb_data* d, lb_constraint_set set, double* zero,
                    const double* lambda);
// d's links with the accelerations a, zero velocities and no gravity; `needed` [nv] is M(q) a.
void lb_pose_blow(lb_data* d, double* zero, double* needed);

// K and M of (6), then D at the end of the impact.
void lb_step_impact_derive(lb_step_derivative* S, lb_data* d, const lb_step_past* past);
