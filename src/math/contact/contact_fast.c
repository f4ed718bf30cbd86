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
  TEAM_BLOCKS = 512, // blocks from which all threads work on one island
  PORTION = 128,     // blocks that are packed in one go
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
  double scale;   // of all islands
  double* lambda; // [nrow] of the problem
  bool fresh;     // velocities are still those without impulses
  bool* changed;  // [nblock] what its rows ask for, since the last solve
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

// --- islands ---

static lb_contact_crew crew_of(lb_contact_solver* s, lb_contact_shared* shared, int island) {
  const int begin = s->islands.first[island], end = s->islands.first[island + 1];
  return (lb_contact_crew){.sweeper = &s->sweeper,
                           .islands = &s->islands,
                           .directions = &s->directions,
                           .shared = shared,
                           .island = island,
                           .size = 1,
                           .begin = begin,
                           .end = end,
                           .rows = s->sweeper.first_row[end] - s->sweeper.first_row[begin]};
}

static lb_contact_outcome solve_island(const lb_contact_solver* s, lb_contact_crew* c,
                                       const lb_contact_matrices* matrices) {
  if (s->fresh) {
    lb_crew_refresh(c);
  }
  return lb_contact_solve_island(c, matrices, s->options, s->scale);
}

// An island by one thread.
static void solve_alone(lb_contact_solver* s, const lb_contact_matrices* matrices, int island) {
  lb_contact_shared mine;
  lb_contact_crew c = crew_of(s, &mine, island);
  s->outcome[island] = solve_island(s, &c, matrices);
}

static lb_contact_matrices large_matrices(lb_contact_solver* s) {
  return (lb_contact_matrices){
      .dense = &s->dense, .most = s->sizes.dense, .sparse = &s->sparse, .x = s->x, .best = s->best};
}

// Islands of many blocks by the whole team.
static void solve_together(lb_contact_solver* s, int rank, int size) {
  const lb_contact_matrices matrices = large_matrices(s);
  for (int i = 0; i < s->nteam; i++) {
    lb_contact_crew c = crew_of(s, &s->shared, s->large[i]);
    c.rank = rank;
    c.size = size;
    const lb_contact_outcome o = solve_island(s, &c, &matrices);
    if (rank == 0) {
      s->outcome[c.island] = o;
    }
  }
}

// All others, the larger ones first. These share matrices.
static void work(void* context, int rank, int size) {
  lb_contact_solver* s = context;
  const int width = s->sizes.rows < SMALL ? s->sizes.rows : SMALL;
  const lb_contact_matrices small = {.dense = &s->little[rank],
                                     .most = SMALL,
                                     .x = s->x + s->sizes.rows + rank * width,
                                     .best = s->best};
  lb_contact_matrices large = large_matrices(s);
  large.lock = &s->matrices;
  solve_together(s, rank, size);
  for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->nalone + s->nsmall;) {
    if (i < s->nalone) {
      solve_alone(s, &large, s->large[s->islands.nisland - 1 - i]);
    } else {
      solve_alone(s, &small, s->small[i - s->nalone]);
    }
  }
}

// Islands to solve. Their place does not depend on the number of threads: results must not.
static void list_island(lb_contact_solver* s, int island) {
  const int* first = s->islands.first + island;
  const int rows = s->sweeper.first_row[first[1]] - s->sweeper.first_row[first[0]];
  if (rows <= SMALL) {
    s->small[s->nsmall++] = island;
  } else if (first[1] - first[0] >= TEAM_BLOCKS) {
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

// --- blocks in portions, each by one thread ---

static int portion_end(const lb_contact_solver* s, int k) {
  const int n = s->sweeper.problem->nblock;
  return n - k * PORTION < PORTION ? n : (k + 1) * PORTION;
}

static void count_portion(void* context, int k) {
  lb_contact_solver* s = context;
  lb_contact_sweeper_count(&s->sweeper, k * PORTION, portion_end(s, k));
}

static void pack_portion(void* context, int k) {
  lb_contact_solver* s = context;
  const int begin = k * PORTION, end = portion_end(s, k);
  if (!lb_contact_sweeper_pack(&s->sweeper, &s->islands, begin, end)) {
    atomic_store(&s->next, 1);
  }
  lb_contact_sweeper_take(&s->sweeper, begin, end, s->lambda);
}

static void change_portion(void* context, int k) {
  lb_contact_solver* s = context;
  for (int i = k * PORTION; i < portion_end(s, k); i++) {
    s->changed[i] = lb_contact_sweeper_take_b(&s->sweeper, i, i + 1);
  }
}

static void give_portion(void* context, int k) {
  const lb_contact_solver* s = context;
  lb_contact_sweeper_give(&s->sweeper, k * PORTION, portion_end(s, k), s->lambda);
}

static void by_portions(lb_contact_solver* s, int threads, void (*portion)(void* context, int k)) {
  const int n = s->sweeper.problem->nblock;
  lb_parallel_for(n < TEAM_BLOCKS ? 1 : threads, (n + PORTION - 1) / PORTION, portion, s);
}

static bool pack(lb_contact_solver* s, int threads, double* lambda) {
  s->lambda = lambda;
  by_portions(s, threads, count_portion);
  lb_contact_sweeper_add_up(&s->sweeper, &s->islands);
  atomic_store(&s->next, 0); // none that is not finite was found
  by_portions(s, threads, pack_portion);
  return atomic_load(&s->next) == 0;
}

static lb_contact_report solve_islands(lb_contact_solver* s, const lb_contact_options* options,
                                       double* lambda, double* u) {
  const lb_contact_problem* p = s->sweeper.problem;
  s->options = options;
  s->scale = lb_contact_sweeper_scale(&s->sweeper, 0, p->nblock);
  atomic_store(&s->next, 0);
  const int most =
      larger(1, options->threads < s->sizes.threads ? options->threads : s->sizes.threads);
  lb_parallel_team(most < LB_CREW_MOST ? most : LB_CREW_MOST, work, s);
  s->lambda = lambda;
  by_portions(s, options->threads, give_portion);
  memcpy(u, s->sweeper.u, (size_t)lb_contact_nvelocity(p) * sizeof *u);
  return summary(s);
}

static bool has_room(const lb_contact_solver* s, const lb_contact_problem* p) {
  if (!s->memory || !lb_contact_sound(p)) {
    return false;
  }
  const lb_contact_sizes sizes = lb_contact_sizes_of(p);
  return fits(&sizes, &s->sizes);
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
  if (!pack(s, options->threads, lambda)) {
    return refused;
  }
  s->nteam = s->nalone = s->nsmall = 0;
  for (int i = 0; i < s->islands.nisland; i++) {
    list_island(s, i);
  }
  memcpy(s->sweeper.u, p->u0, (size_t)lb_contact_nvelocity(p) * sizeof(double));
  s->fresh = true;
  return solve_islands(s, options, lambda, u);
}

const int* lb_contact_solver_islands(const lb_contact_solver* s) {
  return s->islands.island_of;
}

lb_contact_report lb_contact_solve_again(lb_contact_solver* s, const lb_contact_options* options,
                                         double* lambda, double* u) {
  const int* first = s->islands.first;
  s->fresh = false;
  s->nteam = s->nalone = s->nsmall = 0;
  by_portions(s, options->threads, change_portion);
  for (int i = 0; i < s->islands.nisland; i++) {
    if (memchr(s->changed + first[i], true, (size_t)(first[i + 1] - first[i]))) {
      list_island(s, i);
    }
  }
  return solve_islands(s, options, lambda, u);
}
