// The condensed model of a model with all nodes: the same world with each elastic body reduced to
// the few columns that matter for one linear solve (elastic/full/condensed.h). Who solves for all
// nodes makes the small system of the condensed model, solves that, and goes back to the nodes.
#pragma once
#include "elastic/full/condensed.h"
#include "limber/dynamics.h"

typedef struct lb_condensed_model {
  const lb_model* m;    // with all nodes
  lb_model* model;      // the condensed model, with bodies of our own
  lb_data* data;        // of it: joints where m's are, bodies' coordinates zero
  struct lb_link* link; // [nlink] of it
  int nbody;
  lb_condensed** body; // [nbody]
  int* body_link;      // [nbody] in both models
} lb_condensed_model;

// Arrays are taken from `arena`. Release it also after a failure.
lb_status lb_condensed_model_create(lb_condensed_model* s, const lb_model* m, lb_arena* arena);
void lb_condensed_model_release(lb_condensed_model* s);

// Factor the bodies' matrices where d is, for steps of dt.
lb_status lb_condensed_model_renew(lb_condensed_model* s, const lb_data* d, double dt);
// Go where d is and solve for the residual r [m's nv], from which the reactions of held faces are
// taken out.
lb_status lb_condensed_model_respond(lb_condensed_model* s, const lb_data* d, double* r);

// out [condensed model's nv] = what forces r [m's nv] do along its coordinates; and v += (motion c
// of the condensed model), from [condensed model's nv] to [m's nv].
void lb_condensed_model_project(const lb_condensed_model* s, double* out, const double* r);
void lb_condensed_model_expand(const lb_condensed_model* s, double* v, const double* c);
