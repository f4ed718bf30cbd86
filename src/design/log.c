// The log of a run: all its states, for the way back. Where they do not fit into the memory that
// they may take, the log has one stretch of the run at a time and checkpoints at the stretches'
// starts, from which a stretch is stepped again when it is wanted. Every stretch but the last is
// then run twice, whatever their length; about as many checkpoints as there are records in a
// stretch takes the least memory.
//
// To be the same to the last bit, a stretch must not know of steps before its start but by what a
// checkpoint has. So Newton's matrix is made anew every LB_LOG_RENEW steps, in every run, and
// stretches begin at such steps.
#include <string.h>

#include "design/retarget.h"
#include "dynamics/loop.h"

// Records before a stretch that its first step came from.
enum { BEFORE = 2 };

// --- records ---

lb_moment* lb_log_moment(const lb_motion_log* log, int record) {
  return &log->moment[record - log->first];
}
int lb_log_end(const lb_motion_log* log) {
  return log->count - 1 - lb_log_moment(log, log->count - 1)->impact;
}
double* lb_log_q(const lb_retargeting* r, int record) {
  return r->log.q + (size_t)(record - r->log.first) * (size_t)r->model->nq;
}
double* lb_log_v(const lb_retargeting* r, int record) {
  return r->log.v + (size_t)(record - r->log.first) * (size_t)r->model->nv;
}
static double* lambda_of(const lb_motion_log* log, int record) {
  return log->lambda + (size_t)(record - log->first) * (size_t)log->rows;
}
static bool* lands_of(const lb_motion_log* log, int record) {
  return log->lands + (size_t)(record - log->first) * (size_t)log->rows;
}
static bool* left_out_of(const lb_motion_log* log, int record) {
  return log->left_out + (size_t)(record - log->first) * (size_t)log->rows;
}

lb_step_past lb_log_past(const lb_retargeting* r, int record) {
  const lb_moment* at = lb_log_moment(&r->log, record);
  lb_step_past past = {.dt = at->dt,
                       .count = at->count,
                       .weight = {at->count == 2 ? 4. / 3 : 1, at->count == 2 ? -1. / 3 : 0},
                       .lambda = lambda_of(&r->log, record),
                       .lands = lands_of(&r->log, record),
                       .left_out = left_out_of(&r->log, record),
                       .impact = at->impact};
  for (int p = 0; p < at->count; p++) {
    past.q[p] = lb_log_q(r, record - 1 - p);
    past.v[p] = lb_log_v(r, record - 1 - p);
  }
  return past;
}

void lb_log_note(lb_retargeting* r, const lb_data* d, const lb_step_past* past) {
  lb_motion_log* log = &r->log;
  log->count -= past ? past->taken_back : 0;
  if (log->count - log->first == log->capacity) {
    log->overflown = true;
    return;
  }
  const lb_model* m = r->model;
  const int i = log->count++;
  *lb_log_moment(log, i) = (lb_moment){.time = d->time,
                                       .dt = past ? past->dt : 0,
                                       .count = past ? past->count : 0,
                                       .impact = past && past->impact};
  memcpy(lb_log_q(r, i), d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(lb_log_v(r, i), d->qd, (size_t)m->nv * sizeof *d->qd);
  if (past && past->lambda && log->rows > 0) {
    memcpy(lambda_of(log, i), past->lambda, (size_t)log->rows * sizeof *log->lambda);
  }
  const bool* left_out = lb_loops_left_out(d);
  for (int k = 0; k < log->rows; k++) {
    lands_of(log, i)[k] = past && past->lands && past->lands[k];
    left_out_of(log, i)[k] = left_out[k];
  }
}

// --- stretches ---

int lb_log_first_step(const lb_retargeting* r, int stretch) {
  return 1 + stretch * r->log.steps;
}
int lb_log_last_step(const lb_retargeting* r, int stretch) {
  const int last = (stretch + 1) * r->log.steps;
  return last < r->nstep ? last : r->nstep;
}
int lb_log_stretches(const lb_retargeting* r) {
  return (r->nstep + r->log.steps - 1) / r->log.steps;
}
int lb_log_first_record(const lb_motion_log* log) {
  return log->checkpoint[log->stretch].count;
}

// The last records move to the front, and the log goes on behind them.
static void move_up(lb_retargeting* r) {
  lb_motion_log* log = &r->log;
  const int held = log->count - log->first, kept = held < BEFORE ? held : BEFORE;
  const int from = log->count - kept;
  memmove(log->moment, lb_log_moment(log, from), (size_t)kept * sizeof *log->moment);
  memmove(log->q, lb_log_q(r, from), (size_t)(kept * r->model->nq) * sizeof *log->q);
  memmove(log->v, lb_log_v(r, from), (size_t)(kept * r->model->nv) * sizeof *log->v);
  log->first = from;
}

void lb_log_begin(lb_retargeting* r, lb_stepper* st, const lb_data* d, int stretch) {
  lb_motion_log* log = &r->log;
  lb_checkpoint* c = &log->checkpoint[stretch];
  const size_t nq = (size_t)r->model->nq, nv = (size_t)r->model->nv;
  log->stretch = stretch;
  move_up(r);
  c->count = log->count;
  c->time = d->time;
  memcpy(c->d, d->q, nq * sizeof(double));
  memcpy(c->d + nq, d->qd, nv * sizeof(double));
  memcpy(c->moment, log->moment, BEFORE * sizeof *c->moment);
  memcpy(c->before, log->q, BEFORE * nq * sizeof(double));
  memcpy(c->before + BEFORE * nq, log->v, BEFORE * nv * sizeof(double));
  lb_bdf2_save(st, d, c->place);
}

void lb_log_return(lb_retargeting* r, lb_stepper* st, lb_data* d, int stretch) {
  lb_motion_log* log = &r->log;
  const lb_checkpoint* c = &log->checkpoint[stretch];
  const size_t nq = (size_t)r->model->nq, nv = (size_t)r->model->nv;
  log->stretch = stretch;
  log->count = c->count;
  log->first = c->count < BEFORE ? 0 : c->count - BEFORE;
  d->time = c->time;
  memcpy(d->q, c->d, nq * sizeof(double));
  memcpy(d->qd, c->d + nq, nv * sizeof(double));
  memcpy(log->moment, c->moment, BEFORE * sizeof *c->moment);
  memcpy(log->q, c->before, BEFORE * nq * sizeof(double));
  memcpy(log->v, c->before + BEFORE * nq, BEFORE * nv * sizeof(double));
  lb_bdf2_load(st, d, c->place);
}

// --- life ---

// Room for parts of divided steps: at least, and enough.
enum { LEAST_SPARE = 256, MOST_SPARE = 4096 };

static size_t spare(int steps) {
  return (size_t)(steps < LEAST_SPARE ? LEAST_SPARE : steps > MOST_SPARE ? MOST_SPARE : steps);
}

static size_t record_size(const lb_retargeting* r) {
  const lb_model* m = r->model;
  return sizeof(lb_moment) + (size_t)(m->nq + m->nv + r->log.rows) * sizeof(double) +
         2 * (size_t)r->log.rows * sizeof(bool);
}

static size_t checkpoint_size(const lb_retargeting* r) {
  const lb_model* m = r->model;
  const size_t numbers = (1 + BEFORE) * (size_t)(m->nq + m->nv) + lb_bdf2_place_size(m);
  return sizeof(lb_checkpoint) + BEFORE * sizeof(lb_moment) + numbers * sizeof(double);
}

static int stretches(const lb_retargeting* r, int steps) {
  return (r->nstep + steps - 1) / steps;
}

static size_t log_size(const lb_retargeting* r, int steps) {
  return (size_t)stretches(r, steps) * checkpoint_size(r) +
         (BEFORE + (size_t)steps + spare(steps)) * record_size(r);
}

// The longest stretches that fit, and what room they leave for parts of steps.
static lb_status choose_steps(lb_retargeting* r, size_t room) {
  lb_motion_log* log = &r->log;
  size_t least = log_size(r, r->nstep);
  log->steps = r->nstep;
  while (log_size(r, log->steps) > room && log->steps > LB_LOG_RENEW) {
    log->steps = (log->steps - 1) / LB_LOG_RENEW * LB_LOG_RENEW;
    const size_t size = log_size(r, log->steps);
    least = size < least ? size : least;
  }
  if (least > room) {
    return lb_error_add(r->err, LB_INVALID, (lb_place){0},
                        "the states of a run of %d steps need %zu kB of memory, more than the %zu "
                        "kB they may take",
                        r->nstep, (least + 999) / 1000, room / 1000);
  }
  log->nstretch = stretches(r, log->steps);
  const size_t fit = (room - (size_t)log->nstretch * checkpoint_size(r)) / record_size(r);
  const size_t enough = BEFORE + (size_t)log->steps + MOST_SPARE;
  log->capacity = (int)(fit < enough ? fit : enough);
  return LB_OK;
}

static bool take_checkpoint(lb_retargeting* r, lb_checkpoint* c) {
  const lb_model* m = r->model;
  c->moment = LB_TAKE(&r->arena, lb_moment, BEFORE);
  c->d = LB_TAKE(&r->arena, double, m->nq + m->nv);
  c->before = LB_TAKE(&r->arena, double, BEFORE*(m->nq + m->nv));
  c->place = LB_TAKE(&r->arena, double, lb_bdf2_place_size(m));
  return c->moment && c->d && c->before && c->place;
}

lb_status lb_log_open(lb_retargeting* r, size_t memory) {
  static const size_t GIGABYTE = 1000000000;
  lb_motion_log* log = &r->log;
  const lb_model* m = r->model;
  log->rows = lb_loops_most_rows(m);
  const lb_status status = choose_steps(r, memory > 0 ? memory : GIGABYTE);
  if (status != LB_OK) {
    return status;
  }
  const size_t room = (size_t)log->capacity;
  log->moment = LB_TAKE(&r->arena, lb_moment, room);
  log->q = LB_TAKE(&r->arena, double, room*(size_t)m->nq);
  log->v = LB_TAKE(&r->arena, double, room*(size_t)m->nv);
  log->lambda = LB_TAKE(&r->arena, double, room*(size_t)log->rows);
  log->lands = LB_TAKE(&r->arena, bool, room*(size_t)log->rows);
  log->left_out = LB_TAKE(&r->arena, bool, room*(size_t)log->rows);
  log->checkpoint = LB_TAKE(&r->arena, lb_checkpoint, log->nstretch);
  bool taken = log->moment && log->q && log->v && log->lambda && log->lands && log->left_out &&
               log->checkpoint;
  for (int i = 0; i < log->nstretch && taken; i++) {
    taken = take_checkpoint(r, &log->checkpoint[i]);
  }
  return taken ? LB_OK
               : lb_error_add(r->err, LB_NO_MEMORY, (lb_place){0},
                              "out of memory for a run of %d steps", r->nstep);
}

void lb_log_clear(lb_retargeting* r) {
  r->log.first = r->log.count = 0;
  r->log.overflown = false;
}
