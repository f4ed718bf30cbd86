#include "dynamics/force/ground_smooth.h"

#include <math.h>

static const double ROUND = 0.9; // epsilon^2 over w^2
static const double FAR = 20;    // g(-20) = 4e-18

// (1 + tanh x)/2 without its difference; g' = 2 g (1 - g).
static double rise(double x) {
  return 1 / (1 + exp(-2 * x));
}

static double exponent_of(const lb_scene_force* set) {
  return set->force_curve.exponent > 1 ? set->force_curve.exponent : 1;
}

double lb_ground_smooth_far(const lb_scene_force* set) {
  return -FAR * set->smooth;
}

lb_pull lb_ground_smooth_pull(const lb_scene_force* set, double s) {
  const double w = set->smooth, e = exponent_of(set), g = rise(s / w);
  const double square = s * s + ROUND * w * w;
  const double F = set->stiffness * pow(square, e / 2) * g;
  return (lb_pull){F, F * (e * s / square + 2 * (1 - g) / w)};
}

lb_pull lb_ground_smooth_damping(const lb_scene_force* set, double y) {
  const double c = set->dissipation, u = set->smooth_speed;
  if (c == 0) {
    return (lb_pull){1, 0};
  }
  const double g = rise((y + 1 / c) / u), left = 1 + c * y;
  return (lb_pull){left * g, c * g + left * 2 * g * (1 - g) / u};
}

// There is no closed form. With s = w sinh t the integrand is smooth on the scale of 1, wherever s
// is: Gauss and Legendre's rule of five points on pieces of 1/8.
double lb_ground_smooth_energy(const lb_scene_force* set, double s) {
  static const double AT[3] = {0, 0.53846931010568309, 0.90617984593866399},
                      WEIGHT[3] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
  static const double PIECE = 0.125;
  const double w = set->smooth, first = asinh(-FAR), last = asinh(s / w);
  const int pieces = last > first ? (int)ceil((last - first) / PIECE) : 0;
  double sum = 0;
  for (int i = 0; i < pieces; i++) {
    const double half = (last - first) / (2 * pieces), middle = first + (2 * i + 1) * half;
    for (int k = -2; k <= 2; k++) {
      const double t = middle + (k < 0 ? -1 : 1) * half * AT[k < 0 ? -k : k];
      sum += WEIGHT[k < 0 ? -k : k] * half * w * cosh(t) *
             lb_ground_smooth_pull(set, w * sinh(t)).force;
    }
  }
  return sum;
}
