// Forces through joints. In the tree, inverse dynamics hands each link's force and moment to its
// parent, and on the way they pass through the joint; a joint that closes a loop passes the forces
// of its constraints, its spring and its motor.
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/rnea.h"
#include "model/use/motor_use.h"

// From the world's axes to those of a body.
static lb_reaction seen_from(const lb_model* m, const lb_work* w, int body, lb_motion F) {
  const lb_state* s = &w->state[m->body.link[body]];
  const lb_quat turn = lb_quat_conjugate(m->body.in_link[body].q);
  return (lb_reaction){.force = lb_quat_rotate(turn, lb_v4_vec3(lb_m3_apply_transposed(s->R, F.v))),
                       .moment =
                           lb_quat_rotate(turn, lb_v4_vec3(lb_m3_apply_transposed(s->R, F.w)))};
}

// The moment that prescribes a joint's rotation passes through the joint.
static void add_turns(const lb_model* m, lb_reaction* out) {
  for (int i = m->constraint.nprescribed - lb_motors_count_turns(m); i < m->constraint.nprescribed;
       i++) {
    const lb_model_prescribed* g = &m->constraint.prescribed[i];
    const int joint = m->motor.joint[g->motor[0]];
    lb_reaction* to = &out[joint >= 0 ? joint : m->njoint + m->motor.loop[g->motor[0]]];
    to->moment = lb_vec3_add(to->moment, out[m->njoint + g->constraint].moment);
  }
}

void lb_reactions(const lb_model* m, lb_data* d, lb_reaction* out) {
  lb_work* w = d->work;
  for (int i = 0; i < m->constraint.npair; i++) {
    out[m->njoint + i] = seen_from(m, w, m->constraint.item[i].body[1], lb_loop_wrench(m, d, i));
  }
  lb_rnea_forced(m, d, w->bias, d->q, d->qd, d->qdd);
  for (int j = 0; j < m->njoint; j++) {
    const lb_state* s = &w->state[m->joint.link[j]];
    out[j] = m->joint.body[j] < 0
                 ? (lb_reaction){0}
                 : seen_from(m, w, m->joint.body[j], (lb_motion){s->IA.n, s->IA.f});
  }
  add_turns(m, out);
}
