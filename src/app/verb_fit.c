// limber fit: finds what a scene's materials are made of from measured markers.
#include <math.h>
#include <string.h>

#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"
#include "limber/fit.h"
#include "limber/simulate.h"

typedef struct fit_args {
  const char* out;
  double duration, step;
  int threads;
  bool quiet;
} fit_args;

static const option options[] = {
    {"--out", "-o", "DIR", parse_text, offsetof(fit_args, out),
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
    {"--duration", NULL, "S", parse_seconds, offsetof(fit_args, duration),
     "compare only the samples up to this time (default: all)"},
    {"--step", NULL, "S", parse_seconds, offsetof(fit_args, step),
     "time step in seconds, or such as 2ms (default: as the scene says)"},
    {"--threads", NULL, "N", parse_threads, offsetof(fit_args, threads),
     "simulations to run side by side; the results are the same for any N (default: 1)"},
    {"--quiet", "-q", NULL, NULL, offsetof(fit_args, quiet),
     "say nothing unless something is wrong"},
};

// "spring-steel young" or "clock".
static const char* name_of(const lb_fit* fit, const lb_fit_value* v, char* out, size_t size) {
  snprintf(out, size, "%s%s%s", v->material >= 0 ? fit->model->material[v->material].name : "",
           v->material >= 0 ? " " : "", lb_fit_quantity_name(v->quantity));
  return out;
}

static void print_value(const lb_fit* fit, const lb_fit_value* v) {
  char name[120], value[LB_FIT_TEXT], low[LB_FIT_TEXT], high[LB_FIT_TEXT];
  printf("  %-32s %s%-12s%s", name_of(fit, v, name, sizeof name), style_bold(stdout),
         lb_fit_number_text(v->quantity, v->value, value), style_off(stdout));
  if (isfinite(v->low) && isfinite(v->high)) {
    printf("  %s to %s (95 %%)", lb_fit_number_text(v->quantity, v->low, low),
           lb_fit_number_text(v->quantity, v->high, high));
  }
  printf("%s%s\n", v->doubt == LB_FIT_SURE ? "" : "\n      ",
         v->doubt == LB_FIT_SURE ? "" : lb_fit_doubt_text(v->doubt));
}

static void print_results(const lb_fit* fit, const lb_summary* s, const char* dir) {
  char wall[48];
  printf("%s%s%s: %d of %d numbers determined, from %d samples of %d %s, in %s\n",
         style_bold(stdout), fit->model->name, style_off(stdout), lb_fit_determined(fit),
         fit->nvalue, fit->nsample, fit->markers->nmarker,
         fit->markers->nmarker == 1 ? "marker" : "markers",
         duration_text(s->wall_seconds, wall, sizeof wall));
  for (int i = 0; i < fit->nvalue; i++) {
    print_value(fit, &fit->value[i]);
  }
  printf("  distance %.3g mm rms from the markers (%.3g mm with the scene's numbers); %ld runs\n",
         1e3 * fit->rms, 1e3 * fit->rms_start, fit->runs);
  if (lb_fit_errs_alike(fit)) {
    printf(
        "  note     what is left is no noise, %.0f neighbouring samples err alike: the scene "
        "misses\n           something, or the camera smooths; the intervals are widened for it\n",
        fit->correlation);
  }
  printf("  results  %s/fitted.yaml     the numbers, to put into the scene\n", dir);
  printf("           %s/report.html     measured and fitted motion: open it in a browser\n", dir);
  printf("           %s/markers.csv     where the fitted markers are at the samples' times\n", dir);
  printf("           %s/summary.json    these figures, for programs\n", dir);
  printf("           %s/scene.glb, %s/trajectory.csv  the fitted motion\n", dir, dir);
}

// The fitted model's motion, from its start to the last sample, for the files that show it. It runs
// to its end even when the search was interrupted.
static lb_status play(const lb_fit* fit, const fit_args* a, lb_recording* recording,
                      lb_summary* summary, lb_error* err) {
  lb_simulate_options o = lb_simulate_default();
  o.duration = fit->markers->time[fit->nsample - 1];
  o.step = a->step;
  o.threads = a->threads;
  return lb_simulate(fit->model, &o, recording, summary, err);
}

// Write what was found, and say so.
static exit_code keep(const lb_fit* fit, const fit_args* a, lb_status outcome, double wall) {
  lb_error err = lb_error_make(NULL);
  lb_recording* recording = NULL;
  lb_summary summary = {.job = "fit"};
  lb_status status = lb_recording_create(fit->model, 0, NULL, &recording, &err);
  if (status == LB_OK) {
    status = play(fit, a, recording, &summary, &err);
    summary.job = "fit";
    summary.wall_seconds = wall;
    summary.steps = fit->steps;
    summary.interrupted = outcome == LB_INTERRUPTED;
    summary.fit = fit;
    const lb_status written = lb_recording_write(recording, &summary, a->out, &err);
    status = status == LB_OK ? written : status;
    lb_recording_release(recording);
  }
  if (status != LB_OK) {
    tell_errors(&err);
  } else if (outcome == LB_INTERRUPTED) {
    fprintf(stderr, "Interrupted. The best numbers so far are kept in %s.\n", a->out);
  } else if (!a->quiet) {
    print_results(fit, &summary, a->out);
  }
  if (status == LB_OK && outcome == LB_OK && lb_fit_determined(fit) == 0) {
    tell_error("the markers do not tell: %s", lb_fit_doubt_text(fit->value[0].doubt));
    status = LB_FAILED;
  }
  lb_error_clear(&err);
  return exit_code_of(status == LB_OK ? outcome : status);
}

static exit_code fit_to(const lb_model* model, const lb_scene* scene, const lb_markers* markers,
                        const fit_args* a) {
  lb_error err = lb_error_make(NULL);
  meter m = meter_start(a->quiet);
  lb_fit_options o = lb_fit_default();
  o.duration = a->duration;
  o.step = a->step;
  o.threads = a->threads;
  o.progress = meter_progress(&m);
  lb_fit* fit = NULL;
  const double start = clock_now();
  const lb_status status = lb_fit_run(model, &scene->fit, markers, &o, NULL, &fit, &err);
  meter_end(&m);
  exit_code code = exit_code_of(status);
  if (fit) {
    code = keep(fit, a, status, clock_now() - start);
    lb_fit_release(fit);
  } else {
    tell_errors(&err);
  }
  lb_error_clear(&err);
  return code;
}

static exit_code load_markers(const char* path, const lb_scene* scene, lb_markers** markers) {
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_markers_read(path, scene, NULL, markers, &err);
  if (status != LB_OK) {
    tell_errors(&err);
  }
  lb_error_clear(&err);
  return status == LB_IO ? EXIT_INPUT : exit_code_of(status);
}

// Mistakes in the table are told before the model is made, and leave no folder behind.
static exit_code fit_scene(lb_scene* scene, void* args, char** plain) {
  const fit_args* a = args;
  lb_markers* markers = NULL;
  lb_model* model = NULL;
  exit_code code = load_markers(plain[1], scene, &markers);
  if (code == EXIT_DONE) {
    scene->solver.elastic = LB_SPACE_REDUCED; // many runs want a fast model
    code = load_model(scene, &model);
  }
  if (code == EXIT_DONE) {
    interrupt_listen(); // from here on there is something to keep
    code = outdir_prepare(a->out) ? fit_to(model, scene, markers, a) : EXIT_INPUT;
  }
  lb_model_release(model);
  lb_markers_release(markers);
  return code;
}

static exit_code run(const verb* v, int narg, char** args) {
  fit_args a = {.duration = NAN, .step = NAN, .threads = lb_fit_default().threads};
  return run_scene(v, narg, args, &a, &a.out, fit_scene);
}

const verb verb_fit = {
    .name = "fit",
    .usage = "SCENE MARKERS [--out DIR] [--duration S] [--threads N]",
    .summary = "find Young's modulus and damping from a measured motion",
    .about =
        "Plays the scene again and again with other materials, until its markers move as the\n"
        "measured ones in the table MARKERS (comma-separated: time, NAME.x, NAME.y, NAME.z, ...)\n"
        "do, and says between which bounds the numbers lie. What to find, and where the markers\n"
        "are, stands in the scene under 'fit' and 'markers'; without them it is every elastic\n"
        "body's material, and columns are called by the bodies' names. Writes into the folder "
        "DIR:\n"
        "  fitted.yaml     the numbers found, to put into the scene\n"
        "  report.html     measured and fitted motion: open it in a browser\n"
        "  markers.csv     where the fitted markers are at the times of the samples\n"
        "  summary.json    the figures, for programs\n"
        "  scene.glb, trajectory.csv   the fitted motion\n"
        "Ctrl-C stops the search and keeps the best so far.",
    .example = "  limber fit scenes/rod.yaml markers.csv --out out/fit",
    .exits = "  0    done\n"
             "  1    the markers tell nothing about the numbers, or the scene cannot be run; the\n"
             "       message says why\n"
             "  2    a mistake in the scene, the table or on the command line, or DIR cannot be\n"
             "       written\n"
             "  130  interrupted; the best so far is in DIR",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 2,
    .most = 2,
    .run = run,
};
