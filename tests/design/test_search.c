// Searches on objectives with known ends: Rosenbrock's valley, within bounds and without, by values
// and gradients and by residuals.
#include <math.h>

#include "design/search/search.h"
#include "limber/limber.h"
#include "test.h"

enum { N = 2 };

// f = (r1^2 + r2^2) / 2 with r1 = 10 (y - x^2), r2 = 1 - x: least at (1, 1).
typedef struct valley {
  double J[N * N], r[N]; // by columns
  double A[N * N], L[N * N];
  double least[N], most[N];
  lb_objective f;
  lb_normal normal;
  int runs, stop, reported;
  double wall; // x must not exceed it; beyond it there is no value
} valley;

static lb_status value(void* context, const double* x, double* v, lb_error* err) {
  valley* w = context;
  w->runs++;
  w->r[0] = 10 * (x[1] - x[0] * x[0]);
  w->r[1] = 1 - x[0];
  *v = (w->r[0] * w->r[0] + w->r[1] * w->r[1]) / 2;
  return x[0] > w->wall ? lb_error_add(err, LB_FAILED, (lb_place){0}, "beyond") : LB_OK;
}

static lb_status gradient(void* context, const double* x, double* g, lb_error* err) {
  valley* w = context;
  (void)err;
  w->J[0] = -20 * x[0], w->J[1] = -1, w->J[2] = 10, w->J[3] = 0;
  w->r[0] = 10 * (x[1] - x[0] * x[0]);
  w->r[1] = 1 - x[0];
  lb_normal_make(&w->normal, w->J, w->r, g);
  return LB_OK;
}

static lb_status step(void* context, const double* x, const double* g, double* damping, double* p,
                      double* gain, lb_error* err) {
  valley* w = context;
  (void)err;
  *damping = *damping > 0 ? *damping : 1e-3;
  *gain = lb_normal_step(&w->normal, &w->f, x, g, *damping, p);
  return LB_OK;
}

static bool news(void* context, const lb_search_news* n) {
  valley* w = context;
  w->reported = n->iteration;
  return w->stop == 0 || n->iteration % w->stop != 0 || n->iteration == 0;
}

static void make(valley* w, double least, double most) {
  *w = (valley){.least = {least, least}, .most = {most, most}, .wall = INFINITY};
  w->normal = (lb_normal){N, N, w->A, w->L};
  w->f = (lb_objective){.context = w,
                        .n = N,
                        .least = w->least,
                        .most = w->most,
                        .first_step = 0.1,
                        .value = value,
                        .gradient = gradient,
                        .news = news,
                        .step = step};
}

static const lb_search_options HOW = {
    .iterations = 200, .patience = 3, .tolerance = 1e-20, .pairs = 5, .trials = 20};
static const lb_search_type* const TYPE[] = {&lb_search_lbfgs, &lb_search_gauss_newton};
enum { TYPES = 2, MEMORY = 100 };

static lb_search_end search(valley* w, const lb_search_type* type, double* x, double* memory,
                            lb_status expected) {
  lb_error err = lb_error_make(NULL);
  lb_search_end end = LB_SEARCH_INTERRUPTED;
  double v = NAN;
  assert_at_most((double)lb_search_memory(type, N, &HOW), MEMORY);
  assert_int_equal(lb_search_run(type, &w->f, &HOW, x, memory, &v, &end, NULL, &err), expected);
  lb_error_clear(&err);
  return end;
}

static void both_go_through_the_valley(void** state) {
  (void)state;
  for (int i = 0; i < TYPES; i++) {
    valley w;
    double x[N] = {-1.2, 1}, memory[MEMORY] = {0};
    make(&w, -5, 5);
    assert_int_equal(search(&w, TYPE[i], x, memory, LB_OK), LB_SEARCH_NO_GAIN);
    assert_near(x[0], 1, 1e-7);
    assert_near(x[1], 1, 1e-7);
    assert_below(w.runs, 100);
  }
}

// With x and y at most 0.5 the least is where y = x^2 and x is at its bound.
static void both_end_at_a_bound(void** state) {
  (void)state;
  for (int i = 0; i < TYPES; i++) {
    valley w;
    double x[N] = {-1.2, 0.4}, memory[MEMORY] = {0};
    make(&w, -5, 0.5);
    search(&w, TYPE[i], x, memory, LB_OK);
    assert_true(x[0] == 0.5);
    assert_near(x[1], 0.25, 1e-8);
  }
}

// Trials that have no value are infinitely bad; a start that has none is reported.
static void places_without_a_value_are_left_aside(void** state) {
  (void)state;
  for (int i = 0; i < TYPES; i++) {
    valley w;
    double x[N] = {-1.2, 1}, memory[MEMORY] = {0};
    make(&w, -5, 5);
    w.wall = 0.3;
    search(&w, TYPE[i], x, memory, LB_OK);
    assert_at_most(x[0], 0.3);
    assert_above(x[0], 0);
    x[0] = 2;
    search(&w, TYPE[i], x, memory, LB_FAILED);
  }
}

static void a_search_that_is_stopped_goes_on_with_the_same_bits(void** state) {
  (void)state;
  for (int i = 0; i < TYPES; i++) {
    valley w;
    double x[N] = {-1.2, 1}, y[N] = {-1.2, 1}, memory[MEMORY] = {0}, other[MEMORY] = {0};
    make(&w, -5, 5);
    search(&w, TYPE[i], x, memory, LB_OK);
    const int iterations = w.reported;
    for (int k = 1; k <= iterations; k++) {
      w.stop = k;
      const lb_search_end end = search(&w, TYPE[i], y, other, LB_INTERRUPTED);
      assert_int_equal(end, LB_SEARCH_INTERRUPTED);
      assert_int_equal(w.reported, k);
    }
    assert_memory_equal(x, y, sizeof x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_go_through_the_valley),
      cmocka_unit_test(both_end_at_a_bound),
      cmocka_unit_test(places_without_a_value_are_left_aside),
      cmocka_unit_test(a_search_that_is_stopped_goes_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
