// limber optimize: numbers of a scene with which it does what is wanted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"
#include "limber/optimize.h"
#include "limber/simulate.h"

typedef struct optimize_args {
  const char* out;
  bool resume, quiet;
} optimize_args;

static const option options[] = {
    {"--out", "-o", "DIR", parse_text, offsetof(optimize_args, out),
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
    {"--resume", NULL, NULL, NULL, offsetof(optimize_args, resume),
     "begin with the numbers that an earlier search left in DIR/parameters.csv"},
    {"--quiet", "-q", NULL, NULL, offsetof(optimize_args, quiet),
     "say nothing unless something is wrong"},
};

typedef struct job {
  const optimize_args* a;
  lb_scene* scene;
  lb_optimization* o;
  double* x;              // [nvalue] the best so far
  double *before, *after; // [ngoal]
  int nhistory, capacity;
  double* history;
  meter meter;
  double start;
  bool told;   // that the numbers cannot be kept
  double kept; // when they last were
  lb_error err;
} job;

static lb_optimize_result result_of(const job* j) {
  return (lb_optimize_result){.optimization = j->o,
                              .x = j->x,
                              .before = j->before,
                              .after = j->after,
                              .nhistory = j->nhistory,
                              .history = j->history};
}

// --- the search ---

static void note(job* j, double objective) {
  if (j->nhistory == j->capacity) {
    const int capacity = j->capacity ? 2 * j->capacity : 64;
    double* larger = realloc(j->history, (size_t)capacity * sizeof *larger);
    if (!larger) {
      return; // the plot is shorter then
    }
    j->history = larger;
    j->capacity = capacity;
  }
  j->history[j->nhistory++] = objective;
}

static void keep(job* j) {
  const lb_optimize_result r = result_of(j);
  lb_error err = lb_error_make(NULL);
  if (lb_parameters_write(&r, j->a->out, NULL, &err) != LB_OK && !j->told) {
    meter_end(&j->meter);
    tell_errors(&err);
    tell_warning("the search goes on, but could not be resumed if it were stopped");
    j->told = true;
  }
  lb_error_clear(&err);
}

// Numbers are brought to the disk, which may take as long as an iteration.
static const double KEEP_EVERY = 0.5; // [s]

static bool news(void* context, const lb_optimize_news* n) {
  job* j = context;
  if (n->iteration == 0) {
    memcpy(j->before, j->o->goal, (size_t)j->scene->optimize.ngoal * sizeof *j->before);
  } else if (clock_now() - j->kept > KEEP_EVERY) {
    keep(j);
    j->kept = clock_now();
  }
  note(j, n->objective);
  meter_say(&j->meter, "iteration %d: objective %.4g, gradient %.1e, %d simulations", n->iteration,
            n->objective, n->gradient, j->o->runs);
  return !interrupted();
}

// Begin where an earlier search ended.
static lb_status resume(job* j) {
  char path[4200];
  snprintf(path, sizeof path, "%s/parameters.csv", j->a->out);
  FILE* file = fopen(path, "r");
  if (!file) {
    tell_warning("there is no search to go on with in %s: it begins anew", j->a->out);
    return LB_OK;
  }
  fclose(file);
  return lb_optimization_read(j->o, path, j->x, &j->err);
}

static lb_status search(job* j, double* objective) {
  const int ngoal = j->scene->optimize.ngoal;
  const lb_optimize_options o = {.news = news, .context = j};
  lb_status status = j->a->resume ? resume(j) : LB_OK;
  if (status == LB_OK) {
    status = lb_optimize_run(j->o, &o, j->x, objective, &j->err);
  }
  if (status == LB_OK || status == LB_INTERRUPTED) {
    // the goals' shares at the best numbers, which need not be those evaluated last
    double value;
    const lb_status last = lb_optimization_evaluate(j->o, j->x, &value, NULL, &j->err);
    memcpy(j->after, j->o->goal, (size_t)ngoal * sizeof *j->after);
    status = last == LB_OK ? status : last;
  }
  return status;
}

// --- results ---

static void print_results(const job* j, double objective) {
  char wall[48];
  const char* dir = j->a->out;
  const lb_scene_optimize* what = &j->scene->optimize;
  printf("%s%s%s: objective %.4g, was %.4g; %d iterations, %d simulations in %s\n",
         style_bold(stdout), j->scene->name, style_off(stdout), objective, j->history[0],
         j->nhistory - 1, j->o->runs, duration_text(clock_now() - j->start, wall, sizeof wall));
  printf("  %-28s %12s %12s\n", "goal", "before", "after");
  for (int i = 0; i < what->ngoal; i++) {
    printf("  %-28.28s %12.4g %12.4g\n", what->goal[i].name, j->before[i], j->after[i]);
  }
  printf("  stopped  %s%s\n", lb_optimize_end_name(j->o->end),
         j->o->end == LB_OPTIMIZE_LIMIT
             ? ": --resume goes on, and 'iterations' of the scene's 'optimize' allows more"
             : "");
  printf("  results  %s/parameters.csv  the numbers; 'limber simulate SCENE --parameters' plays "
         "them\n",
         dir);
  printf("           %s/report.html     the motion, goals and numbers: open it in a browser\n",
         dir);
  printf("           %s/trajectory.csv  poses and coordinates over time\n", dir);
  printf("           %s/summary.json    these figures, for programs\n", dir);
}

// The motion with the numbers found, and all files.
static lb_status record(job* j, lb_status outcome) {
  lb_model* model = NULL;
  lb_recording* recording = NULL;
  const lb_optimize_result r = result_of(j);
  lb_summary summary = {.job = "optimize", .optimize = &r};
  const lb_simulate_options o = lb_simulate_default();
  lb_status status = lb_optimization_apply(j->o, j->x, j->scene, &j->err);
  if (status == LB_OK) {
    status = lb_model_create(j->scene, NULL, &model, &j->err);
  }
  if (status == LB_OK) {
    status = lb_recording_create(model, 0, NULL, &recording, &j->err);
  }
  if (status == LB_OK) {
    status = lb_simulate(model, &o, recording, &summary, &j->err);
  }
  summary.optimize = &r;
  summary.job = "optimize";
  summary.interrupted = outcome == LB_INTERRUPTED;
  summary.wall_seconds = clock_now() - j->start;
  if (recording && recording->nframe > 0) {
    const lb_status written = lb_recording_write(recording, &summary, j->a->out, &j->err);
    status = status == LB_OK ? written : status;
  }
  lb_recording_release(recording);
  lb_model_release(model);
  return status;
}

static lb_status run_job(job* j) {
  double objective = 0;
  const lb_status outcome = search(j, &objective);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    return outcome;
  }
  lb_error_clear(&j->err); // that it was interrupted is said below
  const lb_status status = record(j, outcome);
  meter_end(&j->meter);
  if (status == LB_OK && outcome == LB_INTERRUPTED) {
    fprintf(stderr,
            "Interrupted after %d iterations. The best so far is in %s; --resume goes on from "
            "there.\n",
            j->nhistory - 1, j->a->out);
  } else if (status == LB_OK && !j->a->quiet) {
    print_results(j, objective);
  }
  return status == LB_OK ? outcome : status;
}

// Of each parameter, the first number that the scene has outside its bounds.
static void warn_of_starts(const lb_optimization* o) {
  for (int i = 0; i < o->scene->optimize.nparameter; i++) {
    int k = o->first[i];
    while (k < o->first[i + 1] && o->given[k] == o->start[k]) {
      k++;
    }
    if (k < o->first[i + 1]) {
      const lb_scene_parameter* p = &o->scene->optimize.parameter[i];
      tell_warning("%s:%d:%d: parameter '%s': the scene's %g is outside the bounds, and the search "
                   "begins at %g",
                   p->place.file, p->place.line, p->place.column, p->name, o->given[k],
                   o->start[k]);
    }
  }
}

static bool make_room(job* j) {
  j->x = calloc((size_t)j->o->nvalue, sizeof *j->x);
  j->before = calloc(2 * (size_t)j->scene->optimize.ngoal, sizeof *j->before);
  j->after = j->before + j->scene->optimize.ngoal;
  if (!j->x || !j->before) {
    lb_error_add(&j->err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
    return false;
  }
  memcpy(j->x, j->o->start, (size_t)j->o->nvalue * sizeof *j->x);
  return true;
}

static exit_code optimize_scene(lb_scene* scene, void* args, char** plain) {
  job j = {.a = args, .scene = scene, .start = clock_now(), .err = lb_error_make(NULL)};
  (void)plain;
  exit_code code = EXIT_DONE;
  lb_status status = lb_optimization_create(scene, NULL, &j.o, &j.err);
  if (status == LB_OK && !make_room(&j)) {
    status = LB_NO_MEMORY;
  }
  if (status == LB_OK && !j.a->resume) {
    warn_of_starts(j.o);
  }
  if (status == LB_OK) {
    interrupt_listen(); // from here on there is something to keep
    j.meter = meter_start(j.a->quiet);
    if (outdir_prepare(j.a->out)) {
      status = run_job(&j);
      meter_end(&j.meter);
    } else {
      code = EXIT_INPUT;
    }
  }
  if (status != LB_OK && j.err.count > 0) {
    tell_errors(&j.err);
  }
  free(j.x);
  free(j.before);
  free(j.history);
  lb_optimization_release(j.o);
  lb_error_clear(&j.err);
  return code == EXIT_DONE ? exit_code_of(status) : code;
}

static exit_code run(const verb* v, int narg, char** args) {
  optimize_args a = {0};
  return run_scene(v, narg, args, &a, &a.out, optimize_scene);
}

const verb verb_optimize = {
    .name = "optimize",
    .usage = "SCENE [--out DIR] [--resume]",
    .summary = "find the starts, torques, masses, lengths or stiffnesses that reach goals",
    .about =
        "Changes the numbers that the scene names under 'optimize', 'parameters', until its "
        "motion\n"
        "is as near to the 'goals' there as it gets. Gradients come from the derivative of every\n"
        "step, so that hundreds of numbers cost little more than one. Writes into the folder DIR:\n"
        "  parameters.csv  the numbers, before and after; 'limber simulate SCENE --parameters "
        "FILE'\n"
        "                  plays them again\n"
        "  report.html     the motion, goals, numbers and how the search went\n"
        "  summary.json    the figures, for programs\n"
        "  scene.glb, trajectory.csv   the motion\n"
        "Ctrl-C stops the search and keeps the best so far; so does a kill at any moment.\n"
        "--resume goes on from there.",
    .example = "  limber optimize scenes/reach.yaml --out out/reach",
    .exits = "  0    done\n"
             "  1    the scene cannot be run with the numbers it has; the message says why\n"
             "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
             "  130  interrupted; the best so far is in DIR",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = run,
};
