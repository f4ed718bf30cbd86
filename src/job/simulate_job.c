// Simulation of a scene.
#include <math.h>
#include <stdio.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/fork.h"
#include "limber/gait.h"
#include "limber/inverse.h"
#include "limber/mechanism.h"
#include "limber/optimize.h"
#include "solve/diagnose/diagnose_conservative.h"

typedef struct simulate_job {
  lb_mechanism* mechanism;  // of scenes with linkages
  lb_gait* gait;            // of what walks
  lb_optimization* numbers; // those of a search, and what is new in the scene with them; or NULL
  lb_fork_switch* change;   // [nchange] between phases of a mechanism
  int nchange;
  lb_outer_forces* forces; // of a setup
} simulate_job;

// Is a mechanism reduced and whole by turns?
static bool has_phases(const lb_job* j) {
  return !j->o.whole && lb_fork_with_phases(&j->scene) >= 0;
}

// --- loading ---

// The numbers of a search put into the scene. What is new in it lives in the optimisation.
static lb_status take_parameters(lb_job* j, lb_error* err) {
  lb_optimization** o = &((simulate_job*)j->own)->numbers;
  lb_status status = lb_optimization_create(&j->scene, j->arena.allocator, o, err);
  double* x = status == LB_OK ? LB_TAKE(&j->arena, double, (*o)->nvalue) : NULL;
  if (status == LB_OK && !x) {
    status = lb_job_no_memory(err);
  }
  if (status == LB_OK) {
    status = lb_optimization_read(*o, j->o.parameters, x, err);
  }
  return status == LB_OK ? lb_optimization_apply(*o, x, &j->scene, err) : status;
}

static lb_status load(lb_job* j, lb_error* err) {
  j->scene.solver.elastic = j->o.full ? LB_SPACE_FULL : j->scene.solver.elastic;
  lb_status status = j->o.basis ? lb_scene_take_bases(&j->scene, j->o.basis, err) : LB_OK;
  if (status == LB_OK && j->o.parameters) {
    status = take_parameters(j, err);
  }
  status = status == LB_OK ? lb_job_forward(j, &((simulate_job*)j->own)->forces, err) : status;
  if (status == LB_OK && has_phases(j)) { // which make models of their own
    status = lb_model_create(&j->scene, j->arena.allocator, &j->model, err);
  } else {
    status = status == LB_OK ? lb_job_make_model(j, err) : status;
  }
  if (status == LB_OK && j->scene.nlinkage > 0) {
    simulate_job* own = j->own;
    status = lb_mechanism_create(&j->scene, j->arena.allocator, &own->mechanism, err);
  }
  return status;
}

// --- running ---

static lb_status run_phases(lb_job* j, const lb_simulate_options* o, lb_error* err) {
  simulate_job* own = j->own;
  own->change =
      LB_TAKE(&j->arena, lb_fork_switch, j->scene.fork[lb_fork_with_phases(&j->scene)].nphase);
  lb_status status =
      own->change ? lb_job_record(j, j->model, &j->recording, err) : lb_job_no_memory(err);
  status = status == LB_OK ? lb_fork_simulate_phases(&j->scene, o, j->recording, &j->summary,
                                                     own->change, &own->nchange, err)
                           : status;
  j->kept = j->recording && j->recording->nframe > 0;
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  lb_simulate_options o = lb_job_runs(j);
  o.sink = lb_job_sink(j);
  simulate_job* own = j->own;
  lb_status status = has_phases(j) ? run_phases(j, &o, err) : lb_job_play(j, j->model, &o, err);
  if (status == LB_OK) {
    status = lb_gait_create(j->recording, &own->gait, err);
  }
  j->summary.mechanism = own->mechanism;
  j->summary.gait = own->gait;
  return status;
}

// --- the report ---

static void add_title(lb_job* j) {
  const double time = j->recording->time[j->recording->nframe - 1];
  const double seconds = fmax(j->summary.wall_seconds, 1e-9);
  lb_job_title(j, j->model->name, "%s of motion in %s, %s times as fast as real time",
               lb_text_duration(time).text, lb_text_duration(seconds).text,
               lb_text_amount(time / seconds).text);
}

static void add_steps(lb_job* j) {
  const lb_model* m = j->model;
  const lb_summary* s = &j->summary;
  const bool adaptive = m->solver.integrator == LB_INTEGRATOR_ADAPTIVE;
  lb_job_figure(j, "steps", "%ld (%s, %s%s), %s a second", s->steps,
                lb_integrator_name(m->solver.integrator), adaptive ? "at most " : "",
                lb_text_duration(s->step).text,
                lb_text_amount((double)s->steps / fmax(s->wall_seconds, 1e-9)).text);
  const lb_model* simulated = lb_model_simulated(m);
  if (simulated != m) {
    lb_job_figure(j, "elastic", "all nodes move: %s unknowns",
                  lb_text_amount(simulated->nv - simulated->ndense).text);
  }
}

static void add_energy(lb_job* j) {
  static const double CONSERVED = 0.1; // beyond, as after impacts, the word would be wrong
  const lb_summary* s = &j->summary;
  if (s->conservative && s->energy_drift < CONSERVED) {
    lb_job_figure(j, "energy", "conserved to %.2g of the largest kinetic energy", s->energy_drift);
  } else {
    lb_job_figure(j, "energy", "from %.4g J to %.4g J", s->energy_start, s->energy_end);
  }
}

static void add_constraints(lb_job* j) {
  const lb_model* m = j->model;
  const bool points = m->constraint.count > m->constraint.nloop;
  if (m->constraint.count == 0) {
    return;
  }
  if (m->solver.closing > 0) {
    lb_job_figure(j, "gaps", "up to %.2g (m or rad), which close over time",
                  j->summary.constraint_violation);
  } else {
    lb_job_figure(j, points ? "constraints" : "loops", "%s to %.2g (m or rad)",
                  points ? "hold" : "closed", j->summary.constraint_violation);
  }
}

static void add_gait(lb_job* j, const lb_gait* g) {
  if (g) {
    lb_job_figure(j, "walks",
                  "%.3g m, %.3g m a cycle of %s, %.3g m/s; its feet slide %.2g m a cycle",
                  g->distance, g->stride, lb_text_duration(g->period).text, g->speed, g->slip);
    lb_job_figure(j, "takes", "%.4g J a cycle: cost of transport %.3g", g->energy, g->transport);
  }
}

// A whole motion in a handful of steps says nothing.
static void warn_of_few_steps(lb_job* j) {
  enum { FEW = 10 };
  static const double LONG = 0.05; // [s]
  if (j->summary.steps < FEW && j->summary.step > LONG && j->outcome == LB_OK) {
    lb_job_warn(j, "the motion of %s was made in %ld steps; take shorter ones",
                lb_text_duration(j->recording->time[j->recording->nframe - 1]).text,
                j->summary.steps);
  }
}

// Energy that nothing can have fed in comes from steps that are too long: most of the motion is
// then made of it, and it is many times what muscles can do.
static void warn_of_energy(lb_job* j) {
  static const double PART = 0.5, TIMES = 10, ROUNDING = 1e-6;
  const lb_recording* r = j->recording;
  double rise = 0, most = 0;
  int at = 0;
  for (int f = 0; f < r->nframe; f++) {
    const double e = r->kinetic[f] + r->potential[f] - r->kinetic[0] - r->potential[0];
    most = fmax(most, r->kinetic[f]);
    at = e > rise ? f : at;
    rise = fmax(rise, e);
  }
  if (r->nframe == 0 || j->scene.nfork > 0) { // whose motors are inside
    return;
  }
  const double feed = lb_energy_feed(j->model, r->time[r->nframe - 1]);
  const bool pushed = j->summary.overlaps.count > 0; // apart, at the start
  const double least = ROUNDING * (r->kinetic[0] + fabs(r->potential[0]));
  if (rise > PART * most && rise > TIMES * feed && rise > least && !pushed) {
    lb_job_warn(j,
                "the energy rises by %.3g J until t = %.4g s, and nothing feeds so much in: the "
                "motion is not to be trusted (take smaller steps, or an implicit integrator as "
                "bdf2)",
                rise, r->time[at]);
  }
}

static void add_changes(lb_job* j) {
  const simulate_job* own = j->own;
  for (int i = 0; i < own->nchange; i++) {
    const lb_fork_switch* c = &own->change[i];
    char what[60] = "whole";
    if (!c->whole) {
      snprintf(what, sizeof what, "%d model%s", c->models, c->models == 1 ? "" : "s");
    }
    lb_job_figure(j, i ? "" : "phases",
                  "from %s on %s: effectors go on to %.1g m, %.1g rad and %.1g m/s",
                  lb_text_duration(c->time).text, what, c->gap.way, c->gap.turn, c->gap.rate);
  }
}

static void report(lb_job* j) {
  if (j->outcome != LB_OK) {
    lb_job_add_rest(j);
  } else {
    add_title(j);
    add_steps(j);
    add_energy(j);
    add_constraints(j);
    add_changes(j);
    lb_job_add_contacts(j);
    if (j->model->constraint.ncompliant > 0) {
      lb_job_figure(j, "yields", "by up to %.2g (m or rad)", j->summary.compliant_gap);
    }
    add_gait(j, j->summary.gait);
    lb_job_add_forces(j);
  }
  if (j->recording) {
    warn_of_few_steps(j);
    warn_of_energy(j);
    lb_job_warn_of_unheld(j);
    lb_job_warn_of_paths(j);
    lb_job_warn_of_start(j, &j->summary.moved, &j->summary.steep, j->summary.step);
    lb_job_warn_of_overlaps(j, &j->summary.overlaps);
    lb_job_warn_of_lever_arms(j);
    lb_job_warn_of_contacts(j);
    lb_job_warn_of_motion(j);
  }
}

static void release(lb_job* j) {
  simulate_job* own = j->own;
  lb_mechanism_release(own->mechanism);
  lb_gait_release(own->gait);
  lb_optimization_release(own->numbers);
  lb_outer_forces_release(own->forces);
}

const lb_job_type lb_job_simulate = {.name = "simulate",
                                     .size = sizeof(simulate_job),
                                     .load = load,
                                     .run = run,
                                     .report = report,
                                     .release = release,
                                     .streams = true,
                                     .forks = true};
