// Running a model from its start to its end, frame by frame.
#include "limber/simulate.h"

#include <math.h>
#include <time.h>

#include "elastic/reduced.h"
#include "model/link.h"
#include "solve/frames.h"
#include "solve/stepper.h"

lb_simulate_options lb_simulate_default(void) {
  return (lb_simulate_options){.duration = NAN, .step = NAN, .threads = 1};
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What goes wrong in a run without ending it.
typedef struct trouble {
  double gap; // the widest
  lb_inversion inversion;
} trouble;

static void look_for_trouble(trouble* t, const lb_model* m, lb_data* d) {
  t->gap = fmax(t->gap, lb_loop_gap(m, d, NULL));
  const lb_squeeze least = lb_least_volume(m, d);
  if (least.body >= 0 && !(least.volume > 0)) {
    if (t->inversion.frames++ == 0) {
      t->inversion = (lb_inversion){1, d->time, least.body, least.volume, least.at};
    }
  }
}

static lb_status record_frame(lb_recording* r, lb_stepper* st, lb_data* d, trouble* t,
                              lb_error* err) {
  lb_stepper_observe(st, d); // driven coordinates and motor forces of this very moment
  const lb_status status = lb_frame_put(r, d, err);
  look_for_trouble(t, d->model, d);
  return status;
}

// Widest gap at which loops count as closed after assembly.
static const double CLOSED = 1e-6;

lb_status lb_assemble(const lb_model* m, lb_data* d, lb_error* err) {
  int loop = 0;
  lb_settle(m, d);
  const double gap = lb_loop_gap(m, d, &loop);
  if (gap <= CLOSED) {
    return LB_OK;
  }
  // a loop that cannot close is the author's mistake
  return lb_error_add(err, LB_INVALID, m->loop[loop].place,
                      "loop joint '%s' cannot be closed: %.3g (metres or radians) are left at the "
                      "best pose found; check the lengths of its parts, or start nearer to the "
                      "closed pose",
                      m->loop[loop].name, gap);
}

// Steps between looks at whether to stop, so that a long wait between frames does not delay an
// interrupt.
enum { STEPS_BETWEEN_LOOKS = 256 };

static lb_status run(const lb_plan* p, const lb_progress* progress, lb_stepper* st, lb_data* d,
                     lb_recording* r, trouble* t, lb_error* err) {
  lb_status status = record_frame(r, st, d, t, err);
  const int looks = d->model->solver.integrator == LB_INTEGRATOR_ADAPTIVE ? 1 : STEPS_BETWEEN_LOOKS;
  for (long i = 1; i <= p->steps && status == LB_OK; i++) {
    status = lb_stepper_step(st, d, p->step, err);
    if (status != LB_OK) {
      look_for_trouble(t, d->model, d); // perhaps it is the reason
      return status;
    }
    d->time = (double)i * p->step; // no drift from adding up
    if (i % p->stride == 0 || i == p->steps) {
      status = record_frame(r, st, d, t, err);
    } else if (i % looks != 0) {
      continue;
    }
    const double fraction = (double)i / (double)p->steps;
    if (status == LB_OK && !lb_progress_report(progress, fraction, "simulating")) {
      return lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s", d->time);
    }
  }
  return status;
}

// Nothing feeds energy in or takes it out.
static bool is_conservative(const lb_model* m) {
  for (int k = 0; k < m->nv; k++) {
    if (m->damping[k] > 0) {
      return false;
    }
  }
  for (int i = 0; i < m->nspring; i++) {
    if (m->spring[i].damping > 0) {
      return false;
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    const lb_reduced* body = m->link[i].reduced;
    if (body && (body->alpha > 0 || body->beta > 0)) {
      return false;
    }
  }
  return m->nmotor == 0 && m->nload == 0;
}

static void sum_up(lb_summary* s, const lb_recording* r) {
  double most = 0, worst = 0;
  for (int f = 0; f < r->nframe; f++) {
    const double e = r->kinetic[f] + r->potential[f];
    s->energy_start = f == 0 ? e : s->energy_start;
    s->energy_end = e;
    most = fmax(most, r->kinetic[f]);
    worst = fmax(worst, fabs(e - s->energy_start));
  }
  s->energy_drift = most > 0 ? worst / most : 0;
}

lb_status lb_simulate(const lb_model* model, const lb_simulate_options* options,
                      lb_recording* recording, lb_summary* summary, lb_error* err) {
  const lb_status fit = lb_plan_check(model, options, err);
  if (fit != LB_OK) {
    return fit;
  }
  const lb_model* simulated = model->full ? model->full : model;
  const lb_plan p = lb_plan_make(model, options);
  const double start = now();
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  trouble t = {0};
  lb_status status = lb_data_create(simulated, recording->allocator, &d, err);
  if (status == LB_OK) {
    d->threads = options->threads;
    status = lb_stepper_create(simulated, NULL, recording->allocator, &st, err);
  }
  if (status == LB_OK) {
    status = lb_assemble(simulated, d, err);
  }
  if (status == LB_OK) {
    status = run(&p, &options->progress, st, d, recording, &t, err);
  }
  *summary = (lb_summary){.job = "simulate",
                          .steps = st ? lb_stepper_count(st) : 0,
                          .constraint_violation = t.gap,
                          .inversion = t.inversion,
                          .conservative = is_conservative(model),
                          .interrupted = status == LB_INTERRUPTED,
                          .threads = options->threads,
                          .step = p.step,
                          .wall_seconds = now() - start};
  sum_up(summary, recording);
  lb_stepper_release(st);
  lb_data_release(d);
  return status;
}
