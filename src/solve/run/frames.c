#include "solve/run/frames.h"

#include <math.h>
#include <string.h>

#include "elastic/full/full_body.h"
#include "model/build/path_check.h"
#include "model/use/link.h"
#include "recording/stress_peaks.h"

// Number of steps of about this size in a time: the next whole number, but for rounding.
static long count_steps(double time, double step) {
  const double n = ceil(time / step * (1 - 1e-12));
  return n < 1 ? 1 : (long)n;
}

// The time an adaptive stepper is left alone for [s].
static const double LONGEST_LEAP = 0.02;

lb_plan lb_plan_make(const lb_model* m, const lb_simulate_options* options) {
  const double duration = isnan(options->duration) ? m->duration : options->duration;
  const double every = fmin(m->record.every, duration);
  // an adaptive stepper finds its own steps; it is asked for frames, or equal parts of long ones
  const double wanted = lb_integrator_method(m->solver.integrator) == LB_METHOD_ADAPTIVE
                            ? every / (double)count_steps(every, LONGEST_LEAP)
                        : isnan(options->step) ? m->solver.step
                                               : options->step;
  lb_plan p = {.steps = count_steps(duration, wanted)};
  p.step = duration / (double)p.steps;
  p.stride = lround(every / p.step);
  p.stride = p.stride < 1 ? 1 : p.stride;
  return p;
}

// Plans that cannot be run.
lb_status lb_plan_check(const lb_model* m, const lb_simulate_options* options, lb_error* err) {
  static const double MOST_STEPS = 1e9;
  const double duration = isnan(options->duration) ? m->duration : options->duration;
  const double step = isnan(options->step) ? m->solver.step : options->step;
  if (lb_integrator_method(m->solver.integrator) == LB_METHOD_ADAPTIVE && !isnan(options->step)) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "the adaptive integrator chooses its own steps: leave the step out, or "
                        "name another integrator in the scene");
  }
  if (!(duration > 0) || !(step > 0) || duration / step > MOST_STEPS) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "%g s in steps of %g s cannot be run: at most a thousand million steps, of "
                        "more than nothing each",
                        duration, step);
  }
  // until its own end a model has been looked at when it was made
  return duration > m->duration ? lb_model_check_paths(m, duration, err) : LB_OK;
}

void lb_frame_show(const lb_model* shown, const lb_data* d, double* q, double* qd, double* qdd) {
  const lb_model* m = d->model;
  if (m->ndense == m->nv - 3 * m->particles.nfree) { // shown itself, or one that plays other curves
    memcpy(q, d->q, (size_t)m->nq * sizeof *q);
    memcpy(qd, d->qd, (size_t)m->nv * sizeof *qd);
    if (qdd) {
      memcpy(qdd, d->qdd, (size_t)m->nv * sizeof *qdd);
    }
    return;
  }
  for (int j = 0; j < m->njoint; j++) {
    const lb_reduced* body = m->link.packed[m->joint.link[j]].reduced;
    const double* from_q = d->q + m->joint.q[j];
    const double* from_qd = d->qd + m->joint.v[j];
    const double* from_qdd = d->qdd + m->joint.v[j];
    for (int k = 0; k < shown->joint.nq[j]; k++) {
      q[shown->joint.q[j] + k] = body ? lb_full_shown(body->full, k, from_q) : from_q[k];
    }
    for (int k = 0; k < shown->joint.nv[j]; k++) {
      qd[shown->joint.v[j] + k] = body ? lb_full_shown(body->full, k, from_qd) : from_qd[k];
      if (qdd) {
        qdd[shown->joint.v[j] + k] = body ? lb_full_shown(body->full, k, from_qdd) : from_qdd[k];
      }
    }
  }
}

// Displacements of all nodes of an elastic body, or NULL: it is in a basis.
static const double* displacements(const lb_data* d, int body) {
  const lb_model* m = d->model;
  const int link = m->body.link[body];
  const lb_reduced* b = m->link.packed[link].reduced;
  return b && b->full ? d->q + m->joint.q[m->link.joint[link]] : NULL;
}

// Stress at the coordinates that are shown or of all nodes: the last channels of the frame.
static void measure_stress(lb_recording* r, int frame, const lb_data* d) {
  const lb_model* m = r->model;
  const double* q = r->q + (size_t)frame * (size_t)m->nq;
  double* to = r->force + (size_t)(frame + 1) * (size_t)r->nchannel;
  for (int i = m->elastic.count - 1; i >= 0; i--) {
    const lb_model_elastic* e = &m->elastic.body[i];
    if (e->stress) {
      *--to = lb_stress_peaks_measure(&r->stress[i], q + e->q, displacements(d, e->body));
    }
  }
}

lb_status lb_frame_put(lb_recording* r, lb_data* d, lb_error* err) {
  const lb_model* m = d->model;
  const lb_model* shown = r->model;
  const int f = lb_recording_add(r);
  if (f < 0) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory at frame %d, t = %g s",
                        r->nframe, d->time);
  }
  const size_t frame = (size_t)f;
  // first: forces are still in the work space
  lb_channels(m, d, NULL, r->force + frame * (size_t)r->nchannel);
  if (r->keeps & LB_KEEP_REACTIONS) {
    lb_reactions(m, d, r->reaction + frame * (size_t)(m->njoint + m->constraint.npair));
    memcpy(r->coupling + frame * (size_t)m->constraint.ncoupling, d->coupling_force,
           (size_t)m->constraint.ncoupling * sizeof *r->coupling);
  }
  lb_poses(m, d);
  r->time[f] = d->time;
  memcpy(r->pose + frame * (size_t)m->nbody, d->pose, (size_t)m->nbody * sizeof *d->pose);
  lb_frame_show(shown, d, r->q + frame * (size_t)shown->nq, r->qd + frame * (size_t)shown->nv,
                r->keeps & LB_KEEP_RATES ? r->qdd + frame * (size_t)shown->nv : NULL);
  measure_stress(r, f, d);
  if (!lb_recording_put_contacts(r)) {
    r->nframe--;
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory at frame %d, t = %g s", f,
                        d->time);
  }
  memcpy(r->motor + frame * (size_t)m->nmotor, d->motor_force,
         (size_t)m->nmotor * sizeof *d->motor_force);
  r->kinetic[f] = lb_kinetic_energy(m, d);
  r->potential[f] = lb_potential_energy(m, d);
  return LB_OK;
}
