// A run with all nodes of the elastic bodies, kept: where the bodies were and how their meshes were
// displaced, frame by frame. Made by simulating, or read from the file of an earlier one.
#pragma once
#include "elastic/reduced/pca.h"
#include "limber/reduce.h"

typedef struct lb_full_run {
  int nframe, nbody;
  const double* time;       // [nframe]
  const char* const* body;  // [nbody] names
  const lb_transform* pose; // [nframe][nbody] in the world
  int nelastic;
  const int* elastic;                    // [nelastic] bodies
  const int* ndof;                       // [nelastic]
  const double** u;                      // [nelastic][nframe][ndof] in the body's frame
  double wall_seconds, steps_per_second; // 0 when it was read
} lb_full_run;

// Run the scene; frames are spread evenly over it. Everything is in `arena`. LB_INTERRUPTED and
// LB_FAILED leave a run, too, where at least two frames were done; else *run is unchanged.
lb_status lb_full_run_make(const lb_scene* scene, const lb_reduce_options* options, lb_arena* arena,
                           lb_full_run* run, lb_error* err);

// Read full.npz in a folder, which must be a run of this scene's bodies.
lb_status lb_full_run_read(const lb_scene* scene, const char* dir, lb_arena* arena,
                           lb_full_run* run, lb_error* err);

// The bytes of that file.
lb_status lb_full_run_pack(const lb_full_run* run, lb_arena* arena, char** bytes, size_t* size);
