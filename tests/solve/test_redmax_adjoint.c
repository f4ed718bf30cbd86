// Objectives and gradients of the authors of [red]: a point of a double pendulum is to be somewhere
// at the end, by constant torques tau = pscale p at small cost,
//
//   P = wpos/2 |x - target|^2 + wreg/2 p'p
#include "design/optimize/optimization.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_point.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "redmax.h"
#include "solve/implicit/implicit.h"

enum { JOINTS = 2 };

typedef struct task {
  redmax from;
  lb_optimization* o;
  double pscale;
  lb_scene_motor motor[JOINTS];
  lb_scene_parameter parameter[JOINTS];
  lb_scene_goal goal[1 + JOINTS];
  double key[JOINTS][2];
} task;

static void open_task(task* t, const char* name, lb_integrator integrator) {
  if (!red_read(&t->from, name)) {
    skip();
  }
  assert_null(t->from.lacks);
  lb_scene* s = &t->from.scene;
  const cJSON* what = red_get(t->from.json, "task");
  const double end = red_number(what, "t");
  const lb_vec3 target = red_vec3(red_get(what, "xtarget"));
  t->pscale = red_number(what, "pscale");
  s->duration = end;
  s->solver.integrator = integrator;
  s->solver.step = s->record.every = red_number(red_get(t->from.json, "integrator"), "h");
  t->goal[0] = (lb_scene_goal){.name = "there",
                               .kind = LB_GOAL_POINT,
                               .index = red_whole(what, "body") - 1,
                               .at = red_vec3(red_get(what, "xlocal")),
                               .count = 3,
                               .counts = {true, true, true},
                               .value = {target.x, target.y, target.z},
                               .from = end,
                               .to = end,
                               .weight = red_number(what, "wpos") / 2};
  for (int i = 0; i < JOINTS; i++) {
    t->motor[i] = (lb_scene_motor){
        .name = i ? "second" : "first",
        .joint = i,
        .drive = LB_DRIVE_FORCE,
        .profile = {
            .kind = LB_PROFILE_LINEAR, .count = 1, .time = &t->key[i][0], .value = &t->key[i][1]}};
    t->parameter[i] = (lb_scene_parameter){.name = t->motor[i].name,
                                           .kind = LB_PARAMETER_MOTOR,
                                           .owner = LB_OWNER_MOTOR,
                                           .index = i,
                                           .least = -INFINITY,
                                           .most = INFINITY};
    t->goal[1 + i] =
        (lb_scene_goal){.name = t->motor[i].name,
                        .kind = LB_GOAL_MOTOR,
                        .index = i,
                        .count = 1,
                        .counts = {true},
                        .to = end,
                        .weight = red_number(what, "wreg") / 2 / (end * t->pscale * t->pscale)};
  }
  s->motor = t->motor;
  s->nmotor = JOINTS;
  s->optimize = (lb_scene_optimize){.nparameter = JOINTS,
                                    .parameter = t->parameter,
                                    .ngoal = 1 + JOINTS,
                                    .goal = t->goal,
                                    .tolerance = 1e-6,
                                    .iterations = 10};
  assert_int_equal(lb_scene_check(s, NULL), LB_OK);
  assert_int_equal(lb_optimization_create(s, NULL, &t->o, NULL), LB_OK);
}

static void close_task(task* t) {
  lb_optimization_release(t->o);
  red_release(&t->from);
}

static double evaluate(task* t, const cJSON* p, double gradient[JOINTS]) {
  double tau[JOINTS], P = NAN;
  for (int i = 0; i < JOINTS; i++) {
    tau[i] = t->pscale * red_at(p, i);
  }
  assert_int_equal(lb_optimization_evaluate(t->o, tau, &P, gradient, NULL), LB_OK);
  for (int i = 0; i < JOINTS; i++) {
    gradient[i] *= t->pscale;
  }
  return P;
}

// A run under torques of p.
typedef struct trial {
  task* t;
  lb_model* m;
  lb_data* d;
  lb_data* at; // where stages are differentiated
  lb_stepper* st;
  lb_step_derivative* S;
  int stages; // differentiated
  // changes of the last states by each number, the last one first
  double q[2][JOINTS][JOINTS], v[2][JOINTS][JOINTS];
} trial;

static void open_trial(trial* r, task* t, const double p[JOINTS]) {
  const lb_scene_solver solver = {.integrator = t->from.scene.solver.integrator,
                                  .tolerance = 1e-12};
  *r = (trial){.t = t};
  for (int i = 0; i < JOINTS; i++) {
    t->key[i][1] = t->pscale * p[i];
  }
  assert_int_equal(lb_model_create(&t->from.scene, NULL, &r->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(r->m, NULL, &r->d, NULL), LB_OK);
  assert_int_equal(lb_data_create(r->m, NULL, &r->at, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(r->m, &solver, NULL, &r->st, NULL), LB_OK);
  assert_int_equal(lb_step_derivative_create(r->m, NULL, &r->S, NULL), LB_OK);
  if (solver.integrator == LB_INTEGRATOR_BDF2) {
    ((lb_implicit*)r->st->own)->scheme = &lb_scheme_bdf2_after_sdirk2;
  }
}

static void close_trial(trial* r) {
  lb_step_derivative_release(r->S);
  lb_stepper_release(r->st);
  lb_data_release(r->at);
  lb_data_release(r->d);
  lb_model_release(r->m);
}

static void go_on(trial* r, int steps) {
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(r->st, r->d, r->t->from.scene.solver.step, NULL), LB_OK);
  }
}

static double end_off(const trial* r, const cJSON* q, const cJSON* qd) {
  double worst = 0;
  for (int k = 0; k < JOINTS; k++) {
    worst = fmax(worst, red_apart(r->d->q[k], cJSON_GetArrayItem(q, k), 1));
    worst = fmax(worst, qd ? red_apart(r->d->qd[k], cJSON_GetArrayItem(qd, k), 1) : 0);
  }
  return worst;
}

// The motion under these torques against the file's.
static double motion_off(task* t, const cJSON* result) {
  const cJSON* steps = red_get(result, "steps");
  double p[JOINTS], worst = 0;
  trial r;
  red_numbers(red_get(result, "p"), p);
  open_trial(&r, t, p);
  for (int f = 0, done = 0; f < cJSON_GetArraySize(steps); f++) {
    go_on(&r, (int)red_at(steps, f) - done);
    done = (int)red_at(steps, f);
    assert_true(red_value(cJSON_GetArrayItem(steps, f)) == done);
    worst = fmax(worst, end_off(&r, cJSON_GetArrayItem(red_get(result, "q"), f),
                                cJSON_GetArrayItem(red_get(result, "qdot"), f)));
  }
  worst = fmax(worst, end_off(&r, red_get(result, "q_end"), red_get(result, "qdot_end")));
  close_trial(&r);
  return worst;
}

static double motions_off(task* t) {
  const cJSON* result;
  double worst = 0;
  cJSON_ArrayForEach(result, red_get(t->from.json, "results")) {
    worst = fmax(worst, motion_off(t, result));
  }
  return worst;
}

// How far two gradients are apart, over the larger number of the second.
static double gradient_off(const double g[JOINTS], const cJSON* given) {
  const double size = fmax(fabs(red_at(given, 0)), fabs(red_at(given, 1)));
  double worst = 0;
  for (int i = 0; i < JOINTS; i++) {
    worst = fmax(worst, red_apart(g[i], cJSON_GetArrayItem(given, i), size));
  }
  return worst;
}

// The worst difference of objectives and gradients.
static double compare(task* t, const cJSON* results, const char* key) {
  const cJSON* result;
  double worst = 0;
  cJSON_ArrayForEach(result, results) {
    double g[JOINTS];
    const double P = evaluate(t, red_get(result, "p"), g);
    worst = fmax(worst, red_apart(P, red_get(result, "P"), 1));
    worst = fmax(worst, gradient_off(g, red_get(result, key)));
  }
  return worst;
}

// |a - b| / |b| of two lists of a result, which is how the authors give errors.
static double apart_in_file(const cJSON* result, const char* a, const char* b) {
  double off[JOINTS], size[JOINTS];
  for (int i = 0; i < JOINTS; i++) {
    size[i] = red_at(red_get(result, b), i);
    off[i] = red_at(red_get(result, a), i) - size[i];
  }
  return hypot(off[0], off[1]) / hypot(size[0], size[1]);
}

// The authors' own differences are forward ones, by which they find their gradient off: what they
// tell of that is told by their numbers, too.
static void check_their_differences(task* t, const cJSON* results) {
  const cJSON* result;
  cJSON_ArrayForEach(result, results) {
    double g[JOINTS];
    evaluate(t, red_get(result, "p"), g);
    assert_below(gradient_off(g, red_get(result, "dPdp_fd_code")), 1e-5);
    red_assert_says(result, "fd_rel_error_code_printError",
                    apart_in_file(result, "dPdp_adjoint_code", "dPdp_fd_code"));
    red_assert_says(result, "rel_error_vs_central4",
                    apart_in_file(result, "dPdp_adjoint_code", "dPdp_fd_central4"));
  }
}

// All that results and optimum tell was compared, but for the numbers that were put in (p) and how
// a search says that it ended (info).
static void check_all_compared(const cJSON* file) {
  static const char* const BUT[] = {"p", "info", NULL};
  red_assert_compared(red_get(file, "results"), BUT);
  if (red_get(file, "optimum")) {
    red_assert_compared(red_get(file, "optimum"), BUT);
  }
}

// The objective and the end of the motion where the authors' search ended, and the gradient there.
static double optimum_off(task* t, double gradient[JOINTS]) {
  const cJSON* optimum = red_get(t->from.json, "optimum");
  double p[JOINTS];
  trial r;
  red_numbers(red_get(optimum, "p"), p);
  const double P = evaluate(t, red_get(optimum, "p"), gradient);
  open_trial(&r, t, p);
  go_on(&r, red_whole(red_get(t->from.json, "integrator"), "nsteps"));
  const double end = end_off(&r, red_get(optimum, "q_end"), NULL);
  close_trial(&r);
  return fmax(end, red_apart(P, red_get(optimum, "P"), 1));
}

static void bdf1_has_the_objective_and_gradient_of_the_authors(void** state) {
  (void)state;
  static task t;
  open_task(&t, "diff_adjoint_bdf1.json", LB_INTEGRATOR_BDF1);
  const cJSON* results = red_get(t.from.json, "results");
  double g[JOINTS], worst = compare(&t, results, "dPdp_adjoint_code");
  worst = fmax(worst, compare(&t, results, "dPdp_fd_central4"));
  worst = fmax(worst, fmax(motions_off(&t), optimum_off(&t, g)));
  red_check_page("diff_adjoint_bdf1.json", worst, NAN);
  // and nothing is left to gain where they end
  assert_near(hypot(g[0], g[1]), red_value(red_get(red_get(t.from.json, "optimum"), "grad_norm")),
              1e-6);
  check_their_differences(&t, results);
  check_all_compared(t.from.json);
  close_task(&t);
}

// The target can be reached with the elbow on either side; from this one the search ends at the
// authors' optimum.
static void the_search_ends_where_the_authors_does(void** state) {
  (void)state;
  static task t;
  open_task(&t, "diff_adjoint_bdf1.json", LB_INTEGRATOR_BDF1);
  const cJSON* optimum = red_get(t.from.json, "optimum");
  double tau[JOINTS] = {-0.3 * t.pscale, -0.5 * t.pscale}, P = NAN;
  t.from.scene.optimize.tolerance = 1e-12;
  t.from.scene.optimize.iterations = 200;
  for (int i = 0; i < JOINTS; i++) {
    t.o->scale[i] = t.pscale;
  }
  assert_int_equal(lb_optimize_run(t.o, &(lb_optimize_options){0}, tau, &P, NULL), LB_OK);
  assert_near(P, red_number(optimum, "P"), 1e-8);
  for (int i = 0; i < JOINTS; i++) {
    assert_near(tau[i] / t.pscale, red_at(red_get(optimum, "p"), i), 1e-5);
  }
  close_task(&t);
}

// --- the authors' gradient of BDF2 ---
//
// It takes the first step, the second stage of SDIRK2, for one of BDF2 by itself: the first stage
// is left out, as if it did not depend on the torques, and what these do to the second is counted
// with (4/9) h^2 where it is (a h)^2, a = (2 - sqrt 2)/2. From there on steps are differentiated as
// they are.

static void differentiate_as_the_authors_do(void* context, const lb_data* d,
                                            const lb_step_past* past) {
  trial* r = context;
  if (r->stages++ == 0) {
    assert_true(past->inner);
    return;
  }
  const bool first = r->stages == 2;
  const double a = 1 - sqrt(0.5), scale = r->t->pscale * (first ? 4 / (9 * a * a) : 1);
  memcpy(r->at->q, d->q, sizeof r->q[0][0]);
  memcpy(r->at->qd, d->qd, sizeof r->v[0][0]);
  r->at->time = d->time;
  assert_true(lb_step_differentiate(r->S, r->at, past));
  for (int i = 0; i < JOINTS; i++) {
    double q[JOINTS], v[JOINTS], acceleration[JOINTS], motor[3 * JOINTS] = {0};
    motor[3 * i] = scale;
    // the changes of the start and of the first stage, which are none, come before the first step's
    const lb_step_causes in = {
        .q = {r->q[0][i], r->q[1][i]}, .v = {r->v[0][i], r->v[1][i]}, .motor = motor};
    lb_step_effects out = {.q = q, .v = v, .a = acceleration, .lambda = NULL};
    lb_step_forward(r->S, &out, &in, NULL);
    memcpy(r->q[1][i], r->q[0][i], sizeof q);
    memcpy(r->v[1][i], r->v[0][i], sizeof v);
    memcpy(r->q[0][i], q, sizeof q);
    memcpy(r->v[0][i], v, sizeof v);
  }
}

static void find_their_gradient(task* t, const double p[JOINTS], double gradient[JOINTS]) {
  const cJSON* what = red_get(t->from.json, "task");
  const lb_vec3 target = red_vec3(red_get(what, "xtarget"));
  trial r;
  lb_motion move[JOINTS];
  open_trial(&r, t, p);
  lb_stepper_watch(r.st, differentiate_as_the_authors_do, &r);
  go_on(&r, red_whole(red_get(t->from.json, "integrator"), "nsteps"));
  const lb_anchor at =
      lb_model_anchor(r.m, t->goal[0].index, -1, (lb_transform){lb_quat_identity(), t->goal[0].at});
  const lb_force_point point = lb_force_point_find(r.at->work, &at);
  const lb_v4 off = point.at - lb_v4_from(target);
  lb_derive_point(lb_step_dynamics(r.S), move, NULL, point.index, point.arm);
  for (int i = 0; i < JOINTS; i++) {
    gradient[i] = red_number(what, "wreg") * p[i];
    for (int k = 0; k < JOINTS; k++) {
      gradient[i] += red_number(what, "wpos") * lb_v4_dot(move[k].v, off) * r.q[0][i][k];
    }
  }
  close_trial(&r);
}

static double their_gradient_off(task* t, const cJSON* results, const char* key) {
  const cJSON* result;
  double worst = 0;
  cJSON_ArrayForEach(result, results) {
    double p[JOINTS], g[JOINTS];
    red_numbers(red_get(result, "p"), p);
    find_their_gradient(t, p, g);
    worst = fmax(worst, gradient_off(g, red_get(result, key)));
  }
  return worst;
}

// Where their gradient vanishes, by Newton's method with differences, from nearby.
static void search_by_their_gradient(task* t, double p[JOINTS]) {
  for (int i = 0; i < 20; i++) {
    double g[JOINTS], H[JOINTS * JOINTS];
    int pivot[JOINTS];
    find_their_gradient(t, p, g);
    for (int k = 0; k < JOINTS; k++) {
      double beside[JOINTS] = {p[0], p[1]};
      beside[k] += 1e-6;
      find_their_gradient(t, beside, H + k * JOINTS);
      for (int j = 0; j < JOINTS; j++) {
        H[k * JOINTS + j] = (H[k * JOINTS + j] - g[j]) / 1e-6;
      }
    }
    assert_int_equal(lb_lu(JOINTS, H, JOINTS, pivot), LB_OK);
    lb_lu_solve(JOINTS, H, JOINTS, pivot, 1, g, JOINTS);
    lb_add(JOINTS, p, -1, g);
  }
}

// What their search came to: objective, end and how much of the gradient was left; and another
// search by the same gradient ends there.
static double their_optimum_off(task* t) {
  const cJSON* optimum = red_get(t->from.json, "optimum");
  double p[JOINTS], g[JOINTS], found[JOINTS];
  double worst = optimum_off(t, g);
  print_message("the exact gradient there is (%.2g, %.2g)", g[0], g[1]);
  red_numbers(red_get(optimum, "p"), p);
  find_their_gradient(t, p, g);
  print_message(", theirs %.3g (by them: %.3g)\n", hypot(g[0], g[1]),
                red_number(optimum, "grad_norm"));
  // which is a difference of numbers of this size
  static const double SIZE = 1e4;
  worst = fmax(worst, red_apart(hypot(g[0], g[1]), red_get(optimum, "grad_norm"), SIZE));
  found[0] = p[0] + 0.01;
  found[1] = p[1] - 0.01;
  search_by_their_gradient(t, found);
  print_message("their gradient vanishes (%.2g, %.2g) from there\n", found[0] - p[0],
                found[1] - p[1]);
  return fmax(worst, fmax(fabs(found[0] - p[0]), fabs(found[1] - p[1])));
}

// The file of exact gradients says how far it and the authors' code are from differences.
static void check_exact_says(const cJSON* results) {
  const cJSON* result;
  cJSON_ArrayForEach(result, results) {
    red_assert_says(result, "rel_err_exact_vs_fd4",
                    apart_in_file(result, "dPdp_exact", "dPdp_fd4"));
    red_assert_says(result, "rel_err_code_vs_fd4", apart_in_file(result, "dPdp_code", "dPdp_fd4"));
  }
}

// Theirs, inexact as it is, and where their search ended by it; what is exact stands in a file of
// its own. Left to itself, Limber's is the exact one.
static void bdf2_after_sdirk2_has_the_objective_and_both_gradients(void** state) {
  (void)state;
  static task t;
  open_task(&t, "diff_adjoint_bdf2.json", LB_INTEGRATOR_BDF2);
  cJSON* exact = red_open("diff_adjoint_bdf2_exact.json");
  assert_non_null(exact);
  t.o->work->begins_as_sdirk2 = true;
  const cJSON *results = red_get(t.from.json, "results"), *also = red_get(exact, "results");
  double worst = fmax(compare(&t, also, "dPdp_exact"), compare(&t, also, "dPdp_fd4"));
  worst = fmax(worst, their_gradient_off(&t, also, "dPdp_code"));
  red_check_page("diff_adjoint_bdf2_exact.json", worst, NAN);
  check_exact_says(also);
  worst = fmax(compare(&t, results, "dPdp_fd_central4"), motions_off(&t));
  const double gradient = their_gradient_off(&t, results, "dPdp_adjoint_code"),
               optimum = their_optimum_off(&t);
  print_message("their gradient off by %.2g, their optimum by %.2g\n", gradient, optimum);
  red_check_page("diff_adjoint_bdf2.json", fmax(worst, fmax(gradient, optimum)),
                 compare(&t, results, "dPdp_adjoint_code"));
  check_their_differences(&t, results);
  check_all_compared(t.from.json);
  check_all_compared(exact);
  cJSON_Delete(exact);
  close_task(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bdf1_has_the_objective_and_gradient_of_the_authors),
      cmocka_unit_test(the_search_ends_where_the_authors_does),
      cmocka_unit_test(bdf2_after_sdirk2_has_the_objective_and_both_gradients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
