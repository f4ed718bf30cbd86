// Kinetic and potential energy, and momentum.
#include <math.h>

#include "dynamics/force/force.h"
#include "dynamics/force/particles.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/muscle/muscle_inertia.h"
#include "dynamics/tree/kinematics.h"

// 1/2 (m v.v + 2 v.(w x h) + w.I w), h and I about the link's origin.
double lb_kinetic_energy(const lb_model* m, lb_data* d) {
  lb_update(m, d, LB_ORIGINS);
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    lb_link_weigh(m, d->work, i);
    const lb_state* s = &d->work->state[i];
    sum += 0.5 * m->link.packed[i].m * lb_v4_dot(s->v, s->v) +
           lb_v4_dot(s->v, lb_v4_cross(s->w, s->h)) +
           0.5 * lb_v4_dot(s->w, lb_m3_apply(s->IA.A, s->w));
  }
  sum += lb_elastic_kinetic(m, d->work);
  sum += m->muscle.ninertial > 0 ? lb_muscles_motion(m, d->work, d->q, d->qd).kinetic : 0;
  for (int k = 0; k < m->nv; k++) {
    sum += 0.5 * m->dof.armature[k] * d->qd[k] * d->qd[k];
  }
  return sum;
}

double lb_potential_energy(const lb_model* m, lb_data* d) {
  lb_update(m, d, m->muscle.ninertial > 0 ? LB_ORIGINS : LB_POSED);
  const lb_v4 g = lb_v4_from(m->gravity);
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    lb_link_weigh(m, d->work, i);
    const lb_state* s = &d->work->state[i];
    sum -= lb_v4_dot(g, s->p * m->link.packed[i].m + s->h);
  }
  if (m->muscle.ninertial > 0) {
    sum -= lb_v4_dot(g, lb_muscles_motion(m, d->work, d->q, d->qd).moment);
  }
  return sum + lb_elastic_gravity(m, d->work) + lb_particles_gravity(m, d->q) +
         lb_forces_energy(m, d);
}

// Momentum of one link, with mass m, first moment h and inertia I about its origin p,
//
//   P = m v + w x h,   L = I w + h x v + p x P
//
// and what an elastic body's own motion adds to P and L. Armatures have none: they stand for rotors
// that turn the other way as often.
lb_momenta lb_momentum(const lb_model* m, lb_data* d) {
  lb_update(m, d, LB_ORIGINS);
  lb_v4 P = lb_v4_zero(), L = lb_v4_zero();
  lb_momenta sum = {0};
  for (int i = 0; i < m->nlink; i++) {
    lb_link_weigh(m, d->work, i);
    const lb_state* s = &d->work->state[i];
    lb_v4 linear = s->v * m->link.packed[i].m + lb_v4_cross(s->w, s->h);
    lb_v4 angular = lb_m3_apply(s->IA.A, s->w) + lb_v4_cross(s->h, s->v);
    if (lb_link_is_elastic(m->link.packed[i].kind)) {
      lb_elastic_momentum(s, &linear, &angular);
    }
    angular += lb_v4_cross(s->p, linear);
    P += linear;
    L += angular;
    sum.linear_sum += sqrt(lb_v4_dot(linear, linear));
    sum.angular_sum += sqrt(lb_v4_dot(angular, angular));
  }
  lb_particles_add_momentum(m, d, &P, &L, &sum);
  if (m->muscle.ninertial > 0) {
    const lb_muscle_motion own = lb_muscles_motion(m, d->work, d->q, d->qd);
    P += own.linear;
    L += own.angular;
    sum.linear_sum += sqrt(lb_v4_dot(own.linear, own.linear));
    sum.angular_sum += sqrt(lb_v4_dot(own.angular, own.angular));
  }
  sum.linear = lb_v4_vec3(P);
  sum.angular = lb_v4_vec3(L);
  return sum;
}
