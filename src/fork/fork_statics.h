// Compliance of effectors at an equilibrium, and how it changes with a number x of the model.
//
// The equilibrium q(x), lambda(x) of r(q, lambda; x) = 0, gap(q; x) = 0 moves along its tangent,
//
//   (1)  K dq - J'dlambda = -dr/dx,   J dq = -dgap/dx
//
// from the static solution of fork_linear.h, and C = J_e S J_e' changes along it. dr/dx, dgap/dx
// and dC/dx are differences of fourth order between models in which x alone differs. Nothing is
// iterated in them, so that they are exact to some eleven digits.
#pragma once
#include "limber/fork.h"

typedef struct lb_fork_statics lb_fork_statics;

// `model` and `what` must outlive it. Fails as lb_fork_create does.
lb_status lb_fork_statics_create(const lb_model* model, const lb_scene_fork* what, int pose,
                                 const lb_allocator* allocator, lb_fork_statics** statics,
                                 lb_error* err);
// NULL is ignored.
void lb_fork_statics_release(lb_fork_statics* statics);

// Effectors with their poses and C; all else of it is not there.
const lb_fork* lb_fork_statics_at(const lb_fork_statics* statics);

// Models in which a number is larger by these multiples of h.
enum { LB_FORK_BESIDE = 4 };
extern const double LB_FORK_BESIDE_AT[LB_FORK_BESIDE];

// A model with another number, and its fork.
typedef struct lb_fork_beside {
  const lb_model* model;
  const lb_scene_fork* what;
} lb_fork_beside;

// dC [neffector][6][6] by the number, of each effector to wrenches on itself along the world's
// axes, as lb_fork_compliance has it.
lb_status lb_fork_statics_differentiate(lb_fork_statics* statics,
                                        const lb_fork_beside at[LB_FORK_BESIDE], double h,
                                        double* dC, lb_error* err);
