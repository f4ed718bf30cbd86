// limber simulate: runs a scene and writes what happened.
#include <math.h>
#include <stdio.h>

#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/job.h"

typedef struct simulate_args {
  const char* out;
  const char* basis;
  const char* parameters;
  double duration, step;
  int threads;
  bool full, quiet;
} simulate_args;

static const option options[] = {
    {"--out", "-o", "DIR", parse_text, offsetof(simulate_args, out),
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
    {"--duration", NULL, "S", parse_seconds, offsetof(simulate_args, duration),
     "seconds of motion to simulate, or a time such as 2min (default: as the scene says)"},
    {"--step", NULL, "S", parse_seconds, offsetof(simulate_args, step),
     "time step in seconds, or such as 2ms (default: as the scene says)"},
    {"--threads", NULL, "N", parse_threads, offsetof(simulate_args, threads),
     "threads to compute with; the results are the same for any N (default: 1)"},
    {"--full", NULL, NULL, NULL, offsetof(simulate_args, full),
     "let every node of the elastic bodies' meshes move, not only a few shapes: slow and exact"},
    {"--basis", NULL, "DIR", parse_text, offsetof(simulate_args, basis),
     "take elastic bodies from the files that 'limber reduce' left in this folder"},
    {"--parameters", NULL, "FILE", parse_text, offsetof(simulate_args, parameters),
     "put the numbers of a parameters.csv that 'limber optimize' left into the scene"},
    {"--quiet", "-q", NULL, NULL, offsetof(simulate_args, quiet),
     "say nothing unless something is wrong"},
};

static void print_results(const lb_section* section, int count, const char* dir) {
  const char* lead = "results";
  for (int i = 0; i < count; i++) {
    const lb_section* s = &section[i];
    if (s->kind == LB_SECTION_TITLE) {
      printf("%s%s%s: %s\n", style_bold(stdout), s->name, style_off(stdout), s->text);
    } else if (s->kind == LB_SECTION_FIGURE) {
      printf("  %-8s %s\n", s->name, s->text);
    } else if (s->kind == LB_SECTION_FILE) {
      printf("  %-8s %s/%-15s %s\n", lead, dir, s->name, s->text);
      lead = "";
    }
  }
}

static void print_warnings(const lb_section* section, int count) {
  for (int i = 0; i < count; i++) {
    if (section[i].kind == LB_SECTION_WARNING) {
      tell_warning("%s", section[i].text);
    }
  }
}

// How much of a run that did not come to its end is kept.
static void print_rest(const lb_recording* recording, lb_status outcome, const char* dir) {
  char text[48];
  const char* lead = outcome == LB_INTERRUPTED ? "Interrupted. " : "";
  if (recording->nframe == 1) {
    fprintf(stderr, "%sOnly the start is kept in %s.\n", lead, dir);
  } else {
    fprintf(stderr, "%sThe first %s are kept in %s.\n", lead,
            duration_text(recording->time[recording->nframe - 1], text, sizeof text), dir);
  }
}

// Keep what there is, and say so; an outcome other than success was told before.
static exit_code keep(lb_job* job, lb_status outcome, const simulate_args* a) {
  const exit_code code = exit_code_of(outcome);
  const lb_recording* recording = lb_job_recording(job);
  int count = 0;
  const lb_section* section = lb_job_sections(job, &count);
  print_warnings(section, count);
  if (!recording || recording->nframe == 0) {
    fprintf(stderr, "Nothing was kept: it ended before the first frame.\n");
    return code;
  }
  lb_error err = lb_error_make(NULL);
  const lb_status written = lb_job_write(job, &err);
  if (written != LB_OK) {
    tell_errors(&err);
  } else if (outcome != LB_OK) {
    print_rest(recording, outcome, a->out);
  } else if (!a->quiet) {
    print_results(section, count, a->out);
  }
  lb_error_clear(&err);
  return written == LB_OK || code != EXIT_DONE ? code : EXIT_JOB;
}

static exit_code run_and_keep(lb_job* job, meter* m, const simulate_args* a) {
  lb_error err = lb_error_make(NULL);
  const lb_status outcome = lb_job_run(job, &err);
  meter_end(m);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    tell_errors(&err);
  }
  lb_error_clear(&err);
  return keep(job, outcome, a);
}

static exit_code simulate(const char* scene, const simulate_args* a) {
  lb_error err = lb_error_make(NULL);
  lb_job* job = NULL;
  meter m = meter_start(a->quiet);
  lb_job_options o = lb_job_default();
  o.scene = scene;
  o.basis = a->basis;
  o.parameters = a->parameters;
  o.out = a->out;
  o.full = a->full;
  o.duration = a->duration;
  o.step = a->step;
  o.threads = a->threads;
  o.progress = meter_progress(&m);
  lb_status status = lb_job_create(&o, NULL, &job, &err);
  status = status == LB_OK ? lb_job_load(job, &err) : status;
  if (status != LB_OK) {
    tell_errors(&err);
  }
  exit_code code = status == LB_IO ? EXIT_INPUT : exit_code_of(status);
  if (code == EXIT_DONE) {
    interrupt_listen(); // from here on there is something to keep
    m = meter_start(a->quiet);
    code = outdir_prepare(a->out) ? run_and_keep(job, &m, a) : EXIT_INPUT;
  }
  lb_job_release(job);
  lb_error_clear(&err);
  return code;
}

static exit_code run(const verb* v, int narg, char** args) {
  simulate_args a = {.duration = NAN, .step = NAN, .threads = lb_job_default().threads};
  char folder[4096];
  int nplain = 0;
  exit_code code = EXIT_DONE;
  if (!verb_parse(v, narg, args, &a, &nplain, &code)) {
    return code;
  }
  if (!a.out) {
    outdir_default(args[0], folder, sizeof folder);
    a.out = folder;
  }
  return simulate(args[0], &a);
}

const verb verb_simulate = {
    .name = "simulate",
    .usage = "SCENE [--out DIR] [--duration S] [--step S] [--threads N] [--full]",
    .summary = "run a scene and write numbers, an animation and a report",
    .about =
        "Runs the scene from its start (from standard input when SCENE is -) and writes into the "
        "folder DIR:\n"
        "  report.html     the motion, plots of energy and joints, settings: open it in a browser\n"
        "  scene.glb       the animated world, for Blender and any glTF viewer\n"
        "  trajectory.csv  time, position and quaternion of each body, joint coordinates,\n"
        "                  forces of motors\n"
        "  summary.json    the figures of the run, for programs\n"
        "The same scene gives the same trajectory.csv, byte for byte, however often it runs and\n"
        "with however many threads. Ctrl-C stops a long run and keeps what was done.",
    .example = "  limber simulate scenes/double-pendulum.yaml --out out/pendulum --duration 5",
    .exits = "  0    done\n"
             "  1    the simulation failed; the message says why and what was kept\n"
             "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
             "  130  interrupted; what was done so far is in DIR",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = run,
};
