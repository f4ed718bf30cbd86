// Parts of a scene that belong to a mechanism.
//
// Bodies that fixed joints hold together count as one. Without its base and its effectors, what is
// left of a scene falls apart; inner bodies are those pieces that hang on the base and an effector,
// or on several effectors. What hangs on one alone, as a wheel on its carrier, is outside.
#pragma once
#include "base/arena.h"
#include "limber/scene.h"

typedef enum lb_fork_side {
  LB_FORK_OUTSIDE,
  LB_FORK_BASE, // and all that is fixed to it
  LB_FORK_INNER,
  LB_FORK_EFFECTOR
} lb_fork_side;

typedef struct lb_fork_parts {
  const lb_scene* scene;
  const lb_scene_fork* what;
  int base;           // body, or LB_WORLD
  lb_fork_side* side; // [1 + nbody] of the world and of bodies
  int* effector;      // [nbody] first effector that a body moves with, or -1
  bool* inside;       // [njoint] joints of the mechanism
} lb_fork_parts;

// LB_INVALID: an effector does not hang on the base, or the base does not carry it.
lb_status lb_fork_find_parts(const lb_scene* scene, const lb_scene_fork* what, lb_arena* arena,
                             lb_fork_parts* parts, lb_error* err);

static inline lb_fork_side lb_fork_side_of(const lb_fork_parts* p, int body) {
  return p->side[1 + body];
}

// Does a body belong to the mechanism, as an inner one or with an effector?
static inline bool lb_fork_has(const lb_fork_parts* p, int body) {
  return lb_fork_side_of(p, body) >= LB_FORK_INNER;
}

// Does anything move that is neither the mechanism nor its base?
bool lb_fork_has_others(const lb_fork_parts* parts);

// Sets of effectors that are independent of each other while the base is held, as the legs of a
// robot: the first effector of each one's set, [neffector]. NULL: no memory.
const int* lb_fork_sets(const lb_fork_parts* parts, lb_arena* arena);

// Tree joint that carries a body, or -1.
int lb_scene_carrier(const lb_scene* scene, int body);

// Parts that bodies of something are of.
typedef struct lb_fork_touch {
  bool inner, effector, outside;
} lb_fork_touch;
static inline void lb_fork_touch_add(lb_fork_touch* t, const lb_fork_parts* p, int body) {
  const lb_fork_side side = lb_fork_side_of(p, body);
  t->inner |= side == LB_FORK_INNER;
  t->effector |= side == LB_FORK_EFFECTOR;
  t->outside |= side == LB_FORK_OUTSIDE;
}
