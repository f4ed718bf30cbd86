// What must hold besides joints: couplings of coordinates, prescribed points, floors. What a
// coupling's numbers measure goes by its coordinates.
#include <math.h>
#include <string.h>

#include "scene/force/scene_force.h"
#include "scene/part/part.h"

// --- paths ---

typedef struct path_part {
  lb_profile_definition profile;
} path_part;

static const lb_field path_fields[] = {
    LB_LATER(KEYS, "keys", NULL, "none", "[time, place] pairs"),
    LB_LATER(KEYS, "rates", NULL, "none",
             "[time, rate] pairs instead of keys: how fast; where then follows"),
    LB_SHARED_PROFILE_ROWS(path_part, profile),
};
static const lb_table path_table = LB_TABLE("path", path_part, path_fields);

// A path is of places or, by the same measure in a second, of rates.
static bool read_path(lb_reader* r, const lb_yaml* node, lb_coordinate counts,
                      lb_profile_definition* out, bool* velocity_level) {
  const lb_joint_measure* measure = &lb_coordinate_measures[counts];
  *velocity_level = lb_yaml_find(node, "rates");
  return lb_read_profile(r, node, *velocity_level ? measure->rate : measure->place, out);
}

static bool has_path(lb_reader* r, const lb_yaml* node, const lb_profile_definition* profile) {
  return profile->count > 0 ||
         lb_complain(r, node->place, "'keys', 'rates' or 'spline' is missing");
}

// --- couplings ---

static const lb_field curve_fields[] = {
    LB_LATER(PROFILE, "keys", NULL, NULL, "the function, by points on it"),
    LB_FROM(CHOICE, lb_scene_term, "ease", curve.kind, &lb_ease_choices, "smooth",
            "smooth is level at every key, cubic flows through them"),
    LB_LATER(BOUND, "repeat", NULL, "never",
             "starts over after so much of the coordinate: 1 turn of a cam"),
};
static const lb_table curve_table = LB_TABLE("cam profile", lb_scene_term, curve_fields);

static const lb_field term_fields[] = {
    LB_ROW(JOINT, lb_scene_term, "joint", joint, NULL, "whose coordinate"),
    LB_SIZED(COUNT, lb_scene_term, "coordinate", coordinate, LB_PURE, LB_NOT_NEGATIVE, "0",
             "which, of a joint with several, from 0"),
    LB_SIZED(NUMBER, lb_scene_term, "times", factor, LB_PURE, LB_ANY, "1", "the factor on it"),
    LB_LATER(TABLE, "profile", &curve_table, "none", "a function of it in its place, as a cam has"),
    LB_LATER(FUNCTION, "function", &lb_function_table, "none",
             "a function of it in its place that goes on beyond its points"),
};
static const lb_table term_table = LB_TABLE("term", lb_scene_term, term_fields);

// What the sum measures: what all of its coordinates do, and a plain number where they differ,
// since its factors have the units then. Functions of coordinates measure what the others do. False
// where that is not known, of terms that are reported elsewhere.
static bool sum_measure(const lb_reader* r, const lb_yaml* node, const lb_scene_constraint* k,
                        lb_coordinate* counts) {
  const lb_yaml* couple = lb_yaml_find(node, "couple");
  bool any = false;
  *counts = LB_COORDINATE_NUMBER;
  for (int i = 0; i < k->nterm; i++) {
    const lb_scene_term* t = &k->term[i];
    const lb_scene_joint* j = t->joint >= 0 ? &r->scene.joint[t->joint] : NULL;
    if (!j || !lb_joint_is_known(r, t->joint) || !lb_coordinate_is_plain(j, t->coordinate)) {
      return false;
    }
    if (!lb_yaml_find(couple->item[i], "profile") && !lb_yaml_find(couple->item[i], "function")) {
      const lb_coordinate own = lb_joint_counts(j, t->coordinate);
      *counts = !any || own == *counts ? own : LB_COORDINATE_NUMBER;
      any = true;
    }
  }
  return k->nterm > 0;
}

// Profile of a cam, over what its coordinate measures.
static bool read_curve(lb_reader* r, const lb_yaml* node, lb_dimension place, lb_scene_term* t) {
  const lb_scene_joint* j = &r->scene.joint[t->joint];
  const lb_dimension along = lb_coordinate_measures[lb_joint_counts(j, t->coordinate)].place;
  const lb_pairs pairs = {.item = "a key",
                          .firsts = "coordinates of 'keys'",
                          .unit = "",
                          .first = {"coordinate", LB_VALUE_NUMBER, .dimension = along},
                          .second = {"value", LB_VALUE_NUMBER, .dimension = place},
                          .size = sizeof(double),
                          .example = lb_dimension_example(place)};
  if (!lb_read_part(r, node, "profile", &curve_table, t)) {
    return false;
  }
  const lb_yaml *keys = lb_yaml_find(node, "keys"), *repeat = lb_yaml_find(node, "repeat");
  if (keys->count == 0) {
    return lb_complain(r, keys->place, "'keys' must have at least one [coordinate, value] pair");
  }
  t->curve.count = keys->count;
  if (!lb_read_pairs(r, keys, &pairs, &t->curve.time, (void**)&t->curve.value) ||
      (repeat && !lb_read_number(r, repeat, "repeat", along, LB_POSITIVE, &t->curve.period))) {
    return false;
  }
  const double covered = t->curve.time[keys->count - 1] - t->curve.time[0];
  return !repeat || t->curve.period >= covered ||
         lb_complain(r, repeat->place, "'repeat' is %g, but the keys cover %g (repeat after them)",
                     t->curve.period, covered);
}

static bool read_function(lb_reader* r, const lb_yaml* node, lb_dimension place, lb_scene_term* t) {
  const lb_scene_joint* j = &r->scene.joint[t->joint];
  const lb_dimension along = lb_coordinate_measures[lb_joint_counts(j, t->coordinate)].place;
  return lb_read_function_profile(r, node, "function", along, place, &t->curve);
}

static bool read_curves(lb_reader* r, const lb_yaml* couple, lb_dimension place,
                        lb_scene_constraint* to) {
  bool ok = true;
  for (int i = 0; i < to->nterm; i++) {
    const lb_yaml *profile = lb_yaml_find(couple->item[i], "profile"),
                  *function = lb_yaml_find(couple->item[i], "function");
    if (profile && function) {
      ok = lb_complain(r, function->place, "'profile' and 'function' cannot both be given");
      continue;
    }
    ok = (!profile || read_curve(r, profile, place, &to->term[i])) && ok;
    ok = (!function || read_function(r, function, place, &to->term[i])) && ok;
  }
  return ok;
}

// equals or a path, or at_least and at_most: not several of them
static bool check_bounds(lb_reader* r, const lb_yaml* node, lb_place place) {
  static const char* const key[] = {"equals", "path", "ratchet", "at_least", "at_most"};
  int given[LB_COUNT_OF(key)], count = 0;
  for (int k = 0; k < LB_COUNT_OF(key); k++) {
    given[count] = k;
    count += lb_yaml_find(node, key[k]) != NULL;
  }
  if (count == 0) {
    return lb_complain(r, place,
                       "'equals', 'path', 'ratchet', 'at_least' or 'at_most' is missing (what the "
                       "sum is to be)");
  }
  return count == 1 || given[0] >= 3 ||
         lb_complain(r, lb_yaml_find(node, key[given[1]])->place,
                     "'%s' leaves nothing for '%s' to say (keep one)", key[given[0]],
                     key[given[1]]);
}

static bool read_bound(lb_reader* r, const lb_yaml* node, const char* key, lb_dimension dimension,
                       double* out) {
  const lb_yaml* bound = lb_yaml_find(node, key);
  return !bound || lb_read_number(r, bound, key, dimension, LB_ANY, out);
}

static bool read_bounds(lb_reader* r, const lb_yaml* node, lb_dimension dimension,
                        lb_scene_constraint* to) {
  if (lb_yaml_find(node, "equals") || lb_yaml_find(node, "path")) {
    const bool ok = read_bound(r, node, "equals", dimension, &to->least);
    to->most = to->least;
    return ok;
  }
  to->least = -(double)INFINITY;
  to->most = (double)INFINITY;
  to->ratchet = lb_yaml_find(node, "ratchet");
  if (to->ratchet) {
    return lb_read_number(r, lb_yaml_find(node, "ratchet"), "ratchet", dimension, LB_NOT_NEGATIVE,
                          &to->pitch);
  }
  if (!read_bound(r, node, "at_least", dimension, &to->least) ||
      !read_bound(r, node, "at_most", dimension, &to->most)) {
    return false;
  }
  return to->least < to->most ||
         lb_complain(r, lb_yaml_find(node, "at_most")->place,
                     "'at_most' must be more than 'at_least', which is %g", to->least);
}

static bool read_couple(lb_reader* r, const lb_yaml* node, lb_scene_constraint* to) {
  const lb_yaml* couple = lb_yaml_find(node, "couple");
  const lb_yaml* path = lb_yaml_find(node, "path");
  lb_coordinate counts = LB_COORDINATE_NUMBER;
  bool ok = couple->count > 0 ? lb_read_list(r, couple, &term_table, (void**)&to->term, &to->nterm)
                              : lb_complain(r, couple->place, "'couple' must name a joint or more");
  ok &= check_bounds(r, node, to->place);
  if (!ok || !sum_measure(r, node, to, &counts)) {
    return ok;
  }
  ok &= read_curves(r, couple, lb_coordinate_measures[counts].place, to);
  ok &= read_bounds(r, node, lb_coordinate_measures[counts].place, to);
  return ok && (!path || (read_path(r, path, counts, &to->path[0], &to->velocity_level[0]) &&
                          has_path(r, path, &to->path[0])));
}

// --- prescribed points ---

static const lb_field turn_fields[] = {
    LB_ROW(AXIS, lb_scene_constraint, "about", about, NULL,
           "the world's axis: x, y, z, -x, -y, -z or three numbers"),
    LB_LATER(KEYS, "keys", NULL, "none", "[time, angle] pairs"),
    LB_LATER(KEYS, "rates", NULL, "none",
             "[time, spin] pairs instead of keys: how fast; how it is turned then follows"),
    LB_SHARED_PROFILE_ROWS(lb_scene_constraint, angle),
};

// An angle from how the body is turned at the start.
static bool finish_turn(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_constraint* to = part;
  to->turn = true;
  return ok && read_path(r, node, LB_COORDINATE_ANGLE, &to->angle, &to->angle_velocity_level) &&
         has_path(r, node, &to->angle);
}

static const lb_table turn_table =
    LB_TABLE("prescribed rotation", lb_scene_constraint, turn_fields, .finish = finish_turn);

#define PATH(word, k)                                                                              \
  LB_FROM(TABLE, lb_scene_constraint, word, path[k], &path_table, "where it is at the start",      \
          "where the point is to be along " word)
static const lb_field follow_fields[] = {
    LB_ROW(ONE_BODY, lb_scene_constraint, "body", body, NULL, "the body whose point is prescribed"),
    {"at", LB_VALUE_VECTOR, LB_NOWHERE, LB_LENGTH, LB_ANY, NULL, 0, "[0, 0, 0]",
     "which point of it"},
    LB_LATER(TEXT, "along", NULL, "xyz",
             "the world's axes along which it is: x, xz, xyz and so on, or none; along others it "
             "is free"),
    PATH("x", 0),
    PATH("y", 1),
    PATH("z", 2),
    LB_ROW(FLAG, lb_scene_constraint, "rotation", turn, "false",
           "true keeps the body turned as it is at the start"),
    LB_FROM(TABLE, lb_scene_constraint, "turn", name, &turn_table, "none",
            "turns the body from there about an axis, over time"),
};

bool lb_read_letters(const char* text, bool along[3]) {
  bool good = *text;
  for (const char* s = text; *s; s++) {
    const int k = *s - 'x';
    good = good && k >= 0 && k < 3 && !along[k];
    if (k >= 0 && k < 3) {
      along[k] = true;
    }
  }
  return good;
}

static bool read_along(lb_reader* r, const lb_yaml* node, lb_scene_constraint* to) {
  const lb_yaml* axes = lb_yaml_find(node, "along");
  if (axes && strcmp(axes->text, "none") == 0 && to->turn) {
    return true;
  }
  return lb_read_letters(axes ? axes->text : "xyz", to->along) ||
         lb_complain(r, axes->place,
                     "'along' must be some of x, y and z, such as xz, or none with "
                     "'rotation' or 'turn', not '%.20s'",
                     axes->text);
}

static bool finish_follow(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  static const char* const word[] = {"x", "y", "z"};
  lb_scene_constraint* to = part;
  const lb_field point = {.key = "at", .value = LB_VALUE_VECTOR, .dimension = LB_LENGTH};
  const lb_yaml* at = lb_yaml_find(node, "at");
  to->point = LB_TAKE(r->keep, lb_vec3, 1);
  if (!to->point) {
    return lb_lack(r);
  }
  to->npoint = 1;
  to->turn |= lb_yaml_find(node, "turn") != NULL;
  if (!ok || (at && !lb_read_value(r, at, &point, to->point))) {
    return false;
  }
  ok = read_along(r, node, to);
  for (int k = 0; k < 3; k++) {
    const lb_yaml* path = lb_yaml_find(node, word[k]);
    ok &= !path || read_path(r, path, LB_COORDINATE_LENGTH, &to->path[k], &to->velocity_level[k]);
    if (path && !to->along[k]) {
      ok = lb_complain(r, path->place,
                       "'%s' is not one of the axes in 'along' (add it, or take this away)",
                       word[k]);
    }
  }
  return ok;
}

static const lb_table follow_table =
    LB_TABLE("prescribed point", lb_scene_constraint, follow_fields, .finish = finish_follow);

// --- floors ---

static const lb_field spot_fields[] = {
    {"at", LB_VALUE_VECTOR, 0, LB_LENGTH, LB_ANY, NULL, 0, NULL, "in the body"},
};
static const lb_table spot_table = LB_TABLE("spot", lb_vec3, spot_fields);

static const lb_field floor_fields[] = {
    LB_ROW(ONE_BODY, lb_scene_constraint, "body", body, NULL, "the body that stands on it"),
    LB_LIST(lb_scene_constraint, "points", point, npoint, &spot_table, "those of its shapes",
            "the points of it that the floor stops"),
    LB_SIZED(NUMBER, lb_scene_constraint, "height", height, LB_LENGTH, LB_ANY, "0",
             "how far its plane is from the world's origin, along the normal"),
    LB_ROW(AXIS, lb_scene_constraint, "normal", normal, "z",
           "which way is out of it: walls, slopes and ceilings have others"),
};

static bool finish_floor(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_constraint* to = part;
  if (lb_yaml_find(node, "points") || !ok) {
    return ok;
  }
  lb_contact_list list = {0};
  const bool found = lb_contact_points(r, to->body, &list);
  double* radius = LB_TAKE(r->keep, double, list.count);
  to->point = LB_TAKE(r->keep, lb_vec3, list.count);
  for (int i = 0; i < list.count && radius && to->point; i++) {
    to->point[i] = list.ball[i].centre;
    radius[i] = list.ball[i].radius;
  }
  to->npoint = list.count;
  to->radius = radius;
  return found && radius && to->point ? ok : lb_lack(r);
}

static const lb_table floor_table =
    LB_TABLE("floor", lb_scene_constraint, floor_fields, .finish = finish_floor);

// --- rods and ropes ---

static const lb_field distance_fields[] = {
    LB_LATER(TABLE, "from", &lb_point_table, "the world's origin", "where it begins"),
    LB_LATER(TABLE, "to", &lb_point_table, NULL, "where it ends"),
    LB_SIZED(NUMBER, lb_scene_constraint, "length", length, LB_LENGTH, LB_POSITIVE_OR_UNSET,
             "as at the start", "how far its ends are apart"),
    LB_ROW(FLAG, lb_scene_constraint, "unilateral", unilateral, "false",
           "true is a rope: its ends may come nearer"),
};

static bool finish_distance(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  static const char* const key[] = {"from", "to"};
  lb_scene_constraint* to = part;
  lb_scene_point* end = LB_TAKE(r->keep, lb_scene_point, 2);
  to->point = LB_TAKE(r->keep, lb_vec3, 1);
  if (!end || !to->point) {
    return lb_lack(r);
  }
  for (int i = 0; i < 2; i++) {
    const lb_yaml* given = lb_yaml_find(node, key[i]);
    lb_table_default(&lb_point_table, &end[i]);
    ok = (!given || lb_read_part(r, given, key[i], &lb_point_table, &end[i])) && ok;
  }
  to->length = lb_yaml_find(node, "length") ? to->length : NAN;
  to->other = &end[0];
  to->body = end[1].body;
  to->point[0] = end[1].at;
  to->npoint = 1;
  return ok;
}

static const lb_table distance_table =
    LB_TABLE("distance", lb_scene_constraint, distance_fields, .finish = finish_distance);

// --- points on lines and planes ---

#define INCIDENCE(name, direction, of)                                                             \
  static const lb_field name##_fields[] = {                                                        \
      LB_ROW(ONE_BODY, lb_scene_constraint, "body", body, NULL, "the body whose point is on it"),  \
      {"at", LB_VALUE_VECTOR, LB_NOWHERE, LB_LENGTH, LB_ANY, NULL, 0, "[0, 0, 0]",                 \
       "which point of it"},                                                                       \
      LB_LATER(TABLE, "through", &lb_point_table, "the world's origin",                            \
               "a point of the " #name ", and the body that carries it"),                          \
      LB_ROW(AXIS, lb_scene_constraint, direction, normal, NULL, of),                              \
      LB_ROW(AXIS, lb_scene_constraint, "axis", about, "none",                                     \
             "the body's axis that stays along that, too"),                                        \
  };                                                                                               \
  static const lb_table name##_table =                                                             \
      LB_TABLE(#name, lb_scene_constraint, name##_fields, .finish = finish_incidence)

static bool finish_incidence(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_constraint* to = part;
  const lb_field point = {.key = "at", .value = LB_VALUE_VECTOR, .dimension = LB_LENGTH};
  const lb_yaml *at = lb_yaml_find(node, "at"), *through = lb_yaml_find(node, "through");
  lb_scene_point* other = LB_TAKE(r->keep, lb_scene_point, 1);
  to->point = LB_TAKE(r->keep, lb_vec3, 1);
  if (!other || !to->point) {
    return lb_lack(r);
  }
  lb_table_default(&lb_point_table, other);
  to->other = other;
  to->npoint = 1;
  return (!at || lb_read_value(r, at, &point, to->point)) &&
         (!through || lb_read_part(r, through, "through", &lb_point_table, other)) && ok;
}

INCIDENCE(line, "along", "its direction, in that body");
INCIDENCE(plane, "normal", "what is at right angles to it, in that body");

// --- the whole ---

#define YIELD(word, of, member, dimension, range, standard, about)                                 \
  LB_SIZED(NUMBER, lb_scene_constraint, word, compliance[of].member, dimension, range, standard,   \
           about)
#define COUPLE_BOUND(word, about) LB_LATER(BOUND, word, NULL, "none", about)
static const lb_field constraint_fields[] = {
    [LB_CONSTRAINT_COUPLE] = LB_LATER(LIST, "couple", &term_table, NULL,
                                      "a sum of joints' coordinates: gears, couplings and limits"),
    [LB_CONSTRAINT_FOLLOW] =
        LB_FROM(TABLE, lb_scene_constraint, "follow", name, &follow_table, NULL,
                "a point of a body that is held, or whose motion is prescribed"),
    [LB_CONSTRAINT_FLOOR] = LB_FROM(TABLE, lb_scene_constraint, "floor", name, &floor_table, NULL,
                                    "a floor without friction under points of a body"),
    [LB_CONSTRAINT_DISTANCE] =
        LB_FROM(TABLE, lb_scene_constraint, "distance", name, &distance_table, NULL,
                "a rod or a rope of fixed length between two points"),
    [LB_CONSTRAINT_LINE] = LB_FROM(TABLE, lb_scene_constraint, "line", name, &line_table, NULL,
                                   "a point of a body on a straight line of another"),
    [LB_CONSTRAINT_PLANE] = LB_FROM(TABLE, lb_scene_constraint, "plane", name, &plane_table, NULL,
                                    "a point of a body on a plane of another"),
    COUPLE_BOUND("equals", "what the sum is"),
    LB_FROM(TABLE, lb_scene_constraint, "path", path[0], &path_table, "none",
            "what the sum is over time, instead of equals"),
    COUPLE_BOUND("ratchet", "from tooth to tooth: the sum does not fall behind a tooth that it "
                            "passed; 0: it does not fall"),
    COUPLE_BOUND("at_least", "the sum does not go below it"),
    COUPLE_BOUND("at_most", "the sum does not go above it"),
    LB_LATER(BOUND, "stiffness", NULL, "infinite", "how hard it pulls back what is off"),
    LB_LATER(BOUND, "damping", NULL, "0", "resists the rate of what is off"),
    YIELD("turn_stiffness", 1, stiffness, LB_TURN_STIFFNESS, LB_POSITIVE_OR_INFINITE, "infinite",
          "the same of a prescribed rotation"),
    YIELD("turn_damping", 1, damping, LB_TURN_DAMPING, LB_NOT_NEGATIVE, "0",
          "the same of a prescribed rotation"),
};

#define ROTATIONS                                                                                  \
  (1u << LB_CONSTRAINT_FOLLOW | 1u << LB_CONSTRAINT_LINE | 1u << LB_CONSTRAINT_PLANE),             \
      "only rotations that are prescribed turn back (take this away)"
#define BOUNDS 1u << LB_CONSTRAINT_COUPLE, "bounds are for 'couple' (take this away)"
static const lb_key_rule constraint_rules[] = {
    {"equals", BOUNDS},         {"path", BOUNDS},    {"ratchet", BOUNDS},
    {"at_least", BOUNDS},       {"at_most", BOUNDS}, {"turn_stiffness", ROTATIONS},
    {"turn_damping", ROTATIONS}};

// Stiffness and damping of a sum of angles, of distances, or of both, whose factors have the units.
static bool read_compliance(lb_reader* r, const lb_yaml* node, lb_scene_constraint* to) {
  static const lb_dimension of[][2] = {[LB_COORDINATE_NUMBER] = {LB_PURE, LB_PURE},
                                       [LB_COORDINATE_ANGLE] = {LB_TURN_STIFFNESS, LB_TURN_DAMPING},
                                       [LB_COORDINATE_LENGTH] = {LB_STIFFNESS, LB_DAMPING}};
  const lb_yaml *stiffness = lb_yaml_find(node, "stiffness"),
                *damping = lb_yaml_find(node, "damping");
  lb_coordinate counts = LB_COORDINATE_LENGTH;
  if (to->kind == LB_CONSTRAINT_COUPLE && !sum_measure(r, node, to, &counts)) {
    return true; // reported
  }
  lb_compliance* by = &to->compliance[0];
  return (!stiffness || lb_read_number(r, stiffness, "stiffness", of[counts][0],
                                       LB_POSITIVE_OR_INFINITE, &by->stiffness)) &&
         (!damping ||
          lb_read_number(r, damping, "damping", of[counts][1], LB_NOT_NEGATIVE, &by->damping));
}

static bool finish_constraint(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_constraint* to = part;
  if (!ok || (lb_yaml_find(node, "couple") && !read_couple(r, node, to)) ||
      !read_compliance(r, node, to)) {
    return false;
  }
  lb_compliance_settle(node, "stiffness", &to->compliance[0]);
  lb_compliance_settle(node, "turn_stiffness", &to->compliance[1]);
  return true;
}

const lb_table lb_constraint_table =
    LB_TABLE("constraint", lb_scene_constraint, constraint_fields, .nchoose = LB_CONSTRAINT_COUNT,
             .choose = "the kind of a constraint", .chosen = offsetof(lb_scene_constraint, kind),
             LB_RULES(constraint_rules), .finish = finish_constraint, .check = lb_check_constraint);
