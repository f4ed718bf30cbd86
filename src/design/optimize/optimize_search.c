// The objective of an optimisation, for a search: L-BFGS with bounds. Numbers are counted over
// their scales.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "design/search/search.h"

enum { PAIRS = 20, PATIENCE = 10 };

static const double FIRST_STEP = 0.1; // of a number's scale

typedef struct problem {
  lb_optimization* o;
  const lb_optimize_options* options;
  lb_evaluation at; // the last one
  double* x;        // [nvalue] over their scales, of the search
  double *least, *most;
  double* real; // [nvalue] as they are
  double* out;  // [nvalue] the caller's
} problem;

// A bound is met to the last bit.
static void to_real(const problem* p, const double* x, double* real) {
  const lb_optimization* o = p->o;
  for (int i = 0; i < o->nvalue; i++) {
    real[i] = fmin(fmax(x[i] * o->scale[i], o->least[i]), o->most[i]);
  }
}

// A trial with which the scene cannot be put together or stepped is a step too far along its line.
static lb_status value(void* context, const double* x, double* value, lb_error* err) {
  problem* p = context;
  const int before = err ? err->count : 0;
  to_real(p, x, p->real);
  lb_evaluation_end(&p->at);
  const lb_status status = lb_evaluation_run(&p->at, p->o->work, p->real, value, err);
  if (status == LB_FAILED) {
    p->o->failed++;
    snprintf(p->o->failure, sizeof p->o->failure, "%s",
             err && err->count > before ? err->message[before].text : "");
  }
  return status;
}

static lb_status gradient(void* context, const double* x, double* g, lb_error* err) {
  problem* p = context;
  (void)x;
  const lb_status status = lb_evaluation_gradient(&p->at, p->o->work, g, err);
  for (int i = 0; i < p->o->nvalue; i++) {
    g[i] *= p->o->scale[i];
  }
  return status;
}

static bool news(void* context, const lb_search_news* n) {
  problem* p = context;
  to_real(p, p->x, p->out);
  const lb_optimize_news news = {n->iteration, n->value, n->gradient, p->out};
  return !p->options->news || p->options->news(p->options->context, &news);
}

const char* lb_optimize_end_name(lb_optimize_end end) {
  static const char* const name[] = {[LB_OPTIMIZE_INTERRUPTED] = "interrupted",
                                     [LB_OPTIMIZE_CONVERGED] = "converged",
                                     [LB_OPTIMIZE_NO_GAIN] = "nothing left to gain",
                                     [LB_OPTIMIZE_LIMIT] = "iteration limit"};
  return (int)end >= 0 && end <= LB_OPTIMIZE_LIMIT ? name[end] : "";
}

static lb_status find(problem* p, lb_arena* arena, double* objective, lb_error* err) {
  const lb_scene_optimize* what = &p->o->scene->optimize;
  const lb_search_options options = {what->iterations, PATIENCE, what->tolerance, .pairs = PAIRS};
  const int n = p->o->nvalue;
  double** const part[] = {&p->x, &p->least, &p->most, &p->real};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = LB_TAKE(arena, double, n);
  }
  double* memory = LB_TAKE(arena, double, lb_search_memory(&lb_search_lbfgs, n, &options));
  if (lb_arena_check(arena, "a search", err) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < n; i++) {
    p->least[i] = p->o->least[i] / p->o->scale[i];
    p->most[i] = p->o->most[i] / p->o->scale[i];
    p->x[i] = fmin(fmax(p->out[i] / p->o->scale[i], p->least[i]), p->most[i]);
  }
  const lb_objective f = {p, n, p->least, p->most, FIRST_STEP, value, gradient, NULL, .news = news};
  lb_search_end end = LB_SEARCH_INTERRUPTED;
  const lb_status status = lb_search_run(&lb_search_lbfgs, &f, &options, p->x, memory, objective,
                                         &end, p->o->work->allocator, err);
  p->o->end = (lb_optimize_end)end; // counted alike
  return status;
}

lb_status lb_optimize_run(lb_optimization* o, const lb_optimize_options* options, double* x,
                          double* objective, lb_error* err) {
  problem p = {.o = o, .options = options, .out = x};
  lb_arena arena;
  lb_arena_init(&arena, o->work->allocator);
  lb_arena_init(&p.at.arena, o->work->allocator);
  const lb_status status = find(&p, &arena, objective, err);
  lb_evaluation_end(&p.at);
  lb_arena_release(&arena);
  return status;
}
