// Following a motion, step by step. With the distances e = q_r - q from it now and a step of dt
// before, the end of the next step should be at
//
//   (1)  q1 = q_r(t + dt) - 2 s e + s^2 e_before,   s = exp(-w dt)
//
// so that distances die out with w, critically damped. Velocities v1 = (q1 - q)/dt, accelerations
// (v1 - v)/dt and the forces that they need there follow.
// Muscles have F_i(a_i) at the end of an implicit step, fibres and tendons solved inside, with
// activations that excitations within their range reach in that time, lo_i to hi_i. What is left to
// choose,
//
//   (2)  min sum a_i^2 + price sum r_k^2,   N'(M a + c - f) = N'(sum arm_i F_i(a_i) + r)
//
// is solved by Newton's method with shorter steps (math/muscle/curved_share.h), which always has an
// answer. Stiff tendons make F_i linear, and one round does. Reserves are what is left at the end,
// so that the motion is followed whether rounds sufficed or not. N spans the motions that
// constraints allow. Excitations follow from activations in closed form, and an implicit step of
// first order, in which all of this is exact, is taken with them.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "design/collocate/collocation.h"
#include "design/inverse/inverse_dynamics.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "dynamics/muscle/path.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "limber/follow.h"
#include "limber/simulate.h"
#include "math/curve/hermite.h"
#include "math/linear/dense.h"
#include "math/muscle/curved_share.h"
#include "model/use/coordinate_name.h"
#include "solve/run/frames.h"

typedef struct follower {
  const lb_model* m;
  const lb_follow_options* o;
  lb_collocation* out;
  lb_arena arena, scratch; // the latter is one block, for lb_range
  lb_data *d, *ahead;      // the simulation, and the end of its next step
  lb_stepper* st;
  lb_inverse_motion ref;
  double *q, *v, *a;                // [nv] of the motion at a moment
  double *wanted, *left, *reserve;  // [nv]
  double *arm, *B, *N, *NB, *price; // [n][nv], [nv][n], [nv][nv], [free][n], [nv]
  double *act, *lo, *hi;            // [n]
  double dt;                        // of the step; 0: none
  double *J, *Q;                    // [rows][nv], [nv][nv] of constraints
  double *excitation, *share;
  lb_error* err;
} follower;

lb_follow_options lb_follow_default(void) {
  return (lb_follow_options){.step = 2e-3,
                             .frequency = 20,
                             .price = 1,
                             .most = 1,
                             .rounds = 50,
                             .cutoff = NAN,
                             .from = -(double)INFINITY,
                             .to = (double)INFINITY};
}

// --- the motion ---

// Before its first sample it goes on as it begins, after its last as it ends.
static void reference(follower* f, double t) {
  const lb_inverse_motion* x = &f->ref;
  const size_t nv = (size_t)f->m->nv;
  const double beyond = fmin(t - x->time[0], 0) + fmax(t - x->time[x->n - 1], 0);
  double s;
  const size_t k = (size_t)lb_sample_before(x->n, x->time, t, &s);
  for (size_t j = 0; j < nv; j++) {
    const size_t a = k * nv + j, b = a + nv;
    double out[3];
    lb_hermite5(s, x->time[k + 1] - x->time[k], (double[]){x->q[a], x->qd[a], x->qdd[a]},
                (double[]){x->q[b], x->qd[b], x->qdd[b]}, out);
    f->q[j] = out[0] + beyond * (out[1] + beyond * out[2] / 2);
    f->v[j] = out[1] + beyond * out[2];
    f->a[j] = out[2];
  }
}

// (1), into `ahead`; without a step the motion itself.
static void look_ahead(follower* f, double dt) {
  const int nv = f->m->nv;
  const double s = exp(-f->o->frequency * dt);
  lb_data *d = f->d, *to = f->ahead;
  memset(to->q, 0, (size_t)nv * sizeof *to->q);
  for (int k = 0; k < 2 && dt > 0; k++) {
    reference(f, d->time - k * dt);
    for (int i = 0; i < nv; i++) {
      const double e = f->q[i] - d->q[i] + k * dt * d->qd[i];
      to->q[i] += (k == 0 ? -2 * s : s * s) * e;
    }
  }
  to->time = d->time + dt;
  reference(f, to->time);
  for (int i = 0; i < nv; i++) {
    to->q[i] += f->q[i];
    to->qd[i] = dt > 0 ? (to->q[i] - d->q[i]) / dt : f->v[i];
    to->qdd[i] = dt > 0 ? (to->qd[i] - d->qd[i]) / dt : f->a[i];
  }
}

// --- (2) ---

// Forces that the motion needs there beside all that act, without muscles.
static void find_wanted(follower* f) {
  const lb_model* m = f->m;
  lb_data* d = f->ahead;
  lb_update(m, d, LB_FORCED);
  lb_rnea_forced(m, d, d->work->bias, d->q, d->qd, d->qdd);
  for (int k = 0; k < m->nv; k++) {
    f->wanted[k] = d->work->bias[k] - d->work->tau[k];
  }
}

static void find_arms(follower* f) {
  const lb_model* m = f->m;
  lb_data* d = f->ahead;
  lb_update(m, d, LB_ORIGINS);
  lb_fill_columns(m, d->work);
  for (int i = 0; i < m->muscle.count; i++) {
    lb_path p;
    lb_path_find(&p, m->muscle.item[i].path, d->work, d->q, d->qd);
    lb_path_arms(m, d->work, &p, f->arm + (size_t)i * (size_t)m->nv);
    d->work->muscles->now[i].length = p.length;
    d->work->muscles->now[i].rate = p.rate;
  }
}

// Motions that constraints allow, as columns of N, and how many.
static lb_status find_free(follower* f, int* free) {
  const lb_model* m = f->m;
  lb_data* d = f->ahead;
  const int nv = m->nv;
  memset(f->N, 0, (size_t)(nv * nv) * sizeof *f->N);
  if (!d->work->constraints) {
    for (int k = 0; k < nv; k++) {
      f->N[k * nv + k] = 1;
    }
    *free = nv;
    return LB_OK;
  }
  static const double ALIKE = 1e-9;
  const lb_constraint_rows rows = lb_constraints_linearise(m, d, LB_SET_BILATERAL);
  int rank = 0;
  memcpy(f->J, rows.J, (size_t)(nv * rows.count) * sizeof *f->J);
  const lb_status status = lb_range(&f->scratch, nv, rows.count, f->J, nv, ALIKE, f->Q, &rank);
  if (status != LB_OK) {
    return lb_error_add(f->err, status, (lb_place){0}, "following a motion, t = %g s: %s", d->time,
                        lb_status_text(status));
  }
  memcpy(f->N, f->Q + (size_t)(rank * nv), (size_t)((nv - rank) * nv) * sizeof *f->Q);
  *free = nv - rank;
  return LB_OK;
}

// Activations within reach; muscles without states may have any.
static void find_reach(follower* f, double dt) {
  static const double TAUT = 0.2; // no tendon is slack, so that slopes are not zero
  const lb_model* m = f->m;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    const bool free = !mu->hill || dt == 0;
    const double least = mu->hill ? mu->hill->least : 0, a = mu->hill ? f->d->x[mu->x] : 0;
    f->lo[i] = free ? least : lb_activation_step(mu->hill, a, least, dt).rate;
    f->hi[i] = free ? 1 : lb_activation_step(mu->hill, a, 1, dt).rate;
    f->act[i] = free ? fmax(least, TAUT) : fmin(fmax(a, f->lo[i]), f->hi[i]);
  }
}

// Force of a muscle at the end of the step and its slope by activation; without a step that of a
// fibre in equilibrium.
static lb_share_tension pull(const void* context, int i, double a) {
  const follower* f = context;
  const lb_model_muscle* mu = &f->m->muscle.item[i];
  const lb_muscle_now* now = &f->ahead->work->muscles->now[i];
  const double dt = f->dt;
  if (!mu->hill) {
    return (lb_share_tension){mu->tension * a, mu->tension};
  }
  const double from = dt > 0 ? f->d->x[mu->x + 1] : mu->hill->fiber;
  const lb_hill_force F = lb_hill_force_ahead(mu->hill, a, from, dt > 0 ? 1 / dt : 0, now->length,
                                              dt > 0 ? now->rate : 0, from);
  return (lb_share_tension){F.force, F.by_a};
}

// N'arm and N'wanted.
static void reduce(follower* f, int free) {
  const int nv = f->m->nv, n = f->m->muscle.count;
  for (int k = 0; k < free; k++) {
    const double* along = f->N + (size_t)k * (size_t)nv;
    f->B[k] = lb_dot(nv, along, f->wanted);
    for (int i = 0; i < n; i++) {
      f->NB[k * n + i] = lb_dot(nv, along, f->arm + (size_t)i * (size_t)nv);
    }
  }
}

// Reserves of all coordinates.
static void expand(follower* f, int free, const double* r) {
  const int nv = f->m->nv;
  memset(f->reserve, 0, (size_t)nv * sizeof *f->reserve);
  for (int k = 0; k < free; k++) {
    lb_add(nv, f->reserve, r[k], f->N + (size_t)k * (size_t)nv);
  }
}

static lb_status choose(follower* f, double dt) {
  const int n = f->m->muscle.count;
  int free = 0;
  find_wanted(f);
  if (n > 0) {
    find_arms(f);
  }
  const lb_status status = find_free(f, &free);
  if (status != LB_OK) {
    return status;
  }
  find_reach(f, dt);
  reduce(f, free);
  f->dt = dt;
  const lb_curved_share s = {.muscles = n,
                             .joints = free,
                             .arm = f->NB,
                             .wanted = f->B,
                             .price = f->price,
                             .power = 2,
                             .lower = f->lo,
                             .upper = f->hi,
                             .pull = pull,
                             .context = f,
                             .rounds = f->o->rounds};
  const lb_curved_result out = lb_curved_share_solve(&s, f->act, f->left, f->share);
  expand(f, free, f->left);
  f->out->residual = fmax(f->out->residual, out.residual);
  f->out->unsettled += !out.settled;
  f->out->iterations++;
  return LB_OK;
}

static void excite(follower* f, double dt) {
  const lb_model* m = f->m;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    f->excitation[i] = mu->hill && dt > 0
                           ? lb_activation_needed(mu->hill, f->d->x[mu->x], f->act[i], dt)
                           : f->act[i];
  }
}

// --- running ---

// Where the motion begins, with activations that hold it there.
static lb_status begin(follower* f, double time) {
  const lb_model* m = f->m;
  lb_data* d = f->d;
  d->time = time;
  reference(f, time);
  memcpy(d->q, f->q, (size_t)m->nv * sizeof *d->q);
  memcpy(d->qd, f->v, (size_t)m->nv * sizeof *d->qd);
  lb_project(m, d);
  look_ahead(f, 0);
  const lb_status status = choose(f, 0);
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    if (mu->hill) {
      d->x[mu->x] = f->act[i];
      d->x[mu->x + 1] = NAN;
    }
  }
  excite(f, 0);
  if (m->muscle.count > 0) {
    lb_muscles_update(m, d); // fibres in equilibrium
  }
  return status;
}

static lb_status keep(follower* f, int i, lb_recording* r) {
  lb_collocation* o = f->out;
  const lb_model* m = f->m;
  const size_t nv = (size_t)m->nv, n = (size_t)m->muscle.count, at = (size_t)i;
  lb_data* d = f->d;
  o->time[i] = d->time;
  reference(f, d->time);
  memcpy((double*)(size_t)o->q_ref + at * nv, f->q, nv * sizeof *f->q);
  memcpy(o->q + at * nv, d->q, nv * sizeof *d->q);
  memcpy(o->qd + at * nv, d->qd, nv * sizeof *d->qd);
  memcpy(o->qdd + at * nv, d->qdd, nv * sizeof *d->qdd);
  memcpy(o->x + at * (size_t)m->nx, d->x, (size_t)m->nx * sizeof *d->x);
  memcpy(o->u + at * (n + nv), f->excitation, n * sizeof *f->excitation);
  memcpy(o->u + at * (n + nv) + n, f->reserve, nv * sizeof *f->reserve);
  for (size_t k = 0; k < nv; k++) {
    const double e = d->q[k] - f->q[k];
    o->rms += e * e;
  }
  o->nnode = i + 1;
  lb_forward(m, d);
  const lb_status status = lb_frame_put(r, d, f->err);
  if (status == LB_OK) {
    memcpy(r->torque + (size_t)(r->nframe - 1) * nv, f->reserve, nv * sizeof *f->reserve);
  }
  return status;
}

static lb_status run(follower* f, int steps, double dt, lb_recording* r) {
  lb_data* d = f->d;
  lb_status status = begin(f, f->out->time[0]);
  for (int i = 0; i <= steps && status == LB_OK; i++) {
    look_ahead(f, dt);
    status = choose(f, dt);
    excite(f, dt);
    memcpy(d->tau, f->reserve, (size_t)f->m->nv * sizeof *d->tau);
    status = status == LB_OK ? keep(f, i, r) : status;
    if (status == LB_OK && i < steps) {
      status = lb_stepper_step(f->st, d, dt, f->err);
    }
    if (status == LB_OK &&
        !lb_progress_report(&f->o->progress, (i + 1.0) / (steps + 1), "following")) {
      status =
          lb_error_add(f->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s", d->time);
    }
  }
  return status;
}

// --- making ---

// Room for what lb_range takes in a step: LAPACK's blocks of so many columns.
static bool take_scratch(follower* f, size_t rows) {
  enum { BLOCK = 64 };
  const bool enough = LB_TAKE(&f->scratch, double, (BLOCK + 4) * ((size_t)f->m->nv + rows + 4));
  lb_arena_reset(&f->scratch, (lb_arena_mark){f->scratch.top, 0});
  return enough;
}

static bool take(follower* f, int steps) {
  const size_t nv = (size_t)f->m->nv, n = (size_t)f->m->muscle.count, rows = (size_t)steps + 1,
               most = (size_t)lb_constraints_most(f->m);
  lb_arena* A = &f->arena;
  lb_collocation* o = f->out;
  double** const of_nv[] = {&f->q,    &f->v,       &f->a,     &f->wanted,
                            &f->left, &f->reserve, &f->price, &f->B};
  double** const of_n[] = {&f->act, &f->lo, &f->hi, &f->excitation};
  for (size_t i = 0; i < sizeof of_nv / sizeof *of_nv; i++) {
    *of_nv[i] = LB_TAKE(A, double, nv);
  }
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) {
    *of_n[i] = LB_TAKE(A, double, n);
  }
  f->arm = LB_TAKE(A, double, n* nv);
  f->NB = LB_TAKE(A, double, n* nv);
  f->N = LB_TAKE(A, double, nv* nv);
  f->Q = LB_TAKE(A, double, nv* nv);
  f->J = LB_TAKE(A, double, most* nv);
  f->share = LB_TAKE(A, double, lb_curved_share_scratch((int)n, (int)nv));
  o->time = LB_TAKE(A, double, rows);
  o->q = LB_TAKE(A, double, rows* nv);
  o->qd = LB_TAKE(A, double, rows* nv);
  o->qdd = LB_TAKE(A, double, rows* nv);
  o->q_ref = LB_TAKE(A, double, rows* nv);
  o->x = LB_TAKE(A, double, rows*(size_t)f->m->nx);
  o->u = LB_TAKE(A, double, rows*(n + nv));
  o->control = LB_TAKE(A, lb_control, n + nv);
  return lb_arena_status(A) == LB_OK && take_scratch(f, most);
}

static void name_controls(follower* f) {
  const lb_model* m = f->m;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    f->out->control[i] = (lb_control){mu->name, LB_CONTROL_MUSCLE, i, 0, 1};
  }
  for (int v = 0; v < m->nv; v++) {
    f->out->control[m->muscle.count + v] = (lb_control){f->out->coordinate[v], LB_CONTROL_RESERVE,
                                                        v, -(double)INFINITY, (double)INFINITY};
    f->price[v] = f->o->price;
  }
  f->out->ncontrol = m->muscle.count + m->nv;
}

static lb_status make_worlds(follower* f, const lb_allocator* allocator) {
  lb_scene_solver solver = f->m->solver;
  solver.integrator = LB_INTEGRATOR_BDF1;
  lb_status status = lb_data_create(f->m, allocator, &f->d, f->err);
  status = status == LB_OK ? lb_data_create(f->m, allocator, &f->ahead, f->err) : status;
  status = status == LB_OK ? lb_stepper_create(f->m, &solver, allocator, &f->st, f->err) : status;
  if (status == LB_OK && f->d->work->muscles) {
    f->d->work->muscles->given = f->excitation;
    f->ahead->work->muscles->idle = f->ahead->work->muscles->unmeasured = true;
  }
  return status;
}

// Whole steps from the first sample that is asked for to the last.
static lb_status find_time(follower* f, const lb_joint_motion* motion, int* steps, double* dt) {
  const double from = fmax(f->o->from, motion->time[0]),
               to = fmin(f->o->to, motion->time[motion->nsample - 1]);
  if (!(to > from)) {
    return lb_error_add(f->err, LB_INVALID, (lb_place){0},
                        "the part of the motion from %g s to %g s is empty: it goes from %g s to "
                        "%g s",
                        f->o->from, f->o->to, motion->time[0], motion->time[motion->nsample - 1]);
  }
  *steps = (int)ceil((to - from) / f->o->step - 1e-9);
  *dt = (to - from) / *steps;
  f->out->duration = to - from;
  return LB_OK;
}

// Figures, and memory of the result.
static lb_status finish(follower* f, lb_status status, lb_collocation** result) {
  lb_collocation* o = f->out;
  if (status != LB_OK && status != LB_INTERRUPTED) {
    return status;
  }
  o->rms = sqrt(o->rms / ((double)o->nnode * f->m->nv));
  o->end = status == LB_OK ? LB_COLLOCATE_CONVERGED : LB_COLLOCATE_INTERRUPTED;
  o->storage = lb_arena_keep(&f->arena);
  if (!o->storage) {
    return lb_arena_check(&f->arena, "following a motion", f->err);
  }
  *result = o;
  return status;
}

static lb_status prepare(follower* f, const lb_joint_motion* motion, int* steps, double* dt) {
  const lb_follow_options* o = f->o;
  lb_status status = find_time(f, motion, steps, dt);
  if (status != LB_OK) {
    return status;
  }
  if (!take(f, *steps)) {
    return lb_error_add(f->err, LB_NO_MEMORY, (lb_place){0},
                        "out of memory for following a motion");
  }
  f->out->time[0] = fmax(o->from, motion->time[0]);
  status = lb_coordinate_names(&f->arena, f->m, &f->out->coordinate, f->err);
  if (status != LB_OK) {
    return status;
  }
  name_controls(f);
  return lb_inverse_prepare(&f->arena, f->m, motion, o->cutoff, o->opensim, &f->ref, f->err);
}

lb_status lb_follow_motion(const lb_model* model, const lb_joint_motion* motion,
                           const lb_follow_options* options, lb_recording* recording,
                           lb_collocation** result, lb_error* err) {
  lb_status status = lb_collocation_check_model(model, (lb_place){model->file, 0, 0}, err);
  if (status != LB_OK) {
    return status;
  }
  follower f = {.m = model, .o = options, .err = err};
  int steps = 0;
  double dt = 0;
  lb_arena_init(&f.arena, recording->allocator);
  lb_arena_init(&f.scratch, recording->allocator);
  f.out = LB_TAKE(&f.arena, lb_collocation, 1);
  if (!f.out) {
    return lb_arena_check(&f.arena, "following a motion", err);
  }
  f.out->model = model;
  status = prepare(&f, motion, &steps, &dt);
  status = status == LB_OK ? make_worlds(&f, recording->allocator) : status;
  status =
      status == LB_OK ? lb_recording_keep(recording, LB_KEEP_RATES | LB_KEEP_TORQUES, err) : status;
  status = status == LB_OK ? run(&f, steps, dt, recording) : status;
  lb_stepper_release(f.st);
  lb_data_release(f.ahead);
  lb_data_release(f.d);
  lb_arena_release(&f.scratch);
  const lb_status end = finish(&f, status, result);
  if (end != LB_OK && end != LB_INTERRUPTED) {
    lb_arena_release(&f.arena);
  }
  return end;
}
