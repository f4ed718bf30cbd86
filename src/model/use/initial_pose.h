// Poses, one transform at a time: for building a model and for checks. The recursions in dynamics
// do the same many times a second.
#pragma once
#include "limber/model.h"

// Joint of the model in the author's words.
typedef struct lb_motion_title {
  const char* joint; // NULL: the body is carried by none, or bends
  const char* body;  // moving body
} lb_motion_title;
lb_motion_title lb_model_motion(const lb_model* m, int joint);

// Rotation of a link's frame in the joint's, such that it has the axis of a hinge or slide along z,
// and the axes of a universal joint along z and x.
lb_transform lb_joint_turn(const lb_scene_joint* joint);

// Transform of a joint with its axis along z, or with this chart, from zero to q.
lb_transform lb_joint_pose(int kind, const struct lb_chart* chart, const double* q);

// Angular velocity, and velocity of an origin.
typedef struct lb_velocity {
  lb_vec3 w, v;
} lb_velocity;

// Velocity of a link by its joint's own rates, in the link's frame.
lb_velocity lb_joint_velocity(int kind, const struct lb_chart* chart, const double* q,
                              const double* qd);

// The velocity at `to` of what moves with V at `from`.
static inline lb_velocity lb_velocity_at(lb_velocity V, lb_vec3 from, lb_vec3 to) {
  return (lb_velocity){V.w, lb_vec3_add(V.v, lb_vec3_cross(V.w, lb_vec3_sub(to, from)))};
}

// Pose of every link in the world.
void lb_link_poses(const lb_model* m, lb_transform* pose, const double* q);

// Velocities of every link, in the world's axes.
void lb_link_velocities(const lb_model* m, lb_velocity* velocity, const lb_transform* pose,
                        const double* q, const double* qd);

// The frame `in_body` of a body, as a link and a pose in it. `face` is that of an elastic body
// which the frame moves with, or -1 for the one that the body is held by.
lb_anchor lb_model_anchor(const lb_model* m, int body, int face, lb_transform in_body);

// Pose of a body in the world from the poses of the links.
lb_transform lb_body_pose(const lb_model* m, int body, const lb_transform* link_pose);
