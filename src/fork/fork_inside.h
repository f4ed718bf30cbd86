// What the files of this room share.
#pragma once
#include "fork/fork_linear.h"
#include "limber/fork.h"

// A reduction under way.
typedef struct lb_fork_work {
  const lb_model* m;
  const lb_scene_fork* what;
  int pose;             // which of its equilibria
  const double* wrench; // [neffector][6] on effectors along the world's axes, in its place; or NULL
  const lb_allocator* allocator;
  lb_arena scratch;
  const lb_model* held; // model with the base held
  int base_link;        // of a base that floats, or LB_WORLD
  lb_data* d;           // of `held`
  lb_equilibrium_solver* R;
  lb_fork_linear A;
  lb_motion* S;  // [nv] scratch: directions of coordinates at a point
  double* J_e;   // [6 neffector][nv] Jacobians of the effectors
  double* scale; // [6 neffector] of their twists: lengths in radii
  double* G;     // [6 neffector][nv] static responses to their wrenches
  lb_fork* fork;
} lb_fork_work;

lb_status lb_fork_no_memory(lb_error* err);

// --- in this order ---

// `held`, a model in which nothing between the world and the base moves.
lb_status lb_fork_hold_base(lb_fork_work* w, lb_error* err);
// d and R in the equilibrium.
lb_status lb_fork_find_equilibrium(lb_fork_work* w, lb_error* err);
// Poses, size, forces on effectors and J_e.
lb_status lb_fork_measure(lb_fork_work* w, lb_error* err);
// A, or why there is none: unstable, singular, without stiffness.
lb_status lb_fork_find_linear(lb_fork_work* w, lb_error* err);

// J [6][nv] of a frame X of a link, along the frame's own axes, where R last looked.
void lb_fork_jacobian(const lb_fork_work* w, int link, lb_transform X, double* J);

// Twist and wrench maps of all links: fork->T and fork->W.
lb_status lb_fork_fill_maps(lb_fork_work* w);
