#include "model/use/elastic_steps.h"

#include <math.h>

#include "base/arena.h"
#include "elastic/reduced/step_limit.h"
#include "model/use/link.h"

// What an elastic body is made of, or NULL: all its nodes, or what a mechanism is reduced to.
static const lb_reduced* basis_of(const lb_model* m, const lb_model_elastic* e) {
  const lb_reduced* b = m->link.packed[m->body.link[e->body]].reduced;
  return e->nnode > 0 && b && !b->full && !b->traces ? b : NULL;
}

// A shape without mass follows no step at all.
static lb_status limit_of(const lb_reduced* b, int body, lb_arena* scratch, lb_elastic_limit* out) {
  lb_step_limit limit;
  const lb_status status = lb_reduced_step_limit(b, scratch, &limit);
  *out = status == LB_OK ? (lb_elastic_limit){body, limit.step, limit.frequency}
                         : (lb_elastic_limit){body, 0, INFINITY};
  return status == LB_NO_MEMORY ? status : LB_OK;
}

lb_status lb_elastic_limit_find(const lb_model* m, const lb_allocator* allocator,
                                lb_elastic_limit* out, lb_error* err) {
  lb_arena scratch;
  lb_arena_init(&scratch, allocator);
  lb_elastic_limit least = {.body = -1, .step = INFINITY}, limit;
  lb_status status = LB_OK;
  const lb_reduced* last = NULL; // bodies alike share one
  for (int i = 0; i < m->elastic.count && status == LB_OK; i++) {
    const lb_reduced* b = basis_of(m, &m->elastic.body[i]);
    if (b && b != last) {
      status = limit_of(b, m->elastic.body[i].body, &scratch, &limit);
      least = status == LB_OK && limit.step < least.step ? limit : least;
      last = b;
    }
  }
  lb_arena_release(&scratch);
  if (status != LB_OK) {
    return lb_error_add(err, status, (lb_place){0}, "out of memory for the shapes of '%s'",
                        m->name);
  }
  *out = least;
  return LB_OK;
}

// To three digits, and never more than it is.
static double round_down(double step) {
  const double digit = step > 0 ? pow(10, floor(log10(step)) - 2) : 1;
  return floor(step / digit) * digit;
}

// Without damping steps of two over the angular frequency are the longest.
static bool is_damped(const lb_elastic_limit* limit) {
  static const double TURN = 6.28318530717958647692;
  return limit->step * limit->frequency * TURN < 1.9;
}

lb_status lb_elastic_limit_check(const lb_model* m, const lb_elastic_limit* limit, double h,
                                 lb_place place, lb_error* err) {
  if (!(h > limit->step)) {
    return LB_OK;
  }
  return lb_error_add(err, LB_INVALID, place,
                      "integrator 'euler' cannot step elastic body '%s' by %.6g s: its fastest "
                      "shape vibrates at %.4g Hz, for which%s steps may have %.3g s at most (take "
                      "shorter steps, or linear-euler, bdf1, bdf2 or sdirk2)",
                      m->body.name[limit->body], h, limit->frequency,
                      is_damped(limit) ? ", with its damping," : "", round_down(limit->step));
}
