// Equilibria of bodies with all their nodes: steps in the coordinates of the condensed model.
//
// With the matrix of each body that of its stiffness alone, W = dt K for a very long dt, the
// condensed model's columns span Newton's step: displacements of the body under its own residual,
// under forces on its faces, and under gravity as its frame turns. So K of the whole character is
// needed only along them: 1/dt on the columns themselves, and for the rest, which is gravity, what
// the bodies carry, springs, loads and loops, the derivatives of the condensed model, exact as
// those of any reduced model.
//
// A body under pressure may have no definite stiffness. Then dt is made shorter until it has one:
// W / dt = K + M / dt^2, and steps get shorter with it.
#include <string.h>

#include "dynamics/tree/rnea.h"
#include "dynamics/tree/state.h"
#include "solve/equilibrium/equilibrium.h"

static const double LONGEST = 1e4; // dt [s]
static const double SHORTEST = 1e-4;

typedef struct full {
  lb_condensed_model condensed;
  bool factored; // the bodies have factors, of whatever state
} full;

static lb_status create(lb_equilibrium_solver* R, lb_arena* arena) {
  full* own = R->own = LB_TAKE(arena, full, 1);
  lb_operator* W = &R->sys.W;
  *W = lb_operator_take(arena, R->m, R->sys.n);
  W->layer = &lb_layer_condensed;
  W->c = LB_TAKE(arena, double, R->sys.n);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  W->condensed = &own->condensed;
  const lb_status status = lb_condensed_model_create(&own->condensed, R->m, arena);
  W->small = own->condensed.model;
  return status;
}

static void release(lb_equilibrium_solver* R) {
  full* own = R->own;
  lb_condensed_model_release(&own->condensed);
}

static void look(lb_equilibrium_solver* R, lb_data* d) {
  lb_rnea_moved(R->m, d, R->at.r, d->qdd);
  for (int k = 0; k < R->m->nv; k++) {
    R->at.r[k] -= d->work->tau[k];
  }
}

static bool is_definite(const lb_condensed_model* s) {
  for (int i = 0; i < s->nbody; i++) {
    if (!lb_condensed_definite(s->body[i])) {
      return false;
    }
  }
  return true;
}

static bool renew(full* own, const lb_data* d) {
  own->factored = false;
  for (double dt = LONGEST; dt >= SHORTEST && !own->factored; dt *= 0.1) {
    own->factored =
        lb_condensed_model_renew(&own->condensed, d, dt) == LB_OK && is_definite(&own->condensed);
  }
  return own->factored;
}

static bool linearise(lb_equilibrium_solver* R, lb_data* d, bool anew) {
  full* own = R->own;
  lb_data* small = own->condensed.data;
  const size_t n = (size_t)R->sys.n;
  R->step.fresh = anew || !own->factored;
  if ((R->step.fresh && !renew(own, d)) ||
      lb_condensed_model_respond(&own->condensed, d, R->step.dq) != LB_OK) {
    return false;
  }
  for (int i = 0; i < own->condensed.nbody; i++) {
    lb_condensed_weigh(own->condensed.body[i]);
  }
  small->time = d->time;
  memset(small->qd, 0, n * sizeof *small->qd);
  memset(small->qdd, 0, n * sizeof *small->qdd);
  if (lb_equilibrium_forces(small->model, small).count > 0) {
    lb_constraints_apply_multipliers(small->model, small, LB_SET_INACTIVE, R->at.lambda);
  }
  lb_equilibrium_differentiate(R->D, small, R->at.lambda);
  return true;
}

const lb_equilibrium_space lb_equilibrium_full = {create, release, look, linearise};
