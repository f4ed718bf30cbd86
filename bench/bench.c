// The benchmark: microseconds a call of Limber and, in the same run, of the peers that were built
// in, on the same links and states.
//
// A round times every task of every engine on every model for two milliseconds or so, engines next
// to each other; the figure is the median of many rounds, so that a disturbance of the machine
// meets all engines alike and few rounds. Two states alternate from call to call, so that no engine
// can keep results. Time is the processor time of the whole process: other programs on the machine
// count little, helper threads of an engine count in full.
#define _GNU_SOURCE // sched_setaffinity
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "models.h"

enum { ROUNDS = 41, CALLS_MOST = 4096, STEPS_MOST = 100, MODELS = 5 };
static const double batch_seconds = 2e-3;
static const double step_size = 1e-4; // short, so that a batch of steps from the test state is tame

/// What is timed.
typedef enum task { FORWARD, MASS, INVERSE, DERIVATIVES, STEP_EULER, STEP_RK4, TASK_COUNT } task;

static const char* const task_name[TASK_COUNT] = {
    "forward_dynamics", "mass_matrix", "inverse_dynamics", "derivatives", "step_euler", "step_rk4",
};

/// An engine at work on a model.
typedef struct runner {
  const bench_engine* type;
  void* engine;
  long calls; // so far; the states take turns
} runner;

/// One task of one engine on one model.
typedef struct cell {
  int calls; // in a batch; 0: the engine has no such function
  double us[ROUNDS];
} cell;

typedef struct bench {
  int nengine;
  const bench_engine* engine[BENCH_ENGINES_MOST];
  bench_model* model[MODELS];
  runner runner[MODELS][BENCH_ENGINES_MOST];
  cell cell[TASK_COUNT][MODELS][BENCH_ENGINES_MOST];
  double us[TASK_COUNT][MODELS][BENCH_ENGINES_MOST]; // medians; NAN: no such function
  int mismatches;
} bench;

// --- the same results ---

static void check(bench* b, const char* model, const char* engine, const char* what, double got,
                  double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance * fabs(want))) {
    printf("MISMATCH %s %s: %s is %.9g, expected %.9g\n", model, engine, what, got, want);
    b->mismatches++;
  }
}

static double sum_abs(const double* v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += fabs(v[i]);
  }
  return sum;
}

// Sum of |qdd| over the hinges as published, six digits; inverse dynamics of those accelerations
// gives back tau; the sum of |M| is as the first engine that has M says.
static void check_engine(bench* b, const bench_model* m, runner* r, const bench_state* state,
                         double* M, double* mass_sum) {
  int nv = m->nv;
  int first = m->free_base ? 6 : 0;
  const bench_engine* type = r->type;
  type->forward(r->engine, 0);
  type->get_qdd(r->engine, state->qdd);
  double qdd_sum = sum_abs(state->qdd + first, nv - first);
  check(b, m->name, type->name, "sum of |qdd|", qdd_sum, m->qdd_sum, 1e-5);
  if (type->inverse) {
    double* tau = M;
    type->load(r->engine, 0, state);
    type->inverse(r->engine, 0);
    type->get_tau(r->engine, tau);
    check(b, m->name, type->name, "sum of |tau|", sum_abs(tau, nv), sum_abs(state->tau, nv), 1e-6);
  }
  if (type->mass) {
    type->mass(r->engine, 0);
    type->get_mass(r->engine, M);
    double sum = sum_abs(M, nv * nv);
    *mass_sum = *mass_sum > 0 ? *mass_sum : sum;
    check(b, m->name, type->name, "sum of |M|", sum, *mass_sum, 1e-9);
  }
}

// After the timing, both states once more: an engine that kept anything from one call to the next
// would differ now. The first engine stands for all in the second state.
static void check_again(bench* b) {
  for (int k = 0; k < MODELS; k++) {
    const bench_model* m = b->model[k];
    int first = m->free_base ? 6 : 0;
    double* qdd = calloc((size_t)m->nv, sizeof *qdd);
    double want[BENCH_SLOTS] = {m->qdd_sum, 0};
    for (int e = 0; qdd && e < b->nengine; e++) {
      const runner* r = &b->runner[k][e];
      for (int s = 0; s < BENCH_SLOTS; s++) {
        r->type->forward(r->engine, s);
        r->type->get_qdd(r->engine, qdd);
        double sum = sum_abs(qdd + first, m->nv - first);
        want[s] = want[s] > 0 ? want[s] : sum;
        check(b, m->name, r->type->name, "sum of |qdd| after all", sum, want[s], 1e-5);
      }
    }
    free(qdd);
  }
}

// --- timing ---

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// A task is a function of the engine or a method of stepping.
static void (*task_call(const bench_engine* type, task what))(void*, int) {
  void (*const calls[TASK_COUNT])(void*, int) = {[FORWARD] = type->forward,
                                                 [MASS] = type->mass,
                                                 [INVERSE] = type->inverse,
                                                 [DERIVATIVES] = type->derivatives};
  return calls[what];
}

static bool task_start(runner* r, task what) {
  bench_method method = what == STEP_EULER ? BENCH_EULER : BENCH_RK4;
  return r->type->start(r->engine, 0, method, step_size, 1e-6);
}

// Seconds of a batch of calls, after one that fills the caches.
static double time_calls(runner* r, void (*call)(void*, int), int calls) {
  call(r->engine, (int)(r->calls++ % BENCH_SLOTS));
  double start = now();
  for (int k = 0; k < calls; k++) {
    call(r->engine, (int)(r->calls++ % BENCH_SLOTS));
  }
  return now() - start;
}

static double time_batch(runner* r, task what, int calls) {
  if (what < STEP_EULER) {
    return time_calls(r, task_call(r->type, what), calls);
  }
  task_start(r, what);
  r->type->step(r->engine); // what a first step sets up is not a step
  double start = now();
  for (int k = 0; k < calls; k++) {
    r->type->step(r->engine);
  }
  return now() - start;
}

// As many calls as fill a batch; 0: the engine cannot do it.
static int find_calls(runner* r, task what) {
  bool steps = what >= STEP_EULER;
  if (steps ? !task_start(r, what) : !task_call(r->type, what)) {
    return 0;
  }
  int most = steps ? STEPS_MOST : CALLS_MOST;
  int calls = 1;
  while (calls < most && time_batch(r, what, calls) < batch_seconds) {
    calls *= 2;
  }
  return calls < most ? calls : most;
}

// Call `visit` for every task of every engine on every model, engines innermost.
static void for_all(bench* b, int round, void (*visit)(runner*, task, cell*, int)) {
  for (int k = 0; k < MODELS; k++) {
    for (int what = 0; what < TASK_COUNT; what++) {
      for (int e = 0; e < b->nengine; e++) {
        visit(&b->runner[k][e], (task)what, &b->cell[what][k][e], round);
      }
    }
  }
}

static void size_batch(runner* r, task what, cell* c, int round) {
  (void)round;
  c->calls = find_calls(r, what);
}

static void take_batch(runner* r, task what, cell* c, int round) {
  if (c->calls > 0) {
    c->us[round] = 1e6 * time_batch(r, what, c->calls) / c->calls;
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a;
  double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(bench* b) {
  // Twice: the first pass wakes the processor up.
  for_all(b, 0, size_batch);
  for_all(b, 0, size_batch);
  for (int round = 0; round < ROUNDS; round++) {
    for_all(b, round, take_batch);
  }
  for (int what = 0; what < TASK_COUNT; what++) {
    for (int k = 0; k < MODELS; k++) {
      for (int e = 0; e < b->nengine; e++) {
        cell* c = &b->cell[what][k][e];
        qsort(c->us, ROUNDS, sizeof c->us[0], compare);
        b->us[what][k][e] = c->calls > 0 ? c->us[ROUNDS / 2] : NAN;
      }
    }
  }
}

// --- results ---

static double best_peer(const bench* b, const double* us) {
  double best = NAN;
  for (int e = 1; e < b->nengine; e++) {
    best = fmin(best, us[e]); // ignores NAN
  }
  return best;
}

static double of_peer(const bench* b, const double* us, const char* peer) {
  for (int e = 1; e < b->nengine; e++) {
    if (strcmp(b->engine[e]->name, peer) == 0) {
      return us[e];
    }
  }
  return NAN;
}

/// What the project set out to reach, as a ratio to one peer.
typedef struct goal {
  task what;
  const char* model; // NULL: every one without a line above
  const char* peer;
  double ratio;
  task against; // what of the peer is compared with
} goal;

static const goal goals[] = {
    {FORWARD, "humanoid27", "bullet", 0.6, FORWARD},
    {FORWARD, "chain10", "bullet", 0.5, FORWARD},
    {FORWARD, NULL, "bullet", 0.8, FORWARD},
    {MASS, NULL, "simbody", 0.05, MASS},
    {INVERSE, NULL, "dart", 0.3, INVERSE},
    {DERIVATIVES, "humanoid27", "bullet", 1.3, FORWARD},
};

static void print_goal(const bench* b, task what, int k) {
  const char* model = b->model[k]->name;
  for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
    const goal* g = &goals[i];
    if (g->what == what && (!g->model || strcmp(g->model, model) == 0)) {
      double ratio = b->us[what][k][0] / of_peer(b, b->us[g->against][k], g->peer);
      if (!isnan(ratio)) {
        printf("  %.3f of %s%s%s (goal %.2f%s)", ratio, g->peer, g->against == what ? "" : "'s ",
               g->against == what ? "" : task_name[g->against], g->ratio,
               ratio <= g->ratio ? "" : ", missed");
      }
      return;
    }
  }
}

static void print_number(double x, int width, int digits) {
  if (isnan(x)) {
    printf(" %*s", width, "-");
  } else {
    printf(" %*.*f", width, digits, x);
  }
}

static void print_heading(const bench* b, const char* text) {
  printf("\n%s\n%-28s", text, "");
  for (int e = 0; e < b->nengine; e++) {
    printf(" %9s", b->engine[e]->name);
  }
}

static void print_table(const bench* b) {
  print_heading(b, "microseconds a call, median of the rounds");
  printf(" %8s %8s\n", "/best", "/bullet");
  for (int what = 0; what < TASK_COUNT; what++) {
    for (int k = 0; k < MODELS; k++) {
      const double* us = b->us[what][k];
      printf("%-17s %-10s", task_name[what], b->model[k]->name);
      for (int e = 0; e < b->nengine; e++) {
        print_number(us[e], 9, 2);
      }
      print_number(us[0] / best_peer(b, us), 8, 3);
      print_number(us[0] / of_peer(b, us, "bullet"), 8, 3);
      print_goal(b, (task)what, k);
      printf("\n");
    }
  }
}

// Slope of log t over log n for chains: 1 is linear, 2 quadratic.
static double growth(const bench* b, int what, int e) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int k = 0; k < MODELS; k++) {
    if (!b->model[k]->free_base) {
      double log_n = log(b->model[k]->nlink);
      double log_t = log(b->us[what][k][e]);
      n += 1;
      x += log_n;
      y += log_t;
      xx += log_n * log_n;
      xy += log_n * log_t;
    }
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

static void print_growth(const bench* b) {
  print_heading(b, "growth with the number of links: p of time ~ links^p over the chains");
  printf("\n");
  for (int what = 0; what < TASK_COUNT; what++) {
    printf("%-28s", task_name[what]);
    for (int e = 0; e < b->nengine; e++) {
      print_number(growth(b, what, e), 9, 3);
    }
    printf("\n");
  }
}

static void write_row(FILE* file, const bench* b, int what, int k) {
  const double* us = b->us[what][k];
  fprintf(file, "  {\"name\": \"%s/%s\", \"us\": %.4f, \"peers\": {", task_name[what],
          b->model[k]->name, us[0]);
  const char* separator = "";
  for (int e = 1; e < b->nengine; e++) {
    if (!isnan(us[e])) {
      fprintf(file, "%s\"%s\": %.4f", separator, b->engine[e]->name, us[e]);
      separator = ", ";
    }
  }
  double ratio = us[0] / best_peer(b, us);
  if (isnan(ratio)) {
    fprintf(file, "}, \"ratio\": null}");
  } else {
    fprintf(file, "}, \"ratio\": %.4f}", ratio);
  }
}

// Aside first, then renamed: a reader never sees half a file.
static bool write_json(const bench* b, const char* path) {
  char aside[1024];
  snprintf(aside, sizeof aside, "%s.part", path);
  FILE* file = fopen(aside, "w");
  if (!file) {
    return false;
  }
  const char* separator = "[\n";
  for (int what = 0; what < TASK_COUNT; what++) {
    for (int k = 0; k < MODELS; k++) {
      fputs(separator, file);
      write_row(file, b, what, k);
      separator = ",\n";
    }
  }
  fputs("\n]\n", file);
  return fclose(file) == 0 && rename(aside, path) == 0;
}

// --- life ---

// All engines on one model, with their states, their results compared.
static bool set_up(bench* b, int k) {
  const bench_model* m = b->model[k];
  bench_state states[BENCH_SLOTS] = {0};
  double* M = calloc((size_t)m->nv * (size_t)m->nv, sizeof *M);
  double mass_sum = 0;
  bool made = M && bench_state_create(m, &states[0]) && bench_state_create(m, &states[1]);
  for (int e = 0; made && e < b->nengine; e++) {
    runner* r = &b->runner[k][e];
    *r = (runner){.type = b->engine[e], .engine = b->engine[e]->create(m)};
    made = r->engine;
    for (int s = 0; made && s < BENCH_SLOTS; s++) {
      bench_state_test(m, s == 0 ? 1.0 : 1.01, &states[s]);
      r->type->load(r->engine, s, &states[s]);
    }
    if (made) {
      check_engine(b, m, r, &states[0], M, &mass_sum);
    }
  }
  bench_state_release(&states[0]);
  bench_state_release(&states[1]);
  free(M);
  return made;
}

static void tear_down(bench* b) {
  for (int k = 0; k < MODELS; k++) {
    for (int e = 0; e < b->nengine; e++) {
      if (b->runner[k][e].engine) {
        b->engine[e]->release(b->runner[k][e].engine);
      }
    }
    bench_model_release(b->model[k]);
  }
}

// Stay on one processor.
static void pin(void) {
  int cpu = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)(cpu > 0 ? cpu : 0), &set);
  sched_setaffinity(0, sizeof set, &set);
}

static bool run(bench* b, const char* path) {
  for (int k = 0; k < MODELS; k++) {
    if (!b->model[k] || !set_up(b, k)) {
      return false;
    }
  }
  measure(b);
  check_again(b);
  print_table(b);
  print_growth(b);
  return !path || write_json(b, path);
}

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    fprintf(stderr, "usage: limber_bench [FILE.json]\n");
    return 2;
  }
  pin();
  bench* b = calloc(1, sizeof *b);
  if (!b) {
    return 1;
  }
  b->nengine = bench_engines(b->engine);
  for (int e = 0; e < b->nengine; e++) {
    printf("%s\n", b->engine[e]->about);
  }
  b->model[0] = bench_chain(10);
  b->model[1] = bench_chain(50);
  b->model[2] = bench_chain(100);
  b->model[3] = bench_chain(400);
  b->model[4] = bench_humanoid();
  bool ran = run(b, argc > 1 ? argv[1] : NULL);
  if (!ran) {
    fprintf(stderr, "limber_bench: a model or the results could not be made\n");
  }
  int status = ran && b->mismatches == 0 ? 0 : 1;
  tear_down(b);
  free(b);
  return status;
}
