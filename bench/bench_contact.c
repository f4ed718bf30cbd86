// Boxes in contact, in steps of 2 ms without sleeping: a stack of ten, and piles of boxes that fall
// as they come. Told are the time of a step while they fall (the first 5 s) and at rest after that,
// the deepest overlap at rest, and of the stack how far it has drifted and sunk after 10 s. Engines
// take turns, each whole run by itself. One that takes too long is stopped, and its figures are
// those of the time it got to. Piles are chaotic: of the smallest one there are several, turned in
// other ways, and the means of all that ran to the end.
//
// Of Limber two ratios are told, each within one run: machines are faster at one time than at
// another. Time over contacts grows as t ~ contacts^p while all boxes lie on others and none is at
// rest yet; a contact is a point that a step works on. And threads: steps of one and of two by
// turns, in time on the clock.
//
//   limber_bench_contact [BOXES [SECONDS [PILES]]]
//     piles of 100, 1000 and 3000 boxes, up to so many (100); processor time of one engine with one
//     (20); piles of 100 (5)
//   limber_bench_contact ratios [BOXES]     the ratios alone, up to so many boxes (3000)
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boxes.h"
#include "budget.h"
#include "limber/collision.h"

static const bench_contact_engine* const ENGINES[] = {
    &bench_limber_boxes,
#ifdef BENCH_WITH_BULLET
    &bench_bullet_boxes,
#endif
#ifdef BENCH_WITH_ODE
    &bench_ode_boxes,
#endif
#ifdef BENCH_WITH_DART
    &bench_dart_boxes,
#endif
#ifdef BENCH_WITH_SIMBODY
    &bench_simbody_boxes,
#endif
};
static const int PILES[] = {100, 1000, 3000};
enum { NENGINE = sizeof ENGINES / sizeof *ENGINES, NPILE = sizeof PILES / sizeof *PILES };
enum { SLICES = 10 }; // of the time in which growth is measured

// --- scenes ---

static bench_boxes boxes_of(int n) {
  return (bench_boxes){.n = n,
                       .box = calloc((size_t)n, sizeof(bench_box)),
                       .size = {0.2, 0.2, 0.2},
                       .mass = 1,
                       .friction = 0.8,
                       .gravity = 9.81,
                       .h = 2e-3};
}

static bench_boxes make_stack(int n) {
  bench_boxes b = boxes_of(n);
  snprintf(b.name, sizeof b.name, "stack of %d", n);
  for (int i = 0; i < n; i++) {
    b.box[i] = (bench_box){{0, 0, 0.1 + 0.2 * i}, {1, 0, 0, 0}};
  }
  return b;
}

static double next_random(unsigned long long* state) { // xorshift, in [-1, 1]
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

// Boxes along an edge of a layer, and layers.
static int side_of(int n) {
  return (int)ceil(cbrt(n / 1.6));
}
static int layers_of(int n) {
  return (n + side_of(n) * side_of(n) - 1) / (side_of(n) * side_of(n));
}

// Layers of boxes turned at random, farther apart than their diagonals.
static bench_boxes make_pile(int n, int seed) {
  bench_boxes b = boxes_of(n);
  snprintf(b.name, sizeof b.name, "pile of %d", n);
  const int side = side_of(n);
  unsigned long long state = 88172645463325252u + 7919u * (unsigned)seed;
  for (int i = 0; i < n; i++) {
    const int x = i % side, y = i / side % side, z = i / (side * side);
    double q[4], square = 0;
    for (int k = 0; k < 4; k++) {
      q[k] = next_random(&state);
      square += q[k] * q[k];
    }
    b.box[i] =
        (bench_box){{0.36 * (x - 0.5 * (side - 1)) + 0.005 * next_random(&state),
                     0.36 * (y - 0.5 * (side - 1)) + 0.005 * next_random(&state), 0.25 + 0.36 * z},
                    {0}};
    for (int k = 0; k < 4; k++) {
      b.box[i].quaternion[k] = q[k] / sqrt(square);
    }
  }
  return b;
}

// --- measures ---

static lb_transform transform_of(const bench_box* b) {
  const double *p = b->position, *q = b->quaternion;
  return (lb_transform){{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
}

// Deepest overlap of any two boxes, or of one with the floor.
static double deepest(const bench_boxes* b, const bench_box* at) {
  lb_collider *box = NULL, *floor = NULL;
  const lb_collider_def def = {.type = LB_COLLIDER_BOX,
                               .size = {b->size[0], b->size[1], b->size[2]}};
  const lb_collider_def plane = {.type = LB_COLLIDER_PLANE};
  double depth = 0;
  if (lb_collider_create(&def, NULL, &box, NULL) == LB_OK &&
      lb_collider_create(&plane, NULL, &floor, NULL) == LB_OK) {
    const double reach = sqrt(3) * b->size[0];
    const lb_transform ground = {{1, 0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < b->n; i++) {
      const lb_transform X = transform_of(&at[i]);
      depth = fmin(depth, lb_collide_distance(box, X, floor, ground).distance);
      for (int j = 0; j < i; j++) {
        const double *p = at[i].position, *q = at[j].position;
        if (hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) < reach) {
          depth = fmin(depth, lb_collide_distance(box, X, box, transform_of(&at[j])).distance);
        }
      }
    }
  }
  lb_collider_release(box);
  lb_collider_release(floor);
  return -depth;
}

typedef struct result {
  double fall, rest; // time of a step [s]
  double until;      // simulated time it got to [s]
  double depth;      // [m]
  double drift, sink;
} result;

static void read_boxes(const bench_contact_engine* e, void* engine, int n, bench_box* at) {
  for (int i = 0; i < n; i++) {
    e->get(engine, i, &at[i]);
  }
}

// Time of a step, of as many as the budget allows.
static double run(const bench_contact_engine* e, void* engine, int steps, bench_budget* b) {
  const double start = bench_now(), before = b->spent;
  int k = 0;
  for (; k < steps && bench_budget_left(b); k++) {
    e->step(engine);
    b->spent = before + bench_now() - start;
    b->made++;
  }
  return k > 0 ? (b->spent - before) / k : NAN;
}

static void find_drift(const bench_boxes* b, const bench_box* at, result* r) {
  for (int i = 0; i < b->n; i++) {
    const double *p = b->box[i].position, *q = at[i].position;
    r->drift = fmax(r->drift, hypot(q[0] - p[0], q[1] - p[1]));
    r->sink = fmax(r->sink, p[2] - q[2]);
  }
}

// How long a scene falls and rests, and the processor time of each engine [s].
typedef struct plan {
  double fall, rest, most;
  bool stays; // where it is
} plan;

static bool measure(const bench_contact_engine* e, const bench_boxes* b, const plan* p, result* r) {
  void* engine = e->create(b);
  bench_box* at = calloc((size_t)b->n, sizeof *at);
  bench_budget left = {.most = p->most, .steps = (int)lround((p->fall + p->rest) / b->h)};
  if (!engine || !at) {
    free(at);
    return false;
  }
  *r = (result){0};
  r->fall = run(e, engine, (int)lround(p->fall / b->h), &left);
  for (int k = 0; k < 10 && (k == 0 || bench_budget_left(&left)); k++) {
    r->rest += run(e, engine, (int)lround(0.1 * p->rest / b->h), &left) / 10;
    read_boxes(e, engine, b->n, at);
    r->depth = fmax(r->depth, deepest(b, at));
  }
  r->until = left.made * b->h;
  find_drift(b, at, r);
  e->release(engine);
  free(at);
  return true;
}

static bool is_whole(const result* r, const plan* p) {
  return r->until > p->fall + p->rest - 1e-9;
}

static void print_result(const result* r, const plan* p) {
  if (is_whole(r, p)) {
    printf("%9.1f us a step in the first %g s, %9.1f at rest", 1e6 * r->fall, p->fall,
           1e6 * r->rest);
  } else {
    printf("%9.1f us a step, stopped after %.3f s of %g", 1e6 * r->fall, r->until,
           p->fall + p->rest);
  }
  printf("; overlap %.4f mm", 1e3 * r->depth);
  if (p->stays) {
    printf("; drift %.4f mm, sink %.4f mm", 1e3 * r->drift, 1e3 * r->sink);
  }
  printf("\n");
  fflush(stdout);
}

static void tell(bench_boxes b, plan p) {
  printf("%s\n", b.name);
  for (int i = 0; i < NENGINE; i++) {
    result r;
    printf("  %-8s ", ENGINES[i]->name);
    if (measure(ENGINES[i], &b, &p, &r)) {
      print_result(&r, &p);
    } else {
      printf("cannot\n");
    }
  }
  free(b.box);
}

// --- means over several piles ---

typedef struct mean {
  int count; // piles that ran to the end
  bool stopped;
  result sum;
  double least, most; // time of a step in the fall [s]
} mean;

static void add_to_mean(mean* m, const result* r) {
  m->least = m->count == 0 ? r->fall : fmin(m->least, r->fall);
  m->most = fmax(m->most, r->fall);
  m->sum.fall += r->fall;
  m->sum.rest += r->rest;
  m->sum.depth = fmax(m->sum.depth, r->depth);
  m->count++;
}

// Engines take turns with each pile. Who was stopped at one is not asked again.
static void tell_means(int n, int piles, plan p) {
  mean of[NENGINE] = {{0}};
  printf("%d piles of %d\n", piles, n);
  for (int seed = 0; seed < piles; seed++) {
    bench_boxes b = make_pile(n, seed);
    for (int i = 0; i < NENGINE; i++) {
      result r;
      if (!of[i].stopped && measure(ENGINES[i], &b, &p, &r)) {
        of[i].stopped = !is_whole(&r, &p);
        if (of[i].stopped) {
          printf("  %-8s ", ENGINES[i]->name);
          print_result(&r, &p);
        } else {
          add_to_mean(&of[i], &r);
        }
      }
    }
    free(b.box);
  }
  for (int i = 0; i < NENGINE; i++) {
    const mean* m = &of[i];
    if (m->count > 0) {
      printf("  %-8s %9.1f us a step in the first %g s (%.1f to %.1f), %9.1f at rest; overlap at "
             "most %.4f mm\n",
             ENGINES[i]->name, 1e6 * m->sum.fall / m->count, p.fall, 1e6 * m->least, 1e6 * m->most,
             1e6 * m->sum.rest / m->count, 1e3 * m->sum.depth);
    }
  }
}

// --- ratios of Limber ---

// Time in which the highest layer comes down on the others, when gaps between layers close [s].
static double fall_time(int n) {
  return sqrt(2 * 0.16 * layers_of(n) / 9.81);
}

static void* dropped(int n, bench_boxes* b) {
  *b = make_pile(n, 0);
  void* engine = bench_limber_boxes.create(b);
  for (int k = 0; engine && k < (int)lround(fall_time(n) / b->h); k++) {
    bench_limber_boxes.step(engine);
  }
  return engine;
}

typedef struct grown {
  bench_boxes b;
  void* engine;
  int steps;                    // of a slice
  double time, points, bearing; // sums over steps
} grown;

static void run_slice(grown* g) {
  const double start = bench_now();
  for (int k = 0; k < g->steps; k++) {
    bench_limber_boxes.step(g->engine);
  }
  g->time += bench_now() - start;
  g->points += g->steps * bench_limber_points(g->engine);
  g->bearing += g->steps * bench_limber_bearing(g->engine);
}

static void print_growth(const grown* g, int count) {
  for (int i = 0; i < count; i++) {
    const grown* first = &g[0];
    const double steps = g[i].points > 0 ? SLICES * g[i].steps : 1, slow = g[i].time / steps;
    printf("  %4d boxes: %8.1f us a step, %.2f us a point of %.0f, of which %.0f bear", g[i].b.n,
           1e6 * slow, 1e6 * g[i].time / g[i].points, g[i].points / steps, g[i].bearing / steps);
    if (i > 0) {
      const double times = slow / (first->time / (SLICES * first->steps));
      printf("; power %.2f of points, %.2f of boxes",
             log(times) / log(g[i].points / steps / (first->points / (SLICES * first->steps))),
             log(times) / log((double)g[i].b.n / first->b.n));
    }
    printf("\n");
  }
}

// From when all have come down, for twice as long again, a slice of each pile after the other.
static void tell_growth(int boxes) {
  static grown g[NPILE];
  int count = 0;
  printf("growth\n");
  while (count < NPILE && PILES[count] <= boxes) {
    const int n = PILES[count];
    g[count].engine = dropped(n, &g[count].b);
    g[count].steps = (int)lround(2 * fall_time(n) / g[count].b.h / SLICES);
    count++;
  }
  for (int k = 0; k < SLICES; k++) {
    for (int i = 0; i < count; i++) {
      run_slice(&g[i]);
    }
  }
  print_growth(g, count);
  for (int i = 0; i < count; i++) {
    bench_limber_boxes.release(g[i].engine);
    free(g[i].b.box);
  }
}

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Turns of some steps each, one thread and two. Told are the means, and those of the quicker half
// of both, which other programs disturb less.
static void tell_threads(int n) {
  enum { TURNS = 100, STEPS = 5 };
  double time[2][TURNS], sum[2] = {0}, quick[2] = {0};
  bench_boxes b;
  void* engine = dropped(n, &b);
  for (int k = 0; k < 2 * TURNS; k++) {
    bench_limber_threads(engine, 1 + k % 2);
    const double start = clock_now();
    for (int i = 0; i < STEPS; i++) {
      bench_limber_boxes.step(engine);
    }
    time[k % 2][k / 2] = (clock_now() - start) / STEPS;
  }
  for (int t = 0; t < 2; t++) {
    qsort(time[t], TURNS, sizeof *time[t], by_size);
    for (int k = 0; k < TURNS; k++) {
      sum[t] += time[t][k] / TURNS;
      quick[t] += k < TURNS / 2 ? time[t][k] / (TURNS / 2) : 0;
    }
  }
  printf("threads\n  %d boxes: %.1f us a step on one, %.1f on two, %.2f times less (quicker half: "
         "%.1f, %.1f, %.2f)\n",
         n, 1e6 * sum[0], 1e6 * sum[1], sum[0] / sum[1], 1e6 * quick[0], 1e6 * quick[1],
         quick[0] / quick[1]);
  bench_limber_boxes.release(engine);
  free(b.box);
}

static void tell_ratios(int boxes) {
  tell_growth(boxes);
  if (boxes >= 1000) {
    tell_threads(1000);
  }
}

int main(int argc, char** argv) {
  const bool ratios = argc > 1 && strcmp(argv[1], "ratios") == 0;
  const int boxes = argc > 1 + ratios ? atoi(argv[1 + ratios]) : ratios ? 3000 : 100;
  const double most = argc > 2 ? atof(argv[2]) : 20;
  bench_settle();
  if (ratios) {
    tell_ratios(boxes);
    return 0;
  }
  for (int i = 0; i < NENGINE; i++) {
    printf("%s: %s\n", ENGINES[i]->name, ENGINES[i]->about);
  }
  tell(make_stack(10), (plan){5, 5, most, .stays = true});
  tell_means(PILES[0], argc > 3 ? atoi(argv[3]) : 5, (plan){5, 1, most, .stays = false});
  for (int i = 1; i < NPILE && PILES[i] <= boxes; i++) {
    tell(make_pile(PILES[i], 0), (plan){5, 1, most, .stays = false});
  }
  tell_ratios(boxes);
  return 0;
}
