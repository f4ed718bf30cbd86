// Curves of motors and excitations of muscles. They are linear in their values: a few of them
// matter at a time, but for curves of ease `cubic` and such as repeat, where it is what one more of
// each adds, all over.
#include <math.h>

#include "design/optimize/optimization.h"
#include "math/curve/bspline.h"
#include "math/curve/time_profile.h"

enum { MOST_WEIGHTS = 6 };

// --- weights ---

// A few values of a profile matter at a time: those from `first` on, with value and first two
// derivatives each, within its first and last moment. How many.
typedef int weigher(const lb_profile_definition* p, double* t, int* first, double weight[][3]);

// Between keys a profile is v_i + (v_i+1 - v_i) b(s).
static void ease_linearly(double s, double h, double b[3]) {
  b[0] = s, b[1] = 1 / h, b[2] = 0;
}
static void ease_smoothly(double s, double h, double b[3]) {
  b[0] = s * s * s * (10 + s * (6 * s - 15));
  b[1] = 30 * s * s * (1 - s) * (1 - s) / h;
  b[2] = 60 * s * (1 - s) * (1 - 2 * s) / (h * h);
}
static void (*const EASE[LB_PROFILE_COUNT])(double s, double h, double b[3]) = {
    [LB_PROFILE_LINEAR] = ease_linearly, [LB_PROFILE_SMOOTH] = ease_smoothly};

static int weigh_keys(const lb_profile_definition* p, double* t, int* first, double weight[][3]) {
  int i = 0;
  *t = fmin(fmax(*t, p->time[0]), p->time[p->count - 1]);
  while (i < p->count - 2 && *t >= p->time[i + 1]) {
    i++;
  }
  *first = i;
  const double h = p->time[i + 1] - p->time[i];
  EASE[p->kind]((*t - p->time[i]) / h, h, weight[1]);
  for (int k = 0; k < 3; k++) {
    weight[0][k] = (k == 0) - weight[1][k];
  }
  return 2;
}

static int weigh_spline(const lb_profile_definition* p, double* t, int* first, double weight[][3]) {
  const int degree = p->degree < p->count ? p->degree : p->count - 1;
  const lb_bspline s = {
      .degree = degree, .count = p->count, .start = p->time[0], .end = p->time[1], .clamped = true};
  lb_bspline_row N[LB_BSPLINE_MOST_ORDER] = {{0}};
  *t = fmin(fmax(*t, s.start), s.end);
  *first = lb_bspline_span(&s, *t);
  lb_bspline_basis(&s, N, *first, *t, degree < 2 ? degree : 2);
  for (int i = 0; i <= degree; i++) {
    for (int k = 0; k < 3; k++) {
      weight[i][k] = N[k][i];
    }
  }
  return degree + 1;
}

// NULL: all values matter all over.
static weigher* const WEIGH[LB_PROFILE_COUNT] = {[LB_PROFILE_LINEAR] = weigh_keys,
                                                 [LB_PROFILE_SMOOTH] = weigh_keys,
                                                 [LB_PROFILE_BSPLINE] = weigh_spline};

static int weigh(const lb_profile_definition* p, double t, int* first, double weight[][3]) {
  if (p->count == 1) {
    *first = 0;
    weight[0][0] = 1, weight[0][1] = weight[0][2] = 0;
    return 1;
  }
  double inside = t;
  const int n = WEIGH[p->kind](p, &inside, first, weight);
  for (int i = 0; i < n && inside != t; i++) { // held
    weight[i][1] = weight[i][2] = 0;
  }
  return n;
}

// --- where it is ---

static lb_profile_definition* in_scene(const lb_scene* s, const lb_scene_parameter* p) {
  return p->owner == LB_OWNER_MUSCLE ? &s->muscle[p->index].excitation.profile
                                     : &s->motor[p->index].profile;
}

static lb_profile** in_model(const lb_model* m, const lb_scene_parameter* p) {
  return p->owner == LB_OWNER_MUSCLE ? &m->muscle.item[p->index].excitation
                                     : &m->motor.profile[p->index];
}

// --- numbers ---

// A motor's curve with the numbers x, its values taken from the arena; NULL there: no memory. A
// last key that is the first one again, with what a cycle advances, stays that.
static lb_profile_definition make_curve(lb_arena* arena, const lb_block* b, const double* x) {
  lb_profile_definition p = b->profile;
  p.value = LB_TAKE(arena, double, p.count);
  for (int i = 0; p.value && i < p.count; i++) {
    p.value[i] = i < b->count ? x[i] : x[0] + p.advance;
  }
  return p;
}

// A curve is linear in its values but for what it advances.
static bool find_units(lb_arena* arena, lb_block* b) {
  lb_block still = *b;
  still.profile.advance = 0;
  b->unit = LB_TAKE(arena, lb_profile*, b->count);
  double* x = LB_TAKE(arena, double, b->count);
  bool ok = b->unit && x;
  for (int i = 0; i < b->count && ok; i++) {
    x[i] = 1;
    const lb_profile_definition p = make_curve(arena, &still, x);
    ok = p.value && lb_profile_create(arena, &p, &b->unit[i]) == LB_OK;
    x[i] = 0;
  }
  return ok;
}

static lb_status make(lb_optimizing* o, lb_block* b, lb_error* err) {
  lb_profile_definition* p = &b->profile;
  lb_arena* arena = &o->arena;
  *p = *in_scene(o->public.scene, b->p);
  if (b->p->knots > 0) {
    *p = (lb_profile_definition){.kind = LB_PROFILE_LINEAR, .count = b->p->knots};
    p->time = LB_TAKE(arena, double, p->count);
    for (int i = 0; p->time && i < p->count; i++) {
      p->time[i] = o->public.scene->duration * i / (p->count - 1);
    }
  }
  const bool local = WEIGH[p->kind] && !(p->period > 0);
  b->count = p->count - (b->p->knots == 0 && lb_profile_comes_round(p));
  return p->time && (local || find_units(arena, b))
             ? LB_OK
             : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}

static void read(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_profile_definition* own = in_scene(o->public.scene, b->p);
  const lb_profile* curve = *in_model(o->model, b->p);
  const bool muscle = b->p->owner == LB_OWNER_MUSCLE;
  for (int i = 0; i < b->count; i++) {
    double value[3] = {muscle ? o->model->muscle.item[b->p->index].constant : 0};
    if (b->p->knots > 0 && curve) {
      lb_profile_evaluate(curve, b->profile.time[i], value);
    }
    x[i] = b->p->knots > 0 ? value[0] : own->value[i];
  }
}

static bool write(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  lb_profile_definition* p = in_scene(s, b->p);
  *p = make_curve(&o->arena, b, x);
  return p->value != NULL;
}

lb_status lb_player_play(lb_player* w, int motor, lb_profile_definition definition) {
  if (!definition.value) {
    return LB_NO_MEMORY;
  }
  const lb_status status = lb_profile_create(w->arena, &definition, &w->m->motor.profile[motor]);
  w->tree->motor.profile[motor] = w->m->motor.profile[motor];
  return status;
}

static lb_status put(lb_player* w, const lb_block* b, const double* x) {
  return lb_player_play(w, b->p->index, make_curve(w->arena, b, x));
}

// --- derivatives ---

static void pull_curve(lb_way_back* w, const lb_block* b, double time, const double by[3]) {
  double weight[MOST_WEIGHTS][3];
  int first = 0;
  const int n = b->unit ? b->count : weigh(&b->profile, time, &first, weight);
  for (int k = 0; k < n; k++) {
    double* of = weight[b->unit ? 0 : k];
    if (b->unit) {
      lb_profile_evaluate(b->unit[k], time, of);
    }
    w->gradient[b->first + first + k] += by[0] * of[0] + by[1] * of[1] + by[2] * of[2];
  }
}

// d/dphase of value, rate and acceleration: a period of the next derivative each.
static void pull_phase(lb_way_back* w, const lb_block* b, double time, const double by[3]) {
  const lb_profile* p = w->m->motor.profile[b->p->index];
  double value[3];
  lb_profile_evaluate(p, time, value);
  w->gradient[b->first] +=
      p->period * (by[0] * value[1] + by[1] * value[2] + by[2] * lb_profile_third(p, time));
}

void lb_motor_pull(lb_way_back* w, int motor, double time, const double by[3]) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->type->pull_curve && b->p->owner == LB_OWNER_MOTOR && b->p->index == motor) {
      b->type->pull_curve(w, b, time, by);
    }
  }
}

void lb_motors_pull(lb_way_back* w, double time) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->type->pull_curve && b->p->owner == LB_OWNER_MOTOR) {
      b->type->pull_curve(w, b, time, w->motor + 3 * (size_t)b->p->index);
    }
  }
  for (int i = 0; i < w->m->nmotor && w->text; i++) {
    lb_text_pull_motor(w, i, time, w->motor + 3 * (size_t)i);
  }
}

void lb_excitations_pull(lb_way_back* w, double time, const double* by) {
  for (int i = 0; i < w->o->nblock; i++) {
    const lb_block* b = &w->o->block[i];
    if (b->p->owner == LB_OWNER_MUSCLE) {
      b->type->pull_curve(w, b, time, (double[]){by[b->p->index], 0, 0});
    }
  }
}

const lb_parameter_type lb_parameter_motor = {
    .make = make, .read = read, .write = write, .put = put, .pull_curve = pull_curve};

static lb_status put_excitation(lb_player* w, const lb_block* b, const double* x) {
  const lb_profile_definition p = make_curve(w->arena, b, x);
  return p.value ? lb_profile_create(w->arena, &p, in_model(w->m, b->p)) : LB_NO_MEMORY;
}

const lb_parameter_type lb_parameter_excitation = {
    .make = make, .read = read, .write = write, .put = put_excitation, .pull_curve = pull_curve};

// --- phases ---

static lb_status make_phase(lb_optimizing* o, lb_block* b, lb_error* err) {
  (void)err;
  b->profile = o->public.scene->motor[b->p->index].profile;
  b->count = 1;
  return LB_OK;
}

static double* phase_in_scene(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  (void)o;
  return &s->motor[b->p->index].profile.phase;
}

static lb_status put_phase(lb_player* w, const lb_block* b, const double* x) {
  lb_profile_definition p = b->profile;
  p.phase = *x;
  return lb_player_play(w, b->p->index, p);
}

const lb_parameter_type lb_parameter_phase = {
    .make = make_phase, .in_scene = phase_in_scene, .put = put_phase, .pull_curve = pull_phase};
