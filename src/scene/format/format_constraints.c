// The tables of constraints. What a coupling's numbers measure goes by its coordinates.
#include "scene/format/format_profile.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

static const lb_field term_fields[] = {
    {"joint", LB_VALUE_JOINT, offsetof(lb_term_spec, joint), LB_PURE, LB_ANY, true, NULL, NULL,
     "whose coordinate"},
    {"coordinate", LB_VALUE_COUNT, offsetof(lb_term_spec, coordinate), LB_PURE, LB_NOT_NEGATIVE,
     false, NULL, "0", "which, of a joint with several, from 0"},
    {"times", LB_VALUE_NUMBER, offsetof(lb_term_spec, factor), LB_PURE, LB_ANY, false, NULL, "1",
     "the factor on it"},
};
const lb_table lb_term_table = TABLE("term", term_fields);

static const lb_field path_fields[] = {
    {"keys", LB_VALUE_KEYS, PROFILE(lb_path_spec, keys), LB_PURE, LB_ANY, false, NULL, "none",
     "[time, place] pairs"},
    {"rates", LB_VALUE_KEYS, PROFILE(lb_path_spec, rates), LB_PURE, LB_ANY, false, NULL, "none",
     "[time, rate] pairs instead of keys: how fast; where then follows"},
    PROFILE_COMMON(lb_path_spec),
};
const lb_table lb_path_table = TABLE("path", path_fields);

static const lb_field turn_fields[] = {
    {"about", LB_VALUE_AXIS, offsetof(lb_prescribed_turn_spec, about), LB_PURE, LB_ANY, true, NULL,
     NULL, "the world's axis: x, y, z, -x, -y, -z or three numbers"},
    {"keys", LB_VALUE_KEYS, PROFILE(lb_prescribed_turn_spec, keys), LB_PURE, LB_ANY, false, NULL,
     "none", "[time, angle] pairs"},
    {"rates", LB_VALUE_KEYS, PROFILE(lb_prescribed_turn_spec, rates), LB_PURE, LB_ANY, false, NULL,
     "none", "[time, spin] pairs instead of keys: how fast; how it is turned then follows"},
    PROFILE_COMMON(lb_prescribed_turn_spec),
};
const lb_table lb_prescribed_turn_table = TABLE("led turn", turn_fields);

#define FOLLOW(member) offsetof(lb_follow_spec, member)
#define PATH(word, k)                                                                              \
  {                                                                                                \
    word, LB_VALUE_TABLE, FOLLOW(path) + (k) * sizeof(lb_path_spec), LB_PURE, LB_ANY, false,       \
        &lb_path_table, "where it is at the start", "where the point is to be along " word         \
  }
static const lb_field follow_fields[] = {
    {"body", LB_VALUE_ONE_BODY, FOLLOW(body), LB_PURE, LB_ANY, true, NULL, NULL,
     "the body that is led"},
    {"at", LB_VALUE_VECTOR, FOLLOW(at), LB_LENGTH, LB_ANY, false, NULL, "[0, 0, 0]",
     "which point of it"},
    {"along", LB_VALUE_TEXT, FOLLOW(along), LB_PURE, LB_ANY, false, NULL, "xyz",
     "the world's axes along which it is: x, xz, xyz and so on, or none; along others it is free"},
    PATH("x", 0),
    PATH("y", 1),
    PATH("z", 2),
    {"rotation", LB_VALUE_FLAG, FOLLOW(rotation), LB_PURE, LB_ANY, false, NULL, "false",
     "true keeps the body turned as it is at the start"},
    {"turn", LB_VALUE_TABLE, FOLLOW(turn), LB_PURE, LB_ANY, false, &lb_prescribed_turn_table,
     "none", "turns the body from there about an axis, over time"},
};
const lb_table lb_follow_table = TABLE("led point", follow_fields);

static const lb_field spot_fields[] = {
    {"at", LB_VALUE_VECTOR, offsetof(lb_spot_spec, at), LB_LENGTH, LB_ANY, true, NULL, NULL,
     "in the body"},
};
const lb_table lb_spot_table = TABLE("spot", spot_fields);

static const lb_field floor_fields[] = {
    {"body", LB_VALUE_ONE_BODY, offsetof(lb_floor_spec, body), LB_PURE, LB_ANY, true, NULL, NULL,
     "the body that stands on it"},
    {"points", LB_VALUE_LIST, offsetof(lb_floor_spec, points), LB_PURE, LB_ANY, false,
     &lb_spot_table, "the body's origin", "the points of it that the floor stops"},
    {"height", LB_VALUE_NUMBER, offsetof(lb_floor_spec, height), LB_LENGTH, LB_ANY, false, NULL,
     "0", "how far its plane is from the world's origin, along the normal"},
    {"normal", LB_VALUE_AXIS, offsetof(lb_floor_spec, normal), LB_PURE, LB_ANY, false, NULL, "z",
     "which way is out of it: walls, slopes and ceilings have others"},
};
const lb_table lb_floor_table = TABLE("floor", floor_fields);

#define CONSTRAINT(member) offsetof(lb_constraint_spec, member)
#define RELATION_BOUND(word, member, about)                                                        \
  { word, LB_VALUE_BOUND, CONSTRAINT(member), LB_PURE, LB_ANY, false, NULL, "none", about }
static const lb_field constraint_fields[] = {
    [LB_CONSTRAINT_COUPLE] = {"couple", LB_VALUE_LIST, CONSTRAINT(couple), LB_PURE, LB_ANY, false,
                              &lb_term_table, NULL,
                              "a sum of joints' coordinates: gears, couplings and limits"},
    [LB_CONSTRAINT_FOLLOW] = {"follow", LB_VALUE_TABLE, CONSTRAINT(follow), LB_PURE, LB_ANY, false,
                              &lb_follow_table, NULL,
                              "a point of a body that is held or led through the world"},
    [LB_CONSTRAINT_FLOOR] = {"floor", LB_VALUE_TABLE, CONSTRAINT(floor), LB_PURE, LB_ANY, false,
                             &lb_floor_table, NULL,
                             "a floor without friction under points of a body"},
    [LB_CONSTRAINT_KEY_EQUALS] = RELATION_BOUND("equals", equals, "what the sum is"),
    [LB_CONSTRAINT_KEY_PATH] = {"path", LB_VALUE_TABLE, CONSTRAINT(path), LB_PURE, LB_ANY, false,
                                &lb_path_table, "none",
                                "what the sum is over time, instead of equals"},
    [LB_CONSTRAINT_KEY_LEAST] = RELATION_BOUND("at_least", least, "the sum does not go below it"),
    [LB_CONSTRAINT_KEY_MOST] = RELATION_BOUND("at_most", most, "the sum does not go above it"),
};
const lb_table lb_constraint_table = {"constraint", COUNT(constraint_fields), constraint_fields,
                                      LB_CONSTRAINT_COUNT, "the kind of a constraint"};
