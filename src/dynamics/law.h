// How springs and cables answer being stretched: in proportion, by a power, or by a table. Powers
// and tables are of the stretch alone; damping is the business of the line (force_line.c).
#pragma once
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

// The energy it takes to stretch from 0 to s.
double lb_law_energy(const lb_scene_law* law, double stiffness, double s);
