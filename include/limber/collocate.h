// Direct collocation: a motion and the controls that make it, found together as one nonlinear
// program. It follows a motion that is given, or finds one that reaches goals with little effort.
#pragma once
#include "limber/fit.h"
#include "limber/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A force or torque that collocation may choose.
typedef enum lb_control_kind {
  LB_CONTROL_MOTOR,  ///< of the scene
  LB_CONTROL_MUSCLE, ///< its excitation
  LB_CONTROL_RESERVE ///< on a coordinate, at a price
} lb_control_kind;

typedef struct lb_control {
  const char* name; ///< of the motor, the muscle or the coordinate
  lb_control_kind kind;
  int index;          ///< of the motor or muscle; of a reserve: its velocity
  double least, most; ///< INFINITY: any
} lb_control;

/// How a search ended.
typedef enum lb_collocate_end {
  LB_COLLOCATE_CONVERGED,
  LB_COLLOCATE_NEARLY, ///< as far as rounding allows
  LB_COLLOCATE_LIMIT,
  LB_COLLOCATE_INTERRUPTED,
  LB_COLLOCATE_INFEASIBLE, ///< no motion nearby obeys all equations and limits
  LB_COLLOCATE_FAILED
} lb_collocate_end;
const char* lb_collocate_end_name(lb_collocate_end end);

/// A motion with its controls at the nodes of the mesh.
typedef struct lb_collocation {
  const lb_model* model;
  int nnode, nstate, ncontrol;
  double duration;                    ///< [s] of the last solution
  double* time;                       ///< [nnode]
  double *q, *qd, *qdd;               ///< [nnode][nv]
  double* x;                          ///< [nnode][nx] activation and fibre length, as of lb_data
  double* u;                          ///< [nnode][ncontrol]
  lb_control* control;                ///< [ncontrol]
  const char** coordinate;            ///< [nv] names
  const double* q_ref;                ///< [nnode][nv] the motion that was followed, or NULL
  double objective, effort, tracking; ///< integrals of all, of controls, and of distances
  double rms;                         ///< of coordinates from those followed [rad, m]
  double residual;                    ///< largest of dynamics [N m or N] and of what must hold
  double gap;                         ///< largest of constraints at nodes
  int iterations;
  int before; ///< iterations of easier searches before, for a motion to begin at
  int nhistory;
  double* history; ///< [nhistory] objective after each iteration
  int variables, equations;
  int unsettled; ///< iterations of one that was followed whose activations did not settle
  lb_collocate_end end;
  struct lb_collocating* work; ///< NULL: it was followed step by step
  void* storage;               ///< of one without
} lb_collocation;

/// What comes beside the scene; all may be NULL or NAN.
typedef struct lb_collocate_inputs {
  const lb_joint_motion* motion; ///< to follow
  const lb_markers* markers;     ///< likewise
  double cutoff;                 ///< of a low-pass filter on the motion [Hz]
  bool opensim;                  ///< filter and rates as OpenSim's tools have them
  double from, to;               ///< [s] part of the motion
  int threads;
  lb_progress progress;
} lb_collocate_inputs;
lb_collocate_inputs lb_collocate_default(void);

/// Compile, with a guess: the motion that is given, or a straight way from the start to what must
/// hold at the end. Model, scene and inputs must outlive it. LB_INVALID with places where something
/// is not for collocation.
lb_status lb_collocation_create(const lb_model* model, const lb_scene* scene,
                                const lb_collocate_inputs* inputs, const lb_allocator* allocator,
                                lb_collocation** collocation, lb_error* err);
void lb_collocation_release(lb_collocation* collocation);

/// Seconds that an iteration of a search will take here, about: judged by one node.
double lb_collocation_pace(lb_collocation* collocation);

/// Solve from what is there. LB_INTERRUPTED leaves the last iterate.
lb_status lb_collocation_solve(lb_collocation* collocation, lb_error* err);

/// Begin with a table that the results of another search left, solution.csv, of this mesh or
/// another one.
lb_status lb_collocation_resume(lb_collocation* collocation, const char* path, lb_error* err);

/// Numbers of a node in solution.csv: how many, their headings, and their values.
typedef struct lb_heading {
  char text[120];
} lb_heading;
int lb_collocation_width(const lb_collocation* collocation);
lb_heading lb_collocation_heading(const lb_collocation* collocation, int number);
double lb_collocation_number(const lb_collocation* collocation, int node, int number);

/// Use of a control over the motion.
typedef struct lb_control_use {
  double peak, time, rms; ///< largest, when, and root mean square
} lb_control_use;
lb_control_use lb_collocation_use(const lb_collocation* collocation, int control);

/// Frames at the nodes; the recording keeps rates and torques, which are those of reserves.
lb_status lb_collocation_record(const lb_collocation* collocation, lb_recording* recording,
                                lb_error* err);

#ifdef __cplusplus
}
#endif
