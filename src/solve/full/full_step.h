// The derivative of an implicit step for bodies with all their nodes (step_derivative.h): the
// step's system over nodes and joints, seen in the coordinates y of the interface model.
//
// The interface model is the same world with bodies that have the traces of their faces for
// coordinates (elastic/full/full_body_derivative.h): y = E x is a joint's coordinate as it is and z
// = F u of a body, and loads along y act with E'. Its derivatives K, C, M know everything but the
// nodes' own forces, what they exert at their frames by N, along the directions P of these, and
// what the frames' motions do to nodes by U, with g = (Gk dq + Gc dv + Gm da) the change of such a
// motion. So
//
//   dr = E'(K E dq + C E dv + M E da + P'N dx) + U g + (own forces)                           (1)
//
// and with nodes eliminated, as (2) there has it, y is solved for with
//
//   W = (that of the interface model) + c^-1 + Phi'U Gw + P'(N Psi - N S0 U Gw),   Gw = Gm/dt + Gc
//   + Gk Q (2)
//
// c^-1, Phi' and Psi in the rows and columns of the body's traces. No matrix of all nodes is made
// but the factors of each body's own.
#pragma once
#include "elastic/full/full_body_derivative.h"
#include "limber/derivative.h"
#include "limber/dynamics.h"

typedef struct lb_full_part { // a body
  lb_full_derivative T;
  int link;
  int q, v;          // of its nodes in the model
  int y;             // of its traces in the interface model, coordinates and velocities
  double *K, *C, *M; // [9][ny] Gk, Gc and Gm, of which the first six rows are P
  double *W, *P;     // [9][ny] Gw and [6][ny] P, driven coordinates left out
} lb_full_part;

typedef struct lb_full_step {
  const lb_model* m; // with all nodes
  lb_model* model;   // the interface model, with bodies of our own
  struct lb_link* link;
  lb_data* data; // of it
  int ny, nt;    // its velocities; of these, joints', which are the model's first
  int nbody;
  lb_full_part* body; // [nbody]
  double* y;          // [ny] of what is being solved for
  double* seen[3];    // [ny] scratch
  double* sum[3];     // [ny] likewise
} lb_full_step;

// Arrays are taken from `arena`. Release it also after a failure.
lb_status lb_full_step_create(lb_full_step* T, const lb_model* m, lb_arena* arena);
void lb_full_step_release(lb_full_step* T);

// d's links under its q, qd and qdd; then the interface model where d is.
lb_data* lb_full_step_pose(lb_full_step* T, lb_data* d);
// The matrices G of (1), after lb_derive at the interface model's state.
void lb_full_step_take(lb_full_step* T, const lb_derivatives* D);
// For a step of dt: W [ny][ny], the interface model's, to that of (2). false: a body's own is
// singular.
bool lb_full_step_factor(lb_full_step* T, double dt, double* W);

// Before b [nv] is solved for: T's y, whose loads may still be added to; and b from y afterwards.
void lb_full_step_before(lb_full_step* T, bool transposed, const double* b);
void lb_full_step_after(lb_full_step* T, bool transposed, double* b);

// y = E x; and x += s E'y.
void lb_full_step_see(const lb_full_step* T, double* y, const double* x);
void lb_full_step_gather(const lb_full_step* T, double* x, double s, const double* y);

// (1), y += s dr, with the interface model's matrices in `of`; and the transpose.
typedef struct lb_full_matrices {
  const double *K, *C, *M; // [ny][ny] by rows
} lb_full_matrices;
void lb_full_step_add(lb_full_step* T, lb_full_matrices of, double* y, double s, const double* q,
                      const double* v, const double* a);
void lb_full_step_add_back(lb_full_step* T, lb_full_matrices of, double* q, double* v, double* a,
                           double s, const double* mu);
