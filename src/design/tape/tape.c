// The tape of a run: all its states, for the way back. Where they do not fit into the memory that
// they may take, the tape has one stretch of the run at a time and checkpoints at the stretches'
// starts, from which a stretch is stepped again when it is wanted. Every stretch but the last is
// then run twice, whatever their length; about as many checkpoints as there are records in a
// stretch takes the least memory.
//
// To be the same to the last bit, a stretch must not know of steps before its start but by what a
// checkpoint has. So Newton's matrix is made anew every RENEW steps, in every run, and poses are
// found anew; stretches begin at such steps.
#include "design/tape/tape.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/muscle.h"
#include "dynamics/tree/kinematics.h"

enum {
  BEFORE = 2, // records before a stretch that its first step came from
  RENEW = 64,
  LEAST_SPARE = 256, // least room for parts of divided steps
  MOST_SPARE = 4096  // most room for them
};

// --- records ---

lb_record* lb_tape_record(const lb_tape* T, int record) {
  return (lb_record*)(void*)(T->records + (size_t)(record - T->first) * T->size);
}
double* lb_tape_q(const lb_tape* T, int record) {
  return (double*)(lb_tape_record(T, record) + 1);
}
double* lb_tape_v(const lb_tape* T, int record) {
  return lb_tape_q(T, record) + T->m->nq;
}
double* lb_tape_x(const lb_tape* T, int record) {
  return lb_tape_v(T, record) + T->m->nv;
}
static double* lambda_of(const lb_tape* T, int record) {
  return lb_tape_x(T, record) + T->m->nx;
}
// Unilateral constraints and was not active before; of explicit steps, the active ones at the end.
static bool* inactive_of(const lb_tape* T, int record) {
  return (bool*)(lambda_of(T, record) + T->rows);
}
// Constraints that the step did not have (lb_constraints_redundant).
static bool* left_out_of(const lb_tape* T, int record) {
  return inactive_of(T, record) + T->rows;
}

int lb_tape_last(const lb_tape* T) {
  return T->count - 1 - lb_tape_record(T, T->count - 1)->impact;
}

lb_step_past lb_tape_past(const lb_tape* T, int record) {
  const lb_record* at = lb_tape_record(T, record);
  const bool active = T->type->derivative->restarts;
  lb_step_past past = {.dt = at->dt,
                       .count = at->count,
                       .weight = {at->weight[0], at->weight[1]},
                       .lambda = T->rows ? lambda_of(T, record) : NULL,
                       .inactive = T->rows && !active ? inactive_of(T, record) : NULL,
                       .redundant = T->rows ? left_out_of(T, record) : NULL,
                       .inner = at->inner,
                       .impact = at->impact};
  if (active && at->count > 0) {
    past.from = lb_tape_record(T, at->before[0])->time;
    past.active[0] = inactive_of(T, at->before[0]);
    past.active[1] = inactive_of(T, record);
  }
  for (int p = 0; p < at->count; p++) {
    past.q[p] = lb_tape_q(T, at->before[p]);
    past.v[p] = lb_tape_v(T, at->before[p]);
    past.x[p] = lb_tape_x(T, at->before[p]);
  }
  return past;
}

void lb_tape_go_to(const lb_tape* T, lb_data* d, int record) {
  memcpy(d->q, lb_tape_q(T, record), (size_t)T->m->nq * sizeof *d->q);
  memcpy(d->qd, lb_tape_v(T, record), (size_t)T->m->nv * sizeof *d->qd);
  memcpy(d->x, lb_tape_x(T, record), (size_t)T->m->nx * sizeof *d->x);
  d->time = lb_tape_record(T, record)->time;
}

// --- noting ---

static bool make_room(lb_tape* T) {
  if (T->count - T->first < T->capacity) {
    return true;
  }
  const int capacity = T->capacity < T->most / 2 ? 2 * T->capacity : T->most;
  T->overflown = T->capacity == T->most;
  char* larger = T->overflown ? NULL : lb_allocate(T->allocator, (size_t)capacity * T->size);
  if (!larger) {
    T->no_memory = !T->overflown;
    return false;
  }
  memcpy(larger, T->records, (size_t)T->capacity * T->size);
  lb_release(T->allocator, T->records);
  T->records = larger;
  T->capacity = capacity;
  return true;
}

// A state came from the one reported last and, where there are two, from the step's end before
// that.
static void find_causes(const lb_tape* T, int record, int before[2]) {
  before[0] = record - 1;
  before[1] = record > 1 ? record - 2 : 0;
  while (before[1] > T->first && lb_tape_record(T, before[1])->inner) {
    before[1]--;
  }
}

static void note_rows(const lb_tape* T, int record, const lb_data* d, const lb_step_past* past) {
  const bool *out = lb_constraints_redundant(d),
             *active = T->type->derivative->restarts ? lb_constraints_active(d) : NULL;
  double* lambda = lambda_of(T, record);
  bool *inactive = inactive_of(T, record), *redundant = left_out_of(T, record);
  for (int k = 0; k < T->rows; k++) {
    inactive[k] = active ? active[k] : past && past->inactive && past->inactive[k];
    redundant[k] = out[k];
    lambda[k] = past && past->lambda ? past->lambda[k] : 0;
  }
}

void lb_tape_note(lb_tape* T, const lb_data* d, const lb_step_past* past) {
  T->count -= past ? past->taken_back : 0;
  if (T->overflown || T->no_memory || !make_room(T)) {
    return;
  }
  const int i = T->count++;
  lb_record* at = lb_tape_record(T, i);
  *at = (lb_record){.time = d->time};
  if (past) {
    *at = (lb_record){.time = d->time,
                      .dt = past->dt,
                      .weight = {past->weight[0], past->weight[1]},
                      .count = past->count,
                      .inner = past->inner,
                      .impact = past->impact,
                      .recharts = past->recharts};
    find_causes(T, i, at->before);
  }
  memcpy(lb_tape_q(T, i), d->q, (size_t)T->m->nq * sizeof *d->q);
  memcpy(lb_tape_v(T, i), d->qd, (size_t)T->m->nv * sizeof *d->qd);
  memcpy(lb_tape_x(T, i), d->x, (size_t)T->m->nx * sizeof *d->x);
  if (T->rows > 0) {
    note_rows(T, i, d, past);
  }
}

static void note(void* context, const lb_data* d, const lb_step_past* past) {
  lb_tape_note(context, d, past);
}

// The last of an adaptive method's steps ends at the moment that is asked for, to the last digit.
static void note_end(const lb_tape* T, const lb_data* d) {
  lb_tape_record(T, T->count - 1)->time = d->time;
  memcpy(lb_tape_q(T, T->count - 1), d->q, (size_t)T->m->nq * sizeof *d->q);
  memcpy(lb_tape_v(T, T->count - 1), d->qd, (size_t)T->m->nv * sizeof *d->qd);
  memcpy(lb_tape_x(T, T->count - 1), d->x, (size_t)T->m->nx * sizeof *d->x);
}

// --- checkpoints ---

// Checkpoint: the number of records before it, the state of d and the stepper (lb_stepper_save),
// and the last records.
typedef struct checkpoint {
  int count;
  double state[];
} checkpoint;

static size_t checkpoint_size(const lb_tape* T) {
  return sizeof(checkpoint) + T->state * sizeof(double) + BEFORE * T->size;
}

static checkpoint* checkpoint_at(const lb_tape* T, int stretch) {
  return (checkpoint*)(void*)(T->checkpoints + (size_t)stretch * checkpoint_size(T));
}

int lb_tape_stretches(const lb_tape* T) {
  return (T->nstep + T->steps - 1) / T->steps;
}
int lb_tape_first(const lb_tape* T) {
  return T->stretch == 0 ? 1 : checkpoint_at(T, T->stretch)->count;
}

// The last records move to the front, and the tape goes on behind them.
static void begin_stretch(lb_tape* T, lb_stepper* st, const lb_data* d, int stretch) {
  const int held = T->count - T->first, kept = held < BEFORE ? held : BEFORE;
  checkpoint* c = checkpoint_at(T, stretch);
  memmove(T->records, lb_tape_record(T, T->count - kept), (size_t)kept * T->size);
  T->first = T->count - kept;
  T->stretch = stretch;
  c->count = T->count;
  lb_stepper_save(st, d, c->state);
  memcpy(c->state + T->state, T->records, (size_t)kept * T->size);
}

static void return_to(lb_tape* T, lb_stepper* st, lb_data* d, int stretch) {
  const checkpoint* c = checkpoint_at(T, stretch);
  T->stretch = stretch;
  T->count = c->count;
  T->first = c->count < BEFORE ? 0 : c->count - BEFORE;
  lb_stepper_load(st, d, c->state);
  memcpy(T->records, c->state + T->state, (size_t)(T->count - T->first) * T->size);
}

// --- the run ---

void lb_tape_begin(lb_tape* T, lb_stepper* st, lb_data* d, int nstep) {
  T->first = T->count = T->stretch = 0;
  T->overflown = T->no_memory = false;
  T->nstep = nstep;
  lb_stepper_watch(st, note, T);
  lb_muscles_start(d); // d may have run before
  lb_muscles_settle(st->m, d);
  lb_tape_note(T, d, NULL);
}

static lb_status check_room(const lb_tape* T, const lb_data* d, lb_error* err) {
  if (T->no_memory) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the steps of a run");
  }
  return !T->overflown ? LB_OK
                       : lb_error_add(err, LB_FAILED, (lb_place){0},
                                      "too many steps had to be divided by t = %g s: take a "
                                      "smaller step, or allow more memory",
                                      d->time);
}

static lb_status advance(lb_tape* T, lb_stepper* st, lb_data* d, int i, lb_error* err) {
  if ((i - 1) % RENEW == 0) {
    lb_stepper_renew(st, d);
    lb_kinematics(st->m, d, d->q, d->qd); // steps look at poses that others left
  }
  lb_status status = lb_stepper_step(st, d, T->h, err);
  d->time = status == LB_OK ? i * T->h : d->time; // no drift from adding up
  status = status == LB_OK ? check_room(T, d, err) : status;
  if (status == LB_OK) {
    if (T->type->derivative->restarts) {
      note_end(T, d);
    }
    lb_tape_record(T, T->count - 1)->step = i;
    lb_tape_record(T, lb_tape_last(T))->effort = i;
  }
  return status;
}

lb_status lb_tape_step(lb_tape* T, lb_stepper* st, lb_data* d, int i, lb_error* err) {
  const lb_status status = check_room(T, d, err);
  if (i == 1) {
    lb_constraints_find_redundant(st->m, d); // before the first checkpoint
  }
  if (status == LB_OK && (i - 1) % T->steps == 0) {
    begin_stretch(T, st, d, (i - 1) / T->steps);
  }
  return status == LB_OK ? advance(T, st, d, i, err) : status;
}

lb_status lb_tape_hold(lb_tape* T, lb_stepper* st, lb_data* d, int stretch, lb_error* err) {
  const int end = (stretch + 1) * T->steps, last = end < T->nstep ? end : T->nstep;
  lb_status status = LB_OK;
  lb_stepper_watch(st, note, T);
  return_to(T, st, d, stretch);
  for (int i = 1 + stretch * T->steps; i <= last && status == LB_OK; i++) {
    status = advance(T, st, d, i, err);
  }
  return status;
}

// --- life ---

static size_t spare(int steps) {
  return (size_t)(steps < LEAST_SPARE ? LEAST_SPARE : steps > MOST_SPARE ? MOST_SPARE : steps);
}

// Records of so many steps, with room for parts of some.
static size_t record_count(const lb_tape* T, int steps) {
  const size_t records = (size_t)(T->type->records > 1 ? T->type->records : 1);
  return BEFORE + records * (size_t)steps + spare(steps);
}

static size_t tape_size(const lb_tape* T, int steps) {
  return (size_t)((T->nstep + steps - 1) / steps) * checkpoint_size(T) +
         record_count(T, steps) * T->size;
}

// The longest stretches that fit, and what room they leave for parts of steps.
static lb_status choose_steps(lb_tape* T, size_t room, lb_error* err) {
  T->steps = T->nstep > 0 ? T->nstep : 1;
  size_t least = tape_size(T, T->steps);
  while (tape_size(T, T->steps) > room && T->steps > RENEW && T->type->records > 0) {
    T->steps = (T->steps - 1) / RENEW * RENEW;
    const size_t size = tape_size(T, T->steps);
    least = size < least ? size : least;
  }
  if (least > room) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "the states of a run of %d steps need %zu kB of memory, more than the %zu "
                        "kB they may take",
                        T->nstep, (least + 999) / 1000, room / 1000);
  }
  T->nstretch = lb_tape_stretches(T);
  const size_t fit = (room - (size_t)T->nstretch * checkpoint_size(T)) / T->size;
  const size_t enough = record_count(T, T->steps);
  T->most = (int)(fit < INT_MAX / 2 ? fit : INT_MAX / 2);
  T->capacity = fit < enough ? T->most : (int)enough;
  return LB_OK;
}

lb_integrator lb_tape_integrator(const lb_model* m) {
  const lb_integrator by = m->solver.integrator;
  return lb_integrator_method(by) == LB_METHOD_IMPLICIT ? by : LB_INTEGRATOR_BDF2;
}

lb_status lb_tape_check_muscles(const lb_model* m, lb_integrator by, bool adjoint, lb_error* err) {
  const bool implicit = lb_integrator_method(by) == LB_METHOD_IMPLICIT;
  for (int i = 0; i < m->muscle.count; i++) {
    if (m->muscle.item[i].hill && !(adjoint && implicit && !lb_model_interface(m))) {
      return lb_error_add(err, LB_INVALID, m->muscle.item[i].place,
                          "muscle '%s' is of Hill's type; %s", m->muscle.item[i].name,
                          !adjoint    ? "this cannot be done with such (take it away)"
                          : !implicit ? "gradients through such need implicit steps (choose bdf1, "
                                        "bdf2 or sdirk2)"
                                      : "gradients through such cannot be had beside bodies with "
                                        "all their nodes (leave 'elastic: full' out)");
    }
  }
  return LB_OK;
}

lb_status lb_tape_open(lb_tape* T, const lb_model* m, lb_integrator by, double h, int nstep,
                       size_t memory, const lb_allocator* allocator, lb_error* err) {
  static const size_t GIGABYTE = 1000000000;
  const int rows = lb_constraints_most(m);
  const size_t numbers = (size_t)(m->nq + m->nv + m->nx + rows),
               flags = 2 * (size_t)rows * sizeof(bool);
  const size_t size = sizeof(lb_record) + numbers * sizeof(double) + flags;
  const lb_stepper_type* type = lb_stepper_type_for(m, by);
  const lb_stepper of = {.type = type, .m = m};
  *T = (lb_tape){.m = m,
                 .allocator = allocator,
                 .by = by,
                 .type = type,
                 .h = h,
                 .nstep = nstep,
                 .rows = rows,
                 .size = (size + sizeof(double) - 1) / sizeof(double) * sizeof(double),
                 .state = lb_stepper_state_size(&of)};
  const lb_status status = choose_steps(T, memory > 0 ? memory : GIGABYTE, err);
  if (status != LB_OK) {
    return status;
  }
  T->records = lb_allocate(allocator, (size_t)T->capacity * T->size);
  T->checkpoints = lb_allocate(allocator, (size_t)T->nstretch * checkpoint_size(T));
  if (!T->records || !T->checkpoints) {
    lb_tape_close(T);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a run of %d steps",
                        nstep);
  }
  return LB_OK;
}

void lb_tape_close(lb_tape* T) {
  lb_release(T->allocator, T->records);
  lb_release(T->allocator, T->checkpoints);
  T->records = T->checkpoints = NULL;
}
