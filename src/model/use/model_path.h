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
  int condition_v;
  lb_node_range range; // in which it counts; over > 0: it is a dependent node
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

// Elastic tendon of a muscle with mass. Its stretch u is a coordinate of its own, of a link that
// moves nothing (joint_tendon.c). Material point k then is at
//
//   sigma = A(k) + B(k) L + sum C(k) u,   C = C0 + k C1
//
// and L - sum u is the length that what pulls along the path sees.
typedef struct lb_path_tendon {
  int q, v;
  double slack; // [m]
  double part;  // of the whole slack length
  double C0, C1;
} lb_path_tendon;
enum { LB_PATH_TENDONS = 2 };

typedef struct lb_model_path {
  const char* name;
  int count;
  lb_path_item* item; // [count]
  lb_path_mass mass;
  int ntendon;
  lb_path_tendon tendon[LB_PATH_TENDONS];
  int nv;
  int* v;       // [nv] velocities that move it
  int straight; // lines from a point to the next
  int nline;    // straight pieces that it is drawn with
  int nhidden;  // nodes beside it that dependent ones follow from, at most
} lb_model_path;

enum {
  LB_PATH_SPANS = LB_PATH_MOST_POINTS,
  LB_WRAP_LINES = 14,   // lines over a surface
  LB_PATH_GROUPS = 16,  // of dependent nodes
  LB_PATH_HIDDEN = 64,  // nodes that these follow from, beside the path
  LB_PATH_SLOPES = 4096 // numbers of their derivatives
};
enum { LB_PATH_NODES = LB_PATH_MOST_POINTS + LB_PATH_HIDDEN };

// A point comes in over a part of a coordinate: a node that depends on its neighbours, too.
static inline bool lb_path_item_blends(const lb_path_item* item) {
  return item->condition >= 0 && item->range.over > 0;
}
// A point counts, by its condition; its range is a little wider, as OpenSim's [m or rad].
static inline bool lb_path_item_counts(const lb_path_item* item, const double* q) {
  static const double SLACK = 1e-5;
  return item->condition < 0 || item->range.over > 0 ||
         (q[item->condition] >= item->range.at_least - SLACK &&
          q[item->condition] <= item->range.at_most + SLACK);
}
// Group of n such points, one after the other.
lb_node_group lb_path_blend_group(int n, const lb_path_item* item);

// Stretch of all its tendons, and the rate of that.
static inline double lb_path_stretch(const lb_model_path* path, const double* q) {
  double sum = 0;
  for (int i = 0; i < path->ntendon; i++) {
    sum += q[path->tendon[i].q];
  }
  return sum;
}
static inline double lb_path_stretch_rate(const lb_model_path* path, const double* qd) {
  double sum = 0;
  for (int i = 0; i < path->ntendon; i++) {
    sum += qd[path->tendon[i].v];
  }
  return sum;
}

// Frame of a point or surface, from poses of bodies.
lb_transform lb_path_item_frame(const lb_path_item* item, const lb_transform* pose);
// Place of a point alone, where the frame it is in is at X.
lb_vec3 lb_path_item_place(const lb_path_item* item, lb_transform X, const double* q);
// Places of all points of a path, [count], that count, from the frames of all items.
void lb_path_places(const lb_model_path* path, const lb_transform* frame, const double* q,
                    lb_vec3* out);

// A place in a frame.
static inline lb_vec3 lb_path_into(lb_transform X, lb_vec3 x) {
  return lb_quat_rotate(lb_quat_conjugate(X.q), lb_vec3_sub(x, X.p));
}

// A part of a path over a surface, its ends in the surface's frame.
typedef struct lb_placed_span {
  const lb_path_item* surface;
  lb_vec3 p, q;
  bool lost; // one of a row over which no way was found
} lb_placed_span;
// All parts over surfaces, in order, [LB_PATH_SPANS], in a frame of a recording: how many.
int lb_model_path_spans(const lb_model_path* path, const lb_transform* pose, const double* q,
                        lb_placed_span* out);
// Length of a path, in a frame of a recording.
double lb_model_path_length(const lb_model_path* path, const lb_transform* pose, const double* q);
// Length of the belly of a path with mass, in a frame of a recording.
double lb_model_path_belly(const lb_model_path* path, const lb_transform* pose, const double* q);

// Surface with a network that a path is used outside the range of, in a frame of a recording, and
// that range in words; NULL: there is none.
const lb_path_item* lb_model_path_strays(const lb_model_path* path, const lb_transform* pose,
                                         const double* q, const char** range);

// Places along a path where its lines meet, [nline + 1], in a frame of a recording.
void lb_model_path_draw(const lb_model_path* path, const lb_transform* pose, const double* q,
                        lb_vec3* out);
