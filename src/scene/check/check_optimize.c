// What an optimisation is to do, in scenes from files and made by hand alike.
#include <math.h>

#include "scene/check/scene_check.h"
#include "scene/yaml/reader.h"

// --- parameters ---

static int owner_count(const lb_scene* s, lb_owner owner) {
  const int count[] = {[LB_OWNER_BODY] = s->nbody,         [LB_OWNER_JOINT] = s->njoint,
                       [LB_OWNER_SPRING] = s->nspring,     [LB_OWNER_CABLE] = s->ncable,
                       [LB_OWNER_MOTOR] = s->nmotor,       [LB_OWNER_ROPE] = s->nrope,
                       [LB_OWNER_MATERIAL] = s->nmaterial, [LB_OWNER_GROUND] = s->nground};
  return (int)owner >= 0 && owner < LB_OWNER_COUNT ? count[owner] : 0;
}

static bool has_numbers(const lb_scene_joint* j) {
  return lb_joint_count_q(j) == lb_joint_count_v(j) && lb_joint_count_q(j) > 0;
}

bool lb_joint_mixes(const lb_scene_joint* j) {
  for (int k = 1; k < lb_joint_count_v(j); k++) {
    if (lb_joint_counts(j, k) != lb_joint_counts(j, 0)) {
      return true;
    }
  }
  return false;
}

static bool turns_beside(const lb_scene_parameter* p) {
  return p->kind == LB_PARAMETER_TURN_STIFFNESS || p->kind == LB_PARAMETER_TURN_DAMPING;
}

// Of stiffness and damping.
static bool resists(const lb_scene_parameter* p) {
  return p->kind == LB_PARAMETER_STIFFNESS || p->kind == LB_PARAMETER_DAMPING || turns_beside(p);
}

// Stiffness and damping are those of one part.
static bool check_part(lb_checker* c, const lb_scene_parameter* p) {
  const lb_scene_joint* j = &c->s->joint[p->index];
  int first = 0;
  if (p->part < 0 || p->part > j->npart) {
    LB_SAY(c, p->place, "parameter '%s': joint '%s' has no part %d", p->name, j->name, p->part);
    return false;
  }
  const lb_scene_joint* of = lb_parameter_joint(c->s, p, &first);
  if (p->part > 0 && lb_joint_count_v(of) == 0) {
    LB_SAY(c, p->place, "parameter '%s': part %d of joint '%s' is fixed and has no %s", p->name,
           p->part, j->name, lb_parameter_kind_name(p->kind));
    return false;
  }
  if (resists(p) && of->kind == LB_JOINT_COMPOSITE) {
    LB_SAY(c, p->place,
           p->part > 0 ? "parameter '%s': a part of joint '%s' is composite itself, and its parts "
                         "have %s of their own (write them in its place)"
                       : "parameter '%s': joint '%s' is composite, and its parts have %s of their "
                         "own (say which, as part: 1)",
           p->name, j->name, lb_parameter_kind_name(p->kind));
    return false;
  }
  return true;
}

static void say_table(lb_checker* c, const lb_scene_parameter* p, const char* name) {
  LB_SAY(c, p->place, "parameter '%s': a table takes the place of the stiffness of '%s'", p->name,
         name);
}

// Do motors say how all that it is of starts? A rotation is prescribed as a whole.
static bool is_prescribed(const lb_scene* s, const lb_scene_parameter* p) {
  int first = 0;
  const lb_scene_joint* of = lb_parameter_joint(s, p, &first);
  if (!has_numbers(of)) {
    return lb_joint_is_driven(s, p->index, -1);
  }
  bool all = true;
  for (int k = first; k < first + lb_joint_count_v(of); k++) {
    all = all && lb_joint_is_driven(s, p->index, k);
  }
  return all;
}

static void check_joint(lb_checker* c, const lb_scene_parameter* p) {
  int first = 0;
  const bool start = p->kind == LB_PARAMETER_POSITION || p->kind == LB_PARAMETER_VELOCITY;
  if ((c->joint_broken && c->joint_broken[p->index]) || !check_part(c, p)) {
    return;
  }
  const lb_scene_joint *j = &c->s->joint[p->index], *of = lb_parameter_joint(c->s, p, &first);
  if (j->kind == LB_JOINT_FIXED) {
    LB_SAY(c, p->place, "parameter '%s': joint '%s' is fixed and has no %s", p->name, j->name,
           lb_parameter_kind_name(p->kind));
  } else if (start && is_prescribed(c->s, p)) {
    LB_SAY(c, p->place, "parameter '%s': a motor says where joint '%s' starts (name the motor)",
           p->name, j->name);
  } else if (turns_beside(p) && !lb_joint_slides_and_turns(of)) {
    LB_SAY(c, p->place,
           "parameter '%s': joint '%s' does not slide and turn both, and has no %s (give '%s')",
           p->name, j->name, lb_parameter_kind_name(p->kind),
           lb_parameter_kind_name(p->kind == LB_PARAMETER_TURN_STIFFNESS ? LB_PARAMETER_STIFFNESS
                                                                         : LB_PARAMETER_DAMPING));
  } else if ((p->kind == LB_PARAMETER_STIFFNESS && of->force_curve.count > 0) ||
             (p->kind == LB_PARAMETER_TURN_STIFFNESS && of->turn.force_curve.count > 0)) {
    say_table(c, p, j->name);
  }
  const bool many = start || p->kind == LB_PARAMETER_REST;
  if (many && lb_joint_mixes(of) && (isfinite(p->least) || isfinite(p->most))) {
    LB_SAY(c, p->place,
           "parameter '%s': joint '%s' has coordinates of several kinds, such as distances and "
           "angles, and one bound cannot be for all (take 'at_least' and 'at_most' away%s)",
           p->name, j->name, of->kind == LB_JOINT_COMPOSITE ? ", or name one 'part'" : "");
  }
}

static void check_line(lb_checker* c, const lb_scene_parameter* p) {
  const bool spring = p->owner == LB_OWNER_SPRING;
  const lb_force_curve* force_curve =
      spring ? &c->s->spring[p->index].force_curve : &c->s->cable[p->index].force_curve;
  if (p->kind == LB_PARAMETER_STIFFNESS && force_curve->count > 0) {
    say_table(c, p, spring ? c->s->spring[p->index].name : c->s->cable[p->index].name);
  }
}

// Does a curve that repeats come back elsewhere than where it began, or will with other values? A
// cubic one would be another curve then.
static bool jumps_back(const lb_profile_definition* d, bool prescribes) {
  const int last = d->count - 1;
  if (d->kind == LB_PROFILE_BSPLINE) {
    return prescribes;
  }
  const double end = d->time[0] + d->period;
  const bool round = d->time[last] < end || (d->time[last] == end && d->value[last] == d->value[0]);
  return !round && (prescribes || d->kind == LB_PROFILE_CUBIC);
}

static void check_motor(lb_checker* c, const lb_scene_parameter* p) {
  const lb_profile_definition* d = &c->s->motor[p->index].profile;
  const bool prescribes = c->s->motor[p->index].drive == LB_DRIVE_POSITION;
  if (c->s->motor[p->index].rotation) {
    LB_SAY(c, p->place,
           "parameter '%s': motor '%s' leads a rotation, whose values are no numbers to be found "
           "(take %s)",
           p->name, c->s->motor[p->index].name,
           lb_joint_by_numbers(&c->s->joint[c->s->motor[p->index].joint]));
    return;
  }
  if (p->knots == 0 && d->period > 0 && jumps_back(d, prescribes)) {
    LB_SAY(c, p->place,
           "parameter '%s': the curve of motor '%s' repeats and would jump where it begins again "
           "(give it keys, the last before the end of the period or like the first)",
           p->name, c->s->motor[p->index].name);
  }
  if (p->knots == 0 && d->kind == LB_PROFILE_BSPLINE && prescribes && !(d->period > 0) &&
      (d->time[0] > 0 || d->time[1] < c->s->duration * (1 - 1e-9))) {
    LB_SAY(
        c, p->place,
        "parameter '%s': the spline of motor '%s' does not last from the start to the end of the "
        "motion, and would jump where it ends (let it go from 0 to %g s)",
        p->name, c->s->motor[p->index].name, c->s->duration);
  }
  if (p->knots > 0 && prescribes) {
    LB_SAY(c, p->place,
           "parameter '%s': straight lines between knots would jump in speed, and motor '%s' "
           "drives a position (take 'knots' away and give the motor a spline)",
           p->name, c->s->motor[p->index].name);
  }
}

static void check_body(lb_checker* c, const lb_scene_parameter* p) {
  const lb_scene_body* b = &c->s->body[p->index];
  const bool shape = p->kind == LB_PARAMETER_MASS || p->kind == LB_PARAMETER_LENGTH;
  if (shape && (b->elastic || b->reduced)) {
    LB_SAY(c, p->place,
           "parameter '%s': body '%s' is elastic, and only rigid bodies' %s can change", p->name,
           b->name, p->kind == LB_PARAMETER_MASS ? "masses" : "lengths");
  }
  const double n = lb_vec3_norm(p->along);
  if (p->kind == LB_PARAMETER_LENGTH && !(fabs(n - 1) < 1e-9)) {
    LB_SAY(c, p->place, "parameter '%s': its direction must have length one", p->name);
  }
}

static bool is_made_of(const lb_scene_elastic* e, int material) {
  bool any = e->nregion == 0 && e->material == material;
  for (int i = 0; i < e->nregion; i++) {
    any |= e->region_material[i] == material;
  }
  return any;
}

static void check_material(lb_checker* c, const lb_scene_parameter* p) {
  bool any = false;
  for (int i = 0; i < c->s->ndeformable; i++) {
    any |= is_made_of(c->s->deformable[i].form, p->index);
  }
  for (int i = 0; i < c->s->nbody; i++) {
    const lb_scene_body* b = &c->s->body[i];
    any |= b->elastic && is_made_of(b->elastic, p->index);
  }
  if (!any) {
    LB_SAY(c, p->place,
           "parameter '%s': no elastic body and no flesh ('soft') is made of material '%s'",
           p->name, c->s->material[p->index].name);
  }
}

static void check_rope(lb_checker* c, const lb_scene_parameter* p) {
  if (p->kind == LB_PARAMETER_REST && !(p->most > 0)) {
    LB_SAY(c, p->place, "parameter '%s': 'at_most' must be above 0", p->name);
  }
}

static void check_ground(lb_checker* c, const lb_scene_parameter* p) {
  if (p->kind != LB_PARAMETER_STIFFNESS) {
    LB_SAY(c, p->place, "parameter '%s': ground '%s' has no %s", p->name,
           c->s->ground[p->index].name, lb_parameter_kind_name(p->kind));
  } else if (!(p->most > 0)) {
    LB_SAY(c, p->place, "parameter '%s': 'at_most' must be above 0", p->name);
  }
}

static void check_parameter(lb_checker* c, const lb_scene_parameter* p) {
  void (*const of[])(lb_checker*, const lb_scene_parameter*) = {
      [LB_OWNER_BODY] = check_body,         [LB_OWNER_JOINT] = check_joint,
      [LB_OWNER_SPRING] = check_line,       [LB_OWNER_CABLE] = check_line,
      [LB_OWNER_MOTOR] = check_motor,       [LB_OWNER_ROPE] = check_rope,
      [LB_OWNER_MATERIAL] = check_material, [LB_OWNER_GROUND] = check_ground};
  if (p->index < 0 || p->index >= owner_count(c->s, p->owner) || (int)p->kind < 0 ||
      p->kind >= LB_PARAMETER_COUNT) {
    LB_SAY(c, p->place, "parameter '%s' is of something that does not exist", p->name);
    return;
  }
  const bool positive = p->kind == LB_PARAMETER_MASS || p->kind == LB_PARAMETER_LENGTH ||
                        p->kind == LB_PARAMETER_YOUNG;
  const bool lasting = resists(p);
  if (!(p->least <= p->most)) {
    LB_SAY(c, p->place, "parameter '%s': its bounds must be in order", p->name);
  }
  if (p->knots < 0 || p->knots == 1) {
    LB_SAY(
        c, p->place,
        "parameter '%s': 'knots' must be 2 or more, not %d (for a constant leave it out and give "
        "the motor one key)",
        p->name, p->knots);
  }
  if (isfinite(p->least) && p->least < 0 && (positive || lasting)) {
    LB_SAY(c, p->place, "parameter '%s': 'at_least' must not be below 0", p->name);
  }
  if ((positive && p->most <= 0) || (lasting && p->most < 0)) {
    LB_SAY(c, p->place, "parameter '%s': 'at_most' must %s 0", p->name,
           positive ? "be above" : "not be below");
  }
  of[p->owner](c, p);
}

// --- goals ---

static void check_goal(lb_checker* c, const lb_scene_goal* g) {
  const lb_scene* s = c->s;
  const int most[] = {
      [LB_GOAL_POINT] = s->nbody, [LB_GOAL_JOINT] = s->njoint, [LB_GOAL_MOTOR] = s->nmotor};
  if ((int)g->kind < 0 || g->kind >= LB_GOAL_COUNT || g->index < 0 || g->index >= most[g->kind]) {
    LB_SAY(c, g->place, "goal '%s' is about something that does not exist", g->name);
    return;
  }
  if (!(g->weight >= 0) || !isfinite(g->weight) || !(g->from >= 0) || !(g->to >= g->from) ||
      !(g->to > 0) || !(g->to <= s->duration * (1 + 1e-9))) {
    LB_SAY(c, g->place, "goal '%s': its weight must not be negative, its time within the motion",
           g->name);
  }
  for (int k = 0; k < g->count && k < LB_GOAL_MOST; k++) {
    if (!isfinite(g->value[k])) {
      LB_SAY(c, g->place, "goal '%s': its numbers must be finite", g->name);
    }
  }
  if (g->kind == LB_GOAL_JOINT) {
    const lb_scene_joint* j = &s->joint[g->index];
    if (j->kind == LB_JOINT_FIXED) {
      LB_SAY(c, g->place, "goal '%s': joint '%s' is fixed, and has no coordinates", g->name,
             j->name);
    } else if (!g->rate && !has_numbers(j)) {
      LB_SAY(c, g->place,
             "goal '%s': the place of joint '%s' is no set of numbers (give 'velocity', or a point "
             "of the body)",
             g->name, j->name);
    }
  }
  if (g->kind == LB_GOAL_POINT && (s->body[g->index].elastic || s->body[g->index].reduced)) {
    LB_SAY(c, g->place, "goal '%s': body '%s' bends; name a rigid body on one of its faces",
           g->name, s->body[g->index].name);
  }
}

// --- the whole ---

void lb_check_optimize(lb_checker* c) {
  const lb_scene_optimize* o = &c->s->optimize;
  for (int i = 0; i < o->nparameter; i++) {
    check_parameter(c, &o->parameter[i]);
  }
  for (int i = 0; i < o->ngoal; i++) {
    check_goal(c, &o->goal[i]);
  }
  if (o->nparameter == 0 && o->ngoal == 0) {
    return;
  }
  if (!(o->tolerance > 0) || o->iterations < 1) {
    LB_SAY(c, o->place, "optimize: its tolerance must be positive, its iterations one or more");
  }
}
