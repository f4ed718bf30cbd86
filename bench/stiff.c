// The stiff chain: hinges in turn about y and z, each with a spring of 1000 N m/rad and a damper,
// let go straight and horizontal, 1 s in steps of 1 ms. Its fastest vibrations are far beyond what
// explicit steps of that length can follow. Told are the time of a step over rounds that take turns
// between the engines, whether the chain stays together, and for ten links the height of the last
// one's centre after 1 s over that of the reference comparison.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "models.h"

enum { STEPS = 1000, ROUNDS = 5 };

static const double step_size = 1e-3;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Height of the last link's centre: every link turns about an axis of its parent.
static double height(const bench_model* m, const double* q) {
  double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1}; // the link's axes
  double at = 0;
  for (int i = 0; i < m->nlink; i++) {
    at += m->link[i].joint[0] * x[2];
    const double c = cos(q[i]), s = sin(q[i]);
    double* other = m->link[i].axis[1] > 0 ? z : y; // what x turns with
    const double sign = m->link[i].axis[1] > 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
      const double a = x[k], b = other[k];
      x[k] = c * a + sign * s * b;
      other[k] = c * b - sign * s * a;
    }
  }
  return at + m->link[m->nlink - 1].com[0] * x[2];
}

typedef struct outcome {
  double us;    // a step, the quickest round
  double speed; // the largest of the hinges at the end [rad/s]; not finite: it flew apart
  double z;     // height at the end
} outcome;

static outcome run(const bench_engine* type, void* engine, const bench_model* m,
                   const bench_state* scratch) {
  outcome out = {.us = INFINITY};
  type->start(engine, 0, BENCH_STIFF, step_size, 0);
  const double before = now();
  for (int k = 0; k < STEPS; k++) {
    type->step(engine);
  }
  out.us = 1e6 * (now() - before) / STEPS;
  type->get_state(engine, scratch->tau, scratch->qdd);
  for (int i = 0; i < m->nlink; i++) {
    const double speed = fabs(scratch->qdd[i]);
    out.speed = speed <= out.speed ? out.speed : speed; // keeps NAN
  }
  out.z = height(m, scratch->tau);
  return out;
}

static void tell(const bench_engine* type, const bench_model* m, const outcome* o,
                 double reference) {
  const bool together = isfinite(o->speed) && o->speed < 100;
  printf("%-6d %-8g %-9s %9.2f  %-12s", m->nlink, m->damping, type->name, o->us,
         together ? "stable" : "flies apart");
  if (together && reference != 0) {
    printf(" %9.6f m, off by %.2f %%", o->z, 100 * (o->z / reference - 1));
  }
  printf("\n");
}

static void compare(int n, double damping, double reference) {
  const bench_engine* engines[BENCH_ENGINES_MOST];
  const int nengine = bench_engines(engines);
  bench_model* m = bench_chain(n);
  bench_state state = {0};
  if (!m || !bench_state_create(m, &state)) {
    bench_model_release(m);
    return;
  }
  m->stiffness = 1000;
  m->damping = damping;
  void* engine[BENCH_ENGINES_MOST] = {0};
  outcome best[BENCH_ENGINES_MOST];
  for (int e = 0; e < nengine; e++) {
    best[e].us = INFINITY;
    engine[e] = engines[e]->create(m);
    if (engine[e]) {
      engines[e]->load(engine[e], 0, &state);
    }
    if (engine[e] && !engines[e]->start(engine[e], 0, BENCH_STIFF, step_size, 0)) {
      engines[e]->release(engine[e]);
      engine[e] = NULL;
    }
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int e = 0; e < nengine; e++) {
      if (engine[e]) {
        const outcome o = run(engines[e], engine[e], m, &state);
        best[e] = o.us < best[e].us ? o : best[e];
      }
    }
  }
  for (int e = 0; e < nengine; e++) {
    if (engine[e]) {
      tell(engines[e], m, &best[e], reference);
      engines[e]->release(engine[e]);
    }
  }
  bench_state_release(&state);
  bench_model_release(m);
}

int main(void) {
  printf("stiff chain, 1000 N m/rad, 1 ms, 1 s: microseconds a step\n");
  printf("%-6s %-8s %-9s %9s\n", "links", "damping", "", "us");
  compare(10, 1, -0.003646);
  compare(10, 0.1, -0.005677);
  compare(10, 0, 0);
  static const int links[] = {50, 100, 400};
  static const double damping[] = {1, 0.1, 0};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      compare(links[i], damping[k], 0);
    }
  }
  return 0;
}
