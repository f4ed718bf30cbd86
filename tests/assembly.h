// A tree of rigid and elastic parts: free base, elastic arm, rigid parts on both faces (one on a
// hinge), a second elastic arm further on; springs between faces of both arms, and to the frame
// that one is held by.
#pragma once
#include "cloud.h"

typedef struct assembly {
  cloud arm[2];
  random_tree tree;
  lb_scene_force spring[2];
  lb_scene_point end[2][2];
  lb_model* m;
  lb_data* d;
} assembly;

static inline void fill_assembly(assembly* a, lb_random* r, double stiffness, lb_vec3 gravity) {
  random_tree* t = &a->tree;
  t->scene = lb_scene_default();
  t->scene.name = t->scene.about = t->scene.file = "";
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  t->scene.gravity = gravity;
  make_cloud(&a->arm[0], r, stiffness);
  make_cloud(&a->arm[1], r, stiffness);
  cloud_part(t, r, LB_JOINT_FREE, LB_WORLD, 0, NULL);
  cloud_part(t, r, LB_JOINT_FIXED, 0, 0, &a->arm[0].body);
  cloud_part(t, r, LB_JOINT_FIXED, 1, 0, NULL);
  cloud_part(t, r, LB_JOINT_REVOLUTE, 1, 1, NULL);
  cloud_part(t, r, LB_JOINT_REVOLUTE, 3, 0, &a->arm[1].body);
  cloud_part(t, r, LB_JOINT_SPHERICAL, 4, 0, NULL);
  cloud_part(t, r, LB_JOINT_UNIVERSAL, 2, 0, NULL);
  for (int i = 0; i < 2; i++) {
    a->end[i][0] = (lb_scene_point){.body = 1, .face = 1, .at = random_vec3(r, 0.3)};
    a->end[i][1] = (lb_scene_point){.body = 4, .face = i ? -1 : 0, .at = random_vec3(r, 0.3)};
    a->spring[i] = (lb_scene_force){.name = i ? "second" : "first",
                                    .npoint = 2,
                                    .point = a->end[i],
                                    .stiffness = 20,
                                    .length = 0.2};
  }
  t->scene.force = a->spring;
  t->scene.nforce = 2;
}

static inline void make_assembly(assembly* a, uint64_t seed, double stiffness, lb_vec3 gravity) {
  lb_random r = {seed};
  const random_tree* t = &a->tree;
  fill_assembly(a, &r, stiffness, gravity);
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&t->scene, NULL, &a->m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  assert_int_equal(lb_data_create(a->m, NULL, &a->d, NULL), LB_OK);
}

static inline void release_assembly(assembly* a) {
  lb_data_release(a->d);
  lb_model_release(a->m);
  lb_arena_release(&a->arm[0].arena);
  lb_arena_release(&a->arm[1].arena);
}

static inline void random_motion(assembly* a, uint64_t seed, double* q, double* qd) {
  lb_random r = {seed};
  random_state(a->m, &r, q, qd);
  for (int i = 0; i < a->m->nlink; i++) {
    for (int k = 0; k < a->m->link.nv[i] && a->m->link.kind[i] == LB_LINK_ELASTIC; k++) {
      q[a->m->link.q[i] + k] *= 0.2;
    }
  }
}
