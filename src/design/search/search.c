// Iterations of all searches: until nothing more is gained, news, and runs that fail.
#include "design/search/search.h"

#include <math.h>
#include <string.h>

// Memory of all searches: iterations so far, the value at the start, the largest part of the
// gradient there and now, and the values before the last iterations.
enum { COUNT, FIRST, NORM, SIZE, RECENT, HEAD = RECENT + LB_SEARCH_PATIENCE };

// Part of the objective at the start that counts as zero.
static const double NOTHING = 1e-16;

double lb_search_within(const lb_search* s, int i, double x) {
  const lb_objective* f = s->f;
  return f->least ? fmin(fmax(x, f->least[i]), f->most[i]) : x;
}

lb_status lb_search_try(lb_search* s, const double* x, double* value) {
  lb_error quiet = lb_error_make(s->allocator);
  const lb_status status = s->f->value(s->f->context, x, value, &quiet);
  lb_error_clear(&quiet);
  if (status == LB_INTERRUPTED || status == LB_NO_MEMORY) {
    return lb_error_add(s->err, status, (lb_place){0}, "%s", lb_status_text(status));
  }
  *value = status == LB_OK && isfinite(*value) ? *value : (double)INFINITY;
  return LB_OK;
}

size_t lb_search_memory(const lb_search_type* type, int n, const lb_search_options* options) {
  return HEAD + type->memory(n, options);
}

double lb_search_damping(const double* memory) {
  return memory[HEAD];
}

static lb_status take_vectors(lb_search* s) {
  const size_t n = (size_t)s->f->n;
  double** const part[] = {&s->g, &s->p, &s->trial, &s->next, &s->best, &s->end_g, &s->rest};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = LB_TAKE(&s->arena, double, n);
  }
  s->held = LB_TAKE(&s->arena, bool, n);
  return lb_arena_check(&s->arena, "a search", s->err);
}

lb_status lb_search_begin(lb_search* s, const lb_search_type* type, const lb_objective* f,
                          const lb_search_options* options, double* x, double* memory,
                          const lb_allocator* allocator, lb_error* err) {
  *s = (lb_search){.type = type,
                   .f = f,
                   .options = *options,
                   .allocator = allocator,
                   .err = err,
                   .x = x,
                   .memory = memory,
                   .own = memory + HEAD};
  lb_arena_init(&s->arena, allocator);
  lb_status status = take_vectors(s);
  if (status == LB_OK) { // at the start, errors are reported
    status = f->value(f->context, x, &s->value, err);
  }
  if (status == LB_OK && f->keep) {
    f->keep(f->context);
  }
  return status;
}

void lb_search_finish(lb_search* s) {
  lb_arena_release(&s->arena);
}

// The largest part of the gradient that bounds do not hold back.
static double size_of_gradient(const lb_search* s) {
  double most = 0;
  for (int i = 0; i < s->f->n; i++) {
    const double to = lb_search_within(s, i, s->x[i] - copysign((double)INFINITY, s->g[i]));
    most = fmax(most, to == s->x[i] ? 0 : fabs(s->g[i]));
  }
  return most;
}

lb_status lb_search_iterate(lb_search* s, bool* moved) {
  *moved = false;
  if (!s->has_gradient) {
    const lb_status status = s->f->gradient(s->f->context, s->x, s->g, s->err);
    if (status != LB_OK) {
      return status;
    }
    s->has_gradient = true;
    s->memory[SIZE] = size_of_gradient(s);
    s->memory[NORM] = s->memory[COUNT] == 0 ? s->memory[SIZE] : s->memory[NORM];
  }
  if (!(s->memory[SIZE] > 0)) {
    return LB_OK;
  }
  const lb_status status = s->type->iterate(s, moved);
  if (*moved && s->has_gradient) {
    s->memory[SIZE] = size_of_gradient(s);
  }
  return status;
}

// Stopping test at iteration k, with its reason.
static bool ends(lb_search* s) {
  const lb_search_options* o = &s->options;
  const int k = (int)s->memory[COUNT];
  const double before = k >= o->patience
                            ? s->memory[RECENT + (k - o->patience) % LB_SEARCH_PATIENCE]
                            : (double)INFINITY;
  if (s->value <= fmax(o->enough, NOTHING * s->memory[FIRST])) {
    s->end = LB_SEARCH_NO_GAIN;
  } else if (before - s->value <= o->tolerance * s->value) {
    s->end = LB_SEARCH_CONVERGED;
  } else if (k >= o->iterations) {
    s->end = LB_SEARCH_LIMIT;
  } else {
    return false;
  }
  return true;
}

// Record of the search's place, and its report; LB_INTERRUPTED: it shall stop.
static lb_status report(lb_search* s, bool first, bool* over) {
  double* m = s->memory;
  const int k = (int)m[COUNT];
  *over = ends(s);
  m[FIRST] = k == 0 ? s->value : m[FIRST];
  m[RECENT + k % LB_SEARCH_PATIENCE] = s->value;
  const lb_search_news news = {k, s->value, m[NORM] > 0 ? m[SIZE] / m[NORM] : 1, *over};
  if ((first && k > 0) || !s->f->news || s->f->news(s->f->context, &news)) {
    return LB_OK;
  }
  s->end = LB_SEARCH_INTERRUPTED;
  return lb_error_add(s->err, LB_INTERRUPTED, (lb_place){0}, "interrupted after iteration %d", k);
}

static lb_status run(lb_search* s) {
  bool over = false, moved = true;
  lb_status status = report(s, true, &over);
  while (status == LB_OK && !over && moved) {
    s->end = LB_SEARCH_INTERRUPTED;
    status = lb_search_iterate(s, &moved);
    s->memory[COUNT] += moved;
    if (status == LB_OK && moved) {
      status = report(s, false, &over);
    }
  }
  if (!moved && s->end == LB_SEARCH_INTERRUPTED && status == LB_OK) {
    s->end = LB_SEARCH_NO_GAIN;
  }
  return status;
}

lb_status lb_search_run(const lb_search_type* type, const lb_objective* f,
                        const lb_search_options* options, double* x, double* memory, double* value,
                        lb_search_end* end, const lb_allocator* allocator, lb_error* err) {
  lb_search s;
  lb_status status = lb_search_begin(&s, type, f, options, x, memory, allocator, err);
  if (status == LB_OK) {
    status = run(&s);
    *value = s.value;
  }
  *end = s.end;
  lb_search_finish(&s);
  return status;
}
