// Solver of islands. Each island alternates sweeps and Newton's method:
//
//   sweeps            with conjugate directions at first, then plain ones, more each time
//   Newton's method   by a dense matrix, or by sparse factors where there are many rows
//
// so that sweeps bring Newton's method near, and it finishes what sweeps are slow at: stacks, large
// ratios of masses. Large islands are swept by all threads, colour by colour; small ones go to one
// thread each.
#include "math/contact/contact_fast.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/carve.h"
#include "base/parallel.h"
#include "math/contact/contact_dense.h"
#include "math/contact/contact_sparse.h"
#include "math/contact/contact_sweep.h"

enum {
  SMALL = 96,        // rows up to which Newton's method is tried early
  DENSE_USUAL = 480, // rows up to which it has room
  TEAM_BLOCKS = 768, // blocks from which all threads work on one island
  SPLIT = 64,        // blocks of a colour that one thread does as fast
  PORTION = 128,     // blocks that are packed in one go
  TERMS = 512,       // rows whose terms are added in one go
  THREADS_MOST = 64,
  FACTORS_USUAL = 8000000,
  NEWTON_STEPS = 30,
  ROUNDS = 12,        // of fixed radii, where Newton's method failed
  STARTS = 12,        // of Newton's method on small islands, then
  LATER = 20,         // plain sweeps before the next attempt of Newton's method; they double
  STEP_COST = 10,     // sweeps that take as long as a Newton step of a large island
  CHECK = 8,          // sweeps between looks at the residual
  BOUNDED_ROWS = 192, // rows up to which Newton's method is tried in a step
  BOUNDED_STEPS = 8,
  BOUNDED_STARTS = 3,
  TINY = 36, // rows that are always solved to the end
  BOUNDED_SWEEPS = 10
};

// Residuals of a step over the scale: near enough, and so far that other starts are tried.
static const double NEAR = 3e-6, FAR = 1e-2;
// Regularisation there: redundant contacts whose gaps do not fit together, as all corners of a box
// at rest have, would have steps of their misfit over it.
static const double BOUNDED_EPS = 1e-4;

// Outcome of one island.
typedef struct outcome {
  lb_contact_measure measure;
  int iterations;
  bool solved;
} outcome;

// What threads that sweep one island tell each other.
typedef struct shared {
  double change[THREADS_MOST]; // largest of each thread's share
  lb_contact_measure measure[THREADS_MOST];
  double scale; // largest of all islands
  lb_contact_try newton;
} shared;

struct lb_contact_solver {
  const lb_allocator* allocator;
  void* memory;
  lb_contact_sizes sizes;
  lb_contact_islands islands;
  lb_contact_sweeper sweeper;
  outcome* outcome;            // [nisland]
  int* large;                  // [nisland] islands for all threads
  int* small;                  // [nisland] those for one
  double *before, *toward;     // [nrow] lambda before a sweep; conjugate direction
  double* best;                // [nrow] impulses of the least residual
  double* part;                // [nrow / TERMS + 1] sums of terms, of an island that all work on
  double *u_before, *u_toward; // [nvelocity]
  lb_contact_dense dense;      // for large islands
  lb_contact_sparse sparse;    // for those with many rows for each group
  lb_contact_dense* little;    // [threads] of up to SMALL rows
  double* x;                   // [threads + 1] x of Newton's method
  // --- of a solve
  const lb_contact_options* options;
  int nlarge, nsmall;
  atomic_int next;
  shared shared;
};

// --- memory ---

static void carve(lb_contact_solver* s, lb_carver* c) {
  const lb_contact_sizes* z = &s->sizes;
  lb_contact_islands_carve(&s->islands, c, z->blocks, z->groups);
  lb_contact_sweeper_carve(&s->sweeper, c, z->rows, z->blocks, z->entries);
  s->sweeper.u = lb_carve(c, (size_t)z->velocities, sizeof(double));
  s->outcome = lb_carve(c, (size_t)z->blocks, sizeof *s->outcome);
  s->large = lb_carve(c, (size_t)z->blocks, sizeof(int));
  s->small = lb_carve(c, (size_t)z->blocks, sizeof(int));
  s->before = lb_carve(c, (size_t)z->rows, sizeof(double));
  s->toward = lb_carve(c, (size_t)z->rows, sizeof(double));
  s->best = lb_carve(c, (size_t)z->rows, sizeof(double));
  s->part = lb_carve(c, (size_t)(z->rows / TERMS + 1), sizeof(double));
  s->u_before = lb_carve(c, (size_t)z->velocities, sizeof(double));
  s->u_toward = lb_carve(c, (size_t)z->velocities, sizeof(double));
  const int small = z->rows < SMALL ? z->rows : SMALL;
  lb_contact_dense_carve(&s->dense, c, z->dense, z->groups);
  s->little = lb_carve(c, (size_t)z->threads, sizeof *s->little);
  s->x = lb_carve(c, (size_t)(z->rows + z->threads * small), sizeof(double));
  lb_contact_sparse_carve(&s->sparse, c, z->rows, z->groups, z->velocities, (size_t)z->factors);
  for (int t = 0; t < z->threads; t++) {
    lb_contact_dense measured;
    lb_contact_dense_carve(c->base ? &s->little[t] : &measured, c, small, z->groups);
  }
}

// Numbers of J, each row with its own.
static int packed_entries(const lb_contact_problem* p) {
  int count = 0;
  for (int r = 0; r < p->nrow; r++) {
    for (int i = 0; i < 2; i++) {
      const int g = p->row[r].group[i];
      count += g < 0 ? 0 : lb_contact_width(p, g);
    }
  }
  return count;
}

lb_contact_sizes lb_contact_sizes_of(const lb_contact_problem* p) {
  return (lb_contact_sizes){.groups = p->ngroup,
                            .velocities = lb_contact_nvelocity(p),
                            .rows = p->nrow,
                            .blocks = p->nblock,
                            .entries = packed_entries(p),
                            .threads = 1};
}

lb_status lb_contact_solver_create(const lb_allocator* allocator, lb_contact_solver** out) {
  lb_contact_solver* s = lb_allocate(allocator, sizeof *s);
  if (!s) {
    return LB_NO_MEMORY;
  }
  memset(s, 0, sizeof *s);
  s->allocator = allocator;
  *out = s;
  return LB_OK;
}

void lb_contact_solver_release(lb_contact_solver* s) {
  if (s) {
    lb_release(s->allocator, s->memory);
    lb_release(s->allocator, s);
  }
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

// Numbers of sparse factors: each group with some dozens of others, up to a limit.
static int usual_factors(const lb_contact_sizes* z) {
  const long width = z->velocities, square = width * width;
  const long most = width < FACTORS_USUAL / 640 ? 640 * width : FACTORS_USUAL;
  return z->rows <= SMALL ? 0 : (int)(square < most ? square : most);
}

// Sizes that hold both, with the usual room where none is asked for.
static lb_contact_sizes enlarged(const lb_contact_sizes* a, const lb_contact_sizes* b) {
  lb_contact_sizes z = {.groups = larger(a->groups, b->groups),
                        .velocities = larger(a->velocities, b->velocities),
                        .rows = larger(a->rows, b->rows),
                        .blocks = larger(a->blocks, b->blocks),
                        .entries = larger(a->entries, b->entries),
                        .threads = larger(larger(a->threads, b->threads), 1)};
  const int dense = z.rows < DENSE_USUAL ? z.rows : DENSE_USUAL;
  z.dense = larger(a->dense, b->dense > 0 ? b->dense : dense);
  z.factors = larger(a->factors, b->factors > 0 ? b->factors : usual_factors(&z));
  return z;
}

static bool fits(const lb_contact_sizes* a, const lb_contact_sizes* in) {
  return a->groups <= in->groups && a->velocities <= in->velocities && a->rows <= in->rows &&
         a->blocks <= in->blocks && a->entries <= in->entries;
}

lb_status lb_contact_solver_reserve(lb_contact_solver* s, const lb_contact_sizes* sizes) {
  const lb_contact_sizes had = s->sizes;
  if (s->memory && fits(sizes, &had) && sizes->dense <= had.dense &&
      sizes->factors <= had.factors && sizes->threads <= had.threads) {
    return LB_OK;
  }
  lb_contact_solver next = {.sizes = enlarged(&had, sizes)};
  lb_carver measure = {NULL, 0};
  carve(&next, &measure);
  void* memory = lb_allocate(s->allocator, measure.used);
  if (!memory) {
    return LB_NO_MEMORY;
  }
  lb_release(s->allocator, s->memory);
  lb_carver c = {memory, 0};
  s->memory = memory;
  s->sizes = next.sizes;
  carve(s, &c);
  return LB_OK;
}

lb_contact_options lb_contact_options_default(void) {
  return (lb_contact_options){
      .tolerance = 1e-8, .sweeps = 2000, .threads = 1, .effort = LB_CONTACT_THOROUGH};
}

lb_contact_options lb_contact_options_step(void) {
  return (lb_contact_options){.tolerance = 1e-8,
                              .sweeps = BOUNDED_SWEEPS,
                              .threads = 1,
                              .effort = LB_CONTACT_BOUNDED,
                              .calm = INFINITY};
}

// --- an island, by one thread or by a team that takes the same decisions ---

typedef struct crew {
  lb_contact_solver* s;
  shared* shared;
  int island, rank, size;
  int begin, end;            // blocks of the island in the order
  double target;             // residual to reach
  int sweeps, steps;         // of Newton's method, so far
  int rows;                  // of the island
  bool laid;                 // the system below was looked for
  lb_contact_scaled* system; // of Newton's method, or NULL without room
  bool plain;                // sweeps without conjugate directions: slow, and they always settle
  double best;               // residual of the impulses kept
  double last;               // squared length of the change of the sweep before
  lb_contact_dense* dense;
  double* x;
} crew;

static void meet(const crew* c) {
  if (c->size > 1) {
    lb_parallel_barrier();
  }
}

// A thread's share of blocks [begin, end).
static int share(const crew* c, int begin, int end, int rank) {
  return begin + (int)((long)(end - begin) * rank / c->size);
}

// Whether a colour is for one thread. Several of them in a row need no meeting in between.
static bool is_alone(const crew* c, int k) {
  const lb_contact_islands* g = &c->s->islands;
  return g->serial[k] || g->colour[k + 1] - g->colour[k] < SPLIT;
}

static double sweep_colours(const crew* c) {
  const lb_contact_islands* g = &c->s->islands;
  const int last = g->first_colour[c->island + 1];
  double most = 0;
  for (int k = g->first_colour[c->island]; k < last; k++) {
    const int begin = g->colour[k], end = g->colour[k + 1];
    const bool alone = is_alone(c, k);
    double change = 0;
    if (!alone) {
      change = lb_contact_sweep(&c->s->sweeper, share(c, begin, end, c->rank),
                                share(c, begin, end, c->rank + 1));
    } else if (c->rank == 0) {
      change = lb_contact_sweep(&c->s->sweeper, begin, end);
    }
    most = fmax(most, change);
    if (!(alone && k + 1 < last && is_alone(c, k + 1))) {
      meet(c);
    }
  }
  return most;
}

// Largest change of all threads.
static double all_changes(const crew* c, double change) {
  c->shared->change[c->rank] = change;
  meet(c);
  for (int i = 0; i < c->size; i++) {
    change = fmax(change, c->shared->change[i]);
  }
  meet(c);
  return change;
}

static lb_contact_measure measure(const crew* c) {
  const int begin = share(c, c->begin, c->end, c->rank);
  const int end = share(c, c->begin, c->end, c->rank + 1);
  c->shared->measure[c->rank] = lb_contact_sweeper_measure(&c->s->sweeper, begin, end);
  meet(c);
  lb_contact_measure all = c->shared->measure[0];
  for (int i = 1; i < c->size; i++) {
    const lb_contact_measure* m = &c->shared->measure[i];
    lb_contact_measure_add(&all, m->residual, m->scale, 0);
    all.rounding = fmax(all.rounding, m->rounding);
  }
  meet(c);
  return all;
}

// A thread's share of the island's groups and rows.
typedef struct range {
  int begin, end;
} range;

static range groups_of(const crew* c) {
  const int* first = c->s->islands.first_group + c->island;
  return (range){share(c, first[0], first[1], c->rank), share(c, first[0], first[1], c->rank + 1)};
}

static range rows_of(const crew* c) {
  const int* first = c->s->sweeper.first_row;
  const int begin = first[c->begin], end = first[c->end];
  return (range){share(c, begin, end, c->rank), share(c, begin, end, c->rank + 1)};
}

// Velocities of groups of the island, from one array to another.
static void copy_velocities(const crew* c, range groups, const double* from, double* to) {
  const lb_contact_islands* g = &c->s->islands;
  const lb_contact_problem* p = c->s->sweeper.problem;
  for (int k = groups.begin; k < groups.end; k++) {
    const int at = p->velocity[g->group[k]], width = lb_contact_width(p, g->group[k]);
    memcpy(to + at, from + at, (size_t)width * sizeof *to);
  }
}

// Velocities from impulses: without the rounding of many sweeps.
static void refresh(const crew* c) {
  lb_contact_sweeper* w = &c->s->sweeper;
  if (c->rank == 0) {
    const int* first = c->s->islands.first_group + c->island;
    copy_velocities(c, (range){first[0], first[1]}, w->problem->u0, w->u);
    lb_contact_sweeper_add(w, c->begin, c->end);
  }
  meet(c);
}

// --- nonsmooth conjugate directions                        [Silcowitz-Hansen and others 2010]
//
//   (1)  g_k = lambda_k - sweep(lambda_k),  beta = |g_k|^2 / |g_k-1|^2
//   (2)  lambda_k+1 = sweep(lambda_k) + beta p_k-1,  p_k = beta p_k-1 - g_k
//
// with beta zero where it is above one. Lengths are energies, |g|^2 = sum g_r^2 / rho_r.

static void keep(const crew* c) {
  const lb_contact_sweeper* w = &c->s->sweeper;
  const range r = rows_of(c);
  memcpy(c->s->before + r.begin, w->lambda + r.begin, (size_t)(r.end - r.begin) * sizeof(double));
  copy_velocities(c, groups_of(c), w->u, c->s->u_before);
  meet(c);
}

// Terms of the squared length of the last sweep's change, from `first` on.
static double some_terms(const crew* c, int first) {
  const lb_contact_sweeper* w = &c->s->sweeper;
  const int end = w->first_row[c->end], stop = end - first < TERMS ? end : first + TERMS;
  double sum = 0;
  for (int r = first; r < stop; r++) {
    const double g = w->lambda[r] - c->s->before[r];
    sum += g * g / w->rho[r];
  }
  return sum;
}

// All of them, in an order that does not depend on threads.
static double squared_change(const crew* c) {
  const lb_contact_sweeper* w = &c->s->sweeper;
  const int first = w->first_row[c->begin];
  const int n = (w->first_row[c->end] - first + TERMS - 1) / TERMS;
  double sum = 0;
  for (int k = share(c, 0, n, c->rank); k < share(c, 0, n, c->rank + 1) && c->size > 1; k++) {
    c->s->part[k] = some_terms(c, first + k * TERMS);
  }
  meet(c);
  for (int k = 0; k < n; k++) {
    sum += c->size > 1 ? c->s->part[k] : some_terms(c, first + k * TERMS);
  }
  return sum;
}

// x of (2), with p; the same for velocities, which are linear in lambda.
static void add_direction(int n, double beta, double* x, double* p, const double* before) {
  for (int i = 0; i < n; i++) {
    const double g = x[i] - before[i], momentum = beta > 0 ? beta * p[i] : 0;
    x[i] += momentum;
    p[i] = momentum + g;
  }
}

static void accelerate(crew* c) {
  lb_contact_solver* s = c->s;
  const lb_contact_sweeper* w = &s->sweeper;
  const double square = squared_change(c), ratio = square / c->last;
  const double beta = c->last > 0 && ratio <= 1 ? ratio : 0;
  const range r = rows_of(c), g = groups_of(c);
  c->last = square;
  add_direction(r.end - r.begin, beta, w->lambda + r.begin, s->toward + r.begin,
                s->before + r.begin);
  for (int k = g.begin; k < g.end; k++) {
    const int at = w->problem->velocity[s->islands.group[k]];
    const int width = lb_contact_width(w->problem, s->islands.group[k]);
    add_direction(width, beta, w->u + at, s->u_toward + at, s->u_before + at);
  }
  meet(c);
}

// Work so far, in sweeps.
static int spent(const crew* c) {
  return c->sweeps + c->steps * (c->rows <= SMALL ? 1 : STEP_COST);
}

// Up to `most` sweeps; whether the residual is small enough.
static bool sweeps(crew* c, int most, lb_contact_measure* m) {
  c->last = 0;
  refresh(c);
  for (int i = 0; i < most && spent(c) < c->s->options->sweeps; i++) {
    keep(c);
    const double change = all_changes(c, sweep_colours(c));
    c->sweeps++;
    if (change <= c->target || i % CHECK == CHECK - 1) {
      refresh(c);
      *m = measure(c);
      if (m->residual <= fmax(c->target, m->rounding)) {
        return true;
      }
    }
    if (!c->plain) {
      accelerate(c);
    }
  }
  refresh(c);
  *m = measure(c);
  return m->residual <= fmax(c->target, m->rounding);
}

// Starts of Newton's method: where sweeps ended, rounds of fixed radii from there, or at random.
static lb_contact_try try_newton(const crew* c, lb_contact_scaled* system, int attempt) {
  int steps = 0;
  if (attempt == 1) {
    steps = lb_contact_fixed_radius(system, ROUNDS, c->x);
  } else if (attempt > 1) {
    lb_contact_random_start(system, attempt, c->x);
  }
  const bool bounded = c->s->options->effort == LB_CONTACT_BOUNDED;
  lb_contact_try t =
      lb_contact_newton(system, bounded && c->rows > TINY ? BOUNDED_STEPS : NEWTON_STEPS, c->x);
  t.steps += steps;
  return t;
}

// The island's rows with their matrix: dense, or by groups where there are many rows for each.
static lb_contact_scaled* system_of(crew* c) {
  lb_contact_solver* s = c->s;
  if (!c->laid) {
    c->laid = true;
    c->system = NULL;
    if (c->rows > SMALL &&
        lb_contact_sparse_lay(&s->sparse, s->sweeper.problem, &s->islands, c->island)) {
      c->system = &s->sparse.system;
    } else if (c->rows <= (c->rows <= SMALL ? SMALL : s->sizes.dense)) {
      lb_contact_dense_assemble(c->dense, s->sweeper.problem, c->end - c->begin,
                                s->islands.block + c->begin);
      c->system = &c->dense->system;
    }
  }
  return c->system;
}

// Newton's method with up to so many attempts. Impulses are unchanged where none has a residual
// below `enough`, though one that is not small enough may be taken.
static lb_contact_try newton_of_island(crew* c, int attempts, double enough) {
  lb_contact_scaled* system = system_of(c);
  lb_contact_try t = {false, INFINITY, 0};
  double* lambda = c->s->sweeper.lambda + c->s->sweeper.first_row[c->begin];
  if (!system) {
    return t;
  }
  for (int i = 0; i < system->n; i++) {
    c->x[i] = lambda[i] / system->D[i];
  }
  system->tolerance = 0.5 * c->target;
  const bool bounded = c->s->options->effort == LB_CONTACT_BOUNDED;
  system->eps = bounded && c->rows > TINY ? BOUNDED_EPS : LB_CONTACT_EPS;
  for (int k = 0; k < attempts && !t.solved; k++) {
    const int before = t.steps;
    t = try_newton(c, system, k);
    t.steps += before;
  }
  const bool better = t.solved || t.residual < enough;
  for (int i = 0; i < system->n && better; i++) {
    lambda[i] = c->x[i] * system->D[i];
  }
  return t;
}

static bool newton(crew* c, int attempts, double enough, lb_contact_measure* m) {
  if (c->rank == 0) {
    c->shared->newton = newton_of_island(c, attempts, enough);
  }
  meet(c);
  c->steps += c->shared->newton.steps;
  refresh(c);
  *m = measure(c);
  return m->residual <= fmax(c->target, m->rounding);
}

static int island_rows(const lb_contact_solver* s, int island) {
  const lb_contact_sweeper* w = &s->sweeper;
  return w->first_row[s->islands.first[island + 1]] - w->first_row[s->islands.first[island]];
}

// Impulses kept where the residual is the best so far, and taken back in the end.
static void keep_best(crew* c, lb_contact_measure m) {
  if (m.residual < c->best) {
    const lb_contact_sweeper* w = &c->s->sweeper;
    const int row = w->first_row[c->begin], end = w->first_row[c->end];
    if (c->rank == 0) {
      memcpy(c->s->best + row, w->lambda + row, (size_t)(end - row) * sizeof(double));
    }
    c->best = m.residual;
  }
  meet(c);
}

static void start_from(crew* c, const double* lambda) {
  lb_contact_sweeper* w = &c->s->sweeper;
  const int row = w->first_row[c->begin], end = w->first_row[c->end];
  for (int r = row; r < end && c->rank == 0; r++) {
    w->lambda[r] = lambda ? lambda[r] : 0;
  }
  meet(c);
  refresh(c);
}

// One phase: from zero or from where the last one ended, sweeps, and Newton's method.
static bool phase(crew* c, int k, lb_contact_measure* m) {
  const int first = c->rows <= SMALL ? 8 : 40;
  bool solved = false;
  if (k == 1 && c->rows <= SMALL) { // far from everything that did not work
    start_from(c, NULL);
    solved = newton(c, STARTS, 0, m);
  } else {
    c->plain = k > 0;
    solved = sweeps(c, k == 0 ? first : LATER << (k < 8 ? k - 1 : 7), m);
    solved = solved || newton(c, 1, m->residual, m);
  }
  keep_best(c, *m);
  return solved;
}

static bool solve_thoroughly(crew* c, lb_contact_measure* m) {
  bool solved = false;
  for (int k = 0; !solved && spent(c) < c->s->options->sweeps; k++) {
    solved = phase(c, k, m);
  }
  return solved;
}

// Sweeps until they change little, and one look at what they have led to.
static bool few_sweeps(crew* c, int most, lb_contact_measure* m) {
  double change = INFINITY;
  c->last = 0;
  for (int i = 0; i < most && change > c->target; i++) {
    if (i > 0) {
      accelerate(c);
    }
    keep(c);
    change = all_changes(c, sweep_colours(c));
    c->sweeps++;
  }
  *m = measure(c);
  return m->residual <= fmax(c->target, m->rounding);
}

// Newton's method pays for what is nearly at rest, where soft modes of stacks would go on swaying,
// and for few rows. Impulses that are near are left to the sweeps of the next step.
static bool pays(const crew* c, lb_contact_measure m) {
  return c->rows <= TINY ||
         (c->rows <= BOUNDED_ROWS && m.scale <= c->s->options->calm && m.residual > NEAR * m.scale);
}

static void solve_bounded(crew* c) {
  lb_contact_measure m;
  bool solved =
      few_sweeps(c, c->s->options->sweeps, &m) || (pays(c, m) && newton(c, 1, m.residual, &m));
  if (!solved && c->rows <= TINY && m.residual > FAR * m.scale) { // from elsewhere, then
    keep_best(c, m);
    start_from(c, NULL);
    solved = newton(c, BOUNDED_STARTS, c->best, &m);
    if (!solved) {
      start_from(c, c->s->best);
      m = measure(c);
    }
  }
  if (c->rank == 0) {
    c->s->outcome[c->island] = (outcome){m, c->sweeps, solved};
  }
}

static void solve_island(crew* c) {
  const lb_contact_solver* s = c->s;
  const double scale = lb_contact_sweeper_scale(&s->sweeper, c->begin, c->end);
  c->rows = island_rows(s, c->island);
  c->target = s->options->tolerance * fmax(scale, 1e-6 * c->shared->scale);
  c->best = (double)INFINITY;
  if (s->options->effort == LB_CONTACT_BOUNDED) {
    solve_bounded(c);
    return;
  }
  lb_contact_measure m = measure(c);
  keep_best(c, m);
  bool solved = m.residual <= fmax(c->target, m.rounding);
  if (!solved) {
    solved = solve_thoroughly(c, &m);
  }
  if (!solved && m.residual > c->best) {
    start_from(c, s->best);
    m = measure(c);
  }
  if (c->rank == 0) {
    c->s->outcome[c->island] = (outcome){m, c->sweeps + c->steps, solved};
  }
}

// --- all islands ---

static crew crew_of(lb_contact_solver* s, shared* sh, int island, int rank, int size) {
  return (crew){.s = s,
                .shared = sh,
                .island = island,
                .rank = rank,
                .size = size,
                .begin = s->islands.first[island],
                .end = s->islands.first[island + 1],
                .dense = &s->dense,
                .x = s->x};
}

static void solve_small(lb_contact_solver* s, int rank) {
  const int width = s->sizes.rows < SMALL ? s->sizes.rows : SMALL;
  shared mine = {.scale = s->shared.scale};
  for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->nsmall;) {
    crew c = crew_of(s, &mine, s->small[i], 0, 1);
    c.dense = &s->little[rank];
    c.x = s->x + s->sizes.rows + rank * width;
    solve_island(&c);
  }
}

static void work(void* context, int rank, int size) {
  lb_contact_solver* s = context;
  solve_small(s, rank);
  if (size > 1) {
    lb_parallel_barrier();
  }
  for (int i = 0; i < s->nlarge; i++) {
    const int island = s->large[i];
    const bool team = s->islands.first[island + 1] - s->islands.first[island] >= TEAM_BLOCKS;
    if (team || rank == 0) {
      crew c = crew_of(s, &s->shared, island, rank, team ? size : 1);
      solve_island(&c);
    }
    if (size > 1) {
      lb_parallel_barrier();
    }
  }
}

// Islands to solve. Their place does not depend on the number of threads: results must not.
static void list_island(lb_contact_solver* s, int island) {
  if (island_rows(s, island) <= SMALL) {
    s->small[s->nsmall++] = island;
  } else {
    s->large[s->nlarge++] = island;
  }
}

static lb_contact_report summary(const lb_contact_solver* s) {
  lb_contact_report r = {.status = LB_CONTACT_SOLVED, .attempts = 1};
  for (int i = 0; i < s->islands.nisland; i++) {
    const outcome* o = &s->outcome[i];
    lb_contact_measure_add(&r.measure, o->measure.residual, o->measure.scale, 0);
    r.measure.rounding = fmax(r.measure.rounding, o->measure.rounding);
    r.iterations = larger(r.iterations, o->iterations);
    r.status = o->solved ? r.status : LB_CONTACT_NOT_SOLVED;
  }
  return r;
}

// Warm start: what is not a number starts from zero.
static void take_start(lb_contact_solver* s, const lb_contact_problem* p, const double* lambda) {
  lb_contact_sweeper_take(&s->sweeper, lambda);
  for (int r = 0; r < p->nrow; r++) {
    s->sweeper.lambda[r] = isfinite(s->sweeper.lambda[r]) ? s->sweeper.lambda[r] : 0;
  }
  memcpy(s->sweeper.u, p->u0, (size_t)lb_contact_nvelocity(p) * sizeof(double));
}

static lb_contact_report solve_islands(lb_contact_solver* s, const lb_contact_options* options,
                                       double* lambda, double* u) {
  const lb_contact_problem* p = s->sweeper.problem;
  s->options = options;
  s->shared.scale = lb_contact_sweeper_scale(&s->sweeper, 0, p->nblock);
  atomic_store(&s->next, 0);
  const int most =
      larger(1, options->threads < s->sizes.threads ? options->threads : s->sizes.threads);
  lb_parallel_team(most < THREADS_MOST ? most : THREADS_MOST, work, s);
  lb_contact_sweeper_give(&s->sweeper, lambda);
  memcpy(u, s->sweeper.u, (size_t)lb_contact_nvelocity(p) * sizeof *u);
  return summary(s);
}

// Blocks are packed in portions, each by one thread.
static void pack_portion(void* context, int k) {
  lb_contact_solver* s = context;
  const int n = s->sweeper.problem->nblock, end = n - k * PORTION < PORTION ? n : (k + 1) * PORTION;
  if (!lb_contact_sweeper_pack(&s->sweeper, k * PORTION, end)) {
    atomic_store(&s->next, 1);
  }
}

static bool pack(lb_contact_solver* s, int threads) {
  const int n = s->sweeper.problem->nblock;
  atomic_store(&s->next, 0); // none that is not finite was found
  lb_parallel_for(n < TEAM_BLOCKS ? 1 : threads, (n + PORTION - 1) / PORTION, pack_portion, s);
  return atomic_load(&s->next) == 0;
}

lb_contact_report lb_contact_solve(lb_contact_solver* s, const lb_contact_problem* p,
                                   const lb_contact_options* options, double* lambda, double* u) {
  const lb_contact_report refused = {.status = LB_CONTACT_REFUSED};
  if (!lb_contact_sound(p) || !(options->tolerance > 0)) {
    return refused;
  }
  const lb_contact_sizes sizes = lb_contact_sizes_of(p);
  if (!s->memory || !fits(&sizes, &s->sizes)) {
    return refused;
  }
  lb_contact_islands_find(&s->islands, p);
  lb_contact_sweeper_lay(&s->sweeper, p, &s->islands);
  if (!pack(s, options->threads)) {
    return refused;
  }
  s->nlarge = s->nsmall = 0;
  for (int i = 0; i < s->islands.nisland; i++) {
    list_island(s, i);
  }
  take_start(s, p, lambda);
  lb_contact_sweeper_add(&s->sweeper, 0, p->nblock);
  return solve_islands(s, options, lambda, u);
}

const int* lb_contact_solver_islands(const lb_contact_solver* s) {
  return s->islands.island_of;
}

lb_contact_report lb_contact_solve_again(lb_contact_solver* s, const lb_contact_options* options,
                                         double* lambda, double* u) {
  s->nlarge = s->nsmall = 0;
  for (int i = 0; i < s->islands.nisland; i++) {
    if (lb_contact_sweeper_take_b(&s->sweeper, s->islands.first[i], s->islands.first[i + 1])) {
      list_island(s, i);
    }
  }
  return solve_islands(s, options, lambda, u);
}
