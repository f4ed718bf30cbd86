// Forces of Hill-type muscles at a state.
#include "math/muscle/hill.h"

#include <math.h>
#include <stddef.h>

#include "math/muscle/hill_inside.h"
#include "math/muscle/hill_kind.h"

const lb_hill_type* const LB_HILL_TYPE[LB_HILL_COUNT] = {
    [LB_HILL_THELEN] = &lb_hill_thelen, [LB_HILL_MILLARD] = &lb_hill_millard};

lb_hill lb_hill_default(lb_hill_model kind, double force, double fiber, double slack) {
  const lb_hill_type* type = LB_HILL_TYPE[kind];
  return (lb_hill){.kind = kind,
                   .force = force,
                   .fiber = fiber,
                   .slack = slack,
                   .speed = type->speed,
                   .damping = type->damping,
                   .rise = type->rise,
                   .fall = type->fall,
                   .least = 0.01};
}

// --- pennation ---

// Least x over l_o: 0.1 of the longest of those fibres, or a hundredth where they lie along it.
double lb_hill_least_reach(const lb_hill* h) {
  static const double COSINE = 0.1, SHORTEST = 0.01;
  return fmax(SHORTEST, h->width * COSINE / sqrt(1 - COSINE * COSINE));
}

lb_hill_pose lb_hill_pose_of_reach(const lb_hill* h, double x) {
  const double w = h->width, l = sqrt(x * x + w * w);
  return (lb_hill_pose){.x = x, .l = l, .cosine = x / l, .bend = w * w / (l * l * l)};
}

lb_hill_pose lb_hill_pose_of_fiber(const lb_hill* h, double fiber) {
  const double w = h->width, l = fiber / h->fiber;
  return lb_hill_pose_of_reach(h, fmax(sqrt(fmax(l * l - w * w, 0)), lb_hill_least_reach(h)));
}

double lb_hill_shortest(const lb_hill* h) {
  return h->fiber * lb_hill_pose_of_reach(h, lb_hill_least_reach(h)).l;
}

// --- fibre ---

lb_hill_fiber lb_hill_fiber_at(const lb_hill* h, double a, double l, double v) {
  const lb_hill_type* type = LB_HILL_TYPE[h->kind];
  const lb_hill_curves* c = h->curves;
  const lb_curve_value s = type->slowing(a), fl = type->active(c, l), fp = type->passive(c, l);
  const lb_curve_value fv = type->velocity(c, v / s.y);
  const double active = a * fl.y * fv.y, by_s = a * fl.y * fv.slope / s.y;
  return (lb_hill_fiber){.f = active + fp.y + h->damping * v,
                         .by_a = fl.y * fv.y - by_s * s.slope * v / s.y,
                         .by_l = a * fl.slope * fv.y + fp.slope,
                         .by_v = by_s + h->damping,
                         .active = active,
                         .passive = fp.y};
}

// --- rigid tendons ---

// A muscle does not push: 0 where f < 0. Where `soft` is not 0 that has no kink. It is exact beyond
// -soft and soft, with two continuous derivatives:
//
//   (f + s)^3 (3 s - f) / (16 s^3)
static lb_hill_fiber pull_alone(lb_hill_fiber f, double soft) {
  if (f.f >= soft && f.f > 0) {
    return f;
  }
  if (f.f <= -soft) {
    return (lb_hill_fiber){0};
  }
  const double s = soft, y = (f.f + s) / (2 * s), slope = y * y * (3 - 2 * y);
  return (lb_hill_fiber){.f = s * y * y * y * (2 - y),
                         .by_a = slope * f.by_a,
                         .by_l = slope * f.by_l,
                         .by_v = slope * f.by_v};
}

// F = f cos(phi) with x = L - slack and v = Ldot cos(phi). On paths shorter than the shortest fibre
// it falls to zero with x.
lb_hill_force lb_hill_force_rigid(const lb_hill* h, double a, double L, double Ldot, double soft) {
  const double x = (L - h->slack) / h->fiber, least = lb_hill_least_reach(h);
  const bool folded = x < least;
  const lb_hill_pose p = lb_hill_pose_of_reach(h, fmax(x, least));
  const double speed = 1 / (h->speed * h->fiber), v = Ldot * p.cosine * speed;
  const lb_hill_fiber f = pull_alone(lb_hill_fiber_at(h, a, p.l, v), soft);
  const double taper = folded ? fmax(x, 0) / least : 1, F = h->force * taper;
  lb_hill_force out = {
      .fiber = p.l * h->fiber, .speed = Ldot * p.cosine, .fiber_by_length = folded ? 0 : p.cosine};
  if (f.f <= 0) {
    return out;
  }
  out.force = F * f.f * p.cosine;
  out.by_rate = F * f.by_v * p.cosine * p.cosine * speed;
  out.by_a = F * f.by_a * p.cosine;
  if (!folded) {
    const double f_x = f.by_l * p.cosine + f.by_v * Ldot * speed * p.bend;
    out.by_length = F * (f_x * p.cosine + f.f * p.bend) / h->fiber;
  } else if (x > 0) {
    out.by_length = h->force * f.f * p.cosine / (least * h->fiber);
  }
  return out;
}

lb_hill_parts lb_hill_parts_at(const lb_hill* h, double L, double Ldot) {
  const double x = (L - h->slack) / h->fiber;
  const lb_hill_pose p = lb_hill_pose_of_reach(h, fmax(x, lb_hill_least_reach(h)));
  const double v = Ldot * p.cosine / (h->speed * h->fiber);
  const lb_hill_fiber f = lb_hill_fiber_at(h, 1, p.l, v);
  return (lb_hill_parts){fmax(f.active, 0) * p.cosine * h->force, f.passive * p.cosine * h->force};
}

// --- elastic tendons ---

lb_curve_value lb_hill_tendon(const lb_hill* h, double L, double x) {
  return LB_HILL_TYPE[h->kind]->tendon(h->curves, (L - x * h->fiber) / h->slack);
}

lb_curve_value lb_hill_tendon_at(const lb_hill* h, double slack, double u) {
  const lb_curve_value t = LB_HILL_TYPE[h->kind]->tendon(h->curves, 1 + u / slack);
  return (lb_curve_value){.y = h->force * t.y, .slope = h->force * t.slope / slack};
}

lb_curve_value lb_hill_stretch(const lb_hill* h, double L, double l) {
  const lb_hill_pose p = lb_hill_pose_of_fiber(h, l);
  return (lb_curve_value){.y = L - h->slack - p.x * h->fiber, .slope = -1 / p.cosine};
}

lb_hill_force lb_hill_force_soft(const lb_hill* h, double a, double l, double L, double Ldot,
                                 double soft) {
  if (!lb_hill_has_fiber(h)) {
    return lb_hill_force_rigid(h, a, L, Ldot, soft);
  }
  const lb_hill_pose p = lb_hill_pose_of_fiber(h, l);
  const lb_curve_value t = lb_hill_tendon(h, L, p.x);
  const double stiffness = h->force * t.slope / h->slack;
  return (lb_hill_force){.force = h->force * t.y,
                         .by_length = stiffness,
                         .by_l = -stiffness / p.cosine,
                         .fiber = p.l * h->fiber,
                         .fiber_by_l = 1};
}

lb_hill_force lb_hill_force_at(const lb_hill* h, double a, double l, double L, double Ldot) {
  return lb_hill_force_soft(h, a, l, L, Ldot, 0);
}

// Speed at which the fibre bears `wanted`, without the passive part: P f_v(v/s) + beta v = wanted.
typedef struct fiber_balance {
  const lb_hill* h;
  double P, s, wanted;
} fiber_balance;

static double balance(const void* context, double v, double* slope) {
  const fiber_balance* b = context;
  const lb_curve_value fv = LB_HILL_TYPE[b->h->kind]->velocity(b->h->curves, v / b->s);
  *slope = b->P * fv.slope / b->s + b->h->damping;
  return b->P * fv.y + b->h->damping * v - b->wanted;
}

static double find_speed(const fiber_balance* b) {
  if (b->h->damping <= 0) {
    const double f = b->P > 0 ? b->wanted / b->P : 1;
    return b->s * LB_HILL_TYPE[b->h->kind]->velocity_inverse(b->h->curves, f);
  }
  // damping alone bears more than all that is asked for
  const double most = 1 + (fabs(b->wanted) + b->P) / b->h->damping;
  return lb_root(balance, b, -most, most, 0, 1, NULL);
}

lb_fiber_speed lb_hill_fiber_speed(const lb_hill* h, double a, double l, double L) {
  const lb_hill_type* type = LB_HILL_TYPE[h->kind];
  const lb_hill_pose p = lb_hill_pose_of_fiber(h, l);
  const lb_curve_value t = lb_hill_tendon(h, L, p.x), s = type->slowing(a);
  const lb_curve_value fl = type->active(h->curves, p.l), fp = type->passive(h->curves, p.l);
  const fiber_balance b = {h, a * fl.y, s.y, t.y / p.cosine - fp.y};
  const double v = find_speed(&b);
  if (v < 0 && l <= lb_hill_shortest(h)) {
    return (lb_fiber_speed){0};
  }
  // by the implicit function theorem, f(a, l, v) = t/cos
  const lb_hill_fiber f = lb_hill_fiber_at(h, a, p.l, v);
  const double unit = h->speed * h->fiber, k = f.by_v > 0 ? 1 / f.by_v : 0;
  const double by_x =
      -t.slope * h->fiber / h->slack / p.cosine - t.y * p.bend / (p.cosine * p.cosine); // of t/cos
  return (lb_fiber_speed){
      .speed = unit * v,
      .by_a = -unit * k * f.by_a,
      .by_l = h->speed * k * (by_x / p.cosine - f.by_l),
      .by_length = unit * k * t.slope / (h->slack * p.cosine),
  };
}

lb_fiber_balance lb_hill_balance(const lb_hill* h, double a, double l, double speed, double L) {
  const lb_hill_pose p = lb_hill_pose_of_fiber(h, l);
  const double unit = h->speed * h->fiber;
  const lb_hill_fiber f = lb_hill_fiber_at(h, a, p.l, speed / unit);
  const lb_curve_value t = lb_hill_tendon(h, L, p.x);
  const double by_x = f.by_l * p.cosine * p.cosine + f.f * p.bend + t.slope * h->fiber / h->slack;
  return (lb_fiber_balance){.residual = f.f * p.cosine - t.y,
                            .by_a = f.by_a * p.cosine,
                            .by_l = l > lb_hill_shortest(h) ? by_x / (p.cosine * h->fiber) : 0,
                            .by_speed = f.by_v * p.cosine / unit,
                            .by_length = -t.slope / h->slack};
}
