// Markers; forces but muscles and those on coordinates: bushings, contacts.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

void lb_osim_markers(lb_osim* o) {
  static const char* const ON[] = {"parent_frame", "body", "frame_name", NULL};
  for (lb_xml* e = lb_osim_first(o, o->model, "MarkerSet"); e && !o->r->no_memory; e = e->next) {
    lb_osim_frame frame;
    if (strcmp(e->tag, "Marker") != 0) {
      continue;
    }
    e->seen = true;
    const bool fixed = lb_osim_flag(o, e, "fixed", false);
    if (!lb_osim_attach(o, e, ON, "location", &frame)) {
      continue;
    }
    lb_yaml* marker = lb_osim_point(o, e->place, &frame);
    if (fixed) {
      lb_node_put(o, marker, "fixed", lb_node_flag(o, e->place, true));
    }
    lb_node_named_part(o, "markers", "marker", e->name, marker);
  }
}

void lb_osim_leave_out(lb_osim* o, const lb_xml* force, const char* why) {
  lb_remark(o->r, force->place, lb_compose(o->r, "'%.64s' is left out: %s", force->name, why));
}

// --- bushings ---

// Springs and dampers along the axes of the first frame, between its origin and that of the other.
static void bushing(lb_osim* o, lb_xml* xml) {
  static const char* const FIRST[] = {"frame1", "body_1", NULL};
  static const char* const SECOND[] = {"frame2", "body_2", NULL};
  static const char* const WORD[] = {"x", "y", "z"};
  const lb_vec3 zero = {0, 0, 0};
  const lb_place place = xml->place;
  const lb_vec3 k = lb_osim_vector(o, xml, "translational_stiffness", zero),
                d = lb_osim_vector(o, xml, "translational_damping", zero),
                turn = lb_osim_vector(o, xml, "rotational_stiffness", zero),
                turn_damping = lb_osim_vector(o, xml, "rotational_damping", zero),
                angles = lb_osim_vector(o, xml, "orientation_body_1", zero);
  const double stiffness[] = {k.x, k.y, k.z}, damping[] = {d.x, d.y, d.z};
  lb_osim_frame a, b;
  if (!lb_osim_attach(o, xml, FIRST, "location_body_1", &a) ||
      !lb_osim_attach(o, xml, SECOND, "location_body_2", &b)) {
    return;
  }
  lb_osim_vector(o, xml, "orientation_body_2", zero);
  if (lb_vec3_norm(turn) + lb_vec3_norm(turn_damping) > 0) {
    lb_remark(o->r, place,
              lb_compose(o->r, "the bushing '%s' resists turning, which is left out", xml->name));
  }
  const lb_quat axes = lb_quat_mul(a.pose.q, lb_osim_rotation(angles));
  for (int i = 0; i < 3; i++) {
    if (stiffness[i] == 0 && damping[i] == 0) {
      continue;
    }
    const lb_vec3 along = lb_quat_rotate(axes, lb_vec3_make(i == 0, i == 1, i == 2));
    lb_yaml* map = lb_node_map(o, place);
    lb_node_put(o, map, "from", lb_osim_point(o, place, &a));
    lb_node_put(o, map, "to", lb_osim_point(o, place, &b));
    lb_node_put(o, map, "along", lb_node_vector(o, place, along));
    lb_node_put(o, map, "length", lb_node_number(o, place, 0));
    lb_node_put(o, map, "stiffness", lb_node_number(o, place, stiffness[i]));
    lb_node_put(o, map, "damping", lb_node_number(o, place, damping[i]));
    lb_node_named_part(o, "springs", "bushing", lb_compose(o->r, "%.58s_%s", xml->name, WORD[i]),
                       map);
  }
}

// --- contact of balls and planes ---

static lb_xml* find_geometry(lb_osim* o, const char* path) {
  const char* name = lb_osim_last(path);
  for (lb_xml* e = lb_osim_first(o, o->model, "ContactGeometrySet"); e; e = e->next) {
    if (strcmp(e->name, name) == 0) {
      return e;
    }
  }
  return NULL;
}

static bool geometry_frame(lb_osim* o, lb_xml* geometry, lb_osim_frame* out) {
  static const char* const ON[] = {"frame", "body_name", NULL};
  if (!lb_osim_attach(o, geometry, ON, "location", out)) {
    return false;
  }
  const lb_vec3 angles = lb_osim_vector(o, geometry, "orientation", lb_vec3_make(0, 0, 0));
  out->pose.q = lb_quat_mul(out->pose.q, lb_osim_rotation(angles));
  return true;
}

typedef struct material {
  double stiffness, dissipation, friction;
} material;

// A geometry of a contact, and what it is made of.
typedef struct side {
  lb_xml* geometry;
  material is;
} side;

typedef struct contact {
  lb_xml* xml;
  double slip;
  double smooth, smooth_speed; // 0: it is not smooth
  int nside, capacity;
  side* side;
} contact;

// Of two materials with k_i = K_i^(2/3), whose friction is the harmonic mean:
//
//   k  = k_1 k_2 / (k_1 + k_2),   c = (c_1 k_2 + c_2 k_1) / (k_1 + k_2)
//   mu = 2 mu_1 mu_2 / (mu_1 + mu_2)
static material join(const material* a, const material* b) {
  const double ka = cbrt(a->stiffness * a->stiffness), kb = cbrt(b->stiffness * b->stiffness);
  const double k = ka + kb, mu = a->friction + b->friction;
  return (material){.stiffness = k > 0 ? ka * kb / k : 0,
                    .dissipation = k > 0 ? (a->dissipation * kb + b->dissipation * ka) / k : 0,
                    .friction = mu > 0 ? 2 * a->friction * b->friction / mu : 0};
}

// Hunt and Crossley's force of a ball of radius R on a half-space:
//
//   f = 4/3 k^(3/2) sqrt(R) x^(3/2) (1 + 3/2 c v)
static void touch(lb_osim* o, const contact* c, const side* plane_side, const side* ball_side) {
  lb_xml *plane = plane_side->geometry, *ball = ball_side->geometry;
  const material both = join(&plane_side->is, &ball_side->is);
  lb_osim_frame floor, centre;
  const double radius = lb_osim_number(o, ball, "radius", 0);
  const lb_place place = c->xml->place;
  ball->seen = plane->seen = true;
  if (!geometry_frame(o, plane, &floor) || !geometry_frame(o, ball, &centre)) {
    return;
  }
  if (strcmp(floor.body, "world") != 0 || strcmp(centre.body, "world") == 0) {
    lb_remark(o->r, place,
              lb_compose(o->r,
                         "contact '%s' is left out: its plane must be on the ground and its "
                         "ball on a body",
                         c->xml->name));
    return;
  }
  const double k = 4.0 / 3 * pow(both.stiffness, 1.5) * sqrt(radius);
  // a half-space fills what lies along its x
  const lb_vec3 normal = lb_quat_rotate(floor.pose.q, lb_vec3_make(-1, 0, 0));
  lb_yaml *map = lb_node_map(o, place), *points = lb_node_list(o, place),
          *point = lb_osim_point(o, ball->place, &centre);
  lb_node_put(o, point, "radius", lb_node_number(o, ball->place, radius));
  lb_node_add(o, points, point);
  lb_node_put(o, map, "points", points);
  lb_node_put(o, map, "at", lb_node_vector(o, place, floor.pose.p));
  lb_node_put(o, map, "normal", lb_node_vector(o, place, normal));
  lb_node_put(o, map, "stiffness", lb_node_number(o, place, k));
  lb_node_put(o, map, "exponent", lb_node_number(o, place, 1.5));
  lb_node_put(o, map, "dissipation", lb_node_number(o, place, 1.5 * both.dissipation));
  lb_node_put(o, map, "friction", lb_node_number(o, place, both.friction));
  lb_node_put(o, map, "slip", lb_node_number(o, place, c->slip));
  if (c->smooth > 0) {
    lb_node_put(o, map, "smooth", lb_node_number(o, place, c->smooth));
    lb_node_put(o, map, "smooth_speed", lb_node_number(o, place, c->smooth_speed));
  }
  lb_node_object(o, "grounds", "contact", c->xml, ball->name, map);
}

static bool is(const lb_xml* e, const char* tag) {
  return e && strcmp(e->tag, tag) == 0;
}

static material read_material(lb_osim* o, lb_xml* parameters) {
  const material made = {.stiffness = lb_osim_number(o, parameters, "stiffness", 0),
                         .dissipation = lb_osim_number(o, parameters, "dissipation", 0),
                         .friction = lb_osim_number(o, parameters, "dynamic_friction", 0)};
  lb_osim_number(o, parameters, "static_friction", 0);
  if (lb_osim_number(o, parameters, "viscous_friction", 0) != 0) {
    lb_remark(o->r, parameters->place, "friction in proportion to speed (viscous) is left out");
  }
  return made;
}

static bool no_geometry(lb_osim* o, const char* path, lb_place place) {
  const char* name = lb_osim_last(path);
  lb_nearest nearest = lb_nearest_to(name);
  for (lb_xml* e = lb_osim_first(o, o->model, "ContactGeometrySet"); e; e = e->next) {
    lb_nearest_offer(&nearest, e->name);
  }
  return lb_complain(o->r, place, "there is no contact geometry '%.64s'%s", name,
                     lb_did_you_mean(o->r, &nearest));
}

// Geometries that a list of names has are of this material.
static void add_sides(lb_osim* o, contact* c, const material* of, const char* names,
                      lb_place place) {
  char* text = lb_arena_text(&o->r->scratch, names, strlen(names));
  char* state = NULL;
  for (char* s = text ? strtok_r(text, " \t\r\n", &state) : NULL; s;
       s = strtok_r(NULL, " \t\r\n", &state)) {
    lb_xml* g = find_geometry(o, s);
    if (!g) {
      no_geometry(o, s, place);
      return;
    }
    side* grown = LB_GROW(&o->r->scratch, c->side, c->nside, &c->capacity);
    if (!grown) {
      lb_lack(o->r);
      return;
    }
    c->side = grown;
    c->side[c->nside++] = (side){g, *of};
  }
}

// Every ball touches every plane.
static void touch_all(lb_osim* o, const contact* c) {
  bool any = false;
  for (int i = 0; i < c->nside; i++) {
    for (int k = 0; k < c->nside; k++) {
      if (is(c->side[i].geometry, "ContactHalfSpace") && is(c->side[k].geometry, "ContactSphere")) {
        touch(o, c, &c->side[i], &c->side[k]);
        any = true;
      }
    }
  }
  if (!any) {
    lb_osim_leave_out(o, c->xml, "it has no ContactSphere on a ContactHalfSpace");
  }
}

static void hunt_crossley(lb_osim* o, lb_xml* xml) {
  contact c = {.xml = xml, .slip = lb_osim_number(o, xml, "transition_velocity", 0.01)};
  lb_xml* set = lb_xml_find(xml, "HuntCrossleyForce::ContactParametersSet");
  for (lb_xml* e = lb_osim_first(o, set ? set : xml, set ? NULL : "contact_parameters"); e;
       e = e->next) {
    lb_xml* names = lb_xml_find(e, "geometry");
    if (names) {
      const material of = read_material(o, e);
      e->seen = true;
      add_sides(o, &c, &of, names->text, names->place);
    }
  }
  touch_all(o, &c);
}

static void smooth_sphere(lb_osim* o, lb_xml* xml) {
  const double steep = lb_osim_number(o, xml, "hertz_smoothing", 300),
               steep_speed = lb_osim_number(o, xml, "hunt_crossley_smoothing", 50);
  contact c = {.xml = xml,
               .slip = lb_osim_number(o, xml, "transition_velocity", 0.2),
               .smooth = steep > 0 && steep_speed > 0 ? 1 / steep : 0,
               .smooth_speed = 1 / steep_speed};
  static const char* const SIDES[] = {"sphere", "half_space"};
  const material of = read_material(o, xml);
  lb_osim_word(o, xml, "constant_contact_force"); // 1e-5 N, which keeps roots smooth
  for (int i = 0; i < LB_COUNT_OF(SIDES); i++) {
    lb_place place = xml->place;
    const char* name = lb_osim_socket(o, xml, SIDES[i], &place);
    add_sides(o, &c, &of, name, place);
  }
  touch_all(o, &c);
}

// --- the whole ---

static const struct {
  const char* tag;
  void (*read)(lb_osim* o, lb_xml* xml);
} KINDS[] = {
    {"BushingForce", bushing},
    {"HuntCrossleyForce", hunt_crossley},
    {"SmoothSphereHalfSpaceForce", smooth_sphere},
};

static bool is_off(lb_osim* o, lb_xml* force) {
  return lb_osim_flag(o, force, "isDisabled", false) ||
         !lb_osim_flag(o, force, "appliesForce", true);
}

// Forces of the set, and those that were added to the model as components of its own.
static void read_forces(lb_osim* o, const char* set) {
  for (lb_xml* e = lb_osim_first(o, o->model, set); e && !o->r->no_memory; e = e->next) {
    if (is_off(o, e)) {
      lb_osim_leave_out(o, e, "it is off in the model (<appliesForce>, <isDisabled>)");
      e->seen = true;
      e->first = NULL; // nothing of it is needed
      continue;
    }
    e->seen |= lb_osim_actuator(o, e) || lb_osim_coordinate_pull(o, e) || lb_osim_path_force(o, e);
    for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
      if (strcmp(e->tag, KINDS[i].tag) == 0) {
        e->seen = true;
        KINDS[i].read(o, e);
      }
    }
  }
}

void lb_osim_forces(lb_osim* o) {
  read_forces(o, "ForceSet");
  read_forces(o, "components");
  lb_osim_report_pathless(o);
  lb_osim_put_pulls(o);
}
