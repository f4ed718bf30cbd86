// Free bodies between steps of linearly implicit Euler. Their velocities are twists in their own
// axes, which turn within a step by h w. To first order that is a force, w x m v and w x I w; where
// bodies roll and hit each other this error, h w^2 v / 2 a second, is larger than their weight. So a
// step is solved for velocities (w', v') in the axes that it begins with, without these forces, and
// what comes out is turned into those of its end:
//
//   (1)  R1 = R0 exp(h w'),   E = R1'R0,   I w1 = E I w',   v1 = E v'
//
// I and v about the centre of mass: momentum is kept to rounding.
#pragma once
#include "dynamics/tree/state.h"
#include "model/use/link.h"
#include "limber/dynamics.h"

// Take the forces of turning axes out of r [nv], the residual of inverse dynamics at d's velocities.
void lb_free_axes_remove(const lb_model* m, const lb_data* d, double* r);
// After lb_advance by `move` [nv] from q0, places of these bodies by their centres of mass.
void lb_free_axes_place(const lb_model* m, const double* q0, const double* move, double h,
                        double* q);
// (1) for velocities qd [nv]; `move` [nv] are those by which the axes turned.
void lb_free_axes_turn(const lb_model* m, const double* move, double h, double* qd);
