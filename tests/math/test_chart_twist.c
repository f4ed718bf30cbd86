// The chart of twists: its motion is the exponential's, and each derivative is that of the one
// before.
#include "math/curve/chart.h"
#include "math/space/se3.h"
#include "test.h"

static double at(lb_motion m, int row) {
  return row < 3 ? m.w[row] : m.v[row - 3];
}

static void random_six(lb_random* r, double size, double* x) {
  for (int i = 0; i < 6; i++) {
    x[i] = lb_random_between(r, -size, size);
  }
}

static lb_transform pose_of(const double* xi) {
  return lb_se3_exp(
      (lb_twist){lb_vec3_make(xi[0], xi[1], xi[2]), lb_vec3_make(xi[3], xi[4], xi[5])});
}

static const double H = 1e-4, WEIGHT[] = {8, -1}; // central differences of fourth order

// The body's twist by coordinate k.
static void difference_of_pose(const double* xi, int k, double* out) {
  const lb_transform back = lb_transform_inverse(pose_of(xi));
  memset(out, 0, 6 * sizeof *out);
  for (int n = 0; n < 4; n++) {
    double x[6];
    memcpy(x, xi, sizeof x);
    x[k] += (n % 2 ? -1 : 1) * (1 + n / 2) * H;
    const lb_twist t = lb_se3_log(lb_transform_mul(back, pose_of(x)));
    const double six[] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
    for (int i = 0; i < 6; i++) {
      out[i] += (n % 2 ? -1 : 1) * WEIGHT[n / 2] / (12 * H) * six[i];
    }
  }
}

static void derivatives_are_those_of_the_exponential(void** state) {
  (void)state;
  lb_random r = {3};
  for (int trial = 0; trial < 200; trial++) {
    const double size = trial % 3 == 0 ? 1e-6 : trial % 3 == 1 ? 0.7 : 1.6;
    double xi[6], xid[6], six[6], c[LB_STUMPFF_COUNT], other[LB_STUMPFF_COUNT];
    random_six(&r, size, xi);
    random_six(&r, 2, xid);
    lb_chart_at here, near[4];
    for (int order = LB_CHART_PLACE; order <= LB_CHART_BEND; order++) {
      lb_chart_twist(&here, c, xi, xid, (lb_chart_order)order);
    }
    const lb_transform X = pose_of(xi);
    assert_near(here.p[0], X.p.x, 1e-15);
    assert_near(here.R.x[1], lb_quat_matrix(X.q).x.y, 1e-15);
    for (int k = 0; k < 6; k++) {
      difference_of_pose(xi, k, six);
      for (int n = 0; n < 4; n++) {
        double x[6];
        memcpy(x, xi, sizeof x);
        x[k] += (n % 2 ? -1 : 1) * (1 + n / 2) * H;
        lb_chart_twist(&near[n], other, x, xid, LB_CHART_PLACE);
        lb_chart_twist(&near[n], other, x, xid, LB_CHART_MOVE);
      }
      for (int row = 0; row < 6; row++) {
        assert_near(at(here.S[k], row), six[row], 1e-9);
#define DIFFERENCE(of)                                                                             \
  ((WEIGHT[0] * (at(near[0].of, row) - at(near[1].of, row)) +                                      \
    WEIGHT[1] * (at(near[2].of, row) - at(near[3].of, row))) /                                     \
   (12 * H))
        for (int i = 0; i < 6; i++) {
          assert_near(at(here.T[i][k], row), DIFFERENCE(S[i]), 1e-9);
        }
        assert_near(at(here.rate[k], row), DIFFERENCE(V), 1e-9);
        assert_near(at(here.curve[k], row), DIFFERENCE(b), 1e-8);
      }
    }
    // V = S xid and b = the rate of S times xid
    for (int row = 0; row < 6; row++) {
      double V = 0, b = 0;
      for (int i = 0; i < 6; i++) {
        V += at(here.S[i], row) * xid[i];
        b += at(here.rate[i], row) * xid[i];
      }
      assert_near(at(here.V, row), V, 1e-13);
      assert_near(at(here.b, row), b, 1e-12);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_exponential),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
