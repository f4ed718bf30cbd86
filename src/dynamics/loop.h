// Joints that close loops, as constraints between two links of the tree.
#pragma once
#include "base/carve.h"
#include "limber/dynamics.h"

typedef struct lb_loops lb_loops;

// The loops' share of a data block; NULL when the model has none or the carver only measures.
lb_loops* lb_loops_lay_out(lb_carver* c, const lb_model* m);

// Constraint forces: given the accelerations without them (lb_aba_solve is done), add the forces
// that keep the loops closed to the links' external forces. The caller solves again.
void lb_loops_apply(const lb_model* m, lb_data* d);

// The same for multipliers that are known, one a row of lb_loops_linearise().
void lb_loops_push(const lb_model* m, lb_data* d, const double* lambda);

// Move q and qd to the nearest ones, in the metric of the mass matrix, that close the loops; driven
// coordinates stay. A few Newton steps; lb_loop_gap (dynamics.h) tells how well it went.
void lb_loops_close(const lb_model* m, lb_data* d);

// The rows at d's q and qd, whose kinematics are in place: how many, their gaps and the rates of
// these, and the rows of J (driven coordinates left out). Good until the next call about loops.
typedef struct lb_loop_rows {
  int count;
  const double* gap;  // [count]
  const double* rate; // [count]
  const double* J;    // [count][nv]
} lb_loop_rows;
lb_loop_rows lb_loops_linearise(const lb_model* m, lb_data* d);
// The most rows a model can have.
int lb_loops_most_rows(const lb_model* m);
