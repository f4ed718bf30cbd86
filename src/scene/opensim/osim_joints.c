// Joints and their coordinates.
//
// A CustomJoint moves by six axes, each by a function of a coordinate: translations along the
// parent's axes first, then rotations one after the other. It becomes a composite joint with a part
// for each axis that moves. The part that is its coordinate itself has it, and the others follow.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

enum { AXES = 6, MOST = LB_JOINT_MOST_V };

typedef struct joint {
  lb_xml* xml;
  const char* name; // in the scene
  lb_osim_frame parent, child;
  int ncoordinate;
  lb_xml* coordinate[MOST]; // in the model's order
  int order[MOST];          // which of them is coordinate k in the scene
  bool turns[MOST];         // by the model's order
  lb_yaml* map;
  lb_transform start; // motion at the start, from the joint's frame in the parent to the child's
} joint;

// --- coordinates ---

static bool gather_coordinates(lb_osim* o, joint* j) {
  lb_xml* set = lb_osim_property(o, j->xml, "coordinates");
  lb_xml* first = set ? set->first : lb_osim_first(o, j->xml, "CoordinateSet");
  for (lb_xml* e = first; e; e = e->next) {
    if (strcmp(e->tag, "Coordinate") != 0) {
      continue;
    }
    if (j->ncoordinate == MOST) {
      return lb_complain(o->r, e->place, "a joint cannot have more than %d coordinates", MOST);
    }
    e->seen = true;
    j->coordinate[j->ncoordinate++] = e;
  }
  return true;
}

static int find_own(lb_osim* o, const joint* j, const char* name, lb_place place) {
  lb_nearest nearest = lb_nearest_to(name);
  for (int k = 0; k < j->ncoordinate; k++) {
    if (strcmp(j->coordinate[k]->name, name) == 0) {
      return k;
    }
    lb_nearest_offer(&nearest, j->coordinate[k]->name);
  }
  lb_complain(o->r, place, "joint '%.64s' has no coordinate '%.64s'%s", j->xml->name, name,
              lb_did_you_mean(o->r, &nearest));
  return -1;
}

// Coordinate k of the scene's joint is this one of the model's.
static bool keep_coordinate(lb_osim* o, const joint* j, int k) {
  lb_xml* xml = j->coordinate[j->order[k]];
  for (int i = 0; i < o->ncoordinate; i++) {
    if (strcmp(o->coordinate[i].name, xml->name) == 0) {
      return lb_osim_defined_twice(o, "coordinate", xml, o->coordinate[i].xml->place.line);
    }
  }
  lb_osim_coordinate* grown =
      LB_GROW(&o->r->scratch, o->coordinate, o->ncoordinate, &o->coordinate_capacity);
  if (!grown) {
    return lb_lack(o->r);
  }
  o->coordinate = grown;
  lb_osim_word(o, xml, "motion_type");
  lb_osim_word(o, xml, "initial_value");
  o->coordinate[o->ncoordinate++] =
      (lb_osim_coordinate){.name = xml->name,
                           .joint = j->name,
                           .xml = xml,
                           .index = k,
                           .turns = j->turns[j->order[k]],
                           .free = lb_osim_flag(o, xml, "is_free_to_satisfy_constraints", false),
                           .value = lb_osim_number(o, xml, "default_value", 0),
                           .speed = lb_osim_number(o, xml, "default_speed_value", 0)};
  return true;
}

// A coordinate that is locked stays where it is, whatever its range.
static bool is_clamped(lb_osim* o, lb_xml* xml) {
  const bool clamped = lb_osim_flag(o, xml, "clamped", false);
  return clamped && !lb_osim_flag(o, xml, "locked", false);
}

static void put_names(lb_osim* o, joint* j) {
  lb_yaml* names = lb_node_list(o, j->xml->place);
  lb_yaml* ranges = lb_node_list(o, j->xml->place);
  lb_yaml* clamped = lb_node_list(o, j->xml->place);
  bool any = false;
  for (int k = 0; k < j->ncoordinate; k++) {
    lb_xml* xml = j->coordinate[j->order[k]];
    const lb_xml* range = lb_osim_property(o, xml, "range");
    double own[2] = {-1e6, 1e6};
    const bool bounded = lb_osim_range(o, xml, "range", &own[0], &own[1]);
    lb_node_add(o, names, lb_node_text(o, xml->place, xml->name));
    lb_yaml* pair = lb_node_list(o, range ? range->place : xml->place);
    for (int i = 0; i < 2; i++) {
      lb_node_add(o, pair, lb_node_measure(o, xml->place, own[i], j->turns[j->order[k]]));
    }
    lb_node_add(o, ranges, pair);
    const bool keeps = is_clamped(o, xml) && bounded;
    lb_node_add(o, clamped, lb_node_flag(o, xml->place, keeps));
    any |= keeps;
    keep_coordinate(o, j, k);
  }
  if (j->ncoordinate > 0) {
    lb_node_put(o, j->map, "names", names);
    lb_node_put(o, j->map, "ranges", ranges);
  }
  if (any) {
    lb_node_put(o, j->map, "clamped", clamped);
  }
}

// --- custom joints ---

typedef struct axis {
  lb_xml* xml;
  lb_vec3 along;
  int coordinate; // of the model's order; -1: none
  lb_osim_function f;
  bool owns; // its coordinate is that of its part
} axis;

// Translations, then rotations, as they move.
static const char* const AXIS_NAMES[AXES] = {"translation1", "translation2", "translation3",
                                             "rotation1",    "rotation2",    "rotation3"};

static bool is_turn(int i) {
  return i >= 3;
}

static bool read_axis(lb_osim* o, const joint* j, lb_xml* transform, int i, axis* a) {
  *a = (axis){.coordinate = -1, .f = {.constant = true}};
  for (lb_xml* e = transform ? transform->first : NULL; e; e = e->next) {
    a->xml = strcmp(e->name, AXIS_NAMES[i]) == 0 ? e : a->xml;
  }
  if (!a->xml) {
    return true;
  }
  a->xml->seen = true;
  const lb_vec3 unit = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
  const char* name = lb_osim_word(o, a->xml, "coordinates");
  a->along = lb_osim_vector(o, a->xml, "axis", unit);
  const double norm = lb_vec3_norm(a->along);
  if (!(norm > 0)) {
    return lb_complain(o->r, a->xml->place, "the axis of '%s' must not be zero", a->xml->name);
  }
  // shifts are measured in lengths of their axes, turns are not
  const bool scaled = !is_turn(i) && fabs(norm - 1) > 1e-6;
  a->along = lb_vec3_scale(1 / norm, a->along);
  if (!lb_osim_read_inner_function(o, a->xml, scaled ? norm : 1, *name != 0, &a->f)) {
    return false;
  }
  if (strpbrk(name, " \t\n")) {
    return lb_complain(o->r, a->xml->place,
                       "'%s' is a function of several coordinates, which cannot be read",
                       a->xml->name);
  }
  if (*name && (a->coordinate = find_own(o, j, name, a->xml->place)) < 0) {
    return false;
  }
  if (a->f.constant) { // it moves with nothing, whatever it names
    a->coordinate = -1;
    return true;
  }
  return a->coordinate >= 0 || lb_complain(o->r, a->xml->place,
                                           "'%s' is a function of no coordinate (name one in "
                                           "<coordinates>, or make it a Constant)",
                                           a->xml->name);
}

static bool is_itself(const axis* a) {
  return a->f.line && a->f.a == 1 && a->f.b == 0;
}

// Of the axes that move by a coordinate, the one that is it; else one of its measure.
static int find_owner(const axis* a, int k, const bool* turns) {
  int best = -1, most = 0;
  for (int i = 0; i < AXES; i++) {
    const bool fits = a[i].coordinate == k && is_turn(i) == *turns;
    const int worth = !fits ? 0 : is_itself(&a[i]) ? 2 : 1;
    best = worth > most ? i : best;
    most = worth > most ? worth : most;
  }
  return best;
}

// An angle is what turns by itself, or what a file says; what does neither turns something.
static bool measures_angle(lb_osim* o, const joint* j, const axis* a, int k) {
  const char* type = lb_osim_word(o, j->coordinate[k], "motion_type");
  bool turns = false, slides = false, any = false;
  for (int i = 0; i < AXES; i++) {
    const bool own = a[i].coordinate == k;
    turns |= own && is_itself(&a[i]) && is_turn(i);
    slides |= own && is_itself(&a[i]) && !is_turn(i);
    any |= own && is_turn(i);
  }
  return turns || (!slides && (strcmp(type, "translational") != 0 || any));
}

static lb_yaml* part_node(lb_osim* o, lb_place place, bool turns, lb_vec3 along) {
  lb_yaml* part = lb_node_map(o, place);
  lb_node_put(o, part, "type", lb_node_text(o, place, turns ? "revolute" : "prismatic"));
  lb_node_put(o, part, "axis", lb_node_vector(o, place, along));
  return part;
}

// A shift or turn that is always there.
static lb_yaml* fixed_node(lb_osim* o, const axis* a, bool turns) {
  const lb_vec3 by = lb_vec3_scale(a->f.b, a->along);
  const lb_transform X = {turns ? lb_quat_exp(by) : (lb_quat){1, 0, 0, 0},
                          turns ? lb_vec3_make(0, 0, 0) : by};
  lb_yaml* part = lb_node_map(o, a->xml->place);
  lb_node_put(o, part, "type", lb_node_text(o, a->xml->place, "fixed"));
  lb_node_put(o, part, "at", lb_node_pose(o, a->xml->place, X));
  return part;
}

// Parts in their order; followers learn the numbers of coordinates once all have one.
static lb_yaml* make_parts(lb_osim* o, joint* j, const axis* a, const int* owner) {
  lb_yaml* parts = lb_node_list(o, j->xml->place);
  int number[MOST], count = 0;
  for (int i = 0; i < AXES; i++) {
    if (a[i].coordinate >= 0 && owner[a[i].coordinate] == i) {
      j->order[count] = a[i].coordinate;
      number[a[i].coordinate] = count++;
    }
  }
  for (int k = 0; k < j->ncoordinate; k++) { // those that no axis has follow
    if (owner[k] < 0) {
      j->order[count] = k;
      number[k] = count++;
    }
  }
  for (int i = 0; i < AXES; i++) {
    if (a[i].f.constant && a[i].f.b == 0) {
      continue;
    }
    const lb_place place = a[i].xml->place;
    const bool owns = a[i].coordinate >= 0 && owner[a[i].coordinate] == i;
    lb_yaml* part = a[i].f.constant ? fixed_node(o, &a[i], is_turn(i))
                                    : part_node(o, place, is_turn(i), a[i].along);
    if (a[i].coordinate >= 0 && !owns) {
      lb_node_put(o, part, "follows", lb_node_number(o, place, number[a[i].coordinate]));
    }
    if (!a[i].f.constant && !is_itself(&a[i])) {
      lb_node_put(o, part, "function", lb_osim_function_node(o, place, &a[i].f));
    }
    lb_node_add(o, parts, part);
  }
  for (int k = 0; k < j->ncoordinate; k++) { // which move nothing by themselves
    if (owner[k] < 0) {
      lb_yaml* part = part_node(o, j->coordinate[k]->place, j->turns[k], lb_vec3_make(0, 0, 1));
      lb_node_put(o, part, "function", lb_node_number(o, j->coordinate[k]->place, 0));
      lb_node_add(o, parts, part);
    }
  }
  return parts;
}

static double start_of(lb_osim* o, const joint* j, int k) {
  return k >= 0 && k < j->ncoordinate ? lb_osim_number(o, j->coordinate[k], "default_value", 0) : 0;
}

static lb_transform custom_start(lb_osim* o, const joint* j, const axis* a) {
  lb_transform Q = lb_transform_identity();
  for (int i = 0; i < AXES; i++) {
    const double f = lb_osim_function_at(&a[i].f, start_of(o, j, a[i].coordinate));
    const lb_vec3 by = lb_vec3_scale(f, a[i].along);
    const lb_transform X = {is_turn(i) ? lb_quat_exp(by) : (lb_quat){1, 0, 0, 0},
                            is_turn(i) ? lb_vec3_make(0, 0, 0) : by};
    Q = lb_transform_mul(Q, X);
  }
  return Q;
}

static bool custom(lb_osim* o, joint* j) {
  lb_xml* transform = lb_osim_property(o, j->xml, "SpatialTransform");
  axis a[AXES];
  int owner[MOST], moves = 0, only = -1;
  for (int i = 0; i < AXES; i++) {
    if (!read_axis(o, j, transform, i, &a[i])) {
      return false;
    }
    const bool there = !a[i].f.constant || a[i].f.b != 0;
    moves += there;
    only = there ? i : only;
  }
  for (int k = 0; k < j->ncoordinate; k++) {
    j->turns[k] = measures_angle(o, j, a, k);
    owner[k] = find_owner(a, k, &j->turns[k]);
  }
  j->start = custom_start(o, j, a);
  if (j->ncoordinate == 0) {
    lb_node_put(o, j->map, "type", lb_node_text(o, j->xml->place, "fixed"));
    return moves == 0 || lb_complain(o->r, j->xml->place, "joint '%.64s' moves without coordinates",
                                     j->xml->name);
  }
  if (moves == 1 && j->ncoordinate == 1 && is_itself(&a[only]) && j->turns[0] == is_turn(only)) {
    lb_node_put(o, j->map, "type",
                lb_node_text(o, j->xml->place, is_turn(only) ? "revolute" : "prismatic"));
    lb_node_put(o, j->map, "axis", lb_node_vector(o, a[only].xml->place, a[only].along));
    return true;
  }
  lb_node_put(o, j->map, "type", lb_node_text(o, j->xml->place, "composite"));
  lb_node_put(o, j->map, "parts", make_parts(o, j, a, owner));
  return true;
}

// --- joints of one kind ---

// Scene's joint of each class, the measures of its coordinates and which of the model's each of
// the scene's is.
static const struct kind {
  const char *tag, *type;
  int count;
  int order[MOST];
  const char* turns; // by the model's order: r turns, t slides
  const char *key[2], *value[2];
} KINDS[] = {
    {"WeldJoint", "fixed", 0, {0}, "", {NULL}, {NULL}},
    {"PinJoint", "revolute", 1, {0}, "r", {"axis"}, {"z"}},
    {"SliderJoint", "prismatic", 1, {0}, "t", {"axis"}, {"x"}},
    {"UniversalJoint", "universal", 2, {0, 1}, "rr", {"axis", "second_axis"}, {"x", "y"}},
    {"BallJoint", "euler", 3, {0, 1, 2}, "rrr", {"order"}, {"xyz"}},
    {"EllipsoidJoint", "ellipsoid", 3, {0, 1, 2}, "rrr", {NULL}, {NULL}},
    {"GimbalJoint", "euler", 3, {0, 1, 2}, "rrr", {"order"}, {"xyz"}},
    {"PlanarJoint", "free-2d", 3, {1, 2, 0}, "rtt", {"axis", "second_axis"}, {"x", "y"}},
    {"FreeJoint", "free-3d", 6, {3, 4, 5, 0, 1, 2}, "rrrttt", {"order"}, {"xyz"}},
};

// Slides first, then turns about x, y and z in turn: what all these joints do.
static lb_transform simple_start(lb_osim* o, const joint* j, const struct kind* kind) {
  double q[MOST] = {0};
  for (int k = 0; k < kind->count; k++) {
    q[k] = start_of(o, j, k);
  }
  if (kind->count == 1) {
    return kind->turns[0] == 'r'
               ? (lb_transform){lb_osim_rotation(lb_vec3_make(0, 0, q[0])), {0, 0, 0}}
               : (lb_transform){{1, 0, 0, 0}, {q[0], 0, 0}};
  }
  const bool planar = kind->turns[0] == 'r' && kind->turns[1] == 't';
  const lb_quat R =
      lb_osim_rotation(planar ? lb_vec3_make(0, 0, q[0]) : lb_vec3_make(q[0], q[1], q[2]));
  return (lb_transform){R, planar ? lb_vec3_make(q[1], q[2], 0) : lb_vec3_make(q[3], q[4], q[5])};
}

static bool simple(lb_osim* o, joint* j, const struct kind* kind) {
  const lb_place place = j->xml->place;
  if (j->ncoordinate != 0 && j->ncoordinate != kind->count) {
    return lb_complain(o->r, place, "a %s has %d coordinates, not %d", kind->tag, kind->count,
                       j->ncoordinate);
  }
  lb_node_put(o, j->map, "type", lb_node_text(o, place, kind->type));
  j->start = simple_start(o, j, kind);
  for (int i = 0; i < 2 && kind->key[i]; i++) {
    lb_node_put(o, j->map, kind->key[i], lb_node_text(o, place, kind->value[i]));
  }
  if (strcmp(kind->type, "ellipsoid") == 0) {
    const lb_vec3 radii = lb_osim_vector(o, j->xml, "radii_x_y_z", lb_vec3_make(1, 1, 1));
    const lb_vec3 out = lb_quat_rotate(j->start.q, lb_vec3_make(0, 0, 1));
    j->start.p = lb_vec3_make(radii.x * out.x, radii.y * out.y, radii.z * out.z);
    lb_node_put(o, j->map, "radii", lb_node_vector(o, place, radii));
  }
  for (int k = 0; k < kind->count; k++) {
    j->order[k] = kind->order[k];
    j->turns[k] = kind->turns[k] == 'r';
  }
  return true;
}

static const struct kind* find_kind(const char* tag) {
  for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
    if (strcmp(tag, KINDS[i].tag) == 0) {
      return &KINDS[i];
    }
  }
  return NULL;
}

// --- all of them ---

// A frame beside a location and orientation in it: both, or none where the frame is an offset.
static bool find_side(lb_osim* o, joint* j, const char* const* socket, const char* location,
                      const char* orientation, lb_osim_frame* out) {
  const lb_quat turn =
      lb_osim_rotation(lb_osim_vector(o, j->xml, orientation, lb_vec3_make(0, 0, 0)));
  if (!lb_osim_attach(o, j->xml, socket, location, out)) {
    return false;
  }
  out->pose.q = lb_quat_mul(out->pose.q, turn);
  return true;
}

static bool find_sides(lb_osim* o, joint* j, lb_xml* body) {
  static const char* const PARENT[] = {"parent_frame", "parent_body", NULL};
  static const char* const CHILD[] = {"child_frame", "child_body", NULL};
  const bool newer = lb_xml_find(j->xml, "location_in_child") != NULL;
  if (!find_side(o, j, PARENT, "location_in_parent", "orientation_in_parent", &j->parent)) {
    return false;
  }
  if (!body) {
    return find_side(o, j, CHILD, "location_in_child", "orientation_in_child", &j->child);
  }
  const lb_vec3 zero = {0, 0, 0};
  j->child =
      (lb_osim_frame){lb_osim_name(o, body->name),
                      {lb_osim_rotation(lb_osim_vector(
                           o, j->xml, newer ? "orientation_in_child" : "orientation", zero)),
                       lb_osim_vector(o, j->xml, newer ? "location_in_child" : "location", zero)}};
  return true;
}

// Coordinates of a joint that is refused: whoever names them is not asked about them.
static void refuse_coordinates(lb_osim* o, const lb_xml* in) {
  for (const lb_xml* e = in->first; e; e = e->next) {
    if (strcmp(e->tag, "Coordinate") == 0) {
      lb_osim_refuse(o, e->name);
    } else {
      refuse_coordinates(o, e);
    }
  }
}

// False: it cannot be read, which is reported.
static bool read_joint(lb_osim* o, lb_xml* xml, lb_xml* body) {
  joint j = {.xml = xml, .map = lb_node_map(o, xml->place)};
  const struct kind* kind = find_kind(xml->tag);
  xml->seen = true;
  if (!kind && strcmp(xml->tag, "CustomJoint") != 0) {
    return lb_complain(o->r, xml->place,
                       "a joint of class '%.60s' cannot be read (Custom-, Pin-, Weld-, Slider-, "
                       "Ball-, Planar-, Ellipsoid-, Free-, Gimbal- and UniversalJoint can)",
                       xml->tag);
  }
  if (!find_sides(o, &j, body) || !gather_coordinates(o, &j)) {
    return false;
  }
  if (lb_osim_flag(o, xml, "reverse", false)) {
    return lb_complain(o->r, xml->place, "joint '%.64s' is reversed, which cannot be read",
                       xml->name);
  }
  lb_osim_flag(o, xml, "use_euler_angles", true);
  if (strcmp(j.child.body, "world") == 0) {
    return lb_complain(o->r, xml->place, "the child of joint '%.64s' is the ground", xml->name);
  }
  for (int k = 0; k < MOST; k++) {
    j.order[k] = k;
  }
  if (!(kind ? simple(o, &j, kind) : custom(o, &j))) {
    return false;
  }
  lb_node_put(o, j.map, "parent", lb_node_text(o, xml->place, j.parent.body));
  lb_node_put(o, j.map, "child", lb_node_text(o, xml->place, j.child.body));
  lb_node_put(o, j.map, "at", lb_node_pose(o, xml->place, j.parent.pose));
  lb_node_put(o, j.map, "in_child", lb_node_pose(o, xml->place, j.child.pose));
  lb_osim_place* grown = LB_GROW(&o->r->scratch, o->place, o->nplace, &o->place_capacity);
  if (!grown) {
    return lb_lack(o->r);
  }
  o->place = grown;
  o->place[o->nplace++] = (lb_osim_place){
      j.child.body, j.parent.body,
      lb_transform_mul(j.parent.pose,
                       lb_transform_mul(j.start, lb_transform_inverse(j.child.pose))),
      j.parent.pose.p, j.child.pose.p};
  j.name = lb_node_object(o, "joints", "joint", xml, j.child.body, j.map);
  put_names(o, &j);
  return true;
}

void lb_osim_joints(lb_osim* o) {
  for (int i = 0; i < o->nbody; i++) {
    lb_xml* inside = lb_osim_property(o, o->body[i], "Joint");
    for (lb_xml* e = inside ? inside->first : NULL; e && !o->r->no_memory; e = e->next) {
      if (!read_joint(o, e, o->body[i])) {
        refuse_coordinates(o, e);
      }
    }
  }
  for (lb_xml* e = lb_osim_first(o, o->model, "JointSet"); e && !o->r->no_memory; e = e->next) {
    if (!read_joint(o, e, NULL)) {
      refuse_coordinates(o, e);
    }
  }
}

// --- starts ---

// A locked coordinate stays where it starts.
static void lock(lb_osim* o, const lb_osim_coordinate* c) {
  const lb_place place = c->xml->place;
  lb_yaml *map = lb_node_map(o, place), *terms = lb_node_list(o, place),
          *term = lb_node_map(o, place);
  lb_node_put(o, term, "joint", lb_node_text(o, place, c->joint));
  lb_node_put(o, term, "coordinate", lb_node_number(o, place, c->index));
  lb_node_add(o, terms, term);
  lb_node_put(o, map, "couple", terms);
  lb_node_put(o, map, "equals", lb_node_number(o, place, c->value));
  lb_node_part(o, "constraints", lb_compose(o->r, "lock_%.58s", c->name), map);
}

// All coordinates of the joint whose first one this is, in the scene's order.
static void start_joint(lb_osim* o, int first, bool rest, bool last) {
  const lb_osim_coordinate* c = &o->coordinate[first];
  const lb_place place = c->xml->place;
  lb_yaml *position = lb_node_list(o, place), *velocity = lb_node_list(o, place);
  bool moved = false, moves = false, yields = false;
  int n = 0;
  for (; first + n < o->ncoordinate && o->coordinate[first + n].joint == c->joint; n++) {
    const lb_osim_coordinate* k = &o->coordinate[first + n];
    lb_node_add(o, position, lb_node_measure(o, place, k->value, k->turns));
    lb_node_add(o, velocity, lb_node_number(o, place, k->speed));
    moved |= k->value != 0;
    moves |= k->speed != 0;
    yields |= k->dependent || k->free;
  }
  // what loops and couplers may move comes after all others, or is left to them
  if (yields != last || (!moved && !moves && (!rest || yields)) || !position || !velocity ||
      position->count == 0) {
    return;
  }
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "position", n == 1 ? position->item[0] : position);
  if (moves) {
    lb_node_put(o, map, "velocity", n == 1 ? velocity->item[0] : velocity);
  }
  lb_node_put(o, lb_node_section(o, "initial", place), c->joint, map);
}

void lb_osim_start(lb_osim* o) {
  for (int i = 0; i < o->ncoordinate; i++) {
    lb_osim_coordinate* c = &o->coordinate[i];
    lb_xml* prescribed = lb_osim_find_function(o, c->xml, "prescribed_function");
    if (prescribed) {
      prescribed->first = NULL; // nothing of it is read
      prescribed->seen = true;
    }
    if (lb_osim_flag(o, c->xml, "locked", false)) {
      lock(o, c);
    }
    if (lb_osim_flag(o, c->xml, "prescribed", false) && prescribed) {
      lb_remark(o->r, prescribed->place,
                lb_compose(o->r,
                           "coordinate '%s' is prescribed in the model and free here (give "
                           "its joint a motor)",
                           c->name));
    }
  }
  for (int last = 0; last < 2; last++) {
    for (int i = 0; i < o->ncoordinate; i++) {
      if (i == 0 || o->coordinate[i].joint != o->coordinate[i - 1].joint) {
        start_joint(o, i, o->has_constraints, last);
      }
    }
  }
}
