// Paths of muscles over all surfaces: moment arms, derivatives and momentum.
#include "compile.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/muscle/path.h"
#include "residual.h"

// A free upper bone, a fore on a hinge, a hand on another: %s are the surface at the elbow, and the
// path.
#define ARM                                                                                        \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 2, center: [0, 0, -0.15], inertia: [0.02, 0.02, 0.002]}\n"                      \
  "  fore: {mass: 1.5, center: [0, 0, -0.15], inertia: [0.012, 0.012, 0.001]}\n"                   \
  "  hand: {mass: 0.5, center: [0, 0, -0.05], inertia: [0.001, 0.001, 0.0005]}\n"                  \
  "joints:\n"                                                                                      \
  "  shoulder: {type: %s, child: upper, at: [0, 0, 1]}\n"                                          \
  "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: -y}\n"            \
  "  wrist: {type: revolute, parent: fore, child: hand, at: [0, 0, -0.25], axis: [0.2, 1, 0]}\n"   \
  "initial: {elbow: {position: 1.2}}\n"                                                            \
  "wraps:\n  round: {body: %s, position: [0, 0, %g], %s}\n"                                        \
  "  bump: {body: upper, position: [-4 cm, 0, -20 cm], rotation: [90 deg, 0, 0], cylinder: "       \
  "{radius: 3 cm}, side: -x}\n"                                                                    \
  "muscles:\n  triceps:\n"                                                                         \
  "    through: [{body: upper, at: [-0.06, 0.01, -0.05]}, %s]\n"                                   \
  "    hill: {model: millard, force: 900, fiber: 0.2, slack: 0.25, elastic: false, damping: "      \
  "0.1}\n"                                                                                         \
  "    excitation: {keys: [[0, 0.5]]}\n%s"

#define TILTED ", rotation: [90 deg, 10 deg, 0]"
#define WRAPPED "{wrap: round}, {body: fore, at: [-0.05, 0.005, -0.2]}"

typedef struct test_case {
  const char *name, *surface, *path;
  bool on_fore;
} test_case;

static const test_case CASES[] = {
    {"straight", "sphere: {radius: 1 cm}",
     "{body: upper, at: [-0.05, 0, -0.28]}, {body: fore, at: [-0.05, 0, -0.05]}", false},
    {"cylinder", "cylinder: {radius: 3 cm}, side: -x" TILTED, WRAPPED, false},
    {"cylinder of the fore", "cylinder: {radius: 3 cm}, side: -x" TILTED, WRAPPED, true},
    {"sphere", "sphere: {radius: 4 cm}, side: -x" TILTED, WRAPPED, false},
    {"capsule", "capsule: {radius: 3 cm, length: 4 cm}, side: -x" TILTED, WRAPPED, false},
    {"ellipsoid", "ellipsoid: {radii: [4 cm, 3 cm, 5 cm]}, side: -x" TILTED, WRAPPED, false},
    {"torus", "torus: {ring: 8 cm, radius: 2 cm}, rotation: [0, 10 deg, 0]", WRAPPED, false},
    {"moving", "cylinder: {radius: 3 cm}, side: -x" TILTED,
     "{wrap: round}, {body: fore, follows: {joint: wrist, x: {spline: [[-1, -6 cm], [0, -5 cm], "
     "[1, "
     "-5.5 cm], [2, -5 cm]]}, z: {polynomial: [0.01, 0.02, -0.1]}}}, {body: hand, at: [-0.03, 0, "
     "-0.05]}",
     false},
    {"conditional", "cylinder: {radius: 3 cm}, side: -x" TILTED,
     "{wrap: round}, {body: fore, at: [-0.05, 0, -0.1], while: {joint: elbow, at_least: 0}}, "
     "{body: fore, at: [-0.06, 0, 0], while: {joint: elbow, at_most: -1}}, {body: hand, at: "
     "[-0.03, 0, -0.05]}",
     false},
    {"comes in", "cylinder: {radius: 3 cm}, side: -x" TILTED,
     "{wrap: round}, {body: fore, at: [-0.05, 0.005, -0.1]}, {body: fore, at: [-0.07, 0.01, "
     "-0.15], "
     "while: {joint: elbow, at_least: 70 deg, over: 60 deg}}, {body: hand, at: [-0.03, 0, -0.05]}",
     false},
    {"double cylinder, wide band", "cylinder: {radius: 3 cm}, side: -x, smooth: 0.6" TILTED,
     "{wrap: bump}, {wrap: round}, {body: fore, at: [-0.05, 0.005, -0.2]}", false},
    {"double cylinder", "cylinder: {radius: 3 cm}, side: -x" TILTED,
     "{wrap: bump}, {wrap: round}, {body: fore, at: [-0.05, 0.005, -0.2]}", false},
    {"mixed", "cylinder: {radius: 3 cm}, side: -x" TILTED,
     "{wrap: round}, {body: fore, at: [-0.05, 0, -0.1]}, {body: fore, at: [-0.04, 0.01, -0.2]}, "
     "{body: hand, at: [-0.03, 0, -0.05]}",
     false},
};
enum { NCASE = sizeof CASES / sizeof *CASES, MOST = 16 };

static lb_model* make(const test_case* c, const char* shoulder, const char* more) {
  char text[4096];
  snprintf(text, sizeof text, ARM, shoulder, c->on_fore ? "fore" : "upper", c->on_fore ? 0 : -0.3,
           c->surface, c->path, more);
  return compile(text);
}

static void find(const lb_model* m, lb_data* d, lb_path* p) {
  lb_update(m, d, LB_ORIGINS);
  lb_path_find(p, m->muscle.item[0].path, d->work, d->q, d->qd);
}

static void random_motion(const lb_model* m, lb_random* r, double* q, double* qd) {
  double e[MOST];
  memcpy(q, m->start.q, (size_t)m->nq * sizeof *q);
  for (int k = 0; k < m->nv; k++) {
    e[k] = lb_random_between(r, -0.2, 0.2);
    qd[k] = lb_random_between(r, -2, 2);
  }
  lb_advance(m, q, e, 1);
}

static void put(const lb_model* m, lb_data* d, const double* q, const double* v) {
  memcpy(d->q, q, (size_t)m->nq * sizeof *q);
  memcpy(d->qd, v, (size_t)m->nv * sizeof *v);
}

static void length_of(void* context, double* out, const double* q, const double* v) {
  lb_data* d = context;
  lb_path p;
  put(d->model, d, q, v);
  find(d->model, d, &p);
  out[0] = p.length;
}

// Arms against differences, the rate against both, and power.
static void moment_arms_are_slopes_of_the_length(void** state) {
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    lb_model* m = make(&CASES[i], "free", "");
    lb_data* d;
    double q[MOST], v[MOST], arm[MOST], slope[MOST];
    lb_random r = {(uint64_t)i + 1};
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    bool touched = !strstr(CASES[i].path, "wrap");
    for (int n = 0; n < 10; n++) {
      lb_path p;
      random_motion(m, &r, q, v);
      difference(m, length_of, d, 1, q, v, true, 2e-4, slope);
      put(m, d, q, v);
      find(m, d, &p);
      lb_fill_columns(m, d->work);
      lb_path_arms(m, d->work, &p, arm);
      double rate = 0;
      for (int k = 0; k < m->nv; k++) {
        rate -= arm[k] * v[k];
        if (fabs(slope[k] + arm[k]) > 1e-8) {
          fail_msg("%s: arm %d is %.10g, not %.10g", CASES[i].name, k, arm[k], -slope[k]);
        }
      }
      assert_near(rate, p.rate, 1e-12);
      for (int s = 0; s + 1 < p.count; s++) {
        lb_wrap_path path;
        if (p.span[s].surface) {
          lb_wrap_find(0, &p.span[s].surface->wrap, &path, &p.span[s].end[0], &p.span[s].end[1]);
          touched = touched || path.count > 1;
        }
      }
    }
    if (!touched) {
      fail_msg("%s never touches", CASES[i].name);
    }
    lb_data_release(d);
    lb_model_release(m);
  }
}

static void check_derivatives(const test_case* c, const char* shoulder, const char* more,
                              double tolerance) {
  static double reference[MOST * MOST];
  lb_model* m = make(c, shoulder, more);
  lb_data* d;
  lb_derivatives* D;
  double q[MOST], v[MOST], scratch[MOST];
  lb_random r = {17};
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  for (int n = 0; n < 4; n++) {
    random_motion(m, &r, q, v);
    for (int k = 0; k < m->nv; k++) {
      d->qdd[k] = lb_random_between(&r, -5, 5);
    }
    residual(d, scratch, q, v);
    lb_derive_forced(D, d);
    difference(m, residual, d, m->nv, q, v, true, 5e-5, reference);
    const double by_q = distance(m->nv * m->nv, reference, D->tau_q);
    difference(m, residual, d, m->nv, q, v, false, 1e-4, reference);
    const double by_qd = distance(m->nv * m->nv, reference, D->tau_qd);
    if (!(by_q < tolerance) || !(by_qd < tolerance)) {
      fail_msg("%s, %s: derivatives differ by %g and %g", c->name, shoulder, by_q, by_qd);
    }
  }
  lb_derivatives_release(D);
  lb_data_release(d);
  lb_model_release(m);
}

static void derivatives_of_forces_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    check_derivatives(&CASES[i], "free", "", 1e-8);
    check_derivatives(&CASES[i], "spherical", "", 1e-8);
  }
}

// Cables over the same surfaces.
static void cables_run_over_surfaces_alike(void** state) {
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    if (strstr(CASES[i].path, "follows") || strstr(CASES[i].path, "while")) {
      continue;
    }
    char more[600];
    snprintf(more, sizeof more,
             "cables:\n  rope: {through: [{body: upper, at: [-0.06, 0.01, -0.05]}, %s], stiffness: "
             "200, damping: 3, dissipation: 0.4, length: 0.1}\n",
             CASES[i].path);
    check_derivatives(&CASES[i], "free", more, 1e-8);
    lb_model* m = make(&CASES[i], "free", more);
    lb_data* d;
    lb_path p;
    assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
    find(m, d, &p);
    const double stretch = p.length - 0.1;
    assert_near(lb_forces_energy(m, d), 100 * stretch * stretch, 1e-10);
    lb_data_release(d);
    lb_model_release(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moment_arms_are_slopes_of_the_length),
      cmocka_unit_test(derivatives_of_forces_match_differences),
      cmocka_unit_test(cables_run_over_surfaces_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
