// Motors and loads.
#include <math.h>

#include "scene/part/part.h"

static const char* const drive_names[] = {
    [LB_DRIVE_POSITION] = "position", [LB_DRIVE_FORCE] = "force", [LB_DRIVE_SERVO] = "servo"};
static const lb_choices drive_choices = LB_CHOICES(drive_names);
static const char* const frame_names[] = {"world", "body"};
static const lb_choices frame_choices = LB_CHOICES(frame_names);

// --- motors ---

static const lb_field motor_fields[] = {
    LB_ROW(JOINT, lb_scene_motor, "joint", joint, NULL, "the joint it drives"),
    LB_SIZED(COUNT, lb_scene_motor, "coordinate", coordinate, LB_PURE, LB_NOT_NEGATIVE, "0",
             "which, of a joint with several, from 0"),
    LB_FROM(CHOICE, lb_scene_motor, "drive", drive, &drive_choices, "position",
            "position: the coordinate follows exactly; force: a torque or force on it; servo: it "
            "follows as far as stiffness, damping and limit let it"),
    LB_LATER(WAY, "keys", NULL, "none",
             "[time, value] pairs: angles, distances or rotations, torques or forces"),
    LB_SHARED_PROFILE_ROWS(lb_scene_motor, profile),
    LB_LATER(BOUND, "stiffness", NULL, "infinite",
             "of a servo: torque over the angle it is behind"),
    LB_LATER(BOUND, "damping", NULL, "0", "of a servo: torque over the speed it is behind"),
    LB_LATER(BOUND, "limit", NULL, "none", "of a servo: the most torque or force"),
    LB_LATER(BOUND, "optimal", NULL, "1", "of a force: that of a control of 1 (--controls)"),
};

// A unit quaternion, which has one number more than it has rates, is prescribed as a whole.
static bool prescribes_rotation(const lb_scene_joint* joint, const lb_scene_motor* m) {
  return m->drive == LB_DRIVE_POSITION && lb_joint_count_q(joint) != lb_joint_count_v(joint);
}

// Dimension of the motor's profile; false when the joint has nothing that it could drive.
static bool motor_measure(lb_reader* r, const lb_yaml* node, const lb_scene_motor* m,
                          lb_dimension* dimension) {
  const lb_scene_joint* joint = &r->scene.joint[m->joint];
  const lb_yaml* coordinate = lb_yaml_find(node, "coordinate");
  const char* kind = lb_joint_kind_name(joint->kind);
  const int n = lb_joint_count_v(joint);
  if (n == 0) {
    return lb_complain(r, lb_yaml_find(node, "joint")->place,
                       "joint '%s' is %s and has nothing that a motor could move", joint->name,
                       kind);
  }
  if (m->coordinate >= n) {
    return lb_complain(r, coordinate->place, "joint '%s' is %s and has no coordinate %d (%s)",
                       joint->name, kind, m->coordinate,
                       n == 1 ? "its only one is 0" : lb_compose(r, "they are 0 to %d", n - 1));
  }
  if (prescribes_rotation(joint, m) && coordinate) {
    return lb_complain(r, coordinate->place,
                       "joint '%s' is %s, whose rotation is driven as a whole (take 'coordinate' "
                       "away and give rotations, take %s, or 'drive: force')",
                       joint->name, kind, lb_joint_by_numbers(joint));
  }
  const lb_joint_measure* measure = &lb_coordinate_measures[lb_joint_counts(joint, m->coordinate)];
  *dimension = m->drive == LB_DRIVE_FORCE ? measure->force : measure->place;
  return true;
}

// Numbers of a servo or a force, in units of its joint.
static bool read_bounds(lb_reader* r, const lb_yaml* node, lb_scene_motor* m) {
  const lb_scene_joint* joint = &r->scene.joint[m->joint];
  const lb_joint_measure* by = &lb_coordinate_measures[lb_joint_counts(joint, m->coordinate)];
  const lb_field field[] = {{.key = "stiffness", .dimension = by->stiffness},
                            {.key = "damping", .dimension = by->damping},
                            {.key = "limit", .dimension = by->force},
                            {.key = "optimal", .dimension = by->force}};
  static const lb_motor_drive OF[] = {LB_DRIVE_SERVO, LB_DRIVE_SERVO, LB_DRIVE_SERVO,
                                      LB_DRIVE_FORCE};
  double* const to[] = {&m->stiffness, &m->damping, &m->limit, &m->optimal};
  bool ok = true;
  for (int i = 0; i < LB_COUNT_OF(field); i++) {
    const lb_yaml* given = lb_yaml_find(node, field[i].key);
    lb_field number = field[i];
    number.value = LB_VALUE_NUMBER;
    number.range =
        to[i] == &m->stiffness || to[i] == &m->limit ? LB_POSITIVE_OR_INFINITE : LB_POSITIVE;
    if (given && m->drive != OF[i]) {
      ok = lb_complain(r, given->place, "'%s' is for %ss (write 'drive: %s')", field[i].key,
                       drive_names[OF[i]], drive_names[OF[i]]);
    } else if (given) {
      ok &= lb_read_value(r, given, &number, to[i]);
    }
  }
  const lb_yaml *stiffness = lb_yaml_find(node, "stiffness"),
                *damping = lb_yaml_find(node, "damping");
  if (ok && stiffness && damping && m->stiffness == 0) {
    return lb_complain(
        r, damping->place,
        "'damping' has nothing to resist beside an infinite stiffness (take it away)");
  }
  return ok;
}

static bool finish_motor(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_motor* m = part;
  lb_dimension dimension = LB_PURE;
  if (m->joint < 0 || !lb_joint_is_known(r, m->joint) || !motor_measure(r, node, m, &dimension)) {
    return false;
  }
  ok &= read_bounds(r, node, m);
  ok &= prescribes_rotation(&r->scene.joint[m->joint], m)
            ? lb_read_turning(r, node, &m->profile, &m->rotation)
            : lb_read_profile(r, node, dimension, &m->profile);
  return ok &&
         (m->profile.count > 0 ||
          lb_complain(r, m->place, "'keys' or 'spline' is missing (what the joint is to do)"));
}

// Rotations are of length one; from each to the next it must be clear which way round is shorter,
// and of repeated ones from the last to the first.
static void check_rotations(lb_checker* c, const lb_scene_motor* m) {
  static const double EITHER = 1e-6; // cosine of half the angle
  for (int i = 0; i < m->profile.count; i++) {
    const lb_quat a = m->rotation[i], b = m->rotation[(i + 1) % m->profile.count];
    if (!(fabs(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z - 1) < 1e-9)) {
      lb_say(c, ": its rotations must be of length one");
      return;
    }
    const bool goes_on = i + 1 < m->profile.count || m->profile.period > 0;
    if (goes_on && fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z) < EITHER) {
      lb_say(c,
             ": its rotations %d and %d are half a turn apart, and may be joined either way round "
             "(give one between)",
             i + 1, (i + 1) % m->profile.count + 1);
      return;
    }
  }
}

// Coordinate that no other motor may drive.
static void check_others(lb_checker* c, const lb_scene_motor* m, bool turns) {
  const lb_scene_joint* j = &c->s->joint[m->joint];
  int* other = &c->motor_of[m->joint * LB_JOINT_MOST_V];
  int told = 0;
  for (int k = m->coordinate; k < m->coordinate + (turns ? 3 : 1) && k < LB_JOINT_MOST_V; k++) {
    if (other[k] && !told) {
      told = other[k];
      lb_say(c, " drives joint '%s', which motor '%s' drives already (%s)", j->name,
             c->s->motor[told - 1].name,
             lb_joint_count_v(j) > 1 && !turns && !c->s->motor[told - 1].rotation
                 ? "keep one, or name another coordinate"
                 : "keep one");
    }
    other[k] = (int)(m - c->s->motor) + 1;
  }
}

// Integrators with gradients of servos.
static bool has_gradient(lb_integrator by) {
  return by == LB_INTEGRATOR_LINEAR_EULER || by == LB_INTEGRATOR_EULER;
}

// Implicit and linearly implicit steps find a servo's torque as an impulse; for all others it is a
// force, which needs a spring or a damper.
static void check_servo(lb_checker* c, const lb_scene_motor* m, const lb_scene_joint* j) {
  const lb_scene* s = c->s;
  const lb_integrator by = s->solver.integrator;
  const bool exact = m->stiffness == 0 && m->damping == 0, solved = lb_scene_solves_bounds(s);
  if (lb_joint_count_v(j) != 1) {
    lb_say(c, " is a servo: these drive joints of one coordinate (choose 'drive: position')");
  } else if (!solved && exact) {
    lb_say(c,
           " is a servo without 'stiffness' and 'damping', which holds exactly up to its limit: "
           "%s cannot step it %s(give it a stiffness, or choose linear-euler or euler)",
           lb_integrator_name(by), lb_integrator_method(by) == LB_METHOD_IMPLICIT ? "here " : "");
  } else if (s->retarget.ntrack > 0 || (s->optimize.nparameter > 0 && !has_gradient(by))) {
    lb_say(c, " is a servo, which gradients do not know%s (choose 'drive: position' or 'force')",
           s->retarget.ntrack > 0 ? "" : " but with linear-euler and euler");
  }
}

static void check_motor(lb_checker* c, const void* part) {
  const lb_scene_motor* m = part;
  const lb_scene_joint* j = &c->s->joint[m->joint];
  if (c->joint_broken && c->joint_broken[m->joint]) {
    return;
  }
  const int n = lb_joint_count_v(j);
  const bool turns = prescribes_rotation(j, m);
  if (m->coordinate >= n) {
    lb_say(c, " drives coordinate %d of joint '%s', which is %s and has %d", m->coordinate, j->name,
           lb_joint_kind_name(j->kind), n);
  } else if ((m->rotation != NULL) != turns || (turns && m->coordinate != 0)) {
    lb_say(c, " drives joint '%s', which is %s (%s)", j->name, lb_joint_kind_name(j->kind),
           turns ? "give it rotations of coordinate 0, or drive a force" : "give it numbers");
    return;
  }
  check_others(c, m, turns);
  if (m->drive == LB_DRIVE_SERVO) {
    check_servo(c, m, j);
  }
  if (m->profile.count < 1 ||
      !(m->rotation ? lb_profile_times_hold(&m->profile) : lb_profile_holds(&m->profile))) {
    lb_say(c, ": its values must be finite and its times rising");
  } else if (m->rotation) {
    check_rotations(c, m);
  } else if (m->drive != LB_DRIVE_FORCE && m->profile.count == 1 && m->profile.period > 0 &&
             m->profile.advance == 0) {
    lb_say(c,
           " repeats a single key, and stands still (add 'advance', such as '1 turn' for a crank "
           "that goes round in each cycle, or take 'repeat' away)");
  }
}

const lb_table lb_motor_table =
    LB_TABLE("motor", lb_scene_motor, motor_fields, .finish = finish_motor, .check = check_motor);

// --- loads ---

static const lb_field load_fields[] = {
    LB_ROW(ONE_BODY, lb_scene_load, "body", body, NULL, "the body it acts on"),
    LB_ROW(TEXT, lb_scene_load, "face", face_name, "for elastic bodies only",
           "the face of an elastic body that it acts on"),
    LB_SIZED(VECTOR, lb_scene_load, "at", point, LB_LENGTH, LB_ANY,
             "[0, 0, 0], or the middle of the face", "where the force acts, in the body"),
    LB_SIZED(VECTOR, lb_scene_load, "force", force, LB_FORCE, LB_ANY, "[0, 0, 0]", "the force"),
    LB_SIZED(VECTOR, lb_scene_load, "torque", torque, LB_TORQUE, LB_ANY, "[0, 0, 0]", "its twist"),
    LB_FROM(EITHER, lb_scene_load, "frame", follows, &frame_choices, "world",
            "whose axes force and torque are given in; those of the body, or its face, turn with "
            "it"),
    LB_LATER(KEYS, "keys", NULL, "always 1", "[time, factor] pairs that scale force and torque"),
    LB_SHARED_PROFILE_ROWS(lb_scene_load, profile),
};

static bool finish_load(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_load* load = part;
  load->at_middle = lb_at_middle(r, load->body, node);
  return lb_read_profile(r, node, LB_PURE, &load->profile) && ok;
}

static void check_load(lb_checker* c, const void* part) {
  const lb_scene_load* load = part;
  if (!lb_profile_holds(&load->profile)) {
    lb_say(c, ": its factors must be finite and its times rising");
  }
}

const lb_table lb_load_table =
    LB_TABLE("load", lb_scene_load, load_fields, .finish = finish_load, .check = check_load);
