// What collides with what, whatever the state.
#pragma once
#include "limber/model.h"
#include "model/use/link.h"

// Whether two colliders meet where they come together; of surfaces, at most.
static inline bool lb_model_may_meet(const lb_model_contacts* c, const lb_model_collider* x,
                                     const lb_model_collider* y) {
  return x->link != y->link && c->meeting[x->family * c->nfamily + y->family].collide &&
         !lb_links_joined(c, x->link, y->link);
}
