// Retargeting.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/part/part.h"

// --- tracks ---

static const lb_field track_fields[] = {
    LB_SIZED(VECTOR, lb_scene_track, "at", point, LB_LENGTH, LB_ANY, "the body's centre of mass",
             "the point to watch, in that body"),
    LB_SIZED(NUMBER, lb_scene_track, "position", position, LB_PURE, LB_NOT_NEGATIVE, "1",
             "weight of the squared distance from the target"),
    LB_SIZED(NUMBER, lb_scene_track, "orientation", orientation, LB_PURE, LB_NOT_NEGATIVE, "0",
             "weight of the squared angle from the target; 0.01 makes a radian as bad as 10 cm"),
    LB_LATER(KEYS, "keys", NULL, "always 1", "[time, factor] pairs that scale both weights"),
    LB_FROM(CHOICE, lb_scene_track, "ease", weight.kind, &lb_ease_choices, "smooth",
            "how the factor goes from key to key"),
};

static bool finish_track(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_track* to = part;
  to->has_point = lb_yaml_find(node, "at");
  return lb_read_profile(r, node, LB_PURE, &to->weight) && ok;
}

static const lb_table track_table =
    LB_TABLE("tracked body", lb_scene_track, track_fields, .finish = finish_track);

static bool read_track(lb_reader* r, const lb_yaml* name, const lb_yaml* value,
                       lb_scene_track* to) {
  r->subject = "retarget";
  lb_table_default(&track_table, to);
  to->place = name->place;
  to->body = lb_names_find(&r->section[LB_SCENE_BODIES].names, name->text, -1);
  const bool ok =
      to->body >= 0 || lb_unknown_name(r, name, "body", &r->section[LB_SCENE_BODIES].names);
  r->subject = lb_compose(r, "retarget of body '%.64s'", name->text);
  return lb_read_table(r, value, &track_table, to) && ok;
}

// --- motors ---

// In the units of a hinge and of a slide.
#define LIMIT(key, member, dimension, about)                                                       \
  LB_SIZED(NUMBER, lb_scene_motor_limit, key, member, dimension, LB_POSITIVE_OR_UNSET, "any", about)
#define LIMIT_ROWS(place, rate, pull, effort, load)                                                \
  LB_SIZED(PAIR, lb_scene_motor_limit, "angle", angle, place, LB_ANY_OR_UNSET, "any",              \
           "[least, most]; of a slide distances"),                                                 \
      LIMIT("speed", speed, rate, "the most"),                                                     \
      LIMIT("acceleration", acceleration, pull, "the most"),                                       \
      LIMIT(effort, torque, load, "the most the motor may exert; the input may need more")

static void init_limit(void* part) {
  const double most = (double)INFINITY;
  *(lb_scene_motor_limit*)part = (lb_scene_motor_limit){
      .angle = {-most, most}, .speed = most, .acceleration = most, .torque = most};
}

static const lb_field hinge_fields[] = {
    LIMIT_ROWS(LB_ANGLE, LB_TURN_RATE, LB_TURN_ACCELERATION, "torque", LB_TORQUE)};
static const lb_field slide_fields[] = {
    LIMIT_ROWS(LB_LENGTH, LB_SPEED, LB_ACCELERATION, "force", LB_FORCE)};
const lb_table lb_hinge_limit_table =
    LB_TABLE("motor to change", lb_scene_motor_limit, hinge_fields, .init = init_limit);
const lb_table lb_slide_limit_table =
    LB_TABLE("sliding motor to change", lb_scene_motor_limit, slide_fields, .init = init_limit);

static bool can_be_changed(const lb_scene* s, const lb_scene_motor* m) {
  return m->drive == LB_DRIVE_POSITION && !s->joint[m->joint].loop &&
         lb_joint_count_v(&s->joint[m->joint]) == 1;
}

static bool read_limit(lb_reader* r, const lb_yaml* name, const lb_yaml* value,
                       lb_scene_motor_limit* to) {
  lb_table_default(&lb_hinge_limit_table, to);
  to->place = name->place;
  to->motor = -1;
  r->subject = "retarget";
  for (int i = 0; i < r->scene.nmotor; i++) {
    to->motor = strcmp(r->scene.motor[i].name, name->text) == 0 ? i : to->motor;
  }
  bool ok = to->motor >= 0 || lb_unknown_name(r, name, "motor", &r->section[LB_SCENE_MOTORS].names);
  r->subject = lb_compose(r, "retarget of motor '%.64s'", name->text);
  const lb_scene_motor* m = to->motor >= 0 ? &r->scene.motor[to->motor] : NULL;
  const bool slides =
      m && lb_joint_counts(&r->scene.joint[m->joint], m->coordinate) == LB_COORDINATE_LENGTH;
  ok = lb_read_table(r, value, slides ? &lb_slide_limit_table : &lb_hinge_limit_table, to) && ok;
  if (m && !can_be_changed(&r->scene, m)) {
    ok = lb_complain(r, name->place,
                     "its curve cannot be changed: only motors that drive positions of joints of "
                     "one coordinate, in the tree, can (take this entry away)");
  }
  if (ok && !(to->angle[0] < to->angle[1])) {
    ok = lb_complain(r, lb_yaml_find(value, "angle")->place,
                     "'angle' must be [least, most], and %g is not less than %g", to->angle[0],
                     to->angle[1]);
  }
  return ok;
}

// --- the whole ---

#define RETARGET(value, key, member, dimension, range, standard, about)                            \
  LB_SIZED(value, lb_scene_retarget, key, member, dimension, range, standard, about)
static const lb_field retarget_fields[] = {
    LB_LATER(SECTION, "bodies", &track_table, NULL,
             "bodies that should be where they would be if nothing swung, by name"),
    LB_LATER(SECTION, "motors", &lb_hinge_limit_table,
             "all that drive positions of joints of one coordinate, without limits",
             "motors whose curves may change, by name, and what they must keep to"),
    RETARGET(NUMBER, "spacing", spacing, LB_TIME, LB_POSITIVE_OR_UNSET,
             "an eighth of the fastest vibration that matters, or less for a quick input",
             "time between the control points of a curve"),
    RETARGET(
        NUMBER, "closeness", closeness, LB_PURE, LB_NOT_NEGATIVE, "1e-6",
        "weight of a curve's change, beside the deviation that it would bring if nothing bent"),
    RETARGET(NUMBER, "smoothness", smoothness, LB_PURE, LB_NOT_NEGATIVE, "1e-2",
             "the same of the change's acceleration over a time of 'spacing'"),
    RETARGET(NUMBER, "tolerance", tolerance, LB_PURE, LB_POSITIVE, "0.01",
             "stop when an iteration gains less than this part of the objective"),
    RETARGET(COUNT, "iterations", iterations, LB_PURE, LB_POSITIVE, "30", "the most to take"),
    RETARGET(NUMBER, "robust", robust, LB_PURE, LB_NOT_NEGATIVE, "0",
             "part by which stiffness and masses may be off, such as 0.05: curves then suit "
             "softer, stiffer, lighter and heavier copies too"),
};
const lb_table lb_retarget_table = LB_TABLE("retarget", lb_scene_retarget, retarget_fields);

// Weights were in units once, of which numbers this small are.
static void check_unit(lb_reader* r) {
  static const double FORMER = 1e-6;
  const lb_yaml* given = lb_given(r, LB_SCENE_RETARGET, "smoothness");
  if (given && r->scene.retarget.smoothness > 0 && r->scene.retarget.smoothness < FORMER) {
    lb_remark(r, given->place,
              "retarget: 'smoothness' has no unit any more, and so little of it allows rough "
              "curves (leave it away: the default suits every size)");
  }
}

void lb_read_retarget(lb_reader* r) {
  lb_scene_retarget* to = &r->scene.retarget;
  const lb_yaml *bodies = lb_given_map(r, LB_SCENE_RETARGET, "bodies"),
                *motors = lb_given_map(r, LB_SCENE_RETARGET, "motors"),
                *spacing = lb_given(r, LB_SCENE_RETARGET, "spacing");
  if (!r->given[LB_SCENE_RETARGET]) {
    return;
  }
  to->place = r->given[LB_SCENE_RETARGET]->place;
  to->spacing_place = spacing ? spacing->place : to->place;
  check_unit(r);
  if (bodies && bodies->count == 0) {
    r->subject = "retarget";
    lb_complain(r, bodies->place,
                "'bodies' must name at least one body that should follow its target");
  }
  to->track = LB_TAKE(r->keep, lb_scene_track, bodies ? bodies->count : 0);
  to->motor = LB_TAKE(r->keep, lb_scene_motor_limit, motors ? motors->count : 0);
  if (!to->track || !to->motor) {
    lb_lack(r);
    return;
  }
  for (int i = 0; bodies && i < bodies->count && !r->no_memory; i++) {
    to->ntrack += read_track(r, bodies->key[i], bodies->item[i], &to->track[to->ntrack]);
  }
  for (int i = 0; motors && i < motors->count && !r->no_memory; i++) {
    to->nmotor += read_limit(r, motors->key[i], motors->item[i], &to->motor[to->nmotor]);
  }
}

// --- weights ---

// The most that a factor on weights comes to during the motion. Keys count that it goes to or
// comes from between its start and its end.
static double largest_factor(const lb_profile_definition* w, double duration) {
  double most = w->count == 0;
  for (int k = 0; k < w->count; k++) {
    const bool keys = !lb_is_spline(w);
    const bool before = keys && k + 1 < w->count && w->time[k + 1] <= 0;
    const bool after = keys && k > 0 && w->time[k - 1] >= duration;
    most = before || after ? most : fmax(most, w->value[k]);
  }
  return most;
}

static void check_factor(lb_checker* c, const lb_scene_track* t) {
  const lb_profile_definition* w = &t->weight;
  for (int k = 0; k < w->count; k++) {
    if (!(w->value[k] >= 0) || !isfinite(w->value[k])) {
      lb_say(c, ": factors on weights must be 0 or more");
      return;
    }
  }
  if (w->count > 1 && w->time[0] >= c->s->duration) {
    lb_say(c,
           ": the first of its 'keys' is at %g s, when the motion of %g s is over (move it, or "
           "lengthen 'duration')",
           w->time[0], c->s->duration);
  }
}

static void check_tracks(lb_checker* c, const lb_scene_retarget* r) {
  double all = 0;
  for (int i = 0; i < r->ntrack; i++) {
    const lb_scene_track* t = &r->track[i];
    if (t->body < 0 || t->body >= c->s->nbody) {
      LB_SAY(c, t->place, "retarget is to track body %d, which does not exist", t->body);
      return;
    }
    lb_look_at(c, t->place, "retarget of body '%.100s'", c->s->body[t->body].name);
    if (!lb_check_fields(c, &track_table, t)) {
      return;
    }
    check_factor(c, t);
    all += largest_factor(&t->weight, c->s->duration) * (t->position + t->orientation);
  }
  if (r->ntrack > 0 && !(all > 0)) {
    LB_SAY(c, r->place,
           "retarget: all weights are zero, so that every motion is as good (give a "
           "body 'position' or 'orientation')");
  }
}

// --- what motors move ---

static bool can_change(const lb_scene* s, int motor) {
  const lb_scene_retarget* r = &s->retarget;
  bool named = r->nmotor == 0;
  for (int i = 0; i < r->nmotor; i++) {
    named = named || r->motor[i].motor == motor;
  }
  return named && can_be_changed(s, &s->motor[motor]);
}

// Rigidly part of the world?
static bool stands_still(const lb_checker* c, int body) {
  const lb_scene* s = c->s;
  while (body != LB_WORLD) {
    const int j = c->carrier[body];
    if (j < 0 || lb_joint_count_v(&s->joint[j]) > 0 || s->body[body].elastic ||
        s->body[body].reduced) {
      return false;
    }
    body = s->joint[j].parent;
  }
  return true;
}

static int group_of(int* group, int body) {
  while (group[body] != body) {
    body = group[body] = group[group[body]];
  }
  return body;
}

// Bodies held together by a joint or spring move together, except through what stands still.
static void join(const lb_checker* c, int* group, int a, int b) {
  if (!stands_still(c, a) && !stands_still(c, b)) {
    group[group_of(group, a)] = group_of(group, b);
  }
}

// Every tracked body must hang together with a joint whose motor may change.
static void check_reach(lb_checker* c, const lb_scene_retarget* r) {
  const lb_scene* s = c->s;
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  int* group = LB_TAKE(c->scratch, int, s->nbody);
  bool* moved = LB_TAKE(c->scratch, bool, s->nbody);
  c->no_memory = c->no_memory || !group || !moved;
  if (c->no_memory) {
    return;
  }
  for (int i = 0; i < s->nbody; i++) {
    group[i] = i;
  }
  for (int i = 0; i < s->njoint; i++) {
    join(c, group, s->joint[i].parent, s->joint[i].child);
  }
  for (int i = 0; i < s->nforce; i++) {
    const lb_scene_point* point = s->force[i].point;
    for (int k = 1; k < s->force[i].npoint && lb_force_joins(s->force[i].kind); k++) {
      join(c, group, point[k - 1].body, point[k].body);
    }
  }
  bool any = false;
  for (int i = 0; i < s->nmotor; i++) {
    if (can_change(s, i)) {
      any = moved[group_of(group, s->joint[s->motor[i].joint].child)] = true;
    }
  }
  for (int i = 0; i < r->ntrack && any; i++) {
    const int body = r->track[i].body;
    if (stands_still(c, body) || !moved[group_of(group, body)]) {
      LB_SAY(c, r->track[i].place,
             "retarget of body '%s': no motor that may change moves it (take this entry away, or "
             "add the motor to 'motors')",
             s->body[body].name);
    }
  }
  lb_arena_reset(c->scratch, mark);
}

// --- curves ---

static void check_spacing(lb_checker* c, const lb_scene_retarget* r) {
  enum { LEAST_SPANS = 4 }; // three control points stay at each end, and one must be free
  const double longest = c->s->duration / LEAST_SPANS;
  if (!(r->spacing > 0)) { // chosen when the model is known
    return;
  }
  if (r->spacing > longest) {
    LB_SAY(c, r->spacing_place,
           "retarget: the motion of %g s is too short for control points %g s apart (make "
           "'spacing' %g s or less)",
           c->s->duration, r->spacing, longest);
  } else if (r->spacing < c->s->solver.step) {
    LB_SAY(c, r->spacing_place,
           "retarget: control points %g s apart are closer than the solver's steps of %g s (make "
           "'spacing' larger, or the solver's 'step' smaller)",
           r->spacing, c->s->solver.step);
  }
}

void lb_check_retarget(lb_checker* c) {
  const lb_scene_retarget* r = &c->s->retarget;
  check_tracks(c, r);
  for (int i = 0; i < r->nmotor; i++) {
    const lb_scene_motor_limit* m = &r->motor[i];
    if (m->motor < 0 || m->motor >= c->s->nmotor) {
      LB_SAY(c, m->place, "retarget is to change motor %d, which does not exist", m->motor);
    } else if (!(m->angle[0] < m->angle[1]) || !(m->speed > 0) || !(m->acceleration > 0) ||
               !(m->torque > 0)) {
      LB_SAY(c, m->place, "retarget of motor '%s': limits must be more than nothing",
             c->s->motor[m->motor].name);
    }
  }
  lb_look_at(c, r->place, "retarget");
  if (!lb_check_fields(c, &lb_retarget_table, r)) {
    return;
  }
  if (!(r->robust >= 0 && r->robust <= 0.5)) {
    LB_SAY(c, r->place,
           "retarget: 'robust' is the part by which stiffness and masses may be off, such as 0.05: "
           "%g is more than a half",
           r->robust);
  } else if (r->ntrack > 0) {
    check_spacing(c, r);
  }
  if (c->report->status == LB_OK && r->ntrack > 0) { // else what is wrong may be the cause
    check_reach(c, r);
  }
}
