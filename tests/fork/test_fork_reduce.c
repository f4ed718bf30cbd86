// Compliance of mechanisms, against closed forms: docs/theory-fork.md.
#include "fork_world.h"

// A force along the axis of the helix turns each ball by its distance across the axis, rho, from
// the tip: C_zz = sum |rho|^2 / k.
static void the_helix_is_as_soft_as_its_balls_are(void** state) {
  (void)state;
  static const struct {
    const char* file;
    double C;
  } helix[] = {
      {"helix-50", 1.02e-3}, {"helix-100", 2e-3}, {"helix-200", 4e-3}, {"helix-400", 8e-3}};
  for (int i = 0; i < (getenv("LIMBER_SANITIZED") ? 2 : 4); i++) {
    fork_world w = fork_read(helix[i].file);
    w.f = fork_reduce(&w, 0);
    assert_near(fork_compliance(w.f, 0, 5, 0, 5) / helix[i].C, 1, 1e-12);
    assert_int_equal(w.f->count, 6);
    fork_drop(&w);
  }
}

#define HINGE "type: revolute, axis: y, spring: {stiffness: 1000}"
#define BAR "mass: 1, center: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]"

// Two cranks of 1 m with a coupler between them, four springs k = 1000 N m/rad: 4 k / L^2. An arm
// on the first crank by a fifth, out to 2 m: (2 m)^2 / 4 k + (1 m)^2 / k. All of it turned as a
// whole by `pose`, on a body that is fixed there.
#define PARALLELOGRAM                                                                              \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {ground: {mass: 1, inertia: [1, 1, 1]}, a: {" BAR "}, b: {" BAR "}, coupler: {" BAR     \
  "}, arm: {" BAR "}}\n"                                                                           \
  "joints:\n"                                                                                      \
  "  stand: {type: fixed, child: ground, at: %s, in_child: %s}\n"                                  \
  "  one: {" HINGE ", parent: ground, child: a}\n"                                                 \
  "  two: {" HINGE ", parent: ground, child: b, at: [1, 0, 0]}\n"                                  \
  "  three: {" HINGE ", parent: a, child: coupler, at: [0, 0, 1]}\n"                               \
  "  four: {" HINGE ", loop: true, parent: coupler, child: b, at: [1, 0, 0], in_child: [0, 0, 1]}" \
  "\n"                                                                                             \
  "  five: {" HINGE ", parent: a, child: arm, at: [0, 0, 1]}\n"                                    \
  "markers: {end: {body: arm, at: [0, 0, 1]}}\n"                                                   \
  "fork: {p: {effectors: [coupler, end]}}\n"

static void closing_a_loop_stiffens_all_its_bodies_in_any_frame(void** state) {
  (void)state;
  static const char* const turned[][2] = {
      {"[0, 0, 0]", "[0, 0, 0]"},
      {"{position: [3, -2, 7], rotation: [20 deg, 50 deg, 110 deg]}",
       "{position: [1, 2, 3], rotation: [-70 deg, 15 deg, 33 deg]}"}};
  for (int i = 0; i < 2; i++) {
    fork_text t = {.n = 0};
    fork_say(&t, PARALLELOGRAM, turned[i][0], turned[i][1]);
    fork_world w = fork_make(t.at);
    const lb_vec3 x = lb_quat_rotate(w.f->pose[0].q, lb_vec3_make(1, 0, 0));
    const double along[6] = {0, 0, 0, x.x, x.y, x.z};
    double C[2][2] = {{0}};
    for (int a = 0; a < 4; a++) {
      for (int r = 0; r < 36; r++) {
        C[a / 2][a % 2] +=
            along[r / 6] * along[r % 6] * fork_compliance(w.f, a / 2, r / 6, a % 2, r % 6);
      }
    }
    assert_near(C[0][0] / 2.5e-4, 1, 1e-12);
    assert_near(C[1][1] / 0.002, 1, 1e-12);
    assert_near(C[0][1] / 5e-4, 1, 1e-12);
    assert_int_equal(w.f->count, 2); // a freedom of the coupler, and one of the arm
    lb_fork_release(w.f);
    w.scene.fork[0].neffector = 1;
    w.f = fork_reduce(&w, 0);
    assert_int_equal(w.f->count, 1); // the coupler alone: rank 1
    fork_drop(&w);
  }
}

// Two arms on a stem of two hinges, and a third body: what the stem's hinges do, once.
static void siblings_share_their_ancestors_once(void** state) {
  (void)state;
  fork_world w =
      fork_make("gravity: [0, 0, 0]\n"
                "bodies: {b: {" BAR "}, c: {" BAR "}, f: {" BAR "}, g: {" BAR "}, h: {" BAR "}}\n"
                "joints:\n"
                "  b: {" HINGE ", child: b}\n"
                "  c: {" HINGE ", parent: b, child: c, at: [0, 0, 1]}\n"
                "  h: {" HINGE ", parent: b, child: h, at: [0, 0, 1]}\n"
                "  f: {" HINGE ", parent: c, child: f, at: [0, 0, 1]}\n"
                "  g: {" HINGE ", parent: c, child: g, at: [0, 0, 1]}\n"
                "markers: {f-end: {body: f, at: [0, 0, 1]}, g-end: {body: g, at: [0, 0, 1]}}\n"
                "fork: {t: {effectors: [f-end, g-end, h]}}\n");
  assert_near(fork_compliance(w.f, 0, 3, 1, 3) / 0.013, 1, 1e-12);
  assert_near(fork_compliance(w.f, 0, 3, 0, 3) / 0.014, 1, 1e-12);
  fork_drop(&w);
}

// Displacement of the first effector along y by the weight of all bodies, to first order: by
// reciprocity what its unit force does to each of them.
static double sag(const lb_fork* f) {
  const lb_model* m = f->model;
  double sum = 0;
  for (int i = 0; i < m->nbody; i++) {
    const int link = m->body.link[i];
    const lb_vec3 centre = lb_transform_point(m->body.in_link[i], m->body.mass[i].com);
    const lb_vec3 down =
        lb_quat_rotate(lb_quat_conjugate(f->link[link].q), lb_vec3_make(0, -9.81, 0));
    double twist[6];
    for (int r = 0; r < 6; r++) {
      twist[r] = f->T[(6 * link + r) * 6 + 4];
    }
    const lb_vec3 turn = lb_vec3_make(twist[0], twist[1], twist[2]);
    const lb_vec3 move =
        lb_vec3_add(lb_vec3_make(twist[3], twist[4], twist[5]), lb_vec3_cross(turn, centre));
    sum += m->body.mass[i].mass * lb_vec3_dot(down, move);
  }
  return sum;
}

// Without weight; and how far its weight lets it down at the end of a rail and at the middle of the
// rail's last link, for which other engines have -2.297 mm.
static void the_ladder_is_a_hundred_times_stiffer_than_a_rail(void** state) {
  (void)state;
  static const double at[] = {0.1, 0.05}, sink[] = {-2.3152e-3, -2.2975e-3};
  fork_world w = fork_read("ladder");
  w.m->gravity = lb_vec3_make(0, 0, 0);
  for (int i = 0; i < 2; i++) {
    w.scene.fork[0].effector[0].at.x = at[i];
    lb_fork* f = fork_reduce(&w, 0);
    if (i == 0) {
      assert_near(fork_compliance(f, 0, 4, 0, 4) / 1.5e-4, 1, 1e-10);
    }
    assert_int_equal(f->count, 2); // across, and a turn: it cannot be stretched
    print_message("at %g m of the link: %.7g mm\n", at[i], 1e3 * sag(f));
    assert_near(sag(f) / sink[i], 1, 3e-5); // half of the last digit
    lb_fork_release(f);
  }
  fork_drop(&w);
}

// Principal compliances: the largest first, with axes of length one across each other, and together
// the matrix again.
static void principal_axes_make_the_compliance(void** state) {
  (void)state;
  fork_world w = fork_read("wishbone");
  w.f = fork_reduce(&w, 0);
  for (int k = 0; k < 4; k++) {
    const lb_fork_axes a = lb_fork_principal(w.f, k / 2, k % 2);
    double C[36];
    lb_fork_compliance(w.f, k / 2, k / 2, C);
    assert_at_least(a.compliance[0], a.compliance[1]);
    assert_at_least(a.compliance[1], a.compliance[2]);
    for (int i = 0; i < 9; i++) {
      double sum = 0, unit = 0;
      for (int c = 0; c < 3; c++) {
        const double x[3] = {a.axis[c].x, a.axis[c].y, a.axis[c].z};
        sum += a.compliance[c] * x[i / 3] * x[i % 3];
        unit += x[i / 3] * x[i % 3];
      }
      const int from = k % 2 ? 0 : 3;
      assert_near(unit, i % 4 == 0, 1e-14);
      assert_below(fabs(sum - C[(from + i / 3) * 6 + from + i % 3]), 1e-14);
      assert_below(fabs(sum - fork_compliance(w.f, k / 2, from + i / 3, k / 2, from + i % 3)),
                   1e-14);
    }
  }
  assert_near(lb_fork_principal(w.f, 0, false).compliance[2], 0, 0); // out of its plane
  fork_drop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_helix_is_as_soft_as_its_balls_are),
      cmocka_unit_test(closing_a_loop_stiffens_all_its_bodies_in_any_frame),
      cmocka_unit_test(siblings_share_their_ancestors_once),
      cmocka_unit_test(principal_axes_make_the_compliance),
      cmocka_unit_test(the_ladder_is_a_hundred_times_stiffer_than_a_rail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
