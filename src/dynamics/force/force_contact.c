// Forces of contacts and servos as the last step found them: for accelerations, motors' forces and
// reactions at its end, and for the residual of Newton's method. Steps solve for them anew.
// Unilateral constraints that yield are with the others that do (force_compliant.c).
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/contact/contact_surface.h"
#include "dynamics/force/channel.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"

static int count(const lb_model* m) {
  return m->contact.ncollider + lb_servos_as_rows(m);
}

static void push(const lb_model* m, lb_data* d, const lb_touch* t, int side, double by) {
  lb_work* w = d->work;
  if (m->contact.collider[t->collider[side]].soft) {
    lb_surface_push(m, d, t, t->impulse * by);
    return;
  }
  const int link = lb_link_mover(m, m->contact.collider[t->collider[side]].link);
  lb_link_add_wrench(w, link, w->state[link].p + t->arm[side], t->twist * by, t->impulse * by);
}

static void apply(const lb_model* m, lb_data* d) {
  const lb_touch* touch = NULL;
  const double h = lb_contacts_duration(d->work->contacts);
  const int n = h > 0 ? lb_contacts_points(d->work->contacts, &touch) : 0;
  for (int i = 0; i < n; i++) {
    push(m, d, &touch[i], 0, 1 / h);
    push(m, d, &touch[i], 1, -1 / h);
  }
  for (int i = 0; i < lb_servos_as_rows(m) && h > 0; i++) {
    d->work->tau[lb_servo_v(m, i)] += lb_contacts_bounded_force(d->work->contacts, i);
  }
}

// --- totals of bodies ---

enum { MOST_BODIES = 80 }; // with totals; of more there are none

static bool meets_any(const lb_model_contacts* c, int family) {
  bool any = false;
  for (int i = 0; i < c->nfamily && !any; i++) {
    any = c->meeting[family * c->nfamily + i].collide;
  }
  return any;
}

static int place_of(int n, const int* body, int which) {
  int at = 0;
  while (at < n && body[at] != which) {
    at++;
  }
  return at;
}

// Bodies that collide, but for those that never move; 0: there are more.
static int find_bodies(const lb_model* m, int body[MOST_BODIES]) {
  int n = 0;
  for (int i = 0; i < m->contact.ncollider; i++) {
    const lb_model_collider* c = &m->contact.collider[i];
    const bool moves = c->body >= m->nbody || (c->body != LB_WORLD && lb_body_moves(m, c->body));
    if (moves && meets_any(&m->contact, c->family) && place_of(n, body, c->body) == n) {
      if (n == MOST_BODIES) {
        return 0;
      }
      body[n++] = c->body;
    }
  }
  return n;
}

static void measure(lb_channel_walk* w) {
  const lb_model* m = w->m;
  const lb_touch* touch = NULL;
  const double h = w->value ? lb_contacts_duration(w->d->work->contacts) : 0;
  const int ntouch = h > 0 ? lb_contacts_points(w->d->work->contacts, &touch) : 0;
  int body[MOST_BODIES];
  const int n = find_bodies(m, body);
  lb_v4 sum[MOST_BODIES + 1] = {0}; // the last one: of all others
  for (int i = 0; i < ntouch; i++) {
    sum[place_of(n, body, m->contact.collider[touch[i].collider[0]].body)] += touch[i].impulse;
    sum[place_of(n, body, m->contact.collider[touch[i].collider[1]].body)] -= touch[i].impulse;
  }
  for (int i = 0; i < n; i++) {
    lb_channel_put_vector(w, lb_model_toucher(m, body[i]), body[i], "contact",
                          h > 0 ? sum[i] * (1 / h) : lb_v4_zero());
  }
}

const lb_force lb_force_contact = {
    .name = "contact", .count = count, .apply = apply, .measure = measure, .on_links = true};
