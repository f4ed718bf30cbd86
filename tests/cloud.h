// A made-up elastic body: a cloud of masses on a bar along x, held at x = 0, with a random basis.
// Good for identities that do not depend on where basis and stiffness come from.
#pragma once
#include "elastic/reduced/reduced.h"
#include "random_tree.h"

enum { NODES = 24, R = 4, FACES = 2, FACE_NODES = 6 };

typedef struct cloud {
  double X[3 * NODES], Phi[R][3 * NODES], mass[NODES];
  int node[FACES][FACE_NODES];
  double weight[FACES][FACE_NODES];
  double K[R * R];
  lb_reduced body;
  lb_arena arena;
} cloud;

static inline void cloud_apply_mass(const void* context, double* y, const double* x) {
  const cloud* c = context;
  for (int i = 0; i < 3 * NODES; i++) {
    y[i] = c->mass[i / 3] * x[i];
  }
}

// V = 1/2 eta'K eta + 1/4 sum eta^4
static inline void cloud_force(const void* context, double* f, double* Kv, const double* eta,
                               const double* v, double* scratch) {
  (void)scratch;
  const cloud* c = context;
  for (int k = 0; k < R; k++) {
    f[k] = eta[k] * eta[k] * eta[k];
    double t = 3 * eta[k] * eta[k] * v[k];
    for (int l = 0; l < R; l++) {
      f[k] += c->K[k * R + l] * eta[l];
      t += c->K[k * R + l] * v[l];
    }
    if (Kv) {
      Kv[k] = t;
    }
  }
}

static inline void cloud_blend(const void* context, double* A, lb_blend of, const double* eta,
                               const double* v, double* scratch) {
  (void)scratch;
  const cloud* c = context;
  for (int k = 0; k < R * R; k++) {
    A[k] = (of.K + of.D) * c->K[k];
  }
  for (int k = 0; k < R; k++) {
    A[k * (R + 1)] += (of.K + of.D) * 3 * eta[k] * eta[k];
    A[k * (R + 1)] += v ? (of.N + of.T) * 6 * eta[k] * v[k] : 0;
  }
}

static inline void cloud_blend_product(const void* context, double* y, lb_blend of,
                                       const double* eta, const double* v, const double* x,
                                       double* scratch) {
  double A[R * R];
  cloud_blend(context, A, of, eta, v, scratch);
  for (int k = 0; k < R; k++) {
    y[k] = 0;
    for (int l = 0; l < R; l++) {
      y[k] += A[k * R + l] * x[l];
    }
  }
}

static inline double cloud_energy(const void* context, const double* eta, double* scratch) {
  (void)scratch;
  const cloud* c = context;
  double sum = 0;
  for (int k = 0; k < R; k++) {
    sum += 0.25 * eta[k] * eta[k] * eta[k] * eta[k];
    for (int l = 0; l < R; l++) {
      sum += 0.5 * eta[k] * c->K[k * R + l] * eta[l];
    }
  }
  return sum;
}

static inline void make_cloud(cloud* c, lb_random* r, double stiffness) {
  for (int i = 0; i < NODES; i++) {
    c->mass[i] = lb_random_between(r, 0.01, 0.05);
    c->X[3 * i] = i * 1.0 / (NODES - 1);
    c->X[3 * i + 1] = lb_random_between(r, -0.1, 0.1);
    c->X[3 * i + 2] = lb_random_between(r, -0.1, 0.1);
  }
  for (int k = 0; k < R; k++) {
    for (int i = 0; i < 3 * NODES; i++) {
      // small at the held end, as a clamped body's modes are
      const double x = c->X[i / 3 * 3];
      c->Phi[k][i] = x * x * lb_random_between(r, -0.5, 0.5);
    }
    for (int l = 0; l <= k; l++) {
      c->K[k * R + l] = c->K[l * R + k] = stiffness * (k == l ? k + 2 : 0.3);
    }
  }
  for (int f = 0; f < FACES; f++) {
    for (int i = 0; i < FACE_NODES; i++) {
      c->node[f][i] = f == 0 ? NODES - 1 - i : NODES / 2 + i;
      c->weight[f][i] = lb_random_between(r, 0.5, 1);
    }
  }
  const lb_basis_face face[FACES] = {{FACE_NODES, c->node[0], c->weight[0], false},
                                     {FACE_NODES, c->node[1], c->weight[1], false}};
  const lb_reduced_input in = {NODES, R, c->X, c->Phi[0], cloud_apply_mass, c, FACES, face, NULL};
  lb_arena_init(&c->arena, NULL);
  assert_int_equal(lb_reduced_create(&c->body, &in, &c->arena), LB_OK);
  c->body.internal = (lb_reduced_force){.force = cloud_force,
                                        .energy = cloud_energy,
                                        .context = c,
                                        .blend = cloud_blend,
                                        .blend_product = cloud_blend_product};
}

// One more part of a tree: a rigid one, or an elastic one given as `reduced`, on a joint that
// starts at zero.
static inline lb_scene_joint* cloud_part(random_tree* t, lb_random* r, lb_joint_kind kind,
                                         int parent, int face, const lb_reduced* reduced) {
  const int i = t->scene.nbody++;
  t->scene.njoint++;
  snprintf(t->name[i], sizeof t->name[i], "b%d", i);
  t->body[i] = lb_scene_body_default();
  t->body[i].name = t->name[i];
  t->body[i].reduced = reduced;
  t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = !reduced;
  t->body[i].mass = random_mass(r);
  lb_scene_joint* j = &t->joint[i];
  *j = lb_scene_joint_default();
  j->name = t->name[i];
  j->kind = kind;
  j->parent = parent;
  j->child = i;
  j->hold.face[0] = face;
  j->in_parent = random_transform(r, 0.3);
  j->in_child = random_transform(r, 0.3);
  j->axis = (lb_vec3){0, 0.6, 0.8};
  j->axis2 = (lb_vec3){0, 0.8, -0.6};
  j->q[0] = kind == LB_JOINT_SPHERICAL;
  j->q[3] = kind == LB_JOINT_FREE;
  return j;
}
