// limber reduce: reduced models of a scene's elastic bodies, from a run with all their nodes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/reduce.h"
#include "solve/full/full_run.h"

typedef struct reduce_args {
  const char* out;
  lb_reduce_options o;
  bool keep, quiet;
} reduce_args;

static const char* parse_part(const char* text, void* target) {
  char* end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end || !(value > 0 && value < 1)) {
    return "a number between 0 and 1, such as 1e-6";
  }
  *(double*)target = value;
  return NULL;
}

static const char* parse_modes(const char* text, void* target) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < 1 || value > 200) {
    return "a whole number from 1 to 200";
  }
  *(int*)target = (int)value;
  return NULL;
}

static const char* parse_frames(const char* text, void* target) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < 10 || value > 100000) {
    return "a whole number from 10 to 100000";
  }
  *(int*)target = (int)value;
  return NULL;
}

static const option options[] = {
    {"--out", "-o", "DIR", parse_text, offsetof(reduce_args, out),
     "folder for the files, made if missing (default: out/NAME for NAME.yaml)"},
    {"--modes", NULL, "N", parse_modes, offsetof(reduce_args, o.modes),
     "coordinates of each elastic body (default: as many as it needs, at most 40)"},
    {"--missed", NULL, "E", parse_part, offsetof(reduce_args, o.missed),
     "the part of the displacements, by mass, that its shapes may lack (default: 1e-6)"},
    {"--from", NULL, "RUN", parse_text, offsetof(reduce_args, o.from),
     "folder with the full.npz of an earlier run, instead of running the scene again"},
    {"--keep", NULL, NULL, NULL, offsetof(reduce_args, keep),
     "write full.npz, the run with all nodes, for --from; also when Ctrl-C stops it"},
    {"--attachments", NULL, NULL, NULL, offsetof(reduce_args, o.attachments),
     "begin each basis with the shapes under forces and moments on its faces"},
    {"--frames", NULL, "N", parse_frames, offsetof(reduce_args, o.frames),
     "frames of the full run that are looked at, at most (default: 400)"},
    {"--duration", NULL, "S", parse_seconds, offsetof(reduce_args, o.duration),
     "seconds of motion to look at (default: as the scene says)"},
    {"--step", NULL, "S", parse_seconds, offsetof(reduce_args, o.step),
     "time step in seconds, or such as 2ms (default: as the scene says)"},
    {"--threads", NULL, "N", parse_threads, offsetof(reduce_args, o.threads),
     "threads to compute with; the results are the same for any N (default: 1)"},
    {"--quiet", "-q", NULL, NULL, offsetof(reduce_args, quiet),
     "say nothing unless something is wrong"},
};

static void print_bodies(const lb_reduction* r, const char* dir) {
  for (int i = 0; i < r->nbody; i++) {
    const lb_reduce_body* b = &r->body[i];
    printf("  %s/%s.npz\n", dir, b->name[0]);
    for (int k = 1; k < b->nbody; k++) {
      printf("%s%s", k > 1 ? ", " : "    also for ", b->name[k]);
    }
    printf("%s    %d of %d coordinates, %d points; %d snapshots, of which %.2g is outside its "
           "shapes (%.2g of motion not seen)\n",
           b->nbody > 1 ? "\n" : "", b->r, 3 * b->nodes, b->points, b->samples, b->missed,
           b->unseen);
  }
}

static void print_replays(const lb_reduction* r) {
  printf("  %-42s %11s %11s %11s %12s %9s\n", "", "coordinates", "face error", "rms", "bodies",
         "steps/s");
  if (r->full_seconds > 0) {
    printf("  %-42s %11d %11s %11s %12s %9.0f\n", "all nodes", r->degrees, "", "", "",
           r->full_steps_per_second);
  }
  for (int i = 0; i < LB_REPLAY_COUNT; i++) {
    const lb_reduce_replay* p = &r->replay[i];
    if (p->failed) {
      printf("  %-42s it did not come to its end\n", p->name);
    } else {
      printf("  %-42s %11d %9.3g %% %9.3g %% %9.3g mm %9.0f\n", p->name, p->coordinates,
             100 * p->face_error, 100 * p->face_rms, 1e3 * p->body_error, p->steps_per_second);
    }
  }
  printf("Face errors are over the amplitude of the face's vibration; bodies: farthest from their "
         "place in the full run.\n");
}

static void print_results(const lb_reduction* r, const char* dir) {
  char text[48];
  printf("%s%s%s: ", style_bold(stdout), r->scene, style_off(stdout));
  if (r->full_seconds > 0) {
    printf("a run with %d displacements took %s\n", r->degrees,
           duration_text(r->full_seconds, text, sizeof text));
  } else {
    printf("%d displacements, read\n", r->degrees);
  }
  print_bodies(r, dir);
  print_replays(r);
}

// What becomes of the full run, which may have taken hours.
typedef struct keeper {
  const reduce_args* a;
  lb_error err;
  lb_status status;
  double until; // time that is kept [s]
} keeper;

static void keep(void* context, const lb_full_run* run) {
  keeper* k = context;
  k->status = lb_full_run_write(run, k->a->out, NULL, &k->err);
  k->until = k->status == LB_OK ? run->time[run->nframe - 1] : 0;
}

static lb_status reduce_and_write(const lb_scene* scene, const lb_reduce_options* o,
                                  const reduce_args* a, meter* m) {
  lb_error err = lb_error_make(NULL);
  lb_reduction* reduction = NULL;
  lb_status status = lb_reduce(scene, o, NULL, &reduction, &err);
  meter_end(m);
  if (status == LB_OK) {
    status = lb_reduction_write(reduction, a->out, &err);
  }
  if (status == LB_OK && !a->quiet) {
    print_results(reduction, a->out);
  }
  if (status != LB_OK) {
    tell_errors(&err);
  }
  lb_reduction_release(reduction);
  lb_error_clear(&err);
  return status;
}

static exit_code reduce(const lb_scene* scene, const reduce_args* a) {
  keeper k = {.a = a, .err = lb_error_make(NULL)};
  meter m = meter_start(a->quiet);
  lb_reduce_options o = a->o;
  o.progress = meter_progress(&m);
  o.ran = a->keep ? keep : NULL;
  o.context = &k;
  const lb_status status = reduce_and_write(scene, &o, a, &m);
  if (k.status != LB_OK) {
    tell_errors(&k.err);
  } else if (status != LB_OK && k.until > 0) {
    char text[48];
    fprintf(stderr, "The first %s of the full run are kept in %s; '--from %s' uses them.\n",
            duration_text(k.until, text, sizeof text), a->out, a->out);
  }
  lb_error_clear(&k.err);
  return exit_code_of(status == LB_OK ? k.status : status);
}

static exit_code reduce_scene(lb_scene* scene, void* args, char** plain) {
  reduce_args* a = args;
  const lb_reduce_options standard = lb_reduce_default();
  (void)plain;
  // a number of shapes alone is just that; an accuracy alone takes as many as it needs
  a->o.missed = !isnan(a->o.missed) ? a->o.missed : a->o.modes ? 0 : standard.missed;
  a->o.modes = a->o.modes ? a->o.modes : standard.modes;
  interrupt_listen();
  return outdir_prepare(a->out) ? reduce(scene, a) : EXIT_INPUT;
}

static exit_code run(const verb* v, int narg, char** args) {
  reduce_args a = {.o = lb_reduce_default()};
  a.o.modes = 0;
  a.o.missed = NAN;
  return run_scene(v, narg, args, &a, &a.out, reduce_scene);
}

const verb verb_reduce = {
    .name = "reduce",
    .usage = "SCENE [--out DIR] [--modes N] [--missed E] [--from RUN]",
    .summary = "make small models of elastic bodies from a run with all their nodes",
    .about =
        "Runs the scene with every node of its elastic bodies' meshes moving, finds the shapes "
        "that\n"
        "matter in that motion (principal components, weighted by mass), and writes into DIR:\n"
        "  BODY.npz      a reduced model of each elastic body, one for bodies alike; numpy.load "
        "opens\n"
        "                it, and what is in it is written in its array 'readme'\n"
        "  summary.json  how well the scene replays with these models, and beside them with modes\n"
        "                of vibration and their derivatives, as many\n"
        "Use them with 'limber simulate SCENE --basis DIR', in this scene or another with the "
        "same\n"
        "bodies, or name a file in a scene: elastic: {..., basis: {file: BODY.npz}}.",
    .example = "  limber reduce scenes/rod.yaml --out out/rod-basis\n"
               "  limber simulate scenes/rod.yaml --basis out/rod-basis",
    .exits = "  0    done\n"
             "  1    the computation failed; the message says why\n"
             "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
             "  130  interrupted; with --keep, what was done of the full run is in DIR",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 1,
    .most = 1,
    .run = run,
};
