// A tree with one of everything on it: springs between points and along a direction, with every
// force curve, cables, a ground, drag, loads, springs and dampers in the joints and, when asked
// for, elastic bodies, motors, and loops that need not be closed.
#pragma once
#include "assembly.h"
#include "dynamics/joint/joint.h"

enum {
  BUSY_SPRINGS = 6,
  BUSY_CABLES = 2,
  BUSY_POINTS = 5,
  BUSY_LOADS = 4,
  BUSY_LOOPS = 7,
  BUSY_MOTORS = 3
};

typedef struct busy {
  assembly a; // its tree, model and data; clouds where bodies are elastic
  lb_scene_force force[BUSY_SPRINGS + BUSY_CABLES + 1]; // springs, cables, a ground
  lb_scene_point end[BUSY_SPRINGS][2];
  lb_scene_point point[BUSY_CABLES + 1][BUSY_POINTS];
  lb_scene_load load[BUSY_LOADS];
  lb_scene_motor motor[BUSY_MOTORS];
  double time[4], angle[4], push[4];
} busy;

typedef struct busy_options {
  bool elastic, loops, motors;
  bool calm; // nothing that lets go, for steps in which wide open loops close at once
  int nbody; // when not elastic
} busy_options;

// Of a joint that slides and turns, its turning.
static inline lb_joint_resistance busy_turn(bool free, bool pulls) {
  return (lb_joint_resistance){.stiffness = 2,
                               .damping = 0.3,
                               .armature = free ? 0 : 0.1,
                               .friction = 0.4,
                               .friction_speed = free ? 20 : 0.5, // open loops throw free bodies
                               .limit_stiffness = free ? 0 : 10,
                               .limit_damping = 1,
                               .limit_transition = 0.5,
                               .limit_pulls = pulls};
}

// Springs that pull in proportion, by a power and by a table, by turns.
static inline lb_force_curve busy_force_curve(const lb_scene_joint* j) {
  static const double stretch[] = {-2, -0.31, 0, 0.43, 2}, force[] = {-9, -1, 0, 2, 5};
  const bool ball = j->kind == LB_JOINT_SPHERICAL || j->kind == LB_JOINT_FREE;
  const int from = ball ? 2 : 0; // whose tables begin at rest
  const lb_force_curve force_curve[] = {
      {0},
      {.exponent = 2.5},
      {.count = 5 - from, .stretch = stretch + from, .force = force + from}};
  return force_curve[(int)(10 * j->resistance.stiffness) % 3];
}

// Springs, dampers, friction and limits in a joint.
static inline void busy_resistance(lb_scene_joint* j, lb_random* r, bool calm) {
  const bool ball = j->kind == LB_JOINT_SPHERICAL, free = j->kind == LB_JOINT_FREE;
  if (j->kind == LB_JOINT_FIXED) {
    return;
  }
  j->resistance.stiffness = free ? 3 : lb_random_between(r, 1, 10);
  j->resistance.force_curve = busy_force_curve(j);
  j->resistance.damping = free ? 0.4 : lb_random_between(r, 0.1, 1);
  j->resistance.friction = free ? 0.3 : lb_random_between(r, 0.1, 1);
  j->resistance.friction_speed = 0.5;
  j->resistance.limit_stiffness = free || (ball && calm) ? 0 : 20;
  j->resistance.limit_damping = 2;
  j->resistance.limit_transition = 0.5; // few are beyond it
  j->resistance.limit_pulls = j->resistance.stiffness > 5;
  j->turn = busy_turn(free, !j->resistance.limit_pulls);
  j->turn.force_curve.exponent = 1.5 * (j->resistance.force_curve.count > 0 || free);
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    j->rest[k] = 0.1;
    j->lower[k] = ball && k == 0 ? -(double)INFINITY : -0.5; // a swing is never negative
    j->upper[k] = 0.6;
  }
  j->rest_turn = lb_quat_exp((lb_vec3){0.2, -0.1, 0.3});
}

// Points of rigid bodies, now and then of the world.
static inline void busy_points(busy* b, lb_random* r, lb_scene_point* point, bool world) {
  const lb_scene* s = &b->a.tree.scene;
  for (int i = 0; i < BUSY_POINTS; i++) {
    int body = (int)(lb_random_unit(r) * s->nbody);
    while (s->body[body].elastic || s->body[body].reduced) {
      body = (body + 1) % s->nbody;
    }
    point[i] =
        (lb_scene_point){.body = world && i == 2 ? LB_WORLD : body, .at = random_vec3(r, 0.5)};
  }
}

// A cable that gives as it likes and one that can go slack but is taut; a ground that all points
// are deep in; drag on every third body.
static inline void busy_contacts(busy* b, lb_random* r) {
  lb_scene* s = &b->a.tree.scene;
  lb_scene_force* cable = b->force + BUSY_SPRINGS;
  for (int i = 0; i < BUSY_CABLES; i++) {
    busy_points(b, r, b->point[i], true);
    cable[i] = (lb_scene_force){.name = "cable",
                                .kind = LB_FORCE_CABLE,
                                .npoint = BUSY_POINTS,
                                .point = b->point[i],
                                .stiffness = 15,
                                .damping = 0.4,
                                .length = 0.3,
                                .force_curve = {.slack = i == 1, .exponent = i == 1 ? 1.5 : 0}};
  }
  busy_points(b, r, b->point[BUSY_CABLES], false);
  b->point[BUSY_CABLES][0].radius = 0.4;
  cable[BUSY_CABLES] = (lb_scene_force){.name = "ground",
                                        .kind = LB_FORCE_GROUND,
                                        .npoint = BUSY_POINTS,
                                        .point = b->point[BUSY_CABLES],
                                        .at = {0, 0, 6},
                                        .along = {0.6, 0, 0.8},
                                        .stiffness = 2,
                                        .force_curve = {.exponent = 1.5, .slack = true},
                                        .dissipation = 0.02,
                                        .friction = 0.7,
                                        .slip = 0.5};
  for (int i = 0; i < s->nbody; i += 3) {
    const bool rigid = !s->body[i].elastic && !s->body[i].reduced;
    s->body[i].drag = rigid ? 0.7 : 0;
    s->body[i].turn_drag = rigid ? 0.2 : 0;
    s->body[i].air_drag = rigid ? 0.3 : 0;
  }
  s->nforce = BUSY_SPRINGS + BUSY_CABLES + 1;
}

static inline void busy_forces(busy* b, lb_random* r, bool calm) {
  lb_scene* s = &b->a.tree.scene;
  lb_random other = {r->state + 5}; // leaves what follows as it is
  for (int i = 0; i < BUSY_SPRINGS; i++) {
    lb_random* from = i < 4 ? r : &other;
    for (int k = 0; k < 2; k++) {
      b->end[i][k].body = i + k == 0 ? LB_WORLD : (int)(lb_random_unit(from) * s->nbody);
    }
    for (int k = 0; k < 2; k++) {
      b->end[i][k].at = random_vec3(from, 0.5);
    }
    b->force[i] = (lb_scene_force){.name = "spring",
                                   .npoint = 2,
                                   .point = b->end[i],
                                   .stiffness = 20,
                                   .damping = 3,
                                   .length = 0.3};
  }
  s->force = b->force;
  s->nforce = BUSY_SPRINGS;
  static const double stretch[] = {-50, 0, 0.001, 60}, force[] = {-9, 0, 0.5, 70};
  b->force[2].force_curve = (lb_force_curve){.exponent = 2.5};
  b->force[3].force_curve = (lb_force_curve){.count = 4, .stretch = stretch, .force = force};
  b->force[4].along = b->force[5].along = (lb_vec3){0.48, 0.6, 0.64};
  b->end[4][0].body = LB_WORLD;
  if (!calm) {
    busy_contacts(b, &other);
  }
  for (int i = 0; i < BUSY_LOADS; i++) {
    b->load[i] = (lb_scene_load){.name = "load",
                                 .body = (int)(lb_random_unit(r) * s->nbody),
                                 .point = random_vec3(r, 0.5),
                                 .force = random_vec3(r, 5),
                                 .torque = random_vec3(r, 2),
                                 .follows = i % 2};
  }
  for (int i = 0; i < s->njoint; i++) {
    busy_resistance(&b->a.tree.joint[i], r, calm);
    for (int k = 0; k < b->a.tree.joint[i].npart; k++) {
      busy_resistance(&b->a.tree.part[i][k], r, calm);
    }
  }
  s->load = b->load;
  s->nload = BUSY_LOADS;
}

// Between any two bodies, of every kind that can close a loop.
static inline void busy_loops(busy* b, lb_random* r) {
  static const lb_joint_kind KIND[BUSY_LOOPS] = {
      LB_JOINT_FIXED,    LB_JOINT_REVOLUTE,  LB_JOINT_PRISMATIC, LB_JOINT_SPHERICAL,
      LB_JOINT_REVOLUTE, LB_JOINT_PRISMATIC, LB_JOINT_UNIVERSAL};
  random_tree* t = &b->a.tree;
  const int nbody = t->scene.nbody;
  for (int i = 0; i < BUSY_LOOPS; i++) {
    lb_scene_joint* j = &t->joint[t->scene.njoint++];
    *j = lb_scene_joint_default();
    j->name = "loop";
    j->kind = KIND[i];
    j->loop = true;
    j->child = (int)(lb_random_unit(r) * nbody);
    j->parent = (j->child + 1 + (int)(lb_random_unit(r) * (nbody - 1))) % nbody;
    j->parent = i == 0 ? LB_WORLD : j->parent;
    j->in_parent = random_transform(r, 0.5);
    j->in_child = random_transform(r, 0.5);
    j->axis = (lb_vec3){0, 0.6, 0.8};
    j->axis2 = (lb_vec3){0, 0.8, -0.6};
    j->resistance.stiffness = KIND[i] == LB_JOINT_FIXED ? 0 : 5;
    j->resistance.damping = KIND[i] == LB_JOINT_FIXED ? 0 : 0.5;
    j->rest[0] = KIND[i] == LB_JOINT_REVOLUTE || KIND[i] == LB_JOINT_PRISMATIC ? 0.2 : 0;
  }
}

// One that prescribes the first hinge of the tree, and one of each kind on loops.
static inline void busy_motors(busy* b) {
  lb_scene* s = &b->a.tree.scene;
  for (int k = 0; k < 4; k++) {
    b->time[k] = 0.2 * k;
    b->angle[k] = 0.3 * (k % 2);
    b->push[k] = 0.7 + k;
  }
  const lb_profile_definition moves = {
      .kind = LB_PROFILE_SMOOTH, .degree = 3, .count = 4, .time = b->time, .value = b->angle};
  const lb_profile_definition pushes = {
      .kind = LB_PROFILE_LINEAR, .degree = 3, .count = 4, .time = b->time, .value = b->push};
  for (int i = 0; i < s->njoint && s->nmotor < BUSY_MOTORS; i++) {
    const lb_scene_joint* j = &s->joint[i];
    const bool hinge = j->kind == LB_JOINT_REVOLUTE;
    if ((hinge && !j->loop && s->nmotor == 0) || (hinge && j->loop && s->nmotor == 1)) {
      b->motor[s->nmotor++] = (lb_scene_motor){
          .name = "moves", .joint = i, .drive = LB_DRIVE_POSITION, .profile = moves};
    } else if (j->kind == LB_JOINT_PRISMATIC && j->loop && s->nmotor == 2) {
      b->motor[s->nmotor++] = (lb_scene_motor){
          .name = "pushes", .joint = i, .drive = LB_DRIVE_FORCE, .profile = pushes};
    }
  }
  s->motor = b->motor;
}

static inline void make_busy(busy* b, uint64_t seed, busy_options options) {
  lb_random r = {seed};
  assembly* a = &b->a;
  lb_error err = lb_error_make(NULL);
  for (int i = 0; i < 2; i++) {
    lb_arena_init(&a->arm[i].arena, NULL);
  }
  if (options.elastic) {
    fill_assembly(a, &r, 10, (lb_vec3){1, 2, -9.81});
    a->arm[0].body.alpha = 0.3;
    a->arm[0].body.beta = a->arm[1].body.beta = 0.02;
  } else {
    random_tree_make(&a->tree, &r, options.nbody, NULL, 0);
  }
  busy_forces(b, &r, options.calm);
  if (options.loops) {
    busy_loops(b, &r);
  }
  if (options.motors) {
    busy_motors(b);
  }
  if (lb_model_create(&a->tree.scene, NULL, &a->m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  assert_int_equal(lb_data_create(a->m, NULL, &a->d, NULL), LB_OK);
}
