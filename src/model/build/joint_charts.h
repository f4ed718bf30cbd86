// From the description of a joint to its chart.
#pragma once
#include "base/arena.h"
#include "limber/model.h"
#include "math/curve/chart.h"

// True where the joint moves by a chart, rather than by a kind of its own.
bool lb_joint_has_chart(const lb_scene_joint* joint);

// The chart of a joint, and of any part of a composite one. LB_NO_MEMORY.
lb_status lb_joint_chart(const lb_scene_joint* joint, lb_arena* arena, const lb_chart** chart);

// The settings of coordinate k of a joint that moves by a chart.
typedef struct lb_coordinate_settings {
  lb_joint_resistance resistance;
  double rest, lower, upper;
} lb_coordinate_settings;
lb_coordinate_settings lb_joint_coordinate(const lb_scene_joint* joint, int k);
