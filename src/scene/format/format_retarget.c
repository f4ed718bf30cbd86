// The tables of retargeting.
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

static const lb_field track_fields[] = {
    [LB_TRACK_AT] = {"at", LB_VALUE_VECTOR, offsetof(lb_track_spec, at), LB_LENGTH, LB_ANY, false,
                     NULL, "the body's centre of mass", "the point to watch, in that body"},
    [LB_TRACK_POSITION] = {"position", LB_VALUE_NUMBER, offsetof(lb_track_spec, position), LB_PURE,
                           LB_NOT_NEGATIVE, false, NULL, "1",
                           "weight of the squared distance from the target"},
    [LB_TRACK_ORIENTATION] = {"orientation", LB_VALUE_NUMBER, offsetof(lb_track_spec, orientation),
                              LB_PURE, LB_NOT_NEGATIVE, false, NULL, "0",
                              "weight of the squared angle from the target; 0.01 makes a radian as "
                              "bad as 10 cm"},
    [LB_TRACK_KEYS] = {"keys", LB_VALUE_KEYS,
                       offsetof(lb_track_spec, profile) + offsetof(lb_profile_spec, keys), LB_PURE,
                       LB_ANY, false, NULL, "always 1",
                       "[time, factor] pairs that scale both weights"},
    [LB_TRACK_EASE] = {"ease", LB_VALUE_CHOICE,
                       offsetof(lb_track_spec, profile) + offsetof(lb_profile_spec, ease), LB_PURE,
                       LB_ANY, false, &lb_ease_choices, "smooth",
                       "how the factor goes from key to key"},
};
const lb_table lb_track_table = TABLE("tracked body", track_fields);

// In the units of a hinge and of a slide.
#define LIMIT_FIELDS(place, rate, pull, effort, load)                                              \
  [LB_LIMIT_ANGLE] = {"angle", LB_VALUE_PAIR, offsetof(lb_limit_spec, angle),                      \
                      place,   LB_ANY,        false,                                               \
                      NULL,    "any",         "[least, most]; of a slide distances"},              \
  [LB_LIMIT_SPEED] = {"speed", LB_VALUE_NUMBER, offsetof(lb_limit_spec, speed),                    \
                      rate,    LB_POSITIVE,     false,                                             \
                      NULL,    "any",           "the most"},                                       \
  [LB_LIMIT_ACCELERATION] =                                                                        \
      {"acceleration", LB_VALUE_NUMBER, offsetof(lb_limit_spec, acceleration),                     \
       pull,           LB_POSITIVE,     false,                                                     \
       NULL,           "any",           "the most"},                                               \
  [LB_LIMIT_TORQUE] = {                                                                            \
      effort, LB_VALUE_NUMBER, offsetof(lb_limit_spec, torque),                                    \
      load,   LB_POSITIVE,     false,                                                              \
      NULL,   "any",           "the most the motor may exert; the input may need more"}

static const lb_field hinge_limit_fields[] = {
    LIMIT_FIELDS(LB_ANGLE, LB_TURN_RATE, LB_TURN_ACCELERATION, "torque", LB_TORQUE)};
const lb_table lb_hinge_limit_table = TABLE("motor to change", hinge_limit_fields);
static const lb_field slide_limit_fields[] = {
    LIMIT_FIELDS(LB_LENGTH, LB_SPEED, LB_ACCELERATION, "force", LB_FORCE)};
const lb_table lb_slide_limit_table = TABLE("sliding motor to change", slide_limit_fields);

static const lb_field retarget_fields[] = {
    [LB_RETARGET_BODIES] = {"bodies", LB_VALUE_SECTION, offsetof(lb_retarget_spec, bodies), LB_PURE,
                            LB_ANY, true, &lb_track_table, NULL,
                            "bodies that should be where they would be if nothing swung, by name"},
    [LB_RETARGET_MOTORS] = {"motors", LB_VALUE_SECTION, offsetof(lb_retarget_spec, motors), LB_PURE,
                            LB_ANY, false, &lb_hinge_limit_table,
                            "all that drive positions of joints of one coordinate, without limits",
                            "motors whose curves may change, by name, and what they must keep to"},
    [LB_RETARGET_SPACING] = {"spacing", LB_VALUE_NUMBER, offsetof(lb_retarget_spec, spacing),
                             LB_TIME, LB_POSITIVE, false, NULL, "40 ms",
                             "time between the control points of a curve"},
    {"closeness", LB_VALUE_NUMBER, offsetof(lb_retarget_spec, closeness), LB_PURE, LB_NOT_NEGATIVE,
     false, NULL, "1e-5", "weight of the squared distance of a curve from its input"},
    {"smoothness", LB_VALUE_NUMBER, offsetof(lb_retarget_spec, smoothness), LB_PURE,
     LB_NOT_NEGATIVE, false, NULL, "1e-7", "weight of a curve's squared acceleration"},
    {"tolerance", LB_VALUE_NUMBER, offsetof(lb_retarget_spec, tolerance), LB_PURE, LB_POSITIVE,
     false, NULL, "0.01", "stop when an iteration gains less than this part of the objective"},
    {"iterations", LB_VALUE_COUNT, offsetof(lb_retarget_spec, iterations), LB_PURE, LB_POSITIVE,
     false, NULL, "30", "the most to take"},
    {"robust", LB_VALUE_NUMBER, offsetof(lb_retarget_spec, robust), LB_PURE, LB_NOT_NEGATIVE, false,
     NULL, "0",
     "part by which stiffness and masses may be off, such as 0.05: curves then suit softer, "
     "stiffer, lighter and heavier copies too"},
};
const lb_table lb_retarget_table = TABLE("retarget", retarget_fields);
