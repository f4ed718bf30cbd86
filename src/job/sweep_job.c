// Sweep: a scene simulated for every combination of values that numbers of it may have, side by
// side, with one table of what came out.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/version.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"

enum { MOST_SETS = 100, MOST_RANGES = 8, MOST_RUNS = 100000, MOST_COLUMNS = 4 };

// Values of one number: "bodies.rod.mass=1kg:3kg:5".
typedef struct range {
  const char* path;
  const char* unit;
  int count;
  double* value; // [count]
} range;

typedef struct row {
  lb_status status;
  char why[300]; // of one that failed
  double energy, drift, peak[MOST_COLUMNS];
  lb_out line; // last of its trajectory.csv
} row;

typedef struct sweep_job {
  int nrange, nrow, nmotor;
  range range[MOST_RANGES];
  row* row; // [nrow]
  int failed;
  int alone;                       // runs before the others, one after the other
  const char* motor[MOST_COLUMNS]; // names
  lb_out head;                     // of the trajectories
  atomic_int finished;
  atomic_flag telling;
  atomic_bool stopped;
} sweep_job;

// --- ranges ---

static lb_status refuse(const char* text, const char* why, lb_error* err) {
  return lb_error_add(err, LB_INVALID, (lb_place){0}, "--over %s: %s", text, why);
}

// A number and the unit behind it, which must be that of the others; `*next` is what follows. NAN:
// it is no such number.
static double read_end(lb_job* j, const char* text, const char* stop, const char** unit,
                       const char** next) {
  char* end = NULL;
  const double value = strtod(text, &end);
  const size_t length = strcspn(end, stop);
  const char* own = length ? lb_arena_text(&j->arena, end, length) : NULL;
  const bool other = own && **unit && strcmp(own, *unit) != 0;
  *next = end + length;
  *unit = own ? own : *unit;
  return end == text || other ? NAN : value;
}

// "a:b:n", or with ":log" behind in equal ratios.
static const char* read_steps(lb_job* j, range* r, const char* text) {
  const char* next = NULL;
  r->unit = "";
  const double from = read_end(j, text, ":", &r->unit, &next);
  const double to = *next ? read_end(j, next + 1, ":", &r->unit, &next) : NAN;
  char* end = NULL;
  const long count = *next ? strtol(next + 1, &end, 10) : 0;
  const bool ratios = end && strcmp(end, ":log") == 0;
  if (!isfinite(from) || !isfinite(to) || count < 1 || count > MOST_RUNS || (*end && !ratios)) {
    return "it must be PATH=FROM:TO:COUNT, such as bodies.rod.mass=1kg:3kg:5, or PATH=A,B,C, with "
           "one unit";
  }
  if (ratios && !(from * to > 0)) {
    return "equal ratios need two numbers of the same sign";
  }
  r->count = (int)count;
  r->value = LB_TAKE(&j->arena, double, count);
  for (int i = 0; r->value && i < r->count; i++) {
    const double t = count > 1 ? (double)i / (double)(count - 1) : 0;
    r->value[i] = i == r->count - 1 && i ? to
                  : ratios               ? from * pow(to / from, t)
                                         : from + t * (to - from);
  }
  return NULL;
}

// "a,b,c"
static const char* read_values(lb_job* j, range* r, const char* text) {
  const char* next = text;
  r->unit = "";
  r->count = 1;
  for (const char* c = text; *c; c++) {
    r->count += *c == ',';
  }
  r->value = LB_TAKE(&j->arena, double, r->count);
  for (int i = 0; r->value && i < r->count; i++) {
    r->value[i] = read_end(j, next, ",", &r->unit, &next);
    next += *next == ',';
    if (!isfinite(r->value[i])) {
      return "values must be numbers with one unit, such as 1,2,5 or 1kg,2kg";
    }
  }
  return NULL;
}

static lb_status read_range(lb_job* j, range* r, const char* text, lb_error* err) {
  const char* equals = strchr(text, '=');
  if (!equals || equals == text) {
    return refuse(text, "it must be PATH=FROM:TO:COUNT, such as bodies.rod.mass=1kg:3kg:5", err);
  }
  r->path = lb_arena_text(&j->arena, text, (size_t)(equals - text));
  const char* why = (strchr(equals, ':') ? read_steps : read_values)(j, r, equals + 1);
  return why ? refuse(text, why, err) : LB_OK;
}

// --- runs ---

// Which value of a range a run has: the last range changes fastest.
static double value_of(const sweep_job* own, int run, int which) {
  for (int i = own->nrange - 1; i > which; i--) {
    run /= own->range[i].count;
  }
  return own->range[which].value[run % own->range[which].count];
}

// Changes of a run: those of all runs and its own. Texts are in `room`.
typedef struct changes {
  const char* set[MOST_SETS + MOST_RANGES];
  char room[MOST_RANGES][400];
} changes;

static int make_changes(const lb_job* j, int run, changes* c) {
  const sweep_job* own = j->own;
  int n = 0;
  for (; n < j->o.nset; n++) {
    c->set[n] = j->o.set[n];
  }
  for (int i = 0; i < own->nrange; i++) {
    snprintf(c->room[i], sizeof c->room[i], "%s=%.17g%s", own->range[i].path, value_of(own, run, i),
             own->range[i].unit);
    c->set[n++] = c->room[i];
  }
  return n;
}

// Progress of one run: of all, how many are done. One thread at a time tells.
static bool watch(void* context, double fraction, const char* what) {
  lb_job* j = context;
  sweep_job* own = j->own;
  (void)fraction;
  (void)what;
  if (!atomic_flag_test_and_set(&own->telling)) {
    const lb_progress progress = lb_job_progress(j);
    if (!lb_progress_report(&progress, (double)atomic_load(&own->finished) / own->nrow, "runs")) {
      atomic_store(&own->stopped, true);
    }
    atomic_flag_clear(&own->telling);
  }
  return !atomic_load(&own->stopped);
}

static void note_run(row* out, const lb_job* run) {
  const lb_recording* r = run->recording;
  out->energy = run->summary.energy_end;
  out->drift = run->summary.energy_drift;
  for (int i = 0; i < r->model->nmotor && i < MOST_COLUMNS; i++) {
    out->peak[i] = lb_recording_peak_torque(r, i);
  }
  lb_write_csv_line(&out->line, r, r->nframe - 1);
  out->status = out->line.status;
}

static void note_names(sweep_job* own, lb_job* j, const lb_job* run) {
  const lb_model* m = run->model;
  own->nmotor = m->nmotor < MOST_COLUMNS ? m->nmotor : MOST_COLUMNS;
  for (int i = 0; i < own->nmotor; i++) {
    own->motor[i] = lb_arena_text(&j->arena, m->motor.name[i], strlen(m->motor.name[i]));
  }
  lb_write_csv_line(&own->head, run->recording, -1);
}

static lb_job_options options_of(const lb_job* j, const changes* c, int nset, const char* dir) {
  lb_job_options o = j->o;
  o.kind = "simulate";
  o.nset = nset;
  o.set = c->set;
  o.threads = 1;
  o.out = j->o.keep && j->o.out ? dir : NULL;
  o.progress = (lb_progress){watch, (void*)j};
  o.sink = (lb_sink){0};
  o.told = NULL;
  return o;
}

// One combination, from the scene to its row; the first tells the names, too.
static void run_one(lb_job* j, int i, bool names) {
  sweep_job* own = j->own;
  row* out = &own->row[i];
  changes c;
  char dir[4200];
  lb_job* run = NULL;
  lb_error err = lb_error_make(j->arena.allocator);
  snprintf(dir, sizeof dir, "%s/%d", j->o.out ? j->o.out : ".", i + 1);
  const int nset = make_changes(j, i, &c);
  const lb_job_options o = options_of(j, &c, nset, dir);
  out->status = atomic_load(&own->stopped) ? LB_INTERRUPTED : LB_OK;
  lb_status (*const stage[])(lb_job*, lb_error*) = {lb_job_load, lb_job_run, lb_job_write};
  if (out->status == LB_OK) {
    out->status = lb_job_create(&o, j->arena.allocator, &run, &err);
  }
  for (int k = 0; k < 3 && out->status == LB_OK; k++) {
    out->status = stage[k](run, &err);
  }
  if (out->status == LB_OK) {
    note_run(out, run);
  } else if (err.count) {
    lb_error_format(&err, 0, out->why, sizeof out->why);
  }
  if (out->status == LB_OK && names) {
    note_names(own, j, run);
  }
  lb_job_release(run);
  lb_error_clear(&err);
  atomic_fetch_add(&own->finished, 1);
}

// One of those behind the first that came to its end.
static void run_other(void* context, int i) {
  lb_job* j = context;
  run_one(j, ((sweep_job*)j->own)->alone + i, false);
}

static lb_status read_ranges(lb_job* j, lb_error* err) {
  sweep_job* own = j->own;
  lb_status status = LB_OK;
  own->nrow = 1;
  for (int i = 0; i < j->o.nover && status == LB_OK; i++) {
    range* r = &own->range[own->nrange++];
    status = read_range(j, r, j->o.over[i], err);
    for (int k = 0; k < i && status == LB_OK; k++) {
      if (strcmp(own->range[k].path, r->path) == 0) {
        status = refuse(j->o.over[i], "the number has a range already", err);
      }
    }
    if (status == LB_OK && r->count > MOST_RUNS / own->nrow) {
      status = refuse(j->o.over[i], "there would be more than 100000 runs", err);
    }
    own->nrow *= status == LB_OK ? r->count : 1;
  }
  return status;
}

static lb_status load(lb_job* j, lb_error* err) {
  sweep_job* own = j->own;
  own->head = lb_out_make(j->arena.allocator, -1);
  if (j->o.nover < 1 || j->o.nover > MOST_RANGES) {
    return lb_error_add(err, LB_INVALID, (lb_place){0}, "a sweep needs one to %d ranges: --over %s",
                        MOST_RANGES, "bodies.rod.mass=1kg:3kg:5");
  }
  if (j->o.nset > MOST_SETS) {
    return lb_error_add(err, LB_INVALID, (lb_place){0}, "a sweep sets at most %d values",
                        MOST_SETS);
  }
  const lb_status status = read_ranges(j, err);
  own->row = status == LB_OK ? LB_TAKE(&j->arena, row, own->nrow) : NULL;
  for (int i = 0; own->row && i < own->nrow; i++) {
    own->row[i].line = lb_out_make(j->arena.allocator, -1);
  }
  return status == LB_OK && lb_arena_status(&j->arena) != LB_OK ? lb_job_no_memory(err) : status;
}

// The first run tells what is wrong with all of them, and the first that comes to its end what
// there is to tell of one.
static lb_status run(lb_job* j, lb_error* err) {
  sweep_job* own = j->own;
  while (own->alone < own->nrow && own->head.size == 0 && own->row[0].status != LB_INVALID) {
    run_one(j, own->alone++, true);
  }
  if (own->row[0].status == LB_INVALID) {
    return lb_error_add(err, LB_INVALID, (lb_place){0}, "%s", own->row[0].why);
  }
  lb_parallel_for(j->o.runs > 0 ? j->o.runs : INT_MAX, own->nrow - own->alone, run_other, j);
  for (int i = 0; i < own->nrow; i++) {
    own->failed += own->row[i].status != LB_OK;
  }
  j->kept = own->failed < own->nrow;
  if (atomic_load(&own->stopped)) {
    return lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted");
  }
  return j->kept ? LB_OK
                 : lb_error_add(err, LB_FAILED, (lb_place){0}, "all runs failed; the first: %s",
                                own->row[0].why);
}

// --- files ---

static void write_table(lb_out* out, const void* of) {
  const sweep_job* own = of;
  for (int i = 0; i < own->nrange; i++) {
    lb_print(out, "%-s%-s%-s%-s,", own->range[i].path, *own->range[i].unit ? " [" : "",
             own->range[i].unit, *own->range[i].unit ? "]" : "");
  }
  lb_out_text(out, "outcome,energy_end,energy_drift");
  for (int i = 0; i < own->nmotor; i++) {
    lb_print(out, ",%-s.peak", own->motor[i]);
  }
  lb_out_text(out, ",");
  lb_out_bytes(out, own->head.data, own->head.size);
  for (int k = 0; k < own->nrow; k++) {
    const row* r = &own->row[k];
    for (int i = 0; i < own->nrange; i++) {
      lb_print(out, "%g,", value_of(own, k, i));
    }
    if (r->status != LB_OK) {
      lb_out_text(out, r->status == LB_INTERRUPTED ? "interrupted\n" : "failed\n");
      continue;
    }
    lb_print(out, "done,%g,%g", r->energy, r->drift);
    for (int i = 0; i < own->nmotor; i++) {
      lb_print(out, ",%g", r->peak[i]);
    }
    lb_out_text(out, ",");
    lb_out_bytes(out, r->line.data, r->line.size);
  }
}

static void write_figures(lb_out* out, const void* of) {
  const lb_job* j = of;
  const sweep_job* own = j->own;
  lb_print_json(out, "{\n  'limber': %s,\n  'job': 'sweep',\n  'scene': %s", lb_version(),
                j->scene.file);
  lb_print_scene_path(out, j->scene.file);
  lb_print_json(out, ",\n  'wall_seconds': %g,\n  'runs': %d,\n  'failed': %d,\n  'over': [",
                j->summary.wall_seconds, own->nrow, own->failed);
  for (int i = 0; i < j->o.nover; i++) {
    lb_print_json(out, "%-s%s", i ? ", " : "", j->o.over[i]);
  }
  lb_out_text(out, "]\n}\n");
}

static lb_status write(lb_job* j, lb_error* err) {
  const lb_status status =
      lb_file_write(j->o.out, "sweep.csv", write_table, j->own, j->arena.allocator, err);
  return status == LB_OK
             ? lb_file_write(j->o.out, "summary.json", write_figures, j, j->arena.allocator, err)
             : status;
}

// --- the report ---

// A line of the table: a number for each range, then the figures.
static void add_row(lb_job* j, int k) {
  const sweep_job* own = j->own;
  const row* r = &own->row[k];
  char text[800];
  int n = 0;
  for (int i = 0; i < own->nrange; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, "%14.6g ", value_of(own, k, i));
  }
  if (r->status != LB_OK) {
    snprintf(text + n, sizeof text - (size_t)n, " %.200s",
             *r->why ? r->why : "it was not run to its end");
  } else {
    n += snprintf(text + n, sizeof text - (size_t)n, "%14.6g %14.3g", r->energy, r->drift);
    for (int i = 0; i < own->nmotor; i++) {
      n += snprintf(text + n, sizeof text - (size_t)n, " %14.5g", r->peak[i]);
    }
  }
  lb_job_row(j, "%s", text);
}

// The last words of a path are those that matter.
static const char* tail_of(const char* text, size_t most) {
  const char* tail = text;
  for (const char* dot; strlen(tail) > most && (dot = strchr(tail, '.'));) {
    tail = dot + 1;
  }
  return tail;
}

static void add_heading(lb_job* j) {
  const sweep_job* own = j->own;
  char text[800];
  int n = 0;
  for (int i = 0; i < own->nrange; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, "%14s ", tail_of(own->range[i].path, 14));
  }
  n += snprintf(text + n, sizeof text - (size_t)n, "%14s %14s", "energy at end", "drift");
  for (int i = 0; i < own->nmotor; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n, " %14.14s", own->motor[i]);
  }
  lb_job_row(j, "%s%s", text, own->nmotor ? "   (peaks of motors, N m or N)" : "");
}

static void report(lb_job* j) {
  enum { SHOWN = 40 };
  const sweep_job* own = j->own;
  if (!j->kept) {
    lb_job_note(j, "Nothing was kept.");
    return;
  }
  char failed[40] = "";
  snprintf(failed, sizeof failed, ", %d of them without a result", own->failed);
  lb_job_title(j, j->scene.name, "%d %s in %s%s", own->nrow, own->nrow == 1 ? "run" : "runs",
               lb_text_duration(j->summary.wall_seconds).text, own->failed ? failed : "");
  add_heading(j);
  for (int k = 0; k < own->nrow && k < SHOWN; k++) {
    add_row(j, k);
  }
  if (own->nrow > SHOWN) {
    lb_job_row(j, "and %d more", own->nrow - SHOWN);
  }
  lb_job_add(j, LB_SECTION_FILE, "sweep.csv", "a line a run, with its last frame");
  lb_job_add(j, LB_SECTION_FILE, "summary.json", "the ranges, for programs");
}

static void release(lb_job* j) {
  sweep_job* own = j->own;
  for (int i = 0; own->row && i < own->nrow; i++) {
    lb_out_release(&own->row[i].line);
  }
  lb_out_release(&own->head);
}

const lb_job_type lb_job_sweep = {.name = "sweep",
                                  .size = sizeof(sweep_job),
                                  .load = load,
                                  .run = run,
                                  .write = write,
                                  .report = report,
                                  .release = release,
                                  .rereads = true};
