// Recordings made by hand: models with every kind of shape and joint, moved by formulas instead of
// a solver, so that what is in the files is known exactly.
#pragma once
#include "limber/recording.h"
#include "test.h"

enum { FIXTURE_BODIES = 128 };

// A model with its arrays; everything a writer looks at is filled in.
typedef struct fixture {
  lb_model model;
  const char* body_name[FIXTURE_BODIES];
  char name_text[FIXTURE_BODIES][24];
  int body_link[FIXTURE_BODIES];
  lb_transform body_in_link[FIXTURE_BODIES];
  lb_mass body_mass[FIXTURE_BODIES];
  int link_parent[FIXTURE_BODIES], link_kind[FIXTURE_BODIES];
  int link_joint[FIXTURE_BODIES], link_nv[FIXTURE_BODIES];
  const struct lb_chart* link_chart[FIXTURE_BODIES];
  const char* joint_name[FIXTURE_BODIES];
  int joint_kind[FIXTURE_BODIES];
  int joint_link[FIXTURE_BODIES];
  int joint_q[FIXTURE_BODIES], joint_nq[FIXTURE_BODIES];
  int joint_v[FIXTURE_BODIES], joint_nv[FIXTURE_BODIES];
  const char* motor_name[4];
  int motor_joint[4], motor_v[4], motor_coupling[4], motor_loop[4];
  int counts[FIXTURE_BODIES];
  double none[6 * FIXTURE_BODIES]; // stiffness and damping
  lb_force_curve curve[6 * FIXTURE_BODIES];
  lb_model_shape shape[FIXTURE_BODIES + 8];
  lb_scene_material material[4];
  lb_recording* recording;
} fixture;

static const lb_summary FIXTURE_SUMMARY = {.job = "simulate",
                                           .wall_seconds = 0.0125,
                                           .steps = 4000,
                                           .energy_start = 1.5,
                                           .energy_end = 1.25,
                                           .energy_drift = 3.5e-7,
                                           .conservative = true,
                                           .threads = 2,
                                           .step = 1e-3};

static lb_vec3 fixture_corner[4] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}};
static int fixture_face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const lb_mesh fixture_tetrahedron = {4, 4, fixture_corner, fixture_face};

// An empty world with three materials.
static inline fixture* fixture_make(const char* name) {
  fixture* f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->material[0] = (lb_scene_material){
      .name = "clay", .density = 1000, .color = {0.68, 0.16, 0.05, 1}, .roughness = 0.6};
  f->material[1] = (lb_scene_material){.name = "steel",
                                       .density = 7800,
                                       .color = {0.5, 0.52, 0.55, 1},
                                       .roughness = 0.35,
                                       .metallic = 1};
  f->material[2] = (lb_scene_material){
      .name = "glass", .density = 2500, .color = {0.1, 0.35, 0.6, 0.6}, .roughness = 0.1};
  f->model = (lb_model){.name = name,
                        .about = "",
                        .file = "made/by-hand.yaml",
                        .gravity = {0, 0, -9.81},
                        .duration = 4,
                        .solver = {.integrator = LB_INTEGRATOR_RK4, .step = 1e-3},
                        .record = {.every = 0.01},
                        .body.name = f->body_name,
                        .body.link = f->body_link,
                        .body.in_link = f->body_in_link,
                        .body.mass = f->body_mass,
                        .link.parent = f->link_parent,
                        .link.kind = f->link_kind,
                        .link.joint = f->link_joint,
                        .link.nv = f->link_nv,
                        .link.chart = f->link_chart,
                        .joint.name = f->joint_name,
                        .joint.kind = f->joint_kind,
                        .joint.link = f->joint_link,
                        .joint.q = f->joint_q,
                        .joint.nq = f->joint_nq,
                        .joint.v = f->joint_v,
                        .joint.nv = f->joint_nv,
                        .motor.name = f->motor_name,
                        .motor.joint = f->motor_joint,
                        .motor.v = f->motor_v,
                        .motor.coupling = f->motor_coupling,
                        .motor.loop = f->motor_loop,
                        .dof.counts = f->counts,
                        .dof.stiffness = f->none,
                        .dof.damping = f->none,
                        .dof.force_curve = f->curve,
                        .look.nmaterial = 3,
                        .look.material = f->material,
                        .look.shape = f->shape};
  memset(f->motor_loop, -1, sizeof f->motor_loop);
  return f;
}

static inline void fixture_release(fixture* f) {
  lb_recording_release(f->recording);
  free(f);
}

// A body on a joint of its own; returns its index. The kind LB_JOINT_FIXED stands on the world.
static inline int fixture_body(fixture* f, const char* name, lb_joint_kind kind, int parent) {
#define FIXTURE_NQ(code, word, count_q, count_v) count_q,
#define FIXTURE_NV(code, word, count_q, count_v) count_v,
  static const int nq[] = {LB_JOINT_LIST(FIXTURE_NQ)}, nv[] = {LB_JOINT_LIST(FIXTURE_NV)};
  lb_model* m = &f->model;
  const int b = m->nbody++;
  assert_below(b, FIXTURE_BODIES);
  f->body_name[b] = name;
  f->body_mass[b].mass = 1;
  f->body_link[b] = LB_WORLD;
  if (kind != LB_JOINT_FIXED) {
    const int j = m->njoint++;
    const int link = m->nlink++;
    f->body_link[b] = link;
    f->link_parent[link] = parent == LB_WORLD ? LB_WORLD : f->body_link[parent];
    f->link_kind[link] = (int)kind;
    f->link_joint[link] = j;
    f->link_nv[link] = nv[kind];
    f->joint_name[j] = name;
    f->joint_kind[j] = (int)kind;
    f->joint_link[j] = link;
    f->joint_q[j] = m->nq;
    f->joint_nq[j] = nq[kind];
    f->joint_v[j] = m->nv;
    f->joint_nv[j] = nv[kind];
    m->nq += nq[kind];
    m->nv += nv[kind];
  }
  return b;
}

static inline void fixture_shape(fixture* f, int body, lb_shape_type type, lb_vec3 size,
                                 lb_transform pose, int material) {
  lb_model_shape* s = &f->shape[f->model.look.nshape++];
  *s = (lb_model_shape){.body = body,
                        .shape = {.type = type,
                                  .size = size,
                                  .mesh = type == LB_SHAPE_MESH ? &fixture_tetrahedron : NULL},
                        .pose = pose,
                        .material = material};
}

static inline lb_transform fixture_at(double x, double y, double z) {
  lb_transform X = lb_transform_identity();
  X.p = lb_vec3_make(x, y, z);
  return X;
}

// Add a frame with all bodies at the origin.
static inline int fixture_frame(fixture* f, double time) {
  if (!f->recording) {
    lb_recording_create(&f->model, 4, NULL, &f->recording, NULL);
  }
  const int i = lb_recording_add(f->recording);
  assert_at_least(i, 0);
  f->recording->time[i] = time;
  for (int b = 0; b < f->model.nbody; b++) {
    f->recording->pose[(size_t)i * (size_t)f->model.nbody + (size_t)b] = lb_transform_identity();
  }
  return i;
}

static inline lb_transform* fixture_pose(fixture* f, int frame, int body) {
  return f->recording->pose + (size_t)frame * (size_t)f->model.nbody + (size_t)body;
}

// Every shape and every kind of joint, motors, scenery, odd names; `frames` over four seconds.
static inline fixture* fixture_zoo(int frames) {
  fixture* f = fixture_make("A zoo of shapes <& \"names\">");
  f->model.about = "Every kind of shape, moved by formulas.\nThe arm swings, the ball bounces & "
                   "</script><script>alert('no')</script> stays text.";
  const int arm = fixture_body(f, "arm", LB_JOINT_REVOLUTE, LB_WORLD);
  const int hand = fixture_body(f, "h\xC3\xA4nd, \"left\"", LB_JOINT_SPHERICAL, arm);
  const int slide = fixture_body(f, "slide", LB_JOINT_PRISMATIC, LB_WORLD);
  const int ball = fixture_body(f, "ball", LB_JOINT_FREE, LB_WORLD);
  const int stand = fixture_body(f, "stand", LB_JOINT_FIXED, LB_WORLD);
  const lb_transform O = lb_transform_identity();
  fixture_shape(f, LB_WORLD, LB_SHAPE_BOX, lb_vec3_make(12, 12, 0.1), fixture_at(0, 0, -0.05), 1);
  fixture_shape(f, arm, LB_SHAPE_CAPSULE, lb_vec3_make(0.08, 0.8, 0), fixture_at(0, 0, -0.5), 0);
  fixture_shape(f, arm, LB_SHAPE_SPHERE, lb_vec3_make(0.13, 0, 0), O, 1);
  fixture_shape(f, hand, LB_SHAPE_ELLIPSOID, lb_vec3_make(0.2, 0.1, 0.14), O, 2);
  fixture_shape(f, hand, LB_SHAPE_MESH, lb_vec3_make(1, 1, 1), fixture_at(0.1, 0, 0), 0);
  fixture_shape(f, slide, LB_SHAPE_BOX, lb_vec3_make(0.4, 0.3, 0.2), O, 2);
  fixture_shape(f, slide, LB_SHAPE_CYLINDER, lb_vec3_make(0.1, 0.3, 0), fixture_at(0, 0, 0.25), 1);
  fixture_shape(f, ball, LB_SHAPE_SPHERE, lb_vec3_make(0.13, 0, 0), O, 0);
  fixture_shape(f, stand, LB_SHAPE_CYLINDER, lb_vec3_make(0.05, 1.6, 0), fixture_at(0, 0.25, 0.8),
                1);
  f->motor_name[0] = "shoulder motor";
  f->motor_joint[0] = 0;
  f->motor_name[1] = "pusher";
  f->motor_joint[1] = 2;
  f->model.nmotor = 2;
  for (int i = 0; i < f->model.nmotor; i++) {
    f->motor_v[i] = f->joint_v[f->motor_joint[i]];
    f->motor_coupling[i] = -1;
  }
  f->counts[f->motor_v[1]] = LB_COORDINATE_LENGTH;
  for (int i = 0; i < frames; i++) {
    const double t = frames > 1 ? 4.0 * i / (frames - 1) : 0;
    const int k = fixture_frame(f, t);
    const double angle = 1.2 * cos(2.2 * t), at = 0.9 + 0.4 * sin(3 * t);
    const double height = 0.13 + fabs(sin(2.5 * t));
    const lb_transform a = {lb_quat_exp(lb_vec3_make(0, angle, 0)), {0, 0, 1.5}};
    const lb_quat spin = lb_quat_exp(lb_vec3_make(0, 0, 5 * t));
    *fixture_pose(f, k, arm) = a;
    *fixture_pose(f, k, hand) = (lb_transform){lb_quat_mul(a.q, spin), a.p};
    fixture_pose(f, k, hand)->p = lb_vec3_add(a.p, lb_quat_rotate(a.q, lb_vec3_make(0, 0, -1.05)));
    *fixture_pose(f, k, slide) = fixture_at(at, -0.6, 0.1);
    *fixture_pose(f, k, ball) = fixture_at(-1.2, -0.3 + 0.1 * t, height);
    *fixture_pose(f, k, stand) = O;
    double* q = f->recording->q + (size_t)k * (size_t)f->model.nq;
    q[0] = angle;
    q[1] = spin.w, q[2] = spin.x, q[3] = spin.y, q[4] = spin.z;
    q[5] = at;
    q[6] = -1.2, q[7] = -0.3 + 0.1 * t, q[8] = height, q[9] = 1;
    f->recording->motor[2 * k] = 3 * sin(2.2 * t);
    f->recording->motor[2 * k + 1] = -20 * sin(3 * t);
    f->recording->kinetic[k] = 5 * pow(sin(2.2 * t), 2);
    f->recording->potential[k] = 12 + 5 * pow(cos(2.2 * t), 2) - 1e-6 * t;
  }
  return f;
}

// A hanging chain of capsules that swings.
static inline fixture* fixture_chain(int links, int frames) {
  fixture* f = fixture_make("Chain");
  const double l = 4.0 / links;
  for (int i = 0; i < links; i++) {
    snprintf(f->name_text[i], sizeof f->name_text[i], "link %d", i + 1);
    fixture_body(f, f->name_text[i], LB_JOINT_REVOLUTE, i - 1);
    fixture_shape(f, i, LB_SHAPE_CAPSULE, lb_vec3_make(0.35 * l, 0.8 * l, 0),
                  fixture_at(0, 0, -l / 2), i % 2);
  }
  for (int k = 0; k < frames; k++) {
    const double t = 10.0 * k / (frames - 1);
    fixture_frame(f, t);
    lb_vec3 p = {0, 0, 0};
    for (int i = 0; i < links; i++) {
      const double a = cos(1.5 * t) * 0.6 * sin(1 + 3.0 * i / links + t);
      const lb_transform X = {lb_quat_exp(lb_vec3_make(0, a, 0)), p};
      *fixture_pose(f, k, i) = X;
      f->recording->q[k * links + i] = a;
      p = lb_transform_point(X, lb_vec3_make(0, 0, -l));
    }
    f->recording->kinetic[k] = 1 + sin(3 * t);
    f->recording->potential[k] = 1 - sin(3 * t);
  }
  return f;
}

// A loose body that falls far and tumbles.
static inline fixture* fixture_fall(int frames) {
  fixture* f = fixture_make("Free fall");
  const int b = fixture_body(f, "dumbbell", LB_JOINT_FREE, LB_WORLD);
  fixture_shape(f, b, LB_SHAPE_CAPSULE, lb_vec3_make(0.05, 0.6, 0), lb_transform_identity(), 1);
  fixture_shape(f, b, LB_SHAPE_SPHERE, lb_vec3_make(0.2, 0, 0), fixture_at(0, 0, 0.4), 0);
  fixture_shape(f, b, LB_SHAPE_SPHERE, lb_vec3_make(0.2, 0, 0), fixture_at(0, 0, -0.4), 2);
  for (int k = 0; k < frames; k++) {
    const double t = 2.0 * k / (frames - 1);
    fixture_frame(f, t);
    *fixture_pose(f, k, b) =
        (lb_transform){lb_quat_exp(lb_vec3_make(4 * t, t, 0)), {t, 0, -9.81 / 2 * t * t}};
    f->recording->kinetic[k] = 0.5 * 9.81 * 9.81 * t * t;
    f->recording->potential[k] = -f->recording->kinetic[k];
  }
  return f;
}
