// A stepper as a table of functions; one file each. The state y is (q, qd, x).
#pragma once
#include "base/arena.h"
#include "limber/simulate.h"
#include "model/use/elastic_steps.h"
#include "solve/explicit/tableau.h"
#include "solve/step/step_derivative.h"

// Told of each stage that was found, at its end, with what it came from: for derivatives. A step
// that had to be divided comes in its parts, and an impact after the stage that ends with it. A
// change of charts comes before a step.
typedef void lb_step_watcher(void* context, const lb_data* d, const lb_step_past* past);

typedef struct lb_stepper_type {
  // Take what the stepper needs; on failure nothing is left to release but the arena.
  lb_status (*create)(lb_stepper* st, lb_error* err);
  void (*release)(lb_stepper* st); // NULL: the arena is all
  // Advance d by h from d->time; the result is checked and normalised by the caller. false: no step
  // was found.
  bool (*step)(lb_stepper* st, lb_data* d, double h);
  // Forces of the motors at d's state, after which poses and energies may be read; NULL: by
  // lb_forward.
  void (*observe)(lb_stepper* st, lb_data* d);
  bool closes_loops; // by itself; else the caller does it after the step
  // Last of a step of h, when gaps are closed: momentum that it should have kept. NULL: nothing.
  void (*finish)(lb_stepper* st, lb_data* d, double h);
  // Distance in steps that a singularity of angles must keep (dynamics/joint/joint_singular.c).
  // After passing at so many steps energy is off by 3e-4 with rk4, by one or two hundredths with
  // methods of order 2, and by 0.2 with those of order 1, for which it is in proportion to the
  // step. 0: it controls its errors itself, and shows its watcher its own steps.
  double reach;
  int records; // a step reports to its watcher, unless it is divided; 0: any number
  const lb_derivative_type* derivative; // derivative of steps (step_derivative.h)
  // Butcher's table of an explicit method, in the arena; false: no memory. NULL: others.
  bool (*tableau)(lb_arena* arena, lb_tableau* out);
  const struct lb_scheme* scheme; // of an implicit method (implicit.c)
  // Forget what can be made anew from a state: Newton's matrix, orders of elimination. NULL:
  // nothing.
  void (*renew)(lb_stepper* st);
  // History of a step beside the state, as so many numbers, to save and to load at the end of a
  // step. From there on both ways are the same to the last bit. NULL: nothing.
  size_t (*past_size)(const lb_model* m);
  void (*save_past)(lb_stepper* st, const lb_data* d, double* past);
  void (*load_past)(lb_stepper* st, lb_data* d, const double* past);
} lb_stepper_type;

struct lb_stepper {
  const lb_stepper_type* type;
  const lb_model* m;
  lb_scene_solver solver;
  lb_elastic_limit limit; // of its steps; none but for semi-implicit Euler
  lb_arena arena;
  long count;
  long iterations, matrices; // of Newton's method: corrections, and matrices that were factored
  double* saved;             // [nq + nv + nx] state at the start of the step
  int runaway;               // 1 + the velocity that first was beyond what bodies have; 0: none is
  double ran_from;           // when the step began in which that was [s]
  void* own;                 // work space of the type
  lb_step_watcher* watcher;  // of steps that are implicit; NULL: none
  void* watching;            // its context
  bool watched;              // steps are differentiated, one after the other
  bool recharts;             // nevertheless coordinates change their charts, which the watcher sees
  const bool* keeps; // [nv] coordinates that do not, beside those that something acts on; or NULL
};

#define LB_STEPPER_TYPE(code, stepper, name, method, text)                                         \
  extern const lb_stepper_type lb_stepper_##stepper;
LB_INTEGRATOR_LIST(LB_STEPPER_TYPE)
#undef LB_STEPPER_TYPE

// The table of an integrator.
const lb_stepper_type* lb_stepper_type_of(lb_integrator by);
// The table by which an integrator steps a model.
const lb_stepper_type* lb_stepper_type_for(const lb_model* m, lb_integrator by);

// Have a stepper watched; NULL: no longer.
void lb_stepper_watch(lb_stepper* st, lb_step_watcher* watcher, void* context);
// Have coordinates of one that is watched change their charts, but for those in `keeps` [nv].
void lb_stepper_watch_charts(lb_stepper* st, const bool* keeps);

// Take away the velocity with which d runs into active constraints, as steps do in which something
// hits, and report to the watcher: for starts. Impulses [rows].
void lb_stepper_impact(lb_stepper* st, lb_data* d, double* impulse);

// Activations and fibres among the state that was saved.
static inline double* lb_stepper_saved_x(const lb_stepper* st) {
  return st->saved + st->m->nq + st->m->nv;
}

// Slopes of the state at d's time, q, qd and x: dq, and behind each other qdd and dx, [nq] and
// [nv + nx].
void lb_slopes(const lb_model* m, lb_data* d, double* dq, double* qdd);

// Loops are left open by a step with contacts, and closed after it.
bool lb_stepper_leaves_gaps(const lb_stepper* st, const lb_data* d);

// d's q, qd and x as they were at the start of the step.
void lb_stepper_restart(const lb_stepper* st, lb_data* d);

// Forget matrices and orders in which they are factored: steps from here on depend on the state
// alone.
void lb_stepper_renew(lb_stepper* st, const lb_data* d);

// Quantities of d's state that recordings show: motors' forces.
void lb_stepper_observe(lb_stepper* st, lb_data* d);

// lb_constraint_gap after a step, to check that constraints hold. Linearly implicit Euler asks for
// rates in the pose that a step begins with (linear_euler.c), so that those of its end are off by a
// part of the step's own error: up to a tenth of what makes up the rate they do not count.
double lb_stepper_gap(const lb_stepper* st, lb_data* d, int* which);
