// The tables of what moves: joints, springs, motors, loads, starts. A joint's keys, and what its
// numbers measure, go by its type, so each type has a table of its own.
#include "scene/format_profile.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

// --- joints ---

#define JOINT(member) offsetof(lb_joint_spec, member)
#define JOINT_COMMON                                                                               \
  {"type",                                                                                         \
   LB_VALUE_CHOICE,                                                                                \
   JOINT(kind),                                                                                    \
   LB_PURE,                                                                                        \
   LB_ANY,                                                                                         \
   true,                                                                                           \
   &lb_joint_choices,                                                                              \
   NULL,                                                                                           \
   "fixed, revolute, prismatic, universal, spherical or free"},                                    \
      {"parent", LB_VALUE_BODY, JOINT(parent),                                                     \
       LB_PURE,  LB_ANY,        false,                                                             \
       NULL,     "world",       "the body it hangs on, or world"},                                 \
      {"child", LB_VALUE_ONE_BODY,    JOINT(child), LB_PURE, LB_ANY, true, NULL,                   \
       NULL,    "the body it carries"},                                                            \
      {"face",                                                                                     \
       LB_VALUE_TEXT,                                                                              \
       JOINT(face),                                                                                \
       LB_PURE,                                                                                    \
       LB_ANY,                                                                                     \
       false,                                                                                      \
       NULL,                                                                                       \
       "for elastic bodies only",                                                                  \
       "the face by which it holds the elastic body; the parent's when both are"},                 \
      {"child_face",                                                                               \
       LB_VALUE_TEXT,                                                                              \
       JOINT(child_face),                                                                          \
       LB_PURE,                                                                                    \
       LB_ANY,                                                                                     \
       false,                                                                                      \
       NULL,                                                                                       \
       "for two elastic bodies only",                                                              \
       "the child's face when both bodies are elastic"},                                           \
      {"at",                                                                                       \
       LB_VALUE_POSE,                                                                              \
       JOINT(at),                                                                                  \
       LB_LENGTH,                                                                                  \
       LB_ANY,                                                                                     \
       false,                                                                                      \
       NULL,                                                                                       \
       "[0, 0, 0], or the middle of the face",                                                     \
       "the joint's frame in the parent: a position, or position and rotation"},                   \
      {"in_child",                                                                                 \
       LB_VALUE_POSE,                                                                              \
       JOINT(in_child),                                                                            \
       LB_LENGTH,                                                                                  \
       LB_ANY,                                                                                     \
       false,                                                                                      \
       NULL,                                                                                       \
       "[0, 0, 0], or the middle of the face",                                                     \
       "the same frame in the child"},                                                             \
  {                                                                                                \
    "loop", LB_VALUE_FLAG, JOINT(loop), LB_PURE, LB_ANY, false, NULL, "false",                     \
        "true closes a loop of bodies instead of carrying the child"                               \
  }
#define JOINT_AXIS(words)                                                                          \
  { "axis", LB_VALUE_AXIS, JOINT(axis), LB_PURE, LB_ANY, true, NULL, NULL, words }
#define JOINT_SPRING(table)                                                                        \
  {                                                                                                \
    "spring", LB_VALUE_TABLE, JOINT(spring), LB_PURE, LB_ANY, false, table, "none",                \
        "pulls the coordinate back"                                                                \
  }
#define JOINT_DAMPING(dimension)                                                                   \
  {                                                                                                \
    "damping", LB_VALUE_NUMBER, JOINT(damping), dimension, LB_NOT_NEGATIVE, false, NULL, "0",      \
        "resists motion, in proportion to the rate"                                                \
  }
#define JOINT_ARMATURE(dimension)                                                                  \
  {                                                                                                \
    "armature", LB_VALUE_NUMBER, JOINT(armature), dimension, LB_NOT_NEGATIVE, false, NULL, "0",    \
        "inertia of a geared motor's rotor, as felt at the joint"                                  \
  }
#define SPRING_STIFFNESS(dimension)                                                                \
  {                                                                                                \
    "stiffness", LB_VALUE_NUMBER, offsetof(lb_joint_spring_spec, stiffness), dimension,            \
        LB_NOT_NEGATIVE, true, NULL, NULL, "how hard it pulls"                                     \
  }
#define SPRING_REST(dimension)                                                                     \
  {                                                                                                \
    "rest", LB_VALUE_NUMBER, offsetof(lb_joint_spring_spec, rest), dimension, LB_ANY, false, NULL, \
        "0", "where it pulls to"                                                                   \
  }

static const lb_field hinge_spring_fields[] = {SPRING_STIFFNESS(LB_TURN_STIFFNESS),
                                               SPRING_REST(LB_ANGLE)};
static const lb_field slide_spring_fields[] = {SPRING_STIFFNESS(LB_STIFFNESS),
                                               SPRING_REST(LB_LENGTH)};
static const lb_field ball_spring_fields[] = {SPRING_STIFFNESS(LB_TURN_STIFFNESS)};
const lb_table lb_hinge_spring_table = TABLE("revolute spring", hinge_spring_fields);
const lb_table lb_slide_spring_table = TABLE("prismatic spring", slide_spring_fields);
const lb_table lb_cross_spring_table = TABLE("universal spring", ball_spring_fields);
const lb_table lb_ball_spring_table = TABLE("spherical spring", ball_spring_fields);

static const lb_field fixed_fields[] = {JOINT_COMMON};
static const lb_field revolute_fields[] = {
    JOINT_COMMON, JOINT_AXIS("what it turns about: x, y, z, -x, -y, -z or three numbers"),
    JOINT_SPRING(&lb_hinge_spring_table), JOINT_DAMPING(LB_TURN_DAMPING),
    JOINT_ARMATURE(LB_INERTIA)};
static const lb_field prismatic_fields[] = {
    JOINT_COMMON, JOINT_AXIS("what it slides along: x, y, z, -x, -y, -z or three numbers"),
    JOINT_SPRING(&lb_slide_spring_table), JOINT_DAMPING(LB_DAMPING), JOINT_ARMATURE(LB_MASS)};
static const lb_field universal_fields[] = {
    JOINT_COMMON,
    {"axis", LB_VALUE_AXIS, JOINT(axis), LB_PURE, LB_ANY, false, NULL, "x",
     "the first axis, which stays fixed in the parent"},
    {"second_axis", LB_VALUE_AXIS, JOINT(second_axis), LB_PURE, LB_ANY, false, NULL,
     "y after x, z after y, x after z",
     "the other axis, at right angles to it, which stays fixed in the child"},
    JOINT_SPRING(&lb_cross_spring_table),
    JOINT_DAMPING(LB_TURN_DAMPING),
    JOINT_ARMATURE(LB_INERTIA)};
static const lb_field spherical_fields[] = {JOINT_COMMON, JOINT_SPRING(&lb_ball_spring_table),
                                            JOINT_DAMPING(LB_TURN_DAMPING)};
static const lb_field free_fields[] = {JOINT_COMMON};

const lb_table lb_joint_table[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = TABLE("fixed joint", fixed_fields),
    [LB_JOINT_REVOLUTE] = TABLE("revolute joint", revolute_fields),
    [LB_JOINT_PRISMATIC] = TABLE("prismatic joint", prismatic_fields),
    [LB_JOINT_UNIVERSAL] = TABLE("universal joint", universal_fields),
    [LB_JOINT_SPHERICAL] = TABLE("spherical joint", spherical_fields),
    [LB_JOINT_FREE] = TABLE("free joint", free_fields),
};

const lb_joint_measure lb_joint_measures[LB_JOINT_COUNT] = {
    [LB_JOINT_REVOLUTE] = {LB_ANGLE, LB_TURN_RATE, LB_TORQUE},
    [LB_JOINT_PRISMATIC] = {LB_LENGTH, LB_SPEED, LB_FORCE},
};

// --- springs, motors, loads ---

static const lb_field end_fields[] = {
    {"body", LB_VALUE_BODY, offsetof(lb_end_spec, body), LB_PURE, LB_ANY, false, NULL, "world",
     "what it is fastened to, or world"},
    {"face", LB_VALUE_TEXT, offsetof(lb_end_spec, face), LB_PURE, LB_ANY, false, NULL,
     "for elastic bodies only", "the face of an elastic body that the point moves with"},
    {"at", LB_VALUE_VECTOR, offsetof(lb_end_spec, at), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0], or the middle of the face", "where, in that body"},
};
const lb_table lb_end_table = TABLE("end", end_fields);

static const lb_field spring_fields[] = {
    {"from", LB_VALUE_TABLE, offsetof(lb_spring_spec, from), LB_PURE, LB_ANY, true, &lb_end_table,
     NULL, "one end: {body: ..., at: [...]}"},
    {"to", LB_VALUE_TABLE, offsetof(lb_spring_spec, to), LB_PURE, LB_ANY, true, &lb_end_table, NULL,
     "the other end: {body: ..., at: [...]}"},
    {"stiffness", LB_VALUE_NUMBER, offsetof(lb_spring_spec, stiffness), LB_STIFFNESS,
     LB_NOT_NEGATIVE, true, NULL, NULL, "force for each metre it is stretched"},
    {"damping", LB_VALUE_NUMBER, offsetof(lb_spring_spec, damping), LB_DAMPING, LB_NOT_NEGATIVE,
     false, NULL, "0", "force for each metre per second it is being stretched"},
    {"length", LB_VALUE_NUMBER, offsetof(lb_spring_spec, length), LB_LENGTH, LB_NOT_NEGATIVE, false,
     NULL, "as long as it is at the start", "when nothing pulls on it"},
};
const lb_table lb_spring_table = TABLE("spring", spring_fields);

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
    {"points", LB_VALUE_POINTS, offsetof(lb_spline_spec, points), LB_PURE, LB_ANY, true, NULL, NULL,
     "control points, more than the degree"},
};
const lb_table lb_spline_table = TABLE("spline", spline_fields);

static const lb_field motor_fields[] = {
    {"joint", LB_VALUE_JOINT, offsetof(lb_motor_spec, joint), LB_PURE, LB_ANY, true, NULL, NULL,
     "the revolute or prismatic joint it drives"},
    {"drive", LB_VALUE_CHOICE, offsetof(lb_motor_spec, drive), LB_PURE, LB_ANY, false,
     &drive_choices, "position",
     "position: the joint follows exactly; force: a torque or force on the joint"},
    {"keys", LB_VALUE_KEYS, PROFILE(lb_motor_spec, keys), LB_PURE, LB_ANY, false, NULL, "none",
     "[time, value] pairs: angles or distances, torques or forces"},
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

// --- starts ---

#define START(member) offsetof(lb_start_spec, member)
static const lb_field hinge_start_fields[] = {
    {"position", LB_VALUE_NUMBER, START(place), LB_ANGLE, LB_ANY, false, NULL, "0", "the angle"},
    {"velocity", LB_VALUE_NUMBER, START(rate), LB_TURN_RATE, LB_ANY, false, NULL, "0",
     "how fast it turns"},
};
static const lb_field slide_start_fields[] = {
    {"position", LB_VALUE_NUMBER, START(place), LB_LENGTH, LB_ANY, false, NULL, "0",
     "the distance"},
    {"velocity", LB_VALUE_NUMBER, START(rate), LB_SPEED, LB_ANY, false, NULL, "0",
     "how fast it slides"},
};
static const lb_field cross_start_fields[] = {
    {"position", LB_VALUE_PAIR, START(place), LB_ANGLE, LB_ANY, false, NULL, "[0, 0]",
     "the angles about the first and the second axis"},
    {"velocity", LB_VALUE_PAIR, START(rate), LB_TURN_RATE, LB_ANY, false, NULL, "[0, 0]",
     "how fast they turn"},
};
#define START_ROTATION                                                                             \
  {                                                                                                \
    "rotation", LB_VALUE_ROTATION, START(rotation), LB_ANGLE, LB_ANY, false, NULL, "none",         \
        "how the child is turned from the parent"                                                  \
  }
#define START_SPIN                                                                                 \
  {                                                                                                \
    "spin", LB_VALUE_VECTOR, START(spin), LB_TURN_RATE, LB_ANY, false, NULL, "[0, 0, 0]",          \
        "turning speed about the child's own axes"                                                 \
  }
static const lb_field ball_start_fields[] = {START_ROTATION, START_SPIN};
static const lb_field free_start_fields[] = {
    {"position", LB_VALUE_VECTOR, START(position), LB_LENGTH, LB_ANY, false, NULL, "[0, 0, 0]",
     "where the child is, in the parent or the world"},
    START_ROTATION,
    {"velocity", LB_VALUE_VECTOR, START(velocity), LB_SPEED, LB_ANY, false, NULL, "[0, 0, 0]",
     "of its origin, along the axes of the parent or the world"},
    START_SPIN,
};

const lb_table lb_start_table[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = {.name = "fixed joint"},
    [LB_JOINT_REVOLUTE] = TABLE("revolute joint", hinge_start_fields),
    [LB_JOINT_PRISMATIC] = TABLE("prismatic joint", slide_start_fields),
    [LB_JOINT_UNIVERSAL] = TABLE("universal joint", cross_start_fields),
    [LB_JOINT_SPHERICAL] = TABLE("spherical joint", ball_start_fields),
    [LB_JOINT_FREE] = TABLE("free joint", free_start_fields),
};
