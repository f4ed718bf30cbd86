// Search for the numbers of a scene that reach its goals.
#include "limber/optimize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "job/job_inside.h"
#include "job/job_text.h"

typedef struct optimize_job {
  lb_optimization* o;
  double* x;              // [nvalue] the best so far
  double *began, *slope;  // [nvalue] those the search began with, and the gradient at the best
  double *before, *after; // [ngoal]
  int nhistory, capacity;
  double* history; // objective after each iteration
  double objective;
  lb_optimize_result result;
  bool told;   // that the numbers cannot be kept
  double kept; // when they last were, by the clock [s]
} optimize_job;

// --- loading ---

// Of each parameter, the first number that the scene has outside its bounds.
static void warn_of_starts(lb_job* j, const lb_optimization* o) {
  for (int i = 0; i < o->scene->optimize.nparameter; i++) {
    int k = o->first[i];
    while (k < o->first[i + 1] && o->given[k] == o->start[k]) {
      k++;
    }
    if (k < o->first[i + 1]) {
      const lb_scene_parameter* p = &o->scene->optimize.parameter[i];
      lb_job_warn_at(j, p->place,
                     "parameter '%s': the scene's %g is outside the bounds, and the search "
                     "begins at %g",
                     p->name, o->given[k], o->start[k]);
    }
  }
}

// Begin where an earlier search ended.
static lb_status resume(lb_job* j, lb_error* err) {
  optimize_job* own = j->own;
  const char* path = lb_job_path(j, j->o.out ? j->o.out : ".", "parameters.csv");
  if (!path) {
    return lb_job_no_memory(err);
  }
  if (access(path, R_OK) != 0) {
    lb_job_warn(j, "there is no search to go on with in %s: it begins anew", lb_job_place(j));
    return LB_OK;
  }
  return lb_optimization_read(own->o, path, own->x, err);
}

static lb_status load(lb_job* j, lb_error* err) {
  optimize_job* own = j->own;
  const lb_status status = lb_optimization_create(&j->scene, j->arena.allocator, &own->o, err);
  if (status != LB_OK) {
    return status;
  }
  const int ngoal = j->scene.optimize.ngoal;
  own->x = LB_TAKE(&j->arena, double, own->o->nvalue);
  own->began = LB_TAKE(&j->arena, double, 2 * own->o->nvalue);
  own->before = LB_TAKE(&j->arena, double, 2 * ngoal);
  if (lb_arena_status(&j->arena) != LB_OK) {
    return lb_job_no_memory(err);
  }
  own->after = own->before + ngoal;
  own->slope = own->began + own->o->nvalue;
  memcpy(own->x, own->o->start, (size_t)own->o->nvalue * sizeof *own->x);
  if (j->o.resume) {
    return resume(j, err);
  }
  warn_of_starts(j, own->o);
  return LB_OK;
}

// --- the search ---

static void make_result(optimize_job* own) {
  own->result = (lb_optimize_result){.optimization = own->o,
                                     .x = own->x,
                                     .before = own->before,
                                     .after = own->after,
                                     .nhistory = own->nhistory,
                                     .history = own->history};
}

// Numbers are brought to the disk, which may take as long as an iteration.
static void keep(lb_job* j) {
  static const double EVERY = 0.5; // [s]
  optimize_job* own = j->own;
  if (!j->o.out || lb_clock() - own->kept < EVERY) {
    return;
  }
  lb_error err = lb_error_make(j->arena.allocator);
  make_result(own);
  if (lb_parameters_write(&own->result, j->o.out, j->arena.allocator, &err) != LB_OK) {
    lb_job_warn_of_state(j, &own->told, &err);
  }
  lb_error_clear(&err);
  own->kept = lb_clock();
}

static void note(lb_job* j, double objective) {
  optimize_job* own = j->own;
  double* more = LB_GROW(&j->arena, own->history, own->nhistory, &own->capacity);
  if (more) { // else the plot is shorter
    own->history = more;
    own->history[own->nhistory++] = objective;
  }
}

static bool news(void* context, const lb_optimize_news* n) {
  lb_job* j = context;
  optimize_job* own = j->own;
  const lb_progress progress = lb_job_progress(j);
  char text[160];
  if (n->iteration == 0) {
    memcpy(own->before, own->o->goal, (size_t)j->scene.optimize.ngoal * sizeof *own->before);
  } else {
    keep(j);
  }
  note(j, n->objective);
  snprintf(text, sizeof text, "iteration %d: objective %.4g, gradient %.1e, %d simulations",
           n->iteration, n->objective, n->gradient, own->o->runs);
  return lb_progress_report(&progress, NAN, text);
}

// Parameters that stayed as they were, since goals do not change with any of their numbers.
static void warn_of_idle(lb_job* j) {
  const optimize_job* own = j->own;
  for (int i = 0; i < own->o->scene->optimize.nparameter; i++) {
    int k = own->o->first[i];
    while (k < own->o->first[i + 1] && own->slope[k] == 0 && own->x[k] == own->began[k]) {
      k++;
    }
    if (k == own->o->first[i + 1]) {
      const lb_scene_parameter* p = &own->o->scene->optimize.parameter[i];
      lb_job_warn_at(j, p->place,
                     "parameter '%s' stays as it is, for no goal changes with it (take it away, "
                     "or begin elsewhere)",
                     p->name);
    }
  }
}

static lb_status search(lb_job* j, lb_error* err) {
  optimize_job* own = j->own;
  memcpy(own->began, own->x, (size_t)own->o->nvalue * sizeof *own->x);
  const lb_optimize_options o = {.news = news, .context = j};
  const lb_status status = lb_optimize_run(own->o, &o, own->x, &own->objective, err);
  if (status == LB_OK || status == LB_INTERRUPTED) {
    // the goals' shares at the best numbers, which need not be those evaluated last
    double value;
    const lb_status last = lb_optimization_evaluate(own->o, own->x, &value, own->slope, err);
    memcpy(own->after, own->o->goal, (size_t)j->scene.optimize.ngoal * sizeof *own->after);
    if (last == LB_OK) {
      warn_of_idle(j);
    }
    return last == LB_OK ? status : last;
  }
  return status;
}

// Motion with the numbers found. It runs to its end even when the search was interrupted.
static lb_status play(lb_job* j, lb_error* err) {
  optimize_job* own = j->own;
  const lb_simulate_options o = lb_simulate_default();
  lb_status status = lb_optimization_apply(own->o, own->x, &j->scene, err);
  status = status == LB_OK ? lb_job_make_model(j, err) : status;
  status = status == LB_OK ? lb_job_play(j, j->model, &o, err) : status;
  make_result(own);
  j->summary.optimize = &own->result;
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  const lb_status outcome = search(j, err);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    return outcome;
  }
  const lb_status status = play(j, err);
  return status == LB_OK ? outcome : status;
}

// --- the report ---

// A number found, beside what the scene has; the first below a heading.
static void add_number(lb_job* j, int parameter, int k, bool heading) {
  const optimize_job* own = j->own;
  const lb_scene_parameter* p = &j->scene.optimize.parameter[parameter];
  const int* first = own->o->first + parameter;
  char number[16] = "", name[48];
  if (first[1] - first[0] > 1) {
    snprintf(number, sizeof number, " %d", k - first[0]);
  }
  snprintf(name, sizeof name, "%.24s%s", p->name, number);
  if (heading) {
    lb_job_row(j, "%-28s %12s %12s", "parameter", "in the scene", "found");
  }
  lb_job_row(j, "%-28s %12.4g %12.4g %s", name, own->o->given[k], own->x[k],
             p->unit ? p->unit : "");
}

// Numbers found, in SI units; curves, and what is beyond so many, are left to the file.
static void add_numbers(lb_job* j) {
  enum { MOST_ROWS = 24, MOST_OF_ONE = 6 };
  const lb_optimization* o = ((const optimize_job*)j->own)->o;
  int rows = 0;
  for (int i = 0; i < j->scene.optimize.nparameter; i++) {
    const int end = o->first[i + 1];
    for (int k = o->first[i]; k < end && end - o->first[i] <= MOST_OF_ONE && rows < MOST_ROWS;
         k++) {
      add_number(j, i, k, rows++ == 0);
    }
  }
  if (rows < o->nvalue) {
    lb_job_row(j, "%-28s %d numbers, in parameters.csv", rows ? "other parameters" : "parameters",
               o->nvalue - rows);
  }
}

static void report(lb_job* j) {
  const optimize_job* own = j->own;
  const lb_scene_optimize* what = &j->scene.optimize;
  if (j->outcome == LB_INTERRUPTED) {
    lb_job_add_stopped(j, own->nhistory - 1);
  }
  if (j->outcome != LB_OK) {
    return;
  }
  lb_job_title(j, j->scene.name, "objective %.4g, was %.4g; %d iterations, %d simulations in %s",
               own->objective, own->history[0], own->nhistory - 1, own->o->runs,
               lb_text_duration(j->summary.wall_seconds).text);
  lb_job_row(j, "%-28s %12s %12s", "goal", "before", "after");
  for (int i = 0; i < what->ngoal; i++) {
    lb_job_row(j, "%-28.28s %12.4g %12.4g", what->goal[i].name, own->before[i], own->after[i]);
  }
  add_numbers(j);
  if (own->o->failed > 0) {
    lb_job_figure(j, "not run", "%d trial%s of the search, which went back; the last: %s",
                  own->o->failed, own->o->failed > 1 ? "s" : "", own->o->failure);
  }
  lb_job_figure(j, "stopped", "%s%s", lb_optimize_end_name(own->o->end),
                own->o->end == LB_OPTIMIZE_LIMIT
                    ? ": --resume goes on, and 'iterations' of the scene's 'optimize' allows more"
                    : "");
}

static void release(lb_job* j) {
  lb_optimization_release(((optimize_job*)j->own)->o);
}

const lb_job_type lb_job_optimize = {.name = "optimize",
                                     .size = sizeof(optimize_job),
                                     .load = load,
                                     .run = run,
                                     .report = report,
                                     .release = release};
