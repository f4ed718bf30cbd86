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

static void watch(void* context, const lb_data* d, const lb_step_past* past) {
  lb_log_note(context, d, past);
}

enum { STEPS_BETWEEN_LOOKS = 256 };

// One step, with what the objective wants to know of it in the log.
static lb_status step(lb_retargeting* r, lb_stepper* st, lb_data* d, int i) {
  if ((i - 1) % LB_LOG_RENEW == 0) {
    lb_bdf2_forget(st);
  }
  const lb_status status = lb_stepper_step(st, d, r->h, r->err);
  if (status != LB_OK) {
    return status;
  }
  d->time = i * r->h; // no drift from adding up
  if (r->log.overflown) {
    return lb_error_add(r->err, LB_FAILED, (lb_place){0},
                        "too many steps had to be divided by t = %g s: take a smaller step%s",
                        d->time, lb_log_stretches(r) > 1 ? ", or allow more memory" : "");
  }
  lb_moment* at = lb_log_moment(&r->log, lb_log_end(&r->log));
  at->weight = r->share * (i < r->nstep ? r->h : r->h / 2);
  at->step = i;
  if (i % STEPS_BETWEEN_LOOKS == 0 &&
      !lb_progress_report(r->progress, (double)i / r->nstep, "simulating")) {
    return lb_error_add(r->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s", d->time);
  }
  return LB_OK;
}

// At the end of the step; before an impact, which takes no time.
static void read_torques(lb_retargeting* r, lb_data* d) {
  const int end = lb_log_end(&r->log), last = r->log.count - 1;
  const size_t size = (size_t)r->model->nv * sizeof *d->qd;
  const lb_step_past past = lb_log_past(r, end);
  if (end < last) {
    memcpy(d->qd, lb_log_v(r, end), size);
  }
  lb_torque_read(r, d, &past, r->torque);
  if (end < last) {
    memcpy(d->qd, lb_log_v(r, last), size);
  }
}

static lb_status run(lb_retargeting* r, lb_stepper* st, lb_data* d, lb_retarget_value* value) {
  lb_status status = LB_OK;
  for (int k = 0; k < lb_log_stretches(r); k++) {
    lb_log_begin(r, st, d, k);
    const int last = lb_log_last_step(r, k);
    for (int i = lb_log_first_step(r, k); i <= last; i++) {
      status = step(r, st, d, i);
      if (status != LB_OK) {
        return status;
      }
      const lb_moment* at = lb_log_moment(&r->log, lb_log_end(&r->log));
      compare(r, d, at->weight, value);
      if (r->limited) {
        read_torques(r, d);
        lb_torque_add(r, r->torque, at->weight, value);
      }
    }
  }
  return status;
}

lb_status lb_motion_again(lb_retargeting* r, lb_stepper* st, lb_data* d, int stretch) {
  const int last = lb_log_last_step(r, stretch);
  lb_status status = LB_OK;
  lb_log_return(r, st, d, stretch);
  for (int i = lb_log_first_step(r, stretch); i <= last && status == LB_OK; i++) {
    status = step(r, st, d, i);
  }
  return status;
}

lb_status lb_motion_open(lb_retargeting* r, const lb_model* played, lb_data** d, lb_stepper** st) {
  static const lb_scene_solver BDF2 = {.integrator = LB_INTEGRATOR_BDF2};
  lb_status status = lb_data_create(played, r->allocator, d, r->err);
  if (status == LB_OK) {
    status = lb_stepper_create(played, &BDF2, r->allocator, st, r->err);
  }
  if (status == LB_OK) {
    lb_stepper_watch(*st, watch, r);
  }
  return status;
}

lb_status lb_motion_run_one(lb_retargeting* r, const lb_curves* curves, lb_retarget_value* value) {
  lb_model* played = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  lb_retarget_value found = {0};
  r->nrun++;
  lb_status status =
      lb_model_play(r->model, r->what, curves, r->targets->q0, r->allocator, &played, r->err);
  if (status == LB_OK) {
    status = lb_motion_open(r, played, &d, &st);
  }
  if (status == LB_OK) {
    status = lb_assemble(played, d, r->err);
  }
  if (status == LB_OK) {
    lb_log_clear(r);
    lb_log_note(r, d, NULL);
    compare(r, d, r->share * r->h / 2, &found);
    status = run(r, st, d, &found);
  }
  if (status == LB_OK) {
    *value = found;
  }
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(played);
  return status;
}

// --- life ---

int lb_retarget_steps(const lb_model* model, const lb_retarget_options* options) {
  const double step = isnan(options->step) ? model->solver.step : options->step;
  return (int)ceil(model->duration / step * (1 - 1e-12));
}

lb_status lb_retargeting_open_one(lb_retargeting* r, const lb_model* model, const lb_retarget* what,
                                  const lb_curves* input, const lb_targets* targets,
                                  const lb_retarget_options* options, const lb_allocator* allocator,
                                  lb_error* err) {
  *r = (lb_retargeting){.model = model,
                        .what = what,
                        .input = input,
                        .targets = targets,
                        .allocator = allocator,
                        .progress = &options->progress,
                        .err = err,
                        .threads = options->threads,
                        .share = 1,
                        .limited = lb_torque_limited(what),
                        .hold = lb_torque_hold(what),
                        .nstep = lb_retarget_steps(model, options)};
  r->h = model->duration / r->nstep;
  lb_arena_init(&r->arena, allocator);
  r->off = LB_TAKE(&r->arena, double, input->ncontrol);
  r->sum = LB_TAKE(&r->arena, double, input->nmotor * input->ncontrol);
  r->torque = LB_TAKE(&r->arena, double, what->nmotor + model->nv + lb_loops_most_rows(model));
  lb_status status = LB_OK;
  if (!r->off || !r->sum || !r->torque || lb_regular_fill(r) != LB_OK) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for retargeting");
  }
  if (status == LB_OK) {
    status = lb_log_open(r, options->memory);
  }
  if (status != LB_OK) {
    lb_arena_release(&r->arena);
  }
  return status;
}
