// Keys of joints, and of how they start. What a joint's numbers measure goes by its type, so each
// type has a table of its own.
#include "scene/part/part.h"

#define NAME_OF_JOINT(code, name, nq, nv) name,
static const char* const joint_names[] = {LB_JOINT_LIST(NAME_OF_JOINT)};
const lb_choices lb_joint_choices = LB_CHOICES(joint_names);
#define NAME_OF_TURN(code, name, i, j, k) name,
static const char* const turn_names[] = {LB_TURN_LIST(NAME_OF_TURN)};
static const lb_choices turn_choices = LB_CHOICES(turn_names);
// angles only; the first is the rotation vector
static const lb_choices euler_choices = {LB_TURN_COUNT - 1, turn_names + 1, LB_TURN_XYZ, 0};
static const char* const first_names[] = {"translation", "rotation"};
static const lb_choices first_choices = LB_CHOICES(first_names);
static const char* const hold_names[] = {"rigid", "average"};
static const lb_choices hold_choices = LB_CHOICES(hold_names);

#define JOINT(value, key, member, standard, about)                                                 \
  LB_ROW(value, lb_scene_joint, key, member, standard, about)
#define JOINT_SIZE(value, key, member, dimension, range, standard, about)                          \
  LB_SIZED(value, lb_scene_joint, key, member, dimension, range, standard, about)
#define JOINT_FROM(value, key, member, more, standard, about)                                      \
  LB_FROM(value, lb_scene_joint, key, member, more, standard, about)

// --- springs ---

#define STIFFNESS(dimension)                                                                       \
  JOINT_SIZE(NUMBER, "stiffness", resistance.stiffness, dimension, LB_NOT_NEGATIVE,                \
             "required, unless there is a table", "how hard it pulls")
#define EXPONENT(key, of)                                                                          \
  JOINT_SIZE(NUMBER, key, of.force_curve.exponent, LB_PURE, LB_POSITIVE_OR_UNSET, "1",             \
             "at least 1: it pulls with this power of how far it is stretched")
#define CURVE(key)                                                                                 \
  LB_LATER(CURVE, key, NULL, "none",                                                               \
           "[stretch, force] pairs instead of a stiffness, straight in between and beyond")
#define SPRING_TABLE(name, word, ...)                                                              \
  static const lb_field name##_spring_fields[] = {__VA_ARGS__};                                    \
  static const lb_table name##_spring =                                                            \
      LB_TABLE(word " spring", lb_scene_joint, name##_spring_fields)
#define SPRING(name, word, stiffness, value, dimension, standard)                                  \
  SPRING_TABLE(name, word, STIFFNESS(stiffness),                                                   \
               JOINT_SIZE(value, "rest", rest, dimension, LB_ANY, standard, "where it pulls to"),  \
               EXPONENT("exponent", resistance), CURVE("table"))

SPRING(hinge, "revolute", LB_TURN_STIFFNESS, NUMBER, LB_ANGLE, "0");
SPRING(slide, "prismatic", LB_STIFFNESS, NUMBER, LB_LENGTH, "0");
SPRING(cross, "universal", LB_TURN_STIFFNESS, PAIR, LB_ANGLE, "[0, 0]");
SPRING(planar, "planar", LB_STIFFNESS, PAIR, LB_LENGTH, "[0, 0]");
SPRING(shift, "translational", LB_STIFFNESS, VECTOR, LB_LENGTH, "[0, 0, 0]");
SPRING(angles, "euler", LB_TURN_STIFFNESS, VECTOR, LB_ANGLE, "[0, 0, 0]");
SPRING(curve, "spline-curve", LB_PURE, NUMBER, LB_PURE, "0");
SPRING(surface, "spline-surface", LB_PURE, PAIR, LB_PURE, "[0, 0]");
SPRING_TABLE(ball, "spherical", STIFFNESS(LB_TURN_STIFFNESS),
             JOINT(ROTATION, "rest", rest_turn, "none",
                   "how the child is turned where it pulls to"),
             EXPONENT("exponent", resistance), CURVE("table"));

// Of joints that slide and turn.
#define FREE_SPRING(name, word, shifts, shift_zero, turns, member, turn_zero)                      \
  SPRING_TABLE(name, word,                                                                         \
               JOINT_SIZE(NUMBER, "stiffness", resistance.stiffness, LB_STIFFNESS,                 \
                          LB_NOT_NEGATIVE, "0", "how hard it pulls distances"),                    \
               JOINT_SIZE(NUMBER, "turn_stiffness", turn.stiffness, LB_TURN_STIFFNESS,             \
                          LB_NOT_NEGATIVE, "0", "how hard it pulls angles"),                       \
               JOINT_SIZE(shifts, "rest", rest, LB_LENGTH, LB_ANY, shift_zero,                     \
                          "the distances it pulls to"),                                            \
               JOINT_SIZE(turns, "turn_rest", member, LB_ANGLE, LB_ANY, turn_zero,                 \
                          "the rotation it pulls to"),                                             \
               EXPONENT("exponent", resistance), CURVE("table"), EXPONENT("turn_exponent", turn),  \
               CURVE("turn_table"))
FREE_SPRING(free, "free", VECTOR, "[0, 0, 0]", ROTATION, rest_turn, "none");
FREE_SPRING(free_2d, "free-2d", PAIR, "[0, 0]", NUMBER, rest[2], "0");
FREE_SPRING(free_3d, "free-3d", VECTOR, "[0, 0, 0]", VECTOR, rest[3], "[0, 0, 0]");

// --- limits ---

#define PUSH(measure, stiff, damp, of)                                                             \
  JOINT_SIZE(NUMBER, "stiffness", of.limit_stiffness, stiff, LB_POSITIVE_OR_UNSET, NULL,           \
             "how hard it is pushed back"),                                                        \
      JOINT_SIZE(NUMBER, "damping", of.limit_damping, damp, LB_NOT_NEGATIVE, "0",                  \
                 "resists motion beyond the limits"),                                              \
      JOINT_SIZE(NUMBER, "transition", of.limit_transition, measure, LB_NOT_NEGATIVE, "0.001",     \
                 "the damping comes in over this much beyond a limit; 0: with a jump"),            \
      JOINT(FLAG, "pulls", of.limit_pulls, "false",                                                \
            "true: damping holds back what returns, too; false: it never pulls")
// Limits of the coordinates from `first` on, pushed by the resistance `of`.
#define LIMITS(name, word, value, measure, stiff, damp, of, first)                                 \
  static const lb_field name##_limit_fields[] = {                                                  \
      JOINT_SIZE(value, "lower", lower[first], measure, LB_ANY_OR_UNSET, "none",                   \
                 "the least it may be"),                                                           \
      JOINT_SIZE(value, "upper", upper[first], measure, LB_ANY_OR_UNSET, "none",                   \
                 "the most it may be"),                                                            \
      PUSH(measure, stiff, damp, of)};                                                             \
  static const lb_table name##_limits =                                                            \
      LB_TABLE(word " limits", lb_scene_joint, name##_limit_fields)
#define TURN_LIMITS(name, word, value, of, first)                                                  \
  LIMITS(name, word, value, LB_ANGLE, LB_TURN_STIFFNESS, LB_TURN_DAMPING, of, first)
#define SLIDE_LIMITS(name, word, value, first)                                                     \
  LIMITS(name, word, value, LB_LENGTH, LB_STIFFNESS, LB_DAMPING, resistance, first)
TURN_LIMITS(hinge, "revolute", NUMBER, resistance, 0);
TURN_LIMITS(hinge_turn, "revolute", NUMBER, turn, 2); // of free-2d joints
SLIDE_LIMITS(slide, "prismatic", NUMBER, 0);
TURN_LIMITS(cross, "universal", PAIR, resistance, 0);
SLIDE_LIMITS(planar, "planar", PAIR, 0);
SLIDE_LIMITS(shift, "translational", VECTOR, 0);
SLIDE_LIMITS(free_shift, "translational", VECTOR, 3); // of free joints, which turn first
TURN_LIMITS(angles, "euler", VECTOR, resistance, 0);
TURN_LIMITS(angles_turn, "euler", VECTOR, turn, 3); // of free-3d joints
LIMITS(curve, "spline-curve", NUMBER, LB_PURE, LB_PURE, LB_PURE, resistance, 0);
LIMITS(surface, "spline-surface", PAIR, LB_PURE, LB_PURE, LB_PURE, resistance, 0);

// Of balls: the swing is the first coordinate, the twist the second.
static bool finish_ball_limits(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  const lb_field field = {.key = "twist", .value = LB_VALUE_PAIR, .dimension = LB_ANGLE};
  const lb_yaml* twist = lb_yaml_find(node, "twist");
  lb_scene_joint* joint = part;
  double v[2];
  if (ok && twist && lb_read_value(r, twist, &field, v)) {
    joint->lower[1] = v[0];
    joint->upper[1] = v[1];
  }
  return ok;
}

#define BALL_LIMITS(name, of)                                                                      \
  static const lb_field name##_limit_fields[] = {                                                  \
      JOINT(AXIS, "axis", axis, "z",                                                               \
            "what swings and what it twists about, such as the bone that the child is"),           \
      JOINT_SIZE(NUMBER, "swing", upper[0], LB_ANGLE, LB_POSITIVE_OR_UNSET, "none",                \
                 "how far the axis may lean, whichever way: half the opening of a cone"),          \
      {"twist", LB_VALUE_PAIR, LB_NOWHERE, LB_ANGLE, LB_ANY, NULL, 0, "none",                      \
       "[least, most] that it may turn about the axis"},                                           \
      PUSH(LB_ANGLE, LB_TURN_STIFFNESS, LB_TURN_DAMPING, of)};                                     \
  static const lb_table name##_limits = LB_TABLE(                                                  \
      "spherical limits", lb_scene_joint, name##_limit_fields, .finish = finish_ball_limits)
BALL_LIMITS(ball, resistance);
BALL_LIMITS(ball_turn, turn);

// --- joints ---

static const lb_field compliance_fields[] = {
    JOINT_SIZE(NUMBER, "stiffness", compliance[0].stiffness, LB_STIFFNESS, LB_POSITIVE_OR_INFINITE,
               "infinite", "how hard it pulls bodies together that are apart"),
    JOINT_SIZE(NUMBER, "damping", compliance[0].damping, LB_DAMPING, LB_NOT_NEGATIVE, "0",
               "resists their coming apart and together"),
    JOINT_SIZE(NUMBER, "turn_stiffness", compliance[1].stiffness, LB_TURN_STIFFNESS,
               LB_POSITIVE_OR_INFINITE, "infinite",
               "how hard it turns back what is turned as it should not be"),
    JOINT_SIZE(NUMBER, "turn_damping", compliance[1].damping, LB_TURN_DAMPING, LB_NOT_NEGATIVE, "0",
               "resists that turning"),
};
void lb_compliance_settle(const lb_yaml* node, const char* key, lb_compliance* by) {
  const lb_yaml* stiffness = lb_yaml_find(node, key);
  if (stiffness && lb_is_scalar(stiffness) && lb_number_is_infinite(stiffness->text)) {
    by->damping = 0;
  }
}

static bool finish_compliance(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_joint* joint = part;
  (void)r;
  lb_compliance_settle(node, "stiffness", &joint->compliance[0]);
  lb_compliance_settle(node, "turn_stiffness", &joint->compliance[1]);
  return ok;
}

static const lb_table joint_compliance =
    LB_TABLE("compliance", lb_scene_joint, compliance_fields, .finish = finish_compliance);

#define COMMON                                                                                     \
  JOINT_FROM(CHOICE, "type", kind, &lb_joint_choices, NULL,                                        \
             "what it leaves free: fixed, revolute, prismatic, universal, spherical, free or "     \
             "another"),                                                                           \
      JOINT(BODY, "parent", parent, "world", "the body it hangs on, or world"),                    \
      JOINT(ONE_BODY, "child", child, NULL, "the body it carries"),                                \
      JOINT(TEXT, "face", hold.face_name[0], "for elastic bodies only",                            \
            "the face by which it holds the elastic body; the parent's when both are"),            \
      JOINT(TEXT, "child_face", hold.face_name[1], "for two elastic bodies only",                  \
            "the child's face when both bodies are elastic"),                                      \
      JOINT_FROM(EITHER, "hold", hold.averages, &hold_choices, "rigid",                            \
                 "rigid: glued or bolted, so that the face cannot warp; average: by the mean of "  \
                 "the face"),                                                                      \
      JOINT_SIZE(POSE, "at", in_parent, LB_LENGTH, LB_ANY, "[0, 0, 0], or the middle of the face", \
                 "the joint's frame in the parent: a position, or position and rotation"),         \
      JOINT_SIZE(POSE, "in_child", in_child, LB_LENGTH, LB_ANY,                                    \
                 "[0, 0, 0], or the middle of the face", "the same frame in the child"),           \
      JOINT(FLAG, "loop", loop, "false",                                                           \
            "true closes a loop of bodies instead of carrying the child"),                         \
      LB_LATER(POINTS, "names", NULL, "none",                                                      \
               "names of its coordinates, by which tables of motions call them"),                  \
      LB_LATER(RANGES, "ranges", NULL, "none",                                                     \
               "[least, most] that each coordinate is meant for; nothing pushes beyond"),          \
      LB_LATER(POINTS, "clamped", NULL, "none",                                                    \
               "true or false for each range: inverse kinematics keeps to it")
#define YIELDS                                                                                     \
  JOINT_FROM(TABLE, "compliance", name, &joint_compliance, "none: it does not yield",              \
             "stiffness and damping of a joint that closes a loop, or leaves the tree in maximal " \
             "coordinates")

#define HAS_SPRING(table)                                                                          \
  JOINT_FROM(TABLE, "spring", name, &(table), "none", "pulls the coordinate back")
#define HAS_DAMPING(dimension)                                                                     \
  JOINT_SIZE(NUMBER, "damping", resistance.damping, dimension, LB_NOT_NEGATIVE, "0",               \
             "resists motion, in proportion to the rate")
#define HAS_ARMATURE(dimension)                                                                    \
  JOINT_SIZE(NUMBER, "armature", resistance.armature, dimension, LB_NOT_NEGATIVE, "0",             \
             "inertia of a geared motor's rotor, as felt at the joint")
#define HAS_FRICTION(size, speed)                                                                  \
  JOINT_SIZE(NUMBER, "friction", resistance.friction, size, LB_NOT_NEGATIVE, "0",                  \
             "resists motion, whatever the rate"),                                                 \
      JOINT_SIZE(NUMBER, "friction_speed", resistance.friction_speed, speed, LB_POSITIVE, "0.01",  \
                 "below about this rate friction fades out, so that it has no jump")
#define HAS_LIMITS(table)                                                                          \
  JOINT_FROM(TABLE, "limits", name, &(table), "none",                                              \
             "how far it goes, and what pushes it back beyond")
#define RESISTS(name, damping, armature, friction, speed)                                          \
  HAS_SPRING(name##_spring), HAS_DAMPING(damping), HAS_ARMATURE(armature),                         \
      HAS_FRICTION(friction, speed), HAS_LIMITS(name##_limits)
#define RESISTS_TURNING(name) RESISTS(name, LB_TURN_DAMPING, LB_INERTIA, LB_TORQUE, LB_TURN_RATE)
#define RESISTS_SLIDING(name) RESISTS(name, LB_DAMPING, LB_MASS, LB_FORCE, LB_SPEED)
#define RESISTS_NUMBER(name) RESISTS(name, LB_PURE, LB_PURE, LB_PURE, LB_PURE)
// Of joints that slide and turn.
#define TURN(key, member, dimension, range, standard)                                              \
  JOINT_SIZE(NUMBER, key, turn.member, dimension, range, standard, "the same for turning")
#define RESISTS_BOTH(spring, shifts, turns)                                                        \
  HAS_SPRING(spring), HAS_DAMPING(LB_DAMPING),                                                     \
      TURN("turn_damping", damping, LB_TURN_DAMPING, LB_NOT_NEGATIVE, "0"),                        \
      HAS_FRICTION(LB_FORCE, LB_SPEED),                                                            \
      TURN("turn_friction", friction, LB_TORQUE, LB_NOT_NEGATIVE, "0"),                            \
      TURN("turn_friction_speed", friction_speed, LB_TURN_RATE, LB_POSITIVE, "0.01"),              \
      HAS_ARMATURE(LB_MASS), TURN("turn_armature", armature, LB_INERTIA, LB_NOT_NEGATIVE, "0"),    \
      HAS_LIMITS(shifts),                                                                          \
      JOINT_FROM(TABLE, "turn_limits", name, &(turns), "none", "the same for its angles")
#define AXIS(words) JOINT(AXIS, "axis", axis, NULL, words)
#define TWO_AXES(first, second)                                                                    \
  JOINT(AXIS, "axis", axis, "x", first),                                                           \
      JOINT(AXIS, "second_axis", axis2, "y after x, z after y, x after z", second)

static const lb_field fixed_fields[] = {COMMON, YIELDS};
static const lb_field revolute_fields[] = {
    COMMON, AXIS("what it turns about: x, y, z, -x, -y, -z or three numbers"),
    RESISTS_TURNING(hinge), YIELDS};
static const lb_field prismatic_fields[] = {
    COMMON, AXIS("what it slides along: x, y, z, -x, -y, -z or three numbers"),
    RESISTS_SLIDING(slide), YIELDS};
static const lb_field universal_fields[] = {
    COMMON,
    TWO_AXES("the first axis, which stays fixed in the parent",
             "the other axis, at right angles to it, which stays fixed in the child"),
    RESISTS_TURNING(cross), YIELDS};
static const lb_field spherical_fields[] = {COMMON, RESISTS_TURNING(ball), YIELDS};
static const lb_field free_fields[] = {
    COMMON, RESISTS_BOTH(free_spring, free_shift_limits, ball_turn_limits), YIELDS};
static const lb_field planar_fields[] = {
    COMMON,
    TWO_AXES("the first direction it slides along", "the other direction, at right angles to it"),
    RESISTS_SLIDING(planar), YIELDS};
static const lb_field translational_fields[] = {COMMON, RESISTS_SLIDING(shift), YIELDS};
static const lb_field helical_fields[] = {
    COMMON, AXIS("what it turns about and slides along: x, y, z, -x, -y, -z or three numbers"),
    JOINT_SIZE(NUMBER, "pitch", pitch, LB_LENGTH, LB_ANY, NULL,
               "how far one turn takes it along the axis; negative: a left-handed thread"),
    RESISTS_TURNING(hinge), YIELDS};
static const lb_field euler_fields[] = {
    COMMON,
    JOINT_FROM(CHOICE, "order", order, &euler_choices, "xyz",
               "axes of the three angles, each turned by those before"),
    RESISTS_TURNING(angles), YIELDS};
static const lb_field ellipsoid_fields[] = {
    COMMON,
    JOINT_SIZE(VECTOR, "radii", radii, LB_LENGTH, LB_NOT_NEGATIVE, NULL,
               "of the surface that the child's frame slides on, its z out of it"),
    RESISTS_TURNING(angles), YIELDS};
static const lb_field exponential_fields[] = {COMMON, RESISTS_TURNING(angles), YIELDS};
static const lb_field free_2d_fields[] = {
    COMMON,
    TWO_AXES("the first direction of its plane", "the other direction, at right angles to it"),
    RESISTS_BOTH(free_2d_spring, planar_limits, hinge_turn_limits), YIELDS};
static const lb_field free_3d_fields[] = {
    COMMON,
    JOINT_FROM(CHOICE, "order", order, &turn_choices, "exponential",
               "a rotation vector, or the axes of three angles, each turned by those before"),
    JOINT_FROM(EITHER, "first", rotation_first, &first_choices, "translation",
               "translation along the parent's axes, then rotation; or the other way round"),
    RESISTS_BOTH(free_3d_spring, shift_limits, angles_turn_limits), YIELDS};
static const lb_field curve_fields[] = {
    COMMON,
    LB_LATER(POSES, "frames", NULL, NULL,
             "control frames in the joint's frame, four or more; the coordinate counts them"),
    JOINT(FLAG, "cyclic", spline.cyclic, "false", "the last is followed by the first"),
    RESISTS_NUMBER(curve), YIELDS};

#define GRID(key, dimension, words)                                                                \
  { key, LB_VALUE_GRID, LB_NOWHERE, dimension, LB_ANY, NULL, 0, "zero", words }
static const lb_field grid_fields[] = {
    GRID("x", LB_LENGTH, "along x"),
    GRID("y", LB_LENGTH, "along y"),
    GRID("z", LB_LENGTH, "along z"),
    GRID("rx", LB_ANGLE, "about x, after the translation"),
    GRID("ry", LB_ANGLE, "about y, after that"),
    GRID("rz", LB_ANGLE, "about z, after that"),
};
const lb_table lb_surface_table = LB_TABLE("surface", lb_scene_joint, grid_fields);
static const lb_field surface_fields[] = {
    COMMON,
    LB_LATER(TABLE, "surface", &lb_surface_table, NULL,
             "control values, all in grids of the same size, four by four or more"),
    RESISTS_NUMBER(surface), YIELDS};
const lb_field lb_function_part_fields[2] = {
    LB_LATER(FUNCTION, "function", &lb_function_table, "none",
             "a function of the coordinate, by which it turns or slides in its place"),
    JOINT_SIZE(COUNT, "follows", leader, LB_PURE, LB_NOT_NEGATIVE, "its own",
               "the coordinate of the whole joint that moves it, from 0, in place of its own"),
};
const lb_table lb_function_part_table =
    LB_TABLE("part by a function", lb_scene_joint, lb_function_part_fields);
static const lb_field composite_fields[] = {
    COMMON,
    LB_LATER(PARTS, "parts", NULL, NULL,
             "joints one after the other, without bodies; 'at' is seen from the part before"),
    YIELDS};

#define JOINT_TABLE(word, fields)                                                                  \
  LB_TABLE(word " joint", lb_scene_joint, fields, .finish = lb_finish_joint)
const lb_table lb_joint_table[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = JOINT_TABLE("fixed", fixed_fields),
    [LB_JOINT_REVOLUTE] = JOINT_TABLE("revolute", revolute_fields),
    [LB_JOINT_PRISMATIC] = JOINT_TABLE("prismatic", prismatic_fields),
    [LB_JOINT_UNIVERSAL] = JOINT_TABLE("universal", universal_fields),
    [LB_JOINT_SPHERICAL] = JOINT_TABLE("spherical", spherical_fields),
    [LB_JOINT_FREE] = JOINT_TABLE("free", free_fields),
    [LB_JOINT_PLANAR] = JOINT_TABLE("planar", planar_fields),
    [LB_JOINT_TRANSLATIONAL] = JOINT_TABLE("translational", translational_fields),
    [LB_JOINT_HELICAL] = JOINT_TABLE("helical", helical_fields),
    [LB_JOINT_EULER] = JOINT_TABLE("euler", euler_fields),
    [LB_JOINT_EXPONENTIAL] = JOINT_TABLE("exponential", exponential_fields),
    [LB_JOINT_FREE_2D] = JOINT_TABLE("free-2d", free_2d_fields),
    [LB_JOINT_FREE_3D] = JOINT_TABLE("free-3d", free_3d_fields),
    [LB_JOINT_CURVE] = JOINT_TABLE("spline-curve", curve_fields),
    [LB_JOINT_SURFACE] = JOINT_TABLE("spline-surface", surface_fields),
    [LB_JOINT_ELLIPSOID] = JOINT_TABLE("ellipsoid", ellipsoid_fields),
    [LB_JOINT_COMPOSITE] = JOINT_TABLE("composite", composite_fields),
};
