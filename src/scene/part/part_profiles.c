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

// Values: numbers of a dimension or rotations, which are kept apart.
typedef struct values {
  lb_field row;
  size_t size;
  void** array; // where they go
} values;

bool lb_read_pairs(lb_reader* r, const lb_yaml* list, const lb_pairs* of, double** first,
                   void** second) {
  double* x = *first = LB_TAKE(r->keep, double, list->count);
  char* y = *second = lb_arena_take_array(r->keep, (size_t)list->count, of->size, LB_ALIGN);
  bool ok = (x && y) || lb_lack(r);
  int last = -1; // pair whose first number was good
  for (int i = 0; x && y && i < list->count; i++) {
    const lb_yaml* pair = list->item[i];
    if (!lb_is_list(pair) || pair->count != 2) {
      ok = lb_complain(r, pair->place, "%s must be a pair such as [%s, %s]", of->item,
                       lb_dimension_example(of->first.dimension), of->example);
      continue;
    }
    const bool good = lb_read_value(r, pair->item[0], &of->first, &x[i]);
    ok &= lb_read_value(r, pair->item[1], &of->second, y + (size_t)i * of->size) && good;
    if (good && last >= 0 && !(x[i] > x[last])) {
      ok = lb_complain(r, pair->item[0]->place, "the %s must increase, but %g%s comes after %g%s",
                       of->firsts, x[i], of->unit, x[last], of->unit);
    }
    last = good ? i : last;
  }
  return ok;
}

// [[0 s, 0 deg], [1 s, 90 deg]]
static bool read_keys(lb_reader* r, const lb_yaml* node, const char* word, const values* of,
                      lb_profile_definition* out) {
  const lb_pairs keys = {.item = "a key",
                         .firsts = lb_compose(r, "times of '%s'", word),
                         .unit = " s",
                         .first = {"time", LB_VALUE_NUMBER, .dimension = LB_TIME},
                         .second = of->row,
                         .size = of->size,
                         .example = of->row.value == LB_VALUE_ROTATION
                                        ? "{axis: z, angle: 30 deg}"
                                        : lb_dimension_example(of->row.dimension)};
  if (node->count == 0) {
    return lb_complain(r, node->place, "'%s' must have at least one [time, value] pair", word);
  }
  out->count = node->count;
  return lb_read_pairs(r, node, &keys, &out->time, of->array);
}

static bool read_spline(lb_reader* r, const lb_yaml* node, const values* of,
                        lb_profile_definition* out) {
  enum { HIGHEST = 5 };
  const lb_yaml* points = lb_yaml_find(node, "points");
  lb_field row = of->row;
  spline_part s = {0};
  row.key = "points";
  lb_table_default(&lb_spline_table, &s);
  const bool good = lb_read_part(r, node, "spline", &lb_spline_table, &s);
  if (!good) { // reported
    return points && lb_read_array(r, points, &row, of->size) && false;
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
  out->time = LB_TAKE(r->keep, double, 2);
  *of->array = lb_read_array(r, points, &row, of->size);
  if (!out->time || !*of->array) {
    return !out->time && lb_lack(r);
  }
  out->kind = LB_PROFILE_BSPLINE;
  out->degree = s.degree;
  out->count = points->count;
  out->time[0] = s.from;
  out->time[1] = s.to;
  return true;
}

static bool read_profile(lb_reader* r, const lb_yaml* part, const values* of,
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
  return read_profile(r, part,
                      &(values){{"value", LB_VALUE_NUMBER, .dimension = dimension},
                                sizeof(double),
                                (void**)&out->value},
                      out);
}

bool lb_read_turning(lb_reader* r, const lb_yaml* part, lb_profile_definition* out,
                     lb_quat** rotation) {
  return read_profile(r, part,
                      &(values){{"value", LB_VALUE_ROTATION, .dimension = LB_ANGLE},
                                sizeof(lb_quat),
                                (void**)rotation},
                      out);
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
