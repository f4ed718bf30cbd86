#include "dynamics/force/force_curve.h"

#include <math.h>

// The piece of a table that holds for s: the first or the last one beyond its ends.
static int piece(const lb_force_curve* force_curve, double s) {
  int i = 0;
  while (i < force_curve->count - 2 && s > force_curve->stretch[i + 1]) {
    i++;
  }
  return i;
}

static lb_pull by_table(const lb_force_curve* force_curve, double s) {
  const int i = piece(force_curve, s);
  const double slope = (force_curve->force[i + 1] - force_curve->force[i]) /
                       (force_curve->stretch[i + 1] - force_curve->stretch[i]);
  return (lb_pull){force_curve->force[i] + slope * (s - force_curve->stretch[i]), slope};
}

// From the table's first stretch to s, each piece being a trapezium.
static double area(const lb_force_curve* force_curve, double s) {
  const int last = piece(force_curve, s);
  double sum = 0;
  for (int i = 0; i < last; i++) {
    sum += 0.5 * (force_curve->force[i] + force_curve->force[i + 1]) *
           (force_curve->stretch[i + 1] - force_curve->stretch[i]);
  }
  return sum + 0.5 * (force_curve->force[last] + by_table(force_curve, s).force) *
                   (s - force_curve->stretch[last]);
}

lb_pull lb_force_curve_pull(const lb_force_curve* force_curve, double stiffness, double s) {
  if (force_curve->slack && !(s > 0)) {
    return (lb_pull){0, 0};
  }
  if (force_curve->count > 0) {
    return by_table(force_curve, s);
  }
  if (force_curve->exponent > 1) { // k s |s|^(n-1), of slope n k |s|^(n-1)
    const double n = force_curve->exponent, k = stiffness * pow(fabs(s), n - 1);
    return (lb_pull){k * s, n * k};
  }
  return (lb_pull){stiffness * s, stiffness};
}

static bool has_kink_at_rest(const lb_force_curve* force_curve) {
  return force_curve->slack || (force_curve->count == 0 && force_curve->exponent > 1 &&
                                fmod(force_curve->exponent, 2) != 1);
}

bool lb_force_curve_has_kinks(const lb_force_curve* force_curve) {
  return force_curve->count > 2 || has_kink_at_rest(force_curve);
}

lb_switching lb_force_curve_switching(const lb_force_curve* force_curve, double s) {
  lb_switching at = lb_switching_smooth(s);
  for (int i = 1; i < force_curve->count - 1; i++) {
    lb_switching_kink(&at, force_curve->stretch[i]);
  }
  if (has_kink_at_rest(force_curve)) {
    lb_switching_kink(&at, 0);
  }
  if (force_curve->count == 0 && fmod(force_curve->exponent, 1) != 0 &&
      (s > 0 || !force_curve->slack)) {
    lb_switching_kink(&at, s > 0 ? s / 2 : 2 * s); // a power is as smooth as it is far from rest
    at.upper = fmin(at.upper, s > 0 ? 2 * s : s / 2);
  }
  return at;
}

double lb_force_curve_energy(const lb_force_curve* force_curve, double stiffness, double s) {
  if (force_curve->slack && !(s > 0)) {
    return 0;
  }
  if (force_curve->count > 0) {
    return area(force_curve, s) - area(force_curve, 0);
  }
  if (force_curve->exponent > 1) {
    return stiffness * pow(fabs(s), force_curve->exponent + 1) / (force_curve->exponent + 1);
  }
  return 0.5 * stiffness * s * s;
}
