// What the files of this room share.
#pragma once
#include "fork/fork_linear.h"
#include "limber/fork.h"

// A reduction under way.
typedef struct lb_fork_work {
  const lb_model* m;
  const lb_scene_fork* what;
  int pose; // which of its equilibria
  const lb_allocator* allocator;
  lb_arena scratch;
  const lb_model* held; // model with the base held
  int base_link;        // of a base that floats, or LB_WORLD
  lb_data* d;           // of `held`
  lb_equilibrium_solver* R;
  lb_fork_linear A;
  double* J;     // [nlink][6][nv] Jacobians of all links
  double* J_e;   // [6 neffector][nv] those of the effectors
  double* scale; // [6 neffector] of their twists: lengths in radii
  double* G;     // [6 neffector][nv] static responses to their wrenches
  lb_fork* fork;
} lb_fork_work;

// Twist and wrench maps of all links: fork->T and fork->W.
lb_status lb_fork_fill_maps(lb_fork_work* w);
