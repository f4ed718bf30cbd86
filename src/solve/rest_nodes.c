// Poses at rest with strands and flesh: steps in the coordinates of the tree, the free nodes
// eliminated first (node_matrix.h). Nothing moves and nothing is damped, so that the matrix of
// forces between nodes is exact and symmetric.
//
// A strand that is slack has no stiffness, and squeezed flesh may have a negative one. Then masses
// times `sway` are added until the nodes' own matrix is positive: steps get shorter, as those of a
// pendulum with that square of its angular speed.
#include <string.h>

#include "dynamics/nodes.h"
#include "dynamics/state.h"
#include "solve/node_matrix.h"
#include "solve/rest.h"

static const double LEAST_SWAY = 10, MOST_SWAY = 1e9; // [1/s^2]

typedef struct nodes {
  lb_arena arena;
  lb_node_matrix N;
  double* b; // [nv] the residual, the free nodes' part on the way to being solved for
} nodes;

static lb_status create(lb_rester* R, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, R->allocator);
  nodes* own = R->own = LB_TAKE(&arena, nodes, 1);
  bool made = own;
  if (own) {
    own->arena = arena;
    own->b = LB_TAKE(&own->arena, double, R->m->nv);
    made = own->b && lb_node_matrix_create(&own->N, R->m, &own->arena) == LB_OK;
  }
  return made ? lb_derivatives_create(R->small, R->allocator, &R->D, err)
              : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                             "out of memory for the rest of strands and flesh");
}

static void release(lb_rester* R) {
  const nodes* own = R->own;
  if (own) {
    lb_arena arena = own->arena;
    lb_arena_release(&arena);
  }
}

static void look(lb_rester* R, lb_data* d) {
  const lb_model* m = R->m;
  lb_rest_differentiate(R->D, d, R->lambda);
  lb_nodes_differentiate_turning(R->D, d, m);
  memset(R->r, 0, (size_t)m->nv * sizeof *R->r);
  lb_nodes_add_weight(m, R->r);
  for (int k = R->n; k < m->nv; k++) {
    R->r[k] -= d->work->tau[k];
  }
  memcpy(R->r, R->D->tau, (size_t)R->n * sizeof *R->r);
}

static bool eliminate(lb_rester* R, lb_data* d) {
  nodes* own = R->own;
  double* W = R->D->tau_q;
  const size_t size = (size_t)R->n * (size_t)R->n * sizeof *W;
  memcpy(own->N.held, W, size);
  for (double sway = 0; sway <= MOST_SWAY; sway = sway > 0 ? 10 * sway : LEAST_SWAY) {
    R->loose = sway > 0;
    lb_node_matrix_fill(&own->N, d, (lb_node_share){.mass = sway, .stiffness = 1}, W);
    if (lb_node_matrix_eliminate(&own->N, W)) {
      return true;
    }
    memcpy(W, own->N.held, size);
  }
  return false;
}

static bool linearise(lb_rester* R, lb_data* d, bool anew) {
  (void)anew;
  nodes* own = R->own;
  const size_t n = (size_t)R->n, nv = (size_t)R->m->nv;
  R->fresh = true;
  if (!eliminate(R, d)) {
    return false;
  }
  memcpy(own->b, R->r, nv * sizeof *own->b);
  lb_node_matrix_before(&own->N, own->b);
  memcpy(R->rs, own->b, n * sizeof *R->rs);
  for (int i = 0; i < R->rows; i++) {
    memcpy(R->Js + (size_t)i * n, R->J + (size_t)i * nv, n * sizeof *R->Js);
  }
  return true;
}

static void expand(const lb_rester* R, double* dq, const double* c) {
  nodes* own = R->own;
  for (int k = R->n; k < R->m->nv; k++) {
    dq[k] = -own->b[k];
  }
  memcpy(dq, c, (size_t)R->n * sizeof *dq);
  lb_node_matrix_after(&own->N, dq);
}

const lb_rest_space lb_rest_nodes = {create, release, look, linearise, expand};
