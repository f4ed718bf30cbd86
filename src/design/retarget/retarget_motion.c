// Running curves: the motion is stepped from its start, every step is kept for the way back, and
// tracked bodies are compared with their targets at the end of each.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/kinematics.h"
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
  const int link = m->body.link[t->body];
  const lb_state* s = &d->work->state[link]; // state[-1] is the world
  const lb_transform* X = &m->body.in_link[t->body];
  const lb_v4 p = s->p + lb_m3_apply(s->R, lb_v4_from(lb_transform_point(*X, t->point)));
  const lb_m3 R = lb_m3_mul(s->R, lb_m3_rotation(X->q));
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

double lb_motion_weight(const lb_retargeting* r, int step) {
  return step == 0 ? 0 : r->share * (step < r->nstep ? r->h : r->h / 2);
}

enum { STEPS_BETWEEN_LOOKS = 256 };

static lb_status report(const lb_retargeting* r, int i) {
  return i % STEPS_BETWEEN_LOOKS != 0 ||
                 lb_progress_report(r->progress, (double)i / r->nstep, "simulating")
             ? LB_OK
             : lb_error_add(r->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s",
                            i * r->h);
}

// At the end of the step; before an impact, which takes no time.
static void read_torques(lb_retargeting* r, lb_data* d) {
  const int end = lb_tape_last(&r->tape), last = r->tape.count - 1;
  const lb_step_past past = lb_tape_past(&r->tape, end);
  if (end < last) {
    lb_tape_go_to(&r->tape, d, end);
  }
  lb_torque_read(r, d, &past, r->torque);
  if (end < last) {
    lb_tape_go_to(&r->tape, d, last);
  }
}

static lb_status run(lb_retargeting* r, lb_stepper* st, lb_data* d, lb_retarget_value* value) {
  lb_status status = LB_OK;
  lb_tape_begin(&r->tape, st, d, r->nstep);
  for (int i = 1; i <= r->nstep && status == LB_OK; i++) {
    status = lb_tape_step(&r->tape, st, d, i, r->err);
    if (status != LB_OK) {
      return status;
    }
    compare(r, d, lb_motion_weight(r, i), value);
    if (r->limited) {
      read_torques(r, d);
      lb_torque_add(r, r->torque, lb_motion_weight(r, i), value);
    }
    status = report(r, i);
  }
  return status;
}

lb_status lb_motion_stepper(const lb_retargeting* r, const lb_model* played, lb_stepper** st) {
  const lb_scene_solver solver = {.integrator = lb_tape_integrator(played)};
  return lb_stepper_create(played, &solver, r->allocator, st, r->err);
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
    status = lb_data_create(played, r->allocator, &d, r->err);
  }
  if (status == LB_OK) {
    status = lb_motion_stepper(r, played, &st);
  }
  if (status == LB_OK) {
    status = lb_assemble(played, d, r->err);
  }
  if (status == LB_OK) {
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
  r->torque = LB_TAKE(&r->arena, double, what->nmotor + model->nv + lb_constraints_most(model));
  lb_regular_fill(r);
  lb_status status = lb_arena_check(&r->arena, "retargeting", err);
  if (status == LB_OK) {
    status = lb_tape_check_muscles(model, lb_tape_integrator(model), false, err);
  }
  if (status == LB_OK) {
    status = lb_tape_open(&r->tape, model, lb_tape_integrator(model), r->h, r->nstep,
                          options->memory, allocator, err);
  }
  if (status != LB_OK) {
    lb_arena_release(&r->arena);
  }
  return status;
}
