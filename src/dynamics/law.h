// How springs and cables answer being stretched: in proportion, by a power, or by a table. Powers
// and tables are of the stretch alone; damping is the business of the line (force_line.c).
#pragma once
#include "dynamics/switching.h"
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

lb_pull lb_law_pull(const lb_scene_law* law, double stiffness, double s);

// Has it kinks? Those next to a stretch. A law of zero slack has one at rest, a table those between
// its pieces, and a power one at rest unless it is an odd number.
bool lb_law_has_kinks(const lb_scene_law* law);
lb_switching lb_law_switching(const lb_scene_law* law, double s);

// The energy it takes to stretch from 0 to s.
double lb_law_energy(const lb_scene_law* law, double stiffness, double s);
