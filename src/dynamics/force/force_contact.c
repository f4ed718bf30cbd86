// Forces of contacts as the last step found them: for accelerations, motors' forces and reactions at
// its end. Steps solve for them anew, and take them away before they begin.
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"

static int count(const lb_model* m) {
  return m->contact.ncollider;
}

static void apply(const lb_model* m, lb_data* d) {
  const lb_touch* touch = NULL;
  const double h = lb_contacts_duration(d->work->contacts);
  const int n = h > 0 ? lb_contacts_points(d->work->contacts, &touch) : 0;
  for (int i = 0; i < n; i++) {
    const lb_touch* t = &touch[i];
    const lb_v4 f = t->impulse / h, moment = t->twist / h;
    lb_link_add_wrench(d->work, m->contact.collider[t->collider[0]].link, t->at, moment, f);
    lb_link_add_wrench(d->work, m->contact.collider[t->collider[1]].link, t->at, -moment, -f);
  }
}

const lb_force lb_force_contact = {.count = count, .apply = apply, .on_links = true};
