// Muscles: a path, its mass, and what pulls along it.
#include <math.h>

#include "math/muscle/hill.h"
#include "scene/part/part.h"

#define NAME(code, name) name,
static const char* const take_names[] = {LB_MUSCLE_TAKE_LIST(NAME)};
const lb_choices lb_take_choices = LB_CHOICES(take_names);
static const char* const tendon_names[] = {LB_TENDON_LIST(NAME)};
const lb_choices lb_tendon_choices = LB_CHOICES(tendon_names);
static const char* const hill_names[] = {LB_HILL_LIST(NAME)};
static const lb_choices hill_choices = {LB_HILL_COUNT - 1, hill_names + 1, 1, 0};

// --- mass ---

static const lb_field mass_fields[] = {
    LB_SIZED(NUMBER, lb_scene_muscle_mass, "amount", amount, LB_MASS, LB_NOT_NEGATIVE, "0",
             "what it weighs; 0: it is massless"),
    LB_ROW(ONE_BODY, lb_scene_muscle_mass, "from", from, "none, it is added",
           "a body that the mass is taken from"),
    LB_MUSCLE_MASS_ROWS(lb_scene_muscle_mass, , "[0, 1]"),
};
static const lb_table mass_table = LB_TABLE("muscle mass", lb_scene_muscle_mass, mass_fields);

// --- force ---

#define SHAPE(key, range, standard, about)                                                         \
  LB_SIZED(NUMBER, lb_scene_hill_shape, #key, key, LB_PURE, range, standard, about)
static const lb_field shape_fields[] = {
    SHAPE(active_width, LB_POSITIVE_OR_UNSET, "0.45, of thelen", "gamma of active force by length"),
    SHAPE(active_from, LB_POSITIVE_OR_UNSET, "0.4441, of millard",
          "length at which active force begins, over the optimal one"),
    SHAPE(active_knee, LB_POSITIVE_OR_UNSET, "0.73, of millard", "where its steep rise ends"),
    SHAPE(active_to, LB_POSITIVE_OR_UNSET, "1.8123, of millard", "where it ends"),
    SHAPE(active_slope, LB_POSITIVE_OR_UNSET, "0.8616, of millard", "of its shallow rise"),
    SHAPE(active_least, LB_NOT_NEGATIVE, "0; of millard without damping 0.1", "least active force"),
    SHAPE(hyperbola, LB_POSITIVE_OR_UNSET, "0.25, of thelen", "A of force by speed"),
    SHAPE(shortening_end, LB_NOT_NEGATIVE, "0; of millard without damping 0.1",
          "slope of force by speed at the greatest speed of shortening"),
    SHAPE(shortening_slope, LB_POSITIVE_OR_UNSET, "0.25, of millard", "slope near it"),
    SHAPE(isometric_slope, LB_POSITIVE_OR_UNSET, "5, of millard", "slope at rest"),
    SHAPE(lengthening_slope, LB_POSITIVE_OR_UNSET, "0.15, of millard",
          "slope near the greatest speed of lengthening"),
    SHAPE(lengthening_end, LB_NOT_NEGATIVE, "0; of millard without damping 0.1", "slope there"),
    SHAPE(lengthening, LB_POSITIVE_OR_UNSET, "1.4", "force when lengthening at most"),
    SHAPE(shortening_curve, LB_POSITIVE_OR_UNSET, "0.6, of millard",
          "curviness when shortening, from 0 (round) to 1 (sharp)"),
    SHAPE(lengthening_curve, LB_POSITIVE_OR_UNSET, "0.9, of millard", "curviness when lengthening"),
    SHAPE(passive_exponent, LB_POSITIVE_OR_UNSET, "5, of thelen", "k of passive force by length"),
    SHAPE(passive_strain, LB_POSITIVE_OR_UNSET, "0.6 or, of millard, 0.7",
          "of the fibre at a passive force of one"),
    SHAPE(passive_from, LB_ANY, "0", "of millard: strain at which passive force begins"),
    SHAPE(passive_low, LB_POSITIVE_OR_UNSET, "0.2, of millard", "stiffness at little force"),
    SHAPE(passive_stiffness, LB_POSITIVE_OR_UNSET, "2 over the strains between, of millard",
          "at a force of one"),
    SHAPE(passive_curve, LB_POSITIVE_OR_UNSET, "0.75, of millard", "curviness"),
    SHAPE(tendon_strain, LB_POSITIVE_OR_UNSET, "0.04 or, of millard, 0.049",
          "of the tendon at a force of one"),
    SHAPE(tendon_stiffness, LB_POSITIVE_OR_UNSET, "1.375 over that strain, of millard",
          "at a force of one"),
    SHAPE(tendon_toe, LB_POSITIVE_OR_UNSET, "2/3, of millard",
          "force at which it becomes straight"),
    SHAPE(tendon_curve, LB_POSITIVE_OR_UNSET, "0.5, of millard", "curviness"),
};
static const lb_table shape_table = LB_TABLE("hill shape", lb_scene_hill_shape, shape_fields);

#define HILL(key, member, dimension, range, standard, about)                                       \
  LB_SIZED(NUMBER, lb_scene_hill, key, member, dimension, range, standard, about)
static const lb_field hill_fields[] = {
    LB_FROM(CHOICE, lb_scene_hill, "model", model, &hill_choices, NULL,
            "thelen (2003), millard (2012), or thelen-early: OpenSim's before version 3"),
    HILL("force", force, LB_FORCE, LB_POSITIVE, NULL, "peak isometric force"),
    HILL("fiber", fiber, LB_LENGTH, LB_POSITIVE, NULL, "optimal length of its fibres"),
    HILL("slack", slack, LB_LENGTH, LB_NOT_NEGATIVE, NULL, "slack length of its tendon"),
    HILL("pennation", pennation, LB_ANGLE, LB_NOT_NEGATIVE, "0",
         "angle of the fibres at their optimal length"),
    HILL("speed", speed, LB_PURE, LB_POSITIVE, "10",
         "greatest speed of shortening, in optimal lengths a second"),
    HILL("damping", damping, LB_PURE, LB_NOT_NEGATIVE_OR_UNSET,
         "the model's own: 0.1 or, of thelen, 0",
         "of the fibres, over their force and greatest speed"),
    LB_ROW(FLAG, lb_scene_hill, "elastic", elastic, "true",
           "false: the tendon keeps its slack length"),
    HILL("activation", activation, LB_TIME, LB_POSITIVE_OR_UNSET, "the model's own",
         "time constant of activation"),
    HILL("deactivation", deactivation, LB_TIME, LB_POSITIVE_OR_UNSET, "the model's own",
         "time constant of deactivation"),
    LB_FROM(TABLE, lb_scene_hill, "shape", shape, &shape_table, "the model's own",
            "numbers that shape its curves"),
};
static const lb_table hill_table = LB_TABLE("hill", lb_scene_hill, hill_fields);

static const lb_field feedback_fields[] = {
    LB_ROW(JOINT, lb_scene_excitation, "joint", joint, NULL, "the joint that is to be somewhere"),
    LB_SIZED(COUNT, lb_scene_excitation, "coordinate", coordinate, LB_PURE, LB_NOT_NEGATIVE, "0",
             "which, of a joint with several, from 0"),
    LB_LATER(BOUND, "to", NULL, "0", "where it is to be"),
    LB_SIZED(NUMBER, lb_scene_excitation, "gain", gain, LB_PURE, LB_ANY, NULL,
             "excitation for each radian or metre it is below that"),
    LB_SIZED(NUMBER, lb_scene_excitation, "rate_gain", rate_gain, LB_PURE, LB_ANY, "0",
             "excitation for each radian or metre a second it moves down"),
};
static const lb_table feedback_table = LB_TABLE("feedback", lb_scene_excitation, feedback_fields);

static const lb_field excitation_fields[] = {
    LB_LATER(KEYS, "keys", NULL, "none", "[time, excitation] pairs, 0 to 1"),
    LB_SHARED_PROFILE_ROWS(lb_scene_excitation, profile),
    LB_LATER(TABLE, "follow", &feedback_table, "none", "feedback of a joint in place of keys"),
};

static void init_excitation(void* part) {
  *(lb_scene_excitation*)part = (lb_scene_excitation){.joint = -1};
}

static bool read_feedback(lb_reader* r, const lb_yaml* node, lb_scene_excitation* e) {
  const lb_yaml* to = lb_yaml_find(node, "to");
  if (!lb_read_part(r, node, "follow", &feedback_table, e) || !lb_joint_is_known(r, e->joint)) {
    return false;
  }
  const lb_scene_joint* j = &r->scene.joint[e->joint];
  if (!lb_coordinate_is_plain(j, e->coordinate)) {
    return lb_complain(r, node->place, "joint '%s' is %s and has no coordinate %d that is a number",
                       j->name, lb_joint_kind_name(j->kind), e->coordinate);
  }
  return !to || lb_read_number(r, to, "to",
                               lb_coordinate_measures[lb_joint_counts(j, e->coordinate)].place,
                               LB_ANY, &e->to);
}

static bool finish_excitation(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_excitation* e = part;
  const lb_yaml* follow = lb_yaml_find(node, "follow");
  ok = ok && lb_read_profile(r, node, LB_PURE, &e->profile);
  if (ok && follow && e->profile.count > 0) {
    return lb_complain(r, follow->place, "'keys' and 'follow' cannot both be given (choose one)");
  }
  if (ok && !follow && e->profile.count == 0) {
    return lb_complain(r, node->place, "'keys', 'spline', 'profile' or 'follow' is missing");
  }
  return ok && (!follow || read_feedback(r, follow, e));
}

const lb_table lb_excitation_table = LB_TABLE("excitation", lb_scene_excitation, excitation_fields,
                                              .init = init_excitation, .finish = finish_excitation);

// --- muscles ---

static const lb_field muscle_fields[] = {
    LB_LIST(lb_scene_muscle, "through", point, npoint, &lb_path_point_table, NULL,
            "from origin to insertion: {body: ..., at: [...]}, or {wrap: ...}"),
    LB_FROM(TABLE, lb_scene_muscle, "mass", mass, &mass_table, "massless",
            "mass that slides along the path"),
    LB_LATER(TABLE, "hill", &hill_table, "none", "a Hill-type muscle"),
    LB_SIZED(NUMBER, lb_scene_muscle, "tension", tension, LB_FORCE, LB_NOT_NEGATIVE, "0",
             "without 'hill': its force at an excitation of 1"),
    LB_LATER(TABLE, "excitation", &lb_excitation_table, "0; of a tension 1",
             "how much it is excited, over time or by feedback"),
    LB_SIZED(NUMBER, lb_scene_muscle, "radius", radius, LB_LENGTH, LB_POSITIVE_OR_UNSET,
             "as cables are drawn", "at which it is drawn"),
    LB_ROW(MATERIAL, lb_scene_muscle, "material", material, "as cables are drawn",
           "what it looks like"),
};

static void init_muscle(void* part) {
  *(lb_scene_muscle*)part = (lb_scene_muscle){.name = ""};
  lb_table_default(&lb_excitation_table, &((lb_scene_muscle*)part)->excitation);
  ((lb_scene_muscle*)part)->mass.belly[1] = 1;
}

static bool finish_muscle(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_muscle* m = part;
  const lb_yaml *hill = lb_yaml_find(node, "hill"), *excitation = lb_yaml_find(node, "excitation"),
                *tension = lb_yaml_find(node, "tension");
  if (ok && hill) {
    lb_table_default(&hill_table, &m->hill);
    m->hill.damping = NAN;
    ok = lb_read_part(r, hill, "hill", &hill_table, &m->hill);
  }
  ok = ok && (!excitation ||
              lb_read_part(r, excitation, "excitation", &lb_excitation_table, &m->excitation));
  if (ok && hill && tension) {
    ok = lb_complain(r, tension->place, "'hill' and 'tension' cannot both be given (choose one)");
  }
  return ok;
}

static void check_hill(lb_checker* c, const lb_scene_hill* h) {
  if ((unsigned)h->model >= LB_HILL_COUNT) {
    lb_say(c, ": its Hill model is not one of those in limber/scene_muscle.h");
  } else if (h->model != LB_HILL_NONE && lb_check_fields(c, &hill_table, h) &&
             !(h->pennation < M_PI / 2)) {
    lb_say(c, ": 'pennation' must be less than 90 deg");
  } else if (h->model != LB_HILL_NONE && lb_hill_shape_stranger(h->model, &h->shape)) {
    lb_say(c, ": '%s' shapes no curve of %s muscles (take it away, or choose the other model)",
           lb_hill_shape_stranger(h->model, &h->shape), hill_names[h->model]);
  }
}

static void check_start(lb_checker* c, const lb_scene_muscle* m) {
  static const double LEAST = 0.01; // activation
  const lb_scene_muscle_start* s = &m->start;
  const bool activation = s->activation != 0, fiber = s->fiber != 0;
  if ((activation || fiber) && m->hill.model == LB_HILL_NONE) {
    lb_say(c, " has no 'hill', and so no state that 'initial' could give");
  } else if (activation && !(s->activation >= LEAST && s->activation <= 1)) {
    lb_say(c, ": its activation at the start must be from %g to 1", LEAST);
  } else if (fiber && !(s->fiber > 0 && isfinite(s->fiber))) {
    lb_say(c, ": its fibre at the start must be longer than 0");
  } else if (fiber && (!m->hill.elastic || m->hill.slack == 0)) {
    lb_say(c, ": its tendon is stiff, so that the path says how long its fibre is at the start");
  }
}

static void check_tendon(lb_checker* c, const lb_scene_muscle* m) {
  const lb_scene_muscle_mass* mass = &m->mass;
  if ((unsigned)mass->tendon >= LB_TENDON_COUNT) {
    lb_say(c, ": its tendon is not one of those in limber/scene_muscle.h");
  } else if (mass->amount > 0 && mass->tendon == LB_TENDON_ELASTIC) {
    if (m->hill.model == LB_HILL_NONE || !m->hill.elastic || !(m->hill.slack > 0)) {
      lb_say(c, ": 'tendon: elastic' needs the tendon of a 'hill' with 'slack' and 'elastic: true' "
                "(give it one, or choose 'tendon: stiff')");
    } else if (!(mass->belly[0] > 0) && !(mass->belly[1] < 1)) {
      lb_say(c, ": 'tendon: elastic' needs a 'belly' that leaves room for a tendon, such as "
                "'belly: [0.1, 0.6]'");
    }
  }
}

static void check_muscle(lb_checker* c, const void* part) {
  const lb_scene_muscle* m = part;
  const lb_scene_excitation* e = &m->excitation;
  const lb_scene_muscle_mass* mass = &m->mass;
  lb_check_path(c, m->point, m->npoint);
  if (mass->amount > 0 && !(mass->belly[0] < mass->belly[1])) {
    lb_say(c, ": its belly must begin before it ends");
  }
  if (mass->amount > 0 && mass->from >= 0 &&
      (c->s->body[mass->from].elastic || c->s->body[mass->from].reduced)) {
    lb_say(c, " takes its mass from body '%s', which is elastic (take it from a rigid one)",
           c->s->body[mass->from].name);
  }
  check_hill(c, &m->hill);
  check_tendon(c, m);
  check_start(c, m);
  if (!lb_profile_holds(&e->profile)) {
    lb_say(c, ": its excitations must be finite and their times rising");
  }
  if (e->joint >= 0 && (e->joint >= c->s->njoint ||
                        !lb_coordinate_is_plain(&c->s->joint[e->joint], e->coordinate))) {
    lb_say(c, ": its feedback goes by a coordinate that is no number of a joint");
  }
}

const lb_table lb_muscle_table =
    LB_TABLE("muscle", lb_scene_muscle, muscle_fields, .init = init_muscle, .finish = finish_muscle,
             .check = check_muscle);

#define START(key, member, dimension, standard, about)                                             \
  LB_SIZED(NUMBER, lb_scene_muscle_start, key, member, dimension, LB_POSITIVE_OR_UNSET, standard,  \
           about)
static const lb_field start_fields[] = {
    START("activation", activation, LB_PURE, "as excited at the start", "0.01 to 1"),
    START("fiber", fiber, LB_LENGTH, "in equilibrium with the tendon", "length of its fibres"),
};
const lb_table lb_muscle_start_table = LB_TABLE("muscle", lb_scene_muscle_start, start_fields);

lb_scene_muscle lb_scene_muscle_default(void) {
  lb_scene_muscle muscle;
  lb_table_default(&lb_muscle_table, &muscle);
  return muscle;
}
