// What must hold of one joint by itself, whatever it joins.
#include <math.h>

#include "scene/check/scene_check.h"
#include "scene/yaml/reader.h"

static bool all_finite(const double* x, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

static bool pose_holds(const lb_transform* X) {
  const lb_quat q = X->q;
  return all_finite(&X->p.x, 3) && fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6;
}

static bool amount_holds(double x) {
  return x >= 0 && isfinite(x);
}

// Coordinates of distances and of angles have limits of their own.
static bool mixes(const lb_scene_joint* j) {
  return j->kind == LB_JOINT_FREE || j->kind == LB_JOINT_FREE_2D || j->kind == LB_JOINT_FREE_3D;
}

// Limits that push but are nowhere.
static void check_limits_are_given(lb_checker* c, const lb_scene_joint* j, const char* name,
                                   bool turns) {
  const bool ball = j->kind == LB_JOINT_SPHERICAL || (j->kind == LB_JOINT_FREE && turns);
  bool any = j->kind == LB_JOINT_COMPOSITE; // whose parts are looked at
  for (int k = 0; k < lb_joint_count_v(j); k++) {
    const bool turn = mixes(j) && lb_joint_counts(j, k) == LB_COORDINATE_ANGLE;
    any |= turn == turns && (isfinite(j->lower[k]) || isfinite(j->upper[k])) &&
           !(ball && k == 0 && !isfinite(j->upper[k]));
  }
  if (!any) {
    LB_SAY(c, j->place,
           "joint '%s': its %s say how hard they push, but not where they are (give %s)", name,
           turns ? "turn_limits" : "limits",
           ball ? "'swing', 'twist' or both" : "'lower', 'upper' or both");
  }
}

// Of the swing and the twist of a joint with a quaternion.
static void check_ball_limits(lb_checker* c, const lb_scene_joint* j, const char* name) {
  const double half_turn = 3.14159265358979323846;
  const double twist = fmax(isfinite(j->lower[1]) ? fabs(j->lower[1]) : 0,
                            isfinite(j->upper[1]) ? fabs(j->upper[1]) : 0);
  if (!(j->upper[0] > 0) || (isfinite(j->upper[0]) && j->upper[0] >= half_turn) ||
      twist >= half_turn) {
    LB_SAY(c, j->place,
           "joint '%s': its swing must be greater than 0 and less than half a turn, its twist "
           "within half a turn both ways",
           name);
  }
}

static void check_resistance(lb_checker* c, const lb_scene_joint* j, const char* name) {
  const lb_joint_resistance* t = &j->turn;
  const double amount[] = {j->friction,         j->limit_stiffness, j->limit_damping,
                           j->limit_transition, t->stiffness,       t->damping,
                           t->armature,         t->friction,        t->limit_stiffness,
                           t->limit_damping,    t->limit_transition};
  bool ok = j->friction_speed > 0 && isfinite(j->friction_speed) && t->friction_speed > 0 &&
            isfinite(t->friction_speed);
  for (size_t i = 0; i < sizeof amount / sizeof *amount; i++) {
    ok &= amount_holds(amount[i]);
  }
  if (!ok) {
    LB_SAY(c, j->place,
           "joint '%s': friction and what its limits do must be 0 or more, and the speed of "
           "friction greater than 0",
           name);
  }
  if ((j->kind == LB_JOINT_SPHERICAL && j->limit_stiffness > 0) ||
      (j->kind == LB_JOINT_FREE && t->limit_stiffness > 0)) {
    check_ball_limits(c, j, name);
  }
  for (int turns = 0; turns <= mixes(j); turns++) {
    if ((turns ? t->limit_stiffness : j->limit_stiffness) > 0) {
      check_limits_are_given(c, j, name, turns);
    }
  }
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    if (!(j->lower[k] <= j->upper[k])) {
      LB_SAY(c, j->place, "joint '%s': its lower limit, %g, is above its upper one, %g", name,
             j->lower[k], j->upper[k]);
      return;
    }
  }
}

// A ball is turned and a body that flies is moved by so much, whichever way: tables have one side.
static bool begins_at_rest(const lb_force_curve* force_curve) {
  return force_curve->count == 0 || (force_curve->stretch[0] == 0 && force_curve->force[0] == 0);
}

static void check_laws(lb_checker* c, const lb_scene_joint* j, const char* name) {
  const bool turns = j->kind == LB_JOINT_SPHERICAL || j->kind == LB_JOINT_FREE;
  if (!lb_force_curve_holds(&j->force_curve) || !lb_force_curve_holds(&j->turn.force_curve) ||
      j->force_curve.slack || j->turn.force_curve.slack) {
    LB_SAY(c, j->place,
           "joint '%s': exponents of its spring must be 0 or at least 1, tables finite and rising, "
           "and it cannot go slack",
           name);
  } else if (turns && (!begins_at_rest(&j->force_curve) || !begins_at_rest(&j->turn.force_curve))) {
    LB_SAY(c, j->place,
           "joint '%s' is %s: a table of its spring is of how far it is off, whichever way, and "
           "must begin with [0, 0]",
           name, j->kind == LB_JOINT_FREE ? "free" : "spherical");
  }
}

static void check_curve(lb_checker* c, const lb_scene_joint* j, const char* name) {
  bool ok = j->nframe >= 4 && j->frame;
  for (int i = 0; ok && i < j->nframe; i++) {
    ok = pose_holds(&j->frame[i]);
  }
  if (!ok) {
    LB_SAY(c, j->place,
           "joint '%s': a spline curve needs four frames or more, finite, with quaternions of "
           "length one",
           name);
  }
}

static void check_surface(lb_checker* c, const lb_scene_joint* j, const char* name) {
  bool ok = j->rows >= 4 && j->columns >= 4;
  for (int k = 0; ok && k < 6; k++) {
    ok = !j->control[k] || all_finite(j->control[k], j->rows * j->columns);
  }
  if (!ok) {
    LB_SAY(c, j->place,
           "joint '%s': a spline surface needs grids of four by four finite numbers or more", name);
  }
}

static void check_parts(lb_checker* c, const lb_scene_joint* j, const char* name) {
  for (int i = 0; i < j->npart; i++) {
    const lb_scene_joint* part = &j->part[i];
    const double across = lb_vec3_dot(part->axis, part->axis2);
    if ((int)part->kind < 0 || part->kind >= LB_JOINT_COUNT || part->kind == LB_JOINT_SPHERICAL ||
        part->kind == LB_JOINT_FREE) {
      LB_SAY(c, j->place, "joint '%s': its part %d is of a kind that cannot be one", name, i + 1);
      return;
    }
    if (!pose_holds(&part->in_parent) || !all_finite(&part->axis.x, 3) ||
        !(fabs(lb_vec3_norm(part->axis) - 1) < 1e-6) || !amount_holds(part->stiffness) ||
        !amount_holds(part->damping) || !amount_holds(part->armature) ||
        ((part->kind == LB_JOINT_UNIVERSAL || part->kind == LB_JOINT_PLANAR ||
          part->kind == LB_JOINT_FREE_2D) &&
         !(fabs(lb_vec3_norm(part->axis2) - 1) < 1e-6 && fabs(across) < 1e-6))) {
      LB_SAY(c, j->place,
             "joint '%s': the numbers of its part %d must be finite, its axes of length one and "
             "at right angles, and stiffness, damping and armature 0 or more",
             name, i + 1);
    }
    lb_check_joint_shape(c, part, name);
  }
  const int n = lb_joint_count_v(j);
  if (n < 1 || n > LB_JOINT_MOST_V) {
    LB_SAY(c, j->place, "joint '%s': its parts have %d coordinates together, not 1 to %d", name, n,
           LB_JOINT_MOST_V);
  }
}

void lb_check_joint_shape(lb_checker* c, const lb_scene_joint* j, const char* name) {
  check_resistance(c, j, name);
  check_laws(c, j, name);
  if (!pose_holds(&(lb_transform){.q = j->rest_turn})) {
    LB_SAY(c, j->place, "joint '%s': the quaternion its spring turns to must be of length one",
           name);
  }
  if (!isfinite(j->pitch) || !all_finite(j->rest, LB_JOINT_MOST_V) || (int)j->order < 0 ||
      j->order >= LB_TURN_COUNT || (j->kind == LB_JOINT_EULER && j->order == LB_TURN_EXPONENTIAL)) {
    LB_SAY(c, j->place, "joint '%s': its pitch must be finite and its order one of angles", name);
  }
  if (j->kind == LB_JOINT_CURVE) {
    check_curve(c, j, name);
  } else if (j->kind == LB_JOINT_SURFACE) {
    check_surface(c, j, name);
  } else if (j->kind == LB_JOINT_COMPOSITE) {
    check_parts(c, j, name);
  }
}
