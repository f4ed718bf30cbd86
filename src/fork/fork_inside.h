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

// A reduction of a mechanism: what is checked first, its result without matrices, in `arena`, and
// `held`. To be closed, whether it could be opened or not.
lb_status lb_fork_work_open(lb_fork_work* w, const lb_model* model, const lb_scene_fork* what,
                            int pose, const double* wrench, lb_arena* arena, lb_error* err);
void lb_fork_work_close(lb_fork_work* w);
// Equilibrium, effectors and linearisation: all of the below.
lb_status lb_fork_work_linearise(lb_fork_work* w, lb_error* err);
// Compliance of the effectors along their own axes [6 neffector][6 neffector]; NULL: no memory.
const double* lb_fork_respond(lb_fork_work* w);

// --- in this order ---

// `held`, a model in which nothing between the world and the base moves.
lb_status lb_fork_hold_base(lb_fork_work* w, lb_error* err);
// d and R, with forces on the effectors.
lb_status lb_fork_work_prepare(lb_fork_work* w, lb_error* err);
// These, in the equilibrium.
lb_status lb_fork_find_equilibrium(lb_fork_work* w, lb_error* err);
// Poses, size, forces on effectors and J_e.
lb_status lb_fork_measure(lb_fork_work* w, lb_error* err);
// A, or why there is none: unstable, singular, without stiffness.
lb_status lb_fork_find_linear(lb_fork_work* w, lb_error* err);

// J [6][nv] of a frame X of a link, along the frame's own axes, where R last looked.
void lb_fork_jacobian(const lb_fork_work* w, int link, lb_transform X, double* J);

// Twist and wrench maps of all links: fork->T and fork->W.
lb_status lb_fork_fill_maps(lb_fork_work* w);
