// limber replay: plays the curves that retargeting found, beside those they were made of. With all
// nodes moving this tells whether they do as well as the search believed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/deviations.h"
#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"

typedef struct replay_args {
  const char *from, *out;
  double duration, step, rate;
  int threads;
  bool full;
  bool quiet;
} replay_args;

static const option options[] = {
    {"--from", NULL, "DIR", parse_text, offsetof(replay_args, from),
     "folder of 'limber retarget' with the curves, in profiles.yaml (default: out/NAME)"},
    {"--full", NULL, NULL, NULL, offsetof(replay_args, full),
     "let every node of the elastic bodies' meshes move, not only a few shapes: slow and exact"},
    {"--out", "-o", "DIR", parse_text, offsetof(replay_args, out),
     "folder for the results, made if missing (default: 'replay' or 'full' in that folder)"},
    {"--duration", NULL, "S", parse_seconds, offsetof(replay_args, duration),
     "seconds of motion to play, from its start (default: as the scene says)"},
    {"--step", NULL, "S", parse_seconds, offsetof(replay_args, step),
     "time step in seconds, or such as 2ms (default: as the scene says)"},
    {"--rate", NULL, "HZ", parse_rate, offsetof(replay_args, rate),
     "samples a second of profiles.csv (default: 1000)"},
    {"--threads", NULL, "N", parse_threads, offsetof(replay_args, threads),
     "threads to use; the results are the same for any N (default: 1)"},
    {"--quiet", "-q", NULL, NULL, offsetof(replay_args, quiet),
     "say nothing unless something is wrong"},
};

// One scene twice: with its own motors and with those of the search; and as the search saw it, in a
// basis, which is where its target comes from.
typedef struct job {
  const replay_args* a;
  lb_scene scene, found;
  lb_model *model, *reduced;
  lb_retarget* what;
  lb_curves *input, *curves;
  lb_recording *target, *before, *after;
  lb_replay was, is;
  lb_summary summary; // of the run with the new curves
  meter meter;
  double done; // of all that is to be played, when the present run began
  double start;
  lb_error err;
} job;

// --- what to play ---

// The scene, and the same with the motors of the search.
static lb_status load(job* j, const char* path) {
  if (strcmp(path, "-") == 0) {
    return lb_error_add(&j->err, LB_INVALID, (lb_place){0},
                        "the scene is read twice, which standard input cannot be: name a file");
  }
  const size_t size = strlen(j->a->from) + sizeof "/profiles.yaml";
  char* motors = malloc(size);
  if (!motors) {
    return lb_error_add(&j->err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
  }
  snprintf(motors, size, "%s/profiles.yaml", j->a->from);
  lb_status status = lb_scene_read(path, NULL, &j->scene, &j->err);
  if (status == LB_OK) {
    status = lb_scene_read_playing(path, motors, NULL, &j->found, &j->err);
  }
  free(motors);
  return status;
}

// The model in a basis first: what is wrong with the scene is then told soon.
static lb_status compile(job* j) {
  const lb_space asked = j->a->full ? LB_SPACE_FULL : j->scene.solver.elastic;
  j->scene.solver.elastic = LB_SPACE_REDUCED;
  lb_status status = lb_model_create(&j->scene, NULL, &j->reduced, &j->err);
  j->scene.solver.elastic = asked;
  if (status == LB_OK) {
    status = lb_model_create(&j->scene, NULL, &j->model, &j->err);
  }
  return status;
}

static lb_status prepare(job* j) {
  lb_status status = lb_retarget_create(j->reduced, &j->scene.retarget, NULL, &j->what, &j->err);
  if (status == LB_OK) {
    status = lb_curves_fit(j->reduced, j->what, NULL, &j->input, &j->err);
  }
  if (status == LB_OK) {
    status = lb_curves_of_scene(&j->found, j->what, NULL, &j->curves, &j->err);
  }
  const struct {
    const lb_model* model;
    lb_recording** recording;
  } made[] = {{j->reduced, &j->target}, {j->model, &j->before}, {j->model, &j->after}};
  for (int i = 0; i < 3 && status == LB_OK; i++) {
    status = lb_recording_create(made[i].model, 0, NULL, made[i].recording, &j->err);
  }
  if (status == LB_OK) {
    const size_t n = (size_t)j->what->ntrack;
    j->was = (lb_replay){.name = "before", .track = calloc(2 * n, sizeof(lb_deviation))};
    j->is = (lb_replay){.name = "after", .track = j->was.track + n};
    status =
        j->was.track ? LB_OK : lb_error_add(&j->err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
  }
  return status;
}

// --- playing ---

// A bar for both runs, which take about the same time.
static bool show(void* context, double fraction, const char* what) {
  job* j = context;
  const lb_progress bar = meter_progress(&j->meter);
  return lb_progress_report(&bar, j->done + fraction / 2, what);
}

// The new curves come first: they are what one waits for.
static lb_status play(job* j) {
  lb_simulate_options o = lb_simulate_default();
  o.duration = j->a->duration;
  o.step = j->a->step;
  o.threads = j->a->threads;
  o.progress = meter_progress(&j->meter);
  lb_status status = lb_quasistatic_motion(j->reduced, &o, j->target, &j->err);
  o.progress = (lb_progress){.report = show, .context = j};
  if (status == LB_OK) {
    status = lb_replay_run(j->model, j->what, j->curves, j->target, &o, j->after, &j->summary,
                           &j->is, &j->err);
  }
  if (status == LB_OK) {
    j->done = 0.5;
    status =
        lb_replay_run(j->model, j->what, NULL, j->target, &o, j->before, NULL, &j->was, &j->err);
  }
  return status;
}

// --- results ---

static void print_results(const job* j) {
  char wall[48], motion[48];
  const bool both = j->before->nframe > 0;
  printf("%s%s%s: ", style_bold(stdout), j->model->name, style_off(stdout));
  if (both) {
    printf("peak deviation %.3g mm, was %.3g mm: %.1f times less; ", 1e3 * j->is.all.peak,
           1e3 * j->was.all.peak, j->was.all.peak / j->is.all.peak);
  }
  printf("%s of motion%s in %s\n",
         duration_text(j->after->time[j->after->nframe - 1], motion, sizeof motion),
         j->model->full ? ", all nodes moving," : "",
         duration_text(clock_now() - j->start, wall, sizeof wall));
  deviations_head();
  if (both) {
    deviations_row(&j->was);
  }
  deviations_row(&j->is);
  printf("  results  %s/report.html     before and after: open it in a browser\n", j->a->out);
  printf("           %s/summary.json    these figures, for programs\n", j->a->out);
}

// All three motions, as far as all of them go; the new one also alone, as far as it goes.
static lb_status keep(job* j, lb_status outcome) {
  lb_recording shown[] = {*j->target, *j->before, *j->after};
  int n = j->target->nframe;
  for (int i = 0; i < 3; i++) {
    n = shown[i].nframe < n ? shown[i].nframe : n;
  }
  for (int i = 0; i < 3; i++) {
    shown[i].nframe = n;
  }
  const lb_retarget_result r = {.model = j->model,
                                .what = j->what,
                                .input = j->input,
                                .curves = j->curves,
                                .target = &shown[0],
                                .before = &shown[1],
                                .after = &shown[2],
                                .was = j->was,
                                .is = j->is,
                                .rate = j->a->rate,
                                .done = outcome == LB_OK};
  lb_summary s = j->summary;
  s.job = "replay";
  s.interrupted = outcome == LB_INTERRUPTED;
  s.wall_seconds = clock_now() - j->start;
  s.threads = j->a->threads;
  s.retarget = n > 0 ? &r : NULL;
  return lb_recording_write(j->after, &s, j->a->out, &j->err);
}

static lb_status run_job(job* j) {
  const lb_status outcome = play(j);
  meter_end(&j->meter);
  if (outcome != LB_OK) {
    tell_errors(&j->err);
    lb_error_clear(&j->err);
  }
  if (j->after->nframe == 0) {
    fprintf(stderr, "Nothing was kept: it ended before the first frame.\n");
    return outcome;
  }
  const lb_status written = keep(j, outcome);
  if (written == LB_OK && (outcome != LB_OK || !j->a->quiet)) {
    print_results(j);
  }
  if (written == LB_OK && outcome != LB_OK) {
    fprintf(stderr, "It did not come to its end: the figures are of what was played.\n");
  }
  return outcome == LB_OK ? written : outcome;
}

static void drop(job* j) {
  lb_recording_release(j->target);
  lb_recording_release(j->before);
  lb_recording_release(j->after);
  lb_curves_release(j->input);
  lb_curves_release(j->curves);
  lb_retarget_release(j->what);
  lb_model_release(j->model);
  lb_model_release(j->reduced);
  lb_scene_release(&j->scene);
  lb_scene_release(&j->found);
  free(j->was.track);
  lb_error_clear(&j->err);
}

// What a file or the scene does wrong is bad input, unreadable files too.
static exit_code replay(job* j, const char* path) {
  lb_status status = load(j, path);
  status = status == LB_OK ? compile(j) : status;
  status = status == LB_OK ? prepare(j) : status;
  exit_code code = status == LB_OK || status == LB_NO_MEMORY ? exit_code_of(status) : EXIT_INPUT;
  if (code == EXIT_DONE) {
    interrupt_listen(); // from here on there is something to keep
    j->meter = meter_start(j->a->quiet);
    code = outdir_prepare(j->a->out) ? exit_code_of(run_job(j)) : EXIT_INPUT;
  }
  if (j->err.count > 0) {
    tell_errors(&j->err);
  }
  return code;
}

static exit_code run(const verb* v, int narg, char** args) {
  replay_args a = {.duration = NAN, .step = NAN, .rate = 1000, .threads = 1};
  char from[4096], out[4104];
  int nplain = 0;
  exit_code code = EXIT_DONE;
  if (!verb_parse(v, narg, args, &a, &nplain, &code)) {
    return code;
  }
  if (!a.from) {
    outdir_default(args[0], from, sizeof from);
    a.from = from;
  }
  if (!a.out) {
    const int length = snprintf(out, sizeof out, "%s/%s", a.from, a.full ? "full" : "replay");
    if (length >= (int)sizeof out) {
      tell_error("the name of the folder is too long; choose one for the results with --out");
      return EXIT_INPUT;
    }
    a.out = out;
  }
  job j = {.a = &a, .start = clock_now(), .err = lb_error_make(NULL)};
  j.scene = j.found = lb_scene_default();
  code = replay(&j, args[0]);
  drop(&j);
  return code;
}

const verb verb_replay = {
    .name = "replay",
    .usage = "SCENE [--from DIR] [--full] [--out DIR]",
    .summary = "play retargeted curves again, with every node moving if asked to",
    .about =
        "Plays the curves that 'limber retarget' left in a folder, and the scene's own beside\n"
        "them, and tells how far both are from the target. With --full every node of the elastic\n"
        "bodies moves, which shows whether the result holds without the simplifications that the\n"
        "search made. A scene that was changed since, to how its robot was measured, say, shows\n"
        "what the curves do there. Writes the files of 'limber retarget' into the folder --out.\n"
        "Ctrl-C stops it and keeps what was played.",
    .example = "  limber retarget scenes/rod.yaml --out out/rod\n"
               "  limber replay scenes/rod.yaml --from out/rod --full",
    .exits = "  0    done\n"
             "  1    the scene cannot be run, or has no pose at rest; the message says why\n"
             "  2    a mistake in a file or on the command line, or DIR cannot be written\n"
             "  130  interrupted; what was played is in the folder --out",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = run,
};
