// Settings, sections and repetitions: a scene file besides its parts.
#include "scene/part/part.h"

// --- positions and rotations ---

static const lb_field pose_fields[] = {
    LB_SIZED(VECTOR, lb_transform, "position", p, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where the frame's origin is"),
    LB_ROW(ROTATION, lb_transform, "rotation", q, "none", "how the frame is turned"),
};
const lb_table lb_pose_table = LB_TABLE("pose", lb_transform, pose_fields);

static const lb_field turn_fields[] = {
    LB_ROW(AXIS, lb_turn, "axis", axis, "", "the axis to turn about, with angle"),
    LB_SIZED(NUMBER, lb_turn, "angle", angle, LB_ANGLE, LB_ANY, "",
             "how far, by the right-hand rule"),
    LB_LATER(POINTS, "quaternion", NULL, "",
             "[w, x, y, z] instead of axis and angle; its length does not matter"),
};
const lb_table lb_turn_table = LB_TABLE("rotation", lb_turn, turn_fields);

// --- settings ---

#define NAME_2(code, name) name,
#define NAME_5(code, stepper, name, method, text) name,
static const char* const integrator_names[] = {LB_INTEGRATOR_LIST(NAME_5)};
static const char* const coordinates_names[] = {LB_COORDINATES_LIST(NAME_2)};
static const char* const space_names[] = {LB_SPACE_LIST(NAME_2)};
static const char* const newton_names[] = {LB_NEWTON_LIST(NAME_2)};
static const char* const first_step_names[] = {"bdf1", "sdirk2"};
static const lb_choices integrator_choices = LB_CHOICES(integrator_names);
static const lb_choices coordinates_choices = LB_CHOICES(coordinates_names);
static const lb_choices space_choices = LB_CHOICES(space_names);
static const lb_choices newton_choices = LB_CHOICES(newton_names);
static const lb_choices first_step_choices = LB_CHOICES(first_step_names);

#define SOLVER(key, member, dimension, range, standard, about)                                     \
  LB_SIZED(NUMBER, lb_scene_solver, key, member, dimension, range, standard, about)
#define CHOICE(value, key, member, choices, standard, about)                                       \
  LB_FROM(value, lb_scene_solver, key, member, &(choices), standard, about)
static const lb_field solver_fields[] = {
    CHOICE(CHOICE, "integrator", integrator, integrator_choices,
           "rk4; bdf2 with elastic bodies or tendons, ropes, deformables or optimize; linear-euler "
           "with "
           "contacts",
           "how time is stepped"),
    SOLVER("step", step, LB_TIME, LB_POSITIVE, "1 ms",
           "the time step; the adaptive integrator chooses its own"),
    SOLVER("tolerance", tolerance, LB_PURE, LB_POSITIVE_OR_UNSET,
           "1e-9; 1e-10 of implicit integrators, 1e-7 with elastic: full",
           "relative error that the adaptive integrator allows in a step, or that implicit ones "
           "leave in its velocities when Newton's method stops; from 1e-14 to 0.01; explicit "
           "integrators of a fixed step and linear-euler have none"),
    SOLVER("closing", closing, LB_TIME, LB_POSITIVE_OR_UNSET, "at once",
           "linear-euler: what constraints and loops hold together starts where the scene puts it "
           "and comes together at this pace, gaps falling by a factor of e in this time"),
    CHOICE(CHOICE, "coordinates", coordinates, coordinates_choices, "reduced",
           "reduced: joints leave what they leave free; maximal: every body moves freely, every "
           "joint is a constraint"),
    CHOICE(CHOICE, "elastic", elastic, space_choices, "reduced",
           "reduced: elastic bodies move in a basis of few shapes; full: every node of their "
           "meshes moves"),
    CHOICE(CHOICE, "newton", newton, newton_choices, "kept",
           "matrices of implicit steps: kept: the stiff part, made anew when corrections get "
           "slow; exact: the whole derivative, at every correction"),
    CHOICE(EITHER, "first_step", sdirk2_first, first_step_choices, "bdf1",
           "bdf2: the method of its first step, which has no step before it: bdf1 or sdirk2, "
           "whose error is of higher order"),
};
const lb_table lb_solver_table = LB_TABLE("solver", lb_scene_solver, solver_fields);

static const lb_field record_fields[] = {
    LB_SIZED(NUMBER, lb_scene_record, "every", every, LB_TIME, LB_POSITIVE, "20 ms",
             "time between the frames that are kept, rounded to whole steps"),
    LB_ROW(FLAG, lb_scene_record, "rates", rates, "false",
           "true adds velocities and accelerations of the joints to trajectory.csv"),
    LB_ROW(FLAG, lb_scene_record, "reactions", reactions, "false",
           "true writes what passes through the joints to reactions.csv"),
};
static const lb_table record_table = LB_TABLE("record", lb_scene_record, record_fields);

// --- sections ---

#define SECTION(code, key, word, table, array, about)                                              \
  LB_LATER(SECTION, key, &(table), "none", about),
#define FORCE_SECTION(code, name, key, about)                                                      \
  LB_LATER(SECTION, key, &lb_##name##_table, "none", about),

// The sections that a file and a repetition share.
#define SHARED_SECTIONS                                                                            \
  LB_LATER(SECTION, "linkages", &lb_linkage_table, "none",                                         \
           "planar linkages: bars and pins by a rough drawing, by name"),                          \
      LB_LATER(SECTION, "bodies", &lb_body_table, "none",                                          \
               "the parts, rigid and elastic, by name"),                                           \
      LB_LATER(LIST, "scenery", &lb_shape_table, "none", "shapes fixed to the world, for looks"),  \
      LB_LATER(SECTION, "joints", lb_joint_table, "none",                                          \
               "what holds the bodies together, by name"),                                         \
      LB_LATER(SECTION, "profiles", &lb_profile_table, "none",                                     \
               "functions of time that motors and others share, by name"),                         \
      LB_FORCE_LIST(FORCE_SECTION) LB_NAMED_SECTIONS(SECTION)                                      \
          LB_LATER(INITIAL, "initial", NULL, "at rest, every coordinate zero",                     \
                   "how joints and free bodies start, by name")

static const lb_alias section_aliases[] = {
    {"strands", "ropes"}, {"soft", "deformables"}, {NULL, NULL}};

static const lb_field repeat_fields[] = {
    LB_SIZED(COUNT, lb_repetition, "count", count, LB_PURE, LB_POSITIVE, NULL, "how many times"),
    LB_ROW(COUNT, lb_repetition, "from", from, "1", "what n is the first time"),
    SHARED_SECTIONS,
};
const lb_table lb_repeat_table =
    LB_TABLE("repetition", lb_repetition, repeat_fields, .alias = section_aliases);

#define SETTING(key, member, table, standard, about)                                               \
  LB_FROM(TABLE, lb_reader, key, scene.member, &(table), standard, about)
static const lb_field scene_fields[] = {
    LB_SIZED(COUNT, lb_reader, "limber", version, LB_PURE, LB_POSITIVE, "1",
             "the version of this format"),
    LB_ROW(TEXT, lb_reader, "name", scene.name, "the file's name", "the title"),
    LB_ROW(TEXT, lb_reader, "about", scene.about, "empty", "a sentence or more"),
    LB_LATER(FILES, "include", NULL, "none",
             "other scene files that become part of this one; a path or a list of paths"),
    LB_SIZED(VECTOR, lb_reader, "gravity", scene.gravity, LB_ACCELERATION, LB_ANY, "[0, 0, -9.81]",
             "the pull on every body; z is up"),
    LB_SIZED(NUMBER, lb_reader, "duration", scene.duration, LB_TIME, LB_POSITIVE, "10 s",
             "how long the scene runs"),
    SETTING("solver", solver, lb_solver_table, "rk4, 1 ms", "how time is stepped"),
    SETTING("record", record, record_table, "every 20 ms", "what is kept"),
    SETTING("contacts", contacts, lb_contacts_table, "nothing collides",
            "how shapes that meet push and rub"),
    LB_LATER(SECTION, "materials", &lb_material_table, "none", "materials of your own, by name"),
    SHARED_SECTIONS,
    LB_LATER(LIST, "repeat", &lb_repeat_table, "none", "parts written once and made many times"),
    LB_LATER(SECTION, "markers", &lb_marker_table, "none",
             "points whose motion was measured, by name"),
    LB_LATER(SECTION, "fork", &lb_fork_table, "none",
             "mechanisms that are reduced to their effectors, by name"),
    LB_LATER(TABLE, "opensim", &lb_opensim_table, "nothing",
             "what is changed in a model of OpenSim that is included"),
    SETTING("fit", fit, lb_fit_table, "all that is elastic", "what to find from measured markers"),
    SETTING("retarget", retarget, lb_retarget_table, "nothing",
            "what motors' curves are changed for"),
    SETTING("optimize", optimize, lb_optimize_table, "nothing",
            "numbers to be found, and what for"),
    SETTING("collocate", collocate, lb_collocate_table, "nothing",
            "a motion to be found with its controls, or to be followed"),
};
const lb_table lb_scene_table =
    LB_TABLE("scene", lb_reader, scene_fields, .alias = section_aliases);

// --- what others ask ---

lb_scene lb_scene_default(void) {
  lb_reader r = {.scene = {.file = "", .gravity = {0, 0, -9.81}}};
  lb_table_default(&lb_scene_table, &r);
  r.scene.name = r.scene.about = "";
  r.scene.solver.integrator = LB_INTEGRATOR_RK4;
  return r.scene;
}

double lb_adaptive_tolerance(const lb_scene_solver* solver) {
  return solver->tolerance > 0 ? solver->tolerance : 1e-9;
}

lb_method lb_integrator_method(lb_integrator integrator) {
#define METHOD(code, stepper, name, method, text) LB_METHOD_##method,
  static const lb_method METHODS[] = {LB_INTEGRATOR_LIST(METHOD)};
#undef METHOD
  return (unsigned)integrator < LB_INTEGRATOR_COUNT ? METHODS[integrator] : LB_METHOD_EXPLICIT;
}

const char* lb_integrator_name(lb_integrator integrator) {
  return (unsigned)integrator < LB_INTEGRATOR_COUNT ? integrator_names[integrator] : "unknown";
}
