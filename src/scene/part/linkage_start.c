// Start of linkages: every copy is turned from its drawing to where its crank begins, along one
// branch, so that loops are closed whatever angle motors begin with.
#include <math.h>
#include <string.h>

#include "math/curve/time_profile.h"
#include "scene/part/linkage.h"

bool lb_linkage_turn_copy(lb_arena* scratch, const lb_scene_linkage* k, const lb_linkage_copy* copy,
                          double angle, double (**at)[2], double* reached) {
  lb_planar planar;
  if (!lb_linkage_planar(k, scratch, &planar, at)) {
    return false;
  }
  const double drawn = lb_linkage_crank_angle(k, *at);
  const double own = copy->mirror ? M_PI - angle : angle;
  const double way = remainder(own - drawn, 2 * M_PI);
  // the other way round where the linkage jams on the shorter one
  for (int i = 0; i < 2; i++) {
    const double to = drawn + way - (i ? copysign(2 * M_PI, way) : 0);
    for (int p = 0; p < k->npoint && i; p++) {
      memcpy((*at)[p], k->point[p].at, sizeof k->point[p].at);
    }
    if (lb_planar_turn(&planar, *at, drawn, to, scratch, reached) != LB_OK) {
      return false;
    }
    *reached = angle + (copy->mirror ? to - *reached : *reached - to);
    if (*reached == angle) {
      break;
    }
  }
  for (int i = 0; i < k->npoint && copy->mirror; i++) {
    (*at)[i][0] = -(*at)[i][0];
  }
  return true;
}

// Angle that a motor, or else the author, gives a joint at the start; NAN: none does.
static double given_angle(lb_reader* r, int joint) {
  const lb_scene* s = &r->scene;
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* m = &s->motor[i];
    lb_profile* profile = NULL;
    double value[3];
    if (m->joint != joint || m->drive != LB_DRIVE_POSITION || m->profile.count == 0) {
      continue;
    }
    if (lb_profile_create(&r->scratch, &m->profile, &profile) != LB_OK) {
      lb_lack(r);
      return NAN;
    }
    lb_profile_evaluate(profile, 0, value);
    return value[0];
  }
  return s->joint[joint].named.q[0] > 0 ? s->joint[joint].q[0] : (double)NAN;
}

static void start_copy(lb_reader* r, const lb_scene_linkage* k, lb_linkage_copy* copy) {
  const int crank = copy->joint[0];
  double drawn[2][2];
  memcpy(drawn[0], k->point[k->bar[k->crank].point[0]].at, sizeof drawn[0]);
  memcpy(drawn[1], k->point[k->bar[k->crank].point[1]].at, sizeof drawn[1]);
  const double rough = atan2(drawn[1][1] - drawn[0][1], drawn[1][0] - drawn[0][0]);
  const double given = given_angle(r, crank);
  const double own = isfinite(given) ? given : copy->mirror && !k->shaft ? M_PI - rough : rough;
  copy->angle = own + (k->shaft ? 2 * M_PI * copy->phase : 0);
  double(*at)[2] = NULL;
  double reached = copy->angle;
  if (!lb_linkage_turn_copy(&r->scratch, k, copy, copy->angle, &at, &reached)) {
    lb_lack(r);
    return;
  }
  if (reached != copy->angle) {
    lb_complain(r, copy->place,
                "its crank cannot start at %.4g degrees: it jams at %.4g degrees, coming from %.4g",
                copy->angle * 180 / M_PI, remainder(reached, 2 * M_PI) * 180 / M_PI,
                rough * 180 / M_PI);
    return;
  }
  for (int i = 0; i < k->npin; i++) {
    double angle[2];
    for (int e = 0; e < 2; e++) {
      const int b = k->pin[i].bar[e];
      angle[e] = b < 0 ? 0 : b == k->crank ? own : lb_linkage_bar_angle(&k->bar[b], at);
    }
    lb_scene_joint* joint = &r->scene.joint[copy->joint[i]];
    const double q = angle[1] - angle[0];
    joint->q[0] = joint->named.q[0] > 0     ? joint->q[0]
                  : copy->joint[i] == crank ? own
                                            : remainder(q, 2 * M_PI);
  }
}

void lb_start_linkages(lb_reader* r) {
  for (int i = 0; i < r->scene.nlinkage && !r->no_memory && r->report.status == LB_OK; i++) {
    lb_scene_linkage* k = &r->scene.linkage[i];
    r->subject = lb_compose(r, "linkage '%.64s'", k->name);
    for (int c = 0; c < k->ncopy; c++) {
      start_copy(r, k, &k->copy[c]);
    }
  }
  r->subject = "";
}
