#include "scene/check/grips.h"

#include <string.h>

#include "scene/force/scene_force.h"

static lb_grip of_joint(const lb_scene* s, int joint, int end) {
  lb_scene_joint* j = &s->joint[joint];
  return (lb_grip){.word = "joint",
                   .name = j->name,
                   .place = j->place,
                   .key = end ? "in_child" : "at",
                   .face_key = end && j->hold.face_name[0] ? "child_face" : "face",
                   .does = "by which face it holds",
                   .joint = joint,
                   .body = end ? j->child : j->parent,
                   .face_name = j->hold.face_name[end],
                   .at_middle = j->hold.at_middle[end],
                   .rigid = !j->hold.averages,
                   .face = &j->hold.face[end],
                   .point = end ? &j->in_child.p : &j->in_parent.p};
}

static lb_grip of_force(const lb_scene_force* f, lb_scene_point* p) {
  return (lb_grip){.word = lb_force_kind_name(f->kind),
                   .name = f->name,
                   .place = f->place,
                   .key = "at",
                   .face_key = LB_FORCE_FORMAT[f->kind]->ends ? "face" : NULL,
                   .does = "to which face it is fastened, of",
                   .joint = -1,
                   .body = p->body,
                   .face_name = p->face_name,
                   .at_middle = p->at_middle,
                   .face = &p->face,
                   .point = &p->at};
}

static lb_grip of_load(lb_scene_load* l) {
  return (lb_grip){.word = "load",
                   .name = l->name,
                   .place = l->place,
                   .key = "at",
                   .face_key = "face",
                   .does = "on which face it acts, of",
                   .joint = -1,
                   .body = l->body,
                   .face_name = l->face_name,
                   .at_middle = l->at_middle,
                   .face = &l->face,
                   .point = &l->point};
}

bool lb_grips_next(lb_grips* at, lb_grip* grip) {
  const lb_scene* s = at->scene;
  while (at->force < s->nforce && at->point >= s->force[at->force].npoint) {
    at->force++;
    at->point = 0;
  }
  if (at->end < 2 * s->njoint) {
    *grip = of_joint(s, at->end / 2, at->end % 2);
    at->end++;
  } else if (at->force < s->nforce) {
    *grip = of_force(&s->force[at->force], &s->force[at->force].point[at->point]);
    at->point++;
  } else if (at->load < s->nload) {
    *grip = of_load(&s->load[at->load++]);
  } else {
    return false;
  }
  return true;
}

lb_grip lb_grip_of_face(const lb_scene* s, int body, const char* face) {
  lb_grips at = {.scene = s};
  lb_grip g = {0};
  while (lb_grips_next(&at, &g) && !(g.body == body && strcmp(g.face_name, face) == 0)) {
  }
  return g;
}
