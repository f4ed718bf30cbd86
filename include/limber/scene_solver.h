// How a scene is simulated: integrators, coordinates, steps, and what is recorded. Part of
// limber/scene.h.
#pragma once
#include "limber/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Method by which an integrator finds the end of a step.
typedef enum lb_method {
  LB_METHOD_EXPLICIT, ///< from slopes alone, with a given step
  LB_METHOD_ADAPTIVE, ///< likewise, and it chooses its steps by a tolerance
  LB_METHOD_LINEAR,   ///< from one linear system
  LB_METHOD_IMPLICIT  ///< by Newton's method, up to a tolerance
} lb_method;

/// code, stepper (lb_stepper_...), name in scene files, method, one line for people
#define LB_INTEGRATOR_LIST(X)                                                                      \
  X(EULER, euler, "euler", EXPLICIT, "semi-implicit Euler, order 1, cheapest per step")            \
  X(MIDPOINT, midpoint, "midpoint", EXPLICIT, "explicit midpoint rule, order 2")                   \
  X(RK4, rk4, "rk4", EXPLICIT, "classical Runge-Kutta, order 4")                                   \
  X(RK8, rk8, "rk8", EXPLICIT, "Fehlberg's Runge-Kutta, order 8, the most exact at a fixed step")  \
  X(LINEAR_EULER, linear_euler, "linear-euler", LINEAR,                                            \
    "linearly implicit Euler, order 1: one linear system a step")                                  \
  X(BDF1, bdf1, "bdf1", IMPLICIT, "implicit Euler, order 1: the most damping")                     \
  X(BDF2, bdf2, "bdf2", IMPLICIT, "implicit, order 2: stiff springs and elastic bodies")           \
  X(SDIRK2, sdirk2, "sdirk2", IMPLICIT,                                                            \
    "implicit in two stages, order 2, the least error of these")                                   \
  X(ADAPTIVE, adaptive, "adaptive", ADAPTIVE, "order 8 with the step chosen from the tolerance")

typedef enum lb_integrator {
#define LB_INTEGRATOR_CODE(code, stepper, name, method, text) LB_INTEGRATOR_##code,
  LB_INTEGRATOR_LIST(LB_INTEGRATOR_CODE)
#undef LB_INTEGRATOR_CODE
      LB_INTEGRATOR_COUNT
} lb_integrator;

/// code, name in scene files
#define LB_COORDINATES_LIST(X)                                                                     \
  X(LB_COORDINATES_REDUCED, "reduced") /* joints in the tree; constraints only for loops */        \
  X(LB_COORDINATES_MAXIMAL, "maximal") /* every body free, every joint a constraint */

typedef enum lb_coordinates {
#define LB_COORDINATES_CODE(code, name) code,
  LB_COORDINATES_LIST(LB_COORDINATES_CODE)
#undef LB_COORDINATES_CODE
      LB_COORDINATES_COUNT
} lb_coordinates;

#define LB_SPACE_LIST(X)                                                                           \
  X(LB_SPACE_REDUCED, "reduced") /* elastic bodies move in a basis */                              \
  X(LB_SPACE_FULL, "full")       /* every node of their meshes moves */

typedef enum lb_space {
#define LB_SPACE_CODE(code, name) code,
  LB_SPACE_LIST(LB_SPACE_CODE)
#undef LB_SPACE_CODE
      LB_SPACE_COUNT
} lb_space;

/// Matrices of Newton's method in implicit steps.
#define LB_NEWTON_LIST(X)                                                                          \
  X(LB_NEWTON_KEPT, "kept")   /* the stiff part, made anew when corrections get slow */            \
  X(LB_NEWTON_EXACT, "exact") /* the whole derivative at every correction */

typedef enum lb_newton_matrix {
#define LB_NEWTON_CODE(code, name) code,
  LB_NEWTON_LIST(LB_NEWTON_CODE)
#undef LB_NEWTON_CODE
      LB_NEWTON_COUNT
} lb_newton_matrix;

typedef struct lb_scene_solver {
  lb_coordinates coordinates;
  lb_space elastic;        ///< space in which elastic bodies are simulated
  lb_newton_matrix newton; ///< of implicit steps
  lb_integrator integrator;
  lb_place place;
  double step;       ///< [s] > 0; an adaptive stepper chooses its own
  double tolerance;  ///< relative: error per step of adaptive steppers, of velocities at which
                     ///< Newton's method of implicit ones stops; 0: the integrator's own
  double closing;    ///< [s] linear-euler: time in which gaps of what starts apart fall by a factor
                     ///< of e; 0: they are closed before the start, and within a step after it
  bool sdirk2_first; ///< bdf2: its first step is one of sdirk2, of order 2 as well
} lb_scene_solver;

typedef struct lb_scene_record {
  double every;   ///< [s] time between frames
  bool rates;     ///< velocities and accelerations, too
  bool reactions; ///< joint reactions, too
} lb_scene_record;

#ifdef __cplusplus
}
#endif
