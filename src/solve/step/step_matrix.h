// Newton's exact matrix of a stage of an implicit step, W and E of (4) of step_derivative.h.
#pragma once
#include "dynamics/joint/joint.h"
#include "limber/derivative.h"

enum { LB_STEP_BLOCK = LB_JOINT_MOST_V * LB_JOINT_MOST_V }; // numbers of a joint's dq/dv

// W of (4), by rows, a row and column of the identity for driven coordinates. D holds K, C, M at
// d's state.
void lb_step_matrix(double* W, const lb_derivatives* D, const lb_data* d, double dt);

// W += internal forces of elastic bodies, when D has none of them (lb_forces_differentiate_outer).
// By rows or by columns: it is symmetric. `block` has room for the tangent of each.
void lb_step_add_internal(double* W, size_t stride, const lb_model* m, const double* q,
                          const double* v, double dt, double* block, double* scratch);
// E of (4) from derivatives of the constraints [count][nv] by q and v, driven coordinates left out.
void lb_step_row(double* E, const lb_model* m, const lb_data* d, double dt, const double* s_q,
                 const double* s_v);

// Driven coordinates: zeros in x [nv]; in A [n][n] rows and columns of the identity.
void lb_step_clear_driven(const lb_model* m, double* x);
void lb_step_hold_driven(const lb_model* m, int n, double* A);
