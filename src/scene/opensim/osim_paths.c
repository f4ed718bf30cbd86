// Muscles and other forces along paths: their points, and where the surfaces that they wrap over
// come among those (osim_wraps.c reads the surfaces).
//
// A path of OpenSim's may wrap over a surface anywhere between two of its points, on the first
// segment that meets it. A path of ours wraps between two points that are known: of the segments in
// the range, the one that comes nearest to the surface as the model starts.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

enum { MOST_POINTS = LB_PATH_MOST_POINTS, MOST_WRAPS = 6 };

// --- points ---

typedef struct path {
  int npoint;
  lb_yaml* point[MOST_POINTS];
  lb_vec3 at[MOST_POINTS]; // in the world, as the model starts
  int nwrap[MOST_POINTS];  // surfaces behind each point, in the path's order
  lb_yaml* wrap[MOST_POINTS][MOST_WRAPS];
  double along[MOST_POINTS][MOST_WRAPS]; // where the segment comes nearest to them, 0 to 1
} path;

static void put_coordinate(lb_osim* o, lb_yaml* map, const lb_osim_coordinate* c, lb_place place) {
  lb_node_put(o, map, "joint", lb_node_text(o, place, c->joint));
  if (c->index > 0) {
    lb_node_put(o, map, "coordinate", lb_node_number(o, place, c->index));
  }
}

// A point whose place along the body's axes is three functions of a coordinate.
static bool moving_point(lb_osim* o, lb_xml* xml, const lb_osim_frame* frame, lb_yaml* node,
                         lb_vec3* at) {
  static const char* const LOCATION[] = {"x_location", "y_location", "z_location"};
  static const char* const COORDINATE[] = {"x_coordinate", "y_coordinate", "z_coordinate"};
  static const char* const KEY[] = {"x", "y", "z"};
  const lb_osim_coordinate* by = NULL;
  lb_yaml* follows = lb_node_map(o, xml->place);
  lb_osim_function f[3];
  double start[3];
  lb_osim_word(o, xml, "location");
  for (int k = 0; k < 3; k++) {
    lb_place place = xml->place;
    lb_xml* location = lb_osim_find_function(o, xml, LOCATION[k]);
    const char* name = lb_osim_socket(o, xml, COORDINATE[k], &place);
    const lb_osim_coordinate* c = *name ? lb_osim_find_coordinate(o, name, place) : NULL;
    if (!location || !lb_osim_read_function(o, location, 1, &f[k]) || (*name && !c)) {
      return !location ? lb_osim_lack_function(o, xml, LOCATION[k]) : false;
    }
    start[k] = lb_osim_function_at(&f[k], c ? c->value : 0);
    if (f[k].constant) {
      continue;
    }
    if (!c || (by && by != c)) {
      return lb_complain(o->r, xml->place,
                         "point '%.64s' must move by one coordinate along x, y and z to be read",
                         xml->name);
    }
    by = c;
  }
  *at = lb_vec3_make(start[0], start[1], start[2]);
  if (!by) {
    lb_node_put(o, node, "at", lb_node_vector(o, xml->place, lb_osim_at(frame, *at)));
    return true;
  }
  const lb_quat q = frame->pose.q;
  if (q.x != 0 || q.y != 0 || q.z != 0 || lb_vec3_norm(frame->pose.p) > 0) {
    return lb_complain(o->r, xml->place, "point '%.64s' moves along axes that are not a body's",
                       xml->name);
  }
  put_coordinate(o, follows, by, xml->place);
  for (int k = 0; k < 3; k++) {
    lb_node_put(o, follows, KEY[k], lb_osim_function_node(o, xml->place, &f[k]));
  }
  lb_node_put(o, node, "follows", follows);
  return true;
}

static bool put_condition(lb_osim* o, lb_xml* xml, lb_yaml* node) {
  lb_place place = xml->place;
  const char* name = lb_osim_socket(o, xml, "coordinate", &place);
  const lb_osim_coordinate* c = lb_osim_find_coordinate(o, name, place);
  lb_xml* range = lb_osim_property(o, xml, "range");
  double* x = NULL;
  if (!c) {
    return false;
  }
  if (!range || lb_osim_numbers(o, range, range->text, &x) != 2) {
    return lb_complain(o->r, range ? range->place : xml->place, "<range> must have 2 numbers");
  }
  static const double SLACK = 1e-5; // of OpenSim's, at both ends
  lb_yaml* when = lb_node_map(o, xml->place);
  put_coordinate(o, when, c, xml->place);
  lb_node_put(o, when, "at_least", lb_node_measure(o, range->place, x[0] - SLACK, c->turns));
  lb_node_put(o, when, "at_most", lb_node_measure(o, range->place, x[1] + SLACK, c->turns));
  lb_node_put(o, node, "while", when);
  return true;
}

static bool read_point(lb_osim* o, lb_xml* xml, path* p) {
  static const char* const ON[] = {"parent_frame", "body", NULL};
  lb_osim_frame frame;
  lb_place place = xml->place;
  const char* name = lb_osim_socket(o, xml, ON[0], &place);
  name = *name ? name : lb_osim_socket(o, xml, ON[1], &place);
  xml->seen = true;
  if (!*name || !lb_osim_find_frame(o, xml, name, place, &frame)) {
    return *name ? false
                 : lb_complain(o->r, xml->place, "point '%.64s' does not say what it is on",
                               xml->name);
  }
  lb_yaml* node = lb_node_map(o, xml->place);
  lb_node_put(o, node, "body", lb_node_text(o, xml->place, frame.body));
  lb_vec3 at = {0, 0, 0};
  if (strstr(xml->tag, "Moving")) {
    if (!moving_point(o, xml, &frame, node, &at)) {
      return false;
    }
  } else {
    at = lb_osim_vector(o, xml, "location", at);
    lb_node_put(o, node, "at", lb_node_vector(o, xml->place, lb_osim_at(&frame, at)));
  }
  if ((strstr(xml->tag, "Conditional") || strstr(xml->tag, "Via")) &&
      !put_condition(o, xml, node)) {
    return false;
  }
  p->at[p->npoint] = lb_transform_point(lb_osim_body_pose(o, frame.body), lb_osim_at(&frame, at));
  p->point[p->npoint++] = node;
  return true;
}

static bool read_points(lb_osim* o, const lb_xml* force, lb_xml* first, path* p) {
  for (lb_xml* e = first; e; e = e->next) {
    if (p->npoint == MOST_POINTS) {
      return lb_complain(o->r, e->place, "a path cannot have more than %d points", MOST_POINTS);
    }
    if (!read_point(o, e, p)) {
      return false;
    }
  }
  return p->npoint >= 2 || lb_complain(o->r, first ? first->place : force->place,
                                       "the path of '%.64s' needs two points", force->name);
}

// --- wraps of a path ---

// A further surface of a segment, in the order in which the path comes to them.
static bool place_wrap(lb_osim* o, path* p, int segment, lb_yaml* node, double along) {
  int i = p->nwrap[segment];
  if (i == MOST_WRAPS) {
    return lb_complain(o->r, node->place,
                       "a path cannot run over more than %d surfaces between two of its points",
                       MOST_WRAPS);
  }
  for (; i > 0 && p->along[segment][i - 1] > along; i--) {
    p->wrap[segment][i] = p->wrap[segment][i - 1];
    p->along[segment][i] = p->along[segment][i - 1];
  }
  p->wrap[segment][i] = node;
  p->along[segment][i] = along;
  p->nwrap[segment]++;
  return true;
}

// Which plane a path over an ellipsoid lies in; over other surfaces all methods are the same.
static void check_method(lb_osim* o, lb_xml* xml, const lb_osim_wrap* w) {
  static const char* const OTHERS[] = {"midpoint", "axial"};
  const char* word = lb_osim_word(o, xml, "method");
  const char* const name = w->xml->name;
  if (!*word || strcasecmp(word, "hybrid") == 0 || strcasecmp(word, "unassigned") == 0) {
    return;
  }
  for (int i = 0; i < LB_COUNT_OF(OTHERS); i++) {
    if (strcasecmp(word, OTHERS[i]) == 0) {
      if (strcmp(w->xml->tag, "WrapEllipsoid") == 0) {
        lb_osim_note(o, xml->place, OTHERS[i],
                     lb_compose(o->r,
                                "the method '%s' over '%.64s' is not read: the path lies in the "
                                "plane of the surface's normal next to the middle of its line",
                                word, name));
      }
      return;
    }
  }
  lb_osim_note(o, xml->place, word,
               lb_compose(o->r,
                          "the method '%.20s' over '%.64s' is none (hybrid, midpoint or axial): it "
                          "is taken as 'hybrid'",
                          word, name));
}

static bool add_wrap(lb_osim* o, lb_xml* xml, path* p) {
  const lb_xml* object = lb_osim_property(o, xml, "wrap_object");
  const lb_osim_wrap* w = lb_osim_find_wrap(o, object ? object->text : "");
  lb_xml* range = lb_osim_property(o, xml, "range");
  double* x = NULL;
  int first = 0, last = p->npoint - 1;
  xml->seen = true;
  if (!w) {
    return object && lb_osim_is_refused(o, lb_osim_last(object->text))
               ? false
               : lb_complain(o->r, xml->place, "there is no wrap object '%.64s' that can be read",
                             object ? object->text : "");
  }
  check_method(o, xml, w);
  if (range && *range->text && lb_osim_numbers(o, range, range->text, &x) == 2) {
    const bool inside = x[0] <= p->npoint && x[1] <= p->npoint;
    first = x[0] >= 1 && inside ? (int)x[0] - 1 : first;
    last = x[1] >= 1 && inside ? (int)x[1] - 1 : last;
    if (!inside || first >= last) {
      lb_remark(
          o->r, range->place,
          lb_compose(o->r,
                     "<range> '%.20s' does not name two of the %d points of the path in their "
                     "order: all of them are taken",
                     range->text, p->npoint));
      first = 0;
      last = p->npoint - 1;
    }
  }
  const lb_transform pose = lb_transform_mul(lb_osim_body_pose(o, w->body), w->pose);
  double least = INFINITY, along = 0;
  int best = -1;
  for (int i = first; i < last; i++) {
    double at = 0;
    const double d = lb_osim_wrap_distance(w, pose, p->at[i], p->at[i + 1], &at);
    best = d < least ? i : best;
    along = d < least ? at : along;
    least = fmin(least, d);
  }
  bool ok = true;
  const lb_osim_wrap* end = o->wrap + o->nwrap;
  for (const lb_xml* of = w->xml; best >= 0 && w < end && w->xml == of && ok; w++) {
    const lb_transform X = lb_transform_mul(lb_osim_body_pose(o, w->body), w->pose);
    if (!w->active) {
      continue;
    }
    const char* name =
        w->turn ? lb_osim_make_obstacle(o, w, X, p->at[best], p->at[best + 1]) : w->name;
    lb_yaml* node = lb_node_map(o, xml->place);
    lb_node_put(o, node, "wrap", lb_node_text(o, xml->place, name));
    ok = !node || place_wrap(o, p, best, node, along); // the second behind the first
  }
  return ok;
}

// --- the whole ---

static bool read_path(lb_osim* o, lb_xml* force, path* p) {
  lb_xml* geometry = lb_osim_property(o, force, "GeometryPath");
  geometry = geometry ? geometry : lb_osim_property(o, force, "path");
  lb_xml* in = geometry ? geometry : force;
  lb_xml* points = lb_osim_first(o, in, "PathPointSet");
  points = points ? points : lb_osim_first(o, in, "MusclePointSet");
  lb_xml* wraps = lb_osim_first(o, in, "PathWrapSet");
  wraps = wraps ? wraps : lb_osim_first(o, in, "MuscleWrapSet");
  bool ok = read_points(o, force, points, p);
  for (lb_xml* e = wraps; e && ok; e = e->next) {
    ok = add_wrap(o, e, p);
  }
  return ok;
}

static lb_yaml* path_node(lb_osim* o, lb_place place, const path* p) {
  lb_yaml* list = lb_node_list(o, place);
  for (int i = 0; i < p->npoint; i++) {
    lb_node_add(o, list, p->point[i]);
    for (int k = 0; k < p->nwrap[i]; k++) {
      lb_node_add(o, list, p->wrap[i][k]);
    }
  }
  return list;
}

// A bound of a control; files may say Inf where there is none.
static double control_bound(lb_osim* o, lb_xml* xml, const char* tag, double standard) {
  const bool open = strstr(lb_osim_word(o, xml, tag), "nf") != NULL;
  return open ? standard : lb_osim_number(o, xml, tag, standard);
}

// How a muscle is driven, of which only what is usual is so here.
static void check_controls(lb_osim* o, lb_xml* xml) {
  static const char* const TAGS[] = {"optimal_force", "minimum_activation", "default_fiber_length",
                                     "muscle_model"};
  static const double LEAST = 0.02;
  for (int i = 0; i < LB_COUNT_OF(TAGS); i++) {
    lb_osim_word(o, xml, TAGS[i]);
  }
  const double low = control_bound(o, xml, "min_control", 0),
               high = control_bound(o, xml, "max_control", 1);
  if (low > LEAST || high < 1) {
    lb_osim_note(o, xml->place, lb_compose(o->r, "controls from %g to %g", low, high),
                 lb_compose(o->r,
                            "muscle '%.64s' has controls from %g to %g in the model, and from 0 "
                            "to 1 here",
                            xml->name, low, high));
  }
  if (lb_osim_flag(o, xml, "ignore_activation_dynamics", false)) {
    lb_osim_note(o, xml->place, "ignore_activation_dynamics",
                 lb_compose(o->r,
                            "muscle '%.64s' has no activation dynamics in the model "
                            "(<ignore_activation_dynamics>), and has them here",
                            xml->name));
  }
}

static bool has_path(lb_osim* o, lb_xml* xml) {
  static const char* const TAGS[] = {"GeometryPath", "MusclePointSet", "path"};
  for (int i = 0; i < LB_COUNT_OF(TAGS); i++) {
    lb_xml* found = lb_osim_property(o, xml, TAGS[i]);
    if (found && found->first) {
      return true;
    }
  }
  return false;
}

// OpenSim 4.5 has paths whose lengths are functions of coordinates.
static bool leave_without_points(lb_osim* o, lb_xml* xml) {
  static const char TAG[] = "FunctionBasedPath";
  lb_xml *own = lb_osim_property(o, xml, TAG), *in = lb_osim_property(o, xml, "path");
  lb_xml* found = own || !in ? own : lb_xml_find(in, TAG);
  if (!found) {
    return false;
  }
  if (o->npathless++ == 0) {
    o->pathless = xml;
    o->pathless_by = found;
  }
  xml->first = NULL; // nothing of it is needed
  return true;
}

void lb_osim_report_pathless(lb_osim* o) {
  const char* all =
      o->npathless > 1 ? lb_compose(o->r, " (%d of them, this is the first)", o->npathless) : "";
  if (o->npathless > 0) {
    lb_remark(o->r, o->pathless_by->place,
              lb_compose(o->r,
                         "'%.64s' is left out%s: its <%s> has functions of coordinates in place of "
                         "points, which are not read (give it a <GeometryPath>)",
                         o->pathless->name, all, o->pathless_by->tag));
  }
}

bool lb_osim_path_force(lb_osim* o, lb_xml* xml) {
  if (leave_without_points(o, xml)) {
    return true;
  }
  const bool sized = lb_osim_property(o, xml, "max_isometric_force") &&
                     lb_osim_property(o, xml, "optimal_fiber_length");
  const bool muscle = sized || strstr(xml->tag, "Muscle"); // by itself it has sizes, too
  const bool is_spring = lb_osim_is_spring(xml);
  const bool actuator = strcmp(xml->tag, "PathActuator") == 0;
  if (!has_path(o, xml) || !(muscle || is_spring || actuator)) {
    return false;
  }
  path* p = LB_TAKE(&o->r->scratch, path, 1);
  if (!p) {
    return lb_lack(o->r);
  }
  if (!read_path(o, xml, p)) {
    return true; // reported
  }
  if (is_spring) {
    lb_osim_spring(o, xml, path_node(o, xml->place, p));
    return true;
  }
  lb_yaml* map = lb_node_map(o, xml->place);
  lb_node_put(o, map, "through", path_node(o, xml->place, p));
  if (actuator) {
    lb_yaml *excitation = lb_node_map(o, xml->place), *keys = lb_node_list(o, xml->place);
    lb_node_put(o, map, "tension",
                lb_node_number(o, xml->place, lb_osim_number(o, xml, "optimal_force", 1)));
    lb_node_add(o, keys, lb_node_numbers(o, xml->place, (double[]){0, 0}, 2));
    lb_node_put(o, excitation, "keys", keys);
    lb_node_put(o, map, "excitation", excitation);
    lb_osim_word(o, xml, "min_control");
    lb_osim_word(o, xml, "max_control");
  } else {
    lb_node_put(o, map, "hill", lb_osim_hill(o, xml));
    lb_osim_muscle_look(o, xml, map);
    check_controls(o, xml);
  }
  const char* name = lb_node_named_part(o, "muscles", "muscle", xml->name, map);
  if (!actuator) {
    lb_osim_hill_start(o, xml, name);
  }
  return true;
}
