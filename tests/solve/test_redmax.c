// Trajectories and energies of the authors of [red], run by run. A file whose scene has something
// that Limber lacks is listed with what it waits for; the number of files that match is held.
#include "redmax.h"
#include "solve/bdf2.h"
#include "solve/linear_euler.h"

typedef struct method {
  const char* suffix; // of the file
  lb_integrator integrator;
  double tolerance; // relative, of coordinates
  int expected;     // files that match
} method;

typedef struct run {
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  double h;
  long steps; // done
} run;

// Newton's method to the last digits and the authors' pace of closing loops, so that only schemes
// are compared.
static void tighten(lb_stepper* st, double pace) {
  if (st->type == &lb_stepper_linear_euler) {
    lb_linear_euler_close_at(st, pace);
  }
  if (st->type == &lb_stepper_implicit) {
    ((lb_bdf2*)st->own)->tolerance = 1e-12;
  }
}

static void start_run(run* r, const redmax* from, const method* how) {
  const cJSON* integrator = redmax_get(from->json, "integrator");
  lb_error err = lb_error_make(NULL);
  *r =
      (run){.h = how->integrator == LB_INTEGRATOR_ADAPTIVE ? 0.05 : redmax_number(integrator, "h")};
  const lb_scene_solver solver = {.integrator = how->integrator, .step = r->h, .tolerance = 1e-13};
  if (lb_model_create(&from->scene, NULL, &r->m, &err) != LB_OK) {
    print_error("the scene does not compile\n");
    fail();
  }
  assert_int_equal(lb_data_create(r->m, NULL, &r->d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(r->m, &solver, NULL, &r->st, NULL), LB_OK);
  const cJSON* pace = redmax_get(integrator, "baumgarte");
  tighten(r->st, pace ? redmax_at(pace, 2) : 0);
}

static void end_run(run* r) {
  lb_stepper_release(r->st);
  lb_data_release(r->d);
  lb_model_release(r->m);
}

// The authors' BDF2 takes its first step by SDIRK2, ours by BDF1: here ours is put where theirs is.
static void start_as_the_authors(run* r) {
  const lb_model* m = r->m;
  lb_stepper* first;
  const size_t size = lb_bdf2_place_size(m);
  double* place = calloc(size, sizeof *place);
  double *q1 = place + 3, *qe = q1 + m->nq, *v1 = qe + m->nq, *ve = v1 + m->nv;
  memcpy(q1, r->d->q, (size_t)m->nq * sizeof *q1);
  memcpy(v1, r->d->qd, (size_t)m->nv * sizeof *v1);
  assert_int_equal(lb_stepper_create(m, &(lb_scene_solver){.integrator = LB_INTEGRATOR_SDIRK2},
                                     NULL, &first, NULL),
                   LB_OK);
  tighten(first, 0);
  assert_int_equal(lb_stepper_step(first, r->d, r->h, NULL), LB_OK);
  lb_stepper_release(first);
  place[0] = r->d->time;
  place[1] = r->h;
  memcpy(qe, r->d->q, (size_t)m->nq * sizeof *qe);
  memcpy(ve, r->d->qd, (size_t)m->nv * sizeof *ve);
  lb_bdf2_load(r->st, place);
  free(place);
}

static void go_to(run* r, const method* how, double time) {
  const long end = lround(time / r->h);
  for (; r->steps < end; r->steps++) {
    if (r->steps == 0 && how->integrator == LB_INTEGRATOR_BDF2) {
      start_as_the_authors(r);
    } else {
      assert_int_equal(lb_stepper_step(r->st, r->d, r->h, NULL), LB_OK);
    }
  }
}

static double off(double a, double b, double scale) {
  return fabs(a - b) / fmax(scale, fabs(b));
}

// The most energy of either kind.
static double energy_scale(const cJSON* results) {
  double most = 0;
  for (int f = 0; f < cJSON_GetArraySize(redmax_get(results, "t")); f++) {
    most = fmax(most, fabs(redmax_at(redmax_get(results, "V"), f)));
    most = fmax(most, redmax_at(redmax_get(results, "T"), f));
  }
  return most;
}

// The worst difference of a run from its file, over the size of what is compared.
static double compare(const redmax* from, const method* how) {
  run r;
  start_run(&r, from, how);
  const cJSON* results = redmax_get(from->json, "results");
  const cJSON* t = redmax_get(results, "t");
  const double energy = energy_scale(results);
  double worst = 0;
  for (int f = 0; f < cJSON_GetArraySize(t); f++) {
    go_to(&r, how, redmax_at(t, f));
    for (int j = 0, k = 0; j < r.m->njoint; j++) {
      for (int i = 0; i < r.m->joint_nv[j]; i++, k++) {
        const double q = redmax_entry(redmax_get(results, "q"), f, k);
        const double qd = redmax_entry(redmax_get(results, "qdot"), f, k);
        worst = fmax(worst, off(r.d->q[r.m->joint_q[j] + i], q, 1));
        worst = fmax(worst, off(r.d->qd[r.m->joint_v[j] + i], qd, 1));
      }
    }
    const double T = redmax_at(redmax_get(results, "T"), f);
    const double V = redmax_at(redmax_get(results, "V"), f);
    worst = fmax(worst, off(lb_kinetic_energy(r.m, r.d), T, energy));
    worst = fmax(worst, off(lb_potential_energy(r.m, r.d), V, energy));
  }
  end_run(&r);
  return worst;
}

// The authors' Newton method stops at a residual |M dq| of 1e-9, which leaves an error in every
// velocity that matters where masses are small; steps add up.
static double newton_error(const redmax* from) {
  const cJSON* integrator = redmax_get(from->json, "integrator");
  const double least = redmax_number(integrator, "newton_tol_norm_g");
  if (!(least > 0)) {
    return 0;
  }
  run r;
  start_run(&r, from, &(method){.integrator = LB_INTEGRATOR_BDF1});
  double M[REDMAX_MOST * REDMAX_MOST], mass = INFINITY;
  lb_crba(r.m, r.d, M, r.d->q);
  for (int k = 0; k < r.m->nv; k++) {
    mass = fmin(mass, M[k * r.m->nv + k]);
  }
  const double error = 10 * least / (mass * r.h);
  end_run(&r);
  return error;
}

static void match_all(const char* prefix, const method* how) {
  int matched = 0, there = 0;
  for (int scene = -2; scene < 40; scene++) {
    char name[64];
    static redmax from;
    snprintf(name, sizeof name, scene < 0 ? "%s%d%s.json" : "%s%02d%s.json", prefix, scene,
             how->suffix);
    if (!redmax_open(&from, name)) {
      continue;
    }
    there++;
    if (from.lacks) {
      print_message("%s waits for: %s\n", name, from.lacks);
    } else {
      const double worst = compare(&from, how);
      print_message("%s: %.2g\n", name, worst);
      assert_true(worst <= how->tolerance + newton_error(&from));
      matched++;
    }
    redmax_release(&from);
  }
  if (there == 0) {
    skip();
  }
  print_message("%d of %d files match\n", matched, there);
  assert_int_equal(matched, how->expected);
}

static void linearly_implicit_euler_steps_as_the_authors_does(void** state) {
  (void)state;
  match_all("full_scene",
            &(method){"_redmax_euler", LB_INTEGRATOR_LINEAR_EULER, 1e-8, .expected = 13});
  match_all("simple_scene", &(method){"_euler", LB_INTEGRATOR_LINEAR_EULER, 1e-8, .expected = 3});
}

static void bdf1_steps_as_the_authors_does(void** state) {
  (void)state;
  match_all("diff_scene", &(method){"_bdf1", LB_INTEGRATOR_BDF1, 1e-8, .expected = 12});
}

static void bdf2_steps_as_the_authors_does(void** state) {
  (void)state;
  match_all("diff_scene", &(method){"_bdf2", LB_INTEGRATOR_BDF2, 1e-8, .expected = 10});
}

static void motions_are_those_that_the_authors_integrate(void** state) {
  (void)state;
  match_all("full_scene", &(method){"_redmax_ode45", LB_INTEGRATOR_ADAPTIVE, 1e-6, .expected = 12});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linearly_implicit_euler_steps_as_the_authors_does),
      cmocka_unit_test(bdf1_steps_as_the_authors_does),
      cmocka_unit_test(bdf2_steps_as_the_authors_does),
      cmocka_unit_test(motions_are_those_that_the_authors_integrate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
