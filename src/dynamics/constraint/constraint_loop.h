// Constraints on top of the tree: joints that close loops, prescribed points, contact, couplings of
// coordinates.
#pragma once
#include "base/carve.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/state.h"
#include "limber/derivative.h"

typedef struct lb_constraints lb_constraints;

// The constraints' share of a data block; NULL when the model has none or the carver only measures.
lb_constraints* lb_constraints_lay_out(lb_carver* c, const lb_model* m);

// Constraint forces: given the accelerations without them (lb_aba_solve is done), add the forces
// that keep the loops closed to the links' external forces. The caller solves again.
void lb_constraints_apply(const lb_model* m, lb_data* d);
// Afterwards: with couplings of fixed ratio, the accelerations that were found on the way. Forces
// of couplings are large in long chains, and what is solved with them is less exact.
void lb_constraints_accelerate(const lb_model* m, lb_data* d);

// After lb_forward: the multipliers of all rows there can be, and the second rates of their gaps
// that are left; infinite of those that do not touch.
void lb_constraints_multipliers(const lb_data* d, double* lambda, double* left);

// The same as lb_constraints_apply for multipliers that are known, one a row of
// lb_constraints_linearise().
void lb_constraints_apply_multipliers(const lb_model* m, lb_data* d, const double* lambda);

// The multipliers, one a row of lb_constraints_linearise(), whose forces come nearest to r [nv] on
// coordinates that are not driven: what holds a motion that is known. With `pushing`, unilateral
// constraints are left out where that is not above zero; NULL: none are.
void lb_constraints_balance(const lb_model* m, lb_data* d, const double* r, const double* pushing,
                            double* lambda);

// How q and qd came to close the loops, (1) and (2) of constraint_projection.c, by all rows there
// can be.
typedef struct lb_projection {
  bool straight;   // else q came step by step from far away, and (1) does not hold
  double* move;    // [nv] w
  double* lambda;  // [most rows]
  double* impulse; // [most rows] x
  bool* near;      // [most rows] it is among the equations of (1)
  bool* closed;    // [most rows] its rate is closed afterwards, by an impulse or by itself
} lb_projection;

// Move q and qd to near ones, in the metric of the mass matrix, that close the loops; driven
// coordinates stay. A few Newton steps; the widest gap that is left, of places alone:
// lb_constraint_gap (dynamics.h) tells more. `told` may be NULL.
double lb_constraints_project(const lb_model* m, lb_data* d, lb_projection* told);
// From a start, however far it is from closed: move q, then qd, to where loops are closed, while
// what is named (lb_scene_named, [nv]; NULL: nothing is) stays as far as it can.
// lb_constraints_project after it ends what is left.
void lb_constraints_assemble(const lb_model* m, lb_data* d, const int* q_named, const int* v_named);
// Back to what that began with, put aside by up to `far` [m or rad], and to where loops are closed.
void lb_constraints_assemble_aside(const lb_model* m, lb_data* d, double far, unsigned seed);
// lb_constraint_gap of places alone, or of what asks for rates alone. `which` stays where there is
// none.
double lb_constraints_gap_of(const lb_model* m, lb_data* d, bool rates, int* which);

// Whether matrices of all constraints and velocities are kept: not of mechanisms so large that
// these would take more than some ten megabytes, of which there is no lb_constraints_linearise.
bool lb_constraints_are_dense(const lb_model* m);
// LB_OK, or that `what` is not for such mechanisms.
lb_status lb_constraints_check_dense(const lb_model* m, const char* what, lb_error* err);

// The rows at d's q and qd, whose kinematics are in place: how many, their gaps and the rates of
// these, and the rows of J (driven coordinates left out). Good until the next call about loops.
typedef struct lb_constraint_rows {
  int count;
  const double* gap;          // [count]
  const double* rate;         // [count]
  const double* J;            // [count][nv]
  const bool* unilateral;     // [count] those that push but do not pull; NULL: none
  const bool* inactive;       // [count] those of them that do not touch yet
  const bool* velocity_level; // [count] those that ask for a rate alone, and have no gap
} lb_constraint_rows;
lb_constraint_rows lb_constraints_linearise(const lb_model* m, lb_data* d);
// J [count][nv] of the rows that were filled last, where they were.
const double* lb_constraints_jacobian(const lb_model* m, lb_data* d);
// The same without J.
lb_constraint_rows lb_constraints_measure(const lb_model* m, lb_data* d);
// out += scale J' lambda, of the rows that were last measured; linear in the links.
void lb_constraints_add_forces(const lb_model* m, lb_data* d, const double* lambda, double scale,
                               double* out);
// The most rows a model can have.
int lb_constraints_most(const lb_model* m);
// A constraint that is unilateral, by lb_constraint_gap's number, or -1.
int lb_constraints_unilateral(const lb_model* m);
// One that gives a rate, which says nothing of places, or -1.
int lb_constraints_velocity_level(const lb_model* m);

// Leave couplings of fixed ratio out of the rows (elimination.h), or not, from now on: whether it
// was so.
bool lb_constraints_eliminate(lb_data* d, bool eliminated);

// Implicit steps choose by themselves which of the unilateral constraints act: after
// lb_constraints_activate_all every one of them counts as a row, until lb_constraints_keep_active,
// not only what touches.
void lb_constraints_activate_all(lb_data* d);
// What touches from now on: rows that push, and closed ones. With lambda NULL it is as it was.
void lb_constraints_keep_active(const lb_model* m, lb_data* d, const double* lambda);
// Where no steps were taken that could tell: what is as near as nothing [m or rad] and hardly comes
// off touches from now on. The accelerations are those of the work space and d's.
typedef struct lb_active_tolerance {
  double gap, rate, acceleration; // at most
} lb_active_tolerance;
void lb_constraints_judge_active(const lb_model* m, lb_data* d, lb_active_tolerance most);
// Does a row push that did not touch before? Of the rows that were last measured.
bool lb_constraints_hit(const lb_data* d, const double* lambda);
// Of the rows that were last measured, which are unilateral and do not touch yet.
const bool* lb_constraints_inactive(const lb_data* d);
// Take away the velocities with which d's rows come apart or closed ones close further: an impact
// without bounce, with these impulses of all rows there can be (NULL: not wanted). Sets what
// touches, too.
void lb_constraints_impact(const lb_model* m, lb_data* d, double* impulse);
// What touches and what is left out (below) as numbers, one for each row there can be, to come back
// to.
enum { LB_CONSTRAINT_ACTIVE = 1, LB_CONSTRAINT_REDUNDANT = 2 };
void lb_constraints_save(const lb_data* d, double* place);
void lb_constraints_load(lb_data* d, const double* place);
// All that d's constraints keep from step to step, as so many numbers, for this state of the model
// or another one.
size_t lb_constraints_set_size(const lb_model* m);
void lb_constraints_set_save(const lb_data* d, double* set);
void lb_constraints_set_load(lb_data* d, const double* set);
// As if there were no unilateral constraints, and as it was.
void lb_constraints_leave_out_unilateral(lb_data* d, bool out);

// --- redundant constraints (constraint_redundant.c) ---

// Before a step from d, whose loops are closed or nearly so: which loop constraints are redundant
// is found when it is not known, and chosen anew where that depends on the pose. Those are no rows
// from then on.
void lb_constraints_find_redundant(const lb_model* m, lb_data* d);
// As if nothing were known of that: for motions that are to be the same whatever came before.
void lb_constraints_forget_redundant(lb_data* d);
// Take over the choice of the same world with its joints in a tree: in maximal coordinates those
// are redundant that are so there.
void lb_constraints_adopt_choice(const lb_model* m, lb_data* d, const lb_model* tree,
                                 const lb_data* from);
// How many choices were made: multipliers of rows are of no use after another one.
int lb_constraints_count_choices(const lb_data* d);
// The choice, [most rows]: true of those that are left out; NULL: there are no rows at all.
const bool* lb_constraints_redundant(const lb_data* d);
// Another one; NULL: it stays.
void lb_constraints_set_redundant(lb_data* d, const bool* redundant);
// Is a row open that is left out, where the others are closed? Then the choice is forgotten.
bool lb_constraints_redundant_open(const lb_model* m, lb_data* d);

// Add scale times a coupling's factors to out [nv]; `all`: to driven coordinates, too.
void lb_coupling_row(const lb_model* m, int coupling, double scale, bool all, double* out);

// A moment and a force at a point of the world, on a link or, for nothing, the world.
void lb_link_add_wrench(lb_work* w, int link, lb_v4 at, lb_v4 n, lb_v4 f);

// --- for derivatives ---

// What a row's gap measures.
typedef enum lb_gap_kind {
  LB_GAP_SHIFT,   // e.(p_b - p_a), e fixed in a
  LB_GAP_TURN,    // e.(rotation vector from a to b)
  LB_GAP_TILT,    // e.(rotation vector from a's z to b's)
  LB_GAP_ANGLE,   // from a to b about a's z
  LB_GAP_SQUARE,  // z_a.x_b: the axes of a universal joint, e = x_b x z_a
  LB_GAP_COUPLING // sum of factors times coordinates, less a number
} lb_gap_kind;

// One row of the last lb_constraints_linearise.
typedef struct lb_constraint_row {
  int loop;            // or -1: it is on coordinates, ...
  int coupling;        // ... of this coupling, ...
  double sign;         // ... times this
  int motor;           // that asks for its gap, or -1
  bool velocity_level; // it asks for its rate alone: there is no gap
  lb_gap_kind kind;
  lb_v4 e;    // world
  lb_v4 spin; // of the axes that the gap is measured in
  double gap, rate;
  double acceleration; // under the links' accelerations in the work space
  bool unilateral;     // but does not pull
} lb_constraint_row;
lb_constraint_row lb_constraints_row(const lb_data* d, int i);
int lb_constraints_count(const lb_data* d);

// Pose, velocity and acceleration of a loop's frame a (side 0) or b (side 1), in the world.
typedef struct lb_loop_end {
  int link; // or LB_WORLD
  lb_m3 R;
  lb_v4 p, v, w, a, al;
} lb_loop_end;
lb_loop_end lb_loop_end_of(const lb_data* d, int loop, int side);

// Coordinates and velocities of the joint that loop i is, as one of the tree has them: q of at most
// 4 numbers, angles from -pi to pi, qd of at most 3. How many velocities; 0: it is fixed, or a
// point that is prescribed. After lb_move_origins.
int lb_loop_coordinates(const lb_model* m, const lb_data* d, int i, double* q, double* qd);
// What its velocities are along, or about.
typedef struct lb_loop_axis {
  lb_v4 e;     // world
  bool with_b; // turns with b; else with a
  bool slides;
} lb_loop_axis;
int lb_loop_axes(const lb_model* m, const lb_data* d, int i, lb_loop_axis axis[3]);
// How they change: coordinates, along velocities where they are a quaternion, by q, velocities by q
// and by qd, [3][nv] each. After lb_derive at d's state.
int lb_loop_differentiate_coordinates(const lb_derivatives* D, const lb_data* d, int i, double* q_q,
                                      double* qd_q, double* qd_qd);

// (moment, force) at b's origin of loop i's spring and damper, and of a unit push of motor i on a
// loop.
lb_motion lb_loop_spring(const lb_model* m, const lb_data* d, int i);
// How the former changes with one of the joint's numbers, of the rests the k-th.
lb_motion lb_loop_spring_slope(const lb_model* m, const lb_data* d, int i, lb_spring_number number,
                               int k);
lb_motion lb_loop_motor(const lb_model* m, const lb_data* d, int i);

// (moment, force) at b's origin that loop i passes to b: its rows by the multipliers that were last
// pushed, its spring and its motor.
lb_motion lb_loop_wrench(const lb_model* m, const lb_data* d, int i);

// Push motor i on a loop with this force.
void lb_loop_apply_motor(const lb_model* m, lb_data* d, int i, double force);

// Add to D what forces with these multipliers need beyond turning along with the links: the rest of
// the derivative of -J'lambda by q, once lb_constraints_apply_multipliers has put them on the links
// for lb_derive.
void lb_constraints_differentiate(lb_derivatives* D, lb_data* d, const double* lambda);

// The same for springs, dampers and force motors on loops, and their derivatives by qd.
void lb_loop_differentiate_springs(lb_derivatives* D, lb_data* d);

// lb_force's `stiffen` for springs and dampers on loops.
void lb_loop_stiffen_springs(lb_derivatives* D, lb_data* d);

// The power of the change of loop i's spring and damper by one more of a number, for velocities mu
// [nv]. After lb_derive at d's state, with the origins' velocities in place.
double lb_loop_spring_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                                int k, const double* mu);

// The generalised force of a unit force of a pushing motor on a loop: out [nv].
void lb_loop_motor_direction(const lb_derivatives* D, const lb_data* d, int motor, double* out);

// Derivatives of the rows' gaps and rates by q, [count][nv] each; those of the rates by qd are J
// where no coordinate is driven, and lb_constraints_linearise leaves driven ones out of it: J
// [count][nv] is filled with all of them. After lb_derive and lb_constraints_linearise.
void lb_constraints_differentiate_rows(lb_derivatives* D, lb_data* d, double* gap_q, double* rate_q,
                                       double* J);

// Zero what is nothing in lb_constraints_linearise's J, but of driven coordinates: rounding in a
// row that feels nothing would count as a row.
void lb_constraints_drop_rounding(const lb_derivatives* D, lb_data* d, double* J);

// Derivatives of the rows' accelerations by q, qd and qdd, [count][nv] each. After lb_derive with
// d's qdd and lb_constraints_linearise or lb_constraints_apply_multipliers.
void lb_constraints_differentiate_accelerations(lb_derivatives* D, lb_data* d, double* by_q,
                                                double* by_v, double* J);
