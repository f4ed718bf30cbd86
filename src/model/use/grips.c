#include "model/use/grips.h"

#include <string.h>

int lb_grip_count(const lb_build* b) {
  return 2 * b->scene->njoint + 2 * b->scene->nspring + b->scene->nload;
}

static lb_grip of_joint(lb_scene_joint* j, int end) {
  return (lb_grip){.word = "joint",
                   .name = j->name,
                   .place = j->place,
                   .key = end ? "in_child" : "at",
                   .body = end ? j->child : j->parent,
                   .face_name = j->face_name[end],
                   .at_middle = j->at_middle[end],
                   .rigid = !j->averages,
                   .face = end ? &j->child_face : &j->face,
                   .point = end ? &j->in_child.p : &j->in_parent.p};
}

static lb_grip of_spring(lb_scene_spring* s, int end) {
  return (lb_grip){.word = "spring",
                   .name = s->name,
                   .place = s->place,
                   .key = "at",
                   .body = s->body[end],
                   .face_name = s->face_name[end],
                   .at_middle = s->at_middle[end],
                   .face = &s->face[end],
                   .point = &s->point[end]};
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
  const int joints = 2 * b->scene->njoint;
  const int springs = 2 * b->scene->nspring;
  return i < joints             ? of_joint(&b->joint[i / 2], i % 2)
         : i < joints + springs ? of_spring(&b->spring[(i - joints) / 2], i % 2)
                                : of_load(&b->load[i - joints - springs]);
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
