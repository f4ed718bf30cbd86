// Paths at a state: nodes on links, and between them spans that are straight or go over a surface.
// Everything is in the world's axes.
//
// A span from node a to node b has a length l(y), y = (p, q) being its ends in the frame of the
// surface, which has the pose (R, o). A tension F along it exerts, with the gradient g = dl/dy,
//
//   -F R g_p on a,   -F R g_q on b,   and the opposite, at the same places, on the surface
//
// since p = R'(x_a - o). A straight span has the world for its frame, and g_p = -g_q.
#pragma once
#include "dynamics/force/force_point.h"
#include "model/use/model_path.h"

typedef struct lb_path_node {
  const lb_path_item* item;
  lb_force_point at; // its velocity that of the point itself, moving ones included
  lb_v4 acceleration;
  lb_v4 slope[3]; // of a moving point: derivatives of its place by the coordinate
} lb_path_node;

// Frame of a surface.
typedef struct lb_path_frame {
  int link;
  lb_m3 R;
  lb_v4 o, arm; // origin, and that from the link's
  lb_v4 w, v;   // velocity, of the origin
  lb_v4 al, a;  // acceleration
} lb_path_frame;

typedef struct lb_path_span {
  const lb_path_item* surface; // NULL: straight
  lb_path_frame frame;
  lb_path_end end[2]; // y and its rates
  double length, rate, acceleration;
  lb_v4 g[2]; // gradient by the places of the nodes, R g
} lb_path_span;

typedef struct lb_path {
  const lb_model_path* of;
  int count; // of nodes; spans are one less
  lb_path_node node[LB_PATH_MOST_POINTS];
  lb_path_span span[LB_PATH_SPANS];
  double length, rate;
  double F;       // tension, to be set by whoever pulls
  double slope;   // of F by the length
  double damping; // of F by its rate
} lb_path;

// Nodes, lengths and gradients, velocities of origins in place.
void lb_path_find(lb_path* p, const lb_model_path* of, lb_work* w, const double* q,
                  const double* qd);
// Forces of the tension on links and, of moving points, on coordinates.
void lb_path_pull(const lb_path* p, lb_work* w);
// Force on a node, on links and coordinates.
void lb_path_push(const lb_path_node* n, lb_v4 force, double* tau);
// Derivatives of its forces.
void lb_path_derive(lb_derivatives* D, const lb_path* p, const double* qd, bool symmetric);
// Derivative of its forces by one more of F where coordinate v changes by one: added to column v
// of K.
void lb_path_derive_tension(lb_derivatives* D, double* K, const lb_path* p, int v, double F);
// Power of one more of F, for velocities mu [nv].
double lb_path_power(const lb_derivatives* D, const lb_path* p, const double* mu);
// Moment arms -dL/dq [nv], columns of the links in place (lb_fill_columns).
void lb_path_arms(const lb_model* m, const lb_work* w, const lb_path* p, double* arm);

// --- inside ---

// Frame of a surface at a state; accelerations where there are any.
lb_path_frame lb_path_frame_find(const lb_path_item* item, const lb_work* w);
// An end of a span, in its frame.
lb_path_end lb_path_end_in(const lb_path_frame* f, const lb_path_node* n);
static inline lb_v4 lb_path_world(const lb_path_frame* f, lb_vec3 a) {
  return lb_m3_apply(f->R, lb_v4_from(a));
}
