// Random trees of random joints, for tests that compare algorithms.
#pragma once
#include "limber/limber.h"
#include "test.h"

enum { TREE_MOST = 60, TREE_FRAMES = 6, TREE_ROWS = 5, TREE_COLUMNS = 4, TREE_PARTS = 3 };

typedef struct random_tree {
  lb_scene scene;
  lb_scene_body body[TREE_MOST];
  lb_scene_joint joint[TREE_MOST];
  char name[TREE_MOST][16];
  lb_transform frame[TREE_MOST][TREE_FRAMES];
  double control[TREE_MOST][6][TREE_ROWS * TREE_COLUMNS];
  lb_scene_joint part[TREE_MOST][TREE_PARTS];
} random_tree;

static inline lb_vec3 random_vec3(lb_random* r, double size) {
  const double x = lb_random_between(r, -size, size);
  const double y = lb_random_between(r, -size, size);
  return lb_vec3_make(x, y, lb_random_between(r, -size, size));
}

static inline lb_quat random_quat(lb_random* r) {
  const double w = lb_random_between(r, -1, 1);
  const lb_vec3 v = random_vec3(r, 1);
  return lb_quat_normalise((lb_quat){w, v.x, v.y, v.z + 0.01});
}

static inline lb_transform random_transform(lb_random* r, double size) {
  const lb_quat q = random_quat(r);
  return (lb_transform){q, random_vec3(r, size)};
}

// A solid box of random size somewhere in the body: always a physical inertia.
static inline lb_mass random_mass(lb_random* r) {
  const double m = lb_random_between(r, 0.2, 3);
  const double a = lb_random_between(r, 0.1, 0.5);
  const double b = lb_random_between(r, 0.1, 0.5);
  const double c = lb_random_between(r, 0.1, 0.5);
  const lb_mass box = {
      m,
      {0, 0, 0},
      {m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12, 0, 0, 0}};
  return lb_mass_transform(random_transform(r, 0.3), box);
}

// Some unit vector at right angles to one.
static inline lb_vec3 random_across(lb_random* r, lb_vec3 axis) {
  const lb_vec3 v = lb_vec3_cross(axis, random_vec3(r, 1));
  return lb_vec3_scale(1 / lb_vec3_norm(v), v);
}

static inline lb_quat random_small_turn(lb_random* r) {
  return lb_quat_exp(random_vec3(r, 0.5));
}

// Frames along a bent way, and a bumpy sheet of them.
static inline void random_splines(random_tree* t, lb_random* r, int i) {
  lb_scene_joint* j = &t->joint[i];
  for (int k = 0; k < TREE_FRAMES; k++) {
    t->frame[i][k] = (lb_transform){random_small_turn(r), random_vec3(r, 0.2)};
    t->frame[i][k].p.x += 0.7 * k;
  }
  for (int c = 0; c < 6; c++) {
    for (int k = 0; k < TREE_ROWS * TREE_COLUMNS; k++) {
      const double along = c == 0 ? k % TREE_COLUMNS : c == 1 ? k / TREE_COLUMNS : 0;
      t->control[i][c][k] = along + lb_random_between(r, -0.3, 0.3);
    }
    j->spline.control[c] = t->control[i][c];
  }
  j->spline.nframe = TREE_FRAMES;
  j->spline.frame = t->frame[i];
  j->spline.cyclic = lb_random_unit(r) < 0.5;
  j->spline.rows = TREE_ROWS;
  j->spline.columns = TREE_COLUMNS;
}

static inline void random_axes(lb_random* r, lb_scene_joint* j) {
  const lb_vec3 axis = random_vec3(r, 1);
  j->axis = lb_vec3_scale(1 / lb_vec3_norm(axis), axis);
  j->axis2 = random_across(r, j->axis);
}

// Two shifts and between them another joint, each a little away from the one before.
static inline void random_parts(random_tree* t, lb_random* r, int i) {
  static const lb_joint_kind MIDDLE[] = {LB_JOINT_UNIVERSAL,   LB_JOINT_REVOLUTE, LB_JOINT_EULER,
                                         LB_JOINT_EXPONENTIAL, LB_JOINT_HELICAL,  LB_JOINT_CURVE,
                                         LB_JOINT_FIXED};
  enum { NMIDDLE = sizeof MIDDLE / sizeof *MIDDLE };
  for (int k = 0; k < TREE_PARTS; k++) {
    lb_scene_joint* part = &t->part[i][k];
    *part = lb_scene_joint_default();
    part->kind = k == 0   ? LB_JOINT_PRISMATIC
                 : k == 1 ? MIDDLE[(int)(lb_random_unit(r) * NMIDDLE)]
                          : LB_JOINT_PRISMATIC;
    part->in_parent = (lb_transform){random_small_turn(r), random_vec3(r, 0.3)};
    part->pitch = 0.5;
    part->spline.nframe = TREE_FRAMES;
    part->spline.frame = t->frame[i];
    random_axes(r, part);
  }
  t->joint[i].npart = TREE_PARTS;
  t->joint[i].part = t->part[i];
}

// `kinds` restricts the joints to a list; NULL: all that move, and fixed ones now and then.
static inline void random_tree_make(random_tree* t, lb_random* r, int nbody,
                                    const lb_joint_kind* kinds, int nkind) {
  t->scene = lb_scene_default();
  t->scene.name = "random tree";
  t->scene.about = "";
  t->scene.file = "random";
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  t->scene.nbody = t->scene.njoint = nbody;
  for (int i = 0; i < nbody; i++) {
    snprintf(t->name[i], sizeof t->name[i], "b%d", i);
    t->body[i] = lb_scene_body_default();
    t->body[i].name = t->name[i];
    t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = true;
    t->body[i].mass = random_mass(r);
    lb_scene_joint* j = &t->joint[i];
    *j = lb_scene_joint_default();
    j->name = t->name[i];
    j->child = i;
    j->parent = (int)(lb_random_unit(r) * (i + 1)) - 1;
    j->kind = kinds ? kinds[(int)(lb_random_unit(r) * nkind)]
                    : (lb_joint_kind)(lb_random_unit(r) * LB_JOINT_COUNT);
    if (i == 0 && !kinds) {
      j->kind = LB_JOINT_FREE; // at least one that moves
    }
    j->in_parent = random_transform(r, 0.5);
    j->in_child = random_transform(r, 0.5);
    random_axes(r, j);
    j->pitch = lb_random_between(r, -1, 1);
    j->radii = lb_vec3_make(0.3, 0.2, 0.5);
    j->order = (lb_turn_order)(1 + lb_random_unit(r) * (LB_TURN_COUNT - 1));
    if (j->kind == LB_JOINT_FREE_3D && lb_random_unit(r) < 0.5) {
      j->order = LB_TURN_EXPONENTIAL;
    }
    j->rotation_first = lb_random_unit(r) < 0.5;
    random_splines(t, r, i);
    if (j->kind == LB_JOINT_COMPOSITE) {
      random_parts(t, r, i);
    }
    for (int k = 0; k < LB_JOINT_MOST_V && j->kind > LB_JOINT_FREE; k++) {
      j->q[k] = 0.7; // Euler angles may be singular at zero
    }
    j->resistance.armature = j->kind == LB_JOINT_FREE ? 0 : lb_random_between(r, -0.1, 0.1);
    j->resistance.armature = fmax(0, j->resistance.armature);
  }
}

// A state far from rest, and from where Euler angles are singular: their middle one is neither
// small nor near a right angle.
static inline void random_state(const lb_model* m, lb_random* r, double* q, double* qd) {
  for (int i = 0; i < m->nq; i++) {
    q[i] = lb_random_between(r, -1.5, 1.5);
  }
  for (int i = 0; i < m->nlink; i++) {
    const bool ball = m->link.kind[i] == LB_JOINT_SPHERICAL;
    if (ball || m->link.kind[i] == LB_JOINT_FREE) {
      const lb_quat u = random_quat(r);
      memcpy(q + m->link.q[i] + (ball ? 0 : 3), (double[]){u.w, u.x, u.y, u.z}, 4 * sizeof *q);
    }
    for (int k = 1; m->link.chart[i] && k < m->link.nv[i]; k++) {
      q[m->link.q[i] + k] = lb_random_between(r, 0.4, 1.1);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    qd[i] = lb_random_between(r, -2, 2);
  }
}
