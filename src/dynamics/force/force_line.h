// Lines that pull their points together with one tension: lb_force_type's functions for all kinds
// that have a force curve.
#pragma once
#include "dynamics/force/force_kind.h"

// Tension of springs and cables, which is that of their stretch, and their energy.
lb_pull lb_stretch_pull(const lb_scene_force* set, double stiffness, double length);
double lb_stretch_energy(const lb_scene_force* set, double length);
// Derivative of the tension by a number: it is linear in stiffness and damping, and falls with rest
// length.
double lb_tension_by(lb_spring_number number, const lb_model_force* f, double length, double rate,
                     double slope);

void lb_line_apply(const lb_model_force* f, lb_work* w);
double lb_line_energy(const lb_model_force* f, lb_work* w);
void lb_line_differentiate(lb_derivatives* D, lb_work* w, const lb_model_force* f, bool symmetric);
void lb_line_measure(const lb_model_force* f, lb_channel_walk* w);
// Tension and length as channels.
void lb_line_put(lb_channel_walk* w, const lb_model_force* f, double tension, double length);
int lb_line_switching(const lb_model_force* f, lb_work* w, lb_switching* out);
double lb_line_by_number(const lb_derivatives* D, lb_work* w, const lb_model_force* f,
                         lb_spring_number number, const double* mu);

// A line through points, at a state; the tension is to be set.
typedef struct lb_line {
  int count; // of points
  lb_force_point p[LB_CABLE_MOST_POINTS];
  // of the pieces; zero for one of no length, whose direction is not defined
  lb_v4 e[LB_CABLE_MOST_POINTS];
  double l[LB_CABLE_MOST_POINTS]; // their lengths
  double length, rate;
  double F;       // tension
  double slope;   // of F by the length
  double damping; // of F by its rate
} lb_line;

void lb_line_find(lb_line* p, int count, const lb_anchor* at, lb_work* w);
// Its forces on links, and their derivatives.
void lb_line_pull(const lb_line* p);
void lb_line_derive(lb_derivatives* D, const lb_line* p, bool symmetric);
// Power of one more of F, for velocities mu [nv].
double lb_line_power(const lb_derivatives* D, const lb_line* p, const double* mu);

// Motions of the points with each coordinate, and the changes of the forces on them: arrays of nv.
typedef struct lb_line_motions {
  lb_motion *S[LB_CABLE_MOST_POINTS], *psi[LB_CABLE_MOST_POINTS], *change[LB_CABLE_MOST_POINTS];
} lb_line_motions;

// S and psi of `count` points, and room for the changes; these added to K.
lb_line_motions lb_line_move(const lb_derivatives* D, int count, const lb_force_point* p);
void lb_line_add(lb_derivatives* D, double* K, const lb_line_motions* m, int count);
