// Equilibria with all nodes of elastic bodies: those of a basis that spans all there is, nothing
// moves from there, and near those of a basis of a few shapes.
#include "counting.h"
#include "twins.h"

static const char* const TIE = "  tie: {type: spherical, loop: true, child: flap, "
                               "at: [16 cm, 0, 1 cm], in_child: [4 cm, 0, 1 cm]}\n";

static lb_data* find_equilibrium(const lb_model* m, double time) {
  lb_data* d = NULL;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  d->time = time;
  if (lb_equilibrium(m, d, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  lb_poses(m, d);
  return d;
}

static double apart(int nbody, const lb_transform* a, const lb_transform* b) {
  double worst = 0;
  for (int k = 0; k < nbody; k++) {
    worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(a[k].p, b[k].p)));
  }
  return worst;
}

// Clamped, hanging on a hinge, hanging on a cross, and in a loop; the motor somewhere on its way.
static void all_nodes_have_the_equilibrium_of_a_complete_basis(void** state) {
  (void)state;
  static const char* const carried[] = {"type: fixed", "type: revolute, axis: y",
                                        "type: universal, axis: y, second_axis: x", "type: fixed"};
  for (int i = 0; i < 4; i++) {
    twins t;
    make_twins(&t, carried[i], i == 3 ? TIE : "");
    lb_data* a = find_equilibrium(lb_model_simulated(t.shown), 0.04);
    lb_data* b = find_equilibrium(t.reduced, 0.04);
    const double worst = apart(t.reduced->nbody, a->pose, b->pose);
    print_message("%s%s: %.1e m, motor %.1e of %.2g N m\n", carried[i], i == 3 ? ", loop" : "",
                  worst, fabs(a->motor_force[0] - b->motor_force[0]), b->motor_force[0]);
    assert_near(worst, 0, 1e-9);
    assert_near(a->motor_force[0], b->motor_force[0], 1e-9);
    assert_near(lb_potential_energy(lb_model_simulated(t.shown), a),
                lb_potential_energy(t.reduced, b), 1e-9);
    assert_near(lb_constraint_gap(lb_model_simulated(t.shown), a, NULL), 0, 1e-12);
    lb_data_release(b);
    lb_data_release(a);
    drop_twins(&t);
  }
}

// Released from rest, with the motor where it is for long enough.
static void from_equilibrium_nothing_moves(void** state) {
  (void)state;
  static const char* const carried[] = {"type: revolute, axis: y", "type: fixed"};
  for (int i = 0; i < 2; i++) {
    twins t;
    make_twins(&t, carried[i], i == 1 ? TIE : "");
    const lb_model* m = lb_model_simulated(t.shown);
    lb_data* d = find_equilibrium(m, 1);
    lb_transform* start = malloc((size_t)m->nbody * sizeof *start);
    memcpy(start, d->pose, (size_t)m->nbody * sizeof *start);
    lb_stepper* st;
    assert_int_equal(lb_stepper_create(m, NULL, NULL, &st, NULL), LB_OK);
    for (int k = 0; k < 20; k++) {
      assert_int_equal(lb_stepper_step(st, d, 2e-3, NULL), LB_OK);
    }
    lb_poses(m, d);
    print_message("%s: %.1e m in 20 steps\n", carried[i], apart(m->nbody, start, d->pose));
    assert_near(apart(m->nbody, start, d->pose), 0, 1e-9);
    lb_stepper_release(st);
    free(start);
    lb_data_release(d);
    drop_twins(&t);
  }
}

static void a_floating_body_has_no_equilibrium(void** state) {
  (void)state;
  twins t;
  lb_data* d;
  lb_error err = lb_error_make(NULL);
  make_twins(&t, "type: free", "");
  const lb_model* m = lb_model_simulated(t.shown);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_equilibrium(m, d, &err), LB_FAILED);
  assert_non_null(strstr(err.message[0].text, "'root'"));
  assert_memory_equal(d->q, m->start.q, (size_t)m->nq * sizeof *d->q);
  lb_error_clear(&err);
  lb_data_release(d);
  drop_twins(&t);
}

// What is shown of a model has no forces of its own.
static void only_the_simulated_model_finds_equilibrium(void** state) {
  (void)state;
  twins t;
  lb_data* d;
  make_twins(&t, "type: fixed", "");
  assert_int_equal(lb_data_create(t.shown, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_equilibrium(t.shown, d, NULL), LB_INVALID);
  lb_data_release(d);
  drop_twins(&t);
}

static void running_out_of_memory_leaks_nothing(void** state) {
  (void)state;
  twins t;
  make_twins(&t, "type: fixed", TIE);
  lb_counting counting = {0};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  long requests = 1;
  for (long n = 0; n <= requests; n++) {
    lb_data* d = NULL;
    counting = (lb_counting){0};
    assert_int_equal(lb_data_create(lb_model_simulated(t.shown), &allocator, &d, NULL), LB_OK);
    const long live = counting.live;
    counting.refuse = n ? counting.requests + n : 0;
    const long before = counting.requests;
    assert_int_equal(lb_equilibrium(lb_model_simulated(t.shown), d, NULL),
                     n ? LB_NO_MEMORY : LB_OK);
    assert_int_equal(counting.live, live);
    requests = n ? requests : counting.requests - before;
    lb_data_release(d);
  }
  print_message("%ld requests refused one by one\n", requests);
  drop_twins(&t);
}

// A level rod that a motor lifts, coarse, played infinitely slowly.
static const char ROD[] = "materials: {s: {density: 7850, young: 200 GPa, poisson: 0.3}}\n"
                          "bodies:\n"
                          "  hub: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}}\n"
                          "  rod: {elastic: {rod: {radius: 2 mm, to: [0.5, 0, 0]}, material: s,\n"
                          "        elements: {along: 8, across: 1}}}\n"
                          "  weight: {mass: 0.1 kg, shape: {sphere: {radius: 1 cm}}}\n"
                          "joints:\n"
                          "  motor: {type: revolute, child: hub, axis: -y}\n"
                          "  clamp: {type: fixed, parent: hub, child: rod, face: start}\n"
                          "  tip: {type: fixed, parent: rod, face: end, child: weight}\n"
                          "motors: {turn: {joint: motor, keys: [[0.2, 0], [0.6, 60 deg]]}}\n"
                          "duration: 0.8\nrecord: {every: 0.05}\n";

static lb_recording* play(lb_scene* scene, lb_model** m) {
  const lb_simulate_options options = lb_simulate_default();
  lb_recording* r = NULL;
  assert_int_equal(lb_model_create(scene, NULL, m, NULL), LB_OK);
  assert_int_equal(lb_recording_create(*m, 0, NULL, &r, NULL), LB_OK);
  assert_int_equal(lb_quasistatic_motion(*m, &options, r, NULL), LB_OK);
  return r;
}

static void a_slow_motion_with_all_nodes_is_near_that_of_a_few_shapes(void** state) {
  (void)state;
  lb_scene scene;
  lb_model *full, *few;
  assert_int_equal(lb_scene_parse(ROD, strlen(ROD), "rod.yaml", NULL, &scene, NULL), LB_OK);
  lb_recording* reduced = play(&scene, &few);
  scene.solver.elastic = LB_SPACE_FULL;
  lb_recording* all = play(&scene, &full);
  assert_int_equal(all->nframe, reduced->nframe);
  assert_int_equal(all->nframe, 17);
  double worst = 0, low = 0;
  for (int f = 0; f < all->nframe; f++) {
    const lb_transform* a = all->pose + f * few->nbody;
    worst = fmax(worst, apart(few->nbody, a, reduced->pose + f * few->nbody));
    low = fmin(low, a[lb_model_body(few, "weight")].p.z);
    assert_near(all->motor[f], reduced->motor[f], 2e-3);
  }
  print_message("%d unknowns: sag %.3g mm, apart by %.2g mm at most\n",
                lb_model_simulated(full)->nv, -1e3 * low, 1e3 * worst);
  assert_below(worst, 5e-3 * -low);
  lb_recording_release(all);
  lb_recording_release(reduced);
  lb_model_release(full);
  lb_model_release(few);
  lb_scene_release(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_nodes_have_the_equilibrium_of_a_complete_basis),
      cmocka_unit_test(from_equilibrium_nothing_moves),
      cmocka_unit_test(a_floating_body_has_no_equilibrium),
      cmocka_unit_test(only_the_simulated_model_finds_equilibrium),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
      cmocka_unit_test(a_slow_motion_with_all_nodes_is_near_that_of_a_few_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
