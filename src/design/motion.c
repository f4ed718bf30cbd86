// Running curves: the motion is stepped from its start, every step is kept for the way back, and
// tracked bodies are compared with their targets at the end of each.
#include <math.h>
#include <string.h>

#include "design/retarget.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop.h"
#include "limber/simulate.h"

// --- deviation ---

// With d the distance of the point and r, t the axes of body and target, half the square of
//
//   sqrt(w_p) d   and   sqrt(w_o) (rx.ty, ry.tz, rz.tx)
//
// A small rotation u of the body changes rx.ty by u.(rx x ty).
lb_miss lb_track_miss(const lb_retargeting* r, const lb_data* d, int track, double time) {
  const lb_model* m = r->model;
  const lb_retarget_track* t = &r->what->track[track];
  const int link = m->body_link[t->body];
  const lb_state* s = &d->work->state[link]; // state[-1] is the world
  const lb_transform* X = &m->body_in_link[t->body];
  const lb_v4 p = s->p + lb_m3_apply(s->R, lb_v4_from(lb_transform_point(*X, t->point)));
  const lb_m3 R = lb_m3_mul(s->R, lb_m3_from(lb_quat_matrix(X->q)));
  double factor[3] = {1, 0, 0};
  if (t->weight) {
    lb_profile_evaluate(t->weight, time, factor);
  }
  lb_aim aim;
  lb_targets_read(r->targets, r->what, track, time, &aim);
  const double wp = factor[0] * t->position, wo = factor[0] * t->orientation;
  const lb_v4 off = p - aim.p;
  const lb_v4 body[3] = {R.x, R.y, R.z}, goal[3] = {aim.R.y, aim.R.z, aim.R.x};
  lb_miss miss = {.distance = wp * off, .moment = lb_v4_zero(), .weight = {wp, wo}};
  miss.value = wp * lb_v4_dot(off, off) / 2;
  for (int k = 0; k < 3; k++) {
    const double e = lb_v4_dot(body[k], goal[k]);
    miss.axis[k] = lb_v4_cross(body[k], goal[k]);
    miss.moment += wo * e * miss.axis[k];
    miss.value += wo * e * e / 2;
  }
  miss.arm = p - s->p;
  miss.off = sqrt(lb_v4_dot(off, off));
  const double trace = lb_v4_dot(R.x, aim.R.x) + lb_v4_dot(R.y, aim.R.y) + lb_v4_dot(R.z, aim.R.z);
  miss.angle = acos(fmin(1, fmax(-1, (trace - 1) / 2)));
  return miss;
}

static void compare(const lb_retargeting* r, lb_data* d, double weight, lb_retarget_value* value) {
  lb_kinematics(r->model, d, d->q, d->qd);
  for (int i = 0; i < r->what->ntrack; i++) {
    const lb_miss miss = lb_track_miss(r, d, i, d->time);
    value->deviation += weight * miss.value;
    value->peak = r->what->track[i].position > 0 ? fmax(value->peak, miss.off) : value->peak;
    value->angle =
        r->what->track[i].orientation > 0 ? fmax(value->angle, miss.angle) : value->angle;
  }
}

// --- the run ---

// A step that is divided is tried in ever smaller parts; parts of an attempt that failed are told
// of as well, and dropped when the next attempt begins behind them.
static void drop_failed(lb_motion_log* log, const lb_data* d, const lb_step_past* past) {
  const double h = past->count == 2 ? 1.5 * past->dt : past->dt;
  while (log->count > 1 && log->moment[log->count - 1].time > d->time - 0.5 * h) {
    log->count--;
  }
}

static void note(lb_motion_log* log, const lb_data* d, const lb_step_past* past) {
  if (past) {
    drop_failed(log, d, past);
  }
  if (log->count == log->capacity) {
    log->overflown = true;
    return;
  }
  const lb_model* m = d->model;
  const size_t i = (size_t)log->count++;
  log->moment[i] =
      (lb_moment){.time = d->time, .dt = past ? past->dt : 0, .count = past ? past->count : 0};
  memcpy(log->q + i * (size_t)m->nq, d->q, (size_t)m->nq * sizeof *d->q);
  memcpy(log->v + i * (size_t)m->nv, d->qd, (size_t)m->nv * sizeof *d->qd);
  if (past && past->lambda && log->rows > 0) {
    memcpy(log->lambda + i * (size_t)log->rows, past->lambda,
           (size_t)log->rows * sizeof *log->lambda);
  }
}

static void watch(void* context, const lb_data* d, const lb_step_past* past) {
  note(context, d, past);
}

enum { STEPS_BETWEEN_LOOKS = 256 };

static lb_status run(lb_retargeting* r, lb_stepper* st, lb_data* d, lb_retarget_value* value) {
  lb_motion_log* log = &r->log;
  for (int i = 1; i <= r->nstep; i++) {
    const lb_status status = lb_stepper_step(st, d, r->h, r->err);
    if (status != LB_OK) {
      return status;
    }
    d->time = i * r->h; // no drift from adding up
    if (log->overflown) {
      return lb_error_add(r->err, LB_FAILED, (lb_place){0},
                          "too many steps had to be divided by t = %g s: take a smaller step",
                          d->time);
    }
    const double weight = i < r->nstep ? r->h : r->h / 2;
    log->moment[log->count - 1].weight = weight;
    log->moment[log->count - 1].step = i;
    compare(r, d, weight, value);
    if (i % STEPS_BETWEEN_LOOKS == 0 &&
        !lb_progress_report(r->progress, (double)i / r->nstep, "simulating")) {
      return lb_error_add(r->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s",
                          d->time);
    }
  }
  return LB_OK;
}

lb_status lb_motion_run(lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value) {
  static const lb_scene_solver BDF2 = {.integrator = LB_INTEGRATOR_BDF2};
  lb_model* played = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  lb_retarget_value found = {0};
  r->nrun++;
  lb_status status =
      lb_model_play(r->model, r->what, curves, r->targets->q0, r->allocator, &played, r->err);
  if (status == LB_OK) {
    status = lb_data_create(played, r->allocator, &d, r->err);
  }
  if (status == LB_OK) {
    status = lb_stepper_create(played, &BDF2, r->allocator, &st, r->err);
  }
  if (status == LB_OK) {
    status = lb_assemble(played, d, r->err);
  }
  if (status == LB_OK) {
    r->log.count = 0;
    r->log.overflown = false;
    note(&r->log, d, NULL);
    lb_bdf2_watch(st, watch, &r->log);
    compare(r, d, r->h / 2, &found);
    status = run(r, st, d, &found);
  }
  if (status == LB_OK) {
    lb_regular_add(r, curves, &found, NULL);
    found.objective = found.deviation + found.closeness + found.smoothness + found.limits;
    *value = found;
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(played);
  return status;
}

// --- life ---

// Room for so many parts of divided steps.
enum { SPARE = 4096 };

static bool take_log(lb_retargeting* r) {
  lb_motion_log* log = &r->log;
  const lb_model* m = r->model;
  log->capacity = r->nstep + 1 + SPARE;
  log->rows = lb_loops_most_rows(m);
  log->moment = LB_TAKE(&r->arena, lb_moment, log->capacity);
  log->q = LB_TAKE(&r->arena, double, (size_t)log->capacity*(size_t)m->nq);
  log->v = LB_TAKE(&r->arena, double, (size_t)log->capacity*(size_t)m->nv);
  log->lambda = LB_TAKE(&r->arena, double, (size_t)log->capacity*(size_t)log->rows);
  return log->moment && log->q && log->v && log->lambda;
}

lb_status lb_retargeting_open(lb_retargeting* r, const lb_model* model, const lb_retarget* what,
                              const lb_curves* input, const lb_targets* targets,
                              const lb_retarget_options* options, const lb_allocator* allocator,
                              lb_error* err) {
  const double step = isnan(options->step) ? model->solver.step : options->step;
  *r = (lb_retargeting){.model = model,
                        .what = what,
                        .input = input,
                        .targets = targets,
                        .allocator = allocator,
                        .progress = &options->progress,
                        .err = err,
                        .threads = options->threads,
                        .nstep = (int)ceil(model->duration / step * (1 - 1e-12))};
  r->h = model->duration / r->nstep;
  lb_arena_init(&r->arena, allocator);
  r->off = LB_TAKE(&r->arena, double, input->ncontrol);
  if (!take_log(r) || !r->off || lb_regular_fill(r) != LB_OK) {
    lb_arena_release(&r->arena);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a run of %d steps",
                        r->nstep);
  }
  return LB_OK;
}

void lb_retargeting_close(lb_retargeting* r) {
  lb_arena_release(&r->arena);
}
