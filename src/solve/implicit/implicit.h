// Inside of the implicit stepper: its state, and the algebra that Newton's method needs. It was
// made for BDF2 and does every scheme whose stages look alike (implicit.c).
#pragma once
#include "solve/implicit/anderson.h"
#include "solve/step/schur.h"
#include "solve/step/step_derivative.h"
#include "solve/step/stepper.h"

// Slower than this [sqrt(J)] counts as this fast, for systems at rest.
#define LB_IMPLICIT_STILL 1e-3

// Most stages of a step, and steps whose changes of the velocities are kept for the predictor.
enum { LB_IMPLICIT_STAGES = 2, LB_IMPLICIT_CHANGES = 3 };

// Algebra of Newton's matrix.
typedef struct lb_implicit_algebra {
  lb_status (*create)(lb_stepper* st, lb_error* err);
  void (*release)(lb_stepper* st); // NULL: the arena is all
  // A new matrix at d's state, for steps of dt; sets the motion's speed. false: it cannot be
  // factored.
  bool (*make)(lb_stepper* st, lb_data* d, double dt);
  // Correct d's velocities by the residual; returns the correction's size sqrt(dv'M dv).
  double (*correct)(lb_stepper* st, lb_data* d, double dt);
  // Motors' forces at d's state; NULL: by lb_forward.
  void (*observe)(lb_stepper* st, lb_data* d);
  // b [nv] = (dt W)^-1 b with bilateral constraints, for contacts; NULL: they cannot be.
  void (*solve)(lb_stepper* st, double* b);
  // Converged when the change of velocity still to come has this fraction of the motion's kinetic
  // energy (square root).
  double tolerance;
  // Factor by which a matrix may get worse from one step to the next; INFINITY: nothing is known
  // before the second iteration.
  double ageing;
  int patience;                  // iterations beyond which the next step begins with a new matrix
  int lasts;                     // stages that one is kept for at most
  void (*renew)(lb_stepper* st); // forget the order in which matrices are factored; NULL: nothing
} lb_implicit_algebra;

extern const lb_implicit_algebra lb_implicit_dense, lb_implicit_tree, lb_implicit_kkt,
    lb_implicit_full;

// Rigid trees under constraints.
bool lb_implicit_kkt_fits(const lb_model* m);

typedef struct lb_scheme lb_scheme;

// Newton's method as the authors of [red] stop it, to compare with: from coordinates that keep
// their last velocities, until dt^2 |r| is below this, whatever its numbers measure. That leaves an
// error which only the same iterations repeat; the models' coordinates must be numbers.
void lb_implicit_stop_at(lb_stepper* st, double residual);

// BDF2 with a first step by SDIRK2, as the authors of [red] have it: to compare with.
extern const lb_scheme lb_scheme_bdf2_after_sdirk2;

// Newton's method from stage to stage.
typedef struct lb_newton {
  double tolerance; // the scene's, or the algebra's
  double residual;  // residual that it stops at instead; 0: by the tolerance
  double dt;        // of the matrix; 0: there is none
  double speed;     // sqrt(v'M v) when the matrix was made
  double rounding;  // of the constraints' targets, in the same measure
  double news;      // the part of the last correction that earlier ones did not predict
  double rate;      // of such parts with this matrix, what is left; INFINITY: not known yet
  int age;          // of the matrix, in stages
  bool fresh;       // the matrix is of this stage
  bool slow;        // there were many iterations: the next step needs a new matrix
} lb_newton;

typedef struct lb_implicit {
  const lb_scheme* scheme;
  double *q1, *v1;           // state at the start of this step
  double *q2, *v2;           // at the start of the step before
  double *qe, *ve;           // end of the last step
  double *qs, *vs;           // end of the last stage
  double *qh, *vh;           // history terms
  double *x1, *x2, *xe, *xs; // [nx] activations and fibres of these states
  double *r, *dv;            // residual, correction
  double* change; // [stage][LB_IMPLICIT_CHANGES][nv + rows] what stages changed of v, and their
                  // multipliers; the last step's first
  int rows;       // most rows
  double* lambda; // [rows] Lagrange multipliers
  double* held;   // [rows] multipliers to go back to
  lb_schur schur; // of the matrix and the constraints
  lb_anderson anderson;      // n is 0: corrections are taken as they are
  lb_step_derivative* exact; // with its matrix; NULL: there is none
  bool is_exact;             // the matrix is that one
  int known;                 // steps of which it is known
  int stages;                // of each of them
  int stage;                 // this one
  bool inner;                // this stage is not the last of its step
  bool hit;                  // a constraint became active in this step
  double* was;               // state of the constraints when it began
  bool touches;              // something may collide in this step
  lb_stepper* bounces;       // of steps in which something bounces; NULL: nothing does
  double bounced;            // duration of the last step where that took it, else 0
  bool meets;                // that, servos or stops that yield are solved for in it
  long met;                  // number of the matrix that contacts were prepared with, or -1
  double* move;              // [nv] velocities by which places change
  int choice;                // that multipliers and matrix are for (lb_constraints_count_choices)
  double* impulse;           // [rows] of the last impact
  int reported;              // stages of this step that the watcher saw and that count
  int taken_back;            // stages it saw that do not count, which it does not know yet
  double time;               // end of the last step
  double h;                  // of the last step; 0: there was none
  double ratio;              // of this step to it
  lb_newton newton;
  const lb_implicit_algebra* algebra;
  void* own; // work space of the algebra
} lb_implicit;

// Begin the next step with a new matrix, as a step does that finds the one at hand too old.
void lb_implicit_forget(lb_stepper* st);

// Numbers that a stage keeps of what it changed: of velocities, then its multipliers.
int lb_implicit_count_changes(const lb_stepper* st);

// State of a stepper between two steps (implicit_state.c), to restore, as so many numbers. Newton's
// matrix is not among them and forgotten both ways: from there on all steps are the same to the
// last bit. The active set is d's, and among them.
size_t lb_implicit_place_size(const lb_model* m);
void lb_implicit_save(lb_stepper* st, const lb_data* d, double* place);
void lb_implicit_load(lb_stepper* st, lb_data* d, const double* place);

// Take away the velocity with which d runs into active constraints, as steps do in which something
// hits, and report to the watcher: for starts.
void lb_implicit_impact(lb_stepper* st, lb_data* d);

// --- implicit_contact.c ---

// Models with contacts that this stepper cannot do.
lb_status lb_implicit_check_contacts(const lb_stepper* st, lb_error* err);
// Find what may collide in a step of h from d: sets `touches`. false: there is too much of it.
bool lb_implicit_detect(lb_stepper* st, lb_data* d, double h);
// After the residual at d: where servos and stops that yield are.
void lb_implicit_look(lb_stepper* st, lb_data* d, double dt);
// Whether the end of a step shows bodies that go farther than was searched: it is to be taken again
// after the second of these. `last`: it will not be.
bool lb_implicit_struck(lb_stepper* st, lb_data* d, double h, bool last);
bool lb_implicit_detect_again(lb_stepper* st, lb_data* d, double h);
// Correct d's velocities by impulses of contacts, servos and stops that yield; the size of that.
double lb_implicit_meet(lb_stepper* st, lb_data* d, double dt);

// --- implicit_bounce.c ---

lb_status lb_implicit_create_bounces(lb_stepper* st, lb_error* err);
// Whether something may bounce in a step of h, after lb_implicit_detect; and that step.
bool lb_implicit_bounces(const lb_stepper* st, const lb_data* d, double h);
bool lb_implicit_bounce(lb_stepper* st, lb_data* d, double h);
// When gaps are closed: momentum that it should have kept.
void lb_implicit_finish(lb_stepper* st, lb_data* d, double h);

// --- implicit_newton.c ---

// The velocities of a stage's end from d's, which are a guess, with its history in place; false:
// they are not found.
bool lb_implicit_newton(lb_stepper* st, lb_data* d, double dt);

// --- implicit_correct.c ---

// A matrix that leaves nothing out, where the algebra's is too slow.
lb_status lb_implicit_take_exact(lb_stepper* st, lb_error* err);
bool lb_implicit_make_exact(lb_stepper* st, lb_data* d, double dt);
// b [nv] = (dt W)^-1 b with that matrix and bilateral constraints, as the algebras' `solve`.
void lb_implicit_solve_exact(lb_stepper* st, double* b);
// Correct d's velocities by the residual, with the matrix at hand.
double lb_implicit_correct(lb_stepper* st, lb_data* d, double dt);

// For algebras: a new matrix of n unknowns is there, or was not found.
bool lb_implicit_renewed(lb_stepper* st, int n, double dt, bool made);
// dv = W^-1 r under constraints, E as in lb_schur_keep; lambda, and r [W's nd] in W's coordinates
// as it is then.
void lb_implicit_solve(lb_stepper* st, lb_operator* W, const lb_constraint_rows* rows,
                       const double* E, lb_kkt_target wish, double* r);
// Velocities after a correction dv; its size sqrt(dv'M dv).
double lb_implicit_accelerate(lb_stepper* st, lb_data* d, double dt);

// Residual r at d->qd; leaves q and qdd that belong to it in d. Loops' forces are not in it.
void lb_implicit_residual(const lb_stepper* st, lb_data* d, double dt);
