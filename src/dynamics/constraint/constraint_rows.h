// Constraints as rows: what the files about them share. A kind of constraint adds its rows, with
// values, rates and accelerations at the present state; what is done with rows is written once, in
// constraint_solve.c. To add a kind, write its file and add a line to the table in
// constraint_rows.c.
#pragma once
#include "dynamics/constraint/constraint_loop.h"

// What pushes only touches when its gap is below this [m or rad], and goes on touching when that
// opens more slowly than this [1/s].
#define LB_ACTIVE_GAP 1e-9

// A frame on a link.
typedef struct lb_frame {
  int link; // or LB_WORLD
  lb_m3 R;
  lb_v4 p;
} lb_frame;

// Pose, velocity and acceleration of a frame, in the world.
typedef struct lb_frame_motion {
  lb_m3 R;
  lb_v4 p, v, a, w, al;
} lb_frame_motion;

typedef struct lb_constraint {
  lb_frame const *a, *b; // NULL: a row on coordinates ...
  int coupling;          // ... of this coupling; else -1
  double sign;           // of such a row: 1, or -1 for "at most"
  int motor;             // that asks for its gap, or -1
  bool turns;            // a rotation
  bool unilateral;       // pushes but does not pull: c >= 0
  bool rate_only;        // asks for cd = 0 alone: c is 0, wherever things are
  int contact;           // of such a row: its number among them
  int place;             // among all rows, acting or not
  int number;            // the same, counting those that are left out
  lb_gap_kind kind;
  lb_v4 e;    // direction, world
  lb_v4 at;   // where the force acts, world
  lb_v4 spin; // angular velocity of the axes that c is measured in
  double c, cd, cdd;
} lb_constraint;

// How rows are factored (lb_constraint_rows_factor).
typedef struct lb_constraint_rows_how {
  double damping;
  bool bilateral;
} lb_constraint_rows_how;

struct lb_constraints {
  int nrow;
  int ncontact;       // unilateral constraints, so far
  int counted;        // rows so far, with those that are left out
  lb_frame* frame;    // [2 * nloop]
  lb_constraint* row; // [nrow]
  bool* active;       // [contacts] by lb_constraints_project: they hold until it is called again
  bool* near;         // [contacts] that it closes
  bool all;           // whether they touch or not
  bool eliminated;    // couplings of fixed ratio are no rows
  bool both_ways;     // unilateral constraints are not there
  bool*
      redundant; // [rows] by number: it is redundant (constraint_redundant.c), and is not there ...
  bool every;    // ... unless every row counts
  double* length;     // [rows] of J, by number, in poses that are not special
  bool joints;        // rows of joints that close loops alone, but for those that motors ask for
  int own;            // how many of these say something of their own; -1: not known yet
  bool moves;         // which of them do depends on the pose
  int choices;        // that were made so far
  struct lb_kkt* kkt; // solves with them; NULL: the dense matrices do
  lb_constraint_rows_how how; // they were factored
  int rank;                   // of A's factor; -1: it is not factored
  double* total;              // [nv] sum of dq
  double* M;                  // [ndense][ndense], then its Cholesky factor
  double* Jt;                 // [nrow][nv], a row of J each, then Linv J'
  double* A;                  // [nrow][nrow]
  double* x;                  // [nrow] right-hand side, then multipliers
  double* sum;                // [nrow] multipliers of several corrections
  double* b;                  // [nrow] of problems with unilateral constraints, and their scratch:
  double* part;               // [nrow][nrow]
  double* dq;                 // [nv]
  double* q;                  // [nq] before a step that may be taken back
  double* aside;              // [nq] before things are put aside
  double* given;              // [nq + nv] a start as it is written ...
  double* base;               // [nq] ... and a pose from which it is gone to
  bool* kept;                 // [nv] coordinates that stay at a start ...
  bool keeps;                 // ... while that is so, or ...
  bool loath;                 // ... that give way, but not gladly
  double* change; // [nv] of accelerations, by couplings of fixed ratio, and then these ...
  double* held;   // [geared][nv] ... the rows of M of the coordinates they hold ...
  double* eliminated_multiplier; // [geared] ... and their multipliers
  lb_motion* pull;               // [nlink] moments and forces at the links' origins
  double* work;                  // [4 * nrow]
  int* pivot;                    // [2 * nrow]
  bool* unilateral;              // [nrow] one way
  bool* velocity_level;          // [nrow] asks for its rate alone
  bool* inactive;                // [nrow] and does not touch yet
};

// Rows of joint i that closes a loop, that of its motor included.
int lb_loop_rows_of(const lb_model* m, int i);

// Springs and dampers of such a joint as compliant rows: how many.
int lb_constraints_spring_rows(const lb_model* m, const lb_data* d, int i, lb_constraint row[3]);

// A kind of constraint.
typedef struct lb_constraint_type {
  int (*most)(const lb_model* m); // rows that there can be
  void (*add)(const lb_model* m, lb_data* d);
} lb_constraint_type;

extern const lb_constraint_type lb_constraint_type_loop, lb_constraint_type_prescribed,
    lb_constraint_type_coupling;

lb_frame_motion lb_frame_move(const lb_work* work, const lb_frame* f);

// Rotation vector from frame a to b, in the world. When only the axes must agree (turns about z are
// free), the rotation that takes one axis to the other.
lb_v4 lb_rotation_between(const lb_frame_motion* a, const lb_frame_motion* b, bool axes_only);
// Angle from a to b about a's z axis; angles of a universal joint: x of b about z of a, then z of b
// about its x.
double lb_hinge_angle(const lb_frame_motion* a, const lb_frame_motion* b);
void lb_cross_angles(const lb_frame_motion* a, const lb_frame_motion* b, double angle[2]);

// What a path asks for at a time: place, rate and acceleration. One of rates leaves the place as it
// is.
void lb_path_target(const lb_profile* path, bool velocity_level, double time, double want[3]);

// All rows at d's q, qd and accelerations, whose kinematics are in place.
void lb_constraint_rows_fill(const lb_model* m, lb_data* d);
// Of these, those that act: two-way ones, and what touches.
void lb_constraint_rows_keep_active(lb_constraints* L);

// Rows of J, into Jt, from the rows' directions and the directions of the coordinates.
void lb_constraint_rows_fill_jacobian(const lb_model* m, lb_data* d);

// Add a row, unless it is left out; one that pushes only gets its number.
void lb_constraint_add(lb_constraints* L, lb_constraint row);

// Move q aside, so far [m or rad] at most, in no particular direction, but not what is kept, nor
// what is driven unless it is to go, too. Nodes stay.
void lb_constraint_rows_put_aside(const lb_model* m, lb_data* d, double far, bool driven,
                                  unsigned seed);

// Move q to where the rows there are are closed, from wherever it is; the widest gap that is left.
double lb_constraint_rows_project(const lb_model* m, lb_data* d);
// The same from near by, as after a step; false: it is not near, and q is as it was.
bool lb_constraint_rows_project_near(const lb_model* m, lb_data* d);

// Factor the mass matrix with the rows there are, at d's poses; with `damping`, of (3) in
// constraint_projection.c; false: M cannot be factored. `bilateral`: unilateral rows hold both
// ways.
bool lb_constraint_rows_factor(const lb_model* m, lb_data* d, lb_constraint_rows_how how);
// Then, multipliers from the right-hand side in x, and dq = Minv J'x; what is left of unilateral
// rows in b. May be called again.
void lb_constraint_rows_solve(const lb_model* m, lb_data* d);

// The multipliers in x as forces on the links and coordinates.
void lb_constraint_rows_apply(const lb_model* m, lb_data* d);
