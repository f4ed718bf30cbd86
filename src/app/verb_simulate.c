// limber simulate: runs a scene and writes what happened.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/interrupt.h"
#include "app/load.h"
#include "app/outdir.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/optimize.h"
#include "limber/simulate.h"

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

// Elastic bodies from files, where some are asked for.
static exit_code take_bases(lb_scene* scene, const char* dir) {
  lb_error err = lb_error_make(NULL);
  const lb_status status = dir ? lb_scene_take_bases(scene, dir, &err) : LB_OK;
  if (status != LB_OK) {
    tell_errors(&err);
  }
  lb_error_clear(&err);
  return status == LB_IO ? EXIT_INPUT : exit_code_of(status);
}

// The model of a scene with the numbers of a search in it, where a file of them is given.
static exit_code load_with_parameters(lb_scene* scene, const char* path, lb_model** model) {
  if (!path) {
    return load_model(scene, model);
  }
  lb_error err = lb_error_make(NULL);
  lb_optimization* o = NULL;
  double* x = NULL;
  lb_status status = lb_optimization_create(scene, NULL, &o, &err);
  if (status == LB_OK) {
    x = calloc((size_t)o->nvalue, sizeof *x);
    status = x ? lb_optimization_read(o, path, x, &err)
               : lb_error_add(&err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
  }
  if (status == LB_OK) {
    status = lb_optimization_apply(o, x, scene, &err);
  }
  if (status != LB_OK) {
    tell_errors(&err);
  }
  const exit_code code = status == LB_OK   ? load_model(scene, model)
                         : status == LB_IO ? EXIT_INPUT
                                           : exit_code_of(status);
  lb_optimization_release(o); // the scene's new curves go with it
  free(x);
  lb_error_clear(&err);
  return code;
}

// A count for people, to three digits or so.
static const char* amount_text(double amount, char* out, size_t size) {
  if (amount >= 999500) {
    snprintf(out, size, "%.3g million", 1e-6 * amount);
  } else {
    snprintf(out, size, amount >= 100 ? "%.0f" : "%.3g", amount);
  }
  return out;
}

static void print_energy(const lb_summary* s) {
  static const double CONSERVED = 0.1; // beyond, as after impacts, the word would be wrong
  if (s->conservative && s->energy_drift < CONSERVED) {
    printf("  energy   conserved to %.2g of the largest kinetic energy\n", s->energy_drift);
  } else {
    printf("  energy   from %.4g J to %.4g J\n", s->energy_start, s->energy_end);
  }
}

static void print_results(const lb_model* model, const lb_recording* recording, const lb_summary* s,
                          const char* dir) {
  const double motion = recording->time[recording->nframe - 1];
  const double wall = fmax(s->wall_seconds, 1e-9);
  char motion_text[48], wall_text[48], step_text[48], rate_text[48];
  printf("%s%s%s: %s of motion in %s, %s times as fast as real time\n", style_bold(stdout),
         model->name, style_off(stdout), duration_text(motion, motion_text, sizeof motion_text),
         duration_text(wall, wall_text, sizeof wall_text),
         amount_text(motion / wall, rate_text, sizeof rate_text));
  const bool adaptive = model->solver.integrator == LB_INTEGRATOR_ADAPTIVE;
  printf("  steps    %ld (%s, %s%s), %s a second\n", s->steps,
         lb_integrator_name(model->solver.integrator), adaptive ? "at most " : "",
         duration_text(s->step, step_text, sizeof step_text),
         amount_text((double)s->steps / wall, rate_text, sizeof rate_text));
  if (model->full) {
    printf("  elastic  all nodes move: %s unknowns\n",
           amount_text(model->full->nv - model->full->ndense, rate_text, sizeof rate_text));
  }
  print_energy(s);
  const bool held = model->nloop || model->nrelation;
  if (held && model->solver.closing > 0) {
    printf("  gaps     up to %.2g (m or rad), which close at a pace\n", s->constraint_violation);
  } else if (held) {
    printf("  %s to %.2g (m or rad)\n",
           model->nguide || model->nrelation ? "constraints hold" : "loops    closed",
           s->constraint_violation);
  }
  printf("  results  %s/report.html     open it in a browser\n", dir);
  printf("           %s/scene.glb       the animation, for Blender and glTF viewers\n", dir);
  printf("           %s/trajectory.csv  poses and coordinates over time\n", dir);
  printf("           %s/summary.json    these figures, for programs\n", dir);
}

// What an author should know even when all else is well.
static void print_warnings(const lb_model* model, const lb_recording* recording,
                           const lb_summary* s) {
  tell_moved_start(model, &s->moved);
  tell_steep_friction(model, &s->steep, s->step);
  for (int j = 0; j < model->njoint; j++) {
    const lb_spline_exit e = lb_recording_spline_exit(recording, j);
    if (e.left) {
      tell_warning(
          "joint '%s' runs off its spline at t = %.4g s, up to coordinate %.4g where it is "
          "made for 0 to %g: what it does beyond the ends means little (give it 'limits')",
          model->joint_name[j], e.time, e.farthest, e.end);
    }
  }
  const lb_inversion* i = &s->inversion;
  if (i->frames) {
    tell_warning("elastic body '%s' is turned inside out at t = %.4g s, near (%.4g, %.4g, %.4g) of "
                 "its frame at rest, and in %d of %d frames: what it does there is not to be "
                 "trusted",
                 model->body_name[i->body], i->time, i->at.x, i->at.y, i->at.z, i->frames,
                 recording->nframe);
  }
  if (s->range_body && !isnan(s->range_left)) {
    tell_warning("body '%s' leaves the range that its basis was made for at t = %.4g s, up to %.3g "
                 "times; what it does then may be wrong (see 'limber reduce')",
                 s->range_body, s->range_left, s->range_used);
  }
}

// Write what there is, and say so; an outcome other than success was told before.
static exit_code keep(const lb_model* model, const lb_recording* recording,
                      const lb_summary* summary, lb_status outcome, const simulate_args* a) {
  const exit_code code = exit_code_of(outcome);
  if (recording->nframe == 0) {
    fprintf(stderr, "Nothing was kept: it ended before the first frame.\n");
    return code;
  }
  lb_error err = lb_error_make(NULL);
  const lb_status written = lb_recording_write(recording, summary, a->out, &err);
  if (written != LB_OK) {
    tell_errors(&err);
  } else if (outcome != LB_OK && recording->nframe == 1) {
    fprintf(stderr, "%sOnly the start is kept in %s.\n",
            outcome == LB_INTERRUPTED ? "Interrupted. " : "", a->out);
  } else if (outcome != LB_OK) {
    char text[48];
    fprintf(stderr, "%sThe first %s are kept in %s.\n",
            outcome == LB_INTERRUPTED ? "Interrupted. " : "",
            duration_text(recording->time[recording->nframe - 1], text, sizeof text), a->out);
  } else if (!a->quiet) {
    print_results(model, recording, summary, a->out);
  }
  lb_error_clear(&err);
  return written == LB_OK || code != EXIT_DONE ? code : EXIT_JOB;
}

static exit_code simulate(const lb_model* model, const simulate_args* a) {
  lb_error err = lb_error_make(NULL);
  lb_recording* recording = NULL;
  meter m = meter_start(a->quiet);
  lb_simulate_options o = lb_simulate_default();
  o.duration = a->duration;
  o.step = a->step;
  o.threads = a->threads;
  o.progress = meter_progress(&m);
  if (lb_recording_create(model, 0, NULL, &recording, &err) != LB_OK) {
    tell_errors(&err);
    lb_error_clear(&err);
    return EXIT_JOB;
  }
  lb_summary summary = {.job = "simulate"};
  const lb_status outcome = lb_simulate(model, &o, recording, &summary, &err);
  meter_end(&m);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    tell_errors(&err);
  }
  print_warnings(model, recording, &summary);
  const exit_code code = keep(model, recording, &summary, outcome, a);
  lb_recording_release(recording);
  lb_error_clear(&err);
  return code;
}

static exit_code simulate_scene(lb_scene* scene, void* args, char** plain) {
  const simulate_args* a = args;
  lb_model* model = NULL;
  (void)plain;
  scene->solver.elastic = a->full ? LB_SPACE_FULL : scene->solver.elastic;
  exit_code code = take_bases(scene, a->basis);
  code = code == EXIT_DONE ? load_with_parameters(scene, a->parameters, &model) : code;
  if (code == EXIT_DONE) {
    interrupt_listen(); // from here on there is something to keep
    code = outdir_prepare(a->out) ? simulate(model, a) : EXIT_INPUT;
    lb_model_release(model);
  }
  return code;
}

static exit_code run(const verb* v, int narg, char** args) {
  simulate_args a = {.duration = NAN, .step = NAN, .threads = lb_simulate_default().threads};
  return run_scene(v, narg, args, &a, &a.out, simulate_scene);
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
