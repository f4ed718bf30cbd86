// Constraints on top of the tree: joints that close loops, prescribed points, contact, couplings of
// coordinates.
#pragma once
#include "base/carve.h"
#include "dynamics/constraint/constraint_pair.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_curve.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/state.h"
#include "limber/derivative.h"

typedef struct lb_constraints lb_constraints;

// A set of constraints: the bilateral ones that are not redundant, and the active set; more, or
// fewer, by these.
typedef enum lb_constraint_set {
  LB_SET_ACTIVE = 0,
  LB_SET_INACTIVE = 1,   // with unilateral ones that are not active
  LB_SET_BILATERAL = 2,  // without unilateral ones
  LB_SET_REDUNDANT = 4,  // with redundant ones
  LB_SET_JOINTS = 8,     // joints that close loops alone, without what motors ask of them
  LB_SET_REDUCED = 16,   // without couplings that are eliminated (elimination.h)
  LB_SET_COMPLIANT = 32, // with compliant ones, as if they did not yield: for starts
  LB_SET_YIELDING = 64,  // compliant ones alone, whose forces are those of springs
  LB_SET_STEP = LB_SET_INACTIVE | LB_SET_REDUCED // constraints with multipliers in steps
} lb_constraint_set;

// A scalar equation c = 0 of a constraint, or c >= 0.
typedef struct lb_constraint_row {
  lb_v4 e;                 // direction, world
  lb_v4 at;                // point of action, world
  lb_v4 spin;              // angular velocity of the axes that the gap is measured in
  double gap, rate;        // c and its rate
  double asked;            // rate that it asks of what it measures, J qd: rate is J qd less that
  double acceleration;     // under the links' accelerations in the work space
  const lb_gap_type* type; // gap measured between a and b; NULL: of coordinates
  const lb_frame *a, *b;   // frames of the gap; NULL: of coordinates
  int coupling;            // number of the coupling, or -1
  int motor;               // motor that prescribes its gap, or -1
  double sign;             // of a coupling: 1, or -1 for "at most"
  int constraint;          // number of the constraint
  int contact;             // of a unilateral one: its number among them
  int place;               // among all constraints, active or not
  int number;              // among all rows, with redundant ones
  bool turns;              // it is about a rotation
  bool unilateral;         // its multiplier is not negative: c >= 0
  bool velocity_level;     // it asks for its rate alone: there is no gap
} lb_constraint_row;

// Row of a gap of a pair along or about e, but for its numbers: rates and accelerations follow.
static inline void lb_pair_fill_row(lb_constraint_row* row, const lb_pair* P,
                                    const lb_gap_type* type, lb_v4 e, double gap) {
  const lb_v4 r = lb_gap_part(type, P->rate);
  row->e = e;
  row->at = P->b.p;
  row->spin = P->spin;
  row->gap = gap;
  row->rate = lb_v4_dot(e, r);
  row->asked = 0;
  row->acceleration = lb_v4_dot(e, lb_gap_part(type, P->acceleration));
  row->type = type;
  row->a = P->at_a;
  row->b = P->at_b;
  row->coupling = row->motor = -1;
  row->sign = 1;
  row->turns = type->turns;
  row->unilateral = row->velocity_level = false;
  if (type->turn) {
    row->acceleration += lb_v4_dot(type->turn(P, row, P->rate), r);
  }
}

static inline lb_constraint_row lb_pair_row(const lb_pair* P, const lb_gap_type* type, lb_v4 e,
                                            double gap) {
  lb_constraint_row row = {0};
  lb_pair_fill_row(&row, P, type, e, gap);
  return row;
}

// The constraints' share of a data block; NULL when the model has none or the carver only measures.
lb_constraints* lb_constraints_lay_out(lb_carver* c, const lb_model* m);

// Constraint forces: given the accelerations without them (lb_aba_solve is done), add the forces
// that keep the loops closed to the links' external forces. The caller solves again.
void lb_constraints_apply(const lb_model* m, lb_data* d);
// Afterwards: with couplings of fixed ratio, the accelerations that were found on the way. Forces
// of couplings are large in long chains, and what is solved with them is less exact.
void lb_constraints_accelerate(const lb_model* m, lb_data* d);

// After lb_forward: the multipliers of all constraints there can be, and the second rates of their
// gaps that are left; infinite of those that are not active.
void lb_constraints_multipliers(const lb_data* d, double* lambda, double* left);

// lb_constraints_apply for known multipliers, one a row of a set.
void lb_constraints_apply_multipliers(const lb_model* m, lb_data* d, lb_constraint_set set,
                                      const double* lambda);

// The multipliers, one a constraint of LB_SET_INACTIVE, whose forces come nearest to r [nv] on
// coordinates that are not driven: what holds a motion that is known. With `pushing`, unilateral
// constraints are left out where that is not above zero; NULL: none are.
void lb_constraints_balance(const lb_model* m, lb_data* d, const double* r, const double* pushing,
                            double* lambda);

// Projection of q and qd: (1) and (2) of constraint_projection.c, by all constraints there can be.
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
// lb_constraint_gap (dynamics.h) has more. `report` may be NULL.
double lb_constraints_project(const lb_model* m, lb_data* d, lb_constraint_set set,
                              lb_projection* report);
// lb_project with the constraints of a set.
double lb_project_set(const lb_model* m, lb_data* d, lb_constraint_set set);
// From a start, however far it is from closed: move q, then qd, to where loops are closed, while
// what is named (lb_scene_named, [nv]; NULL: nothing is) stays as far as it can.
// lb_constraints_project after it ends what is left.
void lb_constraints_assemble(const lb_model* m, lb_data* d, lb_constraint_set set,
                             const int* q_named, const int* v_named);
// Back to what that began with, put aside by up to `far` [m or rad], and to where loops are closed.
void lb_constraints_assemble_aside(const lb_model* m, lb_data* d, lb_constraint_set set, double far,
                                   unsigned seed);
// lb_constraint_gap of places alone, or of what asks for rates alone. `which` stays where there is
// none.
double lb_constraints_gap_of(const lb_model* m, lb_data* d, bool rates, int* which);
// Widest gap of places in a set, redundant ones included.
double lb_constraints_gap_in(const lb_model* m, lb_data* d, lb_constraint_set set);
// Widest gap of places, lengths over the size [m] of what is simulated; angles as they are.
double lb_constraints_relative_gap(const lb_model* m, lb_data* d, double size);

// Dense matrices of all constraints and velocities exist: not of mechanisms so large that these
// would take more than some ten megabytes, which have no lb_constraints_linearise.
bool lb_constraints_are_dense(const lb_model* m);
// LB_OK, or that `what` is not for such mechanisms.
lb_status lb_constraints_check_dense(const lb_model* m, const char* what, lb_error* err);

// Constraints of a set at d's q and qd, whose kinematics are in place: how many, gaps, their rates,
// and rows of J (driven coordinates left out). Good until the next call about loops.
typedef struct lb_constraint_rows {
  int count;
  const double* gap;          // [count]
  const double* rate;         // [count]
  const double* J;            // [count][nv]
  const bool* unilateral;     // [count] unilateral ones; NULL: none
  const bool* inactive;       // [count] unilateral ones that are not active yet
  const bool* velocity_level; // [count] at velocity level: they have no gap
} lb_constraint_rows;
lb_constraint_rows lb_constraints_linearise(const lb_model* m, lb_data* d, lb_constraint_set set);
// J [count][nv] of the constraints that were filled last, where they were.
const double* lb_constraints_jacobian(const lb_model* m, lb_data* d);
// lb_constraints_linearise without J.
lb_constraint_rows lb_constraints_measure(const lb_model* m, lb_data* d, lb_constraint_set set);
// out += scale J' lambda, of the constraints that were last measured; linear in the links.
void lb_constraints_add_forces(const lb_model* m, lb_data* d, const double* lambda, double scale,
                               double* out);
// Most scalar constraints a model can have.
int lb_constraints_most(const lb_model* m);
// A constraint that is unilateral and exact, by lb_constraint_gap's number, or -1.
int lb_constraints_unilateral(const lb_model* m);
// One that gives a rate, which says nothing of places, or -1.
int lb_constraints_velocity_level(const lb_model* m);

// The active set from a step's multipliers of a set, LB_SET_INACTIVE in it: with lambda
// > 0, or closed.
void lb_constraints_keep_active(const lb_model* m, lb_data* d, lb_constraint_set set,
                                const double* lambda);
// Active set without a step's multipliers: a unilateral constraint with a gap below a tolerance [m
// or rad] that hardly opens is active from now on. The accelerations are those of the work space
// and d's.
typedef struct lb_active_tolerance {
  double gap, rate, acceleration; // at most
} lb_active_tolerance;
void lb_constraints_judge_active(const lb_model* m, lb_data* d, lb_active_tolerance most);
// True where one of those last measured is active that was not before.
bool lb_constraints_hit(const lb_data* d, const double* lambda);
// Inactive unilateral constraints among those last measured.
const bool* lb_constraints_inactive(const lb_data* d);
// Impact without bounce: takes away the rates of active constraints and of closed ones that close
// further, with these impulses of all constraints there can be (NULL: not wanted). Sets the active
// set, too.
void lb_constraints_impact(const lb_model* m, lb_data* d, lb_constraint_set set, double* impulse);
// All that d's constraints keep from step to step, the active set and which are redundant, as so
// many numbers: to come back to, with this state of the model or another one.
size_t lb_constraints_state_size(const lb_model* m);
void lb_constraints_save(const lb_data* d, double* state);
void lb_constraints_load(lb_data* d, const double* state);
// Forget orders of elimination: steps from here on do not depend on what came before.
void lb_constraints_renew(const lb_data* d);
// Begin or end to observe a state between steps: solves in between leave no trace in the next step.
void lb_constraints_swap_observer(lb_data* d);
// The active set alone, [most rows]: true of unilateral constraints that are active. NULL: there
// are none at all.
const bool* lb_constraints_active(const lb_data* d);
void lb_constraints_set_active(lb_data* d, const bool* active);

// --- redundant constraints (constraint_redundant.c) ---

// Before a step from d, whose loops are closed or nearly so: which loop constraints are redundant
// is found when it is not known, and chosen anew where that depends on the pose. Those are left out
// from then on.
void lb_constraints_find_redundant(const lb_model* m, lb_data* d);
// Forgotten choice, and teeth that ratchets passed: for motions that are to be the same whatever
// came before.
void lb_constraints_forget_redundant(lb_data* d);
// Take over the choice of the same world with its joints in a tree: in maximal coordinates those
// are redundant that are so there.
void lb_constraints_adopt_choice(const lb_model* m, lb_data* d, const lb_model* tree,
                                 const lb_data* from);
// Number of choices made: multipliers of constraints are of no use after another one.
int lb_constraints_count_choices(const lb_data* d);
// The choice, [most rows]: true of those that are left out; NULL: there are no constraints.
const bool* lb_constraints_redundant(const lb_data* d);
// Sets the choice; NULL: it stays.
void lb_constraints_set_redundant(lb_data* d, const bool* redundant);
// True where a redundant constraint is open while the others are closed; the choice is then
// forgotten.
bool lb_constraints_redundant_open(const lb_model* m, lb_data* d);

// --- compliant constraints (force_compliant.c) ---

// Multipliers of a linearly implicit step from q0 with velocities v1, with d's time that of its
// end: forces are applied with these until lb_compliant_free.
void lb_compliant_hold(const lb_model* m, lb_data* d, const double* q0, const double* v1, double h);
void lb_compliant_free(lb_data* d);
// Widest gap of them at d's q [m or rad].
double lb_compliant_gap(const lb_model* m, lb_data* d);

// Add scale times a coupling's slopes to out [nv], where it was last filled; `all`: of driven
// coordinates, too.
void lb_coupling_row(const lb_model* m, const lb_data* d, int coupling, double scale, bool all,
                     double* out);
// Derivatives of a coupling beyond its slopes, where functions of coordinates bend: what they are
// added to, times scale; NULL: not wanted.
typedef struct lb_term_bend {
  double scale;
  double* force_q;                         // [nv][nv] of its force for a multiplier of one, by q
  double* rate_q;                          // [nv] of its rate
  double *acceleration_q, *acceleration_v; // [nv] of its acceleration, at d's qdd
} lb_term_bend;
void lb_coupling_bend(const lb_model* m, const lb_data* d, int coupling, const lb_term_bend* by);
// Before a step: ratchets hold the last tooth that was passed.
void lb_constraints_latch(const lb_model* m, lb_data* d);
// The same for a state that another step began with, whatever came before. (With teeth, it says
// which one that is.)
void lb_constraints_relatch(const lb_model* m, lb_data* d);

// A moment and a force at a point of the world, on a link or, for nothing, the world.
void lb_link_add_wrench(lb_work* w, int link, lb_v4 at, lb_v4 n, lb_v4 f);

// --- for derivatives ---

// One constraint of the last lb_constraints_linearise.
const lb_constraint_row* lb_constraints_row(const lb_data* d, int i);
int lb_constraints_count(const lb_data* d);

// Coordinates and velocities of the joint that loop i is, as one of the tree has them: q of at most
// 4 numbers, angles from -pi to pi, qd of at most 3. How many velocities; 0: it is fixed.
// After lb_move_origins.
int lb_loop_coordinates(const lb_model* m, const lb_data* d, int i, double* q, double* qd);
// Derivatives of loop coordinates: coordinates by q (of a quaternion along its velocities),
// velocities by q and by qd, [3][nv] each. After lb_derive at d's state.
int lb_loop_differentiate_coordinates(const lb_derivatives* D, const lb_data* d, int i, double* q_q,
                                      double* qd_q, double* qd_qd);

// Rows of loop i's coordinates, along which its spring, damper and motor act: how many, at
// most 3. After lb_move_origins.
int lb_loop_free_rows(const lb_model* m, const lb_pair* P, int i, lb_constraint_row row[3]);
// Extension of the k-th: distance from its spring's rest.
double lb_loop_stretch(const lb_scene_joint* j, const lb_constraint_row* row, int k);

// (moment, force) at b's origin that constraint i passes to b: by the multipliers applied last, of
// a joint by its spring and motor.
lb_motion lb_loop_wrench(const lb_model* m, const lb_data* d, int i);

// Push motor i on a loop with this force.
void lb_loop_apply_motor(const lb_model* m, lb_data* d, int i, double force);

// Add to D what forces with these multipliers need beyond turning along with the links: the rest of
// the derivative of -J'lambda by q, once lb_constraints_apply_multipliers has put them on the links
// for lb_derive.
void lb_constraints_differentiate(lb_derivatives* D, lb_data* d, const double* lambda);

// The power of the change of loop i's spring and damper by one more of a number, for velocities mu
// [nv]. After lb_derive at d's state, with the origins' velocities in place.
double lb_loop_spring_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                                int k, const double* mu);

// The generalised force of a unit force of a motor that applies a force on a loop: out [nv].
void lb_loop_motor_direction(const lb_derivatives* D, const lb_data* d, int motor, double* out);

// Derivatives of the constraints' gaps and rates by q, [count][nv] each; those of the rates by qd
// are J where no coordinate is driven, and lb_constraints_linearise leaves driven ones out of it: J
// [count][nv] is filled with all of them. After lb_derive and lb_constraints_linearise.
void lb_constraints_differentiate_rows(lb_derivatives* D, lb_data* d, double* gap_q, double* rate_q,
                                       double* J);

// Zero what is nothing in lb_constraints_linearise's J, but of driven coordinates: rounding in a
// constraint that feels nothing would count.
void lb_constraints_drop_rounding(const lb_derivatives* D, lb_data* d, double* J);

// Derivatives of the constraints' accelerations by q, qd and qdd, [count][nv] each. After lb_derive
// with d's qdd and lb_constraints_linearise or lb_constraints_apply_multipliers.
void lb_constraints_differentiate_accelerations(lb_derivatives* D, lb_data* d, double* by_q,
                                                double* by_v, double* J);
