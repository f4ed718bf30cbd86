// A joint as a table of functions. To add a kind, add a file with its table and its line in
// joint.c.
//
// Kinds that are used most have files of their own. All others are charts (math/curve/chart.h),
// which one kind of link moves by (joint_chart.c).
//
// The link's frame has its z axis along the axis of a hinge or slide; at zero angles a universal
// joint has its first axis along z and its second along x. A chart moves the joint's own frame.
// `s` belongs to the link, `p` to its parent.
#pragma once
#include "dynamics/tree/state.h"
#include "limber/dynamics.h"

typedef enum lb_flow {
  LB_FLOW_RATE,    // dq/dt at `from`, for methods that add up slopes; h is 1
  LB_FLOW_ADVANCE, // q moved along qd for a time h, staying a valid coordinate
  LB_FLOW_REACH,   // q moved from `from` along qd at q itself for a time h, for implicit methods
  LB_FLOWS
} lb_flow;

// A state before, of weight w where an implicit step sets out from; another has the rest of it
// (lb_turn_between; NULL: w is one).
typedef struct lb_past {
  const double *q, *other;
  double weight;
} lb_past;

typedef struct lb_joint {
  // From R and r at zero coordinates to R and r at q. `sc` holds the sine and cosine of a hinge.
  void (*place)(lb_state* s, const double* q, const double sc[2]);

  // Angular velocity and bias accelerations from the parent's, R and r: s->w, c_al, c_a.
  void (*move)(lb_state* s, const lb_state* p, const double* qd);

  // Velocity of the origin: s->v.
  void (*move_origin)(lb_state* s, const lb_state* p, const double* qd);

  // Acceleration of the joint's own: adds S qdd to al and a.
  void (*accelerate)(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd);

  // ABA on the way in: `out` is what the parent feels of s->IA through the joint, bias included.
  void (*articulate)(lb_articulated* out, lb_state* s, const double* tau, const double* armature);

  // ABA on the way out: given al and a without the joint's own acceleration, find qdd and add it.
  void (*solve)(lb_state* s, double* qdd);

  // Inertial force and moment of a mass that is not rigid, added to n and f; NULL: the link is
  // rigid.
  void (*inertia)(lb_state* s, lb_v4* n, lb_v4* f);

  // S' (n, f), added to tau
  void (*project)(double* tau, const lb_state* s, lb_v4 n, lb_v4 f);

  // Columns of S: angular part then linear part of each coordinate, moments about the origin.
  void (*columns)(lb_v4* S, const lb_state* s);

  // Stretch of a spring along each velocity. NULL: by the numbers' q - rest.
  void (*stretch)(double* x, const double* q, const double* rest);

  // Flow: coordinates by velocities (lb_flow), q from `from`. All NULL: qd are the rates of the
  // numbers q. Else they end with a unit quaternion, and velocities resist by threes.
  void (*flow[LB_FLOWS])(double* q, const double* from, const double* qd, double h);

  // --- derivatives (dynamics_derivative.h); a small change of q is counted along qd ---

  // qd are the rates of numbers that qd integrates to, not an angular velocity.
  bool integrable;

  // Derivatives of the directions by the joint's own coordinates beyond turning with the link, T_ik
  // of direction i along k, as motions at the origin: sum_i T_ik qd_i in `rate`, and in `curve`
  // sum_i T_ik qdd_i + d/dq_k (sum_ij T_ij qd_i qd_j), seen from the link. Only for integrable
  // coordinates. NULL: not at all.
  void (*bend)(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* qd,
               const double* qdd);
  // K[i * stride + k] += T_ik.(n, f)
  void (*bend_force)(double* K, int stride, const lb_state* s, lb_v4 n, lb_v4 f);

  // The derivative of `stretch`, X [nv][nv]. NULL: 1 on the diagonal.
  void (*stretch_by)(double* X, const double* q, const double* rest);

  // Derivative of `reach` by qd, [nv][nv], and by a state before. NULL: h and the state's weight
  // on the diagonal.
  void (*reach_by_rate)(double* Q, const double* qd, double h);
  void (*reach_by_past)(double* H, const double* q, lb_past past, const double* qd, double h);
} lb_joint;

// Indexed by the links' kinds.
extern const lb_joint* const LB_JOINT[LB_LINK_COUNT];

extern const lb_joint lb_joint_revolute, lb_joint_prismatic, lb_joint_universal, lb_joint_spherical,
    lb_joint_free, lb_joint_general, lb_joint_elastic, lb_joint_face, lb_joint_full,
    lb_joint_full_face, lb_joint_effector, lb_joint_tendon;

// Velocities of link i's joint that resist together: a ball's three, a free body's by threes, else
// each by itself.
int lb_joint_together(const lb_model* m, int i);
// True where a spring acts on the velocity. Stretch of link i's joint, x [link's nv].
bool lb_spring_acts(const lb_model* m, int v);
void lb_joint_stretch(const lb_model* m, int i, double* x, const double* q);
// Derivative of link i's joint springs' forces by stiffness, out [link's nv]; and that of their
// power on velocities mu [nv] by stretch.
void lb_joint_springs_by_stiffness(const lb_model* m, int i, const double* q, double* out);
void lb_joint_springs_by_stretch(const lb_model* m, int i, const double* q, const double* mu,
                                 double* out);

// Velocity of an origin that stays where its joint has it in the parent.
void lb_joint_move_origin(lb_state* s, const lb_state* p, const double* qd);

// Index of a joint's quaternion among its nq numbers, of which it is the last; -1: there is none.
static inline int lb_quaternion_at(int nq, int nv) {
  return nq == nv ? -1 : nq - 4;
}

// Flows of rotations as quaternions with body-frame velocity.
void lb_quat_rate(double* dq, const double* q, const double* w, double h);
void lb_quat_advance(double* q, const double* from, const double* w, double h);
// The rotation vector from a quaternion to another, x [3], and how it changes with the latter along
// w, X by rows.
void lb_quat_stretch(double* x, const double* q, const double* rest);
void lb_quat_stretch_by(double* X, int stride, const double* q, const double* rest);
// Derivative of lb_quat_advance by w, and by a past quaternion that `from` lies between.
lb_m3 lb_quat_advance_by_rate(const double* w, double h);
lb_m3 lb_quat_advance_by_past(lb_past past, const double* w, double h);

// All coordinates: q moved along qd for a time h; dq/dt.
void lb_advance(const lb_model* m, double* q, const double* qd, double h);
// Its parts: links [first, last), and free particles.
void lb_advance_links(const lb_model* m, int first, int last, double* q, const double* qd,
                      double h);
void lb_advance_particles(const lb_model* m, double* q, const double* qd, double h);
void lb_rates(const lb_model* m, double* dq, const double* q, const double* qd);
void lb_reach(const lb_model* m, double* q, const double* from, const double* qd, double h);
// Rotations of q, others of its coordinates left alone: w of the way from a's to b's, on beyond
// both.
void lb_turn_between(const lb_model* m, double* q, const double* a, const double* b, double w);

// Bring a link's coordinates back to unit quaternions where they have them.
void lb_normalise(const lb_model* m, double* q);
void lb_normalise_links(const lb_model* m, int first, int last, double* q);

// Change of charts near their singularities to better numbers of the same state; true when some
// changed. Numbers that something acts on stay: a rotor, a spring, limits, a constraint or a motor
// would see them jump. (Damping and friction act on rates, and resist before and after.) So do
// those in `keeps` [nv]; NULL: there are none.
bool lb_rechart(const lb_model* m, const bool* keeps, double* q, double* qd);
// Slopes of something by coordinates and velocities [nv] after that, made slopes by those before,
// which are given.
void lb_rechart_back(const lb_model* m, const bool* keeps, const double* q, const double* qd,
                     double* by_q, double* by_v);
// The first joint with numbers that stay and came through a singular place of its chart, or is near
// one (chart.h), or -1.
int lb_singular_joint(const lb_model* m, const bool* keeps, const double* from, const double* q,
                      double near);
// The first joint whose numbers a step of h could not follow, since it came too near to where some
// of them move the body alike (joint_singular.c), or -1. From where and with what velocities it
// came; `reach` is how many steps the singular place must be away.
int lb_unfollowed_joint(const lb_model* m, const double* from, const double* rates, const double* q,
                        double h, double reach);
