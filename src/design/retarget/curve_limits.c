// Bounds on curves.
#include "design/retarget/curve_limits.h"

#include <math.h>

double lb_bound_at(const lb_bound* b, const double* x) {
  double sum = 0;
  for (int k = 0; k < b->count; k++) {
    sum += b->factor[k] * x[b->first + k];
  }
  return sum;
}

// Functions of curve i: its control points, and those of its first and second derivative.
enum { ANGLE, SPEED, ACCELERATION, KINDS };
static const struct {
  const char *name, *unit[2]; // of a hinge and of a slide
} KIND[KINDS] = {
    {"angle", {"rad", "m"}}, {"speed", {"rad/s", "m/s"}}, {"acceleration", {"rad/s^2", "m/s^2"}}};

static lb_bound make_bound(const lb_bspline* s, const lb_retarget_limit* limit, int kind, int k) {
  const double range[KINDS][2] = {{limit->angle[0], limit->angle[1]},
                                  {-limit->speed, limit->speed},
                                  {-limit->acceleration, limit->acceleration}};
  lb_bound b = {.count = kind + 1, .low = range[kind][0], .high = range[kind][1]};
  double slope[2] = {0, 0};
  for (int j = 0; j < 2 && kind > ANGLE && k + j + 4 < s->count + 4; j++) {
    slope[j] = 3 / (lb_bspline_knot(s, k + j + 4) - lb_bspline_knot(s, k + j + 1));
  }
  if (kind == ANGLE) {
    b.factor[0] = 1;
  } else if (kind == SPEED) {
    b.factor[0] = -slope[0];
    b.factor[1] = slope[0];
  } else {
    const double d = 2 / (lb_bspline_knot(s, k + 4) - lb_bspline_knot(s, k + 2));
    b.factor[0] = d * slope[0];
    b.factor[1] = -d * (slope[0] + slope[1]);
    b.factor[2] = d * slope[1];
  }
  return b;
}

// Every bound of the curves in turn, those of fixed control points too.
typedef bool visitor(void* context, int motor, int kind, int k, const lb_bound* b);

static bool visit(const lb_retarget* what, const lb_curves* curves, visitor* to, void* context) {
  const lb_bspline s = lb_curves_spline(curves);
  for (int i = 0; i < what->nmotor; i++) {
    for (int kind = 0; kind < KINDS; kind++) {
      for (int k = 0; k < s.count - kind; k++) {
        lb_bound b = make_bound(&s, &what->limit[i], kind, k);
        b.first = i * s.count + k;
        if ((isfinite(b.low) || isfinite(b.high)) && !to(context, i, kind, k, &b)) {
          return false;
        }
      }
    }
  }
  return true;
}

typedef struct collection {
  lb_limits* limits;
  int ncontrol;
} collection;

static bool is_free(const collection* c, int kind, int k) {
  return k + kind >= LB_CURVES_FIXED && k < c->ncontrol - LB_CURVES_FIXED;
}
static bool count_bound(void* context, int motor, int kind, int k, const lb_bound* b) {
  collection* c = context;
  (void)motor, (void)b;
  c->limits->count += is_free(c, kind, k);
  return true;
}
static bool keep_bound(void* context, int motor, int kind, int k, const lb_bound* b) {
  collection* c = context;
  (void)motor;
  if (is_free(c, kind, k)) {
    c->limits->bound[c->limits->count++] = *b;
  }
  return true;
}

lb_limits* lb_limits_create(const lb_retargeting* r, lb_arena* arena) {
  lb_limits* l = LB_TAKE(arena, lb_limits, 1);
  if (!l) {
    return NULL;
  }
  collection c = {l, r->input->ncontrol};
  visit(r->what, r->input, count_bound, &c);
  l->bound = LB_TAKE(arena, lb_bound, l->count);
  l->slack = LB_TAKE(arena, double, 2 * l->count);
  l->push = LB_TAKE(arena, double, 2 * l->count);
  l->stiffness = LB_TAKE(arena, double, l->count);
  l->count = 0;
  if (lb_arena_status(arena) == LB_OK) {
    visit(r->what, r->input, keep_bound, &c);
  }
  return l;
}

double lb_limits_reach(const lb_limits* l, const double* x, const double* p) {
  double reach = 1;
  for (int i = 0; i < l->count; i++) {
    const lb_bound* b = &l->bound[i];
    const double at = lb_bound_at(b, x), by = lb_bound_at(b, p);
    if (at + reach * by > b->high) {
      reach = fmax(0, (b->high - at) / by);
    } else if (at + reach * by < b->low) {
      reach = fmax(0, (b->low - at) / by);
    }
  }
  return reach;
}

typedef struct inquiry {
  const lb_model* model;
  const lb_retarget* what;
  const lb_curves* curves;
  lb_error* err;
} inquiry;

static bool ask(void* context, int motor, int kind, int k, const lb_bound* b) {
  const inquiry* q = context;
  static const double ROUNDING = 1e-9;
  const double at = lb_bound_at(b, q->curves->control);
  if (at <= b->high + ROUNDING * fabs(b->high) && at >= b->low - ROUNDING * fabs(b->low)) {
    return true;
  }
  const lb_bspline s = lb_curves_spline(q->curves);
  const lb_model* m = q->model;
  const int i = q->what->motor[motor];
  const bool slides = m->dof.counts[m->motor.v[i]] == LB_COORDINATE_LENGTH;
  lb_error_add(
      q->err, LB_INVALID, q->what->limit_place[motor],
      "the input of motor '%s' exceeds its limit of %s, %g %s, near t = %.3g s, where it has "
      "%g: slow the motion down there, or raise the limit",
      m->motor.name[i], KIND[kind].name, at > b->high ? b->high : b->low, KIND[kind].unit[slides],
      lb_bspline_knot(&s, k + 2), at);
  return false;
}

lb_status lb_limits_check(const lb_model* model, const lb_retarget* what, const lb_curves* curves,
                          lb_error* err) {
  inquiry q = {model, what, curves, err};
  return visit(what, curves, ask, &q) ? LB_OK : LB_INVALID;
}
