// What an optimisation is to do: numbers that may change, and goals.
#include <math.h>
#include <string.h>

#include "scene/check/scene_check.h"
#include "scene/yaml/reader.h"

// --- names ---

typedef struct part {
  lb_owner owner;
  int index;
} part;

// The things of one sort by name, until it is found.
typedef struct search {
  lb_reader* r;
  const char* wanted;
  lb_names all; // for the nearest name
  part found;   // index -1: not yet
  part as_well; // another of that name
} search;

static void offer(search* s, lb_owner owner, int index, const char* name) {
  if (strcmp(name, s->wanted) == 0) {
    *(s->found.index < 0 ? &s->found : &s->as_well) = (part){owner, index};
  }
  if (lb_names_find(&s->all, name, -1) < 0 && !lb_names_add(&s->all, &s->r->scratch, name, index)) {
    lb_lack(s->r);
  }
}

static void offer_joints(search* s) {
  for (int i = 0; i < s->r->scene.njoint; i++) {
    offer(s, LB_OWNER_JOINT, i, s->r->scene.joint[i].name);
  }
}

static void offer_movers(search* s, bool joints) {
  if (joints) {
    offer_joints(s);
  }
  for (int i = 0; i < s->r->scene.nbody; i++) {
    if (s->r->carrier[i] < 0) {
      offer(s, LB_OWNER_BODY, i, s->r->scene.body[i].name);
    }
  }
}

static void offer_bodies(search* s) {
  for (int i = 0; i < s->r->scene.nbody; i++) {
    offer(s, LB_OWNER_BODY, i, s->r->scene.body[i].name);
  }
}

static void offer_springs(search* s) {
  for (int i = 0; i < s->r->scene.nspring; i++) {
    offer(s, LB_OWNER_SPRING, i, s->r->scene.spring[i].name);
  }
  for (int i = 0; i < s->r->scene.ncable; i++) {
    offer(s, LB_OWNER_CABLE, i, s->r->scene.cable[i].name);
  }
  for (int i = 0; i < s->r->scene.nrope; i++) {
    offer(s, LB_OWNER_ROPE, i, s->r->scene.rope[i].name);
  }
  offer_joints(s);
}

// Grounds are stiff and have no other such number.
static void offer_stiff(search* s) {
  offer_springs(s);
  for (int i = 0; i < s->r->scene.nground; i++) {
    offer(s, LB_OWNER_GROUND, i, s->r->scene.ground[i].name);
  }
}

static void offer_materials(search* s) {
  for (int i = 0; i < s->r->scene.nmaterial; i++) {
    offer(s, LB_OWNER_MATERIAL, i, s->r->scene.material[i].name);
  }
}

static void offer_motors(search* s) {
  for (int i = 0; i < s->r->scene.nmotor; i++) {
    offer(s, LB_OWNER_MOTOR, i, s->r->scene.motor[i].name);
  }
}

static void offer_starts(search* s) {
  offer_movers(s, true);
}
static void offer_free(search* s) {
  offer_movers(s, false);
}

typedef struct sort {
  void (*offer)(search*);
  const char* words;
} sort;

static bool find_part(lb_reader* r, const sort* what, const lb_yaml_node* name, part* out) {
  static const char* const word[] = {
      [LB_OWNER_BODY] = "body",         [LB_OWNER_JOINT] = "joint",  [LB_OWNER_SPRING] = "spring",
      [LB_OWNER_CABLE] = "cable",       [LB_OWNER_MOTOR] = "motor",  [LB_OWNER_ROPE] = "strand",
      [LB_OWNER_MATERIAL] = "material", [LB_OWNER_GROUND] = "ground"};
  const part none = {LB_OWNER_BODY, -1};
  search s = {.r = r, .wanted = name->text, .found = none, .as_well = none};
  what->offer(&s);
  *out = s.found;
  if (s.as_well.index >= 0) {
    return lb_complain(r, name->place, "'%s' could be the %s or the %s of that name (rename one)",
                       name->text, word[s.found.owner], word[s.as_well.owner]);
  }
  return s.found.index >= 0 || lb_unknown_name(r, name, what->words, &s.all);
}

// --- parameters ---

static const sort PARAMETER_OF[LB_PARAMETER_COUNT] = {
    [LB_PARAMETER_POSITION] = {offer_starts, "joint or free body"},
    [LB_PARAMETER_ROTATION] = {offer_free, "free body"},
    [LB_PARAMETER_VELOCITY] = {offer_starts, "joint or free body"},
    [LB_PARAMETER_SPIN] = {offer_free, "free body"},
    [LB_PARAMETER_MOTOR] = {offer_motors, "motor"},
    [LB_PARAMETER_MASS] = {offer_bodies, "body"},
    [LB_PARAMETER_LENGTH] = {offer_bodies, "body"},
    [LB_PARAMETER_STIFFNESS] = {offer_stiff, "spring, cable, strand, ground or joint"},
    [LB_PARAMETER_DAMPING] = {offer_springs, "spring, cable, strand or joint"},
    [LB_PARAMETER_TURN_STIFFNESS] = {offer_joints, "joint"},
    [LB_PARAMETER_TURN_DAMPING] = {offer_joints, "joint"},
    [LB_PARAMETER_REST] = {offer_springs, "spring, cable, strand or joint"},
    [LB_PARAMETER_YOUNG] = {offer_materials, "material"},
};

// Units of stiffness and damping along a coordinate that measures this.
static lb_dimension resistance_dimension(lb_coordinate counts, bool damping) {
  static const lb_dimension dimension[][2] = {
      [LB_COORDINATE_ANGLE] = {LB_TURN_STIFFNESS, LB_TURN_DAMPING},
      [LB_COORDINATE_LENGTH] = {LB_STIFFNESS, LB_DAMPING},
      [LB_COORDINATE_NUMBER] = {LB_PURE, LB_PURE},
  };
  return dimension[counts][damping];
}

// What the bounds of a parameter measure: what its first number does, or for stiffness and damping
// of a joint that slides and turns its distances.
static lb_dimension measure(const lb_scene* s, const lb_scene_parameter* p) {
  int first = 0;
  const lb_scene_joint* j = p->owner == LB_OWNER_JOINT   ? lb_parameter_joint(s, p, &first)
                            : p->owner == LB_OWNER_MOTOR ? &s->joint[s->motor[p->index].joint]
                                                         : NULL;
  const lb_parameter_kind kind = p->kind;
  // free bodies and lines measure lengths
  const int k = p->owner == LB_OWNER_MOTOR ? s->motor[p->index].coordinate : 0;
  const lb_coordinate counts =
      j && lb_joint_count_v(j) > 0 ? lb_joint_counts(j, k) : LB_COORDINATE_LENGTH;
  const lb_joint_measure* of_joint = &lb_coordinate_measures[counts];
  if (p->owner == LB_OWNER_ROPE) {
    return kind == LB_PARAMETER_STIFFNESS ? LB_FORCE
           : kind == LB_PARAMETER_DAMPING ? LB_TIME
                                          : LB_PURE;
  }
  switch (kind) {
  case LB_PARAMETER_POSITION:
  case LB_PARAMETER_REST:
    return of_joint->place;
  case LB_PARAMETER_ROTATION:
    return LB_ANGLE;
  case LB_PARAMETER_VELOCITY:
    return of_joint->rate;
  case LB_PARAMETER_SPIN:
    return LB_TURN_RATE;
  case LB_PARAMETER_MOTOR:
    return s->motor[p->index].drive == LB_DRIVE_FORCE ? of_joint->force : of_joint->place;
  case LB_PARAMETER_MASS:
    return LB_MASS;
  case LB_PARAMETER_YOUNG:
    return LB_PRESSURE;
  case LB_PARAMETER_STIFFNESS:
  case LB_PARAMETER_DAMPING:
    return resistance_dimension(j && lb_joint_mixes(j) ? LB_COORDINATE_LENGTH : counts,
                                kind == LB_PARAMETER_DAMPING);
  case LB_PARAMETER_TURN_STIFFNESS:
    return LB_TURN_STIFFNESS;
  case LB_PARAMETER_TURN_DAMPING:
    return LB_TURN_DAMPING;
  default: // a factor
    return LB_PURE;
  }
}

// A composite joint has the part that is named; only its starts and rests are those of all of them.
static bool check_part(lb_reader* r, const lb_parameter_spec* spec, lb_scene_parameter* to) {
  const lb_yaml_node* node = spec->given.node[LB_PARAMETER_KEY_PART];
  const lb_scene_joint* j = to->owner == LB_OWNER_JOINT ? &r->scene.joint[to->index] : NULL;
  if (!node || (j && r->joint_broken[to->index])) { // who knows which parts it has
    return true;
  }
  if (!j || j->kind != LB_JOINT_COMPOSITE) {
    return lb_complain(r, node->place, "'part' is for composite joints (take this away)");
  }
  if (spec->part > j->npart) {
    return lb_complain(r, node->place, "'part' must be from 1 to %d, the parts of joint '%s'",
                       j->npart, j->name);
  }
  to->part = spec->part;
  return true;
}

// Of the keys that only some kinds have.
static bool check_keys(lb_reader* r, const lb_parameter_spec* spec, lb_parameter_kind kind) {
  const lb_yaml_node* knots = spec->given.node[LB_PARAMETER_KEY_KNOTS];
  const lb_yaml_node* along = spec->given.node[LB_PARAMETER_KEY_ALONG];
  bool ok = true;
  if (knots && kind != LB_PARAMETER_MOTOR) {
    ok = lb_complain(r, knots->place, "'knots' are for 'motor' (take this away)");
  }
  if (along && kind != LB_PARAMETER_LENGTH) {
    ok = lb_complain(r, along->place, "'along' is for 'length' (take this away)");
  }
  return ok;
}

static bool read_bounds(lb_reader* r, const lb_parameter_spec* spec, lb_dimension dimension,
                        lb_scene_parameter* to) {
  bool ok = true;
  to->least = -(double)INFINITY;
  to->most = (double)INFINITY;
  if (spec->least) {
    ok &= lb_read_number(r, spec->least, "at_least", dimension, LB_ANY, &to->least);
  }
  if (spec->most) {
    ok &= lb_read_number(r, spec->most, "at_most", dimension, LB_ANY, &to->most);
  }
  if (ok && !(to->least <= to->most)) {
    ok = lb_complain(r, spec->most->place,
                     "'at_most' must not be less than 'at_least', which is %g", to->least);
  }
  return ok;
}

static bool read_parameter(lb_reader* r, const lb_yaml_node* name, const lb_yaml_node* value,
                           lb_scene_parameter* to) {
  lb_parameter_spec spec = {.along = {1, 0, 0}};
  const lb_entry entry = {.name = name, .value = value, .folder = r->folder};
  bool ok = lb_begin_entry(r, &entry, "parameter");
  if (!lb_read_table(r, value, &lb_parameter_table, &spec)) {
    return false;
  }
  int kind = 0;
  while (!spec.of[kind]) {
    kind++;
  }
  part of;
  if (!find_part(r, &PARAMETER_OF[kind], spec.given.node[kind], &of)) {
    return false;
  }
  *to = (lb_scene_parameter){.name = lb_keep_name(r, &entry),
                             .place = spec.given.node[kind]->place,
                             .kind = (lb_parameter_kind)kind,
                             .owner = of.owner,
                             .index = of.index,
                             .knots = spec.knots,
                             .along = spec.along};
  ok &= check_keys(r, &spec, to->kind);
  ok &= check_part(r, &spec, to);
  return read_bounds(r, &spec, measure(&r->scene, to), to) && ok;
}

// --- goals ---

static const sort GOAL_OF[LB_GOAL_COUNT] = {
    [LB_GOAL_POINT] = {offer_bodies, "body"},
    [LB_GOAL_JOINT] = {offer_joints, "joint"},
    [LB_GOAL_MOTOR] = {offer_motors, "motor"},
};

static bool read_target(lb_reader* r, const lb_goal_spec* spec, lb_scene_goal* to) {
  const lb_yaml_node* node = to->rate ? spec->velocity : spec->position;
  const lb_scene_joint* j = to->kind == LB_GOAL_JOINT ? &r->scene.joint[to->index] : NULL;
  to->count = j ? lb_joint_count_v(j) : 3;
  for (int k = 0; k < to->count; k++) {
    to->counts[k] = true;
  }
  return lb_read_coordinates(r, j, node, to->rate ? "velocity" : "position", to->rate, to->value);
}

static bool read_axes(lb_reader* r, const lb_goal_spec* spec, lb_scene_goal* to) {
  bool good = *spec->along;
  memset(to->counts, 0, sizeof to->counts);
  for (const char* s = spec->along; *s; s++) {
    const int k = *s - 'x';
    good = good && k >= 0 && k < 3 && !to->counts[k];
    if (k >= 0 && k < 3) {
      to->counts[k] = true;
    }
  }
  return good ||
         lb_complain(r, spec->given.node[LB_GOAL_KEY_ALONG]->place,
                     "'along' must be some of x, y and z, such as xz, not '%.20s'", spec->along);
}

static bool read_time(lb_reader* r, const lb_goal_spec* spec, lb_scene_goal* to) {
  const double end = r->settings.duration;
  const lb_yaml_node* node = spec->time;
  to->from = to->kind == LB_GOAL_MOTOR ? 0 : end;
  to->to = end;
  if (!node) {
    return true;
  }
  if (node->kind == LB_YAML_LIST && node->count != 2) {
    return lb_complain(r, node->place, "'time' must be a moment, such as 1 s, or [from, to]");
  }
  const bool pair = node->kind == LB_YAML_LIST;
  const lb_yaml_node *first = pair ? node->item[0] : node, *last = pair ? node->item[1] : node;
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

static bool check_goal_keys(lb_reader* r, const lb_goal_spec* spec, lb_goal_kind kind) {
  const lb_yaml_node* const* given = spec->given.node;
  bool ok = true;
  for (int k = LB_GOAL_KEY_AT; k <= LB_GOAL_KEY_ALONG; k++) {
    const bool good =
        kind == LB_GOAL_POINT ||
        (kind == LB_GOAL_JOINT && (k == LB_GOAL_KEY_POSITION || k == LB_GOAL_KEY_VELOCITY));
    if (given[k] && !good) {
      ok = lb_complain(r, given[k]->place, "'%s' has no meaning for a %s (take this away)",
                       lb_goal_table.field[k].key, lb_goal_table.field[kind].key);
    }
  }
  if (spec->position && spec->velocity) {
    ok = lb_complain(r, spec->velocity->place,
                     "'position' and 'velocity' cannot both be given (make two goals)");
  } else if (kind != LB_GOAL_MOTOR && !spec->position && !spec->velocity) {
    ok = lb_complain(r, spec->given.whole->place,
                     "'position' or 'velocity' is missing (what it should be)");
  }
  return ok;
}

static bool read_goal(lb_reader* r, const lb_yaml_node* name, const lb_yaml_node* value,
                      lb_scene_goal* to) {
  lb_goal_spec spec = {.weight = 1};
  const lb_entry entry = {.name = name, .value = value, .folder = r->folder};
  bool ok = lb_begin_entry(r, &entry, "goal");
  if (!lb_read_table(r, value, &lb_goal_table, &spec)) {
    return false;
  }
  int kind = 0;
  while (!spec.of[kind]) {
    kind++;
  }
  part of;
  if (!find_part(r, &GOAL_OF[kind], spec.given.node[kind], &of) ||
      !check_goal_keys(r, &spec, (lb_goal_kind)kind)) {
    return false;
  }
  *to = (lb_scene_goal){.name = lb_keep_name(r, &entry),
                        .place = spec.given.node[kind]->place,
                        .kind = (lb_goal_kind)kind,
                        .index = of.index,
                        .at = spec.at,
                        .rate = spec.velocity != NULL,
                        .count = 1,
                        .counts = {true},
                        .weight = spec.weight};
  if (kind == LB_GOAL_MOTOR && r->scene.motor[of.index].rotation) { // torques about three axes
    to->count = 3;
    to->counts[1] = to->counts[2] = true;
  }
  ok &= kind == LB_GOAL_MOTOR || read_target(r, &spec, to);
  ok &= !spec.along || read_axes(r, &spec, to);
  return read_time(r, &spec, to) && ok;
}

// --- the whole ---

void lb_read_optimize(lb_reader* r) {
  const lb_optimize_spec* spec = &r->settings.optimize;
  lb_scene_optimize* to = &r->scene.optimize;
  to->tolerance = spec->tolerance;
  to->iterations = spec->iterations;
  if (!spec->given.whole) {
    return;
  }
  to->place = spec->given.whole->place;
  const lb_yaml_node *parameters = spec->parameters, *goals = spec->goals;
  to->parameter = LB_TAKE(r->keep, lb_scene_parameter, parameters ? parameters->count : 0);
  to->goal = LB_TAKE(r->keep, lb_scene_goal, goals ? goals->count : 0);
  if (!to->parameter || !to->goal) {
    lb_lack(r);
    return;
  }
  r->subject = "optimize";
  if (parameters && parameters->count == 0) {
    lb_complain(r, parameters->place, "'parameters' must name something that may change");
  }
  if (goals && goals->count == 0) {
    lb_complain(r, goals->place, "'goals' must name something to reach");
  }
  for (int i = 0; parameters && i < parameters->count && !r->no_memory; i++) {
    to->nparameter +=
        read_parameter(r, parameters->key[i], parameters->item[i], &to->parameter[to->nparameter]);
  }
  for (int i = 0; goals && i < goals->count && !r->no_memory; i++) {
    to->ngoal += read_goal(r, goals->key[i], goals->item[i], &to->goal[to->ngoal]);
  }
}
