// The shadow of a model with all nodes: the same world with each elastic body reduced to the few
// columns that matter for one linear solve (elastic/condensed.h). Who solves for all nodes makes
// the small system of the shadow, solves that, and goes back to the nodes.
#pragma once
#include "elastic/condensed.h"
#include "limber/dynamics.h"

typedef struct lb_shadow {
  const lb_model* m;    // with all nodes
  lb_model model;       // the shadow, with bodies of our own
  lb_data* data;        // of it: joints where m's are, bodies' coordinates zero
  struct lb_link* link; // [nlink] of it
  int nbody;
  lb_condensed** body; // [nbody]
  int* body_link;      // [nbody] in both models
} lb_shadow;

// Arrays are taken from `arena`. Release it also after a failure.
lb_status lb_shadow_create(lb_shadow* s, const lb_model* m, lb_arena* arena);
void lb_shadow_release(lb_shadow* s);

// Factor the bodies' matrices where d is, for steps of dt.
lb_status lb_shadow_renew(lb_shadow* s, const lb_data* d, double dt);
// Go where d is and answer the residual r [m's nv], from which the reactions of held faces are
// taken out.
lb_status lb_shadow_answer(lb_shadow* s, const lb_data* d, double* r);

// out [shadow's nv] = what forces r [m's nv] do along its coordinates; and v += (motion c of the
// shadow), from [shadow's nv] to [m's nv].
void lb_shadow_project(const lb_shadow* s, double* out, const double* r);
void lb_shadow_expand(const lb_shadow* s, double* v, const double* c);
