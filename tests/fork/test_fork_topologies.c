// Reduced mechanisms of random topology, against the static solution in maximal coordinates and
// against the recursion of [fork].
#include "random_mechanism.h"

// Twist about the world's origin from that of a frame along its own axes, and the wrench likewise.
static lb_twist to_world(lb_transform X, const double* own, bool force) {
  const lb_vec3 w = lb_quat_rotate(X.q, lb_vec3_make(own[0], own[1], own[2]));
  const lb_vec3 v = lb_quat_rotate(X.q, lb_vec3_make(own[3], own[4], own[5]));
  return force ? (lb_twist){lb_vec3_add(w, lb_vec3_cross(X.p, v)), v}
               : (lb_twist){w, lb_vec3_add(v, lb_vec3_cross(X.p, w))};
}

static double distance(lb_twist a, const double* b) {
  const double x[6] = {a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z};
  double most = 0;
  for (int i = 0; i < 6; i++) {
    most = fmax(most, fabs(x[i] - b[i]));
  }
  return most;
}

// Wrench of an effector along its own axes whose wrench about the world's origin is unit c.
static void own_wrench(lb_transform X, int c, double out[6]) {
  double unit[6] = {0};
  unit[c] = 1;
  const lb_vec3 f = lb_vec3_make(unit[3], unit[4], unit[5]);
  const lb_vec3 n = lb_vec3_sub(lb_vec3_make(unit[0], unit[1], unit[2]), lb_vec3_cross(X.p, f));
  const lb_vec3 own_n = lb_quat_rotate(lb_quat_conjugate(X.q), n);
  const lb_vec3 own_f = lb_quat_rotate(lb_quat_conjugate(X.q), f);
  const double x[6] = {own_n.x, own_n.y, own_n.z, own_f.x, own_f.y, own_f.z};
  memcpy(out, x, sizeof x);
}

typedef struct errors {
  double C, T, W, recursion;
  int recursions, unique;
} errors;

// Image of a wrench of effector e under six rows of a map.
static void apply(const double* rows, int n, int e, const double* wrench, double out[6]) {
  for (int r = 0; r < 6; r++) {
    out[r] = lb_dot(6, rows + (size_t)r * (size_t)n + 6 * (size_t)e, wrench);
  }
}

static double most_of(const mechanism* m) {
  double most = 0;
  for (int i = 0; i < 24 * 24; i++) {
    most = fmax(most, fabs(m->C[i / 24][i % 24]));
  }
  return most;
}

// The largest compliance of the effector that moves least.
static double least_motion(const mechanism* m) {
  double least = INFINITY;
  for (int e = 0; e < m->neffector; e++) {
    double most = 0;
    for (int r = 6 * e; r < 6 * e + 6; r++) {
      most = fmax(most, fabs(m->C[r][r]));
    }
    least = fmin(least, most);
  }
  return least;
}

static void compare(const mechanism* m, const fork_world* w, errors* worst) {
  const lb_fork* f = w->f;
  const int n = 6 * m->neffector;
  const double scale = most_of(m);
  static mech_recursion R;
  memset(&R, 0, sizeof R);
  const bool recursed = mech_recurse(m, &R);
  for (int c = 0; c < n; c++) {
    double wrench[6], image[6], exact[6];
    own_wrench(f->pose[c / 6], c % 6, wrench);
    for (int e = 0; e < m->neffector; e++) {
      apply(f->C + (size_t)e * 6 * (size_t)n, n, c / 6, wrench, image);
      for (int r = 0; r < 6; r++) {
        exact[r] = m->C[6 * e + r][c];
      }
      worst->C = fmax(worst->C, distance(to_world(f->pose[e], image, false), exact) / scale);
      for (int r = 0; r < 6; r++) {
        exact[r] = R.C[6 * m->effector[e] + r][6 * m->effector[c / 6] + c % 6];
      }
      if (recursed) {
        worst->recursion =
            fmax(worst->recursion, distance(to_world(f->pose[e], image, false), exact) / scale);
      }
    }
    for (int b = 0; b < m->nbody && m->unique; b++) {
      const int link = w->m->body.link[b];
      apply(f->T + (size_t)link * 6 * (size_t)n, n, c / 6, wrench, image);
      for (int r = 0; r < 6; r++) {
        exact[r] = m->T[b][r][c];
      }
      worst->T = fmax(worst->T, distance(to_world(f->link[link], image, false), exact) / scale);
      apply(f->W + (size_t)link * 6 * (size_t)n, n, c / 6, wrench, image);
      for (int r = 0; r < 6; r++) {
        exact[r] = m->W[b][r][c];
      }
      worst->W = fmax(worst->W, distance(to_world(f->link[link], image, true), exact));
    }
  }
  worst->recursions += recursed;
  worst->unique += m->unique;
}

static void a_thousand_topologies_are_reduced_exactly(void** state) {
  (void)state;
  const int wanted = getenv("LIMBER_SANITIZED") ? 100 : 1000;
  lb_random r = {18};
  errors worst = {0};
  int done = 0, refused = 0;
  for (int i = 0; done < wanted; i++) {
    mechanism m = mech_random(&r);
    const bool held = mech_solve(&m);
    fork_text t = mech_text(&m);
    fork_world w = fork_parse(t.at);
    const lb_status status = lb_fork_create(w.m, &w.scene.fork[0], 0, NULL, &w.f, NULL);
    if (status == LB_OK) {
      compare(&m, &w, &worst);
      done++;
    }
    // what nothing holds is refused, and else only what cannot move at all
    assert_int_equal(status == LB_FAILED, !held);
    if (status == LB_INVALID) {
      assert_below(least_motion(&m), 1e-12);
    }
    refused += status != LB_OK;
    fork_drop(&w);
  }
  print_message("C %.2g, T %.2g, W %.2g, recursion %.2g of %d; %d with unique forces, %d refused\n",
                worst.C, worst.T, worst.W, worst.recursion, worst.recursions, worst.unique,
                refused);
  assert_below(worst.C, 1e-9);
  assert_below(worst.T, 1e-9);
  assert_below(worst.W, 1e-9);
  assert_below(worst.recursion, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_topologies_are_reduced_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
