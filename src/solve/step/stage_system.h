// Equations of a stage, linearised: the one operator behind derivatives of implicit stages, of
// explicit ones, of impacts and of the projection that closes gaps, forward and transposed.
//
// A stage finds an unknown x and Lagrange multipliers lambda from a residual and from constraints.
// With changes q, v, a of what both depend on otherwise, [nv] each,
//
//   ( W -J' ) (  x   )   ( f - K q - C v - M a )
//   ( E  0  ) (lambda) = ( w - G q - H v - B a )                                           (1)
//
// where f are forces of motors and w what motors ask of constraints. Coordinates that motors
// prescribe are zero in x. Couplings of fixed ratio are eliminated, x = P u, and the first line is
// P' times that (dynamics/constraint/elimination.h). Constraints that are inactive or redundant are
// left out, by the active set (active_set.h). With the Schur complement A = E W^-1 J',
//
//   A lambda = w - G q - H v - B a - E W^-1 b,   x = W^-1 (b + J'lambda)                   (2)
//
// and transposed, from how an objective changes with x and lambda, y and c, to how it does by the
// right-hand sides of (1), mu and nu:
//
//   A'nu = c + J W'^-1 y,   mu = W'^-1 (y - E'nu)                                          (3)
//
// W and its layers are an operator (step_operator.h).
#pragma once
#include "solve/step/active_set.h"
#include "solve/step/step_operator.h"

typedef struct lb_stage_system {
  lb_operator op; // K, C, M and W
  double* push;   // [nmotor][nd] generalised forces of unit forces at joints that close loops
  bool pushes;    // motors' forces count
  const double *G, *H, *B; // [all][nd] of all constraints; NULL: zero
  const double* J;         // [all][nd] directions of their forces
  double ask[3];           // w of a motor's place, rate and acceleration
  int rows;                // number of constraints that are equations
  int* row;                // [rows] these, of all
  int* motor;              // [all] motor that prescribes it, or -1
  double *E, *Z;           // [rows][nd] E without prescribed coordinates, W^-1 J'
  double* A;               // [rows][rows] factored
  int* pivot;              // [rows]
  double* nu;              // [rows] lambda of (2), nu of (3)
  double* mu;              // [nv] of (3)
  double* torque;          // [nv] by r itself: of what motors exert
} lb_stage_system;

// Without matrices yet; the arena says whether there is memory.
lb_stage_system lb_stage_system_take(lb_arena* arena, const lb_model* m, int nd);

// --- making ---

// The motors' directions at joints that close loops, and whether motors' forces count.
void lb_stage_find_pushes(lb_stage_system* s, const lb_derivatives* D, const lb_data* d,
                          bool count);

// Note d's constraints, all of which are linearised: how many, and the motors that ask for them.
void lb_stage_note(lb_stage_system* s, lb_active_set* set, const lb_data* d);
// Equations among the constraints, from their states in the set, and A, with J in place and E of
// all of them. false: it is singular.
bool lb_stage_constrain(lb_stage_system* s, lb_active_set* set, const double* E);

// --- solving ---

// (2) for y = W^-1 b [nd] and the right-hand side of the constraints in nu: y becomes x.
void lb_stage_close(lb_stage_system* s, double* y);

// (1): x [nv] and nu, from q, v, a, motors [nmotor][3] and forces [nv] (NULL: none).
void lb_stage_forward(lb_stage_system* s, double* x, const double* q, const double* v,
                      const double* a, const double* motor, const double* force);
// (3): mu from y [nv] and nu from c [rows] (NULL: zero); adds to q, v, a and motors (NULL: not
// wanted) how the objective changes with them. By a change dr of the first line it changes by
// -mu'dr, torques included.
void lb_stage_back(lb_stage_system* s, double* q, double* v, double* a, double* motor,
                   const double* y, const double* c);

// Add `scale` times the derivative of what a prescribing motor exerts: of one that drives
// coordinate k it is r_k - (J'lambda)_k, of one that is a constraint the multiplier. Before
// lb_stage_back, after lb_stage_forget_torques.
void lb_stage_add_torque(lb_stage_system* s, double* q, double* v, double* a, double* c, int motor,
                         double scale);
void lb_stage_forget_torques(lb_stage_system* s);
// Changes of coordinates that motors prescribe, at `at` [njoint] in q and a joint's own in v and a
// (NULL: not wanted): they are those of the motors. The transpose: what is by them is by the
// motors, and is taken out.
void lb_stage_prescribe(const lb_model* m, double* q, const int* at, double* v, double* a,
                        const double* motor);
void lb_stage_prescribe_back(const lb_model* m, double* q, const int* at, double* v, double* a,
                             double* motor);

// Changes v of m's coordinates as the inner W has them, until s is used again; and by [nv] += scale
// times how something changes with these.
const double* lb_stage_see(const lb_stage_system* s, const double* v);
void lb_stage_gather(const lb_stage_system* s, double* by, double scale, const double* seen);
