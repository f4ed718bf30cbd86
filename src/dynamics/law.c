#include "dynamics/law.h"

#include <math.h>

// The piece of a table that holds for s: the first or the last one beyond its ends.
static int piece(const lb_scene_law* law, double s) {
  int i = 0;
  while (i < law->count - 2 && s > law->stretch[i + 1]) {
    i++;
  }
  return i;
}

static lb_pull by_table(const lb_scene_law* law, double s) {
  const int i = piece(law, s);
  const double slope =
      (law->force[i + 1] - law->force[i]) / (law->stretch[i + 1] - law->stretch[i]);
  return (lb_pull){law->force[i] + slope * (s - law->stretch[i]), slope};
}

// From the table's first stretch to s, each piece being a trapezium.
static double area(const lb_scene_law* law, double s) {
  const int last = piece(law, s);
  double sum = 0;
  for (int i = 0; i < last; i++) {
    sum += 0.5 * (law->force[i] + law->force[i + 1]) * (law->stretch[i + 1] - law->stretch[i]);
  }
  return sum + 0.5 * (law->force[last] + by_table(law, s).force) * (s - law->stretch[last]);
}

lb_pull lb_law_pull(const lb_scene_law* law, double stiffness, double s) {
  if (law->slack && !(s > 0)) {
    return (lb_pull){0, 0};
  }
  if (law->count > 0) {
    return by_table(law, s);
  }
  if (law->exponent > 1) { // k s |s|^(n-1), of slope n k |s|^(n-1)
    const double n = law->exponent, k = stiffness * pow(fabs(s), n - 1);
    return (lb_pull){k * s, n * k};
  }
  return (lb_pull){stiffness * s, stiffness};
}

static bool has_kink_at_rest(const lb_scene_law* law) {
  return law->slack || (law->count == 0 && law->exponent > 1 && fmod(law->exponent, 2) != 1);
}

bool lb_law_has_kinks(const lb_scene_law* law) {
  return law->count > 2 || has_kink_at_rest(law);
}

lb_switching lb_law_switching(const lb_scene_law* law, double s) {
  lb_switching at = lb_switching_smooth(s);
  for (int i = 1; i < law->count - 1; i++) {
    lb_switching_kink(&at, law->stretch[i]);
  }
  if (has_kink_at_rest(law)) {
    lb_switching_kink(&at, 0);
  }
  return at;
}

double lb_law_energy(const lb_scene_law* law, double stiffness, double s) {
  if (law->slack && !(s > 0)) {
    return 0;
  }
  if (law->count > 0) {
    return area(law, s) - area(law, 0);
  }
  if (law->exponent > 1) {
    return stiffness * pow(fabs(s), law->exponent + 1) / (law->exponent + 1);
  }
  return 0.5 * stiffness * s * s;
}
