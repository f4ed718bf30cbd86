// Motors, springs, loads and loops: copied from the scene with their profiles made ready.
#include "math/profile.h"
#include "model/build.h"
#include "model/link.h"
#include "model/pose.h"

#include <math.h>

static bool make_profile(lb_build* b, const lb_profile_definition* definition, lb_profile** out) {
  *out = NULL;
  return definition->count == 0 || lb_profile_create(b->arena, definition, out) == LB_OK;
}

static lb_status build_motors(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  m->nmotor = s->nmotor;
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* motor = &s->motor[i];
    const bool loop = s->joint[motor->joint].loop;
    const int link = loop ? -1 : b->joint_link[s->joint[motor->joint].child];
    m->motor_name[i] = lb_build_text(b, motor->name);
    m->motor_joint[i] = loop ? -1 : m->link_joint[link];
    m->motor_loop[i] = -1;
    m->motor_drive[i] = motor->drive;
    if (!m->motor_name[i] || !make_profile(b, &motor->profile, &m->motor_profile[i])) {
      return lb_build_no_memory(b);
    }
    if (motor->drive == LB_DRIVE_POSITION) {
      const double jump = lb_profile_jump(m->motor_profile[i], s->duration);
      if (!isnan(jump)) {
        return lb_error_add(
            b->err, LB_INVALID, motor->place,
            "motor '%s' jumps at t = %g s, which no force can follow: ease 'smooth' "
            "or 'cubic', come to rest at the end, or 'drive: force'",
            motor->name, jump);
      }
    }
    if (motor->drive == LB_DRIVE_POSITION && !loop) {
      double value[3];
      lb_profile_evaluate(m->motor_profile[i], 0, value);
      m->q0[m->link_q[link]] = value[0];
      m->qd0[m->link_v[link]] = value[1];
      m->link_driven[link] = true;
      m->link[link].driven = true;
      m->v_driven[m->link_v[link]] = true;
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

static lb_status build_springs(lb_build* b) {
  lb_model* m = b->m;
  const lb_arena_mark mark = lb_arena_here(b->arena);
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, m->nlink);
  if (!pose) {
    return lb_build_no_memory(b);
  }
  lb_link_poses(m, pose, m->q0);
  m->nspring = b->scene->nspring;
  for (int i = 0; i < m->nspring; i++) {
    lb_scene_spring* spring = &m->spring[i];
    *spring = b->spring[i];
    spring->name = spring->face_name[0] = spring->face_name[1] = NULL; // the scene may go away
    spring->place = (lb_place){0};
    lb_anchor* end = &m->spring_end[2 * i];
    for (int k = 0; k < 2; k++) {
      end[k] = anchor(m, spring->body[k], spring->face[k], spring->point[k]);
    }
    if (isnan(spring->length)) {
      spring->length =
          lb_vec3_norm(lb_vec3_sub(world_point(&end[1], pose), world_point(&end[0], pose)));
    }
  }
  lb_arena_reset(b->arena, mark);
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
          m->motor_loop[i] = m->nloop;
          m->loop_motor[m->nloop] = s->motor[i].drive == LB_DRIVE_POSITION ? i : -1;
        }
      }
      lb_scene_joint* loop = &m->loop[m->nloop++];
      *loop = b->joint[j];
      loop->face_name[0] = loop->face_name[1] = NULL;
      loop->name = lb_build_text(b, loop->name);
      const char* file = lb_build_text(b, loop->place.file);
      loop->place.file = loop->place.file ? file : NULL; // scenes made by hand have none
      if (!loop->name || !file) {
        return lb_build_no_memory(b);
      }
    }
  }
  return LB_OK;
}

lb_status lb_build_motors(lb_build* b) {
  lb_status (*const step[])(lb_build*) = {build_motors, build_springs, build_loads, build_loops};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    const lb_status status = step[i](b);
    if (status != LB_OK) {
      return status;
    }
  }
  return LB_OK;
}
