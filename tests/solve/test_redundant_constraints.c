// Redundant loops: a door on two hinges, three parallel cranks and Bennett's linkage
// have more constraints than they need, in every coordinates and with every integrator; and poses
// in which some are redundant only there.
#include "compile.h"
#include "dynamics/constraint/constraint_loop.h"
#include "limber/limber.h"

static const char* const COORDINATES[] = {"reduced", "maximal"};

// What is known of an integrator: its order, and what a step of 2 ms may be off.
typedef struct method {
  const char* name;
  int order; // 0: it chooses its steps
} method;
static const method METHODS[] = {{"euler", 1},  {"linear-euler", 1}, {"bdf1", 1}, {"bdf2", 2},
                                 {"sdirk2", 2}, {"rk4", 4},          {"rk8", 8},  {"adaptive", 0}};
enum { NMETHOD = sizeof METHODS / sizeof *METHODS };

typedef struct run {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
} run;

static run begin(const char* format, const char* by, const char* coordinates) {
  char text[4000];
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, format, by, coordinates);
  run r = {.m = compile(text)};
  assert_int_equal(lb_data_create(r.m, NULL, &r.d, &err), LB_OK);
  assert_int_equal(lb_stepper_create(r.m, NULL, NULL, &r.st, &err), LB_OK);
  assert_int_equal(lb_assemble(r.m, r.d, &err), LB_OK);
  return r;
}

static void go_on(run* r, int steps, double h) {
  lb_error err = lb_error_make(NULL);
  for (int i = 0; i < steps; i++) {
    if (lb_stepper_step(r->st, r->d, h, &err) != LB_OK) {
      print_error("%s\n", err.message[0].text);
      fail();
    }
  }
}

static void end(run* r) {
  lb_stepper_release(r->st);
  lb_data_release(r->d);
  lb_model_release(r->m);
}

static int redundant(const run* r) {
  const bool* out = lb_constraints_redundant(r->d);
  int count = 0;
  for (int i = 0; i < lb_constraints_most(r->m); i++) {
    count += out[i];
  }
  return count;
}

static lb_transform pose_of(run* r, int body) {
  lb_poses(r->m, r->d);
  return r->d->pose[body];
}

// Where a body is, [7], its quaternion the one nearer to no rotation.
static void where(run* r, int body, double x[7]) {
  const lb_transform X = pose_of(r, body);
  const double sign = X.q.w < 0 ? -1 : 1;
  const double all[7] = {X.p.x,        X.p.y,        X.p.z,       sign * X.q.w,
                         sign * X.q.x, sign * X.q.y, sign * X.q.z};
  memcpy(x, all, sizeof all);
}

static double apart(const double a[7], const double b[7]) {
  double most = 0;
  for (int k = 0; k < 7; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return most;
}

// --- a door on two hinges ---

#define DOOR(spring)                                                                               \
  "duration: 1 s\n"                                                                                \
  "solver: {integrator: %s, coordinates: %s}\n"                                                    \
  "bodies:\n"                                                                                      \
  "  frame: {shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"                             \
  "  door: {shape: {box: [0.2, 0.1, 0.05], position: [0.1, 0, 0]}}\n"                              \
  "joints:\n"                                                                                      \
  "  post: {type: revolute, child: frame, axis: [0, 0.2, 1]" spring "}\n"                          \
  "  upper: {type: revolute, parent: frame, child: door, at: [0.2, 0.05, 0],\n"                    \
  "          in_child: [0, 0.05, 0], axis: y, damping: 0.01" spring "}\n"                          \
  "  lower: {type: revolute, loop: true, parent: frame, child: door, at: [0.2, -0.05, 0],\n"       \
  "          in_child: [0, -0.05, 0], axis: y}\n"                                                  \
  "initial: {post: {velocity: 3}, upper: {velocity: 4}}\n"
static const char door[] = DOOR("");

// Steps that are twice as many are off by 2^order less.
static void check_order(const method* by, const char* coordinates, const double there[7]) {
  double off[2];
  for (int i = 0; i < 2; i++) {
    run r = begin(door, by->name, coordinates);
    double x[7];
    go_on(&r, 75 << i, 4e-3 / (1 << i));
    where(&r, 1, x);
    off[i] = apart(x, there);
    assert_int_equal(redundant(&r), 5);
    end(&r);
  }
  print_message("%s, %s: off by %.2g and %.2g\n", by->name, coordinates, off[0], off[1]);
  if (off[1] > 1e-8) {
    assert_above(off[0] / off[1], 0.75 * pow(2, by->order));
  }
  assert_below(off[1], (by->order == 1 ? 1e-2 : by->order == 2 ? 1e-3 : 1e-7));
}

static void a_door_swings_on_two_hinges_with_every_integrator(void** state) {
  (void)state;
  run r = begin(door, "rk8", "reduced");
  double there[7];
  go_on(&r, 600, 0.5e-3);
  where(&r, 1, there);
  end(&r);
  for (int i = 0; i < NMETHOD; i++) {
    for (int c = 0; c < 2; c++) {
      check_order(&METHODS[i], COORDINATES[c], there);
    }
  }
}

static void a_door_hangs_where_one_hinge_would_let_it(void** state) {
  (void)state;
  static const char sprung[] = DOOR(", spring: {stiffness: 5}");
  double x[2][7];
  for (int c = 0; c < 2; c++) {
    lb_error err = lb_error_make(NULL);
    run r = begin(sprung, "bdf2", COORDINATES[c]);
    if (lb_equilibrium(r.m, r.d, &err) != LB_OK) {
      print_error("%s\n", err.message[0].text);
      fail();
    }
    where(&r, 1, x[c]);
    end(&r);
  }
  print_message("reduced and maximal are %.2g apart\n", apart(x[0], x[1]));
  assert_below(apart(x[0], x[1]), 1e-9);
}

// --- three cranks and a rod ---

// The third is beside the line of the others, so that the linkage is never singular; but any two of
// them are, twice a turn.
#define CRANKS(third)                                                                              \
  "duration: 1 s\n"                                                                                \
  "gravity: [0, 0, 0]\n"                                                                           \
  "solver: {integrator: %s, coordinates: %s}\n"                                                    \
  "bodies:\n"                                                                                      \
  "  one: {shape: {box: [0.03, 0.1, 0.02], position: [0, 0.05, 0]}}\n"                             \
  "  two: {shape: {box: [0.03, 0.1, 0.02], position: [0, 0.05, 0]}}\n"                             \
  "  three: {shape: {box: [0.03, 0.1, 0.02], position: [0, 0.05, 0]}}\n"                           \
  "  rod: {shape: {box: [0.7, 0.03, 0.02], position: [0.3, 0, 0]}}\n"                              \
  "joints:\n"                                                                                      \
  "  a1: {type: revolute, child: one, axis: z}\n"                                                  \
  "  a2: {type: revolute, child: two, at: [0.3, 0, 0], axis: z}\n"                                 \
  "  a3: {type: revolute, child: three, at: [0.6, " third ", 0], axis: z}\n"                       \
  "  p1: {type: revolute, parent: one, child: rod, at: [0, 0.1, 0], axis: z}\n"                    \
  "  p2: {type: revolute, loop: true, parent: rod, child: two, at: [0.3, 0, 0],\n"                 \
  "       in_child: [0, 0.1, 0], axis: z}\n"                                                       \
  "  p3: {type: revolute, loop: true, parent: rod, child: three, at: [0.6, " third ", 0],\n"       \
  "       in_child: [0, 0.1, 0], axis: z}\n"                                                       \
  "initial: {a1: {velocity: 12}, a2: {velocity: 12}, a3: {velocity: 12}, p1: {velocity: -12}}\n"

// The rod keeps its direction, and the cranks their speed.
static void cranks_turn(const char* text, const method* by, const char* coordinates, double most) {
  run r = begin(text, by->name, coordinates);
  double x[7], turned = 0;
  for (int i = 0; i < 10; i++) {
    go_on(&r, 50, 2e-3);
    where(&r, 3, x);
    const double angle = 12 * r.d->time;
    turned = fmax(turned, hypot(x[0] + 0.1 * sin(angle), x[1] - 0.1 * cos(angle)));
    turned = fmax(turned, fabs(x[6]));
  }
  print_message("%s, %s: off by %.2g, left out: %d\n", by->name, coordinates, turned,
                redundant(&r));
  assert_below(turned, most);
  end(&r);
}

static void three_cranks_turn_through_poses_in_which_two_are_in_line(void** state) {
  (void)state;
  static const char text[] = CRANKS("0.2");
  for (int i = 0; i < NMETHOD; i++) {
    const method* by = &METHODS[i];
    // in the tree's coordinates nothing is accelerated; places of bodies are, of order
    const double most[] = {1e-8, by->order == 1 ? 0.2 : by->order == 2 ? 2e-3 : 1e-7};
    for (int c = 0; c < 2; c++) {
      cranks_turn(text, by, COORDINATES[c], most[c]);
    }
  }
}

// --- Bennett's linkage ---

// Four hinges in space, of which one moves the others although six constraints and four hinges
// leave nothing free: a = 0.3, b = 0.45, sin(alpha)/a = sin(beta)/b. Its angles keep tan(t1/2)
// tan(t2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2).
static const char bennett[] =
    "duration: 1 s\n"
    "solver: {integrator: %s, coordinates: %s}\n"
    "bodies:\n"
    "  one: {shape: {box: [0.3, 0.03, 0.02], position: [0.15, 0, 0]}}\n"
    "  two: {shape: {box: [0.45, 0.03, 0.02], position: [0.225, 0, 0]}}\n"
    "  three: {shape: {box: [0.3, 0.03, 0.02], position: [0.15, 0, 0]}}\n"
    "joints:\n"
    "  h1: {type: revolute, child: one, axis: z}\n"
    "  h2: {type: revolute, parent: one, child: two, axis: z,\n"
    "       at: {position: [0.3, 0, 0], rotation: {axis: x, angle: 40 deg}}}\n"
    "  h3: {type: revolute, parent: two, child: three, axis: z,\n"
    "       at: {position: [0.45, 0, 0], rotation: {axis: x, angle: 1.3023397000992485}}}\n"
    "  h4: {type: revolute, loop: true, child: three, axis: z,\n"
    "       at: {position: [-0.45, 0, 0], rotation: {axis: x, angle: -1.3023397000992485}},\n"
    "       in_child: {position: [0.3, 0, 0], rotation: {axis: x, angle: 40 deg}}}\n"
    "initial: {h1: {position: 0.7, velocity: 3}, h2: {position: 2.8849147731311722, velocity: "
    "-1.1822184387289745},\n"
    "          h3: {position: -0.7, velocity: -3}}\n";

// The angle of a turn about z after one about x by `twist`.
static double angle_of(lb_quat q, double twist) {
  const lb_quat back = {cos(-twist / 2), sin(-twist / 2), 0, 0};
  const lb_quat turn = lb_quat_mul(back, q);
  return 2 * atan2(turn.z, turn.w);
}

static void a_linkage_that_should_not_move_does(void** state) {
  (void)state;
  const double alpha = 40 * M_PI / 180, beta = 1.3023397000992485;
  const double product = sin((beta + alpha) / 2) / sin((beta - alpha) / 2);
  double there[7];
  run best = begin(bennett, "rk8", "reduced");
  go_on(&best, 400, 1e-3);
  where(&best, 1, there);
  end(&best);
  for (int i = 0; i < NMETHOD; i++) {
    for (int c = 0; c < 2; c++) {
      run r = begin(bennett, METHODS[i].name, COORDINATES[c]);
      double x[7];
      go_on(&r, 400, 1e-3);
      const lb_quat q1 = pose_of(&r, 0).q, q2 = pose_of(&r, 1).q;
      const double t1 = angle_of(q1, 0),
                   t2 = angle_of(lb_quat_mul(lb_quat_conjugate(q1), q2), alpha);
      const double off = fabs(tan(t1 / 2) * tan(t2 / 2) / product - 1);
      where(&r, 1, x);
      print_message("%s, %s: angles off by %.2g, pose by %.2g, left out: %d\n", METHODS[i].name,
                    COORDINATES[c], off, apart(x, there), redundant(&r));
      assert_int_equal(redundant(&r), 3);
      const int order = METHODS[i].order;
      assert_below(off, (order == 1 ? 1e-5 : order == 2 ? 1e-7 : 1e-12));
      assert_below(apart(x, there), (order == 1 ? 3e-3 : order == 2 ? 1e-5 : 1e-10));
      end(&r);
    }
  }
}

// --- poses ---

// A parallelogram that starts with all bars in a line has redundant constraints there, and nowhere
// else: of ten six are across its plane, and all of the others are needed.
static void constraints_redundant_in_one_pose_stay(void** state) {
  (void)state;
  static const char flat[] =
      "duration: 1 s\n"
      "solver: {integrator: %s, coordinates: %s}\n"
      "bodies:\n"
      "  one: {shape: {box: [0.1, 0.02, 0.02], position: [0.05, 0, 0]}}\n"
      "  two: {shape: {box: [0.1, 0.02, 0.02], position: [0.05, 0, 0]}}\n"
      "  rod: {shape: {box: [0.3, 0.03, 0.02], position: [0.15, 0, 0]}}\n"
      "joints:\n"
      "  a1: {type: revolute, child: one, axis: z}\n"
      "  a2: {type: revolute, child: two, at: [0.3, 0, 0], axis: z}\n"
      "  p1: {type: revolute, parent: one, child: rod, at: [0.1, 0, 0], axis: z}\n"
      "  p2: {type: revolute, loop: true, parent: rod, child: two, at: [0.3, 0, 0],\n"
      "       in_child: [0.1, 0, 0], axis: z}\n"
      "initial: {a1: {velocity: 5}, a2: {velocity: 5}, p1: {velocity: -5}}\n";
  for (int c = 0; c < 2; c++) {
    run r = begin(flat, "rk4", COORDINATES[c]);
    go_on(&r, 50, 1e-3);
    assert_int_equal(redundant(&r), 3);
    assert_near(lb_constraint_gap(r.m, r.d, NULL), 0, 1e-12);
    assert_near(pose_of(&r, 2).q.z, 0, 1e-9);
    end(&r);
  }
}

// Without redundant constraints nothing is left out.
static void a_hinge_alone_keeps_its_constraints(void** state) {
  (void)state;
  static const char one[] = "duration: 1 s\n"
                            "solver: {integrator: %s, coordinates: %s}\n"
                            "bodies:\n"
                            "  arm: {shape: {box: [0.3, 0.03, 0.02], position: [0.15, 0, 0]}}\n"
                            "joints:\n"
                            "  pin: {type: revolute, child: arm, axis: y}\n";
  run r = begin(one, "bdf2", "maximal");
  go_on(&r, 5, 1e-3);
  assert_int_equal(redundant(&r), 0);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_door_swings_on_two_hinges_with_every_integrator),
      cmocka_unit_test(a_door_hangs_where_one_hinge_would_let_it),
      cmocka_unit_test(three_cranks_turn_through_poses_in_which_two_are_in_line),
      cmocka_unit_test(a_linkage_that_should_not_move_does),
      cmocka_unit_test(constraints_redundant_in_one_pose_stay),
      cmocka_unit_test(a_hinge_alone_keeps_its_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
