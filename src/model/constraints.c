// Relations, led points and floors: from the scene to flat arrays.
#include "math/profile.h"
#include "model/build.h"
#include "model/link.h"
#include "model/pose.h"

#include <math.h>

// A jump in a path or its slope would need an infinite force; of rates, a jump in them.
static lb_status make_path(lb_build* b, const lb_scene_constraint* k,
                           const lb_profile_definition* path, bool rates, lb_profile** out) {
  if (path->count == 0) {
    return LB_OK;
  }
  if (lb_profile_create(b->arena, path, out) != LB_OK) {
    return lb_build_no_memory(b);
  }
  const double jump = lb_profile_jump(*out, b->scene->duration, !rates);
  return isnan(jump) ? LB_OK
                     : lb_error_add(b->err, LB_INVALID, k->place,
                                    "the path of constraint '%s' jumps at t = %g s, which no force "
                                    "can follow: %s",
                                    k->name, jump,
                                    rates ? "let 'rates' end as they begin, to repeat"
                                          : "ease 'smooth' or 'cubic', or come to rest at the "
                                            "end");
}

static lb_status build_couple(lb_build* b, const lb_scene_constraint* k, const char* name,
                              lb_place place) {
  lb_model* m = b->m;
  lb_model_relation made = {.name = name, .place = place, .first = m->nterm, .count = k->nterm};
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
  made.one_way = k->least < k->most;
  const double bound[2] = {k->least, k->most};
  for (int side = 0; side < (made.one_way ? 2 : 1); side++) {
    if (isfinite(bound[side])) {
      made.value = bound[side];
      made.sign = side ? -1 : 1;
      m->relation[m->nrelation++] = made;
    }
  }
  if (made.one_way) {
    return LB_OK;
  }
  lb_model_relation* r = &m->relation[m->nrelation - 1];
  r->rates = k->rates[0];
  return make_path(b, k, &k->path[0], r->rates, &r->path);
}

// A free joint from the world to each point, with the world's axes where the body has not turned
// yet: at the start, unless the scene says otherwise.
static lb_status build_points(lb_build* b, const lb_scene_constraint* k, const char* name,
                              lb_place place, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_transform body = lb_body_pose(m, k->body, pose);
  const bool floor = k->kind == LB_CONSTRAINT_FLOOR;
  for (int i = 0; i < k->npoint; i++) {
    const lb_vec3 at = lb_transform_point(body, k->point[i]);
    const double start[3] = {at.x, at.y, floor ? k->height : at.z};
    lb_model_guide* g = &m->guide[m->nguide++];
    *g = (lb_model_guide){.loop = m->nloop, .turn = k->turn, .about = k->about, .one_way = floor};
    g->angle_rates = k->angle_rates;
    const lb_status turned = make_path(b, k, &k->angle, g->angle_rates, &g->angle);
    if (turned != LB_OK) {
      return turned;
    }
    for (int axis = 0; axis < 3; axis++) {
      g->along[axis] = floor ? axis == 2 : k->along[axis];
      g->held[axis] = start[axis];
      g->rates[axis] = k->rates[axis];
      const lb_status status = make_path(b, k, &k->path[axis], g->rates[axis], &g->path[axis]);
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

static lb_status build_one(lb_build* b, const lb_scene_constraint* k, const lb_transform* pose) {
  const char* name = lb_build_text(b, k->name);
  const char* file = k->place.file ? lb_build_text(b, k->place.file) : NULL;
  if (!name || (k->place.file && !file)) {
    return lb_build_no_memory(b);
  }
  const lb_place place = {file, k->place.line, k->place.column};
  return k->kind == LB_CONSTRAINT_COUPLE ? build_couple(b, k, name, place)
                                         : build_points(b, k, name, place, pose);
}

lb_status lb_build_constraints(lb_build* b) {
  lb_status status = LB_OK;
  if (b->scene->nconstraint == 0) {
    return LB_OK;
  }
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, b->m->nlink);
  if (!pose) {
    return lb_build_no_memory(b);
  }
  lb_link_poses(b->m, pose, b->m->q0);
  for (int i = 0; i < b->scene->nconstraint && status == LB_OK; i++) {
    status = build_one(b, &b->scene->constraint[i], pose);
  }
  return status == LB_OK ? lb_build_gearing(b) : status;
}

lb_constraint_title lb_model_constraint(const lb_model* m, int which) {
  if (which >= m->nloop) {
    const lb_model_relation* r = &m->relation[which - m->nloop];
    return (lb_constraint_title){r->name, "constraint", r->place};
  }
  const lb_scene_joint* j = &m->loop[which];
  return (lb_constraint_title){j->name, j->kind == LB_JOINT_FREE ? "constraint" : "loop joint",
                               j->place};
}
