// Several models of one mechanism under test.
#pragma once
#include "fork_world.h"

enum { MOST = 4 };

// Models under these forces on the first effector.
typedef struct models {
  fork_world w;
  lb_scene_effector_load load[MOST];
  lb_scene_fork_model model[MOST];
  lb_scene_fork what;
  lb_fork* fork[MOST];
  int count;
  int blend; // lb_fork_blend_kind
  lb_fork_blend* b;
} models;

static inline void make(models* m, int count, const lb_vec3* force, double h) {
  m->count = count;
  m->what = m->w.scene.fork[0];
  m->what.blend = m->blend;
  m->what.nmodel = count;
  m->what.model = m->model;
  for (int i = 0; i < count; i++) {
    m->load[i] = (lb_scene_effector_load){.force = force[i]};
    m->model[i] = (lb_scene_fork_model){.nload = 1, .load = &m->load[i]};
  }
  for (int i = 0; i < count; i++) {
    assert_int_equal(lb_fork_create(m->w.m, &m->what, i, NULL, &m->fork[i], NULL), LB_OK);
  }
  assert_int_equal(lb_fork_blend_create(m->fork, count, h, NULL, &m->b, NULL), LB_OK);
}

static inline void drop(models* m) {
  lb_fork_blend_release(m->b);
  for (int i = 0; i < m->count; i++) {
    lb_fork_release(m->fork[i]);
  }
  fork_drop(&m->w);
}
