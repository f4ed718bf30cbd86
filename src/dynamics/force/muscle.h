// Muscles: excitation, and first-order states of activation and fibre length, lb_data's x. The
// tension of a path comes from here; what it does to bodies is the affair of force_muscle.c.
//
// In between steps, and for explicit integrators, the states are what they are, and have slopes.
// In an implicit step they are found with the velocities, and eliminated: at the end of a stage
// with dt, from x0,
//
//   (1)  a = a0 + dt a'(a, u),   l = l0 + dt l'(a, l, L)
//
// are solved for each muscle by itself, for the path length L that Newton's method has, and the
// tension has the slopes by L and its rate that come of it. The step's own unknowns stay the
// velocities.
#pragma once
#include "base/carve.h"
#include "dynamics/tree/state.h"
#include "limber/derivative.h"
#include "limber/dynamics.h"
#include "math/muscle/hill.h"

// Tension of a path, with slopes.
typedef struct lb_tension {
  double force, by_length, by_rate;
  double by_excitation; // through the activation of (1), or at once
} lb_tension;

// Last evaluation of a muscle.
typedef struct lb_muscle_now {
  double length, rate; // of the path
  double excitation;
  lb_activation_rate activation; // in a step: its end, by its start and the excitation
  lb_hill_force hill;
  lb_tension tension;
} lb_muscle_now;

typedef struct lb_muscles {
  double dt;            // of the stage; 0: the states are what they are; INFINITY: equilibrium
  double* from;         // [nx] x0
  lb_muscle_now* now;   // [count]
  const double* given;  // [count] excitations, in place of the scene's; NULL: as that says
  bool idle;            // they exert nothing: for inverse dynamics
  bool unmeasured;      // of idle ones, lengths are not wanted either
  double soft;          // lb_hill_force_soft
  const bool* left_out; // [count] of those that are not there at all; NULL: none
  // [count] what they exert, whatever their states, where these are set
  const double *tension, *activation;
  struct lb_inertia_work* inertia; // NULL: none has mass
} lb_muscles;

// Their share of a data block; NULL when there are none or the carver only measures.
lb_muscles* lb_muscles_lay_out(lb_carver* c, const lb_model* m);

// Excitation of a muscle at d's time, q and qd.
double lb_muscle_excitation(const lb_model* m, const lb_data* d, int i);
// Tension of muscle i on a path of this length and rate. In a step d's x are set to its end.
lb_tension lb_muscle_tension(const lb_model* m, lb_data* d, int i, double length, double rate);

// Generalised force of a tension of one, g [nv], after lb_derive at d's state: minus the slope of
// the path's length by coordinates. Sets the last evaluation, too.
void lb_muscle_direction(const lb_derivatives* D, lb_data* d, int i, double* g);
// Refusal where tendons have coordinates of their own, in something that cannot know them.
lb_status lb_muscles_check_tendons(const lb_model* m, const char* what, lb_error* err);
// Lengths and tensions of all at d's q and qd.
void lb_muscles_update(const lb_model* m, lb_data* d);
// States of the start, of which some may not be known yet.
void lb_muscles_start(lb_data* d);
// States that are not known yet: activation as excited, fibre and tendon in equilibrium.
void lb_muscles_settle(const lb_model* m, lb_data* d);
// A stage of dt from x0 begins; it ends at d's q and qd, with d's x.
void lb_muscles_begin(lb_data* d, double dt, const double* x0);
void lb_muscles_end(const lb_model* m, lb_data* d);
// A stage that takes for ever begins: activations are excitations, or as the start has them where
// they are `given`, and fibres are in equilibrium with their tendons. Tensions are then functions
// of the paths' lengths alone, with slopes k_f k_t/(k_f + k_t) of fibre and tendon in series.
void lb_muscles_rest(lb_data* d, bool given);
// x0 as the weighted sum of states before; NULL: that of one.
void lb_muscles_begin_after(lb_data* d, double dt, int count, const double* weight,
                            const double* const* x);
// Slopes dx [nx] right after lb_forward, and states brought back into their ranges.
void lb_muscles_slopes(const lb_model* m, const lb_data* d, double* dx);
void lb_muscles_keep(const lb_model* m, lb_data* d);
