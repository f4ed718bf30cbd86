// Mechanisms: how many ways a scene can move and which, what its loops say twice, how far cranks of
// linkages turn, where they jam, and the curves of their points.
#pragma once
#include "limber/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A coordinate that can be chosen; others follow from it.
typedef struct lb_freedom {
  const char* joint;
  int coordinate; ///< of the joint's velocities
  int moves;      ///< velocities of others that go with it
} lb_freedom;

/// Rows of a constraint that follow from the others.
typedef struct lb_redundancy {
  const char *kind, *name;
  int rows, redundant;
} lb_redundancy;

/// End of a crank's range: bars that hold each other there, in a line.
typedef struct lb_dead_point {
  double angle; ///< of the crank [rad]
  int nbar;
  const char** bar; ///< [nbar] at most three, those with the largest forces first
} lb_dead_point;

/// Path of a point over the crank's range.
typedef struct lb_coupler_curve {
  const char* point;
  bool foot;
  double (*at)[2];      ///< [LB_COUPLER_SAMPLES] in the drawing's plane [m]
  double width, height; ///< [m]
} lb_coupler_curve;

enum { LB_COUPLER_SAMPLES = 361 }; ///< from one end of the range to the other

/// One linkage as it is drawn.
typedef struct lb_linkage_motion {
  const char *name, *crank;
  bool turns;            ///< all the way round
  double from, to;       ///< range of the crank's angle [rad]
  int ndead;             ///< 0 or 2
  lb_dead_point dead[2]; ///< at `from` and at `to`
  double transmission; ///< least singular value of bars' directions, 0 at a dead point; NAN: points
                       ///< are free beside the crank
  double transmission_at; ///< angle where it is least [rad]
  int ncurve;
  lb_coupler_curve* curve;
  int nside;
  double (*side)[4]; ///< [nside] ends x, y, x, y as drawn [m]
} lb_linkage_motion;

/// Mobility of a scene without its motors, at its start.
typedef struct lb_mechanism {
  int coordinates;     ///< velocities of the tree
  int rows;            ///< of constraints
  int rank;            ///< of their Jacobian
  int nfreedom;        ///< coordinates - rank
  lb_freedom* freedom; ///< [nfreedom] those of motors and cranks first
  int nredundancy;
  lb_redundancy* redundancy; ///< constraints with redundant rows
  int nlinkage;
  lb_linkage_motion* linkage;
  struct lb_arena* storage;
} lb_mechanism;

/// Of a scene that a model can be made of. `scene` must outlive it.
lb_status lb_mechanism_create(const lb_scene* scene, const lb_allocator* allocator,
                              lb_mechanism** mechanism, lb_error* err);
/// NULL is ignored.
void lb_mechanism_release(lb_mechanism* mechanism);

#ifdef __cplusplus
}
#endif
