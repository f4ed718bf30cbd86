// The tables of optimisation: what may change, and what for.
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#define OWNER(code, word, about)                                                                   \
  [code] = {                                                                                       \
      word,    LB_VALUE_TEXT, offsetof(lb_parameter_spec, of) + (code) * sizeof(const char*),      \
      LB_PURE, LB_ANY,        false,                                                               \
      NULL,    NULL,          about}
#define BOUND(word, member, about)                                                                 \
  {                                                                                                \
    word, LB_VALUE_BOUND, offsetof(lb_parameter_spec, member), LB_PURE, LB_ANY, false, NULL,       \
        "any", about                                                                               \
  }
static const lb_field parameter_fields[] = {
    OWNER(LB_PARAMETER_POSITION, "position",
          "a joint whose coordinates at the start may change, or a free body whose place may"),
    OWNER(LB_PARAMETER_ROTATION, "rotation",
          "a free body that may be turned at the start: a rotation vector along its axes, from how "
          "the scene has it"),
    OWNER(LB_PARAMETER_VELOCITY, "velocity",
          "a joint or free body whose velocity at the start may change"),
    OWNER(LB_PARAMETER_SPIN, "spin", "a free body whose turning at the start may change"),
    OWNER(LB_PARAMETER_MOTOR, "motor",
          "a motor whose curve may change: the values of its keys or "
          "points"),
    OWNER(LB_PARAMETER_MASS, "mass", "a rigid body that may be heavier or lighter, inertia alike"),
    OWNER(LB_PARAMETER_LENGTH, "length",
          "a rigid body that may be longer or shorter, from where its joint holds it; a factor"),
    OWNER(LB_PARAMETER_STIFFNESS, "stiffness",
          "a spring, cable, strand, ground or joint that may be stiffer"),
    OWNER(LB_PARAMETER_DAMPING, "damping",
          "a spring, cable, strand or joint that may be damped more"),
    OWNER(LB_PARAMETER_TURN_STIFFNESS, "turn_stiffness",
          "a joint that slides and turns and may be stiffer against turning"),
    OWNER(LB_PARAMETER_TURN_DAMPING, "turn_damping",
          "a joint that slides and turns and whose turning may be damped more"),
    OWNER(LB_PARAMETER_REST, "rest",
          "a spring or cable whose length at rest may change, a strand whose slack may, or a joint "
          "whose spring may pull elsewhere"),
    OWNER(LB_PARAMETER_YOUNG, "young",
          "a material of elastic bodies or flesh whose modulus may change"),
    [LB_PARAMETER_KEY_KNOTS] = {"knots", LB_VALUE_COUNT, offsetof(lb_parameter_spec, knots),
                                LB_PURE, LB_POSITIVE, false, NULL, "the motor's own keys or points",
                                "of a motor: how many values, evenly spaced over the motion with "
                                "straight lines between them"},
    [LB_PARAMETER_KEY_ALONG] = {"along", LB_VALUE_AXIS, offsetof(lb_parameter_spec, along), LB_PURE,
                                LB_ANY, false, NULL, "x",
                                "of a length: where the body is stretched to, in its axes"},
    [LB_PARAMETER_KEY_PART] = {"part", LB_VALUE_COUNT, offsetof(lb_parameter_spec, part), LB_PURE,
                               LB_POSITIVE, false, NULL, "all of them",
                               "of a composite joint: which of its parts, the first is 1"},
    [LB_PARAMETER_KEY_LEAST] = BOUND("at_least", least, "none of its numbers goes below it"),
    [LB_PARAMETER_KEY_MOST] = BOUND("at_most", most, "none of its numbers goes above it"),
};
const lb_table lb_parameter_table = {"parameter", COUNT(parameter_fields), parameter_fields,
                                     LB_PARAMETER_COUNT, "what may change"};

#define SUBJECT(code, word, about)                                                                 \
  [code] = {word,    LB_VALUE_TEXT, offsetof(lb_goal_spec, of) + (code) * sizeof(const char*),     \
            LB_PURE, LB_ANY,        false,                                                         \
            NULL,    NULL,          about}
static const lb_field goal_fields[] = {
    SUBJECT(LB_GOAL_POINT, "point", "a body, a point of which should be somewhere"),
    SUBJECT(LB_GOAL_JOINT, "joint", "a joint whose coordinates should be something"),
    SUBJECT(LB_GOAL_MOTOR, "motor", "a motor that should exert little"),
    [LB_GOAL_KEY_AT] = {"at", LB_VALUE_VECTOR, offsetof(lb_goal_spec, at), LB_LENGTH, LB_ANY, false,
                        NULL, "[0, 0, 0]", "of a point: which, in the body"},
    [LB_GOAL_KEY_POSITION] = {"position", LB_VALUE_MEASURE, offsetof(lb_goal_spec, position),
                              LB_PURE, LB_ANY, false, NULL, "none",
                              "where it should be: of a point [x, y, z] in the world, of a joint "
                              "its coordinates"},
    [LB_GOAL_KEY_VELOCITY] = {"velocity", LB_VALUE_MEASURE, offsetof(lb_goal_spec, velocity),
                              LB_PURE, LB_ANY, false, NULL, "none",
                              "how fast it should be, instead of position"},
    [LB_GOAL_KEY_ALONG] = {"along", LB_VALUE_TEXT, offsetof(lb_goal_spec, along), LB_PURE, LB_ANY,
                           false, NULL, "xyz",
                           "of a point: the world's axes that count, such as xz"},
    [LB_GOAL_KEY_TIME] = {"time", LB_VALUE_MEASURE, offsetof(lb_goal_spec, time), LB_PURE, LB_ANY,
                          false, NULL, "the end; of a motor the whole motion",
                          "a moment, or [from, to]: the square is then integrated"},
    [LB_GOAL_KEY_WEIGHT] = {"weight", LB_VALUE_NUMBER, offsetof(lb_goal_spec, weight), LB_PURE,
                            LB_NOT_NEGATIVE, false, NULL, "1",
                            "of the square of how far it is off, in SI units"},
};
const lb_table lb_goal_table = {"goal", COUNT(goal_fields), goal_fields, LB_GOAL_COUNT,
                                "what a goal is about"};

static const lb_field optimize_fields[] = {
    {"parameters", LB_VALUE_SECTION, offsetof(lb_optimize_spec, parameters), LB_PURE, LB_ANY, true,
     &lb_parameter_table, NULL, "numbers that may change, by names of your own"},
    {"goals", LB_VALUE_SECTION, offsetof(lb_optimize_spec, goals), LB_PURE, LB_ANY, true,
     &lb_goal_table, NULL, "what they are changed for, by names of your own"},
    {"tolerance", LB_VALUE_NUMBER, offsetof(lb_optimize_spec, tolerance), LB_PURE, LB_POSITIVE,
     false, NULL, "1e-6", "stop when iterations gain less than this part of the objective"},
    {"iterations", LB_VALUE_COUNT, offsetof(lb_optimize_spec, iterations), LB_PURE, LB_POSITIVE,
     false, NULL, "200", "the most to take"},
};
const lb_table lb_optimize_table = {
    .name = "optimize", .count = COUNT(optimize_fields), .field = optimize_fields};
