// Everything that feeds energy in or takes it out, in the order of the forces
// (dynamics/force/force.c) and then of the constraints. A new force that does either belongs here.
#include "solve/diagnose/diagnose_conservative.h"

#include "dynamics/constraint/constraint_loop.h"
#include "elastic/fem/viscous.h"
#include "elastic/reduced/reduced.h"
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

// Impacts do not bounce.
static bool constraints_exchange_energy(const lb_model* m) {
  ANY(m->constraint.nprescribed,
      m->constraint.prescribed[i].path[0] || m->constraint.prescribed[i].path[1] ||
          m->constraint.prescribed[i].path[2] || m->constraint.prescribed[i].angle);
  ANY(m->constraint.ncoupling, m->constraint.coupling[i].path);
  return lb_constraints_unilateral(m) >= 0 || m->solver.closing > 0;
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
