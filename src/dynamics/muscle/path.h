// Paths at a state: nodes on links, and between them spans that are straight or go over a surface.
// Everything is in the world's axes.
//
// A span from node a to node b has a length l(y), y = (p, q) being its ends in the frame of the
// surface, which has the pose (R, o). A tension F along it exerts, with the gradient g = dl/dy,
//
//   -F R g_p on a,   -F R g_q on b,   and the opposite, at the same places, on the surface
//
// and F along the stretches of tendons, by which what pulls sees it shorter;
// since p = R'(x_a - o). A straight span has the world for its frame, and g_p = -g_q.
#pragma once
#include "dynamics/force/force_point.h"
#include "geom/path/wrap_chain.h"
#include "model/use/model_path.h"

// A place of a path, or one that its dependent nodes are found from.
typedef struct lb_path_node {
  const lb_path_item* item;
  bool dependent;    // on no link: it follows from other places (node_group.h)
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

// Dependent nodes x(z), one after the other, and what they follow from.
typedef struct lb_path_group {
  lb_node_group of;
  lb_group_solution at;
  int first;                            // of its nodes
  int place[LB_GROUP_PLACES];           // nodes
  int v[LB_GROUP_NODES];                // velocities of its coordinates
  double coordinate[LB_GROUP_NODES][3]; // with rates
  int known;                            // orders of dx/dz that are there
  int slopes;                           // where they begin
} lb_path_group;

typedef struct lb_path {
  const lb_model_path* of;
  int count;                        // of nodes along it; spans are one less
  int nhidden;                      // beside it, from LB_PATH_MOST_POINTS on
  lb_path_node node[LB_PATH_NODES]; // see lb_path_nodes
  int ngroup;
  lb_path_group group[LB_PATH_GROUPS];
  double slope_of[LB_PATH_SLOPES]; // series of dx/dz of groups, by order, number of x, number of z
  lb_path_span span[LB_PATH_SPANS];
  double length, rate;
  double F;       // tension, to be set by whoever pulls
  double slope;   // of F by the length less the stretch of tendons
  double damping; // of F by the rate of that
} lb_path;

// Nodes, lengths and gradients, velocities of origins in place.
void lb_path_find(lb_path* p, const lb_model_path* of, lb_work* w, const double* q,
                  const double* qd);
// Forces of the tension on links and, of moving points, on coordinates.
void lb_path_pull(const lb_path* p, lb_work* w);
// Force on a node, on links and coordinates.
void lb_path_push(const lb_path_node* n, lb_v4 force, double* tau);
// Derivatives of its forces.
void lb_path_derive(lb_derivatives* D, lb_path* p, const double* qd, bool symmetric);
// Derivative of its forces by one more of F where coordinate v changes by one: added to column v
// of K.
void lb_path_derive_tension(lb_derivatives* D, double* K, lb_path* p, int v, double F);
// Power of one more of F, for velocities mu [nv].
double lb_path_power(const lb_derivatives* D, lb_path* p, const double* mu);
// Moment arms -dL/dq [nv], and 1 of tendons, columns of the links in place (lb_fill_columns).
void lb_path_arms(const lb_model* m, const lb_work* w, const lb_path* p, double* arm);

// --- dependent nodes ---

// Nodes on links and dependent ones, along a path and beside it: how many, and where the j-th is.
static inline int lb_path_nodes(const lb_path* p) {
  return p->count + p->nhidden;
}
static inline int lb_path_which(const lb_path* p, int j) {
  return j < p->count ? j : LB_PATH_MOST_POINTS + j - p->count;
}

// Rates of a group's nodes, to order N, and dx/dz with its rates to order M, at most N. Those of
// its places are there.
void lb_path_follow(lb_path* p, lb_path_group* g, int N, int M);
// dx/dz of a group, at an order: [numbers of x][numbers of z].
static inline const double* lb_path_slope(const lb_path* p, const lb_path_group* g, int order) {
  return p->slope_of + g->slopes + order * 3 * g->of.n * lb_group_numbers(&g->of);
}
// Numbers along z that do the work of forces on a group's nodes: (dx/dz)'f.
void lb_path_transfer(const lb_path* p, const lb_path_group* g, const lb_v4* f, double* out);
// Hand forces on dependent nodes, among those `on` all, on to their places and coordinates.
void lb_path_hand_on(const lb_path* p, lb_v4* on, double* tau);
// Changes of a node of a group and of its rates with those dz of z, to `orders` of rates.
void lb_path_change(const lb_path* p, const lb_path_group* g, int node, int orders,
                    const double (*dz)[LB_GROUP_NUMBERS], lb_v4* out);
// f.d2x/dz2 dz of a group, for forces on its nodes and a change of z: [numbers of z].
void lb_path_curve(const lb_path* p, const lb_path_group* g, const lb_v4* f, const double* dz,
                   double* out);

// K -= S'change for the velocities of a path, which alone move it.
void lb_path_derive_force(const lb_derivatives* D, const lb_model_path* of, double* K,
                          const lb_motion* S, const lb_motion* change);

// --- inside ---

// Length, rate and gradient of span i, its frame and nodes in place.
void lb_path_measure(lb_path* p, int i);
// Its rate alone, where its nodes have got velocities.
void lb_path_measure_rate(lb_path* p, int i);
// Frame of a surface at a state; accelerations where there are any.
lb_path_frame lb_path_frame_find(const lb_path_item* item, const lb_work* w);
// An end of a span, in its frame.
lb_path_end lb_path_end_in(const lb_path_frame* f, const lb_path_node* n);
static inline lb_v4 lb_path_world(const lb_path_frame* f, lb_vec3 a) {
  return lb_m3_apply(f->R, lb_v4_from(a));
}
