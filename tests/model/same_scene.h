// Scenes that are the same but for the digits that their files have.
#pragma once
#include "limber/scene.h"
#include "test.h"

static inline double angle_between(lb_quat a, lb_quat b) {
  const lb_quat x = lb_quat_mul(lb_quat_conjugate(a), b);
  return 2 * atan2(lb_vec3_norm(lb_vec3_make(x.x, x.y, x.z)), fabs(x.w));
}

static inline void assert_poses_near(lb_transform a, lb_transform b, double tolerance) {
  assert_near(angle_between(a.q, b.q), 0, tolerance);
  assert_near(lb_vec3_norm(lb_vec3_sub(a.p, b.p)), 0, tolerance);
}

static inline void assert_same_scene(const lb_scene* a, const lb_scene* b, double tolerance) {
  assert_int_equal(a->nbody, b->nbody);
  assert_int_equal(a->njoint, b->njoint);
  assert_int_equal(a->nmarker, b->nmarker);
  assert_int_equal(a->nconstraint, b->nconstraint);
  for (int i = 0; i < a->nbody; i++) {
    const lb_mass x = a->body[i].mass, y = b->body[i].mass;
    assert_string_equal(a->body[i].name, b->body[i].name);
    assert_near(x.mass, y.mass, tolerance);
    assert_near(lb_vec3_norm(lb_vec3_sub(x.com, y.com)), 0, tolerance);
    assert_near(x.inertia.xx, y.inertia.xx, tolerance);
    assert_near(x.inertia.yy, y.inertia.yy, tolerance);
    assert_near(x.inertia.zz, y.inertia.zz, tolerance);
    assert_near(x.inertia.xy, y.inertia.xy, tolerance);
    assert_near(x.inertia.xz, y.inertia.xz, tolerance);
    assert_near(x.inertia.yz, y.inertia.yz, tolerance);
  }
  for (int i = 0; i < a->njoint; i++) {
    const lb_scene_joint *x = &a->joint[i], *y = &b->joint[i];
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->parent, y->parent);
    assert_int_equal(x->child, y->child);
    assert_poses_near(x->in_parent, y->in_parent, tolerance);
    assert_poses_near(x->in_child, y->in_child, tolerance);
    assert_near(x->q[0], y->q[0], tolerance);
    // files write their axes with seven or eight digits
    assert_near(lb_vec3_norm(lb_vec3_sub(x->axis, y->axis)), 0, 10 * tolerance);
  }
}

static inline void assert_same_muscles(const lb_scene* a, const lb_scene* b, double tolerance) {
  assert_int_equal(a->nmuscle, b->nmuscle);
  for (int i = 0; i < a->nmuscle; i++) {
    const lb_scene_muscle *x = &a->muscle[i], *y = &b->muscle[i];
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->npoint, y->npoint);
    for (int k = 0; k < x->npoint; k++) {
      const lb_scene_path_point *p = &x->point[k], *o = &y->point[k];
      assert_int_equal(p->wrap, o->wrap);
      assert_int_equal(p->wrap < 0 ? p->body : 0, p->wrap < 0 ? o->body : 0);
      assert_int_equal(p->follows, o->follows);
      assert_int_equal(p->condition, o->condition);
      assert_near(lb_vec3_norm(lb_vec3_sub(p->at, o->at)), 0, tolerance);
    }
    assert_near(x->hill.force, y->hill.force, tolerance);
    assert_near(x->hill.fiber, y->hill.fiber, tolerance);
    assert_near(x->hill.slack, y->hill.slack, tolerance);
    assert_near(x->hill.pennation, y->hill.pennation, tolerance);
  }
}

// Surfaces but for their rotations.
static inline void assert_same_wraps(const lb_scene* a, const lb_scene* b, double tolerance) {
  assert_int_equal(a->nwrap, b->nwrap);
  for (int i = 0; i < a->nwrap; i++) {
    const lb_scene_wrap *x = &a->wrap[i], *y = &b->wrap[i];
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->body, y->body);
    assert_near(lb_vec3_norm(lb_vec3_sub(x->size, y->size)), 0, tolerance);
    assert_near(lb_vec3_norm(lb_vec3_sub(x->side, y->side)), 0, tolerance);
    assert_near(lb_vec3_norm(lb_vec3_sub(x->pose.p, y->pose.p)), 0, tolerance);
  }
}
