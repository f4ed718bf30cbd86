// Following a motion step by step: excitations that made it come back, reserves do the rest.
#include "compile.h"
#include "limber/follow.h"
#include "math/muscle/muscle_share.h"

#define ARM(elastic)                                                                               \
  "limber: 1\nduration: 0.6 s\nsolver: {integrator: bdf2, step: 0.5 ms}\n"                         \
  "record: {every: 2 ms}\n"                                                                        \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2 kg}\n"   \
  "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 1.5 kg}\n"  \
  "joints:\n"                                                                                      \
  "  shoulder: {type: fixed, child: upper}\n"                                                      \
  "  elbow: {type: revolute, parent: upper, child: fore, axis: -y, at: [0, 0, -30 cm], damping: "  \
  "0.1}\n"                                                                                         \
  "muscles:\n"                                                                                     \
  "  biceps:\n"                                                                                    \
  "    through: [{body: upper, at: [3 cm, 0, 0]}, {body: fore, at: [2 cm, 0, -5 cm]}]\n"           \
  "    hill: {model: millard, force: 700 N, fiber: 13 cm, slack: 21 cm, elastic: " elastic "}\n"   \
  "    excitation: {keys: [[0 s, 0.05], [0.3 s, 0.12], [0.6 s, 0.08]], ease: smooth}\n"            \
  "initial: {elbow: {position: 30 deg}}\n"

typedef struct followed {
  lb_model* m;
  lb_recording *run, *again;
  lb_joint_motion motion;
  lb_collocation* c;
} followed;

// The motion of the scene as a table with exact rates.
static void play(followed* f, const char* text) {
  lb_summary s;
  const lb_simulate_options o = lb_simulate_default();
  f->m = compile(text);
  assert_int_equal(lb_recording_create(f->m, 0, NULL, &f->run, NULL), LB_OK);
  assert_int_equal(lb_recording_keep(f->run, LB_KEEP_RATES, NULL), LB_OK);
  assert_int_equal(lb_simulate(f->m, &o, f->run, &s, NULL), LB_OK);
  static bool all[8] = {true, true, true, true, true, true, true, true};
  f->motion = (lb_joint_motion){.file = "made",
                                .nsample = f->run->nframe,
                                .time = f->run->time,
                                .q = f->run->q,
                                .qd = f->run->qd,
                                .qdd = f->run->qdd,
                                .has_qd = all,
                                .has_qdd = all};
}

static void follow(followed* f, const lb_follow_options* o) {
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_recording_create(f->m, 0, NULL, &f->again, NULL), LB_OK);
  if (lb_follow_motion(f->m, &f->motion, o, f->again, &f->c, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
}

static void forget(followed* f) {
  lb_collocation_release(f->c);
  lb_recording_release(f->again);
  lb_recording_release(f->run);
  lb_model_release(f->m);
}

static double largest(const lb_collocation* c, lb_control_kind kind) {
  double most = 0;
  for (int i = 0; i < c->ncontrol; i++) {
    if (c->control[i].kind == kind) {
      most = fmax(most, fabs(lb_collocation_use(c, i).peak));
    }
  }
  return most;
}

// One muscle and one joint: there is one way to make the motion, the one that made it.
static void a_motion_made_by_excitations_is_followed_by_these(void** state) {
  (void)state;
  for (int elastic = 0; elastic < 2; elastic++) {
    followed f = {0};
    play(&f, elastic ? ARM("true") : ARM("false"));
    lb_follow_options o = lb_follow_default();
    o.price = 100;
    o.step = 2e-3;
    follow(&f, &o);
    double worst = 0;
    for (int i = 0; i < f.c->nnode; i++) { // activation, not excitation, which is its rate
      const double t = f.c->time[i];
      const int k = (int)lround(t / 2e-3);
      double made = NAN;
      for (int j = 0; j < f.run->nchannel; j++) {
        if (strcmp(f.run->channel[j].what, "activation") == 0) {
          made = f.run->force[k * f.run->nchannel + j];
        }
      }
      if (t > 0.1) {
        worst = fmax(worst, fabs(f.c->x[i * f.m->nx] - made));
      }
    }
    print_message("%s tendon: off by %.2g rad, activation by %.2g, reserves up to %.2g N m\n",
                  elastic ? "elastic" : "stiff", f.c->rms, worst, largest(f.c, LB_CONTROL_RESERVE));
    assert_true(f.c->rms < 1e-4);
    assert_true(worst < 2e-3);
    assert_true(largest(f.c, LB_CONTROL_RESERVE) < 0.05);
    forget(&f);
  }
}

// The muscle pulls, and the motion needs a push: reserves do it, and are told.
static void an_impossible_motion_is_followed_by_reserves(void** state) {
  (void)state;
  followed f = {0};
  play(&f, ARM("true"));
  for (int i = 0; i < f.motion.nsample; i++) { // a swing to the other side, far beyond gravity
    const double t = f.motion.time[i], w = 2 * 3.141592653589793 * 3;
    f.motion.q[i] = 0.5 * sin(w * t);
    f.motion.qd[i] = 0.5 * w * cos(w * t);
    f.motion.qdd[i] = -0.5 * w * w * sin(w * t);
  }
  const lb_follow_options o = lb_follow_default();
  follow(&f, &o);
  print_message("off by %.2g rad, reserves up to %.3g N m\n", f.c->rms,
                largest(f.c, LB_CONTROL_RESERVE));
  assert_true(f.c->rms < 5e-3);
  assert_true(largest(f.c, LB_CONTROL_RESERVE) > 1);
  forget(&f);
}

// Elastic tendons take some rounds: fewer are told, and the rounds there are by default do.
static void steps_that_do_not_settle_are_counted(void** state) {
  (void)state;
  for (int rounds = 0; rounds < 2; rounds++) {
    followed f = {0};
    play(&f, ARM("true"));
    lb_follow_options o = lb_follow_default();
    o.rounds = rounds ? o.rounds : 1;
    follow(&f, &o);
    print_message("%d of %d programs did not settle\n", f.c->unsettled, f.c->iterations);
    assert_true(rounds ? f.c->unsettled == 0 : f.c->unsettled > f.c->iterations / 2);
    forget(&f);
  }
}

static unsigned seed = 3;
static double random_number(void) {
  seed = seed * 1664525u + 1013904223u;
  return (double)(seed >> 8) / (1 << 23) - 1;
}

// Whatever the arms, bounds and wishes: an answer, with the optimality conditions of the program.
static void the_program_of_a_step_always_has_an_answer(void** state) {
  enum { N = 12, M = 5, TRIALS = 20000 };
  (void)state;
  double B[M * N], wanted[M], price[M], lo[N], hi[N], a[N], r[M];
  double* scratch = malloc(lb_muscle_share_scratch(N, M) * sizeof *scratch);
  double worst = 0;
  for (int k = 0; k < TRIALS; k++) {
    const double size = pow(10, random_number());
    for (int i = 0; i < M * N; i++) {
      B[i] = random_number() > 0.3 ? 0 : 100 * size * random_number();
    }
    for (int j = 0; j < M; j++) {
      wanted[j] = 300 * random_number() * pow(10, random_number());
      price[j] = pow(10, 2 * random_number());
    }
    for (int i = 0; i < N; i++) {
      lo[i] = 0.5 + 0.49 * random_number();
      hi[i] = lo[i] + (1 - lo[i]) * (0.5 + 0.5 * random_number()) + 1e-6;
    }
    const lb_muscle_share s = {
        .muscles = N, .joints = M, .B = B, .wanted = wanted, .price = price, .power = 2};
    const lb_share_result x = lb_muscle_share_within(&s, lo, hi, a, r, scratch);
    worst = fmax(worst, x.residual);
    for (int i = 0; i < N; i++) {
      double y = 0, sum = 1;
      for (int j = 0; j < M; j++) {
        const double part = B[j * N + i] * 2 * price[j] * r[j];
        y += part;
        sum += fabs(part);
      }
      assert_true(a[i] >= lo[i] && a[i] <= hi[i]);
      assert_near(a[i], fmin(fmax(y / 2, lo[i]), hi[i]), 1e-14 * sum);
    }
  }
  print_message("%d programs, residual at most %.2g\n", TRIALS, worst);
  assert_true(worst < 1e-6);
  free(scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_motion_made_by_excitations_is_followed_by_these),
      cmocka_unit_test(an_impossible_motion_is_followed_by_reserves),
      cmocka_unit_test(steps_that_do_not_settle_are_counted),
      cmocka_unit_test(the_program_of_a_step_always_has_an_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
