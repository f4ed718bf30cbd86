// Equilibrium of fibre and tendon at the end of a step.
//
// With the fibre's reach x along the tendon as the unknown, l = sqrt(x^2 + w^2), and the speed that
// takes it there, v = pace (l - from), (3) of hill.h is
//
//   (1)  r(x) = f(a, l, v) cos(phi) - f_se((L - x)/slack) = 0
//
// At the larger of the reach before and that which leaves the tendon slack, f_se = 0 and v >= 0,
// and r >= 0. At the shortest fibre the tendon is longest, and r <= 0, but for paths so short that
// it is slack there, too: the fibre is then folded, and the muscle exerts what its tendon does. In
// between is a root, which bisection finds if Newton's method does not.
#include <math.h>
#include <stddef.h>

#include "math/muscle/hill_inside.h"

double lb_root(lb_root_function* function, const void* context, double low, double high, double x,
               double scale, int* iterations) {
  static const double NEAR = 1e-9, ROUNDING = 1e-15; // after a step so small the next one is below
  enum { FREE = 12, MOST = 200 }; // steps before it may count as slow, and in all
  double before = INFINITY, slope;
  bool low_seen = false, high_seen = false;
  int i = 0;
  for (x = fmin(fmax(x, low), high); i < MOST; i++) {
    const double r = function(context, x, &slope);
    // an end with the sign of the other one is the solution
    if (r == 0 || (r > 0 && x == low) || (r < 0 && x == high)) {
      break;
    }
    *(r < 0 ? &low : &high) = x;
    *(r < 0 ? &low_seen : &high_seen) = true;
    const double newton = x - r / slope;
    const bool shrinks = i < FREE || fabs(newton - x) <= before / 2;
    const bool within = newton >= low && newton <= high && shrinks;
    const double next = within                                      ? newton
                        : !low_seen && slope > 0 && newton <= low   ? low
                        : !high_seen && slope > 0 && newton >= high ? high
                                                                    : (low + high) / 2;
    before = fabs(next - x);
    x = next;
    if (before <= (within ? NEAR * scale : ROUNDING) * (1 + fabs(x))) {
      break;
    }
  }
  if (iterations) {
    *iterations = i + 1;
  }
  return x;
}

typedef struct tendon_balance {
  const lb_hill* h;
  double a, from, pace, L;
} tendon_balance;

// (1) at x, with all that it depends on.
typedef struct tendon_state {
  lb_hill_pose p;
  lb_hill_fiber f;
  lb_curve_value t;
  double r, slope;
} tendon_state;

static tendon_state evaluate(const tendon_balance* b, double x) {
  const lb_hill* h = b->h;
  tendon_state s = {.p = lb_hill_pose_of_reach(h, x)};
  s.f = lb_hill_fiber_at(h, b->a, s.p.l, b->pace * (s.p.l - b->from));
  s.t = lb_hill_tendon(h, b->L, x);
  s.r = s.f.f * s.p.cosine - s.t.y;
  s.slope = (s.f.by_l + s.f.by_v * b->pace) * s.p.cosine * s.p.cosine + s.f.f * s.p.bend +
            s.t.slope * h->fiber / h->slack;
  return s;
}

static double residual(const void* context, double x, double* slope) {
  const tendon_state s = evaluate(context, x);
  *slope = s.slope;
  return s.r;
}

lb_hill_force lb_hill_force_ahead(const lb_hill* h, double a, double from, double pace, double L,
                                  double Ldot, double guess) {
  if (!lb_hill_has_fiber(h)) {
    return lb_hill_force_rigid(h, a, L, Ldot, 0);
  }
  const tendon_balance b = {h, a, from / h->fiber, pace / h->speed, L};
  const double least = lb_hill_least_reach(h), slack = (L - h->slack) / h->fiber;
  const double before = lb_hill_pose_of_fiber(h, from).x;
  const double most = fmax(fmax(pace > 0 ? before : least, slack), least);
  const double start = lb_hill_pose_of_fiber(h, guess).x;
  int iterations = 0;
  const double x =
      lb_root(residual, &b, least, most, start, b.pace > 1 ? 1 / b.pace : 1, &iterations);
  const tendon_state s = evaluate(&b, x);
  const bool folded = x <= least && s.r > 0;
  const double k = !folded && s.slope > 0 ? 1 / s.slope : 0;
  const double stiffness = h->force * s.t.slope / h->slack, cosine = s.p.cosine;
  // x by L [1/m], by a and by the fibre before [1/m]
  const double x_L = k * s.t.slope / h->slack, x_a = -k * s.f.by_a * cosine,
               x_l = k * s.f.by_v * b.pace * cosine / h->fiber;
  return (lb_hill_force){.force = h->force * s.t.y,
                         .by_length = stiffness * (1 - h->fiber * x_L),
                         .by_a = -stiffness * h->fiber * x_a,
                         .by_l = -stiffness * h->fiber * x_l,
                         .fiber = h->fiber * s.p.l,
                         .fiber_by_length = h->fiber * cosine * x_L,
                         .fiber_by_a = h->fiber * cosine * x_a,
                         .fiber_by_l = h->fiber * cosine * x_l,
                         .speed = pace * h->fiber * (s.p.l - b.from),
                         .residual = s.r,
                         .iterations = iterations};
}
