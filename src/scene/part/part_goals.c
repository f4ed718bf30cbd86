// Goals of an optimisation, and the whole.
#include <math.h>
#include <string.h>

#include "scene/part/linkage.h"
#include "scene/part/part_optimize.h"

// --- goals ---

typedef void check_kind(lb_checker*, const lb_scene_goal*);
static check_kind check_point, check_joint;

static const struct {
  lb_owner_sort of;
  bool targets; // it has a position or a velocity; else its square should be small, always
  check_kind* check;
} kinds[LB_GOAL_COUNT] = {
    [LB_GOAL_POINT] = {{{LB_OWNER_BODY}, 1, false, 0, "body"}, true, check_point},
    [LB_GOAL_JOINT] = {{{LB_OWNER_JOINT}, 1, false, 0, "joint"}, true, check_joint},
    [LB_GOAL_MOTOR] = {{{LB_OWNER_MOTOR}, 1, false, 0, "motor"}, false, NULL},
    [LB_GOAL_MUSCLE] = {{{LB_OWNER_MUSCLE}, 1, false, 0, "muscle"}, false, NULL},
};

enum { // rows that not every kind has
  AT = LB_GOAL_COUNT,
  POSITION,
  VELOCITY,
  MEAN,
  PATH,
  ALONG,
  TIME,
  STIFFNESS,
  FORCE,
  MOMENT,
  ASIDE,
  TURNS,
  MODEL,
  ROWS
};
static const lb_field goal_fields[] = {
    [LB_GOAL_POINT] =
        LB_LATER(TEXT, "point", NULL, NULL, "a body, a point of which should be somewhere"),
    [LB_GOAL_JOINT] =
        LB_LATER(TEXT, "joint", NULL, NULL, "a joint whose coordinates should be something"),
    [LB_GOAL_MOTOR] = LB_LATER(TEXT, "motor", NULL, NULL, "a motor that should exert little"),
    [LB_GOAL_MUSCLE] =
        LB_LATER(TEXT, "muscle", NULL, NULL, "a muscle that should be little active"),
    [LB_GOAL_EFFECTOR] = LB_LATER(TEXT, "effector", NULL, NULL,
                                  "an effector of a mechanism under 'fork', whose stiffness "
                                  "should be something"),
    [AT] = LB_LATER(SPOT, "at", NULL, "[0, 0, 0]",
                    "of a point: which, in the body; of a linkage's bar also one of its points"),
    [POSITION] = LB_LATER(MEASURE, "position", NULL, "none",
                          "where it should be: of a point [x, y, z] in the world, of a joint its "
                          "coordinates"),
    [VELOCITY] =
        LB_LATER(MEASURE, "velocity", NULL, "none", "how fast it should be, instead of position"),
    [MEAN] = LB_ROW(FLAG, lb_scene_goal, "mean", mean, "false",
                    "of a point's velocity over a time: its mean counts, and not every step's"),
    [PATH] = LB_LATER(PATH, "path", NULL, "none",
                      "of a point, instead of position and time: where it should be when"),
    [ALONG] =
        LB_LATER(TEXT, "along", NULL, "xyz", "of a point: the world's axes that count, such as xz"),
    [TIME] = LB_LATER(MEASURE, "time", NULL, "the end; of a motor or muscle the whole motion",
                      "a moment, or [from, to]: the square is then integrated"),
    [STIFFNESS] = LB_LATER(MEASURE, "stiffness", NULL, "none",
                           "of an effector: force over displacement along 'force', moment over "
                           "turn about 'moment', or three principal stiffnesses, the softest "
                           "first"),
    [FORCE] = LB_LATER(AXIS, "force", NULL, "none", "of an effector: direction of a force on it"),
    [MOMENT] = LB_LATER(AXIS, "moment", NULL, "none", "of an effector: axis of a moment on it"),
    [ASIDE] = LB_LATER(AXIS, "aside", NULL, "none",
                       "of an effector, instead of 'stiffness': a direction in which it should not "
                       "move or turn under that force or moment"),
    [TURNS] = LB_ROW(FLAG, lb_scene_goal, "turns", stiffness.turns, "false",
                     "of an effector: the three stiffnesses are those against turning"),
    [MODEL] = LB_SIZED(COUNT, lb_scene_goal, "model", stiffness.model, LB_PURE, LB_NOT_NEGATIVE,
                       "1", "of an effector: under the loads of which of the mechanism's models"),
    LB_SIZED(NUMBER, lb_scene_goal, "weight", weight, LB_PURE, LB_NOT_NEGATIVE, "1",
             "of the square of how far it is off, in SI units; of an effector, in parts of what is "
             "wanted"),
};

static bool read_target(lb_reader* r, const lb_yaml* node, lb_scene_goal* to) {
  const char* key = to->rate ? "velocity" : "position";
  const lb_yaml* target = lb_yaml_find(node, key);
  const bool of_joint = kinds[to->kind].of.owner[0] == LB_OWNER_JOINT;
  const lb_scene_joint* j = of_joint ? &r->scene.joint[to->index] : NULL;
  to->count = j ? lb_joint_count_v(j) : 3;
  for (int k = 0; k < to->count; k++) {
    to->counts[k] = true;
  }
  return !target || lb_read_coordinates(r, j, target, key, to->rate, to->value);
}

static bool read_axes(lb_reader* r, const lb_yaml* along, lb_scene_goal* to) {
  memset(to->counts, 0, sizeof to->counts);
  return lb_read_letters(along->text, to->counts) ||
         lb_complain(r, along->place, "'along' must be some of x, y and z, such as xz, not '%.20s'",
                     along->text);
}

static bool read_time(lb_reader* r, const lb_yaml* node, lb_scene_goal* to) {
  const double end = r->scene.duration;
  to->from = kinds[to->kind].targets && !to->mean ? end : 0;
  to->to = end;
  if (!node) {
    return true;
  }
  if (lb_is_list(node) && node->count != 2) {
    return lb_complain(r, node->place, "'time' must be a moment, such as 1 s, or [from, to]");
  }
  const bool pair = lb_is_list(node);
  const lb_yaml *first = pair ? node->item[0] : node, *last = pair ? node->item[1] : node;
  if (!lb_read_number(r, first, "time", LB_TIME, LB_NOT_NEGATIVE, &to->from) ||
      !lb_read_number(r, last, "time", LB_TIME, LB_NOT_NEGATIVE, &to->to)) {
    return false;
  }
  if (to->from > to->to || (pair && to->from == to->to)) {
    return lb_complain(r, node->place, "'time' must be [from, to], and %g s is not before %g s",
                       to->from, to->to);
  }
  if (to->to > end * (1 + 1e-9) || (!pair && to->to == 0)) {
    return lb_complain(r, node->place,
                       "'time' must be within the motion, after its start and until %g s", end);
  }
  return true;
}

// --- points ---

// The copy of a linkage that a body is a bar of.
static const lb_linkage_copy* find_copy(const lb_scene* s, int body, const lb_scene_linkage** k,
                                        int* bar) {
  for (int i = 0; i < s->nlinkage; i++) {
    *k = &s->linkage[i];
    for (int c = 0; c < (*k)->ncopy; c++) {
      for (*bar = 0; *bar < (*k)->nbar; (*bar)++) {
        if ((*k)->copy[c].body[*bar] == body) {
          return &(*k)->copy[c];
        }
      }
    }
  }
  return NULL;
}

// A point of a bar by its name.
static bool read_pin(lb_reader* r, const lb_yaml* node, lb_scene_goal* to) {
  const lb_scene_linkage* k = NULL;
  int bar = 0;
  const lb_linkage_copy* copy = find_copy(&r->scene, to->index, &k, &bar);
  lb_names points = {0};
  for (int i = 0; copy && i < k->bar[bar].npoint; i++) {
    const int point = k->bar[bar].point[i];
    if (strcmp(k->point[point].name, node->text) == 0) {
      to->at = lb_linkage_place(k, copy, bar, point);
      return true;
    }
    if (!lb_names_add(&points, &r->scratch, k->point[point].name, i)) {
      return lb_lack(r);
    }
  }
  return copy ? lb_unknown_name(r, node, "point", &points)
              : lb_complain(r, node->place,
                            "'at' must be [x, y, z] in the body, which is no bar of a linkage with "
                            "points that have names");
}

static bool read_spot(lb_reader* r, const lb_yaml* node, lb_scene_goal* to) {
  const lb_field place = {"at", LB_VALUE_VECTOR, .dimension = LB_LENGTH};
  return !node ||
         (lb_is_scalar(node) && !lb_is_null(node) ? read_pin(r, node, to)
                                                  : lb_read_value(r, node, &place, &to->at));
}

// [[0.1 s, [1 m, 0, 0]], ...]
static bool read_path(lb_reader* r, const lb_yaml* node, lb_scene_goal* to) {
  const lb_pairs pairs = {
      .item = "a place of a path",
      .firsts = "times of 'path'",
      .unit = " s",
      .first = {"time", LB_VALUE_NUMBER, .dimension = LB_TIME, .range = LB_POSITIVE},
      .second = {"place", LB_VALUE_VECTOR, .dimension = LB_LENGTH},
      .size = sizeof(lb_vec3),
      .example = "[1 m, 0, 0]"};
  void* places = NULL;
  if (!node) {
    return true;
  }
  if (node->count == 0) {
    return lb_complain(r, node->place, "'path' must have at least one [time, place] pair");
  }
  if (!lb_read_pairs(r, node, &pairs, &to->when, &places)) {
    return false;
  }
  to->npath = node->count;
  to->path = places;
  to->from = to->when[0];
  to->to = to->when[to->npath - 1];
  return to->to <= r->scene.duration * (1 + 1e-9) ||
         lb_complain(r, node->item[node->count - 1]->place,
                     "'path' must be within the motion, which ends at %g s", r->scene.duration);
}

// --- keys ---

static bool check_meanings(lb_reader* r, const lb_yaml* node, lb_goal_kind kind) {
  static const bool GOOD[LB_GOAL_COUNT][ROWS] = {
      [LB_GOAL_POINT] = {[AT] = true,
                         [POSITION] = true,
                         [VELOCITY] = true,
                         [MEAN] = true,
                         [PATH] = true,
                         [ALONG] = true,
                         [TIME] = true},
      [LB_GOAL_JOINT] = {[POSITION] = true, [VELOCITY] = true, [TIME] = true},
      [LB_GOAL_MOTOR] = {[TIME] = true},
      [LB_GOAL_MUSCLE] = {[TIME] = true},
      [LB_GOAL_EFFECTOR] = {[STIFFNESS] = true,
                            [FORCE] = true,
                            [MOMENT] = true,
                            [ASIDE] = true,
                            [TURNS] = true,
                            [MODEL] = true}};
  bool ok = true;
  for (int k = AT; k < ROWS; k++) {
    const lb_yaml* given = lb_yaml_find(node, goal_fields[k].key);
    if (given && !GOOD[kind][k]) {
      ok = lb_complain(r, given->place, "'%s' has no meaning for a %s (take this away)",
                       goal_fields[k].key, goal_fields[kind].key);
    }
  }
  return ok;
}

static bool check_goal_keys(lb_reader* r, const lb_yaml* node, lb_goal_kind kind) {
  bool ok = check_meanings(r, node, kind);
  const lb_yaml *position = lb_yaml_find(node, "position"),
                *velocity = lb_yaml_find(node, "velocity"), *path = lb_yaml_find(node, "path");
  if (path) {
    const lb_yaml* other = position ? position : velocity ? velocity : lb_yaml_find(node, "time");
    return ok && (!other || lb_complain(r, other->place,
                                        "'path' says where and when already (take this away)"));
  }
  if (position && velocity) {
    ok = lb_complain(r, velocity->place,
                     "'position' and 'velocity' cannot both be given (make two goals)");
  } else if (kinds[kind].targets && !position && !velocity) {
    ok = lb_complain(r, node->place, "%s is missing (what it should be)",
                     kind == LB_GOAL_POINT ? "'position', 'velocity' or 'path'"
                                           : "'position' or 'velocity'");
  }
  return ok;
}

// A mean is that of velocities, over a time.
static bool check_mean(lb_reader* r, const lb_yaml* node, const lb_scene_goal* to) {
  const lb_yaml* mean = lb_yaml_find(node, "mean");
  if (to->mean && !to->rate) {
    return lb_complain(r, mean->place, "'mean' goes with 'velocity', and not with 'position'");
  }
  return !to->mean || to->from < to->to ||
         lb_complain(r, lb_yaml_find(node, "time")->place,
                     "'time' of a mean must be [from, to], not a moment");
}

static bool finish_goal(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_goal* to = part;
  const lb_yaml* along = lb_yaml_find(node, "along");
  lb_owned of;
  if (!ok) {
    return false;
  }
  const lb_yaml* name = lb_yaml_find(node, goal_fields[to->kind].key);
  to->place = name->place;
  if (to->kind == LB_GOAL_EFFECTOR) {
    return check_meanings(r, node, to->kind) && lb_read_stiffness_goal(r, node, name, to);
  }
  if (!lb_find_owner(r, &kinds[to->kind].of, name, &of) || !check_goal_keys(r, node, to->kind)) {
    return false;
  }
  to->index = of.index;
  to->rate = lb_yaml_find(node, "velocity");
  if (kinds[to->kind].targets) {
    ok = read_target(r, node, to);
  } else { // of one that drives a rotation: torques about three axes
    to->count = to->kind == LB_GOAL_MOTOR && r->scene.motor[of.index].rotation ? 3 : 1;
    to->counts[0] = true;
    to->counts[1] = to->counts[2] = to->count == 3;
  }
  ok &= !along || read_axes(r, along, to);
  ok &= read_spot(r, lb_yaml_find(node, "at"), to);
  return read_time(r, lb_yaml_find(node, "time"), to) && check_mean(r, node, to) &&
         read_path(r, lb_yaml_find(node, "path"), to) && ok;
}

static void check_point(lb_checker* c, const lb_scene_goal* g) {
  const lb_scene_body* body = &c->s->body[g->index];
  if (!lb_all_finite(&g->at.x, 3)) {
    lb_say(c, ": its point must be finite");
  }
  if (body->elastic || body->reduced) {
    lb_say(c, ": body '%s' bends; name a rigid body on one of its faces", body->name);
  }
}

static void check_joint(lb_checker* c, const lb_scene_goal* g) {
  const lb_scene_joint* j = &c->s->joint[g->index];
  if (lb_joint_count_v(j) == 0) {
    lb_say(c, ": joint '%s' is fixed, and has no coordinates", j->name);
  } else if (!g->rate && !lb_joint_has_numbers(j)) {
    lb_say(c,
           ": the place of joint '%s' is no set of numbers (give 'velocity', or a point of the "
           "body)",
           j->name);
  }
}

static void check_goal(lb_checker* c, const void* part) {
  const lb_scene_goal* g = part;
  if (g->kind == LB_GOAL_EFFECTOR) {
    lb_check_stiffness_goal(c, g);
    return;
  }
  if (g->index < 0 || g->index >= lb_count_owners(c->s, kinds[g->kind].of.owner[0])) {
    lb_say(c, " is about something that does not exist");
    return;
  }
  if (!(g->from >= 0) || !(g->to >= g->from) || !(g->to > 0) ||
      !(g->to <= c->s->duration * (1 + 1e-9))) {
    lb_say(c, ": its time must be within the motion");
  }
  if (!lb_all_finite(g->value, g->count < LB_GOAL_MOST ? g->count : LB_GOAL_MOST)) {
    lb_say(c, ": its numbers must be finite");
  }
  if (kinds[g->kind].check) {
    kinds[g->kind].check(c, g);
  }
}

const lb_table lb_goal_table = LB_TABLE(
    "goal", lb_scene_goal, goal_fields, .nchoose = LB_GOAL_COUNT, .choose = "what a goal is about",
    .chosen = offsetof(lb_scene_goal, kind), .finish = finish_goal, .check = check_goal);

// --- the whole ---

static const lb_field optimize_fields[] = {
    LB_LATER(SECTION, "parameters", &lb_parameter_table, NULL,
             "numbers that may change, by names of your own"),
    LB_LATER(SECTION, "goals", &lb_goal_table, NULL,
             "what they are changed for, by names of your own"),
    LB_SIZED(NUMBER, lb_scene_optimize, "tolerance", tolerance, LB_PURE, LB_POSITIVE, "1e-6",
             "stop when iterations gain less than this part of the objective"),
    LB_SIZED(COUNT, lb_scene_optimize, "iterations", iterations, LB_PURE, LB_POSITIVE, "200",
             "the most to take"),
};
const lb_table lb_optimize_table = LB_TABLE("optimize", lb_scene_optimize, optimize_fields);

static const lb_scene_section own[] = {
    {"parameter", &lb_parameter_table, offsetof(lb_scene, optimize.parameter),
     offsetof(lb_scene, optimize.nparameter), 0, 0, false},
    {"goal", &lb_goal_table, offsetof(lb_scene, optimize.goal), offsetof(lb_scene, optimize.ngoal),
     0, 0, false},
};

void lb_read_optimize(lb_reader* r) {
  static const char* const none[] = {"'parameters' must name something that may change",
                                     "'goals' must name something to reach"};
  const lb_yaml* whole = r->given[LB_SCENE_OPTIMIZE];
  if (!whole) {
    return;
  }
  r->scene.optimize.place = whole->place;
  for (int i = 0; i < LB_COUNT_OF(own); i++) {
    const lb_yaml* list = lb_given_map(r, LB_SCENE_OPTIMIZE, optimize_fields[i].key);
    r->subject = "optimize";
    if (list && list->count == 0) {
      lb_complain(r, list->place, "%s", none[i]);
    } else if (list) {
      lb_read_named(r, list, &own[i]);
    }
  }
}

void lb_check_optimize(lb_checker* c) {
  const lb_scene_optimize* o = &c->s->optimize;
  for (int i = 0; i < LB_COUNT_OF(own); i++) {
    lb_check_section(c, &own[i], NULL);
  }
  if (o->nparameter + o->ngoal > 0) {
    lb_look_at(c, o->place, "optimize");
    lb_check_fields(c, &lb_optimize_table, o);
  }
}
