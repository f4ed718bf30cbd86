#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/reduced/reduced_derivative.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "solve/step/step_inside.h"

// --- coordinates: how q follows from v and from the states before ---

// y += B x or B'x over the links that are not driven, where B is a block of `scale` times the
// identity unless the joint says otherwise.
static void apply_blocks(const lb_model* m, const double* blocks, double scale, bool transposed,
                         double* y, const double* x) {
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i], n = m->link.nv[i];
    if (lb_link_is_face(m->link.kind[i]) || m->link.driven[i]) {
      continue;
    }
    if (!LB_JOINT[m->link.kind[i]]->reach_by_rate) {
      lb_add(n, y + v, scale, x + v);
      continue;
    }
    const double* B = blocks + (size_t)i * LB_STEP_BLOCK;
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        y[v + a] += (transposed ? B[b * n + a] : B[a * n + b]) * x[v + b];
      }
    }
  }
  lb_add(3 * m->particles.nfree, y + m->nv - 3 * m->particles.nfree, scale,
         x + m->nv - 3 * m->particles.nfree);
}

// Reach of an impact: q stays.
static void stay(lb_step_reach* R, int link, int n) {
  double *Q = R->Q + (size_t)link * LB_STEP_BLOCK, *H = R->H[0] + (size_t)link * LB_STEP_BLOCK;
  for (int k = 0; k < n * n; k++) {
    Q[k] = 0;
    H[k] = k % (n + 1) == 0;
  }
}

static void find_reach(lb_step_reach* R, const lb_data* d, const lb_step_past* past) {
  const lb_model* m = d->model;
  R->count = past->count;
  memcpy(R->weight, past->weight, sizeof R->weight);
  for (int i = 0; i < m->nlink; i++) {
    const lb_joint* joint = LB_JOINT[m->link.kind[i]];
    const int q = m->link.q[i], n = m->link.nv[i];
    const double* v = d->qd + m->link.v[i];
    if (!joint->reach_by_rate) {
      continue;
    }
    if (past->impact) {
      stay(R, i, n);
      continue;
    }
    joint->reach_by_rate(R->Q + (size_t)i * LB_STEP_BLOCK, v, past->dt);
    for (int p = 0; p < past->count; p++) {
      const double* other = past->count == 2 ? past->q[1 - p] + q : NULL;
      joint->reach_by_past(R->H[p] + (size_t)i * LB_STEP_BLOCK, d->q + q,
                           (lb_past){past->q[p] + q, other, past->weight[p]}, v, past->dt);
    }
  }
}

// --- matrices ---

// The structure of (5): the one place where it is chosen.
static void choose_layers(lb_step_derivative* S, bool impact) {
  lb_operator* W = &S->sys.op;
  W->tree = impact ? NULL : S->tree;
  W->layer = W->full                   ? &lb_layer_interface
             : W->tree                 ? &lb_layer_tree
             : W->particles && !impact ? &lb_layer_particles
                                       : &lb_layer_plain;
  W->internal = impact ? NULL : &S->internal;
  W->K = impact ? S->still_K : S->D->tau_q;
  W->C = impact ? NULL : S->D->tau_qd;
  W->M = impact ? S->still_M : S->D->M;
  S->impact = impact;
}

// --- constraints: which are equations, and what they do to (5) ---

// At which gaps close in s of (3) and (6).
static double baumgarte_of(bool inner, bool impact, double dt) {
  return inner || impact ? 0 : 1 / dt;
}

// A constraint is closed when s of (3) is below this [m/s or rad/s].
static const double CLOSED = 1e-6;

static void judge_constraints(lb_step_derivative* S, const lb_data* d, const lb_step_past* past) {
  const double baumgarte = baumgarte_of(past->inner, past->impact, past->dt);
  for (int i = 0; i < lb_constraints_count(d); i++) {
    const lb_constraint_row* r = lb_constraints_row(d, i);
    const bool inactive = past->inactive && past->inactive[i];
    const bool ajar = past->impact && r->gap > CLOSED;
    const double rate = inactive ? 0 : r->rate;
    const double s = rate + (inactive ? 1 / past->dt : baumgarte) * r->gap;
    S->of.inactive[i] = inactive;
    S->of.set.state[i] = !r->unilateral || past->lambda[i] > 0 ? LB_ACTIVE
                         : fabs(s) <= CLOSED && !ajar          ? LB_WEAKLY_ACTIVE
                                                               : LB_INACTIVE;
  }
}

// s_q from that of the rate, which is there, and s_v; then E of (4) in place of the gap's.
static void differentiate_row(lb_step_derivative* S, const lb_data* d, int row) {
  const lb_step_rows* R = &S->of;
  const size_t nd = (size_t)S->sys.op.nd, at = (size_t)row * nd;
  const bool landed = R->inactive[row];
  const double rate = landed ? 0 : 1, gap = landed ? 1 / S->reach.dt : R->baumgarte;
  for (size_t k = at; k < at + nd; k++) {
    R->s_q[k] = rate * R->s_q[k] + gap * R->gap_q[k];
    R->s_v[k] = rate * R->J[k];
  }
  lb_step_row(R->gap_q + at, S->sys.op.small, d, S->reach.by_v, R->s_q + at, R->s_v + at);
}

static void differentiate_rows(lb_step_derivative* S, lb_data* d, int count) {
  const lb_step_rows* R = &S->of;
  if (count > 0) {
    lb_constraints_differentiate_rows(S->D, d, R->gap_q, R->s_q, R->J);
  }
  for (int i = 0; i < count; i++) {
    differentiate_row(S, d, i);
  }
}

static bool differentiate_constraints(lb_step_derivative* S, lb_data* d) {
  lb_step_rows* R = &S->of;
  lb_stage_note(&S->sys, &R->set, d);
  differentiate_rows(S, d, R->set.all);
  S->sys.ask[0] = R->baumgarte;
  S->sys.ask[1] = 1;
  return lb_stage_constrain(&S->sys, &R->set, R->gap_q);
}

// --- taking it ---

// K, C and M of (4) at d, whose constraints are all linearised.
static void derive_stage(lb_step_derivative* S, lb_data* d, const lb_step_past* past) {
  const lb_model* m = d->model;
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply_to_links(m, d);
  if (S->sys.op.tree) {
    lb_tree_slopes_take(S->sys.op.tree, S->D, d);
    return;
  }
  const int count = lb_constraints_linearise(m, d, LB_SET_STEP).count;
  if (count > 0) {
    lb_constraints_apply_multipliers(m, d, LB_SET_STEP, past->lambda);
  }
  lb_derive(S->D, d, d->q, d->qd, d->qdd, true);
  lb_forces_differentiate_outer(S->D, d);
  if (count > 0) {
    lb_constraints_differentiate(S->D, d, past->lambda);
  }
  if (S->sys.op.particles) {
    lb_particle_derivative_take(S->sys.op.particles, S->D, d);
  }
  if (S->sys.op.full) {
    lb_full_step_take(S->sys.op.full, S->D);
  }
}

lb_data* lb_step_data(const lb_step_derivative* S, lb_data* d) {
  return S->sys.op.full ? S->sys.op.full->data : d;
}

// Data at which the dynamics are differentiated: d, or the interface model's at the same place.
static lb_data* find_place(lb_step_derivative* S, lb_data* d) {
  memcpy(S->internal.q, d->q, (size_t)S->m->nq * sizeof *d->q);
  memcpy(S->internal.v, d->qd, (size_t)S->m->nv * sizeof *d->qd);
  return S->sys.op.full ? lb_full_step_pose(S->sys.op.full, d) : d;
}

static bool differentiate(lb_step_derivative* S, lb_data* at, const lb_step_past* past) {
  S->dynamics = S->D;
  S->time = at->time;
  lb_stage_forget_torques(&S->sys);
  choose_layers(S, past->impact);
  S->inner = past->inner;
  lb_constraints_set_redundant(at, past->redundant);
  if (!past->impact) {
    lb_step_accelerate(at, past);
    lb_drive(S->m, at);
  }
  lb_data* d = find_place(S, at);
  lb_step_muscles_begin(d, past);
  (past->impact ? lb_step_impact_derive : derive_stage)(S, d, past);
  lb_step_muscles_take(S, d, past);
  lb_stage_find_pushes(&S->sys, S->D, d, !past->impact);
  find_reach(&S->reach, at, past);
  if (lb_constraints_count(d) > 0) {
    judge_constraints(S, d, past);
  }
  return lb_step_factor(S, at, past->dt);
}

// W of (4) at d, what surrounds the tree eliminated, and its factors.
static bool factor_matrix(lb_step_derivative* S, lb_data* d, double dt) {
  lb_operator* W = &S->sys.op;
  S->reach.dt = dt;
  S->reach.by_v = S->impact ? 0 : dt;
  S->of.baumgarte = baumgarte_of(S->inner, S->impact, dt);
  S->sys.rows = 0;
  if (S->impact) {
    return lb_operator_factor_masses(W, W->M);
  }
  if (W->tree) {
    W->factors = &lb_factors_tree;
    return lb_tree_slopes_factor(W->tree, S->internal.v, dt) || lb_operator_factor_tree_matrix(W);
  }
  lb_step_matrix(W->W, S->D, d, dt);
  lb_step_add_internal(W->W, (size_t)W->nd, S->m, S->internal.q, S->internal.v, dt,
                       S->internal.block, S->internal.scratch);
  return lb_operator_factor(W, d, dt, false);
}

bool lb_step_factor(lb_step_derivative* S, lb_data* at, double dt) {
  lb_data* d = lb_step_data(S, at);
  return factor_matrix(S, d, dt) &&
         (lb_constraints_count(d) == 0 || differentiate_constraints(S, d));
}

bool lb_step_newton_matrix(lb_step_derivative* S, lb_data* at, double dt, bool inner,
                           const double* lambda) {
  choose_layers(S, false);
  S->inner = inner;
  lb_data* d = find_place(S, at);
  derive_stage(S, d, &(lb_step_past){.dt = dt, .lambda = lambda});
  const int count = lb_constraints_count(d);
  if (count > 0) {
    memcpy(S->of.inactive, lb_constraints_inactive(d), (size_t)count * sizeof *S->of.inactive);
  }
  if (!factor_matrix(S, d, dt)) {
    return false;
  }
  differentiate_rows(S, d, count);
  return true;
}

void lb_step_newton_pose(lb_step_derivative* S, lb_data* d, double* r) {
  lb_full_step* full = S->sys.op.full;
  for (int i = 0; i < full->nbody; i++) {
    lb_full_derivative_release_held(&full->body[i].T, r + full->body[i].v);
  }
  lb_data* e = lb_full_step_pose(full, d);
  lb_kinematics(e->model, e, e->q, e->qd);
}

// --- products ---

// Changes that do not come from v: dq0, dv0, da0 of (5).
static void gather_causes(lb_step_derivative* S, const lb_step_causes* in) {
  const lb_model* m = S->m;
  const lb_step_reach* R = &S->reach;
  const size_t size = (size_t)m->nv * sizeof(double);
  memset(S->q, 0, size);
  memset(S->v, 0, size);
  memset(S->a, 0, size);
  for (int p = 0; p < R->count; p++) {
    apply_blocks(m, R->H[p], R->weight[p], false, S->q, in->q[p]);
    lb_add(m->nv, S->a, -R->weight[p] / R->dt, in->v[p]);
  }
  lb_elimination_follow(m, S->q);
  lb_elimination_follow(m, S->a);
  lb_step_clear_driven(m, S->a);
  lb_stage_prescribe(m, S->q, m->joint.v, S->v, S->impact ? NULL : S->a, in->motor);
}

const double* lb_step_see(const lb_step_derivative* S, const double* v) {
  return lb_stage_see(&S->sys, v);
}

void lb_step_gather(const lb_step_derivative* S, double* by, double s, const double* seen) {
  lb_stage_gather(&S->sys, by, s, seen);
}

static void forward(lb_step_derivative* S, lb_step_effects* out, const lb_step_causes* in,
                    const double* force) {
  const lb_model* m = S->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  double* dv = S->sys.mu;
  gather_causes(S, in);
  lb_stage_forward(&S->sys, dv, S->q, S->v, S->a, in->motor, force);
  if (out->lambda) {
    memcpy(out->lambda, S->sys.nu, (size_t)S->sys.rows * sizeof *S->sys.nu);
  }
  memcpy(out->q, S->q, size);
  memcpy(out->v, S->v, size);
  memcpy(out->a, S->a, size);
  apply_blocks(m, S->reach.Q, S->reach.by_v, false, out->q, dv);
  lb_add(m->nv, out->v, 1, dv);
  lb_add(m->nv, out->a, 1 / S->reach.dt, dv);
}

// The transpose of what (5) does: sets S's q, v and a, and the system's mu and nu.
static void pull(lb_step_derivative* S, double* motor, const lb_step_effects* in) {
  const lb_model* m = S->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  double* y = S->sys.mu;
  memcpy(S->q, in->q, size);
  memcpy(S->v, in->v, size);
  memcpy(S->a, in->a, size);
  memcpy(y, S->v, size);
  lb_add(m->nv, y, 1 / S->reach.dt, in->a);
  apply_blocks(m, S->reach.Q, S->reach.by_v, true, y, in->q);
  lb_stage_back(&S->sys, S->q, S->v, S->a, motor, y, in->lambda);
}

void lb_step_pull(lb_step_derivative* S, double* by_q, double* by_v, double* by_a,
                  const lb_step_effects* in) {
  const size_t size = (size_t)S->m->nv * sizeof(double);
  pull(S, NULL, in);
  memcpy(by_q, S->q, size);
  memcpy(by_v, S->v, size);
  memcpy(by_a, S->a, size);
}

static void add_torque(lb_step_derivative* S, lb_step_effects* to, int motor, double scale) {
  lb_stage_add_torque(&S->sys, to->q, to->v, to->a, to->lambda, motor, scale);
}

static void back(lb_step_derivative* S, lb_step_causes* out, const lb_step_effects* in) {
  const lb_model* m = S->m;
  const lb_step_reach* R = &S->reach;
  lb_step_muscles_before(S, in);
  pull(S, out->motor, in);
  lb_step_muscles_after(S, out, in, S->sys.mu);
  lb_stage_prescribe_back(m, S->q, m->joint.v, S->v, S->impact ? NULL : S->a, out->motor);
  lb_elimination_fold(m, S->q);
  lb_elimination_fold(m, S->a);
  lb_step_clear_driven(m, S->a);
  for (int p = 0; p < R->count; p++) {
    apply_blocks(m, R->H[p], R->weight[p], true, out->q[p], S->q);
    lb_add(m->nv, out->v[p], -R->weight[p] / R->dt, S->a);
  }
}

// --- the table ---

static int count_one(const lb_step_derivative* S) {
  (void)S;
  return 1;
}

static double moment(const lb_step_derivative* S, int i) {
  (void)i;
  return S->time;
}

// Links of an impact have its accelerations, zero velocities and no gravity: what masses are
// multiplied with in (6).
static lb_step_part pose(lb_step_derivative* S, lb_data* d, int i) {
  (void)i;
  if (S->impact) {
    lb_pose_blow(d, S->v, S->a);
  }
  const lb_stage_system* sys = &S->sys;
  return (lb_step_part){sys->mu, S->impact, S->D, sys->rows, sys->row, sys->nu};
}

static bool look_at_motors(lb_step_derivative* S, lb_data* d) {
  (void)S, (void)d;
  return true;
}

static const double* move_particles(lb_step_derivative* S, const double* v) {
  return S->sys.op.particles ? lb_particle_derivative_spread(S->sys.op.particles, v) : NULL;
}

const lb_derivative_type lb_derivative_stages = {.differentiate = differentiate,
                                                 .forward = forward,
                                                 .back = back,
                                                 .moments = count_one,
                                                 .moment = moment,
                                                 .parts = count_one,
                                                 .pose = pose,
                                                 .look_at_motors = look_at_motors,
                                                 .add_torque = add_torque,
                                                 .move_particles = move_particles,
                                                 .exert = lb_step_exert};

// --- as matrices: what products would cost many times, at once ---

// Column k of -A, A by rows, those of driven coordinates left out.
static void negate_columns(const lb_model* m, double* out, const double* A) {
  const size_t nv = (size_t)m->nv;
  for (size_t k = 0; k < nv; k++) {
    for (size_t i = 0; i < nv; i++) {
      out[i + k * nv] = A ? -A[i * nv + k] : 0;
    }
    lb_step_clear_driven(m, out + k * nv);
  }
}

// The multipliers' share of columns whose own part of the constraints is `s` (NULL: none).
static void close_loops(lb_stage_system* sys, double* columns, const double* s) {
  const size_t nv = (size_t)sys->op.nd;
  for (size_t k = 0; k < nv && sys->rows > 0; k++) {
    for (int i = 0; i < sys->rows; i++) {
      sys->nu[i] = s ? -s[(size_t)sys->row[i] * nv + k] : 0;
    }
    lb_stage_close(sys, columns + k * nv);
  }
}

void lb_step_map(lb_step_derivative* S, double* by_q, double* by_v, double* by_a) {
  const lb_model* m = S->m;
  lb_stage_system* sys = &S->sys;
  LB_ASSERT(sys->op.layer == &lb_layer_plain && m->nv == sys->op.nd);
  double* const to[] = {by_q, by_v, by_a};
  const double* const from[] = {sys->op.K, sys->op.C, sys->op.M};
  const double* const loops[] = {sys->G, sys->H, NULL};
  for (int p = 0; p < 3; p++) {
    negate_columns(m, to[p], from[p]);
    for (int i = 0; i < m->nlink && p == 0 && sys->op.internal; i++) {
      const lb_link* l = &m->link.packed[i];
      if (l->kind == LB_LINK_ELASTIC) {
        lb_reduced_blend_forces(l->reduced, by_q + (size_t)l->v * ((size_t)m->nv + 1), m->nv, -1, 0,
                                S->internal.q + l->q, S->internal.v + l->v, S->internal.block,
                                S->internal.scratch);
      }
    }
    lb_operator_solve(&sys->op, false, m->nv, to[p]);
    close_loops(sys, to[p], loops[p]);
  }
}
