// Optimisations under test: gradients against differences of whole runs, and what the numbers put
// into a model do against what they do in a scene.
#pragma once
#include "limber/limber.h"
#include "test.h"

enum { MOST = 600 };

typedef struct problem {
  lb_scene scene;
  lb_optimization* o;
} problem;

static void complain(lb_error* err) {
  for (int i = 0; i < err->count; i++) {
    print_error("%s:%d: %s\n", err->message[i].place.file ? err->message[i].place.file : "",
                err->message[i].place.line, err->message[i].text);
  }
  fail();
}

static void open_problem(problem* p, const char* text) {
  lb_error err = lb_error_make(NULL);
  if (lb_scene_parse(text, strlen(text), "test.yaml", NULL, &p->scene, &err) != LB_OK ||
      lb_optimization_create(&p->scene, NULL, &p->o, &err) != LB_OK) {
    complain(&err);
  }
  assert_at_most(p->o->nvalue, MOST);
}

static void close_problem(problem* p) {
  lb_optimization_release(p->o);
  lb_scene_release(&p->scene);
}

static double evaluate(problem* p, const double* x, double* gradient) {
  lb_error err = lb_error_make(NULL);
  double value = NAN;
  if (lb_optimization_evaluate(p->o, x, &value, gradient, &err) != LB_OK) {
    complain(&err);
  }
  return value;
}

// The gradient, number by number, against differences of fourth order.
static inline void check_gradient(problem* p, const double* x, double part, double tolerance) {
  double g[MOST], y[MOST], largest = 0, worst = 0;
  int at = 0;
  evaluate(p, x, g);
  memcpy(y, x, (size_t)p->o->nvalue * sizeof *y);
  for (int i = 0; i < p->o->nvalue; i++) {
    const double h = part * fmax(1e-2, fabs(x[i]));
    double d = 0;
    static const double way[] = {-2, -1, 1, 2}, weight[] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    for (int k = 0; k < 4; k++) {
      y[i] = x[i] + way[k] * h;
      d += weight[k] * evaluate(p, y, NULL) / h;
    }
    y[i] = x[i];
    const double scale = p->o->scale[i]; // numbers of different units, each by what it may change
    largest = fmax(largest, fabs(g[i]) * scale);
    at = fabs(g[i] - d) * scale > worst ? i : at;
    worst = fmax(worst, fabs(g[i] - d) * scale);
    if (getenv("LIMBER_TELL")) {
      print_message("%d: %.12g %.12g\n", i, g[i], d);
    }
  }
  if (getenv("LIMBER_TELL")) {
    print_message("off by %.2g\n", worst / largest);
  }
  assert_above(largest, 0); // else nothing was differentiated
  if (!(worst <= tolerance * largest)) {
    print_error("number %d is off by %.3g of the gradient\n", at, worst / largest);
    fail();
  }
}

// The same motion, whether numbers are put into the optimisation's model or into the scene, which
// they change for good.
static inline void check_applied(problem* p) {
  problem plain;
  double x[MOST];
  lb_error err = lb_error_make(NULL);
  for (int k = 0; k < p->o->nvalue; k++) {
    x[k] = p->o->start[k] * (1 + 0.1 * sin(3. * k)) + 0.01 * cos(2. * k);
    x[k] = fmin(fmax(x[k], p->o->least[k]), p->o->most[k]);
  }
  const double value = evaluate(p, x, NULL);
  assert_above(fabs(value - evaluate(p, p->o->start, NULL)), 1e-4 * value); // they do something
  assert_int_equal(lb_optimization_apply(p->o, x, &p->scene, &err), LB_OK);
  plain.scene = p->scene;
  plain.scene.optimize.nparameter = 1; // no others have a say in how it starts
  if (lb_optimization_create(&plain.scene, NULL, &plain.o, &err) != LB_OK) {
    complain(&err);
  }
  assert_near(evaluate(&plain, plain.o->start, NULL), value, 1e-9);
  lb_optimization_release(plain.o);
}
