#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/motor_use.h"
#include "solve/step/step_inside.h"

// --- coordinates: how q follows from v and from the states before ---

// y += B x or B'x over the links that are not driven, where B is a block of `scale` times the
// identity unless the joint says otherwise.
static void apply_blocks(const lb_model* m, const double* blocks, double scale, bool transposed,
                         double* y, const double* x) {
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link_v[i], n = m->link_nv[i];
    if (lb_link_is_face(m->link_kind[i]) || m->link_driven[i]) {
      continue;
    }
    if (!LB_JOINT[m->link_kind[i]]->reach_by_rate) {
      for (int k = v; k < v + n; k++) {
        y[k] += scale * x[k];
      }
      continue;
    }
    const double* B = blocks + (size_t)i * LB_STEP_BLOCK;
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        y[v + a] += (transposed ? B[b * n + a] : B[a * n + b]) * x[v + b];
      }
    }
  }
  lb_add(3 * m->nfree, y + m->nv - 3 * m->nfree, scale, x + m->nv - 3 * m->nfree);
}

static void fill_blocks(lb_step_derivative* S, const lb_data* d, const lb_step_past* past,
                        const double* from) {
  const lb_model* m = S->m;
  for (int i = 0; i < m->nlink; i++) {
    const lb_joint* joint = LB_JOINT[m->link_kind[i]];
    const int q = m->link_q[i], n = m->link_nv[i];
    const double* v = d->qd + m->link_v[i];
    if (!joint->reach_by_rate) {
      continue;
    }
    if (past->impact) { // q stays
      double *Q = S->Q + (size_t)i * LB_STEP_BLOCK, *H = S->H[0] + (size_t)i * LB_STEP_BLOCK;
      for (int k = 0; k < n * n; k++) {
        Q[k] = 0;
        H[k] = k % (n + 1) == 0;
      }
      continue;
    }
    joint->reach_by_rate(S->Q + (size_t)i * LB_STEP_BLOCK, v, past->dt);
    for (int p = 0; p < past->count; p++) {
      double* H = S->H[p] + (size_t)i * LB_STEP_BLOCK;
      joint->reach_by_past(H, d->q + q, from + q, past->q[p] + q, v, past->dt);
      for (int k = 0; k < n * n; k++) {
        H[k] *= past->weight[p];
      }
    }
  }
}

// --- matrices ---

// W as a matrix, where factors of the tree do not do.
static bool factor_tree_matrix(lb_step_derivative* S) {
  lb_tree_slopes_matrix(S->tree, S->W);
  S->factored = lb_lu(S->nd, S->W, S->nd, S->order) == LB_OK;
  return S->factored;
}

static void solve_with_matrix(const lb_step_derivative* S, bool transposed, double* b) {
  const lb_model* m = S->D->model;
  const int left = lb_elimination_left(m);
  lb_elimination_gather(m, b);
  (transposed ? lb_lu_solve : lb_lu_solve_transposed)(left, S->W, left, S->order, 1, b,
                                                      left); // W is by rows
  lb_elimination_spread(m, b);
}

void lb_step_solve(lb_step_derivative* S, bool transposed, int count, double* b) {
  for (int i = 0; i < count; i++, b += S->nd) {
    const bool by_tree = S->by_tree && !S->factored;
    const bool solved = by_tree && lb_tree_slopes_solve(S->tree, transposed, b);
    if (!by_tree || (!solved && factor_tree_matrix(S))) {
      solve_with_matrix(S, transposed, b);
    }
  }
}

// y += s (dr/dq of internal forces, where they are not in D) x; symmetric.
static void add_internal_product(lb_step_derivative* S, double* y, double s, const double* x) {
  const lb_model* m = S->m;
  for (int i = 0; i < m->nlink && S->internal; i++) {
    const lb_link* l = &m->link[i];
    if (l->kind == LB_LINK_ELASTIC) {
      memset(S->block, 0, (size_t)l->nv * sizeof *S->block);
      lb_reduced_stiffness_product(l->reduced, S->block, S->eta + l->q, S->etad + l->v, x + l->v,
                                   S->scratch);
      lb_add(l->nv, y + l->v, s, S->block);
    }
  }
}

// Of motors that apply forces at joints which close loops; others push at one coordinate.
static void find_pushes(lb_step_derivative* S, const lb_data* d) {
  const lb_model* m = S->m;
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i) && m->motor_loop[i] >= 0) {
      double* push = S->push + (size_t)i * (size_t)S->nd;
      memset(push, 0, (size_t)S->nd * sizeof *push);
      if (!S->impact) {
        lb_loop_motor_direction(S->D, d, i, push);
      }
    }
  }
}

// y += what motor i's push of size f does; and the transpose, what y does to a unit push.
static void add_push(const lb_step_derivative* S, int i, double f, double* y) {
  if (S->m->motor_loop[i] >= 0) {
    lb_add(S->nd, y, f, S->push + (size_t)i * (size_t)S->nd);
  } else if (!S->impact) {
    y[S->m->motor_v[i]] += f;
  }
}
static double feel_push(const lb_step_derivative* S, int i, const double* y) {
  if (S->m->motor_loop[i] >= 0) {
    return lb_dot(S->nd, S->push + (size_t)i * (size_t)S->nd, y);
  }
  return S->impact ? 0 : y[S->m->motor_v[i]];
}

// K, C and M of (4) at d, whose rows are all linearised.
static void derive_stage(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = d->model;
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply_to_links(m, d);
  if (S->by_tree) {
    lb_tree_slopes_take(S->tree, S->D, d);
    return;
  }
  const bool eliminated = lb_constraints_eliminate(d, true);
  const int count = lb_constraints_linearise(m, d).count;
  if (count > 0) {
    lb_constraints_apply_multipliers(m, d, past->lambda);
  }
  lb_constraints_eliminate(d, eliminated);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, true);
  lb_forces_differentiate_outer(S->D, d);
  if (count > 0) {
    lb_constraints_differentiate(S->D, d, past->lambda);
  }
  if (S->particles) {
    lb_particle_derivative_take(S->particles, S->D, d);
  }
  if (S->full) {
    lb_full_step_take(S->full, S->D);
  }
}

// Where the derivatives of the dynamics are taken: at d, or at the same place in the interface
// model.
static lb_data* find_place(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  if (!past->impact) {
    lb_step_accelerate(d, past);
    lb_drive(S->m, d);
  }
  return S->full ? lb_full_step_pose(S->full, d) : d;
}

lb_data* lb_step_data(const lb_step_derivative* S, lb_data* d) {
  return S->full ? S->full->data : d;
}

bool lb_step_differentiate(lb_step_derivative* S, lb_data* at, const lb_step_past* past) {
  const lb_model* m = S->m;
  const bool impact = past->impact;
  S->inner = past->inner;
  S->impact = impact;
  S->internal = !impact;
  S->by_tree = S->tree && S->internal;
  S->count = past->count;
  memcpy(S->weight, past->weight, sizeof S->weight);
  double* from = S->from;
  memset(from, 0, (size_t)m->nq * sizeof *from);
  for (int p = 0; p < past->count; p++) {
    lb_add(m->nq, from, past->weight[p], past->q[p]);
  }
  lb_constraints_set_redundant(at, past->redundant);
  lb_data* d = find_place(S, at, past);
  lb_constraints_activate_all(d);
  (impact ? lb_step_impact_derive : derive_stage)(S, d, past);
  lb_constraints_keep_active(d->model, d, NULL);
  S->K = S->internal ? S->D->tau_q : S->still_K;
  S->C = impact ? NULL : S->D->tau_qd;
  S->M = S->internal ? S->D->M : S->still_M;
  memcpy(S->eta, at->q, (size_t)m->nq * sizeof *S->eta);
  memcpy(S->etad, at->qd, (size_t)m->nv * sizeof *S->etad);
  find_pushes(S, d);
  fill_blocks(S, at, past, from);
  if (lb_constraints_count(d) > 0) {
    lb_step_rows_judge(S, d, past);
  }
  return lb_step_factor(S, at, past->dt);
}

// W where q does not follow from v.
static void fill_without_reach(lb_step_derivative* S) {
  const lb_model* m = S->m;
  const size_t nd = (size_t)S->nd;
  for (size_t k = 0; k < nd * nd; k++) {
    S->W[k] = S->M[k] / S->dt + (S->C ? S->C[k] : 0);
  }
  for (int i = 0; i < m->nlink; i++) {
    for (size_t j = 0; m->link_driven[i] && j < nd; j++) {
      const size_t k = (size_t)m->link_v[i];
      S->W[k + j * nd] = S->W[j + k * nd] = j == k;
    }
  }
}

// What is left of W when nodes are eliminated.
static bool eliminate_nodes(lb_step_derivative* S, lb_data* d, double dt) {
  if (S->full) {
    return lb_full_step_factor(S->full, dt, S->W);
  }
  return !S->particles || S->impact || lb_particle_derivative_factor(S->particles, d, dt, S->W);
}

// W of (4) at d, factored.
static bool factor_matrix(lb_step_derivative* S, lb_data* d, double dt) {
  const lb_model* m = S->m;
  S->dt = dt;
  S->reach = S->internal ? dt : 0;
  S->baumgarte = lb_step_baumgarte(&(lb_step_past){.inner = S->inner, .impact = S->impact}, dt);
  S->rows = 0;
  S->factored = false;
  if (S->by_tree) {
    return lb_tree_slopes_factor(S->tree, S->etad, dt) || factor_tree_matrix(S);
  }
  if (!S->internal) {
    fill_without_reach(S);
  } else {
    lb_step_matrix(S->W, S->D, d, dt);
    lb_step_add_internal(S->W, (size_t)S->nd, m, (lb_step_links){0, m->nlink}, S->eta, S->etad, dt,
                         S->block, S->scratch);
  }
  lb_elimination_reduce(d->model, S->W);
  const int left = lb_elimination_left(d->model);
  return eliminate_nodes(S, d, dt) && lb_lu(left, S->W, left, S->order) == LB_OK;
}

bool lb_step_factor(lb_step_derivative* S, lb_data* at, double dt) {
  lb_data* d = lb_step_data(S, at);
  return factor_matrix(S, d, dt) &&
         (lb_constraints_count(d) == 0 || lb_step_rows_differentiate(S, d));
}

bool lb_step_full_matrix(lb_step_derivative* S, lb_data* d, double dt, const double* lambda) {
  lb_data* seen = lb_full_step_pose(S->full, d);
  S->inner = S->impact = false;
  S->internal = true;
  derive_stage(S, seen, &(lb_step_past){.dt = dt, .lambda = lambda});
  return factor_matrix(S, seen, dt);
}

double* lb_step_full_before(lb_step_derivative* S, lb_data* d, double* b) {
  for (int i = 0; i < S->full->nbody; i++) {
    lb_full_derivative_release_held(&S->full->body[i].T, b + S->full->body[i].v);
  }
  lb_data* e = lb_full_step_pose(S->full, d);
  lb_kinematics(e->model, e, e->q, e->qd);
  lb_full_step_before(S->full, false, b);
  return S->full->y;
}

// --- products ---

// Changes that do not come from v: dq0, dv0, da0 of (5).
static void gather_causes(lb_step_derivative* S, const lb_step_causes* in) {
  const lb_model* m = S->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  memset(S->q, 0, size);
  memset(S->v, 0, size);
  memset(S->a, 0, size);
  for (int p = 0; p < S->count; p++) {
    apply_blocks(m, S->H[p], S->weight[p], false, S->q, in->q[p]);
    lb_add(m->nv, S->a, -S->weight[p] / S->dt, in->v[p]);
  }
  lb_elimination_follow(m, S->q);
  lb_elimination_follow(m, S->a);
  lb_step_clear_driven(m, S->a);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      const int k = m->motor_v[i];
      S->q[k] = in->motor[3 * i];
      S->v[k] = in->motor[3 * i + 1];
      S->a[k] = S->impact ? 0 : in->motor[3 * i + 2];
    }
  }
}

// y += s (K dq + C dv + M da), and the transpose: q, v, a += s (K, C, M)'mu.
static void add_forces(lb_step_derivative* S, double* y, double s, const double* q, const double* v,
                       const double* a) {
  const int nd = S->nd;
  if (S->full) {
    lb_full_step_add(S->full, (lb_full_matrices){S->K, S->C, S->M}, y, s, q, v, a);
    return;
  }
  if (S->by_tree) {
    lb_tree_slopes_add(S->tree, y, s, q, v, a);
    return;
  }
  lb_step_add_product(nd, nd, y, s, S->K, q);
  add_internal_product(S, y, s, q);
  lb_step_add_product(nd, nd, y, s, S->C, v);
  lb_step_add_product(nd, nd, y, s, S->M, a);
  for (int k = nd; k < S->m->nv; k++) {
    y[k] += s * S->m->armature[k] * a[k];
  }
  if (S->particles && !S->impact) {
    lb_particle_derivative_add(S->particles, y, s, q, v);
  }
}

static void add_forces_back(lb_step_derivative* S, double* q, double* v, double* a, double s,
                            const double* mu) {
  const int nd = S->nd;
  if (S->full) {
    lb_full_step_add_back(S->full, (lb_full_matrices){S->K, S->C, S->M}, q, v, a, s, mu);
    return;
  }
  if (S->by_tree) {
    lb_tree_slopes_add_back(S->tree, q, v, a, s, mu);
    return;
  }
  lb_step_add_transposed(nd, nd, q, s, S->K, mu);
  add_internal_product(S, q, s, mu);
  lb_step_add_transposed(nd, nd, v, s, S->C, mu);
  lb_step_add_transposed(nd, nd, a, s, S->M, mu);
  for (int k = nd; k < S->m->nv; k++) {
    a[k] += s * S->m->armature[k] * mu[k];
  }
  if (S->particles && !S->impact) {
    lb_particle_derivative_add_back(S->particles, q, v, s, mu);
  }
}

// Free particles, before and after the tree's part of b is solved for, which is returned. Impacts
// leave them alone: there is nothing but their masses.
static double* before_tree(lb_step_derivative* S, bool transposed, double* b) {
  if (S->full) {
    lb_full_step_before(S->full, transposed, b);
    return S->full->y;
  }
  if (S->particles && !S->impact) {
    lb_particle_derivative_before(S->particles, transposed, b);
  }
  return b;
}
static void after_tree(lb_step_derivative* S, bool transposed, double* b) {
  if (S->full) {
    lb_full_step_after(S->full, transposed, b);
    return;
  }
  if (S->particles && !S->impact) {
    lb_particle_derivative_after(S->particles, transposed, b);
  }
  for (int k = S->nd; S->impact && k < S->m->nv; k++) {
    b[k] /= S->m->armature[k];
  }
}

const double* lb_step_see(const lb_step_derivative* S, const double* v) {
  if (S->full) {
    lb_full_step_see(S->full, S->full->seen[0], v);
  }
  return S->full ? S->full->seen[0] : v;
}

void lb_step_gather(const lb_step_derivative* S, double* by, double s, const double* seen) {
  if (S->full) {
    lb_full_step_gather(S->full, by, s, seen);
  } else {
    lb_add(S->nd, by, s, seen);
  }
}

void lb_step_forward(lb_step_derivative* S, lb_step_effects* out, const lb_step_causes* in) {
  const lb_model* m = S->m;
  const int nv = m->nv, nd = S->nd;
  gather_causes(S, in);
  double* dv = S->mu;
  memset(dv, 0, (size_t)nv * sizeof *dv);
  add_forces(S, dv, -1, S->q, S->v, S->a);
  double* y = before_tree(S, false, dv);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i)) {
      add_push(S, i, in->motor[3 * i], y);
    }
  }
  lb_step_clear_driven(m, y);
  lb_step_solve(S, false, 1, y);
  for (int i = 0; i < S->rows; i++) {
    const double* asked = S->row_motor[i] >= 0 ? in->motor + 3 * (size_t)S->row_motor[i] : NULL;
    S->nu[i] = asked ? asked[1] + S->baumgarte * asked[0] : 0;
  }
  lb_step_add_product(S->rows, nd, S->nu, -1, S->s_q, lb_step_see(S, S->q));
  lb_step_add_product(S->rows, nd, S->nu, -1, S->s_v, lb_step_see(S, S->v));
  lb_step_add_product(S->rows, nd, S->nu, -1, S->E, y);
  lb_lu_solve(S->rows, S->A, S->rows, S->pivot, 1, S->nu, S->rows);
  lb_step_add_transposed(S->rows, nd, y, 1, S->Z, S->nu);
  after_tree(S, false, dv);
  if (out->lambda) {
    memcpy(out->lambda, S->nu, (size_t)S->rows * sizeof *S->nu);
  }
  memcpy(out->q, S->q, (size_t)nv * sizeof *dv);
  memcpy(out->v, S->v, (size_t)nv * sizeof *dv);
  memcpy(out->a, S->a, (size_t)nv * sizeof *dv);
  apply_blocks(m, S->Q, S->reach, false, out->q, dv);
  lb_add(nv, out->v, 1, dv);
  lb_add(nv, out->a, 1 / S->dt, dv);
}

const lb_derivatives* lb_step_dynamics(const lb_step_derivative* S) {
  return S->D;
}

// mu and nu from [W' E'; -J 0] (mu, nu) = (b, c), b in mu: with A = E W^-1 J',
//   A'nu = J W'^-1 b + c,   mu = W'^-1 (b - E'nu)
static void solve_adjoint(lb_step_derivative* S, const double* c) {
  const int nd = S->nd;
  double* y = before_tree(S, true, S->mu);
  if (S->rows > 0) {
    for (int i = 0; i < S->rows; i++) {
      S->nu[i] = c ? c[i] : 0;
    }
    lb_step_add_product(S->rows, nd, S->nu, 1, S->Z, y);
    lb_lu_solve_transposed(S->rows, S->A, S->rows, S->pivot, 1, S->nu, S->rows);
    lb_step_add_transposed(S->rows, nd, y, -1, S->E, S->nu);
  }
  lb_step_solve(S, true, 1, y);
  after_tree(S, true, S->mu);
  lb_step_clear_driven(S->m, S->mu);
}

static void add_to_motors(const lb_step_derivative* S, const lb_step_causes* out) {
  const lb_model* m = S->m;
  double* motor = out->motor;
  const double* mu = lb_step_see(S, S->mu);
  for (int i = 0; i < m->nmotor; i++) {
    double* to = motor + 3 * (size_t)i;
    if (lb_motor_applies_force(m, i)) {
      to[0] += feel_push(S, i, mu);
    } else if (lb_motor_prescribes(m, i)) {
      const int k = m->motor_v[i];
      to[0] += S->q[k];
      to[1] += S->v[k];
      to[2] += S->impact ? 0 : S->a[k];
    }
  }
  for (int i = 0; i < S->rows; i++) {
    if (S->row_motor[i] >= 0) {
      motor[3 * S->row_motor[i]] += S->nu[i] * S->baumgarte;
      motor[3 * S->row_motor[i] + 1] += S->nu[i];
    }
  }
}

// The transpose of what (5) does: sets S's q, v and a, and mu and nu.
static void pull(lb_step_derivative* S, const lb_step_effects* in) {
  const lb_model* m = S->m;
  const int nv = m->nv;
  const size_t size = (size_t)nv * sizeof(double);
  memcpy(S->q, in->q, size);
  memcpy(S->v, in->v, size);
  memcpy(S->a, in->a, size);
  memcpy(S->mu, S->v, size);
  lb_add(nv, S->mu, 1 / S->dt, in->a);
  apply_blocks(m, S->Q, S->reach, true, S->mu, in->q);
  lb_step_clear_driven(m, S->mu);
  solve_adjoint(S, in->lambda);
  add_forces_back(S, S->q, S->v, S->a, -1, S->mu);
  for (int i = 0; i < S->rows; i++) {
    const size_t at = (size_t)i * (size_t)S->nd;
    lb_step_gather(S, S->q, -S->nu[i], S->s_q + at);
    lb_step_gather(S, S->v, -S->nu[i], S->s_v + at);
  }
}

void lb_step_pull(lb_step_derivative* S, double* by_q, double* by_v, double* by_a,
                  const lb_step_effects* in) {
  const size_t size = (size_t)S->m->nv * sizeof(double);
  pull(S, in);
  memcpy(by_q, S->q, size);
  memcpy(by_v, S->v, size);
  memcpy(by_a, S->a, size);
}

void lb_step_add_torque(lb_step_derivative* S, lb_step_effects* to, int motor, double scale) {
  const lb_model* m = S->m;
  for (int i = 0; i < S->rows && !lb_motor_prescribes(m, motor); i++) {
    to->lambda[i] += S->row_motor[i] == motor ? scale : 0;
  }
  if (!lb_motor_prescribes(m, motor)) {
    return;
  }
  const size_t nd = (size_t)S->nd, k = (size_t)m->motor_v[motor];
  if (S->full || S->by_tree) {
    memset(S->mu, 0, (size_t)m->nv * sizeof *S->mu);
    S->mu[k] = 1;
    add_forces_back(S, to->q, to->v, to->a, scale, S->mu);
  } else {
    lb_add(S->nd, to->q, scale, S->K + k * nd);
    lb_add(S->nd, to->v, scale, S->C + k * nd);
    lb_add(S->nd, to->a, scale, S->M + k * nd);
  }
  if (S->particles) {
    lb_particle_derivative_add_row(S->particles, to->q, to->v, scale, (int)k);
  }
  for (int i = 0; i < S->rows; i++) {
    to->lambda[i] -= scale * S->J[(size_t)i * nd + k];
  }
}

void lb_step_back(lb_step_derivative* S, lb_step_causes* out, const lb_step_effects* in) {
  const lb_model* m = S->m;
  const int nv = m->nv;
  pull(S, in);
  add_to_motors(S, out);
  lb_elimination_fold(m, S->q);
  lb_elimination_fold(m, S->a);
  lb_step_clear_driven(m, S->a);
  for (int p = 0; p < S->count; p++) {
    apply_blocks(m, S->H[p], S->weight[p], true, out->q[p], S->q);
    lb_add(nv, out->v[p], -S->weight[p] / S->dt, S->a);
  }
}

const double* lb_step_multiplier(const lb_step_derivative* S) {
  return S->mu;
}

const double* lb_step_move_particles(lb_step_derivative* S, const double* v) {
  return S->particles ? lb_particle_derivative_spread(S->particles, v) : NULL;
}
