// Hyper-reduced coordinates, [red] eq. 4.84 to 4.86: couplings of fixed ratio leave fewer
// velocities, qd = P u, and matrices A and right-hand sides b of velocities become P'A P and P'b.
// The unknowns that are left stand first, without gaps.
#pragma once
#include "limber/dynamics.h"

// Number of coordinates left of ndense; models with nodes beyond them have no gears.
int lb_elimination_left(const lb_model* m);
// A [nv][nv] to P'A P, by rows or columns, and b [nv] to P'b; u to P u [nv]. In place.
void lb_elimination_reduce(const lb_model* m, double* A);
void lb_elimination_gather(const lb_model* m, double* b);
void lb_elimination_spread(const lb_model* m, double* u);
// Changes [nv] of states: those of coordinates held follow from the others; the transpose.
void lb_elimination_follow(const lb_model* m, double* x);
void lb_elimination_fold(const lb_model* m, double* x);
// Put coordinates that couplings say where they say, and their velocities, too.
void lb_elimination_hold(const lb_model* m, lb_data* d);
// Largest gap of the couplings.
double lb_elimination_gap(const lb_model* m, const lb_data* d);
// Multipliers of the couplings, [geared], for forces r [nv] on the coordinates they hold.
void lb_elimination_multipliers(const lb_model* m, double* lambda, const double* r);
