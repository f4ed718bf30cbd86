// Mechanisms in which a path stays in a plane: all joints between the bodies that it runs over turn
// about the plane's normal, or slide along the plane. Normals are then the same in all frames, and
// it does not matter which coordinates the model has.
#include <math.h>

#include "model/build/build.h"
#include "model/use/initial_pose.h"

static const double PARALLEL = 1e-9;

// Joint that carries a body, or NULL; one of the tree before one that closes a loop.
static const lb_scene_joint* carrier(const lb_scene* s, int body) {
  const lb_scene_joint* found = NULL;
  for (int j = 0; j < s->njoint; j++) {
    const lb_scene_joint* joint = &s->joint[j];
    if (joint->child == body && (!found || (found->loop && !joint->loop))) {
      found = joint;
    }
  }
  return found;
}

// Whether body a is body b, or carries it.
static bool is_above(const lb_scene* s, int a, int b) {
  for (int steps = 0; b != LB_WORLD && steps <= s->nbody; steps++) {
    if (a == b) {
      return true;
    }
    const lb_scene_joint* j = carrier(s, b);
    b = j ? j->parent : LB_WORLD;
  }
  return a == LB_WORLD;
}

// A joint moves in the plane with normal n, in the axes that its frame is given in.
static bool keeps(const lb_scene_joint* j, lb_vec3 n) {
  const lb_vec3 own = lb_quat_rotate(lb_quat_conjugate(j->in_parent.q), n);
  const double along = fabs(lb_vec3_dot(own, j->axis));
  switch (j->kind) {
  case LB_JOINT_FIXED:
    return true;
  case LB_JOINT_REVOLUTE:
    return along > 1 - PARALLEL;
  case LB_JOINT_PRISMATIC:
    return along < PARALLEL;
  case LB_JOINT_COMPOSITE:
    for (int i = 0; i < j->npart; i++) {
      // parts follow one another; those that turn about n leave it as it is
      lb_vec3 seen = own;
      for (int k = 0; k < i; k++) {
        seen = lb_quat_rotate(lb_quat_conjugate(j->part[k].in_parent.q), seen);
      }
      if (!keeps(&j->part[i], seen)) {
        return false;
      }
    }
    return true;
  default:
    return false;
  }
}

bool lb_build_keeps_plane(const lb_build* b, const lb_transform* pose, lb_vec3 n, int count,
                          const int* body) {
  const lb_scene* s = b->scene;
  for (int i = 0; i < count; i++) {
    for (int at = body[i], steps = 0; at != LB_WORLD; steps++) {
      bool common = true;
      for (int k = 0; k < count; k++) {
        common = common && is_above(s, at, body[k]);
      }
      const lb_scene_joint* j = carrier(s, at);
      if (common) {
        break;
      }
      if (!j || steps > s->nbody) {
        return false;
      }
      const lb_quat turn =
          j->parent == LB_WORLD ? lb_quat_identity() : lb_body_pose(b->m, j->parent, pose).q;
      if (!keeps(j, lb_quat_rotate(lb_quat_conjugate(turn), n))) {
        return false;
      }
      at = j->parent;
    }
  }
  return true;
}
