// An island is swept, and then Newton's method takes over where sweeps are slow:
//
//   thorough   sweeps with conjugate directions and Newton's method by turns, from other starts,
//              with more and more plain sweeps, until the tolerance is met
//   bounded    ten sweeps; then a few steps of Newton's method where that pays, and all of the
//              above where a calm island is still far from a solution, which it stands by
//   brief      four sweeps, and a few steps of Newton's method where that pays
//
// Sweeps bring Newton's method near, and it finishes what sweeps are slow at: stacks, large ratios
// of masses. In a step it pays on tiny islands, on those that are calm, where soft modes of stacks
// would go on swaying, and on those of uneven masses, where sweeps stall; there it comes first.
#include "math/contact/contact_effort.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Share of an effort.
typedef struct budget {
  int steps;  // of Newton's method
  int tiny;   // of it where the island is tiny
  int rounds; // of fixed radii, where it failed
  int starts; // after a failure on small islands (thorough) or tiny ones
  int rows;   // of a calm island on which it takes about as long as sweeps
  double eps; // regularisation, of islands that are not tiny: redundant contacts whose gaps do not
              // fit together, as all corners of a box at rest have, would have steps of their
              // misfit over it
} budget;

static const budget BUDGETS[] = {[LB_CONTACT_THOROUGH] = {30, 30, 12, 12, 0, LB_CONTACT_EPS},
                                 [LB_CONTACT_BOUNDED] = {8, 12, 4, 2, 192, 1e-4},
                                 [LB_CONTACT_BRIEF] = {8, 8, 0, 0, 96, 1e-4}};

enum {
  TINY = 36,         // rows that are always solved to the end
  STANDS_ROWS = 450, // rows of a problem that is solved to the end where it stands by its friction
  EARLY = 8,         // sweeps before Newton's method on small islands, thorough
  LATE = 40,         // on others
  PLAIN = 20,        // plain sweeps before the next attempt; they double
  STEP_COST = 10,    // sweeps that take as long as a Newton step of a large island
  CHECK = 8,         // sweeps between looks at the residual
  WEDGED = 4         // times as many sweeps where overlaps stay though all is nearly at rest
};

// Residuals over the scale: near enough for a step, too far for what stands by its friction, and so
// far that other starts are tried.
static const double NEAR = 3e-6, STANDS = 1e-4, FAR = 1e-2;
// The least scale of an island that counts, over that of all.
static const double LEAST = 1e-6;
// Ratio of the masses that two groups show at a contact, from which sweeps stall.
static const double UNEVEN = 100;
// What a step of Newton's method leaves of the residual where the rest of it is misfit of redundant
// gaps, which no step takes away: the next one would be in vain.
static const double IDLE = 0.6;
// Shares of the tolerance: what Newton's method leaves of it where an island may come to rest, and
// below which impulses are those of an exact solution.
static const double FINE = 5e-3, EXACT = 1e-2;
// Roots of friction in the few sweeps of a step, over their bounds: less than these leave anyway.
static const double ROUGH = 1e-3;

typedef struct job {
  lb_contact_crew* c;
  const lb_contact_matrices* matrices;
  const lb_contact_options* options;
  lb_contact_effort effort;
  double own, scale;         // of the island, and of all
  int limit;                 // of sweeps
  int steps;                 // of Newton's method, so far
  bool laid;                 // the system below was looked for
  lb_contact_scaled* system; // of Newton's method, or NULL without room
  bool uneven;               // its masses are, and sweeps stall
  bool fine;                 // Newton's method is to bring it to rest
  bool plain;                // sweeps without conjugate directions: slow, and they always settle
  double best;               // residual of the impulses kept
  lb_contact_measure m;      // of the impulses now
} job;

static bool look(job* j) {
  j->m = lb_crew_measure(j->c);
  return j->m.residual <= fmax(j->c->target, j->m.rounding);
}

static bool is_tiny(const job* j) {
  return j->c->rows <= TINY;
}

static bool is_calm(const job* j) {
  return j->m.scale <= j->options->calm;
}

// An island on which Newton's method is quick, and that may come to rest.
static bool may_rest(const job* j) {
  return j->c->rows <= BUDGETS[j->effort].rows && is_calm(j);
}

// --- Newton's method ---

// Starts: where sweeps ended, rounds of fixed radii from there, or at random.
static lb_contact_try try_newton(const job* j, lb_contact_scaled* system, int attempt) {
  const budget* b = &BUDGETS[j->effort];
  double* x = j->matrices->x;
  int steps = 0;
  if (attempt == 1) {
    steps = lb_contact_fixed_radius(system, b->rounds, x);
  } else if (attempt > 1) {
    lb_contact_random_start(system, attempt, x);
  }
  lb_contact_try t = lb_contact_newton(system, is_tiny(j) ? b->tiny : b->steps, x);
  t.steps += steps;
  return t;
}

// The island's rows with their matrix: dense, or by groups where there are many rows for each.
static lb_contact_scaled* system_of(job* j) {
  const lb_contact_crew* c = j->c;
  const lb_contact_problem* p = c->sweeper->problem;
  const lb_contact_matrices* m = j->matrices;
  const bool small = c->rows <= LB_ISLAND_SMALL;
  if (!j->laid) {
    j->laid = true;
    if (m->lock) { // until the island is done
      pthread_mutex_lock(m->lock);
    }
    j->system = NULL;
    if (!small && lb_contact_sparse_lay(m->sparse, p, c->islands, c->island)) {
      j->system = &m->sparse->system;
    } else if (c->rows <= (small ? LB_ISLAND_SMALL : m->most)) {
      lb_contact_dense_assemble(m->dense, p, c->end - c->begin, c->islands->block + c->begin);
      j->system = &m->dense->system;
    }
  }
  return j->system;
}

// Up to so many attempts. Impulses are unchanged where none has a residual below `enough`, though
// one that is not small enough may be taken.
static lb_contact_try newton_of_island(job* j, int attempts, double enough) {
  const lb_contact_sweeper* w = j->c->sweeper;
  lb_contact_scaled* system = system_of(j);
  lb_contact_try t = {false, (double)INFINITY, 0};
  double *lambda = w->lambda + w->first_row[j->c->begin], *x = j->matrices->x;
  if (!system) {
    return t;
  }
  for (int i = 0; i < system->n; i++) {
    x[i] = lambda[i] / system->D[i];
  }
  system->tolerance = (j->fine ? FINE : 0.5) * j->c->target;
  const bool exact = is_tiny(j) || j->uneven || j->effort == LB_CONTACT_THOROUGH;
  system->eps = exact ? LB_CONTACT_EPS : BUDGETS[j->effort].eps;
  system->idle = exact ? (double)INFINITY : IDLE;
  for (int k = 0; k < attempts && !t.solved; k++) {
    const int before = t.steps;
    t = try_newton(j, system, k);
    t.steps += before;
  }
  const bool better = t.solved || t.residual < enough;
  for (int i = 0; i < system->n && better; i++) {
    lambda[i] = x[i] * system->D[i];
  }
  return t;
}

static bool newton(job* j, int attempts, double enough) {
  lb_contact_shared* shared = j->c->shared;
  if (j->c->rank == 0) {
    shared->newton = newton_of_island(j, attempts, enough);
  }
  lb_crew_meet(j->c);
  j->steps += shared->newton.steps;
  lb_crew_refresh(j->c);
  return look(j);
}

// --- impulses of the best residual so far, kept and taken back in the end ---

static void keep_best(job* j) {
  const lb_contact_sweeper* w = j->c->sweeper;
  const int row = w->first_row[j->c->begin], end = w->first_row[j->c->end];
  if (j->m.residual < j->best) {
    if (j->c->rank == 0) {
      memcpy(j->matrices->best + row, w->lambda + row, (size_t)(end - row) * sizeof(double));
    }
    j->best = j->m.residual;
  }
  lb_crew_meet(j->c);
}

// From these impulses, or from zero.
static void start_from(job* j, const double* lambda) {
  const lb_contact_sweeper* w = j->c->sweeper;
  const int row = w->first_row[j->c->begin], end = w->first_row[j->c->end];
  for (int r = row; r < end && j->c->rank == 0; r++) {
    w->lambda[r] = lambda ? lambda[r] : 0;
  }
  lb_crew_meet(j->c);
  lb_crew_refresh(j->c);
}

// The best, where what came after it is not.
static void take_best(job* j) {
  if (!(j->m.residual <= j->best)) {
    start_from(j, j->matrices->best);
    look(j);
  }
}

// --- thorough ---

// Work so far, in sweeps.
static int spent(const job* j) {
  return j->c->nsweep + j->steps * (j->c->rows <= LB_ISLAND_SMALL ? 1 : STEP_COST);
}

// Up to `most` sweeps; whether the residual is small enough.
static bool sweeps(job* j, int most) {
  lb_crew_refresh(j->c);
  lb_crew_begin(j->c);
  for (int i = 0; i < most && spent(j) < j->limit; i++) {
    const double change = lb_crew_sweep(j->c);
    if (change <= j->c->target || i % CHECK == CHECK - 1) {
      lb_crew_refresh(j->c);
      if (look(j)) {
        return true;
      }
    }
    if (!j->plain) {
      lb_crew_accelerate(j->c);
    }
  }
  lb_crew_refresh(j->c);
  return look(j);
}

// One phase: from zero or from where the last one ended, sweeps, and Newton's method.
static bool phase(job* j, int k) {
  const bool small = j->c->rows <= LB_ISLAND_SMALL;
  bool solved = false;
  if (k == 1 && small) { // far from everything that did not work
    start_from(j, NULL);
    solved = newton(j, BUDGETS[j->effort].starts, 0);
  } else {
    j->plain = k > 0;
    solved = sweeps(j, k > 0 ? PLAIN << (k < 8 ? k - 1 : 7) : small ? EARLY : LATE);
    solved = solved || newton(j, 1, j->m.residual);
  }
  keep_best(j);
  return solved;
}

static bool solve_thoroughly(job* j) {
  bool solved = look(j);
  j->effort = LB_CONTACT_THOROUGH;
  j->c->close = LB_CONTACT_CLOSE;
  keep_best(j);
  for (int k = 0; !solved && spent(j) < j->limit; k++) {
    solved = phase(j, k);
  }
  if (!solved) {
    take_best(j);
  }
  return solved;
}

// --- bounded and brief ---

// Sweeps until they change little, and one look at what they have led to.
static bool few_sweeps(job* j, int most) {
  double change = (double)INFINITY;
  lb_crew_begin(j->c);
  for (int i = 0; i < most && change > j->c->target; i++) {
    if (i > 0) {
      lb_crew_accelerate(j->c);
    }
    change = lb_crew_sweep(j->c);
  }
  return look(j);
}

// Whether sweeps stall: groups that share a contact show it masses that differ by much.
static double unevenness(const lb_contact_crew* c, int begin, int end) {
  return lb_contact_sweeper_unevenness(c->sweeper, begin, end);
}
static bool is_uneven(const job* j) {
  return lb_crew_largest(j->c, unevenness) > UNEVEN;
}

// Impulses that are near are left to the sweeps of the next step.
static bool pays(const job* j) {
  return is_tiny(j) || (j->uneven && j->m.residual > STANDS * j->m.scale) ||
         (may_rest(j) && j->m.residual > NEAR * j->m.scale);
}

// Whether a block of the island is.
static bool any_marked(const job* j, lb_contact_mark mark) {
  const unsigned char* marks = j->options->marks;
  for (int k = j->c->begin; marks && k < j->c->end; k++) {
    if (marks[j->c->islands->block[k]] & mark) {
      return true;
    }
  }
  return false;
}

// An exact solution stops velocities that errors before have left, and its impulses are more than
// what bears weights by as much. The next step would be pushed back by them, and so on for ever:
// two exact solutions in a row bring an island to rest.
static bool sways(const job* j) {
  return j->fine && j->m.residual > EXACT * j->c->target &&
         any_marked(j, LB_CONTACT_STARTS_EXACTLY);
}

// Tiny islands, from elsewhere.
static bool start_again(job* j) {
  keep_best(j);
  start_from(j, NULL);
  const bool solved = newton(j, BUDGETS[j->effort].starts, j->best);
  if (!solved) {
    take_best(j);
  }
  return solved;
}

// A half solution does not do where all is nearly at rest and stands by its friction, as arches do.
static bool stands_on_it(const job* j) {
  return j->effort == LB_CONTACT_BOUNDED && j->c->sweeper->problem->nrow <= STANDS_ROWS &&
         j->scale <= j->options->calm && j->m.residual > STANDS * j->m.scale;
}

// Newton's method from the last step's impulses, where sweeps would lead away from them: they move
// what is light as if it bore nothing, and errors that are left of that double in every step. Where
// it fails, sweeps begin from the best.
static bool solve_uneven(job* j) {
  const bool solved = look(j) || newton(j, 1, j->m.residual);
  if (!solved) {
    keep_best(j);
  }
  return solved;
}

// Overlaps of wedges, which bear many times their weights, go away slowly: more sweeps where all is
// nearly at rest. Points near by that stay open do not count for that: a gap of 0.2 mm has 0.1 m/s.
static double speed(const lb_contact_crew* c, int begin, int end) {
  return lb_contact_sweeper_speed(c->sweeper, begin, end);
}
static int sweeps_of(const job* j) {
  const bool wedged = !is_tiny(j) && any_marked(j, LB_CONTACT_OVERLAPS) &&
                      lb_crew_largest(j->c, speed) <= j->options->calm;
  return wedged ? WEDGED * j->options->sweeps : j->options->sweeps;
}

static bool solve_in_step(job* j) {
  j->uneven = j->effort == LB_CONTACT_BOUNDED && !is_tiny(j) && is_uneven(j);
  if (j->uneven && solve_uneven(j)) {
    return true;
  }
  bool solved = few_sweeps(j, sweeps_of(j));
  j->fine = j->effort == LB_CONTACT_BOUNDED && !is_tiny(j) && !j->uneven && may_rest(j);
  if (sways(j) || (!solved && pays(j))) {
    solved = newton(j, 1, j->m.residual) || solved;
  }
  if (!solved && j->uneven) {
    take_best(j);
  }
  if (!solved && is_tiny(j) && BUDGETS[j->effort].starts > 0 && j->m.residual > FAR * j->m.scale) {
    solved = start_again(j);
  }
  if (!solved && stands_on_it(j)) {
    j->limit = lb_contact_options_default().sweeps;
    solved = solve_thoroughly(j);
  }
  return solved;
}

lb_contact_outcome lb_contact_solve_island(lb_contact_crew* c, const lb_contact_matrices* matrices,
                                           const lb_contact_options* options, double own,
                                           double scale) {
  job j = {.c = c,
           .matrices = matrices,
           .options = options,
           .effort = options->effort,
           .own = own,
           .scale = scale,
           .limit = options->sweeps,
           .best = (double)INFINITY};
  c->target = options->tolerance * fmax(own, LEAST * scale);
  c->close = is_tiny(&j) ? LB_CONTACT_CLOSE : ROUGH;
  const bool solved =
      options->effort == LB_CONTACT_THOROUGH ? solve_thoroughly(&j) : solve_in_step(&j);
  if (j.laid && matrices->lock) {
    pthread_mutex_unlock(matrices->lock);
  }
  const bool exact = j.fine && j.steps > 0 && j.m.residual <= EXACT * c->target;
  return (lb_contact_outcome){j.m, c->nsweep + j.steps, solved, exact};
}
