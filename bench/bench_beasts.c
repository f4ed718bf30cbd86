// Jansen's beasts side by side: twelve legs each, 74 bodies, 109 pins, 36 loops. Told are the time
// of a step for all of them, how far one goes in its second turn of the crank, and how far the
// sides of its pins come apart then. Engines take turns, each whole run by itself; one that takes
// too long is stopped.
//
//   limber_bench_beasts SCENES [COPIES [SECONDS]]    8 copies unless told, and processor time of
//   one
//                                                    engine (20)
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beasts.h"
#include "budget.h"
#include "limber/limber.h"
#include "math/linear/dense.h"

static const bench_beast_engine* const ENGINES[] = {
    &bench_limber_beasts,
#ifdef BENCH_WITH_BULLET
    &bench_bullet_beasts,
#endif
#ifdef BENCH_WITH_ODE
    &bench_ode_beasts,     &bench_ode_beasts_direct,
#endif
#ifdef BENCH_WITH_DART
    &bench_dart_beasts,
#endif
#ifdef BENCH_WITH_SIMBODY
    &bench_simbody_beasts,
#endif
};
enum { NENGINE = sizeof ENGINES / sizeof *ENGINES };

static void put(double out[3], lb_vec3 v) {
  memcpy(out, (double[]){v.x, v.y, v.z}, 3 * sizeof *out);
}

static bench_pose pose_of(lb_transform X) {
  return (bench_pose){{X.p.x, X.p.y, X.p.z}, {X.q.w, X.q.x, X.q.y, X.q.z}};
}

static lb_transform transform_of(const bench_pose* b) {
  const double *p = b->position, *q = b->quaternion;
  return (lb_transform){{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
}

static lb_vec3 vector_of(const double v[3]) {
  return lb_vec3_make(v[0], v[1], v[2]);
}

// --- the machine of a scene ---

// Frame at the centre of mass along principal axes, a right-handed one.
static lb_transform principal_frame(const lb_mass* m, double inertia[3]) {
  const lb_sym3 I = m->inertia;
  double A[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz}, V[9];
  lb_eigen_graded(3, A, V, inertia);
  const lb_vec3 x = vector_of(V), y = vector_of(V + 3);
  const lb_mat3 R = {x, y, lb_vec3_cross(x, y)};
  return (lb_transform){lb_quat_from_matrix(R), m->com};
}

static void read_part(lb_world* w, int body, bench_part* part) {
  const lb_mass m = lb_world_model(w)->body.mass[body];
  const lb_body_velocity v = lb_world_velocity(w, body);
  const lb_transform X = lb_world_pose(w, body);
  const lb_transform in_body = principal_frame(&m, part->inertia);
  const lb_vec3 arm = lb_quat_rotate(X.q, m.com);
  part->mass = m.mass;
  part->in_body = pose_of(in_body);
  part->start = pose_of(lb_transform_mul(X, in_body));
  put(part->spin, v.angular);
  put(part->velocity, lb_vec3_add(v.linear, lb_vec3_cross(v.angular, arm)));
}

static void read_pin(const bench_machine* b, const lb_scene_joint* j, bench_pin* pin) {
  const lb_transform frame[2] = {j->in_parent, j->in_child};
  pin->part[0] = j->parent;
  pin->part[1] = j->child;
  pin->loop = j->loop;
  for (int s = 0; s < 2; s++) {
    const lb_transform own = lb_transform_inverse(transform_of(&b->part[pin->part[s]].in_body));
    const lb_transform X = lb_transform_mul(own, frame[s]);
    put(pin->at[s], X.p);
    put(pin->axis[s], lb_quat_rotate(X.q, j->axis));
  }
}

// Pins of the tree from the chassis outwards, then those of loops.
static void read_pins(const lb_scene* s, bench_machine* b, bool* there) {
  int before = -1;
  there[0] = true;
  while (b->npin > before) {
    before = b->npin;
    for (int i = 0; i < s->njoint; i++) {
      const lb_scene_joint* j = &s->joint[i];
      if (j->kind == LB_JOINT_REVOLUTE && !j->loop && there[j->parent] && !there[j->child]) {
        b->motor = s->motor[0].joint == i ? b->npin : b->motor;
        read_pin(b, j, &b->pin[b->npin++]);
        there[j->child] = true;
      }
    }
  }
  for (int i = 0; i < s->njoint; i++) {
    if (s->joint[i].kind == LB_JOINT_REVOLUTE && s->joint[i].loop) {
      read_pin(b, &s->joint[i], &b->pin[b->npin++]);
    }
  }
}

static void read_feet(const lb_scene* s, bench_machine* b) {
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    if (shape->body != LB_WORLD && shape->shape.type == LB_SHAPE_SPHERE) {
      bench_foot* foot = &b->foot[b->nfoot++];
      const bench_pose* in_body = &b->part[shape->body].in_body;
      foot->part = shape->body;
      foot->radius = shape->shape.size.x;
      put(foot->at, lb_transform_point(lb_transform_inverse(transform_of(in_body)), shape->pose.p));
    }
  }
}

// Bodies as a world of one has them at its start: with loops closed, and the crank turning.
static bool read_machine(const char* path, bench_machine* b) {
  lb_scene s;
  lb_error err = lb_error_make(NULL);
  const bool read = lb_scene_read(path, NULL, &s, &err) == LB_OK;
  lb_world* w = read ? lb_world_create(&s, NULL, &err) : NULL;
  if (w) {
    bool* there = calloc((size_t)s.nbody, sizeof *there);
    b->scene = path;
    b->npart = s.nbody;
    b->part = calloc((size_t)s.nbody, sizeof *b->part);
    b->pin = calloc((size_t)s.njoint, sizeof *b->pin);
    b->foot = calloc((size_t)s.nshape, sizeof *b->foot);
    for (int i = 0; i < s.nbody; i++) {
      read_part(w, i, &b->part[i]);
    }
    read_pins(&s, b, there);
    read_feet(&s, b);
    b->speed = s.motor[0].profile.advance / s.motor[0].profile.period;
    b->gravity = -s.gravity.z;
    b->h = s.solver.step;
    free(there);
  } else if (err.count) {
    fprintf(stderr, "%s\n", err.message[0].text);
  }
  lb_world_close(w);
  if (read) {
    lb_scene_release(&s);
  }
  lb_error_clear(&err);
  return w;
}

static void release_machine(bench_machine* b) {
  free(b->part);
  free(b->pin);
  free(b->foot);
}

// --- measures ---

typedef struct result {
  double step;        // time of one [s]
  double until;       // simulated time it got to [s]
  double least, most; // way of a beast in the second turn [m]
  double gap;         // widest of a pin in it [m]
  double upright;     // least cosine of the angle from the vertical
} result;

static lb_transform pose(const bench_beast_engine* e, void* engine, int copy, int part) {
  bench_pose p;
  e->get(engine, copy, part, &p);
  return transform_of(&p);
}

// Up of the chassis, whose principal axes may lie as they want.
static double upright(const bench_machine* b, lb_transform X) {
  const lb_transform in_body = transform_of(&b->part[0].in_body);
  return lb_quat_rotate(lb_transform_mul(X, lb_transform_inverse(in_body)).q, lb_vec3_make(0, 0, 1))
      .z;
}

static void look(const bench_beast_engine* e, void* engine, const bench_machine* b, result* r) {
  for (int c = 0; c < b->copies; c++) {
    for (int i = 0; i < b->npin; i++) {
      const bench_pin* pin = &b->pin[i];
      lb_vec3 at[2];
      for (int s = 0; s < 2; s++) {
        at[s] = lb_transform_point(pose(e, engine, c, pin->part[s]), vector_of(pin->at[s]));
      }
      r->gap = fmax(r->gap, lb_vec3_norm(lb_vec3_sub(at[0], at[1])));
    }
    r->upright = fmin(r->upright, upright(b, pose(e, engine, c, 0)));
  }
}

enum { LOOKS = 50 };

// So many steps, as far as time allows; false: it was stopped.
static bool run(const bench_beast_engine* e, void* engine, int steps, bench_budget* b) {
  const double start = bench_now(), before = b->spent;
  bool can = true;
  for (int k = 0; k < steps && can && bench_budget_left(b); k++) {
    can = e->step(engine);
    b->made += can;
    b->spent = before + bench_now() - start;
  }
  return can && bench_budget_left(b);
}

// A turn of the crank to get going, and one that is measured.
static void walk(const bench_beast_engine* e, void* engine, const bench_machine* b,
                 bench_budget* left, lb_vec3* from, result* r) {
  const int turn = left->steps / 2;
  bool goes = run(e, engine, turn, left);
  for (int c = 0; c < b->copies; c++) {
    from[c] = pose(e, engine, c, 0).p;
  }
  for (int k = 0; k < LOOKS && goes; k++) {
    goes = run(e, engine, turn * (k + 1) / LOOKS - turn * k / LOOKS, left);
    look(e, engine, b, r);
  }
  for (int c = 0; c < b->copies; c++) {
    const lb_vec3 way = lb_vec3_sub(pose(e, engine, c, 0).p, from[c]);
    r->least = fmin(r->least, hypot(way.x, way.y));
    r->most = fmax(r->most, hypot(way.x, way.y));
  }
}

static bool measure(const bench_beast_engine* e, const bench_machine* b, double most, result* r) {
  const int turn = (int)lround(2 * M_PI / fabs(b->speed) / b->h);
  bench_budget left = {.most = most, .steps = 2 * turn};
  lb_vec3* from = calloc((size_t)b->copies, sizeof *from);
  void* engine = from ? e->create(b) : NULL;
  *r = (result){.least = INFINITY, .most = -INFINITY, .upright = 1};
  if (engine) {
    walk(e, engine, b, &left, from, r);
    r->step = left.spent / left.made;
    r->until = left.made * b->h;
    e->release(engine);
  }
  free(from);
  return engine;
}

static void print_result(const result* r, double whole) {
  printf("%9.1f us a step", 1e6 * r->step);
  if (r->until < whole - 1e-9) {
    printf(", stopped after %.3f s of %g", r->until, whole);
  } else {
    printf("; %.1f to %.1f cm a turn, tilt up to %.1f degrees", 100 * r->least, 100 * r->most,
           acos(fmax(-1, r->upright)) * 180 / M_PI);
  }
  printf(r->gap > 0 ? ", pins %.2g mm apart\n" : "\n", 1e3 * r->gap);
}

int main(int argc, char** argv) {
  char path[1000];
  bench_machine b = {.copies = argc > 2 ? atoi(argv[2]) : 8, .apart = 3, .friction = 0.8};
  const double most = argc > 3 ? atof(argv[3]) : 20;
  if (argc < 2) {
    fprintf(stderr, "usage: limber_bench_beasts SCENES [COPIES [SECONDS]]\n");
    return 2;
  }
  bench_settle();
  snprintf(path, sizeof path, "%s/jansen.yaml", argv[1]);
  if (!read_machine(path, &b)) {
    return 1;
  }
  printf("%d beasts of %d bodies, %d pins and %d feet, in steps of %g ms\n", b.copies, b.npart,
         b.npin, b.nfoot, 1e3 * b.h);
  for (int i = 0; i < NENGINE; i++) {
    result r;
    printf("  %-10s ", ENGINES[i]->name);
    if (measure(ENGINES[i], &b, most, &r)) {
      print_result(&r, 4 * M_PI / fabs(b.speed));
    } else {
      printf("cannot\n");
    }
    fflush(stdout);
  }
  for (int i = 0; i < NENGINE; i++) {
    printf("%s: %s\n", ENGINES[i]->name, ENGINES[i]->about);
  }
  release_machine(&b);
  return 0;
}
