// Keys and splines: functions of time as authors write them.
#include <math.h>

#include "scene/part/part.h"

#define NAME(code, name) name,
static const char* const profile_names[] = {LB_PROFILE_LIST(NAME)};
// splines of coordinates, polynomials and B-splines have their own keys, and are the last of the
// profiles
const lb_choices lb_ease_choices = {LB_PROFILE_NATURAL, profile_names, 0,
                                    LB_PROFILE_COUNT - LB_PROFILE_NATURAL};

typedef struct spline_part {
  int degree;
  bool cyclic;
  double from, to;
} spline_part;

static const lb_field spline_fields[] = {
    LB_SIZED(COUNT, spline_part, "degree", degree, LB_PURE, LB_POSITIVE, "3", "1 to 5"),
    LB_SIZED(NUMBER, spline_part, "from", from, LB_TIME, LB_ANY, "0 s", "when the curve begins"),
    LB_SIZED(NUMBER, spline_part, "to", to, LB_TIME, LB_ANY, NULL, "when the curve ends"),
    LB_LATER(WAY_POINTS, "points", NULL, NULL, "control points, more than the degree"),
    LB_ROW(FLAG, spline_part, "cyclic", cyclic, "false",
           "true: after the last point comes the first again, with what it advances, and the curve "
           "goes smoothly through the end of a cycle; `to` is a cycle after `from`"),
};
const lb_table lb_spline_table = LB_TABLE("spline", spline_part, spline_fields);

typedef struct profile_part {
  lb_profile_definition profile;
} profile_part;

static const lb_field profile_fields[] = {
    LB_LATER(WAY, "keys", NULL, "none", "[time, value] pairs, in units of what follows it"),
    LB_PROFILE_ROWS(profile_part, profile),
};
const lb_table lb_profile_table = LB_TABLE("profile", profile_part, profile_fields);

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
  if (s.cyclic && !(fabs(s.to - s.from - out->period) <= 1e-12 * out->period)) {
    return lb_complain(r, lb_yaml_find(node, "cyclic")->place,
                       "a cyclic spline lasts a cycle: 'to' must be 'repeat' after 'from', %g s",
                       s.from + out->period);
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
  out->cyclic = s.cyclic;
  out->count = points->count;
  out->time[0] = s.from;
  out->time[1] = s.to;
  return true;
}

// What needs a cycle, and what rotations have not.
static bool read_cycle(lb_reader* r, const lb_yaml* part, const values* of,
                       lb_profile_definition* out) {
  enum { ADVANCE, PHASE };
  static const char* const keys[] = {[ADVANCE] = "advance", [PHASE] = "phase"};
  bool ok = true;
  for (int i = 0; i < LB_COUNT_OF(keys); i++) {
    const lb_yaml* given = lb_yaml_find(part, keys[i]);
    if (given && i == ADVANCE && of->row.value == LB_VALUE_ROTATION) {
      ok = lb_complain(r, given->place,
                       "'advance' is for numbers, and this motor drives a rotation");
    } else if (given && !(out->period > 0)) {
      ok = lb_complain(r, given->place, "'%s' needs 'repeat' (how long a cycle lasts)", keys[i]);
    }
  }
  const lb_yaml* advance = lb_yaml_find(part, "advance");
  return ok && (!advance ||
                lb_read_number(r, advance, "advance", of->row.dimension, LB_ANY, &out->advance));
}

static bool read_own(lb_reader* r, const lb_yaml* part, const values* of,
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
  bool ok = read_cycle(r, part, of, out);
  ok &= spline ? read_spline(r, spline, of, out) : read_keys(r, keys, word, of, out);
  const double last = ok ? out->time[spline ? 1 : out->count - 1] : 0;
  if (ok && out->period > 0 && out->period < last) {
    ok = lb_complain(r, lb_yaml_find(part, "repeat")->place,
                     "'repeat' is %g s, but the last time is %g s (repeat after it)", out->period,
                     last);
  }
  return ok;
}

// A profile of `profiles`, by its name; what is wrong with it by itself was reported there.
static bool read_shared(lb_reader* r, const lb_yaml* part, const lb_yaml* name, const values* of,
                        lb_profile_definition* out) {
  static const char* const own[] = {"keys", "rates", "spline", "ease", "repeat", "advance"};
  const lb_entries* all = &r->section[LB_SCENE_PROFILES];
  for (int i = 0; i < LB_COUNT_OF(own); i++) {
    const lb_yaml* given = lb_yaml_find(part, own[i]);
    if (given) {
      return lb_complain(r, given->place, "'%s' is what profile '%s' says (choose one)", own[i],
                         lb_is_scalar(name) ? name->text : "");
    }
  }
  if (!lb_is_scalar(name)) {
    return false; // reported
  }
  const int found = lb_names_find(&all->names, name->text, -1);
  if (found < 0) {
    return lb_unknown_name(r, name, "profile", &all->names);
  }
  if (r->broken[LB_SCENE_PROFILES][found]) {
    return false;
  }
  const double phase = out->phase;
  profile_part shared = {{0}};
  lb_table_default(&lb_profile_table, &shared);
  *out =
      lb_read_table(r, all->entry[found].value, &lb_profile_table, &shared) ? shared.profile : *out;
  const bool ok = read_own(r, all->entry[found].value, of, out);
  out->phase += phase;
  return ok;
}

static bool read_profile(lb_reader* r, const lb_yaml* part, const values* of,
                         lb_profile_definition* out) {
  const lb_yaml* name = lb_yaml_find(part, "profile");
  return name ? read_shared(r, part, name, of, out) : read_own(r, part, of, out);
}

// Profiles by themselves: what their values measure is known where they are mentioned.
void lb_read_profiles(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_PROFILES];
  bool* broken = r->broken[LB_SCENE_PROFILES] = LB_TAKE(&r->scratch, bool, all->count);
  if (!broken) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count; i++) {
    const lb_entry* entry = &all->entry[i];
    profile_part part = {{0}};
    bool ok = lb_begin_entry(r, entry, "profile");
    lb_table_default(&lb_profile_table, &part);
    ok &= lb_read_table(r, entry->value, &lb_profile_table, &part);
    if (ok && !lb_yaml_find(entry->value, "keys") && !lb_yaml_find(entry->value, "spline")) {
      ok = lb_complain(r, entry->name->place, "'keys' or 'spline' is missing");
    }
    broken[i] = !ok;
  }
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
  const bool polynomial = p->kind == LB_PROFILE_POLYNOMIAL;
  const int times = lb_is_spline(p) ? 2 : polynomial ? 0 : p->count;
  if ((int)p->kind < 0 || p->kind >= LB_PROFILE_COUNT || p->count < 0 || !(p->period >= 0) ||
      (unsigned)p->beyond >= LB_BEYOND_COUNT ||
      (polynomial && (p->period > 0 || p->count > LB_PROFILE_MOST_POWERS)) ||
      !isfinite(p->period) || !isfinite(p->advance) || !isfinite(p->phase)) {
    return false;
  }
  const bool goes_round = p->advance != 0 || p->phase != 0 || p->cyclic;
  if (p->count == 0 || (goes_round && !(p->period > 0))) {
    return p->count == 0;
  }
  for (int i = 0; i < times; i++) {
    if (!p->time || !isfinite(p->time[i]) || (i > 0 && !(p->time[i] > p->time[i - 1]))) {
      return false;
    }
  }
  const bool lasts = !p->cyclic || (lb_is_spline(p) &&
                                    fabs(p->time[1] - p->time[0] - p->period) <= 1e-12 * p->period);
  return lasts && (!lb_is_spline(p) || (p->degree >= 1 && p->degree <= 5 && p->count > p->degree));
}

bool lb_profile_holds(const lb_profile_definition* p) {
  bool ok = lb_profile_times_hold(p) && (p->count == 0 || p->value);
  for (int i = 0; ok && i < p->count; i++) {
    ok = isfinite(p->value[i]);
  }
  return ok;
}
