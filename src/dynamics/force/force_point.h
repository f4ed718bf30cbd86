// Points of bodies that forces act on.
#pragma once
#include "dynamics/derivative/dynamics_derivative.h"

typedef struct lb_force_point {
  lb_v4 at;       // in the world
  lb_v4 velocity; // of the material point; only after lb_move_origins
  lb_state* link; // NULL: of the world
  int index;      // of the link, or LB_WORLD
  lb_v4 arm;      // from the link's origin
} lb_force_point;

static inline lb_force_point lb_force_point_find(lb_work* w, const lb_anchor* anchor) {
  lb_force_point p = {.at = lb_v4_from(anchor->X.p), .index = anchor->link};
  if (anchor->link != LB_WORLD) {
    p.link = &w->state[anchor->link];
    p.arm = lb_m3_apply(p.link->R, p.at);
    p.at = p.link->p + p.arm;
    p.velocity = p.link->v + lb_v4_cross(p.link->w, p.arm);
  }
  return p;
}

static inline void lb_force_point_apply(const lb_force_point* p, lb_v4 force) {
  if (p->link) {
    p->link->xf += force;
    p->link->xn += lb_v4_cross(p->arm, force);
  }
}

// Derivative of a point's velocity by a coordinate: it turns along and gains psi.
static inline lb_v4 lb_force_point_gain(lb_motion S, lb_motion psi, lb_v4 velocity) {
  return psi.v + lb_v4_cross(S.w, velocity);
}

// Loads of the scene and the external forces of a caller, which come after them.
int lb_loads_count(const lb_model* m, const lb_data* d);
// Load i if it stays in the world's axes: where it acts, and moment and force there. false: it
// turns with its body, or acts on nothing that moves.
bool lb_load_stays(const lb_model* m, const lb_data* d, int i, lb_force_point* p, lb_motion* load);
