// Contacts, servos and stops that yield in implicit steps. Impulses act in the residual of Newton's
// method as forces, and every correction is followed by one of them:
//
//   v* = v - W^-1 (r - J'lambda/dt),   v = v* + (dt W)^-1 J'(lambda1 - lambda)
//
// with lambda1 the solution of the contact problem for velocities without contact, v* - (dt W)^-1
// J'lambda. Both corrections vanish where the residual and the conditions of contact hold. Points
// are those of the pose that a step begins with; its order is 1 while something may collide, since
// it is then taken by BDF1.
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/motor_use.h"
#include "solve/implicit/implicit.h"

lb_status lb_implicit_check_contacts(const lb_stepper* st, lb_error* err) {
  const lb_implicit* own = st->own;
  const lb_model* m = st->m;
  if (m->contact.ncollider == 0) {
    return LB_OK;
  }
  if (!own->algebra->solve) {
    return lb_error_add(err, LB_INVALID, m->contact.set.place,
                        "contacts: not with all nodes of elastic bodies (take 'elastic: reduced')");
  }
  return lb_constraints_unilateral(m) < 0
             ? LB_OK
             : lb_error_add(err, LB_INVALID, m->contact.set.place,
                            "contacts: beside floors, ropes and couplings with a bound only "
                            "linear-euler can step them (choose it, or make the floor solid "
                            "scenery)");
}

bool lb_implicit_detect(lb_stepper* st, lb_data* d, double h) {
  lb_implicit* own = st->own;
  lb_contacts* C = d->work->contacts;
  const lb_touch* touch = NULL;
  own->touches = own->meets = false;
  own->met = -1;
  if (!C) {
    return true;
  }
  lb_contacts_begin(C);
  lb_contacts_follow_ways(C, true);
  lb_kinematics(st->m, d, d->q, d->qd);
  if (!lb_contacts_detect(C, d, h)) {
    return false;
  }
  own->touches = lb_contacts_points(C, &touch) > 0;
  own->meets = own->touches || lb_bounded_rows(st->m) > 0;
  lb_contacts_begin_bounded(C, d);
  lb_contacts_hold(C, h);
  return true;
}

bool lb_implicit_struck(lb_stepper* st, lb_data* d, double h, bool last) {
  const lb_implicit* own = st->own;
  lb_contacts* C = d->work->contacts;
  if (!C) {
    return false;
  }
  const bool struck = lb_contacts_struck(C, d, own->touches ? own->move : d->qd, h, last);
  lb_move_origins(st->m, d->work, d->qd);
  return struck;
}

bool lb_implicit_detect_again(lb_stepper* st, lb_data* d, double h) {
  lb_implicit* own = st->own;
  const lb_touch* touch = NULL;
  if (!lb_contacts_detect_again(d->work->contacts, d, h)) {
    return false;
  }
  own->touches = lb_contacts_points(d->work->contacts, &touch) > 0;
  own->met = -1;
  lb_contacts_hold(d->work->contacts, h);
  return true;
}

static void solve(void* context, double* b) {
  lb_stepper* st = context;
  const lb_implicit* own = st->own;
  (own->is_exact ? lb_implicit_solve_exact : own->algebra->solve)(st, b);
}

void lb_implicit_look(lb_stepper* st, lb_data* d, double dt) {
  const lb_implicit* own = st->own;
  if (lb_bounded_rows(st->m) > 0) {
    lb_contacts_look(d->work->contacts, d, dt, own->inner);
  }
}

double lb_implicit_meet(lb_stepper* st, lb_data* d, double dt) {
  lb_implicit* own = st->own;
  lb_contacts* C = d->work->contacts;
  if (own->met != st->matrices) {
    own->met = st->matrices;
    if (!lb_contacts_prepare(C, d, dt, (lb_contact_system){st, solve, true})) {
      return (double)INFINITY;
    }
  }
  return lb_contacts_correct(C, d);
}
