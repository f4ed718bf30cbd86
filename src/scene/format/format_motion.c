// The tables of what moves joints and bodies: motors and loads.
#include "scene/format/format_profile.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

static const char* const drive_names[] = {
    [LB_DRIVE_POSITION] = "position", [LB_DRIVE_FORCE] = "force"};
static const char* const frame_names[] = {"world", "body"};
static const lb_choices drive_choices = {COUNT(drive_names), drive_names};
static const lb_choices frame_choices = {COUNT(frame_names), frame_names};

static const lb_field spline_fields[] = {
    {"degree", LB_VALUE_COUNT, offsetof(lb_spline_spec, degree), LB_PURE, LB_POSITIVE, false, NULL,
     "3", "1 to 5"},
    {"from", LB_VALUE_NUMBER, offsetof(lb_spline_spec, from), LB_TIME, LB_ANY, false, NULL, "0 s",
     "when the curve begins"},
    {"to", LB_VALUE_NUMBER, offsetof(lb_spline_spec, to), LB_TIME, LB_ANY, true, NULL, NULL,
     "when the curve ends"},
    {"points", LB_VALUE_WAY_POINTS, offsetof(lb_spline_spec, points), LB_PURE, LB_ANY, true, NULL,
     NULL, "control points, more than the degree"},
};
const lb_table lb_spline_table = TABLE("spline", spline_fields);

static const lb_field motor_fields[] = {
    {"joint", LB_VALUE_JOINT, offsetof(lb_motor_spec, joint), LB_PURE, LB_ANY, true, NULL, NULL,
     "the joint it drives"},
    {"coordinate", LB_VALUE_COUNT, offsetof(lb_motor_spec, coordinate), LB_PURE, LB_NOT_NEGATIVE,
     false, NULL, "0", "which, of a joint with several, from 0"},
    {"drive", LB_VALUE_CHOICE, offsetof(lb_motor_spec, drive), LB_PURE, LB_ANY, false,
     &drive_choices, "position",
     "position: the coordinate follows exactly; force: a torque or force on it"},
    {"keys", LB_VALUE_WAY, PROFILE(lb_motor_spec, keys), LB_PURE, LB_ANY, false, NULL, "none",
     "[time, value] pairs: angles, distances or rotations, torques or forces"},
    PROFILE_COMMON(lb_motor_spec),
};
const lb_table lb_motor_table = TABLE("motor", motor_fields);

static const lb_field load_fields[] = {
    {"body", LB_VALUE_ONE_BODY, offsetof(lb_load_spec, body), LB_PURE, LB_ANY, true, NULL, NULL,
     "the body it acts on"},
    {"face", LB_VALUE_TEXT, offsetof(lb_load_spec, face), LB_PURE, LB_ANY, false, NULL,
     "for elastic bodies only", "the face of an elastic body that it acts on"},
    {"at", LB_VALUE_VECTOR, offsetof(lb_load_spec, at), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0], or the middle of the face", "where the force acts, in the body"},
    {"force", LB_VALUE_VECTOR, offsetof(lb_load_spec, force), LB_FORCE, LB_ANY, false, NULL,
     "[0, 0, 0]", "its push"},
    {"torque", LB_VALUE_VECTOR, offsetof(lb_load_spec, torque), LB_TORQUE, LB_ANY, false, NULL,
     "[0, 0, 0]", "its twist"},
    {"frame", LB_VALUE_CHOICE, offsetof(lb_load_spec, frame), LB_PURE, LB_ANY, false,
     &frame_choices, "world",
     "whose axes force and torque are given in; those of the body, or its face, turn with it"},
    {"keys", LB_VALUE_KEYS, PROFILE(lb_load_spec, keys), LB_PURE, LB_ANY, false, NULL, "always 1",
     "[time, factor] pairs that scale force and torque"},
    PROFILE_COMMON(lb_load_spec),
};
const lb_table lb_load_table = TABLE("load", load_fields);
