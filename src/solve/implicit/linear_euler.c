// Linearly implicit Euler, [red] eq. 4.82: forces at the step's start, with their stiffness and
// damping at its end to first order, so that a step is one linear system.
//
//   (M + h C + h^2 K) v1 = M v0 + h f(q0, v0) + h C v0,    q1 = q0 + h v1
//
// or, for the change of velocity, with the residual r of inverse dynamics at q0, v0 and a = 0,
//
//   W dv = -(r + h K v0),   W = M/h + C + h K
//
// K and C are those of springs, dampers and elastic bodies (lb_force's `stiffen`), as they act on
// the links, both symmetric: how the links' directions change is left out, as are gravity's
// gradient and gyroscopic terms. What depends on time is taken at the step's end. Loops are closed
// by the velocities of the end, J v1 = -gap/h with the gap of the start, and unilateral constraints
// ask for J v1 >= -gap/h. Where the scene says in what time T gaps close, J v1 = -gap/T with the
// gap of the start to where paths lead at the end (eq. 4.102 with Baumgarte's stabilisation).
//
// Semi-implicit Euler takes these steps, too, where things collide, with K and C left out.
//
// Where nothing but the joints' own springs and dampers is stiff, W is the mass matrix with more on
// its diagonal, and a step is linear in the links.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "dynamics/system/kkt.h"
#include "dynamics/system/tree_system.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "solve/implicit/free_axes.h"
#include "solve/implicit/free_momentum.h"
#include "solve/implicit/linear_euler.h"
#include "solve/particle/particle_matrix.h"
#include "solve/step/schur.h"
#include "solve/step/step_matrix.h"
#include "solve/step/stepper.h"

typedef struct linear {
  double *q0, *v0;          // state at the start
  double* v1;               // [nv] velocities of driven coordinates at the end
  double* r;                // [nv] W dv
  double* dv;               // [nv]
  lb_tree_factor* tree;     // or NULL
  double* more;             // [nv] on the diagonal of the mass matrix
  double* damping;          // [nv] its share of velocities, but for the dense matrix
  double *free, *met;       // [nv] velocities without contact and with it, before axes turn
  lb_kkt* kkt;              // of rigid trees under constraints, or NULL
  double* mu;               // [rows] right-hand sides of constraints, then multipliers
  double* lambda;           // [rows] Lagrange multipliers of the last step
  bool timed;               // constraints depend on time
  bool plain;               // forces are those of the start alone: semi-implicit Euler
  double h, end;            // of the last step, and its end
  lb_free_momentum* flight; // where things collide or mechanisms are reduced, else NULL
  double baumgarte;         // at which loops close in this step [1/s]; 0: within it
  // of models that are more than trees
  lb_operator W;
  lb_schur schur;
  double* gap; // [rows] at the start
  lb_derivatives* derivatives;
} linear;

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
}

static bool depends_on_time(const lb_model* m) {
  bool any = m->constraint.nprescribed > 0;
  for (int i = 0; i < m->constraint.nloop; i++) {
    any |= m->constraint.loop_motor[i] >= 0;
  }
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    any |= m->constraint.coupling[i].path != NULL || m->constraint.coupling[i].velocity_level;
  }
  return any || m->nmotor > 0;
}

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  if (m->ndense < m->nv - 3 * m->particles.nfree) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "linear-euler cannot step all the nodes of elastic bodies");
  }
  linear* own = st->own = LB_TAKE(&st->arena, linear, 1);
  const bool plain = st->solver.integrator == LB_INTEGRATOR_EULER;
  if (plain && m->particles.nparticle > 0) {
    return lb_error_add(err, LB_INVALID, m->contact.set.place,
                        "euler cannot step ropes and deformables beside contacts, servos and "
                        "stops that yield "
                        "(choose linear-euler)");
  }
  double* block = own ? LB_TAKE(&st->arena, double, m->nq + 8 * m->nv) : NULL;
  if (!block) {
    return no_memory(err);
  }
  own->plain = plain;
  double** const part[] = {&own->q0,   &own->v0,      &own->v1,   &own->r,  &own->dv,
                           &own->more, &own->damping, &own->free, &own->met};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = block;
    block += i < 1 ? m->nq : m->nv;
  }
  if (m->contact.ncollider + m->mechanism.count > 0 &&
      !(own->flight = lb_free_momentum_create(m, &st->arena))) {
    return no_memory(err);
  }
  if (lb_forces_are_diagonal(m)) {
    own->tree = lb_tree_factor_create(m, &st->arena);
    return own->tree ? LB_OK : no_memory(err);
  }
  const int rows = lb_constraints_most(m);
  own->mu = LB_TAKE(&st->arena, double, rows);
  own->lambda = LB_TAKE(&st->arena, double, rows);
  own->gap = LB_TAKE(&st->arena, double, rows);
  if (lb_kkt_fits(m) && lb_forces_are_on_joints(m)) {
    own->timed = depends_on_time(m);
    return lb_arena_status(&st->arena) == LB_OK
               ? lb_kkt_create_alone(m, st->arena.allocator, &own->kkt, err)
               : no_memory(err);
  }
  own->schur = lb_schur_take(&st->arena, rows, m->ndense);
  if (lb_operator_create(&own->W, m, &st->arena) != LB_OK) {
    return no_memory(err);
  }
  return lb_derivatives_create(own->W.small, st->arena.allocator, &own->derivatives, err);
}

static void release(lb_stepper* st) {
  const linear* own = st->own;
  lb_kkt_release(own->kkt);
  lb_derivatives_release(own->derivatives);
}

// The state of the start, with the time and the driven velocities of the end beside it.
static void begin(const lb_model* m, linear* own, lb_data* d, double h) {
  memcpy(own->q0, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(own->v0, d->qd, (size_t)m->nv * sizeof *d->qd);
  d->time += h;
  lb_drive(m, d);
  memcpy(own->v1, d->qd, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->q, own->q0, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, own->v0, (size_t)m->nv * sizeof *d->qd);
  memset(d->qdd, 0, (size_t)m->nv * sizeof *d->qdd);
  lb_muscles_begin(d, h, d->x);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
}

// Where things collide, free bodies turn their axes at the end (free_axes.h).
static void free_axes(const lb_model* m, const lb_data* d, double* r) {
  if (d->work->contacts) {
    lb_free_axes_remove(m, d, r);
  }
}

// --- trees ---

typedef struct tree_job {
  const lb_model* m;
  linear* own;
  lb_data* d;
  double h;
  atomic_bool failed;
} tree_job;

// dv of links [first, last) from the residual.
static void solve_links(void* context, int first, int last) {
  tree_job* job = context;
  const lb_model* m = job->m;
  linear* own = job->own;
  const lb_data* d = job->d;
  const double h = job->h;
  if (d->work->contacts) {
    lb_free_axes_remove_links(m, d, first, last, own->r);
  }
  const int end = last > first ? m->link.v[last - 1] + m->link.nv[last - 1] : 0;
  for (int k = last > first ? m->link.v[first] : 0; k < end; k++) {
    const double K = own->plain ? 0 : own->more[k], C = own->plain ? 0 : m->dof.damping[k];
    own->damping[k] = C;
    own->dv[k] = -h * (own->r[k] - d->work->tau[k] + h * K * own->v0[k]);
    own->more[k] = h * (C + h * K);
  }
  if (!lb_tree_factor_make_links(own->tree, d, first, last, own->more)) {
    atomic_store(&job->failed, true);
    return;
  }
  lb_tree_factor_solve_links(own->tree, first, last, own->dv);
  for (int i = first; i < last; i++) {
    const int v = m->link.v[i];
    own->dv[v] = m->link.driven[i] ? own->v1[v] - own->v0[v] : own->dv[v];
  }
}

// The accelerations of driven coordinates go into the residual; those of the others come out.
static bool solve_tree(const lb_model* m, linear* own, lb_data* d, double h) {
  tree_job job = {.m = m, .own = own, .d = d, .h = h};
  for (int i = 0; m->nmotor > 0 && i < m->nlink; i++) {
    const int v = m->link.v[i];
    d->qdd[v] = m->link.driven[i] ? (own->v1[v] - own->v0[v]) / h : d->qdd[v];
  }
  lb_rnea_moved(m, d, own->r, d->qdd);
  lb_joint_springs_slopes(m, d->q, own->more);
  lb_for_trees(m, d, solve_links, &job);
  return !atomic_load(&job.failed);
}

// --- rigid trees under constraints ---

// Unilateral constraints beside contacts are solved for with these.
static lb_constraint_set step_set(const lb_data* d) {
  return d->work->contacts ? LB_SET_STEP | LB_SET_BILATERAL : LB_SET_STEP;
}

// Constraints with the rates that are asked for at the end of the step, and gaps of its start:
// prescribed points are where they should be then. At velocity level the gaps are those to where
// they are prescribed.
static lb_constraint_rows read_rows(const lb_model* m, linear* own, lb_data* d, double h) {
  d->time -= h;
  const lb_constraint_set set = step_set(d);
  lb_constraint_rows rows = lb_constraints_measure(m, d, set);
  d->time += h;
  for (int i = 0; i < rows.count; i++) {
    own->gap[i] = rows.gap[i];
  }
  if (own->timed || !own->kkt) {
    rows = (own->kkt ? lb_constraints_measure : lb_constraints_linearise)(m, d, set);
  }
  rows.gap = own->baumgarte > 0 ? rows.gap : own->gap;
  return rows;
}

static lb_kkt_target wish_of(const linear* own, double h) {
  return (lb_kkt_target){own->baumgarte > 0 ? own->baumgarte : 1 / h, 1, 1, h};
}

// Velocities of driven coordinates at the end of the step, where there are any.
static void drive(const lb_model* m, const linear* own, lb_data* d) {
  if (m->nmotor == 0) {
    return;
  }
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    d->qd[v] = m->link.driven[i] ? own->v1[v] : d->qd[v];
  }
  lb_kinematics(m, d, d->q, d->qd);
}

// dv of a KKT system that is written for v -= dv, with h mu for its multipliers.
static bool solve_kkt(const lb_model* m, linear* own, lb_data* d, double h) {
  double *C = own->more, *K = own->dv;
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    d->qdd[v] = m->link.driven[i] ? (own->v1[v] - own->v0[v]) / h : d->qdd[v];
  }
  lb_rnea_moved(m, d, own->r, d->qdd);
  free_axes(m, d, own->r);
  lb_resistance_diagonals(m, d, K, C);
  if (own->plain) {
    memset(K, 0, (size_t)m->nv * sizeof *K);
    memset(C, 0, (size_t)m->nv * sizeof *C);
  }
  for (int k = 0; k < m->nv; k++) {
    const double r = own->r[k] - d->work->tau[k] + h * K[k] * own->v0[k];
    own->damping[k] = C[k];
    own->more[k] = h * (C[k] + h * K[k]);
    own->dv[k] = h * r;
  }
  drive(m, own, d);
  const lb_constraint_rows rows = read_rows(m, own, d, h);
  if (!lb_kkt_factor(
          own->kkt, d,
          (lb_kkt_terms){.diagonal = own->more, .dt = own->plain ? 0 : h, .linear = true})) {
    return false;
  }
  for (int i = 0; i < rows.count; i++) {
    own->mu[i] = lb_kkt_asked(&rows, i, wish_of(own, h));
  }
  lb_kkt_solve(own->kkt, own->dv, own->mu, NULL);
  for (int i = 0; i < rows.count; i++) {
    own->lambda[i] = own->mu[i] / h;
  }
  for (int k = 0; k < m->nv; k++) {
    own->dv[k] = m->dof.driven[k] ? own->v1[k] - own->v0[k] : -own->dv[k];
  }
  return true;
}

// --- everything else ---

// Particles of ropes and deformables: minus what is left of their residual, and what driven
// coordinates do to them.
static void gather_nodes(const lb_model* m, linear* own, lb_data* d, double h) {
  double* r = own->r;
  for (int k = m->ndense; k < m->nv; k++) {
    const double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};
    r[k] = -d->work->tau[k] - m->dof.armature[k] * g[(k - m->ndense) % 3];
  }
  for (int k = 0; k < m->ndense; k++) {
    r[k] = -r[k];
  }
  lb_particle_matrix_add_product(own->W.symmetric, d, (lb_particle_share){0, 0, h}, own->v0, r);
  memset(own->dv, 0, (size_t)m->nv * sizeof *own->dv);
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    own->dv[v] = m->link.driven[i] ? own->v1[v] - own->v0[v] : own->dv[v];
  }
  lb_particle_matrix_add_product(own->W.symmetric, d, (lb_particle_share){0, 1, h}, own->dv, r);
  for (int k = 0; k < m->nv; k++) {
    r[k] = m->dof.driven[k] ? 0 : -r[k];
  }
}

// W, its right-hand side in r and dv; rows of driven coordinates have their motors' targets.
static void assemble(const lb_model* m, linear* own, lb_data* d, double h) {
  lb_derivatives* D = own->derivatives;
  const size_t nv = (size_t)m->ndense;
  lb_derive(D, d, d->q, d->qd, d->qdd, true);
  free_axes(m, d, D->tau);
  lb_forces_stiffen(D, d);
  if (own->plain) {
    memset(D->tau_q, 0, nv * nv * sizeof *D->tau_q);
    memset(D->tau_qd, 0, nv * nv * sizeof *D->tau_qd);
  }
  for (size_t k = 0; k < nv * nv; k++) {
    own->W.W[k] = D->M[k] / h + D->tau_qd[k] + h * D->tau_q[k];
  }
  for (size_t k = 0; k < nv; k++) {
    own->r[k] = d->work->tau[k] - D->tau[k] - h * lb_dot((int)nv, D->tau_q + k * nv, own->v0);
  }
  for (int i = 0; i < m->nlink; i++) {
    const size_t v = (size_t)m->link.v[i];
    for (size_t j = 0; m->link.driven[i] && j < nv; j++) {
      own->r[j] -= own->W.W[j * nv + v] * (own->v1[v] - own->v0[v]);
      own->W.W[j * nv + v] = own->W.W[v * nv + j] = j == v;
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    own->r[v] = m->link.driven[i] ? 0 : own->r[v];
  }
}

static bool solve_dense(const lb_model* m, linear* own, lb_data* d, double h) {
  assemble(m, own, d, h);
  if (own->W.symmetric) {
    gather_nodes(m, own, d, h);
  }
  if (!lb_operator_factor(&own->W, d, h, false)) {
    return false;
  }
  drive(m, own, d);
  const lb_constraint_rows rows = read_rows(m, own, d, h);
  for (int k = 0; k < m->nv; k++) {
    own->dv[k] = own->r[k] = -own->r[k]; // the loops' solver is written for v -= dv
  }
  double* y = own->W.layer->before(&own->W, false, own->dv);
  lb_operator_solve(&own->W, false, 1, y);
  if (rows.count > 0) {
    // what springs press on may outweigh masses: the matrix need not be definite
    lb_schur_forget(&own->schur, m->ndense, true);
    memset(own->lambda, 0, (size_t)rows.count * sizeof *own->lambda);
    lb_schur_correct(&own->schur, &own->W, &rows, rows.J, m->nv, NULL, wish_of(own, h), own->lambda,
                     y, own->r);
  }
  own->W.layer->after(&own->W, false, own->dv);
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    own->dv[v] = m->link.driven[i] ? own->v0[v] - own->v1[v] : own->dv[v];
  }
  for (int k = 0; k < m->nv; k++) {
    own->dv[k] = -own->dv[k];
  }
  return true;
}

// --- contact ---

// W^-1 b, W in units of mass, with what constraints leave of it.
static void solve_system(void* context, double* b) {
  const linear* own = context;
  if (own->tree) {
    lb_tree_factor_solve(own->tree, b);
  } else if (own->kkt) {
    lb_kkt_solve_homogeneous(own->kkt, b);
  } else {
    lb_operator* W = (lb_operator*)&own->W;
    lb_step_clear_driven(W->m, b);
    double* y = W->layer->before(W, false, b);
    lb_operator_solve(W, false, 1, y);
    if (own->schur.count > 0) {
      lb_schur_project((lb_schur*)&own->schur, y);
    }
    W->layer->after(W, false, b);
    for (int k = 0; k < W->m->nv; k++) {
      b[k] /= own->h;
    }
  }
}

// Contacts of a step, solved again for as long as bodies that are struck meet others.
static bool meet_struck(const lb_model* m, linear* own, lb_data* d, double h) {
  enum { ROUNDS = 8 };
  lb_contacts* C = d->work->contacts;
  const lb_contact_system W = {own, solve_system, false};
  bool ok = lb_contacts_solve(C, d, h, W, own->dv);
  for (int i = 1; ok && lb_contacts_struck(C, d, own->dv, h, i == ROUNDS) && i < ROUNDS; i++) {
    memcpy(d->qd, own->free, (size_t)m->nv * sizeof *d->qd);
    ok = lb_contacts_detect_again(C, d, h) && lb_contacts_solve(C, d, h, W, own->dv);
  }
  return ok;
}

// Velocities of the end in d, and those that places change by.
static bool meet(const lb_model* m, linear* own, lb_data* d, double h) {
  lb_contacts* C = d->work->contacts;
  memcpy(own->free, d->qd, (size_t)m->nv * sizeof *d->qd);
  memcpy(own->met, d->qd, (size_t)m->nv * sizeof *d->qd);
  if (!C) {
    memcpy(own->dv, d->qd, (size_t)m->nv * sizeof *d->qd);
    return true;
  }
  own->h = h;
  if (!meet_struck(m, own, d, h)) {
    return false;
  }
  memcpy(own->met, d->qd, (size_t)m->nv * sizeof *d->qd);
  if (own->lambda) {
    lb_contacts_multipliers(C, own->lambda);
  }
  return true;
}

// Momentum is kept in flight, but in runs that are differentiated, whose derivatives do not know
// it.
static lb_free_momentum* flight_of(const lb_stepper* st) {
  return st->watched ? NULL : ((const linear*)st->own)->flight;
}

static bool detect(lb_stepper* st, lb_data* d, double h, bool found) {
  if (d->work->contacts && !found && !lb_contacts_detect(d->work->contacts, d, h)) {
    return false;
  }
  if (flight_of(st)) {
    if (!d->work->contacts || found) {
      lb_move_origins(d->model, d->work, d->qd);
    }
    lb_free_momentum_begin(flight_of(st), d);
  }
  return true;
}

// `found`: points of contact are those of this step already.
static bool advance(lb_stepper* st, lb_data* d, double h, bool found) {
  const lb_model* m = st->m;
  linear* own = st->own;
  own->baumgarte = st->solver.closing > h ? 1 / st->solver.closing : 0;
  if (d->work->contacts) {
    lb_contacts_isolate(d->work->contacts, st->watched);
    lb_contacts_follow_ways(d->work->contacts, true);
    lb_contacts_begin(d->work->contacts);
  }
  begin(m, own, d, h);
  if (!detect(st, d, h, found) || !(own->tree  ? solve_tree
                                    : own->kkt ? solve_kkt
                                               : solve_dense)(m, own, d, h)) {
    return false;
  }
  memcpy(d->qd, own->v0, (size_t)m->nv * sizeof *d->qd);
  lb_add(m->nv, d->qd, 1, own->dv);
  if (!meet(m, own, d, h)) {
    return false;
  }
  if (d->work->contacts) {
    lb_free_axes_end(m, d, own->q0, own->dv, h);
  } else {
    lb_advance(m, d->q, own->dv, h);
  }
  lb_constraints_keep_active(m, d, LB_SET_STEP, own->lambda);
  lb_muscles_end(m, d);
  own->h = h;
  own->end = d->time;
  st->count++;
  return true;
}

static bool step(lb_stepper* st, lb_data* d, double h) {
  return advance(st, d, h, false);
}

bool lb_linear_euler_meet(lb_stepper* st, lb_data* d, double h) {
  return advance(st, d, h, true);
}

static void finish(lb_stepper* st, lb_data* d, double h) {
  if (flight_of(st)) {
    lb_free_momentum_keep(flight_of(st), d, h);
  }
}

// Compliant constraints have exerted what the step says, also where gaps of second order are
// beside it.
static void observe(lb_stepper* st, lb_data* d) {
  const linear* own = st->own;
  const bool at_end = fabs(d->time - own->end) <= 1e-9 * own->h; // callers round the time
  const bool held = st->m->constraint.ncompliant > 0 && st->count > 0 && at_end;
  if (held) {
    lb_compliant_hold(st->m, d, own->q0, own->dv, own->h);
  }
  lb_forward(st->m, d);
  if (held) {
    lb_compliant_free(d);
  }
}

lb_linear_step lb_linear_euler_last(const lb_stepper* st) {
  const linear* own = st->own;
  const bool dense = !own->tree && !own->kkt;
  return (lb_linear_step){.q0 = own->q0,
                          .v0 = own->v0,
                          .v1 = own->v1,
                          .free = own->free,
                          .end = own->met,
                          .move = own->dv,
                          .more = dense ? NULL : own->more,
                          .damping = dense ? NULL : own->damping,
                          .drives = !own->tree && st->m->nmotor > 0};
}

static void renew(lb_stepper* st) {
  lb_kkt_forget(((const linear*)st->own)->kkt);
}

const double* lb_linear_euler_multipliers(const lb_stepper* st) {
  const linear* own = st->own;
  return own->tree ? NULL : own->lambda;
}

const lb_stepper_type lb_stepper_linear_euler = {.create = create,
                                                 .release = release,
                                                 .step = step,
                                                 .observe = observe,
                                                 .closes_loops = true,
                                                 .finish = finish,
                                                 .renew = renew,
                                                 .derivative = &lb_derivative_linear,
                                                 .reach = 15,
                                                 .records = 1};
