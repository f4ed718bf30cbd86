// The authors of [red] where their rows or their steps are not Limber's: a hinge that closes a loop
// between two bodies that turn, and two bodies with six coordinates each.
#include "dynamics/derivative.h"
#include "dynamics/loop.h"
#include "math/dense.h"
#include "math/se3.h"
#include "redmax.h"
#include "solve/linear_euler.h"

enum { MOST = 8, ROWS = 3 };

// --- a loop between bodies that turn ---
//
// Linearly implicit Euler with two rows that keep points of A and B together along x and z, and the
// rate of a hinge prescribed:
//
//   [M G'; G 0] (v1, -lambda) = (M v0 - h c, -pace gap; 4 pi),   q1 = q0 + h v1
//
// The gap that a step leaves is closed at some pace, along directions that turn with a body. The
// authors leave out how these turn ([red] eq. 4.100), so that their G has both bodies' own points;
// with it, G has the point of the first body (B here) that is at A's point: that is Limber's.
typedef struct loop_run {
  redmax from;
  lb_model* m;
  lb_data* d;
  lb_derivatives* D;
} loop_run;

// Velocity in the world of a point of a link for each coordinate, and where it is.
static lb_vec3 move_point(loop_run* r, int body, lb_vec3 at, lb_vec3 move[MOST]) {
  const lb_model* m = r->m;
  const int nv = m->nv;
  static double J[6 * MOST * MOST], Jdot[6 * MOST * MOST];
  const int link = m->body_link[body];
  const lb_vec3 in_link = lb_transform_point(m->body_in_link[body], at);
  lb_jacobians(r->D, r->d, J, Jdot, r->d->q, r->d->qd);
  lb_poses(m, r->d);
  const lb_transform X = r->d->pose[body];
  const lb_quat R = lb_quat_mul(X.q, lb_quat_conjugate(m->body_in_link[body].q));
  for (int k = 0; k < nv; k++) {
    const double* c = J + 6 * nv * link + k;
    const lb_vec3 w = {c[0], c[nv], c[2 * nv]}, v = {c[3 * nv], c[4 * nv], c[5 * nv]};
    move[k] = lb_quat_rotate(R, lb_vec3_add(v, lb_vec3_cross(w, in_link)));
  }
  return lb_transform_point(X, at);
}

static void step_loop(loop_run* r, double h, double pace, bool turn) {
  const lb_model* m = r->m;
  const int nv = m->nv, n = nv + ROWS;
  const cJSON* loop = cJSON_GetArrayItem(red_get(red_get(r->from.json, "scene"), "constraints"), 0);
  const int A = (int)red_number(loop, "bodyA") - 1, B = (int)red_number(loop, "bodyB") - 1;
  lb_vec3 a[MOST], b[MOST];
  const lb_vec3 pb = move_point(r, B, red_vec3(red_get(loop, "xB")), b);
  const lb_vec3 pa = move_point(r, A, red_vec3(red_get(loop, "xA")), a);
  if (turn) {
    move_point(r, B, lb_transform_point(lb_transform_inverse(r->d->pose[B]), pa), b);
  }
  double K[(MOST + ROWS) * (MOST + ROWS)] = {0}, x[MOST + ROWS], M[MOST * MOST], c[MOST];
  const double still[MOST] = {0};
  int pivot[MOST + ROWS];
  lb_crba(m, r->d, M, r->d->q);
  lb_rnea(m, r->d, c, r->d->q, r->d->qd, still);
  for (int i = 0; i < nv; i++) {
    x[i] = lb_dot(nv, M + i * nv, r->d->qd) - h * c[i];
    const double G[ROWS] = {a[i].x - b[i].x, a[i].z - b[i].z, i == 1};
    for (int j = 0; j < nv; j++) {
      K[i + j * n] = M[i * nv + j];
    }
    for (int k = 0; k < ROWS; k++) {
      K[i + (nv + k) * n] = K[nv + k + i * n] = G[k];
    }
  }
  x[nv] = -pace * (pa.x - pb.x);
  x[nv + 1] = -pace * (pa.z - pb.z);
  x[nv + 2] = 4 * M_PI;
  assert_int_equal(lb_lu(n, K, n, pivot), LB_OK);
  lb_lu_solve(n, K, n, pivot, 1, x, n);
  for (int i = 0; i < nv; i++) {
    r->d->qd[i] = x[i];
    r->d->q[i] += h * x[i];
  }
}

// Limber's own step of the same scene, which starts with all at rest.
static lb_stepper* open_stepper(loop_run* r, double pace) {
  static double time[] = {0}, rate[] = {4 * M_PI};
  lb_stepper* st;
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_LINEAR_EULER, .closing = 1 / pace};
  assert_true(r->from.constraint[0].rates[0]);
  r->from.constraint[0].path[0].time = time;
  r->from.constraint[0].path[0].value = rate;
  assert_int_equal(lb_model_create(&r->from.scene, NULL, &r->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(r->m, NULL, &r->d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(r->m, &solver, NULL, &st, NULL), LB_OK);
  return st;
}

static const char* const LOOP_FILE = "full_scene32_redmax_euler.json";

// The scene without its constraints.
static bool open_tree(loop_run* r) {
  if (!red_read(&r->from, LOOP_FILE)) {
    return false;
  }
  r->from.scene.nconstraint = 0;
  r->from.scene.njoint--; // the loop
  assert_int_equal(lb_model_create(&r->from.scene, NULL, &r->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(r->m, NULL, &r->d, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(r->m, NULL, &r->D, NULL), LB_OK);
  return true;
}

static void close_loop_run(loop_run* r) {
  lb_derivatives_release(r->D);
  lb_data_release(r->d);
  lb_model_release(r->m);
  red_release(&r->from);
}

static double pace_of(const loop_run* r) {
  return red_at(red_get(red_get(r->from.json, "integrator"), "baumgarte"), 2);
}

static double step_of(const loop_run* r) {
  return red_number(red_get(r->from.json, "integrator"), "h");
}

// How far two runs are apart, or a run and a frame of the file.
static double runs_off(const loop_run* a, const loop_run* b) {
  double worst = 0;
  for (int k = 0; k < a->m->nv; k++) {
    worst = fmax(worst, red_off(a->d->q[k], b->d->q[k], 1));
    worst = fmax(worst, red_off(a->d->qd[k], b->d->qd[k], 1));
  }
  return worst;
}

static double frame_off(const loop_run* r, const cJSON* results, int f) {
  double worst = 0;
  for (int k = 0; k < r->m->nv; k++) {
    worst = fmax(worst, red_off(r->d->q[k], red_entry(red_get(results, "q"), f, k), 1));
    worst = fmax(worst, red_off(r->d->qd[k], red_entry(red_get(results, "qdot"), f, k), 1));
  }
  return worst;
}

static void a_loop_whose_directions_stay_steps_as_the_authors_does(void** state) {
  (void)state;
  static loop_run r, limber;
  if (!open_tree(&r) || !red_read(&limber.from, LOOP_FILE)) {
    skip();
  }
  lb_stepper* st = open_stepper(&limber, pace_of(&r));
  const cJSON* results = red_get(r.from.json, "results");
  double worst = 0, itself = 0;
  for (int f = 0, steps = 0; f < cJSON_GetArraySize(red_get(results, "t")); f++) {
    for (; steps < lround(red_at(red_get(results, "t"), f) / step_of(&r)); steps++) {
      step_loop(&r, step_of(&r), pace_of(&r), false);
      assert_int_equal(lb_stepper_step(st, limber.d, step_of(&r), NULL), LB_OK);
    }
    worst = fmax(worst, frame_off(&r, results, f));
    itself = fmax(itself, frame_off(&limber, results, f));
  }
  red_tell(LOOP_FILE, worst, itself);
  lb_stepper_release(st);
  close_loop_run(&r);
  close_loop_run(&limber);
}

static void a_loop_whose_directions_turn_steps_as_limber_does(void** state) {
  (void)state;
  static loop_run r, limber;
  if (!open_tree(&r) || !red_read(&limber.from, LOOP_FILE)) {
    skip();
  }
  lb_stepper* st = open_stepper(&limber, pace_of(&r));
  double worst = 0;
  for (int i = 0; i < 200; i++) {
    assert_int_equal(lb_stepper_step(st, limber.d, step_of(&r), NULL), LB_OK);
    step_loop(&r, step_of(&r), pace_of(&r), true);
    worst = fmax(worst, runs_off(&limber, &r));
  }
  print_message("with the turn of the directions, Limber: %.2g\n", worst);
  lb_stepper_release(st);
  close_loop_run(&r);
  close_loop_run(&limber);
  assert_true(worst < 1e-8);
}

// --- six coordinates a body ---

static lb_scene_body block(const char* name, const cJSON* from) {
  double I[6];
  red_numbers(red_get(from, "inertia_diag"), I);
  lb_scene_body body = lb_scene_body_default();
  body.name = name;
  body.has_mass = body.has_com = body.has_inertia = true;
  body.mass = (lb_mass){I[3], {0, 0, 0}, {I[0], I[1], I[2], 0, 0, 0}};
  body.pose = red_pose(red_get(from, "E0"));
  return body;
}

// Where a body is and how it moves, off by.
static double body_off(const lb_data* d, int body, const cJSON* E, const cJSON* phi) {
  const lb_transform X = red_pose(E);
  const double* q = d->q + 7 * body;
  const double* v = d->qd + 6 * body;
  const double sign = q[3] * X.q.w + q[4] * X.q.x + q[5] * X.q.y + q[6] * X.q.z < 0 ? -1 : 1;
  const double want[] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
  double worst = 0;
  for (int k = 0; k < 7; k++) {
    worst = fmax(worst, red_off((k < 3 ? 1 : sign) * q[k], want[k], 1));
  }
  for (int k = 0; k < 6; k++) {
    worst = fmax(worst, red_off(v[k], red_at(phi, k), 1));
  }
  return worst;
}

// The authors' bodies go on along screws, X exp(h phi), where Limber's go straight and turn.
static void follow_screws(lb_data* d, const double* before, double h) {
  for (int b = 0; b < 2; b++) {
    const double *q = before + 7 * b, *v = d->qd + 6 * b;
    const lb_transform X = {{q[3], q[4], q[5], q[6]}, {q[0], q[1], q[2]}};
    const lb_twist way = {{h * v[0], h * v[1], h * v[2]}, {h * v[3], h * v[4], h * v[5]}};
    const lb_transform Y = lb_transform_mul(X, lb_se3_exp(way));
    const double to[] = {Y.p.x, Y.p.y, Y.p.z, Y.q.w, Y.q.x, Y.q.y, Y.q.z};
    memcpy(d->q + 7 * b, to, sizeof to);
  }
}

// The authors' multipliers are the impulses of a step on the second body of a joint, along the axes
// of the first as the step begins: about x and z, then along x, y and z. Limber's rows push "one"
// with forces, which is the second body of the first joint and the first of the second.
static double multipliers_off(const lb_stepper* st, const lb_data* d, const double* before,
                              double h, const cJSON* given) {
  const double* lambda = lb_linear_euler_multipliers(st);
  const lb_quat one = {before[3], before[4], before[5], before[6]};
  lb_vec3 moment[2] = {{0, 0, 0}, {0, 0, 0}}, force[2] = {{0, 0, 0}, {0, 0, 0}};
  double worst = 0;
  for (int i = 0; i < lb_loops_count(d); i++) {
    const lb_loop_row r = lb_loops_row(d, i);
    lb_vec3* to = r.kind == LB_GAP_SHIFT ? &force[r.loop] : &moment[r.loop];
    const lb_vec3 push = lb_vec3_scale((r.loop == 0 ? h : -h) * lambda[i], lb_v4_vec3(r.e));
    *to = lb_vec3_add(*to, r.loop == 0 ? push : lb_quat_rotate(lb_quat_conjugate(one), push));
  }
  for (int k = 0; k < 10; k++) {
    const lb_vec3 *n = &moment[k / 5], *f = &force[k / 5];
    const double ours[] = {n->x, n->z, f->x, f->y, f->z};
    worst = fmax(worst, red_off(ours[k % 5], red_at(given, k), 1));
  }
  return worst;
}

typedef struct pair {
  lb_scene scene;
  lb_scene_body body[2];
  lb_scene_joint joint[2];
} pair;

// Their rows are about the point of B's body that is at A's joint: Limber's, with B before A.
static void make_pair(pair* p, const cJSON* file) {
  static const char* const NAMES[] = {"one", "two"};
  *p = (pair){.scene = lb_scene_default()};
  for (int i = 0; i < 2; i++) {
    lb_scene_joint* joint = &p->joint[i];
    p->body[i] = block(NAMES[i], cJSON_GetArrayItem(red_get(file, "bodies"), i));
    const lb_transform at =
        red_pose(red_get(cJSON_GetArrayItem(red_get(file, "joints"), i), "E_world_initial"));
    *joint = lb_scene_joint_default();
    joint->name = NAMES[i];
    joint->kind = LB_JOINT_REVOLUTE;
    joint->axis = lb_vec3_make(0, 1, 0);
    joint->loop = true;
    joint->parent = i ? 1 : LB_WORLD;
    joint->child = 0;
    joint->in_parent = i ? lb_transform_mul(lb_transform_inverse(p->body[1].pose), at) : at;
    joint->in_child = lb_transform_mul(lb_transform_inverse(p->body[0].pose), at);
  }
  p->scene.name = p->scene.file = p->scene.about = "";
  p->scene.body = p->body;
  p->scene.joint = p->joint;
  p->scene.nbody = p->scene.njoint = 2;
  p->scene.gravity = red_vec3(red_get(file, "grav"));
  p->scene.solver.integrator = LB_INTEGRATOR_LINEAR_EULER;
}

// The worst difference from the file, along the authors' screws or as Limber goes.
static double run_pair(const pair* p, const cJSON* file, bool screws) {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_model_create(&p->scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  assert_int_equal(m->nq, 14);
  const double h = red_number(file, "h");
  double worst = 0;
  int steps = 0;
  const cJSON* frame;
  cJSON_ArrayForEach(frame, red_get(file, "results")) {
    for (; steps < (int)red_number(frame, "step"); steps++) {
      double before[14];
      memcpy(before, d->q, sizeof before);
      assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
      if (steps + 1 == (int)red_number(frame, "step")) {
        worst = fmax(worst, multipliers_off(st, d, before, h, red_get(frame, "lambda")));
      }
      if (screws) {
        follow_screws(d, before, h);
      }
    }
    worst = fmax(worst, body_off(d, 0, red_get(frame, "E1"), red_get(frame, "phi1")));
    worst = fmax(worst, body_off(d, 1, red_get(frame, "E2"), red_get(frame, "phi2")));
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return worst;
}

static void two_hinges_in_maximal_coordinates_move_as_the_authors_do(void** state) {
  (void)state;
  static const char NAME[] = "simple_testJoint_maximal.json";
  cJSON* file = red_open(NAME);
  if (!file) {
    skip();
  }
  pair p;
  make_pair(&p, file);
  red_tell(NAME, run_pair(&p, file, true), run_pair(&p, file, false));
  cJSON_Delete(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_whose_directions_stay_steps_as_the_authors_does),
      cmocka_unit_test(a_loop_whose_directions_turn_steps_as_limber_does),
      cmocka_unit_test(two_hinges_in_maximal_coordinates_move_as_the_authors_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
