// Couplings, prescribed points, floors and what motors prescribe of several coordinates or of
// rotations: from the scene to flat arrays.
#include "math/curve/time_profile.h"
#include "model/build/build.h"
#include "model/build/path_check.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"

#include <math.h>
#include <string.h>

static lb_status make_path(lb_build* b, const lb_profile_definition* path, lb_profile** out) {
  return path->count == 0 || lb_profile_create(b->arena, path, out) == LB_OK
             ? LB_OK
             : lb_build_no_memory(b);
}

static lb_status build_couple(lb_build* b, const lb_scene_constraint* k, const char* name,
                              lb_place place) {
  lb_model* m = b->m;
  lb_model_coupling made = {
      .name = name, .place = place, .first = m->nterm, .count = k->nterm, .motor = -1};
  for (int i = 0; i < k->nterm; i++) {
    const lb_scene_joint* j = &b->scene->joint[k->term[i].joint];
    if (j->loop) { // this model only tells where things are; the loop is still to be split
      return LB_OK;
    }
    const int link = b->joint_link[j->child];
    const int at = k->term[i].coordinate;
    m->term[m->nterm++] =
        (lb_model_term){m->link_q[link] + at, m->link_v[link] + at, k->term[i].factor};
  }
  made.unilateral = k->least < k->most;
  const double bound[2] = {k->least, k->most};
  for (int side = 0; side < (made.unilateral ? 2 : 1); side++) {
    if (isfinite(bound[side])) {
      made.value = bound[side];
      made.sign = side ? -1 : 1;
      m->coupling[m->ncoupling++] = made;
    }
  }
  if (made.unilateral) {
    return LB_OK;
  }
  lb_model_coupling* r = &m->coupling[m->ncoupling - 1];
  r->velocity_level = k->velocity_level[0];
  return make_path(b, &k->path[0], &r->path);
}

// A free joint from the world to each point, with the world's axes where the body has not turned
// yet: at the start, unless the scene says otherwise.
static lb_status build_points(lb_build* b, const lb_scene_constraint* k, const char* name,
                              lb_place place, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_transform body = lb_body_pose(m, k->body, pose);
  const bool floor = k->kind == LB_CONSTRAINT_FLOOR;
  const lb_vec3 up = {0, 0, 1};
  for (int i = 0; i < k->npoint; i++) {
    const lb_vec3 at = lb_transform_point(body, k->point[i]);
    const double start[3] = {at.x, at.y, floor ? k->height : at.z};
    lb_model_prescribed* g = &m->prescribed[m->nprescribed++];
    *g = (lb_model_prescribed){.loop = m->nloop,
                               .turn = k->turn,
                               .about = k->about,
                               .unilateral = floor,
                               .motor = {-1, -1, -1}};
    g->normal = lb_vec3_norm(k->normal) > 0 ? k->normal : up;
    g->angle_velocity_level = k->angle_velocity_level;
    const lb_status turned = make_path(b, &k->angle, &g->angle);
    if (turned != LB_OK) {
      return turned;
    }
    for (int axis = 0; axis < 3; axis++) {
      g->along[axis] = floor ? axis == 2 : k->along[axis];
      g->held[axis] = start[axis];
      g->velocity_level[axis] = k->velocity_level[axis];
      const lb_status status = make_path(b, &k->path[axis], &g->path[axis]);
      if (status != LB_OK) {
        return status;
      }
    }
    lb_scene_joint* loop = &m->loop[m->nloop];
    *loop = lb_scene_joint_default();
    loop->name = name;
    loop->place = place;
    loop->kind = LB_JOINT_FREE;
    loop->loop = true;
    loop->parent = LB_WORLD;
    loop->child = k->body;
    loop->in_child = (lb_transform){lb_quat_conjugate(k->has_from ? k->from : body.q), k->point[i]};
    m->loop_motor[m->nloop++] = -1;
  }
  return LB_OK;
}

// A motor that prescribes a rotation, and the other two it is: a free joint between the joint's
// frames whose axes are prescribed.
static lb_status build_turn(lb_build* b, int i, int others) {
  lb_model* m = b->m;
  const lb_scene_motor* motor = &b->scene->motor[i];
  const lb_scene_joint* joint = &b->joint[motor->joint];
  lb_model_prescribed* g = &m->prescribed[m->nprescribed];
  lb_scene_joint* loop = &m->loop[m->nloop];
  *g = (lb_model_prescribed){.loop = m->nloop, .turn = true, .motor = {i, others, others + 1}};
  g->from = lb_model_anchor(m, joint->parent, joint->face, joint->in_parent).X.q;
  *loop = lb_scene_joint_default();
  loop->name = lb_build_text(b, motor->name);
  loop->place = motor->place;
  loop->kind = LB_JOINT_FREE;
  loop->loop = true;
  loop->parent = joint->parent;
  loop->child = joint->child;
  loop->face = joint->face;
  loop->child_face = joint->child_face;
  loop->in_parent = joint->in_parent;
  loop->in_child = joint->in_child;
  for (int k = 0; k < 3; k++) {
    m->motor_prescribed[g->motor[k]] = m->nprescribed;
    m->motor_loop[g->motor[k]] = m->motor_loop[i];
  }
  m->loop_motor[m->nloop++] = -1;
  m->nprescribed++;
  return loop->name && lb_build_place(b, loop->place, &loop->place) ? LB_OK : lb_build_no_memory(b);
}

static lb_status build_turns(lb_build* b) {
  int others = b->scene->nmotor;
  lb_status status = LB_OK;
  for (int i = 0; i < b->scene->nmotor && status == LB_OK; i++) {
    if (b->scene->motor[i].rotation) {
      status = build_turn(b, i, others);
      others += 2;
    }
  }
  return status;
}

// A motor that prescribes one coordinate of several.
static lb_status build_prescribed(lb_build* b, int i) {
  lb_model* m = b->m;
  const int joint = m->motor_joint[i];
  if (m->motor_drive[i] != LB_DRIVE_POSITION || joint < 0 || m->joint_nv[joint] == 1 ||
      b->scene->motor[i].rotation) {
    return LB_OK;
  }
  const int k = m->motor_v[i] - m->joint_v[joint];
  m->term[m->nterm] = (lb_model_term){m->joint_q[joint] + k, m->motor_v[i], 1};
  m->motor_coupling[i] = m->ncoupling;
  m->coupling[m->ncoupling++] = (lb_model_coupling){.name = m->motor_name[i],
                                                    .place = m->motor_place[i],
                                                    .first = m->nterm++,
                                                    .count = 1,
                                                    .motor = i,
                                                    .sign = 1};
  return LB_OK;
}

static lb_status build_one(lb_build* b, const lb_scene_constraint* k, const lb_transform* pose) {
  const char* name = lb_build_text(b, k->name);
  lb_place place;
  if (!name || !lb_build_place(b, k->place, &place)) {
    return lb_build_no_memory(b);
  }
  return k->kind == LB_CONSTRAINT_COUPLE ? build_couple(b, k, name, place)
                                         : build_points(b, k, name, place, pose);
}

lb_status lb_build_constraints(lb_build* b) {
  lb_status status = LB_OK;
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, b->m->nlink);
  if (!pose) {
    return lb_build_no_memory(b);
  }
  lb_link_poses(b->m, pose, b->m->q0);
  for (int i = 0; i < b->scene->nconstraint && status == LB_OK; i++) {
    status = build_one(b, &b->scene->constraint[i], pose);
  }
  for (int i = 0; i < b->scene->nmotor && status == LB_OK; i++) {
    status = build_prescribed(b, i);
  }
  if (status == LB_OK) {
    status = build_turns(b);
  }
  status = status == LB_OK ? lb_model_check_paths(b->m, b->scene->duration, b->err) : status;
  return status == LB_OK ? lb_build_elimination(b) : status;
}

// The joint that carries a body, by the author's name.
static const char* carrier_name(const lb_model* m, int body) {
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint_body[j] == body) {
      return m->joint_name[j];
    }
  }
  return m->body_name[body];
}

static bool prescribes_turn(const lb_model* m, int loop) {
  return loop >= m->nloop - lb_motors_count_turns(m);
}

lb_constraint_title lb_model_constraint(const lb_model* m, int which) {
  if (which >= m->nloop) {
    const lb_model_coupling* r = &m->coupling[which - m->nloop];
    return (lb_constraint_title){r->name, r->motor < 0 ? "constraint" : "motor", r->place};
  }
  const lb_scene_joint* j = &m->loop[which];
  return (lb_constraint_title){j->rejoins ? carrier_name(m, j->parent) : j->name,
                               prescribes_turn(m, which)  ? "motor"
                               : j->kind == LB_JOINT_FREE ? "constraint"
                               : j->taken_apart           ? "joint"
                                                          : "loop joint",
                               j->place};
}

lb_motion_title lb_model_motion(const lb_model* m, int joint) {
  const int kind = m->joint_kind[joint];
  const char *name = m->joint_name[joint], *body = m->body_name[m->joint_body[joint]];
  if (kind >= LB_JOINT_COUNT || (kind == LB_JOINT_FREE && strcmp(name, body) == 0)) {
    return (lb_motion_title){NULL, body};
  }
  for (int i = 0; i < m->nloop; i++) {
    const lb_scene_joint* weld = &m->loop[i];
    if (weld->rejoins && weld->parent == m->joint_body[joint]) {
      return (lb_motion_title){name, m->body_name[weld->child]};
    }
  }
  return (lb_motion_title){name, body};
}
