// Points of a body that touch grounds and floors where an author names none: those of its shapes.
#include "scene/part/part.h"

// Those of one shape, in the frame of its body.
static bool add_shape(lb_reader* r, const lb_scene_shape* s, lb_contact_list* to) {
  lb_ball ball[LB_CONTACTS_MOST];
  const int n = lb_shape_contacts(&s->shape, &r->scratch, ball);
  for (int i = 0; i < n; i++) {
    lb_ball* grown = LB_GROW(&r->scratch, to->ball, to->count, &to->capacity);
    if (!grown) {
      return false;
    }
    to->ball = grown;
    to->ball[to->count++] = (lb_ball){lb_transform_point(s->pose, ball[i].centre), ball[i].radius};
  }
  return n >= 0;
}

bool lb_contact_points(lb_reader* r, int body, lb_contact_list* to) {
  const int before = to->count;
  bool ok = true;
  for (int i = 0; i < r->scene.nshape && ok && body >= 0; i++) {
    ok = r->scene.shape[i].body != body || add_shape(r, &r->scene.shape[i], to);
  }
  return ok &&
         (to->count > before || add_shape(r,
                                          &(lb_scene_shape){.shape = {.type = LB_SHAPE_SPHERE},
                                                            .pose = lb_transform_identity()},
                                          to)); // its origin
}
