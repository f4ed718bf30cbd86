// Millard's muscle: curves of quintic Bezier corners.
//                                    Millard, Uchida, Seth, Delp 2013, J. Biomech. Eng. 135
//
// Corners lie where OpenSim has them, so that its files mean the same here. The active curve has
// five: foot and top of the steep ascending limb, shoulder to the plateau, and both halves of the
// descending limb.
#include <math.h>
#include <stddef.h>

#include "math/muscle/hill_kind.h"

lb_millard_shape lb_millard_shape_default(bool invertible) {
  const double end = invertible ? 0.1 : 0;
  return (lb_millard_shape){.active = {0.4441, 0.73, 1, 1.8123},
                            .ascent = 0.8616,
                            .floor = end,
                            .velocity = {end, 0.25, 5, 0.15, end},
                            .eccentric = 1.4,
                            .curviness = {0.6, 0.9},
                            .passive = {0, 0.7, 0.2, 2 / 0.7},
                            .passive_curve = 0.75,
                            .tendon = {0.049, 1.375 / 0.049, 2.0 / 3},
                            .tendon_curve = 0.5};
}

static bool make_active(lb_corner_curve* curve, const lb_millard_shape* s) {
  const double x0 = s->active[0], x1 = s->active[1], x2 = s->active[2], x3 = s->active[3];
  const double half = 0.05 * x2;                        // half of the plateau's width
  const double y1 = 1 - s->ascent * ((x2 - half) - x1); // at the knee of the ascending limb
  const double middle = (x3 + x2 + half) / 2;           // of the descending limb
  const lb_corner_point point[] = {
      {x0, s->floor, 0},
      {(x0 + x1) / 2, y1 / 2, 1.25 * y1 / (x1 - x0)},
      {(x1 + x2 - half) / 2, (1 + y1) / 2, s->ascent},
      {x2, 1, 0},
      {middle, 0.5, -1 / (x3 - x2 - 2 * half)},
      {x3, s->floor, 0},
  };
  return lb_corner_curve_make(curve, 5, point, (double[]){1, 1, 1, 1, 1});
}

static bool make_velocity(lb_corner_curve* curve, const lb_millard_shape* s) {
  static const double NEAR = 0.9; // where the ends begin
  const double* slope = s->velocity;
  const double end = (1 - NEAR) / 2;
  const lb_corner_point point[] = {
      {-1, 0, slope[0]},
      {-NEAR, end * (slope[0] + slope[1]), slope[1]},
      {0, 1, slope[2]},
      {NEAR, s->eccentric - end * (slope[3] + slope[4]), slope[3]},
      {1, s->eccentric, slope[4]},
  };
  const double c = s->curviness[0], e = s->curviness[1];
  return lb_corner_curve_make(curve, 4, point, (double[]){c, c, e, e});
}

static bool make_passive(lb_corner_curve* curve, const lb_millard_shape* s) {
  const double zero = 1 + s->passive[0], iso = 1 + s->passive[1];
  const double low = s->passive[2], stiff = s->passive[3];
  const double toe = 0.1 * fmin(1 / stiff, iso - zero);
  const lb_corner_point point[] = {{zero, 0, 0}, {zero + toe, low * toe / 2, low}, {iso, 1, stiff}};
  return lb_corner_curve_make(curve, 2, point, (double[]){s->passive_curve, s->passive_curve});
}

static bool make_tendon(lb_corner_curve* curve, const lb_millard_shape* s) {
  const double strain = s->tendon[0], stiff = s->tendon[1], force = s->tendon[2];
  const double toe = strain + (force - 1) / stiff; // strain where the straight part begins
  const double foot = toe / 10;                    // where the toe's own line leaves no force
  const double half = toe - force / 2 / stiff;     // half its force, on the straight part's line
  const double slope = force / 2 / (half - foot), middle = (foot + half) / 2;
  const lb_corner_point point[] = {
      {1, 0, 0}, {1 + middle, slope * (middle - foot), slope}, {1 + toe, force, stiff}};
  return lb_corner_curve_make(curve, 2, point, (double[]){s->tendon_curve, s->tendon_curve});
}

bool lb_millard_curves(lb_hill_curves* c, const lb_millard_shape* shape, const char** what) {
  c->kind = LB_HILL_MILLARD;
  const char* wrong = !make_active(&c->active, shape)       ? "active"
                      : !make_velocity(&c->velocity, shape) ? "velocity"
                      : !make_passive(&c->passive, shape)   ? "passive"
                      : !make_tendon(&c->tendon, shape)     ? "tendon"
                                                            : NULL;
  if (what) {
    *what = wrong;
  }
  return !wrong;
}

static lb_curve_value active(const lb_hill_curves* c, double l) {
  return lb_corner_curve_at(&c->active, l);
}

static lb_curve_value velocity(const lb_hill_curves* c, double v) {
  return lb_corner_curve_at(&c->velocity, v);
}

static lb_curve_value passive(const lb_hill_curves* c, double l) {
  return lb_corner_curve_at(&c->passive, l);
}

static lb_curve_value tendon(const lb_hill_curves* c, double l) {
  return lb_corner_curve_at(&c->tendon, l);
}

static double velocity_inverse(const lb_hill_curves* c, double f) {
  return lb_corner_curve_inverse(&c->velocity, f);
}

static lb_curve_value slowing(double a) {
  (void)a;
  return (lb_curve_value){1, 0, 0};
}

const lb_hill_type lb_hill_millard = {.name = "millard",
                                      .speed = 10,
                                      .damping = 0.1,
                                      .rise = 0.01,
                                      .fall = 0.04,
                                      .active = active,
                                      .velocity = velocity,
                                      .passive = passive,
                                      .tendon = tendon,
                                      .velocity_inverse = velocity_inverse,
                                      .slowing = slowing};
