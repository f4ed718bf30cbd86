// Coordinates of joints: how a frame moves with a few numbers q, and all derivatives of that which
// dynamics asks for.
//
// A chart is a product of factors, each a rigid motion Q(q) that depends on some of the
// coordinates. A factor knows its own motion and derivatives; the product does the rest (chart.c).
// So a chain of joints is a chart like any other, and a new kind of joint is a new factor.
//
// Everything is seen from the frame that moves, in its axes and at its origin:
//
//   S_i = Q^-1 dQ/dq_i,   V = S qd,   b = Sdot qd
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "math/space/se3.h"
#include "math/space/spatial_motion.h"

enum { LB_CHART_MOST = 6 }; // coordinates

typedef struct lb_chart_at {
  lb_m3 R; // rotation of Q
  lb_v4 p; // position of Q
  lb_motion S[LB_CHART_MOST];
  lb_motion V, b;
  lb_motion T[LB_CHART_MOST][LB_CHART_MOST];           // dS_i/dq_k
  lb_motion rate[LB_CHART_MOST], curve[LB_CHART_MOST]; // dV/dq_k and db/dq_k
} lb_chart_at;

// Order of derivatives; each includes those before.
typedef enum lb_chart_order {
  LB_CHART_PLACE, // R, p, S
  LB_CHART_MOVE,  // V, b
  LB_CHART_BEND   // T, rate, curve
} lb_chart_order;

// Grid of a search for coordinates (chart_find.h): values that are tried of each, the first of
// them, how far they are from each other, and the period after which the same comes again, or 0.
typedef struct lb_chart_grid {
  int tries[LB_CHART_MOST];
  double from[LB_CHART_MOST], apart[LB_CHART_MOST], period[LB_CHART_MOST];
} lb_chart_grid;

static inline void lb_chart_grid_set(lb_chart_grid* g, int k, int tries, double from, double apart,
                                     double period) {
  g->tries[k] = tries;
  g->from[k] = from;
  g->apart[k] = apart;
  g->period[k] = period;
}
// Every segment of a spline, twice.
static inline void lb_chart_grid_segments(lb_chart_grid* g, int k, int segments, double period) {
  lb_chart_grid_set(g, k, 2 * segments, 0.25, 0.5, period);
}

struct lb_factor;

typedef struct lb_factor_type {
  // Multiply what is there by the factor; `q` and `qd` are those of the whole chart. qd is not read
  // by LB_CHART_PLACE.
  void (*multiply)(lb_chart_at* at, const struct lb_factor* f, int n, const double* q,
                   const double* qd, lb_chart_order order);
  // Singularities of `count` numbers: nearness, 1 at the first, 2 at the second; and a change to
  // others before the first, for the same place and motion. NULL: there is none.
  int count;
  double (*strain)(const struct lb_factor* f, const double* q);
  void (*rechart)(const struct lb_factor* f, double* q, double* qd);
  // Slopes of something by the others, made slopes by these, which are given: all of the whole
  // chart.
  void (*rechart_back)(const struct lb_factor* f, const double* q, const double* qd, double* by_q,
                       double* by_qd);
  // Its share of a grid; NULL: it has no coordinates. Distances begin at zero, from where one step
  // is enough.
  void (*grid)(const struct lb_factor* f, lb_chart_grid* grid);
  // Its k-th number is meant for 0 to this, in spans of a spline of length one; NULL: for any.
  double (*end)(const struct lb_factor* f, int k);
} lb_factor_type;

typedef struct lb_factor {
  const lb_factor_type* type;
  int first;       // of its coordinates
  lb_motion screw; // of lb_factor_screw and lb_factor_function: motion for each unit
  const struct lb_profile* profile; // of lb_factor_function: its argument is the coordinate; NULL:
                                    // the coordinate itself
  bool follows;                     // likewise: another factor has the coordinate
  lb_m3 R;                          // rotation of a constant motion (lb_factor_frame)
  lb_v4 p;                          // position of a constant motion; radii of an ellipsoid
  int count;                        // of lb_factor_curve: frames
  bool cyclic;                      // likewise: the last is followed by the first
  const lb_m3* frame_R;             // [count]
  const lb_v4* frame_p;             // [count]
  const lb_motion* way;             // [count] logarithm of the motion from each frame to the next
  int rows, columns;                // of lb_factor_surface
  const double* control[6]; // [rows][columns] each of x, y, z and angles about x, y, z; NULL: zero
} lb_factor;

typedef struct lb_chart {
  int n; // coordinates
  int nfactor;
  const lb_factor* factor; // [nfactor]
} lb_chart;

// A constant motion; a turn about or a shift along an axis, or both at once; the same by a function
// of a coordinate, which several may share; a rotation vector; a curve, and a surface, of frames; a
// place on an ellipsoid, whose angles others turn by.
extern const lb_factor_type lb_factor_frame, lb_factor_screw, lb_factor_function,
    lb_factor_exponential, lb_factor_curve, lb_factor_surface, lb_factor_ellipsoid;

void lb_chart_evaluate(const lb_chart* c, lb_chart_at* at, const double* q, const double* qd,
                       lb_chart_order order);

// Coordinate k is meant for 0 to this: INFINITY unless it runs along an open spline.
double lb_chart_end(const lb_chart* c, int k);

// True where coordinate k runs along a spline; and its knots on both sides of x, the first and the
// last span going on for ever.
bool lb_chart_has_knots(const lb_chart* c, int k);
void lb_chart_span(const lb_chart* c, int k, double x, double* lower, double* upper);

// Numbers beyond this strain are better changed.
#define LB_CHART_STRAINED 0.75

// The largest strain of factors.
double lb_chart_strain(const lb_chart* c, const double* q);

// Did a factor with a coordinate in `of` [n] come through a singular place on the way between two
// sets of numbers, or is it nearer to one than this, in parts of the way there?
bool lb_chart_is_singular(const lb_chart* c, const double* from, const double* q, const bool* of,
                          double near);

// Change to better numbers for the same place and motion where some are strained, but those of
// factors with a coordinate in `keeps` [n]. True: some changed.
bool lb_chart_rechart(const lb_chart* c, double* q, double* qd, const bool* keeps);
// Slopes by what the numbers q and qd change to, [n] each, made slopes by these.
void lb_chart_rechart_back(const lb_chart* c, const double* q, const double* qd, const bool* keeps,
                           double* by_q, double* by_qd);

// The volume that directions of unit length span: 1 at right angles, 0 where the chart is singular
// (chart_volume.c). `own` [n] is what a number weighs by itself, over what the frame weighs: a
// rotor keeps it from running away where it moves nothing. Of LB_CHART_PLACE.
double lb_chart_volume(const lb_chart_at* at, int n, const double* own);

// Rate by which the frame turns away from an axis about which numbers turn against each other by
// `dq` [1/s]: spin about it leaves it where it is. Motion by levers counts over the longest of
// them. Of LB_CHART_MOVE.
double lb_chart_pace(const lb_chart_at* at, int n, const double* dq);

// Turns `dq` [n] of the numbers that undo each other [rad], the frame staying where it is.
double lb_chart_idle_turn(const lb_chart_at* at, int n, const double* dq);

// Chart of six coordinates Q = exp(xi), by itself (chart_twist.c). Each order sets its own numbers
// alone, from those before, which are in place; LB_CHART_PLACE does not read xid, and keeps
// Stumpff's functions of xi in c.
void lb_chart_twist(lb_chart_at* at, double c[LB_STUMPFF_COUNT], const double xi[6],
                    const double xid[6], lb_chart_order order);

// --- for factors ---

// at = at E, where E depends on coordinates [first, first + count), numbered from 0 in E.
void lb_chart_multiply(lb_chart_at* at, const lb_chart_at* E, int n, int first, int count,
                       lb_chart_order order);

// at = at exp(screw f), where f depends on one or two coordinates from `first` on: its value, first
// and second derivatives, and the third ones times qd twice.
typedef struct lb_jet {
  double f, g[2], h[2][2], c[2];
} lb_jet;
void lb_chart_multiply_screw(lb_chart_at* at, int n, int first, int count, lb_motion screw,
                             const lb_jet* f, const double* qd, lb_chart_order order);

// at = at Q with a constant Q.
void lb_chart_multiply_frame(lb_chart_at* at, int n, lb_m3 R, lb_v4 p, lb_chart_order order);
