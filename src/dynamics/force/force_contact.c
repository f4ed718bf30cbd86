// Forces of contacts and servos as the last step found them: for accelerations, motors' forces and
// reactions at its end. Steps solve for them anew, and take them away before they begin.
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"

static int count(const lb_model* m) {
  return m->contact.ncollider + m->motor.nservo;
}

static void push(const lb_model* m, lb_work* w, const lb_touch* t, int side, double by) {
  const int link = lb_link_mover(m, m->contact.collider[t->collider[side]].link);
  lb_link_add_wrench(w, link, w->state[link].p + t->arm[side], t->twist * by, t->impulse * by);
}

static void apply(const lb_model* m, lb_data* d) {
  const lb_touch* touch = NULL;
  const double h = lb_contacts_duration(d->work->contacts);
  const int n = h > 0 ? lb_contacts_points(d->work->contacts, &touch) : 0;
  for (int i = 0; i < n; i++) {
    push(m, d->work, &touch[i], 0, 1 / h);
    push(m, d->work, &touch[i], 1, -1 / h);
  }
  for (int i = 0; i < m->motor.nservo && h > 0; i++) {
    const int motor = m->motor.servo[i].motor;
    d->work->tau[m->motor.v[motor]] += d->motor_force[motor];
  }
}

const lb_force lb_force_contact = {
    .name = "contact", .count = count, .apply = apply, .on_links = true};
