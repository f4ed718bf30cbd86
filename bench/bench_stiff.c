// The stiff chain: hinges in turn about y and z, each with a spring of 1000 N m/rad and a damper,
// let go straight and horizontal, 1 s in steps of 1 ms. Its fastest vibrations are far beyond what
// explicit steps of that length can follow. Told are the time of a step over rounds that take turns
// between the engines, whether the chain stays together, and for ten links the height of the last
// one's centre after 1 s over that of the reference comparison. Then a ladder with 16 loops, which
// comes to equilibrium: the same of the last link of its lower rail, and the widest gap of its
// loops.
//
//   limber_bench_stiff [ROUNDS]
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engines.h"
#include "models.h"

typedef struct trial {
  double step; // [s]
  int steps;
  double reference; // height at the end; 0: not known
} trial;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Where the links are: origins and axes, by turning each about its hinge.
typedef struct pose {
  double p[3], R[3][3]; // R[k] is the link's axis k in the world
} pose;

static void place_links(const bench_model* m, const double* q, pose* out) {
  for (int i = 0; i < m->nlink; i++) {
    const bench_link* l = &m->link[i];
    const pose world = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const pose* up = l->parent >= 0 ? &out[l->parent] : &world;
    const double c = cos(q[i]), s = sin(q[i]), *u = l->axis;
    for (int k = 0; k < 3; k++) {
      out[i].p[k] = up->p[k];
      for (int j = 0; j < 3; j++) {
        out[i].p[k] += l->joint[j] * up->R[j][k];
      }
    }
    for (int j = 0; j < 3; j++) { // Rodrigues, in the parent's axes
      const double cross[3][3] = {{0, u[2], -u[1]}, {-u[2], 0, u[0]}, {u[1], -u[0], 0}};
      double e[3];
      for (int k = 0; k < 3; k++) {
        e[k] = (j == k ? c : 0) + s * cross[j][k] + (1 - c) * u[j] * u[k];
      }
      for (int k = 0; k < 3; k++) {
        out[i].R[j][k] = e[0] * up->R[0][k] + e[1] * up->R[1][k] + e[2] * up->R[2][k];
      }
    }
  }
}

static void find_point(const pose* x, const double at[3], double out[3]) {
  for (int k = 0; k < 3; k++) {
    out[k] = x->p[k] + at[0] * x->R[0][k] + at[1] * x->R[1][k] + at[2] * x->R[2][k];
  }
}

typedef struct outcome {
  double us;     // a step, the quickest round
  double speed;  // the largest of the hinges at the end [rad/s]; not finite: it flew apart
  double height; // of the tip's centre at the end, against gravity
  double gap;    // the widest of the loops
} outcome;

// The chain's last link, or the last one of the ladder's lower rail.
static void look(const bench_model* m, const double* q, outcome* out) {
  pose* x = m->nlink > 0 ? calloc((size_t)m->nlink, sizeof *x) : NULL;
  double a[3], b[3];
  if (!x) {
    return;
  }
  place_links(m, q, x);
  const int tip = m->nloop > 0 ? m->nloop - 1 : m->nlink - 1;
  find_point(&x[tip], m->link[tip].com, a);
  out->height = m->gravity[1] != 0 ? a[1] : a[2];
  for (int i = 0; i < m->nloop; i++) {
    find_point(&x[m->loop[i].link[0]], m->loop[i].point[0], a);
    find_point(&x[m->loop[i].link[1]], m->loop[i].point[1], b);
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    out->gap = fmax(out->gap, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  }
  free(x);
}

static outcome run(const bench_engine* type, void* engine, const bench_model* m,
                   const bench_state* scratch, const trial* t) {
  outcome out = {.us = INFINITY};
  type->start(engine, 0, BENCH_STIFF, t->step, 0);
  const double before = now();
  for (int k = 0; k < t->steps; k++) {
    type->step(engine);
  }
  out.us = 1e6 * (now() - before) / t->steps;
  type->get_state(engine, scratch->tau, scratch->qdd);
  for (int i = 0; i < m->nlink; i++) {
    const double speed = fabs(scratch->qdd[i]);
    out.speed = speed <= out.speed ? out.speed : speed; // keeps NAN
  }
  look(m, scratch->tau, &out);
  return out;
}

static void print_line(const bench_engine* type, const bench_model* m, const outcome* o,
                       const trial* t) {
  const bool together = isfinite(o->speed) && o->speed < 100;
  printf("%-9s %-8g %-5g %-9s %9.2f  %-12s", m->name, m->damping, 1e3 * t->step, type->name, o->us,
         together ? "stable" : "flies apart");
  if (together && t->reference != 0) {
    printf(" %9.6f m, off by %.2f %%", o->height, 100 * (o->height / t->reference - 1));
  }
  if (together && m->nloop > 0) {
    printf(", gap %.1e m", o->gap);
  }
  printf("\n");
}

static void compare(bench_model* m, double damping, trial t, int rounds) {
  const bench_engine* engines[BENCH_ENGINES_MOST];
  const int nengine = bench_engines(engines);
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
    if (engine[e] && !engines[e]->start(engine[e], 0, BENCH_STIFF, t.step, 0)) {
      engines[e]->release(engine[e]);
      engine[e] = NULL;
    }
  }
  for (int round = 0; round < rounds; round++) {
    for (int e = 0; e < nengine; e++) {
      if (engine[e]) {
        const outcome o = run(engines[e], engine[e], m, &state, &t);
        best[e] = o.us < best[e].us ? o : best[e];
      }
    }
  }
  for (int e = 0; e < nengine; e++) {
    if (engine[e]) {
      print_line(engines[e], m, &best[e], &t);
      engines[e]->release(engine[e]);
    }
  }
  bench_state_release(&state);
  bench_model_release(m);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  printf("stiff springs, 1000 N m/rad: microseconds a step\n");
  printf("%-9s %-8s %-5s %-9s %9s\n", "", "damping", "ms", "", "us");
  static const int links[] = {10, 50, 100, 400};
  static const double damping[] = {1, 0.1, 0};
  static const double height[] = {-0.003646, -0.005677, 0};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      compare(bench_chain(links[i]), damping[k],
              (trial){1e-3, 1000, links[i] == 10 ? height[k] : 0}, rounds);
    }
  }
  // the ladder's equilibrium; Bullet's needs steps of 0.06 ms for that
  compare(bench_ladder(16), 1, (trial){1e-3, 5000, -0.002297}, rounds);
  compare(bench_ladder(16), 1, (trial){6e-5, 5000, 0}, rounds);
  return 0;
}
