// Stretch of a muscle's tendon: a coordinate of a link on the world that moves nothing, S = 0. All
// of its inertia is that of the muscle's mass (muscle_inertia.h), so that accelerations are solved
// with the whole mass matrix, and never by recursion.
#include "dynamics/joint/joint.h"

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)s, (void)q, (void)sc;
}

static void move(lb_state* s, const lb_state* p, const double* qd) {
  (void)qd;
  s->w = p->w;
  s->c_al = lb_v4_zero();
  s->c_a = lb_v4_zero();
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  (void)al, (void)a, (void)s, (void)qdd;
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)tau, (void)s, (void)n, (void)f;
}

static void columns(lb_v4* S, const lb_state* s) {
  (void)s;
  S[0] = S[1] = lb_v4_zero();
}

const lb_joint lb_joint_tendon = {
    .place = place,
    .move = move,
    .move_origin = lb_joint_move_origin,
    .accelerate = accelerate,
    .project = project,
    .columns = columns,
    .integrable = true,
};
