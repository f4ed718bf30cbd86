// The derivative of one stage of an implicit step (implicit.h) by everything it starts from, and
// its transpose: what Newton's exact matrix, forward sensitivities and the discrete adjoint are
// made of. Free particles of ropes and deformables are eliminated before the tree's coordinates, in
// all of (5) and of its transpose (particle_derivative.h), and so are those of elastic bodies with
// all their nodes (full_step.h).
//
// A step finds q, v, a at its end, and multipliers lambda of loops, from
//
//   q = reach(sum_i c_i q_i, v, dt),   a = (v - sum_i c_i v_i) / dt                        (1)
//   r(q, v, a, lambda) = rnea - forces - J'lambda = 0                                      (2)
//   s(q, v) = rate + gap / dt = 0                                                          (3)
//
// with i over the one or two states before, rotations along the turn from one to the other
// (lb_turn_between); a motor prescribes q, v, a of its coordinate. With K,
// C, M the derivatives of r by q, v, a, Q that of q by v and H_i by q_i,
//
//   W = M/dt + C + K Q,   E = ds/dv + ds/dq Q                                              (4)
//   [W -J'; E 0] (dv, dlambda) = -(K dq0 + C dv0 + M da0, ds/dq dq0 + ds/dv dv0)           (5)
//
// where dq0, dv0, da0 are the changes that do not come from dv: those of the states before and of
// motors. All changes of q are counted along velocities (limber/derivative.h). Loop constraints
// that are redundant are left out.
//
// Of unilateral constraints those are equations that are active at the end of the step; what lands
// in it has s = gap / dt. The derivative is that for the set of them as it is: at a change of the
// set it is that of one side. An impact, which follows a step in which something lands, has
//
//   q = q_1,   a = v - v_1,   r = M(q) a - J'lambda = 0,   s = rate = 0                    (6)
//
// and is a stage with dt = 1 in (5), with Q = 0 and C = 0. Motors lead q and v of their
// coordinates; a of those is zero.
#pragma once
#include "limber/derivative.h"
#include "limber/scene.h"
#include "model/use/model_derive.h"

// Start of a step. The end is in lb_data: time, q and qd.
typedef struct lb_step_past {
  double dt;            // of BDF2 2/3 h, or h for a first step
  int count;            // states before: 2, or 1 for a first step, for BDF1 and a first stage
  double weight[2];     // c_i: of BDF2 4/3 and -1/3, or 1
  const double* q[2];   // [nq] the last one first
  const double* v[2];   // [nv]
  const double* x[2];   // [nx]
  const double* lambda; // [rows] multipliers; NULL: there are no loops
  bool inner;           // a stage within a step: s is the rate alone
  bool impact;          // not a stage but an impact, (6): lambda are its impulses
  const bool* inactive; // [rows] of active ones: s is gap / dt; NULL: none
  const bool*
      redundant; // [rows] that the step did not have (lb_constraints_redundant); NULL: as d has it
  const bool* active[2]; // [rows] unilateral ones at the start and the end of an explicit step
  double from;           // when that began
  bool recharts;         // by steppers: not a stage but a change of charts (lb_rechart)
  int taken_back;        // by steppers: number of earlier reports that do not count
} lb_step_past;

// Changes, or what an objective changes by them: of the states before, and of the motors.
typedef struct lb_step_causes {
  double* q[2];  // [nv]
  double* v[2];  // [nv]
  double* motor; // [nmotor][3]: angle, rate and acceleration; of one that applies a force, that
                 // force and two zeros
  double* x[2];  // [nx] activations and fibres; NULL: no muscle has any
  double* excitation; // [nmuscle] at the stage's end; NULL: there are no muscles
} lb_step_causes;

// Effects of the step's end.
typedef struct lb_step_effects {
  double *q, *v, *a; // [nv]
  double* lambda;    // [rows] multipliers, redundant ones left out; NULL: not looked at
  double* x;         // [nx] activations and fibres; NULL: not looked at
} lb_step_effects;

typedef struct lb_step_derivative lb_step_derivative;

// Part of a step, with equations of its own: by changes dr and ds of them the objective of the last
// lb_step_back changes by -mu'dr - nu'ds. The derivative by a number of the model is one dot
// product.
typedef struct lb_step_part {
  const double* mu;        // [nv]; NULL: there is no such part
  bool impact;             // it is about masses alone
  const lb_derivatives* D; // of the dynamics there
  int rows;                // of s that are equations; of explicit steps none are named
  const int* row;          // [rows] these, of all
  const double* nu;        // [rows]
} lb_step_part;

// Derivatives of an integrator's steps: an entry of its table (stepper.h), by which the functions
// below go. Implicit steps come stage by stage, and so do impacts of all integrators; stages of
// explicit steps are found again from the step's start (explicit_inside.h).
typedef struct lb_derivative_type {
  bool restarts; // the latter: d is at the end, and `past` has the start and what was active
  // Creation of its own work space; NULL: that of all.
  lb_status (*create)(lb_step_derivative* S, lb_integrator by, lb_error* err);
  void (*release)(lb_step_derivative* S);
  bool (*differentiate)(lb_step_derivative* S, lb_data* d, const lb_step_past* past);
  void (*forward)(lb_step_derivative* S, lb_step_effects* out, const lb_step_causes* in,
                  const double* force);
  void (*back)(lb_step_derivative* S, lb_step_causes* out, const lb_step_effects* in);
  int (*moments)(const lb_step_derivative* S);
  double (*moment)(const lb_step_derivative* S, int i);
  int (*parts)(const lb_step_derivative* S);
  lb_step_part (*pose)(lb_step_derivative* S, lb_data* d, int i);
  bool (*look_at_motors)(lb_step_derivative* S, lb_data* d);
  void (*add_torque)(lb_step_derivative* S, lb_step_effects* to, int motor, double scale);
  const double* (*move_particles)(lb_step_derivative* S, const double* v);
  void (*exert)(lb_data* d, const lb_step_past* past, double* r, double* lambda);
  // Reason why a step has no derivative, where it is known; NULL, LB_OK: it is not.
  lb_status (*complain)(const lb_step_derivative* S, lb_error* err);
} lb_derivative_type;

extern const lb_derivative_type lb_derivative_stages, lb_derivative_explicit, lb_derivative_linear;

// Derivatives of the steps of an integrator; and of implicit stages.
lb_status lb_step_derivative_create_for(const lb_model* m, lb_integrator by,
                                        const lb_allocator* allocator, lb_step_derivative** out,
                                        lb_error* err);
lb_status lb_step_derivative_create(const lb_model* m, const lb_allocator* allocator,
                                    lb_step_derivative** out, lb_error* err);
void lb_step_derivative_release(lb_step_derivative* S);

// Take matrices of trees, too, whose steps are otherwise differentiated by products
// (dynamics/derivative/tree_derivative.h): what asks for many products of a step is sooner done
// with them, and lb_step_map needs them.
void lb_step_take_matrices(lb_step_derivative* S);

// Take the derivative at the end of a step; false: (5) is singular. d's qdd is set.
bool lb_step_differentiate(lb_step_derivative* S, lb_data* d, const lb_step_past* past);

// The step's end as that of a longer or shorter step: (4) and (5) with another dt, until called
// again. For joints whose coordinates are numbers.
bool lb_step_factor(lb_step_derivative* S, lb_data* d, double dt);

// Changes of the end by changes of the causes and of forces, [nv]: -dr of (2) by numbers of the
// model itself (NULL: none).
void lb_step_forward(lb_step_derivative* S, lb_step_effects* out, const lb_step_causes* in,
                     const double* force);

// The transpose: given how an objective changes with q, v and a of the end, which may be lost, add
// how it changes with the causes.
void lb_step_back(lb_step_derivative* S, lb_step_causes* out, const lb_step_effects* in);

// Times at which motors matter: those of the stages of an explicit step, then the step's end.
// Causes have motors for each, [moments][nmotor][3].
int lb_step_moments(const lb_step_derivative* S);
double lb_step_moment(const lb_step_derivative* S, int i);

// The parts of a step; and part i, with d as it was there, forces and accelerations in place.
int lb_step_parts(const lb_step_derivative* S);
lb_step_part lb_step_pose(lb_step_derivative* S, lb_data* d, int i);

// Velocities by v [nv] of the particles of ropes and deformables in the part posed last, [3 *
// nnode], until S is used again; NULL: there are none.
const double* lb_step_move_particles(lb_step_derivative* S, const double* v);

// r [nv] of (2) at d's q, qd and qdd, multipliers aside.
void lb_step_residual(lb_data* d, double* r);

// d's qdd at the end of a step: (1).
void lb_step_accelerate(lb_data* d, const lb_step_past* past);

// Multipliers of loops, [most rows], for the end of a step as exact as its velocities are; of
// unilateral constraints those that do so in `past`. r [nv] is scratch.
void lb_step_balance(lb_data* d, const lb_step_past* past, double* r, double* lambda);

// Motor forces at the end of a step: sets d's motor_force, and r and lambda as above. Of a motor
// that drives the position of coordinate k it is r_k of (2), of one on a joint which closes a loop
// the multiplier of its constraint.
void lb_step_exert(lb_data* d, const lb_step_past* past, double* r, double* lambda);

// Motor forces at the end of the step, d's state, are differentiated, too. false: they have no
// derivative.
bool lb_step_look_at_motors(lb_step_derivative* S, lb_data* d);
// Then, before lb_step_back: add `scale` times how what a motor that drives a position exerts
// changes with the end of the step.
void lb_step_add_torque(lb_step_derivative* S, lb_step_effects* to, int motor, double scale);

// How activations and fibres in equilibrium at a start, which is d's, change an objective: adds to
// q and v [nv] and to excitations [nmuscle], from x [nx].
void lb_step_back_start(lb_step_derivative* S, lb_data* d, double* q, double* v, double* excitation,
                        const double* x);

// The transpose of lb_step_map: how an objective changes with dq0, dv0, da0 of (5), [nv] each,
// driven coordinates included.
void lb_step_pull(lb_step_derivative* S, double* by_q, double* by_v, double* by_a,
                  const lb_step_effects* in);

// Derivatives of v at the end by dq0, dv0, da0 of (5), as matrices by columns, [nv][nv] each:
// column k is of coordinate k, driven ones included.  Not for ropes and deformables; after
// lb_step_take_matrices.
void lb_step_map(lb_step_derivative* S, double* by_q, double* by_v, double* by_a);

// The derivatives of the dynamics at the end of the step, for derivatives of what depends on it.
const lb_derivatives* lb_step_dynamics(const lb_step_derivative* S);

// Bodies with all their nodes stand there with fewer coordinates: the data that these derivatives
// are of, d itself for other models; velocities v [nv] as they see them, until S is used again; and
// by [nv] += s times how something changes with what they see, [their nv].
lb_data* lb_step_data(const lb_step_derivative* S, lb_data* d);
const double* lb_step_see(const lb_step_derivative* S, const double* v);
void lb_step_gather(const lb_step_derivative* S, double* by, double s, const double* seen);
// Room for either.
static inline int lb_step_most_v(const lb_model* m) {
  const lb_model* interface = lb_model_interface(m);
  return interface && interface->nv > m->nv ? interface->nv : m->nv;
}
