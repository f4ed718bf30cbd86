// Looks: a model's meshes are not read. Bones are drawn as capsules from the joint that carries a
// body to those that it carries, or through its centre of mass, with a knob at the joint. Names of
// its meshes tell whether a body is a trunk, which gets a spine, ribs, shoulders and a head.
// Muscles are as thick as their fibres' volume makes them. All of these weigh nothing.
#include <math.h>
#include <string.h>

#include "base/compiled.h"
#include "scene/opensim/osim.h"

static const double LEAST = 4e-3; // of radii, and of what is drawn at all

// --- shapes ---

static lb_yaml* look(lb_osim* o, lb_place place, const char* kind, lb_yaml* form) {
  lb_yaml* shape = lb_node_map(o, place);
  lb_node_put(o, shape, kind, form);
  lb_node_put(o, shape, "massless", lb_node_flag(o, place, true));
  lb_node_put(o, shape, "material", lb_node_text(o, place, "white"));
  return shape;
}

static lb_yaml* ellipsoid(lb_osim* o, lb_place place, lb_vec3 at, lb_vec3 radii) {
  lb_yaml* form = lb_node_map(o, place);
  lb_node_put(o, form, "radii", lb_node_vector(o, place, radii));
  lb_yaml* shape = look(o, place, "ellipsoid", form);
  lb_node_put(o, shape, "position", lb_node_vector(o, place, at));
  return shape;
}

static double thickness(double length) {
  static const double MOST = 13e-3, SLENDER = 0.05;
  return fmin(fmax(SLENDER * length, LEAST), MOST);
}

static void add_bone(lb_osim* o, lb_yaml* shapes, lb_place place, lb_vec3 from, lb_vec3 to) {
  const double length = lb_vec3_norm(lb_vec3_sub(to, from));
  if (!(length > LEAST)) {
    return;
  }
  lb_yaml* form = lb_node_map(o, place);
  lb_node_put(o, form, "radius", lb_node_number(o, place, thickness(length)));
  lb_node_put(o, form, "from", lb_node_vector(o, place, from));
  lb_node_put(o, form, "to", lb_node_vector(o, place, to));
  lb_node_add(o, shapes, look(o, place, "capsule", form));
}

static void add_knob(lb_osim* o, lb_yaml* shapes, lb_place place, lb_vec3 at, double radius) {
  lb_yaml* form = lb_node_map(o, place);
  lb_node_put(o, form, "radius", lb_node_number(o, place, radius));
  lb_yaml* shape = look(o, place, "sphere", form);
  lb_node_put(o, shape, "position", lb_node_vector(o, place, at));
  lb_node_add(o, shapes, shape);
}

// --- which body is what ---

// Whether a mesh's file inside an element has a word in its name.
static bool has_mesh(const lb_xml* in, const char* word) {
  for (const lb_xml* at = in->first; at; at = at->next) {
    const bool file = strcmp(at->tag, "mesh_file") == 0 || strcmp(at->tag, "geometry_file") == 0;
    if ((file && strstr(at->text, word)) || has_mesh(at, word)) {
      return true;
    }
  }
  return false;
}

static const lb_osim_place* find_place(const lb_osim* o, const char* body) {
  for (int i = 0; i < o->nplace; i++) {
    if (strcmp(o->place[i].body, body) == 0) {
      return &o->place[i];
    }
  }
  return NULL;
}

// --- bodies ---

// A body from the joint that carries it to its far end, as long again as to its centre of mass.
typedef struct bone_line {
  const char* name;
  lb_place place;
  lb_vec3 from, end;
} bone_line;

static double length_of(const bone_line* b) {
  return lb_vec3_norm(lb_vec3_sub(b->end, b->from));
}

static lb_vec3 along(const bone_line* b, double share) {
  return lb_vec3_add(b->from, lb_vec3_scale(share, lb_vec3_sub(b->end, b->from)));
}

// Bones from a point to the joints that the body carries; how many.
static int add_bones(lb_osim* o, lb_yaml* shapes, const bone_line* b, lb_vec3 from) {
  int n = 0;
  for (int i = 0; i < o->nplace; i++) {
    if (strcmp(o->place[i].parent, b->name) == 0) {
      add_bone(o, shapes, b->place, from, o->place[i].at);
      n++;
    }
  }
  return n;
}

// Shares of a grown body from the lowest lumbar joint to the middle of the head, y up: shoulders
// at 0.62, ribs from 0.2 to 0.66. Half-axes are the head's and the ribs' over that length.
static void draw_trunk(lb_osim* o, lb_yaml* shapes, const bone_line* b) {
  static const double SHOULDERS = 0.62, RIBS = 0.43;
  const double tall = length_of(b);
  add_bone(o, shapes, b->place, b->from, b->end);
  add_bones(o, shapes, b, along(b, SHOULDERS));
  lb_node_add(
      o, shapes,
      ellipsoid(o, b->place, along(b, RIBS), lb_vec3_scale(tall, lb_vec3_make(0.14, 0.23, 0.2))));
  lb_node_add(
      o, shapes,
      ellipsoid(o, b->place, b->end, lb_vec3_scale(tall, lb_vec3_make(0.125, 0.155, 0.105))));
}

static void draw_limb(lb_osim* o, lb_yaml* shapes, const bone_line* b) {
  static const double KNOB = 1.5;
  if (add_bones(o, shapes, b, b->from) == 0) {
    add_bone(o, shapes, b->place, b->from, b->end);
  }
  if (shapes->count > 0) {
    add_knob(o, shapes, b->place, b->from, KNOB * thickness(length_of(b)));
  }
}

static void draw(lb_osim* o, lb_xml* xml, const char* name, lb_yaml* body) {
  const lb_osim_place* carried = find_place(o, name);
  const lb_vec3 from = carried ? carried->in_child : lb_vec3_make(0, 0, 0);
  const lb_vec3 center = lb_osim_vector(o, xml, "mass_center", lb_vec3_make(0, 0, 0));
  const bone_line b = {name, xml->place, from, lb_vec3_sub(lb_vec3_scale(2, center), from)};
  lb_yaml* shapes = lb_node_list(o, xml->place);
  if (!shapes) {
    return;
  }
  const bool trunk = has_mesh(xml, "skull") && length_of(&b) > LEAST; // some have their mass at 0
  (trunk ? draw_trunk : draw_limb)(o, shapes, &b);
  if (shapes->count > 0) {
    lb_node_put(o, body, "shapes", shapes);
  }
}

void lb_osim_looks(lb_osim* o) {
  const lb_yaml* bodies = lb_yaml_find(o->scene, "bodies");
  for (int i = 0; bodies && i < bodies->count && i < o->nbody; i++) {
    draw(o, o->body[i], bodies->key[i]->text, bodies->item[i]);
  }
}

// --- muscles ---

// Fibres of length l and isometric force F fill F l / stress. Spread along fibre and tendon:
//   r = sqrt(F l / (pi stress (l + slack))),
// of which a share is drawn, in red, so that muscles do not hide each other.
void lb_osim_muscle_look(lb_osim* o, lb_xml* xml, lb_yaml* muscle) {
  static const double PI = 3.14159265358979323846, STRESS = 0.6e6, SHARE = 0.7;
  static const double THINNEST = 2e-3, THICKEST = 18e-3;
  const double force = lb_osim_number(o, xml, "max_isometric_force", 1000);
  const double fiber = lb_osim_number(o, xml, "optimal_fiber_length", 0.1);
  const double slack = lb_osim_number(o, xml, "tendon_slack_length", 0.2);
  const double area = force * fiber / (STRESS * (fiber + slack));
  if (area > 0 && isfinite(area)) {
    const double radius = fmin(fmax(SHARE * sqrt(area / PI), THINNEST), THICKEST);
    lb_node_put(o, muscle, "radius", lb_node_number(o, xml->place, radius));
    lb_node_put(o, muscle, "material", lb_node_text(o, xml->place, "red"));
  }
}
