// Bounces in implicit steps. Newton's method finds impulses in the pose of the step's end, to which
// a body turns by the velocity that it has after the impact. Its momentum of before, seen from
// there, has another energy, by a part of first order in the step: a spinning box that bounces
// would gain up to a twentieth of its energy at 1 ms. Linearly implicit Euler finds impulses in the
// pose of the step's start, where energy is what it was, and turns axes afterwards. So a step in
// which something bounces is one of its steps. The order is 1 there, anyway. Who watches a step
// sees stages of implicit ones alone.
#include "dynamics/contact/contact_set.h"
#include "model/use/motor_use.h"
#include "solve/implicit/implicit.h"
#include "solve/implicit/linear_euler.h"

lb_status lb_implicit_create_bounces(lb_stepper* st, lb_error* err) {
  lb_implicit* own = st->own;
  lb_scene_solver by = st->solver;
  by.integrator = LB_INTEGRATOR_LINEAR_EULER;
  return lb_contacts_bounce(st->m)
             ? lb_stepper_create(st->m, &by, st->arena.allocator, &own->bounces, err)
             : LB_OK;
}

bool lb_implicit_bounces(const lb_stepper* st, const lb_data* d, double h) {
  const lb_implicit* own = st->own;
  return own->touches && own->bounces && !st->watcher &&
         lb_contacts_may_bounce(d->work->contacts, h);
}

bool lb_implicit_bounce(lb_stepper* st, lb_data* d, double h) {
  const lb_implicit* own = st->own;
  return lb_linear_euler_meet(own->bounces, d, h);
}

void lb_implicit_finish(lb_stepper* st, lb_data* d, double h) {
  const lb_implicit* own = st->own;
  (void)h;
  if (own->bounced > 0) {
    own->bounces->type->finish(own->bounces, d, own->bounced);
  }
}
