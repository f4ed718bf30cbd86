#include "model/build/maximal.h"

#include <string.h>

#include "model/build/split_bodies.h"
#include "model/use/initial_pose.h"

// A joint that stays in the tree: what is fixed to the world does not move, a free joint holds
// nothing; a coupling, a rotor, friction and limits are about coordinates, and so is a joint
// without rows of its own.
static bool stays(const lb_scene* s, int i) {
  const lb_scene_joint* j = &s->joint[i];
  return j->loop || (j->kind == LB_JOINT_FIXED && j->parent == LB_WORLD) ||
         j->kind == LB_JOINT_FREE || lb_joint_needs_coordinates(s, i);
}

lb_status lb_scene_take_apart(const lb_scene* scene, const lb_model* tree, lb_arena* arena,
                              lb_scene* loose, lb_error* err) {
  lb_transform* pose = LB_TAKE(arena, lb_transform, tree->nlink);
  lb_velocity* velocity = LB_TAKE(arena, lb_velocity, tree->nlink);
  lb_scene_body* body = LB_TAKE(arena, lb_scene_body, scene->nbody);
  lb_scene_joint* joint = LB_TAKE(arena, lb_scene_joint, scene->njoint);
  if (lb_arena_status(arena) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for '%s'", scene->name);
  }
  lb_link_poses(tree, pose, tree->q0);
  lb_link_velocities(tree, velocity, pose, tree->q0, tree->qd0);
  memcpy(body, scene->body, (size_t)scene->nbody * sizeof *body);
  memcpy(joint, scene->joint, (size_t)scene->njoint * sizeof *joint);
  for (int i = 0; i < scene->njoint; i++) {
    lb_scene_joint* j = &joint[i];
    if (stays(scene, i)) {
      continue;
    }
    const int link = tree->body_link[j->child];
    lb_scene_body* b = &body[j->child];
    j->loop = j->taken_apart = true;
    b->pose = lb_body_pose(tree, j->child, pose);
    if (link != LB_WORLD) {
      b->velocity = lb_velocity_at(velocity[link], pose[link].p, b->pose.p).v;
      b->spin = lb_quat_rotate(lb_quat_conjugate(b->pose.q), velocity[link].w);
    }
  }
  *loose = *scene;
  loose->body = body;
  loose->joint = joint;
  loose->storage = NULL;
  return LB_OK;
}
