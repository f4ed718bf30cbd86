// Models about equilibria under load, their masses, bases and levels of detail, and what is
// refused.
#include "counting.h"
#include "fork_world.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"

#define BOX                                                                                        \
  "mass: 0.04, center: [0, 0, 0.05], inertia: [3.466666666666667e-5, 3.466666666666667e-5, "       \
  "2.666666666666667e-6]"

// A chain of links of 0.1 m along z, on hinges about y with k = 1000 N m/rad.
static fork_text chain(int links, const char* rest) {
  fork_text t = {.n = 0};
  fork_say(&t, "gravity: [0, 0, 0]\nbodies:\n");
  for (int i = 1; i <= links; i++) {
    fork_say(&t, "  l%d: {" BOX "}\n", i);
  }
  fork_say(&t, "joints:\n  j1: {type: revolute, child: l1, axis: y, spring: {stiffness: 1000}}\n");
  for (int i = 2; i <= links; i++) {
    fork_say(&t,
             "  j%d: {type: revolute, parent: l%d, child: l%d, at: [0, 0, 0.1], axis: y, spring: "
             "{stiffness: 1000}}\n",
             i, i - 1, i);
  }
  fork_say(&t, "markers: {tip: {body: l%d, at: [0, 0, 0.1]}}\nfork: {c: {effectors: [tip]%s}}\n",
           links, rest);
  return t;
}

// Lateral stiffness without load 1 / sum (0.1 i)^2 / k; times 1.43986 under 100 N of pull and
// 0.55563 of push; beyond 223.38 N it buckles, and is then reduced about the shape it buckles to.
static void preload_stiffens_and_softens(void** state) {
  (void)state;
  static const double factor[] = {1, 1.43986, 0.55563}, load[] = {0, 100, -100, -223.3};
  fork_text t =
      chain(10, ", models: [{}, {loads: {tip: [0, 0, 100 N]}}, {loads: {tip: [0, 0, -100 N]}}, "
                "{loads: {tip: [0, 0, -223.3 N]}}, {loads: {tip: [0, 0, -223.5 N]}}]");
  fork_world w = fork_parse(t.at);
  for (int i = 0; i < 5; i++) {
    lb_fork* f = fork_reduce(&w, i);
    const double K = 1 / fork_compliance(f, 0, 3, 0, 3);
    if (i < 3) {
      assert_near(K / 259.74025974025972 / factor[i], 1, 1e-5);
    }
    assert_int_equal(f->fell, i == 4);
    if (i < 4) {
      assert_near(f->wrench[5], load[i], 1e-12);
    }
    lb_fork_release(f);
  }
  fork_drop(&w);
}

// Muscles with elastic and rigid tendons: the compliance is that of equilibria under +-10 mN.
static void muscles_stiffen(void** state) {
  (void)state;
  static const char* const tendon[] = {"", ", elastic: false"};
  for (int i = 0; i < 2; i++) {
    fork_text t = {.n = 0};
    fork_say(
        &t,
        "bodies: {arm: {mass: 1, center: [0.2, 0, 0], inertia: [1e-3, 1e-2, 1e-2]}}\n"
        "joints: {elbow: {type: revolute, child: arm, axis: y, spring: {stiffness: 5}}}\n"
        "muscles:\n  up:\n    through: [{body: world, at: [0, 0, 0.2]}, {body: arm, at: "
        "[0.1, 0, 0.02]}]\n    hill: {model: millard, force: 300, fiber: 0.1, slack: 0.12%s}\n"
        "    excitation: {keys: [[0, 0.3]]}\n"
        "markers: {tip: {body: arm, at: [0.4, 0, 0]}}\n"
        "fork: {c: {effectors: [tip], models: [{}, {loads: {tip: [0, 0, 0.01]}}, {loads: {tip: "
        "[0, 0, -0.01]}}]}}\n",
        tendon[i]);
    fork_world w = fork_parse(t.at);
    lb_fork* f[3];
    for (int k = 0; k < 3; k++) {
      f[k] = fork_reduce(&w, k);
    }
    const double C = fork_compliance(f[0], 0, 5, 0, 5);
    assert_true(C < 1 / 60.0); // by its spring alone it is 1/31 m/N
    assert_near(C / ((f[1]->pose[0].p.z - f[2]->pose[0].p.z) / 0.02), 1, 1e-6);
    for (int k = 0; k < 3; k++) {
      lb_fork_release(f[k]);
    }
    fork_drop(&w);
  }
}

static double first_frequency(const lb_fork* f) {
  const size_t n = (size_t)f->count;
  double K[36], M[36], w[6];
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  memcpy(K, f->K, n * n * sizeof *K);
  memcpy(M, f->M, n * n * sizeof *M);
  assert_int_equal(lb_eigen_generalised(&arena, f->count, K, f->count, M, f->count, w), LB_OK);
  lb_arena_release(&arena);
  return sqrt(w[0]) / (2 * M_PI);
}

static void static_shapes_have_the_right_frequency(void** state) {
  (void)state;
  static const int links[] = {10, 50, 100};
  static const double impulse[] = {1.53, 3.13, 4.38};
  for (int i = 0; i < 3; i++) {
    double found[2];
    lb_vibration mode[1];
    int count = 0;
    for (int k = 0; k < 2; k++) {
      fork_text t = chain(links[i], k ? ", mass: impulse" : "");
      fork_world w = fork_make(t.at);
      lb_data* d = NULL;
      assert_int_equal(lb_data_create(w.m, NULL, &d, NULL), LB_OK);
      assert_int_equal(lb_modes_of_model(w.m, d, 1, mode, &count, NULL), LB_OK);
      lb_data_release(d);
      found[k] = first_frequency(w.f);
      fork_drop(&w);
    }
    print_message("%d links: %.6g Hz, static shapes %.5f, operational space %.4f times that\n",
                  links[i], mode[0].frequency, found[0] / mode[0].frequency,
                  found[1] / mode[0].frequency);
    assert_near(found[0] / mode[0].frequency, 1, 0.005);
    assert_near(found[1] / mode[0].frequency / impulse[i], 1, 0.005);
    if (i == 0) {
      assert_near(mode[0].frequency / 8.0415, 1, 1e-5);
      assert_near(found[0] / 8.0415, 1, 0.005);
      assert_near(found[1] / 12.3, 1, 0.005);
    }
  }
}

// Axial vibrations of a helix have much mass between foot and tip, and static shapes are up to 12 %
// too fast in the first four. With modes of the held mechanism they are right.
static void modes_have_the_right_frequencies(void** state) {
  (void)state;
  static const int modes[] = {0, 6, 12};
  static const double most[] = {0.12, 0.01, 1e-3};
  fork_world w = fork_read("helix-50");
  lb_vibration mode[4];
  lb_data* d = NULL;
  int count = 0;
  assert_int_equal(lb_data_create(w.m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_modes_of_model(w.m, d, 4, mode, &count, NULL), LB_OK);
  for (int i = 0; i < 3; i++) {
    double frequency[18], worst = 0;
    w.scene.fork[0].modes = modes[i];
    lb_fork* f = fork_reduce(&w, 0);
    assert_int_equal(f->count, 6 + modes[i]);
    assert_int_equal(lb_fork_frequencies(f, frequency, NULL), LB_OK);
    for (int k = 0; k < 4; k++) { // never too slow, by Rayleigh
      assert_above(frequency[k] / mode[k].frequency, 1 - 1e-9);
      worst = fmax(worst, frequency[k] / mode[k].frequency - 1);
    }
    print_message("%d modes: frequencies up to %.2g %% too high\n", modes[i], 100 * worst);
    assert_below(worst, most[i]);
    for (int k = 0; k < 6 * modes[i]; k++) { // no effector moves
      assert_near(f->shape[36 + k], 0, 0);
      assert_near(f->K[(k % 6) * f->count + 6 + k / 6], 0, 0);
    }
    lb_fork_release(f);
  }
  lb_data_release(d);
  fork_drop(&w);
}

// The whole mechanism's own answer to a force on an effector, beside that of the model as [fork]
// has it, H exp(C w).
static void the_wishbone_goes_where_it_should(void** state) {
  (void)state;
  static const struct {
    double x, z, full[3], printed[3];
  } pull[] = {{100, 0, {0.26458, -0.21380, 0.41678}, {0.25261, -0.21663, 0.40478}},
              {0, 100, {-0.16850, 0.08529, NAN}, {NAN, NAN, NAN}},
              {0, -100, {0.30577, -0.31336, NAN}, {NAN, NAN, NAN}}};
  fork_world w = fork_read("wishbone");
  w.f = fork_reduce(&w, 0);
  assert_near(w.f->radius, 0.66504, 1e-5);
  for (int i = 0; i < 3; i++) {
    lb_scene_effector_load load = {.effector = 0, .force = {pull[i].x, 0, pull[i].z}};
    lb_scene_fork_model model = {.nload = 1, .load = &load};
    lb_scene_fork what = w.scene.fork[0];
    lb_fork* f = NULL;
    what.model = &model;
    what.nmodel = 1;
    assert_int_equal(lb_fork_create(w.m, &what, 0, NULL, &f, NULL), LB_OK);
    const lb_vec3 full = lb_vec3_sub(f->pose[0].p, w.f->pose[0].p);
    // xi = C w of the model at rest, the force along the axes that the effector comes to have
    double xi[6] = {0};
    lb_transform moved = w.f->pose[0];
    for (int k = 0; k < 200; k++) {
      const lb_vec3 own = lb_quat_rotate(lb_quat_conjugate(moved.q), load.force);
      for (int r = 0; r < 6; r++) {
        const double* C = w.f->C + (size_t)r * 12;
        xi[r] = 0.5 * xi[r] + 0.5 * (C[3] * own.x + C[4] * own.y + C[5] * own.z);
      }
      moved = lb_transform_mul(
          w.f->pose[0], lb_se3_exp((lb_twist){{xi[0], xi[1], xi[2]}, {xi[3], xi[4], xi[5]}}));
    }
    const lb_vec3 printed = lb_vec3_sub(moved.p, w.f->pose[0].p);
    print_message("full (%.6f, %.6f), printed (%.6f, %.6f)\n", full.x, full.z, printed.x,
                  printed.z);
    assert_near(full.x, pull[i].full[0], 1e-5);
    assert_near(full.z, pull[i].full[1], 1e-5);
    if (i == 0) {
      const lb_quat turn = lb_quat_mul(lb_quat_conjugate(w.f->pose[0].q), f->pose[0].q);
      assert_near(lb_vec3_norm(lb_quat_log(turn)), pull[i].full[2], 1e-5);
      assert_near(printed.x, pull[i].printed[0], 1e-5);
      assert_near(printed.z, pull[i].printed[1], 1e-5);
      assert_near(fabs(xi[1]), pull[i].printed[2], 1e-5);
    }
    lb_fork_release(f);
  }
  fork_drop(&w);
}

// What a joint passes on is the change of its spring's force, whatever else acts: a spring and a
// cable between bodies, their weight, and a load.
static void wrenches_count_all_forces_between_bodies(void** state) {
  (void)state;
  fork_world w = fork_make(
      "gravity: [0, 0, -9.81]\n"
      "bodies: {a: {" BOX "}, b: {" BOX "}, c: {" BOX "}}\n"
      "joints:\n"
      "  one: {type: revolute, child: a, axis: y, spring: {stiffness: 30}}\n"
      "  two: {type: revolute, parent: a, child: b, at: {position: [0, 0, 0.1], rotation: {axis: "
      "y, "
      "angle: 40 deg}}, axis: y, spring: {stiffness: 20}}\n"
      "  three: {type: revolute, parent: b, child: c, at: {position: [0, 0, 0.1], rotation: {axis: "
      "y, angle: 40 deg}}, axis: y, spring: {stiffness: 10}}\n"
      "springs:\n"
      "  s: {from: {body: a, at: [0.02, 0, 0]}, to: {body: c, at: [0.02, 0, 0.1]}, stiffness: 500, "
      "length: 0.15}\n"
      "  t: {from: {body: world, at: [0.3, 0, 0]}, to: {body: b, at: [0, 0, 0.1]}, stiffness: 300, "
      "length: 0.2}\n"
      "loads: {l: {body: c, at: [0, 0, 0.05], force: [3 N, 0, 1 N]}}\n"
      "fork: {f: {effectors: [c]}}\n");
  static const double k[] = {30, 20, 10};
  for (int i = 0; i < 3; i++) {
    for (int c = 0; c < 6; c++) { // unit wrenches in the plane and across it
      double turn[4] = {0}, moment = 0;
      for (int l = 0; l <= i; l++) {
        const lb_vec3 y = lb_quat_rotate(lb_quat_conjugate(w.f->link[l].q), lb_vec3_make(0, 1, 0));
        const double axis[3] = {y.x, y.y, y.z};
        for (int r = 0; r < 3; r++) {
          turn[1 + l] += axis[r] * w.f->T[(6 * l + r) * 6 + c];
          moment += l == i ? axis[r] * w.f->W[(6 * l + r) * 6 + c] : 0;
        }
      }
      assert_near(moment, k[i] * (turn[1 + i] - turn[i]), 1e-9);
    }
  }
  fork_drop(&w);
}

// --- bases ---

#define TWO                                                                                        \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {a: {mass: 3, inertia: [1, 1, 1]}, b: {mass: 2, inertia: [1, 1, 1]}}\n"                 \
  "joints: {j: {type: prismatic, parent: a, child: b, axis: x, spring: {stiffness: 100}}%s}\n"     \
  "fork: {f: {effectors: [b], base: %s}}\n"

// A body on another that floats: a force on it meets its own mass at once, and no other.
static void a_floating_base_is_one_more_master(void** state) {
  (void)state;
  fork_text t = {.n = 0};
  fork_say(&t, TWO, "", "free");
  fork_world w = fork_make(t.at);
  const lb_fork* f = w.f;
  assert_int_equal(f->base, 6);
  assert_int_equal(f->count, 7);
  // mobility e'M^-1 e of the effector's whole motion along x: the base's and its own
  double A[49], e[7] = {0, 0, 0, 1, 0, 0, f->shape[6 * 6 + 3]}, x[7];
  int pivot[7];
  memcpy(A, f->M, sizeof A);
  memcpy(x, e, sizeof x);
  assert_int_equal(lb_lu(7, A, 7, pivot), LB_OK);
  lb_lu_solve(7, A, 7, pivot, 1, x, 7);
  assert_near(lb_dot(7, e, x), 0.5, 1e-14);
  assert_near(f->M[3 * 7 + 3], 5, 1e-14); // all of the mass goes along with the base
  assert_near(f->K[3 * 7 + 3], 0, 1e-14);
  fork_drop(&w);
}

// A base that is held is as good as the world, whatever carries it.
static void a_base_may_be_any_body(void** state) {
  (void)state;
  fork_text t = {.n = 0};
  fork_say(&t, TWO, ", k: {type: revolute, child: a, axis: z}", "a");
  fork_world w = fork_make(t.at);
  assert_int_equal(w.f->base, 0);
  assert_int_equal(w.f->count, 1);
  assert_near(fork_compliance(w.f, 0, 3, 0, 3), 0.01, 1e-15);
  fork_drop(&w);
}

// --- what links may be ---

// F L^3 / (3 EI), as in test_equilibrium.c.
static void an_elastic_link_bends_as_beam_theory_says(void** state) {
  (void)state;
  fork_world w = fork_make("gravity: [0, 0, 0]\n"
                           "materials: {s: {density: 0.01, young: 200 GPa, poisson: 0.3}}\n"
                           "bodies:\n"
                           "  rod: {elastic: {rod: {radius: 5 mm, to: [0.4, 0, 0]}, material: s,\n"
                           "        elements: {across: 1}}}\n"
                           "  weight: {mass: 0.2 kg, shape: {sphere: {radius: 1 cm}}}\n"
                           "joints:\n"
                           "  clamp: {type: fixed, child: rod, face: start}\n"
                           "  tip: {type: fixed, parent: rod, face: end, child: weight}\n"
                           "fork: {f: {effectors: [weight]}}\n");
  const double theory = 0.4 * 0.4 * 0.4 / (3 * 200e9 * M_PI * 625e-12 / 4);
  assert_near(fork_compliance(w.f, 0, 5, 0, 5) / theory, 1, 0.01);
  assert_null(w.f->W);
  fork_drop(&w);
}

// A servo holds with its stiffness, beside the spring of its joint: as a force, and as a row of the
// contacts' problem.
static void a_servo_is_a_spring(void** state) {
  (void)state;
  static const char* const solver[] = {"", "contacts: {}\n", "solver: {integrator: bdf2}\n"};
  for (int i = 0; i < 3; i++) {
    fork_text t = {.n = 0};
    fork_say(&t,
             "gravity: [0, 0, 0]\n%s"
             "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {j: {type: revolute, axis: y, child: a, spring: {stiffness: 10}}}\n"
             "motors: {m: {joint: j, drive: servo, stiffness: 30, damping: 2, keys: [[0, 0.3]]}}\n"
             "fork: {f: {effectors: [a]}}\n",
             solver[i]);
    fork_world w = fork_make(t.at);
    assert_near(fork_compliance(w.f, 0, 1, 0, 1), 1.0 / 40, 1e-14);
    assert_near(w.f->q[0], 30 * 0.3 / 40, 1e-12);
    assert_near(w.f->D[0], 2, 1e-12);
    assert_near(w.f->M[0], 1, 1e-12);
    fork_drop(&w);
  }
}

// --- levels of detail ---

// Fingers of two hinges each, across, that hold a ball by loops: as the sole effector it has the
// compliance of the fingertips whose displacements at the balls' points agree.
#define FINGER(n)                                                                                  \
  "  p" #n ": {mass: 0.1, inertia: [0.01, 0.01, 0.01]}\n"                                          \
  "  d" #n ": {mass: 0.1, inertia: [0.01, 0.01, 0.01]}\n"
#define JOINTS(n, x, turn)                                                                         \
  "  k" #n ": {type: spherical, child: p" #n ", at: [" x "], spring: {stiffness: 3}}\n"            \
  "  t" #n ": {type: revolute, parent: p" #n ", child: d" #n ", at: [0, 0, 0.1], axis: " turn      \
  ", spring: {stiffness: 2}}\n"
#define HAND(effectors, ball, grip)                                                                \
  "gravity: [0, 0, 0]\nbodies:\n" FINGER(1) FINGER(2) FINGER(3) ball                               \
      "joints:\n" JOINTS(1, "0.1, 0, 0", "y") JOINTS(2, "-0.05, 0.08, 0", "x")                     \
          JOINTS(3, "-0.05, -0.08, 0", "[1, 1, 0]") grip "fork: {hand: {effectors: [" effectors    \
                                                         "]}}\n"
#define GRIP                                                                                       \
  "  g1: {type: fixed, loop: true, parent: d1, child: ball, at: [0, 0, 0.1], in_child: [0.1, 0, "  \
  "0]}\n"                                                                                          \
  "  g2: {type: spherical, loop: true, parent: d2, child: ball, at: [0, 0, 0.1], in_child: "       \
  "[-0.05, 0.08, 0]}\n"                                                                            \
  "  g3: {type: spherical, loop: true, parent: d3, child: ball, at: [0, 0, 0.1], in_child: "       \
  "[-0.05, -0.08, 0]}\n"
#define BALL "  ball: {mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.2]}\n"

static void a_grasped_body_is_as_soft_as_its_fingertips(void** state) {
  (void)state;
  fork_world grasped = fork_make(HAND("ball", BALL, GRIP));
  fork_world tips = fork_make(HAND("d1, d2, d3", "", ""));
  static const lb_vec3 contact[3] = {{0.1, 0, 0}, {-0.05, 0.08, 0}, {-0.05, -0.08, 0}};
  enum { ROWS = 12 };
  // unknowns: forces of the grips [12], the ball's twist [6]; grips: B_t C B_t' f + B_b xi = 0,
  // B_b' f = wrench
  double B_t[ROWS][18] = {{0}}, B_b[ROWS][6] = {{0}}, G[18 * 18] = {0}, R[18 * 6] = {0};
  int row = 0;
  for (int i = 0; i < 3; i++) {
    for (int r = 0; r < (i == 0 ? 6 : 3); r++, row++) {
      const lb_vec3 e = lb_vec3_make(r % 3 == 0, r % 3 == 1, r % 3 == 2), p = contact[i];
      const lb_vec3 at_tip = lb_vec3_cross(lb_vec3_make(0, 0, 0.1), e),
                    at_ball = lb_vec3_cross(p, e);
      const double t[6] = {r < 3 ? at_tip.x : e.x, r < 3 ? at_tip.y : e.y, r < 3 ? at_tip.z : e.z,
                           r < 3 ? e.x : 0,        r < 3 ? e.y : 0,        r < 3 ? e.z : 0};
      const double b[6] = {r < 3 ? at_ball.x : e.x, r < 3 ? at_ball.y : e.y,
                           r < 3 ? at_ball.z : e.z, r < 3 ? e.x : 0,
                           r < 3 ? e.y : 0,         r < 3 ? e.z : 0};
      for (int c = 0; c < 6; c++) {
        B_t[row][6 * i + c] = t[c];
        B_b[row][c] = -b[c];
      }
    }
  }
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) {
      for (int k = 0; k < 18 * 18; k++) {
        G[i + j * 18] += B_t[i][k / 18] * tips.f->C[k] * B_t[j][k % 18];
      }
    }
    for (int c = 0; c < 6; c++) {
      G[i + (ROWS + c) * 18] = G[ROWS + c + i * 18] = B_b[i][c];
    }
  }
  for (int c = 0; c < 6; c++) {
    R[ROWS + c + c * 18] = -1;
  }
  lb_arena arena;
  int rank = 0;
  lb_arena_init(&arena, NULL);
  assert_int_equal(lb_least_squares(&arena, 18, 18, G, 18, 6, R, 18, 1e-12, &rank), LB_OK);
  lb_arena_release(&arena);
  double most = 0, worst = 0;
  for (int r = 0; r < 36; r++) {
    const double exact = R[ROWS + r / 6 + r % 6 * 18], found = grasped.f->C[r];
    most = fmax(most, fabs(exact));
    worst = fmax(worst, fabs(exact - found));
  }
  print_message("compliance up to %g, off by %.2g\n", most, worst);
  assert_below(worst, 1e-9 * most);
  fork_drop(&grasped);
  fork_drop(&tips);
}

// --- refusals ---

static void refuse(const char* text, lb_status status, const char* words) {
  fork_world w = fork_parse(text);
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_fork_create(w.m, &w.scene.fork[0], 0, NULL, &w.f, &err), status);
  if (!strstr(err.message[0].text, words)) {
    print_error("'%s' is not in '%s'\n", words, err.message[0].text);
    fail();
  }
  assert_true(err.message[0].place.line > 0);
  lb_error_clear(&err);
  fork_drop(&w);
}

#define B "{mass: 1, center: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]}"
#define PIN "type: revolute, axis: y"
#define K "spring: {stiffness: 100}"

static void what_cannot_be_reduced_is_said(void** state) {
  (void)state;
  refuse("gravity: [0, 0, 0]\nbodies: {a: " B ", b: " B "}\n"
         "joints: {j: {" PIN ", child: a, " K "}, k: {" PIN
         ", parent: a, child: b, at: [0, 0, 1]}}\n"
         "fork: {f: {effectors: [a, b]}}\n",
         LB_FAILED, "effector 'b' has no stiffness in a direction in which joint 'k' moves");
  refuse("gravity: [0, 0, 0]\nbodies: {a: " B ", b: " B "}\n"
         "joints: {j: {type: fixed, child: a}, k: {" PIN ", parent: a, child: b, " K "}}\n"
         "fork: {f: {effectors: [b, a]}}\n",
         LB_INVALID, "effector 'a' cannot move");
  refuse("gravity: [0, 0, 0]\nbodies: {a: " B ", b: " B "}\n"
         "joints: {j: {" PIN ", child: a, " K "}, k: {" PIN
         ", parent: a, child: b, at: [0, 0, 1], " K "}}\n"
         "motors: {m: {joint: j, keys: [[0, 0]]}}\n"
         "fork: {f: {effectors: [b, a]}}\n",
         LB_INVALID, "effector 'a' cannot move");
  refuse("gravity: [0, 0, 0]\nbodies: {a: " B ", b: " B "}\n"
         "joints: {j: {" PIN ", child: a, " K "}, k: {" PIN
         ", parent: a, child: b, at: [0, 0, 1], " K "}}\n"
         "fork: {f: {effectors: [b], base: free}}\n",
         LB_INVALID, "does not hang on the one body that floats");
}

// A four-bar of four equal bars in one line: each may turn there, and only one beside it.
static void a_singular_pose_is_said(void** state) {
  (void)state;
  refuse("gravity: [0, 0, 0]\nbodies: {a: " B ", b: " B ", c: " B "}\n"
         "joints:\n"
         "  j: {" PIN ", child: a, " K "}\n"
         "  k: {" PIN ", parent: a, child: b, at: [0, 0, 1], in_child: [0, 0, 1], " K "}\n"
         "  l: {" PIN ", child: c, at: [0, 0, 1], in_child: [0, 0, 1], " K "}\n"
         "  m: {" PIN ", loop: true, parent: b, child: c}\n"
         "fork: {f: {effectors: [b]}}\n",
         LB_FAILED, "singular pose");
}

// A pin within a loop needs no spring, and a wheel on an effector that turns freely moves nothing
// that counts.
static void pins_and_wheels_are_left_alone(void** state) {
  (void)state;
  fork_world w = fork_make(
      "gravity: [0, 0, 0]\nbodies: {a: " B ", b: " B ", c: " B
      ", wheel: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  j: {" PIN ", child: a, spring: {stiffness: 1000}}\n"
      "  k: {" PIN ", parent: a, child: b, at: [0, 0, 1]}\n"
      "  l: {" PIN ", child: c, at: [1, 0, 0]}\n"
      "  m: {" PIN ", loop: true, parent: b, child: c, at: [1, 0, 0], in_child: [0, 0, 1]}\n"
      "  spin: {" PIN ", parent: b, child: wheel}\n"
      "fork: {f: {effectors: [b]}}\n");
  assert_near(fork_compliance(w.f, 0, 3, 0, 3), 1e-3, 1e-12);
  assert_int_equal(w.f->count, 1);
  fork_drop(&w);
}

static void no_memory_leaves_nothing_behind(void** state) {
  (void)state;
  fork_world w = fork_read("ladder");
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting c = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&c);
    lb_fork* f = NULL;
    status = lb_fork_create(w.m, &w.scene.fork[0], 0, &allocator, &f, NULL);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    assert_int_equal(f != NULL, status == LB_OK);
    lb_fork_release(f);
    assert_int_equal(c.live, 0);
  }
  fork_drop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(preload_stiffens_and_softens),
      cmocka_unit_test(static_shapes_have_the_right_frequency),
      cmocka_unit_test(modes_have_the_right_frequencies),
      cmocka_unit_test(wrenches_count_all_forces_between_bodies),
      cmocka_unit_test(the_wishbone_goes_where_it_should),
      cmocka_unit_test(a_floating_base_is_one_more_master),
      cmocka_unit_test(a_base_may_be_any_body),
      cmocka_unit_test(an_elastic_link_bends_as_beam_theory_says),
      cmocka_unit_test(a_servo_is_a_spring),
      cmocka_unit_test(no_memory_leaves_nothing_behind),
      cmocka_unit_test(muscles_stiffen),
      cmocka_unit_test(a_grasped_body_is_as_soft_as_its_fingertips),
      cmocka_unit_test(what_cannot_be_reduced_is_said),
      cmocka_unit_test(a_singular_pose_is_said),
      cmocka_unit_test(pins_and_wheels_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
