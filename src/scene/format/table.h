// The scene format as tables: every key, what may stand behind it, where it goes in the structs of
// limber/scene.h, what holds when it is left out, and a line for people. The reader follows these
// tables, hand-made scenes are checked by them, the JSON Schema and the tables of docs/scene.md are
// made from them, and a test holds all of it together.
//
// To add a named part of a scene (for a force on points see scene/force/scene_force.h):
//
//   1. Its struct in limber/scene.h, beginning with `const char* name; lb_place place;`, and in
//      lb_scene an array of it with its count: `int nmagnet; lb_scene_magnet* magnet;`.
//   2. A file src/scene/part/part_magnet.c with its table:
//
//        static const lb_field magnet_fields[] = {
//            LB_ROW(BODY, lb_scene_magnet, "body", body, "world", "what it is fastened to"),
//            LB_SIZED(NUMBER, lb_scene_magnet, "strength", strength, LB_FORCE, LB_POSITIVE, NULL,
//                     "its pull at 1 m"),
//        };
//        const lb_table lb_magnet_table = LB_TABLE("magnet", lb_scene_magnet, magnet_fields);
//
//      A standard of NULL makes a key required. Standards that can be read as values ("1 ms",
//      "true", "z", a choice) are what a part has before an author changes it; others ("none", "as
//      long as it is at the start") are words, and the member stays as `init` has it, or zero.
//   3. A line in LB_NAMED_SECTIONS below: the word of the section and of one part, the table, the
//      array.
//   4. In docs/scene.md a line `<!-- keys: magnet -->`; LIMBER_ACCEPT=1 test_scene_reference writes
//      the table after it, and the schema.
//
// A key that gets another name keeps the old one as an `alias`: it still reads, with a note to the
// author. A key that only some of what a table lets choose have gets a `rule`.
//
// What no row can say stands in two functions of the table: `finish` is called when the keys of a
// part were read (what depends on other parts, or on several keys), `check` for every part of any
// scene, read or made by hand, after its numbers and indices were found to be in range.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "limber/scene.h"
#include "scene/yaml/yaml_node.h"
#include "scene/yaml/yaml_number.h"

// Kinds of values behind a key.
typedef enum lb_value {
  LB_VALUE_TEXT,     // const char*
  LB_VALUE_FLAG,     // bool
  LB_VALUE_COUNT,    // int
  LB_VALUE_NUMBER,   // double
  LB_VALUE_PAIR,     // double[2]
  LB_VALUE_VECTOR,   // lb_vec3
  LB_VALUE_SCALE,    // lb_vec3, from a number or three
  LB_VALUE_AXIS,     // lb_vec3 of length one
  LB_VALUE_ROTATION, // lb_quat
  LB_VALUE_POSE,     // lb_transform, from a position or a table of position and rotation
  LB_VALUE_COLOR,    // double[4], linear
  LB_VALUE_INERTIA,  // lb_sym3
  LB_VALUE_CHOICE,   // int, from `more`: lb_choices
  LB_VALUE_EITHER,   // bool, whether it is the second of `more`: lb_choices
  LB_VALUE_WORD,     // const char*, one of `more`: lb_choices
  LB_VALUE_BODY,     // int, a body or the world
  LB_VALUE_ONE_BODY, // int, a body
  LB_VALUE_JOINT,    // int
  LB_VALUE_MATERIAL, // int
  LB_VALUE_WRAP,     // int
  LB_VALUE_TABLE,    // a struct, from `more`: lb_table
  LB_VALUE_LIST,     // an array of structs and its count, from `more`: lb_table
  // Judged by their outer form alone, for `finish` to find and to go on with:
  LB_VALUE_FILES,      // a path or a list of paths
  LB_VALUE_FILE,       // a path
  LB_VALUE_SECTION,    // a mapping from names to tables
  LB_VALUE_INITIAL,    // a mapping from names to one of the tables of starts
  LB_VALUE_ONE,        // one table
  LB_VALUE_KEYS,       // a list of pairs [time, value]
  LB_VALUE_POINTS,     // a list of values
  LB_VALUE_WAY,        // as KEYS, or pairs [time, rotation]
  LB_VALUE_WAY_POINTS, // as POINTS, or a list of rotations
  LB_VALUE_CURVE,      // a list of pairs [stretch, force]
  LB_VALUE_PROFILE,    // a list of pairs [coordinate, value]
  LB_VALUE_REGIONS,    // a mapping from names of regions to names of materials
  LB_VALUE_POSES,      // a list of poses
  LB_VALUE_GRID,       // a list of lists of values
  LB_VALUE_PARTS,      // a list of joints without bodies
  LB_VALUE_BODIES,     // a list of bodies' names
  LB_VALUE_BOUND,      // a number, in units that go by what it is about
  LB_VALUE_MEASURE,    // the same, or a list of numbers
  LB_VALUE_DRAWING,    // a mapping from names of points to places in a plane
  LB_VALUE_LENGTHS,    // a mapping from names to lengths
  LB_VALUE_SPOT,       // a place [x, y, z], or the name of a linkage's point
  LB_VALUE_PATH,       // a list of pairs [time, place]
  LB_VALUE_FORCES,     // a mapping from names to forces
  LB_VALUE_FUNCTION,   // a number, or a function of a coordinate
  LB_VALUE_AMOUNTS,    // a mapping from names to numbers
  LB_VALUE_NAMES,      // a list of names
  LB_VALUE_RANGES,     // a list of pairs [least, most]
  LB_VALUE_KIND_COUNT
} lb_value;

// What a number must be; those with UNSET are read like those they are named after, and may be left
// unset in scenes made by hand: 0, or not finite.
typedef enum lb_range {
  LB_ANY,
  LB_POSITIVE,      // > 0
  LB_NOT_NEGATIVE,  // >= 0
  LB_UNIT_RANGE,    // 0 to 1
  LB_POISSON_RANGE, // between -1 and 0.5
  LB_MODULUS_RANGE, // of any solid or gel there is
  LB_ANY_OR_UNSET,
  LB_POSITIVE_OR_UNSET,
  LB_POSITIVE_OR_INFINITE, // 'infinite' is as if nothing were said
  LB_NOT_NEGATIVE_OR_UNSET,
  LB_NOT_NEGATIVE_IF_SET, // scenes made by hand leave these two unset by a negative number
  LB_UNIT_RANGE_IF_SET
} lb_range;

#define LB_COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct lb_choices {
  int count;
  const char* const* name;
  int first;     // number of the first
  int unwritten; // more that follow them, which other keys stand for
} lb_choices;

#define LB_CHOICES(names)                                                                          \
  { LB_COUNT_OF(names), names, 0, 0 }

enum { LB_FIELD_MOST = 40 };
#define LB_NOWHERE ((size_t)-1) // offset of what is judged and not stored

typedef struct lb_field {
  const char* key;
  lb_value value;
  size_t offset; // in the struct the table describes, or LB_NOWHERE
  lb_dimension dimension;
  lb_range range;
  const void* more;
  size_t count;         // of a list: offset of its count; 0: the list is not stored
  const char* standard; // what holds when the key is not given; NULL: it must be
  const char* about;
} lb_field;

struct lb_reader;
struct lb_checker;

// A key that only some have of what a table lets authors choose.
typedef struct lb_key_rule {
  const char* key;
  unsigned of;      // bits of those that have it
  const char* text; // what to say elsewhere
} lb_key_rule;

// A key's name in earlier versions. It still reads, and the author is told the new one.
typedef struct lb_alias {
  const char *was, *is;
} lb_alias;

typedef struct lb_table {
  const char* name; // in the singular
  size_t size;      // of the struct it describes
  int count;
  const lb_field* field;
  const lb_field*
      other; // what keys of an author's own stand for, for `finish`; NULL: there are none
  const lb_alias* alias; // up to one of NULL; or NULL: none
  int nchoose;           // of the first `nchoose` fields exactly one must be given; 0: no such rule
  const char* choose;    // what these are called
  size_t chosen;         // where the number of the one given goes
  int nrule;
  const lb_key_rule* rule;
  const char* item;         // what one of a list is called in messages; NULL: as what has the list
  void (*init)(void* part); // before standards
  bool (*finish)(struct lb_reader* r, const lb_yaml* node, bool ok, void* part);
  void (*check)(struct lb_checker* c, const void* part);
} lb_table;

#define LB_TABLE(word, type, rows, ...)                                                            \
  { .name = word, .size = sizeof(type), .count = LB_COUNT_OF(rows), .field = rows, __VA_ARGS__ }

// A row: of a value that needs no more, of a number or numbers, of a value with choices or a table,
// of a list with its count, of what is judged and not stored.
#define LB_ROW(value, type, key, member, standard, about)                                          \
  { key, LB_VALUE_##value, offsetof(type, member), LB_PURE, LB_ANY, NULL, 0, standard, about }
#define LB_SIZED(value, type, key, member, dimension, range, standard, about)                      \
  { key, LB_VALUE_##value, offsetof(type, member), dimension, range, NULL, 0, standard, about }
#define LB_FROM(value, type, key, member, more, standard, about)                                   \
  { key, LB_VALUE_##value, offsetof(type, member), LB_PURE, LB_ANY, more, 0, standard, about }
#define LB_LIST(type, key, member, count, table, standard, about)                                  \
  {                                                                                                \
    key, LB_VALUE_LIST, offsetof(type, member), LB_PURE, LB_ANY, table, offsetof(type, count),     \
        standard, about                                                                            \
  }
#define LB_LATER(value, key, more, standard, about)                                                \
  { key, LB_VALUE_##value, LB_NOWHERE, LB_PURE, LB_ANY, more, 0, standard, about }

#define LB_RULES(rules) .nrule = LB_COUNT_OF(rules), .rule = rules

// --- sections ---

// Sections of named parts, in the order in which every name is known before it can be mentioned.
// code, key, one of them in messages, table, array in lb_scene (its count is n<array>), about
#define LB_NAMED_SECTIONS(X)                                                                       \
  X(ROPES, "ropes", "rope", lb_rope_table, rope, "strings of point masses and springs, by name")   \
  X(DEFORMABLES, "deformables", "deformable", lb_deformable_table, deformable,                     \
    "deformables: tetrahedra around and between bodies, by name")                                  \
  X(WRAPS, "wraps", "wrap", lb_wrap_table, wrap, "surfaces that muscles wrap over, by name")       \
  X(MUSCLES, "muscles", "muscle", lb_muscle_table, muscle,                                         \
    "muscles: paths that pull, with mass or without, by name")                                     \
  X(MOTORS, "motors", "motor", lb_motor_table, motor, "what drives joints, by name")               \
  X(LOADS, "loads", "load", lb_load_table, load, "forces from outside, by name")                   \
  X(EXTERNAL, "external", "external force", lb_external_table, external,                           \
    "measured forces on bodies, by name")                                                          \
  X(CONSTRAINTS, "constraints", "constraint", lb_constraint_table, constraint,                     \
    "what must hold besides joints, by name")

#define LB_SECTION_TABLE(code, key, word, table, array, about) extern const lb_table table;
LB_NAMED_SECTIONS(LB_SECTION_TABLE)
#undef LB_SECTION_TABLE
#define LB_FORCE_TABLE_OF(code, name, section, about) extern const lb_table lb_##name##_table;
LB_FORCE_LIST(LB_FORCE_TABLE_OF)
#undef LB_FORCE_TABLE_OF

extern const lb_table lb_scene_table, lb_solver_table, lb_repeat_table, lb_material_table,
    lb_shape_table, lb_body_table, lb_elastic_table, lb_marker_table, lb_fit_table,
    lb_retarget_table, lb_hinge_limit_table, lb_slide_limit_table, lb_optimize_table,
    lb_collocate_table, lb_motor_control_table, lb_slide_control_table, lb_muscle_control_table,
    lb_pose_table, lb_turn_table, lb_surface_table, lb_contacts_table, lb_profile_table,
    lb_linkage_table, lb_fork_table, lb_function_part_table, lb_opensim_table;
extern const lb_table lb_joint_table[LB_JOINT_COUNT];
extern const lb_table lb_start_table[LB_JOINT_COUNT];
extern const lb_table lb_muscle_start_table;
extern const lb_choices lb_joint_choices;

// The keys of a scene file, in this order.
#define LB_SECTION_KEY(code, key, word, table, array, about) LB_SCENE_##code,
enum {
  LB_SCENE_LIMBER,
  LB_SCENE_NAME,
  LB_SCENE_ABOUT,
  LB_SCENE_INCLUDE,
  LB_SCENE_GRAVITY,
  LB_SCENE_DURATION,
  LB_SCENE_SOLVER,
  LB_SCENE_RECORD,
  LB_SCENE_CONTACTS,
  LB_SCENE_MATERIALS,
  LB_SCENE_LINKAGES, // makes bodies, joints and motors
  LB_SCENE_BODIES,
  LB_SCENE_SCENERY,
  LB_SCENE_JOINTS,
  LB_SCENE_PROFILES,
  LB_SCENE_FORCES, // a section for each kind
  LB_SCENE_LAST_FORCE = LB_SCENE_FORCES + LB_FORCE_KINDS - 1,
  LB_NAMED_SECTIONS(LB_SECTION_KEY) LB_SCENE_INITIAL,
  LB_SCENE_REPEAT,
  LB_SCENE_MARKERS,
  LB_SCENE_FORK,
  LB_SCENE_OPENSIM, // changes muscles
  LB_SCENE_FIT,
  LB_SCENE_RETARGET,
  LB_SCENE_OPTIMIZE,
  LB_SCENE_COLLOCATE,
  LB_SCENE_KEYS
};
#undef LB_SECTION_KEY

// A section of named parts, as an array of the scene.
typedef struct lb_scene_section {
  const char* word;
  const lb_table* table;
  size_t array, count; // in lb_scene
  size_t kind;         // where parts have a number of their own section in that array; 0: nowhere
  int number;
  bool keeps; // what is wrong stays in its place, for others to name
} lb_scene_section;
extern const lb_scene_section
    lb_scene_sections[LB_SCENE_KEYS]; // without a table: read in its own way

// Defaults of a struct: `init`, then the standards that are values.
void lb_table_default(const lb_table* table, void* part);
bool lb_field_is_required(const lb_table* table, int i);
// What is wrong with a number, in words, or NULL; `unset`: it may be left unset where its range
// says so.
const char* lb_range_fault(lb_range range, double x, bool unset);
