// Equilibria with ropes and deformables: steps in the coordinates of the tree, the free particles
// eliminated first (particle_matrix.h). Nothing moves and nothing is damped, so that the matrix of
// forces between nodes is exact and symmetric.
//
// A rope that is slack has no stiffness, and a squeezed deformable may have a negative one. Then
// masses times `sway` are added until the nodes' own matrix is positive: steps get shorter, as
// those of a pendulum with that square of its angular speed.
#include <string.h>

#include "dynamics/force/particles.h"
#include "dynamics/tree/state.h"
#include "solve/equilibrium/equilibrium.h"
#include "solve/particle/particle_matrix.h"

static const double LEAST_SWAY = 10, MOST_SWAY = 1e9; // [1/s^2]

typedef struct particles {
  lb_arena arena;
  lb_particle_matrix N;
  double* b; // [nv] the residual, the free particles' part on the way to being solved for
} particles;

static lb_status create(lb_equilibrium_solver* R, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, R->allocator);
  particles* own = R->own = LB_TAKE(&arena, particles, 1);
  bool made = own;
  if (own) {
    own->arena = arena;
    own->b = LB_TAKE(&own->arena, double, R->m->nv);
    made = own->b && lb_particle_matrix_create(&own->N, R->m, &own->arena) == LB_OK;
  }
  return made ? lb_derivatives_create(R->small, R->allocator, &R->D, err)
              : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                             "out of memory for the rest of strands and flesh");
}

static void release(lb_equilibrium_solver* R) {
  const particles* own = R->own;
  if (own) {
    lb_arena arena = own->arena;
    lb_arena_release(&arena);
  }
}

static void look(lb_equilibrium_solver* R, lb_data* d) {
  const lb_model* m = R->m;
  lb_equilibrium_differentiate(R->D, d, R->lambda);
  lb_particles_differentiate_turning(R->D, d, m);
  memset(R->r, 0, (size_t)m->nv * sizeof *R->r);
  lb_particles_add_weight(m, R->r);
  for (int k = R->n; k < m->nv; k++) {
    R->r[k] -= d->work->tau[k];
  }
  memcpy(R->r, R->D->tau, (size_t)R->n * sizeof *R->r);
}

static bool eliminate(lb_equilibrium_solver* R, lb_data* d) {
  particles* own = R->own;
  double* W = R->D->tau_q;
  const size_t size = (size_t)R->n * (size_t)R->n * sizeof *W;
  memcpy(own->N.held, W, size);
  for (double sway = 0; sway <= MOST_SWAY; sway = sway > 0 ? 10 * sway : LEAST_SWAY) {
    R->loose = sway > 0;
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
  const size_t n = (size_t)R->n, nv = (size_t)R->m->nv;
  R->fresh = true;
  if (!eliminate(R, d)) {
    return false;
  }
  memcpy(own->b, R->r, nv * sizeof *own->b);
  lb_particle_matrix_before(&own->N, own->b);
  memcpy(R->rs, own->b, n * sizeof *R->rs);
  for (int i = 0; i < R->rows; i++) {
    memcpy(R->Js + (size_t)i * n, R->J + (size_t)i * nv, n * sizeof *R->Js);
  }
  return true;
}

static void expand(const lb_equilibrium_solver* R, double* dq, const double* c) {
  particles* own = R->own;
  for (int k = R->n; k < R->m->nv; k++) {
    dq[k] = -own->b[k];
  }
  memcpy(dq, c, (size_t)R->n * sizeof *dq);
  lb_particle_matrix_after(&own->N, dq);
}

const lb_equilibrium_space lb_equilibrium_particles = {create, release, look, linearise, expand};
