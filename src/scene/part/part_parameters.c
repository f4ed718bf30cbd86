// Numbers that an optimisation may change.
#include <math.h>
#include <string.h>

#include "math/curve/time_profile.h"
#include "scene/force/scene_force.h"
#include "scene/part/part_optimize.h"

// --- whose numbers ---

// The things of one sort by name, until it is found.
typedef struct search {
  lb_reader* r;
  const char* wanted;
  int number;       // of forces: which they must have
  lb_names all;     // for the nearest name
  lb_owned found;   // index -1: not yet
  lb_owned as_well; // another of that name
} search;

static void offer(search* s, lb_owner owner, int index, const char* name) {
  if (strcmp(name, s->wanted) == 0) {
    *(s->found.index < 0 ? &s->found : &s->as_well) = (lb_owned){owner, index};
  }
  if (lb_names_find(&s->all, name, -1) < 0 && !lb_names_add(&s->all, &s->r->scratch, name, index)) {
    lb_lack(s->r);
  }
}

#define OWNER(word, array, type)                                                                   \
  { word, offsetof(lb_scene, array), offsetof(lb_scene, n##array), sizeof(type) }
static const struct {
  const char* word;
  size_t array, count, size; // in lb_scene; parts begin with their name
} owners[LB_OWNER_TEXT] = {
    [LB_OWNER_BODY] = OWNER("body", body, lb_scene_body),
    [LB_OWNER_JOINT] = OWNER("joint", joint, lb_scene_joint),
    [LB_OWNER_FORCE] = OWNER("force", force, lb_scene_force),
    [LB_OWNER_MOTOR] = OWNER("motor", motor, lb_scene_motor),
    [LB_OWNER_ROPE] = OWNER("rope", rope, lb_scene_rope),
    [LB_OWNER_MATERIAL] = OWNER("material", material, lb_scene_material),
    [LB_OWNER_MUSCLE] = OWNER("muscle", muscle, lb_scene_muscle),
};

int lb_count_owners(const lb_scene* scene, lb_owner owner) {
  const bool part = (unsigned)owner < LB_OWNER_TEXT;
  return part ? *(const int*)((const char*)scene + owners[owner].count) : owner == LB_OWNER_TEXT;
}

static const char* owner_name(const lb_scene* scene, lb_owner owner, int i) {
  const char* array = *(char* const*)((const char*)scene + owners[owner].array);
  return *(const char* const*)(array + (size_t)i * owners[owner].size);
}

// All of a kind that suit: free bodies, and forces that have the number.
static void offer_all(search* s, lb_owner owner, bool free) {
  const lb_scene* scene = &s->r->scene;
  for (int i = 0; i < lb_count_owners(scene, owner); i++) {
    const bool fits = owner == LB_OWNER_FORCE
                          ? LB_FORCE_FORMAT[scene->force[i].kind]->number[s->number]
                          : owner != LB_OWNER_BODY || !free || s->r->carrier[i] < 0;
    if (fits) {
      offer(s, owner, i, owner_name(scene, owner, i));
    }
  }
}

static const char* word_of(const lb_reader* r, lb_owned p) {
  return p.owner == LB_OWNER_FORCE ? lb_force_kind_name(r->scene.force[p.index].kind)
                                   : owners[p.owner].word;
}

bool lb_find_owner(lb_reader* r, const lb_owner_sort* sort, const lb_yaml* name, lb_owned* out) {
  const lb_owned none = {LB_OWNER_BODY, -1};
  search s = {.r = r, .wanted = name->text, .number = sort->number, .found = none, .as_well = none};
  for (int i = 0; i < sort->count; i++) {
    offer_all(&s, sort->owner[i], sort->free);
  }
  *out = s.found;
  if (s.as_well.index >= 0) {
    return lb_complain(r, name->place, "'%s' could be the %s or the %s of that name (rename one)",
                       name->text, word_of(r, s.found), word_of(r, s.as_well));
  }
  return s.found.index >= 0 || lb_unknown_name(r, name, sort->words, &s.all);
}

// --- kinds ---

#define JOINTS LB_OWNER_JOINT
#define STARTS {LB_OWNER_JOINT, LB_OWNER_BODY}, 2, true, 0, "joint or free body"
#define FREE {LB_OWNER_BODY}, 1, true, 0, "free body"
#define BODIES {LB_OWNER_BODY}, 1, false, 0, "body"
#define RESISTING(number)                                                                          \
  {LB_OWNER_FORCE, LB_OWNER_ROPE, LB_OWNER_JOINT}, 3, false, number, "force, rope or joint"
#define BY(member) offsetof(lb_joint_measure, member)
enum { FIXED = -1 }; // what it measures does not go by coordinates

static const struct kind {
  lb_owner_sort of;
  int by;                 // what it measures: a member of lb_joint_measure
  lb_dimension dimension; // where it does not go by coordinates
  bool starts;            // it is how something starts
  bool positive;          // more than 0
  bool resists;           // 0 or more, and of one part of a composite joint
  int beside;             // of turning: the kind that is the same for all other joints
  size_t curve;           // of joints: the force curve whose table takes its place
  bool many;              // of joints: there is one for each coordinate
  const char* rigid;      // of bodies: what only rigid ones can change, in words
  bool directed;          // it is along a direction
  lb_number_finder* find; // of the scene's text: what it is
} kinds[LB_PARAMETER_COUNT] = {
    [LB_PARAMETER_POSITION] = {{STARTS}, BY(place), .starts = true, .many = true},
    [LB_PARAMETER_ROTATION] = {{FREE}, FIXED, .dimension = LB_ANGLE},
    [LB_PARAMETER_VELOCITY] = {{STARTS}, BY(rate), .starts = true, .many = true},
    [LB_PARAMETER_SPIN] = {{FREE}, FIXED, .dimension = LB_TURN_RATE},
    [LB_PARAMETER_MOTOR] = {{{LB_OWNER_MOTOR}, 1, false, 0, "motor"}, .by = BY(place)},
    [LB_PARAMETER_PHASE] = {{{LB_OWNER_MOTOR}, 1, false, 0, "motor"}, FIXED, .dimension = LB_PURE},
    [LB_PARAMETER_EXCITATION] = {{{LB_OWNER_MUSCLE}, 1, false, 0, "muscle"},
                                 FIXED,
                                 .dimension = LB_PURE},
    [LB_PARAMETER_MASS] = {{BODIES}, FIXED, LB_MASS, .positive = true, .rigid = "masses"},
    [LB_PARAMETER_LENGTH] =
        {{BODIES}, FIXED, LB_PURE, .positive = true, .rigid = "lengths", .directed = true},
    [LB_PARAMETER_STIFFNESS] = {{RESISTING(0)},
                                BY(stiffness),
                                .resists = true,
                                .curve = offsetof(lb_scene_joint, resistance.force_curve)},
    [LB_PARAMETER_DAMPING] = {{RESISTING(1)}, BY(damping), .resists = true},
    [LB_PARAMETER_TURN_STIFFNESS] = {{{JOINTS}, 1, false, 0, "joint"},
                                     FIXED,
                                     LB_TURN_STIFFNESS,
                                     .resists = true,
                                     .beside = LB_PARAMETER_STIFFNESS,
                                     .curve = offsetof(lb_scene_joint, turn.force_curve)},
    [LB_PARAMETER_TURN_DAMPING] = {{{JOINTS}, 1, false, 0, "joint"},
                                   FIXED,
                                   LB_TURN_DAMPING,
                                   .resists = true,
                                   .beside = LB_PARAMETER_DAMPING},
    [LB_PARAMETER_REST] = {{RESISTING(2)}, .by = BY(place), .many = true},
    [LB_PARAMETER_YOUNG] = {{{LB_OWNER_MATERIAL}, 1, false, 0, "material"},
                            FIXED,
                            LB_PRESSURE,
                            .positive = true},
    [LB_PARAMETER_BAR] = {.by = FIXED, .positive = true, .find = lb_find_bar},
    [LB_PARAMETER_NUMBER] = {.by = FIXED, .find = lb_find_number},
};

// --- keys ---

#define OF(code, word, about) [code] = LB_LATER(TEXT, word, NULL, NULL, about)
#define BOUND(word, about) LB_LATER(BOUND, word, NULL, "any", about)
static const lb_field parameter_fields[] = {
    OF(LB_PARAMETER_POSITION, "position",
       "a joint whose coordinates at the start may change, or a free body whose place may"),
    OF(LB_PARAMETER_ROTATION, "rotation",
       "a free body that may be turned at the start: a rotation vector along its axes, from how "
       "the scene has it"),
    OF(LB_PARAMETER_VELOCITY, "velocity",
       "a joint or free body whose velocity at the start may change"),
    OF(LB_PARAMETER_SPIN, "spin", "a free body whose turning at the start may change"),
    OF(LB_PARAMETER_MOTOR, "motor",
       "a motor whose curve may change: the values of its keys or "
       "points"),
    OF(LB_PARAMETER_PHASE, "phase",
       "a motor whose curve repeats and may be ahead by another part of a cycle"),
    OF(LB_PARAMETER_EXCITATION, "excitation",
       "a muscle whose excitation may change: the values of its keys or points"),
    OF(LB_PARAMETER_MASS, "mass", "a rigid body that may be heavier or lighter, inertia alike"),
    OF(LB_PARAMETER_LENGTH, "length",
       "a rigid body that may be longer or shorter, from where its joint holds it; a factor"),
    OF(LB_PARAMETER_STIFFNESS, "stiffness",
       "a spring, cable, rope, ground or joint that may be stiffer"),
    OF(LB_PARAMETER_DAMPING, "damping", "a spring, cable, rope or joint that may be damped more"),
    OF(LB_PARAMETER_TURN_STIFFNESS, "turn_stiffness",
       "a joint that slides and turns and may be stiffer against turning"),
    OF(LB_PARAMETER_TURN_DAMPING, "turn_damping",
       "a joint that slides and turns and whose turning may be damped more"),
    OF(LB_PARAMETER_REST, "rest",
       "a spring or cable whose rest length may change, a rope whose slack may, or a joint "
       "whose spring may pull elsewhere"),
    OF(LB_PARAMETER_YOUNG, "young",
       "a material of elastic bodies or deformables whose modulus may change"),
    OF(LB_PARAMETER_BAR, "bar",
       "a linkage's bar whose length may change, or a side of a plate by its points, as P-Q"),
    OF(LB_PARAMETER_NUMBER, "number",
       "any number that stands in the scene, by its path as for --set: joints.hip.at.0"),
    LB_SIZED(COUNT, lb_scene_parameter, "knots", knots, LB_PURE, LB_POSITIVE_OR_UNSET,
             "its own keys or points",
             "of a motor or excitation: how many values, evenly spaced over the motion with "
             "straight lines between them"),
    LB_ROW(AXIS, lb_scene_parameter, "along", along, "x",
           "of a length: where the body is stretched to, in its axes"),
    LB_SIZED(COUNT, lb_scene_parameter, "part", part, LB_PURE, LB_POSITIVE_OR_UNSET, "all of them",
             "of a composite joint: which of its parts, the first is 1"),
    BOUND("at_least", "none of its numbers goes below it"),
    BOUND("at_most", "none of its numbers goes above it"),
};

const char* lb_parameter_kind_name(lb_parameter_kind kind) {
  return (unsigned)kind < LB_PARAMETER_COUNT ? parameter_fields[kind].key : "unknown";
}

const lb_scene_joint* lb_parameter_joint(const lb_scene* scene, const lb_scene_parameter* p,
                                         int* first) {
  const lb_scene_joint* j = &scene->joint[p->index];
  *first = 0;
  for (int i = 0; i < p->part - 1; i++) {
    *first += lb_joint_count_v(&j->part[i]);
  }
  return p->part > 0 ? &j->part[p->part - 1] : j;
}

bool lb_joint_mixes(const lb_scene_joint* j) {
  for (int k = 1; k < lb_joint_count_v(j); k++) {
    if (lb_joint_counts(j, k) != lb_joint_counts(j, 0)) {
      return true;
    }
  }
  return false;
}

// What the bounds of a parameter measure: what its first number does, or for stiffness and damping
// of a joint that slides and turns its distances. Free bodies measure lengths.
static lb_dimension measure(const lb_scene* s, const lb_scene_parameter* p) {
  static const lb_dimension ROPE[] = {LB_FORCE, LB_TIME, LB_PURE};
  const struct kind* kind = &kinds[p->kind];
  const lb_scene_motor* m = p->owner == LB_OWNER_MOTOR ? &s->motor[p->index] : NULL;
  int first = 0;
  const lb_scene_joint* j = m                            ? &s->joint[m->joint]
                            : p->owner == LB_OWNER_JOINT ? lb_parameter_joint(s, p, &first)
                                                         : NULL;
  if (p->owner == LB_OWNER_FORCE) {
    return lb_force_dimension(s->force[p->index].kind, kind->of.number);
  }
  if (p->owner == LB_OWNER_ROPE) {
    return ROPE[kind->of.number];
  }
  if (kind->by == FIXED) {
    return kind->dimension;
  }
  const bool lengths = !j || lb_joint_count_v(j) == 0 || (kind->resists && lb_joint_mixes(j));
  const lb_joint_measure* by =
      &lb_coordinate_measures[lengths ? LB_COORDINATE_LENGTH
                                      : lb_joint_counts(j, m ? m->coordinate : 0)];
  const int member = m && m->drive == LB_DRIVE_FORCE ? (int)BY(force) : kind->by;
  return *(const lb_dimension*)((const char*)by + member);
}

// --- reading ---

static const lb_key_rule parameter_rules[] = {
    {"knots", 1u << LB_PARAMETER_MOTOR | 1u << LB_PARAMETER_EXCITATION,
     "'knots' are for 'motor' and 'excitation' (take this away)"},
    {"along", 1u << LB_PARAMETER_LENGTH, "'along' is for 'length' (take this away)"},
};

static bool part_exists(lb_reader* r, const lb_yaml* part, const lb_scene_parameter* p) {
  const lb_scene_joint* j = p->owner == LB_OWNER_JOINT ? &r->scene.joint[p->index] : NULL;
  if (!part || (j && r->broken[LB_SCENE_JOINTS][p->index])) { // who knows which parts it has
    return true;
  }
  if (!j || lb_joint_count_parts(j) == 0) {
    return lb_complain(r, part->place, "'part' is for composite joints (take this away)");
  }
  return p->part <= j->npart ||
         lb_complain(r, part->place, "'part' must be from 1 to %d, the parts of joint '%s'",
                     j->npart, j->name);
}

static bool read_bounds(lb_reader* r, const lb_yaml* node, lb_dimension dimension,
                        lb_scene_parameter* to) {
  const lb_yaml *least = lb_yaml_find(node, "at_least"), *most = lb_yaml_find(node, "at_most");
  bool ok = true;
  ok &= !least || lb_read_number(r, least, "at_least", dimension, LB_ANY, &to->least);
  ok &= !most || lb_read_number(r, most, "at_most", dimension, LB_ANY, &to->most);
  return ok && (to->least <= to->most ||
                lb_complain(r, most->place,
                            "'at_most' must not be less than 'at_least', which is %g", to->least));
}

// What the parameter is of; its dimension where the scene's text has it.
static bool find_subject(lb_reader* r, const lb_yaml* name, lb_scene_parameter* to,
                         lb_dimension* dimension) {
  lb_owned of = {LB_OWNER_TEXT, 0};
  const struct kind* kind = &kinds[to->kind];
  if (!(kind->find ? kind->find(r, name, to, dimension) : lb_find_owner(r, &kind->of, name, &of))) {
    return false;
  }
  to->place = name->place;
  to->owner = of.owner;
  to->index = of.index;
  return true;
}

// Coordinates of several kinds have no one unit.
static const char* unit_of(const lb_scene* s, const lb_scene_parameter* p, lb_dimension dimension) {
  int first = 0;
  const bool mixed = p->owner == LB_OWNER_JOINT && kinds[p->kind].many &&
                     lb_joint_mixes(lb_parameter_joint(s, p, &first));
  return mixed ? "" : lb_si_unit(dimension);
}

static bool finish_parameter(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_parameter* to = part;
  lb_dimension dimension = LB_PURE;
  if (!ok || !find_subject(r, lb_yaml_find(node, parameter_fields[to->kind].key), to, &dimension)) {
    return false;
  }
  ok = lb_keys_hold(r, node, parameter_rules, LB_COUNT_OF(parameter_rules), (int)to->kind);
  ok &= part_exists(r, lb_yaml_find(node, "part"), to);
  if (!ok) { // a part that is none has no bounds
    to->part = 0;
  }
  const bool known = to->owner != LB_OWNER_JOINT || to->part <= r->scene.joint[to->index].npart;
  to->least = -(double)INFINITY;
  to->most = (double)INFINITY;
  if (!known) {
    return false; // reported
  }
  dimension = kinds[to->kind].find ? dimension : measure(&r->scene, to);
  to->unit = unit_of(&r->scene, to, dimension);
  return read_bounds(r, node, dimension, to) && ok;
}

// --- checking ---

bool lb_joint_has_numbers(const lb_scene_joint* j) {
  return lb_joint_count_q(j) == lb_joint_count_v(j) && lb_joint_count_q(j) > 0;
}

// Stiffness and damping are those of one part.
static bool check_part(lb_checker* c, const lb_scene_parameter* p) {
  const lb_scene_joint* j = &c->s->joint[p->index];
  int first = 0;
  if (p->part < 0 || p->part > j->npart) {
    lb_say(c, ": joint '%s' has no part %d", j->name, p->part);
    return false;
  }
  const lb_scene_joint* of = lb_parameter_joint(c->s, p, &first);
  if (p->part > 0 && lb_joint_count_v(of) == 0) {
    lb_say(c, ": part %d of joint '%s' is fixed and has no %s", p->part, j->name,
           lb_parameter_kind_name(p->kind));
    return false;
  }
  if (kinds[p->kind].resists && lb_joint_count_parts(of) > 0) {
    lb_say(c,
           p->part > 0 ? ": a part of joint '%s' is composite itself, and its parts have %s of "
                         "their own (write them in its place)"
                       : ": joint '%s' is composite, and its parts have %s of their own (say "
                         "which, as part: 1)",
           j->name, lb_parameter_kind_name(p->kind));
    return false;
  }
  return true;
}

static void say_table(lb_checker* c, const char* name) {
  lb_say(c, ": a table takes the place of the stiffness of '%s'", name);
}

// Do motors say how all that it is of starts? A rotation is prescribed as a whole.
static bool is_prescribed(const lb_scene* s, const lb_scene_parameter* p) {
  int first = 0;
  const lb_scene_joint* of = lb_parameter_joint(s, p, &first);
  if (!lb_joint_has_numbers(of)) {
    return lb_joint_is_driven(s, p->index, -1);
  }
  bool all = true;
  for (int k = first; k < first + lb_joint_count_v(of); k++) {
    all = all && lb_joint_is_driven(s, p->index, k);
  }
  return all;
}

static void check_joint(lb_checker* c, const lb_scene_parameter* p) {
  int first = 0;
  const bool start = kinds[p->kind].starts;
  if ((c->joint_broken && c->joint_broken[p->index]) || !check_part(c, p)) {
    return;
  }
  const lb_scene_joint *j = &c->s->joint[p->index], *of = lb_parameter_joint(c->s, p, &first);
  if (lb_joint_count_v(j) == 0) {
    lb_say(c, ": joint '%s' is fixed and has no %s", j->name, lb_parameter_kind_name(p->kind));
  } else if (start && is_prescribed(c->s, p)) {
    lb_say(c, ": a motor says where joint '%s' starts (name the motor)", j->name);
  } else if (kinds[p->kind].beside && !lb_joint_slides_and_turns(of)) {
    lb_say(c, ": joint '%s' does not slide and turn both, and has no %s (give '%s')", j->name,
           lb_parameter_kind_name(p->kind),
           lb_parameter_kind_name((lb_parameter_kind)kinds[p->kind].beside));
  } else if (kinds[p->kind].curve &&
             ((const lb_force_curve*)((const char*)of + kinds[p->kind].curve))->count > 0) {
    say_table(c, j->name);
  }
  if (kinds[p->kind].many && lb_joint_mixes(of) && (isfinite(p->least) || isfinite(p->most))) {
    lb_say(c,
           ": joint '%s' has coordinates of several kinds, such as distances and angles, and one "
           "bound cannot be for all (take 'at_least' and 'at_most' away%s)",
           j->name, lb_joint_count_parts(of) > 0 ? ", or name one 'part'" : "");
  }
}

static void check_force(lb_checker* c, const lb_scene_parameter* p) {
  const lb_scene_force* force = &c->s->force[p->index];
  const lb_force_format* format = LB_FORCE_FORMAT[force->kind];
  const int number = kinds[p->kind].of.count == 3 ? kinds[p->kind].of.number : -1;
  if (number < 0 || !format->number[number]) {
    lb_say(c, ": %s '%s' has no %s", format->table->name, force->name,
           lb_parameter_kind_name(p->kind));
  } else if (number == 0 && force->force_curve.count > 0) {
    say_table(c, force->name);
  } else if (number == 0 && format->positive && !(p->most > 0)) {
    lb_say(c, ": 'at_most' must be above 0");
  }
}

// Does a curve that repeats come back elsewhere than where it began, or will with other values? A
// cubic one would be another curve then.
static bool jumps_back(const lb_profile_definition* d, bool prescribes) {
  const int last = d->count - 1;
  if (lb_is_spline(d)) {
    return prescribes && !d->cyclic;
  }
  const bool round = d->time[last] < d->time[0] + d->period || lb_profile_comes_round(d);
  return !round && (prescribes || d->kind == LB_PROFILE_CUBIC);
}

// A phase is of a curve that repeats, and of one whose values stay.
static void check_phase(lb_checker* c, const lb_scene_parameter* p) {
  const char* name = c->s->motor[p->index].name;
  if (!(c->s->motor[p->index].profile.period > 0)) {
    lb_say(c, ": the curve of motor '%s' does not repeat, and has no phase (give it 'repeat')",
           name);
  }
  for (int i = 0; i < c->s->optimize.nparameter; i++) {
    const lb_scene_parameter* other = &c->s->optimize.parameter[i];
    if (other->kind == LB_PARAMETER_MOTOR && other->index == p->index) {
      lb_say(c, ": the values of motor '%s' may change already (keep one of both)", name);
      return;
    }
  }
}

static void check_motor(lb_checker* c, const lb_scene_parameter* p) {
  const lb_profile_definition* d = &c->s->motor[p->index].profile;
  const bool prescribes = c->s->motor[p->index].drive == LB_DRIVE_POSITION;
  if (c->s->motor[p->index].rotation) {
    lb_say(
        c, ": motor '%s' prescribes a rotation, whose values are no numbers to be found (take %s)",
        c->s->motor[p->index].name, lb_joint_by_numbers(&c->s->joint[c->s->motor[p->index].joint]));
    return;
  }
  if (p->kind == LB_PARAMETER_PHASE) {
    check_phase(c, p);
    return;
  }
  if (p->knots == 0 && d->period > 0 && jumps_back(d, prescribes)) {
    lb_say(c,
           ": the curve of motor '%s' repeats and would jump where it begins again (give it keys, "
           "the last before the end of the period or like the first)",
           c->s->motor[p->index].name);
  }
  if (p->knots == 0 && lb_is_spline(d) && prescribes && !(d->period > 0) &&
      (d->time[0] > 0 || d->time[1] < c->s->duration * (1 - 1e-9))) {
    lb_say(c,
           ": the spline of motor '%s' does not last from the start to the end of the motion, and "
           "would jump where it ends (let it go from 0 to %g s)",
           c->s->motor[p->index].name, c->s->duration);
  }
  if (p->knots > 0 && prescribes) {
    lb_say(c,
           ": straight lines between knots would jump in speed, and motor '%s' drives a position "
           "(take 'knots' away and give the motor a spline)",
           c->s->motor[p->index].name);
  }
}

static void check_excitation(lb_checker* c, const lb_scene_parameter* p) {
  const lb_scene_muscle* m = &c->s->muscle[p->index];
  if (m->excitation.joint >= 0) {
    lb_say(c, ": muscle '%s' is excited by feedback, and has no values to be found", m->name);
  } else if (p->knots == 0 && m->excitation.profile.count == 0) {
    lb_say(c, ": muscle '%s' has no excitation over time (give this 'knots')", m->name);
  } else if (p->knots == 0 && m->excitation.profile.period > 0 &&
             jumps_back(&m->excitation.profile, false)) {
    lb_say(c, ": the excitation of muscle '%s' repeats and would be another curve (give it keys)",
           m->name);
  }
}

static void check_body(lb_checker* c, const lb_scene_parameter* p) {
  const lb_scene_body* b = &c->s->body[p->index];
  if (kinds[p->kind].rigid && (b->elastic || b->reduced)) {
    lb_say(c, ": body '%s' is elastic, and only rigid bodies' %s can change", b->name,
           kinds[p->kind].rigid);
  }
  if (kinds[p->kind].directed && !(fabs(lb_vec3_norm(p->along) - 1) < 1e-9)) {
    lb_say(c, ": its direction must have length one");
  }
}

static bool is_made_of(const lb_scene_elastic* e, int material) {
  bool any = e->nregion == 0 && e->material == material;
  for (int i = 0; i < e->nregion; i++) {
    any |= e->region_material[i] == material;
  }
  return any;
}

static void check_material(lb_checker* c, const lb_scene_parameter* p) {
  bool any = false;
  for (int i = 0; i < c->s->ndeformable; i++) {
    any |= is_made_of(c->s->deformable[i].form, p->index);
  }
  for (int i = 0; i < c->s->nbody; i++) {
    const lb_scene_body* b = &c->s->body[i];
    any |= b->elastic && is_made_of(b->elastic, p->index);
  }
  if (!any) {
    lb_say(c, ": no elastic body and no deformable is made of material '%s'",
           c->s->material[p->index].name);
  }
}

static void check_rope(lb_checker* c, const lb_scene_parameter* p) {
  if (kinds[p->kind].of.number == 2 && !(p->most > 0)) { // a length
    lb_say(c, ": 'at_most' must be above 0");
  }
}

static void check_text(lb_checker* c, const lb_scene_parameter* p) {
  if (!p->path || !c->s->origin) {
    lb_say(c, ": the scene has no text that it could stand in (read it from a file)");
  }
}

static void check_parameter(lb_checker* c, const void* part) {
  static void (*const of[])(lb_checker*, const lb_scene_parameter*) = {
      [LB_OWNER_BODY] = check_body,   [LB_OWNER_JOINT] = check_joint,
      [LB_OWNER_FORCE] = check_force, [LB_OWNER_MOTOR] = check_motor,
      [LB_OWNER_ROPE] = check_rope,   [LB_OWNER_MATERIAL] = check_material,
      [LB_OWNER_TEXT] = check_text,   [LB_OWNER_MUSCLE] = check_excitation};
  const lb_scene_parameter* p = part;
  const bool positive = kinds[p->kind].positive, lasting = kinds[p->kind].resists;
  if (p->index < 0 || p->index >= lb_count_owners(c->s, p->owner)) {
    lb_say(c, " is of something that does not exist");
    return;
  }
  if (!(p->least <= p->most)) {
    lb_say(c, ": its bounds must be in order");
  }
  if (p->knots < 0 || p->knots == 1) {
    lb_say(c,
           ": 'knots' must be 2 or more, not %d (for a constant leave it out and give the motor "
           "one key)",
           p->knots);
  }
  if (isfinite(p->least) && p->least < 0 && (positive || lasting)) {
    lb_say(c, ": 'at_least' must not be below 0");
  }
  if ((positive && p->most <= 0) || (lasting && p->most < 0)) {
    lb_say(c, ": 'at_most' must %s 0", positive ? "be above" : "not be below");
  }
  of[p->owner](c, p);
}

const lb_table lb_parameter_table =
    LB_TABLE("parameter", lb_scene_parameter, parameter_fields, .nchoose = LB_PARAMETER_COUNT,
             .choose = "what may change", .chosen = offsetof(lb_scene_parameter, kind),
             .finish = finish_parameter, .check = check_parameter);
