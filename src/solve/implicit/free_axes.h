// Free bodies whose axes turn within a step. Their velocities are twists in their own axes, which
// turn by h w. To first order that is a force, w x m v and w x I w; where bodies roll and hit each
// other this error, h w^2 v / 2 a second, is larger than their weight. So steps leave these forces
// out, and turn velocities themselves from the axes of R0 into those of R1:
//
//   (1)  E = R1'R0,   I w1 = E I w0,   v1 = E v0
//
// I and v about the centre of mass: momentum is kept to rounding. Linearly implicit Euler is solved
// for velocities in the axes that a step begins with, and turns them at its end; implicit Euler
// turns those that it began with.
#pragma once
#include "dynamics/tree/state.h"
#include "limber/dynamics.h"
#include "model/use/link.h"

// Take the forces of turning axes out of r [nv], the residual of inverse dynamics at d's
// velocities; the same for links [first, last).
void lb_free_axes_remove(const lb_model* m, const lb_data* d, double* r);
void lb_free_axes_remove_links(const lb_model* m, const lb_data* d, int first, int last, double* r);
// The end of a step from q0, which is d's place still: lb_advance by `move` [nv], these bodies by
// their centres of mass, and (1) for d's velocities.
void lb_free_axes_end(const lb_model* m, lb_data* d, const double* q0, const double* move,
                      double h);
// (1) for velocities v [nv], from the poses q0 to q1.
void lb_free_axes_turn(const lb_model* m, const double* q0, const double* q1, double* v);

// --- derivatives (free_axes_derivative.c) ---

// Of the end of a free body by its start: place and velocity, 12, by place, `move` and the velocity
// before it turns, 18.
typedef struct lb_free_axes_slopes {
  double by[12][18];
} lb_free_axes_slopes;

// Changes of what the ends come from, or what something changes by them, [nv] each.
typedef struct lb_free_axes_change {
  double *q, *move, *u;
} lb_free_axes_change;

// C [nv][nv] -= the derivative by v of what lb_free_axes_remove takes out.
void lb_free_axes_remove_slopes(const lb_model* m, const double* v, double* C);
// Derivatives of lb_free_axes_end, [nlink], of velocities u.
void lb_free_axes_differentiate(const lb_model* m, const double* move, const double* u, double h,
                                lb_free_axes_slopes* out);
// The bodies' share of changes q and v of the end.
void lb_free_axes_pass(const lb_model* m, const lb_free_axes_slopes* S,
                       const lb_free_axes_change* x, double* q, double* v);
// The transpose: what is by the bodies' ends, taken out of q and v, is added to x.
void lb_free_axes_return(const lb_model* m, const lb_free_axes_slopes* S,
                         const lb_free_axes_change* x, double* q, double* v);
