// Velocity terms of a muscle with mass: a double pendulum keeps its energy by them, and loses it
// where the test leaves one out. Equations of motion are put together here, M qdd = -c, and
// integrated by the classical Runge-Kutta method.
#include "compile.h"

typedef enum leaves { NOTHING, VELOCITY, CORNERS } leaves;

// With the muscle's mass and without it.
typedef struct pendulum {
  lb_model* m[2];
  lb_data* d[2];
  leaves out;
} pendulum;

// Points of the path in their bodies, (x, z) from the joint, and those of the lower rod.
enum { NPOINT = 4, LOWER = 2 };
static const double POINT[NPOINT][2] = {
    {-0.06, -0.12}, {-0.05, -0.45}, {-0.06, -0.05}, {-0.055, -0.3}};
static const double LENGTH = 0.5, MASS = 1;

#define SCENE                                                                                      \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: -y}\n"                                         \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"           \
  "wraps:\n  condyle: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "  \
  "cylinder: {radius: 5 cm}}\n"                                                                    \
  "muscles:\n  triceps:\n    through: [{body: upper, at: [-6 cm, 0, -12 cm]}, %s, {body: lower, "  \
  "at: [-5.5 cm, 0, -30 cm]}]\n    mass: {amount: %g}\n"
static const char VIAS[] =
    "{body: upper, at: [-5 cm, 0, -45 cm]}, {body: lower, at: [-6 cm, 0, -5 cm]}";
static const char ROUND[] = "{wrap: condyle}";

static pendulum make(const char* path, leaves out) {
  pendulum w = {.out = out};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text, SCENE, path, i ? 0 : MASS);
    w.m[i] = compile(text);
    assert_int_equal(lb_data_create(w.m[i], NULL, &w.d[i], NULL), LB_OK);
  }
  return w;
}

static void drop(pendulum* w) {
  for (int i = 0; i < 2; i++) {
    lb_data_release(w->d[i]);
    lb_model_release(w->m[i]);
  }
}

// --- the corner force, in the plane ---

// Places of the points and their derivatives by both angles.
static void place(const double* q, double x[NPOINT][2], double J[NPOINT][2][2]) {
  const double elbow[2] = {LENGTH * sin(q[0]), -LENGTH * cos(q[0])};
  for (int i = 0; i < NPOINT; i++) {
    const bool lower = i >= LOWER;
    const double a = q[0] + (lower ? q[1] : 0), c = cos(a), s = sin(a);
    const double r[2] = {c * POINT[i][0] - s * POINT[i][1], s * POINT[i][0] + c * POINT[i][1]};
    for (int k = 0; k < 2; k++) {
      x[i][k] = r[k] + (lower ? elbow[k] : 0);
    }
    J[i][0][0] = -x[i][1]; // about the shoulder
    J[i][0][1] = x[i][0];
    J[i][1][0] = lower ? -r[1] : 0; // about the elbow
    J[i][1][1] = lower ? r[0] : 0;
  }
}

// sum of m sd^2 L (dx/dq)'(e_out - e_in) over the points between the ends, s = c/L being where they
// are along the path.
static void turn_mass(const double* q, const double* qd, double tau[2]) {
  double x[NPOINT][2], J[NPOINT][2][2], e[NPOINT][2] = {{0}}, c[NPOINT] = {0}, cd[NPOINT] = {0};
  place(q, x, J);
  for (int i = 0; i + 1 < NPOINT; i++) {
    const double l = hypot(x[i + 1][0] - x[i][0], x[i + 1][1] - x[i][1]);
    c[i + 1] = c[i] + l;
    cd[i + 1] = cd[i];
    for (int k = 0; k < 2; k++) {
      e[i][k] = (x[i + 1][k] - x[i][k]) / l;
      for (int v = 0; v < 2; v++) {
        cd[i + 1] += e[i][k] * (J[i + 1][v][k] - J[i][v][k]) * qd[v];
      }
    }
  }
  const double L = c[NPOINT - 1], Ld = cd[NPOINT - 1];
  tau[0] = tau[1] = 0;
  for (int i = 1; i + 1 < NPOINT; i++) {
    const double sd = (cd[i] * L - c[i] * Ld) / (L * L);
    for (int v = 0; v < 2; v++) {
      for (int k = 0; k < 2; k++) {
        tau[v] += MASS * sd * sd * L * J[i][v][k] * (e[i][k] - e[i - 1][k]);
      }
    }
  }
}

// --- motion ---

// Those velocity terms of the muscle that are to be left out.
static void find_left_out(const pendulum* w, const double* q, const double* qd, double tau[2]) {
  const double zero[2] = {0, 0};
  tau[0] = tau[1] = 0;
  if (w->out == CORNERS) {
    turn_mass(q, qd, tau);
  }
  for (int i = 0; i < 2 && w->out == VELOCITY; i++) {
    double moving[2], still[2];
    lb_rnea(w->m[i], w->d[i], moving, q, qd, zero);
    lb_rnea(w->m[i], w->d[i], still, q, zero, zero);
    for (int v = 0; v < 2; v++) {
      tau[v] += (i ? -1 : 1) * (moving[v] - still[v]);
    }
  }
}

static void accelerate(const pendulum* w, const double* q, const double* qd, double qdd[2]) {
  const double zero[2] = {0, 0};
  double M[4], c[2], left_out[2];
  lb_crba(w->m[0], w->d[0], M, q);
  lb_rnea(w->m[0], w->d[0], c, q, qd, zero);
  find_left_out(w, q, qd, left_out);
  const double a = c[0] - left_out[0], b = c[1] - left_out[1], det = M[0] * M[3] - M[1] * M[2];
  qdd[0] = -(M[3] * a - M[1] * b) / det;
  qdd[1] = -(M[0] * b - M[2] * a) / det;
}

static void step(const pendulum* w, double q[2], double qd[2], double h) {
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double v[2] = {0}, a[2] = {0}, dq[2] = {0}, dv[2] = {0};
  for (int s = 0; s < 4; s++) {
    const double x[2] = {q[0] + h * part[s] * v[0], q[1] + h * part[s] * v[1]},
                 y[2] = {qd[0] + h * part[s] * a[0], qd[1] + h * part[s] * a[1]};
    accelerate(w, x, y, a);
    for (int i = 0; i < 2; i++) {
      v[i] = y[i];
      dq[i] += h * weight[s] * v[i];
      dv[i] += h * weight[s] * a[i];
    }
  }
  for (int i = 0; i < 2; i++) {
    q[i] += dq[i];
    qd[i] += dv[i];
  }
}

static double energy(const pendulum* w, const double* q, const double* qd) {
  memcpy(w->d[0]->q, q, 2 * sizeof *q);
  memcpy(w->d[0]->qd, qd, 2 * sizeof *qd);
  return lb_kinetic_energy(w->m[0], w->d[0]) + lb_potential_energy(w->m[0], w->d[0]);
}

// Most that the energy is off over 10 s, over m g l.
static double run(const char* path, leaves out, double h) {
  pendulum w = make(path, out);
  double q[2] = {1.570796, 0.785398}, qd[2] = {0, 0}, off = 0;
  const double start = energy(&w, q, qd);
  for (int i = 0; i < (int)lround(10 / h); i++) {
    step(&w, q, qd, h);
    off = fmax(off, fabs(energy(&w, q, qd) - start));
  }
  drop(&w);
  return off / (3 * 9.81 * LENGTH);
}

static void energy_needs_the_quadratic_velocity_vector(void** state) {
  (void)state;
  const double vias = run(VIAS, VELOCITY, 1e-3), wrapped = run(ROUND, VELOCITY, 1e-3);
  print_message("without the quadratic velocity vector: %.3g, over a cylinder %.3g of m g l\n",
                vias, wrapped);
  assert_above(vias, 0.01);
  assert_above(wrapped, 0.01);
}

static void energy_needs_the_corner_force(void** state) {
  (void)state;
  const double without = run(VIAS, CORNERS, 5e-4), finer = run(VIAS, CORNERS, 2.5e-4);
  const double coarse = run(VIAS, NOTHING, 5e-4), fine = run(VIAS, NOTHING, 2e-4);
  print_message("without the corner force: %.4g, %.4g; with it %.3g, %.3g of m g l\n", without,
                finer, coarse, fine);
  assert_above(without, 5e-3);
  assert_near(finer, without, 0.1 * without); // smaller steps do not help
  assert_below(fine, 2e-10);
  assert_above(log(coarse / fine) / log(2.5), 3.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_needs_the_quadratic_velocity_vector),
      cmocka_unit_test(energy_needs_the_corner_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
