// Force curves: force of a spring or cable over its stretch, in proportion, by a power, or by a
// table. Powers and tables are of the stretch alone; damping is the business of the line
// (force_line.c).
#pragma once
#include "dynamics/force/switching.h"
#include "limber/scene.h"

// The numbers of a spring: on a line, a joint or a joint that closes a loop.
typedef enum lb_spring_number {
  LB_SPRING_STIFFNESS,
  LB_SPRING_DAMPING,
  LB_SPRING_REST
} lb_spring_number;

// Force of a stretch s and its slope by s.
typedef struct lb_pull {
  double force, slope;
} lb_pull;

lb_pull lb_force_curve_pull(const lb_force_curve* force_curve, double stiffness, double s);

// Kinks of a force curve, and those next to a stretch. A force curve with slack has one at its rest
// length, a table those between its pieces, and a power one there unless it is an odd number.
bool lb_force_curve_has_kinks(const lb_force_curve* force_curve);
lb_switching lb_force_curve_switching(const lb_force_curve* force_curve, double s);

// The energy it takes to stretch from 0 to s.
double lb_force_curve_energy(const lb_force_curve* force_curve, double stiffness, double s);
