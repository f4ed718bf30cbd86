// Boxes in contact, in steps of 2 ms without sleeping: a stack of ten, and piles of boxes that fall
// as they come. Told are the time of a step while they fall (the first 5 s) and at rest after that,
// the deepest overlap at rest, and of the stack how far it has drifted and sunk after 10 s. Engines
// take turns, each whole run by itself. One that takes too long is stopped, and its figures are
// those of the time it got to. Of Limber the time of a step over its contacts is told in the first
// 2 s, in which none is at rest, and the power by which that time grows with them, t ~ contacts^p.
//
//   limber_bench_contact [BOXES [SECONDS]]    piles of 100, 1000 and 3000 boxes, up to so many
//                                             (100), and processor time of one engine with one (20)
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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
enum { NENGINE = sizeof ENGINES / sizeof *ENGINES };

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

// Layers of boxes turned at random, farther apart than their diagonals.
static bench_boxes make_pile(int n) {
  bench_boxes b = boxes_of(n);
  snprintf(b.name, sizeof b.name, "pile of %d", n);
  const int side = (int)ceil(cbrt(n / 1.6));
  unsigned long long state = 88172645463325252u;
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
  double busy;       // of the first 2 s [s]
  double contacts;   // then, 0: not told
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

// The fall, in pieces of 0.1 s.
static void fall_down(const bench_contact_engine* e, void* engine, const bench_boxes* b,
                      const plan* p, bench_budget* left, result* r) {
  const int pieces = (int)lround(10 * p->fall), busy = pieces < 20 ? pieces : 20;
  for (int k = 0; k < pieces && bench_budget_left(left); k++) {
    run(e, engine, (int)lround(0.1 / b->h), left);
    r->contacts += k < busy && e->contacts ? (double)e->contacts(engine) / busy : 0;
    r->busy = k < busy ? left->spent / left->made : r->busy;
  }
  r->fall = left->spent / left->made;
}

static bool measure(const bench_contact_engine* e, const bench_boxes* b, const plan* p, result* r) {
  void* engine = e->create(b);
  bench_box* at = calloc((size_t)b->n, sizeof *at);
  bench_budget left = {.most = p->most, .steps = (int)lround((p->fall + p->rest) / b->h)};
  if (!engine || !at) {
    free(at);
    return false;
  }
  *r = (result){0};
  fall_down(e, engine, b, p, &left, r);
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

// `first`: result of the first pile, all zero before.
static void print_growth(const result* r, result* first) {
  printf("; %.2f us a contact of %.0f", 1e6 * r->busy / r->contacts, r->contacts);
  if (first->contacts > 0) {
    printf(", power %.2f", log(r->busy / first->busy) / log(r->contacts / first->contacts));
  } else {
    *first = *r;
  }
}

static void print_result(const result* r, const plan* p, result* first) {
  const bool whole = r->until > p->fall + p->rest - 1e-9;
  if (whole) {
    printf("%9.1f us a step in the first %g s, %9.1f at rest", 1e6 * r->fall, p->fall,
           1e6 * r->rest);
  } else {
    printf("%9.1f us a step, stopped after %.3f s of %g", 1e6 * r->fall, r->until,
           p->fall + p->rest);
  }
  printf("; overlap %.4f mm", 1e3 * r->depth);
  if (p->stays) {
    printf("; drift %.4f mm, sink %.4f mm", 1e3 * r->drift, 1e3 * r->sink);
  } else if (r->contacts > 0) {
    print_growth(r, first);
  }
  printf("\n");
  fflush(stdout);
}

static void tell(bench_boxes b, plan p) {
  static result first[NENGINE];
  printf("%s\n", b.name);
  for (int i = 0; i < NENGINE; i++) {
    result r;
    printf("  %-8s ", ENGINES[i]->name);
    if (measure(ENGINES[i], &b, &p, &r)) {
      print_result(&r, &p, &first[i]);
    } else {
      printf("cannot\n");
    }
  }
  free(b.box);
}

int main(int argc, char** argv) {
  static const int PILES[] = {100, 1000, 3000};
  const int boxes = argc > 1 ? atoi(argv[1]) : 100;
  const double most = argc > 2 ? atof(argv[2]) : 20;
  for (int i = 0; i < NENGINE; i++) {
    printf("%s: %s\n", ENGINES[i]->name, ENGINES[i]->about);
  }
  tell(make_stack(10), (plan){5, 5, most, .stays = true});
  for (size_t i = 0; i < sizeof PILES / sizeof *PILES && PILES[i] <= boxes; i++) {
    tell(make_pile(PILES[i]), (plan){5, 1, most, .stays = false});
  }
  return 0;
}
