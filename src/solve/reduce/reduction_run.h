// The pieces of a reduction: reduced bodies out of bases, and replays beside the full run.
#pragma once
#include "elastic/reduced/pca.h"
#include "elastic/reduced/stored.h"
#include "limber/reduce.h"
#include "model/build/body_masses.h"
#include "solve/full/full_run.h"

// A reduced body from a basis: integrals, cubature, range. `eta` [count][r] are the coordinates it
// is trained for; without any, poses under loads on its faces train the cubature, and it has no
// range.
typedef struct lb_reduce_input {
  const lb_scene* scene;
  int nbody;
  const int* body; // [nbody] of the scene, all alike
  const lb_elastic_body* open;
  const lb_basis* basis;
  int count;
  const double* eta;
} lb_reduce_input;
lb_status lb_reduce_store(const lb_reduce_input* in, lb_arena* arena, lb_stored* stored,
                          lb_cubature_report* report);

// Reference of a replay.
typedef struct lb_replayer {
  const lb_scene* scene;
  const lb_reduce_options* options;
  const lb_full_run* full;
  const lb_stored* const* faces; // [scene nbody] who knows the faces of the elastic bodies
} lb_replayer;

// The scene once more with `stored` [scene nbody] in place of its elastic bodies (NULL: as
// described). error[i] and rms[i] [full nelastic] are of each body's worst face.
lb_status lb_replay(const lb_replayer* p, const lb_stored* const* stored, lb_arena* arena,
                    lb_reduce_replay* replay, double* error, double* rms, lb_error* err);
