// What holds before an author changes it, the names of kinds, and the materials everyone has.
#include <string.h>

#include "scene/yaml/reader.h"

lb_scene lb_scene_default(void) {
  return (lb_scene){
      .name = "",
      .about = "",
      .file = "",
      .gravity = {0, 0, -9.81},
      .duration = 10,
      .solver = {.integrator = LB_INTEGRATOR_RK4, .step = 1e-3},
      .record = {.every = 0.02},
      .retarget = {.spacing = 0.04,
                   .closeness = 1e-5,
                   .smoothness = 1e-7,
                   .tolerance = 0.01,
                   .iterations = 30},
      .optimize = {.tolerance = 1e-6, .iterations = 200},
  };
}

// A look in linear light, from a screen's 0xb8bcc4.
#define PLAIN_COLOR                                                                                \
  { 0.47932018, 0.50288649, 0.55201140, 1 }

lb_scene_material lb_scene_material_default(void) {
  return (lb_scene_material){
      .name = "plain", .density = 1000, .color = PLAIN_COLOR, .roughness = 0.6, .poisson = 0.3};
}

lb_scene_body lb_scene_body_default(void) {
  return (lb_scene_body){.name = "", .pose = lb_transform_identity()};
}

lb_scene_shape lb_scene_shape_default(void) {
  return (lb_scene_shape){.body = LB_WORLD,
                          .shape = {.type = LB_SHAPE_SPHERE, .size = {1, 1, 1}},
                          .pose = lb_transform_identity()};
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
                          .friction_speed = 0.01,
                          .limit_transition = 1e-3,
                          .turn = {.friction_speed = 0.01, .limit_transition = 1e-3},
                          .rest_turn = {1, 0, 0, 0},
                          .child_face = -1};
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    joint.lower[k] = -INFINITY;
    joint.upper[k] = INFINITY;
  }
  return joint;
}

typedef struct joint_size {
  int nq, nv;
} joint_size;

static joint_size count_coordinates(const lb_scene_joint* joint) {
  static const joint_size SIZE[LB_JOINT_COUNT] = {
#define SIZE_OF(code, name, nq, nv) [code] = {nq, nv},
      LB_JOINT_LIST(SIZE_OF)};
  if ((unsigned)joint->kind >= LB_JOINT_COUNT) { // a mistake that is told elsewhere
    return (joint_size){0, 0};
  }
  joint_size sum = SIZE[joint->kind];
  for (int i = 0; joint->kind == LB_JOINT_COMPOSITE && i < joint->npart; i++) {
    const joint_size part = count_coordinates(&joint->part[i]);
    sum.nq += part.nq;
    sum.nv += part.nv;
  }
  return sum;
}

int lb_joint_count_q(const lb_scene_joint* joint) {
  return count_coordinates(joint).nq;
}
int lb_joint_count_v(const lb_scene_joint* joint) {
  return count_coordinates(joint).nv;
}

const lb_scene_joint* lb_parameter_joint(const lb_scene* scene, const lb_scene_parameter* p,
                                         int* first) {
  const lb_scene_joint* j = &scene->joint[p->index];
  *first = 0;
  for (int i = 0; i < p->part - 1; i++) {
    *first += lb_joint_count_v(&j->part[i]);
  }
  return p->part > 0 ? &j->part[p->part - 1] : j;
}

bool lb_joint_slides_and_turns(const lb_scene_joint* joint) {
  return joint->kind == LB_JOINT_FREE || joint->kind == LB_JOINT_FREE_2D ||
         joint->kind == LB_JOINT_FREE_3D;
}

lb_coordinate lb_joint_counts(const lb_scene_joint* joint, int k) {
  for (int i = 0; joint->kind == LB_JOINT_COMPOSITE && i < joint->npart; i++) {
    const int n = lb_joint_count_v(&joint->part[i]);
    if (k < n) {
      return lb_joint_counts(&joint->part[i], k);
    }
    k -= n;
  }
  switch (joint->kind) {
  case LB_JOINT_PRISMATIC:
  case LB_JOINT_PLANAR:
  case LB_JOINT_TRANSLATIONAL:
    return LB_COORDINATE_LENGTH;
  case LB_JOINT_FREE: // angular velocity first
    return k < 3 ? LB_COORDINATE_ANGLE : LB_COORDINATE_LENGTH;
  case LB_JOINT_FREE_2D:
    return k < 2 ? LB_COORDINATE_LENGTH : LB_COORDINATE_ANGLE;
  case LB_JOINT_FREE_3D:
    return (k < 3) == joint->rotation_first ? LB_COORDINATE_ANGLE : LB_COORDINATE_LENGTH;
  case LB_JOINT_CURVE:
  case LB_JOINT_SURFACE:
    return LB_COORDINATE_NUMBER;
  default:
    return LB_COORDINATE_ANGLE;
  }
}

lb_scene_fit_material lb_scene_fit_material_default(void) {
  return (lb_scene_fit_material){.young = true, .damping = LB_FIT_TOGETHER, .within = 10};
}

const char* lb_joint_kind_name(lb_joint_kind kind) {
  return (int)kind >= 0 && kind < LB_JOINT_COUNT ? lb_joint_choices.name[kind] : "unknown";
}

const char* lb_parameter_kind_name(lb_parameter_kind kind) {
  return (int)kind >= 0 && kind < LB_PARAMETER_COUNT ? lb_parameter_table.field[kind].key
                                                     : "unknown";
}

double lb_adaptive_tolerance(const lb_scene_solver* solver) {
  return solver->tolerance > 0 ? solver->tolerance : 1e-9;
}

const char* lb_integrator_name(lb_integrator integrator) {
  return (int)integrator >= 0 && integrator < LB_INTEGRATOR_COUNT
             ? lb_integrator_choices.name[integrator]
             : "unknown";
}

// Densities, Young's moduli and Poisson's ratios are handbook values at room temperature (wood
// along the grain; what has only a colour bends like a plastic); colours are in linear light.
#define STANDARD NULL, 0, 0 // law and damping
const lb_scene_material lb_builtin_materials[] = {
    {"plain", {0}, 1000, PLAIN_COLOR, 0.6, 0, 3e9, 0.35, STANDARD},
    {"steel", {0}, 7850, {0.42, 0.44, 0.47, 1}, 0.35, 1, 210e9, 0.3, STANDARD},
    {"aluminium", {0}, 2700, {0.77, 0.78, 0.79, 1}, 0.35, 1, 70e9, 0.33, STANDARD},
    {"brass", {0}, 8500, {0.66, 0.42, 0.12, 1}, 0.3, 1, 100e9, 0.34, STANDARD},
    {"copper", {0}, 8960, {0.83, 0.38, 0.22, 1}, 0.3, 1, 120e9, 0.34, STANDARD},
    {"lead", {0}, 11340, {0.25, 0.26, 0.29, 1}, 0.55, 1, 16e9, 0.44, STANDARD},
    {"wood", {0}, 700, {0.38, 0.21, 0.095, 1}, 0.7, 0, 11e9, 0.35, STANDARD},
    {"cork", {0}, 200, {0.48, 0.29, 0.15, 1}, 0.9, 0, 25e6, 0.1, STANDARD},
    {"rubber", {0}, 1100, {0.022, 0.022, 0.024, 1}, 0.85, 0, 5e6, 0.48, STANDARD},
    {"pla", {0}, 1240, {0.85, 0.30, 0.05, 1}, 0.5, 0, 3.5e9, 0.36, STANDARD},
    {"glass", {0}, 2500, {0.60, 0.78, 0.76, 0.45}, 0.05, 0, 70e9, 0.22, STANDARD},
    {"ice", {0}, 917, {0.66, 0.82, 0.92, 0.7}, 0.15, 0, 9.3e9, 0.33, STANDARD},
    {"ivory", {0}, 1850, {0.85, 0.78, 0.62, 1}, 0.4, 0, 12e9, 0.3, STANDARD},
    {"stone", {0}, 2600, {0.28, 0.27, 0.25, 1}, 0.9, 0, 50e9, 0.25, STANDARD},
    {"red", {0}, 1000, {0.66, 0.045, 0.035, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"orange", {0}, 1000, {0.90, 0.26, 0.025, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"yellow", {0}, 1000, {0.90, 0.60, 0.045, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"green", {0}, 1000, {0.055, 0.36, 0.105, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"blue", {0}, 1000, {0.028, 0.14, 0.56, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"white", {0}, 1000, {0.85, 0.85, 0.83, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
    {"black", {0}, 1000, {0.018, 0.018, 0.02, 1}, 0.5, 0, 3e9, 0.35, STANDARD},
};
const int lb_builtin_material_count = sizeof lb_builtin_materials / sizeof *lb_builtin_materials;

const lb_scene_material* lb_builtin_material(const char* name) {
  for (int i = 0; i < lb_builtin_material_count; i++) {
    if (strcmp(lb_builtin_materials[i].name, name) == 0) {
      return &lb_builtin_materials[i];
    }
  }
  return NULL;
}
