// Validity of constraints.
#include <math.h>
#include <string.h>

#include "scene/part/part.h"

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

static bool term_holds(lb_checker* c, const lb_scene_term* t) {
  if (t->joint < 0 || t->joint >= c->s->njoint) {
    lb_say(c, " couples joint %d, which does not exist", t->joint);
    return false;
  }
  const lb_scene_joint* j = &c->s->joint[t->joint];
  if ((int)j->kind < 0 || j->kind >= LB_JOINT_COUNT) {
    return false; // reported
  }
  if (!lb_coordinate_is_plain(j, t->coordinate)) {
    lb_say(c, " couples coordinate %d of joint '%s', which is %s and has no such angle or distance",
           t->coordinate, j->name, lb_joint_kind_name(j->kind));
    return false;
  }
  if (!lb_profile_holds(&t->curve)) {
    lb_say(c, ": the profile over joint '%s' must have coordinates that rise, and finite values",
           j->name);
    return false;
  }
  if (!isfinite(t->factor) || t->factor == 0) {
    lb_say(c, ": the factor on joint '%s' must be finite and not 0", j->name);
    return false;
  }
  return true;
}

// The sum at the start. Where a joint starts that closes a loop is not known yet: it is judged when
// the loop is cut (model/build/scene_rewrite.c).
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
    lb_say(c,
           " prescribes what motors prescribe already (take it away, or let one of its joints go)");
  } else if (k->nterm == 1 && k->term[0].curve.count == 0 &&
             (sum < k->least - 1e-9 * size || sum > k->most + 1e-9 * size) && k->least < k->most &&
             k->compliance[0].stiffness == 0 && !c->s->joint[k->term[0].joint].loop &&
             !lb_joint_is_driven(c->s, k->term[0].joint, k->term[0].coordinate)) {
    lb_say(c, ": joint '%s' starts at %g, which is %s (start within the limits)",
           c->s->joint[k->term[0].joint].name, sum / k->term[0].factor,
           sum < k->least ? "below 'at_least'" : "above 'at_most'");
  }
}

static void check_couple(lb_checker* c, const lb_scene_constraint* k) {
  bool ok = k->nterm > 0;
  for (int i = 0; i < k->nterm; i++) {
    ok = term_holds(c, &k->term[i]) && ok;
    for (int j = 0; ok && j < i; j++) {
      if (k->term[i].joint == k->term[j].joint && k->term[i].coordinate == k->term[j].coordinate) {
        lb_say(c, " names joint '%s' twice (add the factors)", c->s->joint[k->term[i].joint].name);
        ok = false;
      }
    }
  }
  if (k->ratchet && !(k->pitch >= 0 && isfinite(k->pitch))) {
    lb_say(c, ": the pitch of its ratchet must be a number that is not negative");
  }
  if (!(k->least <= k->most) || k->least == (double)INFINITY || k->most == -(double)INFINITY) {
    lb_say(c, ": its bounds must be numbers, the lower first");
  } else if (ok) {
    check_start(c, k);
  }
}

static void check_points(lb_checker* c, const lb_scene_constraint* k) {
  if (k->body < 0 || k->body >= c->s->nbody) {
    lb_say(c, " is about body %d, which does not exist", k->body);
    return;
  }
  if (c->s->body[k->body].elastic || c->s->body[k->body].reduced) {
    lb_say(c, " is about the elastic body '%s' (fix a rigid body to its face, and prescribe that)",
           c->s->body[k->body].name);
  }
  if (k->angle.count > 0 && !(fabs(lb_vec3_norm(k->about) - 1) < 1e-9)) {
    lb_say(c, ": the axis of its turn must be of length one");
  }
  const double normal = lb_vec3_norm(k->normal);
  if (!(normal == 0 || fabs(normal - 1) < 1e-9)) {
    lb_say(c, ": the normal of its floor must be of length one");
  }
  const lb_quat from = k->from;
  const double norm = from.w * from.w + from.x * from.x + from.y * from.y + from.z * from.z;
  if (k->has_from && !(fabs(norm - 1) < 1e-9)) {
    lb_say(c, ": what it turns from must be of length one");
  }
  for (int i = 0; i < k->npoint; i++) {
    if (!isfinite(k->point[i].x + k->point[i].y + k->point[i].z) || !isfinite(k->height)) {
      lb_say(c, ": its numbers must be finite");
    }
  }
}

// Bodies at the two ends of what is between them; false: one is not there.
static bool ends_hold(lb_checker* c, const lb_scene_constraint* k) {
  const int body[2] = {k->other ? k->other->body : -2, k->body};
  for (int i = 0; i < 2; i++) {
    const bool still = i == 0 && body[i] == LB_WORLD;
    if (!still && (body[i] < 0 || body[i] >= c->s->nbody)) {
      lb_say(c, " is %s a body that does not exist", i == 0 ? "from" : "to");
      return false;
    }
    if (!still && (c->s->body[body[i]].elastic || c->s->body[body[i]].reduced)) {
      lb_say(c,
             " is fastened to the elastic body '%s' (fix a rigid body to its face, and fasten it "
             "to that)",
             c->s->body[body[i]].name);
    }
  }
  if (body[0] == body[1]) {
    lb_say(c, " joins '%s' to itself (take it away)", c->s->body[body[0]].name);
  }
  const lb_vec3 a = k->other->at, b = k->point[0];
  if (!isfinite(a.x + a.y + a.z + b.x + b.y + b.z)) {
    lb_say(c, ": its numbers must be finite");
  }
  return true;
}

static void check_distance(lb_checker* c, const lb_scene_constraint* k) {
  if (ends_hold(c, k) && (k->length <= 0 || isinf(k->length))) {
    lb_say(c, ": its length must be finite and positive");
  }
}

static void check_incidence(lb_checker* c, const lb_scene_constraint* k) {
  const double axis = lb_vec3_norm(k->about);
  if (ends_hold(c, k) &&
      (!(fabs(lb_vec3_norm(k->normal) - 1) < 1e-9) || !(axis == 0 || fabs(axis - 1) < 1e-9))) {
    lb_say(c, ": its directions must be of length one");
  }
}

// Unilateral constraints need steps that can stop short; and few coordinates, all of them in one
// matrix. Floors are.
static void check_unilateral(lb_checker* c) {
  if (lb_integrator_method(c->s->solver.integrator) == LB_METHOD_ADAPTIVE) {
    lb_say(c, " is unilateral, which the integrator adaptive cannot follow (choose another)");
  }
  if (c->s->solver.elastic == LB_SPACE_FULL) {
    lb_say(c, " is unilateral, which needs 'elastic: reduced' (a ground of springs and springs at "
              "joints' limits do not)");
  }
}

bool lb_compliance_holds(const lb_compliance* by) {
  return isfinite(by->stiffness + by->damping) && by->stiffness >= 0 && by->damping >= 0 &&
         (by->stiffness > 0 || by->damping == 0);
}

bool lb_constraint_is_unilateral(const lb_scene_constraint* k) {
  return k->kind == LB_CONSTRAINT_FLOOR || k->unilateral ||
         (k->kind == LB_CONSTRAINT_COUPLE && k->least < k->most);
}

static bool any_exact(const lb_scene* s) {
  bool any = false;
  for (int i = 0; i < s->nconstraint; i++) {
    const lb_scene_constraint* k = &s->constraint[i];
    any |= lb_constraint_is_unilateral(k) && k->compliance[0].stiffness == 0;
  }
  return any;
}

// Newton's method of implicit steps has its own way with exact unilateral constraints, which has no
// room for bounds of other kinds; nor have all nodes of elastic bodies.
bool lb_scene_solves_bounds(const lb_scene* s) {
  const lb_integrator by = s->solver.integrator;
  return by == LB_INTEGRATOR_LINEAR_EULER || by == LB_INTEGRATOR_EULER ||
         (lb_integrator_method(by) == LB_METHOD_IMPLICIT && s->solver.elastic != LB_SPACE_FULL &&
          !any_exact(s));
}

// Unilateral constraints that yield: forces for explicit steps, which others solve for.
static void check_bound(lb_checker* c) {
  const lb_scene* s = c->s;
  const bool solves = lb_scene_solves_bounds(s);
  if (!solves && lb_integrator_method(s->solver.integrator) == LB_METHOD_IMPLICIT) {
    lb_say(c, " is unilateral and yields: %s cannot step it beside %s (choose linear-euler%s)",
           lb_integrator_name(s->solver.integrator),
           any_exact(s) ? "unilateral ones that do not" : "all nodes of elastic bodies",
           any_exact(s) ? ", or let all of them yield" : "; or 'elastic: reduced'");
  } else if (solves && (s->optimize.nparameter > 0 || s->retarget.ntrack > 0)) {
    lb_say(c, " is unilateral and yields, which gradients do not know but with explicit "
              "integrators (take its stiffness away, or choose one of these)");
  }
}

// Only what is about places can yield.
static void check_compliance(lb_checker* c, const lb_scene_constraint* k, bool unilateral) {
  bool any = false, rates = k->angle_velocity_level;
  for (int i = 0; i < 2; i++) {
    any |= k->compliance[i].stiffness != 0 || k->compliance[i].damping != 0;
    if (!lb_compliance_holds(&k->compliance[i])) {
      lb_say(c, ": it needs a stiffness above 0 beside its damping");
    }
  }
  for (int i = 0; i < 3; i++) {
    rates |= k->velocity_level[i];
  }
  if (any && unilateral) {
    check_bound(c);
  } else if (any && rates) {
    lb_say(c, " prescribes a rate, and has no gap to pull back (take its stiffness away, or give "
              "'keys')");
  }
}

void lb_check_constraint(lb_checker* c, const void* part) {
  static void (*const check[])(lb_checker*, const lb_scene_constraint*) = {
      [LB_CONSTRAINT_COUPLE] = check_couple,  [LB_CONSTRAINT_FOLLOW] = check_points,
      [LB_CONSTRAINT_FLOOR] = check_points,   [LB_CONSTRAINT_DISTANCE] = check_distance,
      [LB_CONSTRAINT_LINE] = check_incidence, [LB_CONSTRAINT_PLANE] = check_incidence};
  const lb_scene_constraint* k = part;
  check[k->kind](c, k);
  const bool unilateral = lb_constraint_is_unilateral(k);
  if (unilateral && k->compliance[0].stiffness == 0) {
    check_unilateral(c);
  }
  check_compliance(c, k, unilateral);
}
