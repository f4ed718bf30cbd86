// The derivative of implicit steps, chained over a few of them, against differences of whole runs;
// and its transpose against itself.
#include "busy.h"
#include "counting.h"
#include "step_chain.h"

// A model that can be made again with its motors' keys moved.
static busy B;
static busy_options options;
static uint64_t seed_now;
static lb_coordinates coordinates;
static lb_integrator integrator;

// A coupling of the first two plain joints that no motor prescribes, and a prescribed point of the
// last body.
static bool constrained, by_rates; // with paths of rates

static void add_constraints(lb_scene* s) {
  static lb_scene_constraint made[3];
  static lb_scene_term term[2];
  static lb_vec3 point;
  static double time[2] = {0, 0.02}, place[2] = {0, 0.01}, angle[2] = {0, 0.002};
  int nterm = 0;
  for (int j = 0; j < s->njoint && nterm < 2; j++) {
    bool plain = !s->joint[j].loop &&
                 lb_joint_count_q(&s->joint[j]) == lb_joint_count_v(&s->joint[j]) &&
                 lb_joint_count_q(&s->joint[j]) > 0;
    for (int i = 0; i < s->nmotor; i++) {
      plain = plain && (s->motor[i].joint != j || s->motor[i].drive == LB_DRIVE_FORCE);
    }
    if (plain) {
      term[nterm] = (lb_scene_term){.joint = j, .factor = nterm ? -1.7 : 1};
      nterm++;
    }
  }
  made[0] = (lb_scene_constraint){.name = "gear",
                                  .kind = LB_CONSTRAINT_COUPLE,
                                  .nterm = nterm,
                                  .term = term,
                                  .least = 0.1,
                                  .most = 0.1};
  point = (lb_vec3){0.1, -0.2, 0.05};
  made[1] = (lb_scene_constraint){.name = "led",
                                  .kind = LB_CONSTRAINT_FOLLOW,
                                  .body = s->nbody - 1,
                                  .npoint = 1,
                                  .point = &point,
                                  .along = {true, false, false}};
  made[1].path[0] =
      (lb_profile_definition){.kind = LB_PROFILE_SMOOTH, .count = 2, .time = time, .value = place};
  made[2] = (lb_scene_constraint){.name = "turned",
                                  .kind = LB_CONSTRAINT_FOLLOW,
                                  .body = 0,
                                  .npoint = 1,
                                  .point = &point,
                                  .turn = true,
                                  .about = {0.6, 0, 0.8},
                                  .angle = made[1].path[0]};
  made[2].angle.value = angle;
  if (by_rates) {
    made[0].path[0] = made[1].path[0];
    made[0].velocity_level[0] = made[1].velocity_level[0] = made[2].angle_velocity_level = true;
  }
  s->constraint = made;
  s->nconstraint = 3;
}

static void make(double moved) {
  make_busy(&B, seed_now, options);
  if (constrained) {
    add_constraints(&B.a.tree.scene);
  }
  lb_data_release(B.a.d);
  lb_model_release(B.a.m);
  for (int k = 0; k < 4; k++) {
    B.angle[k] += moved * (0.1 + 0.2 * k);
    B.push[k] += moved * (1 - 0.3 * k);
  }
  for (int i = 0; i < B.a.tree.scene.njoint && coordinates == LB_COORDINATES_MAXIMAL; i++) {
    lb_scene_joint* j = &B.a.tree.joint[i]; // what loops cannot be or have
    j->resistance.armature = j->resistance.friction = j->resistance.limit_stiffness = 0;
    j->kind = j->kind > LB_JOINT_FREE ? LB_JOINT_UNIVERSAL : j->kind;
  }
  B.a.tree.scene.solver.coordinates = coordinates;
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&B.a.tree.scene, NULL, &B.a.m, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  assert_int_equal(lb_data_create(B.a.m, NULL, &B.a.d, NULL), LB_OK);
}

// All but the model's own memory is released: good for its numbers, not for its bodies' forces.
static lb_model* keep_model(void) {
  lb_model* m = B.a.m;
  B.a.m = NULL;
  release_assembly(&B.a);
  return m;
}

// Where a run ends that starts `s` along the direction.
static void run(const direction* x, double s, const double* q0, const double* v0, double* q,
                double* v, chain* c) {
  make(s * x->keys);
  chain_run(B.a.m, B.a.d, integrator, x, s, q0, v0, q, v, c);
  release_assembly(&B.a);
}

static void check_by(lb_integrator by, uint64_t seed, busy_options wanted, lb_coordinates in) {
  integrator = by;
  static direction x;
  static chain c;
  static double q0[MOST], v0[MOST];
  lb_random r = {seed};
  c.random = r;
  options = wanted;
  seed_now = seed;
  coordinates = in;
  make(1);
  lb_model* plus = keep_model();
  make(0);
  lb_model* m = B.a.m;
  lb_project(m, B.a.d);
  if (constrained) {
    assert_near(lb_constraint_gap(m, B.a.d, NULL), 0, 1e-9);
  }
  memcpy(q0, B.a.d->q, (size_t)m->nq * sizeof *q0);
  memcpy(v0, B.a.d->qd, (size_t)m->nv * sizeof *v0);
  keep_model();
  for (int k = 0; k < m->nv; k++) {
    x.q[k] = lb_random_between(&r, -1, 1);
    x.v[k] = lb_random_between(&r, -1, 1);
  }
  x.keys = keys_now = 1;
  c.plus = plus;
  // constraints make a step's equations more curved
  chain_compare(run, m, integrator, (int)seed, &x, constrained ? 1e-5 : 1e-4, q0, v0, &c);
  lb_model_release(m);
  lb_model_release(plus);
}

// By every scheme of one or two stages that the watcher sees.
static void check(uint64_t seed, busy_options wanted, lb_coordinates in) {
  static const lb_integrator schemes[] = {LB_INTEGRATOR_BDF2, LB_INTEGRATOR_BDF1,
                                          LB_INTEGRATOR_SDIRK2};
  // where wide open loops close, BDF1's first step is divided now and then; BDF2's is the same
  const int step = in == LB_COORDINATES_MAXIMAL ? 2 : 1;
  for (int i = 0; i < 3; i += step) {
    check_by(schemes[i], seed, wanted, in);
  }
}

static void rigid_trees_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    check(seed, (busy_options){.motors = true, .nbody = 3 + (int)seed}, LB_COORDINATES_REDUCED);
  }
}

static void elastic_bodies_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check(seed, (busy_options){.motors = true, .elastic = true}, LB_COORDINATES_REDUCED);
  }
}

static void loops_match_differences(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check(seed, (busy_options){.motors = true, .calm = true, .nbody = 3 + (int)seed},
          LB_COORDINATES_MAXIMAL);
  }
  check(1, (busy_options){.motors = true, .calm = true, .elastic = true}, LB_COORDINATES_MAXIMAL);
}

static void constraints_match_differences(void** state) {
  (void)state;
  static const uint64_t seeds[] = {1, 2, 4, 5}; // whose constraints can be met from nearby
  constrained = true;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    check(seeds[i], (busy_options){.motors = true, .calm = true, .nbody = 5 + (int)seeds[i]},
          LB_COORDINATES_REDUCED);
  }
  constrained = false;
}

static void constraints_by_rates_match_differences(void** state) {
  by_rates = true;
  constraints_match_differences(state);
  by_rates = false;
}

static void memory_is_taken_when_made_and_given_back_when_it_runs_out(void** state) {
  (void)state;
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_step_derivative* S = NULL;
  options = (busy_options){.motors = true, .elastic = true};
  seed_now = 1;
  coordinates = LB_COORDINATES_REDUCED;
  make(0);
  const lb_model* m = B.a.m;
  lb_status status = LB_NO_MEMORY;
  for (long refuse = 1; status != LB_OK; refuse++) {
    count = (lb_counting){.refuse = refuse};
    status = lb_step_derivative_create(m, &allocator, &S, NULL);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && count.live == 0));
  }
  // using it takes none
  const long requests = count.requests;
  const lb_step_past past = {
      .dt = STEP, .count = 1, .weight = {1}, .q = {m->start.q}, .v = {m->start.qd}};
  assert_true(lb_step_differentiate(S, B.a.d, &past));
  assert_int_equal(count.requests, requests);
  lb_step_derivative_release(S);
  assert_int_equal(count.live, 0);
  release_assembly(&B.a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rigid_trees_match_differences),
      cmocka_unit_test(elastic_bodies_match_differences),
      cmocka_unit_test(loops_match_differences),
      cmocka_unit_test(constraints_match_differences),
      cmocka_unit_test(constraints_by_rates_match_differences),
      cmocka_unit_test(memory_is_taken_when_made_and_given_back_when_it_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
