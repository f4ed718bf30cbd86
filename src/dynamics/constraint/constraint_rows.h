// Constraints as rows, scalar equations. A kind adds its rows, with values, rates and accelerations
// at the present state; constraint_solve.c solves with all of them. To add a kind, write its file
// and add a line to the table in constraint_rows.c.
#pragma once
#include "dynamics/constraint/constraint_loop.h"

// A unilateral constraint is active when its gap is below this [m or rad], and stays active when
// that opens more slowly than this [1/s].
#define LB_ACTIVE_GAP 1e-9

// Constraints and coordinates of a projection.
typedef struct lb_closing {
  lb_constraint_set set;
  const bool* kept; // [nv] coordinates that stay; NULL: none
  bool heavy;       // kept ones move, but as if they were heavy
} lb_closing;

// Terms of the constraints' factor.
typedef struct lb_row_terms {
  double damping;   // of (3) in constraint_projection.c
  bool bilateral;   // unilateral constraints count as bilateral
  const bool* kept; // as above
  bool heavy;
} lb_row_terms;

// State of constraints, kept from step to step.
typedef struct lb_active_set {
  bool* active;    // [contacts] they hold until gaps are closed again
  bool* redundant; // [rows] by number (constraint_redundant.c)
  double* latch;   // [ncoupling] last tooth of a ratchet; NAN: none yet
  double* length;  // [rows] of J, by number, in poses that are not special
  int own;         // constraints of joints that are not redundant; -1: not known yet
  bool moves;      // the choice depends on the pose
  int choices;     // number of choices so far
} lb_active_set;

// Matrices of small systems, of elastic bodies and of eliminated couplings.
typedef struct lb_dense_rows {
  double* M;      // [ndense][ndense], then its Cholesky factor
  double* Jt;     // [nrow][nv], a row of J each, then Linv J'
  double* A;      // [nrow][nrow]
  double* part;   // [nrow][nrow] scratch
  double* change; // [nv] of accelerations, by eliminated couplings, and then these
  double* held;   // [eliminated][nv] the rows of M of the coordinates they hold
  double* lambda; // [eliminated] their multipliers
  int rank;       // of A's factor; -1: it is not factored
} lb_dense_rows;

// Compliant constraints at the state at which their forces were last applied: rows of their own
// (force_compliant.c).
typedef struct lb_compliant_rows {
  int count;
  lb_constraint_row* row; // [nrow]; NULL: no constraint yields
  double* force;          // [nrow] multipliers, -(stiffness gap + damping rate)
  double* rate;           // [nrow] rates that these are of
  bool given;             // forces are those of a linearly implicit step, not of the state
} lb_compliant_rows;

// Closing of gaps, and starts.
typedef struct lb_closing_work {
  bool* near;    // [contacts] closed ones
  double* sum;   // [nrow] multipliers of several corrections
  double* total; // [nv] sum of dq
  double* q;     // [nq] before a step that may be taken back
  double* aside; // [nq] before things are put aside
  double* given; // [nq + nv] a start as it is written
  double* base;  // [nq] a pose from which it is gone to
  bool* kept;    // [nv] coordinates that stay at a start
} lb_closing_work;

struct lb_constraints {
  int nrow;
  int ncontact;                      // unilateral constraints, so far
  int counted;                       // constraints so far, with those that are left out
  const lb_model_constraint* adding; // constraint of the rows being added
  int constraint;                    // its number
  lb_constraint_set set;             // of these rows
  lb_frame* frame;                   // [2 * npair]
  lb_constraint_row* row;            // [nrow]
  lb_active_set state;
  struct lb_kkt* kkt;      // solves with them; NULL: the dense matrices do
  struct lb_kkt* observer; // takes its place while a state between steps is observed
  lb_dense_rows dense;
  lb_compliant_rows compliant;
  lb_closing_work closing;
  lb_row_terms terms;   // they were factored with
  double* slope;        // [nterm] of couplings' terms, where they were last filled
  double* x;            // [nrow] right-hand side, then multipliers
  double* b;            // [nrow] remainders of unilateral constraints
  double* dq;           // [nv]
  lb_motion* pull;      // [nlink] moments and forces at the links' origins
  double* work;         // [4 * nrow]
  int* pivot;           // [2 * nrow]
  bool* unilateral;     // [nrow]
  bool* velocity_level; // [nrow] asks for its rate alone
  bool* inactive;       // [nrow] unilateral and not active
};

// A kind of constraint: the most rows one has, and its rows at the present state, each by
// lb_constraint_add.
typedef struct lb_constraint_type {
  int (*rows)(const lb_model* m, const lb_model_constraint* c);
  void (*add)(const lb_model* m, lb_data* d, const lb_model_constraint* c);
} lb_constraint_type;

// Types by lb_model_constraint's kind.
extern const lb_constraint_type* const lb_constraint_types[LB_CONSTRAINT_KINDS];

// Ratchets forget what they passed.
void lb_constraints_unlatch(const lb_model* m, lb_constraints* L);

int lb_constraint_one_row(const lb_model* m, const lb_model_constraint* c);

// The frames of a constraint as they move.
static inline void lb_constraint_pair(lb_pair* P, const lb_data* d, int constraint) {
  const lb_frame* frame = d->work->constraints->frame + 2 * (size_t)constraint;
  lb_pair_open(P, d->work, &frame[0], &frame[1]);
}

// A constraint asks for this value, rate and acceleration of what it measures.
void lb_constraint_ask(lb_constraint_row* row, const double want[3]);

// Prescribed motion at a time: place, rate and acceleration. One at velocity level leaves the
// place.
void lb_path_target(const lb_profile* path, bool velocity_level, double time, double want[3]);

// Traits of a row that decide which sets have it.
typedef enum lb_row_trait {
  LB_ROW_TURNS = 1, // it is about a rotation
  LB_ROW_UNILATERAL = 2,
  LB_ROW_BY_MOTOR = 4 // a motor prescribes it
} lb_row_trait;

// The place of the next constraint, with its numbers; NULL: the set lacks it.
lb_constraint_row* lb_constraint_next(lb_constraints* L, int traits);
// Add a constraint, unless the set lacks it.
void lb_constraint_add(lb_constraints* L, const lb_constraint_row* row);

// The rows of a set at d's q, qd and accelerations, whose kinematics are in place.
void lb_constraint_rows_fill(const lb_model* m, lb_data* d, lb_constraint_set set);

// The rows of compliant constraints, into their own place; the others stay.
void lb_constraint_rows_fill_compliant(const lb_model* m, lb_data* d);
// Stiffness and damping of a row; none where it does not yield.
static inline const lb_compliance* lb_row_compliance(const lb_model* m,
                                                     const lb_constraint_row* row) {
  return &m->constraint.item[row->constraint].compliance[row->turns];
}

// Number of constraints from i on between the same frames; all act at b's origin.
int lb_constraint_group(const lb_constraints* L, int i);

// Rows of J, into Jt, from the constraints' directions and the directions of the coordinates; zero
// for those that are kept (NULL: none).
void lb_constraint_rows_fill_jacobian(const lb_model* m, lb_data* d, const bool* kept);

// Add sign times what a link's motion does to so many rows with one point of action, to their rows
// of J [count][nv], under motors or not; the directions of the coordinates are there.
void lb_constraint_rows_add_link(const lb_model* m, const lb_work* w, const lb_constraint_row* row,
                                 int count, double* J, int link, double sign);

// A random displacement of q by at most `far` [m or rad], but not of what is kept (NULL: nothing),
// nor of what is driven unless it is to go, too. Nodes stay.
typedef struct lb_displacement {
  double far;
  bool driven;
  unsigned seed;
  const bool* kept;
} lb_displacement;
void lb_constraint_rows_displace(const lb_model* m, lb_data* d, lb_displacement by);

// Move q to where the constraints are closed, from wherever it is; the widest gap that is left.
double lb_constraint_rows_project(const lb_model* m, lb_data* d, lb_closing by);
// lb_constraint_rows_project from near by, as after a step; false: it is not near, and q is as it
// was.
bool lb_constraint_rows_project_near(const lb_model* m, lb_data* d, lb_closing by);
// Velocities to where the constraints' rates are closed: an impact without bounce. Sets the active
// set. false: there is nothing to do, or no way.
bool lb_constraint_rows_impact(const lb_model* m, lb_data* d, lb_closing by);

// Factor the mass matrix with the constraints there are, at d's poses; false: it cannot be
// factored.
bool lb_constraint_rows_factor(const lb_model* m, lb_data* d, lb_row_terms terms);
// Then, multipliers from the right-hand side in x, and dq = Minv J'x; what is left of unilateral
// constraints in b. May be called again.
void lb_constraint_rows_solve(const lb_model* m, lb_data* d);

// A multiplier as a force on the links or coordinates.
void lb_constraint_row_push(const lb_model* m, lb_data* d, const lb_constraint_row* row,
                            double lambda);
// The multipliers in x as forces on the links and coordinates.
void lb_constraint_rows_apply(const lb_model* m, lb_data* d);
