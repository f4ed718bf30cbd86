// Everything that feeds energy in or takes it out, in the order of the forces
// (dynamics/force/force.c) and then of the constraints. A new force that does either belongs here.
#include "solve/diagnose/diagnose_conservative.h"

#include <math.h>

#include "dynamics/constraint/constraint_loop.h"
#include "elastic/fem/viscous.h"
#include "elastic/reduced/reduced.h"
#include "math/curve/time_profile.h"
#include "math/muscle/hill.h"
#include "model/use/link.h"
#include "model/use/meeting.h"

// True where `what` is true of any i below `count`.
#define ANY(count, what)                                                                           \
  for (int i = 0; i < (count); i++) {                                                              \
    if (what) {                                                                                    \
      return true;                                                                                 \
    }                                                                                              \
  }

static bool forces_exchange_energy(const lb_model* m) {
  ANY(m->nv, m->dof.damping[i] > 0 || m->dof.friction[i] > 0 ||
                 (m->dof.limit_stiffness[i] > 0 && m->dof.limit_damping[i] > 0));
  ANY(m->force.count, m->force.item[i].set.damping > 0 || m->force.item[i].set.dissipation > 0 ||
                          m->force.item[i].set.friction > 0);
  ANY(m->nlink, m->link.packed[i].reduced &&
                    (m->link.packed[i].reduced->alpha > 0 || m->link.packed[i].reduced->beta > 0));
  ANY(m->constraint.nloop, m->constraint.loop[i].resistance.damping > 0);
  ANY(m->constraint.count, m->constraint.item[i].compliance[0].damping > 0 ||
                               m->constraint.item[i].compliance[1].damping > 0);
  ANY(m->particles.nsegment, m->particles.segment[i].damping > 0);
  ANY(m->particles.nparticle, m->particles.particle[i].drag > 0);
  ANY(m->particles.ndeformable, m->particles.deformable[i].viscous->nelem > 0);
  return m->force.ndrag + m->force.nload + m->force.nexternal + m->nmotor + m->muscle.count > 0;
}

static bool constraints_lead(const lb_model* m) {
  ANY(m->constraint.nprescribed,
      m->constraint.prescribed[i].path[0] || m->constraint.prescribed[i].path[1] ||
          m->constraint.prescribed[i].path[2] || m->constraint.prescribed[i].angle);
  ANY(m->constraint.ncoupling, m->constraint.coupling[i].path);
  return m->solver.closing > 0;
}

// Impacts do not bounce.
static bool constraints_exchange_energy(const lb_model* m) {
  return constraints_lead(m) || lb_constraints_unilateral(m) >= 0;
}

// Two colliders that may meet and lose or gain energy where they do: they rub, do not bounce to
// where they came from, or yield (what their springs store is not counted).
static bool meeting_exchanges_energy(const lb_model* m, const lb_model_collider* a,
                                     const lb_model_collider* b) {
  const lb_model_contacts* c = &m->contact;
  const lb_model_meeting* meeting = &c->meeting[a->family * c->nfamily + b->family];
  const int x = lb_link_mover(m, a->link), y = lb_link_mover(m, b->link);
  if (!meeting->collide || (!b->soft && x == y) || lb_links_joined(c, x, y)) {
    return false;
  }
  const lb_contact_surface s = lb_surface_between(&meeting->surface, &a->surface, &b->surface);
  return s.friction > 0 || s.rolling > 0 || s.spinning > 0 || s.restitution < 1 ||
         c->set.law != LB_CONTACT_RIGID;
}

static bool contacts_exchange_energy(const lb_model* m) {
  const lb_model_contacts* c = &m->contact;
  for (int k = 0; k < c->ncollider; k++) {
    ANY(k, meeting_exchanges_energy(m, &c->collider[i], &c->collider[k]));
  }
  return false;
}

bool lb_is_conservative(const lb_model* m) {
  return !forces_exchange_energy(m) && !constraints_exchange_energy(m) &&
         !contacts_exchange_energy(m);
}

// A profile that is not zero throughout.
static bool acts(const lb_profile* p) {
  ANY(p->npiece * LB_PROFILE_COEFFICIENTS,
      p->piece[i / LB_PROFILE_COEFFICIENTS][i % LB_PROFILE_COEFFICIENTS] != 0);
  return false;
}

// A motor or load that exerts a force other than zero, or leads; a belt that runs.
static bool motors_act(const lb_model* m) {
  ANY(m->force.nload, !m->force.load_profile[i] || acts(m->force.load_profile[i]));
  ANY(m->contact.ncollider, lb_vec3_norm(m->contact.collider[i].belt) > 0);
  ANY(m->nmotor,
      m->motor.drive[i] != LB_DRIVE_FORCE || !m->motor.profile[i] || acts(m->motor.profile[i]));
  return false;
}

// A fibre that shortens from its longest to its shortest does no more work than F_o l_o, and never
// more than 0.1 F_o v_max a second.
static double muscle_feed(const lb_hill* h, double duration) {
  static const double POWER = 0.1;
  return h ? h->force * h->fiber * (1 + POWER * h->speed * duration) : INFINITY;
}

double lb_energy_feed(const lb_model* m, double duration) {
  if (m->force.nexternal > 0 || motors_act(m) || constraints_lead(m)) {
    return INFINITY;
  }
  double sum = 0;
  for (int i = 0; i < m->muscle.count; i++) {
    sum += muscle_feed(m->muscle.item[i].hill, duration);
  }
  return sum;
}
