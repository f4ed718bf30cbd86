// OpenSim's models to nodes of a scene. An element becomes what an author of a scene would have
// written in its place, and keeps its line; names, units, checks and messages are then those of any
// scene, and `limber convert` writes the same nodes as YAML.
//
// Elements decide, not the version that a file claims: joints inside bodies or in a set of their
// own, parents by names, connectors or sockets. Every element that is read is marked as seen; what
// nobody asked for is named in the end.
//
// OpenSim's ground is y up. It is turned here, and nowhere else: its axes lie in the world as
// (x, -z, y).
#pragma once
#include "limber/math.h"
#include "scene/opensim/xml_tree.h"
#include "scene/yaml/reader.h"

// A body or the world, and a place in it.
typedef struct lb_osim_frame {
  const char* body; // its name in the scene, or "world"
  lb_transform pose;
} lb_osim_frame;

// A coordinate of a joint: which of the scene's it is, and how it starts.
typedef struct lb_osim_coordinate {
  const char* name;  // in the model
  const char* joint; // in the scene
  lb_xml* xml;
  int index; // of the joint in the scene
  int npull, pull_capacity;
  struct lb_osim_pull* pull; // springs and limits on it
  bool turns;                // an angle; else a length
  bool dependent, free;      // a coupler says where it is; loops may move it
  double value, speed;
} lb_osim_coordinate;

// An offset frame that was found in the model.
typedef struct lb_osim_named_frame {
  lb_xml* xml;
  const char* owner; // name of what has it, or ""
} lb_osim_named_frame;

// Place of a body on another one, or in the world, as the model starts.
typedef struct lb_osim_place {
  const char *body, *parent;
  lb_transform pose;
  lb_vec3 at, in_child; // of the joint, in both
} lb_osim_place;

// A surface that paths wrap over.
typedef struct lb_osim_wrap {
  lb_xml* xml;
  const char *name, *body; // in the scene
  lb_transform pose;       // in the body
  lb_vec3 size;            // half-axes; z is 0 where it has no end
  double length;           // of cylinders
  bool active;
  int turn; // of an obstacle, which is made for each path: 1 right-handed about z, -1 left-handed
} lb_osim_wrap;

// A spring and a pair of limits on a coordinate; what a force does not have is 0, and its limits
// infinite. All in N, N m, m and rad.
typedef struct lb_osim_pull {
  lb_xml* xml;
  double stiffness, rest, viscosity;
  double lower, upper, below, above; // limits, and the stiffness beyond each
  double transition;                 // way beyond a limit over which the stiffness comes in
} lb_osim_pull;

// Objects that are called otherwise than in the model.
typedef struct lb_osim_renamed {
  int count;
  lb_place first, last;
  const char *name, *made; // of the first
} lb_osim_renamed;

// A note that stands for all of its kind.
typedef struct lb_osim_group {
  const char *kind, *text; // of the first
  lb_place place;
  int count;
} lb_osim_group;

typedef struct lb_osim {
  lb_reader* r;
  lb_xml *model, *defaults;
  lb_yaml* scene; // what is made
  int nframe, frame_capacity;
  lb_osim_named_frame* frame;
  int nbody, body_capacity;
  lb_xml** body; // without the ground
  int ncoordinate, coordinate_capacity;
  lb_osim_coordinate* coordinate;
  bool has_constraints;
  int nplace, place_capacity;
  lb_osim_place* place; // of bodies on each other, as the model starts
  int nwrap, wrap_capacity;
  lb_osim_wrap* wrap;
  int npathless;                        // forces whose paths have no points
  const lb_xml *pathless, *pathless_by; // the first of them, and what it has in place of points
  int ngroup, group_capacity;
  lb_osim_group* group;
  int nrefused, refused_capacity;
  const char** refused;        // names of coordinates and surfaces that could not be read
  lb_osim_renamed spelt, twin; // signs that scenes do not allow; names that are there already
} lb_osim;

// The nodes of a scene, from a text; NULL: something is wrong, which is reported.
lb_yaml* lb_osim_parse(lb_reader* r, const char* text, size_t length, const char* file);

// Objects of the files that `opensim: {sets: ...}` names join those of the model (osim_sets.c).
bool lb_osim_add_sets(lb_osim* o);
// The set that a document is all of, as `<ForceSet>` in a file of its own; or NULL.
lb_xml* lb_osim_lone_set(lb_xml* root);

// Note of names with signs that scenes do not allow.
void lb_osim_report_names(lb_osim* o);

// A note of the first of a kind, which says in the end how many there are.    (osim_notes.c)
void lb_osim_note(lb_osim* o, lb_place place, const char* kind, const char* text);
void lb_osim_report_notes(lb_osim* o);
// What could not be read is reported: those that name it say nothing more.
void lb_osim_refuse(lb_osim* o, const char* name);
bool lb_osim_is_refused(const lb_osim* o, const char* name);

// Notes of elements in `model` that nobody asked for.
void lb_osim_report_missed(lb_osim* o);

// --- nodes (osim_node.c) ---

lb_yaml* lb_node_map(lb_osim* o, lb_place place);
lb_yaml* lb_node_list(lb_osim* o, lb_place place);
lb_yaml* lb_node_text(lb_osim* o, lb_place place, const char* text);
lb_yaml* lb_node_number(lb_osim* o, lb_place place, double x);
// An angle or a length.
lb_yaml* lb_node_measure(lb_osim* o, lb_place place, double x, bool angle);
lb_yaml* lb_node_flag(lb_osim* o, lb_place place, bool flag);
lb_yaml* lb_node_numbers(lb_osim* o, lb_place place, const double* x, int n);
lb_yaml* lb_node_vector(lb_osim* o, lb_place place, lb_vec3 v);
lb_yaml* lb_node_rotation(lb_osim* o, lb_place place, lb_quat q);
// Position, and rotation where there is one.
lb_yaml* lb_node_pose(lb_osim* o, lb_place place, lb_transform X);
void lb_node_put(lb_osim* o, lb_yaml* map, const char* key, lb_yaml* value);
void lb_node_add(lb_osim* o, lb_yaml* list, lb_yaml* value);
// Section of the scene, made where it is not there yet.
lb_yaml* lb_node_section(lb_osim* o, const char* key, lb_place place);
// A part of a section under a name that nothing else there has; the name that it got.
const char* lb_node_part(lb_osim* o, const char* section, const char* name, lb_yaml* part);
// The same for an object that others call by its name, with a note where it gets another one;
// `what` it is ("marker").
const char* lb_node_named_part(lb_osim* o, const char* section, const char* what, const char* name,
                               lb_yaml* part);
// The same for an element. One without a name gets `otherwise`, which nobody calls it by.
const char* lb_node_object(lb_osim* o, const char* section, const char* what, const lb_xml* xml,
                           const char* otherwise, lb_yaml* part);
// A mistake: there is another `what` of this name, in a line before.
bool lb_osim_defined_twice(lb_osim* o, const char* what, const lb_xml* second, int first);

// --- values of elements (osim_value.c) ---

// Property of an object, its own or that of its class among `defaults`; or NULL.
lb_xml* lb_osim_property(lb_osim* o, lb_xml* object, const char* tag);
// Text of a property; "" without one.
const char* lb_osim_word(lb_osim* o, lb_xml* object, const char* tag);
double lb_osim_number(lb_osim* o, lb_xml* object, const char* tag, double standard);
bool lb_osim_flag(lb_osim* o, lb_xml* object, const char* tag, bool standard);
lb_vec3 lb_osim_vector(lb_osim* o, lb_xml* object, const char* tag, lb_vec3 standard);
// All numbers of an element; their count, -1 when one is none.
int lb_osim_numbers(lb_osim* o, const lb_xml* at, const char* text, double** out);
// Two numbers that rise, of which the first may be -Inf and the second Inf: such a bound stays as
// it is. Whether there is any bound.
bool lb_osim_range(lb_osim* o, lb_xml* object, const char* tag, double* lower, double* upper);
// The first object of a set: inside its `objects`, where it has that.
lb_xml* lb_osim_first(lb_osim* o, lb_xml* in, const char* set);
// The last name of a path such as /jointset/knee_r/knee_angle_r, or of an element of names.
const char* lb_osim_last(const char* path);
// A name that scenes allow.
const char* lb_osim_name(lb_osim* o, const char* name);
lb_quat lb_osim_rotation(lb_vec3 angles); // about x, then the turned y, then the turned z
extern const lb_quat lb_osim_ground;      // its axes in the world

// --- bodies, frames (osim_frames.c) ---

void lb_osim_gather_frames(lb_osim* o);
void lb_osim_bodies(lb_osim* o);
// Text of a socket, connector or property of an object by its name: "parent_frame".
const char* lb_osim_socket(lb_osim* o, lb_xml* object, const char* name, lb_place* place);
// The frame that a path stands for, as seen from an object. False: there is none, which is
// reported.
bool lb_osim_find_frame(lb_osim* o, lb_xml* from, const char* path, lb_place place,
                        lb_osim_frame* out);
// Frame and place in it of an object that has one of these sockets, up to NULL, and a location.
bool lb_osim_attach(lb_osim* o, lb_xml* object, const char* const* socket, const char* location,
                    lb_osim_frame* out);
lb_vec3 lb_osim_at(const lb_osim_frame* frame, lb_vec3 location);
// {body: ..., at: ...} of a point.
lb_yaml* lb_osim_point(lb_osim* o, lb_place place, const lb_osim_frame* frame);
// Pose of a body in the world as the model starts, but for what constraints change.
lb_transform lb_osim_body_pose(lb_osim* o, const char* body);
lb_osim_coordinate* lb_osim_find_coordinate(lb_osim* o, const char* path, lb_place place);

// --- functions (osim_functions.c) ---

typedef struct lb_osim_function {
  bool constant, line; // of `b`; a x + b
  double a, b;
  lb_yaml* node; // any other, as scenes write it
  int n;         // of the others: points or coefficients
  double *x, *y; // [n] points; x is NULL of a polynomial, whose coefficients y are
} lb_osim_function;

// Value at x; splines are taken as straight lines between their points.
double lb_osim_function_at(const lb_osim_function* f, double x);

// The function that is a property of an object: inside an element of the property's name, or an
// element of its own class with that name. NULL: there is none.
lb_xml* lb_osim_find_function(lb_osim* o, lb_xml* object, const char* property);
// A mistake: there is none, or nothing in its element.
bool lb_osim_lack_function(lb_osim* o, lb_xml* object, const char* property);
// A function, times a factor. False: it cannot be read, which is reported.
bool lb_osim_read_function(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out);
// The same of the only function of an axis or of another function. One without is a line with slope
// one where it has a coordinate, else zero.
bool lb_osim_read_inner_function(lb_osim* o, lb_xml* in, double scale, bool has_coordinate,
                                 lb_osim_function* out);
// Function as a node, whatever it is.
lb_yaml* lb_osim_function_node(lb_osim* o, lb_place place, const lb_osim_function* f);

// --- surfaces (osim_wraps.c) ---

void lb_osim_wraps(lb_osim* o);
// The surface that a name or path stands for, of an obstacle the first; or NULL.
const lb_osim_wrap* lb_osim_find_wrap(const lb_osim* o, const char* name);
// Distance of a segment from a surface's middle, in parts of its size, and where that is, 0 to 1.
double lb_osim_wrap_distance(const lb_osim_wrap* w, lb_transform pose, lb_vec3 a, lb_vec3 b,
                             double* along);
// Surface of an obstacle for a path from a to b (in the world): it stays on the side to the right
// of its way, as seen along z, where it turns right-handed about the obstacle. Its name.
const char* lb_osim_make_obstacle(lb_osim* o, const lb_osim_wrap* w, lb_transform pose, lb_vec3 a,
                                  lb_vec3 b);

// --- parts ---

void lb_osim_joints(lb_osim* o);                                    // osim_joints.c
void lb_osim_looks(lb_osim* o);                                     // osim_looks.c
void lb_osim_muscle_look(lb_osim* o, lb_xml* xml, lb_yaml* muscle); // osim_looks.c
void lb_osim_start(lb_osim* o);                                     // osim_joints.c
void lb_osim_constraints(lb_osim* o);                               // osim_constraints.c
void lb_osim_forces(lb_osim* o);                                    // osim_forces.c
void lb_osim_markers(lb_osim* o);                                   // osim_forces.c
// One actuator of `ForceSet`; false: it is none.
bool lb_osim_actuator(lb_osim* o, lb_xml* force); // osim_coordinates.c
// One spring or pair of limits on a coordinate; false: it is neither. Those on a coordinate add up,
// and become its joint's spring when all are there.
bool lb_osim_coordinate_pull(lb_osim* o, lb_xml* force); // osim_pulls.c
void lb_osim_put_pulls(lb_osim* o);                      // osim_pulls.c
// Note that a force is left out.
void lb_osim_leave_out(lb_osim* o, const lb_xml* force, const char* why); // osim_forces.c
// One muscle or path spring of `ForceSet`; false: it is neither.
bool lb_osim_path_force(lb_osim* o, lb_xml* force); // osim_paths.c
void lb_osim_report_pathless(lb_osim* o);           // osim_paths.c
// Constants of a Hill-type muscle, and its start.
lb_yaml* lb_osim_hill(lb_osim* o, lb_xml* muscle);                     // osim_hill.c
void lb_osim_hill_start(lb_osim* o, lb_xml* muscle, const char* name); // osim_hill.c
// A property as a number of a map, where it is there.
void lb_osim_put_number(lb_osim* o, lb_yaml* map, lb_xml* xml, const char* key, const char* tag);
// Springs along paths, whose points and surfaces are given.
bool lb_osim_is_spring(const lb_xml* force);                      // osim_springs.c
void lb_osim_spring(lb_osim* o, lb_xml* force, lb_yaml* through); // osim_springs.c
