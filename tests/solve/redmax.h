// Scenes and trajectories of the authors of [red], from $LIMBER_SHARED/reference/redmax (default:
// shared/ beside the source), as JSON. Numbers stay in cm, g and s: any units do that belong
// together. What of a scene Limber does not have yet is told by name, and the file then waits.
#pragma once
#include <cjson/cJSON.h>

#include "limber/limber.h"
#include "test.h"

enum { REDMAX_MOST = 16 };

typedef struct redmax {
  cJSON* json;
  lb_scene scene;
  lb_scene_body body[REDMAX_MOST];
  lb_scene_joint joint[REDMAX_MOST];
  lb_scene_spring spring[REDMAX_MOST];
  lb_scene_load load[REDMAX_MOST];
  lb_scene_cable cable[REDMAX_MOST];
  lb_scene_point point[REDMAX_MOST][REDMAX_MOST];
  char name[REDMAX_MOST][16], loop_name[REDMAX_MOST][16];
  lb_transform E_ji[REDMAX_MOST]; // body in joint
  lb_turn_order turns;            // of spherical and free joints
  const char* lacks;              // the first thing that is not there; NULL: the scene is whole
} redmax;

// A file's text, or NULL.
static inline char* redmax_load(const char* name) {
  char path[1000];
  const char* shared = getenv("LIMBER_SHARED");
  snprintf(path, sizeof path, "%s/reference/redmax/%s",
           shared ? shared : LIMBER_SOURCE_DIR "/../shared", name);
  FILE* file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  enum { ROOM = 1 << 21 };
  char* text = calloc(1, ROOM);
  text[fread(text, 1, ROOM - 1, file)] = 0;
  fclose(file);
  return text;
}

static inline const cJSON* redmax_get(const cJSON* json, const char* key) {
  return cJSON_GetObjectItemCaseSensitive(json, key);
}
static inline double redmax_number(const cJSON* json, const char* key) {
  const cJSON* item = redmax_get(json, key);
  return item ? item->valuedouble : 0;
}
static inline double redmax_at(const cJSON* list, int i) {
  return cJSON_GetArrayItem(list, i)->valuedouble;
}
// Entry k of frame f of a table of numbers; where there is one number a row, it may stand alone.
static inline double redmax_entry(const cJSON* table, int f, int k) {
  const cJSON* row = cJSON_GetArrayItem(table, f);
  return cJSON_IsArray(row) ? redmax_at(row, k) : row->valuedouble;
}
static inline lb_vec3 redmax_vec3(const cJSON* list) {
  return (lb_vec3){redmax_at(list, 0), redmax_at(list, 1), redmax_at(list, 2)};
}
static inline lb_transform redmax_transform(const cJSON* rows) {
  double E[12];
  for (int i = 0; i < 12; i++) {
    E[i] = redmax_at(cJSON_GetArrayItem(rows, i / 4), i % 4);
  }
  const lb_mat3 R = {{E[0], E[4], E[8]}, {E[1], E[5], E[9]}, {E[2], E[6], E[10]}};
  return (lb_transform){lb_quat_from_matrix(R), {E[3], E[7], E[11]}};
}

// Joints that Limber has with the authors' coordinates.
static const struct {
  const char* type;
  lb_joint_kind kind;
} REDMAX_JOINTS[] = {
    {"JointFixed", LB_JOINT_FIXED},
    {"JointRevolute", LB_JOINT_REVOLUTE},
    {"JointPrismatic", LB_JOINT_PRISMATIC},
    {"JointPlanar", LB_JOINT_PLANAR},
    {"JointTranslational", LB_JOINT_TRANSLATIONAL},
    {"JointUniversal", LB_JOINT_UNIVERSAL},
    {"JointSphericalExp", LB_JOINT_EXPONENTIAL},
    {"JointSpherical", LB_JOINT_EULER},
    {"JointFree2D", LB_JOINT_FREE_2D},
    {"JointFree3D", LB_JOINT_FREE_3D},
};

static inline bool redmax_kind(const char* type, lb_joint_kind* kind) {
  for (size_t i = 0; i < sizeof REDMAX_JOINTS / sizeof *REDMAX_JOINTS; i++) {
    if (strcmp(type, REDMAX_JOINTS[i].type) == 0) {
      *kind = REDMAX_JOINTS[i].kind;
      return true;
    }
  }
  return false;
}

static inline void redmax_lacks(redmax* r, const char* what) {
  r->lacks = r->lacks ? r->lacks : what;
}

static inline void redmax_add_joint(redmax* r, const cJSON* from) {
  const int i = r->scene.njoint++;
  r->scene.nbody++;
  const cJSON* body = redmax_get(from, "body");
  const cJSON* inertia = redmax_get(body, "inertia_diag");
  snprintf(r->name[i], sizeof r->name[i], "b%d", i);
  r->E_ji[i] = redmax_transform(redmax_get(body, "E_ji"));
  r->body[i] = lb_scene_body_default();
  r->body[i].name = r->name[i];
  r->body[i].has_mass = r->body[i].has_com = r->body[i].has_inertia = true;
  r->body[i].mass =
      (lb_mass){redmax_at(inertia, 3),
                {0, 0, 0},
                {redmax_at(inertia, 0), redmax_at(inertia, 1), redmax_at(inertia, 2), 0, 0, 0}};
  lb_scene_joint* j = &r->joint[i];
  *j = lb_scene_joint_default();
  j->name = r->name[i];
  j->parent = (int)redmax_number(from, "parent") - 1;
  j->child = i;
  const lb_transform E0 = redmax_transform(redmax_get(from, "E0_pj"));
  j->in_parent =
      j->parent < 0 ? E0 : lb_transform_mul(lb_transform_inverse(r->E_ji[j->parent]), E0);
  j->in_child = lb_transform_inverse(r->E_ji[i]);
  if (!redmax_kind(redmax_get(from, "type")->valuestring, &j->kind)) {
    redmax_lacks(r, redmax_get(from, "type")->valuestring);
    return;
  }
  j->axis = redmax_get(from, "axis") ? redmax_vec3(redmax_get(from, "axis")) : (lb_vec3){1, 0, 0};
  j->axis2 = (lb_vec3){0, 1, 0};
  j->order = r->turns;
  for (int k = 0; k < cJSON_GetArraySize(redmax_get(from, "q0")); k++) {
    j->q[k] = redmax_at(redmax_get(from, "q0"), k);
    j->qd[k] = redmax_at(redmax_get(from, "qdot0"), k);
    j->rest[k] = j->q[k];
  }
  j->stiffness = redmax_number(from, "stiffness");
  j->damping = redmax_number(from, "damping");
  r->body[i].drag = r->body[i].turn_drag = redmax_number(body, "damping");
  if (redmax_get(from, "qLimK")) {
    redmax_lacks(r, "joint limits");
  }
}

static inline void redmax_add_spring(redmax* r, const cJSON* from) {
  lb_scene_spring* s = &r->spring[r->scene.nspring];
  *s = (lb_scene_spring){
      .name = r->name[r->scene.nspring++],
      .body = {(int)redmax_number(from, "body1") - 1, (int)redmax_number(from, "body2") - 1},
      .point = {redmax_vec3(redmax_get(from, "x1")), redmax_vec3(redmax_get(from, "x2"))},
      .face = {-1, -1},
      .stiffness = redmax_number(from, "stiffness"),
      .damping = redmax_number(from, "damping"),
      .length = 0}; // as the authors' springs rest, whatever their length at the start
}

static inline void redmax_add_push(redmax* r, const cJSON* from) {
  lb_scene_load* l = &r->load[r->scene.nload];
  *l = (lb_scene_load){.name = r->name[r->scene.nload++],
                       .body = (int)redmax_number(from, "body") - 1,
                       .point = redmax_vec3(redmax_get(from, "x")),
                       .face = -1,
                       .force = lb_vec3_scale(redmax_number(from, "force_magnitude"),
                                              redmax_vec3(redmax_get(from, "direction_w")))};
}

static inline void redmax_add_cable(redmax* r, const cJSON* from) {
  const int i = r->scene.ncable++;
  const cJSON *bodies = redmax_get(from, "bodies"), *points = redmax_get(from, "points");
  const double length = redmax_number(from, "L"); // the authors' numbers are for a strain of one
  r->cable[i] = (lb_scene_cable){.name = r->name[i],
                                 .npoint = cJSON_GetArraySize(bodies),
                                 .point = r->point[i],
                                 .stiffness = redmax_number(from, "stiffness") / length,
                                 .damping = redmax_number(from, "damping") / length,
                                 .length = length};
  for (int k = 0; k < r->cable[i].npoint; k++) {
    r->point[i][k] =
        (lb_scene_point){(int)redmax_at(bodies, k) - 1, redmax_vec3(cJSON_GetArrayItem(points, k))};
  }
}

static const struct {
  const char* type;
  void (*add)(redmax* r, const cJSON* from);
} REDMAX_FORCES[] = {
    {"SpringPointPoint", redmax_add_spring},
    {"ForcePointPoint", redmax_add_spring},
    {"SpringPointDirection", redmax_add_push},
    {"ForceCable", redmax_add_cable},
};

static inline void redmax_add_force(redmax* r, const cJSON* from) {
  const char* type = redmax_get(from, "type")->valuestring;
  for (size_t i = 0; i < sizeof REDMAX_FORCES / sizeof *REDMAX_FORCES; i++) {
    if (strcmp(type, REDMAX_FORCES[i].type) == 0) {
      REDMAX_FORCES[i].add(r, from);
      return;
    }
  }
  redmax_lacks(r, type);
}

// A loop of hinges. The authors' velocities close its gaps at a pace of their own.
static inline void redmax_add_loop(redmax* r, const cJSON* from) {
  lb_scene_joint* j = &r->joint[r->scene.njoint];
  *j = lb_scene_joint_default();
  j->name = r->loop_name[r->scene.njoint++];
  snprintf(r->loop_name[r->scene.njoint - 1], sizeof *r->loop_name, "loop%d", r->scene.njoint);
  j->kind = LB_JOINT_REVOLUTE;
  j->loop = true;
  j->parent = (int)redmax_number(from, "bodyA") - 1;
  j->child = (int)redmax_number(from, "bodyB") - 1;
  j->in_parent.p = redmax_vec3(redmax_get(from, "xA"));
  j->in_child.p = redmax_vec3(redmax_get(from, "xB"));
  j->axis = redmax_vec3(redmax_get(from, "axis_from_joint_of_A"));
}

static inline void redmax_release(redmax* r) {
  cJSON_Delete(r->json);
}

// Files that are whole and yet differ.
static const struct {
  const char *name, *why;
} REDMAX_DIFFER[] = {
    {"full_scene18_redmax_euler.json",
     "a free joint whose rotation vector never changes its chart"},
    {"full_scene18_redmax_ode45.json",
     "a free joint whose rotation vector never changes its chart"},
    {"diff_scene07_bdf2.json", "an explanation: Euler angles part where those of BDF1 do not"},
    {"diff_scene09_bdf2.json", "the same explanation"},
};

// false: the file is not there.
static inline bool redmax_open(redmax* r, const char* name) {
  char* text = redmax_load(name);
  if (!text) {
    return false;
  }
  *r = (redmax){.json = cJSON_Parse(text), .scene = lb_scene_default()};
  r->turns = strncmp(name, "diff", 4) == 0 ? LB_TURN_XYZ : LB_TURN_EXPONENTIAL;
  free(text);
  assert_non_null(r->json);
  const cJSON* scene = redmax_get(r->json, "scene");
  r->scene.name = r->scene.about = r->scene.file = "";
  r->scene.body = r->body;
  r->scene.joint = r->joint;
  r->scene.spring = r->spring;
  r->scene.load = r->load;
  r->scene.cable = r->cable;
  r->scene.gravity = redmax_vec3(redmax_get(scene, "grav"));
  assert_true(cJSON_GetArraySize(redmax_get(scene, "joints")) <= REDMAX_MOST);
  const cJSON* item;
  cJSON_ArrayForEach(item, redmax_get(scene, "joints")) {
    redmax_add_joint(r, item);
  }
  for (size_t i = 0; i < sizeof REDMAX_DIFFER / sizeof *REDMAX_DIFFER; i++) {
    if (strcmp(REDMAX_DIFFER[i].name, name) == 0) {
      redmax_lacks(r, REDMAX_DIFFER[i].why);
    }
  }
  static const char* const FORCES[] = {"springs", "forces"};
  for (int i = 0; i < 2; i++) {
    cJSON_ArrayForEach(item, redmax_get(scene, FORCES[i])) {
      redmax_add_force(r, item);
    }
  }
  static const char* const OTHERS[] = {"constraints", "deformables"};
  for (int i = 0; i < 2; i++) {
    cJSON_ArrayForEach(item, redmax_get(scene, OTHERS[i])) {
      if (strcmp(redmax_get(item, "type")->valuestring, "ConstraintLoop") == 0) {
        redmax_add_loop(r, item);
      } else {
        redmax_lacks(r, redmax_get(item, "type")->valuestring);
      }
    }
  }
  return true;
}
