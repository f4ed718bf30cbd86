#include <string.h>

#include "base/assert.h"
#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "model/use/model_derive.h"
#include "model/use/motor_use.h"
#include "solve/explicit/explicit_changes.h"
#include "solve/explicit/explicit_inside.h"

// --- taking it ---

// d to where the weights of the slopes say.
static void combine(const lb_explicit_derivative* S, double* q, double* v, const double* q0,
                    const double* v0, int stages, const double* weight) {
  const lb_model* m = S->m;
  memcpy(q, q0, (size_t)m->nq * sizeof *q);
  memcpy(v, v0, (size_t)m->nv * sizeof *v);
  for (int j = 0; j < stages; j++) {
    lb_add(m->nq, q, S->h * weight[j], S->stage[j].rate);
    lb_add(m->nv, v, S->h * weight[j], S->stage[j].a);
  }
}

// Projection of the stages' result, as lb_project does.
static bool project(lb_explicit_derivative* S, lb_data* d) {
  const lb_model* m = S->m;
  memcpy(d->q, S->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, S->v, (size_t)m->nv * sizeof *d->qd);
  d->time = S->end;
  lb_drive(m, d);
  lb_normalise(m, d->q);
  lb_elimination_hold(m, d);
  return lb_explicit_close_take(S, d);
}

// Derivative of a step of h from d, which goes to its end.
static bool differentiate_from(lb_explicit_derivative* S, lb_data* d, double h) {
  const lb_model* m = S->m;
  const lb_tableau* t = &S->table;
  const double begin = d->time;
  bool ok = true;
  lb_elimination_hold(m, d);
  S->h = h;
  S->end = begin + h;
  memcpy(S->q0, d->q, (size_t)m->nq * sizeof *S->q0);
  memcpy(S->dv, d->qd, (size_t)m->nv * sizeof *S->dv);
  for (int i = 0; i < t->stages && ok; i++) {
    d->time = begin + t->c[i] * h;
    combine(S, d->q, d->qd, S->q0, S->dv, i, t->a + i * t->stages);
    ok = lb_explicit_stage_take(S, d, &S->stage[i]);
  }
  combine(S, S->q, S->v, S->q0, S->dv, t->stages, t->b);
  if (S->table.semi_implicit) { // the place follows the new velocity
    memcpy(S->q, S->q0, (size_t)m->nq * sizeof *S->q);
    lb_advance(m, S->q, S->v, h);
  }
  return ok && project(S, d);
}

static bool differentiate(lb_step_derivative* of, lb_data* d, const lb_step_past* past) {
  lb_explicit_derivative* S = of->explicit;
  const lb_model* m = S->m;
  const double end = d->time;
  d->time = past->from;
  memcpy(d->q, past->q[0], (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, past->v[0], (size_t)m->nv * sizeof *d->qd);
  lb_constraints_set_active(d, past->active[0]);
  lb_constraints_set_redundant(d, past->redundant);
  lb_constraints_relatch(m, d);
  const bool ok = differentiate_from(S, d, past->dt);
  d->time = end;
  lb_constraints_set_active(d, past->active[1]);
  S->seen = false;
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  of->dynamics = S->D;
  return ok;
}

static int count_moments(const lb_step_derivative* of) {
  return of->explicit->table.stages + 1;
}

static double moment(const lb_step_derivative* of, int i) {
  const lb_explicit_derivative* S = of->explicit;
  return i < S->table.stages ? S->stage[i].time : S->end;
}

static size_t motors_at(const lb_explicit_derivative* S, int moment) {
  return 3 * (size_t)moment * (size_t)S->m->nmotor;
}

// --- forward ---

// Changes of sums of slopes.
static void add_slopes(const lb_explicit_derivative* S, double* dq, double* dv, int stages,
                       const double* weight) {
  for (int j = 0; j < stages; j++) {
    lb_add(S->m->nq, dq, S->h * weight[j], S->stage[j].rate);
    lb_add(S->m->nv, dv, S->h * weight[j], S->stage[j].gain);
  }
}

static void pass_stage(lb_explicit_derivative* S, int i, const double* motor) {
  const lb_model* m = S->m;
  lb_explicit_stage* s = &S->stage[i];
  memcpy(s->dq, S->dq, (size_t)m->nq * sizeof *s->dq);
  memcpy(s->dv, S->dv, (size_t)m->nv * sizeof *s->dv);
  memset(s->gain, 0, (size_t)m->nv * sizeof *s->gain);
  add_slopes(S, s->dq, s->dv, i, S->table.a + i * S->table.stages);
  lb_stage_prescribe(m, s->dq, m->joint.q, s->dv, s->gain, motor);
  lb_explicit_stage_pass(S, s, motor);
}

static void forward(lb_step_derivative* of, lb_step_effects* out, const lb_step_causes* in,
                    const double* force) {
  lb_explicit_derivative* S = of->explicit;
  const lb_model* m = S->m;
  const double* motor = in->motor;
  const int stages = S->table.stages;
  const lb_change_at end = {S->q, S->v, S->h};
  const size_t nv = (size_t)m->nv * sizeof(double);
  (void)force;
  LB_ASSERT(!force); // each of its stages would have its own
  memcpy(S->start, in->q[0], nv);
  memcpy(S->dv, in->v[0], nv);
  lb_elimination_follow(m, S->start);
  lb_elimination_follow(m, S->dv);
  lb_change_pass(LB_CHANGE_LIFT, m, (lb_change_at){.q = S->q0}, S->dq, S->start, NULL);
  for (int i = 0; i < stages; i++) {
    pass_stage(S, i, motor + motors_at(S, i));
  }
  add_slopes(S, S->dq, S->dv, stages, S->table.b);
  if (S->table.semi_implicit) {
    lb_change_pass(LB_CHANGE_ADVANCE, m, end, S->xi, S->start, S->dv);
  } else {
    lb_change_pass(LB_CHANGE_PROJECT, m, end, S->xi, S->dq, NULL);
  }
  memcpy(out->q, S->xi, nv);
  memcpy(out->v, S->dv, nv);
  motor += motors_at(S, stages);
  lb_stage_prescribe(m, out->q, m->joint.v, out->v, NULL, motor);
  lb_elimination_follow(m, out->q);
  lb_elimination_follow(m, out->v);
  lb_explicit_close_pass(S, out->q, out->v, motor);
}

// --- back ---

static void return_seen(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  lb_explicit_stage* s = &S->stage[S->table.stages];
  lb_explicit_stage_return(S, s, motor);
  lb_change_return(LB_CHANGE_LIFT, S->m, (lb_change_at){.q = s->q}, q, NULL, s->dq);
  lb_add(S->m->nv, v, 1, s->dv);
}

// Adjoint of stage i's slopes: dq and dv of the end and of later stages times their weights.
static void gather_slopes(lb_explicit_derivative* S, int i, const double* dq, const double* dv) {
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  lb_explicit_stage* s = &S->stage[i];
  memset(s->rate, 0, (size_t)m->nq * sizeof *s->rate);
  memset(s->gain, 0, (size_t)m->nv * sizeof *s->gain);
  memset(s->by.nu, 0, (size_t)S->rows * sizeof *s->by.nu);
  lb_add(m->nq, s->rate, S->h * S->table.b[i], dq);
  lb_add(m->nv, s->gain, S->h * S->table.b[i], dv);
  for (int j = i + 1; j < stages; j++) {
    const double w = S->h * S->table.a[j * stages + i];
    lb_add(m->nq, s->rate, w, S->stage[j].dq);
    lb_add(m->nv, s->gain, w, S->stage[j].dv);
  }
}

// Adjoint of the step's end, q and v as projected, by the sums of slopes, in S's dq and dv.
static void return_end(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  const lb_model* m = S->m;
  const lb_change_at end = {S->q, S->v, S->h};
  const size_t nv = (size_t)m->nv * sizeof(double);
  lb_explicit_close_return(S, q, v, motor);
  lb_elimination_fold(m, q);
  lb_elimination_fold(m, v);
  lb_stage_prescribe_back(m, q, m->joint.v, v, NULL, motor);
  memset(S->dq, 0, (size_t)m->nq * sizeof *S->dq);
  memcpy(S->dv, v, nv);
  memset(S->start, 0, nv);
  if (S->table.semi_implicit) {
    lb_change_return(LB_CHANGE_ADVANCE, m, end, S->start, S->dv, q);
  } else {
    lb_change_return(LB_CHANGE_PROJECT, m, end, S->dq, NULL, q);
  }
}

static void back(lb_step_derivative* of, lb_step_causes* out, const lb_step_effects* in) {
  lb_explicit_derivative* S = of->explicit;
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  const size_t nv = (size_t)m->nv * sizeof(double);
  double *q = in->q, *v = in->v, *motor = out->motor;
  if (S->seen) {
    return_seen(S, q, v, motor + motors_at(S, stages));
  }
  return_end(S, q, v, motor + motors_at(S, stages));
  memcpy(v, S->dv, nv);
  for (int i = stages - 1; i >= 0; i--) {
    gather_slopes(S, i, S->dq, S->dv);
    lb_explicit_stage_return(S, &S->stage[i], motor + motors_at(S, i));
  }
  for (int i = 0; i < stages; i++) {
    lb_add(m->nq, S->dq, 1, S->stage[i].dq);
    lb_add(m->nv, v, 1, S->stage[i].dv);
  }
  memcpy(q, S->start, nv);
  lb_change_return(LB_CHANGE_LIFT, m, (lb_change_at){.q = S->q0}, q, NULL, S->dq);
  lb_elimination_fold(m, q);
  lb_elimination_fold(m, v);
  lb_add(m->nv, out->q[0], 1, q);
  lb_add(m->nv, out->v[0], 1, v);
}

// --- what motors exert, and parts ---

// Motor forces at the end come by a stage there, (1), of which no slope counts.
static bool look_at_motors(lb_step_derivative* of, lb_data* d) {
  lb_explicit_derivative* S = of->explicit;
  const lb_model* m = S->m;
  lb_explicit_stage* s = &S->stage[S->table.stages];
  S->seen = lb_explicit_stage_take(S, d, s);
  lb_stage_forget_torques(&s->by);
  memset(s->rate, 0, (size_t)m->nq * sizeof *s->rate);
  memset(s->gain, 0, (size_t)m->nv * sizeof *s->gain);
  memset(s->by.nu, 0, (size_t)S->rows * sizeof *s->by.nu);
  return S->seen;
}

static void add_torque(lb_step_derivative* of, lb_step_effects* to, int motor, double scale) {
  lb_explicit_derivative* S = of->explicit;
  lb_explicit_stage* s = &S->stage[S->table.stages];
  if (S->particles) {
    lb_explicit_stage_pose(S, S->own, s);
  }
  lb_stage_add_torque(&s->by, to->q, to->v, s->gain, s->by.nu, motor, scale);
}

// Stages, then what closes places and what closes rates, then what was seen at the end.
static int count_parts(const lb_step_derivative* of) {
  return of->explicit->table.stages + 3;
}

static lb_step_part pose(lb_step_derivative* of, lb_data* d, int i) {
  lb_explicit_derivative* S = of->explicit;
  const int beyond = i - S->table.stages;
  if (beyond < 0 || (beyond == 2 && S->seen)) {
    lb_explicit_stage* s = &S->stage[beyond < 0 ? i : S->table.stages];
    lb_explicit_stage_pose(S, d, s);
    return (lb_step_part){.mu = s->by.mu, .D = S->D};
  }
  if (beyond == 2 || S->rows == 0) {
    return (lb_step_part){0};
  }
  lb_explicit_close_pose(S, d, beyond == 1);
  return (lb_step_part){.mu = beyond == 1 ? S->close.velocity_level.mu : S->close.place.mu,
                        .impact = true,
                        .D = S->D};
}

static const double* move_particles(lb_step_derivative* of, const double* v) {
  return of->explicit->particles ? lb_particle_derivative_spread(of->explicit->particles, v) : NULL;
}

// Motor forces, as recordings have them.
static void exert(lb_data* d, const lb_step_past* past, double* r, double* lambda) {
  (void)past, (void)r, (void)lambda;
  lb_forward(d->model, d);
}

// --- life ---

static lb_explicit_stage take_stage(lb_arena* arena, const lb_model* m) {
  const size_t nd = (size_t)m->ndense, rows = (size_t)lb_constraints_most(m);
  lb_explicit_stage s = {.by = lb_stage_system_take(arena, m, m->ndense),
                         .q = LB_TAKE(arena, double, m->nq),
                         .v = LB_TAKE(arena, double, m->nv),
                         .a = LB_TAKE(arena, double, m->nv),
                         .lambda = LB_TAKE(arena, double, rows),
                         .left = LB_TAKE(arena, double, rows),
                         .K = LB_TAKE(arena, double, nd* nd),
                         .C = LB_TAKE(arena, double, nd* nd),
                         .M = LB_TAKE(arena, double, nd* nd),
                         .G = LB_TAKE(arena, double, rows* nd),
                         .H = LB_TAKE(arena, double, rows* nd),
                         .J = LB_TAKE(arena, double, rows* nd),
                         .dq = LB_TAKE(arena, double, m->nq),
                         .dv = LB_TAKE(arena, double, m->nv),
                         .rate = LB_TAKE(arena, double, m->nq),
                         .gain = LB_TAKE(arena, double, m->nv)};
  s.by.op.K = s.K;
  s.by.op.C = s.C;
  s.by.op.M = s.M;
  s.by.G = s.G;
  s.by.H = s.H;
  s.by.B = s.by.J = s.J;
  s.by.ask[2] = 1;
  return s;
}

static lb_explicit_close take_close(lb_arena* arena, const lb_model* m) {
  const size_t nd = (size_t)m->ndense, rows = (size_t)lb_constraints_most(m);
  lb_explicit_close k = {.place = lb_stage_system_take(arena, m, m->ndense),
                         .velocity_level = lb_stage_system_take(arena, m, m->ndense),
                         .projection = {.move = LB_TAKE(arena, double, m->nv),
                                        .lambda = LB_TAKE(arena, double, rows),
                                        .impulse = LB_TAKE(arena, double, rows),
                                        .near = LB_TAKE(arena, bool, rows),
                                        .closed = LB_TAKE(arena, bool, rows)},
                         .q = LB_TAKE(arena, double, m->nq),
                         .v = LB_TAKE(arena, double, m->nv),
                         .end = LB_TAKE(arena, double, m->nq),
                         .speed = LB_TAKE(arena, double, m->nv),
                         .kick = LB_TAKE(arena, double, m->nv),
                         .K = LB_TAKE(arena, double, nd* nd),
                         .L = LB_TAKE(arena, double, nd* nd),
                         .G = LB_TAKE(arena, double, rows* nd),
                         .E = LB_TAKE(arena, double, rows* nd),
                         .H = LB_TAKE(arena, double, rows* nd),
                         .J = LB_TAKE(arena, double, rows* nd)};
  k.place.op.K = k.K;
  k.place.G = k.G;
  k.velocity_level.op.K = k.L;
  k.velocity_level.G = k.H;
  k.velocity_level.H = k.place.J = k.velocity_level.J = k.J;
  k.place.ask[0] = k.velocity_level.ask[1] = 1;
  return k;
}

// The table, then all that depends on its number of stages.
static lb_status take(lb_explicit_derivative* S, const lb_stepper_type* type, lb_arena* arena) {
  const lb_model* m = S->m;
  const size_t nd = (size_t)m->ndense, rows = (size_t)S->rows;
  double** const of_nq[] = {&S->q, &S->q0, &S->dq};
  double** const of_nv[] = {&S->v, &S->dv, &S->xi, &S->zero, &S->start};
  if (!type->tableau(arena, &S->table)) {
    return LB_NO_MEMORY;
  }
  S->stage = LB_TAKE(arena, lb_explicit_stage, S->table.stages + 1);
  for (int i = 0; i <= S->table.stages && S->stage; i++) {
    S->stage[i] = take_stage(arena, m);
  }
  S->close = take_close(arena, m);
  S->active_set = lb_active_set_take(arena, nd, rows);
  for (size_t i = 0; i < sizeof of_nq / sizeof *of_nq; i++) {
    *of_nq[i] = LB_TAKE(arena, double, m->nq);
  }
  for (size_t i = 0; i < sizeof of_nv / sizeof *of_nv; i++) {
    *of_nv[i] = LB_TAKE(arena, double, m->nv);
  }
  S->s = LB_TAKE(arena, double, rows* nd);
  S->t = LB_TAKE(arena, double, rows* nd);
  return lb_arena_status(arena);
}

static lb_status make_particles(lb_explicit_derivative* S, const lb_allocator* allocator,
                                lb_arena* arena) {
  if (S->m->particles.nparticle == 0) {
    return LB_OK;
  }
  S->particles = LB_TAKE(arena, lb_particle_derivative, 1);
  for (int i = 0; i <= S->table.stages; i++) {
    S->stage[i].by.op.layer = &lb_layer_massive;
    S->stage[i].by.op.particles = S->particles;
  }
  const lb_status status =
      S->particles ? lb_particle_derivative_create(S->particles, S->m, arena) : LB_NO_MEMORY;
  return status == LB_OK ? lb_data_create(S->m, allocator, &S->own, NULL) : status;
}

static lb_status create(lb_step_derivative* of, lb_integrator by, lb_error* err) {
  const lb_model* m = of->m;
  lb_explicit_derivative* S = of->explicit = LB_TAKE(&of->arena, lb_explicit_derivative, 1);
  const lb_model* tree = lb_model_without_particles(m, &of->arena);
  lb_status status = lb_arena_status(&of->arena);
  if (status == LB_OK) {
    *S = (lb_explicit_derivative){.m = m, .nd = m->ndense, .rows = lb_constraints_most(m)};
    status = take(S, lb_stepper_type_of(by), &of->arena);
  }
  if (status == LB_OK) {
    status = make_particles(S, of->allocator, &of->arena);
  }
  if (status == LB_OK) {
    status = lb_derivatives_create(tree, of->allocator, &S->D, NULL);
  }
  return status == LB_OK ? LB_OK
                         : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                                        "out of memory for derivatives of '%s'", m->name);
}

static void release(lb_step_derivative* of) {
  if (of->explicit) {
    lb_derivatives_release(of->explicit->D);
    lb_data_release(of->explicit->own);
  }
}

const lb_derivative_type lb_derivative_explicit = {.restarts = true,
                                                   .create = create,
                                                   .release = release,
                                                   .differentiate = differentiate,
                                                   .forward = forward,
                                                   .back = back,
                                                   .moments = count_moments,
                                                   .moment = moment,
                                                   .parts = count_parts,
                                                   .pose = pose,
                                                   .look_at_motors = look_at_motors,
                                                   .add_torque = add_torque,
                                                   .move_particles = move_particles,
                                                   .exert = exert};
