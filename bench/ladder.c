// The ladder: 48 links, 16 loops, stiff hinges. Told are the time of a step, by how much the
// settled tip is off the reference of -0.002297 m, and the widest gap. It is let go straight; steps
// are timed while it swings (the first two seconds) and looked at when it has settled.
#define _GNU_SOURCE
#include "ladder.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "limber/limber.h"

static const double REFERENCE = -0.002297; // Simbody, tight tolerance

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { LINKS = 3 * LADDER_RUNGS, LOOPS = LADDER_RUNGS };

typedef struct ladder {
  lb_scene scene;
  lb_scene_body body[LINKS];
  lb_scene_joint joint[LINKS + LOOPS];
  char name[LINKS + LOOPS][8];
} ladder;

static lb_sym3 box_inertia(double mass, double x, double y, double z) {
  return (lb_sym3){mass / 12 * (y * y + z * z),
                   mass / 12 * (x * x + z * z),
                   mass / 12 * (x * x + y * y),
                   0,
                   0,
                   0};
}

static void add_link(ladder* l, int i, int parent, lb_vec3 at, lb_mass mass) {
  snprintf(l->name[i], sizeof l->name[i], "%d", i);
  l->body[i] = lb_scene_body_default();
  l->body[i].name = l->name[i];
  l->body[i].has_mass = l->body[i].has_com = l->body[i].has_inertia = true;
  l->body[i].mass = mass;
  l->joint[i] = lb_scene_joint_default();
  l->joint[i].name = l->name[i];
  l->joint[i].kind = LB_JOINT_REVOLUTE;
  l->joint[i].axis = (lb_vec3){0, 0, 1};
  l->joint[i].parent = parent;
  l->joint[i].child = i;
  l->joint[i].in_parent.p = at;
  l->joint[i].stiffness = LADDER_STIFFNESS;
  l->joint[i].damping = LADDER_DAMPING;
}

static void tie(ladder* l, int i) {
  lb_scene_joint* j = &l->joint[LINKS + i];
  snprintf(l->name[LINKS + i], sizeof l->name[LINKS + i], "t%d", i);
  *j = lb_scene_joint_default();
  j->name = l->name[LINKS + i];
  j->kind = LB_JOINT_SPHERICAL;
  j->q[0] = 1;
  j->loop = true;
  j->parent = 2 * LADDER_RUNGS + i;
  j->child = LADDER_RUNGS + i;
  j->in_parent.p.y = LADDER_APART;
  j->in_child.p.x = LADDER_LINK;
}

static void make(ladder* l) {
  const int n = LADDER_RUNGS;
  const lb_mass link = {LADDER_LINK_MASS,
                        {LADDER_LINK / 2, 0, 0},
                        box_inertia(LADDER_LINK_MASS, LADDER_LINK, 0.02, 0.02)};
  const lb_mass rung = {LADDER_RUNG_MASS,
                        {0, LADDER_APART / 2, 0},
                        box_inertia(LADDER_RUNG_MASS, 0.02, LADDER_APART, 0.02)};
  const lb_vec3 end = {LADDER_LINK, 0, 0};
  for (int i = 0; i < n; i++) {
    const lb_vec3 low = {0, 0, 0}, high = {0, LADDER_APART, 0};
    add_link(l, i, i ? i - 1 : LB_WORLD, i ? end : low, link);
    add_link(l, n + i, i ? n + i - 1 : LB_WORLD, i ? end : high, link);
    add_link(l, 2 * n + i, i, end, rung);
    tie(l, i);
  }
  l->scene = lb_scene_default();
  l->scene.name = "ladder";
  l->scene.gravity = (lb_vec3){0, -LADDER_GRAVITY, 0};
  l->scene.nbody = LINKS;
  l->scene.body = l->body;
  l->scene.njoint = LINKS + LOOPS;
  l->scene.joint = l->joint;
}

static bool run(lb_stepper* st, lb_data* d, int steps, double h) {
  for (int i = 0; i < steps; i++) {
    if (lb_stepper_step(st, d, h, NULL) != LB_OK) {
      return false;
    }
  }
  return true;
}

static ladder_result limber(lb_integrator integrator, double h) {
  static ladder l;
  const lb_scene_solver solver = {.integrator = integrator, .step = h};
  ladder_result r = {NAN, NAN, NAN};
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  make(&l);
  if (lb_scene_check(&l.scene, NULL) == LB_OK &&
      lb_model_create(&l.scene, NULL, &m, NULL) == LB_OK &&
      lb_data_create(m, NULL, &d, NULL) == LB_OK &&
      lb_stepper_create(m, &solver, NULL, &st, NULL) == LB_OK) {
    const int swing = (int)lround(2 / h), settle = (int)lround(18 / h);
    const double before = now();
    const bool swings = run(st, d, swing, h);
    r.us = 1e6 * (now() - before) / swing;
    if (swings && run(st, d, settle, h)) {
      lb_poses(m, d);
      r.tip = lb_transform_point(d->pose[LADDER_RUNGS - 1], (lb_vec3){LADDER_LINK / 2, 0, 0}).y;
      r.gap = lb_loop_gap(m, d, NULL);
    }
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return r;
}

static void tell(const char* name, double h, ladder_result r) {
  printf("%-16s %8.3g ms %9.1f us", name, 1e3 * h, r.us);
  if (isfinite(r.tip)) {
    printf("   tip %9.6f m, off by %.2f %%   gap %.1e m\n", r.tip, 100 * (r.tip / REFERENCE - 1),
           r.gap);
  } else {
    printf("   flies apart\n");
  }
}

int main(void) {
  printf("ladder, 48 links, 16 loops, 1000 N m/rad: time of a step, settled tip\n");
  tell("limber bdf2", 1e-3, limber(LB_INTEGRATOR_BDF2, 1e-3));
#ifdef BENCH_WITH_BULLET
  tell("bullet", 1e-3, ladder_bullet(1e-3, 0.2));
  tell("bullet", 6e-5, ladder_bullet(6e-5, 2));
#endif
  return 0;
}
