// The hinge's entry in the table of joints.
#include "dynamics/joint/joint_revolute.h"

#include "dynamics/joint/joint.h"

const lb_joint lb_joint_revolute = {
    .place = revolute_place,
    .move = revolute_move,
    .move_origin = lb_joint_move_origin,
    .accelerate = revolute_accelerate,
    .articulate = revolute_articulate,
    .solve = revolute_solve,
    .project = revolute_project,
    .columns = revolute_columns,
    .integrable = true,
};
