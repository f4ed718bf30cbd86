// The tables of joints and of how they start. A joint's keys, and what its numbers measure, go by
// its type, so each type has a table of its own.
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

#define NAME_OF_TURN(code, name, i, j, k) name,
static const char* const turn_names[] = {LB_TURN_LIST(NAME_OF_TURN)};
static const lb_choices turn_choices = {LB_TURN_COUNT, turn_names};
// angles only; the first is the rotation vector
static const lb_choices euler_choices = {LB_TURN_COUNT - 1, turn_names + 1};
static const char* const first_names[] = {"translation", "rotation"};
static const lb_choices first_choices = {COUNT(first_names), first_names};
static const char* const hold_names[] = {"rigid", "average"};
static const lb_choices hold_choices = {COUNT(hold_names), hold_names};

// --- what all joints have ---

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
   "what it leaves free: fixed, revolute, prismatic, universal, spherical, free or another"},      \
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
      {"hold",                                                                                     \
       LB_VALUE_CHOICE,                                                                            \
       JOINT(hold),                                                                                \
       LB_PURE,                                                                                    \
       LB_ANY,                                                                                     \
       false,                                                                                      \
       &hold_choices,                                                                              \
       "rigid",                                                                                    \
       "rigid: glued or bolted, so that the face cannot warp; average: by the mean of the face"},  \
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

// --- what resists ---

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
#define JOINT_FRICTION(size, speed)                                                                \
  {"friction",                                                                                     \
   LB_VALUE_NUMBER,                                                                                \
   JOINT(friction),                                                                                \
   size,                                                                                           \
   LB_NOT_NEGATIVE,                                                                                \
   false,                                                                                          \
   NULL,                                                                                           \
   "0",                                                                                            \
   "resists motion, whatever the rate"},                                                           \
  {                                                                                                \
    "friction_speed", LB_VALUE_NUMBER, JOINT(friction_speed), speed, LB_POSITIVE, false, NULL,     \
        "0.01", "below about this rate friction fades out, so that it has no jump"                 \
  }
#define JOINT_LIMITS(table)                                                                        \
  {                                                                                                \
    "limits", LB_VALUE_TABLE, JOINT(limits), LB_PURE, LB_ANY, false, table, "none",                \
        "how far it goes, and what pushes it back beyond"                                          \
  }
#define RESISTS_TURNING(spring, limits)                                                            \
  JOINT_SPRING(spring), JOINT_DAMPING(LB_TURN_DAMPING), JOINT_ARMATURE(LB_INERTIA),                \
      JOINT_FRICTION(LB_TORQUE, LB_TURN_RATE), JOINT_LIMITS(limits)
#define RESISTS_SLIDING(spring, limits)                                                            \
  JOINT_SPRING(spring), JOINT_DAMPING(LB_DAMPING), JOINT_ARMATURE(LB_MASS),                        \
      JOINT_FRICTION(LB_FORCE, LB_SPEED), JOINT_LIMITS(limits)
#define RESISTS_NUMBER(spring, limits)                                                             \
  JOINT_SPRING(spring), JOINT_DAMPING(LB_PURE), JOINT_ARMATURE(LB_PURE),                           \
      JOINT_FRICTION(LB_PURE, LB_PURE), JOINT_LIMITS(limits)

#define SPRING(member) offsetof(lb_joint_spring_spec, member)
#define SPRING_STIFFNESS(dimension)                                                                \
  {                                                                                                \
    "stiffness", LB_VALUE_NUMBER, SPRING(stiffness), dimension, LB_NOT_NEGATIVE, false, NULL,      \
        "required, unless there is a table", "how hard it pulls"                                   \
  }
#define SPRING_EXPONENT(key, member)                                                               \
  {                                                                                                \
    key, LB_VALUE_NUMBER, SPRING(member), LB_PURE, LB_POSITIVE, false, NULL, "1",                  \
        "at least 1: it pulls with this power of how far it is stretched"                          \
  }
#define SPRING_CURVE(key, member)                                                                  \
  {                                                                                                \
    key, LB_VALUE_CURVE, SPRING(member), LB_PURE, LB_ANY, false, NULL, "none",                     \
        "[stretch, force] pairs instead of a stiffness, straight in between and beyond"            \
  }
#define SPRING_REST(value, dimension, standard)                                                    \
  { "rest", value, SPRING(rest), dimension, LB_ANY, false, NULL, standard, "where it pulls to" }
#define SPRING_TABLE(name, word, stiffness, value, dimension, standard)                            \
  static const lb_field name##_spring_fields[] = {                                                 \
      SPRING_STIFFNESS(stiffness), SPRING_REST(value, dimension, standard),                        \
      SPRING_EXPONENT("exponent", exponent), SPRING_CURVE("table", table)};                        \
  const lb_table lb_##name##_spring_table = TABLE(word " spring", name##_spring_fields)

SPRING_TABLE(hinge, "revolute", LB_TURN_STIFFNESS, LB_VALUE_NUMBER, LB_ANGLE, "0");
SPRING_TABLE(slide, "prismatic", LB_STIFFNESS, LB_VALUE_NUMBER, LB_LENGTH, "0");
SPRING_TABLE(cross, "universal", LB_TURN_STIFFNESS, LB_VALUE_PAIR, LB_ANGLE, "[0, 0]");
SPRING_TABLE(planar, "planar", LB_STIFFNESS, LB_VALUE_PAIR, LB_LENGTH, "[0, 0]");
SPRING_TABLE(shift, "translational", LB_STIFFNESS, LB_VALUE_VECTOR, LB_LENGTH, "[0, 0, 0]");
SPRING_TABLE(angles, "euler", LB_TURN_STIFFNESS, LB_VALUE_VECTOR, LB_ANGLE, "[0, 0, 0]");
SPRING_TABLE(curve, "spline-curve", LB_PURE, LB_VALUE_NUMBER, LB_PURE, "0");
SPRING_TABLE(surface, "spline-surface", LB_PURE, LB_VALUE_PAIR, LB_PURE, "[0, 0]");
static const lb_field ball_spring_fields[] = {SPRING_STIFFNESS(LB_TURN_STIFFNESS),
                                              {"rest", LB_VALUE_ROTATION, SPRING(rotation),
                                               LB_ANGLE, LB_ANY, false, NULL, "none",
                                               "how the child is turned where it pulls to"},
                                              SPRING_EXPONENT("exponent", exponent),
                                              SPRING_CURVE("table", table)};
const lb_table lb_ball_spring_table = TABLE("spherical spring", ball_spring_fields);
// of joints that slide and turn
#define FREE_SPRING_TABLE(name, word, shift, shift_zero, turn, member, turn_zero)                  \
  static const lb_field name##_spring_fields[] = {                                                 \
      {"stiffness", LB_VALUE_NUMBER, SPRING(stiffness), LB_STIFFNESS, LB_NOT_NEGATIVE, false,      \
       NULL, "0", "how hard it pulls distances"},                                                  \
      {"turn_stiffness", LB_VALUE_NUMBER, SPRING(turn_stiffness), LB_TURN_STIFFNESS,               \
       LB_NOT_NEGATIVE, false, NULL, "0", "how hard it pulls angles"},                             \
      {"rest", shift, SPRING(rest), LB_LENGTH, LB_ANY, false, NULL, shift_zero,                    \
       "the distances it pulls to"},                                                               \
      {"turn_rest", turn, SPRING(member), LB_ANGLE, LB_ANY, false, NULL, turn_zero,                \
       "the rotation it pulls to"},                                                                \
      SPRING_EXPONENT("exponent", exponent),                                                       \
      SPRING_CURVE("table", table),                                                                \
      SPRING_EXPONENT("turn_exponent", turn_exponent),                                             \
      SPRING_CURVE("turn_table", turn_table)};                                                     \
  const lb_table lb_##name##_spring_table = TABLE(word " spring", name##_spring_fields)
FREE_SPRING_TABLE(free, "free", LB_VALUE_VECTOR, "[0, 0, 0]", LB_VALUE_ROTATION, rotation, "none");
FREE_SPRING_TABLE(free_2d, "free-2d", LB_VALUE_PAIR, "[0, 0]", LB_VALUE_NUMBER, turn_rest, "0");
FREE_SPRING_TABLE(free_3d, "free-3d", LB_VALUE_VECTOR, "[0, 0, 0]", LB_VALUE_VECTOR, turn_rest,
                  "[0, 0, 0]");

#define BOUND(member) offsetof(lb_joint_bounds_spec, member)
#define BOUNDS_PUSH(measure, stiff, damp)                                                          \
  {"stiffness",                                                                                    \
   LB_VALUE_NUMBER,                                                                                \
   BOUND(stiffness),                                                                               \
   stiff,                                                                                          \
   LB_POSITIVE,                                                                                    \
   true,                                                                                           \
   NULL,                                                                                           \
   NULL,                                                                                           \
   "how hard it is pushed back"},                                                                  \
      {"damping",                                                                                  \
       LB_VALUE_NUMBER,                                                                            \
       BOUND(damping),                                                                             \
       damp,                                                                                       \
       LB_NOT_NEGATIVE,                                                                            \
       false,                                                                                      \
       NULL,                                                                                       \
       "0",                                                                                        \
       "resists motion beyond the limits"},                                                        \
      {"transition",                                                                               \
       LB_VALUE_NUMBER,                                                                            \
       BOUND(transition),                                                                          \
       measure,                                                                                    \
       LB_NOT_NEGATIVE,                                                                            \
       false,                                                                                      \
       NULL,                                                                                       \
       "0.001",                                                                                    \
       "the damping comes in over this much beyond a limit; 0: with a jump"},                      \
  {                                                                                                \
    "pulls", LB_VALUE_FLAG, BOUND(pulls), LB_PURE, LB_ANY, false, NULL, "false",                   \
        "true: damping holds back what returns, too; false: it never pulls"                        \
  }
#define BOUNDS_TABLE(name, word, value, measure, stiff, damp)                                      \
  static const lb_field name##_bounds_fields[] = {                                                 \
      {"lower", value, BOUND(lower), measure, LB_ANY, false, NULL, "none", "the least it may be"}, \
      {"upper", value, BOUND(upper), measure, LB_ANY, false, NULL, "none", "the most it may be"},  \
      BOUNDS_PUSH(measure, stiff, damp)};                                                          \
  const lb_table lb_##name##_bounds_table = TABLE(word " limits", name##_bounds_fields)

BOUNDS_TABLE(hinge, "revolute", LB_VALUE_NUMBER, LB_ANGLE, LB_TURN_STIFFNESS, LB_TURN_DAMPING);
BOUNDS_TABLE(slide, "prismatic", LB_VALUE_NUMBER, LB_LENGTH, LB_STIFFNESS, LB_DAMPING);
BOUNDS_TABLE(cross, "universal", LB_VALUE_PAIR, LB_ANGLE, LB_TURN_STIFFNESS, LB_TURN_DAMPING);
BOUNDS_TABLE(planar, "planar", LB_VALUE_PAIR, LB_LENGTH, LB_STIFFNESS, LB_DAMPING);
BOUNDS_TABLE(shift, "translational", LB_VALUE_VECTOR, LB_LENGTH, LB_STIFFNESS, LB_DAMPING);
BOUNDS_TABLE(angles, "euler", LB_VALUE_VECTOR, LB_ANGLE, LB_TURN_STIFFNESS, LB_TURN_DAMPING);
BOUNDS_TABLE(curve, "spline-curve", LB_VALUE_NUMBER, LB_PURE, LB_PURE, LB_PURE);
BOUNDS_TABLE(surface, "spline-surface", LB_VALUE_PAIR, LB_PURE, LB_PURE, LB_PURE);

static const lb_field ball_bounds_fields[] = {
    {"axis", LB_VALUE_AXIS, BOUND(axis), LB_PURE, LB_ANY, false, NULL, "z",
     "what swings and what it twists about, such as the bone that the child is"},
    {"swing", LB_VALUE_NUMBER, BOUND(swing), LB_ANGLE, LB_POSITIVE, false, NULL, "none",
     "how far the axis may lean, whichever way: half the opening of a cone"},
    {"twist", LB_VALUE_PAIR, BOUND(twist), LB_ANGLE, LB_ANY, false, NULL, "none",
     "[least, most] that it may turn about the axis"},
    BOUNDS_PUSH(LB_ANGLE, LB_TURN_STIFFNESS, LB_TURN_DAMPING)};
const lb_table lb_ball_bounds_table = TABLE("spherical limits", ball_bounds_fields);

// --- joints ---

#define JOINT_AXIS(words)                                                                          \
  { "axis", LB_VALUE_AXIS, JOINT(axis), LB_PURE, LB_ANY, true, NULL, NULL, words }
#define JOINT_TWO_AXES(first, second)                                                              \
  {"axis", LB_VALUE_AXIS, JOINT(axis), LB_PURE, LB_ANY, false, NULL, "x", first}, {                \
    "second_axis", LB_VALUE_AXIS, JOINT(second_axis), LB_PURE, LB_ANY, false, NULL,                \
        "y after x, z after y, x after z", second                                                  \
  }
#define JOINT_TURN(key, member, dimension, range, standard)                                        \
  {                                                                                                \
    key, LB_VALUE_NUMBER, JOINT(member), dimension, range, false, NULL, standard,                  \
        "the same for turning"                                                                     \
  }
// of joints that slide and turn
#define JOINT_FREE_RESISTS(spring, shifts, turns)                                                  \
  JOINT_SPRING(spring), JOINT_DAMPING(LB_DAMPING),                                                 \
      JOINT_TURN("turn_damping", turn_damping, LB_TURN_DAMPING, LB_NOT_NEGATIVE, "0"),             \
      JOINT_FRICTION(LB_FORCE, LB_SPEED),                                                          \
      JOINT_TURN("turn_friction", turn_friction, LB_TORQUE, LB_NOT_NEGATIVE, "0"),                 \
      JOINT_TURN("turn_friction_speed", turn_friction_speed, LB_TURN_RATE, LB_POSITIVE, "0.01"),   \
      JOINT_ARMATURE(LB_MASS),                                                                     \
      JOINT_TURN("turn_armature", turn_armature, LB_INERTIA, LB_NOT_NEGATIVE, "0"),                \
      JOINT_LIMITS(shifts), {                                                                      \
    "turn_limits", LB_VALUE_TABLE, JOINT(turn_limits), LB_PURE, LB_ANY, false, turns, "none",      \
        "the same for its angles"                                                                  \
  }

static const lb_field fixed_fields[] = {JOINT_COMMON};
static const lb_field revolute_fields[] = {
    JOINT_COMMON, JOINT_AXIS("what it turns about: x, y, z, -x, -y, -z or three numbers"),
    RESISTS_TURNING(&lb_hinge_spring_table, &lb_hinge_bounds_table)};
static const lb_field prismatic_fields[] = {
    JOINT_COMMON, JOINT_AXIS("what it slides along: x, y, z, -x, -y, -z or three numbers"),
    RESISTS_SLIDING(&lb_slide_spring_table, &lb_slide_bounds_table)};
static const lb_field universal_fields[] = {
    JOINT_COMMON,
    JOINT_TWO_AXES("the first axis, which stays fixed in the parent",
                   "the other axis, at right angles to it, which stays fixed in the child"),
    RESISTS_TURNING(&lb_cross_spring_table, &lb_cross_bounds_table)};
static const lb_field spherical_fields[] = {
    JOINT_COMMON, RESISTS_TURNING(&lb_ball_spring_table, &lb_ball_bounds_table)};
static const lb_field free_fields[] = {
    JOINT_COMMON,
    JOINT_FREE_RESISTS(&lb_free_spring_table, &lb_shift_bounds_table, &lb_ball_bounds_table)};
static const lb_field planar_fields[] = {
    JOINT_COMMON,
    JOINT_TWO_AXES("the first direction it slides along",
                   "the other direction, at right angles to it"),
    RESISTS_SLIDING(&lb_planar_spring_table, &lb_planar_bounds_table)};
static const lb_field translational_fields[] = {
    JOINT_COMMON, RESISTS_SLIDING(&lb_shift_spring_table, &lb_shift_bounds_table)};
static const lb_field helical_fields[] = {
    JOINT_COMMON,
    JOINT_AXIS("what it turns about and slides along: x, y, z, -x, -y, -z or three numbers"),
    {"pitch", LB_VALUE_NUMBER, JOINT(pitch), LB_LENGTH, LB_ANY, true, NULL, NULL,
     "how far one turn takes it along the axis; negative: a left-handed thread"},
    RESISTS_TURNING(&lb_hinge_spring_table, &lb_hinge_bounds_table)};
static const lb_field euler_fields[] = {
    JOINT_COMMON,
    {"order", LB_VALUE_CHOICE, JOINT(euler), LB_PURE, LB_ANY, false, &euler_choices, "xyz",
     "axes of the three angles, each turned by those before"},
    RESISTS_TURNING(&lb_angles_spring_table, &lb_angles_bounds_table)};
static const lb_field exponential_fields[] = {
    JOINT_COMMON, RESISTS_TURNING(&lb_angles_spring_table, &lb_angles_bounds_table)};
static const lb_field free_2d_fields[] = {
    JOINT_COMMON,
    JOINT_TWO_AXES("the first direction of its plane",
                   "the other direction, at right angles to it"),
    JOINT_FREE_RESISTS(&lb_free_2d_spring_table, &lb_planar_bounds_table, &lb_hinge_bounds_table)};
static const lb_field free_3d_fields[] = {
    JOINT_COMMON,
    {"order", LB_VALUE_CHOICE, JOINT(order), LB_PURE, LB_ANY, false, &turn_choices, "exponential",
     "a rotation vector, or the axes of three angles, each turned by those before"},
    {"first", LB_VALUE_CHOICE, JOINT(first), LB_PURE, LB_ANY, false, &first_choices, "translation",
     "translation along the parent's axes, then rotation; or the other way round"},
    JOINT_FREE_RESISTS(&lb_free_3d_spring_table, &lb_shift_bounds_table, &lb_angles_bounds_table)};
static const lb_field curve_fields[] = {
    JOINT_COMMON,
    {"frames", LB_VALUE_POSES, JOINT(frames), LB_LENGTH, LB_ANY, true, NULL, NULL,
     "control frames in the joint's frame, four or more; the coordinate counts them"},
    {"cyclic", LB_VALUE_FLAG, JOINT(cyclic), LB_PURE, LB_ANY, false, NULL, "false",
     "the last is followed by the first"},
    RESISTS_NUMBER(&lb_curve_spring_table, &lb_curve_bounds_table)};

#define GRID(key, member, dimension, words)                                                        \
  {                                                                                                \
    key, LB_VALUE_GRID, offsetof(lb_surface_spec, member), dimension, LB_ANY, false, NULL, "zero", \
        words                                                                                      \
  }
static const lb_field surface_grid_fields[] = {
    GRID("x", control[0], LB_LENGTH, "along x"),
    GRID("y", control[1], LB_LENGTH, "along y"),
    GRID("z", control[2], LB_LENGTH, "along z"),
    GRID("rx", control[3], LB_ANGLE, "about x, after the translation"),
    GRID("ry", control[4], LB_ANGLE, "about y, after that"),
    GRID("rz", control[5], LB_ANGLE, "about z, after that"),
};
const lb_table lb_surface_table = TABLE("surface", surface_grid_fields);

static const lb_field surface_fields[] = {
    JOINT_COMMON,
    {"surface", LB_VALUE_TABLE, JOINT(surface), LB_PURE, LB_ANY, true, &lb_surface_table, NULL,
     "control values, all in grids of the same size, four by four or more"},
    RESISTS_NUMBER(&lb_surface_spring_table, &lb_surface_bounds_table)};
static const lb_field composite_fields[] = {
    JOINT_COMMON,
    {"parts", LB_VALUE_PARTS, JOINT(parts), LB_PURE, LB_ANY, true, NULL, NULL,
     "joints one after the other, without bodies; 'at' is seen from the part before"}};

const lb_table lb_joint_table[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = TABLE("fixed joint", fixed_fields),
    [LB_JOINT_REVOLUTE] = TABLE("revolute joint", revolute_fields),
    [LB_JOINT_PRISMATIC] = TABLE("prismatic joint", prismatic_fields),
    [LB_JOINT_UNIVERSAL] = TABLE("universal joint", universal_fields),
    [LB_JOINT_SPHERICAL] = TABLE("spherical joint", spherical_fields),
    [LB_JOINT_FREE] = TABLE("free joint", free_fields),
    [LB_JOINT_PLANAR] = TABLE("planar joint", planar_fields),
    [LB_JOINT_TRANSLATIONAL] = TABLE("translational joint", translational_fields),
    [LB_JOINT_HELICAL] = TABLE("helical joint", helical_fields),
    [LB_JOINT_EULER] = TABLE("euler joint", euler_fields),
    [LB_JOINT_EXPONENTIAL] = TABLE("exponential joint", exponential_fields),
    [LB_JOINT_FREE_2D] = TABLE("free-2d joint", free_2d_fields),
    [LB_JOINT_FREE_3D] = TABLE("free-3d joint", free_3d_fields),
    [LB_JOINT_CURVE] = TABLE("spline-curve joint", curve_fields),
    [LB_JOINT_SURFACE] = TABLE("spline-surface joint", surface_fields),
    [LB_JOINT_COMPOSITE] = TABLE("composite joint", composite_fields),
};

const lb_joint_measure lb_coordinate_measures[] = {
    [LB_COORDINATE_ANGLE] = {LB_ANGLE, LB_TURN_RATE, LB_TORQUE},
    [LB_COORDINATE_LENGTH] = {LB_LENGTH, LB_SPEED, LB_FORCE},
    [LB_COORDINATE_NUMBER] = {LB_PURE, LB_PURE, LB_PURE},
};

// --- starts ---

#define START(member) offsetof(lb_start_spec, member)
#define START_TABLE(name, value, measure, speed, standard, words, fast)                            \
  static const lb_field name##_start_fields[] = {                                                  \
      {"position", value, START(place), measure, LB_ANY, false, NULL, standard, words},            \
      {"velocity", value, START(rate), speed, LB_ANY, false, NULL, standard, fast}}

START_TABLE(hinge, LB_VALUE_NUMBER, LB_ANGLE, LB_TURN_RATE, "0", "the angle", "how fast it turns");
START_TABLE(slide, LB_VALUE_NUMBER, LB_LENGTH, LB_SPEED, "0", "the distance", "how fast it slides");
START_TABLE(cross, LB_VALUE_PAIR, LB_ANGLE, LB_TURN_RATE, "[0, 0]",
            "the angles about the first and the second axis", "how fast they turn");
START_TABLE(planar, LB_VALUE_PAIR, LB_LENGTH, LB_SPEED, "[0, 0]",
            "the distances along the first and the second axis", "how fast it slides along them");
START_TABLE(shift, LB_VALUE_VECTOR, LB_LENGTH, LB_SPEED, "[0, 0, 0]", "the distances",
            "how fast it slides");
START_TABLE(angles, LB_VALUE_VECTOR, LB_ANGLE, LB_TURN_RATE, "[0, 0, 0]",
            "the three angles, in their order", "how fast they turn");
START_TABLE(vector, LB_VALUE_VECTOR, LB_ANGLE, LB_TURN_RATE, "[0, 0, 0]",
            "the rotation vector: an axis as long as the angle", "its rate");
START_TABLE(curve, LB_VALUE_NUMBER, LB_PURE, LB_PURE, "0", "where on the curve",
            "how fast it goes along it");
START_TABLE(surface, LB_VALUE_PAIR, LB_PURE, LB_PURE, "[0, 0]", "where on the surface",
            "how fast it goes along it");
#define SEVERAL_START_TABLE(name, value)                                                           \
  static const lb_field name##_start_fields[] = {                                                  \
      {"position", value, START(places), LB_PURE, LB_ANY, false, NULL, "all zero",                 \
       "all coordinates in their order, each a length, an angle or a number"},                     \
      {"velocity", value, START(rates), LB_PURE, LB_ANY, false, NULL, "all zero", "their rates"}}
SEVERAL_START_TABLE(several, LB_VALUE_POINTS);
SEVERAL_START_TABLE(parts, LB_VALUE_MEASURE); // there may be one only
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
    [LB_JOINT_PLANAR] = TABLE("planar joint", planar_start_fields),
    [LB_JOINT_TRANSLATIONAL] = TABLE("translational joint", shift_start_fields),
    [LB_JOINT_HELICAL] = TABLE("helical joint", hinge_start_fields),
    [LB_JOINT_EULER] = TABLE("euler joint", angles_start_fields),
    [LB_JOINT_EXPONENTIAL] = TABLE("exponential joint", vector_start_fields),
    [LB_JOINT_FREE_2D] = TABLE("free-2d joint", several_start_fields),
    [LB_JOINT_FREE_3D] = TABLE("free-3d joint", several_start_fields),
    [LB_JOINT_CURVE] = TABLE("spline-curve joint", curve_start_fields),
    [LB_JOINT_SURFACE] = TABLE("spline-surface joint", surface_start_fields),
    [LB_JOINT_COMPOSITE] = TABLE("composite joint", parts_start_fields),
};
