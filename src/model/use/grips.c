#include "model/use/grips.h"

#include <string.h>

int lb_grip_count(const lb_build* b) {
  int points = 0;
  for (int i = 0; i < b->scene->nforce; i++) {
    points += b->scene->force[i].npoint;
  }
  return 2 * b->scene->njoint + points + b->scene->nload;
}

static lb_grip of_joint(lb_scene_joint* j, int end) {
  return (lb_grip){.word = "joint",
                   .name = j->name,
                   .place = j->place,
                   .key = end ? "in_child" : "at",
                   .body = end ? j->child : j->parent,
                   .face_name = j->hold.face_name[end],
                   .at_middle = j->hold.at_middle[end],
                   .rigid = !j->hold.averages,
                   .face = &j->hold.face[end],
                   .point = end ? &j->in_child.p : &j->in_parent.p};
}

static lb_grip of_force(const lb_scene_force* s, int point) {
  lb_scene_point* p = &s->point[point];
  return (lb_grip){.word = lb_force_kind_name(s->kind),
                   .name = s->name,
                   .place = s->place,
                   .key = "at",
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
                   .body = l->body,
                   .face_name = l->face_name,
                   .at_middle = l->at_middle,
                   .face = &l->face,
                   .point = &l->point};
}

lb_grip lb_grip_at(const lb_build* b, int i) {
  if (i < 2 * b->scene->njoint) {
    return of_joint(&b->joint[i / 2], i % 2);
  }
  i -= 2 * b->scene->njoint;
  for (int k = 0; k < b->scene->nforce; k++) {
    if (i < b->force[k].npoint) {
      return of_force(&b->force[k], i);
    }
    i -= b->force[k].npoint;
  }
  return of_load(&b->load[i]);
}

lb_grip lb_grip_of_face(const lb_build* b, int body, const char* face) {
  int i = 0;
  while (i < lb_grip_count(b) - 1) {
    const lb_grip g = lb_grip_at(b, i);
    if (g.body == body && strcmp(g.face_name, face) == 0) {
      break;
    }
    i++;
  }
  return lb_grip_at(b, i);
}
