// The derivative of a step as matrices: what products with it would cost many times, at once.
#include "base/assert.h"
#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"
#include "model/use/link.h"
#include "solve/step/step_inside.h"

// Column k of -A, A by rows, rows of driven coordinates left out.
static void negate_columns(const lb_model* m, double* out, const double* A) {
  const size_t nv = (size_t)m->nv;
  for (size_t k = 0; k < nv; k++) {
    for (size_t i = 0; i < nv; i++) {
      out[i + k * nv] = A ? -A[i * nv + k] : 0;
    }
    lb_step_clear_driven(m, out + k * nv);
  }
}

// The multipliers' share of columns whose own rows of the loops are `s` (NULL: none).
static void close_loops(lb_step_derivative* S, double* columns, const double* s) {
  const int nv = S->m->nv;
  for (int k = 0; k < nv && S->rows > 0; k++) {
    double* dv = columns + (size_t)k * (size_t)nv;
    for (int i = 0; i < S->rows; i++) {
      S->nu[i] = s ? -s[(size_t)i * (size_t)nv + (size_t)k] : 0;
    }
    lb_step_add_product(S->rows, nv, S->nu, -1, S->E, dv);
    lb_lu_solve(S->rows, S->A, S->rows, S->pivot, 1, S->nu, S->rows);
    lb_step_add_transposed(S->rows, nv, dv, 1, S->Z, S->nu);
  }
}

void lb_step_map(lb_step_derivative* S, double* by_q, double* by_v, double* by_a) {
  const lb_model* m = S->m;
  LB_ASSERT(!S->particles && !S->full && !S->by_tree);
  double* const to[] = {by_q, by_v, by_a};
  const double* const from[] = {S->K, S->C, S->M};
  const double* const loops[] = {S->s_q, S->s_v, NULL};
  for (int p = 0; p < 3; p++) {
    negate_columns(m, to[p], from[p]);
    for (int i = 0; i < m->nlink && p == 0 && S->internal; i++) {
      const lb_link* l = &m->link[i];
      if (l->kind == LB_LINK_ELASTIC) {
        lb_reduced_blend_forces(l->reduced, by_q + (size_t)l->v * ((size_t)m->nv + 1), m->nv, -1, 0,
                                S->eta + l->q, S->etad + l->v, S->block, S->scratch);
      }
    }
    lb_step_solve(S, false, m->nv, to[p]);
    close_loops(S, to[p], loops[p]);
  }
}
