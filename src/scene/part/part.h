// Parts of a scene: a file for each, with its table (scene/format/table.h), and what no row of a
// table can say: how it is finished when its keys are read, and what must hold of any scene.
#pragma once
#include "geom/shape/shape.h"
#include "scene/check/scene_check.h"
#include "scene/yaml/names.h"
#include "scene/yaml/reader.h"

void lb_read_section(lb_reader* r, int key);
// Parts of one sort from a mapping within a setting.
void lb_read_named(lb_reader* r, const lb_yaml* map, const lb_scene_section* section);
// Names of parts are there and differ, and what their tables ask; those that are broken (NULL:
// none) were reported.
void lb_check_section(lb_checker* c, const lb_scene_section* section, const bool* broken);
void lb_check_shapes(lb_checker* c);

// --- functions of time ---

extern const lb_table lb_spline_table;
extern const lb_choices lb_ease_choices;

static inline bool lb_is_spline(const lb_profile_definition* profile) {
  return profile->kind == LB_PROFILE_BSPLINE;
}

// Rows of what follows a function of time, whose definition is a member `profile`.
#define LB_PROFILE_ROWS(type, profile)                                                             \
  LB_FROM(CHOICE, type, "ease", profile.kind, &lb_ease_choices, "smooth",                          \
          "smooth rests at every key, cubic flows through them, linear goes straight"),            \
      LB_LATER(TABLE, "spline", &lb_spline_table, "none", "a B-spline instead of keys"),           \
      LB_SIZED(NUMBER, type, "repeat", profile.period, LB_TIME, LB_POSITIVE_OR_UNSET, "never",     \
               "start over after this time, a cycle"),                                             \
      LB_LATER(BOUND, "advance", NULL, "0",                                                        \
               "what every cycle adds to the values: 1 turn, for a crank that goes on"),           \
      LB_SIZED(NUMBER, type, "phase", profile.phase, LB_PURE, LB_ANY, "0",                         \
               "part of a cycle by which it is ahead")

// The same, or one that is shared.
#define LB_SHARED_PROFILE_ROWS(type, profile)                                                      \
  LB_LATER(TEXT, "profile", NULL, "none", "a name among `profiles`, in place of keys of its own"), \
      LB_PROFILE_ROWS(type, profile)

// --- paths ---

extern const lb_table lb_path_point_table, lb_function_table;
// Number, or function of a coordinate, whose measures are `along` and `value`.
bool lb_read_function(lb_reader* r, const lb_yaml* node, const char* key, lb_dimension along,
                      lb_dimension value, lb_function_definition* out);
bool lb_function_holds(const lb_function_definition* function);
// The same as a profile over that coordinate.
bool lb_read_function_profile(lb_reader* r, const lb_yaml* node, const char* key,
                              lb_dimension along, lb_dimension value, lb_profile_definition* out);
// What is beyond the plain rows of a point of a path: a wrap's rules, 'follows' and 'while'.
bool lb_finish_path_point(lb_reader* r, const lb_yaml* node, bool ok, void* part);
extern const lb_table lb_follows_table, lb_while_table;
// A moving or conditional point by itself; i counts points from 0.
void lb_check_path_point(lb_checker* c, const lb_scene_path_point* point, int i);
// Points of a path suit each other.
void lb_check_path(lb_checker* c, const lb_scene_path_point* point, int count);

// --- muscles ---

extern const lb_table lb_excitation_table;
extern const lb_choices lb_take_choices, lb_tendon_choices;
// Rows of how mass lies along a muscle, in what stands at `in` of a struct.
#define LB_MUSCLE_MASS_ROWS(type, in, all)                                                         \
  LB_FROM(CHOICE, type, "rule", in rule, &lb_take_choices, "scale",                                \
          "scale: mass and inertia of that body are scaled down; rest: the muscle, as it lies at " \
          "the start, is taken away"),                                                             \
      LB_SIZED(PAIR, type, "belly", in belly, LB_PURE, LB_UNIT_RANGE, all,                         \
               "where the belly, which has the mass, begins and ends, as parts of the length at "  \
               "the start"),                                                                       \
      LB_FROM(CHOICE, type, "tendon", in tendon, &lb_tendon_choices, "stiff",                      \
              "stiff: the belly takes up all stretch; even: tendons stretch as it does; elastic: " \
              "the belly hangs on the springs of 'hill' and slides between them"),                 \
      LB_SIZED(COUNT, type, "points", in points, LB_PURE, LB_NOT_NEGATIVE, "0",                    \
               "mass points at equal strain instead of a continuum")

// --- joints ---

// Is it one of the kinds that there are? Else a mistake that checks report.
bool lb_joint_is_kind(lb_joint_kind kind);
bool lb_joint_has_quaternion(const lb_scene_joint* joint);
bool lb_joint_has_two_axes(const lb_scene_joint* joint);
// Balls by which a body touches, in its frame, added: those of its shapes, else its origin. False:
// there is no memory.
typedef struct lb_contact_list {
  int count, capacity;
  lb_ball* ball; // in the reader's scratch
} lb_contact_list;
bool lb_contact_points(lb_reader* r, int body, lb_contact_list* to);

// Compliance that is none, or a stiffness above zero with a damping that is not negative.
bool lb_compliance_holds(const lb_compliance* by);
// What is infinitely stiff, by its key, is exact, and no damper acts.
void lb_compliance_settle(const lb_yaml* node, const char* key, lb_compliance* by);

// Further keys of hinges and slides that are parts of composite joints.
extern const lb_field lb_function_part_fields[2];
// Of a composite joint; 0 of others, whatever they were made from.
int lb_joint_count_parts(const lb_scene_joint* joint);
bool lb_finish_joint(lb_reader* r, const lb_yaml* node, bool ok, void* part);
