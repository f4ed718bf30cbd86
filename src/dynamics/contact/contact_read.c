// Contacts of the last step as callers read them, and the totals of each body.
#include "base/hash.h"
#include "dynamics/contact/contact_set.h"
#include "limber/dynamics.h"

// Features are those of two colliders. With these it says which of all contacts it is, in a number
// that others keep exactly.
static uint64_t name_of(const lb_touch* t) {
  static const uint64_t KEPT = ((uint64_t)1 << 48) - 1;
  const uint64_t hash = lb_hash(LB_HASH_START, t->collider, sizeof t->collider);
  return lb_hash(hash, &t->id, sizeof t->id) & KEPT;
}

static lb_body_contact read_touch(const lb_data* d, const lb_touch* t, double h) {
  const lb_model_collider* c = d->model->contact.collider;
  return (lb_body_contact){.body = {c[t->collider[0]].body, c[t->collider[1]].body},
                           .id = name_of(t),
                           .point = lb_v4_vec3(t->at),
                           .normal = lb_v4_vec3(t->axis[0]),
                           .force = lb_v4_vec3(t->impulse * (1 / h)),
                           .slip = lb_v4_vec3(t->slip),
                           .gap = t->gap,
                           .time = d->time};
}

int lb_body_contacts(const lb_data* d, lb_body_contact* out, int room) {
  const lb_contacts* C = d->work->contacts;
  const lb_touch* touch = NULL;
  const double h = C ? lb_contacts_duration(C) : 0;
  const int n = h > 0 ? lb_contacts_points(C, &touch) : 0;
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (lb_touch_bears(&touch[i])) {
      if (count < room) {
        out[count] = read_touch(d, &touch[i], h);
      }
      count++;
    }
  }
  return count;
}
