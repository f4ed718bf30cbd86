// What retargeting is to do, in scenes from files and made by hand alike.
#include <math.h>

#include "scene/check.h"

static bool is_weight(double w) {
  return w >= 0 && isfinite(w);
}

static void check_tracks(lb_checker* c, const lb_scene_retarget* r) {
  double all = 0;
  for (int i = 0; i < r->ntrack; i++) {
    const lb_scene_track* t = &r->track[i];
    if (t->body < 0 || t->body >= c->s->nbody) {
      LB_SAY(c, t->place, "retarget is to track body %d, which does not exist", t->body);
      return;
    }
    if (!is_weight(t->position) || !is_weight(t->orientation) || !isfinite(t->point.x) ||
        !isfinite(t->point.y) || !isfinite(t->point.z)) {
      LB_SAY(c, t->place, "retarget of body '%s': weights must be 0 or more, and points finite",
             c->s->body[t->body].name);
    }
    double most = t->weight.count == 0;
    for (int k = 0; k < t->weight.count; k++) {
      most = fmax(most, t->weight.value[k]);
      if (!is_weight(t->weight.value[k])) {
        LB_SAY(c, t->place, "retarget of body '%s': factors on weights must be 0 or more",
               c->s->body[t->body].name);
        return;
      }
    }
    all += most * (t->position + t->orientation);
  }
  if (r->ntrack > 0 && !(all > 0)) {
    LB_SAY(c, r->place,
           "retarget: all weights are zero, so that every motion is as good (give a "
           "body 'position' or 'orientation')");
  }
}

void lb_check_retarget(lb_checker* c) {
  const lb_scene_retarget* r = &c->s->retarget;
  check_tracks(c, r);
  for (int i = 0; i < r->nmotor; i++) {
    const lb_scene_motor_limit* m = &r->motor[i];
    if (m->motor < 0 || m->motor >= c->s->nmotor) {
      LB_SAY(c, m->place, "retarget is to change motor %d, which does not exist", m->motor);
    } else if (!(m->angle[0] < m->angle[1]) || !(m->speed > 0) || !(m->acceleration > 0)) {
      LB_SAY(c, m->place, "retarget of motor '%s': limits must be more than nothing",
             c->s->motor[m->motor].name);
    }
  }
  if (!(r->spacing > 0) || !is_weight(r->closeness) || !is_weight(r->smoothness) ||
      !(r->tolerance > 0) || r->iterations < 1) {
    LB_SAY(c, r->place,
           "retarget: 'spacing', 'tolerance' and 'iterations' must be more than 0, "
           "'closeness' and 'smoothness' 0 or more");
  }
}
