// Equilibria of rigid bodies, of elastic ones in a basis, and with ropes and deformables: steps in
// the coordinates of the tree, free particles eliminated first (particle_matrix.h). Nothing moves
// and nothing is damped, so that the matrix of forces between nodes is exact and symmetric.
//
// A rope that is slack has no stiffness, and a squeezed deformable may have a negative one. Then
// masses times `sway` are added until the nodes' own matrix is positive: steps get shorter, as
// those of a pendulum with that square of its angular speed.
#include <string.h>

#include "dynamics/force/particles.h"
#include "dynamics/tree/state.h"
#include "math/linear/dense.h"
#include "solve/equilibrium/equilibrium.h"

static const double LEAST_SWAY = 10, MOST_SWAY = 1e9; // [1/s^2]

static lb_status create(lb_equilibrium_solver* R, lb_arena* arena) {
  return lb_operator_create(&R->sys.W, R->m, arena);
}

static void look(lb_equilibrium_solver* R, lb_data* d) {
  const lb_model* m = R->m;
  lb_equilibrium_differentiate(R->D, d, R->at.lambda);
  if (R->sys.W.symmetric) {
    lb_particles_differentiate_turning(R->D, d, m);
    memset(R->at.r, 0, (size_t)m->nv * sizeof *R->at.r);
    lb_particles_add_weight(m, R->at.r);
    lb_add(m->nv - R->sys.n, R->at.r + R->sys.n, -1, d->work->tau + R->sys.n);
  }
  memcpy(R->at.r, R->D->tau, (size_t)R->sys.n * sizeof *R->at.r);
}

static bool linearise(lb_equilibrium_solver* R, lb_data* d, bool anew) {
  (void)anew;
  lb_particle_matrix* N = R->sys.W.symmetric;
  double* K = R->D->tau_q;
  const size_t size = (size_t)R->sys.n * (size_t)R->sys.n * sizeof *K;
  R->step.fresh = true;
  if (!N) {
    return true;
  }
  memcpy(N->held, K, size);
  for (double sway = 0; sway <= MOST_SWAY; sway = sway > 0 ? 10 * sway : LEAST_SWAY) {
    R->step.loose = sway > 0;
    lb_particle_matrix_fill(N, d, (lb_particle_share){.mass = sway, .stiffness = 1}, K);
    if (lb_particle_matrix_eliminate(N, K)) {
      return true;
    }
    memcpy(K, N->held, size);
  }
  return false;
}

const lb_equilibrium_space lb_equilibrium_tree = {create, NULL, look, linearise};
