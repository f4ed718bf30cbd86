// Searches for the least value of an objective. An objective is a table of functions of n unknowns
// with bounds; a search is a table entry that takes one iteration:
//
//   lb_search_lbfgs         L-BFGS with bounds: values and gradients (lbfgs.c)
//   lb_search_gauss_newton  damped Gauss-Newton steps, Levenberg and Marquardt's method: the
//                           objective solves for a step with a given damping (gauss_newton.c)
//
// Stopping, resuming, news and runs that fail are the affair of search.c. All that a search
// remembers between iterations are doubles that the caller keeps: saved and given back, it goes on
// with the same bits.
#pragma once
#include "base/arena.h"

typedef enum lb_search_end {
  LB_SEARCH_INTERRUPTED,
  LB_SEARCH_CONVERGED, // the last iterations gained less than the tolerance
  LB_SEARCH_NO_GAIN,   // nothing is left to gain, or no step gains anything
  LB_SEARCH_LIMIT,     // as many iterations as there may be
  LB_SEARCH_BLOCKED    // limits beyond the bounds leave no way along the direction
} lb_search_end;

typedef struct lb_search_news {
  int iteration;
  double value;
  double gradient; // largest part that bounds do not hold back, over that at the start
  bool over;       // the search ends here
} lb_search_news;

typedef struct lb_objective {
  void* context;
  int n;
  const double *least, *most; // [n] bounds; NULL: there are none
  double first_step;          // L-BFGS: largest change of an unknown by the first step
  // Value at x. LB_FAILED: there is none, and x is infinitely bad.
  lb_status (*value)(void* context, const double* x, double* value, lb_error* err);
  // Gradient at x, where the value was asked for last.
  lb_status (*gradient)(void* context, const double* x, double* g, lb_error* err);
  // The place where the value was asked for last is the best so far; NULL: nobody minds.
  void (*keep)(void* context);
  // Told of the start and of every iteration; false: stop. NULL: nobody listens.
  bool (*news)(void* context, const lb_search_news* news);
  // L-BFGS: what part of the way p from x limits beyond the bounds allow; NULL: all of it.
  double (*reach)(void* context, const double* x, const double* p);
  // L-BFGS: p = H_0 p, a guess of the inverse of the second derivative; NULL: the identity.
  void (*precondition)(const void* context, double* p);
  // Gauss-Newton: the step p from x with a damping (0: choose the first one), within bounds and
  // limits, and the gain that the linearised objective predicts. A gain of 0: nothing is left.
  lb_status (*step)(void* context, const double* x, const double* g, double* damping, double* p,
                    double* gain, lb_error* err);
} lb_objective;

typedef struct lb_search_options {
  int iterations;   // at most
  int patience;     // iterations over which the objective has to fall, LB_SEARCH_PATIENCE at most,
  double tolerance; // by this part of it
  double enough;    // value that is good enough
  int pairs;        // L-BFGS: how many are remembered
  bool first_scale; // L-BFGS: H_0 is scaled by the oldest pair, as in BFGS, not by the newest one
  int trials;       // Gauss-Newton: steps tried in one iteration
} lb_search_options;

enum { LB_SEARCH_PATIENCE = 10 };

typedef struct lb_search lb_search;

typedef struct lb_search_type {
  size_t (*memory)(int n, const lb_search_options* options); // doubles that it remembers
  // One iteration from x, whose value and gradient are known; `moved`: x is a better one.
  lb_status (*iterate)(lb_search* s, bool* moved);
} lb_search_type;

extern const lb_search_type lb_search_lbfgs, lb_search_gauss_newton;

// A search at work.
struct lb_search {
  const lb_search_type* type;
  const lb_objective* f;
  lb_search_options options;
  const lb_allocator* allocator;
  lb_error* err;
  lb_arena arena;
  double* x;            // [n] the best so far, the caller's
  double value;         // there
  double* g;            // [n] gradient at x
  bool has_gradient;    // true where g is known
  double* p;            // [n] direction
  double* trial;        // [n] end of a step
  double* next;         // [n] gradient at `trial`
  double *best, *end_g; // [n] L-BFGS: the best end of a line and the gradient there
  bool* held;           // [n] L-BFGS: unknowns that stay at their bounds
  double* rest;         // [n] distance to the bound of one that is held
  double came;          // Gauss-Newton: what part of the last prediction came true
  double* memory;       // the caller's
  double* own;          // behind what all searches remember: of the type
  lb_search_end end;
};

// Doubles that a search remembers: zeros for a new one.
size_t lb_search_memory(const lb_search_type* type, int n, const lb_search_options* options);

// The damping that a search by Gauss-Newton steps has come to.
double lb_search_damping(const double* memory);

// Value at x, which is within the bounds. Finish it even when beginning failed.
lb_status lb_search_begin(lb_search* s, const lb_search_type* type, const lb_objective* f,
                          const lb_search_options* options, double* x, double* memory,
                          const lb_allocator* allocator, lb_error* err);
lb_status lb_search_iterate(lb_search* s, bool* moved);
void lb_search_finish(lb_search* s);

// From x to the end. LB_INTERRUPTED when news or the objective stopped it: x and memory are then
// those after the last whole iteration.
lb_status lb_search_run(const lb_search_type* type, const lb_objective* f,
                        const lb_search_options* options, double* x, double* memory, double* value,
                        lb_search_end* end, const lb_allocator* allocator, lb_error* err);

// --- for types ---

// Value at a trial; INFINITY where there is none.
lb_status lb_search_try(lb_search* s, const double* x, double* value);
// x within the bounds of unknown i.
double lb_search_within(const lb_search* s, int i, double x);

// --- dense Gauss-Newton steps (gauss_newton.c) ---

// Normal equations of residuals r with the Jacobian J.
typedef struct lb_normal {
  int n;
  size_t m;
  double* A; // [n][n] J'J
  double* L; // [n][n] scratch
} lb_normal;

// A = J'J and g = J'r, with J [n][m].
void lb_normal_make(lb_normal* N, const double* J, const double* r, double* g);
// (A + damping diag A) p = -g; unknowns that change nothing or would leave their bounds stay, and p
// ends within them. The predicted gain of r'r / 2, negative when the matrix allows no step.
double lb_normal_step(const lb_normal* N, const lb_objective* f, const double* x, const double* g,
                      double damping, double* p);
