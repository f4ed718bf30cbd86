// Islands of a contact problem, shared out to threads. Large ones are swept by all threads, colour
// by colour (contact_crew.h); others go to one thread each. What is done for one of them is in
// contact_effort.h.
#include "math/contact/contact_fast.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/carve.h"
#include "math/contact/contact_effort.h"

enum {
  DENSE_USUAL = 480, // rows up to which Newton's method has room for a dense matrix
  PORTION = 128,     // blocks whose pieces are counted in one go
  FACTORS_USUAL = 8000000,
  SMALL = LB_ISLAND_SMALL,
  STEP_SWEEPS = 10,
  BRIEF_SWEEPS = 4
};

struct lb_contact_solver {
  const lb_allocator* allocator;
  void* memory;
  lb_contact_sizes sizes;
  lb_contact_islands islands;
  lb_contact_sweeper sweeper;
  lb_contact_directions directions;
  lb_contact_outcome* outcome; // [nisland]
  int* large;                  // [nisland] islands for all threads, and those for one from the end
  int* small;                  // [nisland] small ones, for one thread
  double* best;                // [nrow] impulses of the least residual
  double* x;                   // [nrow + threads SMALL] of Newton's method
  lb_contact_dense dense;      // for large islands
  lb_contact_sparse sparse;    // for those with many rows for each group
  lb_contact_dense* little;    // [threads] of up to SMALL rows
  // --- of a solve
  const lb_contact_options* options;
  double *lambda, *u; // of the problem
  bool fresh;         // numbers have to be taken from the problem, and not only b
  bool* changed;      // [nisland] what its rows ask for, since the last solve
  double* own;        // [nisland] scale of each; not finite: its numbers are not
  int nteam, nalone, nsmall;
  pthread_mutex_t matrices; // of islands that are not small
  atomic_int next;
  lb_contact_shared shared;
};

// --- memory ---

static void carve(lb_contact_solver* s, lb_carver* c) {
  const lb_contact_sizes* z = &s->sizes;
  lb_contact_islands_carve(&s->islands, c, z->blocks, z->groups);
  lb_contact_sweeper_carve(&s->sweeper, c, z->rows, z->blocks);
  s->sweeper.u = lb_carve(c, (size_t)z->velocities, sizeof(double));
  s->outcome = lb_carve(c, (size_t)z->blocks, sizeof *s->outcome);
  s->large = lb_carve(c, (size_t)z->blocks, sizeof(int));
  s->small = lb_carve(c, (size_t)z->blocks, sizeof(int));
  s->changed = lb_carve(c, (size_t)z->blocks, sizeof(bool));
  s->own = lb_carve(c, (size_t)z->blocks, sizeof(double));
  s->best = lb_carve(c, (size_t)z->rows, sizeof(double));
  lb_contact_directions_carve(&s->directions, c, z->rows, z->velocities);
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

lb_contact_sizes lb_contact_sizes_of(const lb_contact_problem* p) {
  return (lb_contact_sizes){.groups = p->ngroup,
                            .velocities = lb_contact_nvelocity(p),
                            .rows = p->nrow,
                            .blocks = p->nblock,
                            .threads = 1};
}

lb_status lb_contact_solver_create(const lb_allocator* allocator, lb_contact_solver** out) {
  lb_contact_solver* s = lb_allocate(allocator, sizeof *s);
  if (!s) {
    return LB_NO_MEMORY;
  }
  memset(s, 0, sizeof *s);
  pthread_mutex_init(&s->matrices, NULL);
  s->allocator = allocator;
  *out = s;
  return LB_OK;
}

void lb_contact_solver_release(lb_contact_solver* s) {
  if (s) {
    pthread_mutex_destroy(&s->matrices);
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
                        .threads = larger(larger(a->threads, b->threads), 1)};
  const int dense = z.rows < DENSE_USUAL ? z.rows : DENSE_USUAL;
  z.dense = larger(a->dense, b->dense > 0 ? b->dense : dense);
  z.factors = larger(a->factors, b->factors > 0 ? b->factors : usual_factors(&z));
  return z;
}

static bool fits(const lb_contact_sizes* a, const lb_contact_sizes* in) {
  return a->groups <= in->groups && a->velocities <= in->velocities && a->rows <= in->rows &&
         a->blocks <= in->blocks;
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
  return (lb_contact_options){
      .tolerance = 1e-8, .sweeps = STEP_SWEEPS, .threads = 1, .effort = LB_CONTACT_BOUNDED};
}

lb_contact_options lb_contact_options_brief(void) {
  lb_contact_options o = lb_contact_options_step();
  o.effort = LB_CONTACT_BRIEF;
  o.sweeps = BRIEF_SWEEPS;
  return o;
}

// --- numbers of islands, and back ---

static double pack_blocks(const lb_contact_crew* c, int begin, int end) {
  const double scale = lb_contact_sweeper_pack(c->sweeper, c->islands, begin, end);
  lb_contact_sweeper_take(c->sweeper, begin, end, c->given);
  return scale;
}

static double change_blocks(const lb_contact_crew* c, int begin, int end) {
  return lb_contact_sweeper_take_b(c->sweeper, begin, end) ? 1 : 0;
}

static double scale_of_blocks(const lb_contact_crew* c, int begin, int end) {
  return lb_contact_sweeper_scale(c->sweeper, begin, end);
}

static double give_blocks(const lb_contact_crew* c, int begin, int end) {
  lb_contact_sweeper_give(c->sweeper, begin, end, c->given);
  return 0;
}

// --- islands ---

// The crew turns to an island.
static void turn_to(lb_contact_crew* c, const lb_contact_solver* s, int island) {
  c->island = island;
  c->begin = s->islands.first[island];
  c->end = s->islands.first[island + 1];
  c->rows = s->sweeper.first_row[c->end] - s->sweeper.first_row[c->begin];
  c->nsweep = 0;
}

static lb_contact_crew crew_of(lb_contact_solver* s, lb_contact_shared* shared, int rank,
                               int size) {
  return (lb_contact_crew){.sweeper = &s->sweeper,
                           .islands = &s->islands,
                           .directions = &s->directions,
                           .shared = shared,
                           .given = s->lambda,
                           .u = s->u,
                           .rank = rank,
                           .size = size};
}

// What asks for the same as before keeps its scale.
static void prepare_island(lb_contact_solver* s, lb_contact_crew* c, int island) {
  turn_to(c, s, island);
  const bool changed = s->fresh || lb_crew_largest(c, change_blocks) > 0;
  const double own = changed ? lb_crew_largest(c, s->fresh ? pack_blocks : scale_of_blocks) : 0;
  if (c->rank == 0) {
    s->changed[island] = changed;
    s->own[island] = changed ? own : s->own[island];
  }
}

// An island that asks for the same as before keeps its impulses.
static void solve_island(const lb_contact_solver* s, lb_contact_crew* c, int island,
                         const lb_contact_matrices* matrices, double scale) {
  turn_to(c, s, island);
  if (s->fresh) {
    lb_crew_refresh(c);
  }
  if (s->changed[island]) {
    const lb_contact_outcome o =
        lb_contact_solve_island(c, matrices, s->options, s->own[island], scale);
    if (c->rank == 0) {
      s->outcome[island] = o;
    }
  }
  lb_crew_share(c, give_blocks);
  lb_crew_give_velocities(c);
}

// The i-th of the islands that are for one thread, the larger ones first.
static int island_alone(const lb_contact_solver* s, int i) {
  return i < s->nalone ? s->large[s->islands.nisland - 1 - i] : s->small[i - s->nalone];
}

static lb_contact_matrices large_matrices(lb_contact_solver* s) {
  return (lb_contact_matrices){
      .dense = &s->dense, .most = s->sizes.dense, .sparse = &s->sparse, .x = s->x, .best = s->best};
}

static double largest_scale(const lb_contact_solver* s) {
  double most = 0;
  for (int i = 0; i < s->islands.nisland; i++) {
    most = fmax(most, s->own[i]);
  }
  return most;
}

// A thread's share of the numbers, which all islands' scales come from.
static void prepare(lb_contact_solver* s, lb_contact_crew* together, lb_contact_crew* alone) {
  for (int i = 0; i < s->nteam; i++) {
    prepare_island(s, together, s->large[i]);
  }
  for (int i = together->rank; i < s->nalone + s->nsmall; i += together->size) {
    prepare_island(s, alone, island_alone(s, i));
  }
  lb_crew_meet(together);
}

// Islands of many blocks by the whole team, all others by one thread each. The larger ones of these
// share matrices.
static void work(void* context, int rank, int size) {
  lb_contact_solver* s = context;
  lb_contact_shared mine;
  lb_contact_crew together = crew_of(s, &s->shared, rank, size), alone = crew_of(s, &mine, 0, 1);
  prepare(s, &together, &alone);
  const int width = s->sizes.rows < SMALL ? s->sizes.rows : SMALL;
  const lb_contact_matrices all = large_matrices(s),
                            small = {.dense = &s->little[rank],
                                     .most = SMALL,
                                     .x = s->x + s->sizes.rows + rank * width,
                                     .best = s->best};
  lb_contact_matrices large = all;
  large.lock = &s->matrices;
  const double scale = largest_scale(s);
  if (!isfinite(scale)) {
    return;
  }
  for (int i = 0; i < s->nteam; i++) {
    solve_island(s, &together, s->large[i], &all, scale);
  }
  for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->nalone + s->nsmall;) {
    solve_island(s, &alone, island_alone(s, i), i < s->nalone ? &large : &small, scale);
  }
}

// Islands to solve. Their place does not depend on the number of threads: results must not.
static void list_island(lb_contact_solver* s, int island) {
  const int* first = s->islands.first + island;
  const int rows = s->sweeper.first_row[first[1]] - s->sweeper.first_row[first[0]];
  if (rows <= SMALL) {
    s->small[s->nsmall++] = island;
  } else if (first[1] - first[0] >= LB_ISLAND_TEAM) {
    s->large[s->nteam++] = island;
  } else {
    s->large[s->islands.nisland - ++s->nalone] = island;
  }
}

static lb_contact_report summary(const lb_contact_solver* s) {
  lb_contact_report r = {.status = LB_CONTACT_SOLVED, .attempts = 1};
  for (int i = 0; i < s->islands.nisland; i++) {
    const lb_contact_outcome* o = &s->outcome[i];
    lb_contact_measure_add(&r.measure, o->measure.residual, o->measure.scale, 0);
    r.measure.rounding = fmax(r.measure.rounding, o->measure.rounding);
    r.iterations = larger(r.iterations, o->iterations);
    r.status = o->solved ? r.status : LB_CONTACT_NOT_SOLVED;
  }
  return r;
}

// Pieces of some of the problem's blocks.
static void count_portion(void* context, int k) {
  lb_contact_solver* s = context;
  const int n = s->sweeper.problem->nblock, begin = k * PORTION;
  lb_contact_sweeper_count(&s->sweeper, begin, n - begin < PORTION ? n : begin + PORTION);
}

static void lay_out(lb_contact_solver* s, int threads) {
  const int n = s->sweeper.problem->nblock;
  lb_parallel_for(n < LB_ISLAND_TEAM ? 1 : threads, (n + PORTION - 1) / PORTION, count_portion, s);
  lb_contact_sweeper_add_up(&s->sweeper, &s->islands);
  s->nteam = s->nalone = s->nsmall = 0;
  for (int i = 0; i < s->islands.nisland; i++) {
    list_island(s, i);
  }
}

static lb_contact_report solve_islands(lb_contact_solver* s, const lb_contact_options* options,
                                       double* lambda, double* u) {
  s->options = options;
  s->lambda = lambda;
  s->u = u;
  atomic_store(&s->next, 0);
  const int most =
      larger(1, options->threads < s->sizes.threads ? options->threads : s->sizes.threads);
  lb_parallel_team(most < LB_CREW_MOST ? most : LB_CREW_MOST, work, s);
  return isfinite(largest_scale(s)) ? summary(s)
                                    : (lb_contact_report){.status = LB_CONTACT_REFUSED};
}

static bool has_room(const lb_contact_solver* s, const lb_contact_problem* p) {
  if (!s->memory || !lb_contact_sound(p)) {
    return false;
  }
  const lb_contact_sizes sizes = lb_contact_sizes_of(p);
  return fits(&sizes, &s->sizes);
}

// Velocities of groups that no block acts on.
static void keep_others(const lb_contact_solver* s, double* u) {
  const lb_contact_problem* p = s->sweeper.problem;
  const bool none = s->islands.first_group[s->islands.nisland] == p->ngroup;
  for (int g = 0; g < p->ngroup && !none; g++) {
    if (!lb_contact_islands_has(&s->islands, g)) {
      memcpy(u + p->velocity[g], p->u0 + p->velocity[g],
             (size_t)lb_contact_width(p, g) * sizeof *u);
    }
  }
}

const int* lb_contact_solver_arrange(lb_contact_solver* s, const lb_contact_problem* p) {
  lb_contact_islands_find(&s->islands, p);
  return s->islands.block;
}

lb_contact_report lb_contact_solve(lb_contact_solver* s, const lb_contact_problem* p,
                                   const lb_contact_options* options, double* lambda, double* u) {
  const lb_contact_report refused = {.status = LB_CONTACT_REFUSED};
  if (!(options->tolerance > 0) || !(options->vouched || has_room(s, p))) {
    return refused;
  }
  if (!options->arranged) {
    lb_contact_islands_find(&s->islands, p);
  }
  s->sweeper.problem = p;
  s->fresh = true;
  lay_out(s, options->threads);
  const lb_contact_report report = solve_islands(s, options, lambda, u);
  if (report.status != LB_CONTACT_REFUSED) {
    keep_others(s, u);
  }
  return report;
}

bool lb_contact_solver_exact(const lb_contact_solver* s, int block) {
  return s->outcome[s->islands.island_of[block]].exact;
}

const int* lb_contact_solver_islands(const lb_contact_solver* s) {
  return s->islands.island_of;
}

lb_contact_report lb_contact_solve_again(lb_contact_solver* s, const lb_contact_options* options,
                                         double* lambda, double* u) {
  s->fresh = false;
  return solve_islands(s, options, lambda, u);
}
