// Channels of forces: one walk puts their names, their values, or both.
#pragma once
#include "limber/dynamics.h"
#include "math/space/simd.h"

typedef struct lb_channel_walk {
  const lb_model* m;
  lb_data* d;          // NULL: names alone
  lb_channel* channel; // [count], or NULL
  double* value;       // [count], or NULL
  int count;           // so far
} lb_channel_walk;

// The next channel; its `what` as by printf.
void lb_channel_put(lb_channel_walk* w, const char* name, lb_channel_kind kind, double value,
                    const char* what, ...) __attribute__((format(printf, 5, 6)));
// Three of a force on a body in the world's axes: NAME.fx, or NAME.PART.fx where a part is not
// NULL.
void lb_channel_put_vector(lb_channel_walk* w, const char* name, int body, const char* part,
                           lb_v4 force);

struct lb_force;
// Channels of a force along joints' coordinates, where it acts: what it adds to tau.
void lb_channel_put_joints(lb_channel_walk* w, const struct lb_force* force, const char* what,
                           bool (*acts)(const lb_model* m, int v));
