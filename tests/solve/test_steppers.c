// Steppers: measured orders, reference integrations in long double, closed forms, conserved
// quantities.
#include "compile.h"
#include "limber/limber.h"
#include "random_tree.h"

static void add_body(random_tree* t, lb_mass mass, int parent, lb_joint_kind kind, lb_vec3 axis,
                     lb_vec3 at) {
  const int i = t->scene.nbody++;
  t->scene.njoint++;
  snprintf(t->name[i], sizeof t->name[i], "b%d", i);
  t->body[i] = lb_scene_body_default();
  t->body[i].name = t->name[i];
  t->body[i].has_mass = t->body[i].has_com = t->body[i].has_inertia = true;
  t->body[i].mass = mass;
  t->joint[i] = lb_scene_joint_default();
  t->joint[i].name = t->name[i];
  t->joint[i].parent = parent;
  t->joint[i].child = i;
  t->joint[i].kind = kind;
  t->joint[i].axis = axis;
  t->joint[i].in_parent.p = at;
  if (kind == LB_JOINT_SPHERICAL) {
    t->joint[i].q[0] = 1;
  }
}

static void start_tree(random_tree* t) {
  t->scene = lb_scene_default();
  t->scene.name = t->scene.about = t->scene.file = "";
  t->scene.body = t->body;
  t->scene.joint = t->joint;
}

static const lb_vec3 Y = {0, 1, 0};

// Run to `end` with steps h and leave the state in d.
static void run(const lb_model* m, lb_data* d, lb_integrator integrator, double h, double tolerance,
                double end) {
  const lb_scene_solver solver = {.integrator = integrator, .step = h, .tolerance = tolerance};
  lb_stepper* st;
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  lb_data_reset(d);
  lb_project(m, d);
  const int steps = (int)lround(end / h);
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
  }
  lb_stepper_release(st);
}

// --- double pendulum: two uniform rods, mass m, length l, from the Lagrangian in long double ---
//
// With absolute angles a, b from straight down, rods on a hinge and on the end of the first:
//   4/3 a'' + 1/2 b'' cos(a-b) + 1/2 b'^2 sin(a-b) + 3/2 (g/l) sin a = 0
//   1/3 b'' + 1/2 a'' cos(a-b) - 1/2 a'^2 sin(a-b) + 1/2 (g/l) sin b = 0
static void double_pendulum_slopes(const long double y[4], long double k[4]) {
  const long double g = 9.81L;
  const long double c = cosl(y[0] - y[1]), s = sinl(y[0] - y[1]);
  const long double r1 = -0.5L * y[3] * y[3] * s - 1.5L * g * sinl(y[0]);
  const long double r2 = 0.5L * y[2] * y[2] * s - 0.5L * g * sinl(y[1]);
  const long double det = 4.0L / 9.0L - 0.25L * c * c;
  k[0] = y[2];
  k[1] = y[3];
  k[2] = (r1 / 3 - 0.5L * c * r2) / det;
  k[3] = (4.0L / 3.0L * r2 - 0.5L * c * r1) / det;
}

static void rk4_long(void (*slopes)(const long double*, long double*), long double* y, int n,
                     long double h) {
  long double k[4][8], z[8];
  const long double weight[4] = {0, 0.5L, 0.5L, 1};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < n; i++) {
      z[i] = y[i] + (s ? h * weight[s] * k[s - 1][i] : 0);
    }
    slopes(z, k[s]);
  }
  for (int i = 0; i < n; i++) {
    y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void double_pendulum(random_tree* t) {
  start_tree(t);
  // rods of 1 m and 1 kg hanging along -z; inertia about the centre 1/12 across, any value along
  const lb_mass rod = {1, {0, 0, -0.5}, {1.0 / 12, 1.0 / 12, 1e-4, 0, 0, 0}};
  add_body(t, rod, LB_WORLD, LB_JOINT_REVOLUTE, Y, (lb_vec3){0, 0, 0});
  add_body(t, rod, 0, LB_JOINT_REVOLUTE, Y, (lb_vec3){0, 0, -1});
  t->joint[0].q[0] = 2.0;
  t->joint[1].q[0] = -0.7;
}

static void double_pendulum_follows_the_lagrangian(void** state) {
  (void)state;
  static random_tree t;
  lb_model* m;
  lb_data* d;
  double_pendulum(&t);
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  run(m, d, LB_INTEGRATOR_ADAPTIVE, 0.1, 1e-13, 3);
  long double y[4] = {2.0L, 1.3L, 0, 0};
  for (int i = 0; i < 60000; i++) {
    rk4_long(double_pendulum_slopes, y, 4, 5e-5L);
  }
  assert_near(d->q[0], (double)y[0], 1e-10);
  assert_near(d->q[0] + d->q[1], (double)y[1], 1e-10);
  assert_near(d->qd[0], (double)y[2], 1e-10);
  lb_data_release(d);
  lb_model_release(m);
}

// --- heavy top: m g l = 1.2, about its tip I1 across and I3 along ---

enum { TOP_I1 = 5, TOP_I3 = 2 }; // hundredths of kg m^2

static void top(random_tree* t, double tilt, lb_vec3 spin) {
  start_tree(t);
  // total mass 1, centre at 0.12 m; inertia about the centre is I1 - 0.12^2
  t->scene.gravity = (lb_vec3){0, 0, -10};
  const double across = TOP_I1 * 0.01 - 0.0144;
  add_body(t, (lb_mass){1, {0, 0, 0.12}, {across, across, TOP_I3 * 0.01, 0, 0, 0}}, LB_WORLD,
           LB_JOINT_SPHERICAL, Y, (lb_vec3){0, 0, 0});
  const lb_quat q = lb_quat_exp((lb_vec3){0, tilt, 0});
  memcpy(t->joint[0].q, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
  memcpy(t->joint[0].qd, (double[]){spin.x, spin.y, spin.z}, 3 * sizeof(double));
}

// Euler angles: y = (theta, phi, theta'), with the momenta about the vertical and the axis
// conserved.
static long double top_lz, top_l3;

static void top_slopes(const long double* y, long double* k) {
  const long double I1 = TOP_I1 * 0.01L, s = sinl(y[0]), c = cosl(y[0]);
  const long double turn = (top_lz - top_l3 * c) / (I1 * s * s);
  k[0] = y[2];
  k[1] = turn;
  k[2] = turn * turn * s * c - top_l3 * turn * s / I1 + 1.2L * s / I1;
}

static void spinning_top_follows_its_euler_angles(void** state) {
  (void)state;
  static random_tree t;
  lb_model* m;
  lb_data* d;
  const double tilt = 0.6, w3 = 40;
  top(&t, tilt, (lb_vec3){0, 0, w3});
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  run(m, d, LB_INTEGRATOR_ADAPTIVE, 0.1, 1e-13, 5);
  top_l3 = TOP_I3 * 0.01L * (long double)w3;
  top_lz = top_l3 * cosl((long double)tilt);
  long double y[3] = {(long double)tilt, 0, 0};
  for (int i = 0; i < 100000; i++) {
    rk4_long(top_slopes, y, 3, 5e-5L);
  }
  const lb_vec3 axis =
      lb_quat_rotate((lb_quat){d->q[0], d->q[1], d->q[2], d->q[3]}, (lb_vec3){0, 0, 1});
  assert_near(axis.x, (double)(sinl(y[0]) * cosl(y[1])), 1e-10);
  assert_near(axis.y, (double)(sinl(y[0]) * sinl(y[1])), 1e-10);
  assert_near(axis.z, (double)cosl(y[0]), 1e-10);
  lb_data_release(d);
  lb_model_release(m);
}

// Steady precession: (I3 w3 - I1 p cos th) p = m g l, a closed form.
static void top_precesses_steadily_at_the_speed_of_the_closed_form(void** state) {
  (void)state;
  static random_tree t;
  lb_model* m;
  lb_data* d;
  const double tilt = 0.5, p = 2;
  const double I1 = TOP_I1 * 0.01, I3 = TOP_I3 * 0.01;
  const double w3 = (1.2 / p + I1 * p * cos(tilt)) / I3;
  // angular velocity: p about the vertical plus the rest about the axis, in the body's frame
  top(&t, tilt, (lb_vec3){-p * sin(tilt), 0, w3});
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  run(m, d, LB_INTEGRATOR_RK8, 1e-3, 0, 10);
  const lb_vec3 axis =
      lb_quat_rotate((lb_quat){d->q[0], d->q[1], d->q[2], d->q[3]}, (lb_vec3){0, 0, 1});
  assert_near(axis.x, sin(tilt) * cos(10 * p), 1e-10);
  assert_near(axis.y, sin(tilt) * sin(10 * p), 1e-10);
  assert_near(axis.z, cos(tilt), 1e-10);
  lb_data_release(d);
  lb_model_release(m);
}

// --- orders ---

enum { SAMPLES = 8 }; // a tenth of a second apart

// q and qd at each sample, with steps that are shorter and longer than h in turns by an uneven part
// of it.
static void sample(const lb_model* m, lb_integrator integrator, double h, double uneven,
                   double tolerance, double* out) {
  lb_data* d;
  lb_stepper* st;
  const lb_scene_solver solver = {.integrator = integrator, .step = h, .tolerance = tolerance};
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  for (int s = 0; s < SAMPLES; s++) {
    for (int i = 0; i < lround(0.1 / h); i++) {
      const double part = i % 2 == 0 ? 1 - uneven : 1 + uneven;
      assert_int_equal(lb_stepper_step(st, d, part * h, NULL), LB_OK);
    }
    memcpy(out, d->q, (size_t)m->nq * sizeof *out);
    memcpy(out + m->nq, d->qd, (size_t)m->nv * sizeof *out);
    out += m->nq + m->nv;
  }
  lb_stepper_release(st);
  lb_data_release(d);
}

// Root-mean-square error over the samples against a run with a tight tolerance.
static double error_of(const lb_model* m, const double* exact, lb_integrator integrator, double h,
                       double uneven) {
  double out[SAMPLES * 64];
  double sum = 0;
  sample(m, integrator, h, uneven, 0, out);
  for (int i = 0; i < SAMPLES * (m->nq + m->nv); i++) {
    sum += (out[i] - exact[i]) * (out[i] - exact[i]);
  }
  return sqrt(sum / SAMPLES);
}

static void assert_uneven_order(const random_tree* t, lb_integrator integrator, double h,
                                double uneven, double order) {
  lb_model* m;
  double exact[SAMPLES * 64];
  assert_int_equal(lb_model_create(&t->scene, NULL, &m, NULL), LB_OK);
  sample(m, LB_INTEGRATOR_ADAPTIVE, 0.1, 0, 1e-14, exact);
  const double coarse = error_of(m, exact, integrator, h, uneven);
  const double fine = error_of(m, exact, integrator, h / 2, uneven);
  const double measured = log2(coarse / fine);
  print_message("%s: error %.3g -> %.3g, order %.2f\n", lb_integrator_name(integrator), coarse,
                fine, measured);
  if (!(measured > order - 0.35 && measured < order + 1.2)) {
    print_error("order %.3f, expected %.1f\n", measured, order);
    fail();
  }
  lb_model_release(m);
}

static void assert_order(const random_tree* t, lb_integrator integrator, double h, double order) {
  assert_uneven_order(t, integrator, h, 0, order);
}

static void steppers_have_their_orders(void** state) {
  (void)state;
  static random_tree t;
  double_pendulum(&t);
  t.joint[0].q[0] = 0.5; // gently, so that coarse steps show their order
  assert_order(&t, LB_INTEGRATOR_EULER, 1e-3, 1);
  assert_order(&t, LB_INTEGRATOR_MIDPOINT, 1e-3, 2);
  assert_order(&t, LB_INTEGRATOR_LINEAR_EULER, 1e-3, 1);
  assert_order(&t, LB_INTEGRATOR_BDF1, 5e-4, 1);
  assert_order(&t, LB_INTEGRATOR_BDF2, 5e-4, 2);
  assert_order(&t, LB_INTEGRATOR_SDIRK2, 5e-4, 2);
  assert_order(&t, LB_INTEGRATOR_RK4, 4e-3, 4);
  assert_order(&t, LB_INTEGRATOR_RK8, 2.5e-2, 8);
}

// Steps of h and 2 h in turns.
static void steppers_keep_their_orders_when_steps_alternate(void** state) {
  (void)state;
  static random_tree t;
  double_pendulum(&t);
  t.joint[0].q[0] = 0.5;
  assert_uneven_order(&t, LB_INTEGRATOR_BDF1, 5e-4, 1. / 3, 1);
  assert_uneven_order(&t, LB_INTEGRATOR_BDF2, 5e-4, 1. / 3, 2);
  assert_uneven_order(&t, LB_INTEGRATOR_SDIRK2, 5e-4, 1. / 3, 2);
  assert_uneven_order(&t, LB_INTEGRATOR_RK4, 5e-3, 1. / 3, 4);
}

static void steppers_have_their_orders_with_quaternions(void** state) {
  (void)state;
  static random_tree t;
  top(&t, 0.6, (lb_vec3){1, -2, 6});
  add_body(&t, (lb_mass){0.3, {0.1, 0, 0.1}, {1e-3, 2e-3, 2e-3, 0, 0, 0}}, 0, LB_JOINT_PRISMATIC,
           (lb_vec3){0.6, 0, 0.8}, (lb_vec3){0, 0.1, 0.2});
  add_body(&t, (lb_mass){0.5, {0.02, 0.1, 0}, {1e-3, 2e-3, 2.5e-3, 0, 0, 0}}, LB_WORLD,
           LB_JOINT_FREE, Y, (lb_vec3){0, 0, 1});
  memcpy(t.joint[2].q, (double[]){0, 0, 0, 1, 0, 0, 0}, 7 * sizeof(double));
  memcpy(t.joint[2].qd, (double[]){3, 0.1, -2, 1, 0, 2}, 6 * sizeof(double));
  t.joint[1].resistance.stiffness = 40;
  t.joint[1].resistance.damping = 0.1;
  assert_order(&t, LB_INTEGRATOR_EULER, 1e-3, 1);
  assert_order(&t, LB_INTEGRATOR_MIDPOINT, 1e-3, 2);
  assert_order(&t, LB_INTEGRATOR_LINEAR_EULER, 1e-3, 1);
  assert_order(&t, LB_INTEGRATOR_BDF1, 5e-4, 1);
  assert_order(&t, LB_INTEGRATOR_BDF2, 5e-4, 2);
  assert_order(&t, LB_INTEGRATOR_SDIRK2, 5e-4, 2);
  assert_order(&t, LB_INTEGRATOR_RK4, 1e-2, 4);
  assert_order(&t, LB_INTEGRATOR_RK8, 2.5e-2, 8);
}

// --- orders with Newton's matrices kept ---

// Three links swing freely, in a plane or turned by a right angle in the middle.
static lb_model* three_links(char middle) {
  char text[1000];
  snprintf(text, sizeof text,
           "bodies:\n"
           "  a: {shape: {box: [0.3, 0.03, 0.03], position: [0.15, 0, 0]}}\n"
           "  b: {shape: {box: [0.25, 0.03, 0.03], position: [0.125, 0, 0]}}\n"
           "  c: {shape: {box: [0.2, 0.03, 0.03], position: [0.1, 0, 0]}}\n"
           "joints:\n"
           "  first: {type: revolute, child: a, axis: y}\n"
           "  second: {type: revolute, parent: a, child: b, at: [0.3, 0, 0], axis: %c}\n"
           "  third: {type: revolute, parent: b, child: c, at: [0.25, 0, 0], axis: y}\n"
           "initial: {second: {position: 40 deg}, third: {position: -30 deg, velocity: 2}}\n",
           middle);
  return compile(text);
}

enum { LINKS = 3, MOMENTS = 50 }; // a hundredth of a second apart

typedef struct swing {
  double x[MOMENTS][3][LINKS]; // q, qd and qdd
} swing;

static void record_swing(const lb_model* m, lb_integrator integrator, double h, swing* out) {
  lb_data* d;
  lb_stepper* st;
  const lb_scene_solver solver = {.integrator = integrator, .step = h};
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  for (int s = 0; s < MOMENTS; s++) {
    for (int i = 0; i < lround(0.01 / h); i++) {
      assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    }
    lb_forward(m, d);
    memcpy(out->x[s][0], d->q, sizeof out->x[s][0]);
    memcpy(out->x[s][1], d->qd, sizeof out->x[s][1]);
    memcpy(out->x[s][2], d->qdd, sizeof out->x[s][2]);
  }
  lb_stepper_release(st);
  lb_data_release(d);
}

// The largest of positions, velocities or accelerations is off by.
static double swing_off(const swing* a, const swing* b, int kind) {
  double most = 0;
  for (int s = 0; s < MOMENTS; s++) {
    for (int k = 0; k < LINKS; k++) {
      most = fmax(most, fabs(a->x[s][kind][k] - b->x[s][kind][k]));
    }
  }
  return most;
}

// What Newton's method leaves in a step adds up over many of them: from 1 ms to a sixteenth of it,
// halving the step must divide the largest error of every kind by 2^order, which an error of 1e-7
// of the velocities would not let it do.
static void check_ladder(const lb_model* m, const swing* exact, lb_integrator integrator,
                         double order) {
  static swing now;
  double before[3] = {0};
  for (int step = 0; step < 5; step++) {
    record_swing(m, integrator, 1e-3 / (1 << step), &now);
    for (int kind = 0; kind < 3; kind++) {
      const double off = swing_off(&now, exact, kind), measured = log2(before[kind] / off);
      if (step > 0 && !(fabs(measured - order) < 0.1)) {
        print_error("%s, 1/%d ms, derivative %d: order %.3f\n", lb_integrator_name(integrator),
                    1 << step, kind, measured);
        fail();
      }
      before[kind] = off;
    }
  }
  print_message("%s: off by %.2g, %.2g, %.2g\n", lb_integrator_name(integrator), before[0],
                before[1], before[2]);
}

static void kept_matrices_cost_no_order(void** state) {
  (void)state;
  static swing exact;
  for (int i = 0; i < 2; i++) {
    lb_model* m = three_links("yz"[i]);
    record_swing(m, LB_INTEGRATOR_RK8, 1e-3, &exact);
    check_ladder(m, &exact, LB_INTEGRATOR_BDF1, 1);
    check_ladder(m, &exact, LB_INTEGRATOR_BDF2, 2);
    check_ladder(m, &exact, LB_INTEGRATOR_SDIRK2, 2);
    lb_model_release(m);
  }
}

// A quaternion that a step makes is a little too long; being cut to length must not look like a
// jump, after which steps start again with first order.
static void implicit_steps_keep_their_order_when_bodies_spin_fast(void** state) {
  (void)state;
  static random_tree t;
  start_tree(&t);
  add_body(&t, (lb_mass){0.5, {0, 0, 0}, {1e-3, 2e-3, 2.5e-3, 0, 0, 0}}, LB_WORLD, LB_JOINT_FREE, Y,
           (lb_vec3){0, 0, 1});
  memcpy(t.joint[0].q, (double[]){0, 0, 0, 1, 0, 0, 0}, 7 * sizeof(double));
  memcpy(t.joint[0].qd, (double[]){3, 0.1, -24, 1, 0, 2}, 6 * sizeof(double));
  assert_order(&t, LB_INTEGRATOR_BDF2, 2e-3, 2);
  assert_order(&t, LB_INTEGRATOR_SDIRK2, 2e-3, 2);
}

// --- energy of the undamped planar chain of ten links released horizontally, 10 s ---

static double chain_energy_error(lb_integrator integrator, double h, double tolerance) {
  static random_tree t;
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  const lb_scene_solver solver = {.integrator = integrator, .step = h, .tolerance = tolerance};
  start_tree(&t);
  const lb_mass link = {0.04, {0.05, 0, 0}, {0.8e-5 / 3, 10.4e-5 / 3, 10.4e-5 / 3, 0, 0, 0}};
  for (int i = 0; i < 10; i++) {
    add_body(&t, link, i - 1, LB_JOINT_REVOLUTE, Y, (lb_vec3){i ? 0.1 : 0, 0, 0});
  }
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  const double start = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  double worst = 0;
  for (int i = 0; i < lround(10 / h); i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    const double now = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
    worst = fmax(worst, fabs(now - start));
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return worst / 1.962;
}

static void falling_chain_keeps_its_energy(void** state) {
  (void)state;
  const double fixed = chain_energy_error(LB_INTEGRATOR_RK8, 1e-3, 0);
  const double adaptive = chain_energy_error(LB_INTEGRATOR_ADAPTIVE, 1.0 / 60, 1e-11);
  print_message("worst relative energy error: rk8 at 1 ms %.3g, adaptive %.3g\n", fixed, adaptive);
  assert_below(fixed, 1e-4);
  assert_below(adaptive, 1e-9);
}

// The energy of a swinging double pendulum after 5 s at 1 ms, over what it started to swing with.
static double energy_kept(lb_integrator integrator) {
  static random_tree t;
  lb_model* m;
  lb_data* d;
  double_pendulum(&t);
  t.joint[0].q[0] = 0.5;
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const double start = lb_potential_energy(m, d), hanging = -9.81 * (0.5 + 1.5);
  run(m, d, integrator, 1e-3, 0, 5);
  const double end = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  lb_data_release(d);
  lb_model_release(m);
  return (end - hanging) / (start - hanging);
}

// Implicit Euler takes energy out; second order takes little, and two stages less than one.
static void implicit_steps_lose_energy_as_their_errors_say(void** state) {
  (void)state;
  const double linear = energy_kept(LB_INTEGRATOR_LINEAR_EULER);
  const double bdf1 = energy_kept(LB_INTEGRATOR_BDF1), bdf2 = energy_kept(LB_INTEGRATOR_BDF2);
  const double sdirk2 = energy_kept(LB_INTEGRATOR_SDIRK2);
  print_message("kept: linear-euler %.6f, bdf1 %.6f, bdf2 %.8f, sdirk2 %.8f\n", linear, bdf1, bdf2,
                sdirk2);
  assert_above(bdf1, 0.5);
  assert_below(bdf1, 0.99);
  assert_near(linear, energy_kept(LB_INTEGRATOR_EULER), 1e-9); // the same where nothing is stiff
  assert_near(bdf2, 1, 1e-4);
  assert_below(fabs(sdirk2 - 1), 0.5 * fabs(bdf2 - 1));
}

// --- stiff springs: ten links of which each hinge has 1000 N m/rad, let go straight and horizontal
// ---
//
// Height of the last link's centre after 1 s from Simbody at a tight tolerance: -0.003646 m with a
// damping of 1 N m s/rad a hinge, -0.005677 m with 0.1.
static double stiff_chain_height(lb_integrator integrator, double damping, double h) {
  static random_tree t;
  lb_model* m;
  lb_data* d;
  start_tree(&t);
  const lb_mass link = {0.04, {0.05, 0, 0}, {0.8e-5 / 3, 10.4e-5 / 3, 10.4e-5 / 3, 0, 0, 0}};
  for (int i = 0; i < 10; i++) {
    add_body(&t, link, i - 1, LB_JOINT_REVOLUTE, i % 2 ? (lb_vec3){0, 0, 1} : Y,
             (lb_vec3){i ? 0.1 : 0, 0, 0});
    t.joint[i].resistance.stiffness = 1000;
    t.joint[i].resistance.damping = damping;
  }
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  run(m, d, integrator, h, 0, 1);
  lb_poses(m, d);
  const double z = lb_transform_point(d->pose[9], (lb_vec3){0.05, 0, 0}).z;
  lb_data_release(d);
  lb_model_release(m);
  return z;
}

static void stiff_chain_is_stable_and_right(void** state) {
  (void)state;
  static const double damping[2] = {1, 0.1}, height[2] = {-0.003646, -0.005677};
  for (int i = 0; i < 2; i++) {
    const double coarse = stiff_chain_height(LB_INTEGRATOR_BDF2, damping[i], 1e-3) - height[i];
    const double fine = stiff_chain_height(LB_INTEGRATOR_BDF2, damping[i], 2.5e-4) - height[i];
    print_message("damping %g: off by %.2g m at 1 ms, %.2g m at 0.25 ms\n", damping[i], coarse,
                  fine);
    assert_below(fabs(coarse), 0.03 * fabs(height[i]));
    assert_below(fabs(fine), 0.1 * fabs(coarse)); // order 2 would give 1/16
  }
}

// Two stages have an eighth of the error of backward differences.
static void stiff_chain_is_within_a_percent_by_two_stages(void** state) {
  (void)state;
  static const double damping[2] = {1, 0.1}, height[2] = {-0.003646, -0.005677};
  for (int i = 0; i < 2; i++) {
    const double z = stiff_chain_height(LB_INTEGRATOR_SDIRK2, damping[i], 1e-3);
    print_message("damping %g: %.2f %% off\n", damping[i], 100 * (z / height[i] - 1));
    assert_below(fabs(z / height[i] - 1), 0.01);
  }
}

// Without damping the chain swings between straight and twice its sag.
static void stiff_chain_without_damping_stays_together(void** state) {
  (void)state;
  static const lb_integrator schemes[] = {LB_INTEGRATOR_LINEAR_EULER, LB_INTEGRATOR_BDF1,
                                          LB_INTEGRATOR_BDF2, LB_INTEGRATOR_SDIRK2};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    const double z = stiff_chain_height(schemes[i], 0, 1e-3);
    print_message("%s: %.4g m\n", lb_integrator_name(schemes[i]), z);
    assert_below(z, 0);
    assert_above(z, -0.01);
  }
}

// --- failure ---

// A tree that cannot be stepped by 10 ms: the complaint has `words` in it, and what came before
// stays.
static void check_blow_up(const random_tree* t, const char* words) {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  lb_error err = lb_error_make(NULL);
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK4, .step = 1e-2};
  assert_int_equal(lb_model_create(&t->scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  lb_status status = LB_OK;
  for (int i = 0; i < 1000 && status == LB_OK; i++) {
    status = lb_stepper_step(st, d, 1e-2, &err);
  }
  assert_int_equal(status, LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "smaller step"));
  assert_non_null(strstr(err.message[0].text, words));
  assert_true(isfinite(d->q[0]) && isfinite(d->qd[0]));
  lb_error_clear(&err);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
}

static void a_state_that_blows_up_is_reported_and_kept_out(void** state) {
  (void)state;
  static random_tree t;
  double_pendulum(&t);
  t.joint[0].resistance.stiffness = 1e9;
  check_blow_up(&t, "too stiff");
}

static void angles_that_lock_are_reported(void** state) {
  (void)state;
  static random_tree t;
  double_pendulum(&t);
  t.scene.nbody = t.scene.njoint = 1;
  t.joint[0].kind = LB_JOINT_EULER;
  t.joint[0].order = LB_TURN_XYZ;
  t.joint[0].q[1] = 1.57; // 1/8 of a degree before the first axis is where the third was
  t.joint[0].qd[1] = 1;
  t.joint[0].qd[2] = 0.1;
  check_blow_up(&t, "axes fall together");
}

// What Newton's method leaves falls with the tolerance, and without one is that of 1e-10.
static void implicit_steps_stop_at_their_tolerance(void** state) {
  (void)state;
  static random_tree t;
  static const lb_integrator schemes[] = {LB_INTEGRATOR_BDF1, LB_INTEGRATOR_BDF2,
                                          LB_INTEGRATOR_SDIRK2};
  static const double tolerance[] = {1e-13, 1e-2, 1e-6, 1e-10, 0};
  enum { EXACT, ROUGH, FINE, USUAL, NONE, RUNS };
  double_pendulum(&t);
  lb_model* m;
  assert_int_equal(lb_model_create(&t.scene, NULL, &m, NULL), LB_OK);
  for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
    double q[RUNS][2], off[RUNS];
    for (int i = 0; i < RUNS; i++) {
      lb_data* d;
      assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
      run(m, d, schemes[s], 0.01, tolerance[i], 1);
      memcpy(q[i], d->q, sizeof q[i]);
      lb_data_release(d);
      off[i] = fmax(fabs(q[i][0] - q[EXACT][0]), fabs(q[i][1] - q[EXACT][1]));
    }
    print_message("%s: %.2g, %.2g, %.2g\n", lb_integrator_name(schemes[s]), off[ROUGH], off[FINE],
                  off[USUAL]);
    assert_above(off[ROUGH], 1e-5);
    assert_below(off[FINE], 1e-5);
    assert_below(off[USUAL], 1e-9);
    assert_above(off[FINE], 10 * off[USUAL]);
    assert_memory_equal(q[NONE], q[USUAL], sizeof q[NONE]);
  }
  lb_model_release(m);
}

// Fingers that couplings and held tips leave no freedom: corrections soon are rounding, and what is
// learned from those must not take joints off their couplings, where steps would begin anew with
// first order.
static void couplings_hold_when_corrections_are_rounding(void** state) {
  (void)state;
  lb_scene scene;
  lb_model* m;
  lb_data* d[2];
  lb_stepper* st[2];
  assert_int_equal(lb_scene_read(LIMBER_SOURCE_DIR "/scenes/hand.yaml", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  for (int i = 0; i < 2; i++) {
    const lb_scene_solver solver = {
        .integrator = LB_INTEGRATOR_BDF2, .step = 1e-3, .tolerance = i ? 1e-13 : 0};
    assert_int_equal(lb_data_create(m, NULL, &d[i], NULL), LB_OK);
    assert_int_equal(lb_stepper_create(m, &solver, NULL, &st[i], NULL), LB_OK);
    lb_project(m, d[i]);
  }
  double worst = 0;
  for (int s = 0; s < 200; s++) {
    assert_int_equal(lb_stepper_step(st[0], d[0], 1e-3, NULL), LB_OK);
    assert_int_equal(lb_stepper_step(st[1], d[1], 1e-3, NULL), LB_OK);
    for (int k = 0; k < m->nv; k++) {
      worst = fmax(worst, fabs(d[0]->qd[k] - d[1]->qd[k]));
    }
  }
  print_message("velocities differ by %.2g\n", worst);
  assert_below(worst, 1e-6);
  for (int i = 0; i < 2; i++) {
    lb_stepper_release(st[i]);
    lb_data_release(d[i]);
  }
  lb_model_release(m);
  lb_scene_release(&scene);
}

// A spring presses on a thin rod, off its axis: in maximal coordinates it could turn the rod about
// that, against next to no inertia, were it not for the hinges. The matrix of a step is not
// definite then, and no constraint of the hinges may be left out.
static void hinges_hold_what_springs_press_on(void** state) {
  (void)state;
  lb_model* m = compile(
      "solver: {coordinates: maximal, integrator: linear-euler}\n"
      "bodies:\n"
      "  crank: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
      "  coupler: {shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
      "  rocker: {shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: crank, axis: y}\n"
      "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
      "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y, damping: 0.01}\n"
      "springs:\n"
      "  s: {from: {body: coupler, at: [0.3, 0, 0.1]}, to: {at: [0.2, 0, -0.5]}, stiffness: 40,\n"
      "      damping: 0.2, length: 0.3}\n"
      "motors: {drive: {joint: a, drive: force, keys: [[0, 0.3]]}}\n"
      "initial: {a: {position: -60 deg, velocity: -1}, b: {position: 40 deg},\n"
      "          c: {position: -100 deg}}\n");
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  d->q[4] += 1e-6; // tilted out of its plane
  for (int i = 0; i < 25; i++) {
    assert_int_equal(lb_stepper_step(st, d, 4e-3, NULL), LB_OK);
  }
  assert_near(d->q[4], 0, 1e-12);
  assert_near(d->q[11], 0, 1e-12);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum_follows_the_lagrangian),
      cmocka_unit_test(spinning_top_follows_its_euler_angles),
      cmocka_unit_test(top_precesses_steadily_at_the_speed_of_the_closed_form),
      cmocka_unit_test(steppers_have_their_orders),
      cmocka_unit_test(steppers_keep_their_orders_when_steps_alternate),
      cmocka_unit_test(steppers_have_their_orders_with_quaternions),
      cmocka_unit_test(kept_matrices_cost_no_order),
      cmocka_unit_test(implicit_steps_keep_their_order_when_bodies_spin_fast),
      cmocka_unit_test(falling_chain_keeps_its_energy),
      cmocka_unit_test(implicit_steps_lose_energy_as_their_errors_say),
      cmocka_unit_test(stiff_chain_is_stable_and_right),
      cmocka_unit_test(stiff_chain_is_within_a_percent_by_two_stages),
      cmocka_unit_test(stiff_chain_without_damping_stays_together),
      cmocka_unit_test(implicit_steps_stop_at_their_tolerance),
      cmocka_unit_test(couplings_hold_when_corrections_are_rounding),
      cmocka_unit_test(hinges_hold_what_springs_press_on),
      cmocka_unit_test(a_state_that_blows_up_is_reported_and_kept_out),
      cmocka_unit_test(angles_that_lock_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
