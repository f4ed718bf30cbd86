// Inside of a world, shared by its files.
#pragma once
#include "base/arena.h"
#include "design/fit/marker_track.h"
#include "limber/world.h"

// Wish of a caller for a motor, from the next step on.
typedef struct lb_wish {
  bool set;        // false: nothing, the profile counts
  double value;    // force, or position at the end of the coming step
  double velocity; // there; NAN: as the positions have it
} lb_wish;

struct lb_world {
  lb_arena arena; // of all but model, data, stepper and pushes
  lb_error err;   // errors since the last check
  lb_model* shown;
  const lb_model* m; // simulated model: shown, or its model with all nodes
  lb_data* d;
  lb_stepper* stepper;
  double* start;               // its state there
  lb_wish* wish;               // [nmotor]
  lb_command* command;         // [nmotor] commands in a step
  lb_external_force* external; // [capacity] of the coming step
  int capacity;
  int count[LB_PART_COUNT];
  const char** name[LB_PART_COUNT]; // [count] each
  lb_track_point* point;            // [count of points]
  double *q, *qd;                   // shown state, where it is another one; or NULL
  lb_body_velocity* velocity;       // [nbody]
  lb_vec3* at;                      // [count of points]
  lb_reaction* reaction;            // [njoint + npair] where `reacted`
  bool observed;                    // motors' and constraints' forces are those of this state
  bool reacted;                     // so are reactions
  bool moved;                       // kinematics and poses are those of this state
};

// May the world be used, and is there part i of it? Tells what is wrong, unless something was
// before.
bool lb_world_has(lb_world* w, lb_part part, int i);

// Does a body follow the effectors of its mechanism? Tells that nothing can act on it then.
bool lb_world_follows(lb_world* w, int body);

// The state or an input has changed: nothing that was computed holds.
static inline void lb_world_touch(lb_world* w) {
  w->observed = w->reacted = w->moved = false;
}
