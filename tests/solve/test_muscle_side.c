// Energy of a double pendulum with a heavy muscle, whose ends become opposite about the middle of a
// surface: the path keeps the sense that it has, by the longer way.
#include "compile.h"
#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "solve/step/stepper.h"

// %s: coordinates, the surface; %g: the step, how far ends are beside the plane. It swings far, so
// that the muscle goes around by more than half a turn.
#define PENDULUM                                                                                   \
  "solver: {coordinates: %s, integrator: rk4, step: %g}\n"                                         \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: -y}\n"                                         \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"           \
  "initial: {shoulder: {position: 20 deg}, elbow: {position: 30 deg, velocity: 8}}\n"              \
  "wraps:\n  condyle: {body: upper, position: [0, 0, -0.5], %s}\n"                                 \
  "muscles:\n  triceps:\n    through: [{body: upper, at: [-9 cm, %g cm, -22 cm]}, {wrap: "         \
  "condyle}, "                                                                                     \
  "{body: lower, at: [-9 cm, %g cm, -28 cm]}]\n    mass: {amount: 1}\n"

static double ends[2]; // of the muscle, beside the plane of the elbow, in cm

typedef struct outcome {
  double error, scale;
  double least, most; // angle of the ends about the middle, in the sense of the start
} outcome;

// Angle from the first point of the path to its last about the surface.
static double turned(lb_model* m, lb_data* d) {
  lb_path p;
  lb_update(m, d, LB_ORIGINS);
  lb_path_find(&p, m->muscle.item[0].path, d->work, d->q, d->qd);
  const lb_v4 o = p.span[0].frame.o, a = p.node[0].at.at - o, b = p.node[1].at.at - o;
  const double angle = atan2(lb_v4_cross(a, b)[1], lb_v4_dot(a, b));
  return angle < -M_PI / 2 ? angle + 2 * M_PI : angle;
}

static outcome run(const char* coordinates, const char* surface, double h, double until) {
  char text[2000];
  snprintf(text, sizeof text, PENDULUM, coordinates, h, surface, ends[0], ends[1]);
  lb_model* m = compile(text);
  lb_data* d;
  lb_stepper* st;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
  const double start = lb_kinetic_energy(m, d) + lb_potential_energy(m, d);
  outcome out = {.scale = 3 * 9.81 * 0.5, .least = INFINITY, .most = -INFINITY};
  for (int i = 0; i < (int)lround(until / h); i++) {
    assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    const double now = lb_kinetic_energy(m, d) + lb_potential_energy(m, d), at = turned(m, d);
    out.error = fmax(out.error, fabs(now - start));
    out.least = fmin(out.least, at);
    out.most = fmax(out.most, at);
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  return out;
}

static void senses_are_kept_where_ends_become_opposite(void** state) {
  (void)state;
  static const char* const surface[] = {
      "rotation: [90 deg, 0, 0], cylinder: {radius: 3 cm}",
      "rotation: [90 deg, 0, 0], capsule: {radius: 3 cm, length: 10 cm}", "sphere: {radius: 3 cm}",
      "ellipsoid: {radii: [3 cm, 5 cm, 4 cm]}",
      "rotation: [0, 20 deg, 0], side: -x, ellipsoid: {radii: [3 cm, 5 cm, 4 cm]}",
      // thinnest across the plane; and askew to it
      "ellipsoid: {radii: [4 cm, 2 cm, 3 cm]}",
      "rotation: [25 deg, 20 deg, 10 deg], ellipsoid: {radii: [4 cm, 2 cm, 3 cm]}"};
  for (int i = 0; i < 7; i++) {
    const outcome coarse = run("reduced", surface[i], 4e-3, 0.4),
                  fine = run("reduced", surface[i], 2e-3, 0.4);
    print_message("%s: %.3g %.3g of m g l, from %.3g to %.3g rad\n", surface[i],
                  coarse.error / coarse.scale, fine.error / fine.scale, fine.least, fine.most);
    assert_below(fine.least, M_PI - 0.5);
    assert_above(fine.most, M_PI + 0.05);
    assert_below(coarse.error, 1e-8 * coarse.scale);
    assert_above(log2(coarse.error / fine.error), 3.5);
  }
}

static void maximal_coordinates_keep_them_too(void** state) {
  (void)state;
  const outcome out = run("maximal", "sphere: {radius: 3 cm}", 1e-3, 0.4);
  assert_above(out.most, M_PI + 0.05);
  assert_below(out.error, 1e-9 * out.scale);
}

// Ends beside the plane of the elbow: the path is held on its side, over which it goes by the
// longer way, too. The line passes the centre on either side, through it, or ends are askew.
static void sides_are_kept_beside_the_plane(void** state) {
  (void)state;
  lb_test_needs_speed();
  static const char* const surface[] = {
      "side: -x, sphere: {radius: 3 cm}",
      "rotation: [0, 20 deg, 10 deg], side: -x, ellipsoid: {radii: [3 cm, 5 cm, 4 cm]}"};
  static const double beside[][2] = {{2, 2}, {-2, -1}, {2, -2}, {1, -2}};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 4; k++) {
      ends[0] = beside[k][0];
      ends[1] = beside[k][1];
      const outcome coarse = run("reduced", surface[i], 5e-4, 0.4),
                    fine = run("reduced", surface[i], 2.5e-4, 0.4);
      print_message("%s, ends %g and %g cm beside: %.3g %.3g of m g l, from %.3g to %.3g rad\n",
                    surface[i], ends[0], ends[1], coarse.error / coarse.scale,
                    fine.error / fine.scale, fine.least, fine.most);
      assert_above(fine.most, M_PI + 0.05);
      assert_below(fine.error, 1e-6 * fine.scale);
      assert_above(log2(coarse.error / fine.error), 3);
    }
  }
  ends[0] = ends[1] = 0;
}

// A joint that leaves the plane turns the path's plane along, and the shorter way is taken.
static void paths_out_of_a_plane_go_the_shorter_way(void** state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text, PENDULUM, "reduced", 1e-3, "sphere: {radius: 3 cm}", ends[0],
           ends[1]);
  lb_model* m = compile(text);
  const lb_vec3 plane = m->muscle.item[0].path->item[1].wrap.axis;
  assert_near(fabs(plane.y), 1, 1e-12);
  lb_model_release(m);
  memcpy(strstr(text, "axis: -y}"), "axis: -x}", 9);
  m = compile(text);
  const lb_vec3 same = m->muscle.item[0].path->item[1].wrap.axis;
  assert_near(fabs(same.y), 1, 1e-12); // the shoulder moves all of it
  lb_model_release(m);
  memcpy(strstr(strstr(text, "elbow"), "axis: -y}"), "axis: -x}", 9);
  m = compile(text);
  assert_near(lb_vec3_norm(m->muscle.item[0].path->item[1].wrap.axis), 0, 0);
  lb_model_release(m);
}

// Points that come and go or move beside the plane take the path out of it, and those in it do not.
static void points_beside_a_plane_leave_it(void** state) {
  (void)state;
  static const struct {
    const char* point;
    double axis;
  } cases[] = {
      {"at: [-8 cm, 0, -30 cm], while: {joint: elbow, at_least: 80 deg}", 1},
      {"at: [-8 cm, 1 cm, -30 cm], while: {joint: elbow, at_least: 80 deg}", 0},
      {"follows: {joint: elbow, x: {polynomial: [0.01, -0.08]}, y: 0, z: -30 cm}", 1},
      {"follows: {joint: elbow, x: -8 cm, y: {polynomial: [0.01, 0]}, z: -30 cm}", 0},
      {"follows: {joint: elbow, x: -8 cm, y: 1 cm, z: -30 cm}", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2000], more[200];
    snprintf(text, sizeof text, PENDULUM, "reduced", 1e-3, "sphere: {radius: 3 cm}", 0., 0.);
    char* at = strstr(text, "{wrap: condyle}, ");
    snprintf(more, sizeof more, "{body: upper, %s}, ", cases[i].point);
    memmove(at + strlen(more), at, strlen(at) + 1);
    memcpy(at, more, strlen(more));
    strstr(text, "\n    mass")[0] = 0; // points at once have none
    strcat(text, "\n    tension: 1\n");
    lb_model* m = compile(text);
    assert_near(lb_vec3_norm(m->muscle.item[0].path->item[2].wrap.axis), cases[i].axis, 1e-12);
    lb_model_release(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(senses_are_kept_where_ends_become_opposite),
      cmocka_unit_test(maximal_coordinates_keep_them_too),
      cmocka_unit_test(sides_are_kept_beside_the_plane),
      cmocka_unit_test(paths_out_of_a_plane_go_the_shorter_way),
      cmocka_unit_test(points_beside_a_plane_leave_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
