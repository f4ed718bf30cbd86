// A kind of forces as scenes know it: its keys, what must hold of it, and what others may ask. To
// add one, add its line to LB_FORCE_LIST and a file with its table here, and a file with its
// lb_point_force in dynamics/force.
#pragma once
#include "scene/part/part.h"

typedef struct lb_force_format {
  const lb_table* table; // over lb_scene_force
  bool ends;             // it has keys `from` and `to`, which may name faces of elastic bodies
  bool joins;            // it pulls its points together, and is drawn as lines between them
  bool positive;         // its stiffness may not come to nothing
  bool number[3];        // has it stiffness, damping, length, which optimisations may change?
} lb_force_format;

#define LB_FORCE_FORMAT_OF(code, name, section, about)                                             \
  extern const lb_force_format lb_##name##_format;
LB_FORCE_LIST(LB_FORCE_FORMAT_OF)
#undef LB_FORCE_FORMAT_OF

extern const lb_force_format* const LB_FORCE_FORMAT[LB_FORCE_KINDS];

// Dimension of one of lb_force_format's numbers.
lb_dimension lb_force_dimension(lb_force_kind kind, int number);

// --- for tables ---

extern const lb_table lb_end_table, lb_point_table;

// The two ends are read, and what its force curve has where there is the key `table`.
bool lb_finish_force(lb_reader* r, const lb_yaml* node, bool ok, void* part);
// Points suit the kind, and force curves rise.
void lb_check_force(lb_checker* c, const void* part);

#define LB_FORCE_TABLE(word, rows, ...)                                                            \
  LB_TABLE(word, lb_scene_force, rows, .finish = lb_finish_force, __VA_ARGS__)
#define LB_FORCE_SIZE(key, member, dimension, range, standard, about)                              \
  LB_SIZED(NUMBER, lb_scene_force, key, member, dimension, range, standard, about)
#define LB_FORCE_ENDS                                                                              \
  LB_LATER(TABLE, "from", &lb_end_table, NULL, "one end: {body: ..., at: [...]}"),                 \
      LB_LATER(TABLE, "to", &lb_end_table, NULL, "the other end: {body: ..., at: [...]}")
#define LB_FORCE_CURVE_ROWS(slack_standard)                                                        \
  LB_FORCE_SIZE("stiffness", stiffness, LB_STIFFNESS, LB_NOT_NEGATIVE,                             \
                "required, unless there is a table", "force for each metre it is stretched"),      \
      LB_FORCE_SIZE("damping", damping, LB_DAMPING, LB_NOT_NEGATIVE, "0",                          \
                    "force for each metre per second it is being stretched"),                      \
      LB_FORCE_SIZE("length", length, LB_LENGTH, LB_NOT_NEGATIVE_OR_UNSET,                         \
                    "as long as it is at the start", "when nothing pulls on it"),                  \
      LB_FORCE_SIZE("exponent", force_curve.exponent, LB_PURE, LB_POSITIVE_OR_UNSET, "1",          \
                    "at least 1: the force grows with this power of the stretch in metres"),       \
      LB_LATER(CURVE, "table", NULL, "none",                                                       \
               "[stretch, force] pairs instead of a stiffness, straight in between and beyond"),   \
      LB_ROW(FLAG, lb_scene_force, "slack", force_curve.slack, slack_standard,                     \
             "true: it pulls when stretched and does nothing when short")
