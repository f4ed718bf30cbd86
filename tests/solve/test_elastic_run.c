// Elastic bodies in a run: under loads and springs on their faces.
#include "elastic/fem/fem.h"
#include "elastic/reduced/reduced.h"
#include "limber/limber.h"
#include "model/use/link.h"
#include "output/report/deformed.h"
#include "test.h"

typedef struct run {
  lb_model* m;
  lb_recording* r;
  lb_summary s;
} run;

static run run_of(const char* text) {
  run u = {0};
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  const lb_simulate_options options = lb_simulate_default();
  if (lb_scene_parse(text, strlen(text), "run.yaml", NULL, &scene, &err) != LB_OK ||
      lb_model_create(&scene, NULL, &u.m, &err) != LB_OK ||
      lb_recording_create(u.m, 10, NULL, &u.r, &err) != LB_OK ||
      lb_simulate(u.m, &options, u.r, &u.s, &err) != LB_OK) {
    print_error("%s\n", err.count ? err.message[0].text : "?");
    fail();
  }
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return u;
}

static void finish(run* u) {
  lb_recording_release(u->r);
  lb_model_release(u->m);
}

// How far the first carrying face of a body has moved at the end.
static lb_vec3 travel(const run* u, const char* body) {
  const lb_model* m = u->m;
  const int link = m->body.link[lb_model_body(m, body)];
  const lb_reduced* b = m->link.packed[link].reduced;
  const double* eta =
      u->r->q + (size_t)(u->r->nframe - 1) * (size_t)m->nq + (size_t)m->link.q[link];
  lb_v4 sum = lb_v4_zero();
  for (int k = 0; k < b->r; k++) {
    sum += b->face[0].W[k] * eta[k];
  }
  return lb_v4_vec3(sum);
}

// A cantilever of 40 cm along x, damped so that it soon comes to rest.
#define CANTILEVER                                                                                 \
  "gravity: [0, 0, 0]\n"                                                                           \
  "materials: {s: {density: 7850, young: 200 GPa, poisson: 0.3, damping: {mass: 150}}}\n"          \
  "bodies: {rod: {elastic: {rod: {radius: 5 mm, to: [0.4, 0, 0]}, material: s,\n"                  \
  "                         elements: {across: 1}}}}\n"                                            \
  "joints: {clamp: {type: fixed, child: rod, face: start}}\n"                                      \
  "duration: 0.4\n"

static const double LENGTH = 0.4, EI = 200e9 * M_PI * 625e-12 / 4;

// F L^3 / (3 EI), in a basis and with all nodes.
static void a_load_on_a_face_bends_a_rod_as_beam_theory_says(void** state) {
  (void)state;
  static const char* const solver[] = {"solver: {step: 1 ms}\n",
                                       "solver: {step: 4 ms, elastic: full}\n"};
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(
        text, sizeof text, "%s%s%s", CANTILEVER, solver[i],
        "loads: {pull: {body: rod, face: end, force: [0, 0, -10], keys: [[0, 0], [0.2, 1]]}}\n");
    run u = run_of(text);
    const double theory = -10 * LENGTH * LENGTH * LENGTH / (3 * EI);
    print_message("%.6g m, beam theory %.6g m\n", travel(&u, "rod").z, theory);
    assert_near(travel(&u, "rod").z / theory, 1, 0.01);
    finish(&u);
  }
}

// A force d off the middle of the end, along the rod, is a moment F d: it bends by F d L^2 / (2
// EI).
static void a_load_off_the_middle_of_a_face_turns_it(void** state) {
  (void)state;
  run u = run_of(CANTILEVER
                 "solver: {step: 1 ms}\n"
                 "loads: {pull: {body: rod, face: end, at: [0.4, 0.1, 0], force: [10, 0, 0]},\n"
                 "        push: {body: rod, face: end, force: [-10, 0, 0]}}\n");
  const double theory = -10 * 0.1 * LENGTH * LENGTH / (2 * EI);
  assert_near(travel(&u, "rod").y / theory, 1, 0.01);
  finish(&u);
}

// A spring from the tip to the world shares a load with the rod: F / (k + 3 EI / L^3).
static void a_spring_on_a_face_bears_its_part(void** state) {
  (void)state;
  run u = run_of(
      CANTILEVER
      "solver: {step: 1 ms}\n"
      "springs: {s: {from: {at: [0.4, 0, 1]}, to: {body: rod, face: end}, stiffness: 5000}}\n"
      "loads: {pull: {body: rod, face: end, force: [0, 0, -10]}}\n");
  const double theory = -10 / (5000 + 3 * EI / (LENGTH * LENGTH * LENGTH));
  const lb_vec3 tip = travel(&u, "rod");
  assert_near(tip.z / theory, 1, 0.01);
  // and it is drawn where it is
  lb_vec3 end[2];
  lb_bent_line(u.r, u.r->nframe - 1, 0, end);
  assert_near(end[0].z, 1, 0);
  assert_near(lb_vec3_norm(lb_vec3_sub(end[1], lb_vec3_make(0.4 + tip.x, tip.y, tip.z))), 0, 1e-12);
  finish(&u);
}

// Two rods, one on a hinge and turning, joined by a spring between their ends. No damping: what
// energy is lost is the steps', and falls with their square or faster.
static void energy_of_rods_joined_by_a_spring_stays_to_the_order_of_the_steps(void** state) {
  (void)state;
  double drift[2];
  for (int i = 0; i < 2; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  a: &rod {elastic: {rod: {radius: 5 mm, to: [0, 0, 0.4]}, material: pla,\n"
             "           elements: {along: 8, across: 1}, basis: {modes: 0, derivatives: 2}}}\n"
             "  b: *rod\n"
             "joints:\n"
             "  low: {type: revolute, axis: y, child: a, face: start}\n"
             "  high: {type: fixed, child: b, face: start, at: [0.1, 0, 0]}\n"
             "springs: {s: {from: {body: a, face: end}, to: {body: b, face: end}, stiffness: 50}}\n"
             "initial: {low: {velocity: 1}}\n"
             "duration: 0.2\nrecord: {every: 5 ms}\nsolver: {step: %g}\n",
             i ? 1e-4 : 2e-4);
    run u = run_of(text);
    assert_true(u.s.conservative);
    drift[i] = u.s.energy_drift;
    finish(&u);
  }
  print_message("drift %.3g, then %.3g: order %.2f\n", drift[0], drift[1],
                log2(drift[0] / drift[1]));
  assert_below(drift[1], 1e-2);
  assert_above(log2(drift[0] / drift[1]), 1.9);
}

// A soft rod, pushed together by what would flatten it many times over.
#define SQUASHED                                                                                   \
  "gravity: [0, 0, 0]\n"                                                                           \
  "materials: {jelly: {density: 1000, young: 20 kPa, poisson: 0.4, damping: {mass: 50},\n"         \
  "                    model: %s}}\n"                                                              \
  "bodies: {rod: {elastic: {rod: {radius: 1 cm, to: [0, 0, 0.05]}, material: jelly,\n"             \
  "                         elements: {along: 4, across: 1}, basis: {modes: 2}}}}\n"               \
  "joints: {floor: {type: fixed, child: rod, face: start}}\n"                                      \
  "loads: {press: {body: rod, face: end, force: [0, 0, %g], keys: [[0, 0], [0.05, 1]]}}\n"         \
  "duration: 0.1\nrecord: {every: 5 ms}\nsolver: {step: 0.5 ms, elastic: %s}\n"

static void a_body_turned_inside_out_is_survived_and_reported(void** state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, SQUASHED, "neo-hookean", -20.0, "reduced");
  run u = run_of(text);
  const lb_inversion* i = &u.s.inversion;
  print_message("volume %.3g at %g s, (%.3g, %.3g, %.3g), %d of %d frames\n", i->volume, i->time,
                i->at.x, i->at.y, i->at.z, i->frames, u.r->nframe);
  assert_above(i->frames, 0);
  assert_below(i->frames, u.r->nframe);
  assert_at_most(i->volume, 0);
  assert_above(i->time, 0);
  assert_below(i->time, 0.1);
  assert_int_equal(i->body, 0);
  assert_above(i->at.z, 0);
  assert_below(i->at.z, 0.05);
  assert_below(hypot(i->at.x, i->at.y), 0.01);
  assert_near(u.r->time[u.r->nframe - 1], 0.1, 1e-12); // it went on to the end
  finish(&u);
}

// Its nodes put where the upper half of the rod is mirrored: det F is -1 there and 1 below.
static void a_body_with_all_its_nodes_says_where_it_is_inside_out(void** state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, SQUASHED, "neo-hookean", -1.0, "full");
  lb_scene scene;
  lb_model* m;
  lb_data* d;
  assert_int_equal(lb_scene_parse(text, strlen(text), "run.yaml", NULL, &scene, NULL), LB_OK);
  assert_int_equal(lb_model_create(&scene, NULL, &m, NULL), LB_OK);
  lb_scene_release(&scene);
  assert_int_equal(lb_data_create(lb_model_simulated(m), NULL, &d, NULL), LB_OK);
  assert_near(lb_least_volume(lb_model_simulated(m), d).volume, 1, 1e-12);
  const lb_fem* fem = m->elastic.fem[0];
  double* u = d->q + lb_model_simulated(m)->link.q[lb_model_simulated(m)->body.link[0]];
  for (int i = 0; i < fem->nnode; i++) {
    u[3 * i + 2] = -2 * fmax(0, fem->node[i].z - 0.025);
  }
  const lb_squeeze least = lb_least_volume(lb_model_simulated(m), d);
  assert_int_equal(least.body, 0);
  assert_near(least.volume, -1, 1e-9);
  assert_above(least.at.z, 0.025);
  assert_below(least.at.z, 0.05);
  lb_data_release(d);
  lb_model_release(m);
}

static void a_body_that_bears_its_load_is_not_reported(void** state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, SQUASHED, "neo-hookean", -0.5, "reduced");
  run u = run_of(text);
  assert_int_equal(u.s.inversion.frames, 0);
  finish(&u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_on_a_face_bends_a_rod_as_beam_theory_says),
      cmocka_unit_test(a_load_off_the_middle_of_a_face_turns_it),
      cmocka_unit_test(a_spring_on_a_face_bears_its_part),
      cmocka_unit_test(a_body_turned_inside_out_is_survived_and_reported),
      cmocka_unit_test(a_body_with_all_its_nodes_says_where_it_is_inside_out),
      cmocka_unit_test(a_body_that_bears_its_load_is_not_reported),
      cmocka_unit_test(energy_of_rods_joined_by_a_spring_stays_to_the_order_of_the_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
