#include <string.h>

#include "base/assert.h"
#include "base/carve.h"
#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/gear.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "elastic/reduced_derivative.h"
#include "math/dense.h"
#include "model/pose.h"
#include "solve/step_inside.h"

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
    if (past->impact || past->linear) { // q stays
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

void lb_step_solve(const lb_step_derivative* S, bool transposed, int count, double* b) {
  const int left = lb_gears_left(S->m);
  void (*const by)(int, const double*, int, const int*, int, double*, int) =
      transposed ? lb_lu_solve : lb_lu_solve_transposed; // W is by rows
  for (int i = 0; i < count; i++, b += S->nd) {
    lb_gears_gather(S->m, b);
    by(left, S->W, left, S->order, 1, b, left);
    lb_gears_spread(S->m, b);
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

static bool pushes(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_FORCE;
}

static void find_pushes(lb_step_derivative* S, const lb_data* d) {
  const lb_model* m = S->m;
  memset(S->push, 0, (size_t)m->nmotor * (size_t)S->nd * sizeof *S->push);
  for (int i = 0; i < m->nmotor && !S->impact; i++) {
    double* push = S->push + (size_t)i * (size_t)S->nd;
    if (pushes(m, i) && m->motor_loop[i] >= 0) {
      lb_loops_motor_direction(S->D, d, i, push);
    } else if (pushes(m, i)) {
      push[m->joint_v[m->motor_joint[i]]] = 1;
    }
  }
}

// K, C and M of (4) at d, whose rows are all linearised.
static void derive_stage(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = S->m;
  lb_step_accelerate(d, past);
  lb_drive(m, d);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply_to_links(m, d);
  const bool geared = lb_loops_gear(d, true);
  const int count = lb_loops_linearise(m, d).count;
  if (count > 0) {
    lb_loops_push(m, d, past->lambda);
  }
  lb_loops_gear(d, geared);
  lb_derive(S->D, d, d->q, d->qd, d->qdd, true);
  lb_forces_differentiate_outer(S->D, d);
  if (count > 0) {
    lb_loops_differentiate(S->D, d, past->lambda);
  }
  if (S->nodes) {
    lb_node_derivative_take(S->nodes, S->D, d);
  }
}

bool lb_step_differentiate(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = S->m;
  const bool impact = past->impact, linear = past->linear;
  S->inner = past->inner;
  S->impact = impact;
  S->linear = linear;
  S->internal = !impact && !linear;
  S->closing = past->closing;
  S->count = past->count;
  memcpy(S->weight, past->weight, sizeof S->weight);
  double* from = S->from;
  memset(from, 0, (size_t)m->nq * sizeof *from);
  for (int p = 0; p < past->count; p++) {
    lb_add(m->nq, from, past->weight[p], past->q[p]);
  }
  lb_loops_keep_all(d);
  (impact ? lb_step_impact_derive : linear ? lb_step_linear_derive : derive_stage)(S, d, past);
  lb_loops_keep_touching(m, d, NULL);
  S->K = S->internal ? S->D->tau_q : S->still_K;
  S->C = impact ? NULL : linear ? S->stiff_C : S->D->tau_qd;
  S->M = S->internal ? S->D->M : S->still_M;
  memcpy(S->eta, d->q, (size_t)m->nq * sizeof *S->eta);
  memcpy(S->etad, d->qd, (size_t)m->nv * sizeof *S->etad);
  find_pushes(S, d);
  fill_blocks(S, d, past, from);
  if (lb_loops_count(d) > 0) {
    lb_step_rows_judge(S, d, past);
  }
  return lb_step_factor(S, d, past->dt);
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

bool lb_step_factor(lb_step_derivative* S, lb_data* d, double dt) {
  const lb_model* m = S->m;
  S->dt = dt;
  S->reach = S->internal ? dt : 0;
  S->pace = lb_step_pace(
      &(lb_step_past){.inner = S->inner, .impact = S->impact, .closing = S->closing}, dt);
  if (!S->internal) {
    fill_without_reach(S);
  } else {
    lb_step_matrix(S->W, S->D, d, dt);
    lb_step_add_internal(S->W, (size_t)S->nd, m, (lb_step_links){0, m->nlink}, S->eta, S->etad, dt,
                         S->block, S->scratch);
  }
  lb_gears_reduce(m, S->W);
  S->rows = 0;
  const int left = lb_gears_left(m);
  return (!S->nodes || S->impact ||
          (S->linear ? lb_node_matrix_reduce(&S->nodes->N, d, dt, S->W)
                     : lb_node_derivative_factor(S->nodes, d, dt, S->W))) &&
         lb_lu(left, S->W, left, S->order) == LB_OK &&
         (lb_loops_count(d) == 0 || lb_step_rows_differentiate(S, d));
}

// --- products ---

// Changes that do not come from v: dq0, dv0, da0 of (5).
static void gather_causes(lb_step_derivative* S, const lb_step_causes* in) {
  const lb_model* m = S->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  if (S->linear) {
    lb_step_linear_gather(S, in);
    return;
  }
  memset(S->q, 0, size);
  memset(S->v, 0, size);
  memset(S->a, 0, size);
  for (int p = 0; p < S->count; p++) {
    apply_blocks(m, S->H[p], S->weight[p], false, S->q, in->q[p]);
    lb_add(m->nv, S->a, -S->weight[p] / S->dt, in->v[p]);
  }
  lb_gears_follow(m, S->q);
  lb_gears_follow(m, S->a);
  lb_step_clear_driven(m, S->a);
  for (int i = 0; i < m->nmotor; i++) {
    if (!pushes(m, i) && m->motor_joint[i] >= 0) {
      const int k = m->joint_v[m->motor_joint[i]];
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
  lb_step_add_product(nd, nd, y, s, S->K, q);
  add_internal_product(S, y, s, q);
  lb_step_add_product(nd, nd, y, s, S->C, v);
  lb_step_add_product(nd, nd, y, s, S->M, a);
  const double weight = S->nodes && S->linear ? S->nodes->N.heavier : 1;
  for (int k = nd; k < S->m->nv; k++) {
    y[k] += s * weight * S->m->armature[k] * a[k];
  }
  if (S->linear) {
    lb_step_linear_forces(S, y, s, q, v);
  } else if (S->nodes && !S->impact) {
    lb_node_derivative_add(S->nodes, y, s, q, v);
  }
}

static void add_forces_back(lb_step_derivative* S, double* q, double* v, double* a, double s,
                            const double* mu) {
  const int nd = S->nd;
  lb_step_add_transposed(nd, nd, q, s, S->K, mu);
  add_internal_product(S, q, s, mu);
  lb_step_add_transposed(nd, nd, v, s, S->C, mu);
  lb_step_add_transposed(nd, nd, a, s, S->M, mu);
  const double weight = S->nodes && S->linear ? S->nodes->N.heavier : 1;
  for (int k = nd; k < S->m->nv; k++) {
    a[k] += s * weight * S->m->armature[k] * mu[k];
  }
  if (S->linear) {
    lb_step_linear_forces_back(S, q, v, s, mu);
  } else if (S->nodes && !S->impact) {
    lb_node_derivative_add_back(S->nodes, q, v, s, mu);
  }
}

// Free nodes, before and after the tree's part of b is solved for. Impacts leave them alone: there
// is nothing but their masses.
static void before_tree(lb_step_derivative* S, bool transposed, double* b) {
  if (S->nodes && S->linear) {
    lb_node_matrix_before(&S->nodes->N, b); // symmetric
  } else if (S->nodes && !S->impact) {
    lb_node_derivative_before(S->nodes, transposed, b);
  }
}
static void after_tree(lb_step_derivative* S, bool transposed, double* b) {
  if (S->nodes && S->linear) {
    lb_node_matrix_after(&S->nodes->N, b);
  } else if (S->nodes && !S->impact) {
    lb_node_derivative_after(S->nodes, transposed, b);
  }
  for (int k = S->nd; S->impact && k < S->m->nv; k++) {
    b[k] /= S->m->armature[k];
  }
}

// Gaps are those with motors as the step begins.
static bool at_start(const lb_step_derivative* S) {
  return S->linear && !(S->closing > 0);
}

void lb_step_forward(lb_step_derivative* S, lb_step_effects* out, const lb_step_causes* in) {
  const lb_model* m = S->m;
  const int nv = m->nv, nd = S->nd;
  gather_causes(S, in);
  double* dv = S->mu;
  memset(dv, 0, (size_t)nv * sizeof *dv);
  add_forces(S, dv, -1, S->q, S->v, S->a);
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      lb_add(nd, dv, in->motor[3 * i], S->push + (size_t)i * (size_t)nd);
    }
  }
  lb_step_clear_driven(m, dv);
  before_tree(S, false, dv);
  lb_step_solve(S, false, 1, dv);
  for (int i = 0; i < S->rows; i++) {
    const double* asked = S->row_motor[i] >= 0 ? in->motor + 3 * (size_t)S->row_motor[i] : NULL;
    const double angle = asked && at_start(S) ? in->begun[S->row_motor[i]] : asked ? asked[0] : 0;
    S->nu[i] = asked ? asked[1] + S->pace * angle : 0;
  }
  lb_step_add_product(S->rows, nd, S->nu, -1, S->s_q, S->q);
  lb_step_add_product(S->rows, nd, S->nu, -1, S->s_v, S->v);
  lb_step_add_product(S->rows, nd, S->nu, -1, S->E, dv);
  lb_lu_solve(S->rows, S->A, S->rows, S->pivot, 1, S->nu, S->rows);
  lb_step_add_transposed(S->rows, nd, dv, 1, S->Z, S->nu);
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
  if (S->linear) {
    lb_step_linear_advance(S, out->q, out->v, in);
  }
}

const lb_derivatives* lb_step_look(lb_step_derivative* S, lb_data* d) {
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  return S->D;
}

const lb_derivatives* lb_step_dynamics(const lb_step_derivative* S) {
  return S->D;
}

// mu and nu from [W' E'; -J 0] (mu, nu) = (b, c), b in mu: with A = E W^-1 J',
//   A'nu = J W'^-1 b + c,   mu = W'^-1 (b - E'nu)
static void solve_adjoint(lb_step_derivative* S, const double* c) {
  const int nd = S->nd;
  before_tree(S, true, S->mu);
  if (S->rows > 0) {
    for (int i = 0; i < S->rows; i++) {
      S->nu[i] = c ? c[i] : 0;
    }
    lb_step_add_product(S->rows, nd, S->nu, 1, S->Z, S->mu);
    lb_lu_solve_transposed(S->rows, S->A, S->rows, S->pivot, 1, S->nu, S->rows);
    lb_step_add_transposed(S->rows, nd, S->mu, -1, S->E, S->nu);
  }
  lb_step_solve(S, true, 1, S->mu);
  after_tree(S, true, S->mu);
  lb_step_clear_driven(S->m, S->mu);
}

static void add_to_motors(const lb_step_derivative* S, const lb_step_causes* out) {
  const lb_model* m = S->m;
  double* motor = out->motor;
  for (int i = 0; i < m->nmotor; i++) {
    double* to = motor + 3 * (size_t)i;
    if (pushes(m, i)) {
      to[0] += lb_dot(S->nd, S->push + (size_t)i * (size_t)S->nd, S->mu);
    } else if (m->motor_joint[i] >= 0 && !S->linear) {
      const int k = m->joint_v[m->motor_joint[i]];
      to[0] += S->q[k];
      to[1] += S->v[k];
      to[2] += S->impact ? 0 : S->a[k];
    }
  }
  for (int i = 0; i < S->rows; i++) {
    if (S->row_motor[i] >= 0) {
      double* angle = at_start(S) ? &out->begun[S->row_motor[i]] : &motor[3 * S->row_motor[i]];
      *angle += S->nu[i] * S->pace;
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
  if (S->linear) {
    lb_step_linear_advance_back(S, in);
  }
  memcpy(S->mu, S->v, size);
  lb_add(nv, S->mu, 1 / S->dt, in->a);
  apply_blocks(m, S->Q, S->reach, true, S->mu, in->q);
  lb_step_clear_driven(m, S->mu);
  solve_adjoint(S, in->lambda);
  add_forces_back(S, S->q, S->v, S->a, -1, S->mu);
  lb_step_add_transposed(S->rows, S->nd, S->q, -1, S->s_q, S->nu);
  lb_step_add_transposed(S->rows, S->nd, S->v, -1, S->s_v, S->nu);
}

void lb_step_pull(lb_step_derivative* S, double* by_q, double* by_v, double* by_a,
                  const lb_step_effects* in) {
  const size_t size = (size_t)S->m->nv * sizeof(double);
  pull(S, in);
  memcpy(by_q, S->q, size);
  memcpy(by_v, S->v, size);
  memcpy(by_a, S->a, size);
}

void lb_step_add_torque(const lb_step_derivative* S, lb_step_effects* to, int motor, double scale) {
  const lb_model* m = S->m;
  for (int i = 0; i < S->rows && m->motor_joint[motor] < 0; i++) {
    to->lambda[i] += S->row_motor[i] == motor ? scale : 0;
  }
  if (m->motor_joint[motor] < 0) {
    return;
  }
  const size_t nd = (size_t)S->nd, k = (size_t)m->joint_v[m->motor_joint[motor]];
  lb_add(S->nd, to->q, scale, S->K + k * nd);
  lb_add(S->nd, to->v, scale, S->C + k * nd);
  lb_add(S->nd, to->a, scale, S->M + k * nd);
  if (S->nodes) {
    lb_node_derivative_add_row(S->nodes, to->q, to->v, scale, (int)k);
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
  if (S->linear) {
    lb_step_linear_scatter(S, out, in);
    return;
  }
  lb_gears_fold(m, S->q);
  lb_gears_fold(m, S->a);
  lb_step_clear_driven(m, S->a);
  for (int p = 0; p < S->count; p++) {
    apply_blocks(m, S->H[p], S->weight[p], true, out->q[p], S->q);
    lb_add(nv, out->v[p], -S->weight[p] / S->dt, S->a);
  }
}

const double* lb_step_multiplier(const lb_step_derivative* S) {
  return S->mu;
}

const double* lb_step_move_nodes(lb_step_derivative* S, const double* v) {
  return S->nodes ? lb_node_derivative_spread(S->nodes, v) : NULL;
}

// --- life ---

static lb_status no_memory(const lb_model* m, lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for derivatives of '%s'",
                      m->name);
}

static lb_step_derivative* lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv, nd = (size_t)m->ndense, rows = (size_t)lb_loops_most_rows(m);
  lb_step_derivative* S = lb_carve(c, 1, sizeof *S);
  lb_step_derivative made = {.m = m, .nd = m->ndense, .plain = lb_forces_are_diagonal(m)};
  double** const blocks[] = {&made.Q, &made.H[0], &made.H[1]};
  for (int i = 0; i < 3; i++) {
    *blocks[i] = lb_carve(c, (size_t)m->nlink * LB_STEP_BLOCK, sizeof(double));
  }
  double** const of_rows[] = {&made.s_q, &made.s_v, &made.J,        &made.gap_q,
                              &made.E,   &made.F,   &made.start_gap};
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
    *of_rows[i] = lb_carve(c, rows * nd, sizeof(double));
  }
  double** const vectors[] = {&made.q, &made.v, &made.a,     &made.mu,
                              &made.x, &made.u, &made.end_v, &made.begun};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = lb_carve(c, nv, sizeof(double));
  }
  made.choice = lb_row_choice_lay_out(c, nd, rows);
  made.row = made.choice.row;
  made.state = made.choice.state;
  made.Z = made.choice.force;
  made.A = made.choice.A;
  made.pivot = made.choice.pivot;
  made.row_motor = lb_carve(c, rows, sizeof(int));
  made.lands = lb_carve(c, rows, sizeof *made.lands);
  double** const still[] = {&made.still_K, &made.still_M, &made.stiff_C, &made.start_C};
  for (int i = 0; i < 4; i++) {
    *still[i] = lb_carve(c, nd * nd, sizeof(double));
  }
  made.W = lb_carve(c, nd * nd, sizeof(double));
  made.order = lb_carve(c, nd, sizeof(int));
  made.nu = lb_carve(c, rows, sizeof(double));
  made.from = lb_carve(c, (size_t)m->nq, sizeof(double));
  made.eta = lb_carve(c, (size_t)m->nq, sizeof(double));
  made.etad = lb_carve(c, nv, sizeof(double));
  int most = 0, scratch = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_reduced* b = m->link[i].reduced;
    most = b && b->r > most ? b->r : most;
    scratch = b && lb_reduced_scratch(b) > scratch ? lb_reduced_scratch(b) : scratch;
  }
  made.block = lb_carve(c, (size_t)most * (size_t)most, sizeof(double));
  made.scratch = lb_carve(c, (size_t)scratch, sizeof(double));
  made.push = lb_carve(c, (size_t)m->nmotor * nd, sizeof(double));
  if (S) {
    *S = made;
  }
  return S;
}

static lb_status make_nodes(lb_step_derivative* S, lb_error* err) {
  const bool any = S->m->nnode > 0;
  S->nodes = any ? LB_TAKE(&S->arena, lb_node_derivative, 1) : NULL;
  const bool made =
      !any || (S->nodes && lb_node_derivative_create(S->nodes, S->m, &S->arena) == LB_OK);
  return made ? LB_OK : no_memory(S->m, err);
}

lb_status lb_step_derivative_create(const lb_model* m, const lb_allocator* allocator,
                                    lb_step_derivative** out, lb_error* err) {
  lb_carver c = {0};
  lay_out(&c, m);
  c.base = lb_allocate(allocator, c.used);
  if (!c.base) {
    return no_memory(m, err);
  }
  memset(c.base, 0, c.used);
  c.used = 0;
  lb_step_derivative* S = lay_out(&c, m);
  S->allocator = allocator;
  lb_arena_init(&S->arena, allocator);
  lb_status status = make_nodes(S, err);
  if (status == LB_OK && lb_probe_create(&S->probe, m->tree ? m->tree : m, &S->arena) != LB_OK) {
    status = no_memory(m, err);
  }
  if (status == LB_OK) {
    status = lb_derivatives_create(m->tree ? m->tree : m, allocator, &S->D, err);
  }
  if (status != LB_OK) {
    lb_step_derivative_release(S);
    return status;
  }
  *out = S;
  return LB_OK;
}

void lb_step_derivative_release(lb_step_derivative* S) {
  if (S) {
    lb_derivatives_release(S->D);
    lb_arena_release(&S->arena);
    lb_release(S->allocator, S);
  }
}
