// The tables themselves. Rows read: key, value, where it goes, what it measures, its range, whether
// it must be there, more, the standard, and a line for people (which also ends the message when a
// required key is missing).
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

// --- choices ---

#define NAME_2(code, name) name,
#define NAME_3(code, name, text) name,
#define NAME_4(code, name, nq, nv) name,
static const char* const joint_names[] = {LB_JOINT_LIST(NAME_4)};
static const char* const integrator_names[] = {LB_INTEGRATOR_LIST(NAME_3)};
static const char* const coordinates_names[] = {LB_COORDINATES_LIST(NAME_2)};
static const char* const space_names[] = {LB_SPACE_LIST(NAME_2)};
static const char* const newton_names[] = {LB_NEWTON_LIST(NAME_2)};
static const char* const profile_names[] = {LB_PROFILE_LIST(NAME_2)};

const lb_choices lb_joint_choices = {LB_JOINT_COUNT, joint_names};
const lb_choices lb_integrator_choices = {LB_INTEGRATOR_COUNT, integrator_names};
const lb_choices lb_coordinates_choices = {LB_COORDINATES_COUNT, coordinates_names};
const lb_choices lb_space_choices = {LB_SPACE_COUNT, space_names};
const lb_choices lb_newton_choices = {LB_NEWTON_COUNT, newton_names};
static const char* const first_step_names[] = {"bdf1", "sdirk2"};
static const lb_choices first_step_choices = {2, first_step_names};
// the B-spline has its own key, and is the last of the profiles
const lb_choices lb_ease_choices = {LB_PROFILE_BSPLINE, profile_names};

// --- positions and rotations ---

static const lb_field pose_fields[] = {
    {"position", LB_VALUE_VECTOR, offsetof(lb_pose_spec, position), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0]", "where the frame's origin is"},
    {"rotation", LB_VALUE_ROTATION, offsetof(lb_pose_spec, rotation), LB_ANGLE, LB_ANY, false, NULL,
     "none", "how the frame is turned"},
};
const lb_table lb_pose_table = TABLE("pose", pose_fields);

static const lb_field turn_fields[] = {
    {"axis", LB_VALUE_AXIS, offsetof(lb_turn_spec, axis), LB_PURE, LB_ANY, false, NULL, NULL,
     "the axis to turn about, with angle"},
    {"angle", LB_VALUE_NUMBER, offsetof(lb_turn_spec, angle), LB_ANGLE, LB_ANY, false, NULL, NULL,
     "how far, by the right-hand rule"},
    {"quaternion", LB_VALUE_POINTS, offsetof(lb_turn_spec, quaternion), LB_PURE, LB_ANY, false,
     NULL, NULL, "[w, x, y, z] instead of axis and angle; its length does not matter"},
};
const lb_table lb_turn_table = TABLE("rotation", turn_fields);

// --- the file ---

static const lb_field solver_fields[] = {
    {"integrator", LB_VALUE_CHOICE, offsetof(lb_solver_spec, integrator), LB_PURE, LB_ANY, false,
     &lb_integrator_choices, "rk4; bdf2 with elastic bodies, strands, flesh or optimize",
     "how time is stepped"},
    {"step", LB_VALUE_NUMBER, offsetof(lb_solver_spec, step), LB_TIME, LB_POSITIVE, false, NULL,
     "1 ms", "the time step; the adaptive integrator chooses its own"},
    {"tolerance", LB_VALUE_NUMBER, offsetof(lb_solver_spec, tolerance), LB_PURE, LB_POSITIVE, false,
     NULL, "1e-9; 1e-10 of implicit integrators, 1e-7 with elastic: full",
     "relative error that the adaptive integrator allows in a step, or that implicit ones leave in "
     "its velocities when Newton's method stops; from 1e-14 to 0.01; euler, "
     "rk4, rk8 and linear-euler have none"},
    {"closing", LB_VALUE_NUMBER, offsetof(lb_solver_spec, closing), LB_TIME, LB_POSITIVE, false,
     NULL, "at once",
     "linear-euler: what constraints and loops hold together starts where the scene puts it and "
     "comes "
     "together at this pace, gaps falling by a factor of e in this time"},
    {"coordinates", LB_VALUE_CHOICE, offsetof(lb_solver_spec, coordinates), LB_PURE, LB_ANY, false,
     &lb_coordinates_choices, "reduced",
     "reduced: joints leave what they leave free; maximal: every body moves freely, every joint is "
     "a "
     "constraint"},
    {"elastic", LB_VALUE_CHOICE, offsetof(lb_solver_spec, elastic), LB_PURE, LB_ANY, false,
     &lb_space_choices, "reduced",
     "reduced: elastic bodies move in a basis of few shapes; full: every node of their meshes "
     "moves"},
    {"newton", LB_VALUE_CHOICE, offsetof(lb_solver_spec, newton), LB_PURE, LB_ANY, false,
     &lb_newton_choices, "kept",
     "matrices of implicit steps: kept: the stiff part, made anew when corrections get slow; "
     "exact: the whole derivative, at every correction"},
    {"first_step", LB_VALUE_CHOICE, offsetof(lb_solver_spec, first_step), LB_PURE, LB_ANY, false,
     &first_step_choices, "bdf1",
     "bdf2: the method of its first step, which has no step before it: bdf1 or sdirk2, whose error "
     "is of higher order"},
};
const lb_table lb_solver_table = TABLE("solver", solver_fields);

static const lb_field record_fields[] = {
    {"every", LB_VALUE_NUMBER, offsetof(lb_record_spec, every), LB_TIME, LB_POSITIVE, false, NULL,
     "20 ms", "time between the frames that are kept, rounded to whole steps"},
    {"rates", LB_VALUE_FLAG, offsetof(lb_record_spec, rates), LB_PURE, LB_ANY, false, NULL, "false",
     "true adds velocities and accelerations of the joints to trajectory.csv"},
    {"reactions", LB_VALUE_FLAG, offsetof(lb_record_spec, reactions), LB_PURE, LB_ANY, false, NULL,
     "false", "true writes what passes through the joints to reactions.csv"},
};
const lb_table lb_record_table = TABLE("record", record_fields);

#define SECTION(type, key) offsetof(type, section) + (key) * sizeof(const lb_yaml_node*)
#define NAMED_SECTION(type, key, word, table, about)                                               \
  { word, LB_VALUE_SECTION, SECTION(type, key), LB_PURE, LB_ANY, false, table, "none", about }
#define LIST_SECTION(type, key, word, table, about)                                                \
  { word, LB_VALUE_LIST, SECTION(type, key), LB_PURE, LB_ANY, false, table, "none", about }
#define INITIAL_SECTION(type)                                                                      \
  {                                                                                                \
    "initial", LB_VALUE_INITIAL, SECTION(type, LB_SCENE_INITIAL), LB_PURE, LB_ANY, false, NULL,    \
        "at rest, every coordinate zero", "how joints and free bodies start, by name"              \
  }

// The sections that a file and a repetition share.
#define SHARED_SECTIONS(type)                                                                      \
  NAMED_SECTION(type, LB_SCENE_BODIES, "bodies", &lb_body_table,                                   \
                "the parts, rigid and elastic, by name"),                                          \
      LIST_SECTION(type, LB_SCENE_SCENERY, "scenery", &lb_shape_table,                             \
                   "shapes fixed to the world, for looks"),                                        \
      NAMED_SECTION(type, LB_SCENE_JOINTS, "joints", lb_joint_table,                               \
                    "what holds the bodies together, by name"),                                    \
      NAMED_SECTION(type, LB_SCENE_SPRINGS, "springs", &lb_spring_table,                           \
                    "springs with dampers between two points, by name"),                           \
      NAMED_SECTION(type, LB_SCENE_CABLES, "cables", &lb_cable_table,                              \
                    "cables through several points, by name"),                                     \
      NAMED_SECTION(type, LB_SCENE_GROUNDS, "grounds", &lb_ground_table,                           \
                    "planes that push points back, by name"),                                      \
      NAMED_SECTION(type, LB_SCENE_ROPES, "strands", &lb_rope_table,                               \
                    "strings of point masses and springs, by name"),                               \
      NAMED_SECTION(type, LB_SCENE_DEFORMABLES, "soft", &lb_deformable_table,                      \
                    "flesh: tetrahedra around and between bodies, by name"),                       \
      NAMED_SECTION(type, LB_SCENE_MOTORS, "motors", &lb_motor_table,                              \
                    "what drives joints, by name"),                                                \
      NAMED_SECTION(type, LB_SCENE_LOADS, "loads", &lb_load_table,                                 \
                    "forces from outside, by name"),                                               \
      NAMED_SECTION(type, LB_SCENE_CONSTRAINTS, "constraints", &lb_constraint_table,               \
                    "what must hold besides joints, by name"),                                     \
      INITIAL_SECTION(type)

static const lb_field scene_fields[] = {
    {"limber", LB_VALUE_COUNT, offsetof(lb_scene_spec, limber), LB_PURE, LB_POSITIVE, false, NULL,
     "1", "the version of this format"},
    {"name", LB_VALUE_TEXT, offsetof(lb_scene_spec, name), LB_PURE, LB_ANY, false, NULL,
     "the file's name", "the title"},
    {"about", LB_VALUE_TEXT, offsetof(lb_scene_spec, about), LB_PURE, LB_ANY, false, NULL, "empty",
     "a sentence or more"},
    {"include", LB_VALUE_FILES, offsetof(lb_scene_spec, include), LB_PURE, LB_ANY, false, NULL,
     "none", "other scene files that become part of this one; a path or a list of paths"},
    {"gravity", LB_VALUE_VECTOR, offsetof(lb_scene_spec, gravity), LB_ACCELERATION, LB_ANY, false,
     NULL, "[0, 0, -9.81]", "the pull on every body; z is up"},
    {"duration", LB_VALUE_NUMBER, offsetof(lb_scene_spec, duration), LB_TIME, LB_POSITIVE, false,
     NULL, "10 s", "how long the scene runs"},
    {"solver", LB_VALUE_TABLE, offsetof(lb_scene_spec, solver), LB_PURE, LB_ANY, false,
     &lb_solver_table, "rk4, 1 ms", "how time is stepped"},
    {"record", LB_VALUE_TABLE, offsetof(lb_scene_spec, record), LB_PURE, LB_ANY, false,
     &lb_record_table, "every 20 ms", "what is kept"},
    NAMED_SECTION(lb_scene_spec, LB_SCENE_MATERIALS, "materials", &lb_material_table,
                  "materials of your own, by name"),
    SHARED_SECTIONS(lb_scene_spec),
    LIST_SECTION(lb_scene_spec, LB_SCENE_REPEAT, "repeat", &lb_repeat_table,
                 "parts written once and made many times"),
    NAMED_SECTION(lb_scene_spec, LB_SCENE_MARKERS, "markers", &lb_marker_table,
                  "points whose motion was measured, by name"),
    {"fit", LB_VALUE_TABLE, offsetof(lb_scene_spec, fit), LB_PURE, LB_ANY, false, &lb_fit_table,
     "all that is elastic", "what to find from measured markers"},
    {"retarget", LB_VALUE_TABLE, offsetof(lb_scene_spec, retarget), LB_PURE, LB_ANY, false,
     &lb_retarget_table, "nothing", "what motors' curves are changed for"},
    {"optimize", LB_VALUE_TABLE, offsetof(lb_scene_spec, optimize), LB_PURE, LB_ANY, false,
     &lb_optimize_table, "nothing", "numbers to be found, and what for"},
};
const lb_table lb_scene_table = TABLE("scene", scene_fields);

static const lb_field repeat_fields[] = {
    {"count", LB_VALUE_COUNT, offsetof(lb_repeat_spec, count), LB_PURE, LB_POSITIVE, true, NULL,
     NULL, "how many times"},
    {"from", LB_VALUE_COUNT, offsetof(lb_repeat_spec, from), LB_PURE, LB_ANY, false, NULL, "1",
     "what n is the first time"},
    SHARED_SECTIONS(lb_repeat_spec),
};
const lb_table lb_repeat_table = TABLE("repetition", repeat_fields);

// --- materials, shapes, bodies ---

static const char* const material_model_names[] = {"neo-hookean", "st-venant-kirchhoff",
                                                   "corotated", "linear"};
const lb_choices lb_material_model_choices = {COUNT(material_model_names), material_model_names};

static const lb_field rayleigh_fields[] = {
    {"mass", LB_VALUE_NUMBER, offsetof(lb_rayleigh_spec, mass), LB_PURE, LB_NOT_NEGATIVE, false,
     NULL, "0", "share of the mass matrix, per second: damps slow swings"},
    {"stiffness", LB_VALUE_NUMBER, offsetof(lb_rayleigh_spec, stiffness), LB_TIME, LB_NOT_NEGATIVE,
     false, NULL, "0 s", "share of the stiffness matrix: damps fast vibration"},
};
const lb_table lb_rayleigh_table = TABLE("Rayleigh damping", rayleigh_fields);

static const lb_field material_fields[] = {
    {"density", LB_VALUE_NUMBER, offsetof(lb_material_spec, density), LB_DENSITY, LB_POSITIVE,
     false, NULL, "1000 kg/m^3", "mass per volume"},
    {"color", LB_VALUE_COLOR, offsetof(lb_material_spec, color), LB_PURE, LB_UNIT_RANGE, false,
     NULL, "\"#b8bcc4\"",
     "as on a screen: \"#rrggbb\", \"#rrggbbaa\" with opacity, or [r, g, b] from 0 to 1"},
    {"roughness", LB_VALUE_NUMBER, offsetof(lb_material_spec, roughness), LB_PURE, LB_UNIT_RANGE,
     false, NULL, "0.6", "0 a mirror, 1 chalk"},
    {"metallic", LB_VALUE_NUMBER, offsetof(lb_material_spec, metallic), LB_PURE, LB_UNIT_RANGE,
     false, NULL, "0", "1 for bare metal"},
    {"young", LB_VALUE_NUMBER, offsetof(lb_material_spec, young), LB_PRESSURE, LB_POSITIVE, false,
     NULL, "none", "Young's modulus: what elastic bodies need to bend"},
    {"poisson", LB_VALUE_NUMBER, offsetof(lb_material_spec, poisson), LB_PURE, LB_POISSON_RANGE,
     false, NULL, "0.3", "Poisson's ratio: how much it thins when stretched"},
    {"law", LB_VALUE_CHOICE, offsetof(lb_material_spec, law), LB_PURE, LB_ANY, false,
     &lb_material_model_choices, "neo-hookean",
     "how stress follows strain; all agree while strains are small"},
    {"damping", LB_VALUE_TABLE, offsetof(lb_material_spec, damping), LB_PURE, LB_ANY, false,
     &lb_rayleigh_table, "none", "how vibration dies away in it"},
};
const lb_table lb_material_table = TABLE("material", material_fields);

static const lb_field sphere_fields[] = {
    {"radius", LB_VALUE_NUMBER, offsetof(lb_round_spec, radius), LB_LENGTH, LB_POSITIVE, true, NULL,
     NULL, "from the centre to the surface"},
};
const lb_table lb_sphere_table = TABLE("sphere", sphere_fields);

static const lb_field rod_fields[] = {
    [LB_ROUND_RADIUS] = {"radius", LB_VALUE_NUMBER, offsetof(lb_round_spec, radius), LB_LENGTH,
                         LB_POSITIVE, true, NULL, NULL, "from the axis to the surface"},
    [LB_ROUND_LENGTH] = {"length", LB_VALUE_NUMBER, offsetof(lb_round_spec, length), LB_LENGTH,
                         LB_NOT_NEGATIVE, false, NULL, NULL,
                         "along z, the middle at the origin; a capsule's round caps come on top"},
    [LB_ROUND_FROM] = {"from", LB_VALUE_VECTOR, offsetof(lb_round_spec, from), LB_LENGTH, LB_ANY,
                       false, NULL, NULL, "one end of the axis, instead of length"},
    [LB_ROUND_TO] = {"to", LB_VALUE_VECTOR, offsetof(lb_round_spec, to), LB_LENGTH, LB_ANY, false,
                     NULL, NULL, "the other end"},
};
const lb_table lb_rod_table = TABLE("capsule or cylinder", rod_fields);

static const lb_field ellipsoid_fields[] = {
    {"radii", LB_VALUE_VECTOR, offsetof(lb_round_spec, radii), LB_LENGTH, LB_POSITIVE, true, NULL,
     NULL, "from the centre to the surface along x, y and z"},
};
const lb_table lb_ellipsoid_table = TABLE("ellipsoid", ellipsoid_fields);

static const lb_field shape_fields[] = {
    [LB_SHAPE_KEY_BOX] = {"box", LB_VALUE_VECTOR, offsetof(lb_shape_spec, box), LB_LENGTH,
                          LB_POSITIVE, false, NULL, NULL, "edge lengths along x, y and z"},
    [LB_SHAPE_KEY_SPHERE] = {"sphere", LB_VALUE_TABLE, offsetof(lb_shape_spec, round), LB_PURE,
                             LB_ANY, false, &lb_sphere_table, NULL, "a ball"},
    [LB_SHAPE_KEY_CAPSULE] = {"capsule", LB_VALUE_TABLE, offsetof(lb_shape_spec, round), LB_PURE,
                              LB_ANY, false, &lb_rod_table, NULL, "a rod with round ends"},
    [LB_SHAPE_KEY_CYLINDER] = {"cylinder", LB_VALUE_TABLE, offsetof(lb_shape_spec, round), LB_PURE,
                               LB_ANY, false, &lb_rod_table, NULL, "a rod with flat ends"},
    [LB_SHAPE_KEY_ELLIPSOID] = {"ellipsoid", LB_VALUE_TABLE, offsetof(lb_shape_spec, round),
                                LB_PURE, LB_ANY, false, &lb_ellipsoid_table, NULL,
                                "a stretched ball"},
    [LB_SHAPE_KEY_MESH] = {"mesh", LB_VALUE_FILE, offsetof(lb_shape_spec, mesh), LB_PURE, LB_ANY,
                           false, NULL, NULL, "a closed surface from an .obj or .stl file"},
    [LB_SHAPE_KEY_SCALE] = {"scale", LB_VALUE_SCALE, offsetof(lb_shape_spec, scale), LB_PURE,
                            LB_ANY, false, NULL, "1",
                            "of a mesh, one number or three: 0.001 for a file in millimetres, "
                            "negative ones to mirror"},
    {"position", LB_VALUE_VECTOR, offsetof(lb_shape_spec, position), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0]", "where its centre is, in the body"},
    {"rotation", LB_VALUE_ROTATION, offsetof(lb_shape_spec, rotation), LB_ANGLE, LB_ANY, false,
     NULL, "none", "how it is turned, in the body"},
    {"material", LB_VALUE_MATERIAL, offsetof(lb_shape_spec, material), LB_PURE, LB_ANY, false, NULL,
     "the body's", "a material's name"},
    {"massless", LB_VALUE_FLAG, offsetof(lb_shape_spec, massless), LB_PURE, LB_ANY, false, NULL,
     "false", "true for looks only"},
};
const lb_table lb_shape_table = {"shape", COUNT(shape_fields), shape_fields, LB_SHAPE_KEY_SCALE,
                                 "the form of a shape"};

// --- elastic bodies ---

#define BEAM(key, member, about)                                                                   \
  {                                                                                                \
    key, LB_VALUE_NUMBER, offsetof(lb_beam_spec, member), LB_LENGTH, LB_POSITIVE, true, NULL,      \
        NULL, about                                                                                \
  }
#define BEAM_AXIS                                                                                  \
  {"from", LB_VALUE_VECTOR, offsetof(lb_beam_spec, from),  LB_LENGTH, LB_ANY, false,               \
   NULL,   "[0, 0, 0]",     "the middle of its face start"},                                       \
  {                                                                                                \
    "to", LB_VALUE_VECTOR, offsetof(lb_beam_spec, to), LB_LENGTH, LB_ANY, true, NULL, NULL,        \
        "the middle of its face end"                                                               \
  }

static const lb_field elastic_rod_fields[] = {
    BEAM("radius", radius, "from the axis to the surface"), BEAM_AXIS};
static const lb_field elastic_box_fields[] = {
    BEAM("width", width, "across the axis, from face left to right"),
    BEAM("height", height, "across the axis, from face bottom to top"),
    BEAM_AXIS,
    {"up", LB_VALUE_VECTOR, offsetof(lb_beam_spec, up), LB_PURE, LB_ANY, false, NULL,
     "[0, 0, 1], or x along z", "where the height points"}};
static const lb_field elastic_plate_fields[] = {
    BEAM("width", width, "across the axis, from face left to right"),
    BEAM("thickness", height, "from face bottom to top"),
    BEAM_AXIS,
    {"up", LB_VALUE_VECTOR, offsetof(lb_beam_spec, up), LB_PURE, LB_ANY, false, NULL,
     "[0, 0, 1], or x along z", "where its face top looks"}};
static const lb_field elastic_tube_fields[] = {
    BEAM("radius", radius, "from the axis to the outside"),
    BEAM("inner", inner, "from the axis to the inside"), BEAM_AXIS};
const lb_table lb_elastic_rod_table = TABLE("elastic rod", elastic_rod_fields);
const lb_table lb_elastic_box_table = TABLE("elastic box", elastic_box_fields);
const lb_table lb_elastic_plate_table = TABLE("elastic plate", elastic_plate_fields);
const lb_table lb_elastic_tube_table = TABLE("elastic tube", elastic_tube_fields);

static const lb_field part_fields[] = {
    {"until", LB_VALUE_NUMBER, offsetof(lb_part_spec, until), LB_LENGTH, LB_POSITIVE, false, NULL,
     "the end", "where it ends, along the axis from face start"},
    {"material", LB_VALUE_MATERIAL, offsetof(lb_part_spec, material), LB_PURE, LB_ANY, false, NULL,
     "the elastic body's", "what it is made of"}};
const lb_table lb_part_table = TABLE("part", part_fields);

#define ELEMENTS(key, member, about)                                                               \
  {                                                                                                \
    key, LB_VALUE_COUNT, offsetof(lb_elements_spec, member), LB_PURE, LB_POSITIVE, false, NULL,    \
        "from the accuracy", about                                                                 \
  }
static const lb_field elements_fields[] = {
    ELEMENTS("along", along, "from start to end"),
    ELEMENTS("across", across, "a rod's radius, a tube's wall, a box's smaller side"),
    ELEMENTS("around", around, "a tube's round, a box's wider side")};
const lb_table lb_elements_table = TABLE("element count", elements_fields);

static const lb_field basis_fields[] = {
    [LB_BASIS_KEY_FILE] = {"file", LB_VALUE_FILE, offsetof(lb_basis_spec, file), LB_PURE, LB_ANY,
                           false, NULL, "none",
                           "a reduced body (.npz) made by limber reduce, instead of the following"},
    [LB_BASIS_KEY_MODES] = {"modes", LB_VALUE_COUNT, offsetof(lb_basis_spec, modes), LB_PURE,
                            LB_NOT_NEGATIVE, false, NULL, "4",
                            "modes of vibration, beyond six shapes for each face that carries "
                            "something"},
    [LB_BASIS_KEY_DERIVATIVES] =
        {"derivatives", LB_VALUE_COUNT, offsetof(lb_basis_spec, derivatives), LB_PURE,
         LB_NOT_NEGATIVE, false, NULL, "5",
         "how many of the shapes under loads, from the softest on, may go far: a "
         "further shape a pair"},
};
const lb_table lb_basis_table = TABLE("basis", basis_fields);

static const lb_field elastic_fields[] = {
    [LB_ELASTIC_ROD] = {"rod", LB_VALUE_TABLE, offsetof(lb_elastic_spec, beam), LB_PURE, LB_ANY,
                        false, &lb_elastic_rod_table, NULL,
                        "a solid cylinder; faces start, end and side"},
    [LB_ELASTIC_BOX] =
        {"box", LB_VALUE_TABLE, offsetof(lb_elastic_spec, beam), LB_PURE, LB_ANY, false,
         &lb_elastic_box_table, NULL,
         "a bar with a rectangular section; faces start, end, left, right, bottom, top "
         "and side"},
    [LB_ELASTIC_BEAM] = {"beam", LB_VALUE_TABLE, offsetof(lb_elastic_spec, beam), LB_PURE, LB_ANY,
                         false, &lb_elastic_box_table, NULL, "another name for a box"},
    [LB_ELASTIC_PLATE] = {"plate", LB_VALUE_TABLE, offsetof(lb_elastic_spec, beam), LB_PURE, LB_ANY,
                          false, &lb_elastic_plate_table, NULL,
                          "a flat box, given by its thickness; the faces of a box"},
    [LB_ELASTIC_TUBE] = {"tube", LB_VALUE_TABLE, offsetof(lb_elastic_spec, beam), LB_PURE, LB_ANY,
                         false, &lb_elastic_tube_table, NULL,
                         "a hollow cylinder; faces start, end, outer, inner and side"},
    [LB_ELASTIC_MESH] =
        {"mesh", LB_VALUE_FILE, offsetof(lb_elastic_spec, mesh), LB_PURE, LB_ANY, false, NULL, NULL,
         "tetrahedra from a Gmsh, VTK or TetGen file; faces are its named surfaces"},
    [LB_ELASTIC_KEY_SCALE] = {"scale", LB_VALUE_SCALE, offsetof(lb_elastic_spec, scale), LB_PURE,
                              LB_POSITIVE, false, NULL, "1",
                              "of a mesh, one number or three: 0.001 for a file in millimetres"},
    [LB_ELASTIC_KEY_MATERIAL] = {"material", LB_VALUE_MATERIAL, offsetof(lb_elastic_spec, material),
                                 LB_PURE, LB_ANY, false, NULL, "the body's",
                                 "a material that has a Young's modulus"},
    [LB_ELASTIC_KEY_MATERIALS] = {"materials", LB_VALUE_REGIONS,
                                  offsetof(lb_elastic_spec, materials), LB_PURE, LB_ANY, false,
                                  NULL, "none",
                                  "of a mesh with several regions, by their names; 'material' is "
                                  "that of the others"},
    [LB_ELASTIC_KEY_PARTS] = {"parts", LB_VALUE_LIST, offsetof(lb_elastic_spec, parts), LB_PURE,
                              LB_ANY, false, &lb_part_table, "none",
                              "of other materials, one after the other from face start to end; not "
                              "for meshes"},
    {"accuracy", LB_VALUE_NUMBER, offsetof(lb_elastic_spec, accuracy), LB_PURE, LB_POSITIVE, false,
     NULL, "1e-3", "wanted relative error of its lowest frequency; sets the number of elements"},
    {"elements", LB_VALUE_TABLE, offsetof(lb_elastic_spec, elements), LB_PURE, LB_ANY, false,
     &lb_elements_table, "from the accuracy", "how many of them"},
    {"fine", LB_VALUE_TABLE, offsetof(lb_elastic_spec, fine), LB_PURE, LB_ANY, false,
     &lb_elements_table, "as elements", "how many of them when every node moves (full)"},
    {"order", LB_VALUE_COUNT, offsetof(lb_elastic_spec, order), LB_PURE, LB_POSITIVE, false, NULL,
     "2", "of the elements: 2 bends well, 1 is much too stiff"},
    {"basis", LB_VALUE_TABLE, offsetof(lb_elastic_spec, basis), LB_PURE, LB_ANY, false,
     &lb_basis_table, "4 modes, 5 derivatives", "the shapes it can take"},
};
const lb_table lb_elastic_table = {"elastic body", COUNT(elastic_fields), elastic_fields,
                                   LB_ELASTIC_FORM_COUNT, "the form of an elastic body"};

static const lb_field body_fields[] = {
    [LB_BODY_SHAPE] = {"shape", LB_VALUE_ONE, offsetof(lb_body_spec, shape), LB_PURE, LB_ANY, false,
                       &lb_shape_table, "none", "what it looks like and weighs"},
    [LB_BODY_SHAPES] = {"shapes", LB_VALUE_LIST, offsetof(lb_body_spec, shapes), LB_PURE, LB_ANY,
                        false, &lb_shape_table, "none", "several shapes instead of one"},
    [LB_BODY_ELASTIC] = {"elastic", LB_VALUE_TABLE, offsetof(lb_body_spec, elastic), LB_PURE,
                         LB_ANY, false, &lb_elastic_table, "none",
                         "a body that bends, instead of shapes"},
    [LB_BODY_MATERIAL] = {"material", LB_VALUE_MATERIAL, offsetof(lb_body_spec, material), LB_PURE,
                          LB_ANY, false, NULL, "plain", "of the shapes that name none"},
    [LB_BODY_MASS] = {"mass", LB_VALUE_NUMBER, offsetof(lb_body_spec, mass), LB_MASS, LB_POSITIVE,
                      false, NULL, "from the shapes", "given alone it scales what the shapes say"},
    [LB_BODY_CENTER] = {"center", LB_VALUE_VECTOR, offsetof(lb_body_spec, center), LB_LENGTH,
                        LB_ANY, false, NULL, "from the shapes", "the centre of mass"},
    [LB_BODY_INERTIA] = {"inertia", LB_VALUE_INERTIA, offsetof(lb_body_spec, inertia), LB_INERTIA,
                         LB_ANY, false, NULL, "from the shapes",
                         "[ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz] about the centre of "
                         "mass, in the body's axes"},
    [LB_BODY_POSITION] = {"position", LB_VALUE_VECTOR, offsetof(lb_body_spec, position), LB_LENGTH,
                          LB_ANY, false, NULL, "[0, 0, 0]",
                          "where a body that no joint carries starts, in the world"},
    [LB_BODY_ROTATION] = {"rotation", LB_VALUE_ROTATION, offsetof(lb_body_spec, rotation), LB_ANGLE,
                          LB_ANY, false, NULL, "none", "how it is turned then"},
    [LB_BODY_DRAG] = {"drag", LB_VALUE_NUMBER, offsetof(lb_body_spec, drag), LB_DAMPING,
                      LB_NOT_NEGATIVE, false, NULL, "0",
                      "resists its motion through the world, at the centre of mass"},
    [LB_BODY_TURN_DRAG] = {"turn_drag", LB_VALUE_NUMBER, offsetof(lb_body_spec, turn_drag),
                           LB_TURN_DAMPING, LB_NOT_NEGATIVE, false, NULL, "0",
                           "resists its turning in the world"},
    [LB_BODY_AIR_DRAG] = {"air_drag", LB_VALUE_NUMBER, offsetof(lb_body_spec, air_drag), LB_PURE,
                          LB_NOT_NEGATIVE, false, NULL, "0",
                          "resists its motion with the square of its speed [kg/m]: half the "
                          "density of the air times area times drag coefficient"},
};
const lb_table lb_body_table = TABLE("body", body_fields);
