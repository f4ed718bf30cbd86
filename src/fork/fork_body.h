// A reduced mechanism as an elastic body: its displacements are those of its links by the shapes A
// of fork_reduce.c, and its faces are its effectors.
#pragma once
#include "elastic/reduced/reduced.h"
#include "limber/fork.h"

// In the arena: masses, effectors and room for its springs, which are none yet. `d` is a state of
// the fork's model at its equilibrium; `has` [nbody] says which bodies are of it; `to_base` takes
// the world to its base.
lb_status lb_fork_body_create(const lb_fork* fork, lb_data* d, const bool* has,
                              lb_transform to_base, lb_arena* arena, lb_reduced** body);

// Springs and dampers: those of the fork, less what else acts on its effectors in `alone`, a model
// of this body and nothing beside it that moves. The equilibrium is at rest.
lb_status lb_fork_body_balance(lb_reduced* body, const lb_fork* fork, const lb_model* alone,
                               const lb_allocator* allocator, lb_error* err);
