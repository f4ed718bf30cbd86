#include "solve/implicit/linear_euler_derivative.h"

#include <math.h>
#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "dynamics/contact/contact_slopes.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/explicit/explicit_inside.h"
#include "solve/implicit/free_axes.h"

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
  lb_linear_list_problems(L);
  lb_linear_pose(L, d, &L->of[LB_OF_VELOCITIES]);
  lb_derive_forced(L->D, d);
  if (!lb_linear_take_matrices(L, d)) {
    return false;
  }
  for (int i = 0; i < LB_LINEAR_PROBLEMS; i++) {
    if (L->of[i].on) {
      lb_linear_take_problem(L, d, i);
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
  L->sys.ask[0] = lb_linear_baumgarte(L);
  if (which != LB_OF_FREE && L->contacts) {
    lb_contact_slopes_choose(L->contacts, which == LB_OF_PLACES);
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
  if (which != LB_OF_FREE && L->contacts && !lb_contact_slopes_forward(L->contacts, &causes, out)) {
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
  if (L->of[LB_OF_FREE].on) {
    pass_problem(L, LB_OF_FREE, L->free, last, force);
  }
  pass_problem(L, LB_OF_VELOCITIES, L->du, last, force);
  memcpy(L->move, L->du, size);
  if (L->of[LB_OF_PLACES].on) {
    pass_problem(L, LB_OF_PLACES, L->move, last, force);
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
  lb_linear_problem* p = &L->of[which];
  const lb_contact_causes causes = {L->dq, L->dv, L->bias, L->free, last};
  choose(L, which);
  if (which != LB_OF_FREE && L->contacts && !lb_contact_slopes_back(L->contacts, &causes, by)) {
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
  if (L->of[LB_OF_PLACES].on) {
    return_problem(L, LB_OF_PLACES, L->move, last);
  } else {
    lb_add(m->nv, L->du, 1, L->move);
  }
  return_problem(L, LB_OF_VELOCITIES, L->du, last);
  if (L->of[LB_OF_FREE].on) {
    return_problem(L, LB_OF_FREE, L->free, last);
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
  return LB_LINEAR_PROBLEMS + 2;
}

// Motions of free bodies as (1) has them: what turning axes bring is not in it (free_axes.h).
static void still_axes(lb_data* d) {
  for (int i = 0; i < d->model->nlink && d->work->contacts; i++) {
    lb_state* s = &d->work->state[i];
    if (lb_link_turns_free(d->model, i)) {
      s->a -= s->c_a;
      s->w = lb_v4_zero();
    }
  }
}

static lb_step_part pose_part(lb_step_derivative* of, lb_data* d, int i) {
  lb_linear_derivative* L = of->linear;
  if (i < LB_LINEAR_PROBLEMS && L->of[i].on) {
    choose(L, i);
    lb_linear_derive(L, d, &L->of[i], i != LB_OF_FREE);
    still_axes(d);
    return (lb_step_part){
        .mu = L->of[i].mu, .D = L->D, .rows = L->sys.rows, .row = L->sys.row, .nu = L->of[i].nu};
  }
  if (i < LB_LINEAR_PROBLEMS || !L->closes || of->explicit->rows == 0) {
    return (lb_step_part){0};
  }
  const bool later = i == LB_LINEAR_PROBLEMS + 1;
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
  const bool soft =
      m->particles.nparticle > 0 || m->elastic.count > 0 || lb_model_interface(m) != NULL;
  if (soft) {
    what = "ropes, deformables and elastic bodies";
  } else if (m->contact.ncollider + lb_bounded_rows(m) == 0 && lb_constraints_unilateral(m) >= 0) {
    what = "hard stops and floors without 'contacts'";
  } else if (!plain && (m->dof.nfriction > 0 || m->dof.nlimit > 0 || bends)) {
    what = "friction, soft limits and force curves of joints";
  } else if (!plain && (m->constraint.ncompliant > 0 || has_loop_springs(m) ||
                        !(lb_forces_are_diagonal(m) || lb_forces_are_on_joints(m)))) {
    what = "springs, cables and grounds between bodies, and constraints that yield";
  }
  return !what ? LB_OK
               : lb_error_add(err, LB_INVALID, place, "steps of %s with %s have no gradients (%s)",
                              plain ? "euler" : "linear-euler", what,
                              !m->contact.set.on ? "choose 'integrator: bdf1'"
                              : soft             ? "take these or 'contacts' away"
                                                 : "choose 'integrator: euler'");
}

static lb_linear_problem take_problem_memory(lb_arena* arena, const lb_model* m) {
  const size_t nv = (size_t)m->nv, rows = (size_t)lb_constraints_most(m);
  return (lb_linear_problem){.a = LB_TAKE(arena, double, nv),
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
  for (int i = 0; i < LB_LINEAR_PROBLEMS; i++) {
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
  if (status == LB_OK && m->contact.ncollider + lb_bounded_rows(m) > 0) {
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
