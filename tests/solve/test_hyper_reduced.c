// Couplings of fixed ratio are hyper-reduced coordinates, [red] eq. 4.84 to 4.86: with q = P u + c
// all that steps need is P'M P, P'f and P'W P, made here as dense matrices from a P written by
// hand.
#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "limber/limber.h"
#include "math/linear/dense.h"
#include "solve/implicit/implicit.h"
#include "solve/step/stepper.h"
#include "test.h"

enum { NV = 9, NU = 6, NC = 3 };

// A branching tree: hinges of several axes, a slide, a cross, with springs that join branches.
static const char tree[] =
    "duration: 1 s\n"
    "solver: {integrator: %s, step: 2 ms}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.3, 0.05, 0.04], position: [0.15, 0, 0]}}\n"
    "  b: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0.01, 0]}}\n"
    "  c: {shape: {box: [0.2, 0.03, 0.04], position: [0.1, 0, 0.01]}}\n"
    "  d: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  e: {shape: {box: [0.2, 0.03, 0.04], position: [0.1, 0, 0]}}\n"
    "  f: {shape: {box: [0.3, 0.03, 0.04], position: [0.1, 0, 0]}}\n"
    "  g: {shape: {box: [0.2, 0.1, 0.04], position: [0.1, 0, 0]}}\n"
    "  h: {shape: {box: [0.2, 0.03, 0.1], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  ja: {type: revolute, child: a, axis: y, damping: 0.02, spring: {stiffness: 1}}\n"
    "  jb: {type: revolute, parent: a, child: b, at: [0.3, 0, 0], axis: [0, 1, 0.3]}\n"
    "  jc: {type: revolute, parent: b, child: c, at: [0.2, 0, 0], axis: y, armature: 1e-3}\n"
    "  jd: {type: prismatic, parent: a, child: d, at: [0.1, 0.2, 0], axis: x, damping: 1}\n"
    "  je: {type: universal, parent: d, child: e, axis: y, second_axis: z}\n"
    "  jf: {type: revolute, child: f, at: [0, 1, 0], axis: [0.2, 1, 0]}\n"
    "  jg: {type: revolute, parent: f, child: g, at: [0.3, 0, 0], axis: z}\n"
    "  jh: {type: revolute, parent: g, child: h, at: [0.2, 0, 0], axis: y}\n"
    "springs:\n"
    "  s: {from: {body: c, at: [0.2, 0, 0]}, to: {body: h, at: [0.1, 0.1, 0]}, stiffness: 40,\n"
    "      damping: 0.5, length: 0.4}\n"
    "  t: {from: {body: e, at: [0.2, 0, 0]}, to: {at: [0, 0.5, 1]}, stiffness: 60, length: 0.2}\n"
    "constraints:\n"
    "  tendon: {couple: [{joint: jc}, {joint: jb, times: -0.6666666666666666}], equals: 0}\n"
    "  rack: {couple: [{joint: jd}, {joint: ja, times: -0.05}, {joint: jf, times: 0.03}],\n"
    "         equals: 0.02}\n"
    "  gear: {couple: [{joint: jh, times: 2}, {joint: jg, times: 3}], equals: 0.4}\n";

// Coordinates in the order of the joints: ja jb jc jd je0 je1 jf jg jh. Those of tendon, rack and
// gear that follow are jc, jd and jh.
static const double P[NV][NU] = {
    {1, 0, 0, 0, 0, 0},        {0, 1, 0, 0, 0, 0}, {0, 0.6666666666666666, 0, 0, 0, 0},
    {0.05, 0, 0, 0, -0.03, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0},
    {0, 0, 0, 0, 1, 0},        {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, -1.5}};
static const double CONSTANT[NV] = {0, 0, 0, 0.02, 0, 0, 0, 0, 0.2};
static const double ROW[NC][NV] = {{0, -0.6666666666666666, 1, 0, 0, 0, 0, 0, 0},
                                   {-0.05, 0, 0, 1, 0, 0, 0.03, 0, 0},
                                   {0, 0, 0, 0, 0, 0, 0, 3, 2}};

typedef struct world {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  lb_derivatives* D;
  int v[NV]; // the model's coordinate of each
} world;

static void spread(double* x, const double* u, bool place) {
  for (int i = 0; i < NV; i++) {
    x[i] = place ? CONSTANT[i] : 0;
    for (int k = 0; k < NU; k++) {
      x[i] += P[i][k] * u[k];
    }
  }
}

// A state that the couplings allow, to the last bit of what is here.
static void put_state(world* w) {
  static const double u[NU] = {0.3, -0.5, 0.2, 0.4, -0.2, 0.6}, ud[NU] = {1, 2, -1, 0.5, 1.5, -2};
  double q[NV], v[NV];
  spread(q, u, true);
  spread(v, ud, false);
  for (int i = 0; i < NV; i++) {
    w->d->q[w->v[i]] = q[i];
    w->d->qd[w->v[i]] = v[i];
  }
}

static world open_world(const char* integrator) {
  static const char* const name[] = {"ja", "jb", "jc", "jd", "je", "je", "jf", "jg", "jh"};
  char text[sizeof tree + 32];
  lb_scene scene;
  world w = {0};
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, tree, integrator);
  assert_int_equal(lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &w.m, &err), LB_OK);
  lb_scene_release(&scene);
  assert_int_equal(lb_data_create(w.m, NULL, &w.d, &err), LB_OK);
  assert_int_equal(lb_stepper_create(w.m, NULL, NULL, &w.st, &err), LB_OK);
  assert_int_equal(lb_derivatives_create(w.m, NULL, &w.D, &err), LB_OK);
  assert_int_equal(w.m->nv, NV);
  for (int i = 0; i < NV; i++) {
    w.v[i] = w.m->joint.v[lb_model_joint(w.m, name[i])] + (i == 5);
  }
  put_state(&w);
  return w;
}

static void close_world(world* w) {
  lb_derivatives_release(w->D);
  lb_stepper_release(w->st);
  lb_data_release(w->d);
  lb_model_release(w->m);
}

// --- P'A P and P'b, of what the model has in its own order ---

static void project_matrix(const world* w, double* to, const double* A) {
  for (int a = 0; a < NU; a++) {
    for (int b = 0; b < NU; b++) {
      double sum = 0;
      for (int i = 0; i < NV; i++) {
        for (int k = 0; k < NV; k++) {
          sum += P[i][a] * A[w->v[i] * NV + w->v[k]] * P[k][b];
        }
      }
      to[a + b * NU] = sum; // by columns, for lb_lu
    }
  }
}

static void project(const world* w, double* to, const double* b) {
  for (int a = 0; a < NU; a++) {
    to[a] = 0;
    for (int i = 0; i < NV; i++) {
      to[a] += P[i][a] * b[w->v[i]];
    }
  }
}

// x = P (P'A P)^-1 P'b, in the model's order.
static void solve_hyper(const world* w, double* x, const double* A, const double* b) {
  double H[NU * NU], u[NU], all[NV];
  int order[NU];
  project_matrix(w, H, A);
  project(w, u, b);
  assert_int_equal(lb_lu(NU, H, NU, order), LB_OK);
  lb_lu_solve(NU, H, NU, order, 1, u, NU);
  spread(all, u, false);
  for (int i = 0; i < NV; i++) {
    x[w->v[i]] = all[i];
  }
}

static void compare(const char* what, const double* x, const double* y, double tolerance) {
  double size = 0, off = 0;
  for (int i = 0; i < NV; i++) {
    size = fmax(size, fabs(y[i]));
    off = fmax(off, fabs(x[i] - y[i]));
  }
  if (!(off <= tolerance * size)) {
    print_error("%s: off by %.3g of %.3g\n", what, off, size);
    fail();
  }
}

static void check_couplings(const world* w, double tolerance) {
  for (int c = 0; c < NC; c++) {
    double gap = -(double[]){0, 0.02, 0.4}[c], rate = 0;
    for (int i = 0; i < NV; i++) {
      gap += ROW[c][i] * w->d->q[w->v[i]];
      rate += ROW[c][i] * w->d->qd[w->v[i]];
    }
    assert_near(gap, 0, tolerance);
    assert_near(rate, 0, tolerance);
  }
}

// --- what must agree ---

// M qdd + c - f, with f the forces of springs and dampers.
static void find_needed(world* w, double* r) {
  lb_kinematics(w->m, w->d, w->d->q, w->d->qd);
  lb_forces_apply(w->m, w->d);
  lb_rnea_moved(w->m, w->d, r, w->d->qdd);
  lb_add(NV, r, -1, w->d->work->tau);
}

static void accelerations_are_those_of_the_projected_masses(void** state) {
  (void)state;
  world w = open_world("rk4");
  double M[NV * NV], qdd[NV], r[NV], expected[NV];
  lb_forward(w.m, w.d);
  memcpy(qdd, w.d->qdd, sizeof qdd);
  lb_crba(w.m, w.d, M, w.d->q);
  memset(w.d->qdd, 0, sizeof qdd);
  find_needed(&w, r);
  for (int i = 0; i < NV; i++) {
    r[i] = -r[i];
  }
  solve_hyper(&w, expected, M, r);
  compare("qdd", qdd, expected, 1e-12);
  // the couplings' forces are what is left on coordinates, factor times multiplier on each
  memcpy(w.d->qdd, qdd, sizeof qdd);
  double force[NC], left[NV] = {0};
  memcpy(force, w.d->coupling_force, sizeof force);
  find_needed(&w, r);
  for (int c = 0; c < NC; c++) {
    for (int i = 0; i < NV; i++) {
      left[w.v[i]] += ROW[c][i] * force[c];
    }
  }
  compare("forces", r, left, 1e-11);
  close_world(&w);
}

// (P'W P) du = P'b with W and b of [red] eq. 4.82: linear_euler.c.
static void steps_of_linearly_implicit_euler_are_those_of_the_projected_system(void** state) {
  (void)state;
  const double h = 2e-3;
  world w = open_world("linear-euler");
  lb_error err = lb_error_make(NULL);
  for (int step = 0; step < 20; step++) {
    double W[NV * NV], b[NV], dv[NV], q[NV], v[NV];
    memset(w.d->qdd, 0, sizeof dv);
    lb_kinematics(w.m, w.d, w.d->q, w.d->qd);
    lb_forces_apply(w.m, w.d);
    lb_derive(w.D, w.d, w.d->q, w.d->qd, w.d->qdd, true);
    lb_forces_stiffen(w.D, w.d);
    for (int i = 0; i < NV; i++) {
      b[i] = w.d->work->tau[i] - w.D->tau[i];
      for (int k = 0; k < NV; k++) {
        const double K = (w.D->tau_q[i * NV + k] + w.D->tau_q[k * NV + i]) / 2;
        W[i * NV + k] = w.D->M[i * NV + k] / h + w.D->tau_qd[i * NV + k] + h * K;
        b[i] -= h * K * w.d->qd[k];
      }
    }
    solve_hyper(&w, dv, W, b);
    for (int i = 0; i < NV; i++) {
      v[i] = w.d->qd[i] + dv[i];
      q[i] = w.d->q[i] + h * v[i];
    }
    assert_int_equal(lb_stepper_step(w.st, w.d, h, &err), LB_OK);
    compare("velocities", w.d->qd, v, 1e-12);
    compare("places", w.d->q, q, 1e-13);
    check_couplings(&w, 1e-12);
  }
  close_world(&w);
}

// Newton's method for P'r = 0 with v = P u' and the exact P'W P.
static void solve_stage(world* w, double dt, const double* qh, const double* vh) {
  for (int n = 0; n < 20; n++) {
    double W[NV * NV], r[NV], dv[NV];
    for (int i = 0; i < NV; i++) {
      w->d->q[i] = qh[i] + dt * w->d->qd[i];
      w->d->qdd[i] = (w->d->qd[i] - vh[i]) / dt;
    }
    find_needed(w, r);
    lb_derive(w->D, w->d, w->d->q, w->d->qd, w->d->qdd, true);
    lb_forces_differentiate(w->D, w->d);
    for (int i = 0; i < NV * NV; i++) {
      W[i] = w->D->M[i] / dt + w->D->tau_qd[i] + dt * w->D->tau_q[i];
    }
    solve_hyper(w, dv, W, r);
    lb_add(NV, w->d->qd, -1, dv);
  }
  for (int i = 0; i < NV; i++) {
    w->d->q[i] = qh[i] + dt * w->d->qd[i];
  }
}

static void steps_of_bdf1_and_bdf2_are_those_of_the_projected_system(void** state) {
  (void)state;
  const double h = 2e-3;
  static const char* const name[] = {"bdf1", "bdf2"};
  for (int order = 1; order <= 2; order++) {
    world w = open_world(name[order - 1]), hyper = open_world("bdf1");
    lb_error err = lb_error_make(NULL);
    double q[2][NV], v[2][NV];
    ((lb_implicit*)w.st->own)->newton.tolerance = 1e-14;
    for (int step = 0; step < 20; step++) {
      const bool first = step == 0 || order == 1;
      const double *q1 = q[step % 2], *v1 = v[step % 2], *q2 = q[1 - step % 2],
                   *v2 = v[1 - step % 2];
      double qh[NV], vh[NV];
      memcpy(q[step % 2], hyper.d->q, sizeof qh);
      memcpy(v[step % 2], hyper.d->qd, sizeof vh);
      for (int i = 0; i < NV; i++) {
        qh[i] = first ? q1[i] : (4 * q1[i] - q2[i]) / 3;
        vh[i] = first ? v1[i] : (4 * v1[i] - v2[i]) / 3;
      }
      solve_stage(&hyper, first ? h : 2 * h / 3, qh, vh);
      assert_int_equal(lb_stepper_step(w.st, w.d, h, &err), LB_OK);
      compare("velocities", w.d->qd, hyper.d->qd, 1e-10);
      compare("places", w.d->q, hyper.d->q, 1e-12);
      check_couplings(&w, 1e-12);
    }
    close_world(&hyper);
    close_world(&w);
  }
}

// What a step does with changes that the couplings allow: dv = -P (P'W P)^-1 P'(K dq + M da).
static void derivatives_of_steps_are_those_of_the_projected_system(void** state) {
  (void)state;
  const double h = 2e-3;
  world w = open_world("bdf1");
  lb_error err = lb_error_make(NULL);
  lb_step_derivative* S = NULL;
  double q0[NV], v0[NV], lambda[NC], r[NV], W[NV * NV], b[NV], expected[NV];
  memcpy(q0, w.d->q, sizeof q0);
  memcpy(v0, w.d->qd, sizeof v0);
  solve_stage(&w, h, q0, v0);
  lb_step_past past = {.dt = h, .count = 1, .weight = {1}, .q = {q0}, .v = {v0}, .lambda = lambda};
  lb_step_balance(w.d, &past, r, lambda);
  assert_int_equal(lb_step_derivative_create(w.m, NULL, &S, &err), LB_OK);
  assert_true(lb_step_differentiate(S, w.d, &past));
  static const double du[NU] = {1, -2, 0.5, 0.3, 2, 1}, dud[NU] = {-1, 1, 2, 0.4, 1, -0.5};
  double dq[NV], dv[NV], in_q[NV], in_v[NV], out_q[NV], out_v[NV], out_a[NV];
  spread(dq, du, false);
  spread(dv, dud, false);
  for (int i = 0; i < NV; i++) {
    in_q[w.v[i]] = dq[i];
    in_v[w.v[i]] = dv[i];
  }
  lb_step_forward(S, &(lb_step_effects){.q = out_q, .v = out_v, .a = out_a, .lambda = NULL},
                  &(lb_step_causes){.q = {in_q}, .v = {in_v}, .motor = NULL}, NULL);
  const lb_derivatives* D = lb_step_dynamics(S);
  for (int i = 0; i < NV; i++) {
    b[i] = -lb_dot(NV, D->tau_q + i * NV, in_q) + lb_dot(NV, D->M + i * NV, in_v) / h;
    for (int k = 0; k < NV; k++) {
      W[i * NV + k] = D->M[i * NV + k] / h + D->tau_qd[i * NV + k] + h * D->tau_q[i * NV + k];
    }
  }
  solve_hyper(&w, expected, W, b);
  compare("derivatives", out_v, expected, 1e-12);
  lb_step_derivative_release(S);
  close_world(&w);
}

// --- which couplings, and how many unknowns ---

typedef struct small {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} small;

static small open_small(const char* text) {
  lb_scene scene;
  small w = {0};
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
  assert_int_equal(lb_model_create(&scene, NULL, &w.m, &err), LB_OK);
  lb_scene_release(&scene);
  assert_int_equal(lb_data_create(w.m, NULL, &w.d, &err), LB_OK);
  assert_int_equal(lb_stepper_create(w.m, NULL, NULL, &w.st, &err), LB_OK);
  assert_int_equal(lb_assemble(w.m, w.d, &err), LB_OK);
  return w;
}

static void close_small(small* w) {
  lb_stepper_release(w->st);
  lb_data_release(w->d);
  lb_model_release(w->m);
}

#define FINGERS                                                                                    \
  "solver: {integrator: %s, step: 1 ms}\n"                                                         \
  "bodies:\n"                                                                                      \
  "  a: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0]}}\n"                                \
  "  b: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0]}}\n"                                \
  "  c: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0]}}\n"                                \
  "  d: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0]}}\n"                                \
  "  e: {shape: {box: [0.2, 0.05, 0.04], position: [0.1, 0, 0]}}\n"                                \
  "joints:\n"                                                                                      \
  "  ja: {type: revolute, child: a, axis: y}\n"                                                    \
  "  jb: {type: revolute, parent: a, child: b, at: [0.2, 0, 0], axis: y}\n"                        \
  "  jc: {type: revolute, parent: b, child: c, at: [0.2, 0, 0], axis: y}\n"                        \
  "  jd: {type: revolute, parent: c, child: d, at: [0.2, 0, 0], axis: y}\n"                        \
  "  je: {type: revolute, parent: d, child: e, at: [0.2, 0, 0], axis: y}\n"                        \
  "initial: {ja: {position: 0.2}}\n"

// Each says something of the one before; the fourth repeats what the others say.
static void
couplings_of_couplings_leave_fewer_coordinates_and_redundant_ones_nothing(void** state) {
  (void)state;
  static const char* const integrator[] = {"rk4", "linear-euler", "bdf2"};
  for (int i = 0; i < 3; i++) {
    char text[4000];
    snprintf(text, sizeof text,
             FINGERS "constraints:\n"
                     "  one: {couple: [{joint: jb}, {joint: ja, times: -1}], equals: 0.1}\n"
                     "  two: {couple: [{joint: jc}, {joint: jb, times: -2}], equals: 0}\n"
                     "  three: {couple: [{joint: jd}, {joint: jc, times: -1}, {joint: jb}],\n"
                     "          equals: 0}\n"
                     "  again: {couple: [{joint: jd, times: 0.3}, {joint: ja, times: -0.3}],\n"
                     "          equals: 0.03}\n",
             integrator[i]);
    small w = open_small(text);
    assert_int_equal(lb_elimination_left(w.m), 2);
    assert_int_equal(w.m->constraint.elimination.count, 3);
    for (int k = 0; k < w.m->constraint.ncoupling; k++) {
      assert_true(w.m->constraint.coupling[k].eliminated);
    }
    for (int k = 0; k < 200; k++) {
      assert_int_equal(lb_stepper_step(w.st, w.d, 1e-3, NULL), LB_OK);
    }
    const double* q = w.d->q;
    assert_near(q[1] - q[0], 0.1, 1e-14);
    assert_near(q[2] - 2 * q[1], 0, 1e-14);
    assert_near(q[3] - q[2] + q[1], 0, 1e-14);
    assert_near(q[3] - q[0], 0.1, 1e-12);
    assert_above(fabs(q[0] - 0.2), 1e-2);
    close_small(&w);
  }
}

static void couplings_that_change_with_time_or_are_driven_stay_constraints(void** state) {
  (void)state;
  char text[4000];
  snprintf(text, sizeof text,
           FINGERS "motors: {m: {joint: je, keys: [[0, 0], [1, 0.1]]}}\n"
                   "constraints:\n"
                   "  fixed: {couple: [{joint: jb}, {joint: ja, times: -1}], equals: 0}\n"
                   "  path: {couple: [{joint: jc}, {joint: ja, times: -1}],\n"
                   "         path: {keys: [[0, 0], [1, 0.2]]}}\n"
                   "  driven: {couple: [{joint: jd}, {joint: je, times: -1}], equals: 0}\n",
           "bdf2");
  small w = open_small(text);
  assert_int_equal(w.m->constraint.ncoupling, 3);
  assert_int_equal(lb_elimination_left(w.m), 4);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(w.m->constraint.coupling[i].eliminated, i == 0);
  }
  for (int k = 0; k < 200; k++) {
    assert_int_equal(lb_stepper_step(w.st, w.d, 1e-3, NULL), LB_OK);
  }
  assert_near(w.d->q[1], w.d->q[0], 1e-15);
  assert_near(lb_constraint_gap(w.m, w.d, NULL), 0, 1e-9);
  close_small(&w);
}

static void beside_unilateral_constraints_couplings_stay_constraints(void** state) {
  (void)state;
  char text[4000];
  snprintf(text, sizeof text,
           FINGERS "constraints:\n"
                   "  fixed: {couple: [{joint: jb}, {joint: ja, times: -1}], equals: 0.1}\n"
                   "  limit: {couple: [{joint: jc}], at_most: 0.3}\n",
           "bdf2");
  small w = open_small(text);
  assert_int_equal(w.m->constraint.elimination.count, 0);
  assert_int_equal(lb_elimination_left(w.m), 5);
  for (int k = 0; k < 200; k++) {
    assert_int_equal(lb_stepper_step(w.st, w.d, 1e-3, NULL), LB_OK);
  }
  assert_near(w.d->q[1] - w.d->q[0], 0.1, 1e-9);
  assert_below(w.d->q[2], 0.3 + 1e-6);
  close_small(&w);
}

// A hundred hinges that turn alike are one. Of n bars of length L, each with the angle k t from the
// horizontal, k from 1, the centre of bar k is at
//   x = L (sum_{j<k} cos jt + cos(kt) / 2),  z = -L (sum_{j<k} sin jt + sin(kt) / 2)
// and M t'' + m sum (x_t x_tt + z_t z_tt) t'^2 = -m g sum z_t, M = m sum (x_t^2 + z_t^2) + I sum
// k^2.
static double alike(double t, double rate, int n, double L) {
  const double m = 1000 * L * 0.02 * 0.02, inertia = m / 12 * (L * L + 0.02 * 0.02), g = 9.81;
  double x1 = 0, z1 = 0, x2 = 0, z2 = 0; // of the joint, by t, and again
  double mass = 0, pull = 0, centrifugal = 0;
  for (int k = 1; k <= n; k++) {
    const double c = L * cos(k * t), s = L * sin(k * t), j = k;
    const double cx1 = x1 - j * s / 2, cz1 = z1 - j * c / 2;
    const double cx2 = x2 - j * j * c / 2, cz2 = z2 + j * j * s / 2;
    mass += m * (cx1 * cx1 + cz1 * cz1) + inertia * j * j;
    pull -= m * g * cz1;
    centrifugal += m * (cx1 * cx2 + cz1 * cz2);
    x1 -= j * s;
    z1 -= j * c;
    x2 -= j * j * c;
    z2 += j * j * s;
  }
  return (pull - centrifugal * rate * rate) / mass;
}

static void step_alike(double y[2], double h, int n, double L) {
  double k[4][2] = {{0}};
  static const double at[4] = {0, 0.5, 0.5, 1};
  for (int i = 0; i < 4; i++) {
    const double* before = k[i > 0 ? i - 1 : 0];
    const double t = y[0] + h * at[i] * before[0], rate = y[1] + h * at[i] * before[1];
    k[i][0] = rate;
    k[i][1] = alike(t, rate, n, L);
  }
  for (int i = 0; i < 2; i++) {
    y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static size_t write_alike(char* text, size_t size, int n, const char* integrator) {
  size_t at =
      (size_t)snprintf(text, size, "solver: {integrator: %s, step: 1 ms}\nbodies:\n", integrator);
  for (int k = 0; k < n; k++) {
    at += (size_t)snprintf(text + at, size - at,
                           "  b%d: {shape: {box: [0.1, 0.02, 0.02], position: [0.05, 0, 0]}}\n", k);
  }
  at += (size_t)snprintf(text + at, size - at,
                         "joints:\n  j0: {type: revolute, child: b0, axis: y}\n");
  for (int k = 1; k < n; k++) {
    at += (size_t)snprintf(text + at, size - at,
                           "  j%d: {type: revolute, parent: b%d, child: b%d, at: [0.1, 0, 0], "
                           "axis: y}\n",
                           k, k - 1, k);
  }
  at += (size_t)snprintf(text + at, size - at, "constraints:\n");
  for (int k = 1; k < n; k++) {
    at += (size_t)snprintf(text + at, size - at,
                           "  c%d: {couple: [{joint: j%d}, {joint: j%d, times: -1}], equals: 0}\n",
                           k, k, k - 1);
  }
  return at;
}

static void a_hundred_hinges_that_turn_alike_fall_as_one_coordinate_does(void** state) {
  (void)state;
  enum { N = 100, SIZE = 60000, STEPS = 300 };
  static const struct {
    const char* integrator;
    double tolerance; // of what it fell: the same method to rounding, others by their order
  } way[] = {{"rk4", 1e-10}, {"linear-euler", 2.0 / STEPS}, {"bdf2", 10.0 / STEPS / STEPS}};
  for (int i = 0; i < 3; i++) {
    char* text = malloc(SIZE);
    assert_below(write_alike(text, SIZE, N, way[i].integrator), SIZE);
    small w = open_small(text);
    free(text);
    assert_int_equal(lb_elimination_left(w.m), 1);
    double y[2] = {0, 0};
    for (int k = 0; k < STEPS; k++) {
      assert_int_equal(lb_stepper_step(w.st, w.d, 1e-3, NULL), LB_OK);
      step_alike(y, 1e-3, N, 0.1);
    }
    print_message("%s: %.15g, %.15g\n", way[i].integrator, w.d->q[0], y[0]);
    for (int k = 0; k < N; k++) {
      assert_near(w.d->q[k] / y[0], 1, way[i].tolerance);
      assert_near(w.d->qd[k] / y[1], 1, way[i].tolerance);
    }
    close_small(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_are_those_of_the_projected_masses),
      cmocka_unit_test(steps_of_linearly_implicit_euler_are_those_of_the_projected_system),
      cmocka_unit_test(steps_of_bdf1_and_bdf2_are_those_of_the_projected_system),
      cmocka_unit_test(derivatives_of_steps_are_those_of_the_projected_system),
      cmocka_unit_test(couplings_of_couplings_leave_fewer_coordinates_and_redundant_ones_nothing),
      cmocka_unit_test(couplings_that_change_with_time_or_are_driven_stay_constraints),
      cmocka_unit_test(beside_unilateral_constraints_couplings_stay_constraints),
      cmocka_unit_test(a_hundred_hinges_that_turn_alike_fall_as_one_coordinate_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
