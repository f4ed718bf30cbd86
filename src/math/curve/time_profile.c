// Profiles: each kind's way to fill the pieces, and their evaluation.
#include "math/curve/time_profile.h"

#include <math.h>

#include "base/assert.h"
#include "math/curve/bspline.h"
#include "math/linear/band.h"

static lb_status take_pieces(lb_profile* p, lb_arena* arena, int npiece) {
  p->npiece = npiece;
  p->time = LB_TAKE(arena, double, npiece + 1);
  p->piece = lb_arena_take_array(arena, (size_t)npiece, sizeof *p->piece, _Alignof(double));
  return lb_arena_status(arena);
}

// --- the kinds that go through keys ---

// Keys with the closing one of a periodic profile added.
typedef struct keys {
  int count;
  double* time;
  double* value;
  bool closed; // the last key is the first one again, a period later
} keys;

bool lb_profile_comes_round(const lb_profile_definition* def) {
  static const double ROUNDING = 1e-12; // 366.5 degrees are 6.5 degrees and a turn
  const int last = def->count - 1;
  const double first = def->value[0], end = first + def->advance;
  return def->period > 0 && def->kind != LB_PROFILE_BSPLINE && last > 0 &&
         def->time[last] == def->time[0] + def->period &&
         fabs(def->value[last] - end) <= ROUNDING * (fabs(first) + fabs(def->advance));
}

static bool keys_make(keys* k, lb_arena* arena, const lb_profile_definition* def) {
  const double end = def->time[0] + def->period;
  const bool gap = def->period > 0 && def->time[def->count - 1] < end;
  k->count = def->count + gap;
  k->time = LB_TAKE(arena, double, k->count);
  k->value = LB_TAKE(arena, double, k->count);
  if (!k->time || !k->value) {
    return false;
  }
  for (int i = 0; i < def->count; i++) {
    k->time[i] = def->time[i];
    k->value[i] = def->value[i];
  }
  if (gap) {
    k->time[def->count] = end;
    k->value[def->count] = def->value[0] + def->advance;
  }
  k->closed = gap || lb_profile_comes_round(def);
  return true;
}

// Minimum jerk from rest to rest: v0 + dv (10 s^3 - 15 s^4 + 6 s^5).
static bool fill_smooth(lb_profile* p, lb_arena* arena, const keys* k) {
  (void)arena;
  for (int i = 0; i < p->npiece; i++) {
    const double dv = k->value[i + 1] - k->value[i];
    double* c = p->piece[i];
    c[0] = k->value[i], c[3] = 10 * dv, c[4] = -15 * dv, c[5] = 6 * dv;
  }
  return true;
}

static bool fill_linear(lb_profile* p, lb_arena* arena, const keys* k) {
  (void)arena;
  for (int i = 0; i < p->npiece; i++) {
    p->piece[i][0] = k->value[i];
    p->piece[i][1] = k->value[i + 1] - k->value[i];
  }
  return true;
}

// Row of the slopes m_i that make the second derivative continuous at a key, with h0, h1 the
// lengths before and after it and d0, d1 the mean slopes there:
//
//   m_i-1 / h0 + 2 m_i (1/h0 + 1/h1) + m_i+1 / h1 = 3 (d0 / h0 + d1 / h1)
//
// The matrix is symmetric and dominated by its diagonal, so that it has a Cholesky factor.
static void slope_row(const keys* k, int before, int i, double band[2], double* right) {
  const double h0 = k->time[before + 1] - k->time[before];
  const double h1 = k->time[i + 1] - k->time[i];
  band[0] = 2 / h0 + 2 / h1;
  band[1] = 1 / h1;
  *right = 3 * ((k->value[before + 1] - k->value[before]) / (h0 * h0) +
                (k->value[i + 1] - k->value[i]) / (h1 * h1));
}

// Slopes at rest at both ends.
static void slopes_clamped(const keys* k, double* m, double* band) {
  const int last = k->count - 1;
  m[0] = m[last] = 0;
  for (int i = 1; i < last; i++) {
    slope_row(k, i - 1, i, &band[2 * (i - 1)], &m[i]);
  }
  lb_band_cholesky(last - 1, 1, band);
  lb_band_solve(last - 1, 1, band, m + 1);
}

// Slopes of the periodic spline. The cyclic matrix is T + u v' with T tridiagonal and
// u = (g, 0, ..., a), v = (1, 0, ..., a/g), a its corners; then by Sherman and Morrison
// m = y - z (v.y) / (1 + v.z) with T y = right, T z = u. Taking g = -diagonal[0] keeps T dominant.
static void slopes_periodic(const keys* k, double* m, double* band, double* z) {
  const int n = k->count - 1;
  if (n == 1) {
    m[0] = m[1] = (k->value[1] - k->value[0]) / (k->time[1] - k->time[0]);
    return;
  }
  for (int i = 0; i < n; i++) {
    slope_row(k, i ? i - 1 : n - 1, i, &band[2 * i], &m[i]);
    z[i] = 0;
  }
  const double a = band[2 * n - 1], g = -band[0];
  z[0] = g;
  z[n - 1] = a;
  band[0] -= g;
  band[2 * (n - 1)] -= a * a / g;
  lb_band_cholesky(n, 1, band);
  lb_band_solve(n, 1, band, m);
  lb_band_solve(n, 1, band, z);
  const double s = (m[0] + a / g * m[n - 1]) / (1 + z[0] + a / g * z[n - 1]);
  for (int i = 0; i < n; i++) {
    m[i] -= s * z[i];
  }
  m[n] = m[0];
}

// Hermite's form in s of slopes m at the keys.
static void fill_hermite(lb_profile* p, const keys* k, const double* m) {
  for (int i = 0; i < p->npiece; i++) {
    const double h = k->time[i + 1] - k->time[i], dv = k->value[i + 1] - k->value[i];
    double* c = p->piece[i];
    c[0] = k->value[i];
    c[1] = h * m[i];
    c[2] = 3 * dv - h * (2 * m[i] + m[i + 1]);
    c[3] = h * (m[i] + m[i + 1]) - 2 * dv;
  }
}

static bool fill_cubic(lb_profile* p, lb_arena* arena, const keys* k) {
  const int n = k->count;
  double* m = LB_TAKE(arena, double, 4 * (size_t)n);
  if (!m) {
    return false;
  }
  if (k->closed) {
    slopes_periodic(k, m, m + n, m + 3 * n);
  } else {
    slopes_clamped(k, m, m + n);
  }
  fill_hermite(p, k, m);
  return true;
}

// Third divided difference of four keys from i on: a sixth of the third derivative of the cubic
// through them.
static double third_difference(const keys* k, int i) {
  double d[4];
  for (int j = 0; j < 4; j++) {
    d[j] = k->value[i + j];
  }
  for (int order = 1; order < 4; order++) {
    for (int j = 0; j < 4 - order; j++) {
      d[j] = (d[j + 1] - d[j]) / (k->time[i + j + order] - k->time[i + j]);
    }
  }
  return d[0];
}

// Slopes of the spline whose third derivative on the first and on the last piece is that of the
// cubic through the four keys there (Forsythe, Malcolm and Moler's; SIMM's and OpenSim's splines).
// A piece of length h from a to b has third derivative 6 (m_a + m_b - 2 dv / h) / h^2, so that with
// D the third divided difference
//
//   m_0 + m_1 = 2 dv / h + h^2 D
//
// This, the same at the end and the rows of slope_row in between are solved by elimination from the
// first key to the last; its pivots stay positive, since the first leaves 1/h0 + 2/h1 of the
// second.
static void slopes_natural(const keys* k, double* m, double* c) {
  const int last = k->count - 1;
  const bool long_enough = k->count >= 4;
  const double h = k->time[1] - k->time[0], g = k->time[last] - k->time[last - 1];
  const double first =
      2 * (k->value[1] - k->value[0]) / h + (long_enough ? h * h * third_difference(k, 0) : 0);
  const double end = 2 * (k->value[last] - k->value[last - 1]) / g +
                     (long_enough ? g * g * third_difference(k, last - 3) : 0);
  m[0] = first; // and m_i = m[i] - c[i] m_i+1

  c[0] = 1;
  for (int i = 1; i < last; i++) {
    double band[2], right;
    slope_row(k, i - 1, i, band, &right);
    const double a = 1 / (k->time[i] - k->time[i - 1]);
    const double pivot = band[0] - a * c[i - 1];
    c[i] = band[1] / pivot;
    m[i] = (right - a * m[i - 1]) / pivot;
  }
  m[last] = (end - m[last - 1]) / (1 - c[last - 1]);
  for (int i = last - 1; i >= 0; i--) {
    m[i] -= c[i] * m[i + 1];
  }
}

// Two keys are a straight line, and three a spline whose ends are parabolas; what comes round has
// no ends.
static bool fill_natural(lb_profile* p, lb_arena* arena, const keys* k) {
  if (k->closed || k->count == 2) {
    return k->closed ? fill_cubic(p, arena, k) : fill_linear(p, arena, k);
  }
  double* m = LB_TAKE(arena, double, 2 * (size_t)k->count);
  if (!m) {
    return false;
  }
  slopes_natural(k, m, m + k->count);
  fill_hermite(p, k, m);
  return true;
}

static lb_status create_from_keys(lb_arena* arena, const lb_profile_definition* def,
                                  lb_profile* profile) {
  static bool (*const fill[LB_PROFILE_COUNT])(lb_profile*, lb_arena*, const keys*) = {
      [LB_PROFILE_SMOOTH] = fill_smooth,
      [LB_PROFILE_CUBIC] = fill_cubic,
      [LB_PROFILE_LINEAR] = fill_linear,
      [LB_PROFILE_NATURAL] = fill_natural,
  };
  keys k;
  if (!keys_make(&k, arena, def)) {
    return LB_NO_MEMORY;
  }
  // one key alone still gets a piece, so that evaluation has no special case
  if (take_pieces(profile, arena, k.count > 1 ? k.count - 1 : 1) != LB_OK) {
    return LB_NO_MEMORY;
  }
  if (k.count == 1) {
    profile->time[0] = k.time[0];
    profile->time[1] = k.time[0] + 1;
    profile->piece[0][0] = k.value[0];
    return LB_OK;
  }
  for (int i = 0; i < k.count; i++) {
    profile->time[i] = k.time[i];
  }
  return fill[def->kind](profile, arena, &k) ? LB_OK : LB_NO_MEMORY;
}

// --- B-splines ---

// Control point i; those of a cyclic spline come round with what it advances.
static double control_point(const lb_profile_definition* def, int i) {
  return def->value[i % def->count] + def->advance * (i / def->count);
}

// A span's polynomial by Taylor's formula at its left end: c_k = h^k f^(k) / k!.
static lb_status create_from_bspline(lb_arena* arena, const lb_profile_definition* def,
                                     lb_profile* profile) {
  // fewer control points than degree + 1 span the space of a lower degree
  const int degree = def->degree < def->count ? def->degree : def->count - 1;
  const lb_bspline spline = {.degree = degree,
                             .count = def->count + (def->cyclic ? degree : 0),
                             .start = def->time[0],
                             .end = def->time[1],
                             .clamped = !def->cyclic};
  if (take_pieces(profile, arena, spline.count - degree) != LB_OK) {
    return LB_NO_MEMORY;
  }
  profile->time[profile->npiece] = spline.end;
  for (int i = 0; i < profile->npiece; i++) {
    lb_bspline_row N[LB_BSPLINE_MOST_ORDER];
    const double t = profile->time[i] = lb_bspline_knot(&spline, degree + i);
    const double h = lb_bspline_knot(&spline, degree + i + 1) - t;
    lb_bspline_basis(&spline, N, i, t, degree);
    double scale = 1; // h^k / k!
    for (int k = 0; k <= degree; k++) {
      for (int r = 0; r <= degree; r++) {
        profile->piece[i][k] += scale * N[k][r] * control_point(def, i + r);
      }
      scale *= h / (k + 1);
    }
  }
  return LB_OK;
}

// --- polynomials ---

static lb_status create_from_polynomial(lb_arena* arena, const lb_profile_definition* def,
                                        lb_profile* profile) {
  LB_ASSERT(def->count <= LB_PROFILE_COEFFICIENTS);
  if (take_pieces(profile, arena, 1) != LB_OK) {
    return LB_NO_MEMORY;
  }
  profile->time[1] = 1;
  profile->endless = true;
  for (int k = 0; k < def->count; k++) {
    profile->piece[0][k] = def->value[def->count - 1 - k];
  }
  return LB_OK;
}

lb_status lb_profile_create(lb_arena* arena, const lb_profile_definition* definition,
                            lb_profile** profile) {
  LB_ASSERT(definition->count > 0 && definition->kind < LB_PROFILE_COUNT);
  const lb_arena_mark mark = lb_arena_here(arena);
  lb_profile* made = LB_TAKE(arena, lb_profile, 1);
  lb_status status = LB_NO_MEMORY;
  if (made) {
    made->period = definition->period;
    made->advance = definition->advance;
    made->ahead = definition->phase * definition->period;
    made->beyond = definition->beyond;
    status = definition->kind == LB_PROFILE_BSPLINE ? create_from_bspline(arena, definition, made)
             : definition->kind == LB_PROFILE_POLYNOMIAL
                 ? create_from_polynomial(arena, definition, made)
                 : create_from_keys(arena, definition, made);
  }
  if (status != LB_OK) {
    lb_arena_reset(arena, mark);
    return status;
  }
  *profile = made;
  return LB_OK;
}

// --- evaluation ---

// The piece that holds t, which lies between the first and the last end.
static int find(const lb_profile* p, double t) {
  int low = 0, high = p->npiece;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (t < p->time[middle]) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

// Place in a profile: the piece, how far within, and what whole periods added.
typedef struct spot {
  int piece;
  double s, length, advance;
  double beyond; // what it is before the start or after the end
} spot;

static spot find_spot(const lb_profile* p, double t) {
  const double start = p->time[0], end = p->time[p->npiece];
  spot at = {.advance = 0};
  if (p->period > 0) {
    const double since = t + p->ahead - start, rest = fmod(since, p->period);
    const double into = rest < 0 ? rest + p->period : rest;
    at.advance = p->advance * round((since - into) / p->period);
    t = start + into;
  }
  const double inside = p->endless ? t : fmin(fmax(t, start), end);
  at.piece = p->endless ? 0 : find(p, inside);
  at.length = p->time[at.piece + 1] - p->time[at.piece];
  at.s = (inside - p->time[at.piece]) / at.length;
  at.beyond = t - inside;
  return at;
}

void lb_profile_evaluate(const lb_profile* profile, double t, double value[3]) {
  const spot at = find_spot(profile, t);
  lb_profile_piece(profile->piece[at.piece], at.s, 1 / at.length, value);
  value[0] += at.advance;
  if (at.beyond != 0) {
    value[1] = profile->beyond == LB_BEYOND_LINE ? value[1] : 0;
    value[0] += value[1] * at.beyond;
    value[2] = 0;
  }
}

double lb_profile_third(const lb_profile* profile, double t) {
  const spot at = find_spot(profile, t);
  const double *c = profile->piece[at.piece], h = at.length;
  return at.beyond != 0 ? 0 : (6 * c[3] + at.s * (24 * c[4] + at.s * 60 * c[5])) / (h * h * h);
}

// --- jumps ---

// Value and slope at the ends of a piece; 0 the start, 1 the end.
static void piece_end(const lb_profile* p, int i, int end, double v[3]) {
  lb_profile_piece(p->piece[i], end, 1 / (p->time[i + 1] - p->time[i]), v);
}

// Largest terms of the values and slopes: the scale of rounding.
static void piece_scales(const lb_profile* p, double scale[2]) {
  scale[0] = scale[1] = 0;
  for (int i = 0; i < p->npiece; i++) {
    double value = 0, slope = 0;
    for (int k = 0; k < LB_PROFILE_COEFFICIENTS; k++) {
      value += fabs(p->piece[i][k]);
      slope += k * fabs(p->piece[i][k]);
    }
    scale[0] = fmax(scale[0], value);
    scale[1] = fmax(scale[1], slope / (p->time[i + 1] - p->time[i]));
  }
}

static bool differs(const double a[2], const double b[2], const double scale[2]) {
  return fabs(a[0] - b[0]) > 1e-9 * scale[0] || fabs(a[1] - b[1]) > 1e-9 * scale[1];
}

double lb_profile_after(const lb_profile* p, double time, double t) {
  if (!(p->period > 0)) {
    return time > t ? time : INFINITY;
  }
  const double own = time - p->ahead;
  const double next = own + p->period * (floor((t - own) / p->period) + 1);
  return next > t ? next : next + p->period; // the sum may have rounded
}

double lb_profile_next(const lb_profile* p, double t) {
  double next = INFINITY;
  for (int i = 0; i <= p->npiece; i++) {
    next = fmin(next, lb_profile_after(p, p->time[i], t));
  }
  return next;
}

// Value and slope on both sides of the start of piece i, or of the end of the last.
static void sides(const lb_profile* p, int i, double before[2], double after[2]) {
  const bool again = p->period > 0, first = i == 0, last = i == p->npiece;
  const bool held = !again && p->beyond == LB_BEYOND_HOLD && !p->endless;
  double v[3];
  piece_end(p, first ? again ? p->npiece - 1 : 0 : i - 1, first && !again ? 0 : 1, v);
  before[0] = v[0] - (first && again ? p->advance : 0);
  before[1] = first && held ? 0 : v[1];
  piece_end(p, last ? again ? 0 : i - 1 : i, last && !again ? 1 : 0, v);
  after[0] = v[0] + (last && again ? p->advance : 0);
  after[1] = last && held ? 0 : v[1];
}

double lb_profile_jump(const lb_profile* p, double until, bool slopes) {
  double scale[2], first = INFINITY;
  piece_scales(p, scale);
  scale[1] = slopes ? scale[1] : (double)INFINITY;
  for (int i = 0; i <= p->npiece; i++) {
    double before[2], after[2];
    sides(p, i, before, after);
    // a period ends where the next begins
    const double end = i == p->npiece && p->period > 0 ? p->time[0] : p->time[i];
    if (differs(before, after, scale)) {
      first = fmin(first, lb_profile_after(p, end, 0));
    }
  }
  return first < until ? first : NAN;
}
