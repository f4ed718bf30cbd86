// Attraction between two points by the inverse square of their distance r, as of masses, charges
// of opposite sign or, roughly, magnets. With a softening length a, which keeps it finite where the
// points meet (Plummer 1911),
//
//   F = k r / (r^2 + a^2)^(3/2),   dF/dr = k (a^2 - 2 r^2) / (r^2 + a^2)^(5/2),   E = -k / sqrt(r^2
//   + a^2)
//
// It is a line between two points (force_line.c); k is the force's `stiffness`, a its `length`.
#include <math.h>

#include "dynamics/force/force_line.h"

static lb_pull pull(const lb_scene_force* set, double strength, double length) {
  const double a = set->length, square = length * length + a * a;
  if (!(square > 0)) { // at one place it has no direction
    return (lb_pull){0, 0};
  }
  const double cube = square * sqrt(square);
  return (lb_pull){strength * length / cube,
                   strength * (a * a - 2 * length * length) / (cube * square)};
}

static double energy(const lb_scene_force* set, double length) {
  return -set->stiffness / hypot(length, set->length);
}

static const lb_line_curve curve = {pull, energy};

const lb_force_type lb_attraction_force = {.apply = lb_line_apply,
                                           .energy = lb_line_energy,
                                           .differentiate = lb_line_differentiate,
                                           .by_number = lb_line_by_number,
                                           .measure = lb_line_measure,
                                           .curve = &curve};
