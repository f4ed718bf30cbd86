// The authors of [red] where their constraints or their steps are not Limber's: a hinge that closes
// a loop between two bodies that turn, and two bodies with six coordinates each.
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"
#include "redmax.h"
#include "solve/implicit/linear_euler.h"

// --- a loop between bodies that turn ---
//
// A pin keeps points of A and B together, and a hinge has a rate. The gap that a step leaves closes
// over time, along directions that for Limber are those of one of the bodies and turn with it. The
// authors' are those of the world: they leave out how directions turn ([red] eq. 4.100). Limber
// does so, too, where the pin is a body of its own that does not turn, on a translational joint,
// held to both by balls. Its mass is a part of A's; before each step it is put where A's point is,
// with the velocity that makes it take part in A's motion as if it were fixed there:
//
//   m (J v1 - v)/h = m ((J v1 - J v0)/h + Jdot v0),   v = J v0 - h Jdot v0
//
// with J of A's point. All the rest is Limber's step.
typedef struct loop_run {
  redmax from;
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  lb_derivatives* D;
  lb_model* tree; // without pin and loop: for energies and poses
  lb_data* shown;
  bool pinned;
  int A; // of the bodies, and its point
  lb_vec3 at;
  double h;
} loop_run;

static const char* const LOOP_FILE = "full_scene32_redmax_euler.json";
enum { PIN_MOST = 8 };

// In place of the loop: the pin as the last body, its joint, and two balls.
static void add_pin(loop_run* r, const cJSON* loop) {
  redmax* from = &r->from;
  const int pin = from->scene.nbody++, slide = from->scene.njoint - 1, ball = slide + 1;
  const int B = red_whole(loop, "bodyB") - 1;
  const lb_mass part = {.mass = 1e-3 * from->body[r->A].mass.mass, .com = r->at};
  const lb_mass missing = {.mass = -part.mass, .com = r->at};
  from->body[r->A].mass = lb_mass_add(from->body[r->A].mass, missing);
  from->body[pin] = lb_scene_body_default();
  from->body[pin].name = "pin";
  from->body[pin].has_mass = from->body[pin].has_com = from->body[pin].has_inertia = true;
  from->body[pin].mass = (lb_mass){.mass = part.mass};
  from->joint[slide] = lb_scene_joint_default();
  from->joint[slide].name = "pin";
  from->joint[slide].kind = LB_JOINT_TRANSLATIONAL;
  from->joint[slide].child = pin;
  for (int side = 0; side < 2; side++) {
    lb_scene_joint* j = &from->joint[ball + side];
    *j = lb_scene_joint_default();
    j->name = side ? "ball at B" : "ball at A";
    j->kind = LB_JOINT_SPHERICAL;
    j->loop = true;
    j->parent = pin;
    j->child = side ? B : r->A;
    j->in_child.p = side ? red_vec3(red_get(loop, "xB")) : r->at;
  }
  from->scene.njoint += 2;
}

static void compile(const lb_scene* scene, lb_model** m, lb_data** d) {
  assert_int_equal(lb_model_create(scene, NULL, m, NULL), LB_OK);
  assert_int_equal(lb_data_create(*m, NULL, d, NULL), LB_OK);
  assert_at_most((*m)->nv, PIN_MOST);
  assert_true((*m)->nq == (*m)->nv);
}

static bool open_loop_run(loop_run* r, bool pinned) {
  static double time[] = {0}, rate[] = {4 * M_PI};
  *r = (loop_run){.pinned = pinned};
  redmax* from = &r->from;
  if (!red_read(from, LOOP_FILE)) {
    return false;
  }
  const cJSON* integrator = red_get(from->json, "integrator");
  const cJSON* loop = cJSON_GetArrayItem(red_get(red_get(from->json, "scene"), "constraints"), 0);
  r->A = red_whole(loop, "bodyA") - 1;
  r->at = red_vec3(red_get(loop, "xA"));
  r->h = red_number(integrator, "h");
  lb_scene bare = from->scene;
  bare.nconstraint = 0;
  bare.njoint--; // the loop
  compile(&bare, &r->tree, &r->shown);
  assert_true(from->constraint[0].velocity_level[0]);
  from->constraint[0].path[0].time = time;
  from->constraint[0].path[0].value = rate;
  from->scene.solver =
      (lb_scene_solver){.integrator = LB_INTEGRATOR_LINEAR_EULER,
                        .step = r->h,
                        .closing = 1 / red_at(red_get(integrator, "baumgarte"), 2)};
  if (pinned) {
    add_pin(r, loop);
  }
  compile(&from->scene, &r->m, &r->d);
  assert_int_equal(lb_stepper_create(r->m, NULL, NULL, &r->st, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(r->m, NULL, &r->D, NULL), LB_OK);
  return true;
}

static void close_loop_run(loop_run* r) {
  lb_derivatives_release(r->D);
  lb_stepper_release(r->st);
  lb_data_release(r->d);
  lb_model_release(r->m);
  lb_data_release(r->shown);
  lb_model_release(r->tree);
  red_release(&r->from);
}

// Where A's point is, J v and Jdot v of it.
static void find_point(loop_run* r, lb_vec3 point[3]) {
  const lb_model* m = r->m;
  const int nv = m->nv, link = m->body.link[r->A];
  static double J[6 * PIN_MOST * PIN_MOST], Jdot[6 * PIN_MOST * PIN_MOST];
  double V[6], B[6];
  lb_jacobians(r->D, r->d, J, Jdot, r->d->q, r->d->qd);
  for (int k = 0; k < 6; k++) {
    V[k] = lb_dot(nv, J + (6 * link + k) * nv, r->d->qd);
    B[k] = lb_dot(nv, Jdot + (6 * link + k) * nv, r->d->qd);
  }
  lb_poses(m, r->d);
  const lb_transform X = r->d->pose[r->A];
  const lb_quat R = lb_quat_mul(X.q, lb_quat_conjugate(m->body.in_link[r->A].q));
  const lb_vec3 x = lb_transform_point(m->body.in_link[r->A], r->at);
  const lb_vec3 w = {V[0], V[1], V[2]}, wd = {B[0], B[1], B[2]};
  const lb_vec3 v = lb_vec3_add((lb_vec3){V[3], V[4], V[5]}, lb_vec3_cross(w, x));
  const lb_vec3 a = lb_vec3_add(lb_vec3_add((lb_vec3){B[3], B[4], B[5]}, lb_vec3_cross(wd, x)),
                                lb_vec3_cross(w, v));
  point[0] = lb_transform_point(X, r->at);
  point[1] = lb_quat_rotate(R, v);
  point[2] = lb_quat_rotate(R, a);
}

static void place_pin(loop_run* r) {
  lb_vec3 p[3];
  find_point(r, p);
  const lb_vec3 v = lb_vec3_sub(p[1], lb_vec3_scale(r->h, p[2]));
  double *q = r->d->q + r->m->nq - 3, *qd = r->d->qd + r->m->nv - 3;
  memcpy(q, (double[]){p[0].x, p[0].y, p[0].z}, 3 * sizeof *q);
  memcpy(qd, (double[]){v.x, v.y, v.z}, 3 * sizeof *qd);
}

static void step_loop(loop_run* r) {
  if (r->pinned) {
    place_pin(r);
  }
  assert_int_equal(lb_stepper_step(r->st, r->d, r->h, NULL), LB_OK);
}

// Coordinates and rates against a row of two tables.
static double rows_off(const loop_run* r, const cJSON* q, const cJSON* qd, int f) {
  double worst = 0;
  for (int k = 0; k < r->tree->nv; k++) {
    worst = fmax(worst, red_apart(r->d->q[k], red_item(q, f, k), 1));
    worst = fmax(worst, red_apart(r->d->qd[k], red_item(qd, f, k), 1));
  }
  return worst;
}

// The bodies without the pin, for energies and poses.
static void show(loop_run* r) {
  memcpy(r->shown->q, r->d->q, (size_t)r->tree->nq * sizeof(double));
  memcpy(r->shown->qd, r->d->qd, (size_t)r->tree->nv * sizeof(double));
}

// All that the file tells of sample f, energies over the largest of them.
static double sample_off(loop_run* r, const cJSON* results, int f) {
  const double size = red_energy_size(results);
  double worst = rows_off(r, red_get(results, "q"), red_get(results, "qdot"), f);
  show(r);
  worst = fmax(worst, red_apart(lb_kinetic_energy(r->tree, r->shown),
                                red_item(red_get(results, "T"), f, 0), size));
  worst = fmax(worst, red_apart(lb_potential_energy(r->tree, r->shown),
                                red_item(red_get(results, "V"), f, 0), size));
  return fmax(worst, red_apart(r->d->time, red_item(red_get(results, "t"), f, 0), 1));
}

// Poses at the end, and what became of the energy.
static double end_off(loop_run* r, const cJSON* results, double V0) {
  show(r);
  return fmax(red_poses_apart(r->tree, r->shown, red_get(results, "E_wi_final")),
              red_balance_apart(results, lb_kinetic_energy(r->tree, r->shown),
                                lb_potential_energy(r->tree, r->shown), V0));
}

static double compare_loop(bool pinned) {
  static loop_run r;
  if (!open_loop_run(&r, pinned)) {
    skip();
  }
  const cJSON* results = red_get(r.from.json, "results");
  const cJSON *first = red_get(results, "first_steps_q"), *t = red_get(results, "t");
  const cJSON* rates = red_get(results, "first_steps_qdot");
  const double V0 = lb_potential_energy(r.tree, r.shown);
  double worst = 0;
  for (int f = 0, steps = 0; f < cJSON_GetArraySize(t); f++) {
    for (; steps < lround(red_at(t, f) / r.h); steps++) {
      if (steps < cJSON_GetArraySize(first)) {
        worst = fmax(worst, rows_off(&r, first, rates, steps));
      }
      step_loop(&r);
    }
    worst = fmax(worst, sample_off(&r, results, f));
  }
  worst = fmax(worst, end_off(&r, results, V0));
  red_assert_compared(results, (const char*[]){NULL});
  close_loop_run(&r);
  return worst;
}

static void a_loop_whose_directions_stay_steps_as_the_authors_does(void** state) {
  (void)state;
  const double worst = compare_loop(true);
  red_check_page(LOOP_FILE, worst, compare_loop(false));
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
  const double *q = d->q + 7 * body, *v = d->qd + 6 * body;
  double worst = red_pose_apart((lb_transform){{q[3], q[4], q[5], q[6]}, {q[0], q[1], q[2]}}, E);
  for (int k = 0; k < 6; k++) {
    worst = fmax(worst, red_apart(v[k], cJSON_GetArrayItem(phi, k), 1));
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
// of the first as the step begins: about x and z, then along x, y and z. Limber's constraints act
// on "one" with forces, which is the second body of the first joint and the first of the second.
static double multipliers_off(const lb_stepper* st, const lb_data* d, const double* before,
                              double h, const cJSON* given) {
  const double* lambda = lb_linear_euler_multipliers(st);
  const lb_quat one = {before[3], before[4], before[5], before[6]};
  lb_vec3 moment[2] = {{0, 0, 0}, {0, 0, 0}}, force[2] = {{0, 0, 0}, {0, 0, 0}};
  double worst = 0;
  for (int i = 0; i < lb_constraints_count(d); i++) {
    const lb_constraint_row r = *lb_constraints_row(d, i);
    lb_vec3* to = r.turns ? &moment[r.constraint] : &force[r.constraint];
    const lb_vec3 push = lb_vec3_scale((r.constraint == 0 ? h : -h) * lambda[i], lb_v4_vec3(r.e));
    *to = lb_vec3_add(*to, r.constraint == 0 ? push : lb_quat_rotate(lb_quat_conjugate(one), push));
  }
  for (int k = 0; k < 10; k++) {
    const lb_vec3 *n = &moment[k / 5], *f = &force[k / 5];
    const double ours[] = {n->x, n->z, f->x, f->y, f->z};
    worst = fmax(worst, red_apart(ours[k % 5], cJSON_GetArrayItem(given, k), 1));
  }
  return worst;
}

typedef struct pair {
  lb_scene scene;
  lb_scene_body body[2];
  lb_scene_joint joint[2];
} pair;

// Their constraints are about the point of B's body that is at A's joint: Limber's, with B before
// A.
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
    for (; steps < red_whole(frame, "step"); steps++) {
      double before[14];
      memcpy(before, d->q, sizeof before);
      assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
      if (steps + 1 == red_whole(frame, "step")) {
        worst = fmax(worst, multipliers_off(st, d, before, h, red_get(frame, "lambda")));
      }
      if (screws) {
        follow_screws(d, before, h);
      }
    }
    assert_true(red_value(red_get(frame, "step")) == steps);
    worst = fmax(worst, red_apart(d->time, red_get(frame, "t_after_step"), 1));
    worst = fmax(worst, body_off(d, 0, red_get(frame, "E1"), red_get(frame, "phi1")));
    worst = fmax(worst, body_off(d, 1, red_get(frame, "E2"), red_get(frame, "phi2")));
  }
  red_assert_compared(red_get(file, "results"), (const char*[]){NULL});
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
  red_check_page(NAME, run_pair(&p, file, true), run_pair(&p, file, false));
  cJSON_Delete(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_whose_directions_stay_steps_as_the_authors_does),
      cmocka_unit_test(two_hinges_in_maximal_coordinates_move_as_the_authors_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
