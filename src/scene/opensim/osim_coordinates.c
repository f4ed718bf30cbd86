// Actuators: of coordinates, of points and between bodies.
#include <string.h>

#include "scene/opensim/osim.h"
#include "scene/opensim/osim_controls.h"

// --- actuators ---

// Nothing until somebody says otherwise.
static lb_yaml* silence(lb_osim* o, lb_place place) {
  lb_yaml* keys = lb_node_list(o, place);
  lb_node_add(o, keys, lb_node_numbers(o, place, (double[]){0, 0}, 2));
  return keys;
}

static void see_controls(lb_osim* o, lb_xml* xml) {
  lb_osim_word(o, xml, "min_control");
  lb_osim_word(o, xml, "max_control");
}

static void coordinate_actuator(lb_osim* o, lb_xml* xml) {
  lb_place place = xml->place;
  const char* name = lb_osim_socket(o, xml, "coordinate", &place);
  const lb_osim_coordinate* c = lb_osim_find_coordinate(o, name, place);
  if (!c) {
    return;
  }
  const double optimal = lb_osim_number(o, xml, "optimal_force", 1);
  see_controls(o, xml);
  place = xml->place;
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "joint", lb_node_text(o, place, c->joint));
  if (c->index > 0) {
    lb_node_put(o, map, "coordinate", lb_node_number(o, place, c->index));
  }
  lb_node_put(o, map, "drive", lb_node_text(o, place, "force"));
  lb_node_put(o, map, "keys", silence(o, place));
  if (optimal > 0) {
    lb_node_put(o, map, "optimal", lb_node_number(o, place, optimal));
  } else {
    lb_remark(o->r, place,
              lb_compose(o->r, "the optimal force %g of '%.64s' is taken as 1: it must be above 0",
                         optimal, xml->name));
  }
  lb_node_named_part(o, "motors", "actuator", xml->name, map);
}

// A load that a control scales.
static void put_load(lb_osim* o, lb_xml* xml, const lb_osim_frame* on, const char* key,
                     lb_vec3 value, bool global, const char* name) {
  lb_yaml* map = lb_osim_point(o, xml->place, on);
  const lb_vec3 along = lb_quat_rotate(global ? lb_osim_ground : on->pose.q, value);
  lb_node_put(o, map, key, lb_node_vector(o, xml->place, along));
  lb_node_put(o, map, "frame", lb_node_text(o, xml->place, global ? "world" : "body"));
  lb_node_put(o, map, "keys", silence(o, xml->place));
  lb_node_named_part(o, "loads", "actuator", name, map);
}

static bool body_frame(lb_osim* o, lb_xml* xml, const char* tag, lb_osim_frame* out) {
  lb_place place = xml->place;
  const char* name = lb_osim_socket(o, xml, tag, &place);
  return *name ? lb_osim_find_frame(o, xml, name, place, out)
               : lb_complain(o->r, xml->place, "<%s> is missing", tag);
}

static void point_actuator(lb_osim* o, lb_xml* xml) {
  const lb_vec3 zero = {0, 0, 0};
  lb_osim_frame on;
  const lb_vec3 point = lb_osim_vector(o, xml, "point", zero),
                direction = lb_osim_vector(o, xml, "direction", lb_vec3_make(1, 0, 0));
  const bool fixed = lb_osim_flag(o, xml, "point_is_global", false),
             global = lb_osim_flag(o, xml, "force_is_global", true);
  const double optimal = lb_osim_number(o, xml, "optimal_force", 1);
  see_controls(o, xml);
  if (!body_frame(o, xml, "body", &on)) {
    return;
  }
  if (fixed) {
    lb_osim_leave_out(o, xml, "its point stays in the ground (<point_is_global>), not on its body");
    return;
  }
  if (strcmp(on.body, "world") == 0 || !(lb_vec3_norm(direction) > 0)) {
    lb_osim_leave_out(o, xml, "it must act at a point of a body, along a direction");
    return;
  }
  on.pose.p = lb_osim_at(&on, point);
  put_load(o, xml, &on, "force", lb_vec3_scale(optimal / lb_vec3_norm(direction), direction),
           global, xml->name);
}

// A torque on the first body, and the opposite one on the second.
static void torque_actuator(lb_osim* o, lb_xml* xml) {
  lb_osim_frame a, b;
  const lb_vec3 axis = lb_osim_vector(o, xml, "axis", lb_vec3_make(0, 0, 1));
  const bool global = lb_osim_flag(o, xml, "torque_is_global", true);
  const double optimal = lb_osim_number(o, xml, "optimal_force", 1);
  see_controls(o, xml);
  if (!body_frame(o, xml, "bodyA", &a) || !body_frame(o, xml, "bodyB", &b)) {
    return;
  }
  const bool on[] = {strcmp(a.body, "world") != 0, strcmp(b.body, "world") != 0};
  if ((!global && on[1]) || !(lb_vec3_norm(axis) > 0)) {
    lb_osim_leave_out(o, xml, "an axis of its first body is none that stays on its second one");
    return;
  }
  const lb_vec3 torque = lb_vec3_scale(optimal / lb_vec3_norm(axis), axis);
  if (on[0]) {
    put_load(o, xml, &a, "torque", torque, global, xml->name);
  }
  if (on[1]) {
    put_load(o, xml, &b, "torque", lb_vec3_scale(-1, torque), global,
             lb_compose(o->r, "%.50s" LB_OSIM_REACTION, xml->name));
  }
}

static const struct {
  const char* tag;
  void (*read)(lb_osim* o, lb_xml* xml);
} KINDS[] = {{"CoordinateActuator", coordinate_actuator},
             {"PointActuator", point_actuator},
             {"TorqueActuator", torque_actuator}};

bool lb_osim_actuator(lb_osim* o, lb_xml* force) {
  for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
    if (strcmp(force->tag, KINDS[i].tag) == 0) {
      KINDS[i].read(o, force);
      return true;
    }
  }
  return false;
}
