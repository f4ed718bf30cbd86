// From a scene's wishes to unknowns, through search, minimum and judgement, to values.
#include "design/fit/fit_markers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build/path_check.h"

enum { NUMBERS = LB_FIT_CLOCK, MOST_FREE = 4, MOST_STEPS = 50 * 1000 * 1000 };

// Damping is looked for within this factor.
static const double DAMPING_WITHIN = 1e4;
// Damping ratio to start from when the scene has none.
static const double FIRST_RATIO = 0.005;

lb_fit_options lb_fit_default(void) {
  return (lb_fit_options){.duration = (double)NAN, .step = (double)NAN, .threads = 1};
}

// --- names ---

const char* lb_fit_quantity_name(lb_fit_quantity quantity) {
#define NAME(code, name, unit) name,
  static const char* const names[] = {LB_FIT_LIST(NAME)};
#undef NAME
  return names[quantity];
}

const char* lb_fit_quantity_unit(lb_fit_quantity quantity) {
#define UNIT(code, name, unit) unit,
  static const char* const units[] = {LB_FIT_LIST(UNIT)};
#undef UNIT
  return units[quantity];
}

const char* lb_fit_doubt_text(lb_fit_doubt doubt) {
#define TEXT(code, text) text,
  static const char* const texts[] = {LB_FIT_DOUBT_LIST(TEXT)};
#undef TEXT
  return texts[doubt];
}

char* lb_fit_number_text(lb_fit_quantity quantity, double x, char* out) {
  // units of scenes, the largest first; the first that leaves a digit before the point is taken
  static const struct {
    const char* unit; // as lb_fit_quantity_unit() calls the plain one
    const char* name;
    double size;
  } units[] = {{"Pa", "GPa", 1e9}, {"Pa", "MPa", 1e6}, {"Pa", "kPa", 1e3}, {"s", "s", 1},
               {"s", "ms", 1e-3},  {"s", "us", 1e-6},  {"m", "m", 1},      {"m", "mm", 1e-3}};
  const char* unit = lb_fit_quantity_unit(quantity);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    const bool last = i + 1 == sizeof units / sizeof *units || strcmp(units[i + 1].unit, unit) != 0;
    if (strcmp(units[i].unit, unit) == 0 && (last || fabs(x) >= units[i].size)) {
      snprintf(out, LB_FIT_TEXT, "%.6g %s", x / units[i].size, units[i].name);
      return out;
    }
  }
  snprintf(out, LB_FIT_TEXT, "%.6g", x); // a share of the mass matrix has no unit in scenes
  return out;
}

// --- the unknowns ---

// The lowest circular frequency of the bodies made of a material; 0 when there is none.
static double lowest_frequency(const lb_model* m, int material) {
  static const double TURN = 6.28318530717958647692;
  double low = INFINITY;
  for (int e = 0; e < m->elastic.count; e++) {
    const lb_model_elastic* b = &m->elastic.body[e];
    for (int k = 0; k < b->r && b->material == material && b->nregion == 0; k++) {
      low = fmin(low, b->frequency[k]);
    }
  }
  return isfinite(low) ? TURN * low : 0;
}

static void add_young(lb_fit_session* s, const lb_scene_fit_material* m) {
  const double range = log(m->within);
  s->u[s->n++] = (lb_fit_unknown){
      .has = {[LB_FIT_YOUNG] = true}, .material = m->material, .low = -range, .high = range};
}

// A number that the scene leaves at zero starts from a guess: no factor moves it off zero.
static void add_damping(lb_fit_session* s, int material, bool mass, bool stiffness) {
  lb_scene_material* start = &s->start[material];
  const double w = lowest_frequency(s->model, material);
  const bool together = mass && stiffness;
  mass = mass && (!together || start->damping_mass > 0);
  stiffness = stiffness && (!together || start->damping_stiffness > 0 || !mass);
  if (mass && !(start->damping_mass > 0)) {
    start->damping_mass = 2 * FIRST_RATIO * w;
  }
  if (stiffness && !(start->damping_stiffness > 0)) {
    start->damping_stiffness = 2 * FIRST_RATIO / w;
  }
  s->u[s->n++] = (lb_fit_unknown){
      .has = {[LB_FIT_DAMPING_MASS] = mass, [LB_FIT_DAMPING_STIFFNESS] = stiffness},
      .material = material,
      .low = -log(DAMPING_WITHIN),
      .high = log(DAMPING_WITHIN)};
}

static void add_material(lb_fit_session* s, const lb_scene_fit_material* m) {
  if (m->young) {
    add_young(s, m);
  }
  if (m->damping == LB_FIT_TOGETHER) {
    add_damping(s, m->material, true, true);
  }
  if (m->damping == LB_FIT_MASS || m->damping == LB_FIT_BOTH) {
    add_damping(s, m->material, true, false);
  }
  if (m->damping == LB_FIT_STIFFNESS || m->damping == LB_FIT_BOTH) {
    add_damping(s, m->material, false, true);
  }
}

static int add_free(lb_fit_session* s, lb_fit_quantity quantity, double range) {
  s->u[s->n] = (lb_fit_unknown){.material = -1, .low = -range, .high = range};
  s->u[s->n].has[quantity] = true;
  return s->n++;
}

static lb_status list_unknowns(lb_fit_session* s, const lb_scene_fit* what) {
  const lb_model* m = s->model;
  const int most = NUMBERS * (what->nmaterial + m->look.nmaterial) + MOST_FREE;
  s->u = LB_TAKE(&s->arena, lb_fit_unknown, most);
  s->start = LB_TAKE(&s->arena, lb_scene_material, m->look.nmaterial);
  if (!s->u || !s->start) {
    return LB_NO_MEMORY;
  }
  memcpy(s->start, m->look.material, (size_t)m->look.nmaterial * sizeof *s->start);
  for (int i = 0; i < what->nmaterial; i++) {
    add_material(s, &what->material[i]);
  }
  for (int i = 0; i < m->look.nmaterial && what->nmaterial == 0; i++) {
    if (lowest_frequency(m, i) > 0) {
      lb_scene_fit_material all = lb_scene_fit_material_default();
      all.material = i;
      add_material(s, &all);
    }
  }
  s->nmaterial = s->n;
  s->clock = what->clock ? add_free(s, LB_FIT_CLOCK, LB_FIT_CLOCK_RANGE) : -1;
  s->shift = what->shift ? add_free(s, LB_FIT_SHIFT_X, (double)INFINITY) : -1;
  if (what->shift) {
    add_free(s, LB_FIT_SHIFT_Y, (double)INFINITY);
    add_free(s, LB_FIT_SHIFT_Z, (double)INFINITY);
  }
  return s->nmaterial > 0 ? LB_OK
                          : lb_error_add(s->err, LB_INVALID, (lb_place){m->file, 0, 0},
                                         "the scene has no elastic body of one material: there is "
                                         "nothing to find");
}

// --- the measurements ---

static int count_seen(const lb_fit_session* s) {
  int n = 0;
  for (size_t i = 0; i < (size_t)s->nsample * (size_t)s->width; i++) {
    n += !isnan(s->markers->x[i]);
  }
  return n;
}

static lb_status choose_samples(lb_fit_session* s) {
  const lb_markers* m = s->markers;
  const double limit = isnan(s->options->duration) ? (double)INFINITY : s->options->duration;
  const lb_place place = {m->file, 0, 0};
  while (s->nsample < m->nsample && m->time[s->nsample] <= limit) {
    s->nsample++;
  }
  s->width = 3 * m->nmarker;
  const int seen = count_seen(s);
  if (seen <= s->n) {
    return lb_error_add(s->err, LB_INVALID, place,
                        "the markers were seen too rarely: %d numbers for %d unknowns", seen, s->n);
  }
  s->end = m->time[s->nsample - 1];
  s->h = isnan(s->options->step) ? s->model->solver.step : s->options->step;
  s->solver = s->model->solver;
  s->solver.integrator = lb_tape_integrator(s->model);
  if (!(s->end > 0) || !(s->h > 0) || (s->end + LB_FIT_CLOCK_RANGE) / s->h > MOST_STEPS) {
    return lb_error_add(s->err, LB_INVALID, place,
                        "the samples end at %g s; in steps of %g s from 0 on, that cannot be run",
                        s->end, s->h);
  }
  return s->end > s->model->duration ? lb_model_check_paths(s->model, s->end, s->err) : LB_OK;
}

static lb_status take_slots(lb_fit_session* s) {
  const int frames = (int)ceil((s->end + LB_FIT_CLOCK_RANGE) / s->h) + 5;
  const int nmarker = s->markers->nmarker;
  s->nslot = s->options->threads > 1 ? s->options->threads : 1;
  s->slot = LB_TAKE(&s->arena, lb_fit_slot, s->nslot);
  s->point = LB_TAKE(&s->arena, lb_track_point, nmarker);
  s->keeps = LB_TAKE(&s->arena, bool, s->model->nv);
  if (lb_arena_status(&s->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < nmarker; i++) {
    lb_track_find(s->model, &s->markers->marker[i], &s->point[i]);
  }
  for (int i = 0; i < s->nslot; i++) {
    lb_track* t = &s->slot[i].track;
    *t = (lb_track){.npoint = nmarker, .point = s->point, .h = s->h, .capacity = frames};
    t->x = LB_TAKE(&s->arena, double, (size_t)frames*(size_t)s->width);
    s->slot[i].row = LB_TAKE(&s->arena, double, s->width);
  }
  lb_status status = lb_arena_status(&s->arena);
  if (status == LB_OK) {
    status = lb_tape_check_muscles(s->model, s->solver.integrator, false, s->err);
  }
  return status != LB_OK ? status
                         : lb_tape_open(&s->tape, s->model, s->solver.integrator, s->h, frames, 0,
                                        s->allocator, s->err);
}

// --- the result ---

static double root_mean(const lb_fit_session* s, double cost) {
  return sqrt(cost / count_seen(s));
}

static void add_value(const lb_fit_session* s, lb_fit* fit, int k, lb_fit_quantity quantity) {
  const lb_fit_unknown* u = &s->u[k];
  const double x = s->best.x[k];
  lb_fit_value* v = &fit->value[fit->nvalue++];
  *v = (lb_fit_value){.quantity = quantity,
                      .material = u->material,
                      .value = x,
                      .low = (double)NAN,
                      .high = (double)NAN,
                      .doubt = LB_FIT_UNFINISHED};
  if (u->material >= 0) {
    v->start = *lb_fit_number(&s->model->look.material[u->material], (int)quantity);
    v->value = *lb_fit_number(&s->start[u->material], (int)quantity) * exp(x);
  }
}

static void list_values(const lb_fit_session* s, lb_fit* fit) {
  for (int k = 0; k < s->n; k++) {
    for (int q = 0; q < LB_FIT_QUANTITY_COUNT; q++) {
      if (s->u[k].has[q]) {
        add_value(s, fit, k, (lb_fit_quantity)q);
      }
    }
  }
}

// Predicted markers: measured - r, also where nothing was seen. The model that ran is the fit's.
static lb_status predict(lb_fit_session* s, lb_fit* fit) {
  lb_fit_slot* slot = &s->slot[0];
  lb_fit_trial* best = &s->best;
  s->deaf = true;
  best->offsets = false;
  const lb_status status = lb_fit_try(s, 1, &best, 0);
  for (int i = 0; i < s->nsample && status == LB_OK; i++) {
    double* x = fit->fitted + (size_t)i * (size_t)s->width;
    lb_track_read(&slot->track, s->markers->time[i] + (s->clock >= 0 ? best->x[s->clock] : 0), x,
                  NULL);
    for (int k = 0; k < s->width && s->shift >= 0; k++) {
      x[k] += best->x[s->shift + k % 3];
    }
  }
  fit->model = slot->model;
  slot->model = NULL;
  return status;
}

// Result so far, in an arena of its own.
static lb_status make_result(lb_fit_session* s, lb_fit** fit, lb_arena* arena) {
  lb_fit* f = LB_TAKE(arena, lb_fit, 1);
  lb_fit_value* value = LB_TAKE(arena, lb_fit_value, NUMBERS * s->n);
  double* fitted = LB_TAKE(arena, double, (size_t)s->nsample*(size_t)s->width);
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  *f = (lb_fit){.value = value,
                .markers = s->markers,
                .nsample = s->nsample,
                .fitted = fitted,
                .rms = root_mean(s, s->best.cost),
                .explained = (double)NAN,
                .correlation = (double)NAN,
                .iterations = s->iterations,
                .runs = s->runs,
                .steps = s->took,
                .converged = s->converged,
                .storage = lb_arena_keep(arena)};
  list_values(s, f);
  *fit = f;
  return f->storage ? predict(s, f) : LB_NO_MEMORY;
}

static lb_status search_and_judge(lb_fit_session* s, lb_fit** fit, lb_arena* arena) {
  lb_fit_trial* first = &s->best;
  double* J = LB_TAKE(&s->arena, double, (size_t)s->n*(size_t)s->nsample*(size_t)s->width);
  if (!J || lb_fit_trial_create(s, &s->best, false) != LB_OK) {
    return LB_NO_MEMORY;
  }
  first->offsets = true;
  lb_status status = lb_fit_try(s, 1, &first, 0.01);
  if (status == LB_OK && isinf(first->cost)) {
    // the reader of the message wants the stepper's own words
    status = lb_error_add(s->err, LB_FAILED, (lb_place){s->model->file, 0, 0},
                          "the scene cannot be run up to the last sample, at %g s; try 'limber "
                          "simulate', or a smaller step",
                          s->end);
  }
  const double start = first->cost;
  status = status == LB_OK ? lb_fit_search(s) : status;
  status = status == LB_OK ? lb_fit_minimise(s, J) : status;
  if (status != LB_OK && status != LB_INTERRUPTED) {
    return status;
  }
  lb_status made = make_result(s, fit, arena);
  if (made == LB_OK) {
    (*fit)->rms_start = root_mean(s, start);
    made = status == LB_OK ? lb_fit_judge(s, J, *fit) : made;
  }
  return made == LB_OK ? status : made;
}

lb_status lb_fit_open(lb_fit_session* s, const lb_model* model, const lb_scene_fit* what,
                      const lb_markers* markers, const lb_fit_options* options,
                      const lb_allocator* allocator, lb_error* err) {
  *s = (lb_fit_session){.model = model,
                        .markers = markers,
                        .options = options,
                        .allocator = allocator,
                        .err = err,
                        .reporting = ATOMIC_FLAG_INIT};
  lb_arena_init(&s->arena, allocator);
  lb_status status = list_unknowns(s, what);
  status = status == LB_OK ? choose_samples(s) : status;
  return status == LB_OK ? take_slots(s) : status;
}

void lb_fit_close(lb_fit_session* s) {
  for (int i = 0; i < s->nslot && s->slot; i++) {
    lb_fit_slot_close(&s->slot[i]);
  }
  lb_tape_close(&s->tape);
  lb_arena_release(&s->arena);
}

lb_status lb_fit_run(const lb_model* model, const lb_scene_fit* what, const lb_markers* markers,
                     const lb_fit_options* options, const lb_allocator* allocator, lb_fit** fit,
                     lb_error* err) {
  lb_fit_session s;
  lb_arena arena;
  lb_fit* made = NULL;
  lb_arena_init(&arena, allocator);
  lb_status status = lb_fit_open(&s, model, what, markers, options, allocator, err);
  status = status == LB_OK ? search_and_judge(&s, &made, &arena) : status;
  lb_fit_close(&s);
  if (status == LB_OK || status == LB_INTERRUPTED) {
    *fit = made;
    return status;
  }
  lb_model_release(made ? made->model : NULL);
  lb_arena_release(&arena);
  return status == LB_NO_MEMORY
             ? lb_error_add(err, status, (lb_place){0}, "there is not enough memory for the fit")
             : status;
}

void lb_fit_release(lb_fit* fit) {
  if (fit) {
    lb_model_release(fit->model);
    lb_arena_release_kept(fit->storage);
  }
}

int lb_fit_determined(const lb_fit* fit) {
  int n = 0;
  for (int i = 0; i < fit->nvalue; i++) {
    n += fit->value[i].doubt == LB_FIT_SURE;
  }
  return n;
}

bool lb_fit_errs_alike(const lb_fit* fit) {
  static const double ALIKE = 3, ROUNDING = 1e-10; // samples; of the motion, squared
  return fit->correlation > ALIKE && fit->explained < 1 - ROUNDING;
}
