// No impact adds energy, whatever restitution and friction are: free bodies, several at once, and
// mechanisms with loops and motors. Nothing pulls, so kinetic energy is all there is.
#include "contact_scene.h"
#include "limber/dynamics.h"

static const double RESTITUTIONS[] = {0.5, 0.8, 0.9, 1}, FRICTIONS[] = {0, 0.1, 0.3, 0.5, 1};
enum { NRESTITUTION = 4, NFRICTION = 5 };
static const double ROUNDING = 1e-12; // of the energy

static double energy_of(lb_world* w) {
  return lb_kinetic_energy(lb_world_model(w), lb_world_data(w));
}

// A random number, for a scene.
static double about(lb_random* r, double size) {
  return lb_random_between(r, -size, size);
}

// The largest growth of energy in a step, over that of the start, and in those with an impact
// alone; what is left of it in the end.
typedef struct energies {
  double growth, by_impact, left;
} energies;

static energies run_energies(lb_world* w, double until) {
  const double start = energy_of(w);
  energies e = {-INFINITY, -INFINITY, 1};
  while (lb_world_time(w) < until - 1e-9) {
    const double before = energy_of(w);
    contact_run(w, lb_world_time(w) + 1e-3);
    const double growth = (energy_of(w) - before) / start;
    e.growth = fmax(e.growth, growth);
    e.by_impact = lb_world_contacts(w, NULL, 0) > 0 ? fmax(e.by_impact, growth) : e.by_impact;
  }
  e.left = energy_of(w) / start;
  return e;
}

// --- free bodies ---

#define HEAD "gravity: [0, 0, 0]\nmaterials: {m: {density: 1000, restitution: %g, friction: %g}}\n"

static energies throw_one(const char* by, const char* shape, double e, double mu, lb_random* r) {
  lb_world* w = contact_world(
      "solver: {integrator: %s}\n" HEAD FLOOR
      "bodies: {a: {shape: {%s}, material: m, position: [0, 0, 0.5], rotation: [%g rad, %g rad, %g "
      "rad]}}\ninitial: {a: {velocity: [%g, %g, -3], spin: [%g, %g, %g]}}\n",
      by, e, mu, shape, about(r, 3), about(r, 1), about(r, 3), about(r, 3), about(r, 3),
      about(r, 20), about(r, 20), about(r, 20));
  const energies out = run_energies(w, 0.4);
  lb_world_close(w);
  return out;
}

static const char* const THROWN[] = {
    "box: [0.4, 0.1, 0.05]", "capsule: {radius: 0.02, length: 0.4}",
    "cylinder: {radius: 0.1, length: 0.03}", "ellipsoid: {radii: [0.2, 0.05, 0.1]}"};

static void a_body_that_is_thrown_gains_nothing(void** state) {
  (void)state;
  lb_random r = {11};
  for (int k = 0; k < 4 * NRESTITUTION * NFRICTION; k++) {
    for (int i = 0; i < 4; i++) {
      const double e = RESTITUTIONS[k % 4], mu = FRICTIONS[k / 4 % 5];
      const energies out = throw_one("linear-euler", THROWN[k / 20], e, mu, &r);
      assert_below(out.growth, ROUNDING);
    }
  }
}

// These are off by their own order in flight.
static void a_body_gains_nothing_in_impacts_of_implicit_steps(void** state) {
  (void)state;
  static const char* const BY[] = {"bdf1", "bdf2", "sdirk2"};
  lb_random r = {16};
  int impacts = 0;
  for (int k = 0; k < 3 * 4 * NRESTITUTION * NFRICTION; k++) {
    const double e = RESTITUTIONS[k % 4], mu = FRICTIONS[k / 4 % 5];
    const energies out = throw_one(BY[k / 80], THROWN[k / 20 % 4], e, mu, &r);
    assert_below(out.by_impact, ROUNDING);
    impacts += out.by_impact > -1;
  }
  assert_true(impacts > 200);
}

// What is held back is no more than has to be: without friction nothing is. A long body turns
// within the step of an impact, which costs it a little.
static void a_body_without_friction_and_loss_keeps_its_energy(void** state) {
  (void)state;
  lb_random r = {12};
  for (int i = 0; i < 8; i++) {
    assert_within(throw_one("linear-euler", "sphere: {radius: 0.1}", 1, 0, &r).left, 1, 1e-12);
    assert_within(throw_one("linear-euler", "ellipsoid: {radii: [0.2, 0.05, 0.1]}", 1, 0, &r).left,
                  1, 0.03);
  }
}

// A room of 1 m with six bodies that fly through each other's way.
static energies shake_room(double e, double mu, lb_random* r) {
  static const char* const SHAPES[] = {"box: [0.3, 0.1, 0.1]", "box: [0.2, 0.2, 0.04]",
                                       "capsule: {radius: 0.05, length: 0.2}"};
  char text[8192];
  int n = snprintf(text, sizeof text,
                   HEAD "contacts: {}\nscenery: [{box: [3, 3, 1], position: [0, 0, -1], solid: "
                        "true, material: m}, {box: [3, 3, 1], position: [0, 0, 1], solid: true, "
                        "material: m}, {box: [1, 3, 3], position: [-1, 0, 0], solid: true, "
                        "material: m}, {box: [1, 3, 3], position: [1, 0, 0], solid: true, "
                        "material: m}, {box: [3, 1, 3], position: [0, -1, 0], solid: true, "
                        "material: m}, {box: [3, 1, 3], position: [0, 1, 0], solid: true, "
                        "material: m}]\nbodies:\n",
                   e, mu);
  for (int i = 0; i < 6; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  b%d: {shape: {%s}, material: m, position: [%g, %g, %g]}\n", i, SHAPES[i / 2],
                  i % 2 ? 0.25 : -0.25, i % 3 ? 0.2 : -0.2, 0.25 * (i / 2 - 1));
  }
  n += snprintf(text + n, sizeof text - (size_t)n, "initial:\n");
  for (int i = 0; i < 6; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "  b%d: {velocity: [%g, %g, %g], spin: [%g, %g, %g]}\n", i, about(r, 4),
                  about(r, 4), about(r, 4), about(r, 10), about(r, 10), about(r, 10));
  }
  lb_world* w = contact_world("%s", text);
  const energies out = run_energies(w, 0.5);
  lb_world_close(w);
  return out;
}

static void bodies_that_hit_each_other_gain_nothing(void** state) {
  (void)state;
  lb_random r = {13};
  for (int k = 0; k < NRESTITUTION * NFRICTION; k++) {
    const energies out = shake_room(RESTITUTIONS[k % 4], FRICTIONS[k / 4], &r);
    assert_below(out.growth, ROUNDING);
  }
}

// --- mechanisms ---

// A frame that flies, with bars on it and an arm that swings, placed at a height. `held`: the bars
// are a ring, which a motor holds.
static lb_world* mechanism(double e, double mu, const double x[9], bool held, double height) {
  return contact_world(
      HEAD "contacts: {pairs: [{between: [all, all], collide: false}]}\nscenery: [{box: [40, 40, "
           "1], position: [0, 0, -0.5], solid: true, material: m}]\n"
           "bodies:\n  frame: {shape: {box: [0.5, 0.1, 0.1]}, material: m}\n"
           "  left: {shape: {box: [0.04, 0.04, 0.3], position: [0, 0, 0.15]}, material: m}\n"
           "  right: {shape: {box: [0.04, 0.04, 0.3], position: [0, 0, 0.15]}, material: m}\n"
           "  top: {shape: {box: [0.4, 0.04, 0.04], position: [0.2, 0, 0]}, material: m}\n"
           "  arm: {shape: {capsule: {radius: 0.02, from: [0, 0, 0], to: [0, 0, -0.4]}}, material: "
           "m}\njoints:\n  fly: {type: free, child: frame}\n"
           "  l: {type: revolute, parent: frame, child: left, at: [-0.2, 0, 0], axis: y}\n"
           "  r: {type: revolute, parent: frame, child: right, at: [0.2, 0, 0], axis: y}\n"
           "  t: {type: revolute, parent: left, child: top, at: [0, 0, 0.3], axis: y}\n"
           "  hip: {type: spherical, parent: frame, child: arm, at: [0, 0, -0.05]}\n%s"
           "initial: {fly: {position: [0, 0, %.17g], rotation: [%g rad, %g rad, %g rad], velocity: "
           "[%g, %g, %g], spin: [%g, %g, %g]}}\n",
      e, mu,
      held ? "  ring: {type: revolute, loop: true, parent: right, child: top, at: [0, 0, 0.3], "
             "in_child: [0.4, 0, 0], axis: y}\nmotors: {m: {joint: l, keys: [[0, 0], [1, 0]]}}\n"
           : "",
      height, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
}

// Height of the lowest point of all bodies over the floor.
static double height_of(lb_world* w) {
  double low = INFINITY;
  for (int i = 0; i < lb_world_count(w, LB_PART_BODY); i++) {
    low = fmin(low, lb_world_distance(w, i, LB_WORLD).distance);
  }
  return low;
}

// Growth in a step of h that begins with an impact.
static double hit(double e, double mu, const double x[9], bool held, double h) {
  lb_world* above = mechanism(e, mu, x, held, 2);
  const double height = 2 - height_of(above);
  lb_world_close(above);
  lb_world* w = mechanism(e, mu, x, held, height - 1e-9);
  const double before = energy_of(w);
  assert_int_equal(lb_world_step(w, h), LB_OK);
  const double after = energy_of(w);
  lb_world_close(w);
  return (after - before) / before;
}

static void draw(double x[9], lb_random* r) {
  for (int k = 0; k < 9; k++) {
    x[k] = k == 5 ? -3 : about(r, k < 3 ? 3 : k < 5 ? 2 : 10);
  }
}

// In no time nothing but the impact happens.
static void a_tree_gains_nothing(void** state) {
  (void)state;
  lb_random r = {14};
  int lost = 0;
  for (int k = 0; k < 8 * NRESTITUTION * NFRICTION; k++) {
    double x[9];
    draw(x, &r);
    const double growth = hit(RESTITUTIONS[k % 4], FRICTIONS[k / 4 % 5], x, false, 1e-14);
    assert_below(growth, ROUNDING);
    lost += growth < -1e-3;
  }
  assert_true(lost > 80); // it does hit
}

// A motor of which an angle is off by a rounding does work in no time. So steps are longer, and
// what turning does in these is of first order: it is taken out.
static void a_mechanism_with_a_loop_and_a_motor_gains_nothing(void** state) {
  (void)state;
  lb_random r = {15};
  for (int k = 0; k < 4 * NRESTITUTION * NFRICTION; k++) {
    const double e = RESTITUTIONS[k % 4], mu = FRICTIONS[k / 4 % 5], h = 3e-7;
    double x[9];
    draw(x, &r);
    const double growth = 2 * hit(e, mu, x, true, 0.5 * h) - hit(e, mu, x, true, h);
    assert_below(growth, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_that_is_thrown_gains_nothing),
      cmocka_unit_test(a_body_gains_nothing_in_impacts_of_implicit_steps),
      cmocka_unit_test(a_body_without_friction_and_loss_keeps_its_energy),
      cmocka_unit_test(bodies_that_hit_each_other_gain_nothing),
      cmocka_unit_test(a_tree_gains_nothing),
      cmocka_unit_test(a_mechanism_with_a_loop_and_a_motor_gains_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
