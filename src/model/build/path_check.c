#include "model/build/path_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/curve/rotation_profile.h"
#include "math/curve/time_profile.h"
#include "model/use/initial_pose.h"

// Who is looked at, and until when.
typedef struct look {
  const lb_model* m;
  double until;
  lb_error* err;
} look;

// Remark on a time after the scene's own end.
static const char* beyond(const look* l, double time, char* text, size_t size) {
  *text = 0;
  if (time >= l->m->duration) {
    snprintf(text, size, " (the scene itself ends at %g s)", l->m->duration);
  }
  return text;
}

// Motor: of three that prescribe a rotation, NAME.x and so on, the first has the path.
static lb_status check_motor(const look* l, int i) {
  const lb_model* m = l->m;
  const lb_turning* turning = m->motor.turning[i];
  const bool prescribes = m->motor.drive[i] == LB_DRIVE_POSITION && m->motor.profile[i];
  const double jump = turning      ? lb_turning_jump(turning, l->until)
                      : prescribes ? lb_profile_jump(m->motor.profile[i], l->until, true)
                                   : (double)NAN;
  if (isnan(jump)) {
    return LB_OK;
  }
  const int length = (int)strlen(m->motor.name[i]) - (turning ? 2 : 0);
  char text[64];
  return lb_error_add(
      l->err, LB_INVALID, m->motor.place[i],
      "motor '%.*s' jumps at t = %g s, which no force can follow: ease 'smooth' "
      "or 'cubic', come to rest at the end or have a key beyond it, or 'drive: force'%s",
      length, m->motor.name[i], jump, beyond(l, jump, text, sizeof text));
}

// A jump in a path or its slope would need an infinite force; of rates, a jump in them.
static lb_status check_path(const look* l, const lb_model_constraint* of, const lb_profile* path,
                            bool velocity_level) {
  const double jump = path ? lb_profile_jump(path, l->until, !velocity_level) : (double)NAN;
  char text[64];
  return isnan(jump)
             ? LB_OK
             : lb_error_add(l->err, LB_INVALID, of->place,
                            "the path of constraint '%s' jumps at t = %g s, which no force "
                            "can follow: %s%s",
                            of->name, jump,
                            velocity_level ? "let 'rates' end as they begin, to repeat"
                                           : "ease 'smooth' or 'cubic', or come to rest at the end",
                            beyond(l, jump, text, sizeof text));
}

// A kink in a cam's profile would need one, too.
static lb_status check_curves(const look* l, const lb_model_coupling* r) {
  lb_status status = LB_OK;
  for (int i = r->first; i < r->first + r->count && status == LB_OK; i++) {
    const lb_profile* curve = l->m->constraint.term[i].curve;
    const double kink = curve ? lb_profile_jump(curve, (double)INFINITY, true) : (double)NAN;
    if (!isnan(kink)) {
      status = lb_error_add(l->err, LB_INVALID, r->place,
                            "the profile of constraint '%s' has a kink or jump at %g, which no "
                            "force can follow: ease 'smooth' or 'cubic', or end it as it begins",
                            r->name, kink);
    }
  }
  return status;
}

static lb_status check_prescribed(const look* l, const lb_model_prescribed* g) {
  const lb_model_constraint* of = &l->m->constraint.item[g->constraint];
  lb_status status = check_path(l, of, g->angle, g->angle_velocity_level);
  for (int axis = 0; axis < 3 && status == LB_OK; axis++) {
    status = check_path(l, of, g->path[axis], g->velocity_level[axis]);
  }
  return status;
}

lb_status lb_model_check_paths(const lb_model* m, double until, lb_error* err) {
  // what comes with the last moment has no effect, however that was rounded
  const look l = {m, until * (1 - 1e-9), err};
  lb_status status = LB_OK;
  for (int i = 0; i < m->nmotor && status == LB_OK; i++) {
    status = check_motor(&l, i);
  }
  for (int i = 0; i < m->constraint.ncoupling && status == LB_OK; i++) {
    const lb_model_coupling* r = &m->constraint.coupling[i];
    status =
        check_path(&l, &m->constraint.item[m->constraint.npair + i], r->path, r->velocity_level);
    status = status == LB_OK ? check_curves(&l, r) : status;
  }
  for (int i = 0; i < m->constraint.nprescribed && status == LB_OK; i++) {
    status = check_prescribed(&l, &m->constraint.prescribed[i]);
  }
  return status;
}
