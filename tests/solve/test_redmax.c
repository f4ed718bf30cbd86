// Trajectories and energies of the authors of [red], run by run, and what docs/redmax.md says of
// them. A file whose scene has something that Limber lacks is listed with what it waits for.
#include <dirent.h>

#include "authors.h"

typedef struct method {
  const char* suffix; // of the file
  lb_integrator integrator;
  bool theirs;  // steps are those of authors.h, or gaps close at the authors' rate
  int expected; // files that match
} method;

typedef struct run {
  authors a; // with its model, data and stepper
  bool theirs;
  long steps; // done
} run;

// --- what is prescribed ---

// An angle that goes from 0 to b within a time, but for the ends of the curve: value and two rates.
static void logistic(double t, double b, double time, double value[3]) {
  const double a = 7, c = 2 * a / time, e = exp(-a * 2 * (t / time - 0.5));
  value[0] = b / (1 + e);
  value[1] = b * c * e / ((1 + e) * (1 + e));
  value[2] = b * c * c * e * (e - 1) / ((1 + e) * (1 + e) * (1 + e));
}

static void hinge_of_scene_9(double t, double value[3]) {
  logistic(t, 1.5 * M_PI, 7, value);
  if (t >= 7) {
    value[0] = 1.5 * M_PI;
    value[1] = value[2] = 0;
  }
}

// Keys of a cubic spline: from before the start, where it rests, and fine about t = 7, where paths
// jump and a spline through coarse keys would swing.
enum { TABLE = 4500 };
static const double BEFORE = -0.25;

static double next_key(double t) {
  const double end = t + (fabs(t + 1e-9 - 7) < 0.003 ? 2e-5 : 0.0025);
  return t < 7 && end > 7 - 1e-9 ? 7 : end;
}

// Linearly implicit Euler sees a path at the ends of steps alone: the jump may come a little
// sooner.
static double hinge_9_a_little_early(double t) {
  double value[3];
  hinge_of_scene_9(t > 7 - 0.001 ? fmax(7, t) : t, value);
  return value[0];
}

static double hinge_of_scene_20(double t) {
  double value[3];
  logistic(t, M_PI / 2, 10, value);
  return value[0];
}

static lb_profile_definition tabulate(double (*path)(double t)) {
  static double time[TABLE], value[TABLE];
  double t = BEFORE;
  for (int i = 0; i < TABLE; i++, t = next_key(t)) {
    time[i] = t;
    value[i] = path(t);
  }
  return (lb_profile_definition){
      .kind = LB_PROFILE_CUBIC, .count = TABLE, .time = time, .value = value};
}

// The last body of scenes 13 and 20 turns about y, moves along x, and stays at its height.
static void prescribe_body(lb_scene_constraint* k) {
  static double spin_time[] = {0, 2, 6, 8}, spin[] = {0, -2, 2, 0};
  static double speed_time[] = {4, 6, 8}, speed[] = {0, -4, 0};
  k->angle = (lb_profile_definition){
      .kind = LB_PROFILE_LINEAR, .count = 4, .time = spin_time, .value = spin};
  k->path[0] = (lb_profile_definition){
      .kind = LB_PROFILE_LINEAR, .count = 3, .time = speed_time, .value = speed};
}

static lb_profile_definition stabilised_path(void);

// What the files tell of paths in words.
static void prescribe(redmax* from, int scene, lb_integrator integrator) {
  lb_scene_constraint* k = from->constraint;
  switch (scene) {
  case 9:
    k[0].path[0] =
        integrator == LB_INTEGRATOR_ADAPTIVE ? stabilised_path() : tabulate(hinge_9_a_little_early);
    break;
  case 20:
    k[1].path[0] = tabulate(hinge_of_scene_20);
    prescribe_body(&k[0]);
    break;
  case 13:
    prescribe_body(&k[0]);
    break;
  default:
    break;
  }
}

// With ode45 the hinge of scene 9 starts off its path and is pulled towards it by the authors'
// stabilisation, qdd = qdd_path + 5^2 (q_path - q): their constraints leave the rate out, so it
// swings about the path, undamped. That motion is prescribed here, from a table by RK4.
static void stabilised_acceleration(double t, const double y[2], double dy[2]) {
  double path[3];
  hinge_of_scene_9(t, path);
  dy[0] = y[1];
  dy[1] = path[2] + 25 * (path[0] - y[0]);
}

static lb_profile_definition stabilised_path(void) {
  static double time[TABLE], value[TABLE];
  double y[2] = {0, 0}, t = 0;
  for (int i = 0; i < TABLE; i++) {
    double k[4][2], z[2];
    const double at[] = {0, 0.5, 0.5, 1}, next = next_key(t), h = next - t;
    time[i] = t;
    value[i] = y[0];
    for (int s = 0; s < 4; s++) {
      for (int c = 0; c < 2; c++) {
        z[c] = y[c] + (s > 0 ? at[s] * h * k[s - 1][c] : 0);
      }
      // a step that ends at the jump belongs to what was before
      stabilised_acceleration(next == 7 ? fmin(7 - 1e-12, t + at[s] * h) : t + at[s] * h, z, k[s]);
    }
    for (int c = 0; c < 2; c++) {
      y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    t = next;
  }
  return (lb_profile_definition){
      .kind = LB_PROFILE_CUBIC, .count = TABLE, .time = time, .value = value};
}

// --- running ---

static bool is_newton(lb_integrator integrator) {
  return integrator == LB_INTEGRATOR_BDF1 || integrator == LB_INTEGRATOR_BDF2;
}

static void start_run(run* r, redmax* from, int scene, const method* how) {
  const cJSON* integrator = red_get(from->json, "integrator");
  const bool adaptive = how->integrator == LB_INTEGRATOR_ADAPTIVE;
  *r = (run){.theirs = how->theirs && is_newton(how->integrator)};
  if (r->theirs) {
    authors_start(&r->a, from, how->integrator);
    return;
  }
  r->a = (authors){.from = from, .h = adaptive ? 0.05 : red_number(integrator, "h")};
  const cJSON* pace = red_get(integrator, "baumgarte");
  from->scene.solver = (lb_scene_solver){.integrator = how->integrator,
                                         .step = r->a.h,
                                         .tolerance = 1e-13,
                                         .closing = pace && how->theirs ? 1 / red_at(pace, 2) : 0};
  if (from->scene.nconstraint > 0) {
    prescribe(from, scene, how->integrator);
  }
  authors_compile(&r->a, NULL);
  if (is_newton(how->integrator)) { // BDF2 with the authors' first step: only schemes are compared
    authors_begin(r->a.st->own, how->integrator);
  }
}

static void go_to(run* r, long steps) {
  for (; r->steps < steps; r->steps++) {
    if (r->theirs) {
      authors_step(&r->a);
    } else {
      assert_int_equal(lb_stepper_step(r->a.st, r->a.d, r->a.h, NULL), LB_OK);
    }
  }
}

// --- comparing ---

static double off_by(lb_v4 a, lb_v4 b) {
  double most = 0;
  for (int c = 0; c < 3; c++) {
    most = fmax(most, red_off(a[c], b[c], 1));
  }
  return most;
}

// How differently a joint is placed and moves. The same turn may be counted by other numbers, by a
// rotation vector of one more turn or by angles of another order: turns are compared, with what
// their rates do.
static double joint_off(const lb_scene_joint* joint, const double* q, const double* v,
                        lb_turn_order their_order, const double* their_q, const double* their_v) {
  const bool turns = joint->kind == LB_JOINT_EULER || joint->kind == LB_JOINT_EXPONENTIAL ||
                     joint->kind == LB_JOINT_FREE_3D;
  double worst = 0;
  if (!turns) {
    for (int k = 0; k < lb_joint_count_v(joint); k++) {
      worst = fmax(worst, fmax(red_off(q[k], their_q[k], 1), red_off(v[k], their_v[k], 1)));
    }
    return worst;
  }
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_chart *ours, *theirs;
  lb_chart_at a, b;
  lb_scene_joint other = *joint;
  other.order = their_order;
  assert_int_equal(lb_joint_chart(joint, &arena, &ours), LB_OK);
  assert_int_equal(lb_joint_chart(&other, &arena, &theirs), LB_OK);
  lb_chart_evaluate(ours, &a, q, v, LB_CHART_MOVE);
  lb_chart_evaluate(theirs, &b, their_q, their_v, LB_CHART_MOVE);
  lb_arena_release(&arena);
  worst = fmax(fmax(off_by(a.R.x, b.R.x), off_by(a.R.y, b.R.y)), off_by(a.p, b.p));
  return fmax(worst, fmax(off_by(a.V.w, b.V.w), off_by(a.V.v, b.V.v)));
}

// The order of a joint's angles at a sample of the file; that of the scene where it does not say.
static lb_turn_order order_at(const redmax* from, int f, int joint) {
  const cJSON* codes = red_get(red_get(from->json, "results"), "chart_per_joint_from_sample2");
  if (!codes || f == 0) {
    return from->joint[joint].order;
  }
  const double code = red_value(red_item(codes, f - 1, joint));
  assert_true(code == (int)code);
  return red_order(AUTHORS_CHARTS[(int)code]);
}

// Coordinates and their rates against row f of two tables.
static double state_off(const run* r, const cJSON* q, const cJSON* v, int f, bool charts) {
  const lb_model* m = r->a.m;
  const redmax* from = r->a.from;
  double worst = 0;
  int compared = 0;
  for (int j = 0; j < m->njoint; j++) {
    const int mine = red_joint_of(m, j), first = red_first_of(from, m, j);
    double their_q[LB_JOINT_MOST_V], their_v[LB_JOINT_MOST_V];
    for (int i = 0; i < m->joint.nv[j]; i++, compared++) {
      their_q[i] = red_value(red_item(q, f, first + i));
      their_v[i] = red_value(red_item(v, f, first + i));
    }
    const lb_turn_order order = charts ? order_at(from, f, mine) : from->joint[mine].order;
    worst = fmax(worst, joint_off(&from->joint[mine], r->a.d->q + m->joint.q[j],
                                  r->a.d->qd + m->joint.v[j], order, their_q, their_v));
  }
  assert_int_equal(compared, m->nv);
  return worst;
}

// Energies, over the largest.
static double energy_off(const run* r, const cJSON* results, int f) {
  const double size = red_energy_size(results);
  return fmax(
      red_apart(lb_kinetic_energy(r->a.m, r->a.d), red_item(red_get(results, "T"), f, 0), size),
      red_apart(lb_potential_energy(r->a.m, r->a.d), red_item(red_get(results, "V"), f, 0), size));
}

// All that the file tells of sample f.
static double sample_off(const run* r, const cJSON* results, int f) {
  const cJSON *step = red_get(results, "step"),
              *poses = red_get(results, "E_wi_per_sample_from_sample2");
  double worst = state_off(r, red_get(results, "q"), red_get(results, "qdot"), f, true);
  worst = fmax(worst, energy_off(r, results, f));
  worst = fmax(worst, red_apart(r->a.d->time, red_item(red_get(results, "t"), f, 0), 1));
  assert_true(!step || red_value(red_item(step, f, 0)) == (double)r->steps);
  return f > 0 && poses
             ? fmax(worst, red_poses_apart(r->a.m, r->a.d, cJSON_GetArrayItem(poses, f - 1)))
             : worst;
}

// The run ended when the file says that it does.
static void check_end(const redmax* from, double time, long steps) {
  const cJSON *scene = red_get(from->json, "scene"), *span = red_get(scene, "tspan"),
              *end = span ? cJSON_GetArrayItem(span, 1) : red_get(scene, "tEnd");
  const cJSON* nsteps = red_get(red_get(from->json, "integrator"), "nsteps");
  if (end) {
    assert_below(red_off(time, end->valuedouble, 1), 1e-9);
  }
  assert_true(!span || red_at(span, 0) == 0);
  assert_true(!nsteps || nsteps->valuedouble == (double)steps);
}

// The worst difference of a run from its file, over the size of what is compared: samples with
// their energies, the first steps between them, and poses at the end.
static double compare(redmax* from, int scene, const method* how) {
  run r;
  start_run(&r, from, scene, how);
  const cJSON* results = red_get(from->json, "results");
  const cJSON* t = red_get(results, "t");
  const cJSON *first = red_get(results, "first_steps_q"),
              *rates = red_get(results, "first_steps_qdot");
  const double V0 = lb_potential_energy(r.a.m, r.a.d);
  double worst = 0;
  for (int f = 0, early = 0; f < cJSON_GetArraySize(t); f++) {
    const long steps = lround(red_at(t, f) / r.a.h);
    for (; early < cJSON_GetArraySize(first) && early <= steps; early++) {
      go_to(&r, early);
      worst = fmax(worst, state_off(&r, first, rates, early, false));
    }
    go_to(&r, steps);
    worst = fmax(worst, sample_off(&r, results, f));
  }
  check_end(from, r.a.d->time, r.steps);
  worst = fmax(worst, red_poses_apart(r.a.m, r.a.d, red_get(results, "E_wi_final")));
  worst = fmax(worst, red_balance_apart(results, lb_kinetic_energy(r.a.m, r.a.d),
                                        lb_potential_energy(r.a.m, r.a.d), V0));
  authors_close(&r.a);
  return worst;
}

// --- all files of a kind ---

static bool open_file(redmax* from, char name[64], const char* prefix, int scene,
                      const char* suffix) {
  snprintf(name, 64, scene < 0 ? "%s%d%s.json" : "%s%02d%s.json", prefix, scene, suffix);
  return red_read(from, name);
}

// Is there something that Limber does otherwise when left to itself?
static bool differs_by_itself(const redmax* from, const method* how) {
  bool constrained = from->scene.nconstraint > 0;
  for (int j = 0; j < from->scene.njoint; j++) {
    constrained |= from->joint[j].loop;
  }
  return how->theirs && (is_newton(how->integrator) || constrained);
}

// Every file of a kind.
static void match_all(const char* prefix, const method* how) {
  int there = 0, matched = 0, numbers = 0;
  for (int scene = -2; scene < 40; scene++) {
    char name[64];
    static redmax from;
    if (!open_file(&from, name, prefix, scene, how->suffix)) {
      continue;
    }
    there++;
    if (scene == 32) {
      red_lacks(&from, "rows whose directions turn; in test_redmax_rows.c");
    }
    if (from.lacks) {
      print_message("%s waits for: %s\n", name, from.lacks);
    } else {
      const method own = {how->suffix, how->integrator, false, 0};
      const double itself = differs_by_itself(&from, how) ? compare(&from, scene, &own) : NAN;
      red_check_page(name, compare(&from, scene, how), itself);
      numbers += red_assert_compared(red_get(from.json, "results"), (const char*[]){NULL});
      matched++;
    }
    red_release(&from);
  }
  if (there == 0) {
    skip();
  }
  print_message("%d numbers, each compared\n", numbers);
  assert_int_equal(matched, how->expected);
}

static void linearly_implicit_euler_steps_as_the_authors_does(void** state) {
  (void)state;
  match_all("full_scene", &(method){"_redmax_euler", LB_INTEGRATOR_LINEAR_EULER, true, 21});
  match_all("simple_scene", &(method){"_euler", LB_INTEGRATOR_LINEAR_EULER, true, 3});
}

static void bdf1_steps_as_the_authors_does(void** state) {
  (void)state;
  match_all("diff_scene", &(method){"_bdf1", LB_INTEGRATOR_BDF1, true, 13});
}

static void bdf2_steps_as_the_authors_does(void** state) {
  (void)state;
  match_all("diff_scene", &(method){"_bdf2", LB_INTEGRATOR_BDF2, true, 13});
}

static void motions_are_those_that_the_authors_integrate(void** state) {
  (void)state;
  match_all("full_scene", &(method){"_redmax_ode45", LB_INTEGRATOR_ADAPTIVE, false, 18});
}

// --- what the authors' Newton method leaves ---

// Of all steps of a run, the worst: how much of the residual is left, in the authors' measure; how
// far a step of theirs ends from one that goes on to the last digits; and how far after one
// correction more. Of the first step by SDIRK2 the second alone: its inner stage is stopped, too.
typedef struct leftover {
  double residual, stopped, corrected, first;
} leftover;

static void step_from(authors* a, const double* place, const double* q, const double* v,
                      double time, double residual) {
  const size_t size = (size_t)a->m->nv * sizeof(double);
  memcpy(a->d->q, q, size);
  memcpy(a->d->qd, v, size);
  a->d->time = time;
  lb_implicit_load(a->st, a->d, place);
  lb_implicit_stop_at(a->st, residual);
  assert_int_equal(lb_stepper_step(a->st, a->d, a->h, NULL), LB_OK);
}

static double state_apart(const authors* a, const double* q, const double* v) {
  double worst = 0;
  for (int k = 0; k < a->m->nv; k++) {
    worst = fmax(worst, fmax(red_off(a->d->q[k], q[k], 1), red_off(a->d->qd[k], v[k], 1)));
  }
  return worst;
}

// One correction more at the end of a step whose last stage has dt.
static void correct_once(authors* a, double dt, leftover* worst) {
  lb_implicit* own = a->st->own;
  assert_true(lb_implicit_make_exact(a->st, a->d, dt));
  lb_implicit_residual(a->st, a->d, dt);
  worst->residual = fmax(worst->residual, dt * dt * sqrt(lb_dot(a->m->nv, own->r, own->r)));
  lb_implicit_correct(a->st, a->d, dt);
  lb_implicit_residual(a->st, a->d, dt); // which sets q
}

// One step of the authors', beside the same to the last digits.
static void look_at_step(authors* a, bool first, double limit, leftover* worst) {
  const size_t size = (size_t)a->m->nv * sizeof(double);
  double q[AUTHORS_MOST], v[AUTHORS_MOST], exact_q[AUTHORS_MOST], exact_v[AUTHORS_MOST];
  double place[3 + 6 * AUTHORS_MOST];
  const double time = a->d->time;
  assert_at_most(lb_implicit_place_size(a->m), sizeof place / sizeof *place);
  lb_implicit_save(a->st, a->d, place);
  memcpy(q, a->d->q, size);
  memcpy(v, a->d->qd, size);
  step_from(a, place, q, v, time, 0);
  memcpy(exact_q, a->d->q, size);
  memcpy(exact_v, a->d->qd, size);
  step_from(a, place, q, v, time, limit);
  memcpy(q, a->d->q, size);
  memcpy(v, a->d->qd, size);
  const bool two = a->integrator == LB_INTEGRATOR_BDF2;
  double* stopped = two && first ? &worst->first : &worst->stopped;
  *stopped = fmax(*stopped, state_apart(a, exact_q, exact_v));
  if (!two || !first) {
    correct_once(a, two ? 2 * a->h / 3 : a->h, worst);
    worst->corrected = fmax(worst->corrected, state_apart(a, exact_q, exact_v));
  }
  memcpy(a->d->q, q, size);
  memcpy(a->d->qd, v, size);
  lb_implicit_forget(a->st);
}

static leftover look_at_run(redmax* from, lb_integrator integrator) {
  const cJSON* how = red_get(from->json, "integrator");
  leftover worst = {0};
  authors a;
  authors_start(&a, from, integrator);
  ((lb_implicit*)a.st->own)->newton.tolerance = 1e-13;
  for (int i = 0; i < red_whole(how, "nsteps"); i++) {
    look_at_step(&a, i == 0, red_number(how, "newton_tol_norm_g"), &worst);
    authors_rechart_all(&a);
  }
  authors_close(&a);
  return worst;
}

// Where the authors' steps and Limber's differ, it is by what their Newton method leaves: with one
// correction more their steps end where Limber's do.
static void one_correction_more_prescribes_from_the_authors_steps_to_limbers(void** state) {
  (void)state;
  static const struct {
    const char* suffix;
    lb_integrator integrator;
  } BY[] = {{"_bdf1", LB_INTEGRATOR_BDF1}, {"_bdf2", LB_INTEGRATOR_BDF2}};
  int there = 0;
  for (int i = 0; i < 2 * 17; i++) {
    char name[64];
    static redmax from;
    if (!open_file(&from, name, "diff_scene", i / 2 - 2, BY[i % 2].suffix)) {
      continue;
    }
    there++;
    const leftover left = look_at_run(&from, BY[i % 2].integrator);
    print_message("%s: residual %.2g; first step off by %.2g, others by %.2g, by %.2g after one "
                  "correction\n",
                  name, left.residual, left.first, left.stopped, left.corrected);
    assert_below(left.residual, red_number(red_get(from.json, "integrator"), "newton_tol_norm_g"));
    assert_below(left.corrected, 1e-12);
    red_release(&from);
  }
  if (there == 0) {
    skip();
  }
}

// Limber keeps the order of angles that the scene gives, and its steps of scene 7 then differ from
// the authors' by less than the latter differ from the motion itself: the numbers that steps are
// taken in are part of their error.
static void another_order_of_angles_differs_by_less_than_steps_err(void** state) {
  (void)state;
  static const lb_integrator BY[] = {LB_INTEGRATOR_BDF2, LB_INTEGRATOR_RK8};
  double off[2];
  for (int i = 0; i < 2; i++) {
    char name[64];
    static redmax from;
    if (!open_file(&from, name, "diff_scene", 7, "_bdf2")) {
      skip();
    }
    off[i] = compare(&from, 7, &(method){"", BY[i], false, 0});
    red_release(&from);
  }
  print_message("the authors' steps are %.2g from Limber's and %.2g from the motion\n", off[0],
                off[1]);
  assert_below(off[0], off[1]);
}

// --- the page ---

static void the_page_has_a_row_for_every_file(void** state) {
  (void)state;
  char path[1000];
  const char* shared = getenv("LIMBER_SHARED");
  snprintf(path, sizeof path, "%s/reference/redmax",
           shared ? shared : LIMBER_SOURCE_DIR "/../shared");
  DIR* folder = opendir(path);
  if (!folder) {
    skip();
    return; // which skip() does, but not for all who read this
  }
  for (const struct dirent* file = readdir(folder); file; file = readdir(folder)) {
    const size_t length = strlen(file->d_name);
    const bool json = length > 5 && strcmp(file->d_name + length - 5, ".json") == 0;
    if (json && !red_find_row(file->d_name).there) {
      fail_msg("docs/redmax.md has no row for %s", file->d_name);
    }
  }
  closedir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linearly_implicit_euler_steps_as_the_authors_does),
      cmocka_unit_test(bdf1_steps_as_the_authors_does),
      cmocka_unit_test(bdf2_steps_as_the_authors_does),
      cmocka_unit_test(one_correction_more_prescribes_from_the_authors_steps_to_limbers),
      cmocka_unit_test(another_order_of_angles_differs_by_less_than_steps_err),
      cmocka_unit_test(motions_are_those_that_the_authors_integrate),
      cmocka_unit_test(the_page_has_a_row_for_every_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
