// Surfaces that paths wrap over, and the points of paths: fixed, moving and conditional ones.
#include <math.h>

#include "geom/path/wrap_network.h"
#include "scene/part/part.h"

// --- wraps ---

#define NAME(code, name) name,
static const char* const wrap_names[] = {LB_WRAP_LIST(NAME)};

const char* lb_wrap_kind_name(lb_wrap_kind kind) {
  return wrap_names[kind];
}

#define SIZE(value, key, member, range, standard, about)                                           \
  LB_SIZED(value, lb_scene_wrap, key, size member, LB_LENGTH, range, standard, about)
static const lb_field round_fields[] = {
    SIZE(NUMBER, "radius", .x, LB_POSITIVE, NULL, "from the centre to the surface")};
static const lb_field cylinder_fields[] = {
    SIZE(NUMBER, "radius", .x, LB_POSITIVE, NULL, "from the axis to the surface"),
    SIZE(NUMBER, "length", .y, LB_POSITIVE_OR_UNSET, "endless",
         "along z, the middle at the origin"),
};
static const lb_field capsule_fields[] = {
    SIZE(NUMBER, "radius", .x, LB_POSITIVE, NULL, "of the rod and of its round ends"),
    SIZE(NUMBER, "length", .y, LB_POSITIVE, NULL, "along z, between the centres of its round ends"),
};
static const lb_field ellipsoid_fields[] = {
    SIZE(VECTOR, "radii", , LB_POSITIVE, NULL, "from the centre along x, y and z")};
static const lb_field torus_fields[] = {
    SIZE(NUMBER, "ring", .x, LB_POSITIVE, NULL, "radius of the circle about z in its middle"),
    SIZE(NUMBER, "radius", .y, LB_POSITIVE, NULL, "of its tube"),
};
static const lb_table round_table = LB_TABLE("round wrap", lb_scene_wrap, round_fields);
static const lb_table cylinder_table = LB_TABLE("cylinder wrap", lb_scene_wrap, cylinder_fields);
static const lb_table capsule_table = LB_TABLE("capsule wrap", lb_scene_wrap, capsule_fields);
static const lb_table ellipsoid_table = LB_TABLE("ellipsoid wrap", lb_scene_wrap, ellipsoid_fields);
static const lb_table torus_table = LB_TABLE("torus wrap", lb_scene_wrap, torus_fields);

#define FORM(word, table, about) LB_FROM(TABLE, lb_scene_wrap, word, name, &(table), NULL, about)
static const lb_field wrap_fields[] = {
    [LB_WRAP_CYLINDER] = FORM("cylinder", cylinder_table, "a cylinder along z"),
    [LB_WRAP_SPHERE] = FORM("sphere", round_table, "a ball"),
    [LB_WRAP_CAPSULE] = FORM("capsule", capsule_table, "a cylinder with round ends, along z"),
    [LB_WRAP_ELLIPSOID] = FORM("ellipsoid", ellipsoid_table, "a stretched ball"),
    [LB_WRAP_TORUS] = FORM("torus", torus_table, "a ring about z that paths run through"),
    LB_ROW(BODY, lb_scene_wrap, "body", body, "world", "a rigid body that it is part of, or world"),
    LB_SIZED(VECTOR, lb_scene_wrap, "position", pose.p, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where its centre is, in the body"),
    LB_ROW(ROTATION, lb_scene_wrap, "rotation", pose.q, "none", "how it is turned, in the body"),
    LB_ROW(AXIS, lb_scene_wrap, "side", side, "the shorter way at the start, then kept",
           "paths stay on this side of it, in its own axes"),
    LB_SIZED(NUMBER, lb_scene_wrap, "smooth", smooth, LB_PURE, LB_UNIT_RANGE, "0.15",
             "band over which a path lifts off smoothly, over the least radius; 0: sharp"),
    LB_ROW(MATERIAL, lb_scene_wrap, "material", material, "it is not drawn",
           "what it looks like; a torus cannot be drawn"),
    LB_LATER(FILE, "network", NULL, "none",
             "of a cylinder: a file (.npz) of limber muscle train; its network places the mass "
             "points"),
};

static void init_wrap(void* part) {
  *(lb_scene_wrap*)part =
      (lb_scene_wrap){.name = "", .pose = lb_transform_identity(), .material = -1};
}

static bool is_elastic(const lb_scene* s, int body) {
  return body >= 0 && (s->body[body].elastic || s->body[body].reduced);
}

static void check_rigid(lb_checker* c, int body) {
  if (is_elastic(c->s, body)) {
    lb_say(c,
           " is on body '%s', which is elastic (use a rigid body that a fixed joint puts on one of "
           "its faces)",
           c->s->body[body].name);
  }
}

// A network's file, which several wraps may share.
static bool finish_wrap(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_wrap* w = part;
  const lb_yaml* file = lb_yaml_find(node, "network");
  if (!ok || !file) {
    return ok;
  }
  if (w->kind != LB_WRAP_CYLINDER) {
    return lb_complain(r, file->place, "networks know cylinders alone (take 'network' away)");
  }
  w->network_file = lb_find_file(r, file);
  lb_wrap_network* network = LB_TAKE(r->keep, lb_wrap_network, 1);
  if (!w->network_file || !network) {
    return w->network_file && lb_lack(r);
  }
  w->network = network;
  return lb_note(
      r, lb_wrap_network_read(w->network_file, file->place, r->keep, network, r->report.err));
}

static void check_wrap(lb_checker* c, const void* part) {
  const lb_scene_wrap* w = part;
  const lb_vec3 s = w->size;
  const bool second = w->kind == LB_WRAP_CAPSULE || w->kind == LB_WRAP_TORUS;
  const bool all = w->kind == LB_WRAP_ELLIPSOID;
  if (!(s.x > 0) || !isfinite(s.x + s.y + s.z) || ((second || all) && !(s.y > 0)) ||
      (all && !(s.z > 0)) || s.y < 0) {
    lb_say(c, ": its sizes must be greater than 0");
  } else if (w->kind == LB_WRAP_TORUS && !(s.y < s.x)) {
    lb_say(c, ": its tube of radius %g m leaves no hole in a ring of radius %g m", s.y, s.x);
  }
  if (w->kind == LB_WRAP_TORUS && w->material >= 0) {
    lb_say(c, " is a torus, which cannot be drawn (take 'material' away)");
  }
  check_rigid(c, w->body);
}

const lb_table lb_wrap_table =
    LB_TABLE("wrap", lb_scene_wrap, wrap_fields, .nchoose = LB_WRAP_COUNT,
             .choose = "the form of a wrap", .chosen = offsetof(lb_scene_wrap, kind),
             .init = init_wrap, .finish = finish_wrap, .check = check_wrap);

lb_scene_wrap lb_scene_wrap_default(void) {
  lb_scene_wrap wrap;
  lb_table_default(&lb_wrap_table, &wrap);
  wrap.body = LB_WORLD;
  return wrap;
}

// --- functions of a coordinate ---

static const char* const function_names[] = {LB_FUNCTION_LIST(NAME)};

static const lb_field function_fields[] = {
    LB_LATER(PROFILE, "spline", NULL, NULL,
             "[coordinate, value] pairs: a cubic spline as SIMM's, straight beyond them"),
    LB_LATER(PROFILE, "linear", NULL, NULL,
             "[coordinate, value] pairs: straight between them and beyond"),
    LB_LATER(POINTS, "polynomial", NULL, NULL, "coefficients, highest power first"),
};
enum { FIRST_FUNCTION = LB_FUNCTION_SPLINE };
const lb_table lb_function_table = LB_TABLE(
    "function", lb_function_definition, function_fields, .nchoose = LB_COUNT_OF(function_fields),
    .choose = "the kind of function", .chosen = offsetof(lb_function_definition, kind));

bool lb_read_function(lb_reader* r, const lb_yaml* node, const char* key, lb_dimension along,
                      lb_dimension value, lb_function_definition* out) {
  *out = (lb_function_definition){.kind = LB_FUNCTION_CONSTANT};
  if (!lb_is_map(node)) {
    return lb_read_number(r, node, key, value, LB_ANY, &out->value);
  }
  if (!lb_read_part(r, node, key, &lb_function_table, out)) {
    return false;
  }
  out->kind += FIRST_FUNCTION;
  const char* word = function_names[out->kind];
  const lb_yaml* list = lb_yaml_find(node, word);
  const int least = out->kind == LB_FUNCTION_POLYNOMIAL ? 1 : 2;
  if (list->count < least) {
    return lb_complain(r, list->place, "'%s' needs at least %d %s", word, least,
                       least == 1 ? "number" : "[coordinate, value] pairs");
  }
  out->count = list->count;
  if (out->kind == LB_FUNCTION_POLYNOMIAL) {
    const lb_field number = {word, LB_VALUE_NUMBER, .dimension = LB_PURE};
    out->y = lb_read_array(r, list, &number, sizeof(double));
    return out->y;
  }
  const lb_pairs pairs = {.item = "a point",
                          .firsts = lb_compose(r, "coordinates of '%s'", word),
                          .unit = "",
                          .first = {"coordinate", LB_VALUE_NUMBER, .dimension = along},
                          .second = {"value", LB_VALUE_NUMBER, .dimension = value},
                          .size = sizeof(double),
                          .example = lb_dimension_example(value)};
  return lb_read_pairs(r, list, &pairs, (double**)&out->x, (void**)&out->y);
}

bool lb_read_function_profile(lb_reader* r, const lb_yaml* node, const char* key,
                              lb_dimension along, lb_dimension value, lb_profile_definition* out) {
  static const lb_profile_kind kind[] = {[LB_FUNCTION_CONSTANT] = LB_PROFILE_POLYNOMIAL,
                                         [LB_FUNCTION_SPLINE] = LB_PROFILE_NATURAL,
                                         [LB_FUNCTION_LINEAR] = LB_PROFILE_LINEAR,
                                         [LB_FUNCTION_POLYNOMIAL] = LB_PROFILE_POLYNOMIAL};
  lb_function_definition f;
  if (!lb_read_function(r, node, key, along, value, &f)) {
    return false;
  }
  if (f.kind == LB_FUNCTION_POLYNOMIAL && f.count > LB_PROFILE_MOST_POWERS) {
    return lb_complain(r, node->place, "'polynomial' may have %d coefficients here, not %d",
                       LB_PROFILE_MOST_POWERS, f.count);
  }
  *out = (lb_profile_definition){.kind = kind[f.kind],
                                 .count = f.count,
                                 .time = (double*)f.x,
                                 .value = (double*)f.y,
                                 .beyond = LB_BEYOND_LINE};
  if (f.kind == LB_FUNCTION_CONSTANT) {
    out->count = 1;
    out->value = LB_COPY(r->keep, &f.value, 1);
  }
  return out->value || lb_lack(r);
}

bool lb_function_holds(const lb_function_definition* f) {
  const bool points = f->kind == LB_FUNCTION_SPLINE || f->kind == LB_FUNCTION_LINEAR;
  if ((unsigned)f->kind >= LB_FUNCTION_COUNT || !isfinite(f->value) ||
      (f->kind != LB_FUNCTION_CONSTANT && (f->count < (points ? 2 : 1) || !f->y)) ||
      (points && !f->x)) {
    return false;
  }
  bool ok = true;
  for (int i = 0; i < f->count && f->kind != LB_FUNCTION_CONSTANT; i++) {
    ok = ok && isfinite(f->y[i]) && (!points || isfinite(f->x[i])) &&
         (!points || i == 0 || f->x[i] > f->x[i - 1]);
  }
  return ok;
}

// --- points of paths ---

static const lb_field follows_fields[] = {
    LB_ROW(JOINT, lb_scene_path_point, "joint", follows, NULL, "the joint that moves it"),
    LB_SIZED(COUNT, lb_scene_path_point, "coordinate", coordinate, LB_PURE, LB_NOT_NEGATIVE, "0",
             "which, of a joint with several, from 0"),
    LB_LATER(FUNCTION, "x", &lb_function_table, "0",
             "where it is along the body's x: a length, or a function of the coordinate"),
    LB_LATER(FUNCTION, "y", &lb_function_table, "0", "the same along y"),
    LB_LATER(FUNCTION, "z", &lb_function_table, "0", "the same along z"),
};
const lb_table lb_follows_table = LB_TABLE("moving point", lb_scene_path_point, follows_fields);

static const lb_field while_fields[] = {
    LB_ROW(JOINT, lb_scene_path_point, "joint", condition, NULL, "the joint that decides"),
    LB_SIZED(COUNT, lb_scene_path_point, "coordinate", condition_coordinate, LB_PURE,
             LB_NOT_NEGATIVE, "0", "which, of a joint with several, from 0"),
    LB_LATER(BOUND, "at_least", NULL, "no bound", "the point counts from here"),
    LB_LATER(BOUND, "at_most", NULL, "no bound", "the point counts up to here"),
    LB_LATER(BOUND, "over", NULL, "0",
             "part of the coordinate over which it comes in smoothly; 0: at once"),
};
const lb_table lb_while_table = LB_TABLE("condition", lb_scene_path_point, while_fields);

static const lb_field path_fields[] = {
    LB_ROW(WRAP, lb_scene_path_point, "wrap", wrap, "none",
           "a surface that it may wrap over here, in place of a point"),
    LB_ROW(BODY, lb_scene_path_point, "body", body, "world", "a rigid body, or world"),
    LB_SIZED(VECTOR, lb_scene_path_point, "at", at, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where, in that body"),
    LB_LATER(TABLE, "follows", &lb_follows_table, "it is fixed",
             "a point that a joint moves in the body, in place of 'at'"),
    LB_LATER(TABLE, "while", &lb_while_table, "always",
             "the point counts only while a coordinate is in a range"),
};

static void init_point(void* part) {
  *(lb_scene_path_point*)part =
      (lb_scene_path_point){.wrap = -1, .body = LB_WORLD, .follows = -1, .condition = -1};
}

// What a coordinate measures; false where that is reported elsewhere.
static bool coordinate_measure(lb_reader* r, lb_place place, int joint, int coordinate,
                               lb_dimension* out) {
  const lb_scene_joint* j = joint >= 0 ? &r->scene.joint[joint] : NULL;
  if (!j || !lb_joint_is_known(r, joint)) {
    return false;
  }
  if (!lb_coordinate_is_plain(j, coordinate)) {
    return lb_complain(r, place, "joint '%s' is %s and has no coordinate %d that is a number",
                       j->name, lb_joint_kind_name(j->kind), coordinate);
  }
  *out = lb_coordinate_measures[lb_joint_counts(j, coordinate)].place;
  return true;
}

static bool read_follows(lb_reader* r, const lb_yaml* node, lb_scene_path_point* to) {
  static const char* const key[] = {"x", "y", "z"};
  lb_dimension along = LB_PURE;
  bool ok = lb_read_part(r, node, "follows", &lb_follows_table, to) &&
            coordinate_measure(r, node->place, to->follows, to->coordinate, &along);
  for (int k = 0; ok && k < 3; k++) {
    const lb_yaml* value = lb_yaml_find(node, key[k]);
    ok = !value || lb_read_function(r, value, key[k], along, LB_LENGTH, &to->along[k]);
  }
  return ok;
}

static bool read_while(lb_reader* r, const lb_yaml* node, lb_scene_path_point* to) {
  const struct {
    const char* key;
    lb_range range;
    double* out;
  } bound[] = {{"at_least", LB_ANY, &to->at_least},
               {"at_most", LB_ANY, &to->at_most},
               {"over", LB_NOT_NEGATIVE, &to->over}};
  lb_dimension along = LB_PURE;
  to->at_least = -(double)INFINITY;
  to->at_most = (double)INFINITY;
  bool ok = lb_read_part(r, node, "while", &lb_while_table, to) &&
            coordinate_measure(r, node->place, to->condition, to->condition_coordinate, &along);
  for (int k = 0; ok && k < LB_COUNT_OF(bound); k++) {
    const lb_yaml* value = lb_yaml_find(node, bound[k].key);
    ok = !value || lb_read_number(r, value, bound[k].key, along, bound[k].range, bound[k].out);
  }
  return ok && (to->at_least < to->at_most ||
                lb_complain(r, node->place, "'at_most' must be more than 'at_least'"));
}

static const lb_key_rule wrap_rules[] = {
    {"body", 0, "a wrap is part of a body already (take 'body' away)"},
    {"at", 0, "a wrap says itself where it is (take 'at' away)"},
    {"follows", 0, "a wrap does not follow joints (take 'follows' away)"},
    {"while", 0, "a wrap has no condition (take 'while' away)"},
};

bool lb_finish_path_point(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_path_point* to = part;
  const lb_yaml *follows = lb_yaml_find(node, "follows"), *when = lb_yaml_find(node, "while");
  if (lb_yaml_find(node, "wrap")) {
    return ok && lb_keys_hold(r, node, wrap_rules, LB_COUNT_OF(wrap_rules), 0);
  }
  if (follows && lb_yaml_find(node, "at")) {
    ok = lb_complain(r, follows->place, "'at' and 'follows' cannot both be given (choose one)");
  }
  return ok && (!follows || read_follows(r, follows, to)) && (!when || read_while(r, when, to));
}

const lb_table lb_path_point_table =
    LB_TABLE("path point", lb_scene_path_point, path_fields, .item = "point", .init = init_point,
             .finish = lb_finish_path_point);

lb_scene_path_point lb_scene_path_point_default(void) {
  lb_scene_path_point point;
  init_point(&point);
  return point;
}

// --- checks ---

static bool joint_holds(lb_checker* c, int i, int joint, int coordinate) {
  if (joint < 0 || joint >= c->s->njoint ||
      !lb_coordinate_is_plain(&c->s->joint[joint], coordinate)) {
    lb_say(c, ": point %d goes by a coordinate that is no number of a joint", i + 1);
    return false;
  }
  return true;
}

void lb_check_path_point(lb_checker* c, const lb_scene_path_point* p, int i) {
  check_rigid(c, p->body);
  if (p->follows >= 0 && joint_holds(c, i, p->follows, p->coordinate)) {
    for (int k = 0; k < 3; k++) {
      if (!lb_function_holds(&p->along[k])) {
        lb_say(c, ": the functions of point %d must be finite and rise along their coordinate",
               i + 1);
      }
    }
  }
  if (p->condition >= 0 && joint_holds(c, i, p->condition, p->condition_coordinate) &&
      !(p->at_least < p->at_most && p->over >= 0)) {
    lb_say(c, ": the range of point %d must have 'at_least' below 'at_most'", i + 1);
  }
}

void lb_check_path(lb_checker* c, const lb_scene_path_point* point, int count) {
  if (count < 2 || count > LB_PATH_MOST_POINTS) {
    lb_say(c, " runs through %d points; it needs 2 to %d", count, LB_PATH_MOST_POINTS);
    return;
  }
  const bool ends = point[0].wrap < 0 && point[count - 1].wrap < 0 && point[0].condition < 0 &&
                    point[count - 1].condition < 0;
  bool one_body = true;
  if (!ends) {
    lb_say(c, " must begin and end at points that always count, not at a wrap or one with 'while'");
  }
  for (int i = 0; i < count; i++) {
    one_body =
        one_body && point[i].wrap < 0 && point[i].follows < 0 && point[i].body == point[0].body;
    if (point[i].wrap < 0) {
      lb_check_path_point(c, &point[i], i);
    }
  }
  if (one_body) {
    lb_say(c, " runs through one body only (lead it over another)");
  }
}
