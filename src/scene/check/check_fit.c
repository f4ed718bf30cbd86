// Markers and what a fit is to find, in scenes from files and made by hand alike.
#include <math.h>

#include "scene/check/scene_check.h"

static void check_markers(lb_checker* c) {
  for (int i = 0; i < c->s->nmarker; i++) {
    const lb_scene_marker* m = &c->s->marker[i];
    if (m->body < 0 || m->body >= c->s->nbody) {
      LB_SAY(c, m->place, "marker '%s' is on body %d, which does not exist", m->name, m->body);
    }
    if (!isfinite(m->at.x) || !isfinite(m->at.y) || !isfinite(m->at.z)) {
      LB_SAY(c, m->place, "marker '%s': its place must be finite", m->name);
    }
  }
}

void lb_check_fit(lb_checker* c) {
  check_markers(c);
  const lb_scene_fit* fit = &c->s->fit;
  for (int i = 0; i < fit->nmaterial; i++) {
    const lb_scene_fit_material* m = &fit->material[i];
    if (m->material < 0 || m->material >= c->s->nmaterial) {
      LB_SAY(c, m->place, "the fit is to find material %d, which does not exist", m->material);
    }
    if ((int)m->damping < 0 || m->damping >= LB_FIT_DAMPING_COUNT || !(m->within >= 1) ||
        !isfinite(m->within)) {
      LB_SAY(c, m->place, "the fit is to look within a factor of %g, which must be 1 or more",
             m->within);
    }
  }
}
