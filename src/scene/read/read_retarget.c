// What retargeting is to do.
#include <math.h>
#include <string.h>

#include "scene/yaml/reader.h"

static bool read_track(lb_reader* r, const lb_yaml_node* name, const lb_yaml_node* value,
                       lb_scene_track* to) {
  lb_track_spec spec = {.position = 1};
  r->subject = "retarget";
  const int body = lb_names_find(&r->section[LB_SCENE_BODIES].names, name->text, -1);
  bool ok = body >= 0 || lb_unknown_name(r, name, "body", &r->section[LB_SCENE_BODIES].names);
  r->subject = lb_compose(r, "retarget of body '%.64s'", name->text);
  ok = lb_read_table(r, value, &lb_track_table, &spec) && ok;
  ok = lb_read_profile(r, &spec.profile, &spec.given, LB_PURE, &to->weight) && ok;
  to->place = name->place;
  to->body = body;
  to->has_point = spec.given.node[LB_TRACK_AT];
  to->point = spec.at;
  to->position = spec.position;
  to->orientation = spec.orientation;
  return ok;
}

static bool read_limit(lb_reader* r, const lb_yaml_node* name, const lb_yaml_node* value,
                       lb_scene_motor_limit* to) {
  const double most = (double)INFINITY;
  lb_limit_spec spec = {
      .angle = {-most, most}, .speed = most, .acceleration = most, .torque = most};
  r->subject = "retarget";
  int motor = -1;
  for (int i = 0; i < r->scene.nmotor; i++) {
    motor = strcmp(r->scene.motor[i].name, name->text) == 0 ? i : motor;
  }
  bool ok = motor >= 0 || lb_unknown_name(r, name, "motor", &r->section[LB_SCENE_MOTORS].names);
  r->subject = lb_compose(r, "retarget of motor '%.64s'", name->text);
  const lb_scene_motor* m = motor >= 0 ? &r->scene.motor[motor] : NULL;
  const bool slides =
      m && lb_joint_counts(&r->scene.joint[m->joint], m->coordinate) == LB_COORDINATE_LENGTH;
  ok = lb_read_table(r, value, slides ? &lb_slide_limit_table : &lb_hinge_limit_table, &spec) && ok;
  if (m && (m->drive != LB_DRIVE_POSITION || r->scene.joint[m->joint].loop ||
            lb_joint_count_v(&r->scene.joint[m->joint]) != 1)) {
    ok = lb_complain(r, name->place,
                     "its curve cannot be changed: only motors that drive positions of joints of "
                     "one coordinate, in the tree, can (take this entry away)");
  }
  if (ok && !(spec.angle[0] < spec.angle[1])) {
    ok = lb_complain(r, spec.given.node[LB_LIMIT_ANGLE]->place,
                     "'angle' must be [least, most], and %g is not less than %g", spec.angle[0],
                     spec.angle[1]);
  }
  *to = (lb_scene_motor_limit){.place = name->place,
                               .motor = motor,
                               .angle = {spec.angle[0], spec.angle[1]},
                               .speed = spec.speed,
                               .acceleration = spec.acceleration,
                               .torque = spec.torque};
  return ok;
}

void lb_read_retarget(lb_reader* r) {
  const lb_retarget_spec* spec = &r->settings.retarget;
  lb_scene_retarget* to = &r->scene.retarget;
  to->spacing = spec->spacing;
  to->closeness = spec->closeness;
  to->smoothness = spec->smoothness;
  to->tolerance = spec->tolerance;
  to->iterations = spec->iterations;
  to->robust = spec->robust;
  if (!spec->given.whole) {
    return;
  }
  to->place = to->spacing_place = spec->given.whole->place;
  if (spec->given.node[LB_RETARGET_SPACING]) {
    to->spacing_place = spec->given.node[LB_RETARGET_SPACING]->place;
  }
  const lb_yaml_node *bodies = spec->bodies, *motors = spec->motors;
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
