// What the files of a step's derivative share (step_derivative.h): step_derivative.c takes it and
// multiplies with it, step_rows.c says which rows are equations, step_impact.c is about impacts.
#pragma once
#include "base/arena.h"
#include "dynamics/loop.h"
#include "solve/node_derivative.h"
#include "solve/step_derivative.h"
#include "solve/step_matrix.h"

// What a row is at the end of a step.
typedef enum lb_row_state {
  LB_ROW_FREE,  // it pushes one way, and does not
  LB_ROW_IDLE,  // nor does this one, but it is closed ...
  LB_ROW_COULD, // ... and could push instead of others that do
  LB_ROW_HOLDS  // it pushes, or holds both ways
} lb_row_state;

struct lb_step_derivative {
  const lb_model* m;
  const lb_allocator* allocator;
  lb_arena arena;            // of nodes alone
  lb_node_derivative* nodes; // of strands and flesh; NULL: there are none
  int nd;                    // coordinates but for those of free nodes, which come last
  lb_derivatives* D;         // of those
  const double *K, *C, *M;   // [nd][nd] of (4): D's, or those of an impact; C NULL: zero
  double *still_K, *still_M; // [nd][nd] of impacts; NULL: no row pushes one way
  double dt;
  double reach; // dq/dv of joints whose coordinates are numbers: dt, or 0 in an impact
  double pace;  // 1/dt of (3), or 0 in a stage within a step
  bool inner;   // it is one
  bool impact;
  int count;    // states before
  double* Q;    // [nlink][LB_STEP_BLOCK] dq/dv of joints whose coordinates are not numbers
  double* H[2]; // [nlink][LB_STEP_BLOCK] dq/dq_i, weights included
  double weight[2];
  double* W;              // [nd][nd] its transpose is factored, for which it is by columns
  int* order;             // [nd]
  int rows;               // that are equations and do not repeat others ...
  int* row;               // [rows] ... which ...
  int* row_motor;         // [rows] ... and the motor that asks for its gap, or -1
  lb_row_state* state;    // [all rows]
  bool* lands;            // [all rows] those whose s is gap / dt
  double *s_q, *s_v;      // [rows][nd] ds/dq and ds/dv, all coordinates
  double* J;              // [rows][nd] directions of the forces, all coordinates
  double* gap_q;          // [rows][nd] scratch
  double* E;              // [rows][nd] of (4), driven coordinates left out
  double* F;              // [rows][nd] J, driven coordinates left out
  double* Z;              // [rows][nd] F as couplings of fixed ratio leave it, then W^-1 F'
  double* A;              // [rows][rows] E Z, factored
  int* pivot;             // [2 * rows]
  double* nu;             // [rows]
  double* work;           // [4 * rows]
  double* part;           // [rows][rows] scratch
  double* share;          // [2 * rows] likewise
  int* member;            // [rows] likewise
  bool* one_way;          // [rows] likewise
  double *q, *v, *a, *mu; // [nv]
  double* from;           // [nq]
  double *eta, *etad;     // [nq], [nv] coordinates and velocities at the step's end
  double* block;          // [most r][most r] of elastic bodies
  double* scratch;        // for their forces
  double* push;           // [nmotor][nd] generalised force of a unit push; zero of other motors
};

// Solve with W, or with its transpose, for the velocities that couplings of fixed ratio leave
// (dynamics/gear.h): b [count][nd].
void lb_step_solve(const lb_step_derivative* S, bool transposed, int count, double* b);

// --- rows (step_rows.c) ---

// What the rows that were last linearised are, from the multipliers.
void lb_step_rows_judge(lb_step_derivative* S, const lb_data* d, const lb_step_past* past);
// Their derivatives, and A of (5) factored; false: it is singular. After W.
bool lb_step_rows_differentiate(lb_step_derivative* S, lb_data* d);

// --- impacts (step_impact.c) ---

// K and M of (6), then D at the end of the impact.
void lb_step_impact_derive(lb_step_derivative* S, lb_data* d, const lb_step_past* past);
// W of (6) from its M.
void lb_step_impact_matrix(lb_step_derivative* S);
