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
#include "solve/particle/particle_matrix.h"

static const double LEAST_SWAY = 10, MOST_SWAY = 1e9; // [1/s^2]

typedef struct particles {
  lb_particle_matrix N;
  double* b; // [nv] the residual, the free particles' part on the way to being solved for
} particles;

static lb_status create(lb_equilibrium_solver* R, lb_arena* arena) {
  if (R->m->particles.nparticle == 0) {
    return LB_OK; // R->own stays NULL
  }
  particles* own = R->own = LB_TAKE(arena, particles, 1);
  if (own) {
    own->b = LB_TAKE(arena, double, R->m->nv);
  }
  return own && own->b ? lb_particle_matrix_create(&own->N, R->m, arena) : LB_NO_MEMORY;
}

static void look(lb_equilibrium_solver* R, lb_data* d) {
  const lb_model* m = R->m;
  lb_equilibrium_differentiate(R->D, d, R->at.lambda);
  if (R->own) {
    lb_particles_differentiate_turning(R->D, d, m);
    memset(R->at.r, 0, (size_t)m->nv * sizeof *R->at.r);
    lb_particles_add_weight(m, R->at.r);
    lb_add(m->nv - R->sys.n, R->at.r + R->sys.n, -1, d->work->tau + R->sys.n);
  }
  memcpy(R->at.r, R->D->tau, (size_t)R->sys.n * sizeof *R->at.r);
}

static bool eliminate(lb_equilibrium_solver* R, lb_data* d) {
  particles* own = R->own;
  double* W = R->D->tau_q;
  const size_t size = (size_t)R->sys.n * (size_t)R->sys.n * sizeof *W;
  memcpy(own->N.held, W, size);
  for (double sway = 0; sway <= MOST_SWAY; sway = sway > 0 ? 10 * sway : LEAST_SWAY) {
    R->step.loose = sway > 0;
    lb_particle_matrix_fill(&own->N, d, (lb_particle_share){.mass = sway, .stiffness = 1}, W);
    if (lb_particle_matrix_eliminate(&own->N, W)) {
      return true;
    }
    memcpy(W, own->N.held, size);
  }
  return false;
}

static bool linearise(lb_equilibrium_solver* R, lb_data* d, bool anew) {
  (void)anew;
  particles* own = R->own;
  const size_t n = (size_t)R->sys.n, nv = (size_t)R->m->nv;
  R->step.fresh = true;
  if (own) {
    if (!eliminate(R, d)) {
      return false;
    }
    memcpy(own->b, R->at.r, nv * sizeof *own->b);
    lb_particle_matrix_before(&own->N, own->b);
  }
  memcpy(R->sys.rs, own ? own->b : R->at.r, n * sizeof *R->sys.rs);
  for (int i = 0; i < R->at.rows; i++) {
    memcpy(R->sys.Js + (size_t)i * n, R->at.J + (size_t)i * nv, n * sizeof *R->sys.Js);
  }
  return true;
}

static void expand(const lb_equilibrium_solver* R, double* dq, const double* c) {
  particles* own = R->own;
  memcpy(dq, c, (size_t)R->sys.n * sizeof *dq);
  for (int k = R->sys.n; k < R->m->nv; k++) {
    dq[k] = -own->b[k];
  }
  if (own) {
    lb_particle_matrix_after(&own->N, dq);
  }
}

const lb_equilibrium_space lb_equilibrium_tree = {create, NULL, look, linearise, expand};
