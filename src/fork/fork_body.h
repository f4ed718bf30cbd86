// A reduced mechanism as an elastic body: its displacements are those of its links by the shapes A
// of fork_reduce.c, and its faces are its effectors. Several models of one are a body whose shapes
// change (fork_family.h).
#pragma once
#include "fork/fork_members.h"

// In the arena: masses, effectors and room for its springs, which are none yet. `d` is a state of
// the fork's model at its equilibrium; `has` [nbody] says which bodies are of it; `to_base` takes
// the world to its base.
lb_status lb_fork_body_create(const lb_fork* fork, lb_data* d, const bool* has,
                              lb_transform to_base, lb_arena* arena, lb_reduced** body);

// Springs and dampers: those of the fork, less what else acts on its effectors in `alone`, a model
// of this body and nothing beside it that moves. The equilibrium is at rest. Of several models:
// `members`, else NULL.
lb_status lb_fork_body_balance(lb_reduced* body, lb_fork* const* fork,
                               const lb_fork_members* members, const lb_model* alone,
                               const lb_allocator* allocator, lb_error* err);

// --- for bodies of several models ---

// Displacement of the points x of a body with centre c: u + W (x - c).
typedef struct lb_fork_field {
  lb_v4 u;
  lb_m3 W;
} lb_fork_field;

// A body's mass, centre and second moments, in the base's axes, and its displacements.
typedef struct lb_fork_mover {
  double m;
  lb_v4 c;
  lb_m3 S;
  const lb_fork_field* field; // [r]
} lb_fork_mover;

// A body of the model at pose X, without displacements.
lb_fork_mover lb_fork_mover_of(const lb_model* m, int body, lb_transform X);
// Its integrals, added to those of the elastic body.
void lb_fork_body_add(lb_reduced* b, const lb_fork_mover* mover);
// Velocities of all bodies' centres by each coordinate of a fork at its equilibrium, along `axes`:
// move [nbody][count].
void lb_fork_body_velocities(const lb_fork* f, lb_data* d, lb_quat axes, lb_motion* move);
