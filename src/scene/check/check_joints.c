// Validity of joints.
#include <math.h>

#include "scene/part/part.h"

static bool pose_holds(const lb_transform* X) {
  const lb_quat q = X->q;
  return lb_all_finite(&X->p.x, 3) &&
         fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6;
}

// Limits that push but are nowhere.
static void check_limits_are_given(lb_checker* c, const lb_scene_joint* j, bool turns) {
  const bool ball = lb_joint_has_quaternion(j) && turns == lb_joint_slides_and_turns(j);
  bool any = lb_joint_count_parts(j) > 0; // which parts are looked at
  for (int k = 0; k < lb_joint_count_v(j); k++) {
    const bool turn = lb_joint_slides_and_turns(j) && lb_joint_counts(j, k) == LB_COORDINATE_ANGLE;
    any |= turn == turns && (isfinite(j->lower[k]) || isfinite(j->upper[k])) &&
           !(ball && k == 0 && !isfinite(j->upper[k]));
  }
  if (!any) {
    lb_say(c, ": its %s say how stiff they are, but not where they are (give %s)",
           turns ? "turn_limits" : "limits",
           ball ? "'swing', 'twist' or both" : "'lower', 'upper' or both");
  }
}

// Of the swing and the twist of a joint with a quaternion.
static void check_ball_limits(lb_checker* c, const lb_scene_joint* j) {
  const double half_turn = 3.14159265358979323846;
  const double twist = fmax(isfinite(j->lower[1]) ? fabs(j->lower[1]) : 0,
                            isfinite(j->upper[1]) ? fabs(j->upper[1]) : 0);
  if (!(j->upper[0] > 0) || (isfinite(j->upper[0]) && j->upper[0] >= half_turn) ||
      twist >= half_turn) {
    lb_say(c, ": its swing must be greater than 0 and less than half a turn, its twist within half "
              "a turn both ways");
  }
}

static void check_limits(lb_checker* c, const lb_scene_joint* j) {
  const bool both = lb_joint_slides_and_turns(j);
  const double push[2] = {j->resistance.limit_stiffness, j->turn.limit_stiffness};
  if (lb_joint_has_quaternion(j) && push[both] > 0) {
    check_ball_limits(c, j);
  }
  for (int turns = 0; turns <= both; turns++) {
    if (push[turns] > 0) {
      check_limits_are_given(c, j, turns);
    }
  }
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    if (!(j->lower[k] <= j->upper[k])) {
      lb_say(c, ": its lower limit, %g, is above its upper one, %g", j->lower[k], j->upper[k]);
      return;
    }
  }
}

// A ball is turned and a body that flies is moved by so much, whichever way: tables have one side.
static bool begins_at_rest(const lb_force_curve* force_curve) {
  return force_curve->count == 0 || (force_curve->stretch[0] == 0 && force_curve->force[0] == 0);
}

static void check_curves(lb_checker* c, const lb_scene_joint* j) {
  const lb_force_curve *own = &j->resistance.force_curve, *turn = &j->turn.force_curve;
  if (!lb_force_curve_holds(own) || !lb_force_curve_holds(turn) || own->slack || turn->slack) {
    lb_say(c, ": exponents of its spring must be 0 or at least 1, tables finite and rising, and it "
              "cannot go slack");
  } else if (lb_joint_has_quaternion(j) && (!begins_at_rest(own) || !begins_at_rest(turn))) {
    lb_say(c,
           " is %s: a table of its spring is of how far it is off, whichever way, and must begin "
           "with [0, 0]",
           lb_joint_kind_name(j->kind));
  }
}

static void check_curve(lb_checker* c, const lb_scene_joint* j) {
  bool ok = j->spline.nframe >= 4 && j->spline.frame;
  for (int i = 0; ok && i < j->spline.nframe; i++) {
    ok = pose_holds(&j->spline.frame[i]);
  }
  if (!ok) {
    lb_say(c, ": a spline curve needs four frames or more, finite, with quaternions of length one");
  }
}

static void check_surface(lb_checker* c, const lb_scene_joint* j) {
  bool ok = j->spline.rows >= 4 && j->spline.columns >= 4;
  for (int k = 0; ok && k < 6; k++) {
    ok = !j->spline.control[k] ||
         lb_all_finite(j->spline.control[k], j->spline.rows * j->spline.columns);
  }
  if (!ok) {
    lb_say(c, ": a spline surface needs grids of four by four finite numbers or more");
  }
}

static void check_shape(lb_checker* c, const lb_scene_joint* j);

static void check_parts(lb_checker* c, const lb_scene_joint* j) {
  for (int i = 0; i < j->npart; i++) {
    const lb_scene_joint* part = &j->part[i];
    const bool by_function = part->follows || part->profile.count > 0;
    if (!lb_joint_is_kind(part->kind) || lb_joint_has_quaternion(part) ||
        (by_function && part->kind != LB_JOINT_REVOLUTE && part->kind != LB_JOINT_PRISMATIC)) {
      lb_say(c, ": its part %d is of a kind that cannot be one", i + 1);
      return;
    }
    if (!lb_profile_holds(&part->profile) ||
        (part->follows && (part->leader < 0 || part->leader >= lb_joint_count_v(j)))) {
      lb_say(c, ": its part %d must follow a coordinate of the joint, by a valid function", i + 1);
    }
    lb_scene_joint between = *part; // of no bodies of its own
    between.parent = j->parent;
    between.child = j->child;
    c->place = part->place;
    check_shape(c, &between);
    c->place = j->place;
  }
  const int n = lb_joint_count_v(j);
  if (n < 1 || n > LB_JOINT_MOST_V) {
    lb_say(c, ": its parts have %d coordinates together, not 1 to %d", n, LB_JOINT_MOST_V);
  }
}

typedef void check_kind(lb_checker*, const lb_scene_joint*);
static check_kind* const checks[LB_JOINT_COUNT] = {[LB_JOINT_CURVE] = check_curve,
                                                   [LB_JOINT_SURFACE] = check_surface,
                                                   [LB_JOINT_COMPOSITE] = check_parts};

// Validity of a joint, or of a part of the joint of this name, by itself.
static void check_shape(lb_checker* c, const lb_scene_joint* j) {
  if (!lb_check_fields(c, &lb_joint_table[j->kind], j)) {
    return;
  }
  if (!lb_all_finite(j->q, LB_JOINT_MOST_Q) || !lb_all_finite(j->qd, LB_JOINT_MOST_V)) {
    lb_say(c, ": its start must be finite");
  }
  check_limits(c, j);
  check_curves(c, j);
  if (lb_joint_has_two_axes(j) &&
      !(fabs(lb_vec3_norm(j->axis2) - 1) < 1e-6 && fabs(lb_vec3_dot(j->axis, j->axis2)) < 1e-6)) {
    lb_say(c, ": its second axis must be of length one and at right angles to the first");
  }
  if (checks[j->kind]) {
    checks[j->kind](c, j);
  }
}

void lb_check_joint(lb_checker* c, const lb_scene_joint* j) {
  if (!lb_joint_is_kind(j->kind)) {
    lb_say(c, ": its kind is not one of those in limber/scene.h");
    return;
  }
  check_shape(c, j);
  if (lb_joint_has_quaternion(j)) {
    const double* q = j->q + lb_joint_quaternion(j);
    if (!(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-6)) {
      lb_say(c, ": the quaternion it starts with must be of length one");
    }
  }
  if (j->parent == j->child) {
    lb_say(c, " joins body '%s' to itself (name two bodies)", c->s->body[j->child].name);
  }
  for (int k = 0; k < 2; k++) {
    const lb_compliance* by = &j->compliance[k];
    if ((by->stiffness != 0 || by->damping != 0) && !j->loop &&
        c->s->solver.coordinates != LB_COORDINATES_MAXIMAL) {
      lb_say(c, " yields, but in reduced coordinates only joints that close loops do (add 'loop: "
                "true', or 'coordinates: maximal' to the solver)");
    } else if (!lb_compliance_holds(by)) {
      lb_say(c, ": its %s needs a stiffness above 0 beside its damping",
             k ? "compliance against turning" : "compliance");
    }
  }
  if (j->loop && j->kind == LB_JOINT_FREE) {
    lb_say(c, " closes a loop but is free, which holds nothing (choose a kind that does)");
  }
}
