// Training range of a basis against a motion, from recorded poses alone.
//
// Coordinates beyond those of the training say that a body bends too far. They cannot say that it
// should bend in a way that its shapes do not have: such a body is stiff. What the motion asks of
// it shows in how the body's frame and what its faces carry are accelerated, seen from the body.
#pragma once
#include "limber/recording.h"

// Poses over time, and what they are looked at through.
typedef struct lb_track {
  int nframe, nbody;
  const double* time;       // [nframe]
  const lb_transform* pose; // [nframe][nbody]
  lb_vec3 gravity;
  int stride; // frames from one look to the next: differences are as smooth as those of the
              // training
} lb_track;

// The acceleration of body `of` less gravity, and its angular acceleration, in the axes of `body`,
// by differences about `frame`. False where the track has no neighbours.
bool lb_track_load(const lb_track* t, int frame, int body, int of, double load[6]);

// The largest of each over the track, each at least a part of the largest of its three: [6].
void lb_track_most(const lb_track* t, int body, int of, double most[6]);
