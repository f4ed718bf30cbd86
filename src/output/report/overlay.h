// Several recordings of one scene in one picture: a recording of a world in which all its bodies
// are there several times, some of them as ghosts. Everything that shows a recording shows it.
// Their models may differ in how finely elastic bodies are meshed.
#pragma once
#include "base/arena.h"
#include "limber/recording.h"

// One of the motions. Things that do not move are shown once, with the first.
typedef struct lb_layer {
  const lb_recording* r;
  const char* name;
  const double* ghost; // [4] linear colour of all of it; NULL: its own
} lb_layer;

enum { LB_LAYERS_MOST = 3 };

// Overlay in the arena, sharing what it can with the layers; false when there is no memory. Bodies
// of layer k are k * nbody and on, and are called LAYER/BODY. Springs are not shown.
bool lb_overlay_make(lb_recording* out, int count, const lb_layer* layer, lb_arena* arena);

extern const double LB_GHOST_TARGET[4], LB_GHOST_BEFORE[4];
