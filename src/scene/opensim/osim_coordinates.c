// Forces on coordinates: springs, limits, actuators; and actuators of points and bodies.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"
#include "scene/opensim/osim_controls.h"

static void put(lb_osim* o, lb_yaml* map, lb_xml* xml, const char* key, double x) {
  lb_node_put(o, map, key, lb_node_number(o, xml->place, x));
}

static void leave_out(lb_osim* o, const lb_xml* xml, const char* why) {
  lb_remark(o->r, xml->place, lb_compose(o->r, "'%.64s' is left out: %s", xml->name, why));
}

static bool is_type(const lb_yaml* joint, const char* type) {
  const lb_yaml* is = lb_yaml_find(joint, "type");
  return is && lb_is_scalar(is) && strcmp(is->text, type) == 0;
}

static lb_yaml* find_item(const lb_yaml* map, const char* key) {
  for (int i = 0; map && i < map->count; i++) {
    if (strcmp(map->key[i]->text, key) == 0) {
      return map->item[i];
    }
  }
  return NULL;
}

// The joint or part of a joint whose coordinate it is, or NULL: it shares its spring with others.
static lb_yaml* holder_of(lb_osim* o, const lb_osim_coordinate* c) {
  lb_yaml* joint = find_item(lb_node_section(o, "joints", o->model->place), c->joint);
  if (!joint || is_type(joint, "revolute") || is_type(joint, "prismatic")) {
    return joint;
  }
  const lb_yaml* parts = is_type(joint, "composite") ? lb_yaml_find(joint, "parts") : NULL;
  int index = 0;
  for (int i = 0; parts && i < parts->count; i++) {
    if (!is_type(parts->item[i], "fixed") && !lb_yaml_find(parts->item[i], "follows")) {
      if (index++ == c->index) {
        return parts->item[i];
      }
    }
  }
  return NULL;
}

// Coordinate of a force, and what is to have its spring; NULL: told why not.
static lb_yaml* find_holder(lb_osim* o, lb_xml* xml, const lb_osim_coordinate** coordinate) {
  lb_place place = xml->place;
  const char* name = lb_osim_socket(o, xml, "coordinate", &place);
  *coordinate = lb_osim_find_coordinate(o, name, place);
  lb_yaml* holder = *coordinate ? holder_of(o, *coordinate) : NULL;
  if (*coordinate && !holder) {
    leave_out(o, xml, "its joint has one spring for several coordinates");
  } else if (holder && lb_yaml_find(holder, "spring")) {
    leave_out(o, xml, "another spring or limit acts on this coordinate already");
    return NULL;
  }
  return holder;
}

// f = -k (q - q0) - b qd
static void spring(lb_osim* o, lb_xml* xml) {
  const lb_osim_coordinate* c;
  lb_yaml* holder = find_holder(o, xml, &c);
  const double k = lb_osim_number(o, xml, "stiffness", 0),
               b = lb_osim_number(o, xml, "viscosity", 0),
               rest = lb_osim_number(o, xml, "rest_length", 0);
  if (!holder) {
    return;
  }
  if (k > 0) {
    lb_yaml* map = lb_node_map(o, xml->place);
    put(o, map, xml, "stiffness", k);
    lb_node_put(o, map, "rest", lb_node_measure(o, xml->place, rest, c->turns));
    lb_node_put(o, holder, "spring", map);
  }
  if (b > 0) {
    put(o, holder, xml, "damping", b);
  }
  if (k < 0 || b < 0) {
    leave_out(o, xml, "its stiffness and viscosity must not be negative");
  }
}

static void put_row(lb_osim* o, lb_yaml* table, lb_xml* xml, double q, double f, bool turns) {
  lb_yaml* row = lb_node_list(o, xml->place);
  lb_node_add(o, row, lb_node_measure(o, xml->place, q, turns));
  lb_node_add(o, row, lb_node_number(o, xml->place, f));
  lb_node_add(o, table, row);
}

// f = -k_u (q - q_u) above the upper limit, and likewise below the lower one: a spring that is
// loose in between, so that inverse kinematics may go beyond. Of angles all numbers are by degrees.
static void limit(lb_osim* o, lb_xml* xml) {
  const lb_osim_coordinate* c;
  lb_yaml* holder = find_holder(o, xml, &c);
  const double degree = c && c->turns ? M_PI / 180 : 1;
  const double upper = degree * lb_osim_number(o, xml, "upper_limit", 0),
               lower = degree * lb_osim_number(o, xml, "lower_limit", 0),
               above = lb_osim_number(o, xml, "upper_stiffness", 1) / degree,
               below = lb_osim_number(o, xml, "lower_stiffness", 1) / degree;
  const double damping = lb_osim_number(o, xml, "damping", 0.001);
  lb_osim_word(o, xml, "transition"); // over which the force comes in
  lb_osim_word(o, xml, "compute_dissipation_energy");
  if (!holder) {
    return;
  }
  if (!(lower < upper) || above < 0 || below < 0) {
    leave_out(o, xml, "its lower limit must be below the upper one, and no stiffness negative");
    return;
  }
  if (damping > 0) {
    lb_remark(o->r, xml->place,
              lb_compose(o->r, "the damping of the limits '%.64s' is left out", xml->name));
  }
  lb_yaml *map = lb_node_map(o, xml->place), *table = lb_node_list(o, xml->place);
  put_row(o, table, xml, lower - 1, -below, c->turns);
  put_row(o, table, xml, lower, 0, c->turns);
  put_row(o, table, xml, upper, 0, c->turns);
  put_row(o, table, xml, upper + 1, above, c->turns);
  lb_node_put(o, map, "table", table);
  lb_node_put(o, holder, "spring", map);
}

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
  }
  lb_node_part(o, "motors", xml->name, map);
}

// A load that a control scales.
static void put_load(lb_osim* o, lb_xml* xml, const lb_osim_frame* on, const char* key,
                     lb_vec3 value, bool global, const char* name) {
  lb_yaml* map = lb_osim_point(o, xml->place, on);
  const lb_vec3 along = lb_quat_rotate(global ? lb_osim_ground : on->pose.q, value);
  lb_node_put(o, map, key, lb_node_vector(o, xml->place, along));
  lb_node_put(o, map, "frame", lb_node_text(o, xml->place, global ? "world" : "body"));
  lb_node_put(o, map, "keys", silence(o, xml->place));
  lb_node_part(o, "loads", name, map);
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
  if (fixed || strcmp(on.body, "world") == 0 || !(lb_vec3_norm(direction) > 0)) {
    leave_out(o, xml, "it must act at a point of a body, along a direction");
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
    leave_out(o, xml, "an axis of its first body is none that stays on its second one");
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
             {"TorqueActuator", torque_actuator},
             {"SpringGeneralizedForce", spring},
             {"CoordinateLimitForce", limit}};

bool lb_osim_coordinate_force(lb_osim* o, lb_xml* force) {
  for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
    if (strcmp(force->tag, KINDS[i].tag) == 0) {
      KINDS[i].read(o, force);
      return true;
    }
  }
  return false;
}
