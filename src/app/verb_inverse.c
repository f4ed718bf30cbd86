// limber inverse: the forces that a motion needs.
#include <math.h>

#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/scene_load.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/inverse.h"

typedef struct inverse_args {
  const char *out, *forces;
  double cutoff, force_cutoff, touch;
  bool quiet;
} inverse_args;

static const option options[] = {
    {"--out", "-o", "DIR", parse_text, offsetof(inverse_args, out),
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
    {"--forces", NULL, "FILE", parse_text, offsetof(inverse_args, forces),
     "table of measured forces on bodies, as from force plates"},
    {"--cutoff", NULL, "HZ", parse_frequency, offsetof(inverse_args, cutoff),
     "low-pass filter on the motion, without delay (default: none)"},
    {"--force-cutoff", NULL, "HZ", parse_frequency, offsetof(inverse_args, force_cutoff),
     "the same on the forces (default: none)"},
    {"--touch", NULL, "M", parse_length, offsetof(inverse_args, touch),
     "floors and limits that are nearer may push, in metres or radians (default: 0.1mm)"},
    {"--quiet", "-q", NULL, NULL, offsetof(inverse_args, quiet),
     "say nothing unless something is wrong"},
};

static void print_peak(const char* words, const lb_model* m, const lb_torque_peak* p) {
  if (p->joint >= 0) {
    printf("  %s %.4g N m or N, at joint '%s', t = %.4g s\n", words, p->value,
           m->joint_name[p->joint], p->time);
  }
}

static void print_results(const lb_model* m, const lb_recording* r, const lb_summary* s,
                          const char* dir) {
  printf("%s%s%s: forces at %d moments\n", style_bold(stdout), m->name, style_off(stdout),
         r->nframe);
  print_peak("largest ", m, &s->torque);
  print_peak("residual", m, &s->residual);
  if (m->nloop || m->ncoupling) {
    printf("  gaps     up to %.2g (m or rad) in loops and constraints\n", s->constraint_violation);
  }
  printf("  results  %s/inverse.csv     what each joint and motor exerts\n", dir);
  printf("           %s/reactions.csv   what passes through the joints\n", dir);
  printf("           %s/report.html     plots; open it in a browser\n", dir);
}

static exit_code finish(const lb_model* m, lb_recording* r, const lb_summary* s,
                        const inverse_args* a, lb_status outcome, lb_error* err) {
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    tell_errors(err);
    return exit_code_of(outcome);
  }
  lb_error unwritten = lb_error_make(NULL);
  const lb_status written = r->nframe ? lb_recording_write(r, s, a->out, &unwritten) : LB_OK;
  if (written != LB_OK) {
    tell_errors(&unwritten);
  } else if (outcome == LB_OK && !a->quiet) {
    print_results(m, r, s, a->out);
  }
  lb_error_clear(&unwritten);
  return outcome != LB_OK ? exit_code_of(outcome) : written == LB_OK ? EXIT_DONE : EXIT_JOB;
}

static exit_code inverse(const lb_model* m, const char* motion_path, const inverse_args* a) {
  lb_error err = lb_error_make(NULL);
  lb_joint_motion* motion = NULL;
  lb_outer_forces* forces = NULL;
  lb_recording* recording = NULL;
  lb_summary summary = {0};
  meter bar = meter_start(a->quiet);
  lb_inverse_options o = lb_inverse_default();
  o.cutoff = a->cutoff;
  o.force_cutoff = a->force_cutoff;
  o.touch = a->touch;
  o.progress = meter_progress(&bar);
  lb_status status = lb_joint_motion_read(motion_path, m, NULL, &motion, &err);
  if (a->forces) {
    const lb_status one = lb_outer_forces_read(a->forces, m, NULL, &forces, &err);
    status = status == LB_OK ? one : status;
  }
  exit_code code = status == LB_IO ? EXIT_INPUT : exit_code_of(status);
  if (status == LB_OK) {
    o.forces = forces;
    status = lb_recording_create(m, motion->nsample, NULL, &recording, &err);
    code = EXIT_JOB;
  }
  if (status == LB_OK) {
    status = lb_inverse(m, motion, &o, recording, &summary, &err);
    meter_end(&bar);
    code = finish(m, recording, &summary, a, status, &err);
  } else {
    tell_errors(&err);
  }
  lb_recording_release(recording);
  lb_outer_forces_release(forces);
  lb_joint_motion_release(motion);
  lb_error_clear(&err);
  return code;
}

static exit_code inverse_scene(lb_scene* scene, void* args, char** plain) {
  const inverse_args* a = args;
  lb_model* model = NULL;
  scene->solver.elastic = LB_SPACE_REDUCED; // tables have the coordinates of a basis
  exit_code code = load_model(scene, &model);
  if (code == EXIT_DONE) {
    interrupt_listen();
    code = outdir_prepare(a->out) ? inverse(model, plain[1], a) : EXIT_INPUT;
    lb_model_release(model);
  }
  return code;
}

static exit_code run(const verb* v, int narg, char** args) {
  inverse_args a = {.cutoff = NAN, .force_cutoff = NAN, .touch = lb_inverse_default().touch};
  return run_scene(v, narg, args, &a, &a.out, inverse_scene);
}

const verb verb_inverse = {
    .name = "inverse",
    .usage = "SCENE MOTION [--out DIR] [--forces FILE] [--cutoff HZ]",
    .summary = "the forces that a recorded motion needs, and what passes through the joints",
    .about =
        "Reads a motion: a table with the columns time and NAME.q of every joint (NAME.q0, "
        "NAME.q1\n"
        "and so on of those with several coordinates), in seconds, radians and metres, such as "
        "the\n"
        "trajectory.csv of 'limber simulate'. Finds what the joints must exert for it, besides "
        "the\n"
        "scene's springs, dampers and loads, and writes into the folder DIR:\n"
        "  inverse.csv     NAME.tau of every joint, NAME.force of every motor\n"
        "  reactions.csv   force and moment that every joint passes to the body it carries\n"
        "  report.html, scene.glb, trajectory.csv, summary.json as other verbs do\n"
        "Velocities and accelerations are taken from the columns NAME.qd and NAME.qdd, which\n"
        "'record: {rates: true}' puts there, and else from differences of the coordinates. The\n"
        "table of forces has the columns time, and NAME.fx, .fy, .fz of a body in newtons, at the\n"
        "point NAME.px, .py, .pz of the world, with a moment NAME.mx, .my, .mz.",
    .example = "  limber simulate scenes/robot-arm.yaml --out out/arm\n"
               "  limber inverse scenes/robot-arm.yaml out/arm/trajectory.csv --out out/forces",
    .exits = "  0    done\n"
             "  1    the forces could not be found or written\n"
             "  2    a mistake in a file or on the command line\n"
             "  130  interrupted; what was done so far is in DIR",
    .options = options,
    .noption = sizeof options / sizeof *options,
    .least = 2,
    .most = 2,
    .run = run,
};
