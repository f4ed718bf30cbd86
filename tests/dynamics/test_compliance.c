// Compliant constraints: closed forms of gaps, orders of convergence, what is conserved, the same
// motion in two kinds of coordinates and by two ways to solve, derivatives against differences.
#include "differences.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "random_world.h"
#include "solve/step/stepper.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// Compliant rows of the first constraint, at the present state.
static const lb_compliant_rows* rows_of(const world* w) {
  lb_kinematics(w->m, w->d, w->d->q, w->d->qd);
  lb_constraint_rows_fill_compliant(w->m, w->d);
  return &w->d->work->constraints->compliant;
}

// Length of all gaps together.
static double gap_of(const world* w) {
  const lb_compliant_rows* C = rows_of(w);
  double sum = 0;
  for (int i = 0; i < C->count; i++) {
    sum += C->row[i].gap * C->row[i].gap;
  }
  return sqrt(sum);
}

// --- rest ---

// A ball of 2 kg held by something that yields, and what holds it at rest over its stiffness.
#define BALL "bodies: {ball: {mass: 2 kg, shape: {sphere: {radius: 5 cm}}%s}}\n"
#define SOFT "compliance: {stiffness: %g, damping: %g, turn_stiffness: %g, turn_damping: %g}"
typedef struct held {
  const char *name, *text;
  double force; // [N or N m] at rest
} held;

#define LOOP(type, more)                                                                           \
  "bodies: {ball: {mass: 2 kg, shape: {sphere: {radius: 5 cm}}}}\n"                                \
  "joints: {hold: {type: " type ", child: ball, loop: true" more                                   \
  ", compliance: {stiffness: %s, damping: %s, turn_stiffness: %s, turn_damping: %s}}}\n"
#define POINT(constraint)                                                                          \
  "bodies: {ball: {mass: 2 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, -0.5]}}\n"        \
  "constraints: {hold: {" constraint ", stiffness: %s, damping: %s}}\n"
#define WEIGHT (2 * 9.81)

static const held HELD[] = {
    {"pin", LOOP("revolute", ", axis: y"), WEIGHT},
    {"ball", LOOP("spherical", ""), WEIGHT},
    {"weld", LOOP("fixed", ""), WEIGHT},
    {"universal", LOOP("universal", ", axis: x, second_axis: y"), WEIGHT},
    {"slide", LOOP("prismatic", ", axis: x"), WEIGHT},
    {"cylinder",
     LOOP("composite", ", parts: [{type: prismatic, axis: x}, {type: revolute, axis: x}]"), WEIGHT},
    {"distance", POINT("distance: {to: {body: ball}}"), WEIGHT},
    {"point", POINT("follow: {body: ball}"), WEIGHT},
    {"line", POINT("line: {body: ball, through: {at: [0, 0, -0.5]}, along: x}"), WEIGHT},
    {"plane", POINT("plane: {body: ball, through: {at: [0, 0, -0.5]}, normal: z}"), WEIGHT},
    {"hinge",
     "bodies: {ball: {mass: 2 kg, shape: {sphere: {radius: 5 cm}}}}\n"
     "joints: {turn: {type: revolute, child: ball, axis: y, in_child: [-1, 0, 0]}}\n"
     "constraints: {hold: {couple: [{joint: turn}], equals: 0, stiffness: %s, damping: %s}}\n",
     WEIGHT},
    {"slider",
     "bodies: {ball: {mass: 2 kg, shape: {sphere: {radius: 5 cm}}}}\n"
     "joints: {slide: {type: prismatic, child: ball, axis: z}}\n"
     "constraints: {hold: {couple: [{joint: slide}], equals: 0, stiffness: %s, damping: %s}}\n",
     WEIGHT},
};

static void a_gap_at_rest_is_the_force_over_the_stiffness(void** state) {
  (void)state;
  static const char* const by[][2] = {{"linear-euler", "1e8"}, {"bdf1", "1e8"}, {"bdf2", "1e8"},
                                      {"sdirk2", "1e8"},       {"rk4", "1e4"},  {"euler", "1e4"},
                                      {"midpoint", "1e4"},     {"rk8", "1e4"}};
  for (size_t i = 0; i < COUNT_OF(HELD) * COUNT_OF(by); i++) {
    const held* h = &HELD[i / COUNT_OF(by)];
    const char* const* step = by[i % COUNT_OF(by)];
    if (strcmp(h->name, "cylinder") == 0 && i % COUNT_OF(by) > 3) {
      continue; // its light part is too stiff for explicit steps
    }
    const char* damping = strcmp(step[1], "1e8") == 0 ? "1e5" : "200";
    char part[1000], text[1400];
    snprintf(part, sizeof part, h->text, step[1], damping, step[1], damping);
    snprintf(text, sizeof text, "%ssolver: {integrator: %s}\n", part, step[0]);
    world w = open_world(text);
    run(&w, 1000, 1e-3);
    const double expected = h->force / atof(step[1]);
    if (i % COUNT_OF(by) == 0) {
      print_message("%-9s gap %.6g, expected %.6g\n", h->name, gap_of(&w), expected);
    }
    assert_near(gap_of(&w) / expected, 1, 1e-2);
    close_world(&w);
  }
}

// In maximal coordinates every joint may yield, whether it closes a loop or not.
static void a_joint_of_the_tree_yields_in_maximal_coordinates(void** state) {
  (void)state;
  static const char* const TYPES[] = {"revolute, axis: y", "spherical", "fixed",
                                      "universal, axis: x, second_axis: y", "prismatic, axis: x"};
  static const char* const BY[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  for (size_t i = 0; i < COUNT_OF(TYPES) * COUNT_OF(BY); i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "bodies: {ball: {mass: 2 kg, shape: {sphere: {radius: 5 cm}}}}\n"
             "joints: {hold: {type: %s, child: ball, compliance: {stiffness: 1e8, damping: 1e5, "
             "turn_stiffness: 1e8, turn_damping: 1e5}}}\n"
             "solver: {integrator: %s, coordinates: maximal}\n",
             TYPES[i / COUNT_OF(BY)], BY[i % COUNT_OF(BY)]);
    world w = open_world(text);
    run(&w, 1000, 1e-3);
    assert_within(gap_of(&w) * 1e8, WEIGHT, 1e-2 * WEIGHT);
    close_world(&w);
  }
}

// What is infinitely stiff is exact, whatever its damping.
static void infinite_stiffness_is_exact(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(HELD); i++) {
    char part[1000], text[1400];
    snprintf(part, sizeof part, HELD[i].text, "infinite", "1e5", "infinite", "1e5");
    snprintf(text, sizeof text, "%ssolver: {integrator: linear-euler}\n", part);
    world w = open_world(text);
    run(&w, 100, 1e-3);
    assert_int_equal(w.m->constraint.ncompliant, 0);
    assert_below(lb_constraint_gap(w.m, w.d, NULL), 1e-9);
    close_world(&w);
  }
}

// --- rest between two coordinates ---

// Coordinates that a coupling holds together: one is loaded, a spring holds the other.
#define TOOTHED                                                                                    \
  "bodies: {load: {mass: 2 kg, inertia: [0.02, 0.02, 0.02]}, wheel: {mass: 1 kg, inertia: [0.02, " \
  "0.02, 0.02]}}\n"
#define SPRING ", spring: {stiffness: 20 N m/rad}, damping: 3 N m s/rad"
#define RACK                                                                                       \
  TOOTHED                                                                                          \
  "joints: {load: {type: prismatic, child: load, axis: z}, turn: {type: revolute, child: wheel, "  \
  "at: [0.5, 0, 0], axis: y" SPRING "}}\n"

typedef struct coupled {
  const char* name;
  const char* text;
  double force; // at rest, along the coupling [N or N m]
} coupled;

static const coupled COUPLED[] = {
    {"rack", RACK "constraints: {hold: {couple: [{joint: load}, {joint: turn, times: -0.1}], ",
     WEIGHT},
    {"gears",
     TOOTHED
     "joints: {load: {type: revolute, child: load, axis: y}, turn: {type: revolute, child: "
     "wheel, at: [0.5, 0, 0], axis: y" SPRING "}}\n"
     "motors: {m: {joint: load, drive: force, ease: linear, keys: [[0, 3], [1, 3]]}}\n"
     "constraints: {hold: {couple: [{joint: load, times: 0.12}, {joint: turn, times: 0.36}], ",
     3 / 0.12},
    {"cam",
     RACK "constraints: {hold: {couple: [{joint: load}, {joint: turn, times: -1, profile: {ease: "
          "cubic, keys: [[-180 deg, 0], [-60 deg, 8 cm], [60 deg, 3 cm], [180 deg, 9 cm]]}}], ",
     WEIGHT},
};

// The turn at rest, and how fast the coupling's value goes with it.
static double turn_of(const world* w, double* slope) {
  const lb_model_term* t = &w->m->constraint.term[w->m->constraint.coupling[0].first + 1];
  const double turn = w->d->q[t->q];
  double at[3] = {0, 1, 0};
  if (t->curve) {
    lb_profile_evaluate(t->curve, turn, at);
  }
  *slope = t->factor * at[1];
  return turn;
}

static void check_coupled(const coupled* c, lb_integrator by, const char* coordinates) {
  const bool is_explicit = lb_integrator_method(by) <= LB_METHOD_ADAPTIVE;
  const double kp = is_explicit ? 1e4 : 1e8, kd = is_explicit ? 100 : 1e5;
  char text[2000];
  snprintf(text, sizeof text,
           "%sequals: 0, stiffness: %g, damping: %g}}\nsolver: {integrator: %s, coordinates: %s}\n",
           c->text, kp, kd, lb_integrator_name(by), coordinates);
  world w = open_world(text);
  run(&w, 4000, 1e-3);
  double slope;
  const double gap = gap_of(&w), turn = turn_of(&w, &slope);
  print_message("%-5s %-12s %s: gap %.9g, turned by %g\n", c->name, lb_integrator_name(by),
                coordinates, gap, turn);
  assert_near(gap, c->force / kp, 1e-9);
  assert_near(20 * fabs(turn), fabs(c->force * slope), 1e-6);
  close_world(&w);
}

static void teeth_that_yield_rest_at_the_force_over_their_stiffness(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(COUPLED); i++) {
    for (lb_integrator by = 0; by < LB_INTEGRATOR_COUNT; by++) {
      check_coupled(&COUPLED[i], by, "reduced");
      check_coupled(&COUPLED[i], by, "maximal");
    }
  }
}

// --- a part that turns ---

// A point 0.15 m from the pin at one turn a second: a step along the tangent leaves the circle by
// h^2 r w^2 / 2, and the damper and the centripetal force leave more.
static void a_turning_part_opens_its_pin_as_the_closed_form_says(void** state) {
  (void)state;
  static const double expected[] = {3.32e-6, 0.95e-6};
  for (int i = 0; i < 2; i++) {
    world w = open_world(
        "gravity: [0, 0, 0]\n"
        "bodies: {part: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}}}\n"
        "joints: {pin: {type: revolute, child: part, axis: y, in_child: [-0.15, 0, 0], loop: "
        "true,\n"
        "  compliance: {stiffness: 1e8 N/m, damping: 1e4 N s/m, turn_stiffness: 1e8 N m/rad, "
        "turn_damping: 1e4 N m s/rad}}}\n"
        "initial: {part: {position: [0.15, 0, 0], velocity: [0, 0, -0.942477796076938], spin: [0, "
        "6.283185307179586, 0]}}\n"
        "solver: {integrator: linear-euler}\n");
    const double h = i ? 0.5e-3 : 1e-3, kp = 1e8, kd = 1e4, r = 0.15;
    run(&w, (int)(0.2 / h), h);
    const double omega = w.d->qd[1];
    assert_near(omega / (2 * M_PI), 1, 1e-2);
    const double form =
        0.5 * h * h * r * omega * omega * (1 + kd / (h * kp)) + r * omega * omega / kp;
    print_message("gap %.4g m, closed form %.4g m\n", gap_of(&w), form);
    assert_near(gap_of(&w) / form, 1, 2e-2);
    assert_near(gap_of(&w) / expected[i], 1, 2e-2);
    lb_reaction
        pull[2]; // the centripetal force, and not that of the gap, which is 60 times as much
    lb_stepper_observe(w.st, w.d);
    lb_reactions(w.m, w.d, pull);
    assert_near(lb_vec3_norm(pull[1].force) / (r * omega * omega), 1, 1e-2);
    close_world(&w);
  }
}

// --- limits ---

// Two bars and a loop that closes them to the world: a four-bar whose last pin may yield.
static const char FOUR_BAR[] =
    "bodies:\n"
    "  crank: {mass: 1 kg, shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  coupler: {mass: 2 kg, shape: {box: [0.5, 0.02, 0.02], position: [0.25, 0, 0]}}\n"
    "  rocker: {mass: 1.5 kg, shape: {box: [0.4, 0.02, 0.02], position: [0.2, 0, 0]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, axis: y}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0], axis: y}\n"
    "  c: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"
    "  d: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], in_child: [0.4, 0, 0], "
    "axis: y, loop: true%s}\n"
    "initial: {a: {position: -60 deg, velocity: 6 rad/s}, b: {position: 20 deg}, c: {position: -90 "
    "deg}}\n"
    "solver: {integrator: %s, coordinates: %s}\n";

static world open_four_bar(const char* compliance, const char* integrator, const char* in) {
  char text[2000];
  snprintf(text, sizeof text, FOUR_BAR, compliance, integrator, in);
  return open_world(text);
}

// Largest difference of the bodies' places.
static double apart(const world* a, const world* b) {
  double most = 0;
  lb_poses(a->m, a->d);
  lb_poses(b->m, b->d);
  for (int i = 0; i < 3; i++) {
    const lb_transform way = lb_transform_mul(lb_transform_inverse(a->d->pose[i]), b->d->pose[i]);
    most = fmax(most, lb_vec3_norm(way.p) + lb_vec3_norm(lb_quat_log(way.q)));
  }
  return most;
}

// Exact constraints ask for rate + gap/h = 0 at the end of implicit steps, which are stiff ones
// with a damping of h times the stiffness, and for rate + (gap at the start)/h = 0 in linear ones,
// which has no damping.
static void what_hardly_yields_is_exact(void** state) {
  (void)state;
  static const char* const integrators[] = {"linear-euler", "bdf1", "bdf2"};
  static const double ratio[] = {0, 1e-3, 2e-3 / 3};
  for (size_t i = 0; i < COUNT_OF(integrators); i++) {
    double before = 0;
    world exact = open_four_bar("", integrators[i], "reduced");
    run(&exact, 500, 1e-3);
    for (int power = 6; power <= 10; power += 2) {
      const double kp = pow(10, power), kd = ratio[i] * kp;
      char compliance[200];
      snprintf(compliance, sizeof compliance,
               ", compliance: {stiffness: %g, damping: %g, turn_stiffness: %g, turn_damping: %g}",
               kp, kd, kp, kd);
      world w = open_four_bar(compliance, integrators[i], "reduced");
      run(&w, 500, 1e-3);
      const double off = apart(&w, &exact);
      print_message("%s, 1e%d N/m: %.3g off\n", integrators[i], power, off);
      assert_true(before == 0 || off < before / 30);
      before = off;
      close_world(&w);
    }
    assert_below(before, 2e-6);
    close_world(&exact);
  }
}

// They differ by errors of the steps, as those of exact constraints do.
static void coordinates_do_not_matter(void** state) {
  (void)state;
  static const struct {
    const char* integrator;
    double order, most;
  } by[] = {{"linear-euler", 1, 1e-4}, {"bdf2", 2, 1e-5}, {"sdirk2", 2, 1e-5}, {"rk4", 4, 1e-8}};
  for (size_t i = 0; i < COUNT_OF(by); i++) {
    const char* soft = ", compliance: {stiffness: 1e5, damping: 100, turn_stiffness: 1e5, "
                       "turn_damping: 100}";
    double off[2];
    for (int k = 0; k < 2; k++) {
      world reduced = open_four_bar(soft, by[i].integrator, "reduced");
      world maximal = open_four_bar(soft, by[i].integrator, "maximal");
      run(&reduced, 500 << k, ldexp(2e-4, -k));
      run(&maximal, 500 << k, ldexp(2e-4, -k));
      off[k] = apart(&reduced, &maximal);
      assert_above(gap_of(&reduced), 1e-4);
      close_world(&reduced);
      close_world(&maximal);
    }
    print_message("%s: %.3g apart, order %.2f\n", by[i].integrator, off[1], log2(off[0] / off[1]));
    assert_below(off[1], by[i].most);
    assert_above(log2(off[0] / off[1]), by[i].order - 0.3);
  }
}

// --- prescribed motion ---

// A wheel that is led at a turn a second by something that yields follows it without a lag, and
// with a torque of I a where that speeds up.
static void what_is_led_without_a_load_does_not_lag(void** state) {
  (void)state;
  static const char* const integrators[] = {"linear-euler", "bdf1", "bdf2"};
  for (size_t i = 0; i < COUNT_OF(integrators); i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {wheel: {mass: 1 kg, shape: {cylinder: {radius: 0.1, length: 0.02}}}}\n"
             "joints: {turn: {type: revolute, child: wheel, axis: z}}\n"
             "constraints: {lead: {couple: [{joint: turn}], path: {spline: {degree: 2, to: 1.4, "
             "points: [0, 0, 1, 2, 3, 4, 5, 6, 6]}}, stiffness: 1e8, damping: 1e5}}\n"
             "solver: {integrator: %s}\n",
             integrators[i]);
    world w = open_world(text);
    double want[3];
    run(&w, 140, 1e-3); // it speeds up
    lb_profile_evaluate(w.m->constraint.coupling[0].path, 0.14, want);
    lb_stepper_observe(w.st, w.d);
    assert_near(w.d->coupling_force[0] / (0.005 * want[2]), 1, 1e-2);
    run(&w, 560, 1e-3); // its rate is constant
    lb_profile_evaluate(w.m->constraint.coupling[0].path, 0.7, want);
    print_message("%s: lags by %.3g rad\n", integrators[i], w.d->q[0] - want[0]);
    assert_near(w.d->q[0], want[0], 1e-9);
    close_world(&w);
  }
}

// --- energy ---

static double energy_of(const world* w) {
  lb_update(w->m, w->d, LB_ORIGINS);
  return lb_kinetic_energy(w->m, w->d) + lb_potential_energy(w->m, w->d);
}

static void energy_of_a_compliant_pendulum_converges_with_order_two(void** state) {
  (void)state;
  double before = 0;
  for (int i = 0; i < 4; i++) {
    const int steps = 500 << i;
    world w =
        open_world("bodies: {bob: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}}}\n"
                   "joints: {pin: {type: spherical, child: bob, in_child: [-0.5, 0, 0], loop: "
                   "true, compliance: {stiffness: 1000 N/m}}}\n"
                   "initial: {bob: {position: [0.5, 0, 0]}}\n"
                   "solver: {integrator: bdf2}\n");
    const double start = energy_of(&w);
    run(&w, steps, 1. / steps);
    const double off = fabs(energy_of(&w) - start), order = log2(before / off);
    print_message("%d steps: energy off by %.3g J, order %.2f\n", steps, off, order);
    if (i > 1) {
      assert_near(order, 2, 0.2);
    }
    before = off;
    close_world(&w);
  }
}

// --- momentum ---

// Three bodies that fly, joined by one of each kind that yields, with gaps that are wide open.
static const char FLYERS[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, shape: {box: [0.2, 0.3, 0.4]}}\n"
    "  b: {mass: 3, shape: {box: [0.5, 0.1, 0.2]}, position: [1, 0, 0]}\n"
    "  c: {mass: 2, shape: {box: [0.3, 0.3, 0.2]}, position: [0, 1, 0.3]}\n"
    "joints:\n"
    "  pin: {type: revolute, parent: a, child: b, axis: x, at: [0.4, 0, 0], in_child: [-0.5, 0, "
    "0.1], loop: true, compliance: {stiffness: 700, damping: 3, turn_stiffness: 30, turn_damping: "
    "2}}\n"
    "  cross: {type: universal, parent: b, child: c, axis: x, second_axis: y, at: [0, 0.4, 0], "
    "in_child: [0.3, 0, 0.1], loop: true, compliance: {stiffness: 300, damping: 5, turn_stiffness: "
    "50, turn_damping: 1}}\n"
    "  slide: {type: prismatic, parent: c, child: a, axis: z, at: [0, 0.4, 0], in_child: [0.3, 0, "
    "0.1], loop: true, compliance: {stiffness: 400, damping: 2, turn_stiffness: 20, turn_damping: "
    "3}}\n"
    "constraints:\n"
    "  rod: {distance: {from: {body: a, at: [0.1, 0.1, 0]}, to: {body: c, at: [-0.2, 0, 0.1]}}, "
    "stiffness: 500, damping: 4}\n"
    "%s";

// Everything put at random, so that all gaps are open.
static void scatter(const world* w, lb_random* r) {
  double by[64];
  for (int k = 0; k < w->m->nv; k++) {
    by[k] = lb_random_between(r, -0.4, 0.4);
    w->d->qd[k] = lb_random_between(r, -2, 2);
  }
  lb_advance(w->m, w->d->q, by, 1);
}

// Rates of momenta by a difference, along the accelerations of the moment.
static void momentum_stays_where_gaps_are_open(void** state) {
  (void)state;
  char text[4000];
  snprintf(text, sizeof text, FLYERS, "");
  world w = open_world(text);
  lb_random random = {7};
  for (int trial = 0; trial < 20; trial++) {
    scatter(&w, &random);
    lb_forward(w.m, w.d);
    // links are the bodies: forces and moments about the world's origin sum up to zero
    lb_v4 f = lb_v4_zero(), n = lb_v4_zero();
    double exchanged = 0;
    for (int i = 0; i < w.m->nlink; i++) {
      const lb_state* s = &w.d->work->state[i];
      f += s->xf;
      n += s->xn + lb_v4_cross(s->p, s->xf);
      exchanged += sqrt(lb_v4_dot(s->xf, s->xf)) + sqrt(lb_v4_dot(s->xn, s->xn));
    }
    const double off = sqrt(lb_v4_dot(f, f)) + sqrt(lb_v4_dot(n, n));
    assert_below(off, 1e-12 * exchanged);
    assert_above(gap_of(&w), 0.1);
  }
  close_world(&w);
}

// --- two ways to solve ---

// One crank that speeds up and pulls a bar by a pin that yields, or several, whose step is a KKT
// system that is never formed.
static world open_cranks(int count, const char* integrator) {
  static char text[12000];
  size_t n = 0;
  n += (size_t)snprintf(text + n, sizeof text - n, "solver: {integrator: %s}\nbodies:\n",
                        integrator);
  for (int i = 0; i < count; i++) {
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "  crank%d: {mass: 1 kg, shape: {box: [0.2, 0.02, 0.02]}}\n"
        "  bar%d: {mass: 1 kg, shape: {box: [0.5, 0.02, 0.02]}, position: [0.45, %d, 0]}\n",
        i, i, i);
  }
  n += (size_t)snprintf(text + n, sizeof text - n, "joints:\n");
  for (int i = 0; i < count; i++) {
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "  turn%d: {type: revolute, child: crank%d, axis: y, at: [0, %d, 0]}\n"
        "  pin%d: {type: revolute, parent: crank%d, child: bar%d, axis: y, at: "
        "[0.2, 0, 0], in_child: [-0.25, 0, 0], loop: true, compliance: {stiffness: "
        "1e7, damping: 1e4, turn_stiffness: 1e6, turn_damping: 1e3}}\n",
        i, i, i, i, i, i);
  }
  n += (size_t)snprintf(text + n, sizeof text - n, "motors:\n");
  for (int i = 0; i < count; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "  m%d: {joint: turn%d, keys: [[0, 0], [1, 3]], ease: cubic}\n", i, i);
  }
  return open_world(text);
}

static void large_systems_are_solved_as_small_ones(void** state) {
  (void)state;
  static const char* const integrators[] = {"linear-euler", "bdf1", "bdf2", "sdirk2"};
  for (size_t i = 0; i < COUNT_OF(integrators); i++) {
    world one = open_cranks(1, integrators[i]), many = open_cranks(5, integrators[i]);
    run(&one, 400, 1e-3);
    run(&many, 400, 1e-3);
    lb_poses(one.m, one.d);
    lb_poses(many.m, many.d);
    const lb_vec3 off = lb_vec3_sub(one.d->pose[1].p, many.d->pose[1].p);
    print_message("%s: %.3g m apart, gap %.3g m\n", integrators[i], lb_vec3_norm(off),
                  gap_of(&one));
    assert_below(lb_vec3_norm(off), 1e-9);
    close_world(&one);
    close_world(&many);
  }
}

// --- redundant constraints that do not yield ---

// A four-bar with each of its pins there five times more: a hundred rows that say nothing new.
static void a_hundred_redundant_rows_change_nothing(void** state) {
  (void)state;
  static const char* const pin[] = {
      "parent: coupler, child: rocker, at: [0.5, 0, 0], in_child: [0.4, 0, 0]",
      "parent: crank, child: coupler, at: [0.2, 0, 0]", "child: crank",
      "child: rocker, at: [0.5, 0, 0]"};
  static const char* const integrators[] = {"linear-euler", "bdf2", "rk4"};
  for (size_t i = 0; i < COUNT_OF(integrators); i++) {
    char more[4000] = "}";
    size_t n = 1;
    for (int k = 0; k < 20; k++) {
      n += (size_t)snprintf(more + n, sizeof more - n,
                            "\n  more%d: {type: revolute, axis: y, loop: true, %s%s", k, pin[k % 4],
                            k < 19 ? "}" : "");
    }
    static char text[8000];
    snprintf(text, sizeof text, FOUR_BAR, more, integrators[i], "reduced");
    world once = open_four_bar("", integrators[i], "reduced"), often = open_world(text);
    double off = 0;
    run(&once, 300, 1e-3);
    run(&often, 300, 1e-3);
    for (int k = 0; k < once.m->nv; k++) {
      off = fmax(off, fabs(once.d->qd[k] - often.d->qd[k]));
    }
    print_message("%s: %d rows, velocities off by %.3g\n", integrators[i],
                  lb_constraints_most(often.m), off);
    assert_int_equal(lb_constraints_most(often.m) - lb_constraints_most(once.m), 100);
    assert_below(off, 1e-10);
    close_world(&once);
    close_world(&often);
  }
}

// --- derivatives ---

static void residual(void* context, double* out, const double* q, const double* v) {
  const world* w = context;
  memcpy(w->d->q, q, (size_t)w->m->nq * sizeof *q);
  memcpy(w->d->qd, v, (size_t)w->m->nv * sizeof *v);
  lb_update(w->m, w->d, LB_FORCED);
  lb_rnea_forced(w->m, w->d, out, w->d->q, w->d->qd, w->d->qdd);
  for (int k = 0; k < w->m->nv; k++) {
    out[k] -= w->d->work->tau[k];
  }
}

static void forces_change_as_their_derivatives_say(void** state) {
  (void)state;
  static const char more[] =
      "  turned: {follow: {body: a, at: [0.1, 0, 0], turn: {about: [0.6, 0, 0.8], keys: [[0, 0], "
      "[1, 2]]}}, stiffness: 200, damping: 3, turn_stiffness: 30, turn_damping: 2}\n"
      "  gear: {couple: [{joint: one}, {joint: two, times: -1.7}], equals: 0.2, stiffness: 40, "
      "damping: 3}\n";
  enum { MOST = 40 };
  static double q[MOST], v[MOST], reference[MOST * MOST];
  static char text[5000];
  snprintf(text, sizeof text, FLYERS, more);
  char* joints = strstr(text, "joints:\n");
  static char whole[6000];
  snprintf(
      whole, sizeof whole,
      "%.*s  d: {mass: 1, shape: {sphere: {radius: 0.1}}}\n  e: {mass: 1, shape: {sphere: "
      "{radius: 0.1}}}\njoints:\n  one: {type: revolute, parent: a, child: d, axis: y}\n  two: "
      "{type: revolute, parent: d, child: e, axis: x, at: [0.3, 0, 0]}\n%s",
      (int)(joints - text), text, joints + strlen("joints:\n"));
  world w = open_world(whole);
  lb_derivatives* D;
  lb_random random = {3};
  assert_int_equal(lb_derivatives_create(w.m, NULL, &D, NULL), LB_OK);
  for (int trial = 0; trial < 5; trial++) {
    scatter(&w, &random);
    w.d->time = 0.3;
    const int nv = w.m->nv;
    for (int k = 0; k < nv; k++) {
      w.d->qdd[k] = lb_random_between(&random, -1, 1);
    }
    memcpy(q, w.d->q, (size_t)w.m->nq * sizeof *q);
    memcpy(v, w.d->qd, (size_t)nv * sizeof *v);
    lb_update(w.m, w.d, LB_FORCED);
    lb_derive_forced(D, w.d);
    difference(w.m, residual, &w, nv, q, v, true, 3e-5, reference);
    assert_matrix_near(nv * nv, reference, D->tau_q, 1e-8);
    difference(w.m, residual, &w, nv, q, v, false, 1e-3, reference);
    assert_matrix_near(nv * nv, reference, D->tau_qd, 1e-9);
    memcpy(w.d->q, q, (size_t)w.m->nq * sizeof *q);
  }
  lb_derivatives_release(D);
  close_world(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gap_at_rest_is_the_force_over_the_stiffness),
      cmocka_unit_test(a_joint_of_the_tree_yields_in_maximal_coordinates),
      cmocka_unit_test(infinite_stiffness_is_exact),
      cmocka_unit_test(teeth_that_yield_rest_at_the_force_over_their_stiffness),
      cmocka_unit_test(a_turning_part_opens_its_pin_as_the_closed_form_says),
      cmocka_unit_test(what_hardly_yields_is_exact),
      cmocka_unit_test(coordinates_do_not_matter),
      cmocka_unit_test(what_is_led_without_a_load_does_not_lag),
      cmocka_unit_test(energy_of_a_compliant_pendulum_converges_with_order_two),
      cmocka_unit_test(momentum_stays_where_gaps_are_open),
      cmocka_unit_test(large_systems_are_solved_as_small_ones),
      cmocka_unit_test(a_hundred_redundant_rows_change_nothing),
      cmocka_unit_test(forces_change_as_their_derivatives_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
