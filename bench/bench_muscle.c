// Paths over surfaces: the time of a path alone, and of a path with 80 points, their Jacobians by
// both ends and the rates of these. [red] asks a network of six layers of 256 for the same: 0.21
// GFLOP, which two AVX2 cores cannot do in less than 1.1 ms. Below are Limber's networks, whose
// derivatives are exact: of Limber's form and size, and of [red]'s. Then models with muscles.
//
//   limber_bench_muscle
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

#include "geom/path/wrap_network.h"
#include "muscle_models.h"

enum { POINTS = 80, ROUNDS = 400 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile double sink;

// Points at even parts of the length.
static void evaluate(const lb_wrap_path* path) {
  int piece = 0;
  for (int s = 0; s < POINTS; s++) {
    const lb_taylor sigma = lb_taylor_scale(1, (s + 0.5) / POINTS, *lb_wrap_length(path));
    while (piece + 1 < path->count &&
           lb_taylor_value(&sigma) > lb_taylor_value(&path->piece[piece].end)) {
      piece++;
    }
    const lb_taylor3 x = lb_wrap_point(1, &path->piece[piece], &sigma);
    sink = lb_taylor_lane(&x.x, 1, LB_TAYLOR_P);
  }
}

// The same points by a network; its weights do not matter.
static void time_network(const char* name, lb_network_form form, int layers, int width) {
  enum { TIMES = 40 };
  lb_arena arena;
  lb_wrap_network w = {.form = form};
  lb_arena_init(&arena, NULL);
  if (lb_network_make(&w.net, lb_network_form_inputs(form), layers, width,
                      lb_network_form_outputs(form), &arena)) {
    lb_network_start(&w.net, 1);
    double all = INFINITY;
    const lb_wrap wrap = {
        .kind = LB_WRAP_CYLINDER, .size = {0.15, 0, 0}, .band = 0.1, .sense = 1, .network = &w};
    for (int i = 0; i < TIMES; i++) {
      const lb_path_end p = {{0.9, 0.2, 0.2 + 1e-6 * i}, {0.1, 0.2, 0.3}, {0, 0, 0}};
      const lb_path_end q = {{-0.6, 0.3, -0.3}, {0.3, -0.2, 0.1}, {0, 0, 0}};
      lb_wrap_path path;
      const double start = now();
      lb_wrap_find(1, &wrap, &path, &p, &q);
      evaluate(&path);
      all = fmin(all, now() - start);
    }
    printf("%-24s %10s %24.2f\n", name, "", 1e6 * all);
  }
  lb_arena_release(&arena);
}

int main(void) {
  static const struct {
    const char* name;
    lb_wrap wrap;
  } kind[] = {{"cylinder", {.kind = LB_WRAP_CYLINDER, .size = {0.5, 0, 0}, .sense = 1}},
              {"sphere", {.kind = LB_WRAP_SPHERE, .size = {0.5, 0, 0}}},
              {"capsule", {.kind = LB_WRAP_CAPSULE, .size = {0.5, 1, 0}, .sense = 1}},
              {"ellipsoid", {.kind = LB_WRAP_ELLIPSOID, .size = {0.5, 0.4, 0.6}}},
              {"torus", {.kind = LB_WRAP_TORUS, .size = {0.6, 0.2, 0}}}};
  printf("path over a %-12s %10s %24s\n", "", "path [us]", "with 80 points, J, Jd");
  for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
    double alone = INFINITY, all = INFINITY;
    lb_wrap wrap = kind[k].wrap;
    wrap.band = 0.1;
    for (int i = 0; i < ROUNDS; i++) {
      const lb_path_end p = {{0.9, 0.2, 0.2 + 1e-6 * i}, {0.1, 0.2, 0.3}, {0, 0, 0}};
      const lb_path_end q = {{-0.6, 0.3, -0.3}, {0.3, -0.2, 0.1}, {0, 0, 0}};
      lb_wrap_path path;
      const double start = now();
      lb_wrap_find(1, &wrap, &path, &p, &q);
      const double found = now();
      evaluate(&path);
      alone = fmin(alone, found - start);
      all = fmin(all, now() - start);
    }
    printf("%-24s %10.2f %24.2f\n", kind[k].name, 1e6 * alone, 1e6 * all);
  }
  time_network("network, scaled, 3 x 48", LB_FORM_SCALED, 3, 48);
  time_network("network of [red], 6 x 256", LB_FORM_POINTS, 6, 256);
  return bench_muscle_models() ? 0 : 1;
}
