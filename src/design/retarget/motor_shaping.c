// What people do against vibration: smoothing the motors' curves, and shaping them.
//
// A zero-vibration shaper plays the curve twice, the second time half a period of the mode later,
// with amplitudes such that the two vibrations cancel:
//
//   y(t) = (x(t) + K x(t - T/2)) / (1 + K),   K = exp(-zeta pi / sqrt(1 - zeta^2)),
//   T = 1 / (f sqrt(1 - zeta^2))                                                            (1)
//
// Twice the same shaper (ZVD) forgives a wrong frequency, and shapers of several modes are played
// through each other. Times and weights of any chain of them are one list.
#include <math.h>
#include <stddef.h>

#include "base/arena.h"
#include "limber/shaping.h"
#include "math/curve/bspline.h"
#include "math/curve/time_profile.h"

enum { MOST_IMPULSES = 8 };

static const double SAMPLE = 1e-3;  // [s]
static const double SPACING = 5e-3; // of the control points [s], most
static const double ALIKE = 0.1;    // frequencies that are the same
static const double CUT = 0.5;      // cut-off of the filter over the first frequency

static const struct {
  const char *name, *words;
} NAMES[] = {
#define LB_BASELINE_NAME(code, name, words) {name, words},
    LB_BASELINE_LIST(LB_BASELINE_NAME)
#undef LB_BASELINE_NAME
};

const char* lb_baseline_name(lb_baseline baseline) {
  return NAMES[baseline].name;
}

const char* lb_baseline_words(lb_baseline baseline) {
  return NAMES[baseline].words;
}

// --- curves from samples ---

// Values of one motor at times 0, h, 2h, ...
typedef struct samples {
  int n;
  double h;
  double *t, *y;
} samples;

static bool take_samples(samples* s, lb_arena* arena, double duration) {
  s->n = (int)ceil(duration / SAMPLE) + 1;
  s->h = duration / (s->n - 1);
  s->t = LB_TAKE(arena, double, s->n);
  s->y = LB_TAKE(arena, double, s->n);
  for (int i = 0; s->t && i < s->n; i++) {
    s->t[i] = i * s->h;
  }
  return s->t && s->y;
}

// Fill the samples of motor i.
typedef void sampler(const void* context, int i, samples* s);

static lb_status fit_all(lb_curves* c, sampler* fill, const void* context, lb_arena* arena,
                         double duration) {
  samples s;
  const lb_bspline spline = {3, c->ncontrol, 0, duration, true};
  double* scratch = LB_TAKE(arena, double, 4 * (size_t)c->ncontrol);
  if (!scratch || !take_samples(&s, arena, duration)) {
    return LB_NO_MEMORY;
  }
  lb_status status = LB_OK;
  for (int i = 0; i < c->nmotor && status == LB_OK; i++) {
    fill(context, i, &s);
    status = lb_bspline_fit(&spline, c->control + (size_t)i * (size_t)c->ncontrol, scratch, s.n,
                            s.t, s.y);
  }
  return status;
}

static lb_status curves_of(int nmotor, double duration, sampler* fill, const void* context,
                           const lb_allocator* allocator, lb_curves** curves, lb_error* err) {
  const int spans = (int)ceil(duration / SPACING);
  lb_curves* c = NULL;
  lb_status status = lb_curves_create(nmotor, spans + 3, 0, duration / spans, allocator, &c, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  status = fit_all(c, fill, context, &arena, duration);
  lb_arena_release(&arena);
  if (status != LB_OK) {
    lb_curves_release(c);
    return lb_error_add(err, status, (lb_place){0}, "no curves through %g s of samples", duration);
  }
  *curves = c;
  return LB_OK;
}

// --- shapers ---

typedef struct shaper {
  const lb_model* m;
  const lb_retarget* w;
  int n; // impulses
  double time[MOST_IMPULSES], weight[MOST_IMPULSES];
  double cut; // [Hz] of the filter
} shaper;

// Play through a shaper of (1) as well.
static void chain(shaper* s, const lb_vibration* v) {
  const double zeta = fmin(0.9, fmax(0, v->damping)), root = sqrt(1 - zeta * zeta);
  const double K = exp(-zeta * M_PI / root), half = 0.5 / (v->frequency * root);
  for (int i = 0; i < s->n; i++) {
    s->time[s->n + i] = s->time[i] + half;
    s->weight[s->n + i] = s->weight[i] * K / (1 + K);
    s->weight[i] /= 1 + K;
  }
  s->n *= 2;
}

static void play_shaped(const void* context, int i, samples* s) {
  const shaper* p = context;
  const lb_profile* profile = p->m->motor.profile[p->w->motor[i]];
  for (int k = 0; k < s->n; k++) {
    s->y[k] = 0;
    for (int j = 0; j < p->n; j++) {
      double value[3];
      lb_profile_evaluate(profile, s->t[k] - p->time[j], value);
      s->y[k] += p->weight[j] * value[0];
    }
  }
}

// Butterworth's filter of second order, forwards and then backwards, so that nothing is delayed.
// With c = 1/tan(pi f h):
//   a0 = 1 + sqrt(2) c + c^2,  y_k = (x_k + 2 x_k-1 + x_k-2 - 2 (1 - c^2) y_k-1
//                                     - (1 - sqrt(2) c + c^2) y_k-2) / a0
static void filter(samples* s, double frequency, int from, int step) {
  const double c = 1 / tan(M_PI * frequency * s->h);
  const double a0 = 1 + M_SQRT2 * c + c * c, a1 = 2 * (1 - c * c), a2 = 1 - M_SQRT2 * c + c * c;
  double x1 = s->y[from], x2 = x1, y1 = x1, y2 = x1; // at rest before it begins
  for (int k = 0; k < s->n; k++) {
    double* at = s->y + from + k * step;
    const double x = *at;
    *at = (x + 2 * x1 + x2 - a1 * y1 - a2 * y2) / a0;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = *at;
  }
}

static void play_filtered(const void* context, int i, samples* s) {
  const shaper* p = context;
  play_shaped(context, i, s);
  filter(s, p->cut, 0, 1);
  filter(s, p->cut, s->n - 1, -1);
}

lb_status lb_baseline_curves(const lb_model* m, const lb_retarget* w, lb_baseline baseline,
                             const lb_vibration mode[2], const lb_allocator* allocator,
                             lb_curves** curves, lb_error* err) {
  shaper s = {m, w, 1, {0}, {1}, CUT * mode[0].frequency};
  if (baseline == LB_BASELINE_LOWPASS) {
    return curves_of(w->nmotor, m->duration, play_filtered, &s, allocator, curves, err);
  }
  chain(&s, &mode[0]);
  if (baseline != LB_BASELINE_ZV) {
    chain(&s, baseline == LB_BASELINE_ZVD ? &mode[0] : &mode[1]);
  }
  return curves_of(w->nmotor, m->duration, play_shaped, &s, allocator, curves, err);
}

// --- lag ---

typedef struct lagging {
  const lb_curves* c;
  double lag;
} lagging;

// lag y' = x - y, exact for x that is linear between samples.
static void play_lagging(const void* context, int i, samples* s) {
  const lagging* p = context;
  const double r = s->h / p->lag, e = exp(-r), mean = (1 - e) / r;
  double value[3];
  lb_curves_evaluate(p->c, i, 0, value);
  double x = s->y[0] = value[0];
  for (int k = 1; k < s->n; k++) {
    lb_curves_evaluate(p->c, i, s->t[k], value);
    s->y[k] = e * s->y[k - 1] + (mean - e) * x + (1 - mean) * value[0];
    x = value[0];
  }
}

lb_status lb_curves_lag(const lb_curves* c, double lag, const lb_allocator* allocator,
                        lb_curves** lagged, lb_error* err) {
  const lagging p = {c, lag};
  return curves_of(c->nmotor, c->spacing * (c->ncontrol - 3), play_lagging, &p, allocator, lagged,
                   err);
}

// --- modes to shape for ---

enum { MOST_MODES = 40 };

lb_status lb_modes_to_shape(const lb_model* m, const lb_allocator* allocator, lb_vibration mode[2],
                            lb_error* err) {
  lb_vibration found[MOST_MODES];
  lb_data* d = NULL;
  int count = 0;
  lb_status status = lb_data_create(m, allocator, &d, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_equilibrium(m, d, err);
  if (status == LB_OK) {
    status = lb_modes_of_model(m, d, MOST_MODES, found, &count, err);
  }
  lb_data_release(d);
  if (status == LB_OK && count == 0) {
    return lb_error_add(err, LB_FAILED, (lb_place){0}, "nothing in '%s' vibrates", m->name);
  }
  count = count < MOST_MODES ? count : MOST_MODES;
  for (int i = 0; i < count && status == LB_OK; i++) { // the most excited first
    for (int j = i + 1; j < count; j++) {
      if (found[j].excitation > found[i].excitation) {
        const lb_vibration other = found[i];
        found[i] = found[j];
        found[j] = other;
      }
    }
  }
  // a round rod has each mode twice, in two planes: the second is the next of another frequency
  int second = 0;
  while (second + 1 < count && fabs(found[second].frequency / found[0].frequency - 1) < ALIKE) {
    second++;
  }
  if (status == LB_OK) {
    mode[0] = found[0];
    mode[1] = found[second];
  }
  return status;
}
