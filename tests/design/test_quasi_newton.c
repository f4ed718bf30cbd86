// Searches by gradients alone: where they end, that they go on as if nothing had happened, and
// limits.
#include "counting.h"
#include "limber/limber.h"
#include "test.h"

// A weight on a spring, carried by a slide: the motion is linear in the motor's curve, and the
// objective a parabola.
#define CART                                                                                       \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  cart: {mass: 1 kg, shape: {box: [20 cm, 10 cm, 10 cm]}}\n"                                    \
  "  load: {mass: 0.5 kg, shape: {sphere: {radius: 5 cm}}}\n"                                      \
  "joints:\n"                                                                                      \
  "  track: {type: prismatic, child: cart, axis: x}\n"                                             \
  "  spring: {type: prismatic, parent: cart, child: load, at: [0, 0, 20 cm], axis: x,\n"           \
  "           spring: {stiffness: 80}, damping: 0.3}\n"                                            \
  "motors: {drive: {joint: track, keys: [[0.3, 0], [0.6, 50 cm]]}}\n"                              \
  "solver: {integrator: bdf2, step: 4 ms}\n"                                                       \
  "record: {every: 20 ms}\n"                                                                       \
  "duration: 1.2\n"                                                                                \
  "retarget:\n"                                                                                    \
  "  bodies: {load: {position: 1}}\n"                                                              \
  "  smoothness: 1e-4\n"                                                                           \
  "  iterations: 300\n"                                                                            \
  "  tolerance: 1e-9\n"

typedef struct problem {
  lb_scene scene;
  lb_model* model;
  lb_retarget* what;
  lb_curves* input;
  lb_targets* targets;
} problem;

static void must(lb_status status, lb_error* err) {
  for (int i = 0; status != LB_OK && i < err->count; i++) {
    print_error("%s\n", err->message[i].text);
  }
  assert_int_equal(status, LB_OK);
}

static problem make(const char* text) {
  problem p = {.model = NULL};
  lb_error err = lb_error_make(NULL);
  lb_recording* rest = NULL;
  const lb_simulate_options slow = lb_simulate_default();
  must(lb_scene_parse(text, strlen(text), "cart.yaml", NULL, &p.scene, &err), &err);
  must(lb_model_create(&p.scene, NULL, &p.model, &err), &err);
  must(lb_retarget_create(p.model, &p.scene.retarget, NULL, &p.what, &err), &err);
  must(lb_curves_fit(p.model, p.what, NULL, &p.input, &err), &err);
  must(lb_recording_create(p.model, 0, NULL, &rest, &err), &err);
  must(lb_quasistatic_motion(p.model, &slow, rest, &err), &err);
  must(lb_targets_create(rest, p.what, NULL, &p.targets, &err), &err);
  lb_recording_release(rest);
  return p;
}

static void drop(problem* p) {
  lb_targets_release(p->targets);
  lb_curves_release(p->input);
  lb_retarget_release(p->what);
  lb_model_release(p->model);
  lb_scene_release(&p->scene);
}

// What is heard of a search, and when to stop it.
typedef struct ear {
  int stop; // after so many iterations; 0: never
  int iterations, runs;
  double first, last; // objectives reported
  bool rose;
} ear;

static bool hear(void* context, const lb_retarget_news* news, const lb_retarget_state* state) {
  ear* e = context;
  (void)state;
  e->rose = e->rose || (e->last > 0 && news->value.objective > e->last);
  e->last = news->value.objective;
  e->first = e->iterations == 0 ? e->last : e->first;
  e->runs = news->runs;
  return ++e->iterations != e->stop;
}

static lb_status search(const problem* p, lb_retarget_method method, lb_retarget_state* state,
                        ear* e, lb_error* err) {
  lb_retarget_value value;
  lb_retarget_options o = lb_retarget_default();
  o.method = method;
  o.news = hear;
  o.context = e;
  return lb_retarget_run(p->model, p->what, p->input, p->targets, &o, state, &value, err);
}

static void all_methods_find_the_same_curves(void** state) {
  (void)state;
  problem p = make(CART);
  double objective[LB_RETARGET_METHOD_COUNT];
  const int n = p.input->nmotor * p.input->ncontrol;
  lb_retarget_state* found[LB_RETARGET_METHOD_COUNT];
  for (int m = 0; m < LB_RETARGET_METHOD_COUNT; m++) {
    lb_error err = lb_error_make(NULL);
    ear e = {.stop = 0};
    must(lb_retarget_state_create(p.input, NULL, &found[m], &err), &err);
    must(search(&p, (lb_retarget_method)m, found[m], &e, &err), &err);
    objective[m] = e.last;
    print_message("%s: %.9g after %d iterations, %d runs\n",
                  lb_retarget_method_name((lb_retarget_method)m), e.last, found[m]->iteration,
                  e.runs);
    assert_true(found[m]->done);
    assert_false(e.rose);
    assert_below(e.last, 0.1 * e.first);
  }
  for (int m = 1; m < LB_RETARGET_METHOD_COUNT; m++) {
    assert_near(objective[m] / objective[0], 1, 1e-6);
    for (int i = 0; i < n; i++) {
      assert_near(found[m]->curves->control[i], found[0]->curves->control[i], 1e-3);
    }
  }
  for (int m = 0; m < LB_RETARGET_METHOD_COUNT; m++) {
    lb_retarget_state_release(found[m]);
  }
  drop(&p);
}

static void a_search_that_was_stopped_ends_with_the_same_bits(void** state) {
  (void)state;
  problem p = make(CART);
  const size_t size = (size_t)p.input->nmotor * (size_t)p.input->ncontrol * sizeof(double);
  p.what->iterations = 40; // more than L-BFGS remembers
  for (int m = 0; m < LB_RETARGET_METHOD_COUNT; m++) {
    lb_error err = lb_error_make(NULL);
    lb_retarget_state *whole, *parts;
    ear e = {.stop = 0}, brief = {.stop = 3};
    must(lb_retarget_state_create(p.input, NULL, &whole, &err), &err);
    must(lb_retarget_state_create(p.input, NULL, &parts, &err), &err);
    must(search(&p, (lb_retarget_method)m, whole, &e, &err), &err);
    int stops = 0;
    while (search(&p, (lb_retarget_method)m, parts, &brief, &err) == LB_INTERRUPTED) {
      lb_error_clear(&err);
      brief.iterations = 0;
      brief.stop = 3 + stops++ % 4;
    }
    print_message("%s: stopped %d times in %d iterations\n",
                  lb_retarget_method_name((lb_retarget_method)m), stops, whole->iteration);
    assert_above(stops, 0);
    assert_int_equal(whole->iteration, parts->iteration);
    assert_memory_equal(whole->curves->control, parts->curves->control, size);
    lb_retarget_state_release(whole);
    lb_retarget_state_release(parts);
    lb_error_clear(&err);
  }
  drop(&p);
}

static void a_method_does_not_go_on_with_what_another_began(void** state) {
  (void)state;
  problem p = make(CART);
  lb_error err = lb_error_make(NULL);
  lb_retarget_state* s = NULL;
  ear e = {.stop = 2};
  must(lb_retarget_state_create(p.input, NULL, &s, &err), &err);
  assert_int_equal(search(&p, LB_RETARGET_LBFGS, s, &e, &err), LB_INTERRUPTED);
  assert_int_equal(search(&p, LB_RETARGET_GAUSS_NEWTON, s, &e, &err), LB_INVALID);
  assert_int_equal(search(&p, LB_RETARGET_BFGS, s, &e, &err), LB_INVALID);
  assert_non_null(strstr(err.message[err.count - 1].text, "cannot go on from there"));
  lb_retarget_state_release(s);
  lb_error_clear(&err);
  drop(&p);
}

static double fastest(const lb_curves* c) {
  double most = 0;
  for (int k = 0; k <= 1200; k++) {
    double f[3];
    lb_curves_evaluate(c, 0, 1e-3 * k, f);
    most = fmax(most, fabs(f[2]));
  }
  return most;
}

// Whoever cannot follow a limit says so, and leaves curves that keep it.
static void limits_are_kept_or_the_search_fails(void** state) {
  (void)state;
  problem p = make(CART "  motors: {drive: {acceleration: 40 m/s^2}}\n");
  const lb_retarget_method methods[] = {LB_RETARGET_LBFGS, LB_RETARGET_BFGS};
  for (size_t i = 0; i < 2; i++) {
    lb_error err = lb_error_make(NULL);
    lb_retarget_state* s = NULL;
    ear e = {.stop = 0};
    must(lb_retarget_state_create(p.input, NULL, &s, &err), &err);
    const lb_status status = search(&p, methods[i], s, &e, &err);
    print_message("%s: %s after %d iterations, %.3g m/s^2\n", lb_retarget_method_name(methods[i]),
                  lb_status_text(status), s->iteration, fastest(s->curves));
    assert_int_equal(status, LB_FAILED);
    assert_non_null(strstr(err.message[0].text, "choose gauss-newton"));
    assert_above(s->iteration, 0);
    assert_at_most(fastest(s->curves), 40 * (1 + 1e-9));
    lb_retarget_state_release(s);
    lb_error_clear(&err);
  }
  drop(&p);
}

static void without_memory_a_search_fails_and_loses_nothing(void** state) {
  (void)state;
  problem p = make(CART);
  p.what->iterations = 2;
  for (int m = 1; m < LB_RETARGET_METHOD_COUNT; m++) {
    lb_status status = LB_NO_MEMORY;
    long n = 1;
    for (; status == LB_NO_MEMORY; n += n < 60 ? 1 : 17) {
      lb_counting count = {.refuse = n};
      const lb_allocator allocator = lb_counting_allocator(&count);
      lb_retarget_state* s = NULL;
      ear e = {.stop = 0};
      status = lb_retarget_state_create(p.input, &allocator, &s, NULL);
      if (status == LB_OK) {
        status = search(&p, (lb_retarget_method)m, s, &e, NULL);
      }
      lb_retarget_state_release(s);
      assert_int_equal(count.live, 0);
    }
    assert_int_equal(status, LB_OK);
    assert_above(n, 20);
  }
  drop(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_methods_find_the_same_curves),
      cmocka_unit_test(a_search_that_was_stopped_ends_with_the_same_bits),
      cmocka_unit_test(a_method_does_not_go_on_with_what_another_began),
      cmocka_unit_test(limits_are_kept_or_the_search_fails),
      cmocka_unit_test(without_memory_a_search_fails_and_loses_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
