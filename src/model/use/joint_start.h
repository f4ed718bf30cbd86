// Coordinates and velocities of a joint from the poses and velocities of its two bodies.
#pragma once
#include "base/arena.h"
#include "math/curve/chart_find.h"
#include "model/use/initial_pose.h"

// Set the start of a joint, q and qd, from the pose X of its child's frame in its parent's and the
// motion V of the one against the other, along the axes and at the origin of the child's. Both
// frames are turned as links are (lb_joint_turn). `gap` [m and rad] is what no coordinates close.
// LB_NO_MEMORY: nothing is changed.
lb_status lb_joint_find_start(lb_scene_joint* j, const lb_transform* X, const lb_velocity* V,
                              const lb_chart_target* wish, lb_arena* scratch, double* gap);
