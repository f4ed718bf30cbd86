// Parts of Hill-type muscles that hill.c and hill_ahead.c share.
#pragma once
#include "math/muscle/hill.h"

// Fibre at an angle, over l_o.
typedef struct lb_hill_pose {
  double x;      // its part along the tendon
  double l;      // its length
  double cosine; // of the angle: dl/dx
  double bend;   // of it by x
} lb_hill_pose;

lb_hill_pose lb_hill_pose_of_reach(const lb_hill* h, double x);
lb_hill_pose lb_hill_pose_of_fiber(const lb_hill* h, double fiber);
double lb_hill_least_reach(const lb_hill* h);

// f_se of a path of length L.
lb_curve_value lb_hill_tendon(const lb_hill* h, double L, double x);

lb_hill_force lb_hill_force_rigid(const lb_hill* h, double a, double L, double Ldot, double soft);

// Root of a function that is not above zero at `low` and not below at `high`, from x, by Newton's
// method with bisection where it leaves the bracket or is slow. Function and slope at x, both of
// which change little over `scale`.
typedef double lb_root_function(const void* context, double x, double* slope);
double lb_root(lb_root_function* function, const void* context, double low, double high, double x,
               double scale, int* iterations);
