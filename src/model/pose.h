// Where things are, one transform at a time: for building a model and for checks. The recursions in
// dynamics do the same many times a second.
#pragma once
#include "limber/model.h"

// Coordinates and velocities of a joint kind.
int lb_joint_kind_nq(int kind);
int lb_joint_kind_nv(int kind);

// How far a joint with its axis along z has moved its link from where it is at zero.
lb_transform lb_joint_pose(int kind, const double* q);

// Pose of every link in the world.
void lb_link_poses(const lb_model* m, lb_transform* pose, const double* q);

// Angular velocity, and velocity of the origin, of every link, in the world's axes.
typedef struct lb_velocity {
  lb_vec3 w, v;
} lb_velocity;
void lb_link_velocities(const lb_model* m, lb_velocity* velocity, const lb_transform* pose,
                        const double* qd);

// Pose of a body in the world from the poses of the links.
lb_transform lb_body_pose(const lb_model* m, int body, const lb_transform* link_pose);
