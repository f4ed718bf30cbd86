// limber retarget: motor curves with which a flexible character does what its animator meant.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/deviations.h"
#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"
#include "base/parallel.h"
#include "limber/shaping.h"
#include "record/file/search_file.h"

typedef struct retarget_args {
  const char* out;
  double rate, step;
  lb_retarget_method method;
  int threads;
  size_t memory;
  bool baseline;
  bool perturb;
  bool resume;
  bool quiet;
} retarget_args;

static const char* parse_method(const char* text, void* target) {
  for (int i = 0; i < LB_RETARGET_METHOD_COUNT; i++) {
    if (strcmp(text, lb_retarget_method_name((lb_retarget_method)i)) == 0) {
      *(lb_retarget_method*)target = (lb_retarget_method)i;
      return NULL;
    }
  }
  return "gauss-newton, lbfgs or bfgs";
}

static const option options[] = {
    {"--out", "-o", "DIR", parse_text, offsetof(retarget_args, out),
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
    {"--baseline", NULL, NULL, NULL, offsetof(retarget_args, baseline),
     "compare with what people use today: low-pass filter, ZV and ZVD shapers"},
    {"--perturb", NULL, NULL, NULL, offsetof(retarget_args, perturb),
     "play the result with stiffness, damping and mass off by a few per cent, and slow motors"},
    {"--resume", NULL, NULL, NULL, offsetof(retarget_args, resume),
     "go on with a search that was stopped, from what it left in DIR"},
    {"--rate", NULL, "HZ", parse_rate, offsetof(retarget_args, rate),
     "samples a second of profiles.csv (default: 1000)"},
    {"--step", NULL, "S", parse_seconds, offsetof(retarget_args, step),
     "time step in seconds, or such as 2ms (default: as the scene says)"},
    {"--method", NULL, "NAME", parse_method, offsetof(retarget_args, method),
     "gauss-newton, or to compare with it lbfgs or bfgs, which are slower (default: gauss-newton)"},
    {"--threads", NULL, "N", parse_threads, offsetof(retarget_args, threads),
     "threads to use; the results are the same for any N (default: 1)"},
    {"--memory", NULL, "SIZE", parse_bytes, offsetof(retarget_args, memory),
     "such as 64MB: what the states of a run may take; less costs time (default: 1GB)"},
    {"--quiet", "-q", NULL, NULL, offsetof(retarget_args, quiet),
     "say nothing unless something is wrong"},
};

// --- the job ---

typedef struct job {
  const retarget_args* a;
  const lb_model* model;
  lb_retarget* what;
  lb_curves* input;
  lb_targets* targets;
  lb_recording *target, *before, *after;
  lb_retarget_state* state;
  lb_search_history history;
  lb_summary summary; // of the run with the new curves
  lb_replay was, is;
  lb_replay baseline[LB_BASELINE_COUNT], perturbed[LB_PERTURBATION_COUNT];
  lb_deviation* deviation; // of all replays
  uint64_t key;
  meter meter;
  bool told; // that the state cannot be written
  bool kept; // the state as it is now has been
  double start;
  lb_error err;
} job;

enum { REPLAYS = 2 + LB_BASELINE_COUNT + LB_PERTURBATION_COUNT };

// Room for the deviations of all replays.
static lb_status hand_out(job* j) {
  lb_replay* const one[] = {&j->was, &j->is};
  const size_t n = (size_t)j->what->ntrack;
  j->deviation = calloc(REPLAYS * n, sizeof *j->deviation);
  if (!j->deviation) {
    return lb_error_add(&j->err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
  }
  for (size_t i = 0; i < REPLAYS; i++) {
    lb_replay* r = i < 2                       ? one[i]
                   : i < 2 + LB_BASELINE_COUNT ? &j->baseline[i - 2]
                                               : &j->perturbed[i - 2 - LB_BASELINE_COUNT];
    r->track = j->deviation + i * n;
  }
  j->was.name = "before";
  j->is.name = "after";
  return LB_OK;
}

static lb_simulate_options run_options(job* j, bool watched) {
  lb_simulate_options o = lb_simulate_default();
  o.step = j->a->step;
  o.threads = j->a->threads;
  o.progress = watched ? meter_progress(&j->meter) : (lb_progress){0};
  return o;
}

static lb_retarget_options search_options(job* j) {
  lb_retarget_options o = lb_retarget_default();
  o.step = j->a->step;
  o.threads = j->a->threads;
  o.memory = j->a->memory;
  o.context = j;
  return o;
}

// What is asked for: everything that can be wrong with it is told before anything long is done.
static lb_status prepare(job* j, const lb_scene* scene) {
  lb_status status = lb_retarget_create(j->model, &scene->retarget, NULL, &j->what, &j->err);
  if (status == LB_OK) {
    status = lb_curves_fit(j->model, j->what, NULL, &j->input, &j->err);
  }
  if (status == LB_OK) {
    const lb_retarget_options o = search_options(j);
    status = lb_retarget_check(j->model, j->what, j->input, &o, &j->err);
  }
  if (status == LB_OK) {
    status = hand_out(j);
  }
  lb_recording** const recording[] = {&j->target, &j->before, &j->after};
  for (int i = 0; i < 3 && status == LB_OK; i++) {
    status = lb_recording_create(j->model, 0, NULL, recording[i], &j->err);
  }
  return status;
}

// Target and the motion as it was.
static lb_status look_around(job* j) {
  lb_simulate_options o = run_options(j, true);
  lb_status status = lb_targets_quasistatic(j->model, j->what, &o, j->target, &j->targets, &j->err);
  if (status == LB_OK) {
    status =
        lb_replay_run(j->model, j->what, NULL, j->target, &o, j->before, NULL, &j->was, &j->err);
  }
  if (status == LB_OK) {
    status = lb_retarget_state_create(j->input, NULL, &j->state, &j->err);
  }
  if (status == LB_OK) {
    j->key = lb_search_key(j->model, j->what, j->input, j->targets, j->a->step);
    bool found = true;
    j->state->method = j->a->method;
    if (j->a->resume) {
      status = lb_search_load(j->a->out, j->key, j->state, &j->history, &found, &j->err);
    }
    if (!found) {
      tell_warning("there is no search to go on with in %s: it begins anew", j->a->out);
    }
  }
  return status;
}

// --- the search ---

static void keep_state(job* j, const lb_retarget_state* state) {
  lb_error err = lb_error_make(NULL);
  j->kept = lb_search_save(j->a->out, j->key, state, &j->history, &err) == LB_OK;
  if (!j->kept && !j->told) {
    meter_end(&j->meter);
    tell_errors(&err);
    tell_warning("the search goes on, but could not be resumed if it were stopped");
    j->told = true;
  }
  lb_error_clear(&err);
}

static bool news(void* context, const lb_retarget_news* n, const lb_retarget_state* state) {
  job* j = context;
  char left[48] = "some time";
  if (isfinite(n->left)) {
    duration_text(n->left, left, sizeof left);
  }
  if (j->history.count <= n->iteration) {   // else it was told before it was stopped
    lb_search_note(&j->history, &n->value); // without memory for it the plot is shorter
  }
  keep_state(j, state);
  meter_say(&j->meter,
            "iteration %d: objective %.3g, gradient %.1e, peak %.3g mm (was %.3g mm), %s left",
            n->iteration, n->value.objective, n->gradient, 1e3 * n->value.peak,
            1e3 * j->was.all.peak, left);
  return !interrupted();
}

// Nobody draws a bar within an iteration, but Ctrl-C is heard.
static bool listen(void* context, double fraction, const char* what) {
  (void)context;
  (void)fraction;
  (void)what;
  return !interrupted();
}

static lb_status search(job* j) {
  lb_retarget_options o = search_options(j);
  lb_retarget_value value;
  o.method = j->a->method;
  o.news = news;
  o.progress = (lb_progress){.report = listen};
  if (j->state->done) {
    return LB_OK;
  }
  const lb_status status =
      lb_retarget_run(j->model, j->what, j->input, j->targets, &o, j->state, &value, &j->err);
  if (status == LB_OK) {
    keep_state(j, j->state);
  }
  return status;
}

// --- comparisons ---

typedef struct side {
  job* j;
  lb_vibration mode[2];
  lb_status status[REPLAYS];
  lb_error err[REPLAYS];
} side;

static void play_baseline(void* context, int i) {
  side* s = context;
  job* j = s->j;
  lb_curves* c = NULL;
  lb_simulate_options o = run_options(j, false);
  o.threads = 1;
  s->err[i] = lb_error_make(NULL);
  j->baseline[i].name = lb_baseline_name((lb_baseline)i);
  j->baseline[i].words = lb_baseline_words((lb_baseline)i);
  s->status[i] =
      lb_baseline_curves(j->model, j->what, (lb_baseline)i, s->mode, NULL, &c, &s->err[i]);
  if (s->status[i] == LB_OK) {
    s->status[i] =
        lb_replay_run(j->model, j->what, c, j->target, &o, NULL, NULL, &j->baseline[i], &s->err[i]);
  }
  lb_curves_release(c);
}

static void play_perturbed(void* context, int i) {
  side* s = context;
  job* j = s->j;
  lb_simulate_options o = run_options(j, false);
  o.threads = 1;
  s->err[i] = lb_error_make(NULL);
  s->status[i] = lb_replay_perturbed(i, j->model, j->what, j->state->curves, j->target, &o,
                                     &j->perturbed[i], &s->err[i]);
}

// All of one kind side by side; the first that failed.
static lb_status play_all(side* s, int count, void (*play)(void*, int)) {
  lb_status first = LB_OK;
  lb_parallel_for(s->j->a->threads, count, play, s);
  for (int i = 0; i < count; i++) {
    if (s->status[i] != LB_OK && first == LB_OK) {
      first = s->status[i];
      for (int k = 0; k < s->err[i].count; k++) {
        lb_error_add(&s->j->err, first, s->err[i].message[k].place, "%s",
                     s->err[i].message[k].text);
      }
    }
    lb_error_clear(&s->err[i]);
  }
  return first;
}

static lb_status compare(job* j, int* nbaseline, int* nperturbed) {
  side s = {.j = j};
  lb_status status = LB_OK;
  if (j->a->baseline) {
    status = lb_modes_to_shape(j->model, NULL, s.mode, &j->err);
    if (status == LB_OK) {
      status = play_all(&s, LB_BASELINE_COUNT, play_baseline);
    }
    *nbaseline = status == LB_OK ? LB_BASELINE_COUNT : 0;
  }
  if (j->a->perturb && status == LB_OK) {
    status = play_all(&s, LB_PERTURBATION_COUNT, play_perturbed);
    *nperturbed = status == LB_OK ? LB_PERTURBATION_COUNT : 0;
  }
  return status;
}

// --- results ---

// Torques of motors that have limits, of the input too: it may need more.
static void print_torques(const lb_retarget_result* r) {
  for (int i = 0; i < r->what->nmotor; i++) {
    const int motor = r->what->motor[i];
    if (isfinite(r->what->limit[i].torque)) {
      printf("  torque of motor '%s': %.4g, may be %.4g; the input needs %.4g\n",
             r->model->motor_name[motor], lb_recording_peak_torque(r->after, motor),
             r->what->limit[i].torque, lb_recording_peak_torque(r->before, motor));
    }
  }
}

// The search goes by all steps, of which recordings show some.
static void warn_of_torques(const lb_retarget_result* r) {
  const double most = r->nhistory > 0 ? r->history[r->nhistory - 1].torque : 0;
  if (most > LB_TORQUE_KEPT) {
    tell_warning("limits of torques could not be kept: %.3g times as much is needed (raise them, "
                 "or slow the motion down)",
                 most);
  }
}

static void print_results(const lb_retarget_result* r, const lb_summary* s, const char* dir) {
  char wall[48];
  printf("%s%s%s: peak deviation %.3g mm, was %.3g mm: %.1f times less; %d iterations in %s\n",
         style_bold(stdout), r->model->name, style_off(stdout), 1e3 * r->is.all.peak,
         1e3 * r->was.all.peak, r->was.all.peak / r->is.all.peak, r->niteration,
         duration_text(s->wall_seconds, wall, sizeof wall));
  deviations_head();
  deviations_row(&r->was);
  for (int i = 0; i < r->nbaseline; i++) {
    deviations_row(&r->baseline[i]);
  }
  printf("%s", style_bold(stdout));
  deviations_row(&r->is);
  printf("%s", style_off(stdout));
  for (int i = 0; i < r->nperturbed; i++) {
    deviations_row(&r->perturbed[i]);
  }
  print_torques(r);
  printf("  results  %s/profiles.csv    what to send to the motors\n", dir);
  printf("           %s/profiles.yaml   the same as splines, to put into the scene\n", dir);
  printf("           %s/report.html     before and after: open it in a browser\n", dir);
  printf("           %s/summary.json    these figures, for programs\n", dir);
  printf("           %s/scene.glb, %s/{target,before,after}.csv  the motions\n", dir, dir);
}

// Write everything, and say so. A search that was stopped is shown as far as it came.
static lb_status finish(job* j, lb_status outcome) {
  lb_retarget_result r = {.model = j->model,
                          .what = j->what,
                          .input = j->input,
                          .curves = j->state->curves,
                          .target = j->target,
                          .before = j->before,
                          .after = j->after,
                          .baseline = j->baseline,
                          .perturbed = j->perturbed,
                          .niteration = j->state->iteration,
                          .nhistory = j->history.count,
                          .history = j->history.value,
                          .rate = j->a->rate,
                          .done = outcome == LB_OK};
  const lb_simulate_options o = run_options(j, false);
  lb_status status = lb_replay_run(j->model, j->what, j->state->curves, j->target, &o, j->after,
                                   &j->summary, &j->is, &j->err);
  if (status == LB_OK && outcome == LB_OK) {
    status = compare(j, &r.nbaseline, &r.nperturbed);
  }
  r.was = j->was;
  r.is = j->is;
  j->summary.job = "retarget";
  j->summary.interrupted = outcome == LB_INTERRUPTED;
  j->summary.wall_seconds = clock_now() - j->start;
  j->summary.threads = j->a->threads;
  j->summary.retarget = &r;
  if (j->after->nframe > 0 && j->is.track) {
    const lb_status written = lb_recording_write(j->after, &j->summary, j->a->out, &j->err);
    status = status == LB_OK ? written : status;
  }
  meter_end(&j->meter);
  if (status == LB_OK && outcome == LB_OK && !j->a->quiet) {
    print_results(&r, &j->summary, j->a->out);
  }
  if (status == LB_OK && outcome == LB_OK) {
    warn_of_torques(&r);
  }
  return status;
}

// Results could not be written: see to it that what was found can be had without searching again.
static void rescue(job* j) {
  const char* tmp = getenv("TMPDIR");
  char dir[4096];
  lb_error err = lb_error_make(NULL);
  if (!j->kept) {
    keep_state(j, j->state);
  }
  if (j->kept) {
    tell_warning("nothing is lost: when %s can be written again, the same command with --resume "
                 "writes the rest without a new search",
                 j->a->out);
    return;
  }
  snprintf(dir, sizeof dir, "%s/limber-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (mkdtemp(dir) && lb_search_save(dir, j->key, j->state, &j->history, &err) == LB_OK) {
    tell_warning("nothing is lost: put %s/retarget.state into a folder that can be written, and "
                 "--out of that folder with --resume writes the results without a new search",
                 dir);
  } else {
    tell_warning("the search could not be kept in %s either, and has to be done again", dir);
  }
  lb_error_clear(&err);
}

static lb_status run_job(job* j) {
  lb_status status = look_around(j);
  if (status != LB_OK) {
    return status;
  }
  const lb_status outcome = search(j);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    return outcome;
  }
  lb_error_clear(&j->err); // that it was interrupted is said below
  status = finish(j, outcome);
  if (status == LB_OK && outcome == LB_INTERRUPTED) {
    fprintf(stderr,
            "Interrupted after %d iterations. The best so far is in %s; --resume goes on from "
            "there.\n",
            j->state->iteration, j->a->out);
  }
  if (status == LB_IO) {
    meter_end(&j->meter);
    tell_errors(&j->err);
    lb_error_clear(&j->err);
    rescue(j);
  }
  return status == LB_OK ? outcome : status;
}

static void drop(job* j) {
  lb_retarget_state_release(j->state);
  lb_targets_release(j->targets);
  lb_recording_release(j->target);
  lb_recording_release(j->before);
  lb_recording_release(j->after);
  lb_curves_release(j->input);
  lb_retarget_release(j->what);
  lb_release(NULL, j->history.value);
  free(j->deviation);
  lb_error_clear(&j->err);
}

static exit_code run_model(const lb_model* model, const lb_scene* scene, const retarget_args* a) {
  job j = {.a = a, .model = model, .start = clock_now(), .err = lb_error_make(NULL)};
  lb_status status = prepare(&j, scene);
  exit_code code = EXIT_DONE;
  if (status == LB_OK) {
    interrupt_listen(); // from here on there is something to keep
    j.meter = meter_start(a->quiet);
    if (outdir_prepare(a->out)) {
      status = run_job(&j);
      meter_end(&j.meter);
    } else {
      code = EXIT_INPUT;
    }
  }
  if (status != LB_OK && j.err.count > 0) {
    tell_errors(&j.err);
  }
  drop(&j);
  return code == EXIT_DONE ? exit_code_of(status) : code;
}

static exit_code retarget_scene(lb_scene* scene, void* args, char** plain) {
  lb_model* model = NULL;
  (void)plain;
  scene->solver.elastic = LB_SPACE_REDUCED; // many runs want a fast model
  exit_code code = load_model(scene, &model);
  if (code == EXIT_DONE) {
    code = run_model(model, scene, args);
  }
  lb_model_release(model);
  return code;
}

static exit_code run(const verb* v, int narg, char** args) {
  retarget_args a = {.rate = 1000, .step = NAN, .threads = 1};
  return run_scene(v, narg, args, &a, &a.out, retarget_scene);
}

const verb verb_retarget = {
    .name = "retarget",
    .usage = "SCENE [--out DIR] [--baseline] [--perturb] [--resume]",
    .summary = "change motor curves until a flexible character does as it was meant to",
    .about = "Plays the scene's motors infinitely slowly, which shows what its author meant, and\n"
             "then changes their curves until the bodies named under 'retarget' in the scene do\n"
             "the same at full speed, without shaking. Writes into the folder DIR:\n"
             "  profiles.csv    what to send to the motors, at --rate samples a second\n"
             "  profiles.yaml   the same as splines, to put into the scene\n"
             "  report.html     before and after: open it in a browser\n"
             "  summary.json    the figures, for programs\n"
             "  scene.glb       target, before and after in one world, for Blender and others\n"
             "  target.csv, before.csv, after.csv   the motions, for spreadsheets\n"
             "Ctrl-C stops the search and keeps the best so far; so does a kill at any moment.\n"
             "--resume goes on and ends with the same curves as if nothing had happened.",
    .example = "  limber retarget scenes/rod.yaml --out out/rod --baseline --perturb",
    .exits = "  0    done\n"
             "  1    the scene cannot be run, or has no pose at rest; the message says why\n"
             "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
             "  130  interrupted; the best so far is in DIR",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = run,
};
