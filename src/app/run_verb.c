// From the words after a verb to a job, its progress, and what is said of its results.
#include <stdio.h>

#include "app/blas_room.h"
#include "app/interrupt.h"
#include "app/outdir.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "base/clock.h"
#include "job/job_text.h"

static exit_code exit_code_of(lb_status outcome) {
  static const exit_code code_of[] = {
      [LB_OK] = EXIT_DONE, [LB_INVALID] = EXIT_INPUT, [LB_NO_MEMORY] = EXIT_JOB,
      [LB_IO] = EXIT_JOB,  [LB_FAILED] = EXIT_JOB,    [LB_INTERRUPTED] = EXIT_INTERRUPTED};
  return code_of[outcome];
}

// --- sections ---

// Warnings are reported as soon as they come.
static void told(void* context, const lb_section* s) {
  if (s->kind == LB_SECTION_WARNING) {
    meter_end(context);
    tell_warning(s->place, s->text);
  }
}

static const char* const KINDS[] = {
    [LB_SECTION_TITLE] = "title", [LB_SECTION_FIGURE] = "figure",   [LB_SECTION_ROW] = "row",
    [LB_SECTION_FILE] = "file",   [LB_SECTION_WARNING] = "warning", [LB_SECTION_NOTE] = "note"};

// As JSON, if lines are; files are called by their paths.
static bool print_json(FILE* file, const lb_section* s, const char* dir) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", dir ? dir : ".", s->name ? s->name : "");
  return say_json(file, KINDS[s->kind], s->kind == LB_SECTION_FILE ? path : s->name, s->text);
}

static void print_results(const lb_section* section, int count, const char* dir) {
  const char* lead = "results";
  for (int i = 0; i < count; i++) {
    const lb_section* s = &section[i];
    if (s->kind > LB_SECTION_FILE || print_json(stdout, s, dir)) {
      continue;
    }
    if (s->kind == LB_SECTION_TITLE) {
      say_title(s->name, s->text);
    } else if (s->kind == LB_SECTION_FIGURE) {
      say(stdout, "  %-9s %s", s->name, s->text);
    } else if (s->kind == LB_SECTION_ROW) {
      say(stdout, "  %s", s->text);
    } else {
      say(stdout, "  %-9s %s/%-15s %s", lead, dir, s->name, s->text);
      lead = "";
    }
  }
}

static void print_notes(const lb_section* section, int count) {
  for (int i = 0; i < count; i++) {
    const lb_section* s = &section[i];
    if (s->kind == LB_SECTION_NOTE && !print_json(stderr, s, NULL)) {
      say(stderr, "%s", s->text);
    }
  }
}

// --- stages ---

// What files do wrong is bad input, unreadable ones too.
static exit_code load(lb_job* job, lb_error* err) {
  const lb_status status = lb_job_load(job, err);
  return status == LB_OK || status == LB_NO_MEMORY || status == LB_INTERRUPTED
             ? exit_code_of(status)
             : EXIT_INPUT;
}

// How long a stage took, for those who ask.
static void tell_stage(const verb_args* a, const char* stage, double* since) {
  const double now = lb_clock();
  if (a->verbose) {
    tell_note("%s: %s", stage, lb_text_duration(now - *since).text);
  }
  *since = now;
}

static exit_code run_and_keep(lb_job* job, const verb_args* a, meter* m, lb_error* err) {
  double clock = lb_clock();
  const lb_status outcome = lb_job_run(job, err);
  meter_end(m);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    tell_errors(err);
  }
  lb_error_clear(err);
  tell_stage(a, "the run", &clock);
  const lb_status written = lb_job_write(job, err);
  if (a->o.out) {
    tell_stage(a, "the files", &clock);
  }
  if (written != LB_OK) {
    tell_errors(err);
  }
  lb_error_clear(err);
  int count = 0;
  const lb_section* section = lb_job_sections(job, &count);
  if (written == LB_OK && (outcome != LB_OK || !a->quiet)) {
    print_results(section, count, a->o.out);
  }
  if (written == LB_OK) {
    print_notes(section, count);
  }
  return exit_code_of(outcome != LB_OK ? outcome : written);
}

static exit_code do_job(const verb_args* a) {
  lb_error err = lb_error_make(NULL);
  lb_job* job = NULL;
  meter m = meter_start(a->quiet);
  lb_job_options o = a->o;
  o.nset = a->set.count;
  o.set = a->set.text;
  o.nover = a->over.count;
  o.over = a->over.text;
  o.progress = meter_progress(&m);
  o.told = told;
  o.context = &m;
  if (!blas_has_room(o.threads > o.runs ? o.threads : o.runs)) {
    return EXIT_JOB;
  }
  double clock = lb_clock();
  exit_code code = exit_code_of(lb_job_create(&o, NULL, &job, &err));
  code = code == EXIT_DONE ? load(job, &err) : code;
  meter_end(&m);
  if (code != EXIT_DONE) {
    tell_errors(&err);
  } else {
    tell_stage(a, "scene and model", &clock);
    if (o.out) {
      interrupt_listen(); // from here on there is something to keep
    }
    m = meter_start(a->quiet);
    code = !o.out || outdir_prepare(o.out, o.scene, o.kind, a->force || o.resume)
               ? run_and_keep(job, a, &m, &err)
               : EXIT_INPUT;
  }
  lb_job_release(job);
  lb_error_clear(&err);
  return code;
}

// --- the command line ---

// Folders that were not named: that of the scene, and for a replay one in the folder of its curves.
typedef struct folders {
  char scene[4096], replay[4104], cache[4096];
} folders;

static bool choose_folders(const verb* v, verb_args* a, const char* scene, folders* f) {
  const char** named = v->replays ? &a->o.from : &a->o.out;
  if (!*named) {
    outdir_default(scene, v->inside, f->scene, sizeof f->scene);
    *named = f->scene;
  }
  if (v->replays && !a->o.out) {
    const int length =
        snprintf(f->replay, sizeof f->replay, "%s/%s", a->o.from, a->o.full ? "full" : "replay");
    a->o.out = f->replay;
    if (length >= (int)sizeof f->replay) {
      tell_error("the name of the folder is too long; choose one for the results with --out");
      return false;
    }
  }
  return true;
}

exit_code verb_run(const verb* v, int narg, char** words) {
  verb_args a = {.o = lb_job_default()};
  folders f;
  int nplain = 0;
  exit_code code = EXIT_DONE;
  a.o.kind = v->name;
  if (!verb_parse(v, narg, words, &a, &nplain, &code)) {
    return code;
  }
  if (v->act) {
    return v->act(&a, nplain, words);
  }
  code = EXIT_DONE;
  a.o.cache = a.no_cache ? NULL : cache_default(f.cache, sizeof f.cache);
  const int nscene = v->many ? nplain : 1;
  a.o.table = v->many || nplain < 2 ? NULL : words[1];
  a.o.forces = !v->many && nplain > 2 ? words[2] : a.o.forces;
  for (int i = 0; i < nscene; i++) {
    a.o.scene = words[i];
    if (!v->many && !choose_folders(v, &a, words[i], &f)) {
      return EXIT_INPUT;
    }
    const exit_code one = do_job(&a);
    code = one != EXIT_DONE && code != EXIT_JOB ? one : code;
  }
  return code;
}
