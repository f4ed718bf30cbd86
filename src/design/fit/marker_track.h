// Marker tracks of a moving model: positions at every step, read at any time in between.
#pragma once
#include "limber/dynamics.h"
#include "limber/fit.h"

// A marker on a model.
typedef struct lb_track_point {
  int body;
  lb_vec3 at;  // in the body's frame, undeformed
  int elastic; // the elastic body whose surface it follows, or -1: it is fixed to the frame
  int vertex;  // of that surface
} lb_track_point;

void lb_track_find(const lb_model* model, const lb_scene_marker* marker, lb_track_point* point);

// Position in the body's frame, with the model's coordinates q.
lb_vec3 lb_track_in_body(const lb_model* model, const double* q, const lb_track_point* point);

// Positions of `npoint` points at times 0, h, 2h, ...
typedef struct lb_track {
  int npoint;
  const lb_track_point* point; // [npoint]
  double h;
  int capacity; // frames
  int count;
  double* x; // [capacity][npoint][3]
} lb_track;

// Add the state as it is; poses are brought up to date.
void lb_track_add(lb_track* track, lb_data* data);
// Velocities instead, which are also how places change along changes of the coordinates.
void lb_track_add_velocities(lb_track* track, lb_data* data);

// All points at a time, by the cubic through the four frames around it; `rate` (may be NULL) is the
// derivative. Before the first and after the last frame they stand still.
void lb_track_read(const lb_track* track, double time, double* x, double* rate);
