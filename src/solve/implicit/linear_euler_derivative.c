// The derivative of a linearly implicit step, with contacts or without, and its transpose. The step
// is found again from its start. docs/theory-contact.md derives it.
//
// Velocities u at its end, multipliers Lambda of loops and impulses lambda of contacts solve
//
//   (1)  r(q0, v0, a) + h K u + C (u - v0) - Jl'Lambda - Jc'lambda/h = 0,   a = (u - v0)/h
//   (2)  Jl u = what is asked, w = Jc u + c lambda + b   with the conditions of contact_problem.h
//
// where r is inverse dynamics less forces, and all of r, J and b depend on q0 and v0. Linearised,
// with the impulses' derivatives by dq in R_q and W = M/h + C + h K,
//
//   (3)  W du - Jl'dLambda = -(R_q dq + R_v dv) + Jc'dlambda/h,   Jl du = -G dq
//
// so du is that of (3) without dlambda (stage_system.h), and then what contacts change in it
// (contact_slopes.h). There may be up to three such problems: of velocities, of those by which
// places change, and without contact, which bounces depend on. They share W and J.
//
// Then places are reached, axes of free bodies turn (free_axes.h), and gaps are closed
// (explicit_close.c).
#include <math.h>
#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "dynamics/contact/contact_slopes.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/explicit/explicit_inside.h"
#include "solve/implicit/free_axes.h"
#include "solve/implicit/linear_euler.h"
#include "solve/step/step_inside.h"

// Problems of a step.
enum { VELOCITIES, PLACES, FREE, PROBLEMS };

typedef struct problem {
  bool on;
  const double* u; // [nv] its velocities
  double* a;       // [nv]
  double* K;       // [nd][nd] R_q
  double* G;       // [rows][nd]
  double* lambda;  // [rows] multipliers, those of unilateral constraints among them
  double *mu, *nu; // [nv], [rows] of the way back
} problem;

typedef struct lb_linear_derivative {
  lb_stepper* st;
  lb_derivatives* D;
  lb_contact_slopes* contacts; // NULL: nothing collides
  lb_linear_step step;
  double h, end;
  bool closes;         // gaps are closed after the step
  lb_stage_system sys; // (3)
  lb_active_set set;
  problem of[PROBLEMS];
  double *C, *M;              // [nd][nd] R_v and W
  double *gap_q, *rate_q, *J; // [rows][nd]
  lb_free_axes_slopes* turn;  // [nlink]
  double *q1, *v1;            // [nq], [nv] the end before gaps are closed
  double *dq, *dv, *bias;     // [nv] changes of the start, or by it
  double *du, *move, *free;   // [nv] of velocities
  double* driven;             // [nv] of what motors prescribe at the end
  double* motor;              // [nmotor][3] as (3) sees them
  double* r;                  // [nv]
} lb_linear_derivative;

// --- taking it ---

static void pose(lb_linear_derivative* L, lb_data* d, const problem* p) {
  const lb_model* m = d->model;
  d->time = L->end;
  memcpy(d->q, L->step.q0, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, L->step.v0, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, p->a, (size_t)m->nv * sizeof *d->qdd);
  if (d->work->contacts) {
    lb_contacts_hold(d->work->contacts, 0); // they act by what is pushed with
  }
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
}

// R of (1) without multipliers, as a right-hand side.
static void find_residual(lb_linear_derivative* L, lb_data* d, const problem* p, bool contact) {
  const lb_model* m = d->model;
  lb_rnea_forced(m, d, L->r, d->q, d->qd, d->qdd);
  if (d->work->contacts) {
    lb_free_axes_remove(m, d, L->r);
  }
  for (int k = 0; k < m->nv; k++) {
    const double more = L->step.more ? L->step.more[k] : 0;
    const double C = L->step.damping ? L->step.damping[k] : 0;
    L->r[k] += more / L->h * p->u[k] - C * L->step.v0[k] - d->work->tau[k];
    L->r[k] = -L->r[k];
  }
  if (contact && L->contacts) {
    lb_contact_slopes_add_forces(L->contacts, L->r);
  }
}

// Multipliers of loops that balance it.
static void balance(lb_linear_derivative* L, const lb_data* d, problem* p, bool contact) {
  const size_t rows = (size_t)L->set.all;
  memset(p->lambda, 0, rows * sizeof *p->lambda);
  if (rows == 0) {
    return;
  }
  if (contact && L->contacts) {
    lb_contact_slopes_multipliers(L->contacts, p->lambda);
  }
  lb_step_clear_driven(d->model, L->r);
  lb_elimination_fold(L->sys.op.small, L->r);
  lb_operator_solve(&L->sys.op, false, 1, L->r);
  memset(L->sys.nu, 0, (size_t)L->sys.rows * sizeof *L->sys.nu);
  lb_stage_close(&L->sys, L->r);
  for (int i = 0; i < L->sys.rows; i++) {
    p->lambda[L->sys.row[i]] = L->sys.nu[i];
  }
}

// R_q: of inverse dynamics, forces, multipliers and impulses.
static void derive(lb_linear_derivative* L, lb_data* d, const problem* p, bool contact) {
  const lb_model* m = d->model;
  pose(L, d, p);
  if (contact && L->contacts) {
    lb_contact_slopes_push(L->contacts, d);
  }
  if (L->set.all > 0) {
    lb_constraints_apply_multipliers(m, d, LB_SET_STEP, p->lambda);
  }
  lb_derive_forced(L->D, d);
  if (L->set.all > 0) {
    lb_constraints_differentiate(L->D, d, p->lambda);
  }
  if (contact && L->contacts) {
    lb_contact_slopes_add_stiffness(L->contacts, L->D);
  }
}

// Derivatives of the constraints' gaps and rates, at a problem's velocities.
static void look_at_rows(lb_linear_derivative* L, lb_data* d, const problem* p) {
  const lb_model* m = d->model;
  memcpy(d->qd, p->u, (size_t)m->nv * sizeof *d->qd);
  lb_kinematics(m, d, d->q, d->qd);
  lb_derive(L->D, d, d->q, d->qd, d->qdd, false);
  lb_constraints_measure(m, d, LB_SET_STEP);
  L->set.all = lb_constraints_count(d);
  if (L->set.all > 0) {
    lb_constraints_differentiate_rows(L->D, d, L->gap_q, L->rate_q, L->J);
  }
}

// At which gaps close.
static double baumgarte_of(const lb_linear_derivative* L) {
  return L->st->solver.closing > L->h ? 1 / L->st->solver.closing : 1 / L->h;
}

static void take_rows(lb_linear_derivative* L, lb_data* d, problem* p) {
  const size_t nd = (size_t)d->model->nv;
  for (int i = 0; i < L->set.all; i++) {
    const double share = lb_constraints_row(d, i)->velocity_level ? 0 : baumgarte_of(L);
    for (size_t k = (size_t)i * nd; k < ((size_t)i + 1) * nd; k++) {
      p->G[k] = L->rate_q[k] + share * L->gap_q[k];
    }
  }
}

// R_v, W and the equations of loops, which all problems share.
static bool take_matrices(lb_linear_derivative* L, lb_data* d) {
  const lb_model* m = d->model;
  const size_t nv = (size_t)m->nv;
  for (size_t i = 0; i < nv; i++) {
    for (size_t k = 0; k < nv; k++) {
      L->M[i * nv + k] = L->D->M[i * nv + k] / L->h;
      L->C[i * nv + k] = L->D->tau_qd[i * nv + k] - L->M[i * nv + k];
    }
    L->M[i * nv + i] += L->step.more ? L->step.more[i] / L->h : 0;
    L->C[i * nv + i] -= L->step.damping ? L->step.damping[i] : 0;
  }
  if (d->work->contacts) {
    lb_free_axes_remove_slopes(m, L->step.v0, L->C);
  }
  lb_stage_find_pushes(&L->sys, L->D, d, true);
  look_at_rows(L, d, &L->of[VELOCITIES]);
  lb_stage_note(&L->sys, &L->set, d);
  for (int i = 0; i < L->set.all; i++) {
    L->set.state[i] = lb_constraints_row(d, i)->unilateral ? LB_INACTIVE : LB_ACTIVE;
  }
  return lb_operator_factor_masses(&L->sys.op, L->M) && lb_stage_constrain(&L->sys, &L->set, L->J);
}

static void take_problem(lb_linear_derivative* L, lb_data* d, int which) {
  const lb_model* m = d->model;
  problem* p = &L->of[which];
  const lb_contact_moves moves = {L->step.v0, L->bias, L->step.free, p->u};
  pose(L, d, p);
  if (which != FREE && L->contacts) {
    lb_contact_slopes_find_rows(L->contacts, d, L->D, which == PLACES, &moves);
  }
  look_at_rows(L, d, p);
  take_rows(L, d, p);
  if (which != FREE && L->contacts) {
    lb_contact_slopes_add_constraints(L->contacts, L->gap_q, L->rate_q);
  }
  pose(L, d, p);
  find_residual(L, d, p, which != FREE);
  balance(L, d, p, which != FREE);
  derive(L, d, p, which != FREE);
  memcpy(p->K, L->D->tau_q, (size_t)m->nv * (size_t)m->nv * sizeof *p->K);
}

static void list_problems(lb_linear_derivative* L) {
  const lb_model* m = L->st->m;
  const double* const velocities[PROBLEMS] = {L->step.end, L->step.move, L->step.free};
  L->of[VELOCITIES].on = true;
  L->of[PLACES].on = L->contacts && lb_contact_slopes_twice(L->contacts);
  L->of[FREE].on = L->contacts && lb_contact_slopes_bounces(L->contacts);
  for (int i = 0; i < PROBLEMS; i++) {
    problem* p = &L->of[i];
    p->u = velocities[i];
    for (int k = 0; k < m->nv; k++) {
      p->a[k] = (p->u[k] - L->step.v0[k]) / L->h;
    }
  }
  memcpy(L->bias, L->step.v0, (size_t)m->nv * sizeof *L->bias);
  for (int k = 0; k < m->nv && L->step.drives; k++) {
    L->bias[k] = m->dof.driven[k] ? L->step.v1[k] : L->bias[k];
  }
}

// --- the step ---

// The step once more, from the start; d is at its end, before gaps are closed.
static bool step_again(lb_linear_derivative* L, lb_data* d, const lb_step_past* past) {
  const lb_model* m = d->model;
  L->h = past->dt;
  L->end = d->time;
  d->time = past->from;
  memcpy(d->q, past->q[0], (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, past->v[0], (size_t)m->nv * sizeof *d->qd);
  lb_constraints_set_active(d, past->active[0]);
  lb_constraints_set_redundant(d, past->redundant);
  lb_constraints_relatch(m, d);
  lb_elimination_hold(m, d);
  if (!L->st->type->step(L->st, d, L->h)) {
    return false;
  }
  L->step = lb_linear_euler_last(L->st);
  L->closes = lb_stepper_leaves_gaps(L->st, d);
  memcpy(L->q1, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(L->v1, d->qd, (size_t)m->nv * sizeof *d->qd);
  return true;
}

static bool take_step(lb_linear_derivative* L, lb_data* d) {
  if (L->contacts && !lb_contact_slopes_take(L->contacts, d, L->D, L->step.q0, L->h)) {
    return false;
  }
  list_problems(L);
  pose(L, d, &L->of[VELOCITIES]);
  lb_derive_forced(L->D, d);
  if (!take_matrices(L, d)) {
    return false;
  }
  for (int i = 0; i < PROBLEMS; i++) {
    if (L->of[i].on) {
      take_problem(L, d, i);
    }
  }
  if (L->contacts) {
    lb_free_axes_differentiate(d->model, L->step.move, L->step.end, L->h, L->turn);
  }
  return true;
}

static bool close_gaps(lb_step_derivative* of, lb_data* d) {
  const lb_model* m = of->m;
  lb_linear_derivative* L = of->linear;
  d->time = L->end;
  memcpy(d->q, L->q1, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, L->v1, (size_t)m->nv * sizeof *d->qd);
  lb_drive(m, d);
  lb_normalise(m, d->q);
  lb_elimination_hold(m, d);
  of->explicit->end = L->end;
  return !L->closes || lb_explicit_close_take(of->explicit, d);
}

static bool differentiate(lb_step_derivative* of, lb_data* d, const lb_step_past* past) {
  lb_linear_derivative* L = of->linear;
  const double end = d->time;
  const bool ok = step_again(L, d, past) && take_step(L, d) && close_gaps(of, d);
  d->time = end;
  lb_constraints_set_active(d, past->active[1]);
  lb_derive(L->D, d, d->q, d->qd, d->qdd, false);
  of->dynamics = L->D;
  return ok;
}

// --- motors ---

// Motors matter when the step begins, by what is driven and by gaps, and at its end.
static int count_moments(const lb_step_derivative* of) {
  (void)of;
  return 2;
}

static double moment(const lb_step_derivative* of, int i) {
  const lb_linear_derivative* L = of->linear;
  return i == 0 ? L->end - L->h : L->end;
}

// The moment whose value a motor counts with in (3): gaps are those of the start.
static int moment_of(const lb_linear_derivative* L, int motor) {
  const bool timed = L->st->solver.closing > L->h;
  return lb_motor_applies_force(L->st->m, motor) || timed ? 1 : 0;
}

static void gather_motors(lb_linear_derivative* L, const double* motor) {
  const int n = L->st->m->nmotor;
  for (int i = 0; i < n; i++) {
    L->motor[3 * i] = motor[3 * (moment_of(L, i) * n + i)];
    L->motor[3 * i + 1] = motor[3 * (n + i) + 1];
    L->motor[3 * i + 2] = 0;
  }
}

static void spread_motors(const lb_linear_derivative* L, double* motor) {
  const int n = L->st->m->nmotor;
  for (int i = 0; i < n; i++) {
    motor[3 * (moment_of(L, i) * n + i)] += L->motor[3 * i];
    motor[3 * (n + i) + 1] += L->motor[3 * i + 1];
  }
}

// Velocities that motors prescribe at the end, zero elsewhere.
static void drive(const lb_model* m, double* v, const double* motor) {
  memset(v, 0, (size_t)m->nv * sizeof *v);
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      v[m->joint.v[m->motor.joint[i]]] = motor[3 * i + 1];
    }
  }
}

static void drive_back(const lb_model* m, double* motor, const double* v) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_prescribes(m, i)) {
      motor[3 * i + 1] += v[m->joint.v[m->motor.joint[i]]];
    }
  }
}

static void choose(lb_linear_derivative* L, int which) {
  L->sys.op.K = L->of[which].K;
  L->sys.G = L->of[which].G;
  L->sys.ask[0] = baumgarte_of(L);
  if (which != FREE && L->contacts) {
    lb_contact_slopes_choose(L->contacts, which == PLACES);
  }
}

// --- forward ---

static void pass_problem(lb_linear_derivative* L, int which, double* out, double* motor,
                         const double* force) {
  const lb_model* m = L->st->m;
  const lb_contact_causes causes = {L->dq, L->dv, L->bias, L->free, motor};
  choose(L, which);
  lb_stage_forward(&L->sys, out, L->dq, L->dv, L->driven, L->motor, force);
  lb_add(m->nv, out, 1, L->driven);
  if (which != FREE && L->contacts && !lb_contact_slopes_forward(L->contacts, &causes, out)) {
    out[0] = NAN;
  }
}

static void forward(lb_step_derivative* of, lb_step_effects* out, const lb_step_causes* in,
                    const double* force) {
  lb_linear_derivative* L = of->linear;
  const lb_model* m = of->m;
  double *first = in->motor, *last = in->motor + 3 * (size_t)m->nmotor;
  const size_t size = (size_t)m->nv * sizeof(double);
  const lb_change_at along = {.v = L->step.move, .h = L->h};
  memcpy(L->dq, in->q[0], size);
  memcpy(L->dv, in->v[0], size);
  lb_elimination_follow(m, L->dq);
  lb_elimination_follow(m, L->dv);
  lb_stage_prescribe(m, L->dq, m->joint.v, L->dv, NULL, first);
  drive(m, L->driven, last);
  gather_motors(L, in->motor);
  memcpy(L->bias, L->dv, size);
  for (int k = 0; k < m->nv && L->step.drives; k++) {
    L->bias[k] = m->dof.driven[k] ? L->driven[k] : L->bias[k];
  }
  memset(L->free, 0, size);
  if (L->of[FREE].on) {
    pass_problem(L, FREE, L->free, last, force);
  }
  pass_problem(L, VELOCITIES, L->du, last, force);
  memcpy(L->move, L->du, size);
  if (L->of[PLACES].on) {
    pass_problem(L, PLACES, L->move, last, force);
  }
  lb_change_pass(LB_CHANGE_ADVANCE, m, along, out->q, L->dq, L->move);
  memcpy(out->v, L->du, size);
  if (L->contacts) {
    lb_free_axes_pass(m, L->turn, &(lb_free_axes_change){L->dq, L->move, L->du}, out->q, out->v);
  }
  lb_stage_prescribe(m, out->q, m->joint.v, out->v, NULL, last);
  lb_elimination_follow(m, out->q);
  lb_elimination_follow(m, out->v);
  if (L->closes) {
    lb_explicit_close_pass(of->explicit, out->q, out->v, last);
  }
}

// --- back ---

static void return_problem(lb_linear_derivative* L, int which, double* by, double* last) {
  const lb_model* m = L->st->m;
  problem* p = &L->of[which];
  const lb_contact_causes causes = {L->dq, L->dv, L->bias, L->free, last};
  choose(L, which);
  if (which != FREE && L->contacts && !lb_contact_slopes_back(L->contacts, &causes, by)) {
    by[0] = NAN;
  }
  lb_add(m->nv, L->driven, 1, by);
  lb_stage_back(&L->sys, L->dq, L->dv, L->driven, L->motor, by, NULL);
  memcpy(p->mu, L->sys.mu, (size_t)m->nv * sizeof *p->mu);
  memcpy(p->nu, L->sys.nu, (size_t)L->sys.rows * sizeof *p->nu);
}

// By q and v of the end, to the start's place and the velocities that they come from.
static void return_end(lb_step_derivative* of, double* q, double* v, double* last) {
  lb_linear_derivative* L = of->linear;
  const lb_model* m = of->m;
  const lb_change_at along = {.v = L->step.move, .h = L->h};
  const size_t size = (size_t)m->nv * sizeof(double);
  double* const zero[] = {L->dq, L->dv, L->bias, L->du, L->move, L->free, L->driven};
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
    memset(zero[i], 0, size);
  }
  memset(L->motor, 0, 3 * (size_t)m->nmotor * sizeof *L->motor);
  if (L->closes) {
    lb_explicit_close_return(of->explicit, q, v, last);
  }
  lb_elimination_fold(m, q);
  lb_elimination_fold(m, v);
  lb_stage_prescribe_back(m, q, m->joint.v, v, NULL, last);
  if (L->contacts) {
    lb_free_axes_return(m, L->turn, &(lb_free_axes_change){L->dq, L->move, L->du}, q, v);
  }
  lb_change_return(LB_CHANGE_ADVANCE, m, along, L->dq, L->move, q);
  lb_add(m->nv, L->du, 1, v);
}

static void back(lb_step_derivative* of, lb_step_causes* out, const lb_step_effects* in) {
  lb_linear_derivative* L = of->linear;
  const lb_model* m = of->m;
  double *first = out->motor, *last = out->motor + 3 * (size_t)m->nmotor;
  return_end(of, in->q, in->v, last);
  if (L->of[PLACES].on) {
    return_problem(L, PLACES, L->move, last);
  } else {
    lb_add(m->nv, L->du, 1, L->move);
  }
  return_problem(L, VELOCITIES, L->du, last);
  if (L->of[FREE].on) {
    return_problem(L, FREE, L->free, last);
  }
  for (int k = 0; k < m->nv; k++) {
    const bool driven = L->step.drives && m->dof.driven[k];
    *(driven ? &L->driven[k] : &L->dv[k]) += L->bias[k];
  }
  drive_back(m, last, L->driven);
  spread_motors(L, out->motor);
  lb_stage_prescribe_back(m, L->dq, m->joint.v, L->dv, NULL, first);
  lb_elimination_fold(m, L->dq);
  lb_elimination_fold(m, L->dv);
  lb_add(m->nv, out->q[0], 1, L->dq);
  lb_add(m->nv, out->v[0], 1, L->dv);
}

// --- parts ---

// The problems, then what closes places and what closes rates.
static int count_parts(const lb_step_derivative* of) {
  (void)of;
  return PROBLEMS + 2;
}

static lb_step_part pose_part(lb_step_derivative* of, lb_data* d, int i) {
  lb_linear_derivative* L = of->linear;
  if (i < PROBLEMS && L->of[i].on) {
    choose(L, i);
    derive(L, d, &L->of[i], i != FREE);
    return (lb_step_part){
        .mu = L->of[i].mu, .D = L->D, .rows = L->sys.rows, .row = L->sys.row, .nu = L->of[i].nu};
  }
  if (i < PROBLEMS || !L->closes || of->explicit->rows == 0) {
    return (lb_step_part){0};
  }
  const bool later = i == PROBLEMS + 1;
  lb_explicit_close_pose(of->explicit, d, later);
  const lb_explicit_close* close = &of->explicit->close;
  return (lb_step_part){.mu = later ? close->velocity_level.mu : close->place.mu,
                        .impact = true,
                        .D = of->explicit->D};
}

static bool look_at_motors(lb_step_derivative* of, lb_data* d) {
  (void)of, (void)d;
  return false;
}

static void add_torque(lb_step_derivative* of, lb_step_effects* to, int motor, double scale) {
  (void)of, (void)to, (void)motor, (void)scale;
}

static const double* move_particles(lb_step_derivative* of, const double* v) {
  (void)of, (void)v;
  return NULL;
}

static void exert(lb_data* d, const lb_step_past* past, double* r, double* lambda) {
  (void)past, (void)r, (void)lambda;
  lb_forward(d->model, d);
}

static lb_status complain(const lb_step_derivative* of, lb_error* err) {
  const lb_linear_derivative* L = of->linear;
  return L->contacts ? lb_contact_slopes_complain(L->contacts, L->end, err) : LB_OK;
}

// --- life ---

static bool has_loop_springs(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->constraint.nloop; i++) {
    const lb_joint_resistance* r = &m->constraint.loop[i].resistance;
    any |= r->stiffness != 0 || r->damping != 0;
  }
  return any;
}

lb_status lb_linear_euler_check(const lb_model* m, bool plain, lb_place place, lb_error* err) {
  const char* what = NULL;
  bool bends = false;
  for (int v = 0; v < m->nv && m->dof.force_curve; v++) {
    bends |= lb_force_curve_bends(&m->dof.force_curve[v]);
  }
  if (m->particles.nparticle > 0 || m->elastic.count > 0 || lb_model_interface(m)) {
    what = "ropes, deformables and elastic bodies";
  } else if (m->contact.ncollider + lb_servos_as_rows(m) == 0 &&
             lb_constraints_unilateral(m) >= 0) {
    what = "hard stops and floors without 'contacts'";
  } else if (!plain && (m->dof.nfriction > 0 || m->dof.nlimit > 0 || bends)) {
    what = "friction, soft limits and force curves of joints";
  } else if (!plain && (m->constraint.ncompliant > 0 || has_loop_springs(m) ||
                        !(lb_forces_are_diagonal(m) || lb_forces_are_on_joints(m)))) {
    what = "springs, cables and grounds between bodies, and constraints that yield";
  }
  return !what ? LB_OK
               : lb_error_add(err, LB_INVALID, place,
                              "steps of linear-euler with %s have no gradients (choose "
                              "'integrator: %s')",
                              what, m->contact.set.on ? "euler" : "bdf1");
}

static problem take_problem_memory(lb_arena* arena, const lb_model* m) {
  const size_t nv = (size_t)m->nv, rows = (size_t)lb_constraints_most(m);
  return (problem){.a = LB_TAKE(arena, double, nv),
                   .K = LB_TAKE(arena, double, nv* nv),
                   .G = LB_TAKE(arena, double, rows* nv),
                   .lambda = LB_TAKE(arena, double, rows),
                   .mu = LB_TAKE(arena, double, nv),
                   .nu = LB_TAKE(arena, double, rows)};
}

static lb_status take_memory(lb_linear_derivative* L, lb_arena* arena, const lb_model* m) {
  const size_t nv = (size_t)m->nv, rows = (size_t)lb_constraints_most(m);
  L->sys = lb_stage_system_take(arena, m, m->nv);
  L->set = lb_active_set_take(arena, nv, rows);
  for (int i = 0; i < PROBLEMS; i++) {
    L->of[i] = take_problem_memory(arena, m);
  }
  double** const matrix[] = {&L->C, &L->M};
  double** const of_rows[] = {&L->gap_q, &L->rate_q, &L->J};
  double** const of_nv[] = {&L->v1,   &L->dq,   &L->dv,     &L->bias, &L->du,
                            &L->move, &L->free, &L->driven, &L->r};
  for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++) {
    *matrix[i] = LB_TAKE(arena, double, nv* nv);
  }
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) {
    *of_rows[i] = LB_TAKE(arena, double, rows* nv);
  }
  for (size_t i = 0; i < sizeof of_nv / sizeof *of_nv; i++) {
    *of_nv[i] = LB_TAKE(arena, double, nv);
  }
  L->q1 = LB_TAKE(arena, double, m->nq);
  L->motor = LB_TAKE(arena, double, 3 * m->nmotor);
  L->turn = lb_arena_take_array(arena, (size_t)m->nlink, sizeof *L->turn, LB_ALIGN);
  L->sys.op.C = L->C;
  L->sys.op.M = L->M;
  L->sys.J = L->sys.B = L->J;
  L->sys.ask[1] = 1;
  return lb_arena_status(arena);
}

static lb_status make_parts(lb_linear_derivative* L, const lb_step_derivative* of, lb_integrator by,
                            lb_error* err) {
  const lb_model* m = of->m;
  lb_scene_solver solver = m->solver;
  solver.integrator = by;
  lb_status status = lb_stepper_create(m, &solver, of->allocator, &L->st, err);
  if (status == LB_OK) {
    L->st->watched = true; // contacts are found as those of the run
    status = lb_derivatives_create(m, of->allocator, &L->D, err);
  }
  if (status == LB_OK && m->contact.ncollider + lb_servos_as_rows(m) > 0) {
    L->contacts = lb_contact_slopes_create(m, of->allocator);
    status = L->contacts ? LB_OK : LB_NO_MEMORY;
  }
  return status;
}

static lb_status create(lb_step_derivative* of, lb_integrator by, lb_error* err) {
  lb_status status = lb_linear_euler_check(of->m, by == LB_INTEGRATOR_EULER, (lb_place){0}, err);
  if (status == LB_OK) {
    status = lb_derivative_explicit.create(of, LB_INTEGRATOR_EULER, err); // what closes gaps
  }
  if (status != LB_OK) {
    return status;
  }
  of->linear = LB_TAKE(&of->arena, lb_linear_derivative, 1);
  status = of->linear ? take_memory(of->linear, &of->arena, of->m) : LB_NO_MEMORY;
  status = status == LB_OK ? make_parts(of->linear, of, by, err) : status;
  return status == LB_NO_MEMORY ? lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                                               "out of memory for derivatives of '%s'", of->m->name)
                                : status;
}

static void release(lb_step_derivative* of) {
  lb_derivative_explicit.release(of);
  if (of->linear) {
    lb_contact_slopes_release(of->linear->contacts);
    lb_derivatives_release(of->linear->D);
    lb_stepper_release(of->linear->st);
  }
}

const lb_derivative_type lb_derivative_linear = {.restarts = true,
                                                 .create = create,
                                                 .release = release,
                                                 .differentiate = differentiate,
                                                 .forward = forward,
                                                 .back = back,
                                                 .moments = count_moments,
                                                 .moment = moment,
                                                 .parts = count_parts,
                                                 .pose = pose_part,
                                                 .look_at_motors = look_at_motors,
                                                 .add_torque = add_torque,
                                                 .move_particles = move_particles,
                                                 .exert = exert,
                                                 .complain = complain};
