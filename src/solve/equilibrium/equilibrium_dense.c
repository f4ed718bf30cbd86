// Equilibria of rigid bodies and of elastic ones in a basis: steps in the coordinates that there
// are.
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "solve/equilibrium/equilibrium.h"

static lb_status create(lb_equilibrium_solver* R, lb_error* err) {
  return lb_derivatives_create(R->m, R->allocator, &R->D, err);
}

static void release(lb_equilibrium_solver* R) {
  (void)R;
}

// Derivatives come with the residual.
static void look(lb_equilibrium_solver* R, lb_data* d) {
  lb_equilibrium_differentiate(R->D, d, R->lambda);
  memcpy(R->r, R->D->tau, (size_t)R->n * sizeof *R->r);
}

static bool linearise(lb_equilibrium_solver* R, lb_data* d, bool anew) {
  (void)d, (void)anew;
  memcpy(R->rs, R->r, (size_t)R->n * sizeof *R->rs);
  memcpy(R->Js, R->J, (size_t)R->rows * (size_t)R->n * sizeof *R->Js);
  R->fresh = true;
  return true;
}

static void expand(const lb_equilibrium_solver* R, double* dq, const double* c) {
  memcpy(dq, c, (size_t)R->n * sizeof *dq);
}

const lb_equilibrium_space lb_equilibrium_dense = {create, release, look, linearise, expand};
