// Paths of a model: points that move with links, and surfaces between them.
#pragma once
#include "geom/path/wrap_path.h"
#include "limber/model.h"

// A point of a path, or a surface between two of them.
typedef struct lb_path_item {
  lb_anchor at; // the point in its link; of a surface and of a moving point the frame it is in
  bool wraps;   // it is a surface
  lb_wrap wrap;
  lb_profile* along[3]; // of a moving point: x, y, z in that frame; NULL: it is fixed
  int q, v;             // coordinate that moves it, or -1
  int condition;        // coordinate of its condition, or -1
  double at_least, at_most;
} lb_path_item;

// Mass along a path. Material point k of the belly, 0 to 1, is at the arc length
//
//   sigma = A(k) + B(k) L,   A = A0 + k A1,   B = B0 + k B1
//
// of a path of length L. Stiff tendons p and d: A = p - k (p + d), B = k.
typedef struct lb_path_mass {
  double mass; // [kg]; 0: massless
  double A0, A1, B0, B1;
  int points; // mass points; 0: continuum
} lb_path_mass;

typedef struct lb_model_path {
  const char* name;
  int count;
  lb_path_item* item; // [count]
  lb_path_mass mass;
  int nv;
  int* v; // [nv] velocities that move it
} lb_model_path;

enum { LB_PATH_SPANS = LB_PATH_MOST_POINTS };
