// What contacts of steps do: whether they stick, slip or are open.
#pragma once
#include <math.h>

#include "dynamics/contact/contact_set.h"

typedef struct contact_kinds {
  int sticks, slips, opens;
  unsigned long sets; // a number made of what all of them do in all steps
} contact_kinds;

static inline void count_contact(contact_kinds* k, const lb_touch* t) {
  const bool open = lb_v4_dot(t->impulse, t->impulse) == 0;
  const double pull = lb_v4_dot(t->axis[0], t->impulse), mu = t->surface.friction;
  const lb_v4 rub = t->impulse - t->axis[0] * pull;
  const bool slips = !open && lb_v4_dot(t->slip, t->slip) > 1e-16 &&
                     sqrt(lb_v4_dot(rub, rub)) > mu * pull * (1 - 1e-7);
  const int gap = t->gap > 1e-12, bounce = t->bounce > 0, pushed = t->pushed;
  k->opens += open;
  k->slips += slips;
  k->sticks += !open && !slips;
  k->sets =
      k->sets * 31 + (unsigned)(1 + 2 * open + 4 * slips + 8 * gap + 16 * bounce + 32 * pushed);
}

// Contacts of a step that was taken.
static inline void count_contacts(contact_kinds* k, const lb_contacts* C) {
  const lb_touch* t;
  const int n = C ? lb_contacts_points(C, &t) : 0;
  for (int i = 0; i < n; i++) {
    count_contact(k, &t[i]);
  }
  k->sets = k->sets * 37 + (unsigned)n;
}
