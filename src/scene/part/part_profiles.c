// Keys and splines: functions of time as authors write them.
#include <math.h>

#include "scene/part/part.h"

#define NAME(code, name) name,
static const char* const profile_names[] = {LB_PROFILE_LIST(NAME)};
// the B-spline has its own key, and is the last of the profiles
const lb_choices lb_ease_choices = {LB_PROFILE_BSPLINE, profile_names, 0, 1};

typedef struct spline_part {
  int degree;
  double from, to;
} spline_part;

static const lb_field spline_fields[] = {
    LB_SIZED(COUNT, spline_part, "degree", degree, LB_PURE, LB_POSITIVE, "3", "1 to 5"),
    LB_SIZED(NUMBER, spline_part, "from", from, LB_TIME, LB_ANY, "0 s", "when the curve begins"),
    LB_SIZED(NUMBER, spline_part, "to", to, LB_TIME, LB_ANY, NULL, "when the curve ends"),
    LB_LATER(WAY_POINTS, "points", NULL, NULL, "control points, more than the degree"),
};
const lb_table lb_spline_table = LB_TABLE("spline", spline_part, spline_fields);

// What values measure: numbers of a dimension, or rotations, which are kept apart.
typedef struct measure {
  lb_dimension dimension;
  lb_quat** rotation; // NULL: numbers
} measure;

static bool take_arrays(lb_reader* r, const measure* of, lb_profile_definition* out, int times,
                        int values) {
  out->time = LB_TAKE(r->keep, double, times);
  if (of->rotation) {
    *of->rotation = LB_TAKE(r->keep, lb_quat, values);
  } else {
    out->value = LB_TAKE(r->keep, double, values);
  }
  return lb_arena_status(r->keep) == LB_OK || lb_lack(r);
}

// The i-th value; `out` may be NULL: then it is only judged.
static bool read_value(lb_reader* r, const measure* of, const lb_yaml* node, const char* word,
                       int i, const lb_profile_definition* out) {
  const lb_field field = {.key = word, .value = LB_VALUE_ROTATION, .dimension = LB_ANGLE};
  double number = 0;
  lb_quat turn = lb_quat_identity();
  const bool ok = of->rotation ? lb_read_value(r, node, &field, &turn)
                               : lb_read_number(r, node, word, of->dimension, LB_ANY, &number);
  if (out && of->rotation) {
    (*of->rotation)[i] = turn;
  } else if (out) {
    out->value[i] = number;
  }
  return ok;
}

// [[0 s, 0 deg], [1 s, 90 deg]]
static bool read_keys(lb_reader* r, const lb_yaml* node, const char* word, const measure* of,
                      lb_profile_definition* out) {
  if (node->count == 0) {
    return lb_complain(r, node->place, "'%s' must have at least one [time, value] pair", word);
  }
  if (!take_arrays(r, of, out, node->count, node->count)) {
    return false;
  }
  bool ok = true;
  int last = -1; // key whose time was good
  for (int i = 0; i < node->count; i++) {
    const lb_yaml* key = node->item[i];
    if (!lb_is_list(key) || key->count != 2) {
      ok = lb_complain(
          r, key->place, "a key must be a pair such as [%s, %s]", lb_dimension_example(LB_TIME),
          of->rotation ? "{axis: z, angle: 30 deg}" : lb_dimension_example(of->dimension));
      continue;
    }
    const bool timed = lb_read_number(r, key->item[0], "time", LB_TIME, LB_ANY, &out->time[i]);
    ok &= read_value(r, of, key->item[1], "value", i, out) && timed;
    if (timed && last >= 0 && !(out->time[i] > out->time[last])) {
      ok = lb_complain(r, key->item[0]->place,
                       "the times of '%s' must increase, but %g s comes after %g s", word,
                       out->time[i], out->time[last]);
    }
    last = timed ? i : last;
  }
  out->count = node->count;
  return ok;
}

static bool read_points(lb_reader* r, const lb_yaml* points, const measure* of,
                        const lb_profile_definition* out) {
  bool ok = true;
  for (int i = 0; i < points->count; i++) {
    ok &= read_value(r, of, points->item[i], "points", i, out);
  }
  return ok;
}

static bool read_spline(lb_reader* r, const lb_yaml* node, const measure* of,
                        lb_profile_definition* out) {
  enum { HIGHEST = 5 };
  const lb_yaml* points = lb_yaml_find(node, "points");
  spline_part s = {0};
  lb_table_default(&lb_spline_table, &s);
  const bool good = lb_read_part(r, node, "spline", &lb_spline_table, &s);
  if (!good) { // told
    return points && read_points(r, points, of, NULL) && false;
  }
  if (s.degree > HIGHEST) {
    return lb_complain(r, lb_yaml_find(node, "degree")->place,
                       "'degree' must be from 1 to %d, not %d", HIGHEST, s.degree);
  }
  if (points->count <= s.degree) {
    return lb_complain(r, points->place, "a spline of degree %d needs at least %d points, not %d",
                       s.degree, s.degree + 1, points->count);
  }
  if (!(s.to > s.from)) {
    return lb_complain(r, lb_yaml_find(node, "to")->place, "'to' must be later than 'from' (%g s)",
                       s.from);
  }
  if (!take_arrays(r, of, out, 2, points->count)) {
    return false;
  }
  const bool ok = read_points(r, points, of, out);
  out->kind = LB_PROFILE_BSPLINE;
  out->degree = s.degree;
  out->count = points->count;
  out->time[0] = s.from;
  out->time[1] = s.to;
  return ok;
}

static bool read_profile(lb_reader* r, const lb_yaml* part, const measure* of,
                         lb_profile_definition* out) {
  const lb_yaml* spline = lb_yaml_find(part, "spline");
  const lb_yaml* rates = lb_yaml_find(part, "rates");
  const lb_yaml* keys = lb_yaml_find(part, "keys");
  const char* word = rates ? "rates" : "keys";
  if (keys && rates) {
    return lb_complain(r, rates->place, "'keys' and 'rates' cannot both be given (choose one)");
  }
  keys = rates ? rates : keys;
  if (keys && spline) {
    return lb_complain(r, spline->place, "'%s' and 'spline' cannot both be given (choose one)",
                       word);
  }
  if (!keys && !spline) {
    return true;
  }
  bool ok = spline ? read_spline(r, spline, of, out) : read_keys(r, keys, word, of, out);
  const double last = ok ? out->time[spline ? 1 : out->count - 1] : 0;
  if (ok && out->period > 0 && out->period < last) {
    ok = lb_complain(r, lb_yaml_find(part, "repeat")->place,
                     "'repeat' is %g s, but the last time is %g s (repeat after it)", out->period,
                     last);
  }
  return ok;
}

bool lb_read_profile(lb_reader* r, const lb_yaml* part, lb_dimension dimension,
                     lb_profile_definition* out) {
  return read_profile(r, part, &(measure){dimension, NULL}, out);
}

bool lb_read_turning(lb_reader* r, const lb_yaml* part, lb_profile_definition* out,
                     lb_quat** rotation) {
  return read_profile(r, part, &(measure){LB_ANGLE, rotation}, out);
}

// --- checking ---

bool lb_profile_times_hold(const lb_profile_definition* p) {
  const int times = lb_is_spline(p) ? 2 : p->count;
  if ((int)p->kind < 0 || p->kind >= LB_PROFILE_COUNT || p->count < 0 || !(p->period >= 0) ||
      !isfinite(p->period)) {
    return false;
  }
  if (p->count == 0) {
    return true;
  }
  for (int i = 0; i < times; i++) {
    if (!p->time || !isfinite(p->time[i]) || (i > 0 && !(p->time[i] > p->time[i - 1]))) {
      return false;
    }
  }
  return !lb_is_spline(p) || (p->degree >= 1 && p->degree <= 5 && p->count > p->degree);
}

bool lb_profile_holds(const lb_profile_definition* p) {
  bool ok = lb_profile_times_hold(p) && (p->count == 0 || p->value);
  for (int i = 0; ok && i < p->count; i++) {
    ok = isfinite(p->value[i]);
  }
  return ok;
}
