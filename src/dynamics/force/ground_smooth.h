// Normal force of a smooth ground, for searches that need second derivatives: contact comes and
// goes over a depth w, and what leaves is let go over a speed u. With g(x) = (1 + tanh x)/2, the
// depth s, which is negative above the plane, and the speed y of sinking in,
//
//   (1)  F(s) = k (s^2 + 0.9 w^2)^(e/2) g(s/w)
//   (2)  N = F(s) (1 + c y) g((y + 1/c)/u)
//
// which is the smooth Hunt-Crossley force of Serrancoli et al., Subject-exoskeleton contact model
// calibration leads to accurate interaction force predictions, IEEE Trans. Neural Syst. Rehabil.
// Eng. 27, 2019, as OpenSim has it. There 0.9 w^2 is 1e-5 m^2, which is the same at OpenSim's own
// w = 1/300 m, and here in proportion to the size of things.
#pragma once
#include "dynamics/force/force_curve.h"

// (1) and its slope by s.
lb_pull lb_ground_smooth_pull(const lb_scene_force* set, double depth);
// Factor of F in (2), and its slope by y.
lb_pull lb_ground_smooth_damping(const lb_scene_force* set, double sinking);
// Integral of (1) from far above.
double lb_ground_smooth_energy(const lb_scene_force* set, double depth);
// Depth, less than 0, from which on (1) is below rounding.
double lb_ground_smooth_far(const lb_scene_force* set);
