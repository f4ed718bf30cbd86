// Collocation: a motion that is found with its controls.
#include <math.h>
#include <string.h>

#include "scene/part/part_optimize.h"

// --- controls ---

// In the units of a motor on a hinge, of a motor on a slide, and of a muscle.
#define CONTROL_ROWS(dimension)                                                                    \
  LB_SIZED(NUMBER, lb_scene_control, "at_least", least, dimension, LB_ANY_OR_UNSET,                \
           "any; of a muscle its least", "the least it may exert, or be excited"),                 \
      LB_SIZED(NUMBER, lb_scene_control, "at_most", most, dimension, LB_ANY_OR_UNSET,              \
               "any; of a muscle 1", "the most"),                                                  \
      LB_SIZED(NUMBER, lb_scene_control, "weight", weight, LB_PURE, LB_NOT_NEGATIVE, "1",          \
               "of its effort, times that of its kind")

static void init_control(void* part) {
  *(lb_scene_control*)part =
      (lb_scene_control){.least = -(double)INFINITY, .most = (double)INFINITY};
}

static const lb_field torque_fields[] = {CONTROL_ROWS(LB_TORQUE)};
static const lb_field force_fields[] = {CONTROL_ROWS(LB_FORCE)};
static const lb_field muscle_fields[] = {CONTROL_ROWS(LB_PURE)};
const lb_table lb_motor_control_table =
    LB_TABLE("control", lb_scene_control, torque_fields, .init = init_control);
const lb_table lb_slide_control_table =
    LB_TABLE("control of a sliding motor", lb_scene_control, force_fields, .init = init_control);
const lb_table lb_muscle_control_table =
    LB_TABLE("control of a muscle", lb_scene_control, muscle_fields, .init = init_control);

static bool slides(const lb_scene* s, int motor) {
  const lb_scene_motor* m = &s->motor[motor];
  return lb_joint_counts(&s->joint[m->joint], m->coordinate) == LB_COORDINATE_LENGTH;
}

static bool read_control(lb_reader* r, const lb_yaml* name, const lb_yaml* value,
                         lb_scene_control* to) {
  const lb_scene* s = &r->scene;
  int motor = -1, muscle = -1;
  r->subject = "collocate";
  for (int i = 0; i < s->nmotor; i++) {
    motor = strcmp(s->motor[i].name, name->text) == 0 ? i : motor;
  }
  for (int i = 0; i < s->nmuscle; i++) {
    muscle = strcmp(s->muscle[i].name, name->text) == 0 ? i : muscle;
  }
  if (motor < 0 && muscle < 0) {
    return lb_unknown_name(r, name, "motor or muscle",
                           &r->section[s->nmotor > 0 ? LB_SCENE_MOTORS : LB_SCENE_MUSCLES].names);
  }
  const lb_table* table = motor < 0          ? &lb_muscle_control_table
                          : slides(s, motor) ? &lb_slide_control_table
                                             : &lb_motor_control_table;
  lb_table_default(table, to);
  to->owner = motor >= 0 ? LB_OWNER_MOTOR : LB_OWNER_MUSCLE;
  to->index = motor >= 0 ? motor : muscle;
  to->name = motor >= 0 ? s->motor[motor].name : s->muscle[muscle].name;
  to->place = name->place;
  r->subject = lb_compose(r, "collocate, control '%.64s'", name->text);
  if (!lb_read_table(r, value, table, to)) {
    return false;
  }
  return to->least < to->most ||
         lb_complain(r, name->place,
                     "'at_least' must be less than 'at_most', and %g is not below %g", to->least,
                     to->most);
}

// --- the whole ---

#define EFFORT(key, member, standard, about)                                                       \
  LB_SIZED(NUMBER, lb_scene_effort, key, member, LB_PURE, LB_NOT_NEGATIVE, standard, about)
static const lb_field effort_fields[] = {
    EFFORT("motors", motors, "1", "of forces and torques, in N and N m"),
    EFFORT("muscles", muscles, "1", "of activations, or of excitations where these act at once"),
    EFFORT("reserves", reserves, "1", "of reserves, in N and N m: their price"),
    LB_SIZED(NUMBER, lb_scene_effort, "smooth", smooth, LB_TIME, LB_NOT_NEGATIVE, "0",
             "a time: squared rates count, too, times its square"),
    LB_ROW(FLAG, lb_scene_effort, "mean", mean, "false",
           "means over the motion in place of integrals: for gaits with a free 'time'"),
};
static const lb_table effort_table = LB_TABLE("effort", lb_scene_effort, effort_fields);

#define FOLLOW(key, member, standard, about)                                                       \
  LB_SIZED(NUMBER, lb_scene_following, key, member, LB_PURE, LB_NOT_NEGATIVE, standard, about)
static const lb_field follow_fields[] = {
    FOLLOW("position", position, "1e6", "of coordinates, in m and rad"),
    FOLLOW("velocity", velocity, "1e4", "of their rates"),
    FOLLOW("markers", markers, "1e6", "of distances of markers, in m, beside their own weights"),
};
static const lb_table follow_table = LB_TABLE("follow", lb_scene_following, follow_fields);

static const char* const scheme_names[] = {
#define SCHEME_NAME(code, name) name,
    LB_SCHEME_LIST(SCHEME_NAME)
#undef SCHEME_NAME
};
static const lb_choices scheme_choices = LB_CHOICES(scheme_names);

static const char* const muscle_names[] = {"active", "idle"};
static const lb_choices muscle_choices = LB_CHOICES(muscle_names);

#define COLLOCATE(value, key, member, dimension, range, standard, about)                           \
  LB_SIZED(value, lb_scene_collocate, key, member, dimension, range, standard, about)
enum { CONTROLS, GOALS, MUST, TRAVELS, MIRROR, REVERSED };
static const lb_field collocate_fields[] = {
    [CONTROLS] = LB_LATER(SECTION, "controls", &lb_motor_control_table,
                          "all motors and muscles, without further limits",
                          "limits and weights of motors and muscles, by their names"),
    [GOALS] = LB_LATER(SECTION, "goals", &lb_goal_table, "none",
                       "what the motion is good for, by names of your own, as of 'optimize'"),
    [MUST] = LB_LATER(SECTION, "must", &lb_goal_table, "none",
                      "goals that hold exactly, by names of your own; they have no weight"),
    [TRAVELS] =
        LB_LATER(TEXT, "travels", NULL, "none",
                 "a joint or coordinate that ends elsewhere in a periodic motion; it begins "
                 "where 'initial' says"),
    [MIRROR] = LB_LATER(NAMES, "mirror", NULL, "none",
                        "two endings of names, such as [_l, _r]: the motion is half a cycle, and "
                        "ends as it begins with left and right exchanged"),
    [REVERSED] = LB_LATER(NAMES, "reversed", NULL, "none",
                          "coordinates that change their sign in the mirror"),
    LB_FROM(CHOICE, lb_scene_collocate, "scheme", scheme, &scheme_choices, "hermite-simpson",
            "between mesh points; of order 4, or 2"),
    COLLOCATE(COUNT, "intervals", intervals, LB_PURE, LB_POSITIVE, "50", "of the mesh"),
    COLLOCATE(PAIR, "time", time, LB_TIME, LB_POSITIVE_OR_UNSET, "the scene's duration",
              "[least, most] that the motion may take"),
    COLLOCATE(NUMBER, "time_weight", time_weight, LB_PURE, LB_NOT_NEGATIVE, "0",
              "of the time it takes, in seconds"),
    LB_FROM(TABLE, lb_scene_collocate, "effort", effort, &effort_table, "1 of each",
            "weights of integrals of squared controls"),
    COLLOCATE(
        NUMBER, "reserves", reserve, LB_PURE, LB_NOT_NEGATIVE, "0",
        "the most that a reserve on each coordinate may exert, in N m or N; 0: there are none"),
    LB_FROM(TABLE, lb_scene_collocate, "follow", follow, &follow_table, "as below",
            "weights of integrals of squared distances from a motion that is given"),
    LB_FROM(EITHER, lb_scene_collocate, "muscles", idle, &muscle_choices, "active",
            "active, or idle: they exert nothing"),
    LB_ROW(FLAG, lb_scene_collocate, "instant", instant, "false",
           "activations follow excitations at once"),
    LB_ROW(FLAG, lb_scene_collocate, "free_start", free_start,
           "false; true where a motion is given",
           "the motion may begin elsewhere than 'initial' says"),
    LB_ROW(FLAG, lb_scene_collocate, "periodic", periodic, "false",
           "it ends as it begins, but for the joint of 'travels'"),
    COLLOCATE(NUMBER, "tolerance", tolerance, LB_PURE, LB_POSITIVE, "1e-6",
              "of all equations and of the slope, scaled"),
    COLLOCATE(COUNT, "iterations", iterations, LB_PURE, LB_POSITIVE, "500", "the most to take"),
};

static void init_collocate(void* part) {
  *(lb_scene_collocate*)part = (lb_scene_collocate){.time = {(double)NAN, (double)NAN}};
}

const lb_table lb_collocate_table =
    LB_TABLE("collocate", lb_scene_collocate, collocate_fields, .init = init_collocate);

static const lb_scene_section own[] = {
    {"goal", &lb_goal_table, offsetof(lb_scene, collocate.goal),
     offsetof(lb_scene, collocate.ngoal), 0, 0, false},
    {"goal", &lb_goal_table, offsetof(lb_scene, collocate.must),
     offsetof(lb_scene, collocate.nmust), 0, 0, false},
};

static void read_controls(lb_reader* r) {
  lb_scene_collocate* to = &r->scene.collocate;
  const lb_yaml* list = lb_given_map(r, LB_SCENE_COLLOCATE, "controls");
  to->control = LB_TAKE(r->keep, lb_scene_control, list ? list->count : 0);
  if (!to->control) {
    lb_lack(r);
    return;
  }
  for (int i = 0; list && i < list->count && !r->no_memory; i++) {
    to->ncontrol += read_control(r, list->key[i], list->item[i], &to->control[to->ncontrol]);
  }
}

// --- cycles ---

static lb_scene_name name_of(lb_reader* r, const lb_yaml* node) {
  const lb_scene_name name = {lb_arena_text(r->keep, node->text, strlen(node->text)), node->place};
  if (!name.name) {
    lb_lack(r);
  }
  return name;
}

static bool is_name(lb_reader* r, const lb_yaml* node, const char* key) {
  return (lb_is_scalar(node) && *node->text) ||
         lb_complain(r, node->place, "'%s' must have names", key);
}

static void read_mirror(lb_reader* r, const lb_yaml* list) {
  lb_scene_collocate* to = &r->scene.collocate;
  if (!lb_is_list(list) || list->count != 2) {
    lb_complain(r, list->place, "'mirror' must be two endings of names, such as [_l, _r]");
    return;
  }
  for (int i = 0; i < 2 && is_name(r, list->item[i], "mirror"); i++) {
    to->mirror[i] = name_of(r, list->item[i]).name;
  }
  if (to->mirror[0] && to->mirror[1] && strcmp(to->mirror[0], to->mirror[1]) == 0) {
    lb_complain(r, list->item[1]->place, "'mirror' must be two endings that differ");
  }
  to->periodic = true;
}

static void read_reversed(lb_reader* r, const lb_yaml* list) {
  lb_scene_collocate* to = &r->scene.collocate;
  to->reversed = LB_TAKE(r->keep, lb_scene_name, lb_is_list(list) ? list->count : 0);
  if (!to->reversed) {
    lb_lack(r);
    return;
  }
  for (int i = 0; lb_is_list(list) && i < list->count; i++) {
    if (is_name(r, list->item[i], "reversed")) {
      to->reversed[to->nreversed++] = name_of(r, list->item[i]);
    }
  }
  if (!to->mirror[0]) {
    lb_complain(r, list->place, "'reversed' goes with 'mirror'");
  }
}

static void read_cycle(lb_reader* r) {
  const lb_yaml *travels = lb_given(r, LB_SCENE_COLLOCATE, "travels"),
                *mirror = lb_given(r, LB_SCENE_COLLOCATE, "mirror"),
                *reversed = lb_given(r, LB_SCENE_COLLOCATE, "reversed");
  r->subject = "collocate";
  if (travels && is_name(r, travels, "travels")) {
    r->scene.collocate.travels = name_of(r, travels);
  }
  if (mirror) {
    read_mirror(r, mirror);
  }
  if (reversed) {
    read_reversed(r, reversed);
  }
  if (travels && !r->scene.collocate.periodic) {
    lb_complain(r, travels->place, "'travels' goes with 'periodic' or 'mirror'");
  }
}

void lb_read_collocate(lb_reader* r) {
  const lb_yaml* whole = r->given[LB_SCENE_COLLOCATE];
  if (!whole) {
    return;
  }
  r->scene.collocate.place = whole->place;
  read_controls(r);
  read_cycle(r);
  for (int i = 0; i < LB_COUNT_OF(own); i++) {
    const lb_yaml* list = lb_given_map(r, LB_SCENE_COLLOCATE, collocate_fields[GOALS + i].key);
    r->subject = "collocate";
    if (list) {
      lb_read_named(r, list, &own[i]);
    }
  }
}

// Numbers of all nodes are counted by an int.
static void check_size(lb_checker* c, const lb_scene_collocate* o) {
  const struct {
    const char* key;
    int is, most;
  } size[] = {{"intervals", o->intervals, 10000}, {"iterations", o->iterations, 100000}};
  for (int i = 0; i < LB_COUNT_OF(size); i++) {
    if (size[i].is > size[i].most) {
      LB_SAY(c, o->place, "collocate: '%s' must be at most %d, not %d", size[i].key, size[i].most,
             size[i].is);
    }
  }
}

void lb_check_collocate(lb_checker* c) {
  const lb_scene_collocate* o = &c->s->collocate;
  for (int i = 0; i < LB_COUNT_OF(own); i++) {
    lb_check_section(c, &own[i], NULL);
  }
  lb_look_at(c, o->place, "collocate");
  if (o->place.line > 0 && lb_check_fields(c, &lb_collocate_table, o) && isfinite(o->time[0]) &&
      !(o->time[0] <= o->time[1])) {
    LB_SAY(c, o->place, "collocate: 'time' must be [least, most], and %g s is more than %g s",
           o->time[0], o->time[1]);
  }
  check_size(c, o);
  for (int i = 0; i < o->nmust; i++) {
    const lb_scene_goal* g = &o->must[i];
    if (g->kind == LB_GOAL_MOTOR || g->kind == LB_GOAL_MUSCLE) {
      LB_SAY(c, g->place,
             "collocate: what a motor or muscle does is no goal that must hold (give it limits "
             "under 'controls')");
    }
  }
}
