// Forces on points, drag and loads: where they act, and their rest lengths.
#include <math.h>

#include "model/build/build.h"
#include "model/use/initial_pose.h"

void lb_build_keep_forces(lb_build* b) {
  const lb_scene* s = b->scene;
  b->force = LB_COPY(b->arena, s->force, s->nforce);
  for (int i = 0; i < s->nforce && b->force; i++) {
    b->force[i].point = LB_COPY(b->arena, s->force[i].point, s->force[i].npoint);
  }
}

static lb_anchor anchor(const lb_model* m, int body, int face, lb_vec3 point) {
  return lb_model_anchor(m, body, face, (lb_transform){lb_quat_identity(), point});
}

static lb_vec3 world_point(const lb_anchor* at, const lb_transform* pose) {
  return at->link == LB_WORLD ? at->X.p : lb_transform_point(pose[at->link], at->X.p);
}

// Length of a force at the start, from point to point, or along its direction where it has one.
static double length_of(const lb_model* m, const lb_model_force* f, const lb_transform* pose) {
  double sum = 0;
  if (f->path) {
    return lb_build_path_length(f->path, pose, m->start.q);
  }
  for (int k = 1; k < f->set.npoint; k++) {
    const lb_vec3 way = lb_vec3_sub(world_point(&f->at[k], pose), world_point(&f->at[k - 1], pose));
    const lb_vec3 e = lb_quat_rotate(f->at[0].X.q, f->set.along);
    const bool turned = f->at[0].link != LB_WORLD;
    sum += lb_vec3_norm(f->set.along) > 0
               ? lb_vec3_dot(turned ? lb_quat_rotate(pose[f->at[0].link].q, e) : e, way)
               : lb_vec3_norm(way);
  }
  return sum;
}

static void add_lines(struct lb_model_forces* to, const lb_model_force* f) {
  const bool joins = lb_force_joins(f->set.kind);
  for (int k = 1; k < f->set.npoint && joins && !f->path; k++) {
    to->line[to->nline++] = (lb_model_line){&f->set.point[k - 1], &f->at[k - 1]};
  }
}

// Straight lines from one fixed point to the next need no path.
static bool has_path(const lb_scene_force* f) {
  bool any = false;
  for (int k = 0; k < f->npoint; k++) {
    any = any || f->point[k].wrap > 0 || f->point[k].path;
  }
  return any;
}

static lb_status add_force(lb_build* b, int i) {
  lb_model_force* f = &b->m->force.item[b->m->force.count++];
  f->set = b->force[i];
  f->set.force_curve = lb_build_force_curve(b, f->set.force_curve);
  f->set.name = lb_build_text(b, f->set.name);
  f->set.place = (lb_place){0};
  f->at = LB_TAKE(b->arena, lb_anchor, f->set.npoint);
  for (int k = 0; k < f->set.npoint && f->at; k++) {
    lb_scene_point* p = &f->set.point[k];
    p->face_name = NULL;
    f->at[k] = anchor(b->m, p->body, p->face, p->at);
  }
  b->m->force.of_kind[f->set.kind]++;
  if (has_path(&f->set)) {
    const lb_scene_force from = {.name = f->set.name,
                                 .place = b->force[i].place,
                                 .npoint = f->set.npoint,
                                 .point = f->set.point};
    const lb_status status = lb_build_cable_path(b, &from, &f->path);
    if (status != LB_OK) {
      return status;
    }
    lb_build_tube(b->m, f->path, 0, -1);
  }
  for (int k = 0; k < f->set.npoint; k++) {
    f->set.point[k].path = NULL; // the scene's
  }
  add_lines(&b->m->force, f);
  return LB_OK;
}

static lb_status build_points(lb_build* b) {
  struct lb_model_forces* to = &b->m->force;
  int points = 0;
  for (int i = 0; i < b->scene->nforce; i++) {
    points += b->force[i].npoint;
  }
  to->item = LB_TAKE(b->arena, lb_model_force, b->scene->nforce);
  to->line = LB_TAKE(b->arena, lb_model_line, points);
  lb_status status = LB_OK;
  for (int i = 0; i < b->scene->nforce && lb_arena_status(b->arena) == LB_OK && status == LB_OK;
       i++) {
    status = add_force(b, i);
  }
  return status == LB_OK ? lb_arena_status(b->arena) : status;
}

// Lengths that are not given are those at the start.
static lb_status measure_lengths(lb_build* b) {
  const lb_model* m = b->m;
  const lb_arena_mark mark = lb_arena_here(b->arena);
  lb_transform* pose = LB_TAKE(b->arena, lb_transform, m->nlink);
  if (!pose) {
    return LB_NO_MEMORY;
  }
  lb_link_poses(m, pose, m->start.q);
  for (int i = 0; i < m->force.count; i++) {
    lb_model_force* f = &m->force.item[i];
    f->set.length = isnan(f->set.length) ? length_of(m, f, pose) : f->set.length;
  }
  lb_arena_reset(b->arena, mark);
  return LB_OK;
}

// A body that does not move needs none.
static lb_status build_drags(lb_build* b) {
  lb_model* m = b->m;
  for (int i = 0; i < m->nbody; i++) {
    const lb_scene_body* body = &b->scene->body[i];
    if ((body->drag > 0 || body->turn_drag > 0 || body->air_drag > 0) &&
        m->body.link[i] != LB_WORLD) {
      m->force.drag[m->force.ndrag++] = (lb_model_drag){
          anchor(m, i, -1, m->body.mass[i].com), body->drag, body->turn_drag, body->air_drag};
    }
  }
  return LB_OK;
}

static lb_status build_loads(lb_build* b) {
  lb_model* m = b->m;
  m->force.nload = b->scene->nload;
  for (int i = 0; i < m->force.nload; i++) {
    lb_scene_load* load = &m->force.load[i];
    *load = b->load[i];
    load->name = load->face_name = NULL;
    m->force.load_at[i] = anchor(m, load->body, load->face, load->point);
    m->force.load[i].place = (lb_place){0};
    m->force.load_profile[i] = lb_build_profile(b, &b->scene->load[i].profile);
  }
  return LB_OK;
}

static lb_status build_externals(lb_build* b) {
  lb_model* m = b->m;
  m->force.nexternal = b->scene->nexternal;
  for (int i = 0; i < m->force.nexternal; i++) {
    const lb_scene_external* from = &b->scene->external[i];
    lb_scene_external* to = &m->force.external[i];
    *to = *from;
    to->name = to->file = to->force = to->point = to->torque = NULL;
    to->place = (lb_place){0};
    to->time = LB_COPY(b->arena, from->time, from->nsample);
    to->value = LB_COPY(b->arena, from->value, 9 * (size_t)from->nsample);
  }
  return lb_arena_status(b->arena);
}

lb_status lb_build_forces(lb_build* b) {
  lb_status (*const step[])(lb_build*) = {build_points, measure_lengths, build_drags, build_loads,
                                          build_externals};
  lb_status status = LB_OK;
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](b);
  }
  return status;
}
