// Muscles: from points and surfaces of bodies to those of links.
#include "model/build/build.h"

lb_status lb_build_muscles(lb_build* b) {
  const lb_scene* s = b->scene;
  if (s->nmuscle == 0) {
    return LB_OK;
  }
  return lb_error_add(b->err, LB_INVALID, s->muscle[0].place,
                      "muscle '%s' cannot be simulated yet (take it away)", s->muscle[0].name);
}
