// Running a model from its start to its end, frame by frame.
#include "limber/simulate.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/channel.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "elastic/reduced/stored.h"
#include "math/curve/time_profile.h"
#include "math/linear/blas_thread.h"
#include "model/use/initial_pose.h"
#include "model/use/model_derive.h"
#include "solve/diagnose/diagnose.h"
#include "solve/diagnose/diagnose_conservative.h"
#include "solve/diagnose/diagnose_range.h"
#include "solve/run/frames.h"
#include "solve/run/maximal_start.h"
#include "solve/step/stepper.h"

lb_simulate_options lb_simulate_default(void) {
  return (lb_simulate_options){.duration = NAN, .step = NAN, .threads = 1};
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Observer of every frame besides the recording.
typedef struct watch {
  struct watch* sound; // as it was in the last frame before speeds left all bounds
  double gap;          // the widest
  double yielded;      // the widest of compliant constraints
  double size;         // of what is simulated [m]
  double open;         // gap that may be open yet, relative to that
  lb_inversion inversion;
  lb_steep_friction steep;
  lb_moved_start moved;
  lb_overlaps overlaps;
  lb_contact_figures contact;
  bool works;             // motors' work is added up, step by step
  double work[2];         // so far, as a recording has it
  lb_momenta first, now;  // momentum
  lb_momenta most;        // largest sums
  double linear, angular; // worst changes of momentum
} watch;

static void note_inversion(watch* w, const lb_model* m, const lb_data* d) {
  const lb_squeeze least = lb_least_volume(m, d);
  if (least.body >= 0 && !(least.volume > 0)) {
    if (w->inversion.frames++ == 0) {
      w->inversion = (lb_inversion){1, d->time, least.body, least.volume, least.at};
    }
  }
}

// Largest impulse of a point so far.
static void look_at_hits(lb_contact_figures* w, const lb_data* d, int n, const lb_touch* touch) {
  const lb_model_collider* c = d->model->contact.collider;
  for (int i = 0; i < n; i++) {
    const double size = sqrt(lb_v4_dot(touch[i].impulse, touch[i].impulse));
    if (size > w->impulse) {
      w->impulse = size;
      w->force = size / lb_contacts_duration(d->work->contacts);
      w->time = d->time;
      w->body[0] = c[touch[i].collider[0]].body;
      w->body[1] = c[touch[i].collider[1]].body;
    }
  }
}

// Deepest overlap so far, for the sizes of what overlaps; a flat mesh has none.
static void look_at_overlaps(lb_contact_figures* w, const lb_data* d, int n,
                             const lb_touch* touch) {
  static const double DEEP = 0.1;
  const lb_model_collider* c = d->model->contact.collider;
  bool deep = false;
  for (int i = 0; i < n; i++) {
    const lb_model_collider *a = &c[touch[i].collider[0]], *b = &c[touch[i].collider[1]];
    const double size = fmin(a->size, b->size);
    const double sunk = size > 0 ? -touch[i].gap / size : 0;
    deep = deep || sunk >= DEEP;
    if (sunk > w->sunk) {
      w->sunk = sunk;
      w->depth = -touch[i].gap;
      w->sunk_at = d->time;
      w->sunk_in[0] = a->body;
      w->sunk_in[1] = b->body;
    }
  }
  w->deep += deep;
}

// Contact problem of the last step.
static void look_at_contacts(watch* w, const lb_data* d) {
  const lb_contacts* C = d->work->contacts;
  const lb_touch* touch = NULL;
  const int n = C ? lb_contacts_points(C, &touch) : 0;
  if (n > 0) {
    const lb_contact_report of = lb_contacts_report(C);
    w->contact.steps++;
    w->contact.unsolved += of.status != LB_CONTACT_SOLVED;
    w->contact.residual = fmax(w->contact.residual, of.measure.residual);
    w->contact.points = n > w->contact.points ? n : w->contact.points;
    look_at_hits(&w->contact, d, n, touch);
    look_at_overlaps(&w->contact, d, n, touch);
  }
}

static bool repeats(const lb_model* m, int motor) {
  return m->motor.profile[motor] && m->motor.profile[motor]->period > 0;
}

// Impacts last a step, so frames do not tell what walking takes.
static bool adds_up(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->nmotor && m->contact.ncollider > 0; i++) {
    any = any || repeats(m, i);
  }
  return any;
}

static void look_at_work(watch* w, lb_stepper* st, lb_data* d, double h) {
  const lb_model* m = d->model;
  lb_stepper_observe(st, d);
  for (int i = 0; i < m->nmotor; i++) {
    const double power = repeats(m, i) ? d->motor_force[i] * lb_motor_speed(m, d, i) : 0;
    w->work[0] += fmax(0, power) * h;
    w->work[1] += power * h;
  }
}

static void look_at_momentum(watch* w, const lb_model* m, lb_data* d, bool first) {
  w->now = lb_momentum(m, d);
  w->first = first ? w->now : w->first;
  w->linear = fmax(w->linear, lb_vec3_norm(lb_vec3_sub(w->now.linear, w->first.linear)));
  w->angular = fmax(w->angular, lb_vec3_norm(lb_vec3_sub(w->now.angular, w->first.angular)));
  w->most.linear_sum = fmax(w->most.linear_sum, w->now.linear_sum);
  w->most.angular_sum = fmax(w->most.angular_sum, w->now.angular_sum);
}

// Steps that do not solve for places leave gaps. Are they such as can be closed? What is
// unilateral is not tried: d's contacts are to stay what they are.
static bool can_be_closed(const lb_stepper* st, lb_data* d) {
  const lb_model* m = d->model;
  const size_t nq = (size_t)m->nq * sizeof *d->q, nv = (size_t)m->nv * sizeof *d->qd;
  if (lb_constraints_unilateral(m) >= 0) {
    return true;
  }
  memcpy(st->saved, d->q, nq); // of no use between steps
  memcpy(st->saved + m->nq, d->qd, nv);
  lb_project(m, d);
  const double left = lb_constraint_gap(m, d, NULL);
  memcpy(d->q, st->saved, nq);
  memcpy(d->qd, st->saved + m->nq, nv);
  return left <= LB_CLOSED;
}

// Radius of all bodies about their centre of mass at d: to the farthest of them, with its radius of
// gyration. 1 where there is none.
static double measure_size(const lb_model* m, lb_data* d) {
  double most = 0, mass = 0;
  lb_v4 centre = lb_v4_zero();
  lb_update(m, d, LB_ORIGINS);
  const lb_state* state = d->work->state;
  for (int i = 0; i < m->nlink; i++) {
    const lb_mass* of = &m->link.mass[i];
    centre += (state[i].p + lb_m3_apply(state[i].R, lb_v4_from(of->com))) * of->mass;
    mass += of->mass;
  }
  for (int i = 0; i < m->nlink; i++) {
    const lb_mass* of = &m->link.mass[i];
    const lb_v4 from =
        state[i].p + lb_m3_apply(state[i].R, lb_v4_from(of->com)) - centre * (1 / mass);
    const double turning = (of->inertia.xx + of->inertia.yy + of->inertia.zz) / 2;
    if (of->mass > 0) {
      most = fmax(most, sqrt(lb_v4_dot(from, from)) + sqrt(turning / of->mass));
    }
  }
  return most > 0 ? most : 1;
}

// Relative gap from lb_stepper_gap: of places over the size of all, of rates as it is.
static double relative_gap(const watch* w, lb_data* d, double gap) {
  const double places = lb_constraints_gap_of(d->model, d, false, NULL);
  return fmax(gap > places ? gap : 0, lb_constraints_relative_gap(d->model, d, w->size));
}

static lb_status check_gap(const watch* w, const lb_stepper* st, lb_data* d, lb_error* err) {
  int which = 0;
  const double gap = lb_stepper_gap(st, d, &which);
  if (gap <= LB_CLOSED ||
      (relative_gap(w, d, gap) <= w->open + LB_OPEN && (w->open > 0 || can_be_closed(st, d)))) {
    return LB_OK;
  }
  lb_project(d->model, d);
  return lb_constraint_gap(d->model, d, NULL) <= LB_CLOSED
             ? lb_diagnose_slack(d->model, which, gap, d->time, err)
             : lb_diagnose_open(d->model, d, false, err);
}

static lb_status record_frame(lb_recording* r, lb_stepper* st, lb_data* d,
                              const lb_simulate_options* o, double h, watch* w, lb_error* err) {
  const lb_watcher* watcher = &o->watcher;
  const lb_status holds = check_gap(w, st, d, err); // what does not is no frame
  if (holds != LB_OK) {
    return holds;
  }
  if (watcher->see && !watcher->see(watcher->context, d)) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory at frame %d, t = %g s",
                        r->nframe, d->time);
  }
  lb_stepper_observe(st, d); // driven coordinates and motor forces of this very moment
  const lb_status status = lb_frame_put(r, d, err);
  if (status == LB_OK && !lb_recording_is_finite(r, r->nframe - 1)) {
    r->nframe--;
    return lb_diagnose_lost(st, d, h, true, err);
  }
  memcpy(r->work[r->nframe - 1], w->work, sizeof w->work);
  w->gap = fmax(w->gap, lb_constraint_gap(d->model, d, NULL));
  w->yielded = fmax(w->yielded, lb_compliant_gap(d->model, d));
  note_inversion(w, d->model, d);
  look_at_momentum(w, d->model, d, r->nframe == 1);
  if (st->runaway == 0) {
    lb_recording_count_stress(r);
    *w->sound = *w;
  }
  return status == LB_OK && o->sink.put ? o->sink.put(o->sink.context, r, r->nframe - 1, err)
                                        : status;
}

// True where d is at the model's start, velocities included.
static bool at_start(const lb_model* m, const lb_data* d) {
  return memcmp(d->q, m->start.q, (size_t)m->nq * sizeof *d->q) == 0;
}
static bool as_fast(const lb_model* m, const lb_data* d) {
  return memcmp(d->qd, m->start.qd, (size_t)m->nv * sizeof *d->qd) == 0;
}

// Named coordinates and velocities stay as far as they can. In maximal coordinates that was done
// with the joints in trees.
static void keep_named(const lb_model* m, lb_data* d, lb_constraint_set set) {
  const int* q = !lb_model_assembly(m) && at_start(m, d) ? m->start.q_named : NULL;
  const int* v = !lb_model_assembly(m) && as_fast(m, d) ? m->start.v_named : NULL;
  lb_drive(m, d);
  lb_normalise(m, d->q);
  lb_constraints_assemble(m, d, set, q, v);
}

// Masses weigh the ways in which gaps close, and those of trees are the joints' own: a scene starts
// alike in all coordinates.
static lb_status assemble_in_tree(const lb_model* m, lb_data* d, lb_error* err) {
  const lb_model* tree = lb_model_assembly(m);
  lb_data* t = NULL;
  lb_status status = lb_data_create(tree, d->work->allocator, &t, err);
  if (status == LB_OK) {
    t->time = d->time;
    status = lb_assemble(tree, t, err);
  }
  if (status == LB_OK) {
    lb_constraints_find_redundant(tree, t);
    lb_maximal_start_lay_out(tree, t, m, d);
    lb_constraints_adopt_choice(m, d, tree, t);
  }
  lb_data_release(t);
  return status;
}

// From far away gaps of a nanometre may be left; from there on, nothing is.
static bool close_all(const lb_model* m, lb_data* d, lb_constraint_set set) {
  lb_project_set(m, d, set);
  lb_project_set(m, d, set);
  return fmax(lb_constraint_gap(m, d, NULL), lb_constraints_gap_in(m, d, set)) <= LB_CLOSED;
}

// Closing stands still where gaps move nothing at first, as the end of a straight arm that is to be
// nearer. A little aside it does not. Where that does not help, either, back to the nearest pose.
static bool close_from_aside(const lb_model* m, lb_data* d, lb_constraint_set set) {
  static const double ASIDE = 0.02; // [m or rad]
  enum { TRIALS = 3 };
  bool closed = false;
  for (unsigned seed = 1; seed <= TRIALS + 1 && !closed; seed++) {
    lb_constraints_forget_redundant(d);
    lb_constraints_assemble_aside(m, d, set, seed <= TRIALS ? ASIDE : 0, seed);
    closed = close_all(m, d, set);
  }
  return closed;
}

lb_status lb_assemble_set(const lb_model* m, lb_data* d, lb_constraint_set set, lb_error* err) {
  lb_constraints_forget_redundant(d);
  if (lb_model_assembly(m) && at_start(m, d) && as_fast(m, d)) {
    const lb_status status = assemble_in_tree(m, d, err);
    if (status != LB_OK) {
      return status;
    }
  }
  keep_named(m, d, set);
  const bool closed =
      close_all(m, d, set) || close_from_aside(m, d, set) ||
      close_all(
          m, d,
          (lb_constraint_set)(set & ~(unsigned)LB_SET_COMPLIANT)); // the others are under load
  return closed ? LB_OK : lb_diagnose_open(m, d, true, err);
}

lb_status lb_assemble(const lb_model* m, lb_data* d, lb_error* err) {
  return lb_assemble_set(m, d, LB_SET_COMPLIANT, err);
}

lb_status lb_run_begin(const lb_model* m, lb_data* d, lb_error* err) {
  const lb_status status = lb_assemble(m, d, err);
  if (status == LB_OK && m->solver.closing > 0) {
    memcpy(d->q, m->start.q, (size_t)m->nq * sizeof *d->q);
    memcpy(d->qd, m->start.qd, (size_t)m->nv * sizeof *d->qd);
    lb_drive(m, d);
  }
  return status;
}

// Steps between looks at whether to stop, so that a long wait between frames does not delay an
// interrupt.
enum { STEPS_BETWEEN_LOOKS = 256 };

static lb_status step_through(const lb_plan* p, const lb_simulate_options* o, lb_stepper* st,
                              lb_data* d, lb_recording* r, watch* w, lb_error* err) {
  lb_status status = record_frame(r, st, d, o, p->step, w, err);
  const lb_method by = lb_integrator_method(d->model->solver.integrator);
  const int looks = by == LB_METHOD_ADAPTIVE ? 1 : STEPS_BETWEEN_LOOKS;
  for (long i = 1; i <= p->steps && status == LB_OK; i++) {
    status = lb_stepper_step(st, d, p->step, err);
    if (status != LB_OK) {
      note_inversion(w, d->model, d); // perhaps it is the reason
      return status;
    }
    d->time = (double)i * p->step; // no drift from adding up
    look_at_contacts(w, d);
    if (!lb_recording_add_contacts(r, d)) {
      return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory at t = %g s", d->time);
    }
    if (w->works) {
      look_at_work(w, st, d, p->step);
    }
    if (i % p->stride == 0 || i == p->steps) {
      status = record_frame(r, st, d, o, p->step, w, err);
    } else if (by == LB_METHOD_LINEAR && check_gap(w, st, d, err) != LB_OK) {
      return LB_FAILED; // it does not find out by itself, and goes on for as long as it can
    } else if (i % looks != 0) {
      continue;
    }
    const double fraction = (double)i / (double)p->steps;
    if (status == LB_OK && !lb_progress_report(&o->progress, fraction, "simulating")) {
      return lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s", d->time);
    }
  }
  return status;
}

// A run; of one that blew up, the frames before.
static lb_status run(const lb_plan* p, const lb_simulate_options* o, lb_stepper* st, lb_data* d,
                     lb_recording* r, watch* w, lb_error* err) {
  watch sound = *w;
  w->sound = &sound;
  const lb_status status = step_through(p, o, st, d, r, w, err);
  if (status == LB_FAILED && st->runaway > 0) {
    while (r->nframe > 1 && r->time[r->nframe - 1] > st->ran_from) {
      r->nframe--;
    }
    *w = sound;
  }
  w->sound = NULL;
  return status;
}

// Failure of a run: its last message and time.
static lb_failure find_failure(lb_status status, const lb_stepper* st, const lb_data* d,
                               const lb_error* err) {
  lb_failure f = {.failed = status != LB_OK && status != LB_INTERRUPTED};
  if (f.failed) {
    f.time = st && st->runaway > 0 ? st->ran_from : d ? d->time : 0;
  }
  if (f.failed && err && err->count > 0) {
    lb_error_format(err, err->count - 1, f.reason, sizeof f.reason);
  }
  return f;
}

static double over(double part, double all) {
  return all > 0 ? part / all : 0;
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
  s->energy_drift = over(worst, most);
}

// Loads on a body at a frame, over those of its basis' training.
static double load_reach(const lb_model_elastic* e, const lb_track* t, int frame) {
  double most = 0;
  for (int f = 0; f <= e->nface; f++) {
    const int of = f == 0 ? e->body : e->carried[f - 1];
    double load[6];
    for (int k = 0; of >= 0 && lb_track_load(t, frame, e->body, of, load) && k < 6; k++) {
      most = fmax(most, fabs(load[k]) / e->load_limit[6 * f + k]);
    }
  }
  return most;
}

// Who went farthest over the range of its basis, and when it first left.
static void look_at_ranges(lb_summary* s, const lb_recording* r) {
  const lb_model* m = r->model;
  lb_track t = {r->nframe, m->nbody, r->time, r->pose, m->gravity, 1};
  s->range_left = NAN;
  for (int i = 0; i < m->elastic.count; i++) {
    const lb_model_elastic* e = &m->elastic.body[i];
    double most = 0, left = NAN;
    if (e->limit && r->nframe > 1) {
      t.stride = (int)fmin(fmax(1, round(e->load_every / (r->time[1] - r->time[0]))), r->nframe);
    }
    for (int f = 0; e->limit && f < r->nframe; f++) {
      const double* eta = r->q + (size_t)f * (size_t)m->nq + (size_t)e->q;
      const double reach = fmax(lb_stored_reach(e->r, e->limit, eta), load_reach(e, &t, f));
      most = fmax(most, reach);
      left = isnan(left) && reach > LB_RANGE_LEFT ? r->time[f] : left;
    }
    if (e->limit && (!s->range_body || most > s->range_used)) {
      s->range_body = m->body.name[e->body];
      s->range_used = most;
      s->range_left = left;
    }
  }
}

lb_status lb_simulate(const lb_model* model, const lb_simulate_options* options,
                      lb_recording* recording, lb_summary* summary, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  const lb_status fit = lb_plan_check(model, options, err);
  if (fit != LB_OK) {
    return fit;
  }
  const lb_model* simulated = lb_model_simulated(model);
  const lb_plan p = lb_plan_make(model, options);
  const double start = now();
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  watch w = {0};
  lb_status status = lb_data_create(simulated, recording->allocator, &d, err);
  if (status == LB_OK) {
    d->threads = options->threads;
    status = lb_stepper_create(simulated, NULL, recording->allocator, &st, err);
  }
  if (status == LB_OK && simulated == model) {
    status = lb_diagnose_held(model, d, p.step * (double)p.steps, err);
  }
  if (status == LB_OK) {
    status = lb_run_begin(simulated, d, err);
    w.size = measure_size(simulated, d);
    if (simulated->solver.closing > 0) {
      w.open = relative_gap(&w, d, lb_constraint_gap(simulated, d, NULL));
    }
  }
  if (status == LB_OK) {
    status = lb_find_moved_start(simulated, recording->allocator, &w.moved, err);
  }
  if (status == LB_OK) {
    status = lb_find_steep_friction(simulated, d, p.step, recording->allocator, &w.steep, err);
  }
  if (status == LB_OK) {
    status = lb_find_overlaps(simulated, d, recording->allocator, &w.overlaps, err);
  }
  if (status == LB_OK) {
    w.works = adds_up(simulated);
    status = run(&p, options, st, d, recording, &w, err);
  }
  *summary = (lb_summary){.job = "simulate",
                          .steps = st ? lb_stepper_count(st) : 0,
                          .iterations = st ? st->iterations : 0,
                          .matrices = st ? st->matrices : 0,
                          .constraint_violation = w.gap,
                          .compliant_gap = w.yielded,
                          .inversion = w.inversion,
                          .steep = w.steep,
                          .moved = w.moved,
                          .overlaps = w.overlaps,
                          .contact = w.contact,
                          .linear_momentum = {w.first.linear, w.now.linear},
                          .angular_momentum = {w.first.angular, w.now.angular},
                          .linear_drift = over(w.linear, w.most.linear_sum),
                          .angular_drift = over(w.angular, w.most.angular_sum),
                          .conservative = lb_is_conservative(model),
                          .interrupted = status == LB_INTERRUPTED,
                          .failure = find_failure(status, st, d, err),
                          .threads = options->threads,
                          .step = p.step,
                          .wall_seconds = now() - start};
  sum_up(summary, recording);
  look_at_ranges(summary, recording);
  lb_stepper_release(st);
  lb_data_release(d);
  return status;
}
