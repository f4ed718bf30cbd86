// Paths of a model: points that move with links, and surfaces between them.
#pragma once
#include "geom/path/wrap_chain.h"
#include "limber/model.h"

// A point of a path, or a surface between two of them.
typedef struct lb_path_item {
  lb_anchor at; // the point in its link; of a surface and of a moving point the frame it is in
  int body;     // that it is part of, and where there
  lb_transform in_body;
  bool wraps; // it is a surface
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
  int* v;       // [nv] velocities that move it
  int straight; // lines from a point to the next
  int nline;    // straight pieces that it is drawn with
} lb_model_path;

enum { LB_PATH_SPANS = LB_PATH_MOST_POINTS, LB_WRAP_LINES = 14 }; // lines over a surface

// A point counts, by its condition; its range is a little wider, as OpenSim's [m or rad].
static inline bool lb_path_item_counts(const lb_path_item* item, const double* q) {
  static const double SLACK = 1e-5;
  return item->condition < 0 || (q[item->condition] >= item->at_least - SLACK &&
                                 q[item->condition] <= item->at_most + SLACK);
}

// Frame of a point or surface, from poses of bodies.
lb_transform lb_path_item_frame(const lb_path_item* item, const lb_transform* pose);
// Place of a point, where the frame it is in is at X.
lb_vec3 lb_path_item_place(const lb_path_item* item, lb_transform X, const double* q);

// A place in a frame.
static inline lb_vec3 lb_path_into(lb_transform X, lb_vec3 x) {
  return lb_quat_rotate(lb_quat_conjugate(X.q), lb_vec3_sub(x, X.p));
}

// Surface with a network that a path is used outside the range of, in a frame of a recording, and
// that range in words; NULL: there is none.
const lb_path_item* lb_model_path_strays(const lb_model_path* path, const lb_transform* pose,
                                         const double* q, const char** range);

// Places along a path where its lines meet, [nline + 1], in a frame of a recording.
void lb_model_path_draw(const lb_model_path* path, const lb_transform* pose, const double* q,
                        lb_vec3* out);
