// Mass points at equal strain in place of a continuum, as the document has them: how many it takes.
#include "compile.h"

static const double RADIUS = 0.2; // of the insertion about the hinge [m]

// Inertia about a hinge of a muscle from the world to an arm.
static double inertia(const char* surface, const char* through, int points) {
  static const char* const text =
      "bodies: {arm: {mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {hinge: {type: revolute, child: arm, axis: z}}\n"
      "wraps: {round: {%s}}\n"
      "muscles: {m: {through: [{at: [60 mm, 350 mm, 0]}, %s {body: arm, at: [0, -200 mm, 0]}], "
      "mass: {amount: 1, points: %d}}}\n";
  char scene[1000];
  double M[1];
  lb_data* d;
  snprintf(scene, sizeof scene, text, surface, through, points);
  lb_model* m = compile(scene);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  d->q[0] = -0.3;
  lb_crba(m, d, M, d->q);
  lb_data_release(d);
  lb_model_release(m);
  return M[0] - 1;
}

static const struct {
  const char *name, *surface, *through;
} PATHS[] = {
    {"straight", "sphere: {radius: 1 mm}", ""},
    {"via point", "sphere: {radius: 1 mm}", "{at: [80 mm, 100 mm, 0]},"},
    {"cylinder", "cylinder: {radius: 50 mm}, side: x", "{wrap: round},"},
    {"sharp cylinder", "cylinder: {radius: 50 mm}, side: x, smooth: 0", "{wrap: round},"},
    {"sphere", "sphere: {radius: 60 mm}, side: x", "{wrap: round},"},
    {"ellipsoid", "ellipsoid: {radii: [60 mm, 50 mm, 40 mm]}, side: x", "{wrap: round},"},
};
enum { NPATH = sizeof PATHS / sizeof *PATHS };

// Errors over the continuum's inertia. Points at both ends of the belly make every path's inertia
// too large, of order 1/N; ends of half the mass, which are the trapezoidal rule, leave 1/N^2. With
// f_i = v_i^2 and f = 0 at the origin, R^2 at the insertion:
//
//   I_N = m/N sum f_i        I'_N = (N I_N - m R^2/2)/(N - 1)
static void errors(int path, int points, double* whole, double* half) {
  const double exact = inertia(PATHS[path].surface, PATHS[path].through, 0);
  const double of = inertia(PATHS[path].surface, PATHS[path].through, points);
  *whole = of / exact - 1;
  *half = (points * of - RADIUS * RADIUS / 2) / (points - 1) / exact - 1;
}

static void points_of_one_mass_converge_as_their_number(void** state) {
  (void)state;
  for (int i = 0; i < NPATH; i++) {
    double ten, twenty, many, half;
    errors(i, 10, &ten, &half);
    errors(i, 20, &twenty, &half);
    errors(i, 160, &many, &half);
    const double order = log2(twenty / many) / log2(159. / 19);
    print_message("%s: 10 points %.2f %%, 20 points %.2f %%, order %.3f\n", PATHS[i].name,
                  100 * ten, 100 * twenty, order);
    assert_near(order, 1, 0.05);
    assert_below(twenty, 0.16);
    if (i == 0) { // sum of squares
      assert_near(ten, 1. / (2 * 9), 1e-12);
      assert_near(twenty, 1. / (2 * 19), 1e-12);
    }
  }
}

static void points_at_the_ends_of_half_the_mass_are_of_second_order(void** state) {
  (void)state;
  for (int i = 0; i < NPATH; i++) {
    double whole, ten, twenty, many;
    errors(i, 10, &whole, &ten);
    errors(i, 20, &whole, &twenty);
    errors(i, 320, &whole, &many);
    const double order = log2(fabs(twenty / many)) / log2(319. / 19);
    print_message("%s: 10 points %.3f %%, 20 points %.3f %%, order %.3f\n", PATHS[i].name,
                  100 * ten, 100 * twenty, order);
    assert_near(order, 2, 0.05);
    assert_below(fabs(twenty), strstr(PATHS[i].through, "wrap") ? 0.011 : 0.005);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_one_mass_converge_as_their_number),
      cmocka_unit_test(points_at_the_ends_of_half_the_mass_are_of_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
