// Equilibria of worlds with ropes and deformables: closed forms, and that nothing moves from there.
#include "limber/shaping.h"
#include "limber/simulate.h"
#include "particle_world.h"

static void rest(const lb_model* m, lb_data* d) {
  lb_error err = lb_error_make(NULL);
  if (lb_equilibrium(m, d, &err) != LB_OK) {
    fail_msg("%s", err.message[0].text);
  }
}

// From where it starts, straight out to the side: each piece carries what hangs below it.
static void a_rope_that_starts_flat_hangs_as_its_weight_says(void** state) {
  (void)state;
  enum { N = 10 };
  const double mass = 0.1, stiffness = 100, g = 9.81, bob = 0.05;
  lb_model* m =
      compile("limber: 1\ngravity: [0, 0, -9.81]\n"
              "bodies: {bob: {mass: 0.05, inertia: [1e-5, 1e-5, 1e-5], position: [1, 0, 1]}}\n"
              "ropes:\n"
              "  rope: {through: [{at: [0, 0, 1]}, {body: bob, at: [0, 0, 0]}], segments: 10,\n"
              "    mass: 0.1, stiffness: 100 N}\n");
  lb_data* d = data_of(m);
  rest(m, d);
  double z = 1, below = mass + bob;
  for (int i = 1; i <= N; i++) {
    below -= mass / N / (i == 1 ? 2 : 1); // all from node i on
    z -= 0.1 * (1 + below * g / stiffness);
    const double* x = i < N ? d->q + m->particles.particle[i].q : d->q;
    assert_near(x[0], 0, 1e-9);
    assert_near(x[1], 0, 1e-9);
    assert_near(x[2], z, 1e-9);
  }
  lb_data_release(d);
  lb_model_release(m);
}

// An arm that a slack rope holds, deformables around the joint of two more of which a motor holds
// one, a closed linkage with a string, an elastic rod with one.
static const char* const worlds[] = {
    "limber: 1\n"
    "bodies: {arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}}\n"
    "joints: {j: {type: revolute, child: arm, axis: y, at: [1, 0, 1]}}\n"
    "ropes:\n"
    "  rope: {through: [{at: [0, 0, 1]}, {body: arm, at: [0.3, 0, 0]}], segments: 10, mass: 0.1,\n"
    "    stiffness: 1000 N, slack: 1.1}\n",
    "limber: 1\n"
    "materials: {gel: {density: 500, young: 3e4, model: corotated, damping: {stiffness: 5 ms}}}\n"
    "bodies:\n"
    "  arm: {shape: {box: [0.4, 0.06, 0.06], position: [0.2, 0, 0]}, mass: 1}\n"
    "  hand: {shape: {box: [0.3, 0.06, 0.06], position: [0.15, 0, 0]}, mass: 0.5}\n"
    "joints:\n"
    "  shoulder: {type: revolute, child: arm, axis: y}\n"
    "  elbow: {type: spherical, parent: arm, at: [0.4, 0, 0], child: hand}\n"
    "motors: {lead: {joint: shoulder, keys: [[0 s, 0]]}}\n"
    "ropes:\n"
    "  string: {through: [{body: arm, at: [0.1, 0, 0.03]}, {body: hand, at: [0.2, 0, 0.03]},\n"
    "    {free: true, at: [0.9, 0.1, 0.1]}], segments: 9, mass: 0.2, stiffness: 200 N}\n"
    "deformables:\n"
    "  flesh:\n"
    "    form: {box: {from: [0.2, 0, 0], to: [0.6, 0, 0], width: 0.1, height: 0.1},\n"
    "      elements: {along: 6, across: 2, around: 2}, material: gel}\n"
    "    attach: [arm, hand]\n",
    "limber: 1\n"
    "bodies:\n"
    "  crank: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "  coupler: {shape: {box: [1, 0.02, 0.02], position: [0.5, 0, 0]}}\n"
    "  rocker: {shape: {box: [0.02, 0.02, 0.5], position: [0, 0, 0.25]}}\n"
    "joints:\n"
    "  j1: {type: revolute, child: crank, axis: y}\n"
    "  j2: {type: revolute, parent: crank, child: coupler, axis: y, at: [0, 0, 0.5]}\n"
    "  j3: {type: revolute, child: rocker, axis: y, at: [1, 0, 0]}\n"
    "  closing: {type: revolute, loop: true, parent: coupler, child: rocker, axis: y,\n"
    "            at: [1, 0, 0], in_child: [0, 0, 0.5]}\n"
    "ropes:\n"
    "  string: {through: [{body: coupler, at: [0.2, 0, 0]}, {body: coupler, at: [0.8, 0, 0]},\n"
    "    {at: [1.3, 0, 0.9]}], segments: 9, mass: 0.2, stiffness: 400 N, slack: 0.98}\n",
    "limber: 1\n"
    "materials: {rubber: {density: 1000, young: 2e6, damping: {stiffness: 2 ms}}}\n"
    "bodies:\n"
    "  rod: {elastic: {box: {to: [0.4, 0, 0], width: 0.04, height: 0.04},\n"
    "    elements: {along: 4, across: 1, around: 1}, basis: {modes: 0, derivatives: 0},\n"
    "    material: rubber}}\n"
    "  tip: {shape: {sphere: {radius: 3 cm}}}\n"
    "joints:\n"
    "  clamp: {type: fixed, child: rod, face: start}\n"
    "  glue: {type: fixed, parent: rod, face: end, child: tip}\n"
    "ropes:\n"
    "  string: {through: [{body: tip, at: [0, 0, -0.03]}, {free: true, at: [0.5, 0, -0.3]}],\n"
    "    segments: 5, mass: 0.05, stiffness: 30 N, damping: 1 ms}\n"};

static void nothing_moves_from_equilibrium(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    lb_model* m = compile(worlds[i]);
    lb_data *d = data_of(m), *start = data_of(m);
    rest(m, d);
    double far = 0, off = 0;
    for (int k = 0; k < m->nq; k++) {
      far = fmax(far, fabs(d->q[k] - start->q[k]));
    }
    memcpy(start->q, d->q, (size_t)m->nq * sizeof *d->q);
    run(m, d, LB_INTEGRATOR_BDF2, 2e-3, 20);
    for (int k = 0; k < m->nq; k++) {
      off = fmax(off, fabs(d->q[k] - start->q[k]));
    }
    print_message("world %d: %.2g m or rad away, moves by %.2g\n", (int)i, far, off);
    assert_above(far, 0.01);
    assert_near(off, 0, 1e-9);
    lb_data_release(start);
    lb_data_release(d);
    lb_model_release(m);
  }
}

static void modes_are_refused(void** state) {
  (void)state;
  lb_model* m = compile(worlds[0]);
  lb_data* d = data_of(m);
  lb_vibration mode;
  int count = 0;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_modes_of_model(m, d, 1, &mode, &count, &err), LB_INVALID);
  assert_non_null(strstr(err.message[0].text, "ropes or deformables"));
  lb_error_clear(&err);
  lb_data_release(d);
  lb_model_release(m);
}

static void running_out_of_memory_leaves_nothing_behind(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_model* m = compile(worlds[0]);
  lb_data* d = NULL;
  assert_int_equal(lb_data_create(m, &allocator, &d, NULL), LB_OK);
  const long live = count.live;
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    count.refuse = count.requests + refuse;
    status = lb_equilibrium(m, d, NULL);
    assert_int_equal(count.live, live);
  }
  count.refuse = 0;
  lb_data_release(d);
  lb_model_release(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rope_that_starts_flat_hangs_as_its_weight_says),
      cmocka_unit_test(nothing_moves_from_equilibrium),
      cmocka_unit_test(modes_are_refused),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
