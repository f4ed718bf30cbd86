// Tables 1 and 2 of [fork] again, on one thread: steps of mechanisms reduced to an effector, alone
// and blended of two and four models, with and without their links, beside a step of the whole by
// the scene's own integrator and one of Bullet's btMultiBody. Times are the quickest of ROUNDS, and
// rounds take turns between all of them.
//
//   limber_bench_fork [SCENES [ROUNDS]]
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "engines.h"
#include "limber/limber.h"

enum { MOST = 4 };

typedef struct job {
  const char *label, *scene;
  int rungs;                // of a ladder; 0: as the scene has them
  double load[MOST][3];     // of the models; the first is at rest
  double vortex, single[4]; // [us] of the document: the whole; one, two and four models
} job;

// Times of one mechanism [us].
typedef struct times {
  double whole, bullet, one;
  double blend[3];  // of 1, 2 and 4 models
  double by_joints; // links
  double by_exp;
  double again; // linearised in every step; 0: not a tree
} times;

typedef struct bench {
  lb_scene scene;
  lb_model* m;
  lb_scene_effector_load load[MOST];
  lb_scene_fork_model model[MOST];
  lb_scene_fork what;
  lb_fork* fork[MOST];
  lb_fork_stepper* one;
  lb_fork_blend* several[3];
  lb_data* d;
  lb_stepper* whole;
  lb_transform* link;
} bench;

static double least(double a, double b) {
  return a > 0 ? fmin(a, b) : b;
}

// --- making ---

// The ladder's text with other counts: "16" of rungs and of the last links, "15" of the others.
static char* shorten(const char* path, int rungs) {
  FILE* f = fopen(path, "r");
  char* text = calloc(1, 20000);
  const size_t n = f && text ? fread(text, 1, 9000, f) : 0;
  char *out = calloc(1, 20000), *at = out;
  for (size_t i = 0; out && i < n; i++) {
    const int was = strncmp(text + i, "count: 16", 9) == 0   ? 16
                    : strncmp(text + i, "count: 15", 9) == 0 ? 15
                    : strncmp(text + i, "low-16", 6) == 0    ? 6
                                                             : 0;
    if (was == 6) {
      at += sprintf(at, "low-%d", rungs);
      i += 5;
    } else if (was) {
      at += sprintf(at, "count: %d", rungs - (16 - was));
      i += 8;
    } else {
      *at++ = text[i];
    }
  }
  free(text);
  if (f) {
    fclose(f);
  }
  return out;
}

static lb_status read(bench* b, const char* folder, const job* j, lb_error* err) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s.yaml", folder, j->scene);
  lb_status status;
  if (j->rungs) {
    char* text = shorten(path, j->rungs);
    status = lb_scene_parse(text, strlen(text), path, NULL, &b->scene, err);
    free(text);
  } else {
    status = lb_scene_read(path, NULL, &b->scene, err);
  }
  return status == LB_OK ? lb_model_create(&b->scene, NULL, &b->m, err) : status;
}

static lb_status make(bench* b, const job* j, lb_error* err) {
  const double h = b->scene.solver.step;
  lb_status status = LB_OK;
  b->what = b->scene.fork[0];
  b->what.nmodel = MOST;
  b->what.model = b->model;
  for (int i = 0; i < MOST && status == LB_OK; i++) {
    b->load[i].force = (lb_vec3){j->load[i][0], j->load[i][1], j->load[i][2]};
    b->model[i] = (lb_scene_fork_model){.nload = 1, .load = &b->load[i]};
    status = lb_fork_create(b->m, &b->what, i, NULL, &b->fork[i], err);
  }
  status = status == LB_OK ? lb_fork_stepper_create(b->fork[0], h, NULL, &b->one, err) : status;
  for (int i = 0; i < 3 && status == LB_OK; i++) {
    status = lb_fork_blend_create(b->fork, 1 << i, h, NULL, &b->several[i], err);
  }
  status = status == LB_OK ? lb_data_create(b->m, NULL, &b->d, err) : status;
  status = status == LB_OK ? lb_stepper_create(b->m, NULL, NULL, &b->whole, err) : status;
  b->link = calloc((size_t)(status == LB_OK ? b->m->nlink : 1), sizeof *b->link);
  return status;
}

static void drop(bench* b) {
  for (int i = 0; i < 3; i++) {
    lb_fork_blend_release(b->several[i]);
  }
  lb_fork_stepper_release(b->one);
  for (int i = 0; i < MOST; i++) {
    lb_fork_release(b->fork[i]);
  }
  lb_stepper_release(b->whole);
  lb_data_release(b->d);
  lb_model_release(b->m);
  lb_scene_release(&b->scene);
  free(b->link);
}

// --- Bullet ---

// The same links in Bullet, their frames along the world's axes.
static void* make_bullet(const bench* b, bench_model* model) {
#ifdef BENCH_WITH_BULLET
  const lb_model* m = b->m;
  const lb_fork* f = b->fork[0];
  *model = (bench_model){.nlink = m->nlink, .nv = m->nv, .stiffness = 1000, .damping = 1};
  model->link = calloc((size_t)m->nlink, sizeof *model->link);
  for (int i = 0; i < m->nbody; i++) {
    const int l = m->body.link[i];
    if (l < 0) {
      continue;
    }
    const int p = m->link.parent[l];
    const lb_vec3 at = f->link[l].p, from = p < 0 ? (lb_vec3){0, 0, 0} : f->link[p].p;
    const lb_vec3 com = m->body.mass[i].com;
    const double k = m->body.mass[i].mass * 1e-4; // sizes do not matter for times
    model->link[l] = (bench_link){.parent = p,
                                  .axis = {0, 0, 1},
                                  .ball = m->link.nv[l] == 3,
                                  .joint = {at.x - from.x, at.y - from.y, at.z - from.z},
                                  .com = {com.x, com.y, com.z},
                                  .mass = m->body.mass[i].mass,
                                  .inertia = {k, k, k}};
  }
  model->nloop = m->constraint.nloop;
  model->loop = calloc((size_t)model->nloop + 1, sizeof *model->loop);
  for (int i = 0; i < model->nloop; i++) {
    model->loop[i] = (bench_loop){
        .link = {3 * i + 1 < m->nlink ? 3 * i + 1 : 0, 3 * i + 2 < m->nlink ? 3 * i + 2 : 1}};
  }
  double* zero = calloc((size_t)m->nv, sizeof *zero);
  const bench_state s = {zero, zero, zero, zero};
  void* e = bench_bullet.create(model);
  bench_bullet.load(e, 0, &s);
  bench_bullet.start(e, 0, BENCH_STIFF, 1e-7, 0);
  free(zero);
  return e;
#else
  (void)b;
  (void)model;
  return NULL;
#endif
}

static void drop_bullet(void* e, bench_model* model) {
#ifdef BENCH_WITH_BULLET
  bench_bullet.release(e);
  free(model->link);
  free(model->loop);
#else
  (void)e;
  (void)model;
#endif
}

// --- timing ---

static double time_one(bench* b, const double* w, int steps) {
  const double start = bench_now();
  for (int i = 0; i < steps; i++) {
    lb_fork_step(b->one, w);
  }
  return 1e6 * (bench_now() - start) / steps;
}

static double time_blend(lb_fork_blend* s, const double* w, int steps) {
  const double start = bench_now();
  for (int i = 0; i < steps; i++) {
    lb_fork_blend_step(s, w);
  }
  return 1e6 * (bench_now() - start) / steps;
}

// Of a tree that is linearised in every step; 0: it has loops.
static double time_again(bench* b, const double* w, int steps) {
  lb_fork_tree* t = NULL;
  if (lb_fork_tree_create(b->fork[0], b->scene.solver.step, NULL, &t, NULL) != LB_OK) {
    return 0;
  }
  const double start = bench_now();
  for (int i = 0; i < steps; i++) {
    lb_fork_tree_step(t, w);
  }
  const double spent = 1e6 * (bench_now() - start) / steps;
  lb_fork_tree_release(t);
  return spent;
}

static double time_links(bench* b, int kind, int steps) {
  const double start = bench_now();
  for (int i = 0; i < steps; i++) {
    if (kind) {
      lb_fork_links(b->one, b->link);
    } else {
      lb_fork_links_by_joints(b->one, b->link);
    }
  }
  return 1e6 * (bench_now() - start) / steps;
}

static double time_whole(bench* b, int steps) {
  const double start = bench_now();
  for (int i = 0; i < steps; i++) {
    lb_stepper_step(b->whole, b->d, b->scene.solver.step, NULL);
  }
  return 1e6 * (bench_now() - start) / steps;
}

static double time_bullet(void* e, int steps) {
  const double start = bench_now();
#ifdef BENCH_WITH_BULLET
  for (int i = 0; i < steps; i++) {
    bench_bullet.step(e);
  }
#else
  (void)e;
#endif
  return 1e6 * (bench_now() - start) / steps;
}

static times run(bench* b, const job* j, int rounds) {
  times t = {0};
  const double woken = bench_now() + 0.2;
  while (bench_now() < woken) { // until the processor runs at its speed
  }
  bench_model model;
  void* bullet = make_bullet(b, &model);
  double w[6] = {0, 0, 0, j->load[1][0], j->load[1][1], j->load[1][2]};
  for (int k = 3; k < 6; k++) {
    w[k] *= 0.6;
  }
  const int few = 20000 / b->m->nlink;
  for (int r = 0; r < rounds; r++) {
    t.one = least(t.one, time_one(b, w, 20000));
    for (int i = 0; i < 3; i++) {
      t.blend[i] = least(t.blend[i], time_blend(b->several[i], w, 20000));
    }
    t.by_exp = least(t.by_exp, time_links(b, 1, few));
    t.by_joints = least(t.by_joints, time_links(b, 0, few));
    t.again = least(t.again, time_again(b, w, few / 20));
    lb_data_reset(b->d);
    t.whole = least(t.whole, time_whole(b, few / 20));
    t.bullet = least(t.bullet, time_bullet(bullet, few / 20));
  }
  drop_bullet(bullet, &model);
  return t;
}

// A step of the helix of 50 links with four effectors, along it: 24 coupled coordinates.
static int report_four(const char* folder, int rounds) {
  enum { FOUR = 4 };
  const job j = {.scene = "helix-50"};
  bench b = {0};
  lb_scene_effector effector[FOUR];
  lb_scene_fork what;
  lb_fork* fork = NULL;
  double w[6 * FOUR] = {0}, spent = 0;
  lb_status status = read(&b, folder, &j, NULL);
  if (status == LB_OK) {
    what = b.scene.fork[0];
    for (int e = 0; e < FOUR; e++) {
      effector[e] = what.effector[0];
      effector[e].body = (e + 1) * b.scene.nbody / FOUR - 1;
      w[6 * e + 5] = 1;
    }
    what.effector = effector;
    what.neffector = FOUR;
    status = lb_fork_create(b.m, &what, 0, NULL, &fork, NULL);
  }
  if (status == LB_OK) {
    status = lb_fork_stepper_create(fork, b.scene.solver.step, NULL, &b.one, NULL);
  }
  for (int r = 0; r < rounds && status == LB_OK; r++) {
    spent = least(spent, time_one(&b, w, 20000));
  }
  if (status == LB_OK) {
    printf("helix 50 with four effectors, %d coordinates: %.3f us a step\n", fork->count, spent);
  }
  drop(&b);
  lb_fork_release(fork);
  return status != LB_OK;
}

int main(int argc, char** argv) {
#define PULLS(x, y, z)                                                                             \
  {                                                                                                \
    {0, 0, 0}, {x, y, z}, {0.5 * y, x, 0.7 * z}, {                                                 \
      -0.6 * x, -0.8 * y, -0.5 * z                                                                 \
    }                                                                                              \
  }
  static const job jobs[] = {{"helix 50", "helix-50", 0, PULLS(5, 0, 30), 240, {20, 0, 0}},
                             {"helix 100", "helix-100", 0, PULLS(5, 0, 20), 470, {32, 0, 0}},
                             {"helix 200", "helix-200", 0, PULLS(3, 0, 10), 1048, {78, 96, 160}},
                             {"helix 400", "helix-400", 0, PULLS(1, 0, 5), 2150, {112, 0, 0}},
                             {"ladder 36", "ladder", 12, PULLS(0, 100, 0), 302, {37, 82, 99}},
                             {"ladder 48", "ladder", 0, PULLS(0, 100, 0), 334, {22, 0, 0}},
                             {"arm 20", "arm-20", 0, PULLS(0, 2, 2), 121, {26, 47, 86}}};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  const int rounds = argc > 2 ? atoi(argv[2]) : 7;
  int failed = 0;
  printf("mechanisms reduced to one effector, one thread; microseconds a step\n");
  printf("%-10s %9s %9s | %7s %7s %7s %7s | %9s %9s %7s %8s | %s\n", "", "whole", "Bullet", "one",
         "blend 1", "2", "4", "joints", "exp", "again", "whole/",
         "document: whole, 1, 2, 4 models");
  printf("%-10s %9s %9s | %7s %7s %7s %7s | %9s %9s %7s %8s |\n", "", "", "", "model", "", "", "",
         "ns a link", "ns a link", "", "one");
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    const job* j = &jobs[i];
    bench b = {0};
    lb_error err = lb_error_make(NULL);
    lb_status status = read(&b, folder, j, &err);
    status = status == LB_OK ? make(&b, j, &err) : status;
    if (status == LB_OK) {
      const times t = run(&b, j, rounds);
      const double n = b.m->nlink;
      printf("%-10s %9.1f %9.1f | %7.3f %7.3f %7.3f %7.3f | %9.1f %9.1f %7.1f %7.0fx | %g, %g",
             j->label, t.whole, t.bullet, t.one, t.blend[0], t.blend[1], t.blend[2],
             1e3 * t.by_joints / n, 1e3 * t.by_exp / n, t.again, t.whole / t.one, j->vortex,
             j->single[0]);
      printf(j->single[1] > 0 ? ", %g, %g\n" : "\n", j->single[1], j->single[2]);
    } else {
      printf("%-10s FAILED: %s\n", j->label, err.count ? err.message[0].text : "");
      failed = 1;
    }
    drop(&b);
    lb_error_clear(&err);
  }
  return report_four(folder, rounds) || failed;
}
