// Changes of a muscle's path, and of its rates, with one coordinate or one velocity: of nodes, also
// those that depend on several links, of frames of surfaces, of the ends of spans in these, of
// lengths and of the belly.
#pragma once
#include "dynamics/muscle/muscle_inertia.h"

enum { LB_CHANGE_ENDS = 6 }; // numbers of both ends of a span

// Of a place, with that of its link's rotation theta.
typedef struct lb_node_change {
  lb_v4 theta, dx, dxd, dxdd;
} lb_node_change;
// Of a frame and its origin.
typedef struct lb_frame_change {
  lb_v4 theta, dx, dxd, dxdd, dw, dal;
} lb_frame_change;

typedef struct lb_span_change {
  lb_node_change node[2];
  lb_frame_change frame;
  double y[3][LB_CHANGE_ENDS]; // of both ends in the frame, and of their rates
  double l[3], c[3];           // of the length and of those before, and their rates
} lb_span_change;

// Of the belly's beginning and size, and of their rates.
typedef struct lb_belly_change {
  double begin[3], size[3];
} lb_belly_change;

// Motions of a node or a frame with all coordinates, [nv] each, and room for changes of forces.
typedef struct lb_motions {
  lb_motion *S, *psi, *chi, *sig, *change;
} lb_motions;

typedef struct lb_path_changes {
  lb_derivatives* D;
  const lb_mass_path* P;
  const lb_work* w;
  const double *qd, *qdd;
  lb_motions node[LB_PATH_NODES], frame[LB_PATH_SPANS];
} lb_path_changes;

// Motions of all nodes and frames of P, with its accelerations and its dependent nodes'
// derivatives.
void lb_change_begin(lb_path_changes* d);
static inline bool lb_change_has_frame(const lb_path_changes* d, int s) {
  return d->P->p.span[s].surface;
}
// What a group of dependent nodes follows from, with rates.
void lb_change_places(const lb_path_changes* d, const lb_path_group* g, int k, bool velocity,
                      double (*dz)[LB_GROUP_NUMBERS]);
// All spans, [LB_PATH_SPANS], and the belly.
lb_belly_change lb_change_spans(const lb_path_changes* d, int k, bool velocity,
                                lb_span_change* out);
// Material point k at an arc length, and the bound of piece j of a span, in k.
double lb_change_material(const lb_path_changes* d, double k, double dsigma,
                          const lb_belly_change* b);
double lb_change_bound(const lb_path_changes* d, const lb_span_change* c, int span, int j, bool end,
                       const lb_belly_change* b);
