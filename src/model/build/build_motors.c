// Motors and loops: copied from the scene with their profiles made ready.
#include "math/curve/rotation_profile.h"
#include "model/build/build.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 160 };

lb_profile* lb_build_profile(lb_build* b, const lb_profile_definition* definition) {
  lb_profile* out = NULL;
  return definition->count > 0 && lb_profile_create(b->arena, definition, &out) == LB_OK ? out
                                                                                         : NULL;
}

// Attachment of motor i of the model to this coordinate of the scene's joint.
static void attach(lb_build* b, int i, const lb_scene_motor* motor, int coordinate) {
  lb_model* m = b->m;
  const lb_scene_joint* j = &b->scene->joint[motor->joint];
  const int link = j->loop ? -1 : b->joint_link[j->child];
  m->motor.joint[i] = j->loop ? -1 : m->link.joint[link];
  m->motor.v[i] = j->loop ? -1 : m->link.v[link] + coordinate;
  m->motor.loop[i] = m->motor.coupling[i] = m->motor.prescribed[i] = -1;
  m->motor.drive[i] = motor->drive;
}

static void start_number(lb_build* b, int i, int coordinate) {
  lb_model* m = b->m;
  const int link = m->joint.link[m->motor.joint[i]];
  lb_motor_start(m, i, m->link.q[link] + coordinate);
  if (m->link.nv[link] == 1 &&
      m->motor.drive[i] ==
          LB_DRIVE_POSITION) { // one of several coordinates is prescribed by a coupling
    m->link.driven[link] = true;
    m->link.packed[link].driven = true;
    m->dof.driven[m->motor.v[i]] = true;
  }
}

static void build_motors(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  m->nmotor = s->nmotor;
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* motor = &s->motor[i];
    if (motor->rotation) {
      continue; // below
    }
    attach(b, i, motor, motor->coordinate);
    m->motor.name[i] = lb_build_text(b, motor->name);
    m->motor.place[i] = lb_build_place(b, motor->place);
    m->motor.profile[i] = lb_build_profile(b, &motor->profile);
    if (motor->drive != LB_DRIVE_FORCE && m->motor.v[i] >= 0 && m->motor.profile[i]) {
      start_number(b, i, motor->coordinate);
    }
    if (motor->drive == LB_DRIVE_SERVO &&
        m->motor.v[i] >= 0) { // else its loop is still to be split
      m->motor.servo[m->motor.nservo++] =
          (lb_model_servo){i, motor->stiffness, motor->damping, motor->limit};
    }
  }
}

// --- motors that prescribe rotations ---

// The joint starts where the motor has it. A free one's velocity is given along the axes that it
// would start with otherwise, and goes on along the parent's.
static void start_turn(lb_model* m, int joint, lb_turn turn) {
  const bool freely = m->joint.kind[joint] == LB_JOINT_FREE;
  double *q = m->start.q + m->joint.q[joint] + (freely ? 3 : 0),
         *qd = m->start.qd + m->joint.v[joint];
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
static void name_turn(lb_build* b, const lb_scene_motor* motor, const int at[3]) {
  char text[NAME_SIZE];
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%.*s.%c", NAME_SIZE - 3, motor->name, "xyz"[k]);
    attach(b, at[k], motor, k);
    b->m->motor.name[at[k]] = lb_build_text(b, text);
    b->m->motor.place[at[k]] = lb_build_place(b, motor->place);
  }
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
    name_turn(b, motor, at);
    if (lb_turning_create(b->arena, &motor->profile, motor->rotation, &m->motor.turning[i]) !=
        LB_OK) {
      return LB_NO_MEMORY;
    }
    if (m->motor.joint[i] >= 0) {
      start_turn(m, m->motor.joint[i], lb_turning_evaluate(m->motor.turning[i], 0));
    }
  }
  return LB_OK;
}

lb_status lb_build_motors(lb_build* b) {
  build_motors(b);
  return build_turns(b);
}
