#include "solve/explicit_derivative.h"

#include <string.h>

#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/joint.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "math/dense.h"
#include "model/pose.h"
#include "solve/explicit_changes.h"
#include "solve/step_matrix.h"
#include "solve/tableau.h"

// A stage: where it is, its derivatives, and on the way back what it takes from later ones.
typedef struct stage {
  double time;
  double *q, *v, *a;   // [nq], [nv], [nv]
  double *K, *C, *M;   // [nv][nv]
  double* W;           // [nv][nv] M, driven coordinates left out, factored
  int* order;          // [nv]
  double *dq, *dv;     // [nq], [nv] changes of q and v, or by them
  double *rate, *gain; // [nq], [nv] of the slopes, or by them
  double* mu;          // [nv]
} stage;

struct lb_explicit_derivative {
  const lb_model* m;
  lb_arena arena;
  lb_derivatives* D;
  bool euler;
  lb_tableau table; // of Euler one stage
  stage* stage;     // [table.stages]
  double h, end;    // of the step, and when it ends
  double *q, *v;    // [nq], [nv] the step's end, quaternions of any length
  double* q0;       // [nq] its start
  double *dq, *dv;  // [nq], [nv] scratch: changes of the start's or the end's numbers
  double* xi;       // [nv] likewise
  double* start;    // [nv] by the start, counted along velocities
};

// --- taking it ---

// K, C, M and W where d is; its accelerations are set.
static bool derive(lb_explicit_derivative* S, lb_data* d, stage* s) {
  const lb_model* m = S->m;
  const size_t nv = (size_t)m->nv, size = nv * nv * sizeof(double);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_derive_forced(S->D, d);
  memcpy(s->K, S->D->tau_q, size);
  memcpy(s->C, S->D->tau_qd, size);
  memcpy(s->M, S->D->M, size);
  memcpy(s->W, S->D->M, size);
  for (int i = 0; i < m->nlink; i++) {
    for (size_t j = 0; m->link_driven[i] && j < nv; j++) {
      const size_t k = (size_t)m->link_v[i];
      s->W[k + j * nv] = s->W[j + k * nv] = j == k;
    }
  }
  return lb_lu(m->nv, s->W, m->nv, s->order) == LB_OK;
}

static bool take_stage(lb_explicit_derivative* S, lb_data* d, int i) {
  const lb_model* m = S->m;
  stage* s = &S->stage[i];
  d->time = s->time;
  lb_forward(m, d); // drives what motors lead
  memcpy(s->q, d->q, (size_t)m->nq * sizeof *s->q);
  memcpy(s->v, d->qd, (size_t)m->nv * sizeof *s->v);
  memcpy(s->a, d->qdd, (size_t)m->nv * sizeof *s->a);
  lb_rates(m, s->rate, s->q, s->v);
  return derive(S, d, s);
}

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

bool lb_explicit_differentiate(lb_explicit_derivative* S, lb_data* d, double h) {
  const lb_model* m = S->m;
  const lb_tableau* t = &S->table;
  const double begin = d->time;
  bool ok = true;
  S->h = h;
  S->end = begin + h;
  memcpy(S->q0, d->q, (size_t)m->nq * sizeof *S->q0);
  memcpy(S->dv, d->qd, (size_t)m->nv * sizeof *S->dv);
  for (int i = 0; i < t->stages && ok; i++) {
    S->stage[i].time = begin + t->c[i] * h;
    combine(S, d->q, d->qd, S->q0, S->dv, i, t->a + i * t->stages);
    ok = take_stage(S, d, i);
  }
  combine(S, S->q, S->v, S->q0, S->dv, t->stages, t->b);
  if (S->euler) { // the place follows the new velocity
    memcpy(S->q, S->q0, (size_t)m->nq * sizeof *S->q);
    lb_advance(m, S->q, S->v, h);
  }
  return ok;
}

int lb_explicit_moments(const lb_explicit_derivative* S) {
  return S->table.stages + 1;
}

double lb_explicit_moment(const lb_explicit_derivative* S, int i) {
  return i < S->table.stages ? S->stage[i].time : S->end;
}

// --- motors ---

static bool pushes(const lb_model* m, int motor) {
  return m->motor_drive[motor] == LB_DRIVE_FORCE;
}

// Changes of a moment's coordinates: numbers or counted along velocities, which is the same for
// those that motors lead.
typedef struct changes {
  double *q, *v, *a; // a NULL: not wanted
  const int* at;     // [njoint] where a joint's are in q
} changes;

// Coordinates that motors lead are where these say.
static void lead(const lb_model* m, changes c, const double* motor) {
  for (int i = 0; i < m->nmotor; i++) {
    const int j = m->motor_joint[i];
    if (!pushes(m, i)) {
      c.q[c.at[j]] = motor[3 * i];
      c.v[m->joint_v[j]] = motor[3 * i + 1];
      if (c.a) {
        c.a[m->joint_v[j]] = motor[3 * i + 2];
      }
    }
  }
}

// The transpose: what is by such coordinates is by their motors.
static void follow(const lb_model* m, changes c, double* motor) {
  for (int i = 0; i < m->nmotor; i++) {
    const int j = m->motor_joint[i];
    if (!pushes(m, i)) {
      double* const from[] = {c.q + c.at[j], c.v + m->joint_v[j], c.a ? c.a + m->joint_v[j] : NULL};
      for (int k = 0; k < 3 && from[k]; k++) {
        motor[3 * i + k] += *from[k];
        *from[k] = 0;
      }
    }
  }
}

static size_t motors_at(const lb_explicit_derivative* S, int moment) {
  return 3 * (size_t)moment * (size_t)S->m->nmotor;
}

// --- forward ---

// y += s A x and y += s A'x, A by rows
static void add_product(int n, double* y, double s, const double* A, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] += s * lb_dot(n, A + (size_t)i * (size_t)n, x);
  }
}
static void add_transposed(int n, double* y, double s, const double* A, const double* x) {
  for (int i = 0; i < n; i++) {
    lb_add(n, y, s * x[i], A + (size_t)i * (size_t)n);
  }
}

// (1): `gain` from dq and dv; what motors lead is there already.
static void accelerate(lb_explicit_derivative* S, stage* s, const double* motor) {
  const lb_model* m = S->m;
  double* r = s->mu;
  lb_changes_settle(m, s->q, S->xi, s->dq);
  memset(r, 0, (size_t)m->nv * sizeof *r);
  add_product(m->nv, r, -1, s->K, S->xi);
  add_product(m->nv, r, -1, s->C, s->dv);
  add_product(m->nv, r, -1, s->M, s->gain); // so far of driven coordinates alone
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      r[m->joint_v[m->motor_joint[i]]] += motor[3 * i];
    }
  }
  lb_step_clear_driven(m, r);
  lb_lu_solve_transposed(m->nv, s->W, m->nv, s->order, 1, r, m->nv);
  lb_add(m->nv, s->gain, 1, r);
}

// What sums of slopes change by.
static void add_slopes(const lb_explicit_derivative* S, double* dq, double* dv, int stages,
                       const double* weight) {
  for (int j = 0; j < stages; j++) {
    lb_add(S->m->nq, dq, S->h * weight[j], S->stage[j].rate);
    lb_add(S->m->nv, dv, S->h * weight[j], S->stage[j].gain);
  }
}

static void pass_stage(lb_explicit_derivative* S, int i, const double* dq0, const double* dv0,
                       const double* motor) {
  const lb_model* m = S->m;
  stage* s = &S->stage[i];
  memcpy(s->dq, dq0, (size_t)m->nq * sizeof *dq0);
  memcpy(s->dv, dv0, (size_t)m->nv * sizeof *dv0);
  memset(s->gain, 0, (size_t)m->nv * sizeof *s->gain);
  add_slopes(S, s->dq, s->dv, i, S->table.a + i * S->table.stages);
  lead(m, (changes){s->dq, s->dv, s->gain, m->joint_q}, motor);
  accelerate(S, s, motor);
  lb_changes_rate(m, s->q, s->v, s->rate, s->dq, s->dv);
}

void lb_explicit_forward(lb_explicit_derivative* S, double* q, double* v, const double* q0,
                         const double* v0, const double* motor) {
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  lb_changes_lift(m, S->q0, S->dq, q0);
  for (int i = 0; i < stages; i++) {
    pass_stage(S, i, S->dq, v0, motor + motors_at(S, i));
  }
  memcpy(S->dv, v0, (size_t)m->nv * sizeof *v0);
  add_slopes(S, S->dq, S->dv, stages, S->table.b);
  if (S->euler) {
    lb_changes_advance(m, S->v, S->h, S->xi, q0, S->dv);
  } else {
    lb_changes_settle(m, S->q, S->xi, S->dq);
  }
  memcpy(q, S->xi, (size_t)m->nv * sizeof *q);
  memcpy(v, S->dv, (size_t)m->nv * sizeof *v);
  lead(m, (changes){q, v, NULL, m->joint_v}, motor + motors_at(S, stages));
}

// --- back ---

// What a stage's slopes do, in `rate` and `gain`, as what its q and v do, in dq and dv.
static void return_stage(lb_explicit_derivative* S, stage* s, double* motor) {
  const lb_model* m = S->m;
  const size_t size = (size_t)m->nv * sizeof(double);
  memset(s->dq, 0, (size_t)m->nq * sizeof *s->dq);
  memset(s->dv, 0, size);
  lb_changes_rate_back(m, s->q, s->v, s->dq, s->dv, s->rate);
  memcpy(s->mu, s->gain, size);
  lb_step_clear_driven(m, s->mu);
  lb_lu_solve(m->nv, s->W, m->nv, s->order, 1, s->mu, m->nv);
  lb_step_clear_driven(m, s->mu);
  for (int i = 0; i < m->nmotor; i++) {
    if (pushes(m, i)) {
      motor[3 * i] += s->mu[m->joint_v[m->motor_joint[i]]];
    }
  }
  memset(S->xi, 0, size);
  add_transposed(m->nv, S->xi, -1, s->K, s->mu);
  add_transposed(m->nv, s->dv, -1, s->C, s->mu);
  add_transposed(m->nv, s->gain, -1, s->M, s->mu);
  lb_changes_settle_back(m, s->q, s->dq, S->xi);
  follow(m, (changes){s->dq, s->dv, s->gain, m->joint_q}, motor);
}

// What stage i's slopes do: dq and dv of the end and of later stages times their weights.
static void gather_slopes(lb_explicit_derivative* S, int i, const double* dq, const double* dv) {
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  stage* s = &S->stage[i];
  memset(s->rate, 0, (size_t)m->nq * sizeof *s->rate);
  memset(s->gain, 0, (size_t)m->nv * sizeof *s->gain);
  lb_add(m->nq, s->rate, S->h * S->table.b[i], dq);
  lb_add(m->nv, s->gain, S->h * S->table.b[i], dv);
  for (int j = i + 1; j < stages; j++) {
    const double w = S->h * S->table.a[j * stages + i];
    lb_add(m->nq, s->rate, w, S->stage[j].dq);
    lb_add(m->nv, s->gain, w, S->stage[j].dv);
  }
}

void lb_explicit_back(lb_explicit_derivative* S, double* q, double* v, double* motor) {
  const lb_model* m = S->m;
  const int stages = S->table.stages;
  const size_t nv = (size_t)m->nv * sizeof(double);
  follow(m, (changes){q, v, NULL, m->joint_v}, motor + motors_at(S, stages));
  memset(S->dq, 0, (size_t)m->nq * sizeof *S->dq);
  memcpy(S->dv, v, nv);
  memset(S->start, 0, nv);
  if (S->euler) {
    lb_changes_advance_back(m, S->v, S->h, S->start, S->dv, q);
  } else {
    lb_changes_settle_back(m, S->q, S->dq, q);
  }
  memcpy(v, S->dv, nv);
  for (int i = stages - 1; i >= 0; i--) {
    gather_slopes(S, i, S->dq, S->dv);
    return_stage(S, &S->stage[i], motor + motors_at(S, i));
  }
  for (int i = 0; i < stages; i++) {
    lb_add(m->nq, S->dq, 1, S->stage[i].dq);
    lb_add(m->nv, v, 1, S->stage[i].dv);
  }
  memcpy(q, S->start, nv);
  lb_changes_lift_back(m, S->q0, q, S->dq);
}

const double* lb_explicit_multiplier(const lb_explicit_derivative* S, int i) {
  return S->stage[i].mu;
}

const lb_derivatives* lb_explicit_pose(lb_explicit_derivative* S, lb_data* d, int i) {
  const lb_model* m = S->m;
  const stage* s = &S->stage[i];
  d->time = s->time;
  memcpy(d->q, s->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, s->v, (size_t)m->nv * sizeof *d->qd);
  memcpy(d->qdd, s->a, (size_t)m->nv * sizeof *d->qdd);
  lb_kinematics(m, d, d->q, d->qd);
  lb_forces_apply(m, d);
  lb_derive_forced(S->D, d);
  return S->D;
}

const lb_derivatives* lb_explicit_look(lb_explicit_derivative* S, lb_data* d) {
  lb_derive(S->D, d, d->q, d->qd, d->qdd, false);
  return S->D;
}

// --- life ---

static bool make_table(lb_explicit_derivative* S, lb_integrator integrator) {
  static const double zero[1] = {0}, one[1] = {1};
  S->euler = integrator == LB_INTEGRATOR_EULER;
  S->table = (lb_tableau){1, zero, one, zero};
  return S->euler || lb_tableau_make(integrator, &S->arena, &S->table);
}

static bool take_arrays(lb_explicit_derivative* S) {
  const size_t nq = (size_t)S->m->nq, nv = (size_t)S->m->nv;
  double* block = LB_TAKE(&S->arena, double, 3 * nq + 4 * nv);
  S->stage = LB_TAKE(&S->arena, stage, S->table.stages);
  if (!block || !S->stage) {
    return false;
  }
  double** const part[] = {&S->q, &S->q0, &S->dq, &S->v, &S->dv, &S->xi, &S->start};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    *part[i] = block;
    block += i < 3 ? nq : nv;
  }
  for (int i = 0; i < S->table.stages; i++) {
    stage* s = &S->stage[i];
    double* from = LB_TAKE(&S->arena, double, 3 * nq + 5 * nv + 4 * nv * nv);
    s->order = LB_TAKE(&S->arena, int, nv);
    if (!from || !s->order) {
      return false;
    }
    double** const own[] = {&s->q,    &s->dq, &s->rate, &s->v, &s->a, &s->dv,
                            &s->gain, &s->mu, &s->K,    &s->C, &s->M, &s->W};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
      *own[k] = from;
      from += k < 3 ? nq : k < 8 ? nv : nv * nv;
    }
  }
  return true;
}

bool lb_integrator_is_explicit(lb_integrator i) {
  return i == LB_INTEGRATOR_EULER || i == LB_INTEGRATOR_RK4 || i == LB_INTEGRATOR_RK8;
}

lb_status lb_explicit_check(const lb_model* m, lb_integrator integrator, lb_place place,
                            lb_error* err) {
  return lb_loops_most_rows(m) == 0 && m->nnode == 0
             ? LB_OK
             : lb_error_add(err, LB_INVALID, place,
                            "steps of '%s' have no derivatives where there are loops, constraints, "
                            "strands or flesh, or in maximal coordinates (choose integrator bdf1, "
                            "bdf2 or sdirk2)",
                            lb_integrator_name(integrator));
}

lb_status lb_explicit_derivative_create(const lb_model* m, lb_integrator integrator,
                                        const lb_allocator* allocator, lb_explicit_derivative** out,
                                        lb_error* err) {
  if (!lb_integrator_is_explicit(integrator)) {
    return lb_error_add(err, LB_INVALID, (lb_place){0}, "steps of '%s' are not explicit",
                        lb_integrator_name(integrator));
  }
  lb_status status = lb_explicit_check(m, integrator, (lb_place){0}, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_explicit_derivative* S = LB_TAKE(&arena, lb_explicit_derivative, 1);
  if (S) {
    *S = (lb_explicit_derivative){.m = m, .arena = arena};
  }
  if (!S || !make_table(S, integrator) || !take_arrays(S)) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for derivatives of '%s'",
                          m->name);
  }
  if (status == LB_OK) {
    status = lb_derivatives_create(m, allocator, &S->D, err);
  }
  if (status != LB_OK) {
    arena = S ? S->arena : arena;
    lb_arena_release(&arena);
    return status;
  }
  *out = S;
  return LB_OK;
}

void lb_explicit_derivative_release(lb_explicit_derivative* S) {
  if (S) {
    lb_derivatives_release(S->D);
    lb_arena arena = S->arena;
    lb_arena_release(&arena);
  }
}
