// Scenes and numbers of the authors of [red], read from $LIMBER_SHARED/reference/redmax (default:
// shared/ beside the source). The README there says what they mean: lengths are in cm and masses in
// g, which are taken as m and kg here, since all of it is but numbers. What of a scene Limber does
// not have is reported by name.
#pragma once
#include <cjson/cJSON.h>

#include "limber/limber.h"
#include "test.h"

enum { RED_MOST = 40, RED_FRAMES = 16 };

typedef struct redmax {
  cJSON* json; // the file; NULL where only a part of it is read
  lb_scene scene;
  lb_scene_body body[RED_MOST];
  lb_scene_joint joint[RED_MOST];
  char name[RED_MOST][16];
  lb_scene_joint part[RED_MOST][4];
  lb_scene_joint inner[RED_MOST][4]; // parts of parts
  lb_transform frame[RED_MOST][RED_FRAMES];
  double control[RED_MOST][6][16];
  lb_scene_force force[RED_MOST];
  lb_scene_load load[RED_MOST];
  lb_scene_point point[RED_MOST][RED_MOST];
  lb_scene_constraint constraint[RED_MOST];
  lb_scene_term term[RED_MOST][RED_MOST];
  lb_vec3 at[RED_MOST]; // points that constraints lead
  const char* lacks;    // the first thing that is not there; NULL: the scene is whole
} redmax;

// --- JSON ---

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
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

// A number; 0 where there is none.
static inline double red_number(const cJSON* object, const char* key) {
  const cJSON* item = red_get(object, key);
  return item ? item->valuedouble : 0;
}

// A whole number: of a body or a joint, or how many there are.
static inline int red_whole(const cJSON* object, const char* key) {
  const double number = red_number(object, key);
  assert_true(number == (int)number);
  return (int)number;
}

static inline double red_at(const cJSON* list, int i) {
  return cJSON_GetArrayItem(list, i)->valuedouble;
}

// Entry k of frame f of a table of numbers; where there is one number a row, it may stand alone.
static inline const cJSON* red_item(const cJSON* table, int f, int k) {
  const cJSON* row = cJSON_GetArrayItem(table, f);
  return cJSON_IsArray(row) ? cJSON_GetArrayItem(row, k) : row;
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

static inline lb_vec3 red_vec3(const cJSON* list) {
  return (lb_vec3){red_at(list, 0), red_at(list, 1), red_at(list, 2)};
}

static inline void red_lacks(redmax* t, const char* what) {
  t->lacks = t->lacks ? t->lacks : what;
}

// --- comparing ---

// Off by, over the size of what is compared.
static inline double red_off(double a, double b, double scale) {
  return fabs(a - b) / fmax(scale, fabs(b));
}

// Numbers that are compared with are marked by a bit of their type that cJSON leaves free:
// red_assert_compared finds what was left out.
enum { RED_COMPARED = 1 << 20 };

static inline double red_value(const cJSON* number) {
  assert_true(cJSON_IsNumber(number));
  ((cJSON*)number)->type |= RED_COMPARED;
  return number->valuedouble;
}

static inline double red_apart(double ours, const cJSON* theirs, double scale) {
  return red_off(ours, red_value(theirs), scale);
}

// A list, or a list of lists, over the largest of its numbers or over one.
static inline double red_size(const cJSON* list) {
  if (cJSON_IsNumber(list)) {
    return fmax(1, fabs(list->valuedouble));
  }
  double size = 1;
  const cJSON* item;
  cJSON_ArrayForEach(item, list) {
    size = fmax(size, red_size(item));
  }
  return size;
}

// Takes from `ours` what it compares.
static inline double red_list_off(const double** ours, const cJSON* list, double size) {
  if (cJSON_IsNumber(list)) {
    return red_apart(*(*ours)++, list, size);
  }
  double worst = 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, list) {
    worst = fmax(worst, red_list_off(ours, item, size));
  }
  return worst;
}

static inline double red_list_apart(const double* ours, const cJSON* list) {
  assert_non_null(list);
  return red_list_off(&ours, list, red_size(list));
}

// A pose against a matrix, its last row too.
static inline double red_pose_apart(lb_transform X, const cJSON* matrix) {
  const lb_mat3 R = lb_quat_matrix(X.q);
  const double E[16] = {R.x.x, R.y.x, R.z.x, X.p.x, R.x.y, R.y.y, R.z.y, X.p.y,
                        R.x.z, R.y.z, R.z.z, X.p.z, 0,     0,     0,     1};
  const double far = fmax(1, lb_vec3_norm(X.p));
  double worst = 0;
  for (int i = 0; i < 16; i++) {
    worst = fmax(worst, red_apart(E[i], red_item(matrix, i / 4, i % 4), i % 4 == 3 ? far : 1));
  }
  return worst;
}

// The pose that a matrix is, of what is put in.
static inline lb_transform red_pose(const cJSON* matrix) {
  double E[16];
  assert_int_equal(red_numbers(matrix, E), 16);
  const lb_mat3 R = {{E[0], E[4], E[8]}, {E[1], E[5], E[9]}, {E[2], E[6], E[10]}};
  const lb_transform X = {lb_quat_from_matrix(R), {E[3], E[7], E[11]}};
  assert_below(red_pose_apart(X, matrix), 1e-12);
  return X;
}

// Where the bodies are in the world.
static inline double red_poses_apart(const lb_model* m, lb_data* d, const cJSON* poses) {
  double worst = 0;
  lb_poses(m, d);
  for (int b = 0; b < cJSON_GetArraySize(poses); b++) {
    worst = fmax(worst, red_pose_apart(d->pose[b], cJSON_GetArrayItem(poses, b)));
  }
  return worst;
}

// The larger of the largest energies of both kinds.
static inline double red_energy_size(const cJSON* results) {
  return fmax(red_size(red_get(results, "T")), red_size(red_get(results, "V")));
}

// What a file says of itself, against other numbers of it.
static inline void red_assert_says(const cJSON* object, const char* key, double what) {
  const double given = red_value(red_get(object, key));
  if (!(fabs(given - what) <= 1e-4 * fabs(given))) {
    fail_msg("%s is %.17g, and should be %.17g by the other numbers", key, given, what);
  }
}

// The energy at the end over what there was of it at the start, what the authors expect of it and
// how far they find it off; and how often their solver failed.
static inline double red_balance_apart(const cJSON* results, double T, double V, double V0) {
  const cJSON* end = red_get(results, "H_end_minus_V0");
  if (!end) {
    return 0;
  }
  const double size = red_energy_size(results),
               expected = red_number(results, "H_expected_by_authors");
  red_value(red_get(results, "H_expected_by_authors"));
  const cJSON* failures = red_get(results, "qp_failures");
  assert_true(!failures || red_value(failures) == 0);
  return fmax(red_apart(T + V - V0, end, size),
              red_apart(end->valuedouble - expected, red_get(results, "H_error"), size));
}

// How many numbers below an item were compared. Fails where one was not, but for those below the
// keys of `but`, which ends with NULL.
static inline int red_assert_compared(const cJSON* item, const char* const* but) {
  for (int i = 0; item->string && but[i]; i++) {
    if (strcmp(item->string, but[i]) == 0) {
      return 0;
    }
  }
  if (cJSON_IsNumber(item)) {
    if (!(item->type & RED_COMPARED)) {
      fail_msg("%.17g%s%s was compared with nothing", item->valuedouble, item->string ? " of " : "",
               item->string ? item->string : "");
    }
    return 1;
  }
  int count = 0;
  const cJSON* below;
  cJSON_ArrayForEach(below, item) {
    count += red_assert_compared(below, but);
  }
  return count;
}

// --- what docs/redmax.md says of a file ---

// Columns of a row: the tolerance asked for, by what it is rebuilt, how far that differs at most,
// and how far Limber differs that is left to itself, where that is another run.
enum { RED_ASKED, RED_REBUILT, RED_DIFFERS, RED_ITSELF, RED_COLUMNS };

typedef struct red_row {
  bool there;
  double number[RED_COLUMNS]; // NAN where there is none
} red_row;

static inline red_row red_find_row(const char* name) {
  red_row row = {0};
  FILE* page = fopen(LIMBER_SOURCE_DIR "/docs/redmax.md", "r");
  assert_non_null(page);
  char line[1000], start[100];
  const int length = snprintf(start, sizeof start, "| `%s` |", name);
  while (!row.there && fgets(line, sizeof line, page)) {
    row.there = strncmp(line, start, (size_t)length) == 0;
  }
  fclose(page);
  char* at = line + length;
  for (int i = 0; row.there && i < RED_COLUMNS; i++) {
    char* end;
    row.number[i] = strtod(at, &end);
    row.number[i] = end == at ? NAN : row.number[i];
    at = strchr(at, '|');
    assert_non_null(at);
    at++;
  }
  return row;
}

// Hold the page to what was measured; `itself` may be NAN. Two digits are there, hence the margin.
static inline void red_check_page(const char* name, double differs, double itself) {
  const red_row row = red_find_row(name);
  print_message("%s: %.2g", name, differs);
  print_message(isnan(itself) ? "\n" : ", left to itself %.2g\n", itself);
  if (getenv("LIMBER_ACCEPT")) { // to write the page anew
    return;
  }
  if (!row.there) {
    fail_msg("docs/redmax.md has no row for %s", name);
  }
  if (!(differs <= row.number[RED_DIFFERS] && row.number[RED_DIFFERS] <= row.number[RED_ASKED])) {
    fail_msg("docs/redmax.md has %.2g, and %.2g is asked for", row.number[RED_DIFFERS],
             row.number[RED_ASKED]);
  }
  if (isnan(itself) != isnan(row.number[RED_ITSELF]) || itself > 1.06 * row.number[RED_ITSELF]) {
    fail_msg("docs/redmax.md has %.2g when left to itself", row.number[RED_ITSELF]);
  }
}

// --- joints ---

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
  bool known = false;
  for (size_t k = 0; k < sizeof RED_KINDS / sizeof *RED_KINDS; k++) {
    if (strcmp(RED_KINDS[k].type, type) == 0) {
      j->kind = RED_KINDS[k].kind;
      known = true;
    }
  }
  if (!known) {
    red_lacks(t, type);
  }
  j->axis = red_get(from, "axis") ? red_vec3(red_get(from, "axis")) : lb_vec3_make(1, 0, 0);
  j->axis2 = lb_vec3_make(0, 1, 0);
  j->order = red_get(from, "chart") ? red_order(red_get(from, "chart")->valuestring) : charts;
  j->rotation_first = strcmp(type, "JointFree") == 0;
  const cJSON* item;
  cJSON_ArrayForEach(item, red_get(from, "controlFrames")) {
    t->frame[i][j->spline.nframe++] = red_pose(item);
  }
  j->spline.frame = t->frame[i];
  j->spline.cyclic = cJSON_IsTrue(red_get(from, "cyclic"));
  j->spline.rows = j->spline.columns = 4;
  for (int k = 0; red_get(from, "controlValues_k_i_j") && k < 6; k++) {
    red_numbers(cJSON_GetArrayItem(red_get(from, "controlValues_k_i_j"), k), t->control[i][k]);
    j->spline.control[k] = t->control[i][k];
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

// What resists along a joint. The authors' dampers at limits come in with a jump, and pull.
static inline void red_resistance(redmax* t, int i, const cJSON* from) {
  lb_scene_joint* j = &t->joint[i];
  red_numbers(red_get(from, "q0"), j->q);
  red_numbers(red_get(from, "qdot0"), j->qd);
  j->resistance.stiffness = j->turn.stiffness = red_number(from, "stiffness");
  j->resistance.damping = j->turn.damping = red_number(from, "damping");
  if (red_get(from, "qLimK")) {
    j->resistance.limit_stiffness = red_number(from, "qLimK");
    j->resistance.limit_damping = red_number(from, "qLimD");
    j->resistance.limit_transition = 0;
    j->resistance.limit_pulls = true;
    for (int k = 0; k < LB_JOINT_MOST_V; k++) {
      j->lower[k] = red_number(from, "qLimL");
      j->upper[k] = red_number(from, "qLimU");
    }
  }
}

// What a body weighs is what its box does, where it is one.
static inline void red_check_box(const cJSON* body) {
  const cJSON* sides = red_get(body, "sides");
  if (sides) {
    const lb_vec3 a = red_vec3(sides);
    const double m = red_number(body, "density") * a.x * a.y * a.z, k = m / 12;
    const double I[] = {k * (a.y * a.y + a.z * a.z),
                        k * (a.x * a.x + a.z * a.z),
                        k * (a.x * a.x + a.y * a.y),
                        m,
                        m,
                        m};
    assert_below(red_list_apart(I, red_get(body, "inertia_diag")), 1e-12);
  }
}

// A joint with its body, whose frame is at the centre of mass.
static inline void red_joint(redmax* t, const cJSON* from, lb_turn_order charts) {
  const int i = t->scene.nbody++;
  const cJSON* body = red_get(from, "body");
  double I[6];
  assert_below(i, RED_MOST);
  red_numbers(red_get(body, "inertia_diag"), I);
  snprintf(t->name[i], sizeof t->name[i], "b%d", i);
  t->body[i] = lb_scene_body_default();
  t->body[i].name = t->name[i];
  t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = true;
  t->body[i].mass = (lb_mass){I[3], {0, 0, 0}, {I[0], I[1], I[2], 0, 0, 0}};
  t->body[i].drag = t->body[i].turn_drag = red_number(body, "damping");
  lb_scene_joint* j = &t->joint[t->scene.njoint++];
  *j = lb_scene_joint_default();
  j->name = t->name[i];
  j->parent = red_whole(from, "parent") - 1;
  j->child = i;
  j->in_child = lb_transform_inverse(red_pose(red_get(body, "E_ji")));
  j->in_parent = red_pose(red_get(from, "E0_pj")); // in the parent's joint frame
  if (j->parent >= 0) {
    j->in_parent = lb_transform_mul(t->joint[j->parent].in_child, j->in_parent);
  }
  red_joint_kind(t, i, from, charts, j, t->part[i]);
  red_resistance(t, i, from);
  red_check_box(body);
  assert_true(red_number(from, "index") == i + 1);
  assert_true(red_number(from, "ndof") == lb_joint_count_v(j));
}

// --- forces ---

// Springs between points. Where the file has no length they are zero long at rest, and their
// dampers resist all relative motion, which is left out here.
static inline void red_spring(redmax* t, const cJSON* from) {
  const char* const BODY[] = {"body1", "body2"};
  const char* const POINT[] = {"x1", "x2"};
  const int i = t->scene.nforce++;
  lb_scene_force* s = &t->force[i];
  *s = (lb_scene_force){.name = t->name[i], .npoint = 2, .point = t->point[i]};
  const double length = red_number(from, "L");
  for (int k = 0; k < 2; k++) {
    s->point[k] = (lb_scene_point){.body = red_whole(from, BODY[k]) - 1,
                                   .at = red_vec3(red_get(from, POINT[k]))};
  }
  s->length = length;
  s->stiffness = red_number(from, "stiffness") / (length > 0 ? length : 1);
  s->damping = length > 0 ? red_number(from, "damping") / length : 0;
}

static inline void red_push(redmax* t, const cJSON* from) {
  const int i = t->scene.nload++;
  t->load[i] = (lb_scene_load){.name = t->name[i],
                               .body = red_whole(from, "body") - 1,
                               .point = red_vec3(red_get(from, "x")),
                               .face = -1,
                               .force = lb_vec3_scale(red_number(from, "force_magnitude"),
                                                      red_vec3(red_get(from, "direction_w")))};
}

// Of a list of bodies.
static inline int red_body(const cJSON* bodies, int k) {
  assert_true(red_at(bodies, k) == (int)red_at(bodies, k));
  return (int)red_at(bodies, k) - 1;
}

static inline void red_cable(redmax* t, const cJSON* from) {
  const int i = t->scene.nforce++;
  const cJSON *bodies = red_get(from, "bodies"), *points = red_get(from, "points");
  const double length = red_number(from, "L"); // the authors' numbers are for a strain of one
  t->force[i] = (lb_scene_force){.name = t->name[i],
                                 .kind = LB_FORCE_CABLE,
                                 .npoint = cJSON_GetArraySize(bodies),
                                 .point = t->point[i],
                                 .stiffness = red_number(from, "stiffness") / length,
                                 .damping = red_number(from, "damping") / length,
                                 .length = length};
  for (int k = 0; k < t->force[i].npoint; k++) {
    t->point[i][k] = (lb_scene_point){.body = red_body(bodies, k),
                                      .at = red_vec3(cJSON_GetArrayItem(points, k))};
  }
}

// --- constraints ---

// A loop of hinges. The authors' velocities close its gaps over time of their own, along directions
// that they take for fixed: those of B, which is fixed where one of the bodies is.
static inline void red_loop(redmax* t, const cJSON* from) {
  const int i = t->scene.njoint++;
  lb_scene_joint* j = &t->joint[i];
  *j = lb_scene_joint_default();
  j->name = t->name[i];
  snprintf(t->name[i], sizeof *t->name, "loop%d", i);
  j->kind = LB_JOINT_REVOLUTE;
  j->loop = true;
  j->parent = red_whole(from, "bodyB") - 1;
  j->child = red_whole(from, "bodyA") - 1;
  j->in_parent.p = red_vec3(red_get(from, "xB"));
  j->in_child.p = red_vec3(red_get(from, "xA"));
  j->axis = red_vec3(red_get(from, "axis_from_joint_of_A"));
}

static inline lb_scene_constraint* red_constraint(redmax* t, lb_constraint_kind kind) {
  const int i = t->scene.nconstraint++;
  t->constraint[i] = (lb_scene_constraint){
      .name = t->name[i], .kind = kind, .term = t->term[i], .point = &t->at[i]};
  return &t->constraint[i];
}

static inline void red_couple(lb_scene_constraint* k, int joint, double factor) {
  k->term[k->nterm++] = (lb_scene_term){.joint = joint, .factor = factor};
}

// qB = factor qA
static inline void red_gear(redmax* t, const cJSON* from) {
  lb_scene_constraint* k = red_constraint(t, LB_CONSTRAINT_COUPLE);
  red_couple(k, red_whole(from, "jointA") - 1, red_number(from, "factor"));
  red_couple(k, red_whole(from, "jointB") - 1, -1);
}

// A path for the test to replace: the files give functions of time in words. Until then, nothing.
static inline lb_profile_definition red_path(void) {
  static double time[] = {0}, value[] = {0};
  return (lb_profile_definition){
      .kind = LB_PROFILE_LINEAR, .count = 1, .time = time, .value = value};
}

// A coordinate, or with M a joint's rate.
static inline void red_prescribed_joint(redmax* t, const cJSON* from) {
  lb_scene_constraint* k = red_constraint(t, LB_CONSTRAINT_COUPLE);
  red_couple(k, red_whole(from, "joint") - 1, 1);
  k->path[0] = red_path();
  k->velocity_level[0] = strcmp(red_get(from, "type")->valuestring, "ConstraintPrescJointM") == 0;
}

// The spin of a body of the plane about y, and the velocity of its centre along x and z.
static inline void red_prescribed_body(redmax* t, const cJSON* from) {
  lb_scene_constraint* k = red_constraint(t, LB_CONSTRAINT_FOLLOW);
  k->body = red_whole(from, "body") - 1;
  k->npoint = 1;
  k->along[0] = k->along[2] = k->velocity_level[0] = k->velocity_level[2] = true;
  k->path[0] = k->path[2] = k->angle = red_path();
  k->turn = k->angle_velocity_level = true;
  k->about = lb_vec3_make(0, 1, 0);
}

static const struct {
  const char* type;
  void (*add)(redmax* t, const cJSON* from);
} RED_THINGS[] = {
    {"SpringPointPoint", red_spring},
    {"ForcePointPoint", red_spring},
    {"SpringPointDirection", red_push},
    {"ForceCable", red_cable},
    {"ForceSpringDamper", red_spring},
    {"ConstraintLoop", red_loop},
    {"ConstraintMultQ", red_gear},
    {"ConstraintPrescJoint", red_prescribed_joint},
    {"ConstraintPrescJointM", red_prescribed_joint},
    {"ConstraintPrescBody", red_prescribed_body},
};

static inline void red_thing(redmax* t, const cJSON* from) {
  const char* type = red_get(from, "type")->valuestring;
  for (size_t i = 0; i < sizeof RED_THINGS / sizeof *RED_THINGS; i++) {
    if (strcmp(type, RED_THINGS[i].type) == 0) {
      RED_THINGS[i].add(t, from);
      return;
    }
  }
  red_lacks(t, type);
}

// --- scenes ---

static inline void red_scene(redmax* t, const cJSON* scene, lb_turn_order charts) {
  *t = (redmax){.scene = lb_scene_default()};
  t->scene.name = t->scene.file = "reference";
  t->scene.about = "";
  t->scene.gravity = red_vec3(red_get(scene, "grav"));
  t->scene.body = t->body;
  t->scene.joint = t->joint;
  t->scene.force = t->force;
  t->scene.load = t->load;
  t->scene.constraint = t->constraint;
  const cJSON* item;
  cJSON_ArrayForEach(item, red_get(scene, "joints")) {
    red_joint(t, item, charts);
  }
  static const char* const THINGS[] = {"springs", "forces", "constraints", "deformables"};
  for (size_t i = 0; i < sizeof THINGS / sizeof *THINGS; i++) {
    cJSON_ArrayForEach(item, red_get(scene, THINGS[i])) {
      red_thing(t, item);
    }
  }
}

// Which joint of the file a joint of the model is: the one that carries the same body. Fixed ones
// are none of the model's.
static inline int red_joint_of(const lb_model* m, int j) {
  return m->joint.body[j];
}

// Its first coordinate in the file, where those of joint 1 come first, then those of joint 2.
static inline int red_first_of(const redmax* t, const lb_model* m, int j) {
  const int mine = red_joint_of(m, j);
  int first = 0;
  for (int i = 0; i < mine; i++) {
    first += lb_joint_count_v(&t->joint[i]);
  }
  assert_int_equal(lb_joint_count_v(&t->joint[mine]), m->joint.nv[j]);
  return first;
}

// A file with one run; false: it is not there. Those of the differentiable program count turns by
// Euler's angles, the others by rotation vectors; springs rest where they start.
static inline bool red_read(redmax* t, const char* name) {
  cJSON* json = red_open(name);
  if (!json) {
    return false;
  }
  red_scene(t, red_get(json, "scene"),
            strncmp(name, "diff", 4) == 0 ? LB_TURN_XYZ : LB_TURN_EXPONENTIAL);
  t->json = json;
  for (int i = 0; i < t->scene.njoint; i++) {
    memcpy(t->joint[i].rest, t->joint[i].q, sizeof t->joint[i].rest);
  }
  return true;
}

static inline void red_release(redmax* t) {
  cJSON_Delete(t->json);
}
