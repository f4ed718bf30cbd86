// The hinge's entry in the table of joints.
#include "dynamics/joint/joint_revolute.h"

#include "dynamics/joint/joint.h"

static void move_origin(lb_state* s, const lb_state* p, const double* qd) {
  (void)qd;
  s->v = p->v + lb_v4_cross(p->w, s->r);
}

const lb_joint lb_joint_revolute = {
    .place = revolute_place,
    .move = revolute_move,
    .move_origin = move_origin,
    .accelerate = revolute_accelerate,
    .articulate = revolute_articulate,
    .solve = revolute_solve,
    .project = revolute_project,
    .columns = revolute_columns,
    .integrable = true,
};
