// Jobs that run a scene.
#include "limber/simulate.h"

#include <math.h>
#include <stdio.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/optimize.h"

// --- loading ---

// The numbers of a search put into the scene. Its new curves live in the optimisation, which is
// released when the model is made.
static lb_status take_parameters(lb_job* j, lb_optimization** o, lb_error* err) {
  lb_status status = lb_optimization_create(&j->scene, j->arena.allocator, o, err);
  double* x = status == LB_OK ? LB_TAKE(&j->arena, double, (*o)->nvalue) : NULL;
  if (status == LB_OK && !x) {
    status = lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
  }
  if (status == LB_OK) {
    status = lb_optimization_read(*o, j->o.parameters, x, err);
  }
  return status == LB_OK ? lb_optimization_apply(*o, x, &j->scene, err) : status;
}

// What is wrong with a model is a mistake in its scene.
static lb_status make_model(lb_job* j, lb_error* err) {
  const lb_status status = lb_model_create(&j->scene, j->arena.allocator, &j->model, err);
  return status == LB_OK || status == LB_NO_MEMORY ? status : LB_INVALID;
}

static lb_status load(lb_job* j, lb_error* err) {
  lb_optimization* o = NULL;
  j->scene.solver.elastic = j->o.full ? LB_SPACE_FULL : j->scene.solver.elastic;
  lb_status status = j->o.basis ? lb_scene_take_bases(&j->scene, j->o.basis, err) : LB_OK;
  if (status == LB_OK && j->o.parameters) {
    status = take_parameters(j, &o, err);
  }
  status = status == LB_OK ? make_model(j, err) : status;
  lb_optimization_release(o);
  return status;
}

// --- running ---

static lb_status run(lb_job* j, lb_error* err) {
  lb_simulate_options o = lb_simulate_default();
  o.duration = j->o.duration;
  o.step = j->o.step;
  o.threads = j->o.threads;
  o.progress = lb_job_progress(j);
  o.sink = lb_job_sink(j);
  return lb_simulate(j->model, &o, j->recording, &j->summary, err);
}

// --- the report ---

enum { WORD = 48, WARNING = 1200 };

static void add_title(lb_job* j) {
  char motion[WORD], wall[WORD], rate[WORD];
  const double time = j->recording->time[j->recording->nframe - 1];
  const double seconds = fmax(j->summary.wall_seconds, 1e-9);
  lb_job_add(j, LB_SECTION_TITLE, j->model->name,
             "%s of motion in %s, %s times as fast as real time",
             lb_text_duration(time, motion, WORD), lb_text_duration(seconds, wall, WORD),
             lb_text_amount(time / seconds, rate, WORD));
}

static void add_steps(lb_job* j) {
  const lb_model* m = j->model;
  const lb_summary* s = &j->summary;
  char step[WORD], rate[WORD];
  const bool adaptive = m->solver.integrator == LB_INTEGRATOR_ADAPTIVE;
  lb_job_add(j, LB_SECTION_FIGURE, "steps", "%ld (%s, %s%s), %s a second", s->steps,
             lb_integrator_name(m->solver.integrator), adaptive ? "at most " : "",
             lb_text_duration(s->step, step, WORD),
             lb_text_amount((double)s->steps / fmax(s->wall_seconds, 1e-9), rate, WORD));
  if (m->full) {
    lb_job_add(j, LB_SECTION_FIGURE, "elastic", "all nodes move: %s unknowns",
               lb_text_amount(m->full->nv - m->full->ndense, rate, WORD));
  }
}

static void add_energy(lb_job* j) {
  static const double CONSERVED = 0.1; // beyond, as after impacts, the word would be wrong
  const lb_summary* s = &j->summary;
  if (s->conservative && s->energy_drift < CONSERVED) {
    lb_job_add(j, LB_SECTION_FIGURE, "energy", "conserved to %.2g of the largest kinetic energy",
               s->energy_drift);
  } else {
    lb_job_add(j, LB_SECTION_FIGURE, "energy", "from %.4g J to %.4g J", s->energy_start,
               s->energy_end);
  }
}

static void add_constraints(lb_job* j) {
  const lb_model* m = j->model;
  const bool points = m->nprescribed || m->ncoupling;
  if (!m->nloop && !m->ncoupling) {
    return;
  }
  if (m->solver.closing > 0) {
    lb_job_add(j, LB_SECTION_FIGURE, "gaps", "up to %.2g (m or rad), which close at a pace",
               j->summary.constraint_violation);
  } else {
    lb_job_add(j, LB_SECTION_FIGURE, points ? "constraints" : "loops", "%s to %.2g (m or rad)",
               points ? "hold" : "closed", j->summary.constraint_violation);
  }
}

static void add_files(lb_job* j) {
  static const char* const file[][2] = {
      {"report.html", "open it in a browser"},
      {"scene.glb", "the animation, for Blender and glTF viewers"},
      {"trajectory.csv", "poses and coordinates over time"},
      {"summary.json", "these figures, for programs"}};
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    lb_job_add(j, LB_SECTION_FILE, file[i][0], "%s", file[i][1]);
  }
}

static void warn(lb_job* j, int length, const char* text) {
  if (length > 0) {
    lb_job_add(j, LB_SECTION_WARNING, NULL, "%s", text);
  }
}

static void add_warnings(lb_job* j) {
  const lb_summary* s = &j->summary;
  const lb_recording* r = j->recording;
  char text[WARNING];
  warn(j, lb_text_moved_start(j->model, &s->moved, text, WARNING), text);
  warn(j, lb_text_steep_friction(j->model, &s->steep, s->step, text, WARNING), text);
  for (int i = 0; i < j->model->njoint; i++) {
    warn(j, lb_text_spline_exit(r, i, text, WARNING), text);
  }
  warn(j, lb_text_inversion(r, &s->inversion, text, WARNING), text);
  warn(j, lb_text_range(s, text, WARNING), text);
}

static void report(lb_job* j) {
  if (j->recording->nframe > 0) {
    add_title(j);
    add_steps(j);
    add_energy(j);
    add_constraints(j);
    add_files(j);
  }
  add_warnings(j);
}

const lb_job_type lb_job_simulate = {"simulate", load, run, report};
