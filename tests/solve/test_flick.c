// A finger that is flicked, [red] 6.2.5. Steps of 1 ms bear a force at its tip up to some
// threshold; above it the energy grows without end. Flexors far up the arm, whose tendons run along
// the finger, make the tip heavier, and the threshold rises as the tip's inertia does. Without
// gravity and damping nothing else counts: what breaks a step is how far it turns a joint.
#include "compile.h"
#include "dynamics/force/force.h"
#include "solve/step/stepper.h"

static const double STEP = 1e-3, TIP = 20e-3, GROWTH = 10; // [s], [m]
enum { FLICK = 2, LONG = 500 };                            // steps

// %g: angles of the joints; %s: mass of each muscle; %g: the force across the tip.
#define FINGER                                                                                     \
  "gravity: [0, 0, 0]\nsolver: {integrator: euler, step: 1 ms}\n"                                  \
  "materials: {bone: {density: 5 g/cm^3}}\n"                                                       \
  "bodies:\n"                                                                                      \
  "  proximal: {shape: {capsule: {radius: 5 mm, from: [0, 0, 0], to: [45 mm, 0, 0]}, material: "   \
  "bone}}\n"                                                                                       \
  "  middle: {shape: {capsule: {radius: 4.5 mm, from: [0, 0, 0], to: [28 mm, 0, 0]}, material: "   \
  "bone}}\n"                                                                                       \
  "  distal: {shape: {capsule: {radius: 4 mm, from: [0, 0, 0], to: [20 mm, 0, 0]}, material: "     \
  "bone}}\n"                                                                                       \
  "joints:\n"                                                                                      \
  "  knuckle: {type: revolute, child: proximal, axis: y}\n"                                        \
  "  second: {type: revolute, parent: proximal, child: middle, at: [45 mm, 0, 0], axis: y}\n"      \
  "  third: {type: revolute, parent: middle, child: distal, at: [28 mm, 0, 0], axis: y}\n"         \
  "initial: {knuckle: {position: %g deg}, second: {position: %g deg}, third: {position: %g "       \
  "deg}}\n"                                                                                        \
  "muscles:\n"                                                                                     \
  "  profundus:\n"                                                                                 \
  "    through: [{at: [-30 cm, 2 mm, -1 cm]}, {at: [-1 cm, 1 mm, -12 mm]}, {body: proximal, at: "  \
  "[20 mm, 0, -8 mm]}, {body: middle, at: [14 mm, 0, -7 mm]}, {body: distal, at: [6 mm, 0, -5 "    \
  "mm]}]\n"                                                                                        \
  "    %s\n"                                                                                       \
  "  superficialis:\n"                                                                             \
  "    through: [{at: [-30 cm, -2 mm, -11 mm]}, {at: [-1 cm, -1 mm, -13 mm]}, {body: proximal, "   \
  "at: [20 mm, 0, -9 mm]}, {body: middle, at: [8 mm, 0, -6 mm]}]\n"                                \
  "    %s\n"                                                                                       \
  "loads: {flick: {body: distal, at: [20 mm, 0, 0], force: [0, 0, %g], frame: body, keys: [[0 s, " \
  "1], [1.99 "                                                                                     \
  "ms, 1], [2 ms, 0]], ease: linear}}\n"

// The muscles' mass as part of the forearm, which is held; as mass points at equal strain, as in
// [red].
static const char* const LUMPED = "";
static const char* const POINTS = "mass: {amount: 200 g, points: 20}";

typedef struct finger {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} finger;

static const double MOST_FORCE = 1000; // [N] that must be too much for any

static finger make(const double bent[3], const char* mass, double force) {
  char text[4000];
  snprintf(text, sizeof text, FINGER, bent[0], bent[1], bent[2], mass, mass, force);
  finger f = {.m = compile(text)};
  assert_int_equal(lb_data_create(f.m, NULL, &f.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(f.m, NULL, NULL, &f.st, NULL), LB_OK);
  return f;
}

static void drop(finger* f) {
  lb_stepper_release(f->st);
  lb_data_release(f->d);
  lb_model_release(f->m);
}

// Does the energy grow to more than ten times what the flick put in?
static bool breaks(const double bent[3], const char* mass, double force) {
  finger f = make(bent, mass, force);
  double put_in = INFINITY;
  bool grows = false;
  for (int i = 1; i <= LONG && !grows; i++) {
    assert_int_equal(lb_stepper_step(f.st, f.d, STEP, NULL), LB_OK);
    const double now = lb_kinetic_energy(f.m, f.d);
    put_in = i == FLICK ? now : put_in;
    grows = !(now <= GROWTH * put_in);
  }
  drop(&f);
  return grows;
}

// Smallest force at which it does, to 3 %.
static double threshold(const double bent[3], const char* mass) {
  double force = 5;
  while (!breaks(bent, mass, force)) {
    force *= 1.03;
    assert_below(force, MOST_FORCE);
  }
  return force;
}

static lb_vec3 tip_of(const finger* f) {
  lb_poses(f->m, f->d);
  return lb_transform_point(f->d->pose[2], lb_vec3_make(TIP, 0, 0));
}

// Force over acceleration of the tip, both across the last bone: a step from rest is all but
// straight.
static double tip_inertia(const double bent[3], const char* mass) {
  const double force = 1, h = 1e-6;
  finger f = make(bent, mass, force);
  const lb_vec3 before = tip_of(&f);
  assert_int_equal(lb_stepper_step(f.st, f.d, h, NULL), LB_OK);
  const lb_vec3 moved = lb_vec3_sub(tip_of(&f), before); // h^2 times the acceleration
  const double along = lb_vec3_dot(moved, lb_quat_rotate(f.d->pose[2].q, lb_vec3_make(0, 0, 1)));
  drop(&f);
  return force * h * h / along;
}

// Thresholds scatter with the way a finger breaks, so that means over poses are compared.
static void the_force_that_a_step_bears_goes_by_the_inertia_of_the_tip(void** state) {
  (void)state;
  static const double bent[][3] = {
      {10, 10, 10}, {10, 20, 10}, {20, 20, 10}, {20, 20, 20}, {0, 20, 20}};
  enum { POSES = 5 };
  double force = 1, inertia = 1;
  for (int i = 0; i < POSES; i++) {
    const double lumped = threshold(bent[i], LUMPED), tip = tip_inertia(bent[i], LUMPED);
    const double f = threshold(bent[i], POINTS) / lumped, t = tip_inertia(bent[i], POINTS) / tip;
    print_message("bent by %g, %g, %g degrees: %.3g N lumped, %.2f times as much with inertia; tip "
                  "%.3g g, %.2f times as heavy\n",
                  bent[i][0], bent[i][1], bent[i][2], lumped, f, 1e3 * tip, t);
    assert_above(f, 3);
    force *= pow(f, 1.0 / POSES);
    inertia *= pow(t, 1.0 / POSES);
  }
  print_message("means: %.2f times the force, %.2f times the inertia\n", force, inertia);
  assert_near(force / inertia, 1, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_force_that_a_step_bears_goes_by_the_inertia_of_the_tip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
