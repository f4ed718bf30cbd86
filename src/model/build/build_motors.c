// Motors, springs, cables, grounds, drag, loads and loops: copied from the scene with their
// profiles made ready.
#include "math/curve/rotation_profile.h"
#include "model/build/build.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 160 };

static bool make_profile(lb_build* b, const lb_profile_definition* definition, lb_profile** out) {
  *out = NULL;
  return definition->count == 0 || lb_profile_create(b->arena, definition, out) == LB_OK;
}

// Where motor i of the model acts: on this coordinate of the scene's joint.
static void attach(lb_build* b, int i, const lb_scene_motor* motor, int coordinate) {
  lb_model* m = b->m;
  const lb_scene_joint* j = &b->scene->joint[motor->joint];
  const int link = j->loop ? -1 : b->joint_link[j->child];
  m->motor_joint[i] = j->loop ? -1 : m->link_joint[link];
  m->motor_v[i] = j->loop ? -1 : m->link_v[link] + coordinate;
  m->motor_loop[i] = m->motor_coupling[i] = m->motor_prescribed[i] = -1;
  m->motor_drive[i] = motor->drive;
}

// The coordinate starts where the motor has it.
static void start_number(lb_build* b, int i, int coordinate) {
  lb_model* m = b->m;
  const int link = m->joint_link[m->motor_joint[i]];
  double value[3];
  lb_profile_evaluate(m->motor_profile[i], 0, value);
  m->q0[m->link_q[link] + coordinate] = value[0];
  m->qd0[m->motor_v[i]] = value[1];
  if (m->link_nv[link] == 1) { // of several coordinates one is prescribed by a row
    m->link_driven[link] = true;
    m->link[link].driven = true;
    m->v_driven[m->motor_v[i]] = true;
  }
}

static lb_status build_motors(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  m->nmotor = s->nmotor;
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* motor = &s->motor[i];
    if (motor->rotation) {
      continue; // below
    }
    attach(b, i, motor, motor->coordinate);
    m->motor_name[i] = lb_build_text(b, motor->name);
    if (!m->motor_name[i] || !lb_build_place(b, motor->place, &m->motor_place[i]) ||
        !make_profile(b, &motor->profile, &m->motor_profile[i])) {
      return lb_build_no_memory(b);
    }
    if (motor->drive == LB_DRIVE_POSITION && m->motor_v[i] >= 0) {
      start_number(b, i, motor->coordinate);
    }
  }
  return LB_OK;
}

// --- motors that prescribe rotations ---

// The joint starts where the motor has it. A free one's velocity is given along the axes that it
// would start with otherwise, and goes on along the parent's.
static void start_turn(lb_model* m, int joint, lb_turn turn) {
  const bool freely = m->joint_kind[joint] == LB_JOINT_FREE;
  double *q = m->q0 + m->joint_q[joint] + (freely ? 3 : 0), *qd = m->qd0 + m->joint_v[joint];
  const double to[] = {turn.q.w, turn.q.x, turn.q.y, turn.q.z};
  if (freely) {
    const lb_quat was = {q[0], q[1], q[2], q[3]};
    const lb_quat change = lb_quat_mul(lb_quat_conjugate(turn.q), was);
    const lb_vec3 v = lb_quat_rotate(change, lb_vec3_make(qd[3], qd[4], qd[5]));
    qd[3] = v.x, qd[4] = v.y, qd[5] = v.z;
  }
  memcpy(q, to, sizeof to);
  qd[0] = turn.w.x, qd[1] = turn.w.y, qd[2] = turn.w.z;
}

// One is three motors of the model, NAME.x, NAME.y and NAME.z.
static lb_status name_turn(lb_build* b, const lb_scene_motor* motor, const int at[3]) {
  char text[NAME_SIZE];
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%.*s.%c", NAME_SIZE - 3, motor->name, "xyz"[k]);
    attach(b, at[k], motor, k);
    b->m->motor_name[at[k]] = lb_build_text(b, text);
    if (!b->m->motor_name[at[k]] || !lb_build_place(b, motor->place, &b->m->motor_place[at[k]])) {
      return lb_build_no_memory(b);
    }
  }
  return LB_OK;
}

static lb_status build_turns(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* motor = &s->motor[i];
    if (!motor->rotation) {
      continue;
    }
    const int at[3] = {i, m->nmotor, m->nmotor + 1};
    m->nmotor += 2;
    if (name_turn(b, motor, at) != LB_OK ||
        lb_turning_create(b->arena, &motor->profile, motor->rotation, &m->motor_turning[i]) !=
            LB_OK) {
      return lb_build_no_memory(b);
    }
    if (m->motor_joint[i] >= 0) {
      start_turn(m, m->motor_joint[i], lb_turning_evaluate(m->motor_turning[i], 0));
    }
  }
  return LB_OK;
}

static lb_anchor anchor(const lb_model* m, int body, int face, lb_vec3 point) {
  return lb_model_anchor(m, body, face, (lb_transform){lb_quat_identity(), point});
}

static lb_vec3 world_point(const lb_anchor* at, const lb_transform* pose) {
  return at->link == LB_WORLD ? at->X.p : lb_transform_point(pose[at->link], at->X.p);
}

// How long a spring is at the start: along its direction where it has one.
static double spring_length(const lb_scene_spring* s, const lb_anchor* end,
                            const lb_transform* pose) {
  const lb_vec3 way = lb_vec3_sub(world_point(&end[1], pose), world_point(&end[0], pose));
  if (!(lb_vec3_norm(s->along) > 0)) {
    return lb_vec3_norm(way);
  }
  const lb_vec3 e = lb_quat_rotate(end[0].X.q, s->along);
  return lb_vec3_dot(end[0].link == LB_WORLD ? e : lb_quat_rotate(pose[end[0].link].q, e), way);
}

static lb_status build_springs(lb_build* b) {
  lb_model* m = b->m;
  m->nspring = m->nline = b->scene->nspring;
  for (int i = 0; i < m->nspring; i++) {
    lb_scene_spring* spring = &m->spring[i];
    *spring = b->spring[i];
    spring->name = spring->face_name[0] = spring->face_name[1] = NULL; // the scene may go away
    spring->place = (lb_place){0};
    for (int k = 0; k < 2; k++) {
      m->spring_end[2 * i + k] = anchor(m, spring->body[k], spring->face[k], spring->point[k]);
    }
    if (!lb_build_keep_force_curve(b, &spring->force_curve)) {
      return lb_build_no_memory(b);
    }
  }
  return LB_OK;
}

// A piece of a cable as something to draw.
static void add_piece(lb_model* m, const lb_scene_point* point, const lb_anchor* at) {
  m->spring[m->nline] = (lb_scene_spring){.body = {point[0].body, point[1].body},
                                          .point = {point[0].at, point[1].at},
                                          .face = {-1, -1}};
  m->spring_end[2 * m->nline] = at[0];
  m->spring_end[2 * m->nline + 1] = at[1];
  m->nline++;
}

static lb_status build_cables(lb_build* b) {
  lb_model* m = b->m;
  m->ncable = b->scene->ncable;
  for (int i = 0; i < m->ncable; i++) {
    const lb_scene_cable* from = &b->scene->cable[i];
    lb_anchor* at = &m->cable_point[m->cable_first[i]];
    m->cable[i] = *from;
    m->cable[i].name = NULL;
    m->cable[i].place = (lb_place){0};
    m->cable[i].point = NULL;
    for (int k = 0; k < from->npoint; k++) {
      at[k] = anchor(m, from->point[k].body, -1, from->point[k].at);
      if (k > 0) {
        add_piece(m, &from->point[k - 1], &at[k - 1]);
      }
    }
    m->cable_first[i + 1] = m->cable_first[i] + from->npoint;
    if (!lb_build_keep_force_curve(b, &m->cable[i].force_curve)) {
      return lb_build_no_memory(b);
    }
  }
  return LB_OK;
}

// Lengths that are not given are those at the start.
static lb_status measure_lines(lb_build* b) {
  lb_model* m = b->m;
  const lb_arena_mark mark = lb_arena_here(b->arena);
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, m->nlink);
  if (!pose) {
    return lb_build_no_memory(b);
  }
  lb_link_poses(m, pose, m->q0);
  for (int i = 0; i < m->nspring; i++) {
    lb_scene_spring* s = &m->spring[i];
    s->length = isnan(s->length) ? spring_length(s, &m->spring_end[2 * i], pose) : s->length;
  }
  for (int i = 0; i < m->ncable; i++) {
    const lb_anchor* at = &m->cable_point[m->cable_first[i]];
    double length = 0;
    for (int k = 1; k < m->cable[i].npoint; k++) {
      length += lb_vec3_norm(lb_vec3_sub(world_point(&at[k], pose), world_point(&at[k - 1], pose)));
    }
    m->cable[i].length = isnan(m->cable[i].length) ? length : m->cable[i].length;
  }
  lb_arena_reset(b->arena, mark);
  return LB_OK;
}

static lb_status build_grounds(lb_build* b) {
  lb_model* m = b->m;
  m->nground = b->scene->nground;
  for (int i = 0; i < m->nground; i++) {
    const lb_scene_ground* from = &b->scene->ground[i];
    m->ground[i] = *from;
    m->ground[i].name = NULL;
    m->ground[i].place = (lb_place){0};
    m->ground[i].point = NULL;
    m->ground_first[i + 1] = m->ground_first[i] + from->npoint;
    for (int k = 0; k < from->npoint; k++) {
      m->ground_point[m->ground_first[i] + k] =
          anchor(m, from->point[k].body, -1, from->point[k].at);
    }
  }
  return LB_OK;
}

// A body that does not move needs none.
static lb_status build_drags(lb_build* b) {
  lb_model* m = b->m;
  for (int i = 0; i < m->nbody; i++) {
    const lb_scene_body* body = &b->scene->body[i];
    if ((body->drag > 0 || body->turn_drag > 0 || body->air_drag > 0) &&
        m->body_link[i] != LB_WORLD) {
      m->drag[m->ndrag++] = (lb_model_drag){anchor(m, i, -1, m->body_mass[i].com), body->drag,
                                            body->turn_drag, body->air_drag};
    }
  }
  return LB_OK;
}

static lb_status build_loads(lb_build* b) {
  lb_model* m = b->m;
  m->nload = b->scene->nload;
  for (int i = 0; i < m->nload; i++) {
    lb_scene_load* load = &m->load[i];
    *load = b->load[i];
    load->name = load->face_name = NULL;
    m->load_at[i] = anchor(m, load->body, load->face, load->point);
    m->load[i].place = (lb_place){0};
    if (!make_profile(b, &b->scene->load[i].profile, &m->load_profile[i])) {
      return lb_build_no_memory(b);
    }
  }
  return LB_OK;
}

static lb_status build_loops(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  for (int j = 0; j < s->njoint; j++) {
    if (s->joint[j].loop) {
      m->loop_motor[m->nloop] = -1;
      for (int i = 0; i < s->nmotor; i++) {
        if (s->motor[i].joint == j) {
          const bool row = s->motor[i].drive == LB_DRIVE_POSITION && !s->motor[i].rotation;
          m->motor_loop[i] = m->nloop;
          m->loop_motor[m->nloop] = row ? i : -1;
        }
      }
      lb_scene_joint* loop = &m->loop[m->nloop++];
      *loop = b->joint[j];
      loop->face_name[0] = loop->face_name[1] = NULL;
      loop->frame = NULL; // the scene may go away
      loop->force_curve = loop->turn.force_curve =
          (lb_force_curve){0}; // which these springs do not have
      loop->part = NULL;
      memset(loop->control, 0, sizeof loop->control);
      loop->name = lb_build_text(b, loop->name);
      if (!loop->name || !lb_build_place(b, loop->place, &loop->place)) {
        return lb_build_no_memory(b);
      }
    }
  }
  return LB_OK;
}

lb_status lb_build_motors(lb_build* b) {
  lb_status (*const step[])(lb_build*) = {build_motors, build_turns,   build_springs,
                                          build_cables, measure_lines, build_grounds,
                                          build_drags,  build_loads,   build_loops};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    const lb_status status = step[i](b);
    if (status != LB_OK) {
      return status;
    }
  }
  return LB_OK;
}
