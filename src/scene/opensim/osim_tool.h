// Setups of OpenSim's tools: which model, which motion or markers, which forces, and how.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

// How much a marker counts in inverse kinematics.
typedef struct lb_osim_task {
  const char* marker;
  lb_place place;
  double weight; // 0: it does not
} lb_osim_task;

// A file that a setup names, and where. Its path is as seen from the setup; NULL: none is named.
typedef struct lb_osim_file {
  const char* path;
  lb_place place;
} lb_osim_file;

typedef struct lb_osim_tool {
  const char* kind; // its element: "InverseDynamicsTool"
  lb_place place;
  lb_osim_file model, markers, motion, forces, states, controls;
  double begin, end; // [s], -INFINITY and INFINITY: all
  double cutoff;     // [Hz]; NAN: none
  double tolerance;  // of a simulation's integrator; 0: none is given
  bool equilibrium;  // fibres of muscles start in equilibrium, whatever the states say
  int ntask;
  const lb_osim_task* task;
  int power; // of static optimisation; 0: there is none
  int nnote;
  const lb_message* note; // [nnote] what was not read
} lb_osim_tool;

// InverseKinematicsTool, InverseDynamicsTool, AnalyzeTool or ForwardTool.
lb_status lb_osim_tool_read(const char* path, lb_arena* arena, lb_osim_tool* tool, lb_error* err);
// An IKTaskSet alone, or that of an InverseKinematicsTool.
lb_status lb_osim_tasks_read(const char* path, lb_arena* arena, lb_osim_tool* tool, lb_error* err);
