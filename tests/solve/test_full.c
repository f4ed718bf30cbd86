// Elastic bodies with all their nodes: the same motion as in a basis that spans all there is, for
// trees, loops and bodies that float.
#include "dynamics/joint.h"
#include "elastic/full.h"
#include "elastic/projected.h"
#include "limber/limber.h"
#include "test.h"

// A soft bar on a hub, a flap on its end that a motor turns; %s is what carries the hub, and what
// else there is.
static const char SCENE[] =
    "materials:\n"
    "  rubber: {density: 1000, young: 2 MPa, poisson: 0.4, damping: "
    "{mass: 0.2, stiffness: 1e-4 s}}\n"
    "bodies:\n"
    "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}\n"
    "  bar:\n"
    "    elastic:\n"
    "      box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [10 cm, 0, 0]}\n"
    "      material: rubber\n"
    "      elements: {along: 3, across: 1, around: 1}\n"
    "      order: 1\n"
    "      basis: {modes: 2, derivatives: 0}\n"
    "  flap: {shape: {box: [4 cm, 1 cm, 2 cm], position: [2 cm, 0, 1 cm]}}\n"
    "joints:\n"
    "  root: {child: hub, %s}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, face: start, at: [2 cm, 0, 0]}\n"
    "  wrist: {type: revolute, parent: bar, face: end, child: flap, at: [10 cm, 0, 0], axis: z}\n"
    "%s"
    "motors:\n"
    "  turn: {joint: wrist, keys: [[0, 0], [0.1, 60 deg], [0.2, 0]]}\n"
    "solver: {integrator: bdf2, step: 2 ms}\n";

static lb_scene read_scene(const char* root, const char* more) {
  char text[4096];
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, SCENE, root, more);
  if (lb_scene_parse(text, strlen(text), "bar.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return scene;
}

// A basis of all displacements that keep the held face's conditions: unit vectors, made orthogonal
// to the conditions and to each other.
static lb_basis complete_basis(const lb_full* b, lb_arena* arena) {
  const int n = b->fem->ndof;
  double* Q = LB_TAKE(arena, double, (size_t)(n + 6) * (size_t)n);
  lb_v4 centre = lb_v4_zero();
  double total = 0;
  for (int i = 0; i < b->held.count; i++) {
    total += b->held.weight[i];
    centre += lb_v4_from(b->fem->node[b->held.node[i]]) * b->held.weight[i];
  }
  centre /= total;
  int count = 0;
  for (int k = 0; k < n + 6; k++) {
    double* x = Q + (size_t)count * (size_t)n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < b->held.count && k < 6; i++) {
      const lb_v4 D = lb_v4_from(b->fem->node[b->held.node[i]]) - centre;
      lb_v4 e = lb_v4_zero();
      e[k % 3] = b->held.weight[i] / total;
      lb_v4_store(x + 3 * b->held.node[i], k < 3 ? e : lb_v4_cross(e, D) * 100);
    }
    if (k >= 6) {
      x[k - 6] = 1;
    }
    double before = 0, after = 0;
    for (int i = 0; i < n; i++) {
      before += x[i] * x[i];
    }
    for (int j = 0; j < 2 * count; j++) { // twice, against rounding
      const double* y = Q + (size_t)(j % count) * (size_t)n;
      double s = 0;
      for (int i = 0; i < n; i++) {
        s += x[i] * y[i];
      }
      for (int i = 0; i < n; i++) {
        x[i] -= s * y[i];
      }
    }
    for (int i = 0; i < n; i++) {
      after += x[i] * x[i];
    }
    for (int i = 0; i < n; i++) {
      x[i] /= sqrt(after);
    }
    count += after > 1e-12 * before ? 1 : 0;
  }
  assert_int_equal(count, n);
  return (lb_basis){.r = n - 6, .Phi = Q + 6 * (size_t)n, .omega = NULL};
}

typedef struct runner {
  const lb_model* m;
  lb_data* d;
  lb_stepper* st;
} runner;

static runner start(const lb_model* m) {
  runner r = {.m = m};
  assert_int_equal(lb_data_create(m, NULL, &r.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &r.st, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, r.d, NULL), LB_OK);
  return r;
}

static void stop(runner* r) {
  lb_stepper_release(r->st);
  lb_data_release(r->d);
}

// The worst distance between bodies of the two over a run.
static double compare(const lb_model* a, const lb_model* b, int steps, double h) {
  runner ra = start(a), rb = start(b);
  double worst = 0;
  for (int i = 0; i < steps; i++) {
    assert_int_equal(lb_stepper_step(ra.st, ra.d, h, NULL), LB_OK);
    assert_int_equal(lb_stepper_step(rb.st, rb.d, h, NULL), LB_OK);
    lb_poses(a, ra.d);
    lb_poses(b, rb.d);
    for (int k = 0; k < a->nbody; k++) {
      worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(ra.d->pose[k].p, rb.d->pose[k].p)));
    }
    assert_near(lb_kinetic_energy(a, ra.d), lb_kinetic_energy(b, rb.d), 1e-9);
    assert_near(lb_potential_energy(a, ra.d), lb_potential_energy(b, rb.d), 1e-9);
  }
  stop(&ra);
  stop(&rb);
  return worst;
}

// All nodes against the complete basis.
static double difference(const char* root, const char* more) {
  lb_scene scene = read_scene(root, more);
  scene.solver.elastic = LB_SPACE_FULL;
  lb_model *shown, *reduced;
  assert_int_equal(lb_model_create(&scene, NULL, &shown, NULL), LB_OK);
  const lb_full* body = NULL;
  for (int i = 0; i < shown->full->nlink; i++) {
    body = shown->full->link_kind[i] == LB_LINK_FULL ? shown->full->link[i].reduced->full : body;
  }
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_basis basis = complete_basis(body, &arena);
  const lb_projected whole = {body->fem, &basis};
  const lb_basis_face face = {body->face[0].count, body->face[0].node, body->face[0].weight};
  lb_reduced all;
  assert_int_equal(lb_projected_reduce(&whole, 1, &face, &arena, &all), LB_OK);
  all.alpha = body->alpha;
  all.beta = body->beta;
  for (int i = 0; i < scene.nbody; i++) {
    if (scene.body[i].elastic) {
      scene.body[i].elastic = NULL;
      scene.body[i].reduced = &all;
    }
  }
  for (int j = 0; j < scene.njoint; j++) {
    scene.joint[j].face = scene.joint[j].parent == 1 ? 0 : -1;
    scene.joint[j].child_face = -1;
  }
  scene.solver.elastic = LB_SPACE_REDUCED;
  assert_int_equal(lb_model_create(&scene, NULL, &reduced, NULL), LB_OK);
  const double worst = compare(shown->full, reduced, 100, 2e-3);
  lb_model_release(reduced);
  lb_model_release(shown);
  lb_arena_release(&arena);
  lb_scene_release(&scene);
  return worst;
}

static void all_nodes_move_as_a_complete_basis_does(void** state) {
  (void)state;
  static const char* const carried[] = {"type: fixed", "type: revolute, axis: y", "type: free"};
  for (int i = 0; i < 3; i++) {
    const double worst = difference(carried[i], "");
    print_message("%s: %.1e m\n", carried[i], worst);
    assert_near(worst, 0, 5e-9);
  }
}

static void loops_hold_bodies_with_all_nodes_as_they_hold_others(void** state) {
  (void)state;
  const double worst =
      difference("type: fixed", "  tie: {type: spherical, loop: true, child: flap, "
                                "at: [16 cm, 0, 1 cm], in_child: [4 cm, 0, 1 cm]}\n");
  print_message("loop: %.1e m\n", worst);
  assert_near(worst, 0, 5e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_hold_bodies_with_all_nodes_as_they_hold_others),
      cmocka_unit_test(all_nodes_move_as_a_complete_basis_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
