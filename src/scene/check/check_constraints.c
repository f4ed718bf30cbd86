// Constraints, in scenes from files and made by hand alike.
#include <math.h>

#include "scene/check/scene_check.h"

bool lb_joint_is_driven(const lb_scene* s, int joint, int coordinate) {
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* m = &s->motor[i];
    if (m->joint == joint && (m->coordinate == coordinate || coordinate < 0) &&
        m->drive == LB_DRIVE_POSITION) {
      return true;
    }
  }
  return false;
}

bool lb_coordinate_is_plain(const lb_scene_joint* j, int coordinate) {
  const int n = lb_joint_count_q(j);
  return n == lb_joint_count_v(j) && coordinate >= 0 && coordinate < n;
}

static bool term_holds(lb_checker* c, const lb_scene_constraint* k, const lb_scene_term* t) {
  if (t->joint < 0 || t->joint >= c->s->njoint) {
    LB_SAY(c, k->place, "constraint '%s' couples joint %d, which does not exist", k->name,
           t->joint);
    return false;
  }
  const lb_scene_joint* j = &c->s->joint[t->joint];
  if ((int)j->kind < 0 || j->kind >= LB_JOINT_COUNT) {
    return false; // told
  }
  if (!lb_coordinate_is_plain(j, t->coordinate)) {
    LB_SAY(c, k->place,
           "constraint '%s' couples coordinate %d of joint '%s', which is %s and has no such "
           "angle or distance",
           k->name, t->coordinate, j->name, lb_joint_kind_name(j->kind));
    return false;
  }
  if (!isfinite(t->factor) || t->factor == 0) {
    LB_SAY(c, k->place, "constraint '%s': the factor on joint '%s' must be finite and not 0",
           k->name, j->name);
    return false;
  }
  return true;
}

// The sum at the start. Where a joint starts that closes a loop is not known yet: it is judged when
// the loop is cut (model/build/split_bodies.c).
static void check_start(lb_checker* c, const lb_scene_constraint* k) {
  double sum = 0, size = 0;
  bool driven = true;
  for (int i = 0; i < k->nterm; i++) {
    const double x = k->term[i].factor * c->s->joint[k->term[i].joint].q[k->term[i].coordinate];
    sum += x;
    size = fmax(size, fabs(x));
    driven = driven && lb_joint_is_driven(c->s, k->term[i].joint, k->term[i].coordinate);
  }
  if (driven) {
    LB_SAY(c, k->place,
           "constraint '%s' prescribes what motors prescribe already (take it away, or let one of "
           "its joints go)",
           k->name);
  } else if (k->nterm == 1 && (sum < k->least - 1e-9 * size || sum > k->most + 1e-9 * size) &&
             k->least < k->most && !c->s->joint[k->term[0].joint].loop &&
             !lb_joint_is_driven(c->s, k->term[0].joint, k->term[0].coordinate)) {
    LB_SAY(c, k->place,
           "constraint '%s': joint '%s' starts at %g, which is %s (start within the limits)",
           k->name, c->s->joint[k->term[0].joint].name, sum / k->term[0].factor,
           sum < k->least ? "below 'at_least'" : "above 'at_most'");
  }
}

static void check_couple(lb_checker* c, const lb_scene_constraint* k) {
  bool ok = k->nterm > 0;
  for (int i = 0; i < k->nterm; i++) {
    ok = term_holds(c, k, &k->term[i]) && ok;
    for (int j = 0; ok && j < i; j++) {
      if (k->term[i].joint == k->term[j].joint && k->term[i].coordinate == k->term[j].coordinate) {
        LB_SAY(c, k->place, "constraint '%s' names joint '%s' twice (add the factors)", k->name,
               c->s->joint[k->term[i].joint].name);
        ok = false;
      }
    }
  }
  if (!(k->least <= k->most) || k->least == (double)INFINITY || k->most == -(double)INFINITY) {
    LB_SAY(c, k->place, "constraint '%s': its bounds must be numbers, the lower first", k->name);
  } else if (ok) {
    check_start(c, k);
  }
}

static void check_points(lb_checker* c, const lb_scene_constraint* k) {
  if (k->body < 0 || k->body >= c->s->nbody) {
    LB_SAY(c, k->place, "constraint '%s' is about body %d, which does not exist", k->name, k->body);
    return;
  }
  if (c->s->body[k->body].elastic || c->s->body[k->body].reduced) {
    LB_SAY(c, k->place,
           "constraint '%s' is about the elastic body '%s' (fix a rigid body to its face, and lead "
           "that)",
           k->name, c->s->body[k->body].name);
  }
  if (k->angle.count > 0 && !(fabs(lb_vec3_norm(k->about) - 1) < 1e-9)) {
    LB_SAY(c, k->place, "constraint '%s': the axis of its turn must be of length one", k->name);
  }
  const double normal = lb_vec3_norm(k->normal);
  if (k->kind == LB_CONSTRAINT_FLOOR && !(normal == 0 || fabs(normal - 1) < 1e-9)) {
    LB_SAY(c, k->place, "constraint '%s': the normal of its floor must be of length one", k->name);
  }
  const lb_quat from = k->from;
  const double norm = from.w * from.w + from.x * from.x + from.y * from.y + from.z * from.z;
  if (k->has_from && !(fabs(norm - 1) < 1e-9)) {
    LB_SAY(c, k->place, "constraint '%s': what it turns from must be of length one", k->name);
  }
  for (int i = 0; i < k->npoint; i++) {
    if (!isfinite(k->point[i].x + k->point[i].y + k->point[i].z) || !isfinite(k->height)) {
      LB_SAY(c, k->place, "constraint '%s': its numbers must be finite", k->name);
    }
  }
}

// Unilateral constraints need steps that can stop short; and few coordinates, all of them in one
// matrix.
static bool is_unilateral(const lb_scene_constraint* k) {
  return k->kind == LB_CONSTRAINT_FLOOR || (k->kind == LB_CONSTRAINT_COUPLE && k->least < k->most);
}

static void check_unilateral(lb_checker* c, const lb_scene_constraint* k) {
  if (c->s->solver.integrator == LB_INTEGRATOR_ADAPTIVE) {
    LB_SAY(
        c, k->place,
        "constraint '%s' pushes one way only, which the integrator adaptive cannot follow (choose "
        "another)",
        k->name);
  }
  if (c->s->solver.elastic == LB_SPACE_FULL) {
    LB_SAY(
        c, k->place,
        "constraint '%s' pushes one way only, which needs 'elastic: reduced' (a ground of springs "
        "and springs at joints' limits do not)",
        k->name);
  }
}

void lb_check_constraints(lb_checker* c) {
  for (int i = 0; i < c->s->nconstraint; i++) {
    const lb_scene_constraint* k = &c->s->constraint[i];
    if (k->kind == LB_CONSTRAINT_COUPLE) {
      check_couple(c, k);
    } else {
      check_points(c, k);
    }
    if (is_unilateral(k)) {
      check_unilateral(c, k);
    }
  }
}
