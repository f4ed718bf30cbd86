// Mechanisms with many loops: microseconds a step of Limber by integrator and coordinates, beside
// the peers that have loops, and how that grows with the size.
//
//   limber_bench_constraints [--most N] [--slow MS]       all kinds and sizes up to N
//   limber_bench_constraints KIND SIZE INTEGRATOR COORDINATES STEPS    one of them, Limber alone
//
// All hinges have a spring and a damper that let them swing, and all is let go at rest with loops
// closed. A size is left out, and those above it, once a step at the size before took longer than
// --slow. Growth is p of time ~ bars^p.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "limber_engine.h"
#include "models.h"

enum { SIZES_MOST = 8, ROUNDS = 3 };

static const double STEP = 1e-3;       // [s]
static const double PEERS_STEP = 6e-5; // with which Bullet's loops stay together [s]
static const double ENOUGH = 0.2;      // processor time for one figure [s]

typedef struct kind {
  const char* name;
  bench_model* (*make)(int n);
  int size[SIZES_MOST]; // up to the first 0
} kind;

static const kind KINDS[] = {
    {"four-bars", bench_four_bars, {1, 20, 150}},
    {"ladder", bench_ladder, {16, 50, 150, 500, 1000}},
    {"grid", bench_grid, {10, 20, 30}},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static const lb_integrator INTEGRATORS[] = {LB_INTEGRATOR_BDF2, LB_INTEGRATOR_LINEAR_EULER};
static const lb_coordinates COORDINATES[] = {LB_COORDINATES_REDUCED, LB_COORDINATES_MAXIMAL};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Something that steps a mechanism.
typedef struct runner {
  void (*begin)(void* context); // back to the start
  bool (*step)(void* context);
  void* context;
} runner;

// Microseconds of one of so many steps from the start, after one that sets things up; NAN: a step
// was not found.
static double time_steps(const runner* r, int steps) {
  r->begin(r->context);
  bool found = r->step(r->context);
  const double before = now();
  for (int k = 0; found && k < steps; k++) {
    found = r->step(r->context);
  }
  return found ? 1e6 * (now() - before) / steps : NAN;
}

// The quickest of some rounds, of as many steps as time allows.
static double time_well(const runner* r) {
  double us = time_steps(r, 2);
  int steps = 2;
  while (us * steps < 0.1e6 * ENOUGH && steps < 128) {
    steps *= 2;
    us = time_steps(r, steps);
  }
  for (int i = 0; i < ROUNDS && us * steps < 1e6 * ENOUGH; i++) {
    us = fmin(us, time_steps(r, steps));
  }
  return us;
}

// --- Limber ---

typedef struct limber {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  lb_scene_solver solver;
} limber;

static void limber_begin(void* context) {
  limber* l = context;
  lb_stepper_release(l->st);
  l->st = NULL;
  lb_data_reset(l->d);
  lb_assemble(l->m, l->d, NULL);
  lb_stepper_create(l->m, &l->solver, NULL, &l->st, NULL);
}

static bool limber_step(void* context) {
  const limber* l = context;
  return l->st && lb_stepper_step(l->st, l->d, STEP, NULL) == LB_OK;
}

static bool limber_open(limber* l, const bench_model* bench, lb_integrator integrator,
                        lb_coordinates coordinates) {
  *l = (limber){.m = bench_limber_model(bench, coordinates)};
  if (!l->m || lb_data_create(l->m, NULL, &l->d, NULL) != LB_OK) {
    lb_model_release(l->m);
    return false;
  }
  l->solver = l->m->solver;
  l->solver.integrator = integrator;
  l->solver.step = STEP;
  return true;
}

static void limber_close(limber* l) {
  lb_stepper_release(l->st);
  lb_data_release(l->d);
  lb_model_release(l->m);
}

static double time_limber(const bench_model* bench, int integrator, int coordinates) {
  limber l;
  if (!limber_open(&l, bench, INTEGRATORS[integrator], COORDINATES[coordinates])) {
    return NAN;
  }
  const double us = time_well(&(runner){limber_begin, limber_step, &l});
  limber_close(&l);
  return us;
}

// --- peers ---

typedef struct peer {
  const bench_engine* type;
  void* engine;
} peer;

static void peer_begin(void* context) {
  const peer* p = context;
  p->type->start(p->engine, 0, BENCH_LOOPS, PEERS_STEP, 0);
}

static bool peer_step(void* context) {
  const peer* p = context;
  p->type->step(p->engine);
  return true;
}

static double time_peer(const bench_model* bench, const bench_engine* type) {
  bench_state state = {0};
  peer p = {type, type->create(bench)};
  double us = NAN;
  if (p.engine && bench_state_create(bench, &state)) {
    type->load(p.engine, 0, &state);
    if (type->start(p.engine, 0, BENCH_LOOPS, PEERS_STEP, 0)) {
      us = time_well(&(runner){peer_begin, peer_step, &p});
    }
  }
  bench_state_release(&state);
  if (p.engine) {
    type->release(p.engine);
  }
  return us;
}

// Angles after a few steps of the length that peers have.
static bool find_angles(const bench_model* bench, const bench_engine* type, bench_state* state) {
  void* engine = type->create(bench);
  bool can = engine;
  if (engine) {
    type->load(engine, 0, state);
    can = type->start(engine, 0, BENCH_LOOPS, PEERS_STEP, 0);
    for (int k = 0; can && k < 200; k++) {
      type->step(engine);
    }
    type->get_state(engine, state->tau, state->qdd);
    type->release(engine);
  }
  return can;
}

// The same mechanism moves alike, as far as methods of first order can.
static void check_peer(const bench_model* bench, const bench_engine* type) {
  bench_state ours = {0}, theirs = {0};
  if (bench_state_create(bench, &ours) && bench_state_create(bench, &theirs) &&
      find_angles(bench, &bench_limber, &ours) && find_angles(bench, type, &theirs)) {
    double worst = 0, largest = 0;
    for (int i = 0; i < bench->nv; i++) {
      worst = fmax(worst, fabs(ours.tau[i] - theirs.tau[i]));
      largest = fmax(largest, fabs(ours.tau[i]));
    }
    if (!(worst <= 0.05 * largest)) {
      printf("MISMATCH %s %s: angles up to %.3g rad apart, of %.3g rad\n", bench->name, type->name,
             worst, largest);
    }
  }
  bench_state_release(&ours);
  bench_state_release(&theirs);
}

// --- tables ---

// The kinds' models have springs of one strength.
static bench_model* make(const kind* k, int size) {
  bench_model* m = k->make(size);
  if (m) {
    m->stiffness = 1;
    m->damping = 0.01;
  }
  return m;
}

enum { WAYS = 4, COLUMNS = WAYS + BENCH_ENGINES_MOST }; // of Limber, then peers

typedef struct table {
  const bench_engine* engine[BENCH_ENGINES_MOST];
  int ncolumn;
  double us[SIZES_MOST][COLUMNS];
  double bars[SIZES_MOST];
} table;

static double time_column(const table* t, const bench_model* bench, int column) {
  return column < WAYS ? time_limber(bench, column / 2, column % 2)
                       : time_peer(bench, t->engine[column - WAYS + 1]);
}

static void print_number(double x) {
  if (isnan(x)) {
    printf(" %11s", "-");
  } else {
    printf(" %11.*f", x < 100 ? 2 : 0, x);
  }
}

static void print_heading(const table* t) {
  static const char* const way[WAYS] = {"bdf2", "bdf2", "lin-euler", "lin-euler"};
  printf("microseconds a step of mechanisms with loops\n%-14s", "");
  for (int c = 0; c < t->ncolumn; c++) {
    printf(" %11s", c < WAYS ? way[c] : t->engine[c - WAYS + 1]->name);
  }
  printf("\n%-14s", "");
  for (int c = 0; c < WAYS; c++) {
    printf(" %11s", c % 2 ? "maximal" : "reduced");
  }
  printf("\n");
}

// Slope of log time over log bars, over the sizes that were timed; NAN: fewer than two.
static double growth(const table* t, int column) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < SIZES_MOST; i++) {
    if (t->us[i][column] > 0) {
      const double a = log(t->bars[i]), b = log(t->us[i][column]);
      n += 1;
      x += a;
      y += b;
      xx += a * a;
      xy += a * b;
    }
  }
  return n < 2 ? NAN : (n * xy - x * y) / (n * xx - x * x);
}

static void run_size(table* t, const kind* k, int i, double slow) {
  bench_model* bench = make(k, k->size[i]);
  printf("%-9s %4d", k->name, k->size[i]);
  t->bars[i] = bench ? bench->nlink : 0;
  for (int c = 0; c < t->ncolumn; c++) {
    const bool quick = i == 0 || t->us[i - 1][c] < 1e3 * slow;
    t->us[i][c] = bench && quick ? time_column(t, bench, c) : NAN;
    print_number(t->us[i][c]);
    fflush(stdout);
  }
  printf("\n");
  for (int c = WAYS; bench && i == 0 && c < t->ncolumn; c++) {
    check_peer(bench, t->engine[c - WAYS + 1]);
  }
  bench_model_release(bench);
}

static void run_kind(table* t, const kind* k, int most, double slow) {
  memset(t->us, 0, sizeof t->us);
  for (int i = 0; i < SIZES_MOST && k->size[i] > 0 && k->size[i] <= most; i++) {
    run_size(t, k, i, slow);
  }
  printf("%-14s", "growth");
  for (int c = 0; c < t->ncolumn; c++) {
    print_number(growth(t, c));
  }
  printf("\n");
}

static int run_all(int most, double slow) {
  table t = {.ncolumn = 0};
  t.ncolumn = WAYS + bench_engines(t.engine) - 1;
  print_heading(&t);
  for (int k = 0; k < KIND_COUNT; k++) {
    run_kind(&t, &KINDS[k], most, slow);
  }
  return 0;
}

// --- one ---

static const kind* find_kind(const char* name) {
  for (int k = 0; k < KIND_COUNT; k++) {
    if (strcmp(name, KINDS[k].name) == 0) {
      return &KINDS[k];
    }
  }
  return NULL;
}

static lb_integrator find_integrator(const char* name) {
  int i = 0;
  while (i < LB_INTEGRATOR_COUNT && strcmp(name, lb_integrator_name((lb_integrator)i)) != 0) {
    i++;
  }
  return (lb_integrator)i;
}

static int time_one(const bench_model* bench, lb_integrator integrator, lb_coordinates coordinates,
                    int steps) {
  limber l;
  if (!bench || !limber_open(&l, bench, integrator, coordinates)) {
    return 1;
  }
  const double us = time_steps(&(runner){limber_begin, limber_step, &l}, steps);
  lb_poses(l.m, l.d);
  const int last = bench->nlink - 1;
  const double* com = bench->link[last].com;
  const lb_vec3 p = lb_transform_point(l.d->pose[last], lb_vec3_make(com[0], com[1], com[2]));
  printf("%.2f us a step; the last bar's centre is then at %.10g %.10g %.3g\n", us, p.x, p.y, p.z);
  limber_close(&l);
  return isnan(us) ? 1 : 0;
}

static int complain(void) {
  fprintf(stderr, "usage: limber_bench_constraints [--most SIZE] [--slow MILLISECONDS]\n"
                  "       limber_bench_constraints four-bars|ladder|grid SIZE INTEGRATOR "
                  "reduced|maximal STEPS\n");
  return 2;
}

static int run_one(char** argv) {
  const kind* k = find_kind(argv[0]);
  const int size = atoi(argv[1]), steps = atoi(argv[4]);
  const lb_integrator integrator = find_integrator(argv[2]);
  const lb_coordinates coordinates =
      strcmp(argv[3], "maximal") == 0 ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED;
  if (!k || size < 1 || steps < 1 || integrator == LB_INTEGRATOR_COUNT) {
    return complain();
  }
  bench_model* bench = make(k, size);
  const int status = time_one(bench, integrator, coordinates, steps);
  bench_model_release(bench);
  return status;
}

int main(int argc, char** argv) {
  int most = 1 << 20;
  double slow = 100;
  if (argc == 6 && argv[1][0] != '-') {
    return run_one(argv + 1);
  }
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && strcmp(argv[i], "--most") == 0) {
      most = atoi(argv[i + 1]);
    } else if (i + 1 < argc && strcmp(argv[i], "--slow") == 0) {
      slow = atof(argv[i + 1]);
    } else {
      return complain();
    }
  }
  return run_all(most, slow);
}
