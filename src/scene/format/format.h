// The scene format as tables: every key, what may stand behind it, and a line for people. The
// reader follows these tables, the JSON Schema and the reference page are made from them, and a
// test holds the three together.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "limber/scene.h"
#include "scene/yaml/yaml_node.h"
#include "scene/yaml/yaml_number.h"

// What may stand behind a key, and what the reader makes of it.
typedef enum lb_value {
  LB_VALUE_TEXT,     // const char*
  LB_VALUE_FLAG,     // bool
  LB_VALUE_COUNT,    // int
  LB_VALUE_NUMBER,   // double
  LB_VALUE_PAIR,     // double[2]
  LB_VALUE_VECTOR,   // lb_vec3
  LB_VALUE_SCALE,    // lb_vec3, from a number or three
  LB_VALUE_AXIS,     // lb_vec3 of length one
  LB_VALUE_ROTATION, // lb_quat
  LB_VALUE_POSE,     // lb_transform, from a position or a table of position and rotation
  LB_VALUE_COLOR,    // double[4], linear
  LB_VALUE_INERTIA,  // lb_sym3
  LB_VALUE_CHOICE,   // int, from `more`: lb_choices
  LB_VALUE_BODY,     // int, a body or the world
  LB_VALUE_ONE_BODY, // int, a body
  LB_VALUE_JOINT,    // int
  LB_VALUE_MATERIAL, // int
  LB_VALUE_TABLE,    // a struct, from `more`: lb_table
  // const lb_yaml_node*, for the reader of the section to go on with:
  LB_VALUE_FILES,      // a path or a list of paths
  LB_VALUE_FILE,       // a path
  LB_VALUE_SECTION,    // a mapping from names to tables
  LB_VALUE_INITIAL,    // a mapping from names to one of the tables of starts
  LB_VALUE_LIST,       // a list of tables
  LB_VALUE_ONE,        // one table
  LB_VALUE_KEYS,       // a list of pairs [time, value]
  LB_VALUE_POINTS,     // a list of values
  LB_VALUE_WAY,        // as KEYS, or pairs [time, rotation]
  LB_VALUE_WAY_POINTS, // as POINTS, or a list of rotations
  LB_VALUE_CURVE,      // a list of pairs [stretch, force]
  LB_VALUE_REGIONS,    // a mapping from names of regions to names of materials
  LB_VALUE_POSES,      // a list of poses
  LB_VALUE_GRID,       // a list of lists of values
  LB_VALUE_PARTS,      // a list of joints without bodies
  LB_VALUE_BODIES,     // a list of bodies' names
  LB_VALUE_BOUND,      // a number, in units that go by what it is about
  LB_VALUE_MEASURE,    // the same, or a list of numbers
  LB_VALUE_KIND_COUNT
} lb_value;

typedef enum lb_range {
  LB_ANY,
  LB_POSITIVE,     // > 0
  LB_NOT_NEGATIVE, // >= 0
  LB_UNIT_RANGE,   // 0 to 1
  LB_POISSON_RANGE // between -1 and 0.5
} lb_range;

typedef struct lb_choices {
  int count;
  const char* const* name;
} lb_choices;

typedef struct lb_field {
  const char* key;
  lb_value value;
  size_t offset; // in the struct the table describes
  lb_dimension dimension;
  lb_range range;
  bool required;
  const void* more;
  const char* standard; // what holds when the key is not given, in words; NULL: see `about`
  const char* about;
} lb_field;

enum { LB_FIELD_MOST = 32 };

// Every struct that a table describes begins with this: what was given, and where.
typedef struct lb_given {
  const lb_yaml_node* whole;
  const lb_yaml_node* node[LB_FIELD_MOST]; // by the field's index; NULL: not given
  bool wrong;                              // something in it was complained about
} lb_given;

typedef struct lb_table {
  const char* name; // in the singular
  int count;
  const lb_field* field;
  int nchoose;        // of the first `nchoose` fields exactly one must be given; 0: no such rule
  const char* choose; // what these are called
} lb_table;

// --- what the tables fill ---

typedef struct lb_solver_spec {
  lb_given given;
  int integrator;
  double step, tolerance, closing;
  int coordinates, elastic, newton, first_step;
} lb_solver_spec;

typedef struct lb_record_spec {
  lb_given given;
  double every;
  bool rates, reactions;
} lb_record_spec;

typedef struct lb_fit_spec {
  lb_given given;
  const lb_yaml_node* materials;
  bool clock, shift;
} lb_fit_spec;

typedef struct lb_fit_material_spec {
  lb_given given;
  bool young;
  int damping;
  double within;
} lb_fit_material_spec;

enum { LB_MARKER_BODY, LB_MARKER_AT };

typedef struct lb_marker_spec {
  lb_given given;
  int body;
  lb_vec3 at;
} lb_marker_spec;

typedef struct lb_retarget_spec {
  lb_given given;
  const lb_yaml_node *bodies, *motors;
  double spacing, closeness, smoothness, tolerance;
  int iterations;
  double robust;
} lb_retarget_spec;

enum { LB_RETARGET_BODIES, LB_RETARGET_MOTORS, LB_RETARGET_SPACING };
enum { LB_TRACK_AT, LB_TRACK_POSITION, LB_TRACK_ORIENTATION, LB_TRACK_KEYS, LB_TRACK_EASE };
enum { LB_LIMIT_ANGLE, LB_LIMIT_SPEED, LB_LIMIT_ACCELERATION, LB_LIMIT_TORQUE };

typedef struct lb_limit_spec {
  lb_given given;
  double angle[2], speed, acceleration, torque;
} lb_limit_spec;

typedef struct lb_optimize_spec {
  lb_given given;
  const lb_yaml_node *parameters, *goals;
  double tolerance;
  int iterations;
} lb_optimize_spec;

// The kinds of parameters are numbered as lb_parameter_kind.
enum {
  LB_PARAMETER_KEY_KNOTS = LB_PARAMETER_COUNT,
  LB_PARAMETER_KEY_ALONG,
  LB_PARAMETER_KEY_PART,
  LB_PARAMETER_KEY_LEAST,
  LB_PARAMETER_KEY_MOST
};

typedef struct lb_parameter_spec {
  lb_given given;
  const char* of[LB_PARAMETER_COUNT];
  int knots, part;
  lb_vec3 along;
  const lb_yaml_node *least, *most;
} lb_parameter_spec;

// The kinds of goals are numbered as lb_goal_kind.
enum {
  LB_GOAL_KEY_AT = LB_GOAL_COUNT,
  LB_GOAL_KEY_POSITION,
  LB_GOAL_KEY_VELOCITY,
  LB_GOAL_KEY_ALONG,
  LB_GOAL_KEY_TIME,
  LB_GOAL_KEY_WEIGHT
};

typedef struct lb_goal_spec {
  lb_given given;
  const char* of[LB_GOAL_COUNT];
  lb_vec3 at;
  const lb_yaml_node *position, *velocity, *time;
  const char* along;
  double weight;
} lb_goal_spec;

// The keys of a scene file, in this order.
enum {
  LB_SCENE_LIMBER,
  LB_SCENE_NAME,
  LB_SCENE_ABOUT,
  LB_SCENE_INCLUDE,
  LB_SCENE_GRAVITY,
  LB_SCENE_DURATION,
  LB_SCENE_SOLVER,
  LB_SCENE_RECORD,
  LB_SCENE_MATERIALS,
  LB_SCENE_BODIES,
  LB_SCENE_SCENERY,
  LB_SCENE_JOINTS,
  LB_SCENE_SPRINGS,
  LB_SCENE_CABLES,
  LB_SCENE_GROUNDS,
  LB_SCENE_ROPES,
  LB_SCENE_DEFORMABLES,
  LB_SCENE_MOTORS,
  LB_SCENE_LOADS,
  LB_SCENE_CONSTRAINTS,
  LB_SCENE_INITIAL,
  LB_SCENE_REPEAT,
  LB_SCENE_MARKERS,
  LB_SCENE_FIT,
  LB_SCENE_RETARGET,
  LB_SCENE_OPTIMIZE,
  LB_SCENE_KEYS
};

typedef struct lb_scene_spec {
  lb_given given;
  int limber;
  const char *name, *about;
  const lb_yaml_node* include;
  lb_vec3 gravity;
  double duration;
  lb_solver_spec solver;
  lb_record_spec record;
  lb_fit_spec fit;
  lb_retarget_spec retarget;
  lb_optimize_spec optimize;
  const lb_yaml_node* section[LB_SCENE_KEYS]; // by LB_SCENE_MATERIALS ...
} lb_scene_spec;

typedef struct lb_repeat_spec {
  lb_given given;
  int count, from;
  const lb_yaml_node* section[LB_SCENE_KEYS];
} lb_repeat_spec;

typedef struct lb_rayleigh_spec {
  lb_given given;
  double mass, stiffness;
} lb_rayleigh_spec;

typedef struct lb_material_spec {
  lb_given given;
  double density;
  double color[4];
  double roughness, metallic;
  double young, poisson;
  int law;
  lb_rayleigh_spec damping;
} lb_material_spec;

typedef struct lb_round_spec { // sphere, capsule, cylinder, ellipsoid
  lb_given given;
  double radius, length;
  lb_vec3 from, to, radii;
} lb_round_spec;

enum { LB_ROUND_RADIUS, LB_ROUND_LENGTH, LB_ROUND_FROM, LB_ROUND_TO };

enum {
  LB_SHAPE_KEY_BOX,
  LB_SHAPE_KEY_SPHERE,
  LB_SHAPE_KEY_CAPSULE,
  LB_SHAPE_KEY_CYLINDER,
  LB_SHAPE_KEY_ELLIPSOID,
  LB_SHAPE_KEY_MESH,
  LB_SHAPE_KEY_SCALE,
};

typedef struct lb_shape_spec {
  lb_given given;
  lb_vec3 box;
  lb_round_spec round;
  const lb_yaml_node* mesh;
  lb_vec3 scale;
  lb_vec3 position;
  lb_quat rotation;
  int material;
  bool massless;
} lb_shape_spec;

// The forms of an elastic body are numbered as lb_elastic_form.
enum {
  LB_ELASTIC_KEY_SCALE = LB_ELASTIC_FORM_COUNT,
  LB_ELASTIC_KEY_MATERIAL,
  LB_ELASTIC_KEY_MATERIALS,
  LB_ELASTIC_KEY_PARTS
};

typedef struct lb_beam_spec { // rod, box, beam, plate, tube
  lb_given given;
  double radius, inner, width, height;
  lb_vec3 from, to, up;
} lb_beam_spec;

typedef struct lb_part_spec {
  lb_given given;
  double until;
  int material;
} lb_part_spec;

typedef struct lb_elements_spec {
  lb_given given;
  int along, across, around;
} lb_elements_spec;

enum { LB_BASIS_KEY_FILE, LB_BASIS_KEY_MODES, LB_BASIS_KEY_DERIVATIVES };

typedef struct lb_basis_spec {
  lb_given given;
  const lb_yaml_node* file;
  int modes, derivatives;
} lb_basis_spec;

typedef struct lb_elastic_spec {
  lb_given given;
  lb_beam_spec beam;
  const lb_yaml_node* mesh;
  lb_vec3 scale;
  int material;
  const lb_yaml_node *materials, *parts;
  double accuracy;
  lb_elements_spec elements, fine;
  int order;
  lb_basis_spec basis;
} lb_elastic_spec;

enum {
  LB_BODY_SHAPE,
  LB_BODY_SHAPES,
  LB_BODY_ELASTIC,
  LB_BODY_MATERIAL,
  LB_BODY_MASS,
  LB_BODY_CENTER,
  LB_BODY_INERTIA,
  LB_BODY_POSITION,
  LB_BODY_ROTATION,
  LB_BODY_DRAG,
  LB_BODY_TURN_DRAG,
  LB_BODY_AIR_DRAG
};

typedef struct lb_body_spec {
  lb_given given;
  const lb_yaml_node *shape, *shapes;
  lb_elastic_spec elastic;
  int material;
  double mass;
  lb_vec3 center;
  lb_sym3 inertia;
  lb_vec3 position;
  lb_quat rotation;
  double drag, turn_drag, air_drag;
} lb_body_spec;

typedef struct lb_joint_spring_spec {
  lb_given given;
  double stiffness, turn_stiffness, rest[LB_JOINT_MOST_V], turn_rest[LB_JOINT_MOST_V];
  double exponent, turn_exponent;
  const lb_yaml_node *table, *turn_table;
  lb_quat rotation;
} lb_joint_spring_spec;

typedef struct lb_joint_bounds_spec {
  lb_given given;
  double lower[LB_JOINT_MOST_V], upper[LB_JOINT_MOST_V], stiffness, damping, transition;
  bool pulls;
  lb_vec3 axis; // of balls, with the next
  double swing, twist[2];
} lb_joint_bounds_spec;

typedef struct lb_surface_spec {
  lb_given given;
  const lb_yaml_node* control[6];
} lb_surface_spec;

typedef struct lb_joint_spec {
  lb_given given;
  int kind, parent, child;
  const char *face, *child_face;
  int hold;
  lb_transform at, in_child;
  bool loop;
  lb_vec3 axis, second_axis;
  double pitch;
  int order, first;
  int euler; // the same, counted without the first choice
  const lb_yaml_node *frames, *parts;
  bool cyclic;
  lb_surface_spec surface;
  lb_joint_spring_spec spring;
  lb_joint_bounds_spec limits, turn_limits;
  double damping, armature, friction, friction_speed;
  double turn_damping, turn_armature, turn_friction, turn_friction_speed;
} lb_joint_spec;

typedef struct lb_end_spec {
  lb_given given;
  int body;
  const char* face;
  lb_vec3 at;
} lb_end_spec;

typedef struct lb_force_curve_spec { // a part of springs and cables
  double stiffness, damping, length, exponent;
  const lb_yaml_node* table;
  bool slack;
} lb_force_curve_spec;

typedef struct lb_spring_spec {
  lb_given given;
  lb_end_spec from, to;
  lb_force_curve_spec force_curve;
  lb_vec3 along;
} lb_spring_spec;

typedef struct lb_point_spec {
  lb_given given;
  int body;
  lb_vec3 at;
} lb_point_spec;

typedef struct lb_cable_spec {
  lb_given given;
  const lb_yaml_node* through;
  lb_force_curve_spec force_curve;
} lb_cable_spec;

typedef struct lb_ground_spec {
  lb_given given;
  const lb_yaml_node* points;
  lb_vec3 at, normal;
  double stiffness, exponent, dissipation, friction, slip;
} lb_ground_spec;

typedef struct lb_rope_point_spec {
  lb_given given;
  int body;
  lb_vec3 at;
  bool free;
} lb_rope_point_spec;

typedef struct lb_rope_spec {
  lb_given given;
  const lb_yaml_node* through;
  int segments;
  double mass, stiffness, damping, drag, slack, radius;
  bool pushes;
  int material;
} lb_rope_spec;

typedef struct lb_deformable_spec {
  lb_given given;
  lb_elastic_spec form;
  lb_vec3 position;
  lb_quat rotation;
  const lb_yaml_node *attach, *surface;
  double within;
} lb_deformable_spec;

typedef struct lb_spline_spec {
  lb_given given;
  int degree;
  double from, to;
  const lb_yaml_node* points;
} lb_spline_spec;

typedef struct lb_profile_spec { // a part of motors and loads
  const lb_yaml_node* keys;
  const lb_yaml_node* rates; // of constraints' paths: instead
  int ease;
  lb_spline_spec spline;
  double repeat;
} lb_profile_spec;

typedef struct lb_track_spec {
  lb_given given;
  lb_vec3 at;
  double position, orientation;
  lb_profile_spec profile;
} lb_track_spec;

typedef struct lb_motor_spec {
  lb_given given;
  int joint, coordinate, drive;
  lb_profile_spec profile;
} lb_motor_spec;

typedef struct lb_load_spec {
  lb_given given;
  int body;
  const char* face;
  lb_vec3 at, force, torque;
  int frame;
  lb_profile_spec profile;
} lb_load_spec;

typedef struct lb_term_spec { // of a coupling
  lb_given given;
  int joint, coordinate;
  double factor;
} lb_term_spec;

typedef struct lb_path_spec {
  lb_given given;
  lb_profile_spec profile;
} lb_path_spec;

typedef struct lb_prescribed_turn_spec {
  lb_given given;
  lb_vec3 about;
  lb_profile_spec profile;
} lb_prescribed_turn_spec;

typedef struct lb_follow_spec {
  lb_given given;
  int body;
  lb_vec3 at;
  const char* along;
  lb_path_spec path[3];
  bool rotation;
  lb_prescribed_turn_spec turn;
} lb_follow_spec;

typedef struct lb_spot_spec {
  lb_given given;
  lb_vec3 at;
} lb_spot_spec;

typedef struct lb_floor_spec {
  lb_given given;
  int body;
  const lb_yaml_node* points;
  lb_vec3 normal;
  double height;
} lb_floor_spec;

// The kinds of constraints are numbered as lb_constraint_kind.
enum {
  LB_CONSTRAINT_KEY_EQUALS = LB_CONSTRAINT_COUNT,
  LB_CONSTRAINT_KEY_PATH,
  LB_CONSTRAINT_KEY_LEAST,
  LB_CONSTRAINT_KEY_MOST
};

typedef struct lb_constraint_spec {
  lb_given given;
  const lb_yaml_node* couple;
  lb_follow_spec follow;
  lb_floor_spec floor;
  const lb_yaml_node *equals, *least, *most;
  lb_path_spec path;
} lb_constraint_spec;

typedef struct lb_start_spec { // an entry of `initial`
  lb_given given;
  double place[LB_JOINT_MOST_V], rate[LB_JOINT_MOST_V]; // of coordinates that measure alike
  const lb_yaml_node *places, *rates;                   // of others
  lb_vec3 position, velocity, spin;
  lb_quat rotation;
} lb_start_spec;

typedef struct lb_pose_spec {
  lb_given given;
  lb_vec3 position;
  lb_quat rotation;
} lb_pose_spec;

typedef struct lb_turn_spec { // a rotation written as a mapping
  lb_given given;
  lb_vec3 axis;
  double angle;
  const lb_yaml_node* quaternion;
} lb_turn_spec;

// --- the tables ---

extern const lb_table lb_scene_table, lb_solver_table, lb_record_table, lb_repeat_table;
extern const lb_table lb_material_table, lb_body_table, lb_shape_table;
extern const lb_table lb_rayleigh_table, lb_elastic_table, lb_elements_table, lb_basis_table;
extern const lb_table lb_elastic_rod_table, lb_elastic_box_table, lb_elastic_tube_table;
extern const lb_table lb_elastic_plate_table, lb_part_table;
extern const lb_table lb_sphere_table, lb_rod_table, lb_ellipsoid_table;
extern const lb_table lb_joint_table[LB_JOINT_COUNT];
extern const lb_table lb_start_table[LB_JOINT_COUNT];
extern const lb_table lb_hinge_spring_table, lb_slide_spring_table, lb_cross_spring_table,
    lb_planar_spring_table, lb_shift_spring_table, lb_angles_spring_table, lb_curve_spring_table,
    lb_surface_spring_table, lb_ball_spring_table, lb_free_spring_table, lb_free_2d_spring_table,
    lb_free_3d_spring_table;
extern const lb_table lb_hinge_bounds_table, lb_slide_bounds_table, lb_cross_bounds_table,
    lb_planar_bounds_table, lb_shift_bounds_table, lb_angles_bounds_table, lb_curve_bounds_table,
    lb_surface_bounds_table, lb_ball_bounds_table;
extern const lb_table lb_surface_table;
extern const lb_table lb_spring_table, lb_end_table, lb_motor_table, lb_load_table;
extern const lb_table lb_cable_table, lb_ground_table, lb_point_table;
extern const lb_table lb_rope_table, lb_rope_point_table, lb_deformable_table;
extern const lb_table lb_constraint_table, lb_term_table, lb_follow_table, lb_floor_table,
    lb_spot_table, lb_path_table, lb_prescribed_turn_table;
extern const lb_table lb_spline_table, lb_pose_table, lb_turn_table;
extern const lb_table lb_retarget_table, lb_track_table, lb_hinge_limit_table, lb_slide_limit_table;
extern const lb_table lb_optimize_table, lb_parameter_table, lb_goal_table;
extern const lb_table lb_marker_table, lb_fit_table, lb_fit_material_table;
extern const lb_choices lb_joint_choices, lb_integrator_choices, lb_ease_choices,
    lb_material_model_choices, lb_coordinates_choices, lb_space_choices, lb_newton_choices;

// What the coordinate of a joint measures, by kind.
typedef struct lb_joint_measure {
  lb_dimension place, rate, force;
} lb_joint_measure;
extern const lb_joint_measure lb_coordinate_measures[]; // by lb_coordinate
