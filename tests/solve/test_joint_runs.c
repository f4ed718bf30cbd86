// Joints of every kind in motion: energy, orders, closed forms, and the same motion with
// other coordinates.
#include "compile.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/aba.h"
#include "dynamics/tree/kinematics.h"
#include "limber/limber.h"
#include "math/curve/chart.h"
#include "math/linear/dense.h"
#include "model/use/link.h"
#include "random_tree.h"

static const double PI = 3.14159265358979323846;
static random_tree T;

static const lb_joint_kind KINDS[] = {LB_JOINT_PLANAR,   LB_JOINT_TRANSLATIONAL, LB_JOINT_HELICAL,
                                      LB_JOINT_EULER,    LB_JOINT_EXPONENTIAL,   LB_JOINT_FREE_2D,
                                      LB_JOINT_FREE_3D,  LB_JOINT_CURVE,         LB_JOINT_SURFACE,
                                      LB_JOINT_COMPOSITE};
enum { NKIND = sizeof KINDS / sizeof *KINDS, MOST = 80 };
// Those that have a kind of their own.
static const lb_joint_kind PLAIN[] = {LB_JOINT_REVOLUTE, LB_JOINT_PRISMATIC, LB_JOINT_UNIVERSAL,
                                      LB_JOINT_SPHERICAL, LB_JOINT_FREE};
enum { NPLAIN = sizeof PLAIN / sizeof *PLAIN, NALL = NPLAIN + NKIND };

static lb_joint_kind kind_of(int which) {
  return which < NPLAIN ? PLAIN[which] : KINDS[which - NPLAIN];
}

typedef struct run {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} run;

static run open_run(lb_integrator integrator, double h) {
  run r;
  lb_error err = lb_error_make(NULL);
  const lb_scene_solver solver = {.integrator = integrator, .step = h, .tolerance = 1e-12};
  if (lb_model_create(&T.scene, NULL, &r.m, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
  assert_int_equal(lb_data_create(r.m, NULL, &r.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(r.m, &solver, NULL, &r.st, NULL), LB_OK);
  return r;
}

static void close_run(run* r) {
  lb_stepper_release(r->st);
  lb_data_release(r->d);
  lb_model_release(r->m);
}

static void go(run* r, double h, double end) {
  for (int i = 0; i < (int)lround(end / h); i++) {
    assert_int_equal(lb_stepper_step(r->st, r->d, h, NULL), LB_OK);
  }
}

static double energy(run* r) {
  return lb_kinetic_energy(r->m, r->d) + lb_potential_energy(r->m, r->d);
}

// --- random trees of one kind ---

// Somewhere in the middle of the splines' segments.
static void start_anywhere(lb_scene_joint* j, lb_random* r) {
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    j->q[k] = lb_random_between(r, 0.4, 0.6);
    j->qd[k] = lb_random_between(r, -1, 1);
  }
  if (j->kind == LB_JOINT_SPHERICAL || j->kind == LB_JOINT_FREE) {
    const lb_quat turn = random_quat(r);
    memcpy(j->q + (j->kind == LB_JOINT_FREE ? 3 : 0), (double[]){turn.w, turn.x, turn.y, turn.z},
           4 * sizeof(double));
  }
}

// A hinge that turns two of the kind, one on the other; in the middle of the splines' segments.
static void one_kind(lb_joint_kind kind, uint64_t seed) {
  const lb_joint_kind kinds[] = {kind};
  lb_random r = {seed};
  random_tree_make(&T, &r, 3, kinds, 1);
  T.joint[0].kind = LB_JOINT_REVOLUTE;
  for (int i = 0; i < 3; i++) {
    T.joint[i].parent = i - 1;
    start_anywhere(&T.joint[i], &r);
    T.joint[i].resistance.armature = 0;
  }
}

static const double END = 0.1;

// How far the state at the end is from that of much smaller steps.
static double error_of(lb_integrator integrator, double h, const double* reference) {
  run r = open_run(integrator, h);
  double off = 0;
  go(&r, h, END);
  for (int k = 0; k < r.m->nv; k++) {
    off = fmax(off, fabs(r.d->q[k] - reference[k]));
  }
  close_run(&r);
  return off;
}

static void rk4_keeps_energy_and_is_of_order_four_on_every_kind(void** state) {
  (void)state;
  for (int which = 0; which < NALL; which++) {
    one_kind(kind_of(which), 3);
    double reference[MOST];
    run r = open_run(LB_INTEGRATOR_RK8, 1e-3);
    const double before = energy(&r);
    go(&r, 1e-3, END);
    const double drift = fabs(energy(&r) - before) / fmax(1, fabs(before));
    memcpy(reference, r.d->q, (size_t)r.m->nq * sizeof *reference);
    close_run(&r);
    const double order = log2(error_of(LB_INTEGRATOR_RK4, 0.02, reference) /
                              error_of(LB_INTEGRATOR_RK4, 0.01, reference));
    r = open_run(LB_INTEGRATOR_RK4, 5e-4);
    const double start = energy(&r);
    go(&r, 5e-4, END);
    const double drift4 = fabs(energy(&r) - start) / fmax(1, fabs(start));
    close_run(&r);
    print_message("%s: order %.2f, energy off by %.1e (rk4), %.1e (rk8)\n",
                  lb_joint_kind_name(kind_of(which)), order, drift4, drift);
    assert_above(order, 3.6);
    assert_below(order, 5.5);
    assert_below(drift, 1e-12);
    assert_below(drift4, 1e-12);
  }
}

// What SDIRK2 with steps of h loses or gains of the energy, of what moves at the start.
static double sdirk2_drift(double h) {
  run r = open_run(LB_INTEGRATOR_SDIRK2, h);
  const double before = energy(&r), scale = lb_kinetic_energy(r.m, r.d);
  go(&r, h, END);
  const double drift = fabs(energy(&r) - before) / fmax(scale, 1);
  close_run(&r);
  return drift;
}

static void sdirk2_is_of_order_two_and_keeps_energy_to_it_on_every_kind(void** state) {
  (void)state;
  for (int which = 0; which < NALL; which++) {
    const lb_joint_kind kind = kind_of(which);
    one_kind(kind, 3);
    double reference[MOST];
    run r = open_run(LB_INTEGRATOR_RK8, 1e-3);
    go(&r, 1e-3, END);
    memcpy(reference, r.d->q, (size_t)r.m->nq * sizeof *reference);
    close_run(&r);
    const double order = log2(error_of(LB_INTEGRATOR_SDIRK2, 0.01, reference) /
                              error_of(LB_INTEGRATOR_SDIRK2, 0.005, reference));
    const double coarse = sdirk2_drift(0.01), fine = sdirk2_drift(0.005);
    print_message("%s: order %.2f, energy off by %.1e and %.1e, order %.2f\n",
                  lb_joint_kind_name(kind), order, coarse, fine, log2(coarse / fine));
    assert_above(order, 1.9);
    assert_below(order, 2.1);
    assert_above(log2(coarse / fine), 1.8);
    assert_below(log2(coarse / fine), 2.2);
    assert_below(fine, 1e-4);
  }
}

// --- without the velocity terms ---

// Forgets Sdot qd, which a factor at the end of a chart can.
static void forget(lb_chart_at* at, const lb_factor* f, int n, const double* q, const double* qd,
                   lb_chart_order order) {
  (void)f, (void)n, (void)q, (void)qd;
  if (order >= LB_CHART_MOVE) {
    at->b = lb_motion_zero();
  }
}

static void charts_without_the_rates_of_their_directions_lose_energy(void** state) {
  (void)state;
  static const lb_factor_type FORGETFUL = {.multiply = forget};
  // slides alone, and a helix, have none
  for (int which = 0; which < NKIND; which++) {
    const lb_joint_kind kind = KINDS[which];
    const bool constant =
        kind == LB_JOINT_PLANAR || kind == LB_JOINT_TRANSLATIONAL || kind == LB_JOINT_HELICAL;
    one_kind(kind, 3);
    run r = open_run(LB_INTEGRATOR_RK4, 5e-4);
    lb_factor factor[3][32];
    lb_chart chart[3];
    for (int i = 0; i < r.m->nlink; i++) {
      lb_link* l = &r.m->link.packed[i];
      if (l->chart) {
        chart[i] = *l->chart;
        memcpy(factor[i], chart[i].factor, (size_t)chart[i].nfactor * sizeof(lb_factor));
        factor[i][chart[i].nfactor++] = (lb_factor){.type = &FORGETFUL};
        chart[i].factor = factor[i];
        l->chart = &chart[i];
      }
    }
    lb_data_release(r.d);
    assert_int_equal(lb_data_create(r.m, NULL, &r.d, NULL), LB_OK);
    const double before = energy(&r);
    go(&r, 5e-4, END);
    const double drift = fabs(energy(&r) - before) / fmax(1, fabs(before));
    print_message("%s: energy off by %.1e without\n", lb_joint_kind_name(kind), drift);
    assert_true(constant ? drift < 1e-12 : drift > 1e-5);
    close_run(&r);
  }
}

// What every joint's velocities bring, of its own rates and of its parent's: accelerations c_al of
// the turning and c_a of the origin (dynamics/tree/state.h), which each kind finds in its `move`.
typedef enum forgotten { NOTHING, OF_TURNING, OF_MOVING } forgotten;

// lb_forward's own way, but for what is forgotten after the kinematics. Returns its size.
static double accelerate_without(run* r, forgotten what) {
  const lb_model* m = r->m;
  lb_data* d = r->d;
  lb_work* w = d->work;
  double size = 0;
  lb_kinematics(m, d, d->q, d->qd);
  for (int i = 0; what != NOTHING && i < m->nlink; i++) {
    lb_v4* c = what == OF_TURNING ? &w->state[i].c_al : &w->state[i].c_a;
    size = fmax(size, sqrt(lb_v4_dot(*c, *c)));
    *c = lb_v4_zero();
  }
  lb_forces_apply(m, d);
  lb_aba_solve(m, d, d->qdd, w->tau, true);
  return size;
}

// A step of RK4 on y = (q, qd). Returns the size of what was forgotten.
static double step_without(run* r, double h, forgotten what) {
  static const double AT[] = {0, 0.5, 0.5, 1}, WEIGHT[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const int nq = r->m->nq, n = nq + r->m->nv;
  double start[2 * MOST], end[2 * MOST], rate[2 * MOST] = {0}, size = 0;
  memcpy(start, r->d->q, (size_t)nq * sizeof *start);
  memcpy(start + nq, r->d->qd, (size_t)r->m->nv * sizeof *start);
  memcpy(end, start, sizeof end);
  for (int s = 0; s < 4; s++) {
    for (int k = 0; k < n; k++) {
      (k < nq ? r->d->q : r->d->qd - nq)[k] = start[k] + AT[s] * h * rate[k];
    }
    size = fmax(size, accelerate_without(r, what));
    lb_rates(r->m, rate, r->d->q, r->d->qd);
    memcpy(rate + nq, r->d->qdd, (size_t)r->m->nv * sizeof *rate);
    lb_add(n, end, WEIGHT[s] * h, rate);
  }
  memcpy(r->d->q, end, (size_t)nq * sizeof *end);
  memcpy(r->d->qd, end + nq, (size_t)r->m->nv * sizeof *end);
  lb_normalise(r->m, r->d->q);
  return size;
}

static bool kind_turns(lb_joint_kind kind) {
  return kind != LB_JOINT_PRISMATIC && kind != LB_JOINT_PLANAR && kind != LB_JOINT_TRANSLATIONAL;
}

static void without_what_velocities_bring_every_kind_loses_energy(void** state) {
  (void)state;
  for (int which = 0; which < NALL; which++) {
    double drift[3], size[3] = {0};
    for (forgotten what = NOTHING; what <= OF_MOVING; what++) {
      one_kind(kind_of(which), 3);
      run r = open_run(LB_INTEGRATOR_RK4, 5e-4);
      const double before = energy(&r);
      for (int i = 0; i < (int)lround(END / 5e-4); i++) {
        size[what] = fmax(size[what], step_without(&r, 5e-4, what));
      }
      drift[what] = fabs(energy(&r) - before) / fmax(1, fabs(before));
      close_run(&r);
    }
    print_message("%s: energy off by %.1e; without accelerations of turning %.1e, of moving %.1e\n",
                  lb_joint_kind_name(kind_of(which)), drift[NOTHING], drift[OF_TURNING],
                  drift[OF_MOVING]);
    assert_below(drift[NOTHING], 1e-12);
    // a million times what is kept, at the least; a slide does not turn
    assert_above(size[OF_MOVING], 0);
    assert_above(drift[OF_MOVING], 1e-6);
    assert_true(kind_turns(kind_of(which)) ? drift[OF_TURNING] > 1e-6 : size[OF_TURNING] == 0);
  }
}

// --- closed forms ---

static void one_body(lb_joint_kind kind, lb_mass mass) {
  T.scene = lb_scene_default();
  T.scene.name = T.scene.about = T.scene.file = "";
  T.scene.body = T.body;
  T.scene.joint = T.joint;
  T.scene.nbody = T.scene.njoint = 1;
  T.body[0] = lb_scene_body_default();
  T.body[0].name = "body";
  T.body[0].has_mass = T.body[0].has_com = T.body[0].has_inertia = true;
  T.body[0].mass = mass;
  T.joint[0] = lb_scene_joint_default();
  T.joint[0].name = "joint";
  T.joint[0].kind = kind;
  T.joint[0].child = 0;
}

static const lb_mass BODY = {2, {0, 0, 0}, {0.1, 0.2, 0.3, 0, 0, 0}};

// A nut on an upright thread: (I + m p^2) qdd = -m g p with p the way for each radian.
static void a_nut_turns_down_its_thread(void** state) {
  (void)state;
  one_body(LB_JOINT_HELICAL, BODY);
  T.joint[0].pitch = 0.5;
  run r = open_run(LB_INTEGRATOR_RK4, 1e-2);
  go(&r, 1e-2, 1);
  const double p = 0.5 / (2 * PI), qdd = -2 * 9.81 * p / (0.3 + 2 * p * p);
  assert_near(-lb_vec3_norm(r.m->gravity), -9.81, 1e-12);
  assert_near(r.d->q[0], qdd / 2, 1e-12);
  assert_near(r.d->qd[0], qdd, 1e-12);
  lb_poses(r.m, r.d);
  assert_near(r.d->pose[0].p.z, p * qdd / 2, 1e-12);
  close_run(&r);
}

// A slide with friction F stops after m v^2 / (2 F), but for what the fading friction leaves.
static void friction_stops_a_slide_where_it_should(void** state) {
  (void)state;
  one_body(LB_JOINT_PRISMATIC, BODY);
  T.scene.gravity = lb_vec3_make(0, 0, 0);
  T.joint[0].resistance.friction = 4;
  T.joint[0].resistance.friction_speed = 1e-3;
  T.joint[0].qd[0] = 3;
  run r = open_run(LB_INTEGRATOR_BDF2, 1e-3);
  go(&r, 1e-3, 3);
  assert_near(r.d->q[0], 2 * 9 / (2 * 4.0), 2e-3);
  assert_below(fabs(r.d->qd[0]), 1e-6);
  close_run(&r);
}

// A ball's friction acts against its spin, whatever its direction: I dw/dt = -F.
static void friction_in_a_ball_knows_no_axes(void** state) {
  (void)state;
  one_body(LB_JOINT_SPHERICAL, (lb_mass){1, {0, 0, 0}, {0.5, 0.5, 0.5, 0, 0, 0}});
  T.joint[0].resistance.friction = 0.2;
  T.joint[0].resistance.friction_speed = 1e-4;
  T.joint[0].q[0] = 1;
  T.joint[0].qd[0] = 3;
  T.joint[0].qd[1] = 4;
  run r = open_run(LB_INTEGRATOR_RK4, 1e-2);
  go(&r, 1e-2, 2);
  const double left = 5 - 2 * 0.2 / 0.5;
  assert_near(r.d->qd[0], 0.6 * left, 1e-8);
  assert_near(r.d->qd[1], 0.8 * left, 1e-8);
  close_run(&r);
}

// A body that falls on the end of its slide goes on by as much as its energy takes, and comes back
// with it.
static void limits_give_back_energy_without_a_damper(void** state) {
  (void)state;
  one_body(LB_JOINT_PRISMATIC, BODY);
  T.joint[0].lower[0] = -0.5;
  T.joint[0].resistance.limit_stiffness = 1e4;
  // m g (0.5 + x) = k x^2 / 2
  const double w = 2 * 9.81, x = (w + sqrt(w * w + 4 * 5e3 * 0.5 * w)) / 1e4;
  const double h = 1e-5; // what the kink in the force costs falls with its square
  run r = open_run(LB_INTEGRATOR_RK4, h);
  const double before = energy(&r);
  double least = 0;
  for (int i = 0; i < 80000; i++) {
    assert_int_equal(lb_stepper_step(r.st, r.d, h, NULL), LB_OK);
    least = fmin(least, r.d->q[0]);
  }
  assert_near(least, -0.5 - x, 1e-7);
  assert_near(energy(&r), before, 1e-6);
  close_run(&r);
}

// At rest beyond a limit, by the weight over the stiffness; the damper has taken the rest, however
// it comes in.
static void a_joint_comes_to_rest_on_its_limit(void** state) {
  (void)state;
  static const lb_integrator BY[] = {LB_INTEGRATOR_BDF2, LB_INTEGRATOR_SDIRK2,
                                     LB_INTEGRATOR_LINEAR_EULER, LB_INTEGRATOR_RK4};
  for (int i = 0; i < 12; i++) {
    one_body(LB_JOINT_PRISMATIC, BODY);
    T.joint[0].lower[0] = -0.05;
    T.joint[0].resistance.limit_stiffness = 2e4;
    T.joint[0].resistance.limit_damping = 200;
    T.joint[0].resistance.limit_transition = i < 4 ? 1e-3 : 0;
    T.joint[0].resistance.limit_pulls = i >= 8;
    run r = open_run(BY[i % 4], 1e-3);
    go(&r, 1e-3, 1.5);
    assert_near(r.d->q[0], -0.05 - 2 * 9.81 / 2e4, 1e-6);
    close_run(&r);
  }
}

// Beyond a limit whose damper comes in at once and may pull, a body is a damped oscillator until it
// is back: x = v/w exp(-c t) sin(w t), also where k x + d v < 0. One that does not pull lets it go
// there, faster.
static void a_damper_that_pulls_holds_back_what_returns(void** state) {
  (void)state;
  const double stiffness = 2e3, damping = 40, speed = 1.5, mass = 2;
  const double c = damping / (2 * mass), w = sqrt(stiffness / mass - c * c);
  double back[2];
  for (int pulls = 0; pulls < 2; pulls++) {
    one_body(LB_JOINT_PRISMATIC, BODY);
    T.scene.gravity = (lb_vec3){0, 0, 0};
    T.joint[0].upper[0] = 0;
    T.joint[0].q[0] = 1e-15; // beyond
    T.joint[0].qd[0] = speed;
    T.joint[0].resistance.limit_stiffness = stiffness;
    T.joint[0].resistance.limit_damping = damping;
    T.joint[0].resistance.limit_transition = 0;
    T.joint[0].resistance.limit_pulls = pulls;
    run r = open_run(LB_INTEGRATOR_RK8, 1e-4);
    const double end = 0.99 * M_PI / w, h = end / 1000;
    for (int i = 0; i < 1000; i++) {
      assert_int_equal(lb_stepper_step(r.st, r.d, h, NULL), LB_OK);
    }
    back[pulls] = r.d->qd[0];
    if (pulls) {
      const double x = speed / w * exp(-c * end) * sin(w * end);
      const double v = speed * exp(-c * end) * (cos(w * end) - c / w * sin(w * end));
      assert_below(stiffness * x + damping * v, 0);
      assert_near(r.d->q[0], x, 1e-10);
      assert_near(r.d->qd[0], v, 1e-10);
    }
    close_run(&r);
  }
  assert_below(back[0], 1.05 * back[1]);
}

// --- the same motion with other coordinates ---

// A tumbling body with its centre off the joint.
static const lb_mass TUMBLING = {1.5, {0.1, -0.05, 0.2}, {0.02, 0.05, 0.04, 0.003, 0, 0.001}};

static lb_quat spin(lb_joint_kind kind, lb_integrator integrator, double h, double end,
                    int* jumps) {
  one_body(kind, TUMBLING);
  const double w[] = {3, 5, -4};
  memcpy(T.joint[0].qd, w, sizeof w); // S = 1 at zero
  T.joint[0].q[0] = kind == LB_JOINT_SPHERICAL;
  run r = open_run(integrator, h);
  *jumps = 0;
  for (int i = 0; i < (int)lround(end / h); i++) {
    const double before = r.d->q[1];
    assert_int_equal(lb_stepper_step(r.st, r.d, h, NULL), LB_OK);
    *jumps += fabs(r.d->q[1] - before) > 1;
  }
  lb_poses(r.m, r.d);
  const lb_quat q = r.d->pose[0].q;
  close_run(&r);
  return q;
}

static double angle_between(lb_quat a, lb_quat b) {
  return lb_vec3_norm(lb_quat_log(lb_quat_mul(lb_quat_conjugate(a), b)));
}

// Over several turns, in which the rotation vector's numbers change time and again.
static void rotation_vectors_turn_as_quaternions_do(void** state) {
  (void)state;
  static const struct {
    lb_integrator integrator;
    double tolerance;
  } BY[] = {{LB_INTEGRATOR_RK4, 1e-6}, {LB_INTEGRATOR_RK8, 1e-9}, {LB_INTEGRATOR_ADAPTIVE, 1e-9}};
  int jumps, none;
  const lb_quat exact = spin(LB_JOINT_SPHERICAL, LB_INTEGRATOR_RK8, 1e-3, 4, &none);
  for (int i = 0; i < 3; i++) {
    const lb_quat q = spin(LB_JOINT_EXPONENTIAL, BY[i].integrator, 1e-3, 4, &jumps);
    print_message("%s: %d changes, off by %.1e\n", lb_integrator_name(BY[i].integrator), jumps,
                  angle_between(exact, q));
    assert_at_least(jumps, 2);
    assert_near(angle_between(exact, q), 0, BY[i].tolerance);
  }
}

// A stepper with a history starts it anew where the numbers change, by a step of first order: a
// few of these leave its order as it was.
static void bdf2_keeps_its_order_where_numbers_change(void** state) {
  (void)state;
  int jumps[2], none;
  const lb_quat exact = spin(LB_JOINT_SPHERICAL, LB_INTEGRATOR_RK8, 1e-3, 2, &none);
  const double coarse =
      angle_between(exact, spin(LB_JOINT_EXPONENTIAL, LB_INTEGRATOR_BDF2, 5e-4, 2, &jumps[0]));
  const double fine =
      angle_between(exact, spin(LB_JOINT_EXPONENTIAL, LB_INTEGRATOR_BDF2, 2.5e-4, 2, &jumps[1]));
  print_message("off by %.2e and %.2e, order %.2f, %d changes\n", coarse, fine, log2(coarse / fine),
                jumps[0]);
  assert_at_least(jumps[0], 1);
  assert_true(jumps[0] == jumps[1]);
  assert_above(log2(coarse / fine), 1.8);
  assert_below(log2(coarse / fine), 2.3);
}

// A free body by angles, by a rotation vector, in both orders, and by a quaternion.
static void free_bodies_fly_alike(void** state) {
  (void)state;
  lb_transform first = lb_transform_identity();
  for (int which = 0; which < 5; which++) {
    one_body(which == 0 ? LB_JOINT_FREE : LB_JOINT_FREE_3D, TUMBLING);
    lb_scene_joint* j = &T.joint[0];
    j->order = which < 3 ? LB_TURN_EXPONENTIAL : LB_TURN_ZYX;
    j->rotation_first = which % 2;
    const int turn = which == 0 || j->rotation_first ? 0 : 3;
    const double w[] = {0.4, 0.7, -0.5}, v[] = {1, 2, 3};
    for (int k = 0; k < 3; k++) { // at zero the angles about z, y, x turn by their rates
      j->qd[turn + k] = which < 3 ? w[k] : w[2 - k];
      j->qd[3 - turn + k] = v[k];
    }
    if (which == 0) {
      j->q[3] = 1;
    }
    run r = open_run(LB_INTEGRATOR_RK8, 1e-3);
    go(&r, 1e-3, 1);
    lb_poses(r.m, r.d);
    const lb_transform X = r.d->pose[0];
    first = which == 0 ? X : first;
    assert_near(lb_vec3_norm(lb_vec3_sub(X.p, first.p)), 0, 1e-10);
    assert_near(angle_between(first.q, X.q), 0, 1e-10);
    close_run(&r);
  }
}

// Angles that start where two of them do the same.
static void a_singular_start_is_refused(void** state) {
  (void)state;
  lb_model* m = NULL;
  lb_error err = lb_error_make(NULL);
  one_body(LB_JOINT_EULER, BODY);
  T.joint[0].order = LB_TURN_ZXZ; // at zero
  assert_int_equal(lb_model_create(&T.scene, NULL, &m, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "singular"));
  assert_null(m);
  lb_error_clear(&err);
}

// A motor's force is what the motion it prescribes needs.
static void motors_drive_screws_and_curves(void** state) {
  (void)state;
  static const lb_joint_kind BY[] = {LB_JOINT_HELICAL, LB_JOINT_CURVE};
  static const lb_integrator WITH[] = {LB_INTEGRATOR_RK4, LB_INTEGRATOR_BDF2};
  double time[] = {0, 0.3, 0.7, 1}, value[] = {0.2, 0.9, 0.4, 0.8};
  for (int i = 0; i < 4; i++) {
    one_kind(BY[i / 2], 5);
    lb_scene_motor motor = {
        .name = "motor",
        .joint = 1,
        .profile = {
            .kind = LB_PROFILE_CUBIC, .degree = 3, .count = 4, .time = time, .value = value}};
    T.scene.motor = &motor;
    T.scene.nmotor = 1;
    T.joint[1].resistance.friction = 0.3;
    run r = open_run(WITH[i % 2], 1e-3);
    go(&r, 1e-3, 0.5);
    double want[3], tau[MOST];
    lb_forward(r.m, r.d);
    lb_profile_evaluate(r.m->motor.profile[0], 0.5, want);
    const int v = r.m->joint.v[1];
    assert_near(r.d->q[r.m->joint.q[1]], want[0], 1e-12);
    assert_near(r.d->qd[v], want[1], 1e-12);
    lb_rnea(r.m, r.d, tau, r.d->q, r.d->qd, r.d->qdd);
    const double rub = 0.3 * want[1] / sqrt(want[1] * want[1] + 1e-4);
    assert_near(r.d->motor_force[0], tau[v] + rub, 1e-10);
    close_run(&r);
  }
}

// What loops cannot be or have is said where the scene asks for it.
// A body that may move about a plane, or turn before it moves, comes to rest on its limits under
// a force and a torque.
static void free_joints_rest_on_limits_of_their_own(void** state) {
  (void)state;
  static const char* const JOINTS[] = {
      "{type: free-2d, child: box, axis: x, second_axis: z, damping: 20, turn_damping: 2,"
      " limits: {lower: [-1, -0.2], stiffness: 1e4, damping: 100},"
      " turn_limits: {upper: 20 deg, stiffness: 500, damping: 5}}",
      "{type: free-3d, child: box, first: rotation, damping: 20, turn_damping: 2,"
      " limits: {lower: [-1, -1, -0.2], upper: [1, 1, 1], stiffness: 1e4, damping: 100},"
      " turn_limits: {lower: [-1, -1, -1], upper: [20 deg, 1, 1], stiffness: 500, damping: 5}}"};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {box: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {j: %s}\n"
             "loads: {push: {body: box, force: [0, 0, -20], torque: [%d, %d, 0], frame: %s}}\n"
             "solver: {integrator: bdf2}\n",
             JOINTS[i], i ? 5 : 0, i ? 0 : -5, i ? "body" : "world");
    run r = {.m = compile(text)};
    assert_int_equal(lb_data_create(r.m, NULL, &r.d, NULL), LB_OK);
    assert_int_equal(lb_stepper_create(r.m, NULL, NULL, &r.st, NULL), LB_OK);
    go(&r, 2e-3, 3);
    const double arm = i ? -r.d->q[4] : 0; // it slid aside while it turned
    assert_near(r.d->q[i ? 0 : 2], 20 * PI / 180 + (5 + 20 * arm) / 500, 1e-6);
    assert_near(r.d->q[i ? 5 : 1], -0.2 - 20.0 / 1e4, 1e-6);
    close_run(&r);
  }
}

// Joints with friction, limits and rotors, and those by charts, keep their coordinates where the
// others are taken apart: the same motion.
static void maximal_coordinates_keep_what_no_loop_can_be(void** state) {
  (void)state;
  double off = 0;
  int loops = 0;
  for (uint64_t seed = 1; seed <= NKIND; seed++) {
    const lb_joint_kind kinds[] = {LB_JOINT_REVOLUTE, LB_JOINT_SPHERICAL, KINDS[seed - 1]};
    lb_vec3 at[2][6];
    for (int maximal = 0; maximal < 2; maximal++) {
      lb_random r = {seed};
      random_tree_make(&T, &r, 6, kinds, 3);
      for (int i = 0; i < 6; i++) {
        lb_scene_joint* j = &T.joint[i];
        start_anywhere(j, &r);
        j->resistance.armature = i == 3 ? 0.1 : 0;
        j->resistance.friction = i == 1 ? 0.3 : 0;
        j->resistance.friction_speed = 0.1;
        j->resistance.limit_stiffness = i == 2 && j->kind == LB_JOINT_REVOLUTE ? 50 : 0;
        j->upper[0] = 0.5;
      }
      T.scene.solver.coordinates = maximal ? LB_COORDINATES_MAXIMAL : LB_COORDINATES_REDUCED;
      run w = open_run(LB_INTEGRATOR_RK8, 1e-3);
      loops += w.m->constraint.nloop;
      lb_project(w.m, w.d);
      go(&w, 1e-3, END);
      lb_poses(w.m, w.d);
      for (int i = 0; i < 6; i++) {
        at[maximal][i] = w.d->pose[i].p;
      }
      close_run(&w);
    }
    for (int i = 0; i < 6; i++) {
      off = fmax(off, lb_vec3_norm(lb_vec3_sub(at[0][i], at[1][i])));
    }
  }
  print_message("%d joints taken apart, bodies apart by %.2g m\n", loops, off);
  assert_above(loops, NKIND);
  assert_below(off, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rk4_keeps_energy_and_is_of_order_four_on_every_kind),
      cmocka_unit_test(sdirk2_is_of_order_two_and_keeps_energy_to_it_on_every_kind),
      cmocka_unit_test(charts_without_the_rates_of_their_directions_lose_energy),
      cmocka_unit_test(without_what_velocities_bring_every_kind_loses_energy),
      cmocka_unit_test(a_nut_turns_down_its_thread),
      cmocka_unit_test(friction_stops_a_slide_where_it_should),
      cmocka_unit_test(friction_in_a_ball_knows_no_axes),
      cmocka_unit_test(limits_give_back_energy_without_a_damper),
      cmocka_unit_test(a_joint_comes_to_rest_on_its_limit),
      cmocka_unit_test(a_damper_that_pulls_holds_back_what_returns),
      cmocka_unit_test(rotation_vectors_turn_as_quaternions_do),
      cmocka_unit_test(bdf2_keeps_its_order_where_numbers_change),
      cmocka_unit_test(free_bodies_fly_alike),
      cmocka_unit_test(a_singular_start_is_refused),
      cmocka_unit_test(motors_drive_screws_and_curves),
      cmocka_unit_test(free_joints_rest_on_limits_of_their_own),
      cmocka_unit_test(maximal_coordinates_keep_what_no_loop_can_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
