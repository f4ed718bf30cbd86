// Optimisations by the modulus of elastic bodies: gradients against differences of whole runs, and
// what numbers do in a scene.
#include "design/optimizing_schemes.h"

// Two arms of one material, one on the other, with flesh of it as well, and a tip.
static const char arms[] =
    "duration: 60 ms\n"
    "solver: {integrator: %s%s}\n"
    "materials:\n"
    "  rubber: {density: 1100, young: 200 kPa, poisson: 0.4,\n"
    "           damping: {mass: 0.1, stiffness: 1 ms}}\n"
    "  steel: {density: 7800, young: 20 MPa, poisson: 0.3, damping: {stiffness: 0.1 ms}}\n"
    "bodies:\n"
    "  base: {shape: {box: [0.1, 0.1, 0.1]}}\n"
    "  arm: {elastic: {rod: {radius: 1 cm, from: [0, 0, 0], to: [0.3, 0, 0]},\n"
    "                  material: rubber, accuracy: 0.2, basis: {modes: 2, derivatives: 1}}}\n"
    "  elbow: {shape: {box: [0.05, 0.05, 0.05]}}\n"
    "  blade: {elastic: {box: {from: [0, 0, 0], to: [0.2, 0, 0], width: 2 cm, height: 1 cm},\n"
    "                    material: steel, accuracy: 0.3, basis: {modes: 2, derivatives: 1}}}\n"
    "  fore: {elastic: {rod: {radius: 1 cm, from: [0, 0, 0], to: [0.2, 0, 0]},\n"
    "                   material: rubber, accuracy: 0.2, basis: {modes: 2, derivatives: 1}}}\n"
    "joints:\n"
    "  turn: {type: revolute, child: base, axis: z}\n"
    "  hold: {type: fixed, parent: base, child: arm, at: [0.05, 0, 0], child_face: start}\n"
    "  carry: {type: revolute, parent: arm, face: end, child: elbow, axis: y,\n"
    "          spring: {stiffness: 0.5}}\n"
    "  clamp: {type: fixed, parent: elbow, child: fore, at: [0.025, 0, 0], child_face: start}\n"
    "  stick: {type: fixed, parent: base, child: blade, at: [0, 0, 0.05], child_face: start}\n"
    "springs:\n"
    "  pull: {from: {body: blade, face: end}, to: {body: fore, face: end}, stiffness: 20,\n"
    "         length: 0.2}\n"
    "%s"
    "motors: {push: {joint: turn, drive: force, keys: [[0, 0.1]]}}\n"
    "optimize:\n"
    "  parameters:\n"
    "    stiff: {young: rubber}\n"
    "    hard: {young: steel}\n"
    "    push: {motor: push}\n"
    "    spring: {stiffness: carry}\n"
    "  goals:\n"
    "    there: {point: elbow, at: [0.03, 0, 0], position: [0.4, 0.1, 0], weight: 1000}\n"
    "    calm: {point: elbow, velocity: [0, 0, 0], time: [20 ms, 60 ms], weight: 100}\n"
    "    turn: {joint: turn, position: 0, weight: 100}\n";

static const char flesh[] =
    "soft:\n"
    "  lump:\n"
    "    form: {box: {from: [-0.1, 0, 0], to: [0.1, 0, 0], width: 0.1, height: 0.1},\n"
    "      elements: {along: 3, across: 1, around: 1}, material: rubber}\n"
    "    attach: [base]\n"
    "    within: 3 cm\n";

static void moduli_of_elastic_bodies(void** state) {
  (void)state;
  check_schemes(SCHEMES, arms, false, "", 1e-3, 1e-8);
  check_schemes(SCHEMES, arms, true, "", 1e-3, 1e-7);
}

static void moduli_of_elastic_bodies_and_flesh(void** state) {
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    char text[8000];
    problem p;
    snprintf(text, sizeof text, arms, schemes[i], ", step: 2 ms", flesh);
    open_problem(&p, text);
    check_both(&p, 5e-4, 1e-8);
    check_applied(&p);
    close_problem(&p);
  }
}

// Where a loop has joints to close with, elastic bodies in it start as straight as in the scene
// that the numbers are written into.
static void loops_close_without_bending(void** state) {
  (void)state;
  problem p;
  open_problem(
      &p, "duration: 50 ms\n"
          "solver: {integrator: bdf2, step: 5 ms}\n"
          "materials: {soft: {density: 1100, young: 20 MPa, damping: {stiffness: 1 ms}}}\n"
          "bodies:\n"
          "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.1]}}}\n"
          "  coupler: {material: soft, elastic: {rod: {radius: 1 cm, to: [0.4, 0, 0.2]},\n"
          "    elements: {along: 5, across: 1}, basis: {modes: 2, derivatives: 2}}}\n"
          "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.3]}}}\n"
          "joints:\n"
          "  shaft: {type: revolute, child: crank, axis: y}\n"
          "  pin: {type: revolute, parent: crank, child: coupler, face: start, at: [0, 0, 0.1],\n"
          "    axis: y}\n"
          "  pivot: {type: revolute, child: rocker, at: [0.4, 0, 0], axis: y}\n"
          "  close: {type: revolute, loop: true, parent: coupler, child: rocker, face: end,\n"
          "    in_child: [0, 0, 0.3], axis: y}\n"
          "optimize:\n"
          "  parameters: {long: {length: rocker, along: z}, weight: {mass: rocker}}\n"
          "  goals: {g: {point: rocker, at: [0, 0, 0.3], position: [0.4, 0, 0.2], time: [0, 50 "
          "ms]}}\n");
  check_gradient(&p, p.o->start, 1e-3, 1e-7);
  check_applied(&p);
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moduli_of_elastic_bodies),
      cmocka_unit_test(moduli_of_elastic_bodies_and_flesh),
      cmocka_unit_test(loops_close_without_bending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
