// Thelen's muscle.                                            Thelen 2003, J. Biomech. Eng. 125
//
//   f_l  = exp(-(l - 1)^2 / gamma)
//   f_pe = (exp(k (l - 1)/e0) - 1) / (exp(k) - 1)   where l > 1
//   f_se = 0.33 (exp(3 e/e_toe) - 1) / (exp(3) - 1) up to e_toe, then straight to 1 at the strain
//   e_o
//
// His force-velocity relation, v = (1/4 + 3/4 a) (F - a f_l)/b with b by F, solved for F, depends
// on v/(1/4 + 3/4 a) alone, and is in proportion to a f_l:
//
//   (1)  f_v = (1 + v)/(1 - v/A)            where v <= 0
//   (2)  f_v = (1 + c F v)/(1 + c v)        where v > 0, with c = (2 + 2/A)/(F - 1)
//
// OpenSim's muscle before version 3 (early) has a passive force below the optimal length, too,
// another tendon, and is half as fast at rest, where the first is a quarter as fast:
//
//   (3)  f_pe = exp(k ((l - 1)/e0 - 1)),  straight where l > 1 + e0
//   (4)  f_se = (exp(3 e/e_toe) - 1)/(3 (exp(3) - 1)) up to e_toe = 0.609 e_o, then straight with
//        the slope 1.712/e_o
//
// It goes on straight below 0 and above 0.95 F, as OpenSim does. The passive force does so where it
// is far beyond what a fibre bears, so that no number overflows.
#include <math.h>

#include "math/muscle/hill_kind.h"

static const double TOE = 0.33, TOE_EXPONENT = 3; // force at the toe's end, and its exponent
static const double ASYMPTOTE = 0.95;             // share of the eccentric limit that is curved
static const double LONGEST = 3; // strains of the passive curve until it is straight

lb_thelen_shape lb_thelen_shape_default(void) {
  return (lb_thelen_shape){.width = 0.45,
                           .passive = 5,
                           .passive_strain = 0.6,
                           .tendon_strain = 0.04,
                           .hyperbola = 0.25,
                           .eccentric = 1.4};
}

void lb_thelen_curves(lb_hill_curves* c, const lb_thelen_shape* shape) {
  c->kind = LB_HILL_THELEN;
  c->thelen = *shape;
}

static lb_curve_value active(const lb_hill_curves* c, double l) {
  const double g = c->thelen.width, s = l - 1, f = exp(-s * s / g), slope = -2 * s / g;
  return (lb_curve_value){f, slope * f, (slope * slope - 2 / g) * f};
}

// A exp(b s) - A over s >= 0, straight beyond `most`; 0 below.
static lb_curve_value exponential(double A, double b, double s, double most) {
  if (s <= 0) {
    return (lb_curve_value){0};
  }
  const double at = fmin(s, most), f = A * exp(b * at);
  return (lb_curve_value){f - A + b * f * (s - at), b * f, s > most ? 0 : b * b * f};
}

static lb_curve_value passive(const lb_hill_curves* c, double l) {
  const double k = c->thelen.passive, e = c->thelen.passive_strain;
  return exponential(1 / expm1(k), k / e, l - 1, LONGEST * e);
}

static lb_curve_value tendon(const lb_hill_curves* c, double l) {
  const double e3 = exp(TOE_EXPONENT), toe = 99 * c->thelen.tendon_strain * e3 / (166 * e3 - 67);
  return exponential(TOE / (e3 - 1), TOE_EXPONENT / toe, l - 1, toe);
}

// (2) up to the speed at which it has 0.95 F, which is returned.
static double fastest(double F, double c) {
  return (ASYMPTOTE * F - 1) / (c * F * (1 - ASYMPTOTE));
}

// (1 + p v)/(1 + q v) up to `most` and down to `least`, straight beyond.
static lb_curve_value hyperbola(double p, double q, double v, double least, double most) {
  const double at = fmin(fmax(v, least), most), d = 1 / (1 + q * at);
  const double slope = (p - q) * d * d;
  return (lb_curve_value){(1 + p * at) * d + slope * (v - at), slope,
                          v == at ? -2 * q * d * slope : 0};
}

static lb_curve_value velocity(const lb_hill_curves* curves, double v) {
  const double A = curves->thelen.hyperbola, F = curves->thelen.eccentric;
  const double c = (2 + 2 / A) / (F - 1);
  return v <= 0 ? hyperbola(1, -1 / A, v, -1, 0) : hyperbola(c * F, c, v, 0, fastest(F, c));
}

static double velocity_inverse(const lb_hill_curves* curves, double f) {
  const double A = curves->thelen.hyperbola, F = curves->thelen.eccentric;
  const double c = (2 + 2 / A) / (F - 1), most = fastest(F, c);
  if (f < 0) {
    return -1 + f / velocity(curves, -1).slope;
  }
  if (f <= 1) {
    return (f - 1) / (1 + f / A);
  }
  return f <= ASYMPTOTE * F ? (f - 1) / (c * (F - f))
                            : most + (f - ASYMPTOTE * F) / velocity(curves, most).slope;
}

static lb_curve_value slowing(double a) {
  return (lb_curve_value){0.25 + 0.75 * a, 0.75, 0};
}

const lb_hill_type lb_hill_thelen = {.name = "thelen",
                                     .speed = 10,
                                     .damping = 0,
                                     .rise = 0.015,
                                     .fall = 0.05,
                                     .active = active,
                                     .velocity = velocity,
                                     .passive = passive,
                                     .tendon = tendon,
                                     .velocity_inverse = velocity_inverse,
                                     .slowing = slowing};

// --- early ---

static lb_curve_value early_passive(const lb_hill_curves* c, double l) {
  const double k = c->thelen.passive, e = c->thelen.passive_strain;
  const double s = l - 1, at = fmin(s, e), f = exp(k * (at / e - 1)), slope = k / e * f;
  return (lb_curve_value){f + slope * (s - at), slope, s > e ? 0 : k / e * slope};
}

static lb_curve_value early_tendon(const lb_hill_curves* c, double l) {
  static const double PART = 0.609, SLOPE = 1.712;
  const double most = c->thelen.tendon_strain, toe = PART * most, e = l - 1;
  const lb_curve_value f = exponential(1.0 / (3 * expm1(TOE_EXPONENT)), TOE_EXPONENT / toe, e, toe);
  return e > toe ? (lb_curve_value){1.0 / 3 + SLOPE / most * (e - toe), SLOPE / most, 0} : f;
}

static lb_curve_value early_slowing(double a) {
  return (lb_curve_value){0.5 + 0.5 * a, 0.5, 0};
}

const lb_hill_type lb_hill_early = {.name = "thelen-early",
                                    .speed = 10,
                                    .damping = 0.05,
                                    .rise = 0.01,
                                    .fall = 0.04,
                                    .active = active,
                                    .velocity = velocity,
                                    .passive = early_passive,
                                    .tendon = early_tendon,
                                    .velocity_inverse = velocity_inverse,
                                    .slowing = early_slowing};
