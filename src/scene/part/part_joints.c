// Joints: what each kind has, and how they are read. Their keys are in joint_keys.c, what must hold
// of them in check_joints.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/part/part.h"

// --- kinds ---

#define SIZE_OF(code, name, nq, nv) [code] = {nq, nv},
static const int sizes[LB_JOINT_COUNT][2] = {LB_JOINT_LIST(SIZE_OF)}; // coordinates, velocities

static const struct kind {
  const char* counts; // what each velocity counts: an angle, a length or a number
  bool two_axes;
  bool swaps;     // it may turn before it slides
  bool series;    // it is made of its parts
  int quaternion; // where one begins among its coordinates, counted from 1; 0: it has none
} kinds[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = {.counts = ""},
    [LB_JOINT_REVOLUTE] = {.counts = "a"},
    [LB_JOINT_PRISMATIC] = {.counts = "l"},
    [LB_JOINT_UNIVERSAL] = {.counts = "aa", .two_axes = true},
    [LB_JOINT_SPHERICAL] = {.counts = "aaa", .quaternion = 1},
    [LB_JOINT_FREE] = {.counts = "aaalll", .quaternion = 4},
    [LB_JOINT_PLANAR] = {.counts = "ll", .two_axes = true},
    [LB_JOINT_TRANSLATIONAL] = {.counts = "lll"},
    [LB_JOINT_HELICAL] = {.counts = "a"},
    [LB_JOINT_EULER] = {.counts = "aaa"},
    [LB_JOINT_EXPONENTIAL] = {.counts = "aaa"},
    [LB_JOINT_FREE_2D] = {.counts = "lla", .two_axes = true},
    [LB_JOINT_FREE_3D] = {.counts = "lllaaa", .swaps = true},
    [LB_JOINT_CURVE] = {.counts = "n"},
    [LB_JOINT_SURFACE] = {.counts = "nn"},
    [LB_JOINT_ELLIPSOID] = {.counts = "aaa"},
    [LB_JOINT_COMPOSITE] = {.counts = "", .series = true},
};

bool lb_joint_is_kind(lb_joint_kind kind) {
  return (unsigned)kind < LB_JOINT_COUNT;
}

int lb_joint_count_parts(const lb_scene_joint* joint) {
  return lb_joint_is_kind(joint->kind) && kinds[joint->kind].series ? joint->npart : 0;
}

static int count(const lb_scene_joint* joint, bool velocities) {
  int sum = lb_joint_is_kind(joint->kind) && !joint->follows ? sizes[joint->kind][velocities] : 0;
  for (int i = 0; i < lb_joint_count_parts(joint); i++) {
    sum += count(&joint->part[i], velocities);
  }
  return sum;
}

int lb_joint_count_q(const lb_scene_joint* joint) {
  return count(joint, false);
}

int lb_joint_count_v(const lb_scene_joint* joint) {
  return count(joint, true);
}

lb_coordinate lb_joint_counts(const lb_scene_joint* joint, int k) {
  for (int i = 0; i < lb_joint_count_parts(joint); i++) {
    const int n = lb_joint_count_v(&joint->part[i]);
    if (k < n) {
      return lb_joint_counts(&joint->part[i], k);
    }
    k -= n;
  }
  const struct kind* kind = &kinds[lb_joint_is_kind(joint->kind) ? joint->kind : LB_JOINT_FIXED];
  const char* counts = kind->counts;
  const int at = kind->swaps && joint->rotation_first ? (k + 3) % LB_JOINT_MOST_V : k;
  const char what = at < (int)strlen(counts) ? counts[at] : 'a';
  return what == 'l'   ? LB_COORDINATE_LENGTH
         : what == 'n' ? LB_COORDINATE_NUMBER
                       : LB_COORDINATE_ANGLE;
}

bool lb_joint_slides_and_turns(const lb_scene_joint* joint) {
  return lb_joint_is_kind(joint->kind) && strchr(kinds[joint->kind].counts, 'a') &&
         strchr(kinds[joint->kind].counts, 'l');
}

int lb_joint_quaternion(const lb_scene_joint* joint) {
  return lb_joint_is_kind(joint->kind) ? kinds[joint->kind].quaternion - 1 : -1;
}

bool lb_joint_has_quaternion(const lb_scene_joint* joint) {
  return lb_joint_quaternion(joint) >= 0;
}

bool lb_joint_has_two_axes(const lb_scene_joint* joint) {
  return lb_joint_is_kind(joint->kind) && kinds[joint->kind].two_axes;
}

const lb_joint_measure lb_coordinate_measures[] = {
    [LB_COORDINATE_ANGLE] = {LB_ANGLE, LB_TURN_RATE, LB_TORQUE, LB_TURN_STIFFNESS, LB_TURN_DAMPING},
    [LB_COORDINATE_LENGTH] = {LB_LENGTH, LB_SPEED, LB_FORCE, LB_STIFFNESS, LB_DAMPING},
    [LB_COORDINATE_NUMBER] = {LB_PURE, LB_PURE, LB_PURE, LB_PURE, LB_PURE},
};

const char* lb_joint_kind_name(lb_joint_kind kind) {
  return lb_joint_is_kind(kind) ? lb_joint_choices.name[kind] : "unknown";
}

const char* lb_joint_by_numbers(const lb_scene_joint* joint) {
  return lb_joint_slides_and_turns(joint) ? "a free-3d joint" : "an euler or exponential joint";
}

lb_scene_joint lb_scene_joint_default(void) {
  lb_scene_joint joint = {.name = "",
                          .kind = LB_JOINT_REVOLUTE,
                          .parent = LB_WORLD,
                          .in_parent = lb_transform_identity(),
                          .in_child = lb_transform_identity(),
                          .axis = {0, 0, 1},
                          .axis2 = {1, 0, 0},
                          .order = LB_TURN_XYZ,
                          .resistance = {.friction_speed = 0.01, .limit_transition = 1e-3},
                          .turn = {.friction_speed = 0.01, .limit_transition = 1e-3},
                          .rest_turn = {1, 0, 0, 0},
                          .hold = {.face = {0, -1}}};
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    joint.lower[k] = -INFINITY;
    joint.upper[k] = INFINITY;
  }
  return joint;
}

// --- reading ---

// The table to read a joint by. When the type is missing or wrong, one whose other keys fit.
static const lb_table* pick_table(const lb_yaml* node) {
  const lb_yaml* type = lb_yaml_find(node, "type");
  for (int i = 0; i < LB_JOINT_COUNT && lb_is_scalar(type); i++) {
    if (strcmp(type->text, lb_joint_choices.name[i]) == 0) {
      return &lb_joint_table[i];
    }
  }
  return &lb_joint_table[lb_yaml_find(node, "axis") ? LB_JOINT_REVOLUTE : LB_JOINT_SPHERICAL];
}

// A joint of which nothing is known but what holds when nothing is written.
static lb_scene_joint unwritten(const lb_table* table) {
  lb_scene_joint joint = lb_scene_joint_default();
  lb_table_default(table, &joint);
  joint.kind = LB_JOINT_COUNT; // stays when the type is no good
  return joint;
}

// Two axes. Where the second is not given it is what follows in x, y, z after the largest part of
// the first, as far as that is at right angles.
static bool finish_axes(lb_reader* r, const lb_yaml* node, lb_scene_joint* joint) {
  const lb_yaml* first = lb_yaml_find(node, "axis");
  const lb_yaml* second = lb_yaml_find(node, "second_axis");
  const lb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  const lb_vec3 a = joint->axis;
  const double most = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  const lb_vec3 next = fabs(a.x) == most ? y : fabs(a.y) == most ? z : x;
  const lb_vec3 b = second ? joint->axis2 : next;
  const lb_vec3 across = lb_vec3_sub(b, lb_vec3_scale(lb_vec3_dot(a, b), a));
  joint->axis2 = lb_vec3_scale(1 / lb_vec3_norm(across), across);
  return !second || fabs(lb_vec3_dot(a, b)) < 1e-6 ||
         lb_complain(r, second->place,
                     "'second_axis' must be at right angles to the first axis, %s",
                     first ? "'axis'" : "x");
}

static bool read_frames(lb_reader* r, const lb_yaml* list, lb_scene_joint* joint) {
  const lb_field field = {.key = "frames", .value = LB_VALUE_POSE, .dimension = LB_LENGTH};
  if (list->count < 4) {
    return lb_complain(r, list->place, "'frames' must have four or more, not %d", list->count);
  }
  joint->spline.nframe = list->count;
  joint->spline.frame = lb_read_array(r, list, &field, sizeof *joint->spline.frame);
  return joint->spline.frame;
}

// One grid; the first one read says how large all are.
static bool read_grid(lb_reader* r, const lb_yaml* grid, const lb_field* field,
                      lb_scene_joint* joint, const double** out) {
  const bool list = grid->count > 0 && lb_is_list(grid->item[0]);
  const int rows = grid->count, columns = list ? grid->item[0]->count : 0;
  joint->spline.rows = joint->spline.rows ? joint->spline.rows : rows;
  joint->spline.columns = joint->spline.columns ? joint->spline.columns : columns;
  bool even = rows == joint->spline.rows && rows >= 4 && columns >= 4;
  for (int i = 0; i < rows && even; i++) {
    even = lb_is_list(grid->item[i]) && grid->item[i]->count == joint->spline.columns;
  }
  if (!even) {
    return lb_complain(r, grid->place,
                       "'%s' must be a list of rows of numbers, four by four or more, and as many "
                       "as in the other grids",
                       field->key);
  }
  double* value = LB_TAKE(r->keep, double, rows* columns);
  bool ok = value || lb_lack(r);
  for (int i = 0; ok && i < rows * columns; i++) {
    ok &= lb_read_number(r, grid->item[i / columns]->item[i % columns], field->key,
                         field->dimension, LB_ANY, &value[i]);
  }
  *out = value;
  return ok;
}

static bool read_surface(lb_reader* r, const lb_yaml* node, lb_scene_joint* joint) {
  bool ok = true, any = false;
  for (int k = 0; k < lb_surface_table.count && ok; k++) {
    const lb_field* field = &lb_surface_table.field[k];
    const lb_yaml* grid = lb_yaml_find(node, field->key);
    any |= grid != NULL;
    ok = !grid || read_grid(r, grid, field, joint, &joint->spline.control[k]);
  }
  return any ? ok : lb_complain(r, node->place, "'surface' needs one of x, y, z, rx, ry and rz");
}

static bool part_moves_by_function(const lb_table* table) {
  return table == &lb_joint_table[LB_JOINT_REVOLUTE] ||
         table == &lb_joint_table[LB_JOINT_PRISMATIC];
}

// Functions of parts are read once all are known, for they are of what another part measures.
static bool read_functions(lb_reader* r, const lb_yaml* list, const lb_scene_joint* joint,
                           lb_scene_joint* part) {
  const int n = lb_joint_count_v(joint);
  bool ok = true;
  for (int i = 0, k = 0; i < list->count; i++) {
    const lb_yaml *function = lb_yaml_find(list->item[i], "function"),
                  *follows = lb_yaml_find(list->item[i], "follows");
    const int own = k;
    k += lb_joint_count_v(&part[i]);
    if (follows && part[i].leader >= n) {
      ok = lb_complain(r, follows->place,
                       n > 1 ? "'follows' must be 0 to %d: the joint has %d coordinates"
                             : "'follows' must be %d: the joint has %d coordinate",
                       n > 1 ? n - 1 : 0, n);
    } else if (function) {
      const lb_coordinate counts = lb_joint_counts(joint, follows ? part[i].leader : own);
      ok &= lb_read_function_profile(r, function, "function", lb_coordinate_measures[counts].place,
                                     part[i].kind == LB_JOINT_REVOLUTE ? LB_ANGLE : LB_LENGTH,
                                     &part[i].profile);
    }
  }
  return ok;
}

// A part has the keys of its type but those that name bodies.
static bool read_part(lb_reader* r, const lb_yaml* node, lb_scene_joint* part) {
  static const char* const BODIES[] = {"parent", "child",    "face",   "child_face",
                                       "hold",   "in_child", "loop",   "compliance",
                                       "names",  "ranges",   "clamped"};
  lb_table table = *pick_table(node);
  const lb_field* whole = table.field;
  const bool by_function = part_moves_by_function(pick_table(node));
  lb_field field[LB_FIELD_MOST];
  int count = 0;
  for (int i = 0; i < table.count; i++) {
    bool named = false;
    for (int k = 0; k < LB_COUNT_OF(BODIES); k++) {
      named |= strcmp(whole[i].key, BODIES[k]) == 0;
    }
    if (!named) {
      field[count++] = whole[i];
    }
  }
  if (by_function) {
    memcpy(field + count, lb_function_part_fields, 2 * sizeof *field);
    count += 2;
  }
  table.field = field;
  table.count = count;
  *part = unwritten(&table);
  part->place = node->place;
  if (!lb_read_table(r, node, &table, part)) {
    return false;
  }
  part->follows = lb_yaml_find(node, "follows") != NULL;
  return !lb_joint_has_quaternion(part) ||
         lb_complain(r, lb_yaml_find(node, "type")->place, "a part cannot be %s (choose %s)",
                     lb_joint_kind_name(part->kind),
                     lb_joint_slides_and_turns(part) ? "free-3d" : "euler or exponential");
}

static bool read_parts(lb_reader* r, const lb_yaml* list, lb_scene_joint* joint) {
  lb_scene_joint* part = LB_TAKE(r->keep, lb_scene_joint, list->count);
  if (!part) {
    return lb_lack(r);
  }
  const char* whole = r->subject;
  bool ok = true;
  for (int i = 0; i < list->count; i++) {
    r->subject = lb_compose(r, "part %d of %s", i + 1, whole);
    ok &= read_part(r, list->item[i], &part[i]);
  }
  r->subject = whole;
  joint->npart = list->count;
  joint->part = part;
  if (!ok) {
    return false;
  }
  const int n = lb_joint_count_v(joint);
  if (n < 1 || n > LB_JOINT_MOST_V) {
    return lb_complain(r, list->place, "'parts' must have one to %d coordinates together, not %d",
                       LB_JOINT_MOST_V, n);
  }
  return read_functions(r, list, joint, part);
}

// Force curve of its spring, or of what pulls its distances, and of what pulls its angles.
static bool read_curves(lb_reader* r, const lb_yaml* spring, lb_scene_joint* joint) {
  const bool apart = lb_joint_slides_and_turns(joint);
  const lb_joint_measure* measure =
      &lb_coordinate_measures[apart ? LB_COORDINATE_LENGTH : lb_joint_counts(joint, 0)];
  const lb_force_curve_keys own = {"stiffness",    "exponent",     "table",
                                   measure->place, measure->force, !apart};
  const lb_force_curve_keys turn = {"turn_stiffness", "turn_exponent", "turn_table",
                                    LB_ANGLE,         LB_TORQUE,       false};
  const bool ok = lb_read_force_curve(r, spring, &own, &joint->resistance.force_curve);
  return (!apart || lb_read_force_curve(r, spring, &turn, &joint->turn.force_curve)) && ok;
}

// Distances are written first; where the joint turns first, its coordinates begin with the angles.
static void order_coordinates(lb_scene_joint* joint) {
  double* const of[] = {joint->rest, joint->lower, joint->upper};
  for (int i = 0; i < LB_COUNT_OF(of) && joint->rotation_first; i++) {
    for (int k = 0; k < 3; k++) {
      const double first = of[i][k];
      of[i][k] = of[i][k + 3];
      of[i][k + 3] = first;
    }
  }
}

// Faces: one key is enough where one of the bodies is rigid. Frames are measured from the middle of
// a face unless the author says where they are.
static void finish_faces(const lb_scene* scene, const lb_yaml* node, lb_scene_joint* joint) {
  static const char* const key[] = {"at", "in_child"};
  const int body[2] = {joint->parent, joint->child};
  const char *face = joint->hold.face_name[0], *child_face = joint->hold.face_name[1];
  const bool parent = body[0] >= 0 && scene->body[body[0]].elastic;
  joint->hold.face_name[0] = parent ? face : NULL;
  joint->hold.face_name[1] = parent || child_face ? child_face : face;
  for (int i = 0; i < 2; i++) {
    const lb_yaml* at = lb_yaml_find(node, key[i]);
    const bool placed = at && (!lb_is_map(at) || lb_yaml_find(at, "position"));
    joint->hold.at_middle[i] = body[i] >= 0 && scene->body[body[i]].elastic && !placed;
  }
}

// Names of coordinates, as many as there are.
static bool read_names(lb_reader* r, const lb_yaml* list, lb_scene_joint* joint) {
  const lb_field field = {.key = "names", .value = LB_VALUE_TEXT};
  const int n = lb_joint_count_v(joint);
  if (!lb_is_list(list) || list->count != n) {
    return lb_complain(r, list->place, "'names' must be a list of %d, one for each coordinate", n);
  }
  const char** name = lb_read_array(r, list, &field, sizeof *name);
  if (name) {
    memcpy(joint->coordinate_name, name, (size_t)n * sizeof *name);
  }
  return name;
}

// Ranges are limits that do not push.
static bool read_ranges(lb_reader* r, const lb_yaml* node, const lb_yaml* list,
                        lb_scene_joint* joint) {
  const int n = lb_joint_count_v(joint);
  const lb_yaml *limits = lb_yaml_find(node, "limits"), *turn = lb_yaml_find(node, "turn_limits");
  if (lb_joint_has_quaternion(joint) || limits || turn) {
    return lb_complain(r, list->place,
                       "'ranges' are of plain coordinates without limits (take one away)");
  }
  if (list->count != n) {
    return lb_complain(r, list->place,
                       "'ranges' must have %d [least, most], one for each "
                       "coordinate",
                       n);
  }
  bool ok = true;
  for (int k = 0; k < n; k++) {
    const lb_field field = {.key = "ranges",
                            .value = LB_VALUE_PAIR,
                            .dimension = lb_coordinate_measures[lb_joint_counts(joint, k)].place};
    double x[2];
    if (!lb_read_value(r, list->item[k], &field, x)) {
      ok = false;
    } else if (!(x[0] <= x[1])) {
      ok = lb_complain(r, list->item[k]->place, "the least of a range must not be above its most");
    } else {
      joint->lower[k] = x[0];
      joint->upper[k] = x[1];
    }
  }
  return ok;
}

// Which ranges inverse kinematics keeps to.
static bool read_clamped(lb_reader* r, const lb_yaml* node, const lb_yaml* list,
                         lb_scene_joint* joint) {
  static const lb_field FIELD = {.key = "clamped", .value = LB_VALUE_FLAG};
  const lb_yaml* ranges = lb_yaml_find(node, "ranges");
  if (!ranges || !lb_is_list(list) || list->count != ranges->count) {
    return lb_complain(r, list->place, "'clamped' must have true or false for each of 'ranges'");
  }
  bool ok = true;
  for (int k = 0; k < list->count; k++) {
    ok &= lb_read_value(r, list->item[k], &FIELD, &joint->clamped[k]);
  }
  return ok;
}

bool lb_finish_joint(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_joint* joint = part;
  const lb_yaml *spring = lb_yaml_find(node, "spring"), *frames = lb_yaml_find(node, "frames"),
                *surface = lb_yaml_find(node, "surface"), *parts = lb_yaml_find(node, "parts");
  finish_faces(&r->scene, node, joint);
  if (!lb_joint_is_kind(joint->kind)) {
    return false;
  }
  if (lb_joint_has_two_axes(joint)) {
    ok &= finish_axes(r, node, joint);
  }
  if (lb_joint_has_quaternion(joint)) {
    joint->q[lb_joint_quaternion(joint)] = 1;
  }
  order_coordinates(joint);
  ok &= !lb_is_map(spring) || read_curves(r, spring, joint);
  ok &= !lb_is_list(frames) || read_frames(r, frames, joint);
  ok &= !lb_is_map(surface) || read_surface(r, surface, joint);
  ok = (!lb_is_list(parts) || read_parts(r, parts, joint)) && ok;
  const lb_yaml *names = ok ? lb_yaml_find(node, "names") : NULL,
                *ranges = ok ? lb_yaml_find(node, "ranges") : NULL;
  ok &= !names || read_names(r, names, joint);
  ok = (!ranges || read_ranges(r, node, ranges, joint)) && ok;
  const lb_yaml* clamped = ok ? lb_yaml_find(node, "clamped") : NULL;
  return (!clamped || read_clamped(r, node, clamped, joint)) && ok;
}

// A position on a body that a joint carries would be a second opinion on where it is.
static void check_positions(lb_reader* r) {
  for (int i = 0; i < r->scene.nbody; i++) {
    const lb_yaml* body = r->section[LB_SCENE_BODIES].entry[i].value;
    const lb_yaml* node = lb_yaml_find(body, "position");
    node = node ? node : lb_yaml_find(body, "rotation");
    if (node && r->carrier[i] >= 0) {
      r->subject = "";
      lb_complain(r, node->place,
                  "body '%s' is placed by joint '%s' (take its position and rotation away, or "
                  "change the joint's 'at')",
                  r->scene.body[i].name, r->scene.joint[r->carrier[i]].name);
    }
  }
}

bool lb_joint_is_known(const lb_reader* r, int joint) {
  const lb_joint_kind kind = r->scene.joint[joint].kind;
  return kind != LB_JOINT_COUNT &&
         !(kind == LB_JOINT_COMPOSITE && r->broken[LB_SCENE_JOINTS][joint]);
}

bool lb_read_coordinates(lb_reader* r, const lb_scene_joint* joint, const lb_yaml* node,
                         const char* key, bool rate, double* out) {
  const int n = joint ? lb_joint_count_v(joint) : 3;
  const bool alone = n == 1 && lb_is_scalar(node);
  if (!alone && !lb_is_list(node)) {
    return lb_wrong_kind(r, node, key,
                         n == 1 ? "a number" : lb_compose(r, "a list of %d numbers", n));
  }
  if (!alone && node->count != n) {
    return lb_complain(r, node->place,
                       "'%s' must have %d number%s, one for each coordinate, not %d", key, n,
                       n == 1 ? "" : "s", node->count);
  }
  bool ok = true;
  for (int k = 0; k < n; k++) {
    const lb_joint_measure* measure =
        &lb_coordinate_measures[joint ? lb_joint_counts(joint, k) : LB_COORDINATE_LENGTH];
    ok &= lb_read_number(r, alone ? node : node->item[k], key,
                         rate ? measure->rate : measure->place, LB_ANY, &out[k]);
  }
  return ok;
}

static void read_joint(lb_reader* r, const lb_entry* entry, int i) {
  lb_scene_joint* joint = &r->scene.joint[i];
  const lb_table* table = pick_table(entry->value);
  *joint = unwritten(table);
  joint->name = lb_keep_name(r, entry);
  joint->place = entry->name->place;
  bool ok = lb_begin_entry(r, entry, "joint");
  ok &= lb_read_table(r, entry->value, table, joint);
  r->broken[LB_SCENE_JOINTS][i] = !ok;
}

void lb_read_joints(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_JOINTS];
  r->scene.joint = LB_TAKE(r->keep, lb_scene_joint, all->count);
  r->broken[LB_SCENE_JOINTS] = LB_TAKE(&r->scratch, bool, all->count);
  r->carrier = LB_TAKE(&r->scratch, int, r->scene.nbody);
  if (!r->scene.joint || !r->broken[LB_SCENE_JOINTS] || !r->carrier) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < r->scene.nbody; i++) {
    r->carrier[i] = -1;
  }
  r->scene.njoint = all->count;
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    read_joint(r, &all->entry[i], i);
    const lb_scene_joint* joint = &r->scene.joint[i];
    if (joint->child >= 0 && !joint->loop) {
      r->carrier[joint->child] = i;
    }
  }
  check_positions(r);
}
