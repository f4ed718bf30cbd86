// Faces of an elastic body: which ones are held, and what holds them.
#include <math.h>
#include <string.h>

#include "model/build/body_masses.h"
#include "model/build/elastic_maker.h"
#include "scene/check/grips.h"

static int add_face(lb_maker* k, const char* name) {
  for (int i = 0; i < k->nface; i++) {
    if (strcmp(k->name[i], name) == 0) {
      return i;
    }
  }
  if (k->nface < LB_ELASTIC_MOST_FACES) {
    k->name[k->nface++] = name;
  }
  return k->nface - 1;
}

// The scene with the builder's parts, into which faces are filled.
static lb_scene own_parts(const lb_maker* k) {
  lb_scene scene = *k->b->scene;
  scene.joint = k->b->joint;
  scene.force = k->b->force;
  scene.load = k->b->load;
  return scene;
}

// The face that carries the body comes first, then all others that are named. Those of a file are
// as it has them.
void lb_maker_list_faces(lb_maker* k) {
  const lb_scene* s = k->b->scene;
  for (int i = 0; k->stored && i < k->stored->nface; i++) {
    add_face(k, k->stored->face.name[i]);
  }
  for (int j = 0; j < s->njoint; j++) {
    if (s->joint[j].child == k->body && (!s->joint[j].loop || s->joint[j].cut.taken_apart)) {
      add_face(k, s->joint[j].hold.face_name[1]);
    }
  }
  const lb_scene parts = own_parts(k);
  lb_grips at = {.scene = &parts};
  lb_grip g;
  while (lb_grips_next(&at, &g)) {
    if (g.body == k->body) {
      const int face = add_face(k, g.face_name);
      k->rigid[face] = k->rigid[face] || g.rigid;
    }
  }
}

// Tell what takes hold of them which it holds.
void lb_maker_number_faces(lb_maker* k) {
  const lb_scene parts = own_parts(k);
  lb_grips at = {.scene = &parts};
  lb_grip g;
  while (lb_grips_next(&at, &g)) {
    if (g.body == k->body) {
      *g.face = add_face(k, g.face_name) - 1;
    }
  }
}

static lb_vec3 middle(const lb_maker* k, int face) {
  const lb_basis_face* f = &k->face[face];
  lb_vec3 sum = {0, 0, 0};
  double total = 0;
  for (int i = 0; i < f->count; i++) {
    sum = lb_vec3_add(sum, lb_vec3_scale(f->weight[i], k->mesh.node[f->node[i]]));
    total += f->weight[i];
  }
  return lb_vec3_scale(1 / total, sum);
}

// The longest way through the body.
static double extent(const lb_tetmesh* mesh) {
  lb_vec3 low = mesh->node[0], high = low;
  for (int i = 1; i < mesh->nnode; i++) {
    const lb_vec3 x = mesh->node[i];
    low = lb_vec3_make(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = lb_vec3_make(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  return lb_vec3_norm(lb_vec3_sub(high, low));
}

// Put what asks for it in the middle of its face. What is farther from its face than the body is
// long was meant for another place: a mistake in a unit, most likely.
lb_status lb_maker_place_grips(lb_maker* k) {
  const double size = extent(&k->mesh);
  lb_status status = LB_OK;
  const lb_scene parts = own_parts(k);
  lb_grips at = {.scene = &parts};
  lb_grip g;
  while (lb_grips_next(&at, &g)) {
    if (g.body != k->body) {
      continue;
    }
    const lb_vec3 from = middle(k, *g.face + 1);
    if (g.at_middle) {
      *g.point = lb_vec3_add(*g.point, from);
    }
    const double away = lb_vec3_norm(lb_vec3_sub(*g.point, from));
    if (!(away <= size)) {
      status =
          lb_error_add(k->b->err, LB_INVALID, g.place,
                       "%s '%s' does not touch body '%s': it is %.3g m from the middle of face "
                       "'%s', and the body is %.3g m long (check the units of '%s'%s)",
                       g.word, g.name, k->b->scene->body[k->body].name, away, g.face_name, size,
                       g.key, k->from->form == LB_ELASTIC_MESH ? " and the mesh's 'scale'" : "");
    }
  }
  return status;
}

// A face must have an area, or it has no frame to hold.
lb_status lb_maker_check_areas(lb_maker* k) {
  static const double LEAST = 1e-12; // over the square of the body's length
  const double size = extent(&k->mesh);
  const lb_scene parts = own_parts(k);
  lb_status status = LB_OK;
  for (int f = 0; f < k->nface; f++) {
    double area = 0;
    for (int i = 0; i < k->face[f].count; i++) {
      area += k->face[f].weight[i];
    }
    if (!(area > LEAST * size * size)) {
      const lb_grip g = lb_grip_of_face(&parts, k->body, k->name[f]);
      status = lb_error_add(k->b->err, LB_INVALID, g.place,
                            "%s '%s' holds body '%s' by face '%s', which has no area", g.word,
                            g.name, k->b->scene->body[k->body].name, k->name[f]);
    }
  }
  return status;
}
