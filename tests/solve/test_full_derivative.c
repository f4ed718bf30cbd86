// Derivatives of implicit steps of elastic bodies with all their nodes: chained over a few steps
// against differences of whole runs, and the transpose against itself.
#include "counting.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "elastic/full/full_body.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "solve/step/step_inside.h"
#include "step_chain.h"

#define BODIES                                                                                     \
  "limber: 1\n"                                                                                    \
  "materials:\n"                                                                                   \
  "  rubber: {density: 1000, young: 0.5 MPa, poisson: 0.4, model: MODEL,\n"                        \
  "    damping: {mass: 0.3, stiffness: 2 ms}}\n"                                                   \
  "bodies:\n"                                                                                      \
  "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}\n"                                                    \
  "  bar: {elastic: {box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [10 cm, 0, 0]},\n"    \
  "    material: rubber, elements: {along: 3, across: 1, around: 1}, order: 1,\n"                  \
  "    basis: {modes: 2, derivatives: 0}}}\n"

// A flap on the end of a bar, driven and pushed; with a spring to it.
#define FLAP                                                                                       \
  "  flap: {shape: {box: [4 cm, 1 cm, 2 cm], position: [2 cm, 0, 1 cm]}}\n"                        \
  "  tip: {shape: {box: [2 cm, 1 cm, 1 cm], position: [1 cm, 0, 0]}}\n"                            \
  "joints:\n"                                                                                      \
  "  root: {child: hub, CARRIER}\n"                                                                \
  "  clamp: {type: fixed, parent: hub, child: bar, face: start, at: [2 cm, 0, 0]}\n"               \
  "  wrist: {type: revolute, parent: bar, face: end, child: flap, at: [10 cm, 0, 0], axis: z}\n"   \
  "  knuckle: {type: revolute, parent: flap, child: tip, at: [4 cm, 0, 1 cm], axis: y,\n"          \
  "    spring: {stiffness: 0.02}, damping: 1e-4}\n"                                                \
  "motors:\n"                                                                                      \
  "  turn: {joint: wrist, keys: [[0, 0], [0.1, KEY rad]]}\n"                                       \
  "  push: {joint: knuckle, drive: force, keys: [[0, 0], [0.1, KEY]]}\n"                           \
  "springs:\n"                                                                                     \
  "  pull: {stiffness: 20, damping: 0.1, length: 5 cm, from: {at: [0.2, 0.1, 0]},\n"               \
  "    to: {body: tip, at: [1 cm, 0, 0]}}\n"                                                       \
  "  prop: {stiffness: 20, length: 5 cm, from: {at: [0, 0, 0.1]}, to: {body: bar, face: end}}\n"
static const char TREE[] = BODIES FLAP, MAXIMAL[] = BODIES FLAP "solver: {coordinates: maximal}\n";

// One bar on the end of another, which turns about a ball there.
static const char TWO[] = BODIES
    "  more: {elastic: {box: {width: 1 cm, height: 1 cm, from: [0, 0, 0], to: [8 cm, 0, 0]},\n"
    "    material: rubber, elements: {along: 2, across: 1, around: 1}, order: 2,\n"
    "    basis: {modes: 2, derivatives: 0}}}\n"
    "  bob: {shape: {sphere: {radius: 1 cm}}}\n"
    "joints:\n"
    "  root: {child: hub, CARRIER}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, face: start, at: [2 cm, 0, 0]}\n"
    "  elbow: {type: spherical, parent: bar, face: end, child: more, child_face: start, at: [10 "
    "cm, 0, 0]}\n"
    "  glue: {type: fixed, parent: more, face: end, child: bob, at: [8 cm, 0, 0]}\n";

// The bar's end is held, and a gear couples what it carries.
static const char LOOP[] = BODIES
    "  flap: {shape: {box: [4 cm, 1 cm, 2 cm], position: [2 cm, 0, 1 cm]}}\n"
    "  tip: {shape: {box: [2 cm, 1 cm, 1 cm], position: [1 cm, 0, 0]}}\n"
    "joints:\n"
    "  root: {child: hub, CARRIER}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, face: start, at: [2 cm, 0, 0]}\n"
    "  wrist: {type: revolute, parent: bar, face: end, child: flap, at: [10 cm, 0, 0], axis: z}\n"
    "  knuckle: {type: revolute, parent: flap, child: tip, at: [4 cm, 0, 1 cm], axis: y}\n"
    "  tie: {type: spherical, loop: true, child: flap, at: [16 cm, 0, 1 cm],\n"
    "    in_child: [4 cm, 0, 1 cm]}\n"
    "constraints:\n"
    "  gear: {couple: [{joint: wrist}, {joint: knuckle, times: -2}], equals: 0}\n"
    "motors:\n"
    "  push: {joint: knuckle, drive: force, keys: [[0, 0], [0.1, KEY]]}\n";

// Everything that may act on what a bar carries, and on the bar itself.
static const char BUSY[] = BODIES
    "  flap: {shape: {box: [4 cm, 1 cm, 2 cm], position: [2 cm, 0, 1 cm]}, drag: 0.3,\n"
    "    turn_drag: 1e-3}\n"
    "  tip: {shape: {box: [2 cm, 1 cm, 1 cm], position: [1 cm, 0, 0]}}\n"
    "joints:\n"
    "  root: {child: hub, CARRIER}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, face: start, at: [2 cm, 0, 0]}\n"
    "  wrist: {type: universal, parent: bar, face: end, child: flap, at: [10 cm, 0, 0], axis: y,\n"
    "    second_axis: z, damping: 1e-3}\n"
    "  knuckle: {type: revolute, parent: flap, child: tip, at: [4 cm, 0, 1 cm], axis: y,\n"
    "    friction: 1e-3, friction_speed: 1, limits: {lower: 0.5, stiffness: 0.3, damping: 1e-3}}\n"
    "cables:\n"
    "  rope: {through: [{at: [0, 0.1, 0]}, {body: hub}, {body: flap}, {body: tip}],\n"
    "    stiffness: 30, damping: 0.2, length: 5 cm}\n"
    "grounds:\n"
    "  sand: {points: [{body: tip, at: [2 cm, 0, 0]}, {body: flap}], at: [0, 0, 0.1],\n"
    "    stiffness: 50, dissipation: 1, friction: 0.5, slip: 0.1}\n"
    "loads:\n"
    "  push: {body: bar, face: end, force: [0.1, 0.2, -0.3]}\n"
    "constraints:\n"
    "  lead: {follow: {body: tip, at: [1 cm, 0, 0], z: {keys: [[0, 1 cm], [0.1, KEY]]}}}\n";

// --- worlds ---

static void replace(char* text, const char* word, const char* by) {
  char made[8000];
  char* to = made;
  const size_t n = strlen(word);
  for (const char* from = text; *from;) {
    if (strncmp(from, word, n) == 0) {
      to += sprintf(to, "%s", by);
      from += n;
    } else {
      *to++ = *from++;
    }
  }
  *to = 0;
  strcpy(text, made);
}

static lb_model* make(const char* text, const char* material, const char* carrier,
                      const char* key) {
  char made[8000];
  strcpy(made, text);
  replace(made, "MODEL", material);
  replace(made, "CARRIER", carrier);
  replace(made, "KEY", key);
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  lb_model* m = NULL;
  if (lb_scene_parse(made, strlen(made), "full.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  scene.solver.elastic = LB_SPACE_FULL;
  scene.solver.integrator = LB_INTEGRATOR_BDF2;
  if (lb_model_create(&scene, NULL, &m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return m;
}

// Take out what held faces do not allow.
static void hold_faces(const lb_model* m, double* v) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.packed[i].kind != LB_LINK_FULL) {
      continue;
    }
    const lb_full* b = m->link.packed[i].reduced->full;
    const int n = b->fem->ndof;
    double* G = calloc((size_t)(LB_FULL_HELD * n), sizeof *G);
    lb_full_conditions(b, G);
    for (int k = 0; k < LB_FULL_HELD; k++) {
      double* row = G + k * n;
      for (int j = 0; j < k; j++) {
        const double s = dot(n, row, G + j * n);
        for (int c = 0; c < n; c++) {
          row[c] -= s * G[j * n + c];
        }
      }
      const double size = sqrt(dot(n, row, row));
      for (int c = 0; c < n; c++) {
        row[c] /= size;
      }
      const double s = dot(n, row, v + m->link.packed[i].v);
      for (int c = 0; c < n; c++) {
        v[m->link.packed[i].v + c] -= s * row[c];
      }
    }
    free(G);
  }
}

static void shake(const lb_model* m, double* x, double joints, double nodes, lb_random* random) {
  memset(x, 0, MOST * sizeof *x);
  for (int k = 0; k < m->nv; k++) {
    x[k] = (k < m->ndense ? joints : nodes) * lb_random_between(random, -1, 1);
  }
  hold_faces(m, x);
}

// --- comparisons ---

static struct world {
  const char *text, *material, *carrier;
  const lb_model *here, *plus;
  lb_integrator by;
} world;

static void go(const direction* x, double s, const double* q0, const double* v0, double* q,
               double* v, chain* c) {
  char key[40];
  snprintf(key, sizeof key, "%.17g", 0.2 + s * x->keys);
  lb_model* m = make(world.text, world.material, world.carrier, key);
  lb_data* d;
  assert_int_equal(lb_data_create(lb_model_simulated(m), NULL, &d, NULL), LB_OK);
  keys_now = x->keys;
  chain_run(lb_model_simulated(m), d, world.by, x, s, q0, v0, q, v, c);
  lb_data_release(d);
  lb_model_release(m);
}

static void compare(const char* text, const char* material, const char* carrier, lb_integrator by,
                    int seed, bool loops) {
  static double q0[MOST], v0[MOST], move[MOST];
  lb_model* here = make(text, material, carrier, "0.2");
  lb_model* there = make(text, material, carrier, "1.2");
  const lb_model* m = lb_model_simulated(here);
  assert_at_most(m->nv, MOST);
  world = (struct world){text, material, carrier, m, lb_model_simulated(there), by};
  lb_random random = {(uint64_t)seed};
  chain c = {.plus = lb_model_simulated(there), .random = {7}};
  direction x = {.keys = 1};
  memcpy(q0, m->start.q, (size_t)m->nq * sizeof *q0);
  memset(v0, 0, sizeof v0);
  if (!loops) {
    shake(m, move, 0.1, 1e-5, &random);
    lb_advance(m, q0, move, 1);
    shake(m, v0, 0.5, 2e-3, &random);
    shake(m, x.q, 1, 1e-3, &random);
    shake(m, x.v, 1, 0.1, &random);
  }
  chain_compare(go, m, by, seed, &x, loops ? 1e-2 : 2e-4, q0, v0, &c);
  lb_model_release(here);
  lb_model_release(there);
}

// r of a step at d's q, qd and qdd: inverse dynamics less forces.
static void residual(const lb_model* m, lb_data* d, const double* lambda, double* r) {
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_rnea_moved(m, d, r, d->qdd);
  for (int k = 0; k < m->nv; k++) {
    r[k] -= d->work->tau[k];
  }
  if (lb_constraints_linearise(m, d, LB_SET_ACTIVE).count > 0) {
    lb_constraints_add_forces(m, d, lambda, -1, r);
  }
}

// Forces on joints and on nodes; differences of less are rounding of what they are of.
static const double LEAST[] = {1e-3, 1e-2};

// How far off the change of r is along a direction of q, v or a, driven coordinates among them.
static double forces_off(const char* text, const char* material, const char* carrier, int kind,
                         int seed) {
  static double q0[MOST], v0[MOST], a0[MOST], before[MOST], x[3][MOST], r[MOST], sum[MOST],
      move[MOST], found[MOST];
  const double dt = 2e-3;
  double off[2] = {0}, size[2] = {0};
  lb_model* shown = make(text, material, carrier, "0.2");
  const lb_model* m = lb_model_simulated(shown);
  lb_data* d;
  lb_step_derivative* S;
  lb_random random = {(uint64_t)seed};
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_step_derivative_create(m, NULL, &S, NULL), LB_OK);
  shake(m, move, 0.3, 1e-4, &random);
  shake(m, v0, 2, 0.1, &random);
  shake(m, a0, 20, 10, &random);
  memset(x, 0, sizeof x);
  shake(m, x[kind], 1, 1e-2, &random);
  memcpy(d->q, m->start.q, (size_t)m->nq * sizeof *q0);
  lb_advance(m, d->q, move, 1);
  memcpy(d->qd, v0, (size_t)m->nv * sizeof *v0);
  memcpy(d->qdd, a0, (size_t)m->nv * sizeof *v0);
  lb_drive(m, d);
  memcpy(q0, d->q, (size_t)m->nq * sizeof *q0);
  memcpy(v0, d->qd, (size_t)m->nv * sizeof *v0);
  memcpy(a0, d->qdd, (size_t)m->nv * sizeof *v0);
  for (int k = 0; k < m->nv; k++) {
    before[k] = v0[k] - dt * a0[k];
  }
  double lambda[40];
  for (int i = 0; i < 40; i++) {
    lambda[i] = lb_random_between(&random, -1, 1);
  }
  lb_step_differentiate(
      S, d,
      &(lb_step_past){
          .dt = dt, .count = 1, .weight = {1}, .q = {q0}, .v = {before}, .lambda = lambda});
  memset(found, 0, sizeof found);
  lb_full_step_add(S->sys.op.full, (lb_full_matrices){S->sys.op.K, S->sys.op.C, S->sys.op.M}, found,
                   1, x[0], x[1], x[2]);
  memset(sum, 0, sizeof sum);
  const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  // tied nodes push hard where they are, and what they do not push with must be seen beside it
  static const double small[] = {1e-4, 1e-2, 10}; // residuals are linear in accelerations
  const double h = small[kind];
  for (int p = 0; p < 4; p++) {
    memcpy(d->q, q0, (size_t)m->nq * sizeof *q0);
    lb_advance(m, d->q, x[0], h * at[p]);
    for (int k = 0; k < m->nv; k++) {
      d->qd[k] = v0[k] + h * at[p] * x[1][k];
      d->qdd[k] = a0[k] + h * at[p] * x[2][k];
    }
    residual(m, d, lambda, r);
    for (int k = 0; k < m->nv; k++) {
      sum[k] += weight[p] * r[k] / h;
    }
  }
  for (int k = 0; k < m->nv; k++) {
    const int node = k >= m->ndense;
    off[node] = fmax(off[node], fabs(sum[k] - found[k]));
    size[node] = fmax(size[node], fabs(sum[k]));
  }
  lb_step_derivative_release(S);
  lb_data_release(d);
  lb_model_release(shown);
  return fmax(off[0] / (size[0] + LEAST[0]), off[1] / (size[1] + LEAST[1]));
}

static const char* const CARRIERS[] = {"type: fixed", "type: revolute, axis: y", "type: free"};
static const lb_integrator SCHEMES[] = {LB_INTEGRATOR_BDF1, LB_INTEGRATOR_BDF2,
                                        LB_INTEGRATOR_SDIRK2};

static void steps_of_trees_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < 9; i++) {
    compare(TREE, "neo-hookean", CARRIERS[i / 3], SCHEMES[i % 3], 1 + i, false);
  }
}

static void bodies_on_bodies_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    compare(TWO, "neo-hookean", "type: revolute, axis: y", SCHEMES[i], 1 + i, false);
  }
}

static void loops_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    compare(LOOP, "neo-hookean", "type: fixed", SCHEMES[i], 1 + i, true);
  }
}

static void maximal_coordinates_match_differences(void** state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    compare(MAXIMAL, "neo-hookean", "type: revolute, axis: y", SCHEMES[i], 1 + i, true);
  }
}

static void forces_match_differences(void** state) {
  (void)state;
  static const char* const models[] = {"neo-hookean", "corotated", "st-venant-kirchhoff"};
  static const char* const worlds[] = {TREE, TWO, LOOP, MAXIMAL, BUSY};
  double worst = 0;
  for (int i = 0; i < 45; i++) {
    worst = fmax(worst, forces_off(worlds[i / 9], models[i % 9 / 3], CARRIERS[(i / 3 + i) % 3],
                                   i % 3, 1 + i));
  }
  print_message("forces are off by %.2g at most\n", worst);
  assert_near(worst, 0, 1e-8);
}

static void memory_is_taken_when_made_and_given_back_when_it_runs_out(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_model* shown = make(LOOP, "neo-hookean", "type: fixed", "0.2");
  const lb_model* m = lb_model_simulated(shown);
  lb_data* d;
  lb_step_derivative* S = NULL;
  double lambda[40] = {0};
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    count = (lb_counting){.refuse = refuse};
    status = lb_step_derivative_create(m, &allocator, &S, NULL);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && count.live == 0));
  }
  // using it takes none
  const long requests = count.requests;
  assert_true(lb_step_differentiate(S, d,
                                    &(lb_step_past){.dt = STEP,
                                                    .count = 1,
                                                    .weight = {1},
                                                    .q = {m->start.q},
                                                    .v = {m->start.qd},
                                                    .lambda = lambda}));
  assert_int_equal(count.requests, requests);
  lb_step_derivative_release(S);
  assert_int_equal(count.live, 0);
  lb_data_release(d);
  lb_model_release(shown);
}

// Whether Newton's matrix is exact or not, steps end where their equations hold; and a stepper with
// exact ones gives back what it took.
static void exact_matrices_give_the_same_steps(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  static const char* const worlds[] = {TREE, TWO, LOOP};
  for (int w = 0; w < 3; w++) {
    lb_model* shown = make(worlds[w], "neo-hookean", w < 2 ? CARRIERS[1] : CARRIERS[0], "0");
    const lb_model* m = lb_model_simulated(shown);
    lb_data* d[2];
    for (int i = 0; i < 2; i++) {
      const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_BDF2,
                                      .step = STEP,
                                      .newton = i == 0 ? LB_NEWTON_KEPT : LB_NEWTON_EXACT};
      lb_stepper* st;
      assert_int_equal(lb_data_create(m, NULL, &d[i], NULL), LB_OK);
      assert_int_equal(lb_stepper_create(m, &solver, &allocator, &st, NULL), LB_OK);
      for (int k = 0; k < 20; k++) {
        assert_int_equal(lb_stepper_step(st, d[i], STEP, NULL), LB_OK);
      }
      assert_int_equal(st->count, 20); // none was divided
      lb_stepper_release(st);
    }
    double apart = 0;
    for (int k = 0; k < m->nq; k++) {
      apart = fmax(apart, fabs(d[0]->q[k] - d[1]->q[k]));
    }
    print_message("world %d: apart by %.2g\n", w, apart);
    assert_near(apart, 0, 1e-6);
    lb_data_release(d[0]);
    lb_data_release(d[1]);
    lb_model_release(shown);
  }
  assert_int_equal(count.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_match_differences),
      cmocka_unit_test(bodies_on_bodies_match_differences),
      cmocka_unit_test(loops_match_differences),
      cmocka_unit_test(maximal_coordinates_match_differences),
      cmocka_unit_test(steps_of_trees_match_differences),
      cmocka_unit_test(exact_matrices_give_the_same_steps),
      cmocka_unit_test(memory_is_taken_when_made_and_given_back_when_it_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
