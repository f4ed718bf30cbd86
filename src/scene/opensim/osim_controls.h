// Controls of muscles and actuators over time: a ControlSet of OpenSim's, or a table with a column
// for each.
#pragma once
#include "base/arena.h"
#include "limber/profile.h"
#include "limber/status.h"

// End of the name of a load that is the opposite of an actuator's.
#define LB_OSIM_REACTION "_reaction"

typedef struct lb_osim_control {
  const char* name; // of the muscle or actuator
  lb_place place;
  lb_profile_definition profile;
} lb_osim_control;

typedef struct lb_osim_controls {
  int count;
  lb_osim_control* item;
  int nnote;
  const lb_message* note; // [nnote] what was not read
} lb_osim_controls;

// Times count from `start` on [s].
lb_status lb_osim_controls_read(const char* path, double start, lb_arena* arena,
                                lb_osim_controls* controls, lb_error* err);
