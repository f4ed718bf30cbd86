// Surfaces that meet.
#pragma once
#include <math.h>

#include "limber/model.h"

/// Surface of two: what the scene's pairs say, else of both materials.
static inline lb_contact_surface lb_surface_between(const lb_contact_surface* said,
                                                    const lb_contact_surface* x,
                                                    const lb_contact_surface* y) {
  lb_contact_surface s = *said;
  s.friction = s.friction >= 0 ? s.friction : sqrt(x->friction * y->friction);
  s.restitution = s.restitution >= 0 ? s.restitution : fmax(x->restitution, y->restitution);
  s.rolling = s.rolling >= 0 ? s.rolling : x->rolling + y->rolling;
  s.spinning = s.spinning >= 0 ? s.spinning : x->spinning + y->spinning;
  return s;
}
