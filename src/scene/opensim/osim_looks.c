// Looks: a model's meshes are not read, so its bones are drawn as capsules from the joint that
// carries a body to those that it carries, or through its centre of mass. They weigh nothing.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

static lb_yaml* bone(lb_osim* o, lb_place place, lb_vec3 from, lb_vec3 to) {
  static const double LEAST = 4e-3, MOST = 12e-3, SLENDER = 0.05;
  const double length = lb_vec3_norm(lb_vec3_sub(to, from));
  if (!(length > LEAST)) {
    return NULL;
  }
  lb_yaml *shape = lb_node_map(o, place), *capsule = lb_node_map(o, place);
  lb_node_put(o, capsule, "radius",
              lb_node_number(o, place, fmin(fmax(SLENDER * length, LEAST), MOST)));
  lb_node_put(o, capsule, "from", lb_node_vector(o, place, from));
  lb_node_put(o, capsule, "to", lb_node_vector(o, place, to));
  lb_node_put(o, shape, "capsule", capsule);
  lb_node_put(o, shape, "massless", lb_node_flag(o, place, true));
  lb_node_put(o, shape, "material", lb_node_text(o, place, "white"));
  return shape;
}

static const lb_osim_place* find_place(const lb_osim* o, const char* body) {
  for (int i = 0; i < o->nplace; i++) {
    if (strcmp(o->place[i].body, body) == 0) {
      return &o->place[i];
    }
  }
  return NULL;
}

static void draw(lb_osim* o, lb_xml* xml, const char* name, lb_yaml* body) {
  const lb_osim_place* carried = find_place(o, name);
  const lb_vec3 from = carried ? carried->in_child : lb_vec3_make(0, 0, 0);
  const lb_vec3 center = lb_osim_vector(o, xml, "mass_center", lb_vec3_make(0, 0, 0));
  lb_yaml* shapes = lb_node_list(o, xml->place);
  bool carries = false;
  for (int i = 0; i < o->nplace; i++) {
    if (strcmp(o->place[i].parent, name) == 0) {
      lb_node_add(o, shapes, bone(o, xml->place, from, o->place[i].at));
      carries = true;
    }
  }
  if (!carries) {
    lb_node_add(o, shapes, bone(o, xml->place, from, lb_vec3_sub(lb_vec3_scale(2, center), from)));
  }
  if (shapes && shapes->count > 0) {
    lb_node_put(o, body, "shapes", shapes);
  }
}

void lb_osim_looks(lb_osim* o) {
  const lb_yaml* bodies = lb_yaml_find(o->scene, "bodies");
  for (int i = 0; bodies && i < bodies->count && i < o->nbody; i++) {
    draw(o, o->body[i], bodies->key[i]->text, bodies->item[i]);
  }
}
