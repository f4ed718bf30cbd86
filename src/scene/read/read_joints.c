// Joints.
#include <string.h>

#include "scene/yaml/reader.h"

// --- which table ---

// The type that a joint names, or LB_JOINT_COUNT.
static int named_kind(const lb_yaml_node* node) {
  const lb_yaml_node* type = lb_yaml_node_find(node, "type");
  for (int i = 0; type && i < LB_JOINT_COUNT && type->kind == LB_YAML_SCALAR; i++) {
    if (strcmp(type->text, lb_joint_choices.name[i]) == 0) {
      return i;
    }
  }
  return LB_JOINT_COUNT;
}

// The table to read a joint by. When the type is missing or wrong, one whose other keys fit.
static const lb_table* joint_table(const lb_yaml_node* node) {
  const int kind = named_kind(node);
  const int fits = lb_yaml_node_find(node, "axis") ? LB_JOINT_REVOLUTE : LB_JOINT_SPHERICAL;
  return &lb_joint_table[kind < LB_JOINT_COUNT ? kind : fits];
}

const char* lb_joint_by_numbers(const lb_scene_joint* joint) {
  return joint->kind == LB_JOINT_FREE ? "a free-3d joint" : "an euler or exponential joint";
}

static void start_at_zero(lb_scene_joint* joint) {
  if (joint->kind == LB_JOINT_SPHERICAL) {
    joint->q[0] = 1;
  } else if (joint->kind == LB_JOINT_FREE) {
    joint->q[3] = 1;
  }
}

// --- what only some have ---

static bool has_two_axes(lb_joint_kind kind) {
  return kind == LB_JOINT_UNIVERSAL || kind == LB_JOINT_PLANAR || kind == LB_JOINT_FREE_2D;
}

// Two axes. Where the second is not given it is what follows in x, y, z after the largest part of
// the first, as far as that is at right angles.
static bool read_axes(lb_reader* r, const lb_joint_spec* spec, lb_scene_joint* joint) {
  const lb_yaml_node* first = lb_yaml_node_find(spec->given.whole, "axis");
  const lb_yaml_node* second = lb_yaml_node_find(spec->given.whole, "second_axis");
  const lb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  const lb_vec3 a = first ? spec->axis : x;
  const double most = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  const lb_vec3 next = fabs(a.x) == most ? y : fabs(a.y) == most ? z : x;
  const lb_vec3 b = second ? spec->second_axis : next;
  const lb_vec3 across = lb_vec3_sub(b, lb_vec3_scale(lb_vec3_dot(a, b), a));
  joint->axis = a;
  joint->axis2 = lb_vec3_scale(1 / lb_vec3_norm(across), across);
  return !second || fabs(lb_vec3_dot(a, b)) < 1e-6 ||
         lb_complain(r, second->place,
                     "'second_axis' must be at right angles to the first axis, %s",
                     first ? "'axis'" : "x");
}

static bool read_frames(lb_reader* r, const lb_yaml_node* list, lb_scene_joint* joint) {
  const lb_field field = {.key = "frames", .value = LB_VALUE_POSE, .dimension = LB_LENGTH};
  if (list->count < 4) {
    return lb_complain(r, list->place, "'frames' must have four or more, not %d", list->count);
  }
  lb_transform* frame = LB_TAKE(r->keep, lb_transform, list->count);
  if (!frame) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < list->count; i++) {
    frame[i] = lb_transform_identity();
    ok &= lb_read_value(r, list->item[i], &field, &frame[i]);
  }
  joint->nframe = list->count;
  joint->frame = frame;
  return ok;
}

// One grid; the first one read says how large all are.
static bool read_grid(lb_reader* r, const lb_yaml_node* grid, const lb_field* field,
                      lb_scene_joint* joint, const double** out) {
  const bool list = grid->count > 0 && grid->item[0]->kind == LB_YAML_LIST;
  const int rows = grid->count, columns = list ? grid->item[0]->count : 0;
  joint->rows = joint->rows ? joint->rows : rows;
  joint->columns = joint->columns ? joint->columns : columns;
  bool even = rows == joint->rows && rows >= 4 && columns >= 4;
  for (int i = 0; i < rows && even; i++) {
    even = grid->item[i]->kind == LB_YAML_LIST && grid->item[i]->count == joint->columns;
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

static bool read_surface(lb_reader* r, const lb_surface_spec* spec, lb_scene_joint* joint) {
  bool ok = true, any = false;
  for (int k = 0; k < 6 && ok; k++) {
    if (spec->control[k]) {
      any = true;
      ok = read_grid(r, spec->control[k], &lb_surface_table.field[k], joint, &joint->control[k]);
    }
  }
  return any ? ok
             : lb_complain(r, spec->given.whole->place,
                           "'surface' needs one of x, y, z, rx, ry and rz");
}

// A joint of which nothing is written yet.
static lb_joint_spec unwritten(void) {
  const lb_scene_joint joint = lb_scene_joint_default();
  lb_joint_spec spec = {.kind = LB_JOINT_COUNT, // stays when the type is no good
                        .parent = LB_WORLD,
                        .child = LB_WORLD,
                        .at = joint.in_parent,
                        .in_child = joint.in_child,
                        .axis = joint.axis,
                        .second_axis = joint.axis2,
                        .order = LB_TURN_EXPONENTIAL,
                        .friction_speed = joint.friction_speed,
                        .turn_friction_speed = joint.turn.friction_speed,
                        .spring.rotation = joint.rest_turn};
  memcpy(spec.limits.lower, joint.lower, sizeof joint.lower);
  memcpy(spec.limits.upper, joint.upper, sizeof joint.upper);
  spec.limits.transition = joint.limit_transition;
  spec.limits.axis = joint.axis;
  spec.limits.swing = spec.limits.twist[1] = (double)INFINITY;
  spec.limits.twist[0] = -(double)INFINITY;
  spec.turn_limits = spec.limits;
  return spec;
}

static bool read_details(lb_reader* r, const lb_joint_spec* spec, lb_scene_joint* joint);

// A part has the keys of its type but those that name bodies.
static bool read_part(lb_reader* r, const lb_yaml_node* node, lb_scene_joint* part) {
  static const char* const BODIES[] = {"parent", "child",    "face", "child_face",
                                       "hold",   "in_child", "loop"};
  const lb_table* whole = joint_table(node);
  lb_field field[LB_FIELD_MOST];
  lb_table table = {.name = whole->name, .field = field};
  for (int i = 0; i < whole->count; i++) {
    bool named = false;
    for (size_t k = 0; k < sizeof BODIES / sizeof *BODIES; k++) {
      named |= strcmp(whole->field[i].key, BODIES[k]) == 0;
    }
    if (!named) {
      field[table.count++] = whole->field[i];
    }
  }
  lb_joint_spec spec = unwritten();
  if (!lb_read_table(r, node, &table, &spec)) {
    return false;
  }
  *part = lb_scene_joint_default();
  part->place = node->place;
  part->in_parent = spec.at;
  if (spec.kind == LB_JOINT_SPHERICAL || spec.kind == LB_JOINT_FREE) {
    return lb_complain(r, lb_yaml_node_find(node, "type")->place, "a part cannot be %s (choose %s)",
                       lb_joint_choices.name[spec.kind],
                       spec.kind == LB_JOINT_FREE ? "free-3d" : "euler or exponential");
  }
  return read_details(r, &spec, part);
}

static bool read_parts(lb_reader* r, const lb_yaml_node* list, lb_scene_joint* joint) {
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
  return (n >= 1 && n <= LB_JOINT_MOST_V) ||
         lb_complain(r, list->place, "'parts' must have one to %d coordinates together, not %d",
                     LB_JOINT_MOST_V, n);
}

// --- a joint ---

// Does it have numbers of distances and of angles?
static bool slides_and_turns(const lb_scene_joint* joint) {
  return joint->kind == LB_JOINT_FREE_2D || joint->kind == LB_JOINT_FREE_3D;
}

static void read_rests(const lb_joint_spring_spec* spec, lb_scene_joint* joint) {
  int next[2] = {0, 0};
  memcpy(joint->rest, spec->rest, sizeof joint->rest);
  for (int k = 0; slides_and_turns(joint) && k < lb_joint_count_v(joint); k++) {
    const bool turns = lb_joint_counts(joint, k) == LB_COORDINATE_ANGLE;
    joint->rest[k] = (turns ? spec->turn_rest : spec->rest)[next[turns]++];
  }
}

// Force curve of its spring, or of what pulls its distances, and of what pulls its angles.
static bool read_laws(lb_reader* r, const lb_joint_spring_spec* spec, lb_scene_joint* joint) {
  static const lb_dimension STRETCH[] = {[LB_COORDINATE_ANGLE] = LB_ANGLE,
                                         [LB_COORDINATE_LENGTH] = LB_LENGTH,
                                         [LB_COORDINATE_NUMBER] = LB_PURE};
  static const lb_dimension FORCE[] = {[LB_COORDINATE_ANGLE] = LB_TORQUE,
                                       [LB_COORDINATE_LENGTH] = LB_FORCE,
                                       [LB_COORDINATE_NUMBER] = LB_PURE};
  if (!spec->given.whole) {
    return true;
  }
  const bool apart = slides_and_turns(joint) || joint->kind == LB_JOINT_FREE;
  const lb_coordinate counts = apart ? LB_COORDINATE_LENGTH : lb_joint_counts(joint, 0);
  const lb_force_curve_keys own = {"stiffness",     "exponent",    "table",
                                   STRETCH[counts], FORCE[counts], !apart};
  const lb_force_curve_keys turn = {"turn_stiffness", "turn_exponent", "turn_table",
                                    LB_ANGLE,         LB_TORQUE,       false};
  joint->force_curve.exponent = spec->exponent;
  joint->turn.force_curve.exponent = spec->turn_exponent;
  const bool ok = lb_read_force_curve(r, spec->given.whole, &own, &joint->force_curve);
  return (!apart || lb_read_force_curve(r, spec->given.whole, &turn, &joint->turn.force_curve)) &&
         ok;
}

// Limits of joints whose coordinates are all of one sort, or of distances and angles apart.
static void read_limits(const lb_joint_spec* spec, lb_scene_joint* joint) {
  const bool apart = slides_and_turns(joint) || joint->kind == LB_JOINT_FREE;
  int next[2] = {0, 0};
  joint->limit_stiffness = spec->limits.stiffness;
  joint->limit_damping = spec->limits.damping;
  joint->limit_transition = spec->limits.transition;
  joint->limit_pulls = spec->limits.pulls;
  joint->turn.limit_stiffness = spec->turn_limits.stiffness;
  joint->turn.limit_damping = spec->turn_limits.damping;
  joint->turn.limit_transition = spec->turn_limits.transition;
  joint->turn.limit_pulls = spec->turn_limits.pulls;
  for (int k = 0; joint->kind != LB_JOINT_COMPOSITE && k < lb_joint_count_v(joint); k++) {
    const bool turns = apart && lb_joint_counts(joint, k) == LB_COORDINATE_ANGLE;
    const lb_joint_bounds_spec* from = turns ? &spec->turn_limits : &spec->limits;
    joint->lower[k] = from->lower[next[turns]];
    joint->upper[k] = from->upper[next[turns]++];
  }
  if (joint->kind == LB_JOINT_SPHERICAL || joint->kind == LB_JOINT_FREE) {
    const lb_joint_bounds_spec* turn = apart ? &spec->turn_limits : &spec->limits;
    joint->axis = turn->axis;
    joint->upper[0] = turn->swing;
    joint->lower[1] = turn->twist[0];
    joint->upper[1] = turn->twist[1];
  }
}

// What does not depend on bodies.
static bool read_details(lb_reader* r, const lb_joint_spec* spec, lb_scene_joint* joint) {
  bool ok = true;
  joint->kind = (lb_joint_kind)spec->kind;
  joint->axis = spec->axis;
  if (has_two_axes(joint->kind)) {
    ok &= read_axes(r, spec, joint);
  }
  joint->pitch = spec->pitch;
  joint->order = (lb_turn_order)(joint->kind == LB_JOINT_EULER ? spec->euler + 1 : spec->order);
  joint->rotation_first = spec->first == 1;
  joint->cyclic = spec->cyclic;
  joint->stiffness = spec->spring.stiffness;
  joint->damping = spec->damping;
  joint->armature = spec->armature;
  joint->friction = spec->friction;
  joint->friction_speed = spec->friction_speed;
  joint->turn.stiffness = spec->spring.turn_stiffness;
  joint->turn.damping = spec->turn_damping;
  joint->turn.armature = spec->turn_armature;
  joint->turn.friction = spec->turn_friction;
  joint->turn.friction_speed = spec->turn_friction_speed;
  joint->rest_turn = spec->spring.rotation;
  ok &= read_laws(r, &spec->spring, joint);
  read_rests(&spec->spring, joint);
  read_limits(spec, joint);
  if (spec->frames) {
    ok &= read_frames(r, spec->frames, joint);
  }
  if (joint->kind == LB_JOINT_SURFACE && spec->surface.given.whole) {
    ok &= read_surface(r, &spec->surface, joint);
  }
  if (spec->parts) {
    ok &= read_parts(r, spec->parts, joint);
  }
  start_at_zero(joint);
  return ok;
}

static void read_joint(lb_reader* r, const lb_entry* entry, int i) {
  lb_scene_joint* joint = &r->scene.joint[i];
  *joint = lb_scene_joint_default();
  joint->name = lb_keep_name(r, entry);
  joint->place = entry->name->place;
  lb_joint_spec spec = unwritten();
  bool ok = lb_begin_entry(r, entry, "joint");
  ok &= lb_read_table(r, entry->value, joint_table(entry->value), &spec);
  joint->parent = spec.parent;
  joint->child = spec.child;
  lb_read_faces(&r->scene, &spec, joint);
  joint->in_parent = spec.at;
  joint->in_child = spec.in_child;
  joint->loop = spec.loop;
  ok &= read_details(r, &spec, joint);
  r->joint_broken[i] = !ok;
}

// A position on a body that a joint carries would be a second opinion on where it is.
static void check_positions(lb_reader* r) {
  for (int i = 0; i < r->scene.nbody; i++) {
    const lb_given* given = &r->body_spec[i].given;
    const lb_yaml_node* node = given->node[LB_BODY_POSITION] ? given->node[LB_BODY_POSITION]
                                                             : given->node[LB_BODY_ROTATION];
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
  return kind != LB_JOINT_COUNT && !(kind == LB_JOINT_COMPOSITE && r->joint_broken[joint]);
}

bool lb_read_coordinates(lb_reader* r, const lb_scene_joint* joint, const lb_yaml_node* node,
                         const char* key, bool rate, double* out) {
  const int n = joint ? lb_joint_count_v(joint) : 3;
  const bool alone = n == 1 && node->kind == LB_YAML_SCALAR;
  if (!alone && node->kind != LB_YAML_LIST) {
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

void lb_read_joints(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_JOINTS];
  r->scene.joint = LB_TAKE(r->keep, lb_scene_joint, all->count);
  r->joint_broken = LB_TAKE(&r->scratch, bool, all->count);
  r->carrier = LB_TAKE(&r->scratch, int, r->scene.nbody);
  if (!r->scene.joint || !r->joint_broken || !r->carrier) {
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
