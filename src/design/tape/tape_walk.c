// The way along a tape. All states are known, so many stages are differentiated at a time, on as
// many threads as there are; only the products that chain them, which are cheap, follow each other:
// forwards for sensitivities, backwards for the discrete adjoint. Exact for the steps taken.
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "design/tape/tape.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"

// --- kinds of stages ---

static bool differentiate_stage(lb_walk* W, lb_tangent* t) {
  lb_tape_go_to(W->tape, t->d, t->record);
  const lb_step_past past = W->past ? W->past(W->context, t) : lb_tape_past(W->tape, t->record);
  if (!lb_step_differentiate(t->S, t->d, &past)) {
    return false;
  }
  t->D = lb_step_dynamics(t->S);
  t->at = lb_step_data(t->S, t->d);
  return W->look(W->context, t);
}

static void back_stage(lb_walk* W, lb_tangent* t, double* q, double* v) {
  const int* before = lb_tape_record(W->tape, t->record)->before;
  const int one = before[0] % LB_TAPE_RING, two = before[1] % LB_TAPE_RING;
  lb_step_causes out = {.q = {W->by.q[one], W->by.q[two]},
                        .v = {W->by.v[one], W->by.v[two]},
                        .motor = t->motor,
                        .x = {W->by.x[one], W->by.x[two]},
                        .excitation = t->excitation};
  double* x = W->by.x[t->record % LB_TAPE_RING];
  lb_step_back(t->S, &out,
               &(lb_step_effects){.q = q, .v = v, .a = t->by_a, .lambda = t->by_lambda, .x = x});
}

static void forward_stage(lb_walk* W, lb_tangent* t, lb_direction* k, double* motor,
                          double* force) {
  const int* before = lb_tape_record(W->tape, t->record)->before;
  const int one = before[0] % LB_TAPE_RING, two = before[1] % LB_TAPE_RING;
  const int now = t->record % LB_TAPE_RING;
  const lb_step_causes in = {
      .q = {k->q[one], k->q[two]}, .v = {k->v[one], k->v[two]}, .motor = motor};
  lb_step_forward(
      t->S, &(lb_step_effects){.q = k->q[now], .v = k->v[now], .a = k->a, .lambda = k->lambda}, &in,
      force);
}

static void pass_on(lb_walk* W, int record, const double* q, const double* v) {
  lb_add(W->m->nv, W->by.q[(record - 1) % LB_TAPE_RING], 1, q);
  lb_add(W->m->nv, W->by.v[(record - 1) % LB_TAPE_RING], 1, v);
  lb_add(W->m->nx, W->by.x[(record - 1) % LB_TAPE_RING], 1, W->by.x[record % LB_TAPE_RING]);
}

// Other numbers for the state before.
static bool differentiate_charts(lb_walk* W, lb_tangent* t) {
  lb_tape_go_to(W->tape, t->d, t->record - 1);
  return true;
}

static void back_charts(lb_walk* W, lb_tangent* t, double* q, double* v) {
  lb_rechart_back(W->m, W->keeps, t->d->q, t->d->qd, q, v);
  pass_on(W, t->record, q, v);
}

// Tangent of a change of charts, by the transpose, one number of the end at a time: charts change
// rarely.
static void forward_charts(lb_walk* W, lb_tangent* t, lb_direction* k, double* motor,
                           double* force) {
  const int nv = W->m->nv, now = t->record % LB_TAPE_RING, before = (t->record - 1) % LB_TAPE_RING;
  (void)motor, (void)force;
  for (int i = 0; i < 2 * nv; i++) {
    memset(t->by_q, 0, 2 * (size_t)nv * sizeof(double)); // and by_v
    t->by_q[i] = 1;
    lb_rechart_back(W->m, W->keeps, t->d->q, t->d->qd, t->by_q, t->by_v);
    (i < nv ? k->q[now] : k->v[now] - nv)[i] =
        lb_dot(nv, t->by_q, k->q[before]) + lb_dot(nv, t->by_v, k->v[before]);
  }
  memset(t->by_q, 0, 2 * (size_t)nv * sizeof(double));
}

typedef struct stage_kind {
  bool (*differentiate)(lb_walk* W, lb_tangent* t); // to its end; with the objective's share
  void (*back)(lb_walk* W, lb_tangent* t, double* q, double* v);
  void (*forward)(lb_walk* W, lb_tangent* t, lb_direction* k, double* motor, double* force);
} stage_kind;

static const stage_kind STAGE = {differentiate_stage, back_stage, forward_stage};
static const stage_kind CHARTS = {differentiate_charts, back_charts, forward_charts};

static const stage_kind* kind_of(const lb_walk* W, const lb_tangent* t) {
  const lb_record* at = lb_tape_record(W->tape, t->record);
  return at->recharts ? &CHARTS : &STAGE;
}

// --- the way ---

static size_t motors_size(const lb_walk* W, const lb_tangent* t) {
  return 3 * (size_t)W->m->nmotor * (size_t)t->moments;
}

static void differentiate(void* context, int i) {
  lb_walk* W = context;
  lb_tangent* t = &W->at[i];
  memset(t->by_q, 0, (3 * (size_t)W->m->nv + (size_t)W->tape->rows) * sizeof(double)); // one block
  memset(t->motor, 0, motors_size(W, t) * sizeof(double));
  memset(t->by_x, 0, (size_t)W->m->nx * sizeof(double));
  memset(t->excitation, 0, (size_t)W->m->muscle.count * sizeof(double));
  t->failed = !kind_of(W, t)->differentiate(W, t);
}

static lb_status take(lb_walk* W, int first, int by, int count) {
  for (int i = 0; i < count; i++) {
    W->at[i].record = first + i * by;
  }
  lb_parallel_for(W->threads, count, differentiate, W);
  for (int i = 0; i < count; i++) {
    if (W->at[i].failed) {
      const lb_derivative_type* type = W->tape->type->derivative;
      const lb_status status = type->complain ? type->complain(W->at[i].S, W->err) : LB_OK;
      return status != LB_OK
                 ? status
                 : lb_error_add(
                       W->err, LB_FAILED, (lb_place){0},
                       "the step that ends at t = %g s has no derivative: its equations are "
                       "singular%s",
                       lb_tape_record(W->tape, W->at[i].record)->time,
                       W->tape->type->derivative->restarts
                           ? ", or it left gaps too wide to be closed straight (take "
                             "smaller steps)"
                           : "");
    }
  }
  return LB_OK;
}

static lb_status walk_stretch(lb_walk* W, bool back, lb_tangent_visitor* visit) {
  const lb_tape* T = W->tape;
  const int begin = lb_tape_first(T), end = T->count;
  for (int done = 0; done < end - begin; done += W->width) {
    const int left = end - begin - done, count = left < W->width ? left : W->width;
    const lb_status status = take(W, back ? end - 1 - done : begin + done, back ? -1 : 1, count);
    if (status != LB_OK) {
      return status;
    }
    for (int i = 0; i < count; i++) {
      visit(W->context, &W->at[i]);
    }
    const double gone = lb_tape_record(T, W->at[0].record)->time / (T->nstep * T->h);
    if (W->progress &&
        !lb_progress_report(W->progress, back ? 1 - gone : gone, "differentiating")) {
      return lb_error_add(W->err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
    }
  }
  return LB_OK;
}

lb_status lb_walk_along(lb_walk* W, bool back, lb_tangent_visitor* visit) {
  const int n = lb_tape_stretches(W->tape);
  lb_status status = LB_OK;
  for (int i = 0; i < n && status == LB_OK; i++) {
    const int stretch = back ? n - 1 - i : i;
    if (W->tape->stretch != stretch) {
      status = lb_tape_hold(W->tape, W->st, W->d, stretch, W->err);
    }
    status = status == LB_OK ? walk_stretch(W, back, visit) : status;
  }
  return status;
}

lb_step_effects lb_walk_forward(lb_walk* W, lb_tangent* t, lb_direction* k, double* motor,
                                double* force) {
  const int now = t->record % LB_TAPE_RING;
  kind_of(W, t)->forward(W, t, k, motor, force);
  return (lb_step_effects){.q = k->q[now], .v = k->v[now], .a = k->a, .lambda = k->lambda};
}

void lb_walk_back(lb_walk* W, lb_tangent* t) {
  const int nv = W->m->nv, now = t->record % LB_TAPE_RING;
  lb_add(nv, W->by.q[now], 1, t->by_q);
  lb_add(nv, W->by.v[now], 1, t->by_v);
  lb_add(W->m->nx, W->by.x[now], 1, t->by_x);
  kind_of(W, t)->back(W, t, W->by.q[now], W->by.v[now]);
  memset(W->by.q[now], 0, (size_t)nv * sizeof(double));
  memset(W->by.v[now], 0, (size_t)nv * sizeof(double));
  memset(W->by.x[now], 0, (size_t)W->m->nx * sizeof(double));
}

const double* lb_walk_back_start(lb_walk* W) {
  lb_tangent* t = &W->at[0];
  lb_tape_go_to(W->tape, t->d, 0);
  memset(t->excitation, 0, (size_t)W->m->muscle.count * sizeof(double));
  lb_step_back_start(t->S, t->d, W->by.q[0], W->by.v[0], t->excitation, W->by.x[0]);
  return t->excitation;
}

// --- life ---

static lb_status make_derivatives(lb_walk* W, lb_tangent* t) {
  lb_status status = lb_data_create(W->m, W->allocator, &t->d, W->err);
  if (status == LB_OK) {
    status = lb_step_derivative_create_for(W->m, W->tape->by, W->allocator, &t->S, W->err);
  }
  if (status == LB_OK && W->matrices) {
    lb_step_take_matrices(t->S);
  }
  return status;
}

static lb_status open_one(lb_walk* W, int slot) {
  const size_t nv = (size_t)W->m->nv;
  lb_tangent* t = &W->at[slot];
  const lb_status status = make_derivatives(W, t);
  if (status != LB_OK) {
    return status;
  }
  t->slot = slot;
  t->moments = lb_step_moments(t->S);
  t->by_q = LB_TAKE(&W->arena, double, 4 * nv + (size_t)W->tape->rows);
  t->motor = LB_TAKE(&W->arena, double, motors_size(W, t));
  t->by_x = LB_TAKE(&W->arena, double, W->m->nx);
  t->excitation = LB_TAKE(&W->arena, double, W->m->muscle.count);
  if (!t->by_q || !t->motor || !t->by_x || !t->excitation) {
    return lb_error_add(W->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  }
  t->by_v = t->by_q + nv;
  t->by_a = t->by_v + nv;
  t->by_lambda = t->by_a + nv;
  t->before = t->by_lambda + W->tape->rows;
  return LB_OK;
}

bool lb_direction_take(lb_arena* arena, const lb_walk* W, lb_direction* out) {
  const size_t nv = (size_t)W->m->nv;
  const size_t nx = (size_t)W->m->nx, rows = (size_t)W->tape->rows;
  double* block = LB_TAKE(arena, double, (2 * LB_TAPE_RING + 1) * nv + rows + LB_TAPE_RING * nx);
  for (size_t i = 0; i < LB_TAPE_RING && block; i++) {
    out->q[i] = block + 2 * i * nv;
    out->v[i] = out->q[i] + nv;
    out->x[i] = block + (2 * LB_TAPE_RING + 1) * nv + rows + i * nx;
  }
  out->a = block ? block + 2 * LB_TAPE_RING * nv : NULL;
  out->lambda = block ? out->a + nv : NULL;
  return block != NULL;
}

lb_status lb_walk_open(lb_walk* W) {
  // One thread takes one stage at a time, so that its matrices are still in the cache when they are
  // used.
  const int wide = W->threads > 1 ? 4 * W->threads : 1;
  W->width = wide < LB_TANGENTS ? wide : LB_TANGENTS;
  lb_arena_init(&W->arena, W->allocator);
  lb_status status =
      lb_direction_take(&W->arena, W, &W->by)
          ? LB_OK
          : lb_error_add(W->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a gradient");
  for (int i = 0; i < W->width && status == LB_OK; i++) {
    status = open_one(W, i);
  }
  if (status == LB_OK && lb_tape_stretches(W->tape) > 1) {
    status = lb_data_create(W->m, W->allocator, &W->d, W->err);
    status = status == LB_OK ? W->stepper(W->context, W->m, &W->st) : status;
  }
  return status;
}

void lb_walk_close(lb_walk* W) {
  for (int i = 0; i < W->width; i++) {
    lb_step_derivative_release(W->at[i].S);
    lb_data_release(W->at[i].d);
  }
  lb_stepper_release(W->st);
  lb_data_release(W->d);
  lb_arena_release(&W->arena);
}
