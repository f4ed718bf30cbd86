// Multipliers of the constraints. With A = J Minv J' and the accelerations qdd0 without
// constraints,
//
//   A lambda = -cdd(qdd0),   force = J' lambda                    (3)
//
// Constraints may be redundant (a planar four-bar closed by a hinge has three too many): A is then
// singular but (3) has solutions, and a Cholesky factorisation with pivoting picks one by leaving
// out dependent ones. Unilateral constraints make (3) the conditions of
// [red] eq. 4.108,
//
//   lambda >= 0,   cdd >= 0,   lambda cdd = 0                     (4)
//
// a complementary problem in the active ones. Gaps are closed in constraint_projection.c.
#include <cblas.h>
#undef I // complex.h comes along
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/force/force.h"
#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/complementary.h"
#include "math/linear/dense.h"
#include "math/linear/semidefinite.h"

// Entries of J below this, over their size, are rounding and count as zero: a flap on two hinges
// with one axis has no other constraints, and rounding would hold it.
static const double ROUNDING = 1e-13;

// Constraints between the same frames, one after another: most have what a link's directions do at
// their point in common.
typedef struct group {
  const lb_constraint_row* row;
  int count;
  double* J;   // of the first
  bool driven; // with the columns of coordinates under motors
} group;

static double size(lb_v4 x) {
  return fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
}

// Add sign * (what the constraints do to the coordinates that carry a link) to their rows of J. The
// directions S are those that lb_crba left, at the links' origins; at the constraints' point the
// motion of a direction is (S0, S1 + S0 x arm).
static void add_link(const lb_model* m, const lb_work* w, const group* g, int link, double sign) {
  for (int i = link; i != LB_WORLD; i = m->link.parent[i]) {
    const lb_link* l = &m->link.packed[i];
    const lb_v4 arm = g->row->at - w->state[i].p;
    for (int k = 0; k < l->nv && (g->driven || !l->driven); k++) {
      const lb_v4* S = w->S + 2 * (l->column + k);
      const lb_v4 move = S[1] + lb_v4_cross(S[0], arm);
      const double turn = size(S[0]), reach = size(S[1]) + turn * (size(arm) + size(g->row->at));
      double* J = g->J + l->v + k;
      for (int r = 0; r < g->count; r++, J += m->nv) {
        const bool turns = g->row[r].turns;
        const double felt = lb_v4_sum((turns ? S[0] : move) * g->row[r].e);
        *J += fabs(felt) > ROUNDING * (turns ? turn : reach) ? sign * felt : 0;
      }
    }
  }
}

void lb_constraint_rows_add_link(const lb_model* m, const lb_work* w, const lb_constraint_row* row,
                                 int count, double* J, int link, double sign) {
  add_link(m, w, &(group){row, count, J, true}, link, sign);
}

// Coordinates that should stay, but need not, are so many times as heavy.
static const double HEAVY = 100;

static void hold(const lb_model* m, double* M, int k) {
  for (int j = 0; j < m->ndense; j++) {
    M[k * m->ndense + j] = M[j * m->ndense + k] = j == k;
  }
}

// Coordinates under a motor do not give way: an identity row in M. Nor do those that are kept.
static void hold_driven(const lb_model* m, double* M, const lb_row_terms* by) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.driven[i]) {
      hold(m, M, m->link.v[i]);
    }
  }
  for (int k = 0; by->kept && k < m->ndense; k++) {
    if (by->kept[k] && by->heavy) {
      M[k * (m->ndense + 1)] *= HEAVY;
    } else if (by->kept[k]) {
      hold(m, M, k);
    }
  }
}

int lb_constraint_group(const lb_constraints* L, int i) {
  int n = 1;
  while (L->row[i].a && i + n < L->nrow && L->row[i + n].a == L->row[i].a) {
    n++;
  }
  return n;
}

void lb_constraint_rows_fill_jacobian(const lb_model* m, lb_data* d, const bool* kept) {
  lb_constraints* L = d->work->constraints;
  const size_t nv = (size_t)m->nv;
  double* Jt = L->dense.Jt;
  memset(Jt, 0, (size_t)L->nrow * nv * sizeof *Jt);
  for (int i = 0, count = 1; i < L->nrow; i += count) {
    const lb_constraint_row* r = &L->row[i];
    const group g = {r, count = lb_constraint_group(L, i), Jt + (size_t)i * nv, false};
    if (r->coupling >= 0) {
      lb_coupling_row(m, d, r->coupling, r->sign, false, g.J);
    } else {
      add_link(m, d->work, &g, r->b->link, 1);
      add_link(m, d->work, &g, r->a->link, -1);
    }
  }
  for (size_t k = 0; kept && k < (size_t)L->nrow * nv; k++) {
    Jt[k] *= !kept[k % nv];
  }
}

static bool is_reduced(const lb_model* m, const lb_constraints* L) {
  return L->set & LB_SET_REDUCED && m->constraint.elimination.count > 0;
}

// Unknowns of M: without couplings of fixed ratio (elimination.h), those that they leave.
static int unknowns(const lb_model* m, const lb_constraints* L) {
  return is_reduced(m, L) ? lb_elimination_left(m) : m->ndense;
}

// M = L L', Jt = Linv J', A = J Minv J', where M and J are filled; false when M cannot be factored.
// Nodes of elastic bodies stay where they are.
static bool factor_filled(const lb_model* m, lb_constraints* L) {
  const lb_dense_rows* D = &L->dense;
  const int nd = unknowns(m, L);
  if (is_reduced(m, L)) {
    lb_elimination_reduce(m, D->M);
    for (int i = 0; i < L->nrow; i++) {
      lb_elimination_gather(m, D->Jt + (size_t)i * (size_t)m->nv);
    }
  }
  if (lb_cholesky(nd, D->M, nd) != LB_OK) {
    return false;
  }
  if (L->nrow > 0) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, nd, L->nrow, 1,
                D->M, nd, D->Jt, m->nv);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, L->nrow, nd, 1, D->Jt, m->nv, 0, D->A,
                L->nrow);
  }
  return true;
}

static void fill_matrices(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  lb_crba(m, d, L->dense.M, d->q);
  hold_driven(m, L->dense.M, &L->terms);
  lb_constraint_rows_fill_jacobian(m, d, L->terms.heavy ? NULL : L->terms.kept);
}

static bool any_unilateral(const lb_constraints* L) {
  for (int i = 0; i < L->nrow; i++) {
    if (L->row[i].unilateral) {
      return true;
    }
  }
  return false;
}

static void damp(lb_constraints* L) {
  const int n = L->nrow;
  double trace = 0;
  for (int i = 0; i < n; i++) {
    trace += L->dense.A[i * (n + 1)];
  }
  for (int i = 0; i < n; i++) { // what moves at a rate has no gap, and stays
    L->dense.A[i * (n + 1)] += L->row[i].velocity_level ? 0 : L->terms.damping * trace / n;
  }
}

static bool factor_kkt(lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  return lb_kkt_factor(L->kkt, d,
                       (lb_kkt_terms){.held = L->terms.kept,
                                      .heavier = L->terms.heavy ? HEAVY : 0,
                                      .damping = L->terms.damping,
                                      .bilateral = L->terms.bilateral});
}

bool lb_constraint_rows_factor(const lb_model* m, lb_data* d, lb_row_terms terms) {
  lb_constraints* L = d->work->constraints;
  L->terms = terms;
  L->dense.rank = -1;
  if (L->kkt) {
    return factor_kkt(d);
  }
  fill_matrices(m, d);
  const bool made = factor_filled(m, L);
  if (made && terms.damping > 0) {
    damp(L);
  }
  return made;
}

// (4): x with w = A x + b, and w in b.
static void solve_unilateral(lb_constraints* L) {
  const int n = L->nrow;
  for (int i = 0; i < n; i++) {
    L->b[i] = -L->x[i];
    L->unilateral[i] = L->row[i].unilateral;
  }
  lb_complementary_solve(n, L->dense.A, L->b, L->unilateral, LB_REDUNDANT, L->x, L->dense.part,
                         L->work, L->pivot);
}

// dq = Linv dq or its transpose's; there is none where all coordinates are held.
static void divide(lb_constraints* L, CBLAS_TRANSPOSE which, int n) {
  if (n > 0) {
    cblas_dtrsv(CblasColMajor, CblasLower, which, CblasNonUnit, n, L->dense.M, n, L->dq, 1);
  }
}

// dq = Minv J'x, and beta times Minv L dq.
static void spread(const lb_model* m, lb_constraints* L, double beta) {
  const int nd = unknowns(m, L); // the others stay zero
  cblas_dgemv(CblasColMajor, CblasNoTrans, nd, L->nrow, 1, L->dense.Jt, m->nv, L->x, 1, beta, L->dq,
              1);
  divide(L, CblasTrans, nd);
  if (nd < m->ndense) {
    lb_elimination_spread(m, L->dq);
  }
}

static void solve_dense(lb_constraints* L) {
  const int n = L->nrow;
  if (n > 0 && !L->terms.bilateral && any_unilateral(L)) {
    solve_unilateral(L);
    return;
  }
  if (L->dense.rank < 0) {
    L->dense.rank = lb_semidefinite_factor(n, L->dense.A, n, LB_REDUNDANT, L->work, L->pivot);
  }
  lb_semidefinite_solve(n, L->dense.A, n, L->dense.rank, L->x, L->work, L->pivot);
}

// With W = M of kkt.h and b = 0: the multipliers are -mu of c = x, those of unilateral constraints
// mu of -x, for which all signs change.
static void solve_kkt(const lb_model* m, lb_constraints* L) {
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->x[i];
  }
  memset(L->dq, 0, (size_t)m->nv * sizeof *L->dq);
  lb_kkt_solve(L->kkt, L->dq, L->x, L->b);
  for (int k = 0; k < m->nv; k++) {
    L->dq[k] = -L->dq[k];
  }
}

void lb_constraint_rows_solve(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  if (L->kkt) {
    solve_kkt(m, L);
  } else {
    solve_dense(L);
    spread(m, L, 0);
  }
}

// --- what callers use ---

void lb_link_add_wrench(lb_work* w, int link, lb_v4 at, lb_v4 n, lb_v4 f) {
  if (link != LB_WORLD) {
    lb_state* s = &w->state[link];
    s->xf += f;
    s->xn += n + lb_v4_cross(at - s->p, f);
  }
}

void lb_constraint_row_push(const lb_model* m, lb_data* d, const lb_constraint_row* row,
                            double lambda) {
  if (row->coupling >= 0) {
    lb_coupling_row(m, d, row->coupling, row->sign * lambda, true, d->work->tau);
    return;
  }
  const lb_v4 push = row->e * lambda;
  const lb_v4 f = row->turns ? lb_v4_zero() : push;
  const lb_v4 n = row->turns ? push : lb_v4_zero();
  lb_link_add_wrench(d->work, row->b->link, row->at, n, f);
  lb_link_add_wrench(d->work, row->a->link, row->at, -n, -f);
}

// Compliant couplings exert what they did when forces were applied.
static void note_compliant(const lb_compliant_rows* C, double* coupling_force) {
  for (int i = 0; i < C->count; i++) {
    const lb_constraint_row* r = &C->row[i];
    if (r->coupling >= 0) {
      coupling_force[r->coupling] += r->sign * C->force[i];
    }
  }
}

void lb_constraint_rows_apply(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  memset(d->coupling_force, 0, (size_t)m->constraint.ncoupling * sizeof *d->coupling_force);
  note_compliant(&L->compliant, d->coupling_force);
  for (int i = 0; i < L->nrow; i++) {
    const lb_constraint_row* r = &L->row[i];
    if (r->motor >= 0) {
      d->motor_force[r->motor] = L->x[i];
    }
    if (r->coupling >= 0) {
      d->coupling_force[r->coupling] += r->sign * L->x[i];
    }
    lb_constraint_row_push(m, d, r, L->x[i]);
  }
}

// --- couplings of fixed ratio ---
//
// Accelerations that break them change by p, of the coordinates that they hold, and by P u:
//
//   (6)  P'M P u = P'(J'lambda - M p),   J (P u + p) = -cdd
//
// and what they exert is M (P u + p) - J'lambda, on the coordinates held.

// p in `change`, -M p in dq, and what of p the other constraints feel in x; M's rows that are
// needed again.
static void begin_elimination(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const lb_elimination* g = &m->constraint.elimination;
  const size_t nv = (size_t)m->nv;
  memset(L->dense.change, 0, nv * sizeof *L->dense.change);
  for (int e = 0; e < g->count; e++) {
    double* p = &L->dense.change[g->held[e]];
    *p = -d->qdd[g->held[e]];
    for (int i = g->first[e]; i < g->first[e + 1]; i++) {
      *p += g->factor[i] * d->qdd[g->from[i]];
    }
    memcpy(L->dense.held + (size_t)e * nv, L->dense.M + (size_t)g->held[e] * nv,
           nv * sizeof *L->dense.held);
  }
  for (size_t k = 0; k < nv; k++) {
    L->dq[k] = -lb_dot(m->nv, L->dense.M + k * nv, L->dense.change);
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] -= lb_dot(m->nv, L->dense.Jt + (size_t)i * nv, L->dense.change);
  }
}

// dq = Linv P'dq, and what of it the other constraints feel.
static void feel_elimination(const lb_model* m, lb_constraints* L) {
  const int left = lb_elimination_left(m);
  lb_elimination_gather(m, L->dq);
  divide(L, CblasNoTrans, left);
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] -= lb_dot(left, L->dense.Jt + (size_t)i * (size_t)m->nv, L->dq);
  }
}

static void apply_elimination(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const lb_elimination* g = &m->constraint.elimination;
  spread(m, L, 1);
  lb_add(m->nv, L->dense.change, 1, L->dq);
  memset(L->dq, 0, (size_t)m->nv * sizeof *L->dq);
  lb_constraints_add_forces(m, d, L->x, -1, L->dq);
  for (int e = 0; e < g->count; e++) {
    L->dq[g->held[e]] += lb_dot(m->nv, L->dense.held + (size_t)e * (size_t)m->nv, L->dense.change);
  }
  lb_add(m->nv, L->dense.change, 1, d->qdd);
  lb_elimination_multipliers(m, L->dense.lambda, L->dq);
  for (int e = 0; e < g->count; e++) {
    const int coupling = g->coupling[e];
    const double force = m->constraint.coupling[coupling].sign * L->dense.lambda[e];
    d->coupling_force[coupling] += force;
    lb_coupling_row(m, d, coupling, force, true, d->work->tau);
  }
}

void lb_constraints_accelerate(const lb_model* m, lb_data* d) {
  const lb_constraints* L = d->work->constraints;
  if (m->constraint.elimination.count > 0) {
    memcpy(d->qdd, L->dense.change, (size_t)m->nv * sizeof *d->qdd);
  }
}

// Solve for the multipliers of the constraints that act, whose accelerations are in x, and put what
// they exert on links and coordinates.
static bool solve_rows(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const bool eliminates = m->constraint.elimination.count > 0;
  L->terms = (lb_row_terms){0};
  L->dense.rank = -1;
  if (L->kkt) {
    const bool made = factor_kkt(d);
    if (made) {
      lb_constraint_rows_solve(m, d);
      lb_constraint_rows_apply(m, d);
    }
    return made;
  }
  fill_matrices(m, d);
  if (eliminates) {
    begin_elimination(m, d);
  }
  if (!factor_filled(m, L)) {
    return false;
  }
  if (eliminates) {
    feel_elimination(m, L);
  }
  solve_dense(L);
  lb_constraint_rows_apply(m, d);
  if (eliminates) {
    apply_elimination(m, d);
  }
  return true;
}

void lb_constraints_apply(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  lb_constraint_rows_fill(m, d, LB_SET_REDUCED);
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].acceleration;
  }
  const bool any = m->constraint.elimination.count > 0 || L->nrow > 0;
  if (any && !solve_rows(m, d) && m->constraint.elimination.count > 0) { // nothing holds
    memcpy(L->dense.change, d->qdd, (size_t)m->nv * sizeof *d->qdd);
  }
}

void lb_constraints_multipliers(const lb_data* d, double* lambda, double* left) {
  const lb_constraints* L = d->work->constraints;
  const int all = lb_constraints_most(d->model);
  for (int i = 0; i < all; i++) {
    lambda[i] = 0;
    left[i] = INFINITY;
  }
  const bool unilateral = L && any_unilateral(L);
  for (int i = 0; L && i < L->nrow; i++) {
    lambda[L->row[i].place] = L->x[i];
    left[L->row[i].place] = unilateral ? L->b[i] : 0;
  }
}

void lb_constraints_apply_multipliers(const lb_model* m, lb_data* d, lb_constraint_set set,
                                      const double* lambda) {
  lb_constraints* L = d->work->constraints;
  lb_constraint_rows_fill(m, d, set);
  memcpy(L->x, lambda, (size_t)L->nrow * sizeof *L->x);
  lb_constraint_rows_apply(m, d);
}

void lb_constraints_balance(const lb_model* m, lb_data* d, const double* r, const double* pushing,
                            double* lambda) {
  const lb_constraints* L = d->work->constraints;
  const lb_dense_rows* D = &L->dense;
  const int n = lb_constraints_linearise(m, d, LB_SET_INACTIVE).count;
  for (int i = 0; i < n; i++) {
    double* J = D->Jt + (size_t)i * (size_t)m->nv;
    if (pushing && L->row[i].unilateral && !(pushing[i] > 0)) {
      memset(J, 0, (size_t)m->nv * sizeof *J);
    }
    lambda[i] = lb_dot(m->nv, J, r);
    for (int k = 0; k <= i; k++) {
      D->A[i + k * n] = lb_dot(m->nv, J, D->Jt + (size_t)k * (size_t)m->nv);
    }
  }
  const int rank = lb_semidefinite_factor(n, D->A, n, LB_REDUNDANT, L->work, L->pivot);
  lb_semidefinite_solve(n, D->A, n, rank, lambda, L->work, L->pivot);
}
