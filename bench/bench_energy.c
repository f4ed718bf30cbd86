// How well integrators keep energy: an undamped planar chain of ten links, released horizontally at
// rest, for ten seconds. The figure is the worst |E(t) - E(0)| over the millisecond steps, over the
// energy the chain gives up on its way down (1.962 J).
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engines.h"
#include "models.h"

static const double duration = 10;
static const double step_size = 1e-3;

/// Ways to integrate.
typedef struct way {
  const char* name;
  double tolerance;
  bench_method method;
  bool only_ours; // peers would take minutes
} way;

static const way ways[] = {
    {"semi-implicit Euler, 1 ms", 0, BENCH_EULER, false},
    {"Runge-Kutta 4, 1 ms", 0, BENCH_RK4, false},
    {"Runge-Kutta 8, 1 ms", 0, BENCH_RK8, false},
    {"adaptive, tolerance 1e-6", 1e-6, BENCH_ADAPTIVE, false},
    {"adaptive, tolerance 1e-9", 1e-9, BENCH_ADAPTIVE, false},
    {"adaptive, tolerance 1e-12", 1e-12, BENCH_ADAPTIVE, true},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Largest fall of the potential energy: the chain from lying to hanging.
static double energy_scale(const bench_model* m) {
  double fall = 0, height = 0;
  for (int i = 0; i < m->nlink; i++) {
    height += m->link[i].joint[0];
    fall -= m->link[i].mass * m->gravity[2] * (height + m->link[i].com[0]);
  }
  return fall;
}

static void run(const bench_engine* type, const bench_model* m, const bench_state* state,
                const way* w) {
  void* engine = type->create(m);
  if (!engine) {
    return;
  }
  type->load(engine, 0, state);
  if (type->start(engine, 0, w->method, step_size, w->tolerance)) {
    double start = bench_planar_energy(m, state->q, state->qd);
    double worst = 0, seconds = 0;
    double* q = state->tau; // scratch: nothing reads it any more
    double* qd = state->qdd;
    for (int k = 0; k < (int)(duration / step_size + 0.5); k++) {
      double before = now();
      type->step(engine);
      seconds += now() - before;
      type->get_state(engine, q, qd);
      double error = fabs(bench_planar_energy(m, q, qd) - start);
      worst = error <= worst ? worst : error; // keeps NAN
    }
    printf("%-28s %-9s %10.2e %10.3f\n", w->name, type->name, worst / energy_scale(m), seconds);
  }
  type->release(engine);
}

int main(void) {
  const bench_engine* engines[BENCH_ENGINES_MOST];
  int nengine = bench_engines(engines);
  bench_model* m = bench_planar_chain(10);
  bench_state state = {0};
  if (!m || !bench_state_create(m, &state)) {
    bench_model_release(m);
    return 1;
  }
  printf("energy of the undamped planar chain, 10 links, 10 s: worst error over %.3f J\n",
         energy_scale(m));
  printf("%-28s %-9s %10s %10s\n", "", "", "error", "seconds");
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    for (int e = 0; e < (ways[k].only_ours ? 1 : nengine); e++) {
      run(engines[e], m, &state, &ways[k]);
    }
  }
  bench_state_release(&state);
  bench_model_release(m);
  return 0;
}
