// Bodies that overlap at a start: most often a number is wrong, and they are pushed apart.
#include <math.h>

#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "limber/simulate.h"

static bool is_between(const lb_overlap* x, int a, int b) {
  return (x->body[0] == a && x->body[1] == b) || (x->body[0] == b && x->body[1] == a);
}

// Into its place among the deepest, without another one of the same bodies.
static void insert(lb_overlaps* o, lb_overlap x) {
  int at = 0;
  while (at < o->nshown && !is_between(&o->deepest[at], x.body[0], x.body[1])) {
    at++;
  }
  if (at < o->nshown && o->deepest[at].depth >= x.depth) {
    return;
  }
  if (at == o->nshown && at < LB_OVERLAPS_SHOWN) {
    o->nshown++;
  } else if (at == LB_OVERLAPS_SHOWN) {
    at--;
    if (o->deepest[at].depth >= x.depth) {
      return;
    }
  }
  for (; at > 0 && o->deepest[at - 1].depth < x.depth; at--) {
    o->deepest[at] = o->deepest[at - 1];
  }
  o->deepest[at] = x;
}

static void look_at(lb_overlaps* o, const lb_model* m, int n, const lb_touch* touch) {
  static const double SLIGHT = 1e-3; // of the smaller one
  const lb_model_collider* c = m->contact.collider;
  int last[2] = {-1, -1};
  for (int i = 0; i < n; i++) {
    const lb_touch* t = &touch[i];
    const lb_model_collider *a = &c[t->collider[0]], *b = &c[t->collider[1]];
    if (-t->gap > SLIGHT * fmin(a->size, b->size)) {
      o->count += t->collider[0] != last[0] || t->collider[1] != last[1];
      last[0] = t->collider[0];
      last[1] = t->collider[1];
      insert(o, (lb_overlap){{a->body, b->body}, -t->gap});
    }
  }
}

lb_status lb_find_overlaps(const lb_model* m, lb_data* d, const lb_allocator* allocator,
                           lb_overlaps* overlaps, lb_error* err) {
  const lb_touch* touch = NULL;
  *overlaps = (lb_overlaps){0};
  if (m->contact.ncollider == 0) {
    return LB_OK;
  }
  lb_contacts* C = lb_contacts_create(m, allocator);
  if (!C) {
    return lb_error_add(err, LB_NO_MEMORY, m->contact.set.place,
                        "no room for the points of contact at the start");
  }
  lb_update(m, d, LB_ORIGINS);
  if (!lb_contacts_detect(C, d, 0)) {
    const lb_status status = lb_contacts_complain(C, 0, err);
    lb_contacts_release(C);
    return status;
  }
  const int n = lb_contacts_points(C, &touch);
  look_at(overlaps, m, n, touch);
  lb_contacts_release(C);
  return LB_OK;
}
