// OpenSim's ScaleTool: which distances between markers say how large which bodies are.
#pragma once
#include "base/arena.h"
#include "limber/math.h"
#include "limber/status.h"
#include "scene/opensim/osim_tool.h"

// A distance: pairs of markers, whose ratios are averaged.
typedef struct lb_osim_measurement {
  const char* name;
  lb_place place;
  int npair;
  const char* (*pair)[2]; // [npair] names of markers
  int nbody;
  const char** body; // [nbody] bodies that it scales
  bool (*along)[3];  // [nbody] along which of their axes
} lb_osim_measurement;

// A factor that is given.
typedef struct lb_osim_factor {
  const char* body;
  lb_place place;
  lb_vec3 scale;
} lb_osim_factor;

// MarkerPlacer: markers that are not fixed go where a trial has them.
typedef struct lb_osim_placing {
  lb_osim_file markers; // table of a standing trial; none: markers stay
  double begin, end;    // of it [s]
  int ntask;
  const lb_osim_task* task; // [ntask] how much markers count for the pose; none: as ever
} lb_osim_placing;

typedef struct lb_osim_scaling {
  lb_place place;
  lb_osim_file markers; // table of a standing trial, or none
  double begin, end;    // of it [s]
  double mass;          // of the subject [kg]; NAN: not given
  bool preserve;        // how mass is spread over bodies
  int nmeasurement, nfactor;
  lb_osim_measurement* measurement;
  lb_osim_factor* factor;
  lb_osim_placing placing;
  int nnote;
  const lb_message* note;
} lb_osim_scaling;

lb_status lb_osim_scale_read(const char* path, lb_arena* arena, lb_osim_scaling* scaling,
                             lb_error* err);
