// Constraints: joints that close loops, prescribed points, floors, couplings, and what motors
// prescribe of several coordinates or of rotations, from the scene to flat arrays.
#include "math/curve/time_profile.h"
#include "model/build/build.h"
#include "model/use/compliance.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"
#include "scene/check/scene_check.h"

#include <math.h>
#include <string.h>

// The joint that carries a body, by the author's name.
static const char* carrier_name(const lb_model* m, int body) {
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint.body[j] == body) {
      return m->joint.name[j];
    }
  }
  return m->body.name[body];
}

static void find_motors(lb_build* b, int joint) {
  lb_model* m = b->m;
  m->constraint.loop_motor[m->constraint.nloop] = -1;
  for (int i = 0; i < b->scene->nmotor; i++) {
    const lb_scene_motor* motor = &b->scene->motor[i];
    if (motor->joint == joint) {
      m->motor.loop[i] = m->constraint.nloop;
      m->constraint.loop_motor[m->constraint.nloop] =
          motor->drive == LB_DRIVE_POSITION && !motor->rotation ? i : -1;
    }
  }
}

static void build_loop(lb_build* b, int joint) {
  lb_model* m = b->m;
  find_motors(b, joint);
  lb_scene_joint* loop = &m->constraint.loop[m->constraint.nloop];
  *loop = b->joint[joint];
  loop->hold.face_name[0] = loop->hold.face_name[1] = NULL;
  loop->spline.frame = NULL; // the scene may go away
  loop->resistance.force_curve = loop->turn.force_curve =
      (lb_force_curve){0}; // which these springs do not have
  loop->part = NULL;
  memset(loop->spline.control, 0, sizeof loop->spline.control);
  loop->name = lb_build_text(b, loop->name);
  loop->place = lb_build_place(b, loop->place);
  const lb_transform turn = lb_joint_turn(loop);
  m->constraint.item[m->constraint.npair++] = (lb_model_constraint){
      .name = loop->cut.rejoins ? carrier_name(m, loop->parent) : loop->name,
      .place = loop->place,
      .title = loop->cut.taken_apart ? "joint" : "loop joint",
      .kind = LB_CONSTRAINT_JOINT,
      .part = m->constraint.nloop++,
      .body = {loop->parent, loop->child},
      .face = {loop->hold.face[0], loop->hold.face[1]},
      .compliance = {loop->compliance[0], loop->compliance[1]},
      .frame = {lb_transform_mul(loop->in_parent, turn), lb_transform_mul(loop->in_child, turn)}};
}

static lb_status build_couple(lb_build* b, const lb_scene_constraint* k, const char* name,
                              lb_place place, const lb_transform* pose) {
  (void)pose;
  lb_model* m = b->m;
  lb_model_coupling made = {.name = name,
                            .place = place,
                            .first = m->constraint.nterm,
                            .count = k->nterm,
                            .motor = -1,
                            .compliance = k->compliance[0]};
  for (int i = 0; i < k->nterm; i++) {
    const lb_scene_joint* j = &b->scene->joint[k->term[i].joint];
    if (j->loop) { // this model has only poses; the loop is still to be split
      return LB_OK;
    }
    const int link = b->joint_link[j->child];
    const int at = k->term[i].coordinate;
    m->constraint.term[m->constraint.nterm++] =
        (lb_model_term){m->link.q[link] + at, m->link.v[link] + at, k->term[i].factor,
                        lb_build_profile(b, &k->term[i].curve)};
    made.bends |= k->term[i].curve.count > 0;
  }
  if (k->ratchet) {
    made.ratchet = made.unilateral = true;
    made.pitch = k->pitch;
    made.sign = 1;
    m->constraint.nratchet++;
    m->constraint.coupling[m->constraint.ncoupling++] = made;
    return LB_OK;
  }
  made.unilateral = k->least < k->most;
  const double bound[2] = {k->least, k->most};
  for (int side = 0; side < (made.unilateral ? 2 : 1); side++) {
    if (isfinite(bound[side])) {
      made.value = bound[side];
      made.sign = side ? -1 : 1;
      m->constraint.coupling[m->constraint.ncoupling++] = made;
    }
  }
  if (made.unilateral) {
    return LB_OK;
  }
  lb_model_coupling* r = &m->constraint.coupling[m->constraint.ncoupling - 1];
  r->velocity_level = k->velocity_level[0];
  r->path = lb_build_profile(b, &k->path[0]);
  return LB_OK;
}

static void build_prescribed(lb_build* b, const lb_scene_constraint* k, lb_vec3 start,
                             lb_model_constraint* to) {
  lb_model* m = b->m;
  const double held[3] = {start.x, start.y, start.z};
  lb_model_prescribed* g = &m->constraint.prescribed[m->constraint.nprescribed];
  *g = (lb_model_prescribed){.constraint = m->constraint.npair,
                             .turn = k->turn,
                             .about = k->about,
                             .angle_velocity_level = k->angle_velocity_level,
                             .motor = {-1, -1, -1}};
  to->part = m->constraint.nprescribed++;
  to->velocity_level = k->angle_velocity_level;
  g->angle = lb_build_profile(b, &k->angle);
  for (int axis = 0; axis < 3; axis++) {
    g->along[axis] = k->along[axis];
    g->held[axis] = held[axis];
    g->velocity_level[axis] = k->velocity_level[axis];
    to->velocity_level |= k->velocity_level[axis];
    g->path[axis] = lb_build_profile(b, &k->path[axis]);
  }
}

// A constraint from the world to each point, whose frame has the world's axes where the body has
// not turned yet: at the start, unless the scene says otherwise.
static lb_status build_points(lb_build* b, const lb_scene_constraint* k, const char* name,
                              lb_place place, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_transform body = lb_body_pose(m, k->body, pose);
  const bool floor = k->kind == LB_CONSTRAINT_FLOOR;
  const lb_quat back = lb_quat_conjugate(k->has_from ? k->from : body.q);
  for (int i = 0; i < k->npoint; i++) {
    lb_model_constraint* to = &m->constraint.item[m->constraint.npair];
    *to = (lb_model_constraint){.name = name,
                                .place = place,
                                .title = "constraint",
                                .kind = (int)k->kind,
                                .part = -1,
                                .compliance = {k->compliance[0], k->compliance[1]},
                                .unilateral = floor,
                                .body = {LB_WORLD, k->body},
                                .face = {-1, -1},
                                .frame = {lb_transform_identity(), {back, k->point[i]}},
                                .normal =
                                    lb_vec3_norm(k->normal) > 0 ? k->normal : (lb_vec3){0, 0, 1},
                                .value = k->height + (k->radius ? k->radius[i] : 0)};
    if (!floor) {
      build_prescribed(b, k, lb_transform_point(body, k->point[i]), to);
    }
    m->constraint.npair++;
  }
  return LB_OK;
}

// A motor that prescribes a rotation, and the other two it is: a constraint between the joint's
// frames.
static void build_turn(lb_build* b, int i, int others) {
  lb_model* m = b->m;
  const lb_scene_motor* motor = &b->scene->motor[i];
  const lb_scene_joint* joint = &b->joint[motor->joint];
  lb_model_prescribed* g = &m->constraint.prescribed[m->constraint.nprescribed];
  lb_model_constraint* to = &m->constraint.item[m->constraint.npair];
  *g = (lb_model_prescribed){
      .constraint = m->constraint.npair++, .turn = true, .motor = {i, others, others + 1}};
  g->from = lb_model_anchor(m, joint->parent, joint->hold.face[0], joint->in_parent).X.q;
  *to = (lb_model_constraint){.name = lb_build_text(b, motor->name),
                              .place = lb_build_place(b, motor->place),
                              .title = "motor",
                              .kind = LB_CONSTRAINT_TURN,
                              .part = m->constraint.nprescribed,
                              .body = {joint->parent, joint->child},
                              .face = {joint->hold.face[0], joint->hold.face[1]},
                              .frame = {joint->in_parent, joint->in_child}};
  for (int k = 0; k < 3; k++) {
    m->motor.prescribed[g->motor[k]] = m->constraint.nprescribed;
    m->motor.loop[g->motor[k]] = m->motor.loop[i];
  }
  m->constraint.nprescribed++;
}

static void build_turns(lb_build* b) {
  int others = b->scene->nmotor;
  for (int i = 0; i < b->scene->nmotor; i++) {
    if (b->scene->motor[i].rotation) {
      build_turn(b, i, others);
      others += 2;
    }
  }
}

// A motor that prescribes one coordinate of several.
static void build_driven(lb_build* b, int i) {
  lb_model* m = b->m;
  const int joint = m->motor.joint[i];
  if (m->motor.drive[i] != LB_DRIVE_POSITION || joint < 0 || m->joint.nv[joint] == 1 ||
      b->scene->motor[i].rotation) {
    return;
  }
  const int k = m->motor.v[i] - m->joint.v[joint];
  m->constraint.term[m->constraint.nterm] =
      (lb_model_term){m->joint.q[joint] + k, m->motor.v[i], 1, NULL};
  m->motor.coupling[i] = m->constraint.ncoupling;
  m->constraint.coupling[m->constraint.ncoupling++] =
      (lb_model_coupling){.name = m->motor.name[i],
                          .place = m->motor.place[i],
                          .first = m->constraint.nterm++,
                          .count = 1,
                          .motor = i,
                          .sign = 1};
}

static lb_status build_distance(lb_build* b, const lb_scene_constraint* k, const char* name,
                                lb_place place, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_vec3 end[2] = {k->other->at, k->point[0]};
  const int body[2] = {k->other->body, k->body};
  lb_vec3 at[2];
  lb_model_constraint* to = &m->constraint.item[m->constraint.npair++];
  *to = (lb_model_constraint){.name = name,
                              .place = place,
                              .title = "constraint",
                              .kind = (int)k->kind,
                              .part = -1,
                              .compliance = {k->compliance[0]},
                              .unilateral = k->unilateral,
                              .face = {-1, -1}};
  for (int i = 0; i < 2; i++) {
    const bool still = body[i] == LB_WORLD;
    to->body[i] = body[i];
    to->frame[i] = (lb_transform){lb_quat_identity(), end[i]};
    at[i] = still ? end[i] : lb_transform_point(lb_body_pose(m, body[i], pose), end[i]);
  }
  to->value = isnan(k->length) ? lb_vec3_norm(lb_vec3_sub(at[1], at[0])) : k->length;
  return to->value > 0 ? LB_OK
                       : lb_error_add(b->err, LB_INVALID, place,
                                      "constraint '%s': its ends start at the same point (give its "
                                      "length, or start them apart)",
                                      name);
}

// A point of a body on a line or plane through a point of the other.
static lb_status build_incidence(lb_build* b, const lb_scene_constraint* k, const char* name,
                                 lb_place place, const lb_transform* pose) {
  (void)pose;
  lb_model* m = b->m;
  const bool aligned = lb_vec3_norm(k->about) > 0;
  m->constraint.item[m->constraint.npair++] = (lb_model_constraint){
      .name = name,
      .place = place,
      .title = "constraint",
      .kind = (int)k->kind,
      .part = -1,
      .compliance = {k->compliance[0], k->compliance[1]},
      .aligned = aligned,
      .body = {k->other->body, k->body},
      .face = {-1, -1},
      .frame = {{lb_quat_from_z(k->normal), k->other->at},
                {aligned ? lb_quat_from_z(k->about) : lb_quat_identity(), k->point[0]}}};
  return LB_OK;
}

static lb_status build_one(lb_build* b, const lb_scene_constraint* k, const lb_transform* pose) {
  static lb_status (*const build[LB_CONSTRAINT_COUNT])(
      lb_build*, const lb_scene_constraint*, const char*, lb_place, const lb_transform*) = {
      [LB_CONSTRAINT_COUPLE] = build_couple,  [LB_CONSTRAINT_FOLLOW] = build_points,
      [LB_CONSTRAINT_FLOOR] = build_points,   [LB_CONSTRAINT_DISTANCE] = build_distance,
      [LB_CONSTRAINT_LINE] = build_incidence, [LB_CONSTRAINT_PLANE] = build_incidence};
  return build[k->kind](b, k, lb_build_text(b, k->name), lb_build_place(b, k->place), pose);
}

static void list_couplings(lb_model* m) {
  m->constraint.count = m->constraint.npair;
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    const lb_model_coupling* r = &m->constraint.coupling[i];
    m->constraint.item[m->constraint.count++] =
        (lb_model_constraint){.name = r->name,
                              .place = r->place,
                              .title = r->motor < 0 ? "constraint" : "motor",
                              .kind = LB_CONSTRAINT_COUPLE,
                              .part = i,
                              .compliance = {r->compliance},
                              .unilateral = r->unilateral,
                              .velocity_level = r->velocity_level};
  }
}

static void count_compliant(lb_model* m) {
  for (int i = 0; i < m->constraint.count; i++) {
    const lb_model_constraint* c = &m->constraint.item[i];
    m->constraint.ncompliant += lb_constraint_yields(c);
    m->constraint.nbound += lb_constraint_yields(c) && c->unilateral;
  }
}

lb_status lb_build_constraints(lb_build* b) {
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, b->m->nlink);
  if (!pose) {
    return LB_NO_MEMORY;
  }
  lb_link_poses(b->m, pose, b->m->start.q);
  for (int j = 0; j < b->scene->njoint; j++) {
    if (b->scene->joint[j].loop) {
      build_loop(b, j);
    }
  }
  lb_status status = LB_OK;
  for (int i = 0; i < b->scene->nconstraint && status == LB_OK; i++) {
    status = build_one(b, &b->scene->constraint[i], pose);
  }
  for (int i = 0; i < b->scene->nmotor; i++) {
    build_driven(b, i);
  }
  build_turns(b);
  list_couplings(b->m);
  count_compliant(b->m);
  b->m->solves_bounds = lb_scene_solves_bounds(b->scene);
  return status;
}

lb_motion_title lb_model_motion(const lb_model* m, int joint) {
  const int kind = m->joint.kind[joint];
  const char* name = m->joint.name[joint];
  const char* body = m->joint.body[joint] >= 0 ? m->body.name[m->joint.body[joint]] : name;
  if (kind >= LB_JOINT_COUNT || (kind == LB_JOINT_FREE && strcmp(name, body) == 0)) {
    return (lb_motion_title){NULL, body};
  }
  for (int i = 0; i < m->constraint.nloop; i++) {
    const lb_scene_joint* weld = &m->constraint.loop[i];
    if (weld->cut.rejoins && weld->parent == m->joint.body[joint]) {
      return (lb_motion_title){name, m->body.name[weld->child]};
    }
  }
  return (lb_motion_title){name, body};
}
