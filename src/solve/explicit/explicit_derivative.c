#include "solve/explicit/explicit_derivative.h"

#include <string.h>

#include "dynamics/constraint/elimination.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
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

// From where the stages lead to what is seen of it, as lb_project does.
static bool settle(lb_explicit_derivative* S, lb_data* d) {
  const lb_model* m = S->m;
  memcpy(d->q, S->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, S->v, (size_t)m->nv * sizeof *d->qd);
  d->time = S->end;
  lb_drive(m, d);
  lb_normalise(m, d->q);
  lb_elimination_hold(m, d);
  return lb_explicit_close_take(S, d);
}

bool lb_explicit_differentiate(lb_explicit_derivative* S, lb_data* d, double h) {
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
  if (S->euler) { // the place follows the new velocity
    memcpy(S->q, S->q0, (size_t)m->nq * sizeof *S->q);
    lb_advance(m, S->q, S->v, h);
  }
  return ok && settle(S, d);
}

int lb_explicit_moments(const lb_explicit_derivative* S) {
  return S->table.stages + 1;
}

double lb_explicit_moment(const lb_explicit_derivative* S, int i) {
  return i < S->table.stages ? S->stage[i].time : S->end;
}

static size_t motors_at(const lb_explicit_derivative* S, int moment) {
  return 3 * (size_t)moment * (size_t)S->m->nmotor;
}

// --- forward ---

// What sums of slopes change by.
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
  lb_explicit_prescribe(m, (lb_explicit_changes){s->dq, s->dv, s->gain, m->joint_q}, motor);
  lb_explicit_stage_pass(S, s, motor);
}

void lb_explicit_forward(lb_explicit_derivative* S, double* q, double* v, const double* q0,
                         const double* v0, const double* motor) {
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  const size_t nv = (size_t)m->nv * sizeof(double);
  memcpy(S->start, q0, nv);
  memcpy(S->dv, v0, nv);
  lb_elimination_follow(m, S->start);
  lb_elimination_follow(m, S->dv);
  lb_changes_lift(m, S->q0, S->dq, S->start);
  for (int i = 0; i < stages; i++) {
    pass_stage(S, i, motor + motors_at(S, i));
  }
  add_slopes(S, S->dq, S->dv, stages, S->table.b);
  if (S->euler) {
    lb_changes_advance(m, S->v, S->h, S->xi, S->start, S->dv);
  } else {
    lb_changes_settle(m, S->q, S->xi, S->dq);
  }
  memcpy(q, S->xi, nv);
  memcpy(v, S->dv, nv);
  motor += motors_at(S, stages);
  lb_explicit_prescribe(m, (lb_explicit_changes){q, v, NULL, m->joint_v}, motor);
  lb_elimination_follow(m, q);
  lb_elimination_follow(m, v);
  lb_explicit_close_pass(S, q, v, motor);
}

// --- back ---

// What stage i's slopes do: dq and dv of the end and of later stages times their weights.
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

// Of the step's end, q and v as they are closed, to what the sums of slopes do, in S's dq and dv.
static void return_end(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  const lb_model* m = S->m;
  const size_t nv = (size_t)m->nv * sizeof(double);
  lb_explicit_close_return(S, q, v, motor);
  lb_elimination_fold(m, q);
  lb_elimination_fold(m, v);
  lb_explicit_follow(m, (lb_explicit_changes){q, v, NULL, m->joint_v}, motor);
  memset(S->dq, 0, (size_t)m->nq * sizeof *S->dq);
  memcpy(S->dv, v, nv);
  memset(S->start, 0, nv);
  if (S->euler) {
    lb_changes_advance_back(m, S->v, S->h, S->start, S->dv, q);
  } else {
    lb_changes_settle_back(m, S->q, S->dq, q);
  }
}

void lb_explicit_back(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  const size_t nv = (size_t)m->nv * sizeof(double);
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
  lb_changes_lift_back(m, S->q0, q, S->dq);
  lb_elimination_fold(m, q);
  lb_elimination_fold(m, v);
}

// --- its parts ---

// Stages, then what closes places and what closes rates, then what was seen at the end.
int lb_explicit_parts(const lb_explicit_derivative* S) {
  return S->table.stages + 3;
}

lb_explicit_part lb_explicit_pose(lb_explicit_derivative* S, lb_data* d, int i) {
  const int beyond = i - S->table.stages;
  if (beyond < 0 || (beyond == 2 && S->seen)) {
    const lb_explicit_stage* s = &S->stage[beyond < 0 ? i : S->table.stages];
    lb_explicit_stage_pose(S, d, s);
    return (lb_explicit_part){s->mu, false, S->D};
  }
  if (beyond == 2 || S->rows == 0) {
    return (lb_explicit_part){0};
  }
  lb_explicit_close_pose(S, d, beyond == 1);
  return (lb_explicit_part){beyond == 1 ? S->close.nu : S->close.mu, true, S->D};
}

const double* lb_explicit_move_particles(lb_explicit_derivative* S, const double* v) {
  return S->particles ? lb_particle_derivative_spread(S->particles, v) : NULL;
}

const lb_derivatives* lb_explicit_look(lb_explicit_derivative* S, lb_data* d) {
  S->seen = false;
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  return S->D;
}

// --- what motors exert ---

bool lb_explicit_see(lb_explicit_derivative* S, lb_data* d) {
  const lb_model* m = S->m;
  lb_explicit_stage* s = &S->stage[S->table.stages];
  S->seen = lb_explicit_stage_take(S, d, s);
  memset(S->torque, 0, (size_t)m->nv * sizeof *S->torque);
  memset(s->rate, 0, (size_t)m->nq * sizeof *s->rate); // no slope counts
  memset(s->gain, 0, (size_t)m->nv * sizeof *s->gain);
  memset(s->by.nu, 0, (size_t)S->rows * sizeof *s->by.nu);
  return S->seen;
}

// What drives coordinate k exerts r_k - (J'lambda)_k, and what prescribes a joint that closes a
// loop the multiplier of its row.
void lb_explicit_add_torque(lb_explicit_derivative* S, double* q, double* v, int motor,
                            double scale) {
  const lb_model* m = S->m;
  lb_explicit_stage* s = &S->stage[S->table.stages];
  const bool prescribes = lb_motor_prescribes(m, motor);
  const size_t nd = (size_t)S->nd, k = prescribes ? (size_t)m->motor_v[motor] : 0;
  for (int i = 0; i < s->by.rows; i++) {
    const size_t row = (size_t)s->by.row[i];
    s->by.nu[i] += prescribes                   ? -scale * s->J[row * nd + k]
                   : S->row_motor[row] == motor ? scale
                                                : 0;
  }
  if (!prescribes) {
    return;
  }
  lb_add(S->nd, q, scale, s->K + k * nd);
  lb_add(S->nd, v, scale, s->C + k * nd);
  lb_add(S->nd, s->gain, scale, s->M + k * nd);
  if (S->particles) {
    lb_explicit_stage_pose(S, S->own, s);
    lb_particle_derivative_add_row(S->particles, q, v, scale, (int)k);
  }
  S->torque[k] -= scale;
}

void lb_explicit_see_back(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  const lb_model* m = S->m;
  lb_explicit_stage* s = &S->stage[S->table.stages];
  lb_explicit_stage_return(S, s, motor);
  for (int i = 0; i < m->nmotor; i++) { // a push that others feel
    motor[3 * i] += lb_dot(S->nd, s->push + (size_t)i * (size_t)S->nd, S->torque);
  }
  lb_add(m->nv, s->mu, 1, S->torque);
  lb_changes_lift_back(m, s->q, q, s->dq);
  lb_add(m->nv, v, 1, s->dv);
}

// --- life ---

static bool make_table(lb_explicit_derivative* S, lb_integrator integrator) {
  static const double zero[1] = {0}, one[1] = {1};
  S->euler = integrator == LB_INTEGRATOR_EULER;
  S->table = (lb_tableau){1, zero, one, zero};
  return S->euler || lb_tableau_make(integrator, &S->arena, &S->table);
}

static lb_explicit_stage lay_out_stage(lb_carver* c, const lb_model* m) {
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nd = (size_t)m->ndense;
  const size_t rows = (size_t)lb_constraints_most(m);
  lb_explicit_stage s = {.by = lb_dense_kkt_lay_out(c, m)};
  const struct {
    double** to;
    size_t size;
  } part[] = {{&s.q, nq},        {&s.v, nv},        {&s.a, nv},
              {&s.lambda, rows}, {&s.left, rows},   {&s.K, nd * nd},
              {&s.C, nd * nd},   {&s.M, nd * nd},   {&s.G, rows * nd},
              {&s.H, rows * nd}, {&s.J, rows * nd}, {&s.push, (size_t)m->nmotor * nd},
              {&s.dq, nq},       {&s.dv, nv},       {&s.rate, nq},
              {&s.gain, nv},     {&s.mu, nv}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].to = lb_carve(c, part[i].size, sizeof(double));
  }
  return s;
}

static lb_explicit_close lay_out_close(lb_carver* c, const lb_model* m) {
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nd = (size_t)m->ndense;
  const size_t rows = (size_t)lb_constraints_most(m);
  lb_explicit_close k = {.place = lb_dense_kkt_lay_out(c, m),
                         .velocity_level = lb_dense_kkt_lay_out(c, m)};
  const struct {
    double** to;
    size_t size;
  } part[] = {{&k.q, nq},
              {&k.v, nv},
              {&k.end, nq},
              {&k.speed, nv},
              {&k.told.move, nv},
              {&k.told.lambda, rows},
              {&k.told.impulse, rows},
              {&k.kick, nv},
              {&k.K, nd * nd},
              {&k.L, nd * nd},
              {&k.G, rows * nd},
              {&k.E, rows * nd},
              {&k.H, rows * nd},
              {&k.J, rows * nd},
              {&k.mu, nv},
              {&k.nu, nv}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i].to = lb_carve(c, part[i].size, sizeof(double));
  }
  k.told.near = lb_carve(c, rows, sizeof(bool));
  k.told.closed = lb_carve(c, rows, sizeof(bool));
  return k;
}

// The numbers of S, whose model and table are known.
static void lay_out(lb_carver* c, lb_explicit_derivative* S) {
  const lb_model* m = S->m;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, nd = (size_t)m->ndense;
  const size_t rows = (size_t)lb_constraints_most(m);
  lb_explicit_stage* stage = lb_carve(c, (size_t)S->table.stages + 1, sizeof *stage);
  for (int i = 0; i <= S->table.stages; i++) {
    const lb_explicit_stage s = lay_out_stage(c, m);
    if (stage) {
      stage[i] = s;
    }
  }
  S->stage = stage;
  S->close = lay_out_close(c, m);
  S->active_set = lb_active_set_lay_out(c, nd, rows);
  S->row_motor = lb_carve(c, rows, sizeof(int));
  double** const of_nq[] = {&S->q, &S->q0, &S->dq};
  for (size_t i = 0; i < sizeof of_nq / sizeof *of_nq; i++) {
    *of_nq[i] = lb_carve(c, nq, sizeof(double));
  }
  double** const of_nv[] = {&S->v, &S->dv, &S->xi, &S->zero, &S->start, &S->torque};
  for (size_t i = 0; i < sizeof of_nv / sizeof *of_nv; i++) {
    *of_nv[i] = lb_carve(c, nv, sizeof(double));
  }
  S->s = lb_carve(c, rows * nd, sizeof(double));
  S->t = lb_carve(c, rows * nd, sizeof(double));
}

static bool make_numbers(lb_explicit_derivative* S) {
  lb_carver c = {0};
  lay_out(&c, S);
  c.base = lb_arena_take(&S->arena, c.used, LB_ALIGN);
  if (!c.base) {
    return false;
  }
  c.used = 0;
  lay_out(&c, S);
  return true;
}

static lb_status make_nodes(lb_explicit_derivative* S) {
  if (S->m->nparticle == 0) {
    return LB_OK;
  }
  S->particles = LB_TAKE(&S->arena, lb_particle_derivative, 1);
  const lb_status status =
      S->particles ? lb_particle_derivative_create(S->particles, S->m, &S->arena) : LB_NO_MEMORY;
  return status == LB_OK ? lb_data_create(S->m, S->allocator, &S->own, NULL) : status;
}

bool lb_integrator_is_explicit(lb_integrator i) {
  return i == LB_INTEGRATOR_EULER || i == LB_INTEGRATOR_RK4 || i == LB_INTEGRATOR_RK8 ||
         i == LB_INTEGRATOR_ADAPTIVE;
}

lb_status lb_explicit_derivative_create(const lb_model* m, lb_integrator integrator,
                                        const lb_allocator* allocator, lb_explicit_derivative** out,
                                        lb_error* err) {
  if (!lb_integrator_is_explicit(integrator)) {
    return lb_error_add(err, LB_INVALID, (lb_place){0}, "steps of '%s' are not explicit",
                        lb_integrator_name(integrator));
  }
  lb_explicit_derivative* S = lb_allocate(allocator, sizeof *S);
  lb_status status = S ? LB_OK : LB_NO_MEMORY;
  if (S) {
    *S = (lb_explicit_derivative){
        .m = m, .allocator = allocator, .nd = m->ndense, .rows = lb_constraints_most(m)};
    lb_arena_init(&S->arena, allocator);
    status = make_table(S, integrator) && make_numbers(S) ? make_nodes(S) : LB_NO_MEMORY;
  }
  if (status == LB_OK) {
    status = lb_derivatives_create(m->tree ? m->tree : m, allocator, &S->D, NULL);
  }
  if (status != LB_OK) {
    lb_explicit_derivative_release(S);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for derivatives of '%s'",
                        m->name);
  }
  *out = S;
  return LB_OK;
}

void lb_explicit_derivative_release(lb_explicit_derivative* S) {
  if (S) {
    lb_derivatives_release(S->D);
    lb_data_release(S->own);
    lb_arena_release(&S->arena);
    lb_release(S->allocator, S);
  }
}
