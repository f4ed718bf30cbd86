// Lines that pull, as force_tension.c and force_tension_stiffness.c share them.
#pragma once
#include "dynamics/force/force.h"
#include "dynamics/force/force_curve.h"

enum { LB_LINE_MOST = LB_CABLE_MOST_POINTS };

typedef struct lb_line {
  int count; // of points
  const lb_anchor* at;
  const lb_force_curve* force_curve;
  double stiffness, damping, length;
} lb_line;

lb_line lb_spring_line(const lb_model* m, int i);
lb_line lb_cable_line(const lb_model* m, int i);

// What a line does at the moment.
typedef struct lb_line_pull {
  lb_force_point p[LB_LINE_MOST];
  lb_v4 e[LB_LINE_MOST]; // of the pieces; zero for one of no length, whose direction is not defined
  double l[LB_LINE_MOST]; // their lengths
  double stretch;         // of the whole
  double F;               // tension
  double slope;           // of F by the length
  double damping;         // of F by its rate
} lb_line_pull;

void lb_line_find(lb_line_pull* p, const lb_line* c, lb_work* w);

// Where the pull on point i goes: e_i - e_(i-1).
lb_v4 lb_line_direction(const lb_line* c, const lb_v4* e, int i);

// Motions of the points with each coordinate, and the changes of the forces on them: arrays of nv.
typedef struct lb_line_motions {
  lb_motion *S[LB_LINE_MOST], *psi[LB_LINE_MOST], *change[LB_LINE_MOST];
} lb_line_motions;

lb_line_motions lb_line_take_motions(const lb_derivatives* D, int count);
void lb_line_apply(lb_derivatives* D, double* K, const lb_line_motions* m, int count);

// A spring along a direction.
typedef struct lb_directed_spring {
  lb_force_point a, b; // both where b is
  lb_v4 e;             // in the world
  lb_v4 y;             // velocity of b seen from a's point there
  double stretch, F, slope;
} lb_directed_spring;

bool lb_spring_is_directed(const lb_scene_spring* s);
lb_directed_spring lb_directed_spring_find(const lb_model* m, lb_work* w, int i);

// lb_force's functions.
void lb_springs_stiffen(lb_derivatives* D, lb_data* d);
void lb_cables_stiffen(lb_derivatives* D, lb_data* d);
