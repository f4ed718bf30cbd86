// The tables of what pulls and pushes: springs, cables, grounds.
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

static const lb_field end_fields[] = {
    {"body", LB_VALUE_BODY, offsetof(lb_end_spec, body), LB_PURE, LB_ANY, false, NULL, "world",
     "what it is fastened to, or world"},
    {"face", LB_VALUE_TEXT, offsetof(lb_end_spec, face), LB_PURE, LB_ANY, false, NULL,
     "for elastic bodies only", "the face of an elastic body that the point moves with"},
    {"at", LB_VALUE_VECTOR, offsetof(lb_end_spec, at), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0], or the middle of the face", "where, in that body"},
};
const lb_table lb_end_table = TABLE("end", end_fields);

static const lb_field point_fields[] = {
    {"body", LB_VALUE_BODY, offsetof(lb_point_spec, body), LB_PURE, LB_ANY, false, NULL, "world",
     "a rigid body, or world"},
    {"at", LB_VALUE_VECTOR, offsetof(lb_point_spec, at), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0]", "where, in that body"},
};
const lb_table lb_point_table = TABLE("point", point_fields);

#define FORCE_CURVE(type, member)                                                                  \
  offsetof(type, force_curve) + offsetof(lb_force_curve_spec, member)
#define FORCE_CURVE_FIELDS(type, slack_default)                                                    \
  {"stiffness",                                                                                    \
   LB_VALUE_NUMBER,                                                                                \
   FORCE_CURVE(type, stiffness),                                                                   \
   LB_STIFFNESS,                                                                                   \
   LB_NOT_NEGATIVE,                                                                                \
   false,                                                                                          \
   NULL,                                                                                           \
   "required, unless there is a table",                                                            \
   "force for each metre it is stretched"},                                                        \
      {"damping",                                                                                  \
       LB_VALUE_NUMBER,                                                                            \
       FORCE_CURVE(type, damping),                                                                 \
       LB_DAMPING,                                                                                 \
       LB_NOT_NEGATIVE,                                                                            \
       false,                                                                                      \
       NULL,                                                                                       \
       "0",                                                                                        \
       "force for each metre per second it is being stretched"},                                   \
      {"length",                                                                                   \
       LB_VALUE_NUMBER,                                                                            \
       FORCE_CURVE(type, length),                                                                  \
       LB_LENGTH,                                                                                  \
       LB_NOT_NEGATIVE,                                                                            \
       false,                                                                                      \
       NULL,                                                                                       \
       "as long as it is at the start",                                                            \
       "when nothing pulls on it"},                                                                \
      {"exponent",                                                                                 \
       LB_VALUE_NUMBER,                                                                            \
       FORCE_CURVE(type, exponent),                                                                \
       LB_PURE,                                                                                    \
       LB_POSITIVE,                                                                                \
       false,                                                                                      \
       NULL,                                                                                       \
       "1",                                                                                        \
       "at least 1: the force grows with this power of the stretch in metres"},                    \
      {"table",                                                                                    \
       LB_VALUE_CURVE,                                                                             \
       FORCE_CURVE(type, table),                                                                   \
       LB_PURE,                                                                                    \
       LB_ANY,                                                                                     \
       false,                                                                                      \
       NULL,                                                                                       \
       "none",                                                                                     \
       "[stretch, force] pairs instead of a stiffness, straight in between and beyond"},           \
  {                                                                                                \
    "slack", LB_VALUE_FLAG, FORCE_CURVE(type, slack), LB_PURE, LB_ANY, false, NULL, slack_default, \
        "true: it pulls when stretched and does nothing when short"                                \
  }

static const lb_field spring_fields[] = {
    {"from", LB_VALUE_TABLE, offsetof(lb_spring_spec, from), LB_PURE, LB_ANY, true, &lb_end_table,
     NULL, "one end: {body: ..., at: [...]}"},
    {"to", LB_VALUE_TABLE, offsetof(lb_spring_spec, to), LB_PURE, LB_ANY, true, &lb_end_table, NULL,
     "the other end: {body: ..., at: [...]}"},
    FORCE_CURVE_FIELDS(lb_spring_spec, "false"),
    {"along", LB_VALUE_AXIS, offsetof(lb_spring_spec, along), LB_PURE, LB_ANY, false, NULL,
     "the way from end to end",
     "a direction fixed in the body of 'from', or the world: only what lies along it counts"},
};
const lb_table lb_spring_table = TABLE("spring", spring_fields);

static const lb_field cable_fields[] = {
    {"through", LB_VALUE_LIST, offsetof(lb_cable_spec, through), LB_PURE, LB_ANY, true,
     &lb_point_table, NULL, "the points it runs through, in order: {body: ..., at: [...]}"},
    FORCE_CURVE_FIELDS(lb_cable_spec, "true"),
};
const lb_table lb_cable_table = TABLE("cable", cable_fields);

#define GROUND(member) offsetof(lb_ground_spec, member)
static const lb_field ground_fields[] = {
    {"points", LB_VALUE_LIST, GROUND(points), LB_PURE, LB_ANY, true, &lb_point_table, NULL,
     "what may touch it: {body: ..., at: [...]}"},
    {"at", LB_VALUE_VECTOR, GROUND(at), LB_LENGTH, LB_ANY, false, NULL, "[0, 0, 0]",
     "a point of the plane, in the world"},
    {"normal", LB_VALUE_AXIS, GROUND(normal), LB_PURE, LB_ANY, false, NULL, "z",
     "which way is out of the ground"},
    {"stiffness", LB_VALUE_NUMBER, GROUND(stiffness), LB_STIFFNESS, LB_POSITIVE, true, NULL, NULL,
     "push on a point for each metre it is below"},
    {"exponent", LB_VALUE_NUMBER, GROUND(exponent), LB_PURE, LB_POSITIVE, false, NULL, "1",
     "at least 1: the push grows with this power of the depth in metres"},
    {"dissipation", LB_VALUE_NUMBER, GROUND(dissipation), LB_PURE, LB_NOT_NEGATIVE, false, NULL,
     "0", "part of that push that is added for each m/s of sinking in"},
    {"friction", LB_VALUE_NUMBER, GROUND(friction), LB_PURE, LB_NOT_NEGATIVE, false, NULL, "0",
     "the most it rubs, over the push"},
    {"slip", LB_VALUE_NUMBER, GROUND(slip), LB_SPEED, LB_POSITIVE, false, NULL, "1 mm/s",
     "sliding slower than this it rubs less, in proportion"},
};
const lb_table lb_ground_table = TABLE("ground", ground_fields);
