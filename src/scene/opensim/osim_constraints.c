// Constraints: couplers of coordinates, welds and points that close loops, rods.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

static lb_yaml* term_node(lb_osim* o, const lb_osim_coordinate* c, lb_place place, double times) {
  lb_yaml* term = lb_node_map(o, place);
  lb_node_put(o, term, "joint", lb_node_text(o, place, c->joint));
  if (c->index > 0) {
    lb_node_put(o, term, "coordinate", lb_node_number(o, place, c->index));
  }
  if (times != 1) {
    lb_node_put(o, term, "times", lb_node_number(o, place, times));
  }
  return term;
}

// Linear in several coordinates: a_1 q_1 + ... + b.
static bool couple_linear(lb_osim* o, lb_xml* xml, lb_xml* function, double scale, lb_yaml* terms,
                          char* const* name, int count, double* b) {
  lb_xml* line = strcmp(function->tag, "LinearFunction") == 0 ? function : NULL;
  lb_xml* at = line ? lb_xml_find(line, "coefficients") : NULL;
  double* c = NULL;
  if (!line) {
    return lb_complain(o->r, xml->place,
                       "a coupler of several coordinates must be linear to be "
                       "read");
  }
  line->seen = true;
  if (!at || lb_osim_numbers(o, at, at->text, &c) != count + 1) {
    return lb_complain(o->r, line->place,
                       "a LinearFunction of %d coordinates needs %d coefficients", count,
                       count + 1);
  }
  for (int i = 0; i < count; i++) {
    const lb_osim_coordinate* q = lb_osim_find_coordinate(o, name[i], xml->place);
    if (!q) {
      return false;
    }
    lb_node_add(o, terms, term_node(o, q, xml->place, -scale * c[i]));
  }
  *b = scale * c[count];
  return true;
}

// scale f(q) on the other side, as terms and a constant.
static bool couple_independent(lb_osim* o, lb_xml* xml, lb_yaml* terms, double* b) {
  enum { MOST = 16 };
  lb_xml* names = lb_osim_property(o, xml, "independent_coordinate_names");
  lb_xml* function = lb_osim_find_function(o, xml, "coupled_coordinates_function");
  const double scale = lb_osim_number(o, xml, "scale_factor", 1);
  char* name[MOST];
  int count = 0;
  char* text = names ? lb_arena_text(&o->r->scratch, names->text, strlen(names->text)) : NULL;
  char* state = NULL;
  for (char* s = text ? strtok_r(text, " \t\r\n", &state) : NULL; s && count < MOST;
       s = strtok_r(NULL, " \t\r\n", &state)) {
    name[count++] = s;
  }
  if (count == 0 || !function) {
    return lb_complain(o->r, xml->place,
                       "a coupler needs <independent_coordinate_names> and "
                       "<coupled_coordinates_function>");
  }
  if (count > 1) {
    return couple_linear(o, xml, function, scale, terms, name, count, b);
  }
  lb_osim_function f;
  const lb_osim_coordinate* q = lb_osim_find_coordinate(o, name[0], names->place);
  if (!q || !lb_osim_read_function(o, function, 1, &f)) {
    return false;
  }
  if (f.constant || f.line) {
    *b = scale * f.b;
    lb_node_add(o, terms, term_node(o, q, xml->place, f.constant ? 0 : -scale * f.a));
    return true;
  }
  lb_yaml* term = term_node(o, q, xml->place, -scale);
  lb_node_put(o, term, "function", f.node);
  lb_node_add(o, terms, term);
  return true;
}

static void coupler(lb_osim* o, lb_xml* xml) {
  lb_xml* dependent = lb_osim_property(o, xml, "dependent_coordinate_name");
  const lb_osim_coordinate* c =
      dependent ? lb_osim_find_coordinate(o, dependent->text, dependent->place) : NULL;
  lb_yaml *terms = lb_node_list(o, xml->place), *map = lb_node_map(o, xml->place);
  double b = 0;
  if (!dependent) {
    lb_complain(o->r, xml->place, "a coupler needs a <dependent_coordinate_name>");
  }
  if (!c) {
    return;
  }
  o->coordinate[c - o->coordinate].dependent = true;
  lb_node_add(o, terms, term_node(o, c, xml->place, 1));
  if (couple_independent(o, xml, terms, &b)) {
    lb_node_put(o, map, "couple", terms);
    lb_node_put(o, map, "equals", lb_node_number(o, xml->place, b));
    lb_node_object(o, "constraints", "constraint", xml, c->name, map);
  }
}

// --- between two bodies ---

static const char* const FIRST[] = {"frame1", "body_1", "frame_1", NULL};
static const char* const SECOND[] = {"frame2", "body_2", "frame_2", NULL};

static bool find_ends(lb_osim* o, lb_xml* xml, lb_osim_frame end[2]) {
  const lb_vec3 zero = {0, 0, 0};
  if (!lb_osim_attach(o, xml, FIRST, "location_body_1", &end[0]) ||
      !lb_osim_attach(o, xml, SECOND, "location_body_2", &end[1])) {
    return false;
  }
  end[0].pose.q = lb_quat_mul(end[0].pose.q,
                              lb_osim_rotation(lb_osim_vector(o, xml, "orientation_body_1", zero)));
  end[1].pose.q = lb_quat_mul(end[1].pose.q,
                              lb_osim_rotation(lb_osim_vector(o, xml, "orientation_body_2", zero)));
  return true;
}

// A joint that closes a loop; the child cannot be the world.
static void close_loop(lb_osim* o, lb_xml* xml, const char* type) {
  lb_osim_frame end[2];
  if (!find_ends(o, xml, end)) {
    return;
  }
  const int child = strcmp(end[1].body, "world") == 0 ? 0 : 1;
  const lb_place place = xml->place;
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "type", lb_node_text(o, place, type));
  lb_node_put(o, map, "parent", lb_node_text(o, place, end[1 - child].body));
  lb_node_put(o, map, "child", lb_node_text(o, place, end[child].body));
  lb_node_put(o, map, "at", lb_node_pose(o, place, end[1 - child].pose));
  lb_node_put(o, map, "in_child", lb_node_pose(o, place, end[child].pose));
  lb_node_put(o, map, "loop", lb_node_flag(o, place, true));
  lb_node_object(o, "joints", "constraint", xml, xml->tag, map);
}

static void weld(lb_osim* o, lb_xml* xml) {
  close_loop(o, xml, "fixed");
}

static void point(lb_osim* o, lb_xml* xml) {
  close_loop(o, xml, "spherical");
}

static void rod(lb_osim* o, lb_xml* xml) {
  lb_osim_frame end[2];
  if (!find_ends(o, xml, end)) {
    return;
  }
  const int to = strcmp(end[1].body, "world") == 0 ? 0 : 1;
  const lb_place place = xml->place;
  lb_yaml *map = lb_node_map(o, place), *distance = lb_node_map(o, place);
  lb_node_put(o, distance, "from", lb_osim_point(o, place, &end[1 - to]));
  lb_node_put(o, distance, "to", lb_osim_point(o, place, &end[to]));
  lb_node_put(o, distance, "length",
              lb_node_number(o, place, lb_osim_number(o, xml, "constant_distance", 1)));
  lb_node_put(o, map, "distance", distance);
  lb_node_object(o, "constraints", "constraint", xml, xml->tag, map);
}

static void point_on_line(lb_osim* o, lb_xml* xml) {
  static const char* const LINE[] = {"line_body", NULL};
  static const char* const FOLLOWER[] = {"follower_body", NULL};
  const lb_place place = xml->place;
  const lb_vec3 along = lb_osim_vector(o, xml, "line_direction_vec", lb_vec3_make(0, 0, 0));
  lb_osim_frame line, follower;
  if (!lb_osim_attach(o, xml, LINE, "point_on_line", &line) ||
      !lb_osim_attach(o, xml, FOLLOWER, "point_on_follower", &follower)) {
    return;
  }
  lb_yaml *map = lb_node_map(o, place), *of = lb_osim_point(o, place, &follower);
  lb_node_put(o, of, "through", lb_osim_point(o, place, &line));
  lb_node_put(o, of, "along", lb_node_vector(o, place, lb_quat_rotate(line.pose.q, along)));
  lb_node_put(o, map, "line", of);
  lb_node_object(o, "constraints", "constraint", xml, xml->tag, map);
}

static const struct {
  const char* tag;
  void (*read)(lb_osim* o, lb_xml* xml);
} KINDS[] = {
    {"CoordinateCouplerConstraint", coupler},
    {"WeldConstraint", weld},
    {"PointConstraint", point},
    {"ConstantDistanceConstraint", rod},
    {"PointOnLineConstraint", point_on_line},
};

void lb_osim_constraints(lb_osim* o) {
  for (lb_xml* e = lb_osim_first(o, o->model, "ConstraintSet"); e && !o->r->no_memory;
       e = e->next) {
    const bool off =
        lb_osim_flag(o, e, "isDisabled", false) || !lb_osim_flag(o, e, "isEnforced", true);
    for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
      if (strcmp(e->tag, KINDS[i].tag) == 0 && !e->seen) {
        e->seen = true;
        o->has_constraints |= !off;
        if (!off) {
          KINDS[i].read(o, e);
        }
      }
    }
  }
}
