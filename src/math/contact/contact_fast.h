// Fast solver of contact problems: islands, warm starts, sweeps of block Gauss-Seidel with
// conjugate directions, and Newton's method for islands that are small or on which sweeps
// are slow. Results are the same for any number of threads, to the last bit.
#pragma once
#include "limber/memory.h"
#include "limber/status.h"
#include "math/contact/contact_problem.h"

typedef struct lb_contact_solver lb_contact_solver;

// Largest problem there is room for. A solve allocates nothing.
typedef struct lb_contact_sizes {
  int groups, velocities, rows, blocks;
  int dense;   // rows up to which Newton's method has room for a dense matrix; 0: the usual
  int factors; // numbers of its sparse factors, for islands of many rows; 0: the usual
  int threads; // for islands at the same time
} lb_contact_sizes;

lb_status lb_contact_solver_create(const lb_allocator* allocator, lb_contact_solver** out);
void lb_contact_solver_release(lb_contact_solver* solver);
// Room for at least these sizes; nothing shrinks. LB_NO_MEMORY: the solver is as it was.
lb_status lb_contact_solver_reserve(lb_contact_solver* solver, const lb_contact_sizes* sizes);
// Sizes of a problem, with the usual room for matrices and one thread.
lb_contact_sizes lb_contact_sizes_of(const lb_contact_problem* p);

// What is done for islands on which sweeps are slow (contact_effort.c).
typedef enum lb_contact_effort {
  LB_CONTACT_THOROUGH, // other starts and longer sweeps until the tolerance is met
  LB_CONTACT_BOUNDED,  // a step's share, of which the next step's warm start goes on: Newton's
                       // method where it pays; to the end where an island is tiny, or calm
  LB_CONTACT_BRIEF     // less: for places, of which nothing is left to the next step
} lb_contact_effort;

// What is known of a block.
typedef enum lb_contact_mark {
  LB_CONTACT_STARTS_EXACTLY = 1, // lb_contact_solver_exact said so of its start
  LB_CONTACT_OVERLAPS = 2        // it overlaps by much
} lb_contact_mark;

typedef struct lb_contact_options {
  double tolerance; // residual against the scale of the island
  int sweeps;       // at most, of an island; Newton steps of large ones count as ten
  int threads;
  lb_contact_effort effort;
  bool vouched;  // the problem is sound and fits, as its builder knows: only numbers are checked
  bool arranged; // lb_contact_solver_arrange knows it
  const unsigned char* marks; // [nblock] of lb_contact_mark; NULL: none
  double calm;                // bounded, brief: islands are calm up to this scale; 0: none is
} lb_contact_options;

lb_contact_options lb_contact_options_default(void); // thorough
lb_contact_options lb_contact_options_step(void);    // bounded, nothing calm
lb_contact_options lb_contact_options_brief(void);

// Order in which blocks [nblock] of a problem are swept. Its groups, rows and blocks are in place,
// and fit; numbers need not be. J and Z are read fastest where they lie in this order.
const int* lb_contact_solver_arrange(lb_contact_solver* solver, const lb_contact_problem* p);

// lambda [nrow] has the warm start, such as zeros or the last step's impulses, and then the
// solution; u [velocity[ngroup]] is what it leads to. Refused: the problem is not valid or does not
// fit, the options make no sense, and outputs are unchanged.
lb_contact_report lb_contact_solve(lb_contact_solver* solver, const lb_contact_problem* p,
                                   const lb_contact_options* options, double* lambda, double* u);
// Whether the last solution is exact for a block: the next step's had better be, too.
bool lb_contact_solver_exact(const lb_contact_solver* solver, int block);
// Island of each block [nblock] of the problem that was solved last.
const int* lb_contact_solver_islands(const lb_contact_solver* solver);
// Solution of the problem that was solved last, of which nothing but b has changed since; the warm
// start is the last solution. Islands whose b is the same keep theirs.
lb_contact_report lb_contact_solve_again(lb_contact_solver* solver,
                                         const lb_contact_options* options, double* lambda,
                                         double* u);
