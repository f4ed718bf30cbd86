// Scenes and numbers of the reference program, read from $LIMBER_SHARED/reference/redmax (default:
// shared/ beside the source). Its README says what they mean: lengths are in cm and masses in g
// there, which are taken as m and kg here, since all of it is but numbers.
#pragma once
#include <cjson/cJSON.h>

#include "limber/limber.h"
#include "test.h"

enum { RED_MOST = 40, RED_FRAMES = 16 };

typedef struct redmax {
  lb_scene scene;
  lb_scene_body body[RED_MOST];
  lb_scene_joint joint[RED_MOST];
  char name[RED_MOST][16];
  lb_scene_joint part[RED_MOST][4];
  lb_scene_joint inner[RED_MOST][4]; // parts of parts
  lb_transform frame[RED_MOST][RED_FRAMES];
  double control[RED_MOST][6][16];
  lb_scene_spring spring[RED_MOST];
} redmax;

// A file's JSON, or NULL where it is not.
static inline cJSON* red_open(const char* name) {
  char path[1000];
  const char* shared = getenv("LIMBER_SHARED");
  snprintf(path, sizeof path, "%s/reference/redmax/%s",
           shared ? shared : LIMBER_SOURCE_DIR "/../shared", name);
  FILE* file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  enum { ROOM = 1 << 22 };
  char* text = calloc(1, ROOM);
  assert_non_null(text);
  const size_t n = fread(text, 1, ROOM - 1, file);
  fclose(file);
  text[n] = 0;
  cJSON* json = cJSON_Parse(text);
  free(text);
  assert_non_null(json);
  return json;
}

static inline const cJSON* red_get(const cJSON* object, const char* key) {
  return cJSON_GetObjectItem(object, key);
}

// All numbers of a list or a list of lists, in their order; how many there are.
static inline int red_numbers(const cJSON* list, double* out) {
  if (cJSON_IsNumber(list)) {
    *out = list->valuedouble;
    return 1;
  }
  int n = 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, list) {
    n += red_numbers(item, out + n);
  }
  return n;
}

static inline lb_transform red_pose(const cJSON* matrix) {
  double E[16];
  assert_int_equal(red_numbers(matrix, E), 16);
  const lb_mat3 R = {{E[0], E[4], E[8]}, {E[1], E[5], E[9]}, {E[2], E[6], E[10]}};
  return (lb_transform){lb_quat_from_matrix(R), {E[3], E[7], E[11]}};
}

static const struct {
  const char* type;
  lb_joint_kind kind;
} RED_KINDS[] = {
    {"JointFixed", LB_JOINT_FIXED},
    {"JointRevolute", LB_JOINT_REVOLUTE},
    {"JointPrismatic", LB_JOINT_PRISMATIC},
    {"JointPlanar", LB_JOINT_PLANAR},
    {"JointTranslational", LB_JOINT_TRANSLATIONAL},
    {"JointUniversal", LB_JOINT_UNIVERSAL},
    {"JointSphericalExp", LB_JOINT_EXPONENTIAL},
    {"JointSpherical", LB_JOINT_EULER},
    {"JointFree", LB_JOINT_FREE_3D},
    {"JointFree2D", LB_JOINT_FREE_2D},
    {"JointFree3D", LB_JOINT_FREE_3D},
    {"JointComposite", LB_JOINT_COMPOSITE},
    {"JointSplineCurve", LB_JOINT_CURVE},
    {"JointSplineSurface", LB_JOINT_SURFACE},
};

static inline lb_turn_order red_order(const char* chart) {
  static const char* const NAMES[] = {"",    "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                      "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};
  for (int i = 1; i < LB_TURN_COUNT; i++) {
    if (strcmp(NAMES[i], chart) == 0) {
      return (lb_turn_order)i;
    }
  }
  fail_msg("unknown chart %s", chart);
  return LB_TURN_XYZ;
}

// What a joint says of itself; `charts` is the order of a free joint's angles.
static inline void red_joint_kind(redmax* t, int i, const cJSON* from, lb_turn_order charts,
                                  lb_scene_joint* j, lb_scene_joint* part) {
  const char* type = red_get(from, "type")->valuestring;
  for (size_t k = 0; k < sizeof RED_KINDS / sizeof *RED_KINDS; k++) {
    if (strcmp(RED_KINDS[k].type, type) == 0) {
      j->kind = RED_KINDS[k].kind;
    }
  }
  j->axis = lb_vec3_make(1, 0, 0);
  j->axis2 = lb_vec3_make(0, 1, 0);
  if (red_get(from, "axis")) {
    double a[3];
    red_numbers(red_get(from, "axis"), a);
    j->axis = lb_vec3_make(a[0], a[1], a[2]);
  }
  j->order = red_get(from, "chart") ? red_order(red_get(from, "chart")->valuestring) : charts;
  j->rotation_first = strcmp(type, "JointFree") == 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, red_get(from, "controlFrames")) {
    t->frame[i][j->nframe++] = red_pose(item);
  }
  j->frame = t->frame[i];
  j->cyclic = cJSON_IsTrue(red_get(from, "cyclic"));
  j->rows = j->columns = 4;
  for (int k = 0; red_get(from, "controlValues_k_i_j") && k < 6; k++) {
    red_numbers(cJSON_GetArrayItem(red_get(from, "controlValues_k_i_j"), k), t->control[i][k]);
    j->control[k] = t->control[i][k];
  }
  const char* const PARTS[] = {"joint1", "joint2"};
  for (int k = 0; part && red_get(from, "joint1") && k < 2; k++) {
    part[k] = lb_scene_joint_default();
    red_joint_kind(t, i, red_get(from, PARTS[k]), charts, &part[k], t->inner[i]);
    j->part = part;
    j->npart = 2;
  }
  if (j->kind == LB_JOINT_COMPOSITE && j->npart == 0) { // the file does not say: found by its S
    t->inner[i][0] = t->inner[i][1] = lb_scene_joint_default();
    t->inner[i][0].kind = LB_JOINT_UNIVERSAL;
    t->inner[i][0].axis = lb_vec3_make(1, 0, 0);
    t->inner[i][0].axis2 = lb_vec3_make(0, 1, 0);
    t->inner[i][1].kind = LB_JOINT_PRISMATIC;
    t->inner[i][1].axis = lb_vec3_make(0, 0.6, 0.8);
    j->part = t->inner[i];
    j->npart = 2;
  }
}

// Springs between points. Where the file has no length they are zero long at rest, and their
// dampers resist all relative motion, which is left out here.
static inline void red_springs(redmax* t, const cJSON* forces) {
  const char* const BODY[] = {"body1", "body2"};
  const char* const POINT[] = {"x1", "x2"};
  const cJSON* from;
  cJSON_ArrayForEach(from, forces) {
    lb_scene_spring* s = &t->spring[t->scene.nspring++];
    *s = (lb_scene_spring){.name = t->name[t->scene.nspring], .face = {-1, -1}};
    const cJSON* length = red_get(from, "L");
    for (int k = 0; k < 2; k++) {
      double x[3];
      red_numbers(red_get(from, POINT[k]), x);
      s->body[k] = (int)red_get(from, BODY[k])->valuedouble - 1;
      s->point[k] = lb_vec3_make(x[0], x[1], x[2]);
    }
    s->length = length ? length->valuedouble : 0;
    s->stiffness = red_get(from, "stiffness")->valuedouble / (length ? s->length : 1);
    s->damping = length ? red_get(from, "damping")->valuedouble / s->length : 0;
  }
  t->scene.spring = t->spring;
}

// A scene of the file. Bodies have their frames at their centres of mass; `after` of each is what
// joints call their parent's joint frame.
static inline void red_scene(redmax* t, const cJSON* scene, lb_turn_order charts) {
  *t = (redmax){.scene = lb_scene_default()};
  double g[3];
  red_numbers(red_get(scene, "grav"), g);
  t->scene.name = "reference";
  t->scene.about = "";
  t->scene.file = "reference";
  t->scene.gravity = lb_vec3_make(g[0], g[1], g[2]);
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  lb_transform joint_to_body[RED_MOST];
  const cJSON* from;
  cJSON_ArrayForEach(from, red_get(scene, "joints")) {
    const int i = t->scene.nbody++;
    const cJSON* body = red_get(from, "body");
    double I[6];
    red_numbers(red_get(body, "inertia_diag"), I);
    snprintf(t->name[i], sizeof t->name[i], "b%d", i);
    t->body[i] = lb_scene_body_default();
    t->body[i].name = t->name[i];
    t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = true;
    t->body[i].mass = (lb_mass){I[3], {0, 0, 0}, {I[0], I[1], I[2], 0, 0, 0}};
    lb_scene_joint* j = &t->joint[i];
    *j = lb_scene_joint_default();
    j->name = t->name[i];
    j->parent = (int)red_get(from, "parent")->valuedouble - 1;
    j->child = i;
    joint_to_body[i] = lb_transform_inverse(red_pose(red_get(body, "E_ji")));
    j->in_child = joint_to_body[i];
    j->in_parent = red_pose(red_get(from, "E0_pj"));
    if (j->parent >= 0) {
      j->in_parent = lb_transform_mul(joint_to_body[j->parent], j->in_parent);
    }
    red_joint_kind(t, i, from, charts, j, t->part[i]);
    red_numbers(red_get(from, "q0"), j->q);
    red_numbers(red_get(from, "qdot0"), j->qd);
    j->stiffness = red_get(from, "stiffness")->valuedouble;
    j->damping = red_get(from, "damping")->valuedouble;
    j->turn.stiffness = j->stiffness;
    j->turn.damping = j->damping;
  }
  t->scene.njoint = t->scene.nbody;
  red_springs(t, red_get(scene, "forces"));
}
